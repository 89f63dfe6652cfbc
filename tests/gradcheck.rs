//! Gradients against differences, for every row of the table by name: f64 and c128, plain and strided, broadcast, without dimensions and
//! without elements; and gradients of gradients. A row that is in no list here fails.

use std::collections::BTreeSet;

use latten::grad::{Tolerances, gradcheck, gradgradcheck};
use latten::prelude::*;
use latten::{Complex, DType, Error, Op, args, call, operations};

type Outputs = Result<Vec<DynTensor>, Error>;
type Function = fn(&[DynTensor]) -> Outputs;

fn one(outcome: Result<latten::Outcome, Error>) -> Outputs {
    Ok(vec![outcome?.tensor()?])
}

fn several(outcome: Result<latten::Outcome, Error>) -> Outputs {
    outcome?.tensors()
}

/// Numbers between 0.1 and 0.9 (of complex ones both parts), none of them twice.
fn numbers(count: usize, seed: usize) -> Vec<f64> {
    let mixed = |at: usize| ((at * 7 + seed * 13 + 3) * 31 % 101) as f64 + at as f64 * 0.013 + seed as f64 * 0.0017;
    (0..count).map(|at| 0.1 + 0.8 * mixed(at) / 104.0).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    Plain,
    Strided,
}

/// A leaf that requires a gradient.
fn leaf(sizes: &[usize], dtype: DType, layout: Layout, seed: usize) -> DynTensor {
    let turned: Vec<usize> = if layout == Layout::Strided { sizes.iter().rev().copied().collect() } else { sizes.to_vec() };
    let count = turned.iter().product();
    let (re, im) = (numbers(count, seed), numbers(count, seed + 29));
    let shape: Vec<isize> = turned.iter().map(|size| size.cast_signed()).collect();
    let tensor = if dtype == DType::C128 {
        let all: Vec<Complex<f64>> = re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect();
        Tensor::from(all.as_slice()).erase()
    } else {
        Tensor::from(re.as_slice()).erase()
    };
    let tensor = call("reshape", args![&tensor, shape.as_slice()]).and_then(latten::Outcome::tensor).expect("a shape");
    let tensor = if layout == Layout::Strided {
        let dims: Vec<isize> = (0..turned.len().cast_signed()).rev().collect();
        call("permute", args![&tensor, dims.as_slice()]).and_then(latten::Outcome::tensor).expect("an order")
    } else {
        tensor
    };
    tensor.detach().requiring_grad().expect("f64 and c128 have gradients")
}

/// Checks a function for both dtypes and layouts, where it takes them. Says for how many it did.
fn checked(name: &str, sizes: &[&[usize]], function: Function, twice: bool) -> usize {
    let mut done = 0;
    for dtype in [DType::F64, DType::C128] {
        for layout in [Layout::Plain, Layout::Strided] {
            let inputs: Vec<DynTensor> = sizes.iter().enumerate().map(|(seed, sizes)| leaf(sizes, dtype, layout, seed)).collect();
            let plain: Vec<DynTensor> = inputs.iter().map(|input| input.detach()).collect();
            if function(&plain).is_err() && dtype == DType::C128 {
                continue;
            }
            done += 1;
            let tolerances = Tolerances::default();
            let first = gradcheck(function, &inputs, tolerances);
            assert!(first.is_ok(), "{name} of {sizes:?}, {dtype}, {layout:?}: {}", first.unwrap_err());
            if twice {
                let second = gradgradcheck(function, &inputs, tolerances);
                assert!(second.is_ok(), "twice {name} of {sizes:?}, {dtype}, {layout:?}: {}", second.unwrap_err());
            }
        }
    }
    done
}

/// Operations whose results follow their operands in steps, or that PyTorch has no derivative of.
const NOT_DERIVED: [&str; 1] = ["floor_divide"];

