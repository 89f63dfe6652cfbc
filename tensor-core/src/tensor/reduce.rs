//! Reductions, scans and softmax as methods. What is left of the shape follows from what a reduction goes along (`along`), the dtype from its
//! relation (`op::Sum`, …), and what that refuses doesn't compile.
//!
//! Written here is what gives two tensors or one of the same shape; the rest is one text for all, in tensor-macros.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::along::{AlongArgument, AlongOne, ReducedAlong};
use super::dims::DimArgument;
use super::{DynTensor, OneDim, Readable, Tensor, admitted, into_outs, made};
use crate::call::{Call, CallArgument, Destination, Function, result, run};
use crate::dtype::AsTyped;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::op;
use crate::reduce::{Along, Keep, NansAre, Tolerance};
use crate::relations::{RealNumber, SameDType};
use crate::shape::{BroadcastWith, Certainty, Shape};

/// The least and the largest.
type Both<T> = (T, T);

impl<E: Element, S: Shape> Tensor<E, S> {
    /// A reduction whose dtype and shape the types have proved: integers become what types say that they do.
    fn reduced<O: Element, R: Shape>(&self, op: Reduction, along: &Along) -> Result<Tensor<O, R>> {
        let _rules = AsTyped::new(O::KNOWN_DTYPE.is_some());
        result(Call::reduction(op, self.raw(), along, Destination::New)).map(Tensor::proved)
    }

    /// Elements that a reduction picks along a dimension, and their places.
    fn picked<O: Element, R: Shape>(&self, function: Function, dim: isize, keep: Keep) -> Result<(Tensor<O, R>, Tensor<i64, R>)> {
        made(function, &[self.raw().into(), dim.into(), keep.into()])
    }
}

// rustc shows the next line to those who write `x.sum(1)`.
latten_macros::reduction_methods! { one dimension: x.sum_along(axis::<1>()), x.sum_along(1)?; all: x.sum() }

macro_rules! scans {
    ($($Op:ident $name:ident $as_dtype:ident $in_place:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", $doc, "(dim)`: what the elements up to each one make; along `axis::<0>()`, or an integer.")]
            ///
            /// # Errors
            /// Where the dimension isn't there.
            #[track_caller]
            pub fn $name<O: Element, A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<Tensor<O, S>>
            where
                E: op::$Op<Output = O>,
            {
                A::Certainty::give(made(Function::$Op, &[self.raw().into(), dim.dim().into()]))
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim, dtype=…)`: of the elements converted to a dtype.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, and for bool.
            pub fn $as_dtype(&self, dim: impl OneDim, dtype: DType) -> Result<DynTensor> {
                made(Function::$Op, &[self.raw().into(), dim.dim().into(), dtype.into()])
            }

            #[doc = concat!("PyTorch's `", $doc, "_(dim)`: computed in this tensor's dtype, in its place.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, and for bool; nothing is changed then.
            pub fn $in_place(&mut self, dim: impl OneDim) -> Result<&mut Self> {
                self.changed(Function::$Op, &[dim.dim().into()])
            }
        }
    )+ };
}

scans! {
    Cumsum  cumsum  cumsum_as  cumsum_  "cumsum";
    Cumprod cumprod cumprod_as cumprod_ "cumprod";
}

macro_rules! running_extremes {
    ($($Op:ident $name:ident $out:ident $doc:literal $which:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", $doc, "(dim)`: the ", $which, " element so far, and where it is.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, and where a dtype that only the run knows has no order.
            #[track_caller]
            pub fn $name<O: Element, A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<(Tensor<O, S>, Tensor<i64, S>)>
            where
                E: op::$Op<Output = O>,
            {
                A::Certainty::give(made(Function::$Op, &[self.raw().into(), dim.dim().into()]))
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim, out=(values, places))`.")]
            ///
            /// # Errors
            #[doc = concat!("As for [`Tensor::", $doc, "`], and where an output has another dtype; then both are unchanged.")]
            pub fn $out<F: Element, R: Shape, G: Element, Q: Shape>(
                &self,
                dim: impl OneDim,
                values: &mut Tensor<F, R>,
                places: &mut Tensor<G, Q>,
            ) -> Result<()>
            where
                E: op::$Op,
            {
                into_outs(Function::$Op, &[self.raw().into(), dim.dim().into()], values, places)
            }
        }
    )+ };
}

