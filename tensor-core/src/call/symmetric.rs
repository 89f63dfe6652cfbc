//! Matrices that are their own transposes or adjoints: their triangular factors, what is solved with those, square roots; and the turn and the
//! stretch that a matrix is made of.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::decompositions::{check, check_inexact, check_square, refuse};
use super::triangles::{check_lapack, check_system};
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, named, one, run};
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::linalg::{self, OwnOther, Zeros};
use crate::outputs::offers;
use crate::raw::RawTensor;

fn kind(hermitian: bool) -> OwnOther {
    if hermitian { OwnOther::Adjoint } else { OwnOther::Transpose }
}

/// PyTorch's `linalg.ldl_factor_ex`: triangular factors with blocks between them, how rows change places, and where the first zero is.
pub(super) fn ldl_factor_ex(to: Target<'_>, name: &str, input: &RawTensor, hermitian: bool, refuses: bool) -> Result<Vec<RawTensor>> {
    let all = "torch.linalg.ldl_factor_ex";
    check_square(all, input)?;
    check_inexact(all, input)?;
    check_lapack("ldl_factor_kernel_cpu", input.dtype())?;
    let zeros = if refuses { Zeros::Refused } else { Zeros::Taken };
    let found = linalg::blocks(to.beside([input]), input, kind(hermitian), zeros)?;
    if refuses {
        let refused = |which: &str, place: i32| {
            format!("torch.linalg.{name}: {which}The diagonal element {place} is zero, so that no system can be solved with the factors.")
        };
        refuse(input, &found[2], Some(&refused))?;
    }
    Ok(found.into())
}

/// PyTorch's `linalg.ldl_factor`.
pub(super) fn ldl_factor(to: [Target<'_>; 2], input: &RawTensor, hermitian: bool) -> Result<(RawTensor, RawTensor)> {
    let outer = &input.sizes()[..input.rank().saturating_sub(1)];
    let [to, _] = offers(to, [(input.sizes(), input.dtype()), (outer, DType::I32)], input.device());
    let found = ldl_factor_ex(to, "ldl_factor", input, hermitian, true)?;
    let [both, pivots, _] = <[RawTensor; 3]>::try_from(found).map_err(|_| Error::runtime("a factorization has three parts"))?;
    Ok((both, pivots))
}

/// PyTorch's `linalg.ldl_solve`.
pub(super) fn ldl_solve(to: Target<'_>, both: &RawTensor, pivots: &RawTensor, right: &RawTensor, hermitian: bool) -> Result<RawTensor> {
    let name = "torch.linalg.ldl_solve";
    check_square(name, both)?;
    check_inexact(name, both)?;
    crate::geometry::wrap_existing_dim(-2, right.rank())?;
    check_system(name, both, right)?;
    let outer = &both.sizes()[..both.rank() - 1];
    if pivots.sizes() != outer {
        let found = pivots.sizes();
        return Err(Error::runtime(format!(
            "{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape {found:?} instead"
        )));
    }
    if !pivots.dtype().is_integral() || pivots.dtype() == DType::Bool {
        return Err(Error::runtime(format!("{name}: Expected pivots to be integers. Got {}", named(pivots))));
    }
    check_lapack("ldl_solve_kernel_cpu", both.dtype())?;
    let batches = [&both.sizes()[..both.rank() - 2], &right.sizes()[..right.rank() - 2]];
    let batch = crate::geometry::broadcast::broadcast_shapes(&batches)?;
    let wide = |tensor: &RawTensor, own: usize| {
        let sizes = crate::views::signed(&[&batch[..], &tensor.sizes()[tensor.rank() - own..]].concat());
        one(Function::Expand, &[tensor.into(), CallArgument::Ints(&sizes)])
    };
    let to = to.offer().beside([both, pivots, right]);
    linalg::solve_blocks(to, &wide(both, 2)?, &wide(pivots, 1)?, &wide(right, 2)?, kind(hermitian))
}

/// Matrices with these columns, values between them and the columns' adjoints.
fn between(vectors: &RawTensor, values: &Value) -> Result<RawTensor> {
    let row = values.then(Function::Unsqueeze, &[CallArgument::Int(-2)])?;
    let scaled = binary(Op::Mul, &vectors.into(), row).tensor()?;
    one(Function::Matmul, &[(&scaled).into(), (&one(Function::MH, &[vectors.into()])?).into()])
}

/// PyTorch's `linalg.matrix_sqrth`: the root of a matrix that is its own adjoint; negative eigenvalues count as none.
pub(super) fn matrix_sqrth(input: &RawTensor) -> Result<RawTensor> {
    let name = "linalg.matrix_sqrth";
    check_square(name, input)?;
    check(name, input)?;
    let found = run(Call::new(Function::LinalgEigh, &[input.into()]))?.several()?;
    let [values, vectors] = &found[..] else { return Err(Error::runtime("a decomposition has values and vectors")) };
    let roots = unary(Op::Sqrt, &binary(Op::ClampMin, &values.into(), 0));
    between(vectors, &roots)
}

/// PyTorch's `linalg.polar`: columns at right angles, and a matrix without negative eigenvalues that they are multiplied by.
pub(super) fn polar(to: [Target<'_>; 2], input: &RawTensor) -> Result<(RawTensor, RawTensor)> {
    let name = "linalg.polar";
    if input.rank() < 2 {
        return check(name, input).and(Err(Error::runtime("a matrix has two dimensions")));
    }
    let [rows, columns] = [input.sizes()[input.rank() - 2], input.sizes()[input.rank() - 1]];
    check_inexact(name, input)?;
    if rows < columns {
        return Err(Error::runtime(format!(
            "{name}: input must have at least as many rows as columns, but got {rows} by {columns} matrices"
        )));
    }
    check_lapack("linalg_svd_cpu", input.dtype())?;
    let squares = [&input.sizes()[..input.rank() - 2], &[columns, columns]].concat();
    let to = offers(to, [(input.sizes(), input.dtype()), (&squares, input.dtype())], input.device());
    linalg::polar(to.map(|to| to.beside([input])), input).map(Into::into)
}
