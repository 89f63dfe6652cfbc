// ---- Words for complex numbers, computed with f64 parts as on the CPU. They are long, and called, not inlined.

template <class P> DEVICE P re(const cplx<P> z) { return z.re; }
template <class P> DEVICE P im(const cplx<P> z) { return z.im; }
template <class C> DEVICE C complex(const part<C> re, const part<C> im) { return C{re, im}; }
template <class P> DEVICE P abs(const cplx<P> z) { return hypot(z.re, z.im); }
template <class P> DEVICE P argument(const cplx<P> z) { return atan2(z.im, z.re); }
template <class P> DEVICE cplx<P> conj(const cplx<P> z) { return cplx<P>{z.re, -z.im}; }
template <class P> DEVICE cplx<P> unit(const cplx<P> z) {
    const P size = hypot(z.re, z.im);
    return size == 0 ? cplx<P>{0, 0} : cplx<P>{z.re / size, z.im / size};
}

DEVICE f64 infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
DEVICE c128 turned(const c128 z) { return c128{-z.im, z.re}; }
DEVICE c128 turned_back(const c128 z) { return c128{z.im, -z.re}; }

DEVICE_CALL c128 quotient(const c128 a, const c128 b) {
    if (b.re == 0 && b.im == 0) { return c128{a.re / abs(b.re), a.im / abs(b.im)}; }
    if (abs(b.re) >= abs(b.im)) {
        const f64 ratio = b.im / b.re, scale = 1.0 / (b.re + b.im * ratio);
        return c128{(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const f64 ratio = b.re / b.im, scale = 1.0 / (b.re * ratio + b.im);
    return c128{(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

// What is infinite or huge, and what NaN is beside it: as in kernels/complex.rs.
DEVICE f64 not_a_number() { return __longlong_as_double(0x7ff8000000000000ll); }
DEVICE bool both_finite(const c128 z) { return is_finite(z.re) && is_finite(z.im); }
DEVICE bool is_huge(const c128 z) { return abs(z.re) > 1e150 || abs(z.im) > 1e150; }
DEVICE f64 ln_twice(const c128 z) { return ln(hypot(0.5 * z.re, 0.5 * z.im)) + 2.0 * 0.6931471805599453; }
DEVICE f64 zero_like(const f64 x) { return is_nan(x) ? 0.0 : copysign(0.0, x); }
DEVICE f64 sign_of(const f64 x) { return copysign(1.0, x); }
DEVICE c128 directed(const f64 power, const f64 cosine, const f64 sine) {
    const f64 half = exp(0.5 * power);
    return c128{half * cosine * half, half * sine * half};
}

DEVICE_CALL c128 wide_exp(const c128 z) {
    if (z.im == 0) { return c128{exp(z.re), z.im}; }
    if (!is_finite(z.im) && is_infinite(z.re)) { return z.re > 0 ? c128{z.re, not_a_number()} : c128{0, zero_like(z.im)}; }
    if (z.re > 700.0 && is_finite(z.re)) { return directed(z.re, cos(z.im), sin(z.im)); }
    const f64 size = exp(z.re);
    return c128{size * cos(z.im), size * sin(z.im)};
}
DEVICE_CALL c128 wide_exp2(const c128 z) {
    const f64 angle = z.im * 0.6931471805599453;
    if (!both_finite(z)) { return wide_exp(c128{z.re, angle}); }
    const f64 size = exp2(z.re);
    return z.im == 0 ? c128{size, z.im} : c128{size * cos(angle), size * sin(angle)};
}
DEVICE_CALL c128 wide_exp_m1(const c128 z) {
    const f64 half = sin(0.5 * z.im);
    return c128{exp_m1(z.re) * cos(z.im) - 2.0 * half * half, exp(z.re) * sin(z.im)};
}
DEVICE_CALL c128 wide_ln(const c128 z) {
    const f64 x = abs(z.re), y = abs(z.im), big = x > y ? x : y, small = x > y ? y : x, angle = atan2(z.im, z.re);
    if (big >= 0.7 && big <= 1.5) { return c128{0.5 * ln_1p((big - 1.0) * (big + 1.0) + small * small), angle}; }
    return c128{is_huge(z) ? ln_twice(z) - 0.6931471805599453 : ln(hypot(x, y)), angle};
}
DEVICE_CALL c128 wide_log2(const c128 z) {
    const c128 log = wide_ln(z);
    return c128{log.re * 1.4426950408889634, log.im * 1.4426950408889634};
}
DEVICE_CALL c128 wide_log10(const c128 z) {
    const c128 log = wide_ln(z);
    return c128{log.re * 0.4342944819032518, log.im * 0.4342944819032518};
}
DEVICE_CALL c128 wide_ln_1p(const c128 z) {
    if (is_nan(z.re) || is_nan(z.im)) { return c128{not_a_number(), not_a_number()}; }
    if (z.re == 0 && z.im == 0) { return z; }
    if (is_huge(z)) { return wide_ln(z); }
    const bool near = abs(z.re) < 0.5 && abs(z.im) < 0.5;
    return c128{near ? 0.5 * ln_1p(z.re * (2.0 + z.re) + z.im * z.im) : ln(hypot(1.0 + z.re, z.im)), atan2(z.im, 1.0 + z.re)};
}
DEVICE f64 pointing(const f64 x, const bool infinite) {
    if (is_nan(x)) { return copysign(0.0, x); }
    return infinite ? copysign(is_infinite(x) ? 1.0 : 0.0, x) : x;
}
DEVICE_CALL c128 product(const c128 a, const c128 b) {
    const c128 plain = c128{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    const bool one = is_infinite(a.re) || is_infinite(a.im), other = is_infinite(b.re) || is_infinite(b.im);
    if (!(is_nan(plain.re) && is_nan(plain.im)) || !(one || other)) { return plain; }
    const c128 c = c128{pointing(a.re, one), pointing(a.im, one)}, d = c128{pointing(b.re, other), pointing(b.im, other)};
    return c128{infinity() * (c.re * d.re - c.im * d.im), infinity() * (c.re * d.im + c.im * d.re)};
}
DEVICE_CALL c128 wide_pow(const c128 base, const c128 exponent) {
    const c128 power = product(exponent, wide_ln(base));
    return power.re == -infinity() && is_nan(power.im) ? c128{0.0, -0.0} : wide_exp(power);
}
DEVICE_CALL c128 wide_sqrt(const c128 z) {
    if (abs(z.im) == infinity()) { return c128{infinity(), z.im}; }
    if (z.re == 0 && z.im == 0) { return c128{0, z.im}; }
    if (abs(z.re) == infinity()) {
        const f64 nan = z.im * 0.0;
        return z.re < 0 ? c128{abs(nan), copysign(abs(z.re), z.im)} : c128{z.re, copysign(abs(nan), z.im)};
    }
    const f64 great = 1.7976931348623157e308 / 4.0;
    const f64 scale = abs(z.re) > great || abs(z.im) > great ? 0.25 : 1.0;
    const f64 x = z.re * scale, y = z.im * scale;
    const f64 root = sqrt((abs(x) + hypot(x, y)) / 2.0), other = abs(y) / (2.0 * root), back = 1.0 / sqrt(scale);
    return c128{(x >= 0 ? root : other) * back, copysign(x >= 0 ? other : root, y) * back};
}
DEVICE_CALL c128 wide_sinh(const c128 z) {
    if (z.im == 0) { return c128{sinh(z.re), z.im}; }
    if (!is_finite(z.im) && z.re == 0) { return c128{z.re, not_a_number()}; }
    if (!is_finite(z.im) && is_infinite(z.re)) { return c128{infinity(), not_a_number()}; }
    if (abs(z.re) > 700.0 && is_finite(z.re)) {
        const c128 half = directed(abs(z.re), 0.5 * cos(z.im), 0.5 * sin(z.im));
        return c128{half.re * sign_of(z.re), half.im};
    }
    return c128{sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
DEVICE_CALL c128 wide_cosh(const c128 z) {
    if (z.im == 0) { return c128{cosh(z.re), is_nan(z.re) ? z.im : copysign(z.im, sign_of(z.re) * sign_of(z.im))}; }
    if (!is_finite(z.im) && z.re == 0) { return c128{not_a_number(), 0.0}; }
    if (!is_finite(z.im) && is_infinite(z.re)) { return c128{infinity(), not_a_number()}; }
    if (abs(z.re) > 700.0 && is_finite(z.re)) {
        const c128 half = directed(abs(z.re), 0.5 * cos(z.im), 0.5 * sin(z.im));
        return c128{half.re, half.im * sign_of(z.re)};
    }
    if (z.re == 0) { return c128{cos(z.im), z.re * sin(z.im)}; }
    return c128{cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
DEVICE_CALL c128 wide_tanh(const c128 z) {
    if (is_infinite(z.re) && !is_finite(z.im)) { return c128{copysign(1.0, z.re), zero_like(z.im)}; }
    if (z.re == 0 && !is_finite(z.im)) { return c128{z.re, not_a_number()}; }
    if (is_nan(z.re) && z.im == 0) { return z; }
    if (abs(z.re) > 22.0 && is_finite(z.im)) {
        const f64 sine = sin(z.im), cosine = cos(z.im), im = 4.0 * sine * cosine * exp(-2.0 * abs(z.re));
        return c128{copysign(1.0, z.re), im == 0 ? copysign(0.0, sine * cosine) : im};
    }
    const f64 t = tan(z.im), s = sinh(z.re), beta = 1.0 + t * t, rho = sqrt(1.0 + s * s);
    if (is_infinite(t)) { return c128{rho / s, 1.0 / t}; }
    const f64 below = 1.0 + beta * s * s;
    return c128{beta * rho * s / below, t / below};
}
DEVICE c128 wide_sin(const c128 z) {
    if (is_infinite(z.im) && !is_finite(z.re)) { return c128{not_a_number(), infinity()}; }
    return turned_back(wide_sinh(turned(z)));
}
DEVICE c128 wide_cos(const c128 z) { return wide_cosh(turned(z)); }
DEVICE c128 wide_tan(const c128 z) { return turned_back(wide_tanh(turned(z))); }
DEVICE_CALL c128 near_asin(const c128 z) {
    const c128 minus = wide_sqrt(c128{1.0 - z.re, -z.im}), plus = wide_sqrt(c128{1.0 + z.re, z.im});
    return c128{atan2(z.re, minus.re * plus.re - minus.im * plus.im), asinh(minus.re * plus.im - minus.im * plus.re)};
}
DEVICE_CALL c128 wide_asinh(const c128 z) {
    const f64 x = z.re, y = z.im;
    if (is_infinite(x) && is_nan(y) || is_infinite(y) && is_nan(x)) { return c128{copysign(infinity(), x), not_a_number()}; }
    if (is_nan(x) || is_nan(y)) { return c128{not_a_number(), y == 0 ? y : not_a_number()}; }
    if (is_huge(z)) { return c128{copysign(ln_twice(z), x), atan2(y, abs(x))}; }
    return turned_back(near_asin(turned(z)));
}
DEVICE_CALL c128 wide_asin(const c128 z) {
    return !both_finite(z) || is_huge(z) ? turned_back(wide_asinh(turned(z))) : near_asin(z);
}
DEVICE_CALL c128 wide_acos(const c128 z) {
    const f64 x = z.re, y = z.im;
    if (is_infinite(y) && is_nan(x) || is_infinite(x) && is_nan(y)) { return c128{not_a_number(), is_nan(y) ? -infinity() : -y}; }
    if (is_nan(x) || is_nan(y)) { return c128{x == 0 ? 1.5707963267948966 : not_a_number(), not_a_number()}; }
    if (is_huge(z)) { return c128{1.5707963267948966 - atan2(x, abs(y)), copysign(ln_twice(z), -y)}; }
    const c128 minus = wide_sqrt(c128{1.0 - x, -y}), plus = wide_sqrt(c128{1.0 + x, y});
    return c128{2.0 * atan2(minus.re, plus.re), asinh(plus.re * minus.im - plus.im * minus.re)};
}
DEVICE_CALL c128 wide_acosh(const c128 z) {
    if (!both_finite(z)) {
        const c128 angle = wide_acos(z);
        return c128{abs(angle.im), is_nan(angle.re) ? angle.re : copysign(angle.re, z.im)};
    }
    if (is_huge(z)) { return c128{ln_twice(z), atan2(z.im, z.re)}; }
    const c128 minus = wide_sqrt(c128{z.re - 1.0, z.im}), plus = wide_sqrt(c128{z.re + 1.0, z.im});
    return c128{asinh(minus.re * plus.re + minus.im * plus.im), 2.0 * atan2(minus.im, plus.re)};
}
DEVICE_CALL c128 wide_atanh(const c128 z) {
    const f64 quarter = copysign(1.5707963267948966, z.im);
    if (is_nan(z.re) || is_nan(z.im)) {
        const bool zero = is_infinite(z.im) || is_infinite(z.re) || z.re == 0;
        return c128{zero ? copysign(0.0, z.re) : not_a_number(), is_infinite(z.im) ? quarter : not_a_number()};
    }
    if (is_huge(z)) {
        const f64 half = hypot(0.5 * z.re, 0.5 * z.im);
        return c128{is_infinite(half) ? copysign(0.0, z.re) : 0.5 * (0.5 * z.re / half) / half, quarter};
    }
    const f64 x = abs(z.re), square = z.im * z.im;
    const f64 re = 0.25 * ln_1p(4.0 * x / ((1.0 - x) * (1.0 - x) + square));
    return c128{copysign(re, z.re), 0.5 * atan2(2.0 * z.im, (1.0 - z.re) * (1.0 + z.re) - square)};
}
DEVICE c128 wide_atan(const c128 z) { return turned_back(wide_atanh(turned(z))); }

#define COMPLEX_WORD(name) \
    template <class P> DEVICE cplx<P> name(const cplx<P> z) { return cast<cplx<P>>(wide_##name(cast<c128>(z))); }
COMPLEX_WORDS(COMPLEX_WORD)

template <class T> DEVICE T pow(const T base, const T exponent) {
    if constexpr (is_complex<T>) {
        return cast<T>(wide_pow(cast<c128>(base), cast<c128>(exponent)));
    } else if constexpr (is_float<T>) {
        return float_pow(base, exponent);
    } else {
        if (exponent < 0) {
            return base == 1 ? (T)1 : base == (T)-1 ? ((exponent & 1) ? base : (T)1) : (T)0;
        }
        T result = 1, power = base;
        for (T rest = exponent; rest != 0; rest >>= 1) {
            if (rest & 1) { result = mul(result, power); }
            power = mul(power, power);
        }
        return result;
    }
}

