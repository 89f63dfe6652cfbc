//! Rust's operators on fused expressions: what `fuse!` leaves as its user has written it. Bounds and messages are those of tensors' operators.

use std::ops;

use half::{bf16, f16};
use num_complex::Complex;

use super::{Common, Lazy, Node, On, OneNode, Term, Together, TwoNode, mark};
use crate::op;
use crate::relations::{LeftOf, PromoteWith, SubtractWith};
use crate::shape::{BroadcastWith, Shape, Wrapped, WrappedComplex};

/// The dtype that a node and a number on its left compute in.
type WithNumber<N, L, C> = <<N as Node>::Element as PromoteWith<<<N as Node>::Shape as Shape>::Level, L, C>>::Output;

/// One over a node.
type Reciprocal<N> = OneNode<mark::Reciprocal, <N as Node>::Element, N>;

macro_rules! operators {
    ($($Trait:ident::$method:ident $Op:ident $($Pair:ident)?;)+) => { $(
        impl<N, X> ops::$Trait<X> for Lazy<N>
        where
            X: Term,
            N: Node<
                Shape: BroadcastWith<X::Shape>,
                Element: PromoteWith<<N::Shape as Shape>::Level, X::Level, X::Element, Output: op::$Op> $(+ $Pair<X::Element>)?,
            >,
        {
            type Output = Lazy<TwoNode<mark::$Op, <Common<N, X> as op::$Op>::Promoted, Together<N, X>, Self, X>>;

            fn $method(self, rhs: X) -> Self::Output {
                Lazy(TwoNode::new(self, rhs, [None; 3]))
            }
        }

        operators!(@left $Trait::$method $Op [$($Pair)?] bool, Wrapped: bool);
        operators!(@left $Trait::$method $Op [$($Pair)?] i64, Wrapped: u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, u128, i128);
        operators!(@left $Trait::$method $Op [$($Pair)?] f32, Wrapped: f16, bf16, f32, f64);
        operators!(@left $Trait::$method $Op [$($Pair)?] Complex<f32>, WrappedComplex: Complex<f16>, Complex<f32>, Complex<f64>);
    )+ };
    (@left $Trait:ident::$method:ident $Op:ident $pair:tt $counts_as:ty, $level:ty: $($number:ty),+) => { $(
        operators!(@number $number, $counts_as, $level, $Trait::$method $Op $pair);
    )+ };
    // PyTorch computes `number / tensor` as the reciprocal, times the number.
    (@number $number:ty, $counts_as:ty, $level:ty, Div::div $Op:ident []) => {
        impl<N> ops::Div<Lazy<N>> for $number
        where
            Self: LeftOf<N::Element>,
            N: Node<
                Element: PromoteWith<<N::Shape as Shape>::Level, $level, $counts_as, Output: op::Div>
                    + On<mark::Reciprocal, Output: PromoteWith<<N::Shape as Shape>::Level, $level, $counts_as, Output: op::Mul>>,
            >,
        {
            type Output = Lazy<TwoNode<mark::Mul, WithNumber<Reciprocal<N>, $level, $counts_as>, N::Shape, Lazy<Reciprocal<N>>, Self>>;

            fn div(self, rhs: Lazy<N>) -> Self::Output {
                Lazy(TwoNode::new(Lazy(OneNode::new(rhs.0, [None; 3])), self, [None; 3]))
            }
        }
    };
    (@number $number:ty, $counts_as:ty, $level:ty, $Trait:ident::$method:ident $Op:ident [$($Pair:ident)?]) => {
        impl<N> ops::$Trait<Lazy<N>> for $number
        where
            Self: LeftOf<N::Element>,
            N: Node<
                Element: PromoteWith<<N::Shape as Shape>::Level, $level, $counts_as, Output: op::$Op> $(+ $Pair<$counts_as>)?,
            >,
        {
            type Output = Lazy<TwoNode<mark::$Op, <WithNumber<N, $level, $counts_as> as op::$Op>::Promoted, N::Shape, Self, Lazy<N>>>;

            fn $method(self, rhs: Lazy<N>) -> Self::Output {
                Lazy(TwoNode::new(self, rhs, [None; 3]))
            }
        }
    };
}

operators! {
    Add::add       Add;
    Sub::sub       Sub SubtractWith;
    Mul::mul       Mul;
    Div::div       Div;
    Rem::rem       Remainder;
    BitAnd::bitand BitwiseAnd;
    BitOr::bitor   BitwiseOr;
    BitXor::bitxor BitwiseXor;
    Shl::shl       LeftShift;
    Shr::shr       RightShift;
}

impl<N: Node<Element: op::Neg>> ops::Neg for Lazy<N> {
    type Output = Lazy<OneNode<mark::Neg, <N::Element as op::Neg>::Promoted, N>>;

    fn neg(self) -> Self::Output {
        Lazy(OneNode::new(self.0, [None; 3]))
    }
}

impl<N: Node<Element: op::BitwiseNot>> ops::Not for Lazy<N> {
    type Output = Lazy<OneNode<mark::BitwiseNot, <N::Element as op::BitwiseNot>::Promoted, N>>;

    fn not(self) -> Self::Output {
        Lazy(OneNode::new(self.0, [None; 3]))
    }
}
