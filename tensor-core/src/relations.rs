//! Relations between element types: what two dtypes make, and what may be stored where.
//!
//! The rows come from tensor-spec's tables by tensor-macros; a row for [`Any`] stands for "the run will tell".

use half::{bf16, f16};
use num_complex::Complex;

use crate::element::{Any, AreNumbers, AreTruths, Element, Native};
use crate::scalar::Scalar;
use crate::shape::{AnyRank, Dimensioned, Ranked, Wrapped, WrappedComplex, ZeroDim};

mod literals;

pub use literals::{Complexes, Floats, IntegersFor, Item, LiteralOf, NoNumbers, Numbers, Row, Said, SmallIntegers, Takes};

/// The dtype that two operands compute in, given what their types say of their ranks.
///
/// `f32: PromoteWith<Dimensioned, ZeroDim, f64>` has the output `f32`. Where the answer depends on a rank that only the
/// run knows, the output is [`Any`].
#[diagnostic::on_unimplemented(
    message = "no promotion between `{Self}` and `{Rhs}`",
    label = "not the dtype of a tensor",
    note = "a tensor's dtype is a Rust type that it computes with (`bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `Complex<_>`) or `Any`; a function over them says over which: `E: Float`, `E: Real`, `E: Number`, and converts the others, `x * mask.to::<E>()`"
)]
pub trait PromoteWith<LhsRank, RhsRank, Rhs> {
    /// The common dtype.
    type Output: Element;
}

#[diagnostic::do_not_recommend]
impl<L, R, Rhs: Element> PromoteWith<L, R, Rhs> for Any {
    type Output = Self;
}

/// Two of one dtype. Written for all dtypes at once, so that functions over a dtype know it, too.
#[diagnostic::do_not_recommend]
impl<E: Native, L: Ranked, R: Ranked> PromoteWith<L, R, E> for E {
    type Output = Self;
}

/// What a dtype makes with numbers of the host language, whatever its tensor's rank.
pub trait WithNumbers: Native {
    /// Its category, which decides what it makes with real numbers.
    type Category;
    /// What it makes with a complex number.
    type WithComplex: Element;
}

/// A category of dtypes: what the dtype `E` of it makes with a real number that counts as `N`.
///
/// Floats and complex numbers have one row for all `N`: so `&x * 2.5` has its type before the compiler knows which float 2.5 is.
pub trait WithReal<E, N> {
    /// The common dtype.
    type Output: Element;
}

#[diagnostic::do_not_recommend]
impl<E: WithNumbers<Category: WithReal<E, N>>, L: Ranked, N> PromoteWith<L, Wrapped, N> for E {
    type Output = <E::Category as WithReal<E, N>>::Output;
}

#[diagnostic::do_not_recommend]
impl<E: WithNumbers, L: Ranked> PromoteWith<L, WrappedComplex, Complex<f32>> for E {
    type Output = E::WithComplex;
}

/// A real number of the host language as an operand: what is none, and no tensor, is no operand at all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an operand of a tensor operation",
    label = "neither a tensor nor a number",
    note = "operands are tensors, owned or borrowed, and numbers: bool, Rust's integers and floats, `f16`, `bf16`, `Complex`; a `Result` wants its `?` first, of a pair one is taken, `.0`; arrays and `Vec`s of numbers become tensors by `Tensor::from`"
)]
pub trait RealNumber: Copy + Into<Scalar> + 'static {
    /// The dtype that it counts as.
    type CountsAs: Element;

    /// The number as an `f64`.
    fn real(self) -> f64 {
        let number: Scalar = self.into();
        number.to_f64()
    }
}

macro_rules! real_numbers {
    ($($counts_as:ty: $($number:ty),+;)+) => { $($(
        #[diagnostic::do_not_recommend]
        impl RealNumber for $number {
            type CountsAs = $counts_as;
        }
    )+)+ };
}

real_numbers! {
    bool: bool;
    f32: f16, bf16, f32, f64;
}

