use latten::prelude::*;

fn main() {
    let (a, b) = (Tensor::<f32, shape![2, 3]>::ones(), Tensor::<f64, shape![3, 5]>::ones());
    let two = einsum!("ij,jk->ik", a, b);
    let counts = tensor![[1_i32, 2], [3, 4]];
    let sums = einsum!("ij,jk->ik", counts, counts);
}
