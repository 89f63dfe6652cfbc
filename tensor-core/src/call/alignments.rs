//! `ctc_loss`: how unlikely it is that steps show labels in their order, each for one step or several, with blanks between them. Computed in
//! double precision, on the host: forwards for the loss, and backwards once more for its gradient.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::losses::LossReduction;
use super::value::{Value, binary};
use super::{Call, CallArgument, Function, Outcome, one, run};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::room::{filled, listed};

/// Which steps and labels count, and the label that is none.
#[derive(Clone, Copy)]
pub(super) struct Alignment<'a> {
    pub(super) targets: &'a RawTensor,
    pub(super) steps: &'a [isize],
    pub(super) labels: &'a [isize],
    pub(super) blank: isize,
    /// Whether infinite losses count as none.
    pub(super) zero: bool,
}

/// The numbers of one sample: logarithms for each step and class, and the classes in their order with blanks around each.
struct Sample<'a> {
    logarithms: &'a [f64],
    steps: usize,
    /// How far the numbers of two steps and of two classes are apart.
    walk: [usize; 2],
    classes: Vec<usize>,
}

/// The logarithm of a sum of exponentials.
fn joined(terms: [f64; 3]) -> f64 {
    let most = terms.into_iter().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + terms.into_iter().map(|term| (term - most).exp()).sum::<f64>().ln() }
}

impl Sample<'_> {
    fn at(&self, step: usize, class: usize) -> f64 {
        self.logarithms[step * self.walk[0] + class * self.walk[1]]
    }

    /// Whether the label before the last blank may come directly before this one.
    fn skips(&self, place: usize) -> bool {
        place > 1 && self.classes[place] != self.classes[place - 2]
    }

    /// The logarithm of the probability that steps show the first classes, up to each step and place.
    fn forwards(&self, found: &mut [f64], width: usize) {
        if self.steps == 0 {
            found.get_mut(..width).unwrap_or_default().fill(f64::NEG_INFINITY);
            return;
        }
        found[..width].fill(f64::NEG_INFINITY);
        for (place, &class) in self.classes.iter().enumerate().take(2) {
            found[place] = self.at(0, class);
        }
        for step in 1..self.steps {
            let (before, now) = found.split_at_mut(step * width);
            let before = &before[(step - 1) * width..];
            let there = |place: Option<usize>| place.map_or(f64::NEG_INFINITY, |place| before[place]);
            for (place, &class) in self.classes.iter().enumerate() {
                let skipped = there(place.checked_sub(2).filter(|_| self.skips(place)));
                now[place] = joined([before[place], there(place.checked_sub(1)), skipped]) + self.at(step, class);
            }
        }
    }

    /// The loss, by the last step.
    fn loss(&self, found: &[f64], width: usize) -> f64 {
        let last = self.classes.len() - 1;
        if self.steps == 0 {
            return if last == 0 { 0.0 } else { f64::INFINITY };
        }
        let row = &found[(self.steps - 1) * width..];
        let before = last.checked_sub(1).map_or(f64::NEG_INFINITY, |place| row[place]);
        -joined([row[last], before, f64::NEG_INFINITY])
    }

    /// What the logarithms of probabilities have as gradients, where they are what `log_softmax` gives: probabilities less those of the labels.
    fn gradient(&self, found: &[f64], width: usize, loss: f64, g: f64, count: usize, mut put: impl FnMut(usize, usize, f64)) -> Result<()> {
        let mut behind = filled(self.classes.len(), f64::NEG_INFINITY)?;
        let mut now = filled(self.classes.len(), f64::NEG_INFINITY)?;
        let mut sums = filled(count, f64::NEG_INFINITY)?;
        for step in (0..self.steps).rev() {
            sums.fill(f64::NEG_INFINITY);
            for (place, &class) in self.classes.iter().enumerate() {
                let there = |on: usize| behind.get(place + on).copied().unwrap_or(f64::NEG_INFINITY);
                let skipped = if place + 2 < self.classes.len() && self.skips(place + 2) { there(2) } else { f64::NEG_INFINITY };
                let is_end = step + 1 == self.steps && place + 2 >= self.classes.len();
                let rest = if is_end { 0.0 } else { joined([there(0), there(1), skipped]) };
                now[place] = rest + self.at(step, class);
                sums[class] = joined([sums[class], found[step * width + place] + now[place], f64::NEG_INFINITY]);
            }
            std::mem::swap(&mut behind, &mut now);
            for (class, &sum) in sums.iter().enumerate() {
                let own = self.at(step, class);
                put(step, class, (own.exp() - (sum + loss - own).exp()) * g);
            }
        }
        Ok(())
    }
}

