//! Gradients: leaves, the way back, accumulation, modes, versions, changes in place, views and hooks, with PyTorch's answers.

use std::sync::{Arc, Mutex};

use latten::grad::{self, GradOptions};
use latten::prelude::*;
use latten::{Error, Result, SparseTensor, args, call};

/// PyTorch's words for going back through what is gone.
const SECOND_TIME: &str = "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved \
    intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through \
    the graph a second time or if you need to access saved tensors after calling backward.";

#[path = "grad/nodes.rs"]
mod nodes;
#[path = "grad/unchanged.rs"]
mod unchanged;

fn leaf() -> Tensor<f32, shape![3]> {
    tensor![1.0, 2.0, 3.0].requiring_grad().expect("floats have gradients")
}

fn numbers<S: Shape>(tensor: &Tensor<f32, S>) -> Vec<f32> {
    tensor.to_vec()
}

fn text<T>(outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_product_and_a_sum() -> Result<(), Error> {
    let x = leaf();
    let y = &(&x * &x) + &x;
    assert_eq!(y.grad_fn().as_deref(), Some("AddBackward0"));
    assert!(y.requires_grad() && !y.is_leaf() && x.is_leaf());
    y.sum().backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![3.0, 5.0, 7.0]));
    let again = y.sum().backward();
    assert_eq!(text(again), SECOND_TIME);
    (&x * 2.0).backward_with(&tensor![1.0, 10.0, 100.0])?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![5.0, 25.0, 207.0]));
    Ok(())
}

#[test]
fn gradients_of_gradients() -> Result<(), Error> {
    let x = leaf();
    let y = (&(&x * &x) * &x).sum();
    let first = grad::grad(&[&y], &[&x], &[], GradOptions::CREATE_GRAPH)?.remove(0).expect("x was used");
    let total = call("sum", args![&first])?.tensor()?;
    let second = grad::grad(&[&total], &[&x], &[], GradOptions::default())?.remove(0).expect("x was used");
    assert_eq!(second.typed::<f32, shape![3]>()?.to_vec(), [6.0, 12.0, 18.0]);
    assert!(x.grad().is_none());
    Ok(())
}

#[test]
fn scopes() {
    let x = leaf();
    {
        let _scope = no_grad();
        assert!(!grad::is_grad_enabled() && !(&x * 2.0).requires_grad());
        let _inner = grad::enable_grad();
        assert!((&x * 2.0).requires_grad());
    }
    assert!(grad::is_grad_enabled() && (&x * 2.0).requires_grad());
}

#[test]
fn in_place_on_leaves_and_results() -> Result<(), Error> {
    let mut x = leaf();
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| x *= 2.0));
    assert!(refused.is_err());
    assert_eq!(numbers(&x), [1.0, 2.0, 3.0]);
    let mut y = &x * 2.0;
    y *= &x;
    assert_eq!((y.version()?, y.grad_fn().as_deref()), (1, Some("MulBackward0")));
    y.sum().backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![4.0, 8.0, 12.0]));
    Ok(())
}

#[test]
fn what_was_kept_and_then_changed_is_an_error() -> Result<(), Error> {
    let x = leaf();
    let mut y = &x * 2.0;
    let z = (&y * &y).sum();
    y += 1.0;
    assert_eq!(
        text(z.backward()),
        "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]], which is \
         output 0 of Add, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to \
         compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    );
    assert!(x.grad().is_none());
    Ok(())
}

#[test]
fn hooks_and_gradients_of_results() -> Result<(), Error> {
    let x = leaf();
    let y = &x * 2.0;
    y.retain_grad()?;
    y.register_hook(|gradient| Some(gradient * 10.0))?;
    y.sum().backward()?;
    assert_eq!(y.grad().map(|grad| numbers(&grad)), Some(vec![10.0; 3]));
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![20.0; 3]));
    Ok(())
}

/// A hook may use its tensor, register hooks and go back through others; so may what a hook that is taken away drops.
#[test]
fn hooks_run_without_a_lock() -> Result<(), Error> {
    struct Asks(DynTensor);
    impl Drop for Asks {
        fn drop(&mut self) {
            self.0.register_hook(|_| None).expect("it requires a gradient");
        }
    }
    let x = leaf().erase();
    for tensor in [x.clone(), (&x * 2.0).erase()] {
        let held = tensor.alias();
        let asks = Asks(tensor.alias());
        let handle = tensor.register_hook(move |gradient| {
            asks.0.register_hook(|_| None).expect("it requires a gradient");
            let _scope = grad::enable_grad();
            let inner = leaf();
            (&inner * 3.0).sum().backward().expect("another way back");
            assert_eq!(held.sizes(), gradient.sizes());
            None
        })?;
        (&tensor * 5.0).sum().backward()?;
        handle.remove();
    }
    let asks = Asks(x.alias());
    x.register_post_accumulate_grad_hook(move |leaf| {
        asks.0.register_hook(|_| None).expect("it requires a gradient");
        leaf.alias().zero_grad();
    })?
    .remove();
    Ok(())
}

