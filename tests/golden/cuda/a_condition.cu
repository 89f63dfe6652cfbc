namespace latten {
// where(condition, x, y)
template <class C>
DEVICE bool where_boolean(const bool v_condition, const bool v_x, const bool v_y) {
    if (v_condition) {
        return v_x;
    }
    return v_y;
}
template <class C>
DEVICE C where_integral(const bool v_condition, const C v_x, const C v_y) {
    if (v_condition) {
        return v_x;
    }
    return v_y;
}
template <class C>
DEVICE C where_floating(const bool v_condition, const C v_x, const C v_y) {
    if (v_condition) {
        return v_x;
    }
    return v_y;
}
template <class C>
DEVICE C where_complex(const bool v_condition, const C v_x, const C v_y) {
    if (v_condition) {
        return v_x;
    }
    return v_y;
}
struct where__bool_i64_i64__i64__i64 {
    static constexpr int operands = 4, width = 2;
    typedef Arguments<3, 0> A;
    DEVICE i64 compute(const bool8 a1, const i64 a2, const i64 a3, const A &a) {
        return where_integral<i64>(cast<bool>(a1), a2, a3);
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<bool8, V> a1 = load<bool8, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        const Pack<i64, V> a2 = load<i64, V>(a.at[2], offsets[2], a.packed >> 2 & 1);
        const Pack<i64, V> a3 = load<i64, V>(a.at[3], offsets[3], a.packed >> 3 & 1);
        Pack<i64, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a2.at[i], a3.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(where__bool_i64_i64__i64__i64, where__bool_i64_i64__i64__i64)
} // namespace latten
