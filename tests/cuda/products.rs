//! Products of matrices against the CPU's, of whole numbers, whose sums are exact in any order: whatever the dtype, they must be equal bit
//! for bit. These run on latten's own kernels, and on cuBLAS or its stand-in. Products that round stay within the bound of any order.

use latten::cuda::inspect::Kernels;
use latten::elementwise::Target;
use latten::elementwise::{Params, apply};
use latten::product;
use latten::{DType, Device, Op, RawTensor, Result, Scalar};

use super::{cuda, ready};
use crate::compare::{Random, bytes, numbers, same};

/// Whole numbers from -3 to 3, in a storage with room for steps.
fn whole(dtype: DType, count: usize, seed: usize) -> Result<RawTensor> {
    let mut random = Random::new(seed as u64 + 11);
    let mut real = || (random.next() >> 33) % 7;
    let numbers: Vec<Scalar> = (0..count)
        .map(|_| match dtype.is_complex() {
            true => Scalar::Complex(latten::Complex::new(real() as f64 - 3.0, real() as f64 - 3.0)),
            false => Scalar::Int(real() as i64 - 3),
        })
        .collect();
    let dense = if dtype.is_complex() { DType::C128 } else { DType::I64 };
    latten::DynTensor::from_scalars(&numbers, [count], dense)?.raw().to_dtype(dtype)
}

/// The same view of a copy on the device.
fn there(tensor: &RawTensor) -> Result<RawTensor> {
    RawTensor::over(tensor.storage().to(cuda())?, tensor.dtype(), tensor.geometry().clone())
}

/// Matrices of one shape in many layouts: in rows, in columns, with room between rows, with steps, and one row for all.
fn layouts(dtype: DType, batch: &[isize], rows: isize, columns: isize, seed: usize) -> Result<Vec<RawTensor>> {
    let base = whole(dtype, 12_000, seed)?;
    let matrix = rows * columns;
    let mut sizes = batch.to_vec();
    sizes.extend([rows, columns]);
    let mut views = Vec::new();
    for (last, each, offset) in [
        ([columns, 1], matrix, 0),
        ([1, rows], matrix, 5),
        ([columns + 3, 1], (columns + 3) * rows, 1),
        ([1, rows + 2], (rows + 2) * columns, 0),
        ([2, 2 * rows], 2 * matrix, 0),
        ([0, 1], columns, 0),
        ([columns, 1], 0, 0),
    ] {
        let mut strides: Vec<isize> = Vec::new();
        let mut step = each;
        for &size in batch.iter().rev() {
            strides.insert(0, step);
            step *= size;
        }
        strides.extend(last);
        views.push(base.as_strided(&sizes, &strides, Some(offset))?);
    }
    Ok(views)
}

fn agree(what: &str, call: impl Fn(&[&RawTensor]) -> Result<RawTensor>, operands: &[&RawTensor]) -> Result<()> {
    let moved = operands.iter().map(|tensor| there(tensor)).collect::<Result<Vec<_>>>()?;
    let moved: Vec<&RawTensor> = moved.iter().collect();
    let describe: Vec<_> = operands.iter().map(|x| format!("{} {:?}/{:?}", x.dtype(), x.sizes(), x.strides())).collect();
    let what = format!("{what} of {}", describe.join(", "));
    match (call(operands), call(&moved)) {
        (Ok(cpu), Ok(device)) => {
            let rows = |x: &RawTensor| x.clone_as(latten::MemoryFormat::Contiguous);
            same(&what, &rows(&cpu)?, &rows(&device)?, 0.0);
            assert_eq!(device.device(), cuda(), "{what}");
            assert_eq!(bytes(&device)?, bytes(&call(&moved)?)?, "{what}: again");
        }
        (Err(cpu), Err(device)) => assert_eq!((cpu.kind(), cpu.message()), (device.kind(), device.message()), "{what}"),
        (cpu, device) => panic!("{what}: {:?} on the CPU, {:?} on the device", cpu.map(|_| "a result"), device.map(|_| "a result")),
    }
    Ok(())
}

