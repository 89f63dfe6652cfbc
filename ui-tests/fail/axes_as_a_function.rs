// Several axes are a macro, one is a function.
use latten::prelude::*;

fn main() {
    let x = Tensor::<f32, shape![2, 3, 4]>::ones();
    let _ = x.permute(axes::<2, 0, 1>());
}
