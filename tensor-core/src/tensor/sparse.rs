//! The sparse tensor with its dtype in its type. It has the methods that sparse tensors have and no others: what PyTorch refuses for
//! sparse tensors, or for dense ones, doesn't compile. What the methods do is in [`sparse`](crate::sparse).

use std::marker::PhantomData;

use latten_spec::DType;

use super::{Operand, Tensor, made};
use crate::call::{Call, CallArgument, Function, run};
use crate::device::Device;
use crate::element::{Any, Element};
use crate::error::{Error, Result, proved};
use crate::geometry::count;
use crate::layout::Layout;
use crate::op;
use crate::relations::{CastInto, IndexElement, PromoteWith};
use crate::scalar::Scalar;
use crate::shape::{Dimensioned, Rank, Shape, ShapeArgument};
use crate::sparse::{Coalesced, RawSparse};

/// A tensor of which only some elements are stored, with their coordinates: PyTorch's `sparse_coo`. All others are zero.
///
/// ```
/// # use latten_core::tensor::{SparseTensor, Tensor};
/// let coordinates = Tensor::from([[0_i64, 1, 1], [2, 0, 2]]);
/// let sparse = SparseTensor::new(&coordinates, &Tensor::from([3.0_f32, 4.0, 5.0]), [2, 3])?;
/// assert_eq!(sparse.to_dense().to_vec(), [0.0, 0.0, 3.0, 4.0, 0.0, 5.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseTensor<E: Element = Any> {
    raw: RawSparse,
    known: PhantomData<fn() -> E>,
}

