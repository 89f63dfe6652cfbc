#![allow(dead_code, unused_variables, unused_mut, unused_must_use)]
use latten::prelude::*;

fn main() {
    let (x, any) = (tensor![[1.0], [2.0]], Tensor::<f32>::ones([2, 1]).unwrap().as_shape::<Any>());
    x.sort(axis::<3>());
    x.flip(axis::<3>());
    any.softmax(axis::<1>());
    any.flip(axis::<1>());
    x.squeeze(axis::<0>());
    any.unsqueeze(axis::<1>());
    cat((&x, &x), axis::<2>());
}
