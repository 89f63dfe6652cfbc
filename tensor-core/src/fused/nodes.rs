//! The nodes of a fused expression: a tensor, operations on one to three terms, a choice, a conversion.

use std::fmt;
use std::marker::PhantomData;

use super::{Builder, Lazy, Mark, Node, On, Opener, Term, decides, is_exact};
use crate::element::{Element, Held};
use crate::elementwise::Params;
use crate::kernels::Formula;
use crate::program::Argument;
use crate::random::Mode;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::shape::Shape;
use latten_spec::operation::Op;

/// The parameters of an operation; what is left out has its default.
pub(crate) type Given = [Option<Scalar>; 3];

/// What an operation computes with.
type Computing<C, O> = <<C as On<O>>::Common as Held>::Computing;

macro_rules! copies {
    ($($name:ident<$($generic:ident),+> [$($bound:tt)*];)+) => { $(
        impl<$($generic),+> Clone for $name<$($generic),+> where $($bound)* {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($generic),+> Copy for $name<$($generic),+> where $($bound)* {}
        impl<$($generic),+> fmt::Debug for $name<$($generic),+> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )+ };
}

copies! {
    OneNode<O, C, N> [N: Copy];
    TwoNode<O, C, S, L, R> [L: Copy, R: Copy];
    ThreeNode<O, C, S, L, M, R> [L: Copy, M: Copy, R: Copy];
    Choose<M, C, S, L, R> [M: Copy, L: Copy, R: Copy];
    To<E, N> [N: Copy];
}

/// A tensor, the operand number `I`.
#[derive(Debug)]
pub struct Leaf<'a, E, S, const I: usize> {
    tensor: &'a RawTensor,
    known: PhantomData<(E, S)>,
}

impl<E, S, const I: usize> Clone for Leaf<'_, E, S, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, S, const I: usize> Copy for Leaf<'_, E, S, I> {}

impl<'a, E: Element, S: Shape, const I: usize> Leaf<'a, E, S, I> {
    /// A tensor of which that is known.
    pub(crate) fn new(tensor: &'a RawTensor) -> Self {
        Self { tensor, known: PhantomData }
    }
}

impl<E: Element, S: Shape, const I: usize> Node for Leaf<'_, E, S, I> {
    type Element = E;
    type Shape = S;
    const IS_TYPED: bool = E::KNOWN_DTYPE.is_some();
    const WEIGHT: usize = 0;
    const HAS_ANGLES: bool = false;
    type Open<'b> = &'b [E];

    fn describe(&self, builder: &mut Builder) -> Argument {
        builder.operand(I, self.tensor)
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> &'b [E] {
        opener.elements(I)
    }

    #[inline(always)]
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> E {
        open[index]
    }

    #[inline(always)]
    fn is_near(_: &Self::Open<'_>, _: usize) -> bool {
        true
    }
}

/// The place of each element in the result, in row-major order.
#[derive(Clone, Copy, Debug)]
pub struct PlaceIndex;

impl Node for PlaceIndex {
    type Element = i64;
    type Shape = ();
    const IS_TYPED: bool = true;
    const WEIGHT: usize = 0;
    const HAS_ANGLES: bool = false;
    type Open<'b> = &'b [i64];

    fn describe(&self, _: &mut Builder) -> Argument {
        Argument::Index
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> &'b [i64] {
        opener.places()
    }

    #[inline(always)]
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> i64 {
        open[index]
    }

    #[inline(always)]
    fn is_near(_: &Self::Open<'_>, _: usize) -> bool {
        true
    }
}

/// The result of a formula, rounded to the dtype of the operation.
#[inline(always)]
fn computed<O, C: On<O>, const NEAR: bool>(operands: [Computing<C, O>; 3], params: [Computing<C, O>; 3]) -> C::Output {
    let result = if NEAR && C::Formula::HAS_ANGLES { C::Formula::near(operands, params) } else { C::Formula::at(operands, params) };
    result.to()
}

/// An operation on one expression of dtype `C`.
pub struct OneNode<O, C, N> {
    inner: N,
    params: Given,
    known: PhantomData<(O, C)>,
}

impl<O, C, N> OneNode<O, C, N> {
    pub(crate) fn new(inner: N, params: Given) -> Self {
        Self { inner, params, known: PhantomData }
    }
}

