//! Every row of the table of reductions, for every dtype, against the CPU: results, their dtypes and shapes, and the words of refusals.
//!
//! What the CPU finds or counts must be found bit for bit, and so must sums that are exact in any order. Sums that round, and what goes
//! through functions of two libraries, may differ by `tolerance`.

use latten::cuda::inspect::Kernels;
use latten::elementwise::Target;
use latten::reduce::Reduction;
use latten::reduce::{Along, Keep, aminmax, equal, pick, reduce, reduce_to, scan, scan_places, softmax};
use latten::{DType, Device, RawTensor, Result, Scalar};

use super::{cuda, ready};
use crate::compare::{Random, bytes, numbers, same, tolerance};

/// What must be the CPU's bit for bit.
fn is_exact(op: Reduction) -> bool {
    use Reduction::{LogSoftmax, Logcumsumexp, Logsumexp, Norm, Softmax, Std, Var};
    !matches!(op, Var | Std | Norm | Logsumexp | Logcumsumexp | Softmax | LogSoftmax)
}

/// Numbers that a reduction is tried on: whole ones, whose sums are exact in any order; for products ones and few others; for what
/// compares, edges too; for what is inexact, small ones.
fn tried(op: Reduction, dtype: DType, count: usize, seed: usize) -> Result<RawTensor> {
    use Reduction::{Cumprod, Cumsum, Mean, Nanmean, Nansum, Prod, Sum};
    let product = |i: usize| {
        if i.is_multiple_of(997) {
            2.0
        } else if i.is_multiple_of(5) {
            -1.0
        } else {
            1.0
        }
    };
    let whole = |i: usize| ((i + seed) * 7919 % 11) as f64 - 4.0;
    let mut random = Random::new(seed as u64 + 1);
    let numbers: Vec<f64> = match op {
        Prod | Cumprod => (0..count).map(product).collect(),
        Sum | Mean | Cumsum => (0..count).map(whole).collect(),
        Nansum | Nanmean => (0..count).map(|i| if i % 7 == 3 { f64::NAN } else { whole(i) }).collect(),
        _ if is_exact(op) => return numbers(dtype, count, seed as u64 + dtype as u64),
        _ => (0..count).map(|_| (random.next() >> 40) as f64 / f64::from(1 << 20) - 8.0).collect(),
    };
    if dtype.is_complex() {
        let complex = |x: f64| latten::Complex::new(x, if op == Prod || op == Cumprod { 0.0 } else { 1.5 - x });
        return RawTensor::from_vec(numbers.into_iter().map(complex).collect(), &[count])?.to_dtype(dtype);
    }
    RawTensor::from_vec(numbers, &[count])?.to_dtype(dtype)
}

/// The same in a layout, in a storage that ends where it does.
fn laid_out(op: Reduction, dtype: DType, [sizes, strides]: [&[isize]; 2], seed: usize) -> Result<RawTensor> {
    let last: isize = sizes.iter().zip(strides).map(|(size, stride)| (size - 1).max(0) * stride).sum();
    tried(op, dtype, last.cast_unsigned() + 1, seed)?.as_strided(sizes, strides, None)
}

/// The same view of a copy on the device.
fn there(tensor: &RawTensor) -> Result<RawTensor> {
    RawTensor::over(tensor.storage().to(cuda())?, tensor.dtype(), tensor.geometry().clone())
}

/// That two calls gave the same, be it an error, and that the second gives it each time.
fn agree(what: &str, tolerance: f64, call: impl Fn(&RawTensor) -> Result<Vec<RawTensor>>, x: &RawTensor) -> Result<()> {
    let dx = there(x)?;
    match (call(x), call(&dx)) {
        (Ok(cpu), Ok(device)) => {
            let again = call(&dx)?;
            assert_eq!(cpu.len(), device.len(), "{what}");
            for ((cpu, device), again) in cpu.iter().zip(&device).zip(&again) {
                same(what, cpu, device, if cpu.dtype().is_integral() { 0.0 } else { tolerance });
                assert_eq!(device.device(), cuda(), "{what}");
                assert_eq!(bytes(device)?, bytes(again)?, "{what}: again");
            }
        }
        (Err(cpu), Err(device)) => assert_eq!((cpu.kind(), cpu.message()), (device.kind(), device.message()), "{what}"),
        (cpu, device) => panic!("{what}: {:?} on the CPU, {:?} on the device", cpu.map(|_| "a result"), device.map(|_| "a result")),
    }
    Ok(())
}

