//! Indexing with tensors, without types: integers and ranges first make a view, as [`Tensor::i`](super::Tensor::i) does; the tensors then choose
//! from that, as [`indexing::index`](crate::indexing::index) says.

use latten_spec::DType;
use smallvec::SmallVec;

use crate::call::{Call, CallArgument, Function, run};
use crate::error::{Error, Result};
use crate::index::{Entry, Span};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// One entry of an index with tensors.
#[derive(Clone, Copy, Debug)]
pub enum Selector<'a> {
    /// What a view can do: an integer, a range, a new axis, all dimensions that the rest doesn't speak of.
    Entry(Entry),
    /// Indices along a dimension, or a mask for as many dimensions as it has.
    Tensor(&'a RawTensor),
}

/// The entries of such an index, few enough to need no allocation.
pub type Selectors<'a> = SmallVec<[Selector<'a>; 6]>;

fn is_mask(index: &RawTensor) -> bool {
    matches!(index.dtype(), DType::Bool | DType::U8)
}

/// A view, and one index for each of its first dimensions.
type SelectedView = (RawTensor, Vec<Option<RawTensor>>);

/// Lets a view do what a view can, and leaves the rest to the tensors.
pub(super) fn choose(input: &RawTensor, selectors: &[Selector<'_>]) -> Result<SelectedView> {
    let mut entries: SmallVec<[Entry; 6]> = SmallVec::new();
    // Of each entry, what it leaves to choose by; and how many dimensions of the view that are.
    let mut tensors: Vec<(Option<RawTensor>, usize)> = Vec::new();
    let all = Span { start: None, end: None, step: 1 };
    for selector in selectors {
        match *selector {
            Selector::Entry(Entry::At(at)) => entries.push(Entry::At(at)),
            Selector::Entry(Entry::Ellipsis) => {
                entries.push(Entry::Ellipsis);
                tensors.push((None, usize::MAX));
            }
            Selector::Entry(entry) => {
                entries.push(entry);
                tensors.push((None, 1));
            }
            // As in PyTorch, one truth adds a dimension that has one place or none, and one integer is that integer.
            Selector::Tensor(index) if index.rank() == 0 && is_mask(index) => {
                entries.push(Entry::NewAxis);
                tensors.push((Some(run(Call::new(Function::View, &[index.into(), CallArgument::Ints(&[1])]))?.one()?), 1));
            }
            Selector::Tensor(index) if index.rank() == 0 && index.dtype().is_integral() => entries.push(Entry::At(place(index)?)),
            Selector::Tensor(index) => {
                let count = if is_mask(index) { index.rank() } else { 1 };
                entries.extend(std::iter::repeat_n(Entry::Span(all), count));
                tensors.push((Some(index.clone()), count));
            }
        }
    }
    let view = run(Call::new(Function::GetItem, &[input.into(), (&entries[..]).into()]))?.one()?;
    let spoken: usize = tensors.iter().map(|(_, count)| *count).filter(|count| *count != usize::MAX).sum();
    let mut indices = Vec::new();
    for (index, count) in tensors {
        match (index, count) {
            (None, usize::MAX) => indices.extend(std::iter::repeat_n(None, view.rank() - spoken)),
            (index, _) => indices.push(index),
        }
    }
    Ok((view, indices))
}

/// An index that is one number.
fn place(index: &RawTensor) -> Result<isize> {
    match index.item()? {
        Scalar::Int(at) => isize::try_from(at).map_err(|_| Error::index(format!("index {at} is out of bounds"))),
        other => Err(Error::index(format!("{other:?} is no index"))),
    }
}

/// What an index gives: a view, or a copy of what its tensors choose.
pub(super) fn chosen(input: &RawTensor, selectors: &[Selector<'_>]) -> Result<RawTensor> {
    let (view, indices) = choose(input, selectors)?;
    if indices.iter().all(Option::is_none) {
        return Ok(view);
    }
    let indices: Vec<Option<&RawTensor>> = indices.iter().map(Option::as_ref).collect();
    run(Call::new(Function::Index, &[(&view).into(), (&indices[..]).into()]))?.one()
}
