namespace latten {
// add(x, y)
template <class C>
DEVICE bool add_boolean(const bool v_x, const bool v_y, const bool v_alpha) {
    return bit_or(v_x, bit_and(v_alpha, v_y));
}
template <class C>
DEVICE C add_integral(const C v_x, const C v_y, const C v_alpha) {
    return add(v_x, mul(v_alpha, v_y));
}
template <class C>
DEVICE C add_floating(const C v_x, const C v_y, const C v_alpha) {
    if (v_alpha == constant<C>(1.0)) {
        return add(v_x, v_y);
    }
    return mul_add(v_alpha, v_y, v_x);
}
template <class C>
DEVICE C add_complex(const C v_x, const C v_y, const C v_alpha) {
    if (v_alpha == constant<C>(1.0)) {
        return add(v_x, v_y);
    }
    return add(v_x, mul(v_alpha, v_y));
}
struct add__i64_by_f16_f16__f32__f16 {
    static constexpr int operands = 3, width = 2;
    typedef Arguments<2, 1> A;
    DEVICE f16 compute(const i64 a1, const f16 a2, const A &a) {
        return cast<f16>(add_floating<f32>(cast<f32>(cast<f16>(a1)), cast<f32>(a2), number<f32>(a.numbers[0])));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<i64, V> a1 = load<i64, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        const Pack<f16, V> a2 = load<f16, V>(a.at[2], offsets[2], a.packed >> 2 & 1);
        Pack<f16, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a2.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(add__i64_by_f16_f16__f32__f16, add__i64_by_f16_f16__f32__f16)
} // namespace latten
