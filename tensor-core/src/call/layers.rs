//! What layers of networks are made of, declared in terms of other calls: norms over parts of a tensor, and channels that change places.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::dtype::finfo;
use crate::element::check_float;
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::views::signed;

/// The mean along some dimensions, which stay with size 1.
fn mean(x: &Value, dims: &[isize]) -> Result<Value> {
    x.reduced(Reduction::Mean, &Along::dims(dims).keep(Keep::Yes))
}

/// The mean along some dimensions, and what elements less it are multiplied by so that their variance is 1.
pub(super) fn middle_and_factor(x: &Value, dims: &[isize], eps: f64) -> Result<[Value; 2]> {
    let along = Along::dims(dims).keep(Keep::Yes);
    let middle = x.reduced(Reduction::Mean, &along)?;
    Ok([middle, factor(&x.reduced(Reduction::Var, &along.parameter(0.0))?, eps)?])
}

/// What makes the deviation 1 of a variance, computed where that lies and not beside each element.
pub(super) fn factor(variance: &Value, eps: f64) -> Result<Value> {
    unary(Op::Rsqrt, &binary(Op::Add, variance, eps)).tensor().map(Into::into)
}

/// Elements times something and above something else, in one loop.
fn line(x: &Value, slope: &Value, start: &Value) -> Result<Value> {
    Value::apply(Op::Addcmul.into(), &Params::none(), &[start.clone(), x.clone(), slope.clone()])
}

/// Elements less a middle, times a factor: of both there are few, so that what is added is computed before.
fn standardised(x: &Value, [middle, factor]: [&Value; 2]) -> Result<Value> {
    let start = unary(Op::Neg, &binary(Op::Mul, middle, factor)).tensor()?;
    line(x, factor, &start.into())
}

/// Elements times weights and above a bias, as far as there are any; all of it computed wide.
fn placed(x: Value, weight: Option<Value>, bias: Option<Value>, input: &RawTensor) -> Result<RawTensor> {
    let wide = input.dtype().computing();
    let found = match (weight.map(|weight| weight.cast(wide)), bias.map(|bias| bias.cast(wide))) {
        (Some(weight), Some(bias)) => line(&x, &weight, &bias)?,
        (Some(weight), None) => binary(Op::Mul, &x, weight),
        (None, Some(bias)) => binary(Op::Add, &x, bias),
        (None, None) => x,
    };
    found.cast(input.dtype()).tensor()
}

/// Elements standardised, times weights and above a bias, where those are of channels as middles and factors are: what elements are multiplied
/// by, and what is added then, is computed for each channel.
pub(super) fn placed_together(
    x: &Value,
    [middle, factor]: [&Value; 2],
    weight: Option<Value>,
    bias: Option<Value>,
    input: &RawTensor,
) -> Result<RawTensor> {
    let wide = input.dtype().computing();
    let slope = match weight {
        Some(weight) => binary(Op::Mul, factor, weight.cast(wide)).tensor()?.into(),
        None => factor.clone(),
    };
    let found = match bias {
        Some(bias) => line(x, &slope, &binary(Op::Sub, &bias.cast(wide), binary(Op::Mul, middle, &slope)).tensor()?.into())?,
        None => standardised(x, [middle, &slope])?,
    };
    found.cast(input.dtype()).tensor()
}

/// That parameters of a layer have its input's dtype, or all of them `f32` beside halves, in PyTorch's words about the first of them.
pub(super) fn check_mixed(input: &RawTensor, parameters: &[Option<&RawTensor>]) -> Result<()> {
    let (own, mut given) = (input.dtype(), parameters.iter().flatten().map(|tensor| tensor.dtype()));
    if given.clone().next().is_none_or(|first| first == own) {
        return Ok(());
    }
    if given.any(|dtype| dtype != DType::F32) {
        return Err(Error::runtime("mixed dtype (CPU): expect parameter to have scalar type of Float"));
    }
    if !matches!(own, DType::F16 | DType::BF16) {
        return Err(Error::runtime("mixed dtype (CPU): all inputs must share same datatype."));
    }
    Ok(())
}

