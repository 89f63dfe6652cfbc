//! PyTorch's `Adam` and `AdamW`: averages of gradients and of their squares, by the place of the parameter.

use latten_spec::operation::Op;

use super::{Changed, NamedTensors, Parameter, apply, check, check_parameters, parsed, place, plus, times, unknown, zero_grad};
use crate::call::Value;
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::grad::{Guard, no_grad};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::tensor::{DynTensor, Tensor};

/// What decays.
#[derive(Clone, Copy)]
enum Decay {
    /// The weight is added to the gradient.
    Gradient,
    /// The weight itself shrinks.
    Weight,
}

/// What a step is asked for.
struct AdamOptions {
    lr: f64,
    betas: [f64; 2],
    eps: f64,
    weight_decay: f64,
    decay: Decay,
}

#[derive(Clone, Debug)]
struct AdamMoments {
    step: u64,
    average: RawTensor,
    square: RawTensor,
}

macro_rules! adams {
    ($($name:literal $Adam:ident, $what:literal, $weight_decay:literal $decay:ident;)+) => { $(
        #[doc = concat!("PyTorch's `", $name, "`: ", $what)]
        ///
        /// ```
        #[doc = concat!("# use latten_core::{optim::", $name, ", tensor::Tensor};")]
        /// let mut x = Tensor::from([1.0_f64, 2.0]).requiring_grad()?;
        #[doc = concat!("let mut optimiser = ", $name, "::new(0.1);")]
        /// (&x * &x).sum().backward()?;
        /// optimiser.step(&mut [&mut x])?;
        /// assert!(x.lt(2.0).all().item());
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        #[derive(Clone, Debug)]
        pub struct $Adam {
            /// The learning rate.
            pub lr: f64,
            /// How long the averages of gradients and of their squares remember.
            pub betas: (f64, f64),
            /// What keeps the divisor from zero.
            pub eps: f64,
            /// How much a parameter decays.
            pub weight_decay: f64,
            moments: Vec<Option<AdamMoments>>,
        }

        impl $Adam {
            /// With PyTorch's other options.
            #[must_use]
            pub fn new(lr: impl RealNumber) -> Self {
                Self { lr: lr.real(), betas: (0.9, 0.999), eps: 1e-8, weight_decay: $weight_decay, moments: Vec::new() }
            }

            /// The same with other averages.
            #[must_use]
            pub fn betas(self, gradients: impl RealNumber, squares: impl RealNumber) -> Self {
                Self { betas: (gradients.real(), squares.real()), ..self }
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
                let (lr, (first, second), eps, weight_decay) = (self.lr, self.betas, self.eps, self.weight_decay);
                let options = AdamOptions { lr, betas: [first, second], eps, weight_decay, decay: Decay::$decay };
                options.step(&mut self.moments, parameters)
            }

            /// What is remembered, by names: to be saved.
            #[must_use]
            pub fn state_dict(&self) -> Vec<(String, DynTensor)> {
                state(&self.moments)
            }

            /// Remembers what was saved.
            ///
            /// # Errors
            /// For names that the optimiser hasn't given, and where one of the three of a parameter is missing; then nothing was changed.
            pub fn load_state_dict(&mut self, state: &(impl NamedTensors + ?Sized)) -> Result<()> {
                self.moments = remembered(&state.named_tensors()?)?;
                Ok(())
            }
        }
    )+ };
}

adams! {
    "Adam" Adam, "a decay is added to gradients.", 0.0 Gradient;
    "AdamW" AdamW, "weights themselves decay.", 0.01 Weight;
}

impl AdamOptions {
    fn step(&self, all: &mut Vec<Option<AdamMoments>>, parameters: &mut [&mut dyn Parameter]) -> Result<()> {
        self.check()?;
        check_parameters(parameters, &|at| {
            all.get(at).into_iter().flatten().flat_map(|moments| [&moments.average, &moments.square]).collect()
        })?;
        let _unrecorded: Guard = no_grad();
        for (at, parameter) in parameters.iter_mut().enumerate() {
            let Some(changed) = Changed::of(*parameter) else { continue };
            let moments = place(all, at);
            let moments = match moments {
                Some(moments) => moments,
                none => none.insert(AdamMoments::of(changed.tensor)?),
            };
            let gradient = changed.gradient.tensor()?;
            // Of complex numbers each part has a square of its own.
            let (mut weight, gradient) = (parts(changed.tensor)?, parts(&gradient)?);
            let (mut average, mut square) = (parts(&moments.average)?, parts(&moments.square)?);
            self.change(&mut weight, &gradient, [&mut average, &mut square], moments.step + 1)?;
            moments.step += 1;
        }
        Ok(())
    }

