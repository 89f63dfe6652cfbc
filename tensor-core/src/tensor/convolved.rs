//! Methods whose results are made of windows: convolutions, and pools. What types know of the batch and of the channels they keep; how often a
//! window fits only the run knows.

use super::declared::{argument, kind};
use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::relations::HasProduct;
use crate::shape::{Dyn, IntegerList, Shape, TransposedOf, WindowWeights, Windowed, WindowsOf};

macro_rules! convolutions {
    ($($(#[$comment:meta])* $function:ident $name:ident $twin:ident $with:ident($last:ident)
        $grouped:ident($($more:ident $kind:tt),+) -> $Channels:ty, by $Of:ident<$dims:literal>, $errors:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name<W: Shape + $Of<S, $dims>>(&self, weight: &Tensor<E, W>) -> Tensor<E, W::Convolved>
            where
                E: HasProduct,
            {
                proved(self.$twin(weight))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $twin<W: Shape + $Of<S, $dims>>(&self, weight: &Tensor<E, W>) -> Result<Tensor<E, W::Convolved>>
            where
                E: HasProduct,
            {
                made(Function::$function, &[self.raw().into(), weight.raw().into()])
            }

            #[doc = concat!("PyTorch's `", stringify!($name), "(weight, bias, stride, padding, ", stringify!($last), ")`; in groups by [`",
                stringify!($grouped), "`](Self::", stringify!($grouped), ").")]
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $with<W: Shape + $Of<S, $dims>>(
                &self,
                weight: &Tensor<E, W>,
                bias: kind!(maybe),
                stride: kind!(sizes),
                padding: kind!(sizes),
                $last: kind!(sizes),
            ) -> Result<Tensor<E, W::Convolved>>
            where
                E: HasProduct,
            {
                made(
                    Function::$function,
                    &[
                        self.raw().into(),
                        weight.raw().into(),
                        argument!(maybe bias),
                        argument!(sizes stride),
                        argument!(sizes padding),
                        argument!(sizes $last),
                    ],
                )
            }

            #[doc = concat!("All arguments of PyTorch's `", stringify!($name), "`: `(weight, bias, stride, padding" $(, ", ", stringify!($more))+, ")`. The channels are taken in `groups`, each by its share of the weights.")]
            ///
            /// # Errors
            /// Where the groups don't divide the channels, or no window fits.
            #[allow(clippy::too_many_arguments, reason = "PyTorch's")]
            pub fn $grouped<W: Shape + WindowWeights<$dims>>(
                &self,
                weight: &Tensor<E, W>,
                bias: kind!(maybe),
                stride: kind!(sizes),
                padding: kind!(sizes),
                $($more: kind!($kind),)+
            ) -> Result<Tensor<E, S::Made<$Channels>>>
            where
                E: HasProduct,
                S: Windowed<$dims>,
            {
                made(
                    Function::$function,
                    &[
                        self.raw().into(),
                        weight.raw().into(),
                        argument!(maybe bias),
                        argument!(sizes stride),
                        argument!(sizes padding),
                        $(argument!($kind $more)),+
                    ],
                )
            }
        )+}
    };
}

