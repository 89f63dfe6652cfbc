//! Constructors. Where the type says the shape they take none, and can't fail; where it says the dtype, the shape's argument
//! decides what the type of the tensor knows of it; [`DynTensor`]s take both as values.

use half::{bf16, f16};
use num_complex::Complex;

use super::{DynTensor, Tensor};
use crate::create::{IntoOptions, Options};
use crate::element::{Any, Element, Native};
use crate::error::{Error, Result, proved};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, D, Dyn, KnownShape, Rank, Shape, ShapeArgument};

fn typed_options<E: Native>() -> Options {
    Options::new().dtype(E::NATIVE)
}

/// Tensors whose type knows everything: `Tensor::<f32, shape![5, 3]>::zeros()`.
///
/// They panic only where there isn't as much memory.
impl<E: Native, S: KnownShape> Tensor<E, S> {
    fn known(make: impl FnOnce(&[usize], &Options) -> Result<RawTensor>) -> Self {
        Self::proved(proved(make(&S::known(), &typed_options::<E>())))
    }

    /// Zeros, or false.
    #[must_use]
    pub fn zeros() -> Self {
        Self::known(RawTensor::zeros)
    }

    /// Ones, or true.
    #[must_use]
    pub fn ones() -> Self {
        Self::known(|sizes, options| RawTensor::full(sizes, Scalar::Int(1), options))
    }

    /// Whatever was in the memory.
    #[must_use]
    pub fn empty() -> Self {
        Self::known(RawTensor::new)
    }

    /// The same number everywhere.
    #[must_use]
    pub fn full(number: E) -> Self
    where
        Scalar: From<E>,
    {
        Self::known(|sizes, options| RawTensor::full(sizes, number.into(), options))
    }
}

/// Tensors whose type knows the dtype, and of the shape what the argument says.
impl<E: Native> Tensor<E> {
    fn shaped<A: ShapeArgument>(shape: &A, make: impl FnOnce(&[usize], &Options) -> Result<RawTensor>) -> Result<Tensor<E, A::Shape>> {
        Ok(Tensor::proved(make(&shape.sizes()?, &typed_options::<E>())?))
    }

    /// Zeros, or false: `Tensor::<f32>::zeros([5, 3])?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    pub fn zeros<A: ShapeArgument>(shape: A) -> Result<Tensor<E, A::Shape>> {
        let sizes = shape.signed_sizes();
        if sizes.iter().any(|&size| size < 0) {
            return Err(Error::runtime("zeros: Dimension size must be non-negative."));
        }
        Self::shaped(&shape, RawTensor::zeros)
    }

    /// Ones, or true.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn ones<A: ShapeArgument>(shape: A) -> Result<Tensor<E, A::Shape>> {
        Self::full(shape, 1)
    }

    /// Whatever was in the memory.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn empty<A: ShapeArgument>(shape: A) -> Result<Tensor<E, A::Shape>> {
        Self::shaped(&shape, RawTensor::new)
    }

    /// The same number everywhere.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros), and where the number doesn't fit the dtype.
    pub fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>) -> Result<Tensor<E, A::Shape>> {
        Self::shaped(&shape, |sizes, options| RawTensor::full(sizes, number.into(), options))
    }

    /// `start`, `start + step` and so on, up to `end` and without it.
    ///
    /// # Errors
    /// Where the numbers make no range, or the dtype is `bool` or complex.
    pub fn arange(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>) -> Result<Tensor<E, Rank<1>>> {
        RawTensor::arange(start.into(), end.into(), step.into(), &typed_options::<E>()).map(Tensor::proved)
    }

    /// So many numbers, evenly from `start` to `end`, both included.
    ///
    /// # Errors
    /// Where the memory would be larger than can be, or the dtype is `bool`.
    pub fn linspace(start: f64, end: f64, steps: usize) -> Result<Tensor<E, Rank<1>>> {
        RawTensor::linspace(start, end, steps, &typed_options::<E>()).map(Tensor::proved)
    }

    /// Ones on the diagonal of a matrix of zeros.
    ///
    /// # Errors
    /// Where the memory would be larger than can be.
    pub fn eye(rows: usize, columns: usize) -> Result<Tensor<E, Rank<2>>> {
        RawTensor::eye(rows, columns, &typed_options::<E>()).map(Tensor::proved)
    }

    /// The numbers of a `Vec`, in row-major order, whose memory becomes the storage.
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
    pub fn from_vec<A: ShapeArgument>(numbers: Vec<E>, shape: A) -> Result<Tensor<E, A::Shape>> {
        RawTensor::from_vec(numbers, &shape.sizes()?).map(Tensor::proved)
    }

    /// Copies of the numbers of a slice, in row-major order.
    ///
    /// # Errors
    /// Where the length isn't that of the shape.
    pub fn from_slice<A: ShapeArgument>(numbers: &[E], shape: A) -> Result<Tensor<E, A::Shape>> {
        Self::from_vec(numbers.to_vec(), shape)
    }
}

/// Tensors of a dtype and a shape that are values. The last argument is a [`DType`](latten_spec::DType), a device, both as a pair,
/// or [`Options`]; `Options::new()` is the default dtype on the host.
impl DynTensor {
    fn made<A: ShapeArgument>(
        shape: &A,
        options: impl IntoOptions,
        make: impl FnOnce(&[usize], &Options) -> Result<RawTensor>,
    ) -> Result<Self> {
        Ok(Self::proved(make(&shape.sizes()?, &options.into_options()?)?))
    }

