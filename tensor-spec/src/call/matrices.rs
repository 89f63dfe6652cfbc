//! Decompositions of matrices, and what is solved with them.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    LinalgSvdvals "linalg.svdvals(Tensor self) -> Tensor" [function] => to as_computed(to, decompositions::svdvals(input)?), of precise,
        grad LinalgSvdBackward0 { input: of_singular_values(g, input) };
    LinalgSvd "linalg.svd(Tensor self, bool full_matrices=True) -> (Tensor, Tensor, Tensor)" [function] => new decompositions::svd(input, full_matrices), of precise,
        grad LinalgSvdBackward0 { input: of_svd(backward, input) };
    LinalgInv "linalg.inv(Tensor self) -> Tensor" [function] => to columns_as_computed(to, decompositions::inv(to, input)?), of precise,
        grad LinalgInvExBackward0 { input: of_inverse(g, result) };
    Inverse "inverse(Tensor self) -> Tensor" => to columns_as_computed(to, decompositions::inv(to, input)?), of precise,
        grad LinalgInvExBackward0 { input: of_inverse(g, result) };
    LinalgSolveLeft "_solve(Tensor self, Tensor other, bool check_errors=True) -> Tensor" [function no_out] => to decompositions::solve_left(to, input, other, check_errors), of precise,
        grad LinalgSolveExBackward0 { input: of_system(g, input, result), other: of_right_side(g, input) };
    LinalgSolve "linalg.solve(Tensor self, Tensor B, *, bool left=True) -> Tensor" [function] => to columns_as_computed(to, decompositions::solve(to, input, b, left, true)?), of precise, grad parts as LinalgSolveExBackward0;
    LinalgDet "linalg.det(Tensor self) -> Tensor" [function] => to as_computed(to, decompositions::det(input)?), of precise,
        grad LinalgDetBackward0 { input: of_determinant(g, input, result) };
    Det "det(Tensor self) -> Tensor" => new decompositions::det(input), of precise, grad LinalgDetBackward0 { input: of_determinant(g, input, result) };
    Logdet "logdet(Tensor self) -> Tensor" => new decompositions::logdet(input), of precise, grad parts;
    LinalgSlogdet "linalg.slogdet(Tensor self) -> (Tensor, Tensor)" [function] => new decompositions::slogdet(input), of precise,
        grad LinalgSlogdetBackward0 { input: of_sign_and_logarithm(backward, input, result) };
    LinalgCholesky "linalg.cholesky(Tensor self, *, bool upper=False) -> Tensor" [function] => to columns_as_computed(to, decompositions::cholesky(to, "linalg.cholesky", input, upper, true)?.0), of precise,
        grad LinalgCholeskyExBackward0 { input: of_cholesky(g, result, upper) };
    LinalgQr "linalg.qr(Tensor self, str mode='reduced') -> (Tensor, Tensor)" [function] => new decompositions::qr(input, mode), of precise,
        grad LinalgQrBackward0 { input: of_qr(backward, [result, second], mode) };
    LinalgEigh "linalg.eigh(Tensor self, str UPLO='L') -> (Tensor, Tensor)" [function] => new decompositions::eigh(input, uplo), of precise,
        grad LinalgEighBackward0 { input: of_eigh(backward, result, second) };
    LinalgEig "linalg.eig(Tensor self) -> (Tensor, Tensor)" [function] => new decompositions::eig(input), of precise,
        grad LinalgEigBackward0 { input: of_eig([backward.gradients.first(), backward.gradients.get(1)].map(|gradient| gradient.and_then(Option::as_ref)), input, [result, second]) };
    LinalgEigvals "linalg.eigvals(Tensor self) -> Tensor" [function] => to decompositions::castable(to, "linalg.eigvals", decompositions::eigvals(input)?), of precise,
        grad LinalgEigBackward0 { input: of_eigenvalues(g, input) };
    LinalgMatrixPower "linalg.matrix_power(Tensor self, int n) -> Tensor" [function] => to decompositions::power_to(to, input, n), of numbers, grad parts { name: power_node(n) };
    MatrixPower "matrix_power(Tensor self, int n) -> Tensor" => to decompositions::power_to(to, input, n), of numbers, grad parts { name: power_node(n) };
    LinalgPinvBy "linalg.pinv(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "linalg.pinv", solving::pinv(to, input, Least::by(atol, rtol, hermitian))?), of precise, grad LinalgPinvBackward0 { input: of_pseudoinverse(g, input, result) };
    LinalgPinv "linalg.pinv(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "linalg.pinv", solving::pinv(to, input, Least::of(atol, rtol, hermitian))?), of precise, grad LinalgPinvBackward0 { input: of_pseudoinverse(g, input, result) };
    Pinverse "pinverse(Tensor self, float rcond=1e-15) -> Tensor" => new solving::pinv(Target::New, input, Least::of(None, Some(rcond), false)), of precise, grad LinalgPinvBackward0 { input: of_pseudoinverse(g, input, result) };
    LinalgMatrixRankBy "linalg.matrix_rank(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "torch.linalg.matrix_rank", solving::matrix_rank(input, Least::by(atol, rtol, hermitian))?), of precise, grad none;
    LinalgMatrixRank "linalg.matrix_rank(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor" [function]
        => to decompositions::castable(to, "torch.linalg.matrix_rank", solving::matrix_rank(input, Least::of(atol, rtol, hermitian))?), of precise, grad none;
    LinalgSolveTriangular "linalg.solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor" [function]
        => to columns_computed_as(to, solving::solve_triangular(to, input, b, upper, left, unitriangular)?, |out, own| format!("expected scalar type {own} but found {out}")), of precise, grad parts as LinalgSolveTriangularBackward0;
    LinalgTensorinv "linalg.tensorinv(Tensor self, int ind=2) -> Tensor" [function] => to decompositions::castable(to, "tensorinv", solving::tensorinv(to, input, ind)?), of precise, grad parts as ReshapeAliasBackward0;
    LinalgTensorsolve "linalg.tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor" [function] => to decompositions::castable(to, "tensorsolve", solving::tensorsolve(input, other, dims)?), of precise, grad parts;
    LinalgInvEx "linalg.inv_ex(Tensor self, *, bool check_errors=False) -> (Tensor, Tensor)" [function] => new decompositions::inv_ex(input, check_errors), of precise, grad parts as LinalgInvExBackward0;
    LinalgSolveEx "linalg.solve_ex(Tensor self, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor, Tensor)" [function]
        => new decompositions::solve_ex(input, b, left, check_errors), of precise, grad parts as LinalgSolveExBackward0;
    LinalgCholeskyEx "linalg.cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor, Tensor)" [function]
        => new decompositions::cholesky(Target::New, "linalg.cholesky_ex", input, upper, check_errors), of precise, grad LinalgCholeskyExBackward0 { input: of_cholesky(g, result, upper) };
    LinalgLuFactorEx "linalg.lu_factor_ex(Tensor self, *, bool pivot=True, bool check_errors=False) -> (Tensor, Tensor, Tensor)" [function]
        => new decompositions::lu_factor_ex(input, pivot, check_errors), of precise, grad LinalgLuFactorExBackward0 { input: of_triangles(g, result, second) };
    LinalgLuFactor "linalg.lu_factor(Tensor self, *, bool pivot=True) -> (Tensor, Tensor)" [function] => new triangles::lu_factor(input, pivot), of precise, grad parts;
    LinalgLu "linalg.lu(Tensor self, *, bool pivot=True) -> (Tensor, Tensor, Tensor)" [function] => new triangles::lu(input, pivot), of precise, grad parts as LinalgLuBackward0;
    Lu "lu(Tensor self, bool pivot=True, bool get_infos=False) -> (Tensor, Tensor, Tensor)" => new triangles::lu_with_infos(input, pivot, get_infos), of precise, grad parts;
    LuUnpack "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor, Tensor, Tensor)"
        => new triangles::lu_unpack(lu_data, lu_pivots, unpack_data, unpack_pivots), of bool | numbers, grad parts as LuUnpackBackward0;
    LinalgLuSolve "linalg.lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor"
        => to if left { columns_as_computed(to, triangles::lu_solve(to, lu, pivots, b, true, adjoint)?) } else { as_computed(to, triangles::lu_solve(to, lu, pivots, b, false, adjoint)?) }, of precise, grad parts as LinalgLuSolveBackward0;
    LuSolve "lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor" => to columns_as_computed(to, triangles::lu_solve(to, lu_data, lu_pivots, input, true, false)?), of precise, grad parts as LinalgLuSolveBackward0;
    CholeskySolve "cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor"
        => to decompositions::castable(to, "cholesky_solve", triangles::cholesky_solve(to, input, input2, upper)?), of precise,
        grad CholeskySolveBackward0 { input: solved_by_root(g, input2, upper), input2: of_solved_root(g, input2, result, upper) };
    CholeskyInverse "cholesky_inverse(Tensor self, bool upper=False) -> Tensor"
        => to decompositions::castable_columns(to, "cholesky_inverse", triangles::cholesky_inverse(to, input, upper)?), of precise,
        grad CholeskyInverseBackward0 { input: of_inverted_root(g, input, result, upper) };
    TriangularSolve "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor, Tensor)"
        => new triangles::triangular_solve(input, a, upper, transpose, unitriangular), of precise,
        grad TriangularSolveBackward0 { input: of_right_of_triangle(backward, a, Triangle { upper, turned: transpose, ones: unitriangular }), A: of_triangle(backward, a, result, Triangle { upper, turned: transpose, ones: unitriangular }) };
    LinalgHouseholderProduct "linalg.householder_product(Tensor self, Tensor tau) -> Tensor" [function] => to decompositions::castable_columns(to, "torch.linalg.householder_product", mirrors::householder_product(to, input, tau)?), of precise, grad parts as LinalgHouseholderProductBackward0;
    Orgqr "orgqr(Tensor self, Tensor input2) -> Tensor" => to decompositions::castable_columns(to, "torch.linalg.householder_product", mirrors::householder_product(to, input, input2)?), of precise, grad parts as LinalgHouseholderProductBackward0;
    LinalgLstsq "linalg.lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor, Tensor, Tensor, Tensor)" [function]
        => new triangles::lstsq(input, b, rcond, driver), of precise, grad LinalgLstsqBackward0 { input: of_coefficients(backward, [input, b, result]), b: of_measured(backward, [input, b, result]) };
    LinalgMatrixExp "linalg.matrix_exp(Tensor self) -> Tensor" [function new] => new triangles::matrix_exp(input), of floats | complex | eighths, grad parts as LinalgMatrixExpBackward0;
    MatrixExp "matrix_exp(Tensor self) -> Tensor" => new triangles::matrix_exp(input), of floats | complex | eighths, grad parts as LinalgMatrixExpBackward0;
    Svd "svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor, Tensor, Tensor)" => new triangles::svd(input, some, compute_uv), of precise, grad parts;
    LinalgEigvalsh "linalg.eigvalsh(Tensor self, str UPLO='L') -> Tensor" [function] => to as_computed(to, triangles::eigvalsh(input, uplo)?), of precise, grad parts;
    LinalgCond "linalg.cond(Tensor self, Scalar? p=None) -> Tensor" [function]
        => to decompositions::castable(to, "linalg.cond", triangles::cond(input, MatrixOrder::Number(p.map_or(2.0, Scalar::to_f64)))?), of precise, grad parts as SqueezeBackward1;
    LinalgCondNamed "linalg.cond(Tensor self, str p) -> Tensor" [function] => to decompositions::castable(to, "linalg.cond", triangles::cond(input, MatrixOrder::Named(p))?), of precise, grad parts;
    Geqrf "geqrf(Tensor self) -> (Tensor a, Tensor tau)" => new mirrors::geqrf(input), of precise, grad Called("the derivative for 'geqrf' is not implemented.");
    Ormqr "ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor"
        => to columns_computed_as(to, mirrors::ormqr(to, input, input2, input3, left, transpose)?, |out, own| format!("torch.ormqr: Expected input and result to have the same dtype, but input has dtype{own} and result has dtype {out}")), of precise, grad parts as OrmqrBackward0;
    LinalgLdlFactorEx "linalg.ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)" [function]
        => new symmetric::ldl_factor_ex(Target::New, "ldl_factor_ex", input, hermitian, check_errors), of precise, grad Reached("derivative for aten::linalg_ldl_factor_ex is not implemented");
    LinalgLdlFactor "linalg.ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)" [function]
        => both orders::both(to, symmetric::ldl_factor(to, input, hermitian)?), of precise, grad Reached("derivative for aten::linalg_ldl_factor_ex is not implemented");
    LinalgLdlSolve "linalg.ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor" [function]
        => to columns_as_computed(to, symmetric::ldl_solve(to, ld, pivots, b, hermitian)?), of precise, grad Reached("derivative for aten::linalg_ldl_solve is not implemented");
    LinalgPolar "linalg.polar(Tensor A) -> (Tensor U, Tensor H)" [function] => both orders::both(to, symmetric::polar(to, a)?), of precise,
        grad LinalgPolarBackward0 { A: of_polar(backward, result, second) };
    LinalgMatrixSqrth "linalg.matrix_sqrth(Tensor self) -> Tensor" [function] => new symmetric::matrix_sqrth(input), of precise,
        grad LinalgMatrixSqrthBackward0 { input: of_root(g, result) };
};
