//! Reductions, scans and softmax as PyTorch answers: `golden/reduce.txt`, which `golden/reduce.py` recorded; each call on three layouts
//! of the same elements. Then what no recording shows: accuracy, threads, outputs, types.

#[path = "reduce/columns.rs"]
mod columns;
#[path = "reduce/norms.rs"]
mod norms;
#[path = "reduce/outputs.rs"]
mod outputs;
mod recorded;

use std::collections::HashMap;

use latten::elementwise::Target;
use latten::prelude::*;
use latten::reduce::Reduction;
use latten::reduce::{aminmax, pick, reduce, scan, scan_places, softmax};
use latten::{Device, NansAre, RawTensor, Result, Scalar, Tolerance, args, call, num_threads, set_num_threads};
use recorded::{Written, call_and_answer, difference, dtype, fault, layouts, report};

const GOLDEN: &str = include_str!("golden/reduce.txt");

/// `dim=0,-1 keep dtype=f32 parameter=2`
#[derive(Default)]
struct Arguments {
    dims: Option<Vec<isize>>,
    keep: Keep,
    dtype: Option<DType>,
    parameter: Option<f64>,
}

impl Arguments {
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut arguments = Self::default();
        for word in words {
            match word.split_once('=') {
                Some(("dim", dims)) => arguments.dims = Some(dims.split(',').map(|dim| dim.parse().expect("a dimension")).collect()),
                Some(("dtype", name)) => arguments.dtype = Some(dtype(name)),
                Some((_, parameter)) => arguments.parameter = Some(parameter.parse().expect("a number")),
                None if word == "keep" => arguments.keep = Keep::Yes,
                None => assert_eq!(word, "all"),
            }
        }
        arguments
    }

    fn along(&self) -> Along {
        let mut along = self.dims.as_ref().map_or_else(Along::all, |dims| Along::dims(dims)).keep(self.keep);
        if let Some(dtype) = self.dtype {
            along = along.dtype(dtype);
        }
        if let Some(parameter) = self.parameter {
            along = along.parameter(parameter);
        }
        along
    }

    fn dim(&self) -> isize {
        self.dims.as_ref().expect("one dimension")[0]
    }
}

/// Two new results.
const NEW: [Target<'_>; 2] = [Target::New; 2];

fn run(op: &str, input: &RawTensor, arguments: &Arguments) -> Result<Vec<RawTensor>> {
    let op = *Reduction::ALL.iter().find(|reduction| reduction.row().name == op).unwrap_or_else(|| panic!("there is no {op}"));
    let both = |(one, other)| vec![one, other];
    match op {
        Reduction::Max | Reduction::Min | Reduction::Median if arguments.dims.is_some() => {
            pick(op, input, arguments.dim(), arguments.keep, NEW).map(both)
        }
        Reduction::Aminmax => aminmax(input, arguments.dims.as_ref().map(|dims| dims[0]), arguments.keep, NEW).map(both),
        Reduction::Cumsum | Reduction::Cumprod | Reduction::Logcumsumexp => {
            scan(op, input, arguments.dim(), arguments.dtype, Target::New).map(|one| vec![one])
        }
        Reduction::Cummax | Reduction::Cummin => scan_places(op, input, arguments.dim(), NEW).map(both),
        Reduction::Softmax | Reduction::LogSoftmax => {
            softmax(op, input, arguments.dim(), arguments.dtype, Target::New).map(|one| vec![one])
        }
        _ => reduce(op, input, &arguments.along()).map(|one| vec![one]),
    }
}

/// What PyTorch has no kernel for, or says with a slip of the pen.
fn differs_on_purpose(line: &str) -> bool {
    // "the dimension 1because": a space is missing.
    line.contains("because this dimension is empty")
        // PyTorch rounds the sum of the exponentials to bfloat16.
        || line.starts_with("log_softmax") && line.contains("bf16")
        // PyTorch refuses some dtypes in the kernel, which isn't reached without elements or without dimensions.
        || (line.contains(" none.") || line.contains(" one.c64")) && ["amax", "amin", "median", "max", "min", "cummax", "cummin"].iter().any(|op| line.starts_with(op)) && !line.contains(" ! ")
}

#[test]
fn every_reduction_answers_as_pytorch() {
    let (mut inputs, mut failures, mut compared, mut on_purpose) = (HashMap::new(), Vec::new(), 0, 0);
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        if let Some(input) = line.strip_prefix("input ") {
            let (name, written) = input.split_once(' ').expect("a name");
            inputs.insert(name, Written::parse(written));
            continue;
        }
        let (call, answer) = call_and_answer(line);
        let mut words = call.split(' ');
        let (op, name) = (words.next().expect("an operation"), words.next().expect("an input"));
        let arguments = Arguments::parse(words);
        for (layout, input) in layouts(&inputs[name].tensor()) {
            compared += 1;
            let fault = fault(&run(op, input.raw(), &arguments), &answer);
            if fault.is_some() && differs_on_purpose(line) {
                on_purpose += 1;
                continue;
            }
            failures.extend(fault.map(|fault| format!("{line}\n    {layout}: {fault}")));
        }
    }
    assert!(compared > 9000, "only {compared} calls");
    assert!(on_purpose > 0, "nothing differs on purpose: the list of what may is stale");
    report(&failures, compared);
}

