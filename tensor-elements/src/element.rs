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
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::match_dtype! { @ $dtype, $T => $body, $other;
            Bool bool, U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 f16, BF16 bf16, F32 f32, F64 f64,
            C32 Complex<f16>, C64 Complex<f32>, C128 Complex<f64> }
    };
    (@ $dtype:expr, $T:ident => $body:expr, $other:expr; $($variant:ident $native:ty),*) => {{
        use $crate::__private::{Complex, DType, bf16, f16};
        match $dtype {
            $(DType::$variant => { type $T = $native; $body })*
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
            use $crate::__private::{DType, Float8};
            $crate::__private::match_rows!([$dtype] $T [$body] [$other])
        })
    };
}
