//! What the bits of floating-point numbers say: their neighbours, their exponents; and places of elements in as many rows as are asked for.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::element::unsupported;
use crate::elementwise;
use crate::error::{Error, Result};
use crate::raw::RawTensor;

/// PyTorch's `nextafter`: the next number of the dtype towards another one.
pub(super) fn nextafter(x: &RawTensor, y: &RawTensor) -> Result<RawTensor> {
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
    chosen(none, f64::NAN, same).tensor()
}

/// PyTorch's `frexp`: numbers from 0.5 to 1, and powers of two.
pub(super) fn frexp(input: &RawTensor) -> Result<(RawTensor, RawTensor)> {
    if !input.dtype().is_floating_point() {
        return Err(Error::runtime("torch.frexp() only supports floating-point dtypes"));
    }
    let wide = Value::from(Value::from(input).cast(DType::F64).tensor()?);
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
