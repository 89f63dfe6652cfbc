//! The run time of latten: storages, views, the plan, the kernels, and above them the typed tensor.
//!
//! Modules stand in reading order; each uses only those before it.

pub use latten_elements::{convert, dtype, error, match_dtype, scalar};

/// What stands here stays as it is formatted: rustc shows the line of a function's name to those who call it with arguments that it doesn't
/// take, and there it says what they want.
macro_rules! as_written {
    ($($item:tt)*) => { $($item)* };
}

mod process;
mod room;
pub mod warning;
pub mod strictness;
pub mod device;
pub mod layout;
pub mod geometry;
pub mod element;
pub mod cuda;
pub mod storage;
pub mod raw;
pub mod kernels;
mod launch;
pub mod copy;
pub mod create;
pub mod views;
pub mod plan;
pub mod elementwise;
mod outputs;
pub mod program;
mod ranges;
pub mod joins;
pub mod arrangements;
pub mod reduce;
pub mod product;
mod linalg;
mod fourier;
pub mod indexing;
pub mod random;
pub mod print;
pub mod sparse;
pub mod call;
pub mod grad;
pub mod shape;
pub mod index;
pub mod relations;
pub mod op;
pub mod kinds;
#[doc(hidden)]
pub mod fused;
pub mod tensor;
pub mod operators;
pub mod methods;
pub mod spaces;
pub mod optim;
pub mod by_name;

#[doc(hidden)]
pub mod __private {
    pub use crate::element::Unknown;
    pub use crate::fused;
    pub use crate::tensor::{equation, fuse, literal, path};
    pub use half::{bf16, f16};
    pub use latten_elements::loops::formula::Formula;
    pub use latten_elements::loops::vocabulary;
    pub use latten_spec::DType;
    pub use num_complex::Complex;

    /// Loops and functions of `#[kernel]`.
    pub mod own {
        pub use crate::kernels::run::Kernel;
        pub use crate::tensor::own::*;
    }

    /// What a row of the table is made of.
    pub mod spec {
        pub use crate::kernels::derivative::{Derivative, Formulas, Part};
        pub use crate::kernels::operation::{AnyOperation, Own};
        pub use latten_spec::operation::{Categories, Op, ResultRule, Row};
    }
}
