//! The rows of the table: one workload each, as every side writes it.

use std::hint::black_box;

use candle_core::{DType as CandleType, Device, Tensor};
use latten_core::create::Options;
use latten_core::random::{self, Replacement};
use latten_spec::DType::{BF16, Bool, C64, F16, F32, F64, I32, I64, U8};
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use ndarray::{Array1, Array2, Zip};

use crate::gradients;
use crate::latten::{self, Work, numbers};

/// A workload.
pub struct Row {
    /// What the table calls it.
    pub name: &'static str,
    /// How many times PyTorch's speed it should have.
    pub target: Option<f64>,
    /// The bytes that it reads and writes at least, where memory is the limit.
    pub bytes: Option<usize>,
    /// Python, before.
    pub setup: &'static str,
    /// Python, timed.
    pub statement: &'static str,
    /// latten's side.
    pub latten: fn() -> Work,
    /// ndarray's, where it has the operation.
    pub ndarray: Option<fn() -> Work>,
    /// candle's, where it has the operation.
    pub candle: Option<fn() -> Work>,
}

const BIG: usize = 10_000_000;
const SMALL: usize = 100_000;
const SIDE: usize = 2048;
const OUTER: usize = 4096;

fn array(count: usize) -> Array1<f32> {
    numbers(count).collect()
}

fn square() -> Array2<f32> {
    array(SIDE * SIDE).into_shape_with_order([SIDE, SIDE]).expect("as many elements")
}

fn arrays<const N: usize, R>(mut work: impl FnMut(&[Array1<f32>; N]) -> R + 'static, count: usize) -> Work {
    let arrays = [0; N].map(|_| array(count));
    Box::new(move || {
        black_box(work(&arrays));
    })
}

fn squares<R>(work: impl Fn(&Array2<f32>, &Array2<f32>) -> R + 'static) -> Work {
    let (a, b) = (square(), square());
    Box::new(move || {
        black_box(work(&a, &b));
    })
}

fn candle(sizes: &[usize]) -> Tensor {
    Tensor::from_vec(numbers(sizes.iter().product()).collect(), sizes, &Device::Cpu).expect("a tensor")
}

fn candles<const N: usize>(sizes: [&[usize]; N], work: impl Fn(&[Tensor; N]) -> candle_core::Result<Tensor> + 'static) -> Work {
    let tensors = sizes.map(candle);
    Box::new(move || {
        black_box(work(&tensors).expect("a result"));
    })
}

macro_rules! rows {
    ($($name:literal $target:expr, $bytes:expr; $setup:literal $statement:literal; $latten:expr; $($side:ident $peer:expr;)*)*) => {
        vec![$({
            #[allow(unused_mut, reason = "rows without peers")]
            let mut row = Row {
                name: $name, target: $target, bytes: $bytes, setup: $setup, statement: $statement,
                latten: || $latten, ndarray: None, candle: None,
            };
            $(row.$side = Some(|| $peer);)*
            row
        }),*]
    };
}

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    let mut rows = additions();
    rows.extend(shapes());
    rows.extend(functions());
    rows.extend(conversions());
    rows.extend(choices());
    rows.extend(reductions());
    rows.extend(products());
    rows.extend(fusions());
    rows.extend(gradients());
    rows.extend(draws());
    rows
}

