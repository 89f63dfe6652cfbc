//! Dropout: elements that are left out by chance, and what makes up for them. All by operations that there are; what is left out for zero is
//! drawn as truths, and one pass does the rest.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::discrete::bernoulli_;
use crate::create::Options;
use crate::dtype::six_digits;
use crate::elementwise::{Params, RawOperand, apply, apply_in_place};
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::plan::check_cast;
use crate::program::{Argument, Program};
use crate::raw::RawTensor;

/// What is left out together, and what takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// Each element by itself, for zero: PyTorch's `dropout`.
    Elements,
    /// Whole channels: `feature_dropout`, and what `dropout2d` and its like are.
    Features,
    /// Elements for the lowest value of SELU, so that mean and variance stay: `alpha_dropout`.
    Alpha,
    /// Channels for that value: `feature_alpha_dropout`.
    FeatureAlpha,
}

/// Whether a model learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It does: elements are dropped.
    Training,
    /// It doesn't: dropout gives its operand.
    Evaluating,
}

/// PyTorch's `training`.
impl From<bool> for Mode {
    fn from(training: bool) -> Self {
        if training { Self::Training } else { Self::Evaluating }
    }
}

/// How much of a tensor stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptShare {
    /// All of it: nothing is drawn.
    All,
    /// What chance decides.
    Some,
    /// Nothing: nothing is drawn.
    None,
}

impl KeptShare {
    /// What a probability and a mode say.
    ///
    /// # Errors
    /// For what is no probability.
    pub(crate) fn of(probability: f64, mode: Mode) -> Result<Self> {
        if !(0.0..=1.0).contains(&probability) {
            let got = six_digits(probability);
            return Err(Error::runtime(format!("dropout probability has to be between 0 and 1, but got {got}")));
        }
        Ok(match (mode, probability) {
            (Mode::Evaluating, _) | (Mode::Training, 0.0) => Self::All,
            (Mode::Training, 1.0) => Self::None,
            (Mode::Training, _) => Self::Some,
        })
    }

    /// Adds to a program what leaves elements of an argument out, by a mask: a step that makes numbers of it, and the result.
    pub(crate) fn by_mask(program: &mut Program, [of, mask]: [Argument; 2], dtype: DType, probability: f64) -> (usize, Argument) {
        let numbers = program.cast(dtype, mask);
        let place = program.steps().len() - 1;
        let noise = program.apply(Op::Div, &[numbers, (1.0 - probability).into()], Params::none());
        (place, program.apply(Op::Mul, &[of, noise], Params::none()))
    }
}

/// What is computed with a tensor.
enum Noise {
    /// Nothing: the tensor is the result.
    None,
    /// It is multiplied by that.
    Factor(RawTensor),
    /// These elements stay, and grow.
    Mask(RawTensor),
    /// The same, and then this is added.
    FactorAndTerm(RawTensor, RawTensor),
}

/// PyTorch's `dropout` and its kin: elements are dropped with that probability, and the others grow so that sums stay. Where nothing is dropped
/// it is the tensor itself. It draws from the default generator.
///
/// # Errors
/// For what is no probability, for tensors of integers, and for features of a tensor of one dimension.
pub fn dropout(dropped: Dropped, tensor: &RawTensor, probability: f64, mode: Mode) -> Result<RawTensor> {
    let by = |op: Op, x: &RawTensor, y: &RawTensor| apply(op, &[RawOperand::Tensor(x), RawOperand::Tensor(y)], &Params::none());
    match noise(dropped, tensor, probability, mode)? {
        Noise::None => Ok(tensor.clone()),
        Noise::Factor(factor) => by(Op::Mul, tensor, &factor),
        Noise::Mask(mask) => program(tensor, probability).run(&[tensor, &mask]),
        Noise::FactorAndTerm(factor, term) => by(Op::Add, &by(Op::Mul, tensor, &factor)?, &term),
    }
}

/// The same in the tensor's place.
///
/// # Errors
/// As [`dropout`].
pub fn dropout_(dropped: Dropped, tensor: &RawTensor, probability: f64, mode: Mode) -> Result<()> {
    let by = |op: Op, y: &RawTensor| apply_in_place(op, tensor, &[RawOperand::Tensor(y)], &Params::none());
    match noise(dropped, tensor, probability, mode)? {
        Noise::None => Ok(()),
        Noise::Factor(factor) => by(Op::Mul, &factor),
        Noise::Mask(mask) => program(tensor, probability).run_into(&[tensor, &mask], tensor),
        Noise::FactorAndTerm(factor, term) => by(Op::Mul, &factor).and_then(|()| by(Op::Add, &term)),
    }
}

