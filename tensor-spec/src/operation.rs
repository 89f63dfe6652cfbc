//! The table of operations: what an elementwise operation is called, which dtype it gives, what it refuses, and what it computes, as a
//! formula for each category of numbers. Kernels for every device, the dispatch and the documents follow from the rows in `table`.
//!
//! A formula is Rust in syntax: operators, comparisons, `if`, `let`, and the functions that `tensor-kernel/src/check.rs` lists.
//! Every number in it has the dtype of the computation. f16 and bf16 compute in f32 and c32 in c64, so formulas never see them.

mod facts;
mod table;

use std::fmt;

pub use facts::{
    Becomes, Beside, Calls, Categories, DerivativeRow, Fit, Other, Outputs, Part, RefusalKind, RefusalRow, RefusedWhen, ResultRule,
    Simpler, Takes, Trait,
};
pub use table::Op;

use crate::dtype::{Category, DType};

/// All that is known of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// PyTorch's name.
    pub name: &'static str,
    /// How formulas call the operands.
    pub operands: &'static [&'static str],
    /// How they call the parameters, numbers that take no part in the promotion, and their defaults; `f64::MAX` and `f64::MIN` stand for
    /// the greatest and the least number of the dtype.
    pub params: &'static [(&'static str, f64)],
    /// So many of them, from the first on, are given to methods and in expressions; the others belong to calls of other names.
    pub given: usize,
    /// The dtype of the result.
    pub result: ResultRule,
    /// PyTorch's name of the kernel, for "not implemented for".
    pub kernel: &'static str,
    /// The formulas; the first whose set has the category counts.
    pub formulas: &'static [(Categories, &'static str)],
    /// What it refuses, in the order of the checks.
    pub refusals: &'static [RefusalRow],
    /// Operands that take certain dtypes only.
    pub takes: &'static [Takes],
    /// What the operands of a call by name can be.
    pub calls: Calls,
    /// Which dtypes an output may have.
    pub outputs: Outputs,
    /// Calls with another kernel, and its name.
    pub other: Option<(Other, &'static str)>,
    /// What numbers are checked for.
    pub fit: Fit,
    /// What numbers make another operation of it.
    pub simpler: &'static [Simpler],
    /// The operation that it is, of its operands in the other order.
    pub reversed: Option<Op>,
    /// The gradients of its operands, where they don't follow from its formula by rules.
    pub derivatives: &'static [DerivativeRow],
    /// What the node of its gradient is called, where that isn't its own name.
    pub node: Option<&'static str>,
    /// The operands that are kept whoever wants a gradient.
    pub keeps: &'static [&'static str],
    /// The operands beside which floats have a loop where all others are numbers.
    pub alone: &'static [&'static str],
    /// The number after that name: among tensors, with a number as its last operand, with one as its first.
    pub overloads: [u8; 3],
    /// What else is special.
    pub traits: &'static [Trait],
}

impl Row {
    /// A row without peculiarities, to be filled.
    pub const PLAIN: Self = Self {
        name: "",
        operands: &[],
        params: &[],
        given: usize::MAX,
        result: ResultRule::Promoted,
        kernel: "",
        formulas: &[],
        refusals: &[],
        takes: &[],
        calls: Calls::Mixed,
        outputs: Outputs::Castable,
        other: None,
        fit: Fit::No,
        simpler: &[],
        reversed: None,
        derivatives: &[],
        node: None,
        keeps: &[],
        alone: &[],
        overloads: [0; 3],
        traits: &[],
    };

