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
// What becomes of rows along one dimension: running sums and extremes, softmax, medians. A thread does a row where neighbours in memory
// belong to different rows, or rows are short; else a block does. Every order follows from the shape alone.

// What these kernels are given: where row number `i` begins in the input and in the results, by strides of the other dimensions.
struct RowArguments {
    u32 rows, count, parts, chunk, rank;
    void *out, *places;
    const void *in;
    void *totals;
    i64 in_step, out_step, in_strides[RANK], out_strides[RANK];
    Axis axes[RANK];
};

// One row: its first element, and its first result.
struct Row {
    i64 in, out;
    DEVICE Row of(const RowArguments &a, const u32 row) {
        return Row{place(row, a.rank, a.axes, a.in_strides), place(row, a.rank, a.axes, a.out_strides)};
    }
};
template <class B> DEVICE typename B::In row_element(const RowArguments &a, const Row row, const u32 j) {
    return static_cast<const typename B::In *>(a.in)[row.in + j * a.in_step];
}

// ---- Scans.

// Neighbours that a thread scans alone.
constexpr u32 EACH = 4, TILE = EACH * THREADS;

struct RunGreatest {
    template <class A> DEVICE A begin() { return A{lowest<decltype(A::value)>(), -1}; }
    // `y` comes later: of equal elements the last is found, and after a NaN no number.
    template <class A> DEVICE A combine(const A x, const A y) {
        return y.index >= 0 && (x.index < 0 || y.value >= x.value || y.value != y.value) ? y : x;
    }
};
struct RunLeast {
    template <class A> DEVICE A begin() { return A{highest<decltype(A::value)>(), -1}; }
    template <class A> DEVICE A combine(const A x, const A y) {
        return y.index >= 0 && (x.index < 0 || y.value <= x.value || y.value != y.value) ? y : x;
    }
};

template <class B> DEVICE void scan_each(const RowArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows; i += threads) {
        const Row row = Row::of(a, i);
        typename B::Acc folded = B::begin();
        for (u32 j = 0; j < a.count; ++j) {
            folded = B::combine(folded, B::element(row_element<B>(a, row, j), j));
            B::put(a, row.out + j * a.out_step, folded);
        }
    }
}

// What a thread's neighbours from `first` on make, each with those before it.
template <class B> DEVICE typename B::Acc scan_own(const RowArguments &a, const Row row, const u32 first, const u32 end, typename B::Acc *own) {
    typename B::Acc folded = B::begin();
#pragma unroll
    for (u32 i = 0; i < EACH; ++i) {
        if (first + i < end) { folded = B::combine(folded, B::element(row_element<B>(a, row, first + i), first + i)); }
        own[i] = folded;
    }
    return folded;
}

// What each part of each row makes: a block does one.
template <class B> DEVICE void scan_totals(const RowArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[THREADS];
    const u32 thread = threadIdx.x, groups = a.rows * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 i = group / a.parts, begin = (group - i * a.parts) * a.chunk, rest = a.count - begin;
        const u32 end = begin + (rest < a.chunk ? rest : a.chunk);
        const Row row = Row::of(a, i);
        Acc folded = B::begin(), own[EACH];
        for (u32 tile = begin; tile < end; tile += TILE) {
            shared[thread] = scan_own<B>(a, row, tile + thread * EACH, end, own);
            __syncthreads();
            // Neighbours first: what comes later stays later.
            for (u32 step = 1; step < THREADS; step *= 2) {
                if (thread % (2 * step) == 0) { shared[thread] = B::combine(shared[thread], shared[thread + step]); }
                __syncthreads();
            }
            folded = B::combine(folded, shared[0]);
            __syncthreads();
        }
        if (thread == 0) { static_cast<Acc *>(a.totals)[group] = folded; }
    }
}

// All results of each part of each row, after what the parts before it made: a block does one.
template <class B> DEVICE void scan_together(const RowArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[THREADS];
    const u32 thread = threadIdx.x, groups = a.rows * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 i = group / a.parts, part = group - i * a.parts, begin = part * a.chunk, rest = a.count - begin;
        const u32 end = begin + (rest < a.chunk ? rest : a.chunk);
        const Row row = Row::of(a, i);
        Acc folded = B::begin(), own[EACH];
        for (u32 earlier = 0; earlier < part; ++earlier) { folded = B::combine(folded, static_cast<const Acc *>(a.totals)[i * a.parts + earlier]); }
        for (u32 tile = begin; tile < end; tile += TILE) {
            const u32 first = tile + thread * EACH;
            shared[thread] = scan_own<B>(a, row, first, end, own);
            __syncthreads();
            for (u32 step = 1; step < THREADS; step *= 2) {
                const Acc before = thread >= step ? shared[thread - step] : B::begin();
                __syncthreads();
                shared[thread] = B::combine(before, shared[thread]);
                __syncthreads();
            }
            const Acc left = thread > 0 ? B::combine(folded, shared[thread - 1]) : folded;
#pragma unroll
            for (u32 k = 0; k < EACH; ++k) {
                if (first + k < end) { B::put(a, row.out + (first + k) * a.out_step, B::combine(left, own[k])); }
            }
            folded = B::combine(folded, shared[THREADS - 1]);
            // Nobody begins the next before all have read this one.
            __syncthreads();
        }
    }
}

