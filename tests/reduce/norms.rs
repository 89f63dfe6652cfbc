//! Norms of rows: beside loops over their elements.

use latten::by_name::Arguments;
use latten::prelude::*;
use latten::{Result, args, call};

fn one(name: &str, arguments: Arguments<'_>) -> Result<DynTensor> {
    call(name, arguments)?.tensor()
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
