//! Elements: the Rust types that tensors hold, and the one place that turns a run-time dtype into such a type.

use half::{bf16, f16};
use num_complex::Complex;
use tensor_spec::DType;

mod private {
    pub trait Sealed {}
}

/// What stands in a tensor's type for its dtype: one of the thirteen Rust types of [`Native`], or [`Any`].
pub trait Element: private::Sealed + 'static {
    /// The dtype, where the type says it.
    const DTYPE: Option<DType>;
}

/// A dtype that only the run knows.
#[derive(Clone, Copy, Debug)]
pub struct Any;

impl private::Sealed for Any {}
impl Element for Any {
    const DTYPE: Option<DType> = None;
}

/// A Rust type that is a dtype: every bit pattern that a storage can hold is turned into one of its values on loading.
pub trait Native: Element + Copy + Send + Sync + PartialEq + std::fmt::Debug {
    /// The dtype of the type.
    const NATIVE: DType;
}

macro_rules! natives {
    ($($variant:ident $native:ty),*) => { $(
        impl private::Sealed for $native {}
        impl Element for $native {
            const DTYPE: Option<DType> = Some(DType::$variant);
        }
        impl Native for $native {
            const NATIVE: DType = DType::$variant;
        }
    )* };
}

natives! {
    Bool bool, U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 f16, BF16 bf16, F32 f32, F64 f64,
    C32 Complex<f16>, C64 Complex<f32>, C128 Complex<f64>
}

/// Runs the same code for the Rust type of a run-time dtype: `match_dtype!(dtype, T => expression, else other)`, where
/// `else` takes the dtypes that only store.
#[macro_export]
macro_rules! match_dtype {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {{
        use $crate::__private::{Complex, DType, bf16, f16};
        match $dtype {
            DType::Bool => {
                type $T = bool;
                $body
            }
            DType::U8 => {
                type $T = u8;
                $body
            }
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::F16 => {
                type $T = f16;
                $body
            }
            DType::BF16 => {
                type $T = bf16;
                $body
            }
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            DType::C32 => {
                type $T = Complex<f16>;
                $body
            }
            DType::C64 => {
                type $T = Complex<f32>;
                $body
            }
            DType::C128 => {
                type $T = Complex<f64>;
                $body
            }
            _ => $other,
        }
    }};
}
