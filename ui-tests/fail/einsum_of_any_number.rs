//! A sum of small integers is of another dtype, so a function over all numbers can't say which.

use latten::prelude::*;

fn product<E: Number>(a: &Tensor<E, shape![2, 3]>, b: &Tensor<E, shape![3, 4]>) -> Tensor<E, shape![2, 4]> {
    einsum!("ij,jk->ik", a, b)
}

fn main() {
    let _ = product(&tensor![[1; 3]; 2], &tensor![[1; 4]; 3]);
}
