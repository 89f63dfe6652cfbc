//! Numbers on their way in and out: slices, floats of any dtype as `f64`, errors of files beside those of tensors.

use latten::prelude::*;
use latten::{ErrorKind, Scalar};

#[test]
fn slices_are_tensors_of_one_dimension() {
    let rows = [vec![1.0_f32, 2.0], vec![3.0]];
    let lengths: Vec<usize> = rows.iter().map(|row| Tensor::from(row.as_slice()).len()).collect();
    let part: Tensor<f32, Rank<1>> = Tensor::from(&rows[0][1..]);
    let whole: Tensor<f32, Rank<1>> = Tensor::from(&rows[0]);
    let known: Tensor<i64, shape![3]> = Tensor::from(&[1, 2, 3]);
    assert_eq!((lengths, part.to_vec(), whole.to_vec(), known.to_vec()), (vec![2, 1], vec![2.0], vec![1.0, 2.0], vec![1, 2, 3]));
}

/// The largest number, whatever float it is.
fn largest<E: Float, S: Shape>(x: &Tensor<E, S>) -> f64 {
    x.max().item().into()
}

/// The same of integers, too.
fn smallest<E: Real, S: Shape>(x: &Tensor<E, S>) -> f64 {
    x.min().item().to::<f64>()
}

#[test]
fn floats_of_any_dtype_are_f64() {
    let x = tensor![0.5, 1.5];
    assert_eq!((largest(&x), largest(&x.to::<f16>()), largest(&x.to::<bf16>()), largest(&x.double())), (1.5, 1.5, 1.5, 1.5));
    assert_eq!((smallest(&x), smallest(&tensor![3, 2])), (0.5, 2.0));
}

/// Reads a file that isn't there, in a function of tensors.
fn told() -> Result<Tensor<f32, shape![2]>> {
    let text = std::fs::read_to_string("/there is no such file")?;
    let numbers: Vec<f32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    Tensor::from(numbers).to_shape()
}

#[test]
fn errors_of_files_are_errors() {
    let refused = told().expect_err("there is no such file");
    assert_eq!(refused.kind(), ErrorKind::Io);
    assert!(refused.message().contains("os error"), "{refused}");
}

/// A number of which only the run knows the dtype compares with numbers of Rust, whatever it is.
#[test]
fn numbers_of_the_run_compare() -> Result<()> {
    let mut weight = tensor![3.0, 4.0].requiring_grad()?;
    weight.square().sum().backward()?;
    let norm = latten::optim::clip_grad_norm_(&mut [&mut weight], 1.0)?.item();
    assert!(norm > 9.9 && norm < 10.1 && norm.is_finite() && norm == 10 && !norm.is_nan(), "{norm}");
    let (integer, truth) = (tensor![i64::MAX].erase().item(), tensor![true].erase().item());
    assert!(integer == i64::MAX && integer > i64::MAX - 1 && integer >= 5_usize && truth == 1 && truth < 1.5);
    let (turned, nan) = (Scalar::from(Complex::new(1.0, 2.0)), Scalar::from(f64::NAN));
    assert!(turned != 1.0 && turned.partial_cmp(&1.0).is_none() && Scalar::from(Complex::new(1.0, 0.0)) > 0.5_f32);
    assert!(nan != 0 && !(nan < 0) && !(nan >= 0) && nan.is_nan() && !nan.is_finite() && !turned.is_nan());
    assert_eq!((truth.to_f64(), nan.to_f64().is_nan(), turned.to_f64()), (1.0, true, 1.0));
    Ok(())
}

#[test]
fn counts_are_of_any_integer_type() -> Result<()> {
    let (wide, narrow): (i64, u8) = (5, 5);
    let steps = Tensor::<f64>::linspace(0, 1, wide)?;
    assert!(steps.equal(&Tensor::<f64>::linspace(0, 1, narrow)?) && Tensor::<f64>::logspace(0, 2, narrow)?.len() == 5);
    let (order, fixed) = (Tensor::<i64>::randperm(wide)?, Generator::seeded(1).randperm(narrow)?);
    assert_eq!((order.sort(0)?.0.to_vec(), fixed.sort(0)?.0.to_vec()), (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3, 4]));
    assert_eq!(Tensor::<f32>::eye(narrow)?.sizes(), [5, 5]);
    let refused = Tensor::<f64>::linspace(0, 1, -1).expect_err("no such steps");
    assert_eq!(refused.message(), "number of steps must be non-negative");
    Ok(())
}
