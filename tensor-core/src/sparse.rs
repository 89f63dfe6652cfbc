//! Sparse tensors as coordinates and values, erased: PyTorch's `sparse_coo`. The first dimensions are sparse, those of each value dense. What
//! is computed with them is in `call/sparse.rs`: calls of operations on the two dense parts.
//!
//! Invariant: `indices` is int64 of sizes `[sparse, n]`, each within `sizes`; `values` has sizes `[n, dense…]`; where `coalesced` is
//! true the coordinates ascend and none comes twice.

use std::sync::Arc;

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::print::{SparseView, View, sparse_repr};
use crate::raw::RawTensor;
use crate::raw::history::History;
use crate::reduce::{Along, reduce};
use crate::scalar::Scalar;
use crate::views::signed;

/// Whether coordinates ascend and none comes twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coalesced {
    /// Nobody says so: they are in any order, and what comes twice is to be added.
    #[default]
    Unknown,
    /// They do: PyTorch's `is_coalesced=True`.
    Yes,
}

/// A sparse tensor whose dtype and shape are values.
#[derive(Clone, Debug)]
pub struct RawSparse {
    indices: RawTensor,
    values: RawTensor,
    sizes: Dims,
    coalesced: bool,
}

/// The sizes that the largest coordinates and the values tell.
fn inferred(largest: &[i64], values: &RawTensor) -> Vec<isize> {
    let sparse = largest.iter().map(|&at| isize::try_from(at).unwrap_or(isize::MAX).saturating_add(1));
    sparse.chain(signed(&values.sizes()[1..])).collect()
}

/// The smallest and the largest coordinate along each sparse dimension; nothing where there are none.
fn extremes(indices: &RawTensor) -> Result<Option<(Vec<i64>, Vec<i64>)>> {
    if indices.numel() == 0 || indices.is_meta() {
        return Ok(None);
    }
    let along = Along::dims(&[1]);
    let numbers = |op| reduce(op, indices, &along)?.numbers::<i64>();
    Ok(Some((numbers(Reduction::Amin)?, numbers(Reduction::Amax)?)))
}

impl RawSparse {
    /// PyTorch's `sparse_coo_tensor`: the values at those coordinates, one column of indices for each value. Without sizes the largest
    /// coordinates tell them. The parts are shared, not copied.
    ///
    /// # Errors
    /// Where the parts don't fit each other or the sizes, a coordinate is outside, and where they aren't coalesced but shall be.
    pub fn new(indices: &RawTensor, values: &RawTensor, sizes: Option<&[isize]>, coalesced: Coalesced) -> Result<Self> {
        let values = if values.rank() == 0 { values.view(&[1])? } else { values.clone() };
        if indices.rank() != 2 {
            return Err(Error::runtime(format!("indices must be sparse_dim x nnz, but got: {:?}", indices.sizes())));
        }
        let indices = indices.to_dtype(DType::I64)?;
        let (sparse, dense) = (indices.sizes()[0], values.rank() - 1);
        let extremes = extremes(&indices)?;
        let sizes = match (sizes, &extremes) {
            (Some(sizes), _) => sizes.to_vec(),
            (None, Some((_, largest))) => inferred(largest, &values),
            (None, None) => inferred(&vec![-1; sparse], &values),
        };
        if sizes.len() != sparse + dense {
            return Err(Error::runtime(format!(
                "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {}, sparse_dim = {sparse}, dense_dim = {dense}",
                sizes.len()
            )));
        }
        if let Some((smallest, largest)) = extremes {
            check_inside(&smallest, &largest, &sizes)?;
        }
        let (columns, count) = (indices.sizes()[1], values.sizes()[0]);
        if columns != count {
            return Err(Error::runtime(format!(
                "indices and values must have same nnz, but got nnz from indices: {columns}, nnz from values: {count}"
            )));
        }
        let sizes = crate::geometry::checked_sizes(&sizes)?;
        if values.sizes()[1..] != sizes[sparse..] {
            let expected: Dims = std::iter::once(count).chain(sizes[sparse..].iter().copied()).collect();
            return Err(Error::runtime(format!("values has incorrect size, expected {expected:?}, got {:?}", values.sizes())));
        }
        let mut tensor = Self { indices, values, sizes, coalesced: count < 2 };
        if coalesced == Coalesced::Yes {
            if !tensor.is_in_order()? {
                return Err(Error::runtime("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"));
            }
            tensor.coalesced = true;
        }
        Ok(tensor)
    }

    /// A tensor of parts that fit.
    pub(crate) fn of(indices: RawTensor, values: RawTensor, sizes: Dims, coalesced: Coalesced) -> Self {
        Self { indices, values, sizes, coalesced: coalesced == Coalesced::Yes }
    }

