//! Replays recorded PyTorch programs on latten and compares every answer. A recording is a file of cases, one JSON object a line.
//!
//! `case` reads them, `value` holds what their names hold, `ops` maps PyTorch's names of operations to latten's public
//! functions, `run` executes a program, `compare` judges it, `show` and `report` tell a person about it.

pub mod bytes;
pub mod case;
pub mod value;
pub mod errors;
pub mod arguments;
pub mod compare;
mod ops;
mod typed;
pub mod run;
pub mod differences;
pub mod show;
pub mod report;
pub mod files;
