//! Gradients against differences, for every row of the table by name: f64 and c128, plain and strided, broadcast, without dimensions and
//! without elements; and gradients of gradients. A row that is in no list here fails.

#[path = "gradcheck/calls.rs"]
mod calls;
#[path = "gradcheck/meta.rs"]
mod meta;
#[path = "gradcheck/quadrants.rs"]
mod quadrants;
#[path = "gradcheck/without.rs"]
mod without;

use std::collections::BTreeSet;

use latten::grad::{Tolerances, gradcheck, gradgradcheck};
use latten::prelude::*;
use latten::{DType, Op, operations};

use calls::{CURRENT, Function, Layout, elementwise, every_example, leaf};

/// Checks a function for both dtypes and layouts, where it takes them. Says for how many it did.
fn checked(name: &str, sizes: &[&[usize]], function: Function, twice: bool) -> usize {
    let mut done = 0;
    for dtype in [DType::F64, DType::C128] {
        for layout in [Layout::Plain, Layout::Strided] {
            let inputs: Vec<DynTensor> = sizes.iter().enumerate().map(|(seed, sizes)| leaf(sizes, dtype, layout, seed)).collect();
            let plain: Vec<DynTensor> = inputs.iter().map(|input| input.detach()).collect();
            if function(&plain).is_err() {
                continue;
            }
            done += 1;
            let tolerances = Tolerances::default();
            let first = gradcheck(function, &inputs, tolerances);
            assert!(first.is_ok(), "{name} of {sizes:?}, {dtype}, {layout:?}: {first:?}");
            if twice {
                let second = gradgradcheck(function, &inputs, tolerances);
                assert!(second.is_ok(), "twice {name} of {sizes:?}, {dtype}, {layout:?}: {second:?}");
            }
        }
    }
    done
}

#[test]
fn elementwise_operations_have_the_gradients_of_their_differences() {
    let mut wrong = Vec::new();
    for op in calls::operations() {
        let name = op.name();
        let twice = !quadrants::FLAT.contains(&name);
        for sizes in [vec![2, 3], vec![], vec![0, 2]] {
            let function = elementwise(op);
            CURRENT.set(name);
            let broadcast: Vec<usize> = sizes.iter().skip(1).copied().collect();
            let all: Vec<&[usize]> = [sizes.as_slice(), broadcast.as_slice(), sizes.as_slice()][..op.row().operands.len()].to_vec();
            match std::panic::catch_unwind(|| checked(name, &all, function, twice)) {
                Ok(0) => wrong.push(format!("{name} of {sizes:?} takes neither f64 nor c128")),
                Ok(_) => {}
                Err(_) => wrong.push(format!("{name} of {sizes:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn other_calls_have_the_gradients_of_their_differences() {
    let mut wrong = Vec::new();
    for (name, sizes, function) in every_example() {
        // The way back of these has none of its own, as in PyTorch.
        let twice = !["ctc_loss", "_ctc_loss"].contains(&name);
        match std::panic::catch_unwind(|| checked(name, &sizes, function, twice)) {
            Ok(0) => wrong.push(format!("{name} of {sizes:?} takes neither f64 nor c128")),
            Ok(_) => {}
            Err(_) => wrong.push(format!("{name} of {sizes:?}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_row_is_checked_or_has_no_gradient() {
    let checked: BTreeSet<&str> = Op::ALL.iter().map(|op| op.name()).chain(every_example().map(|(name, ..)| name)).collect();
    let without: BTreeSet<&str> = without::WITHOUT.split_whitespace().collect();
    let all: BTreeSet<&str> = operations().map(|operation| operation.name()).collect();
    let missing: Vec<_> = all.iter().filter(|name| !checked.contains(*name) && !without.contains(*name)).collect();
    assert!(missing.is_empty(), "neither checked nor without a gradient: {missing:?}");
    let both: Vec<_> = without.iter().filter(|name| checked.contains(*name) || !all.contains(*name)).collect();
    assert!(both.is_empty(), "said to have no gradient, but checked or not there: {both:?}");
}
