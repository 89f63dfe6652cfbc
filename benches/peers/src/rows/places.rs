//! Rows of what moves elements, or finds them by their places.

use super::{Row, candle};
use crate::latten;
use crate::sizes::{of, side};
use crate::work::work;

/// Elements elsewhere.
pub fn moved() -> Vec<Row> {
    rows! {
        "flip of rows, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.flip(1)";
            latten::moved(&[side(), side()], |a| a.flip(&[1]));
        "flip of columns, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.flip(0)";
            latten::moved(&[side(), side()], |a| a.flip(&[0]));
        "roll, 10⁶" Some(1.0), Some(8 * of(1_000_000));
            "a = x(of(10**6))" "a.roll(1000, 0)";
            latten::moved(&[of(1_000_000)], |a| a.roll(&[1000], &[0]));
        "pad by 1 at each side, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "torch.nn.functional.pad(a, (1, 1, 1, 1))";
            latten::padded(side());
            candle {
                let a = candle(0, &[side(), side()]);
                work(move || a.pad_with_zeros(0, 1, 1).and_then(|a| a.pad_with_zeros(1, 1, 1)).expect("a result"))
            };
    }
}

/// Elements by their places, or what they are.
pub fn chosen() -> Vec<Row> {
    rows! {
        "scatter_add of 10⁶ into 101" Some(1.0), None, within 1e-3;
            "a, i, c = y(of(10**6)), x(of(10**6), dtype=torch.int64), torch.zeros(101)" "c.scatter_add(0, i, a)";
            latten::scattered(of(1_000_000));
        "nonzero of 10⁶ numbers" Some(1.0), None;
            "a = x(of(10**6))" "a.nonzero()";
            latten::nonzero(of(1_000_000));
        "topk 10 of 10⁶" Some(1.0), None;
            "a = x(of(10**6))" "a.topk(10).values";
            latten::largest(of(1_000_000));
    }
}
