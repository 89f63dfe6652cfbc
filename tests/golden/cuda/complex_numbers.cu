namespace latten {
// nan_to_num(x)
template <class C>
DEVICE bool nan_to_num_boolean(const bool v_x, const bool v_nan, const bool v_top, const bool v_bottom) {
    return v_x;
}
template <class C>
DEVICE C nan_to_num_integral(const C v_x, const C v_nan, const C v_top, const C v_bottom) {
    return v_x;
}
template <class C>
DEVICE C nan_to_num_floating(const C v_x, const C v_nan, const C v_top, const C v_bottom) {
    if (is_nan(v_x)) {
        return v_nan;
    }
    if (is_infinite(v_x)) {
        if (v_x > constant<C>(0.0)) {
            return v_top;
        }
        return v_bottom;
    }
    return v_x;
}
template <class C>
DEVICE C nan_to_num_complex(const C v_x, const C v_nan, const C v_top, const C v_bottom) {
    const part<C> v_a_1 = re(v_x);
    const part<C> v_b_2 = im(v_x);
    return complex<C>((is_nan(v_a_1) ? re(v_nan) : (is_infinite(v_a_1) ? ((v_a_1 > constant<part<C>>(0.0)) ? re(v_top) : re(v_bottom)) : v_a_1)), (is_nan(v_b_2) ? re(v_nan) : (is_infinite(v_b_2) ? ((v_b_2 > constant<part<C>>(0.0)) ? re(v_top) : re(v_bottom)) : v_b_2)));
}
struct nan_to_num__c32__c64__c32 {
    static constexpr int operands = 2, width = 4;
    typedef Arguments<1, 3> A;
    DEVICE c32 compute(const c32 a1, const A &a) {
        return cast<c32>(nan_to_num_complex<c64>(cast<c64>(a1), number<c64>(a.numbers[0]), number<c64>(a.numbers[1]), number<c64>(a.numbers[2])));
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        const Pack<c32, V> a1 = load<c32, V>(a.at[1], offsets[1], a.packed >> 1 & 1);
        Pack<c32, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a1.at[i], a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(nan_to_num__c32__c64__c32, nan_to_num__c32__c64__c32)
} // namespace latten
