//! `torch.linalg`: decompositions, systems of equations, norms of matrices. `latten::linalg::inv(&x)?`
//!
//! The last two dimensions are a matrix's; what stands before them are matrices beside each other.

use super::{argument, functions, kind};
pub use crate::call::MatrixOrder;
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::{FftElement, LinalgElement, NormElement, ProductElement};
use crate::op;
use crate::relations::{HasProduct, MaybeNumber};
use crate::scalar::Scalar;
use crate::shape::{AnyShape, BroadcastWith, Shape};
use crate::tensor::{AlongArgument, Proven, Tensor, made};

/// A number for each matrix.
type Matrices<S> = <<S as Shape>::RankBelow as Shape>::RankBelow;
/// A row for each matrix.
type Rows<S> = <S as Shape>::RankBelow;

/// As many rows and columns as the matrix has rows.
type RowsByRows<S> = <<S as Shape>::LastGone as Shape>::Appended<<<S as Shape>::LastGone as Shape>::Last>;
/// As many rows and columns as the matrix has columns.
type ColumnsByColumns<S> =
    <<<<S as Shape>::LastGone as Shape>::LastGone as Shape>::Appended<<S as Shape>::Last> as Shape>::Appended<<S as Shape>::Last>;
/// The columns of the matrix, with that many rows as the run finds.
type ColumnsOfRun<S> = <<<S as Shape>::LastGone as Shape>::LastCut as Shape>::Appended<<S as Shape>::Last>;

/// A row of complex numbers for each matrix.
pub type Eigenvalues<E, S> = Tensor<<E as FftElement>::Complex, <S as Shape>::LastGone>;

/// These, and the eigenvectors as columns of a matrix.
type Eigenpairs<E, S> = (Eigenvalues<E, S>, Tensor<<E as FftElement>::Complex, S>);

/// A number for each matrix.
type Numbers<E, S> = Tensor<E, Matrices<S>>;

/// What solves systems of these matrices and right sides, and a number that says why there is none.
type Solved<E, S, R> = (Tensor<E, <S as Shape>::Solution<R>>, Numbers<i32, S>);

/// What [`lstsq`] gives.
#[derive(Debug)]
pub struct LeastSquares<E: LinalgElement, S: Shape, R: Shape> {
    /// The columns that come nearest.
    pub solution: Tensor<E, Nearest<S, R>>,
    /// The sums of squares by which they miss, where there are more rows than columns, all of these independent; else nothing.
    pub residuals: Tensor<E::Real, AnyShape>,
    /// How many rows are independent.
    pub rank: Numbers<i64, S>,
    /// The singular values, of drivers that find them.
    pub singular_values: Tensor<E::Real, AnyShape>,
}

/// The shape of what comes nearest to a right side: where this is one matrix, as many rows as it has columns.
pub type Nearest<S, R> = <S as Shape>::Solution<<R as Shape>::OfRows<<S as Shape>::Last>>;

impl<E: LinalgElement, S: Shape, R: Shape> Proven for LeastSquares<E, S, R> {
    fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self> {
        let (solution, residuals, rank, singular_values) = made(function, arguments)?;
        Ok(Self { solution, residuals, rank, singular_values })
    }
}

