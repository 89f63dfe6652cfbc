//! What is made of triangular factors and of other decompositions, in terms of calls: factors one by one, what is solved with them, least squares,
//! exponentials of matrices, their condition.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::decompositions::{check, check_matrices, check_square, refuse_zeros, symmetric};
use super::norms::{self, MatrixOrder};
use super::solving::{Least, check_digits, pinv_and_rank};
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, conj, named, one, run};
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::linalg::{self, Vectors};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;
use crate::views::signed;

pub(super) fn matmul(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    one(Function::Matmul, &[left.into(), right.into()])
}

pub(super) fn adjoint(matrix: &RawTensor) -> Result<RawTensor> {
    one(Function::MH, &[matrix.into()])
}

pub(super) fn options_of(input: &RawTensor, dtype: DType) -> Options {
    Options { dtype: Some(dtype), device: Some(input.device()), format: None }
}

/// The sizes of the matrices in a tensor.
pub(super) fn size_of(matrices: &RawTensor) -> [usize; 2] {
    [matrices.sizes()[matrices.rank() - 2], matrices.sizes()[matrices.rank() - 1]]
}

/// Ones on a diagonal.
fn ones(input: &RawTensor, size: usize) -> Result<RawTensor> {
    RawTensor::eye(size, size, &options_of(input, input.dtype()))
}

/// The half of matrices on one side of a diagonal.
pub(super) fn half(half: Function, matrices: &RawTensor, diagonal: isize) -> Result<RawTensor> {
    one(half, &[matrices.into(), diagonal.into()])
}

/// The first rows or columns of matrices.
fn first(matrices: &RawTensor, dim: isize, count: usize) -> Result<RawTensor> {
    one(Function::Narrow, &[matrices.into(), dim.into(), 0.into(), count.cast_signed().into()])
}

/// What puts rows where they come from.
fn permutation(pivots: &RawTensor, rows: usize, dtype: DType) -> Result<RawTensor> {
    let orders = linalg::orders(pivots, rows)?;
    if orders.numel() == 0 {
        return RawTensor::zeros(&[orders.sizes(), &[rows]].concat(), &options_of(pivots, dtype));
    }
    let chosen = one(Function::OneHot, &[(&orders).into(), rows.cast_signed().into()])?;
    Value::from(one(Function::MT, &[(&chosen).into()])?).cast(dtype).then(Function::Contiguous, &[])?.tensor()
}

/// Rows from where an order says.
fn in_order(to: Target<'_>, matrices: &RawTensor, order: &RawTensor) -> Result<RawTensor> {
    let places = one(Function::Unsqueeze, &[order.into(), CallArgument::Int(-1)])?;
    to.last(Function::TakeAlongDim, &[matrices.into(), (&places).into(), CallArgument::Int(-2)])
}

/// PyTorch's `lu_unpack`: the matrix that changes places of rows, the lower factor and the upper one.
pub(super) fn lu_unpack(both: &RawTensor, pivots: &RawTensor, data: bool, places: bool) -> Result<Vec<RawTensor>> {
    check_matrices("torch.lu_unpack", both)?;
    if places && pivots.dtype() != DType::I32 {
        return Err(Error::runtime(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this function is intended to be used \
             with the output produced by torch.linalg.lu_factor",
        ));
    }
    let nothing = || RawTensor::zeros(&[0], &options_of(both, both.dtype()));
    let [rows, columns] = size_of(both);
    let order = if places { permutation(pivots, rows, both.dtype())? } else { nothing()? };
    if !data {
        return Ok(vec![order, nothing()?, nothing()?]);
    }
    let inner = rows.min(columns);
    let below = half(Function::Tril, &first(both, -1, inner)?, -1)?;
    let options = options_of(both, both.dtype());
    let lower = binary(Op::Add, &below.into(), RawTensor::eye(rows, inner, &options)?).tensor()?;
    Ok(vec![order, lower, half(Function::Triu, &first(both, -2, inner)?, 0)?])
}

/// PyTorch's `linalg.lu`.
pub(super) fn lu(input: &RawTensor, pivot: bool) -> Result<Vec<RawTensor>> {
    check_matrices("linalg.lu", input)?;
    let found = run(Call::new(Function::LinalgLuFactorEx, &[input.into(), pivot.into()]))?.several()?;
    run(Call::new(Function::LuUnpack, &[(&found[0]).into(), (&found[1]).into()]))?.several()
}

