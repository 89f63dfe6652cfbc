//! The kernels that put elements of rows in order, for `sorts.cuh`.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::folds::{FOLDS, SPREADS};
use super::rows::ROWS;
use super::source::{Definition, Unit, in_memory, in_registers};

const SORTS: &str = include_str!("sorts.cuh");

fn functions() -> Vec<Definition> {
    vec![FOLDS.into(), SPREADS.into(), ROWS.into(), SORTS.into()]
}

/// Bytes of the keys of a dtype.
#[must_use]
pub const fn key_bytes(dtype: DType) -> usize {
    if dtype.itemsize() == 8 { 8 } else { 4 }
}

const fn key_type(bytes: usize) -> &'static str {
    if bytes == 8 { "u64" } else { "u32" }
}

/// Keys of that many bytes, sorted by one byte.
pub(super) fn radix(bytes: usize) -> Unit {
    let (key, stem) = (key_type(bytes), format!("radix__{}", key_type(bytes)));
    let text = format!("RADIX({stem}, {key})\n");
    Unit {
        stem,
        functions: functions(),
        width: 1,
        text,
        walks: &["counts", "starts", "spread", "select_counts", "select_byte", "select_taken"],
    }
}

/// Keys of the elements of rows, and what stands at their places in the order.
pub(super) fn sort(dtype: DType) -> Unit {
    let stem = format!("sort__{}", in_registers(dtype));
    let (memory, key) = (in_memory(dtype), key_type(key_bytes(dtype)));
    let text = format!("struct {stem} {{\n    typedef {memory} In;\n    typedef {key} Key;\n}};\nSORT({stem}, {stem})\n");
    Unit { stem, functions: functions(), width: 1, text, walks: &["each", "together", "keys", "found", "chosen"] }
}

/// The dtypes that have an order.
pub(super) fn dtypes() -> impl Iterator<Item = DType> {
    DType::COMPUTING.iter().copied().filter(|&dtype| Reduction::Sort.result(dtype, DType::F32).is_ok())
}
