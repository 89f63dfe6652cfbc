//! Promotion as a lattice: sixteen declared edges, and everything that follows from them.
//!
//! The least upper bound of two dtypes is PyTorch's `promote_types`. That every pair has one, and only one, is checked
//! while this crate compiles: a table without a unique join doesn't build, and the error names the pair.

use crate::dtype::{Category, DType};
use crate::error::{Error, Result};
use DType::{BF16, Bool, C32, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8};

/// "`a` promotes to `b`", where no other dtype lies between them.
pub const EDGES: [(DType, DType); 16] = [
    (Bool, U8),
    (Bool, I8),
    (U8, I16),
    (I8, I16),
    (I16, I32),
    (I32, I64),
    (I64, F16),
    (I64, BF16),
    (F16, F32),
    (BF16, F32),
    (F32, F64),
    (F16, C32),
    (C32, C64),
    (F32, C64),
    (C64, C128),
    (F64, C128),
];

const COUNT: usize = DType::COMPUTING.len();

/// For each dtype, the set of those it promotes to (itself included), one bit each.
const REACHES: [u32; COUNT] = {
    let mut up = [0_u32; COUNT];
    let mut dtype = 0;
    while dtype < COUNT {
        up[dtype] = 1 << dtype;
        dtype += 1;
    }
    let mut round = 0;
    while round < COUNT {
        let mut edge = 0;
        while edge < EDGES.len() {
            up[EDGES[edge].0 as usize] |= up[EDGES[edge].1 as usize];
            edge += 1;
        }
        round += 1;
    }
    up
};

/// The table of joins, computed and checked at build time.
const JOIN: [[DType; COUNT]; COUNT] = {
    let mut table = [[Bool; COUNT]; COUNT];
    let mut a = 0;
    while a < COUNT {
        let mut b = 0;
        while b < COUNT {
            let common = REACHES[a] & REACHES[b];
            let mut found = COUNT;
            let mut candidate = 0;
            while candidate < COUNT {
                // The least one reaches every other common upper bound.
                if common & (1 << candidate) != 0 && common & !REACHES[candidate] == 0 {
                    if found != COUNT {
                        no_unique_join(DType::COMPUTING[a], DType::COMPUTING[b]);
                    }
                    found = candidate;
                }
                candidate += 1;
            }
            if found == COUNT {
                no_unique_join(DType::COMPUTING[a], DType::COMPUTING[b]);
            }
            table[a][b] = DType::COMPUTING[found];
            b += 1;
        }
        a += 1;
    }
    table
};

/// Stops the build with the names of the pair.
const fn no_unique_join(a: DType, b: DType) -> ! {
    let parts = ["no unique join of ", a.name(), " and ", b.name()];
    let mut text = [0_u8; 64];
    let mut len = 0;
    let mut part = 0;
    while part < parts.len() {
        let bytes = parts[part].as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            text[len] = bytes[i];
            len += 1;
            i += 1;
        }
        part += 1;
    }
    match str::from_utf8(text.split_at(len).0) {
        Ok(message) => panic!("{}", message),
        Err(_) => panic!("no unique join"),
    }
}

/// The join of two dtypes that compute.
#[must_use]
pub const fn join(a: DType, b: DType) -> DType {
    JOIN[a as usize][b as usize]
}

/// PyTorch's `promote_types`, storage-only dtypes included.
///
/// # Errors
/// Quantised dtypes, 8-bit floats and the wide unsigned integers promote with few others or none.
pub fn promote_types(a: DType, b: DType) -> Result<DType> {
    if a.is_computing() && b.is_computing() {
        return Ok(join(a, b));
    }
    if a == b {
        return Ok(a);
    }
    let (left, right) = (a.message_name(), b.message_name());
    if a.is_quantized() || b.is_quantized() {
        return Err(Error::runtime(format!(
            "promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should be, offending types: {left} {right}"
        )));
    }
    if a.is_float8() || b.is_float8() {
        return Err(Error::runtime(format!("Promotion for Float8 Types is not supported, attempted to promote {left} and {right}")));
    }
    match (a.is_floating_point(), b.is_floating_point()) {
        (true, _) => Ok(a),
        (_, true) => Ok(b),
        _ => Err(Error::runtime(format!(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {left} and {right}"
        ))),
    }
}

/// Whether a result of dtype `from` may be stored into an output of dtype `to`.
///
/// No complex number into a real one, no float into an integer, nothing but a bool into a bool. Width never matters.
#[must_use]
pub fn can_cast(from: DType, to: DType) -> bool {
    !(from.is_complex() && !to.is_complex()
        || from.is_floating_point() && to.category() == Category::Integral
        || from != Bool && to == Bool)
}

/// The three priorities of operands: a lower one matters only by its category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A tensor with at least one dimension.
    Dimensioned,
    /// A tensor without dimensions.
    ZeroDim,
    /// A number of the host language.
    Wrapped,
}

/// What operands promote to, as PyTorch's `result_type` has it: the dtypes of each level fold by promotion, then the levels combine.
///
/// # Errors
/// Where two dtypes of one level have no promotion, and for no operands at all.
pub fn promote_levels(operands: impl IntoIterator<Item = (Level, DType)>) -> Result<DType> {
    let mut levels = [None; 3];
    for (level, dtype) in operands {
        let slot = &mut levels[level as usize];
        *slot = Some(match *slot {
            None => dtype,
            Some(so_far) => promote_types(so_far, dtype)?,
        });
    }
    let [dimensioned, zero_dim, wrapped] = levels;
    combine(dimensioned, combine(zero_dim, wrapped)?)?.ok_or_else(|| Error::runtime("at least one operand is required"))
}

/// What a level of higher priority makes of a lower one.
fn combine(high: Option<DType>, low: Option<DType>) -> Result<Option<DType>> {
    let (high, low) = match (high, low) {
        (Some(high), Some(low)) => (high, low),
        (one, other) => return Ok(one.or(other)),
    };
    Ok(Some(match (high.category(), low.category()) {
        (Category::Complex, _) => high,
        (Category::Floating, Category::Complex) => match high.to_complex() {
            Some(complex) => complex,
            None => promote_types(high, low)?,
        },
        (Category::Floating, _) => high,
        (Category::Boolean, _) | (_, Category::Floating | Category::Complex) => promote_types(high, low)?,
        (Category::Integral, _) => high,
    }))
}

#[cfg(test)]
mod tests {
    use super::{join, promote_types};
    use crate::dtype::DType;

    #[test]
    fn joins_are_commutative_associative_and_idempotent() {
        for &a in DType::COMPUTING {
            assert_eq!(join(a, a), a);
            for &b in DType::COMPUTING {
                assert_eq!(join(a, b), join(b, a), "{a} {b}");
                for &c in DType::COMPUTING {
                    assert_eq!(join(join(a, b), c), join(a, join(b, c)), "{a} {b} {c}");
                }
            }
        }
    }

    #[test]
    fn wide_unsigned_integers_promote_only_with_floats() {
        assert_eq!(promote_types(DType::U16, DType::BF16), Ok(DType::BF16));
        let refusal = promote_types(DType::U16, DType::I32).expect_err("no promotion");
        assert_eq!(refusal.message(), "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt16 and Int");
    }
}
