//! What is computed with sparse tensors: conversions, sums, products, numbers times them, transposes, products with dense matrices. All of it
//! by calls of operations on coordinates and values, so that gradients go to the values.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, Level, can_cast};

use super::{Call, Destination, Function, cast, one, run};
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::{Params, RawOperand};
use crate::error::{Error, Result};
use crate::geometry::{Dims, wrap_dim};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::sparse::{Coalesced, RawSparse};
use crate::strictness;
use crate::views::signed;

fn apply(op: Op, operands: &[RawOperand<'_>]) -> Result<RawTensor> {
    run(Call::elementwise(op, operands, &Params::none(), Destination::New))?.one()
}

fn reduced(op: Reduction, tensor: &RawTensor, along: &Along) -> Result<RawTensor> {
    run(Call::reduction(op, tensor, along, Destination::New))?.one()
}

/// The rows, or columns, at places.
fn chosen_along(tensor: &RawTensor, dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::IndexSelect, &[tensor.into(), dim.into(), places.into()])
}

/// The elements at coordinates, one tensor of them for each of the first dimensions.
fn at_coordinates(tensor: &RawTensor, coordinates: &[RawTensor]) -> Result<RawTensor> {
    let coordinates: Vec<Option<&RawTensor>> = coordinates.iter().map(Some).collect();
    one(Function::Index, &[tensor.into(), coordinates[..].into()])
}

/// Values added at coordinates.
fn add_at_coordinates(tensor: &mut RawTensor, coordinates: &[RawTensor], values: &RawTensor) -> Result<()> {
    let coordinates: Vec<Option<&RawTensor>> = coordinates.iter().map(Some).collect();
    run(Call::in_place(Function::IndexPut, tensor, &[coordinates[..].into(), values.into(), true.into()])).map(drop)
}

fn joined(parts: [&RawTensor; 2], dim: isize) -> Result<RawTensor> {
    one(Function::Cat, &[parts[..].into(), dim.into()])
}

fn copied(part: &RawTensor) -> Result<RawTensor> {
    one(Function::Clone, &[part.into(), MemoryFormat::Contiguous.into()])
}

/// PyTorch's `sparse_coo_tensor`, whose values are a view of those that it is given.
pub(super) fn of_parts(indices: &RawTensor, values: &RawTensor, sizes: Option<&[isize]>, coalesced: Coalesced) -> Result<RawSparse> {
    let viewed = if values.rank() == 0 { vec![1] } else { signed(values.sizes()).to_vec() };
    if values.is_concerned() || values.rank() == 0 {
        return RawSparse::new(indices, &one(Function::View, &[values.into(), viewed[..].into()])?, sizes, coalesced);
    }
    RawSparse::new(indices, values, sizes, coalesced)
}

fn promoted(a: DType, b: DType) -> Result<DType> {
    strictness::promote([(Level::Dimensioned, a), (Level::Dimensioned, b)].into_iter())
}

/// Values that one of PyTorch's loops adds, times a number, to zeros: no zero keeps its sign, and a complex product has four of its parts.
fn accumulated(values: &RawTensor, alpha: Scalar) -> Result<RawTensor> {
    let number = |number: Scalar| if values.dtype().is_complex() { number.complex().into() } else { number };
    let values = if alpha == Scalar::Int(1) { values.clone() } else { apply(Op::Mul, &[values.into(), number(alpha).into()])? };
    apply(Op::Add, &[(&values).into(), number(Scalar::Int(0)).into()])
}

/// Values times a number, in a dtype.
fn scaled(values: &RawTensor, alpha: Scalar, dtype: DType) -> Result<RawTensor> {
    let values = cast(values, dtype)?;
    if alpha == Scalar::Int(1) {
        return Ok(values);
    }
    cast(&apply(Op::Mul, &[(&values).into(), alpha.into()])?, dtype)
}

