//! Losses of classes, declared in terms of other calls: `nll_loss` and `cross_entropy`.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::losses::LossReduction;
use super::value::{Value, binary, unary};
use super::windows::tuple;
use super::{CallArgument, Function, one};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;

/// How classes count.
#[derive(Clone, Copy)]
pub(super) struct Classes<'a> {
    pub(super) weight: Option<&'a RawTensor>,
    pub(super) ignore_index: isize,
}

fn sum(value: &Value) -> Result<Value> {
    value.reduced(Reduction::Sum, &Along::all())
}

/// The dimension of classes.
fn class_dim(input: &RawTensor) -> usize {
    usize::from(input.rank() > 1)
}

impl Classes<'_> {
    fn check_weight(&self, count: usize, call: &str) -> Result<()> {
        match self.weight {
            Some(weight) if weight.sizes() != [count] => {
                let found = weight.sizes();
                Err(Error::runtime(format!(
                    "{call}weight tensor should be defined either for all {count} classes or no classes but got weight tensor of shape: {found:?}"
                )))
            }
            _ => Ok(()),
        }
    }

    /// That targets fit what is predicted of each class, in PyTorch's order.
    fn check(&self, input: &RawTensor, target: &RawTensor) -> Result<()> {
        let (own, there) = (input.sizes(), target.sizes());
        match (own, there) {
            ([], _) => return Err(Error::value("Expected 1 or more dimensions (got 0)")),
            ([_], _) => {}
            ([batch, ..], there) => {
                let other = there.first().copied().unwrap_or(0);
                if *batch != other || there.is_empty() {
                    return Err(Error::value(format!("Expected input batch_size ({batch}) to match target batch_size ({other}).")));
                }
            }
        }
        if own.len() <= 2 && there.len() > 1 {
            return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
        }
        if own.len() == 4 && there.len() != 3 {
            let rank = there.len();
            return Err(Error::runtime(format!(
                "only batches of spatial targets supported (3D tensors) but got targets of dimension: {rank}"
            )));
        }
        if own.len() > 2 {
            let expected: Vec<usize> = own.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, size)| *size).collect();
            if there != expected && own.len() == 4 {
                return Err(Error::runtime(format!("size mismatch (got input: {own:?} , target: {there:?}")));
            }
            if there != expected {
                return Err(Error::runtime(format!("Expected target size {expected:?}, got {there:?}")));
            }
        }
        self.check_weight(own[class_dim(input)], "")?;
        if !matches!(target.dtype(), DType::I64 | DType::U8) {
            let found = target.dtype().message_name();
            return Err(Error::runtime(format!("expected target dtype to be Long or Byte, but got {found}")));
        }
        if let ([_], [size]) = (own, there)
            && *size != 1
        {
            return Err(Error::value(format!("For 1D input, 1D target must have size 1, but got target size: {size}")));
        }
        let dtype = input.dtype();
        if !dtype.is_floating_point() || !dtype.is_computing() {
            let kernel = if own.len() > 2 { "nll_loss2d_forward_out_frame" } else { "nll_loss_out_frame" };
            return Err(unsupported(kernel, dtype));
        }
        match self.weight.map(RawTensor::dtype).filter(|&found| found != dtype) {
            Some(found) => {
                let (expected, found) = (dtype.message_name(), found.message_name());
                Err(Error::runtime(format!("expected scalar type {expected} but found {found}")))
            }
            None => Ok(()),
        }
    }

    /// That all targets that count are classes.
    fn check_range(&self, target: &RawTensor, count: usize) -> Result<()> {
        let target = Value::from(target.to_dtype(DType::I64)?);
        let outside = binary(Op::LogicalOr, &binary(Op::Lt, &target, 0), binary(Op::Ge, &target, Scalar::from(count)));
        let wrong = binary(Op::LogicalAnd, &outside, binary(Op::Ne, &target, Scalar::Int(self.ignore_index as i64))).tensor()?;
        if !Value::from(&wrong).somewhere()? {
            return Ok(());
        }
        let first = Value::from(wrong.to_dtype(DType::U8)?).reduced(Reduction::Argmax, &Along::all())?.item()?;
        let flat = target.then(Function::Reshape, &[CallArgument::Ints(&[-1])])?;
        let found = flat.then(Function::Select, &[0.into(), (first.to_f64() as isize).into()])?.item()?;
        Err(Error::index(format!("Target {} is out of bounds.", found.to_f64())))
    }
}

/// Targets: which of them count, and the classes of these, where the others have class 0.
struct Targets<'a> {
    classes: Classes<'a>,
    counted: RawTensor,
    places: RawTensor,
}

impl<'a> Targets<'a> {
    fn new(target: &RawTensor, classes: Classes<'a>) -> Result<Self> {
        let target = Value::from(target.to_dtype(DType::I64)?);
        let counted = binary(Op::Ne, &target, Scalar::Int(classes.ignore_index as i64)).tensor()?;
        let places = chosen((&counted).into(), target, 0).tensor()?;
        Ok(Self { classes, counted, places })
    }

