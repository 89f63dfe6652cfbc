namespace latten {
// folds.cuh
template <class C>
DEVICE C mean0_floating_term0(const C v_x) {
    return v_x;
}
template <class C>
DEVICE C mean0_floating_result(const C v_sum, const C v_count) {
    return div(v_sum, v_count);
}
struct mean__bf16_by_bf16__f32__bf16 {
    typedef f32 Acc;
    typedef bf16 In;
    typedef bf16 Out;
    static constexpr u32 abreast = 8;
    static_assert(sizeof(Acc) == 4, "as many as parts have room");
    DEVICE Acc begin() { return Sum::begin<f32>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Sum::combine<f32>(x, y); }
    DEVICE Acc paired(const Acc x, const Acc y) { return Sum::combine<f32>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return mean0_floating_term0<f32>(cast<f32>(x)); }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<bf16>(mean0_floating_result<f32>(folded, number<f32>(a.elements))); }
};
FOLDS(mean__bf16_by_bf16__f32__bf16, mean__bf16_by_bf16__f32__bf16)
struct mean__parts__f32__bf16 {
    typedef f32 Acc;
    typedef f32 In;
    typedef bf16 Out;
    static constexpr u32 abreast = 8;
    static_assert(sizeof(Acc) == 4, "as many as parts have room");
    DEVICE Acc begin() { return Sum::begin<f32>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Sum::combine<f32>(x, y); }
    DEVICE Acc paired(const Acc x, const Acc y) { return Sum::combine<f32>(x, y); }
    DEVICE Acc element(const In x, const u32 j, const Number &given) { return x; }
    DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) { static_cast<Out *>(a.out)[at] = cast<bf16>(mean0_floating_result<f32>(folded, number<f32>(a.elements))); }
};
FOLDS(mean__parts__f32__bf16, mean__parts__f32__bf16)
} // namespace latten
