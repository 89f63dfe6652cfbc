// `t` is of matrices; of more dimensions there are others.
use latten::prelude::*;

fn main() {
    let x = Tensor::<f32, shape![2, 3, 4]>::ones();
    let _ = x.t();
}
