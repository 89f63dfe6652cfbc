//! What a tensor isn't asked that way, `a[0]`, `a == b` and `a < b`: the compiler says what to write. Nothing has the traits of this file, so
//! that nothing here is ever called.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops;

use super::Tensor;
use crate::element::Element;
use crate::shape::Shape;

/// What stands in `a[…]`.
#[diagnostic::on_unimplemented(
    message = "a tensor has no elements to borrow by `a[…]`",
    label = "its elements lie in a storage that others may share",
    note = "a view is `a.i(i![0, ..])`, an element `a.get([0, 1])?`; `a.i(i![0]).fill_(1)?` and `a.masked_fill_(&mask, 1)?` write"
)]
pub trait Bracketed {
    #[doc(hidden)]
    fn never(&self) -> !;
}

/// Traits that are asked of what stands on the right. Where that is a tensor, too, its shape is asked: of two traits of one type rustc would show the
/// message of `PartialEq`.
macro_rules! hints {
    ($($(#[$comment:meta])* $Hint:ident$(: $Above:ident)?, $OfTensors:ident$(: $AboveOf:ident)?: $message:literal, $label:literal, $note:literal;)+) => { $(
        $(#[$comment])*
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $Hint $(: $Above)? {
            #[doc(hidden)]
            fn never() -> !;
        }

        /// The same where both sides are tensors.
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        pub trait $OfTensors: Shape $(+ $AboveOf)? {
            #[doc(hidden)]
            fn never() -> !;
        }
    )+ };
}

hints! {
    /// What stands in `a == …`.
    Compared, ComparedTensors: "`==` doesn't say what of a tensor is compared", "the elements, or all of them together",
        "`a.eq(&b)` compares the elements, `a.equal(&b)` whole tensors, and `a.item() == 1.5` a single element";
    /// What stands in `a < …`.
    InOrder: Compared, OrderedTensors: ComparedTensors: "`<` and its kin give a `bool`, and a tensor has many elements", "which of the elements?",
        "`a.lt(&b)`, `a.le(1.5)`, `a.gt(0)`, `a.ge(0)` compare the elements, and `a.item() < 1.5` a single one";
}

impl<E: Element, S: ComparedTensors> Compared for Tensor<E, S> {
    fn never() -> ! {
        S::never()
    }
}

impl<E: Element, S: OrderedTensors> InOrder for Tensor<E, S> {
    fn never() -> ! {
        <S as OrderedTensors>::never()
    }
}

impl<E: Element, S: Shape, I: Bracketed> ops::Index<I> for Tensor<E, S> {
    type Output = Infallible;

    fn index(&self, index: I) -> &Infallible {
        index.never()
    }
}

impl<E: Element, S: Shape, R: Compared> PartialEq<R> for Tensor<E, S> {
    fn eq(&self, _: &R) -> bool {
        R::never()
    }
}

impl<E: Element, S: Shape, R: InOrder> PartialOrd<R> for Tensor<E, S> {
    fn partial_cmp(&self, _: &R) -> Option<Ordering> {
        <R as InOrder>::never()
    }
}

/// What no user has: beside it the compiler doesn't take for granted that a borrowed tensor is compared with a borrowed thing.
struct Other<R>(R);

impl<E: Element, S: Shape, R: Compared> PartialEq<Other<R>> for &Tensor<E, S> {
    fn eq(&self, _: &Other<R>) -> bool {
        R::never()
    }
}

impl<E: Element, S: Shape, R: InOrder> PartialOrd<Other<R>> for &Tensor<E, S> {
    fn partial_cmp(&self, _: &Other<R>) -> Option<Ordering> {
        <R as InOrder>::never()
    }
}

/// A borrowed tensor beside a number as it is written. One number of each kind, because of two the compiler would show neither's message; and no
/// implementation for all that is `Compared`, because others could give a type of theirs the same.
macro_rules! borrowed {
    ($($Number:ty)+) => { $(
        impl<E: Element, S: ComparedTensors> PartialEq<$Number> for &Tensor<E, S> {
            fn eq(&self, _: &$Number) -> bool {
                S::never()
            }
        }

        impl<E: Element, S: OrderedTensors> PartialOrd<$Number> for &Tensor<E, S> {
            fn partial_cmp(&self, _: &$Number) -> Option<Ordering> {
                <S as OrderedTensors>::never()
            }
        }
    )+ };
}

borrowed! { i64 f64 }
