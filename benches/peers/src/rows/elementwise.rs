//! Rows of elementwise operations and conversions.

use candle_core::DType as CandleType;
use latten_spec::DType::{BF16, Bool, F16, F32, F64, I32, I64, U8};
use latten_spec::operation::Op;
use ndarray::Zip;

use super::{Row, array, arrays, candle, candles, squares};
use crate::latten;
use crate::sizes::{big, of, side, small};
use crate::work::{work, work_on};

/// Two tensors of the same sizes.
pub fn additions() -> Vec<Row> {
    rows! {
        "f32 a+b, 10⁷, new" Some(5.0), Some(12 * big());
            "a, b = x(N), y(N)" "a + b";
            latten::binary(Op::Add, [&[big()], &[big()]], [F32, F32]);
            ndarray arrays(|[a, b]| Zip::from(a).and(b).par_map_collect(|a, b| a + b), big());
            candle candles([&[big()], &[big()]], |[a, b]| a + b);
        "f32 a+b, 10⁷, out" Some(1.0), Some(12 * big());
            "a, b, c = x(N), y(N), z(N)" "torch.add(a, b, out=c)";
            latten::add_out(big());
            ndarray {
                let (a, b) = (array(0, big()), array(1, big()));
                work_on(array(2, big()), move |c| Zip::from(c).and(&a).and(&b).par_for_each(|c, &a, &b| *c = a + b))
            };
        "f32 a+=b, 10⁷" Some(1.0), Some(12 * big());
            "a, b = x(N), y(N) * 1e-9" "a.add_(b)";
            latten::add_in_place(big());
            ndarray {
                let b = array(1, big()) * 1e-9;
                work_on(array(0, big()), move |a| Zip::from(a).and(&b).par_for_each(|a, &b| *a += b))
            };
        "f32 a*=b, 10⁵" None, None;
            "a, b = x(S), torch.ones(S)" "a.mul_(b)";
            latten::in_place(Op::Mul, small(), F32);
        "f64 a+=b, 10⁵" None, None;
            "a, b = x(S, dtype=torch.float64), torch.zeros(S, dtype=torch.float64)" "a.add_(b)";
            latten::in_place(Op::Add, small(), F64);
        "i64 a+=b, 10⁵" None, None;
            "a, b = x(S, dtype=torch.int64), torch.zeros(S, dtype=torch.int64)" "a.add_(b)";
            latten::in_place(Op::Add, small(), I64);
        "bf16 a+=b, 10⁵" None, None;
            "a, b = x(S).bfloat16(), torch.zeros(S).bfloat16()" "a.add_(b)";
            latten::in_place(Op::Add, small(), BF16);
        "relu_ f32, 10⁷" Some(1.0), Some(8 * big());
            "a = x(N)" "a.relu_()";
            latten::in_place(Op::Relu, big(), F32);
        "i64+f32, 10⁷" Some(10.0), Some(16 * big());
            "a, b = x(N, dtype=torch.int64), y(N)" "a + b";
            latten::binary(Op::Add, [&[big()], &[big()]], [I64, F32]);
        "u8×f32, 10⁷" Some(5.0), Some(9 * big());
            "a, b = x(N, dtype=torch.uint8), y(N)" "a * b";
            latten::binary(Op::Mul, [&[big()], &[big()]], [U8, F32]);
        "bf16+f32, 10⁷" Some(5.0), Some(10 * big());
            "a, b = x(N).bfloat16(), y(N)" "a + b";
            latten::binary(Op::Add, [&[big()], &[big()]], [BF16, F32]);
        "f32 a+b, 10⁵" None, None;
            "a, b = x(S), y(S)" "a + b";
            latten::binary(Op::Add, [&[small()], &[small()]], [F32, F32]);
            ndarray arrays(|[a, b]| a + b, small());
            candle candles([&[small()], &[small()]], |[a, b]| a + b);
        "i64+f32, 10⁵" Some(1.5), None;
            "a, b = x(S, dtype=torch.int64), y(S)" "a + b";
            latten::binary(Op::Add, [&[small()], &[small()]], [I64, F32]);
        "u8×f32, 10⁵" Some(1.5), None;
            "a, b = x(S, dtype=torch.uint8), y(S)" "a * b";
            latten::binary(Op::Mul, [&[small()], &[small()]], [U8, F32]);
        "bf16+f32, 10⁵" Some(1.5), None;
            "a, b = x(S).bfloat16(), y(S)" "a + b";
            latten::binary(Op::Add, [&[small()], &[small()]], [BF16, F32]);
        "i32+i64, 10⁵" None, None;
            "a, b = x(S, dtype=torch.int32), y(S, dtype=torch.int64)" "a + b";
            latten::binary(Op::Add, [&[small()], &[small()]], [I32, I64]);
        "f32+f64, 10⁵" None, None;
            "a, b = x(S), y(S, dtype=torch.float64)" "a + b";
            latten::binary(Op::Add, [&[small()], &[small()]], [F32, F64]);
        "a+b of 10 elements, typed" Some(5.0), None;
            "a, b = x(10), y(10)" "a + b";
            latten::add_typed();
        "a+b of 10 elements, dynamic" Some(1.0 / 0.3), None;
            "a, b = x(10), y(10)" "a + b";
            latten::add_dynamic();
            ndarray arrays(|[a, b]| a + b, 10);
            candle candles([&[10], &[10]], |[a, b]| a + b);
        "a += b of 10 elements" None, None;
            "a, b = x(10), y(10) * 0" "a.add_(b)" => "a";
            latten::add_typed_in_place();
        "a view, a[2:6] of 10 elements" None, None;
            "a = x(10)" "a.narrow(0, 2, 4)";
            latten::narrowed();
        "the number of a tensor of one element" None, None;
            "a = x(1)" "c = a.item()" => "torch.tensor([c])";
            latten::item();
        "a chain of a+b of 10 elements, dynamic, beside TorchScript" None, None;
            "a, b = x(10), y(10); s = torch.jit.CompilationUnit('def f(a: Tensor, b: Tensor, n: int) -> Tensor:\\n  for _ in range(n):\\n    a = a + b\\n  return a\\n'); loop = lambda numbers: s.f(a, b, len(numbers))"
            "c = s.f(a, b, 1)" => "c";
            latten::add_on();
    }
}