fn additions() -> Vec<Row> {
    rows! {
        "f32 a+b, 10⁷, new" Some(5.0), Some(12 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7)" "a + b";
            latten::binary(Op::Add, [&[BIG], &[BIG]], [F32, F32]);
            ndarray arrays(|[a, b]| a + b, BIG);
            candle candles([&[BIG], &[BIG]], |[a, b]| a + b);
        "f32 a+b, 10⁷, out" Some(1.0), Some(12 * BIG);
            "a, b, c = torch.rand(10**7), torch.rand(10**7), torch.rand(10**7)" "torch.add(a, b, out=c)";
            latten::add_out(BIG);
            ndarray { let mut c = array(BIG); arrays(move |[a, b]| Zip::from(&mut c).and(a).and(b).for_each(|c, &a, &b| *c = a + b), BIG) };
        "f32 a+=b, 10⁷" Some(1.0), Some(12 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7) * 1e-9" "a.add_(b)";
            latten::add_in_place(BIG);
            ndarray { let mut c = array(BIG); arrays(move |[b]| c += b, BIG) };
        "i64+f32, 10⁷" Some(10.0), Some(16 * BIG);
            "a, b = torch.randint(0, 100, (10**7,)), torch.rand(10**7)" "a + b";
            latten::binary(Op::Add, [&[BIG], &[BIG]], [I64, F32]);
        "u8×f32, 10⁷" Some(5.0), Some(9 * BIG);
            "a, b = torch.randint(0, 100, (10**7,), dtype=torch.uint8), torch.rand(10**7)" "a * b";
            latten::binary(Op::Mul, [&[BIG], &[BIG]], [U8, F32]);
        "bf16+f32, 10⁷" Some(5.0), Some(10 * BIG);
            "a, b = torch.rand(10**7).bfloat16(), torch.rand(10**7)" "a + b";
            latten::binary(Op::Add, [&[BIG], &[BIG]], [BF16, F32]);
        "f32 a+b, 10⁵" None, None;
            "a, b = torch.rand(10**5), torch.rand(10**5)" "a + b";
            latten::binary(Op::Add, [&[SMALL], &[SMALL]], [F32, F32]);
            ndarray arrays(|[a, b]| a + b, SMALL);
            candle candles([&[SMALL], &[SMALL]], |[a, b]| a + b);
        "i64+f32, 10⁵" Some(1.5), None;
            "a, b = torch.randint(0, 100, (10**5,)), torch.rand(10**5)" "a + b";
            latten::binary(Op::Add, [&[SMALL], &[SMALL]], [I64, F32]);
        "u8×f32, 10⁵" Some(1.5), None;
            "a, b = torch.randint(0, 100, (10**5,), dtype=torch.uint8), torch.rand(10**5)" "a * b";
            latten::binary(Op::Mul, [&[SMALL], &[SMALL]], [U8, F32]);
        "bf16+f32, 10⁵" Some(1.5), None;
            "a, b = torch.rand(10**5).bfloat16(), torch.rand(10**5)" "a + b";
            latten::binary(Op::Add, [&[SMALL], &[SMALL]], [BF16, F32]);
        "i32+i64, 10⁵" None, None;
            "a, b = torch.randint(0, 100, (10**5,), dtype=torch.int32), torch.randint(0, 100, (10**5,))" "a + b";
            latten::binary(Op::Add, [&[SMALL], &[SMALL]], [I32, I64]);
        "f32+f64, 10⁵" None, None;
            "a, b = torch.rand(10**5), torch.rand(10**5, dtype=torch.float64)" "a + b";
            latten::binary(Op::Add, [&[SMALL], &[SMALL]], [F32, F64]);
        "a+b of 10 elements, typed" Some(5.0), None;
            "a, b = torch.rand(10), torch.rand(10)" "a + b";
            latten::add_typed();
        "a+b of 10 elements, dynamic" Some(1.0 / 0.3), None;
            "a, b = torch.rand(10), torch.rand(10)" "a + b";
            latten::binary(Op::Add, [&[10], &[10]], [F32, F32]);
            ndarray arrays(|[a, b]| a + b, 10);
            candle candles([&[10], &[10]], |[a, b]| a + b);
    }
}

fn shapes() -> Vec<Row> {
    rows! {
        "(4096,1)+(1,4096)" Some(4.0), Some(4 * OUTER * OUTER);
            "a, b = torch.rand(4096, 1), torch.rand(1, 4096)" "a + b";
            latten::binary(Op::Add, [&[OUTER, 1], &[1, OUTER]], [F32, F32]);
            ndarray {
                let column = array(OUTER).into_shape_with_order([OUTER, 1]).expect("as many elements");
                let row = array(OUTER).into_shape_with_order([1, OUTER]).expect("as many elements");
                Box::new(move || { black_box(&column + &row); })
            };
            candle candles([&[OUTER, 1], &[1, OUTER]], |[a, b]| a.broadcast_add(b));
        "a + b.T, 2048²" Some(4.0), Some(12 * SIDE * SIDE);
            "a, b = torch.rand(2048, 2048), torch.rand(2048, 2048)" "a + b.T";
            latten::add_transposed(SIDE);
            ndarray squares(|a, b| a + &b.t());
            candle candles([&[SIDE, SIDE], &[SIDE, SIDE]], |[a, b]| a + b.t()?);
        "b.T.contiguous(), 2048²" Some(2.0), Some(8 * SIDE * SIDE);
            "b = torch.rand(2048, 2048)" "b.T.contiguous()";
            latten::transpose(SIDE);
            ndarray squares(|_, b| b.t().as_standard_layout().into_owned());
            candle candles([&[SIDE, SIDE]], |[b]| b.t()?.contiguous());
    }
}

