//! Norms, angles and products that are added, declared in terms of other calls.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, promote_types};

use super::value::{Value, binary, unary};
use super::{Argument, Call, Function, one, run};
use crate::elementwise::{self, Params, Target};
use crate::error::{Error, Result};
use crate::product::Scale;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;
use crate::views::signed;

/// PyTorch's `normalize`: elements over the norm along a dimension, where that isn't smaller than a number.
pub(super) fn normalize(input: &RawTensor, p: f64, dim: isize, least: f64, to: Target<'_>) -> Result<RawTensor> {
    let dtype = input.dtype();
    if !dtype.is_floating_point() && !dtype.is_complex() {
        let found = dtype.message_name();
        return Err(Error::not_implemented(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {found}"
        )));
    }
    let x = Value::from(input);
    let norm = x.reduced(Reduction::Norm, &Along::dims(&[dim]).keep(Keep::Yes).parameter(p))?;
    let norm = binary(Op::ClampMin, &norm, least);
    if to.is_new() {
        return binary(Op::Div, &x, &norm).tensor();
    }
    elementwise::run(Op::Div.into(), &[input.into(), (&norm.tensor()?).into()], to, &Params::none())
}

/// PyTorch's `cosine_similarity`.
pub(super) fn cosine_similarity(left: &RawTensor, right: &RawTensor, dim: isize, least: f64) -> Result<RawTensor> {
    let dtype = promote_types(left.dtype(), right.dtype()).unwrap_or(left.dtype());
    if !dtype.is_floating_point() {
        let found = dtype.message_name();
        return Err(Error::runtime(format!("expected common dtype to be floating point, yet common dtype is {found}")));
    }
    let both = run(Call::new(Function::BroadcastTensors, &[Argument::Tensors(&[left, right])]))?.several()?;
    let unit = |tensor: &RawTensor| -> Result<Value> {
        let x = Value::from(Value::from(tensor).cast(dtype).tensor()?);
        let norm = x.reduced(Reduction::Norm, &Along::dims(&[dim]).keep(Keep::Yes))?;
        Ok(binary(Op::Div, &x, binary(Op::ClampMin, &norm, least)))
    };
    let [left, right] = &both[..] else { return Err(Error::runtime("two tensors were broadcast")) };
    binary(Op::Mul, &unit(left)?, unit(right)?).reduced(Reduction::Sum, &Along::dims(&[dim]))?.tensor()
}

/// PyTorch's `pairwise_distance`: the norms of rows of differences, to which a number is added.
pub(super) fn pairwise_distance(left: &RawTensor, right: &RawTensor, p: f64, apart: f64, keep: Keep) -> Result<RawTensor> {
    let difference = binary(Op::Add, &binary(Op::Sub, &left.into(), right), apart);
    difference.reduced(Reduction::Norm, &Along::dims(&[-1]).keep(keep).parameter(p))?.tensor()
}

/// PyTorch's `addmv`: the product of a matrix and a vector, added to a vector.
pub(super) fn addmv(input: &RawTensor, matrix: &RawTensor, vector: &RawTensor, Scale { beta, alpha }: Scale) -> Result<RawTensor> {
    let (of, ranks) = ([input, matrix, vector], [input.rank(), matrix.rank(), vector.rank()]);
    if matrix.rank() != 2 || vector.rank() != 1 || input.rank() > 1 {
        let [input, matrix, vector] = ranks;
        return Err(Error::runtime(format!("vector + matrix @ vector expected, got {input}, {matrix}, {vector}")));
    }
    let (rows, columns) = (matrix.sizes()[0], matrix.sizes()[1]);
    if columns != vector.numel() || input.rank() == 1 && ![1, rows].contains(&input.numel()) {
        let (own, there) = (input.sizes().first().copied().unwrap_or(1), vector.numel());
        return Err(Error::runtime(format!("size mismatch, got input ({own}), mat ({rows}x{columns}), vec ({there})")));
    }
    if of.iter().any(|tensor| tensor.dtype() != input.dtype()) {
        let [input, matrix, vector] = of.map(|tensor| tensor.dtype().message_name());
        return Err(Error::runtime(format!("addmv input tensors must have the same dtype, but got {input}, {matrix}, and {vector}")));
    }
    if matrix.dtype() == DType::Bool {
        return Err(Error::not_implemented("\"addmv_impl_cpu\" not implemented for 'Bool'"));
    }
    let column = |tensor: &RawTensor, count: usize| {
        let wide = Value::from(tensor).then(Function::Expand, &[Argument::Ints(&[count.cast_signed()])])?;
        wide.then(Function::Unsqueeze, &[1.into()])?.tensor()
    };
    let (term, factor) = (column(input, rows)?, column(vector, columns)?);
    let sum = one(Function::Addmm, &[(&term).into(), matrix.into(), (&factor).into(), beta.into(), alpha.into()])?;
    one(Function::Reshape, &[(&sum).into(), Argument::Ints(&[rows.cast_signed()])])
}