/// Factors whose products are exact: the order in which lanes take them shows in nothing.
#[test]
fn products_have_every_factor_once() -> Result<()> {
    for count in [0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 1023, 1024, 1025, 70_001] {
        let factors: Vec<f64> = (0..count).map(|at| [2.0, -0.5, 1.0, -1.0, 0.5, -2.0][at % 6]).collect();
        for (place, odd) in
            [(0, 3.0), (count / 2, -0.0), (count.saturating_sub(1), f64::NAN), (count / 3, f64::INFINITY), (count / 5, -5.0)]
        {
            let factors: Vec<f64> = factors.iter().enumerate().map(|(at, &factor)| if at == place { odd } else { factor }).collect();
            let expected: f64 = factors.iter().product();
            for dtype in [DType::F32, DType::F64, DType::C64] {
                for (layout, x) in layouts(&Tensor::<f64>::from_vec(factors.clone(), [count])?.erase().to_dtype(dtype)?) {
                    let found = call("prod", args![&x])?.one()?.to_dtype(DType::C128)?.item()?;
                    let Scalar::Complex(found) = found else { panic!("{found:?}") };
                    let same = found.re == expected || found.re.is_nan() && (expected.is_nan() || dtype == DType::C64 && odd.is_infinite());
                    assert!(same, "{dtype} {count} {layout}, {odd}: {found}, not {expected}");
                }
            }
        }
        let whole: Vec<i64> = (0..count as i64).map(|at| at * 2 - 7).collect();
        let expected = whole.iter().fold(1_i64, |product, &factor| product.wrapping_mul(factor));
        let found = call("prod", args![&Tensor::<i64>::from_vec(whole, [count])?])?.one()?.item()?;
        assert_eq!(found, Scalar::Int(expected), "{count}");
    }
    Ok(())
}

#[test]
fn complex32_reduces_as_complex64() {
    let x =
        DynTensor::from_scalars(&[1.0, -0.5, 2.0, 0.25, -1.0, 3.0].map(|x| Scalar::Complex(Complex::new(x, 1.0 - x))), [2, 3], DType::C32);
    let half = x.expect("six numbers");
    let single = half.to_dtype(DType::C64).expect("a conversion");
    for op in ["sum", "mean", "prod", "any", "all", "count_nonzero", "var", "std", "norm", "logsumexp", "cumsum", "cumprod"] {
        let arguments = Arguments { dims: Some(vec![1]), ..Arguments::default() };
        let found = run(op, half.raw(), &arguments).expect("complex32 has every reduction").remove(0);
        let expected = DynTensor::from(run(op, single.raw(), &arguments).expect("so has complex64").remove(0));
        let dtype = match expected.dtype() {
            DType::C64 => DType::C32,
            DType::F32 => DType::F16,
            other => other,
        };
        let expected = Written { dtype, sizes: expected.sizes().to_vec(), elements: expected.to_scalars().expect("elements") };
        assert_eq!(difference(&found, &expected, dtype), None, "{op}");
    }
}

/// Numbers that no two runs need to agree on: a linear congruence.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    (0..count).map(|_| next()).collect()
}

