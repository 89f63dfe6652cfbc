//! First values of weights: PyTorch's `torch.nn.init`, as functions on tensors, with the same numbers for the same seed.

use std::f64::consts::SQRT_2;
use std::str::FromStr;

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::continuous::uniform_;
use super::discrete::randperm;
use super::generator::Generator;
use super::normal::normal_;
use crate::create::Options;
use crate::elementwise::{Params, RawOperand, apply, apply_in_place};
use crate::error::{Error, Result};
use crate::geometry::{count, times};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::reduce::{Along, reduce};
use crate::scalar::Scalar;

/// What follows a layer; it decides how large weights have to be that signals keep their strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nonlinearity {
    /// None: `linear`, `sigmoid` and convolutions.
    Linear,
    /// `tanh`.
    Tanh,
    /// `relu`.
    Relu,
    /// `selu`.
    Selu,
    /// `leaky_relu` with this slope below 0.
    LeakyRelu(f64),
}

impl Nonlinearity {
    /// PyTorch's `calculate_gain`: the factor for the deviation of weights.
    #[must_use]
    pub fn gain(self) -> f64 {
        match self {
            Self::Linear => 1.0,
            Self::Tanh => 5.0 / 3.0,
            Self::Relu => SQRT_2,
            Self::Selu => 0.75,
            Self::LeakyRelu(slope) => (2.0 / (1.0 + slope * slope)).sqrt(),
        }
    }

    /// PyTorch's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Tanh => "tanh",
            Self::Relu => "relu",
            Self::Selu => "selu",
            Self::LeakyRelu(_) => "leaky_relu",
        }
    }

    /// The slope below 0, where it isn't 0 or given by the name.
    #[must_use]
    pub fn slope(self) -> f64 {
        if let Self::LeakyRelu(slope) = self { slope } else { 0.0 }
    }

    /// The nonlinearity that PyTorch calls so; the slope counts for `leaky_relu`.
    ///
    /// # Errors
    /// Where none is called so.
    pub fn parse(name: &str, slope: f64) -> Result<Self> {
        Ok(match name.parse()? {
            Self::LeakyRelu(_) => Self::LeakyRelu(slope),
            other => other,
        })
    }
}

impl FromStr for Nonlinearity {
    type Err = Error;

    /// PyTorch's name; `leaky_relu` has the slope 0.01.
    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "linear" | "sigmoid" | "conv1d" | "conv2d" | "conv3d" | "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => {
                Self::Linear
            }
            "tanh" => Self::Tanh,
            "relu" => Self::Relu,
            "selu" => Self::Selu,
            "leaky_relu" => Self::LeakyRelu(0.01),
            _ => return Err(Error::value(format!("Unsupported nonlinearity {name}"))),
        })
    }
}

/// Which connections of a layer are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fan {
    /// Those that come in: signals keep their strength forwards.
    #[default]
    In,
    /// Those that go out: gradients keep it backwards.
    Out,
}

impl Fan {
    /// PyTorch's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "fan_in",
            Self::Out => "fan_out",
        }
    }
}

impl FromStr for Fan {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.to_lowercase().as_str() {
            "fan_in" => Ok(Self::In),
            "fan_out" => Ok(Self::Out),
            other => Err(Error::value(format!("Mode {other} not supported, please use one of ['fan_in', 'fan_out']"))),
        }
    }
}

/// The numbers of connections that come in and that go out of each place of a layer with these weights.
#[expect(clippy::cast_precision_loss, reason = "sizes of tensors that fit memory")]
fn fans(weights: &RawTensor) -> Result<(f64, f64)> {
    let [out, into, rest @ ..] = weights.sizes() else {
        return Err(Error::value("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"));
    };
    let field = count(rest);
    Ok((times(*into, field) as f64, times(*out, field) as f64))
}

/// The deviation of He's initialisation; `None` where there are no weights.
fn kaiming(weights: &RawTensor, fan: Fan, nonlinearity: Nonlinearity) -> Result<Option<f64>> {
    if weights.sizes().contains(&0) {
        return Ok(None);
    }
    let (into, out) = fans(weights)?;
    Ok(Some(nonlinearity.gain() / if fan == Fan::In { into } else { out }.sqrt()))
}

/// He's initialisation with uniform numbers.
///
/// # Errors
/// For tensors of fewer than two dimensions or of integers.
pub fn kaiming_uniform_(weights: &RawTensor, fan: Fan, nonlinearity: Nonlinearity, generator: Option<&Generator>) -> Result<()> {
    let Some(deviation) = kaiming(weights, fan, nonlinearity)? else { return Ok(()) };
    let bound = 3_f64.sqrt() * deviation;
    uniform_(weights, -bound, bound, generator)
}

/// He's initialisation with normal numbers.
///
/// # Errors
/// As [`kaiming_uniform_`].
pub fn kaiming_normal_(weights: &RawTensor, fan: Fan, nonlinearity: Nonlinearity, generator: Option<&Generator>) -> Result<()> {
    let Some(deviation) = kaiming(weights, fan, nonlinearity)? else { return Ok(()) };
    normal_(weights, 0.0, deviation, generator)
}

