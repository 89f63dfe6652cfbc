//! Tests that need a device: a GPU, or the stand-in.

#[path = "memory.rs"]
mod memory;
#[path = "products.rs"]
mod products;
#[path = "reductions.rs"]
mod reductions;

use latten::cuda::inspect::Kernels;
use latten::cuda::inspect::Trait;
use latten::elementwise::{Params, RawOperand, apply, apply_in_place, apply_out};
use latten::reduce::Reduction;
use latten::reduce::{Along, reduce};
use latten::tensor::DynTensor;
use latten::{Category, DType, Device, MemoryFormat, Op, RawTensor, Result, Scalar};
use latten::{fuse, kernel};

use crate::compare::{Random, bytes, check, numbers, same};

/// Whether there is a device; a line says where there is none.
fn ready(test: &str) -> bool {
    let found = latten::cuda::is_available();
    if !found {
        println!("not run here: {test} needs a CUDA device, or the stand-in");
    }
    found
}

fn cuda() -> Device {
    "cuda:0".parse().expect("a device")
}

const COUNT: usize = 517;

/// Numbers that an operation takes without an error: integers aren't divided by zero.
fn operand(op: Op, index: usize, dtype: DType) -> RawTensor {
    let numbers = numbers(dtype, COUNT, 17 * index as u64 + dtype as u64 + 1).expect("numbers");
    let divides = index == 1 && op.row().is(Trait::Divides) && dtype.category() == Category::Integral;
    if divides { apply(Op::BitwiseOr, &[(&numbers).into(), 1.into()], &Params::none()).expect("odd numbers") } else { numbers }
}

fn every_operation(arity: usize, part: usize) {
    let chosen = Op::ALL.iter().filter(|op| op.row().operands.len() == arity).enumerate().filter(|(i, _)| i % 2 == part);
    for (_, &op) in chosen {
        Kernels::of(op).and_then(|kernels| kernels.load(cuda())).unwrap_or_else(|error| panic!("{op}: {error}"));
        for &dtype in DType::COMPUTING {
            let tensors: Vec<RawTensor> =
                (0..arity).map(|i| operand(op, i, if i == 0 && op.row().is(Trait::Conditional) { DType::Bool } else { dtype })).collect();
            let all: Vec<RawOperand<'_>> = tensors.iter().map(RawOperand::from).collect();
            check(op, &all, &Params::none());
            if arity == 2 {
                let number = match dtype.category() {
                    Category::Boolean => Scalar::Bool(true),
                    Category::Integral => Scalar::Int(3),
                    Category::Floating => Scalar::Float(1.7),
                    Category::Complex => Scalar::Complex(latten::Complex::new(1.7, -0.3)),
                };
                check(op, &[all[0], number.into()], &Params::none());
                check(op, &[number.into(), all[1]], &Params::none());
            }
        }
    }
}

#[test]
fn operations_on_one_tensor_first_half() {
    if ready("unary operations") {
        every_operation(1, 0);
    }
}

#[test]
fn operations_on_one_tensor_second_half() {
    if ready("unary operations") {
        every_operation(1, 1);
    }
}

#[test]
fn operations_on_two_tensors_first_half() {
    if ready("binary operations") {
        every_operation(2, 0);
    }
}

#[test]
fn operations_on_two_tensors_second_half() {
    if ready("binary operations") {
        every_operation(2, 1);
    }
}

#[test]
fn operations_on_three_tensors() {
    if ready("ternary operations") {
        every_operation(3, 0);
        every_operation(3, 1);
    }
}

#[test]
fn every_pair_of_dtypes_promotes_in_the_kernel() {
    if !ready("pairs") {
        return;
    }
    for op in [Op::Add, Op::Mul, Op::Div, Op::Lt] {
        Kernels::pairs(op).and_then(|kernels| kernels.load(cuda())).unwrap_or_else(|error| panic!("{op}: {error}"));
        for &left in DType::COMPUTING {
            for &right in DType::COMPUTING {
                let (x, y) = (operand(op, 0, left), operand(op, 1, right));
                check(op, &[(&x).into(), (&y).into()], &Params::none());
            }
        }
    }
}

