// Places are integers.
use latten::prelude::*;

fn main() {
    let scores = Tensor::from([[0.1_f32, 0.9], [0.8, 0.2]]);
    let labels = Tensor::from([[1.0_f32], [0.0]]);
    let _ = scores.gather(1, &labels);
}
