// A stable order of the elements of rows. Elements become keys, whole numbers that compare as they do, which are sorted by bytes from the
// lowest on, their places beside them. Short rows are sorted where a block keeps them; long ones go over memory, once for each byte. Where
// few of many are wanted, the last of them is found byte by byte from the top, and those before it are compared with each other.

// The values of a byte, and what a thread has at most of the keys that a block sorts: of short rows, and of parts of long ones.
constexpr u32 BYTES = 256, OWN = 8, OWN_LONG = 16;
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

// Which threads of the warp have the same byte.
DEVICE u32 threads_with(const u32 byte) {
    u32 found = ~0u;
#pragma unroll
    for (u32 bit = 1; bit < BYTES; bit *= 2) {
        const u32 set = __ballot_sync(~0u, (byte & bit) != 0);
        found &= byte & bit ? set : ~set;
    }
    return found;
}

// Counts the bytes of a warp; what most of them have costs one addition.
DEVICE void count_byte(u32 *counts, const bool there, const u32 byte) {
    const u32 first = __shfl_sync(~0u, byte, 0), alike = __ballot_sync(~0u, there && byte == first);
    if (threadIdx.x % WARP == 0) { atomicAdd(&counts[first], (u32)__popc(alike)); }
    if (there && byte != first) { atomicAdd(&counts[byte], 1u); }
}

// Where the keys of a block go that are sorted by a byte. Those of a warp lie one after the other, `each` times as many as it has threads.
struct Ranks {
    u32 of_warps[WARPS * BYTES], warps[WARPS];

    // The rank of each key, of which `bytes` has the byte. Gives where the thread's own value of a byte begins, and how many have it.
    template <u32 MOST> __device__ void find(const u32 (&bytes)[MOST], const u32 each, u32 (&ranks)[MOST], u32 &start, u32 &count) {
        const u32 thread = threadIdx.x, lane = thread % WARP;
        u32 *counts = of_warps + thread / WARP * BYTES, all;
        for (u32 warp = 0; warp < WARPS; ++warp) { of_warps[warp * BYTES + thread] = 0; }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < MOST; ++k) {
            if (k >= each) { break; }
            const u32 alike = threads_with(bytes[k]), before = (u32)__popc(alike & ((1u << lane) - 1));
            // The first of those that have a byte counts all of them.
            u32 first = 0;
            if (before == 0) { first = counts[bytes[k]], counts[bytes[k]] = first + (u32)__popc(alike); }
            ranks[k] = __shfl_sync(~0u, first, __ffs((int)alike) - 1) + before;
            __syncwarp();
        }
        __syncthreads();
        count = 0;
        for (u32 warp = 0; warp < WARPS; ++warp) {
            const u32 found = of_warps[warp * BYTES + thread];
            of_warps[warp * BYTES + thread] = count, count += found;
        }
        start = sum_before(warps, count, all);
        for (u32 warp = 0; warp < WARPS; ++warp) { of_warps[warp * BYTES + thread] += start; }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < MOST; ++k) {
            if (k < each) { ranks[k] += counts[bytes[k]]; }
        }
    }
};

// The number of a key of a thread among those of its block.
DEVICE u32 key_number(const u32 each, const u32 k) { return threadIdx.x / WARP * WARP * each + k * WARP + threadIdx.x % WARP; }

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
    template <class A> DEVICE RadixPart of(const A &a, const u32 group) {
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
#pragma unroll 8
        for (u32 i = part.first; i < part.end; i += THREADS) {
            const bool there = i + thread < part.end;
            count_byte(counts, there, there ? (u32)(keys[i + thread] >> a.shift) % BYTES : 0);
        }
        __syncthreads();
        a.counts[part.counts + (i64)thread * a.parts] = counts[thread];
    }
}

// How many of a value are in the parts before each, and in all: a thread for each value where there are few parts, else a block.
DEVICE void radix_starts(const RadixArguments &a) {
    __shared__ u32 warps[WARPS];
    const u32 values = a.rows * BYTES, thread = threadIdx.x;
    u32 *totals = a.counts + (i64)values * a.parts;
    if (a.parts <= WARP) {
        for (u32 value = blockIdx.x * THREADS + thread; value < values; value += gridDim.x * THREADS) {
            u32 *counts = a.counts + (i64)value * a.parts, before = 0;
            for (u32 part = 0; part < a.parts; ++part) {
                const u32 found = counts[part];
                counts[part] = before, before += found;
            }
            totals[value] = before;
        }
        return;
    }
    for (u32 value = blockIdx.x; value < values; value += gridDim.x) {
        u32 *counts = a.counts + (i64)value * a.parts, before = 0, all;
        for (u32 first = 0; first < a.parts; first += THREADS) {
            const u32 part = first + thread, own = part < a.parts ? counts[part] : 0, start = before + sum_before(warps, own, all);
            if (part < a.parts) { counts[part] = start; }
            before += all;
        }
        if (thread == 0) { totals[value] = before; }
    }
}

