// What is put into a tensor has its dtype.
use latten::prelude::*;

fn main() {
    let mut counts = Tensor::from([0_i32, 0, 0]);
    let places = Tensor::from([2_i64, 0]);
    let _ = counts.scatter_add_(0, &places, &Tensor::from([0.5_f32, 1.5]));
}
