//! Products of integers, which are exact in every dtype, by their definition.

use latten::Scalar;
use latten::prelude::*;

use crate::recorded::layouts;

/// The three loops of the definition.
fn product(a: &[i64], b: &[i64], [batch, m, k, n]: [usize; 4]) -> Vec<i64> {
    let mut sums = vec![0; batch * m * n];
    for at in 0..batch {
        for (i, p) in (0..m).flat_map(|i| (0..k).map(move |p| (i, p))) {
            let factor = a[(at * m + i) * k + p];
            let (row, to) = (&b[(at * k + p) * n..][..n], &mut sums[(at * m + i) * n..][..n]);
            to.iter_mut().zip(row).for_each(|(to, x)| *to += factor * x);
        }
    }
    sums
}

/// Every product of integers is exact, in floats, too: compared with the definition.
pub(crate) fn check<T: Native + Into<Scalar>>(sizes: [usize; 4], convert: impl Fn(i64) -> T) -> Option<String> {
    let [batch, m, k, n] = sizes;
    let a: Vec<i64> = (0..batch * m * k).map(|i| (i as i64 * 31 + 7) % 15 - 7).collect();
    let b: Vec<i64> = (0..batch * k * n).map(|i| (i as i64 * 17 + 3) % 13 - 6).collect();
    let expected = product(&a, &b, sizes);
    let tensor = |numbers: &[i64], sizes: [usize; 3]| {
        Tensor::<T>::from_vec(numbers.iter().map(|&x| convert(x)).collect(), sizes).expect("as many numbers").erase()
    };
    let (a, b) = (tensor(&a, [batch, m, k]), tensor(&b, [batch, k, n]));
    let expected: Vec<T> = expected.into_iter().map(&convert).collect();
    for (left, a) in layouts(&a) {
        for (right, b) in layouts(&b) {
            let product = a.matmul(&b);
            if product.sizes() != [batch, m, n] || product.to_vec_of::<T>().expect("that dtype") != expected {
                return Some(format!("{} {sizes:?}, {left} by {right}", T::DTYPE));
            }
        }
    }
    None
}

/// The same of complex numbers: compared with the four products of their parts by the definition.
pub(crate) fn check_parts(sizes: [usize; 4], dtype: DType) -> Option<String> {
    let [batch, m, k, n] = sizes;
    let part = |count: usize, step: i64| -> Vec<i64> { (0..count as i64).map(|i| (i * step + 7) % 15 - 7).collect() };
    let [a, c] = [31, 11].map(|step| part(batch * m * k, step));
    let [b, d] = [17, 23].map(|step| part(batch * k * n, step));
    let tensor = |numbers: &[i64], sizes: [usize; 3]| {
        Tensor::<f64>::from_vec(numbers.iter().map(|&x| x as f64).collect(), sizes).expect("as many numbers").erase()
    };
    let all = |a, b| tensor(&product(a, b, sizes), [batch, m, n]);
    let expected = complex(&(all(&a, &b) - all(&c, &d)), &(all(&a, &d) + all(&c, &b))).to_dtype(dtype).expect("a cast");
    let [a, c] = [a, c].map(|part| tensor(&part, [batch, m, k]));
    let [b, d] = [b, d].map(|part| tensor(&part, [batch, k, n]));
    let [left, right] = [complex(&a, &c), complex(&b, &d)].map(|whole| whole.to_dtype(dtype).expect("a cast"));
    for (own, left) in layouts(&left) {
        for (other, right) in layouts(&right) {
            if !left.matmul(&right).equal(&expected) {
                return Some(format!("{dtype} {sizes:?}, {own} by {other}"));
            }
        }
    }
    None
}
