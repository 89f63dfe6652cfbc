//! Products, sums and counts that are declared in terms of other calls, and what gives tensors more dimensions.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, promote_types};

use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, one, run};
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::{self, Target};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::joins::added_dims;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;

/// PyTorch's `trace`: the sum of the elements on the diagonal of a matrix.
pub(super) fn trace(input: &RawTensor) -> Result<RawTensor> {
    if input.rank() != 2 {
        return Err(Error::runtime(format!("trace: expected a matrix, but got tensor with dim {}", input.rank())));
    }
    if input.dtype() == DType::Bool {
        return Err(Error::not_implemented("\"trace\" not implemented for 'Bool'"));
    }
    Value::from(input).then(Function::Diagonal, &[])?.reduced(Reduction::Sum, &Along::all())?.tensor()
}

/// PyTorch's `inner`: the products of all rows of one tensor with all rows of another one.
fn inner(to: Target<'_>, input: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    let (Some(own), Some(there)) = (input.sizes().last(), other.sizes().last()) else {
        return binary(Op::Mul, &input.into(), other).tensor_to(to);
    };
    if own != there {
        let (own, there) = (input.sizes(), other.sizes());
        return Err(Error::runtime(format!(
            "inner() the last dimension must match on both input tensors but got shapes {own:?} and {there:?}"
        )));
    }
    if input.dtype() != other.dtype() {
        return Err(Error::runtime("both inputs should have same dtype"));
    }
    let rows = |tensor: &RawTensor| -> Result<RawTensor> {
        let count = tensor.sizes()[..tensor.rank() - 1].iter().product::<usize>();
        one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[count.cast_signed(), own.cast_signed()])])
    };
    if input.rank() == 1 && other.rank() == 1 {
        return one(Function::Dot, &[input.into(), other.into()]);
    }
    let turned = Value::from(rows(other)?).then(Function::Transpose, &[0.into(), 1.into()])?.tensor()?;
    let sizes: Vec<usize> = [input, other].iter().flat_map(|tensor| &tensor.sizes()[..tensor.rank() - 1]).copied().collect();
    let rows = rows(input)?;
    let room = to.seen_as(&sizes, |out| out.view(&signed(&[rows.sizes()[0], turned.sizes()[1]])));
    let products = Target::offering(room.as_ref()).last(Function::Mm, &[(&rows).into(), (&turned).into()])?;
    one(Function::Reshape, &[(&products).into(), CallArgument::Ints(&signed(&sizes))])
}

/// The same where a target says.
pub(super) fn inner_to(to: Target<'_>, input: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    let product = inner(to, input, other)?;
    let (own, found) = (product.dtype().message_name(), to.tensor().map(RawTensor::dtype));
    match found.filter(|&found| found != product.dtype() && input.rank() > 0 && other.rank() > 0) {
        Some(found) => {
            let found = found.message_name();
            Err(Error::runtime(format!(
                "tensordot: Expected the output tensor to have dtype {own}, but got an output tensor with dtype {found}"
            )))
        }
        None => to.take(product),
    }
}

/// PyTorch's `take_along_dim`: `gather`, with the other dimensions of both broadcast. Indices count around.
pub(super) fn take_along_dim(to: Target<'_>, input: &RawTensor, indices: &RawTensor, dim: Option<isize>) -> Result<RawTensor> {
    let Some(dim) = dim else {
        let flat = |tensor: &RawTensor| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[-1])]);
        return to.last(Function::Gather, &[(&flat(input)?).into(), 0.into(), (&flat(indices)?).into()]);
    };
    if indices.dtype() != DType::I64 {
        let found = indices.dtype().message_name();
        return Err(Error::runtime(format!("torch.take_along_dim(): dtype of indices should be Long but got {found}")));
    }
    if input.rank() != indices.rank() {
        let (own, there) = (input.rank(), indices.rank());
        return Err(Error::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {own} dimensions for input, and \
             {there} dimensions for indices"
        )));
    }
    let place = wrap_dim(dim, input.rank())?;
    let around = |of: &RawTensor, other: &RawTensor| -> Result<Vec<usize>> {
        let mut sizes = of.sizes().to_vec();
        if let Some(size) = sizes.get_mut(place) {
            *size = 1;
        }
        let mut others = other.sizes().to_vec();
        if let (Some(size), Some(&own)) = (others.get_mut(place), of.sizes().get(place)) {
            *size = own;
        }
        crate::geometry::broadcast::broadcast_shapes(&[&sizes, &others]).map(|sizes| sizes.to_vec())
    };
    let (wide, named) = (around(input, indices)?, around(indices, input)?);
    let size = input.sizes().get(place).copied().unwrap_or(1);
    let indices = binary(Op::Remainder, &indices.into(), Scalar::from(size)).tensor()?;
    let input = one(Function::Expand, &[input.into(), CallArgument::Ints(&signed(&wide))])?;
    let indices = one(Function::Expand, &[(&indices).into(), CallArgument::Ints(&signed(&named))])?;
    to.last(Function::Gather, &[(&input).into(), place.cast_signed().into(), (&indices).into()])
}

