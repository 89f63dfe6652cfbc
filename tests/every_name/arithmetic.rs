//! Sums, products, quotients, powers, rounding, and what bounds numbers.

use super::prelude::*;

use super::ty;

pub(super) fn sums_and_products() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let i = tensor![[1, 2, 3], [4, 5, 6]];
    erase!(x, y, i);

    ty(&x + &y); // add
    ty(x.add_with(&y, 2)); // add
    ty(&x - &y); // sub, subtract
    ty(x.sub_with(&y, 2)); // sub, subtract
    ty(1.0 - &x); // rsub
    ty(x.rsub(&y)); // rsub
    ty(x.rsub_with(&y, 2)); // rsub
    ty(&x * &y); // mul, multiply
    ty(x.mul(2)); // mul, multiply
    ty(&x / &y); // div, divide, true_divide
    ty(i.div_trunc(2)); // div, divide
    ty(i.floor_divide(2)); // div, divide, floor_divide
    ty(x.floor_divide(&y)); // floor_divide
    ty(&x % &y); // remainder
    ty(x.remainder(2)); // remainder
    ty(x.fmod(&y)); // fmod
    ty(x.fmod(2)); // fmod
    ty(-&x); // neg, negative
    ty(x.neg()); // neg, negative
    ty(x.positive()); // positive
    ty(&y + &x); // __radd__
    ty(&y - &x); // __rsub__
    ty(&y * &x); // __rmul__
    ty(&y / &x); // __rdiv__, __rtruediv__
    ty(&y % &x); // __rmod__
    ty(y.pow(&x)); // __rpow__
    ty(y.matmul(&x.t())); // __rmatmul__
    ty(x.addcmul(&y, &y)); // addcmul
    ty(x.addcmul_with(&y, &y, 0.5)); // addcmul
    ty(x.addcdiv(&x, &y)); // addcdiv
    ty(x.addcdiv_with(&x, &y, 0.5)); // addcdiv
    ty(x.lerp(&y, 0.5)); // lerp
    Ok(())
}

pub(super) fn powers_and_rounding() -> Result<()> {
    let (mut x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (i, z) = (tensor![[1, 2, 3], [4, 5, 6]], Tensor::<c64, shape![2, 3]>::ones());
    erase!(x, y, i, z);

    ty(x.pow(2)); // pow
    ty(x.pow(&y)); // pow
    ty(call("pow", args![2, &x])?.tensor()?); // pow
    ty(x.float_power(2)); // float_power
    ty(x.square()); // square
    ty(x.sqrt()); // sqrt
    ty(x.rsqrt()); // rsqrt
    ty(x.reciprocal()); // reciprocal
    ty(x.hypot(&y)); // hypot
    ty(x.ldexp(&i)); // ldexp
    x.ldexp_(&i)?; // ldexp
    ty(x.frexp()); // frexp
    ty(x.abs()); // abs, absolute
    ty(x.sign()); // sign
    ty(z.sgn()); // sgn
    ty(x.copysign(&y)); // copysign
    ty(x.copysign(-1.0)); // copysign
    ty(x.floor()); // floor
    ty(x.ceil()); // ceil
    ty(x.trunc()); // trunc
    ty(x.round()); // round
    ty(x.round_decimals(2)); // round
    ty(x.frac()); // frac
    ty(x.nextafter(&y)); // nextafter
    x.nextafter_(&y)?; // nextafter
    ty(x.nan_to_num()); // nan_to_num
    ty(x.nan_to_num_with(Some(0.0), None, None)); // nan_to_num
    ty(i.gcd(&i)); // gcd
    ty(i.lcm(&i)); // lcm
    Ok(())
}

pub(super) fn bounds_and_choices() -> Result<()> {
    let (mut x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let m = x.gt(2.0);
    erase!(x, y, m);

    ty(x.maximum(&y)); // maximum
    ty(x.minimum(&y)); // minimum
    ty(x.fmax(&y)); // fmax
    ty(x.fmin(&y)); // fmin
    ty(x.clamp(0, 1)); // clamp, clip
    ty(x.clamp(&y, 9.0)); // clamp, clip
    x.clamp_(0, 1)?; // clamp, clip
    ty(x.clamp_min(0)); // clamp_min
    ty(x.clamp_max(1)); // clamp_max
    ty(x.heaviside(&y)); // heaviside
    x.heaviside_(&y)?; // heaviside
    ty(where_(&m, &x, &y)); // where
    ty(x.where_(&m, 0.0)); // where
    ty(call("where", args![&m])?.tensors()?); // where
    Ok(())
}
