//! What shapes make together, as relations between types: broadcasting, writing in place, products, concatenation.
//!
//! The relations between single sizes are written here; for whole shapes tensor-macros writes one row a rank from them.
//! A relation that must fail with a message ends in one with const parameters, so that the message can name the numbers.

use typenum::{B0, B1, Const, IsLessOrEqual, Sum, ToUInt, U, U1, U1024};

use super::{AnyShape, D, Dim, Dyn, One, Shape, TypeAxis};

/// The shape that two shapes broadcast to.
#[diagnostic::on_unimplemented(
    message = "the shapes `{Self}` and `{Rhs}` don't broadcast",
    label = "from the last dimension on, sizes must be equal, or one of them 1"
)]
pub trait Broadcast<Rhs> {
    /// The common shape.
    type Output: Shape;
}

/// [`Broadcast`] as the bound of a method: what rustc says of sizes that don't match ends without a list of shapes.
pub trait BroadcastWith<Rhs> {
    /// The common shape.
    type Common: Shape;
}

impl<S: Broadcast<Rhs>, Rhs> BroadcastWith<Rhs> for S {
    type Common = S::Output;
}

/// The size that two sizes broadcast to.
///
/// That the output is a [`Dim`] isn't said here: `Dim` itself says that a size broadcasts with itself.
pub trait BroadcastDim<Rhs> {
    /// The common size.
    type Output;
}

/// Two sizes that types know are equal, or one of them 1.
#[diagnostic::on_unimplemented(
    message = "the size of tensor a ({A}) must match the size of tensor b ({B})",
    label = "size {A} on the left, size {B} on the right",
    note = "sizes are compared from the last dimension: they must be equal, or one of them 1"
)]
pub trait SizesMatch<const A: usize, const B: usize> {
    /// What they make.
    type Size: Dim;
}

/// Carries the checks between known sizes.
#[derive(Clone, Copy, Debug)]
pub enum Known {}

#[diagnostic::do_not_recommend]
impl<const N: usize> SizesMatch<N, N> for Known {
    type Size = D<N>;
}
/// A size that a parameter which happens to be 1 stretches to: from 0 to 1024, but not 1.
pub trait NotOne {}

#[diagnostic::do_not_recommend]
impl<const N: usize> SizesMatch<1, N> for Known
where
    D<N>: NotOne,
{
    type Size = D<N>;
}
#[diagnostic::do_not_recommend]
impl<const N: usize> SizesMatch<N, 1> for Known
where
    D<N>: NotOne,
{
    type Size = D<N>;
}

impl<Rhs: Dim> BroadcastDim<Rhs> for Dyn {
    type Output = Rhs::BesideRun;
}
impl<Rhs: Dim> BroadcastDim<Rhs> for One {
    type Output = Rhs;
}
impl<const N: usize> BroadcastDim<Dyn> for D<N> {
    type Output = Self;
}
impl<const N: usize> BroadcastDim<One> for D<N> {
    type Output = Self;
}
impl<const N: usize, const M: usize> BroadcastDim<D<M>> for D<N>
where
    Known: SizesMatch<N, M>,
{
    type Output = <Known as SizesMatch<N, M>>::Size;
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
// A second impl, of a type that nobody has: with one impl alone the compiler unifies and reports a mismatch of types.
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
impl<Out: Dim> StretchInto<Out> for One {}
impl<const N: usize> StretchInto<Dyn> for D<N> {}
impl<const N: usize> StretchInto<One> for D<N> where Known: OutputStays<N, 1> {}
impl<const N: usize, const M: usize> StretchInto<D<M>> for D<N> where Known: SizesMatch<M, N, Size = D<M>> {}

/// The shape of a matrix product, by the rules of PyTorch's `matmul`.
#[diagnostic::on_unimplemented(
    message = "both arguments to matmul need to be at least 1D, but they are `{Self}` and `{Rhs}`",
    label = "no matrix product that types know: that of `(M, K)` and `(K, N)` is one"
)]
pub trait MatrixProduct<Rhs> {
    /// The product's shape.
    type Output: Shape;
}

/// [`MatrixProduct`] as the bound of a method, as [`BroadcastWith`] is one.
pub trait MatrixProductWith<Rhs> {
    /// The product's shape.
    type Product: Shape;
}

// Without impls that any shape might have, a function over shapes would find no method, in place of why; two, because one alone would be taken.
#[diagnostic::do_not_recommend]
impl<S: Shape> MatrixProduct<Known> for S {
    type Output = AnyShape;
}
#[diagnostic::do_not_recommend]
impl<S: Shape> MatrixProduct<&Known> for S {
    type Output = AnyShape;
}

