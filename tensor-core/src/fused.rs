//! Fused expressions as types: what `fuse!` makes of its operators. Each node knows the dtype and the shape that the operator gives; where
//! all dtypes are known, the tree is one loop, compiled where it is used, and beside that always a [`Program`](crate::program::Program).
//!
//! A node reads its numbers in the order of the program's steps: first those of the nodes below, then its own arguments, then its parameters.

use std::cell::Cell;
use std::marker::PhantomData;

use half::{bf16, f16};
use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use num_complex::Complex;

use crate::call::{Destination, Outcome, Work, run};
use crate::convert::CastFrom;
use crate::dtype::AsTyped;
pub use crate::element::Held;
use crate::element::{Any, Element};
use crate::error::Result;
use crate::kernels::Formula;
use crate::kernels::level::Level;
use crate::kernels::run::{Body, Inputs, LoopForms, Run};
use crate::op;
use crate::program::{AnyOperation, Argument, ProgramCall};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::relations::{Condition, PromoteThree, PromoteWith, RealNumber, SameDType, SubtractWith, WithNumbers};
use crate::scalar::Scalar;
use crate::shape::{BroadcastWith, Shape, Wrapped, WrappedComplex};

mod builder;
mod nodes;
mod operators;

pub use builder::Builder;
pub use nodes::{Choose, Leaf, OneNode, PlaceIndex, Thinned, ThreeNode, To, TwoNode};

/// A fused expression, not yet computed.
#[derive(Clone, Copy, Debug)]
pub struct Lazy<N>(pub N);

/// An operation as a type, and what types have to know of it.
pub trait Mark {
    /// The operation.
    const OPERATION: AnyOperation;
    /// How many parameters it has.
    const PARAMS: usize;
    /// Whether numbers keep their value where tensors are rounded to half precision.
    const EXACT: bool;
    /// The parameters, where all have their defaults.
    const DEFAULTS: Option<[f64; 3]>;
}

/// What an operation makes of a promoted dtype.
pub trait On<O>: Element {
    /// The dtype of the result.
    type Output: Element;
    /// What the operands are converted to.
    type Common: Element;
    /// What is computed of them.
    type Formula: Formula<In = <Self::Common as Held>::Computing>;
}

/// A kernel of the user's own as a type.
pub trait OwnMark: Mark {}

/// What a kernel of the user's own makes of a dtype of this category.
#[diagnostic::on_unimplemented(
    message = "the kernel `{O}` isn't defined for `{E}`",
    label = "no formula for this dtype",
    note = "convert first with `.to::<_>()`, or widen the category that the kernel takes"
)]
pub trait InCategory<O, E> {
    /// The dtype of the result.
    type Output: Element;
    /// What the operands are converted to.
    type Common: Element;
    /// What is computed of them.
    type Formula: Formula<In = <Self::Common as Held>::Computing>;
}

impl<O: OwnMark, E: WithNumbers<Category: InCategory<O, E>>> On<O> for E {
    type Output = <E::Category as InCategory<O, E>>::Output;
    type Common = <E::Category as InCategory<O, E>>::Common;
    type Formula = <E::Category as InCategory<O, E>>::Formula;
}

impl<O: OwnMark> On<O> for Any {
    type Output = Self;
    type Common = Self;
    type Formula = crate::kernels::Unknown;
}

/// What a fused expression is made of: an expression or a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an operand in `fuse!`",
    label = "neither a tensor nor a number",
    note = "operands are tensors, owned or borrowed, and numbers: bool, Rust's integers and floats, `f16`, `bf16`, `Complex`"
)]
pub trait Term: Copy {
    /// The dtype, or for a number the one that it counts as.
    type Element: Element;
    /// The shape; a number has no dimensions.
    type Shape: Shape;
    /// The priority in promotion.
    type Level;
    /// Whether it is a number.
    const IS_NUMBER: bool;
    /// Whether all dtypes in it are known.
    const IS_TYPED: bool;
    /// What it costs, compared to an addition.
    const WEIGHT: usize;
    /// Whether it has angles, which are better small.
    const HAS_ANGLES: bool;
    /// What is ready before a loop over a block begins.
    type Ready<'b, K: Element>: Copy;

