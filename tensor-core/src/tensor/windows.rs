//! Windows: by how much the numbers of a signal count. `Tensor::<f32>::hann_window(256)?`, or the dtype of what the result goes into.

use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Native;
use crate::error::Result;
use crate::kinds::RealFloat;
use crate::relations::RealNumber;
use crate::shape::{AnyShape, Rank, SizeInteger};

macro_rules! windows {
    ($($(#[$comment:meta])* $function:ident $name:ident $with:ident($($number:ident),*);)+) => {
        impl<E: Native + RealFloat> Tensor<E, AnyShape> {$(
            $(#[$comment])*
            ///
            /// # Errors
            /// For a negative length, or where the memory would be larger than can be.
            pub fn $name(length: impl SizeInteger) -> Result<Tensor<E, Rank<1>>> {
                let length = length.to_isize().into();
                made(Function::$function, &[length, CallArgument::None $(, { stringify!($number); CallArgument::None })*, E::DTYPE.into()])
            }

            #[doc = concat!("The same with all that PyTorch takes: whether the window is periodic (or symmetric)", $(", `", stringify!($number), "`",)* ".")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ").")]
            pub fn $with(length: impl SizeInteger, periodic: bool $(, $number: impl RealNumber)*) -> Result<Tensor<E, Rank<1>>> {
                let length = length.to_isize().into();
                made(Function::$function, &[length, periodic.into() $(, CallArgument::Number($number.into()))*, E::DTYPE.into()])
            }
        )+}
    };
}

windows! {
    /// PyTorch's `hann_window`: half a wave less a cosine.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let window = Tensor::<f32>::hann_window(4)?;
    /// assert_eq!(window.to_vec(), [0.0, 0.5, 1.0, 0.5]);
    /// assert_eq!(Tensor::<f32>::hann_window_with(3, false)?.to_vec(), [0.0, 1.0, 0.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    HannWindow hann_window hann_window_with();
    /// PyTorch's `hamming_window`: 0.54 less a cosine of 0.46.
    HammingWindow hamming_window hamming_window_with(alpha, beta);
    /// PyTorch's `blackman_window`: a sum of two cosines.
    BlackmanWindow blackman_window blackman_window_with();
    /// PyTorch's `bartlett_window`: a triangle.
    BartlettWindow bartlett_window bartlett_window_with();
    /// PyTorch's `kaiser_window`: a quotient of Bessel functions, with `beta` 12.
    KaiserWindow kaiser_window kaiser_window_with(beta);
}
