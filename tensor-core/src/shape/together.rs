//! What shapes make together, as relations between types: broadcasting, writing in place, products, concatenation.
//!
//! The relations between single sizes are written here; for whole shapes tensor-macros writes one row a rank from them.
//! A relation that must fail with a message ends in one with const parameters, so that the message can name the numbers.

use typenum::{B0, B1, Const, IsLessOrEqual, Sum, ToUInt, U, U1024};

use super::{AnyShape, D, Dim, Dyn, KnownSize, Shape};

/// The shape that two shapes broadcast to.
#[diagnostic::on_unimplemented(
    message = "the shapes `{Self}` and `{Rhs}` don't broadcast",
    label = "these shapes don't broadcast",
    note = "sizes are compared from the last dimension: they must be equal, or one of them 1"
)]
pub trait Broadcast<Rhs> {
    /// The common shape.
    type Output: Shape;
}

/// The size that two sizes broadcast to.
///
/// That the output is a [`Dim`] isn't said here: `Dim` itself says that a size broadcasts with itself.
pub trait BroadcastDim<Rhs> {
    /// The common size.
    type Output;
}

/// Two known sizes, neither of them 1, are equal.
#[diagnostic::on_unimplemented(
    message = "the size of tensor a ({A}) must match the size of tensor b ({B})",
    label = "size {A} on the left, size {B} on the right",
    note = "sizes are compared from the last dimension: they must be equal, or one of them 1"
)]
pub trait SizesMatch<const A: usize, const B: usize> {}

/// Carries the checks between known sizes.
#[derive(Clone, Copy, Debug)]
pub enum Known {}

#[diagnostic::do_not_recommend]
impl<const N: usize> SizesMatch<N, N> for Known {}
// A second impl, of a type that nobody has: with one impl alone the compiler unifies and reports a mismatch of types.
#[diagnostic::do_not_recommend]
impl SizesMatch<0, 1> for Dyn {}

impl BroadcastDim<Self> for Dyn {
    type Output = Self;
}

impl<const N: usize, const WIDE: bool> BroadcastDim<Dyn> for D<N, WIDE>
where
    Self: KnownSize,
    <Self as KnownSize>::IsOne: UnlessOne<Self>,
{
    type Output = <<Self as KnownSize>::IsOne as UnlessOne<Self>>::Output;
}

impl<const N: usize, const WIDE: bool> BroadcastDim<D<N, WIDE>> for Dyn
where
    D<N, WIDE>: KnownSize,
    <D<N, WIDE> as KnownSize>::IsOne: UnlessOne<D<N, WIDE>>,
{
    type Output = <<D<N, WIDE> as KnownSize>::IsOne as UnlessOne<D<N, WIDE>>>::Output;
}

impl<const N: usize, const V: bool, const M: usize, const W: bool> BroadcastDim<D<M, W>> for D<N, V>
where
    Self: KnownSize,
    D<M, W>: KnownSize,
    (<Self as KnownSize>::IsOne, <D<M, W> as KnownSize>::IsOne): Stretch<Self, D<M, W>>,
{
    type Output = <(<Self as KnownSize>::IsOne, <D<M, W> as KnownSize>::IsOne) as Stretch<Self, D<M, W>>>::Output;
}

/// A known size against an unknown one: the known one, unless it is 1 and stretches.
pub trait UnlessOne<Size> {
    /// The common size.
    type Output;
}

impl<Size> UnlessOne<Size> for B0 {
    type Output = Size;
}

impl<Size> UnlessOne<Size> for B1 {
    type Output = Dyn;
}

/// Which of two known sizes is 1 and stretches to the other.
pub trait Stretch<Lhs, Rhs> {
    /// The common size.
    type Output;
}

impl<Lhs, Rhs> Stretch<Lhs, Rhs> for (B1, B1) {
    type Output = Lhs;
}

impl<Lhs, Rhs> Stretch<Lhs, Rhs> for (B0, B1) {
    type Output = Lhs;
}

impl<Lhs, Rhs> Stretch<Lhs, Rhs> for (B1, B0) {
    type Output = Rhs;
}

impl<const N: usize, const V: bool, const M: usize, const W: bool> Stretch<D<N, V>, D<M, W>> for (B0, B0)
where
    Known: SizesMatch<N, M>,
{
    type Output = D<N, V>;
}

/// An operand of this shape can be combined with an output of the shape `Out` without making it grow.
#[diagnostic::on_unimplemented(
    message = "an operand of shape `{Self}` doesn't fit an output of shape `{Out}`",
    label = "not the shape of a tensor"
)]
pub trait BroadcastInto<Out> {}

