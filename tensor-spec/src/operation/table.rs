//! The rows. Each: the variant, PyTorch's name, operands and parameters with their defaults, the result rule, the kernel's name in PyTorch's messages; then the
//! formulas by category, after `!` what is refused, after `~` the gradients of operands that rules don't give from the formulas (kinks, and
//! what is kept for them), and in brackets what is special: traits, then columns of `Row` that aren't plain.

use super::{
    Becomes, Beside, Calls, Categories, DerivativeRow, Fit, Other, Outputs, RefusalKind, RefusalRow, RefusedWhen, ResultRule, Row, Simpler,
    Takes, Trait,
};
use crate::dtype::DType;

macro_rules! operations {
    ($(
        $op:ident $name:literal ($($operand:ident),+ $(; $($param:ident = $default:expr),+)?) -> $result:ident, $kernel:literal {
            $($category:ident: $formula:literal,)*
            $(! $when:ident $what:ident $kind:ident: $text:literal,)*
            $(~ $wanted:ident $set:ident $beside:ident: $gradient:literal,)*
        } $([$($special:ident),* $(; $($column:ident: $value:expr),+)?])?
    )*) => {
        /// An elementwise operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Op {
            $(
                #[doc = concat!("PyTorch's `", $name, "`.")]
                $op,
            )*
        }

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Self] = &[$(Self::$op),*];

            /// The row of the operation.
            #[must_use]
            pub const fn row(self) -> &'static Row {
                match self { $(
                    Self::$op => const { &Row {
                        name: $name,
                        operands: &[$(stringify!($operand)),+],
                        params: &[$($((stringify!($param), $default)),+)?],
                        result: ResultRule::$result,
                        kernel: $kernel,
                        formulas: &[$((Categories::$category, $formula)),*],
                        refusals: &[$(
                            RefusalRow { when: RefusedWhen::$when, categories: Categories::$what, kind: RefusalKind::$kind, text: $text },
                        )*],
                        traits: &[$($(Trait::$special),*)?],
                        derivatives: &[$(
                            DerivativeRow {
                                operand: stringify!($wanted),
                                categories: Categories::$set,
                                beside: Beside::$beside,
                                formula: $gradient,
                            },
                        )*],
                        $($($($column: $value,)+)?)?
                        ..Row::PLAIN
                    } },
                )* }
            }

            /// How the table names the variant.
            #[must_use]
            pub const fn variant(self) -> &'static str {
                match self { $(Self::$op => stringify!($op),)* }
            }
        }
    };
}