functions! {
    over LinalgElement:
    /// The inverse.
    ///
    /// ```
    /// # use latten_core::{spaces::linalg, tensor::Tensor};
    /// let x = Tensor::from([[2.0_f64, 0.0], [1.0, 4.0]]);
    /// assert_eq!(linalg::inv(&x)?.to_vec(), [0.5, 0.0, -0.125, 0.25]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LinalgInv inv() -> Tensor<E, S>, "Where it isn't square, or has no inverse.";
    /// The pseudoinverse.
    LinalgPinv pinv() -> Tensor<E, S::SameRank>, "Where it is no matrix.";
    /// The pseudoinverse with what counts as zero: singular values up to `atol`, or up to that share of the largest, `rtol`; `None` is PyTorch's. Of a
    /// `hermitian` matrix they are found faster.
    ///
    /// ```
    /// # use latten_core::{spaces::linalg, tensor::Tensor};
    /// let x = Tensor::from([[4.0_f64, 0.0], [0.0, 0.5]]);
    /// assert!(linalg::pinv_with(&x, 1, None, true)?.allclose(&Tensor::from([[0.25, 0.0], [0.0, 0.0]])));
    /// assert_eq!(linalg::matrix_rank_with(&x, None, 0.25, true)?.item(), 1);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LinalgPinv pinv_with(maybe_float atol, maybe_float rtol, flag hermitian) -> Tensor<E, S::SameRank>, "Where it is no matrix, or isn't square and `hermitian`.";
    /// The determinant.
    LinalgDet det() -> Numbers<E, S>, "Where it isn't square.";
    /// The sign and the logarithm of the determinant.
    LinalgSlogdet slogdet() -> (Numbers<E, S>, Numbers<E::Real, S>), "Where it isn't square.";
    /// The lower triangle whose product with its own transpose is the matrix.
    LinalgCholesky cholesky() -> Tensor<E, S>, "Where it isn't positive definite.";
    /// [`cholesky`], or the upper triangle: the matrix is its transpose times it.
    LinalgCholesky cholesky_with(flag upper) -> Tensor<E, S>, "Where it isn't positive definite.";
    /// Columns at right angles, and the triangle of which they make the matrix: `(q, r)`.
    LinalgQr qr() -> (Tensor<E, S::LastCut>, Tensor<E, ColumnsOfRun<S>>), "Where it is no matrix.";
    /// [`qr`] by a mode: `"reduced"`, `"complete"`, which makes `q` square, or `"r"`, which leaves it out.
    LinalgQr qr_with(word mode) -> (Tensor<E, AnyShape>, Tensor<E, ColumnsOfRun<S>>), "Where it is no matrix, and for other words.";
    /// `(u, s, vh)`, square `u` and `vh`: the matrix is `u * s @ vh`, with zeros where `s` ends.
    ///
    /// ```
    /// # use latten_core::{spaces::linalg, tensor::Tensor};
    /// let x = Tensor::from([[3.0_f64, 0.0], [0.0, 2.0], [0.0, 0.0]]);
    /// let (u, s, vh) = linalg::svd_with(&x, false)?;
    /// assert_eq!((u.sizes(), s.to_vec(), vh.sizes()), (&[3, 2][..], vec![3.0, 2.0], &[2, 2][..]));
    /// assert!((u * s).matmul(&vh).allclose(&x));
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LinalgSvd svd() -> (Tensor<E, RowsByRows<S>>, Tensor<E::Real, Rows<S>>, Tensor<E, ColumnsByColumns<S>>), "Where it is no matrix.";
    /// The same, without the columns of `u` and rows of `vh` that no number stands for: `full_matrices = false`.
    LinalgSvd svd_with(flag full_matrices) -> (Tensor<E, S::LastCut>, Tensor<E::Real, Rows<S>>, Tensor<E, ColumnsOfRun<S>>), "Where it is no matrix.";
    /// The singular values, the largest first.
    LinalgSvdvals svdvals() -> Tensor<E::Real, Rows<S>>, "Where it is no matrix.";
    /// The eigenvalues of a symmetric or Hermitian matrix, the smallest first, and the eigenvectors as columns.
    LinalgEigh eigh() -> (Tensor<E::Real, S::LastGone>, Tensor<E, S>), "Where it isn't square.";
    /// The same of the lower triangle, `"L"`, or of the upper one, `"U"`; the other isn't read.
    LinalgEigh eigh_with(word triangle) -> (Tensor<E::Real, S::LastGone>, Tensor<E, S>), "Where it isn't square, and for other words.";
    /// The eigenvalues of a symmetric or Hermitian matrix, the smallest first.
    LinalgEigvalsh eigvalsh() -> Tensor<E::Real, S::LastGone>, "Where it isn't square.";
    /// The same of the lower triangle, `"L"`, or of the upper one, `"U"`.
    LinalgEigvalsh eigvalsh_with(word triangle) -> Tensor<E::Real, S::LastGone>, "Where it isn't square, and for other words.";
    /// Permutation, lower and upper triangle: `(p, l, u)`.
    LinalgLu lu() -> (Tensor<E, RowsByRows<S>>, Tensor<E, S::LastCut>, Tensor<E, ColumnsOfRun<S>>), "Where it is no matrix.";
    /// Both triangles in one matrix, and which rows changed places.
    LinalgLuFactor lu_factor() -> (Tensor<E, S>, Tensor<i32, Rows<S>>), "Where it is no matrix.";
    /// The solution of a system whose triangles [`lu_factor`] has found.
    LinalgLuSolve lu_solve(pivots pivots, same right) -> Tensor<E, AnyShape>, "Where the sizes don't fit.";
    /// [`lu_factor`], and for each matrix 0, or which number of the diagonal is zero.
    LinalgLuFactorEx lu_factor_ex() -> (Tensor<E, S>, Tensor<i32, Rows<S>>, Numbers<i32, S>), "Where it is no matrix.";
    /// [`inv`], and for each matrix 0, or a number that says why there is no inverse.
    LinalgInvEx inv_ex() -> (Tensor<E, S>, Numbers<i32, S>), "Where it isn't square.";
    /// [`cholesky`], and for each matrix 0, or how many rows are those of a positive definite one.
    LinalgCholeskyEx cholesky_ex() -> (Tensor<E, S>, Numbers<i32, S>), "Where it isn't square.";
    /// A symmetric matrix as a lower triangle and blocks on the diagonal, in one matrix, and which rows changed places.
    LinalgLdlFactor ldl_factor() -> (Tensor<E, S>, Tensor<i32, Rows<S>>), "Where it isn't square.";
    /// [`ldl_factor`], and for each matrix 0, or which block of the diagonal is zero.
    LinalgLdlFactorEx ldl_factor_ex() -> (Tensor<E, S>, Tensor<i32, Rows<S>>, Numbers<i32, S>), "Where it isn't square.";
    /// The solution of a system that [`ldl_factor`] has taken apart.
    LinalgLdlSolve ldl_solve(pivots pivots, same right) -> Tensor<E, AnyShape>, "Where the sizes don't fit.";
    /// The first columns of a product of mirrors, of which these are the columns, and `tau` the factors.
    LinalgHouseholderProduct householder_product(same tau) -> Tensor<E, S>, "Where there are less rows than columns, or more factors.";
    /// Columns at right angles, and the positive matrix of which they make this one.
    LinalgPolar polar() -> (Tensor<E, S>, Tensor<E, ColumnsByColumns<S>>), "Where it is no matrix.";
    /// The root of a symmetric matrix without negative eigenvalues.
    LinalgMatrixSqrth matrix_sqrth() -> Tensor<E, S>, "Where it isn't square.";
    /// What [`Tensor::tensordot`] makes an identity of: the inverse, of the first two dimensions as rows.
    LinalgTensorinv tensorinv() -> Tensor<E, S::SameRank>, "Where it isn't square so, or has no inverse.";
    /// The same of the first `ind` dimensions.
    LinalgTensorinv tensorinv_with(count ind) -> Tensor<E, S::SameRank>, "Where it isn't square so, or has no inverse.";
    /// What [`Tensor::tensordot`] makes the right side of.
    LinalgTensorsolve tensorsolve(same right) -> Tensor<E, AnyShape>, "Where the sizes don't fit, or it has no inverse.";
    /// The same, where those dimensions count as the last ones.
    LinalgTensorsolve tensorsolve_with(same right, sizes dims) -> Tensor<E, AnyShape>, "Where the sizes don't fit, or it has no inverse.";
    /// How many rows are independent.
    LinalgMatrixRank matrix_rank() -> Numbers<i64, S>, "Where it is no matrix.";
    /// The same with what counts as zero, as in [`pinv_with`].
    LinalgMatrixRank matrix_rank_with(maybe_float atol, maybe_float rtol, flag hermitian) -> Numbers<i64, S>, "Where it is no matrix, or isn't square and `hermitian`.";
    /// How many times as far off as the right side a solution may be.
    LinalgCond cond() -> Numbers<E::Real, S>, "Where it is no matrix.";
}

