use latten::prelude::*;

fn main() {
    let six = tensor![[1, 2, 3], [4, 5, 6]];
    let _ = six.reshape(shape![4, 2]);
}
