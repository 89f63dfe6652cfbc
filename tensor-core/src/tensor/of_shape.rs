//! Constructors that take a shape: of tensors whose type knows the dtype, and of those whose dtype is a value, too. They are the methods of
//! two traits, so that what is called without a shape, `Tensor::zeros()`, has its shape from its type.

use std::ops::Range;

use super::made::{filled, filled_with, permuted};
use super::{DynTensor, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::create::{IntoOptions, Options};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::reshape::infer_sizes;
use crate::kinds::Continuous;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, Dim, Rank, Shape, ShapeArgument, SizeInteger};

/// Constructors that take the shape, of tensors whose type knows the dtype: `Tensor::<f32>::zeros([5, 3])?`. The result's type knows of the
/// shape what the argument says.
///
/// They are a trait's, which the prelude has, so that `Tensor::zeros()` alone is that of a shape in the type.
pub trait OfShape {
    /// The dtype.
    type Element: Native;
    /// The shape of the result, given what the argument says of it.
    type Given<A: ShapeArgument>: Shape;

    /// Zeros, or false: `Tensor::<f32>::zeros([5, 3])?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    fn zeros<A: ShapeArgument>(shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// Ones, or true.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn ones<A: ShapeArgument>(shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// Whatever was in the memory.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn empty<A: ShapeArgument>(shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// The same number everywhere.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros), and where the number doesn't fit the dtype.
    fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// Ones on the diagonal of a matrix of zeros, with as many columns as rows, `Tensor::<f32>::eye(n)?`, or not: `Tensor::<f32>::eye([2, 3])?`.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    #[expect(clippy::type_complexity, reason = "what the type says, or a rank")]
    fn eye(sides: impl SidesArgument) -> Result<Tensor<Self::Element, Self::Given<[isize; 2]>>>;

    /// The numbers of a `Vec`, in row-major order, whose memory becomes the storage. One of the sizes may be -1, or `_`: `shape![_, 3]`.
    ///
    /// # Errors
    /// Where the length isn't that of the shape.
    fn from_vec<A: ShapeArgument>(numbers: Vec<Self::Element>, shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// Copies of the numbers of a slice, in row-major order.
    ///
    /// # Errors
    /// Where the length isn't that of the shape.
    fn from_slice<A: ShapeArgument>(numbers: &[Self::Element], shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>> {
        Self::from_vec(numbers.to_vec(), shape)
    }

    /// What a function gives for each place: `Tensor::<f32>::from_fn([5, n], |[i, j]| (i + j) as f32)?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    fn from_fn<A: ShapeArgument>(
        shape: A,
        number: impl for<'a> FnMut(<Self::Given<A> as Shape>::Sizes<'a>) -> Self::Element,
    ) -> Result<Tensor<Self::Element, Self::Given<A>>>;

    /// Numbers from 0 to 1: `Tensor::<f32>::rand([5, 3])?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    fn rand<A: ShapeArgument>(shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>
    where
        Self::Element: Continuous;

