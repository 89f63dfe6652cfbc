namespace latten {
// mul(x, y)
template <class C>
DEVICE bool mul_boolean(const bool v_x, const bool v_y) {
    return bit_and(v_x, v_y);
}
template <class C>
DEVICE C mul_integral(const C v_x, const C v_y) {
    return mul(v_x, v_y);
}
template <class C>
DEVICE C mul_floating(const C v_x, const C v_y) {
    return mul(v_x, v_y);
}
template <class C>
DEVICE C mul_complex(const C v_x, const C v_y) {
    return mul(v_x, v_y);
}
struct mul__bf16_number__f32__bf16 {
    static constexpr int operands = 2, width = 8;
    typedef Arguments<1, 1> A;
    DEVICE bf16 compute(const bf16 a1, const A &a) {
        return cast<bf16>(mul_floating<f32>(cast<f32>(a1), number<f32>(a.numbers[0])));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<bf16, V> a1 = load<bf16, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        Pack<bf16, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(mul__bf16_number__f32__bf16, mul__bf16_number__f32__bf16)
} // namespace latten
