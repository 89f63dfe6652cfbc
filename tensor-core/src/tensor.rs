//! The tensor: an erased one, with what its type knows of dtype and shape beside it.
//! What computes is below, on [`RawTensor`]; this layer proves and then forgets.

use std::marker::PhantomData;

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use crate::call::{Call, CallArgument, Destination, Function, Outcome, one, run};
use crate::dtype::default_was_set;
use crate::element::{Any, Element};
use crate::elementwise::RawOperand as Erased;
use crate::error::{Error, Result, proved};
use crate::fused::{Lazy, Leaf};
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::scalar::Scalar;
use crate::shape::{AnyShape, KnownAs, Shape, Wrapped, WrappedComplex};

mod access;
mod along;
#[cfg(feature = "ndarray")]
mod arrays;
mod beside;
mod borrowed;
mod choice;
mod closures;
mod chosen;
mod contractions;
pub(crate) mod declared;
mod dims;
mod convert;
mod convolved;
mod create;
#[doc(hidden)]
pub mod fuse;
#[doc(hidden)]
pub mod equation;
mod grad;
mod further;
mod hints;
mod images;
mod index;
mod indexing;
mod joins;
#[doc(hidden)]
pub mod literal;
mod losses;
mod made;
mod nested;
mod norms;
mod of_shape;
mod order;
#[doc(hidden)]
pub mod own;
mod parts;
#[doc(hidden)]
pub mod path;
mod product;
mod properties;
mod quantiles;
mod random;
mod reduce;
mod reinterpret;
mod repeats;
mod rows;
mod selection;
mod sparse;
mod spreads;
mod storage;
mod terms;
mod transposes;
mod views;
mod windows;

pub use crate::kinds::{Continuous, ContinuousReal};
pub use access::Readable;
pub use along::{AlongArgument, AlongOne, Kept, ReducedAlong, kept};
#[cfg(feature = "ndarray")]
pub use arrays::{ArrayDimension, ArrayShape};
pub use beside::{MaybeTensor, TensorOrNumber};
pub use choice::{Selector, Selectors};
pub use contractions::PairedDims;
pub use convert::result_type;
pub use dims::{DimArgument, NewDimArgument, OneDim, SomeDims};
pub use grad::{AnyTensor, GradInputs, GradOptions, SingleNumber, backward, grad, grad_of, grad_of_with, gradcheck, gradgradcheck};
pub use hints::{Bracketed, Compared, ComparedTensors, InOrder, OrderedTensors};
pub use index::{Ellipsis, Entries, Index, IndexEntry, NewAxis};
pub use indexing::embedding;
pub use joins::{
    Alike, Gridding, Joining, Merging, Spreading, Stack, Stacked, Stacking, TensorList, block_diag, broadcast_tensors, cartesian_prod, cat,
    cat_out, column_stack, dstack, hstack, meshgrid, meshgrid_with, stack, try_block_diag, try_broadcast_tensors, try_cartesian_prod,
    try_cat, try_column_stack, try_dstack, try_hstack, try_stack, try_vstack, vstack,
};
pub use losses::{LossesAs, OfLosses, Reduces};
pub use nested::NestedLists;
pub use of_shape::{OfLength, OfOptions, OfShape, RangeArgument};
pub use order::Unique;
pub use parts::PartsMut;
pub use product::{Bias, MultiplyWith, WeightShape, einsum};
pub use reinterpret::{complex, polar, try_complex, try_polar};
pub use repeats::RepeatsArgument;
pub use rows::Rows;
pub use selection::{Selection, Selects};
pub use sparse::SparseTensor;
pub use terms::BinWeights;
pub use transposes::{DimOrder, Moved, Moving, Swapping, Viewed};