functions! {
    over NormElement:
    /// The root of the sum of squares of each matrix.
    LinalgMatrixNormNamed matrix_norm() -> Numbers<E::Real, S>, "Where it is no matrix.";
}

functions! {
    over ProductElement:
    /// The exponential of a matrix.
    LinalgMatrixExp matrix_exp() -> Tensor<E, S>, "Where it isn't square.";
    /// The products with another, summed along the last dimension; the first is conjugated.
    ///
    /// ```
    /// # use half::bf16;
    /// # use latten_core::{spaces::linalg, tensor::Tensor};
    /// let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]).to::<bf16>();
    /// assert_eq!(linalg::vecdot(&x, &x)?.to_vec(), [5.0, 25.0].map(bf16::from_f64));
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LinalgVecdot vecdot(same other) -> Tensor<E, AnyShape>, "Where the shapes don't broadcast.";
    /// The same along another dimension.
    LinalgVecdot vecdot_with(same other, dim dim) -> Tensor<E, AnyShape>, "Where the shapes don't broadcast, or the dimension isn't there.";
}

functions! {
    over HasProduct:
    /// A power of a matrix, of its inverse for negative ones.
    LinalgMatrixPower matrix_power(count n) -> Tensor<E, S>, "Where it isn't square, or has no inverse.";
    /// The powers of each number of a row, from 0 on, as many as there are numbers.
    ///
    /// ```
    /// # use latten_core::{spaces::linalg, tensor::Tensor};
    /// let x = Tensor::from([2.0_f64, 3.0]);
    /// assert_eq!(linalg::vander(&x)?.to_vec(), [1.0, 2.0, 1.0, 3.0]);
    /// assert_eq!(linalg::vander_with(&x, 3)?.to_vec(), [1.0, 2.0, 4.0, 1.0, 3.0, 9.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LinalgVander vander() -> Tensor<E, S::Appended<S::Last>>, "Where there is only one number.";
    /// So many powers.
    LinalgVander vander_with(count n) -> Tensor<E, S::RankAbove>, "Where there is only one power.";
}

