//! Norms of vectors and of matrices, declared in terms of other calls.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::decompositions::{check, check_inexact};
use super::value::Value;
use super::{CallArgument, Function};
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep, check_norm_dtype};
use crate::scalar::Scalar;

/// Which norm of a matrix: `1`, `2`, their negatives and infinities, or `"fro"` and `"nuc"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixOrder<'a> {
    /// Of sums of rows or columns, or of singular values.
    Number(f64),
    /// The root of the sum of squares, or the sum of the singular values.
    Named(&'a str),
}

macro_rules! orders {
    ($($number:ty)+) => { $(
        impl From<$number> for MatrixOrder<'_> {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )+ };
}

orders!(i32 f32 f64);

impl<'a> From<&'a str> for MatrixOrder<'a> {
    fn from(name: &'a str) -> Self {
        Self::Named(name)
    }
}

fn vector_norm(to: Target<'_>, x: &Value, p: f64, dims: Option<&[isize]>, keep: Keep, dtype: Option<DType>) -> Result<RawTensor> {
    let mut along = dims.map_or_else(Along::all, Along::dims).keep(keep).parameter(p);
    if let Some(dtype) = dtype {
        along = along.dtype(dtype);
    }
    x.reduced_to(to, Reduction::Norm, &along)
}

/// PyTorch's `norm` of a name: Frobenius' of whatever dimensions, or a matrix's.
pub(super) fn named(
    to: Target<'_>,
    input: &RawTensor,
    p: &str,
    dims: Option<&[isize]>,
    keep: Keep,
    dtype: Option<DType>,
) -> Result<RawTensor> {
    if p == "fro" && dims.is_none_or(|dims| dims.len() <= 2) {
        return vector_norm(to, &Value::from(input), 2.0, dims, keep, dtype);
    }
    let all: Vec<isize> = (0..input.rank().cast_signed()).collect();
    matrix_norm(input, MatrixOrder::Named(p), Some(dims.unwrap_or(&all)), keep, dtype)
}

/// PyTorch's `linalg.matrix_norm`.
pub(super) fn matrix_norm(
    input: &RawTensor,
    order: MatrixOrder<'_>,
    dims: Option<&[isize]>,
    keep: Keep,
    dtype: Option<DType>,
) -> Result<RawTensor> {
    let refused = |text: String| Err(Error::runtime(format!("linalg.matrix_norm: {text}")));
    let by_values = matches!(order, MatrixOrder::Named("nuc")) || matches!(order, MatrixOrder::Number(number) if number.abs() == 2.0);
    match order {
        MatrixOrder::Named(name) if !["fro", "nuc"].contains(&name) => return refused(format!("Order {name} not supported.")),
        MatrixOrder::Number(number) if !by_values && number.abs() != 1.0 && !number.is_infinite() => {
            return refused(format!("Order {} not supported.", written(number)));
        }
        _ => {}
    }
    if by_values {
        check("linalg.matrix_norm", input)?;
    } else {
        check_inexact("linalg.matrix_norm", input)?;
    }
    let dims = dims.unwrap_or(&[-2, -1]);
    let &[rows, columns] = dims else {
        let dims = dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        return refused(format!("dim must be a 2-tuple. Got {dims}"));
    };
    let (first, second) = (wrap_dim(rows, input.rank())?, wrap_dim(columns, input.rank())?);
    if first == second {
        return refused(format!("dims must be different. Got ({rows}, {columns})"));
    }
    if let Some(dtype) = dtype {
        check_norm_dtype("linalg.matrix_norm", input.dtype(), dtype)?;
    }
    let x = Value::from(input);
    match order {
        MatrixOrder::Named("fro") => vector_norm(Target::New, &x, 2.0, Some(dims), keep, dtype),
        MatrixOrder::Named(_) => of_singular_values(&x, Reduction::Sum, [first, second], keep, dtype),
        MatrixOrder::Number(2.0) => of_singular_values(&x, Reduction::Amax, [first, second], keep, dtype),
        MatrixOrder::Number(-2.0) => of_singular_values(&x, Reduction::Amin, [first, second], keep, dtype),
        MatrixOrder::Number(number) => {
            let (summed, picked) = if number.is_infinite() { (second, first) } else { (first, second) };
            let sums = vector_norm(Target::New, &x, 1.0, Some(&[summed.cast_signed()]), Keep::Yes, dtype)?;
            let extreme = if number > 0.0 { Reduction::Amax } else { Reduction::Amin };
            let size = input.sizes()[picked];
            if size == 0 && number > 0.0 {
                // The largest of no sums of what can't be negative.
                return vector_norm(Target::New, &Value::from(sums), 1.0, Some(dims), keep, None);
            }
            let found = Value::from(sums).reduced(extreme, &Along::dims(&[picked.cast_signed()]).keep(Keep::Yes))?;
            without(&found, [first, second], keep)
        }
    }
}

/// A number as C++ writes it.
fn written(number: f64) -> String {
    format!("{number}")
}

/// What is left without the dimensions of matrices, unless they stay.
fn without(found: &Value, dims: [usize; 2], keep: Keep) -> Result<RawTensor> {
    if keep == Keep::Yes {
        return found.tensor();
    }
    found.then(Function::SqueezeDims, &[CallArgument::Ints(&dims.map(usize::cast_signed))])?.tensor()
}

fn of_singular_values(x: &Value, fold: Reduction, dims: [usize; 2], keep: Keep, dtype: Option<DType>) -> Result<RawTensor> {
    let x = dtype.map_or_else(|| x.clone(), |dtype| x.cast(dtype));
    let order = dims.map(usize::cast_signed);
    let last = x.then(Function::Movedim, &[CallArgument::Ints(&order), CallArgument::Ints(&[-2, -1])])?;
    let values = last.then(Function::LinalgSvdvals, &[])?;
    // Of no singular values the largest is zero.
    let none = fold == Reduction::Amax && values.tensor()?.sizes().last() == Some(&0);
    let found = values.reduced(if none { Reduction::Sum } else { fold }, &Along::dims(&[-1]))?;
    if keep == Keep::No {
        return found.tensor();
    }
    let mut found = found;
    for dim in [dims[0].min(dims[1]), dims[0].max(dims[1])] {
        found = found.then(Function::Unsqueeze, &[dim.cast_signed().into()])?;
    }
    found.tensor()
}

/// That the order of a norm of vectors or matrices is a real number.
pub(super) fn order(of: &str, order: Scalar) -> Result<Scalar> {
    match order {
        Scalar::Complex(_) => Err(Error::runtime(format!("linalg.{of}_norm: Expected a non-complex scalar as the order of norm."))),
        real => Ok(real),
    }
}

/// PyTorch's `linalg.norm`: of a matrix, where two dimensions and an order are given, or the tensor has two; else of vectors.
pub(super) fn norm(
    input: &RawTensor,
    order: Option<Scalar>,
    dims: Option<&[isize]>,
    keep: Keep,
    dtype: Option<DType>,
) -> Result<RawTensor> {
    check_dims(input, order.is_some(), dims)?;
    let of_matrix = dims.map_or(input.rank() == 2, |dims| dims.len() == 2);
    match order.map(|number| self::order(if of_matrix { "matrix" } else { "vector" }, number)).transpose()? {
        Some(order) if of_matrix => matrix_norm(input, MatrixOrder::Number(order.to_f64()), Some(dims.unwrap_or(&[0, 1])), keep, dtype),
        order => {
            if input.dtype().is_integral() {
                let found = input.dtype().message_name();
                return Err(Error::not_implemented(format!(
                    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {found}"
                )));
            }
            vector_norm(Target::New, &input.into(), order.map_or(2.0, Scalar::to_f64), dims, keep, dtype)
        }
    }
}

/// The same of an order with a name, which only matrices have.
pub(super) fn norm_named(input: &RawTensor, order: &str, dims: Option<&[isize]>, keep: Keep, dtype: Option<DType>) -> Result<RawTensor> {
    check_dims(input, true, dims)?;
    matrix_norm(input, MatrixOrder::Named(order), Some(dims.unwrap_or(&[0, 1])), keep, dtype)
}

fn check_dims(input: &RawTensor, ordered: bool, dims: Option<&[isize]>) -> Result<()> {
    let rank = input.rank();
    match dims {
        Some(dims) if !matches!(dims.len(), 1 | 2) => {
            Err(Error::runtime(format!("linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims:?}")))
        }
        None if ordered && !matches!(rank, 1 | 2) => {
            Err(Error::runtime(format!("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {rank}D.")))
        }
        _ => Ok(()),
    }
}
