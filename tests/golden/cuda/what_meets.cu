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
// Elements that meet at one place: what a sum, a product or an extreme makes of them and of what is there. They come in the order of their
// places, and those of one place in their own, so that one thread combines them as the CPU does, with its roundings.

struct MeetArguments {
    u32 count, parts, own, mean;
    void *far;
    const void *near;
    const u32 *places, *order;
};

template <class T> DEVICE T met_sum(const T x, const T y) {
    if constexpr (is_complex<T>) { return T{met_sum(x.re, y.re), met_sum(x.im, y.im)}; }
    else if constexpr (is_narrow<T>) { return cast<T>(widen(x) + widen(y)); }
    else { return add(x, y); }
}
template <class T> DEVICE T met_difference(const T x, const T y) {
    if constexpr (is_narrow<T>) { return cast<T>(widen(x) - widen(y)); }
    else { return sub(x, y); }
}
template <class T> DEVICE T met_product(const T x, const T y) {
    if constexpr (is_complex<T>) {
        return T{met_difference(met_product(x.re, y.re), met_product(x.im, y.im)), met_sum(met_product(x.re, y.im), met_product(x.im, y.re))};
    } else if constexpr (is_narrow<T>) { return cast<T>(widen(x) * widen(y)); }
    else { return mul(x, y); }
}
template <class T> DEVICE T met_share(const T x, const u32 count) {
    if constexpr (is_complex<T>) { return T{met_share(x.re, count), met_share(x.im, count)}; }
    else if constexpr (is_narrow<T>) { return cast<T>(widen(x) / (f32)count); }
    else if constexpr (is_float<T>) { return x / (T)count; }
    else {
        // Downwards, as PyTorch divides integers.
        const T y = (T)count;
        return rem(x, y) != 0 && (x < 0) != (y < 0) ? sub(div(x, y), (T)1) : div(x, y);
    }
}

// What begins a place where what is there doesn't count, and what changes no number at all, be it zero with a sign.
struct MetSum {
    template <class T> DEVICE T start() { return constant<T>(0.0); }
    template <class T> DEVICE T neutral() {
        if constexpr (is_complex<T>) { return T{neutral<part<T>>(), neutral<part<T>>()}; }
        else { return constant<T>(-0.0); }
    }
    template <class T> DEVICE T combine(const T x, const T y) { return met_sum(x, y); }
};
struct MetProduct {
    template <class T> DEVICE T start() { return constant<T>(1.0); }
    template <class T> DEVICE T neutral() { return start<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) { return met_product(x, y); }
};
template <bool GREATEST> struct MetExtreme {
    template <class T> DEVICE T start() {
        if constexpr (is_narrow<T>) { return cast<T>(start<f32>()); }
        else if constexpr (GREATEST) { return lowest<T>(); }
        else { return highest<T>(); }
    }
    template <class T> DEVICE T neutral() { return start<T>(); }
    template <class T> DEVICE T combine(const T x, const T y) {
        if constexpr (is_narrow<T>) { return cast<T>(combine(widen(x), widen(y))); }
        else { return (GREATEST ? y > x : y < x) || y != y ? y : x; }
    }
};
typedef MetExtreme<true> MetGreatest;
typedef MetExtreme<false> MetLeast;

// The first of those of a place does it. The CPU combines many for few places in parts, and these then: so does this.
template <class B, class T> DEVICE void meet(const MeetArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    T *far = static_cast<T *>(a.far);
    const T *near = static_cast<const T *>(a.near);
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        const u32 place = a.places[i];
        if (i > 0 && a.places[i - 1] == place) { continue; }
        T there = a.own ? far[place] : B::template start<T>();
        u32 k = i;
        if (a.parts == 0) {
            for (; k < a.count && a.places[k] == place; ++k) { there = B::template combine<T>(there, near[a.order[k]]); }
        }
        for (u32 part = 0; part < a.parts; ++part) {
            const u32 end = (u32)((u64)a.count * (part + 1) / a.parts);
            T some = B::template neutral<T>();
            for (; k < a.count && a.places[k] == place && a.order[k] < end; ++k) { some = B::template combine<T>(some, near[a.order[k]]); }
            there = B::template combine<T>(there, some);
        }
        far[place] = a.mean ? met_share(there, k - i + a.own) : there;
    }
}

#define MEET(symbol, B, T) ENTRY(symbol##__meet, MeetArguments, (meet<B, T>(a)))
MEET(meet_sum__bf16, MetSum, bf16)
MEET(meet_product__bf16, MetProduct, bf16)
MEET(meet_greatest__bf16, MetGreatest, bf16)
MEET(meet_least__bf16, MetLeast, bf16)
} // namespace latten
