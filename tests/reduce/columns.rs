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

/// Of several NaNs the first is the extreme, in short rows, which are looked at beside each other, in longer ones, and in columns.
#[test]
fn the_first_of_several_nans_is_the_extreme() -> Result<()> {
    for (width, height) in (1..40_usize).flat_map(|width| [1, 8, 19].map(move |height| (width, height))) {
        let firsts: Vec<i64> = (0..height).map(|row| (row * 3 % width) as i64).collect();
        let number = |row: usize, place: usize| match firsts[row] as usize {
            first if place == first || place > first && (place + row).is_multiple_of(2) => f64::NAN,
            _ => ((row * 7 + place * 5) % 11) as f64,
        };
        let numbers: Vec<f64> =
            (0..height).flat_map(|row| (0..width).map(move |place| (row, place))).map(|(row, place)| number(row, place)).collect();
        let wide = Tensor::<f64>::from_vec(numbers, [height, width])?;
        for dtype in [DType::F32, DType::F64, DType::BF16] {
            let x = wide.to_dtype(dtype)?;
            for name in ["argmax", "argmin"] {
                for (x, axis) in [(x.clone(), 1), (x.t(), 0)] {
                    let found = call(name, args![&x, axis])?.tensor()?.typed::<i64, Rank<1>>()?;
                    assert_eq!(found.to_vec(), firsts, "{name} of {height} rows of {width} {dtype}, along {axis}");
                }
            }
        }
    }
    Ok(())
}
