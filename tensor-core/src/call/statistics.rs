//! Layers that go by what channels are like on average: `batch_norm`, `instance_norm`, `local_response_norm`. Running means and variances are
//! changed where they lie.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::layers::{check_alike, check_mixed, factor, placed_together};
use super::losses::printed;
use super::value::{Value, binary};
use super::{Call, CallArgument, Function, one, run};
use crate::element::check_float;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;

/// What a layer knows, has learnt and keeps.
#[derive(Clone, Copy)]
pub(super) struct Channels<'a> {
    pub(super) mean: Option<&'a RawTensor>,
    pub(super) variance: Option<&'a RawTensor>,
    pub(super) weight: Option<&'a RawTensor>,
    pub(super) bias: Option<&'a RawTensor>,
    /// Whether the input says its own mean and variance.
    pub(super) training: bool,
    pub(super) momentum: f64,
    pub(super) eps: Scalar,
}

impl Channels<'_> {
    /// That nothing is divided by zero, or by no number.
    fn check_eps(&self) -> Result<()> {
        if matches!(self.eps, Scalar::Complex(_)) {
            let sign = if self.training { "<=" } else { "<" };
            return Err(Error::type_error(format!("'{sign}' not supported between instances of 'complex' and 'float'")));
        }
        let refused = |text: &str| Err(Error::value(format!("batch_norm eps must be {text}, but got {}", self.eps)));
        match self.eps.to_f64() {
            eps if self.training && eps <= 0.0 => refused("positive during training"),
            eps if eps < 0.0 => refused("non-negative"),
            _ => Ok(()),
        }
    }

    /// That as many channels are known as there are, of so many samples each with its own.
    fn check(&self, count: usize, samples: usize) -> Result<()> {
        let all = [("running_mean", self.mean), ("running_var", self.variance), ("weight", self.weight), ("bias", self.bias)];
        for (name, tensor) in all {
            if let Some(found) = tensor.map(RawTensor::numel).filter(|&found| found != count) {
                let (count, found) = (count * samples, found * samples);
                return Err(Error::runtime(format!("{name} should contain {count} elements not {found}")));
            }
        }
        let missing = [("running_mean", self.mean), ("running_var", self.variance)].into_iter().find(|(_, tensor)| tensor.is_none());
        match missing {
            Some((name, _)) if !self.training => Err(Error::runtime(format!("{name} must be defined in evaluation mode"))),
            _ => self.check_both(),
        }
    }

    fn check_both(&self) -> Result<()> {
        if self.mean.is_some() == self.variance.is_some() {
            return Ok(());
        }
        Err(Error::value("running_mean and running_var must either both be None or neither be None"))
    }

    /// What stands beside an input, in PyTorch's order.
    fn parameters(&self) -> [Option<&RawTensor>; 4] {
        [self.weight, self.bias, self.mean, self.variance]
    }

    /// Moves a running number towards what was found, in its own dtype or in another.
    fn follow(&self, running: Option<&RawTensor>, found: &Value, own: Option<DType>) -> Result<()> {
        let Some(running) = running else { return Ok(()) };
        let own = own.unwrap_or(running.dtype());
        let found = found.tensor()?.detach();
        let found = one(Function::Reshape, &[(&found).into(), CallArgument::Ints(&[-1])])?;
        let kept = binary(Op::Mul, &Value::from(running).cast(own), 1.0 - self.momentum);
        let moved = binary(Op::Add, &kept, binary(Op::Mul, &found.into(), self.momentum)).cast(own).tensor()?;
        let mut place = running.clone();
        run(Call::in_place(Function::Copy, &mut place, &[(&moved).into()])).map(drop)
    }
}

/// Numbers of channels beside a tensor.
fn beside(tensor: &RawTensor, rank: usize, wide: DType) -> Result<Value> {
    let mut along = vec![1; rank];
    if let Some(channels) = along.get_mut(usize::from(rank > 1)) {
        *channels = -1;
    }
    Value::from(tensor).cast(wide).then(Function::Reshape, &[CallArgument::Ints(&along)])
}

/// PyTorch's `batch_norm`.
pub(super) fn batch_norm(input: &RawTensor, of: Channels<'_>) -> Result<RawTensor> {
    let (rank, sizes) = (input.rank(), input.sizes());
    let channels = sizes.get(1).copied().unwrap_or(0);
    let each = input.numel().checked_div(channels).unwrap_or(0);
    if of.training && each == 1 && rank > 1 {
        let size = printed(sizes);
        return Err(Error::value(format!("Expected more than 1 value per channel when training, got input size {size}")));
    }
    of.check_eps()?;
    of.check(channels, 1)?;
    by_channel(input, of)
}

