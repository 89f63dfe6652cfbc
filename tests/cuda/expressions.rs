//! Fused expressions and users' operations, among them those of the examples: computed on the host and on a device, and their kernels
//! compiled for two kinds of GPUs by NVIDIA's compiler.

use std::path::PathBuf;
use std::{env, fs};

use latten::prelude::*;
use latten::{Result, where_};

use crate::compare::{numbers, same, tolerance};
use crate::stand_in::run;

/// Which of them a process computes, when it is to show the text of one.
const ONLY: &str = "LATTEN_TEST_EXPRESSION";

#[kernel]
fn mish(x: Floating) -> Floating {
    let softplus = if x > 20.0 { x } else { log1p(exp(x)) };
    x * tanh(softplus)
}

#[kernel]
fn leaky(x: Real, slope: f64) -> Real {
    if x > 0 { x } else { x * slope }
}

#[kernel]
fn energy(z: Complex) -> Part {
    real(z) * real(z) + imag(z) * imag(z)
}

/// Called as an operation of the table is, and as another one of a user's.
mod other {
    use latten::prelude::*;

    #[kernel]
    pub(super) fn sub(x: Real, y: Real) -> Real {
        y - x
    }

    #[kernel]
    pub(super) fn leaky(x: Real, slope: f64) -> Real {
        if x < 0 { x } else { x * slope }
    }
}

#[kernel]
fn within(x: Real, y: Real, distance: f64) -> bool {
    abs(x - y) <= distance
}

#[kernel]
fn ramp(x: Real, by: i64) -> Real {
    x + index() * by
}

/// Tensors of one device.
struct Given {
    floats: DynTensor,
    others: DynTensor,
    row: DynTensor,
    halves: DynTensor,
    brains: DynTensor,
    doubles: DynTensor,
    integers: DynTensor,
    bytes: DynTensor,
    truths: DynTensor,
    complex: DynTensor,
}

impl Given {
    fn on(device: Device) -> Result<Self> {
        let plane = |dtype: DType, seed| -> Result<DynTensor> {
            DynTensor::from(numbers(dtype, 300, seed)?).reshape([10, 30])?.erase().to_device(device)
        };
        Ok(Self {
            floats: plane(DType::F32, 1)?,
            others: plane(DType::F32, 2)?,
            row: DynTensor::from(numbers(DType::F32, 30, 3)?).to_device(device)?,
            halves: plane(DType::F16, 4)?,
            brains: plane(DType::BF16, 5)?,
            doubles: plane(DType::F64, 6)?,
            integers: plane(DType::I64, 7)?,
            bytes: plane(DType::U8, 8)?,
            truths: plane(DType::Bool, 9)?,
            complex: plane(DType::C64, 10)?,
        })
    }
}

