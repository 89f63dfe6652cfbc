//! `max_unpool1d` to `max_unpool3d`: numbers where pooling found them, and zeros around them.

use latten_spec::DType;

use super::value::Value;
use super::windows::each;
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::geometry::numel;
use crate::raw::RawTensor;
use crate::views::signed;

/// What pooling was told.
#[derive(Clone, Copy)]
pub(super) struct Unpooling<'a> {
    pub(super) kernel: &'a [isize],
    pub(super) stride: Option<&'a [isize]>,
    pub(super) padding: &'a [isize],
    /// The sizes of the image, or of the whole tensor.
    pub(super) output: Option<&'a [isize]>,
}

impl Unpooling<'_> {
    /// The sizes of the image.
    fn sizes(&self, input: &RawTensor, over: usize) -> Result<Vec<isize>> {
        let numbers = |numbers: &[isize]| {
            each(numbers, over).ok_or_else(|| Error::runtime(format!("There should be exactly {over} elements in {numbers:?}")))
        };
        let (kernel, padding) = (numbers(self.kernel)?, numbers(self.padding)?);
        let stride = numbers(self.stride.filter(|stride| !stride.is_empty()).unwrap_or(self.kernel))?;
        if over == 3 && stride.iter().any(|&stride| stride <= 0) {
            return Err(Error::runtime(format!("strides should be greater than zero, but got stride: {:?}", &stride[..])));
        }
        let inner = signed(&input.sizes()[(input.rank() + 1).saturating_sub(over + 1)..]);
        let usual = |dim: usize| {
            let last = (inner[dim] - 1).checked_mul(stride[dim])?;
            last.checked_add(kernel[dim])?.checked_sub(padding[dim].checked_mul(2)?)
        };
        let overflow = || {
            Error::type_error(
                "max_unpool2d(): argument 'output_size' failed to unpack the object at pos 1 with error \"Overflow when unpacking long long\"",
            )
        };
        let usual: Vec<isize> = (0..over).map(|dim| usual(dim).ok_or_else(overflow)).collect::<Result<_>>()?;
        let Some(given) = self.output else { return Ok(usual) };
        let given = if given.len() == over + 2 { &given[2..] } else { given };
        if given.len() != over {
            let (wanted, found) = (over + 2, given.len());
            return Err(Error::value(format!(
                "output_size should be a sequence containing {over} or {wanted} elements, but it has a length of '{found}'"
            )));
        }
        for dim in 0..over {
            let (least, most) = (usual[dim].saturating_sub(stride[dim]), usual[dim].saturating_add(stride[dim]));
            if !(least < given[dim] && given[dim] < most) {
                return Err(Error::value(format!("invalid output_size \"{given:?}\" (dim {dim} must be between {least} and {most})")));
            }
        }
        Ok(given.to_vec())
    }
}

/// PyTorch's `max_unpool1d`, `max_unpool2d` and `max_unpool3d`.
pub(super) fn max_unpool(over: usize, input: &RawTensor, indices: &RawTensor, pool: Unpooling<'_>) -> Result<RawTensor> {
    // PyTorch takes a row for an image of one column.
    let (flat, added) = (over.max(2), usize::from(over == 1));
    let listed = |tensor: &RawTensor| [tensor.sizes(), &[1][..added]].concat();
    if input.rank() != over + 1 && input.rank() != over + 2 {
        let rank = input.rank() + added;
        return Err(Error::runtime(format!(
            "Input to max_unpooling{flat}d should be a {}d or {}d Tensor, but got a tensor with {rank} dimensions.",
            flat + 1,
            flat + 2
        )));
    }
    let sizes = pool.sizes(input, over)?;
    if indices.dtype() != DType::I64 {
        let found = indices.dtype().message_name();
        return Err(Error::runtime(format!("elements in indices should be type int64 but got: {found}")));
    }
    if input.sizes() != indices.sizes() {
        let (own, there) = (listed(input), listed(indices));
        return Err(Error::runtime(format!(
            "Expected shape of indices to be same as that of the input tensor ({own:?}) but got indices tensor with shape: {there:?}"
        )));
    }
    let outer = &input.sizes()[..input.rank() - over];
    let rows = outer.iter().product::<usize>().cast_signed();
    let whole = [&signed(outer)[..], &sizes].concat();
    if sizes.iter().any(|&size| size < 0) {
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension: {whole:?}")));
    }
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    let pixels = numel(&sizes.iter().map(|size| size.unsigned_abs()).collect::<Vec<_>>())?;
    let zeros = RawTensor::zeros(&[rows.unsigned_abs(), pixels], &options)?;
    let inner = input.sizes()[input.rank() - over..].iter().product::<usize>().cast_signed();
    let row = |tensor: &RawTensor| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[rows, inner])]);
    let (places, numbers) = (row(indices)?, row(input)?);
    let found = one(Function::Scatter, &[(&zeros).into(), 1.into(), (&places).into(), (&numbers).into()])?;
    Value::from(found).then(Function::Reshape, &[CallArgument::Ints(&whole)])?.tensor()
}
