//! Methods that PyTorch's tensors have and few programs call; those of one line. What they take and give is as in `declared`.

use super::declared::{argument, certain, declared, kind};
use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::{FftElement, LinalgElement, RealFftElement, RealFloat};
use crate::shape::{AnyShape, BroadcastWith, Rank, Shape, SizeInteger};

declared! {
    /// PyTorch's `histogram(bins)`: how many elements lie in each of as many parts of the range that they span, and where the parts begin and end.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (counts, edges) = Tensor::from([0.0_f32, 1.0, 1.0, 4.0]).histogram(2)?;
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![3.0, 1.0], vec![0.0, 2.0, 4.0]));
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Histogram histogram(count bins) [E: RealFloat] -> (Tensor<E, Rank<1>>, Tensor<E, Rank<1>>), "For infinities, and where there are no bins.";
    /// PyTorch's `histogram(bins)` with the places where the parts begin and end.
    HistogramBy histogram_with(same edges) [E: RealFloat] -> (Tensor<E, Rank<1>>, Tensor<E, Rank<1>>), "Where the edges are no row that ascends.";
    /// PyTorch's `renorm(p, dim, maxnorm)`: what a dimension counts, made no longer than that by the p-norm.
    Renorm renorm(number p, dim dim, number maxnorm) [E: LinalgElement] -> Tensor<E, S>, "Where the dimension isn't there, or a number is negative.";
    /// PyTorch's `polygamma(n)`: the derivative of `digamma` of that order.
    PolygammaOf polygamma(count n) [E: RealFloat] -> Tensor<E, S>, "For a negative order.";
    /// PyTorch's `mvlgamma(p)`: the logarithm of the gamma function of `p` dimensions.
    Mvlgamma mvlgamma(count p) [E: RealFloat] -> Tensor<E, S>, "Where `p` is less than 1.";
    /// PyTorch's `matrix_power(n)`: of each matrix, of its inverse for negative ones.
    MatrixPower matrix_power(count n) [E: LinalgElement] -> Tensor<E, S>, "Where a matrix isn't square, or has no inverse.";
    /// PyTorch's `matrix_exp`: the exponential of each matrix.
    MatrixExp matrix_exp() [E: LinalgElement] -> Tensor<E, S>, "Where a matrix isn't square.";
    /// PyTorch's `select_scatter(src, dim, index)`: a copy in which one place along a dimension holds what stands in another tensor.
    SelectScatter select_scatter(same src, dim dim, count index) -> Tensor<E, S>, "Where the place isn't there, or the sizes differ.";
    /// PyTorch's `slice_scatter(src, dim, start, end)`: a copy in which some places along a dimension hold what stands in another tensor.
    SliceScatter slice_scatter(same src, dim dim, count start, count end) -> Tensor<E, S>, "Where the dimension isn't there, or the sizes differ.";
    /// PyTorch's `narrow_copy(dim, start, length)`: `narrow`, in memory of its own.
    NarrowCopy narrow_copy(dim dim, count start, count length) -> Tensor<E, S::SameRank>, "Where there are no such places.";
    /// PyTorch's `sum_to_size(size)`: summed where those sizes are 1, or fewer.
    SumToSize sum_to_size(sizes size) -> Tensor<E, AnyShape>, "Where the sizes don't broadcast to those of the tensor.";
    /// PyTorch's `addmv(mat, vec)`: a vector plus the product of a matrix and another one.
    Addmv addmv(same mat, same vec) -> Tensor<E, Rank<1>>, "Where the sizes don't fit.";
    /// PyTorch's `addr(vec1, vec2)`: a matrix plus the products of each element of one vector and each of another.
    Addr addr(same vec1, same vec2) -> Tensor<E, Rank<2>>, "Where the sizes don't fit.";
    /// PyTorch's `addbmm(batch1, batch2)`: a matrix plus the sum of products of matrices.
    Addbmm addbmm(same batch1, same batch2) -> Tensor<E, Rank<2>>, "Where the sizes don't fit.";
}

certain! {
    /// PyTorch's `msort`: the columns along the first dimension in order.
    Msort msort try_msort() -> Tensor<E, S>, "For complex numbers.";
    /// PyTorch's `frexp`: numbers between a half and one, and the powers of two that they are times.
    Frexp frexp try_frexp() [E: RealFloat] -> (Tensor<E, S>, Tensor<i32, S>), "Never.";
    /// PyTorch's `i0`: the modified Bessel function of the first kind and order 0.
    I0 i0 try_i0() [E: RealFloat] -> Tensor<E, S>, "Never.";
    /// PyTorch's `isposinf`: which elements are infinity.
    Isposinf isposinf try_isposinf() -> Tensor<bool, S>, "For complex numbers.";
    /// PyTorch's `isneginf`: which elements are minus infinity.
    Isneginf isneginf try_isneginf() -> Tensor<bool, S>, "For complex numbers.";
    /// PyTorch's `isreal`: which elements have no imaginary part.
    Isreal isreal try_isreal() -> Tensor<bool, S>, "Never.";
    /// PyTorch's `diagonal_scatter(src)`: a copy with another diagonal.
    DiagonalScatter diagonal_scatter try_diagonal_scatter(same src) -> Tensor<E, S>, "Where the sizes differ.";
    /// PyTorch's `put(index, source)`: a copy in which places of all elements, as they are counted in order, hold what stands in another tensor.
    Put put try_put(places index, same source) -> Tensor<E, S>, "Where a place isn't there, or the counts differ.";
}

