//! The types that tensors hold: those of latten-elements, and one for all that only the run knows. As a type of this crate it is told apart from
//! the others by the compiler.

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use crate::error::{Error, Result};
use crate::scalar::Scalar;
use latten_elements::element::private;
use latten_elements::loops::formula::Formula;

pub use latten_elements::element::{AreNumbers, AreTruths, Element, Held, Native};

/// What PyTorch says where a kernel doesn't take a dtype.
pub(crate) fn unsupported(kernel: &str, dtype: DType) -> Error {
    Error::not_implemented(format!("\"{kernel}\" not implemented for '{}'", dtype.message_name()))
}

/// That a dtype is a real float that computes.
///
/// # Errors
/// [`unsupported`], where it isn't.
pub(crate) fn check_float(kernel: &str, dtype: DType) -> Result<()> {
    if dtype.is_floating_point() && dtype.is_computing() { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

/// What only the run knows: a dtype, or a whole shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Any;

impl private::Sealed for Any {}
impl Element for Any {
    const KNOWN_DTYPE: Option<DType> = None;
    type Are = AreNumbers;
    type Truth = Self;
}

#[rustfmt::skip]
impl Held for Any {
    type Computing = Self;
    const IS_HALF: bool = false;
    const IS_COMPLEX: bool = false;

    #[inline(always)]
    fn to<T: Held>(self) -> T { T::of_bool(false) }
    #[inline(always)]
    fn of_scalar(_: Scalar) -> Self { Self }
    #[inline(always)]
    fn of_bool(_: bool) -> Self { Self }
    #[inline(always)]
    fn of_u8(_: u8) -> Self { Self }
    #[inline(always)]
    fn of_i8(_: i8) -> Self { Self }
    #[inline(always)]
    fn of_i16(_: i16) -> Self { Self }
    #[inline(always)]
    fn of_i32(_: i32) -> Self { Self }
    #[inline(always)]
    fn of_i64(_: i64) -> Self { Self }
    #[inline(always)]
    fn of_f16(_: f16) -> Self { Self }
    #[inline(always)]
    fn of_bf16(_: bf16) -> Self { Self }
    #[inline(always)]
    fn of_f32(_: f32) -> Self { Self }
    #[inline(always)]
    fn of_f64(_: f64) -> Self { Self }
    #[inline(always)]
    fn of_c32(_: Complex<f16>) -> Self { Self }
    #[inline(always)]
    fn of_c64(_: Complex<f32>) -> Self { Self }
    #[inline(always)]
    fn of_c128(_: Complex<f64>) -> Self { Self }
}

/// The formula of an operation on dtypes that only the run knows: none.
#[derive(Debug)]
pub enum Unknown {}

impl Formula for Unknown {
    type In = Any;
    type Out = Any;
    const WEIGHT: usize = 1;

    #[inline(always)]
    fn at(_: [Any; 3], _: [Any; 3]) -> Any {
        Any
    }
}
