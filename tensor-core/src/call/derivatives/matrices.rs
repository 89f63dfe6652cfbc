//! The gradients of decompositions of matrices, in terms of products and of systems of equations.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::super::argument::CallArgument;
use super::super::backward::Backward;
use super::super::curves::chosen;
use super::super::value::{Value, binary, unary};
use super::super::{Call, Function, conj, run};
use super::products::adjoint;
use super::reductions::others;
use super::views::expanded;
use super::{missing, one, zeros};
use crate::dtype::finfo;
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::raw::mode::mode;
use crate::reduce::Along;
use crate::scalar::Scalar;

pub(super) fn times(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::Matmul, &[left.into(), right.into()])
}

/// What gives a right side, multiplied by matrices.
fn solved(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::LinalgSolveLeft, &[left.into(), right.into()])
}

/// The same of upper triangles, in which a zero on the diagonal makes infinities.
fn solved_above(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::LinalgSolveTriangular, &[left.into(), right.into(), true.into()])
}

/// Of the right side of a system of equations.
pub(super) fn of_right_side(g: &RawTensor, left: &RawTensor) -> Result<RawTensor> {
    solved(&adjoint(left)?, g)
}

/// Of its matrices.
pub(super) fn of_system(g: &RawTensor, left: &RawTensor, found: &RawTensor) -> Result<Value> {
    Ok(unary(Op::Neg, &times(&of_right_side(g, left)?, &adjoint(found)?)?.into()))
}

/// Of an inverse.
pub(super) fn of_inverse(g: &RawTensor, inverse: &RawTensor) -> Result<Value> {
    let turned = adjoint(inverse)?;
    Ok(unary(Op::Neg, &times(&times(&turned, g)?, &turned)?.into()))
}

/// Of a pseudoinverse: of its rank, which stays as it is.
pub(super) fn of_pseudoinverse(g: &RawTensor, input: &RawTensor, inverse: &RawTensor) -> Result<Value> {
    let (turned, other) = (adjoint(inverse)?, adjoint(g)?);
    let (left, right) = (times(&times(&other, inverse)?, &turned)?, times(&times(&turned, inverse)?, &other)?);
    let beside = binary(Op::Sub, &Value::from(&left), times(input, &times(inverse, &left)?)?);
    let below = binary(Op::Sub, &Value::from(&right), times(&times(&right, inverse)?, input)?);
    Ok(binary(Op::Sub, &binary(Op::Add, &beside, below), times(&times(&turned, g)?, &turned)?))
}

/// Square matrices with one number for each on the diagonal.
fn diagonals(numbers: &RawTensor, input: &RawTensor) -> Result<RawTensor> {
    let column = one(Function::Unsqueeze, &[numbers.into(), CallArgument::Int(-1)])?;
    let rows = expanded(&column, &input.sizes()[..input.rank() - 1])?;
    one(Function::DiagEmbed, &[(&rows).into()])
}

/// What gives a right side, multiplied by the adjoints of matrices, by triangular factors that aren't recorded. Zeros on the diagonals of these
/// count as a number.
fn solved_by_factors(input: &RawTensor, right: &RawTensor, zero: f64) -> Result<RawTensor> {
    // As PyTorch does: so that numbers that aren't finite come out in the same places.
    let turned = input.is_contiguous(MemoryFormat::Contiguous) && !input.dtype().is_complex();
    let matrices = if turned { one(Function::MT, &[input.into()])? } else { input.clone() };
    let found = run(Call::new(Function::LinalgLuFactorEx, &[(&matrices).into()]))?.several()?;
    let [both, pivots, _] = &found[..] else { return Err(missing("there are factors, pivots and what is said of them")) };
    let diagonal = Value::from(one(Function::Diagonal, &[both.into(), 0.into(), CallArgument::Int(-2), CallArgument::Int(-1)])?);
    let more = chosen(binary(Op::Eq, &diagonal, 0.0), zero, 0.0).cast(both.dtype()).tensor()?;
    let both = binary(Op::Add, &both.into(), one(Function::DiagEmbed, &[(&more).into()])?).tensor()?;
    one(Function::LinalgLuSolve, &[(&both).into(), pivots.into(), right.into(), true.into(), (!turned).into()])
}

