// Accumulators that keep more than one number of the elements that they have seen: where the most extreme one is, squared distances from a
// mean, a sum of exponentials. All that is summed here is f64, as on the CPU.

// An element and its number among those of its output, of which there are fewer than 2^31.
constexpr u32 NOWHERE = ~0u;
template <class T> struct Found { T value; u32 index; };

// A NaN is more extreme than any number, and of equal elements the first is found: the order of the fold doesn't matter. Where none was seen
// yet, the least extreme element is, behind all others.
template <bool LARGEST> struct Find {
    template <class A> DEVICE A begin() {
        if constexpr (LARGEST) { return A{lowest<decltype(A::value)>(), NOWHERE}; }
        else { return A{highest<decltype(A::value)>(), NOWHERE}; }
    }
    template <class T> DEVICE bool is_more(const T x, const T y) { return (LARGEST ? x > y : x < y) || (x != x && y == y); }
    template <class A> DEVICE A combine(const A x, const A y) {
        return is_more(y.value, x.value) || (y.index < x.index && !is_more(x.value, y.value)) ? y : x;
    }
    // `y` comes later.
    template <class A> DEVICE A paired(const A x, const A y) { return is_more(y.value, x.value) ? y : x; }
};
typedef Find<true> FindGreatest;
typedef Find<false> FindLeast;

DEVICE f64 times(const f64 x, const f64 factor) { return x * factor; }
DEVICE c128 times(const c128 z, const f64 factor) { return c128{z.re * factor, z.im * factor}; }
DEVICE f64 squared_parts(const f64 x) { return x * x; }
DEVICE c128 squared_parts(const c128 z) { return c128{z.re * z.re, z.im * z.im}; }

// How many elements, their mean, and the sum of their squared distances from it, for each part of a complex number.
template <class T> struct Moments { f64 count; T mean, squares; };
// An infinity has no distance from itself: its variance is NaN.
template <class T> DEVICE Moments<T> moments(const T x) { return Moments<T>{1.0, x, squared_parts(sub(x, x))}; }
// T. Chan's formula joins two.
struct Spread {
    template <class A> DEVICE A begin() { return A{0.0, cast<decltype(A::mean)>(false), cast<decltype(A::mean)>(false)}; }
    template <class A> DEVICE A combine(const A x, const A y) {
        if (x.count == 0 || y.count == 0) { return x.count == 0 ? y : x; }
        return weighted(x, y, x.count == y.count ? 0.5 : y.count / (x.count + y.count));
    }
    // As many on both sides, and some.
    template <class A> DEVICE A paired(const A x, const A y) { return weighted(x, y, 0.5); }
    template <class A> DEVICE A weighted(const A x, const A y, const f64 share) {
        const auto apart = sub(y.mean, x.mean);
        const auto squares = add(add(x.squares, y.squares), times(squared_parts(apart), x.count * share));
        return A{x.count + y.count, add(x.mean, times(apart, share)), squares};
    }
};

// A sum of exponentials, all divided by that of the largest real part.
template <class T> struct Exponentials { f64 most; T sum; };
DEVICE Exponentials<f64> exponentials(const f64 x) { return Exponentials<f64>{x, 1.0}; }
DEVICE Exponentials<c128> exponentials(const c128 z) { return Exponentials<c128>{z.re, c128{cos(z.im), sin(z.im)}}; }
DEVICE f64 scale_between(const f64 from, const f64 to) { return from == to ? 1.0 : exp(from - to); }
struct AddExponentials {
    template <class A> DEVICE A begin() { return A{-infinity(), cast<decltype(A::sum)>(false)}; }
    template <class A> DEVICE A combine(const A x, const A y) {
        const f64 most = Greatest::combine<f64>(x.most, y.most);
        return A{most, add(times(x.sum, scale_between(x.most, most)), times(y.sum, scale_between(y.most, most)))};
    }
};
