namespace latten {
// folds.cuh
// meets.cuh
MEET(meet_sum__bf16, MetSum, bf16)
MEET(meet_product__bf16, MetProduct, bf16)
MEET(meet_greatest__bf16, MetGreatest, bf16)
MEET(meet_least__bf16, MetLeast, bf16)
} // namespace latten
