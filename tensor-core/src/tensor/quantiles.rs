//! Below which number a share of others lies: `quantile`, and `nanquantile` of what is a number.

use super::{AlongOne, Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::Result;
use crate::kinds::RealFloat;
use crate::raw::RawTensor;
use crate::reduce::Keep;
use crate::relations::RealNumber;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, Dim, Shape};

/// What finds shares, a number's and those of a tensor, along what, and what it gives where one falls between two elements.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct How<'w> {
    of_number: Function,
    of_tensor: Function,
    along: Option<isize>,
    keep: Keep,
    between: &'w str,
}

/// Which shares `quantile` looks for in tensors of `E`: a number, or a tensor of the same dtype.
#[diagnostic::on_unimplemented(
    message = "quantile() q tensor must be same dtype as the input tensor, a scalar or a 1D tensor",
    label = "no number, and no tensor of `{E}` with one dimension",
    note = "`x.quantile_along(0.5, 0)?`, or `x.quantile_along(&tensor![0.25, 0.75; f64], 0)?` of a tensor of f64; of a parameter `let q: Tensor<E, _> = tensor![0.25, 0.75];`"
)]
pub trait ShareList<E: Element> {
    /// What is found in rows that leave such a shape.
    type Before<Left: Shape>: Shape;
    /// Makes the call.
    #[doc(hidden)]
    fn quantiles<R: Shape>(&self, of: &RawTensor, by: How<'_>) -> Result<Tensor<E, R>>;
}

#[diagnostic::do_not_recommend]
impl<E: Element, N: RealNumber> ShareList<E> for N {
    type Before<Left: Shape> = Left;

    fn quantiles<R: Shape>(&self, of: &RawTensor, by: How<'_>) -> Result<Tensor<E, R>> {
        let q: Scalar = (*self).into();
        made(by.of_number, &[of.into(), q.into(), by.along.into(), by.keep.into(), by.between.into()])
    }
}

/// The shapes that shares may have, and what each makes of what rows leave.
macro_rules! share_lists {
    ($([$($generics:tt)*] $shape:ty, $Left:ident => $before:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<E: Element $($generics)*> ShareList<E> for &Tensor<E, $shape> {
            type Before<$Left: Shape> = $before;

            fn quantiles<R: Shape>(&self, of: &RawTensor, by: How<'_>) -> Result<Tensor<E, R>> {
                made(by.of_tensor, &[of.into(), self.raw().into(), by.along.into(), by.keep.into(), by.between.into()])
            }
        }
    )+ };
}

share_lists! {
    [] (), Left => Left;
    [, K: Dim] (K,), Left => Left::RankAbove;
    [] AnyShape, Left => AnyShape;
}

/// The quantiles of rows that leave such a shape.
type Quantiles<E, Q, Left> = Tensor<E, <Q as ShareList<E>>::Before<Left>>;

/// The quantiles of numbers and of tensors of shares, of all elements and along a dimension, and with PyTorch's `interpolation`.
macro_rules! quantiles {
    ($($(#[$comment:meta])* $plain:ident $with:ident $along:ident $twin:ident $along_with:ident $of_number:ident $of_tensor:ident;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Errors
            /// Where a share isn't between 0 and 1.
            pub fn $plain<Q: ShareList<E>>(&self, q: Q) -> Result<Quantiles<E, Q, ()>>
            where
                E: RealFloat,
            {
                self.$with(q, "linear")
            }

            #[doc = concat!("[`", stringify!($plain), "`](Self::", stringify!($plain), ") with what is given between two elements: `\"linear\"`, `\"lower\"`, `\"higher\"`, `\"midpoint\"` or `\"nearest\"`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($plain), "`](Self::", stringify!($plain), "), and for other words.")]
            pub fn $with<Q: ShareList<E>>(&self, q: Q, interpolation: impl AsRef<str>) -> Result<Quantiles<E, Q, ()>>
            where
                E: RealFloat,
            {
                let how = How {
                    of_number: Function::$of_number,
                    of_tensor: Function::$of_tensor,
                    along: None,
                    keep: Keep::No,
                    between: interpolation.as_ref(),
                };
                q.quantiles(self.raw(), how)
            }

            #[doc = concat!("PyTorch's `", stringify!($plain), "(q, dim)`: the same of each row along a dimension, which stays in `kept(1)`; of several shares there is a new first dimension.")]
            /// Along an axis of the type it is a value, else a `Result`.
            ///
            /// # Panics
            #[doc = concat!("Along an axis of the type, where [`Tensor::", stringify!($twin), "`] is an error.")]
            #[track_caller]
            pub fn $along<Q: ShareList<E>, A: AlongOne<S>>(&self, q: Q, dim: A) -> A::Given<Quantiles<E, Q, A::Left>>
            where
                E: RealFloat,
            {
                A::give(self.$twin(q, dim))
            }

            #[doc = concat!("What [`Tensor::", stringify!($along), "`] gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($plain), "`](Self::", stringify!($plain), "), and where the dimension isn't there.")]
            pub fn $twin<Q: ShareList<E>, A: AlongOne<S>>(&self, q: Q, dim: A) -> Result<Quantiles<E, Q, A::Left>>
            where
                E: RealFloat,
            {
                self.$along_with(q, dim, "linear")
            }

            #[doc = concat!("[`", stringify!($along), "`](Self::", stringify!($along), ") with what is given between two elements.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($with), "`](Self::", stringify!($with), "), and where the dimension isn't there.")]
            pub fn $along_with<Q: ShareList<E>, A: AlongOne<S>>(
                &self,
                q: Q,
                dim: A,
                interpolation: impl AsRef<str>,
            ) -> Result<Quantiles<E, Q, A::Left>>
            where
                E: RealFloat,
            {
                let how = How {
                    of_number: Function::$of_number,
                    of_tensor: Function::$of_tensor,
                    along: Some(dim.dim()),
                    keep: dim.keep(),
                    between: interpolation.as_ref(),
                };
                q.quantiles(self.raw(), how)
            }
        )+}
    };
}

quantiles! {
    /// PyTorch's `quantile(q)`: below which number a share of all elements lies, or each of several, between neighbours by a line.
    ///
    /// ```
    /// # use latten_core::{shape::axis, tensor::{Tensor, kept}};
    /// let x = Tensor::from([[0.0_f32, 1.0], [2.0, 4.0]]);
    /// assert_eq!(x.quantile(0.5)?.item(), 1.5);
    /// assert_eq!(x.quantile(&Tensor::from([0.0_f32, 1.0]))?.to_vec(), [0.0, 4.0]);
    /// assert_eq!(x.quantile_along(0.5, 1)?.to_vec(), [0.5, 3.0]);
    /// assert_eq!(x.quantile_along(0.5, kept(1))?.sizes(), [2, 1]);
    /// assert_eq!(x.quantile_along_with(0.5, 1, "lower")?.to_vec(), [0.0, 2.0]);
    /// assert_eq!(x.quantile_along(&Tensor::from([0.0_f32, 1.0]), axis::<1>()).to_vec(), [0.0, 2.0, 1.0, 4.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    quantile quantile_with // along a dimension: x.quantile_along(0.5, 0)?
        quantile_along try_quantile_along quantile_along_with QuantileOfNumber Quantile;
    /// PyTorch's `nanquantile(q)`: the same of what is a number.
    nanquantile nanquantile_with // along a dimension: x.nanquantile_along(0.5, 0)?
        nanquantile_along try_nanquantile_along nanquantile_along_with NanquantileOfNumber Nanquantile;
}
