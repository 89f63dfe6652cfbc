//! dtypes at run time: the limits of each (`finfo`, `iinfo`), and the default one.
//! The table of dtypes itself is in the crate `tensor-spec`.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use latten_spec::dtype::Float8Format;
pub use latten_spec::{Category, DType, Level, can_cast};

use crate::error::{Error, Result};

/// What a floating dtype can represent; of a complex dtype, what its parts can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FInfo {
    /// The dtype, for a complex one that of its parts.
    pub dtype: DType,
    /// Bits of one number.
    pub bits: u32,
    /// The distance from 1 to the next number.
    pub eps: f64,
    /// The greatest finite number.
    pub max: f64,
    /// The least finite number.
    pub min: f64,
    /// The least positive number of full precision.
    pub smallest_normal: f64,
    /// The same: PyTorch has both names.
    pub tiny: f64,
    /// A power of ten near the relative precision.
    pub resolution: f64,
}

/// What an integer dtype can represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IInfo {
    /// The dtype.
    pub dtype: DType,
    /// Bits of one number.
    pub bits: u32,
    /// The greatest number.
    pub max: i128,
    /// The least number.
    pub min: i128,
}

/// How C++ calls a dtype, as some of PyTorch's messages do.
pub fn cpp_name(dtype: DType) -> String {
    match dtype {
        DType::Bool => "bool".to_owned(),
        DType::U8 => "unsigned char".to_owned(),
        DType::I8 => "signed char".to_owned(),
        DType::I16 => "short int".to_owned(),
        DType::U16 => "short unsigned int".to_owned(),
        DType::I32 => "int".to_owned(),
        DType::U32 => "unsigned int".to_owned(),
        DType::I64 => "long int".to_owned(),
        DType::U64 => "long unsigned int".to_owned(),
        DType::F32 => "float".to_owned(),
        DType::F64 => "double".to_owned(),
        complex if complex.is_complex() => format!("c10::complex<{}>", cpp_name(complex.to_real())),
        // others: classes of PyTorch.
        other => format!("c10::{}", other.message_name()),
    }
}

/// The limits of a floating or complex dtype.
///
/// # Errors
/// For integers and booleans.
///
/// ```
/// use latten_elements::dtype::{DType, finfo};
/// let half = finfo(DType::F16)?;
/// assert_eq!((half.max, half.resolution), (65504.0, 0.001));
/// # Ok::<(), latten_elements::error::Error>(())
/// ```
pub fn finfo(dtype: DType) -> Result<FInfo> {
    let dtype = dtype.to_real();
    // Bits of the significand without the first, and the exponent of the least normal number.
    let (mantissa, exponent, max) = match dtype {
        DType::F16 => (10, -14, 65504.0),
        DType::BF16 => (7, -126, 3.389_531_389_251_535_5e38),
        DType::F32 => (23, -126, f64::from(f32::MAX)),
        DType::F64 => (52, -1022, f64::MAX),
        // others: 8-bit floats, or refused.
        _ => {
            let refusal = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'";
            let format = dtype.float8().ok_or_else(|| Error::type_error(refusal))?;
            (format.mantissa, 1 - format.bias.cast_signed(), greatest(format))
        }
    };
    // A digit is three bits and a third.
    let digits = mantissa as usize * 3 / 10;
    let (smallest, eps) = (2_f64.powi(exponent), 0.5_f64.powi(mantissa.cast_signed()));
    let resolution = [1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6].get(digits).copied().unwrap_or(1e-15);
    Ok(FInfo { dtype, bits: dtype.bits(), eps, max, min: -max, smallest_normal: smallest, tiny: smallest, resolution })
}

/// The greatest finite number of an 8-bit float.
fn greatest(Float8Format { mantissa, bias, greatest, .. }: Float8Format) -> f64 {
    let (exponent, fraction) = (greatest >> mantissa, greatest & ((1 << mantissa) - 1));
    f64::from((1 << mantissa) + fraction) * 2_f64.powi(exponent.cast_signed() - (bias + mantissa).cast_signed())
}

/// The limits of an integer dtype.
///
/// # Errors
/// For anything else, and for quantised numbers.
pub fn iinfo(dtype: DType) -> Result<IInfo> {
    if dtype.is_quantized() {
        return Err(Error::not_implemented(format!("\"dtype\" not implemented for '{}'", dtype.message_name())));
    }
    match dtype.category() {
        Category::Integral => {}
        Category::Boolean => return Err(Error::type_error("torch.bool is not supported by torch.iinfo")),
        Category::Floating | Category::Complex => {
            return Err(Error::type_error("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"));
        }
    }
    let (min, max) = integer_limits(dtype);
    Ok(IInfo { dtype, bits: dtype.bits(), max, min })
}

/// The least and the greatest number of an integer dtype, quantised ones included.
pub fn integer_limits(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    if dtype.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// As PyTorch prints it: six digits.
impl fmt::Display for FInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [resolution, min, max, eps, smallest, tiny] =
            [self.resolution, self.min, self.max, self.eps, self.smallest_normal, self.tiny].map(six_digits);
        write!(f, "finfo(resolution={resolution}, min={min}, max={max}, eps={eps}, ")?;
        write!(f, "smallest_normal={smallest}, tiny={tiny}, dtype={})", self.dtype)
    }
}

/// As PyTorch prints it: six digits, also of integers.
impl fmt::Display for IInfo {
    #[expect(clippy::cast_precision_loss, reason = "six digits are printed")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iinfo(min={}, max={}, dtype={})", six_digits(self.min as f64), six_digits(self.max as f64), self.dtype)
    }
}

