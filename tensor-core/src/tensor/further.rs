//! Methods that PyTorch's tensors have and few programs call; those of one line. What they take and give is as in `declared`.

use super::declared::{argument, certain, declared, kind};
use super::{Readable, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::{Countable, FftElement, ProductElement, RealFftElement, RealFloat};
use crate::op;
use crate::reduce::Tolerance;
use crate::relations::{HasProduct, IndexElement, PromoteWith, SameDType};
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
    Histogram histogram(count bins) // or x.histogram_with(&v)?
        [E: RealFloat] -> (Tensor<E, Rank<1>>, Tensor<E, Rank<1>>), "For infinities, and where there are no bins.";
    /// PyTorch's `histogram(bins)` with the places where the parts begin and end.
    HistogramBy histogram_with(same edges) [E: RealFloat] -> (Tensor<E, Rank<1>>, Tensor<E, Rank<1>>), "Where the edges are no row that ascends.";
    /// PyTorch's `renorm(p, dim, maxnorm)`: what a dimension counts, made no longer than that by the p-norm.
    Renorm renorm(number p, dim dim, number maxnorm) [E: ProductElement] -> Tensor<E, S>, "Where the dimension isn't there, or a number is negative.";
    /// PyTorch's `polygamma(n)`: the derivative of `digamma` of that order.
    PolygammaOf polygamma(count n) [E: RealFloat] -> Tensor<E, S>, "For a negative order.";
    /// PyTorch's `mvlgamma(p)`: the logarithm of the gamma function of `p` dimensions.
    Mvlgamma mvlgamma(count p) [E: RealFloat] -> Tensor<E, S>, "Where `p` is less than 1.";
    /// PyTorch's `matrix_power(n)`: of each matrix, of its inverse for negative ones.
    MatrixPower matrix_power(count n) [E: HasProduct] -> Tensor<E, S>, "Where a matrix isn't square, or has no inverse.";
    /// PyTorch's `matrix_exp`: the exponential of each matrix.
    MatrixExp matrix_exp() [E: ProductElement] -> Tensor<E, S>, "Where a matrix isn't square.";
    /// PyTorch's `select_scatter(src, dim, index)`: a copy in which one place along a dimension holds what stands in another tensor.
    SelectScatter select_scatter(same src, dim dim, count index) -> Tensor<E, S>, "Where the place isn't there, or the sizes differ.";
    /// PyTorch's `slice_scatter(src, dim, start, end)`: a copy in which some places along a dimension hold what stands in another tensor.
    SliceScatter slice_scatter(same src, dim dim, count start, count end) -> Tensor<E, S>, "Where the dimension isn't there, or the sizes differ.";
    /// PyTorch's `narrow_copy(dim, start, length)`: `narrow`, in memory of its own.
    NarrowCopy narrow_copy(dim dim, count start, count length) -> Tensor<E, S::SameRank>, "Where there are no such places.";
    /// PyTorch's `sum_to_size(size)`: summed where those sizes are 1, or fewer.
    SumToSize sum_to_size(sizes size) -> Tensor<E, AnyShape>, "Where the sizes don't broadcast to those of the tensor.";
    /// PyTorch's `combinations(r, with_replacement)`: all choices of so many elements of a row, in their order, as rows.
    Combinations combinations_with(count r, flag with_replacement) -> Tensor<E, AnyShape>, "Where the tensor is no row, or the number is negative.";
    /// PyTorch's `pdist(p)`: [`pdist`](Self::pdist) by another norm.
    Pdist pdist_with(float p) [E: RealFloat] -> Tensor<E, Rank<1>>, "Where there aren't two dimensions, or the number is negative.";
    /// PyTorch's `bilinear(input2, weight, bias)`: [`bilinear`](Self::bilinear), plus a bias.
    Bilinear bilinear_with(same input2, same weight, maybe bias) [E: RealFloat] -> Tensor<E, S::LastCut>, "Where the sizes don't fit.";
    /// PyTorch's `local_response_norm(size)`: numbers divided by what so many channels around have.
    LocalResponseNorm local_response_norm(count size) // or picture.local_response_norm_with(3, 1e-4, 0.75, 1.0)?
        [E: RealFloat] -> Tensor<E, S>, "Where there are less than three dimensions.";
    /// PyTorch's `local_response_norm(size, alpha, beta, k)`: the same with other numbers.
    LocalResponseNorm local_response_norm_with(count size, float alpha, float beta, float k) [E: RealFloat] -> Tensor<E, S>, "Where there are less than three dimensions.";
    /// PyTorch's `index_reduce(dim, index, source, reduce)`: a copy in which what meets at places along a dimension, and what was there, is made one: by `"prod"`, `"mean"`,
    /// `"amax"` or `"amin"`.
    IndexReduce index_reduce(dim dim, places index, same source, word reduce) // or x.index_reduce_with(0, &i, &y, "amax", false)?
        -> Tensor<E, S>, "Where a place isn't there, the sizes don't fit, and for other words.";
    /// PyTorch's `index_reduce(…, include_self)`: the same, where what was there may not count.
    IndexReduce index_reduce_with(dim dim, places index, same source, word reduce, flag include_self) -> Tensor<E, S>,
        "Where a place isn't there, the sizes don't fit, and for other words.";
    /// PyTorch's `gradient(spacing, dim, edge_order)`: [`gradient`](Self::gradient) of points so far apart, along some dimensions, at the edges of first or second order.
    GradientOfNumber gradient_with(float spacing, sizes dims, count edge_order) [E: RealFloat] -> Vec<Tensor<E, S>>,
        "Where a dimension isn't there, or has too few elements.";
    /// PyTorch's `unravel_index(shape)`: of places among all elements of such a shape the places along each dimension.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let places = Tensor::from([4_i64, 5]).unravel_index([2, 3])?;
    /// assert_eq!((places[0].to_vec(), places[1].to_vec()), (vec![1, 1], vec![1, 2]));
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    UnravelIndex unravel_index(sizes shape) [E: Countable] -> Vec<Tensor<i64, S>>, "For negative sizes.";
}

