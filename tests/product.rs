//! Products as PyTorch answers: `golden/product.txt`, which `golden/product.py` recorded; each call on every combination of layouts. Then
//! sizes around the edges of tiles and blocks, and the types.

mod exact;
mod recorded;

use exact::{check, check_parts};
use latten::elementwise::Target;
use latten::prelude::*;
use latten::product;
use latten::{RawTensor, Result, Scalar, args, call, einsum};
use recorded::{Written, call_and_answer, dtype, fault, layouts, report};

const GOLDEN: &str = include_str!("golden/product.txt");
/// PyTorch's `beta` and `alpha` where nothing else is said.
const ONES: [Scalar; 2] = [Scalar::Int(1); 2];
const LIST: [i64; 9] = [1, -2, 3, 0, 2, -1, 4, -3, 5];

/// An operand as the file writes it: `f32:2,3:4`.
fn operand(text: &str) -> DynTensor {
    let mut parts = text.split(':');
    let mut part = || parts.next().expect("a dtype, sizes and a seed");
    let (dtype, sizes, seed) = (dtype(part()), part(), part().parse::<usize>().expect("a number"));
    let sizes: Vec<usize> = sizes.split(',').filter(|size| *size != "-").map(|size| size.parse().expect("a size")).collect();
    let elements = (0..sizes.iter().product::<usize>()).map(|i| {
        let (x, y) = (LIST[(i + seed) % 9], LIST[(i + 4) % 9] as f64);
        match dtype.category() {
            latten::Category::Boolean => Scalar::Bool(x != 0),
            latten::Category::Integral => Scalar::Int(if dtype == DType::U8 { x.abs() } else { x }),
            latten::Category::Floating => Scalar::Float(x as f64 / 2.0),
            latten::Category::Complex => Scalar::Complex(Complex::new(x as f64, y)),
        }
    });
    Written { dtype, sizes, elements: elements.collect() }.tensor()
}

fn number(text: &str) -> Scalar {
    match text {
        "True" => Scalar::Bool(true),
        _ if text.contains('.') => Scalar::Float(text.parse().expect("a float")),
        _ => Scalar::Int(text.parse().expect("an integer")),
    }
}

fn run(op: &str, equation: Option<&str>, tensors: &[&RawTensor], factors: [Scalar; 2]) -> Result<RawTensor> {
    match (op, tensors) {
        ("mm", [a, b]) => product::mm(a, b, Target::New),
        ("mv", [a, b]) => product::mv(a, b, Target::New),
        ("dot", [a, b]) => product::dot(a, b, Target::New),
        ("vdot", [a, b]) => product::vdot(a, b, Target::New),
        ("outer", [a, b]) => product::outer(a, b, Target::New),
        ("bmm", [a, b]) => product::bmm(a, b, Target::New),
        ("matmul", [a, b]) => product::matmul(a, b, Target::New),
        ("addmm", [c, a, b]) => product::addmm(c, a, b, factors, Target::New),
        ("baddbmm", [c, a, b]) => product::baddbmm(c, a, b, factors, Target::New),
        ("linear", [x, weight]) => product::linear(x, weight, None, Target::New),
        ("linear", [x, weight, bias]) => product::linear(x, weight, Some(bias), Target::New),
        ("einsum", _) => product::einsum(&equation.expect("an equation").replace('_', " "), tensors),
        _ => panic!("there is no {op} of {} tensors", tensors.len()),
    }
}

/// Where PyTorch slips: a missing space, a dimension out of range, names of kernels that follow from how it computes.
fn differs_on_purpose(line: &str) -> bool {
    // Bools are refused by kernels, which aren't reached without elements.
    let empty_bools = line.contains("bool:") && line.contains(" = ") && !line.starts_with("outer");
    let empty_bools = empty_bools && (!line.starts_with("einsum") || line.contains(":0,") || line.contains(",0:"));
    empty_bools
        || line.contains("covered by ellipsis in operand 1has size")
        || line.starts_with("baddbmm") && (line.contains("'Bool'") || line.contains("IndexError"))
}

