//! Grids, combinations and blocks of several tensors, and products of all their elements: declared in terms of other calls.

use latten_spec::operation::Op;
use latten_spec::{DType, promote_types};

use super::value::{Value, binary};
use super::{Call, CallArgument, Function, one, run};
use crate::create::Options;
use crate::dtype;
use crate::error::{Error, Result};
use crate::indexing::nonzero;
use crate::plan::Target;
use crate::raw::{RawTensor, type_name};
use crate::room::filled;
use crate::scalar::Scalar;
use crate::views::signed;

/// Tensors without or with one dimension, each along a dimension of its own, all of them as large as the grid.
fn spread(tensors: &[&RawTensor]) -> Result<Vec<RawTensor>> {
    let sizes: Vec<isize> = tensors.iter().map(|tensor| tensor.numel().cast_signed()).collect();
    let along = |(place, tensor): (usize, &&RawTensor)| {
        let mut own = vec![1; sizes.len()];
        own[place] = -1;
        let laid = Value::from(*tensor).then(Function::View, &[CallArgument::Ints(&own)])?;
        laid.then(Function::Expand, &[CallArgument::Ints(&sizes)])?.tensor()
    };
    tensors.iter().enumerate().map(along).collect()
}

/// PyTorch's `meshgrid`.
pub(super) fn meshgrid(tensors: &[&RawTensor], indexing: Option<&str>) -> Result<Vec<RawTensor>> {
    let Some(first) = tensors.first() else { return Err(Error::runtime("meshgrid expects a non-empty TensorList")) };
    if tensors.iter().any(|tensor| tensor.dtype() != first.dtype()) {
        return Err(Error::runtime("meshgrid expects all tensors to have the same dtype"));
    }
    for tensor in tensors {
        if tensor.rank() > 1 {
            let (kind, sizes) = (type_name(tensor), tensor.sizes());
            let sizes = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            return Err(Error::runtime(format!(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: [ {kind}{{{sizes}}} ]"
            )));
        }
    }
    match indexing {
        Some("xy") if tensors.len() > 1 => {
            let mut swapped = tensors.to_vec();
            swapped.swap(0, 1);
            let mut grids = spread(&swapped)?;
            grids.swap(0, 1);
            Ok(grids)
        }
        None | Some("ij" | "xy") => spread(tensors),
        Some(other) => Err(Error::runtime(format!("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"))),
    }
}

/// Those that have one dimension.
fn check_rows(tensors: &[&RawTensor]) -> Result<()> {
    match tensors.iter().find(|tensor| tensor.rank() != 1) {
        Some(tensor) => Err(Error::runtime(format!("Expect a 1D vector, but got shape {:?}", tensor.sizes()))),
        None => Ok(()),
    }
}

/// PyTorch's `cartesian_prod`: all tuples of one element of each tensor, as rows.
pub(super) fn cartesian_prod(tensors: &[&RawTensor]) -> Result<RawTensor> {
    check_rows(tensors)?;
    if let [only] = tensors {
        return one(Function::View, &[(*only).into(), CallArgument::Ints(&[-1])]);
    }
    let flat = |grid: &RawTensor| one(Function::Reshape, &[grid.into(), CallArgument::Ints(&[-1])]);
    let columns = meshgrid(tensors, None)?.iter().map(flat).collect::<Result<Vec<_>>>()?;
    one(Function::Stack, &[CallArgument::Tensors(&columns.iter().collect::<Vec<_>>()), 1.into()])
}

/// PyTorch's `combinations`: all choices of so many elements, in their order, as rows.
pub(super) fn combinations(input: &RawTensor, count: isize, with_replacement: bool) -> Result<RawTensor> {
    check_rows(&[input])?;
    let count = usize::try_from(count).map_err(|_| Error::runtime(format!("Expect a non-negative number, but got {count}")))?;
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    if count == 0 {
        return RawTensor::zeros(&[0], &options);
    }
    let places = Options { dtype: Some(DType::I64), ..options };
    let places = RawTensor::arange(Scalar::Int(0), Scalar::from(input.numel()), Scalar::Int(1), &places)?;
    let grids = spread(&filled(count, &places)?)?;
    let before = if with_replacement { Op::Le } else { Op::Lt };
    let mut chosen = Value::from(one(Function::OnesLike, &[(&grids[0]).into(), DType::Bool.into()])?);
    for pair in grids.windows(2) {
        chosen = binary(Op::LogicalAnd, &chosen, binary(before, &(&pair[0]).into(), &pair[1])).settled()?;
    }
    // Row-major order is the order of combinations.
    let rows = nonzero(&chosen.tensor()?, Target::New)?;
    one(Function::Take, &[input.into(), (&rows).into()])
}

