namespace latten {
// Reductions: a fold of the elements of each output. The order of the elements follows from the shape alone, so that the same tensor always
// gives the same bits, on any GPU. Large folds are cut into parts, which a second launch folds.

constexpr u32 THREADS = 256, WARP = 32, WARPS = THREADS / WARP;
// Elements that a warp folds, and the outputs from which on it does, as the launches know.
constexpr u32 SHORT = 1024, MANY = 1024;

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

// What comes of elements `j`, `j + step`, … below `end`: where they lie along one dimension some at a time, whose loads don't wait for each
// other, and these in pairs.
template <class B> DEVICE typename B::Acc fold_own(const FoldArguments &a, const i64 base, u32 j, const u32 end, const u32 step) {
    typedef typename B::Acc Acc;
    constexpr u32 ABREAST = B::abreast;
    Acc folded = B::begin();
    if (ABREAST > 1 && a.gone_rank <= 1) {
        const typename B::In *from = static_cast<const typename B::In *>(a.in) + base;
        const i64 stride = a.gone_strides[0];
        for (; j < end && (end - j - 1) / step >= ABREAST - 1; j += ABREAST * step) {
            typename B::In x[ABREAST];
#pragma unroll
            for (u32 k = 0; k < ABREAST; ++k) { x[k] = from[(j + k * step) * stride]; }
            Acc some[ABREAST];
#pragma unroll
            for (u32 k = 0; k < ABREAST; ++k) { some[k] = B::element(x[k], j + k * step, a.given); }
#pragma unroll
            for (u32 half = ABREAST / 2; half > 0; half /= 2) {
#pragma unroll
                for (u32 k = 0; k < half; ++k) { some[k] = B::paired(some[2 * k], some[2 * k + 1]); }
            }
            folded = B::combine(folded, some[0]);
        }
    }
#pragma unroll 1
    for (; j < end; j += step) { folded = B::combine(folded, gone_element<B>(a, base, j)); }
    return folded;
}

// What another thread of the warp has; all threads of the warp ask together. Threads are counted beyond the last from the first again.
template <class T> __device__ T of_thread(const T own, const u32 lane) {
    constexpr u32 WORDS = (sizeof(T) + 3) / 4;
    u32 words[WORDS] = {};
    memcpy(words, &own, sizeof(T));
#pragma unroll
    for (u32 k = 0; k < WORDS; ++k) { words[k] = __shfl_sync(~0u, words[k], (int)lane); }
    T other;
    memcpy(&other, words, sizeof(T));
    return other;
}

// What the threads of each warp have, as `B` combines it, for the first of them; others get what nobody should use.
template <class B, class T> DEVICE T fold_warp(T own) {
    const u32 lane = threadIdx.x % WARP;
    // Large ones are costly to combine: each step has its code only where it is short.
#pragma unroll(sizeof(T) <= 8 ? 5 : 1)
    for (u32 step = WARP / 2; step > 0; step /= 2) { own = B::combine(own, of_thread(own, lane + step)); }
    return own;
}

// What the warps of a block have, one after the other in `shared`.
template <class T> DEVICE void share(T *shared, const T of_warp, const u32 lane) {
    if (threadIdx.x % WARP == lane) { shared[threadIdx.x / WARP] = of_warp; }
    __syncthreads();
}

// A thread for each part of each output: where neighbours in memory belong to different outputs, or there is little to fold.
template <class B> DEVICE void fold_each(const FoldArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, groups = a.outputs * a.parts;
    for (u32 group = blockIdx.x * blockDim.x + threadIdx.x; group < groups; group += threads) {
        const u32 part = group / a.outputs, output = group - part * a.outputs;
        const i64 base = place(output, a.kept_rank, a.kept, a.kept_strides);
        const u32 first = part * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        B::put(a, output * a.parts + part, fold_own<B>(a, base, first, end, 1));
    }
}

// A block for each part of each output; or a warp, of many outputs that have few elements.
template <class B> DEVICE void fold_together(const FoldArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[WARPS];
    const bool warps = a.count <= SHORT && a.outputs >= MANY;
    const u32 lanes = warps ? WARP : THREADS, lane = threadIdx.x % lanes, abreast = THREADS / lanes, groups = a.outputs * a.parts;
    for (u32 first_group = blockIdx.x * abreast; first_group < groups; first_group += gridDim.x * abreast) {
        const u32 own = first_group + threadIdx.x / lanes, group = own < groups ? own : groups - 1;
        const u32 output = group / a.parts, part = group - output * a.parts;
        const i64 base = place(output, a.kept_rank, a.kept, a.kept_strides);
        const u32 first = part * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        Acc folded = fold_warp<B>(fold_own<B>(a, base, first + lane, end, lanes));
        if (!warps) {
            share(shared, folded, 0);
#pragma unroll 1
            for (u32 warp = 1; lane == 0 && warp < WARPS; ++warp) { folded = B::combine(folded, shared[warp]); }
            // Nobody begins the next before all have read this one.
            __syncthreads();
        }
        if (lane == 0 && own < groups) { B::put(a, group, folded); }
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

// Neighbours that a thread scans alone: as many as it takes to have work between two barriers, in at most 16 KiB of a block.
template <class B> constexpr u32 EACH = sizeof(typename B::In) > 4 ? 4 : 8;

struct RunGreatest {
    template <class A> DEVICE A begin() { return A{lowest<decltype(A::value)>(), NOWHERE}; }
    // `y` comes later: of equal elements the last is found, and after a NaN no number.
    template <class A> DEVICE A combine(const A x, const A y) {
        return y.index != NOWHERE && (x.index == NOWHERE || y.value >= x.value || y.value != y.value) ? y : x;
    }
};
struct RunLeast {
    template <class A> DEVICE A begin() { return A{highest<decltype(A::value)>(), NOWHERE}; }
    template <class A> DEVICE A combine(const A x, const A y) {
        return y.index != NOWHERE && (x.index == NOWHERE || y.value <= x.value || y.value != y.value) ? y : x;
    }
};

template <class B> DEVICE void put_scanned(const RowArguments &a, const i64 at, const typename B::Acc folded) {
    static_cast<typename B::Out *>(a.out)[at] = B::value(folded);
    if constexpr (B::places) { static_cast<i64 *>(a.places)[at] = B::place(folded); }
}

template <class B> DEVICE void scan_each(const RowArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows; i += threads) {
        const Row row = Row::of(a, i);
        typename B::Acc folded = B::begin();
        for (u32 j = 0; j < a.count; ++j) {
            folded = B::combine(folded, B::element(row_element<B>(a, row, j), j));
            put_scanned<B>(a, row.out + j * a.out_step, folded);
        }
    }
}

// The neighbours of a block. Threads that follow each other read and write what lies side by side, and each scans neighbours: between the
// two they are here. A place in 33 is free, so that a warp finds its neighbours in as many banks.
template <class B> struct Tile {
    static constexpr u32 SIZE = EACH<B> * THREADS, ROOM = SIZE + SIZE / WARP;
    // Results are as wide as elements; places have eight bytes.
    static constexpr u32 WIDTH = B::places && sizeof(typename B::In) < 8 ? 8 : sizeof(typename B::In);
    alignas(16) u8 bytes[ROOM * WIDTH];

    template <class T> __device__ T &at(const u32 i) { return reinterpret_cast<T *>(bytes)[i + i / WARP]; }
    // Elements from `first` on.
    __device__ void read(const RowArguments &a, const Row row, const u32 first, const u32 end) {
        const i64 step = THREADS * a.in_step;
        const typename B::In *from = static_cast<const typename B::In *>(a.in) + row.in + (first + threadIdx.x) * a.in_step;
#pragma unroll
        for (u32 k = 0; k < EACH<B>; ++k, from += step) {
            const u32 i = k * THREADS + threadIdx.x;
            if (i < end - first) { at<typename B::In>(i) = *from; }
        }
        __syncthreads();
    }
    template <class T> __device__ void write(void *start, const RowArguments &a, const Row row, const u32 first, const u32 end) {
        __syncthreads();
        const i64 step = THREADS * a.out_step;
        T *to = static_cast<T *>(start) + row.out + (first + threadIdx.x) * a.out_step;
#pragma unroll
        for (u32 k = 0; k < EACH<B>; ++k, to += step) {
            const u32 i = k * THREADS + threadIdx.x;
            if (i < end - first) { *to = at<T>(i); }
        }
        __syncthreads();
    }
};

// What a thread's neighbours make, each with those before it.
template <class B> DEVICE typename B::Acc scan_own(Tile<B> &tile, const u32 first, const u32 end, typename B::Acc *own) {
    typename B::Acc folded = B::begin();
#pragma unroll
    for (u32 k = 0; k < EACH<B>; ++k) {
        const u32 i = threadIdx.x * EACH<B> + k;
        if (first + i < end) { folded = B::combine(folded, B::element(tile.template at<typename B::In>(i), first + i)); }
        own[k] = folded;
    }
    return folded;
}

// What a thread and those before it in its warp have; what whole warps have is in `shared`.
template <class B> DEVICE typename B::Acc scan_warp(typename B::Acc *shared, typename B::Acc own) {
    const u32 lane = threadIdx.x % WARP;
#pragma unroll
    for (u32 step = 1; step < WARP; step *= 2) {
        const typename B::Acc before = of_thread(own, lane - step);
        if (lane >= step) { own = B::combine(before, own); }
    }
    share(shared, own, WARP - 1);
    return own;
}

// What each part of each row makes: a block does one.
template <class B> DEVICE void scan_totals(const RowArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[WARPS];
    __shared__ Tile<B> tile;
    const u32 groups = a.rows * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 i = group / a.parts, begin = (group - i * a.parts) * a.chunk, rest = a.count - begin;
        const u32 end = begin + (rest < a.chunk ? rest : a.chunk);
        const Row row = Row::of(a, i);
        Acc folded = B::begin(), own[EACH<B>];
        for (u32 first = begin; first < end; first += Tile<B>::SIZE) {
            tile.read(a, row, first, end);
            scan_warp<B>(shared, scan_own<B>(tile, first, end, own));
#pragma unroll
            for (u32 warp = 0; warp < WARPS; ++warp) { folded = B::combine(folded, shared[warp]); }
            __syncthreads();
        }
        if (threadIdx.x == 0) { static_cast<Acc *>(a.totals)[group] = folded; }
    }
}

// All results of each part of each row, after what the parts before it made: a block does one.
template <class B> DEVICE void scan_together(const RowArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[WARPS];
    __shared__ Tile<B> tile;
    const u32 thread = threadIdx.x, groups = a.rows * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 i = group / a.parts, part = group - i * a.parts, begin = part * a.chunk, rest = a.count - begin;
        const u32 end = begin + (rest < a.chunk ? rest : a.chunk);
        const Row row = Row::of(a, i);
        Acc folded = B::begin(), own[EACH<B>];
#pragma unroll 1
        for (u32 earlier = 0; earlier < part; ++earlier) { folded = B::combine(folded, static_cast<const Acc *>(a.totals)[i * a.parts + earlier]); }
        for (u32 first = begin; first < end; first += Tile<B>::SIZE) {
            tile.read(a, row, first, end);
            const Acc before = of_thread(scan_warp<B>(shared, scan_own<B>(tile, first, end, own)), thread % WARP - 1);
            Acc left = folded;
#pragma unroll
            for (u32 warp = 0; warp < WARPS; ++warp) {
                if (warp < thread / WARP) { left = B::combine(left, shared[warp]); }
                folded = B::combine(folded, shared[warp]);
            }
            if (thread % WARP > 0) { left = B::combine(left, before); }
#pragma unroll
            for (u32 k = 0; k < EACH<B>; ++k) {
                own[k] = B::combine(left, own[k]);
                tile.template at<typename B::Out>(thread * EACH<B> + k) = B::value(own[k]);
            }
            tile.template write<typename B::Out>(a.out, a, row, first, end);
            if constexpr (B::places) {
#pragma unroll
                for (u32 k = 0; k < EACH<B>; ++k) { tile.template at<i64>(thread * EACH<B> + k) = B::place(own[k]); }
                tile.template write<i64>(a.places, a, row, first, end);
            }
        }
    }
}