operations! {
    // Arithmetic.
    Add "add" (x, y; alpha = 1.0) -> Promoted, "add_stub" {
        BOOLEAN: "x | (alpha & y)",
        INTEGRAL: "x + alpha * y",
        FLOATING: "if alpha == 1 { x + y } else { mul_add(alpha, y, x) }",
        COMPLEX: "if alpha == 1 { x + y } else { x + alpha * y }",
        ~ x INEXACT Tensors: "g",
        ~ y INEXACT Tensors: "if alpha == 1 { g } else { g * conj(alpha) }",
    } [Alpha, Paired, Commutes; alone: &["x", "y"]]
    Sub "sub" (x, y; alpha = 1.0) -> Promoted, "sub_stub" {
        INTEGRAL: "x - alpha * y",
        FLOATING: "if alpha == 1 { x - y } else { mul_add(-alpha, y, x) }",
        COMPLEX: "if alpha == 1 { x - y } else { x - alpha * y }",
        ! All BOOLEAN NotImplemented: "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        ! Any BOOLEAN NotImplemented: "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ~ x INEXACT Tensors: "g",
        ~ y INEXACT Tensors: "if alpha == 1 { -g } else { -g * conj(alpha) }",
    } [Alpha, Paired; alone: &["x", "y"]]
    Rsub "rsub" (x, y; alpha = 1.0) -> Promoted, "sub_stub" {
        INTEGRAL: "y - alpha * x",
        FLOATING: "if alpha == 1 { y - x } else { mul_add(-alpha, x, y) }",
        COMPLEX: "if alpha == 1 { y - x } else { y - alpha * x }",
        ! All BOOLEAN NotImplemented: "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        ! Any BOOLEAN NotImplemented: "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ~ x INEXACT Tensors: "if alpha == 1 { -g } else { -g * conj(alpha) }",
        ~ y INEXACT Tensors: "g",
    } [Alpha; reversed: Some(Op::Sub), overloads: [0, 1, 0]]
    Mul "mul" (x, y) -> Promoted, "mul_cpu" {
        BOOLEAN: "x & y",
        NUMBER: "x * y",
    } [ExactScalars, Paired, Commutes; alone: &["x", "y"]]
    Div "div" (x, y) -> Float, "div_cpu" {
        INEXACT: "x / y",
    } [ExactScalars, Paired; alone: &["x", "y"]]
    DivFloor "floor_divide" (x, y) -> Promoted, "div_floor_cpu" {
        REAL: "floor_divide(x, y)",
        ~ x FLOATING Tensors: "0 * g",
        ~ y FLOATING Tensors: "0 * g",
    } [ExactScalars, Divides; node: Some("Div"), overloads: [2; 3]]
    DivTrunc "div_trunc" (x, y) -> Promoted, "div_trunc_cpu" {
        INTEGRAL: "x / y",
        FLOATING: "trunc(x / y)",
    } [ExactScalars, Divides; node: Some("Div"), overloads: [2; 3]]
    Remainder "remainder" (x, y) -> Promoted, "remainder_cpu" {
        REAL: "remainder(x, y)",
    } [Divides; overloads: [1, 0, 1], calls: Calls::NumberFirstNew]
    Fmod "fmod" (x, y) -> Promoted, "fmod_cpu" {
        REAL: "x % y",
    } [Divides; overloads: [1, 0, 1], calls: Calls::NumberLast]
    Pow "pow" (x, y) -> Promoted, "pow" {
        NUMBER: "pow(x, y)",
        ! Negative DISCRETE Runtime: "Integers to negative integer powers are not allowed.",
    } [RowMajorOfNumber; fit: Fit::Narrow, simpler: &[
        // True ones as bases are powers like others. PyTorch takes no roots of f16: of -inf they would be NaN.
        Simpler { operand: 0, categories: Categories::NUMBER, number: 1.0, becomes: Becomes::Ones, but: None },
        Simpler { operand: 1, categories: Categories::EVERY, number: 0.0, becomes: Becomes::Ones, but: None },
        Simpler { operand: 1, categories: Categories::EVERY, number: 1.0, becomes: Becomes::First, but: None },
        Simpler { operand: 1, categories: Categories::EVERY, number: 2.0, becomes: Becomes::Unary(Op::Square), but: None },
        Simpler { operand: 1, categories: Categories::EVERY, number: 0.5, becomes: Becomes::Unary(Op::Sqrt), but: Some(DType::F16) },
        Simpler { operand: 1, categories: Categories::EVERY, number: -0.5, becomes: Becomes::Unary(Op::Rsqrt), but: Some(DType::F16) },
        Simpler { operand: 1, categories: Categories::EVERY, number: -1.0, becomes: Becomes::Unary(Op::Reciprocal), but: None }
    ], overloads: [1, 0, 2]]
    FloatPower "float_power" (x, y) -> Double, "pow" {
        INEXACT: "pow(x, y)",
    } [RowMajorOfNumber; outputs: Outputs::Exact {
        in_place: "the base given to float_power_ has dtype {output} but the operation's result requires dtype {result}",
        out: "the output given to float_power has dtype {output} but the operation's result requires dtype {result}",
    }, node: Some("Pow"), overloads: [1, 0, 2]]
    Maximum "maximum" (x, y) -> Promoted, "maximum_cpu" {
        BOOLEAN: "x | y",
        INTEGRAL: "if x > y { x } else { y }",
        FLOATING: "if x < y || isnan(y) { y } else { x }",
        ! Any COMPLEX Type: "maximum not implemented for complex tensors.",
        ~ x FLOATING Tensors: "if x == y { g / 2 } else { if x < y { 0 } else { g } }",
        ~ y FLOATING Tensors: "if x == y { g / 2 } else { if y < x { 0 } else { g } }",
    } [; calls: Calls::Tensors]
    Minimum "minimum" (x, y) -> Promoted, "minimum_cpu" {
        BOOLEAN: "x & y",
        INTEGRAL: "if x < y { x } else { y }",
        FLOATING: "if x > y || isnan(y) { y } else { x }",
        ! Any COMPLEX Type: "minimum not implemented for complex tensors.",
        ~ x FLOATING Tensors: "if x == y { g / 2 } else { if x > y { 0 } else { g } }",
        ~ y FLOATING Tensors: "if x == y { g / 2 } else { if y > x { 0 } else { g } }",
    } [; calls: Calls::Tensors]
    Fmax "fmax" (x, y) -> Promoted, "fmax_cpu" {
        BOOLEAN: "x | y",
        INTEGRAL: "if x > y { x } else { y }",
        FLOATING: "if x < y || isnan(x) { y } else { x }",
        ! Any COMPLEX Type: "fmax not implemented for complex tensors.",
        ~ x FLOATING Tensors: "if x == y { g / 2 } else { if (x > y) | isnan(y) { g } else { 0 } }",
        ~ y FLOATING Tensors: "if x == y { g / 2 } else { if (x > y) | isnan(y) { 0 } else { g } }",
    } [; calls: Calls::Tensors]
    Fmin "fmin" (x, y) -> Promoted, "fmin_cpu" {
        BOOLEAN: "x & y",
        INTEGRAL: "if x < y { x } else { y }",
        FLOATING: "if x > y || isnan(x) { y } else { x }",
        ! Any COMPLEX Type: "fmin not implemented for complex tensors.",
        ~ x FLOATING Tensors: "if x == y { g / 2 } else { if (x < y) | isnan(y) { g } else { 0 } }",
        ~ y FLOATING Tensors: "if x == y { g / 2 } else { if (x < y) | isnan(y) { 0 } else { g } }",
    } [; calls: Calls::Tensors]
    Atan2 "atan2" (x, y) -> Float, "atan2_cpu" { FLOATING: "atan2(x, y)", } [; calls: Calls::Tensors]
    Hypot "hypot" (x, y) -> Promoted, "hypot_cpu" { FLOATING: "hypot(x, y)", } [; calls: Calls::Tensors]
    Copysign "copysign" (x, y) -> Float, "copysign_cpu" { FLOATING: "copysign(x, y)", } [; overloads: [0, 1, 0], calls: Calls::NumberLast]
    Logaddexp "logaddexp" (x, y) -> Promoted, "logaddexp_cpu" {
        FLOATING: "if isinf(x) && x == y { x } else { let top = if x > y || isnan(x) { x } else { y }; top + log1p(exp(-abs(x - y))) }",
        COMPLEX: "let parts = real(x) + imag(x) + real(y) + imag(y); let wrong = isnan(real(x)) || isnan(imag(x)) || isnan(real(y)) || isnan(imag(y)); let above = real(x) >= real(y); let top = if above { x } else { y }; let rest = if above { y } else { x }; if wrong { complex(parts, parts) } else if isinf(real(top)) && real(x) == real(y) { if real(top) < 0 { rest } else { log(exp(x) + exp(y)) } } else { top + log1p(exp(rest - top)) }",
        ~ x INEXACT Tensors: "g / conj(1 + exp(y - x))",
        ~ y INEXACT Tensors: "g / conj(1 + exp(x - y))",
    } [; calls: Calls::Tensors]
    Xlogy "xlogy" (x, y) -> Float, "xlogy_cpu" {
        FLOATING: "if isnan(y) { y } else if x == 0 { 0 } else { x * log(y) }",
        ~ x FLOATING Tensors: "if (x == 0) & (y <= 0) { 0 } else { xlogy(g, y) }",
        ~ y FLOATING Tensors: "g * x / y",
    } [; overloads: [0, 2, 1], calls: Calls::NumberFirst]

    // Comparisons and logic: in place and into an output of any dtype.
    Eq "eq" (x, y) -> Bool, "eq_cpu" { EVERY: "x == y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    Ne "ne" (x, y) -> Bool, "ne_cpu" { EVERY: "x != y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    Lt "lt" (x, y) -> Bool, "lt_cpu" { ORDERED: "x < y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    Le "le" (x, y) -> Bool, "le_cpu" { ORDERED: "x <= y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    Gt "gt" (x, y) -> Bool, "gt_cpu" { ORDERED: "x > y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    Ge "ge" (x, y) -> Bool, "ge_cpu" { ORDERED: "x >= y", } [; outputs: Outputs::Any, calls: Calls::NumberLast]
    LogicalAnd "logical_and" (x, y) -> Bool, "logical_and_cpu" { BOOLEAN: "x & y", NUMBER: "(x != 0) & (y != 0)", } [; outputs: Outputs::Any, calls: Calls::Tensors]
    LogicalOr "logical_or" (x, y) -> Bool, "logical_or_cpu" { BOOLEAN: "x | y", NUMBER: "(x != 0) | (y != 0)", } [; outputs: Outputs::Any, calls: Calls::Tensors]
    LogicalXor "logical_xor" (x, y) -> Bool, "logical_xor_cpu" { BOOLEAN: "x ^ y", NUMBER: "(x != 0) ^ (y != 0)", } [; outputs: Outputs::Any, calls: Calls::Tensors]
    LogicalNot "logical_not" (x) -> Bool, "logical_not_cpu" { BOOLEAN: "!x", NUMBER: "x == 0", } [; outputs: Outputs::Any]
    BitwiseAnd "bitwise_and" (x, y) -> Promoted, "bitwise_and_cpu" { DISCRETE: "x & y", } [; calls: Calls::NumberFirstNew]
    BitwiseOr "bitwise_or" (x, y) -> Promoted, "bitwise_or_cpu" { DISCRETE: "x | y", } [; calls: Calls::NumberFirstNew]
    BitwiseXor "bitwise_xor" (x, y) -> Promoted, "bitwise_xor_cpu" { DISCRETE: "x ^ y", } [; calls: Calls::NumberFirstNew]
    BitwiseNot "bitwise_not" (x) -> Promoted, "bitwise_not_cpu" { DISCRETE: "!x", } [; outputs: Outputs::Same]
    Gcd "gcd" (x, y) -> Promoted, "gcd_cpu" { INTEGRAL: "gcd(x, y)", } [; calls: Calls::Tensors]
    // Of narrow integers PyTorch multiplies C's `int`s, which hold the product, and keeps the low bits; so only wider products lose a sign.
    Lcm "lcm" (x, y) -> Promoted, "lcm_cpu" {
        INTEGRAL: "let divisor = gcd(x, y); let product = abs(x / divisor) * abs(y); let narrow = x - x + 1 << 16 == 0; if divisor == 0 { 0 } else if narrow { product } else { abs(product) }",
    } [; calls: Calls::Tensors]
    LeftShift "bitwise_left_shift" (x, y) -> Promoted, "lshift_cpu" { INTEGRAL: "x << y", } [; calls: Calls::NumberFirstNew]
    RightShift "bitwise_right_shift" (x, y) -> Promoted, "rshift_cpu" { INTEGRAL: "x >> y", } [; calls: Calls::NumberFirstNew]

    // Signs and rounding: the result keeps its dtype, and so must an output.
    Neg "neg" (x) -> Promoted, "neg_cpu" {
        NUMBER: "-x",
        ! Any BOOLEAN NotImplemented: "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
    } [; outputs: Outputs::Same]
    Positive "positive" (x) -> Promoted, "positive_cpu" {
        NUMBER: "x",
        ! Any BOOLEAN NotImplemented: "The `+` operator, on a bool tensor is not supported.",
    } [Itself; outputs: Outputs::Same]
    Abs "abs" (x) -> Real, "abs_cpu" {
        REAL: "abs(x)",
        COMPLEX: "abs(x)",
        ! InPlace COMPLEX Runtime: "In-place abs is not supported for complex tensors.",
    } [; outputs: Outputs::Same]
    Sign "sign" (x) -> Promoted, "sign_cpu" {
        BOOLEAN: "x",
        REAL: "if x > 0 { 1 } else if x < 0 { -1 } else { 0 }",
        ! Any COMPLEX NotImplemented: "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
    } [; outputs: Outputs::Same]
    Sgn "sgn" (x) -> Promoted, "sgn_cpu" {
        BOOLEAN: "x",
        REAL: "if x > 0 { 1 } else if x < 0 { -1 } else { 0 }",
        COMPLEX: "sgn(x)",
    } [; outputs: Outputs::Same]
    Floor "floor" (x) -> Promoted, "floor_vml_cpu" {
        INTEGRAL: "x",
        FLOATING: "floor(x)",
        ! Any COMPLEX NotImplemented: "floor is not supported for complex inputs",
    } [; outputs: Outputs::Same]
    Ceil "ceil" (x) -> Promoted, "ceil_vml_cpu" {
        INTEGRAL: "x",
        FLOATING: "ceil(x)",
        ! Any COMPLEX NotImplemented: "ceil is not supported for complex inputs",
    } [; outputs: Outputs::Same]
    Trunc "trunc" (x) -> Promoted, "trunc_vml_cpu" {
        INTEGRAL: "x",
        FLOATING: "trunc(x)",
        ! Any COMPLEX NotImplemented: "trunc is not supported for complex inputs",
    } [; outputs: Outputs::Same]
    Round "round" (x) -> Promoted, "round_vml_cpu" { INTEGRAL: "x", FLOATING: "round(x)", } [; outputs: Outputs::Same]
    RoundDecimals "round_decimals" (x; decimals = 0.0) -> Promoted, "round_cpu" {
        FLOATING: "if decimals < 0 { let ten = pow(10, -decimals); round(x / ten) * ten } else { let ten = pow(10, decimals); round(x * ten) / ten }",
    } [SaysParameters; outputs: Outputs::Same, other: Some((Other::Defaults, "round_vml_cpu")), node: Some("Round"), overloads: [1; 3]]
    Frac "frac" (x) -> Promoted, "frac_cpu" { FLOATING: "x - trunc(x)", } [; outputs: Outputs::Same]
    Conj "conj" (x) -> Promoted, "conj_cpu" { ORDERED: "x", COMPLEX: "conj(x)", } [Itself; outputs: Outputs::Same]
    Square "square" (x) -> LongIfBool, "pow" {
        NUMBER: "x * x",
        ~ x INEXACT Tensors: "g * conj(2 * x)",
    } [; node: Some("Pow")]
    Reciprocal "reciprocal" (x) -> Float, "reciprocal_cpu" {
        INEXACT: "1 / x",
        ~ x INEXACT Tensors: "-g * conj(r * r)",
    }
    NanToNum "nan_to_num" (x; nan = 0.0, top = f64::MAX, bottom = f64::MIN) -> Promoted, "nan_to_num" {
        DISCRETE: "x",
        FLOATING: "if isnan(x) { nan } else if isinf(x) { if x > 0 { top } else { bottom } } else { x }",
        COMPLEX: "let a = real(x); let b = imag(x); complex(if isnan(a) { real(nan) } else if isinf(a) { if a > 0 { real(top) } else { real(bottom) } } else { a }, if isnan(b) { real(nan) } else if isinf(b) { if b > 0 { real(top) } else { real(bottom) } } else { b })",
        ~ x INEXACT Tensors: "g * isfinite(x)",
    } [; outputs: Outputs::Exact {
        in_place: "nan_to_num: dtype of out: {output} should be same as input: {result}",
        out: "nan_to_num: dtype of out: {output} should be same as input: {result}",
    }]

    // Parts and kinds of numbers.
    Angle "angle" (x) -> RealFloat, "angle_cpu" {
        FLOATING: "if isnan(x) { x } else if x < 0 { 3.141592653589793 } else { 0 }",
        COMPLEX: "angle(x)",
        ~ x FLOATING Tensors: "0",
    } [RowMajorOfComplex]
    Real "real" (x) -> Real, "real_cpu" { ORDERED: "x", COMPLEX: "real(x)", } [Itself]
    Imag "imag" (x) -> Real, "imag_cpu" {
        COMPLEX: "imag(x)",
        ! Any ORDERED Type: "imag is not implemented for tensors with non-complex dtypes.",
    }
    Isnan "isnan" (x) -> Bool, "isnan_cpu" { DISCRETE: "false", FLOATING: "isnan(x)", COMPLEX: "isnan(real(x)) | isnan(imag(x))", } [; outputs: Outputs::Any]
    Isinf "isinf" (x) -> Bool, "isinf_cpu" { DISCRETE: "false", FLOATING: "isinf(x)", COMPLEX: "isinf(real(x)) | isinf(imag(x))", } [; outputs: Outputs::Any]
    Isfinite "isfinite" (x) -> Bool, "isfinite_cpu" { DISCRETE: "true", FLOATING: "isfinite(x)", COMPLEX: "isfinite(real(x)) & isfinite(imag(x))", } [; outputs: Outputs::Any]
    Signbit "signbit" (x) -> Bool, "signbit_cpu" {
        BOOLEAN: "false",
        INTEGRAL: "x < 0",
        FLOATING: "signbit(x)",
        ! Any COMPLEX NotImplemented: "signbit is not implemented for complex tensors.",
    } [; outputs: Outputs::Exact {
        in_place: "signbit does not support non-boolean outputs.",
        out: "signbit does not support non-boolean outputs.",
    }]

    // Functions of analysis: integers become the default dtype first.
    Sqrt "sqrt" (x) -> Float, "sqrt_vml_cpu" { INEXACT: "sqrt(x)", }
    Rsqrt "rsqrt" (x) -> Float, "rsqrt_cpu" {
        INEXACT: "1 / sqrt(x)",
        ~ x INEXACT Tensors: "-0.5 * g * conj(r * r * r)",
    }
    Exp "exp" (x) -> Float, "exp_vml_cpu" { INEXACT: "exp(x)", }
    Exp2 "exp2" (x) -> Float, "exp2" { INEXACT: "exp2(x)", }
    Expm1 "expm1" (x) -> Float, "expm1_vml_cpu" { INEXACT: "expm1(x)", }
    Log "log" (x) -> Float, "log_vml_cpu" { INEXACT: "log(x)", }
    Log2 "log2" (x) -> Float, "log2_vml_cpu" { INEXACT: "log2(x)", }
    Log10 "log10" (x) -> Float, "log10_vml_cpu" { INEXACT: "log10(x)", }
    Log1p "log1p" (x) -> Float, "log1p_vml_cpu" { INEXACT: "log1p(x)", }
    Sin "sin" (x) -> Float, "sin_vml_cpu" { INEXACT: "sin(x)", }
    Cos "cos" (x) -> Float, "cos_vml_cpu" { INEXACT: "cos(x)", }
    Tan "tan" (x) -> Float, "tan_vml_cpu" { INEXACT: "tan(x)", }
    Asin "asin" (x) -> Float, "asin_vml_cpu" { INEXACT: "asin(x)", }
    Acos "acos" (x) -> Float, "acos_vml_cpu" { INEXACT: "acos(x)", }
    Atan "atan" (x) -> Float, "atan_vml_cpu" { INEXACT: "atan(x)", }
    Sinh "sinh" (x) -> Float, "sinh_cpu" { INEXACT: "sinh(x)", }
    Cosh "cosh" (x) -> Float, "cosh_cpu" { INEXACT: "cosh(x)", }
    Tanh "tanh" (x) -> Float, "tanh_vml_cpu" { INEXACT: "tanh(x)", }
    Asinh "asinh" (x) -> Float, "asinh_cpu" { INEXACT: "asinh(x)", }
    Acosh "acosh" (x) -> Float, "acosh_cpu" { INEXACT: "acosh(x)", }
    Atanh "atanh" (x) -> Float, "atanh_cpu" { INEXACT: "atanh(x)", }
    Sigmoid "sigmoid" (x) -> Float, "sigmoid_cpu" {
        INEXACT: "1 / (1 + exp(-x))",
        ~ x INEXACT Tensors: "g * conj(r * (1 - r))",
    }
    Erf "erf" (x) -> Float, "erf_vml_cpu" { FLOATING: "erf(x)", }
    Erfc "erfc" (x) -> Float, "erfc_vml_cpu" { FLOATING: "erfc(x)", }
    Erfinv "erfinv" (x) -> Float, "erfinv_vml_cpu" { FLOATING: "erfinv(x)", }
    Lgamma "lgamma" (x) -> Float, "lgamma_vml_cpu" { FLOATING: "lgamma(x)", }
    Digamma "digamma" (x) -> Float, "digamma" {
        FLOATING: "let turned = x < 0; let y = if turned { 1 - x } else { x }; let z = y + 10; let w = 1 / (z * z); let tail = w * (0.08333333333333333 - w * (0.008333333333333333 - w * (0.003968253968253968 - w * (0.004166666666666667 - w * (0.007575757575757576 - w * (0.021092796092796094 - w * 0.08333333333333333)))))); let above = log(z) - 0.5 / z - tail - (1 / (y + 9) + 1 / (y + 8) + 1 / (y + 7) + 1 / (y + 6) + 1 / (y + 5) + 1 / (y + 4) + 1 / (y + 3) + 1 / (y + 2) + 1 / (y + 1) + 1 / y); let part = x - round(x); if x == 0 { copysign(1 / x, -x) } else if turned && part == 0 { part / part } else if turned { above - 3.141592653589793 / tan(3.141592653589793 * part) } else { above }",
        ~ x FLOATING Tensors: "let turned = x < 0; let y = if turned { 1 - x } else { x }; let z = y + 10; let w = 1 / (z * z); let tail = (w / z) * (0.16666666666666666 - w * (0.03333333333333333 - w * (0.023809523809523808 - w * (0.03333333333333333 - w * (0.07575757575757576 - w * 0.2531135531135531))))); let above = 1 / z + 0.5 * w + tail + 1 / (y * y) + 1 / ((y + 1) * (y + 1)) + 1 / ((y + 2) * (y + 2)) + 1 / ((y + 3) * (y + 3)) + 1 / ((y + 4) * (y + 4)) + 1 / ((y + 5) * (y + 5)) + 1 / ((y + 6) * (y + 6)) + 1 / ((y + 7) * (y + 7)) + 1 / ((y + 8) * (y + 8)) + 1 / ((y + 9) * (y + 9)); let wave = sin(3.141592653589793 * x); g * (if turned { 9.869604401089358 / (wave * wave) - above } else { above })",
    }
    Logit "logit" (x; eps = -1.0) -> Float, "logit_cpu" {
        FLOATING: "let inside = if eps < 0 { x } else if x < eps { eps } else if x > 1 - eps { 1 - eps } else { x }; log(inside / (1 - inside))",
        ~ x FLOATING Tensors: "let edge = if eps < 0 { 0 } else { eps }; let inside = (x >= edge) & (x <= 1 - edge); let own = if inside { x } else { if eps < 0 { log(-1) } else { 0.5 } }; let slope = g / (own * (1 - own)); if eps < 0 { slope } else { if inside { slope } else { 0 } }",
    }
    Sinc "sinc" (x) -> Float, "sinc_cpu" { INEXACT: "if x == 0 { 1 } else { sin(3.141592653589793 * x) / (3.141592653589793 * x) }", }
    Deg2rad "deg2rad" (x) -> Float, "deg2rad" {
        FLOATING: "x * 0.017453292519943295",
        ! Any COMPLEX NotImplemented: "deg2rad is not supported for complex tensors.",
    }
    Rad2deg "rad2deg" (x) -> Float, "rad2deg" {
        FLOATING: "x * 57.29577951308232",
        ! Any COMPLEX NotImplemented: "rad2deg is not supported for complex tensors.",
    }

    // Activations.
    Relu "relu" (x) -> Promoted, "clamp_min_scalar_cpu" {
        REAL: "if x < 0 { 0 } else { x }",
        ! Any BOOLEAN NotImplemented: "Boolean inputs not supported for relu",
        ! Any COMPLEX NotImplemented: "clamp is not supported for complex types",
        ~ x FLOATING Tensors: "if r <= 0 { 0 } else { g }",
    }
    Gelu "gelu" (x) -> Promoted, "GeluKernelImpl" {
        FLOATING: "x * 0.5 * (1 + erf(x * 0.7071067811865476))",
        ~ x FLOATING Tensors: "g * (0.5 * (1 + erf(x * 0.7071067811865476)) + x * exp(-x * x / 2) * 0.3989422804014327)",
    } [; outputs: Outputs::Same]
    GeluTanh "gelu_tanh" (x) -> Promoted, "GeluKernelImpl" {
        FLOATING: "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (x * x * x))))",
    } [; outputs: Outputs::Same, node: Some("Gelu")]
    Silu "silu" (x) -> Promoted, "silu_cpu" {
        INEXACT: "x / (1 + exp(-x))",
        ~ x INEXACT Tensors: "let s = sigmoid(x); g * conj(s * (1 + x * (1 - s)))",
    } [; outputs: Outputs::Same]
    Softplus "softplus" (x; beta = 1.0, threshold = 20.0) -> Promoted, "softplus_cpu" {
        FLOATING: "if x * beta > threshold { x } else { log1p(exp(x * beta)) / beta }",
        ~ x FLOATING Tensors: "if beta * x > threshold { g } else { g * sigmoid(beta * x) }",
    } [; outputs: Outputs::Same, fit: Fit::Computing]

    LeakyRelu "leaky_relu" (x; negative_slope = 0.01) -> Promoted, "leaky_relu_cpu" {
        FLOATING: "if x > 0 { x } else { x * negative_slope }",
        ~ x FLOATING Tensors: "if x > 0 { g } else { g * negative_slope }",
    } [; outputs: Outputs::Same, fit: Fit::Computing]
    // `celu` and `selu` have numbers of their own. What isn't chosen is finite: it has no part in gradients of gradients.
    Elu "elu" (x; alpha = 1.0, scale = 1.0, input_scale = 1.0) -> Promoted, "elu_cpu" {
        FLOATING: "if x <= 0 { expm1(x * input_scale) * (alpha * scale) } else { x * scale }",
        ~ x FLOATING Tensors: "let below = if x <= 0 { x } else { 0 }; let stretched = if input_scale == 1 { below } else { below * input_scale }; if x <= 0 { g * (alpha * scale * input_scale) * exp(stretched) } else { if scale == 1 { g } else { g * scale } }",
    } [WideGradient; given: 1, outputs: Outputs::Same, fit: Fit::Computing]
    Hardsigmoid "hardsigmoid" (x) -> Promoted, "hardsigmoid_cpu" {
        FLOATING: "let y = x + 3; (if y < 0 { 0 } else if y > 6 { 6 } else { y }) / 6",
        ~ x FLOATING Tensors: "if (x > -3) & (x < 3) { g / 6 } else { 0 }",
    } [; outputs: Outputs::Same]
    Hardswish "hardswish" (x) -> Promoted, "hardswish_cpu" {
        FLOATING: "let y = x + 3; x * (if y < 0 { 0 } else if y > 6 { 6 } else { y }) / 6",
        ~ x FLOATING Tensors: "let inside = if (x <= -3) | (x >= 3) { 0 } else { x }; if x <= -3 { 0 } else { if x >= 3 { g } else { g * (inside / 3 + 0.5) } }",
    } [WideGradient; outputs: Outputs::Same]
    Softshrink "softshrink" (x; lambd = 0.5) -> Promoted, "softshrink_check" {
        FLOATING: "if x > lambd { x - lambd } else if x < -lambd { x + lambd } else { x * 0 }",
        ! NegativeParameter FLOATING Runtime: "lambda must be in range [0, {largest}] for input dtype {dtype}, but found {found}",
        ~ x FLOATING Tensors: "if (x < -lambd) | (x > lambd) { g } else { 0 }",
    } [; outputs: Outputs::Same]
    Hardshrink "hardshrink" (x; lambd = 0.5) -> Promoted, "hardshrink_cpu" {
        FLOATING: "if x < -lambd || x > lambd || isnan(x) { x } else { 0 }",
        ~ x FLOATING Tensors: "if (x < -lambd) | (x > lambd) { g } else { 0 }",
    } [; outputs: Outputs::Same, fit: Fit::Computing]
    Threshold "threshold" (x; threshold = 0.0, value = 0.0) -> Promoted, "threshold_cpu" {
        REAL: "if x <= threshold { value } else { x }",
        ~ x FLOATING Tensors: "if x <= threshold { 0 } else { g }",
    } [SaysParameters; outputs: Outputs::Same, fit: Fit::Computing]

    // What losses reduce. `held` is what the dtype holds of the number before it, which may be zero or infinite; gradients take the number itself.
    SmoothL1Loss "smooth_l1_loss" (x, y; beta = 1.0, held = 1.0) -> Promoted, "smooth_l1_cpu" {
        FLOATING: "let far = abs(x - y); if far >= held { far - 0.5 * held } else { far * 0.5 * far / held }",
        ~ x FLOATING Tensors: "let far = x - y; let part = far / beta; g * clamp(if isnan(part) { far } else { part }, -1, 1)",
        ~ y FLOATING Tensors: "let far = y - x; let part = far / beta; g * clamp(if isnan(part) { far } else { part }, -1, 1)",
    } [Reduced, WideGradient]
    HuberLoss "huber_loss" (x, y; delta = 1.0, held = 1.0) -> Promoted, "huber_cpu" {
        FLOATING: "let far = abs(x - y); if far >= held { (far - 0.5 * held) * held } else { far * 0.5 * far }",
        ~ x FLOATING Tensors: "g * clamp(x - y, -delta, delta)",
        ~ y FLOATING Tensors: "g * clamp(y - x, -delta, delta)",
    } [Reduced, WideGradient]

    // Three operands.
    Where "where" (condition, x, y) -> Promoted, "where_cpu" { EVERY: "if condition { x } else { y }", } [Conditional;
        takes: &[Takes {
            operand: 0,
            dtypes: &[DType::Bool, DType::U8],
            text: "where expected condition to be a boolean tensor, but got a tensor with dtype {found}",
        }],
        outputs: Outputs::Exact {
            in_place: "Expected out type to be {result} but got {output}",
            out: "Expected out type to be {result} but got {output}",
        }
    ]
    Clamp "clamp" (x, low, high) -> Promoted, "clamp_cpu" {
        INTEGRAL: "let raised = if x < low { low } else { x }; if raised > high { high } else { raised }",
        FLOATING: "let above = if low > x { low } else { x }; let raised = if isnan(low) { low } else { above }; let below = if high < raised { high } else { raised }; if isnan(high) { high } else { below }",
        ! First COMPLEX NotImplemented: "clamp is not supported for complex types",
        ~ x FLOATING Tensors: "if (x < low) | (x > high) { 0 } else { if (low < high) & ((x == low) | (x == high)) { g / 2 } else { g } }",
        ~ low FLOATING Tensors: "if (x < low) & (low <= high) { g } else { if (x == low) & (low < high) { g / 2 } else { 0 * g } }",
        ~ high FLOATING Tensors: "if (low > high) | ((x > high) & (low <= high)) { g } else { if (x == high) & (low < high) { g / 2 } else { 0 * g } }",
        ~ x FLOATING Numbers: "if (x > low) & (x < high) { g } else { 0 }",
    } [Bounds; outputs: Outputs::SameWithNumbers, other: Some((Other::Numbers(1), "clamp_scalar_cpu")), overloads: [0, 1, 0], alone: &["x"]]
    ClampMin "clamp_min" (x, low) -> Promoted, "maximum_cpu" {
        BOOLEAN: "x | low",
        INTEGRAL: "if x < low { low } else { x }",
        FLOATING: "let above = if low > x { low } else { x }; if isnan(low) { low } else { above }",
        ! WithNumbers COMPLEX NotImplemented: "clamp is not supported for complex types",
        ~ x FLOATING Tensors: "if x == low { g / 2 } else { if x < low { 0 } else { g } }",
        ~ low FLOATING Tensors: "if x == low { g / 2 } else { if x > low { 0 } else { g } }",
        ~ x FLOATING Numbers: "if x > low { g } else { 0 }",
    } [Bounds; outputs: Outputs::SameWithNumbers, other: Some((Other::Numbers(1), "clamp_min_scalar_cpu")), overloads: [1, 0, 1], alone: &["x"]]
    ClampMax "clamp_max" (x, high) -> Promoted, "minimum_cpu" {
        BOOLEAN: "x & high",
        INTEGRAL: "if x > high { high } else { x }",
        FLOATING: "let below = if high < x { high } else { x }; if isnan(high) { high } else { below }",
        ! WithNumbers COMPLEX NotImplemented: "clamp is not supported for complex types",
        ~ x FLOATING Tensors: "if x == high { g / 2 } else { if x > high { 0 } else { g } }",
        ~ high FLOATING Tensors: "if x == high { g / 2 } else { if x < high { 0 } else { g } }",
        ~ x FLOATING Numbers: "if x < high { g } else { 0 }",
    } [Bounds; outputs: Outputs::SameWithNumbers, other: Some((Other::Numbers(1), "clamp_max_scalar_cpu")), overloads: [1, 0, 1], alone: &["x"]]
    Lerp "lerp" (x, end, weight) -> First, "lerp_kernel_tensor" {
        FLOATING: "if abs(weight) < 0.5 { x + weight * (end - x) } else { end - (end - x) * (1 - weight) }",
        COMPLEX: "if abs(weight) < 0.5 { x + weight * (end - x) } else { end - (end - x) * (1 - weight) }",
        ~ x INEXACT Tensors: "g * conj(1 - weight)",
        ~ end INEXACT Tensors: "g * conj(weight)",
        ~ weight INEXACT Tensors: "g * conj(end - x)",
    } [ExactScalars; outputs: Outputs::SameWithTensors, other: Some((Other::Numbers(2), "lerp_kernel_scalar")), fit: Fit::Computing, overloads: [1, 0, 1], keeps: &["x", "end", "weight"]]
    Addcmul "addcmul" (x, y, z; value = 1.0) -> Promoted, "addcmul_cpu_out" {
        NUMBER: "x + value * y * z",
        ~ x INEXACT Tensors: "g",
        ~ y INEXACT Tensors: "g * conj(value * z)",
        ~ z INEXACT Tensors: "g * conj(value * y)",
    } [; fit: Fit::Computing, alone: &["y"]]
    Addcdiv "addcdiv" (x, y, z; value = 1.0) -> Promoted, "addcdiv_cpu_out" {
        INEXACT: "x + value * y / z",
        ! Rest DISCRETE Runtime: "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.",
        ~ x INEXACT Tensors: "g",
        ~ y INEXACT Tensors: "g * conj(value / z)",
        ~ z INEXACT Tensors: "-g * conj(value * y / (z * z))",
    } [; fit: Fit::Computing, keeps: &["z"]]
}
