//! Rows of a few operations each, as people write them.

use latten_core::args;
use latten_spec::DType::{BF16, F32, I64};

use super::Row;
use crate::latten::{by_name, called, called_first, operand, tensor, zeros_and_ones};
use crate::sizes::{of, side};

/// Steps of programs.
pub fn steps() -> Vec<Row> {
    rows! {
        "a - its rows' means, 2000 by 20" Some(1.0), None;
            "a = x(of(2000), 20)" "a - a.mean(1, keepdim=True)";
            by_name([tensor(&[of(2000), 20], F32)], |[a]| a - &called("mean", args![a, 1, true]));
        "a - its columns' means, 2000 by 20" Some(1.0), None;
            "a = x(of(2000), 20)" "a - a.mean(0, keepdim=True)";
            by_name([tensor(&[of(2000), 20], F32)], |[a]| a - &called("mean", args![a, 0, true]));
        "layer norm by operators, 2048²" Some(1.0), None, within 1e-4;
            "a = x(SIDE, SIDE)" "(a - a.mean(1, keepdim=True)) * (a.var(1, correction=0, keepdim=True) + 1e-5).rsqrt()";
            by_name([tensor(&[side(), side()], F32)], |[a]| {
                let variance = called("var", args![a, 1, correction = 0, keepdim = true]);
                (a - &called("mean", args![a, 1, true])) * called("rsqrt", args![&(variance + 1e-5)])
            });
        "log_softmax over axis 1, 2048²" Some(1.0), None;
            "a = x(SIDE, SIDE)" "a.log_softmax(1)";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("log_softmax", args![a, 1]));
        "std of each column, 2048²" Some(1.0), None, within 1e-4;
            "a = x(SIDE, SIDE)" "a.std(0)";
            by_name([tensor(&[side(), side()], F32)], |[a]| called("std", args![a, 0]));
        "bf16 linear, 128 by 512 to 512" Some(1.0), None, within 2e-2;
            "a, w, b = x(128, of(512)).bfloat16(), y(of(512), of(512)).bfloat16(), z(of(512)).bfloat16()" "torch.nn.functional.linear(a, w, b)";
            by_name([operand(0, &[128, of(512)], BF16), operand(1, &[of(512), of(512)], BF16), operand(2, &[of(512)], BF16)],
                |[a, w, b]| called("linear", args![a, w, b]));
        "bf16 q kᵀ, 16 of 128 by 64" Some(1.0), None, within 2e-2;
            "q, k = x(16, 128, 64).bfloat16(), y(16, 128, 64).bfloat16()" "q @ k.transpose(1, 2)";
            by_name([0, 1].map(|number| operand(number, &[16, 128, 64], BF16)),
                |[q, k]| called("matmul", args![q, &called("transpose", args![k, 1, 2])]));
        "attention by operators, 16 of 128 by 64" Some(1.0), None, within 1e-4;
            "q, k, v = x(16, 128, 64), y(16, 128, 64), z(16, 128, 64)" "torch.softmax(q @ k.transpose(1, 2) * 0.125, -1) @ v";
            by_name([0, 1, 2].map(|number| operand(number, &[16, 128, 64], F32)), |[q, k, v]| {
                let likeness = called("matmul", args![q, &called("transpose", args![k, 1, 2])]) * 0.125;
                called("matmul", args![&called("softmax", args![&likeness, -1]), v])
            });
        "linear of one row, 512 to 512" Some(1.0), None, within 1e-4;
            "a, w, b = x(1, of(512)), y(of(512), of(512)), z(of(512))" "torch.nn.functional.linear(a, w, b)";
            by_name([operand(0, &[1, of(512)], F32), operand(1, &[of(512), of(512)], F32), operand(2, &[of(512)], F32)],
                |[a, w, b]| called("linear", args![a, w, b]));
        "group means of 10⁶ in 101" Some(1.0), None, within 1e-3;
            "a, i, o = y(of(10**6)), x(of(10**6), dtype=torch.int64), torch.ones(of(10**6))"
            "torch.zeros(101).scatter_add_(0, i, a) / torch.zeros(101).scatter_add_(0, i, o).clamp(min=1)";
            by_name([operand(1, &[of(1_000_000)], F32), tensor(&[of(1_000_000)], I64), tensor(&[101], F32)], |[a, i, zeros]| {
                let (zeros, ones) = (called("zeros_like", args![zeros]), called("ones_like", args![a]));
                let counts = called("scatter_add", args![&zeros, 0, i, &ones]);
                called("scatter_add", args![&zeros, 0, i, a]) / called("clamp", args![&counts, 1])
            });
        "a step of heat by slices, 1024²" Some(1.0), None;
            "a = x(of(1024), of(1024))"
            "a[1:-1, 1:-1] + 0.1 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1])";
            by_name([tensor(&[of(1024), of(1024)], F32)], |[a]| {
                let inner = of(1024) as i64 - 2;
                let part = |row: i64, column: i64| called("narrow", args![&called("narrow", args![a, 0, row, inner]), 1, column, inner]);
                let change = part(2, 1) + part(0, 1) + part(1, 2) + part(1, 0) - part(1, 1) * 4;
                part(1, 1) + change * 0.1
            });
        "gradient of a logistic regression by hand, 2000 by 20" Some(1.0), None, within 1e-4;
            "a, w, t = x(of(2000), 20), y(20), (x(of(2000)) > 0).float()" "a.t() @ (torch.sigmoid(a @ w) - t) / 2000";
            by_name([tensor(&[of(2000), 20], F32), operand(1, &[20], F32), zeros_and_ones(of(2000))], |[a, w, t]| {
                let p = called("sigmoid", args![&called("matmul", args![a, w])]);
                called("matmul", args![&called("t", args![a]), &(p - t)]) / 2000
            });
        "squared distances, 500 to 500 by 16" Some(1.0), None, within 1e-4;
            "a, b = x(500, 16), y(500, 16)" "((a[:, None] - b[None]) ** 2).sum(2)";
            by_name([0, 1].map(|number| operand(number, &[500, 16], F32)), |[a, b]| {
                let difference = called("unsqueeze", args![a, 1]) - called("unsqueeze", args![b, 0]);
                called("sum", args![&called("pow", args![&difference, 2]), 2])
            });
        "outer product, 2048 by 2048" Some(1.0), None;
            "a, b = x(SIDE), y(SIDE)" "torch.outer(a, b)";
            by_name([0, 1].map(|number| operand(number, &[side()], F32)), |[a, b]| called("outer", args![a, b]));
        "the 10 best of softmax of each row, 128 by 1000" Some(1.0), None;
            "a = x(128, of(1000))" "a.softmax(1).topk(10).values";
            by_name([tensor(&[128, of(1000)], F32)], |[a]| called_first("topk", args![&called("softmax", args![a, 1]), 10]));
        "cov of 20 by 2000" Some(1.0), None, within 1e-4;
            "a = x(20, of(2000))" "a.cov()";
            by_name([tensor(&[20, of(2000)], F32)], |[a]| called("cov", args![a]));
    }
}
