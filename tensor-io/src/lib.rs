//! Tensors in and out of files: PyTorch's `.pt`, safetensors, numpy's `.npy` and `.npz`, and GGUF.
//!
//! [`load`] and [`save`] choose by name and content; [`Value`] is what files hold. Reading a file that somebody else wrote executes nothing,
//! and ends in values or in an error. Modules stand in reading order; each uses only those before it.

#![cfg_attr(
    not(all(feature = "pt", feature = "safetensors", feature = "npy", feature = "gguf")),
    allow(dead_code, unused_variables, reason = "formats share what they are made of, and a build with some of them needs some of it")
)]

mod fault;
mod options;
mod source;
#[cfg(any(feature = "pt", feature = "npy"))]
mod inflate;
mod storages;
mod value;
mod target;
#[cfg(feature = "safetensors")]
mod json;
#[cfg(any(feature = "pt", feature = "npy"))]
mod zip;
#[cfg(feature = "npy")]
mod npy;
#[cfg(feature = "npy")]
mod npz;
#[cfg(feature = "safetensors")]
mod safetensors;
#[cfg(feature = "pt")]
mod pickle;
#[cfg(feature = "pt")]
mod pt;
#[cfg(feature = "gguf")]
pub mod gguf;
#[cfg(feature = "safetensors")]
mod index;
mod archive;
#[cfg(feature = "serde")]
pub mod serde;

pub use archive::{Archive, load, load_mapped, save};
pub use options::{Durability, Format, Load, Packing, Progress, Save};
pub use value::{Dict, DictKind, FromValue, Items, Marks, SavedTensor, ToValue, Value};