fn functions() -> Vec<Row> {
    rows! {
        "exp f32, 10⁷" Some(3.0), Some(8 * BIG);
            "a = torch.rand(10**7) * 8 - 4" "torch.exp(a)";
            latten::unary(Op::Exp, BIG);
            ndarray arrays(|[a]| a.mapv(f32::exp), BIG);
            candle candles([&[BIG]], |[a]| a.exp());
        "tanh f32, 10⁷" Some(3.0), Some(8 * BIG);
            "a = torch.rand(10**7) * 8 - 4" "torch.tanh(a)";
            latten::unary(Op::Tanh, BIG);
            ndarray arrays(|[a]| a.mapv(f32::tanh), BIG);
            candle candles([&[BIG]], |[a]| a.tanh());
        "erf f32, 10⁷" Some(3.0), Some(8 * BIG);
            "a = torch.rand(10**7) * 8 - 4" "torch.erf(a)";
            latten::unary(Op::Erf, BIG);
            candle candles([&[BIG]], |[a]| a.erf());
        "exp f32, 10⁵" Some(1.0), None;
            "a = torch.rand(10**5) * 8 - 4" "torch.exp(a)";
            latten::unary(Op::Exp, SMALL);
            ndarray arrays(|[a]| a.mapv(f32::exp), SMALL);
            candle candles([&[SMALL]], |[a]| a.exp());
        "tanh f32, 10⁵" Some(1.0), None;
            "a = torch.rand(10**5) * 8 - 4" "torch.tanh(a)";
            latten::unary(Op::Tanh, SMALL);
            ndarray arrays(|[a]| a.mapv(f32::tanh), SMALL);
            candle candles([&[SMALL]], |[a]| a.tanh());
        "erf f32, 10⁵" Some(1.0), None;
            "a = torch.rand(10**5) * 8 - 4" "torch.erf(a)";
            latten::unary(Op::Erf, SMALL);
            candle candles([&[SMALL]], |[a]| a.erf());
        "log f32, 10⁵" None, None;
            "a = torch.rand(10**5) * 8 - 4" "torch.log(a)";
            latten::unary(Op::Log, SMALL);
            ndarray arrays(|[a]| a.mapv(f32::ln), SMALL);
            candle candles([&[SMALL]], |[a]| a.log());
        "sin f32, 10⁵" None, None;
            "a = torch.rand(10**5) * 8 - 4" "torch.sin(a)";
            latten::unary(Op::Sin, SMALL);
            ndarray arrays(|[a]| a.mapv(f32::sin), SMALL);
            candle candles([&[SMALL]], |[a]| a.sin());
    }
}

fn conversions() -> Vec<Row> {
    rows! {
        "f32→bf16, 10⁷, out" Some(1.0), Some(6 * BIG);
            "a, c = torch.rand(10**7), torch.empty(10**7, dtype=torch.bfloat16)" "c.copy_(a)";
            latten::copy(BIG, F32, BF16);
        "f32→f16, 10⁷, out" Some(1.0), Some(6 * BIG);
            "a, c = torch.rand(10**7), torch.empty(10**7, dtype=torch.float16)" "c.copy_(a)";
            latten::copy(BIG, F32, F16);
        "i64→f32, 10⁷, out" Some(1.0), Some(12 * BIG);
            "a, c = torch.randint(0, 100, (10**7,)), torch.empty(10**7)" "c.copy_(a)";
            latten::copy(BIG, I64, F32);
            ndarray {
                let (a, mut c) = (array(BIG).mapv(|x| x as i64), array(BIG));
                Box::new(move || Zip::from(&mut c).and(&a).for_each(|c, &a| *c = a as f32))
            };
        "f32→u8, 10⁷, out" Some(1.0), Some(5 * BIG);
            "a, c = torch.rand(10**7) * 100, torch.empty(10**7, dtype=torch.uint8)" "c.copy_(a)";
            latten::copy(BIG, F32, U8);
            ndarray {
                let (a, mut c) = (array(BIG).mapv(|x| (x + 4.0) * 12.0), array(BIG).mapv(|_| 0_u8));
                Box::new(move || Zip::from(&mut c).and(&a).for_each(|c, &a| *c = a as u8))
            };
        "f32→f32, 10⁷, out" None, Some(8 * BIG);
            "a, c = torch.rand(10**7), torch.empty(10**7)" "c.copy_(a)";
            latten::copy(BIG, F32, F32);
            ndarray { let mut c = array(BIG); arrays(move |[a]| c.assign(a), BIG) };
        "f32→bf16, 10⁷, new" None, Some(6 * BIG);
            "a = torch.rand(10**7)" "a.bfloat16()";
            { let a = latten::tensor(&[BIG], F32); Box::new(move || { black_box(a.to_dtype(BF16).expect("a conversion")); }) };
            candle candles([&[BIG]], |[a]| a.to_dtype(CandleType::BF16));
    }
}

