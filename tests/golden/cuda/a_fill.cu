namespace latten {
struct fill__u16 {
    static constexpr int operands = 1, width = 8;
    typedef Arguments<0, 1> A;
    DEVICE u16 compute(const A &a) {
        return number<u16>(a.numbers[0]);
    }
    template <int V> DEVICE void step(const A &a, const i64 *offsets) {
        Pack<u16, V> out;
#pragma unroll
        for (int i = 0; i < V; ++i) { out.at[i] = compute(a); }
        store(a.at[0], offsets[0], out);
    }
};
KERNELS(fill__u16, fill__u16)
} // namespace latten