#[test]
fn every_conversion_is_that_of_the_cpu() -> Result<()> {
    if !ready("conversions") {
        return Ok(());
    }
    let stored = || DType::ALL.iter().copied().filter(|dtype| !dtype.is_quantized());
    let mut random = Random::new(5);
    for from in stored() {
        Kernels::casts(from)?.load(cuda())?;
        // Every pattern of bits of the narrow ones, and many of the wide ones.
        let count = if from.itemsize() == 1 { 256 } else { 65536 };
        let patterns: Vec<u8> = match from.itemsize() {
            1 => (0..=255).collect(),
            2 => (0..=u16::MAX).flat_map(u16::to_ne_bytes).collect(),
            _ => (0..count * from.itemsize() / 8).flat_map(|_| random.next().to_ne_bytes()).collect(),
        };
        let storage = latten::storage::UntypedStorage::from_bytes(&patterns)?;
        let wild = RawTensor::over(storage, from, latten::geometry::Geometry::contiguous(&[count]))?;
        let tame = if from.is_computing() { Some(numbers(from, 4096, 3)?) } else { None };
        for tensor in [Some(&wild), tame.as_ref()].into_iter().flatten() {
            let device = tensor.to_device(cuda())?;
            for to in stored() {
                same(&format!("{from} to {to}"), &tensor.to_dtype(to)?, &device.to_dtype(to)?, 0.0);
            }
        }
    }
    Ok(())
}

/// Views of one tensor that reach all walks of kernels: dense, shifted, with steps, turned, broadcast, of many dimensions.
fn views(dtype: DType) -> Result<Vec<RawTensor>> {
    let base = numbers(dtype, 40_000, 9)?;
    let view = |sizes: &[isize], strides: &[isize], offset: isize| base.as_strided(sizes, strides, Some(offset));
    let mut views = Vec::new();
    for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 1025, 4099] {
        views.push(view(&[count], &[1], 0)?);
    }
    for offset in 1..9 {
        views.push(view(&[100], &[1], offset)?);
    }
    for (sizes, strides) in [
        (&[50, 40][..], &[40, 1][..]),
        (&[50, 40], &[41, 1]),
        (&[50, 40], &[1, 50]),
        (&[50, 40], &[2, 200]),
        (&[70, 96], &[1, 71]),
        (&[4, 70, 96], &[6720, 1, 70]),
        (&[33, 5, 64], &[1, 33, 170]),
        (&[50, 40], &[0, 1]),
        (&[50, 40], &[1, 0]),
        (&[50, 40], &[0, 0]),
        (&[7, 16], &[16, 1]),
        (&[7, 16], &[48, 1]),
        (&[5, 0, 3], &[3, 3, 1]),
        (&[3, 4, 5, 6], &[120, 1, 24, 4]),
        (&[3, 4, 5, 6], &[1, 3, 12, 60]),
        (&[2, 3, 2, 3, 2, 3, 2, 3, 2], &[1, 2, 6, 12, 36, 72, 216, 432, 1296]),
        (&[2, 3, 2, 3, 2, 3, 2, 3, 2], &[1296, 432, 216, 72, 36, 12, 6, 2, 1]),
        (&[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], &[1, 3, 7, 15, 32, 65, 131, 270, 545, 1100, 2205]),
    ] {
        views.push(view(sizes, strides, 3)?);
    }
    Ok(views)
}

#[test]
fn every_layout_is_walked() -> Result<()> {
    if !ready("layouts") {
        return Ok(());
    }
    for (left, right) in [(DType::F32, DType::F32), (DType::I64, DType::F16), (DType::U8, DType::U8), (DType::C128, DType::BF16)] {
        let device = |tensor: &RawTensor| -> Result<RawTensor> {
            // The same view of a copy of the whole storage.
            RawTensor::over(tensor.storage().to(cuda())?, tensor.dtype(), tensor.geometry().clone())
        };
        for (x, y) in views(left)?.iter().zip(&views(right)?) {
            let (dx, dy) = (device(x)?, device(y)?);
            let what = format!("{left} {:?} {:?} and {right}", x.sizes(), x.strides());
            let none = Params::none();
            same(&what, &apply(Op::Add, &[x.into(), y.into()], &none)?, &apply(Op::Add, &[(&dx).into(), (&dy).into()], &none)?, 0.0);
            same(&format!("clone of {what}"), &x.clone_as(MemoryFormat::Preserve)?, &dx.clone_as(MemoryFormat::Preserve)?, 0.0);
            same(&format!("rows of {what}"), &x.clone_as(MemoryFormat::Contiguous)?, &dx.clone_as(MemoryFormat::Contiguous)?, 0.0);
            same(&format!("{what} from the device"), x, &over_host(&dx, x)?, 0.0);
        }
        // Broadcasting between different shapes, both ways round.
        let (row, column) = (numbers(left, 33, 1)?, numbers(right, 21, 2)?.as_strided(&[21, 1], &[1, 1], None)?);
        check(Op::Add, &[(&row).into(), (&column).into()], &Params::none());
        check(Op::Add, &[(&column).into(), (&row).into()], &Params::none());
        let plane = numbers(left, 21 * 32, 5)?.as_strided(&[21, 32], &[32, 1], None)?;
        check(Op::Add, &[(&plane).into(), (&numbers(right, 32, 7)?).into()], &Params::none());
    }
    Ok(())
}

