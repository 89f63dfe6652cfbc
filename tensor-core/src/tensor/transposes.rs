//! Views with the dimensions in another order. Where the types know the rank and the order, they know the new shape, and nothing
//! can fail.

use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::op;
use crate::shape::{
    AnyShape, Axis, Certain, Certainty, Checked, Dim, Exchange, IntegerList, NewAxisAt, Reordered, Shape, SignedDims, SizeInteger, TypeAxis,
};

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Two dimensions swapped. Axes of the type can't fail: `x.transpose(axis::<0>(), axis::<1>())` of `shape![2, 3]` has `shape![3, 2]`;
    /// `x.transpose(0, 1)?` has a rank.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    #[track_caller]
    pub fn transpose<A, B>(&self, dim0: A, dim1: B) -> Viewed<(A, B), S, E>
    where
        (A, B): Swapping<S>,
    {
        let [dim0, dim1] = <(A, B)>::dims(&(dim0, dim1));
        <(A, B) as Swapping<S>>::Certainty::give(made(Function::Transpose, &[(&self.raw).into(), dim0.into(), dim1.into()]))
    }

    /// PyTorch's other name of [`transpose`](Self::transpose).
    ///
    /// # Errors
    /// As `transpose`.
    #[track_caller]
    pub fn swapaxes<A, B>(&self, axis0: A, axis1: B) -> Viewed<(A, B), S, E>
    where
        (A, B): Swapping<S>,
    {
        self.transpose(axis0, axis1)
    }

    as_written! {
        /// Dimension `i` of the view is dimension `dims[i]` of this: `x.permute(axes![2, 0, 1])`, or `x.permute([2, 0, 1])?` with numbers of
        /// the run.
        ///
        /// # Errors
        /// Where `dims` isn't an order of the dimensions.
        #[track_caller]
        pub fn permute<A: DimOrder<S>>( // one list: x.permute([1, 0, 2])?, x.permute(axes![1, 0, 2])
            &self,
            dims: A,
        ) -> <A::Certainty as Certainty>::Given<Tensor<E, A::Shape>> {
            A::Certainty::give(made(Function::Permute, &[(&self.raw).into(), (&dims.dims()[..]).into()]))
        }
    }

    /// Some dimensions at other places, the others in their order around them: `x.movedim(axis::<0>(), axis::<-1>())` of `shape![2, 3, 4]` has
    /// `shape![3, 4, 2]`; `x.movedim(0, -1)?` and `x.movedim([0, 1], [2, 0])?` have a rank.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    #[track_caller]
    pub fn movedim<A, B>(&self, source: A, destination: B) -> Moved<(A, B), S, E>
    where
        (A, B): Moving<S>,
    {
        let [source, destination] = <(A, B)>::dims(&(source, destination));
        <(A, B) as Moving<S>>::Certainty::give(made(
            Function::Movedim,
            &[(&self.raw).into(), (&source[..]).into(), (&destination[..]).into()],
        ))
    }
}

/// What a swap of the dimensions `D` gives.
pub type Viewed<D, S, E> = <<D as Swapping<S>>::Certainty as Certainty>::Given<Tensor<E, <D as Swapping<S>>::Shape>>;

/// Two dimensions of a tensor of shape `S`: `axis::<0>()` twice, or two integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` aren't two dimensions of `{S}`",
    label = "no dimensions",
    note = "write `axis::<0>()` and `axis::<1>()`, or two integers and `?`"
)]
pub trait Swapping<S: Shape> {
    /// The shape with the two exchanged.
    type Shape: Shape;
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
    /// The dimensions.
    fn dims(&self) -> [isize; 2];
}

impl<S, A, B, const ONE: isize, const TWO: isize> Swapping<S> for (TypeAxis<ONE>, TypeAxis<TWO>)
where
    S: Shape + Axis<ONE, Place = A> + Axis<TWO, Place = B> + Exchange<A, B>,
{
    type Shape = <S as Exchange<A, B>>::Shape;
    type Certainty = Certain;

    fn dims(&self) -> [isize; 2] {
        [ONE, TWO]
    }
}

impl<S: Shape, I: SizeInteger, J: SizeInteger> Swapping<S> for (I, J) {
    type Shape = S::SameRank;
    type Certainty = Checked;

    fn dims(&self) -> [isize; 2] {
        [self.0.to_isize(), self.1.to_isize()]
    }
}