/// Of a determinant. Where its own gradient is asked for, a singular matrix has its adjugate.
pub(super) fn of_determinant(g: &RawTensor, input: &RawTensor, result: &RawTensor) -> Result<RawTensor> {
    let right = diagonals(&binary(Op::Mul, &g.into(), conj(result)?).tensor()?, input)?;
    let least = finfo(input.dtype())?.eps;
    if !mode().records() || input.numel() == 0 {
        return solved_by_factors(input, &right, least);
    }
    let near = binary(Op::Lt, &unary(Op::Abs, &result.into()), 100.0 * least).reduced(Reduction::Any, &Along::all())?;
    if near.item()?.to_f64() == 0.0 {
        return solved(&adjoint(input)?, &right);
    }
    let found = run(Call::new(Function::LinalgSvd, &[input.into()]))?.several()?;
    let [left, values, other] = &found[..] else { return Err(missing("a decomposition has three factors")) };
    let turns = binary(Op::Mul, &one(Function::LinalgDet, &[left.into()])?.into(), one(Function::LinalgDet, &[other.into()])?);
    let factor = binary(Op::Mul, &unary(Op::Conj, &turns), g).tensor()?;
    let factor = one(Function::Unsqueeze, &[(&factor).into(), CallArgument::Int(-1)])?;
    let rest = binary(Op::Mul, &factor.into(), others(values, &[values.rank() - 1])?).tensor()?;
    let column = one(Function::Unsqueeze, &[(&rest).into(), CallArgument::Int(-1)])?;
    times(left, &binary(Op::Mul, &column.into(), other).tensor()?)
}

/// Of the logarithm of one.
fn of_log_determinant(g: &RawTensor, input: &RawTensor) -> Result<RawTensor> {
    let right = diagonals(&Value::from(g).cast(input.dtype()).tensor()?, input)?;
    if mode().records() { solved(&adjoint(input)?, &right) } else { solved_by_factors(input, &right, 0.0) }
}

/// Of a sign and the logarithm of the rest: the sign of real matrices has none, that of complex ones its angle.
pub(super) fn of_sign_and_logarithm(backward: &Backward<'_>, input: &RawTensor, sign: &RawTensor) -> Result<RawTensor> {
    let [of_sign, of_logarithm] = [backward.gradients.first(), backward.gradients.get(1)].map(|gradient| gradient.and_then(Option::as_ref));
    let real = match (of_logarithm, of_sign) {
        (Some(g), _) => g.clone(),
        (None, Some(g)) => zeros(&unary(Op::Real, &g.into()).tensor()?, g.sizes())?,
        (None, None) => return Err(missing("a gradient is missing")),
    };
    match of_sign.filter(|_| input.dtype().is_complex()) {
        Some(g) => {
            let turned = unary(Op::Neg, &unary(Op::Imag, &binary(Op::Mul, &conj(g)?.into(), sign))).tensor()?;
            of_log_determinant(&one(Function::Complex, &[(&real).into(), (&turned).into()])?, input)
        }
        None => of_log_determinant(&real, input),
    }
}

/// Of the lower triangle of a positive matrix, or the upper one.
pub(super) fn of_cholesky(g: &RawTensor, result: &RawTensor, upper: bool) -> Result<Value> {
    let (g, lower) = if upper { (adjoint(g)?, adjoint(result)?) } else { (g.clone(), result.clone()) };
    let turned = adjoint(&lower)?;
    let inner = one(Function::Tril, &[(&times(&turned, &g)?).into()])?;
    // Half of what is on the diagonal.
    let strict = one(Function::Tril, &[(&inner).into(), CallArgument::Int(-1)])?;
    let half = binary(Op::Mul, &binary(Op::Add, &inner.into(), strict), 0.5).tensor()?;
    let first = solved_above(&turned, &half)?;
    let both = adjoint(&solved_above(&turned, &adjoint(&first)?)?)?;
    Ok(binary(Op::Mul, &binary(Op::Add, &(&both).into(), adjoint(&both)?), 0.5))
}

