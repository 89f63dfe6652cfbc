// A sparse tensor has no memory of its own to look at otherwise.
use latten::prelude::*;

fn main() {
    let sparse = Tensor::from([[0, 1], [2, 0]]).to_sparse();
    let _ = sparse.view([4]);
}
