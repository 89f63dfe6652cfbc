//! The matrices of a tensor, one after the other, and how threads share them: each takes some neighbours at a time, as numbers that are computed
//! with, and has memory that serves one matrix after the other. Each matrix is worked on by itself, so that nothing depends on who did it.

use std::marker::PhantomData;

use super::number::MatrixNumber;
use super::spread::MatrixRoom;
use crate::convert::{CastFrom, cast_slice};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kernels::parts::hand_out;
use crate::outputs::readable;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::room::Refused;
use crate::storage::{Slice, TypedStorage, Workspace};

/// What is taken at a time, in products of numbers, and what a matrix takes at least.
const PART: usize = 1 << 16;
const LEAST: usize = 64;

/// What a thread does with some matrices.
type BatchPart<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

/// The matrices in the last two dimensions of a tensor, one after the other, which are computed with as other numbers. They are read where they
/// lie, while they are held. Of a meta tensor there are none, and what is made of them is a meta tensor, too.
pub(super) struct Batch<T: Native, N> {
    /// The tensor that has them, if there are any.
    source: Option<RawTensor>,
    numbers: Option<Slice<'static, T>>,
    pub(super) count: usize,
    pub(super) outer: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    computed: PhantomData<N>,
}

impl<T: Native + CastFrom<N>, N: MatrixNumber + CastFrom<T>> Batch<T, N> {
    /// All of a tensor, held.
    pub(super) fn of(tensor: &RawTensor) -> Result<Self> {
        let mut own = Self::unheld(tensor)?;
        own.hold()?;
        Ok(own)
    }

    /// The same before they are held.
    pub(super) fn unheld(tensor: &RawTensor) -> Result<Self> {
        let &[ref outer @ .., rows, columns] = tensor.sizes() else {
            return Err(Error::runtime("The input tensor A must have at least 2 dimensions."));
        };
        let meta = tensor.is_meta();
        let source = if meta || tensor.numel() == 0 { None } else { Some(readable::<T>(&tensor.to_dtype(T::DTYPE)?)?) };
        let count = if meta { 0 } else { outer.iter().product() };
        Ok(Self { source, numbers: None, count, outer: outer.to_vec(), rows, columns, computed: PhantomData })
    }

    /// Where they stand in the order in which operations take locks.
    pub(super) fn place(&self) -> Option<usize> {
        self.source.as_ref().map(|source| source.storage().place_in_order())
    }

    /// Has nobody write to them from now on.
    pub(super) fn hold(&mut self) -> Result<()> {
        if let Some(source) = &self.source {
            self.numbers = Some(TypedStorage::<T>::of(source.storage().clone()).slice()?);
            source.check_inside()?;
        }
        Ok(())
    }

    pub(super) fn sizes(&self, own: &[usize]) -> Vec<usize> {
        [&self.outer, own].concat()
    }

    /// The numbers of all matrices.
    pub(super) fn numbers(&self) -> &[T] {
        self.numbers.as_ref().map_or(&[], |numbers| &numbers[..self.count * self.rows * self.columns])
    }

    /// How many matrices are a part.
    fn some(&self) -> usize {
        (PART / (self.rows * self.columns * self.rows.min(self.columns) + LEAST)).max(1)
    }

    /// Where results may be written as they are found: of several parts one may be refused after others were written, so that an output has to wait.
    pub(super) fn at_once<'t>(&self, to: Target<'t>) -> Target<'t> {
        if self.count > self.some() { Target::New } else { to }
    }

    /// Works on each matrix, with memory for it and the results of some, of which its own have its number.
    ///
    /// # Errors
    /// Those of the work, of the first that is seen. The part that it is in is not written.
    pub(super) fn each<O: Shared, R>(
        &self,
        results: O,
        memory: impl Fn() -> R + Sync,
        work: impl Fn(&mut R, usize, &mut [N], &mut O::Wide) -> Result<()> + Sync,
    ) -> Result<()> {
        let own = Each::known(self.numbers(), self.rows * self.columns);
        self.share(own, results, &memory, &|memory, at, matrices, results| work(memory, at, matrices.of(at), results))
    }

    /// The same where what the matrices become is a result, too.
    ///
    /// # Errors
    /// As [`each`](Self::each).
    pub(super) fn change_each<O: Shared, R>(
        &self,
        to: MatrixRoom<'_, T>,
        results: O,
        memory: impl Fn() -> R + Sync,
        work: impl Fn(&mut R, usize, &mut WideNumbers<N>, &mut O::Wide) -> Result<()> + Sync,
    ) -> Result<()> {
        let own = Each::changed(self.numbers(), to, self.rows * self.columns);
        self.share(own, results, &memory, &work)
    }

    fn share<O: Shared, R>(
        &self,
        own: Each<'_, T, N>,
        results: O,
        memory: &(impl Fn() -> R + Sync),
        work: &(impl Fn(&mut R, usize, &mut WideNumbers<N>, &mut O::Wide) -> Result<()> + Sync),
    ) -> Result<()> {
        let (count, some, mut all) = (self.count, self.some(), (own, results));
        let part = |matrices, own: Each<'_, T, N>, results: O| -> Result<()> {
            let (mut memory, mut wide, mut computed) = (memory(), own.widen()?, results.widen()?);
            for at in 0..matrices {
                work(&mut memory, at, &mut wide, &mut computed)?;
            }
            own.narrow(wide);
            results.narrow(computed);
            Ok(())
        };
        // What is handed out is of one type, whatever is done, so that handing out is compiled once.
        let mut parts = (0..count).step_by(some).map(|first| -> BatchPart<'_> {
            let matrices = some.min(count - first);
            let (own, results) = all.first(matrices);
            Box::new(move || part(matrices, own, results))
        });
        let refused = Refused::default();
        hand_out(&mut parts, &|_, part| refused.note(part()));
        refused.answer()
    }
}

