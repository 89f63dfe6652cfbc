//! How far numbers are apart, and their mean beside it: `std_mean` and `var_mean`.

use super::along::AlongArgument;
use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::scalar::Scalar;
use crate::shape::Shape;

/// A spread, and a mean.
type WithMean<E, S> = (Tensor<E, S>, Tensor<E, S>);

macro_rules! spreads {
    ($($(#[$comment:meta])* $function:ident $name:ident $try_name:ident $with:ident $try_with:ident, $along:ident $try_along:ident $along_with:ident $try_along_with:ident;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name(&self) -> WithMean<E, ()>
            where
                E: RealFloat,
            {
                proved(self.$try_name())
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where a dtype that only the run knows isn't a float's.
            pub fn $try_name(&self) -> Result<WithMean<E, ()>>
            where
                E: RealFloat,
            {
                made(Function::$function, &[self.raw().into()])
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") with another correction than 1: a number, or whether there is one.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $with(&self, correction: impl Into<f64>) -> WithMean<E, ()>
            where
                E: RealFloat,
            {
                proved(self.$try_with(correction))
            }

            #[doc = concat!("What [`", stringify!($with), "`](Self::", stringify!($with), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($try_name), "`](Self::", stringify!($try_name), ").")]
            pub fn $try_with(&self, correction: impl Into<f64>) -> Result<WithMean<E, ()>>
            where
                E: RealFloat,
            {
                made(Function::$function, &[self.raw().into(), CallArgument::None, CallArgument::Number(Scalar::Float(correction.into()))])
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), ") along dimensions: `axis::<1>()`, `-1`, `[0, 1]`, or `kept(…)` of these.")]
            ///
            /// # Panics
            #[doc = concat!("Along axes of the type, where [`", stringify!($try_along), "`](Self::", stringify!($try_along), ") is an error.")]
            #[track_caller]
            pub fn $along<A: AlongArgument<S>>(&self, along: A) -> A::Given<WithMean<E, A::Left>>
            where
                E: RealFloat,
            {
                A::give(self.$try_along(along))
            }

            #[doc = concat!("What [`", stringify!($along), "`](Self::", stringify!($along), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where the dimensions aren't there.
            pub fn $try_along<A: AlongArgument<S>>(&self, along: A) -> Result<WithMean<E, A::Left>>
            where
                E: RealFloat,
            {
                self.$try_along_with(along, true)
            }

            #[doc = concat!("[`", stringify!($along), "`](Self::", stringify!($along), ") with another correction than 1.")]
            ///
            /// # Panics
            #[doc = concat!("Along axes of the type, where [`", stringify!($try_along_with), "`](Self::", stringify!($try_along_with), ") is an error.")]
            #[track_caller]
            pub fn $along_with<A: AlongArgument<S>>(&self, along: A, correction: impl Into<f64>) -> A::Given<WithMean<E, A::Left>>
            where
                E: RealFloat,
            {
                A::give(self.$try_along_with(along, correction))
            }

            #[doc = concat!("What [`", stringify!($along_with), "`](Self::", stringify!($along_with), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where the dimensions aren't there.
            pub fn $try_along_with<A: AlongArgument<S>>(&self, along: A, correction: impl Into<f64>) -> Result<WithMean<E, A::Left>>
            where
                E: RealFloat,
            {
                let (along, correction) = (along.along(), CallArgument::Number(Scalar::Float(correction.into())));
                made(Function::$function, &[self.raw().into(), along.given_dims().into(), correction, along.keeps().into()])
            }
        )+}
    };
}

spreads! {
    /// PyTorch's `std_mean()`: the standard deviation, and the mean.
    ///
    /// ```
    /// # use latten_core::{shape::{D, axis}, tensor::Tensor};
    /// let x = Tensor::from([[1.0_f32, 3.0], [2.0, 6.0]]);
    /// let (deviations, means): (Tensor<f32, (D<2>,)>, _) = x.std_mean_along_with(axis::<1>(), 0);
    /// assert_eq!((deviations.to_vec(), means.to_vec()), (vec![1.0, 2.0], vec![2.0, 4.0]));
    /// assert_eq!(x.std_mean().1.item(), 3.0);
    /// ```
    StdMean std_mean try_std_mean std_mean_with try_std_mean_with, std_mean_along try_std_mean_along std_mean_along_with try_std_mean_along_with;
    /// PyTorch's `var_mean()`: the variance, and the mean.
    VarMean var_mean try_var_mean var_mean_with try_var_mean_with, var_mean_along try_var_mean_along var_mean_along_with try_var_mean_along_with;
}
