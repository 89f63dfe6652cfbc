//! Constructors. Where the type says the shape they take none, and can't fail; where it says the dtype, the shape's argument
//! decides what the type of the tensor knows of it; [`DynTensor`]s take both as values.

use half::{bf16, f16};
use num_complex::Complex;

use super::made::filled;
use super::{DynTensor, OfLength, OfShape, Operand, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::create::{IntoOptions, Options};
use crate::element::{Any, Element, Native};
use crate::error::{Error, Result, proved};
use crate::kinds::Real;
use crate::raw::RawTensor;
use crate::relations::PromoteWith;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, D, Dimensioned, Dyn, KnownDim, KnownShape, Shape, ShapeArgument, SignedDims, SizeInteger};
use crate::storage::TypedStorage;

/// Tensors whose type knows everything: `Tensor::<f32, shape![5, 3]>::zeros()`.
///
/// They panic only where there isn't as much memory.
impl<E: Native, S: KnownShape> Tensor<E, S> {
    fn known(function: Function, number: &[CallArgument<'_>]) -> Self {
        let sizes: SignedDims = S::known().iter().map(|size| size.cast_signed()).collect();
        proved(filled(function, &sizes, number, E::DTYPE))
    }

    as_written! {
        /// Zeros, or false.
        #[must_use]
        pub fn zeros() -> Self { // of sizes of the run: Tensor::<f32>::zeros([n, 3])?
            Self::known(Function::Zeros, &[])
        }

        /// Ones, or true.
        #[must_use]
        pub fn ones() -> Self { // of sizes of the run: Tensor::<f32>::ones([n, 3])?
            Self::known(Function::Ones, &[])
        }
    }

    /// Whatever was in the memory.
    #[must_use]
    pub fn empty() -> Self {
        Self::known(Function::Empty, &[])
    }

    as_written! {
        /// The same number everywhere, of a kind that leaves the dtype as it is: no float for integers.
        ///
        /// # Panics
        /// Where an integer is larger than the dtype holds.
        #[must_use]
        #[track_caller]
        pub fn full<N: Operand + Into<Scalar>>( // of sizes of the run: Tensor::<f32>::full([n, 3], 0.5)?
            number: N,
        ) -> Self
        where
            E: PromoteWith<Dimensioned, N::Level, N::Element, Output = E>,
        {
            Self::known(Function::Full, &[number.into().into()])
        }
    }
}

/// Where the elements of a triangle are.
macro_rules! triangles {
    ($($(#[$comment:meta])* $function:ident $name:ident $with:ident;)+) => { $(
        $(#[$comment])*
        ///
        /// # Errors
        /// For negative sizes, and where the dtype isn't `i64` or `i32`.
        pub fn $name(row: impl SizeInteger, col: impl SizeInteger) -> Result<Tensor<E, (D<2>, Dyn)>> {
            Self::$with(row, col, 0)
        }

        #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") by another diagonal; 1 is the one above the main one.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ").")]
        pub fn $with(row: impl SizeInteger, col: impl SizeInteger, offset: impl SizeInteger) -> Result<Tensor<E, (D<2>, Dyn)>> {
            made(Function::$function, &[row.to_isize().into(), col.to_isize().into(), offset.to_isize().into(), E::DTYPE.into()])
        }
    )+ };
}

/// Zeros.
impl<E: Native, S: KnownShape> Default for Tensor<E, S> {
    fn default() -> Self {
        Self::zeros()
    }
}

/// Matrices whose type knows both sizes.
impl<E: Native, P: KnownDim, Q: KnownDim> Tensor<E, (P, Q)> {
    /// Ones on the diagonal of a matrix of zeros: `Tensor::<f32, shape![4, 4]>::eye()`.
    #[must_use]
    pub fn eye() -> Self {
        proved(<Self as OfShape>::eye([P::N, Q::N]))
    }
}

/// Rows whose type knows their length.
impl<E: Real, P: KnownDim> Tensor<E, (P,)> {
    /// 0, 1, 2 and so on, as many as the type says: `Tensor::<i64, shape![10]>::arange()`.
    #[must_use]
    pub fn arange() -> Self {
        proved(<Self as OfLength>::arange(P::N))
    }

    /// As many numbers as the type says, evenly from `start` to `end`, both included: `Tensor::<f64, shape![5]>::linspace(0, 1)`.
    ///
    /// # Panics
    /// Where the dtype can't hold one of the two.
    #[must_use]
    #[track_caller]
    pub fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>) -> Self {
        proved(<Self as OfLength>::linspace(start, end, P::N))
    }

    /// The integers from 0 on, as many as the type says, in an order by chance: `Tensor::<i64, shape![10]>::randperm()`.
    ///
    /// # Panics
    /// Where the dtype can't hold all of them.
    #[must_use]
    #[track_caller]
    pub fn randperm() -> Self {
        proved(<Self as OfLength>::randperm(P::N))
    }

    /// As many powers of ten as the type says, their exponents evenly from `start` to `end`: `Tensor::<f64, shape![3]>::logspace(-1, 1)`.
    ///
    /// # Panics
    /// Where the dtype can't hold one of the exponents.
    #[must_use]
    #[track_caller]
    pub fn logspace(start: impl Into<Scalar>, end: impl Into<Scalar>) -> Self {
        proved(<Self as OfLength>::logspace(start, end, P::N))
    }
}

/// Places of a triangle of matrices.
impl<E: Native> Tensor<E> {
    triangles! {
        /// PyTorch's `tril_indices(row, col)`: rows and columns of the places on and below the diagonal: `Tensor::<i64>::tril_indices(3, 3)?`.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// assert_eq!(Tensor::<i64>::tril_indices(2, 2)?.to_vec(), [0, 1, 1, 0, 0, 1]);
        /// assert_eq!(Tensor::<i64>::triu_indices_with(2, 2, 1)?.to_vec(), [0, 1]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        TrilIndices tril_indices tril_indices_with;
        /// PyTorch's `triu_indices(row, col)`: of those on and above it.
        TriuIndices triu_indices triu_indices_with;
    }
}

/// Tensors whose type knows the dtype. With the shape in the type, too, they are methods of [`OfShape`] and [`OfLength`].
impl<E: Native> Tensor<E> {
    as_written! {
        /// The numbers of a `Vec`, in row-major order, whose memory becomes the storage. One of the sizes may be -1, or `_`: `shape![_, 3]`.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let x = Tensor::<f32>::from_vec(vec![1.0, 2.0, 3.0, 4.0], [2, 2])?;
        /// assert_eq!(x.get([1, 0])?, 3.0);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where the length isn't that of the shape.
        pub fn from_vec<A: ShapeArgument>( // of one dimension: Tensor::from(vec)
            numbers: Vec<E>,
            shape: A,
        ) -> Result<Tensor<E, A::Shape>> {
            <Self as OfShape>::from_vec(numbers, shape)
        }
    }

    /// Copies of the numbers of a slice, in row-major order.
    ///
    /// # Errors
    /// Where the length isn't that of the shape.
    pub fn from_slice<A: ShapeArgument>(numbers: &[E], shape: A) -> Result<Tensor<E, A::Shape>> {
        <Self as OfShape>::from_slice(numbers, shape)
    }
}

impl DynTensor {
    /// Numbers that were written down, in row-major order; without a dtype, of the one that suits them all.
    ///
    /// # Errors
    /// Where their count isn't that of the shape, or one doesn't fit the dtype.
    pub fn from_scalars<A: ShapeArgument>(numbers: &[Scalar], shape: A, options: impl IntoOptions) -> Result<Self> {
        RawTensor::from_scalars(numbers, &shape.sizes()?, &options.into_options()?).map(Self::proved)
    }
}

/// Tensors like another one, or new ones for it.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// A tensor of the same dtype, shape, device and order of strides, with whatever was in the memory.
        #[must_use]
        pub fn empty_like( // or x.empty_like_with(DType::F64)?
            &self,
        ) -> Self {
            proved(made(Function::EmptyLike, &[self.raw().into()]))
        }
    }