/// A size that an output of size `Out` can take in.
pub trait StretchInto<Out> {}

/// An output of size 1 stays so: it can't take in an operand of size `N`.
#[diagnostic::on_unimplemented(
    message = "output with size {OUT} doesn't match the broadcast size {N}",
    label = "would make the output grow: its size is {OUT}, the operand's {N}",
    note = "an operation in place never changes the shape of its output; `a + &b` makes a new tensor of the broadcast shape"
)]
pub trait OutputStays<const N: usize, const OUT: usize> {}

#[diagnostic::do_not_recommend]
impl<const N: usize> OutputStays<N, N> for Known {}
#[diagnostic::do_not_recommend]
impl OutputStays<0, 1> for Dyn {}

/// An operand of `N` dimensions fits an output of `OUT`.
#[diagnostic::on_unimplemented(
    message = "output with {OUT} dimensions doesn't match the broadcast shape of {N} dimensions",
    label = "would make the output grow: it has {OUT} dimensions, the operand {N}",
    note = "an operation in place never changes the shape of its output; `a + &b` makes a new tensor of the broadcast shape"
)]
pub trait RankStays<const N: usize, const OUT: usize> {}

#[diagnostic::do_not_recommend]
impl<Size: Dim, const N: usize> RankStays<N, N> for Size {}

impl<Out: Dim> StretchInto<Out> for Dyn {}
impl<const N: usize, const WIDE: bool> StretchInto<Dyn> for D<N, WIDE> {}

impl<const N: usize, const V: bool, const M: usize, const W: bool> StretchInto<D<M, W>> for D<N, V>
where
    Self: KnownSize,
    D<M, W>: KnownSize,
    (<Self as KnownSize>::IsOne, <D<M, W> as KnownSize>::IsOne): FitsOutput<N, M>,
{
}

/// Which of the operand's and the output's sizes is 1.
pub trait FitsOutput<const N: usize, const OUT: usize> {}

impl<OutIsOne, const N: usize, const OUT: usize> FitsOutput<N, OUT> for (B1, OutIsOne) {}
impl<const N: usize, const OUT: usize> FitsOutput<N, OUT> for (B0, B1) where Known: OutputStays<N, OUT> {}
impl<const N: usize, const OUT: usize> FitsOutput<N, OUT> for (B0, B0) where Known: SizesMatch<OUT, N> {}

/// The shape of a matrix product, by the rules of PyTorch's `matmul`.
#[diagnostic::on_unimplemented(
    message = "both arguments to matmul need to be at least 1D, but they are `{Self}` and `{Rhs}`",
    label = "no matrix product of these shapes"
)]
pub trait Product<Rhs> {
    /// The product's shape.
    type Output: Shape;
}

/// The columns of the left matrix are as many as the rows of the right one.
pub trait InnerDim<Rhs> {}

/// Two known inner sizes of a product are equal.
#[diagnostic::on_unimplemented(
    message = "mat1 and mat2 shapes cannot be multiplied (_x{A} and {B}x_)",
    label = "the left factor has {A} columns, the right one {B} rows",
    note = "the last size of the left factor and the last but one of the right must be equal; transpose with `.t()`"
)]
pub trait InnerSizesMatch<const A: usize, const B: usize> {}

#[diagnostic::do_not_recommend]
impl<const N: usize> InnerSizesMatch<N, N> for Known {}
#[diagnostic::do_not_recommend]
impl InnerSizesMatch<0, 1> for Dyn {}

impl<Rhs: Dim> InnerDim<Rhs> for Dyn {}
impl<const N: usize, const WIDE: bool> InnerDim<Dyn> for D<N, WIDE> {}
impl<const N: usize, const V: bool, const M: usize, const W: bool> InnerDim<D<M, W>> for D<N, V> where Known: InnerSizesMatch<N, M> {}

/// A dimension of a shape, counted from the front (0, 1, …) or the back (-1, -2, …).
#[diagnostic::on_unimplemented(
    message = "Dimension out of range: `{Self}` has no dimension {AXIS}",
    label = "no such dimension",
    note = "dimensions are counted from 0, or from -1 backwards"
)]
pub trait Axis<const AXIS: isize> {
    /// The shape without that dimension: what a reduction gives.
    type Removed: Shape;
    /// The shape with size 1 there: what a reduction with `keepdim` gives.
    type Kept: Shape;
}

