namespace latten {
namespace own_fe27e180bc78d611 {
template <class C>
DEVICE bool within_integral(const C v_x, const C v_y, const C v_distance) {
    return abs(sub(v_x, v_y)) <= v_distance;
}

template <class C>
DEVICE bool within_floating(const C v_x, const C v_y, const C v_distance) {
    return abs(sub(v_x, v_y)) <= v_distance;
}
} // namespace own_fe27e180bc78d611
struct own_fe27e180bc78d611_within__f32_f64__f64__bool {
    static constexpr int operands = 3, width = 2;
    typedef Arguments<2, 1> A;
    DEVICE bool8 compute(const f32 a1, const f64 a2, const A &a) {
        return cast<bool8>(own_fe27e180bc78d611::within_floating<f64>(cast<f64>(a1), a2, number<f64>(a.numbers[0])));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<f32, V> a1 = load<f32, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        const Pack<f64, V> a2 = load<f64, V>(a.at[2], offsets[2], a.packed >> 2 & 1);
        Pack<bool8, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a2.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(own_fe27e180bc78d611_within__f32_f64__f64__bool, own_fe27e180bc78d611_within__f32_f64__f64__bool)
} // namespace latten