#[test]
fn elementwise_operations_have_the_gradients_of_their_differences() {
    for &op in Op::ALL {
        let name = op.name();
        let takes = |category| op.row().formula(category).is_some();
        let inexact = takes(latten::Category::Floating) || takes(latten::Category::Complex);
        let parts = ["div_trunc", "round_decimals", "gelu_tanh", "imag"].contains(&name);
        if NOT_DERIVED.contains(&name)
            || !inexact
            || op.answer(DType::C128, DType::F32).or(op.answer(DType::F64, DType::F32)) == Ok(DType::Bool)
            || parts
        {
            continue;
        }
        let twice = !["floor", "ceil", "trunc", "round", "sign"].contains(&name);
        for sizes in [vec![2, 3], vec![], vec![0, 2]] {
            let function: Function = match (op.row().operands.len(), name) {
                (1, _) => |x| one(call(current(), args![&shifted(&x[0])?])),
                (2, _) => |x| one(call(current(), args![&shifted(&x[0])?, &x[1]])),
                (_, "where") => |x| {
                    let condition = call("gt", args![&call("real", args![&x[0]])?.tensor()?, 0.5])?.tensor()?;
                    one(call("where", args![&condition, &x[0], &x[1]]))
                },
                _ => |x| one(call(current(), args![&x[0], &x[1], &x[2]])),
            };
            CURRENT.set(name);
            let broadcast: Vec<usize> = sizes.iter().skip(1).copied().collect();
            let all: Vec<&[usize]> = [sizes.as_slice(), broadcast.as_slice(), sizes.as_slice()][..op.row().operands.len()].to_vec();
            assert!(checked(name, &all, function, twice) > 0, "{name} takes neither f64 nor c128");
        }
    }
}

std::thread_local! {
    /// The operation that is being checked.
    static CURRENT: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") };
}

fn current() -> &'static str {
    CURRENT.get()
}

/// Numbers that the operation has values and slopes at.
fn shifted(x: &DynTensor) -> Result<DynTensor, Error> {
    let by = if current() == "acosh" { 1.0 } else { 0.0 };
    if by == 0.0 { Ok(x.clone()) } else { call("add", args![x, by])?.tensor() }
}

fn places(numbers: &[i64]) -> DynTensor {
    Tensor::from(numbers).erase()
}

fn grid(numbers: &[[i64; 3]; 2]) -> DynTensor {
    Tensor::from(*numbers).erase()
}

fn mask() -> DynTensor {
    Tensor::from([[true, false, true], [false, true, true]]).erase()
}

macro_rules! examples {
    ($($name:literal $gives:ident [$($sizes:expr),*] $x:ident: $($argument:tt)*);* $(;)?) => {};
}

/// Calls of the rows that aren't elementwise, with the sizes of their inputs.
const EXAMPLES: &[(&str, &[&[usize]], Function)] = &[
    ("sum", &[&[2, 3]], |x| one(call("sum", args![&x[0]]))),
    ("sum", &[&[2, 3]], |x| one(call("sum", args![&x[0], 1]))),
    ("sum", &[&[]], |x| one(call("sum", args![&x[0]]))),
    ("sum", &[&[0, 3]], |x| one(call("sum", args![&x[0], 0; keepdim = true]))),
    ("prod", &[&[2, 3]], |x| one(call("prod", args![&x[0]]))),
    ("prod", &[&[2, 3]], |x| one(call("prod", args![&x[0], 1]))),
    ("prod", &[&[2, 3]], |x| one(call("prod", args![&with_zero(&x[0])?, 1]))),
    ("prod", &[&[2, 3]], |x| one(call("prod", args![&with_zero(&x[0])?]))),
    ("mean", &[&[2, 3]], |x| one(call("mean", args![&x[0]]))),
    ("mean", &[&[2, 3]], |x| one(call("mean", args![&x[0], 0; keepdim = true]))),
    ("std", &[&[2, 3]], |x| one(call("std", args![&x[0]]))),
    ("std", &[&[2, 3]], |x| one(call("std", args![&x[0], 1; correction = 0]))),
    ("var", &[&[2, 3]], |x| one(call("var", args![&x[0], 1]))),
    ("var", &[&[2, 3]], |x| one(call("var", args![&x[0]]))),
    ("amax", &[&[2, 3]], |x| one(call("amax", args![&x[0], 1]))),
    ("amin", &[&[2, 3]], |x| one(call("amin", args![&x[0]]))),
    ("max", &[&[2, 3]], |x| one(call("max", args![&x[0]]))),
    ("max", &[&[2, 3]], |x| one(Ok(latten::Outcome::from_first(call("max", args![&x[0], 1])?)?))),
];
