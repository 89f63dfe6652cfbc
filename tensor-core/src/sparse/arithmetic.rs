//! What is computed with sparse tensors: sums, products, numbers times them, transposes, products with dense matrices. All of it by
//! operations on coordinates and values.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, Level, can_cast};

use super::RawSparse;
use crate::create::Options;
use crate::elementwise::{Operand, Params, apply, apply_in_place};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::indexing::{Accumulate, add_at_coordinates, at_coordinates, index_put_in_place, index_select};
use crate::joins::cat;
use crate::layout::MemoryFormat;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::reduce::{Along, reduce};
use crate::scalar::Scalar;
use crate::strictness;
use crate::views::signed;

pub(super) fn add_in_place(tensor: &RawTensor, other: &RawTensor) -> Result<()> {
    apply_in_place(Op::Add, tensor, &[other.into()], &Params::none())
}

fn promoted(a: DType, b: DType) -> Result<DType> {
    strictness::promote([(Level::Dimensioned, a), (Level::Dimensioned, b)].into_iter())
}

/// Values times a number, in a dtype.
fn scaled(values: &RawTensor, alpha: Scalar, dtype: DType) -> Result<RawTensor> {
    let values = values.to_dtype(dtype)?;
    if alpha == Scalar::Int(1) {
        return Ok(values);
    }
    apply(Op::Mul, &[(&values).into(), alpha.into()], &Params::none())?.to_dtype(dtype)
}

