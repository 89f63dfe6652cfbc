//! Decompositions of matrices and what is solved with them, as calls: what they take, and what they say of anything else.

use latten_spec::operation::Op;
use latten_spec::{DType, can_cast};

use super::curves::beside;
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, one, run};
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::linalg::{self, Vectors, Zeros};
use crate::raw::RawTensor;
use crate::views::signed;

/// That a tensor holds matrices of single or double precision.
pub(super) fn check(name: &str, input: &RawTensor) -> Result<()> {
    if input.rank() < 2 {
        return Err(Error::runtime(format!("{name}: The input tensor A must have at least 2 dimensions.")));
    }
    check_digits(name, input)
}

/// That numbers have single or double precision.
fn check_digits(name: &str, input: &RawTensor) -> Result<()> {
    let found = input.dtype().message_name();
    match input.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        // others: halves have no digits for it, and integers none behind the point.
        dtype if dtype.is_floating_point() || dtype.is_complex() => Err(match kernel_of(name) {
            Some(kernel) => unsupported(kernel, dtype),
            None => Error::not_implemented(format!("{name}: Low precision dtypes not supported. Got {found}")),
        }),
        // others: integers and truths, as below.
        dtype if ["linalg.eigh", "linalg.lu_factor", "linalg.solve_triangular"].contains(&name) => {
            Err(unsupported(kernel_of(name).unwrap_or(name), dtype))
        }
        // others: integers and truths.
        _ => Err(Error::not_implemented(format!("{name}: Expected a floating point or complex tensor as input. Got {found}"))),
    }
}

/// That a tensor holds matrices of numbers with digits behind the point.
pub(super) fn check_inexact(name: &str, input: &RawTensor) -> Result<()> {
    let is_inexact = input.dtype().is_floating_point() || input.dtype().is_complex();
    if is_inexact && input.rank() >= 2 { Ok(()) } else { check(name, input) }
}

/// What PyTorch finds out in a kernel of that name, and not before.
fn kernel_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "linalg.solve" | "linalg.det" | "linalg.lu_factor" | "linalg.lu" => "lu_cpu",
        "linalg.cholesky" => "cholesky_cpu",
        "linalg.svd" => "linalg_svd_cpu",
        "linalg.eigh" => "linalg_eigh_cpu",
        "linalg.eig" => "linalg_eig_out_cpu",
        "linalg.qr" => "geqrf_cpu",
        "linalg.solve_triangular" => "triangular_solve_cpu",
        _ => return None,
    })
}

/// That matrices have as many rows as columns.
pub(super) fn check_square(name: &str, input: &RawTensor) -> Result<()> {
    if input.rank() < 2 {
        return Err(Error::runtime(format!("{name}: The input tensor A must have at least 2 dimensions.")));
    }
    let (rows, columns) = (input.sizes()[input.rank() - 2], input.sizes()[input.rank() - 1]);
    if rows != columns {
        return Err(Error::runtime(format!("{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")));
    }
    Ok(())
}

/// Which matrix of several something is said of.
fn element(input: &RawTensor, at: usize) -> String {
    if input.rank() > 2 { format!("(Batch element {at}): ") } else { String::new() }
}

/// PyTorch's `linalg.svd`.
pub(super) fn svd(input: &RawTensor, full: bool) -> Result<Vec<RawTensor>> {
    check("linalg.svd", input)?;
    linalg::svd(input, if full { Vectors::All } else { Vectors::AsValues }).map(Vec::from)
}

/// PyTorch's `linalg.svdvals`.
pub(super) fn svdvals(input: &RawTensor) -> Result<RawTensor> {
    check("linalg.svd", input)?;
    let [_, values, _] = linalg::svd(input, Vectors::None)?;
    Ok(values)
}

/// PyTorch's `linalg.inv`, or what says in its own name that there is no inverse.
pub(super) fn inv(to: Target<'_>, input: &RawTensor) -> Result<RawTensor> {
    check_square("linalg.inv", input)?;
    check("linalg.inv", input)?;
    let [found, places] = linalg::inverses(to.offer().beside([input]), input, Zeros::Refused)?;
    refuse(input, &places, Some(&no_inverse("linalg.inv")))?;
    Ok(found)
}

/// What is said of a matrix that has no inverse.
fn no_inverse(name: &str) -> impl Fn(&str, i32) -> String {
    move |which, place| {
        format!(
            "{name}: {which}The diagonal element {place} is zero, the inversion could not be completed because the input matrix is singular."
        )
    }
}