    /// Adds it to a program.
    fn describe(&self, builder: &mut Builder) -> Argument;
    /// Makes ready what a loop needs that takes it in `K`, through `C`; a number keeps its value where it is `exact`.
    fn ready<'b, C: Element, K: Element>(opener: &Opener<'b>, exact: bool) -> Self::Ready<'b, K>;
    /// An element.
    fn get<C: Element, K: Element, const NEAR: bool>(ready: &Self::Ready<'_, K>, index: usize, exact: bool) -> K;
    /// Whether all angles of an element are small.
    fn is_near<K: Element>(ready: &Self::Ready<'_, K>, index: usize) -> bool;
}

/// An operation in a fused expression.
pub trait Node: Copy {
    /// The dtype of its result.
    type Element: Element;
    /// The shape of its result.
    type Shape: Shape;
    /// Whether all dtypes in it are known.
    const IS_TYPED: bool;
    /// What it costs, compared to an addition.
    const WEIGHT: usize;
    /// Whether it has angles.
    const HAS_ANGLES: bool;
    /// What is ready before a loop over a block begins.
    type Open<'b>: Copy;

    /// Adds it to a program.
    fn describe(&self, builder: &mut Builder) -> Argument;
    /// Makes ready what a loop needs.
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b>;
    /// An element of the result, rounded to its dtype.
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> Self::Element;
    /// Whether all angles of an element are small.
    fn is_near(open: &Self::Open<'_>, index: usize) -> bool;
}

/// Whether an operand without dimensions keeps its value.
const fn is_exact<O: Mark, C: Element, S: Shape>() -> bool {
    O::EXACT && !C::IS_COMPLEX && matches!(S::SIZES, Some([]))
}

/// Whether that is decided by types.
const fn decides<O: Mark, C: Element, S: Shape>() -> bool {
    !O::EXACT || !C::IS_HALF || S::SIZES.is_some()
}

impl<N: Node> Term for Lazy<N> {
    type Element = N::Element;
    type Shape = N::Shape;
    type Level = <N::Shape as Shape>::Level;
    const IS_NUMBER: bool = false;
    const IS_TYPED: bool = N::IS_TYPED;
    const WEIGHT: usize = N::WEIGHT;
    const HAS_ANGLES: bool = N::HAS_ANGLES;
    type Ready<'b, K: Element> = N::Open<'b>;

    fn describe(&self, builder: &mut Builder) -> Argument {
        self.0.describe(builder)
    }

    #[inline(always)]
    fn ready<'b, C: Element, K: Element>(opener: &Opener<'b>, _: bool) -> N::Open<'b> {
        N::open(opener)
    }

    #[inline(always)]
    fn get<C: Element, K: Element, const NEAR: bool>(ready: &N::Open<'_>, index: usize, exact: bool) -> K {
        let element = N::at::<NEAR>(ready, index);
        if exact { element.to() } else { element.to::<C>().to() }
    }

    #[inline(always)]
    fn is_near<K: Element>(ready: &N::Open<'_>, index: usize) -> bool {
        N::is_near(ready, index)
    }
}

macro_rules! numbers {
    ($([$($generics:tt)+] $number:ty: $counts_as:ty, $level:ty $(, $bound:path)*;)+) => { $(
        impl<$($generics)+> Term for $number
        where
            $(Self: $bound,)*
        {
            type Element = $counts_as;
            type Shape = ();
            type Level = $level;
            const IS_NUMBER: bool = true;
            const IS_TYPED: bool = true;
            const WEIGHT: usize = 0;
            const HAS_ANGLES: bool = false;
            type Ready<'b, K: Element> = K;

            fn describe(&self, _: &mut Builder) -> Argument {
                Argument::Number((*self).into())
            }

            #[inline(always)]
            fn ready<'b, C: Element, K: Element>(opener: &Opener<'b>, exact: bool) -> K {
                let number = opener.number();
                if exact { K::of_scalar(number) } else { C::of_scalar(number).to() }
            }

            #[inline(always)]
            fn get<C: Element, K: Element, const NEAR: bool>(ready: &K, _: usize, _: bool) -> K {
                *ready
            }

            #[inline(always)]
            fn is_near<K: Element>(_: &K, _: usize) -> bool {
                true
            }
        }
    )+ };
}

numbers! {
    [N: RealNumber] N: N::CountsAs, Wrapped;
    [T] Complex<T>: Complex<f32>, WrappedComplex, Copy, Into<Scalar>;
}

