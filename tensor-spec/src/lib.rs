//! The declarative tables of latten, and nothing else: the dtypes, the lattice of promotions, the casting rule,
//! the operations. What a proc macro, a build script and the run time must share lives here, pure and without unsafe.
//!
//! `error` is what all crates return. Read `dtype` (the table), then `lattice` (sixteen edges, from which every promotion follows), then `operation`. The table of calls is
//! there with the feature `calls`, which only the macros ask for: what is read while a crate compiles isn't in programs.

pub mod error;
pub mod dtype;
pub mod lattice;
pub mod operation;
pub mod reduction;
pub mod schema;
#[cfg(any(test, feature = "calls"))]
pub mod call;
pub mod step;
pub mod equation;

pub use dtype::{Category, DType};
pub use lattice::{Level, can_cast, promote_levels, promote_types};