    /// Values where targets count, and nothing elsewhere.
    fn of_counted(&self, values: Value) -> Value {
        chosen((&self.counted).into(), values, 0.0)
    }

    /// How heavy each target is, where not all are alike.
    fn weights(&self) -> Result<Option<Value>> {
        let Some(weight) = self.classes.weight else { return Ok(None) };
        let flat = one(Function::Reshape, &[(&self.places).into(), CallArgument::Ints(&[-1])])?;
        let chosen = Value::from(one(Function::IndexSelect, &[weight.into(), 0.into(), (&flat).into()])?);
        let weights = chosen.then(Function::Reshape, &[CallArgument::Ints(&signed(self.places.sizes()))])?;
        Ok(Some(self.of_counted(weights)))
    }

    /// How heavy all are together.
    fn weight(&self, dtype: DType) -> Result<Value> {
        match self.weights()? {
            Some(weights) => sum(&weights),
            // A half has few integers.
            None if dtype.computing() != dtype => Ok(sum(&(&self.counted).into())?.cast(dtype)),
            None => sum(&(&self.counted).into()),
        }
    }

    /// The negative numbers of the classes that are right, times their weights.
    fn losses(&self, input: &RawTensor, target: &RawTensor) -> Result<Value> {
        let dim = class_dim(input);
        let mut sizes = self.places.sizes().to_vec();
        if input.rank() == 1 {
            sizes = vec![1];
        } else {
            sizes.insert(1, 1);
        }
        let named = one(Function::Reshape, &[(&self.places).into(), CallArgument::Ints(&signed(&sizes))])?;
        let picked = Value::from(input).then(Function::Gather, &[dim.cast_signed().into(), (&named).into()]);
        // What it refuses are places; PyTorch speaks of targets.
        let picked = picked.or_else(|error| self.classes.check_range(target, input.sizes()[dim]).and(Err(error)))?;
        let losses = unary(Op::Neg, &picked.then(Function::Reshape, &[CallArgument::Ints(&signed(self.places.sizes()))])?);
        Ok(self.of_counted(match self.weights()? {
            Some(weights) => binary(Op::Mul, &losses, weights),
            None => losses,
        }))
    }

    /// Losses as they are asked for.
    fn reduced(&self, losses: Value, kept: LossReduction, dtype: DType) -> Result<Value> {
        match kept {
            LossReduction::All => Ok(losses.cast(dtype)),
            LossReduction::Sum => sum(&losses),
            LossReduction::Mean => Ok(binary(Op::Div, &sum(&losses)?, &self.weight(dtype)?)),
        }
    }
}

/// PyTorch's `nll_loss`: logarithms of probabilities of the classes that are right.
pub(super) fn nll_loss(input: &RawTensor, target: &RawTensor, classes: Classes<'_>, reduction: &str) -> Result<RawTensor> {
    let kept = LossReduction::parse(reduction)?;
    classes.check(input, target)?;
    let targets = Targets::new(target, classes)?;
    targets.reduced(targets.losses(input, target)?, kept, input.dtype())?.tensor()
}

/// PyTorch's `cross_entropy`: of numbers of which `softmax` makes probabilities, to classes or to other probabilities.
pub(super) fn cross_entropy(
    input: &RawTensor,
    target: &RawTensor,
    classes: Classes<'_>,
    reduction: &str,
    smoothing: f64,
) -> Result<RawTensor> {
    let kept = LossReduction::parse(reduction)?;
    // PyTorch takes what has no dimension for a batch.
    let dim = usize::from(input.rank() != 1);
    let count = input.sizes().get(dim).copied().unwrap_or(1);
    if input.sizes() == target.sizes() {
        if !target.dtype().is_floating_point() {
            let found = target.dtype().message_name();
            return Err(Error::runtime(format!("Expected floating point type for target with class probabilities, got {found}")));
        }
        if classes.ignore_index >= 0 {
            return Err(Error::runtime("ignore_index is not supported for floating point target"));
        }
        check_smoothing(smoothing)?;
        let count = input.size(dim.cast_signed())?;
        classes.check_weight(count, "cross_entropy: ")?;
        let logarithms = log_softmax(input, dim)?;
        let target = if smoothing > 0.0 {
            binary(Op::Add, &binary(Op::Mul, &target.into(), 1.0 - smoothing), smoothing / count as f64)
        } else {
            target.into()
        };
        let losses = weighted(&binary(Op::Mul, &logarithms, &target), classes.weight, input, dim)?;
        let samples = Scalar::from(input.numel().checked_div(count).unwrap_or(0));
        return match kept {
            LossReduction::All => unary(Op::Neg, &losses.reduced(Reduction::Sum, &Along::dims(&[dim.cast_signed()]))?).tensor(),
            LossReduction::Sum => unary(Op::Neg, &sum(&losses)?).tensor(),
            LossReduction::Mean => binary(Op::Div, &unary(Op::Neg, &sum(&losses)?), samples).tensor(),
        };
    }
    check_smoothing(smoothing)?;
    let logarithms = log_softmax(input, dim)?;
    let known = logarithms.tensor()?;
    classes.check(&known, target)?;
    let (targets, dtype) = (Targets::new(target, classes)?, input.dtype());
    let right = targets.reduced(targets.losses(&known, target)?, kept, dtype)?.tensor()?;
    if smoothing == 0.0 {
        return Ok(right);
    }
    let all = weighted(&logarithms, classes.weight, input, dim)?.reduced(Reduction::Sum, &Along::dims(&[dim.cast_signed()]))?;
    let all = all.then(Function::Reshape, &[CallArgument::Ints(&signed(target.sizes()))])?;
    let all = Value::from(targets.of_counted(unary(Op::Neg, &all)).cast(dtype).tensor()?);
    let even = binary(Op::Mul, &targets.reduced(all, kept, dtype)?, smoothing / count as f64);
    binary(Op::Add, &binary(Op::Mul, &right.into(), 1.0 - smoothing), &even).tensor()
}

