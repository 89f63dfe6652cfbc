// What every kernel of latten begins with: the numbers of all dtypes, their conversions, the words of formulas, and the walks over
// elements. No header of CUDA is needed, so the text compiles wherever NVRTC does. Conversions are those of tensor-core/src/convert.rs
// and words those of tensor-core/src/kernels/vocabulary.rs, bit for bit where no library function is called.

#define DEVICE static __device__ __forceinline__
#define DEVICE_CALL static __device__ __noinline__
#ifndef ENTRY
#define ENTRY(symbol, Arguments, call) extern "C" __global__ void __launch_bounds__(256) symbol(const __grid_constant__ Arguments a) { call; }
#endif

#ifndef ENTRY_TOGETHER
#define ENTRY_TOGETHER ENTRY
#endif

namespace latten {

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct alignas(16) u128 { u64 low, high; };
struct bool8 { u8 byte; };
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
struct f8e4m3fn { u8 bits; };
struct f8e5m2 { u8 bits; };
struct f8e4m3fnuz { u8 bits; };
struct f8e5m2fnuz { u8 bits; };
template <class P> struct alignas(2 * sizeof(P)) cplx { P re, im; };
typedef cplx<f16> c32;
typedef cplx<f32> c64;
typedef cplx<f64> c128;

// ---- What a type is.

template <class A, class B> struct same_ { static constexpr bool value = false; };
template <class A> struct same_<A, A> { static constexpr bool value = true; };
template <class A, class B> constexpr bool same = same_<A, B>::value;

template <class T> struct part_ { typedef T type; static constexpr bool complex = false; };
template <class P> struct part_<cplx<P>> { typedef P type; static constexpr bool complex = true; };
template <class T> using part = typename part_<T>::type;
template <class T> constexpr bool is_complex = part_<T>::complex;

template <class T> constexpr bool is_truth = same<T, bool> || same<T, bool8>;
template <class T> constexpr bool is_float8 = same<T, f8e4m3fn> || same<T, f8e5m2> || same<T, f8e4m3fnuz> || same<T, f8e5m2fnuz>;
template <class T> constexpr bool is_narrow = same<T, f16> || same<T, bf16> || is_float8<T>;
template <class T> constexpr bool is_float = same<T, f32> || same<T, f64>;
template <class T> constexpr bool is_wide = sizeof(T) == 8;

// ---- Narrow floats.

// The bits of a narrow float next to a positive f32, given as bits, as if the exponent field had no end.
DEVICE u32 round_to_narrow(const u32 magnitude, const u32 mantissa, const u32 bias) {
    const u32 dropped = 23 - mantissa;
    const u32 odd = (magnitude >> dropped) & 1;
    if (magnitude < (128 - bias) << 23) {
        const u32 ruler = (128 - bias + dropped) << 23;
        return __float_as_uint(__uint_as_float(magnitude) + __uint_as_float(ruler)) - ruler;
    }
    return (magnitude - ((127 - bias) << 23) + ((1u << (dropped - 1)) - 1 + odd)) >> dropped;
}

DEVICE f32 widen(const f16 x) {
#ifdef LATTEN_HOST
    const u32 shifted = (u32)(x.bits & 0x7fff) << 13;
    const u32 finite = __float_as_uint(__uint_as_float(shifted) * __uint_as_float((127 + 112) << 23));
    const u32 magnitude = (x.bits & 0x7c00) == 0x7c00 ? shifted | 0x7f800000u : finite;
    return __uint_as_float((u32)(x.bits & 0x8000) << 16 | magnitude);
#else
    f32 wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
#endif
}

DEVICE f32 widen(const bf16 x) { return __uint_as_float((u32)x.bits << 16); }

DEVICE void narrow(const f32 x, f16 &to) {
    const u32 bits = __float_as_uint(x), sign = (bits & 0x80000000u) >> 16;
    if (x != x) {
        to.bits = (u16)(sign | 0x7e00);
        return;
    }
#ifdef LATTEN_HOST
    const u32 rounded = round_to_narrow(bits & 0x7fffffffu, 10, 15);
    to.bits = (u16)(sign | (rounded < 0x7c00 ? rounded : 0x7c00));
#else
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
#endif
}

DEVICE void narrow(const f32 x, bf16 &to) {
    const u32 bits = __float_as_uint(x);
    to.bits = (u16)(x != x ? (bits & 0x80000000u) >> 16 | 0x7fc0 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Fields, the greatest finite code, the code beyond it, and whether there is one zero and one NaN, at minus zero.
template <class T> struct format8;
template <> struct format8<f8e4m3fn> { static constexpr u32 mantissa = 3, bias = 7, greatest = 0x7e, beyond = 0x7e; static constexpr bool one_zero = false; };
template <> struct format8<f8e5m2> { static constexpr u32 mantissa = 2, bias = 15, greatest = 0x7b, beyond = 0x7c; static constexpr bool one_zero = false; };
template <> struct format8<f8e4m3fnuz> { static constexpr u32 mantissa = 3, bias = 8, greatest = 0x7f, beyond = 0x80; static constexpr bool one_zero = true; };
template <> struct format8<f8e5m2fnuz> { static constexpr u32 mantissa = 2, bias = 16, greatest = 0x7f, beyond = 0x80; static constexpr bool one_zero = true; };

template <class T> DEVICE void narrow(const f32 x, T &to) {
    typedef format8<T> F;
    const u32 bits = __float_as_uint(x), sign = (bits >> 31) << 7;
    u32 magnitude = round_to_narrow(bits & 0x7fffffffu, F::mantissa, F::bias);
    magnitude = magnitude > F::greatest ? F::beyond : magnitude;
    if (x != x) {
        magnitude = F::one_zero ? 0x80 : 0x7f;
    }
    const bool signless = F::one_zero && (magnitude & 0x7f) == 0;
    to.bits = (u8)(magnitude | (signless ? 0 : sign));
}

template <class T> DEVICE f32 widen(const T x) {
    typedef format8<T> F;
    const u32 magnitude = x.bits & 0x7f;
    const f32 finite = __uint_as_float(magnitude << (23 - F::mantissa)) * __uint_as_float((254 - F::bias) << 23);
    const u32 last = F::greatest > F::beyond ? F::greatest : F::beyond;
    const bool nan = (F::one_zero && x.bits == 0x80) || magnitude > last;
    const f32 wide = nan ? __uint_as_float(0x7fc00000u) : magnitude > F::greatest ? __uint_as_float(0x7f800000u) : finite;
    return x.bits & 0x80 ? -wide : wide;
}

// ---- Conversions. Floats become integers as on x86: toward zero, and what doesn't fit is the least i32 or i64.

DEVICE i32 to_i32(const f32 x) { return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : (i32)0x80000000u; }
DEVICE i32 to_i32(const f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : (i32)0x80000000u; }
DEVICE i64 to_i64(const f32 x) { return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (i64)x : (i64)0x8000000000000000ull; }
DEVICE i64 to_i64(const f64 x) { return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : (i64)0x8000000000000000ull; }
DEVICE u64 to_u64(const f64 x) {
    const bool upper = x >= 9223372036854775808.0;
    return (u64)to_i64(upper ? x - 9223372036854775808.0 : x) ^ (upper ? 0x8000000000000000ull : 0);
}

template <class To, class From> DEVICE To cast(const From x) {
    if constexpr (same<To, From>) {
        return x;
    } else if constexpr (is_complex<From>) {
        if constexpr (is_complex<To>) {
            return To{cast<part<To>>(x.re), cast<part<To>>(x.im)};
        } else if constexpr (is_truth<To>) {
            return cast<To>(cast<bool>(x.re) || cast<bool>(x.im));
        } else {
            return cast<To>(x.re);
        }
    } else if constexpr (is_complex<To>) {
        return To{cast<part<To>>(x), cast<part<To>>(0.0f)};
    } else if constexpr (same<From, bool8>) {
        return cast<To>(x.byte != 0);
    } else if constexpr (same<To, bool8>) {
        return bool8{(u8)(cast<bool>(x) ? 1 : 0)};
    } else if constexpr (is_narrow<From>) {
        return cast<To>(widen(x));
    } else if constexpr (is_narrow<To>) {
        To narrowed;
        narrow(cast<f32>(x), narrowed);
        return narrowed;
    } else if constexpr (same<To, bool>) {
        return x != (From)0;
    } else if constexpr (!is_float<From> || is_float<To>) {
        return (To)x;
    } else if constexpr (same<To, i64> || same<To, u32>) {
        return (To)to_i64(x);
    } else if constexpr (same<To, u64>) {
        return to_u64((f64)x);
    } else if constexpr (same<To, u8> && same<From, f64>) {
        return (To)to_i64(x);
    } else {
        return (To)to_i32(x);
    }
}

template <class T> DEVICE T constant(const f64 number) { return cast<T>(number); }

// ---- Words for integers. They wrap, and a divisor of zero gives zero.

template <class T> struct wrapping_ { typedef u32 type; };
template <> struct wrapping_<i64> { typedef u64 type; };
template <> struct wrapping_<u64> { typedef u64 type; };
template <class T> using wrapping = typename wrapping_<T>::type;

template <class T> DEVICE T add(const T x, const T y) {
    if constexpr (is_complex<T>) { return T{x.re + y.re, x.im + y.im}; }
    else if constexpr (is_float<T>) { return x + y; }
    else { return (T)((wrapping<T>)x + (wrapping<T>)y); }
}
template <class T> DEVICE T sub(const T x, const T y) {
    if constexpr (is_complex<T>) { return T{x.re - y.re, x.im - y.im}; }
    else if constexpr (is_float<T>) { return x - y; }
    else { return (T)((wrapping<T>)x - (wrapping<T>)y); }
}
template <class T> DEVICE T mul(const T x, const T y) {
    if constexpr (is_complex<T>) { return T{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
    else if constexpr (is_float<T>) { return x * y; }
    else { return (T)((wrapping<T>)x * (wrapping<T>)y); }
}
template <class T> DEVICE T neg(const T x) {
    if constexpr (is_complex<T>) { return T{-x.re, -x.im}; }
    else if constexpr (is_float<T>) { return -x; }
    else { return (T)(0 - (wrapping<T>)x); }
}
template <class T> DEVICE T bit_and(const T x, const T y) { return (T)(x & y); }
template <class T> DEVICE T bit_or(const T x, const T y) { return (T)(x | y); }
template <class T> DEVICE T bit_xor(const T x, const T y) { return (T)(x ^ y); }
template <class T> DEVICE T bit_not(const T x) { return (T)~x; }
DEVICE bool bit_not(const bool x) { return !x; }

DEVICE f32 float_rest(const f32 x, const f32 y) { return ::fmodf(x, y); }
DEVICE f64 float_rest(const f64 x, const f64 y) { return ::fmod(x, y); }
DEVICE_CALL c128 quotient(const c128 a, const c128 b);

template <class T> DEVICE T div(const T x, const T y) {
    if constexpr (is_complex<T>) { return cast<T>(quotient(cast<c128>(x), cast<c128>(y))); }
    else if constexpr (is_float<T>) { return x / y; }
    else { return y == 0 ? (T)0 : y == (T)-1 && (T)-1 < 0 ? neg(x) : (T)(x / y); }
}
template <class T> DEVICE T rem(const T x, const T y) {
    if constexpr (is_float<T>) { return float_rest(x, y); }
    else { return y == 0 || (y == (T)-1 && (T)-1 < 0) ? (T)0 : (T)(x % y); }
}
template <class T> DEVICE T shl(const T x, const T count) {
    return (u64)(i64)count < 8 * sizeof(T) ? (T)((wrapping<T>)x << (u32)count) : (T)0;
}
template <class T> DEVICE T shr(const T x, const T count) {
    return (u64)(i64)count < 8 * sizeof(T) ? (T)(x >> (u32)count) : x < 0 ? (T)-1 : (T)0;
}

template <class P> DEVICE bool operator==(const cplx<P> x, const cplx<P> y) { return x.re == y.re && x.im == y.im; }
template <class P> DEVICE bool operator!=(const cplx<P> x, const cplx<P> y) { return !(x == y); }

// ---- Words for floats.

#define FLOAT_WORD(name, single, wide) \
    DEVICE f32 name(const f32 x) { return ::single(x); } \
    DEVICE f64 name(const f64 x) { return ::wide(x); }
#define FLOAT_WORD_2(name, single, wide) \
    DEVICE f32 name(const f32 x, const f32 y) { return ::single(x, y); } \
    DEVICE f64 name(const f64 x, const f64 y) { return ::wide(x, y); }
FLOAT_WORD(sqrt, sqrtf, sqrt)
FLOAT_WORD(exp, expf, exp)
FLOAT_WORD(exp2, exp2f, exp2)
FLOAT_WORD(exp_m1, expm1f, expm1)
FLOAT_WORD(ln, logf, log)
FLOAT_WORD(log2, log2f, log2)
FLOAT_WORD(log10, log10f, log10)
FLOAT_WORD(ln_1p, log1pf, log1p)
FLOAT_WORD(sin, sinf, sin)
FLOAT_WORD(cos, cosf, cos)
FLOAT_WORD(tan, tanf, tan)
FLOAT_WORD(asin, asinf, asin)
FLOAT_WORD(acos, acosf, acos)
FLOAT_WORD(atan, atanf, atan)
FLOAT_WORD(sinh, sinhf, sinh)
FLOAT_WORD(cosh, coshf, cosh)
FLOAT_WORD(tanh, tanhf, tanh)
FLOAT_WORD(asinh, asinhf, asinh)
FLOAT_WORD(acosh, acoshf, acosh)
FLOAT_WORD(atanh, atanhf, atanh)
FLOAT_WORD(floor, floorf, floor)
FLOAT_WORD(ceil, ceilf, ceil)
FLOAT_WORD(trunc, truncf, trunc)
FLOAT_WORD(round, rintf, rint)
FLOAT_WORD(erf, erff, erf)
FLOAT_WORD(erfc, erfcf, erfc)
FLOAT_WORD(erfinv, erfinvf, erfinv)
FLOAT_WORD(lgamma, lgammaf, lgamma)
FLOAT_WORD_2(atan2, atan2f, atan2)
FLOAT_WORD_2(hypot, hypotf, hypot)
FLOAT_WORD_2(copysign, copysignf, copysign)
FLOAT_WORD_2(float_pow, powf, pow)
DEVICE f32 mul_add(const f32 x, const f32 y, const f32 z) { return ::fmaf(x, y, z); }
DEVICE f64 mul_add(const f64 x, const f64 y, const f64 z) { return ::fma(x, y, z); }
DEVICE bool signbit(const f32 x) { return __float_as_int(x) < 0; }
DEVICE bool signbit(const f64 x) { return __double_as_longlong(x) < 0; }
template <class T> DEVICE bool is_nan(const T x) { return x != x; }
template <class T> DEVICE bool is_finite(const T x) { return x - x == 0; }
template <class T> DEVICE bool is_infinite(const T x) { return x == x && x - x != 0; }

template <class T> DEVICE T abs(const T x) {
    if constexpr (same<T, f32>) { return ::fabsf(x); }
    else if constexpr (same<T, f64>) { return ::fabs(x); }
    else { return x < 0 ? neg(x) : x; }
}

template <class T> DEVICE T div_floor(const T x, const T y) {
    if constexpr (is_float<T>) {
        const T rest = float_rest(x, y);
        const bool opposite = rest != 0 && (y < 0) != (rest < 0);
        const T quotient = (x - rest) / y - (opposite ? (T)1 : (T)0);
        const T below = floor(quotient);
        if (y == 0) { return x / y; }
        if (quotient == 0) { return copysign((T)0, x / y); }
        return quotient - below > (T)0.5 ? below + (T)1 : below;
    } else {
        const T quotient = div(x, y);
        return rem(x, y) != 0 && ((i64)x ^ (i64)y) < 0 ? sub(quotient, (T)1) : quotient;
    }
}
template <class T> DEVICE T modulo(const T x, const T y) {
    const T rest = rem(x, y);
    if constexpr (is_float<T>) { return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest; }
    else { return rest != 0 && ((i64)rest ^ (i64)y) < 0 ? add(rest, y) : rest; }
}

template <class T> DEVICE T gcd(const T x, const T y) {
    T least = abs(x), most = abs(y);
    while (least != 0) {
        const T rest = rem(most, least);
        most = least;
        least = rest;
    }
    return most;
}

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
COMPLEX_WORD(sqrt)
COMPLEX_WORD(exp)
COMPLEX_WORD(exp2)
COMPLEX_WORD(exp_m1)
COMPLEX_WORD(ln)
COMPLEX_WORD(log2)
COMPLEX_WORD(log10)
COMPLEX_WORD(ln_1p)
COMPLEX_WORD(sin)
COMPLEX_WORD(cos)
COMPLEX_WORD(tan)
COMPLEX_WORD(asin)
COMPLEX_WORD(acos)
COMPLEX_WORD(atan)
COMPLEX_WORD(sinh)
COMPLEX_WORD(cosh)
COMPLEX_WORD(tanh)
COMPLEX_WORD(asinh)
COMPLEX_WORD(acosh)
COMPLEX_WORD(atanh)

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

// ---- Elements in memory.

// A number that a kernel is given by value; it begins with the bytes of its type.
struct alignas(16) Number { u64 words[2]; };
template <class T> DEVICE T number(const Number &number) {
    if constexpr (same<T, bool>) { return (number.words[0] & 255) != 0; }
    else { return *reinterpret_cast<const T *>(&number); }
}

template <class T, int V> struct alignas(sizeof(T) * V) Pack { T at[V]; };

// The place of an element in the result. It isn't in memory: the address of an operand of places is the first of them.
struct place { i64 number; };

// V elements from `offset` on, which is a multiple of V; or one element, V times.
template <class T, int V> DEVICE Pack<T, V> load(const void *start, const i64 offset, const bool packed) {
    if constexpr (same<T, place>) {
        Pack<T, V> places;
#pragma unroll
        for (int i = 0; i < V; ++i) { places.at[i] = place{(i64)start + offset + (packed ? i : 0)}; }
        return places;
    } else {
        const T *from = static_cast<const T *>(start) + offset;
        if constexpr (V > 1) {
            if (packed) { return *reinterpret_cast<const Pack<T, V> *>(from); }
        }
        const T element = *from;
        Pack<T, V> pack;
#pragma unroll
        for (int i = 0; i < V; ++i) { pack.at[i] = element; }
        return pack;
    }
}
template <class T, int V> DEVICE void store(void *start, const i64 offset, const Pack<T, V> pack) {
    *reinterpret_cast<Pack<T, V> *>(static_cast<T *>(start) + offset) = pack;
}

// ---- Walks over elements. `B` is the body of one kernel: `B::step<V>` computes V neighbouring elements of the output.

constexpr int RANK = 8;

// A division by a size: (mulhi(n, magic) + n) >> shift, for n below 2^31.
struct Axis { u32 size, magic, shift; };

// What a kernel is given. Operand 0 is the output; strides are in elements, innermost dimension first.
template <int INPUTS, int NUMBERS> struct Arguments {
    u32 count, rank, packed, vectors;
    void *at[1 + INPUTS];
    i64 strides[1 + INPUTS][RANK];
    Axis axes[RANK];
    Number numbers[NUMBERS ? NUMBERS : 1];
};

// All operands lie in the order of the loop, or are one element.
template <class B, class A> DEVICE void walk_dense(const A &a) {
    constexpr int V = B::width;
    const u32 threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 packs = a.vectors ? a.count / V : 0;
    for (u32 pack = thread; pack < packs; pack += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = a.packed >> k & 1 ? (i64)pack * V : 0; }
        B::template step<V>(a, offsets);
    }
    for (u32 i = packs * V + thread; i < a.count; i += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = a.packed >> k & 1 ? i : 0; }
        B::template step<1>(a, offsets);
    }
}

// Any strides. With V elements at a time, the innermost dimension counts packs.
template <class B, int V, class A> DEVICE void walk_strided(const A &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = 0; }
        u32 rest = i;
#pragma unroll
        for (int dim = 0; dim < RANK; ++dim) {
            if (dim == a.rank) { break; }
            const u32 above = (__umulhi(rest, a.axes[dim].magic) + rest) >> a.axes[dim].shift;
            const u32 at = rest - above * a.axes[dim].size;
#pragma unroll
            for (int k = 0; k < B::operands; ++k) { offsets[k] += at * a.strides[k][dim]; }
            rest = above;
        }
        B::template step<V>(a, offsets);
    }
}

#define KERNELS(symbol, B) \
    ENTRY(symbol##__dense, B::A, (walk_dense<B>(a))) \
    ENTRY(symbol##__rows, B::A, (walk_strided<B, B::width>(a))) \
    ENTRY(symbol##__strided, B::A, (walk_strided<B, 1>(a)))

} // namespace latten
