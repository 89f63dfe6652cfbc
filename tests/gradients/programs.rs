//! Random programs of operators whose types know everything, of those of which only the run does, and of `fuse!`; `tests/conformance/programs.py`
//! computes them by PyTorch.

use std::fmt::Write;
use std::{env, fs};

use latten::prelude::*;
use latten::{DType, Error};

use super::Dice;

/// An expression in three forms, and in PyTorch's words.
pub(super) struct Forms<A, B, C> {
    typed: fn(&A, &B, &C) -> A,
    pub(super) dynamic: fn(&DynTensor, &DynTensor, &DynTensor) -> DynTensor,
    fused: fn(&A, &B, &C) -> A,
    python: &'static str,
}

/// How many of the forms, the first ones, are elementwise.
pub(super) const ELEMENTWISE: usize = 14;

/// Expressions of a matrix, a row and a column whose elements are of three dtypes; the first one's is the result's.
macro_rules! forms {
    (@ $A:ty, $B:ty, $C:ty, $(|$a:ident, $b:ident, $c:ident| $expression:expr;)+ $(python $python:literal
        typed $typed:expr; dynamic $dynamic:expr; fused $fused:expr;)+) => {
        [
            $(Forms::<$A, $B, $C> {
                #[allow(unused_variables, reason = "some expressions are of fewer operands")]
                typed: |$a, $b, $c| $expression,
                #[allow(unused_variables, reason = "the same")]
                dynamic: |$a, $b, $c| $expression,
                #[allow(unused_variables, reason = "the same")]
                fused: |$a, $b, $c| fuse!($expression),
                python: stringify!($expression),
            },)+
            $(Forms::<$A, $B, $C> { typed: $typed, dynamic: $dynamic, fused: $fused, python: $python }),+
        ]
    };
    ($($name:ident: $first:ty, $second:ty;)+) => { $(
        pub(super) mod $name {
            use super::*;

            pub(super) type Whole = Tensor<$first, shape![3, 4]>;
            pub(super) type Row = Tensor<$second, shape![4]>;
            pub(super) type Column = Tensor<$first, shape![3, 1]>;

            pub(in super::super) const FORMS: [Forms<Whole, Row, Column>; 25] = forms! { @ Whole, Row, Column,
                |a, b, c| a * b + c;
                |a, b, c| (a * b + a).sigmoid() * c - a;
                |a, b, c| a.tanh() + b * c;
                |a, b, c| (a - c).sin() * b;
                |a, b, c| a / (b * b + 1.0) - c * 0.5;
                |a, b, c| (a * 0.25).exp() * c + b;
                |a, b, c| a.abs() * b - a.cos();
                |a, b, c| a.maximum(b) * c;
                |a, b, c| (a * a + 1.0).sqrt() - b;
                |a, b, c| (a * a + b * b + 1.0).log() * c;
                |a, b, c| a * a * a * 0.1 + c.square() * b;
                |a, b, c| a.relu() + b.minimum(c) * a;
                |a, b, c| 2.0 - a.atan() * b.sigmoid();
                |a, b, c| (a + b).erf() / (c.exp() + 1.0);
                python "a.softmax(1) * b"
                    typed |a, b, _| a.softmax(axis::<1>()) * b;
                    dynamic |a, b, _| a.softmax(1).expect("a dimension") * b;
                    fused |a, b, _| { let s = a.softmax(axis::<1>()); fuse!(s * b) };
                python "(a - a.mean(1, keepdim=True)) * c"
                    typed |a, _, c| (a - a.mean_along(kept(axis::<1>()))) * c;
                    dynamic |a, _, c| (a - a.mean_along(kept(1)).expect("a dimension")) * c;
                    fused |a, _, c| { let m = a.mean_along(kept(axis::<1>())); fuse!((a - m) * c) };
                python "a.matmul(a.t()).matmul(a) * 0.1 + b"
                    typed |a, b, _| a.matmul(&a.t()).matmul(a) * 0.1 + b;
                    dynamic |a, b, _| a.matmul(&a.t()).matmul(a) * 0.1 + b;
                    fused |a, b, _| { let p = a.matmul(&a.t()).matmul(a); fuse!(p * 0.1 + b) };
                python "a.flip(1).cumsum(0) * b + c"
                    typed |a, b, c| a.flip(axis::<1>()).cumsum(axis::<0>()) * b + c;
                    dynamic |a, b, c| a.flip(1).and_then(|a| a.cumsum(0)).expect("dimensions") * b + c;
                    fused |a, b, c| { let s = a.flip(axis::<1>()).cumsum(axis::<0>()); fuse!(s * b + c) };
                python "(a - a.logsumexp(1, keepdim=True)) * b"
                    typed |a, b, _| (a - a.logsumexp(kept(axis::<1>()))) * b;
                    dynamic |a, b, _| (a - a.logsumexp(kept(1)).expect("a dimension")) * b;
                    fused |a, b, _| { let s = a.logsumexp(kept(axis::<1>())); fuse!((a - s) * b) };
                python "a * a.amax(1, keepdim=True) - c"
                    typed |a, _, c| a * a.amax_along(kept(axis::<1>())) - c;
                    dynamic |a, _, c| a * a.amax_along(kept(1)).expect("a dimension") - c;
                    fused |a, _, c| { let m = a.amax_along(kept(axis::<1>())); fuse!(a * m - c) };
                python "a / (a.std() + 1.0) * b"
                    typed |a, b, _| a / (a.std() + 1.0) * b;
                    dynamic |a, b, _| a / (a.std() + 1.0) * b;
                    fused |a, b, _| { let s = a.std(); fuse!(a / (s + 1.0) * b) };
                python "torch.cat([a[:, 2:], a[:, :2] * 0.5], 1) * c"
                    typed |a, _, c| cat((&a.i(i![.., 2..]), &(a.i(i![.., ..2]) * 0.5)), axis::<1>()) * c;
                    dynamic |a, _, c| cat(&[&a.i(i![.., 2..]), &(a.i(i![.., ..2]) * 0.5)], 1).expect("the same rows") * c;
                    fused |a, _, c| { let j = cat((&a.i(i![.., 2..]), &fuse!(a.i(i![.., ..2]) * 0.5)), axis::<1>()); fuse!(j * c) };
                python "a[:, torch.tensor([1, 1, 3, 0])] + a * b"
                    typed |a, b, _| a.i(i![.., &order()]) + a * b;
                    dynamic |a, b, _| a.i(i![.., &order()]) + a * b;
                    fused |a, b, _| { let g = a.i(i![.., &order()]); fuse!(g + a * b) };
                python "torch.where(a > c, a * b, c)"
                    typed |a, b, c| where_(&a.gt(c), a * b, c);
                    dynamic |a, b, c| where_(&a.gt(c), a * b, c);
                    fused |a, b, c| fuse!(where_(a > c, a * b, c));
                python "a.t().reshape(3, 4) * b - a"
                    typed |a, b, _| a.t().reshape(shape![3, 4]) * b - a;
                    dynamic |a, b, _| (a.t().reshape([3, 4]).expect("as many") * b - a).erase();
                    fused |a, b, _| { let r = a.t().reshape(shape![3, 4]); fuse!(r * b - a) };
            };

            pub(super) fn leaves(leaves: &[DynTensor; 3]) -> Result<(Whole, Row, Column), Error> {
                let [a, b, c] = leaves.each_ref().map(|leaf| leaf.detach());
                Ok((a.typed::<$first, _>()?.requiring_grad()?, b.typed::<$second, _>()?.requiring_grad()?, c.typed::<$first, _>()?.requiring_grad()?))
            }
        }
    )+ };
}

