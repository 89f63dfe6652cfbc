//! `tensor!`: which tensor its numbers are, and which type it has.

use std::fmt::Debug;

use latten::prelude::*;

/// That a literal is that tensor.
#[track_caller]
fn check<E: Native + Debug, S: Shape>(tensor: Tensor<E, S>, sizes: &[usize], numbers: &[E]) {
    assert_eq!(tensor.sizes(), sizes);
    assert_eq!(tensor.to_vec(), numbers);
}

#[test]
fn numbers_decide_the_dtype() {
    let integers: Tensor<i64, shape![2, 3]> = tensor![[1, 2, 3], [4, 5, 6]];
    check(integers, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let floats: Tensor<f32, shape![3]> = tensor![1, 2.5, true];
    check(floats, &[3], &[1.0, 2.5, 1.0]);
    let waves: Tensor<c64, shape![4]> = tensor![1 + 2i, 3, -0.5i, 1.5 - 2.5i];
    check(waves, &[4], &[c64::new(1.0, 2.0), c64::new(3.0, 0.0), c64::new(-0.0, -0.5), c64::new(1.5, -2.5)]);
    let truths: Tensor<bool, shape![2]> = tensor![true, false];
    check(truths, &[2], &[true, false]);
    let counts: Tensor<i64, shape![2]> = tensor![true, 2];
    check(counts, &[2], &[1, 2]);
}

#[test]
fn a_dtype_or_a_suffix_says_another() {
    check(tensor![[1, 2], [3, 4]; u8], &[2, 2], &[1_u8, 2, 3, 4]);
    check(tensor![255, -1, 2.9, true; u8], &[4], &[255_u8, 255, 2, 1]);
    check(tensor![1u8, 2], &[2], &[1_u8, 2]);
    check(tensor![1, -2i8], &[2], &[1_i8, -2]);
    check(tensor![-9223372036854775808, 9223372036854775807], &[2], &[i64::MIN, i64::MAX]);
    check(tensor![0x10, 0b11, 1_000; i16], &[3], &[16_i16, 3, 1000]);
    check(tensor![2.5f64, 1e300], &[2], &[2.5_f64, 1e300]);
    check(tensor![1.5f16, 1e-8, 70000.0], &[3], &[f16::from_f32(1.5), f16::ZERO, f16::INFINITY]);
    check(tensor![2bf16, 0.1], &[2], &[bf16::from_f32(2.0), bf16::from_f32(0.1)]);
    check(tensor![0, 2.5, -0.5; bool], &[3], &[false, true, true]);
    check(tensor![1 + 2i; c128], &[1], &[c128::new(1.0, 2.0)]);
    check(tensor![0.1 + 2i; c32], &[1], &[c32::new(f16::from_f32(0.1), f16::from_f32(2.0))]);
    check(tensor![1e40, -1e40, 16777217], &[3], &[f32::INFINITY, f32::NEG_INFINITY, 16_777_216.0]);
}

#[test]
fn infinities_and_nans_are_words() {
    let x: Tensor<f32, shape![3]> = tensor![f32::INFINITY, -f32::INFINITY, f32::NAN];
    let x = x.to_vec();
    assert!(x[0] == f32::INFINITY && x[1] == f32::NEG_INFINITY && x[2].is_nan(), "{x:?}");
}

#[test]
fn parentheses_hold_an_argument_and_brackets_a_row() {
    let scalar: Tensor<f32, shape![]> = tensor!(2.5);
    check(scalar, &[], &[2.5]);
    check(tensor![2.5], &[1], &[2.5_f32]);
    check(tensor!(2.5,), &[1], &[2.5_f32]);
    check(tensor!([1, 2, 3]), &[3], &[1_i64, 2, 3]);
    check(tensor![[1, 2, 3]], &[1, 3], &[1_i64, 2, 3]);
    check(tensor!([[1, 2, 3]]), &[1, 3], &[1_i64, 2, 3]);
    check(tensor!(1, 2), &[2], &[1_i64, 2]);
    check(tensor!(7; i32), &[], &[7_i32]);
    check(tensor!([1, 2]; u8), &[2], &[1_u8, 2]);
    macro_rules! row {
        ($($x:tt)*) => { tensor![$($x)*] };
    }
    check(row!(5), &[1], &[5_i64]);
}

#[test]
fn elements_repeat() {
    const ROWS: usize = 2;
    let zeros: Tensor<f32, shape![3]> = tensor![0.0; 3];
    check(zeros, &[3], &[0.0; 3]);
    check(tensor!([0.0; 3]), &[3], &[0.0_f32; 3]);
    let nested: Tensor<i64, shape![2, 3]> = tensor![[7; 3]; 2];
    check(nested, &[2, 3], &[7; 6]);
    check(tensor![[1, 2]; ROWS], &[2, 2], &[1_i64, 2, 1, 2]);
    check(tensor![[1.0; 2], [2.0, 3.0]; f16], &[2, 2], &[1.0, 1.0, 2.0, 3.0].map(f16::from_f32));
    let wide: Tensor<u8, shape![50257]> = tensor![0u8; 50257];
    assert_eq!(wide.numel(), 50257);
}

#[test]
fn nothing_is_a_tensor_of_floats() {
    let none: Tensor<f32, shape![0]> = tensor![];
    check(none, &[0], &[]);
    let rows: Tensor<f32, shape![2, 0]> = tensor![[], []];
    check(rows, &[2, 0], &[]);
    check(tensor![[]; i32], &[1, 0], &[] as &[i32]);
}

#[test]
fn rows_go_eight_deep() {
    type Deep = Tensor<i64, shape![1, 1, 1, 1, 1, 1, 1, 2]>;
    let deep: Deep = tensor![[[[[[[[1, 2]]]]]]]];
    check(deep, &[1, 1, 1, 1, 1, 1, 1, 2], &[1, 2]);
}

#[test]
fn expressions_have_the_type_of_their_neighbours() {
    let x = 0.5;
    let powers: Tensor<f32, shape![3]> = tensor![1.0, x, x * x];
    check(powers, &[3], &[1.0, 0.5, 0.25]);
    let (a, b) = (3_u8, 4_u8);
    let own: Tensor<u8, shape![2, 2]> = tensor![[a, b], [b, a]];
    check(own, &[2, 2], &[3, 4, 4, 3]);
    let half = f16::from_f32(0.5);
    check(tensor![half, 1.5; f16], &[2], &[half, f16::from_f32(1.5)]);
    check(tensor![a, b; u8], &[2], &[3_u8, 4]);
    check(tensor!(a), &[], &[3_u8]);
    check(tensor![f32::max(1.0, 2.0), i32::pow(2, 3) as f32], &[2], &[2.0_f32, 8.0]);
    check(tensor![x; 3], &[3], &[0.5_f32; 3]);
    // An expression of several parts is one element, beside numbers as well.
    check(tensor![[0.5, 2.0], [1.0 / 4.0, -x * 3.0]; f64], &[2, 2], &[0.5, 2.0, 0.25, -1.5]);
    check(tensor![7 / 2, -(3), 2 * 4; i32], &[3], &[3, -3, 8]);
    check(tensor![1.0 - 0.5, 2.0; f32], &[2], &[0.5_f32, 2.0]);
    check(tensor![c64::new(1.0, 2.0), 3i], &[2], &[c64::new(1.0, 2.0), c64::new(0.0, 3.0)]);
}

#[test]
fn rows_may_be_tensors() {
    let row = tensor![1.0, 2.0];
    let rows: Tensor<f32, shape![3, 2]> = tensor![&row, &row * 2.0, row.alias()];
    check(rows, &[3, 2], &[1.0, 2.0, 2.0, 4.0, 1.0, 2.0]);
    let nested: Tensor<f32, shape![2, 1, 2]> = tensor![[&row], [&row]];
    check(nested, &[2, 1, 2], &[1.0, 2.0, 1.0, 2.0]);
    let beside = tensor![[3.0, 4.0], row];
    check(beside, &[2, 2], &[3.0, 4.0, 1.0, 2.0]);
    let (unknown, other) = (row.erase(), tensor![1, 2, 3].erase());
    assert_eq!(tensor![unknown, row.erase()].sizes(), [2, 2]);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tensor![&row.erase(), &other]));
    let message = *refused.expect_err("rows that differ").downcast::<String>().expect("a message");
    assert_eq!(message, "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1");
}

#[test]
fn devices_are_for_the_run() {
    let x: Tensor<i64, shape![2]> = tensor!([1, 2], device = "meta").expect("no memory");
    assert!(x.raw().is_meta());
    let y: Tensor<u8, shape![1, 2]> = tensor![[1, 2]; u8, device = "cpu"].expect("the host");
    check(y, &[1, 2], &[1, 2]);
    assert!(tensor!(1, device = "nowhere").is_err());
}

#[test]
fn a_written_one_is_a_parameter_that_is_one_where_that_is_expected() {
    type Mat<const R: usize, const C: usize> = Tensor<f64, shape![R, C]>;
    struct Kalman<const S: usize, const M: usize> {
        h: Mat<M, S>,
    }
    impl<const S: usize, const M: usize> Kalman<S, M> {
        fn observed(&self, z: &Mat<M, 1>) -> Mat<S, 1> {
            self.h.t().matmul(z)
        }
    }
    let (filter, z) = (Kalman::<2, 1> { h: tensor![[1.0, 0.5]] }, 3.0_f64);
    assert_eq!(filter.observed(&tensor![[z]]).to_vec(), [3.0, 1.5]);
}
