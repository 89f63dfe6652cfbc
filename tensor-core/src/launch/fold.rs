//! Reductions of tensors of a CUDA device: which dimensions a kernel walks over for each output, and how a large one is cut. That follows
//! from the shape alone, and so does the order in which elements are folded.

use smallvec::SmallVec;
use tensor_spec::DType;
use tensor_spec::reduction::Reduction;

use super::arguments::{NUMBER, axis};
use super::loops::number;
use crate::cuda::Context;
use crate::cuda::library::{Key, kernel};
use crate::cuda::source::Fold;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, Mode};

/// The dimensions that a kernel can walk over, among those that stay and among those that go.
const RANK: usize = 8;
/// Threads of a block, as the kernels know.
const THREADS: usize = 256;
/// Elements that a block folds before there is another part, and those that a thread folds.
const TOGETHER: usize = 64 * THREADS;
const EACH: usize = 256;
/// Outputs that keep a device busy without parts.
const MANY: usize = 1 << 15;
/// What a thread folds alone in any case.
const FEW: usize = 32;

/// A reduction over some dimensions, in a new tensor of the sizes that are left.
///
/// # Errors
/// For reductions that have no kernel, and where the device refuses.
pub(crate) fn fold(
    op: Reduction,
    input: &RawTensor,
    reduced: &[bool],
    sizes: &[usize],
    through: DType,
    result: DType,
) -> Result<RawTensor> {
    let missing = || {
        Error::not_implemented(format!(
            "Could not run 'aten::{}' with arguments from the 'CUDA' backend: latten has it for tensors on the host only, and the tensor is on {}. \
             `cpu()` brings it there",
            op.row().name,
            input.device()
        ))
    };
    let fold = of(op).filter(|_| !matches!(op, Reduction::Sum | Reduction::Prod) || through != DType::Bool).ok_or_else(missing)?;
    let output = RawTensor::empty(sizes, &contiguous_strides(sizes), result, input.device())?;
    if sizes.contains(&0) {
        return Ok(output);
    }
    let acc = match fold {
        Fold::Some | Fold::Every => DType::Bool,
        Fold::Count => DType::I64,
        _ => through.computing(),
    };
    let path = match fold {
        Fold::Some | Fold::Every | Fold::Count => [input.dtype(), acc, acc],
        _ => [input.dtype(), through, acc],
    };
    let shape = Shape::new(input, reduced).ok_or_else(missing)?;
    let parts = shape.count.div_ceil(shape.chunk).max(1);
    #[expect(clippy::cast_precision_loss, reason = "as in any mean")]
    let given = if fold == Fold::Mean { number(Scalar::Float(shape.count as f64), acc.to_real(), acc.to_real())? } else { [0; NUMBER] };
    if parts == 1 {
        launch(Key::Fold(fold, path, result), input, &output, &shape, 1, &given)?;
        return Ok(output);
    }
    let left = if fold == Fold::Mean { Fold::Sum } else { fold };
    let partial = RawTensor::empty(&[shape.outputs, parts], &[parts, 1], acc, input.device())?;
    launch(Key::Fold(left, path, acc), input, &partial, &shape, parts, &given)?;
    let last = if fold == Fold::Mean { Fold::Mean } else { fold.of_parts() };
    let whole = Shape::whole(shape.outputs, parts);
    launch(Key::Fold(last, [acc; 3], result), &partial, &output, &whole, 1, &given)?;
    Ok(output)
}

/// What a reduction of the table folds.
fn of(op: Reduction) -> Option<Fold> {
    Some(match op {
        Reduction::Sum => Fold::Sum,
        Reduction::Prod => Fold::Product,
        Reduction::Mean => Fold::Mean,
        Reduction::Nansum => Fold::Nansum,
        Reduction::Amax | Reduction::Max => Fold::Greatest,
        Reduction::Amin | Reduction::Min => Fold::Least,
        Reduction::Any => Fold::Some,
        Reduction::All => Fold::Every,
        Reduction::CountNonzero => Fold::Count,
        _ => return None,
    })
}

/// Sizes and strides, innermost dimension first, where neighbours that can be one are one.
#[derive(Default)]
struct Side {
    sizes: Dims,
    strides: Dims,
}

impl Side {
    fn new(dims: impl DoubleEndedIterator<Item = (usize, usize)>) -> Self {
        let mut side = Self::default();
        for (size, stride) in dims.rev().filter(|(size, _)| *size != 1) {
            match (side.sizes.last_mut(), side.strides.last()) {
                (Some(inner), Some(step)) if stride == *step * *inner => *inner *= size,
                _ => {
                    side.sizes.push(size);
                    side.strides.push(stride);
                }
            }
        }
        side
    }
}

