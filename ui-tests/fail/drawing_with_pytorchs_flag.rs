//! A flag that has a name of its own.
use latten::prelude::*;

fn main() {
    let weights = Tensor::from([0.2_f32, 0.8]);
    let _ = weights.multinomial(20, true);
}
