//! `signal.windows` and `hann_window` and its like: by how much the numbers of a signal count from its beginning to its end.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// How numbers count.
#[derive(Clone, Copy)]
pub(super) enum Taper<'a> {
    Bartlett,
    Cosine,
    /// The logarithm falls by so much from place to place.
    Exponential {
        center: Option<f64>,
        tau: Scalar,
    },
    Gaussian(Scalar),
    Kaiser(Scalar),
    /// A sum of waves, and what messages call it.
    Waves(&'static str, &'a [f64]),
}

impl Taper<'_> {
    fn name(self) -> &'static str {
        match self {
            Self::Bartlett => "bartlett",
            Self::Cosine => "cosine",
            Self::Exponential { .. } => "exponential",
            Self::Gaussian(_) => "gaussian",
            Self::Kaiser(_) => "kaiser",
            Self::Waves(name, _) => name,
        }
    }

    /// That there is such a window.
    fn check(self, symmetric: bool) -> Result<()> {
        let text = match self {
            Self::Exponential { tau, .. } if tau.to_f64() <= 0.0 => format!("Tau must be positive, got: {} instead.", written(tau)),
            Self::Exponential { center: Some(_), .. } if symmetric => "Center must be None for symmetric windows".to_owned(),
            Self::Gaussian(std) if std.to_f64() <= 0.0 => format!("Standard deviation must be positive, got: {} instead.", written(std)),
            Self::Kaiser(beta) if beta.to_f64() < 0.0 => format!("beta must be non-negative, got: {} instead.", written(beta)),
            _ => return Ok(()),
        };
        Err(Error::value(text))
    }
}

/// A number as Python writes it.
fn written(number: Scalar) -> String {
    match number {
        Scalar::Int(whole) => whole.to_string(),
        other => format!("{:?}", other.to_f64()),
    }
}

/// PyTorch's `signal.windows.general_cosine`, which looks at coefficients where there are places for them.
pub(super) fn general_cosine(coefficients: Option<&[f64]>, count: isize, symmetric: bool, options: &Options) -> Result<RawTensor> {
    let taper = Taper::Waves("general_cosine", coefficients.unwrap_or_default());
    let window = window(taper, count, symmetric, options)?;
    match coefficients {
        None if count > 1 => Err(Error::type_error("Coefficients must be a list/tuple")),
        Some([]) if count > 1 => Err(Error::value("Coefficients cannot be empty")),
        _ => Ok(window),
    }
}

/// PyTorch's `signal.windows`: so many numbers, the last of which ends the window, or comes before its end.
pub(super) fn window(taper: Taper<'_>, count: isize, symmetric: bool, options: &Options) -> Result<RawTensor> {
    let (name, dtype) = (taper.name(), options.dtype.unwrap_or(crate::dtype::promotion_default()));
    let Ok(steps) = usize::try_from(count) else {
        return Err(Error::value(format!("{name} requires non-negative window length, got M={count}")));
    };
    if !matches!(dtype, DType::F32 | DType::F64) {
        return Err(Error::value(format!("{name} expects float32 or float64 dtypes, got: torch.{}", dtype.name())));
    }
    taper.check(symmetric)?;
    let options = Options { dtype: Some(dtype), ..*options };
    if steps < 2 {
        return RawTensor::full(&[steps], 1.0.into(), &options);
    }
    let (count, last) = (steps as f64, steps as f64 - 1.0);
    let whole = if symmetric { last } else { count };
    let spaced = |start: f64, end: f64| RawTensor::linspace(start, end, steps, &options).map(Value::from);
    let along = |start: f64, by: f64| spaced(start * by, (start + last) * by);
    let found = match taper {
        Taper::Bartlett => {
            let by = 2.0 / whole;
            binary(Op::Sub, &1.0.into(), unary(Op::Abs, &spaced(-1.0, -1.0 + last * by)?))
        }
        Taper::Cosine => unary(Op::Sin, &along(0.5, std::f64::consts::PI / (whole + 1.0))?),
        Taper::Exponential { center, tau } => {
            let center = center.unwrap_or(whole / 2.0);
            unary(Op::Exp, &unary(Op::Neg, &unary(Op::Abs, &along(-center, 1.0 / tau.to_f64())?)))
        }
        Taper::Gaussian(deviation) => {
            let x = along(-whole / 2.0, 1.0 / (deviation.to_f64() * std::f64::consts::SQRT_2))?;
            unary(Op::Exp, &unary(Op::Neg, &binary(Op::Mul, &x, &x)))
        }
        Taper::Kaiser(beta) => {
            let beta = beta.to_f64();
            let x = spaced(-beta, beta.min(-beta + last * 2.0 * beta / whole))?;
            let size = unary(Op::Sqrt, &binary(Op::Sub, &(beta * beta).into(), binary(Op::Mul, &x, &x))).tensor()?;
            let most = RawTensor::full(&[], beta.into(), &options)?;
            binary(Op::Div, &one(Function::I0, &[(&size).into()])?.into(), one(Function::I0, &[(&most).into()])?)
        }
        Taper::Waves(_, factors) => {
            let x = spaced(0.0, last * std::f64::consts::TAU / whole)?;
            let signed: Vec<f64> = factors.iter().zip([1.0, -1.0].into_iter().cycle()).map(|(factor, sign)| factor * sign).collect();
            let rows = factors.len();
            let factors = RawTensor::from_vec(signed, &[rows, 1])?.to_device(x.tensor()?.device())?;
            let steps = RawTensor::from_vec((0..rows as i64).collect(), &[rows, 1])?.to_device(factors.device())?;
            let waves = unary(Op::Cos, &binary(Op::Mul, &steps.into(), &x));
            let waves = binary(Op::Mul, &Value::from(factors).cast(dtype), waves).tensor()?;
            return one(Function::SumDims, &[(&waves).into(), CallArgument::Ints(&[0])]);
        }
    };
    found.tensor()
}