/// What the matrix times it gives the right side: a vector, or columns.
/// The shape is the right side's where the type knows that there is one matrix.
///
/// ```
/// # use latten_core::{shape::D, spaces::linalg, tensor::Tensor};
/// let a = Tensor::from([[2.0_f64, 0.0], [1.0, 4.0]]);
/// let x: Tensor<f64, (D<2>,)> = linalg::solve(&a, &Tensor::from([2.0, 9.0]))?;
/// assert_eq!(x.to_vec(), [1.0, 2.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where it isn't square, has no inverse, or the sizes don't fit.
pub fn solve<E: LinalgElement, S: Shape, R: Shape>(x: &Tensor<E, S>, right: &Tensor<E, R>) -> Result<Tensor<E, S::Solution<R>>> {
    made(Function::LinalgSolve, &[x.raw().into(), right.raw().into()])
}

/// [`solve`], or what times the matrix gives the right side, where that isn't on the `left`.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let (a, b) = (Tensor::from([[2.0_f64, 0.0], [1.0, 4.0]]), Tensor::from([[4.0_f64, 8.0]]));
/// assert_eq!(linalg::solve_with(&a, &b, false)?.to_vec(), [1.0, 2.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// As [`solve`].
pub fn solve_with<E: LinalgElement, S: Shape, R: Shape>(
    x: &Tensor<E, S>,
    right: &Tensor<E, R>,
    left: bool,
) -> Result<Tensor<E, S::Solution<R>>> {
    made(Function::LinalgSolve, &[x.raw().into(), right.raw().into(), left.into()])
}

