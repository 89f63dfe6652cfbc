//! Comparisons, what numbers are, logic and bits.

use super::prelude::*;

use super::ty;

pub(super) fn comparisons() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    erase!(x, y);

    ty(x.eq(&y)); // eq
    ty(x.ne(0)); // ne
    ty(x.lt(&y)); // lt
    ty(x.le(0.5)); // le
    ty(x.gt(&y)); // gt
    ty(x.ge(0)); // ge
    ty(x.equal(&y)); // equal
    ty(x.allclose(&y)); // allclose
    ty(x.try_allclose(&y)?); // allclose
    ty(x.allclose_with(&y, 1e-5, 1e-8, false)); // allclose
    ty(x.isclose(&y)); // isclose
    ty(x.try_isclose(&y)?); // isclose
    ty(x.isclose_with(&y, 1e-5, 0, true)); // isclose
    ty(x.isin(&y)); // isin
    ty(x.isin(3)); // isin
    ty(x.isin_with(&y, false, true)); // isin
    ty(x.isnan()); // isnan
    ty(x.isinf()); // isinf
    ty(x.isposinf()); // isposinf
    ty(x.isneginf()); // isneginf
    ty(x.isfinite()); // isfinite
    ty(x.isreal()); // isreal
    ty(x.signbit()); // signbit
    Ok(())
}

pub(super) fn logic_and_bits() -> Result<()> {
    let (m, i, j) = (tensor![[true, false, true]], tensor![[1, 2, 3], [4, 5, 6]], tensor![2, 1, 0]);
    erase!(m, i, j);

    ty(m.logical_and(&i)); // logical_and
    ty(m.logical_or(&i)); // logical_or
    ty(m.logical_xor(&i)); // logical_xor
    ty(m.logical_not()); // logical_not
    ty(&i & &j); // bitwise_and
    ty(i.bitwise_and(1)); // bitwise_and
    ty(&i | &j); // bitwise_or
    ty(i.bitwise_or(1)); // bitwise_or
    ty(&i ^ &j); // bitwise_xor
    ty(i.bitwise_xor(1)); // bitwise_xor
    ty(!&i); // bitwise_not
    ty(i.bitwise_not()); // bitwise_not
    ty(&i << &j); // bitwise_left_shift
    ty(i.bitwise_left_shift(1)); // bitwise_left_shift
    ty(&i >> &j); // bitwise_right_shift
    ty(i.bitwise_right_shift(1)); // bitwise_right_shift
    ty(&j & &i); // __rand__
    ty(&j | &i); // __ror__
    ty(&j ^ &i); // __rxor__
    Ok(())
}
