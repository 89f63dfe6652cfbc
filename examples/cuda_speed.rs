//! What a GPU does in a second: `cargo run --release --features cuda --example cuda_speed`. Operations on large tensors, in bytes read and
//! written a second, beside the card's own copy; and PyTorch on the same card, where `python3` has it (`PYTHON` names another one).

use std::process::Command;
use std::time::Instant;

use latten::cuda::{self, Event};
use latten::elementwise::{Params, RawOperand, Target, apply, apply_out};
use latten::product;
use latten::program::{Argument, Program};
use latten::reduce::{Along, reduce, scan, softmax};
use latten::{DType, Device, DeviceType, Op, RawTensor, Reduction, Result};

/// Elements: far more than the caches hold.
const COUNT: usize = 1 << 28;
/// Rows and columns of the matrices that are multiplied.
const SIDE: usize = 4096;
/// Turns that are measured, after some that aren't.
const TURNS: u32 = 20;

fn main() {
    if let Err(error) = measure() {
        println!("nothing was measured: {error}");
    }
}

fn measure() -> Result<()> {
    let properties = cuda::device_properties(0)?;
    println!("{} sm_{}{}, {COUNT} elements, {TURNS} turns", properties.name, properties.capability.0, properties.capability.1);
    println!("{:<28} {:>10} {:>10}", "latten", "ms", "GB/s");
    let device: Device = DeviceType::Cuda.into();
    let tensor = |sizes: &[usize], dtype| -> Result<RawTensor> {
        let strides: Vec<usize> = (0..sizes.len()).map(|dim| sizes[dim + 1..].iter().product()).collect();
        let tensor = RawTensor::empty(sizes, &strides, dtype, device)?;
        tensor.fill_(1)?;
        Ok(tensor)
    };
    let rows = [COUNT / 4096, 4096];
    let (f32a, f32b, mut out) = (tensor(&rows, DType::F32)?, tensor(&rows, DType::F32)?, tensor(&rows, DType::F32)?);
    let (f16, i64s, row) = (tensor(&rows, DType::F16)?, tensor(&rows, DType::I64)?, tensor(&[4096], DType::F32)?);
    let bytes = |dtypes: &[DType]| COUNT * dtypes.iter().map(|dtype| dtype.itemsize()).sum::<usize>();
    report("copy of f32", bytes(&[DType::F32; 2]), || out.clone().copy_(&f32a))?;
    let mut operation = |name: &str, op: Op, operands: &[RawOperand<'_>], bytes: usize| {
        report(name, bytes, || apply_out(op, operands, &mut out, &Params::none()).map(|_| ()))
    };
    operation("f32 + f32", Op::Add, &[(&f32a).into(), (&f32b).into()], bytes(&[DType::F32; 3]))?;
    operation("f32 + 2.5", Op::Add, &[(&f32a).into(), 2.5.into()], bytes(&[DType::F32; 2]))?;
    operation("f16 + f32", Op::Add, &[(&f16).into(), (&f32a).into()], bytes(&[DType::F16, DType::F32, DType::F32]))?;
    operation("i64 + f32", Op::Add, &[(&i64s).into(), (&f32a).into()], bytes(&[DType::I64, DType::F32, DType::F32]))?;
    operation("f32 + f32 of a row", Op::Add, &[(&f32a).into(), (&row).into()], bytes(&[DType::F32; 2]))?;
    operation("tanh of f32", Op::Tanh, &[(&f32a).into()], bytes(&[DType::F32; 2]))?;
    let fused = |x: &RawTensor, y: &RawTensor, out: &RawTensor| -> Result<()> {
        let mut program = Program::new();
        let product = program.apply(Op::Mul, &[Argument::Operand(0), Argument::Operand(1)], Params::none());
        let sum = program.apply(Op::Add, &[product, Argument::Operand(0)], Params::none());
        let root = program.apply(Op::Sigmoid, &[sum], Params::none());
        program.apply(Op::Mul, &[root, Argument::Operand(1)], Params::none());
        program.run_into(&[x, y], out)
    };
    report("sigmoid(a * b + a) * b", bytes(&[DType::F32; 3]), || fused(&f32a, &f32b, &out))?;
    report("sum of f32", bytes(&[DType::F32]), || reduce(Reduction::Sum, &f32a, &Along::all()).map(drop))?;
    report("sum over rows of f32", bytes(&[DType::F32]), || reduce(Reduction::Sum, &f32a, &Along::dims(&[0])).map(drop))?;
    report("argmax of f32", bytes(&[DType::F32]), || reduce(Reduction::Argmax, &f32a, &Along::all()).map(drop))?;
    report("var of rows of f32", bytes(&[DType::F32]), || reduce(Reduction::Var, &f32a, &Along::dims(&[1])).map(drop))?;
    report("softmax of rows of f32", bytes(&[DType::F32; 2]), || softmax(Reduction::Softmax, &f32a, 1, None, Target::New).map(drop))?;
    report("cumsum of rows of f32", bytes(&[DType::F32; 2]), || scan(Reduction::Cumsum, &f32a, 1, None, Target::New).map(drop))?;
    let halves = RawTensor::empty(f16.sizes(), f16.strides(), DType::F16, device)?;
    report("f32 to f16", bytes(&[DType::F32, DType::F16]), || halves.copy_(&f32a))?;
    report("i64 to f32", bytes(&[DType::I64, DType::F32]), || out.copy_(&i64s))?;
    let turned = f32a.as_strided(&[4096, rows[0].cast_signed()], &[1, 4096], None)?;
    let straight = tensor(&[4096, rows[0]], DType::F32)?;
    report("transposed copy of f32", bytes(&[DType::F32; 2]), || straight.copy_(&turned))?;
    small(device)?;
    drop((f32a, f32b, out, f16, i64s, halves, straight, turned));
    println!("{:<28} {:>10} {:>10}", "products of 4096 by 4096", "ms", "GFLOP/s");
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32] {
        let (x, y) = (tensor(&[SIDE, SIDE], dtype)?, tensor(&[SIDE, SIDE], dtype)?);
        report(&format!("mm of {dtype}"), 2 * SIDE.pow(3), || product::mm(&x, &y, Target::New).map(drop))?;
    }
    cuda::empty_cache(device)?;
    pytorch();
    Ok(())
}