impl RawSparse {
    /// PyTorch's `to_sparse`: the elements that aren't zero. Only the first `sparse` dimensions become sparse, if that many are named; then a
    /// value is there where one of its elements isn't zero.
    ///
    /// # Errors
    /// Where there aren't that many dimensions, and for meta tensors.
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
            let value = one(Function::View, &[(&copied(tensor)?).into(), [1_isize][..].into()])?;
            return Self::new(&indices, &value, Some(&[]), Coalesced::Yes);
        }
        let there = match sparse == rank {
            true => one(Function::Nonzero, &[tensor.into()])?,
            false => {
                let dense: Vec<isize> = (sparse..rank).map(usize::cast_signed).collect();
                one(Function::Nonzero, &[(&reduced(Reduction::Any, tensor, &Along::dims(&dense))?).into()])?
            }
        };
        let coordinates = there.unbind(1)?;
        let values = at_coordinates(tensor, &coordinates)?;
        Ok(Self::of(there.t()?, values, tensor.sizes().into(), Coalesced::Yes))
    }

    /// PyTorch's `coalesce`: coordinates in ascending order, the values of equal ones added in their dtype. A coalesced tensor is itself.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn coalesce(&self) -> Result<Self> {
        if self.is_coalesced() {
            return Ok(self.clone());
        }
        crate::geometry::numel(&self.sizes()[..self.sparse_dim()])?;
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
        let mut values = distinct.raw_values().clone();
        if !others.is_empty() {
            let count = groups.len();
            let added = self.chosen(others)?;
            add_at_coordinates(&mut values, &[RawTensor::from_vec(groups, &[count])?], added.raw_values())?;
        }
        Ok(Self::of(distinct.raw_indices().clone(), values, self.sizes().into(), Coalesced::Yes))
    }

    /// PyTorch's `to_dense`: zeros, and the values where their coordinates say.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn to_dense(&self) -> Result<RawTensor> {
        let mut dense = RawTensor::zeros(self.sizes(), &Options::new().dtype(self.dtype()).device(self.device())?)?;
        self.add_to(&mut dense, self.raw_values())?;
        Ok(dense)
    }

    /// Adds values of this tensor's form to a dense one of its sizes.
    fn add_to(&self, dense: &mut RawTensor, values: &RawTensor) -> Result<()> {
        if self.nnz() == 0 {
            return Ok(());
        }
        let coordinates = self.coordinates_inside()?;
        if coordinates.is_empty() {
            // One number, as often as it is stored.
            let sum = reduced(Reduction::Sum, values, &Along::dims(&[0]).dtype(dense.dtype()))?;
            return run(Call::elementwise(Op::Add, &[(&sum).into()], &Params::none(), Destination::InPlace(dense))).map(drop);
        }
        add_at_coordinates(dense, &coordinates, values)
    }

    /// Those of the stored values, in that order.
    fn chosen(&self, places: Vec<i64>) -> Result<Self> {
        let count = places.len();
        let places = RawTensor::from_vec(places, &[count])?.to_device(self.device())?;
        let (indices, values) = (chosen_along(self.raw_indices(), 1, &places)?, chosen_along(self.raw_values(), 0, &places)?);
        Ok(Self::of(indices, values, self.sizes().into(), Coalesced::Unknown))
    }

    /// PyTorch's `add` of two sparse tensors: the stored values of both, those of the second times a number.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn add(&self, other: &Self, alpha: Scalar) -> Result<Self> {
        if self.sizes() != other.sizes() {
            return Err(Error::runtime(format!(
                "add: expected sizes of 'self' and 'other' to match, but {:?} != {:?}",
                self.sizes(),
                other.sizes()
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
        let (own, others) = (cast(self.raw_values(), dtype)?, cast(other.raw_values(), dtype)?);
        self.check_addable(other, dtype)?;
        let (own, others) = match (self.nnz(), other.nnz()) {
            (_, 0) => (own, others),
            (0, _) => (own, cast(&apply(Op::Mul, &[other.raw_values().into(), alpha.into()])?, dtype)?),
            _ if self.lies_together(other) => (accumulated(&own, Scalar::Int(1))?, accumulated(&others, alpha)?),
            _ => (own, scaled(&others, alpha, dtype)?),
        };
        let values = joined([&own, &others], 0)?;
        let indices = joined([self.raw_indices(), other.raw_indices()], 1)?;
        let sum = Self::of(indices, values, self.sizes().into(), Coalesced::Unknown);
        if self.is_coalesced() && other.is_coalesced() { sum.coalesce() } else { Ok(sum) }
    }

    /// PyTorch's `add` of a dense tensor and a sparse one: a dense one.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn add_to_dense(&self, dense: &RawTensor, alpha: Scalar) -> Result<RawTensor> {
        self.check_sizes_of_dense(dense)?;
        let dtype = promoted(dense.dtype(), self.dtype())?;
        let sum = cast(dense, dtype)?;
        let mut sum = if dtype == dense.dtype() { one(Function::Clone, &[(&sum).into()])? } else { sum };
        self.add_to(&mut sum, &scaled(self.raw_values(), alpha, dtype)?)?;
        Ok(sum)
    }

    /// PyTorch's `add_` of a sparse tensor to a dense one.
    ///
    /// # Errors
    /// As [`add_to_dense`](Self::add_to_dense), and where the sum doesn't fit the dtype; then nothing was changed.
    pub fn add_to_dense_in_place(&self, dense: &mut RawTensor, alpha: Scalar) -> Result<()> {
        self.check_sizes_of_dense(dense)?;
        let dtype = promoted(dense.dtype(), self.dtype())?;
        if !can_cast(dtype, dense.dtype()) {
            let (result, output) = (dtype.message_name(), dense.dtype().message_name());
            return Err(Error::runtime(format!("Can't convert result type {result} to output {output} in add operation")));
        }
        if dtype == dense.dtype() {
            return self.add_to(dense, &scaled(self.raw_values(), alpha, dtype)?);
        }
        let sum = self.add_to_dense(dense, alpha)?;
        run(Call::in_place(Function::Copy, dense, &[(&sum).into()])).map(drop)
    }

    fn lies_together(&self, other: &Self) -> bool {
        [self, other].iter().all(|tensor| tensor.raw_values().is_contiguous(MemoryFormat::Contiguous))
    }

    /// PyTorch has two loops that add sparse tensors, and neither has every dtype.
    fn check_addable(&self, other: &Self, dtype: DType) -> Result<()> {
        let refused = match (dtype, self.lies_together(other)) {
            _ if self.nnz() == 0 || other.nnz() == 0 => None,
            (DType::Bool | DType::F16 | DType::C32, true) => Some("cadd_sparse"),
            (DType::Bool | DType::F16 | DType::BF16 | DType::C32, false) => Some("add_out_sparse_cpu"),
            // others: PyTorch's loops have the dtypes that it doesn't list.
            _ => None,
        };
        match refused {
            Some(name) => Err(unsupported(name, dtype)),
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
            self.sizes()
        )))
    }

    /// PyTorch's `mul` of two sparse tensors. Where both are coalesced, the products where both have a value; else the values of one of
    /// them, in its order, times those of the other one or zero.
    ///
    /// # Errors
    /// Where the sizes differ, or the dtypes don't promote.
    pub fn mul(&self, other: &Self) -> Result<Self> {
        if self.sizes() != other.sizes() || self.sparse_dim() != other.sparse_dim() {
            return Err(Error::runtime(
                "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape \
                 of sparse dimensions",
            ));
        }
        if self.is_coalesced() && other.is_coalesced() || self.nnz() == 0 || other.nnz() == 0 {
            let (own, places) = self.matches(other)?;
            let (a, b) = (self.chosen(own)?, other.chosen(places)?);
            let values = apply(Op::Mul, &[a.raw_values().into(), b.raw_values().into()])?;
            return Ok(Self::of(a.raw_indices().clone(), values, self.sizes().into(), Coalesced::Yes));
        }
        let keeps_own = if self.is_coalesced() == other.is_coalesced() { self.nnz() < other.nnz() } else { other.is_coalesced() };
        let (source, factors) = if keeps_own { (self, other) } else { (other, self) };
        let factors = factors.coalesce()?;
        let (own, places) = source.matches(&factors)?;
        let (a, b) = (source.chosen(own.clone())?, factors.chosen(places)?);
        let products = apply(Op::Mul, &[a.raw_values().into(), b.raw_values().into()])?;
        let mut values = RawTensor::zeros(source.raw_values().sizes(), &Options::new().dtype(products.dtype()).device(self.device())?)?;
        let count = own.len();
        add_at_coordinates(&mut values, &[RawTensor::from_vec(own, &[count])?], &products)?;
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
        let shape = crate::geometry::broadcast::broadcast_shapes(&[self.sizes(), dense.sizes()])?;
        if shape[..] != *self.sizes() {
            let (own, other) = (self.sizes(), dense.sizes());
            return Err(Error::runtime(format!("mul(sparse, dense): the dense tensor of shape {other:?} doesn't broadcast to {own:?}")));
        }
        let coordinates = self.coordinates_inside()?;
        if coordinates.is_empty() {
            return self.scale(Op::Mul, dense.into());
        }
        let factors = at_coordinates(&one(Function::Expand, &[dense.into(), signed(self.sizes())[..].into()])?, &coordinates)?;
        let values = apply(Op::Mul, &[self.raw_values().into(), (&factors).into()])?;
        Ok(self.with_values(values))
    }

    /// PyTorch's `mul` and `div` with a number, or a tensor without dimensions.
    ///
    /// # Errors
    /// For other tensors, other operations, and where the dtypes don't promote.
    pub fn scale(&self, op: Op, by: RawOperand<'_>) -> Result<Self> {
        if !matches!(op, Op::Mul | Op::Div) {
            return Err(Error::not_implemented(format!("{op} isn't there for sparse tensors")));
        }
        if let Some(tensor) = by.tensor().filter(|tensor| tensor.rank() > 0) {
            return Err(Error::runtime(format!(
                "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {:?} for divisor)",
                tensor.sizes()
            )));
        }
        Ok(self.with_values(apply(op, &[self.raw_values().into(), by])?))
    }

    /// PyTorch's `neg`, of the values as they are stored.
    ///
    /// # Errors
    /// For bool.
    pub fn neg(&self) -> Result<Self> {
        Ok(self.with_values(apply(Op::Neg, &[self.raw_values().into()])?))
    }

    /// PyTorch's `abs`, of the coalesced tensor.
    ///
    /// # Errors
    /// For bool.
    pub fn abs(&self) -> Result<Self> {
        let tensor = self.coalesce()?;
        let values = apply(Op::Abs, &[tensor.raw_values().into()])?;
        Ok(tensor.with_values(values))
    }

    /// A copy with parts of its own.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn copied(&self) -> Result<Self> {
        Ok(self.with(copied(self.raw_indices())?, copied(self.raw_values())?))
    }

    /// The values in another dtype.
    ///
    /// # Errors
    /// For quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<Self> {
        Ok(self.with_values(cast(self.raw_values(), dtype)?))
    }

    /// PyTorch's `sum` of all elements, in the dtype that a dense tensor's has.
    ///
    /// # Errors
    /// For dtypes that only store.
    pub fn sum(&self) -> Result<RawTensor> {
        reduced(Reduction::Sum, self.raw_values(), &Along::all())
    }

    /// PyTorch's `transpose` of two sparse dimensions.
    ///
    /// # Errors
    /// Where a dimension isn't there, or is dense.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Self> {
        let rank = self.sizes().len();
        let (a, b) = (wrap_dim(dim0, rank)?, wrap_dim(dim1, rank)?);
        if a.max(b) >= self.sparse_dim().max(1) {
            return Err(Error::runtime("transpose(): transposed dimensions must be sparse"));
        }
        let (mut order, mut sizes): (Vec<i64>, _) = ((0_i64..).take(self.sparse_dim()).collect(), Dims::from(self.sizes()));
        if !order.is_empty() {
            order.swap(a, b);
            sizes.swap(a, b);
        }
        let count = order.len();
        let indices = chosen_along(self.raw_indices(), 0, &RawTensor::from_vec(order, &[count])?.to_device(self.device())?)?;
        Ok(Self::of(indices, self.raw_values().clone(), sizes, Coalesced::Unknown))
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
        let (&[rows, inner], 2, &[own_inner, columns]) = (self.sizes(), self.sparse_dim(), dense.sizes()) else {
            return Err(Error::runtime(format!(
                "mm: expected a sparse and a dense matrix, but got {}D and {}D tensors",
                self.sizes().len(),
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
        let mut product = RawTensor::zeros(&[rows, columns], &Options::new().dtype(self.dtype()).device(self.device())?)?;
        if self.nnz() == 0 {
            return Ok(product);
        }
        let [row, column] = &self.coordinates_inside()?[..] else { return Ok(product) };
        let factors = chosen_along(dense, 0, column)?;
        let values = one(Function::Unsqueeze, &[self.raw_values().into(), 1_isize.into()])?;
        let terms = apply(Op::Mul, &[(&factors).into(), (&values).into()])?;
        add_at_coordinates(&mut product, std::slice::from_ref(row), &terms)?;
        Ok(product)
    }

    /// PyTorch's `mv` of a sparse matrix and a dense row.
    ///
    /// # Errors
    /// As [`mm`](Self::mm).
    pub fn mv(&self, dense: &RawTensor) -> Result<RawTensor> {
        let product = self.mm(&one(Function::Unsqueeze, &[dense.into(), (-1_isize).into()])?)?;
        one(Function::SqueezeDim, &[(&product).into(), (-1_isize).into()])
    }
}