/// A block while a loop over it is made ready.
#[derive(Debug)]
pub struct Opener<'b> {
    inputs: Inputs<'b>,
    /// How many numbers were read.
    read: Cell<usize>,
}

impl<'b> Opener<'b> {
    #[inline(always)]
    fn number(&self) -> Scalar {
        let at = self.read.get();
        self.read.set(at + 1);
        self.inputs.number(at)
    }

    #[inline(always)]
    fn elements<E: Element>(&self, index: usize) -> &'b [E] {
        self.inputs.operand(index)
    }

    #[inline(always)]
    fn places(&self) -> &'b [i64] {
        self.inputs.places()
    }

    #[inline(always)]
    fn params<O: Mark, K: Element>(&self) -> [K; 3] {
        match O::DEFAULTS {
            Some(defaults) => defaults.map(K::of_f64),
            None => std::array::from_fn(|i| if i < O::PARAMS { K::of_scalar(self.number()) } else { K::of_bool(false) }),
        }
    }
}

/// A whole expression as one loop.
struct Whole<N>(PhantomData<N>);

impl<N: Node> Body for Whole<N> {
    const WEIGHT: usize = if N::WEIGHT == 0 { 1 } else { N::WEIGHT };

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<N::Element>();
        let len = inputs.count();
        let open = N::open(&Opener { inputs, read: Cell::new(0) });
        // Counted loops: one that ends with `out` has two ends, and leaves the last elements to be computed one by one.
        let out = &mut out[..len];
        if N::HAS_ANGLES && (0..len).fold(true, |near, index| near & N::is_near(&open, index)) {
            for index in 0..len {
                out[index] = N::at::<true>(&open, index);
            }
            return;
        }
        for index in 0..len {
            out[index] = N::at::<false>(&open, index);
        }
    }
}

impl<N: Node> Lazy<N> {
    /// What both ways to compute have in common.
    fn call<R>(&self, compute: impl FnOnce(&ProgramCall<'_>) -> Result<R>) -> Result<R> {
        let mut builder = Builder::default();
        // What is no operation is one that changes nothing.
        let alone = self.0.describe(&mut builder);
        let dtype = match alone {
            Argument::Operand(index) => builder.operands.get(index).and_then(|tensor| tensor.as_ref().map(RawTensor::dtype)),
            Argument::Index => Some(DType::I64),
            Argument::Step(_) | Argument::Number(_) => None,
        };
        if let Some(dtype) = dtype {
            builder.program.cast(dtype, alone);
        }
        // Rules are those of the call, also for what is checked before it.
        let _rules = AsTyped::new(N::Element::KNOWN_DTYPE.is_some());
        // A pointer, as the calls of operations are (`call::COMPUTE` says why).
        let draw: fn(&mut Builder) -> Result<()> = Builder::draw;
        draw(&mut builder)?;
        let kernel = if const { N::IS_TYPED } { LoopForms::of_several::<Whole<N>>().at(Level::detect()) } else { None };
        let operands = builder.lent();
        compute(&ProgramCall { program: &builder.program, operands: &operands, kernel, composed: false })
    }

    /// The result in a new tensor.
    pub(crate) fn result(&self) -> Result<RawTensor> {
        self.call(|call| made(Work::Expression(call))?.one())
    }

    /// What a reduction makes of the result.
    pub(crate) fn reduced(&self, op: Reduction, along: &Along) -> Result<RawTensor> {
        self.call(|call| made(Work::Reduced(op, call, along))?.one())
    }

    /// The most extreme elements of the result along a dimension, and their places.
    pub(crate) fn picked(&self, op: Reduction, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
        self.call(|call| made(Work::Picked(op, call, dim, keep))?.pair())
    }

    /// The result in the elements of a tensor.
    pub(crate) fn result_into(&self, out: &mut RawTensor) -> Result<()> {
        self.call(|call| run(crate::call::Call { work: Work::Expression(call), target: Destination::InPlace(out) }).map(drop))
    }
}

fn made(work: Work<'_>) -> Result<Outcome> {
    run(crate::call::Call { work, target: Destination::New })
}

/// The elements of `x` where the condition holds, and of `y` where it doesn't: `if condition { x } else { y }`.
pub fn choose<M, X, Y>(condition: Lazy<M>, x: X, y: Y) -> Lazy<Choice<M, X, Y>>
where
    M: Node<Element: Condition, Shape: BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>>,
    X: Term<Element: PromoteWith<X::Level, Y::Level, Y::Element>>,
    Y: Term,
{
    Lazy(Choose::new(condition.0, x, y))
}

/// What [`choose`] gives.
pub type Choice<M, X, Y> = Choose<M, Chosen<X, Y>, OfThree<<M as Node>::Shape, X, Y>, X, Y>;

/// The place of each element in the result, in row-major order, whatever walk computes it: `index()`. To promotion it is a tensor of `i64`
/// without dimensions, and so it takes the dtype of a float beside it, or of an integer tensor.
#[must_use]
pub fn index() -> Lazy<PlaceIndex> {
    Lazy(PlaceIndex)
}

/// A conversion: `x as f16`.
#[must_use]
pub fn cast<E: Element, N: Node>(term: Lazy<N>) -> Lazy<To<E, N>> {
    Lazy(To::new(term.0))
}

/// What stands beside a number that has no suffix, and so says what it is: of a tensor's it is only the category that counts.
pub trait Neighbour: Copy {
    /// A number with a point.
    type Float;
    /// One without.
    type Int;

