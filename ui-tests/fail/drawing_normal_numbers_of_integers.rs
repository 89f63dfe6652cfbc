use latten::prelude::*;

fn main() {
    let _ = Tensor::<i32, shape![3]>::randn();
}
