//! What a fused expression allocates: its result, and where a reduction ends it, nothing of the size of its operands; on the way back the
//! gradients. One test, because the pool's counts are the process's.

use latten::prelude::*;
use latten::storage::pool_stats;

type Wide = Tensor<f32, shape![1000, 100]>;

/// How many blocks that went out of the pool while something was computed, of one kilobyte and more.
fn blocks<R>(compute: impl FnOnce() -> R) -> u64 {
    let count = || pool_stats().fresh + pool_stats().reused;
    let before = count();
    let result = compute();
    let blocks = count() - before;
    drop(result);
    blocks
}

#[test]
fn reductions_at_the_end_need_no_tensor_of_what_they_reduce() {
    let (a, b) = (Tensor::<f32, shape![1000, 100]>::ones(), Tensor::<f32, shape![100]>::ones());
    let (any_a, any_b) = (a.erase(), b.erase());
    assert_eq!(blocks(|| (&a * &b - &a).sum()), 2, "operators have a tensor each");
    assert_eq!(blocks(|| fuse!(a * b - a)), 1, "a result");
    assert_eq!(blocks(|| fuse!(sum(a * b - a))), 0, "with types");
    assert_eq!(blocks(|| fuse!(sum(any_a * any_b - any_a))), 0, "of the run's dtypes");
    assert_eq!(blocks(|| fuse!(mean(sigmoid(a * b) as f16))), 0, "through another dtype");
    assert_eq!(blocks(|| fuse!(max(a.t() * 2.0))), 0, "out of order");
    assert_eq!(blocks(|| fuse!(sum_along(a * b, axis::<0>()))), 0, "along the rows");
    assert_eq!(blocks(|| fuse!(amax_along(any_a * any_b, [1]))), 1, "along the columns, a result of four kilobytes");
    // Operands, gradients and no more: the value that is summed is made neither on the way there nor back.
    let (mut x, mut y) = (a.requiring_grad().expect("a leaf"), Wide::ones().requiring_grad().expect("a leaf"));
    let mut back = |loss: &dyn Fn(&Wide, &Wide) -> Tensor<f32, ()>| {
        x.zero_grad();
        y.zero_grad();
        blocks(|| loss(&x, &y).backward().expect("gradients"))
    };
    assert_eq!(back(&|x, y| fuse!(sum(sigmoid(x * y + x) * y - x))), 2, "two gradients");
    assert_eq!(back(&|x, y| fuse!(mean(square(x - y)))), 2, "two gradients of a mean");
    assert_eq!(back(&|x, y| fuse!(sigmoid(x * y + x) * y - x).sum()), 3, "two gradients, and the value");
}
