//! Operators: `a + &b`, `2.0 * &a`, `a *= &b`, `-&a`, `!mask`. Each proves dtype and shape of its result by the types, and
//! forwards to the engine. Where only the run can tell, an operator panics at the caller's line with the text of its `try_` twin.

use std::{iter, ops};

use half::{bf16, f16};
use latten_spec::operation::Op;
use num_complex::Complex;

use crate::call::{Call, Destination, Function, one, operation, run};
use crate::dtype::AsTyped;
use crate::element::{Element, Native};
use crate::elementwise::{Params, RawOperand as Erased};
use crate::error::{Result, proved};
use crate::op;
use crate::raw::RawTensor;
use crate::relations::{CastInto, LeftOf, PromoteThree, PromoteWith, SubtractWith};
use crate::scalar::Scalar;
use crate::shape::{Broadcast, BroadcastInto, BroadcastWith, KnownShape, Shape, Wrapped, WrappedComplex};
use crate::tensor::{Operand, Tensor};

/// The dtype that a tensor and an operand compute in.
pub type Common<E, S, X> = <E as PromoteWith<<S as Shape>::Level, <X as Operand>::Level, <X as Operand>::Element>>::Output;

/// The shape that a tensor and an operand broadcast to.
pub type Together<S, X> = <S as BroadcastWith<<X as Operand>::Shape>>::Common;

/// The dtype that a tensor and two operands compute in.
pub type CommonOfThree<E, S, X, Y> = <E as PromoteThree<
    (<S as Shape>::Level, <X as Operand>::Level, <Y as Operand>::Level),
    <X as Operand>::Element,
    <Y as Operand>::Element,
>>::Output;

/// The shape that a tensor and two operands broadcast to.
pub type TogetherOfThree<S, X, Y> = <Together<S, X> as BroadcastWith<<Y as Operand>::Shape>>::Common;

/// The dtype that a tensor and a number on its left compute in.
type WithNumber<E, S, L, N> = <E as PromoteWith<<S as Shape>::Level, L, N>>::Output;