/// Operands that don't lie as the result does.
pub fn shapes() -> Vec<Row> {
    rows! {
        "(4096,1)+(1,4096)" Some(4.0), Some(4 * of(4096) * of(4096));
            "a, b = x(of(4096), 1), y(1, of(4096))" "a + b";
            latten::binary(Op::Add, [&[of(4096), 1], &[1, of(4096)]], [F32, F32]);
            ndarray {
                let column = array(0, of(4096)).into_shape_with_order([of(4096), 1]).expect("as many elements");
                let row = array(1, of(4096)).into_shape_with_order([1, of(4096)]).expect("as many elements");
                work(move || &column + &row)
            };
            candle candles([&[of(4096), 1], &[1, of(4096)]], |[a, b]| a.broadcast_add(b));
        "a + b.T, 2048²" Some(4.0), Some(12 * side() * side());
            "a, b = x(SIDE, SIDE), y(SIDE, SIDE)" "a + b.T";
            latten::add_transposed(side());
            ndarray squares(|a, b| Zip::from(a).and(b.t()).par_map_collect(|a, b| a + b));
            candle candles([&[side(), side()], &[side(), side()]], |[a, b]| a + b.t()?);
        "b.T.contiguous(), 2048²" Some(2.0), Some(8 * side() * side());
            "b = y(SIDE, SIDE)" "b.T.contiguous()";
            latten::transpose(side());
            ndarray squares(|_, b| b.t().as_standard_layout().into_owned());
            candle candles([&[side(), side()], &[side(), side()]], |[_, b]| b.t()?.contiguous());
    }
}

/// Functions of each element.
pub fn functions() -> Vec<Row> {
    rows! {
        "exp f32, 10⁷" Some(3.0), Some(8 * big());
            "a = x(N)" "torch.exp(a)";
            latten::unary(Op::Exp, big());
            ndarray arrays(|[a]| Zip::from(a).par_map_collect(|a| a.exp()), big());
            candle candles([&[big()]], |[a]| a.exp());
        "tanh f32, 10⁷" Some(3.0), Some(8 * big());
            "a = x(N)" "torch.tanh(a)";
            latten::unary(Op::Tanh, big());
            ndarray arrays(|[a]| Zip::from(a).par_map_collect(|a| a.tanh()), big());
            candle candles([&[big()]], |[a]| a.tanh());
        "erf f32, 10⁷" Some(3.0), Some(8 * big());
            "a = x(N)" "torch.erf(a)";
            latten::unary(Op::Erf, big());
            candle candles([&[big()]], |[a]| a.erf());
        "exp f32, 10⁵" Some(1.0), None;
            "a = x(S)" "torch.exp(a)";
            latten::unary(Op::Exp, small());
            ndarray arrays(|[a]| a.mapv(f32::exp), small());
            candle candles([&[small()]], |[a]| a.exp());
        "tanh f32, 10⁵" Some(1.0), None;
            "a = x(S)" "torch.tanh(a)";
            latten::unary(Op::Tanh, small());
            ndarray arrays(|[a]| a.mapv(f32::tanh), small());
            candle candles([&[small()]], |[a]| a.tanh());
        "erf f32, 10⁵" Some(1.0), None;
            "a = x(S)" "torch.erf(a)";
            latten::unary(Op::Erf, small());
            candle candles([&[small()]], |[a]| a.erf());
        "log f32, 10⁵" None, None;
            "a = x(S) + 4.5" "torch.log(a)";
            latten::unary_of_positive(Op::Log, small());
            ndarray { let a = array(0, small()) + 4.5; work(move || a.mapv(f32::ln)) };
            candle { let a = (candle(0, &[small()]) + 4.5).expect("a tensor"); work(move || a.log().expect("a result")) };
        "sin f32, 10⁵" None, None;
            "a = x(S)" "torch.sin(a)";
            latten::unary(Op::Sin, small());
            ndarray arrays(|[a]| a.mapv(f32::sin), small());
            candle candles([&[small()]], |[a]| a.sin());
    }
}