/// A tensor of the device in the place of one of the host: all of the storage goes back.
fn over_host(device: &RawTensor, like: &RawTensor) -> Result<RawTensor> {
    RawTensor::over(device.storage().cpu()?, like.dtype(), like.geometry().clone())
}

#[test]
fn results_go_in_place_and_into_outputs() -> Result<()> {
    if !ready("outputs") {
        return Ok(());
    }
    let (x, y) = (numbers(DType::F32, 1000, 1)?, numbers(DType::I16, 1000, 2)?);
    let (dx, dy) = (x.to_device(cuda())?, y.to_device(cuda())?);
    apply_in_place(Op::Add, &x, &[(&y).into()], &Params::one(2.5))?;
    apply_in_place(Op::Add, &dx, &[(&dy).into()], &Params::one(2.5))?;
    same("x += 2.5 y", &x, &dx, 0.0);
    // In place on every other element, from those between.
    let half = |tensor: &RawTensor, offset| tensor.as_strided(&[500], &[2], Some(offset));
    apply_in_place(Op::Mul, &half(&x, 0)?, &[(&half(&x, 1)?).into()], &Params::none())?;
    apply_in_place(Op::Mul, &half(&dx, 0)?, &[(&half(&dx, 1)?).into()], &Params::none())?;
    same("x[::2] *= x[1::2]", &x, &dx, 0.0);
    // Overlapping, as if the input had been copied first.
    let square = |tensor: &RawTensor| tensor.as_strided(&[31, 31], &[32, 1], None);
    let column = |tensor: &RawTensor| tensor.as_strided(&[31, 1], &[32, 1], None);
    apply_in_place(Op::Sub, &square(&x)?, &[(&column(&x)?).into()], &Params::none())?;
    apply_in_place(Op::Sub, &square(&dx)?, &[(&column(&dx)?).into()], &Params::none())?;
    same("x -= x[:, :1]", &x, &dx, 0.0);
    for out in [DType::F64, DType::F16, DType::C64] {
        let empty = |device| RawTensor::empty(&[0], &[1], out, device);
        let (mut cpu, mut device) = (empty(Device::CPU)?, empty(cuda())?);
        apply_out(Op::Sub, &[(&x).into(), (&y).into()], &mut cpu, &Params::none())?;
        apply_out(Op::Sub, &[(&dx).into(), (&dy).into()], &mut device, &Params::none())?;
        same(&format!("out of {out}"), &cpu, &device, 0.0);
    }
    let refused = apply_in_place(Op::Add, &dy, &[(&dx).into()], &Params::none()).expect_err("a cast");
    assert_eq!(refused.message(), "result type Float can't be cast to the desired output type Short");
    same("what was refused", &y, &dy, 0.0);
    Ok(())
}