/// What belongs to matrices, in their order.
pub(super) trait Shared: Send {
    /// The same as numbers that are computed with.
    type Wide;
    /// Takes off what belongs to the first ones.
    fn first(&mut self, matrices: usize) -> Self;
    fn widen(&self) -> Result<Self::Wide>;
    fn narrow(self, wide: Self::Wide);
}

/// So many numbers of each matrix, which are computed with as others: where they are read, if they are there, and where they are written, if they
/// are a result.
pub(super) struct Each<'a, T, N> {
    from: &'a [T],
    to: MatrixRoom<'a, T>,
    each: usize,
    /// Of how many matrices, once they are taken off.
    matrices: usize,
    computed: PhantomData<fn() -> N>,
}

/// The same numbers as they are computed with.
pub(super) struct WideNumbers<N> {
    numbers: Workspace<N>,
    each: usize,
    withheld: bool,
}

impl<N: Native> WideNumbers<N> {
    /// The numbers of one of the matrices.
    pub(super) fn of(&mut self, at: usize) -> &mut [N] {
        &mut self.numbers[at * self.each..][..self.each]
    }

    /// Has nothing of them written: one of the matrices is refused.
    pub(super) fn withhold(&mut self) {
        self.withheld = true;
    }
}

impl<'a, T> Each<'a, T, T> {
    /// Those that are computed with as they are.
    pub(super) fn same(numbers: &'a mut [T], each: usize) -> Self {
        Self::new(numbers, each)
    }
}

impl<'a, T, N> Each<'a, T, N> {
    /// Those that are still to come.
    pub(super) fn new(to: &'a mut [T], each: usize) -> Self {
        Self::changed(&[], MatrixRoom::in_order(to), each)
    }

    /// Those that are there, and stay as they are.
    pub(super) fn known(from: &'a [T], each: usize) -> Self {
        Self::changed(from, MatrixRoom::in_order(&mut []), each)
    }

    /// Those that are there, and what they become.
    pub(super) fn changed(from: &'a [T], to: MatrixRoom<'a, T>, each: usize) -> Self {
        Self { from, to, each, matrices: 0, computed: PhantomData }
    }
}

impl<T: Native + CastFrom<N>, N: Native + CastFrom<T> + Default> Shared for Each<'_, T, N> {
    type Wide = WideNumbers<N>;

    fn first(&mut self, matrices: usize) -> Self {
        let (from, rest) = self.from.split_at((matrices * self.each).min(self.from.len()));
        self.from = rest;
        Self { from, to: self.to.first(matrices, self.each), matrices, ..*self }
    }

    #[inline(never)]
    fn widen(&self) -> Result<WideNumbers<N>> {
        let mut numbers = Workspace::new(self.matrices * self.each)?;
        if self.from.is_empty() {
            numbers.fill(N::default())
        } else {
            cast_slice(self.from, &mut numbers)
        }
        Ok(WideNumbers { numbers, each: self.each, withheld: false })
    }

    #[inline(never)]
    fn narrow(self, wide: WideNumbers<N>) {
        if !wide.withheld {
            self.to.put(&wide.numbers, self.each);
        }
    }
}

macro_rules! shared {
    ($($of:ident $at:tt),*) => {
        impl<$($of: Shared),*> Shared for ($($of,)*) {
            type Wide = ($($of::Wide,)*);

            fn first(&mut self, matrices: usize) -> Self {
                ($(self.$at.first(matrices),)*)
            }

            fn widen(&self) -> Result<Self::Wide> {
                Ok(($(self.$at.widen()?,)*))
            }

            fn narrow(self, wide: Self::Wide) {
                $(self.$at.narrow(wide.$at);)*
            }
        }
    };
}

shared!(A 0, B 1);
shared!(A 0, B 1, C 2);
