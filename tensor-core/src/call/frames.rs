//! PyTorch's `stft` and `istft`: Fourier transforms of parts of a signal that begin at equal distances, declared in terms of other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::raw::{RawTensor, type_name};
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;
use crate::warning;

/// How a signal is cut into parts, and what becomes of them.
#[derive(Clone, Copy)]
pub(super) struct Frames<'a> {
    pub(super) size: isize,
    pub(super) hop: Option<isize>,
    pub(super) width: Option<isize>,
    pub(super) window: Option<&'a RawTensor>,
    pub(super) center: bool,
    pub(super) normalized: bool,
    pub(super) onesided: Option<bool>,
}

/// Something or nothing as messages have it.
fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "None".to_owned(), |value| value.to_string())
}

fn part(tensor: &RawTensor, dim: isize, start: isize, length: isize) -> Result<RawTensor> {
    one(Function::Narrow, &[tensor.into(), dim.into(), start.into(), length.into()])
}

fn padded(tensor: &RawTensor, pad: [isize; 2]) -> Result<RawTensor> {
    if pad == [0, 0] {
        return Ok(tensor.clone());
    }
    one(Function::ConstantPadNd, &[tensor.into(), pad[..].into(), 0.into()])
}

impl Frames<'_> {
    fn hop(&self) -> isize {
        self.hop.unwrap_or(self.size.div_euclid(4))
    }

    fn width(&self) -> isize {
        self.width.unwrap_or(self.size)
    }

    /// The arguments as messages have them, from the second one on.
    fn described(&self) -> String {
        let window = shown(self.window.map(|window| format!("{}{{{:?}}}", type_name(window), window.sizes())));
        format!("n_fft={}, hop_length={}, win_length={}, window={window}", self.size, self.hop(), self.width())
    }

    fn flags(&self) -> String {
        format!("normalized={}, onesided={}", u8::from(self.normalized), shown(self.onesided.map(u8::from)))
    }

    /// Whether the window has as many numbers as it should.
    fn fits(&self) -> bool {
        self.window.is_none_or(|window| window.sizes() == [self.width().cast_unsigned()])
    }

    /// By how much each number of a part counts; zeros at both ends of a narrow window.
    fn weights(&self, like: &RawTensor) -> Result<RawTensor> {
        let window = match self.window {
            Some(window) => window.clone(),
            None => {
                let options = Options { dtype: Some(like.dtype().to_real()), device: Some(like.device()), format: None };
                RawTensor::full(&[self.width().cast_unsigned()], Scalar::Float(1.0), &options)?
            }
        };
        let left = (self.size - self.width()) / 2;
        padded(&window, [left, self.size - self.width() - left])
    }
}

/// PyTorch's `stft`.
pub(super) fn stft(
    input: &RawTensor,
    frames: Frames<'_>,
    mode: &str,
    return_complex: Option<bool>,
    align: Option<bool>,
) -> Result<RawTensor> {
    if frames.center && align.is_some() {
        return Err(Error::runtime("stft align_to_window should only be set when center = false"));
    }
    let mut signal = input.clone();
    if frames.center {
        let wide = [vec![1; 3_usize.saturating_sub(input.rank())], signed(input.sizes())].concat();
        let half = frames.size / 2;
        let deep = one(Function::Reshape, &[input.into(), wide[..].into()])?;
        let deep = one(Function::Pad, &[(&deep).into(), [half, half][..].into(), mode.into()])?;
        let own = &deep.sizes()[deep.rank() - input.rank().max(1)..];
        signal = one(Function::Reshape, &[(&deep).into(), signed(own)[..].into()])?;
    }
    let of_complex = input.dtype().is_complex() || frames.window.is_some_and(|window| window.dtype().is_complex());
    let Some(complex_result) = return_complex.or(of_complex.then_some(true)) else {
        return Err(Error::runtime(
            "stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release.",
        ));
    };
    let length = signal.sizes().last().map_or(0, |size| size.cast_signed());
    check(&signal, &frames, length, (return_complex, align))?;
    let flat = signal.rank() == 1;
    if flat {
        signal = one(Function::Unsqueeze, &[(&signal).into(), 0.into()])?;
    }
    if align == Some(true) {
        let left = (frames.size - frames.width()) / 2;
        signal = padded(&signal, [left, frames.size - frames.width() - left])?;
    }
    let mut parts = one(Function::Unfold, &[(&signal).into(), 1.into(), frames.size.into(), frames.hop().into()])?;
    if frames.window.is_some() || frames.width() < frames.size {
        parts = binary(Op::Mul, &(&parts).into(), frames.weights(&signal)?).tensor()?;
    }
    let onesided = frames.onesided.unwrap_or(!of_complex);
    let normalization = CallArgument::Int(isize::from(frames.normalized));
    let last = [2_isize];
    let found = if of_complex {
        if onesided {
            return Err(Error::runtime("Cannot have onesided output if window or input is complex"));
        }
        one(Function::FftC2c, &[(&parts).into(), last[..].into(), normalization, true.into()])?
    } else {
        one(Function::FftR2c, &[(&parts).into(), last[..].into(), normalization, onesided.into()])?
    };
    let mut found = one(Function::Transpose, &[(&found).into(), 1.into(), 2.into()])?;
    if flat {
        found = one(Function::SqueezeDim, &[(&found).into(), 0_isize.into()])?;
    }
    if complex_result { Ok(found) } else { one(Function::ViewAsReal, &[(&found).into()]) }
}

