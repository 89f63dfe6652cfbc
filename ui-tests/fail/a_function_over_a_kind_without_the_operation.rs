use latten::prelude::*;

fn length<E: Real, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, shape![]> {
    (x * x).sum().sqrt()
}

fn grown<E: Element, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S> {
    x.exp()
}

fn main() {}
