//! What is made of decompositions: inverses of any matrices, ranks, condition, triangular systems, and systems over several dimensions.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, decompositions, one, run};
use crate::dtype::finfo;
use crate::elementwise::{RawOperand, Target};
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::views::signed;

/// How small a singular value counts as none.
#[derive(Clone, Copy)]
pub(super) struct Least<'a> {
    absolute: Option<RawOperand<'a>>,
    relative: Option<RawOperand<'a>>,
    hermitian: bool,
}

impl<'a> Least<'a> {
    /// The same for all matrices.
    pub(super) fn of(absolute: Option<f64>, relative: Option<f64>, hermitian: bool) -> Self {
        Self { absolute: absolute.map(RawOperand::from), relative: relative.map(RawOperand::from), hermitian }
    }

    /// One for each matrix.
    pub(super) fn by(absolute: Option<&'a RawTensor>, relative: Option<&'a RawTensor>, hermitian: bool) -> Self {
        Self { absolute: absolute.map(RawOperand::from), relative: relative.map(RawOperand::from), hermitian }
    }

    /// The bound for each matrix, beside its values.
    fn bound(&self, name: &str, input: &RawTensor, values: &Value) -> Result<Value> {
        let [absolute, relative] = [("atol", self.absolute), ("rtol", self.relative)].map(|(bound, given)| beside(name, bound, given));
        let absolute = absolute?.unwrap_or(Value::from(0.0));
        let (rows, columns) = (input.sizes()[input.rank() - 2], input.sizes()[input.rank() - 1]);
        let usual = finfo(input.dtype().to_real())?.eps * rows.max(columns) as f64;
        let relative = match relative? {
            Some(relative) => relative,
            None => chosen(binary(Op::Gt, &absolute, 0.0), 0.0, usual),
        };
        let none = values.tensor()?.sizes().last() == Some(&0);
        let fold = if none { Reduction::Sum } else { Reduction::Amax };
        let most = values.reduced(fold, &Along::dims(&[-1]).keep(Keep::Yes))?;
        Ok(binary(Op::ClampMin, &binary(Op::Mul, &most, relative), absolute))
    }
}

/// A bound as it stands beside the values of each matrix.
fn beside(name: &str, bound: &str, given: Option<RawOperand<'_>>) -> Result<Option<Value>> {
    match given {
        None => Ok(None),
        Some(RawOperand::Scalar(number)) => Ok(Some(Value::Number(number))),
        Some(RawOperand::Tensor(tensor)) if tensor.dtype().is_complex() => {
            let dtype = tensor.dtype().message_name();
            Err(Error::runtime(format!("{name}: {bound} tensor of complex type is not supported. Got {dtype}")))
        }
        Some(RawOperand::Tensor(tensor)) => Value::from(tensor).then(Function::Unsqueeze, &[CallArgument::Int(-1)]).map(Some),
    }
}

/// The factors of a matrix: what stands before and behind its values.
fn factors(input: &RawTensor, hermitian: bool) -> Result<[RawTensor; 3]> {
    let found = if hermitian {
        let found = run(Call::new(Function::LinalgEigh, &[input.into()]))?.several()?;
        let [values, vectors] = &found[..] else { return Err(Error::runtime("a decomposition has values and vectors")) };
        vec![vectors.clone(), values.clone(), one(Function::MH, &[vectors.into()])?]
    } else {
        run(Call::new(Function::LinalgSvd, &[input.into(), false.into()]))?.several()?
    };
    <[RawTensor; 3]>::try_from(found).map_err(|_| Error::runtime("a decomposition has three factors"))
}

fn check_matrices(text: &str, input: &RawTensor) -> Result<()> {
    if input.rank() < 2 { Err(Error::runtime(text)) } else { Ok(()) }
}

/// PyTorch's `linalg.pinv`: the inverse as far as there is one.
pub(super) fn pinv(to: Target<'_>, input: &RawTensor, least: Least<'_>) -> Result<RawTensor> {
    let single = matches!(input.dtype(), DType::F32 | DType::F64 | DType::C64 | DType::C128);
    if input.rank() < 2 || !single {
        let (dtype, sizes) = (input.dtype().message_name(), input.sizes());
        return Err(Error::runtime(format!(
            "linalg.pinv({dtype}{{{sizes:?}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types"
        )));
    }
    pinv_and_rank(to, input, least).map(|(inverse, _)| inverse)
}

/// The same, and how many values aren't none, by the same factors.
pub(super) fn pinv_and_rank(to: Target<'_>, input: &RawTensor, least: Least<'_>) -> Result<(RawTensor, Value)> {
    if input.numel() == 0 {
        let turned = one(Function::MT, &[input.into()])?;
        return Ok((one(Function::ZerosLike, &[(&turned).into()])?, matrix_rank(input, least)?.into()));
    }
    let [left, values, right] = factors(input, least.hermitian)?;
    let size = unary(Op::Abs, &(&values).into());
    let counts = binary(Op::Gt, &size, least.bound("torch.linalg.pinv", input, &size)?);
    let inverse = chosen(counts.clone(), unary(Op::Reciprocal, &(&values).into()), 0.0).tensor()?;
    let inverse = Value::from(inverse).then(Function::Unsqueeze, &[CallArgument::Int(-2)])?;
    let behind = one(Function::MH, &[(&right).into()])?;
    let scaled = binary(Op::Mul, &(&behind).into(), inverse).tensor()?;
    let (rank, ahead) = (counts.reduced(Reduction::Sum, &Along::dims(&[-1]))?, one(Function::MH, &[(&left).into()])?);
    Ok((to.last(Function::Matmul, &[(&scaled).into(), (&ahead).into()])?, rank))
}