impl<O: Mark, C: On<O>, N: Node> Node for OneNode<O, C, N> {
    type Element = C::Output;
    type Shape = N::Shape;
    const IS_TYPED: bool = N::IS_TYPED && C::Common::KNOWN_DTYPE.is_some() && decides::<O, C::Common, N::Shape>();
    const WEIGHT: usize = N::WEIGHT + C::Formula::WEIGHT;
    const HAS_ANGLES: bool = N::HAS_ANGLES || C::Formula::HAS_ANGLES;
    type Open<'b> = (N::Open<'b>, [Computing<C, O>; 3]);

    fn describe(&self, builder: &mut Builder) -> Argument {
        let inner = self.inner.describe(builder);
        builder.apply::<O>(&[inner], &self.params)
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        (N::open(opener), opener.params::<O, _>())
    }

    #[inline(always)]
    fn at<const NEAR: bool>((inner, params): &Self::Open<'_>, index: usize) -> Self::Element {
        computed::<O, C, NEAR>(Self::operands::<NEAR>(inner, index), *params)
    }

    #[inline(always)]
    fn is_near((inner, params): &Self::Open<'_>, index: usize) -> bool {
        N::is_near(inner, index) & C::Formula::is_near(Self::operands::<true>(inner, index), *params)
    }
}

impl<O: Mark, C: On<O>, N: Node> OneNode<O, C, N> {
    #[inline(always)]
    fn operands<const NEAR: bool>(inner: &N::Open<'_>, index: usize) -> [Computing<C, O>; 3] {
        let exact = is_exact::<O, C::Common, N::Shape>();
        let x = Lazy::<N>::get::<C::Common, Computing<C, O>, NEAR>(inner, index, exact);
        [x, x, x]
    }
}

/// An operation on two terms that promote to `C` and broadcast to `S`.
pub struct TwoNode<O, C, S, L, R> {
    left: L,
    right: R,
    params: Given,
    known: PhantomData<(O, C, S)>,
}

impl<O, C, S, L, R> TwoNode<O, C, S, L, R> {
    pub(crate) fn new(left: L, right: R, params: Given) -> Self {
        Self { left, right, params, known: PhantomData }
    }
}

impl<O: Mark, C: On<O>, S: Shape, L: Term, R: Term> Node for TwoNode<O, C, S, L, R> {
    type Element = C::Output;
    type Shape = S;
    const IS_TYPED: bool = L::IS_TYPED
        && R::IS_TYPED
        && C::Common::KNOWN_DTYPE.is_some()
        && decides::<O, C::Common, L::Shape>()
        && decides::<O, C::Common, R::Shape>();
    const WEIGHT: usize = L::WEIGHT + R::WEIGHT + C::Formula::WEIGHT;
    const HAS_ANGLES: bool = L::HAS_ANGLES || R::HAS_ANGLES || C::Formula::HAS_ANGLES;
    type Open<'b> = (L::Ready<'b, Computing<C, O>>, R::Ready<'b, Computing<C, O>>, [Computing<C, O>; 3]);

    fn describe(&self, builder: &mut Builder) -> Argument {
        let arguments = [self.left.describe(builder), self.right.describe(builder)];
        builder.apply::<O>(&arguments, &self.params)
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        let left = || L::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, L::Shape>());
        let right = || R::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, R::Shape>());
        // Numbers come after the nodes below.
        if L::IS_NUMBER {
            let right = right();
            (left(), right, opener.params::<O, _>())
        } else {
            (left(), right(), opener.params::<O, _>())
        }
    }

    #[inline(always)]
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> C::Output {
        computed::<O, C, NEAR>(Self::operands::<NEAR>(open, index), open.2)
    }

    #[inline(always)]
    fn is_near(open: &Self::Open<'_>, index: usize) -> bool {
        L::is_near(&open.0, index) & R::is_near(&open.1, index) & C::Formula::is_near(Self::operands::<true>(open, index), open.2)
    }
}

impl<O: Mark, C: On<O>, S: Shape, L: Term, R: Term> TwoNode<O, C, S, L, R> {
    #[inline(always)]
    fn operands<const NEAR: bool>((left, right, _): &<Self as Node>::Open<'_>, index: usize) -> [Computing<C, O>; 3] {
        let x = L::get::<C::Common, Computing<C, O>, NEAR>(left, index, is_exact::<O, C::Common, L::Shape>());
        let y = R::get::<C::Common, Computing<C, O>, NEAR>(right, index, is_exact::<O, C::Common, R::Shape>());
        [x, y, x]
    }
}

