//! The derivatives of single words of the language, as PyTorch has them: for each argument a formula over the gradient `g`, the arguments `x`,
//! `y`, `z`, the result `r` and the imaginary unit `i`. And which operation of the table computes an operator.

use latten_spec::operation::Op;

use crate::Binary;

/// What a word's derivatives are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// All numbers.
    All,
    /// Real numbers.
    Real,
    /// Complex numbers.
    Complex,
}

macro_rules! derivatives {
    ($($word:literal $for:ident: $($formula:literal),*;)*) => {
        &[$(($word, For::$for, &[$($formula),*])),*]
    };
}

/// Of each word the derivatives by its arguments. `0`: the word is constant between its steps.
pub const DERIVATIVES: &[(&str, For, &[&str])] = derivatives! {
    "+" All: "g", "g";
    "-" All: "g", "-g";
    "*" All: "g * conj(y)", "g * conj(x)";
    "/" All: "g / conj(y)", "-g * conj(x / y / y)";
    "%" All: "g", "-g * trunc(x / y)";
    "truth" All: "0", "0";
    "floor_divide" All: "0", "0";
    "gcd" All: "0", "0";
    "remainder" All: "g", "-g * floor_divide(x, y)";
    "abs" All: "g * sgn(x)";
    // The logarithm is that of `x` in the result's dtype.
    "pow" Real: "if y == 0 { 0 } else { g * (y * pow(x, y - 1)) }", "if (x == 0) & (y >= 0) { 0 } else { g * (r * log(if x == x { x } else { x + y })) }";
    "pow" Complex: "if y == 0 { 0 } else { g * conj(y * pow(x, y - 1)) }", "if (x == 0) & (y == real(y)) & (real(y) >= 0) { 0 } else { g * conj(r * log(if x == x { x } else { x + y })) }";
    "sqrt" All: "g / conj(2 * r)";
    "exp" All: "g * conj(r)";
    "exp2" All: "g * conj(r * 0.6931471805599453)";
    "expm1" All: "g * conj(r + 1)";
    "log" All: "g / conj(x)";
    "log2" All: "g / conj(x * 0.6931471805599453)";
    "log10" All: "g / conj(x * 2.302585092994046)";
    "log1p" All: "g / conj(x + 1)";
    "sin" All: "g * conj(cos(x))";
    "cos" All: "-g * conj(sin(x))";
    "tan" All: "g * conj(1 + r * r)";
    "asin" All: "g * conj(rsqrt(1 - x * x))";
    "acos" All: "-g * conj(rsqrt(1 - x * x))";
    "atan" All: "g / conj(x * x + 1)";
    "sinh" All: "g * conj(cosh(x))";
    "cosh" All: "g * conj(sinh(x))";
    "tanh" All: "g * conj(1 - r * r)";
    "asinh" All: "g * conj(rsqrt(x * x + 1))";
    "acosh" Real: "g * rsqrt(x * x - 1)";
    "acosh" Complex: "g * conj(rsqrt(x - 1) * rsqrt(x + 1))";
    "atanh" All: "g / conj(1 - x * x)";
    "floor" All: "0";
    "ceil" All: "0";
    "trunc" All: "0";
    "round" All: "0";
    "erf" All: "g * 1.1283791670955126 * exp(-x * x)";
    "erfc" All: "-g * 1.1283791670955126 * exp(-x * x)";
    "erfinv" All: "g * 0.886226925452758 * exp(r * r)";
    "lgamma" All: "g * digamma(x)";
    "atan2" All: "if (x == 0) & (y == 0) { 0 } else { g * y / (x * x + y * y) }", "if (x == 0) & (y == 0) { 0 } else { g * -x / (x * x + y * y) }";
    "hypot" All: "g * x / r", "g * y / r";
    "copysign" All: "if x == 0 { 0 } else { g * (r / x) }", "0";
    "mul_add" All: "g * y", "g * x", "g";
    "isnan" All: "0";
    "isinf" All: "0";
    "isfinite" All: "0";
    "signbit" All: "0";
    "real" All: "real(g)";
    "imag" All: "real(g) * i";
    "angle" All: "if x == 0 { 0 } else { g * (x * i) / (abs(x) * abs(x)) }";
    "conj" All: "conj(g)";
    "sgn" All: "if x == 0 { 0 } else { (g - sgn(x) * real(conj(sgn(x)) * g)) / abs(x) }";
    "complex" All: "real(g)", "imag(g)";
};

/// The derivatives of a word.
pub(super) fn derivative(word: &str, is_real: bool) -> Option<&'static [&'static str]> {
    let own = if is_real { For::Real } else { For::Complex };
    DERIVATIVES.iter().find(|(name, of, _)| *name == word && (*of == For::All || *of == own)).map(|&(_, _, formulas)| formulas)
}

/// What the derivatives of an operator are found by.
pub(super) const fn of_operator(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr | Binary::Eq | Binary::Ne => "truth",
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Both | Binary::Either => "truth",
    }
}

/// The operation that an operator is, on truths and inexact numbers.
pub(super) const fn operator(operator: Binary) -> Option<Op> {
    Some(match operator {
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
        Binary::Mul => Op::Mul,
        Binary::Div => Op::Div,
        Binary::Rem => Op::Fmod,
        Binary::And | Binary::Both => Op::LogicalAnd,
        Binary::Or | Binary::Either => Op::LogicalOr,
        Binary::Xor => Op::LogicalXor,
        Binary::Shl | Binary::Shr => return None,
        Binary::Eq => Op::Eq,
        Binary::Ne => Op::Ne,
        Binary::Lt => Op::Lt,
        Binary::Le => Op::Le,
        Binary::Gt => Op::Gt,
        Binary::Ge => Op::Ge,
    })
}
