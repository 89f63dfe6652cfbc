//! Columns of few numbers and of many, whose rows the loop puts beside each other or adds some at a time: beside loops over their elements.

use latten::prelude::*;
use latten::{Result, args, call};

/// Sums, extremes and their places of columns, for every width below that of a vector and some above, and for heights around those of groups.
#[test]
fn columns_of_any_width_and_height() -> Result<()> {
    for (height, width) in
        [1, 7, 9, 255, 256, 300, 1031].into_iter().flat_map(|height| (1..=34).chain([63, 100]).map(move |width| (height, width)))
    {
        let x: Tensor<i64, Rank<2>> = (Tensor::<i64>::arange(height * width)? * 7919).remainder(23).reshape([height, width])?;
        let numbers = x.to_vec();
        let columns = || (0..width).map(|column| numbers[column..].iter().step_by(width).copied());
        let sums: Vec<i64> = columns().map(Iterator::sum).collect();
        let most: Vec<i64> = columns().filter_map(Iterator::max).collect();
        let first: Vec<i64> =
            columns().zip(&most).filter_map(|(mut column, most)| column.position(|x| x == *most)).map(|at| at as i64).collect();
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
            let x = x.to_dtype(dtype)?;
            let one = |name: &str| call(name, args![&x, 0])?.tensor()?.to_dtype(DType::I64)?.typed::<i64, Rank<1>>();
            let at = format!("{dtype} {height} × {width}");
            // Sums of bf16 are rounded to it, and all numbers are exact.
            let rounded = Tensor::from(sums.clone()).to_dtype(dtype)?.to_dtype(DType::I64)?.typed::<i64, Rank<1>>()?.to_vec();
            assert_eq!(one("sum")?.to_vec(), rounded, "sum {at}");
            assert_eq!(one("amax")?.to_vec(), most, "amax {at}");
            assert_eq!(one("argmax")?.to_vec(), first, "argmax {at}");
        }
        let wide = x.to::<f64>();
        let means: Vec<f64> = sums.iter().map(|sum| *sum as f64 / height as f64).collect();
        let squares: Vec<f64> =
            columns().zip(&means).map(|(column, mean)| column.map(|x| (x as f64 - mean).powi(2)).sum::<f64>()).collect();
        let variances = wide.var_along_with(0, false)?.to_vec();
        for (found, squares) in variances.iter().zip(squares) {
            let expected = squares / height as f64;
            assert!((found - expected).abs() <= 1e-9 * expected.max(1.0), "var {height} × {width}: {found}, not {expected}");
        }
    }
    Ok(())
}