/// That there is a least number beside one of a dtype, as PyTorch says where none is given.
pub(super) fn check_digits(input: &RawTensor) -> Result<()> {
    match input.dtype() {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        // others: halves, integers and truths.
        _ => Err(Error::runtime("This function doesn't handle types other than float and double")),
    }
}

/// PyTorch's `linalg.matrix_rank`: how many singular values aren't none.
pub(super) fn matrix_rank(input: &RawTensor, least: Least<'_>) -> Result<RawTensor> {
    check_matrices("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.", input)?;
    if least.relative.is_none() {
        check_digits(input)?;
    }
    let of = if least.hermitian { Function::LinalgEigvalsh } else { Function::LinalgSvdvals };
    let values = one(of, &[(&input.detach()).into()])?;
    let size = unary(Op::Abs, &(&values).into());
    binary(Op::Gt, &size, least.bound("torch.linalg.matrix_rank", input, &size)?).reduced(Reduction::Sum, &Along::dims(&[-1]))?.tensor()
}

/// PyTorch's `linalg.solve_triangular`.
pub(super) fn solve_triangular(
    to: Target<'_>,
    matrix: &RawTensor,
    right: &RawTensor,
    upper: bool,
    on_left: bool,
    ones: bool,
) -> Result<RawTensor> {
    let name = "linalg.solve_triangular";
    decompositions::check_square(name, matrix)?;
    check_matrices(&format!("{name}: The input tensor B must have at least 2 dimensions."), right)?;
    let size = matrix.sizes()[matrix.rank() - 1];
    let [rows, columns] = [right.sizes()[right.rank() - 2], right.sizes()[right.rank() - 1]];
    if (if on_left { rows } else { columns }) != size {
        let equation = if on_left { "AX = B" } else { "XA = B" };
        return Err(Error::runtime(format!(
            "{name}: Incompatible shapes of A and B for the equation {equation} ({size}x{size} and {rows}x{columns})"
        )));
    }
    let half = if upper { Function::Triu } else { Function::Tril };
    let beside = if upper { 1 } else { -1 };
    let mut own = one(half, &[matrix.into(), CallArgument::Int(if ones { beside } else { 0 })])?;
    if ones {
        let diagonal = run(Call::new(Function::Eye, &[size.cast_signed().into(), own.dtype().into()]))?.one()?.to_device(own.device())?;
        own = binary(Op::Add, &own.into(), diagonal).tensor()?;
    }
    // A zero on the diagonal is divided by.
    decompositions::solved(to, name, &own, right, on_left, false)
}

/// The product of sizes.
fn product(sizes: &[usize]) -> usize {
    sizes.iter().product()
}

/// PyTorch's `linalg.tensorinv`.
pub(super) fn tensorinv(to: Target<'_>, input: &RawTensor, index: isize) -> Result<RawTensor> {
    let Some(at) = usize::try_from(index).ok().filter(|&at| at > 0) else {
        return Err(Error::runtime(format!("Expected a strictly positive integer for 'ind', but got {index}")));
    };
    if input.rank() < at {
        return Err(Error::runtime(format!("ArrayRef: invalid slice, N = {at}; size = {}", input.rank())));
    }
    let (first, second) = input.sizes().split_at(at);
    let (own, there) = (product(first), product(second));
    if own != there {
        return Err(Error::runtime(format!(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {there} != {own}"
        )));
    }
    let (square, sizes) = (signed(&[own, there]), [second, first].concat());
    let matrix = one(Function::Reshape, &[input.into(), CallArgument::Ints(&square)])?;
    let room = to.seen_as(&sizes, |out| out.view(&square));
    let inverse = Target::offering(room.as_ref()).last(Function::LinalgInv, &[(&matrix).into()])?;
    one(Function::Reshape, &[(&inverse).into(), CallArgument::Ints(&signed(&sizes))])
}

/// PyTorch's `linalg.tensorsolve`.
pub(super) fn tensorsolve(input: &RawTensor, other: &RawTensor, dims: Option<&[isize]>) -> Result<RawTensor> {
    let mut matrix = input.clone();
    if let Some(dims) = dims {
        let last: Vec<isize> = (0..dims.len()).map(|at| at.cast_signed() - dims.len().cast_signed()).collect();
        matrix = one(Function::Movedim, &[input.into(), CallArgument::Ints(dims), CallArgument::Ints(&last)])?;
    }
    let (_, rest) = matrix.sizes().split_at(other.rank().min(matrix.rank()));
    let (own, there) = (other.numel(), product(rest));
    if own != there {
        return Err(Error::runtime(format!(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got {there} != {own}"
        )));
    }
    let rest = signed(rest);
    let square = Value::from(&matrix).then(Function::Reshape, &[CallArgument::Ints(&signed(&[own, there]))])?.tensor()?;
    let right = one(Function::Reshape, &[other.into(), CallArgument::Ints(&[-1])])?;
    let found = run(Call::new(Function::LinalgSolve, &[(&square).into(), (&right).into()]))?.one()?;
    one(Function::Reshape, &[(&found).into(), CallArgument::Ints(&rest)])
}