#[test]
fn every_product_answers_as_pytorch() {
    let (mut failures, mut compared) = (Vec::new(), 0);
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#') && !differs_on_purpose(line)) {
        let (call, answer) = call_and_answer(line);
        let mut words = call.split(' ');
        let op = words.next().expect("an operation");
        let equation = (op == "einsum").then(|| words.next().expect("an equation"));
        let (operands, scales) = words.partition::<Vec<_>, _>(|word| word.contains(':'));
        let mut factors = ONES;
        for word in scales {
            match word.split_once('=') {
                Some(("beta", text)) => factors[0] = number(text),
                Some((_, text)) => factors[1] = number(text),
                None => panic!("{word} in {line}"),
            }
        }
        let operands: Vec<_> = operands.into_iter().map(|text| layouts(&operand(text))).collect();
        // Which error PyTorch gives may depend on the layout.
        let combinations = if answer.is_ok() { operands.iter().map(Vec::len).product::<usize>() } else { 1 };
        for combination in 0..combinations {
            let mut rest = combination;
            let chosen: Vec<_> = operands
                .iter()
                .map(|layouts| {
                    let layout = &layouts[rest % layouts.len()];
                    rest /= layouts.len();
                    layout
                })
                .collect();
            let tensors: Vec<&RawTensor> = chosen.iter().map(|(_, tensor)| tensor.raw()).collect();
            compared += 1;
            let found = run(op, equation, &tensors, factors).map(|one| {
                // What `einsum` gives without computing is a view.
                vec![if op == "einsum" { DynTensor::from(one).contiguous().raw().clone() } else { one }]
            });
            let names: Vec<_> = chosen.iter().map(|(name, _)| *name).collect();
            if let Some(fault) = fault(&found, &answer) {
                failures.push(format!("{line}\n    {names:?}: {fault}"));
                break;
            }
        }
    }
    assert!(compared > 10_000, "only {compared} calls");
    report(&failures, compared);
}