/// An operation on three terms that promote to `C` and broadcast to `S`.
pub struct ThreeNode<O, C, S, L, M, R> {
    terms: (L, M, R),
    params: Given,
    known: PhantomData<(O, C, S)>,
}

impl<O, C, S, L, M, R> ThreeNode<O, C, S, L, M, R> {
    pub(crate) fn new(left: L, middle: M, right: R, params: Given) -> Self {
        Self { terms: (left, middle, right), params, known: PhantomData }
    }
}

impl<O: Mark, C: On<O>, S: Shape, L: Term, M: Term, R: Term> Node for ThreeNode<O, C, S, L, M, R> {
    type Element = C::Output;
    type Shape = S;
    const IS_TYPED: bool = L::IS_TYPED
        && M::IS_TYPED
        && R::IS_TYPED
        && C::Common::KNOWN_DTYPE.is_some()
        && decides::<O, C::Common, L::Shape>()
        && decides::<O, C::Common, M::Shape>()
        && decides::<O, C::Common, R::Shape>();
    const WEIGHT: usize = L::WEIGHT + M::WEIGHT + R::WEIGHT + C::Formula::WEIGHT;
    const HAS_ANGLES: bool = L::HAS_ANGLES || M::HAS_ANGLES || R::HAS_ANGLES;
    type Open<'b> = (L::Ready<'b, Computing<C, O>>, M::Ready<'b, Computing<C, O>>, R::Ready<'b, Computing<C, O>>, [Computing<C, O>; 3]);

    fn describe(&self, builder: &mut Builder) -> Argument {
        let (left, middle, right) = &self.terms;
        let arguments = [left.describe(builder), middle.describe(builder), right.describe(builder)];
        builder.apply::<O>(&arguments, &self.params)
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        let left = || L::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, L::Shape>());
        let middle = || M::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, M::Shape>());
        let right = || R::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, R::Shape>());
        // The first term is a node; numbers come after all nodes.
        let left = left();
        if M::IS_NUMBER {
            let right = if R::IS_NUMBER { None } else { Some(right()) };
            let middle = middle();
            let right = right.unwrap_or_else(|| R::ready::<C::Common, Computing<C, O>>(opener, is_exact::<O, C::Common, R::Shape>()));
            (left, middle, right, opener.params::<O, _>())
        } else {
            (left, middle(), right(), opener.params::<O, _>())
        }
    }

    #[inline(always)]
    fn at<const NEAR: bool>((left, middle, right, params): &Self::Open<'_>, index: usize) -> C::Output {
        let x = L::get::<C::Common, Computing<C, O>, NEAR>(left, index, is_exact::<O, C::Common, L::Shape>());
        let y = M::get::<C::Common, Computing<C, O>, NEAR>(middle, index, is_exact::<O, C::Common, M::Shape>());
        let z = R::get::<C::Common, Computing<C, O>, NEAR>(right, index, is_exact::<O, C::Common, R::Shape>());
        computed::<O, C, NEAR>([x, y, z], *params)
    }

    #[inline(always)]
    fn is_near((left, middle, right, _): &Self::Open<'_>, index: usize) -> bool {
        L::is_near(left, index) & M::is_near(middle, index) & R::is_near(right, index)
    }
}

/// One of two terms, as a condition says.
pub struct Choose<M, C, S, L, R> {
    condition: M,
    left: L,
    right: R,
    known: PhantomData<(C, S)>,
}

impl<M, C, S, L, R> Choose<M, C, S, L, R> {
    pub(crate) fn new(condition: M, left: L, right: R) -> Self {
        Self { condition, left, right, known: PhantomData }
    }
}