fn choices() -> Vec<Row> {
    rows! {
        "where, 10⁷" Some(3.0), Some(13 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); m = a > 0.5" "torch.where(m, a, b)";
            latten::select(BIG);
            ndarray {
                let mask = array(BIG).mapv(|x| x > 0.5);
                arrays(move |[a, b]| Zip::from(&mask).and(a).and(b).map_collect(|&m, &a, &b| if m { a } else { b }), BIG)
            };
            candle {
                let mask = candle(&[BIG]).gt(0.5_f32).expect("a mask");
                candles([&[BIG], &[BIG]], move |[a, b]| mask.where_cond(a, b))
            };
        "clamp, 10⁷" Some(3.0), Some(8 * BIG);
            "a = torch.rand(10**7) * 8 - 4" "torch.clamp(a, -1, 1)";
            latten::clamp(BIG);
            ndarray arrays(|[a]| a.mapv(|x| x.clamp(-1.0, 1.0)), BIG);
            candle candles([&[BIG]], |[a]| a.clamp(-1.0_f32, 1.0_f32));
        "a < b, 10⁷" Some(3.0), Some(9 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7)" "a < b";
            latten::binary(Op::Lt, [&[BIG], &[BIG]], [F32, F32]);
            ndarray arrays(|[a, b]| Zip::from(a).and(b).map_collect(|a, b| a < b), BIG);
            candle candles([&[BIG], &[BIG]], |[a, b]| a.lt(b));
        "bool→f32, 10⁵" None, None;
            "a, c = torch.rand(10**5) > 0.5, torch.empty(10**5)" "c.copy_(a)";
            latten::copy(SMALL, Bool, F32);
    }
}