convolutions! {
    /// PyTorch's `conv2d(weight)`: the sums over windows of pictures, times weights.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (picture, edge) = (Tensor::from([[[[1.0_f32, 2.0, 4.0]]]]), Tensor::from([[[[-1.0_f32, 1.0]]]]));
    /// assert_eq!(picture.conv2d(&edge).to_vec(), [1.0, 2.0]);
    /// assert_eq!(picture.conv2d_with(&edge, &Tensor::from([0.5_f32]), [1, 2], [0, 1], 1)?.to_vec(), [1.5, 2.5]);
    /// let (two, each) = (Tensor::from([[[[1.0_f32, 2.0]], [[3.0, 4.0]]]]), Tensor::from([[[[10.0_f32]]], [[[1.0]]]]));
    /// assert_eq!(two.conv2d_grouped(&each, None, 1, 0, 1, 2)?.to_vec(), [10.0, 20.0, 3.0, 4.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Conv2d conv2d try_conv2d // or x.conv2d_with(&w, &bias, 1, 1, 1)?
        conv2d_with(dilation) // in groups: x.conv2d_grouped(&w, &bias, 1, 1, 1, 2)?
        conv2d_grouped(dilation sizes, groups count) -> W::First, by WindowsOf<2>, "Where the channels differ, or no window fits.";
    /// PyTorch's `conv1d(weight)`: the same of rows.
    Conv1d conv1d try_conv1d // or x.conv1d_with(&w, &bias, 1, 1, 1)?
        conv1d_with(dilation) // in groups: x.conv1d_grouped(&w, &bias, 1, 1, 1, 2)?
        conv1d_grouped(dilation sizes, groups count) -> W::First, by WindowsOf<1>, "Where the channels differ, or no window fits.";
    /// PyTorch's `conv3d(weight)`: the same of films.
    Conv3d conv3d try_conv3d // or x.conv3d_with(&w, &bias, 1, 1, 1)?
        conv3d_with(dilation) // in groups: x.conv3d_grouped(&w, &bias, 1, 1, 1, 2)?
        conv3d_grouped(dilation sizes, groups count) -> W::First, by WindowsOf<3>, "Where the channels differ, or no window fits.";
    /// PyTorch's `conv_transpose2d(weight)`: each number of a picture, spread over a window by the weights.
    ConvTranspose2d conv_transpose2d try_conv_transpose2d // or x.conv_transpose2d_with(&w, &bias, 2, 1, 0)?
        conv_transpose2d_with(output_padding) // in groups: x.conv_transpose2d_grouped(&w, &bias, 2, 1, 1, 2, 1)?
        conv_transpose2d_grouped(output_padding sizes, groups count, dilation sizes) -> Dyn, by TransposedOf<2>, "Where the channels differ.";
    /// PyTorch's `conv_transpose1d(weight)`: the same of rows.
    ConvTranspose1d conv_transpose1d try_conv_transpose1d // or x.conv_transpose1d_with(&w, &bias, 2, 1, 0)?
        conv_transpose1d_with(output_padding) // in groups: x.conv_transpose1d_grouped(&w, &bias, 2, 1, 1, 2, 1)?
        conv_transpose1d_grouped(output_padding sizes, groups count, dilation sizes) -> Dyn, by TransposedOf<1>, "Where the channels differ.";
    /// PyTorch's `conv_transpose3d(weight)`: the same of films.
    ConvTranspose3d conv_transpose3d try_conv_transpose3d // or x.conv_transpose3d_with(&w, &bias, 2, 1, 0)?
        conv_transpose3d_with(output_padding) // in groups: x.conv_transpose3d_grouped(&w, &bias, 2, 1, 1, 2, 1)?
        conv_transpose3d_grouped(output_padding sizes, groups count, dilation sizes) -> Dyn, by TransposedOf<3>, "Where the channels differ.";
}

/// What a pool gives: numbers, and where they are.
macro_rules! pooled {
    (numbers) => { Tensor<E, P> };
    (places) => { (Tensor<E, P>, Tensor<i64, P>) };
}