/// PyTorch's `linalg.lu_factor`.
pub(super) fn lu_factor(input: &RawTensor, pivot: bool) -> Result<Vec<RawTensor>> {
    let mut found = run(Call::new(Function::LinalgLuFactorEx, &[input.into(), pivot.into()]))?.several()?;
    refuse_zeros("lu_factor", input, &found[2])?;
    found.truncate(2);
    Ok(found)
}

/// PyTorch's `lu`, which says where zeros are only on request.
pub(super) fn lu_with_infos(input: &RawTensor, pivot: bool, infos: bool) -> Result<Vec<RawTensor>> {
    let mut found = run(Call::new(Function::LinalgLuFactorEx, &[input.into(), pivot.into()]))?.several()?;
    if !infos {
        found.truncate(2);
    }
    Ok(found)
}

/// What gives a right side, multiplied by a triangle or by its adjoint.
fn solved(to: Target<'_>, triangle: &RawTensor, right: &RawTensor, upper: bool, ones: bool, turned: bool) -> Result<RawTensor> {
    let matrix = if turned { adjoint(triangle)? } else { triangle.clone() };
    super::solving::solve_triangular(to, &matrix, right, upper != turned, true, ones)
}

/// That matrices and right sides go together, in PyTorch's order.
pub(super) fn check_system(name: &str, matrix: &RawTensor, right: &RawTensor) -> Result<()> {
    if right.dtype() != matrix.dtype() {
        let (own, there) = (named(right), named(matrix));
        return Err(Error::runtime(format!(
            "Expected b and A to have the same dtype, but found b of type {own} and A of type {there} instead."
        )));
    }
    let ([rows, columns], [height, width]) = (size_of(matrix), size_of(right));
    if rows != columns {
        return Err(Error::runtime(format!("A must be batches of square matrices, but they are {rows} by {columns} matrices")));
    }
    if rows != height {
        return Err(Error::runtime(format!(
            "Incompatible matrix sizes for {name}: each A matrix is {rows} by {rows} but each b matrix is {height} by {width}"
        )));
    }
    Ok(())
}

/// PyTorch's `linalg.lu_solve`.
pub(super) fn lu_solve(
    to: Target<'_>,
    both: &RawTensor,
    pivots: &RawTensor,
    right: &RawTensor,
    on_left: bool,
    turned: bool,
) -> Result<RawTensor> {
    let name = "linalg.lu_solve";
    let refused = |text: String| Err(Error::runtime(format!("{name}: {text}")));
    if both.dtype().is_integral() {
        let found = named(both);
        return Err(Error::not_implemented(format!("torch.{name}: Expected a floating point or complex tensor as input. Got {found}")));
    }
    if both.dtype() != right.dtype() {
        let (own, there) = (named(both), named(right));
        return refused(format!("Expected LU and B to have the same dtype, but found LU of type {own} and B of type {there} instead"));
    }
    if pivots.dtype() != DType::I32 {
        return refused("pivots should be a Tensor of scalar type torch.int32".to_owned());
    }
    check_square("torch.linalg.lu_solve", both)?;
    if right.rank() < 2 {
        return refused("The input tensor B must have at least 2 dimensions.".to_owned());
    }
    let ([rows, _], [height, width]) = (size_of(both), size_of(right));
    if (if on_left { height } else { width }) != rows {
        let equation = if on_left { "AX = B" } else { "XA = B" };
        return refused(format!("Incompatible shapes of A and B for the equation {equation} ({rows}x{rows} and {height}x{width})"));
    }
    if pivots.sizes().last() != Some(&rows) {
        return refused("Number of pivots per batch should be same as the dimension of the matrix".to_owned());
    }
    if !matches!(both.dtype(), DType::F32 | DType::F64 | DType::C64 | DType::C128) {
        return Err(unsupported("linalg.lu_solve_cpu", both.dtype()));
    }
    if !on_left {
        let transposed = |matrices: &RawTensor| one(Function::MT, &[matrices.into()]);
        let room = to.seen_as(right.sizes(), transposed);
        return transposed(&lu_solve(Target::offering(room.as_ref()), &conj(both)?, pivots, &transposed(right)?, true, !turned)?);
    }
    let order = linalg::orders(pivots, rows)?;
    let new = Target::New;
    if turned {
        let back = one(Function::Argsort, &[(&order).into()])?;
        return in_order(to, &solved(new, both, &solved(new, both, right, true, false, true)?, false, true, true)?, &back);
    }
    solved(to, both, &solved(new, both, &in_order(new, right, &order)?, false, true, false)?, true, false, false)
}

