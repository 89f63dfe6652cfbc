//! `einsum!`: the types of its results, beside what the function computes.

use latten::prelude::*;

type Turned = shape![2, 1, 2, 1, 2, 1, 2, 1];

fn scores<B: Dim, const T: usize, const D: usize>(
    q: &Tensor<f32, shape![<B>, T, D]>,
    k: &Tensor<f32, shape![<B>, T, D]>,
) -> Tensor<f32, shape![<B>, T, T]> {
    einsum!("btd,bsd->bts", q, k) / (D as f64).sqrt()
}

fn weighted<E: WideFloat, N: Dim>(x: &Tensor<E, shape![<N>, 3]>, w: &Tensor<E, shape![<N>]>) -> Tensor<E, shape![3, 3]> {
    einsum!("ni,n,nj->ij", x, w, x)
}

/// The macro's result, of its type, and the function's, which have to be one.
macro_rules! agree {
    ($($equation:literal, $($operand:expr),+ => $type:ty;)+) => { $(
        let typed: $type = einsum!($equation, $($operand),+);
        let dynamic = einsum($equation, &[$($operand.raw()),+])?;
        assert!(typed.equal(&dynamic), "{}: {typed} is not {dynamic}", $equation);
        let tried = try_einsum!($equation, $($operand),+)?;
        assert!(typed.equal(&tried), "{}: {typed} is not {tried}", $equation);
    )+ };
}

#[test]
fn results_have_the_sizes_of_their_letters() -> Result<()> {
    manual_seed(5);
    let (a, b) = (Tensor::<f64, shape![2, 3]>::randn(), Tensor::<f64, shape![3, 4]>::randn());
    let (rows, square) = (Tensor::<f64, shape![5, 2, 3]>::randn(), Tensor::<f64, shape![3, 3]>::randn());
    let eight = Tensor::<f64, shape![1, 2, 1, 2, 1, 2, 1, 2]>::randn();
    let stretched = Tensor::<f64, shape![1, 4]>::randn();
    let run: Tensor<f64, Rank<2>> = b.to_shape()?;
    let unknown: DynTensor = b.clone().erase();
    let counts = tensor![[1_i64, 2, 3], [4, 5, 6]];
    agree! {
        "ij,jk->ik", a, b => Tensor<f64, shape![2, 4]>;
        "ij,jk", a, b => Tensor<f64, shape![2, 4]>;
        "ij, jk -> ki", a, b => Tensor<f64, shape![4, 2]>;
        "ij->ji", a => Tensor<f64, shape![3, 2]>;
        "ba", a => Tensor<f64, shape![3, 2]>;
        "ij->", a => Tensor<f64, shape![]>;
        "ii->i", square => Tensor<f64, shape![3]>;
        "ii", square => Tensor<f64, shape![]>;
        "nij,jk,kl->nil", rows, b, b.t() => Tensor<f64, shape![5, 2, 3]>;
        "ij,jk->ik", a, stretched => Tensor<f64, shape![2, 4]>;
        "i,j->ij", a.i(i![0]), b.i(i![1]) => Tensor<f64, shape![3, 4]>;
        "ij,jk->ik", a, run => Tensor<f64, shape![2, _]>;
        "ij,jk->j", a, run => Tensor<f64, shape![3]>;
        "ij,jk->ik", a, unknown => Tensor<f64, shape![2, _]>;
        "...ij,jk->...ik", rows, b => Tensor<f64, Any>;
        "Zab,bZ->aZ", rows, Tensor::<f64, shape![3, 5]>::ones() => Tensor<f64, shape![2, 5]>;
        "ij,ij->i", counts, counts => Tensor<i64, shape![2]>;
        "ij->ji", tensor![[true, false]] => Tensor<bool, shape![2, 1]>;
        "abcdefgh->hgfedcba", eight => Tensor<f64, Turned>;
        "i,i->i", tensor![1_u8, 200], tensor![2_u8, 2] => Tensor<u8, shape![2]>;
    }
    Ok(())
}

#[test]
fn functions_over_sizes_and_dtypes() -> Result<()> {
    let q = Tensor::<f32, shape![2, 3, 4]>::ones();
    let of_the_run: Tensor<f32, shape![_, 3, 4]> = q.to_shape()?;
    assert_eq!((scores(&q, &q).shape(), scores(&of_the_run, &of_the_run).to_vec()[5]), ([2, 3, 3], 2.0));
    let sums = weighted(&tensor![[1.0_f64, 2.0, 3.0], [0.5, 0.0, 1.0]], &tensor![1.0, 2.0]);
    assert_eq!(sums.to_vec(), [1.5, 2.0, 4.0, 2.0, 4.0, 6.0, 4.0, 6.0, 11.0]);
    // Gradients go through it as through any call.
    let w = tensor![[1.0_f32, 2.0], [3.0, 4.0]].requiring_grad()?;
    einsum!("ij,ij->", w, w).backward()?;
    assert_eq!(w.grad().ok_or(Error::runtime("no gradient"))?.to_vec(), [2.0, 4.0, 6.0, 8.0]);
    Ok(())
}

#[test]
fn what_the_run_finds() -> Result<()> {
    let a = Tensor::<f32, shape![2, 3]>::ones();
    let b: Tensor<f32, Rank<2>> = Tensor::<f32>::ones([4, 5])?.to_shape()?;
    let text = |error: Error| error.to_string();
    let sizes = "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3";
    assert_eq!(try_einsum!("ij,jk->ik", a, b).err().map(text), Some(sizes.to_owned()));
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| einsum!("ij,jk->ik", a, b)));
    let caught = caught.map_err(|panic| panic.downcast_ref::<String>().cloned());
    assert_eq!(caught.map(|_| ()), Err(Some(sizes.to_owned())));
    // Two sizes of 1 dimension that aren't equal, and dtypes that only the run knows.
    let flat = Tensor::<f32, shape![1, 3]>::ones();
    assert!(
        text(try_einsum!("ii->i", flat).expect_err("refused"))
            .contains("subscript i is repeated for operand 0 but the sizes don't match, 3 != 1")
    );
    let doubles: Tensor<Any, Rank<1>> = tensor![1.0_f64, 2.0].erase().to_shape()?;
    assert!(text(try_einsum!("ij,i->ij", tensor![[1.0_f32], [2.0]], doubles).expect_err("refused")).contains("float64"));
    Ok(())
}
