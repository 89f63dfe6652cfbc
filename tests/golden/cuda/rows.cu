namespace latten {
// folds.cuh
// spreads.cuh
// rows.cuh
struct median__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
};
MEDIAN(median__f16, median__f16)
struct cumsum__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f64 Acc;
    static constexpr bool places = false;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return Sum::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Sum::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return cast<Acc>(x); }
    DEVICE Out value(const Acc folded) { return cast<Out>(folded); }
    DEVICE i64 place(const Acc folded) { return 0; }
};
SCANS(cumsum__f16, cumsum__f16)
struct cumprod__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f64 Acc;
    static constexpr bool places = false;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return Product::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return Product::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return cast<Acc>(x); }
    DEVICE Out value(const Acc folded) { return cast<Out>(folded); }
    DEVICE i64 place(const Acc folded) { return 0; }
};
SCANS(cumprod__f16, cumprod__f16)
struct logcumsumexp__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef Exponentials<f64> Acc;
    static constexpr bool places = false;
    static_assert(sizeof(Acc) == 16, "as many as parts have room");
    DEVICE Acc begin() { return AddExponentials::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return AddExponentials::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return exponentials(cast<f64>(x)); }
    DEVICE Out value(const Acc folded) { return cast<Out>(log(folded.sum) + folded.most); }
    DEVICE i64 place(const Acc folded) { return 0; }
};
SCANS(logcumsumexp__f16, logcumsumexp__f16)
struct cummax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef Found<f32> Acc;
    static constexpr bool places = true;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return RunGreatest::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return RunGreatest::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return Acc{cast<f32>(x), j}; }
    DEVICE Out value(const Acc folded) { return cast<Out>(folded.value); }
    DEVICE i64 place(const Acc folded) { return folded.index; }
};
SCANS(cummax__f16, cummax__f16)
struct cummin__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef Found<f32> Acc;
    static constexpr bool places = true;
    static_assert(sizeof(Acc) == 8, "as many as parts have room");
    DEVICE Acc begin() { return RunLeast::begin<Acc>(); }
    DEVICE Acc combine(const Acc x, const Acc y) { return RunLeast::combine<Acc>(x, y); }
    DEVICE Acc element(const In x, const u32 j) { return Acc{cast<f32>(x), j}; }
    DEVICE Out value(const Acc folded) { return cast<Out>(folded.value); }
    DEVICE i64 place(const Acc folded) { return folded.index; }
};
SCANS(cummin__f16, cummin__f16)
struct softmax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
    typedef Softmax Share;
    DEVICE void put(const RowArguments &a, const i64 at, const T x) { static_cast<Out *>(a.out)[at] = cast<Out>(x); }
};
SOFTMAX(softmax__f16, softmax__f16)
struct logsoftmax__f16 {
    typedef f16 In;
    typedef f16 Out;
    typedef f32 T;
    typedef LogSoftmax Share;
    DEVICE void put(const RowArguments &a, const i64 at, const T x) { static_cast<Out *>(a.out)[at] = cast<Out>(x); }
};
SOFTMAX(logsoftmax__f16, logsoftmax__f16)
} // namespace latten