    /// Zeros, or false: `DynTensor::zeros([5, 3], DType::F32)?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    pub fn zeros<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        if shape.signed_sizes().iter().any(|&size| size < 0) {
            return Err(Error::runtime("zeros: Dimension size must be non-negative."));
        }
        Self::made(&shape, options, RawTensor::zeros)
    }

    /// Ones, or true.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn ones<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        Self::made(&shape, options, |sizes, options| {
            let dtype = options.dtype.unwrap_or_else(crate::dtype::default_dtype);
            RawTensor::full(sizes, Scalar::Int(1), &options.dtype(dtype))
        })
    }

    /// Whatever was in the memory.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    pub fn empty<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        Self::made(&shape, options, RawTensor::new)
    }

    /// The same number everywhere; without a dtype, of the number's.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros), and where the number doesn't fit the dtype.
    pub fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self> {
        Self::made(&shape, options, |sizes, options| RawTensor::full(sizes, number.into(), options))
    }

    /// `start`, `start + step` and so on, up to `end` and without it; without a dtype, `int64` where all three are integers.
    ///
    /// # Errors
    /// Where the numbers make no range, or the dtype is `bool` or complex.
    pub fn arange(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self> {
        RawTensor::arange(start.into(), end.into(), step.into(), &options.into_options()?).map(Self::proved)
    }

    /// So many numbers, evenly from `start` to `end`, both included.
    ///
    /// # Errors
    /// Where the memory would be larger than can be, or the dtype is `bool`.
    pub fn linspace(start: f64, end: f64, steps: usize, options: impl IntoOptions) -> Result<Self> {
        RawTensor::linspace(start, end, steps, &options.into_options()?).map(Self::proved)
    }

    /// Ones on the diagonal of a matrix of zeros.
    ///
    /// # Errors
    /// Where the memory would be larger than can be.
    pub fn eye(rows: usize, columns: usize, options: impl IntoOptions) -> Result<Self> {
        RawTensor::eye(rows, columns, &options.into_options()?).map(Self::proved)
    }

    /// Numbers that were written down, in row-major order; without a dtype, of the one that suits them all.
    ///
    /// # Errors
    /// Where their count isn't that of the shape, or one doesn't fit the dtype.
    pub fn from_scalars<A: ShapeArgument>(numbers: &[Scalar], shape: A, options: impl IntoOptions) -> Result<Self> {
        Self::made(&shape, options, |sizes, options| RawTensor::from_scalars(numbers, sizes, options))
    }
}

/// Tensors like another one, or new ones for it.
impl<E: Element, S: Shape> Tensor<E, S> {
    fn like(&self, make: impl FnOnce(&RawTensor) -> Result<()>) -> Self {
        let tensor = proved(self.raw().empty_like(self.raw().dtype(), MemoryFormat::Preserve));
        proved(make(&tensor));
        Self::proved(tensor)
    }

    /// A tensor of the same dtype, shape, device and order of strides, with whatever was in the memory.
    #[must_use]
    pub fn empty_like(&self) -> Self {
        self.like(|_| Ok(()))
    }

    /// Zeros of the same dtype, shape, device and order of strides.
    #[must_use]
    pub fn zeros_like(&self) -> Self {
        self.like(RawTensor::zero_)
    }

    /// Ones of the same dtype, shape, device and order of strides.
    #[must_use]
    pub fn ones_like(&self) -> Self {
        self.like(|tensor| tensor.fill_(1))
    }

    /// The same number everywhere, in the same dtype, shape, device and order of strides.
    ///
    /// # Errors
    /// Where the number doesn't fit the dtype.
    pub fn full_like(&self, number: impl Into<Scalar>) -> Result<Self> {
        let tensor = self.empty_like();
        tensor.raw().fill_(number)?;
        Ok(tensor)
    }

    /// An empty tensor like this one, in another dtype, on another device or in a memory format.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, or this build can't use the device.
    pub fn empty_like_with(&self, options: impl IntoOptions) -> Result<Tensor<Any, S>> {
        self.raw().new_like(&options.into_options()?).map(Tensor::proved)
    }

    fn new_of(&self) -> Options {
        Options { dtype: Some(self.raw().dtype()), device: Some(self.raw().device()), format: None }
    }

    /// A tensor of this dtype and device and another shape, with whatever was in the memory.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    pub fn new_empty<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        RawTensor::new(&shape.sizes()?, &self.new_of()).map(Tensor::proved)
    }

    /// Zeros of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty).
    pub fn new_zeros<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        RawTensor::zeros(&shape.sizes()?, &self.new_of()).map(Tensor::proved)
    }

    /// Ones of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty).
    pub fn new_ones<A: ShapeArgument>(&self, shape: A) -> Result<Tensor<E, A::Shape>> {
        self.new_full(shape, 1)
    }

    /// The same number everywhere, of this dtype and device and another shape.
    ///
    /// # Errors
    /// As [`new_empty`](Self::new_empty), and where the number doesn't fit the dtype.
    pub fn new_full<A: ShapeArgument>(&self, shape: A, number: impl Into<Scalar>) -> Result<Tensor<E, A::Shape>> {
        RawTensor::full(&shape.sizes()?, number.into(), &self.new_of()).map(Tensor::proved)
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
