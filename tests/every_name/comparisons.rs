//! Comparisons, what numbers are, logic and bits.

use latten::prelude::*;

#[test]
fn comparisons() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);

    _ = x.eq(&y); // eq
    _ = x.ne(0); // ne
    _ = x.lt(&y); // lt
    _ = x.le(0.5); // le
    _ = x.gt(&y); // gt
    _ = x.ge(0); // ge
    _ = x.equal(&y); // equal
    _ = x.allclose(&y); // allclose
    _ = x.try_allclose(&y)?; // allclose
    _ = x.allclose_with(&y, 1e-5, 1e-8, false); // allclose
    _ = x.isclose(&y); // isclose
    _ = x.try_isclose(&y)?; // isclose
    _ = x.isclose_with(&y, 1e-5, 0, true); // isclose
    _ = x.isin(&y); // isin
    _ = x.isin_with(&y, false, true); // isin
    _ = x.isnan(); // isnan
    _ = x.isinf(); // isinf
    _ = x.isposinf(); // isposinf
    _ = x.isneginf(); // isneginf
    _ = x.isfinite(); // isfinite
    _ = x.isreal(); // isreal
    _ = x.signbit(); // signbit
    Ok(())
}

#[test]
fn logic_and_bits() -> Result<()> {
    let (m, i, j) = (tensor![[true, false, true]], tensor![[1, 2, 3], [4, 5, 6]], tensor![2, 1, 0]);

    _ = m.logical_and(&i); // logical_and
    _ = m.logical_or(&i); // logical_or
    _ = m.logical_xor(&i); // logical_xor
    _ = m.logical_not(); // logical_not
    _ = &i & &j; // bitwise_and
    _ = i.bitwise_and(1); // bitwise_and
    _ = &i | &j; // bitwise_or
    _ = i.bitwise_or(1); // bitwise_or
    _ = &i ^ &j; // bitwise_xor
    _ = i.bitwise_xor(1); // bitwise_xor
    _ = !&i; // bitwise_not
    _ = i.bitwise_not(); // bitwise_not
    _ = &i << &j; // bitwise_left_shift
    _ = i.bitwise_left_shift(1); // bitwise_left_shift
    _ = &i >> &j; // bitwise_right_shift
    _ = i.bitwise_right_shift(1); // bitwise_right_shift
    _ = &j & &i; // __rand__
    _ = &j | &i; // __ror__
    _ = &j ^ &i; // __rxor__
    Ok(())
}
