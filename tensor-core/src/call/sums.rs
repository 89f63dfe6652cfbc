//! Products, sums and spreads that are declared in terms of other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary};
use super::{Argument, Function, one};
use crate::create::Options;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
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
pub(super) fn inner(input: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    let (Some(own), Some(there)) = (input.sizes().last(), other.sizes().last()) else {
        return binary(Op::Mul, &input.into(), other).tensor();
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
        one(Function::Reshape, &[tensor.into(), Argument::Ints(&[count.cast_signed(), own.cast_signed()])])
    };
    if input.rank() == 1 && other.rank() == 1 {
        return one(Function::Dot, &[input.into(), other.into()]);
    }
    let turned = Value::from(rows(other)?).then(Function::Transpose, &[0.into(), 1.into()])?.tensor()?;
    let products = one(Function::Mm, &[(&rows(input)?).into(), (&turned).into()])?;
    let sizes: Vec<usize> = [input, other].iter().flat_map(|tensor| &tensor.sizes()[..tensor.rank() - 1]).copied().collect();
    one(Function::Reshape, &[(&products).into(), Argument::Ints(&signed(&sizes))])
}

/// The same where a target says.
pub(super) fn into_inner(to: Target<'_>, input: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    let product = inner(input, other)?;
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
pub(super) fn take_along_dim(input: &RawTensor, indices: &RawTensor, dim: Option<isize>) -> Result<RawTensor> {
    if indices.dtype() != DType::I64 {
        let found = indices.dtype().message_name();
        return Err(Error::runtime(format!("torch.take_along_dim(): dtype of indices should be Long but got {found}")));
    }
    let Some(dim) = dim else {
        let flat = |tensor: &RawTensor| one(Function::Reshape, &[tensor.into(), Argument::Ints(&[-1])]);
        return one(Function::Gather, &[(&flat(input)?).into(), 0.into(), (&flat(indices)?).into()]);
    };
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
    let input = one(Function::Expand, &[input.into(), Argument::Ints(&signed(&wide))])?;
    let indices = one(Function::Expand, &[(&indices).into(), Argument::Ints(&signed(&named))])?;
    one(Function::Gather, &[(&input).into(), place.cast_signed().into(), (&indices).into()])
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
        if y.rank() == 0 {
            return Err(Error::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
        }
        let place = wrap_dim(dim, y.rank())?;
        Ok(Self { y, dim: place.cast_signed(), count: y.sizes()[place].cast_signed() })
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
    binary(Op::Mul, &binary(Op::Sub, &sum, &ends), Scalar::Float(dx.real())).tensor()
}

/// PyTorch's `trapezoid` of samples at places.
pub(super) fn trapezoid_at(y: &RawTensor, x: &RawTensor, dim: isize) -> Result<RawTensor> {
    let samples = Samples::new(y, dim)?;
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
    let x = one(Function::Reshape, &[x.into(), Argument::Ints(&signed(&sizes))])?;
    let ([left, right], [from, to]) = (neighbours(y, samples.dim)?, neighbours(&x, samples.dim)?);
    let areas = binary(Op::Mul, &binary(Op::Add, &left, right), binary(Op::Sub, &to, from));
    binary(Op::Div, &areas.reduced(Reduction::Sum, &Along::dims(&[samples.dim]))?, 2.0).tensor()
}

/// PyTorch's `bincount`: how often each number occurs, or how much those places weigh.
pub(super) fn bincount(input: &RawTensor, weights: Option<&RawTensor>, least: isize) -> Result<RawTensor> {
    let least = usize::try_from(least).map_err(|_| Error::runtime("minlength should be >= 0"))?;
    let dtype = input.dtype();
    if !dtype.is_integral() || dtype == DType::Bool || !dtype.is_computing() {
        return Err(Error::not_implemented(format!("\"bincount_cpu\" not implemented for '{}'", dtype.message_name())));
    }
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
