//! Numbers made of parts and questions about them, element by element: declared in terms of elementwise operations.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, inexact, one, run};
use crate::element::unsupported;
use crate::elementwise::{self, RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::order::{dim_order, elementwise_output};
use crate::raw::RawTensor;
use crate::views::signed;

fn named(dtype: DType) -> &'static str {
    dtype.message_name()
}

/// That both parts of complex numbers are floats of one dtype.
fn check_parts(real: &RawTensor, imaginary: &RawTensor) -> Result<()> {
    let (first, second) = (real.dtype(), imaginary.dtype());
    let is_part = |dtype: DType| matches!(dtype, DType::F16 | DType::F32 | DType::F64);
    if !is_part(first) || !is_part(second) {
        let (first, second) = (named(first), named(second));
        return Err(Error::not_implemented(format!(
            "Expected both inputs to be Half, Float or Double tensors but got {first} and {second}"
        )));
    }
    if first == second {
        return Ok(());
    }
    let (first, second) = (named(first), named(second));
    Err(Error::runtime(format!("Expected object of scalar type {first} but got scalar type {second} for second argument")))
}

/// PyTorch's `complex`: of real and imaginary parts.
pub(super) fn complex(to: Target<'_>, real: &RawTensor, imaginary: &RawTensor) -> Result<RawTensor> {
    check_parts(real, imaginary)?;
    let both = run(Call::new(Function::BroadcastTensors, &[CallArgument::Tensors(&[real, imaginary])]))?.several()?;
    let (sizes, strides) = elementwise_output(&[(real.sizes(), real.strides()), (imaginary.sizes(), imaginary.strides())])?;
    let order = dim_order(&sizes, &strides);
    let permuted = |tensor: &RawTensor, order: &[usize]| one(Function::Permute, &[tensor.into(), signed(order)[..].into()]);
    let is_usual = order.is_sorted();
    // Parts lie side by side, and numbers in the order of an elementwise result.
    let lying: Vec<RawTensor> = if is_usual { both } else { both.iter().map(|part| permuted(part, &order)).collect::<Result<_>>()? };
    let room = to.seen_as(&sizes, RawTensor::view_as_real);
    let to = Target::offering(room.as_ref());
    let parts = to.last(Function::Stack, &[CallArgument::Tensors(&lying.iter().collect::<Vec<_>>()), CallArgument::Int(-1)])?;
    let numbers = one(Function::ViewAsComplex, &[(&parts).into()])?;
    if is_usual {
        return Ok(numbers);
    }
    let mut back = order.clone();
    order.iter().enumerate().for_each(|(place, &dim)| back[dim] = place);
    permuted(&numbers, &back)
}

/// PyTorch's `polar`: of absolute values and angles.
pub(super) fn polar(to: Target<'_>, length: &RawTensor, angle: &RawTensor) -> Result<RawTensor> {
    check_parts(length, angle)?;
    let wide = length.dtype().computing();
    let (length, angle) = (Value::from(length), Value::from(angle).cast(wide));
    let part = |op: Op| binary(Op::Mul, &length.cast(wide), unary(op, &angle)).cast(length_dtype(&length)).tensor();
    complex(to, &part(Op::Cos)?, &part(Op::Sin)?)
}

fn length_dtype(value: &Value) -> DType {
    if let Value::Tensor(tensor) = value { tensor.dtype() } else { DType::F32 }
}

/// PyTorch's `isposinf` and `isneginf`.
pub(super) fn is_infinite(to: Target<'_>, input: &RawTensor, which: f64) -> Result<RawTensor> {
    let name = if which > 0.0 { "isposinf" } else { "isneginf" };
    if input.dtype().is_complex() {
        return Err(Error::type_error(format!("{name} does not support complex inputs.")));
    }
    if to.tensor().is_some_and(|out| out.dtype() != DType::Bool) {
        return Err(Error::runtime(format!("{name} does not support non-boolean outputs.")));
    }
    elementwise::run(Op::Eq.into(), &[input.into(), which.into()], to, &elementwise::Params::none())
}

/// PyTorch's `isreal`.
pub(super) fn isreal(input: &RawTensor) -> Result<RawTensor> {
    if input.dtype().is_complex() {
        return binary(Op::Eq, &unary(Op::Imag, &input.into()), 0).tensor();
    }
    one(Function::OnesLike, &[input.into(), DType::Bool.into()])
}