fn check_smoothing(smoothing: f64) -> Result<()> {
    if (0.0..=1.0).contains(&smoothing) {
        return Ok(());
    }
    Err(Error::runtime(format!("label_smoothing must be between 0.0 and 1.0. Got: {smoothing}")))
}

fn log_softmax(input: &RawTensor, dim: usize) -> Result<Value> {
    Value::from(input).then(Function::LogSoftmax, &[dim.cast_signed().into()])
}

/// Values times the weights of their classes.
fn weighted(values: &Value, weight: Option<&RawTensor>, input: &RawTensor, dim: usize) -> Result<Value> {
    let Some(weight) = weight else { return Ok(values.clone()) };
    let mut along = vec![1; input.rank()];
    if let Some(size) = along.get_mut(dim) {
        *size = -1;
    }
    Ok(binary(Op::Mul, values, Value::from(weight).then(Function::Reshape, &[CallArgument::Ints(&along)])?))
}

/// What makes numbers of classes out of features.
#[derive(Clone, Copy)]
pub(super) struct ClassLayer<'a> {
    pub(super) weight: &'a RawTensor,
    pub(super) bias: Option<&'a RawTensor>,
}

impl ClassLayer<'_> {
    /// The numbers of classes of features.
    fn numbers(&self, input: &RawTensor) -> Result<RawTensor> {
        let refused = |text: String| Err(Error::runtime(text));
        let (sizes, layer) = (input.sizes(), self.weight.sizes());
        let (Some((features, batch)), true) = (sizes.split_last(), sizes.len() < 3) else {
            return refused(format!("expected input with dimensionality 1 or 2, got {}", sizes.len()));
        };
        let Some((inner, outer)) = layer.split_last().filter(|(_, outer)| !outer.is_empty()) else {
            return refused(format!("expected linear_weight with dimensionality at least 2, got {}", layer.len()));
        };
        if features != inner {
            return refused(format!(
                "expected equal input and linear_weight last dimensions (in_features), got {features} and {inner}, respectively"
            ));
        }
        if let Some(bias) = self.bias.filter(|bias| bias.sizes() != outer) {
            return refused(format!("expected linear_bias shape {}, got {}", tuple(outer), tuple(bias.sizes())));
        }
        if outer.len() > 1 && batch.is_empty() {
            return refused(format!(
                "K-dimensional loss defined by linear_weight shape {} requires batched input, (N, {features}), got unbatched input with \
                 shape {}",
                tuple(layer),
                tuple(sizes)
            ));
        }
        let shaped = |tensor: &RawTensor, sizes: &[isize]| one(Function::Reshape, &[tensor.into(), sizes.into()]);
        let weight = shaped(self.weight, &[-1, features.cast_signed()])?;
        let bias = self.bias.map(|bias| shaped(bias, &[-1])).transpose()?;
        let numbers = one(Function::Linear, &[input.into(), (&weight).into(), bias.as_ref().into()])?;
        shaped(&numbers, &signed(&[batch, outer].concat()))
    }
}

/// PyTorch's `linear_cross_entropy`: [`cross_entropy`] of what a layer makes of features.
pub(super) fn linear_cross_entropy(
    input: &RawTensor,
    layer: ClassLayer<'_>,
    target: &RawTensor,
    (weight, ignored): (Option<&RawTensor>, Option<isize>),
    reduction: &str,
    smoothing: f64,
) -> Result<RawTensor> {
    let numbers = layer.numbers(input)?;
    if ignored.is_some() && numbers.sizes() == target.sizes() {
        return Err(Error::runtime("ignore_index cannot be specified when target contains probabilities"));
    }
    let classes = Classes { weight, ignore_index: ignored.unwrap_or(-100) };
    cross_entropy(&numbers, target, classes, reduction, smoothing)
}