/// And that the others have it, where the first has: the kernel says that.
pub(super) fn check_alike(input: &RawTensor, parameters: &[Option<&RawTensor>]) -> Result<()> {
    let (own, mut given) = (input.dtype(), parameters.iter().flatten().map(|tensor| tensor.dtype()));
    match given.find(|&dtype| dtype != own).filter(|_| parameters.iter().flatten().next().is_some_and(|first| first.dtype() == own)) {
        Some(other) => {
            let [own, other] = [own, other].map(DType::message_name);
            Err(Error::runtime(format!("expected scalar type {own} but found {other}")))
        }
        None => Ok(()),
    }
}

/// The dimensions over which is normalised: a tensor ends with their sizes, and weights have them.
fn check_normalized(input: &RawTensor, shape: &[isize], beside: &[(&str, Option<&RawTensor>)], start: &str) -> Result<Vec<isize>> {
    check_shape(shape, beside)?;
    let sizes = signed(input.sizes());
    if !sizes.ends_with(shape) {
        let expected = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(Error::runtime(format!(
            "Given normalized_shape={shape:?}, expected input with shape [*{start}{expected}], but got input of size{sizes:?}"
        )));
    }
    Ok((1..=shape.len().cast_signed()).map(|dim| -dim).collect())
}

/// That there are sizes over which is normalised, and weights have them.
fn check_shape(shape: &[isize], beside: &[(&str, Option<&RawTensor>)]) -> Result<()> {
    if shape.is_empty() {
        return Err(Error::runtime(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
        ));
    }
    for (name, tensor) in beside {
        if let Some(found) = tensor.map(|tensor| signed(tensor.sizes())).filter(|found| found.as_slice() != shape) {
            return Err(Error::runtime(format!(
                "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {found:?} and normalized_shape = {shape:?}"
            )));
        }
    }
    Ok(())
}

/// PyTorch's `layer_norm`.
pub(super) fn layer_norm(
    input: &RawTensor,
    shape: &[isize],
    weight: Option<&RawTensor>,
    bias: Option<&RawTensor>,
    eps: f64,
) -> Result<RawTensor> {
    normalized(input, shape, weight, bias, eps).map(|(found, _)| found)
}

/// The same, with what elements were centred and multiplied by.
fn normalized(
    input: &RawTensor,
    shape: &[isize],
    weight: Option<&RawTensor>,
    bias: Option<&RawTensor>,
    eps: f64,
) -> Result<(RawTensor, [Value; 2])> {
    check_mixed(input, &[weight, bias])?;
    let dims = check_normalized(input, shape, &[("weight", weight), ("bias", bias)], ", ")?;
    check_float("LayerNormKernelImpl", input.dtype())?;
    check_alike(input, &[weight, bias])?;
    let x = Value::from(input).computed_in(input.dtype().computing())?;
    let [middle, factor] = middle_and_factor(&x, &dims, eps)?;
    let x = standardised(&x, [&middle, &factor])?;
    Ok((placed(x, weight.map(Into::into), bias.map(Into::into), input)?, [middle, factor]))
}

/// The dtype of means beside numbers of one: that of the weights, where those are wider.
fn middle_dtype(input: &RawTensor, weight: Option<&RawTensor>) -> DType {
    if weight.is_some_and(|weight| weight.dtype() != input.dtype()) { input.dtype().computing() } else { input.dtype() }
}

/// PyTorch's `native_layer_norm`, which gives means and factors, too.
pub(super) fn native_layer_norm(
    input: &RawTensor,
    shape: &[isize],
    weight: Option<&RawTensor>,
    bias: Option<&RawTensor>,
    eps: f64,
) -> Result<Vec<RawTensor>> {
    let (found, [middle, factor]) = normalized(input, shape, weight, bias, eps)?;
    let own = middle_dtype(input, weight.or(bias));
    Ok(vec![found, middle.cast(own).tensor()?, factor.cast(own).tensor()?])
}

