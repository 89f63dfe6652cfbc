//! How large the operands of all sides are, and the numbers in them.

use std::sync::atomic::{AtomicBool, Ordering};

static SKETCHED: AtomicBool = AtomicBool::new(false);

/// From now on all sizes are small: what rows compute is looked at, not how fast.
pub fn sketch() {
    SKETCHED.store(true, Ordering::Relaxed);
}

/// Whether they are.
pub fn is_sketched() -> bool {
    SKETCHED.load(Ordering::Relaxed)
}

/// A size as a row names it. `torch_side.py` has the same function.
pub fn of(size: usize) -> usize {
    match size {
        size if !is_sketched() => size,
        10_000.. => size / 1000,
        65.. => size / 16,
        _ => size,
    }
}

/// Past all caches.
pub fn big() -> usize {
    of(10_000_000)
}

/// In the second-level cache.
pub fn small() -> usize {
    of(100_000)
}

/// Of squares.
pub fn side() -> usize {
    of(2048)
}

/// The numbers that every side computes with, between -4 and 4. Each operand begins one later.
pub fn numbers(operand: usize, count: usize) -> impl Iterator<Item = f32> {
    let mut state = 1_u32;
    let all = std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 2_097_152.0 - 4.0
    });
    all.skip(operand).take(count)
}