    /// Zeros of the same dtype, shape, device and order of strides.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        proved(made(Function::ZerosLike, &[self.raw().into()]))
    }

    /// Ones of the same dtype, shape, device and order of strides.
    #[must_use]
    pub fn ones_like(&self) -> Self {
        proved(made(Function::OnesLike, &[self.raw().into()]))
    }

    /// The same number everywhere, in the same dtype, shape, device and order of strides.
    ///
    /// # Panics
    /// Where [`try_full_like`](Self::try_full_like) is an error.
    #[must_use]
    #[track_caller]
    pub fn full_like(&self, number: impl Into<Scalar>) -> Self {
        proved(self.try_full_like(number))
    }

    /// What [`full_like`](Self::full_like) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the number doesn't fit the dtype.
    pub fn try_full_like(&self, number: impl Into<Scalar>) -> Result<Self> {
        made(Function::FullLike, &[self.raw().into(), number.into().into()])
    }

    /// An empty tensor like this one, in another dtype, on another device or in a memory format.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, or this build can't use the device.
    pub fn empty_like_with(&self, options: impl IntoOptions) -> Result<Tensor<Any, S>> {
        let Options { dtype, device, format } = options.into_options()?;
        made(Function::EmptyLike, &[self.raw().into(), dtype.into(), device.into(), format.into()])
    }

    /// A tensor of this dtype and device and another shape, with whatever was in the memory.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    pub fn new_empty<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        made(Function::NewEmpty, &[self.raw().into(), (&shape.signed_sizes()[..]).into()])
    }

    /// Zeros of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty).
    pub fn new_zeros<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        made(Function::NewZeros, &[self.raw().into(), (&shape.signed_sizes()[..]).into()])
    }

    /// Ones of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty).
    pub fn new_ones<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        made(Function::NewOnes, &[self.raw().into(), (&shape.signed_sizes()[..]).into()])
    }

    /// The same number everywhere, of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty), and where the number doesn't fit the dtype.
    pub fn new_full<A: ShapeArgument>(&self, shape: A, number: impl Into<Scalar>) -> Result<Tensor<E, A::Shape>> {
        made(Function::NewFull, &[self.raw().into(), (&shape.signed_sizes()[..]).into(), number.into().into()])
    }
}

