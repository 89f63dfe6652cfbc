//! Rows of reductions and matrix products.

use latten_spec::DType::{BF16, C64, F32, F64, I64};
use latten_spec::reduction::Reduction;
use rayon::iter::ParallelIterator as _;

use super::{Row, arrays, candles, in_parts, squares};
use crate::latten;
use crate::sizes::{big, of, side};

/// Sums and their kin.
pub fn reductions() -> Vec<Row> {
    rows! {
        "sum, 10⁷" Some(1.0), Some(4 * big()), within 1e-4;
            "a = x(N)" "a.sum()";
            latten::reduced(Reduction::Sum, &[big()], None, F32);
            ndarray arrays(|[a]| in_parts(a).map(|part| part.sum()).sum::<f32>(), big());
            candle candles([&[big()]], |[a]| a.sum_all());
        "sum of 10 elements" Some(4.0), None;
            "a = x(10)" "a.sum()";
            latten::reduced(Reduction::Sum, &[10], None, F32);
            ndarray arrays(|[a]| a.sum(), 10);
            candle candles([&[10]], |[a]| a.sum_all());
        "sum over axis 0, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.sum(0)";
            latten::reduced(Reduction::Sum, &[side(), side()], Some(0), F32);
            ndarray squares(|a, _| a.sum_axis(ndarray::Axis(0)));
            candle candles([&[side(), side()]], |[a]| a.sum(0));
        "sum over axis 1, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.sum(1)";
            latten::reduced(Reduction::Sum, &[side(), side()], Some(1), F32);
            ndarray squares(|a, _| a.sum_axis(ndarray::Axis(1)));
            candle candles([&[side(), side()]], |[a]| a.sum(1));
        "argmax, 10⁷" Some(1.0), Some(4 * big());
            "a = x(N)" "a.argmax()";
            latten::reduced(Reduction::Argmax, &[big()], None, F32);
            candle candles([&[big()]], |[a]| a.argmax(0));
        "any, 10⁷ bools" Some(1.0), Some(big());
            "a = torch.zeros(N, dtype=torch.bool)" "a.any()";
            latten::any_of_none(big());
        "var, 10⁷" Some(1.0), Some(4 * big()), within 2e-2;
            "a = x(N)" "a.var()";
            latten::reduced(Reduction::Var, &[big()], None, F32);
            ndarray arrays(|[a]| a.var(1.0), big());
        "softmax over axis 1, 2048²" Some(1.2), None;
            "a = x(SIDE, SIDE)" "a.softmax(1)";
            latten::softmax_of(side(), 1);
        "softmax over axis 0, 2048²" Some(1.2), None;
            "a = x(SIDE, SIDE)" "a.softmax(0)";
            latten::softmax_of(side(), 0);
    }
}

/// Products of matrices.
pub fn products() -> Vec<Row> {
    rows! {
        "f32 matmul, 64²" Some(2.0), None;
            "a, b = x(64, 64), y(64, 64)" "a @ b";
            latten::product([&[64, 64], &[64, 64]], F32);
            candle candles([&[64, 64], &[64, 64]], |[a, b]| a.matmul(b));
        "f32 matmul, 256²" Some(1.0), None;
            "a, b = x(of(256), of(256)), y(of(256), of(256))" "a @ b";
            latten::product([&[of(256), of(256)], &[of(256), of(256)]], F32);
            candle candles([&[of(256), of(256)], &[of(256), of(256)]], |[a, b]| a.matmul(b));
        "f32 matmul, 1024²" Some(0.9), None;
            "a, b = x(of(1024), of(1024)), y(of(1024), of(1024))" "a @ b";
            latten::product([&[of(1024), of(1024)], &[of(1024), of(1024)]], F32);
            candle candles([&[of(1024), of(1024)], &[of(1024), of(1024)]], |[a, b]| a.matmul(b));
        "f64 matmul, 1024²" Some(0.9), None;
            "a, b = x(of(1024), of(1024), dtype=torch.float64), y(of(1024), of(1024), dtype=torch.float64)" "a @ b";
            latten::product([&[of(1024), of(1024)], &[of(1024), of(1024)]], F64);
        "bf16 matmul, 512²" Some(1.0), None, within 1e-2;
            "a, b = x(of(512), of(512)).bfloat16(), y(of(512), of(512)).bfloat16()" "a @ b";
            latten::product([&[of(512), of(512)], &[of(512), of(512)]], BF16);
        "i64 matmul, 512²" Some(1.0), None;
            "a, b = x(of(512), of(512), dtype=torch.int64), y(of(512), of(512), dtype=torch.int64)" "a @ b";
            latten::product([&[of(512), of(512)], &[of(512), of(512)]], I64);
        "c64 matmul, 512²" None, None;
            "a, b = x(of(512), of(512), dtype=torch.complex64), y(of(512), of(512), dtype=torch.complex64)" "a @ b";
            latten::product([&[of(512), of(512)], &[of(512), of(512)]], C64);
        "bmm, 64 of 64²" Some(1.0), None;
            "a, b = x(64, 64, 64), y(64, 64, 64)" "torch.bmm(a, b)";
            latten::product([&[64, 64, 64], &[64, 64, 64]], F32);
            candle candles([&[64, 64, 64], &[64, 64, 64]], |[a, b]| a.matmul(b));
        "matrix times vector, 2048²" None, None;
            "a, b = x(SIDE, SIDE), y(SIDE)" "torch.mv(a, b)";
            latten::product([&[side(), side()], &[side()]], F32);
        "matrix times vector, 2000 by 20" Some(1.0), None;
            "a, b = x(of(2000), 20), y(20)" "torch.mv(a, b)";
            latten::product([&[of(2000), 20], &[20]], F32);
        "matrix times vector, 2000 by 100" Some(1.0), None;
            "a, b = x(of(2000), 100), y(100)" "torch.mv(a, b)";
            latten::product([&[of(2000), 100], &[100]], F32);
        "f32 matmul, 8²" Some(4.0), None;
            "a, b = x(8, 8), y(8, 8)" "a @ b";
            latten::product([&[8, 8], &[8, 8]], F32);
            candle candles([&[8, 8], &[8, 8]], |[a, b]| a.matmul(b));
        "dot, 10⁷" None, Some(8 * big()), within 1e-4;
            "a, b = x(N), y(N)" "torch.dot(a, b)";
            latten::product([&[big()], &[big()]], F32);
    }
}