#[test]
fn numbers_and_tensors_of_the_host_without_dimensions_mix() -> Result<()> {
    if !ready("mixing") {
        return Ok(());
    }
    let (x, zero) = (numbers(DType::F16, 100, 1)?, RawTensor::from_vec(vec![1.000_123_f32], &[])?);
    let dx = x.to_device(cuda())?;
    for op in [Op::Add, Op::Mul, Op::Div, Op::Maximum] {
        let cpu = apply(op, &[(&x).into(), (&zero).into()], &Params::none())?;
        same(&format!("{op} with a cpu number"), &cpu, &apply(op, &[(&dx).into(), (&zero).into()], &Params::none())?, 0.0);
        let there = zero.to_device(cuda())?;
        same(&format!("{op} with a cuda number"), &cpu, &apply(op, &[(&dx).into(), (&there).into()], &Params::none())?, 0.0);
    }
    let refused = apply(Op::Add, &[(&dx).into(), (&x).into()], &Params::none()).expect_err("two devices");
    assert_eq!(refused.message(), "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!");
    let refused = apply_in_place(Op::Add, &zero, &[(&zero.to_device(cuda())?).into()], &Params::none()).expect_err("an output stays");
    assert!(refused.message().starts_with("Expected all tensors to be on the same device"), "{refused}");
    Ok(())
}

#[test]
fn what_has_no_kernel_says_so() -> Result<()> {
    if !ready("what is missing") {
        return Ok(());
    }
    // Elements that stand for several, filled where a mask holds for one of them.
    let x = numbers(DType::F32, 6, 1)?.to_device(cuda())?.expand(&[2, 6])?;
    let mask = apply(Op::Gt, &[(&x).into(), 0.into()], &Params::none())?;
    let refused = latten::indexing::masked_fill_in_place(&x, &mask, 1.into()).expect_err("no kernel");
    assert_eq!(refused.kind(), latten::ErrorKind::NotImplemented, "{refused}");
    assert!(refused.message().starts_with("Could not run") && refused.message().contains("'CUDA' backend"), "{refused}");
    Ok(())
}

#[test]
fn kernels_are_compiled_ahead() -> Result<()> {
    if !ready("warming up") {
        return Ok(());
    }
    let warm = latten::cuda::warm_up(0, &[Op::Atan2], &[DType::F32, DType::F16])?;
    // Three forms of each dtype, and four conversions.
    assert_eq!(warm.wait()?, 10);
    let x = numbers(DType::F16, 10, 1)?;
    check(Op::Atan2, &[(&x).into(), (&x).into()], &Params::none());
    check(Op::Atan2, &[(&x).into(), 1.5.into()], &Params::none());
    drop(latten::cuda::warm_up(0, &[Op::Atan2], &[DType::F32])?);
    Ok(())
}

#[kernel]
fn leaky(x: Number, y: Number, slope: f64) -> Number {
    let product = x * y;
    product * slope
}

#[kernel]
fn is_close(x: Real, y: Real, within: f64) -> bool {
    abs(x - y) <= within
}

#[test]
fn kernels_of_users_and_fused_expressions_run_there() -> Result<()> {
    if !ready("fused expressions") {
        return Ok(());
    }
    let tensor = |dtype, seed| numbers(dtype, 300, seed).map(DynTensor::from);
    for (left, right) in [(DType::F32, DType::F32), (DType::F16, DType::I64), (DType::C64, DType::F64), (DType::I32, DType::U8)] {
        let (x, y) = (tensor(left, 1)?, tensor(right, 2)?);
        let (dx, dy) = (x.cuda()?, y.cuda()?);
        let both =
            |what: &str, cpu: DynTensor, device: DynTensor| same(&format!("{what} of {left} and {right}"), cpu.raw(), device.raw(), 0.0);
        both("a kernel", leaky(&x, &y, 3.0), leaky(&dx, &dy, 3.0));
        both("a * b + a", fuse!(x * y + x), fuse!(dx * dy + dx));
        both("(a - b) * 2", fuse!((x - y) * 2), fuse!((dx - dy) * 2));
        both("steps one by one", &(&x * &y) + &x, fuse!(dx * dy + dx));
    }
    let (x, y) = (tensor(DType::F32, 3)?, tensor(DType::BF16, 4)?);
    let (dx, dy) = (x.cuda()?, y.cuda()?);
    same("truths", is_close(&x, &y, 2.0).raw(), is_close(&dx, &dy, 2.0).raw(), 0.0);
    same("choices", fuse!(if x > y { x * 2.0 } else { -y }).raw(), fuse!(if dx > dy { dx * 2.0 } else { -dy }).raw(), 0.0);
    let row = DynTensor::from(numbers(DType::F32, 30, 5)?);
    let (planes, there) = (x.reshape([10, 30])?, dx.reshape([10, 30])?);
    let drow = row.cuda()?;
    same("broadcast", fuse!(planes * row + 1).raw(), fuse!(there * drow + 1).raw(), 0.0);
    Ok(())
}

