//! latten's side: tensors of repeatable numbers, and the calls that rows time.

use std::hint::black_box;

use latten::prelude::*;
use latten_core::create::Options;
use latten_core::device::Device;
use latten_core::elementwise::{Operand, Params, apply, apply_in_place, apply_out};
use latten_core::error::Result;
use latten_core::layout::MemoryFormat;
use latten_core::product::{bmm, dot, matmul, mv};
use latten_core::random::{self, Dropped, Generator, Mode, Replacement};
use latten_core::raw::RawTensor;
use latten_core::reduce::{Along, reduce, softmax};
use latten_core::storage::TypedStorage;
use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

/// Work that a row times.
pub type Work = Box<dyn FnMut()>;

/// The numbers that every side computes with: between -4 and 4, or of integers between 0 and 100.
pub fn numbers(count: usize) -> impl Iterator<Item = f32> {
    let mut state = 1_u32;
    (0..count).map(move |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 2_097_152.0 - 4.0
    })
}

fn strides(sizes: &[usize]) -> Vec<usize> {
    (0..sizes.len()).map(|d| sizes[d + 1..].iter().product()).collect()
}

/// A tensor of `numbers`.
pub fn tensor(sizes: &[usize], dtype: DType) -> RawTensor {
    let floats = RawTensor::empty(sizes, &strides(sizes), DType::F32, Device::CPU).expect("memory");
    let storage = TypedStorage::<f32>::of(floats.storage().clone());
    let mut slice = storage.slice_mut().expect("an own storage");
    let shift = |x: f32| if dtype.is_floating_point() { x } else { (x + 4.0) * 12.5 };
    slice.iter_mut().zip(numbers(floats.numel())).for_each(|(to, x)| *to = shift(x));
    drop(slice);
    floats.to_dtype(dtype).expect("a conversion")
}

fn transposed(tensor: &RawTensor) -> RawTensor {
    tensor.reverse_dims()
}

/// An operation into a new tensor.
pub fn new<const N: usize>(op: Op, operands: [RawTensor; N]) -> Work {
    Box::new(move || {
        let operands = operands.each_ref().map(Operand::Tensor);
        black_box(apply(op, &operands, &Params::none()).expect("a result"));
    })
}

/// `a + b` on sizes and dtypes.
pub fn binary(op: Op, sizes: [&[usize]; 2], dtypes: [DType; 2]) -> Work {
    new(op, [tensor(sizes[0], dtypes[0]), tensor(sizes[1], dtypes[1])])
}

/// A function of each element.
pub fn unary(op: Op, count: usize) -> Work {
    new(op, [tensor(&[count], DType::F32)])
}

/// `a + b` into a third tensor.
pub fn add_out(count: usize) -> Work {
    let [a, b, mut c] = [0; 3].map(|_| tensor(&[count], DType::F32));
    Box::new(move || {
        black_box(apply_out(Op::Add, &[(&a).into(), (&b).into()], &mut c, &Params::none()).expect("a result"));
    })
}

/// `a += b`, with small numbers that don't overflow however often.
pub fn add_in_place(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| tensor(&[count], DType::F32));
    b.fill_(1e-9).expect("a number");
    Box::new(move || apply_in_place(Op::Add, &a, &[(&b).into()], &Params::none()).expect("a result"))
}

/// `a + b.T`.
pub fn add_transposed(size: usize) -> Work {
    let [a, b] = [0; 2].map(|_| tensor(&[size, size], DType::F32));
    new(Op::Add, [a, transposed(&b)])
}

/// `b.T.contiguous()`.
pub fn transpose(size: usize) -> Work {
    let b = transposed(&tensor(&[size, size], DType::F32));
    Box::new(move || {
        black_box(b.contiguous(MemoryFormat::Contiguous).expect("a copy"));
    })
}

/// `c.copy_(a)`.
pub fn copy(count: usize, from: DType, to: DType) -> Work {
    let (a, c) = (tensor(&[count], from), tensor(&[count], to));
    Box::new(move || c.copy_(&a).expect("a copy"))
}

/// `where(mask, a, b)`.
pub fn select(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| tensor(&[count], DType::F32));
    let mask = apply(Op::Gt, &[(&a).into(), 0.5.into()], &Params::none()).expect("a mask");
    new(Op::Where, [mask, a, b])
}

/// `a.clamp(-1, 1)`.
pub fn clamp(count: usize) -> Work {
    let a = tensor(&[count], DType::F32);
    Box::new(move || {
        black_box(apply(Op::Clamp, &[(&a).into(), (-1.0).into(), 1.0.into()], &Params::none()).expect("a result"));
    })
}

/// `sigmoid(a * b + a) * b - a` in one pass, of tensors whose types know their dtype.
pub fn fused(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| DynTensor::from(tensor(&[count], DType::F32)).typed::<f32, Rank<1>>().expect("its type"));
    Box::new(move || {
        black_box(fuse!(sigmoid(a * b + a) * b - a));
    })
}

