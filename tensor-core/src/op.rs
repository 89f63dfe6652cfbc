//! One trait an operation, from the table of operations: which dtypes it takes, and which it gives.
//!
//! `f32: op::Lt<Output = bool>`. An operation that a dtype doesn't have is a trait that isn't implemented, and the compiler
//! says so in PyTorch's words.

use num_complex::Complex;

use crate::element::Element;

latten_macros::operation_traits!();
