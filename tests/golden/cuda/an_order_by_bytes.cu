namespace latten {
// folds.cuh
// spreads.cuh
// rows.cuh
// sorts.cuh
RADIX(radix__u64, u64)
} // namespace latten
