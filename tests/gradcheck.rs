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
use latten::{DType, Error, Op, operations};

use calls::{CURRENT, Function, Layout, Outputs, elementwise, every_example, leaf};

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

/// Twice a tensor, whose gradient comes back three times.
fn wrong(x: &DynTensor) -> Result<DynTensor, Error> {
    let twice = x * 2.0;
    if twice.requires_grad() {
        twice.register_hook(|gradient| Some(gradient * 1.5))?;
    }
    Ok(twice)
}

#[test]
fn what_gradcheck_says_is_pytorchs() -> Result<(), Error> {
    type Case = (Function, fn() -> Result<DynTensor, Error>, &'static str);
    let plain = || Ok(tensor![0.5, 1.0].to::<f64>().erase());
    let leaf = || tensor![0.5, 1.0].to::<f64>().erase().requiring_grad();
    let kink = || tensor![0.0, 1.0].to::<f64>().erase().requiring_grad();
    let cases: [Case; 7] = [
        (
            |x| Ok(vec![&x[0] * 2.0]),
            plain,
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.",
        ),
        (
            |x| Ok(vec![x[0].relu()]),
            kink,
            "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[0.5000, 0.0000],\n        [0.0000, 1.0000]], \
             dtype=torch.float64)\nanalytical:tensor([[0., 0.],\n        [0., 1.]], dtype=torch.float64)\n",
        ),
        (|x| Ok(vec![x[0].detach() * 2.0]), leaf, "Numerical gradient for function expected to be zero"),
        (|x| Ok(vec![x[0].detach() * 2.0, &x[0] * 2.0]), leaf, ""),
        (
            |x| Ok(vec![x[0].detach() * 2.0, wrong(&x[0])?]),
            leaf,
            "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.0000, 0.0000],\n        [0.0000, 2.0000]], \
             dtype=torch.float64)\nanalytical:tensor([[3., 0.],\n        [0., 3.]], dtype=torch.float64)\n",
        ),
        (
            |x| Ok(vec![&x[0] * 2.0]),
            || tensor![1.0].to::<f64>().expand([3])?.erase().requiring_grad(),
            "The 0th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute the \
             numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.",
        ),
        (|x| Ok(vec![(&x[0] * 0.3).round()]), leaf, ""),
    ];
    for (at, (function, input, said)) in cases.into_iter().enumerate() {
        let found = gradcheck(function, &[input()?], Tolerances::default());
        assert_eq!(found.map_or_else(|error| error.message().to_owned(), |()| String::new()), said, "case {at}");
    }
    // A derivative that isn't differentiated, and a kink of the first one.
    let cut = |x: &[DynTensor]| -> Outputs {
        let cube = x[0].pow(3);
        Ok(vec![&x[0] * (&x[0] * &x[0]).detach() + (cube.detach() - &x[0].detach() * (&x[0] * &x[0]).detach())])
    };
    for (function, input) in [(cut as fn(&[DynTensor]) -> Outputs, leaf()?), (|x| Ok(vec![x[0].relu() * &x[0]]), kink()?)] {
        let error = gradgradcheck(function, &[input], Tolerances::default()).err().map(|error| error.message().to_owned());
        assert!(error.is_some_and(|said| said.starts_with("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:")));
    }
    Ok(())
}

#[test]
fn inputs_of_single_precision_are_warned_of() -> Result<(), Error> {
    use std::sync::{Arc, Mutex};
    let (said, input) = (Arc::new(Mutex::new(Vec::new())), tensor![1.0, 1.0].erase().requiring_grad()?);
    let own = said.clone();
    latten::warning::set_hook(Some(Box::new(move |text: &str| own.lock().expect("nobody fails").push(text.to_owned()))));
    let found = gradcheck(|x: &[DynTensor]| Ok::<_, Error>(vec![&x[0] * 2.0]), &[input], Tolerances::default());
    assert!(found.is_err(), "differences of so few digits are the gradients");
    let warned = "Input #0 requires gradient and is not a double precision floating point or complex. This check will likely fail if all the inputs \
                  are not of double precision floating point or complex. ";
    assert!(said.lock().expect("nobody fails").iter().any(|text| text == warned));
    Ok(())
}
