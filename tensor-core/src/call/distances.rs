//! Norms, angles and distances, declared in terms of other calls.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, promote_types};

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, one, run};
use crate::dtype::{cpp_name, six_digits};
use crate::element::unsupported;
use crate::elementwise::{self, Params, Target};
use crate::error::{Error, Result};
use crate::product;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
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
    if least < 0.0 || least.is_nan() {
        return Err(Error::runtime(format!("eps must be non-negative, got: {}", six_digits(least))));
    }
    let both = run(Call::new(Function::BroadcastTensors, &[CallArgument::Tensors(&[left, right])]))?.several()?;
    let unit = |tensor: &RawTensor| -> Result<Value> {
        let x = Value::from(tensor).computed_in(dtype)?;
        let norm = x.reduced(Reduction::Norm, &Along::dims(&[dim]).keep(Keep::Yes))?;
        // What is lifted to the least has the gradient of what was there.
        let norm = norm.tensor()?;
        let known = Value::from(norm.detach());
        let lift = chosen(binary(Op::Lt, &known, least), binary(Op::Rsub, &known, least), 0.0);
        Ok(binary(Op::Div, &x, binary(Op::Add, &norm.into(), lift)))
    };
    let [left, right] = &both[..] else { return Err(Error::runtime("two tensors were broadcast")) };
    binary(Op::Mul, &unit(left)?, unit(right)?).reduced(Reduction::Sum, &Along::dims(&[dim]))?.tensor()
}

/// PyTorch's `pairwise_distance`: the norms of rows of differences, to which a number is added.
pub(super) fn pairwise_distance(left: &RawTensor, right: &RawTensor, p: f64, apart: f64, keep: Keep) -> Result<RawTensor> {
    let difference = binary(Op::Add, &binary(Op::Sub, &left.into(), right), apart);
    difference.reduced(Reduction::Norm, &Along::dims(&[-1]).keep(keep).parameter(p))?.tensor()
}

/// Whether Euclidean distances come from products of matrices.
pub(super) fn are_by_products(x1: &RawTensor, x2: &RawTensor, mode: &str) -> bool {
    let rows = |tensor: &RawTensor| tensor.rank().checked_sub(2).map_or(0, |rows| tensor.sizes()[rows]);
    mode == "use_mm_for_euclid_dist" || mode == "use_mm_for_euclid_dist_if_necessary" && rows(x1).max(rows(x2)) > 25
}

/// PyTorch's `cdist`: the distances of all rows of one tensor from all rows of another one.
pub(super) fn cdist(x1: &RawTensor, x2: &RawTensor, p: f64, mode: &str) -> Result<RawTensor> {
    let modes = ["use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"];
    if !modes.contains(&mode) {
        return Err(Error::value(format!("{mode} is not a valid value for compute_mode")));
    }
    for (name, tensor) in [("X1", x1), ("X2", x2)] {
        let rank = tensor.rank();
        if rank < 2 {
            return Err(Error::runtime(format!("cdist only supports at least 2D tensors, {name} got: {rank}D")));
        }
    }
    let (own, there) = (x1.sizes()[x1.rank() - 1], x2.sizes()[x2.rank() - 1]);
    if own != there {
        return Err(Error::runtime(format!("X1 and X2 must have the same number of columns. X1: {own} X2: {there}")));
    }
    for (name, tensor) in [("X1", x1), ("X2", x2)] {
        if !tensor.dtype().is_floating_point() {
            let found = tensor.dtype().message_name();
            return Err(Error::runtime(format!("cdist only supports floating-point dtypes, {name} got: {found}")));
        }
    }
    if p < 0.0 {
        return Err(Error::runtime("cdist only supports non-negative p values"));
    }
    let by_products = are_by_products(x1, x2, mode);
    if !(p == 2.0 && by_products) && x1.numel() > 0 && x2.numel() > 0 {
        check_pairs("cdist", x1.dtype())?;
    }
    if p == 2.0 && by_products && !x1.is_concerned() && !x2.is_concerned() {
        let dtype = promote_types(x1.dtype(), x2.dtype()).unwrap_or(x1.dtype());
        // Differences lose no digits, and on the host they take no longer.
        return product::distances(x1, x2, dtype)?.map_or_else(|| by_product(x1, x2, dtype), Ok);
    }
    let column = Value::from(x1).then(Function::Unsqueeze, &[CallArgument::Int(-2)])?;
    let row = Value::from(x2).then(Function::Unsqueeze, &[CallArgument::Int(-3)])?;
    distances(&binary(Op::Sub, &column, row), p)
}

