//! Gradients of tensors as methods, and what goes back from several tensors at once. What the types know is proved here: which dtypes have gradients,
//! and where one can be left out because the result is one number.

use std::sync::Arc;

use super::{DynTensor, Tensor};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::grad::{self, Asked, HookHandle, Tolerances, Unused};
use crate::kinds::Differentiable;
use crate::raw::RawTensor;
use crate::shape::{AnyShape, Shape};

/// The shape of a single number, whose gradient needn't be given.
#[diagnostic::on_unimplemented(
    message = "grad can be implicitly created only for scalar outputs",
    label = "a tensor of shape `{Self}` may have more than one number",
    note = "give the gradient: `y.backward_with(&gradient)`, or make one number first: `y.sum().backward()`"
)]
pub trait SingleNumber: Shape {}

#[diagnostic::do_not_recommend]
impl SingleNumber for () {}
#[diagnostic::do_not_recommend]
impl SingleNumber for AnyShape {}

/// How the way back is gone: PyTorch's keyword arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GradOptions {
    /// Whether the graph can be gone through again; as `create_graph`, where nothing is said.
    pub retain_graph: Option<bool>,
    /// Whether the gradients have gradients themselves.
    pub create_graph: bool,
    /// Whether inputs that the outputs weren't made of are fine, and get no gradient. As `materialize_grads`, where nothing is said.
    pub allow_unused: Option<bool>,
    /// Whether such inputs get zeros.
    pub materialize_grads: bool,
}

impl GradOptions {
    /// The graph stays, to be gone through again.
    pub const RETAIN_GRAPH: Self = Self { retain_graph: Some(true), create_graph: false, allow_unused: None, materialize_grads: false };
    /// The gradients have gradients themselves.
    pub const CREATE_GRAPH: Self = Self { retain_graph: None, create_graph: true, allow_unused: None, materialize_grads: false };

    fn asked(self) -> Asked {
        Asked { retain: self.retain_graph, create: self.create_graph }
    }

    fn unused(self) -> Result<Unused> {
        match (self.materialize_grads, self.allow_unused) {
            (true, Some(false)) => Err(Error::value(
                "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
            )),
            (true, _) => Ok(Unused::Zeros),
            (false, Some(true)) => Ok(Unused::Allowed),
            (false, _) => Ok(Unused::Refused),
        }
    }
}

/// A tensor, whatever its type, where several stand side by side.
pub trait AnyTensor {
    /// The tensor without what its type knows.
    fn erased_tensor(&self) -> &RawTensor;
}

impl<E: Element, S: Shape> AnyTensor for Tensor<E, S> {
    fn erased_tensor(&self) -> &RawTensor {
        self.raw()
    }
}

fn raws<'a>(tensors: &[&'a dyn AnyTensor]) -> Vec<&'a RawTensor> {
    tensors.iter().map(|tensor| tensor.erased_tensor()).collect()
}

fn given<'a>(gradients: &[Option<&'a dyn AnyTensor>]) -> Option<Vec<Option<&'a RawTensor>>> {
    (!gradients.is_empty()).then(|| gradients.iter().map(|gradient| gradient.map(AnyTensor::erased_tensor)).collect())
}

/// PyTorch's `torch.autograd.backward`: adds the gradients of several results to those of leaves; of all, or of `inputs` only. Without
/// `gradients` all results are single numbers.
///
/// # Errors
/// Where a gradient doesn't fit its result, none can be left out, nothing requires a gradient, or the graph was gone through already.
pub fn backward(
    tensors: &[&dyn AnyTensor],
    gradients: &[Option<&dyn AnyTensor>],
    inputs: Option<&[&dyn AnyTensor]>,
    options: GradOptions,
) -> Result<()> {
    let inputs = inputs.map(raws);
    grad::backward(&raws(tensors), given(gradients).as_deref(), options.asked(), inputs.as_deref())
}

