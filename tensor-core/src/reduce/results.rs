//! Where the results of folds and of rows go: the results, and in some cases what stands beside them. Both are written where they lie, under the same
//! access that the elements are read through.

use std::cell::Cell;

use latten_spec::DType;
use smallvec::SmallVec;

use crate::element::Native;
use crate::error::Result;
use crate::kernels::block::{Neighbours, Piece, Pieces, Writer};
use crate::kernels::parts::hand_out;
use crate::raw::RawTensor;
use crate::storage::{Access, UntypedStorage};

/// The tensors that results go into, none of which shares memory with the other or with what is read.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    /// The results.
    pub(crate) values: &'a RawTensor,
    /// The dtype that they are rounded to before they are converted to that of the tensor.
    pub(crate) through: DType,
    /// What stands beside them: where they were found, or other results.
    pub(crate) beside: Option<&'a RawTensor>,
    /// The only result's own place, where the tensor isn't made yet: then `values` is none to write to.
    pub(crate) single: Option<&'a Single<'a>>,
}

/// Where the only result of few elements goes: an element of memory that nobody else reaches.
pub(crate) struct Single<'a> {
    row: Neighbours<'a>,
    done: Cell<bool>,
}

impl<'a> Single<'a> {
    /// The row is to have one element.
    pub(crate) fn new(row: Neighbours<'a>) -> Self {
        Self { row, done: Cell::new(false) }
    }

    /// Gives the element its value, which is of its type.
    pub(crate) fn set<T: Native>(&self, value: T) {
        self.row.set(value);
        self.done.set(true);
    }

    /// Whether it has one.
    pub(crate) fn is_done(&self) -> bool {
        self.done.get()
    }
}

impl<'a> Results<'a> {
    /// Results that are alone.
    pub(crate) fn plain(values: &'a RawTensor, through: DType) -> Self {
        Self { values, through, beside: None, single: None }
    }

    /// Holds all storages of the operation.
    pub(crate) fn access(&self, read: &[&'a RawTensor]) -> Result<Access<'a>> {
        let written: SmallVec<[&UntypedStorage; 4]> =
            [Some(self.values), self.beside].into_iter().flatten().map(RawTensor::storage).collect();
        let read: SmallVec<[&UntypedStorage; 4]> = read.iter().map(|tensor| tensor.storage()).collect();
        Access::lock(&written, &read)
    }

    /// The ways into the tensors, which are held.
    pub(crate) fn writers<'w, T: Native + Default, P: Native + Default>(
        &self,
        access: &'w Access<'_>,
        read: &[&RawTensor],
        has_beside: bool,
    ) -> Result<Writers<'w, T, P>> {
        let beside = self.beside.filter(|_| has_beside);
        let mut apart: SmallVec<[&RawTensor; 8]> = read.into();
        let values = Writer::new(access, self.values, self.through, &apart)?;
        apart.push(self.values);
        Ok(Writers { values, beside: beside.map(|beside| Writer::new(access, beside, beside.dtype(), &apart)).transpose()? })
    }
}

/// The ways into the tensors.
pub(crate) struct Writers<'a, T, P> {
    values: Writer<'a, T>,
    beside: Option<Writer<'a, P>>,
}

impl<T: Native + Default, P: Native + Default> Writers<'_, T, P> {
    /// How many results there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Gives each piece to `work`, on as many threads as there are.
    pub(crate) fn share(&mut self, pieces: Pieces, work: &(dyn Fn(Both<'_, T, P>) + Sync)) {
        let mut beside = self.beside.as_mut().map(|beside| beside.pieces(pieces));
        let values = self.values.pieces(pieces);
        let mut both = values.map(|values| Both { values, beside: beside.as_mut().and_then(Iterator::next) });
        hand_out(&mut both, &|_, both| work(both));
    }
}

/// Some neighbouring results and what stands beside them.
pub(crate) struct Both<'w, T, P> {
    pub(crate) values: Piece<'w, T>,
    pub(crate) beside: Option<Piece<'w, P>>,
}

impl<T: Native + Default, P> Both<'_, T, P> {
    /// The number of the first.
    pub(crate) fn first(&self) -> usize {
        self.values.first()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