/// PyTorch's relative error on such numbers is 3e-8 at best: half a unit in the last place of the result, and some more.
#[test]
fn sums_of_many_floats_are_rounded_once() {
    let numbers = numbers(10_000_000);
    let exact: f64 = numbers.iter().map(|&x| f64::from(x)).sum();
    let squares: f64 = numbers.iter().map(|&x| (f64::from(x) - exact / 1e7).powi(2)).sum();
    let x = Tensor::<f32>::from_vec(numbers, [10_000_000]).expect("as many numbers");
    let relative = |found: f32, exact: f64| ((f64::from(found) - exact) / exact).abs();
    let half_a_unit = f64::from(f32::EPSILON) / 2.0;
    for (name, found, exact) in [
        ("sum", x.sum().item(), exact),
        ("mean", x.mean().item(), exact / 1e7),
        ("var", x.var().item(), squares / 9_999_999.0),
        ("norm", x.norm().item(), (squares + exact * exact / 1e7).sqrt()),
    ] {
        assert!(relative(found, exact) <= 1.01 * half_a_unit, "{name}: {found} for {exact}");
    }
    let columns = x.view([2500, 4000]).expect("as many").sum_along(axis::<0>());
    let sum: f64 = columns.to_vec().iter().map(|&x| f64::from(x)).sum();
    assert!(((sum - exact) / exact).abs() <= half_a_unit, "columns: {sum} for {exact}");
}

