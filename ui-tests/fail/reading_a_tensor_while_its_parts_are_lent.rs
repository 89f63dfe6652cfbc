use latten::prelude::*;

fn main() {
    let mut a = Tensor::<f32, shape![4, 3]>::zeros();
    let parts = a.parts_mut(0, 2).unwrap();
    let sum = a.sum();
    drop((parts, sum));
}
