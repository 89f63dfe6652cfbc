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
namespace own_fe446df821ce18eb {
template <class C>
DEVICE C leaky_integral(const C v_x, const C v_slope) {
    if (v_x > constant<C>(0.0)) {
        return v_x;
    }
    return mul(v_x, v_slope);
}

template <class C>
DEVICE C leaky_floating(const C v_x, const C v_slope) {
    if (v_x > constant<C>(0.0)) {
        return v_x;
    }
    return mul(v_x, v_slope);
}
} // namespace own_fe446df821ce18eb
// sub(x, y)
template <class C>
DEVICE C sub_integral(const C v_x, const C v_y, const C v_alpha) {
    return sub(v_x, mul(v_alpha, v_y));
}
template <class C>
DEVICE C sub_floating(const C v_x, const C v_y, const C v_alpha) {
    if (v_alpha == constant<C>(1.0)) {
        return sub(v_x, v_y);
    }
    return mul_add(neg(v_alpha), v_y, v_x);
}
template <class C>
DEVICE C sub_complex(const C v_x, const C v_y, const C v_alpha) {
    if (v_alpha == constant<C>(1.0)) {
        return sub(v_x, v_y);
    }
    return sub(v_x, mul(v_alpha, v_y));
}
struct fused_c17f2c8fd8c2f50d7d7bdb54a93efe11 {
    static constexpr int operands = 4, width = 4;
    typedef Arguments<3, 2> A;
    DEVICE f32 compute(const f32 a1, const f32 a2, const f32 a3, const A &a) {
        const f32 s0 = mul_floating<f32>(a1, a2);
        const f32 s1 = own_fe446df821ce18eb::leaky_floating<f32>(s0, number<f32>(a.numbers[0]));
        const f32 s2 = sub_floating<f32>(s1, a3, number<f32>(a.numbers[1]));
        return s2;
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<f32, V> a1 = load<f32, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        const Pack<f32, V> a2 = load<f32, V>(a.at[2], offsets[2], a.packed >> 2 & 1);
        const Pack<f32, V> a3 = load<f32, V>(a.at[3], offsets[3], a.packed >> 3 & 1);
        Pack<f32, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a2.at[i], a3.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(fused_c17f2c8fd8c2f50d7d7bdb54a93efe11, fused_c17f2c8fd8c2f50d7d7bdb54a93efe11)
} // namespace latten