/// Small whole numbers, whose sums are exact in any order; or for products, ones and few others.
fn whole(dtype: DType, count: usize, op: Reduction) -> Result<RawTensor> {
    let of_product = |i: usize| if i.is_multiple_of(997) { 2 } else { 1 - 2 * i64::from(i.is_multiple_of(5)) };
    let number = |i: usize| if op == Reduction::Prod { of_product(i) } else { (i * 7919 % 11) as i64 - 4 };
    RawTensor::from_vec((0..count).map(number).collect(), &[count])?.to_dtype(dtype)
}

#[test]
fn reductions_are_those_of_the_cpu() -> Result<()> {
    if !ready("reductions") {
        return Ok(());
    }
    use Reduction::{All, Amax, Amin, Any, CountNonzero, Max, Mean, Nansum, Prod, Sum};
    for &dtype in DType::COMPUTING {
        Kernels::folds(dtype)?.load(cuda())?;
        for op in [Sum, Prod, Mean, Amax, Amin, Max, Any, All, CountNonzero, Nansum] {
            let exact = !matches!(op, Sum | Prod | Mean | Nansum);
            let base = if exact { numbers(dtype, 40_000, 4)? } else { whole(dtype, 40_000, op)? };
            for (sizes, strides, dims) in [
                (&[0][..], &[1][..], None),
                (&[1], &[1], None),
                (&[1000], &[1], None),
                (&[40_000], &[1], None),
                (&[300, 130], &[130, 1], Some(&[0][..])),
                (&[5, 300], &[300, 1], Some(&[1])),
                (&[30, 30], &[30, 1], Some(&[1])),
                (&[130, 300], &[1, 130], Some(&[1])),
                (&[2, 700], &[0, 3], Some(&[1])),
                (&[5, 6, 7, 8], &[336, 56, 8, 1], Some(&[0, 2])),
                (&[2, 6, 2, 8], &[336, 56, 8, 1], Some(&[1, 3])),
                (&[5, 6, 7, 2], &[1, 5, 30, 210], Some(&[0, 1, 2])),
                (&[3, 0, 4], &[4, 4, 1], Some(&[1])),
                (&[3, 0, 4], &[4, 4, 1], Some(&[0])),
            ] {
                let x = base.as_strided(sizes, strides, None)?;
                let dx = RawTensor::over(x.storage().to(cuda())?, dtype, x.geometry().clone())?;
                let along = dims.map_or_else(Along::all, Along::dims);
                let what = format!("{} of {dtype} {sizes:?} {strides:?} along {dims:?}", op.row().name);
                match (reduce(op, &x, &along), reduce(op, &dx, &along)) {
                    (Ok(cpu), Ok(device)) => {
                        same(&what, &cpu, &device, 0.0);
                        assert_eq!(bytes(&device)?, bytes(&reduce(op, &dx, &along)?)?, "{what}: again");
                    }
                    (cpu, device) => assert_eq!(cpu.map_err(|e| e.to_string()).err(), device.map_err(|e| e.to_string()).err(), "{what}"),
                }
            }
        }
    }
    // Sums that round: near the CPU's, and the same each time.
    let x = numbers(DType::F32, 100_000, 8)?;
    let (x, kept) =
        (apply(Op::NanToNum, &[(&x).into()], &Params::all(&[None, Some(1.0.into()), Some(Scalar::Float(-1.0))]))?, Along::all());
    let x = apply(Op::Sin, &[(&x).into()], &Params::none())?;
    let dx = x.to_device(cuda())?;
    same("a sum that rounds", &reduce(Sum, &x, &kept)?, &reduce(Sum, &dx, &kept)?, 1e-5);
    Ok(())
}

#[test]
fn a_kernel_is_made_once() -> Result<()> {
    if !ready("one kernel") {
        return Ok(());
    }
    let x = numbers(DType::I32, 10, 1)?;
    for _ in 0..2 {
        check(Op::Hypot, &[(&x).into(), (&x).into()], &Params::none());
        check(Op::BitwiseXor, &[(&x).into(), (&x).into()], &Params::none());
    }
    // `cache` of failures.rs reads this.
    println!("counts {:?}", latten::cuda::inspect::counts(0)?);
    Ok(())
}