/// Softmax of rows and of columns, in parts and whole, against `f64`: the difference from the largest element, up to 40, is rounded once.
#[test]
fn softmax_along_any_axis_is_the_same_function() {
    let data: Vec<f32> = numbers(600_000).into_iter().map(|x| x * 40.0 - 20.0).collect();
    let mut failures = Vec::new();
    for sizes in [[1, 700, 500], [3, 40, 5000], [200, 30, 100], [5, 17, 16], [40, 7, 3], [3, 5000, 40], [2, 2500, 1], [4, 1, 50]] {
        let [a, b, c] = sizes;
        let mut own = data[..a * b * c].to_vec();
        // A column without a number, one with an infinity and one that is infinitely small.
        let specials = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e30];
        specials.iter().zip((0..own.len()).step_by(c + 1)).for_each(|(&special, at)| own[at] = special);
        let x = Tensor::<f32>::from_vec(own.clone(), sizes).expect("as many numbers");
        let turned = x.permute([2, 0, 1]).expect("a permutation").contiguous().permute([1, 2, 0]).expect("a permutation");
        let (mut shares, mut logarithms) = (vec![0.0; own.len()], vec![0.0; own.len()]);
        for (i, k) in (0..a).flat_map(|i| (0..c).map(move |k| (i, k))) {
            let at = |j: usize| (i * b + j) * c + k;
            let column = || (0..b).map(|j| f64::from(own[at(j)]));
            let most = column().fold(f64::NEG_INFINITY, |most, x| if x > most || x.is_nan() { x } else { most });
            let sum: f64 = column().map(|x| (x - most).exp()).sum();
            for j in 0..b {
                let x = f64::from(own[at(j)]) - most;
                (shares[at(j)], logarithms[at(j)]) = (x.exp() / sum, x - sum.ln());
            }
        }
        let softmax = |x: &Tensor<f32, Rank<3>>| x.softmax(1).expect("a dimension");
        let log_softmax = |x: &Tensor<f32, Rank<3>>| x.log_softmax(1).expect("a dimension");
        for (name, found, expected, within) in [
            ("softmax", softmax(&x), &shares, 1e-38),
            ("softmax of a transposed one", softmax(&turned), &shares, 1e-38),
            ("log_softmax", log_softmax(&x), &logarithms, 1.0),
            ("log_softmax of a transposed one", log_softmax(&turned), &logarithms, 1.0),
        ] {
            assert!(found.is_contiguous(), "{name} of {sizes:?}");
            let found = found.to_vec();
            let close = |found: f32, expected: f64| {
                let found = f64::from(found);
                let apart = (found - expected).abs();
                found == expected || found.is_nan() && expected.is_nan() || apart <= 3e-6 * expected.abs().max(within)
            };
            if let Some(at) = found.iter().zip(expected).position(|(&found, &expected)| !close(found, expected)) {
                failures.push(format!("{name} of {sizes:?}: element {at} is {}, not {}", found[at], expected[at]));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Results don't depend on how many threads there are, also where they are rounded.
#[test]
fn every_number_of_threads_gives_the_same_bits() {
    let x = Tensor::<f32>::from_vec(numbers(1_000_000), [1_000_000]).expect("as many numbers");
    let results = || -> Vec<Vec<u32>> {
        let shapes = [[1000, 1000], [20, 50_000], [50_000, 20], [1, 1_000_000]];
        let views = shapes.map(|sizes| x.view(sizes).expect("as many").typed::<f32, Rank<2>>().expect("two dimensions"));
        let all = views.iter().flat_map(|x| {
            let softmax = x.softmax(0).expect("a dimension").erase();
            [
                x.sum_along(axis::<0>()).erase(),
                x.sum_along(axis::<1>()).erase(),
                x.sum().erase(),
                x.var().erase(),
                x.softmax(1).expect("a dimension").erase(),
                softmax,
            ]
        });
        let bits = |x: DynTensor| x.typed::<f32, AnyShape>().expect("floats").to_vec().into_iter().map(f32::to_bits).collect();
        all.map(bits).collect()
    };
    let before = num_threads();
    let [one, three] = [1, 3].map(|threads| {
        set_num_threads(threads);
        results()
    });
    set_num_threads(before);
    assert!(one == three);
}

/// Long rows, long columns, few and many results: every path of the loop, against a loop that anyone can read.
#[test]
fn every_shape_of_the_loop_adds_the_same() {
    let data: Vec<i64> = (0..700_000).map(|x| (x * 7919 + 13) % 1009 - 500).collect();
    let mut failures = Vec::new();
    for sizes in [
        [700_000, 1, 1],
        [1, 700_000, 1],
        [7, 100_000, 1],
        [100_000, 7, 1],
        [1, 100_000, 7],
        [2, 350, 1000],
        [350, 2, 1000],
        [10, 700, 100],
        [3, 1, 5],
        [3, 40, 5000],
        [120, 1, 5000],
    ] {
        let [a, b, c] = sizes;
        let x = Tensor::<i64>::from_vec(data[..a * b * c].to_vec(), sizes).expect("as many numbers");
        let at = |i: usize, j: usize, k: usize| data[(i * b + j) * c + k];
        let mut sums = vec![0_i64; a * c];
        let mut most = vec![(i64::MIN, 0_i64); a * c];
        for (i, j, k) in (0..a).flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| (i, j, k)))) {
            let (value, result) = (at(i, j, k), i * c + k);
            sums[result] += value;
            if value > most[result].0 {
                most[result] = (value, j as i64);
            }
        }
        let values: Vec<i64> = most.iter().map(|&(value, _)| value).collect();
        let places: Vec<i64> = most.iter().map(|&(_, place)| place).collect();
        let (max, argmax) = x.max_along(axis::<1>());
        for (name, found, expected) in [
            ("sum", x.sum_along(axis::<1>()), &sums),
            ("amax", x.amax_along(axis::<1>()), &values),
            ("max", max, &values),
            ("argmax", argmax, &places),
            (
                "sum of a transposed one",
                x.permute([2, 1, 0]).expect("a permutation").sum_along([1]).expect("a sum").t().contiguous().typed().expect("two"),
                &sums,
            ),
        ] {
            if found.to_vec() != *expected {
                failures.push(format!("{name} of {sizes:?} along 1"));
            }
        }
        let all: i64 = data[..a * b * c].iter().sum();
        if x.sum().item() != all {
            failures.push(format!("sum of all of {sizes:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The types of results, which `let` checks when this compiles.
#[test]
fn types_follow_the_axes() {
    let x = Tensor::<i32, shape![2, 3]>::ones();
    let sum: Tensor<i64, ()> = x.sum();
    let rows: Tensor<i64, shape![2]> = x.sum_along(axis::<1>());
    let from_the_back: Tensor<i64, shape![3]> = x.sum_along(axis::<-2>());
    let kept: Tensor<i64, shape![2, 1]> = x.sum_along(kept(axis::<1>()));
    let some: Tensor<i64, ()> = x.sum_along([0, 1]).expect("both are there");
    let truth: Tensor<bool, ()> = x.all();
    let mean: Tensor<f32, shape![3]> = x.to::<f32>().mean_along(axis::<0>());
    let spread: Tensor<f32, ()> = Tensor::<c64, shape![2, 3]>::ones().std();
    let (most, place): (Tensor<i32, shape![3]>, Tensor<i64, shape![3]>) = x.max_along(axis::<0>());
    let shares: Tensor<f64, shape![2, 3]> = x.to::<f64>().softmax(1).expect("a dimension");
    assert_eq!((sum.item(), truth.item(), most.to_vec(), place.to_vec()), (6, true, vec![1; 3], vec![0; 3]));
    assert_eq!((rows.to_vec(), from_the_back.to_vec(), kept.to_vec()), (vec![3; 2], vec![2; 3], vec![3; 2]));
    assert_eq!((some.item(), mean.to_vec(), spread.item()), (6, vec![1.0; 3], 0.0));
    assert_eq!(shares.to_vec(), [1.0 / 3.0; 6]);
    let dynamic: DynTensor = x.erase().mean_along(&Along::all().dtype(DType::F64)).expect("f64 has means");
    assert_eq!(dynamic.item(), Scalar::Float(1.0));
    let refused = x.erase().try_mean().expect_err("integers have no mean");
    assert_eq!(
        refused.message(),
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Int"
    );
}

#[test]
fn scans_in_place_and_running_extremes() {
    let mut x = Tensor::<i32>::from_vec(vec![1, 2, 3, 4], [4]).expect("four");
    x.cumsum_(0).expect("a dimension").cumprod_(0).expect("a dimension");
    assert_eq!(x.to_vec(), [1, 3, 18, 180]);
    let refused = Tensor::<bool>::from_vec(vec![true], [1]).expect("one").cumsum_(0).map(drop).expect_err("bools don't add up");
    assert_eq!(refused.message(), "\"cumsum_out_cpu\" not implemented for 'Bool'");
    let (running, places) = Tensor::<f32>::from_vec(vec![1.0, 3.0, 3.0, f32::NAN, 9.0], [5]).expect("five").cummax(0).expect("a dimension");
    assert_eq!(places.to_vec(), [0, 1, 2, 3, 3]);
    assert!(running.to_vec()[3..].iter().all(|x| x.is_nan()));
}

/// What isn't there to be asked for is an error, not the end of the program.
#[test]
fn results_that_are_too_large_are_errors() {
    let none = DynTensor::zeros([0, 1_i64 << 42], DType::F32).expect("no memory is needed");
    let refused = none.sum_along([0]).expect_err("four trillion results");
    assert!(refused.message().contains("allocate memory"), "{refused}");
    assert!(none.max_along(1).expect("no rows").0.to_scalars().expect("elements").is_empty());
    for dtype in [DType::F32, DType::I8, DType::U8] {
        let one = DynTensor::ones([1], dtype).expect("room").expand([1_i64 << 56]).expect("one size");
        let refused = one.try_sum().expect_err("more parts than there is memory for");
        assert!(refused.message().contains("memory"), "{refused}");
        let refused = one.median_along(0).expect_err("a row longer than memory");
        assert!(refused.message().contains("memory"), "{refused}");
    }
}

#[test]
fn the_median_of_nothing_has_any_dtype() {
    for (dtype, expected) in [
        (DType::Bool, "tensor(True)"),
        (DType::F16, "tensor(nan, dtype=torch.float16)"),
        (DType::C64, "tensor(nan+0.j)"),
        (DType::I32, "tensor(-2147483648, dtype=torch.int32)"),
        (DType::U8, "tensor(0, dtype=torch.uint8)"),
    ] {
        let none = DynTensor::empty([0, 3], dtype).expect("no memory is needed");
        assert_eq!(none.try_median().map(|x| x.to_string()), Ok(expected.to_owned()), "{dtype:?}");
    }
}

#[test]
fn closeness_is_pytorchs() {
    let tensor = |numbers: &[f64]| {
        DynTensor::from_scalars(&numbers.iter().copied().map(Scalar::Float).collect::<Vec<_>>(), [numbers.len()], DType::F32)
            .expect("as many")
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let a = tensor(&[1.0, inf, -inf, inf, nan, 1.0, 100.0]);
    let b = tensor(&[1.0 + 1e-9, inf, inf, 1.0, nan, 1.1, 100.0005]);
    let close = |tolerance: Tolerance| a.try_isclose_with(&b, tolerance).expect("equal dtypes").to_vec();
    assert_eq!(close(Tolerance::default()), [true, true, false, false, false, false, true]);
    assert_eq!(close(Tolerance { nans: NansAre::Equal, ..Tolerance::default() }), [true, true, false, false, true, false, true]);
    assert_eq!(close(Tolerance { relative: 0.5, ..Tolerance::default() }), [true, true, false, false, false, true, true]);
    let integers = a.to_dtype(DType::I64).expect("a conversion");
    assert_eq!(a.try_isclose_with(&integers, Tolerance::default()).expect_err("dtypes differ").message(), "Float did not match Long");
    let negative = a.try_isclose_with(&b, Tolerance { absolute: -1.0, ..Tolerance::default() }).expect_err("a negative tolerance");
    assert_eq!(negative.message(), "atol must be greater than or equal to zero, but got -1");
    assert_eq!((a.equal(&a), integers.equal(&integers.to_dtype(DType::F64).expect("a conversion"))), (false, true));
    assert!(!tensor(&[1.0]).equal(&tensor(&[1.0, 1.0])));
}

#[test]
fn meta_tensors_give_sizes() {
    let x = DynTensor::empty([2, 3, 4], (DType::I32, Device::META)).expect("no memory is needed");
    let sum = x.sum_along(kept([0, -1])).expect("both are there");
    assert_eq!((sum.dtype(), sum.sizes(), sum.is_meta()), (DType::I64, &[1, 3, 1][..], true));
    let (values, places) = x.max_along(1).expect("it is there");
    assert_eq!((values.dtype(), values.sizes(), places.dtype(), places.is_meta()), (DType::I32, &[2, 4][..], DType::I64, true));
    let scanned = x.cumsum(0).expect("it is there");
    assert_eq!((scanned.dtype(), scanned.sizes(), scanned.is_meta()), (DType::I64, &[2, 3, 4][..], true));
    assert!(x.median_along(0).expect("it is there").0.is_meta());
}

#[test]
fn rows_that_are_summed_side_by_side_have_their_own_sums() -> Result<()> {
    let x = Tensor::from_vec((0..770).map(|i| (i % 13) as f32 / 10.0).collect(), [11, 70])?.erase();
    for x in [x.clone(), x.t(), x.narrow(1, 1, 1)?, (&x * 10).to_dtype(DType::I64)?] {
        for name in ["cumsum", "cumprod"] {
            let all = call(name, args![&x, 1])?.tensor()?;
            for row in 0..x.sizes()[0].cast_signed() {
                let [own, found] = [&x, &all].map(|tensor| tensor.select(0, row).expect("a row"));
                let own = call(name, args![&own, 0])?.tensor()?;
                assert!(found.equal(&own), "{name}, row {row} of {:?}", x.sizes());
            }
        }
    }
    Ok(())
}

#[test]
fn extremes_are_found_at_every_place() -> Result<()> {
    for len in 1..80_usize {
        for at in 0..len {
            for (extreme, others) in [(f64::NAN, 1.0), (7.0, f64::NEG_INFINITY), (f64::INFINITY, 3.0), (-0.5, -1.0)] {
                let row: Vec<f64> = (0..len).map(|place| if place == at { extreme } else { others }).collect();
                for dtype in [DType::F32, DType::F64, DType::BF16] {
                    let row = DynTensor::from(RawTensor::from_vec(row.clone(), &[1, len])?.to_dtype(dtype)?);
                    let found = [row.amax_along(1)?.erase(), (-&row).amin_along(1)?.neg().erase(), row.amax().erase()]
                        .map(|found| found.to_scalars());
                    for found in found {
                        let found = found?[0].to_f64();
                        assert!(
                            found.to_bits() == extreme.to_bits() || found.is_nan() && extreme.is_nan(),
                            "{extreme} at {at} of {len} {dtype}: {found}"
                        );
                    }
                    assert_eq!(row.argmax().item(), at as f64, "{extreme} of {len} {dtype}");
                }
            }
        }
    }
    Ok(())
}