/// What is computed, by name; whether only nearly the same on a device.
fn expressions(given: &Given, mut one: impl FnMut(&str, bool, &dyn Fn() -> DynTensor)) {
    let Given { floats, others, row, halves, brains, doubles, integers, bytes, truths, complex } = given;
    let (exact, near) = (false, true);
    one("a * b + a", exact, &|| fuse!(floats * others + floats));
    one("a row", exact, &|| fuse!((floats - row) * row + 0.5));
    one("normalised bytes", exact, &|| fuse!((bytes / 255.0 - row) / 0.25));
    one("a turned operand", exact, &|| {
        let (turned, other) = (floats.t(), others.t());
        fuse!(turned * other - turned)
    });
    one("halves and brains", exact, &|| fuse!(halves * brains + halves));
    one("halves alone", exact, &|| fuse!((halves + 1.0) * halves - 0.5));
    one("doubles", exact, &|| fuse!(doubles * floats + integers));
    one("integers", exact, &|| fuse!((integers + bytes) * 3 - (integers & 7)));
    one("truths", exact, &|| fuse!((floats > others) & truths));
    one("a choice", exact, &|| fuse!(if floats > 0.0 { floats * 2.0 } else { -others }));
    one("a conversion", exact, &|| fuse!((floats * 2.0) as f16 + halves));
    one("a bounded orbit", near, &|| fuse!(if abs(complex) < 2.0 { complex * complex + complex } else { complex }));
    one("steps of an orbit", near, &|| fuse!(integers + (abs(complex) < 2.0)));
    one("gates", near, &|| fuse!(sigmoid(floats * row) * tanh(others)));
    one("a long chain", near, &|| fuse!(exp(-(floats * floats) * 0.5) * sqrt(abs(others) + 1.0) / (1.0 + exp(-others))));
    one("mish", near, &|| mish(floats));
    one("mish of halves", near, &|| mish(halves));
    one("mish of integers", near, &|| mish(bytes));
    one("leaky", exact, &|| leaky(floats, 0.1));
    one("leaky brains", exact, &|| leaky(brains, 0.1));
    one("leaky integers", exact, &|| leaky(integers, 3.0));
    one("energy", exact, &|| energy(complex));
    one("within", exact, &|| within(floats, doubles, 2.0));
    one("fused mish", near, &|| fuse!(mish(floats + row) * 2.0));
    one("fused leaky", exact, &|| fuse!(leaky(floats * others, 0.25) - row));
    one("one name for several", exact, &|| fuse!(leaky(other::sub(floats, others), 0.5) - other::leaky(row, 0.5)));
    one("places", exact, &|| fuse!((floats - row) * index()));
    one("places of halves", exact, &|| fuse!(halves + index() % 7 - integers));
    one("places alone", exact, &|| {
        let mut places =
            DynTensor::zeros([30, 10, 3], (DType::I32, floats.device())).and_then(|zeros| zeros.permute([2, 0, 1])).expect("a view");
        fuse!(places = index());
        places
    });
    one("places of a turned result", exact, &|| {
        let turned = floats.t();
        fuse!(turned * index() + turned)
    });
    one("a kernel that counts", exact, &|| ramp(floats, 3));
    one("a range of integers", exact, &|| DynTensor::arange_with(5, 4000, 3, (DType::I16, floats.device())).expect("a range"));
    one("a range of floats", exact, &|| DynTensor::arange_with(0.1, 50, 0.37, floats.device()).expect("a range"));
    one("a line", exact, &|| DynTensor::linspace(-1.0, 3.7, 1001, (DType::F64, floats.device())).expect("a line"));
    one("where", exact, &|| where_(truths, floats, brains));
}

#[test]
fn the_kernels_of_the_examples_are_here() {
    let examples = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples")).expect("they are there");
    let here = include_str!("expressions.rs");
    for example in examples.flatten().filter(|file| file.path().extension().is_some_and(|extension| extension == "rs")) {
        let text = fs::read_to_string(example.path()).expect("a text");
        for kernel in text.split("#[kernel]\n").skip(1).filter_map(|rest| rest.split_once("\n}\n").map(|(kernel, _)| kernel)) {
            assert!(here.contains(kernel), "{}: {kernel}\n}}", example.path().display());
        }
    }
}

#[test]
fn on_a_device_they_are_what_they_are_on_the_host() -> Result<()> {
    if !latten::cuda::is_available() {
        return Ok(());
    }
    let mut expected = Vec::new();
    expressions(&Given::on(Device::CPU)?, |_, _, value| expected.push(value()));
    let mut expected = expected.into_iter();
    expressions(&Given::on("cuda".parse()?)?, |name, near, value| {
        let cpu = expected.next().expect("as many");
        same(name, cpu.raw(), value().raw(), if near { tolerance(cpu.dtype()) } else { 0.0 });
    });
    Ok(())
}

/// Computes them for the sake of their texts, which the stand-in keeps.
#[test]
fn writes_texts() -> Result<()> {
    let Ok(only) = env::var(ONLY) else { return Ok(()) };
    expressions(&Given::on("cuda".parse()?)?, |name, _, value| {
        if only.is_empty() || only == name {
            drop(value());
        }
    });
    Ok(())
}

/// The texts of the kernels of all expressions, or of one; none where there is no stand-in, which was said then.
pub(crate) fn texts(only: &str) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("texts-{}-{}", std::process::id(), only.replace(' ', "-")));
    fs::create_dir_all(&folder).expect("target is writable");
    let kept = folder.display().to_string();
    let variables = [(ONLY, only), ("STANDIN_TEXTS", &kept), ("STANDIN_DRY", "1"), ("LATTEN_CUDA_CACHE", "")];
    if let Some(output) = run("expressions::writes_texts", &variables) {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut texts: Vec<String> =
        fs::read_dir(&folder).expect("it was made").flatten().map(|file| fs::read_to_string(file.path()).expect("a text")).collect();
    texts.sort();
    let _ = fs::remove_dir_all(folder);
    texts
}
