namespace latten {
struct copy__f64__f8e4m3fnuz {
    static constexpr int operands = 2, width = 2;
    typedef Arguments<1, 0> A;
    DEVICE f8e4m3fnuz compute(const f64 a1, const A &a) {
        return cast<f8e4m3fnuz>(a1);
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<f64, V> a1 = load<f64, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        Pack<f8e4m3fnuz, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(copy__f64__f8e4m3fnuz, copy__f64__f8e4m3fnuz)
} // namespace latten
