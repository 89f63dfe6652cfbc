//! Norms of rows, and of the differences of rows: beside loops over their elements.

use latten::by_name::Arguments;
use latten::prelude::*;
use latten::{RawTensor, Result, args, call};

fn one(name: &str, arguments: Arguments<'_>) -> Result<DynTensor> {
    call(name, arguments)?.tensor()
}

/// Integers without an order, below some other.
fn numbers(count: usize, below: u64) -> Vec<i64> {
    let step = |word: &u64| Some(word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(1_u64), step).skip(1).map(|word| ((word >> 33) % below) as i64).take(count).collect()
}

#[test]
fn distances_of_rows_are_those_of_a_loop() -> Result<()> {
    for [rows, columns] in [[26_usize, 1_usize], [1, 30], [27, 17], [70, 33]] {
        for count in [1_usize, 3, 32, 33, 200] {
            let [left, right] = [numbers(2 * rows * count, 200), numbers(2 * columns * count + 1, 190)];
            let apart = |of: usize, row: usize, column: usize| {
                let pairs = left[(of * rows + row) * count..].iter().zip(&right[(of * columns + column) * count + 1..]).take(count);
                (pairs.map(|(a, b)| ((a - b) * (a - b)) as f64).sum::<f64>() / 64.0).sqrt()
            };
            let expected: Vec<f64> = (0..2)
                .flat_map(|of| (0..rows).flat_map(move |a| (0..columns).map(move |b| (of, a, b))))
                .map(|(of, a, b)| apart(of, a, b))
                .collect();
            // One begins in the middle of its storage.
            let (behind, sizes) = (right.len() as i64 - 1, [2, columns as i64, count as i64]);
            let left = DynTensor::from(RawTensor::from_vec(left, &[2, rows, count])?);
            let right = DynTensor::from(RawTensor::from_vec(right.clone(), &[right.len()])?);
            let right = one("reshape", args![&one("narrow", args![&right, 0, 1, behind])?, sizes])?;
            for (dtype, tolerance) in [(DType::F64, 1e-14), (DType::F32, 4e-7), (DType::BF16, 4e-3)] {
                let [left, right] = [one("div", args![&left, 8])?.to_dtype(dtype)?, one("div", args![&right, 8])?.to_dtype(dtype)?];
                let found = one("cdist", args![&left, &right])?.to_dtype(DType::F64)?.to_vec_of::<f64>()?;
                assert_eq!(found.len(), expected.len());
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let what = format!("{dtype}, {rows} and {columns} rows of {count}, number {at}");
                    assert!((found - expected).abs() <= tolerance * expected, "{what}: {found}, not {expected}");
                }
            }
        }
    }
    Ok(())
}

/// As in PyTorch, squares of `f32` may be infinite or nothing; of one number none is made.
#[test]
fn norms_square_numbers_in_their_dtype() -> Result<()> {
    for (number, of_several) in [(1e20, f64::INFINITY), (1e-30, 0.0), (3.0, 3.0 * 40_f64.sqrt())] {
        for dtype in [DType::F32, DType::BF16, DType::F64] {
            let column = call("full", args![[40, 1], number])?.tensor()?.to_dtype(DType::F64)?;
            let column = one("mul", args![&column, 1.0])?.to_dtype(dtype)?;
            let of_one = one("linalg.vector_norm", args![&column, 2, [1]])?;
            assert!(of_one.equal(&one("squeeze", args![&column, 1])?), "{dtype} {number}");
            let norm = |dims: [i64; 1]| one("linalg.vector_norm", args![&column, 2, dims])?.to_dtype(DType::F64)?.to_vec_of::<f64>();
            let expected = if dtype == DType::F64 { number * 40_f64.sqrt() } else { of_several };
            let found = norm([0])?[0];
            assert!(found == expected || (found / expected - 1.0).abs() < 4e-3, "{dtype} {number}: {found}, not {expected}");
        }
    }
    Ok(())
}
