//! PyTorch's `fft`: what each of its functions makes of sizes, dimensions and factors, in terms of three transforms, and what these hand to
//! `fourier`.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::value::{Value, binary};
use super::{CallArgument, Function, cast, conj, one};
use crate::create::Options;
use crate::dtype::default_dtype;
use crate::elementwise::{Params, Target, run};
use crate::error::{Error, Result};
use crate::fourier::{self, Turning};
use crate::geometry::{wrap_dim, wrap_existing_dim};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::views::signed;

/// What goes in and comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    /// Complex numbers.
    Complex,
    /// Real numbers and half of their transform.
    ToHalf,
    /// The same the other way around.
    FromHalf,
}

/// One of the functions of `fft`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum {
    name: &'static str,
    sides: Sides,
    turning: Turning,
}

impl Spectrum {
    pub(super) const FFT: Self = Self { name: "fft", sides: Sides::Complex, turning: Turning::Forward };
    pub(super) const IFFT: Self = Self { name: "ifft", sides: Sides::Complex, turning: Turning::Backward };
    pub(super) const RFFT: Self = Self { name: "rfft", sides: Sides::ToHalf, turning: Turning::Forward };
    pub(super) const IRFFT: Self = Self { name: "irfft", sides: Sides::FromHalf, turning: Turning::Backward };
    pub(super) const HFFT: Self = Self { name: "hfft", sides: Sides::FromHalf, turning: Turning::Forward };
    pub(super) const IHFFT: Self = Self { name: "ihfft", sides: Sides::ToHalf, turning: Turning::Backward };

    /// What results are multiplied by: nothing, 1/√n or 1/n, as PyTorch numbers them.
    fn normalization(self, norm: Option<&str>) -> Result<isize> {
        match (norm, self.turning) {
            (None | Some("backward"), Turning::Forward) | (Some("forward"), Turning::Backward) => Ok(0),
            (Some("ortho"), _) => Ok(1),
            (None | Some("backward"), Turning::Backward) | (Some("forward"), Turning::Forward) => Ok(2),
            (Some(other), _) => Err(Error::runtime(format!("Invalid normalization mode: \"{other}\""))),
        }
    }

