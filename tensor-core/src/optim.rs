//! Optimisers: PyTorch's SGD, Adam, AdamW and RMSprop, to the order of their roundings. They borrow the parameters for each step and keep only what they
//! remember of them, by place. Each thing that a step computes is one pass over a parameter.
//!
//! `clip` bounds gradients before a step; `adam` and `rms` have those that remember averages.

mod adam;
mod clip;
mod rms;

use latten_spec::operation::Op;
use smallvec::SmallVec;

pub use adam::{Adam, AdamW};
pub use clip::{clip_grad_norm_, clip_grad_norm_with_, clip_grad_value_};
pub use rms::RmsProp;

use crate::call::{Call, Function, Value, run};
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::grad::{self, Guard, no_grad};
use crate::kinds::Differentiable;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::shape::Shape;
use crate::tensor::{DynTensor, Tensor};

/// A tensor that an optimiser changes, whatever its type.
pub trait Parameter {
    /// The tensor without what its type knows.
    #[doc(hidden)]
    fn erased_parameter(&mut self) -> &mut RawTensor;

    /// Its gradient, where it has one.
    fn grad(&mut self) -> Option<DynTensor> {
        grad::grad(self.erased_parameter()).map(DynTensor::from)
    }

    /// How many numbers it has.
    fn numel(&mut self) -> usize {
        self.erased_parameter().numel()
    }

    /// Its sizes.
    fn sizes(&mut self) -> Vec<usize> {
        self.erased_parameter().sizes().to_vec()
    }

    /// Has it require a gradient.
    ///
    /// # Errors
    /// As for a tensor.
    fn requires_grad_(&mut self) -> Result<()> {
        grad::set_requires_grad(self.erased_parameter(), true, grad::ONLY_FLOATING)
    }

    /// Takes its gradient away.
    fn zero_grad(&mut self) {
        // Without a gradient there is nothing to refuse.
        let cleared = grad::set_grad(self.erased_parameter(), None);
        debug_assert!(cleared.is_ok());
    }
}

impl<E: Differentiable, S: Shape> Parameter for Tensor<E, S> {
    fn erased_parameter(&mut self) -> &mut RawTensor {
        self.raw_mut()
    }
}

/// Tensors by name, as an optimiser's `state_dict` gives them, or a file that holds them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no tensors by name",
    label = "neither a `state_dict` nor a file",
    note = "what `adam.state_dict()` gave, a `latten::Archive`, or of one that holds more `archive.tensors_under(\"adam.\")?`"
)]
pub trait NamedTensors {
    /// The tensors.
    ///
    /// # Errors
    /// Of a file that holds something else.
    fn named_tensors(&self) -> Result<Vec<(String, DynTensor)>>;
}

impl NamedTensors for [(String, DynTensor)] {
    fn named_tensors(&self) -> Result<Vec<(String, DynTensor)>> {
        Ok(self.iter().map(|(name, tensor)| (name.clone(), tensor.alias())).collect())
    }
}

impl<const N: usize> NamedTensors for [(String, DynTensor); N] {
    fn named_tensors(&self) -> Result<Vec<(String, DynTensor)>> {
        self[..].named_tensors()
    }
}

impl NamedTensors for Vec<(String, DynTensor)> {
    fn named_tensors(&self) -> Result<Vec<(String, DynTensor)>> {
        self[..].named_tensors()
    }
}

/// Takes the gradients from all parameters, as `zero_grad()` of PyTorch's optimisers does: before, or after, each step.
pub fn zero_grad(parameters: &mut [&mut dyn Parameter]) {
    for parameter in parameters {
        parameter.zero_grad();
    }
}

/// The same, or, with `set_to_none` false, as PyTorch's: each gradient stays where it is, without a history, and is filled with zeros.
///
/// # Errors
/// Where a gradient can't be written to.
pub fn zero_grad_with(parameters: &mut [&mut dyn Parameter], set_to_none: bool) -> Result<()> {
    if set_to_none {
        zero_grad(parameters);
        return Ok(());
    }
    for parameter in parameters {
        let tensor = parameter.erased_parameter();
        let Some(gradient) = grad::grad(tensor) else { continue };
        let mut gradient = gradient.detach();
        run(Call::in_place(Function::Zero, &mut gradient, &[]))?;
        grad::set_grad(tensor, Some(&gradient))?;
    }
    Ok(())
}

