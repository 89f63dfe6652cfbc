//! What is refused, and leaves tensors and gradients as they were; what hooks of leaves are given.

use std::sync::{Arc, Mutex};

use latten::grad::{self, GradOptions};
use latten::prelude::*;

use super::{leaf, numbers, text};

type Pair = Tensor<f32, shape![2]>;

fn pair() -> Result<Pair> {
    tensor![1.0, 2.0].requiring_grad()
}

/// A gradient of which two elements are one can't be added to. The other leaf, which comes before or after it, gets nothing.
#[test]
fn no_leaf_gets_a_gradient_where_one_cannot() -> Result<()> {
    for swapped in [false, true] {
        for by_inputs in [false, true] {
            let (p, mut q) = (pair()?, pair()?);
            q.set_grad(&tensor![0.0].erase().expand([2])?.typed()?)?;
            let loss = if swapped { (&p * 2.0 + &q * 3.0).sum() } else { (&q * 3.0 + &p * 2.0).sum() };
            let refused = if by_inputs { grad::backward(&[&loss], &[], Some(&[&p, &q]), GradOptions::default()) } else { loss.backward() };
            let said = text(refused);
            assert!(said.contains("more than one element of the written-to tensor refers to a single memory location"), "{said}");
            assert!(p.grad().is_none(), "{swapped} {by_inputs}");
            assert_eq!(q.grad().map(|grad| numbers(&grad)), Some(vec![0.0, 0.0]));
        }
    }
    Ok(())
}

#[test]
fn hooks_of_leaves_are_given_the_leaf() -> Result<()> {
    let x = leaf();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let first = seen.clone();
    x.register_post_accumulate_grad_hook(move |x| {
        let recorded = grad::is_grad_enabled();
        first.lock().expect("no panic").push(format!(
            "{} {} {recorded} {:?}",
            x.is_leaf(),
            x.requires_grad(),
            x.grad().map(|g| numbers(&g))
        ));
        x.alias().zero_grad();
    })?;
    let second = seen.clone();
    x.register_post_accumulate_grad_hook(move |x| second.lock().expect("no panic").push(format!("{}", x.grad().is_none())))?;
    (&x * 3.0).sum().backward()?;
    (&x * &x).sum().backward_where(None, GradOptions::CREATE_GRAPH)?;
    let seen = seen.lock().expect("no panic").join("; ");
    assert_eq!(seen, "true true false Some([3.0, 3.0, 3.0]); true; true true true Some([2.0, 4.0, 6.0]); true");
    Ok(())
}

/// What a slice writes no call records.
#[test]
fn slices_to_write_to_count_as_changes() -> Result<()> {
    let mut x = leaf();
    for (name, said) in [("slice_mut", text(x.slice_mut().map(drop))), ("parts_mut", text(x.parts_mut(0, 1).map(drop)))] {
        assert_eq!(said, format!("Can't call {name}() on Tensor that requires grad. Use tensor.detach().{name}() instead."));
    }
    for parts in [false, true] {
        let y = &x * 2.0;
        let z = &y * &y;
        let mut written = y.detach();
        if parts {
            written.parts_mut(axis::<0>(), 1_u8)?[0].fill_(100.0)?;
        } else {
            written.slice_mut()?[0] = 100.0;
        }
        let said = text(z.sum().backward());
        assert!(said.contains("is at version 1; expected version 0 instead"), "{said}");
        assert!(x.grad().is_none());
    }
    let _unrecorded = no_grad();
    x.slice_mut()?[0] = 5.0;
    assert_eq!(x.to_vec(), [5.0, 2.0, 3.0]);
    Ok(())
}

/// Gradients that are made up are like their tensors, strides included.
#[test]
fn gradients_of_what_was_not_used() -> Result<()> {
    let (a, b) = (Tensor::<f32, shape![2, 3]>::ones().t().requiring_grad()?, pair()?);
    for create_graph in [false, true] {
        let options = GradOptions { create_graph, materialize_grads: true, ..GradOptions::default() };
        let (by_b, by_a) = grad::grad_of_with(&(&b * &b).sum(), (&b, &a), options)?;
        assert_eq!((by_b.requires_grad(), by_a.requires_grad()), (create_graph, create_graph));
        assert_eq!((numbers(&by_a), by_a.strides()), (vec![0.0; 6], &[1, 3][..]));
    }
    Ok(())
}

