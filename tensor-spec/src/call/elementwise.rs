//! Elementwise calls whose arguments don't follow from the rows of operations: other names, other defaults, operands that can't be numbers,
//! and several operations under one name.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Div "div(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" => op Op::Div(input, other);
    DivRounded "div(Tensor|Scalar self, Tensor|Scalar other, *, str? rounding_mode) -> Tensor" [DivTrunc]
        => op (division(rounding_mode)?)(input, other), of integers | floats;
    DivByNumber "div(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor" [no_out] => op (division(rounding_mode)?)(input, other), of reals;
    Divide "divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" => op Op::Div(input, other);
    DivideRounded "divide(Tensor|Scalar self, Tensor|Scalar other, *, str? rounding_mode) -> Tensor" => op (division(rounding_mode)?)(input, other), of integers | floats;
    DivideByNumber "divide(Tensor self, Scalar other) -> Tensor" [no_out] => op Op::Div(input, other);
    DivideByNumberRounded "divide(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor" [no_out]
        => op (division(rounding_mode)?)(input, other), of reals;
    TrueDivide "true_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" => op Op::Div(input, other);
    TrueDivideByNumber "true_divide(Tensor self, Scalar other) -> Tensor" [no_out] => op Op::Div(input, other);
    FloorDivide "floor_divide(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" => op Op::DivFloor(input, other);
    FloorDivideByNumber "floor_divide(Tensor self, Scalar other) -> Tensor" [no_out] => op Op::DivFloor(input, other);
    Multiply "multiply(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" => op Op::Mul(input, other);
    MultiplyByNumber "multiply(Tensor self, Scalar other) -> Tensor" [no_out] => op Op::Mul(input, other);
    Subtract "subtract(Tensor|Scalar self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor" => op Op::Sub(input, other, [alpha]);
    SubtractNumber "subtract(Tensor self, Scalar other, Scalar alpha=1) -> Tensor" [no_out] => op Op::Sub(input, other, [alpha]);
    Rsub "rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor" [function new] => op Op::Rsub(input, other, [alpha]);
    RsubOfNumber "rsub(Tensor self, Scalar other, Scalar alpha=1) -> Tensor" [function new] => op Op::Rsub(input, other, [alpha]);
    Negative "negative(Tensor self) -> Tensor" => op Op::Neg(input);
    Absolute "absolute(Tensor self) -> Tensor" => op Op::Abs(input);
    PowByTensor "pow(Tensor self, Tensor exponent) -> Tensor" => op Op::Pow(input, exponent);
    PowOfNumber "pow(Scalar self, Tensor exponent) -> Tensor" [function] => op Op::Pow(input, exponent);
    Pow "pow(Tensor self, Scalar exponent) -> Tensor" => op Op::Pow(input, exponent);
    FloatPowerByTensor "float_power(Tensor self, Tensor exponent) -> Tensor" => op Op::FloatPower(input, exponent);
    FloatPowerOfNumber "float_power(Scalar self, Tensor exponent) -> Tensor" [function] => op Op::FloatPower(input, exponent);
    FloatPower "float_power(Tensor self, Scalar exponent) -> Tensor" => op Op::FloatPower(input, exponent);

    ReflectedAdd "__radd__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::Add(other, input);
    ReflectedMul "__rmul__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::Mul(other, input);
    ReflectedSub "__rsub__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::Sub(other, input);
    ReflectedMod "__rmod__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::Remainder(other, input);
    ReflectedPow "__rpow__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::Pow(other, input);
    ReflectedAnd "__rand__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::BitwiseAnd(other, input);
    ReflectedOr "__ror__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::BitwiseOr(other, input);
    ReflectedXor "__rxor__(Tensor self, Tensor|Scalar other) -> Tensor" [method new] => op Op::BitwiseXor(other, input);
    ReflectedTruediv "__rtruediv__(Tensor self, Tensor|Scalar other) -> Tensor" [method] => new composites::reflected_division(input, other), of bool | numbers | unsigned, grad parts;
    ReflectedDiv "__rdiv__(Tensor self, Tensor|Scalar other) -> Tensor" [method] => new composites::reflected_division(input, other), of bool | numbers | unsigned, grad parts;
    ReflectedMatmul "__rmatmul__(Tensor self, Tensor other) -> Tensor" [method] => new one(Function::Matmul, &[other.into(), input.into()]), of numbers, grad parts;

    Round "round(Tensor self) -> Tensor" => op Op::Round(input);
    RoundDecimals "round(Tensor self, *, int decimals) -> Tensor" [RoundDecimals] => op Op::RoundDecimals(input, [decimals]);
    NanToNum "nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor"
        => op Op::NanToNum(input, [nan, posinf, neginf]);
    Logit "logit(Tensor self, float? eps=None) -> Tensor" => op Op::Logit(input, [eps]);
    Softsign "softsign(Tensor self) -> Tensor" [function] => new composites::softsign(input), of numbers, grad parts as DivBackward0;
    Gelu "gelu(Tensor self, *, str approximate='none') -> Tensor" [function GeluTanh] => op (gelu(approximate)?)(input), of floats;
    Softplus "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor" [function] => op Op::Softplus(input, [beta, threshold]);
    LeakyRelu "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor" [function in_place no_out] => op Op::LeakyRelu(input, [negative_slope]);
    Elu "elu(Tensor self, Scalar alpha=1) -> Tensor" [function in_place no_out] => op Op::Elu(input, [alpha]);
    Celu "celu(Tensor self, float alpha=1.0) -> Tensor" [function in_place no_out]
        => op (curves::celu(alpha)?)(input, [Some(alpha.into()), None, Some((1.0 / alpha).into())]), of floats,
        grad parts as CeluBackward0;
    Selu "selu(Tensor self) -> Tensor" [function in_place no_out] => op Op::Elu(input, [Some(SELU[0].into()), Some(SELU[1].into())]);
    Hardsigmoid "hardsigmoid(Tensor self) -> Tensor" [function in_place no_out] => op Op::Hardsigmoid(input);
    Hardswish "hardswish(Tensor self) -> Tensor" [function in_place no_out] => op Op::Hardswish(input);
    Softshrink "softshrink(Tensor self, float lambd=0.5) -> Tensor" [function]
        => op (curves::softshrink(input)?)(input, [lambd]), of floats;
    Hardshrink "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor" [function] => op Op::Hardshrink(input, [lambd]);
    Threshold "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor" [function in_place no_out] => op Op::Threshold(input, [threshold, value]);

    WhereTrue "where(Tensor condition) -> Tensor[]" => new composites::places_of(condition), on cpu | cuda, grad none;
    Where "where(Tensor condition, Tensor self, Tensor other) -> Tensor" => op Op::Where(condition, input, other);
    WhereNumberFirst "where(Tensor condition, Scalar self, Tensor other) -> Tensor" [new] => op Op::Where(condition, input, other);
    WhereNumberLast "where(Tensor condition, Tensor self, Scalar other) -> Tensor" [new] => op Op::Where(condition, input, other);
    WhereNumbers "where(Tensor condition, Scalar self, Scalar other) -> Tensor" [new] => op Op::Where(condition, input, other);
    Clamp "clamp(Tensor|Scalar self, Tensor? min=None, Tensor? max=None) -> Tensor"
        => choice clamp(input, min.map(RawOperand::from), max.map(RawOperand::from)), of integers | floats;
    ClampByNumbers "clamp(Tensor|Scalar self, Scalar? min=None, Scalar? max=None) -> Tensor"
        => choice clamp(input, min.map(RawOperand::from), max.map(RawOperand::from)), of reals;
    Clip "clip(Tensor|Scalar self, Tensor? min=None, Tensor? max=None) -> Tensor"
        => choice clamp(input, min.map(RawOperand::from), max.map(RawOperand::from)), of integers | floats;
    ClipByNumbers "clip(Tensor|Scalar self, Scalar? min=None, Scalar? max=None) -> Tensor"
        => choice clamp(input, min.map(RawOperand::from), max.map(RawOperand::from)), of reals;
    ClampMin "clamp_min(Tensor self, Tensor min) -> Tensor" => op Op::ClampMin(input, min);
    ClampMinByNumber "clamp_min(Tensor self, Scalar min) -> Tensor" => op Op::ClampMin(input, min);
    ClampMax "clamp_max(Tensor self, Tensor max) -> Tensor" => op Op::ClampMax(input, max);
    ClampMaxByNumber "clamp_max(Tensor self, Scalar max) -> Tensor" => op Op::ClampMax(input, max);
    Lerp "lerp(Tensor self, Tensor end, Tensor weight) -> Tensor" => op Op::Lerp(input, end, weight);
    LerpByNumber "lerp(Tensor self, Tensor end, Scalar weight) -> Tensor" => op Op::Lerp(input, end, weight);
    Addcmul "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor" => op Op::Addcmul(input, tensor1, tensor2, [value]);
    Addcdiv "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor" => op Op::Addcdiv(input, tensor1, tensor2, [value]);
};
