//! PyTorch's `RMSprop`: gradients over the root of an average of their squares, by the place of the parameter.

use latten_spec::operation::Op;

use super::adam::parts;
use super::{Changed, NamedTensors, Parameter, apply, check, check_parameters, parsed, place, plus, times, unknown, zero_grad};
use crate::call::Value;
use crate::elementwise::Params;
use crate::error::Result;
use crate::grad::{Guard, no_grad};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::tensor::DynTensor;

/// What is remembered of a parameter, as far as options ask for it.
const REMEMBERED: [&str; 3] = ["square_avg", "grad_avg", "momentum_buffer"];

type Moments = [Option<RawTensor>; REMEMBERED.len()];

/// PyTorch's `RMSprop`.
///
/// ```
/// # use latten_core::{optim::RmsProp, tensor::Tensor};
/// let mut x = Tensor::from([1.0_f64, 2.0]).requiring_grad()?;
/// let mut optimiser = RmsProp::new(0.1);
/// (&x * &x).sum().backward()?;
/// optimiser.step(&mut [&mut x])?;
/// assert!(x.lt(2.0).all().item());
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RmsProp {
    /// The learning rate.
    pub lr: f64,
    /// How long the average of squares remembers.
    pub alpha: f64,
    /// What keeps the divisor from zero.
    pub eps: f64,
    /// How much of the parameter is added to its gradient.
    pub weight_decay: f64,
    /// How much of the last step goes on.
    pub momentum: f64,
    /// Whether gradients are divided by the root of their variance.
    pub centered: bool,
    moments: Vec<Option<Moments>>,
}

impl RmsProp {
    /// With PyTorch's other options.
    #[must_use]
    pub fn new(lr: impl RealNumber) -> Self {
        Self { lr: lr.real(), alpha: 0.99, eps: 1e-8, weight_decay: 0.0, momentum: 0.0, centered: false, moments: Vec::new() }
    }

    /// The same with another average.
    #[must_use]
    pub fn alpha(self, alpha: impl RealNumber) -> Self {
        Self { alpha: alpha.real(), ..self }
    }

    /// The same with another divisor.
    #[must_use]
    pub fn eps(self, eps: impl RealNumber) -> Self {
        Self { eps: eps.real(), ..self }
    }

    /// The same with a decay.
    #[must_use]
    pub fn weight_decay(self, weight_decay: impl RealNumber) -> Self {
        Self { weight_decay: weight_decay.real(), ..self }
    }

    /// The same with momentum.
    #[must_use]
    pub fn momentum(self, momentum: impl RealNumber) -> Self {
        Self { momentum: momentum.real(), ..self }
    }

    /// The same by the variance of gradients.
    #[must_use]
    pub fn centered(self, centered: bool) -> Self {
        Self { centered, ..self }
    }

    /// Takes the gradients of the parameters away: PyTorch's `zero_grad()`. [`zero_grad_with`](super::zero_grad_with) leaves them there
    /// as zeros.
    pub fn zero_grad(&self, parameters: &mut [&mut dyn Parameter]) {
        zero_grad(parameters);
    }

    /// Changes the parameters by their gradients. Those without a gradient stay. Parameters are known by their places: always give all of them.
    ///
    /// # Errors
    /// PyTorch's, for options that make no sense and for results; and where what was loaded doesn't fit. Then nothing was changed.
    pub fn step(&mut self, parameters: &mut [&mut dyn Parameter]) -> Result<()> {
        self.check()?;
        check_parameters(parameters, &|at| self.moments.get(at).into_iter().flatten().flatten().flatten().collect())?;
        let _unrecorded: Guard = no_grad();
        for (at, parameter) in parameters.iter_mut().enumerate() {
            let Some(changed) = Changed::of(*parameter) else { continue };
            let gradient = parts(&changed.gradient.tensor()?)?;
            let mut weight = parts(changed.tensor)?;
            let mut moments = place(&mut self.moments, at).clone().unwrap_or_default();
            for (moment, wanted) in moments.iter_mut().zip([true, self.centered, self.momentum > 0.0]) {
                if wanted && moment.is_none() {
                    *moment = Some(changed.tensor.zeros_like()?);
                }
            }
            let all = moments.each_ref().map(|moment| moment.as_ref().map(parts).transpose());
            let [square, average, velocity] = all;
            if let Some(square) = square? {
                self.change(&mut weight, &gradient, square, average?, velocity?)?;
            }
            *place(&mut self.moments, at) = Some(moments);
        }
        Ok(())
    }

