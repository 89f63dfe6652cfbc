use latten::prelude::*;

fn main() {
    let three = tensor![1, 2, 3];
    let _ = three.expand(shape![2, 4]);
}
