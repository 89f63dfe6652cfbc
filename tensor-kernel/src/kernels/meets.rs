//! The kernels of what meets at one place, for `meets.cuh`.

use latten_spec::DType;

use super::folds::FOLDS;
use super::source::{Unit, in_memory, in_registers};

const MEETS: &str = include_str!("meets.cuh");

/// What becomes of elements that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeetKind {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The greatest one, a NaN if there is one.
    Greatest,
    /// The least one, a NaN if there is one.
    Least,
}

/// What meets, of a dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeetKernel {
    /// What becomes of it.
    pub kind: MeetKind,
    /// Of the elements; truths meet as bytes.
    pub dtype: DType,
}

impl MeetKernel {
    pub(super) fn unit(self) -> Unit {
        let stem = format!("meet_{}__{}", format!("{:?}", self.kind).to_lowercase(), in_registers(self.dtype));
        let text = format!("MEET({stem}, Met{:?}, {})\n", self.kind, in_memory(self.dtype));
        Unit { stem, functions: vec![FOLDS.into(), MEETS.into()], width: 1, text, walks: &["meet"] }
    }
}

/// All of a dtype.
pub(super) fn of(dtype: DType) -> Vec<MeetKernel> {
    let kinds: &[MeetKind] = match dtype {
        DType::Bool => &[],
        dtype if dtype.is_complex() => &[MeetKind::Sum, MeetKind::Product],
        // others: numbers have an order.
        _ => &[MeetKind::Sum, MeetKind::Product, MeetKind::Greatest, MeetKind::Least],
    };
    kinds.iter().map(|&kind| MeetKernel { kind, dtype }).collect()
}
