//! Below which number a share of others lies: `quantile`, and `nanquantile` of what is a number.

use super::{DimArgument, Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::Result;
use crate::kinds::RealFloat;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, Certainty, Dim, Shape};

/// What finds shares, a number's and those of a tensor, and what it gives where one falls between two elements.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct How<'w> {
    of_number: Function,
    of_tensor: Function,
    between: &'w str,
}

const QUANTILE: How<'_> = How { of_number: Function::QuantileOfNumber, of_tensor: Function::Quantile, between: "linear" };
const NANQUANTILE: How<'_> = How { of_number: Function::NanquantileOfNumber, of_tensor: Function::Nanquantile, between: "linear" };

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
    fn quantiles<R: Shape>(&self, of: &RawTensor, dim: Option<isize>, by: How<'_>) -> Result<Tensor<E, R>>;
}

#[diagnostic::do_not_recommend]
impl<E: Element, N: RealNumber> ShareList<E> for N {
    type Before<Left: Shape> = Left;

    fn quantiles<R: Shape>(&self, of: &RawTensor, dim: Option<isize>, by: How<'_>) -> Result<Tensor<E, R>> {
        let q: Scalar = (*self).into();
        made(by.of_number, &[of.into(), q.into(), dim.into(), false.into(), by.between.into()])
    }
}

/// The shapes that shares may have, and what each makes of what rows leave.
macro_rules! share_lists {
    ($([$($generics:tt)*] $shape:ty, $Left:ident => $before:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<E: Element $($generics)*> ShareList<E> for &Tensor<E, $shape> {
            type Before<$Left: Shape> = $before;

            fn quantiles<R: Shape>(&self, of: &RawTensor, dim: Option<isize>, by: How<'_>) -> Result<Tensor<E, R>> {
                made(by.of_tensor, &[of.into(), self.raw().into(), dim.into(), false.into(), by.between.into()])
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

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `quantile(q)`: below which number a share of all elements lies, or each of several, between neighbours by a line.
        ///
        /// ```
        /// # use latten_core::{shape::axis, tensor::Tensor};
        /// let x = Tensor::from([[0.0_f32, 1.0], [2.0, 4.0]]);
        /// assert_eq!(x.quantile(0.5)?.item(), 1.5);
        /// assert_eq!(x.quantile(&Tensor::from([0.0_f32, 1.0]))?.to_vec(), [0.0, 4.0]);
        /// assert_eq!(x.quantile_along(0.5, 1)?.to_vec(), [0.5, 3.0]);
        /// assert_eq!(x.quantile_along_with(0.5, 1, "lower")?.to_vec(), [0.0, 2.0]);
        /// assert_eq!(x.quantile_along(&Tensor::from([0.0_f32, 1.0]), axis::<1>()).to_vec(), [0.0, 2.0, 1.0, 4.0]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where a share isn't between 0 and 1.
        pub fn quantile<Q: ShareList<E>>( // along a dimension: x.quantile_along(0.5, 0)?
            &self,
            q: Q,
        ) -> Result<Quantiles<E, Q, ()>>
        where
            E: RealFloat,
        {
            q.quantiles(self.raw(), None, QUANTILE)
        }
    }

    /// PyTorch's `quantile(q, dim)`: the same of each row along a dimension; of several shares there is a new first dimension.
    /// Along an axis of the type it is a value, else a `Result`.
    ///
    /// # Panics
    /// Along an axis of the type, where [`Tensor::try_quantile_along`] is an error.
    #[track_caller]
    pub fn quantile_along<Q: ShareList<E>, D: DimArgument<S>>(
        &self,
        q: Q,
        dim: D,
    ) -> <D::Certainty as Certainty>::Given<Quantiles<E, Q, D::Removed>>
    where
        E: RealFloat,
    {
        D::Certainty::give(self.try_quantile_along(q, dim))
    }

    /// What [`Tensor::quantile_along`] gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`quantile`](Self::quantile), and where the dimension isn't there.
    pub fn try_quantile_along<Q: ShareList<E>, D: DimArgument<S>>(&self, q: Q, dim: D) -> Result<Quantiles<E, Q, D::Removed>>
    where
        E: RealFloat,
    {
        q.quantiles(self.raw(), Some(dim.dim()), QUANTILE)
    }

    /// PyTorch's `nanquantile(q)`: the same of what is a number.
    ///
    /// # Errors
    /// Where a share isn't between 0 and 1.
    pub fn nanquantile<Q: ShareList<E>>(&self, q: Q) -> Result<Quantiles<E, Q, ()>>
    where
        E: RealFloat,
    {
        q.quantiles(self.raw(), None, NANQUANTILE)
    }

    /// PyTorch's `nanquantile(q, dim)`: the same of each row along a dimension.
    ///
    /// # Errors
    /// As [`nanquantile`](Self::nanquantile), and where the dimension isn't there.
    #[track_caller]
    pub fn nanquantile_along<Q: ShareList<E>, D: DimArgument<S>>(
        &self,
        q: Q,
        dim: D,
    ) -> <D::Certainty as Certainty>::Given<Quantiles<E, Q, D::Removed>>
    where
        E: RealFloat,
    {
        D::Certainty::give(q.quantiles(self.raw(), Some(dim.dim()), NANQUANTILE))
    }
}

/// The same by PyTorch's `interpolation`, which says what is given where a share falls between two elements.
macro_rules! between {
    ($($plain:ident $with:ident $along:ident $along_with:ident $how:ident;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            #[doc = concat!("[`", stringify!($plain), "`](Self::", stringify!($plain), ") with what is given between two elements: `\"linear\"`, `\"lower\"`, `\"higher\"`, `\"midpoint\"` or `\"nearest\"`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($plain), "`](Self::", stringify!($plain), "), and for other words.")]
            pub fn $with<Q: ShareList<E>>(&self, q: Q, interpolation: impl AsRef<str>) -> Result<Quantiles<E, Q, ()>>
            where
                E: RealFloat,
            {
                q.quantiles(self.raw(), None, How { between: interpolation.as_ref(), ..$how })
            }

            #[doc = concat!("[`", stringify!($along), "`](Self::", stringify!($along), ") with what is given between two elements.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($with), "`](Self::", stringify!($with), "), and where the dimension isn't there.")]
            pub fn $along_with<Q: ShareList<E>, D: DimArgument<S>>(
                &self,
                q: Q,
                dim: D,
                interpolation: impl AsRef<str>,
            ) -> Result<Quantiles<E, Q, D::Removed>>
            where
                E: RealFloat,
            {
                q.quantiles(self.raw(), Some(dim.dim()), How { between: interpolation.as_ref(), ..$how })
            }
        )+}
    };
}

between! {
    quantile quantile_with quantile_along quantile_along_with QUANTILE;
    nanquantile nanquantile_with nanquantile_along nanquantile_along_with NANQUANTILE;
}