/// PyTorch's `heaviside`: no and yes, on both sides of zero; there what another tensor has.
pub(super) fn heaviside(input: &RawTensor, values: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    let dtype = input.dtype();
    if [input, values].iter().any(|tensor| tensor.dtype().is_complex()) {
        return Err(Error::not_implemented("heaviside is not yet implemented for complex tensors."));
    }
    if values.dtype() != dtype || to.tensor().is_some_and(|out| out.dtype() != dtype) {
        return Err(Error::runtime("heaviside is not yet implemented for tensors with different dtypes."));
    }
    let x = Value::from(input);
    to.take(chosen(binary(Op::Eq, &x, 0), values, binary(Op::Gt, &x, 0).cast(dtype)).tensor_to(to)?)
}

/// PyTorch's `ldexp`: times powers of two.
pub(super) fn ldexp(input: &RawTensor, exponents: &RawTensor, out: Option<&RawTensor>) -> Result<Value> {
    let dtype = elementwise::result_dtype(Op::Mul, &[input.into(), exponents.into()])?;
    let dtype = inexact(dtype);
    let dtype = if exponents.dtype().is_integral() && input.dtype().is_floating_point() { input.dtype() } else { dtype };
    if let Some(found) = out.map(RawTensor::dtype).filter(|found| found.is_integral() && !dtype.is_complex()) {
        return Err(Error::runtime(format!("ldexp can't be cast to the desired output type {}", named(found))));
    }
    // PyTorch rounds the power, too, unless the exponent is an integer.
    let wide = if exponents.dtype().is_integral() { dtype.computing() } else { exponents.dtype() };
    let exponents = Value::from(exponents).cast(wide);
    let powers = if wide.is_complex() { binary(Op::Pow, &Value::from(2.0), exponents) } else { unary(Op::Exp2, &exponents) };
    Ok(binary(Op::Mul, &Value::from(input).cast(dtype.computing()), powers).cast(dtype))
}

/// The dtype that a function of reals computes in.
fn real_dtype(kernel: &str, operands: &[RawOperand<'_>]) -> Result<DType> {
    let dtype = elementwise::result_dtype(Op::Div, operands)?;
    if dtype.is_complex() {
        return Err(unsupported(kernel, dtype));
    }
    Ok(dtype)
}

/// PyTorch's `special.entr`: less a number times its logarithm.
pub(super) fn entr(input: &RawTensor) -> Result<Value> {
    let dtype = real_dtype("entr_cpu", &[input.into(), input.into()])?;
    let x = Value::from(input).cast(dtype).cast(dtype.computing());
    let inside = binary(Op::Mul, &unary(Op::Neg, &x), unary(Op::Log, &x));
    let outside = chosen(binary(Op::Eq, &x, 0), 0.0, chosen(binary(Op::Lt, &x, 0), f64::NEG_INFINITY, &x));
    Ok(chosen(binary(Op::Gt, &x, 0), inside, outside).cast(dtype))
}

/// PyTorch's `special.xlog1py`: a number times the logarithm of one more than another, nothing of nothing.
pub(super) fn xlog1py(x: RawOperand<'_>, y: RawOperand<'_>) -> Result<Value> {
    let dtype = real_dtype("xlog1py_cpu", &[x, y])?;
    let wide = |operand: RawOperand<'_>| match operand {
        RawOperand::Tensor(tensor) => Value::from(tensor).cast(dtype).cast(dtype.computing()),
        RawOperand::Scalar(number) => Value::from(number),
    };
    let (x, y) = (wide(x), wide(y));
    let zero = binary(Op::Eq, &x, 0);
    // Nothing times what is no number, or infinite, is nothing, too.
    let outside = binary(Op::LogicalOr, &binary(Op::Le, &y, -1), binary(Op::Eq, &y, f64::INFINITY));
    let known = chosen(binary(Op::LogicalAnd, &zero, outside), 0.0, &y);
    let product = binary(Op::Mul, &x, unary(Op::Log1p, &known));
    // A zero without a sign.
    Ok(binary(Op::Add, &product, chosen(zero, 0.0, -0.0)).cast(dtype))
}