/// That a signal can be cut in this way.
fn check(signal: &RawTensor, frames: &Frames<'_>, length: isize, (complex, align): (Option<bool>, Option<bool>)) -> Result<()> {
    let dtype = signal.dtype();
    let refused = |text: String| {
        let (name, sizes, described, flags) = (type_name(signal), signal.sizes(), frames.described(), frames.flags());
        let (complex, align) = (shown(complex.map(u8::from)), shown(align.map(u8::from)));
        format!("stft({name}{sizes:?}, {described}, {flags}, return_complex={complex}, align_to_window={align}) : {text}")
    };
    if !dtype.is_floating_point() && !dtype.is_complex() {
        return Err(Error::not_implemented(refused("expected a tensor of floating point or complex values".to_owned())));
    }
    let size = frames.size;
    let text = if !matches!(signal.rank(), 1 | 2) {
        "expected a 1D or 2D tensor".to_owned()
    } else if size <= 0 || size > length {
        format!("expected 0 < n_fft < {length}, but got n_fft={size}")
    } else if frames.hop() <= 0 {
        format!("expected hop_length > 0, but got hop_length={}", frames.hop())
    } else if frames.width() <= 0 || frames.width() > size {
        format!("expected 0 < win_length <= n_fft, but got win_length={}", frames.width())
    } else if let Some(window) = frames.window.filter(|_| !frames.fits()) {
        let (width, own) = (frames.width(), window.sizes());
        format!("expected a 1D window tensor of size equal to win_length={width}, but got window with size {own:?}")
    } else {
        return Ok(());
    };
    Err(Error::runtime(refused(text)))
}

/// Parts laid one over the other at equal distances, and summed.
fn overlaid(parts: &Value, hop: isize, like: &RawTensor) -> Result<RawTensor> {
    let parts = parts.tensor()?;
    let &[batch, count, size] = parts.sizes() else { return Err(Error::runtime("parts are rows of numbers")) };
    let options = |dtype: DType| Options { dtype: Some(dtype), device: Some(like.device()), format: None };
    let from = |count: usize, step: isize| {
        RawTensor::arange(0.into(), (count as i64 * step as i64).into(), Scalar::Int(step as i64), &options(DType::I64))
    };
    let starts = one(Function::Unsqueeze, &[(&from(count, hop)?).into(), 1.into()])?;
    let places = binary(Op::Add, &starts.into(), from(size, 1)?).tensor()?;
    let places = one(Function::Reshape, &[(&places).into(), [-1_isize][..].into()])?;
    let flat = one(Function::Reshape, &[(&parts).into(), [batch.cast_signed(), (count * size).cast_signed()][..].into()])?;
    let whole = size + hop.cast_unsigned() * (count - 1);
    let zeros = RawTensor::zeros(&[batch, whole], &options(parts.dtype()))?;
    one(Function::IndexAdd, &[(&zeros).into(), 1.into(), (&places).into(), (&flat).into()])
}

