//! Indexing with tensors as values, among integers, ranges and new axes: `x.index((.., &rows, 0))`. What such an index does is in `choice.rs`.

use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::choice::{Selector, Selectors, choose, chosen};
use super::path::{EntryList, Path, Several};
use super::{IndexEntry, Operand, Tensor};
use crate::call::{Call, Destination, Function, run};
use crate::convert::Written;
use crate::element::Element;
use crate::elementwise::{Params, RawOperand as Erased};
use crate::error::Result;
use crate::indexing::Accumulate;
use crate::raw::RawTensor;
use crate::shape::Shape;

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
    fn selectors(&self) -> Selectors<'_>;
}

impl<T: Selects> Selection for T {
    fn selectors(&self) -> Selectors<'_> {
        SmallVec::from_iter([self.selector()])
    }
}

impl<Front: EntryList, Back: EntryList> Selection for Path<Front, Back> {
    fn selectors(&self) -> Selectors<'_> {
        self.all_selectors()
    }
}

impl<I: Selection> Selection for Several<I> {
    fn selectors(&self) -> Selectors<'_> {
        self.0.selectors()
    }
}

impl Selection for [Selector<'_>] {
    fn selectors(&self) -> Selectors<'_> {
        self.into()
    }
}

impl<const N: usize> Selection for [Selector<'_>; N] {
    fn selectors(&self) -> Selectors<'_> {
        self.as_slice().into()
    }
}

/// Tensors of one type, as [`nonzero_as_tuple`](Tensor::nonzero_as_tuple) gives them.
macro_rules! lists {
    ($([$($generics:tt)*] $list:ty;)+) => { $(
        impl<E: Element, S: Shape $($generics)*> Selection for $list {
            fn selectors(&self) -> Selectors<'_> {
                self.iter().map(Selects::selector).collect()
            }
        }
    )+ };
}

lists! {
    [, const N: usize] [Tensor<E, S>; N];
    [, const N: usize] &[Tensor<E, S>; N];
    [] Vec<Tensor<E, S>>;
    [] &Vec<Tensor<E, S>>;
    [] &[Tensor<E, S>];
}

macro_rules! tuples {
    ($($($entry:ident $at:tt)+;)+) => { $(
        impl<$($entry: Selects),+> Selection for ($($entry,)+) {
            fn selectors(&self) -> Selectors<'_> {
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
        chosen(self.raw(), &selection.selectors()).map(Tensor::proved)
    }

    as_written! {
        /// PyTorch's `x[i, :, mask] = values`, and `index_put_`: values where [`index`](Tensor::index) would read, to whose shape they
        /// broadcast; a number goes everywhere.
        ///
        /// ```
        /// # use latten_core::{indexing::Accumulate, tensor::Tensor};
        /// let mut counts = Tensor::from([0, 0, 0]);
        /// counts.index_put_(&Tensor::from([2_i64, 0, 2]), 1)?;
        /// assert_eq!(counts.to_vec(), [1, 0, 1]);
        /// counts.index_put_with_(&Tensor::from([2_i64, 0, 2]), 1, Accumulate::Yes)?;
        /// assert_eq!(counts.to_vec(), [2, 0, 3]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// As [`index`](Tensor::index), where the values don't broadcast or have another dtype, and where memory overlaps; nothing is changed then.
        pub fn index_put_<X: Operand>( // with accumulate: x.index_put_with_((&i, &j), &y, true)?
            &mut self,
            selection: impl Selection,
            values: X,
        ) -> Result<&mut Self> {
            self.index_put_with_(selection, values, Accumulate::No)
        }
    }

    /// The same, or added to what is there: PyTorch's `accumulate`, an [`Accumulate`], or whether.
    ///
    /// # Errors
    /// As [`index_put_`](Tensor::index_put_).
    pub fn index_put_with_<X: Operand>(
        &mut self,
        selection: impl Selection,
        values: X,
        accumulate: impl Into<Accumulate>,
    ) -> Result<&mut Self> {
        let accumulate = accumulate.into();
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