/// [`solve`], and for each matrix 0, or a number that says why there is no solution.
///
/// # Errors
/// Where it isn't square, or the sizes don't fit.
pub fn solve_ex<E: LinalgElement, S: Shape, R: Shape>(x: &Tensor<E, S>, right: &Tensor<E, R>) -> Result<Solved<E, S, R>> {
    made(Function::LinalgSolveEx, &[x.raw().into(), right.raw().into()])
}

/// A view of the diagonal of each matrix, as a new last dimension. [`Tensor::diagonal`] goes by the first two dimensions.
///
/// # Errors
/// Where it is no matrix.
pub fn diagonal<E: Element, S: Shape>(x: &Tensor<E, S>) -> Result<Tensor<E, S::RankBelow>> {
    made(Function::LinalgDiagonal, &[x.raw().into()])
}

/// The product of several matrices, in the order that takes the fewest multiplications; the first and the last may be vectors.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let x = Tensor::from([[1.0_f64, 1.0], [0.0, 1.0]]);
/// assert_eq!(linalg::multi_dot(&[&x, &x, &x])?.to_vec(), [1.0, 3.0, 0.0, 1.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where there are less than two, or the sizes don't fit.
pub fn multi_dot<E: Element, S: Shape>(tensors: &[&Tensor<E, S>]) -> Result<Tensor<E, AnyShape>> {
    let tensors: Vec<_> = tensors.iter().map(|tensor| tensor.raw()).collect();
    made(Function::LinalgMultiDot, &[(&tensors[..]).into()])
}

/// The cross products along the last dimension, of three numbers each. [`Tensor::cross`] goes along the first that has three.
///
/// # Errors
/// Where the last size isn't 3, or one has more dimensions.
pub fn cross<E: Element, S: Shape + BroadcastWith<R>, R: Shape>(x: &Tensor<E, S>, other: &Tensor<E, R>) -> Result<Tensor<E, S::Common>> {
    made(Function::LinalgCross, &[x.raw().into(), other.raw().into()])
}

/// The same of a triangle, upper or lower.
///
/// # Errors
/// Where it isn't square, or the sizes don't fit.
pub fn solve_triangular<E: LinalgElement, S: Shape, R: Shape>(
    x: &Tensor<E, S>,
    right: &Tensor<E, R>,
    upper: bool,
) -> Result<Tensor<E, S::Solution<R>>> {
    made(Function::LinalgSolveTriangular, &[x.raw().into(), right.raw().into(), upper.into()])
}

/// The eigenvalues of any square matrix, and the eigenvectors as columns: complex numbers.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let turn = Tensor::from([[0.0_f64, -1.0], [1.0, 0.0]]);
/// let (values, _) = linalg::eig(&turn)?;
/// assert!(values.imag().abs().allclose(&Tensor::from([1.0, 1.0])));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where it isn't square, or holds what is no number.
pub fn eig<E: LinalgElement + FftElement, S: Shape>(x: &Tensor<E, S>) -> Result<Eigenpairs<E, S>> {
    made(Function::LinalgEig, &[x.raw().into()])
}

/// The eigenvalues of any square matrix. Those of a symmetric one are real, and `eigvalsh`'s.
///
/// # Errors
/// As [`eig`].
pub fn eigvals<E: LinalgElement + FftElement, S: Shape>(x: &Tensor<E, S>) -> Result<Eigenvalues<E, S>> {
    made(Function::LinalgEigvals, &[x.raw().into()])
}