#[test]
fn tiles_and_blocks_have_no_seams() {
    let mut failures = Vec::new();
    let edges = [1, 2, 5, 6, 7, 12, 13, 31, 33];
    for (at, &m) in edges.iter().enumerate() {
        for (next, &n) in edges.iter().enumerate() {
            let k = edges[(at + next) % edges.len()];
            failures.extend(check([1, m, k, n], |x| x as f32));
            failures.extend(check([3, m, k, n], |x| x));
            failures.extend(check([2, m, k, n], |x| bf16::from_f32(x as f32)));
            failures.extend(check_parts([2, m, k, n], DType::C64));
        }
    }
    for sizes in [
        [1, 97, 385, 33],
        [1, 200, 800, 40],
        [2, 13, 400, 2100],
        [1, 9, 777, 900],
        [1, 101, 401, 523],
        [40, 8, 8, 8],
        [70, 5, 33, 40],
        [40, 17, 64, 36],
        [9, 16, 65, 64],
        [20, 70, 33, 100],
        [3, 130, 64, 96],
        [1, 1, 5000, 1],
        [1, 300, 300, 1],
        [1, 19, 20, 1],
        [2, 9, 64, 1],
        [1, 17, 65, 1],
        [1, 1001, 66, 1],
        [1, 1, 300, 500],
        [1, 130, 1, 130],
    ] {
        failures.extend(check(sizes, |x| x as f32));
        failures.extend(check(sizes, |x| x as f64));
        failures.extend(check(sizes, |x| bf16::from_f32(x as f32)));
        failures.extend(check(sizes, |x| x));
        failures.extend(check(sizes, |x| x as i32));
        failures.extend(check(sizes, |x| x as i8));
        failures.extend(check_parts(sizes, DType::C64));
        failures.extend(check_parts(sizes, DType::C128));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A batch of one takes the way of large matrices.
#[test]
fn small_products_have_the_bits_of_large_ones() -> Result<()> {
    let (edges, mut compared) = ([1, 2, 4, 5, 8, 11, 16, 31, 32, 33], 0);
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64, DType::BF16, DType::C64] {
        // Thirds, so that each order of additions is rounded otherwise.
        let factor = |rows: usize, columns: usize, first: f64| {
            let numbers = (0..rows * columns).map(|i| ((i * 31) % 101) as f64 / 3.0 - first).collect();
            DynTensor::from(Tensor::<f64>::from_vec(numbers, [rows, columns])?).to_dtype(dtype)
        };
        for (at, (&m, &n)) in edges.iter().flat_map(|m| edges.iter().map(move |n| (m, n))).enumerate() {
            let k = edges[(at + at / edges.len()) % edges.len()];
            let (a, b) = (factor(m, k, 9.25)?, factor(k, n, 17.5)?);
            for ((left, a), (right, b)) in layouts(&a).iter().flat_map(|a| layouts(&b).into_iter().map(move |b| (a, b))) {
                let (product, batch) = (a.try_matmul(&b)?, a.unsqueeze(0)?.try_matmul(&b.unsqueeze(0)?)?);
                let (product, batch) = (product.to_vec(), batch.to_vec());
                assert_eq!(product, batch, "{dtype} [{m}, {k}] {left} by [{k}, {n}] {right}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 6 * 100 * 9);
    Ok(())
}

#[test]
fn complex_products_multiply_parts() {
    let a = Tensor::<c64>::from_vec(vec![c64::new(1.0, 2.0), c64::new(0.0, -1.0)], [1, 2]).expect("two");
    let b = Tensor::<c64>::from_vec(vec![c64::new(3.0, -1.0), c64::new(0.5, 4.0)], [2, 1]).expect("two");
    assert_eq!(a.mm(&b).to_vec(), [c64::new(9.0, 4.5)]);
    let half = |x: &Tensor<c64, Rank<2>>| x.to::<c32>();
    assert_eq!(half(&a).mm(&half(&b)).to::<c64>().to_vec(), [c64::new(9.0, 4.5)]);
}

/// A convolution reads its windows where they lie; here they are written as columns before. Sizes are at the edges of panels and blocks.
#[test]
fn convolutions_have_the_bits_of_products_with_columns() -> Result<()> {
    // Samples, channels, height and width; outputs and groups; kernel, stride, padding and dilation.
    type Shape = ([usize; 4], [usize; 2], [[isize; 2]; 4]);
    let shapes: [Shape; 14] = [
        ([2, 3, 9, 10], [5, 1], [[3, 3], [1, 1], [0, 0], [1, 1]]),
        ([1, 2, 1, 33], [8, 1], [[1, 3], [1, 1], [0, 0], [1, 1]]),
        ([1, 2, 1, 34], [9, 1], [[1, 3], [1, 1], [0, 0], [1, 1]]),
        ([2, 2, 2, 35], [34, 2], [[1, 3], [1, 1], [0, 0], [1, 1]]),
        ([3, 4, 11, 12], [6, 2], [[3, 2], [2, 1], [1, 2], [1, 2]]),
        ([1, 4, 12, 11], [6, 2], [[2, 3], [1, 2], [0, 1], [2, 1]]),
        ([2, 50, 9, 20], [7, 1], [[3, 3], [1, 1], [1, 1], [1, 1]]),
        ([1, 2, 50, 50], [4, 1], [[2, 2], [1, 1], [0, 0], [1, 1]]),
        ([2, 8, 12, 12], [70, 1], [[3, 3], [1, 1], [1, 1], [1, 1]]),
        ([7, 6, 8, 3], [12, 3], [[2, 3], [1, 1], [0, 0], [1, 1]]),
        ([2, 4, 8, 8], [2, 2], [[3, 3], [1, 1], [0, 0], [1, 1]]),
        ([2, 3, 3, 3], [4, 1], [[3, 3], [1, 1], [0, 0], [1, 1]]),
        ([2, 3, 4, 5], [4, 1], [[1, 1], [2, 2], [0, 0], [1, 1]]),
        ([0, 3, 4, 5], [4, 1], [[2, 2], [1, 1], [1, 1], [1, 1]]),
    ];
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64] {
        for ([samples, channels, height, width], [outputs, groups], [kernel, stride, padding, dilation]) in shapes {
            let numbers = |sizes: &[usize], first: f64| {
                let numbers = (0..sizes.iter().product()).map(|i: usize| ((i * 31) % 101) as f64 / 3.0 - first).collect();
                DynTensor::from(Tensor::<f64>::from_vec(numbers, sizes)?).to_dtype(dtype)
            };
            let places = channels / groups * kernel.iter().product::<isize>().unsigned_abs();
            let weight = numbers(&[outputs, channels / groups, kernel[0].unsigned_abs(), kernel[1].unsigned_abs()], 9.25)?;
            for (layout, images) in layouts(&numbers(&[samples, channels, height, width], 17.5)?) {
                let own = call("conv2d", args![&images, &weight, (), stride, padding, dilation, groups as i64])?.one()?;
                // Integers have no `im2col`, and lose nothing as `f64`.
                let wide = images.to_dtype(if dtype.is_integral() { DType::F64 } else { dtype })?;
                let columns = call("im2col", args![&wide, kernel, dilation, padding, stride])?.one()?.to_dtype(dtype)?;
                let pixels = own.sizes()[2] * own.sizes()[3];
                let columns = columns.reshape(&[samples * groups, places, pixels].map(usize::cast_signed))?;
                let matrices =
                    weight.reshape([1, groups, outputs / groups, places])?.expand([samples, groups, outputs / groups, places])?;
                let matrices = matrices.reshape([samples * groups, outputs / groups, places])?;
                let products = product::bmm(matrices.raw(), &columns, Target::New)?;
                let case = format!("{dtype} {:?} {layout} by {:?}, {kernel:?} {stride:?}", images.sizes(), weight.sizes());
                assert_eq!(own.scalars()?, products.scalars()?, "{case}");
            }
        }
    }
    Ok(())
}

/// Half-precision sums are kept in `f32`: 4096 ones and a half would stop at 2048 in `f16`.
#[test]
fn half_precision_is_rounded_once() {
    let ones = Tensor::<f16>::from_vec(vec![f16::ONE; 4096], [4096]).expect("as many");
    assert_eq!(ones.dot(&ones).item(), f16::from_f32(4096.0));
    let matrix = Tensor::<bf16>::from_vec(vec![bf16::ONE; 4 * 1000], [4, 1000]).expect("as many");
    assert_eq!(matrix.mm(&matrix.t()).to_vec(), [bf16::from_f32(1000.0); 16]);
}

/// The types of products, which `let` checks when this compiles.
#[test]
fn types_multiply() {
    let a = Tensor::<f32, shape![2, 3]>::ones();
    let b = Tensor::<f32, shape![3, 4]>::ones();
    let v = Tensor::<f32, shape![3]>::ones();
    let ab: Tensor<f32, shape![2, 4]> = a.matmul(&b);
    let same: Tensor<f32, shape![2, 4]> = a.mm(&b);
    let av: Tensor<f32, shape![2]> = a.mv(&v);
    let vb: Tensor<f32, shape![4]> = v.matmul(&b);
    let vv: Tensor<f32, ()> = v.dot(&v);
    let batches: Tensor<f32, shape![5, 2, 4]> = Tensor::<f32, shape![5, 2, 3]>::ones().matmul(&b);
    let unknown: Tensor<f32, Rank<2>> = a.typed::<f32, Rank<2>>().expect("it is").matmul(&b).typed().expect("it is");
    let dynamic: DynTensor = a.erase().mm(&b.erase()).erase();
    let outer: Tensor<f64, shape![3, 4]> = v.outer(&Tensor::<f64, shape![4]>::ones());
    let linear: Tensor<f32, shape![2, 4]> = a.linear(&b.t());
    let biased: Tensor<f32, shape![2, 4]> = a.linear_with(&b.t(), &Tensor::<f32, shape![4]>::ones());
    let added: Tensor<f32, shape![2, 4]> = Tensor::<f32, shape![4]>::ones().addmm_with(&a, &b, 2, 0.5).expect("they fit");
    for tensor in [ab.erase(), same.erase(), av.erase(), vb.erase(), vv.erase(), batches.erase(), unknown.erase(), dynamic, linear.erase()]
    {
        assert!(tensor.eq(3).all().item() == Scalar::Bool(true), "{tensor}");
    }
    assert_eq!((biased.to_vec(), added.to_vec(), outer.sum().item()), (vec![4.0; 8], vec![3.5; 8], 12.0));
    let mut out = Tensor::<f32, shape![2, 4]>::zeros();
    a.matmul_out(&b, &mut out).expect("it fits");
    out.addmm_(&a, &b).expect("it fits");
    assert_eq!(out.to_vec(), [6.0; 8]);
    let traced = einsum("ij,ij->", &[a.raw(), a.raw()]).expect("they fit");
    assert_eq!(traced.item(), Scalar::Float(6.0));
    let refused = a.erase().try_matmul(&a.erase()).expect_err("3 isn't 2");
    assert_eq!(refused.message(), "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
}

/// Without steps there is no product to add: the tensor times `beta`, by the dtype rules of `mul`, as PyTorch computes it.
#[test]
fn sums_without_steps_are_the_tensor_times_beta() -> Result<()> {
    let factors = |beta: Scalar| [beta, 0.5.into()];
    let rows: [(DType, Scalar, std::result::Result<f64, &str>); 8] = [
        (DType::Bool, 1.into(), Err("result type Long can't be cast to the desired output type Bool")),
        (DType::Bool, true.into(), Ok(1.0)),
        (DType::Bool, 0.into(), Ok(0.0)),
        (DType::I32, 0.5.into(), Err("result type Float can't be cast to the desired output type Int")),
        (DType::I32, 300.into(), Ok(2100.0)),
        (DType::U8, 300.into(), Ok(52.0)),
        (DType::F16, 0.1.into(), Ok(0.699_707_031_25)),
        (DType::F32, Complex::new(0.0, 1.0).into(), Err("result type ComplexFloat can't be cast to the desired output type Float")),
    ];
    for (dtype, beta, expected) in rows {
        let filled = |sizes: &[usize]| RawTensor::full(sizes, 7.into(), &Options::new().dtype(dtype));
        let single = product::addmm(&filled(&[1])?, &filled(&[2, 0])?, &filled(&[0, 3])?, factors(beta), Target::New);
        let batches = product::baddbmm(&filled(&[1])?, &filled(&[2, 2, 0])?, &filled(&[2, 0, 3])?, factors(beta), Target::New);
        for (found, sizes) in [(single, &[2, 3][..]), (batches, &[2, 2, 3])] {
            match (found, expected) {
                (Ok(found), Ok(number)) => {
                    assert_eq!((found.sizes(), found.dtype()), (sizes, dtype), "{dtype} {beta:?}");
                    let numbers = found.to_dtype(DType::F64)?.scalars()?;
                    assert!(numbers.iter().all(|one| *one == Scalar::Float(number)), "{dtype} {beta:?}: {numbers:?}, not {number}");
                }
                (Err(error), Err(text)) => assert_eq!(error.message(), text, "{dtype} {beta:?}"),
                (found, _) => panic!("{dtype} {beta:?}: {found:?}, not {expected:?}"),
            }
        }
    }
    Ok(())
}

/// Tensors of those sizes to write into: every second element of a larger one in each dimension, the transpose, and one to be resized.
fn outputs(sizes: &[usize], dtype: DType) -> Result<Vec<(&'static str, RawTensor)>> {
    let room = |sizes: &[usize]| RawTensor::full(sizes, 1.into(), &Options::new().dtype(dtype));
    let turned: Vec<usize> = sizes.iter().rev().copied().collect();
    let mut every_other = room(&sizes.iter().map(|size| 2 * size).collect::<Vec<_>>())?;
    for dim in 0..sizes.len() {
        every_other = every_other.slice(dim.cast_signed(), None, None, 2)?;
    }
    Ok(vec![
        ("every other element", every_other),
        ("the transpose", room(&turned)?.reverse_dims()),
        ("the same shape", room(sizes)?),
        ("nothing", room(&[0])?),
    ])
}

/// Some numbers, which neither round much nor overflow.
fn some(sizes: &[usize], dtype: DType, seed: usize) -> Result<RawTensor> {
    let numbers = (0..sizes.iter().product()).map(|i: usize| ((i * 37 + seed) % 13) as f64 / 4.0).collect();
    RawTensor::from_vec::<f64>(numbers, sizes)?.to_dtype(dtype)
}

#[test]
fn products_have_the_same_bits_wherever_they_go() -> Result<()> {
    type Product = fn(&[&RawTensor], Target<'_>) -> Result<RawTensor>;
    let products: [(&str, Product, &[&[usize]]); 11] = [
        ("mm", |x, to| product::mm(x[0], x[1], to), &[&[7, 5], &[5, 9]]),
        ("mm of a row", |x, to| product::mm(x[0], x[1], to), &[&[1, 5], &[5, 9]]),
        ("mv", |x, to| product::mv(x[0], x[1], to), &[&[40, 5], &[5]]),
        ("dot", |x, to| product::dot(x[0], x[1], to), &[&[40], &[40]]),
        ("vdot", |x, to| product::vdot(x[0], x[1], to), &[&[40], &[40]]),
        ("outer", |x, to| product::outer(x[0], x[1], to), &[&[7], &[9]]),
        ("bmm", |x, to| product::bmm(x[0], x[1], to), &[&[3, 7, 5], &[3, 5, 9]]),
        ("matmul of a vector", |x, to| product::matmul(x[0], x[1], to), &[&[5], &[3, 5, 9]]),
        ("matmul of batches", |x, to| product::matmul(x[0], x[1], to), &[&[2, 1, 7, 5], &[3, 5, 9]]),
        ("addmm", |x, to| product::addmm(x[0], x[1], x[2], [2.into(), 3.into()], to), &[&[9], &[7, 5], &[5, 9]]),
        ("baddbmm", |x, to| product::baddbmm(x[0], x[1], x[2], ONES, to), &[&[7, 1], &[3, 7, 5], &[3, 5, 9]]),
    ];
    for &dtype in DType::COMPUTING.iter().filter(|&&dtype| dtype != DType::Bool) {
        for (name, product, sizes) in products {
            let operands: Vec<RawTensor> = sizes.iter().enumerate().map(|(seed, sizes)| some(sizes, dtype, seed)).collect::<Result<_>>()?;
            let operands: Vec<&RawTensor> = operands.iter().collect();
            let expected = product(&operands, Target::New)?;
            for (which, output) in outputs(expected.sizes(), dtype)? {
                let found = product(&operands, Target::Out(&output, |_| Ok(())))?;
                assert_eq!(found.sizes(), expected.sizes(), "{name} of {dtype} into {which}");
                assert_eq!(found.scalars()?, expected.scalars()?, "{name} of {dtype} into {which}");
                assert!(found.storage().is_same(output.storage()), "{name} of {dtype} into {which}: elsewhere");
            }
        }
    }
    Ok(())
}

/// Where sums wait for their places they are made in parts: of the batch, of rows, of columns.
#[test]
fn parts_of_products_have_no_seams() -> Result<()> {
    for (batch, m, k, n) in [(1, 700, 3, 500), (5, 300, 2, 260), (1, 3, 2, 200_100), (1, 300_001, 3, 1), (1, 1, 2, 270_000)] {
        for dtype in [DType::F16, DType::F64] {
            let (left, right) = (some(&[batch, m, k], dtype, 1)?, some(&[batch, k, n], dtype, 2)?);
            let expected = product::bmm(&left, &right, Target::New)?;
            for (which, output) in outputs(expected.sizes(), dtype)?.into_iter().take(2) {
                let found = product::bmm(&left, &right, Target::Out(&output, |_| Ok(())))?;
                assert!(found.scalars()? == expected.scalars()?, "{batch} of {m} x {k} x {n} of {dtype} into {which}");
            }
            let wide = product::bmm(&left.to_dtype(DType::F64)?, &right.to_dtype(DType::F64)?, Target::New)?.to_dtype(dtype)?;
            assert!(wide.scalars()? == expected.scalars()?, "{batch} of {m} x {k} x {n} of {dtype}, as f64");
        }
    }
    Ok(())
}

/// Sums of many steps, which few rows share; and many products, whose bands are stored as they are made.
#[test]
fn long_sums_and_many_products_have_the_bits_of_one() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::I64, DType::BF16, DType::F16] {
        let divided = |tensor: RawTensor| DynTensor::from(tensor).try_div(3).map(|tensor| tensor.raw().clone())?.to_dtype(dtype);
        for (batch, m, k, n) in [(1, 20, 2000, 20), (1, 9, 5000, 40), (1, 70, 1600, 33), (5, 130, 70, 129), (40, 33, 64, 47)] {
            let (left, right) = (divided(some(&[batch, m, k], dtype, 1)?)?, divided(some(&[batch, n, k], dtype, 2)?)?.transpose(1, 2)?);
            for right in [&right, &right.contiguous(MemoryFormat::Contiguous)?] {
                let all = product::bmm(&left, right, Target::New)?;
                for at in 0..batch as isize {
                    let (left, right) = (left.select(0, at)?, right.select(0, at)?);
                    let one = product::mm(&left, &right, Target::New)?;
                    assert!(one.scalars()? == all.select(0, at)?.scalars()?, "{at} of {batch}: {m} x {k} x {n} of {dtype}");
                    // Fewer rows alone: other threads, the same sums.
                    let some = product::mm(&left.narrow(0, 0, 7)?, &right, Target::New)?;
                    assert!(some.scalars()? == one.narrow(0, 0, 7)?.scalars()?, "seven rows of {m} x {k} x {n} of {dtype}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn products_that_overwrite_what_they_read_are_computed_first() -> Result<()> {
    let (square, other) = (some(&[6, 6], DType::F32, 1)?, some(&[6, 6], DType::F32, 2)?);
    let expected = product::mm(&square, &other, Target::New)?.scalars()?;
    let into = |factor: &RawTensor| factor.clone_as(MemoryFormat::Contiguous);
    let left = into(&square)?;
    assert_eq!(product::mm(&left, &other, Target::Out(&left, |_| Ok(())))?.scalars()?, expected, "into the left factor");
    let right = into(&other)?;
    assert_eq!(product::mm(&square, &right.clone(), Target::Out(&right, |_| Ok(())))?.scalars()?, expected, "into the right factor");
    let sum = product::addmm(&square, &square, &other, ONES, Target::New)?.scalars()?;
    let all = into(&square)?;
    assert_eq!(product::addmm(&all, &all, &other, ONES, Target::Out(&all, |_| Ok(())))?.scalars()?, sum, "into two operands");
    let line = some(&[20], DType::F32, 3)?;
    let (tensor, out) = (line.as_strided(&[2, 4], &[4, 1], None)?, line.as_strided(&[2, 4], &[4, 1], Some(2))?);
    let (a, b, before) = (some(&[2, 3], DType::F32, 1)?, some(&[3, 4], DType::F32, 1)?, line.scalars()?);
    let refused = product::addmm(&tensor, &a, &b, ONES, Target::Out(&out, |_| Ok(()))).expect_err("they overlap");
    assert_eq!(
        refused.message(),
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please \
         clone() the tensor before performing the operation."
    );
    assert_eq!(line.scalars()?, before, "refused, and written");
    Ok(())
}

/// PyTorch's texts for outputs of another dtype; `outer` is a multiplication, which converts.
#[test]
fn outputs_of_another_dtype_are_refused() -> Result<()> {
    let (a, b, v) = (some(&[2, 3], DType::F32, 0)?, some(&[3, 4], DType::F32, 0)?, some(&[3], DType::F32, 0)?);
    let out = RawTensor::empty(&[0], &[1], DType::F64, Device::CPU)?;
    let to = Target::Out(&out, |_| Ok(()));
    let expected = "Expected out tensor to have dtype float, but got double instead";
    let dots = "result dtype Double does not match input dtype Float";
    let (pair, row) =
        (RawTensor::empty(&[2], &[1], DType::F64, Device::CPU)?, RawTensor::empty(&[1, 2], &[2, 1], DType::F64, Device::CPU)?);
    let into = |out| Target::Out(out, |_| Ok(()));
    let added = "addmv input tensors must have the same dtype, but got Double, Float, and Float";
    for (name, found, expected) in [
        ("mm", product::mm(&a, &b, to), expected),
        ("mv", product::mv(&a, &v, to), expected),
        ("mv into as many", product::mv(&a, &v, into(&pair)), added),
        ("mv into a row", product::mv(&a, &v, into(&row)), expected),
        ("matmul of a batch", product::matmul(&a.unsqueeze(1)?, &v, to), added),
        ("matmul", product::matmul(&v, &b, to), expected),
        ("addmm", product::addmm(&v.slice(0, None, Some(1), 1)?, &a, &b, ONES, to), expected),
        ("dot", product::dot(&v, &v, to), dots),
        ("vdot", product::vdot(&v, &v, to), dots),
    ] {
        assert_eq!(found.expect_err(name).message(), expected, "{name}");
    }
    assert_eq!(product::outer(&v, &v, to)?.dtype(), DType::F64);
    Ok(())
}