/// `sigmoid(a*b+a)*b-a`: against PyTorch's operators, and against what `torch.compile` makes of them.
fn fusions() -> Vec<Row> {
    rows! {
        "fused, 10⁷, eager" Some(20.0), Some(12 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7)" "torch.sigmoid(a * b + a) * b - a";
            latten::fused(BIG);
        "fused, 10⁷, torch.compile" Some(3.0), Some(12 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused(BIG);
        "fused, 10⁵, torch.compile" Some(2.0), None;
            "a, b = torch.rand(10**5), torch.rand(10**5); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused(SMALL);
        "fused, dynamic, 10⁷, torch.compile" None, Some(12 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused_dynamic(BIG);
        "fused sum, 10⁷, eager" None, Some(8 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7)" "(torch.sigmoid(a * b + a) * b - a).sum()";
            latten::fused_sum(BIG);
        "fused sum, 10⁷, torch.compile" None, Some(8 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); f = torch.compile(lambda a, b: (torch.sigmoid(a * b + a) * b - a).sum()); f(a, b)" "f(a, b)";
            latten::fused_sum(BIG);
        "fused mean of squares, 10⁷, torch.compile" None, Some(8 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); f = torch.compile(lambda a, b: ((a - b) ** 2).mean()); f(a, b)" "f(a, b)";
            latten::fused_mean(BIG);
        "fused mean of squares, dynamic, 10⁷, torch.compile" None, Some(8 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7); f = torch.compile(lambda a, b: ((a - b) ** 2).mean()); f(a, b)" "f(a, b)";
            latten::fused_mean_dynamic(BIG);
        "not fused, 10⁷" None, None;
            "a, b = torch.rand(10**7), torch.rand(10**7)" "torch.sigmoid(a * b + a) * b - a";
            latten::unfused(BIG);
    }
}

fn reductions() -> Vec<Row> {
    rows! {
        "sum, 10⁷" Some(1.0), Some(4 * BIG);
            "a = torch.rand(10**7) * 8 - 4" "a.sum()";
            latten::reduced(Reduction::Sum, &[BIG], None, F32);
            ndarray arrays(|[a]| a.sum(), BIG);
            candle candles([&[BIG]], |[a]| a.sum_all());
        "sum over axis 0, 2048²" Some(1.0), None;
            "a = torch.rand(2048, 2048)" "a.sum(0)";
            latten::reduced(Reduction::Sum, &[SIDE, SIDE], Some(0), F32);
            ndarray squares(|a, _| a.sum_axis(ndarray::Axis(0)));
            candle candles([&[SIDE, SIDE]], |[a]| a.sum(0));
        "sum over axis 1, 2048²" Some(1.0), None;
            "a = torch.rand(2048, 2048)" "a.sum(1)";
            latten::reduced(Reduction::Sum, &[SIDE, SIDE], Some(1), F32);
            ndarray squares(|a, _| a.sum_axis(ndarray::Axis(1)));
            candle candles([&[SIDE, SIDE]], |[a]| a.sum(1));
        "argmax, 10⁷" Some(1.0), Some(4 * BIG);
            "a = torch.rand(10**7)" "a.argmax()";
            latten::reduced(Reduction::Argmax, &[BIG], None, F32);
            candle candles([&[BIG]], |[a]| a.argmax(0));
        "any, 10⁷ bools" Some(1.0), Some(BIG);
            "a = torch.zeros(10**7, dtype=torch.bool)" "a.erase()";
            latten::any_of_none(BIG);
        "var, 10⁷" Some(1.0), Some(4 * BIG);
            "a = torch.rand(10**7)" "a.var()";
            latten::reduced(Reduction::Var, &[BIG], None, F32);
            ndarray arrays(|[a]| a.var(1.0), BIG);
        "softmax over axis 1, 2048²" Some(1.2), None;
            "a = torch.rand(2048, 2048)" "a.softmax(1)";
            latten::softmax_of(SIDE, 1);
        "softmax over axis 0, 2048²" Some(1.2), None;
            "a = torch.rand(2048, 2048)" "a.softmax(0)";
            latten::softmax_of(SIDE, 0);
    }
}

fn products() -> Vec<Row> {
    rows! {
        "f32 matmul, 64²" Some(2.0), None;
            "a, b = torch.rand(64, 64), torch.rand(64, 64)" "a @ b";
            latten::product([&[64, 64], &[64, 64]], F32);
            candle candles([&[64, 64], &[64, 64]], |[a, b]| a.matmul(b));
        "f32 matmul, 256²" Some(1.0), None;
            "a, b = torch.rand(256, 256), torch.rand(256, 256)" "a @ b";
            latten::product([&[256, 256], &[256, 256]], F32);
            candle candles([&[256, 256], &[256, 256]], |[a, b]| a.matmul(b));
        "f32 matmul, 1024²" Some(0.9), None;
            "a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)" "a @ b";
            latten::product([&[1024, 1024], &[1024, 1024]], F32);
            candle candles([&[1024, 1024], &[1024, 1024]], |[a, b]| a.matmul(b));
        "f64 matmul, 1024²" Some(0.9), None;
            "a, b = torch.rand(1024, 1024, dtype=torch.float64), torch.rand(1024, 1024, dtype=torch.float64)" "a @ b";
            latten::product([&[1024, 1024], &[1024, 1024]], F64);
        "bf16 matmul, 512²" Some(1.0), None;
            "a, b = torch.rand(512, 512).bfloat16(), torch.rand(512, 512).bfloat16()" "a @ b";
            latten::product([&[512, 512], &[512, 512]], BF16);
        "i64 matmul, 512²" Some(1.0), None;
            "a, b = torch.randint(0, 100, (512, 512)), torch.randint(0, 100, (512, 512))" "a @ b";
            latten::product([&[512, 512], &[512, 512]], I64);
        "c64 matmul, 512²" None, None;
            "a, b = torch.rand(512, 512, dtype=torch.complex64), torch.rand(512, 512, dtype=torch.complex64)" "a @ b";
            latten::product([&[512, 512], &[512, 512]], C64);
        "bmm, 64 of 64²" Some(1.0), None;
            "a, b = torch.rand(64, 64, 64), torch.rand(64, 64, 64)" "torch.bmm(a, b)";
            latten::product([&[64, 64, 64], &[64, 64, 64]], F32);
            candle candles([&[64, 64, 64], &[64, 64, 64]], |[a, b]| a.matmul(b));
        "matrix times vector, 2048²" None, None;
            "a, b = torch.rand(2048, 2048), torch.rand(2048)" "torch.mv(a, b)";
            latten::product([&[SIDE, SIDE], &[SIDE]], F32);
        "dot, 10⁷" None, Some(8 * BIG);
            "a, b = torch.rand(10**7), torch.rand(10**7)" "torch.dot(a, b)";
            latten::product([&[BIG], &[BIG]], F32);
    }
}

fn draws() -> Vec<Row> {
    rows! {
        "rand, 10⁷" Some(1.5), None;
            "" "torch.rand(10**7)";
            latten::drawn(|generator| random::rand(latten::empty(&[BIG]), Some(generator)));
        "randn, 10⁷" Some(1.5), None;
            "" "torch.randn(10**7)";
            latten::drawn(|generator| random::randn(latten::empty(&[BIG]), Some(generator)));
        "bernoulli_, 10⁷" Some(1.5), None;
            "a = torch.empty(10**7)" "a.bernoulli_(0.3)";
            latten::filled(BIG, |tensor, generator| random::bernoulli_(tensor, 0.3, Some(generator)));
        "dropout, 10⁷" Some(1.0), None;
            "a = torch.rand(10**7)" "torch.dropout(a, 0.5, True)";
            latten::dropped(BIG);
        "randperm, 10⁶" Some(1.5), None;
            "" "torch.randperm(10**6)";
            latten::drawn(|generator| random::randperm(1_000_000, &Options::new(), Some(generator)));
        "multinomial, 10 of each of 1000 × 1000" Some(1.0), None;
            "a = torch.rand(1000, 1000)" "a.multinomial(10)";
            latten::sampled(Replacement::No);
        "the same, with replacement" Some(1.0), None;
            "a = torch.rand(1000, 1000)" "a.multinomial(10, True)";
            latten::sampled(Replacement::Yes);
    }
}

fn gradients() -> Vec<Row> {
    rows! {
        "gradients of the fused, 10⁷, eager" Some(8.0), None;
            "a, b = torch.rand(10**7).requires_grad_(), torch.rand(10**7).requires_grad_()"
            "a.grad = b.grad = None; (torch.sigmoid(a * b + a) * b - a).sum().backward()";
            gradients::fused(BIG);
            candle gradients::by_candle(BIG);
        "gradients of the same by operators, 10⁷" Some(2.0), None;
            "a, b = torch.rand(10**7).requires_grad_(), torch.rand(10**7).requires_grad_()"
            "a.grad = b.grad = None; (torch.sigmoid(a * b + a) * b - a).sum().backward()";
            gradients::by_operators(BIG);
            candle gradients::by_candle(BIG);
        "gradients: a step of SGD, 784-512-512-10" Some(1.5), None;
            "from torch.nn import Linear, ReLU, Sequential; from torch.nn.functional import cross_entropy; m = Sequential(Linear(784, 512), ReLU(), Linear(512, 512), ReLU(), Linear(512, 10)); o = torch.optim.SGD(m.parameters(), lr=0.01); x, y = torch.rand(128, 784), torch.randint(0, 10, (128,))"
            "o.zero_grad(); cross_entropy(m(x), y).backward(); o.step()";
            gradients::step();
            candle gradients::step_by_candle();
        "gradients: a·b of ten, recorded" None, None;
            "a, b = torch.rand(10).requires_grad_(), torch.rand(10)" "a * b";
            gradients::small();
        "gradients: a·b of ten, and back" None, None;
            "a, b, g = torch.rand(10).requires_grad_(), torch.rand(10), torch.rand(10)" "a.grad = None; (a * b).backward(g)";
            gradients::small_and_back();
    }
}
