//! What a GPU does in a second: `cargo run --release --features cuda --example cuda_speed`. Operations on large tensors, in bytes read and
//! written a second, beside the card's own copy; and PyTorch on the same card, where `python3` has it (`PYTHON` names another one). A word behind it chooses rows.

use std::process::Command;
use std::time::Instant;

use latten::cuda::{self, Event};
use latten::elementwise::{Params, RawOperand, Target, apply, apply_out};
use latten::optim::{Parameter, Sgd};
use latten::prelude::*;
use latten::product;
use latten::program::{Argument, Program};
use latten::reduce::Reduction;
use latten::reduce::{Along, reduce, scan, softmax};
use latten::{DeviceType, Op, RawTensor};

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
    let short = f32a.as_strided(&[(COUNT / 256).cast_signed(), 256], &[256, 1], None)?;
    report("sum of rows of 256", bytes(&[DType::F32]), || reduce(Reduction::Sum, &short, &Along::dims(&[1])).map(drop))?;
    report("softmax of rows of 256", bytes(&[DType::F32; 2]), || softmax(Reduction::Softmax, &short, 1, None, Target::New).map(drop))?;
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
    orders(device)?;
    gradients(device)?;
    pytorch();
    Ok(())
}

/// Measures with events on the stream: what the GPU takes, not what the host does.
fn report(name: &str, bytes: usize, mut turn: impl FnMut() -> Result<()>) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|only| !name.contains(&only)) {
        return Ok(());
    }
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

/// Elements that are put in order, or added at places; and how long a row of them is, and how many places there are.
const SORTED: usize = 1 << 24;
const ROW: usize = 1024;
const PLACES: u32 = 1 << 16;

/// Orders of elements, and sums at places.
fn orders(device: Device) -> Result<()> {
    println!("{:<28} {:>10}", "orders of 2^24 elements", "ms");
    let row = Tensor::<f32>::randn([SORTED])?.cuda()?;
    let rows = row.view([SORTED / ROW, ROW])?;
    let places = (Tensor::<f32>::rand([SORTED])?.cuda()? * f64::from(PLACES)).to::<i64>();
    let sums = Tensor::<f32>::zeros([PLACES])?.cuda()?;
    timed(device, "sort of f32", TURNS, &mut || row.sort(0).map(drop))?;
    timed(device, "sort of i64", TURNS, &mut || places.sort(0).map(drop))?;
    timed(device, "sort of rows of 1024", TURNS, &mut || rows.sort(1).map(drop))?;
    timed(device, "the 10 largest", TURNS, &mut || row.topk(10, 0).map(drop))?;
    timed(device, "scatter_add to 65536 places", TURNS, &mut || sums.scatter_add(0, &places, &row).map(drop))
}

/// Measures by the clock, with what the host does.
fn timed(device: Device, name: &str, turns: u32, turn: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|only| !name.contains(&only)) {
        return Ok(());
    }
    for _ in 0..3 {
        turn()?;
    }
    cuda::synchronize(device)?;
    let start = Instant::now();
    for _ in 0..turns {
        turn()?;
    }
    cuda::synchronize(device)?;
    println!("{name:<28} {:>10.3}", start.elapsed().as_secs_f64() * 1e3 / f64::from(turns));
    Ok(())
}

/// Elements whose gradients are computed, and steps of training.
const LEAVES: usize = 1 << 26;
const STEPS: u32 = 500;

/// Images, their pixels, hidden units, and the kinds of images.
const BATCH: usize = 128;
const PIXELS: usize = 784;
const HIDDEN: usize = 512;
const KINDS: usize = 10;

struct Layer<const TO: usize, const FROM: usize> {
    weight: Tensor<f32, shape![TO, FROM]>,
    bias: Tensor<f32, shape![TO]>,
}

impl<const TO: usize, const FROM: usize> Layer<TO, FROM> {
    fn new() -> Result<Self> {
        let weight: Tensor<f32, shape![TO, FROM]> = Tensor::randn();
        let bias: Tensor<f32, shape![TO]> = Tensor::zeros();
        Ok(Self { weight: (weight * 0.05).cuda()?.requiring_grad()?, bias: bias.cuda()?.requiring_grad()? })
    }

    fn of(&self, input: &Tensor<f32, shape![BATCH, FROM]>) -> Tensor<f32, shape![BATCH, TO]> {
        input.linear_with(&self.weight, &self.bias)
    }
}

