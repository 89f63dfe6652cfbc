use latten::prelude::*;

fn main() {
    let _ = Tensor::zeros([3, 4]);
}
