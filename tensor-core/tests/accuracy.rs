//! How exact functions are: `f32` against the correctly rounded result, as computed in `f64`, and every level of instructions
//! the same. `cargo test --release --test accuracy -- --ignored` tries all 2³² numbers; the tests that run always try one in 4099.

use latten_core::device::Device;
use latten_core::element::Native;
use latten_core::elementwise::{Params, apply};
use latten_core::raw::RawTensor;
use latten_core::storage::TypedStorage;
use latten_spec::operation::Op;

/// A function, its reference, and how many units in the last place it may be off.
type Row = (Op, fn(f64) -> f64, f64);

const ROWS: [Row; 25] = [
    (Op::Exp, f64::exp, 0.9),
    (Op::Exp2, f64::exp2, 0.9),
    (Op::Expm1, f64::exp_m1, 0.98),
    (Op::Log, f64::ln, 0.88),
    (Op::Log2, f64::log2, 0.75),
    (Op::Log10, f64::log10, 0.52),
    (Op::Log1p, f64::ln_1p, 0.92),
    (Op::Sin, f64::sin, 0.88),
    (Op::Cos, f64::cos, 0.88),
    (Op::Tan, f64::tan, 1.0),
    (Op::Sinh, f64::sinh, 0.52),
    (Op::Cosh, f64::cosh, 0.52),
    (Op::Tanh, f64::tanh, 0.96),
    (Op::Erf, libm::erf, 0.83),
    (Op::Erfc, libm::erfc, 0.52),
    (Op::Erfinv, erfinv, 2.1),
    (Op::Lgamma, libm::lgamma, 0.52),
    (Op::Asin, f64::asin, 0.52),
    (Op::Acos, f64::acos, 0.52),
    (Op::Atan, f64::atan, 0.95),
    (Op::Asinh, libm::asinh, 0.52),
    (Op::Acosh, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, 0.52),
    (Op::Atanh, libm::atanh, 0.52),
    (Op::Sqrt, f64::sqrt, 0.5),
    (Op::Reciprocal, f64::recip, 0.5),
];