    /// That an output has a dtype of the result's kind.
    fn check(self, to: Target<'_>, suffix: &str, own: DType) -> Result<()> {
        let kind = if own.is_complex() { "complex" } else { "floating point" };
        match to.tensor().map(RawTensor::dtype) {
            Some(there) if there.is_complex() != own.is_complex() || !there.is_complex() && !there.is_floating_point() => {
                let (name, found) = (self.name, there.message_name());
                Err(Error::runtime(format!("{name}{suffix} expects a {kind} output tensor, but got {found}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What was found, in an output.
    fn put(self, to: Target<'_>, suffix: &str, found: RawTensor) -> Result<RawTensor> {
        self.check(to, suffix, found.dtype())?;
        to.take(found)
    }
}

/// The conjugates of what was found, in an output of its dtype.
fn put_conj(to: Target<'_>, found: RawTensor, words: impl FnOnce(&str, &str) -> String) -> Result<RawTensor> {
    let own = found.dtype();
    match to.tensor().map(RawTensor::dtype) {
        Some(there) if there != own => Err(Error::runtime(words(there.message_name(), own.message_name()))),
        // PyTorch's is an elementwise result: an output of other sizes lies as what was found does.
        Some(_) => run(Op::Conj.into(), &[(&found).into()], to, &Params::none()),
        None => conj(&found),
    }
}

/// Numbers of a dtype that is transformed.
fn promoted(input: &RawTensor, to_complex: bool) -> Result<RawTensor> {
    let own = input.dtype();
    if own.is_complex() {
        return Ok(input.clone());
    }
    let real = if own.is_floating_point() { own } else { default_dtype() };
    if !matches!(real, DType::F32 | DType::F64) {
        return Err(Error::not_implemented(format!("Unsupported dtype {}", real.message_name())));
    }
    let dtype = if to_complex { real.to_complex().unwrap_or(real) } else { real };
    cast(input, dtype)
}

fn number_of_points(size: isize) -> Result<()> {
    if size >= 1 { Ok(()) } else { Err(Error::runtime(format!("Invalid number of data points ({size}) specified"))) }
}

/// As many elements along dimensions: the first ones, or zeros behind them.
fn resized(input: &RawTensor, dims: &[usize], sizes: &[isize]) -> Result<RawTensor> {
    let mut tensor = input.clone();
    let mut pad = vec![0; 2 * input.rank()];
    for (&dim, &size) in dims.iter().zip(sizes) {
        let own = tensor.sizes()[dim].cast_signed();
        if size < own {
            tensor = one(Function::Narrow, &[(&tensor).into(), dim.cast_signed().into(), 0.into(), size.into()])?;
        }
        // The last dimension comes first.
        pad[2 * (input.rank() - 1 - dim) + 1] = (size - own).max(0);
    }
    if pad.iter().all(|&added| added == 0) {
        Ok(tensor)
    } else {
        one(Function::ConstantPadNd, &[(&tensor).into(), pad[..].into(), 0.into()])
    }
}

fn turned(to: Target<'_>, input: &RawTensor, dims: &[usize], normalization: isize, turning: Turning) -> Result<RawTensor> {
    to.last(Function::FftC2c, &[input.into(), signed(dims)[..].into(), normalization.into(), (turning == Turning::Forward).into()])
}

fn halved(to: Target<'_>, input: &RawTensor, dims: &[usize], normalization: isize, onesided: bool) -> Result<RawTensor> {
    to.last(Function::FftR2c, &[input.into(), signed(dims)[..].into(), normalization.into(), onesided.into()])
}

fn made_real(to: Target<'_>, input: &RawTensor, dims: &[usize], normalization: isize, size: isize) -> Result<RawTensor> {
    to.last(Function::FftC2r, &[input.into(), signed(dims)[..].into(), normalization.into(), size.into()])
}

/// PyTorch's `fft.fft` and its kin along one dimension.
pub(super) fn along_one(
    to: Target<'_>,
    of: Spectrum,
    input: &RawTensor,
    n: Option<isize>,
    dim: isize,
    norm: Option<&str>,
) -> Result<RawTensor> {
    if of.sides == Sides::ToHalf && input.dtype().is_complex() {
        let (name, found) = (of.name, input.dtype().message_name());
        return Err(Error::type_error(format!("{name} expects a real input tensor, but got {found}")));
    }
    let input = promoted(input, of.sides == Sides::FromHalf)?;
    let dims = [wrap_existing_dim(dim, input.rank())?];
    let own = input.sizes()[dims[0]].cast_signed();
    let size = n.unwrap_or(if of.sides == Sides::FromHalf { 2 * (own - 1) } else { own });
    number_of_points(size)?;
    let taken = if of.sides == Sides::FromHalf { size / 2 + 1 } else { size };
    let input = if n.is_some() { resized(&input, &dims, &[taken])? } else { input };
    let normalization = of.normalization(norm)?;
    let found = match of.sides {
        Sides::Complex if input.dtype().is_complex() => turned(to, &input, &dims, normalization, of.turning)?,
        Sides::FromHalf if of.turning == Turning::Forward => made_real(to, &conj(&input)?, &dims, normalization, size)?,
        Sides::FromHalf => made_real(to, &input, &dims, normalization, size)?,
        Sides::Complex | Sides::ToHalf => {
            // What is conjugated afterwards isn't the last of it.
            let own = if of.turning == Turning::Backward { Target::New } else { to };
            let found = halved(own, &input, &dims, normalization, of.sides == Sides::ToHalf)?;
            if of.turning == Turning::Backward {
                of.check(to, "", found.dtype())?;
                return put_conj(to, found, |there, own| format!("Found dtype {there} but expected {own}"));
            }
            found
        }
    };
    of.put(to, "", found)
}

/// Which dimensions are meant, and how many elements there shall be along each.
fn canonical(input: &RawTensor, sizes: Option<&[isize]>, dims: Option<&[isize]>) -> Result<(Vec<usize>, Vec<isize>)> {
    let rank = input.rank();
    let dims = match (dims, sizes) {
        (Some(dims), _) => dims.iter().map(|&dim| wrap_existing_dim(dim, rank)).collect::<Result<Vec<usize>>>()?,
        (None, Some(sizes)) if sizes.len() > rank => {
            let count = sizes.len();
            return Err(Error::runtime(format!("Got shape with {count} values but input tensor only has {rank} dimensions.")));
        }
        (None, Some(sizes)) => (rank - sizes.len()..rank).collect(),
        (None, None) => (0..rank).collect(),
    };
    if (1..dims.len()).any(|at| dims[..at].contains(&dims[at])) {
        return Err(Error::runtime("FFT dims must be unique"));
    }
    if sizes.is_some_and(|sizes| sizes.len() != dims.len()) {
        return Err(Error::runtime("When given, dim and shape arguments must have the same length"));
    }
    let own = |at: usize| input.sizes().get(dims[at]).copied().unwrap_or(1).cast_signed();
    let size = |at: usize| sizes.map(|sizes| sizes[at]).filter(|&size| size != -1).unwrap_or_else(|| own(at));
    let sizes: Vec<isize> = (0..dims.len()).map(size).collect();
    sizes.iter().try_for_each(|&size| number_of_points(size))?;
    Ok((dims, sizes))
}

/// PyTorch's `fft.fft2` and its kin: along the last two dimensions, where none are given.
pub(super) fn along_two(
    to: Target<'_>,
    of: Spectrum,
    input: &RawTensor,
    s: Option<&[isize]>,
    dim: Option<&[isize]>,
    norm: Option<&str>,
) -> Result<RawTensor> {
    along_several(to, of, input, s, Some(dim.unwrap_or(&[-2, -1])), norm)
}

/// PyTorch's `fft.fftn` and its kin.
pub(super) fn along_several(
    to: Target<'_>,
    of: Spectrum,
    input: &RawTensor,
    s: Option<&[isize]>,
    dim: Option<&[isize]>,
    norm: Option<&str>,
) -> Result<RawTensor> {
    let name = of.name;
    if of.sides == Sides::ToHalf && of.turning == Turning::Forward && input.dtype().is_complex() {
        return Err(Error::type_error(format!("{name}n expects a real-valued input tensor, but got {}", input.dtype().message_name())));
    }
    // The dtype is looked at last.
    let (dims, mut sizes) = canonical(input, s, dim)?;
    let Some((last, outer)) = dims.split_last() else {
        return match of.sides {
            Sides::Complex => Spectrum::FFT.put(to, "n", turned(to, &promoted(input, true)?, &dims, of.normalization(norm)?, of.turning)?),
            Sides::ToHalf | Sides::FromHalf => Err(Error::runtime(format!("{name}n must transform at least one axis"))),
        };
    };
    let mut size = sizes[outer.len()];
    if of.sides == Sides::FromHalf {
        // The last size is that of the result.
        if s.is_none_or(|sizes| sizes.last() == Some(&-1)) {
            size = 2 * (size - 1);
        }
        number_of_points(size)?;
        sizes[outer.len()] = size / 2 + 1;
    }
    let normalization = of.normalization(norm)?;
    let input = resized(&promoted(input, of.sides != Sides::ToHalf)?, &dims, &sizes)?;
    let found = match (of.sides, of.turning) {
        (Sides::Complex, turning) => turned(to, &input, &dims, normalization, turning)?,
        (Sides::ToHalf, Turning::Forward) => halved(to, &input, &dims, normalization, true)?,
        (Sides::FromHalf, Turning::Backward) => made_real(to, &input, &dims, normalization, size)?,
        (Sides::ToHalf, Turning::Backward) => {
            let found = halved(Target::New, &input, &[*last], normalization, true)?;
            if outer.is_empty() {
                return put_conj(to, found, |there, own| format!("Found dtype {own} but expected {there}"));
            }
            if found.is_concerned() {
                // Its history ends in a transform, as PyTorch's does.
                return of.put(to, "n", turned(to, &conj(&found)?, outer, normalization, Turning::Backward)?);
            }
            // Of conjugates the way back gives the conjugates of the way there: what is done last goes into any output.
            let found = turned(Target::New, &found, outer, normalization, Turning::Forward)?;
            of.check(to, "n", found.dtype())?;
            return if to.is_new() { conj(&found) } else { run(Op::Conj.into(), &[(&found).into()], to, &Params::none()) };
        }
        (Sides::FromHalf, Turning::Forward) => {
            let found = if outer.is_empty() { input } else { turned(Target::New, &input, outer, normalization, Turning::Forward)? };
            made_real(to, &conj(&found)?, &[*last], normalization, size)?
        }
    };
    // Of complex numbers PyTorch calls both ways so.
    (if of.sides == Sides::Complex { Spectrum::FFT } else { of }).put(to, "n", found)
}

/// PyTorch's `fft.fftshift`, which puts what belongs to zero into the middle, and the way back.
pub(super) fn shifted(input: &RawTensor, dims: Option<&[isize]>, rounded_up: usize) -> Result<RawTensor> {
    let dims: Vec<usize> = match dims {
        Some(dims) => dims.iter().map(|&dim| wrap_dim(dim, input.rank())).collect::<Result<_>>()?,
        None => (0..input.rank()).collect(),
    };
    let by: Vec<usize> = dims.iter().map(|&dim| (input.sizes().get(dim).copied().unwrap_or(1) + rounded_up) / 2).collect();
    one(Function::Roll, &[input.into(), CallArgument::Ints(&signed(&by)), CallArgument::Ints(&signed(&dims))])
}

/// PyTorch's `fft.fftfreq` and `fft.rfftfreq`: which frequencies the numbers of a transform stand for, of samples that are `distance` apart.
pub(super) fn frequencies(name: &str, count: isize, distance: f64, options: &Options) -> Result<RawTensor> {
    let dtype = options.dtype.unwrap_or(crate::dtype::promotion_default());
    let size = if name == "rfftfreq" { count / 2 + 1 } else { count };
    if size < 0 {
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension {size}: [{size}]")));
    }
    if !dtype.is_floating_point() && !dtype.is_complex() {
        return Err(Error::runtime(format!("{name} requires a floating point or complex dtype")));
    }
    let options = Options { dtype: Some(dtype), ..*options };
    let row = |start: isize, end: isize| RawTensor::arange((start as i64).into(), (end as i64).into(), Scalar::Int(1), &options);
    let places = if name == "rfftfreq" {
        row(0, size)?
    } else {
        let (first, second) = (row(0, count - count / 2)?, row(-(count / 2), 0)?);
        crate::joins::cat(&[&first, &second], 0, Target::New)?
    };
    #[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^50")]
    let step = 1.0 / (count as f64 * distance);
    binary(Op::Mul, &(&places).into(), step).tensor()
}

fn factor(normalization: isize, sizes: impl Iterator<Item = usize>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^50")]
    let points: f64 = sizes.map(|size| size as f64).product();
    match normalization {
        1 => 1.0 / points.sqrt(),
        2 => 1.0 / points,
        // others: PyTorch has no other number for it than 0.
        _ => 1.0,
    }
}

/// The dimensions as they are gone along: those with larger strides first, and the last one behind them if it has a place of its own.
fn sorted(input: &RawTensor, dims: &[isize], last_stays: bool) -> Result<Vec<usize>> {
    let mut dims = dims.iter().map(|&dim| wrap_existing_dim(dim, input.rank())).collect::<Result<Vec<usize>>>()?;
    if dims.is_empty() {
        return Err(Error::runtime("ArrayRef: attempted to access back() of empty list"));
    }
    let count = dims.len() - usize::from(last_stays);
    dims[..count].sort_by_key(|&dim| std::cmp::Reverse(input.strides()[dim]));
    Ok(dims)
}

/// A transform along dimensions: in double precision where there are several and the numbers are few, so that results are rounded once.
fn rounded_once(
    to: Target<'_>,
    input: &RawTensor,
    dims: &[isize],
    of: impl FnOnce(Target<'_>, &RawTensor) -> Result<RawTensor>,
) -> Result<RawTensor> {
    const FEW: usize = 1 << 12;
    let wide = match input.dtype() {
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        // others: there is nothing wider, or the transform refuses them.
        own => own,
    };
    let mut points = 1;
    for &dim in dims {
        points *= input.size(dim)?;
    }
    if dims.len() < 2 || points > FEW || wide == input.dtype() {
        return of(to, input);
    }
    let found = of(Target::New, &input.to_dtype(wide)?)?;
    Value::from(&found).cast(if found.dtype().is_complex() { DType::C64 } else { DType::F32 }).tensor_to(to)
}

/// PyTorch's `_fft_c2c`.
pub(super) fn complex(to: Target<'_>, input: &RawTensor, dims: &[isize], normalization: isize, forward: bool) -> Result<RawTensor> {
    if !input.dtype().is_complex() {
        return Err(Error::runtime(format!("Only supports complex dtypes, but found: {}", input.dtype().message_name())));
    }
    if dims.is_empty() {
        return input.clone_as(crate::layout::MemoryFormat::Preserve);
    }
    let sorted = sorted(input, dims, false)?;
    let factor = factor(normalization, sorted.iter().map(|&dim| input.sizes()[dim]));
    let turning = if forward { Turning::Forward } else { Turning::Backward };
    rounded_once(to, input, dims, |to, input| fourier::complex(to, input, &sorted, turning, factor))
}

/// PyTorch's `_fft_r2c`.
pub(super) fn of_real(to: Target<'_>, input: &RawTensor, dims: &[isize], normalization: isize, onesided: bool) -> Result<RawTensor> {
    if !input.dtype().is_floating_point() {
        return Err(Error::type_error(format!("Only supports floating-point dtypes, but found: {}", input.dtype().message_name())));
    }
    let sorted = sorted(input, dims, true)?;
    let factor = factor(normalization, sorted.iter().map(|&dim| input.sizes()[dim]));
    let (&last, outer) = sorted.split_last().ok_or_else(|| Error::runtime("rfftn must transform at least one axis"))?;
    if sorted.iter().any(|&dim| input.sizes()[dim] == 0) {
        let sizes: Vec<isize> = std::iter::once(-1).chain(sorted.iter().map(|&dim| input.sizes()[dim].cast_signed())).collect();
        return Err(Error::runtime(format!(
            "cannot reshape tensor of 0 elements into shape {sizes:?} because the unspecified dimension size -1 can be any value and is ambiguous"
        )));
    }
    rounded_once(to, input, dims, |to, input| {
        if outer.is_empty() {
            return fourier::of_real(to, input, last, factor, !onesided);
        }
        let found = fourier::of_real(Target::New, input, last, factor, false)?;
        if onesided {
            return fourier::complex_but_last(to, &found, outer, last);
        }
        let found = fourier::complex_but_last(Target::New, &found, outer, last)?;
        fourier::whole(to, &found, outer, last, input.sizes()[last])
    })
}

/// PyTorch's `_fft_c2r`.
pub(super) fn to_real(to: Target<'_>, input: &RawTensor, dims: &[isize], normalization: isize, size: isize) -> Result<RawTensor> {
    if !input.dtype().is_complex() {
        return Err(Error::runtime(format!("Only supports complex dtypes, but found: {}", input.dtype().message_name())));
    }
    let sorted = sorted(input, dims, true)?;
    let (&last, outer) = sorted.split_last().ok_or_else(|| Error::runtime("irfftn must transform at least one axis"))?;
    number_of_points(size)?;
    let size = size.cast_unsigned();
    let factor = factor(normalization, outer.iter().map(|&dim| input.sizes()[dim]).chain([size]));
    rounded_once(to, input, dims, |to, input| {
        let found = if outer.is_empty() { input.clone() } else { fourier::complex(Target::New, input, outer, Turning::Backward, 1.0)? };
        fourier::from_half(to, &found, last, size, factor)
    })
}