#[test]
fn steps_and_counts_have_no_derivative() -> Result<()> {
    let x = pair()?.erase();
    let ids = tensor![0, 1].erase();
    for (name, y) in [("heaviside", call("heaviside", args![&x, &x])?), ("bincount", call("bincount", args![&ids, &x])?)] {
        let y = y.tensor()?;
        assert_eq!((y.requires_grad(), y.grad_fn().as_deref()), (true, Some("NotImplemented")), "{name}");
        assert_eq!(text(DynTensor::from(y).sum().backward()), format!("derivative for aten::{name} is not implemented"));
    }
    Ok(())
}

/// A leaf with gaps gets a gradient without, which is new and not counted as changed.
#[test]
fn versions_of_gradients_that_were_made_with_a_graph() -> Result<()> {
    for (stride, versions) in [(1, [1, 2]), (2, [0, 1])] {
        let x = tensor![1.0_f32, 2.0, 3.0, 4.0].erase().as_strided([2], [stride])?.erase().requiring_grad()?;
        let ones = tensor![1.0_f32, 1.0].erase();
        let mut found = Vec::new();
        for options in [GradOptions::CREATE_GRAPH, GradOptions::default()] {
            (&x * &ones).backward_where(Some(&ones), options)?;
            found.push(x.grad().expect("it has one").version()?);
        }
        assert_eq!(found, versions, "stride {stride}");
    }
    Ok(())
}

type Four = Tensor<f32, shape![4]>;

fn views(x: &Four) -> Result<Four> {
    let y = x.alias();
    y.i(i![1..3]).add_(0.0)?;
    Ok(y)
}

fn in_place(x: &Four) -> Result<Four> {
    let mut y = x.alias();
    y.add_(0.0)?;
    Ok(y)
}

/// A graph is gone through, and dropped, without recursion, whatever its nodes are.
#[test]
fn long_chains_of_every_kind_of_node() -> Result<()> {
    type Link = fn(&Four) -> Result<Four>;
    let links: [(&str, Link); 6] = [
        ("in place", in_place),
        ("views", views),
        ("fuse!", |x| Ok(fuse!(x * 1.0 + 0.0))),
        ("products", |x| Ok(Tensor::<f32, shape![4, 4]>::eye().mv(x))),
        ("composites", |x| Ok(x.leaky_relu())),
        ("shapes", |x| Ok(x.view(shape![2, 2]).view(shape![4]))),
    ];
    let chain = move |name: &str, link: Link, used: bool| -> Result<()> {
        let x = tensor![1.0, 2.0, 3.0, 4.0].requiring_grad()?;
        let mut y = &x * 2.0;
        for _ in 0..20_000 {
            y = link(&y)?;
        }
        if used {
            assert_eq!(numbers(&grad::grad_of(&y.sum(), &x)?), [2.0; 4], "{name}");
        }
        Ok(())
    };
    let all = move || links.into_iter().try_for_each(|(name, link)| [false, true].into_iter().try_for_each(|used| chain(name, link, used)));
    std::thread::Builder::new().stack_size(256 << 10).spawn(all).expect("a thread").join().expect("no overflow")
}

/// Scopes end when their guards are dropped, in whatever order: of those that are open the youngest holds.
#[test]
fn scopes_end_in_any_order() {
    let seen = || (grad::is_grad_enabled(), grad::is_inference_mode_enabled());
    let outer = no_grad();
    let inner = grad::enable_grad();
    let last = grad::inference_mode();
    drop(inner);
    assert_eq!(seen(), (false, true));
    drop(outer);
    assert_eq!(seen(), (false, true));
    drop(last);
    assert_eq!(seen(), (true, false));
    let (outer, inner) = (no_grad(), grad::enable_grad());
    drop(outer);
    assert_eq!(seen(), (true, false));
    drop(inner);
    assert_eq!(seen(), (true, false));
    let outer = grad::set_detect_anomaly(true, grad::NanCheck::No);
    let quiet = no_grad();
    let inner = grad::set_detect_anomaly(false, grad::NanCheck::No);
    drop(outer);
    assert_eq!((grad::is_anomaly_enabled(), seen()), (false, (false, false)));
    drop(inner);
    drop(quiet);
    assert_eq!((grad::is_anomaly_enabled(), seen()), (false, (true, false)));
}
