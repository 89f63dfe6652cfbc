use latten::prelude::*;

fn main() {
    let (a, b) = (Tensor::<f32, shape![2, 3]>::ones(), Tensor::<f32, shape![3, 5]>::ones());
    let unknown = einsum!("ij,jk->il", a, b);
    let twice = einsum!("ij,jk->ii", a, b);
    let few = einsum!("ij,jk->ik", a);
    let digit = einsum!("i1,1k->ik", a, b);
    let text = "ij,jk->ik";
    let variable = einsum!(text, a, b);
}