/// PyTorch's `torch.autograd.grad`: the gradients of results for inputs. Those that leaves have stay what they are.
///
/// ```
/// # use latten_core::tensor::{GradOptions, Tensor, grad};
/// let x = Tensor::from(3.0_f32).requiring_grad()?;
/// let y = &x * &x * &x;
/// let first = grad(&[&y], &[&x], &[], GradOptions::CREATE_GRAPH)?.remove(0).unwrap();
/// let second = grad(&[&first], &[&x], &[], GradOptions::default())?.remove(0).unwrap();
/// assert_eq!((first.item(), second.item()), (27.0.into(), 18.0.into()));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// As [`backward`], and where an input requires no gradient or, unless that is allowed, wasn't used.
pub fn grad(
    outputs: &[&dyn AnyTensor],
    inputs: &[&dyn AnyTensor],
    gradients: &[Option<&dyn AnyTensor>],
    options: GradOptions,
) -> Result<Vec<Option<DynTensor>>> {
    let unused = options.unused()?;
    let found = grad::gradients(&raws(outputs), &raws(inputs), given(gradients).as_deref(), options.asked(), unused)?;
    Ok(found.into_iter().map(|gradient| gradient.map(DynTensor::from)).collect())
}

/// Tensors to go back to, one or several of any types: [`grad_of`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be gone back to",
    label = "no tensors that can require gradients",
    note = "write `&x`, or `(&x, &y)` of up to four; a list goes into `latten::grad::grad(&[&loss], &[&x, &y], &[], GradOptions::default())?`"
)]
pub trait GradInputs {
    /// Gradients of the inputs' types.
    type Gradients;
    /// Goes back from a tensor.
    #[doc(hidden)]
    fn gradients(self, of: &dyn AnyTensor, options: GradOptions) -> Result<Self::Gradients>;
}

macro_rules! grad_inputs {
    ($(($($E:ident $S:ident $x:ident),+);)+) => { $(
        #[allow(unused_parens, reason = "one tensor is no tuple")]
        impl<$($E: Differentiable, $S: Shape),+> GradInputs for ($(&Tensor<$E, $S>),+) {
            type Gradients = ($(Tensor<$E, $S>),+);

            fn gradients(self, of: &dyn AnyTensor, options: GradOptions) -> Result<Self::Gradients> {
                let ($($x),+) = self;
                // There is one for each: without it, zeros.
                let options = GradOptions { materialize_grads: options.allow_unused == Some(true) || options.materialize_grads, ..options };
                let mut found = grad(&[of], &[$($x),+], &[], options)?.into_iter();
                let mut next = || found.next().flatten().ok_or_else(|| Error::runtime("each input has a gradient"));
                $(let $x = Tensor::<$E, $S>::proved(next()?.into_raw());)+
                Ok(($($x),+))
            }
        }
    )+ };
}

grad_inputs! {
    (E S x);
    (E S x, F R y);
    (E S x, F R y, G Q z);
    (E S x, F R y, G Q z, H P w);
}

as_written! {
    /// PyTorch's `torch.autograd.grad` of one result of one number: its gradients by inputs, of their types.
    ///
    /// ```
    /// # use latten_core::tensor::{GradOptions, Tensor, grad_of, grad_of_with};
    /// let (x, y) = (Tensor::from([3.0_f32, 1.0]).requiring_grad()?, Tensor::from(2.0_f64).requiring_grad()?);
    /// let z = (&x * &x * &y).sum();
    /// let (by_x, by_y) = grad_of(&z, (&x, &y))?;
    /// assert_eq!((by_x.to_vec(), by_y.item()), (vec![12.0, 4.0], 10.0));
    /// let first = grad_of_with(&(&y * &y * &y), &y, GradOptions::CREATE_GRAPH)?;
    /// assert_eq!(grad_of(&first, &y)?.item(), 12.0);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad()`].
    pub fn grad_of<I: GradInputs>( // or grad_of_with(&y, &x, GradOptions::CREATE_GRAPH)?
        output: &dyn AnyTensor,
        inputs: I,
    ) -> Result<I::Gradients> {
        inputs.gradients(output, GradOptions::default())
    }
}

/// The same with options. Where inputs that weren't used are allowed, theirs are zeros.
///
/// # Errors
/// As [`grad()`].
pub fn grad_of_with<I: GradInputs>(output: &dyn AnyTensor, inputs: I, options: GradOptions) -> Result<I::Gradients> {
    inputs.gradients(output, options)
}