running_extremes! {
    Cummax cummax cummax_out "cummax" "largest";
    Cummin cummin cummin_out "cummin" "smallest";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `softmax(dim)`: exponentials that sum to one along a dimension, `x.softmax(axis::<-1>())`, or `x.softmax(-1)?`.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where a dtype that only the run knows isn't a float's.
    #[track_caller]
    pub fn softmax<O: Element, A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<Tensor<O, S>>
    where
        E: op::Softmax<Output = O>,
    {
        A::Certainty::give(made(Function::Softmax, &[self.raw().into(), dim.dim().into()]))
    }

    /// PyTorch's `log_softmax(dim)`: the logarithm of [`Tensor::softmax`], computed without it.
    ///
    /// # Errors
    /// As for [`Tensor::softmax`].
    #[track_caller]
    pub fn log_softmax<O: Element, A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<Tensor<O, S>>
    where
        E: op::LogSoftmax<Output = O>,
    {
        A::Certainty::give(made(Function::LogSoftmax, &[self.raw().into(), dim.dim().into()]))
    }

    /// PyTorch's `softmax(dim, dtype=…)`, of the elements converted to a dtype.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where the dtype isn't a float's.
    pub fn softmax_as(&self, dim: impl OneDim, dtype: DType) -> Result<DynTensor> {
        made(Function::Softmax, &[self.raw().into(), dim.dim().into(), dtype.into()])
    }

    /// PyTorch's `log_softmax(dim, dtype=…)`, of the elements converted to a dtype.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where the dtype isn't a float's.
    pub fn log_softmax_as(&self, dim: impl OneDim, dtype: DType) -> Result<DynTensor> {
        made(Function::LogSoftmax, &[self.raw().into(), dim.dim().into(), dtype.into()])
    }

    /// PyTorch's `aminmax()`: the least and the largest of all elements.
    ///
    /// # Panics
    /// Where [`try_aminmax`](Self::try_aminmax) is an error.
    #[must_use]
    #[track_caller]
    pub fn aminmax<O: Element>(&self) -> (Tensor<O, ()>, Tensor<O, ()>)
    where
        E: op::Aminmax<Output = O>,
    {
        proved(self.try_aminmax())
    }

    /// What [`aminmax`](Self::aminmax) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there are none, and where a dtype that only the run knows has no order.
    pub fn try_aminmax<O: Element>(&self) -> Result<(Tensor<O, ()>, Tensor<O, ()>)>
    where
        E: op::Aminmax<Output = O>,
    {
        let (least, most) = run(Call::new(Function::Aminmax, &[self.raw().into()]))?.pair()?;
        Ok((Tensor::proved(least), Tensor::proved(most)))
    }

    /// PyTorch's `aminmax(dim=…, keepdim=…)`: along `axis::<1>()`, `-1` or `kept(…)`.
    ///
    /// # Panics
    /// Where [`try_aminmax_along`](Self::try_aminmax_along) is an error.
    #[track_caller]
    pub fn aminmax_along<O: Element, A: AlongOne<S>>(&self, along: A) -> A::Given<Both<ReducedAlong<A, S, O>>>
    where
        E: op::Aminmax<Output = O>,
    {
        A::give(self.try_aminmax_along(along))
    }

    /// What [`aminmax_along`](Self::aminmax_along) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As for [`Tensor::try_aminmax`], and where the dimension isn't there.
    pub fn try_aminmax_along<O: Element, A: AlongOne<S>>(&self, along: A) -> Result<Both<ReducedAlong<A, S, O>>>
    where
        E: op::Aminmax<Output = O>,
    {
        let arguments = [self.raw().into(), along.dim().into(), along.keep().into()];
        let (least, most) = run(Call::new(Function::Aminmax, &arguments))?.pair()?;
        Ok((Tensor::proved(least), Tensor::proved(most)))
    }

    /// PyTorch's `aminmax(dim=…, keepdim=…, out=(least, most))`; of all elements without a dimension.
    ///
    /// # Errors
    /// As for [`Tensor::try_aminmax`], where the dimension isn't there, and where an output has another dtype or can't be written; then both are
    /// unchanged.
    pub fn aminmax_out<F: Element, R: Shape, G: Element, Q: Shape>(
        &self,
        dim: Option<isize>,
        keep: Keep,
        least: &mut Tensor<F, R>,
        most: &mut Tensor<G, Q>,
    ) -> Result<()>
    where
        E: op::Aminmax,
    {
        into_outs(Function::Aminmax, &[self.raw().into(), dim.into(), keep.into()], least, most)
    }
}

