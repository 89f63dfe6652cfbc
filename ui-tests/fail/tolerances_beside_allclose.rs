use latten::prelude::*;

fn main() {
    let x = tensor![1.0, 2.0];
    assert!(x.allclose(&x, 1e-5, 1e-6));
}
