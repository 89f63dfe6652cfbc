//! Every operation of the table by name, with arguments that are of the right kinds and arbitrary otherwise: sizes that don't fit, dtypes that
//! aren't taken, dimensions and places that aren't there, numbers at the ends. An answer or an error, and never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use latten::by_name::{Arguments, NamedArgument, Operation};
use latten::grad::GradOptions;
use latten::prelude::*;
use latten::random::Generator;
use latten::tensor::SparseTensor;
use latten::{RawTensor, call, operations};

use super::{Random, rounds};

/// What waits for a device, and what draws, as PyTorch does, until all numbers lie between bounds that may be anywhere.
const LEFT_OUT: [&str; 2] = ["pin_memory", "init.trunc_normal_"];

/// Small sizes, of which many go together, and none.
const SIZES: [&[usize]; 14] =
    [&[], &[], &[0], &[1], &[2], &[3], &[3, 3], &[3, 3], &[2, 3], &[3, 1], &[2, 3, 3], &[1, 2, 4, 4], &[2, 0], &[1, 1, 2, 4, 4]];

const DTYPES: [DType; 13] = [
    DType::F32,
    DType::F32,
    DType::F32,
    DType::F64,
    DType::F64,
    DType::I64,
    DType::I64,
    DType::Bool,
    DType::U8,
    DType::F16,
    DType::BF16,
    DType::C64,
    DType::U32,
];

/// Words that some operation knows, and one that none does.
const WORDS: [&str; 30] = [
    "mean",
    "sum",
    "none",
    "constant",
    "reflect",
    "replicate",
    "circular",
    "nearest",
    "bilinear",
    "linear",
    "lower",
    "midpoint",
    "ortho",
    "forward",
    "floor",
    "trunc",
    "tanh",
    "amax",
    "prod",
    "ij",
    "xy",
    "left",
    "right",
    "fro",
    "nuc",
    "valid",
    "same",
    "ij,jk->ik",
    "...i->...",
    "never",
];

/// What the arguments of a call are taken from.
struct Things {
    tensors: Vec<DynTensor>,
    sparse: SparseTensor,
    generator: Generator,
}

impl Things {
    fn new(random: &mut Random) -> Self {
        let (sizes, dtype) = (random.of(&SIZES), random.of(&DTYPES));
        let tensor = |random: &mut Random| {
            let sizes = if random.below(5) < 3 { sizes } else { random.of(&SIZES) };
            let dtype = if random.below(5) < 4 { dtype } else { random.of(&DTYPES) };
            let low = if random.below(2) == 0 { 0 } else { -8 };
            let quarters = |random: &mut Random| random.between(low, 8) as f64 / if dtype.is_floating_point() { 4.0 } else { 1.0 };
            let numbers: Vec<f64> = (0..sizes.iter().product()).map(|_| quarters(random)).collect();
            let numbers = DynTensor::from(RawTensor::from_vec(numbers, sizes).expect("as many as it has"));
            let numbers = if dtype.is_signed() || dtype.is_complex() { numbers } else { numbers.abs() };
            numbers.to_dtype(dtype).expect("a dtype that computes")
        };
        let mut tensors: Vec<_> = (0..6).map(|_| tensor(random)).collect();
        if random.below(2) == 0 {
            for leaf in tensors.iter_mut().filter(|tensor| tensor.is_floating_point() || tensor.is_complex()) {
                leaf.requires_grad_().expect("numbers that have gradients");
            }
        }
        Self { tensors, sparse: tensor![[1.0, 0.0], [0.0, 2.0]].to_sparse().erase(), generator: Generator::new() }
    }

    fn tensor(&self, random: &mut Random) -> &DynTensor {
        &self.tensors[random.below(self.tensors.len())]
    }

    /// An argument of a kind that a signature names.
    fn argument(&self, random: &mut Random, kind: &str) -> NamedArgument<'_> {
        let float = |random: &mut Random| random.of(&[0.5, 1.0, 2.0, 0.0, -1.0, f64::INFINITY, f64::NAN, 1e300]);
        match kind {
            "Tensor" if random.below(20) == 0 => (&self.sparse).into(),
            "Tensor" | "Storage" | "index" => self.tensor(random).into(),
            "tuple of Tensors" => (0..random.below(4)).map(|_| self.tensor(random)).collect::<Vec<_>>().into(),
            "int" => (random.wild() as i64).into(),
            "tuple of ints" => (0..random.below(4)).map(|_| random.wild() as i64).collect::<Vec<_>>().into(),
            "tuple of tuples of ints" => vec![vec![random.between(-2, 2) as i64], vec![random.between(-2, 2) as i64]].into(),
            "float" => float(random).into(),
            "tuple of floats" => vec![float(random); random.below(3)].into(),
            "Number" if random.below(2) == 0 => (random.wild() as i64).into(),
            "Number" => float(random).into(),
            "bool" => (random.below(2) == 0).into(),
            "str" => random.of(&WORDS).into(),
            "torch.dtype" => random.of(&DTYPES).into(),
            "torch.device" => Device::CPU.into(),
            "torch.memory_format" => random.of(&[MemoryFormat::Contiguous, MemoryFormat::ChannelsLast, MemoryFormat::Preserve]).into(),
            "torch._C.Generator" => (&self.generator).into(),
            _ => panic!("nothing stands for {kind}"),
        }
    }
}

