namespace latten {
struct copy__u128 {
    static constexpr int operands = 2, width = 1;
    typedef Arguments<1, 0> A;
    DEVICE u128 compute(const u128 a1, const A &a) {
        return a1;
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<u128, V> a1 = load<u128, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        Pack<u128, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(copy__u128, copy__u128)
} // namespace latten
