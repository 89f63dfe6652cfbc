//! Numbers of the host language as operands: PyTorch's *wrapped numbers*, of which only the category matters for
//! promotion. An integer is an `i64`, a float an `f64`, whatever Rust type it came from.

pub mod text;

use std::cmp::Ordering;

use half::{bf16, f16};
use latten_spec::{Category, DType};
use num_complex::Complex;

/// A number without dtype: its category is known, its width isn't.
///
/// Its tag is a word: of a tag of one byte, processors wait each time a number is copied, until all that was written of it has arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u64)]
pub enum Scalar {
    /// True or false.
    Bool(bool),
    /// An integer; `u64` and wider ones wrap around.
    Int(i64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex<f64>),
}

impl Scalar {
    /// Whether it is the same number, to the bit: zeros of two signs aren't, and a NaN is.
    pub fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Float(left), Self::Float(right)) => left.to_bits() == right.to_bits(),
            (Self::Complex(left), Self::Complex(right)) => [left.re, left.im].map(f64::to_bits) == [right.re, right.im].map(f64::to_bits),
            _ => self == other,
        }
    }

    /// The number as an `f64`: of a complex one the real part.
    #[expect(clippy::cast_precision_loss, reason = "parameters are small")]
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Bool(truth) => f64::from(u8::from(truth)),
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
            Self::Complex(number) => number.re,
        }
    }

    /// The number with an imaginary part.
    pub fn complex(self) -> Complex<f64> {
        if let Self::Complex(number) = self { number } else { Complex::new(self.to_f64(), 0.0) }
    }

    /// Whether it is neither infinite nor NaN, in both parts.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        match self {
            Self::Bool(_) | Self::Int(_) => true,
            Self::Float(number) => number.is_finite(),
            Self::Complex(number) => number.re.is_finite() && number.im.is_finite(),
        }
    }

    /// Whether it is NaN, in one part.
    #[must_use]
    pub const fn is_nan(self) -> bool {
        match self {
            Self::Bool(_) | Self::Int(_) => false,
            Self::Float(number) => number.is_nan(),
            Self::Complex(number) => number.re.is_nan() || number.im.is_nan(),
        }
    }

    /// How it stands to a real number, of whatever category: numbers with imaginary parts stand in no order to it.
    fn beside(self, real: Self) -> Option<Ordering> {
        match (self, real) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(&right)),
            (Self::Complex(number), _) if number.im != 0.0 => None,
            _ => self.to_f64().partial_cmp(&real.to_f64()),
        }
    }

    /// What promotion sees of the number.
    #[must_use]
    pub const fn category(self) -> Category {
        match self {
            Self::Bool(_) => Category::Boolean,
            Self::Int(_) => Category::Integral,
            Self::Float(_) => Category::Floating,
            Self::Complex(_) => Category::Complex,
        }
    }

    /// The dtype that the number counts as, where floats are of the given default dtype.
    #[must_use]
    pub fn dtype(self, default: DType) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(_) => DType::I64,
            Self::Float(_) => default,
            Self::Complex(_) => default.to_complex().unwrap_or(DType::C64),
        }
    }
}

/// Numbers of Rust compare with it: `tensor.item() > 0.5` of a tensor whose dtype only the run knows.
macro_rules! compared {
    ($($number:ty)+) => { $(
        impl PartialEq<$number> for Scalar {
            fn eq(&self, other: &$number) -> bool {
                self.beside((*other).into()) == Some(Ordering::Equal)
            }
        }

        impl PartialOrd<$number> for Scalar {
            fn partial_cmp(&self, other: &$number) -> Option<Ordering> {
                self.beside((*other).into())
            }
        }
    )+ };
}

/// So does a truth: `mask.all().item() == true`.
impl PartialEq<bool> for Scalar {
    fn eq(&self, other: &bool) -> bool {
        *self == Self::Bool(*other)
    }
}

compared! { i32 i64 usize f32 f64 }

macro_rules! scalar_from {
    ($($variant:ident($into:ty): $($from:ty => $convert:expr),+;)*) => { $($(
        impl From<$from> for Scalar {
            fn from(number: $from) -> Self {
                let convert: fn($from) -> $into = $convert;
                Self::$variant(convert(number))
            }
        }
    )+)* };
}

#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "integers beyond i64 wrap, as in PyTorch")]
mod from {
    use super::{Complex, Scalar, bf16, f16};

    scalar_from! {
        Bool(bool): bool => |x| x;
        Int(i64): u8 => i64::from, i8 => i64::from, u16 => i64::from, i16 => i64::from, u32 => i64::from, i32 => i64::from,
            i64 => |x| x, u64 => |x| x as i64, isize => |x| x as i64, usize => |x| x as i64, i128 => |x| x as i64, u128 => |x| x as i64;
        Float(f64): f16 => f64::from, bf16 => f64::from, f32 => f64::from, f64 => |x| x;
        Complex(Complex<f64>): Complex<f16> => |z| Complex::new(z.re.into(), z.im.into()),
            Complex<f32> => |z| Complex::new(z.re.into(), z.im.into()), Complex<f64> => |z| z;
    }
}