fn xavier(weights: &RawTensor, gain: f64) -> Result<f64> {
    let (into, out) = fans(weights)?;
    Ok(gain * (2.0 / (into + out)).sqrt())
}

/// Glorot's initialisation with uniform numbers; the usual gain is 1.
///
/// # Errors
/// As [`kaiming_uniform_`].
pub fn xavier_uniform_(weights: &RawTensor, gain: f64, generator: Option<&Generator>) -> Result<()> {
    let bound = 3_f64.sqrt() * xavier(weights, gain)?;
    uniform_(weights, -bound, bound, generator)
}

/// Glorot's initialisation with normal numbers.
///
/// # Errors
/// As [`kaiming_uniform_`].
pub fn xavier_normal_(weights: &RawTensor, gain: f64, generator: Option<&Generator>) -> Result<()> {
    normal_(weights, 0.0, xavier(weights, gain)?, generator)
}

/// A normal distribution of which only a part counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truncated {
    /// Its mean, before it is cut.
    pub mean: f64,
    /// Its deviation, before it is cut.
    pub deviation: f64,
    /// Nothing is below.
    pub low: f64,
    /// Nothing is above.
    pub high: f64,
}

impl Default for Truncated {
    fn default() -> Self {
        Self { mean: 0.0, deviation: 1.0, low: -2.0, high: 2.0 }
    }
}

impl Truncated {
    /// How much of the distribution counts.
    fn share(self) -> f64 {
        let below = |x: f64| f64::midpoint(1.0, libm::erf((x - self.mean) / self.deviation / SQRT_2));
        below(self.high) - below(self.low)
    }
}

/// PyTorch's `trunc_normal_`: normal numbers between two bounds; others are drawn again.
///
/// # Errors
/// For bounds in the wrong order, and for tensors of integers.
pub fn trunc_normal_(weights: &RawTensor, of: Truncated, generator: Option<&Generator>) -> Result<()> {
    if of.share() > 0.3 { redrawn(weights, of, generator) } else { rejected(weights, of, generator) }
}

fn op(op: Op, x: &RawTensor, y: impl Into<Scalar>) -> Result<RawTensor> {
    apply(op, &[RawOperand::Tensor(x), RawOperand::Scalar(y.into())], &Params::none())
}

fn both(op: Op, x: &RawTensor, y: &RawTensor) -> Result<RawTensor> {
    apply(op, &[RawOperand::Tensor(x), RawOperand::Tensor(y)], &Params::none())
}

fn any(mask: &RawTensor) -> Result<bool> {
    reduce(Reduction::Any, mask, &Along::all())?.any_true()
}

/// Takes the elements of another tensor where a mask holds.
fn take_where(tensor: &RawTensor, mask: &RawTensor, other: &RawTensor) -> Result<()> {
    let operands = [RawOperand::Tensor(mask), RawOperand::Tensor(other), RawOperand::Tensor(tensor)];
    tensor.copy_(&apply(Op::Where, &operands, &Params::none())?)
}

fn redrawn(weights: &RawTensor, of: Truncated, generator: Option<&Generator>) -> Result<()> {
    normal_(weights, of.mean, of.deviation, generator)?;
    let bound = |x: f64| RawTensor::from_scalar(x.into(), weights.dtype());
    let (low, high) = (bound(of.low)?, bound(of.high)?);
    loop {
        let outside = both(Op::LogicalOr, &both(Op::Lt, weights, &low)?, &both(Op::Gt, weights, &high)?)?;
        if weights.is_meta() || !any(&outside)? {
            return Ok(());
        }
        let others = weights.new_like(&Options::new())?;
        normal_(&others, of.mean, of.deviation, generator)?;
        take_where(weights, &outside, &others)?;
    }
}

/// Where little of the distribution counts: uniform numbers, of which as many are kept as leave the rest normal.
fn rejected(weights: &RawTensor, of: Truncated, generator: Option<&Generator>) -> Result<()> {
    let nearest = of.mean.min(of.high).max(of.low);
    let peak = -0.5 * ((nearest - of.mean) / of.deviation).powi(2);
    let mut pending: Option<RawTensor> = None;
    loop {
        let candidates = weights.new_like(&Options::new())?;
        uniform_(&candidates, of.low, of.high, generator)?;
        let chances = weights.new_like(&Options::new())?;
        uniform_(&chances, 0.0, 1.0, generator)?;
        let height = op(Op::Div, &op(Op::Sub, &candidates, of.mean)?, of.deviation)?;
        let height = op(Op::Sub, &op(Op::Mul, &op(Op::Pow, &height, 2)?, -0.5)?, peak)?;
        let refused = both(Op::Gt, &apply(Op::Log, &[RawOperand::Tensor(&chances)], &Params::none())?, &height)?;
        let still = match &pending {
            None => {
                weights.copy_(&candidates)?;
                refused
            }
            Some(pending) => {
                take_where(weights, pending, &candidates)?;
                both(Op::LogicalAnd, pending, &refused)?
            }
        };
        if weights.is_meta() || !any(&still)? {
            return Ok(());
        }
        pending = Some(still);
    }
}