/// The same, once as many channels are known as there are.
fn by_channel(input: &RawTensor, of: Channels<'_>) -> Result<RawTensor> {
    let rank = input.rank();
    check_float("batch_norm", input.dtype())?;
    if let Some(running) = [of.mean, of.variance].into_iter().flatten().find(|running| running.rank() != 1 && input.numel() > 0) {
        return Err(Error::runtime(format!("TensorAccessor expected 1 dims but tensor has {}", running.rank())));
    }
    if rank == 1 && input.numel() > 0 {
        wrap_dim(1, rank)?;
    }
    let beside = if input.numel() > 0 { of.parameters() } else { [None; 4] };
    check_mixed(input, &beside)?;
    check_alike(input, &beside)?;
    normalized(input, of).map(|(found, _)| found)
}

/// The same, with the means and factors of channels where they were found.
fn normalized(input: &RawTensor, of: Channels<'_>) -> Result<(RawTensor, Option<[Value; 2]>)> {
    let rank = input.rank();
    let channels = input.sizes().get(1).copied().unwrap_or(0);
    let each = input.numel().checked_div(channels).unwrap_or(0);
    check_float("batch_norm", input.dtype())?;
    let wide = input.dtype().computing();
    let x = Value::from(input).computed_in(wide)?;
    let known = (!of.training).then_some(of.mean.zip(of.variance)).flatten();
    let (mean, variance) = match known {
        Some((mean, variance)) => (beside(mean, rank, wide)?, beside(variance, rank, wide)?),
        None => {
            let dims: Vec<isize> = (0..rank.cast_signed()).filter(|&dim| dim != 1).collect();
            let along = Along::dims(&dims).keep(Keep::Yes);
            let mean = x.reduced(Reduction::Mean, &along)?;
            let variance = x.reduced(Reduction::Var, &along.parameter(0.0))?;
            of.follow(of.mean, &mean, None)?;
            let apart = binary(Op::Mul, &variance, Scalar::Float(each as f64 / (each as f64 - 1.0)));
            of.follow(of.variance, &apart, None)?;
            (mean, variance)
        }
    };
    let scale = factor(&variance, of.eps.to_f64())?;
    let found = placed_by_channel(&x, [&mean, &scale], input, of)?;
    Ok((found, known.is_none().then_some([mean, scale])))
}

/// PyTorch's `native_batch_norm`: with the means and factors of channels, which have no gradients, where they were found.
pub(super) fn native_batch_norm(input: &RawTensor, of: Channels<'_>) -> Result<Vec<RawTensor>> {
    if !of.training {
        for (name, running) in [("running_mean", of.mean), ("running_var", of.variance)] {
            if running.is_none() {
                return Err(Error::value(format!("{name} must be defined in evaluation mode")));
            }
        }
    }
    of.check_both()?;
    if of.training && input.numel() == 0 {
        return Err(Error::runtime(format!("input tensor must have at least one element, but got input_sizes = {:?}", input.sizes())));
    }
    let channels = input.sizes()[wrap_dim(1, input.rank())?];
    for tensor in [of.weight, of.bias, of.mean, of.variance].into_iter().flatten() {
        if tensor.dtype() != input.dtype() && tensor.dtype() != input.dtype().computing() {
            let wide = input.dtype().computing().message_name();
            return Err(Error::runtime(format!("mixed dtype (CPU): expect parameter to have scalar type of {wide}")));
        }
        if tensor.numel() != channels {
            let found = tensor.numel();
            return Err(Error::runtime(format!("native_batch_norm: parameters should contain {channels} elements not {found}")));
        }
    }
    let parameter = of.weight.or(of.bias).or(of.mean).or(of.variance);
    let own = parameter.map_or(input.dtype(), RawTensor::dtype);
    let (found, kept) = normalized(input, of)?;
    let kept = match kept {
        Some(kept) => kept,
        None => {
            let options = crate::create::Options { dtype: Some(own), device: Some(input.device()), format: None };
            let nothing = Value::from(RawTensor::zeros(&[0], &options)?);
            [nothing.clone(), nothing]
        }
    };
    let row = |value: Value| -> Result<RawTensor> {
        let value = Value::from(value.tensor()?.detach()).cast(own);
        value.then(Function::Reshape, &[CallArgument::Ints(&[-1])])?.tensor()
    };
    let [mean, factor] = kept;
    Ok(vec![found, row(mean)?, row(factor)?])
}

/// PyTorch's `_batch_norm_with_update` and `_batch_norm_no_update`, which give what a GPU would keep, too: nothing.
pub(super) fn batch_norm_and_reserve(input: &RawTensor, of: Channels<'_>) -> Result<Vec<RawTensor>> {
    let mut found = native_batch_norm(input, of)?;
    let options = crate::create::Options { dtype: Some(DType::U8), device: Some(input.device()), format: None };
    found.push(RawTensor::zeros(&[0], &options)?);
    Ok(found)
}