/// Which elements belong to which output.
struct Shape {
    outputs: usize,
    count: usize,
    kept: Side,
    gone: Side,
    /// Whether a block folds an output, or a thread.
    together: bool,
    chunk: usize,
}

impl Shape {
    /// `None` where there are more dimensions or elements than a kernel can count.
    fn new(input: &RawTensor, reduced: &[bool]) -> Option<Self> {
        let dims = |wanted: bool| {
            let dims = input.sizes().iter().copied().zip(input.strides().iter().copied()).zip(reduced);
            dims.filter(move |(_, reduced)| **reduced == wanted).map(|(dim, _)| dim)
        };
        let product = |wanted: bool| dims(wanted).try_fold(1_usize, |product, (size, _)| product.checked_mul(size));
        let (outputs, count) = (product(false)?, product(true)?);
        let shape = Self { kept: Side::new(dims(false)), gone: Side::new(dims(true)), ..Self::cut(outputs, count, None) };
        let side_by_side = shape.gone.strides.first().is_none_or(|&stride| stride == 1);
        let shape = Self { kept: shape.kept, gone: shape.gone, ..Self::cut(outputs, count, Some(side_by_side)) };
        let parts = count.div_ceil(shape.chunk).max(1);
        let most = i32::MAX as usize;
        let fits = count <= most && outputs.checked_mul(parts)? <= most && shape.kept.sizes.len() <= RANK && shape.gone.sizes.len() <= RANK;
        fits.then_some(shape)
    }

    /// Rows of so many elements.
    fn whole(outputs: usize, count: usize) -> Self {
        let kept = Side::new([(outputs, count)].into_iter());
        let gone = Side::new([(count, 1)].into_iter());
        // What the first launch has left is folded at once.
        Self { kept, gone, chunk: count.max(1), ..Self::cut(outputs, count, Some(true)) }
    }

    fn cut(outputs: usize, count: usize, side_by_side: Option<bool>) -> Self {
        let together = side_by_side.unwrap_or(true) && count > FEW;
        let chunk = match (together, outputs < MANY) {
            (true, true) => TOGETHER,
            (false, true) => EACH,
            (_, false) => count.max(1),
        };
        Self { outputs, count, kept: Side::default(), gone: Side::default(), together, chunk }
    }
}

fn launch(key: Key, input: &RawTensor, output: &RawTensor, shape: &Shape, parts: usize, given: &[u8; NUMBER]) -> Result<()> {
    let context = Context::of(output.device())?;
    let kernel = kernel(context, &key)?;
    input.check_inside()?;
    let access = Access::lock(&[output.storage()], &[input.storage()])?;
    let queue = context.queue();
    let (Some((to, start)), Some((from, begin))) = (access.block(output.storage(), Mode::Write), access.block(input.storage(), Mode::Read))
    else {
        return Err(Error::runtime("a reduction of tensors on two devices"));
    };
    let begin = begin + input.storage_offset() * input.dtype().itemsize();
    let (out, source) = (to.write_on(&queue)? + start as u64, from.read_on(&queue)? + begin as u64);
    if !source.is_multiple_of(input.dtype().itemsize() as u64) {
        return Err(Error::not_implemented("a slice of a storage that starts between two elements can't be reduced on a device"));
    }
    let mut bytes: SmallVec<[u8; 512]> = SmallVec::new();
    let groups = shape.outputs * parts;
    for number in [shape.outputs, shape.count, parts, shape.chunk.min(i32::MAX as usize), shape.kept.sizes.len(), shape.gone.sizes.len()] {
        bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_ne_bytes());
    }
    for address in [out, source] {
        bytes.extend_from_slice(&address.to_ne_bytes());
    }
    for side in [&shape.kept, &shape.gone] {
        for dim in 0..RANK {
            bytes.extend_from_slice(&(side.strides.get(dim).copied().unwrap_or(0) as u64).to_ne_bytes());
        }
    }
    for side in [&shape.kept, &shape.gone] {
        for dim in 0..RANK {
            axis(side.sizes.get(dim).copied().unwrap_or(1).max(1)).iter().for_each(|number| bytes.extend_from_slice(&number.to_ne_bytes()));
        }
    }
    bytes.resize(bytes.len().next_multiple_of(NUMBER), 0);
    bytes.extend_from_slice(given);
    let blocks = if shape.together { groups } else { groups.div_ceil(THREADS) };
    queue.launch(
        kernel.numbered(usize::from(shape.together)),
        u32::try_from(blocks.clamp(1, 1 << 20)).unwrap_or(1),
        THREADS as u32,
        &mut bytes,
    )
}
