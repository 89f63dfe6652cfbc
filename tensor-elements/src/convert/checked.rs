//! Numbers that a user writes into a tensor must fit its dtype: `fill_`, `full`, `masked_fill`, assignment, literals.

use latten_spec::dtype::Float8Format;
use latten_spec::{Category, DType};
use num_complex::Complex;

use super::CastFrom;
use crate::dtype::{self, finfo, integer_limits};
use crate::error::{Error, Result};
use crate::match_stored;
use crate::scalar::Scalar;

/// Where a number is written. PyTorch takes 65520 into one `float16` element but not into two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// Into any number of elements but one: `fill_`, `full`, a slice; and `masked_fill`, whatever its size.
    Many,
    /// Into exactly one: `fill_` and `full` of one element, an element that is assigned, the scalar of `where`.
    One,
    /// As a part of a literal: `tensor([300], dtype = uint8)`.
    Literal,
}

impl Scalar {
    /// The number as the dtype will hold it, where the dtype can.
    ///
    /// An unsigned dtype takes negative integers too, down to minus its greatest one; a float must lie between the least
    /// and the greatest integer before it is truncated.
    ///
    /// # Errors
    /// "value cannot be converted to type uint8_t without overflow", with the C++ name of the type or, for literals, the
    /// dtype's.
    pub fn checked_into(self, dtype: DType, written: Written) -> Result<Self> {
        self.check(dtype, written)?;
        Ok(match dtype.category() {
            Category::Boolean => Self::Bool(bool::cast_from(self)),
            Category::Integral => Self::Int(wrapped_to(self, dtype)),
            Category::Floating => Self::Float(rounded_to(f64::cast_from(self), dtype)),
            Category::Complex => {
                let (z, part) = (Complex::<f64>::cast_from(self), dtype.to_real());
                Self::Complex(Complex::new(rounded_to(z.re, part), rounded_to(z.im, part)))
            }
        })
    }

    /// The check of [`checked_into`](Self::checked_into) alone.
    ///
    /// # Errors
    /// As there.
    pub fn check(self, dtype: DType, written: Written) -> Result<()> {
        let overflow = |name: &str| Err(Error::runtime(format!("value cannot be converted to type {name} without overflow")));
        let category = dtype.category();
        if let (Self::Complex(z), Category::Integral | Category::Floating) = (self, category) {
            if written == Written::Literal {
                return Err(Error::type_error(match category {
                    Category::Integral => "'complex' object cannot be interpreted as an integer",
                    _ => "must be real number, not complex",
                }));
            }
            if z.im != 0.0 {
                // One element of a narrow float is read as a double first.
                let narrow = category == Category::Floating && dtype.itemsize() <= 2;
                return if written == Written::One && narrow { overflow("double") } else { overflow(&cpp_name(dtype)) };
            }
            return Self::Float(z.re).check(dtype, written);
        }
        let fits = match category {
            Category::Boolean => true,
            Category::Integral => match self {
                Self::Bool(_) => true,
                Self::Int(x) => integer_fits(x, dtype),
                Self::Float(x) | Self::Complex(Complex { re: x, .. }) => float_fits_integer(x, dtype),
            },
            Category::Floating => {
                let lenient = written == Written::Literal || written == Written::One && dtype.itemsize() <= 2;
                lenient || float_fits(f64::cast_from(self), dtype)
            }
            Category::Complex => {
                let z = Complex::<f64>::cast_from(self);
                // Many complex32 elements are filled through complex64.
                let part = if dtype == DType::C32 && written == Written::Many { DType::F32 } else { dtype.to_real() };
                written == Written::Literal || float_fits(z.re, part) && float_fits(z.im, part)
            }
        };
        match (fits, written) {
            (true, _) => Ok(()),
            (false, Written::Literal) => overflow(dtype.name()),
            (false, Written::Many) if dtype == DType::C32 => overflow("c10::complex<float>"),
            (false, _) => overflow(&cpp_name(dtype)),
        }
    }
}

fn integer_fits(x: i64, dtype: DType) -> bool {
    let (least, greatest) = integer_limits(dtype);
    let least = if least == 0 { -greatest } else { least };
    (least..=greatest).contains(&i128::from(x))
}

/// Truncation must not leave the range: 255.9 is fine for uint8, -0.5 isn't.
#[expect(clippy::cast_precision_loss, reason = "the bounds are powers of two")]
fn float_fits_integer(x: f64, dtype: DType) -> bool {
    let (least, greatest) = integer_limits(dtype);
    x >= least as f64 && x < (greatest + 1) as f64
}

fn float_fits(x: f64, dtype: DType) -> bool {
    match dtype {
        _ if x.is_nan() => true,
        _ if x.is_infinite() => dtype.float8().is_none_or(Float8Format::has_infinity),
        _ => finfo(dtype).is_ok_and(|limits| x.abs() <= limits.max),
    }
}

/// The value of an integer dtype that the number becomes; beyond `i64` it stays wrapped, as scalars are.
fn wrapped_to(x: Scalar, dtype: DType) -> i64 {
    match_stored!(dtype.held_as(), T => i64::cast_from(T::cast_from(x)), else i64::cast_from(x))
}

/// The value of a floating dtype next to the number.
pub fn rounded_to(x: f64, dtype: DType) -> f64 {
    if !dtype.is_floating_point() {
        return x;
    }
    match_stored!(dtype, T => f64::cast_from(T::cast_from(x)), else x)
}

/// How these messages call a dtype: `uint8_t`, `c10::Half`.
fn cpp_name(dtype: DType) -> String {
    match dtype.category() {
        _ if dtype.is_quantized() => format!("c10::{dtype}"),
        Category::Integral if dtype != DType::I32 => format!("{dtype}_t"),
        _ => dtype::cpp_name(dtype),
    }
}
