//! `max_unpool1d` to `max_unpool3d`: numbers where pooling found them, and zeros around them.

use latten_spec::DType;

use super::value::Value;
use super::windows::each;
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::element::check_float;
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

/// As Python says it of the lists of a window.
fn out_of_range() -> Error {
    Error::index("tuple index out of range")
}

impl Unpooling<'_> {
    /// How far windows lie apart.
    fn stride(&self) -> &[isize] {
        self.stride.filter(|stride| !stride.is_empty()).unwrap_or(self.kernel)
    }

    /// The sizes of the image, as Python finds them: of as many dimensions as windows have.
    fn sizes(&self, input: &RawTensor, over: usize) -> Result<Vec<isize>> {
        let numbers = |numbers: &[isize]| each(numbers, over).unwrap_or_else(|| numbers.into());
        let (kernel, stride, padding) = (numbers(self.kernel), numbers(self.stride()), numbers(self.padding));
        let count = kernel.len();
        let inner = input.rank().checked_sub(count).map(|outer| signed(&input.sizes()[outer..])).ok_or_else(out_of_range)?;
        let usual = |dim: usize| {
            let (stride, padding) = (stride.get(dim).ok_or_else(out_of_range)?, padding.get(dim).ok_or_else(out_of_range)?);
            let last = (inner[dim] - 1).checked_mul(*stride).and_then(|last| last.checked_add(kernel[dim]));
            last.and_then(|last| last.checked_sub(padding.checked_mul(2)?)).ok_or_else(|| {
                Error::type_error(
                    "max_unpool2d(): argument 'output_size' failed to unpack the object at pos 1 with error \"Overflow when unpacking long \
                     long\"",
                )
            })
        };
        let usual: Vec<isize> = (0..count).map(usual).collect::<Result<_>>()?;
        if let Some(given) = self.output {
            return self.fitting(given, &usual, &stride);
        }
        match usual.iter().position(|&size| size < 0) {
            Some(dim) => Err(Error::value(format!(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{dim}]={}",
                usual[dim]
            ))),
            None => Ok(usual),
        }
    }

    /// The sizes that are asked for, where they are near the usual ones.
    fn fitting(&self, given: &[isize], usual: &[isize], stride: &[isize]) -> Result<Vec<isize>> {
        let count = usual.len();
        let given = if given.len() == count + 2 { &given[2..] } else { given };
        if given.len() != count {
            let (wanted, found) = (count + 2, given.len());
            return Err(Error::value(format!(
                "output_size should be a sequence containing {count} or {wanted} elements, but it has a length of '{found}'"
            )));
        }
        for dim in 0..count {
            let (least, most) = (usual[dim].saturating_sub(stride[dim]), usual[dim].saturating_add(stride[dim]));
            if !(least < given[dim] && given[dim] < most) {
                return Err(Error::value(format!("invalid output_size \"{given:?}\" (dim {dim} must be between {least} and {most})")));
            }
        }
        Ok(given.to_vec())
    }

    /// That indices are places in an image of those sizes, in PyTorch's order; it takes a row for an image of one column.
    fn check(&self, over: usize, input: &RawTensor, indices: &RawTensor, sizes: &[isize]) -> Result<()> {
        let refused = |text: String| Err(Error::runtime(text));
        let (flat, added) = (over.max(2), usize::from(over == 1));
        if indices.dtype() != DType::I64 {
            return refused(format!("elements in indices should be type int64 but got: {}", indices.dtype().message_name()));
        }
        if input.rank() != over + 1 && input.rank() != over + 2 {
            let rank = input.rank() + added;
            return refused(format!(
                "Input to max_unpooling{flat}d should be a {}d or {}d Tensor, but got a tensor with {rank} dimensions.",
                flat + 1,
                flat + 2
            ));
        }
        let told = if flat == 3 { "three elements (depth, height, width)" } else { "two elements (height, width)" };
        if sizes.len() != over {
            return refused(format!("There should be exactly {told} in output_size, but got {} elements.", sizes.len() + added));
        }
        for (what, numbers) in [("stride", self.stride()), ("padding", self.padding)] {
            if over == 3 && each(numbers, over).is_none() {
                return refused(format!("There should be exactly {told} in {what}, but got: {} elements.", numbers.len()));
            }
        }
        let listed = |tensor: &RawTensor| [tensor.sizes(), &[1][..added]].concat();
        let (own, there) = (listed(input), listed(indices));
        if own != there {
            return refused(format!(
                "Expected shape of indices to be same as that of the input tensor ({own:?}) but got indices tensor with shape: {there:?}"
            ));
        }
        if over == 3 && self.stride().iter().any(|&stride| stride <= 0) {
            return refused(format!(
                "strides should be greater than zero, but got stride: {:?}",
                &each(self.stride(), over).unwrap_or_default()[..]
            ));
        }
        if let Some(dim) = (input.rank() - over - usize::from(input.rank() > over)..own.len()).find(|&dim| dim > 0 && own[dim] == 0) {
            return refused(format!(
                "max_unpooling{flat}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but input has sizes \
                 {own:?} with dimension {dim} being empty"
            ));
        }
        check_float(&format!("max_unpool{flat}d"), input.dtype())
    }
}

/// PyTorch's `max_unpool1d`, `max_unpool2d` and `max_unpool3d`.
pub(super) fn max_unpool(over: usize, input: &RawTensor, indices: &RawTensor, pool: Unpooling<'_>) -> Result<RawTensor> {
    let sizes = pool.sizes(input, over)?;
    pool.check(over, input, indices, &sizes)?;
    let outer = &input.sizes()[..input.rank() - over];
    let rows = outer.iter().product::<usize>().cast_signed();
    let whole = [&signed(outer)[..], &sizes].concat();
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    let pixels = numel(&sizes.iter().map(|size| size.unsigned_abs()).collect::<Vec<_>>())?;
    let zeros = RawTensor::zeros(&[rows.unsigned_abs(), pixels], &options)?;
    let inner = input.sizes()[input.rank() - over..].iter().product::<usize>().cast_signed();
    let row = |tensor: &RawTensor| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[rows, inner])]);
    let (places, numbers) = (row(indices)?, row(input)?);
    let found = one(Function::Scatter, &[(&zeros).into(), 1.into(), (&places).into(), (&numbers).into()])?;
    Value::from(found).then(Function::Reshape, &[CallArgument::Ints(&whole)])?.tensor()
}