/// PyTorch's `orthogonal_`: rows, or columns where there are fewer of these, of length `gain` and at right angles.
///
/// # Errors
/// For tensors of fewer than two dimensions, or of anything but `f32` and `f64`.
pub fn orthogonal_(weights: &RawTensor, gain: f64, generator: Option<&Generator>) -> Result<()> {
    if weights.rank() < 2 {
        return Err(Error::value("Only tensors with 2 or more dimensions are supported"));
    }
    if weights.numel() == 0 {
        return Ok(());
    }
    let rows = weights.sizes()[0];
    let columns = weights.numel() / rows;
    let as_matrix = weights.view(&[rows.cast_signed(), columns.cast_signed()])?;
    let start = RawTensor::new(&[rows, columns], &Options::new().dtype(weights.dtype()).device(weights.device())?)?;
    normal_(&start, 0.0, 1.0, generator)?;
    let tall = if rows < columns { start.t()? } else { start };
    let (height, width) = (rows.max(columns), rows.min(columns));
    let mut numbers: Vec<f64> = tall.to_dtype(DType::F64)?.contiguous(MemoryFormat::Contiguous)?.numbers()?;
    orthonormal(&mut numbers, height, width);
    let factor = RawTensor::from_vec(numbers, &[height, width])?;
    let factor = if rows < columns { factor.t()? } else { factor };
    as_matrix.copy_(&factor)?;
    apply_in_place(Op::Mul, &as_matrix, &[RawOperand::from(gain)], &Params::none())
}

/// Gram and Schmidt's way, twice for each column: the factor Q of a matrix whose R has a diagonal above zero.
fn orthonormal(matrix: &mut [f64], height: usize, width: usize) {
    let dot = |matrix: &[f64], i: usize, j: usize| (0..height).map(|row| matrix[row * width + i] * matrix[row * width + j]).sum::<f64>();
    for column in 0..width {
        for before in (0..2).flat_map(|_| 0..column) {
            let share = dot(matrix, before, column);
            (0..height).for_each(|row| matrix[row * width + column] -= share * matrix[row * width + before]);
        }
        let length = dot(matrix, column, column).sqrt();
        (0..height).for_each(|row| matrix[row * width + column] /= length);
    }
}

/// PyTorch's `sparse_`: normal numbers, of which in each column this share is zero, in places by the default generator.
///
/// # Errors
/// For tensors of other than two dimensions.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a size")]
pub fn sparse_(weights: &RawTensor, sparsity: f64, deviation: f64, generator: Option<&Generator>) -> Result<()> {
    let &[rows, columns] = weights.sizes() else { return Err(Error::value("Only tensors with 2 dimensions are supported")) };
    let zeros = ((sparsity * rows as f64).ceil() as usize).min(rows);
    normal_(weights, 0.0, deviation, generator)?;
    for column in 0..columns {
        let places: Vec<i64> = randperm(rows, &Options::new(), None)?.numbers()?;
        let column = weights.select(1, column.cast_signed())?;
        for place in &places[..zeros] {
            column.select(0, *place as isize)?.zero_()?;
        }
    }
    Ok(())
}

/// PyTorch's `eye_`: ones on the diagonal of a matrix, zeros elsewhere.
///
/// # Errors
/// For tensors of other than two dimensions.
pub fn eye_(weights: &RawTensor) -> Result<()> {
    if weights.rank() != 2 {
        return Err(Error::value("Only tensors with 2 dimensions are supported"));
    }
    weights.zero_()?;
    weights.diagonal(0, 0, 1)?.fill_(1)
}

/// PyTorch's `dirac_`: weights of a convolution that gives its input, for as many channels as it has, in groups.
///
/// # Errors
/// For tensors of other than three to five dimensions, and channels that don't divide into the groups.
pub fn dirac_(weights: &RawTensor, groups: usize) -> Result<()> {
    if !(3..=5).contains(&weights.rank()) {
        return Err(Error::value("Only tensors with 3, 4, or 5 dimensions are supported"));
    }
    let sizes = weights.sizes();
    if groups == 0 || !sizes[0].is_multiple_of(groups) {
        return Err(Error::value("dim 0 must be divisible by groups"));
    }
    weights.zero_()?;
    let each = sizes[0] / groups;
    for (group, channel) in (0..groups).flat_map(|group| (0..each.min(sizes[1])).map(move |channel| (group, channel))) {
        let mut place = weights.select(0, (group * each + channel).cast_signed())?.select(0, channel.cast_signed())?;
        for &size in &sizes[2..] {
            place = place.select(0, (size / 2).cast_signed())?;
        }
        place.fill_(1)?;
    }
    Ok(())
}
