//! Outputs of operations that aren't elementwise: results go into the memory that is given, whatever its strides; what PyTorch refuses is
//! refused in its words; and after an error the output has the elements and the sizes that it had.

use latten::OfOptions as _;
use latten::by_name::{Arguments, NamedArgument};
use latten::elementwise::Target;
use latten::indexing::{self, Extreme, Half, IncludeSelf, Order, ScatterReduce};
use latten::tensor::DynTensor;
use latten::{DType, Device, MemoryFormat, Options, RawTensor, Result, Scalar, args, call, operations};

type Call = fn(&RawTensor, Target<'_>) -> Result<RawTensor>;

/// 0, 1, … in three rows of four.
fn numbers() -> RawTensor {
    RawTensor::from_vec((0..12_u8).map(f32::from).collect(), &[3, 4]).expect("twelve numbers")
}

fn places() -> RawTensor {
    RawTensor::from_vec(vec![0_i64, 1, 1, 2, 2, 0], &[3, 2]).expect("six places")
}

fn list(places: &[i64]) -> RawTensor {
    RawTensor::from_vec(places.to_vec(), &[places.len()]).expect("places")
}

fn nothing(dtype: DType) -> RawTensor {
    RawTensor::empty(&[0], &[1], dtype, Device::CPU).expect("nothing")
}

fn any(_: &[usize]) -> Result<()> {
    Ok(())
}

fn text(outcome: Result<RawTensor>) -> String {
    outcome.map_or_else(|error| error.message().to_owned(), |tensor| format!("fine: {:?}", tensor.sizes()))
}

/// A name, a call on `numbers()`, the dtype of its result, and PyTorch's refusal of an output of another dtype.
const CALLS: [(&str, Call, DType, &str); 14] = [
    (
        "gather",
        |x, to| indexing::gather(x, 1, &places(), to),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    (
        "take",
        |x, to| indexing::take(x, &places(), to),
        DType::F32,
        "take(): self and out expected to have the same dtype, but got self.dtype = Float and out.dtype = Double",
    ),
    (
        "index_select 0",
        |x, to| indexing::index_select(x, 0, &list(&[2, 0, 2, 1]), to),
        DType::F32,
        "index_select(): self and result must have the same scalar type",
    ),
    (
        "index_select 1",
        |x, to| indexing::index_select(x, -1, &list(&[3, 0]), to),
        DType::F32,
        "index_select(): self and result must have the same scalar type",
    ),
    (
        "masked_select",
        |x, to| indexing::masked_select(x, &x.to_dtype(DType::Bool)?, to),
        DType::F32,
        "masked_select(): self and result must have the same scalar type",
    ),
    ("nonzero", indexing::nonzero, DType::I64, "nonzero: Expected out tensor to have scalar type Long but got scalar typeDouble"),
    (
        "tril",
        |x, to| indexing::triangle(x, Half::Lower, 0, to),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    (
        "triu",
        |x, to| indexing::triangle(x, Half::Upper, 1, to),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    ("diag", |x, to| indexing::diag(x, 1, to), DType::F32, "Expected out tensor to have dtype float, but got double instead"),
    (
        "scatter",
        |x, to| indexing::scatter(x, 1, &places(), Scalar::Float(0.5).into(), (ScatterReduce::Replace, IncludeSelf::Yes), to),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    (
        "scatter_add",
        |x, to| indexing::scatter(x, 1, &places(), (&numbers()).into(), (ScatterReduce::Sum, IncludeSelf::Yes), to),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    (
        "argsort",
        |x, to| indexing::argsort(x, 0, Order::Descending, to),
        DType::I64,
        "Expected out tensor to have dtype long int, but got double instead",
    ),
    (
        "values of sort",
        |x, to| indexing::sort(x, 1, Order::Descending, [to, Target::New]).map(|both| both.0),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
    (
        "values of topk",
        |x, to| indexing::topk(x, 2, 1, Extreme::Largest, [to, Target::New]).map(|both| both.0),
        DType::F32,
        "Expected out tensor to have dtype float, but got double instead",
    ),
];

/// The result is the same wherever it goes, and lies where it was to go.
#[test]
fn results_go_where_they_are_to_go() -> Result<()> {
    for (name, call, dtype, _) in CALLS {
        let expected = call(&numbers(), Target::New)?;
        assert_eq!(expected.dtype(), dtype, "{name}");
        let turned: Vec<usize> = expected.sizes().iter().rev().copied().collect();
        let wide: Vec<usize> = expected.sizes().iter().map(|size| 2 * size).collect();
        let room = |sizes: &[usize]| RawTensor::zeros(sizes, &Options::new().dtype(dtype));
        let mut every_other = room(&wide)?;
        for dim in 0..wide.len() {
            every_other = every_other.slice(dim.cast_signed(), None, None, 2)?;
        }
        let outputs = [
            ("nothing", nothing(dtype)),
            ("another shape", room(&[7])?),
            ("the same shape", room(expected.sizes())?),
            ("the transpose", room(&turned)?.reverse_dims()),
            ("every other element", every_other),
        ];
        for (which, output) in outputs {
            let result = call(&numbers(), Target::Out(&output, any))?;
            assert_eq!(result.sizes(), expected.sizes(), "{name} into {which}");
            assert_eq!(result.scalars()?, expected.scalars()?, "{name} into {which}");
            assert!(result.storage().is_same(output.storage()), "{name} into {which}: in another storage");
            if output.sizes() == expected.sizes() {
                assert_eq!(output.scalars()?, expected.scalars()?, "{name} into {which}: the output itself");
            }
        }
    }
    Ok(())
}

#[test]
fn outputs_of_another_dtype_device_or_shape_are_refused() -> Result<()> {
    let mut wrong = Vec::new();
    for (name, call, dtype, other_dtype) in CALLS {
        let meta = RawTensor::empty(&[0], &[1], dtype, Device::META)?;
        let refuses = |_: &[usize]| Err(latten::Error::new(latten::ErrorKind::Runtime, "not of that shape"));
        let asked = [
            (text(call(&numbers(), Target::Out(&nothing(DType::F64), any))), other_dtype),
            (text(call(&numbers(), Target::Out(&meta, any))), "Expected out tensor to have device cpu, but got meta instead"),
            (text(call(&numbers(), Target::Out(&nothing(dtype), refuses))), "not of that shape"),
        ];
        wrong.extend(asked.into_iter().filter(|(found, expected)| found != expected).map(|(found, expected)| (name, found, expected)));
    }
    assert!(wrong.is_empty(), "call, what it says, what it is to say: {wrong:#?}");
    Ok(())
}

const REPEATED: &str = "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() \
                        the tensor before performing the operation.";
const SHARED: &str = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. \
                      Please clone() the tensor before performing the operation.";

/// Memory that an output shares with itself or with what is read: refused as PyTorch does, or computed as if the input had been copied.
#[test]
fn outputs_that_share_memory_are_refused_or_computed() -> Result<()> {
    let mut wrong = Vec::new();
    for (name, call, dtype, _) in CALLS {
        let expected = call(&numbers(), Target::New)?;
        let sizes: Vec<isize> = expected.sizes().iter().map(|size| size.cast_signed()).collect();
        let repeated = RawTensor::zeros(&[1], &Options::new().dtype(dtype))?.expand(&sizes)?;
        let found = text(call(&numbers(), Target::Out(&repeated, any)));
        if found != REPEATED {
            wrong.push((name, "repeated", found));
        }
        if dtype == DType::I64 {
            continue;
        }
        let x = numbers();
        let outcome = call(&x, Target::Out(&x, any));
        let computes = ["tril", "triu", "diag", "scatter", "scatter_add", "values of sort", "values of topk"].contains(&name);
        let same = outcome.as_ref().is_ok_and(|result| result.scalars() == expected.scalars());
        let found = text(outcome);
        match computes {
            true if same => {}
            false if found == SHARED && x.scalars()? == numbers().scalars()? => {}
            _ => wrong.push((name, "the input itself", found)),
        }
    }
    assert!(wrong.is_empty(), "call, output, what it says: {wrong:#?}");
    Ok(())
}

/// What looks at data looks at all of it before anything is written.
#[test]
fn indices_outside_leave_outputs_as_they_were() -> Result<()> {
    let outside = RawTensor::from_vec(vec![0_i64, 1, 1, 2, 2, 4], &[3, 2])?;
    let (list, inside) = (list(&[0, 9]), RawTensor::zeros(&[3, 2], &Options::new().dtype(DType::F32))?);
    let how = (ScatterReduce::Sum, IncludeSelf::Yes);
    type Call<'a> = Box<dyn Fn(Target<'_>) -> Result<RawTensor> + 'a>;
    let calls: [(&str, Call<'_>); 5] = [
        ("index 4 is out of bounds for dimension 1 with size 4", Box::new(|to| indexing::gather(&numbers(), 1, &outside, to))),
        (
            "out of range: tried to access index 99 on a tensor of 12 elements.",
            Box::new(|to| indexing::take(&numbers(), &RawTensor::from_vec(vec![0_i64, 99], &[2])?, to)),
        ),
        ("INDICES element is out of DATA bounds, id=9 axis_dim=4", Box::new(|to| indexing::index_select(&numbers(), 1, &list, to))),
        ("index out of range in self", Box::new(|to| indexing::index_select(&numbers().view(&[-1])?.narrow(0, 0, 3)?, 0, &list, to))),
        (
            "index 4 is out of bounds for dimension 1 with size 4",
            Box::new(|to| indexing::scatter(&numbers(), 1, &outside, (&inside).into(), how, to)),
        ),
    ];
    for (expected, call) in calls {
        for sizes in [&[3_usize, 2][..], &[2], &[3, 4], &[1], &[0]] {
            let output = RawTensor::full(sizes, Scalar::Float(7.0), &Options::new().dtype(DType::F32))?;
            let (before, nbytes) = (output.scalars()?, output.storage().nbytes());
            assert_eq!(text(call(Target::Out(&output, any))), expected, "an output of sizes {sizes:?}");
            assert_eq!((output.scalars()?, output.storage().nbytes()), (before, nbytes), "{expected}: the output of sizes {sizes:?}");
        }
    }
    Ok(())
}

/// Two outputs are both looked at before either is written.
#[test]
fn two_outputs_are_written_both_or_not_at_all() -> Result<()> {
    let options = Options::new();
    for sorted in [true, false] {
        let sizes = if sorted { [3, 4] } else { [3, 2] };
        let call = |values: &RawTensor, places: &RawTensor| {
            let targets = [Target::Out(values, any), Target::Out(places, any)];
            let both = if sorted {
                indexing::sort(&numbers(), 1, Order::Descending, targets)
            } else {
                indexing::topk(&numbers(), 2, 1, Extreme::Largest, targets)
            };
            text(both.map(|both| both.1))
        };
        let values = RawTensor::full(&sizes, Scalar::Float(7.0), &options.dtype(DType::F32))?;
        let repeated = RawTensor::zeros(&[1], &options.dtype(DType::I64))?.expand(&sizes.map(usize::cast_signed))?;
        let (narrow, longs) =
            (RawTensor::zeros(&sizes, &options.dtype(DType::I32))?, RawTensor::zeros(&sizes, &options.dtype(DType::I64))?);
        let shared = longs.view_dtype(DType::F32)?.narrow(1, 0, sizes[1].cast_signed())?;
        let asked = [
            (call(&values, &repeated), REPEATED),
            (call(&values, &narrow), "Expected out tensor to have dtype long int, but got int instead"),
            (call(&shared, &longs), SHARED),
        ];
        for (found, expected) in asked {
            assert_eq!(found, expected, "sort: {sorted}");
        }
        assert!(values.scalars()?.iter().all(|value| *value == Scalar::Float(7.0)), "values beside places that are refused");
        assert!(longs.scalars()?.iter().all(|place| *place == Scalar::Int(0)), "places beside values that are refused");
    }
    Ok(())
}

/// Every call with two outputs looks at both before it writes to either, whichever of them is refused.
#[test]
fn calls_with_two_outputs_write_both_or_none() -> Result<()> {
    let x = DynTensor::from(numbers());
    // Some have results of matrices that aren't wide, or that are square.
    let (high, square) =
        (call("t", args![&x])?.tensor()?, call("linalg.vander", args![&call("select", args![&x, 0, 0])?.tensor()?])?.tensor()?);
    let mut wrong = Vec::new();
    let mut calls = 0;
    for operation in operations().filter(|operation| operation.signature().contains("tuple of Tensors out")) {
        calls += 1;
        let arguments = || {
            let given = args![&x];
            match operation.name() {
                "linalg.polar" => args![&high],
                "linalg.ldl_factor" => args![&square],
                "aminmax" => given.with_named("dim", 1),
                "topk" => given.with(2).with(1),
                // Of one part there would be one number.
                "histogram" => given.with(2),
                "sort" if operation.signature().contains("bool stable,") => given.with_named("stable", true),
                _ => given.with(1),
            }
        };
        let results = call(operation.name(), arguments())?.tensors()?;
        let seven = |result: &DynTensor| DynTensor::full(result.sizes(), 7, result.dtype());
        for refused in [0, 1] {
            let result = &results[refused];
            let other = if result.dtype() == DType::I64 { DType::F32 } else { DType::I64 };
            let sizes: Vec<isize> = result.sizes().iter().map(|size| size.cast_signed()).collect();
            for (why, bad) in [
                ("another dtype", DynTensor::full(result.sizes(), 7, other)?),
                ("elements that coincide", DynTensor::full([1], 7, result.dtype())?.expand(&sizes[..])?),
            ] {
                let mut outputs = [seven(&results[0])?, seven(&results[1])?];
                outputs[refused] = bad;
                let [first, second] = &mut outputs;
                let outcome =
                    call(operation.name(), arguments().with_named("out", vec![NamedArgument::from(first), NamedArgument::from(second)]));
                let good = &outputs[1 - refused];
                let kept = good.to_scalars()?.iter().all(|number| [Scalar::Int(7), Scalar::Float(7.0)].contains(number))
                    && good.sizes() == results[1 - refused].sizes();
                if outcome.is_ok() || !kept {
                    let outcome = outcome.map_or_else(|error| error.to_string(), |_| "fine".to_owned());
                    wrong.push((operation.name(), operation.signature(), refused, why, outcome, kept));
                }
            }
        }
    }
    assert!(calls >= 9, "{calls} calls have two outputs");
    assert!(wrong.is_empty(), "call, signature, which output is refused, why, what it says, whether the other is as it was: {wrong:#?}");
    Ok(())
}

/// Where an input has data and the output doesn't, or the other way round: PyTorch's words, and the output stays as it was.
#[test]
fn reductions_refuse_outputs_elsewhere() -> Result<()> {
    let [host, meta] = [Device::CPU, Device::META].map(|device| {
        let options = Options::new().dtype(DType::F32).device(device)?;
        RawTensor::zeros(&[2, 3], &options).map(DynTensor::from)
    });
    let (host, meta) = (host?, meta?);
    for name in ["sum", "mean", "amax", "logsumexp", "cumsum"] {
        for (input, from, output, to) in [(&host, "cpu", &meta, "meta"), (&meta, "meta", &host, "cpu")] {
            let mut out = output.i(latten::i![..1]);
            let refused = call(name, latten::args![input, 0, out = &mut out]).map(drop).map_err(|error| error.message().to_owned());
            let expected = format!("Attempting to copy from device {from} to device {to}, but cross-device copies are not allowed!");
            assert_eq!(refused, Err(expected), "{name} of {from} into {to}");
            assert_eq!(out.sizes(), [1, 3], "{name} of {from} into {to}");
        }
    }
    Ok(())
}

/// Arguments for a call, of square matrices that are positive and of right sides.
type OfMatrices = fn(&DynTensor, &DynTensor) -> Result<Arguments<'static>>;

/// Its result, or one of them.
fn result(name: &str, given: Arguments<'_>, at: usize) -> Result<DynTensor> {
    let outcome = call(name, given)?;
    if at == 0 && !matches!(name, "linalg.lu_factor" | "geqrf" | "linalg.ldl_factor") {
        outcome.tensor()
    } else {
        Ok(outcome.tensors()?.swap_remove(at))
    }
}

const OF_MATRICES: [(&str, OfMatrices); 24] = [
    ("inverse", |a, _| Ok(args![a.clone()])),
    ("linalg.inv", |a, _| Ok(args![a.clone()])),
    ("linalg.solve", |a, b| Ok(args![a.clone(), b.clone()])),
    ("linalg.solve", |a, b| Ok(args![a.clone(), b.mT().erase(), left = false])),
    ("linalg.cholesky", |a, _| Ok(args![a.clone()])),
    ("linalg.cholesky", |a, _| Ok(args![a.clone(), upper = true])),
    ("linalg.solve_triangular", |a, b| Ok(args![a.clone(), b.clone(), upper = true])),
    ("linalg.solve_triangular", |a, b| Ok(args![a.clone(), b.mT().erase(), upper = false, left = false])),
    ("cholesky_solve", |a, b| Ok(args![b.clone(), result("linalg.cholesky", args![a], 0)?])),
    ("cholesky_inverse", |a, _| Ok(args![result("linalg.cholesky", args![a], 0)?])),
    ("linalg.lu_solve", |a, b| Ok(args![result("linalg.lu_factor", args![a], 0)?, result("linalg.lu_factor", args![a], 1)?, b.clone()])),
    ("linalg.lu_solve", |a, b| {
        Ok(args![result("linalg.lu_factor", args![a], 0)?, result("linalg.lu_factor", args![a], 1)?, b.clone(), adjoint = true])
    }),
    ("linalg.lu_solve", |a, b| {
        Ok(args![result("linalg.lu_factor", args![a], 0)?, result("linalg.lu_factor", args![a], 1)?, b.mT().erase(), left = false])
    }),
    ("lu_solve", |a, b| Ok(args![b.clone(), result("linalg.lu_factor", args![a], 0)?, result("linalg.lu_factor", args![a], 1)?])),
    ("linalg.householder_product", |a, _| Ok(args![result("geqrf", args![a], 0)?, result("geqrf", args![a], 1)?])),
    ("orgqr", |a, _| Ok(args![result("geqrf", args![a], 0)?, result("geqrf", args![a], 1)?])),
    ("ormqr", |a, b| Ok(args![result("geqrf", args![a], 0)?, result("geqrf", args![a], 1)?, b.clone()])),
    ("ormqr", |a, b| Ok(args![result("geqrf", args![a], 0)?, result("geqrf", args![a], 1)?, b.mT().erase(), left = false])),
    ("linalg.ldl_solve", |a, b| Ok(args![result("linalg.ldl_factor", args![a], 0)?, result("linalg.ldl_factor", args![a], 1)?, b.clone()])),
    ("linalg.pinv", |_, b| Ok(args![b.clone()])),
    ("linalg.tensorinv", |a, _| Ok(args![a.clone(), ind = 1])),
    ("index_copy", |a, _| Ok(args![a.clone(), -1, DynTensor::from(list(&[2, 0])), result("narrow", args![a, -1, 1, 2], 0)?])),
    ("index_copy", |a, _| Ok(args![a.clone(), 0, DynTensor::from(list(&[0])), result("narrow", args![a, 0, 0, 1], 0)?])),
    ("fft.ihfft2", |a, _| Ok(args![result("real", args![a], 0)?])),
];

/// Square matrices that are positive, and right sides of them.
fn matrices(sizes: &[usize], dtype: DType) -> Result<[DynTensor; 2]> {
    let some = |sizes: &[usize], step: usize| {
        let count: usize = sizes.iter().product();
        let numbers = |step: usize| RawTensor::from_vec((0..count).map(|at| (at * step % 101) as f64 / 101.0 - 0.5).collect(), sizes);
        let real = DynTensor::from(numbers(step)?);
        if dtype.is_complex() { call("complex", args![&real, &DynTensor::from(numbers(step + 6)?)])?.tensor() } else { Ok(real) }
    };
    let [.., size] = sizes else { return Ok([some(&[1, 1], 1)?, some(&[1, 1], 1)?]) };
    let (square, mut wide) = (some(sizes, 37)?, sizes.to_vec());
    wide[sizes.len() - 1] = 3;
    let ones = DynTensor::from(RawTensor::eye(*size, *size, &Options::new().dtype(square.dtype()))?);
    let positive = square.matmul(&square.mH()) + ones;
    Ok([positive.erase().to_dtype(dtype)?, some(&wide, 53)?.to_dtype(dtype)?])
}

/// Sevens of the sizes and the dtype of a result, however they lie.
fn sevens(result: &RawTensor) -> Result<Vec<(&'static str, RawTensor)>> {
    let last = result.rank().cast_signed() - 1;
    let options = Options::new().dtype(result.dtype());
    let mut wide = result.sizes().to_vec();
    wide[result.rank() - 1] *= 2;
    let (which, mut more) = (result.rank().saturating_sub(3), result.sizes().to_vec());
    more[which] *= 2;
    let all = vec![
        ("as the result", result.empty_like(result.dtype(), MemoryFormat::Preserve)?),
        ("rows", RawTensor::zeros(result.sizes(), &options)?),
        ("columns", RawTensor::zeros(result.transpose(-1, -2)?.sizes(), &options)?.transpose(-1, -2)?),
        ("every second", RawTensor::zeros(&wide, &options)?.slice(last, None, None, 2)?),
        ("a part", RawTensor::zeros(&wide, &options)?.narrow(last, 1, result.sizes()[result.rank() - 1].cast_signed())?),
        ("few of many", RawTensor::zeros(&more, &options)?.narrow(which.cast_signed(), 0, result.sizes()[which].cast_signed())?),
    ];
    all.iter().try_for_each(|(_, out)| out.fill_(Scalar::Int(7)))?;
    Ok(all)
}

/// One matrix, several that are worked on together, and more that aren't: an output gets what a new tensor gets, where it lies.
#[test]
fn what_is_made_of_matrices_goes_where_outputs_lie() -> Result<()> {
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        for sizes in [&[5_usize, 5][..], &[40, 40], &[3, 20, 20], &[2, 2, 4, 4], &[2, 2, 50, 50], &[0, 4, 4]] {
            let [a, b] = matrices(sizes, dtype)?;
            for (name, arguments) in OF_MATRICES {
                let Ok(given) = arguments(&a, &b) else { continue };
                let Ok(expected) = result(name, given, 0) else { continue };
                let other = match expected.dtype() {
                    DType::F32 => DType::F64,
                    DType::F64 => DType::F32,
                    DType::C64 => DType::C128,
                    _ => DType::C64,
                };
                let mut refusing = DynTensor::full(expected.sizes(), 7, other)?;
                if call(name, arguments(&a, &b)?.with_named("out", &mut refusing)).is_err() {
                    assert_eq!(
                        refusing.to_scalars()?,
                        DynTensor::full(expected.sizes(), 7, other)?.to_scalars()?,
                        "{name}: {dtype} in {other}"
                    );
                }
                for (how, out) in sevens(expected.raw())? {
                    tried += 1;
                    let mut output = DynTensor::from(out.clone());
                    call(name, arguments(&a, &b)?.with_named("out", &mut output))?;
                    let is_there = output.raw().storage().is_same(out.storage()) && *output.strides() == **out.strides();
                    if !is_there || output.to_scalars()? != expected.to_scalars()? {
                        wrong.push((name, dtype, sizes, how, is_there));
                    }
                }
            }
        }
    }
    assert!(tried > 1500, "only {tried} outputs");
    assert!(wrong.is_empty(), "call, dtype, sizes, how the output lies, whether it still lies there: {wrong:#?}");
    Ok(())
}

/// The last of several matrices is refused: outputs stay as they were, also those that are operands.
#[test]
fn matrices_that_are_refused_leave_outputs_as_they_were() -> Result<()> {
    for dtype in [DType::F32, DType::C64] {
        for size in [4_usize, 50] {
            let [a, b] = matrices(&[3, size, size], dtype)?;
            a.raw().select(0, 2)?.zero_()?;
            let one = |name: &str, given: Arguments<'_>, outs: Vec<&mut DynTensor>| {
                let outs: Vec<NamedArgument<'_>> = outs.into_iter().map(NamedArgument::from).collect();
                let outs = match <[NamedArgument<'_>; 1]>::try_from(outs) {
                    Ok([out]) => out,
                    Err(outs) => NamedArgument::from(outs),
                };
                let refused = call(name, given.with_named("out", outs)).map(drop).expect_err("it is refused");
                assert!(refused.message().contains("(Batch element 2)"), "{name}: {refused}");
            };
            let seven = |like: &DynTensor| DynTensor::full(like.sizes(), 7, like.dtype());
            let is_seven = |out: &DynTensor| Ok::<_, latten::Error>(out.to_scalars()? == seven(out)?.to_scalars()?);
            for name in ["linalg.inv", "inverse", "linalg.cholesky"] {
                let mut out = seven(&a)?;
                one(name, args![&a], vec![&mut out]);
                assert!(is_seven(&out)?, "{name} of {dtype}");
                let (before, mut own) = (a.to_scalars()?, a.alias());
                one(name, args![&a], vec![&mut own]);
                assert_eq!(a.to_scalars()?, before, "{name} of {dtype} into itself");
            }
            let mut out = seven(&b)?;
            one("linalg.solve", args![&a, &b], vec![&mut out]);
            assert!(is_seven(&out)?, "linalg.solve of {dtype}");
            let mut outs = [seven(&a)?, DynTensor::full([3, size], 7, DType::I32)?];
            one("linalg.ldl_factor", args![&a], outs.iter_mut().collect());
            assert!(is_seven(&outs[0])? && is_seven(&outs[1])?, "linalg.ldl_factor of {dtype}");
        }
    }
    Ok(())
}
