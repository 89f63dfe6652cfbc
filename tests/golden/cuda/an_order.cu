namespace latten {
// folds.cuh
// spreads.cuh
// rows.cuh
// sorts.cuh
struct sort__bf16 {
    typedef bf16 In;
    typedef u32 Key;
};
SORT(sort__bf16, sort__bf16)
} // namespace latten