certain! {
    /// PyTorch's `msort`: the columns along the first dimension in order.
    Msort msort try_msort() -> Tensor<E, S>, "For complex numbers.";
    /// PyTorch's `frexp`: numbers between a half and one, and the powers of two that they are times.
    Frexp frexp try_frexp() [E: RealFloat] -> (Tensor<E, S>, Tensor<i32, S>), "Never.";
    /// PyTorch's `combinations()`: all pairs of elements of a row, in their order, as rows.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1, 2, 3]);
    /// assert_eq!(x.combinations().to_vec(), [1, 2, 1, 3, 2, 3]);
    /// assert_eq!(x.combinations_with(3, false)?.to_vec(), [1, 2, 3]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Combinations combinations try_combinations() // or i.combinations_with(2, true)?
        -> Tensor<E, Rank<2>>, "Where it is no row.";
    /// PyTorch's `pdist()`: the distances between all rows, each pair once.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let points = Tensor::from([[0.0_f32, 0.0], [3.0, 4.0], [0.0, 1.0]]);
    /// assert_eq!(points.pdist().to_vec()[..2], [5.0, 1.0]);
    /// assert_eq!(points.pdist_with(1.0)?.to_vec(), [7.0, 1.0, 6.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Pdist pdist try_pdist() // or x.pdist_with(1)?
        [E: RealFloat] -> Tensor<E, Rank<1>>, "Where there aren't two dimensions.";
    /// PyTorch's `bilinear(input2, weight)`: of two rows the sums of the products of all pairs of elements, times the weights of each result.
    Bilinear bilinear try_bilinear(same input2, same weight) // or x.bilinear_with(&y, &w, &bias)?
        [E: RealFloat] -> Tensor<E, S::LastCut>, "Where the sizes don't fit.";
    /// PyTorch's `gradient()`: the slopes of numbers that are one apart, along each dimension.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1.0_f32, 4.0, 9.0]);
    /// assert_eq!(x.gradient()[0].to_vec(), [3.0, 4.0, 5.0]);
    /// assert_eq!(x.gradient_with(2.0, 0, 1)?[0].to_vec(), [1.5, 2.0, 2.5]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    GradientOfNumber gradient try_gradient() // or x.gradient_with(0.5, [0, 1], 1)?
        [E: RealFloat] -> Vec<Tensor<E, S>>, "Where a dimension has less than two elements.";
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
    /// PyTorch's `addmv(mat, vec)`: a vector plus the product of a matrix and another one.
    Addmv addmv try_addmv(same mat, same vec) // or v.addmv_with(&m, &x, 0.5, 2)?
        -> Tensor<E, Rank<1>>, "Where the sizes don't fit.";
    /// PyTorch's `addr(vec1, vec2)`: a matrix plus the products of each element of one vector and each of another.
    Addr addr try_addr(same vec1, same vec2) // or m.addr_with(&v, &w, 0.5, 2)?
        -> Tensor<E, Rank<2>>, "Where the sizes don't fit.";
    /// PyTorch's `addbmm(batch1, batch2)`: a matrix plus the sum of products of matrices.
    Addbmm addbmm try_addbmm(same batch1, same batch2) // or c.addbmm_with(&batch, &batch, 0.5, 2)?
        -> Tensor<E, Rank<2>>, "Where the sizes don't fit.";
}