/// That parameters are leaves, or keep their gradients, that they can be written to, and that what is remembered of those with a gradient is
/// like them: before anything is changed.
fn check_parameters<'m>(parameters: &mut [&mut dyn Parameter], remembered: &dyn Fn(usize) -> SmallVec<[&'m RawTensor; 2]>) -> Result<()> {
    for (at, parameter) in parameters.iter_mut().enumerate() {
        let tensor = &*parameter.erased_parameter();
        if !grad::is_leaf(tensor) && !grad::retains_grad(tensor) {
            return Err(Error::value("can't optimize a non-leaf Tensor"));
        }
        if grad::grad(tensor).is_none() {
            continue;
        }
        check_output_overlap(tensor.geometry())?;
        tensor.check_inside()?;
        for state in remembered(at) {
            if state.sizes() != tensor.sizes() {
                let (state, own) = (state.sizes(), tensor.sizes());
                return Err(Error::value(format!("what is remembered of parameter {at} has sizes {state:?}, the parameter {own:?}")));
            }
        }
    }
    Ok(())
}

/// PyTorch's `SGD`.
#[derive(Clone, Debug)]
pub struct Sgd {
    /// The learning rate.
    pub lr: f64,
    /// How much of the last step goes on.
    pub momentum: f64,
    /// How much less a gradient counts where there is momentum.
    pub dampening: f64,
    /// How much of the parameter is added to its gradient.
    pub weight_decay: f64,
    /// Whether the step looks ahead, as Nesterov's.
    pub nesterov: bool,
    velocities: Vec<Option<RawTensor>>,
}

fn apply(op: Op, operands: &[Value], params: &Params) -> Result<Value> {
    Value::apply(op.into(), params, operands)
}

/// `x + number * y`, as PyTorch's `add` with `alpha` computes it.
fn plus(x: &Value, y: &Value, number: f64) -> Result<Value> {
    apply(Op::Add, &[x.clone(), y.clone()], &Params::one(number))
}

fn times(x: &Value, number: f64) -> Result<Value> {
    apply(Op::Mul, &[x.clone(), number.into()], &Params::none())
}

/// A parameter with a gradient, while it is changed. The others stay as they are.
struct Changed<'p> {
    tensor: &'p mut RawTensor,
    gradient: Value,
}

impl<'p> Changed<'p> {
    fn of(parameter: &'p mut dyn Parameter) -> Option<Self> {
        let tensor = parameter.erased_parameter();
        let gradient = grad::grad(tensor)?;
        Some(Self { tensor, gradient: gradient.into() })
    }

    fn value(&self) -> Value {
        Value::from(&*self.tensor)
    }
}

/// What is remembered at a place; there is room for it from now on.
fn place<T>(all: &mut Vec<Option<T>>, at: usize) -> &mut Option<T> {
    if all.len() <= at {
        all.resize_with(at + 1, || None);
    }
    &mut all[at]
}

impl Sgd {
    /// Plain descent.
    #[must_use]
    pub fn new(lr: impl RealNumber) -> Self {
        Self { lr: lr.real(), momentum: 0.0, dampening: 0.0, weight_decay: 0.0, nesterov: false, velocities: Vec::new() }
    }

    /// The same, with momentum.
    #[must_use]
    pub fn momentum(self, momentum: impl RealNumber) -> Self {
        Self { momentum: momentum.real(), ..self }
    }

    /// The same, with less of each gradient.
    #[must_use]
    pub fn dampening(self, dampening: impl RealNumber) -> Self {
        Self { dampening: dampening.real(), ..self }
    }

    /// The same, with a decay of weights.
    #[must_use]
    pub fn weight_decay(self, weight_decay: impl RealNumber) -> Self {
        Self { weight_decay: weight_decay.real(), ..self }
    }

    /// The same, looking ahead or not.
    #[must_use]
    pub fn nesterov(self, nesterov: bool) -> Self {
        Self { nesterov, ..self }
    }

