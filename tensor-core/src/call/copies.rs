//! Views that are copied, and copies of tensors with others in some of their parts: declared in terms of the calls that make those views.

use latten_spec::reduction::Reduction;

use super::value::{Value, unary};
use super::{Call, CallArgument, Function, Outcome, one, run};
use crate::create::Options;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::geometry::overlap::{SelfOverlap, self_overlap};
use crate::geometry::strides::is_non_overlapping_and_dense;
use crate::geometry::wrap_dim;
use crate::indexing::{self, Padding};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::room::room;
use crate::scalar::Scalar;
use crate::views::signed;
use latten_spec::operation::Op;

/// A tensor before further arguments.
fn before<'a>(input: &'a RawTensor, rest: &[CallArgument<'a>]) -> Vec<CallArgument<'a>> {
    [CallArgument::Tensor(input)].into_iter().chain(rest.iter().copied()).collect()
}

/// A row-major copy.
pub(super) fn cloned(to: Target<'_>, input: &RawTensor) -> Result<RawTensor> {
    to.last(Function::Clone, &[input.into(), MemoryFormat::Contiguous.into()])
}

/// A copy of what a call makes a view of.
pub(super) fn of(to: Target<'_>, input: &RawTensor, view: Function, rest: &[CallArgument<'_>]) -> Result<RawTensor> {
    cloned(to, &one(view, &before(input, rest))?)
}

/// Copies of all views that a call makes.
pub(super) fn each_of(input: &RawTensor, views: Function, rest: &[CallArgument<'_>]) -> Result<Vec<RawTensor>> {
    let views = run(Call::new(views, &before(input, rest)))?.several()?;
    let mut copies = room(views.len())?;
    for view in &views {
        copies.push(cloned(Target::New, view)?);
    }
    Ok(copies)
}

/// PyTorch's `narrow_copy`.
pub(super) fn narrowed(to: Target<'_>, input: &RawTensor, dim: isize, start: isize, length: isize) -> Result<RawTensor> {
    let expected = |what: &str| {
        Error::runtime(format!(
            "Expected {what} to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement \
             request to PyTorch.)"
        ))
    };
    if input.rank() > 0 && dim >= input.rank().cast_signed() {
        return Err(expected("dim < static_cast<int64_t>(self_sizes.size())"));
    }
    if length < 0 && input.rank() > 0 {
        let size = input.sizes()[wrap_dim(dim, input.rank())?];
        let last = size.cast_signed();
        if !(-last..=last).contains(&start) {
            return Err(Error::index(format!("start out of range (expected to be in range of [{}, {last}], but got {start})", -last)));
        }
        let start = if start < 0 { start.saturating_add_unsigned(size) } else { start };
        return Err(Error::runtime(format!("start ({start}) + length ({length}) exceeds dimension size ({size}).")));
    }
    if to.tensor().is_some_and(|out| out.dtype() != input.dtype()) {
        return Err(expected("self.dtype() == output.dtype()"));
    }
    to.take(of(to, input, Function::Narrow, &[dim.into(), start.into(), length.into()])?)
}

/// The arguments of a slice, whose step other calls than slices refuse in words of their own.
pub(super) fn slice(input: &RawTensor, dim: isize, ends: [Option<isize>; 2], step: isize) -> Result<[CallArgument<'static>; 4]> {
    if input.rank() > 0 {
        wrap_dim(dim, input.rank())?;
        if step <= 0 {
            return Err(Error::runtime("slice step must be positive"));
        }
    }
    let [start, end] = ends;
    Ok([dim.into(), start.into(), end.into(), step.into()])
}

/// A copy of a tensor in which another one lies where a call makes a view.
pub(super) fn with_part(input: &RawTensor, source: &RawTensor, view: Function, rest: &[CallArgument<'_>]) -> Result<RawTensor> {
    let whole = alike(input, view == Function::AsStrided)?;
    put_into(&whole, source, view, rest)?;
    Ok(whole)
}

/// A copy that lies in its storage as the tensor does, unless elements of that coincide; with all that the storage holds, or what is before the
/// last element.
fn alike(input: &RawTensor, all: bool) -> Result<RawTensor> {
    let (sizes, strides, offset) = (signed(input.sizes()), signed(input.strides()), input.storage_offset());
    let dense = !all && offset == 0 && is_non_overlapping_and_dense(input.sizes(), input.strides());
    if dense || input.is_meta() || self_overlap(input.geometry()) != SelfOverlap::None {
        return one(Function::Clone, &[input.into(), MemoryFormat::Preserve.into()]);
    }
    let held = if all { input.storage().nbytes() / input.dtype().itemsize() } else { input.geometry().needed_bytes(1)? };
    let count = held.cast_signed();
    let row = one(Function::AsStrided, &[input.into(), CallArgument::Ints(&[count]), CallArgument::Ints(&[1]), 0.into()])?;
    let copy = one(Function::Clone, &[(&row).into()])?;
    let back = [(&copy).into(), CallArgument::Ints(&sizes), CallArgument::Ints(&strides), offset.cast_signed().into()];
    one(Function::AsStrided, &back)
}

fn put_into(whole: &RawTensor, source: &RawTensor, view: Function, rest: &[CallArgument<'_>]) -> Result<()> {
    let mut part = one(view, &before(whole, rest))?;
    if part.sizes() != source.sizes() {
        let (found, wanted) = (source.sizes(), part.sizes());
        return Err(Error::runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {found:?}, slice size = {wanted:?}"
        )));
    }
    run(Call::in_place(Function::Copy, &mut part, &[source.into()])).map(drop)
}

/// PyTorch's `fill_diagonal_`: a number where all indices are equal. With `wrap` the diagonal of a matrix starts anew one row below its end.
pub(super) fn fill_diagonal(input: &RawTensor, value: Scalar, wrap: bool) -> Result<()> {
    let (&[height, width, ..], strides) = (input.sizes(), input.strides()) else {
        return Err(Error::runtime("dimensions must larger than 1"));
    };
    if input.rank() > 2 && input.sizes().iter().any(|&size| size != height) {
        return Err(Error::runtime("all dimensions of input must be of equal length"));
    }
    let step = strides.iter().fold(0_usize, |step, &stride| step.saturating_add(stride));
    let fill = |sizes: &[usize], strides: &[usize], row: usize| {
        let (offset, sizes, strides) = (input.storage_offset() + row * input.strides()[0], signed(sizes), signed(strides));
        let arguments = [input.into(), CallArgument::Ints(&sizes), CallArgument::Ints(&strides), offset.cast_signed().into()];
        run(Call::in_place(Function::Fill, &mut one(Function::AsStrided, &arguments)?, &[value.into()])).map(drop)
    };
    if !(wrap && input.rank() == 2 && height > width + 1 && width > 0) {
        return fill(&[height.min(width)], &[step], 0);
    }
    // Those that are whole lie as far from each other as they are long, and one row.
    let (period, whole) = (width + 1, (height - width) / (width + 1) + 1);
    fill(&[whole, width], &[period * strides[0], step], 0)?;
    match height.checked_sub(whole * period) {
        None | Some(0) => Ok(()),
        Some(rest) => fill(&[rest], &[step], whole * period),
    }
}

/// PyTorch's `diag_embed`: the last dimension becomes the diagonal of two.
pub(super) fn diag_embed(input: &RawTensor, offset: isize, dim1: isize, dim2: isize) -> Result<RawTensor> {
    let rank = input.rank() + 1;
    let (first, second) = (wrap_dim(dim1, rank)?, wrap_dim(dim2, rank)?);
    if first == second {
        return Err(Error::runtime(format!("diagonal dimensions cannot be identical {dim1}, {dim2}")));
    }
    let Some((&length, outer)) = input.sizes().split_last() else {
        return Err(Error::index("Dimension specified as -1 but tensor has no dimensions"));
    };
    let side = length.checked_add(offset.unsigned_abs()).ok_or_else(|| Error::runtime("diag_embed: the result is too large"))?;
    let mut sizes = outer.to_vec();
    for place in [first.min(second), first.max(second)] {
        sizes.insert(place, side);
    }
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    let whole = RawTensor::zeros(&sizes, &options)?;
    put_into(&whole, input, Function::Diagonal, &[offset.into(), first.cast_signed().into(), second.cast_signed().into()])?;
    Ok(whole)
}

/// PyTorch's `diagflat`: all elements on the diagonal of a matrix.
pub(super) fn diagflat(input: &RawTensor, offset: isize) -> Result<RawTensor> {
    let row = one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1])])?;
    diag_embed(&row, offset, -2, -1)
}

