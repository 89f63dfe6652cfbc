//! Numbers for the tests, and the comparison of what the CPU and a device make of them.

use latten::elementwise::{Params, RawOperand, apply};
use latten::{Category, Complex, DType, MemoryFormat, Op, RawTensor, Result, Scalar, finfo};

/// What no two libraries compute to the last bit.
const INEXACT: [&str; 28] = [
    "pow(", "exp(", "exp2(", "expm1(", "log(", "log2(", "log10(", "log1p(", "sin(", "cos(", "tan(", "asin(", "acos(", "atan(", "sinh(",
    "cosh(", "tanh(", "asinh(", "acosh(", "atanh(", "erf(", "erfc(", "erfinv(", "lgamma(", "atan2(", "hypot(", "angle(", "sgn(",
];
/// The same of complex numbers.
const INEXACT_COMPLEX: [&str; 2] = ["abs(", "sqrt("];

/// Whether the CPU and a device must agree to the last bit.
pub(crate) fn is_exact(op: Op, category: Category) -> bool {
    let formula = op.row().formula(category).unwrap_or_default();
    let contains = |names: &[&str]| names.iter().any(|name| formula.contains(name));
    let inexact = category >= Category::Floating && contains(&INEXACT) || category == Category::Complex && contains(&INEXACT_COMPLEX);
    !inexact
}

/// Numbers without an order that one would think of.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

const EDGES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    7.0,
    127.0,
    -128.0,
    255.0,
    300.0,
    65504.0,
    65520.0,
    1e-8,
    1e10,
    -1e10,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn real(random: &mut Random, integral: bool) -> f64 {
    let word = random.next();
    let small = (word >> 40) as f64 / f64::from(1 << 20) - 8.0;
    match word % 8 {
        0 => EDGES[(word >> 8) as usize % EDGES.len()],
        1 => small * 1000.0,
        2 | 3 if integral => small.floor(),
        4 if integral => ((word >> 16) as i32).into(),
        _ => small,
    }
}

/// As many numbers of a dtype, edges among them.
pub(crate) fn numbers(dtype: DType, count: usize, seed: u64) -> Result<RawTensor> {
    let mut random = Random::new(seed);
    let integral = dtype.category() <= Category::Integral;
    if dtype.is_complex() {
        let numbers: Vec<Complex<f64>> = (0..count).map(|_| Complex::new(real(&mut random, false), real(&mut random, false))).collect();
        return RawTensor::from_vec(numbers, &[count])?.to_dtype(dtype);
    }
    if dtype == DType::I64 {
        let numbers: Vec<i64> =
            (0..count).map(|i| if i % 5 == 0 { random.next() as i64 } else { real(&mut random, true) as i64 }).collect();
        return RawTensor::from_vec(numbers, &[count]);
    }
    if dtype == DType::Bool {
        return RawTensor::from_vec((0..count).map(|_| random.next().is_multiple_of(3)).collect::<Vec<_>>(), &[count]);
    }
    RawTensor::from_vec((0..count).map(|_| real(&mut random, integral)).collect::<Vec<_>>(), &[count])?.to_dtype(dtype)
}

fn close(cpu: f64, device: f64, within: Within) -> bool {
    let Within { tolerance, most } = within;
    let near = |cpu: f64, device: f64| {
        let tiny = if tolerance > 0.0 { FLOOR } else { 0.0 };
        (cpu - device).abs() <= tolerance * cpu.abs().max(tiny)
    };
    match (cpu.is_finite(), device.is_finite()) {
        (true, true) => cpu.to_bits() == device.to_bits() || near(cpu, device),
        // One rounds to the greatest number, the other beyond it.
        (true, false) => device.is_infinite() && near(most.copysign(device), cpu),
        (false, true) => cpu.is_infinite() && near(most.copysign(cpu), device),
        (false, false) => cpu.is_nan() && device.is_nan() || cpu == device,
    }
}

/// How far a number of a dtype may be from another.
#[derive(Clone, Copy)]
struct Within {
    tolerance: f64,
    /// The greatest number of the dtype.
    most: f64,
}

/// Below it, errors count as if the number were so great: where formulas subtract what is nearly equal.
const FLOOR: f64 = 0.1;