    /// Changes real numbers by their gradient, and the averages, in the step of that number.
    fn change(&self, tensor: &mut RawTensor, gradient: &RawTensor, [average, square]: [&mut RawTensor; 2], step: u64) -> Result<()> {
        let (mut weight, mut gradient) = (Value::from(&*tensor), Value::from(gradient));
        match self.decay {
            _ if self.weight_decay == 0.0 => {}
            Decay::Gradient => gradient = plus(&gradient, &weight, self.weight_decay)?,
            Decay::Weight => weight = times(&weight, 1.0 - self.lr * self.weight_decay)?,
        }
        let [first, second] = self.betas;
        apply(Op::Lerp, &[Value::from(&*average), gradient.clone(), (1.0 - first).into()], &Params::none())?.write_to(average)?;
        let kept = times(&Value::from(&*square), second)?;
        apply(Op::Addcmul, &[kept, gradient.clone(), gradient], &Params::one(1.0 - second))?.write_to(square)?;
        self.moved(weight, [average, square], step)?.write_to(tensor)
    }

    /// Where a weight goes.
    fn moved(&self, weight: Value, [average, square]: [&RawTensor; 2], step: u64) -> Result<Value> {
        let step = i32::try_from(step).unwrap_or(i32::MAX);
        let [first, second] = self.betas.map(|beta| 1.0 - beta.powi(step));
        let root = apply(Op::Sqrt, &[Value::from(square)], &Params::none())?;
        let scaled = apply(Op::Div, &[root, second.sqrt().into()], &Params::none())?;
        let divisor = apply(Op::Add, &[scaled, self.eps.into()], &Params::none())?;
        apply(Op::Addcdiv, &[weight, Value::from(average), divisor], &Params::one(-(self.lr / first)))
    }

    fn check(&self) -> Result<()> {
        check("learning rate", self.lr)?;
        check("epsilon value", self.eps)?;
        for (index, beta) in self.betas.into_iter().enumerate() {
            if !(0.0..1.0).contains(&beta) {
                return Err(Error::value(format!("Invalid beta parameter at index {index}: {beta:?}")));
            }
        }
        check("weight_decay value", self.weight_decay)
    }
}

/// The numbers of a tensor; of complex ones their parts, in the same memory.
pub(super) fn parts(tensor: &RawTensor) -> Result<RawTensor> {
    if tensor.dtype().is_complex() { tensor.view_as_real() } else { Ok(tensor.clone()) }
}

/// What is remembered, by names.
fn state(all: &[Option<AdamMoments>]) -> Vec<(String, DynTensor)> {
    let mut state = Vec::new();
    for (at, moments) in all.iter().enumerate() {
        let Some(AdamMoments { step, average, square }) = moments else { continue };
        let step = Tensor::from(step.cast_signed()).erase();
        for (what, tensor) in [("step", step), ("exp_avg", average.clone().into()), ("exp_avg_sq", square.clone().into())] {
            state.push((format!("{at}.{what}"), tensor));
        }
    }
    state
}

/// The same from names.
fn remembered(state: &[(String, DynTensor)]) -> Result<Vec<Option<AdamMoments>>> {
    let mut found: Vec<Option<[Option<&RawTensor>; 3]>> = Vec::new();
    for (name, tensor) in state {
        let (at, what) = parsed(name)?;
        let which = ["step", "exp_avg", "exp_avg_sq"].iter().position(|known| *known == what).ok_or_else(|| unknown(name))?;
        place(&mut found, at).get_or_insert([None; 3])[which] = Some(tensor.raw());
    }
    let mut moments = Vec::new();
    for (at, found) in found.into_iter().enumerate() {
        let Some(found) = found else { continue };
        let [Some(step), Some(average), Some(square)] = found else {
            return Err(Error::value(format!("the state of parameter {at} has no step, exp_avg or exp_avg_sq")));
        };
        let step = step.item()?.to_f64();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "steps are counted from 0")]
        let step = step as u64;
        let copy = |tensor: &RawTensor| tensor.clone_as(MemoryFormat::Preserve);
        *place(&mut moments, at) = Some(AdamMoments { step, average: copy(average)?, square: copy(square)? });
    }
    Ok(moments)
}

impl AdamMoments {
    fn of(parameter: &RawTensor) -> Result<Self> {
        Ok(Self { step: 0, average: parameter.zeros_like()?, square: parameter.zeros_like()? })
    }
}