/// PyTorch's `rms_norm`: elements over the root of the mean of their squares.
pub(super) fn rms_norm(input: &RawTensor, shape: &[isize], weight: Option<&RawTensor>, eps: Option<f64>) -> Result<RawTensor> {
    check_shape(shape, &[("weight", weight)])?;
    if input.rank() < shape.len() {
        let (least, rank) = (shape.len(), input.rank());
        return Err(Error::value(format!("Input tensor must have at least {least} dimensions, but got {rank}")));
    }
    // PyTorch writes no comma there.
    let dims = check_normalized(input, shape, &[("weight", weight)], "")?;
    let wide = input.dtype().computing();
    let eps = match eps {
        Some(eps) => eps,
        None => finfo(wide.to_real())?.eps,
    };
    let x = Value::from(input).computed_in(wide)?;
    let spread = if wide.is_complex() {
        mean(&binary(Op::Mul, &x, &x), &dims)?
    } else {
        // Squares are added as they are read.
        let length = x.reduced(Reduction::Norm, &Along::dims(&dims).keep(Keep::Yes).parameter(2.0))?;
        let count: f64 = shape.iter().map(|&size| size as f64).product();
        binary(Op::Div, &binary(Op::Mul, &length, &length), count)
    };
    let x = binary(Op::Mul, &x, factor(&spread, eps)?);
    placed(x, weight.map(Into::into), None, input)
}

/// PyTorch's `group_norm`: channels are normalised in groups.
pub(super) fn group_norm(
    input: &RawTensor,
    groups: isize,
    weight: Option<&RawTensor>,
    bias: Option<&RawTensor>,
    eps: f64,
) -> Result<RawTensor> {
    grouped(input, groups, weight, bias, eps).map(|(found, _)| found)
}

fn check_positive(what: &str, number: isize) -> Result<()> {
    if number > 0 { Ok(()) } else { Err(Error::runtime(format!("Expected {what} to be greater than 0, got {number}"))) }
}

/// That channels are a number of groups, each channel with a weight.
fn check_groups(input: &RawTensor, parameters: [Option<&RawTensor>; 2], channels: isize, groups: isize) -> Result<()> {
    let sizes = input.sizes();
    check_positive("number of channels", channels)?;
    check_positive("num groups", groups)?;
    if channels % groups != 0 {
        return Err(Error::runtime(format!(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape {sizes:?} and num_groups={groups}"
        )));
    }
    for (name, tensor) in ["weight", "bias"].into_iter().zip(parameters) {
        if let Some(found) = tensor.map(|tensor| signed(tensor.sizes())).filter(|found| found.as_slice() != [channels]) {
            return Err(Error::runtime(format!(
                "Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape {found:?} and \
                 input of shape {sizes:?}"
            )));
        }
    }
    Ok(())
}

/// What `native_group_norm` asks of the sizes that it is told, in PyTorch's order.
fn check_native(input: &RawTensor, parameters: [Option<&RawTensor>; 2], told: [isize; 3], groups: isize) -> Result<()> {
    let [_, channels, inner] = told;
    check_positive("number of channels", channels)?;
    check_positive("HxW", inner)?;
    check_groups(input, parameters, channels, groups)?;
    check_mixed(input, &parameters)?;
    if Some(input.numel().cast_signed()) != told.iter().try_fold(1_isize, |count, &size| count.checked_mul(size)) {
        return Err(Error::runtime(
            "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message be improved?  If so, please report an \
             enhancement request to PyTorch.)",
        ));
    }
    check_float("GroupNormKernelImpl", input.dtype())?;
    check_alike(input, &parameters)
}

