namespace latten {
// lt(x, y)
template <class C>
DEVICE bool lt_boolean(const bool v_x, const bool v_y) {
    return v_x < v_y;
}
template <class C>
DEVICE bool lt_integral(const C v_x, const C v_y) {
    return v_x < v_y;
}
template <class C>
DEVICE bool lt_floating(const C v_x, const C v_y) {
    return v_x < v_y;
}
struct lt__u8_u8__u8__bool {
    static constexpr int operands = 3, width = 8;
    typedef Arguments<2, 0> A;
    DEVICE bool8 compute(const u8 a1, const u8 a2, const A &a) {
        return cast<bool8>(lt_integral<u8>(a1, a2));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<u8, V> a1 = load<u8, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        const Pack<u8, V> a2 = load<u8, V>(a.at[2], offsets[2], a.packed >> 2 & 1);
        Pack<bool8, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a2.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(lt__u8_u8__u8__bool, lt__u8_u8__u8__bool)
} // namespace latten
