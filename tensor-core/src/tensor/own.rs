//! What `#[kernel]` expands to: loops over a user's formula, and the functions that take tensors, or expressions inside `fuse!`.

use std::marker::PhantomData;

use super::Tensor;
use super::fuse::evaluate;
use crate::element::{Element, Held};
use crate::error::Result;
use crate::fused::{Common, CommonOfThree, Lazy, Leaf, Node, OfThree, On, OneNode, Term, ThreeNode, Together, TwoNode};
use crate::kernels::Formula;
use crate::kernels::level::Level;
use crate::kernels::run::{Body, Kernel, Run};
use crate::relations::{CastInto, PromoteThree, PromoteWith};
use crate::scalar::Scalar;
use crate::shape::{BroadcastInto, BroadcastWith, Shape};

/// The parameters of a call.
pub type Params = [Option<Scalar>; 3];

/// The loop of a formula on that many operands, with that many parameters.
#[must_use]
pub fn kernel<F: Formula, const OPERANDS: usize, const PARAMS: usize>() -> Kernel {
    Kernel::of::<FormulaBody<F, OPERANDS, PARAMS>>(Level::detect())
}

struct FormulaBody<F, const OPERANDS: usize, const PARAMS: usize>(PhantomData<F>);

impl<F: Formula, const OPERANDS: usize, const PARAMS: usize> Body for FormulaBody<F, OPERANDS, PARAMS> {
    const WEIGHT: usize = F::WEIGHT;

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<F::Out>();
        let len = inputs.count();
        let operands: [&[F::In]; 3] = std::array::from_fn(|i| &inputs.operand(if i < OPERANDS { i } else { 0 })[..len]);
        let params: [F::In; 3] =
            std::array::from_fn(|i| if i < PARAMS { F::In::of_scalar(inputs.number(i)) } else { F::In::of_bool(false) });
        // Counted loops, as in `Whole`.
        let out = &mut out[..len];
        let at = |index: usize| operands.map(|operand| operand[index]);
        if F::HAS_ANGLES && (0..len).fold(true, |near, index| near & F::is_near(at(index), params)) {
            (0..len).for_each(|index| out[index] = F::near(at(index), params));
            return;
        }
        (0..len).for_each(|index| out[index] = F::at(at(index), params));
    }
}

/// The first operand of a kernel, which decides what it gives: of a tensor a tensor, of an expression in `fuse!` an expression.
#[diagnostic::on_unimplemented(
    message = "a kernel doesn't take `{Self}` as its first operand",
    label = "neither a borrowed tensor nor an expression in `fuse!`",
    note = "give a tensor as `&x`"
)]
pub trait Subject<const I: usize> {
    /// The operand in an expression.
    type Node: Node;
    /// What the kernel gives.
    type Output<N: Node>;

    /// The operand in an expression.
    fn subject(self) -> Lazy<Self::Node>;
    /// What the kernel gives.
    fn finish<N: Node>(expression: Lazy<N>) -> Self::Output<N>;
}

impl<'a, E: Element, S: Shape, const I: usize> Subject<I> for &'a Tensor<E, S> {
    type Node = Leaf<'a, E, S, I>;
    type Output<N: Node> = Tensor<N::Element, N::Shape>;

    fn subject(self) -> Lazy<Leaf<'a, E, S, I>> {
        Lazy(Leaf::new(&self.raw))
    }

    #[track_caller]
    fn finish<N: Node>(expression: Lazy<N>) -> Tensor<N::Element, N::Shape> {
        evaluate(expression)
    }
}

impl<M: Node, const I: usize> Subject<I> for Lazy<M> {
    type Node = M;
    type Output<N: Node> = Lazy<N>;

    fn subject(self) -> Self {
        self
    }

    fn finish<N: Node>(expression: Lazy<N>) -> Lazy<N> {
        expression
    }
}

/// Another operand of a kernel: a borrowed tensor, an expression, or a number.
#[diagnostic::on_unimplemented(
    message = "a kernel doesn't take `{Self}` as an operand",
    label = "neither a borrowed tensor, an expression in `fuse!`, nor a number",
    note = "give a tensor as `&x`"
)]
pub trait Beside<const I: usize> {
    /// The operand in an expression.
    type Term: Term;

    /// The operand in an expression.
    fn beside(self) -> Self::Term;
}

impl<'a, E: Element, S: Shape, const I: usize> Beside<I> for &'a Tensor<E, S> {
    type Term = Lazy<Leaf<'a, E, S, I>>;

    fn beside(self) -> Self::Term {
        Lazy(Leaf::new(&self.raw))
    }
}

impl<N: Node, const I: usize> Beside<I> for Lazy<N> {
    type Term = Self;

    fn beside(self) -> Self {
        self
    }
}

macro_rules! numbers {
    ($($number:ty)+) => { $(
        impl<const I: usize> Beside<I> for $number {
            type Term = Self;

            fn beside(self) -> Self {
                self
            }
        }
    )+ };
}

numbers! {
    bool u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 half::f16 half::bf16 f32 f64
    num_complex::Complex<half::f16> num_complex::Complex<f32> num_complex::Complex<f64>
}

/// The expression of a kernel on one operand.
pub fn one<O, N: Node<Element: On<O>>>(x: Lazy<N>, params: Params) -> Lazy<OneNode<O, N::Element, N>> {
    Lazy(OneNode::new(x.0, params))
}

/// An operation on two operands.
pub type OnTwo<O, N, Y> = TwoNode<O, Common<N, Y>, Together<N, Y>, Lazy<N>, Y>;

/// An operation on three operands.
pub type OnThree<O, N, Y, Z> = ThreeNode<O, CommonOfThree<N, Y, Z>, OfThree<<N as Node>::Shape, Y, Z>, Lazy<N>, Y, Z>;

/// The expression of a kernel on two.
pub fn two<O, N, Y>(x: Lazy<N>, y: Y, params: Params) -> Lazy<OnTwo<O, N, Y>>
where
    N: Node<Shape: BroadcastWith<Y::Shape>, Element: PromoteWith<<N::Shape as Shape>::Level, Y::Level, Y::Element, Output: On<O>>>,
    Y: Term,
{
    Lazy(TwoNode::new(x, y, params))
}

/// The expression of a kernel on three.
pub fn three<O, N, Y, Z>(x: Lazy<N>, y: Y, z: Z, params: Params) -> Lazy<OnThree<O, N, Y, Z>>
where
    N: Node<
            Shape: BroadcastWith<Y::Shape, Common: BroadcastWith<Z::Shape>>,
            Element: PromoteThree<(<N::Shape as Shape>::Level, Y::Level, Z::Level), Y::Element, Z::Element, Output: On<O>>,
        >,
    Y: Term,
    Z: Term,
{
    Lazy(ThreeNode::new(x, y, z, params))
}

/// Stores what an expression gives in a tensor, whose dtype and shape stay.
///
/// # Errors
/// As `try_fuse!(out = …)`.
pub fn into<N, F: Element, R: Shape>(expression: Lazy<N>, out: &mut Tensor<F, R>) -> Result<()>
where
    N: Node<Element: CastInto<F>, Shape: BroadcastInto<R>>,
{
    out.try_fuse_set(expression)
}