impl<M: Node, C: Element, S: Shape, L: Term, R: Term> Node for Choose<M, C, S, L, R> {
    type Element = C;
    type Shape = S;
    const IS_TYPED: bool = M::IS_TYPED && L::IS_TYPED && R::IS_TYPED && C::KNOWN_DTYPE.is_some();
    const WEIGHT: usize = M::WEIGHT + L::WEIGHT + R::WEIGHT + 1;
    const HAS_ANGLES: bool = M::HAS_ANGLES || L::HAS_ANGLES || R::HAS_ANGLES;
    type Open<'b> = (M::Open<'b>, L::Ready<'b, C::Computing>, R::Ready<'b, C::Computing>);

    fn describe(&self, builder: &mut Builder) -> Argument {
        let arguments = [self.condition.describe(builder), self.left.describe(builder), self.right.describe(builder)];
        builder.program.apply(Op::Where, &arguments, Params::none())
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        let condition = M::open(opener);
        if L::IS_NUMBER && !R::IS_NUMBER {
            let right = R::ready::<C, C::Computing>(opener, false);
            return (condition, L::ready::<C, C::Computing>(opener, false), right);
        }
        let left = L::ready::<C, C::Computing>(opener, false);
        (condition, left, R::ready::<C, C::Computing>(opener, false))
    }

    #[inline(always)]
    fn at<const NEAR: bool>((condition, left, right): &Self::Open<'_>, index: usize) -> C {
        let x = L::get::<C, C::Computing, NEAR>(left, index, false);
        let y = R::get::<C, C::Computing, NEAR>(right, index, false);
        if M::at::<NEAR>(condition, index).to::<bool>() { x.to() } else { y.to() }
    }

    #[inline(always)]
    fn is_near((condition, left, right): &Self::Open<'_>, index: usize) -> bool {
        M::is_near(condition, index) & L::is_near(left, index) & R::is_near(right, index)
    }
}

/// An expression without elements that are left out by chance; what is left out is the operand `MASK`. Masks are known only to the run.
pub struct Thinned<const MASK: usize, N> {
    inner: N,
    probability: f64,
    mode: Mode,
}

impl<const MASK: usize, N: Copy> Clone for Thinned<MASK, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const MASK: usize, N: Copy> Copy for Thinned<MASK, N> {}

impl<const MASK: usize, N> fmt::Debug for Thinned<MASK, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Thinned")
    }
}

impl<const MASK: usize, N> Thinned<MASK, N> {
    pub(crate) fn new(inner: N, probability: f64, mode: Mode) -> Self {
        Self { inner, probability, mode }
    }
}

impl<const MASK: usize, N: Node> Node for Thinned<MASK, N> {
    type Element = N::Element;
    type Shape = N::Shape;
    const IS_TYPED: bool = false;
    const WEIGHT: usize = N::WEIGHT + 1;
    const HAS_ANGLES: bool = N::HAS_ANGLES;
    type Open<'b> = N::Open<'b>;

    fn describe(&self, builder: &mut Builder) -> Argument {
        let inner = self.inner.describe(builder);
        builder.thin(inner, MASK, self.probability, self.mode)
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        N::open(opener)
    }

    #[inline(always)]
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> Self::Element {
        N::at::<NEAR>(open, index)
    }

    #[inline(always)]
    fn is_near(open: &Self::Open<'_>, index: usize) -> bool {
        N::is_near(open, index)
    }
}

/// An expression in another dtype.
pub struct To<E, N> {
    inner: N,
    element: PhantomData<E>,
}

impl<E, N> To<E, N> {
    pub(crate) fn new(inner: N) -> Self {
        Self { inner, element: PhantomData }
    }
}

impl<E: Element, N: Node> Node for To<E, N> {
    type Element = E;
    type Shape = N::Shape;
    const IS_TYPED: bool = N::IS_TYPED && E::KNOWN_DTYPE.is_some();
    const WEIGHT: usize = N::WEIGHT + 1;
    const HAS_ANGLES: bool = N::HAS_ANGLES;
    type Open<'b> = N::Open<'b>;

    fn describe(&self, builder: &mut Builder) -> Argument {
        let inner = self.inner.describe(builder);
        match E::KNOWN_DTYPE {
            Some(dtype) => builder.program.cast(dtype, inner),
            None => inner,
        }
    }

    #[inline(always)]
    fn open<'b>(opener: &Opener<'b>) -> Self::Open<'b> {
        N::open(opener)
    }

    #[inline(always)]
    fn at<const NEAR: bool>(open: &Self::Open<'_>, index: usize) -> E {
        N::at::<NEAR>(open, index).to()
    }

    #[inline(always)]
    fn is_near(open: &Self::Open<'_>, index: usize) -> bool {
        N::is_near(open, index)
    }
}
