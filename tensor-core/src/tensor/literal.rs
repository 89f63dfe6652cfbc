//! What `tensor!` expands to: numbers that stand in the program, copied once, and rows of numbers or tensors, stacked.

use super::Tensor;
use crate::call::{Call, CallArgument, Function, run};
use crate::convert::CastFrom;
use crate::device::IntoDevice;
use crate::element::{Element, Native};
use crate::error::{Error, Result, proved};
use crate::raw::RawTensor;
use crate::relations::{LiteralOf, Numbers, Takes, Undecided};
use crate::shape::{AnyShape, Dim, KnownShape, Shape};

use half::{bf16, f16};
use num_complex::Complex;

mod wanted;

pub use crate::relations::{Complexes, Floats, IntegersFor, Item, NoNumbers, Row, Said};
pub use wanted::{Among, Elsewhere, Expected, OfNumber, Wanted, WantedShape, WrittenAs, wanted, wanted_among, wanted_shape};

/// The tensor of numbers in row-major order, of the type that is `wanted`.
#[must_use]
pub fn tensor<N: Numbers, K: KnownShape + WrittenAs<S>, E: LiteralOf<N>, S: Shape>(_: Wanted<E, S>, numbers: &[N::Wire]) -> Tensor<E, S> {
    let numbers: Vec<E::Stored> = numbers.iter().map(|&number| CastFrom::cast_from(number)).collect();
    Tensor::proved(proved(RawTensor::from_vec(numbers, &K::known())))
}

/// The same of elements among which are expressions.
#[must_use]
pub fn elements<N: Numbers, K: KnownShape + WrittenAs<S>, E: LiteralOf<N>, S: Shape>(
    _: Wanted<E, S>,
    elements: &[E::Stored],
) -> Tensor<E, S> {
    Tensor::proved(proved(RawTensor::from_vec(elements.to_vec(), &K::known())))
}

/// A literal of a dtype that is written behind it as a type.
#[must_use]
pub fn of_dtype<E: Element, S: Shape>(literal: Tensor<E, S>) -> Tensor<E, S> {
    literal
}

/// A number among expressions, whose dtype it has.
pub fn rounded<W: Native, E: Native + CastFrom<W>>(number: W) -> E {
    E::cast_from(number)
}

/// An element among numbers, whose dtype it has.
pub fn own<E, T: OwnElement<E>>(element: T) -> E {
    element.own()
}

/// An element of the program where the literal says its dtype.
pub fn taken<E: Takes<X>, X>(element: &X) -> E::Row {
    E::taken(element)
}

/// That an element of `tensor!` has the dtype of the others.
#[diagnostic::on_unimplemented(
    message = "an element of `tensor!` is `{Self}`, and the numbers beside it are `{E}`",
    label = "not `{E}`",
    note = "`tensor![…; f64]` says the dtype of all; without it the first number of the program does, and literals follow it"
)]
pub trait OwnElement<E> {
    /// It.
    fn own(self) -> E;
}

impl<E> OwnElement<E> for E {
    fn own(self) -> E {
        self
    }
}

// While the compiler doesn't know the dtype of the others yet, a second impl keeps it from taking this element's type for it. One more, and it
// shows neither.
macro_rules! undecided {
    ($($number:ty)+) => { $(
        #[diagnostic::do_not_recommend]
        impl OwnElement<Undecided> for $number {
            fn own(self) -> Undecided {
                Undecided
            }
        }

        #[diagnostic::do_not_recommend]
        impl OwnElement<&'static Undecided> for $number {
            fn own(self) -> &'static Undecided {
                &Undecided
            }
        }
    )+ };
}

undecided! {
    bool u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64>
}

/// The same tensor on a device.
///
/// # Errors
/// Where this build can't use it.
pub fn on_device<E: Element, S: Shape>(tensor: Tensor<E, S>, device: impl IntoDevice) -> Result<Tensor<E, S>> {
    tensor.to_device(device)
}

/// Stands where `tensor!` has refused its input, so that the compiler knows the type all the same.
#[must_use]
pub fn never<E: Element, S: Shape>() -> Tensor<E, S> {
    proved(Err(Error::runtime("tensor! has refused this")))
}

