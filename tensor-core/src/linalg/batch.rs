//! The matrices of a tensor, one after the other, and how threads share them: each takes some neighbours at a time, as numbers that are computed
//! with, and has memory that serves one matrix after the other. Each matrix is worked on by itself, so that nothing depends on who did it.

use std::marker::PhantomData;

use super::number::MatrixNumber;
use crate::convert::{CastFrom, cast_slice};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kernels::parts::hand_out;
use crate::raw::RawTensor;
use crate::room::{Refused, filled};

/// What is taken at a time, in products of numbers, and what a matrix takes at least.
const PART: usize = 1 << 16;
const LEAST: usize = 64;

/// What a thread does with some matrices.
type BatchPart<'a> = Box<dyn FnOnce() -> Result<()> + Send + 'a>;

/// The matrices in the last two dimensions of a tensor, one after the other, which are computed with as other numbers. Of a meta tensor there are
/// none, and what is made of them is a meta tensor, too.
pub(super) struct Batch<T, N> {
    pub(super) numbers: Vec<T>,
    pub(super) count: usize,
    pub(super) outer: Vec<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
    computed: PhantomData<N>,
}

impl<T: Native + CastFrom<N>, N: MatrixNumber + CastFrom<T>> Batch<T, N> {
    pub(super) fn of(tensor: &RawTensor) -> Result<Self> {
        let &[ref outer @ .., rows, columns] = tensor.sizes() else {
            return Err(Error::runtime("The input tensor A must have at least 2 dimensions."));
        };
        let meta = tensor.is_meta();
        let numbers = if meta { Vec::new() } else { tensor.to_dtype(T::DTYPE)?.numbers()? };
        let count = if meta { 0 } else { outer.iter().product() };
        Ok(Self { numbers, count, outer: outer.to_vec(), rows, columns, computed: PhantomData })
    }

    pub(super) fn sizes(&self, own: &[usize]) -> Vec<usize> {
        [&self.outer, own].concat()
    }

    /// Works on each matrix, with memory for it and the results of some, of which its own have its number.
    ///
    /// # Errors
    /// Those of the work, of the first that is seen.
    pub(super) fn each<O: Shared, R>(
        &mut self,
        results: O,
        memory: impl Fn() -> R + Sync,
        work: impl Fn(&mut R, usize, &mut [N], &mut O::Wide) -> Result<()> + Sync,
    ) -> Result<()> {
        self.share(false, results, &memory, &work)
    }

    /// The same where what the matrices become is a result, too.
    ///
    /// # Errors
    /// As [`each`](Self::each).
    pub(super) fn change_each<O: Shared, R>(
        &mut self,
        results: O,
        memory: impl Fn() -> R + Sync,
        work: impl Fn(&mut R, usize, &mut [N], &mut O::Wide) -> Result<()> + Sync,
    ) -> Result<()> {
        self.share(true, results, &memory, &work)
    }

    fn share<O: Shared, R>(
        &mut self,
        changes: bool,
        results: O,
        memory: &(impl Fn() -> R + Sync),
        work: &(impl Fn(&mut R, usize, &mut [N], &mut O::Wide) -> Result<()> + Sync),
    ) -> Result<()> {
        let (count, [rows, columns]) = (self.count, [self.rows, self.columns]);
        let some = (PART / (rows * columns * rows.min(columns) + LEAST)).max(1);
        let mut all = (Each::<T, N>::known(&mut self.numbers, rows * columns), results);
        let part = |matrices, own: Each<'_, T, N>, results: O| -> Result<()> {
            let (mut memory, mut wide, mut computed) = (memory(), own.widen()?, results.widen()?);
            for at in 0..matrices {
                work(&mut memory, at, wide.of(at), &mut computed)?;
            }
            if changes {
                own.narrow(wide);
            }
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

/// So many numbers of each matrix, which are computed with as others.
pub(super) struct Each<'a, T, N> {
    numbers: &'a mut [T],
    each: usize,
    /// Whether they are looked at before they are written.
    known: bool,
    computed: PhantomData<fn() -> N>,
}

/// The same numbers as they are computed with.
pub(super) struct WideNumbers<N> {
    numbers: Vec<N>,
    each: usize,
}

impl<N> WideNumbers<N> {
    /// The numbers of one of the matrices.
    pub(super) fn of(&mut self, at: usize) -> &mut [N] {
        &mut self.numbers[at * self.each..][..self.each]
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
    pub(super) fn new(numbers: &'a mut [T], each: usize) -> Self {
        Self { numbers, each, known: false, computed: PhantomData }
    }

    /// Those that are there.
    pub(super) fn known(numbers: &'a mut [T], each: usize) -> Self {
        Self { numbers, each, known: true, computed: PhantomData }
    }
}

impl<T: Native + CastFrom<N>, N: Native + CastFrom<T> + Default> Shared for Each<'_, T, N> {
    type Wide = WideNumbers<N>;

    fn first(&mut self, matrices: usize) -> Self {
        let (numbers, rest) = std::mem::take(&mut self.numbers).split_at_mut(matrices * self.each);
        self.numbers = rest;
        Self { numbers, ..*self }
    }

    #[inline(never)]
    fn widen(&self) -> Result<WideNumbers<N>> {
        let mut numbers = filled(self.numbers.len(), N::default())?;
        if self.known {
            cast_slice(self.numbers, &mut numbers);
        }
        Ok(WideNumbers { numbers, each: self.each })
    }

    #[inline(never)]
    fn narrow(self, wide: WideNumbers<N>) {
        cast_slice(&wide.numbers, self.numbers);
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
