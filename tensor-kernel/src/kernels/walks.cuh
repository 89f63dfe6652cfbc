// ---- Elements in memory.

// A number that a kernel is given by value; it begins with the bytes of its type.
struct alignas(16) Number { u64 words[2]; };
template <class T> DEVICE T number(const Number &number) {
    if constexpr (same<T, bool>) { return (number.words[0] & 255) != 0; }
    else { return *reinterpret_cast<const T *>(&number); }
}

template <class T, int V> struct alignas(sizeof(T) * V) Pack { T at[V]; };

// The place of an element in the result. It isn't in memory: the address of an operand of places is the first of them.
struct place { i64 number; };

// V elements from `offset` on, which is a multiple of V; or one element, V times.
template <class T, int V> DEVICE Pack<T, V> load(const void *start, const i64 offset, const bool packed) {
    if constexpr (same<T, place>) {
        Pack<T, V> places;
#pragma unroll
        for (int i = 0; i < V; ++i) { places.at[i] = place{(i64)start + offset + (packed ? i : 0)}; }
        return places;
    } else {
        const T *from = static_cast<const T *>(start) + offset;
        if constexpr (V > 1) {
            if (packed) { return *reinterpret_cast<const Pack<T, V> *>(from); }
        }
        const T element = *from;
        Pack<T, V> pack;
#pragma unroll
        for (int i = 0; i < V; ++i) { pack.at[i] = element; }
        return pack;
    }
}
template <class T, int V> DEVICE void store(void *start, const i64 offset, const Pack<T, V> pack) {
    *reinterpret_cast<Pack<T, V> *>(static_cast<T *>(start) + offset) = pack;
}

// ---- Walks over elements. `B` is the body of one kernel: `B::step<V>` computes V neighbouring elements of the output.

constexpr int RANK = 8;

// A division by a size: (mulhi(n, magic) + n) >> shift, for n below 2^31.
struct Axis { u32 size, magic, shift; };

// What a kernel is given. Operand 0 is the output; strides are in elements, innermost dimension first.
template <int INPUTS, int NUMBERS> struct Arguments {
    u32 count, rank, packed, vectors;
    void *at[1 + INPUTS];
    i64 strides[1 + INPUTS][RANK];
    Axis axes[RANK];
    Number numbers[NUMBERS ? NUMBERS : 1];
};

// All operands lie in the order of the loop, or are one element.
template <class B, class A> DEVICE void walk_dense(const A &a) {
    constexpr int V = B::width;
    const u32 threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 packs = a.vectors ? a.count / V : 0;
    for (u32 pack = thread; pack < packs; pack += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = a.packed >> k & 1 ? (i64)pack * V : 0; }
        B::template step<V>(a, offsets);
    }
    for (u32 i = packs * V + thread; i < a.count; i += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = a.packed >> k & 1 ? i : 0; }
        B::template step<1>(a, offsets);
    }
}

// Any strides. With V elements at a time, the innermost dimension counts packs.
template <class B, int V, class A> DEVICE void walk_strided(const A &a) {
    const u32 threads = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < a.count; i += threads) {
        i64 offsets[B::operands];
#pragma unroll
        for (int k = 0; k < B::operands; ++k) { offsets[k] = 0; }
        u32 rest = i;
#pragma unroll
        for (int dim = 0; dim < RANK; ++dim) {
            if (dim == a.rank) { break; }
            const u32 above = (__umulhi(rest, a.axes[dim].magic) + rest) >> a.axes[dim].shift;
            const u32 at = rest - above * a.axes[dim].size;
#pragma unroll
            for (int k = 0; k < B::operands; ++k) { offsets[k] += at * a.strides[k][dim]; }
            rest = above;
        }
        B::template step<V>(a, offsets);
    }
}

#define KERNELS(symbol, B) \
    ENTRY(symbol##__dense, B::A, (walk_dense<B>(a))) \
    ENTRY(symbol##__rows, B::A, (walk_strided<B, B::width>(a))) \
    ENTRY(symbol##__strided, B::A, (walk_strided<B, 1>(a)))

} // namespace latten
