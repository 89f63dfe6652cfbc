namespace latten {
// Reductions: a fold of the elements of each output. The order of the elements follows from the shape alone, so that the same tensor always
// gives the same bits, on any GPU. Large folds are cut into parts, which a second launch folds.

constexpr u32 THREADS = 256;

// What a fold is given: which elements belong to an output, by strides of the dimensions that stay and of those that go.
struct FoldArguments {
    u32 outputs, count, parts, chunk, kept_rank, gone_rank;
    void *out, *places;
    const void *in;
    i64 kept_strides[RANK], gone_strides[RANK];
    Axis kept[RANK], gone[RANK];
    // How many elements an output has, and the parameter of the row.
    Number elements, given;
};

DEVICE i64 place(u32 index, const u32 rank, const Axis *axes, const i64 *strides) {
    i64 offset = 0;
#pragma unroll
    for (int dim = 0; dim < RANK; ++dim) {
        if (dim == rank) { break; }
        const u32 above = (__umulhi(index, axes[dim].magic) + index) >> axes[dim].shift;
        offset += (index - above * axes[dim].size) * strides[dim];
        index = above;
    }
    return offset;
}

// One element as the fold takes it, from number `j` of the output that begins at `base`.
template <class B> DEVICE typename B::Acc gone_element(const FoldArguments &a, const i64 base, const u32 j) {
    return B::element(static_cast<const typename B::In *>(a.in)[base + place(j, a.gone_rank, a.gone, a.gone_strides)], j, a.given);
}

// A thread for each part of each output: where neighbours in memory belong to different outputs, or there is little to fold.
template <class B> DEVICE void fold_each(const FoldArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, groups = a.outputs * a.parts;
    for (u32 group = blockIdx.x * blockDim.x + threadIdx.x; group < groups; group += threads) {
        const u32 part = group / a.outputs, output = group - part * a.outputs;
        const i64 base = place(output, a.kept_rank, a.kept, a.kept_strides);
        const u32 first = part * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        typename B::Acc folded = B::begin();
        for (u32 j = first; j < end; ++j) { folded = B::combine(folded, gone_element<B>(a, base, j)); }
        B::put(a, output * a.parts + part, folded);
    }
}

// A block for each part of each output.
template <class B> DEVICE void fold_together(const FoldArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[THREADS];
    const u32 thread = threadIdx.x, groups = a.outputs * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 output = group / a.parts, part = group - output * a.parts;
        const i64 base = place(output, a.kept_rank, a.kept, a.kept_strides);
        const u32 first = part * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        Acc folded = B::begin();
        for (u32 j = first + thread; j < end; j += THREADS) { folded = B::combine(folded, gone_element<B>(a, base, j)); }
        shared[thread] = folded;
        __syncthreads();
        for (u32 step = THREADS / 2; step > 0; step /= 2) {
            if (thread < step) { shared[thread] = B::combine(shared[thread], shared[thread + step]); }
            __syncthreads();
        }
        if (thread == 0) { B::put(a, group, shared[0]); }
        // Nobody begins the next before this one is written.
        __syncthreads();
    }
}

// ---- What is folded.

template <class T> DEVICE T lowest() {
    if constexpr (same<T, bool>) { return false; }
    else if constexpr (same<T, f32>) { return __uint_as_float(0xff800000u); }
    else if constexpr (same<T, f64>) { return -infinity(); }
    else { return (T)-1 < 0 ? (T)(wrapping<T>)((wrapping<T>)1 << (8 * sizeof(T) - 1)) : (T)0; }
}
template <class T> DEVICE T highest() {
    if constexpr (same<T, bool>) { return true; }
    else if constexpr (is_float<T>) { return -lowest<T>(); }
    else { return (T)~lowest<T>(); }
}