/// What changes the tensor to what a method gives of it.
macro_rules! in_place {
    ($($function:ident $name:ident of $plain:ident($($kind:ident $argument:ident),*) $([$Dtype:ident: $Bound:path])?;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            #[doc = concat!("PyTorch's `", stringify!($name), "`: the tensor becomes what [`", stringify!($plain), "`](Self::", stringify!($plain), ") gives.")]
            ///
            /// # Errors
            #[doc = concat!("Where [`", stringify!($plain), "`](Self::", stringify!($plain), ") fails, what it gives has another shape, or memory overlaps; nothing is changed then.")]
            pub fn $name(&mut self $(, $argument: kind!($kind))*) -> Result<&mut Self>
            $(where $Dtype: $Bound)?
            {
                self.changed(Function::$function, &[$(argument!($kind $argument)),*])
            }
        )+}
    };
}

pub(super) use in_place;

in_place! {
    Renorm renorm_ of renorm(number p, dim dim, number maxnorm) [E: ProductElement];
    PolygammaOf polygamma_ of polygamma(count n) [E: RealFloat];
    Mvlgamma mvlgamma_ of mvlgamma(count p) [E: RealFloat];
    I0 i0_ of i0() [E: RealFloat];
    Addmv addmv_ of addmv(same mat, same vec);
    Addr addr_ of addr(same vec1, same vec2);
    Addbmm addbmm_ of addbmm(same batch1, same batch2);
    Put put_ of put(places index, same source);
    MaskedScatter masked_scatter_ of masked_scatter(mask mask, same source);
    IndexCopy index_copy_ of index_copy(dim dim, places places, same source);
    IndexReduce index_reduce_ of index_reduce(dim dim, places index, same source, word reduce) // or x.index_reduce_with_(0, &i, &y, "prod", false)?
        ;
    IndexReduce index_reduce_with_ of index_reduce_with(dim dim, places index, same source, word reduce, flag include_self);
    Nextafter nextafter_ of nextafter(same other) [E: RealFloat];
    Heaviside heaviside_ of heaviside(same values);
    Igamma igamma_ of igamma(same other) [E: RealFloat];
    Igammac igammac_ of igammac(same other) [E: RealFloat];
    Ldexp ldexp_ of ldexp(classes powers) [E: RealFloat];
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

impl<E: Readable, S: Shape> Tensor<E, S> {
    /// What [`isclose`](Self::isclose) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`try_isclose_with`](Self::try_isclose_with).
    pub fn try_isclose<F: Element + SameDType<E>, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<bool, S::Common>>
    where
        S: BroadcastWith<R>,
    {
        self.try_isclose_with(other, Tolerance::default())
    }

    /// What [`allclose`](Self::allclose) gives, or the error that it panics with.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (x, y) = (Tensor::from([1.0_f32, 2.0]), Tensor::from([1.0_f32, 2.0, 3.0]).erase());
    /// assert!(x.try_allclose(&x)?);
    /// assert!(x.erase().try_allclose(&y).is_err());
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_allclose_with`](Self::try_allclose_with).
    pub fn try_allclose<F: Readable + SameDType<E>, R: Shape>(&self, other: &Tensor<F, R>) -> Result<bool>
    where
        S: BroadcastWith<R>,
    {
        self.try_allclose_with(other, Tolerance::default())
    }
}

impl<I: IndexElement, R: Shape> Tensor<I, R> {
    as_written! {
        /// PyTorch's `embedding_bag(weight)`, of the indices: for each row of indices the mean of those rows of weights.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let weight = Tensor::from([[0.0_f32, 1.0], [2.0, 5.0]]);
        /// assert_eq!(Tensor::from([[0_i64, 1], [1, 1]]).embedding_bag(&weight).to_vec(), [1.0, 3.0, 2.0, 5.0]);
        /// let (row, begins) = (Tensor::from([0_i64, 1, 1]), Tensor::from([0_i64, 1]));
        /// assert_eq!(row.embedding_bag_with(&weight, &begins, "sum")?.to_vec(), [0.0, 1.0, 4.0, 10.0]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Panics
        /// Where [`try_embedding_bag`](Self::try_embedding_bag) is an error.
        #[must_use]
        #[track_caller]
        pub fn embedding_bag<E: RealFloat, S: Shape>( // or i.embedding_bag_with(&x, &tensor![0, 2], "sum")?
            &self,
            weight: &Tensor<E, S>,
        ) -> Tensor<E, Rank<2>> {
            proved(self.try_embedding_bag(weight))
        }
    }

    /// What [`embedding_bag`](Self::embedding_bag) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the weights or the indices are no matrix, or an index is out of range.
    pub fn try_embedding_bag<E: RealFloat, S: Shape>(&self, weight: &Tensor<E, S>) -> Result<Tensor<E, Rank<2>>> {
        self.embedding_bag_with(weight, None, "mean")
    }

    /// PyTorch's `embedding_bag(weight, offsets, mode=…)`: where each bag begins in a row of indices, and what is made of it: `"sum"`, `"mean"` or `"max"`.
    ///
    /// # Errors
    /// As [`try_embedding_bag`](Self::try_embedding_bag), where offsets don't ascend from 0, and for other words.
    pub fn embedding_bag_with<E: RealFloat, S: Shape>(
        &self,
        weight: &Tensor<E, S>,
        offsets: kind!(maybe),
        mode: kind!(word),
    ) -> Result<Tensor<E, Rank<2>>> {
        let unsaid = CallArgument::None;
        let places = [self.raw().into(), weight.raw().into(), argument!(maybe offsets), unsaid, unsaid, unsaid];
        made(Function::EmbeddingBag, &[&places[..], &[argument!(word mode)]].concat())
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `ldexp`: numbers times powers of two, those of `frexp`, or of any numbers.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([3.0_f32, 0.375]);
    /// let (parts, powers) = x.frexp();
    /// assert_eq!(parts.ldexp(&powers).to_vec(), x.to_vec());
    /// ```
    ///
    /// # Panics
    /// Where [`try_ldexp`](Self::try_ldexp) is an error.
    #[must_use]
    #[track_caller]
    pub fn ldexp<F: Element, R: Shape, P, O: Element>(&self, powers: &Tensor<F, R>) -> Tensor<O, S::Common>
    where
        E: PromoteWith<S::Level, R::Level, F, Output = P>,
        P: op::Exp2<Output = O>,
        S: BroadcastWith<R>,
    {
        proved(self.try_ldexp(powers))
    }

    /// What [`ldexp`](Self::ldexp) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shapes don't broadcast.
    pub fn try_ldexp<F: Element, R: Shape, P, O: Element>(&self, powers: &Tensor<F, R>) -> Result<Tensor<O, S::Common>>
    where
        E: PromoteWith<S::Level, R::Level, F, Output = P>,
        P: op::Exp2<Output = O>,
        S: BroadcastWith<R>,
    {
        made(Function::Ldexp, &[self.raw().into(), powers.raw().into()])
    }
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