fn load(dtype: DType) -> Result<()> {
    if dtype == DType::Bool { Ok(()) } else { Kernels::products(dtype)?.load(cuda()) }
}

#[test]
fn matrices_of_every_dtype_and_layout() -> Result<()> {
    if !ready("products") {
        return Ok(());
    }
    for &dtype in DType::COMPUTING {
        load(dtype)?;
        for (m, k, n) in [(7, 5, 9), (65, 17, 70), (1, 33, 6), (6, 33, 1), (1, 40, 1), (3, 1, 2), (5, 0, 4), (0, 3, 4), (2, 3, 0)] {
            let (lefts, rights) = (layouts(dtype, &[], m, k, 1)?, layouts(dtype, &[], k, n, 2)?);
            for (i, left) in lefts.iter().enumerate() {
                agree("mm", |x| product::mm(x[0], x[1], Target::New), &[left, &rights[i]])?;
                agree("mm", |x| product::mm(x[0], x[1], Target::New), &[left, &rights[(i + 3) % rights.len()]])?;
            }
        }
        for (m, k) in [(1, 1), (5, 300), (70, 20), (4, 0), (0, 4)] {
            let vector = whole(dtype, 1000, 3)?.as_strided(&[k], &[3], Some(1))?;
            for matrix in layouts(dtype, &[], m, k, 4)? {
                agree("mv", |x| product::mv(x[0], x[1], Target::New), &[&matrix, &vector])?;
            }
            agree("dot", |x| product::dot(x[0], x[1], Target::New), &[&vector, &whole(dtype, k.cast_unsigned(), 5)?])?;
            agree("vdot", |x| product::vdot(x[0], x[1], Target::New), &[&vector, &whole(dtype, k.cast_unsigned(), 5)?])?;
            agree("outer", |x| product::outer(x[0], x[1], Target::New), &[&vector, &whole(dtype, 7, 5)?])?;
        }
    }
    Ok(())
}

#[test]
fn batches_of_every_dtype_and_layout() -> Result<()> {
    if !ready("batches") {
        return Ok(());
    }
    for &dtype in DType::COMPUTING {
        load(dtype)?;
        let (lefts, rights) = (layouts(dtype, &[3], 9, 6, 6)?, layouts(dtype, &[3], 6, 11, 7)?);
        for (i, left) in lefts.iter().enumerate() {
            agree("bmm", |x| product::bmm(x[0], x[1], Target::New), &[left, &rights[i]])?;
            agree("bmm", |x| product::bmm(x[0], x[1], Target::New), &[left, &rights[(i + 2) % rights.len()]])?;
        }
        let (planes, wide) = (layouts(dtype, &[2, 1], 6, 11, 8)?, layouts(dtype, &[2, 3], 9, 6, 9)?);
        for (i, left) in wide.iter().enumerate() {
            agree("matmul", |x| product::matmul(x[0], x[1], Target::New), &[left, &planes[i]])?;
            agree("matmul", |x| product::matmul(x[0], x[1], Target::New), &[left, &rights[(i + 1) % rights.len()]])?;
            agree("matmul", |x| product::matmul(x[0], x[1], Target::New), &[left, &whole(dtype, 6, 10)?])?;
            agree("matmul", |x| product::matmul(x[0], x[1], Target::New), &[&whole(dtype, 9, 10)?, left])?;
            agree(
                "linear",
                |x| product::linear(x[0], x[1], Some(x[2]), Target::New),
                &[left, &layouts(dtype, &[], 4, 6, 11)?[i], &whole(dtype, 4, 12)?],
            )?;
        }
    }
    Ok(())
}

