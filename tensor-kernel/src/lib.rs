//! The language of kernels: Rust's syntax over numbers of one dtype. `words` is the table of what it may call, `parse` reads a formula into
//! an [`Expr`], `check` finds what each part is. Proc macros write Rust from the checked tree; `cuda` writes device functions, and a build
//! script those of all tables (`device`). With the feature `kernels` there is the text of CUDA kernels around them (`kernels`) and who compiles it (`nvrtc`); that
//! needs none of the language, so that programs have no parser in them.

pub mod words;
#[cfg(feature = "language")]
mod formula;
#[cfg(feature = "language")]
pub mod check;
#[cfg(feature = "language")]
pub mod cuda;
#[cfg(feature = "language")]
pub mod parse;
#[cfg(feature = "language")]
pub mod inline;
#[cfg(feature = "language")]
pub mod derivative;
#[cfg(feature = "language")]
pub mod fold;
#[cfg(feature = "kernels")]
pub mod kernels;
#[cfg(feature = "kernels")]
pub mod nvrtc;
#[cfg(all(feature = "language", feature = "kernels"))]
pub mod device;

#[cfg(feature = "language")]
pub use formula::{Binary, Expr, ExprNode, INDEX, Kind, Mistake, Unary};