/// The same, with what each group was centred and multiplied by.
fn grouped(
    input: &RawTensor,
    groups: isize,
    weight: Option<&RawTensor>,
    bias: Option<&RawTensor>,
    eps: f64,
) -> Result<(RawTensor, [Value; 2])> {
    let sizes = signed(input.sizes());
    let [batch, channels, ref inner @ ..] = sizes[..] else {
        return Err(Error::runtime(format!("Expected at least 2 dimensions for input tensor but received {}", sizes.len())));
    };
    check_groups(input, [weight, bias], channels, groups)?;
    check_native(input, [weight, bias], [batch, channels, inner.iter().product()], groups)?;
    let each = channels / groups;
    let beside = |tensor: Option<&RawTensor>| {
        tensor.map(|tensor| Value::from(tensor).then(Function::Reshape, &[CallArgument::Ints(&[groups, each, 1])])).transpose()
    };
    let shape = [batch, groups, each, sizes[2..].iter().product()];
    let x = Value::from(input).computed_in(input.dtype().computing())?.then(Function::Reshape, &[CallArgument::Ints(&shape)])?;
    let [middle, factor] = middle_and_factor(&x, &[-2, -1], eps)?;
    let found = placed_together(&x, [&middle, &factor], beside(weight)?, beside(bias)?, input)?;
    Ok((one(Function::Reshape, &[(&found).into(), CallArgument::Ints(&sizes)])?, [middle, factor]))
}

/// PyTorch's `native_group_norm`, which is told sizes, and gives means and factors, too.
pub(super) fn native_group_norm(
    input: &RawTensor,
    [weight, bias]: [Option<&RawTensor>; 2],
    [batch, channels, inner]: [isize; 3],
    groups: isize,
    eps: f64,
) -> Result<Vec<RawTensor>> {
    check_native(input, [weight, bias], [batch, channels, inner], groups)?;
    let (found, [middle, factor]) = grouped(input, groups, weight, bias, eps)?;
    let own = middle_dtype(input, weight.or(bias));
    let square = |of: Value| of.cast(own).then(Function::Reshape, &[CallArgument::Ints(&[batch, groups])])?.tensor();
    Ok(vec![found, square(middle)?, square(factor)?])
}

/// PyTorch's `prelu`: numbers that aren't positive times a slope, of which each channel may have its own.
pub(super) fn prelu(input: &RawTensor, weight: &RawTensor) -> Result<RawTensor> {
    if input.dtype() != weight.dtype() {
        let [own, there] = [input, weight].map(|tensor| tensor.dtype().message_name());
        return Err(Error::runtime(format!("prelu: Type promoting not supported. Got {own} and {there}")));
    }
    if weight.numel() != 1 {
        if input.rank() == 0 {
            return Err(Error::runtime("Not allow zero-dim input tensor."));
        }
        let channels = input.sizes().get(1).copied().unwrap_or(1);
        let count = weight.numel();
        if channels != count {
            return Err(Error::runtime(format!(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel size = {channels}."
            )));
        }
    }
    if weight.rank() > 1 {
        let rank = weight.rank();
        return Err(Error::runtime(format!("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {rank}")));
    }
    check_float("prelu_cpu", input.dtype())?;
    let mut along = vec![1; input.rank()];
    if input.rank() > 1 {
        along[1] = -1;
    } else if let Some(only) = along.first_mut() {
        *only = -1;
    }
    let weight = one(Function::Reshape, &[weight.into(), CallArgument::Ints(&along)])?;
    let wide = |tensor: &RawTensor| Value::from(tensor).cast(input.dtype().computing());
    let x = wide(input);
    chosen(binary(Op::Gt, &x, 0), &x, binary(Op::Mul, &wide(&weight), &x)).cast(input.dtype()).tensor()
}

/// What a tensor is when some of its dimensions are split, all are put into another order, and some of those are one again.
fn rearranged(input: &RawTensor, split: &[isize], order: &[isize], joined: &[isize]) -> Result<RawTensor> {
    let parts = Value::from(input).then(Function::Reshape, &[CallArgument::Ints(split)])?;
    let turned = parts.then(Function::Permute, &[CallArgument::Ints(order)])?;
    let turned = turned.then(Function::Clone, &[crate::layout::MemoryFormat::Contiguous.into()])?;
    turned.then(Function::View, &[CallArgument::Ints(joined)])?.tensor()
}

