//! latten's side: tensors of repeatable numbers, and the calls that rows time.

use std::array::from_fn;

use latten::prelude::*;
use latten_core::args;
use latten_core::by_name::{Arguments, call};
use latten_core::create::Options;
use latten_core::elementwise::{Params, RawOperand, Target, apply, apply_in_place, apply_out};
use latten_core::error::Result;
use latten_core::layout::MemoryFormat;
use latten_core::product::{bmm, dot, matmul, mv};
use latten_core::random::{self, Dropped, Generator, Mode, Replacement};
use latten_core::raw::RawTensor;
use latten_core::reduce::{Along, reduce, softmax};
use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use crate::sizes::{numbers, of};
use crate::work::{Work, work, work_on};

/// A tensor of the numbers, from one of them on: between -4 and 4, or of integers between 0 and 100.
pub fn operand(number: usize, sizes: &[usize], dtype: DType) -> RawTensor {
    let shift = |x: f32| if dtype.is_floating_point() { x } else { (x + 4.0) * 12.5 };
    let floats = numbers(number, sizes.iter().product()).map(shift).collect();
    let given = RawTensor::from_vec::<f32>(floats, sizes).expect("memory");
    if dtype == DType::F32 { given.clone_as(MemoryFormat::Preserve) } else { given.to_dtype(dtype) }.expect("memory")
}

/// The first operand.
pub fn tensor(sizes: &[usize], dtype: DType) -> RawTensor {
    operand(0, sizes, dtype)
}

/// The first ones.
pub fn tensors<const N: usize>(sizes: &[usize], dtype: DType) -> [RawTensor; N] {
    from_fn(|number| operand(number, sizes, dtype))
}

/// Tensors whose types know that they have one dimension of `f32`.
fn typed<const N: usize>(count: usize) -> [Tensor<f32, Rank<1>>; N] {
    tensors(&[count], DType::F32).map(|tensor| DynTensor::from(tensor).typed().expect("its type"))
}

/// Tensors of which only the run knows anything.
pub fn dynamic<const N: usize>(count: usize) -> [DynTensor; N] {
    tensors(&[count], DType::F32).map(DynTensor::from)
}

fn transposed(tensor: &RawTensor) -> RawTensor {
    tensor.reverse_dims()
}

/// An operation into a new tensor.
pub fn new<const N: usize>(op: Op, operands: [RawTensor; N]) -> Work {
    work(move || apply(op, &operands.each_ref().map(RawOperand::Tensor), &Params::none()).expect("a result"))
}

/// `a + b` on sizes and dtypes.
pub fn binary(op: Op, sizes: [&[usize]; 2], dtypes: [DType; 2]) -> Work {
    new(op, from_fn::<_, 2, _>(|number| operand(number, sizes[number], dtypes[number])))
}

/// A function of each element.
pub fn unary(op: Op, count: usize) -> Work {
    new(op, tensors::<1>(&[count], DType::F32))
}

/// A function of positive elements.
pub fn unary_of_positive(op: Op, count: usize) -> Work {
    let a = apply(Op::Add, &[(&tensor(&[count], DType::F32)).into(), 4.5.into()], &Params::none()).expect("a result");
    new(op, [a])
}

/// A conversion into a new tensor.
pub fn converted(count: usize, dtype: DType) -> Work {
    let a = tensor(&[count], DType::F32);
    work(move || a.to_dtype(dtype).expect("a conversion"))
}

/// `a + b` into a third tensor.
pub fn add_out(count: usize) -> Work {
    let [a, b, mut c] = tensors(&[count], DType::F32);
    work(move || {
        apply_out(Op::Add, &[(&a).into(), (&b).into()], &mut c, &Params::none()).expect("a result");
        c.clone()
    })
}

/// `a += b`, with small numbers that don't overflow however often.
pub fn add_in_place(count: usize) -> Work {
    let [a, b] = tensors(&[count], DType::F32);
    b.fill_(1e-9).expect("a number");
    changed(Op::Add, a, vec![b])
}

/// An operation in place, beside as many elements of a dtype that make no difference, or none.
pub fn in_place(op: Op, count: usize, dtype: DType) -> Work {
    let [a, b] = tensors(&[count], dtype);
    b.fill_(if op == Op::Mul { 1.0 } else { 0.0 }).expect("a number");
    changed(op, a, if op.row().operands.len() == 1 { Vec::new() } else { vec![b] })
}

fn changed(op: Op, a: RawTensor, others: Vec<RawTensor>) -> Work {
    work(move || {
        let others: Vec<RawOperand<'_>> = others.iter().map(Into::into).collect();
        apply_in_place(op, &a, &others, &Params::none()).expect("a result");
        a.clone()
    })
}