macro_rules! pools {
    ($what:ident: $($(#[$comment:meta])* $function:ident $name:ident $([$with:ident])? over $dims:literal of $E:path, $errors:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            $(#[$comment])*
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $name<P: Shape>(&self, size: impl IntegerList) -> Result<pooled!($what)>
            where
                E: $E,
                S: Windowed<$dims, Pooled = P>,
            {
                made(Function::$function, &[self.raw().into(), argument!(sizes size)])
            }

            $(
                #[doc = concat!("The same of windows that stand `stride` apart, with `padding` around: `x.", stringify!($with), "(3, 2, 1)?`.")]
                ///
                /// # Errors
                #[doc = $errors]
                pub fn $with<P: Shape>(
                    &self,
                    size: impl IntegerList,
                    stride: impl IntegerList,
                    padding: impl IntegerList,
                ) -> Result<pooled!($what)>
                where
                    E: $E,
                    S: Windowed<$dims, Pooled = P>,
                {
                    made(Function::$function, &[self.raw().into(), argument!(sizes size), argument!(sizes stride), argument!(sizes padding)])
                }
            )?
        }
    )+ };
}

pools! {
    numbers:
    /// PyTorch's `max_pool2d(size)`: the largest of windows that lie beside each other.
    MaxPool2d max_pool2d [max_pool2d_with] over 2 of Element, "Where no window fits.";
    /// PyTorch's `max_pool1d(size)`: the same of rows.
    MaxPool1d max_pool1d [max_pool1d_with] over 1 of Element, "Where no window fits.";
    /// PyTorch's `avg_pool2d(size)`: the means of windows that lie beside each other.
    AvgPool2d avg_pool2d [avg_pool2d_with] over 2 of RealFloat, "Where no window fits.";
    /// PyTorch's `avg_pool1d(size)`: the means of windows of rows.
    AvgPool1d avg_pool1d [avg_pool1d_with] over 1 of RealFloat, "Where no window fits.";
    /// PyTorch's `adaptive_avg_pool2d(size)`: the means of as many windows as the sizes say.
    AdaptiveAvgPool2d adaptive_avg_pool2d over 2 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `adaptive_avg_pool1d(size)`: the same of rows.
    AdaptiveAvgPool1d adaptive_avg_pool1d over 1 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `adaptive_avg_pool3d(size)`: the same of films.
    AdaptiveAvgPool3d adaptive_avg_pool3d over 3 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `adaptive_max_pool2d(size)`: the largest of as many windows as the sizes say.
    AdaptiveMaxPool2d adaptive_max_pool2d over 2 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `adaptive_max_pool1d(size)`: the same of rows.
    AdaptiveMaxPool1d adaptive_max_pool1d over 1 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `adaptive_max_pool3d(size)`: the same of films.
    AdaptiveMaxPool3d adaptive_max_pool3d over 3 of RealFloat, "Where a size isn't above 0.";
    /// PyTorch's `max_pool3d(size)`: the largest of windows of films.
    MaxPool3d max_pool3d [max_pool3d_with] over 3 of Element, "Where no window fits.";
    /// PyTorch's `avg_pool3d(size)`: the means of windows of films.
    AvgPool3d avg_pool3d [avg_pool3d_with] over 3 of RealFloat, "Where no window fits.";
}

pools! {
    places:
    /// PyTorch's `max_pool2d_with_indices(size)`: the largest of windows, and which of the numbers of their channel they are.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let picture = Tensor::from([[[1.0_f32, 5.0], [3.0, 2.0]]]);
    /// let (largest, places) = picture.max_pool2d_with_indices(2)?;
    /// assert_eq!((largest.to_vec(), places.to_vec()), (vec![5.0], vec![1]));
    /// assert_eq!(largest.max_unpool2d(&places, 2)?.to_vec(), [0.0, 5.0, 0.0, 0.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    MaxPool2dWithIndices max_pool2d_with_indices [max_pool2d_with_indices_with] over 2 of Element, "Where no window fits.";
    /// PyTorch's `max_pool1d_with_indices(size)`: the same of rows.
    MaxPool1dWithIndices max_pool1d_with_indices [max_pool1d_with_indices_with] over 1 of Element, "Where no window fits.";
    /// PyTorch's `max_pool3d_with_indices(size)`: the same of films.
    MaxPool3dWithIndices max_pool3d_with_indices [max_pool3d_with_indices_with] over 3 of Element, "Where no window fits.";
}
