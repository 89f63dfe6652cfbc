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
