//! The gradients of systems of equations that triangles solve, and of what comes nearest to a solution.

use latten_spec::operation::Op;

use super::super::argument::CallArgument;
use super::super::backward::Backward;
use super::super::value::{Value, binary, unary};
use super::super::{Function, conj};
use super::matrices::{of_pseudoinverse, times};
use super::products::adjoint;
use super::views::transposed;
use super::{missing, one, zeros};
use crate::error::Result;
use crate::raw::RawTensor;

/// A triangle of a system of equations: which half it is, whether it is turned first, and whether ones stand on its diagonal.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) upper: bool,
    pub(super) turned: bool,
    pub(super) ones: bool,
}

/// Of the right side of such a system.
pub(super) fn of_right_of_triangle(backward: &Backward<'_>, matrix: &RawTensor, how: Triangle) -> Result<RawTensor> {
    let Some(g) = backward.gradients.first().and_then(Option::as_ref) else {
        let right = backward.results.first().ok_or_else(|| missing("a system without a solution"))?;
        return zeros(right, right.sizes());
    };
    let other = if how.turned { conj(matrix)? } else { adjoint(matrix)? };
    one(Function::LinalgSolveTriangular, &[(&other).into(), g.into(), (how.upper == how.turned).into(), true.into(), how.ones.into()])
}

/// Of the triangle, which is given back as well: of its half.
pub(super) fn of_triangle(backward: &Backward<'_>, matrix: &RawTensor, found: &RawTensor, how: Triangle) -> Result<RawTensor> {
    let copied = backward.gradients.get(1).and_then(Option::as_ref);
    if backward.gradients.first().is_none_or(Option::is_none) {
        return copied.cloned().ok_or_else(|| missing("a gradient is missing"));
    }
    let whole = times(&of_right_of_triangle(backward, matrix, how)?, &adjoint(found)?)?;
    let whole = unary(Op::Neg, &(if how.turned { transposed(&whole, -2, -1)? } else { whole }).into()).tensor()?;
    let (half, beside) = if how.upper { (Function::Triu, 1) } else { (Function::Tril, -1) };
    let own = one(half, &[(&whole).into(), CallArgument::Int(if how.ones { beside } else { 0 })])?;
    copied.map_or(Ok(own.clone()), |copied| binary(Op::Add, &(&own).into(), copied).tensor())
}

/// What gives a right side, multiplied by the square of a triangle.
pub(super) fn solved_by_root(right: &RawTensor, root: &RawTensor, upper: bool) -> Result<RawTensor> {
    one(Function::CholeskySolve, &[right.into(), root.into(), upper.into()])
}

/// Of the root of a matrix by which a system of equations was solved, of all of its elements, as if the other half were read, too.
pub(super) fn of_solved_root(g: &RawTensor, root: &RawTensor, found: &RawTensor, upper: bool) -> Result<Value> {
    let right = solved_by_root(g, root, upper)?;
    of_square(&times(&right, &adjoint(found)?)?, root, upper)
}

/// Of the root of a matrix that was inverted.
pub(super) fn of_inverted_root(g: &RawTensor, root: &RawTensor, inverse: &RawTensor, upper: bool) -> Result<Value> {
    of_square(&times(&times(inverse, g)?, inverse)?, root, upper)
}

/// Of a root, where the gradient of its square is one matrix and its adjoint, with the other sign.
fn of_square(half: &RawTensor, root: &RawTensor, upper: bool) -> Result<Value> {
    let both = binary(Op::Add, &half.into(), adjoint(half)?).tensor()?;
    Ok(unary(Op::Neg, &if upper { times(root, &both)? } else { times(&both, root)? }.into()))
}

/// What a system of equations without a solution was solved for, and what was found, as columns; the gradients of what was found and of how
/// far that is off.
struct Nearest {
    measured: RawTensor,
    found: RawTensor,
    of_found: Option<RawTensor>,
    of_rest: Option<RawTensor>,
}

impl Nearest {
    fn of(backward: &Backward<'_>, [input, measured, found]: [&RawTensor; 3]) -> Result<Self> {
        let vectors = measured.rank() < input.rank();
        let columns = |of: &RawTensor| if vectors { one(Function::Unsqueeze, &[of.into(), CallArgument::Int(-1)]) } else { Ok(of.clone()) };
        let [of_found, of_rest] = [0, 1].map(|at| backward.gradients.get(at).and_then(Option::as_ref));
        Ok(Self {
            measured: columns(measured)?,
            found: columns(found)?,
            of_found: of_found.map(columns).transpose()?,
            of_rest: of_rest.filter(|g| g.numel() > 0).cloned(),
        })
    }

    /// How far off the numbers are, times twice the gradient of their squares.
    fn off(&self, input: &RawTensor, g: &RawTensor) -> Result<RawTensor> {
        let off = binary(Op::Sub, &times(input, &self.found)?.into(), &self.measured);
        let row = binary(Op::Mul, &one(Function::Unsqueeze, &[g.into(), CallArgument::Int(-2)])?.into(), 2.0);
        binary(Op::Mul, &off, row).tensor()
    }
}

/// Of the matrices of systems of equations, for what comes nearest to a solution.
pub(super) fn of_coefficients(backward: &Backward<'_>, of: [&RawTensor; 3]) -> Result<Value> {
    let (input, nearest) = (of[0], Nearest::of(backward, of)?);
    let mut sum = None;
    if let Some(g) = &nearest.of_found {
        let inverse = one(Function::LinalgPinv, &[input.into()])?;
        sum = Some(of_pseudoinverse(&times(g, &adjoint(&nearest.measured)?)?, input, &inverse)?);
    }
    if let Some(g) = &nearest.of_rest {
        let own = times(&nearest.off(input, g)?, &adjoint(&nearest.found)?)?;
        sum = Some(sum.map_or(Value::from(&own), |sum| binary(Op::Add, &sum, own)));
    }
    sum.map_or_else(|| zeros(input, input.sizes()).map(Value::from), Ok)
}

/// Of their right sides.
pub(super) fn of_measured(backward: &Backward<'_>, of: [&RawTensor; 3]) -> Result<RawTensor> {
    let (input, nearest) = (of[0], Nearest::of(backward, of)?);
    let mut sum = None;
    if let Some(g) = &nearest.of_found {
        let inverse = one(Function::LinalgPinv, &[input.into()])?;
        sum = Some(Value::from(times(&adjoint(&inverse)?, g)?));
    }
    if let Some(g) = &nearest.of_rest {
        let own = nearest.off(input, g)?;
        sum = Some(sum.map_or_else(|| unary(Op::Neg, &(&own).into()), |sum| binary(Op::Sub, &sum, &own)));
    }
    let sum = match sum {
        Some(sum) => sum.tensor()?,
        None => return zeros(of[1], of[1].sizes()),
    };
    if of[1].rank() < input.rank() { one(Function::SqueezeDim, &[(&sum).into(), CallArgument::Int(-1)]) } else { Ok(sum) }
}