#define SCANS(symbol, B) \
    ENTRY(symbol##__each, RowArguments, (scan_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, RowArguments, (scan_together<B>(a))) \
    ENTRY_TOGETHER(symbol##__totals, RowArguments, (scan_totals<B>(a)))

// ---- Softmax, of numbers T.

// What the threads of a warp have, or of the block, as `B` combines it, for each of them.
template <class B, u32 LANES, class T> DEVICE T folded_by(T *shared, const T own) {
    const T of_warp = fold_warp<B>(own);
    if constexpr (LANES == WARP) { return of_thread(of_warp, 0); }
    else {
        share(shared, of_warp, 0);
        T folded = shared[0];
#pragma unroll
        for (u32 warp = 1; warp < WARPS; ++warp) { folded = B::combine(folded, shared[warp]); }
        // Nobody begins the next before all have read this one.
        __syncthreads();
        return folded;
    }
}

// The largest number: a NaN makes no number but NaN of a row anyway.
struct Largest {
    template <class T> DEVICE T combine(const T x, const T y) { return x < y ? y : x; }
};

// What an element counts for in the sum of its row; what it becomes is its result but for what is the row's.
struct Softmax {
    template <class T> DEVICE T weight(T &x, const T most) { return x = exp(x - most); }
    template <class T> DEVICE T of_row(const f64 sum) { return (T)(1.0 / sum); }
    template <class T> DEVICE T result(const T x, const T row) { return x * row; }
};
struct LogSoftmax {
    template <class T> DEVICE T weight(T &x, const T most) { return exp(x = x - most); }
    template <class T> DEVICE T of_row(const f64 sum) { return (T)ln(sum); }
    template <class T> DEVICE T result(const T x, const T row) { return x - row; }
};

template <class B> DEVICE void softmax_each(const RowArguments &a) {
    typedef typename B::T T;
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows; i += threads) {
        const Row row = Row::of(a, i);
        T most = lowest<T>();
        f64 sum = 0;
        for (u32 j = 0; j < a.count; ++j) { most = Largest::combine<T>(most, cast<T>(row_element<B>(a, row, j))); }
        for (u32 j = 0; j < a.count; ++j) {
            T x = cast<T>(row_element<B>(a, row, j));
            sum += (f64)B::Share::template weight<T>(x, most);
        }
        const T of_row = B::Share::template of_row<T>(sum);
        for (u32 j = 0; j < a.count; ++j) {
            T x = cast<T>(row_element<B>(a, row, j));
            B::Share::template weight<T>(x, most);
            B::put(a, row.out + j * a.out_step, B::Share::template result<T>(x, of_row));
        }
    }
}

// A row of which each of some threads keeps at most HELD elements, which are read once. All threads of a block come here together, though a
// warp may have no row. A thread that has fewer elements has the least there is in their place, which weighs nothing.
template <class B, u32 LANES, u32 HELD> DEVICE void softmax_held(const RowArguments &a, const u32 own_row, typename B::T *greatest, f64 *sums) {
    typedef typename B::T T;
    T own[HELD], most = lowest<T>();
    f64 sum = 0;
    const u32 lane = threadIdx.x % LANES, count = own_row < a.rows ? a.count : 0;
    const Row row = Row::of(a, own_row);
    const typename B::In *from = static_cast<const typename B::In *>(a.in) + row.in + lane * a.in_step;
    typename B::Out *to = static_cast<typename B::Out *>(a.out) + row.out + lane * a.out_step;
    // Side by side, an element's place needs no computing.
    const bool beside = a.in_step == 1 && a.out_step == 1;
    const i64 in_step = LANES * a.in_step, out_step = LANES * a.out_step;
#pragma unroll
    for (u32 k = 0; k < HELD; ++k) { own[k] = k * LANES + lane < count ? cast<T>(beside ? from[k * LANES] : from[k * in_step]) : lowest<T>(); }
#pragma unroll
    for (u32 k = 0; k < HELD; ++k) { most = Largest::combine<T>(most, own[k]); }
    most = folded_by<Largest, LANES>(greatest, most);
#pragma unroll
    for (u32 k = 0; k < HELD; ++k) { sum += (f64)B::Share::template weight<T>(own[k], most); }
    const T of_row = B::Share::template of_row<T>(folded_by<Sum, LANES>(sums, sum));
#pragma unroll
    for (u32 k = 0; k < HELD; ++k) {
        if (k * LANES + lane < count) { (beside ? to[k * LANES] : to[k * out_step]) = cast<typename B::Out>(B::Share::template result<T>(own[k], of_row)); }
    }
}

// Rows that a block does together, or each warp for itself.
template <class B, u32 LANES, u32 HELD> DEVICE void softmax_rows(const RowArguments &a, typename B::T *greatest, f64 *sums) {
    constexpr u32 ROWS = THREADS / LANES;
    for (u32 first = blockIdx.x * ROWS; first < a.rows; first += gridDim.x * ROWS) {
        softmax_held<B, LANES, HELD>(a, first + threadIdx.x / LANES, greatest, sums);
    }
}

template <class B> DEVICE void softmax_together(const RowArguments &a) {
    typedef typename B::T T;
    __shared__ T greatest[WARPS];
    __shared__ f64 sums[WARPS];
    if (a.count <= 8 * WARP) { return softmax_rows<B, WARP, 8>(a, greatest, sums); }
    if (a.count <= 4 * THREADS) { return softmax_rows<B, THREADS, 4>(a, greatest, sums); }
    if (a.count <= 16 * THREADS) { return softmax_rows<B, THREADS, 16>(a, greatest, sums); }
    for (u32 i = blockIdx.x; i < a.rows; i += gridDim.x) {
        const Row row = Row::of(a, i);
        T most = lowest<T>();
        f64 sum = 0;
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) { most = Largest::combine<T>(most, cast<T>(row_element<B>(a, row, j))); }
        most = folded_by<Largest, THREADS>(greatest, most);
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) {
            T x = cast<T>(row_element<B>(a, row, j));
            sum += (f64)B::Share::template weight<T>(x, most);
        }
        const T of_row = B::Share::template of_row<T>(folded_by<Sum, THREADS>(sums, sum));
        for (u32 j = threadIdx.x; j < a.count; j += THREADS) {
            T x = cast<T>(row_element<B>(a, row, j));
            B::Share::template weight<T>(x, most);
            B::put(a, row.out + j * a.out_step, B::Share::template result<T>(x, of_row));
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
    __shared__ u32 counts[256], places[WARPS];
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
        first = folded_by<Least, THREADS>(places, first);
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
            first = folded_by<Least, THREADS>(places, first);
        }
        if (thread == 0) { put_median<B>(a, row, first); }
        __syncthreads();
    }
}