/// `a + b.T`.
pub fn add_transposed(size: usize) -> Work {
    let [a, b] = tensors(&[size, size], DType::F32);
    new(Op::Add, [a, transposed(&b)])
}

/// `b.T.contiguous()`.
pub fn transpose(size: usize) -> Work {
    let b = transposed(&operand(1, &[size, size], DType::F32));
    work(move || b.contiguous(MemoryFormat::Contiguous).expect("a copy"))
}

/// `c.copy_(a)`; what comes from `f32` is between 0 and 100 where it isn't a float afterwards.
pub fn copy(count: usize, from: DType, to: DType) -> Work {
    let a = if to.is_floating_point() { tensor(&[count], from) } else { tensor(&[count], to).to_dtype(from).expect("a conversion") };
    let c = RawTensor::new(&[count], &Options::new().dtype(to)).expect("memory");
    work(move || {
        c.copy_(&a).expect("a copy");
        c.clone()
    })
}

/// `where(mask, a, b)`.
pub fn select(count: usize) -> Work {
    let [a, b] = tensors(&[count], DType::F32);
    let mask = apply(Op::Gt, &[(&a).into(), 0.5.into()], &Params::none()).expect("a mask");
    new(Op::Where, [mask, a, b])
}

/// `a.clamp(-1, 1)`.
pub fn clamp(count: usize) -> Work {
    let a = tensor(&[count], DType::F32);
    work(move || apply(Op::Clamp, &[(&a).into(), (-1.0).into(), 1.0.into()], &Params::none()).expect("a result"))
}

/// `sigmoid(a * b + a) * b - a` in one pass, of tensors whose types know their dtype.
pub fn fused(count: usize) -> Work {
    let [a, b] = typed(count);
    work(move || fuse!(sigmoid(a * b + a) * b - a))
}

/// The same, of tensors of which only the run knows the dtype.
pub fn fused_dynamic(count: usize) -> Work {
    let [a, b] = dynamic(count);
    work(move || fuse!(sigmoid(a * b + a) * b - a))
}

/// The sum of the same, in one pass without a tensor of it.
pub fn fused_sum(count: usize) -> Work {
    let [a, b] = typed(count);
    work(move || fuse!(sum(sigmoid(a * b + a) * b - a)))
}

/// The mean of squared differences, in one pass.
pub fn fused_mean(count: usize) -> Work {
    let [a, b] = typed(count);
    work(move || fuse!(mean(square(a - b))))
}

/// The same, of tensors of which only the run knows the dtype.
pub fn fused_mean_dynamic(count: usize) -> Work {
    let [a, b] = dynamic(count);
    work(move || fuse!(mean(square(a - b))))
}

/// The first by operators.
pub fn unfused(count: usize) -> Work {
    let [a, b] = typed(count);
    work(move || (&a * &b + &a).sigmoid() * &b - &a)
}

/// A reduction over all elements or along a dimension.
pub fn reduced(op: Reduction, sizes: &[usize], dim: Option<isize>, dtype: DType) -> Work {
    let a = tensor(sizes, dtype);
    let along = dim.map_or_else(Along::all, |dim| Along::dims(&[dim]));
    work(move || reduce(op, &a, &along).expect("a result"))
}

/// `any` of a tensor without a true element, so that all have to be looked at.
pub fn any_of_none(count: usize) -> Work {
    let mask = apply(Op::Gt, &[(&tensor(&[count], DType::F32)).into(), 100.0.into()], &Params::none()).expect("a mask");
    work(move || reduce(Reduction::Any, &mask, &Along::all()).expect("a result"))
}

/// `a.softmax(dim)` of a square.
pub fn softmax_of(side: usize, dim: isize) -> Work {
    let a = tensor(&[side, side], DType::F32);
    work(move || softmax(Reduction::Softmax, &a, dim, None, Target::New).expect("a result"))
}

/// The product of two tensors of those sizes.
pub fn product(sizes: [&[usize]; 2], dtype: DType) -> Work {
    let [a, b] = from_fn(|number| operand(number, sizes[number], dtype));
    let multiply = match sizes {
        [[_], [_]] => dot,
        [[_, _], [_]] => mv,
        [[_, _, _], _] => bmm,
        _ => matmul,
    };
    work(move || multiply(&a, &b, Target::New).expect("a product"))
}

/// Elements moved into a new tensor.
pub fn moved(sizes: &[usize], change: fn(&RawTensor) -> Result<RawTensor>) -> Work {
    let a = tensor(sizes, DType::F32);
    work(move || change(&a).expect("a copy"))
}

/// Work on some tensors that only the run knows.
pub fn by_name<const N: usize>(operands: [RawTensor; N], once: impl Fn(&[DynTensor; N]) -> DynTensor + 'static) -> Work {
    let operands = operands.map(DynTensor::from);
    work(move || once(&operands))
}