/// PyTorch's `H` and `mH`: rows for columns, and conjugates.
pub(super) fn conjugate_transpose(input: &RawTensor, name: &str) -> Result<RawTensor> {
    let rank = input.rank();
    let refused = match name {
        "H" if rank > 2 => Some(format!(
            "tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor. For batches of matrices, consider using tensor.mH"
        )),
        "H" if rank == 1 => Some("tensor.H is only supported on matrices (2-D tensors). Got 1-D tensor.".to_owned()),
        _ if rank == 1 => Some(format!("tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")),
        _ => None,
    };
    match refused {
        Some(text) => Err(Error::runtime(text)),
        None if rank == 0 => unary(Op::Conj, &input.into()).tensor(),
        None => unary(Op::Conj, &Value::from(input).then(Function::MT, &[])?).tensor(),
    }
}

/// PyTorch's `sum_to_size`: the sum over dimensions that broadcasting has added or stretched.
pub(super) fn sum_to_size(input: &RawTensor, size: &[isize]) -> Result<RawTensor> {
    let sizes = signed(input.sizes());
    let added = sizes.len().checked_sub(size.len());
    let fits = |(own, &asked): (&isize, &isize)| *own == asked || asked == 1;
    let Some(added) = added.filter(|&added| sizes[added..].iter().zip(size).all(fits)) else {
        return Err(Error::runtime(format!("size {{{size:?}}} is not expandable to size {{{sizes:?}}}.")));
    };
    let stretched = |at: &usize| *at < added || size[*at - added] == 1 && sizes[*at] != 1;
    if size.is_empty() {
        return Value::from(input).reduced(Reduction::Sum, &Along::all())?.tensor();
    }
    let dims: Vec<isize> = (0..sizes.len()).filter(stretched).map(usize::cast_signed).collect();
    if dims.is_empty() {
        return one(Function::View, &[input.into(), CallArgument::Ints(&sizes)]);
    }
    let sum = Value::from(input).reduced(Reduction::Sum, &Along::dims(&dims).keep(Keep::Yes))?;
    if added == 0 { sum.tensor() } else { sum.then(Function::View, &[CallArgument::Ints(size)])?.tensor() }
}

