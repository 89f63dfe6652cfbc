use latten::prelude::*;

fn main() {
    let x = tensor![1.0, 2.0];
    let _ = no_grad(|| &x * 2.0);
}