    /// Normal numbers of mean 0 and deviation 1.
    ///
    /// # Errors
    /// As [`rand`](Self::rand).
    fn randn<A: ShapeArgument>(shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>
    where
        Self::Element: Continuous;

    /// Numbers from `low` to `high`: `Tensor::<f32>::uniform(-1.0, 1.0, [5, 3])?`.
    ///
    /// # Errors
    /// As [`rand`](Self::rand), and where they are in the wrong order.
    fn uniform<A: ShapeArgument>(low: impl RealNumber, high: impl RealNumber, shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>
    where
        Self::Element: Continuous;

    /// Normal numbers of that mean and deviation: `Tensor::<f32>::normal(0.0, 0.1, [5, 3])?`.
    ///
    /// # Errors
    /// As [`rand`](Self::rand), and for a negative deviation.
    fn normal<A: ShapeArgument>(mean: impl RealNumber, std: impl RealNumber, shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>
    where
        Self::Element: Continuous;

    /// Integers from `low` up to `high`, and without it: `Tensor::<i64>::randint(0, 10, [3])?`.
    ///
    /// # Errors
    /// As [`rand`](Self::rand), and for bounds that the dtype can't hold or that have nothing between them.
    fn randint<A: ShapeArgument>(low: impl SizeInteger, high: impl SizeInteger, shape: A) -> Result<Tensor<Self::Element, Self::Given<A>>>;
}

/// Shapes that know less than a size for each dimension: what the argument says, or what the type says, if the argument agrees.
macro_rules! of_shape {
    ($([$($generics:tt)*] $shape:ty => |$A:ident| $given:ty;)+) => { $(
        impl<E: Native $($generics)*> OfShape for Tensor<E, $shape> {
            type Element = E;
            type Given<$A: ShapeArgument> = $given;

            fn zeros<A: ShapeArgument>(shape: A) -> Result<Tensor<E, Self::Given<A>>> {
                shaped(Function::Zeros, &shape, &[])
            }

            fn ones<A: ShapeArgument>(shape: A) -> Result<Tensor<E, Self::Given<A>>> {
                shaped(Function::Ones, &shape, &[])
            }

            fn empty<A: ShapeArgument>(shape: A) -> Result<Tensor<E, Self::Given<A>>> {
                shaped(Function::Empty, &shape, &[])
            }

            fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>) -> Result<Tensor<E, Self::Given<A>>> {
                shaped(Function::Full, &shape, &[number.into().into()])
            }

            fn eye(sides: impl SidesArgument) -> Result<Tensor<E, Self::Given<[isize; 2]>>> {
                let [rows, columns] = sides.sides();
                as_typed(made(Function::EyeOf, &[rows.into(), columns.into(), E::DTYPE.into()])?)
            }

            fn from_vec<A: ShapeArgument>(numbers: Vec<E>, shape: A) -> Result<Tensor<E, Self::Given<A>>> {
                let sizes = infer_sizes(&shape.signed_sizes(), numbers.len())?;
                as_typed(RawTensor::from_vec(numbers, &sizes).map(Tensor::proved)?)
            }

            fn from_fn<A: ShapeArgument>(
                shape: A,
                number: impl for<'a> FnMut(<Self::Given<A> as Shape>::Sizes<'a>) -> E,
            ) -> Result<Tensor<E, Self::Given<A>>> {
                let mut new = <Self as OfShape>::zeros(shape)?;
                new.number_by(number)?;
                Ok(new)
            }

            fn rand<A: ShapeArgument>(shape: A) -> Result<Tensor<E, Self::Given<A>>>
            where
                E: Continuous,
            {
                <Self as OfShape>::uniform(0.0, 1.0, shape)
            }

            fn randn<A: ShapeArgument>(shape: A) -> Result<Tensor<E, Self::Given<A>>>
            where
                E: Continuous,
            {
                <Self as OfShape>::normal(0.0, 1.0, shape)
            }

            fn uniform<A: ShapeArgument>(low: impl RealNumber, high: impl RealNumber, shape: A) -> Result<Tensor<E, Self::Given<A>>>
            where
                E: Continuous,
            {
                let mut new = <Self as OfShape>::empty(shape)?;
                new.uniform_with_(low, high)?;
                Ok(new)
            }

            fn normal<A: ShapeArgument>(mean: impl RealNumber, std: impl RealNumber, shape: A) -> Result<Tensor<E, Self::Given<A>>>
            where
                E: Continuous,
            {
                let mut new = <Self as OfShape>::empty(shape)?;
                new.normal_with_(mean, std)?;
                Ok(new)
            }

            fn randint<A: ShapeArgument>(low: impl SizeInteger, high: impl SizeInteger, shape: A) -> Result<Tensor<E, Self::Given<A>>> {
                let mut new = <Self as OfShape>::empty(shape)?;
                new.random_with_(low, high)?;
                Ok(new)
            }
        }
    )+ };
}

of_shape! {
    [] AnyShape => |A| A::Shape;
    [, P: Dim] (P,) => |A| (P,);
    [, P: Dim, Q: Dim] (P, Q) => |A| (P, Q);
    [, P: Dim, Q: Dim, R: Dim] (P, Q, R) => |A| (P, Q, R);
    [, P: Dim, Q: Dim, R: Dim, T: Dim] (P, Q, R, T) => |A| (P, Q, R, T);
    [, P: Dim, Q: Dim, R: Dim, T: Dim, U: Dim] (P, Q, R, T, U) => |A| (P, Q, R, T, U);
    [, P: Dim, Q: Dim, R: Dim, T: Dim, U: Dim, V: Dim] (P, Q, R, T, U, V) => |A| (P, Q, R, T, U, V);
}

/// A new tensor of a shape that the type may know: then it must be as the type says.
fn shaped<E: Native, A: ShapeArgument, S: Shape>(function: Function, shape: &A, number: &[CallArgument<'_>]) -> Result<Tensor<E, S>> {
    as_typed(filled(function, &shape.signed_sizes(), number, E::DTYPE)?)
}

/// The same tensor where its shape is as the type says.
fn as_typed<E: Native, S: Shape>(new: Tensor<E, AnyShape>) -> Result<Tensor<E, S>> {
    if !S::admits(new.sizes()) {
        return Err(Error::runtime(format!("the shape is {:?}, but the type says {}", new.sizes(), S::describe())));
    }
    Ok(Tensor::proved(new.into_raw()))
}

/// How many rows and columns a matrix has: `3`, as many of both, or `[2, 3]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say how many rows and columns a matrix has",
    label = "neither one size nor two",
    note = "write `eye(3)` or `eye([2, 3])`"
)]
pub trait SidesArgument {
    /// Rows and columns.
    fn sides(self) -> [isize; 2];
}