fn slack(op: Reduction, dtype: DType) -> f64 {
    if is_exact(op) { 0.0 } else { tolerance(dtype) }
}

/// Sizes, strides and the dimensions that go: dense, turned, with steps, broadcast, of many dimensions, empty.
type Layout = (&'static [usize], &'static [isize], Option<&'static [isize]>);
const LAYOUTS: [Layout; 19] = [
    (&[], &[], None),
    (&[0], &[1], None),
    (&[1], &[1], Some(&[0])),
    (&[33], &[1], None),
    (&[700], &[1], Some(&[-1])),
    (&[5, 300], &[300, 1], Some(&[1])),
    (&[5, 300], &[300, 1], Some(&[0])),
    (&[30, 31], &[31, 1], None),
    (&[40, 37], &[1, 40], Some(&[-1])),
    (&[2, 70], &[0, 3], Some(&[1])),
    (&[7, 9], &[9, 1], Some(&[0, 1])),
    (&[7, 9], &[9, 1], Some(&[])),
    (&[5, 6, 7, 8], &[336, 56, 8, 1], Some(&[0, 2])),
    (&[5, 6, 7, 2], &[1, 5, 30, 210], Some(&[0, 1, 2])),
    (&[3, 0, 4], &[4, 4, 1], Some(&[1])),
    (&[3, 0, 4], &[4, 4, 1], Some(&[0])),
    (&[2, 3, 2, 3, 2, 3, 2, 3, 2], &[1, 2, 6, 12, 36, 72, 216, 432, 1296], Some(&[1, 3, 5, 7])),
    (&[2, 3], &[3, 1], Some(&[2])),
    (&[2, 3], &[3, 1], Some(&[1, -1])),
];
/// Some that are cut into parts.
const LONG: [Layout; 5] = [
    (&[40_000], &[1], None),
    (&[300, 130], &[130, 1], Some(&[0])),
    (&[2, 17_000], &[17_000, 1], Some(&[1])),
    // Many outputs of few elements, which warps fold, the last block's not all.
    (&[1100, 41], &[41, 1], Some(&[1])),
    (&[1025, 300], &[300, 1], Some(&[1])),
];

const REDUCTIONS: [Reduction; 19] = {
    use Reduction::*;
    [Sum, Prod, Mean, Std, Var, Amax, Amin, Max, Min, Argmax, Argmin, Any, All, Median, Nansum, Nanmean, CountNonzero, Norm, Logsumexp]
};

fn reduces(op: Reduction, dtype: DType, layouts: &[Layout]) -> Result<()> {
    for (i, &(sizes, strides, dims)) in layouts.iter().enumerate() {
        let sizes: Vec<isize> = sizes.iter().map(|size| size.cast_signed()).collect();
        let x = laid_out(op, dtype, [&sizes, strides], i)?;
        let along = dims.map_or_else(Along::all, Along::dims).keep(if i % 2 == 0 { Keep::Yes } else { Keep::No });
        let what = format!("{} of {dtype} {sizes:?} {strides:?} along {dims:?}", op.row().name);
        agree(&what, slack(op, dtype), |x| Ok(vec![reduce(op, x, &along)?]), &x)?;
    }
    Ok(())
}

fn every_reduction(part: usize) -> Result<()> {
    for &dtype in DType::COMPUTING.iter().skip(part).step_by(2) {
        Kernels::folds(dtype)?.load(cuda())?;
        for op in REDUCTIONS {
            reduces(op, dtype, &LAYOUTS)?;
        }
    }
    Ok(())
}

#[test]
fn every_reduction_of_every_dtype_first_half() -> Result<()> {
    if ready("reductions") { every_reduction(0) } else { Ok(()) }
}

#[test]
fn every_reduction_of_every_dtype_second_half() -> Result<()> {
    if ready("reductions") { every_reduction(1) } else { Ok(()) }
}

#[test]
fn long_reductions_are_cut_into_parts() -> Result<()> {
    if !ready("long reductions") {
        return Ok(());
    }
    for dtype in [DType::F32, DType::F16, DType::C128, DType::I16, DType::Bool] {
        Kernels::folds(dtype)?.load(cuda())?;
        for op in REDUCTIONS.into_iter().filter(|op| *op != Reduction::Median) {
            reduces(op, dtype, &LONG)?;
        }
    }
    Ok(())
}

/// More elements than the parts of a reduction have at least: too many for the stand-in.
#[test]
fn very_long_reductions_have_larger_parts() -> Result<()> {
    const COUNT: usize = (1 << 27) + 12_345;
    const PLACE: usize = (1 << 26) + 77;
    if !ready("very long reductions") || crate::stand_in::is_here() {
        return Ok(());
    }
    let ones = RawTensor::empty(&[COUNT], &[1], DType::F32, cuda())?;
    ones.fill_(1)?;
    ones.as_strided(&[1], &[1], Some(PLACE.cast_signed()))?.fill_(3)?;
    let found = |op| -> Result<Scalar> { Ok(reduce(op, &ones, &Along::all())?.scalars()?[0]) };
    let near = |found: Scalar, expected: f64, within: f64| {
        let Scalar::Float(found) = found else { panic!("{found:?} is no float") };
        assert!((found - expected).abs() <= within * expected, "{found} for {expected}");
    };
    near(found(Reduction::Sum)?, (COUNT + 2) as f64, f64::from(f32::EPSILON));
    assert_eq!(found(Reduction::Argmax)?, Scalar::Int(PLACE as i64));
    assert_eq!(found(Reduction::Amax)?, Scalar::Float(3.0));
    let mean = (COUNT + 2) as f64 / COUNT as f64;
    let variance = ((COUNT - 1) as f64 * (1.0 - mean).powi(2) + (3.0 - mean).powi(2)) / (COUNT - 1) as f64;
    near(found(Reduction::Var)?, variance, 1e-6);
    Ok(())
}

#[test]
fn reductions_have_parameters_dtypes_and_outputs() -> Result<()> {
    if !ready("parameters") {
        return Ok(());
    }
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::C64] {
        let x = tried(Reduction::Norm, dtype, 300, 1)?.as_strided(&[20, 15], &[15, 1], None)?;
        for p in [0.0, 1.0, 2.0, 3.0, -1.5, 0.5, f64::INFINITY, f64::NEG_INFINITY] {
            let norm = |x: &RawTensor| Ok(vec![reduce(Reduction::Norm, x, &Along::dims(&[1]).parameter(p))?]);
            agree(&format!("norm {p} of {dtype}"), tolerance(dtype), norm, &x)?;
        }
        for correction in [0.0, 1.0, 2.5, 15.0, 100.0] {
            for op in [Reduction::Var, Reduction::Std] {
                let spread = |x: &RawTensor| Ok(vec![reduce(op, x, &Along::dims(&[1]).parameter(correction))?]);
                agree(&format!("{op:?} less {correction} of {dtype}"), tolerance(dtype), spread, &x)?;
            }
        }
    }
    for (op, from, to) in [
        (Reduction::Sum, DType::F32, DType::F64),
        (Reduction::Sum, DType::I64, DType::F16),
        (Reduction::Sum, DType::F32, DType::Bool),
        (Reduction::Prod, DType::F32, DType::Bool),
        (Reduction::Nansum, DType::F32, DType::Bool),
        (Reduction::Nansum, DType::I32, DType::C64),
        (Reduction::Sum, DType::F64, DType::I16),
        (Reduction::Mean, DType::I32, DType::F32),
        (Reduction::Mean, DType::F32, DType::I32),
        (Reduction::Nanmean, DType::F32, DType::F64),
        (Reduction::Norm, DType::F32, DType::F64),
        (Reduction::Norm, DType::F64, DType::F32),
    ] {
        let x = tried(op, from, 300, 2)?.as_strided(&[20, 15], &[15, 1], None)?;
        let along = Along::dims(&[0]).dtype(to);
        agree(&format!("{op:?} of {from} as {to}"), slack(op, from), |x| Ok(vec![reduce(op, x, &along)?]), &x)?;
        let resized = |x: &RawTensor| {
            let out = RawTensor::empty(&[0], &[1], to, x.device())?;
            Ok(vec![reduce_to(op, x, &along, into(&out))?])
        };
        agree(&format!("{op:?} of {from} as {to} into an output"), slack(op, from), resized, &x)?;
    }
    // NaNs and infinities among the elements.
    let x = RawTensor::from_vec(vec![1.0, f64::NAN, f64::INFINITY, -2.0, f64::NEG_INFINITY, 3.0, f64::INFINITY, 1000.0], &[8])?;
    for op in [Reduction::Logsumexp, Reduction::Var, Reduction::Norm, Reduction::Amax, Reduction::Argmin, Reduction::Median] {
        for dtype in [DType::F32, DType::F64, DType::F16] {
            let x = x.to_dtype(dtype)?;
            for sizes in [[8, 1], [4, 2], [2, 4], [1, 8]] {
                let x = x.as_strided(&sizes, &[sizes[1], 1], None)?;
                let along = if op == Reduction::Median { Along::all() } else { Along::dims(&[1]) };
                agree(&format!("{op:?} of edges {sizes:?} {dtype}"), tolerance(dtype), |x| Ok(vec![reduce(op, x, &along)?]), &x)?;
            }
        }
    }
    Ok(())
}