/// In messages the number of a node's name stays, unless it is 0.
#[test]
fn short_names_of_nodes() -> Result<(), Error> {
    let x = leaf().erase();
    let clamped = call("clamp", args![&x, -1.0, 10.0])?.tensor()?;
    let copied = {
        let mut copied = (&x * 2.0).erase();
        copied.copy_(&x)?;
        copied
    };
    for (mut y, name) in [(clamped, "Clamp1"), (copied, "torch::autograd::CopyBackwards"), (&x * 2.0, "Mul")] {
        let z = &y * &y;
        {
            let _scope = no_grad();
            y.add_(1.0)?;
        }
        let said = text(z.backward_with(&tensor![1.0_f32, 1.0, 1.0].erase()));
        assert!(said.contains(&format!("which is output 0 of {name}, is at version")), "{name}: {said}");
    }
    Ok(())
}

#[test]
fn names_of_reshapes() -> Result<(), Error> {
    let x = (&tensor![[1.0_f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]].requiring_grad()? * 1.0).erase();
    let names = [
        (x.reshape([-1])?.erase(), "ViewBackward0"),
        (x.as_strided([2, 2], [4, 2])?.erase().reshape([-1])?.erase(), "ReshapeAliasBackward0"),
        (x.as_strided([2, 2], [4, 2])?.erase().flatten_with(0, -1)?.erase(), "ReshapeAliasBackward0"),
        (x.t().reshape([-1])?.erase(), "UnsafeViewBackward0"),
        (x.t().flatten_with(0, -1)?.erase(), "UnsafeViewBackward0"),
    ];
    for (place, (y, name)) in names.iter().enumerate() {
        assert_eq!(y.grad_fn().as_deref(), Some(*name), "the {place}th");
    }
    Ok(())
}

/// What keeps its gradient and is changed keeps that of its new value alone, changed itself or through a view.
#[test]
fn gradients_of_results_that_are_changed() -> Result<(), Error> {
    for through_a_view in [false, true] {
        let x = leaf();
        let mut y = &x * 2.0;
        y.retain_grad()?;
        if through_a_view {
            y.erase().narrow(0, 0, 3)?.mul_(5.0)?;
        } else {
            y.mul_(5.0)?;
        }
        (&y * 10.0).sum().backward()?;
        assert_eq!(y.grad().map(|grad| numbers(&grad)), Some(vec![10.0; 3]), "through a view: {through_a_view}");
        assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![100.0; 3]), "through a view: {through_a_view}");
    }
    Ok(())
}

#[test]
fn what_has_no_derivative_says_so_on_the_way_back() -> Result<(), Error> {
    let x = leaf();
    let error = call("unique", args![&x]).and_then(|distinct| distinct.tensor()?.sum().backward());
    let error = error.expect_err("PyTorch has no derivative of it");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::NotImplemented, "the derivative for '_unique2' is not implemented.")
    );
    Ok(())
}

#[test]
fn a_long_chain_of_operations_is_gone_through_and_dropped() -> Result<(), Error> {
    // Recursion over a tenth of it would be too much for the stack of a test's thread.
    let length = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let x = tensor!(1.0).requiring_grad()?;
    let mut y = &x + 0.0;
    for _ in 0..length {
        y = &y + 0.0;
    }
    y.backward()?;
    assert_eq!(x.grad().map(|grad| grad.item()), Some(1.0));
    let mut unused = &x * 1.0;
    for _ in 0..length {
        unused = &unused * 1.0;
    }
    drop(unused);
    // What these keep leads back, too.
    let mut kept = &x * 1.0;
    for _ in 0..length {
        kept = &kept * &kept;
    }
    drop(kept);
    Ok(())
}

