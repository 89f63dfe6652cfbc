//! Vectors and matrices: cross products, norms, contractions, powers; and numbers made of parts.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Cross "cross(Tensor self, Tensor other, int? dim=None) -> Tensor" => to as_computed(to, algebra::cross(input, other, dim)?), of numbers, grad parts as LinalgCrossBackward0;
    LinalgCross "linalg.cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor" [function] => to as_computed(to, algebra::linalg_cross(input, other, dim)?), of numbers, grad parts as LinalgCrossBackward0;
    LinalgVecdot "linalg.vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor"
        => to computed_as(to, algebra::vecdot(x, y, dim)?, |out, own| format!("linalg.vecdot: Expected out of dtype{own} but found {out}")), of floats | complex, grad parts;
    TensordotOver "tensordot(Tensor self, Tensor other, int dims=2) -> Tensor" [function] => to algebra::contracted(to, algebra::tensordot_over(to, input, other, dims)?), of numbers, grad parts;
    Tensordot "tensordot(Tensor self, Tensor other, int[][] dims) -> Tensor" [function] => to algebra::contracted(to, algebra::tensordot_along(to, input, other, dims)?), of numbers, grad parts;
    LinalgVectorNormOf "linalg.vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => fold Reduction::Norm(input, along(dim, keepdim, dtype, Some(norms::order("vector", ord)?)));
    LinalgMatrixNorm "linalg.matrix_norm(Tensor self, Scalar ord, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => to computed_as(to, norms::matrix_norm(input, MatrixOrder::Number(norms::order("matrix", ord)?.to_f64()), dim, keepdim, dtype)?, |out, own| format!("linalg.matrix_norm expected out tensor dtype {own} but got: {out}")), of floats | complex, grad parts { name: norm_node(MatrixOrder::Number(ord.to_f64()), keepdim) };
    LinalgMatrixNormNamed "linalg.matrix_norm(Tensor self, str ord='fro', int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => to computed_as(to, norms::matrix_norm(input, MatrixOrder::Named(ord), dim, keepdim, dtype)?, |out, own| format!("linalg.matrix_norm expected out tensor dtype {own} but got: {out}")), of floats | complex, grad parts { name: norm_node(MatrixOrder::Named(ord), keepdim) };
    LinalgNorm "linalg.norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => to computed_as(to, norms::norm(input, ord, dim, keepdim, dtype)?, |out, own| format!("linalg.norm expected out tensor dtype {own} but got: {out}")), of floats | complex, grad parts { name: if is_of_matrices(input, dim) { ord.map_or("", |ord| norm_node(MatrixOrder::Number(ord.to_f64()), keepdim)) } else { "" } };
    LinalgNormNamed "linalg.norm(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => to computed_as(to, norms::norm_named(input, ord, dim, keepdim, dtype)?, |out, own| format!("linalg.norm expected out tensor dtype {own} but got: {out}")), of floats | complex, grad parts { name: norm_node(MatrixOrder::Named(ord), keepdim) };
    LinalgMultiDot "linalg.multi_dot(Tensor[] tensors) -> Tensor" => to algebra::multi_dot_to(to, tensors), of numbers, grad parts;
    Corrcoef "corrcoef(Tensor self) -> Tensor" => new algebra::corrcoef(input), of numbers, grad parts;
    CumulativeTrapezoidAt "cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor" [function] => new algebra::cumulative_trapezoid(y, &x.into(), dim), of numbers, grad parts as DivBackward1;
    CumulativeTrapezoid "cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor" [function] => new algebra::cumulative_trapezoid(y, &dx.into(), dim), of numbers, grad parts as CumsumBackward0;

    ConjPhysical "conj_physical(Tensor self) -> Tensor" => op Op::Conj(input), grad parts as ConjPhysicalBackward0;
    Complex "complex(Tensor real, Tensor imag) -> Tensor" => to computed_as(to, composed::complex(to, real, imag)?, |out, own| format!("Expected object of scalar type {own} but got scalar type {out} for argument 'out'")), of F16 | F32 | F64, grad parts as ComplexBackward0;
    Polar "polar(Tensor abs, Tensor angle) -> Tensor" => to computed_as(to, composed::polar(to, abs, angle)?, |out, own| format!("Expected object of scalar type {own} but got scalar type {out} for argument 'out'")), of F16 | F32 | F64, grad PolarBackward0 { abs: of_length(g, result), angle: of_angle(g, result) };
    Isposinf "isposinf(Tensor self) -> Tensor" => to composed::is_infinite(to, input, f64::INFINITY), of reals | unsigned, grad none;
    Isneginf "isneginf(Tensor self) -> Tensor" => to composed::is_infinite(to, input, f64::NEG_INFINITY), of reals | unsigned, grad none;
    Isreal "isreal(Tensor self) -> Tensor" => new composed::isreal(input), grad none;
    Heaviside "heaviside(Tensor self, Tensor values) -> Tensor" => to composed::heaviside(input, values, to),
        in_place in_place_of(input, &composed::heaviside(input, values, Target::New)?), of reals,
        grad Reached("derivative for aten::heaviside is not implemented");
    Ldexp "ldexp(Tensor self, Tensor other) -> Tensor" => to cast_to(to, composed::ldexp(input, other, to.tensor())?),
        in_place in_place_of(input, &composed::ldexp(input, other, Some(input))?.tensor()?), of bool | numbers | unsigned,
        grad parts as LdexpBackward0;
    SpecialEntr "special.entr(Tensor self) -> Tensor" [function] => to cast_to(to, composed::entr(input)?), of reals | unsigned, grad SpecialEntrBackward0 { input: of_entr(g, input) };
    SpecialXlog1py "special.xlog1py(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" [function] => to cast_to(to, composed::xlog1py(input, other)?), of reals | unsigned,
        grad Backward {
            name: by_numbers(input, other, ["SpecialXlog1PyBackward0", "SpecialXlog1PyBackward1", "SpecialXlog1PyBackward2"]),
            input: of_xlog1py(g, input, other), other: of_logarithm(g, input, other)
        };
};