/// Elements standardised, times weights and above a bias.
fn placed_by_channel(x: &Value, middle_and_factor: [&Value; 2], input: &RawTensor, of: Channels<'_>) -> Result<RawTensor> {
    let channels = |tensor: Option<&RawTensor>| tensor.map(|tensor| beside(tensor, input.rank(), tensor.dtype())).transpose();
    placed_together(x, middle_and_factor, channels(of.weight)?, channels(of.bias)?, input)
}

/// PyTorch's `instance_norm`: each image by itself.
pub(super) fn instance_norm(input: &RawTensor, of: Channels<'_>) -> Result<RawTensor> {
    let (rank, sizes) = (input.rank(), input.sizes());
    // Means and variances may be of any dtype: they are repeated in that of the weight.
    let own = of.weight.unwrap_or(input).dtype();
    let [mean, variance] = [of.mean, of.variance].map(|running| running.map(|running| running.to_dtype(own)).transpose());
    let (mean, variance) = (mean?, variance?);
    let repeated = Channels { mean: mean.as_ref(), variance: variance.as_ref(), ..of };
    if !of.training {
        if of.mean.is_none() || of.variance.is_none() {
            return Err(Error::runtime("Expected running_mean and running_var to be defined when use_input_stats is false"));
        }
        check_rows(of)?;
        of.check(sizes.get(1).copied().unwrap_or(0), sizes.first().copied().unwrap_or(1))?;
        return by_channel(input, repeated);
    }
    let each: usize = sizes.iter().skip(2).product();
    if each <= 1 {
        let size = printed(sizes);
        return Err(Error::value(format!("Expected more than 1 spatial element when training, got input size {size}")));
    }
    check_rows(of)?;
    of.check(sizes[1], sizes[0])?;
    check_float("batch_norm", input.dtype())?;
    check_mixed(input, &repeated.parameters())?;
    check_alike(input, &repeated.parameters())?;
    let x = Value::from(input).computed_in(input.dtype().computing())?;
    let dims: Vec<isize> = (2..rank.cast_signed()).collect();
    let along = Along::dims(&dims).keep(Keep::Yes);
    let mean = x.reduced(Reduction::Mean, &along)?;
    let variance = x.reduced(Reduction::Var, &along.parameter(0.0))?;
    let over_samples = |value: &Value| value.reduced(Reduction::Mean, &Along::dims(&[0]));
    of.follow(of.mean, &over_samples(&mean)?, Some(own))?;
    let apart = binary(Op::Mul, &variance, Scalar::Float(each as f64 / (each as f64 - 1.0)));
    of.follow(of.variance, &over_samples(&apart)?, Some(own))?;
    let scale = factor(&variance, of.eps.to_f64())?;
    placed_by_channel(&x, [&mean, &scale], input, of)
}

/// That what is known of channels can be repeated for each sample.
fn check_rows(of: Channels<'_>) -> Result<()> {
    if of.parameters().into_iter().flatten().all(|tensor| tensor.rank() <= 1) {
        return Ok(());
    }
    Err(Error::runtime("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"))
}

/// PyTorch's `local_response_norm`: each number by those of the channels around it.
pub(super) fn local_response_norm(input: &RawTensor, size: isize, alpha: f64, beta: f64, k: f64) -> Result<RawTensor> {
    let rank = input.rank();
    if rank < 3 {
        return Err(Error::value(format!("Expected 3D or higher dimensionality                          input (got {rank} dimensions)")));
    }
    if input.numel() == 0 {
        return Ok(input.clone());
    }
    let (samples, channels) = (input.sizes()[0].cast_signed(), input.sizes()[1].cast_signed());
    let x = Value::from(input);
    let squares = binary(Op::Mul, &x, &x).then(Function::Reshape, &[CallArgument::Ints(&[samples, 1, channels, -1])])?;
    let wider = squares.then(Function::ConstantPadNd, &[CallArgument::Ints(&[0, 0, size / 2, size.saturating_sub(1) / 2])])?;
    let means = wider.then(Function::AvgPool2d, &[CallArgument::Ints(&[size, 1]), CallArgument::Ints(&[1])])?;
    let means = means.then(Function::Reshape, &[CallArgument::Ints(&crate::views::signed(input.sizes()))])?;
    let base = binary(Op::Add, &binary(Op::Mul, &means, alpha), k);
    binary(Op::Div, &x, binary(Op::Pow, &base, beta)).tensor()
}