/// What goes along a dimension: sizes, strides and the dimension.
const ALONG: [(&[isize], &[isize], isize); 15] = [
    (&[], &[], 0),
    (&[0], &[1], 0),
    (&[1], &[1], 0),
    (&[31], &[1], -1),
    (&[1300], &[1], 0),
    (&[5, 300], &[300, 1], 1),
    (&[5, 300], &[300, 1], 0),
    (&[11, 100], &[101, 1], 1),
    (&[3, 700], &[700, 1], 1),
    (&[40, 37], &[1, 40], 1),
    (&[70, 2], &[3, 0], 0),
    (&[5, 6, 7, 8], &[336, 56, 8, 1], 2),
    (&[3, 0, 4], &[4, 4, 1], 1),
    (&[3, 0, 4], &[4, 4, 1], 0),
    (&[2, 3], &[3, 1], 2),
];

fn along(dtype: DType, shapes: &[(&[isize], &[isize], isize)]) -> Result<()> {
    use Reduction::{Aminmax, Cummax, Cummin, Cumprod, Cumsum, LogSoftmax, Logcumsumexp, Max, Median, Min, Softmax};
    Kernels::rows(dtype)?.load(cuda())?;
    for (i, &(sizes, strides, dim)) in shapes.iter().enumerate() {
        let keep = if i % 2 == 0 { Keep::Yes } else { Keep::No };
        let what = |op: Reduction| format!("{} of {dtype} {sizes:?} {strides:?} along {dim}", op.row().name);
        let on = |op: Reduction, call: &dyn Fn(&RawTensor) -> Result<Vec<RawTensor>>| {
            let x = laid_out(op, dtype, [sizes, strides], i)?;
            agree(&what(op), slack(op, dtype), call, &x)
        };
        let pair = |(values, places): (RawTensor, RawTensor)| vec![values, places];
        for op in [Cumsum, Cumprod, Logcumsumexp] {
            on(op, &|x| Ok(vec![scan(op, x, dim, None, Target::New)?]))?;
        }
        for op in [Cummax, Cummin] {
            on(op, &|x| scan_places(op, x, dim, NEW).map(pair))?;
        }
        for op in [Max, Min, Median] {
            on(op, &|x| pick(op, x, dim, keep, NEW).map(pair))?;
        }
        for op in [Softmax, LogSoftmax] {
            on(op, &|x| Ok(vec![softmax(op, x, dim, None, Target::New)?]))?;
        }
        on(Aminmax, &|x| aminmax(x, Some(dim), keep, NEW).map(pair))?;
        on(Aminmax, &|x| aminmax(x, None, keep, NEW).map(pair))?;
    }
    Ok(())
}