/// The sizes of a system of equations, where its sides go together: whether the right side holds vectors, and both as matrices.
fn system(name: &str, left: &RawTensor, right: &RawTensor, on_left: bool) -> Result<(bool, RawTensor, RawTensor)> {
    if name == "linalg.solve" && left.dtype().is_integral() {
        check_digits(name, left)?;
    }
    if name != "linalg.solve" {
        check_square(name, left)?;
    }
    if left.dtype() != right.dtype() {
        let (own, there) = (left.dtype().message_name(), right.dtype().message_name());
        return Err(Error::runtime(format!(
            "{name}: Expected A and B to have the same dtype, but found A of type {own} and B of type {there} instead"
        )));
    }
    check_square(name, left)?;
    let outer = &left.sizes()[..left.rank() - 1];
    let vectors = name == "linalg.solve" && (right.rank() == 1 || right.rank() + 1 == left.rank() && right.sizes() == outer);
    if right.rank() < 2 && !vectors {
        return Err(Error::runtime(format!("{name}: The input tensor B must have at least 2 dimensions.")));
    }
    let right = if vectors { one(Function::Unsqueeze, &[right.into(), CallArgument::Int(-1)])? } else { right.clone() };
    let (size, [rows, columns]) = (left.sizes()[left.rank() - 1], [right.sizes()[right.rank() - 2], right.sizes()[right.rank() - 1]]);
    let fits = if on_left { rows } else { columns };
    if fits != size {
        let equation = if on_left { "AX = B" } else { "XA = B" };
        return Err(Error::runtime(format!(
            "{name}: Incompatible shapes of A and B for the equation {equation} ({size}x{size} and {rows}x{columns})"
        )));
    }
    check(name, left)?;
    let batches = [&left.sizes()[..left.rank() - 2], &right.sizes()[..right.rank() - 2]];
    let batch = crate::geometry::broadcast::broadcast_shapes(&batches)?;
    let wide = |tensor: &RawTensor| {
        let sizes = [&batch[..], &tensor.sizes()[tensor.rank() - 2..]].concat();
        one(Function::Expand, &[tensor.into(), CallArgument::Ints(&signed(&sizes))])
    };
    Ok((vectors, wide(left)?, wide(&right)?))
}

/// PyTorch's `linalg.solve`.
pub(super) fn solve(to: Target<'_>, left: &RawTensor, right: &RawTensor, on_left: bool, refuses: bool) -> Result<RawTensor> {
    solved(to, "linalg.solve", left, right, on_left, refuses)
}

/// The same in the name of an operation; only that of PyTorch's `linalg.solve` takes vectors.
pub(super) fn solved(to: Target<'_>, name: &str, left: &RawTensor, right: &RawTensor, on_left: bool, refuses: bool) -> Result<RawTensor> {
    let (vectors, left, right) = system(name, left, right, on_left)?;
    let turned = |tensor: &RawTensor| one(Function::MT, &[tensor.into()]);
    if !on_left {
        let room = to.seen_as(right.sizes(), turned);
        let (left, right) = (turned(&left)?, turned(&right)?);
        let arguments = [(&left).into(), (&right).into(), refuses.into()];
        return turned(&Target::offering(room.as_ref()).last(Function::LinalgSolveLeft, &arguments)?);
    }
    let arguments = [(&left).into(), (&right).into(), refuses.into()];
    if !vectors {
        return to.last(Function::LinalgSolveLeft, &arguments);
    }
    let room = to.seen_as(&right.sizes()[..right.rank() - 1], |out| out.unsqueeze(-1));
    let found = Target::offering(room.as_ref()).last(Function::LinalgSolveLeft, &arguments)?;
    one(Function::Select, &[(&found).into(), CallArgument::Int(-1), 0.into()])
}

/// The same of matrices that go together already; where nothing is refused, with infinities and NaNs.
pub(super) fn solve_left(to: Target<'_>, left: &RawTensor, right: &RawTensor, refuses: bool) -> Result<RawTensor> {
    let refused = |which: &str, _: i32| format!("torch.linalg.solve: {which}The solver failed because the input matrix is singular.");
    check("linalg.solve", left)?;
    // Called by name they may not go together yet.
    let rows = left.rank() - 1;
    let go_together = left.dtype() == right.dtype()
        && left.sizes()[rows] == left.sizes()[rows - 1]
        && left.rank() == right.rank()
        && left.sizes()[..rows] == right.sizes()[..rows];
    if !go_together {
        let (_, left, right) = system("linalg.solve", left, right, true)?;
        return solve_left(to, &left, &right, refuses);
    }
    let zeros = if refuses { Zeros::Refused } else { Zeros::Taken };
    let [found, places] = linalg::solve(to, left, right, zeros)?;
    refuse(left, &places, if refuses { Some(&refused) } else { None })?;
    Ok(found)
}