/// What goes over two tensors that broadcast.
macro_rules! pairs {
    ($($(#[$comment:meta])* $function:ident $name:ident $twin:ident [$Bound:path], $errors:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name<R: Shape>(&self, other: &Tensor<E, R>) -> Tensor<E, S::Common>
            where
                E: $Bound,
                S: BroadcastWith<R>,
            {
                proved(self.$twin(other))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $twin<R: Shape>(&self, other: &Tensor<E, R>) -> Result<Tensor<E, S::Common>>
            where
                E: $Bound,
                S: BroadcastWith<R>,
            {
                made(Function::$function, &[self.raw().into(), other.raw().into()])
            }
        )+}
    };
}

pairs! {
    /// PyTorch's `logaddexp2`: the logarithm to base 2 of the sum of powers of two.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.0_f32], [2.0]]);
    /// assert_eq!(x.logaddexp2(&Tensor::from([1.0, 2.0])).sizes(), [2, 2]);
    /// assert_eq!(x.logaddexp2(&x).to_vec(), [2.0, 3.0]);
    /// ```
    Logaddexp2 logaddexp2 try_logaddexp2 [RealFloat], "Where the shapes don't broadcast.";
    /// PyTorch's `nextafter`: the next number that there is, on the way to another.
    Nextafter nextafter try_nextafter [RealFloat], "Where the shapes don't broadcast.";
    /// PyTorch's `heaviside`: 0 below zero, 1 above it, and the other tensor's number at it.
    Heaviside heaviside try_heaviside [Element], "For complex numbers, and where the shapes don't broadcast.";
    /// PyTorch's `igamma`: the share of the gamma function's integral below the other tensor's number.
    Igamma igamma try_igamma [RealFloat], "Where the shapes don't broadcast.";
    /// PyTorch's `igammac`: the share above it.
    Igammac igammac try_igammac [RealFloat], "Where the shapes don't broadcast.";
}

impl<E: RealFftElement, S: Shape> Tensor<E, S> {
    /// PyTorch's `stft(n_fft, hop_length, window=…, return_complex=True)`: the spectra of parts of a signal, `hop_length` apart, which a
    /// window lets in. What else PyTorch takes, `call("stft", …)` does.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let signal = Tensor::<f32>::from_vec((0..64).map(|i| (i as f32).sin()).collect(), [64])?;
    /// let window = Tensor::<f32>::hann_window(16)?;
    /// let spectra = signal.stft(16, 4, &window)?;
    /// assert_eq!(spectra.sizes(), [9, 17]);
    /// assert!((spectra.istft(16, 4, &window)? - &signal).abs().max().item() < 1e-5);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the signal is shorter than half a part, or the window is no row of `n_fft` numbers.
    pub fn stft<W: Shape>(
        &self,
        n_fft: impl SizeInteger,
        hop_length: impl SizeInteger,
        window: &Tensor<E, W>,
    ) -> Result<Tensor<E::Complex, S::RankAbove>> {
        let (centre, normalised, half, complex) = (true, false, true, true);
        let parts: [CallArgument<'_>; 4] = [self.raw().into(), n_fft.to_isize().into(), hop_length.to_isize().into(), CallArgument::None];
        let how = [window.raw().into(), centre.into(), CallArgument::Text("reflect"), normalised.into(), half.into(), complex.into()];
        made(Function::Stft, &[&parts[..], &how].concat())
    }
}

impl<E: FftElement, S: Shape> Tensor<E, S> {
    /// PyTorch's `istft(n_fft, hop_length, window=…)`: the signal of which [`stft`](Self::stft) made these spectra.
    ///
    /// # Errors
    /// Where the spectra aren't `n_fft / 2 + 1` numbers each, or windows leave a place out.
    pub fn istft<W: Shape>(
        &self,
        n_fft: impl SizeInteger,
        hop_length: impl SizeInteger,
        window: &Tensor<E::Real, W>,
    ) -> Result<Tensor<E::Real, S::RankBelow>> {
        let parts = [self.raw().into(), n_fft.to_isize().into(), hop_length.to_isize().into(), CallArgument::None, window.raw().into()];
        made(Function::Istft, &parts)
    }
}
