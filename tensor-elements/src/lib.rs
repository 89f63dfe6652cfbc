//! The elements of tensors, one at a time and in slices: their Rust types, conversions between them, and the loops that compute on them,
//! one for each operation and dtype. Nothing here knows of tensors, so that compilers build the loops while they read the crates above.
//!
//! Modules stand in reading order; each uses only those before it.

pub mod scalar;
pub mod dtype;
pub mod convert;
pub mod element;
#[doc(hidden)]
pub mod loops;

pub use latten_spec::error;

#[doc(hidden)]
pub mod __private {
    pub use crate::convert::Float8;
    pub use half::{bf16, f16};
    pub use latten_macros::match_rows;
    pub use latten_spec::DType;
    pub use num_complex::Complex;
}