/// From one dtype to another.
pub fn conversions() -> Vec<Row> {
    rows! {
        "f32→bf16, 10⁷, out" Some(1.0), Some(6 * big());
            "a, c = x(N), torch.empty(N, dtype=torch.bfloat16)" "c.copy_(a)";
            latten::copy(big(), F32, BF16);
        "f32→f16, 10⁷, out" Some(1.0), Some(6 * big());
            "a, c = x(N), torch.empty(N, dtype=torch.float16)" "c.copy_(a)";
            latten::copy(big(), F32, F16);
        "i64→f32, 10⁷, out" Some(1.0), Some(12 * big());
            "a, c = x(N, dtype=torch.int64), torch.empty(N)" "c.copy_(a)";
            latten::copy(big(), I64, F32);
            ndarray {
                let (a, c) = (array(0, big()).mapv(|x| ((x + 4.0) * 12.5) as i64), array(0, big()));
                work_on(c, move |c| Zip::from(c).and(&a).par_for_each(|c, &a| *c = a as f32))
            };
        "f32→u8, 10⁷, out" Some(1.0), Some(5 * big());
            "a, c = x(N, dtype=torch.uint8).float(), torch.empty(N, dtype=torch.uint8)" "c.copy_(a)";
            latten::copy(big(), F32, U8);
            ndarray {
                let (a, c) = (array(0, big()).mapv(|x| f32::from(((x + 4.0) * 12.5) as u8)), array(0, big()).mapv(|_| 0_u8));
                work_on(c, move |c| Zip::from(c).and(&a).par_for_each(|c, &a| *c = a as u8))
            };
        "f32→f32, 10⁷, out" None, Some(8 * big());
            "a, c = x(N), torch.empty(N)" "c.copy_(a)";
            latten::copy(big(), F32, F32);
            ndarray { let a = array(0, big()); work_on(array(1, big()), move |c| Zip::from(c).and(&a).par_for_each(|c, &a| *c = a)) };
        "f32→bf16, 10⁷, new" None, Some(6 * big());
            "a = x(N)" "a.bfloat16()";
            latten::converted(big(), BF16);
            candle candles([&[big()]], |[a]| a.to_dtype(CandleType::BF16));
    }
}

/// Choices and comparisons.
pub fn choices() -> Vec<Row> {
    rows! {
        "where, 10⁷" Some(3.0), Some(13 * big());
            "a, b = x(N), y(N); m = a > 0.5" "torch.where(m, a, b)";
            latten::select(big());
            ndarray {
                let mask = array(0, big()).mapv(|x| x > 0.5);
                arrays(move |[a, b]| Zip::from(&mask).and(a).and(b).par_map_collect(|&m, &a, &b| if m { a } else { b }), big())
            };
            candle {
                let mask = candle(0, &[big()]).gt(0.5_f32).expect("a mask");
                candles([&[big()], &[big()]], move |[a, b]| mask.where_cond(a, b))
            };
        "clamp, 10⁷" Some(3.0), Some(8 * big());
            "a = x(N)" "torch.clamp(a, -1, 1)";
            latten::clamp(big());
            ndarray arrays(|[a]| Zip::from(a).par_map_collect(|x| x.clamp(-1.0, 1.0)), big());
            candle candles([&[big()]], |[a]| a.clamp(-1.0_f32, 1.0_f32));
        "a < b, 10⁷" Some(3.0), Some(9 * big());
            "a, b = x(N), y(N)" "a < b";
            latten::binary(Op::Lt, [&[big()], &[big()]], [F32, F32]);
            ndarray arrays(|[a, b]| Zip::from(a).and(b).par_map_collect(|a, b| a < b), big());
            candle candles([&[big()], &[big()]], |[a, b]| a.lt(b));
        "bool→f32, 10⁵" None, None;
            "a, c = x(S, dtype=torch.bool), torch.empty(S)" "c.copy_(a)";
            latten::copy(small(), Bool, F32);
    }
}
