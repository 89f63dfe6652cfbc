use latten::prelude::*;

fn main() {
    let a = Tensor::<f32, shape![5, 2]>::ones();
    let _ = a.sum_along("rows");
    let _ = a.max_along(..);
}