#[test]
fn products_are_added_to_tensors_and_summed_by_letters() -> Result<()> {
    if !ready("sums of products") {
        return Ok(());
    }
    for &dtype in DType::COMPUTING {
        let (left, right) = (&layouts(dtype, &[], 9, 6, 13)?[2], &layouts(dtype, &[], 6, 11, 14)?[1]);
        let (row, square) = (whole(dtype, 11, 15)?, &layouts(dtype, &[], 9, 11, 16)?[0]);
        for (beta, alpha) in [(Scalar::Int(1), Scalar::Int(1)), (Scalar::Int(0), Scalar::Int(2)), (Scalar::Float(2.0), Scalar::Float(-1.0))]
        {
            let factors = [beta, alpha];
            agree("addmm", |x| product::addmm(x[0], x[1], x[2], factors, Target::New), &[&row, left, right])?;
            agree("addmm", |x| product::addmm(x[0], x[1], x[2], factors, Target::New), &[square, left, right])?;
            let in_place = |x: &[&RawTensor]| {
                let sum = x[0].clone_as(latten::MemoryFormat::Contiguous)?;
                product::addmm_in_place(&sum, x[1], x[2], factors)?;
                Ok(sum)
            };
            agree("addmm_", in_place, &[square, left, right])?;
            let (lefts, rights) = (&layouts(dtype, &[3], 9, 6, 17)?[3], &layouts(dtype, &[3], 6, 11, 18)?[0]);
            agree("baddbmm", |x| product::baddbmm(x[0], x[1], x[2], factors, Target::New), &[square, lefts, rights])?;
        }
        agree("linear", |x| product::linear(x[0], x[1], None, Target::New), &[left, &layouts(dtype, &[], 5, 6, 19)?[0]])?;
        let cube = &layouts(dtype, &[6], 6, 5, 20)?[2];
        for (equation, operands) in [
            ("ij,jk->ik", &[left, right][..]),
            ("ij,jk", &[left, right]),
            ("ij->ji", &[left]),
            ("iij->j", &[cube]),
            ("ij,jkl,mk->il", &[left, cube, left]),
            ("...ij,...jk->...ik", &[cube, &cube.transpose(1, 2)?]),
            ("i,i->", &[&row, &row]),
            ("i,j->ij", &[&row, &row]),
        ] {
            agree(equation, |x| product::einsum(equation, x), operands)?;
        }
        let into = |x: &[&RawTensor]| {
            let out = RawTensor::empty(&[0], &[1], dtype, x[0].device())?;
            product::mm(x[0], x[1], Target::Out(&out, |_| Ok(())))
        };
        agree("mm into an output", into, &[left, right])?;
    }
    Ok(())
}

#[test]
fn long_sums_of_products_are_cut_into_parts() -> Result<()> {
    if !ready("long dots") {
        return Ok(());
    }
    for dtype in [DType::F32, DType::I16, DType::C64, DType::I64] {
        let (x, y) = (whole(dtype, 40_000, 21)?, whole(dtype, 40_000, 22)?);
        agree("dot", |x| product::dot(x[0], x[1], Target::New), &[&x, &y])?;
        let (rows, columns) = (x.as_strided(&[2, 20_000], &[20_000, 1], None)?, y.as_strided(&[20_000, 2], &[2, 1], None)?);
        agree("mm", |x| product::mm(x[0], x[1], Target::New), &[&rows, &columns])?;
    }
    Ok(())
}

