//! Elements by a mask: `masked_fill`, `masked_select`, and `nonzero`, which says where they are.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, Offsets, PART, check_data, dense, each_block, reader};
use crate::convert::Written;
use crate::dtype::cpp_name;
use crate::element::Native;
use crate::elementwise::{Params, RawOperand, apply_out};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::broadcast::{broadcast_shapes, check_output_shape};
use crate::geometry::overlap::{Relation, SelfOverlap, partial_overlap_error, self_overlap};
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Piece, Reader, Writer};
use crate::kernels::parts::{collect, hand_out};
use crate::kernels::places::{Places, PlacesMut, SPARE, by_size};
use crate::layout::MemoryFormat;
use crate::outputs::{aside, is_disturbed};
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};
use crate::views::{broadcast_tensors, signed};

fn check_mask(mask: &RawTensor) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    let dtype = cpp_name(mask.dtype());
    Err(Error::runtime(format!("masked_fill_ only supports boolean masks, but got mask with dtype {dtype}")))
}

/// The number that a value is which fills parts of a tensor: a tensor must have no dimensions. Between meta tensors it is whichever.
pub(crate) fn filling(call: &str, value: RawOperand<'_>, tensor: &RawTensor) -> Result<Scalar> {
    match value {
        RawOperand::Scalar(number) => Ok(number),
        RawOperand::Tensor(value) if value.rank() == 0 && value.is_meta() && tensor.is_meta() => Ok(Scalar::Bool(false)),
        RawOperand::Tensor(tensor) if tensor.rank() == 0 => tensor.item(),
        RawOperand::Tensor(tensor) => Err(Error::runtime(format!(
            "{call} only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            tensor.rank()
        ))),
    }
}

/// A number as an element of a dtype, which it must fit.
pub(super) fn as_element(number: Scalar, dtype: DType) -> Result<RawTensor> {
    number.check(dtype, Written::Many)?;
    RawTensor::from_scalar(number, dtype)
}

/// Puts the value where the mask holds, and the input's elements elsewhere.
fn blend(mask: &RawTensor, value: &RawTensor, input: &RawTensor, out: &RawTensor) -> Result<()> {
    let (value, input, mut out) = (value.as_bits(), input.as_bits(), out.as_bits());
    apply_out(Op::Where, &[mask.into(), (&value).into(), (&input).into()], &mut out, &Params::none()).map(drop)
}

/// PyTorch's `masked_fill`: a copy with a number wherever the mask holds. The tensor and the mask broadcast.
///
/// # Errors
/// Where the mask isn't bool, the shapes don't broadcast, or the number doesn't fit the dtype.
pub fn masked_fill(input: &RawTensor, mask: &RawTensor, value: RawOperand<'_>) -> Result<RawTensor> {
    let sizes = broadcast_shapes(&[mask.sizes(), input.sizes()])?;
    let value = filling("masked_fill_", value, input)?;
    check_mask(mask)?;
    let value = as_element(value, input.dtype())?;
    let out = dense(&sizes, input.dtype(), input)?;
    if !out.is_meta() {
        blend(mask, &value, input, &out)?;
    }
    Ok(out)
}

/// PyTorch's `masked_fill_`.
///
/// # Errors
/// As [`masked_fill`], and where the mask doesn't broadcast to the tensor's shape, or their memory overlaps; then nothing was changed.
pub fn masked_fill_in_place(tensor: &RawTensor, mask: &RawTensor, value: RawOperand<'_>) -> Result<()> {
    let value = filling("masked_fill_", value, tensor)?;
    check_mask(mask)?;
    let mask = match mask.relation_to(tensor) {
        Relation::PartialDense => return Err(partial_overlap_error()),
        Relation::Disjoint => mask.clone(),
        Relation::Identical | Relation::Mixed => mask.clone_as(MemoryFormat::Preserve)?,
    };
    check_output_shape(tensor.sizes(), &broadcast_shapes(&[tensor.sizes(), mask.sizes()])?)?;
    let value = as_element(value, tensor.dtype())?;
    if tensor.is_meta() || tensor.numel() == 0 {
        return Ok(());
    }
    if self_overlap(tensor.geometry()) == SelfOverlap::None {
        return blend(&mask, &value, tensor, tensor);
    }
    // An element that stands for several is filled if the mask holds for one of them.
    let mask = mask.expand(&signed(tensor.sizes()))?;
    by_size!(tensor.dtype(), T => fill_at::<T>(tensor, &value, &mask))
}

fn fill_at<T: Native>(tensor: &RawTensor, value: &RawTensor, mask: &RawTensor) -> Result<()> {
    let access = Access::lock(&[tensor.storage()], &[value.storage(), mask.storage()])?;
    tensor.check_inside()?;
    let value = Places::<T>::new(&access, value.storage())?.get(0);
    let (walk, mut to) = (Offsets::of(tensor), PlacesMut::<T>::new(&access, tensor.storage())?);
    let truths = reader::<bool>(&access, mask)?;
    each_block(&truths, 0..mask.numel(), &mut |first, block| {
        (first..).zip(block).filter(|(_, truth)| **truth).for_each(|(element, _)| to.set(walk.place(element), value));
    });
    Ok(())
}