/// That PyTorch has distances of pairs of that dtype, which halves have as a product of matrices only.
fn check_pairs(kernel: &str, dtype: DType) -> Result<()> {
    if matches!(dtype, DType::F32 | DType::F64) { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

/// Distances by a product of matrices, where gradients don't ask for differences: in `f64`, so that what cancels is no digit of an `f32`. The squares
/// are in the product, too.
fn by_product(x1: &RawTensor, x2: &RawTensor, dtype: DType) -> Result<RawTensor> {
    let [left, right] = [Value::from(x1).computed_in(DType::F64)?, Value::from(x2).computed_in(DType::F64)?];
    let squares = |x: &Value| binary(Op::Mul, x, x).reduced(Reduction::Sum, &Along::dims(&[-1]).keep(Keep::Yes))?.tensor();
    let (own, there) = (squares(&left)?, squares(&right)?);
    let [beside, above] = [&own, &there].map(|squares| one(Function::OnesLike, &[squares.into()]));
    let joined = |parts: &[&RawTensor]| one(Function::Cat, &[CallArgument::Tensors(parts), CallArgument::Int(-1)]);
    let left = joined(&[&binary(Op::Mul, &left, -2).tensor()?, &own, &beside?])?;
    let right = joined(&[&right.tensor()?, &above?, &there])?;
    let square = one(Function::Matmul, &[(&left).into(), (&one(Function::MT, &[(&right).into()])?).into()])?;
    unary(Op::Sqrt, &binary(Op::ClampMin, &square.into(), 0)).cast(dtype).tensor()
}

/// The norms of differences. How many there are, the order 0, has a gradient of zeros, as steps have.
fn distances(difference: &Value, p: f64) -> Result<RawTensor> {
    let along = Along::dims(&[-1]);
    if p == 0.0 {
        return binary(Op::ClampMax, &unary(Op::Ceil, &unary(Op::Abs, difference)), 1).reduced(Reduction::Sum, &along)?.tensor();
    }
    difference.reduced(Reduction::Norm, &along.parameter(p))?.tensor()
}

/// PyTorch's `pdist`: the distances of all pairs of rows.
pub(super) fn pdist(input: &RawTensor, p: f64) -> Result<RawTensor> {
    let &[rows, _] = input.sizes() else {
        return Err(Error::runtime(format!("pdist only supports 2D tensors, got: {}D", input.rank())));
    };
    if !input.dtype().is_floating_point() {
        return Err(Error::runtime("pdist only supports floating-point dtypes"));
    }
    if p < 0.0 {
        return Err(Error::runtime("pdist only supports non-negative p values"));
    }
    if rows > 1 && input.numel() > 0 {
        check_pairs("pdist", input.dtype())?;
    }
    let count = CallArgument::Int(rows.cast_signed());
    let pairs = run(Call::new(Function::TriuIndices, &[count, count, 1.into()]))?.one()?.to_device(input.device())?;
    let side = |at: isize| {
        let places = one(Function::Select, &[(&pairs).into(), 0.into(), at.into()])?;
        Value::from(input).then(Function::IndexSelect, &[0.into(), (&places).into()])
    };
    distances(&binary(Op::Sub, &side(0)?, side(1)?), p)
}

/// PyTorch's `bilinear`: a sum of the products of all numbers of two rows, as each output weighs them.
pub(super) fn bilinear(x1: &RawTensor, x2: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<RawTensor> {
    let refused = |text: String| Err(Error::runtime(format!("bilinear(): {text}")));
    let all = [("input1", Some(x1)), ("input2", Some(x2)), ("weight", Some(weight)), ("bias", bias)];
    let all = all.into_iter().filter_map(|(name, tensor)| Some((name, tensor?.dtype())));
    if all.clone().any(|(_, dtype)| dtype != x1.dtype()) {
        let all = all.map(|(name, dtype)| format!("{name}: {}", cpp_name(dtype))).collect::<Vec<_>>().join(", ");
        return Err(Error::runtime(format!("All tensors must have the same dtype, got {all}")));
    }
    if x1.rank() != x2.rank() {
        return refused(format!("input dimensions do not match: got {} and {}", x1.rank(), x2.rank()));
    }
    let outer = x1.rank().saturating_sub(1);
    if let Some(at) = (0..outer).find(|&at| x1.sizes()[at] != x2.sizes()[at]) {
        return refused(format!("input batch dimensions do not match at dim {at}: got {} and {}", x1.sizes()[at], x2.sizes()[at]));
    }
    for (name, tensor, dim) in [("input1", x1, 1), ("input2", x2, 2)] {
        let (found, size) = (tensor.size(-1)?, weight.size(dim)?);
        if found != size {
            return refused(format!("{name} size does not match weight size: got {found} but expected {size}"));
        }
    }
    let &[outputs, first, second] = weight.sizes() else { return Err(Error::runtime("number of dimensions must match")) };
    if let Some(found) = bias.map(RawTensor::numel).filter(|&found| found != outputs) {
        return refused(format!("bias size does not match weight size: got {found} but expected {outputs}"));
    }
    let rows = |tensor: &RawTensor, size: usize| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[-1, size.cast_signed()])]);
    let matrix = Value::from(weight).then(Function::Permute, &[CallArgument::Ints(&[1, 0, 2])])?;
    let matrix = matrix.then(Function::Reshape, &[CallArgument::Ints(&signed(&[first, outputs * second]))])?.tensor()?;
    let half = Value::from(rows(x1, first)?).then(Function::Mm, &[(&matrix).into()])?;
    let half = half.then(Function::Reshape, &[CallArgument::Ints(&[-1, outputs.cast_signed(), second.cast_signed()])])?;
    let other = one(Function::Unsqueeze, &[(&rows(x2, second)?).into(), CallArgument::Int(-1)])?;
    let sums = half.then(Function::Matmul, &[(&other).into()])?;
    let sizes = [&signed(&x1.sizes()[..outer])[..], &[outputs.cast_signed()]].concat();
    let sums = sums.then(Function::Reshape, &[CallArgument::Ints(&sizes)])?;
    bias.map_or(sums.clone(), |bias| binary(Op::Add, &sums, bias)).tensor()
}
