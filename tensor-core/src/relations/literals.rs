//! Literals: which numbers stand in one, and of which dtypes it can be.

use std::marker::PhantomData;

use half::{bf16, f16};
use num_complex::Complex;

use crate::convert::CastFrom;
use crate::element::{Any, Element, Native};
use crate::error::Result;
use crate::raw::RawTensor;
use crate::shape::Shape;

/// What the numbers of a literal are.
pub trait Numbers {
    /// How the program holds them.
    type Wire: Native;
}

/// A dtype of which a literal with the numbers `N` can be.
#[diagnostic::on_unimplemented(
    message = "this `tensor!` can't be of `{Self}`, the dtype that is expected",
    label = "not of `{Self}`",
    note = "its numbers don't fit, or it says another dtype; `tensor![…; i64]` says one, and converts the numbers"
)]
pub trait LiteralOf<N: Numbers>: Element {
    /// The dtype that its tensor has, which the type may leave to the run.
    type Stored: Native + CastFrom<N::Wire>;
}

/// Numbers of a dtype that the literal says.
#[derive(Debug)]
pub struct Said<E, Wire = E>(PhantomData<(E, Wire)>);

/// None at all.
#[derive(Debug)]
pub enum NoNumbers {}

/// Floats.
#[derive(Debug)]
pub enum Floats {}

/// Complex numbers.
#[derive(Debug)]
pub enum Complexes {}

/// Integers, and whether each of the narrow dtypes can hold them.
#[derive(Debug)]
pub enum IntegersFor<const U8: bool, const I8: bool, const I16: bool, const I32: bool> {}

/// Integers that every dtype of integers can hold.
pub type SmallIntegers = IntegersFor<true, true, true, true>;

macro_rules! numbers {
    ($([$($known:tt)*] $Numbers:ty as $Wire:ty, by itself $Own:ty;)+) => { $(
        impl<$($known)*> Numbers for $Numbers {
            type Wire = $Wire;
        }

        #[diagnostic::do_not_recommend]
        impl<$($known)*> LiteralOf<$Numbers> for Any {
            type Stored = $Own;
        }
    )+ };
}

numbers! {
    [E: Native + CastFrom<Wire>, Wire: Native] Said<E, Wire> as Wire, by itself E;
    [] NoNumbers as f32, by itself f32;
    [] Floats as f64, by itself f32;
    [] Complexes as Complex<f64>, by itself Complex<f32>;
    [const U8: bool, const I8: bool, const I16: bool, const I32: bool] IntegersFor<U8, I8, I16, I32> as i64, by itself i64;
}

#[diagnostic::do_not_recommend]
impl<E: Native + CastFrom<Wire>, Wire: Native> LiteralOf<Said<E, Wire>> for E {
    type Stored = Self;
}

macro_rules! hold {
    ($($Numbers:ident: $($dtype:ty),+;)+) => { $($(
        #[diagnostic::do_not_recommend]
        impl LiteralOf<$Numbers> for $dtype {
            type Stored = Self;
        }
    )+)+ };
}

hold! {
    NoNumbers: bool, u8, i8, i16, i32, i64, f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>;
    Floats: f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>;
    Complexes: Complex<f16>, Complex<f32>, Complex<f64>;
}

macro_rules! hold_integers {
    (any: $($dtype:ty),+) => { $(
        hold_integers!($dtype: IntegersFor<U8, I8, I16, I32>, const U8 const I8 const I16 const I32);
    )+ };
    ($dtype:ty: $Integers:ty, $(const $NARROW:ident)+) => {
        #[diagnostic::do_not_recommend]
        impl<$(const $NARROW: bool),+> LiteralOf<$Integers> for $dtype {
            type Stored = Self;
        }
    };
}

hold_integers!(any: i64, f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>);
hold_integers!(u8: IntegersFor<true, I8, I16, I32>, const I8 const I16 const I32);
hold_integers!(i8: IntegersFor<U8, true, I16, I32>, const U8 const I16 const I32);
hold_integers!(i16: IntegersFor<U8, I8, true, I32>, const U8 const I8 const I32);
hold_integers!(i32: IntegersFor<U8, I8, I16, true>, const U8 const I8 const I16);

/// What a row of `tensor!` may be: a number, a tensor, or an array of either after its size.
pub trait Row: Sized {
    /// The dtype.
    type Element: Element;
    /// The shape of one.
    type Shape: Shape;

    /// Such rows beside each other, along a new first dimension.
    ///
    /// # Errors
    /// Where the shapes of tensors differ.
    fn stack(rows: Vec<Self>) -> Result<RawTensor>;
}

/// What an element of `tensor!` may be: a number, or a tensor, owned or not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an element of `tensor!`",
    label = "neither a number nor a tensor",
    note = "elements are `bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `Complex<_>`, and tensors"
)]
pub trait Item {
    /// The same as a row.
    type Row: Row;

    /// The number, or another tensor over the same storage.
    fn row(&self) -> Self::Row;
}

macro_rules! numbers {
    ($($number:ty)+) => { $(
        impl Row for $number {
            type Element = Self;
            type Shape = ();

            fn stack(rows: Vec<Self>) -> Result<RawTensor> {
                let size = rows.len();
                RawTensor::from_vec(rows, &[size])
            }
        }

        impl Item for $number {
            type Row = Self;

            fn row(&self) -> Self {
                *self
            }
        }
    )+ };
}

numbers! { bool u8 i8 i16 i32 i64 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64> }

/// A dtype that a literal says, `tensor![a, b; f32]`, and what it makes of the elements there: of tensors and numbers of its own themselves, of
/// other floats the nearest numbers, as of numbers beside a tensor.
#[diagnostic::on_unimplemented(
    message = "an element of `tensor!` is `{X}`, and the literal says `{Self}`",
    label = "not `{Self}`",
    note = "floats become other floats; other numbers want a conversion, `n as f32`, and tensors one, too: `x.to::<f32>()`"
)]
pub trait Takes<X>: Element {
    /// The element as a row.
    type Row: Row<Element = Self>;

    /// The element.
    fn taken(element: &X) -> Self::Row;
}

impl<E: Takes<X>, X> Takes<&X> for E {
    type Row = E::Row;

    fn taken(element: &&X) -> E::Row {
        E::taken(element)
    }
}

macro_rules! take {
    ($($dtype:ty: $($number:ty)+;)+) => { $($(
        impl Takes<$number> for $dtype {
            type Row = Self;

            fn taken(element: &$number) -> Self {
                CastFrom::cast_from(*element)
            }
        }
    )+)+ };
}

take! {
    bool: bool; u8: u8; i8: i8; i16: i16; i32: i32; i64: i64;
    f16: f16 f32 f64; bf16: bf16 f32 f64; f32: f32 f64; f64: f32 f64;
    Complex<f16>: Complex<f16>; Complex<f32>: Complex<f32>; Complex<f64>: Complex<f64>;
}