/// The result of an operation, of which the types have said what it is.
#[inline]
pub(crate) fn apply<O: Element, R: Shape>(op: Op, operands: &[Erased<'_>], params: &Params) -> Result<Tensor<O, R>> {
    let _rules = AsTyped::new(O::KNOWN_DTYPE.is_some());
    operation(op, operands, params).and_then(Tensor::stretched)
}

/// The same of an operator with a number on its left.
fn apply_operator<O: Element, R: Shape>(op: Op, number: Scalar, tensor: &RawTensor) -> Result<Tensor<O, R>> {
    let _rules = AsTyped::new(O::KNOWN_DTYPE.is_some());
    if op == Op::Div {
        return one(Function::ReflectedTruediv, &[tensor.into(), number.into()]).map(Tensor::proved);
    }
    operation(op, &[number.into(), tensor.into()], &Params::none()).map(Tensor::proved)
}

/// One row an operator: the traits of the operator, the operation, and what else is asked of the pair of dtypes.
macro_rules! operators {
    ($($Trait:ident::$method:ident $Assign:ident::$assign:ident $Op:ident $($Pair:ident)?;)+) => { $(
        operators!(@binary [Tensor<E, S>] $Trait::$method $Op $($Pair)?);
        operators!(@binary [&Tensor<E, S>] $Trait::$method $Op $($Pair)?);
        operators!(@numbers $Trait::$method $Op [$($Pair)?] bool, Wrapped: bool);
        operators!(@numbers $Trait::$method $Op [$($Pair)?] i64, Wrapped: u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, u128, i128);
        operators!(@numbers $Trait::$method $Op [$($Pair)?] f32, Wrapped: f16, bf16, f32, f64);
        operators!(@numbers $Trait::$method $Op [$($Pair)?] Complex<f32>, WrappedComplex: Complex<f16>, Complex<f32>, Complex<f64>);

        impl<E, S, X> ops::$Assign<X> for Tensor<E, S>
        where
            S: Shape,
            X: Operand<Shape: BroadcastInto<S>>,
            E: PromoteWith<S::Level, X::Level, X::Element, Output: op::$Op<Output: CastInto<E>>> + Element $(+ $Pair<X::Element>)?,
        {
            #[track_caller]
            fn $assign(&mut self, rhs: X) {
                proved(run(Call::elementwise(Op::$Op, &[rhs.erased()], &Params::none(), Destination::InPlace(self.raw_mut()))));
            }
        }
    )+ };
    (@binary [$($lhs:tt)+] $Trait:ident::$method:ident $Op:ident $($Pair:ident)?) => {
        impl<E, S, X> ops::$Trait<X> for $($lhs)+
        where
            X: Operand,
            S: Shape + Broadcast<X::Shape>,
            E: PromoteWith<S::Level, X::Level, X::Element, Output: op::$Op> + Element $(+ $Pair<X::Element>)?,
        {
            type Output = Tensor<<Common<E, S, X> as op::$Op>::Output, Together<S, X>>;

            #[track_caller]
            fn $method(self, rhs: X) -> Self::Output {
                proved(apply(Op::$Op, &[self.erased(), rhs.erased()], &Params::none()))
            }
        }
    };
    (@numbers $Trait:ident::$method:ident $Op:ident $pair:tt $counts_as:ty, $level:ty: $($number:ty),+) => { $(
        operators!(@left $number, $counts_as, $level, [Tensor<E, S>] $Trait::$method $Op $pair);
        operators!(@left $number, $counts_as, $level, [&Tensor<E, S>] $Trait::$method $Op $pair);
    )+ };
    (@left $number:ty, $counts_as:ty, $level:ty, [$($rhs:tt)+] $Trait:ident::$method:ident $Op:ident [$($Pair:ident)?]) => {
        impl<E, S> ops::$Trait<$($rhs)+> for $number
        where
            Self: LeftOf<E>,
            S: Shape,
            E: PromoteWith<S::Level, $level, $counts_as, Output: op::$Op> + Element $(+ $Pair<$counts_as>)?,
        {
            type Output = Tensor<<WithNumber<E, S, $level, $counts_as> as op::$Op>::Output, S>;

            #[track_caller]
            fn $method(self, rhs: $($rhs)+) -> Self::Output {
                proved(apply_operator(Op::$Op, self.into(), rhs.raw()))
            }
        }
    };
}

operators! {
    Add::add       AddAssign::add_assign       Add;
    Sub::sub       SubAssign::sub_assign       Sub SubtractWith;
    Mul::mul       MulAssign::mul_assign       Mul;
    Div::div       DivAssign::div_assign       Div;
    Rem::rem       RemAssign::rem_assign       Remainder;
    BitAnd::bitand BitAndAssign::bitand_assign BitwiseAnd;
    BitOr::bitor   BitOrAssign::bitor_assign   BitwiseOr;
    BitXor::bitxor BitXorAssign::bitxor_assign BitwiseXor;
    Shl::shl       ShlAssign::shl_assign       LeftShift;
    Shr::shr       ShrAssign::shr_assign       RightShift;
}

macro_rules! prefixes {
    ($($Trait:ident::$method:ident $Op:ident;)+) => { $(
        prefixes!(@ [Tensor<E, S>] $Trait::$method $Op);
        prefixes!(@ [&Tensor<E, S>] $Trait::$method $Op);
    )+ };
    (@ [$($operand:tt)+] $Trait:ident::$method:ident $Op:ident) => {
        impl<E: op::$Op, S: Shape> ops::$Trait for $($operand)+ {
            type Output = Tensor<<E as op::$Op>::Output, S>;

            #[track_caller]
            fn $method(self) -> Self::Output {
                proved(apply(Op::$Op, &[self.erased()], &Params::none()))
            }
        }
    };
}

prefixes! {
    Neg::neg Neg;
    Not::not BitwiseNot;
}

/// The sum of tensors of one type: `losses.into_iter().sum::<Tensor<f32, shape![]>>()`; of none it is zeros.
impl<E: Native, S: KnownShape> iter::Sum for Tensor<E, S>
where
    Self: ops::Add<Output = Self>,
{
    fn sum<I: Iterator<Item = Self>>(tensors: I) -> Self {
        tensors.reduce(|total, tensor| total + tensor).unwrap_or_else(Self::zeros)
    }
}

/// The same of borrowed ones.
impl<'a, E: Native, S: KnownShape> iter::Sum<&'a Self> for Tensor<E, S>
where
    Self: ops::Add<&'a Self, Output = Self>,
{
    fn sum<I: Iterator<Item = &'a Self>>(tensors: I) -> Self {
        tensors.fold(Self::zeros(), |total, tensor| total + tensor)
    }
}
