// Complex numbers have no order.
use latten::prelude::*;

fn main() {
    let roots = Tensor::from([Complex::new(0.0_f32, 1.0), Complex::new(1.0, 0.0)]);
    let _ = roots.sort(0);
}