/// Whether a device's number is the CPU's, but for a relative error; an infinity may be a number that is nearly the greatest.
fn agrees(cpu: Scalar, device: Scalar, within: Within) -> bool {
    match (cpu, device) {
        (Scalar::Float(cpu), Scalar::Float(device)) => close(cpu, device, within),
        (Scalar::Complex(cpu), Scalar::Complex(device)) => {
            let size = cpu.re.hypot(cpu.im);
            let near = |cpu: f64, device: f64| size.is_finite() && (cpu - device).abs() <= within.tolerance * size;
            let part = |cpu: f64, device: f64| close(cpu, device, within) || within.tolerance > 0.0 && near(cpu, device);
            part(cpu.re, device.re) && part(cpu.im, device.im)
        }
        (cpu, device) => cpu == device,
    }
}

/// How far results of a dtype may be apart, computed with functions of other libraries: a few units in the last place.
pub(crate) fn tolerance(dtype: DType) -> f64 {
    match dtype.to_real() {
        DType::F64 => 2e-14,
        DType::F16 => 1e-3,
        DType::BF16 => 8e-3,
        _ => 4e-6,
    }
}

/// That both are the same tensor on different devices.
pub(crate) fn same(what: &str, cpu: &RawTensor, device: &RawTensor, tolerance: f64) {
    assert_eq!(cpu.dtype(), device.dtype(), "{what}: dtype");
    assert_eq!(cpu.sizes(), device.sizes(), "{what}: sizes");
    assert_eq!(cpu.strides(), device.strides(), "{what}: strides");
    // Mostly they are equal bit for bit, which costs less to see.
    if bytes(cpu).expect(what) == bytes(device).expect(what) {
        return;
    }
    let within = Within { tolerance, most: finfo(cpu.dtype().to_real()).map_or(f64::MAX, |info| info.max) };
    let (cpu, device) = (cpu.scalars().expect(what), device.scalars().expect(what));
    for (at, (cpu, device)) in cpu.iter().zip(&device).enumerate() {
        assert!(agrees(*cpu, *device, within), "{what}: element {at}: {cpu:?} on the CPU, {device:?} on the device");
    }
}

/// Moves the tensors among operands to the device.
pub(crate) fn moved<'a>(operands: &[RawOperand<'a>], places: &'a mut Vec<RawTensor>) -> Vec<RawOperand<'a>> {
    let device = "cuda".parse().expect("a device");
    places.extend(operands.iter().filter_map(|operand| operand.tensor().map(|tensor| tensor.to_device(device).expect("a copy"))));
    let mut tensors = places.iter();
    operands
        .iter()
        .map(|operand| match operand {
            RawOperand::Scalar(scalar) => RawOperand::Scalar(*scalar),
            RawOperand::Tensor(_) => RawOperand::Tensor(tensors.next().expect("as many")),
        })
        .collect()
}

/// That an operation gives the same on both, be it an error.
pub(crate) fn check(op: Op, operands: &[RawOperand<'_>], params: &Params) {
    let describe = |operand: &RawOperand<'_>| match operand {
        RawOperand::Scalar(scalar) => format!("{scalar:?}"),
        RawOperand::Tensor(tensor) => format!("{} {:?}/{:?}+{}", tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.storage_offset()),
    };
    let what = format!("{op}({})", operands.iter().map(describe).collect::<Vec<_>>().join(", "));
    let mut places = Vec::new();
    let device = apply(op, &moved(operands, &mut places), params);
    match (apply(op, operands, params), device) {
        (Ok(cpu), Ok(device)) => {
            let dtypes = operands.iter().map(|operand| operand.promoting().1.category());
            let category = dtypes.max().unwrap_or(Category::Boolean).max(cpu.dtype().category());
            // A complex power is the exponential of a logarithm that is some hundreds: so many times is its error that of one function.
            let powers = category == Category::Complex && op.row().formula(category).is_some_and(|formula| formula.contains("pow("));
            let tolerance = tolerance(cpu.dtype()) * if powers { 16.0 } else { 1.0 };
            same(&what, &cpu, &device, if is_exact(op, category) { 0.0 } else { tolerance });
        }
        (Err(cpu), Err(device)) => assert_eq!(cpu.message(), device.message(), "{what}"),
        (cpu, device) => panic!("{what}: {:?} on the CPU, {:?} on the device", cpu.map(|_| "a result"), device.map(|_| "a result")),
    }
}

/// The bytes of all elements in row-major order.
pub(crate) fn bytes(tensor: &RawTensor) -> Result<Vec<u8>> {
    tensor.to_device("cpu".parse()?)?.clone_as(MemoryFormat::Contiguous)?.storage().tolist()
}
