//! A dtype in the place of a type.
use latten::prelude::*;

fn main() {
    let x = Tensor::from([0.2_f32, 0.8]);
    let _ = x.to(DType::F64);
}
