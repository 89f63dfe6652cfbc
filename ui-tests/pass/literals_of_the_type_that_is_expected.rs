//! A literal is of the dtype and the shape that are expected where it stands, and has a type at once where nothing is.
#![allow(dead_code, unused_variables, clippy::all)]
use latten::prelude::*;

struct Filter<const M: usize, const S: usize> {
    observed: Tensor<f64, shape![M, S]>,
    noise: Tensor<f64, shape![M, M]>,
}

impl<const M: usize, const S: usize> Filter<M, S> {
    fn residual(&self, z: &Tensor<f64, shape![M]>, state: &Tensor<f64, shape![S]>) -> Tensor<f64, shape![M]> {
        z - self.observed.matmul(state)
    }
}

fn total(x: &Tensor<f64, Rank<1>>) -> f64 {
    x.sum().item()
}

fn largest(x: &DynTensor) -> latten::Scalar {
    x.max().item()
}

fn thirds() -> Tensor<f64, shape![2]> {
    tensor![1.0 / 3.0, 2.0 / 3.0]
}

fn smoothed<E: Float, S: Axis<-1>>(x: &Tensor<E, S>) -> Tensor<E, Rank<1>> {
    let kernel: Tensor<E, shape![3]> = tensor![0.25, 0.5, 0.25];
    let ramp: Tensor<E, Rank<1>> = tensor![1, 2, 3];
    (&kernel * &ramp).as_shape()
}

fn same<E: Float, N: Dim>(x: &Tensor<E, (N,)>, y: &Tensor<E, (N,)>) -> bool {
    x.equal(y)
}

pub(crate) fn main() -> latten::Result<()> {
    let x: Tensor<f64, shape![2]> = tensor![0.1, 0.2];
    assert_eq!(x.to_vec(), [0.1, 0.2]);
    let y: Tensor<f64, Rank<2>> = tensor![[0.1], [-1.5e300]];
    assert_eq!(y.to_vec(), [0.1, -1.5e300]);
    let bytes: Tensor<u8, shape![2]> = tensor![255, -1];
    assert_eq!(bytes.to_vec(), [255, 255]);
    let halves: Tensor<f16> = tensor![[1.5], [2.0]];
    assert_eq!(halves.sizes(), [2, 1]);
    let floats: Tensor<f32, shape![_, 2]> = tensor![[1, 2], [3, 4]];
    let wide: Tensor<c128, shape![2]> = tensor![0.1 + 2i, 3.0];
    assert_eq!(wide.to_vec(), [c128::new(0.1, 2.0), c128::new(3.0, 0.0)]);
    let none: Tensor<i64, shape![0]> = tensor![];
    let flags: Tensor<bool, Rank<1>> = tensor![true, false];
    let untyped: DynTensor = tensor![1, 2];
    assert_eq!(untyped.dtype(), DType::I64);
    let untyped: DynTensor = tensor![1, 2; u8];
    assert_eq!(untyped.dtype(), DType::U8);

    let filter = Filter { observed: tensor![[1.0, 0.5]], noise: tensor![[0.25]] };
    assert_eq!(filter.residual(&tensor![0.75], &tensor![0.5, 0.25]).to_vec(), [0.125]);
    assert_eq!(total(&tensor![0.1, 0.2]), 0.1 + 0.2);
    assert_eq!(largest(&tensor![0.5, 2]), 2.0);
    assert_eq!(smoothed(&x).to_vec(), [0.25, 1.0, 0.75]);
    assert!(same(&x, &tensor![0.1, 0.2]));
    let batches: Vec<Tensor<f64, Rank<1>>> = vec![tensor![1.0, 2.0], tensor![3.0], thirds().as_shape()];
    let pair: (Tensor<f64, shape![1]>, Option<Tensor<u8, shape![1]>>) = (tensor![0.1], Some(tensor![7]));
    let mut state = thirds() * 2.0;
    assert_eq!(state.sizes(), [2]);
    state = if total(&batches[1]) > 2.0 { tensor![0.1, 0.2] } else { thirds() };
    assert!(state.equal(&x));

    let (a, b) = (0.1, 0.2);
    let beside: Tensor<f64, shape![3]> = tensor![0.3, a, a + b];
    assert_eq!(beside.to_vec(), [0.3, 0.1, 0.1 + 0.2]);
    let row = tensor![a, b];
    assert_eq!(total(&tensor![a, b]) + total(&row.as_shape()), 2.0 * (a + b));
    assert_eq!(filter.residual(&tensor![a], &tensor![a, b]).sizes(), [1]);
    let rows: Tensor<f64, Rank<2>> = tensor![&row, &row];
    assert_eq!(tensor![&row, &row].t().sizes(), [2, 2]);
    let (c, n) = (0.5, 3);
    assert_eq!(tensor![1.0, c, c * c].sum().item(), 1.75_f32);
    assert_eq!(tensor![[1, n], [n, n * n]].t().to_vec(), [1_i64, 3, 3, 9]);

    // Nothing is expected: `f32` and `i64`, at once.
    assert_eq!((tensor![1.0] * 2.0).sum().item(), 2.0_f32);
    assert_eq!(tensor![1, 2].cumsum(0)?.to_vec(), [1_i64, 3]);
    let plain = tensor![0.5, 0.25];
    let _: &Tensor<f32, shape![2]> = &plain;
    let open: Tensor<_, _> = tensor![0.5, 0.25];
    assert_eq!(open.t().dtype(), DType::F32);
    let promoted: Tensor<f64, shape![2]> = &x + &tensor![0.5, 0.5];
    Ok(())
}
