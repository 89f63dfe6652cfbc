//! Views with the dimensions in another order. Where the types know the rank and the order, they know the new shape, and nothing
//! can fail.

use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::shape::{AnyShape, Dim, Shape, Swap};

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Two dimensions swapped that the types have proved to be there.
    fn swapped<R: Shape>(&self, a: usize, b: usize) -> Tensor<E, R> {
        proved(made(Function::Transpose, &[(&self.raw).into(), a.cast_signed().into(), b.cast_signed().into()]))
    }

    /// Two dimensions swapped, which the types know: `x.swap::<0, 1>()` of `shape![2, 3]` has `shape![3, 2]`.
    #[must_use]
    pub fn swap<const A: usize, const B: usize>(&self) -> Tensor<E, <S as Swap<A, B>>::Output>
    where
        S: Swap<A, B>,
    {
        self.swapped(A, B)
    }

    /// Two dimensions swapped.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Tensor<E, S::Loose>> {
        made(Function::Transpose, &[(&self.raw).into(), dim0.into(), dim1.into()])
    }

    /// PyTorch's other name of [`transpose`](Self::transpose).
    ///
    /// # Errors
    /// As `transpose`.
    pub fn swapaxes(&self, axis0: isize, axis1: isize) -> Result<Tensor<E, S::Loose>> {
        self.transpose(axis0, axis1)
    }

    /// Dimension `i` of the view is dimension `dims[i]` of this.
    ///
    /// # Errors
    /// Where `dims` isn't an order of the dimensions.
    pub fn permute(&self, dims: impl AsRef<[isize]>) -> Result<Tensor<E, S::Loose>> {
        made(Function::Permute, &[(&self.raw).into(), dims.as_ref().into()])
    }

    /// Some dimensions at other places, the others in their order around them.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    pub fn movedim(&self, source: impl AsRef<[isize]>, destination: impl AsRef<[isize]>) -> Result<Tensor<E, S::Loose>> {
        made(Function::Movedim, &[(&self.raw).into(), source.as_ref().into(), destination.as_ref().into()])
    }
}

/// A matrix, whose transpose the types know.
macro_rules! transposes {
    ($($($dim:ident)* => ($($reversed:ident)*) $(t $t:tt)? $(mT $matrix:tt)?;)+) => { $(
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
                /// The transposes of a batch of matrices.
                #[must_use]
                #[expect(non_snake_case, reason = "as PyTorch writes it")]
                pub fn mT(&self) -> Tensor<E, $matrix> {
                    proved(made(Function::MT, &[(&self.raw).into()]))
                }
            )?
        }
    )+ };
}

transposes! {
                    => ()                t ();
    A               => (A)               t (A,);
    A B             => (B A)             t (B, A) mT (B, A);
    A B C           => (C B A)           mT (A, C, B);
    A B C D         => (D C B A)         mT (A, B, D, C);
    A B C D F       => (F D C B A)       mT (A, B, C, F, D);
    A B C D F G     => (G F D C B A)     mT (A, B, C, D, G, F);
    A B C D F G H   => (H G F D C B A)   mT (A, B, C, D, F, H, G);
    A B C D F G H I => (I H G F D C B A) mT (A, B, C, D, F, G, I, H);
}

impl<E: Element> Tensor<E, AnyShape> {
    /// All dimensions in reverse order.
    #[must_use]
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn T(&self) -> Self {
        proved(made(Function::NumpyT, &[(&self.raw).into()]))
    }

    /// The transpose of a matrix; a tensor of fewer dimensions is its own.
    ///
    /// # Errors
    /// For more than two dimensions.
    pub fn t(&self) -> Result<Self> {
        made(Function::T, &[(&self.raw).into()])
    }

    /// The transposes of a batch of matrices.
    ///
    /// # Errors
    /// For one dimension.
    #[expect(non_snake_case, reason = "as PyTorch writes it")]
    pub fn mT(&self) -> Result<Self> {
        made(Function::MT, &[(&self.raw).into()])
    }
}