/// Of few elements each step of a formula is computed by itself, of many all steps in one pass: the bits are the same.
#[test]
fn gradients_of_few_elements_are_those_of_many() -> Result<(), Error> {
    let few: Vec<f32> = (0..60).map(|i| (i as f32 - 30.0) * 0.17).collect();
    let many: Vec<f32> = few.iter().copied().cycle().take(6_000).collect();
    let gradient = |numbers: &[f32], name: &str, other: Option<f64>| -> Result<Vec<f32>> {
        let x = Tensor::<f32>::from_slice(numbers, &[numbers.len()][..])?.requiring_grad()?;
        let y = match other {
            Some(other) => call(name, args![&x, &DynTensor::full(x.sizes(), other, DType::F32)?])?.tensor()?,
            None => call(name, args![&x])?.tensor()?,
        };
        y.backward_with(&(x.detach() * 0.3).erase())?;
        x.grad().expect("x was used").try_to_vec()
    };
    let unary = ["sigmoid", "silu", "tanh", "gelu", "softplus", "erf", "logsigmoid", "rsqrt", "atan", "sinc", "mish", "expm1"];
    let binary = ["div", "pow", "atan2", "hypot", "logaddexp", "maximum", "fmod", "xlogy", "copysign"];
    let cases = unary.map(|name| (name, None)).into_iter().chain(binary.map(|name| (name, Some(1.7))));
    for (name, other) in cases {
        let (one, all) = (gradient(&few, name, other)?, gradient(&many, name, other)?);
        let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<u32>>();
        assert_eq!(bits(&one), bits(&all[..60]), "{name}");
        assert_eq!(bits(&all[..60]), bits(&all[5_940..]), "{name}");
    }
    Ok(())
}

/// What is kept stays while the graph is retained, and is the same each time.
#[test]
fn a_graph_that_is_retained_keeps_what_it_has() -> Result<(), Error> {
    let x = leaf();
    let y = (&(&x * &x).exp() / &x).sum();
    let mut each = Vec::new();
    for options in [GradOptions::RETAIN_GRAPH, GradOptions::RETAIN_GRAPH, GradOptions::default()] {
        each.push(numbers(&grad::grad(&[&y], &[&x], &[], options)?.remove(0).expect("x was used").typed::<f32, shape![3]>()?));
    }
    assert!(each[0] == each[1] && each[1] == each[2], "{each:?}");
    assert!(text(y.backward()).starts_with("Trying to backward through the graph a second time"));
    // What leads to no elements can be gone through any number of times.
    let z = (&x + 1.0).sum();
    z.backward()?;
    z.backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2.0; 3]));
    Ok(())
}

/// The gradient of a sparse tensor goes to the values that it was made of.
#[test]
fn gradients_of_sparse_tensors_go_to_their_values() -> Result<(), Error> {
    let (places, x) = (tensor![[0_i64, 2, 2], [1, 0, 0]], leaf());
    let sparse = SparseTensor::new(&places, &x, [3, 2])?;
    let dense = tensor![[1.0_f32, 10.0], [100.0, 1000.0]].requiring_grad()?;
    call("mm", args![sparse.raw(), &dense])?.tensor()?.backward_with(&tensor![[1.0_f32, 2.0], [0.5, 0.5], [4.0, 8.0]].erase())?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2100.0, 84.0, 84.0]));
    assert_eq!(dense.grad().map(|grad| numbers(&grad)), Some(vec![20.0, 40.0, 1.0, 2.0]));
    let coalesced = sparse.coalesce();
    (coalesced.values() * tensor![3.0_f32, 5.0]).sum().backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2103.0, 89.0, 89.0]));
    // As in PyTorch, `_values` doesn't lead back, and nothing does that was made while nothing is recorded.
    assert!(!sparse.raw_values().requires_grad());
    let unrecorded = {
        let _scope = no_grad();
        SparseTensor::new(&places, &x, [3, 2])?
    };
    assert!(!unrecorded.to_dense().requires_grad());
    Ok(())
}

/// The first derivative names both, which lie in the same memory; only one of them is gone back through again.
#[test]
fn a_tensor_and_its_detached_self_in_one_expression() -> Result<(), Error> {
    let x = leaf();
    let y = x.pow(&x.detach()).sum();
    // dy/dx = c x^(c - 1), whose derivative is c (c - 1) x^(c - 2).
    let first = grad::grad(&[&y], &[&x], &[], GradOptions::CREATE_GRAPH)?.remove(0).expect("x was used");
    let total = call("sum", args![&first])?.tensor()?;
    let second = grad::grad(&[&total], &[&x], &[], GradOptions::default())?.remove(0).expect("x was used");
    assert_eq!(second.typed::<f32, shape![3]>()?.to_vec(), [0.0, 2.0, 18.0]);
    Ok(())
}