/// The elements of a tensor that aren't zero, by their numbers in row-major order: counted first, so that nothing but a result has room
/// for them all.
struct Trues<'a> {
    reader: Reader<'a, bool>,
    /// Of all elements, how many there are.
    numel: usize,
    /// How many elements a part has.
    part: usize,
    /// Before each part, how many aren't zero; and at last of all.
    before: Vec<usize>,
}

impl<'a> Trues<'a> {
    /// Of a tensor whose storage is held.
    fn new(access: &'a Access<'_>, tensor: &RawTensor) -> Result<Self> {
        /// More parts need more memory, and keep no more threads at work.
        const PARTS: usize = 1 << 12;
        let (reader, numel) = (reader::<bool>(access, tensor)?, tensor.numel());
        let part = PART.max(numel.div_ceil(PARTS));
        let counts = collect(numel.div_ceil(part), &|at| {
            let mut count = 0;
            each_block(&reader, at * part..numel.min((at + 1) * part), &mut |_, block| {
                // Of so few that a byte holds their number: vectors have most of those.
                for truths in block.chunks(128) {
                    count += usize::from(truths.iter().fold(0_u8, |count, &truth| count + u8::from(truth)));
                }
            });
            count
        });
        let mut before = vec![0];
        before.extend(counts.into_iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        }));
        Ok(Self { reader, numel, part, before })
    }

    fn count(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    /// Copies those of a part, where all elements lie next to each other from a place on.
    fn chosen<T: Native + Default>(&self, at: usize, from: &Places<'_, T>, start: usize, to: &mut Piece<'_, T>) {
        let (mut found, mut before) = ([T::default(); BLOCK + SPARE], 0);
        each_block(&self.reader, at * self.part..self.numel.min((at + 1) * self.part), &mut |first, block| {
            let len = from.choose(start + first, block, &mut found);
            to.room(before, len).copy_from_slice(&found[..len]);
            to.put(before, len);
            before += len;
        });
    }

    /// Calls a function with the numbers of neighbours among those of a part that aren't zero, and with how many came before these.
    fn part(&self, at: usize, some: &mut dyn FnMut(usize, &[usize])) {
        let mut before = 0;
        each_block(&self.reader, at * self.part..self.numel.min((at + 1) * self.part), &mut |first, block| {
            let (mut found, mut len) = ([0; BLOCK], 0);
            for (truths, number) in block.chunks(8).zip((first..).step_by(8)) {
                if truths == [true; 8] {
                    for (to, number) in found[len..][..8].iter_mut().zip(number..) {
                        *to = number;
                    }
                    len += 8;
                    continue;
                }
                // Without a branch, so that it doesn't matter how the truths are mixed.
                for (number, &truth) in (number..).zip(truths) {
                    found[len] = number;
                    len += usize::from(truth);
                }
            }
            some(before, &found[..len]);
            before += len;
        });
    }
}

/// PyTorch's `masked_select`: the elements for which the mask holds, in one dimension. The tensor and the mask broadcast.
///
/// # Errors
/// Where the mask isn't bool, the shapes don't broadcast, and for meta tensors.
pub fn masked_select(input: &RawTensor, mask: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime("masked_select: expected BoolTensor for mask"));
    }
    if target.tensor().is_some_and(|out| out.dtype() != input.dtype()) {
        return Err(Error::runtime("masked_select(): self and result must have the same scalar type"));
    }
    let both = broadcast_tensors(&[mask, input])?;
    check_data(mask, "masked_select")?;
    check_data(input, "masked_select")?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::finished(on_device::masked_select(&both[1], &both[0])?, target);
    }
    let shape = |count| (Dims::from_slice(&[count]), Dims::from_slice(&[1]));
    by_truths(
        &both[0],
        &both[1],
        input.dtype(),
        target,
        &shape,
        &|trues, access, elements, to, out| by_size!(input.dtype(), T => select_as::<T>(trues, (access, &elements.as_bits()), (to, &out.as_bits()))),
    )
}

