//! Kernels over tensors: `block` brings elements in and out of the loops over plain slices, which latten-elements has for each operation and
//! dtype; `workers` are the threads that share them.

pub(crate) mod block;
pub(crate) mod brain;
mod cut;
pub mod derivative;
mod lane;
pub(crate) mod machine;
mod moves;
pub mod operation;
pub(crate) mod parts;
pub(crate) mod places;
mod scratch;
pub(crate) mod stream;
pub(crate) mod tiles;
pub(crate) mod turn;
pub(crate) mod vectors;
pub mod workers;

pub(crate) use latten_elements::loops::{kernel, level, pair_kernel, run, transfer, vocabulary};

#[doc(hidden)]
pub use crate::element::Unknown;
#[doc(hidden)]
pub use latten_elements::loops::formula::Formula;
#[doc(hidden)]
pub use latten_elements::loops::table;