/// PyTorch's `var_mean` and `std_mean`.
pub(super) fn spread_and_mean(spread: Reduction, input: &RawTensor, along: &Along) -> Result<Vec<RawTensor>> {
    if !input.dtype().is_floating_point() && !input.dtype().is_complex() {
        let name = spread.row().name;
        return Err(Error::not_implemented(format!("{name}_mean only support floating point and complex dtypes")));
    }
    let x = Value::from(input);
    [spread, Reduction::Mean].into_iter().map(|reduction| x.reduced(reduction, along)?.tensor()).collect()
}

/// Samples along a dimension, which may be none.
struct Samples<'a> {
    y: &'a RawTensor,
    dim: isize,
    count: isize,
}

impl<'a> Samples<'a> {
    fn new(y: &'a RawTensor, dim: isize) -> Result<Self> {
        let count = y.size(dim)?.cast_signed();
        Ok(Self { y, dim: wrap_dim(dim, y.rank())?.cast_signed(), count })
    }

    /// What there is of no samples.
    fn nothing(&self) -> Result<RawTensor> {
        let sizes: Vec<usize> =
            self.y.sizes().iter().enumerate().filter(|(at, _)| at.cast_signed() != self.dim).map(|(_, size)| *size).collect();
        RawTensor::zeros(&sizes, &Options { dtype: Some(self.y.dtype()), device: Some(self.y.device()), format: None })
    }
}

/// All but the last place along a dimension, or all but the first.
fn neighbours(tensor: &RawTensor, dim: isize) -> Result<[Value; 2]> {
    let count = tensor.sizes()[dim.unsigned_abs()].cast_signed();
    let from = |start: isize| Value::from(tensor).then(Function::Narrow, &[dim.into(), start.into(), (count - 1).into()]);
    Ok([from(0)?, from(1)?])
}

/// PyTorch's `trapezoid` with equal distances.
pub(super) fn trapezoid(y: &RawTensor, dx: Scalar, dim: isize) -> Result<RawTensor> {
    let samples = Samples::new(y, dim)?;
    if samples.count == 0 {
        return samples.nothing();
    }
    if y.dtype() == DType::Bool {
        return Err(Error::not_implemented("trapezoid: received a bool input for `y`, but bool is not supported"));
    }
    if matches!(dx, Scalar::Complex(_)) {
        return Err(Error::runtime("trapezoid: Currently, we only support dx as a real number."));
    }
    let end = |at: isize| Value::from(y).then(Function::Select, &[samples.dim.into(), at.into()]);
    let sum = Value::from(y).reduced(Reduction::Sum, &Along::dims(&[samples.dim]))?;
    let ends = binary(Op::Mul, &binary(Op::Add, &end(0)?, end(samples.count - 1)?), 0.5);
    binary(Op::Mul, &binary(Op::Sub, &sum, &ends), Scalar::Float(dx.to_f64())).tensor()
}

