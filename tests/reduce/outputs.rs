//! Reductions into outputs: which they may be, what becomes of them, and that they are written where they lie.

use latten::by_name::Arguments;
use latten::elementwise::Target;
use latten::prelude::*;
use latten::reduce::Keep;
use latten::reduce::Reduction;
use latten::{RawTensor, Result};

/// What an output may be, in PyTorch's words.
#[test]
fn outputs_are_checked_and_resized() {
    let x = DynTensor::from_scalars(&[1.5, 2.0, 3.0, 4.0].map(Scalar::Float), [2, 2], DType::F32).expect("four numbers");
    let into = |op: Reduction, out: DType| {
        let out = DynTensor::zeros([0], out).expect("room");
        let result = latten::reduce::reduce_to(op, x.raw(), &Along::dims(&[1]), Target::Out(out.raw(), |_| Ok(())));
        result.map(|result| DynTensor::from(result).to_scalars().expect("elements"))
    };
    let int = |numbers: [i64; 2]| numbers.map(Scalar::Int).to_vec();
    let float = |numbers: [f64; 2]| numbers.map(Scalar::Float).to_vec();
    let mut failures = Vec::new();
    for (op, out, expected) in [
        (Reduction::Sum, DType::I64, Ok(int([3, 7]))),
        (Reduction::Sum, DType::F64, Ok(float([3.5, 7.0]))),
        (Reduction::Mean, DType::I64, Err("result type Float can't be cast to the desired output type Long")),
        (Reduction::Mean, DType::F64, Ok(float([1.75, 3.5]))),
        (Reduction::Var, DType::I64, Err("result type Float can't be cast to the desired output type Long")),
        (
            Reduction::Amax,
            DType::F64,
            Err("Expected the dtype for input and out to match, but got Float for input's dtype and Double for out's dtype."),
        ),
        (Reduction::Argmax, DType::F32, Err("Expected out tensor to have dtype long int, but got float instead")),
        (Reduction::Argmax, DType::I64, Ok(int([1, 1]))),
        (Reduction::Any, DType::F32, Err("any only supports bool tensor for result, got: Float")),
        (Reduction::Norm, DType::F64, Err("Expected out tensor to have dtype float, but got double instead")),
        (Reduction::Logsumexp, DType::I64, Err("logsumexp(): Expected floating point type for result tensor, but got: Long")),
    ] {
        let found = into(op, out);
        let same = match (&found, &expected) {
            (Ok(found), Ok(expected)) => found == expected,
            (Err(found), Err(expected)) => found.message() == *expected,
            _ => false,
        };
        if !same {
            failures.push(format!("{op:?} into {out:?}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // The output may be part of the input.
    let mut row = x.select(0, 0).expect("a row");
    x.sum_out(0, &mut row).expect("the sizes are those");
    assert_eq!(x.to_scalars().expect("elements"), [4.5, 6.0, 3.0, 4.0].map(Scalar::Float));
    // A type that says other sizes is not resized.
    let mut three = Tensor::<f32, shape![3]>::zeros();
    let refused = x.sum_out(0, &mut three).expect_err("two don't go into three");
    assert_eq!(refused.message(), "the result has shape [2], but the output is of type [3]");
}

#[test]
fn pairs_of_results_go_into_outputs() {
    let x = Tensor::from([[1_f32, 5.0, 2.0], [7.0, 3.0, 4.0]]);
    let empty = |dtype| DynTensor::empty([0], dtype).expect("no memory is needed");
    let of = |tensor: &DynTensor| tensor.to_dtype(DType::F64).and_then(|x| x.typed::<f64, AnyShape>()?.try_to_vec()).expect("numbers");
    // The call, what it gives, the second output's dtype, and the messages for outputs of f64 and i32.
    type Into<'a> = &'a dyn Fn(&mut DynTensor, &mut DynTensor) -> Result<()>;
    type Row<'a> = (Into<'a>, [&'a [f64]; 2], DType, [&'a str; 2]);
    let long = "Expected out tensor to have dtype long int, but got int instead";
    let float = "Expected out tensor to have dtype float, but got double instead";
    let values = "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.DoubleTensor does not \
                  equal torch.FloatTensor (while checking arguments for median)";
    let places = "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.IntTensor instead (while checking \
                  arguments for median)";
    let scans = ["expected scalar_type Float but found Double", "expected scalar_type Long but found Int"];
    let rows: [Row<'_>; 6] = [
        (&|v, p| x.max_out(1, v, p), [&[5.0, 7.0], &[1.0, 0.0]], DType::I64, [float, long]),
        (&|v, p| x.min_out(kept(0), v, p), [&[1.0, 3.0, 2.0], &[0.0, 1.0, 0.0]], DType::I64, [float, long]),
        (&|v, p| x.median_out(1, v, p), [&[2.0, 4.0], &[2.0, 2.0]], DType::I64, [values, places]),
        (&|v, p| x.cummax_out(0, v, p), [&[1.0, 5.0, 2.0, 7.0, 5.0, 4.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0]], DType::I64, scans),
        (&|v, p| x.cummin_out(0, v, p), [&[1.0, 5.0, 2.0, 1.0, 3.0, 2.0], &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]], DType::I64, scans),
        (
            &|v, p| x.aminmax_out(Some(1), Keep::No, v, p),
            [&[1.0, 3.0], &[5.0, 7.0]],
            DType::F32,
            [float, "Expected out tensor to have dtype float, but got int instead"],
        ),
    ];
    for (at, (call, expected, second, messages)) in rows.into_iter().enumerate() {
        let (mut v, mut p) = (empty(DType::F32), empty(second));
        call(&mut v, &mut p).expect("outputs of those dtypes");
        assert_eq!([of(&v), of(&p)], expected.map(<[f64]>::to_vec), "row {at}");
        for (mut v, mut p, message) in
            [(empty(DType::F64), empty(second), messages[0]), (empty(DType::F32), empty(DType::I32), messages[1])]
        {
            let refused = call(&mut v, &mut p).expect_err("another dtype");
            assert_eq!((refused.message(), v.numel(), p.numel()), (message, 0, 0), "row {at}");
        }
    }
}

/// Every check of both outputs comes before anything is written to one.
#[test]
fn a_refused_output_leaves_the_other_as_it_was() {
    let x = Tensor::from([[1_f32, 5.0, 2.0], [7.0, 3.0, 4.0]]);
    type Into<'a> = &'a dyn Fn(&mut DynTensor, &mut DynTensor) -> Result<()>;
    let scanned: [isize; 2] = [2, 3];
    let rows: [(&str, DType, &[isize], Into<'_>); 4] = [
        ("max", DType::I64, &[2], &|v, p| x.max_out(1, v, p)),
        ("median", DType::I64, &[2], &|v, p| x.median_out(1, v, p)),
        ("cummax", DType::I64, &scanned, &|v, p| x.cummax_out(0, v, p)),
        ("aminmax", DType::F32, &[2], &|v, p| x.aminmax_out(Some(1), Keep::No, v, p)),
    ];
    for (name, second, sizes, call) in rows {
        let full = |dtype| DynTensor::full(sizes, 9, dtype).expect("room");
        let repeated = || DynTensor::zeros([1], second).expect("room").expand(sizes).expect("one size");
        for at in [0, 1] {
            let (mut v, mut p) = (full(DType::F32), full(second));
            let kept = if at == 0 {
                v = DynTensor::zeros([1], DType::F32).expect("room").expand(sizes).expect("one size");
                p.clone()
            } else {
                p = repeated();
                v.clone()
            };
            let refused = call(&mut v, &mut p).expect_err("elements share memory");
            assert!(refused.message().starts_with("unsupported operation: more than one element"), "{name}: {refused}");
            let kept = kept.to_scalars().expect("elements");
            assert!(kept.iter().all(|x| *x == Scalar::Int(9) || *x == Scalar::Float(9.0)), "{name}, output {at} is refused: {kept:?}");
        }
    }
}

/// Outputs of every kind of memory: with steps, of another dtype, between elements of the input, both in one storage.
#[test]
fn outputs_are_written_where_they_lie() {
    let x = Tensor::from([[1.5_f32, 5.0, 2.0], [7.0, 3.0, 4.25]]);
    let numbers = |tensor: &DynTensor| {
        let doubles = tensor.to_dtype(DType::F64).expect("a conversion");
        doubles.typed::<f64, AnyShape>().expect("doubles").to_vec()
    };
    let room = |sizes: &[isize], dtype| DynTensor::full(sizes, 9, dtype).expect("room");
    for dtype in [DType::F32, DType::F64, DType::F16, DType::C64] {
        let (all, half) = (room(&[2, 2], dtype), x.to_dtype(DType::F16).expect("a conversion"));
        let mut column = all.select(1, 1).expect("a column");
        let address = column.data_ptr();
        x.mean_out(1, &mut column).expect("means fit into floats");
        assert_eq!(column.data_ptr(), address, "{dtype:?}");
        let mean = |sum: f32| match dtype {
            DType::F16 => f64::from(f16::from_f32(sum / 3.0)),
            DType::F64 => f64::from(sum) / 3.0,
            _ => f64::from(sum / 3.0),
        };
        assert_eq!(numbers(&all), [9.0, mean(8.5), 9.0, mean(14.25)], "{dtype:?}");
        // It is the output's dtype that means are computed in.
        half.mean_out(1, &mut column).expect("means fit into floats");
        assert_eq!(numbers(&all), [9.0, mean(8.5), 9.0, mean(14.25)], "{dtype:?}");
    }
    // Running sums of rows, and of columns, into a tensor that is turned.
    for (dim, expected) in [(1, [1.5, 7.0, 6.5, 10.0, 8.5, 14.25]), (0, [1.5, 8.5, 5.0, 8.0, 2.0, 6.25])] {
        let turned = room(&[3, 2], DType::F64);
        let out = turned.permute([1, 0]).expect("two dimensions");
        latten::reduce::scan(Reduction::Cumsum, x.raw(), dim, None, Target::Out(out.raw(), |_| Ok(()))).expect("sums of doubles");
        assert_eq!(numbers(&turned), expected, "along {dim}");
    }
    let all = room(&[4, 3], DType::F32);
    let (mut most, mut least) = (all.select(0, 1).expect("a row"), all.select(0, 3).expect("a row"));
    x.aminmax_out(Some(0), Keep::No, &mut least, &mut most).expect("rows of their own");
    assert_eq!(numbers(&all)[3..], [7.0, 5.0, 4.25, 9.0, 9.0, 9.0, 1.5, 3.0, 2.0]);
}

/// A mean is computed in its output's dtype; what it can't be computed in is refused in words that tell its two forms apart.
#[test]
fn means_are_computed_for_their_outputs() -> Result<()> {
    let elements = Tensor::from([[1.1_f32, 70000.0], [2.0, 70000.0], [5.0, -70000.0]]);
    let complex = Tensor::from([Complex::new(1.0_f32, 2.0), Complex::new(4.0, 8.0)]);
    let floats = |to| elements.to_dtype(to).expect("a conversion").erase();
    let (f32s, f64s, ints, bytes) = (floats(DType::F32), floats(DType::F64), floats(DType::I32), Tensor::from([1_u8, 2]).erase());
    let reduced = |name: &str, input: &DynTensor, dim: Option<i64>, out: DType| -> Result<Vec<Scalar>> {
        let mut to = DynTensor::full([0], 9, out)?;
        let given = Arguments::new().with(input).with_named("out", &mut to);
        call(name, if let Some(dim) = dim { given.with_named("dim", dim) } else { given })?;
        to.to_scalars()
    };
    let mean = |input: &DynTensor, dim, out| reduced("mean", input, dim, out);
    let is = |input: &DynTensor, dim, out, expected: &[f64]| {
        let found = mean(input, dim, out).unwrap_or_else(|error| panic!("{dim:?} into {out}: {error}"));
        let found: Vec<f64> = found.iter().map(|x| x.to_f64()).collect();
        assert_eq!(found, expected, "{} along {dim:?} into {out}", input.dtype());
    };
    is(&f32s, Some(0), DType::F64, &[(f64::from(1.1_f32) + 2.0 + 5.0) / 3.0, 70000.0 / 3.0]);
    is(&f32s, Some(0), DType::F16, &[f64::from(f16::from_f32(2.7)), 23328.0]);
    is(&f64s, Some(0), DType::F32, &[f64::from(8.1_f32 / 3.0), f64::from(70000.0_f32 / 3.0)]);
    is(&complex.erase(), Some(0), DType::F32, &[2.5]);
    is(&f32s.select(1, 1).expect("a column").erase(), None, DType::F16, &[23328.0]);
    let refused = |input: &DynTensor, dim, out, text: &str| {
        let error = mean(input, dim, out).expect_err("it is refused");
        assert_eq!(error.message(), text, "{} along {dim:?} into {out}", input.dtype());
    };
    for (out, name) in [(DType::Bool, "Bool"), (DType::U8, "Byte"), (DType::I32, "Int"), (DType::I64, "Long")] {
        for input in [&f32s, &f64s, &complex.erase()] {
            refused(input, None, out, &format!("mean.dtype_out(): input types can't be cast to the desired output type {name}"));
            refused(input, Some(0), out, &format!("result type Float can't be cast to the desired output type {name}"));
        }
        let none = "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Int";
        refused(&ints, Some(0), out, none);
    }
    refused(&complex.erase(), None, DType::F32, "mean.dtype_out(): input types can't be cast to the desired output type Float");
    // Sums that leave out NaN are sums of what the output holds of the elements.
    let (sum, nanmean) = ((f64::from(1.1_f32) + 2.0 + 5.0), |dim, out| reduced("nanmean", &f32s, dim, out));
    assert_eq!(nanmean(Some(0), DType::F64)?, [Scalar::Float(sum / 3.0), Scalar::Float(70000.0 / 3.0)]);
    assert!(nanmean(Some(0), DType::F16)?[1].to_f64().is_nan(), "70000 is no half");
    for (name, dim) in [("nansum", None), ("nansum", Some(0)), ("nanmean", None), ("nanmean", Some(0))] {
        for (out, said) in [(DType::Bool, "Bool"), (DType::I32, "Int"), (DType::C64, "ComplexFloat")] {
            let error = reduced(name, &f32s, dim, out).expect_err("it is refused");
            assert_eq!(error.message(), format!("\"nansum_cpu\" not implemented for '{said}'"), "{name} along {dim:?}");
        }
    }
    refused(&bytes, None, DType::Bool, "mean.dtype_out(): input types can't be cast to the desired output type Bool");
    Ok(())
}

/// The least and the greatest elements, which are found in one pass, are those of two: along rows, columns and all, of many results and few.
#[test]
fn both_extremes_are_those_of_two_folds() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::I64, DType::I8, DType::BF16, DType::Bool] {
        for sizes in [[3, 70], [70, 3], [40, 2100], [1, 1], [0, 33]] {
            let count = (sizes[0] * sizes[1]) as i64;
            let numbers: Vec<f64> = (0..count).map(|at| if at % 311 == 5 { f64::NAN } else { (at * 37 % 101 - 50) as f64 }).collect();
            let whole: Vec<i64> = (0..count).map(|at| at * 37 % 101 - 50).collect();
            let x = if dtype.is_floating_point() { RawTensor::from_vec(numbers, &sizes)? } else { RawTensor::from_vec(whole, &sizes)? };
            let x = DynTensor::from(x.to_dtype(dtype)?);
            for dim in [None, Some(0), Some(1)] {
                let given =
                    || if let Some(dim) = dim { Arguments::new().with(&x).with_named("dim", dim) } else { Arguments::new().with(&x) };
                let both = call("aminmax", given());
                let two = ["amin", "amax"].map(|name| call(name, given()).and_then(latten::Outcome::tensor));
                let [Ok(least), Ok(greatest)] = two else {
                    assert!(both.is_err(), "{dtype} {sizes:?} {dim:?}");
                    continue;
                };
                let both = both?.tensors()?;
                for (found, expected) in both.iter().zip([least, greatest]) {
                    assert_eq!(found.untyped_storage().tolist()?, expected.untyped_storage().tolist()?, "{dtype} {sizes:?} {dim:?}");
                }
            }
        }
    }
    Ok(())
}
