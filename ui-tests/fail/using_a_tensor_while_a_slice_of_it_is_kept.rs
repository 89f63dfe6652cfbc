use latten::prelude::*;

fn main() {
    let mut a = Tensor::<f32, shape![3]>::zeros();
    let mut s = a.slice_mut().unwrap();
    a += 1.0;
    s[0] = 2.0;
}