/// PyTorch's `trapezoid` of samples at places.
pub(super) fn trapezoid_at(y: &RawTensor, x: &RawTensor, dim: isize) -> Result<RawTensor> {
    let samples = Samples::new(y, wrap_dim(dim, y.rank())?.cast_signed())?;
    if samples.count == 0 {
        return samples.nothing();
    }
    if y.dtype() == DType::Bool || x.dtype() == DType::Bool {
        return Err(Error::not_implemented("trapezoid: received a bool input for `x` or `y`, but bool is not supported"));
    }
    let mut sizes = vec![1; y.rank().saturating_sub(x.rank())];
    if x.rank() == 1 {
        if x.numel().cast_signed() != samples.count {
            return Err(Error::runtime("trapezoid: There must be one `x` value for each sample point"));
        }
        sizes = vec![1; y.rank()];
        sizes[samples.dim.unsigned_abs()] = x.numel();
    } else {
        sizes.extend(x.sizes());
    }
    let x = one(Function::Reshape, &[x.into(), CallArgument::Ints(&signed(&sizes))])?;
    let ([left, right], [from, to]) = (neighbours(y, samples.dim)?, neighbours(&x, samples.dim)?);
    let areas = binary(Op::Mul, &binary(Op::Add, &left, right), binary(Op::Sub, &to, from));
    binary(Op::Div, &areas.reduced(Reduction::Sum, &Along::dims(&[samples.dim]))?, 2.0).tensor()
}

/// PyTorch's `bincount`: how often each number occurs, or how much those places weigh.
pub(super) fn bincount(input: &RawTensor, weights: Option<&RawTensor>, least: isize) -> Result<RawTensor> {
    let dtype = input.dtype();
    if !dtype.is_integral() || dtype == DType::Bool || !dtype.is_computing() {
        return Err(unsupported("bincount_cpu", dtype));
    }
    let least = usize::try_from(least).map_err(|_| Error::runtime("minlength should be >= 0"))?;
    let zeros = |count: usize, dtype: DType| {
        RawTensor::zeros(&[count], &Options { dtype: Some(dtype), device: Some(input.device()), format: None })
    };
    if input.rank() == 1 && input.numel() == 0 {
        return zeros(least, DType::I64);
    }
    let refused = || Error::runtime("bincount only supports 1-d non-negative integral inputs.");
    if input.rank() != 1 {
        return Err(refused());
    }
    let extreme = |reduction| Value::from(input).reduced(reduction, &Along::all())?.item();
    let (lowest, highest) = (extreme(Reduction::Min)?, extreme(Reduction::Max)?);
    let (Scalar::Int(0..), Scalar::Int(highest)) = (lowest, highest) else { return Err(refused()) };
    if weights.is_some_and(|weights| weights.sizes() != input.sizes()) {
        return Err(Error::runtime("weights should be 1-d and have the same length as input"));
    }
    let count = usize::try_from(highest).unwrap_or(usize::MAX).saturating_add(1).max(least);
    let weights = match weights {
        Some(weights) if weights.dtype() == DType::F32 => weights.clone(),
        Some(weights) => weights.to_dtype(DType::F64)?,
        None => RawTensor::from_scalar(Scalar::Int(1), DType::I64)?.to_device(input.device())?.expand(&signed(input.sizes()))?,
    };
    let (sums, places) = (zeros(count, weights.dtype())?, input.to_dtype(DType::I64)?);
    one(Function::ScatterAdd, &[(&sums).into(), 0.into(), (&places).into(), (&weights).into()])
}

/// PyTorch's `addmv`: the product of a matrix and a vector, added to a vector.
pub(super) fn addmv(
    to: Target<'_>,
    input: &RawTensor,
    matrix: &RawTensor,
    vector: &RawTensor,
    [beta, alpha]: [Scalar; 2],
) -> Result<RawTensor> {
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
        let wide = Value::from(tensor).then(Function::Expand, &[CallArgument::Ints(&[count.cast_signed()])])?;
        wide.then(Function::Unsqueeze, &[1.into()])?.tensor()
    };
    let (term, factor) = (column(input, rows)?, column(vector, columns)?);
    let room = to.seen_as(&[rows], |out| out.unsqueeze(1));
    let sum = Target::offering(room.as_ref())
        .last(Function::Addmm, &[(&term).into(), matrix.into(), (&factor).into(), beta.into(), alpha.into()])?;
    one(Function::Reshape, &[(&sum).into(), CallArgument::Ints(&[rows.cast_signed()])])
}

