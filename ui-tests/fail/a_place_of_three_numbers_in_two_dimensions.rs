use latten::prelude::*;

fn main() {
    let _: Tensor<i64, shape![2, 3]> = Tensor::from_fn(|[i, j, k]| (i + j + k) as i64);
}
