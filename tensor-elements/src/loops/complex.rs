//! Functions of complex numbers with `f64` parts, after W. Kahan's "Branch cuts for complex elementary functions"; at infinities and NaN
//! after Annex G of C, but for `exp_m1` and `ln_1p`: PyTorch takes these from elsewhere.
//! Narrower complex numbers are widened first: that costs little beside the functions, and keeps their errors away.

use num_complex::Complex;

use super::double;

type C = Complex<f64>;

/// Compiled once: loops have their own.
#[inline(never)]
fn hypot(x: f64, y: f64) -> f64 {
    double::hypot(x, y)
}

/// The number with `f64` parts.
#[inline(always)]
pub(super) fn widen<T: Into<f64>>(z: Complex<T>) -> C {
    Complex::new(z.re.into(), z.im.into())
}

/// A type that an `f64` rounds to.
pub(super) trait RoundedPart {
    fn round(x: f64) -> Self;
}

impl RoundedPart for f64 {
    #[inline(always)]
    fn round(x: f64) -> Self {
        x
    }
}

impl RoundedPart for f32 {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "rounds")]
    fn round(x: f64) -> Self {
        x as Self
    }
}

/// The number with narrower parts.
#[inline(always)]
pub(super) fn narrow<T: RoundedPart>(z: C) -> Complex<T> {
    Complex::new(T::round(z.re), T::round(z.im))
}

fn new(re: f64, im: f64) -> C {
    Complex::new(re, im)
}

/// i z.
fn turned(z: C) -> C {
    new(-z.im, z.re)
}

/// -i z.
fn turned_back(z: C) -> C {
    new(z.im, -z.re)
}

