use latten::prelude::*;

fn main() {
    let mut counts = tensor![1, 2, 3];
    counts += 0.5;
}
