//! What formats call the dtypes: one row each. PyTorch's own names are in the table of dtypes itself (latten-spec).

use latten_spec::DType;

/// A row: the dtype, its name in safetensors, and numpy's letter and size; empty where the format doesn't have it.
struct Row(DType, &'static str, &'static str);

const ROWS: &[Row] = &[
    Row(DType::Bool, "BOOL", "b1"),
    Row(DType::U8, "U8", "u1"),
    Row(DType::I8, "I8", "i1"),
    Row(DType::I16, "I16", "i2"),
    Row(DType::I32, "I32", "i4"),
    Row(DType::I64, "I64", "i8"),
    Row(DType::F16, "F16", "f2"),
    Row(DType::BF16, "BF16", ""),
    Row(DType::F32, "F32", "f4"),
    Row(DType::F64, "F64", "f8"),
    Row(DType::C64, "C64", "c8"),
    Row(DType::C128, "", "c16"),
    Row(DType::U16, "U16", "u2"),
    Row(DType::U32, "U32", "u4"),
    Row(DType::U64, "U64", "u8"),
    Row(DType::F8E4M3Fn, "F8_E4M3", ""),
    Row(DType::F8E5M2, "F8_E5M2", ""),
    Row(DType::F8E4M3FnUz, "F8_E4M3FNUZ", ""),
    Row(DType::F8E5M2FnUz, "F8_E5M2FNUZ", ""),
];

fn named(name: &str, column: impl Fn(&Row) -> &'static str) -> Option<DType> {
    ROWS.iter().find(|row| !name.is_empty() && column(row) == name).map(|row| row.0)
}

fn name(dtype: DType, column: impl Fn(&Row) -> &'static str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.0 == dtype).map(column).filter(|name| !name.is_empty())
}

#[cfg(feature = "safetensors")]
pub(crate) mod safetensors {
    use super::DType;

    /// In which order the reference writes tensors: names of dtypes, those with the widest elements first.
    const ORDER: [&str; 18] = [
        "U64",
        "I64",
        "F64",
        "C64",
        "F32",
        "U32",
        "I32",
        "BF16",
        "F16",
        "U16",
        "I16",
        "F8_E5M2FNUZ",
        "F8_E4M3FNUZ",
        "F8_E4M3",
        "F8_E5M2",
        "I8",
        "U8",
        "BOOL",
    ];

    pub(crate) fn dtype(name: &str) -> Option<DType> {
        super::named(name, |row| row.1)
    }

    pub(crate) fn name(dtype: DType) -> Option<&'static str> {
        super::name(dtype, |row| row.1)
    }

    /// The place of a dtype in that order.
    pub(crate) fn order(name: &str) -> usize {
        ORDER.iter().position(|other| *other == name).unwrap_or(ORDER.len())
    }
}

#[cfg(feature = "npy")]
pub(crate) mod numpy {
    use super::DType;

    pub(crate) fn dtype(code: &str) -> Option<DType> {
        super::named(code, |row| row.2)
    }

    pub(crate) fn code(dtype: DType) -> Option<&'static str> {
        super::name(dtype, |row| row.2)
    }
}