/// The same, of tensors of which only the run knows the dtype.
pub fn fused_dynamic(count: usize) -> Work {
    let [a, b]: [DynTensor; 2] = [0; 2].map(|_| tensor(&[count], DType::F32).into());
    Box::new(move || {
        black_box(fuse!(sigmoid(a * b + a) * b - a));
    })
}

/// The sum of the same, in one pass without a tensor of it.
pub fn fused_sum(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| DynTensor::from(tensor(&[count], DType::F32)).typed::<f32, Rank<1>>().expect("its type"));
    Box::new(move || {
        black_box(fuse!(sum(sigmoid(a * b + a) * b - a)));
    })
}

/// The mean of squared differences, in one pass.
pub fn fused_mean(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| DynTensor::from(tensor(&[count], DType::F32)).typed::<f32, Rank<1>>().expect("its type"));
    Box::new(move || {
        black_box(fuse!(mean(square(a - b))));
    })
}

/// The same, of tensors of which only the run knows the dtype.
pub fn fused_mean_dynamic(count: usize) -> Work {
    let [a, b]: [DynTensor; 2] = [0; 2].map(|_| tensor(&[count], DType::F32).into());
    Box::new(move || {
        black_box(fuse!(mean(square(a - b))));
    })
}

/// The first by operators.
pub fn unfused(count: usize) -> Work {
    let [a, b] = [0; 2].map(|_| DynTensor::from(tensor(&[count], DType::F32)).typed::<f32, Rank<1>>().expect("its type"));
    Box::new(move || {
        black_box((&a * &b + &a).sigmoid() * &b - &a);
    })
}

/// A reduction over all elements or along a dimension.
pub fn reduced(op: Reduction, sizes: &[usize], dim: Option<isize>, dtype: DType) -> Work {
    let a = tensor(sizes, dtype);
    let along = dim.map_or_else(Along::all, |dim| Along::dims(&[dim]));
    Box::new(move || {
        black_box(reduce(op, &a, &along).expect("a result"));
    })
}

/// `any` of a tensor without a true element, so that all have to be looked at.
pub fn any_of_none(count: usize) -> Work {
    let mask = apply(Op::Gt, &[(&tensor(&[count], DType::F32)).into(), 100.0.into()], &Params::none()).expect("a mask");
    Box::new(move || {
        black_box(reduce(Reduction::Any, &mask, &Along::all()).expect("a result"));
    })
}

/// `a.softmax(dim)` of a square.
pub fn softmax_of(side: usize, dim: isize) -> Work {
    let a = tensor(&[side, side], DType::F32);
    Box::new(move || {
        black_box(softmax(Reduction::Softmax, &a, dim, None).expect("a result"));
    })
}

/// The product of two tensors of those sizes.
pub fn product(sizes: [&[usize]; 2], dtype: DType) -> Work {
    let [a, b] = sizes.map(|sizes| tensor(sizes, dtype));
    let multiply = match sizes {
        [[_], [_]] => dot,
        [[_, _], [_]] => mv,
        [[_, _, _], _] => bmm,
        _ => matmul,
    };
    Box::new(move || {
        black_box(multiply(&a, &b).expect("a product"));
    })
}

/// `a + b` of ten elements, where the compiler knows dtype and sizes.
pub fn add_typed() -> Work {
    let [a, b] = [0; 2].map(|_| Tensor::<f32, shape![10]>::ones());
    Box::new(move || {
        black_box(&a + &b);
    })
}

/// A tensor of `f32` that was not written yet.
pub fn empty(sizes: &[usize]) -> RawTensor {
    RawTensor::new(sizes, &Options::new().dtype(DType::F32)).expect("memory")
}

/// A draw into a new tensor.
pub fn drawn(draw: fn(&Generator) -> Result<RawTensor>) -> Work {
    let generator = Generator::seeded(1);
    Box::new(move || {
        black_box(draw(&generator).expect("a draw"));
    })
}

/// A draw into a tensor that is there.
pub fn filled(count: usize, draw: fn(&RawTensor, &Generator) -> Result<()>) -> Work {
    let (tensor, generator) = (empty(&[count]), Generator::seeded(1));
    Box::new(move || draw(&tensor, &generator).expect("a draw"))
}

/// Half of the elements dropped.
pub fn dropped(count: usize) -> Work {
    let tensor = tensor(&[count], DType::F32);
    Box::new(move || {
        black_box(random::dropout(Dropped::Elements, &tensor, 0.5, Mode::Training).expect("a probability"));
    })
}

/// Ten places of each row.
pub fn sampled(replacement: Replacement) -> Work {
    let (weights, generator) = (empty(&[1000, 1000]), Generator::seeded(1));
    random::uniform_(&weights, 0.0, 1.0, Some(&generator)).expect("a range");
    Box::new(move || {
        black_box(random::multinomial(&weights, 10, replacement, Some(&generator)).expect("weights"));
    })
}