    /// The sizes of the whole.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The dtype of the values.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// Where the parts are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.values.device()
    }

    /// How many values are stored: PyTorch's `_nnz`. Some of them may be zero.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.values.sizes()[0]
    }

    /// How many of the dimensions have coordinates.
    #[must_use]
    pub fn sparse_dim(&self) -> usize {
        self.indices.sizes()[0]
    }

    /// How many dimensions each value has.
    #[must_use]
    pub fn dense_dim(&self) -> usize {
        self.values.rank() - 1
    }

    /// Whether the coordinates are known to ascend, none of them twice.
    #[must_use]
    pub fn is_coalesced(&self) -> bool {
        self.coalesced
    }

    /// The coordinates as they are, shared: PyTorch's `_indices`.
    #[must_use]
    pub fn raw_indices(&self) -> &RawTensor {
        &self.indices
    }

    /// The values as they are, shared: PyTorch's `_values`.
    #[must_use]
    pub fn raw_values(&self) -> &RawTensor {
        &self.values
    }

    /// The coordinates of a coalesced tensor.
    ///
    /// # Errors
    /// Where it isn't coalesced.
    pub fn indices(&self) -> Result<&RawTensor> {
        self.only_coalesced("indices").map(|()| &self.indices)
    }

    /// The values of a coalesced tensor.
    ///
    /// # Errors
    /// Where it isn't coalesced.
    pub fn values(&self) -> Result<&RawTensor> {
        self.only_coalesced("values").map(|()| &self.values)
    }

    /// Forgets the history of its values.
    pub(crate) fn detach_values(&mut self) {
        self.values = self.values.detach();
    }

    /// Takes the history of its values.
    pub(crate) fn take_history(&mut self) -> Option<Arc<History>> {
        self.values.history.take()
    }

    fn only_coalesced(&self, what: &str) -> Result<()> {
        if self.coalesced {
            return Ok(());
        }
        Err(Error::runtime(format!("Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")))
    }

    /// The coordinates, one tensor for each sparse dimension.
    pub(crate) fn coordinates(&self) -> Result<Vec<RawTensor>> {
        self.indices.unbind(0)
    }

    /// The same, none of them negative: they may have been changed since.
    pub(crate) fn coordinates_inside(&self) -> Result<Vec<RawTensor>> {
        let smallest = extremes(&self.indices)?.map_or(Vec::new(), |(smallest, _)| smallest);
        match smallest.iter().zip(&self.sizes).enumerate().find(|(_, (least, _))| **least < 0) {
            Some((dim, (least, size))) => Err(Error::index(format!("index {least} is out of bounds for dimension {dim} with size {size}"))),
            None => self.coordinates(),
        }
    }

    /// Each column of coordinates as one number, which ascends as they do.
    pub(crate) fn keys(&self) -> Result<Vec<i64>> {
        let mut keys = vec![0_i64; self.nnz()];
        for (coordinates, &size) in self.coordinates()?.iter().zip(&self.sizes) {
            let size = size.cast_signed() as i64;
            keys.iter_mut().zip(coordinates.numbers::<i64>()?).for_each(|(key, at)| *key = key.wrapping_mul(size).wrapping_add(at));
        }
        Ok(keys)
    }

    fn is_in_order(&self) -> Result<bool> {
        Ok(self.nnz() < 2 || self.keys()?.is_sorted_by(|a, b| a < b))
    }

    /// The same coordinates with other values.
    pub(crate) fn with_values(&self, values: RawTensor) -> Self {
        Self { values, ..self.clone() }
    }

    /// The same with other parts.
    pub(crate) fn with(&self, indices: RawTensor, values: RawTensor) -> Self {
        Self { indices, values, ..self.clone() }
    }
}

fn check_inside(smallest: &[i64], largest: &[i64], sizes: &[isize]) -> Result<()> {
    for (dim, ((&least, &most), &size)) in smallest.iter().zip(largest).zip(sizes).enumerate() {
        if least < 0 {
            return Err(Error::runtime(format!("found negative index {least} for dim {dim}")));
        }
        if most >= size as i64 {
            return Err(Error::runtime(format!("size is inconsistent with indices: for dim {dim}, size is {size} but found index {most}")));
        }
    }
    Ok(())
}

/// As PyTorch prints it.
impl std::fmt::Display for RawSparse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn view<'a>(tensor: &'a RawTensor, element: &'a dyn Fn(&[usize]) -> Scalar) -> View<'a> {
            View { dtype: tensor.dtype(), sizes: tensor.sizes(), device: tensor.device(), element, gradient: None }
        }
        let element = |tensor: &RawTensor, at: &[usize]| tensor.element(at).unwrap_or(Scalar::Int(0));
        let (index, value) = (|at: &[usize]| element(&self.indices, at), |at: &[usize]| element(&self.values, at));
        let view = SparseView { indices: view(&self.indices, &index), values: view(&self.values, &value), sizes: &self.sizes };
        f.write_str(&sparse_repr(&view))
    }
}