/// A shape with two dimensions exchanged.
#[diagnostic::on_unimplemented(message = "Dimension out of range: `{Self}` has no dimensions {A} and {B}", label = "no such dimensions")]
pub trait Swap<const A: usize, const B: usize> {
    /// The shape of the transposed tensor.
    type Output: Shape;
}

/// The shape of two tensors joined along a dimension.
#[diagnostic::on_unimplemented(
    message = "Tensors must have same number of dimensions: got `{Self}` and `{Rhs}`",
    label = "these can't be concatenated along dimension {AXIS}"
)]
pub trait Concat<Rhs, const AXIS: usize> {
    /// The joined shape.
    type Output: Shape;
}

/// Sizes of two tensors that are joined along another dimension.
pub trait SameDim<Rhs, const AXIS: usize> {
    /// The size, known if either knows it.
    type Output: Dim;
}

/// Two known sizes are equal, in tensors joined along dimension `AXIS`.
#[diagnostic::on_unimplemented(
    message = "Sizes of tensors must match except in dimension {AXIS}. Expected size {A} but got size {B}",
    label = "size {A} in the first tensor, {B} in the second"
)]
pub trait OtherSizesMatch<const A: usize, const B: usize, const AXIS: usize> {}

#[diagnostic::do_not_recommend]
impl<const N: usize, const AXIS: usize> OtherSizesMatch<N, N, AXIS> for Known {}
#[diagnostic::do_not_recommend]
impl<const AXIS: usize> OtherSizesMatch<0, 1, AXIS> for Dyn {}

impl<Rhs: Dim, const AXIS: usize> SameDim<Rhs, AXIS> for Dyn {
    type Output = Rhs;
}
impl<const N: usize, const WIDE: bool, const AXIS: usize> SameDim<Dyn, AXIS> for D<N, WIDE>
where
    Self: Dim,
{
    type Output = Self;
}
impl<const N: usize, const V: bool, const M: usize, const W: bool, const AXIS: usize> SameDim<D<M, W>, AXIS> for D<N, V>
where
    Self: Dim,
    Known: OtherSizesMatch<N, M, AXIS>,
{
    type Output = Self;
}

/// The size of two sizes laid end to end.
pub trait JoinDim<Rhs> {
    /// Their sum, known where both are and typenum has a name for it.
    type Output: Dim;
}

impl<Rhs: Dim> JoinDim<Rhs> for Dyn {
    type Output = Self;
}
impl<const N: usize, const WIDE: bool> JoinDim<Dyn> for D<N, WIDE> {
    type Output = Dyn;
}
impl<const N: usize, const M: usize, const W: bool> JoinDim<D<M, W>> for D<N, true> {
    type Output = Dyn;
}
impl<const N: usize, const M: usize> JoinDim<D<M, true>> for D<N> {
    type Output = Dyn;
}
impl<const N: usize, const M: usize> JoinDim<D<M>> for D<N>
where
    Const<N>: ToUInt,
    Const<M>: ToUInt,
    U<N>: std::ops::Add<U<M>>,
    Sum<U<N>, U<M>>: IsLessOrEqual<U1024>,
    <Sum<U<N>, U<M>> as IsLessOrEqual<U1024>>::Output: Named<Sum<U<N>, U<M>>>,
{
    type Output = <<Sum<U<N>, U<M>> as IsLessOrEqual<U1024>>::Output as Named<Sum<U<N>, U<M>>>>::Size;
}

/// The dimension of a typenum number, where it is at most 1024 (`B1`).
pub trait Named<Number> {
    /// [`D`], or [`Dyn`] for a larger one.
    type Size: Dim;
}

impl<Number> Named<Number> for B0 {
    type Size = Dyn;
}
impl<Number: NumberDim> Named<Number> for B1 {
    type Size = Number::Size;
}

/// A typenum number, back as a dimension.
pub trait NumberDim {
    /// The dimension of that size.
    type Size: Dim;
}

#[diagnostic::do_not_recommend]
impl Broadcast<Self> for () {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl Broadcast<Self> for AnyShape {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl Broadcast<AnyShape> for () {
    type Output = AnyShape;
}
#[diagnostic::do_not_recommend]
impl Broadcast<()> for AnyShape {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl BroadcastInto<Self> for () {}
#[diagnostic::do_not_recommend]
impl BroadcastInto<()> for AnyShape {}
#[diagnostic::do_not_recommend]
impl BroadcastInto<AnyShape> for () {}
#[diagnostic::do_not_recommend]
impl BroadcastInto<Self> for AnyShape {}
#[diagnostic::do_not_recommend]
impl Product<Self> for AnyShape {
    type Output = Self;
}

latten_macros::shape_rows!();
