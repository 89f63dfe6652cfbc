//! Indexing with tensors among integers, ranges and new axes: `x.index((.., &rows, 0))`. Integers and ranges first make a view, as
//! [`Tensor::i`] does; the tensors then choose from that, as [`indexing::index`](crate::indexing::index) says.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::{IndexEntry, Operand, Tensor, made};
use crate::call::{Call, CallArgument, Destination, Function, run};
use crate::convert::Written;
use crate::element::Element;
use crate::elementwise::{Params, RawOperand as Erased};
use crate::error::{Error, Result};
use crate::index::{Entry, Span};
use crate::indexing::Accumulate;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::shape::Shape;

/// One entry of an index with tensors.
#[derive(Clone, Copy, Debug)]
pub enum Selector<'a> {
    /// What a view can do: an integer, a range, a new axis, all dimensions that the rest doesn't speak of.
    Entry(Entry),
    /// Indices along a dimension, or a mask for as many dimensions as it has.
    Tensor(&'a RawTensor),
}

/// What may stand in an index with tensors: an entry of [`Tensor::i`], or a tensor of integers or bools.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an entry of an index",
    label = "not an entry of an index",
    note = "entries are integers, ranges (`..`, `1..`), `step(1..-1, 2)`, `NewAxis`, `Ellipsis`, and tensors: `&rows`, `x.gt(0)`"
)]
pub trait Selects {
    /// The entry as a value.
    fn selector(&self) -> Selector<'_>;
}

impl<T: IndexEntry> Selects for T {
    fn selector(&self) -> Selector<'_> {
        Selector::Entry(self.entry())
    }
}

impl<E: Element, S: Shape> Selects for Tensor<E, S> {
    fn selector(&self) -> Selector<'_> {
        Selector::Tensor(self.raw())
    }
}

impl<E: Element, S: Shape> Selects for &Tensor<E, S> {
    fn selector(&self) -> Selector<'_> {
        Selector::Tensor(self.raw())
    }
}

impl Selects for Selector<'_> {
    fn selector(&self) -> Selector<'_> {
        *self
    }
}

/// An index with tensors: one entry, or a tuple, an array or a slice of entries.
#[diagnostic::on_unimplemented(
    message = "a tensor can't be indexed with `{Self}`",
    label = "not an index",
    note = "an index is one entry or a tuple of them: integers, ranges, `NewAxis`, `Ellipsis`, and tensors (`&rows`, `x.gt(0)`)"
)]
pub trait Selection {
    /// The entries.
    fn selectors(&self) -> SmallVec<[Selector<'_>; 6]>;
}

impl<T: Selects> Selection for T {
    fn selectors(&self) -> SmallVec<[Selector<'_>; 6]> {
        SmallVec::from_iter([self.selector()])
    }
}

impl Selection for [Selector<'_>] {
    fn selectors(&self) -> SmallVec<[Selector<'_>; 6]> {
        self.into()
    }
}

impl<const N: usize> Selection for [Selector<'_>; N] {
    fn selectors(&self) -> SmallVec<[Selector<'_>; 6]> {
        self.as_slice().into()
    }
}

macro_rules! tuples {
    ($($($entry:ident $at:tt)+;)+) => { $(
        impl<$($entry: Selects),+> Selection for ($($entry,)+) {
            fn selectors(&self) -> SmallVec<[Selector<'_>; 6]> {
                SmallVec::from_iter([$(self.$at.selector()),+])
            }
        }
    )+ };
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 F 4;
    A 0 B 1 C 2 D 3 F 4 G 5;
}

fn is_mask(index: &RawTensor) -> bool {
    matches!(index.dtype(), DType::Bool | DType::U8)
}

/// A view, and one index for each of its first dimensions.
type SelectedView = (RawTensor, Vec<Option<RawTensor>>);

/// Lets a view do what a view can, and leaves the rest to the tensors.
fn choose(input: &RawTensor, selectors: &[Selector<'_>]) -> Result<SelectedView> {
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

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's indexing with tensors, `x[i, :, mask]`: a copy of what they choose, or a view where there is no tensor among the entries.
    ///
    /// Tensors of integers name places along a dimension and broadcast with each other; negative ones count from the end. A mask stands
    /// for as many dimensions as it has. The shape of the indices takes the place of the dimensions that they stand for, or comes first
    /// where these aren't neighbours. Integers are taken first.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
    /// let (rows, columns) = (Tensor::from([0_i64, 1]), Tensor::from([-1_i64, 0]));
    /// assert_eq!(x.index((&rows, &columns))?.to_vec(), [3, 4]);
    /// assert_eq!(x.index((.., &columns))?.to_vec(), [3, 1, 6, 4]);
    /// assert_eq!(x.index(&x.gt(4))?.to_vec(), [5, 6]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// For more entries than dimensions, indices out of range, and shapes that don't fit.
    pub fn index(&self, selection: impl Selection) -> Result<Tensor<E>> {
        let (view, indices) = choose(self.raw(), &selection.selectors())?;
        if indices.iter().all(Option::is_none) {
            return Ok(Tensor::proved(view));
        }
        let indices: Vec<Option<&RawTensor>> = indices.iter().map(Option::as_ref).collect();
        made(Function::Index, &[(&view).into(), (&indices[..]).into()])
    }

    /// PyTorch's `x[i, :, mask] = values`, and `index_put_`: values where [`index`](Tensor::index) would read, to whose shape they
    /// broadcast; a number goes everywhere.
    ///
    /// ```
    /// # use latten_core::{indexing::Accumulate, tensor::Tensor};
    /// let mut counts = Tensor::from([0, 0, 0]);
    /// counts.index_put_(&Tensor::from([2_i64, 0, 2]), 1, Accumulate::Yes)?;
    /// assert_eq!(counts.to_vec(), [1, 0, 2]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`index`](Tensor::index), where the values don't broadcast or have another dtype, and where memory overlaps; nothing is changed then.
    pub fn index_put_<X: Operand>(&mut self, selection: impl Selection, values: X, accumulate: Accumulate) -> Result<&mut Self> {
        let (mut view, indices) = choose(self.raw(), &selection.selectors())?;
        let values = match values.erased() {
            Erased::Tensor(values) => values.clone(),
            Erased::Scalar(number) => {
                number.check(view.dtype(), Written::Many)?;
                RawTensor::from_scalar(number, view.dtype())?
            }
        };
        if indices.iter().any(Option::is_some) {
            let indices: Vec<Option<&RawTensor>> = indices.iter().map(Option::as_ref).collect();
            run(Call::in_place(Function::IndexPut, &mut view, &[(&indices[..]).into(), (&values).into(), accumulate.into()]))?;
        } else if accumulate == Accumulate::Yes {
            run(Call::elementwise(Op::Add, &[(&values).into()], &Params::none(), Destination::InPlace(&mut view)))?;
        } else {
            run(Call::in_place(Function::Copy, &mut view, &[(&values).into()]))?;
        }
        Ok(self)
    }
}