/// An integer of the host language.
pub trait IntegerNumber: Copy + Into<Scalar> + 'static {}

macro_rules! integers {
    ($($number:ty)+) => { $(
        #[diagnostic::do_not_recommend]
        impl IntegerNumber for $number {}
    )+ };
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 }

/// One impl for all integers: so the compiler knows what `&x + 1` is before it knows which integer 1 is.
#[diagnostic::do_not_recommend]
impl<N: IntegerNumber> RealNumber for N {
    type CountsAs = i64;
}

/// A real number that may be left out: `1e-6`, `1` or `None`.
#[diagnostic::on_unimplemented(message = "`{Self}` is neither a real number nor `None`", label = "no number")]
pub trait MaybeNumber {
    /// The number, where there is one.
    fn given(self) -> Option<Scalar>;
}

#[diagnostic::do_not_recommend]
impl<N: RealNumber> MaybeNumber for N {
    fn given(self) -> Option<Scalar> {
        Some(self.into())
    }
}

impl MaybeNumber for Option<f64> {
    fn given(self) -> Option<Scalar> {
        self.map(Scalar::Float)
    }
}

/// A number that may stand on the left of a tensor of `E`.
///
/// Of floats only `f64` may and of integers only `i64`, which are PyTorch's: the compiler gives a literal its type at once only where there
/// is one that fits, and without it `(1.0 - &x).log()` finds no method.
#[diagnostic::on_unimplemented(
    message = "a number on the left of a tensor is an `f64` or an `i64`, not `{Self}`",
    label = "`{Self}` stands on the right of tensors only",
    note = "write the tensor first, `&x * number`, or convert, `number as f64 - &x`: the tensor's dtype stays; literals need no suffix, `1.0 - &x`"
)]
pub trait LeftOf<E> {}

macro_rules! left {
    ($($number:ty)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<E> LeftOf<E> for $number {}
    )+ };
}

left! { bool i64 f16 bf16 f64 Complex<f16> Complex<f32> Complex<f64> }

/// The categories of dtypes, as types.
pub mod category {
    /// `bool`.
    #[derive(Debug)]
    pub enum Bool {}
    /// The integers.
    #[derive(Debug)]
    pub enum Integral {}
    /// The floats.
    #[derive(Debug)]
    pub enum Float {}
    /// The complex numbers.
    #[derive(Debug)]
    pub enum Complex {}
}

latten_macros::promotion_rows!();

/// The dtype that three operands compute in, given what is known of the levels of all three.
pub trait PromoteThree<Levels, X, Y> {
    /// The common dtype.
    type Output: Element;
}

#[diagnostic::do_not_recommend]
impl<E, Levels: PromotingThree<E, X, Y>, X, Y> PromoteThree<Levels, X, Y> for E {
    type Output = Levels::Output;
}

/// The same as a relation of the levels: which two of the operands promote first.
pub trait PromotingThree<E, X, Y> {
    /// The common dtype.
    type Output: Element;
}

latten_macros::promotion_rows_of_three!();

/// Both are the same dtype, as far as their types know.
#[diagnostic::on_unimplemented(
    message = "expected dtype `{Other}` but got dtype `{Self}`",
    label = "`{Self}` where only `{Other}` will do",
    note = "this operation doesn't promote: convert first with `.to::<{Other}>()`; a literal says it, `tensor![…; {Other}]`"
)]
pub trait SameDType<Other> {}

#[diagnostic::do_not_recommend]
impl<Other: Element> SameDType<Other> for Any {}

latten_macros::same_rows!();

/// A dtype that has products.
#[diagnostic::on_unimplemented(
    message = "\"addmm_impl_cpu_\" not implemented for '{Self}'",
    label = "no products of `{Self}`",
    note = "convert first with `.to::<_>()`; for each element alone there is `&`"
)]
pub trait HasProduct: Element {}

macro_rules! have_products {
    ($($T:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl HasProduct for $T {}
    )* };
}

have_products! { Any u8 i8 i16 i32 i64 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64> }

