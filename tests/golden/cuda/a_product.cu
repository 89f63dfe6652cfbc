namespace latten {
// folds.cuh
// products.cuh
struct product__bf16__f32__bf16 {
    typedef f32 Acc;
    typedef bf16 In;
    typedef bf16 Out;
    DEVICE Acc element(const In x) { return cast<Acc>(x); }
    DEVICE void put(const ProductArguments &a, const i64 at, const Acc sum) { static_cast<Out *>(a.out)[at] = cast<Out>(sum); }
};
PRODUCTS(product__bf16__f32__bf16, product__bf16__f32__bf16)
struct product__bf16__f32__f32 {
    typedef f32 Acc;
    typedef bf16 In;
    typedef f32 Out;
    DEVICE Acc element(const In x) { return cast<Acc>(x); }
    DEVICE void put(const ProductArguments &a, const i64 at, const Acc sum) { static_cast<Out *>(a.out)[at] = cast<Out>(sum); }
};
PRODUCTS(product__bf16__f32__f32, product__bf16__f32__f32)
} // namespace latten