/// Numbers as they stand: `Tensor::from([[1_i64, 2], [3, 4]])` has the sizes in its type.
macro_rules! arrays {
    ($([$($size:ident)*] $array:ty, $flatten:expr;)+) => { $(
        impl<T: Native, $(const $size: usize),*> From<$array> for Tensor<T, ($(D<$size>,)*)> {
            fn from(numbers: $array) -> Self {
                let flatten: fn($array) -> Vec<T> = $flatten;
                Self::proved(proved(RawTensor::from_vec(flatten(numbers), &[$($size),*])))
            }
        }
    )+ };
}

arrays! {
    [A]       [T; A],                |row| row.to_vec();
    [A B]     [[T; B]; A],           |rows| rows.concat();
    [A B C]   [[[T; C]; B]; A],      |rows| rows.concat().concat();
    [A B C E] [[[[T; E]; C]; B]; A], |rows| rows.concat().concat().concat();
}

impl<T: Native> From<Vec<T>> for Tensor<T, (Dyn,)> {
    fn from(numbers: Vec<T>) -> Self {
        let size = numbers.len();
        Self::proved(proved(RawTensor::from_vec(numbers, &[size])))
    }
}

/// What is borrowed is copied.
macro_rules! borrowed {
    ($([$($count:tt)*] $numbers:ty, $Size:ty;)+) => { $(
        impl<T: Native $($count)*> From<&$numbers> for Tensor<T, ($Size,)> {
            fn from(numbers: &$numbers) -> Self {
                Self::proved(proved(RawTensor::from_vec(numbers.to_vec(), &[numbers.len()])))
            }
        }
    )+ };
}

borrowed! {
    [] [T], Dyn;
    [] Vec<T>, Dyn;
    [, const N: usize] [T; N], D<N>;
}

/// All numbers of a storage, which the tensor shares.
///
/// ```
/// # use latten_core::{storage::FloatStorage, tensor::Tensor};
/// let storage = FloatStorage::from_slice(&[1.0, 2.0, 3.0, 4.0])?;
/// Tensor::from(storage.clone()).view([2, 2])?.select(0, 1)?.fill_(0)?;
/// assert_eq!(storage.tolist()?, [1.0, 2.0, 0.0, 0.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
impl<T: Native> From<TypedStorage<T>> for Tensor<T, (Dyn,)> {
    fn from(storage: TypedStorage<T>) -> Self {
        Self::proved(proved(RawTensor::of_all(storage.untyped(), T::DTYPE, &[storage.len()])))
    }
}

/// Rows of one length.
impl<T: Native> TryFrom<Vec<Vec<T>>> for Tensor<T, (Dyn, Dyn)> {
    type Error = Error;

    fn try_from(rows: Vec<Vec<T>>) -> Result<Self> {
        let columns = rows.first().map_or(0, Vec::len);
        if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != columns) {
            return Err(Error::value(format!("expected sequence of length {columns} at dim 1 (got {} in row {at})", row.len())));
        }
        let sizes = [rows.len(), columns];
        Ok(Self::proved(RawTensor::from_vec(rows.concat(), &sizes)?))
    }
}

macro_rules! single {
    ($($number:ty)+) => { $(
        impl From<$number> for Tensor<$number, ()> {
            fn from(number: $number) -> Self {
                Self::proved(proved(RawTensor::from_vec(vec![number], &[])))
            }
        }
    )+ };
}

single! { bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64> }

impl<E: Native, S: Shape> From<Tensor<E, S>> for Tensor<Any, AnyShape> {
    fn from(tensor: Tensor<E, S>) -> Self {
        Self::proved(tensor.into_raw())
    }
}
