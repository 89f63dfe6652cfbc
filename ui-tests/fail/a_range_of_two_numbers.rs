use latten::prelude::*;

fn main() {
    let _ = Tensor::<i64>::arange(0, 10);
    let _ = Tensor::<i64>::arange("ten");
}
