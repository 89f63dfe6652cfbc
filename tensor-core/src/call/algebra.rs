//! Products of vectors and contractions of tensors, declared in terms of other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary, unary};
use super::{CallArgument, Function, named, one, run};
use crate::dtype::cpp_name;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::geometry::{wrap_dim, wrap_existing_dim};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::views::signed;

/// PyTorch's `cross`: along the first dimension of size 3, where none is given.
pub(super) fn cross(input: &RawTensor, other: &RawTensor, dim: Option<isize>) -> Result<Value> {
    let first = || input.sizes().iter().position(|&size| size == 3).map(usize::cast_signed);
    let dim = dim.or_else(first).ok_or_else(|| Error::runtime("no dimension of size 3 in input"))?;
    linalg_cross(input, other, dim)
}

/// PyTorch's `linalg.cross`: what stands at right angles on two vectors.
pub(super) fn linalg_cross(input: &RawTensor, other: &RawTensor, dim: isize) -> Result<Value> {
    if input.rank() != other.rank() {
        return Err(Error::runtime("linalg.cross: inputs must have the same number of dimensions."));
    }
    let place = wrap_dim(dim, input.rank())?;
    let (own, there) = (input.sizes().get(place).copied().unwrap_or(1), other.sizes().get(place).copied().unwrap_or(1));
    if (own, there) != (3, 3) {
        return Err(Error::runtime(format!("linalg.cross: inputs dimension {dim} must have length 3. Got {own} and {there}")));
    }
    let both = run(super::Call::new(Function::BroadcastTensors, &[CallArgument::Tensors(&[input, other])]))?.several()?;
    if input.dtype() != other.dtype() {
        return Err(Error::runtime(format!("expected scalar type {} but found {}", named(input), named(other))));
    }
    if input.dtype() == DType::Bool {
        return Err(Error::not_implemented("\"cross\" not implemented for 'Bool'"));
    }
    let turned = |at: usize, by: isize| {
        Value::from(&both[at]).then(Function::Roll, &[CallArgument::Ints(&[by]), CallArgument::Ints(&[place.cast_signed()])])
    };
    let (here, there) = (binary(Op::Mul, &turned(0, -1)?, turned(1, -2)?), binary(Op::Mul, &turned(0, -2)?, turned(1, -1)?));
    Ok(binary(Op::Sub, &here, there))
}

/// PyTorch's `linalg.vecdot`: the sum of products, the first factors conjugated.
pub(super) fn vecdot(x: &RawTensor, y: &RawTensor, dim: isize) -> Result<RawTensor> {
    if x.dtype().is_integral() {
        let found = named(x);
        return Err(Error::not_implemented(format!("linalg.vecdot: Expected a floating point or complex tensor as input. Got {found}")));
    }
    if x.dtype() != y.dtype() {
        let (first, second) = (named(x), named(y));
        return Err(Error::runtime(format!(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {first} and y of type {second} instead"
        )));
    }
    if x.rank() == 1 && y.rank() == 1 {
        return one(Function::Vdot, &[x.into(), y.into()]);
    }
    binary(Op::Mul, &unary(Op::Conj, &x.into()), y).reduced(Reduction::Sum, &Along::dims(&[dim]))?.tensor()
}

/// PyTorch's `tensordot` over the last dimensions of one tensor and the first ones of another.
pub(super) fn tensordot_over(to: Target<'_>, input: &RawTensor, other: &RawTensor, dims: isize) -> Result<RawTensor> {
    let Ok(count) = usize::try_from(dims) else {
        return Err(Error::runtime(format!("tensordot expects dims >= 0, but got dims={dims}")));
    };
    if count > input.rank() || count > other.rank() {
        return Err(Error::runtime(format!("tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")));
    }
    tensordot(to, input, other, &(-dims..0).collect::<Vec<_>>(), &(0..dims).collect::<Vec<_>>())
}

