//! latten: PyTorch's tensor semantics for Rust.

pub use tensor_core::element::{Any, Element, Native};
pub use tensor_core::kernels::workers::{num_threads, set_num_threads};
pub use tensor_core::op;
pub use tensor_core::relations;
pub use tensor_core::shape::{self, AnyShape, D, Dim, Dyn, Rank, Shape};
pub use tensor_core::tensor::{DynTensor, Operand, Tensor};
pub use tensor_macros::shape;
pub use tensor_spec::{DType, Level, can_cast, promote_types, result_type};

pub use half::{bf16, f16};
pub use num_complex::Complex;

/// Two [`f16`]: PyTorch's complex32.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c32 = Complex<f16>;
/// Two `f32`: PyTorch's complex64.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c64 = Complex<f32>;
/// Two `f64`: PyTorch's complex128.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c128 = Complex<f64>;

/// What a program that computes with tensors wants in scope.
pub mod prelude {
    pub use crate::DType;
    pub use crate::{Any, AnyShape, Complex, D, Dim, Dyn, DynTensor, Element, Native, Operand, Rank, Shape, Tensor};
    pub use crate::{bf16, c32, c64, c128, f16, shape};
}