/// Scaled, so that squares don't overflow.
#[inline]
pub(super) fn div(a: C, b: C) -> C {
    if b.re == 0.0 && b.im == 0.0 {
        return new(a.re / b.re.abs(), a.im / b.im.abs());
    }
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let scale = 1.0 / (b.re + b.im * ratio);
        new((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale)
    } else {
        let ratio = b.re / b.im;
        let scale = 1.0 / (b.re * ratio + b.im);
        new((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale)
    }
}

/// A product as C's Annex G has it: an infinite number times another that isn't zero is infinite, whatever the other parts.
fn product(a: C, b: C) -> C {
    let plain = new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    let infinite = |z: C| z.re.is_infinite() || z.im.is_infinite();
    if !(plain.re.is_nan() && plain.im.is_nan()) || !(infinite(a) || infinite(b)) {
        return plain;
    }
    // An infinite number is where its infinite parts point to; of the other one NaN counts as zero.
    let direction = |z: C| {
        let part = |x: f64| if infinite(z) { f64::from(u8::from(x.is_infinite())).copysign(x) } else { x };
        let known = |x: f64| if x.is_nan() { 0.0_f64.copysign(x) } else { x };
        new(known(part(z.re)), known(part(z.im)))
    };
    let (a, b) = (direction(a), direction(b));
    new(f64::INFINITY * (a.re * b.re - a.im * b.im), f64::INFINITY * (a.re * b.im + a.im * b.re))
}

pub(super) fn pow(base: C, exponent: C) -> C {
    let power = product(exponent, ln(base));
    // The direction of such a zero is NaN, whose sign on x86 is a minus.
    if power.re == f64::NEG_INFINITY && power.im.is_nan() { new(0.0, -0.0) } else { exp(power) }
}

pub(super) fn sqrt(z: C) -> C {
    let C { re: x, im: y } = z;
    if y.is_infinite() {
        return new(f64::INFINITY, y);
    }
    if x == 0.0 && y == 0.0 {
        return new(0.0, y);
    }
    if x.is_infinite() {
        let nan = y * 0.0;
        return if x < 0.0 { new(nan.abs(), x.abs().copysign(y)) } else { new(x, nan.abs().copysign(y)) };
    }
    // Halved where the modulus could overflow, and grown where it could lose bits.
    let scale: f64 = if x.abs().max(y.abs()) > f64::MAX / 4.0 { 0.25 } else { 1.0 };
    let (x, y) = (x * scale, y * scale);
    let root = (x.abs().midpoint(hypot(x, y))).sqrt();
    let other = y.abs() / (2.0 * root);
    let back = scale.sqrt().recip();
    let (re, im) = if x >= 0.0 { (root, other) } else { (other, root) };
    new(re * back, im.copysign(y) * back)
}

/// The parts of a real number times the direction of an angle; the number is e to a large power, which alone may overflow.
fn directed(power: f64, cos: f64, sin: f64) -> C {
    let half = (0.5 * power).exp();
    new(half * cos * half, half * sin * half)
}

/// Where the parts of an exponential overflow though their products with a sine may not.
const LARGE: f64 = 700.0;

/// Where squares overflow.
const HUGE: f64 = 1e150;

fn is_huge(z: C) -> bool {
    z.re.abs().max(z.im.abs()) > HUGE
}

fn is_finite(z: C) -> bool {
    z.re.is_finite() && z.im.is_finite()
}

/// The logarithm of twice the modulus of a huge number.
fn ln_twice(z: C) -> f64 {
    hypot(0.5 * z.re, 0.5 * z.im).ln() + 2.0 * std::f64::consts::LN_2
}

pub(super) fn exp(z: C) -> C {
    if z.im == 0.0 {
        return new(z.re.exp(), z.im);
    }
    if !z.im.is_finite() && z.re.is_infinite() {
        let zero = if z.im.is_nan() { 0.0 } else { 0.0_f64.copysign(z.im) };
        return if z.re > 0.0 { new(z.re, f64::NAN) } else { new(0.0, zero) };
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re > LARGE && z.re.is_finite() {
        return directed(z.re, cos, sin);
    }
    let size = z.re.exp();
    new(size * cos, size * sin)
}

pub(super) fn exp2(z: C) -> C {
    if !is_finite(z) {
        return exp(new(z.re, z.im * std::f64::consts::LN_2));
    }
    let size = z.re.exp2();
    let (sin, cos) = (z.im * std::f64::consts::LN_2).sin_cos();
    if z.im == 0.0 { new(size, z.im) } else { new(size * cos, size * sin) }
}

/// Not after Annex G: an infinite number of no direction has one of NaN.
pub(super) fn exp_m1(z: C) -> C {
    let half = (0.5 * z.im).sin();
    let (sin, cos) = z.im.sin_cos();
    new(z.re.exp_m1() * cos - 2.0 * half * half, z.re.exp() * sin)
}

pub(super) fn ln(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (big, small) = if x > y { (x, y) } else { (y, x) };
    // Near the unit circle the logarithm of the modulus needs all bits of its square.
    let re = if (0.7..=1.5).contains(&big) {
        0.5 * ((big - 1.0) * (big + 1.0) + small * small).ln_1p()
    } else if is_huge(z) {
        ln_twice(z) - std::f64::consts::LN_2
    } else {
        hypot(x, y).ln()
    };
    new(re, z.im.atan2(z.re))
}

pub(super) fn log2(z: C) -> C {
    let z = ln(z);
    new(z.re * std::f64::consts::LOG2_E, z.im * std::f64::consts::LOG2_E)
}

pub(super) fn log10(z: C) -> C {
    let z = ln(z);
    new(z.re * std::f64::consts::LOG10_E, z.im * std::f64::consts::LOG10_E)
}

/// Not after Annex G: NaN in one part is NaN in both.
pub(super) fn ln_1p(z: C) -> C {
    if z.re.is_nan() || z.im.is_nan() {
        return new(f64::NAN, f64::NAN);
    }
    if z.re == 0.0 && z.im == 0.0 {
        return z;
    }
    if is_huge(z) {
        return ln(z);
    }
    let re =
        if z.re.abs() < 0.5 && z.im.abs() < 0.5 { 0.5 * (z.re * (2.0 + z.re) + z.im * z.im).ln_1p() } else { hypot(1.0 + z.re, z.im).ln() };
    new(re, z.im.atan2(1.0 + z.re))
}

pub(super) fn sinh(z: C) -> C {
    if z.im == 0.0 {
        return new(z.re.sinh(), z.im);
    }
    if !z.im.is_finite() && z.re == 0.0 {
        return new(z.re, f64::NAN);
    }
    if !z.im.is_finite() && z.re.is_infinite() {
        return new(f64::INFINITY, f64::NAN);
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re.abs() > LARGE && z.re.is_finite() {
        let twice = directed(z.re.abs(), 0.5 * cos, 0.5 * sin);
        return new(twice.re * z.re.signum(), twice.im);
    }
    new(z.re.sinh() * cos, z.re.cosh() * sin)
}

pub(super) fn cosh(z: C) -> C {
    if z.im == 0.0 {
        let im = if z.re.is_nan() { z.im } else { z.im.copysign(z.re.signum() * z.im.signum()) };
        return new(z.re.cosh(), im);
    }
    if !z.im.is_finite() && z.re == 0.0 {
        return new(f64::NAN, 0.0);
    }
    if !z.im.is_finite() && z.re.is_infinite() {
        return new(f64::INFINITY, f64::NAN);
    }
    let (sin, cos) = z.im.sin_cos();
    if z.re.abs() > LARGE && z.re.is_finite() {
        let twice = directed(z.re.abs(), 0.5 * cos, 0.5 * sin);
        return new(twice.re, twice.im * z.re.signum());
    }
    if z.re == 0.0 { new(cos, z.re * sin) } else { new(z.re.cosh() * cos, z.re.sinh() * sin) }
}

pub(super) fn tanh(z: C) -> C {
    if z.re.is_infinite() && !z.im.is_finite() {
        let zero = if z.im.is_nan() { 0.0 } else { 0.0_f64.copysign(z.im) };
        return new(1.0_f64.copysign(z.re), zero);
    }
    if z.re == 0.0 && !z.im.is_finite() {
        return new(z.re, f64::NAN);
    }
    if z.re.is_nan() && z.im == 0.0 {
        return z;
    }
    if z.re.abs() > 22.0 && z.im.is_finite() {
        let (sin, cos) = z.im.sin_cos();
        let im = 4.0 * sin * cos * (-2.0 * z.re.abs()).exp();
        return new(1.0_f64.copysign(z.re), im);
    }
    let (tan, sinh) = (z.im.tan(), z.re.sinh());
    let beta = 1.0 + tan * tan;
    let rho = (1.0 + sinh * sinh).sqrt();
    if tan.is_infinite() {
        return new(rho / sinh, 1.0 / tan);
    }
    let below = 1.0 + beta * sinh * sinh;
    new(beta * rho * sinh / below, tan / below)
}

pub(super) fn sin(z: C) -> C {
    if z.im.is_infinite() && !z.re.is_finite() {
        return new(f64::NAN, f64::INFINITY);
    }
    turned_back(sinh(turned(z)))
}

pub(super) fn cos(z: C) -> C {
    cosh(turned(z))
}

pub(super) fn tan(z: C) -> C {
    turned_back(tanh(turned(z)))
}

pub(super) fn asin(z: C) -> C {
    if !is_finite(z) || is_huge(z) {
        return turned_back(asinh(turned(z)));
    }
    let (minus, plus) = (sqrt(new(1.0 - z.re, -z.im)), sqrt(new(1.0 + z.re, z.im)));
    let re = z.re.atan2(minus.re * plus.re - minus.im * plus.im);
    new(re, (minus.re * plus.im - minus.im * plus.re).asinh())
}

pub(super) fn acos(z: C) -> C {
    let C { re: x, im: y } = z;
    if y.is_infinite() && x.is_nan() || x.is_infinite() && y.is_nan() {
        return new(f64::NAN, if y.is_nan() { f64::NEG_INFINITY } else { -y });
    }
    if x.is_nan() || y.is_nan() {
        return new(if x == 0.0 { std::f64::consts::FRAC_PI_2 } else { f64::NAN }, f64::NAN);
    }
    if is_huge(z) {
        return new(std::f64::consts::FRAC_PI_2 - x.atan2(y.abs()), ln_twice(z).copysign(-y));
    }
    let (minus, plus) = (sqrt(new(1.0 - x, -y)), sqrt(new(1.0 + x, y)));
    new(2.0 * minus.re.atan2(plus.re), (plus.re * minus.im - plus.im * minus.re).asinh())
}

pub(super) fn asinh(z: C) -> C {
    let C { re: x, im: y } = z;
    if x.is_infinite() && y.is_nan() || y.is_infinite() && x.is_nan() {
        return new(f64::INFINITY.copysign(x), f64::NAN);
    }
    if x.is_nan() || y.is_nan() {
        return new(f64::NAN, if y == 0.0 { y } else { f64::NAN });
    }
    if is_huge(z) {
        return new(ln_twice(z).copysign(x), y.atan2(x.abs()));
    }
    turned_back(asin(turned(z)))
}

/// The arc cosine, turned so that its real part is the positive one.
pub(super) fn acosh(z: C) -> C {
    if is_finite(z) && is_huge(z) {
        return new(ln_twice(z), z.im.atan2(z.re));
    }
    if !is_finite(z) {
        let C { re, im } = acos(z);
        return new(im.abs(), if re.is_nan() { re } else { re.copysign(z.im) });
    }
    let (minus, plus) = (sqrt(new(z.re - 1.0, z.im)), sqrt(new(z.re + 1.0, z.im)));
    new((minus.re * plus.re + minus.im * plus.im).asinh(), 2.0 * minus.im.atan2(plus.re))
}

pub(super) fn atanh(z: C) -> C {
    let C { re: x, im: y } = z;
    let quarter = std::f64::consts::FRAC_PI_2.copysign(y);
    if x.is_nan() || y.is_nan() {
        let zero = y.is_infinite() || x.is_infinite() || x == 0.0;
        return new(if zero { 0.0_f64.copysign(x) } else { f64::NAN }, if y.is_infinite() { quarter } else { f64::NAN });
    }
    if is_huge(z) {
        let half = hypot(0.5 * x, 0.5 * y);
        let inverse = if half.is_infinite() { 0.0_f64.copysign(x) } else { 0.5 * (0.5 * x / half) / half };
        return new(inverse, quarter);
    }
    let square = y * y;
    let re = 0.25 * (4.0 * x.abs() / ((1.0 - x.abs()).powi(2) + square)).ln_1p();
    new(re.copysign(x), 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - square))
}

pub(super) fn atan(z: C) -> C {
    turned_back(atanh(turned(z)))
}
