//! latten: PyTorch's tensor semantics for Rust.

pub use tensor_core::create::{IntoOptions, Options};
pub use tensor_core::device::{Device, DeviceType, IntoDevice};
pub use tensor_core::dtype::{default_dtype, finfo, iinfo, set_default_dtype, to_complex};
pub use tensor_core::element::{Any, Element, Native};
pub use tensor_core::error::{Error, ErrorKind, Result};
pub use tensor_core::geometry;
pub use tensor_core::geometry::split::Cuts;
pub use tensor_core::index::{Entry, Span, step};
pub use tensor_core::joins;
pub use tensor_core::kernels::workers::{num_threads, set_num_threads};
pub use tensor_core::layout::{Layout, MemoryFormat};
pub use tensor_core::methods::{try_where, where_, where_out};
pub use tensor_core::op;
pub use tensor_core::product::{self, Scale};
pub use tensor_core::raw::RawTensor;
pub use tensor_core::reduce::{self, Along, Keep, NansAre, Tolerance};
pub use tensor_core::relations;
pub use tensor_core::scalar::Scalar;
pub use tensor_core::shape::{self, AnyShape, D, Dim, Dyn, KnownShape, Rank, Shape, ShapeArgument};
pub use tensor_core::tensor::{self, Ellipsis, Index, IndexEntry, NewAxis};
pub use tensor_core::tensor::{DynTensor, Operand, Tensor};
pub use tensor_core::tensor::{broadcast_tensors, cat, cat_out, column_stack, dstack, einsum, hstack, stack, vstack};
pub use tensor_core::{device, dtype, elementwise, error, layout, print, raw, scalar, strictness, warning};
pub use tensor_macros::shape;
pub use tensor_spec::operation::Op;
pub use tensor_spec::reduction::Reduction;
pub use tensor_spec::{Category, DType, Level, can_cast, promote_types, result_type};

pub use half::{bf16, f16};
pub use num_complex::Complex;

/// Storages: bytes that any number of tensors share, untyped or as numbers, and where they come from.
pub mod storage {
    pub use tensor_core::raw::Source;
    pub use tensor_core::storage::*;
}

/// Two [`struct@f16`]: PyTorch's complex32.
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
    pub use crate::{Along, Keep};
    pub use crate::{Any, AnyShape, Complex, D, Dim, Dyn, DynTensor, Element, Native, Operand, Rank, Shape, Tensor};
    pub use crate::{DType, Device, MemoryFormat, Options, Scalar};
    pub use crate::{Ellipsis, NewAxis, cat, stack, step};
    pub use crate::{bf16, c32, c64, c128, f16, shape};
}