/// Makes a call that gives a sparse tensor.
fn given<E: Element>(function: Function, arguments: &[CallArgument<'_>]) -> Result<SparseTensor<E>> {
    run(Call::new(function, arguments))?.sparse_tensor().map(SparseTensor::proved)
}

/// What two dimensioned tensors promote to.
type Promoted<E, F> = <E as PromoteWith<Dimensioned, Dimensioned, F>>::Output;

impl<E: Element> SparseTensor<E> {
    fn proved(raw: RawSparse) -> Self {
        debug_assert!(E::KNOWN_DTYPE.is_none_or(|dtype| dtype == raw.dtype()), "{:?}", raw.dtype());
        Self { raw, known: PhantomData }
    }

    as_written! {
        /// PyTorch's `sparse_coo_tensor`: the values at those coordinates, one column of indices for each value. The parts are shared.
        ///
        /// # Errors
        /// Where the parts don't fit each other or the sizes, and where a coordinate is outside.
        pub fn new<I: IndexElement, R: Shape, S: Shape>( // or SparseTensor::new_with(&places, &values, [2, 3], Coalesced::Unknown)?
            indices: &Tensor<I, R>,
            values: &Tensor<E, S>,
            sizes: impl ShapeArgument,
        ) -> Result<Self> {
            Self::new_with(indices, values, sizes, Coalesced::Unknown)
        }
    }

    /// PyTorch's `sparse_coo_tensor(…, is_coalesced)`: that the coordinates ascend, none of them twice, is said, and looked at.
    ///
    /// # Errors
    /// As [`new`](Self::new), and where they aren't coalesced but shall be.
    pub fn new_with<I: IndexElement, R: Shape, S: Shape>(
        indices: &Tensor<I, R>,
        values: &Tensor<E, S>,
        sizes: impl ShapeArgument,
        coalesced: Coalesced,
    ) -> Result<Self> {
        let is_coalesced = (coalesced == Coalesced::Yes).then_some(true);
        let sizes = sizes.signed_sizes();
        given(
            Function::SparseCooTensor,
            &[indices.raw().into(), values.raw().into(), (&sizes[..]).into(), CallArgument::None, is_coalesced.into()],
        )
    }

    /// The same with the sizes that the largest coordinates tell.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn inferred<I: IndexElement, R: Shape, S: Shape>(indices: &Tensor<I, R>, values: &Tensor<E, S>) -> Result<Self> {
        given(Function::SparseCooTensor, &[indices.raw().into(), values.raw().into()])
    }

    /// The same tensor without what its type knows.
    #[must_use]
    pub fn raw(&self) -> &RawSparse {
        &self.raw
    }

    /// Forgets the dtype, sharing the parts.
    #[must_use]
    pub fn erase(&self) -> SparseTensor {
        SparseTensor::proved(self.raw.clone())
    }

    /// The same tensor with a dtype in its type, sharing the parts.
    ///
    /// # Errors
    /// Where the tensor is of another dtype.
    pub fn typed<F: Element>(&self) -> Result<SparseTensor<F>> {
        match F::KNOWN_DTYPE.filter(|&dtype| dtype != self.dtype()) {
            Some(dtype) => Err(Error::type_error(format!("typed: the tensor has dtype {}, not {dtype}", self.dtype()))),
            None => Ok(SparseTensor::proved(self.raw.clone())),
        }
    }

    /// The sizes of the whole.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        self.raw.sizes()
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.sizes().len()
    }

    /// The number of elements, most of which aren't stored.
    #[must_use]
    pub fn numel(&self) -> usize {
        count(self.sizes())
    }

    /// The dtype.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.raw.dtype()
    }

    /// PyTorch's `layout`.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::SparseCoo
    }

    /// Where the parts are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.raw.device()
    }

    /// How many values are stored: PyTorch's `_nnz`.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.raw.nnz()
    }

    /// How many of the dimensions have coordinates.
    #[must_use]
    pub fn sparse_dim(&self) -> usize {
        self.raw.sparse_dim()
    }

    /// How many dimensions each value has.
    #[must_use]
    pub fn dense_dim(&self) -> usize {
        self.raw.dense_dim()
    }

    /// Whether the coordinates are known to ascend, none of them twice.
    #[must_use]
    pub fn is_coalesced(&self) -> bool {
        self.raw.is_coalesced()
    }

    /// PyTorch's `stride()`, which is 0 along each dimension: only the parts lie in an order.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        vec![0; self.dim()]
    }

    /// PyTorch's `storage_offset()`, which is 0: only the parts have a storage.
    #[must_use]
    pub fn storage_offset(&self) -> usize {
        0
    }

    /// The coordinates in whatever order they are, shared: PyTorch's `_indices`.
    #[must_use]
    pub fn raw_indices(&self) -> Tensor<i64, Rank<2>> {
        proved(made(Function::RawIndices, &[(&self.raw).into()]))
    }

    /// The values in whatever order they are, shared: PyTorch's `_values`.
    #[must_use]
    pub fn raw_values(&self) -> Tensor<E> {
        proved(made(Function::RawValues, &[(&self.raw).into()]))
    }

    /// The values as those of another Rust type.
    ///
    /// # Panics
    /// Where [`try_to`](Self::try_to) is an error.
    #[must_use]
    #[track_caller]
    pub fn to<F: crate::element::Native>(&self) -> SparseTensor<F> {
        proved(self.try_to())
    }

    /// What [`to`](Self::to) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn try_to<F: crate::element::Native>(&self) -> Result<SparseTensor<F>> {
        given(Function::SparseTo, &[(&self.raw).into(), F::DTYPE.into()])
    }

    /// The values in a dtype that the run knows.
    ///
    /// # Errors
    /// For quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<SparseTensor> {
        given(Function::SparseTo, &[(&self.raw).into(), dtype.into()])
    }

    /// PyTorch's `transpose` of two sparse dimensions.
    ///
    /// # Errors
    /// Where a dimension isn't there, or is dense.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Self> {
        given(Function::SparseTranspose, &[(&self.raw).into(), dim0.into(), dim1.into()])
    }

    as_written! {
        /// PyTorch's `add` of two sparse tensors.
        ///
        /// # Errors
        /// Where the sizes differ.
        pub fn add<F: Element>( // or x.add_with(&y, 2)
            &self,
            other: &SparseTensor<F>,
        ) -> Result<SparseTensor<Promoted<E, F>>>
        where
            E: PromoteWith<Dimensioned, Dimensioned, F>,
        {
            given(Function::SparseAdd, &[(&self.raw).into(), (&other.raw).into()])
        }
    }

    /// PyTorch's `add(…, alpha)`: the other one times a number first.
    ///
    /// # Errors
    /// Where the sizes differ.
    pub fn add_with<F: Element>(&self, other: &SparseTensor<F>, alpha: impl Into<Scalar>) -> Result<SparseTensor<Promoted<E, F>>>
    where
        E: PromoteWith<Dimensioned, Dimensioned, F>,
    {
        given(Function::SparseAdd, &[(&self.raw).into(), (&other.raw).into(), alpha.into().into()])
    }

    /// PyTorch's `mul` of two sparse tensors: the products where both have a value.
    ///
    /// # Errors
    /// Where the sizes differ.
    pub fn mul<F: Element>(&self, other: &SparseTensor<F>) -> Result<SparseTensor<Promoted<E, F>>>
    where
        E: PromoteWith<Dimensioned, Dimensioned, F>,
    {
        given(Function::SparseMul, &[(&self.raw).into(), (&other.raw).into()])
    }

    /// PyTorch's `mul` of a sparse tensor and a dense one that broadcasts to its sizes, or a number.
    ///
    /// # Errors
    /// Where the dense tensor doesn't broadcast.
    pub fn scale<X: Operand>(&self, by: X) -> Result<SparseTensor> {
        let by = by.erased();
        let function = if by.tensor().is_some() { Function::SparseMulDense } else { Function::SparseScale };
        given(function, &[(&self.raw).into(), by.into()])
    }

    /// PyTorch's `div` by a number, or by a tensor without dimensions.
    ///
    /// # Errors
    /// For a tensor with dimensions.
    pub fn div<X: Operand>(&self, by: X) -> Result<SparseTensor> {
        given(Function::SparseDiv, &[(&self.raw).into(), by.erased().into()])
    }

    /// PyTorch's `mm` of a sparse matrix and a dense one: a dense one.
    ///
    /// # Panics
    /// Where [`try_mm`](Self::try_mm) is an error.
    #[must_use]
    #[track_caller]
    pub fn mm<S: Shape>(&self, dense: &Tensor<E, S>) -> Tensor<E, Rank<2>> {
        proved(self.try_mm(dense))
    }

    /// What [`mm`](Self::mm) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where they aren't matrices, or their inner sizes or their dtypes differ.
    pub fn try_mm<S: Shape>(&self, dense: &Tensor<E, S>) -> Result<Tensor<E, Rank<2>>> {
        made(Function::SparseMm, &[(&self.raw).into(), dense.raw().into()])
    }

    /// PyTorch's `mv` of a sparse matrix and a dense row.
    ///
    /// # Panics
    /// Where [`try_mv`](Self::try_mv) is an error.
    #[must_use]
    #[track_caller]
    pub fn mv<S: Shape>(&self, dense: &Tensor<E, S>) -> Tensor<E, Rank<1>> {
        proved(self.try_mv(dense))
    }

    /// What [`mv`](Self::mv) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`try_mm`](Self::try_mm).
    pub fn try_mv<S: Shape>(&self, dense: &Tensor<E, S>) -> Result<Tensor<E, Rank<1>>> {
        made(Function::SparseMv, &[(&self.raw).into(), dense.raw().into()])
    }
}