fn refused(text: String) -> Error {
    Error::runtime(format!("{text} (while checking arguments for ctc_loss_allocate_outputs)"))
}

/// Integers as lengths of samples.
pub(super) fn lengths(name: &str, tensor: &RawTensor) -> Result<Vec<isize>> {
    if !tensor.dtype().is_integral() || tensor.dtype() == DType::Bool {
        return Err(Error::runtime(format!("{name} must be integral")));
    }
    let numbers = tensor.to_dtype(DType::I64)?.numbers::<i64>()?;
    listed(numbers.into_iter().map(|number| isize::try_from(number).unwrap_or(isize::MAX)))
}

impl Alignment<'_> {
    /// That lengths go with the steps and labels that there are; how many labels are the most.
    fn check(&self, input: &RawTensor) -> Result<usize> {
        if input.numel() == 0 {
            return Err(Error::runtime("log_probs tensor must not be empty"));
        }
        if !matches!(input.dtype(), DType::F32 | DType::F64) {
            return Err(unsupported("ctc_loss_cpu", input.dtype()));
        }
        let &[steps, samples, classes] = input.sizes() else {
            let rank = input.rank();
            return Err(refused(format!("Expected 3-dimensional tensor, but got {rank}-dimensional tensor for argument #1 'log_probs'")));
        };
        if !(1..=2).contains(&self.targets.rank()) {
            let rank = self.targets.rank();
            return Err(refused(format!("Expected 1 to 2 dimensions, but got {rank}-dimensional tensor for argument #2 'targets'")));
        }
        if !(0..classes.cast_signed()).contains(&self.blank) {
            return Err(Error::runtime("blank must be in label range"));
        }
        for (name, lengths) in [("input_lengths", self.steps), ("target_lengths", self.labels)] {
            if lengths.len() != samples {
                return Err(Error::runtime(format!("{name} must be of size batch_size")));
            }
        }
        let least = |name: &str, lengths: &[isize]| match lengths.iter().find(|&&length| length < 0) {
            Some(length) => Err(refused(format!("Expected {name} to have value at least 0, but got value {length}"))),
            None => Ok(()),
        };
        least("target_lengths", self.labels)?;
        let most = self.labels.iter().copied().max().unwrap_or(0);
        let wrong = |wanted: &str, dim: usize| {
            let found = self.targets.sizes()[dim];
            Err(refused(format!(
                "Expected tensor to have size {wanted} at dimension {dim}, but got size {found} for argument #2 'targets'"
            )))
        };
        match *self.targets.sizes() {
            [own] => {
                let sum = self.labels.iter().fold(0_isize, |sum, &length| sum.saturating_add(length));
                if own.cast_signed() != sum {
                    return wrong(&sum.to_string(), 0);
                }
            }
            [own, _] if own != samples => return wrong(&samples.to_string(), 0),
            [_, width] if width.cast_signed() < most => return wrong(&format!("at least {most}"), 1),
            _ => {}
        }
        least("input_lengths", self.steps)?;
        if let Some(length) = self.steps.iter().find(|&&length| length > steps.cast_signed()) {
            return Err(refused(format!("Expected input_lengths to have value at most {steps}, but got value {length}")));
        }
        Ok(most.unsigned_abs())
    }

    /// The samples, of logarithms that lie step by step.
    fn samples<'n>(&self, logarithms: &'n [f64], [_, count, classes]: [usize; 3]) -> Result<Vec<Sample<'n>>> {
        let targets = self.targets.to_dtype(DType::I64)?.numbers::<i64>()?;
        let width = self.targets.sizes()[1..].first().copied();
        let (mut samples, mut start) = (crate::room::room(count)?, 0);
        for at in 0..count {
            let labels = self.labels[at].unsigned_abs();
            let first = width.map_or(start, |width| at * width);
            start += labels;
            let mut own = filled(2 * labels + 1, self.blank.unsigned_abs())?;
            for (place, &label) in targets[first..][..labels].iter().enumerate() {
                own[2 * place + 1] = usize::try_from(label).ok().filter(|&label| label < classes).ok_or_else(|| {
                    let last = classes - 1;
                    Error::runtime(format!("ctc_loss: expected targets to be classes from 0 to {last}, but got {label}"))
                })?;
            }
            let logarithms = &logarithms[at * classes..];
            samples.push(Sample { logarithms, steps: self.steps[at].unsigned_abs(), walk: [count * classes, 1], classes: own });
        }
        Ok(samples)
    }
}