impl<S: MatrixProduct<Rhs>, Rhs> MatrixProductWith<Rhs> for S {
    type Product = S::Output;
}

/// The columns of the left matrix are as many as the rows of the right one.
#[diagnostic::on_unimplemented(
    message = "mat1 and mat2 shapes cannot be multiplied (_x{Self} and {Rhs}x_)",
    label = "types don't know whether `{Self}` columns of the left factor are `{Rhs}` rows of the right one",
    note = "one name for both says that they are: `K: Dim` in `(N, K)` and `(K, M)`; or leave it to the run, `x.as_shape()`"
)]
pub trait InnerDim<Rhs> {}

/// Two known inner sizes of a product are equal.
#[diagnostic::on_unimplemented(
    message = "mat1 and mat2 shapes cannot be multiplied (_x{A} and {B}x_)",
    label = "the left factor has {A} columns, the right one {B} rows",
    note = "the last size of the left factor and the last but one of the right must be equal; transpose with `.t()`"
)]
pub trait InnerSizesMatch<const A: usize, const B: usize> {}

/// The channels of what is convolved are those that the weights are for.
pub trait ChannelDim<Weights> {}

/// Two known numbers of channels are equal.
#[diagnostic::on_unimplemented(
    message = "expected input to have {B} channels, but got {A} channels instead",
    label = "{A} channels, and weights for {B}",
    note = "weights are `shape![channels out, channels in, sizes of a window]`, those of a transposed convolution `shape![channels in, channels out, …]`"
)]
pub trait ChannelsMatch<const A: usize, const B: usize> {}

/// Relations that hold between equal sizes, and where one of them is left to the run.
macro_rules! equal {
    ($($Relation:ident $Known:ident;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<const N: usize> $Known<N, N> for Known {}
        // A second impl, of sizes that nobody has: one alone the compiler unifies, or shows.
        #[diagnostic::do_not_recommend]
        impl $Known<{ usize::MAX }, 0> for Known {}

        impl<Rhs: Dim> $Relation<Rhs> for Dyn {}
        impl $Relation<Dyn> for One {}
        impl $Relation<Self> for One {}
        impl<const M: usize> $Relation<D<M>> for One where Known: $Known<1, M> {}
        impl<const N: usize> $Relation<Dyn> for D<N> {}
        impl<const N: usize> $Relation<One> for D<N> where Known: $Known<N, 1> {}
        impl<const N: usize, const M: usize> $Relation<D<M>> for D<N> where Known: $Known<N, M> {}
    )+ };
}

equal! {
    InnerDim InnerSizesMatch;
    ChannelDim ChannelsMatch;
}

/// The shape of two tensors joined along a dimension.
#[diagnostic::on_unimplemented(
    message = "Tensors must have same number of dimensions: got `{Self}` and `{Rhs}`",
    label = "these can't be concatenated"
)]
pub trait Concat<Rhs, At> {
    /// The joined shape.
    type Output: Shape;
}

/// A dimension that only the run knows.
#[derive(Debug)]
pub enum OfTheRun {}

#[diagnostic::do_not_recommend]
impl<S: Shape, Rhs: Shape> Concat<Rhs, OfTheRun> for S {
    type Output = S::SameRank;
}

/// Sizes of two tensors that are joined along another dimension.
pub trait SameDim<Rhs, const AXIS: usize> {
    /// The size, known if either knows it. (That it is a [`Dim`] is said there: a size is the same as itself.)
    type Output;
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
impl<const AXIS: usize> SameDim<Dyn, AXIS> for One {
    type Output = Self;
}
impl<const AXIS: usize> SameDim<Self, AXIS> for One {
    type Output = Self;
}
impl<const M: usize, const AXIS: usize> SameDim<D<M>, AXIS> for One
where
    Known: OtherSizesMatch<1, M, AXIS>,
{
    type Output = Self;
}
impl<const N: usize, const AXIS: usize> SameDim<Dyn, AXIS> for D<N> {
    type Output = Self;
}
impl<const N: usize, const AXIS: usize> SameDim<One, AXIS> for D<N>
where
    Known: OtherSizesMatch<N, 1, AXIS>,
{
    type Output = Self;
}
impl<const N: usize, const M: usize, const AXIS: usize> SameDim<D<M>, AXIS> for D<N>
where
    Known: OtherSizesMatch<N, M, AXIS>,
{
    type Output = Self;
}

/// The size of two sizes laid end to end.
pub trait JoinDim<Rhs> {
    /// Their sum, known where both are and typenum has a name for it.
    type Output: Dim;
}

/// A size that types can compare, add and subtract.
#[diagnostic::on_unimplemented(
    message = "types don't count the size `{Self}`",
    label = "above 1024, or a parameter",
    note = "leave it to the run: in `i![…]` in parentheses, `i![(0)]`, `i![(1)..]`; `cat((&a, &b), 0)?` in place of `axis::<0>()`, or `a.as_shape::<shape![_, 3]>()` first"
)]
pub trait Counted {
    /// The size as a number of typenum.
    type Number;
}

