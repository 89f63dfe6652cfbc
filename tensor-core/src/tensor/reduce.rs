//! Reductions, scans and softmax as methods. An axis that the type knows goes from the type; the dtype follows from the reduction's
//! relation (`op::Sum`, …), and what that refuses doesn't compile.
//!
//! Written here is what gives two tensors or one of the same shape; the rest is one text for all, in tensor-macros.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::{DynTensor, Tensor};
use crate::dtype::AsTyped;
use crate::element::Element;
use crate::error::{Error, Result, proved};
use crate::op;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep, Tolerance, allclose, aminmax, equal, isclose, pair_into, pick, reduce, reduce_for, scan, scan_in_place};
use crate::reduce::{scan_places, softmax};
use crate::shape::{Axis, Broadcast, Shape, ShapeArgument};

/// A dtype beside a shape: itself. It keeps the compiler from asking for the reduction before it knows the axis, so that what it
/// says of a dtype without the reduction is the relation's message.
pub trait Beside<E> {
    /// The dtype.
    type Element: Element;
}

impl<E: Element, S: Shape> Beside<E> for S {
    type Element = E;
}

/// The dtype of a tensor that is reduced along an axis.
pub type Reduced<E, S, const AXIS: isize> = <<S as Axis<AXIS>>::Removed as Beside<E>>::Element;

/// Elements and their places along the dimension that is gone.
pub(super) type Picked<E, S> = (Tensor<E, S>, Tensor<i64, S>);

pub(super) fn both<E: Element, S: Shape>((values, places): (RawTensor, RawTensor)) -> Picked<E, S> {
    (Tensor::proved(values), Tensor::proved(places))
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// A reduction whose dtype and shape the types have proved: integers become what types say that they do.
    fn reduced<O: Element, R: Shape>(&self, op: Reduction, along: &Along) -> Result<Tensor<O, R>> {
        let _rules = AsTyped::new(O::DTYPE.is_some());
        reduce(op, self.raw(), along).map(Tensor::proved)
    }

    fn reduced_into<F: Element, R: Shape>(&self, op: Reduction, along: &Along, out: &mut Tensor<F, R>) -> Result<()> {
        let result = reduce_for(op, self.raw(), along, out.raw().dtype())?;
        admitted::<R>(&result)?;
        out.raw_mut().take_result(&result).map(drop)
    }
}

/// That an output's type admits a result.
fn admitted<R: Shape>(result: &RawTensor) -> Result<()> {
    if R::admits(result.sizes()) {
        return Ok(());
    }
    let (result, out) = (result.sizes().to_vec(), R::describe());
    Err(Error::runtime(format!("the result has shape {result:?}, but the output is of type {out}")))
}

/// Puts a pair of results into two outputs.
fn both_into<F: Element, R: Shape, G: Element, Q: Shape>(
    op: Reduction,
    results: &(RawTensor, RawTensor),
    first: &mut Tensor<F, R>,
    second: &mut Tensor<G, Q>,
) -> Result<()> {
    admitted::<R>(&results.0)?;
    admitted::<Q>(&results.1)?;
    pair_into(op, results, [first.raw_mut(), second.raw_mut()])
}

latten_macros::reduction_methods!();

