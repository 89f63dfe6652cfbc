use latten::prelude::*;

fn main() {
    let (a, b) = (Tensor::<f32, shape![2, 3, 4]>::ones(), Tensor::<f32, shape![3, 5]>::ones());
    let c = einsum!("ij,jk->ik", a, b);
}