#define SCANS(symbol, B) \
    ENTRY(symbol##__each, RowArguments, (scan_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, RowArguments, (scan_together<B>(a))) \
    ENTRY_TOGETHER(symbol##__totals, RowArguments, (scan_totals<B>(a)))

// ---- Softmax, of numbers T.

// What all threads of a block have, folded, for each of them.
template <class F, class T> DEVICE T folded_by_all(T *shared, const T own) {
    const u32 thread = threadIdx.x;
    shared[thread] = own;
    __syncthreads();
    for (u32 step = THREADS / 2; step > 0; step /= 2) {
        if (thread < step) { shared[thread] = F::template combine<T>(shared[thread], shared[thread + step]); }
        __syncthreads();
    }
    const T folded = shared[0];
    __syncthreads();
    return folded;
}

struct Softmax {
    template <class T> DEVICE T result(const T x, const T most, const f64 sum) { return exp(x - most) / (T)sum; }
};
struct LogSoftmax {
    template <class T> DEVICE T result(const T x, const T most, const f64 sum) { return x - most - (T)ln(sum); }
};

template <class B> DEVICE void softmax_each(const RowArguments &a) {
    typedef typename B::T T;
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows; i += threads) {
        const Row row = Row::of(a, i);
        T most = lowest<T>();
        f64 sum = 0;
        for (u32 j = 0; j < a.count; ++j) { most = Greatest::combine<T>(most, cast<T>(row_element<B>(a, row, j))); }
        for (u32 j = 0; j < a.count; ++j) { sum += (f64)exp(cast<T>(row_element<B>(a, row, j)) - most); }
        for (u32 j = 0; j < a.count; ++j) { B::put(a, row.out + j * a.out_step, cast<T>(row_element<B>(a, row, j)), most, sum); }
    }
}

template <class B> DEVICE void softmax_together(const RowArguments &a) {
    typedef typename B::T T;
    __shared__ T greatest[THREADS];
    __shared__ f64 sums[THREADS];
    for (u32 i = blockIdx.x; i < a.rows; i += gridDim.x) {
        const Row row = Row::of(a, i);
        T most = lowest<T>();
        f64 sum = 0;
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) { most = Greatest::combine<T>(most, cast<T>(row_element<B>(a, row, j))); }
        most = folded_by_all<Greatest>(greatest, most);
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) { sum += (f64)exp(cast<T>(row_element<B>(a, row, j)) - most); }
        sum = folded_by_all<Sum>(sums, sum);
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) {
            B::put(a, row.out + j * a.out_step, cast<T>(row_element<B>(a, row, j)), most, sum);
        }
    }
}

#define SOFTMAX(symbol, B) \
    ENTRY(symbol##__each, RowArguments, (softmax_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, RowArguments, (softmax_together<B>(a)))

// ---- Medians: of an even number of elements the lower one, and the first NaN if there is one. Of equal elements the first is found.

// An element as bits that are in the order of the elements; both zeros are one. No element is NaN.
template <class T> DEVICE u64 in_order(const T x) {
    if constexpr (same<T, f32>) {
        const u32 bits = x == 0 ? 0 : __float_as_uint(x);
        return bits & 0x80000000u ? (u64)(u32)~bits : (u64)(bits | 0x80000000u);
    } else if constexpr (same<T, f64>) {
        const u64 bits = x == 0 ? 0 : (u64)__double_as_longlong(x);
        return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
    } else {
        // As many bits as T has, the sign turned where there is one.
        constexpr u32 above = 64 - 8 * sizeof(T);
        const u64 sign = same<T, bool> || same<T, u8> ? 0 : 1ull << (8 * sizeof(T) - 1);
        return ((u64)x << above >> above) ^ sign;
    }
}

template <class B> DEVICE void put_median(const RowArguments &a, const Row row, const u32 j) {
    static_cast<typename B::In *>(a.out)[row.out] = row_element<B>(a, row, j);
    static_cast<i64 *>(a.places)[row.out] = j;
}

// For each element how many are less, where rows are short.
template <class B> DEVICE void median_each(const RowArguments &a) {
    typedef typename B::T T;
    const u32 threads = gridDim.x * blockDim.x, middle = (a.count - 1) / 2;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows; i += threads) {
        const Row row = Row::of(a, i);
        u32 found = a.count;
        for (u32 j = 0; j < a.count && found == a.count; ++j) {
            const T x = cast<T>(row_element<B>(a, row, j));
            if (x != x) { found = j; }
        }
        for (u32 j = 0; j < a.count && found == a.count; ++j) {
            const T x = cast<T>(row_element<B>(a, row, j));
            u32 less = 0, equal = 0;
            for (u32 k = 0; k < a.count; ++k) {
                const T y = cast<T>(row_element<B>(a, row, k));
                less += y < x;
                equal += y == x;
            }
            if (less <= middle && middle < less + equal) { found = j; }
        }
        put_median<B>(a, row, found);
    }
}

