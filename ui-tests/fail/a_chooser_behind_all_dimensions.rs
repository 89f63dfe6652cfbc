use latten::prelude::*;

fn main() {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    let turned = x.i(i![..., tensor![[0, 1, 0], [1, 1, 0]]]);
    println!("{turned}");
}
