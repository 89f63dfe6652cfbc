use latten::prelude::*;

fn main() {
    let _ = Tensor::<i32, shape![2]>::full(2.5);
}
