//! The run time of latten: storages, views, the plan, the kernels, and above them the typed tensor.
//!
//! Modules stand in reading order; each uses only those before it.

pub mod convert;
pub mod device;
pub mod dtype;
pub mod element;
pub mod error;
pub mod geometry;
pub mod layout;
pub mod raw;
pub mod scalar;
pub mod storage;

#[doc(hidden)]
pub mod __private {
    pub use half::{bf16, f16};
    pub use num_complex::Complex;
    pub use tensor_spec::DType;
}