/// Of triangular factors in one matrix, whose rows had changed places.
pub(super) fn of_triangles(g: &RawTensor, both: &RawTensor, pivots: &RawTensor) -> Result<RawTensor> {
    let [rows, columns] = [both.sizes()[both.rank() - 2], both.sizes()[both.rank() - 1]];
    let inner = rows.min(columns);
    let factors = run(Call::new(Function::LuUnpack, &[both.into(), pivots.into()]))?.several()?;
    let [order, lower, upper] = &factors[..] else { return Err(missing("there are two factors and an order")) };
    let (square_lower, square_upper) = (part(lower, -2, 0, inner)?, part(upper, -1, 0, inner)?);
    let own = part(&part(g, -2, 0, inner)?, -1, 0, inner)?;
    let mut below = Value::from(times(&adjoint(&square_lower)?, &own_half(Function::Tril, &own, -1)?)?);
    let mut above = Value::from(times(&own_half(Function::Triu, &own, 0)?, &adjoint(&square_upper)?)?);
    let (wide, high) = (part(g, -1, inner, columns - inner)?, part(g, -2, inner, rows - inner)?);
    if columns > inner {
        below = binary(Op::Sub, &below, times(&wide, &adjoint(&part(upper, -1, inner, columns - inner)?)?)?);
    }
    if rows > inner {
        above = binary(Op::Sub, &above, times(&adjoint(&part(lower, -2, inner, rows - inner)?)?, &high)?);
    }
    let both = binary(Op::Add, &own_half(Function::Tril, &below.tensor()?, -1)?.into(), own_half(Function::Triu, &above.tensor()?, 0)?);
    let turned = adjoint(&square_lower)?;
    let over_upper = |of: &RawTensor| adjoint(&solved_above(&square_upper, &adjoint(of)?)?);
    let mut whole = over_upper(&solved_above(&turned, &both.tensor()?)?)?;
    let joined = |parts: &[&RawTensor], dim: isize| one(Function::Cat, &[CallArgument::Tensors(parts), dim.into()]);
    if columns > inner {
        whole = joined(&[&whole, &solved_above(&turned, &wide)?], -1)?;
    }
    if rows > inner {
        whole = joined(&[&whole, &over_upper(&high)?], -2)?;
    }
    times(order, &whole)
}

/// Some rows or columns of matrices.
fn part(of: &RawTensor, dim: isize, start: usize, length: usize) -> Result<RawTensor> {
    one(Function::Narrow, &[of.into(), dim.into(), start.cast_signed().into(), length.cast_signed().into()])
}

fn own_half(half: Function, matrices: &RawTensor, diagonal: isize) -> Result<RawTensor> {
    one(half, &[matrices.into(), diagonal.into()])
}

/// Of columns at right angles and an upper triangle.
pub(super) fn of_qr(backward: &Backward<'_>, [left, right]: [&RawTensor; 2], mode: &str) -> Result<RawTensor> {
    if mode == "r" {
        return Err(Error::runtime(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, mode='reduced') if you are \
             going to differentiate through linalg.qr.",
        ));
    }
    let (rows, columns) = (left.sizes()[left.rank() - 2], right.sizes()[right.rank() - 1]);
    if mode == "complete" && rows > columns {
        return Err(Error::runtime("The QR decomposition is not differentiable when mode='complete' and nrows > ncols."));
    }
    let of = |at: usize, like: &RawTensor| match backward.gradients.get(at).and_then(Option::as_ref) {
        Some(g) => Ok(g.clone()),
        None => zeros(like, like.sizes()),
    };
    let (of_left, of_right) = (of(0, left)?, of(1, right)?);
    if rows >= columns {
        return of_high(&of_left, &of_right, [left, right]);
    }
    // The columns behind the square are what the others make of them: they go to both.
    let behind = |of: &RawTensor| part(of, -1, rows, columns - rows);
    let (of_rest, rest) = (behind(&of_right)?, times(left, &behind(right)?)?);
    let of_left = binary(Op::Add, &of_left.into(), times(&rest, &adjoint(&of_rest)?)?).tensor()?;
    let square = of_high(&of_left, &part(&of_right, -1, 0, rows)?, [left, &part(right, -1, 0, rows)?])?;
    one(Function::Cat, &[CallArgument::Tensors(&[&square, &times(left, &of_rest)?]), CallArgument::Int(-1)])
}