/// PyTorch's `addbmm`: the products of all matrices of two batches, added to a matrix.
pub(super) fn addbmm(input: &RawTensor, left: &RawTensor, right: &RawTensor, Scale { beta, alpha }: Scale) -> Result<RawTensor> {
    for (name, batch) in [("batch1", left), ("batch2", right)] {
        if batch.rank() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let ([count, rows, inner], [others, steps, columns]) = (left.sizes(), right.sizes()) else {
        return Err(Error::runtime("batch1 must be a 3D tensor"));
    };
    if count != others {
        return Err(Error::runtime(format!("batch1 and batch2 must have same number of batches, got {count} and {others}")));
    }
    if inner != steps {
        return Err(Error::runtime(format!("Incompatible matrix sizes for bmm ({rows}x{inner} and {steps}x{columns})")));
    }
    let sizes = signed(&[*rows, *columns]);
    let mut sum = one(Function::Expand, &[input.into(), Argument::Ints(&sizes)])?;
    if *count == 0 {
        return binary(Op::Mul, &Value::from(&sum), beta).tensor();
    }
    for at in 0..count.cast_signed() {
        let matrix = |batch: &RawTensor| one(Function::Select, &[batch.into(), 0.into(), at.into()]);
        let beta = if at == 0 { beta } else { Scalar::Int(1) };
        sum = one(Function::Addmm, &[(&sum).into(), (&matrix(left)?).into(), (&matrix(right)?).into(), beta.into(), alpha.into()])?;
    }
    Ok(sum)
}

/// PyTorch's `addr`: the outer product of two vectors, added to a matrix.
pub(super) fn addr(input: &RawTensor, left: &RawTensor, right: &RawTensor, Scale { beta, alpha }: Scale) -> Result<RawTensor> {
    for (name, vector) in [("vec1", left), ("vec2", right)] {
        if vector.rank() != 1 {
            return Err(Error::runtime(format!("addr: Expected 1-D argument {name}, but got {}-D", vector.rank())));
        }
    }
    let column = Value::from(left).then(Function::Unsqueeze, &[1.into()])?;
    let wide = one(Function::Expand, &[input.into(), Argument::Ints(&signed(&[left.numel(), right.numel()]))])?;
    let dtype = elementwise::result_dtype(Op::Add, &[(&wide).into(), (&column.tensor()?).into()])?;
    let dtype = promote_types(dtype, right.dtype()).unwrap_or(dtype);
    if dtype == DType::Bool {
        return truths(&wide, &column, right, Scale { beta, alpha });
    }
    for (name, number) in [("beta", beta), ("alpha", alpha)] {
        if dtype.is_integral() && matches!(number, Scalar::Float(_) | Scalar::Complex(_)) {
            return Err(Error::runtime(format!("For integral input tensors, argument {name} must not be a floating point number.")));
        }
    }
    let own = |value: Value| value.cast(dtype);
    let product = binary(Op::Mul, &binary(Op::Mul, &own(column), alpha), own(right.into()));
    if beta.is(0.0) {
        return product.tensor();
    }
    binary(Op::Add, &binary(Op::Mul, &own(Value::from(&wide)), beta), &product).tensor()
}

/// The same of truths.
fn truths(wide: &RawTensor, column: &Value, right: &RawTensor, Scale { beta, alpha }: Scale) -> Result<RawTensor> {
    let product = binary(Op::LogicalAnd, column, right);
    let product = if alpha.is(0.0) { binary(Op::LogicalAnd, &product, unary(Op::LogicalNot, &product)) } else { product };
    if beta.is(0.0) { product.tensor() } else { binary(Op::LogicalOr, &Value::from(wide), &product).tensor() }
}

/// What was computed, in the place of the tensor that it was added to.
pub(super) fn in_place_of(input: &mut RawTensor, sum: &RawTensor) -> Result<()> {
    if input.sizes() != sum.sizes() {
        let (own, there) = (input.sizes(), sum.sizes());
        return Err(Error::runtime(format!("Bad in-place call: input tensor size {own:?} and output tensor size {there:?} should match")));
    }
    run(Call::in_place(Function::Copy, input, &[sum.into()])).map(drop)
}

/// PyTorch's `atleast_1d`, `atleast_2d` and `atleast_3d`: dimensions of size 1, until there are that many.
pub(super) fn at_least(input: &RawTensor, rank: usize) -> Result<RawTensor> {
    let mut sizes = signed(input.sizes());
    match (rank, sizes.len()) {
        (3, 1) => sizes = [1, sizes[0], 1].as_slice().into(),
        (3, 2) => sizes.push(1),
        (rank, own) => (own..rank).for_each(|_| sizes.insert(0, 1)),
    }
    one(Function::Reshape, &[input.into(), Argument::Ints(&sizes)])
}

/// The same of several tensors.
pub(super) fn all_at_least(tensors: &[&RawTensor], rank: usize) -> Result<Vec<RawTensor>> {
    tensors.iter().map(|tensor| at_least(tensor, rank)).collect()
}
