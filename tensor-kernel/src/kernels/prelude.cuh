// What every kernel of latten begins with: the numbers of all dtypes, their conversions, the words of formulas, and the walks over
// elements. No header of CUDA is needed, so the text compiles wherever NVRTC does. Conversions are those of tensor-elements/src/convert.rs
// and words those of tensor-elements/src/loops/vocabulary.rs, bit for bit where no library function is called. FLOAT_WORDS and COMPLEX_WORDS
// stand before this text: `words` in source.rs writes them from the table of words.

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
// An 8-bit float: fields, the greatest finite code, the code beyond it, and whether there is one zero and one NaN, at minus zero. Those of the
// table of dtypes have names behind this text.
template <u32 mantissa, u32 bias, u32 greatest, u32 beyond, bool one_zero> struct float8 { u8 bits; };
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
template <class T> constexpr bool is_narrow = same<T, f16> || same<T, bf16>;
template <u32 M, u32 B, u32 G, u32 Y, bool Z> constexpr bool is_narrow<float8<M, B, G, Y, Z>> = true;
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

template <u32 mantissa, u32 bias, u32 greatest, u32 beyond, bool one_zero>
DEVICE void narrow(const f32 x, float8<mantissa, bias, greatest, beyond, one_zero> &to) {
    const u32 bits = __float_as_uint(x), sign = (bits >> 31) << 7;
    u32 magnitude = round_to_narrow(bits & 0x7fffffffu, mantissa, bias);
    magnitude = magnitude > greatest ? beyond : magnitude;
    if (x != x) {
        magnitude = one_zero ? 0x80 : 0x7f;
    }
    const bool signless = one_zero && (magnitude & 0x7f) == 0;
    to.bits = (u8)(magnitude | (signless ? 0 : sign));
}

template <u32 mantissa, u32 bias, u32 greatest, u32 beyond, bool one_zero>
DEVICE f32 widen(const float8<mantissa, bias, greatest, beyond, one_zero> x) {
    const u32 magnitude = x.bits & 0x7f;
    const f32 finite = __uint_as_float(magnitude << (23 - mantissa)) * __uint_as_float((254 - bias) << 23);
    const u32 last = greatest > beyond ? greatest : beyond;
    const bool nan = (one_zero && x.bits == 0x80) || magnitude > last;
    const f32 wide = nan ? __uint_as_float(0x7fc00000u) : magnitude > greatest ? __uint_as_float(0x7f800000u) : finite;
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
#define FLOAT_WORD_3(name, single, wide) \
    DEVICE f32 name(const f32 x, const f32 y, const f32 z) { return ::single(x, y, z); } \
    DEVICE f64 name(const f64 x, const f64 y, const f64 z) { return ::wide(x, y, z); }
FLOAT_WORDS(FLOAT_WORD, FLOAT_WORD_2, FLOAT_WORD_3)
FLOAT_WORD_2(float_pow, powf, pow)
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