/// The same of matrices that are at least as high as wide.
fn of_high(of_left: &RawTensor, of_right: &RawTensor, [left, right]: [&RawTensor; 2]) -> Result<RawTensor> {
    let inner = binary(Op::Sub, &times(right, &adjoint(of_right)?)?.into(), times(&adjoint(of_left)?, left)?).tensor()?;
    let lower = one(Function::Tril, &[(&inner).into()])?;
    let strict = one(Function::Tril, &[(&inner).into(), CallArgument::Int(-1)])?;
    let both = binary(Op::Add, &lower.into(), adjoint(&strict)?).tensor()?;
    // Of the diagonal the real part counts, once.
    let both = binary(Op::Mul, &binary(Op::Add, &Value::from(&both), adjoint(&both)?), 0.5).tensor()?;
    let whole = binary(Op::Add, &of_left.into(), times(left, &both)?).tensor()?;
    adjoint(&solved_above(right, &adjoint(&whole)?)?)
}

/// Of eigenvalues and vectors.
pub(super) fn of_eigh(backward: &Backward<'_>, values: &RawTensor, vectors: &RawTensor) -> Result<RawTensor> {
    let turned = adjoint(vectors)?;
    let mut inner = match backward.gradients.first().and_then(Option::as_ref) {
        Some(g) => Some(Value::from(one(Function::DiagEmbed, &[g.into()])?)),
        None => None,
    };
    if let Some(g) = backward.gradients.get(1).and_then(Option::as_ref) {
        let row = one(Function::Unsqueeze, &[values.into(), CallArgument::Int(-2)])?;
        let column = one(Function::Unsqueeze, &[values.into(), CallArgument::Int(-1)])?;
        let apart = binary(Op::Sub, &row.into(), column).tensor()?;
        let ones = one(Function::DiagEmbed, &[(&one(Function::OnesLike, &[values.into()])?).into()])?;
        let shares = binary(Op::Div, &times(&turned, g)?.into(), binary(Op::Add, &apart.into(), &ones));
        let beside = binary(Op::Mul, &shares, binary(Op::Sub, &Value::from(Scalar::Int(1)), ones));
        inner = Some(inner.map_or(beside.clone(), |inner| binary(Op::Add, &inner, beside)));
    }
    let inner = inner.ok_or_else(|| missing("a gradient is missing"))?.tensor()?;
    let inner = if inner.dtype() == vectors.dtype() { inner } else { Value::from(inner).cast(vectors.dtype()).tensor()? };
    times(&times(vectors, &inner)?, &turned)
}

/// Of eigenvalues of any matrix, and of the vectors as far as their lengths and phases don't matter.
pub(super) fn of_eig(
    [of_values, of_vectors]: [Option<&RawTensor>; 2],
    input: &RawTensor,
    [values, vectors]: [&RawTensor; 2],
) -> Result<Value> {
    let turned = adjoint(vectors)?;
    let mut inner = match of_values {
        Some(g) => one(Function::DiagEmbed, &[g.into()])?,
        None => zeros(vectors, vectors.sizes())?,
    };
    if let Some(g) = of_vectors {
        let beside = |dim: isize| one(Function::Unsqueeze, &[values.into(), dim.into()]);
        let ones = one(Function::DiagEmbed, &[(&one(Function::OnesLike, &[values.into()])?).into()])?;
        let apart = binary(Op::Add, &binary(Op::Sub, &beside(-2)?.into(), beside(-1)?), &ones).tensor()?;
        let own = times(&turned, g)?;
        let lengths = one(Function::Diagonal, &[(&own).into(), 0.into(), (-2).into(), (-1).into()])?;
        let lengths = one(Function::Unsqueeze, &[(&unary(Op::Real, &lengths.into()).tensor()?).into(), (-2).into()])?;
        let free = binary(Op::Sub, &own.into(), binary(Op::Mul, &times(&turned, vectors)?.into(), lengths));
        let shares = binary(Op::Mul, &binary(Op::Div, &free, conj(&apart)?), binary(Op::Rsub, &ones.into(), 1));
        inner = binary(Op::Add, &inner.into(), shares).tensor()?;
    }
    let found = Value::from(solved(&turned, &times(&inner, &turned)?)?);
    Ok(if input.dtype().is_complex() { found } else { unary(Op::Real, &found) })
}