/// What a move of dimensions to places, `D`, gives.
pub type Moved<D, S, E> = <<D as Moving<S>>::Certainty as Certainty>::Given<Tensor<E, <D as Moving<S>>::Shape>>;

/// Dimensions of a tensor of shape `S`, and where they go: an axis and an axis, or integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` aren't dimensions of `{S}` and where they go",
    label = "no dimensions and places",
    note = "write `axis::<0>()` and `axis::<-1>()`, or integers, or lists of them, and `?`"
)]
pub trait Moving<S: Shape> {
    /// The shape with the dimensions there.
    type Shape: Shape;
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
    /// The dimensions, and their places.
    fn dims(&self) -> [SignedDims; 2];
}

impl<S, const FROM: isize, const TO: isize> Moving<S> for (TypeAxis<FROM>, TypeAxis<TO>)
where
    S: Axis<FROM, Removed: NewAxisAt<TO>>,
{
    type Shape = <S::Removed as NewAxisAt<TO>>::With<S::Size>;
    type Certainty = Certain;

    fn dims(&self) -> [SignedDims; 2] {
        [FROM, TO].map(|dim| SignedDims::from_slice(&[dim]))
    }
}

impl<S: Shape, I: IntegerList, J: IntegerList> Moving<S> for (I, J) {
    type Shape = S::SameRank;
    type Certainty = Checked;

    fn dims(&self) -> [SignedDims; 2] {
        [self.0.integers(), self.1.integers()]
    }
}

/// An order of the dimensions of a tensor of shape `S`: `axes![1, 0]`, an array, a slice or a vector.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't an order of dimensions",
    label = "no order of dimensions",
    note = "write `axes![2, 0, 1]`, or `[2, 0, 1]` and `?`"
)]
pub trait DimOrder<S: Shape> {
    /// The shape in that order.
    type Shape: Shape;
    /// Whether types have proved that it is an order of them.
    type Certainty: Certainty;
    /// The dimensions.
    fn dims(&self) -> SignedDims;
}

macro_rules! orders {
    ($([$($generics:tt)*] $order:ty;)+) => { $(
        impl<S: Shape, I: SizeInteger $($generics)*> DimOrder<S> for $order {
            type Shape = S::SameRank;
            type Certainty = Checked;

            fn dims(&self) -> SignedDims {
                self.iter().map(|dim| dim.to_isize()).collect()
            }
        }
    )+ };
}

orders! {
    [, const N: usize] [I; N];
    [, const N: usize] &[I; N];
    [] &[I];
    [] Vec<I>;
    [] &Vec<I>;
    [, const N: usize] &smallvec::SmallVec<[I; N]>;
}

macro_rules! typed_orders {
    ($(($($AXIS:ident)*);)+) => { $(
        impl<S: Shape + Reordered<Self>, $(const $AXIS: isize),*> DimOrder<S> for ($(TypeAxis<$AXIS>,)*) {
            type Shape = <S as Reordered<Self>>::Shape;
            type Certainty = Certain;

            fn dims(&self) -> SignedDims {
                [$($AXIS),*].into_iter().collect()
            }
        }
    )+ };
}

typed_orders! {
    ();
    (A);
    (A B);
    (A B C);
    (A B C D);
    (A B C D F);
    (A B C D F G);
    (A B C D F G H);
    (A B C D F G H I);
}

/// Shapes that `t` takes: none of those that this is asked of.
#[diagnostic::on_unimplemented(
    message = "t() expects a tensor with <= 2 dimensions, but self has the shape `{Self}`",
    label = "more than two dimensions",
    note = "`x.mT()` transposes the last two dimensions, `x.transpose(axis::<0>(), axis::<1>())` any two, `x.T()` reverses all"
)]
#[doc(hidden)]
pub trait OfTwoDimensions {}