#[test]
fn a_join_keeps_nothing_and_can_be_gone_back_through_twice() -> Result<(), Error> {
    let x = leaf();
    let joined = cat(&[&x, &x], 0)?;
    let ones = tensor![1.0, 1.0, 1.0, 1.0, 1.0, 1.0].erase();
    for round in 1_u8..=2 {
        joined.erase().backward_with(&ones)?;
        assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2.0 * f32::from(round); 3]), "round {round}");
    }
    Ok(())
}

#[test]
fn more_results_than_a_mask_has_bits() -> Result<(), Error> {
    let x = Tensor::from_vec((0_u8..40).map(f32::from).collect::<Vec<_>>(), [40])?.requiring_grad()?;
    let rows = call("unbind", args![&x])?.tensors()?;
    let last = call("mul", args![&rows[39], &rows[33]])?.tensor()?;
    last.backward()?;
    let mut expected = [0.0; 40];
    (expected[33], expected[39]) = (39.0, 33.0);
    assert_eq!(numbers(&x.grad().expect("a gradient")), expected);
    Ok(())
}

#[test]
fn a_tensor_as_what_fills_gets_the_sum() -> Result<(), Error> {
    let (x, number) = (leaf(), tensor!(5.0).requiring_grad()?);
    let mut y = (&x * 2.0).erase();
    call("fill_", args![&mut y, &number])?;
    assert_eq!(y.grad_fn().as_deref(), Some("FillBackward3"));
    let y = y.typed::<f32, shape![3]>()?;
    assert_eq!(numbers(&y), [5.0; 3]);
    (&y * &x).sum().backward()?;
    assert_eq!(number.grad().map(|grad| grad.item()), Some(6.0));
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![5.0; 3]));
    let mut plain = tensor![1.0_f32, 2.0, 3.0].erase();
    assert_eq!(
        text(call("fill_", args![&mut plain, &tensor![1.0]])),
        "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions."
    );
    let third = plain.select(0, 2)?.detach();
    call("fill_", args![&mut plain, &third])?;
    assert_eq!(plain.typed::<f32, shape![3]>()?.to_vec(), [3.0; 3]);
    Ok(())
}

/// What is a view of it, or the same tensor twice, would get gradients of other sizes.
#[test]
fn what_becomes_a_view_of_itself_keeps_its_history() -> Result<(), Error> {
    let x = leaf();
    let mut y = x.view([1, 3])?.erase();
    assert!(text(call("t_", args![&mut y])).starts_with("a view of a leaf Variable that requires grad"));
    let mut y = call("mul", args![&y, 2])?.tensor()?;
    let other = y.alias();
    assert!(text(call("t_", args![&mut y])).ends_with("the others' gradients would go astray"));
    assert_eq!(y.sizes(), [1, 3]);
    drop(other);
    call("t_", args![&mut y])?;
    assert_eq!((y.grad_fn().as_deref(), y.sizes(), y.strides()), (Some("TBackward1"), &[3, 1][..], &[1, 3][..]));
    call("sum", args![&call("mul", args![&y, &tensor![[1.0_f32], [10.0], [100.0]]])?.tensor()?])?.tensor()?.backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2.0, 20.0, 200.0]));

    // A view of a result goes on being one.
    let x = leaf();
    let y = (&x * 2.0).erase();
    let mut part = y.narrow(0, 1, 2)?;
    call("unsqueeze_", args![&mut part, 1])?;
    call("mul_", args![&mut part, &tensor![[3.0_f32], [5.0]]])?;
    assert_eq!(y.to_string(), "tensor([ 2., 12., 30.], grad_fn=<CopySlices>)");
    y.sum().backward()?;
    assert_eq!(x.grad().map(|grad| numbers(&grad)), Some(vec![2.0, 6.0, 10.0]));

    let mut x = leaf().view([1, 3])?.detach().requiring_grad()?.erase();
    assert!(text(call("t_", args![&mut x])).starts_with("a leaf Variable that requires grad"));
    grad::within(no_grad(), || call("t_", args![&mut x]).map(drop))?;
    assert_eq!(x.sizes(), [3, 1]);
    Ok(())
}

#[test]
fn what_takes_a_whole_dimension_is_no_slice() -> Result<(), Error> {
    let x = leaf();
    for (start, end, step, node) in
        [(0, 3, 1, "AliasBackward0"), (-5, 100, 1, "AliasBackward0"), (0, 2, 1, "SliceBackward0"), (0, 3, 2, "SliceBackward0")]
    {
        let slice = call("slice", args![&x, 0, start, end, step])?.tensor()?;
        assert_eq!(slice.grad_fn().as_deref(), Some(node), "x[{start}:{end}:{step}]");
    }
    Ok(())
}

