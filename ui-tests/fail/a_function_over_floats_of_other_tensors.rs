use latten::prelude::*;

fn softmax<E: Float, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S> {
    let powers = (x - x.amax()).exp();
    &powers / powers.sum()
}

fn main() {
    let known = tensor![1.0, 2.0];
    softmax(&known.erase());
    softmax(&known.to::<i64>());
}
