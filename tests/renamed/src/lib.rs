//! What a user writes who calls the crate otherwise: the macros follow.

use lt::prelude::*;

/// Half of the numbers.
#[kernel]
pub fn halved(x: Floating) -> Floating {
    x * 0.5
}

/// The sum of a literal, by every macro.
#[must_use]
pub fn total() -> f32 {
    let x: Tensor<f32, shape![2, 2]> = tensor![[1.0, 2.0], [3.0, 4.0]];
    let rows = tensor![[&x], [&x]];
    fuse!(sum(halved(rows * 2.0))).item()
}

#[cfg(test)]
mod tests {
    #[test]
    fn macros_follow_another_name() {
        assert_eq!(super::total(), 20.0);
    }
}