forms! {
    f64s: f64, f64;
    f32s: f32, f32;
    mixed: f64, f32;
}

fn order() -> Tensor<i64, shape![4]> {
    tensor![1_i64, 1, 3, 0]
}

fn numbers<E: Element, S: Shape>(gradient: Option<Tensor<E, S>>) -> Vec<f64> {
    gradient.map_or(Vec::new(), |gradient| gradient.to::<f64>().to_vec())
}

/// One to four expressions, each of the last one's result and the two smaller leaves.
pub(super) fn program<A, B, C, X, Y, Z>(
    forms: &[Forms<A, B, C>],
    steps: &[usize],
    (a, b, c): (&X, &Y, &Z),
    form: impl Fn(&Forms<A, B, C>) -> fn(&X, &Y, &Z) -> X,
) -> X {
    let first = form(&forms[steps[0]])(a, b, c);
    steps[1..].iter().fold(first, |value, &step| form(&forms[step])(&value, b, c))
}

/// How far numbers may be apart, relative to the largest, where sums of several parts come in another order.
fn within(dtype: DType) -> f64 {
    if dtype == DType::F64 { 1e-9 } else { 2e-4 }
}

/// The gradients of a program by operators, after a comparison with those of the other forms.
macro_rules! compared {
    ($name:ident, $leaves:expr, $steps:expr, $what:expr) => {{
        let read = |a: &$name::Whole, b: &$name::Row, c: &$name::Column| [numbers(a.grad()), numbers(b.grad()), numbers(c.grad())];
        let [eager, fused] = [|form: &Forms<_, _, _>| form.typed, |form: &Forms<_, _, _>| form.fused].map(|form| {
            let (a, b, c) = $name::leaves($leaves).expect("leaves");
            program(&$name::FORMS, $steps, (&a, &b, &c), form).sum().backward().expect("gradients");
            read(&a, &b, &c)
        });
        let [a, b, c] = $leaves.each_ref().map(|leaf| leaf.detach().requiring_grad().expect("a leaf"));
        program(&$name::FORMS, $steps, (&a, &b, &c), |form| form.dynamic).sum().backward().expect("gradients");
        let dynamic = [&a, &b, &c].map(|leaf| numbers(leaf.grad().map(|gradient| gradient.to_dtype(DType::F64).expect("numbers"))));
        assert_eq!(format!("{eager:?}"), format!("{dynamic:?}"), "{}: typed and dynamic", $what);
        // What cancels is as inexact as what it was made of.
        let largest = eager.iter().flatten().fold(1.0_f64, |largest, number| largest.max(number.abs()));
        for (place, ((eager, fused), leaf)) in eager.iter().zip(&fused).zip($leaves).enumerate() {
            assert_eq!(eager.len(), fused.len(), "{}: gradient {place} is there", $what);
            for (eager, fused) in eager.iter().zip(fused) {
                let near = (eager - fused).abs() <= within(leaf.dtype()) * largest || eager.is_nan() && fused.is_nan() || eager == fused;
                assert!(near, "{}: gradient {place} has {eager} by operators, {fused} fused", $what);
            }
        }
        eager
    }};
}