macro_rules! picks {
    ($($Op:ident $dim:ident $out:ident $axis:ident $fallible:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", $doc, "(dim, keepdim)`: along a dimension that the run knows, the elements and their places.")]
            ///
            /// # Errors
            /// Where the dimension isn't there or has no elements, and where the dtype has no order.
            pub fn $dim<O: Element>(&self, dim: isize, keep: Keep) -> Result<(Tensor<O>, Tensor<i64>)>
            where
                E: op::$Op<Output = O>,
            {
                pick(Reduction::$Op, self.raw(), dim, keep).map(both)
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim, keepdim, out=(values, places))`.")]
            ///
            /// # Errors
            #[doc = concat!("As for [`Tensor::", stringify!($dim), "`], and where an output has another dtype; then both are unchanged.")]
            pub fn $out<F: Element, R: Shape, G: Element, Q: Shape>(
                &self,
                dim: isize,
                keep: Keep,
                values: &mut Tensor<F, R>,
                places: &mut Tensor<G, Q>,
            ) -> Result<()>
            where
                E: op::$Op,
            {
                both_into(Reduction::$Op, &pick(Reduction::$Op, self.raw(), dim, keep)?, values, places)
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim)`: along an axis of the type, which goes, the elements and their places.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`Tensor::", stringify!($fallible), "`] is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $axis<const AXIS: isize>(&self) -> Picked<<Reduced<E, S, AXIS> as op::$Op>::Output, S::Removed>
            where
                S: Axis<AXIS>,
                Reduced<E, S, AXIS>: op::$Op,
            {
                proved(self.$fallible::<AXIS>())
            }

            #[doc = concat!("What [`Tensor::", stringify!($axis), "`] gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where the dimension has no elements, and where a dtype that only the run knows has no order.
            pub fn $fallible<const AXIS: isize>(&self) -> Result<Picked<<Reduced<E, S, AXIS> as op::$Op>::Output, S::Removed>>
            where
                S: Axis<AXIS>,
                Reduced<E, S, AXIS>: op::$Op,
            {
                pick(Reduction::$Op, self.raw(), AXIS, Keep::No).map(both)
            }
        }
    )+ };
}

picks! {
    Max    max_dim    max_dim_out    max_axis    try_max_axis    "max";
    Min    min_dim    min_dim_out    min_axis    try_min_axis    "min";
    Median median_dim median_dim_out median_axis try_median_axis "median";
}

macro_rules! scans {
    ($($Op:ident $name:ident $as_dtype:ident $in_place:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", $doc, "(dim)`: what the elements up to each one make.")]
            ///
            /// # Errors
            /// Where the dimension isn't there.
            pub fn $name<O: Element>(&self, dim: isize) -> Result<Tensor<O, S>>
            where
                E: op::$Op<Output = O>,
            {
                scan(Reduction::$Op, self.raw(), dim, None).map(Tensor::proved)
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim, dtype=…)`: of the elements converted to a dtype.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, and for bool.
            pub fn $as_dtype(&self, dim: isize, dtype: DType) -> Result<DynTensor> {
                scan(Reduction::$Op, self.raw(), dim, Some(dtype)).map(Tensor::proved)
            }

            #[doc = concat!("PyTorch's `", $doc, "_(dim)`: computed in this tensor's dtype, in its place.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, and for bool; nothing is changed then.
            pub fn $in_place(&mut self, dim: isize) -> Result<&mut Self> {
                scan_in_place(Reduction::$Op, self.raw(), dim)?;
                Ok(self)
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
            pub fn $name<O: Element>(&self, dim: isize) -> Result<(Tensor<O, S>, Tensor<i64, S>)>
            where
                E: op::$Op<Output = O>,
            {
                scan_places(Reduction::$Op, self.raw(), dim).map(both)
            }

            #[doc = concat!("PyTorch's `", $doc, "(dim, out=(values, places))`.")]
            ///
            /// # Errors
            #[doc = concat!("As for [`Tensor::", $doc, "`], and where an output has another dtype; then both are unchanged.")]
            pub fn $out<F: Element, R: Shape, G: Element, Q: Shape>(
                &self,
                dim: isize,
                values: &mut Tensor<F, R>,
                places: &mut Tensor<G, Q>,
            ) -> Result<()>
            where
                E: op::$Op,
            {
                both_into(Reduction::$Op, &scan_places(Reduction::$Op, self.raw(), dim)?, values, places)
            }
        }
    )+ };
}

running_extremes! {
    Cummax cummax cummax_out "cummax" "largest";
    Cummin cummin cummin_out "cummin" "smallest";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `softmax(dim)`: exponentials that sum to one along a dimension.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where a dtype that only the run knows isn't a float's.
    pub fn softmax<O: Element>(&self, dim: isize) -> Result<Tensor<O, S>>
    where
        E: op::Softmax<Output = O>,
    {
        softmax(Reduction::Softmax, self.raw(), dim, None).map(Tensor::proved)
    }

    /// PyTorch's `log_softmax(dim)`: the logarithm of [`Tensor::softmax`], computed without it.
    ///
    /// # Errors
    /// As for [`Tensor::softmax`].
    pub fn log_softmax<O: Element>(&self, dim: isize) -> Result<Tensor<O, S>>
    where
        E: op::LogSoftmax<Output = O>,
    {
        softmax(Reduction::LogSoftmax, self.raw(), dim, None).map(Tensor::proved)
    }

    /// PyTorch's `softmax(dim, dtype=…)`, of the elements converted to a dtype.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where the dtype isn't a float's.
    pub fn softmax_as(&self, dim: isize, dtype: DType) -> Result<DynTensor> {
        softmax(Reduction::Softmax, self.raw(), dim, Some(dtype)).map(Tensor::proved)
    }

    /// PyTorch's `log_softmax(dim, dtype=…)`, of the elements converted to a dtype.
    ///
    /// # Errors
    /// Where the dimension isn't there, and where the dtype isn't a float's.
    pub fn log_softmax_as(&self, dim: isize, dtype: DType) -> Result<DynTensor> {
        softmax(Reduction::LogSoftmax, self.raw(), dim, Some(dtype)).map(Tensor::proved)
    }

    /// PyTorch's `aminmax()`: the least and the largest of all elements.
    ///
    /// # Errors
    /// Where there are none, and where a dtype that only the run knows has no order.
    pub fn aminmax<O: Element>(&self) -> Result<(Tensor<O, ()>, Tensor<O, ()>)>
    where
        E: op::Aminmax<Output = O>,
    {
        let (least, most) = aminmax(self.raw(), None, Keep::No)?;
        Ok((Tensor::proved(least), Tensor::proved(most)))
    }

    /// PyTorch's `aminmax(dim=…, keepdim=…)`.
    ///
    /// # Errors
    /// As for [`Tensor::aminmax`], and where the dimension isn't there.
    pub fn aminmax_dim<O: Element>(&self, dim: isize, keep: Keep) -> Result<(Tensor<O>, Tensor<O>)>
    where
        E: op::Aminmax<Output = O>,
    {
        let (least, most) = aminmax(self.raw(), Some(dim), keep)?;
        Ok((Tensor::proved(least), Tensor::proved(most)))
    }

    /// PyTorch's `aminmax(dim=…, keepdim=…, out=(least, most))`; all dimensions without one.
    ///
    /// # Errors
    /// As for [`Tensor::aminmax_dim`], and where an output has another dtype; then both are unchanged.
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
        both_into(Reduction::Aminmax, &aminmax(self.raw(), dim, keep)?, least, most)
    }

    /// PyTorch's `isclose`: element by element, whether two tensors are within a tolerance of each other.
    ///
    /// # Errors
    /// Where the dtypes differ, the shapes don't broadcast, or a tolerance is negative.
    pub fn isclose<F: Element, R: Shape>(
        &self,
        other: &Tensor<F, R>,
        tolerance: Tolerance,
    ) -> Result<Tensor<bool, <S as Broadcast<R>>::Output>>
    where
        S: Broadcast<R>,
    {
        isclose(self.raw(), other.raw(), tolerance).and_then(Tensor::stretched)
    }

    /// PyTorch's `allclose`: whether all elements are within a tolerance of each other.
    ///
    /// # Errors
    /// As for [`Tensor::isclose`].
    pub fn allclose<F: Element, R: Shape>(&self, other: &Tensor<F, R>, tolerance: Tolerance) -> Result<bool> {
        allclose(self.raw(), other.raw(), tolerance)
    }

    /// PyTorch's `equal`: whether two tensors have the same sizes and equal elements, whatever their dtypes.
    ///
    /// # Errors
    /// For meta tensors, and where the devices differ.
    pub fn equal<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<bool> {
        equal(self.raw(), other.raw())
    }
}
