use latten::prelude::*;

fn project<E: Float, N: Dim, K: Dim>(x: &Tensor<E, (N, K)>, weight: &Tensor<E, Rank<2>>) {
    let _ = x.matmul(weight);
}

fn main() {
    project(&tensor![[1.0]], &tensor![[1.0]].as_shape());
}