/// C's `%g`.
pub fn six_digits(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    let scientific = format!("{x:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() };
    match usize::try_from(5 - exponent) {
        Ok(decimals) if exponent >= -4 => trim(&format!("{x:.decimals$}")),
        _ => format!("{}e{}{:02}", trim(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

/// The complex dtype whose parts are of this one.
///
/// # Errors
/// "Unknown Complex ScalarType for Int".
pub fn to_complex(dtype: DType) -> Result<DType> {
    dtype.to_complex().ok_or_else(|| Error::runtime(format!("Unknown Complex ScalarType for {}", dtype.message_name())))
}

static DEFAULT: AtomicU8 = AtomicU8::new(DType::F32 as u8);
static SET: AtomicBool = AtomicBool::new(false);

/// Whether [`set_default_dtype`] was ever called: what one call found may be another one already.
pub fn default_was_set() -> bool {
    SET.load(Ordering::Acquire)
}

/// The dtype of floats that nobody gave one: `f32` until [`set_default_dtype`] says otherwise.
#[must_use]
pub fn default_dtype() -> DType {
    let code = DEFAULT.load(Ordering::Relaxed);
    DType::COMPUTING.get(usize::from(code)).copied().unwrap_or(DType::F32)
}

thread_local! {
    static TYPED: Cell<bool> = const { Cell::new(false) };
}

/// The default dtype of the rules of promotion: that of types is always `f32`.
pub fn promotion_default() -> DType {
    let default = default_dtype();
    if default == DType::F32 || TYPED.get() { DType::F32 } else { default }
}

/// While it lives, this thread promotes as the types of a result have said, if they have.
#[derive(Debug)]
pub struct AsTyped(bool);

impl AsTyped {
    /// Begins, where the types have said a result's dtype.
    #[must_use]
    pub fn new(known: bool) -> Self {
        // Whatever the default is now: another thread may change it meanwhile.
        Self(known && !TYPED.replace(true))
    }
}

impl Drop for AsTyped {
    fn drop(&mut self) {
        if self.0 {
            TYPED.set(false);
        }
    }
}

/// Changes [`default_dtype`], for the whole process. What types promise stays: `Tensor<i32, _> * 2.5` is a tensor of `f32`.
///
/// # Errors
/// For all but `f16`, `bf16`, `f32` and `f64`.
pub fn set_default_dtype(dtype: DType) -> Result<()> {
    if dtype.is_float8() {
        return Err(Error::type_error(format!("couldn't find storage object {}Storage", dtype.message_name())));
    }
    if !dtype.is_floating_point() {
        return Err(Error::type_error("only floating-point types are supported as the default type"));
    }
    SET.store(true, Ordering::Release);
    DEFAULT.store(dtype as u8, Ordering::Relaxed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{DType, default_dtype, finfo, iinfo, set_default_dtype};

    /// What PyTorch 2.15 prints.
    #[test]
    fn limits_are_those_of_pytorch() {
        let printed: &[(DType, &str)] = &[
            (
                DType::F16,
                "finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float16)",
            ),
            (
                DType::BF16,
                "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)",
            ),
            (
                DType::C64,
                "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
            ),
            (
                DType::F64,
                "finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)",
            ),
            (
                DType::F8E4M3Fn,
                "finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, dtype=float8_e4m3fn)",
            ),
            (
                DType::F8E5M2,
                "finfo(resolution=1, min=-57344, max=57344, eps=0.25, smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float8_e5m2)",
            ),
            (
                DType::F8E4M3FnUz,
                "finfo(resolution=1, min=-240, max=240, eps=0.125, smallest_normal=0.0078125, tiny=0.0078125, dtype=float8_e4m3fnuz)",
            ),
            (
                DType::F8E5M2FnUz,
                "finfo(resolution=1, min=-57344, max=57344, eps=0.25, smallest_normal=3.05176e-05, tiny=3.05176e-05, dtype=float8_e5m2fnuz)",
            ),
        ];
        for (dtype, expected) in printed {
            assert_eq!(finfo(*dtype).expect("a float").to_string(), *expected);
        }
        for (dtype, expected) in [
            (DType::U8, "iinfo(min=0, max=255, dtype=uint8)"),
            (DType::I16, "iinfo(min=-32768, max=32767, dtype=int16)"),
            (DType::I32, "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)"),
            (DType::I64, "iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)"),
            (DType::U64, "iinfo(min=0, max=1.84467e+19, dtype=uint64)"),
        ] {
            assert_eq!(iinfo(dtype).expect("an integer").to_string(), expected);
        }
        let half = finfo(DType::C32).expect("a float");
        assert_eq!((half.bits, half.eps, half.tiny), (16, 0.000_976_562_5, 6.103_515_625e-5));
        assert_eq!(finfo(DType::BF16).expect("a float").max, half::bf16::MAX.to_f64());
        assert_eq!(iinfo(DType::U64).expect("an integer").max, i128::from(u64::MAX));
    }

    #[test]
    fn limits_are_refused_in_pytorchs_words() {
        for (error, text) in [
            (finfo(DType::I8).err(), "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"),
            (iinfo(DType::C64).err(), "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"),
            (iinfo(DType::Bool).err(), "torch.bool is not supported by torch.iinfo"),
            (iinfo(DType::QI8).err(), "\"dtype\" not implemented for 'QInt8'"),
            (set_default_dtype(DType::I32).err(), "only floating-point types are supported as the default type"),
            (set_default_dtype(DType::C64).err(), "only floating-point types are supported as the default type"),
            (super::to_complex(DType::I32).err(), "Unknown Complex ScalarType for Int"),
        ] {
            assert_eq!(error.expect(text).message(), text);
        }
        assert_eq!(default_dtype(), DType::F32);
    }
}