/// The same over dimensions that are named for both.
pub(super) fn tensordot_along(to: Target<'_>, input: &RawTensor, other: &RawTensor, dims: &[Vec<isize>]) -> Result<RawTensor> {
    match dims {
        [own, there] => tensordot(to, input, other, own, there),
        _ => Err(Error::runtime("both dimension lists should have same length")),
    }
}

fn tensordot(to: Target<'_>, input: &RawTensor, other: &RawTensor, own: &[isize], there: &[isize]) -> Result<RawTensor> {
    if own.len() != there.len() {
        return Err(Error::runtime("both dimension lists should have same length"));
    }
    if input.dtype() != other.dtype() {
        return Err(Error::runtime("both inputs should have same dtype"));
    }
    let wrapped = |dims: &[isize], rank: usize| dims.iter().map(|&dim| wrap_existing_dim(dim, rank)).collect::<Result<Vec<usize>>>();
    let (own, there) = (wrapped(own, input.rank())?, wrapped(there, other.rank())?);
    let (mut left, mut right) = (Value::from(input), Value::from(other));
    for (&first, &second) in own.iter().zip(&there) {
        let (size, beside) = (input.sizes()[first], other.sizes()[second]);
        let summed = |value: &Value, dim: usize| {
            value.reduced(Reduction::Sum, &Along::dims(&[dim.cast_signed()]).keep(Keep::Yes).dtype(input.dtype()))
        };
        match (size, beside) {
            (1, beside) if beside != 1 => right = summed(&right, second)?,
            (size, 1) if size != 1 => left = summed(&left, first)?,
            (size, beside) if size != beside => {
                return Err(Error::runtime(format!(
                    "contracted dimensions need to match, but first has size {size} in dim {first} and second has size {beside} in dim {second}"
                )));
            }
            _ => {}
        }
    }
    let (left, right) = (left.tensor()?, right.tensor()?);
    let free = |tensor: &RawTensor, dims: &[usize]| (0..tensor.rank()).filter(|dim| !dims.contains(dim)).collect::<Vec<_>>();
    let (kept, kept_there) = (free(&left, &own), free(&right, &there));
    let product = |tensor: &RawTensor, dims: &[usize]| dims.iter().map(|&dim| tensor.sizes()[dim]).product::<usize>().cast_signed();
    let matrix = |tensor: &RawTensor, order: Vec<usize>, sizes: [isize; 2]| {
        let turned = Value::from(tensor).then(Function::Permute, &[CallArgument::Ints(&signed(&order))])?;
        turned.then(Function::Reshape, &[CallArgument::Ints(&sizes)])?.tensor()
    };
    let inner = product(&left, &own);
    let first = matrix(&left, [&kept[..], &own].concat(), [product(&left, &kept), inner])?;
    let second = matrix(&right, [&there[..], &kept_there].concat(), [inner, product(&right, &kept_there)])?;
    let sizes = [sizes_of(&left, &kept), sizes_of(&right, &kept_there)].concat();
    let whole: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    let room = to.seen_as(&whole, |out| out.view(&signed(&[first.sizes()[0], second.sizes()[1]])));
    let product = Target::offering(room.as_ref()).last(Function::Mm, &[(&first).into(), (&second).into()])?;
    one(Function::Reshape, &[(&product).into(), CallArgument::Ints(&sizes)])
}

fn sizes_of(tensor: &RawTensor, dims: &[usize]) -> Vec<isize> {
    dims.iter().map(|&dim| tensor.sizes()[dim].cast_signed()).collect()
}

/// A contraction in its output.
pub(super) fn contracted(to: Target<'_>, product: RawTensor) -> Result<RawTensor> {
    match to.tensor().filter(|out| out.dtype() != product.dtype()) {
        Some(out) => {
            let (own, found) = (named(&product), named(out));
            Err(Error::runtime(format!(
                "tensordot: Expected the output tensor to have dtype {own}, but got an output tensor with dtype {found}"
            )))
        }
        None => to.take(product),
    }
}

