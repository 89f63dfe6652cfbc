//! What a row of the table may say of an operation, beside its formulas: rules for dtypes, refusals, checks and peculiarities of PyTorch.
//! Facts of single operations are values of these types in `table`, never code.

use super::Op;
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
pub enum RefusedWhen {
    /// Some operand is in the set.
    Any,
    /// All operands are.
    All,
    /// The first operand is.
    First,
    /// Some operand is, and the result goes into the first one.
    InPlace,
    /// All operands after the first are.
    Rest,
    /// Some operand is, and those of the row's [`Other::Numbers`] are numbers.
    WithNumbers,
    /// All operands are, and the last is a negative number.
    Negative,
    /// All operands are, and the first parameter isn't 0 or more. In the text `{found}` stands for it, `{dtype}` for what the operands promote
    /// to and `{largest}` for the greatest number of that.
    NegativeParameter,
}

impl RefusedWhen {
    /// Whether dtypes alone decide it.
    #[must_use]
    pub const fn is_of_dtypes(self) -> bool {
        matches!(self, Self::Any | Self::All | Self::First)
    }
}

/// A call that an operation refuses before it looks at anything else.
#[derive(Clone, Copy, Debug)]
pub struct RefusalRow {
    /// Which calls.
    pub when: RefusedWhen,
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
    /// The operands after the first bound it. Numbers must be in the range of the dtype.
    Bounds,
    /// The first operand is a condition: bool, and no part of the promotion.
    Conditional,
    /// The parameter `alpha` must suit the result.
    Alpha,
    /// Operands of two dtypes may have a loop of their own, which converts and computes at once.
    Paired,
    /// Operands may change places, where a parameter `alpha` is 1.
    Commutes,
    /// A new result is row-major where the first operand is a number.
    RowMajorOfNumber,
    /// A new result is row-major where the operands are complex.
    RowMajorOfComplex,
    /// Its only form has the parameters.
    SaysParameters,
    /// A loss reduces it: it has no method and no call of its own.
    Reduced,
    /// Halves compute its gradient in single precision, too, and round it once.
    WideGradient,
}

/// What the operands of a call by name can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Tensors or numbers, in one call.
    Mixed,
    /// Tensors.
    Tensors,
    /// Two calls: the second operand is a tensor, or a number.
    NumberLast,
    /// Three: the first may be a number, too.
    NumberFirst,
    /// Three, of which the one with a number in front gives only new tensors.
    NumberFirstNew,
}

/// Which dtypes an output may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outputs {
    /// Those that the result can be cast to.
    Castable,
    /// Any.
    Any,
    /// That of the computation, unless the result is a part of a complex number.
    Same,
    /// That of the computation where the operands of the row's [`Other::Numbers`] are numbers; else those that the result can be cast to.
    SameWithNumbers,
    /// The same where they are tensors.
    SameWithTensors,
    /// That of the result. PyTorch looks before it looks at shapes, and has words of its own, in place and for `out=`; `{output}` and
    /// `{result}` stand for the dtypes.
    Exact {
        /// Where the result goes into the first operand.
        in_place: &'static str,
        /// Where it goes into another tensor.
        out: &'static str,
    },
}

/// Calls that PyTorch gives to another kernel, as the name in its messages tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Where the operands from that one on are numbers. They weigh or bound those before.
    Numbers(usize),
    /// Where the parameters have their defaults.
    Defaults,
}

/// What numbers are checked for: parameters, and numbers in the place of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Nothing.
    No,
    /// That the dtype of the computation holds them.
    Computing,
    /// That the dtype of the operands holds them, where that is integral or `f16`: elsewhere PyTorch computes with the number as it is.
    Narrow,
}

/// What another operation computes, more exactly or where this one has no kernel.
#[derive(Clone, Copy, Debug)]
pub struct Simpler {
    /// The operand that is a number beside a tensor.
    pub operand: usize,
    /// Of which categories the number may be.
    pub categories: Categories,
    /// The number.
    pub number: f64,
    /// What the result is then.
    pub becomes: Becomes,
    /// The dtype that is computed by the operation itself all the same.
    pub but: Option<DType>,
}

/// The result of an operation that another one computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// One, everywhere.
    Ones,
    /// The first operand.
    First,
    /// An operation on the first operand, where that has a kernel for it.
    Unary(Op),
}

/// An operand that takes certain dtypes only.
#[derive(Clone, Copy, Debug)]
pub struct Takes {
    /// Which operand.
    pub operand: usize,
    /// Its dtypes.
    pub dtypes: &'static [DType],
    /// PyTorch's words; `{found}` stands for the dtype.
    pub text: &'static str,
}

/// What the operands of a call after its first one are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Tensors, or numbers where there is no formula for those.
    Tensors,
    /// Numbers.
    Numbers,
}

/// The gradient of an operand.
#[derive(Clone, Copy, Debug)]
pub struct DerivativeRow {
    /// Which operand.
    pub operand: &'static str,
    /// Of which categories the computation is.
    pub categories: Categories,
    /// In which calls.
    pub beside: Beside,
    /// A formula over the gradient `g` of the result, the operands, the result `r`, the parameters and the imaginary unit `i`. It is computed
    /// by operations of the table, and may name them. What it names is kept for the way back.
    pub formula: &'static str,
}

/// A part of a derivative, which is a graph of operations of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// The gradient of the result.
    Gradient,
    /// An operand.
    Operand(usize),
    /// The result.
    Result,
    /// A parameter.
    Parameter(usize),
    /// A number.
    Number(f64),
    /// The imaginary unit.
    Imaginary,
    /// The place of an element.
    Index,
    /// What an operation makes of earlier parts; those that it doesn't take are `None`.
    Step(Op, [Option<usize>; 3]),
}
