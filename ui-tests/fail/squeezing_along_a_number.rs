use latten::prelude::*;

fn main() {
    let x = tensor![[1.0], [3.0]];
    let _ = x.squeeze(1);
}