/// PyTorch's `linalg.multi_dot` where a target says: a product of many matrices, in the order that takes the fewest multiplications.
pub(super) fn multi_dot_to(to: Target<'_>, tensors: &[&RawTensor]) -> Result<RawTensor> {
    let product = multi_dot(to, tensors)?;
    match to.tensor().filter(|out| out.dtype() != product.dtype()) {
        Some(out) => {
            let (own, found) = (cpp_name(product.dtype()), cpp_name(out.dtype()));
            Err(Error::runtime(format!("multi_dot(): expected out tensor to have dtype {own} but got {found}")))
        }
        None => to.take(product),
    }
}

fn multi_dot(to: Target<'_>, tensors: &[&RawTensor]) -> Result<RawTensor> {
    let count = tensors.len();
    let refused = |text: String| Err(Error::runtime(format!("multi_dot(): {text}")));
    let ([first, .., last], true) = (tensors, count >= 2) else { return refused(format!("expected at least 2 tensors but got {count}")) };
    for (at, tensor) in tensors.iter().enumerate() {
        let (rank, of) = (tensor.rank(), cpp_name(first.dtype()));
        match at {
            0 if !matches!(rank, 1 | 2) => return refused(format!("the first tensor must be 1D or 2D but got {rank}D")),
            at if at + 1 == count && !matches!(rank, 1 | 2) => return refused(format!("the last tensor must be 1D or 2D but got {rank}D")),
            at if at > 0 && at + 1 < count && rank != 2 => return refused(format!("tensor {at} must be 2D but got {rank}D")),
            _ if tensor.dtype() != first.dtype() => {
                let found = cpp_name(tensor.dtype());
                return refused(format!("all tensors must have be the same dtype but tensor 0 is {of} and tensor {at} {found}"));
            }
            _ => {}
        }
    }
    let mut matrices = tensors.iter().map(|&tensor| tensor.clone()).collect::<Vec<_>>();
    let mut sizes = Vec::new();
    if first.rank() == 1 {
        matrices[0] = one(Function::Unsqueeze, &[(*first).into(), 0.into()])?;
    } else {
        sizes.push(first.sizes()[0].cast_signed());
    }
    if last.rank() == 1 {
        matrices[count - 1] = one(Function::Unsqueeze, &[(*last).into(), 1.into()])?;
    } else {
        sizes.push(last.sizes()[1].cast_signed());
    }
    for (at, pair) in matrices.windows(2).enumerate() {
        if pair[0].sizes()[1] != pair[1].sizes()[0] {
            let (own, there) = (pair[0].sizes(), pair[1].sizes());
            return refused(format!("tensors {at} and {} with shapes {own:?} and {there:?} cannot be multiplied", at + 1));
        }
    }
    let whole: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    let ends = [matrices[0].sizes()[0], matrices[count - 1].sizes()[1]];
    let room = to.seen_as(&whole, |out| out.view(&signed(&ends)));
    let product = chained(Target::offering(room.as_ref()), &matrices, &cheapest(&matrices), 0, count - 1)?;
    one(Function::View, &[(&product).into(), CallArgument::Ints(&sizes)])
}

/// Behind which matrix each run of them is parted best: a row for each first one, and in it a place for each last one.
fn cheapest(matrices: &[RawTensor]) -> Vec<Vec<usize>> {
    let count = matrices.len();
    let side = |at: usize| if at == 0 { matrices[0].sizes()[0] } else { matrices[at - 1].sizes()[1] } as f64;
    let mut cost = vec![vec![0.0_f64; count]; count];
    let mut parted = vec![vec![0; count]; count];
    for length in 1..count {
        for first in 0..count - length {
            let last = first + length;
            cost[first][last] = f64::INFINITY;
            for at in first..last {
                let all = cost[first][at] + cost[at + 1][last] + side(first) * side(at + 1) * side(last + 1);
                if all < cost[first][last] {
                    (cost[first][last], parted[first][last]) = (all, at);
                }
            }
        }
    }
    parted
}

fn chained(to: Target<'_>, matrices: &[RawTensor], parted: &[Vec<usize>], first: usize, last: usize) -> Result<RawTensor> {
    if first == last {
        return Ok(matrices[first].clone());
    }
    let at = parted[first][last].max(first);
    let (left, right) = (chained(Target::New, matrices, parted, first, at)?, chained(Target::New, matrices, parted, at + 1, last)?);
    to.last(Function::Mm, &[(&left).into(), (&right).into()])
}

