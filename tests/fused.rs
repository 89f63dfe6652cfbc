//! `fuse!`: what it takes, which types it gives, and what it refuses at run time.

use latten::prelude::*;

#[test]
fn one_pass_is_the_operators() {
    let a = tensor![0.5, -1.5, 2.0];
    let x = tensor![[1.0], [2.0]];
    let (b, c, d) = (tensor!(0.25f64), tensor![1, 2, 3], 0.5_f32);
    let eager = (&a * &x + &b).sigmoid() * &c - d;
    let fused: Tensor<f32, shape![2, 3]> = fuse!(sigmoid(a * x + b) * c - d);
    assert_eq!(fused.to_vec().expect("numbers"), eager.to_vec().expect("numbers"));
    let unknown: DynTensor = a.any();
    let dynamic = fuse!(sigmoid(unknown * x + b) * c - d);
    assert_eq!(dynamic.to_string(), eager.to_string());
}