/// PyTorch's `block_diag`: matrices one behind the other along the diagonal of a large one.
pub(super) fn block_diag(tensors: &[&RawTensor]) -> Result<RawTensor> {
    let mut dtype = tensors.first().map_or_else(dtype::promotion_default, |tensor| tensor.dtype());
    for (at, tensor) in tensors.iter().enumerate() {
        if tensor.rank() > 2 {
            let rank = tensor.rank();
            return Err(Error::runtime(format!(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {at} has {rank} dimensions"
            )));
        }
        dtype = promote_types(dtype, tensor.dtype())?;
    }
    if tensors.is_empty() {
        return RawTensor::zeros(&[1, 0], &Options::new());
    }
    let matrix = |tensor: &&RawTensor| {
        let matrix = Value::from(*tensor).then(Function::Atleast2d, &[])?;
        if tensor.dtype() == dtype { Ok(matrix) } else { matrix.cast(dtype).tensor().map(Value::from) }
    };
    let matrices = tensors.iter().map(matrix).collect::<Result<Vec<_>>>()?;
    let widths = matrices.iter().map(|matrix| Ok(matrix.tensor()?.sizes()[1].cast_signed())).collect::<Result<Vec<_>>>()?;
    let (width, mut left) = (widths.iter().sum::<isize>(), 0);
    let mut rows = Vec::with_capacity(matrices.len());
    for (matrix, own) in matrices.iter().zip(widths) {
        rows.push(matrix.then(Function::ConstantPadNd, &[CallArgument::Ints(&[left, width - left - own])])?.tensor()?);
        left += own;
    }
    one(Function::Cat, &[CallArgument::Tensors(&rows.iter().collect::<Vec<_>>())])
}

/// PyTorch's `kron`: each element of one tensor times all of another one.
pub(super) fn kron(to: Target<'_>, input: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    let rank = input.rank().max(other.rank());
    let padded = |tensor: &RawTensor| [vec![1; rank - tensor.rank()], signed(tensor.sizes())].concat();
    let (own, there) = (padded(input), padded(other));
    let woven = |tensor: &RawTensor, sizes: &[isize], first: bool| {
        let sizes: Vec<isize> = sizes.iter().flat_map(|&size| if first { [size, 1] } else { [1, size] }).collect();
        Value::from(tensor).then(Function::Reshape, &[CallArgument::Ints(&sizes)])
    };
    let products = binary(Op::Mul, &woven(input, &own, true)?, woven(other, &there, false)?);
    let sizes: Vec<isize> = own.iter().zip(&there).map(|(own, there)| own * there).collect();
    let woven: Vec<isize> = own.iter().zip(&there).flat_map(|(&own, &there)| [own, there]).collect();
    let whole: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    let room = to.seen_as(&whole, |out| out.view(&woven));
    let products = Value::from(products.tensor_to(Target::offering(room.as_ref()))?);
    products.then(Function::Reshape, &[CallArgument::Ints(&sizes)])?.tensor()
}

/// PyTorch's `linalg.vander`: the powers of each element, from none on.
pub(super) fn vander(x: &RawTensor, count: Option<isize>) -> Result<RawTensor> {
    let dtype = x.dtype();
    if dtype == DType::Bool || dtype.is_floating_point() && !matches!(dtype, DType::F32 | DType::F64) {
        let found = dtype.message_name();
        return Err(Error::not_implemented(format!(
            "linalg.vander supports floating point, complex, and integer tensors, but got {found}"
        )));
    }
    let x = if dtype.is_integral() { x.to_dtype(DType::I64)? } else { x.clone() };
    let x = one(Function::Atleast1d, &[(&x).into()])?;
    let count = count.unwrap_or_else(|| x.sizes().last().copied().unwrap_or(1).cast_signed());
    if count <= 1 {
        return Err(Error::runtime("N must be greater than 1."));
    }
    let base = Value::from(&x).then(Function::Unsqueeze, &[CallArgument::Int(-1)])?.tensor()?;
    let ones = one(Function::OnesLike, &[(&base).into()])?;
    let sizes = [signed(x.sizes()), vec![count - 1]].concat();
    let powers = Value::from(&base).then(Function::Expand, &[CallArgument::Ints(&sizes)])?;
    let powers = powers.then(Function::Cumprod, &[CallArgument::Int(-1)])?.tensor()?;
    run(Call::new(Function::Cat, &[CallArgument::Tensors(&[&ones, &powers]), CallArgument::Int(-1)]))?.one()
}
