//! Methods of operations that are declared in terms of others (`call`) and have no file of their own here: statistics, layers, distances,
//! products. One line each: the function, the method with its arguments by their kinds, and the type of the result.

use super::{DimArgument, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::{Countable, LinalgElement, RealFloat};
use crate::scalar::Scalar;
use crate::shape::{AnyShape, Certainty, Rank, Shape};

/// The Rust type of an argument, by its kind.
macro_rules! kind {
    (dim) => { impl $crate::tensor::OneDim };
    (axis) => { A };
    (count) => { impl $crate::shape::SizeInteger };
    (sizes) => { impl $crate::shape::IntegerList };
    (float) => { impl $crate::relations::RealNumber };
    (maybe_float) => { impl $crate::relations::MaybeNumber };
    (number) => { impl Into<$crate::scalar::Scalar> };
    (flag) => { bool };
    (maybe_flag) => { impl Into<Option<bool>> };
    (same) => { &$crate::tensor::Tensor<E, impl $crate::shape::Shape> };
    (pair) => { &$crate::tensor::Tensor<E, R> };
    (maybe) => { impl $crate::tensor::MaybeTensor };
    (beside) => { impl $crate::tensor::TensorOrNumber<E> };
    (tensor_or_number) => { Q };
    (places) => { &$crate::tensor::Tensor<impl $crate::element::Element + $crate::relations::SameDType<i64>, impl $crate::shape::Shape> };
    (mask) => { &$crate::tensor::Tensor<impl $crate::element::Element + $crate::relations::SameDType<bool>, impl $crate::shape::Shape> };
    (classes) => { &$crate::tensor::Tensor<impl $crate::element::Element, impl $crate::shape::Shape> };
    (reduction) => { R };
    (pivots) => { &$crate::tensor::Tensor<impl $crate::element::Element + $crate::relations::SameDType<i32>, impl $crate::shape::Shape> };
    (mode) => { impl Into<$crate::random::Mode> };
    (word) => { impl AsRef<str> };
}

/// An argument of a call, by its kind.
macro_rules! argument {
    (dim $value:ident) => {
        $crate::tensor::OneDim::dim(&$value).into()
    };
    (axis $value:ident) => {
        $value.dim().into()
    };
    (count $value:ident) => {
        $value.to_isize().into()
    };
    (sizes $value:ident) => {
        (&$value.integers()[..]).into()
    };
    (float $value:ident) => {
        $crate::call::CallArgument::Number($value.into())
    };
    (maybe_float $value:ident) => {
        $crate::relations::MaybeNumber::given($value).into()
    };
    (number $value:ident) => {
        $crate::call::CallArgument::Number($value.into())
    };
    (flag $value:ident) => {
        $value.into()
    };
    (reduction $value:ident) => {
        $crate::call::CallArgument::Text($value.name())
    };
    (maybe_flag $value:ident) => {
        $value.into().into()
    };
    (mode $value:ident) => {{
        let mode: $crate::random::Mode = $value.into();
        mode.into()
    }};
    (word $value:ident) => {
        $crate::call::CallArgument::Text($value.as_ref())
    };
    (maybe $value:ident) => {
        $crate::tensor::MaybeTensor::given(&$value).into()
    };
    (beside $value:ident) => {
        $crate::tensor::Operand::erased(&$value).into()
    };
    (tensor_or_number $value:ident) => {
        argument!(beside $value)
    };
    ($tensor:ident $value:ident) => {
        $value.raw().into()
    };
}

macro_rules! declared {
    ($($(#[$comment:meta])* $function:ident $name:ident($($kind:ident $argument:ident),*) $([$Dtype:ident: $Bound:path])? -> $Result:ty, $errors:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Errors
            #[doc = $errors]
            #[allow(clippy::too_many_arguments, reason = "PyTorch's")]
            pub fn $name(&self $(, $argument: kind!($kind))*) -> Result<$Result>
            $(where $Dtype: $Bound)?
            {
                made(Function::$function, &[self.raw().into() $(, argument!($kind $argument))*])
            }
        )+}
    };
}

pub(crate) use {argument, declared, kind};

declared! {
    /// PyTorch's `inverse`: of each matrix.
    Inverse inverse() [E: LinalgElement] -> Tensor<E, S>, "Where a matrix isn't square, or has no inverse.";
    /// PyTorch's `pinverse`: the pseudoinverse of each matrix.
    Pinverse pinverse() [E: LinalgElement] -> Tensor<E, S::SameRank>, "Where it is no matrix.";
    /// PyTorch's `det`: the determinant of each matrix.
    Det det() [E: LinalgElement] -> Tensor<E, <S::RankBelow as Shape>::RankBelow>, "Where a matrix isn't square.";
    /// PyTorch's `cholesky_inverse`: the inverse of the matrix of this lower triangle, times its own transpose.
    CholeskyInverse cholesky_inverse() [E: LinalgElement] -> Tensor<E, S>, "Where a matrix isn't square.";
    /// PyTorch's `logdet`: its logarithm.
    Logdet logdet() [E: LinalgElement] -> Tensor<E, <S::RankBelow as Shape>::RankBelow>, "Where a matrix isn't square.";
}

declared! {
    /// PyTorch's `take_along_dim`: of each row along a dimension the elements at the places, whose sizes stretch.
    TakeAlongDim take_along_dim(places places, dim dim) -> Tensor<E, AnyShape>, "Where a place isn't there, or the sizes don't fit.";
    /// PyTorch's `tile`: [`repeat`](Self::repeat), where numbers that are left out are 1.
    Tile tile(sizes repeats) -> Tensor<E, AnyShape>, "For negative numbers."; // one list: x.tile([2, 3])?
    /// PyTorch's `index_fill`: a copy in which the places along a dimension hold a number.
    IndexFill index_fill(dim dim, places places, number value) -> Tensor<E, S>, "Where a place isn't there.";
    /// PyTorch's `dist(other, p)`: the norm of the difference.
    Dist dist_with(same other, float p) [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't broadcast.";
    /// PyTorch's `cdist(other, p)`: the distances between each row of one matrix and each of another, by another norm.
    Cdist cdist_with(same other, float p) [E: RealFloat] -> Tensor<E, AnyShape>, "Where the rows aren't of one length.";
    /// PyTorch's `pixel_shuffle`: channels become pixels, a square of that size from each.
    PixelShuffle pixel_shuffle(count factor) -> Tensor<E, S::SameRank>, "Where the channels don't make squares of that size.";
    /// PyTorch's `pixel_unshuffle`: squares of pixels become channels.
    PixelUnshuffle pixel_unshuffle(count factor) -> Tensor<E, S::SameRank>, "Where squares of that size don't fill the sizes.";
    /// PyTorch's `index_copy`: a copy in which the places along a dimension hold what stands in another tensor.
    IndexCopy index_copy(dim dim, places places, same source) -> Tensor<E, S>, "Where a place isn't there, or the sizes don't fit.";
    /// PyTorch's `histc(bins)`: how many elements lie in each of as many parts of the range that they span.
    Histc histc(count bins) [E: RealFloat] -> Tensor<E, Rank<1>>, "For infinities."; // or x.histc_with(10, 0, 1)?
    /// PyTorch's `histc(bins, min, max)`: how many elements lie in each of as many parts of a range.
    Histc histc_with(count bins, number min, number max) [E: RealFloat] -> Tensor<E, Rank<1>>, "Where the range is none.";
    /// [`scaled_dot_product_attention`](Self::scaled_dot_product_attention) with a mask of what is seen, or numbers that are added, a share that is dropped, and whether nobody sees what comes later.
    ScaledDotProductAttention scaled_dot_product_attention_with(same key, same value, maybe mask, float dropout, flag causal) [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes don't fit, or there is a mask beside `causal`.";
    /// PyTorch's `rot90(k, dims)`: a copy turned by `k` quarters in the plane of two dimensions.
    Rot90 rot90_with(count k, sizes dims) -> Tensor<E, S::SameRank>, "Where the tensor or `dims` hasn't got two different dimensions.";
    /// PyTorch's `diagonal(offset, dim1, dim2)`: another diagonal, of each matrix that two dimensions span.
    Diagonal diagonal_with(count offset, dim dim1, dim dim2) -> Tensor<E, S::RankBelow>, "Where the dimensions are one, or aren't there.";
    /// PyTorch's `diag_embed(offset, dim1, dim2)`: each row becomes a diagonal of a matrix that two new dimensions span; 1 is the one above the main one.
    DiagEmbed diag_embed_with(count offset, dim dim1, dim dim2) -> Tensor<E, S::RankAbove>, "Where the dimensions are one, or aren't there.";
    /// PyTorch's `channel_shuffle`: channels of groups take turns.
    ChannelShuffle channel_shuffle(count groups) -> Tensor<E, S>, "Where the groups don't divide the channels.";
    /// PyTorch's `cov(correction, fweights, aweights)`: what is taken from the number of observations, how often each counts, and its weight.
    Cov cov_with(count correction, maybe fweights, maybe aweights) [E: RealFloat] -> Tensor<E, S::Squared>,
        "Where there are more than two dimensions, or there isn't one weight for each observation.";
    /// PyTorch's `pairwise_distance(other, p, eps, keepdim)`: by another norm, of differences to which `eps` is added.
    PairwiseDistance pairwise_distance_with(same other, float p, float eps, flag keepdim) [E: RealFloat] -> Tensor<E, AnyShape>, "Where the shapes don't broadcast.";
}

/// What goes along one dimension: a value along an axis of the type, `A`, else a `Result`.
macro_rules! along {
    ($($(#[$comment:meta])* $function:ident $name:ident($($kind:ident $argument:ident),*) $([$Dtype:ident: $Bound:path])? -> $Result:ty, $errors:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Errors
            #[doc = $errors]
            #[track_caller]
            pub fn $name<A: DimArgument<S>>(&self $(, $argument: kind!($kind))*) -> <A::Certainty as Certainty>::Given<$Result>
            $(where $Dtype: $Bound)?
            {
                A::Certainty::give(made(Function::$function, &[self.raw().into() $(, argument!($kind $argument))*]))
            }
        )+}
    };
}

along! {
    /// PyTorch's `diff(n, dim)`: the differences of differences, and so on, along a dimension.
    Diff diff_with(count times, axis dim) -> Tensor<E, A::Cut>, "Where the dimension isn't there, or the count is negative.";
    /// PyTorch's `normalize(p, dim, eps)`: rows along a dimension divided by their p-norm, or by `eps` where it is less.
    Normalize normalize_with(float p, axis dim, float eps) [E: RealFloat] -> Tensor<E, S>, "Where the dimension isn't there.";
    /// PyTorch's `cosine_similarity(other, dim, eps)`: the same along another dimension, of norms that are at least `eps`.
    CosineSimilarity cosine_similarity_with(same other, axis dim, float eps) [E: RealFloat] -> Tensor<E, AnyShape>,
        "Where the shapes don't broadcast, or the dimension isn't there.";
    /// PyTorch's `trapezoid(x, dim)`: the area below the numbers along a dimension, which stand at those of another tensor.
    TrapezoidAt trapezoid_with(same x, axis dim) [E: RealFloat] -> Tensor<E, AnyShape>, "Where the shapes don't fit, or the dimension isn't there.";
    /// PyTorch's `glu`: one half along a dimension times the `sigmoid` of the other.
    Glu glu(axis dim) [E: RealFloat] -> Tensor<E, A::Cut>, "Where the size isn't even.";
    /// PyTorch's `softmin`: `softmax` of the numbers' negatives.
    Softmin softmin(axis dim) [E: RealFloat] -> Tensor<E, S>, "Where the dimension isn't there.";
    /// PyTorch's `logcumsumexp(dim)`: the logarithms of the sums of exponentials up to each place.
    Logcumsumexp logcumsumexp(axis dim) -> Tensor<E, S>, "Where the dimension isn't there.";
    /// PyTorch's `cumulative_trapezoid(x, dim)`: the areas so far along a dimension, below numbers that stand at those of another tensor.
    CumulativeTrapezoidAt cumulative_trapezoid_with(same x, axis dim) [E: RealFloat] -> Tensor<E, AnyShape>, "Where the shapes don't fit, or the dimension isn't there.";
}

/// What takes nothing but tensors gives a value; the twin gives the error that it panics with.
macro_rules! certain {
    ($($(#[$comment:meta])* $function:ident $name:ident $twin:ident($($kind:ident $argument:ident),*) $(with ($($constant:expr),*) $(and ($further:ident $last:ident))?)? $([$Dtype:ident: $Bound:path])? -> $Result:ty, $errors:literal;)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> {$(
            $(#[$comment])*
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name(&self $(, $argument: kind!($kind))* $($(, $last: kind!($further))?)?) -> $Result
            $(where $Dtype: $Bound)?
            {
                proved(self.$twin($($argument,)* $($($last)?)?))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            #[doc = $errors]
            pub fn $twin(&self $(, $argument: kind!($kind))* $($(, $last: kind!($further))?)?) -> Result<$Result>
            $(where $Dtype: $Bound)?
            {
                made(Function::$function, &[self.raw().into() $(, argument!($kind $argument))* $($(, $constant.into())* $(, argument!($further $last))?)?])
            }
        )+}
    };
}

pub(crate) use certain;

certain! {
    /// PyTorch's `diff()`: what each element along the last dimension is more than the one before.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1.0_f32, 4.0, 9.0]);
    /// assert_eq!(x.diff().to_vec(), [3.0, 5.0]);
    /// assert_eq!(x.diff_with(2, -1)?.to_vec(), [2.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Diff diff try_diff() // or x.diff_with(1, axis::<0>())
        -> Tensor<E, S::LastCut>, "Where there are no dimensions.";
    /// PyTorch's `flipud`: the first dimension backwards.
    Flipud flipud try_flipud() -> Tensor<E, S>, "Where there are no dimensions.";
    /// PyTorch's `fliplr`: the second dimension backwards.
    Fliplr fliplr try_fliplr() -> Tensor<E, S>, "Where there are less than two dimensions.";
    /// PyTorch's `rot90()`: a copy turned by a quarter in the plane of the first two dimensions.
    Rot90 rot90 try_rot90() // or x.rot90_with(2, [0, 1])?
        -> Tensor<E, S::Rotated>, "Where there are less than two dimensions.";
    /// PyTorch's `diag()`: a copy of the diagonal of a matrix, or a square matrix with a row on its diagonal.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// # use latten_core::shape::D;
    /// let x = Tensor::from([2_i64, 3]);
    /// let square: Tensor<i64, (D<2>, D<2>)> = x.diag();
    /// assert_eq!(square.to_vec(), [2, 0, 0, 3]);
    /// assert_eq!(square.diag().to_vec(), [2, 3]);
    /// ```
    Diag diag try_diag() // or v.diag_with(1)
        -> Tensor<E, S::Diag>, "For other numbers of dimensions.";
    /// PyTorch's `diag_embed()`: each row becomes the diagonal of a matrix.
    DiagEmbed diag_embed try_diag_embed() // or v.diag_embed_with(1, 0, 1)?
        -> Tensor<E, S::Appended<S::Last>>, "Where there are no dimensions.";
    /// PyTorch's `diagonal()`: a view of the diagonal of each matrix that the first two dimensions span, as a new last dimension.
    Diagonal diagonal try_diagonal() // or x.diagonal_with(1, 0, 1)?
        -> Tensor<E, S::RankBelow>, "Where there are less than two dimensions.";
    /// PyTorch's `cov()`: the covariances of the rows, whose columns are observations.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// # use latten_core::shape::D;
    /// let heights = Tensor::from([[1.0_f32, 2.0, 3.0], [2.0, 4.0, 6.0]]);
    /// let covariances: Tensor<f32, (D<2>, D<2>)> = heights.cov();
    /// assert_eq!(covariances.to_vec(), [1.0, 2.0, 2.0, 4.0]);
    /// ```
    Cov cov try_cov() // or x.cov_with(0, &tensor![1, 2, 1], None)?
        [E: RealFloat] -> Tensor<E, S::Squared>, "Where there are more than two dimensions.";
    /// PyTorch's `corrcoef()`: the correlations of the rows, whose columns are observations.
    Corrcoef corrcoef try_corrcoef() [E: RealFloat] -> Tensor<E, S::Squared>, "Where there are more than two dimensions.";
    /// PyTorch's `atleast_1d`: with a dimension, if it had none.
    Atleast1d atleast_1d try_atleast_1d() -> Tensor<E, AnyShape>, "Never.";
    /// PyTorch's `atleast_2d`: with dimensions of one element in front, up to two.
    Atleast2d atleast_2d try_atleast_2d() -> Tensor<E, AnyShape>, "Never.";
    /// PyTorch's `atleast_3d`: with dimensions of one element around, up to three.
    Atleast3d atleast_3d try_atleast_3d() -> Tensor<E, AnyShape>, "Never.";
    /// PyTorch's `diagflat()`: a matrix with all elements on its diagonal.
    Diagflat diagflat try_diagflat() // or v.diagflat_with(1)
        -> Tensor<E, Rank<2>>, "Where there isn't as much memory.";
    /// PyTorch's `diagflat(offset)`: with all elements on another diagonal; 1 is the one above the main one.
    Diagflat diagflat_with try_diagflat_with(count offset) -> Tensor<E, Rank<2>>, "Where there isn't as much memory.";
    /// PyTorch's `nanmedian()`: the median of all that is a number.
    Nanmedian nanmedian try_nanmedian() [E: RealFloat] -> Tensor<E, ()>, "Where there isn't as much memory.";
    /// PyTorch's `inner`: the sums of the products along the last dimensions of both.
    Inner inner try_inner(same other) -> Tensor<E, AnyShape>, "Where the last sizes differ.";
    /// PyTorch's `dist(other)`: the square root of the sum of squared differences.
    Dist dist try_dist(same other) // or x.dist_with(&y, 1)?
        [E: RealFloat] -> Tensor<E, ()>, "Where the shapes don't broadcast.";
    /// PyTorch's `kron(other)`: each element times all of another tensor, as blocks.
    Kron kron try_kron(same other) -> Tensor<E, AnyShape>, "Where the memory would be larger than can be.";
    /// PyTorch's `trapezoid()`: the area below the numbers along the last dimension, one apart.
    Trapezoid trapezoid try_trapezoid() // or x.trapezoid_with(&x, axis::<1>())
        [E: RealFloat] -> Tensor<E, S::RankBelow>, "Where there are no dimensions.";
    /// The sums of trapezoids so far along the last dimension, of points one apart: one fewer than there are points.
    CumulativeTrapezoid cumulative_trapezoid try_cumulative_trapezoid() // or x.cumulative_trapezoid_with(&x, axis::<1>())
        [E: RealFloat] -> Tensor<E, S::LastCut>, "Where there are no dimensions.";
    /// PyTorch's `cosine_similarity(other)`: the cosines of the angles between rows along dimension 1.
    CosineSimilarity cosine_similarity try_cosine_similarity(same other) // or x.cosine_similarity_with(&y, axis::<1>(), 1e-8)
        [E: RealFloat] -> Tensor<E, AnyShape>, "Where the shapes don't broadcast.";
    /// PyTorch's `pairwise_distance`: the distances between rows along the last dimension.
    PairwiseDistance pairwise_distance try_pairwise_distance(same other) // or x.pairwise_distance_with(&y, 1, 1e-6, true)?
        [E: RealFloat] -> Tensor<E, AnyShape>, "Where the shapes don't broadcast.";
    /// PyTorch's `isin(self, others)`: whether each element is one of others, or a number.
    Isin isin try_isin(beside others) // or x.isin_with(&y, false, true)
        -> Tensor<bool, S>, "For complex numbers.";
    /// PyTorch's `isin(self, others, assume_unique, invert)`: where no element is there twice it may be faster, and inverted it is whether each is none.
    Isin isin_with try_isin_with(beside others, flag assume_unique, flag invert) -> Tensor<bool, S>, "For complex numbers.";
    /// PyTorch's `bucketize(self, boundaries)`: before which of ascending boundaries each element stands.
    Bucketize bucketize try_bucketize(same boundaries) // or x.bucketize_with(&v, true)
        -> Tensor<i64, S>, "Where the boundaries are no row.";
    /// PyTorch's `bincount`: how often each number from 0 on is there.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let classes = Tensor::from([0_i64, 2, 2, 1, 2]);
    /// assert_eq!(classes.bincount().to_vec(), [1, 1, 3]);
    /// assert_eq!(classes.bincount_with(None, 5)?.to_vec(), [1, 1, 3, 0, 0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Bincount bincount try_bincount() // or i.bincount_with(None, 10)?
        [E: Countable] -> Tensor<i64, Rank<1>>, "Where a number is negative, or there isn't one dimension.";
    /// PyTorch's `prelu`: numbers below zero times the weight of their channel, or one weight for all.
    Prelu prelu try_prelu(same weight) [E: RealFloat] -> Tensor<E, S>, "Where there is neither one weight nor one for each channel.";
    /// PyTorch's `masked_scatter`: a copy in which what a mask chooses is taken from another tensor, one after the other.
    MaskedScatter masked_scatter try_masked_scatter(mask mask, same source) -> Tensor<E, AnyShape>, "Where the source has too few elements.";
    /// PyTorch's `scaled_dot_product_attention` of queries, keys and values.
    ScaledDotProductAttention scaled_dot_product_attention // or q.scaled_dot_product_attention_with(&k, &v, &m, 0.0, false)?
        try_scaled_dot_product_attention(same key, same value)
        [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes don't fit.";
    /// PyTorch's `bucketize(boundaries, right=…)`: whether a boundary belongs to what is below it.
    Bucketize bucketize_with try_bucketize_with(same boundaries) with (false) and (flag right) -> Tensor<i64, S>, "Where the boundaries are no row.";
    /// PyTorch's `normalize()`: rows along dimension 1 divided by their norm.
    Normalize normalize try_normalize() // or x.normalize_with(2, axis::<1>(), 1e-12)
        [E: RealFloat] -> Tensor<E, S>, "Where there is no second dimension.";
    /// PyTorch's `diag(diagonal)`: [`diag`](Self::diag) of another diagonal; 1 is the one above the main one.
    Diag diag_with try_diag_with(count diagonal) -> Tensor<E, <S::Diag as Shape>::SameRank>, "For other numbers of dimensions, and where the matrix would be too large.";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `cholesky_solve`: the columns that the matrix of a lower triangle, times its own transpose, makes these of.
    ///
    /// # Errors
    /// Where the sizes don't fit.
    pub fn cholesky_solve<R: Shape>(&self, factor: &Tensor<E, R>) -> Result<Tensor<E, R::Solution<S>>>
    where
        E: LinalgElement,
    {
        made(Function::CholeskySolve, &[self.raw().into(), factor.raw().into()])
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `fill_diagonal_`: a number on the diagonal of a matrix, or where all indices of a cube are equal.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let mut x = Tensor::from([[1_i64, 2], [3, 4]]);
        /// x.fill_diagonal_(0)?;
        /// assert_eq!(x.to_vec(), [0, 2, 3, 0]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where there are less than two dimensions, or several of different sizes, and where the dtype can't hold the number; nothing is changed
        /// then.
        pub fn fill_diagonal_( // or x.fill_diagonal_with_(0, true)?
            &mut self,
            value: impl Into<Scalar>,
        ) -> Result<&mut Self> {
            self.fill_diagonal_with_(value, false)
        }
    }

    /// PyTorch's `fill_diagonal_(value, wrap)`: with `wrap` the diagonal of a matrix of many rows starts anew one row below its end.
    ///
    /// # Errors
    /// As [`fill_diagonal_`](Self::fill_diagonal_).
    pub fn fill_diagonal_with_(&mut self, value: impl Into<Scalar>, wrap: bool) -> Result<&mut Self> {
        self.changed(Function::FillDiagonal, &[CallArgument::Number(value.into()), wrap.into()])
    }
}
