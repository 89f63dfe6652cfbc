//! Kinds of dtypes, for functions over a dtype: `fn standardise<E: Float, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S>`.
//!
//! What a kind promises is taken from the table of operations: each that all dtypes of the kind have, and that gives the same for all.

use half::{bf16, f16};
use num_complex::Complex;

use crate::element::{Any, AreNumbers, Element};
use crate::op;
use crate::relations::{
    CastInto, Floats, HasProduct, Item, LiteralOf, RealNumber, Row, SameDType, SmallIntegers, Takes, WithNumbers, WithReal, category,
};

latten_macros::kind_traits!();

/// A dtype that holds numbers of a continuous distribution; of complex ones both parts are drawn.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` can't hold numbers of a continuous distribution",
    label = "not a floating or complex dtype",
    note = "integers are drawn by `random_` and `randint`, yes and no by `bernoulli_`"
)]
pub trait Continuous: Element {}

/// A real dtype that holds numbers of a continuous distribution.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` can't hold real numbers of a continuous distribution",
    label = "not a floating dtype",
    note = "integers are drawn by `random_` and `randint`, yes and no by `bernoulli_`"
)]
pub trait ContinuousReal: Continuous {}

/// A dtype of real floats, which losses and activations take.
#[diagnostic::on_unimplemented(
    message = "losses and activations take real floats: tensors of `{Self}` have none",
    label = "not a real floating dtype",
    note = "`x.float()` converts a tensor"
)]
pub trait RealFloat: Element {}

/// A dtype of integers, which can be counted by: not `bool`.
#[diagnostic::on_unimplemented(
    message = "bincount and unravel_index go by integers: tensors of `{Self}` hold others",
    label = "not a dtype of integers",
    note = "convert the tensor first: `x.to::<i64>()`; how many are true says `mask.count_nonzero()`"
)]
pub trait Countable: Element {}

/// A dtype that [`linalg`](crate::spaces::linalg) computes with.
#[diagnostic::on_unimplemented(
    message = "linalg computes with `f32`, `f64`, and complex numbers of these: tensors of `{Self}` are none",
    label = "not a dtype of linalg",
    note = "convert the tensor first: `x.to::<f32>()`; a function over a dtype says `E: WideFloat`"
)]
pub trait LinalgElement: ProductElement {}

/// A dtype of floats, of whose products [`linalg`](crate::spaces::linalg) makes sums: halves are among them.
#[diagnostic::on_unimplemented(
    message = "Expected a floating point or complex tensor as input. Got `{Self}`",
    label = "not a floating dtype that has products",
    note = "convert the tensor first: `x.to::<f32>()`"
)]
pub trait ProductElement: NormElement {}

/// A dtype of floats, which have absolute values that norms are made of.
#[diagnostic::on_unimplemented(
    message = "Expected a floating point or complex tensor as input. Got `{Self}`",
    label = "not a floating dtype",
    note = "convert the tensor first: `x.to::<f32>()`"
)]
pub trait NormElement: Element {
    /// The dtype of absolute values.
    type Real: Element;
}

/// A dtype that [`fft`](crate::spaces::fft) computes with.
#[diagnostic::on_unimplemented(
    message = "fft doesn't compute with tensors of `{Self}`",
    label = "not a dtype of fft",
    note = "convert the tensor first: `x.to::<f32>()`; a function over a dtype says `E: WideFloat`"
)]
pub trait FftElement: Element {
    /// The dtype of the transform.
    type Complex: Element;
    /// The dtype of its parts.
    type Real: Element;
}

/// A dtype of real numbers, of whose transforms one half tells the other.
#[diagnostic::on_unimplemented(
    message = "rfft expects a real input tensor, but got `{Self}`",
    label = "not a dtype of real numbers",
    note = "`fft` takes complex numbers; a function over a dtype says `E: WideFloat`"
)]
pub trait RealFftElement: FftElement {}

/// A float that `linalg` and `fft` compute with, too: `f32` or `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't one of f32, f64",
    label = "not a float that `linalg` and `fft` compute with",
    note = "convert the tensor first: `x.to::<f32>()`"
)]
pub trait WideFloat:
    Float
    + LinalgElement<Real = Self>
    + RealFftElement
    + FftElement<
        Real = Self,
        Complex: Number
                     + WithNumbers<Category = category::Complex>
                     + Differentiable
                     + LinalgElement<Real = Self>
                     + FftElement<Real = Self, Complex = <Self as FftElement>::Complex>
                     + op::Abs<Output = Self>
                     + op::Angle<Output = Self>
                     + op::Real<Output = Self>,
    >
{
}

/// A dtype whose tensors can require gradients.
#[diagnostic::on_unimplemented(
    message = "only Tensors of floating point and complex dtype can require gradients",
    label = "`{Self}` is neither floating nor complex",
    note = "convert the tensor first: `x.to::<f32>()`"
)]
pub trait Differentiable: Element {}

macro_rules! kinds {
    ($($trait:ident: $($type:ty),+;)+) => { $($(
        #[diagnostic::do_not_recommend]
        impl $trait for $type {}
    )+)+ };
}

kinds! {
    Continuous: Any, f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>;
    ContinuousReal: Any, f16, bf16, f32, f64;
    Countable: Any, u8, i8, i16, i32, i64;
    RealFloat: Any, f16, bf16, f32, f64;
    LinalgElement: Any, f32, f64, Complex<f32>, Complex<f64>;
    ProductElement: Any, f16, bf16, f32, f64, Complex<f32>, Complex<f64>;
    WideFloat: f32, f64;
    Differentiable: Any, f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>;
}

macro_rules! norms {
    ($($type:ty: $Real:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl NormElement for $type {
            type Real = $Real;
        }
    )+ };
}

norms! { Any: Any; f16: f16; bf16: bf16; f32: f32; f64: f64; Complex<f16>: f16; Complex<f32>: f32; Complex<f64>: f64; }

macro_rules! fft {
    ($($Complex:ty, $Real:ty: $($type:ty)+ $(, real $($real:ty)+)?;)+) => {
        $($(fft! { $type, $Complex, $Real })+)+
        $($($(
            fft! { $real, $Complex, $Real }
            #[diagnostic::do_not_recommend]
            impl RealFftElement for $real {}
        )+)?)+
    };
    ($type:ty, $Complex:ty, $Real:ty) => {
        #[diagnostic::do_not_recommend]
        impl FftElement for $type {
            type Complex = $Complex;
            type Real = $Real;
        }
    };
}

fft! {
    Complex<f16>, f16: Complex<f16>, real f16;
    Complex<f32>, f32: Complex<f32>, real bool u8 i8 i16 i32 i64 f32;
    Complex<f64>, f64: Complex<f64>, real f64;
    Any, Any: Any;
}

#[diagnostic::do_not_recommend]
impl RealFftElement for Any {}