/// PyTorch's `gradcheck`: whether the gradients of a function are what differences of its values say, for the inputs that require one. They should
/// be of double precision.
///
/// ```
/// # use latten_core::{grad::Tolerances, tensor::{Tensor, gradcheck}};
/// let x = Tensor::from([0.5_f64, 2.0]).requiring_grad()?.erase();
/// gradcheck(|inputs| Ok(vec![inputs[0].try_exp()?]), &[x], Tolerances::default())?;
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where they aren't, and the function's own.
pub fn gradcheck(function: impl Fn(&[DynTensor]) -> Result<Vec<DynTensor>>, inputs: &[DynTensor], tolerances: Tolerances) -> Result<()> {
    grad::check(&erased(&function), &inputs.iter().map(|input| input.raw().clone()).collect::<Vec<_>>(), tolerances)
}

/// PyTorch's `gradgradcheck`: the same of the gradients of a function.
///
/// # Errors
/// As [`gradcheck`].
pub fn gradgradcheck(
    function: impl Fn(&[DynTensor]) -> Result<Vec<DynTensor>>,
    inputs: &[DynTensor],
    tolerances: Tolerances,
) -> Result<()> {
    grad::check_twice(&erased(&function), &inputs.iter().map(|input| input.raw().clone()).collect::<Vec<_>>(), tolerances)
}

fn erased(function: &dyn Fn(&[DynTensor]) -> Result<Vec<DynTensor>>) -> impl Fn(&[RawTensor]) -> Result<Vec<RawTensor>> + '_ {
    move |inputs| {
        let inputs: Vec<DynTensor> = inputs.iter().cloned().map(DynTensor::from).collect();
        Ok(function(&inputs)?.into_iter().map(|output| output.raw().clone()).collect())
    }
}