/// The windows that PyTorch has beside `signal.windows`.
#[derive(Clone, Copy)]
pub(super) enum Envelope {
    /// A number less a wave, and what messages call it.
    Waves(&'static str, [f64; 2]),
    Blackman,
    Bartlett,
    Kaiser(f64),
}

/// PyTorch's `hann_window` and its like: so many numbers, the last of which ends the window, or comes before its end if it is periodic.
pub(super) fn periodic(window: Envelope, length: isize, periodic: bool, options: &Options) -> Result<RawTensor> {
    let dtype = options.dtype.unwrap_or(crate::dtype::promotion_default());
    let name = match window {
        Envelope::Waves(name, _) => name,
        Envelope::Blackman => "blackman_window",
        Envelope::Bartlett => "bartlett_window",
        Envelope::Kaiser(_) => "kaiser_window",
    };
    if !dtype.is_floating_point() && !dtype.is_complex() {
        let options = "layout=Strided (default), requires_grad=false (default), pinned_memory=false, memory_format=(nullopt)";
        let (dtype, device) = (crate::dtype::cpp_name(dtype), crate::device::Device::CPU);
        return Err(Error::runtime(format!(
            "{name} expects floating point dtypes, got: TensorOptions(dtype={dtype}, device={device}, {options})"
        )));
    }
    let Ok(count) = usize::try_from(length) else {
        return Err(Error::runtime(format!("{name} requires non-negative window_length, got window_length={length}")));
    };
    if dtype.is_complex() {
        return Err(crate::element::unsupported("arange_cpu", dtype));
    }
    let options = Options { dtype: Some(dtype), ..*options };
    if count < 2 {
        return RawTensor::full(&[count], 1.0.into(), &options);
    }
    let last = (count - usize::from(!periodic)) as f64;
    let places = Value::from(RawTensor::arange(Scalar::Int(0), Scalar::Float(last + 1.0), Scalar::Int(1), &options)?);
    let wave = |by: f64| unary(Op::Cos, &binary(Op::Mul, &places, by));
    let found = match window {
        Envelope::Waves(_, [level, height]) => binary(Op::Add, &binary(Op::Mul, &wave(std::f64::consts::TAU / last), -height), level),
        Envelope::Blackman => {
            let x = binary(Op::Mul, &places, std::f64::consts::PI / last);
            let wave = |times: f64, height: f64| binary(Op::Mul, &unary(Op::Cos, &binary(Op::Mul, &x, times)), height);
            binary(Op::Add, &binary(Op::Sub, &wave(4.0, 0.08), wave(2.0, 0.5)), 0.42)
        }
        Envelope::Bartlett => {
            let up = binary(Op::Mul, &places, 2.0 / last);
            binary(Op::Minimum, &up, binary(Op::Sub, &2.0.into(), &up))
        }
        Envelope::Kaiser(beta) => {
            let middle = last / 2.0;
            let x = binary(Op::Div, &binary(Op::Sub, &places, middle), middle);
            let height = unary(Op::Sqrt, &binary(Op::Sub, &1.0.into(), binary(Op::Mul, &x, &x)));
            let height = binary(Op::Mul, &height, beta).tensor()?;
            let most = RawTensor::full(&[], beta.into(), &options)?;
            binary(Op::Div, &one(Function::I0, &[(&height).into()])?.into(), one(Function::I0, &[(&most).into()])?)
        }
    };
    found.tensor()?.narrow(0, 0, length)
}
