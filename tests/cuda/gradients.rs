//! The way back on a device, against the host: gradients are where their tensors are, and as the host's.

use latten::grad::{self, GradOptions};
use latten::prelude::*;
use latten::{RawTensor, Result, args, call};

use crate::calls::{CURRENT, Example, Layout, elementwise, every_example, leaf, on, operations};
use crate::compare::{numbers, same};

/// What is computed of a matrix, another one and a row, all of which require a gradient.
type Form = fn(&DynTensor, &DynTensor, &DynTensor) -> Result<DynTensor>;

const FORMS: &[(&str, Form)] = &[
    ("elementwise", |a, b, c| Ok((a * b + c).sigmoid() * b - a)),
    ("numbers", |a, _, c| Ok((a * 2.5 - c).exp() / 3.0)),
    ("kinks", |a, b, c| Ok(a.relu() + b.maximum(c).abs())),
    ("powers", |a, b, _| Ok((a * a + 1.0).sqrt() * b.square())),
    ("matmul", |a, b, _| call("matmul", args![a, &b.t()])?.tensor()),
    ("linear", |a, b, _| call("linear", args![a, b])?.tensor()),
    ("matrix times vector", |a, _, c| call("mv", args![a, c])?.tensor()),
    ("sum", |a, _, c| call("sum", args![&(a * c), [1]])?.tensor()),
    ("mean", |a, b, _| call("mean", args![&(a * b)])?.tensor()),
    ("prod", |a, _, _| call("prod", args![a, 1])?.tensor()),
    ("amax", |a, b, _| call("amax", args![&(a * b), [0]])?.tensor()),
    ("var", |a, _, c| call("var", args![&(a - c)])?.tensor()),
    ("logsumexp", |a, _, c| call("logsumexp", args![&(a + c), [1]])?.tensor()),
    ("norm", |a, _, _| call("norm", args![a])?.tensor()),
    ("cumsum", |a, b, _| call("cumsum", args![&(a * b), 1])?.tensor()),
    ("cumprod", |a, _, _| call("cumprod", args![a, 0])?.tensor()),
    ("softmax", |a, b, _| Ok(call("softmax", args![a, 1])?.tensor()? * b)),
    ("log_softmax", |a, b, _| Ok(call("log_softmax", args![a, 0])?.tensor()? * b)),
    ("select", |a, _, c| Ok(call("select", args![a, 0, 1])?.tensor()? * c)),
    ("slice", |a, b, _| Ok(a.narrow(1, 1, 3)? * b.narrow(1, 0, 3)?)),
    ("permuted", |a, b, _| Ok(a.t() * b.t())),
    ("reshaped", |a, b, _| Ok((a.t().reshape([20])? * b.reshape([20])?).erase())),
    ("expanded", |a, _, c| Ok(c.expand([4, 5])? * a)),
    ("cat", |a, b, _| call("cat", args![[a, b], 1])?.tensor()),
    ("stack", |a, b, _| Ok(call("stack", args![[a, b]])?.tensor()? * 2.0)),
    ("flip", |a, b, _| Ok(call("flip", args![a, [1]])?.tensor()? * b)),
    ("where", |a, b, c| call("where", args![&a.gt(c), a, b])?.tensor()),
    ("masked_fill", |a, b, c| Ok(call("masked_fill", args![a, &a.gt(c), 1.5])?.tensor()? * b)),
    ("gather", |a, b, _| Ok(call("gather", args![a, 1, &places(b, &[4, 2])?])?.tensor()? * 3.0)),
    ("index_select", |a, b, _| Ok(call("index_select", args![a, 0, &places(b, &[8])?])?.tensor()? * 0.1)),
    ("embedding", |a, b, _| Ok(call("embedding", args![&places(b, &[2, 4])?, a])?.tensor()? * 0.1)),
    ("casts", |a, b, _| Ok(a.to_dtype(DType::F64)? * b)),
    ("fuse!", |a, b, c| Ok(fuse!(sigmoid(a * b + c) * b - a))),
    ("a reduced fuse!", |a, b, c| Ok(fuse!(sum(sigmoid(a * b + c) * b - a)).erase())),
];

/// Places of four, most of them several times, beside a tensor.
fn places(like: &DynTensor, sizes: &[isize]) -> Result<DynTensor> {
    let all = RawTensor::from_vec((0..8_i64).map(|i| i * i % 3).collect(), &[8])?.view(sizes)?;
    Ok(DynTensor::from(all.to_device(like.raw().device())?))
}

/// Three tensors, on the host or a device.
fn leaves(on_device: bool) -> Result<[DynTensor; 3]> {
    let given = |count: usize, seed, sizes: &[isize]| {
        // Neither too large for `exp`, nor equal to others.
        let small = DynTensor::from(numbers(DType::F32, count, seed)?.view(sizes)?).sin().nan_to_num() * 1.5 + 0.01;
        let placed = if on_device { small.to_device("cuda:0")? } else { small };
        placed.detach().requiring_grad()
    };
    Ok([given(20, 3, &[4, 5])?, given(20, 5, &[4, 5])?, given(5, 7, &[5])?])
}