/// Two tensors compared as wholes, or each element with its counterpart.
impl<E: Readable, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `isclose`: element by element, whether two tensors are within PyTorch's tolerances of each other.
        ///
        /// # Panics
        /// Where [`try_isclose_with`](Self::try_isclose_with) is an error.
        #[must_use]
        #[track_caller]
        pub fn isclose<F: Element + SameDType<E>, R: Shape>( // or x.isclose_with(&y, 1e-5, 0, true)
            &self,
            other: &Tensor<F, R>,
        ) -> Tensor<bool, <S as BroadcastWith<R>>::Common>
        where
            S: BroadcastWith<R>,
        {
            proved(self.try_isclose_with(other, Tolerance::default()))
        }
    }

    /// [`isclose`](Tensor::isclose) within tolerances of one's own: PyTorch's `rtol`, `atol` and `equal_nan`.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (x, y) = (Tensor::from([1.0_f32, f32::NAN]), Tensor::from([1.5_f32, f32::NAN]));
    /// assert_eq!(x.isclose_with(&y, 0, 1, true).to_vec(), [true, true]);
    /// ```
    ///
    /// # Panics
    /// Where [`try_isclose_with`](Self::try_isclose_with) is an error.
    #[must_use]
    #[track_caller]
    pub fn isclose_with<F: Element + SameDType<E>, R: Shape>(
        &self,
        other: &Tensor<F, R>,
        rtol: impl RealNumber,
        atol: impl RealNumber,
        equal_nan: bool,
    ) -> Tensor<bool, <S as BroadcastWith<R>>::Common>
    where
        S: BroadcastWith<R>,
    {
        proved(self.try_isclose_with(other, within(rtol, atol, equal_nan)))
    }

    /// What [`isclose_with`](Self::isclose_with) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where dtypes that only the run knows differ, the shapes don't broadcast, or a tolerance is negative.
    pub fn try_isclose_with<F: Element + SameDType<E>, R: Shape>(
        &self,
        other: &Tensor<F, R>,
        tolerance: Tolerance,
    ) -> Result<Tensor<bool, <S as BroadcastWith<R>>::Common>>
    where
        S: BroadcastWith<R>,
    {
        let Tolerance { relative, absolute, nans } = tolerance;
        let arguments = [self.raw().into(), other.raw().into(), number(relative), number(absolute), nans.into()];
        run(Call::new(Function::Isclose, &arguments))?.one().and_then(Tensor::stretched)
    }

    as_written! {
        /// PyTorch's `allclose`: whether all elements are within PyTorch's tolerances of each other.
        ///
        /// # Panics
        /// Where [`try_allclose_with`](Self::try_allclose_with) is an error.
        #[track_caller]
        pub fn allclose<F: Readable + SameDType<E>, R: Shape>( // other tolerances: a.allclose_with(&b, rtol, atol)
            &self,
            other: &Tensor<F, R>,
        ) -> bool
        where
            S: BroadcastWith<R>,
        {
            let Tolerance { relative, absolute, .. } = Tolerance::default();
            self.allclose_with(other, relative, absolute, false)
        }
    }

    /// [`allclose`](Tensor::allclose) within tolerances of one's own: PyTorch's `rtol`, `atol` and `equal_nan`.
    ///
    /// # Panics
    /// Where [`try_allclose_with`](Self::try_allclose_with) is an error.
    #[track_caller]
    pub fn allclose_with<F: Readable + SameDType<E>, R: Shape>(
        &self,
        other: &Tensor<F, R>,
        rtol: impl RealNumber,
        atol: impl RealNumber,
        equal_nan: bool,
    ) -> bool
    where
        S: BroadcastWith<R>,
    {
        proved(self.try_allclose_with(other, within(rtol, atol, equal_nan)))
    }

    /// What [`allclose_with`](Self::allclose_with) gives, or the error that it panics with; PyTorch's `equal_nan`, too.
    ///
    /// # Errors
    /// As for [`try_isclose_with`](Self::try_isclose_with), and for meta tensors.
    pub fn try_allclose_with<F: Element, R: Shape>(&self, other: &Tensor<F, R>, tolerance: Tolerance) -> Result<bool> {
        let Tolerance { relative, absolute, nans } = tolerance;
        run(Call::new(Function::Allclose, &[self.raw().into(), other.raw().into(), number(relative), number(absolute), nans.into()]))?
            .flag()
    }

    /// PyTorch's `equal`: whether two tensors have the same sizes and equal elements, whatever their dtypes.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (a, b) = (Tensor::from([1.0_f64, 2.0]), Tensor::from([1.0, 2.0 + 1e-12]));
    /// assert!(!a.equal(&b) && a.allclose(&b));
    /// assert_eq!(a.eq(&b).to_vec(), [true, false]);
    /// ```
    ///
    /// # Panics
    /// Where [`try_equal`](Self::try_equal) is an error.
    #[must_use]
    #[track_caller]
    pub fn equal<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> bool {
        proved(self.try_equal(other))
    }

    /// What [`equal`](Self::equal) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors, and where the devices differ.
    pub fn try_equal<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<bool> {
        run(Call::new(Function::Equal, &[self.raw().into(), other.raw().into()]))?.flag()
    }
}

/// PyTorch's arguments as a tolerance.
fn within(rtol: impl RealNumber, atol: impl RealNumber, equal_nan: bool) -> Tolerance {
    Tolerance { relative: rtol.real(), absolute: atol.real(), nans: if equal_nan { NansAre::Equal } else { NansAre::Different } }
}

/// A tolerance as an argument.
fn number(tolerance: f64) -> CallArgument<'static> {
    CallArgument::Number(tolerance.into())
}
