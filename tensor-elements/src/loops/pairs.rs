//! Loops over operands of two dtypes: each element is converted to the dtype that both promote to, from there to the one that is
//! computed in, and the result back. `latten_macros::pair_kernels!` says which there are.

use std::marker::PhantomData;

use latten_spec::DType;
use latten_spec::operation::Op;

use super::formula::Formula;
#[cfg(target_arch = "x86_64")]
use super::halves::{self, HalfPair};
use super::level::Level;
use super::run::{Body, Kernel, LoopForms, Run};
use super::table;
use super::vocabulary::{Value, constant};
use crate::convert::CastFrom;
use crate::element::Native;

/// The loop of a formula with that many parameters over elements of `X` and `Y`, through their common `T`.
struct Pair<F, T, X, Y, const PARAMS: usize>(PhantomData<(F, T, X, Y)>);

impl<F, T, X, Y, const PARAMS: usize> Body for Pair<F, T, X, Y, PARAMS>
where
    F: Formula<In: Value + CastFrom<T>>,
    T: Native + CastFrom<X> + CastFrom<Y> + CastFrom<F::Out>,
    X: Native,
    Y: Native,
{
    const WEIGHT: usize = 1;

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<T>();
        let params = std::array::from_fn(|i| if i < PARAMS { inputs.param(i) } else { constant(0.0) });
        for ((result, &x), &y) in out.iter_mut().zip(inputs.operand::<X>(0)).zip(inputs.operand::<Y>(1)) {
            let (x, y) = (F::In::cast_from(T::cast_from(x)), F::In::cast_from(T::cast_from(y)));
            *result = T::cast_from(F::at([x, y, x], params));
        }
    }
}

latten_macros::pair_kernels! {}