// Keys go where they belong; those of a value lie side by side, since a block puts them in order first. Their places follow in the same room.
template <class K> DEVICE void radix_spread(const RadixArguments &a) {
    constexpr u32 TILE = OWN_LONG * THREADS;
    __shared__ K kept[TILE];
    __shared__ Ranks ranks;
    __shared__ u32 base[BYTES];
    u32 *kept_places = reinterpret_cast<u32 *>(kept);
    const u32 thread = threadIdx.x, values = a.rows * BYTES;
    for (u32 group = blockIdx.x; group < a.rows * a.parts; group += gridDim.x) {
        const RadixPart part = RadixPart::of(a, group);
        const K *keys = static_cast<const K *>(a.keys) + part.row;
        const u32 *places = a.places + part.row;
        K *keys_to = static_cast<K *>(a.keys_to) + part.row;
        u32 *places_to = a.places_to + part.row, all;
        const u32 total = a.counts[(i64)values * a.parts + group / a.parts * BYTES + thread];
        u32 next = a.counts[part.counts + (i64)thread * a.parts] + sum_before(ranks.warps, total, all);
        for (u32 first = part.first; first < part.end; first += TILE) {
            const u32 len = part.end - first < TILE ? part.end - first : TILE, each = (len + THREADS - 1) / THREADS;
            K own[OWN_LONG];
            u32 at[OWN_LONG], bytes[OWN_LONG], found[OWN_LONG], start, count;
            // What isn't there has the greatest key, behind all others that have it.
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) {
                const u32 i = key_number(each, k);
                const bool there = k < each && i < len;
                own[k] = there ? keys[first + i] : (K)~(K)0, at[k] = there ? places[first + i] : 0;
            }
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) { bytes[k] = (u32)(own[k] >> a.shift) % BYTES; }
            ranks.find(bytes, each, found, start, count);
            base[thread] = next - start, next += count;
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) {
                if (k < each) { kept[found[k]] = own[k]; }
            }
            __syncthreads();
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) {
                const u32 i = k * THREADS + thread;
                if (i < len) {
                    const K key = kept[i];
                    bytes[k] = base[(u32)(key >> a.shift) % BYTES] + i, keys_to[bytes[k]] = key;
                }
            }
            __syncthreads();
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) {
                if (k < each) { kept_places[found[k]] = at[k]; }
            }
            __syncthreads();
#pragma unroll
            for (u32 k = 0; k < OWN_LONG; ++k) {
                const u32 i = k * THREADS + thread;
                if (i < len) { places_to[bytes[k]] = kept_places[i]; }
            }
            __syncthreads();
        }
    }
}

// ---- The first few keys of rows: which key, and of equal ones which place, is the last of them.

// All of it begins as zero; `passed` come before those that agree with it.
struct Chosen {
    u64 key;
    u32 place, passed, taken, unused;
};

struct SelectArguments {
    u32 rows, count, parts, chunk, shift, of_places, results;
    const void *keys;
    void *keys_to;
    u32 *places_to, *counts;
    Chosen *chosen;
};

// How often each next byte is there among what agrees with what is chosen.
template <class K> DEVICE void select_counts(const SelectArguments &a) {
    __shared__ u32 counts[BYTES];
    const u32 thread = threadIdx.x;
    for (u32 group = blockIdx.x; group < a.rows * a.parts; group += gridDim.x) {
        const RadixPart part = RadixPart::of(a, group);
        const u32 row = group / a.parts;
        const K *keys = static_cast<const K *>(a.keys) + part.row;
        const u64 key = a.chosen[row].key, agreed = a.of_places ? a.chosen[row].place : key;
        counts[thread] = 0;
        __syncthreads();
#pragma unroll 8
        for (u32 first = part.first; first < part.end; first += THREADS) {
            const u32 i = first + thread;
            const u64 own = i < part.end ? keys[i] : 0, bits = a.of_places ? i : own;
            const bool there = i < part.end && (!a.of_places || own == key) && (bits ^ agreed) >> a.shift < BYTES;
            count_byte(counts, there, (u32)(bits >> a.shift) % BYTES);
        }
        __syncthreads();
        if (counts[thread] > 0) { atomicAdd(&a.counts[row * BYTES + thread], counts[thread]); }
        __syncthreads();
    }
}

