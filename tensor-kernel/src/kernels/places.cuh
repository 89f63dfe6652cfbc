// Elements at places that other tensors name, and the places of what is true. What moves are bytes of a size, whatever the dtype. Of several
// elements for one place the last stays, as on the CPU: each claims the place first, and only the one with the highest number is written.

constexpr int NAMED = RANK;

// `near` is walked over as it lies, `far` where the indices lead, in steps of elements. Indices are inside from `lowest` to `sizes`;
// negative ones count from the end.
struct PlaceArguments {
    u32 count, rank, named;
    void *near, *far;
    u32 *winners, *outside;
    i64 near_strides[RANK], far_strides[RANK];
    const i64 *indices[NAMED];
    i64 index_strides[NAMED][RANK];
    i64 lowest[NAMED], sizes[NAMED], steps[NAMED];
    Axis axes[RANK];
};

// Where element `i` is in both; false where an index is outside.
DEVICE bool placed(const PlaceArguments &a, const u32 i, i64 &near, i64 &far) {
    i64 offsets[NAMED] = {};
    near = far = 0;
    u32 rest = i;
    for (u32 dim = 0; dim < a.rank; ++dim) {
        const u32 above = (__umulhi(rest, a.axes[dim].magic) + rest) >> a.axes[dim].shift;
        const i64 at = rest - above * a.axes[dim].size;
        near += at * a.near_strides[dim];
        far += at * a.far_strides[dim];
#pragma unroll
        for (int k = 0; k < NAMED; ++k) {
            if (k < a.named) { offsets[k] += at * a.index_strides[k][dim]; }
        }
        rest = above;
    }
#pragma unroll
    for (int k = 0; k < NAMED; ++k) {
        if (k < a.named) {
            const i64 index = a.indices[k][offsets[k]];
            if (index < a.lowest[k] || index >= a.sizes[k]) { return false; }
            far += (index < 0 ? index + a.sizes[k] : index) * a.steps[k];
        }
    }
    return true;
}

template <class T> DEVICE void pick(const PlaceArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 near, far;
        if (placed(a, i, near, far)) { static_cast<T *>(a.near)[near] = static_cast<const T *>(a.far)[far]; }
        else { *a.outside = 1; }
    }
}

DEVICE void claim(const PlaceArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 near, far;
        if (placed(a, i, near, far)) { atomicMax(a.winners + far, i + 1); }
        else { *a.outside = 1; }
    }
}

template <class T> DEVICE void put(const PlaceArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 near, far;
        if (placed(a, i, near, far) && a.winners[far] == i + 1) { static_cast<T *>(a.far)[far] = static_cast<const T *>(a.near)[near]; }
    }
}

// Where indices lead, and the number of each element.
DEVICE void lead(const PlaceArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 near, far = 0;
        if (!placed(a, i, near, far)) { *a.outside = 1; }
        static_cast<u32 *>(a.near)[i] = (u32)far, a.winners[i] = i;
    }
}

#define PLACES(symbol, T) \
    ENTRY(symbol##__pick, PlaceArguments, (pick<T>(a))) \
    ENTRY(symbol##__claim, PlaceArguments, (claim(a))) \
    ENTRY(symbol##__put, PlaceArguments, (put<T>(a))) \
    ENTRY(symbol##__lead, PlaceArguments, (lead(a)))

// Truths in row-major order, so many for each thread: how many hold, and their coordinates, those along one dimension side by side.
struct TruthArguments {
    u32 count, chunk, rank, total;
    const u8 *in;
    u32 *counts;
    i64 *out;
    Axis axes[RANK];
};

DEVICE void count_truths(const TruthArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, chunks = (a.count + a.chunk - 1) / a.chunk;
    for (u32 chunk = blockIdx.x * blockDim.x + threadIdx.x; chunk < chunks; chunk += threads) {
        const u32 first = chunk * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        u32 found = 0;
        for (u32 i = first; i < end; ++i) { found += a.in[i] != 0; }
        a.counts[chunk] = found;
    }
}

// `counts` says how many come before those of each thread now.
DEVICE void write_truths(const TruthArguments &a) {
    const u32 threads = gridDim.x * blockDim.x, chunks = (a.count + a.chunk - 1) / a.chunk;
    for (u32 chunk = blockIdx.x * blockDim.x + threadIdx.x; chunk < chunks; chunk += threads) {
        const u32 first = chunk * a.chunk, rest = a.count - first, end = first + (rest < a.chunk ? rest : a.chunk);
        u32 row = a.counts[chunk];
        for (u32 i = first; i < end; ++i) {
            if (a.in[i] == 0) { continue; }
            u32 left = i;
            for (u32 dim = 0; dim < a.rank; ++dim) {
                const u32 above = (__umulhi(left, a.axes[dim].magic) + left) >> a.axes[dim].shift;
                a.out[(i64)(a.rank - 1 - dim) * a.total + row] = left - above * a.axes[dim].size;
                left = above;
            }
            ++row;
        }
    }
}

#define TRUTHS(symbol) \
    ENTRY(symbol##__count, TruthArguments, (count_truths(a))) \
    ENTRY(symbol##__write, TruthArguments, (write_truths(a)))
