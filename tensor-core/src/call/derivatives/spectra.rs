//! The gradients of Fourier transforms: transforms the other way around.

use latten_spec::operation::Op;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::value::{Value, binary, unary};
use super::one;
use crate::error::Result;
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;

/// Of complex numbers.
pub(super) fn turned_back(g: &RawTensor, dims: &[isize], normalization: isize, forward: bool) -> Result<RawTensor> {
    one(Function::FftC2c, &[g.into(), dims.into(), normalization.into(), (!forward).into()])
}

/// Of real numbers whose transform, or the first half of it, has a gradient.
pub(super) fn of_half(g: &RawTensor, sizes: &[usize], dims: &[isize], normalization: isize, onesided: bool) -> Result<Value> {
    let mut whole = g.clone();
    if let Some(&last) = dims.last().filter(|_| onesided) {
        let dim = wrap_dim(last, g.rank())?;
        let mut pad = vec![0; 2 * (g.rank() - dim)];
        pad[2 * (g.rank() - 1 - dim) + 1] = (sizes[dim] - g.sizes()[dim]).cast_signed();
        whole = one(Function::ConstantPadNd, &[g.into(), pad[..].into(), 0.into()])?;
    }
    Ok(unary(Op::Real, &turned_back(&whole, dims, normalization, true)?.into()))
}

/// Of the half that real numbers came from: what stands for two numbers counts twice.
pub(super) fn of_whole(g: &RawTensor, dims: &[isize], normalization: isize) -> Result<RawTensor> {
    let half = one(Function::FftR2c, &[g.into(), dims.into(), normalization.into(), true.into()])?;
    let Some(&last) = dims.last() else { return Ok(half) };
    let dim = wrap_dim(last, g.rank())?;
    let (count, doubled) = (half.sizes()[dim], g.sizes()[dim] - half.sizes()[dim]);
    if doubled == 0 {
        return Ok(half);
    }
    let part = |start: usize, length: usize| {
        one(Function::Narrow, &[(&half).into(), last.into(), start.cast_signed().into(), length.cast_signed().into()])
    };
    let twice = binary(Op::Mul, &part(1, doubled)?.into(), 2.0).tensor()?;
    let parts = [part(0, 1)?, twice, part(1 + doubled, count - 1 - doubled)?];
    one(Function::Cat, &[CallArgument::Tensors(&[&parts[0], &parts[1], &parts[2]]), last.into()])
}