#define MEDIAN(symbol, B) \
    ENTRY(symbol##__each, RowArguments, (median_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, RowArguments, (median_together<B>(a)))
// A stable order of the elements of rows. Elements become keys, whole numbers that compare as they do, which are sorted by digits from the
// lowest on, their places beside them. Short rows are sorted where a block keeps them; long ones go over memory, once for each byte.

// What a thread has of the keys that a block keeps, and the values of a byte.
constexpr u32 OWN = 8, KEPT = OWN * THREADS, BYTES = 256, HALF = 16;
static_assert(BYTES == THREADS, "a thread for each value");

// Counts are added.
struct Counts {
    typedef u32 Acc;
    DEVICE u32 combine(const u32 x, const u32 y) { return x + y; }
};

// The sum of what the threads before this one have; `all` is what all have.
DEVICE u32 sum_before(u32 *shared, const u32 own, u32 &all) {
    const u32 warp = threadIdx.x / WARP, sum = scan_warp<Counts>(shared, own);
    u32 before = 0;
    all = 0;
#pragma unroll
    for (u32 other = 0; other < WARPS; ++other) {
        if (other < warp) { before += shared[other]; }
        all += shared[other];
    }
    // Nobody begins the next before all have read this one.
    __syncthreads();
    return before + sum - own;
}

// The keys that a block keeps. Places are free between them, so that a warp finds neighbours in as many banks.
template <class K> struct Keys {
    K keys[KEPT + KEPT / OWN];
    u32 places[KEPT + KEPT / OWN], counts[HALF * THREADS + THREADS], warps[WARPS];

    __device__ K &key(const u32 i) { return keys[i + i / OWN]; }
    __device__ u32 &place(const u32 i) { return places[i + i / OWN]; }
    __device__ u32 &count(const u32 i) { return counts[i + i / HALF]; }
    // What isn't there has the greatest key, behind all others that have it.
    __device__ void put(const u32 i, const bool there, const K own, const u32 at) {
        key(i) = there ? own : (K)~(K)0;
        place(i) = at;
    }
    // Sorts by four bits: each thread counts what its own neighbours have.
    __device__ void sort(const u32 shift) {
        const u32 thread = threadIdx.x;
        K own[OWN];
        u32 at[OWN], sum = 0, all;
        for (u32 half = 0; half < HALF; ++half) { count(half * THREADS + thread) = 0; }
#pragma unroll
        for (u32 k = 0; k < OWN; ++k) {
            own[k] = key(thread * OWN + k), at[k] = place(thread * OWN + k);
            ++count((u32)(own[k] >> shift) % HALF * THREADS + thread);
        }
        __syncthreads();
        for (u32 k = 0; k < HALF; ++k) { sum += count(thread * HALF + k); }
        u32 before = sum_before(warps, sum, all);
        for (u32 k = 0; k < HALF; ++k) {
            const u32 found = count(thread * HALF + k);
            count(thread * HALF + k) = before, before += found;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < OWN; ++k) {
            const u32 to = count((u32)(own[k] >> shift) % HALF * THREADS + thread)++;
            key(to) = own[k], place(to) = at[k];
        }
        __syncthreads();
    }
};

// ---- One byte of the keys of rows that lie one after the other, each in some parts.

struct RadixArguments {
    u32 rows, count, parts, chunk, shift;
    const void *keys;
    const u32 *places;
    void *keys_to;
    u32 *places_to, *counts;
};

// A part of a row: where it lies, and where its counts do.
struct RadixPart {
    i64 row, counts;
    u32 first, end;
    DEVICE RadixPart of(const RadixArguments &a, const u32 group) {
        const u32 row = group / a.parts, part = group - row * a.parts, first = part * a.chunk, rest = a.count - first;
        return RadixPart{(i64)row * a.count, (i64)row * BYTES * a.parts + part, first, first + (rest < a.chunk ? rest : a.chunk)};
    }
};

// How often each value is there.
template <class K> DEVICE void radix_counts(const RadixArguments &a) {
    __shared__ u32 counts[BYTES];
    const u32 thread = threadIdx.x;
    for (u32 group = blockIdx.x; group < a.rows * a.parts; group += gridDim.x) {
        const RadixPart part = RadixPart::of(a, group);
        const K *keys = static_cast<const K *>(a.keys) + part.row;
        counts[thread] = 0;
        __syncthreads();
        for (u32 i = part.first + thread; i < part.end; i += THREADS) { atomicAdd(&counts[(u32)(keys[i] >> a.shift) % BYTES], 1u); }
        __syncthreads();
        a.counts[part.counts + (i64)thread * a.parts] = counts[thread];
    }
}

// Where the first of each value of each part goes in its row.
DEVICE void radix_starts(const RadixArguments &a) {
    __shared__ u32 warps[WARPS];
    const u32 total = BYTES * a.parts;
    for (u32 row = blockIdx.x; row < a.rows; row += gridDim.x) {
        u32 *counts = a.counts + (i64)row * total, before = 0;
        for (u32 first = 0; first < total; first += KEPT) {
            u32 own[OWN], sum = 0, all;
#pragma unroll
            for (u32 k = 0; k < OWN; ++k) {
                const u32 i = first + threadIdx.x * OWN + k;
                own[k] = i < total ? counts[i] : 0, sum += own[k];
            }
            u32 start = before + sum_before(warps, sum, all);
#pragma unroll
            for (u32 k = 0; k < OWN; ++k) {
                const u32 i = first + threadIdx.x * OWN + k;
                if (i < total) { counts[i] = start; }
                start += own[k];
            }
            before += all;
        }
    }
}

// Keys go where they belong; those of a value lie side by side, since a block has sorted what it keeps.
template <class K> DEVICE void radix_spread(const RadixArguments &a) {
    __shared__ Keys<K> kept;
    __shared__ u32 next[BYTES], base[BYTES];
    const u32 thread = threadIdx.x;
    for (u32 group = blockIdx.x; group < a.rows * a.parts; group += gridDim.x) {
        const RadixPart part = RadixPart::of(a, group);
        const K *keys = static_cast<const K *>(a.keys) + part.row;
        const u32 *places = a.places + part.row;
        K *keys_to = static_cast<K *>(a.keys_to) + part.row;
        u32 *places_to = a.places_to + part.row;
        next[thread] = a.counts[part.counts + (i64)thread * a.parts];
        for (u32 first = part.first; first < part.end; first += KEPT) {
            const u32 len = part.end - first < KEPT ? part.end - first : KEPT;
            for (u32 i = thread; i < KEPT; i += THREADS) {
                kept.put(i, i < len, i < len ? keys[first + i] : 0, i < len ? places[first + i] : 0);
            }
            __syncthreads();
            kept.sort(a.shift), kept.sort(a.shift + 4);
            for (u32 i = thread; i < len; i += THREADS) {
                const u32 byte = (u32)(kept.key(i) >> a.shift) % BYTES;
                if (i == 0 || (u32)(kept.key(i - 1) >> a.shift) % BYTES != byte) { base[byte] = next[byte] - i; }
            }
            __syncthreads();
            for (u32 i = thread; i < len; i += THREADS) {
                const u32 byte = (u32)(kept.key(i) >> a.shift) % BYTES, to = base[byte] + i;
                keys_to[to] = kept.key(i), places_to[to] = kept.place(i);
                if (i + 1 == len || (u32)(kept.key(i + 1) >> a.shift) % BYTES != byte) { next[byte] = to + 1; }
            }
            __syncthreads();
        }
    }
}

#define RADIX(symbol, K) \
    ENTRY_TOGETHER(symbol##__counts, RadixArguments, (radix_counts<K>(a))) \
    ENTRY_TOGETHER(symbol##__starts, RadixArguments, (radix_starts(a))) \
    ENTRY_TOGETHER(symbol##__spread, RadixArguments, (radix_spread<K>(a)))

// ---- Rows of a tensor, of which the first results in the order are wanted.

struct SortArguments {
    RowArguments rows;
    u32 results, descending;
    void *keys;
    u32 *order;
};

// A NaN is the largest whatever its bits are.
template <class In> DEVICE u64 bits_in_order(const In x) {
    if constexpr (same<In, bool8>) { return x.byte != 0; }
    else if constexpr (is_narrow<In>) {
        const f32 wide = widen(x);
        const u32 bits = wide == 0 ? 0 : x.bits;
        return wide != wide ? 0xffff : bits & 0x8000 ? ~bits & 0xffff : bits | 0x8000;
    } else { return x != x ? ~0ull : in_order(x); }
}

template <class B> DEVICE typename B::Key sort_key(const SortArguments &a, const Row row, const u32 j) {
    const typename B::Key key = (typename B::Key)bits_in_order(row_element<B>(a.rows, row, j));
    return a.descending ? (typename B::Key)~key : key;
}

template <class B> DEVICE void put_sorted(const SortArguments &a, const Row row, const u32 rank, const u32 j) {
    if (rank >= a.results) { return; }
    const i64 at = row.out + rank * a.rows.out_step;
    static_cast<typename B::In *>(a.rows.out)[at] = row_element<B>(a.rows, row, j);
    static_cast<i64 *>(a.rows.places)[at] = j;
}

// For each element of a few how many come before it.
template <class B> DEVICE void sort_each(const SortArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, count = a.rows.count;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows.rows * count; i += threads) {
        const u32 number = i / count, j = i - number * count;
        const Row row = Row::of(a.rows, number);
        const typename B::Key own = sort_key<B>(a, row, j);
        u32 rank = 0;
        for (u32 k = 0; k < count; ++k) {
            const typename B::Key other = sort_key<B>(a, row, k);
            rank += other < own || (other == own && k < j);
        }
        put_sorted<B>(a, row, rank, j);
    }
}

template <class B> DEVICE void sort_together(const SortArguments &a) {
    __shared__ Keys<typename B::Key> kept;
    const u32 thread = threadIdx.x, count = a.rows.count;
    for (u32 number = blockIdx.x; number < a.rows.rows; number += gridDim.x) {
        const Row row = Row::of(a.rows, number);
        for (u32 i = thread; i < KEPT; i += THREADS) { kept.put(i, i < count, i < count ? sort_key<B>(a, row, i) : 0, i); }
        __syncthreads();
        for (u32 shift = 0; shift < 8 * sizeof(typename B::In); shift += 4) { kept.sort(shift); }
        for (u32 i = thread; i < count; i += THREADS) { put_sorted<B>(a, row, i, kept.place(i)); }
        __syncthreads();
    }
}

template <class B> DEVICE void sort_keys(const SortArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, count = a.rows.count;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows.rows * count; i += threads) {
        const u32 number = i / count, j = i - number * count;
        static_cast<typename B::Key *>(a.keys)[i] = sort_key<B>(a, Row::of(a.rows, number), j);
        a.order[i] = j;
    }
}

template <class B> DEVICE void sort_found(const SortArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows.rows * a.results; i += threads) {
        const u32 number = i / a.results, rank = i - number * a.results;
        put_sorted<B>(a, Row::of(a.rows, number), rank, a.order[(i64)number * a.rows.count + rank]);
    }
}

#define SORT(symbol, B) \
    ENTRY(symbol##__each, SortArguments, (sort_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, SortArguments, (sort_together<B>(a))) \
    ENTRY(symbol##__keys, SortArguments, (sort_keys<B>(a))) \
    ENTRY(symbol##__found, SortArguments, (sort_found<B>(a)))
struct sort__bf16 {
    typedef bf16 In;
    typedef u32 Key;
};
SORT(sort__bf16, sort__bf16)
} // namespace latten