/// What the error function takes to a number, by Newton's steps: from the left none leads too far, and near 1 those of the logarithm are few.
fn erfinv(x: f64) -> f64 {
    let (size, rest) = (x.abs(), 1.0 - x.abs());
    if size >= 1.0 {
        return if size == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let slope = |y: f64| std::f64::consts::FRAC_2_SQRT_PI * (-y * y).exp();
    let step = |y: f64| if size < 0.5 { (size - libm::erf(y)) / slope(y) } else { (libm::erfc(y) / rest).ln() * libm::erfc(y) / slope(y) };
    (0..12).fold(0.0, |y, _| y + step(y)).copysign(x)
}

/// How far a result is from the true one, in units of the last place there.
fn error(result: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    if result.to_bits() == nearest.to_bits() || (result.is_nan() && nearest.is_nan()) {
        // Exact numbers and ties apart, half a unit at most.
        return if f64::from(result) == truth { 0.0 } else { 0.5 };
    }
    if !result.is_finite() || !nearest.is_finite() || (result == 0.0 && nearest == 0.0) {
        return f64::INFINITY;
    }
    let next = f32::from_bits((nearest.abs().to_bits() + 1).min(f32::MAX.to_bits() + 1));
    let unit = if next.is_finite() { f64::from(next) - f64::from(nearest.abs()) } else { 2_f64.powi(104) };
    (f64::from(result) - truth).abs() / unit
}

/// A tensor of these numbers.
fn tensor<T: Native>(numbers: impl ExactSizeIterator<Item = T>) -> RawTensor {
    let tensor = RawTensor::empty(&[numbers.len()], &[1], T::DTYPE, Device::CPU).expect("memory");
    let storage = TypedStorage::<T>::of(tensor.storage().clone());
    storage.slice_mut().expect("an own storage").iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    tensor
}

/// The largest error over numbers, and where it is.
fn worst(op: Op, reference: fn(f64) -> f64, numbers: &[f32]) -> (f64, f32) {
    let results = apply(op, &[(&tensor(numbers.iter().copied())).into()], &Params::none()).expect("a result");
    let results = TypedStorage::<f32>::of(results.storage().clone());
    let results = results.slice().expect("an own storage");
    let errors = numbers.iter().zip(results.iter()).map(|(&x, &y)| (error(y, reference(f64::from(x))), x));
    errors.fold((0.0, 0.0), |worst, next| if next.0 > worst.0 { next } else { worst })
}

fn check(row: &Row, (error, at): (f64, f32)) {
    let &(op, reference, limit) = row;
    assert!(
        error <= limit,
        "{op} is off by {error} units in the last place at {at:e}, where it is {:e}; allowed are {limit}",
        reference(at.into())
    );
}

#[test]
fn f32_functions_are_nearly_correctly_rounded() {
    let special = [0.0, 1.0, f32::INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX, 88.722_84, 103.97, 1e6, 1e-45];
    let mut numbers: Vec<f32> = special.into_iter().flat_map(|x| [x, -x, f32::from_bits(x.to_bits() ^ 1)]).collect();
    numbers.extend((0..=u32::MAX).step_by(4099).map(f32::from_bits));
    // Where results are most of the time.
    numbers.extend((0..400_000).map(|i| i as f32 * 1e-4 - 20.0));
    for row in &ROWS {
        check(row, worst(row.0, row.1, &numbers));
    }
}

#[test]
#[ignore = "takes minutes for each function"]
fn f32_functions_are_nearly_correctly_rounded_everywhere() {
    const PART: u32 = 1 << 20;
    for row in &ROWS {
        let next = std::sync::atomic::AtomicU32::new(0);
        let part = || {
            let mut found = (0.0, 0.0);
            loop {
                let part = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(first) = part.checked_mul(PART).filter(|_| part < u32::MAX / PART + 1) else { return found };
                let numbers: Vec<f32> = (0..PART).map(|i| f32::from_bits(first + i)).collect();
                let here = worst(row.0, row.1, &numbers);
                found = if here.0 > found.0 { here } else { found };
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let found = std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|_| scope.spawn(part)).collect();
            parts.into_iter().map(|part| part.join().expect("no panic")).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a })
        });
        println!("{}: {:.4} at {:e}", row.0, found.0, found.1);
        check(row, found);
    }
}

/// Words of any bits.
fn words(count: usize) -> Vec<u64> {
    let step = |word: &u64| Some(word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(1_u64), step).skip(1).map(|word| word ^ (word >> 29)).take(count).collect()
}

/// How many numbers lie between two, counted along the line of all `f64`.
fn steps_apart(a: f64, b: f64) -> u64 {
    let place = |x: f64| {
        let bits = i128::from(x.to_bits() & (u64::MAX >> 1));
        if x.is_sign_negative() { -bits } else { bits }
    };
    u64::try_from((place(a) - place(b)).unsigned_abs()).unwrap_or(u64::MAX)
}

#[test]
fn f64_functions_are_within_two_units() {
    const REFERENCE: &str = include_str!("f64_reference.txt");
    // Each row has the arguments, and the result after them.
    let mut functions: Vec<(&str, Vec<Vec<f64>>)> = Vec::new();
    for line in REFERENCE.lines() {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let row = words.map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("its bits"))).collect();
        match functions.last_mut() {
            Some((last, rows)) if *last == name => rows.push(row),
            _ => functions.push((name, vec![row])),
        }
    }
    assert_eq!(functions.len(), 23);
    for (name, rows) in &functions {
        let op = Op::parse(name).expect("an operation");
        // Computed by every processor in the same way, and exactly but for ties that are nearly reached.
        let limit = match *name {
            "hypot" => 0,
            "log10" | "sinh" | "cosh" | "erf" | "erfc" | "erfinv" => 1,
            _ => 2,
        };
        let operands: Vec<_> = (0..rows[0].len() - 1).map(|k| tensor::<f64>(rows.iter().map(|row| row[k]))).collect();
        let operands: Vec<_> = operands.iter().map(Into::into).collect();
        let results = apply(op, &operands, &Params::none()).expect("a result");
        let results = TypedStorage::<f64>::of(results.storage().clone());
        let results = results.slice().expect("an own storage");
        for (row, &found) in rows.iter().zip(results.iter()) {
            let (truth, arguments) = row.split_last().expect("numbers");
            let apart = steps_apart(found, *truth);
            assert!(apart <= limit, "{name}{arguments:?} is {found:e}, {apart} units in the last place from {truth:e}");
        }
    }
}

