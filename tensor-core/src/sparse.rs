//! Sparse tensors as coordinates and values, erased: PyTorch's `sparse_coo`. The first dimensions are sparse, those of each value dense. What
//! is computed with them is in `sparse/arithmetic.rs`; it is made of operations on the two dense parts.
//!
//! Invariant: `indices` is int64 of sizes `[sparse, n]`, each within `sizes`; `values` has sizes `[n, dense…]`; where `coalesced` is
//! true the coordinates ascend and none comes twice.

mod arithmetic;

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use crate::create::Options;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::indexing::{Accumulate, add_at_coordinates, at_coordinates, index_put_in_place, index_select, nonzero};
use crate::layout::MemoryFormat;
use crate::plan::Target;
use crate::print::{SparseView, View, sparse_repr};
use crate::raw::RawTensor;
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

    /// PyTorch's `to_sparse`: the elements that aren't zero. Only the first `sparse` dimensions become sparse, if so many are named; then a
    /// value is there where one of its elements isn't zero.
    ///
    /// # Errors
    /// Where there aren't so many dimensions, and for meta tensors.
    pub fn from_dense(tensor: &RawTensor, sparse: Option<isize>) -> Result<Self> {
        let rank = tensor.rank();
        let sparse = sparse.unwrap_or(rank.cast_signed());
        if rank > 0 && sparse == 0 {
            return Err(Error::runtime("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0"));
        }
        let Some(sparse) = usize::try_from(sparse).ok().filter(|&sparse| sparse <= rank) else {
            return Err(Error::runtime(format!("dense_to_sparse: sparse_dim argument must be in [0,{rank}] range, but {sparse} is given")));
        };
        if rank == 0 {
            let indices = RawTensor::zeros(&[0, 1], &Options::new().dtype(DType::I64).device(tensor.device())?)?;
            return Self::new(&indices, &tensor.clone_as(MemoryFormat::Contiguous)?, Some(&[]), Coalesced::Yes);
        }
        let there = match sparse == rank {
            true => nonzero(tensor, Target::New)?,
            false => {
                let dense: Vec<isize> = (sparse..rank).map(usize::cast_signed).collect();
                nonzero(&reduce(Reduction::Any, tensor, &Along::dims(&dense))?, Target::New)?
            }
        };
        let coordinates = there.unbind(1)?;
        let values = at_coordinates(tensor, &coordinates)?;
        Ok(Self { indices: there.t()?, values, sizes: tensor.sizes().into(), coalesced: true })
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

    fn only_coalesced(&self, what: &str) -> Result<()> {
        if self.coalesced {
            return Ok(());
        }
        Err(Error::runtime(format!("Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")))
    }

    /// The coordinates, one tensor for each sparse dimension.
    fn coordinates(&self) -> Result<Vec<RawTensor>> {
        self.indices.unbind(0)
    }

    /// Each column of coordinates as one number, which ascends as they do.
    fn keys(&self) -> Result<Vec<i64>> {
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

    /// PyTorch's `coalesce`: coordinates in ascending order, the values of equal ones added in their dtype. A coalesced tensor is itself.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn coalesce(&self) -> Result<Self> {
        if self.coalesced {
            return Ok(self.clone());
        }
        crate::geometry::numel(&self.sizes[..self.sparse_dim()])?;
        let mut columns: Vec<(i64, i64)> = self.keys()?.into_iter().zip(0..).collect();
        columns.sort_unstable();
        // The first value of each group stays as it is, and the others are added to it.
        let (mut first, mut others, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for group in columns.chunk_by(|a, b| a.0 == b.0) {
            others.extend(group[1..].iter().map(|(_, place)| *place));
            groups.resize(others.len(), first.len().cast_signed() as i64);
            first.push(group[0].1);
        }
        let distinct = self.chosen(first)?;
        if !others.is_empty() {
            let count = groups.len();
            let added = self.chosen(others)?.values;
            index_put_in_place(&distinct.values, &[Some(&RawTensor::from_vec(groups, &[count])?)], &added, Accumulate::Yes)?;
        }
        Ok(Self { coalesced: true, ..distinct })
    }

    /// PyTorch's `to_dense`: zeros, and the values where their coordinates say.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn to_dense(&self) -> Result<RawTensor> {
        let dense = RawTensor::zeros(&self.sizes, &Options::new().dtype(self.dtype()).device(self.device())?)?;
        self.add_to(&dense, &self.values)?;
        Ok(dense)
    }

    /// Adds values of this tensor's form to a dense one of its sizes.
    fn add_to(&self, dense: &RawTensor, values: &RawTensor) -> Result<()> {
        if self.nnz() == 0 {
            return Ok(());
        }
        let coordinates = self.coordinates()?;
        if coordinates.is_empty() {
            // One number, as often as it is stored.
            let sum = reduce(Reduction::Sum, values, &Along::dims(&[0]).dtype(dense.dtype()))?;
            return arithmetic::add_in_place(dense, &sum);
        }
        add_at_coordinates(dense, &coordinates, values)
    }

    /// The same coordinates with other values.
    fn with_values(&self, values: RawTensor) -> Self {
        Self { values, ..self.clone() }
    }

    /// Those of the stored values, in that order.
    fn chosen(&self, places: Vec<i64>) -> Result<Self> {
        let count = places.len();
        let places = RawTensor::from_vec(places, &[count])?.to_device(self.device())?;
        let (indices, values) =
            (index_select(&self.indices, 1, &places, Target::New)?, index_select(&self.values, 0, &places, Target::New)?);
        Ok(Self { indices, values, sizes: self.sizes.clone(), coalesced: false })
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
