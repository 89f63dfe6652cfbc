//! Rows of what moves elements, or finds them by their places.

use latten_core::args;
use latten_spec::DType::{Bool, F32, I64};

use super::{Row, candle};
use crate::latten::{self, by_name, called, operand, place_of, tensor};
use crate::sizes::{big, of, side};
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
        "flip of both, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.flip(0, 1)";
            latten::moved(&[side(), side()], |a| a.flip(&[0, 1]));
        "rot90, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.rot90()";
            latten::moved(&[side(), side()], |a| a.rot90(1, &[0, 1]));
        "roll, 10⁶" Some(1.0), Some(8 * of(1_000_000));
            "a = x(of(10**6))" "a.roll(1000, 0)";
            latten::moved(&[of(1_000_000)], |a| a.roll(&[1000], &[0]));
        "roll of columns, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.roll(5, 1)";
            latten::moved(&[side(), side()], |a| a.roll(&[5], &[1]));
        "pad by 1 at each side, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "torch.nn.functional.pad(a, (1, 1, 1, 1))";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("pad", args![a, [1, 1, 1, 1]]));
            candle {
                let a = candle(0, &[side(), side()]);
                work(move || a.pad_with_zeros(0, 1, 1).and_then(|a| a.pad_with_zeros(1, 1, 1)).expect("a result"))
            };
        "pad by reflection, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(1, SIDE, SIDE)" "torch.nn.functional.pad(a, (1, 1, 1, 1), 'reflect')";
            by_name([tensor(&[1, side(), side()], F32)], |[a]| called("pad", args![a, [1, 1, 1, 1], "reflect"]));
        "repeat 4 by 4 of 512²" Some(1.0), Some(4 * 17 * of(512) * of(512));
            "a = x(of(512), of(512))" "a.repeat(4, 4)";
            latten::moved(&[of(512), of(512)], |a| a.repeat(&[4, 4]));
        "repeat_interleave by 4 of 10⁶" Some(1.0), Some(20 * of(1_000_000));
            "a = x(of(10**6))" "a.repeat_interleave(4)";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called("repeat_interleave", args![a, 4]));
        "tril, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.tril()";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("tril", args![a]));
        "triu, 2048²" Some(1.0), Some(8 * side() * side());
            "a = x(SIDE, SIDE)" "a.triu()";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("triu", args![a]));
        "permute of 64 by 256 by 256, contiguous" Some(1.0), Some(8 * 64 * of(256) * of(256));
            "a = x(64, of(256), of(256))" "a.permute(1, 2, 0).contiguous()";
            by_name([tensor(&[64, of(256), of(256)], F32)], |[a]| called("contiguous", args![&called("permute", args![a, [1, 2, 0]])]));
        "every second column, 2048²" Some(1.0), Some(6 * side() * side());
            "a = x(SIDE, SIDE)" "a[:, ::2].contiguous()";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("contiguous", args![&called("slice", args![a, 1, 0, (), 2])]));
        "windows of 16 each 8 of 10⁶, contiguous" Some(1.0), Some(16 * of(1_000_000));
            "a = x(of(10**6))" "a.unfold(0, 16, 8).contiguous()";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called("contiguous", args![&called("unfold", args![a, 0, 16, 8])]));
    }
}

/// Tensors side by side.
pub fn joined() -> Vec<Row> {
    fn squares() -> [latten_core::raw::RawTensor; 2] {
        [0, 1].map(|number| operand(number, &[side(), side()], F32))
    }
    rows! {
        "cat of rows, twice 2048²" Some(1.0), Some(16 * side() * side());
            "a, b = x(SIDE, SIDE), y(SIDE, SIDE)" "torch.cat((a, b))";
            by_name(squares(), |[a, b]| called("cat", args![[a, b]]));
        "cat of columns, twice 2048²" Some(1.0), Some(16 * side() * side());
            "a, b = x(SIDE, SIDE), y(SIDE, SIDE)" "torch.cat((a, b), 1)";
            by_name(squares(), |[a, b]| called("cat", args![[a, b], 1]));
        "stack of rows, twice 10⁶" Some(1.0), Some(16 * of(1_000_000));
            "a, b = x(of(10**6)), y(of(10**6))" "torch.stack((a, b))";
            by_name([0, 1].map(|number| operand(number, &[of(1_000_000)], F32)), |[a, b]| called("stack", args![[a, b]]));
        "stack of columns, twice 10⁶" Some(1.0), Some(16 * of(1_000_000));
            "a, b = x(of(10**6)), y(of(10**6))" "torch.stack((a, b), 1)";
            by_name([0, 1].map(|number| operand(number, &[of(1_000_000)], F32)), |[a, b]| called("stack", args![[a, b], 1]));
        "a row before 2048²" Some(1.0), Some(8 * side() * side());
            "a, b = x(1, SIDE), y(SIDE, SIDE)" "torch.cat((a, b))";
            by_name([operand(0, &[1, side()], F32), operand(1, &[side(), side()], F32)], |[a, b]| called("cat", args![[a, b]]));
    }
}

