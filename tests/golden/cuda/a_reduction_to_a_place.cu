namespace latten {
// folds.cuh
// spreads.cuh
template <class C>
DEVICE C max0_floating_term0(const C v_x) {
    return v_x;
}
template <class C>
DEVICE C max0_floating_result(const C v_most, const C v_count) {
    return v_most;
}
struct max__f16_by_f16__f32__f16 {
    typedef Found<f32> Acc;
    typedef f16 In;
    typedef f16 Out;
    static constexpr u32 abreast = 8;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return FindGreatest::begin<Found<f32>>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return FindGreatest::combine<Found<f32>>(x, y); }
    DEVICE Acc paired(const Acc x, const Acc y) { return FindGreatest::paired<Found<f32>>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return Found<f32>{max0_floating_term0<f32>(cast<f32>(x)), j}; }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<f16>(max0_floating_result<f32>(folded.value, number<f32>(a.elements))); static_cast<i64 *>(a.places)[at] = folded.index; }
};
FOLDS(max__f16_by_f16__f32__f16, max__f16_by_f16__f32__f16)
struct max__f16_by_f16__f32__parts {
    typedef Found<f32> Acc;
    typedef f16 In;
    typedef Found<f32> Out;
    static constexpr u32 abreast = 8;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return FindGreatest::begin<Found<f32>>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return FindGreatest::combine<Found<f32>>(x, y); }
    DEVICE Acc paired(const Acc x, const Acc y) { return FindGreatest::paired<Found<f32>>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return Found<f32>{max0_floating_term0<f32>(cast<f32>(x)), j}; }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = folded; }
};
FOLDS(max__f16_by_f16__f32__parts, max__f16_by_f16__f32__parts)
} // namespace latten