fn three(input: &RawTensor) -> [usize; 3] {
    [input.sizes()[0], input.sizes()[1], input.sizes()[2]]
}

/// PyTorch's `_ctc_loss`: the losses of samples, and the logarithms that were found on the way.
pub(super) fn losses(input: &RawTensor, of: Alignment<'_>) -> Result<(RawTensor, RawTensor)> {
    let width = 2 * of.check(input)? + 1;
    let [steps, count, _] = three(input);
    let numbers = input.to_dtype(DType::F64)?.numbers::<f64>()?;
    let mut found = filled(count * steps * width, 0.0)?;
    let mut losses = filled(count, 0.0)?;
    for ((sample, found), loss) in of.samples(&numbers, three(input))?.iter().zip(found.chunks_mut(steps * width)).zip(&mut losses) {
        sample.forwards(found, width);
        *loss = sample.loss(found, width);
    }
    let own = |numbers: Vec<f64>, sizes: &[usize]| RawTensor::from_vec(numbers, sizes)?.to_dtype(input.dtype())?.to_device(input.device());
    Ok((own(losses, &[count])?, own(found, &[count, steps, width])?))
}

/// The same, with lengths in tensors.
pub(super) fn losses_by(
    input: &RawTensor,
    targets: &RawTensor,
    [steps, labels]: [&RawTensor; 2],
    blank: isize,
    zero: bool,
) -> Result<Outcome> {
    let (steps, labels) = (lengths("input_lengths", steps)?, lengths("target_lengths", labels)?);
    let (steps, labels) = (CallArgument::Ints(&steps), CallArgument::Ints(&labels));
    run(Call::new(Function::CtcLosses, &[input.into(), targets.into(), steps, labels, blank.into(), zero.into()]))
}

/// PyTorch's `_ctc_loss_backward`; a sample without a way to its labels has no gradient where infinity counts as none.
pub(super) fn gradients(g: &RawTensor, input: &RawTensor, of: Alignment<'_>, [losses, found]: [&RawTensor; 2]) -> Result<RawTensor> {
    of.check(input)?;
    let sizes = three(input);
    let [steps, count, classes] = sizes;
    let numbers = |tensor: &RawTensor| tensor.to_dtype(DType::F64)?.numbers::<f64>();
    let (logarithms, losses, g) = (numbers(input)?, numbers(losses)?, numbers(&g.expand(&[count.cast_signed()])?)?);
    let width = found.sizes().last().copied().unwrap_or(0);
    let found = numbers(found)?;
    let mut gradient = filled(input.numel(), 0.0)?;
    for (at, sample) in of.samples(&logarithms, sizes)?.iter().enumerate() {
        if of.zero && losses[at] == f64::INFINITY {
            continue;
        }
        let put = |step: usize, class: usize, number: f64| gradient[(step * count + at) * classes + class] = number;
        sample.gradient(&found[at * steps * width..][..steps * width], width, losses[at], g[at], classes, put)?;
    }
    RawTensor::from_vec(gradient, input.sizes())?.to_dtype(input.dtype())?.to_device(input.device())
}

/// PyTorch's `ctc_loss`.
pub(super) fn ctc_loss(input: &RawTensor, of: Alignment<'_>, reduction: LossReduction) -> Result<RawTensor> {
    let batched = input.rank() == 3;
    let whole = if batched { input.clone() } else { one(Function::Unsqueeze, &[input.into(), 1.into()])? };
    let [steps, labels] = [of.steps, of.labels].map(CallArgument::Ints);
    let found = run(Call::new(Function::CtcLosses, &[(&whole).into(), of.targets.into(), steps, labels, of.blank.into(), of.zero.into()]))?;
    let mut losses = Value::from(found.pair()?.0);
    if of.zero {
        losses = chosen(binary(Op::Eq, &losses, f64::INFINITY), 0.0, losses);
    }
    match reduction {
        LossReduction::All if batched => losses.tensor(),
        LossReduction::All => losses.then(Function::Select, &[CallArgument::Int(0), CallArgument::Int(0)])?.tensor(),
        LossReduction::Sum => losses.reduced(Reduction::Sum, &Along::all())?.tensor(),
        LossReduction::Mean => {
            let counts = listed(of.labels.iter().map(|&length| length.max(1) as i64))?;
            let counts = RawTensor::from_vec(counts, &[of.labels.len()])?.to_device(input.device())?;
            binary(Op::Div, &losses, counts).reduced(Reduction::Mean, &Along::all())?.tensor()
        }
    }
}
