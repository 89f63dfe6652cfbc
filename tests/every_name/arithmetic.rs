//! Sums, products, quotients, powers, rounding, and what bounds numbers.

use latten::prelude::*;

#[test]
fn sums_and_products() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let i = tensor![[1, 2, 3], [4, 5, 6]];

    _ = &x + &y; // add
    _ = x.add_with(&y, 2); // add
    _ = &x - &y; // sub, subtract
    _ = x.sub_with(&y, 2); // sub, subtract
    _ = 1.0 - &x; // rsub
    _ = x.rsub(&y); // rsub
    _ = x.rsub_with(&y, 2); // rsub
    _ = &x * &y; // mul, multiply
    _ = x.mul(2); // mul, multiply
    _ = &x / &y; // div, divide, true_divide
    _ = i.div_trunc(2); // div, divide
    _ = i.floor_divide(2); // div, divide, floor_divide
    _ = x.floor_divide(&y); // floor_divide
    _ = &x % &y; // remainder
    _ = x.remainder(2); // remainder
    _ = x.fmod(&y); // fmod
    _ = -&x; // neg, negative
    _ = x.neg(); // neg, negative
    _ = x.positive(); // positive
    _ = &y + &x; // __radd__
    _ = &y - &x; // __rsub__
    _ = &y * &x; // __rmul__
    _ = &y / &x; // __rdiv__, __rtruediv__
    _ = &y % &x; // __rmod__
    _ = y.pow(&x); // __rpow__
    _ = y.matmul(&x.t()); // __rmatmul__
    _ = x.addcmul(&y, &y); // addcmul
    _ = x.addcmul_with(&y, &y, 0.5); // addcmul
    _ = x.addcdiv(&x, &y); // addcdiv
    _ = x.addcdiv_with(&x, &y, 0.5); // addcdiv
    _ = x.lerp(&y, 0.5); // lerp
    Ok(())
}

#[test]
fn powers_and_rounding() -> Result<()> {
    let (mut x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (i, z) = (tensor![[1, 2, 3], [4, 5, 6]], Tensor::<c64, shape![2, 3]>::ones());

    _ = x.pow(2); // pow
    _ = x.pow(&y); // pow
    _ = call("pow", args![2, &x])?.tensor()?; // pow
    _ = x.float_power(2); // float_power
    _ = x.square(); // square
    _ = x.sqrt(); // sqrt
    _ = x.rsqrt(); // rsqrt
    _ = x.reciprocal(); // reciprocal
    _ = x.hypot(&y); // hypot
    _ = x.ldexp(&i); // ldexp
    x.ldexp_(&i)?; // ldexp
    _ = x.frexp(); // frexp
    _ = x.abs(); // abs, absolute
    _ = x.sign(); // sign
    _ = z.sgn(); // sgn
    _ = x.copysign(&y); // copysign
    _ = x.floor(); // floor
    _ = x.ceil(); // ceil
    _ = x.trunc(); // trunc
    _ = x.round(); // round
    _ = x.round_decimals(2); // round
    _ = x.frac(); // frac
    _ = x.nextafter(&y); // nextafter
    x.nextafter_(&y)?; // nextafter
    _ = x.nan_to_num(); // nan_to_num
    _ = x.nan_to_num_with(Some(0.0), None, None); // nan_to_num
    _ = i.gcd(&i); // gcd
    _ = i.lcm(&i); // lcm
    Ok(())
}

#[test]
fn bounds_and_choices() -> Result<()> {
    let (mut x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let m = x.gt(2.0);

    _ = x.maximum(&y); // maximum
    _ = x.minimum(&y); // minimum
    _ = x.fmax(&y); // fmax
    _ = x.fmin(&y); // fmin
    _ = x.clamp(0, 1); // clamp, clip
    _ = x.clamp(&y, 9.0); // clamp, clip
    x.clamp_(0, 1)?; // clamp, clip
    _ = x.clamp_min(0); // clamp_min
    _ = x.clamp_max(1); // clamp_max
    _ = x.heaviside(&y); // heaviside
    x.heaviside_(&y)?; // heaviside
    _ = where_(&m, &x, &y); // where
    _ = x.where_(&m, 0.0); // where
    _ = call("where", args![&m])?.tensors()?; // where
    Ok(())
}
