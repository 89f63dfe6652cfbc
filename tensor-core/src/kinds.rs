//! Kinds of dtypes, for functions over a dtype: `fn standardise<E: Float, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S>`.
//!
//! What a kind promises is taken from the table of operations: each that all dtypes of the kind have, and that gives the same for all.

use num_complex::Complex;

use crate::element::Element;
use crate::op;
use crate::relations::{CastInto, HasProduct, SameDType, WithNumbers, WithReal, category};

latten_macros::kind_traits!();