    /// Changes real numbers by their gradient, and what is remembered.
    fn change(
        &self,
        tensor: &mut RawTensor,
        gradient: &RawTensor,
        mut square: RawTensor,
        average: Option<RawTensor>,
        velocity: Option<RawTensor>,
    ) -> Result<()> {
        let (weight, mut gradient) = (Value::from(&*tensor), Value::from(gradient));
        if self.weight_decay != 0.0 {
            gradient = plus(&gradient, &weight, self.weight_decay)?;
        }
        let kept = times(&Value::from(&square), self.alpha)?;
        apply(Op::Addcmul, &[kept, gradient.clone(), gradient.clone()], &Params::one(1.0 - self.alpha))?.write_to(&mut square)?;
        let mut squares = Value::from(&square);
        if let Some(mut average) = average.filter(|_| self.centered) {
            apply(Op::Lerp, &[Value::from(&average), gradient.clone(), (1.0 - self.alpha).into()], &Params::none())?
                .write_to(&mut average)?;
            squares = apply(Op::Addcmul, &[squares, Value::from(&average), Value::from(&average)], &Params::one(-1.0))?;
        }
        let root = apply(Op::Sqrt, &[squares], &Params::none())?;
        let divisor = apply(Op::Add, &[root, self.eps.into()], &Params::none())?;
        let Some(mut velocity) = velocity.filter(|_| self.momentum > 0.0) else {
            return apply(Op::Addcdiv, &[weight, gradient, divisor], &Params::one(-self.lr))?.write_to(tensor);
        };
        let kept = times(&Value::from(&velocity), self.momentum)?;
        apply(Op::Addcdiv, &[kept, gradient, divisor], &Params::none())?.write_to(&mut velocity)?;
        plus(&weight, &Value::from(&velocity), -self.lr)?.write_to(tensor)
    }

    fn check(&self) -> Result<()> {
        check("learning rate", self.lr)?;
        check("epsilon value", self.eps)?;
        check("momentum value", self.momentum)?;
        check("weight_decay value", self.weight_decay)?;
        check("alpha value", self.alpha)
    }

    /// What is remembered, by names: to be saved.
    #[must_use]
    pub fn state_dict(&self) -> Vec<(String, DynTensor)> {
        let mut state = Vec::new();
        for (at, moments) in self.moments.iter().enumerate() {
            for (name, moment) in REMEMBERED.iter().zip(moments.iter().flatten()) {
                if let Some(moment) = moment {
                    state.push((format!("{at}.{name}"), moment.clone().into()));
                }
            }
        }
        state
    }

    /// Remembers what was saved.
    ///
    /// # Errors
    /// For names that the optimiser hasn't given; then nothing was changed.
    pub fn load_state_dict(&mut self, state: &(impl NamedTensors + ?Sized)) -> Result<()> {
        let mut moments: Vec<Option<Moments>> = Vec::new();
        for (name, tensor) in &state.named_tensors()? {
            let (at, what) = parsed(name)?;
            let which = REMEMBERED.iter().position(|known| *known == what).ok_or_else(|| unknown(name))?;
            place(&mut moments, at).get_or_insert_default()[which] = Some(tensor.raw().clone_as(MemoryFormat::Preserve)?);
        }
        self.moments = moments;
        Ok(())
    }
}
