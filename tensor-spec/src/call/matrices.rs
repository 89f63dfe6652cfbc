//! Decompositions of matrices, and what is solved with them.

use super::{Declared, declared};

pub(super) const ROWS: &[Declared] = declared! {
    LinalgSvdvals "linalg.svdvals(Tensor self) -> Tensor" [function] => to as_computed(to, decompositions::svdvals(input)?),
        grad LinalgSvdBackward0 { input: of_singular_values(g, input) };
    LinalgSvd "linalg.svd(Tensor self, bool full_matrices=True) -> (Tensor, Tensor, Tensor)" [function] => new decompositions::svd(input, full_matrices),
        grad LinalgSvdBackward0 { input: of_svd(backward, input) };
    LinalgInv "linalg.inv(Tensor self) -> Tensor" [function] => to as_computed(to, decompositions::inv(input)?),
        grad LinalgInvExBackward0 { input: of_inverse(g, result) };
    Inverse "inverse(Tensor self) -> Tensor" => to as_computed(to, decompositions::inv(input)?),
        grad LinalgInvExBackward0 { input: of_inverse(g, result) };
    LinalgSolveLeft "_solve(Tensor self, Tensor other) -> Tensor" [function] => new decompositions::solve_left(input, other),
        grad LinalgSolveExBackward0 { input: of_system(g, input, result), other: of_right_side(g, input) };
    LinalgSolve "linalg.solve(Tensor self, Tensor B, *, bool left=True) -> Tensor" [function] => to as_computed(to, decompositions::solve(input, b, left)?), grad parts;
    LinalgDet "linalg.det(Tensor self) -> Tensor" [function] => to as_computed(to, decompositions::det(input)?),
        grad LinalgDetBackward0 { input: of_determinant(g, input, result) };
    Det "det(Tensor self) -> Tensor" => new decompositions::det(input), grad LinalgDetBackward0 { input: of_determinant(g, input, result) };
    Logdet "logdet(Tensor self) -> Tensor" => new decompositions::logdet(input), grad LinalgSlogdetBackward0 { input: of_log_determinant(g, input) };
    LinalgSlogdet "linalg.slogdet(Tensor self) -> (Tensor, Tensor)" [function] => new decompositions::slogdet(input),
        grad LinalgSlogdetBackward0 { input: of_sign_and_logarithm(backward, input, result) };
    LinalgCholesky "linalg.cholesky(Tensor self, *, bool upper=False) -> Tensor" [function] => to as_computed(to, decompositions::cholesky(input, upper)?),
        grad LinalgCholeskyExBackward0 { input: of_cholesky(g, result, upper) };
    LinalgQr "linalg.qr(Tensor self, str mode='reduced') -> (Tensor, Tensor)" [function] => new decompositions::qr(input, mode),
        grad LinalgQrBackward0 { input: of_qr(backward, [result, second], mode) };
    LinalgEigh "linalg.eigh(Tensor self, str UPLO='L') -> (Tensor, Tensor)" [function] => new decompositions::eigh(input, uplo),
        grad LinalgEighBackward0 { input: of_eigh(backward, result, second) };
    LinalgMatrixPower "linalg.matrix_power(Tensor self, int n) -> Tensor" [function] => to decompositions::power_to(to, input, n), grad parts;
    MatrixPower "matrix_power(Tensor self, int n) -> Tensor" => to decompositions::power_to(to, input, n), grad parts;
    LinalgPinv "linalg.pinv(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "linalg.pinv", solving::pinv(input, Least { absolute: atol, relative: rtol, hermitian })?), grad parts;
    Pinverse "pinverse(Tensor self, float rcond=1e-15) -> Tensor" => new solving::pinv(input, Least { absolute: None, relative: Some(rcond), hermitian: false }), grad parts;
    LinalgMatrixRank "linalg.matrix_rank(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "torch.linalg.matrix_rank", solving::matrix_rank(input, Least { absolute: atol, relative: rtol, hermitian })?), grad none;
    LinalgSolveTriangular "linalg.solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor" [function]
        => to computed_as(to, solving::solve_triangular(input, b, upper, left, unitriangular)?, |out, own| format!("expected scalar type {own} but found {out}")), grad parts;
    LinalgTensorinv "linalg.tensorinv(Tensor self, int ind=2) -> Tensor" [function] => to decompositions::castable(to, "tensorinv", solving::tensorinv(input, ind)?), grad parts;
    LinalgTensorsolve "linalg.tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor" [function] => to decompositions::castable(to, "tensorsolve", solving::tensorsolve(input, other, dims)?), grad parts;
};