/// Of eigenvalues alone.
pub(super) fn of_eigenvalues(g: &RawTensor, input: &RawTensor) -> Result<Value> {
    let found = run(Call::new(Function::LinalgEig, &[input.into()]))?.several()?;
    let [values, vectors] = &found[..] else { return Err(missing("a decomposition has two parts")) };
    of_eig([Some(g), None], input, [values, vectors])
}

/// Of singular values: along the products of the vectors that belong to them.
pub(super) fn of_singular_values(g: &RawTensor, input: &RawTensor) -> Result<RawTensor> {
    let factors = run(Call::new(Function::LinalgSvd, &[input.into(), false.into()]))?.several()?;
    let [left, _, right] = &factors[..] else { return Err(missing("a decomposition has three factors")) };
    let row = one(Function::Unsqueeze, &[g.into(), CallArgument::Int(-2)])?;
    let scaled = binary(Op::Mul, &left.into(), &row).tensor()?;
    one(Function::Matmul, &[(&scaled).into(), right.into()])
}

/// Of a matrix's factors: the columns at right angles, the singular values, the rows at right angles.
pub(super) fn of_svd(backward: &Backward<'_>, input: &RawTensor) -> Result<RawTensor> {
    let factors = run(Call::new(Function::LinalgSvd, &[input.into(), false.into()]))?.several()?;
    let [left, values, right] = &factors[..] else { return Err(missing("a decomposition has three factors")) };
    // Columns and rows that only complete the others have none.
    let count = values.sizes()[values.rank() - 1];
    let own = |at: usize| {
        let g = backward.gradients.get(at).and_then(Option::as_ref);
        g.map(|g| if at == 1 { Ok(g.clone()) } else { part(g, if at == 0 { -1 } else { -2 }, 0, count) }).transpose()
    };
    let gradients = [own(0)?, own(1)?, own(2)?];
    let of = |at: usize| gradients[at].as_ref();
    let beside = |tensor: &RawTensor, dim: isize| one(Function::Unsqueeze, &[tensor.into(), CallArgument::Int(dim)]);
    let (row, column) = (beside(values, -2)?, beside(values, -1)?);
    let ones = one(Function::DiagEmbed, &[(&one(Function::OnesLike, &[values.into()])?).into()])?;
    let square = |tensor: &RawTensor| binary(Op::Mul, &tensor.into(), tensor);
    let apart = binary(Op::Add, &binary(Op::Sub, &square(&row), square(&column)), ones).tensor()?;
    let skew = |tensor: &RawTensor| Ok::<_, Error>(binary(Op::Sub, &tensor.into(), adjoint(tensor)?));
    let mut inner = match of(1) {
        Some(g) => Value::from(one(Function::DiagEmbed, &[g.into()])?),
        None => Value::from(zeros(values, apart.sizes())?),
    };
    if let Some(g) = of(0) {
        let own = skew(&times(&adjoint(left)?, g)?)?.tensor()?;
        inner = binary(Op::Add, &inner, binary(Op::Mul, &binary(Op::Div, &Value::from(&own), &apart), &row));
        if input.dtype().is_complex() {
            let turn = binary(Op::Div, &Value::from(&own), binary(Op::Mul, &Value::from(&row), 2)).tensor()?;
            let turn = one(Function::Diagonal, &[(&turn).into(), 0.into(), CallArgument::Int(-2), CallArgument::Int(-1)])?;
            inner = binary(Op::Add, &inner, one(Function::DiagEmbed, &[(&turn).into()])?);
        }
    }
    if let Some(g) = of(2) {
        let own = skew(&times(right, &adjoint(g)?)?)?;
        inner = binary(Op::Add, &inner, binary(Op::Mul, &binary(Op::Div, &own, &apart), &column));
    }
    let inner = inner.tensor()?;
    let inner = if inner.dtype() == left.dtype() { inner } else { Value::from(inner).cast(left.dtype()).tensor()? };
    let mut whole = Value::from(times(&times(left, &inner)?, right)?);
    // What stands at right angles on all columns, or on all rows.
    if let Some(g) = of(0).filter(|_| left.sizes()[left.rank() - 2] > values.sizes()[values.rank() - 1]) {
        let over = binary(Op::Div, &g.into(), &row).tensor()?;
        let rest = binary(Op::Sub, &Value::from(&over), times(left, &times(&adjoint(left)?, &over)?)?).tensor()?;
        whole = binary(Op::Add, &whole, times(&rest, right)?);
    }
    if let Some(g) = of(2).filter(|_| right.sizes()[right.rank() - 1] > values.sizes()[values.rank() - 1]) {
        let over = binary(Op::Div, &g.into(), &column).tensor()?;
        let rest = binary(Op::Sub, &Value::from(&over), times(&times(&over, &adjoint(right)?)?, right)?).tensor()?;
        whole = binary(Op::Add, &whole, times(left, &rest)?);
    }
    whole.tensor()
}