/// What is said of a matrix and of the first place of its diagonal that is zero.
type Refusal<'a> = dyn Fn(&str, i32) -> String + 'a;

/// The first place of each diagonal of triangular factors that is zero; where one isn't 0 that is refused, with what is said of the first.
fn places(input: &RawTensor, refused: Option<&Refusal<'_>>) -> Result<RawTensor> {
    let [_, _, infos] = linalg::triangular(&input.detach())?;
    refuse(input, &infos, refused)?;
    Ok(infos)
}

/// That no place is known, or what is said of the first one.
pub(super) fn refuse(input: &RawTensor, infos: &RawTensor, refused: Option<&Refusal<'_>>) -> Result<()> {
    let Some(refused) = refused.filter(|_| !infos.is_meta()) else { return Ok(()) };
    let numbers = infos.numbers::<i32>()?;
    match numbers.iter().position(|&info| info > 0) {
        Some(at) => Err(Error::runtime(refused(&element(input, at), numbers[at]))),
        None => Ok(()),
    }
}

/// PyTorch's `linalg.inv_ex`: an inverse, or infinities and NaNs, and where the triangular factors have the first zero.
pub(super) fn inv_ex(input: &RawTensor, refuses: bool) -> Result<(RawTensor, RawTensor)> {
    check_square("linalg.inv", input)?;
    check("linalg.inv", input)?;
    let refused = no_inverse("linalg.inv_ex");
    let refused: Option<&Refusal<'_>> = if refuses { Some(&refused) } else { None };
    if !input.is_concerned() {
        let zeros = if refuses { Zeros::Refused } else { Zeros::Taken };
        let [found, infos] = linalg::inverses(Target::New, input, zeros)?;
        refuse(input, &infos, refused)?;
        return Ok((found, infos));
    }
    let infos = places(input, refused)?;
    let found = one(Function::LinalgSolveLeft, &[input.into(), (&ones_like(input)?).into(), false.into()])?;
    Ok((found, infos))
}

/// Matrices with ones on the diagonal, as many as those.
fn ones_like(input: &RawTensor) -> Result<RawTensor> {
    let size = input.sizes()[input.rank() - 1];
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    RawTensor::eye(size, size, &options)?.expand(&signed(input.sizes()))
}

/// PyTorch's `linalg.solve_ex`.
pub(super) fn solve_ex(left: &RawTensor, right: &RawTensor, on_left: bool, refuses: bool) -> Result<(RawTensor, RawTensor)> {
    let found = solve(Target::New, left, right, on_left, false)?;
    let refused = |which: &str, _: i32| format!("torch.linalg.solve_ex: {which}The solver failed because the input matrix is singular.");
    let infos = places(left, refuses.then_some(&refused))?;
    Ok((found, infos))
}

/// That a tensor holds matrices, as PyTorch says of triangular factors.
pub(super) fn check_matrices(name: &str, input: &RawTensor) -> Result<()> {
    if input.rank() >= 2 {
        return Ok(());
    }
    Err(Error::runtime(format!("{name}: Expected tensor with 2 or more dimensions. Got size: {:?} instead", input.sizes())))
}

/// PyTorch's `linalg.lu_factor_ex`: triangular factors in one matrix, which rows change places, and where the first zero is on the diagonal.
pub(super) fn lu_factor_ex(input: &RawTensor, pivot: bool, refuses: bool) -> Result<Vec<RawTensor>> {
    check_matrices("torch.lu_factor", input)?;
    check("linalg.lu_factor", input)?;
    if !pivot {
        return Err(Error::runtime("linalg.lu_factor: LU without pivoting is not implemented on the CPU"));
    }
    let found = linalg::triangular(input)?;
    if refuses {
        refuse_zeros("lu_factor_ex", input, &found[2])?;
    }
    Ok(found.into())
}