/// The root of the sum of squares, of all elements: a value where the type says the dtype.
///
/// # Panics
/// Where there is no memory for the result.
#[must_use]
#[track_caller]
pub fn norm<E: op::Norm<Output = O>, S: Shape, O: Element>(x: &Tensor<E, S>) -> Tensor<O, ()> {
    proved(made(Function::LinalgNorm, &[x.raw().into()]))
}

/// The same: `vector_norm_with(&x, 1, ..)` is another norm, `vector_norm_with(&x, 2, axis::<1>())` one of each row.
///
/// # Panics
/// As [`norm`].
#[must_use]
#[track_caller]
pub fn vector_norm<E: op::Norm<Output = O>, S: Shape, O: Element>(x: &Tensor<E, S>) -> Tensor<O, ()> {
    proved(made(Function::LinalgVectorNormOf, &[x.raw().into()]))
}

/// The solution for columns `right`, where the matrix is `factor` times its own transpose, as [`cholesky`] gives it.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let x = Tensor::from([[4.0_f64, 2.0], [2.0, 5.0]]);
/// let right = Tensor::from([[2.0_f64], [9.0]]);
/// let found = linalg::cholesky_solve(&right, &linalg::cholesky(&x)?)?;
/// assert!(x.matmul(&found).allclose(&right));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where the sizes don't fit.
pub fn cholesky_solve<E: LinalgElement, S: Shape, R: Shape>(
    right: &Tensor<E, R>,
    factor: &Tensor<E, S>,
) -> Result<Tensor<E, S::Solution<R>>> {
    cholesky_solve_with(right, factor, false)
}

/// The same, where the factor may be an upper triangle: the matrix is its transpose times it.
///
/// # Errors
/// As [`cholesky_solve`].
pub fn cholesky_solve_with<E: LinalgElement, S: Shape, R: Shape>(
    right: &Tensor<E, R>,
    factor: &Tensor<E, S>,
    upper: bool,
) -> Result<Tensor<E, S::Solution<R>>> {
    made(Function::CholeskySolve, &[right.raw().into(), factor.raw().into(), upper.into()])
}

/// What comes nearest to a solution: a vector, or columns. Its shape is known where the type knows that there is one matrix.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let (x, y) = (Tensor::from([[1.0_f64, 0.0], [1.0, 1.0], [1.0, 2.0]]), Tensor::from([1.0_f64, 3.0, 5.0]));
/// assert!(linalg::lstsq(&x, &y)?.solution.allclose(&Tensor::from([1.0_f64, 2.0])));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where the sizes don't fit.
pub fn lstsq<E: LinalgElement, S: Shape, R: Shape>(x: &Tensor<E, S>, right: &Tensor<E, R>) -> Result<LeastSquares<E, S, R>> {
    made(Function::LinalgLstsq, &[x.raw().into(), right.raw().into()])
}

/// [`lstsq`] with the share of the largest singular value up to which others count as zero, and LAPACK's driver: `"gelsy"`, `"gels"`, `"gelsd"` or
/// `"gelss"`, of which the last two find the singular values. `None` is PyTorch's.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let (x, y) = (Tensor::from([[2.0_f64, 0.0], [0.0, 1.0]]), Tensor::from([4.0_f64, 3.0]));
/// assert!(linalg::lstsq_with(&x, &y, None, "gelsd")?.singular_values.allclose(&Tensor::from([2.0_f64, 1.0])));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where the sizes don't fit, and for other words.
pub fn lstsq_with<'d, E: LinalgElement, S: Shape, R: Shape>(
    x: &Tensor<E, S>,
    right: &Tensor<E, R>,
    rcond: impl MaybeNumber,
    driver: impl Into<Option<&'d str>>,
) -> Result<LeastSquares<E, S, R>> {
    made(Function::LinalgLstsq, &[x.raw().into(), right.raw().into(), rcond.given().into(), driver.into().into()])
}