impl RawSparse {
    /// PyTorch's `add` of two sparse tensors: the stored values of both, those of the second times a number.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn add(&self, other: &Self, alpha: Scalar) -> Result<Self> {
        if self.sizes != other.sizes {
            return Err(Error::runtime(format!(
                "add: expected sizes of 'self' and 'other' to match, but {:?} != {:?}",
                self.sizes, other.sizes
            )));
        }
        let dtype = promoted(self.dtype(), other.dtype())?;
        if self.sparse_dim() != other.sparse_dim() {
            return Err(Error::runtime(format!(
                "add: expected 'self' and 'other' to have same number of sparse dimensions, but {} != {}",
                self.sparse_dim(),
                other.sparse_dim()
            )));
        }
        let (own, others) = (self.values.to_dtype(dtype)?, other.values.to_dtype(dtype)?);
        self.check_addable(other, dtype)?;
        let values = cat(&[&own, &scaled(&others, alpha, dtype)?], 0)?;
        let indices = cat(&[&self.indices, &other.indices], 1)?;
        let sum = Self { indices, values, sizes: self.sizes.clone(), coalesced: false };
        if self.coalesced && other.coalesced { sum.coalesce() } else { Ok(sum) }
    }

    /// PyTorch's `add` of a dense tensor and a sparse one: a dense one.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn add_to_dense(&self, dense: &RawTensor, alpha: Scalar) -> Result<RawTensor> {
        self.check_sizes_of_dense(dense)?;
        let dtype = promoted(dense.dtype(), self.dtype())?;
        let sum = dense.to_dtype(dtype)?;
        let sum = if dtype == dense.dtype() { sum.clone_as(MemoryFormat::Preserve)? } else { sum };
        self.add_to(&sum, &scaled(&self.values, alpha, dtype)?)?;
        Ok(sum)
    }

    /// PyTorch's `add_` of a sparse tensor to a dense one.
    ///
    /// # Errors
    /// As [`add_to_dense`](Self::add_to_dense), and where the sum doesn't fit the dtype; then nothing was changed.
    pub fn add_to_dense_in_place(&self, dense: &RawTensor, alpha: Scalar) -> Result<()> {
        self.check_sizes_of_dense(dense)?;
        let dtype = promoted(dense.dtype(), self.dtype())?;
        if !can_cast(dtype, dense.dtype()) {
            let (result, output) = (dtype.message_name(), dense.dtype().message_name());
            return Err(Error::runtime(format!("Can't convert result type {result} to output {output} in add operation")));
        }
        if dtype == dense.dtype() {
            return self.add_to(dense, &scaled(&self.values, alpha, dtype)?);
        }
        dense.copy_(&self.add_to_dense(dense, alpha)?)
    }

    /// PyTorch has two loops that add sparse tensors, and neither has every dtype.
    fn check_addable(&self, other: &Self, dtype: DType) -> Result<()> {
        let contiguous = |tensor: &Self| tensor.values.is_contiguous(MemoryFormat::Contiguous);
        let refused = match (dtype, contiguous(self) && contiguous(other)) {
            _ if self.nnz() == 0 || other.nnz() == 0 => None,
            (DType::Bool | DType::F16 | DType::C32, true) => Some("cadd_sparse"),
            (DType::Bool | DType::F16 | DType::BF16 | DType::C32, false) => Some("add_out_sparse_cpu"),
            _ => None,
        };
        match refused {
            Some(name) => Err(Error::not_implemented(format!("\"{name}\" not implemented for '{}'", dtype.message_name()))),
            None => Ok(()),
        }
    }

    fn check_sizes_of_dense(&self, dense: &RawTensor) -> Result<()> {
        if dense.sizes() == self.sizes() {
            return Ok(());
        }
        Err(Error::runtime(format!(
            "add: expected 'self' and 'other' to have same size, but self has size {:?} while other has size {:?} (FYI: dense-sparse addition \
             does not currently support broadcasting)",
            dense.sizes(),
            self.sizes
        )))
    }

    /// PyTorch's `mul` of two sparse tensors. Where both are coalesced, the products where both have a value; else the values of one of
    /// them, in its order, times those of the other one or zero.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn mul(&self, other: &Self) -> Result<Self> {
        if self.sizes != other.sizes || self.sparse_dim() != other.sparse_dim() {
            return Err(Error::runtime(
                "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape \
                 of sparse dimensions",
            ));
        }
        if self.coalesced && other.coalesced || self.nnz() == 0 || other.nnz() == 0 {
            let (own, places) = self.matches(other)?;
            let (a, b) = (self.chosen(own)?, other.chosen(places)?);
            let values = apply(Op::Mul, &[(&a.values).into(), (&b.values).into()], &Params::none())?;
            return Ok(Self { coalesced: true, ..a.with_values(values) });
        }
        let keeps_own = if self.coalesced == other.coalesced { self.nnz() < other.nnz() } else { other.coalesced };
        let (source, factors) = if keeps_own { (self, other) } else { (other, self) };
        let factors = factors.coalesce()?;
        let (own, places) = source.matches(&factors)?;
        let (a, b) = (source.chosen(own.clone())?, factors.chosen(places)?);
        let products = apply(Op::Mul, &[(&a.values).into(), (&b.values).into()], &Params::none())?;
        let values = RawTensor::zeros(source.values.sizes(), &Options::new().dtype(products.dtype()).device(self.device())?)?;
        let count = own.len();
        index_put_in_place(&values, &[Some(&RawTensor::from_vec(own, &[count])?)], &products, Accumulate::Yes)?;
        Ok(source.with_values(values))
    }

    /// The stored values that have one with equal coordinates in a coalesced tensor, and which one that is.
    fn matches(&self, coalesced: &Self) -> Result<(Vec<i64>, Vec<i64>)> {
        let keys = coalesced.keys()?;
        let found = |key: &i64| keys.binary_search(key).ok().map(|place| place.cast_signed() as i64);
        Ok((0_i64..).zip(&self.keys()?).filter_map(|(own, key)| Some((own, found(key)?))).unzip())
    }

    /// PyTorch's `mul` of a sparse tensor and a dense one, which broadcasts to its sizes: a sparse one.
    ///
    /// # Errors
    /// Where the dense tensor doesn't broadcast, or the dtypes don't promote.
    pub fn mul_dense(&self, dense: &RawTensor) -> Result<Self> {
        if dense.rank() == 0 {
            return self.scale(Op::Mul, dense.into());
        }
        let shape = crate::geometry::broadcast::broadcast_shapes(&[&self.sizes, dense.sizes()])?;
        if shape != self.sizes {
            let (own, other) = (&self.sizes, dense.sizes());
            return Err(Error::runtime(format!("mul(sparse, dense): the dense tensor of shape {other:?} doesn't broadcast to {own:?}")));
        }
        let coordinates = self.coordinates()?;
        if coordinates.is_empty() {
            return self.scale(Op::Mul, dense.into());
        }
        let factors = at_coordinates(&dense.expand(&signed(&self.sizes))?, &coordinates)?;
        let values = apply(Op::Mul, &[(&self.values).into(), (&factors).into()], &Params::none())?;
        Ok(self.with_values(values))
    }

    /// PyTorch's `mul` and `div` with a number, or a tensor without dimensions.
    ///
    /// # Errors
    /// For other tensors, other operations, and where the dtypes don't promote.
    pub fn scale(&self, op: Op, by: Operand<'_>) -> Result<Self> {
        if !matches!(op, Op::Mul | Op::Div) {
            return Err(Error::not_implemented(format!("{op} isn't there for sparse tensors")));
        }
        if let Some(tensor) = by.tensor().filter(|tensor| tensor.rank() > 0) {
            return Err(Error::runtime(format!(
                "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {:?} for divisor)",
                tensor.sizes()
            )));
        }
        Ok(self.with_values(apply(op, &[(&self.values).into(), by], &Params::none())?))
    }

    /// PyTorch's `neg`, of the values as they are stored.
    ///
    /// # Errors
    /// For bool.
    pub fn neg(&self) -> Result<Self> {
        Ok(self.with_values(apply(Op::Neg, &[(&self.values).into()], &Params::none())?))
    }

    /// PyTorch's `abs`, of the coalesced tensor.
    ///
    /// # Errors
    /// For bool.
    pub fn abs(&self) -> Result<Self> {
        let tensor = self.coalesce()?;
        let values = apply(Op::Abs, &[(&tensor.values).into()], &Params::none())?;
        Ok(tensor.with_values(values))
    }

    /// A copy with parts of its own.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn copied(&self) -> Result<Self> {
        let copy = |part: &RawTensor| part.clone_as(MemoryFormat::Contiguous);
        Ok(Self { indices: copy(&self.indices)?, values: copy(&self.values)?, ..self.clone() })
    }

    /// The values in another dtype.
    ///
    /// # Errors
    /// For quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<Self> {
        Ok(self.with_values(self.values.to_dtype(dtype)?))
    }

    /// PyTorch's `sum` of all elements, in the dtype that a dense tensor's has.
    ///
    /// # Errors
    /// For dtypes that only store.
    pub fn sum(&self) -> Result<RawTensor> {
        reduce(Reduction::Sum, &self.values, &Along::all())
    }

    /// PyTorch's `transpose` of two sparse dimensions.
    ///
    /// # Errors
    /// Where a dimension isn't there, or is dense.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Self> {
        let rank = self.sizes.len();
        let (a, b) = (wrap_dim(dim0, rank)?, wrap_dim(dim1, rank)?);
        if a.max(b) >= self.sparse_dim().max(1) {
            return Err(Error::runtime("transpose(): transposed dimensions must be sparse"));
        }
        let (mut order, mut sizes): (Vec<i64>, _) = ((0_i64..).take(self.sparse_dim()).collect(), self.sizes.clone());
        if !order.is_empty() {
            order.swap(a, b);
            sizes.swap(a, b);
        }
        let count = order.len();
        let indices = index_select(&self.indices, 0, &RawTensor::from_vec(order, &[count])?.to_device(self.device())?, Target::New)?;
        Ok(Self { indices, values: self.values.clone(), sizes, coalesced: false })
    }

    /// PyTorch's `t` of a matrix.
    ///
    /// # Errors
    /// For more than two sparse dimensions, and for dense ones.
    pub fn t(&self) -> Result<Self> {
        let (sparse, dense) = (self.sparse_dim(), self.dense_dim());
        if sparse > 2 || dense > 0 {
            return Err(Error::runtime(format!(
                "t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse} sparse and {dense} dense dimensions"
            )));
        }
        if sparse < 2 { Ok(self.clone()) } else { self.transpose(0, 1) }
    }

    /// PyTorch's `mm` of a sparse matrix and a dense one: a dense one.
    ///
    /// # Errors
    /// Where they aren't matrices, their inner sizes or their dtypes differ.
    pub fn mm(&self, dense: &RawTensor) -> Result<RawTensor> {
        let (&[rows, inner], 2, &[own_inner, columns]) = (&self.sizes[..], self.sparse_dim(), dense.sizes()) else {
            return Err(Error::runtime(format!(
                "mm: expected a sparse and a dense matrix, but got {}D and {}D tensors",
                self.sizes.len(),
                dense.rank()
            )));
        };
        if own_inner != inner {
            return Err(Error::runtime(format!("addmm: Argument #3 (dense): Expected dim 0 size {inner}, got {own_inner}")));
        }
        if dense.dtype() != self.dtype() {
            let (expected, found) = (self.dtype().message_name(), dense.dtype().message_name());
            return Err(Error::runtime(format!("expected scalar type {expected} but found {found}")));
        }
        let product = RawTensor::zeros(&[rows, columns], &Options::new().dtype(self.dtype()).device(self.device())?)?;
        if self.nnz() == 0 {
            return Ok(product);
        }
        let [row, column] = &self.coordinates()?[..] else { return Ok(product) };
        let factors = index_select(dense, 0, column, Target::New)?;
        let terms = apply(Op::Mul, &[(&factors).into(), (&self.values.unsqueeze(1)?).into()], &Params::none())?;
        add_at_coordinates(&product, std::slice::from_ref(row), &terms)?;
        Ok(product)
    }

    /// PyTorch's `mv` of a sparse matrix and a dense row.
    ///
    /// # Errors
    /// As [`mm`](Self::mm).
    pub fn mv(&self, dense: &RawTensor) -> Result<RawTensor> {
        self.mm(&dense.unsqueeze(-1)?)?.squeeze_dims(&[-1])
    }
}