// Each method asks for itself: so the compiler says why there is none, and not that there is none.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// The leaf requires a gradient from now on.
    ///
    /// # Errors
    /// Where only the run knows the dtype and it has no gradients, and for tensors of inference mode outside of it.
    pub fn requires_grad_(&mut self) -> Result<&mut Self>
    where
        E: Differentiable,
    {
        self.set_requires_grad(true)
    }

    /// Says whether the leaf requires a gradient.
    ///
    /// # Errors
    /// As [`requires_grad_`](Self::requires_grad_), and where a result is to require none.
    pub fn set_requires_grad(&mut self, flag: bool) -> Result<&mut Self>
    where
        E: Differentiable,
    {
        grad::set_requires_grad(&mut self.raw, flag, grad::ONLY_FLOATING)?;
        Ok(self)
    }

    /// The same tensor, which requires a gradient: for tensors that were made just now.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1.0_f32, 3.0]).requiring_grad()?;
    /// (&x * &x).sum().backward()?;
    /// assert_eq!(x.grad().unwrap().to_vec(), [2.0, 6.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`requires_grad_`](Self::requires_grad_).
    pub fn requiring_grad(mut self) -> Result<Self>
    where
        E: Differentiable,
    {
        self.requires_grad_()?;
        Ok(self)
    }

    /// The gradient that the tensor has got: the same tensor each time, to which later ones are added.
    #[must_use]
    pub fn grad(&self) -> Option<Self>
    where
        E: Differentiable,
    {
        grad::grad(&self.raw).map(Self::proved)
    }

    /// Gives the tensor a gradient, which it keeps itself.
    ///
    /// # Errors
    /// Where it is the tensor itself; and of what only the run knows, where it has another dtype, size or device.
    pub fn set_grad(&mut self, gradient: &Self) -> Result<&mut Self>
    where
        E: Differentiable,
    {
        grad::set_grad(&mut self.raw, Some(gradient.raw()))?;
        Ok(self)
    }

    /// Takes its gradient from the tensor: what PyTorch's optimisers do with `zero_grad()`.
    pub fn zero_grad(&mut self) -> &mut Self
    where
        E: Differentiable,
    {
        // Without a gradient there is nothing to refuse.
        let cleared = grad::set_grad(&mut self.raw, None);
        debug_assert!(cleared.is_ok());
        self
    }

    as_written! {
        /// Adds the gradients of this result to those of the leaves that it was made of.
        ///
        /// # Errors
        /// Where only the run knows the shape and it is more than one number, for complex numbers, where nothing requires a gradient, and where
        /// the graph was gone through already.
        pub fn backward( // or y.backward_with(&gradient)
            &self,
        ) -> Result<()>
        where
            E: Differentiable,
            S: SingleNumber,
        {
            grad::backward(&[&self.raw], None, Asked::default(), None)
        }
    }

    /// The same of a tensor of any shape, whose gradient is given.
    ///
    /// # Errors
    /// As [`backward`](Self::backward), and of what only the run knows, where the gradient has another shape.
    pub fn backward_with(&self, gradient: &Self) -> Result<()>
    where
        E: Differentiable,
    {
        grad::backward(&[&self.raw], Some(&[Some(gradient.raw())]), Asked::default(), None)
    }

    /// The same as PyTorch's call with keyword arguments. Without a gradient the result is a single number.
    ///
    /// # Errors
    /// As [`backward_with`](Self::backward_with).
    pub fn backward_where(&self, gradient: Option<&Self>, options: GradOptions) -> Result<()>
    where
        E: Differentiable,
    {
        let given = [gradient.map(Self::raw)];
        grad::backward(&[&self.raw], gradient.is_some().then_some(&given), options.asked(), None)
    }

    /// The result keeps its gradient, as leaves do.
    ///
    /// # Errors
    /// Where it requires none.
    pub fn retain_grad(&self) -> Result<&Self>
    where
        E: Differentiable,
    {
        grad::retain_grad(&self.raw)?;
        Ok(self)
    }

    /// Has a function see the gradient of this tensor, before it goes on. What it returns takes its place.
    ///
    /// # Errors
    /// Where the tensor requires no gradient.
    pub fn register_hook(&self, hook: impl Fn(&Self) -> Option<Self> + Send + Sync + 'static) -> Result<HookHandle>
    where
        E: Differentiable,
    {
        let function = move |gradient: &RawTensor| Ok(hook(&Self::proved(gradient.clone())).map(Self::into_raw));
        grad::register_hook(&self.raw, Arc::new(function))
    }

    /// Has a function called with this leaf each time when its gradient has been added to. With `create_graph` what it computes is recorded.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1.0_f32, 2.0]).requiring_grad()?;
    /// x.register_post_accumulate_grad_hook(|x| assert_eq!(x.grad().map(|grad| grad.to_vec()), Some(vec![3.0, 3.0])))?;
    /// (&x * 3.0).sum().backward()?;
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the tensor is no leaf that requires a gradient.
    pub fn register_post_accumulate_grad_hook(&self, hook: impl Fn(&Self) + Send + Sync + 'static) -> Result<HookHandle>
    where
        E: Differentiable,
    {
        let function = move |leaf: &RawTensor| {
            hook(&Self::proved(leaf.clone()));
            Ok(None)
        };
        grad::register_after(&self.raw, Arc::new(function))
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// Whether the tensor requires a gradient: a leaf because it was told so, a result because it was made of such.
        #[must_use = "this only asks: `x.requires_grad_()?` tells a tensor, and `Tensor::…::randn().requiring_grad()?` is one that was told"]
        pub fn requires_grad( // asks; a new tensor is told by .requiring_grad()?, a variable by x.requires_grad_()?
            &self,
        ) -> bool {
            grad::requires_grad(&self.raw)
        }
    }

    /// Whether nothing that is recorded has made the tensor.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        grad::is_leaf(&self.raw)
    }

    /// What the tensor was made by, as it is printed: `MulBackward0`.
    #[must_use]
    pub fn grad_fn(&self) -> Option<String> {
        grad::grad_fn(&self.raw)
    }

    /// Whether a result keeps its gradient.
    #[must_use]
    pub fn retains_grad(&self) -> bool {
        grad::retains_grad(&self.raw)
    }

    /// Whether the tensor was made in inference mode.
    #[must_use]
    pub fn is_inference(&self) -> bool {
        crate::call::is_inference(&self.raw)
    }

    /// How often its memory was changed through tensors that share the count: views of it, and what [`detach`](Self::detach) gives.
    ///
    /// # Errors
    /// For tensors of inference mode.
    pub fn version(&self) -> Result<u64> {
        grad::version(&self.raw)
    }

    /// The same elements without a history: PyTorch's `detach`. Changes are still noticed by what keeps the tensor for the way back.
    #[must_use]
    pub fn detach(&self) -> Self {
        Self::proved(self.raw.detach())
    }

    /// Takes its history from the tensor.
    ///
    /// # Errors
    /// For views.
    pub fn detach_(&mut self) -> Result<&mut Self> {
        grad::detach_in_place(&mut self.raw)?;
        Ok(self)
    }

    /// The same elements without a history, whose changes go unnoticed: PyTorch's `data`.
    #[must_use]
    pub fn data(&self) -> Self {
        Self::proved(self.raw.data())
    }
}