/// What an argument is, as a failure shows it.
fn shown(value: &NamedArgument<'_>) -> String {
    match value {
        NamedArgument::Tensor(tensor) => format!("{} {:?}", tensor.dtype(), tensor.sizes()),
        NamedArgument::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        NamedArgument::Number(number) => format!("{number:?}"),
        other => format!("{other:?}").chars().take(40).collect(),
    }
}

/// Arguments for the parameters of a row, all that are needed and some of the others, with the name of those that are named.
fn arguments<'t>(random: &mut Random, operation: Operation, things: &'t Things) -> Vec<(Option<String>, NamedArgument<'t>)> {
    let (signature, mut given, mut named) = (operation.signature(), Vec::new(), false);
    if !operation.is_function() {
        given.push((None, things.argument(random, "Tensor")));
    }
    for part in signature.trim_matches(['(', ')']).split(", ") {
        named |= part == "*" || part.contains(" = ");
        let declared = part.split(" = ").next().unwrap_or(part);
        let Some((kind, parameter)) = declared.rsplit_once(' ').filter(|(_, parameter)| *parameter != "out") else { continue };
        if !part.contains(" = ") || random.below(3) == 0 {
            given.push((named.then(|| parameter.to_owned()), things.argument(random, kind)));
        }
    }
    given
}

/// One call of it, in some form; how it was written, if it panics.
fn attempt(random: &mut Random, operation: Operation) -> Option<String> {
    let things = Things::new(random);
    let (mut own, mut out) = (things.tensor(random).clone(), things.tensor(random).detach().clone());
    let in_place = operation.has_in_place() && (random.below(4) == 0 || !operation.has_new());
    let name = if in_place { format!("{}_", operation.name().trim_end_matches('_')) } else { operation.name().to_owned() };
    let mut given = arguments(random, operation, &things);
    if in_place {
        given[0] = (None, (&mut own).into());
    } else if operation.has_out() && random.below(4) == 0 {
        given.push((Some("out".to_owned()), (&mut out).into()));
    }
    let list = given
        .iter()
        .map(|(name, value)| format!("{}{}", name.as_ref().map_or_else(String::new, |name| format!("{name} = ")), shown(value)));
    let text = format!("{name}({})", list.collect::<Vec<_>>().join(", "));
    if std::env::var_os("LATTEN_FUZZ_NAMES").is_some() {
        println!("{text}");
    }
    let names: Vec<_> = given.iter().map(|(name, _)| name.clone()).collect();
    let all = names.iter().zip(given).fold(Arguments::new(), |all, (name, (_, value))| match name {
        Some(name) => all.with_named(name, value),
        None => all.with(value),
    });
    let there_and_back =
        || call(&name, all).ok().is_none_or(|outcome| outcome.tensors().ok().is_none_or(|results| back(&results, &things)));
    match catch_unwind(AssertUnwindSafe(there_and_back)) {
        Ok(true) => None,
        Ok(false) => Some(format!("{text} has gradients of other sizes or dtypes")),
        Err(_) => Some(text),
    }
}

/// Goes back from results that have a history; whether the gradients that there are then are like their tensors.
fn back(results: &[DynTensor], things: &Things) -> bool {
    for result in results.iter().filter(|result| result.requires_grad()) {
        let _may_be_refused = result.backward_where(Some(&result.ones_like()), GradOptions::RETAIN_GRAPH);
    }
    let is_like =
        |leaf: &DynTensor| leaf.grad().is_none_or(|gradient| gradient.sizes() == leaf.sizes() && gradient.dtype() == leaf.dtype());
    things.tensors.iter().all(is_like)
}

/// With `LATTEN_FUZZ_NAMES=1` each call is printed before it is made, for those that abort.
#[test]
fn arbitrary_arguments() {
    let all: Vec<Operation> = operations().filter(|operation| !LEFT_OUT.contains(&operation.name())).collect();
    rounds("arbitrary arguments", 150, |random| {
        let panics: Vec<String> = all.iter().filter_map(|&operation| attempt(random, operation)).collect();
        assert!(panics.is_empty(), "{} calls panic:\n{}", panics.len(), panics.join("\n"));
    });
}