/// What dropout multiplies a tensor by, and what it adds then; nothing, where it leaves the tensor as it is.
///
/// # Errors
/// As [`dropout`].
pub(crate) fn drawn(dropped: Dropped, tensor: &RawTensor, probability: f64, mode: Mode) -> Result<Option<(RawTensor, Option<RawTensor>)>> {
    Ok(match noise(dropped, tensor, probability, mode)? {
        Noise::None => None,
        Noise::Factor(factor) => Some((factor, None)),
        Noise::Mask(mask) => {
            let ones = RawTensor::full(&[], 1.0.into(), &Options::new().dtype(tensor.dtype()).device(tensor.device())?)?;
            Some((program(tensor, probability).run(&[&ones, &mask])?, None))
        }
        Noise::FactorAndTerm(factor, term) => Some((factor, Some(term))),
    })
}

/// A tensor and its mask, in one pass.
fn program(tensor: &RawTensor, probability: f64) -> Program {
    let mut program = Program::new();
    KeptShare::by_mask(&mut program, [0, 1].map(Argument::Operand), tensor.dtype().to_real(), probability);
    program
}

fn noise(dropped: Dropped, tensor: &RawTensor, probability: f64, mode: Mode) -> Result<Noise> {
    let kept = KeptShare::of(probability, mode)?;
    if kept == KeptShare::All || tensor.numel() == 0 {
        return Ok(Noise::None);
    }
    if kept == KeptShare::None {
        return Ok(Noise::Factor(RawTensor::zeros(&[], &Options::new().dtype(tensor.dtype()).device(tensor.device())?)?));
    }
    let by_mask = matches!(dropped, Dropped::Elements | Dropped::Features);
    if by_mask {
        check_cast(DType::F32, tensor.dtype())?;
    }
    let drawn = if by_mask { DType::Bool } else { tensor.dtype().to_real() };
    let kept = match dropped {
        Dropped::Elements | Dropped::Alpha => tensor.new_like(&Options::new().dtype(drawn))?,
        Dropped::Features | Dropped::FeatureAlpha => {
            let [examples, features, ..] = tensor.sizes() else {
                return Err(Error::runtime("Feature dropout requires at least 2 dimensions in the input"));
            };
            let mut sizes = vec![1; tensor.rank()];
            (sizes[0], sizes[1]) = (*examples, *features);
            RawTensor::new(&sizes, &Options::new().dtype(drawn).device(tensor.device())?)?
        }
    };
    bernoulli_(&kept, 1.0 - probability, None)?;
    if by_mask {
        return Ok(Noise::Mask(kept));
    }
    // The lowest value of SELU, and what brings mean and variance back.
    let lowest = 1.758_099_340_847_376_6;
    let scale = 1.0 / ((lowest * lowest * probability + 1.0) * (1.0 - probability)).sqrt();
    let term = apply(Op::Add, &[RawOperand::Tensor(&kept), RawOperand::from(-1.0)], &Params::none())?;
    apply_in_place(Op::Mul, &term, &[RawOperand::from(lowest * scale)], &Params::none())?;
    apply_in_place(Op::Add, &term, &[RawOperand::from(lowest * scale * probability)], &Params::none())?;
    apply_in_place(Op::Mul, &kept, &[RawOperand::from(scale)], &Params::none())?;
    Ok(Noise::FactorAndTerm(kept, term))
}

/// PyTorch's `native_dropout`: the result, and the mask of what was kept.
///
/// # Errors
/// For what is no probability.
pub fn native_dropout(tensor: &RawTensor, probability: f64, mode: Mode) -> Result<(RawTensor, RawTensor)> {
    if tensor.numel() == 0 {
        // PyTorch's mask of nothing has the dtype of the tensor.
        return Ok((tensor.clone(), tensor.new_like(&Options::new())?));
    }
    let mask = tensor.new_like(&Options::new().dtype(DType::Bool))?;
    if mode == Mode::Evaluating {
        mask.fill_(true)?;
        return Ok((tensor.clone_as(MemoryFormat::Preserve)?, mask));
    }
    bernoulli_(&mask, 1.0 - probability, None)?;
    let kept = apply(Op::Mul, &[RawOperand::Tensor(tensor), RawOperand::Tensor(&mask)], &Params::none())?;
    // As in PyTorch, the factor is rounded to the dtype, which halves show.
    let scale = if probability == 1.0 { 0.0 } else { 1.0 / (1.0 - probability) };
    let scale = RawTensor::full(&[], scale.into(), &Options::new().dtype(tensor.dtype().to_real()).device(tensor.device())?)?;
    apply_in_place(Op::Mul, &kept, &[RawOperand::Tensor(&scale)], &Params::none())?;
    Ok((kept, mask))
}
