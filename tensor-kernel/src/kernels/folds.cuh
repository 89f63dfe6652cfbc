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