/// PyTorch's `cholesky_solve`: what gives a right side, multiplied by the matrix that a triangle is the root of.
pub(super) fn cholesky_solve(to: Target<'_>, right: &RawTensor, triangle: &RawTensor, upper: bool) -> Result<RawTensor> {
    for (tensor, which) in [(right, "b"), (triangle, "u")] {
        if tensor.rank() < 2 {
            let rank = tensor.rank();
            return Err(Error::runtime(format!("{which} should have at least 2 dimensions, but has {rank} dimensions instead")));
        }
    }
    check_system("cholesky_solve", triangle, right)?;
    check_lapack("cholesky_solve_cpu", right.dtype())?;
    solved(to, triangle, &solved(Target::New, triangle, right, upper, false, upper)?, upper, false, !upper)
}

/// PyTorch's `cholesky_inverse`.
pub(super) fn cholesky_inverse(to: Target<'_>, triangle: &RawTensor, upper: bool) -> Result<RawTensor> {
    check_square("cholesky_inverse", triangle)?;
    check_lapack("cholesky_inverse_out_cpu", triangle.dtype())?;
    let right = ones(triangle, size_of(triangle)[0])?.expand(&signed(triangle.sizes()))?;
    cholesky_solve(to, &right, triangle, upper)
}

/// PyTorch's `triangular_solve`, which gives the matrices, too.
pub(super) fn triangular_solve(
    right: &RawTensor,
    matrix: &RawTensor,
    upper: bool,
    turned: bool,
    ones: bool,
) -> Result<(RawTensor, RawTensor)> {
    for (tensor, which) in [(right, "b"), (matrix, "A")] {
        if tensor.rank() < 2 {
            let rank = tensor.rank();
            return Err(Error::runtime(format!(
                "torch.triangular_solve: Expected {which} to have at least 2 dimensions, but it has {rank} dimensions instead"
            )));
        }
    }
    check_system("triangular_solve", matrix, right)?;
    let batch = crate::geometry::broadcast::broadcast_shapes(&[&matrix.sizes()[..matrix.rank() - 2], &right.sizes()[..right.rank() - 2]])?;
    let all = [&batch[..], &size_of(matrix)].concat();
    let wide = Value::from(matrix).then(Function::Expand, &[CallArgument::Ints(&signed(&all))])?;
    let wide = wide.then(Function::Clone, &[crate::layout::MemoryFormat::Contiguous.into()])?.tensor()?;
    let used = if turned { one(Function::MT, &[(&wide).into()])? } else { wide.clone() };
    Ok((super::solving::solve_triangular(Target::New, &used, right, upper != turned, true, ones)?, wide))
}