/// PyTorch's `istft`: the signal whose parts have these transforms.
pub(super) fn istft(input: &RawTensor, frames: Frames<'_>, length: Option<isize>, return_complex: bool) -> Result<RawTensor> {
    let described = || {
        let (name, sizes, center) = (type_name(input), input.sizes(), u8::from(frames.center));
        let (flags, length, complex) = (frames.flags(), shown(length), u8::from(return_complex));
        let described = frames.described();
        format!("istft({name}{sizes:?}, {described}, center={center}, {flags}, length={length}, return_complex={complex})")
    };
    let refused = |text: &str| Err(Error::runtime(format!("{} : {text}", described())));
    if !input.dtype().is_complex() {
        return Err(Error::type_error(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
        ));
    }
    // Of complex numbers seen as pairs, the numbers of parts and of frequencies.
    wrap_dim(-2, input.rank() + 1)?;
    let own = input.sizes()[wrap_dim(-3, input.rank() + 1)?];
    if input.numel() == 0 {
        return refused("input tensor cannot be empty.");
    }
    if input.rank() > 3 {
        return refused(&format!("expected a tensor with 3 or 4 dimensions, but got {}", input.rank() + 1));
    }
    let (size, own, half) = (frames.size, own.cast_signed(), frames.size / 2 + 1);
    let onesided = frames.onesided.unwrap_or(own != size);
    if own != if onesided { half } else { size } {
        let expected = if onesided { "n_fft / 2 + 1 when onesided=True" } else { "n_fft when onesided=False" };
        return refused(&format!(
            "expected the frequency dimension (3rd to the last) of the input tensor to match {expected}, but got {own}"
        ));
    }
    if frames.hop() <= 0 || frames.hop() > frames.width() {
        return refused("expected 0 < hop_length <= win_length");
    }
    if frames.width() <= 0 || frames.width() > size {
        return refused("expected 0 < win_length <= n_fft");
    }
    if !frames.fits() {
        return refused("Invalid window shape. window has to be 1D and length of `win_length`");
    }
    let of_complex = frames.window.is_some_and(|window| window.dtype().is_complex());
    if of_complex && !return_complex {
        return Err(Error::runtime("Complex windows are incompatible with return_complex=False"));
    }
    if return_complex && onesided {
        return Err(Error::runtime("Cannot have onesided output if window or input is complex"));
    }
    let batch = if input.rank() == 2 { one(Function::Unsqueeze, &[input.into(), 0.into()])? } else { input.clone() };
    let parts = one(Function::Transpose, &[(&batch).into(), 1.into(), 2.into()])?;
    let found = joined(&parts, &frames, length, return_complex, &described)?;
    if input.rank() == 2 { one(Function::SqueezeDim, &[(&found).into(), 0_isize.into()]) } else { Ok(found) }
}

/// The signal out of the transforms of its parts, by the window that they were cut with.
fn joined(
    parts: &RawTensor,
    frames: &Frames<'_>,
    length: Option<isize>,
    complex: bool,
    described: &dyn Fn() -> String,
) -> Result<RawTensor> {
    let size = frames.size;
    let normalization = CallArgument::Int(if frames.normalized { 1 } else { 2 });
    let last = [2_isize];
    let parts = if complex {
        one(Function::FftC2c, &[parts.into(), last[..].into(), normalization, false.into()])?
    } else {
        let half = part(parts, 2, 0, size / 2 + 1)?;
        one(Function::FftC2r, &[(&half).into(), last[..].into(), normalization, size.into()])?
    };
    let window = Value::from(frames.weights(&parts)?);
    let ones = Value::from(one(Function::OnesLike, &[(&part(&parts, 0, 0, 1)?).into()])?);
    let sums = overlaid(&binary(Op::Mul, &(&parts).into(), &window), frames.hop(), &parts)?;
    let heights = overlaid(&binary(Op::Mul, &ones, binary(Op::Mul, &window, &window)), frames.hop(), &parts)?;
    let whole = sums.sizes()[1].cast_signed();
    let start = if frames.center { size / 2 } else { 0 };
    let end = length.map_or(if frames.center { whole - size / 2 } else { whole }, |length| start + length);
    let inside = (end.min(whole) - start).max(0);
    let heights = part(&heights, 1, start, inside)?;
    let least = unary(Op::Abs, &(&heights).into()).reduced(Reduction::Min, &Along::all())?;
    if least.known()?.is_some_and(|least| least.to_f64() < 1e-11) {
        return Err(Error::runtime(format!("{} window overlap add min: 1\n[ CPUBoolType{{}} ]", described())));
    }
    let found = binary(Op::Div, &part(&sums, 1, start, inside)?.into(), heights).tensor()?;
    if end > whole {
        warning::warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. Please check your center and hop_length settings.",
        );
        return padded(&found, [0, end - whole]);
    }
    Ok(found)
}
