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
