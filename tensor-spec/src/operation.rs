//! The table of operations: what an elementwise operation is called, which dtype it gives, what it refuses, and what it computes, as a
//! formula for each category of numbers. Kernels for every device, the dispatch and the documents follow from the rows in `table`.
//!
//! A formula is Rust in syntax: operators, comparisons, `if`, `let`, and the functions that `tensor-kernel/src/check.rs` lists.
//! Every number in it has the dtype of the computation. f16 and bf16 compute in f32 and c32 in c64, so formulas never see them.

mod table;

use std::fmt;

pub use table::Op;

use crate::dtype::{Category, DType};

/// A set of categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Categories(u8);

impl Categories {
    /// `bool`.
    pub const BOOLEAN: Self = Self(1);
    /// The integers.
    pub const INTEGRAL: Self = Self(2);
    /// The real floats.
    pub const FLOATING: Self = Self(4);
    /// The complex numbers.
    pub const COMPLEX: Self = Self(8);
    /// `bool` and the integers.
    pub const DISCRETE: Self = Self(1 | 2);
    /// Integers and floats.
    pub const REAL: Self = Self(2 | 4);
    /// All but `bool`.
    pub const NUMBER: Self = Self(2 | 4 | 8);
    /// Floats and complex numbers.
    pub const INEXACT: Self = Self(4 | 8);
    /// All that has an order: all but the complex numbers.
    pub const ORDERED: Self = Self(1 | 2 | 4);
    /// All.
    pub const EVERY: Self = Self(15);

    /// Whether the category is in the set.
    #[must_use]
    pub const fn contains(self, category: Category) -> bool {
        self.0 & (1 << category as u8) != 0
    }
}

/// Which dtype an operation gives, and which it computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRule {
    /// The promoted dtype of the operands.
    Promoted,
    /// The same, but the default dtype where that is integral or bool.
    Float,
    /// Computed in the promoted dtype; the result is bool.
    Bool,
    /// Computed in the promoted dtype; of a complex number the dtype of its parts.
    Real,
    /// Both: the default dtype for integers, the dtype of the parts for complex numbers.
    RealFloat,
    /// float64, or complex128.
    Double,
    /// The promoted dtype, but int64 where that is bool.
    LongIfBool,
    /// The dtype of the first operand, which the other tensors must have too.
    First,
}

/// The classes of PyTorch's exceptions that a row raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// `NotImplementedError`.
    NotImplemented,
    /// `TypeError`.
    Type,
    /// `RuntimeError`.
    Runtime,
}

/// Which calls a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Some operand is in the set.
    Any,
    /// All operands are.
    All,
    /// Some operand is, and the result goes into the first one.
    InPlace,
}

/// A call that an operation refuses before it looks at anything else.
#[derive(Clone, Copy, Debug)]
pub struct RefusalRow {
    /// Which calls.
    pub when: When,
    /// Operands of which categories.
    pub categories: Categories,
    /// The class of the error.
    pub kind: RefusalKind,
    /// PyTorch's words.
    pub text: &'static str,
}

/// What else is special about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// A scalar operand of a computation in `f16` or `bf16` keeps its value; elsewhere it is rounded to the dtype first.
    ExactScalars,
    /// Integers are divided by the second operand, which must have no zero.
    Divides,
    /// A new result is the operand itself, in its storage, where the formula is `x`.
    Itself,
    /// The result goes into an output of any dtype.
    AnyOutput,
    /// An output must have the dtype of the result, unless that is a part of a complex number.
    SameOutput,
    /// The operands after the first bound it. Numbers must be in the range of the dtype, and an output have that dtype.
    Bounds,
    /// The first operand is a condition: bool, and no part of the promotion.
    Conditional,
    /// The parameter `alpha` must suit the result.
    Alpha,
    /// Operands of two dtypes have a loop of their own, which converts and computes at once.
    Paired,
}

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
    /// The dtype of the result.
    pub result: ResultRule,
    /// PyTorch's name of the kernel, for "not implemented for".
    pub kernel: &'static str,
    /// The formulas; the first whose set has the category counts.
    pub formulas: &'static [(Categories, &'static str)],
    /// What it refuses, in the order of the checks.
    pub refusals: &'static [RefusalRow],
    /// What else is special.
    pub traits: &'static [Trait],
}

impl Row {
    /// The formula for a category of numbers; without one the operation has no kernel there.
    #[must_use]
    pub fn formula(&self, category: Category) -> Option<&'static str> {
        self.formulas.iter().find(|(set, _)| set.contains(category)).map(|&(_, formula)| formula)
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

    /// Whether the operation has a special trait.
    #[must_use]
    pub fn is(&self, special: Trait) -> bool {
        self.traits.contains(&special)
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
        if index == 0 && self.row().is(Trait::Conditional) { DType::Bool } else { common }
    }

    /// The dtype that the formula gives, before it is rounded to that of the result.
    #[must_use]
    pub fn given(self, common: DType) -> DType {
        self.result(common.computing())
    }

    /// What the operation gives for operands that promote to a dtype, or the text of the error.
    ///
    /// # Errors
    /// Where the operation refuses operands of the dtype, or has no kernel for it.
    pub fn answer(self, promoted: DType, default: DType) -> Result<DType, String> {
        let refusal = self.row().refusals.iter().find(|row| row.when != When::InPlace && row.categories.contains(promoted.category()));
        let common = self.common(promoted, default);
        match refusal {
            Some(refusal) => Err(refusal.text.into()),
            None if self.computes(common) => Ok(self.result(common)),
            None => Err(self.unsupported(common, false)),
        }
    }

    /// Whether there is a kernel for operands of that dtype.
    #[must_use]
    pub fn computes(self, common: DType) -> bool {
        self.row().computes(common)
    }

    /// The error for a dtype that the operation has no kernel for, in PyTorch's words. `numbers` says whether the operands that
    /// bound or weigh the others are numbers: a few operations have another kernel then.
    #[must_use]
    pub fn unsupported(self, common: DType, numbers: bool) -> String {
        let kernel = match self {
            Self::Lerp if numbers => "lerp_kernel_scalar",
            Self::Clamp if numbers => "clamp_scalar_cpu",
            Self::ClampMin if numbers => "clamp_min_scalar_cpu",
            Self::ClampMax if numbers => "clamp_max_scalar_cpu",
            _ => self.row().kernel,
        };
        format!("\"{kernel}\" not implemented for '{}'", common.message_name())
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
            other => other,
        }
    }
}