    /// The number with a point.
    fn float(number: f64) -> Self::Float;
    /// The one without.
    fn int(number: i64) -> Self::Int;
}

impl<N: Node> Neighbour for Lazy<N> {
    type Float = f64;
    type Int = i64;

    fn float(number: f64) -> f64 {
        number
    }

    fn int(number: i64) -> i64 {
        number
    }
}

macro_rules! neighbours {
    ($($number:ty)+) => { $(
        impl Neighbour for $number {
            type Float = Self;
            type Int = Self;

            fn float(number: f64) -> Self {
                CastFrom::cast_from(number)
            }

            fn int(number: i64) -> Self {
                CastFrom::cast_from(number)
            }
        }
    )+ };
}

neighbours! { u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64> }

/// A term and the number with a point beside it.
pub fn float<X: Neighbour>(term: X, number: f64) -> (X, X::Float) {
    (term, X::float(number))
}

/// A term and the number without a point beside it.
pub fn int<X: Neighbour>(term: X, number: i64) -> (X, X::Int) {
    (term, X::int(number))
}

/// The dtype that a node and a term compute in.
pub type Common<N, X> =
    <<N as Node>::Element as PromoteWith<<<N as Node>::Shape as Shape>::Level, <X as Term>::Level, <X as Term>::Element>>::Output;

/// The shape that a node and a term broadcast to.
pub type Together<N, X> = <<N as Node>::Shape as BroadcastWith<<X as Term>::Shape>>::Common;

/// The dtype that two terms compute in.
pub type Chosen<X, Y> = <<X as Term>::Element as PromoteWith<<X as Term>::Level, <Y as Term>::Level, <Y as Term>::Element>>::Output;

/// The shape of three.
pub type OfThree<S, X, Y> = <<S as BroadcastWith<<X as Term>::Shape>>::Common as BroadcastWith<<Y as Term>::Shape>>::Common;

/// The dtype that a node and two terms compute in.
pub type CommonOfThree<N, X, Y> = <<N as Node>::Element as PromoteThree<
    (<<N as Node>::Shape as Shape>::Level, <X as Term>::Level, <Y as Term>::Level),
    <X as Term>::Element,
    <Y as Term>::Element,
>>::Output;

/// The operations as types.
pub mod mark {
    use std::marker::PhantomData;

    use super::{AnyOperation, Mark, On, Op, op};

    /// An operation whose parameters are given.
    #[derive(Debug)]
    pub struct With<O>(PhantomData<O>);

    impl<O: Mark> Mark for With<O> {
        const OPERATION: AnyOperation = O::OPERATION;
        const PARAMS: usize = O::PARAMS;
        const EXACT: bool = O::EXACT;
        const DEFAULTS: Option<[f64; 3]> = None;
    }

    impl<O, E: On<O>> On<With<O>> for E {
        type Output = E::Output;
        type Common = E::Common;
        type Formula = E::Formula;
    }

    latten_macros::operation_marks!();
}

latten_macros::fused_methods!();