impl<T: Item> Item for &T {
    type Row = T::Row;

    fn row(&self) -> Self::Row {
        T::row(self)
    }
}

impl<E: Element, S: Shape> Item for Tensor<E, S> {
    type Row = Self;

    fn row(&self) -> Self {
        self.alias()
    }
}

impl<E: Element, S: Shape> Takes<Tensor<E, S>> for E {
    type Row = Tensor<E, S>;

    fn taken(element: &Tensor<E, S>) -> Tensor<E, S> {
        element.row()
    }
}

impl<E: Element, S: Shape> Row for Tensor<E, S> {
    type Element = E;
    type Shape = S;

    fn stack(rows: Vec<Self>) -> Result<RawTensor> {
        erased(Function::Stack, &[(&rows.iter().map(|row| &row.raw).collect::<Vec<_>>()[..]).into(), 0.into()])
    }
}

impl<Size: Dim, T: Row<Shape: InRows<Size>>, const N: usize> Row for (Size, [T; N]) {
    type Element = T::Element;
    type Shape = <T::Shape as InRows<Size>>::ShapeAsWritten;

    fn stack(rows: Vec<Self>) -> Result<RawTensor> {
        let count = rows.len();
        let all = T::stack(rows.into_iter().flat_map(|(_, row)| row).collect())?;
        erased(Function::Unflatten, &[(&all).into(), 0.into(), (&[count.cast_signed(), N.cast_signed()][..]).into()])
    }
}

fn erased(function: Function, arguments: &[CallArgument<'_>]) -> Result<RawTensor> {
    run(Call::new(function, arguments))?.one()
}

/// The shape of one row among as many as `Size` says. Messages show these names where another shape is expected.
pub trait InRows<Size> {
    /// The shape of all.
    type ShapeAsWritten: Shape;
}

impl<Size> InRows<Size> for AnyShape {
    type ShapeAsWritten = Self;
}

impl<Size: Dim> InRows<Size> for () {
    type ShapeAsWritten = (Size,);
}

macro_rules! longer {
    ($($($size:ident)+;)+) => { $(
        impl<Size: Dim, $($size: Dim),+> InRows<Size> for ($($size,)+) {
            type ShapeAsWritten = (Size, $($size),+);
        }
    )+ };
}

longer! {
    A;
    A B;
    A B C;
    A B C E;
    A B C E F;
    A B C E F G;
    A B C E F G H;
}

/// Rows beside each other.
///
/// # Panics
/// Where they are tensors whose shapes only the run knows, and those differ.
#[must_use]
#[track_caller]
pub fn stacked<Size: Dim, T: Row<Shape: InRows<Size>>, const N: usize>(
    (_, rows): (Size, [T; N]),
) -> Tensor<T::Element, <T::Shape as InRows<Size>>::ShapeAsWritten> {
    Tensor::proved(proved(T::stack(Vec::from(rows))))
}

/// The tensor of rows, of the shape that is wanted.
#[must_use]
pub fn placed<E: Element, K: Shape + WrittenAs<S>, S: Shape>(rows: Tensor<E, K>, _: WantedShape<K, S>) -> Tensor<E, S> {
    Tensor::proved(rows.raw)
}

/// A row whose dtype is written after the literal.
pub fn of<E: Element, T: Row<Element = E>>(row: T) -> T {
    row
}

/// A tensor beside written rows: only the run knows whether they are alike.
#[must_use]
pub fn beside<E: Element, S: Shape>(row: Tensor<E, S>) -> Tensor<E, AnyShape> {
    Tensor::proved(row.raw)
}

/// An element that is no array: of a tensor, the tensor itself over the same storage.
#[must_use]
pub fn item<T: Item>(item: &T) -> T::Row {
    item.row()
}

/// The number or tensor alone.
///
/// # Panics
/// Where there isn't as much memory.
#[must_use]
#[track_caller]
pub fn single<T: Row>(row: T) -> Tensor<T::Element, T::Shape> {
    Tensor::proved(proved(T::stack(vec![row]).and_then(|rows| erased(Function::Select, &[(&rows).into(), 0.into(), 0.into()]))))
}