/// Two new results.
const NEW: [Target<'_>; 2] = [Target::New; 2];

/// Into a tensor, which may be resized.
fn into(out: &RawTensor) -> Target<'_> {
    Target::Out(out, |_| Ok(()))
}

#[test]
fn scans_softmax_and_medians_of_every_dtype() -> Result<()> {
    if !ready("rows") {
        return Ok(());
    }
    DType::COMPUTING.iter().try_for_each(|&dtype| along(dtype, &ALONG))
}

#[test]
fn long_rows_are_cut_into_parts() -> Result<()> {
    if !ready("long rows") {
        return Ok(());
    }
    let long: [(&[isize], &[isize], isize); 2] = [(&[40_000], &[1], 0), (&[2, 20_000], &[20_000, 1], 1)];
    [DType::F32, DType::F16, DType::C64, DType::I16].into_iter().try_for_each(|dtype| along(dtype, &long))?;
    // Sums that round: the CPU's f64 sums in another order, rounded once.
    let x = tried(Reduction::Var, DType::F32, 40_000, 3)?;
    agree("a running sum that rounds", 2e-6, |x| Ok(vec![scan(Reduction::Cumsum, x, 0, None, Target::New)?]), &x)
}

#[test]
fn rows_go_in_place_and_into_outputs() -> Result<()> {
    if !ready("rows into outputs") {
        return Ok(());
    }
    let x = tried(Reduction::Sum, DType::I16, 120, 4)?.as_strided(&[10, 12], &[12, 1], None)?;
    let in_place = |x: &RawTensor| {
        let x = x.clone_as(latten::MemoryFormat::Contiguous)?;
        scan(Reduction::Cumsum, &x, 0, None, Target::InPlace(&x))?;
        scan(Reduction::Cumprod, &x, 1, None, Target::InPlace(&x))?;
        Ok(vec![x])
    };
    agree("in place", 0.0, in_place, &x)?;
    for dtype in [None, Some(DType::F32), Some(DType::U8), Some(DType::Bool)] {
        let as_dtype = |x: &RawTensor| Ok(vec![scan(Reduction::Cumsum, x, 1, dtype, Target::New)?]);
        agree(&format!("as {dtype:?}"), 0.0, as_dtype, &x)?;
        let resized = |x: &RawTensor| {
            let out = RawTensor::empty(&[3], &[1], DType::F32, x.device())?;
            Ok(vec![scan(Reduction::Cumprod, x, 0, dtype, into(&out))?])
        };
        agree(&format!("into an output as {dtype:?}"), 0.0, resized, &x)?;
    }
    let pairs = |x: &RawTensor| {
        let empty = |dtype| RawTensor::empty(&[0], &[1], dtype, x.device());
        let (values, places) = scan_places(Reduction::Cummax, x, 1, [into(&empty(DType::I16)?), into(&empty(DType::I64)?)])?;
        Ok(vec![values, places])
    };
    agree("a pair into outputs", 0.0, pairs, &x)?;
    // Outputs are where the results are.
    let (dx, here) = (there(&x)?, RawTensor::empty(&[0], &[1], DType::I64, Device::CPU)?);
    let refused = [
        reduce_to(Reduction::Sum, &dx, &Along::all(), into(&here)).map(drop),
        scan(Reduction::Cumsum, &dx, 0, None, into(&here)).map(drop),
        reduce_to(Reduction::Sum, &x, &Along::all(), into(&RawTensor::empty(&[0], &[1], DType::I64, cuda())?)).map(drop),
    ];
    for refused in refused {
        let refused = refused.expect_err("two devices");
        assert!(refused.message().starts_with("Expected all tensors to be on the same device"), "{refused}");
    }
    assert_eq!(here.sizes(), [0]);
    for dtype in [DType::F16, DType::F64, DType::I64] {
        let as_dtype = |x: &RawTensor| Ok(vec![softmax(Reduction::Softmax, x, 1, Some(dtype), Target::New)?]);
        agree(&format!("softmax as {dtype}"), tolerance(dtype), as_dtype, &x)?;
    }
    Ok(())
}

