//! Random programs that must not hurt: views × calls, overlap, threads that resize what others read. They are always the same,
//! so that a commit that passes once passes again; `LATTEN_FUZZ_TIMES=1000` makes a thousand times as many new ones, and a round
//! that fails names the `LATTEN_FUZZ_SEED` that repeats it.

#[path = "fuzz/calls.rs"]
mod calls;
#[path = "fuzz/twice.rs"]
mod twice;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::SystemTime;

use latten::elementwise::{Params, RawOperand, Target, apply, apply_in_place, apply_out};
use latten::indexing::{self, Half};
use latten::reduce::Reduction;
use latten::reduce::{self, Along};
use latten::storage::UntypedStorage;
use latten::{DType, Device, MemoryFormat, Op, Order, RawTensor, Result, Scalar};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() >> 16) as usize % count.max(1)
    }

    /// From `low` to `high`, both included.
    fn between(&mut self, low: isize, high: isize) -> isize {
        low + self.below(low.abs_diff(high) + 1).cast_signed()
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Sometimes small, sometimes at the end of what numbers can say; none between, of which results would be that are large and still granted.
    fn wild(&mut self) -> isize {
        let ends = [isize::MIN, isize::MIN + 1, -1, 0, 1, isize::MAX / 16, isize::MAX / 2, isize::MAX - 1, isize::MAX, 1 << 48, 1 << 62];
        if self.below(3) > 0 { self.between(-3, 9) } else { self.of(&ends) }
    }
}

/// Rounds, each with a seed of its own; a panic names it.
fn rounds(name: &str, usual: usize, round: impl Fn(&mut Random)) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let (first, count) = match (number("LATTEN_FUZZ_SEED"), number("LATTEN_FUZZ_TIMES")) {
        (Some(only), _) => (only, 1),
        (None, Some(times)) => (now(), usual * times as usize),
        (None, None) => (0, usual),
    };
    println!("{name}: {count} rounds from LATTEN_FUZZ_SEED={first}");
    for seed in (0..count as u64).map(|round| first.wrapping_add(round)) {
        let outcome = catch_unwind(AssertUnwindSafe(|| round(&mut Random(seed))));
        assert!(outcome.is_ok(), "{name} fails with LATTEN_FUZZ_SEED={seed}");
    }
}

/// A tensor in memory of exactly its size, so that a byte beyond it is a fault that tools see.
fn exact(random: &mut Random, dtype: DType) -> RawTensor {
    let sizes: Vec<usize> = (0..random.below(4)).map(|_| random.below(6)).collect();
    let count = sizes.iter().product::<usize>();
    let bytes: Vec<u8> = (0..count * dtype.itemsize()).map(|_| if dtype == DType::Bool { 1 } else { random.next() as u8 }).collect();
    let geometry = latten::geometry::Geometry::contiguous(&sizes);
    RawTensor::over(UntypedStorage::from_vec(bytes), dtype, geometry).expect("as many bytes as it needs")
}

/// A view of it, or itself where the view is refused.
fn view(random: &mut Random, x: &RawTensor) -> RawTensor {
    let rank = x.rank().cast_signed();
    let mut dim = || random.between(-rank, rank);
    let (a, b) = (dim(), dim());
    let (n, m) = (random.between(-2, 6), random.between(0, 4));
    let answer = match random.below(11) {
        0 => x.narrow(a, n, m),
        1 => x.select(a, n),
        2 => x.slice(a, Some(n), None, m.max(1)),
        3 => x.transpose(a, b),
        4 => x.unfold(a, m, n.max(1)),
        5 => x.diagonal(n, a, b),
        6 => x.unsqueeze(a),
        7 => x.flatten(a, b),
        8 => x.expand(&[&[m], &*x.sizes().iter().map(|size| size.cast_signed()).collect::<Vec<_>>()].concat()),
        9 => x.as_strided(&[m, n.max(0)], &[random.between(0, 5), random.between(0, 3)], Some(random.between(0, 9))),
        _ => Ok(x.reverse_dims()),
    };
    answer.unwrap_or_else(|_| x.clone())
}

fn views(random: &mut Random, x: &RawTensor) -> RawTensor {
    (0..random.below(5)).fold(x.clone(), |x, _| view(random, &x))
}

