// Products of batches of matrices, [m, k] by [k, n] each. The terms of a sum are added in one order, which follows from the shape alone.

// What a product is given. Strides are in elements; the result is contiguous.
struct ProductArguments {
    u32 batch, m, n, k, parts, chunk, rank;
    void *out;
    const void *left, *right;
    i64 left_row, left_step, right_step, right_column, left_batch[RANK], right_batch[RANK];
    Axis axes[RANK];
};

// sum + x * y, rounded once where floats can.
template <class T> DEVICE T plus_product(const T sum, const T x, const T y) {
    if constexpr (is_complex<T>) {
        return T{mul_add(-x.im, y.im, mul_add(x.re, y.re, sum.re)), mul_add(x.im, y.re, mul_add(x.re, y.im, sum.im))};
    } else if constexpr (is_float<T>) {
        return mul_add(x, y, sum);
    } else {
        return add(sum, mul(x, y));
    }
}

constexpr u32 SIDE = 64, DEPTH = 16, OWN = 4;

// A factor's part of a tile: element (line, step) goes to `to[step][line]`; zeros where there are no more. Threads read in the order of memory.
template <class B> DEVICE void load_tile(
    typename B::Acc (*to)[SIDE + 1], const typename B::In *from, const i64 line_stride, const i64 step_stride, const u32 first_line, const u32 lines,
    const u32 first_step, const u32 steps
) {
    const bool steps_inside = step_stride <= line_stride;
#pragma unroll
    for (u32 i = threadIdx.x; i < SIDE * DEPTH; i += THREADS) {
        const u32 line = steps_inside ? i / DEPTH : i % SIDE, step = steps_inside ? i % DEPTH : i / SIDE;
        const bool there = first_line + line < lines && first_step + step < steps;
        to[step][line] = there ? B::element(from[(first_line + line) * line_stride + (first_step + step) * step_stride]) : cast<typename B::Acc>(false);
    }
}

// A block computes 64 by 64 results, and a thread 4 by 4 of them.
template <class B> DEVICE void product_tiles(const ProductArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc lefts[DEPTH][SIDE + 1], rights[DEPTH][SIDE + 1];
    const u32 high = (a.m + SIDE - 1) / SIDE, across = (a.n + SIDE - 1) / SIDE, groups = a.batch * high * across;
    const u32 y = threadIdx.x / 16, x = threadIdx.x % 16;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 at = group / (high * across), tile = group - at * high * across;
        const u32 row = tile / across * SIDE, column = tile % across * SIDE;
        const typename B::In *left = static_cast<const typename B::In *>(a.left) + place(at, a.rank, a.axes, a.left_batch);
        const typename B::In *right = static_cast<const typename B::In *>(a.right) + place(at, a.rank, a.axes, a.right_batch);
        Acc sums[OWN][OWN];
        for (u32 i = 0; i < OWN * OWN; ++i) { sums[i / OWN][i % OWN] = cast<Acc>(false); }
        for (u32 step = 0; step < a.k; step += DEPTH) {
            load_tile<B>(lefts, left, a.left_row, a.left_step, row, a.m, step, a.k);
            load_tile<B>(rights, right, a.right_column, a.right_step, column, a.n, step, a.k);
            __syncthreads();
#pragma unroll
            for (u32 k = 0; k < DEPTH; ++k) {
#pragma unroll
                for (u32 i = 0; i < OWN * OWN; ++i) {
                    Acc &sum = sums[i / OWN][i % OWN];
                    sum = plus_product(sum, lefts[k][y + 16 * (i / OWN)], rights[k][x + 16 * (i % OWN)]);
                }
            }
            // Nobody loads the next before all have used this one.
            __syncthreads();
        }
        for (u32 i = 0; i < OWN * OWN; ++i) {
            const u32 m = row + y + 16 * (i / OWN), n = column + x + 16 * (i % OWN);
            if (m < a.m && n < a.n) { B::put(a, ((i64)at * a.m + m) * a.n + n, sums[i / OWN][i % OWN]); }
        }
    }
}

// A block computes one result, or a part of its sum: where there are few, or vectors are multiplied.
template <class B> DEVICE void product_dots(const ProductArguments &a) {
    typedef typename B::Acc Acc;
    __shared__ Acc shared[THREADS];
    const u32 outputs = a.batch * a.m * a.n, groups = outputs * a.parts;
    for (u32 group = blockIdx.x; group < groups; group += gridDim.x) {
        const u32 output = group / a.parts, part = group - output * a.parts;
        const u32 at = output / (a.m * a.n), row = output / a.n % a.m, column = output % a.n;
        const i64 left = place(at, a.rank, a.axes, a.left_batch) + row * a.left_row;
        const i64 right = place(at, a.rank, a.axes, a.right_batch) + column * a.right_column;
        const u32 first = part * a.chunk, rest = a.k - first, end = first + (rest < a.chunk ? rest : a.chunk);
        Acc sum = cast<Acc>(false);
        for (u32 k = first + threadIdx.x; k < end; k += THREADS) {
            const Acc x = B::element(static_cast<const typename B::In *>(a.left)[left + k * a.left_step]);
            const Acc y = B::element(static_cast<const typename B::In *>(a.right)[right + k * a.right_step]);
            sum = plus_product(sum, x, y);
        }
        shared[threadIdx.x] = sum;
        __syncthreads();
        for (u32 step = THREADS / 2; step > 0; step /= 2) {
            if (threadIdx.x < step) { shared[threadIdx.x] = add(shared[threadIdx.x], shared[threadIdx.x + step]); }
            __syncthreads();
        }
        if (threadIdx.x == 0) { B::put(a, group, shared[0]); }
        __syncthreads();
    }
}

#define PRODUCTS(symbol, B) \
    ENTRY_TOGETHER(symbol##__tiles, ProductArguments, (product_tiles<B>(a))) \
    ENTRY_TOGETHER(symbol##__dots, ProductArguments, (product_dots<B>(a)))