/// Elements by their places, or what they are.
pub fn chosen() -> Vec<Row> {
    rows! {
        "index_select of 10⁵ rows of 64, of 10⁴" Some(1.0), Some(8 * 64 * of(100_000));
            "a, i = x(of(10**4), 64), places(of(10**5), below=of(10**4))" "a.index_select(0, i)";
            by_name([tensor(&[of(10_000), 64], F32), place_of(&[of(100_000)], of(10_000))], |[a, i]| called("index_select", args![a, 0, i]));
        "index_select of columns, 2048²" Some(1.0), Some(8 * side() * side());
            "a, i = x(SIDE, SIDE), places(SIDE, below=SIDE)" "a.index_select(1, i)";
            by_name([tensor(&[side(), side()], F32), place_of(&[side()], side())], |[a, i]| called("index_select", args![a, 1, i]));
        "embedding of 10⁴ in 10⁴ rows of 256" Some(1.0), Some(8 * 256 * of(10_000));
            "a, i = x(of(10**4), 256), places(of(10**4), below=of(10**4))" "torch.nn.functional.embedding(i, a)";
            by_name([tensor(&[of(10_000), 256], F32), place_of(&[of(10_000)], of(10_000))], |[a, i]| called("embedding", args![i, a]));
        "gather of columns, 2048²" Some(1.0), None;
            "a, i = x(SIDE, SIDE), places(SIDE, SIDE, below=SIDE)" "a.gather(1, i)";
            by_name([tensor(&[side(), side()], F32), place_of(&[side(), side()], side())], |[a, i]| called("gather", args![a, 1, i]));
        "gather of rows, 2048²" Some(1.0), None;
            "a, i = x(SIDE, SIDE), places(SIDE, SIDE, below=SIDE)" "a.gather(0, i)";
            by_name([tensor(&[side(), side()], F32), place_of(&[side(), side()], side())], |[a, i]| called("gather", args![a, 0, i]));
        "take of 10⁶ in 10⁷" Some(1.0), None;
            "a, i = x(N), places(of(10**6), below=N)" "a.take(i)";
            by_name([tensor(&[big()], F32), place_of(&[of(1_000_000)], big())], |[a, i]| called("take", args![a, i]));
        "a[i], 10⁶ of 10⁶" Some(1.0), None;
            "a, i = x(of(10**6)), places(of(10**6), below=of(10**6))" "a[i]";
            by_name([tensor(&[of(1_000_000)], F32), place_of(&[of(1_000_000)], of(1_000_000))], |[a, i]| called("index", args![a, [i]]));
        "a[i, j], 10⁶ of 2048²" Some(1.0), None;
            "a, i, j = x(SIDE, SIDE), places(of(10**6), below=SIDE), places(of(10**6), below=SIDE).flip(0)" "a[i, j]";
            {
                let i = place_of(&[of(1_000_000)], side());
                let j = i.flip(&[0]).expect("a copy");
                by_name([tensor(&[side(), side()], F32), i, j], |[a, i, j]| called("index", args![a, [i, j]]))
            };
        "masked_select, half of 10⁶" Some(1.0), None;
            "a = x(of(10**6)); m = a > 0" "a.masked_select(m)";
            by_name([tensor(&[of(1_000_000)], F32), latten::positive(&[of(1_000_000)])], |[a, m]| called("masked_select", args![a, m]));
        "masked_fill, 10⁶" Some(1.0), Some(9 * of(1_000_000));
            "a = x(of(10**6)); m = a > 0" "a.masked_fill(m, 0.5)";
            by_name([tensor(&[of(1_000_000)], F32), latten::positive(&[of(1_000_000)])], |[a, m]| called("masked_fill", args![a, m, 0.5]));
        "nonzero of 10⁶ numbers" Some(1.0), None;
            "a = x(of(10**6))" "a.nonzero()";
            by_name([tensor(&[of(1_000_000)], F32)], |[a]| called("nonzero", args![a]));
        "nonzero of 2048² truths" Some(1.0), None;
            "a = x(SIDE, SIDE) > 0" "a.nonzero()";
            by_name([latten::positive(&[side(), side()])], |[a]| called("nonzero", args![a]));
        "one_hot of 10⁵ among 101" Some(1.0), None;
            "a = x(S, dtype=torch.int64)" "torch.nn.functional.one_hot(a, 101)";
            by_name([tensor(&[of(100_000)], I64)], |[a]| called("one_hot", args![a, 101]));
    }
}