impl<T: SizeInteger> SidesArgument for T {
    fn sides(self) -> [isize; 2] {
        [self.to_isize(); 2]
    }
}

impl<T: SizeInteger> SidesArgument for [T; 2] {
    fn sides(self) -> [isize; 2] {
        self.map(|side| side.to_isize())
    }
}

/// A range of numbers: from 0 up to one, `10`, or from one to another, `2..10`. The last one isn't in it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a range of numbers",
    label = "neither a number nor a range",
    note = "write `arange(10)` or `arange(2..10)`; with a step `arange_with(2, 10, 3)`"
)]
pub trait RangeArgument {
    /// Where it starts and ends.
    fn ends(self) -> [Scalar; 2];
}

impl<N: RealNumber> RangeArgument for N {
    fn ends(self) -> [Scalar; 2] {
        [Scalar::Int(0), self.into()]
    }
}

impl<N: RealNumber> RangeArgument for Range<N> {
    fn ends(self) -> [Scalar; 2] {
        [self.start.into(), self.end.into()]
    }
}

/// Constructors of one dimension that compute its length, of tensors whose type knows the dtype: `Tensor::<i64>::arange(10)?`.
/// Where the type knows the length, it is checked.
pub trait OfLength: Sized {
    /// The row that is made.
    type Given;

    as_written! {
        /// Numbers from 0 up to one and without it, `Tensor::<i64>::arange(10)?`, or those of a range, `Tensor::<f32>::arange(0.5..4.0)?`.
        ///
        /// # Errors
        /// Where the numbers make no range, or the dtype is `bool` or complex.
        fn arange(range: impl RangeArgument) -> Result<Self::Given> { // arange(10), arange(2..10); with a step: arange_with(2, 10, 3)
            let [start, end] = range.ends();
            Self::arange_with(start, end, 1)
        }
    }

    /// `start`, `start + step` and so on, up to `end` and without it: `Tensor::<i64>::arange_with(10, 0, -2)?`.
    ///
    /// # Errors
    /// As [`arange`](Self::arange), and for a step of 0.
    fn arange_with(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>) -> Result<Self::Given>;

    /// That many numbers, evenly from `start` to `end`, both included.
    ///
    /// # Errors
    /// Where the memory would be larger than can be, or the dtype is `bool`.
    fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger) -> Result<Self::Given>;

    /// That many powers of ten, their exponents evenly from `start` to `end`: `Tensor::<f64>::logspace(-3, 3, 7)?`.
    ///
    /// # Errors
    /// As [`linspace`](Self::linspace).
    fn logspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger) -> Result<Self::Given>;

    /// The integers from 0 up to `count`, in an order by chance.
    ///
    /// # Errors
    /// Where the dtype can't hold all of them.
    fn randperm(count: impl SizeInteger) -> Result<Self::Given>;
}

/// Rows of a dtype that types know: of a length that they may say, or of any, where all that is known is that there is one dimension.
macro_rules! of_length {
    ($([$($generics:tt)*] $shape:ty => $given:ty;)+) => { $(
        impl<E: Native $($generics)*> OfLength for Tensor<E, $shape> {
            type Given = Tensor<E, $given>;

            fn arange_with(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>) -> Result<Self::Given> {
                as_typed(made(Function::ArangeFrom, &[start.into().into(), end.into().into(), step.into().into(), E::DTYPE.into()])?)
            }

            fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger) -> Result<Self::Given> {
                let arguments = [start.into().into(), end.into().into(), steps.to_isize().into(), E::DTYPE.into()];
                as_typed(made(Function::Linspace, &arguments)?)
            }

            fn logspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger) -> Result<Self::Given> {
                let base = Scalar::Float(10.0).into();
                as_typed(made(Function::Logspace, &[start.into().into(), end.into().into(), steps.to_isize().into(), base, E::DTYPE.into()])?)
            }

            fn randperm(count: impl SizeInteger) -> Result<Self::Given> {
                as_typed(permuted(count.to_isize(), Options::new().dtype(E::DTYPE))?)
            }
        }
    )+ };
}

of_length! {
    [, P: Dim] (P,) => (P,);
    [] AnyShape => Rank<1>;
}

/// Constructors of tensors whose dtype and shape are values: `DynTensor::zeros([5, 3], DType::F32)?`. The last argument is a [`DType`](latten_spec::DType), a device, both as a pair,
/// or [`Options`](crate::create::Options); `Options::new()` is the default dtype on the host.
pub trait OfOptions: Sized {
    /// Zeros, or false: `DynTensor::zeros([5, 3], DType::F32)?`.
    ///
    /// # Errors
    /// For a negative size, or where the memory would be larger than can be.
    fn zeros<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self>; // DynTensor::zeros([2, 3], DType::F32)?