/// Where its formula has no value, or another sign.
#[test]
fn the_logarithm_of_one_more_is_special_at_the_ends() {
    let numbers =
        [0.0, -0.0, -1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, -5e-324, f64::MAX, 1e-17, -1.0 + f64::EPSILON / 2.0];
    let results = apply(Op::Log1p, &[(&tensor(numbers.into_iter())).into()], &Params::none()).expect("logarithms");
    let results = TypedStorage::<f64>::of(results.storage().clone());
    for (&x, &found) in numbers.iter().zip(results.slice().expect("an own storage").iter()) {
        let truth = x.ln_1p();
        assert!(found.to_bits() == truth.to_bits() || found.is_nan() && truth.is_nan(), "{x:e}: {found:e}, not {truth:e}");
    }
}

/// What an operation has for numbers, each with its result.
fn check_results(op: Op, rows: &[(f64, f64)]) {
    let results = apply(op, &[(&tensor(rows.iter().map(|row| row.0))).into()], &Params::none()).expect("results");
    let results = TypedStorage::<f64>::of(results.storage().clone());
    for (&(x, truth), &found) in rows.iter().zip(results.slice().expect("an own storage").iter()) {
        let is_exact = found.to_bits() == truth.to_bits() || found.is_nan() && truth.is_nan();
        let is_near = truth.is_normal() && found.is_sign_negative() == truth.is_sign_negative() && steps_apart(found, truth) <= 1;
        assert!(is_exact || is_near, "{op} of {x:e}: {found:e}, not {truth:e}");
    }
}

/// Powers of ten have exact logarithms.
#[test]
fn logarithms_to_base_ten_are_special_at_the_ends() {
    let powers = [(1.0, 0.0), (10.0, 1.0), (1e3, 3.0), (1e15, 15.0), (1e22, 22.0)];
    let odd = [0.0, -0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MIN_POSITIVE, f64::MAX];
    check_results(Op::Log10, &odd.map(|x| (x, x.log10())));
    check_results(Op::Log10, &powers);
}

/// Also where half of an exponential is finite, and the whole is not.
#[test]
fn hyperbolic_functions_are_special_at_the_ends() {
    let sizes =
        [0.0, 5e-324, f64::MIN_POSITIVE, 0.999_999_999_999_999_9, 1.0, 20.0, 710.0, 710.475, 710.48, f64::MAX, f64::INFINITY, f64::NAN];
    for sign in [1.0, -1.0] {
        check_results(Op::Sinh, &sizes.map(|x| (sign * x, (sign * x).sinh())));
        check_results(Op::Cosh, &sizes.map(|x| (sign * x, x.cosh())));
    }
}

/// At the ends, at both sides of where they change the formula, and where what the error function lacks is nearly nothing.
#[test]
fn error_functions_are_special_at_the_ends() {
    const END: f64 = 5.863_584_748_755_167_6;
    let odd = [0.0, 5e-324, f64::MIN_POSITIVE, 0.499_999_999_999_999_94, 0.5, 1.0, 6.5, f64::MAX, f64::INFINITY, f64::NAN];
    let both: Vec<f64> = odd.iter().flat_map(|&x| [x, -x]).collect();
    check_results(Op::Erf, &both.iter().map(|&x| (x, libm::erf(x))).collect::<Vec<_>>());
    check_results(Op::Erfc, &both.iter().map(|&x| (x, libm::erfc(x))).collect::<Vec<_>>());
    let tail = [
        (12.25, 3.094_126_740_540_21e-67),
        (20.0, 5.395_865_611_607_901e-176),
        (26.25, 1.191_076_770_672_623e-301),
        (26.5, 2.210_907_664_263_734_3e-307),
        (26.75, 3.622_039_106_5e-313),
        (27.0, 5.237_05e-319),
        (27.226, 5e-324),
        (27.5, 0.0),
    ];
    check_results(Op::Erfc, &tail);
    let below_one = 1.0 - f64::EPSILON / 2.0;
    let inverses = [(0.0, 0.0), (5e-324, 5e-324), (1.0, f64::INFINITY), (below_one, END), (1.5, f64::NAN), (f64::NAN, f64::NAN)];
    check_results(Op::Erfinv, &inverses.map(|(x, y)| (-x, -y)));
    check_results(Op::Erfinv, &inverses);
}