/// Any order of adding stays this near: the terms times the unit of rounding, of the sum of their sizes.
#[test]
fn products_that_round_stay_near() -> Result<()> {
    if !ready("rounding") {
        return Ok(());
    }
    for (dtype, unit, last) in
        [(DType::F32, 6e-8, 6e-8), (DType::F64, 1.2e-16, 1.2e-16), (DType::F16, 6e-8, 5e-4), (DType::BF16, 6e-8, 4e-3)]
    {
        let random = |count, seed| -> Result<RawTensor> {
            let sine = apply(Op::Sin, &[(&whole(DType::F64, count, seed)?).into()], &Params::none())?;
            apply(Op::Mul, &[(&sine).into(), 1.37.into()], &Params::none())?.to_dtype(dtype)
        };
        let (m, k, n) = (30, 150, 40);
        let (x, y) =
            (random(m * k, 23)?.as_strided(&[30, 150], &[150, 1], None)?, random(k * n, 24)?.as_strided(&[150, 40], &[40, 1], None)?);
        let found = product::mm(&there(&x)?, &there(&y)?, Target::New)?.to_dtype(DType::F64)?.scalars()?;
        let (x, y) = (x.to_dtype(DType::F64)?, y.to_dtype(DType::F64)?);
        let size = |x: &RawTensor| apply(Op::Abs, &[x.into()], &Params::none());
        let (exact, sizes) = (product::mm(&x, &y, Target::New)?.scalars()?, product::mm(&size(&x)?, &size(&y)?, Target::New)?.scalars()?);
        for ((found, exact), size) in found.iter().zip(&exact).zip(&sizes) {
            let (Scalar::Float(found), Scalar::Float(exact), Scalar::Float(size)) = (*found, *exact, *size) else { panic!("no floats") };
            let bound = k as f64 * unit * size + last * exact.abs() * 1.01;
            assert!((found - exact).abs() <= bound, "{dtype}: {found} for {exact}, within {bound}");
        }
    }
    Ok(())
}

#[test]
fn factors_on_two_devices_are_refused() -> Result<()> {
    if !ready("two devices") {
        return Ok(());
    }
    let (x, y) =
        (numbers(DType::F32, 6, 1)?.as_strided(&[2, 3], &[3, 1], None)?, numbers(DType::F32, 6, 2)?.as_strided(&[3, 2], &[2, 1], None)?);
    let (dx, dy) = (x.to_device(cuda())?, y.to_device(cuda())?);
    let (vector, there) = (numbers(DType::F32, 3, 3)?, numbers(DType::F32, 3, 3)?.to_device(cuda())?);
    let (planes, factors) = (x.unsqueeze(0)?, [Scalar::Int(1); 2]);
    for (found, name, kernel, [own, other]) in [
        (product::mm(&dx, &y, Target::New), "mat2", "mm", ["cpu", "cuda:0"]),
        (product::mm(&x, &dy, Target::New), "mat2", "mm", ["cuda:0", "cpu"]),
        // The shapes don't fit, either.
        (product::mm(&x, &dx, Target::New), "mat2", "mm", ["cuda:0", "cpu"]),
        (product::matmul(&planes, &dy, Target::New), "mat2", "mm", ["cuda:0", "cpu"]),
        (product::mv(&dx, &vector, Target::New), "mat", "addmv_out_out", ["cuda:0", "cpu"]),
        (product::dot(&there, &vector, Target::New), "tensor", "_dot", ["cpu", "cuda:0"]),
        (product::bmm(&dx.unsqueeze(0)?, &y.unsqueeze(0)?, Target::New), "mat2", "bmm", ["cpu", "cuda:0"]),
        (product::addmm(&x, &dx, &dy, factors, Target::New), "mat1", "addmm", ["cuda:0", "cpu"]),
        (product::addmm(&dx, &dx, &y, factors, Target::New), "mat2", "addmm", ["cpu", "cuda:0"]),
        (product::baddbmm(&x, &planes, &dy.unsqueeze(0)?, factors, Target::New), "batch2", "baddbmm", ["cuda:0", "cpu"]),
        (product::linear(&x, &dx, None, Target::New), "mat2", "mm", ["cuda:0", "cpu"]),
    ] {
        let refused = found.expect_err("two devices");
        assert_eq!(
            refused.message(),
            format!(
                "Expected all tensors to be on the same device, but got {name} is on {own}, different from other tensors on {other} (when \
                 checking argument in method wrapper_CUDA_{kernel})"
            )
        );
    }
    assert_eq!(dx.device(), cuda());
    assert_eq!(x.device(), Device::CPU);
    Ok(())
}
