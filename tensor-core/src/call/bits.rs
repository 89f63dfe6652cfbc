//! What the bits of numbers say: neighbours, exponents, what becomes of all of them together; and places of elements in as many rows as are asked for.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::element::unsupported;
use crate::elementwise::{self, Target};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::wrap_distinct_dims;
use crate::raw::RawTensor;
use crate::reduce::Keep;
use crate::views::signed;

/// PyTorch's `nextafter`: the next number of the dtype towards another one.
pub(super) fn nextafter(x: &RawTensor, y: &RawTensor) -> Result<Value> {
    broadcast_shapes(&[x.sizes(), y.sizes()])?;
    let dtype = elementwise::result_dtype(Op::Maximum, &[x.into(), y.into()])?;
    let whole = match dtype {
        DType::F16 | DType::BF16 => DType::I16,
        DType::F32 => DType::I32,
        DType::F64 => DType::I64,
        // others: have no neighbours.
        _ => return Err(unsupported("nextafter_cpu", dtype)),
    };
    let wide = |tensor: &RawTensor| Value::from(tensor).cast(dtype);
    let (x, y) = (wide(x), wide(y));
    // As wide as both together.
    let start = Value::from(chosen(unary(Op::Isnan, &y), &x, &x).tensor()?);
    let bits = start.then(Function::ViewDType, &[whole.into()])?;
    let away = binary(Op::Eq, &binary(Op::Gt, &y, &x), binary(Op::Gt, &x, 0));
    let beside = chosen(away, binary(Op::Add, &bits, 1), binary(Op::Sub, &bits, 1)).tensor()?;
    let beside = Value::from(one(Function::ViewDType, &[(&beside).into(), dtype.into()])?);
    // Beside zero is the smallest number with the sign of the other one.
    let least = Value::from(RawTensor::from_vec(vec![1_i64], &[])?.to_dtype(whole)?.view_dtype(dtype)?);
    let found = chosen(binary(Op::Eq, &x, 0), binary(Op::Copysign, &least, &y), beside);
    let none = binary(Op::LogicalOr, &unary(Op::Isnan, &x), unary(Op::Isnan, &y));
    let same = chosen(binary(Op::Eq, &x, &y), &y, found);
    Ok(chosen(none, f64::NAN, same))
}

/// PyTorch's `frexp`: numbers from 0.5 to 1, and powers of two.
pub(super) fn frexp(input: &RawTensor) -> Result<(RawTensor, RawTensor)> {
    if !input.dtype().is_floating_point() {
        return Err(Error::runtime("torch.frexp() only supports floating-point dtypes"));
    }
    let wide = Value::from(input).computed_in(DType::F64)?;
    let plain = Value::from(wide.tensor()?.detach());
    // The smallest numbers have no exponent of their own: they are made larger, and their exponents smaller again.
    let small = binary(Op::Lt, &unary(Op::Abs, &plain), f64::MIN_POSITIVE);
    let large = chosen(small.clone(), binary(Op::Mul, &plain, 2.0_f64.powi(54)), &plain).tensor()?;
    let bits = Value::from(one(Function::ViewDType, &[(&large).into(), DType::I64.into()])?);
    let exponent = binary(Op::BitwiseAnd, &binary(Op::RightShift, &bits, 52), 0x7FF);
    let exponent = binary(Op::Sub, &exponent, chosen(small, 1022 + 54, 1022));
    let counts = binary(Op::LogicalAnd, &unary(Op::Isfinite, &plain), binary(Op::Ne, &plain, 0));
    let exponent = Value::from(chosen(counts, exponent, 0).cast(DType::I64).tensor()?);
    // Both halves of a power are numbers.
    let first = binary(Op::RightShift, &exponent, 1);
    let power = |of: &Value| unary(Op::Exp2, &unary(Op::Neg, of).cast(DType::F64));
    let mantissa = binary(Op::Mul, &binary(Op::Mul, &wide, power(&first)), power(&binary(Op::Sub, &exponent, &first)));
    Ok((mantissa.cast(input.dtype()).tensor()?, exponent.cast(DType::I32).tensor()?))
}

