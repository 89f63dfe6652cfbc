use latten::prelude::*;

fn main() {
    let mut counts = Tensor::<i64, shape![3]>::zeros();
    counts.uniform_().unwrap();
}
