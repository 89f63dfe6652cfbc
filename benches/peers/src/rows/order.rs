//! Rows of what sorts, or goes along elements in their order.

use latten_core::args;
use latten_spec::DType::{F32, F64, I32, I64};

use super::Row;
use crate::latten::{by_name, called, called_first, called_second, operand, place_of, tensor};
use crate::sizes::{big, of, side};

/// Sorted elements, and what comes of sorting.
pub fn sorted() -> Vec<Row> {
    rows! {
        "sort of 10⁶ f32" Some(1.0), None;
            "a = x(of(10**6))" "a.sort().values";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called_first("sort", args![a]));
        "sort of 10⁶ f64" Some(1.0), None;
            "a = x(of(10**6), dtype=torch.float64)" "a.sort().values";
            by_name([tensor(&[of(1_000_000)], F64)], |[a]| called_first("sort", args![a]));
        "sort of 10⁶ i64" Some(1.0), None;
            "a = places(of(10**6), below=1 << 23)" "a.sort().values";
            by_name([place_of(&[of(1_000_000)], 1 << 23)], |[a]| called_first("sort", args![a]));
        "sort of 10⁶ i32, of 101" Some(1.0), None;
            "a = x(of(10**6), dtype=torch.int32)" "a.sort().values";
            by_name([tensor(&[of(1_000_000)], I32)], |[a]| called_first("sort", args![a]));
        "argsort of 10⁶ i64" Some(1.0), None;
            "a = places(of(10**6), below=1 << 23)" "a.argsort(stable=True)";
            by_name([place_of(&[of(1_000_000)], 1 << 23)], |[a]| called("argsort", args![a, stable = true]));
        "sort of each row, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.sort(1).values";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_first("sort", args![a, 1]));
        "sort of each column, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.sort(0).values";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_first("sort", args![a, 0]));
        "topk 10 of 10⁶" Some(1.0), None;
            "a = x(of(10**6))" "a.topk(10).values";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called_first("topk", args![a, 10]));
        "topk 10 of each row, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.topk(10).values";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_first("topk", args![a, 10]));
        "unique of 10⁶ i64" Some(1.0), None;
            "a = places(of(10**6), below=1 << 23)" "a.unique()";
            by_name([place_of(&[of(1_000_000)], 1 << 23)], |[a]| called("unique", args![a]));
        "unique of 10⁶ i64, of 101" Some(1.0), None;
            "a = x(of(10**6), dtype=torch.int64)" "a.unique()";
            by_name([tensor(&[of(1_000_000)], I64)], |[a]| called("unique", args![a]));
        "unique_consecutive of 10⁶" Some(1.0), None;
            "a = x(of(10**6), dtype=torch.int64)" "a.unique_consecutive()";
            by_name([tensor(&[of(1_000_000)], I64)], |[a]| called("unique_consecutive", args![a]));
        "median of 10⁶" Some(1.0), None;
            "a = x(of(10**6))" "a.median()";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called("median", args![a]));
        "median of each row, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.median(1).values";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_first("median", args![a, 1]));
    }
}

/// Elements after one another.
pub fn scanned() -> Vec<Row> {
    rows! {
        "cumsum, 10⁷" Some(1.0), Some(8 * big()), within 1e-3;
            "a = x(N)" "a.cumsum(0)";
            by_name([tensor(&[big()], F32)], |[a]| called("cumsum", args![a, 0]));
        "cumsum over axis 0, 2048²" Some(1.0), None, within 1e-4;
            "a = x(SIDE, SIDE)" "a.cumsum(0)";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("cumsum", args![a, 0]));
        "cumsum over axis 1, 2048²" Some(1.0), None, within 1e-4;
            "a = x(SIDE, SIDE)" "a.cumsum(1)";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("cumsum", args![a, 1]));
        "cummax, 10⁶" Some(1.0), None;
            "a = x(of(10**6))" "a.cummax(0).values";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called_first("cummax", args![a, 0]));
        "max and argmax over axis 1, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.max(1).indices";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_second("max", args![a, 1]));
        "max and argmax over axis 0, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.max(0).indices";
            by_name([tensor(&[side(), side()], F32)], |[a]| called_second("max", args![a, 0]));
        "mean over axis 1 of 64 by 256 by 256" Some(1.0), None;
            "a = x(64, of(256), of(256))" "a.mean(1)";
            by_name([operand(0, &[64, of(256), of(256)], F32)], |[a]| called("mean", args![a, [1]]));
    }
}
