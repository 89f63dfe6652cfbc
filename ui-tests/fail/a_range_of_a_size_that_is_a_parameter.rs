use latten::prelude::*;

// Types count literals, not parameters.
fn returns<E: Float, N: Dim>(prices: &Tensor<E, (N,)>) -> Tensor<E, Rank<1>> {
    prices.i(i![1..])
}

fn main() {
    returns(&tensor![1.0, 2.0]);
}