// Byte by byte from the top: how many elements that agree so far have each next byte, and in which of these the middle is.
template <class B> DEVICE void median_together(const RowArguments &a) {
    typedef typename B::T T;
    __shared__ u32 counts[256], places[THREADS];
    __shared__ u64 chosen;
    __shared__ u32 middle;
    const u32 thread = threadIdx.x;
    for (u32 i = blockIdx.x; i < a.rows; i += gridDim.x) {
        const Row row = Row::of(a, i);
        u32 first = a.count;
        for (u32 j = thread; j < a.count && first == a.count; j += THREADS) {
            const T x = cast<T>(row_element<B>(a, row, j));
            if (x != x) { first = j; }
        }
        first = folded_by_all<Least>(places, first);
        if (first == a.count) {
            if (thread == 0) { chosen = 0, middle = (a.count - 1) / 2; }
            for (int shift = 8 * (int)sizeof(T) - 8; shift >= 0; shift -= 8) {
                counts[thread] = 0;
                __syncthreads();
                for (u32 j = thread; j < a.count; j += THREADS) {
                    const u64 bits = in_order(cast<T>(row_element<B>(a, row, j)));
                    if ((bits ^ chosen) >> shift < 256) { atomicAdd(&counts[bits >> shift & 255], 1u); }
                }
                __syncthreads();
                if (thread == 0) {
                    u32 byte = 0;
                    for (; middle >= counts[byte]; ++byte) { middle -= counts[byte]; }
                    chosen |= (u64)byte << shift;
                }
                __syncthreads();
            }
            for (u32 j = thread; j < a.count && first == a.count; j += THREADS) {
                if (in_order(cast<T>(row_element<B>(a, row, j))) == chosen) { first = j; }
            }
            first = folded_by_all<Least>(places, first);
        }
        if (thread == 0) { put_median<B>(a, row, first); }
        __syncthreads();
    }
}

#define MEDIAN(symbol, B) \
    ENTRY(symbol##__each, RowArguments, (median_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, RowArguments, (median_together<B>(a)))
struct median__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
};
MEDIAN(median__f16, median__f16)
struct cumsum__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f64 Acc;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return Sum::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Sum::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return cast<Acc>(x); }
    DEVICE void put(const RowArguments &a, const i64 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<Out>(folded); }
};
SCANS(cumsum__f16, cumsum__f16)
struct cumprod__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f64 Acc;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return Product::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Product::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return cast<Acc>(x); }
    DEVICE void put(const RowArguments &a, const i64 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<Out>(folded); }
};
SCANS(cumprod__f16, cumprod__f16)
struct cummax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef Found<f32> Acc;
    static_assert(sizeof(Acc) == 16, "as many as parts have room");
    DEVICE Acc begin() { return RunGreatest::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return RunGreatest::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return Acc{cast<f32>(x), (i64)j}; }
    DEVICE void put(const RowArguments &a, const i64 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<Out>(folded.value); static_cast<i64 *>(a.places)[at] = folded.index; }
};
SCANS(cummax__f16, cummax__f16)
struct cummin__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef Found<f32> Acc;
    static_assert(sizeof(Acc) == 16, "as many as parts have room");
    DEVICE Acc begin() { return RunLeast::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return RunLeast::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return Acc{cast<f32>(x), (i64)j}; }
    DEVICE void put(const RowArguments &a, const i64 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<Out>(folded.value); static_cast<i64 *>(a.places)[at] = folded.index; }
};
SCANS(cummin__f16, cummin__f16)
struct softmax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
    DEVICE void put(const RowArguments &a, const i64 at, const T x, const T most, const f64 sum) { static_cast<Out *>(a.out)[at] = cast<Out>(Softmax::result<T>(x, most, sum)); }
};
SOFTMAX(softmax__f16, softmax__f16)
struct logsoftmax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
    DEVICE void put(const RowArguments &a, const i64 at, const T x, const T most, const f64 sum) { static_cast<Out *>(a.out)[at] = cast<Out>(LogSoftmax::result<T>(x, most, sum)); }
};
SOFTMAX(logsoftmax__f16, logsoftmax__f16)
} // namespace latten