/// What takes a sparse tensor alone: a value, and a twin that returns what it panics with.
macro_rules! certain {
    ($($(#[$comment:meta])* $how:ident $function:ident $name:ident $twin:ident $([$O:ident: $($Bound:ident)::+])? -> $Result:ty, $errors:literal;)+) => {
        impl<E: Element> SparseTensor<E> {$(
            $(#[$comment])*
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name$(<$O: Element>)?(&self) -> $Result
            $(where E: $($Bound)::+<Output = $O>)?
            {
                proved(self.$twin())
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $twin$(<$O: Element>)?(&self) -> Result<$Result>
            $(where E: $($Bound)::+<Output = $O>)?
            {
                $how(Function::$function, &[(&self.raw).into()])
            }
        )+}
    };
}

certain! {
    /// The coordinates of a coalesced tensor, shared.
    made Indices indices try_indices -> Tensor<i64, Rank<2>>, "Where it isn't coalesced.";
    /// The values of a coalesced tensor, shared.
    made Values values try_values -> Tensor<E>, "Where it isn't coalesced.";
    /// PyTorch's `coalesce`: coordinates in ascending order, the values of equal ones added. A coalesced tensor is itself.
    given Coalesce coalesce try_coalesce -> Self, "Where there is no memory for it.";
    /// PyTorch's `to_dense`.
    made ToDense to_dense try_to_dense -> Tensor<E>, "Where there is no memory for it.";
    /// PyTorch's `t` of a matrix.
    given SparseT t try_t -> Self, "For more than two sparse dimensions, and for dense ones.";
    /// PyTorch's `neg`.
    given SparseNeg neg try_neg [O: op::Neg] -> SparseTensor<O>, "Where a dtype that only the run knows is bool.";
    /// PyTorch's `abs`, of the coalesced tensor.
    given SparseAbs abs try_abs [O: op::Abs] -> SparseTensor<O>, "Where a dtype that only the run knows is bool.";
    /// A copy with parts of its own. (`Clone` shares them.)
    given SparseClone copied try_copied -> Self, "Where there is no memory for it.";
    /// PyTorch's `sum` of all elements.
    made SparseSum sum try_sum [O: op::Sum] -> Tensor<O, ()>, "Where the dtype only stores.";
}

/// What tools compute on is a tensor of which only the run knows the dtype.
impl From<RawSparse> for SparseTensor {
    fn from(raw: RawSparse) -> Self {
        Self::proved(raw)
    }
}

impl<E: Element> std::fmt::Display for SparseTensor<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.raw.fmt(f)
    }
}

/// Dense tensors beside sparse ones.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `sparse_dim()` of a dense tensor: none of its dimensions is sparse.
    #[must_use]
    pub fn sparse_dim(&self) -> usize {
        0
    }

    /// PyTorch's `dense_dim()` of a dense tensor: all of its dimensions.
    #[must_use]
    pub fn dense_dim(&self) -> usize {
        self.raw().rank()
    }

    /// PyTorch's `to_sparse`: the elements that aren't zero, and where they are.
    ///
    /// # Panics
    /// Where [`try_to_sparse`](Self::try_to_sparse) is an error.
    #[must_use]
    #[track_caller]
    pub fn to_sparse(&self) -> SparseTensor<E> {
        proved(self.try_to_sparse())
    }

    /// What [`to_sparse`](Self::to_sparse) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn try_to_sparse(&self) -> Result<SparseTensor<E>> {
        given(Function::ToSparse, &[self.raw().into()])
    }

    /// PyTorch's `to_sparse(sparse_dim)`: only that many of the first dimensions become sparse.
    ///
    /// # Errors
    /// Where there aren't that many, and for meta tensors.
    pub fn to_sparse_dims(&self, sparse_dim: isize) -> Result<SparseTensor<E>> {
        given(Function::ToSparse, &[self.raw().into(), sparse_dim.into()])
    }

    /// PyTorch's `add` of a sparse tensor, times a number, to a dense one.
    ///
    /// # Errors
    /// Where the sizes differ.
    pub fn add_sparse<F: Element>(&self, other: &SparseTensor<F>, alpha: impl Into<Scalar>) -> Result<Tensor<Promoted<E, F>, S>>
    where
        E: PromoteWith<Dimensioned, Dimensioned, F>,
    {
        made(Function::DenseAddSparse, &[self.raw().into(), (&other.raw).into(), alpha.into().into()])
    }

    /// PyTorch's `add_` of a sparse tensor, times a number.
    ///
    /// # Errors
    /// Where the sizes differ; nothing is changed then.
    pub fn add_sparse_<F: Element + CastInto<E>>(&mut self, other: &SparseTensor<F>, alpha: impl Into<Scalar>) -> Result<&mut Self> {
        self.changed(Function::DenseAddSparse, &[(&other.raw).into(), alpha.into().into()])
    }
}