/// Gradients of an expression, in `fuse!` and by operators; and a step of training of a network of three layers.
fn gradients(device: Device) -> Result<()> {
    println!("{:<28} {:>10}", "gradients", "ms");
    let leaf = || Tensor::<f32, shape![LEAVES]>::ones().cuda()?.requiring_grad();
    let (mut a, mut b) = (leaf()?, leaf()?);
    timed(device, "of a fuse!, there and back", TURNS, &mut || {
        a.zero_grad();
        b.zero_grad();
        fuse!(sum(sigmoid(a * b + a) * b - a)).backward()
    })?;
    timed(device, "the same by operators", TURNS, &mut || {
        a.zero_grad();
        b.zero_grad();
        ((&a * &b + &a).sigmoid() * &b - &a).sum().backward()
    })?;
    let images = Tensor::<f32, shape![BATCH, PIXELS]>::randn().cuda()?;
    let kinds: Vec<i64> = (0_i64..).map(|image| image * 7 % KINDS as i64).take(BATCH).collect();
    let kinds: Tensor<i64, shape![BATCH, 1]> = Tensor::from_vec(kinds, shape![BATCH, 1])?.cuda()?;
    let (mut first, mut second, mut third) =
        (Layer::<HIDDEN, PIXELS>::new()?, Layer::<HIDDEN, HIDDEN>::new()?, Layer::<KINDS, HIDDEN>::new()?);
    let mut sgd = Sgd::new(0.01);
    timed(device, "a step of SGD, three layers", STEPS, &mut || {
        let hidden = second.of(&first.of(&images).relu()).relu();
        let loss = -third.of(&hidden).log_softmax::<f32, _>(1)?.gather(1, &kinds)?.mean();
        loss.backward()?;
        let mut parameters: [&mut dyn Parameter; 6] =
            [&mut first.weight, &mut first.bias, &mut second.weight, &mut second.bias, &mut third.weight, &mut third.bias];
        sgd.step(&mut parameters)?;
        parameters.into_iter().for_each(|parameter| parameter.zero_grad());
        Ok(())
    })
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
short = a.view(-1, 256)
report('sum of rows of 256', 4, lambda: short.sum(1))
report('softmax of rows of 256', 8, lambda: short.softmax(1))
report('cumsum of rows of f32', 8, lambda: a.cumsum(1))
report('f32 to f16', 6, lambda: halves.copy_(a))
report('i64 to f32', 12, lambda: out.copy_(i))
report('transposed copy of f32', 8, lambda: straight.copy_(a.t()))
del a, b, out, h, i, halves, straight, short
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
def timed(name, turns, turn):
    for _ in range(3): turn()
    torch.cuda.synchronize(); start = time.perf_counter()
    for _ in range(turns): turn()
    torch.cuda.synchronize()
    print('%-28s %10.3f' % (name, (time.perf_counter() - start) * 1e3 / turns))
print('%-28s %10s' % ('orders of 2^24 elements', 'ms'))
row = torch.randn(1 << 24, device='cuda')
places, sums = (torch.rand(1 << 24, device='cuda') * 65536).long(), torch.zeros(65536, device='cuda')
timed('sort of f32', turns, lambda: row.sort(stable=True))
timed('sort of i64', turns, lambda: places.sort(stable=True))
timed('sort of rows of 1024', turns, lambda: row.view(-1, 1024).sort(stable=True))
timed('the 10 largest', turns, lambda: row.topk(10))
timed('scatter_add to 65536 places', turns, lambda: sums.scatter_add(0, places, row))
from torch.nn import Linear, ReLU, Sequential
from torch.nn.functional import cross_entropy
print('%-28s %10s' % ('gradients', 'ms'))
a, b = [torch.ones(int(sys.argv[4]), device='cuda', requires_grad=True) for _ in range(2)]
def there_and_back():
    a.grad = b.grad = None
    ((a * b + a).sigmoid() * b - a).sum().backward()
timed('by operators, there and back', turns, there_and_back)
m = Sequential(Linear(784, 512), ReLU(), Linear(512, 512), ReLU(), Linear(512, 10)).cuda()
o = torch.optim.SGD(m.parameters(), lr=0.01)
images, kinds = torch.randn(128, 784, device='cuda'), torch.arange(128, device='cuda') * 7 % 10
def step():
    o.zero_grad()
    cross_entropy(m(images), kinds).backward()
    o.step()
timed('a step of SGD, three layers', int(sys.argv[5]), step)
";

/// The same in PyTorch.
fn pytorch() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let counts = [COUNT.to_string(), TURNS.to_string(), LAUNCHES.to_string(), LEAVES.to_string(), STEPS.to_string()];
    let output = Command::new(&python).args(["-c", PYTORCH]).args(counts).output();
    match output {
        Ok(output) if output.status.success() => print!("\n{}", String::from_utf8_lossy(&output.stdout)),
        Ok(output) => println!("\nPyTorch wasn't measured: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default()),
        Err(error) => println!("\nPyTorch wasn't measured: {python}: {error}"),
    }
}