/// A tensor whose type knows its dtype and its shape, as far as it can: `Tensor<f32, shape![2, _]>`.
///
/// `E` is a Rust type or [`Any`], `S` a tuple of sizes or [`AnyShape`]; what they leave open follows the same rules at run
/// time. `Clone` copies the data, as PyTorch's `clone` does; [`Tensor::alias`] shares it.
///
/// ```
/// # use latten_core::shape::{D, Dyn, axis};
/// # use latten_core::tensor::Tensor;
/// let x: Tensor<f32, (D<2>, D<3>)> = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// let means: Tensor<f32, (D<2>,)> = x.mean_along(axis::<1>());
/// assert_eq!(means.to_vec(), [2.0, 5.0]);
/// let rows: Tensor<f32, (Dyn, Dyn)> = x.narrow(0, 1, 1)?.typed()?;
/// assert_eq!((&rows * 2.0).to_vec(), [8.0, 10.0, 12.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Contents
///
/// What fails by types doesn't compile; a method gives a `Result` where the run may refuse, and operators and elementwise methods, which panic then, have
/// a twin that returns it (`try_add`). A name that ends in `_` changes the tensor, one in `_out` writes to another.
///
/// | what for | where it begins |
/// |---|---|
/// | making | [`from`](Tensor#impl-From%3C%5BT;+A%5D%3E-for-Tensor%3CT,+(D%3CA%3E,)%3E), [`from_vec`](Self::from_vec), [`zeros`](crate::tensor::OfShape::zeros), [`arange`](Self::arange), [`eye`](Self::eye), [`zeros_like`](Self::zeros_like), [`new_zeros`](Self::new_zeros), [`with_slice`](Self::with_slice) without a copy |
/// | by chance | [`rand`](Self::rand), [`randn`](Self::randn), [`randint`](Self::randint), [`normal_`](Self::normal_), [`dropout`](Self::dropout) |
/// | asking | [`sizes`](Self::sizes), [`dim`](Self::dim), [`len`](Self::len), [`numel`](Self::numel), [`dtype`](Self::dtype), [`strides`](Self::strides), [`device`](Self::device), [`is_contiguous`](Self::is_contiguous) |
/// | numbers out of it | [`item`](Self::item), [`get`](Self::get), [`to_vec`](Self::to_vec), [`slice`](Self::slice) without a copy, [`iter`](Self::iter), `{}` and `{:.2}` |
/// | other types | [`to`](Self::to), [`to_dtype`](Self::to_dtype), [`float`](Self::float), [`typed`](Self::typed), [`erase`](Self::erase), [`as_shape`](Self::as_shape) |
/// | indices | [`i`](Self::i) for views, [`index`](Self::index) with tensors, [`index_put_`](Self::index_put_), [`set`](Self::set), [`masked_select`](Self::masked_select), [`gather`](Self::gather), [`scatter`](Self::scatter), [`index_select`](Self::index_select) |
/// | shapes | [`view`](Self::view), [`reshape`](Self::reshape), [`t`](Self::t), [`transpose`](Self::transpose), [`permute`](Self::permute), [`unsqueeze`](Self::unsqueeze), [`squeeze`](Self::squeeze), [`expand`](Self::expand), [`narrow`](Self::narrow), [`flatten`](Self::flatten), [`unfold`](Self::unfold) |
/// | several tensors | [`cat`], [`stack`], [`split`](Self::split), [`chunk`](Self::chunk), [`unbind`](Self::unbind), [`parts_mut`](Self::parts_mut) for threads |
/// | elementwise | the operators, [`add`](Self::add), [`exp`](Self::exp), [`relu`](Self::relu), [`pow`](Self::pow), [`clamp`](Self::clamp), [`eq`](Self::eq), [`lt`](Self::lt), [`logical_and`](Self::logical_and); docs/operations.md has all |
/// | reductions | [`sum`](Self::sum), [`sum_along`](Self::sum_along), [`mean`](Self::mean), [`var`](Self::var), [`max`](Self::max), [`argmax`](Self::argmax), [`any`](Self::any), [`all`](Self::all), [`norm`](Self::norm), [`cumsum`](Self::cumsum), [`softmax`](Self::softmax) |
/// | comparing | [`equal`](Self::equal), [`allclose`](Self::allclose), [`isclose`](Self::isclose) |
/// | products | [`matmul`](Self::matmul), [`mm`](Self::mm), [`bmm`](Self::bmm), [`dot`](Self::dot), [`addmm`](Self::addmm), [`einsum`] |
/// | order | [`sort`](Self::sort), [`argsort`](Self::argsort), [`topk`](Self::topk), [`unique`](Self::unique), [`nonzero`](Self::nonzero), [`flip`](Self::flip), [`roll`](Self::roll), [`pad`](Self::pad) |
/// | gradients | [`requiring_grad`](Self::requiring_grad), [`backward`](Self::backward), [`grad`](Self::grad), [`detach`](Self::detach), [`zero_grad`](Self::zero_grad) |
/// | memory | [`alias`](Self::alias), [`contiguous`](Self::contiguous), [`contiguous_with`](Self::contiguous_with), [`storage`](Self::storage), [`set_`](Self::set_), [`share_memory_`](Self::share_memory_), [`copy_`](Self::copy_), [`fill_`](Self::fill_) |
pub struct Tensor<E: Element = Any, S: Shape = AnyShape> {
    raw: RawTensor,
    known: PhantomData<fn() -> (E, S)>,
}