/// PyTorch's `corrcoef`: how the rows of a matrix vary together, of at most 1.
pub(super) fn corrcoef(input: &RawTensor) -> Result<RawTensor> {
    if input.rank() > 2 {
        let rank = input.rank();
        return Err(Error::runtime(format!(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with {rank} dimensions"
        )));
    }
    let together = Value::from(one(Function::Cov, &[input.into()])?);
    let matrix = together.tensor()?;
    if matrix.rank() == 0 {
        return binary(Op::Div, &together, &together).tensor();
    }
    let mut own = together.then(Function::Diagonal, &[])?;
    if matrix.dtype().is_complex() {
        own = own.then(Function::Real, &[])?;
    }
    let spread = Value::from(unary(Op::Sqrt, &own).tensor()?);
    let along = |dim: isize| spread.then(Function::Unsqueeze, &[CallArgument::Int(dim)]);
    let shares = binary(Op::Div, &binary(Op::Div, &together, along(1)?), along(0)?);
    let within = |value: &Value| binary(Op::ClampMax, &binary(Op::ClampMin, value, -1), 1);
    if !matrix.dtype().is_complex() {
        return within(&shares).tensor();
    }
    let (real, imaginary) = (shares.then(Function::Real, &[])?, shares.then(Function::Imag, &[])?);
    one(Function::Complex, &[(&within(&real).tensor()?).into(), (&within(&imaginary).tensor()?).into()])
}

/// PyTorch's `cumulative_trapezoid`: the area up to each sample, at places or in equal distances.
pub(super) fn cumulative_trapezoid(y: &RawTensor, distances: &Value, dim: isize) -> Result<RawTensor> {
    let at_places = matches!(distances, Value::Tensor(_));
    // Beside places the dimension is looked at first.
    let place = wrap_dim(dim, y.rank());
    if y.rank() == 0 && (!at_places || place.is_ok()) {
        return Err(Error::index("slice() cannot be applied to a 0-dim tensor."));
    }
    let place = place?;
    if y.dtype() == DType::Bool || matches!(distances, Value::Tensor(x) if x.dtype() == DType::Bool) {
        let of = if at_places { "`x` or `y`" } else { "`y`" };
        return Err(Error::not_implemented(format!("cumulative_trapezoid: received a bool input for {of}, but bool is not supported")));
    }
    let part = |of: &Value, dim: usize, start: Option<isize>, end: Option<isize>| {
        of.then(Function::Slice, &[dim.cast_signed().into(), start.into(), end.into()])
    };
    let samples = Value::from(y);
    let heights = binary(Op::Add, &part(&samples, place, Some(1), None)?, part(&samples, place, None, Some(-1))?);
    let along = [CallArgument::Int(place.cast_signed())];
    let Value::Tensor(x) = distances else {
        let half = match distances {
            Value::Number(dx) => dx.to_f64() / 2.0,
            _ => 0.5,
        };
        return binary(Op::Mul, &heights.then(Function::Cumsum, &along)?, half).tensor();
    };
    let mut sizes = vec![1; y.rank().saturating_sub(x.rank())];
    if x.rank() == 1 {
        if x.numel() != y.sizes()[place] {
            return Err(Error::runtime("cumulative_trapezoid: There must be one `x` value for each sample point"));
        }
        sizes = vec![1; y.rank()];
        sizes[place] = x.numel().cast_signed();
    } else {
        sizes.extend(signed(x.sizes()));
    }
    let x = Value::from(x).then(Function::Reshape, &[CallArgument::Ints(&sizes)])?;
    let steps = binary(Op::Sub, &part(&x, place, Some(1), None)?, part(&x, place, None, Some(-1))?);
    binary(Op::Div, &binary(Op::Mul, &heights, steps).then(Function::Cumsum, &along)?, 2.0).tensor()
}