/// What solves `matrix * x + x * matrix = right` for matrices that are their own adjoints, by eigenvalues and vectors.
fn on_both_sides(values: &RawTensor, vectors: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    let beside = |dim: isize| one(Function::Unsqueeze, &[values.into(), dim.into()]);
    let inner = times(&times(&adjoint(vectors)?, right)?, vectors)?;
    let inner = binary(Op::Div, &inner.into(), binary(Op::Add, &beside(-1)?.into(), beside(-2)?)).tensor()?;
    times(&times(vectors, &inner)?, &adjoint(vectors)?)
}

/// The eigenvalues of matrices that are their own adjoints, and the vectors.
fn own_values(matrix: &RawTensor) -> Result<[RawTensor; 2]> {
    let found = run(Call::new(Function::LinalgEigh, &[matrix.into()]))?.several()?;
    <[RawTensor; 2]>::try_from(found).map_err(|_| missing("a decomposition has two parts"))
}

/// Of a square root.
pub(super) fn of_root(g: &RawTensor, root: &RawTensor) -> Result<RawTensor> {
    let [values, vectors] = own_values(root)?;
    let both = binary(Op::Mul, &binary(Op::Add, &g.into(), adjoint(g)?), 0.5).tensor()?;
    on_both_sides(&values, &vectors, &both)
}

/// Of columns at right angles and of the matrix that they are multiplied by.
pub(super) fn of_polar(backward: &Backward<'_>, turn: &RawTensor, stretch: &RawTensor) -> Result<Value> {
    let [of_turn, of_stretch] = [0, 1].map(|at| backward.gradients.get(at).and_then(Option::as_ref));
    let [values, vectors] = own_values(stretch)?;
    let mut inner = Value::from(zeros(stretch, stretch.sizes())?);
    let mut whole = None;
    if let Some(g) = of_stretch {
        inner = binary(Op::Sub, &inner, times(g, stretch)?);
        whole = Some(Value::from(times(turn, g)?));
    }
    if let Some(g) = of_turn {
        let along = times(&adjoint(turn)?, g)?;
        inner = binary(Op::Add, &inner, &along);
        if turn.sizes()[turn.rank() - 2] > turn.sizes()[turn.rank() - 1] {
            let rest = binary(Op::Sub, &g.into(), times(turn, &along)?).tensor()?;
            let row = one(Function::Unsqueeze, &[(&values).into(), CallArgument::Int(-2)])?;
            let over = binary(Op::Div, &times(&rest, &vectors)?.into(), row).tensor()?;
            let rest = times(&over, &adjoint(&vectors)?)?;
            whole = Some(whole.map_or(Value::from(&rest), |whole| binary(Op::Add, &whole, &rest)));
        }
    }
    let inner = inner.tensor()?;
    let skew = binary(Op::Sub, &Value::from(&inner), adjoint(&inner)?).tensor()?;
    let turned = times(turn, &on_both_sides(&values, &vectors, &skew)?)?;
    Ok(whole.map_or(Value::from(&turned), |whole| binary(Op::Add, &whole, &turned)))
}