/// Measures with events on the stream: what the GPU takes, not what the host does.
fn report(name: &str, bytes: usize, mut turn: impl FnMut() -> Result<()>) -> Result<()> {
    for _ in 0..3 {
        turn()?;
    }
    let start = Event::record(0)?;
    for _ in 0..TURNS {
        turn()?;
    }
    let end = Event::record(0)?;
    end.synchronize()?;
    let milliseconds = f64::from(start.milliseconds_to(&end)?) / f64::from(TURNS);
    println!("{name:<28} {milliseconds:>10.3} {:>10.0}", bytes as f64 / milliseconds / 1e6);
    Ok(())
}

/// Launches of an operation on few elements: what the host does for each.
const LAUNCHES: u32 = 20_000;

/// How long an operation takes that has nothing to do.
fn small(device: Device) -> Result<()> {
    let tensor = || RawTensor::empty(&[64], &[1], DType::F32, device);
    let (x, y) = (tensor()?, tensor()?);
    x.fill_(1)?;
    y.fill_(2)?;
    let turn = || apply(Op::Add, &[(&x).into(), (&y).into()], &Params::none()).map(drop);
    for _ in 0..LAUNCHES / 10 {
        turn()?;
    }
    cuda::synchronize(device)?;
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        turn()?;
    }
    cuda::synchronize(device)?;
    println!("{:<28} {:>10.2} microseconds each", "64 elements of f32 + f32", start.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES));
    Ok(())
}

const PYTORCH: &str = r"
import torch, sys
count, turns = int(sys.argv[1]), int(sys.argv[2])
rows = (count // 4096, 4096)
def t(dtype, shape=rows): return torch.ones(shape, dtype=dtype, device='cuda')
a, b, out, h, i, row = t(torch.float32), t(torch.float32), t(torch.float32), t(torch.float16), t(torch.int64), t(torch.float32, (4096,))
halves, straight = t(torch.float16), t(torch.float32, (4096, count // 4096))
print('%-28s %10s %10s' % ('PyTorch ' + torch.__version__, 'ms', 'GB/s'))
def report(name, size, turn):
    for _ in range(3): turn()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(turns): turn()
    end.record(); end.synchronize()
    ms = start.elapsed_time(end) / turns
    print('%-28s %10.3f %10.0f' % (name, ms, count * size / ms / 1e6))
report('copy of f32', 8, lambda: out.copy_(a))
report('f32 + f32', 12, lambda: torch.add(a, b, out=out))
report('f32 + 2.5', 8, lambda: torch.add(a, 2.5, out=out))
report('f16 + f32', 10, lambda: torch.add(h, a, out=out))
report('i64 + f32', 16, lambda: torch.add(i, a, out=out))
report('f32 + f32 of a row', 8, lambda: torch.add(a, row, out=out))
report('tanh of f32', 8, lambda: torch.tanh(a, out=out))
report('sigmoid(a * b + a) * b', 12, lambda: torch.mul(torch.sigmoid(a * b + a), b, out=out))
report('sum of f32', 4, lambda: a.sum())
report('sum over rows of f32', 4, lambda: a.sum(0))
report('argmax of f32', 4, lambda: a.argmax())
report('var of rows of f32', 4, lambda: a.var(1))
report('softmax of rows of f32', 8, lambda: a.softmax(1))
report('cumsum of rows of f32', 8, lambda: a.cumsum(1))
report('f32 to f16', 6, lambda: halves.copy_(a))
report('i64 to f32', 12, lambda: out.copy_(i))
report('transposed copy of f32', 8, lambda: straight.copy_(a.t()))
print('%-28s %10s %10s' % ('products of 4096 by 4096', 'ms', 'GFLOP/s'))
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
    x, y = t(dtype, (4096, 4096)), t(dtype, (4096, 4096))
    report('mm of %s' % str(dtype)[6:], 2 * 4096 ** 3 / count, lambda: x @ y)
import time
x, y, launches = t(torch.float32, (64,)), t(torch.float32, (64,)), int(sys.argv[3])
for _ in range(launches // 10): torch.add(x, y)
torch.cuda.synchronize(); start = time.perf_counter()
for _ in range(launches): torch.add(x, y)
torch.cuda.synchronize()
print('%-28s %10.2f microseconds each' % ('64 elements of f32 + f32', (time.perf_counter() - start) * 1e6 / launches))
";

/// The same in PyTorch.
fn pytorch() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python).args(["-c", PYTORCH, &COUNT.to_string(), &TURNS.to_string(), &LAUNCHES.to_string()]).output();
    match output {
        Ok(output) if output.status.success() => print!("\n{}", String::from_utf8_lossy(&output.stdout)),
        Ok(output) => println!("\nPyTorch wasn't measured: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default()),
        Err(error) => println!("\nPyTorch wasn't measured: {python}: {error}"),
    }
}