// Which byte the last of those wanted has; a block for each row.
DEVICE void select_byte(const SelectArguments &a) {
    __shared__ u32 warps[WARPS];
    const u32 thread = threadIdx.x;
    for (u32 row = blockIdx.x; row < a.rows; row += gridDim.x) {
        u32 *counts = a.counts + row * BYTES, all;
        const u32 own = counts[thread], before = sum_before(warps, own, all), passed = a.chosen[row].passed, left = a.results - 1 - passed;
        counts[thread] = 0;
        __syncthreads();
        if (before <= left && left - before < own) {
            a.chosen[row].passed = passed + before;
            if (a.of_places) { a.chosen[row].place |= thread << a.shift; }
            else { a.chosen[row].key |= (u64)thread << a.shift; }
        }
    }
}

template <class K> DEVICE void select_taken(const SelectArguments &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows * a.count; i += threads) {
        const u32 row = i / a.count, j = i - row * a.count;
        const K key = static_cast<const K *>(a.keys)[i];
        Chosen &chosen = a.chosen[row];
        if (key < chosen.key || (key == chosen.key && j <= chosen.place)) {
            const i64 to = (i64)row * a.results + atomicAdd(&chosen.taken, 1u);
            static_cast<K *>(a.keys_to)[to] = key, a.places_to[to] = j;
        }
    }
}

#define RADIX(symbol, K) \
    ENTRY_TOGETHER(symbol##__counts, RadixArguments, (radix_counts<K>(a))) \
    ENTRY_TOGETHER(symbol##__starts, RadixArguments, (radix_starts(a))) \
    ENTRY_TOGETHER(symbol##__spread, RadixArguments, (radix_spread<K>(a))) \
    ENTRY_TOGETHER(symbol##__select_counts, SelectArguments, (select_counts<K>(a))) \
    ENTRY_TOGETHER(symbol##__select_byte, SelectArguments, (select_byte(a))) \
    ENTRY(symbol##__select_taken, SelectArguments, (select_taken<K>(a)))

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
    typedef typename B::Key K;
    __shared__ K kept[OWN * THREADS];
    __shared__ u32 kept_places[OWN * THREADS];
    __shared__ Ranks ranks;
    const u32 count = a.rows.count, each = (count + THREADS - 1) / THREADS;
    for (u32 number = blockIdx.x; number < a.rows.rows; number += gridDim.x) {
        const Row row = Row::of(a.rows, number);
        K own[OWN];
        u32 at[OWN], bytes[OWN], found[OWN], start, all;
        // What isn't there has the greatest key, behind all others that have it.
#pragma unroll
        for (u32 k = 0; k < OWN; ++k) {
            const u32 j = key_number(each, k);
            if (k < each) { own[k] = j < count ? sort_key<B>(a, row, j) : (K)~(K)0, at[k] = j; }
        }
        for (u32 shift = 0; shift < 8 * sizeof(typename B::In); shift += 8) {
#pragma unroll
            for (u32 k = 0; k < OWN; ++k) { bytes[k] = k < each ? (u32)(own[k] >> shift) % BYTES : 0; }
            ranks.find(bytes, each, found, start, all);
#pragma unroll
            for (u32 k = 0; k < OWN; ++k) {
                if (k < each) { kept[found[k]] = own[k], kept_places[found[k]] = at[k]; }
            }
            __syncthreads();
#pragma unroll
            for (u32 k = 0; k < OWN; ++k) {
                if (k < each) { own[k] = kept[key_number(each, k)], at[k] = kept_places[key_number(each, k)]; }
            }
            __syncthreads();
        }
#pragma unroll
        for (u32 k = 0; k < OWN; ++k) {
            const u32 rank = key_number(each, k);
            if (k < each && rank < count) { put_sorted<B>(a, row, rank, at[k]); }
        }
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

// The chosen few of each row, compared with each other.
template <class B> DEVICE void sort_chosen(const SortArguments &a) {
    typedef typename B::Key K;
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.rows.rows * a.results; i += threads) {
        const u32 number = i / a.results;
        const K *keys = static_cast<const K *>(a.keys) + (i64)number * a.results;
        const u32 *order = a.order + (i64)number * a.results, own = i - number * a.results;
        const K key = keys[own];
        const u32 j = order[own];
        u32 rank = 0;
        for (u32 k = 0; k < a.results; ++k) { rank += keys[k] < key || (keys[k] == key && order[k] < j); }
        put_sorted<B>(a, Row::of(a.rows, number), rank, j);
    }
}

#define SORT(symbol, B) \
    ENTRY(symbol##__each, SortArguments, (sort_each<B>(a))) \
    ENTRY_TOGETHER(symbol##__together, SortArguments, (sort_together<B>(a))) \
    ENTRY(symbol##__keys, SortArguments, (sort_keys<B>(a))) \
    ENTRY(symbol##__found, SortArguments, (sort_found<B>(a))) \
    ENTRY(symbol##__chosen, SortArguments, (sort_chosen<B>(a)))