fn select_as<T: Native + Default>(
    trues: &Trues<'_>,
    (access, elements): (&Access<'_>, &RawTensor),
    (to, out): (&Access<'_>, &RawTensor),
) -> Result<()> {
    let (from, walk) = (Places::<T>::new(access, elements.storage())?, Offsets::of(elements));
    let mut writer = Writer::<T>::new(to, out, T::DTYPE, &[])?;
    let start = walk.only_run();
    hand_out(&mut writer.pieces_between(&trues.before), &|part, mut piece| match start {
        Some(start) => trues.chosen(part, &from, start, &mut piece),
        None => trues.part(part, &mut |before, found| {
            let room = piece.room(before, found.len());
            room.iter_mut().zip(found).for_each(|(to, &element)| *to = from.get(walk.place(element)));
            piece.put(before, found.len());
        }),
    });
    Ok(())
}

/// What writes a result: from the elements that aren't zero, of tensors that the first access holds, into one that the second holds.
type Write<'a> = &'a dyn Fn(&Trues<'_>, &Access<'_>, &RawTensor, &Access<'_>, &RawTensor) -> Result<()>;

/// Runs an operation whose result is as large as there are elements that aren't zero. They are counted and used under one lock, which holds
/// the output, too.
fn by_truths(
    truths: &RawTensor,
    elements: &RawTensor,
    dtype: DType,
    target: Target<'_>,
    shape: &dyn Fn(usize) -> (Dims, Dims),
    write: Write<'_>,
) -> Result<RawTensor> {
    let kept = [aside(truths, target)?, aside(elements, target)?];
    let given: Vec<&UntypedStorage> = target.tensor().map(RawTensor::storage).into_iter().collect();
    // What the size of a result depends on is read under its lock, so that what is offered is of no use.
    let target = if given.is_empty() { Target::New } else { target };
    loop {
        let access = Access::lock(&given, &kept.each_ref().map(RawTensor::storage))?;
        kept[1].check_inside()?;
        let trues = Trues::new(&access, &kept[0])?;
        let (sizes, strides) = shape(trues.count());
        let out = target.output(&sizes, &strides, dtype, elements)?;
        for tensor in [truths, elements] {
            is_disturbed(tensor, &out)?;
        }
        if target.is_new() {
            // Nobody else has it: its lock waits for nothing.
            let own = Access::lock(&[out.storage()], &[])?;
            write(&trues, &access, &kept[1], &own, &out)?;
        } else if out.check_inside().is_ok() {
            write(&trues, &access, &kept[1], &access, &out)?;
        } else {
            drop(access);
            out.fit_storage()?;
            continue;
        }
        drop(access);
        return Ok(out);
    }
}

/// The coordinates of elements, which come in order.
struct Odometer<'a> {
    sizes: &'a [usize],
    at: SmallVec<[usize; 4]>,
    element: usize,
}

impl<'a> Odometer<'a> {
    fn new(sizes: &'a [usize]) -> Self {
        Self { sizes, at: SmallVec::from_elem(0, sizes.len()), element: 0 }
    }

    fn advance(&mut self, element: usize) -> &[usize] {
        let mut rest = element - self.element;
        self.element = element;
        for (at, &size) in self.at.iter_mut().zip(self.sizes).rev() {
            let sum = *at + rest;
            if sum < size {
                *at = sum;
                break;
            }
            (*at, rest) = (sum % size, sum / size);
        }
        &self.at
    }
}

/// PyTorch's `nonzero`, which is `argwhere`: the coordinates of all elements that aren't zero, a row for each.
///
/// # Errors
/// For meta tensors.
pub fn nonzero(input: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    if let Some(out) = target.tensor().filter(|out| out.dtype() != DType::I64) {
        let found = out.dtype().message_name();
        return Err(Error::runtime(format!("nonzero: Expected out tensor to have scalar type Long but got scalar type{found}")));
    }
    check_data(input, "nonzero")?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::finished(on_device::nonzero(input)?, target);
    }
    let rank = input.rank();
    // As in PyTorch, the coordinates along one dimension lie next to each other.
    let shape = |count: usize| {
        let sizes = Dims::from_slice(&[count, rank]);
        let strides = if count == 0 || rank == 0 { contiguous_strides(&sizes) } else { Dims::from_slice(&[1, count]) };
        (sizes, strides)
    };
    by_truths(input, input, DType::I64, target, &shape, &|trues, _, _, to, out| coordinates(trues, input.sizes(), to, out))
}

fn coordinates(trues: &Trues<'_>, sizes: &[usize], to: &Access<'_>, out: &RawTensor) -> Result<()> {
    let count = trues.count();
    if out.numel() == 0 {
        return Ok(());
    }
    let columns = out.transpose(0, 1)?;
    let mut writer = Writer::<i64>::new(to, &columns, DType::I64, &[])?;
    let bounds: Vec<usize> = (0..sizes.len()).flat_map(|dim| trues.before.iter().map(move |before| dim * count + before)).collect();
    // Between the last of a column and the first of the next one there is a piece of nothing.
    let mut parts: Vec<Vec<Piece<'_, i64>>> = trues.before.iter().map(|_| Vec::with_capacity(sizes.len())).collect();
    for (at, piece) in writer.pieces_between(&bounds).enumerate() {
        parts[at % trues.before.len()].push(piece);
    }
    parts.pop();
    hand_out(&mut parts.into_iter(), &|part, mut pieces| {
        let mut odometer = Odometer::new(sizes);
        trues.part(part, &mut |before, found| {
            let mut columns: SmallVec<[&mut [i64]; 6]> = pieces.iter_mut().map(|piece| piece.room(before, found.len())).collect();
            if let [column] = &mut columns[..] {
                // The number of an element is its coordinate.
                column.iter_mut().zip(found).for_each(|(to, &element)| *to = element.cast_signed() as i64);
            } else {
                for (row, &element) in found.iter().enumerate() {
                    let at = odometer.advance(element);
                    columns.iter_mut().zip(at).for_each(|(column, &at)| column[row] = at.cast_signed() as i64);
                }
            }
            drop(columns);
            pieces.iter_mut().for_each(|piece| piece.put(before, found.len()));
        });
    });
    Ok(())
}