/// PyTorch's `broadcast_shapes`.
pub(super) fn broadcast_shapes(shapes: &[Vec<isize>]) -> Result<Outcome> {
    let mut found: Vec<isize> = vec![1; shapes.iter().map(Vec::len).max().unwrap_or(0)];
    for (at, shape) in shapes.iter().enumerate() {
        let start = found.len() - shape.len();
        for (place, &size) in shape.iter().enumerate() {
            if size < 0 {
                return Err(Error::value("Attempting to broadcast a dimension with negative length!"));
            }
            let own = found[start + place];
            if size == 1 || size == own {
                continue;
            }
            if own != 1 {
                let behind = shape.len() - place;
                let listed = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let listed = if shape.len() == 1 { format!("{listed},") } else { listed };
                return Err(Error::runtime(format!(
                    "Attempting to broadcast a dimension of length {size} at -{behind}! Mismatching argument at index {at} had ({listed}); but \
                     expected shape should be broadcastable to {found:?}"
                )));
            }
            found[start + place] = size;
        }
    }
    Ok(Outcome::Ints(found.into_iter().map(|size| size as i64).collect()))
}

/// PyTorch's `_chunk_cat`: tensors cut into so many parts, with zeros behind the last one, and all their first parts side by side, all their
/// second ones, and so on.
pub(super) fn chunk_cat(to: Target<'_>, tensors: &[&RawTensor], dim: isize, chunks: isize) -> Result<RawTensor> {
    let refused = |text: &str| Err(Error::runtime(format!("_chunk_cat expects {text}")));
    let Some(first) = tensors.first() else { return refused("a non-empty input tensor list") };
    if chunks < 1 {
        return refused("positive num_chunks");
    }
    if tensors.iter().any(|tensor| tensor.numel() == 0) {
        return refused("non-empty tensor");
    }
    if tensors.iter().any(|tensor| tensor.dtype() != first.dtype()) {
        return refused("all input tensors with the same dtype");
    }
    if dim < 0 && tensors.iter().any(|tensor| tensor.rank() != first.rank()) {
        return refused("non-negative dim when input tensors have different ndims");
    }
    let place = wrap_dim(dim, first.rank())?;
    if tensors.iter().any(|tensor| tensor.rank() <= place) {
        return refused("dim < ndim for all input tensors");
    }
    if tensors.iter().any(|tensor| tensor.sizes()[..place] != first.sizes()[..place]) {
        return refused("same sizes of 0,...,dim-1 dimensions for all tensors");
    }
    let cut = |tensor: &&RawTensor| {
        let size = tensor.sizes()[place].cast_signed();
        let mut pad = vec![0; 2 * (tensor.rank() - place)];
        if let Some(behind) = pad.last_mut() {
            *behind = (chunks - size % chunks) % chunks;
        }
        let padded = one(Function::ConstantPadNd, &[(*tensor).into(), pad[..].into(), 0.into()])?;
        let sizes = [&signed(&tensor.sizes()[..place])[..], &[chunks, -1]].concat();
        one(Function::Reshape, &[(&padded).into(), sizes[..].into()])
    };
    let parts = tensors.iter().map(cut).collect::<Result<Vec<_>>>()?;
    to.last(Function::Cat, &[CallArgument::Tensors(&parts.iter().collect::<Vec<_>>()), (place.cast_signed() + 1).into()])
}

/// The same where a target says.
pub(super) fn chunk_cat_to(to: Target<'_>, found: RawTensor) -> Result<RawTensor> {
    match to.tensor().map(RawTensor::dtype).filter(|&out| !latten_spec::can_cast(found.dtype(), out)) {
        Some(out) => {
            let out = out.message_name();
            Err(Error::type_error(format!("torch.cat(): input types can't be cast to the desired output type {out}")))
        }
        None => to.take(found),
    }
}

/// PyTorch's `constant_pad_nd`, which says of amounts what `pad` says in other words.
pub(super) fn constant_pad_nd(input: &RawTensor, amounts: &[isize], value: Scalar) -> Result<RawTensor> {
    let (count, rank) = (amounts.len(), input.rank());
    if !count.is_multiple_of(2) {
        return Err(Error::runtime(format!("Length of pad must be even but instead it equals {count}")));
    }
    if count > 2 * rank {
        return Err(Error::runtime(format!(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {count}while the input has \
             {rank}dimensions."
        )));
    }
    indexing::pad(input, amounts, Padding::Constant(value))
}
