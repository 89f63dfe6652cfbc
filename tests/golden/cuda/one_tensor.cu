namespace latten {
// gelu(x)
template <class C>
DEVICE C gelu_floating(const C v_x) {
    return mul(mul(v_x, constant<C>(0.5)), add(constant<C>(1.0), erf(mul(v_x, constant<C>(0.7071067811865476)))));
}
struct gelu__f16__f32__f16 {
    static constexpr int operands = 2, width = 8;
    typedef Arguments<1, 0> A;
    DEVICE f16 compute(const f16 a1, const A &a) {
        return cast<f16>(gelu_floating<f32>(cast<f32>(a1)));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<f16, V> a1 = load<f16, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        Pack<f16, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(gelu__f16__f32__f16, gelu__f16__f32__f16)
} // namespace latten
