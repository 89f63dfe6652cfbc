//! Mirrors, whose products make triangles of matrices: they stand below the diagonal, without their first numbers, which are ones; each has a factor.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::beside;
use super::triangles::{adjoint, by_columns, check_lapack, half, matmul, options_of, size_of};
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, anything, named, one};
use crate::elementwise::{Params, Target, run};
use crate::error::{Error, Result};
use crate::linalg;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::views::signed;

/// PyTorch's `linalg.householder_product`: the first columns of a product of mirrors.
pub(super) fn householder_product(to: Target<'_>, input: &RawTensor, factors: &RawTensor) -> Result<RawTensor> {
    let refused = |text: String| Err(Error::runtime(format!("torch.linalg.householder_product: {text}")));
    if input.rank() < 2 {
        return refused("input must have at least 2 dimensions.".to_owned());
    }
    let [rows, columns] = size_of(input);
    if rows < columns {
        return refused("input.shape[-2] must be greater than or equal to input.shape[-1]".to_owned());
    }
    let count = factors.size(-1)?;
    if columns < count {
        return refused("input.shape[-1] must be greater than or equal to tau.shape[-1]".to_owned());
    }
    if factors.rank() + 1 != input.rank() {
        let (own, there) = (factors.rank(), input.rank());
        return refused(format!(
            "Expected tau to have one dimension less than input, but got tau.ndim equal to {own} and input.ndim is equal to {there}"
        ));
    }
    let outer = &input.sizes()[..input.rank() - 2];
    if &factors.sizes()[..factors.rank() - 1] != outer {
        let (wanted, found) = (signed(outer), signed(factors.sizes()));
        return refused(format!("Expected batch dimensions of tau to be equal to input.shape[:-2], but got {found:?} and {wanted:?}"));
    }
    if input.dtype() != factors.dtype() {
        return refused(format!("tau dtype {} does not match input dtype {}", named(factors), named(input)));
    }
    check_lapack("orgqr_cpu", input.dtype())?;
    let options = options_of(input, input.dtype());
    let start = RawTensor::eye(rows, columns, &options)?.expand(&signed(input.sizes()))?;
    if count == 0 {
        let least = Value::from(factors).reduced(Reduction::Sum, &Along::all())?;
        return by_columns(&beside(start, binary(Op::Add, &input.into(), least)).tensor()?);
    }
    let room = to.admitting(input, &[input, factors]);
    in_columns(mirrored(room, input, factors, start, false)?, room)
}

/// What was made: where it lies, if that is the output, or with its columns one behind the other.
fn in_columns(made: RawTensor, room: Option<&RawTensor>) -> Result<RawTensor> {
    if room.is_some_and(|room| made.is_set_to(room)) { Ok(made) } else { by_columns(&made) }
}

/// What a product of mirrors makes of matrices, or its adjoint. The last mirror writes it where there is room.
fn mirrored(room: Option<&RawTensor>, input: &RawTensor, factors: &RawTensor, mut whole: RawTensor, turned: bool) -> Result<RawTensor> {
    let [rows, columns] = size_of(input);
    let mirrors = half(Function::Tril, input, -1)?;
    let mirrors = binary(Op::Add, &mirrors.into(), RawTensor::eye(rows, columns, &options_of(input, input.dtype()))?).tensor()?;
    let count = factors.sizes().last().copied().unwrap_or(0).cast_signed();
    for step in 0..count {
        let at = if turned { step } else { count - 1 - step };
        let part = |of: &RawTensor| one(Function::Narrow, &[of.into(), CallArgument::Int(-1), at.into(), 1.into()]);
        let mirror = part(&mirrors)?;
        let factor = one(Function::Unsqueeze, &[(&part(factors)?).into(), CallArgument::Int(-1)])?;
        let factor = if turned { unary(Op::Conj, &factor.into()).tensor()? } else { factor };
        let share = binary(Op::Mul, &matmul(&adjoint(&mirror)?, &whole)?.into(), factor).tensor()?;
        let taken = matmul(&mirror, &share)?;
        whole = match room.filter(|_| step + 1 == count) {
            Some(room) => run(Op::Sub.into(), &[(&whole).into(), (&taken).into()], Target::Out(room, anything), &Params::none())?,
            None => binary(Op::Sub, &Value::from(&whole), taken).tensor()?,
        };
    }
    Ok(whole)
}

/// PyTorch's `geqrf`: an upper triangle with the mirrors below that make it, and their factors.
pub(super) fn geqrf(input: &RawTensor) -> Result<(RawTensor, RawTensor)> {
    if input.rank() < 2 {
        return Err(Error::runtime("torch.geqrf: input must have at least 2 dimensions."));
    }
    check_lapack("geqrf_cpu", input.dtype())?;
    linalg::mirrors(input).map(Into::into)
}

/// PyTorch's `ormqr`: what a product of mirrors makes of matrices, from the left or from the right.
pub(super) fn ormqr(
    to: Target<'_>,
    input: &RawTensor,
    factors: &RawTensor,
    other: &RawTensor,
    on_left: bool,
    turned: bool,
) -> Result<RawTensor> {
    let refused = |text: String| Err(Error::runtime(format!("torch.ormqr: {text}")));
    for (tensor, which) in [(input, "input"), (other, "other")] {
        if tensor.rank() < 2 {
            return refused(format!("{which} must have at least 2 dimensions."));
        }
    }
    let ([rows, columns], [height, width]) = (size_of(input), size_of(other));
    let (dim, across) = if on_left { (-2, height) } else { (-1, width) };
    if across != rows {
        return refused(format!("other.shape[{dim}] must be equal to input.shape[-2]"));
    }
    if factors.sizes().last() != Some(&across.min(columns)) {
        return refused(format!("tau.shape[-1] must be equal to min(other.shape[{dim}], input.shape[-1])"));
    }
    if factors.rank() + 1 != input.rank() {
        let (own, there) = (factors.rank(), input.rank());
        return refused(format!(
            "Expected tau to have one dimension less than input, but got tau.ndim equal to {own} and input.ndim is equal to {there}"
        ));
    }
    if other.rank() != input.rank() {
        let (own, there) = (other.rank(), input.rank());
        return refused(format!(
            "Expected other to have the same number of dimensions as input, but got other.ndim equal to {own} and input.ndim is equal to {there}"
        ));
    }
    let outer = &input.sizes()[..input.rank() - 2];
    for (which, found) in [("tau", &factors.sizes()[..outer.len()]), ("other", &other.sizes()[..outer.len()])] {
        if found != outer {
            return refused(format!("Expected batch dimensions of {which} to be equal to input.shape[:-2], but got {found:?}"));
        }
    }
    for (which, tensor) in [("tau", factors), ("other", other)] {
        if tensor.dtype() != input.dtype() {
            let (own, there) = (named(input), named(tensor));
            return refused(format!(
                "Expected input and {which} to have the same dtype, but input has dtype{own} and {which} has dtype {there}"
            ));
        }
    }
    check_lapack("ormqr_cpu", input.dtype())?;
    // The product from the right is the adjoint of that of adjoints from the left.
    let room = to.admitting(other, &[input, factors, other]);
    if on_left {
        return in_columns(mirrored(room, input, factors, other.clone(), turned)?, room);
    }
    let across = room.filter(|room| !room.dtype().is_complex()).map(|room| room.transpose(-1, -2)).transpose()?;
    in_columns(adjoint(&mirrored(across.as_ref(), input, factors, adjoint(other)?, !turned)?)?, room)
}