/// What PyTorch says in anomaly mode. Warnings of other tests in this process may come between: they name other nodes.
#[test]
fn anomalies_are_told() -> Result<(), Error> {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    latten::warning::set_hook(Some(Box::new(move |text| hears.lock().expect("no panic").push(text.to_owned()))));
    let told = |name: &str| {
        let all: Vec<String> = std::mem::take(&mut *heard.lock().expect("no panic"));
        all.into_iter().filter(|text| text.contains(name)).collect::<Vec<String>>()
    };
    let x = tensor![-1.0, 4.0].requiring_grad()?;
    assert!(!grad::is_anomaly_enabled());
    let failed = grad::within(grad::detect_anomaly(), || {
        assert!(grad::is_anomaly_enabled());
        x.sqrt().sum().backward()
    });
    assert_eq!(text(failed), "Function 'SqrtBackward0' returned nan values in its 0th output.");
    assert!(x.grad().is_none(), "nothing was added");
    let all = told("");
    assert_eq!(all[0], "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.");
    let trace = all.iter().find(|text| text.starts_with("Error detected in SqrtBackward0.")).expect("told");
    assert!(trace.starts_with("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"), "{trace}");
    assert!(trace.contains("anomalies_are_told"), "{trace}");

    // Made outside, and not looked for.
    let root = x.sqrt();
    let failed =
        grad::within(grad::set_detect_anomaly(true, grad::NanCheck::Yes), || root.sum().backward_where(None, GradOptions::RETAIN_GRAPH));
    assert_eq!(text(failed), "Function 'SqrtBackward0' returned nan values in its 0th output.");
    assert_eq!(
        told("SqrtBackward0"),
        [
            "Error detected in SqrtBackward0. No forward pass information available. Enable detect anomaly during forward pass for more information."
        ]
    );
    grad::within(grad::set_detect_anomaly(true, grad::NanCheck::No), || root.sum().backward())?;
    assert!(x.grad().is_some_and(|grad| numbers(&grad)[0].is_nan()));

    // What was made on the way back names the node that ran then.
    let x = tensor![1.0, 2.0].requiring_grad()?;
    let (zero, infinite) = (tensor![0.0, 0.0].erase(), tensor![f32::INFINITY, 1.0].erase());
    let failed = grad::within(grad::set_detect_anomaly(true, grad::NanCheck::Yes), || {
        let first = grad::grad(&[&x.exp()], &[&x], &[Some(&zero)], GradOptions::CREATE_GRAPH)?.remove(0).expect("used");
        grad::grad(&[&first], &[&x], &[Some(&infinite)], GradOptions::default())
    });
    assert!(text(failed).starts_with("Function 'MulBackward0' returned nan values in its "));
    let all = told("Backward0");
    assert!(all[0].starts_with("Error detected in MulBackward0. Traceback of forward call that caused the error:\n"), "{}", all[0]);
    let by = "\n\nPrevious calculation was induced by ExpBackward0. Traceback of forward call that induced the previous calculation:\n";
    assert!(all[1].starts_with(by) && all.len() == 2, "{all:?}");

    // What was changed is told with where it was kept.
    let failed = grad::within(grad::set_detect_anomaly(true, grad::NanCheck::No), || {
        let mut y = x.exp();
        y += 1.0;
        y.sum().backward()
    });
    let hint = "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed \
                in there or anywhere later. Good luck!";
    assert!(text(failed).ends_with(hint));
    assert!(told("ExpBackward0")[0].starts_with("Error detected in ExpBackward0. Traceback of forward call"));
    latten::warning::set_hook(None);
    Ok(())
}

/// Smooth curves have no kink at 0: each number is PyTorch's.
#[test]
fn logarithms_of_sigmoids_are_smooth() -> Result<()> {
    let x = tensor![0.0, -0.0, 2.0, -2.0].requiring_grad()?;
    x.logsigmoid().sum().backward()?;
    assert_eq!(x.grad().expect("a leaf").to_string(), "tensor([0.5000, 0.5000, 0.1192, 0.8808])");
    x.binary_cross_entropy_with_logits(&tensor![0.0, 1.0, 0.0, 1.0])?.backward()?;
    assert_eq!(x.grad().expect("a leaf").to_string(), "tensor([0.6250, 0.3750, 0.3394, 0.6606])");
    Ok(())
}