struct Sum {
    template <class T> DEVICE T begin() { return cast<T>(false); }
    template <class T> DEVICE T combine(const T x, const T y) { return add(x, y); }
};
struct Product {
    template <class T> DEVICE T begin() { return cast<T>(true); }
    template <class T> DEVICE T combine(const T x, const T y) { return mul(x, y); }
};
struct Greatest {
    template <class T> DEVICE T begin() { return lowest<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) { return x != x ? x : (y != y || x < y) ? y : x; }
};
struct Least {
    template <class T> DEVICE T begin() { return highest<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) { return x != x ? x : (y != y || y < x) ? y : x; }
};
struct Some {
    template <class T> DEVICE T begin() { return false; }
    template <class T> DEVICE T combine(const T x, const T y) { return x || y; }
};

#define FOLDS(symbol, B) \
    ENTRY(symbol##__each, FoldArguments, (fold_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, FoldArguments, (fold_together<B>(a)))
// Accumulators that keep more than one number of the elements that they have seen: where the most extreme one is, squared distances from a
// mean, a sum of exponentials. All that is summed here is f64, as on the CPU.

// An element and its number among those of its output; -1 where none was seen.
template <class T> struct Found { T value; i64 index; };

// A NaN is more extreme than any number, and of equal elements the first is found: the order of the fold doesn't matter.
template <bool LARGEST, class A> DEVICE A first_found(const A x, const A y) {
    if (x.index < 0 || y.index < 0) { return y.index < 0 ? x : y; }
    const bool x_is_nan = x.value != x.value, y_is_nan = y.value != y.value;
    if (x_is_nan ? y_is_nan : x.value == y.value) { return x.index < y.index ? x : y; }
    if (x_is_nan || y_is_nan) { return x_is_nan ? x : y; }
    return (LARGEST ? x.value > y.value : x.value < y.value) ? x : y;
}
struct FindGreatest {
    template <class A> DEVICE A begin() { return A{lowest<decltype(A::value)>(), -1}; }
    template <class A> DEVICE A combine(const A x, const A y) { return first_found<true>(x, y); }
};
struct FindLeast {
    template <class A> DEVICE A begin() { return A{highest<decltype(A::value)>(), -1}; }
    template <class A> DEVICE A combine(const A x, const A y) { return first_found<false>(x, y); }
};

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
        const f64 count = x.count + y.count;
        const auto apart = sub(y.mean, x.mean);
        const auto squares = add(add(x.squares, y.squares), times(squared_parts(apart), x.count * y.count / count));
        return A{count, add(x.mean, times(apart, y.count / count)), squares};
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
template <class C>
DEVICE C max0_floating_term0(const C v_x) {
    return v_x;
}
template <class C>
DEVICE C max0_floating_result(const C v_most, const C v_count) {
    return v_most;
}
struct max__f16_by_f16__f32__f16 {
    typedef Found<f32> Acc;
    typedef f16 In;
    typedef f16 Out;
    static_assert(sizeof(Acc) == 16, "as many as parts have room");
    DEVICE Acc begin() { return FindGreatest::begin<Found<f32>>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return FindGreatest::combine<Found<f32>>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return Found<f32>{max0_floating_term0<f32>(cast<f32>(x)), (i64)j}; }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<f16>(max0_floating_result<f32>(folded.value, number<f32>(a.elements))); static_cast<i64 *>(a.places)[at] = folded.index; }
};
FOLDS(max__f16_by_f16__f32__f16, max__f16_by_f16__f32__f16)
struct max__f16_by_f16__f32__parts {
    typedef Found<f32> Acc;
    typedef f16 In;
    typedef Found<f32> Out;
    static_assert(sizeof(Acc) == 16, "as many as parts have room");
    DEVICE Acc begin() { return FindGreatest::begin<Found<f32>>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return FindGreatest::combine<Found<f32>>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return Found<f32>{max0_floating_term0<f32>(cast<f32>(x)), (i64)j}; }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = folded; }
};
FOLDS(max__f16_by_f16__f32__parts, max__f16_by_f16__f32__parts)
} // namespace latten