/// The tensor that a call by name gives.
pub fn called(name: &str, arguments: Arguments<'_>) -> DynTensor {
    call(name, arguments).and_then(|outcome| outcome.tensor()).expect("a tensor")
}

/// The first of several.
pub fn called_first(name: &str, arguments: Arguments<'_>) -> DynTensor {
    call(name, arguments).and_then(|outcome| outcome.tensors()).expect("tensors").swap_remove(0)
}

/// The second one.
pub fn called_second(name: &str, arguments: Arguments<'_>) -> DynTensor {
    call(name, arguments).and_then(|outcome| outcome.tensors()).expect("tensors").swap_remove(1)
}

/// Places below some number, in no order. `torch_side.py` has the same function.
pub fn place_of(sizes: &[usize], below: usize) -> RawTensor {
    let wide = apply(Op::Mul, &[(&tensor(sizes, DType::F32)).into(), 2_097_152.0.into()], &Params::none()).expect("a result");
    let wide = wide.to_dtype(DType::I64).expect("a conversion");
    apply(Op::Remainder, &[(&wide).into(), i64::try_from(below).expect("a size").into()], &Params::none()).expect("a result")
}

/// Which of the numbers are positive.
pub fn positive(sizes: &[usize]) -> RawTensor {
    apply(Op::Gt, &[(&tensor(sizes, DType::F32)).into(), 0.into()], &Params::none()).expect("a mask")
}

/// The same as numbers.
pub fn zeros_and_ones(count: usize) -> RawTensor {
    positive(&[count]).to_dtype(DType::F32).expect("memory")
}

/// Sums of the elements that have the same index, of 101.
pub fn scattered(count: usize) -> Work {
    let (indices, a) = (operand(0, &[count], DType::I64), operand(1, &[count], DType::F32));
    let zeros = RawTensor::zeros(&[101], &Options::new()).expect("memory");
    by_name([zeros, indices, a], |[zeros, indices, a]| called("scatter_add", args![zeros, 0, indices, a]))
}

/// `a + b` of ten elements, where the compiler knows dtype and sizes.
pub fn add_typed() -> Work {
    let [a, b] = tensors(&[10], DType::F32).map(|tensor| DynTensor::from(tensor).typed::<f32, shape![10]>().expect("its type"));
    work(move || &a + &b)
}

/// The same, where only the run knows them.
pub fn add_dynamic() -> Work {
    let [a, b] = dynamic(10);
    work(move || &a + &b)
}

/// `a += b` of ten elements; those of `b` are zeros, so that none overflows however often.
pub fn add_typed_in_place() -> Work {
    let [a, b] = typed(10);
    let b = b * 0.0;
    work_on(a, move |a| *a += &b)
}

/// A view of four of ten elements.
pub fn narrowed() -> Work {
    let [a] = typed(10);
    work(move || a.narrow(0, 2, 4).expect("there are as many"))
}

/// The number of a tensor of one element.
pub fn item() -> Work {
    let [a] = typed(1);
    work(move || a.item())
}

/// A sum to which the same is added again and again.
pub fn add_on() -> Work {
    let [a, b] = dynamic(10);
    work_on(a, move |sum| *sum = &*sum + &b)
}

/// A tensor of `f32` that was not written yet.
pub fn empty(sizes: &[usize]) -> RawTensor {
    RawTensor::new(sizes, &Options::new().dtype(DType::F32)).expect("memory")
}

/// A draw into a new tensor.
pub fn drawn(draw: fn(&Generator) -> Result<RawTensor>) -> Work {
    let generator = Generator::seeded(1);
    work(move || draw(&generator).expect("a draw"))
}

/// A draw into a tensor that is there.
pub fn filled(count: usize, draw: fn(&RawTensor, &Generator) -> Result<()>) -> Work {
    let (tensor, generator) = (empty(&[count]), Generator::seeded(1));
    work(move || {
        draw(&tensor, &generator).expect("a draw");
        tensor.clone()
    })
}

/// Half of the elements dropped.
pub fn dropped(count: usize) -> Work {
    latten::manual_seed(1);
    let tensor = tensor(&[count], DType::F32);
    work(move || random::dropout(Dropped::Elements, &tensor, 0.5, Mode::Training).expect("a probability"))
}

/// Ten places of each row.
pub fn sampled(replacement: Replacement) -> Work {
    let (weights, generator) = (tensor(&[of(1000), of(1000)], DType::F32), Generator::seeded(1));
    apply_in_place(Op::Add, &weights, &[4.5.into()], &Params::none()).expect("a result");
    work(move || random::multinomial(&weights, 10, replacement, Some(&generator), Target::New).expect("weights"))
}