    /// Ones, or true.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn ones<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self>; // DynTensor::ones([2, 3], DType::F32)?

    /// Whatever was in the memory.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn empty<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self>; // DynTensor::empty([2, 3], DType::F32)?

    /// The same number everywhere; without a dtype, of the number's.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros), and where the number doesn't fit the dtype.
    fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self>;

    /// Numbers from 0 up to one and without it, or those of a range; without a dtype, `int64` where all are integers.
    ///
    /// # Errors
    /// Where the numbers make no range, or the dtype is `bool` or complex.
    fn arange(range: impl RangeArgument, options: impl IntoOptions) -> Result<Self> {
        let [start, end] = range.ends();
        Self::arange_with(start, end, 1, options)
    }

    /// `start`, `start + step` and so on, up to `end` and without it.
    ///
    /// # Errors
    /// As [`arange`](Self::arange), and for a step of 0.
    fn arange_with(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self>;

    /// That many numbers, evenly from `start` to `end`, both included.
    ///
    /// # Errors
    /// Where the memory would be larger than can be, or the dtype is `bool`.
    fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger, options: impl IntoOptions) -> Result<Self>;

    /// Ones on the diagonal of a matrix of zeros: `DynTensor::eye(3, DType::F32)?`, `DynTensor::eye([2, 3], DType::F32)?`.
    ///
    /// # Errors
    /// As [`zeros`](Self::zeros).
    fn eye(sides: impl SidesArgument, options: impl IntoOptions) -> Result<Self>;

    /// Numbers from 0 to 1: `DynTensor::rand([5, 3], DType::F32)?`.
    ///
    /// # Errors
    /// For a negative size, where the memory would be larger than can be, and for dtypes of integers.
    fn rand<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self>; // DynTensor::rand([2, 3], DType::F32)?

    /// Normal numbers of mean 0 and deviation 1.
    ///
    /// # Errors
    /// As [`rand`](Self::rand).
    fn randn<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self>; // DynTensor::randn([2, 3], DType::F32)?

    /// Integers from `low` up to `high`, and without it.
    ///
    /// # Errors
    /// As [`rand`](Self::rand), and for bounds that the dtype can't hold or that have nothing between them.
    fn randint<A: ShapeArgument>(low: isize, high: isize, shape: A, options: impl IntoOptions) -> Result<Self>;

    /// The integers from 0 up to `count`, in an order by chance.
    ///
    /// # Errors
    /// Where the dtype can't hold all of them.
    fn randperm(count: impl SizeInteger, options: impl IntoOptions) -> Result<Self>;
}

impl OfOptions for DynTensor {
    fn zeros<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::Zeros, &[(&shape.signed_sizes()[..]).into()], options)
    }

    fn ones<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::Ones, &[(&shape.signed_sizes()[..]).into()], options)
    }

    fn empty<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::Empty, &[(&shape.signed_sizes()[..]).into()], options)
    }

    fn full<A: ShapeArgument>(shape: A, number: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::Full, &[(&shape.signed_sizes()[..]).into(), number.into().into()], options)
    }

    fn arange_with(start: impl Into<Scalar>, end: impl Into<Scalar>, step: impl Into<Scalar>, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::ArangeFrom, &[start.into().into(), end.into().into(), step.into().into()], options)
    }

    fn linspace(start: impl Into<Scalar>, end: impl Into<Scalar>, steps: impl SizeInteger, options: impl IntoOptions) -> Result<Self> {
        filled_with(Function::Linspace, &[start.into().into(), end.into().into(), steps.to_isize().into()], options)
    }

    fn eye(sides: impl SidesArgument, options: impl IntoOptions) -> Result<Self> {
        let [rows, columns] = sides.sides();
        filled_with(Function::EyeOf, &[rows.into(), columns.into()], options)
    }

    fn rand<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        let mut new = <Self as OfOptions>::empty(shape, options)?;
        new.uniform_()?;
        Ok(new)
    }

    fn randn<A: ShapeArgument>(shape: A, options: impl IntoOptions) -> Result<Self> {
        let mut new = <Self as OfOptions>::empty(shape, options)?;
        new.normal_()?;
        Ok(new)
    }

    fn randint<A: ShapeArgument>(low: isize, high: isize, shape: A, options: impl IntoOptions) -> Result<Self> {
        let mut new = <Self as OfOptions>::empty(shape, options)?;
        new.random_with_(low, high)?;
        Ok(new)
    }

    fn randperm(count: impl SizeInteger, options: impl IntoOptions) -> Result<Self> {
        permuted(count.to_isize(), options.into_options()?)
    }
}