/// A norm along dimensions: `axis::<1>()`, `1`, `[0, -1]`, `kept(…)` of these, or `..` for all elements as one vector.
///
/// ```
/// # use latten_core::{shape::axis, spaces::linalg, tensor::Tensor};
/// let x = Tensor::from([[3.0_f64, 4.0], [-1.0, 0.0]]);
/// assert_eq!(linalg::vector_norm_with(&x, 1, ..)?.item(), 8.0);
/// assert_eq!(linalg::vector_norm_with(&x, 2, axis::<1>())?.to_vec(), [5.0, 1.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where the dimensions aren't there, or there are no elements for a norm that needs some.
pub fn vector_norm_with<E: NormElement, S: Shape, A: AlongArgument<S>>(
    x: &Tensor<E, S>,
    order: impl Into<Scalar>,
    along: A,
) -> Result<Tensor<E::Real, A::Left>> {
    let along = along.along();
    made(Function::LinalgVectorNormOf, &[x.raw().into(), order.into().into(), along.given_dims().into(), along.keeps().into()])
}

/// The operation of an order, which is a number or a name, and the order as its argument.
fn by_order(order: MatrixOrder<'_>, [by_number, by_name]: [Function; 2]) -> (Function, CallArgument<'_>) {
    match order {
        MatrixOrder::Number(number) => (by_number, Scalar::from(number).into()),
        MatrixOrder::Named(name) => (by_name, name.into()),
    }
}

/// A norm of each matrix: `"fro"`, `"nuc"`, `1`, `-1`, `2`, `-2`, and infinities.
///
/// ```
/// # use latten_core::{spaces::linalg, tensor::Tensor};
/// let x = Tensor::from([[3.0_f64, 0.0], [0.0, -4.0]]);
/// assert_eq!((linalg::matrix_norm_with(&x, 1)?.item(), linalg::matrix_norm_with(&x, "nuc")?.item()), (4.0, 7.0));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where it is no matrix, and for other orders.
pub fn matrix_norm_with<'a, E: NormElement, S: Shape>(x: &Tensor<E, S>, order: impl Into<MatrixOrder<'a>>) -> Result<Numbers<E::Real, S>> {
    let (function, order) = by_order(order.into(), [Function::LinalgMatrixNorm, Function::LinalgMatrixNormNamed]);
    made(function, &[x.raw().into(), order])
}

/// The condition by another norm than the one of singular values: those of [`matrix_norm_with`].
///
/// # Errors
/// Where it is no matrix, or isn't square for an order other than 2 and -2, and for other orders.
pub fn cond_with<'a, E: LinalgElement, S: Shape>(x: &Tensor<E, S>, order: impl Into<MatrixOrder<'a>>) -> Result<Numbers<E::Real, S>> {
    let (function, order) = by_order(order.into(), [Function::LinalgCond, Function::LinalgCondNamed]);
    made(function, &[x.raw().into(), order])
}

/// A norm of vectors along one dimension, of matrices along two, or, for `..`, of a tensor that has no more dimensions than that.
///
/// ```
/// # use latten_core::{shape::axis, spaces::linalg, tensor::Tensor};
/// let x = Tensor::from([[3.0_f64, 4.0], [-1.0, 0.0]]);
/// assert_eq!((linalg::norm_with(&x, "fro", ..)?.item(), linalg::norm_with(&x, 1, ..)?.item()), (26.0_f64.sqrt(), 4.0));
/// assert_eq!(linalg::norm_with(&x, 1, axis::<1>())?.to_vec(), [7.0, 1.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where the dimensions aren't there or too many, and for orders that aren't theirs.
pub fn norm_with<'a, E: NormElement, S: Shape, A: AlongArgument<S>>(
    x: &Tensor<E, S>,
    order: impl Into<MatrixOrder<'a>>,
    along: A,
) -> Result<Tensor<E::Real, A::Left>> {
    let (function, order) = by_order(order.into(), [Function::LinalgNorm, Function::LinalgNormNamed]);
    let along = along.along();
    made(function, &[x.raw().into(), order, along.given_dims().into(), along.keeps().into()])
}