/// Some call on some tensors; what it says doesn't matter here.
fn call(random: &mut Random, x: &RawTensor, y: &RawTensor) -> Result<()> {
    let rank = x.rank().cast_signed();
    let dim = random.between(-rank - 1, rank);
    let number = random.wild();
    match random.below(24) {
        0..=6 => {
            let op = random.of(Op::ALL);
            let operands: Vec<RawOperand<'_>> = [x, y, x].into_iter().take(op.row().operands.len()).map(RawOperand::from).collect();
            match random.below(3) {
                0 => apply(op, &operands, &Params::none()).map(drop),
                1 => apply_in_place(op, x, &operands[1..], &Params::none()),
                _ => apply_out(op, &operands, &mut y.clone(), &Params::none()).map(drop),
            }
        }
        7 | 8 => reduce::reduce(random.of(Reduction::ALL), x, &Along::all()).map(drop),
        9 | 10 => reduce::reduce(random.of(Reduction::ALL), x, &Along::dims(&[dim])).map(drop),
        11 => reduce::scan(random.of(Reduction::ALL), x, dim, None, Target::New).map(drop),
        12 => indexing::sort(x, dim, Order::Ascending, [Target::New, Target::New]).map(drop),
        13 => indexing::gather(x, dim, &y.to_dtype(DType::I64)?, Target::New).map(drop),
        14 => indexing::index_select(x, dim, &y.to_dtype(DType::I64)?, Target::New).map(drop),
        15 => indexing::nonzero(x, Target::New).map(drop),
        16 => indexing::masked_select(x, &y.to_dtype(DType::Bool)?, Target::New).map(drop),
        17 => indexing::triangle(x, Half::Lower, number, Target::New).map(drop),
        18 => latten::product::matmul(x, y, Target::New).map(drop),
        19 => latten::joins::cat(&[x, y], dim, Target::New).map(drop),
        20 => x.roll(&[number], &[dim]).map(drop),
        21 => x.copy_(y).map(drop),
        22 => x.flip(&[dim])?.clone_as(MemoryFormat::Contiguous).map(drop),
        _ => indexing::unique(x).map(drop),
    }
}

fn integers(x: &RawTensor) -> Vec<i64> {
    let integer = |number| if let Scalar::Int(integer) = number { integer } else { panic!("{number:?}") };
    x.scalars().expect("inside").into_iter().map(integer).collect()
}

#[test]
fn views_and_calls() {
    rounds("views and calls", 3000, |random| {
        let (left, right) = (random.of(DType::COMPUTING), random.of(DType::COMPUTING));
        let x = exact(random, left);
        let y = if random.below(4) == 0 { x.clone() } else { exact(random, right) };
        let (x, y) = (views(random, &x), views(random, &y));
        for _ in 0..4 {
            let _ = call(random, &x, &y);
        }
    });
}

/// Whatever sizes, strides and offsets are asked for, and whatever the storage is resized to: an answer or an error.
#[test]
fn wild_geometries() {
    rounds("wild geometries", 3000, |random| {
        let dtype = random.of(DType::COMPUTING);
        let storage = UntypedStorage::new(random.below(200), Device::CPU).expect("some bytes");
        let base = RawTensor::over(storage, dtype, latten::geometry::Geometry::contiguous(&[0])).expect("nothing");
        let rank = random.below(4);
        let list = |random: &mut Random| -> Vec<isize> { (0..rank).map(|_| random.wild()).collect() };
        let (sizes, strides) = (list(random), list(random));
        let offset = Some(random.wild()).filter(|_| rank % 2 == 0);
        let Ok(x) = base.as_strided(&sizes, &strides, offset) else { return };
        // Elements that coincide are many without memory, and computing with them takes hours.
        let few = |tensor: &RawTensor| tensor.numel() <= 1000;
        for _ in 0..3 {
            let y = views(random, &x);
            if few(&x) && few(&y) {
                let _ = call(random, &x, &base);
                let _ = x.storage().resize_(random.below(300));
                let _ = call(random, &y, &x);
            }
        }
    });
}