/// Powers beside those of `f64`, of numbers with any bits, of near ones, and of all pairs of special ones.
#[test]
fn powers_are_within_a_unit() {
    const SPECIAL: [f32; 20] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        2.5,
        -2.5,
        1e-40,
        -1e-40,
        3e38,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        16_777_217.0,
        8_388_607.0,
    ];
    let bits = words(400_000);
    let any = bits.chunks_exact(2).map(|pair| [f32::from_bits((pair[0] >> 32) as u32), f32::from_bits((pair[1] >> 32) as u32)]);
    let near = bits.chunks_exact(2).map(|pair| [(pair[0] >> 40) as f32 / 1e6, (pair[1] >> 40) as f32 / 4e5 - 20.0]);
    let close = bits.chunks_exact(2).map(|pair| [1.0 + (pair[0] >> 44) as f32 / 1e9, (pair[1] >> 40) as f32 - 8e6]);
    let pairs: Vec<[f32; 2]> = SPECIAL.iter().flat_map(|&x| SPECIAL.map(|y| [x, y])).chain(any).chain(near).chain(close).collect();
    let operands = [0, 1].map(|k| tensor(pairs.iter().map(|pair| pair[k])));
    let results = apply(Op::Pow, &[(&operands[0]).into(), (&operands[1]).into()], &Params::none()).expect("powers");
    let results = TypedStorage::<f32>::of(results.storage().clone());
    for (&[x, y], &found) in pairs.iter().zip(results.slice().expect("an own storage").iter()) {
        let truth = f64::from(x).powf(y.into());
        let same_sign = found.is_nan() || found.is_sign_negative() == truth.is_sign_negative();
        assert!(same_sign && error(found, truth) <= 0.52, "{x:e} to the power {y:e} is {found:e}, not {truth:e}");
    }
}

/// What a division leaves has no error at all: that is how it is defined, for quotients of any size.
#[test]
fn what_a_division_leaves_is_exact() {
    let special = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE, f64::MAX, 5e-324];
    let bits = words(200_000);
    // Any numbers, and those whose quotient is of a few digits, or nearly an integer.
    let near = bits.chunks_exact(2).flat_map(|pair| [(pair[0] >> 40) as f64 / 7.0, ((pair[1] >> 52) as f64 + 1.0) / 7.0]);
    let pairs = special.iter().flat_map(|&x| special.iter().flat_map(move |&y| [x, y]));
    let doubles: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).chain(near).chain(pairs).collect();
    let singles: Vec<f32> = bits.iter().map(|&bits| f32::from_bits((bits >> 32) as u32)).chain(doubles.iter().map(|&x| x as f32)).collect();

    fn check<T: Native + PartialEq + std::ops::Rem<Output = T> + std::fmt::Debug>(numbers: &[T], bits: fn(T) -> u64) {
        let [x, y] = [0, 1].map(|first| numbers.iter().skip(first).step_by(2).copied().collect::<Vec<_>>());
        let operands = [&x, &y].map(|numbers| tensor(numbers.iter().copied()));
        let results = apply(Op::Fmod, &[(&operands[0]).into(), (&operands[1]).into()], &Params::none()).expect("rests");
        let results = TypedStorage::<T>::of(results.storage().clone());
        for ((&x, &y), &found) in x.iter().zip(&y).zip(results.slice().expect("an own storage").iter()) {
            let expected = x % y;
            let both_nan = (found != found) && (expected != expected);
            assert!(bits(found) == bits(expected) || both_nan, "{x:?} % {y:?} is {found:?}, not {expected:?}");
        }
    }
    check(&doubles, f64::to_bits);
    check(&singles, |x| x.to_bits().into());
}