/// A matrix, whose transpose the types know.
macro_rules! transposes {
    ($($($dim:ident)* => ($($reversed:ident)*) $(t $t:tt)? $(mT $matrix:tt)? $(not $more:ty)?;)+) => { $(
        impl<E: Element, $($dim: Dim),*> Tensor<E, ($($dim,)*)> {
            /// All dimensions in reverse order.
            #[must_use]
            #[expect(non_snake_case, reason = "as PyTorch writes it")]
            pub fn T(&self) -> Tensor<E, ($($reversed,)*)> {
                proved(made(Function::NumpyT, &[(&self.raw).into()]))
            }

            $(
                /// The transpose of a matrix; a tensor of fewer dimensions is its own.
                #[must_use]
                pub fn t(&self) -> Tensor<E, $t> {
                    proved(made(Function::T, &[(&self.raw).into()]))
                }
            )?

            $(
                /// Refused, with PyTorch's sentence.
                #[doc(hidden)]
                pub fn t(&self) -> Self
                where
                    $more: OfTwoDimensions,
                {
                    self.alias()
                }
            )?

            $(
                /// The transposes of a batch of matrices.
                #[must_use]
                #[expect(non_snake_case, reason = "as PyTorch writes it")]
                pub fn mT(&self) -> Tensor<E, $matrix> {
                    proved(made(Function::MT, &[(&self.raw).into()]))
                }

                /// The transposes of a batch of matrices, conjugated.
                #[must_use]
                #[expect(non_snake_case, reason = "as PyTorch writes it")]
                pub fn mH(&self) -> Tensor<E, $matrix> {
                    proved(made(Function::MH, &[(&self.raw).into()]))
                }
            )?
        }
    )+ };
}

transposes! {
                    => ()                t ();
    A               => (A)               t (A,);
    A B             => (B A)             t (B, A) mT (B, A);
    A B C           => (C B A)           mT (A, C, B) not (A, B, C);
    A B C D         => (D C B A)         mT (A, B, D, C) not (A, B, C, D);
    A B C D F       => (F D C B A)       mT (A, B, C, F, D) not (A, B, C, D, F);
    A B C D F G     => (G F D C B A)     mT (A, B, C, D, G, F) not (A, B, C, D, F, G);
    A B C D F G H   => (H G F D C B A)   mT (A, B, C, D, F, H, G) not (A, B, C, D, F, G, H);
    A B C D F G H I => (I H G F D C B A) mT (A, B, C, D, F, G, I, H) not (A, B, C, D, F, G, H, I);
}

impl<E: Element, P: Dim, Q: Dim> Tensor<E, (P, Q)> {
    /// PyTorch's `trace`: the sum of the diagonal.
    #[must_use]
    pub fn trace<O: Element>(&self) -> Tensor<O, ()>
    where
        E: op::Sum<Output = O>,
    {
        proved(made(Function::Trace, &[(&self.raw).into()]))
    }
}

impl<E: Element> Tensor<E, AnyShape> {
    /// PyTorch's `trace`: the sum of the diagonal of a matrix.
    ///
    /// # Panics
    /// Where [`try_trace`](Self::try_trace) is an error.
    #[must_use]
    #[track_caller]
    pub fn trace<O: Element>(&self) -> Tensor<O, ()>
    where
        E: op::Sum<Output = O>,
    {
        proved(self.try_trace())
    }

    /// What [`trace`](Self::trace) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where it isn't a matrix.
    pub fn try_trace<O: Element>(&self) -> Result<Tensor<O, ()>>
    where
        E: op::Sum<Output = O>,
    {
        made(Function::Trace, &[(&self.raw).into()])
    }

    /// All dimensions in reverse order.
    #[must_use]
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn T(&self) -> Self {
        proved(made(Function::NumpyT, &[(&self.raw).into()]))
    }

    /// The transpose of a matrix; a tensor of fewer dimensions is its own.
    ///
    /// # Panics
    /// Where [`try_t`](Self::try_t) is an error.
    #[must_use]
    #[track_caller]
    pub fn t(&self) -> Self {
        proved(self.try_t())
    }

    /// What [`t`](Self::t) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For more than two dimensions.
    pub fn try_t(&self) -> Result<Self> {
        made(Function::T, &[(&self.raw).into()])
    }

    /// The transposes of a batch of matrices.
    ///
    /// # Panics
    /// Where [`try_mT`](Self::try_mT) is an error.
    #[must_use]
    #[track_caller]
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn mT(&self) -> Self {
        proved(self.try_mT())
    }

    /// What [`mT`](Self::mT) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For one dimension.
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn try_mT(&self) -> Result<Self> {
        made(Function::MT, &[(&self.raw).into()])
    }

    /// The transposes of a batch of matrices, conjugated.
    ///
    /// # Panics
    /// Where [`try_mH`](Self::try_mH) is an error.
    #[must_use]
    #[track_caller]
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn mH(&self) -> Self {
        proved(self.try_mH())
    }

    /// What [`mH`](Self::mH) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For one dimension.
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn try_mH(&self) -> Result<Self> {
        made(Function::MH, &[(&self.raw).into()])
    }
}
