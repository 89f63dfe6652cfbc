//! Calls that make tensors of sizes, with and without options.

use latten_spec::DType;
use smallvec::SmallVec;

use super::{DynTensor, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::create::{IntoOptions, Options};
use crate::element::Element;
use crate::error::Result;
use crate::shape::Shape;

/// Makes a call that takes sizes, in some cases a number, and a dtype.
pub(super) fn filled<E: Element, S: Shape>(
    function: Function,
    sizes: &[isize],
    number: &[CallArgument<'_>],
    dtype: DType,
) -> Result<Tensor<E, S>> {
    let arguments: SmallVec<[CallArgument<'_>; 4]> =
        [sizes.into()].into_iter().chain(number.iter().copied()).chain([dtype.into()]).collect();
    made(function, &arguments)
}

/// The same with options. Only `empty` takes a memory format; of others a copy does.
pub(super) fn filled_with(function: Function, arguments: &[CallArgument<'_>], options: impl IntoOptions) -> Result<DynTensor> {
    let Options { dtype, device, format } = options.into_options()?;
    let is_empty = function == Function::Empty;
    let options = [dtype.into(), device.into(), format.into()];
    let arguments: SmallVec<[CallArgument<'_>; 4]> =
        arguments.iter().copied().chain(options.into_iter().take(2 + usize::from(is_empty))).collect();
    let tensor: DynTensor = made(function, &arguments)?;
    match format {
        Some(format) if !is_empty => tensor.clone_with(format),
        _ => Ok(tensor),
    }
}

/// The integers up to `count` in an order by chance.
pub(super) fn permuted<E: Element, S: Shape>(count: isize, options: Options) -> Result<Tensor<E, S>> {
    let Options { dtype, device, .. } = options;
    made(Function::Randperm, &[count.into(), CallArgument::None, dtype.into(), device.into()])
}