/// That a dtype is one that LAPACK has functions for.
pub(super) fn check_lapack(kernel: &str, dtype: DType) -> Result<()> {
    if matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

/// A copy whose columns lie one behind the other, as LAPACK's do.
pub(super) fn by_columns(matrices: &RawTensor) -> Result<RawTensor> {
    let turned = one(Function::MT, &[matrices.into()])?;
    let turned = one(Function::Clone, &[(&turned).into(), crate::layout::MemoryFormat::Contiguous.into()])?;
    one(Function::MT, &[(&turned).into()])
}

/// PyTorch's `linalg.lstsq`: what comes nearest to right sides, multiplied by matrices; how far it is from them, how many dimensions count, and
/// the singular values, as far as the way that LAPACK would go finds them.
pub(super) fn lstsq(input: &RawTensor, right: &RawTensor, least: Option<f64>, driver: Option<&str>) -> Result<Vec<RawTensor>> {
    let refused = |text: &str| Err(Error::runtime(format!("torch.linalg.lstsq: {text}")));
    let driver = driver.unwrap_or("gelsy");
    if !["gels", "gelsy", "gelsd", "gelss"].contains(&driver) {
        return refused("parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
    }
    if input.rank() < 2 {
        return refused("input must have at least 2 dimensions.");
    }
    if right.rank() < 1 {
        return refused("other must have at least 1 dimension.");
    }
    if input.dtype() != right.dtype() {
        let (own, there) = (named(input), named(right));
        return refused(&format!("Expected input and other to have the same dtype, but got input's dtype {own} and other's dtype {there}"));
    }
    if !matches!(input.rank().checked_sub(right.rank()), Some(0 | 1)) {
        return refused("input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
    }
    let vectors = right.rank() == 1 || right.rank() + 1 == input.rank() && right.sizes() == &input.sizes()[..input.rank() - 1];
    let sides = if vectors { one(Function::Unsqueeze, &[right.into(), CallArgument::Int(-1)])? } else { right.clone() };
    let [rows, columns] = size_of(input);
    if size_of(&sides)[0] != rows {
        return refused(if vectors { "input.size(-2) should match other.size(-1)" } else { "input.size(-2) should match other.size(-2)" });
    }
    if least.is_none() {
        check_digits(input)?;
    }
    check_lapack("linalg_lstsq_cpu", input.dtype())?;
    let usual = crate::dtype::finfo(input.dtype().to_real())?.eps * rows.max(columns) as f64;
    let least = least.unwrap_or(usual);
    let (mut found, rank) = if let Some(found) = nearest(input, &sides, least)? {
        let full = Scalar::Int(rows.min(columns) as i64);
        (found, RawTensor::full(&input.sizes()[..input.rank() - 2], full, &options_of(input, DType::I64))?)
    } else {
        let (inverse, rank) = pinv_and_rank(Target::New, input, Least::of(None, Some(least), false))?;
        (matmul(&inverse, &sides)?, rank.tensor()?)
    };
    let nothing = |dtype: DType| RawTensor::zeros(&[0], &options_of(input, dtype));
    let real = input.dtype().to_real();
    let full = Value::from(&rank).reduced(Reduction::Amin, &Along::all()).and_then(|least| least.item());
    let complete = driver == "gels" || rank.numel() == 0 || full.is_ok_and(|least| least.to_f64() >= columns as f64);
    let mut rest = nothing(real)?;
    if rows > columns && driver != "gelsy" && complete {
        let off = unary(Op::Abs, &binary(Op::Sub, &matmul(input, &found)?.into(), &sides));
        rest = binary(Op::Mul, &off, off.clone()).reduced(Reduction::Sum, &Along::dims(&[-2]))?.tensor()?;
    }
    if vectors {
        found = one(Function::Select, &[(&found).into(), CallArgument::Int(-1), 0.into()])?;
    }
    let values = if matches!(driver, "gelsd" | "gelss") { one(Function::LinalgSvdvals, &[input.into()])? } else { nothing(real)? };
    // The values have no gradient: only what they come with has one.
    Ok(vec![found, rest, if driver == "gels" { nothing(DType::I64)? } else { rank }, values.detach()])
}

/// What comes nearest to right sides where no rank is lost, of as many matrices as there are sides; nothing where singular values have to say it.
fn nearest(input: &RawTensor, sides: &RawTensor, least: f64) -> Result<Option<RawTensor>> {
    let same = input.sizes()[..input.rank() - 2] == sides.sizes()[..sides.rank() - 2];
    let fits = same && input.numel() > 0 && sides.numel() > 0 && !input.is_meta() && !sides.is_meta();
    if fits && check_lapack("linalg_lstsq", input.dtype()).is_ok() { linalg::nearest(input, sides, least) } else { Ok(None) }
}

/// PyTorch's `linalg.matrix_exp`: a sum of powers of a small matrix, which is then squared as often as it was halved.
pub(super) fn matrix_exp(input: &RawTensor) -> Result<RawTensor> {
    let name = "linalg.matrix_exp";
    check_square(name, input)?;
    let (dtype, [rows, _]) = (input.dtype(), size_of(input));
    if dtype.is_integral() {
        let found = named(input);
        return Err(Error::not_implemented(format!("{name}: Expected a floating point or complex tensor as input. Got {found}")));
    }
    if input.numel() == 0 {
        return one(Function::Clone, &[input.into()]);
    }
    let wide = Value::from(input).cast(if dtype.is_complex() { DType::C128 } else { DType::F64 });
    let size = unary(Op::Abs, &Value::from(wide.tensor()?.detach())).reduced(Reduction::Sum, &Along::dims(&[-1]))?;
    let size = size.reduced(Reduction::Amax, &Along::all())?.known()?.map_or(0.0, |size| size.to_f64());
    let halvings = if size.is_finite() { (size * 2.0).log2().ceil().clamp(0.0, 1100.0) as i32 } else { 0 };
    let small = binary(Op::Mul, &wide, 0.5_f64.powi(halvings)).tensor()?;
    let unit = Value::from(ones(&small, rows)?);
    let mut sum = unit.tensor()?.expand(&signed(input.sizes()))?;
    for step in (1..=18).rev() {
        sum = binary(Op::Add, &binary(Op::Mul, &matmul(&small, &sum)?.into(), 1.0 / f64::from(step)), &unit).tensor()?;
    }
    for _ in 0..halvings {
        sum = matmul(&sum, &sum)?;
    }
    Value::from(sum).cast(dtype).tensor()
}

/// PyTorch's `svd`: vectors as columns on both sides.
pub(super) fn svd(input: &RawTensor, some: bool, vectors: bool) -> Result<Vec<RawTensor>> {
    if input.rank() < 2 {
        let rank = input.rank();
        return Err(Error::runtime(format!("linalg.svd: input should have at least 2 dimensions, but has {rank} dimensions instead")));
    }
    if !vectors {
        let values = one(Function::LinalgSvdvals, &[input.into()])?;
        let square = |size: usize| {
            let sizes = [&input.sizes()[..input.rank() - 2], &[size, size]].concat();
            RawTensor::zeros(&sizes, &options_of(input, input.dtype()))
        };
        let [rows, columns] = size_of(input);
        return Ok(vec![square(rows)?, values, square(columns)?]);
    }
    let mut found = run(Call::new(Function::LinalgSvd, &[input.into(), CallArgument::Flag(!some)]))?.several()?;
    if let Some(right) = found.last_mut() {
        *right = adjoint(right)?;
    }
    Ok(found)
}

/// PyTorch's `linalg.eigvalsh`.
pub(super) fn eigvalsh(input: &RawTensor, uplo: &str) -> Result<RawTensor> {
    // Their gradient is made of the vectors.
    let found = match input.is_concerned() {
        true => run(Call::new(Function::LinalgEigh, &[input.into(), CallArgument::Text(uplo)]))?.several()?,
        false => symmetric(input, uplo, Vectors::None)?,
    };
    found.into_iter().next().ok_or_else(|| Error::runtime("a decomposition has values"))
}

/// PyTorch's `linalg.cond`: how much larger the largest change is that a matrix makes than the smallest.
pub(super) fn cond(input: &RawTensor, order: MatrixOrder<'_>) -> Result<RawTensor> {
    if let MatrixOrder::Named(name) = order {
        check_square(&format!("linalg.cond(ord={name})"), input)?;
    }
    if input.rank() < 2 {
        return Err(Error::runtime("linalg.cond: The input tensor must have at least 2 dimensions."));
    }
    let [rows, columns] = size_of(input);
    let shown = match order {
        MatrixOrder::Number(number) if number.abs() == 2.0 => {
            let values = Value::from(one(Function::LinalgSvdvals, &[input.into()])?);
            if rows.min(columns) == 0 || input.numel() == 0 {
                return RawTensor::zeros(&input.sizes()[..input.rank() - 2], &options_of(input, input.dtype().to_real()));
            }
            // The largest is the first.
            let end = |first: bool| {
                let at = if first { 0 } else { -1 };
                values.then(Function::Select, &[CallArgument::Int(-1), CallArgument::Int(at)])
            };
            return binary(Op::Div, &end(number > 0.0)?, end(number < 0.0)?).tensor();
        }
        MatrixOrder::Number(number) if number.abs() == 1.0 || number.is_infinite() => number.to_string(),
        MatrixOrder::Named(name @ ("fro" | "nuc")) => name.to_owned(),
        MatrixOrder::Named(name) => return Err(Error::value(format!("linalg.cond got an invalid norm type: {name}"))),
        MatrixOrder::Number(other) => return Err(Error::value(format!("linalg.cond got an invalid norm type: {other}"))),
    };
    if rows != columns {
        return Err(Error::runtime(format!(
            "linalg.cond(ord={shown}): A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )));
    }
    let norm = |matrices: &RawTensor| norms::matrix_norm(matrices, order, Some(&[-2, -1]), Keep::No, None);
    if shown == "nuc" {
        check("linalg.svd", input)?;
    }
    if input.numel() == 0 {
        return RawTensor::zeros(&input.sizes()[..input.rank() - 2], &options_of(input, input.dtype().to_real()));
    }
    let found = run(Call::new(Function::LinalgInvEx, &[input.into()]))?.several()?;
    let [inverse, infos] = &found[..] else { return Err(Error::runtime("an inverse and where there is none")) };
    let product = binary(Op::Mul, &norm(input)?.into(), norm(inverse)?);
    chosen(binary(Op::Gt, &infos.into(), 0), f64::INFINITY, product).tensor()
}