/// PyTorch's `addbmm`: the products of all matrices of two batches, added to a matrix.
pub(super) fn addbmm(
    to: Target<'_>,
    input: &RawTensor,
    left: &RawTensor,
    right: &RawTensor,
    [beta, alpha]: [Scalar; 2],
) -> Result<RawTensor> {
    let (rows, columns) = (left.size(1)?, right.size(2)?);
    let mut sum = one(Function::Expand, &[input.into(), CallArgument::Ints(&signed(&[rows, columns]))])?;
    for (name, batch) in [("batch1", left), ("batch2", right)] {
        if batch.rank() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let (count, others, inner, steps) = (left.sizes()[0], right.sizes()[0], left.sizes()[2], right.sizes()[1]);
    if count != others {
        return Err(Error::runtime(format!("batch1 and batch2 must have same number of batches, got {count} and {others}")));
    }
    if inner != steps {
        return Err(Error::runtime(format!("Incompatible matrix sizes for bmm ({rows}x{inner} and {steps}x{columns})")));
    }
    if count == 0 {
        return binary(Op::Mul, &Value::from(&sum), beta).tensor_to(to);
    }
    for at in 0..count.cast_signed() {
        let matrix = |batch: &RawTensor| one(Function::Select, &[batch.into(), 0.into(), at.into()]);
        let beta = if at == 0 { beta } else { Scalar::Int(1) };
        let to = if at + 1 == count.cast_signed() { to } else { Target::New };
        sum = to.last(Function::Addmm, &[(&sum).into(), (&matrix(left)?).into(), (&matrix(right)?).into(), beta.into(), alpha.into()])?;
    }
    Ok(sum)
}

/// PyTorch's `addr`: the outer product of two vectors, added to a matrix.
pub(super) fn addr(input: &RawTensor, left: &RawTensor, right: &RawTensor, [beta, alpha]: [Scalar; 2]) -> Result<Value> {
    for (name, vector) in [("vec1", left), ("vec2", right)] {
        if vector.rank() != 1 {
            return Err(Error::runtime(format!("addr: Expected 1-D argument {name}, but got {}-D", vector.rank())));
        }
    }
    let column = Value::from(left).then(Function::Unsqueeze, &[1.into()])?;
    let wide = one(Function::Expand, &[input.into(), CallArgument::Ints(&signed(&[left.numel(), right.numel()]))])?;
    let dtype = elementwise::result_dtype(Op::Add, &[(&wide).into(), (&column.tensor()?).into()])?;
    let dtype = promote_types(dtype, right.dtype()).unwrap_or(dtype);
    if dtype == DType::Bool {
        return Ok(truths(&wide, &column, right, [beta, alpha]));
    }
    for (name, number) in [("beta", beta), ("alpha", alpha)] {
        if dtype.is_integral() && matches!(number, Scalar::Float(_) | Scalar::Complex(_)) {
            return Err(Error::runtime(format!("For integral input tensors, argument {name} must not be a floating point number.")));
        }
    }
    let own = |value: Value| value.cast(dtype);
    let product = binary(Op::Mul, &binary(Op::Mul, &own(column), alpha), own(right.into()));
    if beta == 0.0 {
        return Ok(product);
    }
    Ok(binary(Op::Add, &binary(Op::Mul, &own(Value::from(&wide)), beta), &product))
}

/// The same of truths.
fn truths(wide: &RawTensor, column: &Value, right: &RawTensor, [beta, alpha]: [Scalar; 2]) -> Value {
    let product = binary(Op::LogicalAnd, column, right);
    let product = if alpha == 0.0 { binary(Op::LogicalAnd, &product, unary(Op::LogicalNot, &product)) } else { product };
    if beta == 0.0 { product } else { binary(Op::LogicalOr, &Value::from(wide), &product) }
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
    if input.rank() == 0 {
        return one(Function::Reshape, &[input.into(), CallArgument::Ints(&vec![1; rank])]);
    }
    let mut found = input.clone();
    for behind in added_dims(input.rank(), rank) {
        found = one(Function::Unsqueeze, &[(&found).into(), CallArgument::Int(if behind { -1 } else { 0 })])?;
    }
    Ok(found)
}

/// The same of several tensors.
pub(super) fn all_at_least(tensors: &[&RawTensor], rank: usize) -> Result<Vec<RawTensor>> {
    tensors.iter().map(|tensor| at_least(tensor, rank)).collect()
}
