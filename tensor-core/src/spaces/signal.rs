//! `torch.signal.windows`: by how much the numbers of a signal count, symmetric where no argument says otherwise.

/// PyTorch's `signal.windows`: `signal::windows::hann::<f32>(256)?`, or the dtype of what the result goes into.
pub mod windows {
    use crate::call::{CallArgument, Function};
    use crate::element::Native;
    use crate::error::Result;
    use crate::kinds::WideFloat;
    use crate::scalar::Scalar;
    use crate::shape::{Rank, SizeInteger};
    use crate::tensor::{Tensor, made};

    macro_rules! windows {
        ($($(#[$comment:meta])* $function:ident $name:ident $with:ident($($number:ident),*);)+) => { $(
            $(#[$comment])*
            ///
            /// # Errors
            /// For a negative length, or where the memory would be larger than can be.
            pub fn $name<E: Native + WideFloat>(length: impl SizeInteger) -> Result<Tensor<E, Rank<1>>> {
                let length = length.to_isize().into();
                made(Function::$function, &[length $(, { stringify!($number); CallArgument::None })*, CallArgument::None, E::DTYPE.into()])
            }

            #[doc = concat!("[`", stringify!($name), "`] with all that PyTorch takes: ", $("`", stringify!($number), "`, ",)* "whether the window is symmetric (or periodic).")]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($name), "`].")]
            pub fn $with<E: Native + WideFloat>(length: impl SizeInteger $(, $number: impl Into<Scalar>)*, sym: bool) -> Result<Tensor<E, Rank<1>>> {
                let length = length.to_isize().into();
                made(Function::$function, &[length $(, CallArgument::Number($number.into()))*, sym.into(), E::DTYPE.into()])
            }
        )+ };
    }

    windows! {
        /// A triangle.
        SignalBartlett bartlett bartlett_with();
        /// A sum of two cosines.
        SignalBlackman blackman blackman_with();
        /// Half a wave of a cosine.
        SignalCosine cosine cosine_with();
        /// Exponentials that fall from the middle, as fast as `tau` says.
        SignalExponential exponential exponential_with(center, tau);
        /// A bell whose standard deviation is `std`.
        SignalGaussian gaussian gaussian_with(std);
        /// A constant less a cosine; `alpha` is the constant's share.
        SignalGeneralHamming general_hamming general_hamming_with(alpha);
        /// 0.54 less a cosine of 0.46.
        SignalHamming hamming hamming_with();
        /// Half a wave less a cosine.
        ///
        /// ```
        /// # use latten_core::{spaces::signal::windows, tensor::Tensor};
        /// let window: Tensor<f32, _> = windows::hann(3)?;
        /// assert_eq!(window.to_vec(), [0.0, 1.0, 0.0]);
        /// assert_eq!(windows::hann_with::<f32>(4, false)?.to_vec(), [0.0, 0.5, 1.0, 0.5]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        SignalHann hann hann_with();
        /// A quotient of Bessel functions, with `beta` 12.
        SignalKaiser kaiser kaiser_with(beta);
        /// Nuttall's sum of three cosines.
        SignalNuttall nuttall nuttall_with();
    }

    /// A sum of cosines with these factors, the constant's first.
    ///
    /// # Errors
    /// Where there are no factors, for a negative length, or where the memory would be larger than can be.
    pub fn general_cosine<E: Native + WideFloat>(length: impl SizeInteger, factors: &[f64]) -> Result<Tensor<E, Rank<1>>> {
        general_cosine_with(length, factors, true)
    }

    /// [`general_cosine`] with whether the window is symmetric (or periodic).
    ///
    /// # Errors
    /// As [`general_cosine`].
    pub fn general_cosine_with<E: Native + WideFloat>(length: impl SizeInteger, factors: &[f64], sym: bool) -> Result<Tensor<E, Rank<1>>> {
        made(Function::SignalGeneralCosine, &[length.to_isize().into(), CallArgument::Reals(factors), sym.into(), E::DTYPE.into()])
    }
}
