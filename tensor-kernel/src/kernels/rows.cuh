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