    /// The formula for a category of numbers; without one the operation has no kernel there.
    #[must_use]
    pub fn formula(&self, category: Category) -> Option<&'static str> {
        self.formulas.iter().find(|(set, _)| set.contains(category)).map(|&(_, formula)| formula)
    }

    /// The parameters that methods and expressions take.
    #[must_use]
    pub fn given(&self) -> &'static [(&'static str, f64)] {
        &self.params[..self.given.min(self.params.len())]
    }

    /// The dtype that the operands are converted to, given their promoted dtype.
    #[must_use]
    pub fn common(&self, promoted: DType, default: DType) -> DType {
        match self.result {
            ResultRule::Float | ResultRule::RealFloat if promoted.is_integral() => default,
            ResultRule::Double if promoted.is_complex() => DType::C128,
            ResultRule::Double => DType::F64,
            ResultRule::LongIfBool if promoted == DType::Bool => DType::I64,
            _ => promoted,
        }
    }

    /// The dtype of the result, given the dtype that the operands are converted to.
    #[must_use]
    pub fn result(&self, common: DType) -> DType {
        match self.result {
            ResultRule::Bool => DType::Bool,
            ResultRule::Real | ResultRule::RealFloat => common.to_real(),
            _ => common,
        }
    }

    /// Whether there is a formula for operands of that dtype.
    #[must_use]
    pub fn computes(&self, common: DType) -> bool {
        common.is_computing() && self.formula(common.category()).is_some()
    }

    /// The result of a call on tensors of that dtype, where it alone decides the call: nothing is converted, refused or looked at first.
    const fn plain(&self, dtype: DType) -> Option<DType> {
        let (category, result) = (dtype.category(), dtype.to_real());
        let result = match self.result {
            ResultRule::Bool => DType::Bool,
            ResultRule::Real => result,
            ResultRule::RealFloat if !dtype.is_integral() => result,
            ResultRule::Float if !dtype.is_integral() => dtype,
            ResultRule::Double if matches!(dtype, DType::F64 | DType::C128) => dtype,
            ResultRule::Promoted | ResultRule::LongIfBool | ResultRule::First => dtype,
            ResultRule::RealFloat | ResultRule::Float | ResultRule::Double => return None,
        };
        let computed = dtype.is_computing() && dtype.computing() as usize == dtype as usize;
        if !computed || matches!(dtype, DType::Bool) || self.reversed.is_some() || !self.takes.is_empty() {
            return None;
        }
        let mut at = 0;
        while at < self.refusals.len() {
            // What depends on parameters isn't refused where they are the defaults.
            let of_parameters = matches!(self.refusals[at].when, RefusedWhen::NegativeParameter);
            if self.refusals[at].categories.contains(category) && !of_parameters {
                return None;
            }
            at += 1;
        }
        at = 0;
        while at < self.traits.len() {
            match self.traits[at] {
                Trait::Itself | Trait::Bounds | Trait::Conditional => return None,
                Trait::Divides if dtype.is_integral() => return None,
                Trait::Divides | Trait::ExactScalars | Trait::Alpha | Trait::Paired | Trait::Commutes => {}
                Trait::RowMajorOfNumber | Trait::RowMajorOfComplex | Trait::SaysParameters | Trait::Reduced | Trait::WideGradient => {}
            }
            at += 1;
        }
        Some(result)
    }

    /// Whether a number of a category may stand beside tensors of the dtype, and the call stays what it is.
    #[must_use]
    pub fn takes_plainly(&self, number: Category, dtype: DType) -> bool {
        let refused = self.refusals.iter().any(|refusal| refusal.categories.contains(number));
        number <= dtype.category() && !refused && self.simpler.is_empty()
    }

    /// Whether the operation has a special trait.
    #[must_use]
    pub fn is(&self, special: Trait) -> bool {
        self.traits.contains(&special)
    }

    /// The dtype that an operand is converted to, given the one that those of the promotion are.
    #[must_use]
    pub fn operand(&self, index: usize, common: DType) -> DType {
        if index == 0 && self.is(Trait::Conditional) { DType::Bool } else { common }
    }

    /// The error for a dtype that the operation has no kernel for, in PyTorch's words. `other` is whether the call has the other kernel.
    #[must_use]
    pub fn unsupported(&self, common: DType, other: bool) -> String {
        let kernel = self.other.filter(|_| other).map_or(self.kernel, |(_, kernel)| kernel);
        format!("\"{kernel}\" not implemented for '{}'", common.message_name())
    }
}

impl Op {
    /// PyTorch's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The dtype that the operands are converted to, given their promoted dtype.
    #[must_use]
    pub fn common(self, promoted: DType, default: DType) -> DType {
        self.row().common(promoted, default)
    }

    /// The dtype of the result, given the dtype that the operands are converted to.
    #[must_use]
    pub fn result(self, common: DType) -> DType {
        self.row().result(common)
    }

    /// The dtype that an operand is converted to, given the one that those of the promotion are.
    #[must_use]
    pub fn operand(self, index: usize, common: DType) -> DType {
        self.row().operand(index, common)
    }

    /// The dtype that the formula gives, before it is rounded to that of the result.
    #[must_use]
    pub fn given(self, common: DType) -> DType {
        self.result(common.computing())
    }

    /// The dtype of the result of a call on tensors of a dtype, where that alone decides the call: nothing is converted, refused or looked at
    /// first. Numbers beside them are another matter: [`Row::takes_plainly`].
    #[inline]
    #[must_use]
    pub fn plain(self, dtype: DType) -> Option<DType> {
        /// The answers, which depend on nothing.
        static ANSWERS: [[Option<DType>; DType::ALL.len()]; Op::ALL.len()] = {
            let mut answers = [[None; DType::ALL.len()]; Op::ALL.len()];
            let mut op = 0;
            while op < Op::ALL.len() {
                let mut dtype = 0;
                while dtype < DType::ALL.len() {
                    answers[op][DType::ALL[dtype] as usize] = Op::ALL[op].row().plain(DType::ALL[dtype]);
                    dtype += 1;
                }
                op += 1;
            }
            answers
        };
        ANSWERS[self as usize][dtype as usize]
    }

    /// What the operation gives for operands that promote to a dtype, or the text of the error.
    ///
    /// # Errors
    /// Where the operation refuses operands of the dtype, or has no kernel for it.
    pub fn answer(self, promoted: DType, default: DType) -> Result<DType, String> {
        let refusal = self.row().refusals.iter().find(|row| row.when.is_of_dtypes() && row.categories.contains(promoted.category()));
        let common = self.common(promoted, default);
        match refusal {
            Some(refusal) => Err(refusal.text.into()),
            None if self.computes(common) => Ok(self.result(common)),
            None => Err(self.row().unsupported(common, false)),
        }
    }

    /// Whether there is a kernel for operands of that dtype.
    #[must_use]
    pub fn computes(self, common: DType) -> bool {
        self.row().computes(common)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl DType {
    /// The dtype that kernels compute in: half precision computes in single precision and is rounded once.
    #[must_use]
    pub const fn computing(self) -> Self {
        match self {
            Self::F16 | Self::BF16 => Self::F32,
            Self::C32 => Self::C64,
            // others: computed as they are.
            other => other,
        }
    }
}