/// The result, the gradients, and the gradient of the first leaf of the sum of the squares of those.
fn computed(form: Form, on_device: bool) -> Result<Vec<Option<DynTensor>>> {
    let [a, b, c] = leaves(on_device)?;
    let result = form(&a, &b, &c)?;
    let inputs: [&dyn grad::AnyTensor; 3] = [&a, &b, &c];
    let allowed = GradOptions { allow_unused: Some(true), ..GradOptions::CREATE_GRAPH };
    let total = if result.dim() == 0 { result.alias() } else { call("sum", args![&result.square()])?.tensor()? };
    let first = grad::grad(&[&total], &inputs, &[], allowed)?;
    let of_first = first[0].as_ref().expect("all forms compute with the first leaf");
    let second = if of_first.requires_grad() {
        let squares = call("sum", args![&of_first.square()])?.tensor()?;
        grad::grad(&[&squares], &inputs[..1], &[], allowed)?.remove(0)
    } else {
        None
    };
    Ok([Some(result)].into_iter().chain(first).chain([second]).collect())
}

/// One test, because kernels are counted for the process, in which no other one runs.
#[test]
fn gradients_of_expressions_are_the_hosts() {
    if !latten::cuda::is_available() {
        return;
    }
    gradients_of_an_expression_are_one_kernel().expect("gradients");
    for (what, form) in FORMS {
        let host = computed(*form, false).unwrap_or_else(|error| panic!("{what} on the host: {error}"));
        let device = computed(*form, true).unwrap_or_else(|error| panic!("{what} on the device: {error}"));
        for (place, (host, device)) in host.iter().zip(&device).enumerate() {
            let what = format!("{what}, {}", ["the result", "gradient 0", "gradient 1", "gradient 2", "the second gradient"][place]);
            let (Some(host), Some(device)) = (host, device) else {
                assert!(host.is_none() && device.is_none(), "{what}: it is there on one of them");
                continue;
            };
            assert!(device.raw().device().to_string().starts_with("cuda"), "{what} is on {}", device.raw().device());
            same(&what, host.raw(), device.raw(), 1e-4);
        }
    }
}

/// The gradients of all operands of an expression are one kernel, which writes all of them.
fn gradients_of_an_expression_are_one_kernel() -> Result<()> {
    let [a, b, c] = leaves(true)?;
    let c = c.detach();
    let result = fuse!(sigmoid(a * b + c) * tanh(b) - a * 0.125);
    let modules = || latten::cuda::inspect::counts("cuda:0").map(|(compiled, loaded)| compiled + loaded);
    let before = modules()?;
    result.backward_with(&a.detach())?;
    assert_eq!(modules()? - before, 1, "kernels for the way back");
    assert!(a.grad().is_some() && b.grad().is_some());
    Ok(())
}

/// What a call gives, and the gradients of that in directions that follow from it.
fn way_back((name, sizes, function): &Example, dtype: DType, device: &'static str) -> Result<Vec<DynTensor>> {
    CURRENT.set(name);
    let placed = |(seed, sizes): (usize, &&[usize])| leaf(sizes, dtype, Layout::Plain, seed).detach().to_device(device)?.requiring_grad();
    let inputs = sizes.iter().enumerate().map(placed).collect::<Result<Vec<_>>>()?;
    let found = on(device, || function(&inputs))?;
    let results: Vec<DynTensor> = found.into_iter().filter(|result| result.requires_grad()).collect();
    let directions = results.iter().map(|result| call("cos", args![&result.detach()])?.tensor()).collect::<Result<Vec<_>>>()?;
    let directions: Vec<Option<&dyn grad::AnyTensor>> = directions.iter().map(|direction| Some(direction as _)).collect();
    let outputs: Vec<&dyn grad::AnyTensor> = results.iter().map(|result| result as _).collect();
    let inputs: Vec<&dyn grad::AnyTensor> = inputs.iter().map(|input| input as _).collect();
    let allowed = GradOptions { allow_unused: Some(true), ..GradOptions::default() };
    let gradients = grad::grad(&outputs, &inputs, &directions, allowed)?;
    Ok(results.iter().map(|result| result.detach()).chain(gradients.into_iter().flatten()).collect())
}

/// What generators of GPUs draw is theirs: `draws` asks for it.
fn is_drawn(name: &str) -> bool {
    name.contains("dropout")
}

#[test]
fn of_every_row_gradients_are_the_hosts() {
    if !latten::cuda::is_available() {
        return;
    }
    let rows = operations().map(|op| {
        let sizes: &[&[usize]] = &[&[2, 3], &[3], &[2, 3]];
        (op.name(), sizes[..op.row().operands.len()].to_vec(), elementwise(op))
    });
    let (mut wrong, mut right) = (Vec::new(), 0);
    for example in rows.chain(every_example()).filter(|(name, ..)| !is_drawn(name)) {
        for dtype in [DType::F64, DType::C128] {
            let Ok(host) = way_back(&example, dtype, "cpu") else { continue };
            let what = format!("{} of {dtype}", example.0);
            match way_back(&example, dtype, "cuda:0") {
                Ok(device) if device.len() == host.len() => {
                    for (host, device) in host.iter().zip(&device) {
                        assert!(example.0 == "cpu" || device.raw().device().to_string().starts_with("cuda"), "{what}: on the host");
                        same(&what, host.raw(), device.raw(), 1e-9);
                        right += 1;
                    }
                }
                other => wrong.push(format!("{what}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 3_000, "{right} tensors are right");
}