/// The strides and sizes of a tensor without elements may be any numbers.
#[test]
fn strides_of_nothing() -> Result<()> {
    let nothing = RawTensor::from_vec(vec![1_i64], &[1])?.as_strided(&[0, 3, 3], &[1, isize::MAX, isize::MAX], None)?;
    assert_eq!(indexing::masked_select(&nothing, &nothing.to_dtype(DType::Bool)?, Target::New)?.numel(), 0);
    let nothing = nothing.as_strided(&[0, isize::MAX, 3], &[1, 3, 1], None)?;
    assert_eq!(apply(Op::Neg, &[(&nothing).into()], &Params::none())?.numel(), 0);
    for dim in 0..3 {
        assert_eq!(indexing::sort(&nothing, dim, Order::Ascending, [Target::New, Target::New])?.0.numel(), 0);
        assert_eq!(reduce::scan(Reduction::Cumsum, &nothing, dim, None, Target::New)?.numel(), 0);
        assert!(reduce::reduce(Reduction::Sum, &nothing, &Along::dims(&[dim])).is_ok_and(|sum| sum.numel() == 0) || dim == 0);
    }
    assert_eq!(apply(Op::Add, &[(&nothing).into(), (&nothing.narrow(1, 0, 1)?).into()], &Params::none())?.numel(), 0);
    let no_indices = RawTensor::from_vec(Vec::<i64>::new(), &[0])?;
    assert_eq!(indexing::index_select(&nothing, 0, &no_indices, Target::New)?.numel(), 0);
    // One window more than a size can say.
    let refused = nothing.unfold(1, 0, 1).map(drop).map_err(|error| error.to_string());
    assert!(refused.as_ref().is_err_and(|error| error.starts_with("Storage size calculation overflowed")), "{refused:?}");
    // Products of the sizes besides the zero are no numbers.
    let nothing = nothing.as_strided(&[0, isize::MAX, isize::MAX, 3], &[1, 1, 1, 1], None)?.permute(&[1, 2, 0, 3])?;
    assert_eq!(indexing::nonzero(&nothing, Target::New)?.sizes(), [0, 4]);
    assert_eq!(reduce::reduce(Reduction::Sum, &nothing, &Along::dims(&[-1]))?.numel(), 0);
    let refused = latten::product::matmul(&nothing, &nothing.transpose(-1, -2)?, Target::New).map(drop);
    let expected = "Storage size calculation overflowed with sizes=[9223372036854775807, 9223372036854775807, 0, 0]";
    assert_eq!(refused.map_err(|error| error.to_string()), Err(expected.to_owned()));
    let refused = latten::joins::cat(&[&nothing, &nothing], 0, Target::New).map(drop);
    let expected = "Trying to create tensor with negative dimension -2: [-2, 9223372036854775807, 0, 3]";
    assert_eq!(refused.map_err(|error| error.to_string()), Err(expected.to_owned()));
    Ok(())
}

/// A tensor whose storage has lost elements since: an error, also where a mask decides which elements are read.
#[test]
fn storages_that_shrank() -> Result<()> {
    let x = RawTensor::over(UntypedStorage::new(16, Device::CPU)?, DType::I16, latten::geometry::Geometry::contiguous(&[8]))?;
    let mask = RawTensor::from_vec(vec![true; 8], &[8])?;
    x.storage().resize_(14)?;
    let selected = indexing::masked_select(&x, &mask, Target::New).map(drop).map_err(|error| error.to_string());
    assert!(selected.as_ref().is_err_and(|error| error.contains("storage")), "{selected:?}");
    Ok(())
}

/// In place over overlapping views: what it would be if the input had been copied first, or a refusal that changes nothing.
#[test]
fn overlaps() {
    rounds("overlaps", 4000, |random| {
        let count = 40;
        let numbers: Vec<i64> = (0..count).map(|_| random.between(-99, 99) as i64).collect();
        let whole = RawTensor::from_vec(numbers.clone(), &[count as usize]).expect("forty numbers");
        let (rows, columns) = (random.between(1, 3), random.between(1, 4));
        let look = |random: &mut Random| {
            let strides = [random.between(0, 5), random.between(0, 3)];
            whole.as_strided(&[rows, columns], &strides, Some(random.between(0, 10))).expect("inside")
        };
        let (output, input) = (look(random), look(random));
        let copy = input.clone_as(MemoryFormat::Contiguous).expect("a copy");
        let done = apply_in_place(Op::Add, &output, &[(&input).into()], &Params::none());
        let after = integers(&whole);
        if done.is_err() {
            assert_eq!(after, numbers, "a refusal changed elements");
            return;
        }
        // Where the output's own elements coincide, PyTorch promises nothing.
        let places: Vec<usize> = (0..rows as usize * columns as usize)
            .map(|at| output.storage_offset() + at / columns as usize * output.strides()[0] + at % columns as usize * output.strides()[1])
            .collect();
        let distinct = places.iter().collect::<std::collections::HashSet<_>>().len() == places.len();
        if distinct {
            let mut expected = numbers;
            let added = integers(&copy);
            places.iter().zip(added).for_each(|(&place, number)| expected[place] += number);
            assert_eq!(after, expected, "{:?} += {:?}", output.geometry(), input.geometry());
        }
    });
}

/// Threads that resize, read and write the same storages: results or errors.
#[test]
fn racing_tensors() {
    rounds("racing tensors", 20, |random| {
        let tensors: Vec<RawTensor> =
            (0..3).map(|_| RawTensor::from_vec((0..60_i64).collect(), &[3, 4, 5]).expect("sixty numbers")).collect();
        let seeds: Vec<u64> = (0..4).map(|_| random.next()).collect();
        std::thread::scope(|scope| {
            for seed in seeds {
                let tensors = &tensors;
                scope.spawn(move || {
                    let mut random = Random(seed);
                    for _ in 0..40 {
                        let (x, y) = (random.below(3), random.below(3));
                        let (x, y) = (views(&mut random, &tensors[x]), views(&mut random, &tensors[y]));
                        let _ = call(&mut random, &x, &y);
                        let _ = x.storage().resize_(random.of(&[0, 8, 100, 480, 480, 480, 5000]));
                    }
                });
            }
        });
    });
}