/// A program's leaves and gradients in a line, for `programs.py`.
fn line(steps: &[usize], leaves: &[DynTensor; 3], gradients: &[Vec<f64>; 3]) -> Result<String, Error> {
    let mut line = steps.iter().map(|&step| f64s::FORMS[step].python).collect::<Vec<_>>().join("; ");
    for (leaf, gradient) in leaves.iter().zip(gradients) {
        let numbers = leaf.to_dtype(DType::F64)?.to_scalars()?;
        let numbers = numbers.iter().map(|number| number.to_f64().to_string()).collect::<Vec<_>>().join(" ");
        let gradient = gradient.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        write!(line, "\t{}\t{numbers}\t{gradient}", leaf.dtype()).expect("memory");
    }
    Ok(line)
}

/// 2,000 programs; as many as `LATTEN_GRADIENT_PROGRAMS` says, where it is set. What they computed goes to the file that
/// `LATTEN_GRADIENT_PROGRAMS_TO` names.
#[test]
fn typed_dynamic_and_fused_programs_have_the_same_gradients() -> Result<(), Error> {
    let count = env::var("LATTEN_GRADIENT_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let mut dice = Dice(7);
    let (mut moved, mut lines) = (0, Vec::new());
    for seed in 0..count {
        let dtypes = [[DType::F64; 3], [DType::F32; 3], [DType::F64, DType::F32, DType::F64]][seed % 3];
        let [a, b, c] = [dice.leaf(&[3, 4]), dice.leaf(&[4]), dice.leaf(&[3, 1])];
        let leaves = [a.to_dtype(dtypes[0])?, b.to_dtype(dtypes[1])?, c.to_dtype(dtypes[2])?];
        let steps: Vec<usize> = (0..1 + dice.below(4)).map(|_| dice.below(f64s::FORMS.len())).collect();
        let what = format!("program {seed}, {steps:?} of {dtypes:?}");
        let gradients = match seed % 3 {
            0 => compared!(f64s, &leaves, &steps, what),
            1 => compared!(f32s, &leaves, &steps, what),
            _ => compared!(mixed, &leaves, &steps, what),
        };
        moved += gradients.iter().flatten().filter(|number| **number != 0.0).count();
        lines.push(line(&steps, &leaves, &gradients)?);
    }
    assert!(moved > count, "most gradients are zero");
    if let Some(path) = env::var_os("LATTEN_GRADIENT_PROGRAMS_TO") {
        fs::write(path, lines.join("\n")).expect("a file");
    }
    Ok(())
}