/// A tensor of which only the run knows dtype and shape.
pub type DynTensor = Tensor<Any, AnyShape>;

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Gives an erased tensor the type that the rules have proved for it.
    #[inline]
    pub(crate) fn proved(raw: RawTensor) -> Self {
        let raw = match E::KNOWN_DTYPE {
            Some(dtype) if dtype != raw.dtype() => under_another_default(&raw, dtype),
            _ => raw,
        };
        debug_assert!(S::admits(raw.sizes()), "{:?} is not {}", raw.sizes(), S::describe());
        Self { raw, known: PhantomData }
    }

    /// The same of operands that broadcast. A size that is known to be 1 by a parameter, and not by being written, counts as one that
    /// doesn't stretch; beside a size that only the run knows it may.
    #[inline]
    pub(crate) fn stretched(raw: RawTensor) -> Result<Self> {
        if S::admits(raw.sizes()) {
            return Ok(Self::proved(raw));
        }
        Err(Self::misfit(&raw))
    }

    #[cold]
    fn misfit(raw: &RawTensor) -> Error {
        let (sizes, known) = (raw.sizes(), S::describe());
        Error::runtime(format!(
            "the result has shape {sizes:?}, but its type says {known}: a size stretches that is written as 1, not a parameter that is 1"
        ))
    }

    /// The same tensor without what its type knows, sharing the storage.
    #[must_use]
    pub fn raw(&self) -> &RawTensor {
        &self.raw
    }

    pub(crate) fn into_raw(self) -> RawTensor {
        self.raw
    }

    pub(crate) fn raw_mut(&mut self) -> &mut RawTensor {
        &mut self.raw
    }

    /// Another tensor over the same storage.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let mut x = Tensor::from([1, 2]);
    /// let (shared, copied) = (x.alias(), x.clone());
    /// x.fill_(7)?;
    /// assert_eq!((shared.to_vec(), copied.to_vec()), (vec![7, 7], vec![1, 2]));
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    #[must_use]
    pub fn alias(&self) -> Self {
        Self::proved(self.raw.clone())
    }

    /// Forgets what the type knows, sharing the storage.
    #[must_use]
    pub fn erase(&self) -> DynTensor {
        Tensor::proved(self.raw.clone())
    }

    /// The same tensor with a shape that says less, or the same in other words, sharing the storage: of `shape![8, 3]` a `shape![_, 3]`, of
    /// a parameter that is 1 the 1 that stretches.
    #[must_use]
    pub fn as_shape<R: Shape>(&self) -> Tensor<E, R>
    where
        S: KnownAs<R>,
    {
        Tensor::proved(self.raw.clone())
    }

    /// The same tensor, whose written sizes of 1 are numbers as any other: what a function over sizes asks for where a parameter of it is 1. It
    /// shares the storage.
    ///
    /// ```
    /// # use latten_core::{shape::D, tensor::Tensor};
    /// fn doubled<const N: usize>(x: &Tensor<f32, (D<N>, D<3>)>) -> Tensor<f32, (D<N>, D<3>)> {
    ///     x * 2.0
    /// }
    /// let row = Tensor::from([1.0_f32, 2.0, 3.0]).unsqueeze(latten_core::shape::axis::<0>());
    /// assert_eq!(doubled(&row.as_sizes()).to_vec(), [2.0, 4.0, 6.0]);
    /// ```
    #[must_use]
    pub fn as_sizes(&self) -> Tensor<E, S::Numbered> {
        Tensor::proved(self.raw.clone())
    }

    /// The same tensor with a shape that says more, sharing the storage: `let y: Tensor<f32, shape![2, 3]> = x.to_shape()?;`. With another dtype in
    /// the type, too, it is [`typed`](Self::typed).
    ///
    /// # Errors
    /// Where the tensor is not of that shape.
    pub fn to_shape<R: Shape>(&self) -> Result<Tensor<E, R>> {
        self.known_as("to_shape")
    }

    /// The same tensor with a type that knows more, sharing the storage.
    ///
    /// # Errors
    /// Where the tensor is not of that dtype or shape.
    pub fn typed<F: Element, R: Shape>(&self) -> Result<Tensor<F, R>> {
        self.known_as("typed")
    }

    fn known_as<F: Element, R: Shape>(&self, name: &str) -> Result<Tensor<F, R>> {
        if let Some(dtype) = F::KNOWN_DTYPE.filter(|&dtype| dtype != self.raw.dtype()) {
            return Err(Error::type_error(format!("{name}: the tensor has dtype {}, not {dtype}", self.raw.dtype())));
        }
        if !R::admits(self.raw.sizes()) {
            return Err(Error::runtime(format!("{name}: the tensor has shape {:?}, not {}", self.raw.sizes(), R::describe())));
        }
        Ok(Tensor::proved(self.raw.clone()))
    }
}