/// PyTorch's `nonzero_static`: places of elements that aren't zero, in as many rows as are asked for.
pub(super) fn nonzero_static(input: &RawTensor, size: isize, number: isize) -> Result<RawTensor> {
    if size < 0 {
        return Err(Error::runtime("nonzero_static: 'size' must be an non-negative integer"));
    }
    let found = one(Function::Nonzero, &[input.into()])?;
    let count = found.sizes()[0].cast_signed();
    if count >= size {
        return Value::from(found).then(Function::Narrow, &[0.into(), 0.into(), size.into()])?.then(Function::Contiguous, &[])?.tensor();
    }
    let behind = [0, 0, 0, size - count];
    one(Function::ConstantPadNd, &[(&found).into(), CallArgument::Ints(&behind), CallArgument::Number((number as i64).into())])
}

/// Which dimensions a hash is of, where those have elements.
fn hashed(input: &RawTensor, dims: &[isize]) -> Result<Vec<usize>> {
    let rank = input.rank();
    if !dims.is_empty() {
        let named = wrap_distinct_dims(dims, rank)?;
        return match named.iter().find(|&&dim| rank > 0 && input.sizes()[dim] == 0) {
            Some(dim) => Err(Error::index(format!("hash_tensor: Expected reduction dim {dim} to have non-zero size."))),
            None => Ok(if rank > 0 { named.to_vec() } else { Vec::new() }),
        };
    }
    if input.numel() == 0 {
        return Err(Error::runtime(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.",
        ));
    }
    Ok((0..rank).collect())
}

/// PyTorch's `hash_tensor`: the bits of numbers, as wide as there are, joined by exclusive or.
pub(super) fn hash(to: Target<'_>, input: &RawTensor, dims: &[isize], keep: Keep, mode: isize) -> Result<RawTensor> {
    if mode != 0 {
        return Err(Error::runtime(format!("Unknown hash_tensor mode: {mode}")));
    }
    let (rank, dtype) = (input.rank(), input.dtype());
    let dims = hashed(input, dims)?;
    if dtype.is_complex() || !dtype.is_computing() {
        return Err(unsupported("xor_sum_cpu", dtype));
    }
    let wide = if dtype.is_floating_point() { DType::F64 } else { DType::I64 };
    let bits = Value::from(input.detach()).computed_in(wide)?.then(Function::ViewDType, &[DType::I64.into()])?;
    let outer: Vec<usize> = (0..rank).filter(|dim| !dims.contains(dim)).collect();
    let order = signed(&[&outer[..], &dims].concat());
    let mut length: usize = dims.iter().map(|&dim| input.sizes()[dim]).product();
    let flat: Vec<usize> = outer.iter().map(|&dim| input.sizes()[dim]).chain([length]).collect();
    let mut row =
        bits.then(Function::Permute, &[CallArgument::Ints(&order)])?.then(Function::Reshape, &[CallArgument::Ints(&signed(&flat))])?;
    // Halves are joined; what is between them joins the first number.
    let kept = |dim: usize| if dims.contains(&dim) { 1 } else { input.sizes()[dim] };
    let sizes: Vec<usize> = if keep == Keep::Yes { (0..rank).map(kept).collect() } else { flat[..outer.len()].to_vec() };
    let alone = signed(&[&flat[..outer.len()], &[1]].concat());
    let is_wide = to.tensor().is_some_and(|out| out.dtype() == DType::U64);
    let room = to.seen_as(&sizes, |out| out.view_dtype(DType::I64)?.view(&alone)).filter(|_| is_wide);
    let last = Target::offering(room.as_ref());
    row = if length == 1 { last.last(Function::Clone, &[(&row.tensor()?).into()])?.into() } else { row };
    while length > 1 {
        let (half, over) = ((length / 2).cast_signed(), length % 2);
        let part = |start: isize, count: isize| row.then(Function::Narrow, &[CallArgument::Int(-1), start.into(), count.into()]);
        let halves = binary(Op::BitwiseXor, &part(0, half)?, part(half, half)?);
        let mut joined = match half {
            1 if over == 1 => binary(Op::BitwiseXor, &halves, part(2, 1)?).tensor_to(last)?,
            1 => halves.tensor_to(last)?,
            _ => halves.tensor()?,
        };
        if over == 1 && half > 1 {
            let first = one(Function::Narrow, &[(&joined).into(), CallArgument::Int(-1), 0.into(), 1.into()])?;
            let both = binary(Op::BitwiseXor, &first.into(), part(2 * half, 1)?).tensor()?;
            joined = one(Function::SliceScatter, &[(&joined).into(), (&both).into(), CallArgument::Int(-1), 0.into(), 1.into()])?;
        }
        (row, length) = (joined.into(), length / 2);
    }
    row.then(Function::Reshape, &[CallArgument::Ints(&signed(&sizes))])?.then(Function::ViewDType, &[DType::U64.into()])?.tensor()
}