/// Elements put at places.
pub fn put() -> Vec<Row> {
    fn scattered(name: &'static str, into: usize) -> crate::work::Work {
        let count = of(1_000_000);
        let zeros = tensor(&[into], F32);
        zeros.zero_().expect("memory");
        by_name([zeros, place_of(&[count], into), operand(1, &[count], F32)], move |[zeros, i, a]| called(name, args![zeros, 0, i, a]))
    }
    rows! {
        "scatter_add of 10⁶ into 101" Some(1.0), None, within 1e-3;
            "a, i, c = y(of(10**6)), x(of(10**6), dtype=torch.int64), torch.zeros(101)" "c.scatter_add(0, i, a)";
            latten::scattered(of(1_000_000));
        "scatter_add of 10⁶ into 1000" Some(1.0), None, within 1e-3;
            "a, i, c = y(of(10**6)), places(of(10**6), below=1000), torch.zeros(1000)" "c.scatter_add(0, i, a)";
            scattered("scatter_add", 1000);
        "scatter_add of 10⁶ into 10⁶" Some(1.0), None;
            "a, i, c = y(of(10**6)), places(of(10**6), below=of(10**6)), torch.zeros(of(10**6))" "c.scatter_add(0, i, a)";
            scattered("scatter_add", of(1_000_000));
        "scatter of 10⁶ into 10⁶" Some(1.0), None;
            "a, i, c = y(of(10**6)), places(of(10**6), below=of(10**6)), torch.zeros(of(10**6))" "c.scatter(0, i, a)";
            scattered("scatter", of(1_000_000));
        "scatter_add over columns, 2048²" Some(1.0), None, within 1e-4;
            "a, i, c = y(SIDE, SIDE), places(SIDE, SIDE, below=SIDE), z(SIDE, SIDE)" "c.scatter_add(1, i, a)";
            by_name([operand(2, &[side(), side()], F32), place_of(&[side(), side()], side()), operand(1, &[side(), side()], F32)],
                |[c, i, a]| called("scatter_add", args![c, 1, i, a]));
        "the largest of 10⁶ in each of 1000" Some(1.0), None;
            "a, i, c = y(of(10**6)), places(of(10**6), below=1000), z(1000)" "c.scatter_reduce(0, i, a, 'amax')";
            by_name([operand(2, &[1000], F32), place_of(&[of(1_000_000)], 1000), operand(1, &[of(1_000_000)], F32)],
                |[c, i, a]| called("scatter_reduce", args![c, 0, i, a, "amax"]));
        "index_add of 10⁴ rows of 64 to 1000" Some(1.0), None, within 1e-4;
            "a, i, c = y(of(10**4), 64), places(of(10**4), below=1000), z(1000, 64)" "c.index_add(0, i, a)";
            by_name([operand(2, &[1000, 64], F32), place_of(&[of(10_000)], 1000), operand(1, &[of(10_000), 64], F32)],
                |[c, i, a]| called("index_add", args![c, 0, i, a]));
        "index_put of 10⁶ sums into 10⁶" Some(1.0), None;
            "a, i, c = y(of(10**6)), places(of(10**6), below=of(10**6)), z(of(10**6))" "c.index_put((i,), a, accumulate=True)";
            by_name([operand(2, &[of(1_000_000)], F32), place_of(&[of(1_000_000)], of(1_000_000)), operand(1, &[of(1_000_000)], F32)],
                |[c, i, a]| called("index_put", args![c, [i], a, true]));
        "full_like of 2048²" Some(1.0), Some(4 * side() * side());
            "a = x(SIDE, SIDE)" "torch.full_like(a, 0.5)";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("full_like", args![a, 0.5]));
        "a column expanded to 2048²" Some(1.0), Some(4 * side() * side());
            "a = x(SIDE, 1)" "a.expand(SIDE, SIDE).contiguous()";
            by_name([tensor(&[side(), 1], F32)], |[a]| called("contiguous", args![&called("expand", args![a, [side(), side()]])]));
        "index_fill of 1000 rows, 2048²" Some(1.0), None;
            "a, i = x(SIDE, SIDE), places(of(1000), below=SIDE)" "a.index_fill(0, i, 0.5)";
            by_name([tensor(&[side(), side()], F32), place_of(&[of(1000)], side())], |[a, i]| called("index_fill", args![a, 0, i, 0.5]));
        "truths of 10⁶ where an index leads" Some(1.0), None;
            "i, t, c = places(of(10**6), below=of(10**6)), x(of(10**6), dtype=torch.bool), torch.zeros(of(10**6), dtype=torch.bool)" "c.scatter(0, i, t)";
            {
                let falses = latten::positive(&[of(1_000_000)]);
                falses.zero_().expect("memory");
                let places = place_of(&[of(1_000_000)], of(1_000_000));
                by_name([falses, places, tensor(&[of(1_000_000)], Bool)], |[c, i, t]| called("scatter", args![c, 0, i, t]))
            };
    }
}