/// What a call gives, with the type that the rules have proved.
pub(crate) trait Proven: Sized {
    /// Makes a call that gives it.
    fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self>;
}

impl<E: Element, S: Shape> Proven for Tensor<E, S> {
    fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self> {
        one(function, arguments).map(Self::proved)
    }
}

impl<E: Element, S: Shape> Proven for Vec<Tensor<E, S>> {
    fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self> {
        Ok(run(Call::new(function, arguments))?.several()?.into_iter().map(Tensor::proved).collect())
    }
}

impl<E: Element, S: Shape, F: Element, R: Shape> Proven for (Tensor<E, S>, Tensor<F, R>) {
    fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self> {
        let [first, second] = match run(Call::new(function, arguments))? {
            // Without a list: so are elements given with their places.
            Outcome::Pair(pair) => [pair.0, pair.1],
            other => other.exactly()?,
        };
        Ok((Tensor::proved(first), Tensor::proved(second)))
    }
}

/// More tensors, which are as many as the schema says.
macro_rules! made {
    ($($count:literal: $($tensor:ident $E:ident $S:ident),+;)+) => { $(
        impl<$($E: Element, $S: Shape),+> Proven for ($(Tensor<$E, $S>,)+) {
            fn made(function: Function, arguments: &[CallArgument<'_>]) -> Result<Self> {
                let [$($tensor),+] = run(Call::new(function, arguments))?.exactly::<$count>()?;
                Ok(($(Tensor::proved($tensor),)+))
            }
        }
    )+ };
}

made! {
    3: first A S, second B T, third C U;
    4: first A S, second B T, third C U, fourth D V;
}

/// Makes a call whose result has the type that the rules have proved.
pub(crate) fn made<T: Proven>(function: Function, arguments: &[CallArgument<'_>]) -> Result<T> {
    T::made(function, arguments)
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Makes a call that changes the elements of this tensor.
    fn changed(&mut self, function: Function, arguments: &[CallArgument<'_>]) -> Result<&mut Self> {
        run(Call::in_place(function, &mut self.raw, arguments))?;
        Ok(self)
    }
}

/// Makes a call whose result goes into an output, which is resized where its type lets it be.
pub(crate) fn into_out<E: Element, S: Shape>(function: Function, arguments: &[CallArgument<'_>], out: &mut Tensor<E, S>) -> Result<()> {
    run(Call::row(function, arguments, Destination::Out(&mut out.raw, admitted::<S>))).map(drop)
}

/// The same of a call with two results.
fn into_outs<E: Element, S: Shape, F: Element, R: Shape>(
    function: Function,
    arguments: &[CallArgument<'_>],
    first: &mut Tensor<E, S>,
    second: &mut Tensor<F, R>,
) -> Result<()> {
    let outputs = Destination::Outs([&mut first.raw, &mut second.raw], [admitted::<S>, admitted::<R>]);
    run(Call::row(function, arguments, outputs)).map(drop)
}

/// That an output's type admits the sizes of a result.
pub(crate) fn admitted<S: Shape>(sizes: &[usize]) -> Result<()> {
    if S::admits(sizes) {
        return Ok(());
    }
    Err(Error::runtime(format!("the result has shape {sizes:?}, but the output is of type {}", S::describe())))
}

/// Types know floats that come from integers as `f32`, whatever the default dtype has been set to. What they say holds.
#[cold]
fn under_another_default(raw: &RawTensor, dtype: DType) -> RawTensor {
    debug_assert!(default_was_set(), "{:?} is not {dtype:?}", raw.dtype());
    proved(run(Call::new(Function::ToDType, &[raw.into(), dtype.into()])).and_then(Outcome::one))
}

/// What tools compute on is a tensor of which only the run knows dtype and shape.
impl From<RawTensor> for DynTensor {
    fn from(raw: RawTensor) -> Self {
        Self::proved(raw)
    }
}

/// What an operator takes beside a tensor: another tensor, owned or borrowed, or a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an operand of a tensor operation",
    label = "neither a tensor nor a number",
    note = "operands are tensors, owned or borrowed, and numbers: bool, Rust's integers and floats, `f16`, `bf16`, `Complex`; a `Result` wants its `?` first, of a pair one is taken, `.0`; arrays and `Vec`s of numbers become tensors by `Tensor::from`"
)]
pub trait Operand {
    /// The dtype, or for a number the one that it counts as.
    type Element: Element;
    /// The shape; a number has no dimensions.
    type Shape: Shape;
    /// The priority in promotion.
    type Level;

    /// What `fuse!` makes of it, as the operand of that number.
    #[doc(hidden)]
    type Fused<'a, const I: usize>
    where
        Self: 'a;

    /// The operand as the engine takes it.
    #[doc(hidden)]
    fn erased(&self) -> Erased<'_>;

    /// The operand of a fused expression.
    #[doc(hidden)]
    fn fused<const I: usize>(&self) -> Self::Fused<'_, I>;
}

impl<E: Element, S: Shape> Operand for Tensor<E, S> {
    type Element = E;
    type Shape = S;
    type Level = S::Level;

    type Fused<'a, const I: usize> = Lazy<Leaf<'a, E, S, I>>;

    fn erased(&self) -> Erased<'_> {
        Erased::Tensor(&self.raw)
    }

    fn fused<const I: usize>(&self) -> Lazy<Leaf<'_, E, S, I>> {
        Lazy(Leaf::new(&self.raw))
    }
}

/// Numbers have one impl for all real ones, so that the compiler knows what `&x * 2.5` is before it knows which float 2.5 is.
macro_rules! numbers {
    ($([$($generics:tt)+] $number:ty: $counts_as:ty, $level:ty $(, $bound:path)*;)+) => { $(
        impl<$($generics)+> Operand for $number
        where
            $(Self: $bound,)*
        {
            type Element = $counts_as;
            type Shape = ();
            type Level = $level;

            type Fused<'a, const I: usize>
                = Self
            where
                Self: 'a;

            fn erased(&self) -> Erased<'_> {
                Erased::Scalar((*self).into())
            }

            fn fused<const I: usize>(&self) -> Self {
                *self
            }
        }
    )+ };
}

