//! latten: PyTorch's tensor semantics for Rust.

pub use tensor_core::element::{Any, Element, Native};
pub use tensor_core::shape::{AnyShape, D, Dim, Dyn, Rank, Shape};
pub use tensor_macros::shape;
