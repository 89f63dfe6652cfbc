use latten::prelude::*;

fn main() {
    let rows = tensor![[1.0, 2.0], [3.0, 4.0]];
    let first = rows.i(i![0]).item();
    println!("{first}");
}