/// The sizes before the last three dimensions, and those.
fn image(name: &str, input: &RawTensor) -> Result<(Vec<isize>, [isize; 3])> {
    let sizes = signed(input.sizes());
    let rank = sizes.len();
    match sizes.split_last_chunk::<3>() {
        Some((outer, image)) => Ok((outer.to_vec(), *image)),
        None => Err(Error::runtime(format!("{name} expects input to have at least 3 dimensions, but got input with {rank} dimension(s)"))),
    }
}

/// PyTorch's `pixel_shuffle`: channels become pixels.
pub(super) fn pixel_shuffle(input: &RawTensor, factor: isize) -> Result<RawTensor> {
    let (outer, [channels, height, width]) = image("pixel_shuffle", input)?;
    if factor <= 0 {
        return Err(Error::runtime(format!("pixel_shuffle expects a positive upscale_factor, but got {factor}")));
    }
    let square = factor.checked_mul(factor).filter(|square| channels % square == 0).ok_or_else(|| {
        Error::runtime(format!(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but \
             input.size(-3)={channels} is not divisible by {}",
            factor.wrapping_mul(factor)
        ))
    })?;
    let at = outer.len().cast_signed();
    let before: Vec<isize> = (0..at).collect();
    let with = |list: &[isize], rest: &[isize]| [list, rest].concat();
    rearranged(
        input,
        &with(&outer, &[channels / square, factor, factor, height, width]),
        &with(&before, &[at, at + 3, at + 1, at + 4, at + 2]),
        &with(&outer, &[channels / square, height * factor, width * factor]),
    )
}

/// PyTorch's `pixel_unshuffle`: pixels become channels.
pub(super) fn pixel_unshuffle(input: &RawTensor, factor: isize) -> Result<RawTensor> {
    let (outer, [channels, height, width]) = image("pixel_unshuffle", input)?;
    if factor <= 0 {
        return Err(Error::runtime(format!("pixel_unshuffle expects a positive downscale_factor, but got {factor}")));
    }
    for (name, dim, size) in [("height", -2, height), ("width", -1, width)] {
        if size % factor != 0 {
            return Err(Error::runtime(format!(
                "pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})={size} is not divisible by {factor}"
            )));
        }
    }
    let at = outer.len().cast_signed();
    let before: Vec<isize> = (0..at).collect();
    let with = |list: &[isize], rest: &[isize]| [list, rest].concat();
    rearranged(
        input,
        &with(&outer, &[channels, height / factor, factor, width / factor, factor]),
        &with(&before, &[at, at + 2, at + 4, at + 1, at + 3]),
        &with(&outer, &[channels * factor * factor, height / factor, width / factor]),
    )
}

/// PyTorch's `channel_shuffle`: channels of all groups by turns.
pub(super) fn channel_shuffle(input: &RawTensor, groups: isize) -> Result<RawTensor> {
    let sizes = signed(input.sizes());
    let [batch, channels, ref rest @ ..] = sizes[..] else {
        return Err(Error::runtime(format!("channel_shuffle expects input with > 2 dims, but got input with sizes {sizes:?}")));
    };
    if rest.is_empty() {
        return Err(Error::runtime(format!("channel_shuffle expects input with > 2 dims, but got input with sizes {sizes:?}")));
    }
    if groups <= 0 {
        return Err(Error::runtime(format!("Number of groups to divide channels in must be positive. Value of groups:{groups}")));
    }
    if channels % groups != 0 {
        return Err(Error::runtime(format!(
            "Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )));
    }
    rearranged(
        input,
        &[&[batch, groups, channels / groups], rest].concat(),
        &[&[0, 2, 1][..], &(3..3 + rest.len().cast_signed()).collect::<Vec<_>>()].concat(),
        &sizes,
    )
}
