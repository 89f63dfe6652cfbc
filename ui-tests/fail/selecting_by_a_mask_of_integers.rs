// A mask is bool; integers name places.
use latten::prelude::*;

fn main() {
    let x = Tensor::from([1.5_f32, 2.5]);
    let _ = x.masked_select(&Tensor::from([1_i32, 0]));
}