numbers! {
    [N: RealNumber] N: N::CountsAs, Wrapped;
    [T] Complex<T>: Complex<f32>, WrappedComplex, Copy, Into<Scalar>;
}

/// What is borrowed: written for single types, because an impl for all of them would leave a place for `&T` as a number of another crate.
macro_rules! borrowed {
    (@ [$($generics:tt)*] $borrowed:ty: $operand:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Operand for $borrowed {
            type Element = <$operand as Operand>::Element;
            type Shape = <$operand as Operand>::Shape;
            type Level = <$operand as Operand>::Level;

            type Fused<'a, const I: usize>
                = <$operand as Operand>::Fused<'a, I>
            where
                Self: 'a;

            fn erased(&self) -> Erased<'_> {
                <$operand>::erased(self)
            }

            fn fused<const I: usize>(&self) -> Self::Fused<'_, I> {
                <$operand>::fused::<I>(self)
            }
        }
    };
    ($($generics:tt: $($operand:ty)+;)+) => { $($(borrowed!(@ $generics &$operand: $operand);)+)+ };
}

borrowed!(@ [E: Element, S: Shape] &mut Tensor<E, S>: Tensor<E, S>);
borrowed! {
    ['t, E: Element, S: Shape]: Tensor<E, S> &'t Tensor<E, S>;
    []: bool u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 f16 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64>;
}
