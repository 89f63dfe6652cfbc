use latten::prelude::*;

fn main() {
    let (a, b) = (tensor![1.0, 2.0], tensor![1.0, 2.0; f64]);
    assert!(a.allclose(&b));
}
