//! Elements: the Rust types that tensors hold, and the one place that turns a run-time dtype into such a type.

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use crate::convert::Number;

/// Only latten has elements.
#[doc(hidden)]
pub mod private {
    /// What nobody else implements.
    pub trait Sealed {}
}

mod held;

#[doc(hidden)]
pub use held::Held;

/// What stands in a tensor's type for its dtype: one of the thirteen Rust types of [`Native`], or one for all that only the run knows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no dtype that tensors compute in",
    label = "no dtype",
    note = "dtypes are `bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `c32`, `c64`, `c128`, and `Any`; indices are `i64`"
)]
pub trait Element: private::Sealed + Held + 'static {
    /// The dtype, where the type says it.
    const KNOWN_DTYPE: Option<DType>;
    /// Whether it is `bool`: subtraction asks.
    type Are;
    /// What comparing its elements gives: `bool`, or what only the run knows.
    type Truth: Element;
}

/// What elements of `bool` are, where a relation asks for it.
#[derive(Debug)]
pub enum AreTruths {}

/// What elements of all other dtypes are.
#[derive(Debug)]
pub enum AreNumbers {}

/// A Rust type that is a dtype: every bit pattern that a storage can hold is turned into one of its values on loading.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no dtype that tensors compute in",
    label = "no dtype",
    note = "rows in vectors of their own become a tensor by `Tensor::try_from(rows)?`, numbers in one vector by `Tensor::from_vec(numbers, [2, 3])?`"
)]
pub trait Native: Element + Number + PartialEq + std::fmt::Debug {
    /// The dtype of the type.
    const DTYPE: DType;
}

macro_rules! natives {
    ($($variant:ident $native:ty: $are:ty),* $(,)?) => {
        const _: () = {
            let natives = [$(DType::$variant),*];
            assert!(natives.len() == DType::COMPUTING.len(), "a dtype that computes has no Rust type");
        };
        $(
        impl private::Sealed for $native {}
        impl Element for $native {
            const KNOWN_DTYPE: Option<DType> = Some(DType::$variant);
            type Are = $are;
            type Truth = bool;
        }
        impl Native for $native {
            const DTYPE: DType = DType::$variant;
        }
        )*
    };
}

natives! {
    Bool bool: AreTruths,
    U8 u8: AreNumbers, I8 i8: AreNumbers, I16 i16: AreNumbers, I32 i32: AreNumbers, I64 i64: AreNumbers,
    F16 f16: AreNumbers, BF16 bf16: AreNumbers, F32 f32: AreNumbers, F64 f64: AreNumbers,
    C32 Complex<f16>: AreNumbers, C64 Complex<f32>: AreNumbers, C128 Complex<f64>: AreNumbers,
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
            // others: the dtypes that only store.
            _ => $other,
        }
    }};
}

/// [`match_dtype!`](crate::match_dtype) with the dtypes that only store, but for the quantised ones, which have no type of their own.
#[doc(hidden)]
#[macro_export]
macro_rules! match_stored {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::match_dtype!($dtype, $T => $body, else {
            use $crate::__private::DType;
            use $crate::convert::{F8E4M3Fn, F8E4M3FnUz, F8E5M2, F8E5M2FnUz};
            match $dtype {
                DType::U16 => { type $T = u16; $body }
                DType::U32 => { type $T = u32; $body }
                DType::U64 => { type $T = u64; $body }
                DType::F8E4M3Fn => { type $T = F8E4M3Fn; $body }
                DType::F8E5M2 => { type $T = F8E5M2; $body }
                DType::F8E4M3FnUz => { type $T = F8E4M3FnUz; $body }
                DType::F8E5M2FnUz => { type $T = F8E5M2FnUz; $body }
                // others: the quantised dtypes.
                _ => $other,
            }
        })
    };
}