    /// Takes the gradients of the parameters away: PyTorch's `zero_grad()`. [`zero_grad_with`] leaves them there as zeros.
    pub fn zero_grad(&self, parameters: &mut [&mut dyn Parameter]) {
        zero_grad(parameters);
    }

    /// Changes the parameters by their gradients. Those without a gradient stay. Parameters are known by their places: always give all of them.
    ///
    /// ```
    /// # use latten_core::{optim::Sgd, tensor::Tensor};
    /// let mut x = Tensor::from([1.0_f32, 2.0]).requiring_grad()?;
    /// let mut sgd = Sgd::new(0.1);
    /// (&x * &x).sum().backward()?;
    /// sgd.step(&mut [&mut x])?;
    /// assert_eq!(x.to_vec(), [0.8, 1.6]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// PyTorch's, for options that make no sense and for results; and where what was loaded doesn't fit. Then nothing was changed.
    pub fn step(&mut self, parameters: &mut [&mut dyn Parameter]) -> Result<()> {
        self.check()?;
        check_parameters(parameters, &|at| self.velocities.get(at).into_iter().flatten().collect())?;
        let _unrecorded: Guard = no_grad();
        for (at, parameter) in parameters.iter_mut().enumerate() {
            let Some(changed) = Changed::of(*parameter) else { continue };
            let mut direction = changed.gradient.clone();
            if self.weight_decay != 0.0 {
                direction = plus(&direction, &changed.value(), self.weight_decay)?;
            }
            if self.momentum != 0.0 {
                let velocity = place(&mut self.velocities, at);
                let next = match velocity {
                    Some(velocity) => {
                        let kept = times(&Value::from(&*velocity), self.momentum)?;
                        plus(&kept, &direction, 1.0 - self.dampening)?.write_to(velocity)?;
                        Value::from(&*velocity)
                    }
                    none => {
                        let first = direction.tensor()?;
                        Value::from(&*none.insert(first.clone_as(MemoryFormat::Preserve)?))
                    }
                };
                direction = if self.nesterov { plus(&direction, &next, self.momentum)? } else { next };
            }
            plus(&changed.value(), &direction, -self.lr)?.write_to(changed.tensor)?;
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        check("learning rate", self.lr)?;
        check("momentum value", self.momentum)?;
        check("weight_decay value", self.weight_decay)?;
        if self.nesterov && (self.momentum <= 0.0 || self.dampening != 0.0) {
            return Err(Error::value("Nesterov momentum requires a momentum and zero dampening"));
        }
        Ok(())
    }

    /// What is remembered, by names: to be saved.
    #[must_use]
    pub fn state_dict(&self) -> Vec<(String, DynTensor)> {
        let named = |(at, velocity): (usize, &Option<RawTensor>)| {
            velocity.as_ref().map(|velocity| (format!("{at}.momentum_buffer"), DynTensor::from(velocity.clone())))
        };
        self.velocities.iter().enumerate().filter_map(named).collect()
    }

    /// Remembers what was saved.
    ///
    /// # Errors
    /// For names that the optimiser hasn't given; then nothing was changed.
    pub fn load_state_dict(&mut self, state: &(impl NamedTensors + ?Sized)) -> Result<()> {
        let mut velocities = Vec::new();
        for (name, tensor) in &state.named_tensors()? {
            let (at, what) = parsed(name)?;
            if what != "momentum_buffer" {
                return Err(unknown(name));
            }
            *place(&mut velocities, at) = Some(tensor.raw().clone_as(MemoryFormat::Preserve)?);
        }
        self.velocities = velocities;
        Ok(())
    }
}

fn check(what: &str, number: f64) -> Result<()> {
    if number >= 0.0 { Ok(()) } else { Err(Error::value(format!("Invalid {what}: {number:?}"))) }
}

/// A name of the state: which parameter, and what of it.
fn parsed(name: &str) -> Result<(usize, &str)> {
    let parts = name.split_once('.').and_then(|(at, what)| Some((at.parse().ok()?, what)));
    parts.ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Error {
    Error::value(format!("the state of an optimiser has no `{name}`"))
}