/// That no triangular factor has a zero on its diagonal.
pub(super) fn refuse_zeros(name: &str, input: &RawTensor, infos: &RawTensor) -> Result<()> {
    let refused = |which: &str, place: i32| {
        format!(
            "torch.linalg.{name}: {which}U[{place},{place}] is zero and using it on lu_solve would result in a division by zero. If you still \
             want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    };
    refuse(input, infos, Some(&refused))
}

/// PyTorch's `linalg.det`.
pub(super) fn det(input: &RawTensor) -> Result<RawTensor> {
    check_square("linalg.det", input)?;
    check("linalg.det", input)?;
    linalg::determinants(input)
}

/// PyTorch's `linalg.slogdet`.
pub(super) fn slogdet(input: &RawTensor) -> Result<Vec<RawTensor>> {
    check_square("linalg.slogdet", input)?;
    check("linalg.slogdet", input)?;
    linalg::logarithms_of_determinants(input).map(Vec::from)
}

/// PyTorch's `logdet`.
pub(super) fn logdet(input: &RawTensor) -> Result<RawTensor> {
    check_square("logdet", input)?;
    check("logdet", input)?;
    let found = run(Call::new(Function::LinalgSlogdet, &[input.into()]))?.several()?;
    let [sign, size] = &found[..] else { return Err(Error::runtime("a determinant has a sign and a size")) };
    let sign = Value::from(sign);
    if input.dtype().is_complex() {
        return binary(Op::Add, &unary(Op::Log, &sign), size).tensor();
    }
    // The logarithm of a negative number is none.
    super::curves::chosen(binary(Op::Eq, &sign, -1.0), f64::NAN, size).tensor()
}

/// PyTorch's `linalg.cholesky`, and `linalg.cholesky_ex`, which says where there is none.
pub(super) fn cholesky(to: Target<'_>, name: &str, input: &RawTensor, upper: bool, refuses: bool) -> Result<(RawTensor, RawTensor)> {
    check_square("linalg.cholesky", input)?;
    check("linalg.cholesky", input)?;
    let turned = |to: Target<'_>, tensor: &RawTensor| unary(Op::Conj, &Value::from(tensor).then(Function::MT, &[])?).tensor_to(to);
    let zeros = if refuses { Zeros::Refused } else { Zeros::Taken };
    let [lower, infos] = match upper {
        true => linalg::cholesky(Target::New, &turned(Target::New, input)?, zeros)?,
        false => linalg::cholesky(to.offer().beside([input]), input, zeros)?,
    };
    let refused = |which: &str, minor: i32| {
        format!(
            "{name}: {which}The factorization could not be completed because the input is not positive-definite (the leading minor of order \
             {minor} is not positive-definite)."
        )
    };
    refuse(input, &infos, if refuses { Some(&refused) } else { None })?;
    Ok((if upper { turned(to, &lower)? } else { lower }, infos))
}

/// PyTorch's `linalg.qr`.
pub(super) fn qr(input: &RawTensor, mode: &str) -> Result<Vec<RawTensor>> {
    check("linalg.qr", input)?;
    let [left, right] = match mode {
        "reduced" | "r" => linalg::qr(input, false)?,
        "complete" => linalg::qr(input, true)?,
        other => {
            return Err(Error::runtime(format!(
                "qr received unrecognized mode '{other}' but expected one of 'reduced' (default), 'r', or 'complete'"
            )));
        }
    };
    if mode == "r" {
        let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
        return Ok(vec![RawTensor::zeros(&[0], &options)?, right]);
    }
    Ok(vec![left, right])
}

fn half(uplo: &str) -> Result<bool> {
    match uplo {
        "L" | "l" => Ok(false),
        "U" | "u" => Ok(true),
        other => Err(Error::runtime(format!("Expected UPLO argument to be 'L' or 'U', but got {other}"))),
    }
}

/// PyTorch's `linalg.eigh`.
pub(super) fn eigh(input: &RawTensor, uplo: &str) -> Result<Vec<RawTensor>> {
    symmetric(input, uplo, Vectors::AsValues)
}

/// The same with the vectors that are asked for.
pub(super) fn symmetric(input: &RawTensor, uplo: &str, wanted: Vectors) -> Result<Vec<RawTensor>> {
    check_square("linalg.eigh", input)?;
    check("linalg.eigh", input)?;
    linalg::eigh(input, half(uplo)?, wanted).map(Vec::from)
}

/// That matrices have eigenvalues, of which PyTorch looks at the dtype first.
fn check_eigen(name: &str, input: &RawTensor) -> Result<()> {
    if input.dtype().is_integral() {
        return Err(Error::runtime(format!("Unknown Complex ScalarType for {}", input.dtype().message_name())));
    }
    check_square(name, input)?;
    check("linalg.eig", input)
}

/// PyTorch's `linalg.eig`.
pub(super) fn eig(input: &RawTensor) -> Result<Vec<RawTensor>> {
    check_eigen("linalg.eig", input)?;
    if !unary(Op::Isfinite, &input.into()).everywhere()? {
        return Err(Error::runtime("torch.linalg.eig: input tensor should not contain infs or NaNs."));
    }
    match linalg::eig(input)? {
        Ok(found) => Ok(Vec::from(found)),
        Err(matrix) => Err(Error::runtime(format!(
            "linalg.eig: (Batch element {matrix}): The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues."
        ))),
    }
}

/// PyTorch's `linalg.eigvals`.
pub(super) fn eigvals(input: &RawTensor) -> Result<RawTensor> {
    check_eigen("linalg.eigvals", input)?;
    eig(input)?.into_iter().next().ok_or_else(|| Error::runtime("a decomposition has two parts"))
}

/// PyTorch's `linalg.matrix_power` where a target says.
pub(super) fn power_to(to: Target<'_>, input: &RawTensor, power: isize) -> Result<RawTensor> {
    let found = matrix_power(to, input, power)?;
    check_castable(to, "matrix_power", &found)?;
    // What a product or an inverse is written into has to have its dtype; other results are copied.
    let copied = power == 0 || power == 1 || (power.unsigned_abs() > 2 && power.unsigned_abs().is_power_of_two());
    if !copied {
        crate::outputs::check_dtype(to, found.dtype())?;
    }
    to.take(found)
}

/// What was found, in an output of a dtype that it can be cast to.
pub(super) fn castable(to: Target<'_>, name: &str, found: RawTensor) -> Result<RawTensor> {
    check_castable(to, name, &found)?;
    to.take(found)
}

fn check_castable(to: Target<'_>, name: &str, found: &RawTensor) -> Result<()> {
    match to.tensor().filter(|out| !can_cast(found.dtype(), out.dtype())) {
        Some(out) => {
            let (own, there) = (found.dtype().message_name(), out.dtype().message_name());
            Err(Error::runtime(format!(
                "{name}: Expected result to be safely castable from {own} dtype, but got result with dtype {there}"
            )))
        }
        None => Ok(()),
    }
}

/// Matrices that LAPACK would have computed, in an output of their dtype.
pub(super) fn columns_as_computed(to: Target<'_>, found: RawTensor) -> Result<RawTensor> {
    crate::outputs::check_dtype(to, found.dtype())?;
    to.take_columns(found)
}

/// The same, where another dtype is refused in these words: what it has, and what it should have.
pub(super) fn columns_computed_as(to: Target<'_>, found: RawTensor, refused: impl FnOnce(&str, &str) -> String) -> Result<RawTensor> {
    crate::outputs::check_dtype_as(to, found.dtype(), refused)?;
    to.take_columns(found)
}

/// The same, in an output of a dtype that theirs can be cast to.
pub(super) fn castable_columns(to: Target<'_>, name: &str, found: RawTensor) -> Result<RawTensor> {
    let is_fit = to.tensor().is_none_or(|out| can_cast(found.dtype(), out.dtype()));
    if is_fit { to.take_columns(found) } else { castable(to, name, found) }
}

/// PyTorch's `linalg.matrix_power`.
fn matrix_power(to: Target<'_>, input: &RawTensor, power: isize) -> Result<RawTensor> {
    check_square("linalg.matrix_power", input)?;
    if power == 0 {
        return beside(one(Function::Clone, &[(&ones_like(input)?).into(), crate::layout::MemoryFormat::Contiguous.into()])?, input)
            .tensor_to(to);
    }
    let mut square = if power < 0 { one(Function::LinalgInv, &[input.into()])? } else { input.clone() };
    let mut rest = power.unsigned_abs();
    let times = |to: Target<'_>, left: &RawTensor, right: &RawTensor| to.last(Function::Matmul, &[left.into(), right.into()]);
    if rest == 1 && power > 0 {
        return to.last(Function::Clone, &[input.into()]);
    }
    let mut found: Option<RawTensor> = None;
    while rest > 0 {
        if rest % 2 == 1 {
            found = Some(match found {
                Some(found) => times(if rest == 1 { to } else { Target::New }, &found, &square)?,
                None => square.clone(),
            });
        }
        rest /= 2;
        if rest > 0 {
            // A power of two ends with a square.
            square = times(if rest == 1 && found.is_none() { to } else { Target::New }, &square, &square)?;
        }
    }
    found.ok_or_else(|| Error::runtime("a power of a matrix is made of it"))
}