/// The dtype of indices: `i64`, or `i32`.
#[diagnostic::on_unimplemented(
    message = "Expected dtype int32/int64 for index, but got `{Self}`",
    label = "not the dtype of indices",
    note = "convert them first: `.to::<i64>()`; a mask goes into `masked_select`, or into `index`"
)]
pub trait IndexElement: Element {}

#[diagnostic::do_not_recommend]
impl IndexElement for Any {}
#[diagnostic::do_not_recommend]
impl IndexElement for i64 {}
#[diagnostic::do_not_recommend]
impl IndexElement for i32 {}

/// A condition: `bool`, or `u8` as in old programs.
#[diagnostic::on_unimplemented(
    message = "where expected condition to be a boolean tensor, but got a tensor with dtype `{Self}`",
    label = "not a condition",
    note = "compare first: `x.ne(0)`"
)]
pub trait Condition: Element {}

#[diagnostic::do_not_recommend]
impl Condition for Any {}
#[diagnostic::do_not_recommend]
impl Condition for bool {}
#[diagnostic::do_not_recommend]
impl Condition for u8 {}

/// A result of this dtype may be stored into an output of dtype `Out`.
///
/// Complex doesn't go into real, a float doesn't go into an integer, and nothing but `bool` goes into `bool`. Width is no
/// matter: an `i64` result goes into a `u8` output, and wraps.
#[diagnostic::on_unimplemented(
    message = "result type `{Self}` can't be cast to the desired output type `{Out}`",
    label = "would store `{Self}` into a tensor of `{Out}`",
    note = "make a new tensor instead (`let c = &a * 0.5`), or cast a tensor first: `b.to::<{Out}>()`"
)]
pub trait CastInto<Out> {}

#[diagnostic::do_not_recommend]
impl<Out: Element> CastInto<Out> for Any {}

latten_macros::cast_rows!();

/// Not one of the two dtypes alone is `bool`, which has no difference.
///
/// Whether a pair may be subtracted doesn't follow from the promoted dtype: that of `i32 - bool` is `i32`. Two bools promote to
/// bool, and [`crate::op::Sub`] refuses that by itself.
#[diagnostic::on_unimplemented(
    message = "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
    label = "one operand is `bool`",
    note = "Rust writes `!mask`; to count with it, convert first: `mask.to::<i64>()`"
)]
pub trait SubtractWith<Rhs> {}

impl<Lhs: Element, Rhs: Element> SubtractWith<Rhs> for Lhs where (Lhs::Are, Rhs::Are): Subtraction<Lhs, Rhs> {}

/// Which of the two operands of a subtraction is `bool`.
pub trait Subtraction<Lhs, Rhs> {}

#[diagnostic::do_not_recommend]
impl<Lhs, Rhs> Subtraction<Lhs, Rhs> for (AreNumbers, AreNumbers) {}
#[diagnostic::do_not_recommend]
impl<Lhs, Rhs> Subtraction<Lhs, Rhs> for (AreTruths, AreTruths) {}
impl<Lhs, Rhs: NotABool<Lhs>> Subtraction<Lhs, Rhs> for (AreNumbers, AreTruths) {}
impl<Lhs: NotABool<Rhs>, Rhs> Subtraction<Lhs, Rhs> for (AreTruths, AreNumbers) {}

/// An operand of a subtraction is not `bool`. No tensor's dtype has it: it is asked only of `bool`.
#[diagnostic::on_unimplemented(
    message = "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
    label = "one operand is `{Self}`",
    note = "Rust writes `!mask`; to count with it, convert first: `mask.to::<i64>()`"
)]
pub trait NotABool<Other> {}

// While the compiler doesn't know the other operand yet, an impl that might apply keeps it from giving up with a message
// of its own.
#[diagnostic::do_not_recommend]
impl<Lhs> NotABool<Undecided> for Lhs {}

/// The dtype of no tensor.
#[derive(Debug)]
pub struct Undecided;