#[test]
fn whole_tensors_are_compared_there() -> Result<()> {
    if !ready("comparisons") {
        return Ok(());
    }
    for dtype in [DType::F32, DType::F16, DType::C64, DType::I32, DType::Bool] {
        let x = tried(Reduction::Var, dtype, 100, 5)?;
        let y = x.clone_as(latten::MemoryFormat::Contiguous)?;
        let z = tried(Reduction::Var, dtype, 100, 6)?;
        let (dx, dy, dz) = (there(&x)?, there(&y)?, there(&z)?);
        let isclose = |a, b| latten::call("isclose", latten::args![a, b])?.one();
        let allclose = |a, b| latten::call("allclose", latten::args![a, b])?.flag();
        for (a, b, da, db) in [(&x, &y, &dx, &dy), (&x, &z, &dx, &dz)] {
            same("isclose", &isclose(a, b)?, &isclose(da, db)?, 0.0);
            assert_eq!(allclose(a, b)?, allclose(da, db)?, "allclose of {dtype}");
            assert_eq!(equal(a, b)?, equal(da, db)?, "equal of {dtype}");
        }
        let refused = equal(&x, &dx).expect_err("two devices");
        assert_eq!(
            refused.message(),
            "Expected all tensors to be on the same device, but got other is on cuda:0, different from other tensors on cpu (when checking \
             argument in method wrapper_CUDA__equal)"
        );
    }
    let missing = RawTensor::empty(&[1], &[1], DType::F32, Device::CPU)?;
    assert!(equal(&missing, &missing.to_device(Device::CPU)?).is_ok());
    Ok(())
}