#[diagnostic::do_not_recommend]
impl Counted for One {
    type Number = U1;
}
#[diagnostic::do_not_recommend]
impl<const N: usize> Counted for D<N>
where
    Const<N>: ToUInt,
{
    type Number = U<N>;
}

/// A number of typenum to which another can be added.
pub trait AddedTo<Rhs> {
    /// The dimension of the sum.
    type Size: Dim;
}

impl<L, R> AddedTo<R> for L
where
    L: std::ops::Add<R>,
    Sum<L, R>: IsLessOrEqual<U1024>,
    <Sum<L, R> as IsLessOrEqual<U1024>>::Output: SmallNumber<Sum<L, R>>,
{
    type Size = <<Sum<L, R> as IsLessOrEqual<U1024>>::Output as SmallNumber<Sum<L, R>>>::Size;
}

impl<Rhs: Dim> JoinDim<Rhs> for Dyn {
    type Output = Self;
}
impl JoinDim<Dyn> for One {
    type Output = Dyn;
}
impl<const N: usize> JoinDim<Dyn> for D<N> {
    type Output = Dyn;
}
/// Sizes that both are known.
macro_rules! joined {
    ($([$($generics:tt)*] $a:ty, $b:ty;)+) => { $(
        impl<$($generics)*> JoinDim<$b> for $a
        where
            $a: Counted,
            $b: Counted,
            <$a as Counted>::Number: AddedTo<<$b as Counted>::Number>,
        {
            type Output = <<$a as Counted>::Number as AddedTo<<$b as Counted>::Number>>::Size;
        }
    )+ };
}

joined! {
    [] One, One;
    [const N: usize] One, D<N>;
    [const N: usize] D<N>, One;
    [const N: usize, const M: usize] D<N>, D<M>;
}

/// A tensor of this shape is one of the shape `Other`, which says less, or the same in other words.
#[diagnostic::on_unimplemented(
    message = "a tensor of shape `{Self}` isn't known to be one of shape `{Other}`",
    label = "says more than `{Self}`, or another thing",
    note = "where only the run can tell: `let y: Tensor<f32, shape![2, 3]> = x.to_shape()?;`"
)]
pub trait KnownAs<Other> {}

/// A size that is known to be the other one.
#[diagnostic::on_unimplemented(
    message = "a size `{Self}` isn't known to be `{Other}`",
    label = "says more than the type of the tensor",
    note = "`x.to_shape()?` has the run look: `let y: Tensor<f32, shape![2, 3]> = x.to_shape()?;`"
)]
pub trait KnownAsDim<Other> {}

impl KnownAsDim<Self> for Dyn {}
impl KnownAsDim<Dyn> for One {}
impl KnownAsDim<Self> for One {}
impl KnownAsDim<D<1>> for One {}
impl KnownAsDim<One> for D<1> {}
impl<const N: usize> KnownAsDim<Self> for D<N> {}
impl<const N: usize> KnownAsDim<Dyn> for D<N> {}

#[diagnostic::do_not_recommend]
impl KnownAs<AnyShape> for () {}
#[diagnostic::do_not_recommend]
impl KnownAs<Self> for () {}
#[diagnostic::do_not_recommend]
impl KnownAs<Self> for AnyShape {}

/// The dimension of a typenum number, where it is at most 1024 (`B1`).
pub trait SmallNumber<Number> {
    /// [`D`], or [`Dyn`] for a larger one.
    type Size: Dim;
}

impl<Number> SmallNumber<Number> for B0 {
    type Size = Dyn;
}
impl<Number: NumberDim> SmallNumber<Number> for B1 {
    type Size = Number::Size;
}

/// A typenum number, back as a dimension.
pub trait NumberDim {
    /// The dimension of that size.
    type Size: Dim;
}

#[diagnostic::do_not_recommend]
impl<S: Shape> Broadcast<S> for () {
    type Output = S;
}
#[diagnostic::do_not_recommend]
impl Broadcast<Self> for AnyShape {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl Broadcast<()> for AnyShape {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl<S: Shape> BroadcastInto<S> for () {}
#[diagnostic::do_not_recommend]
impl<Out: Shape> BroadcastInto<Out> for AnyShape {}
#[diagnostic::do_not_recommend]
impl MatrixProduct<Self> for AnyShape {
    type Output = Self;
}

latten_macros::shape_rows!();
