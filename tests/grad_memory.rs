//! That graphs leave nothing after: how much storages hold before and after, over and over, whatever was asked of gradients. One test, because
//! the pool's counts are the process's.

use latten::grad::{self, GradOptions};
use latten::prelude::*;
use latten::storage::pool_stats;
use latten::{Result, args, call};

type Wide = Tensor<f32, shape![40, 50]>;

fn leaf() -> Result<Wide> {
    Wide::ones().requiring_grad()
}

/// What is computed, and forgotten; and what it is called.
type Case = (&'static str, fn() -> Result<()>);

const CASES: &[Case] = &[
    ("a graph that nobody goes through", || {
        let x = leaf()?;
        let _y = (&x * &x).sigmoid().sum();
        Ok(())
    }),
    ("there and back", || {
        let x = leaf()?;
        (&x * &x).sigmoid().sum().backward()
    }),
    ("back twice", || {
        let x = leaf()?;
        let y = (&x * &x).exp().sum();
        y.backward_where(None, GradOptions::RETAIN_GRAPH)?;
        y.backward_where(None, GradOptions::RETAIN_GRAPH)
    }),
    ("a way back that fails", || {
        let x = leaf()?;
        let mut y = x.exp();
        let z = (&y * &y).sum();
        y += 1.0;
        assert!(z.backward().is_err(), "what was kept has changed");
        Ok(())
    }),
    ("gradients of gradients", || {
        let x = leaf()?;
        let y = (&(&x * &x) * &x).sum();
        let first = grad::grad(&[&y], &[&x], &[], GradOptions::CREATE_GRAPH)?.remove(0).expect("x was used");
        call("sum", args![&first])?.tensor()?.backward()
    }),
    ("a gradient that has a history, and is taken away", || {
        let mut x = leaf()?;
        (&x * &x).sum().backward_where(None, GradOptions::CREATE_GRAPH)?;
        x.zero_grad();
        Ok(())
    }),
    ("hooks", || {
        let x = leaf()?;
        let y = x.exp();
        let (other, kept) = (leaf()?, Wide::ones());
        x.register_hook(move |g| Some(g * &other.detach()))?;
        y.register_hook(move |g| Some(g * &kept))?;
        y.sum().backward()
    }),
    ("results that keep their gradients", || {
        let x = leaf()?;
        let y = x.exp();
        y.retain_grad()?;
        y.sum().backward()
    }),
    ("changes in place", || {
        let x = leaf()?;
        let mut y = &x * 2.0;
        y *= &x;
        y.sigmoid_()?;
        y.sum().backward()
    }),
    ("a view that is changed", || {
        let x = leaf()?;
        let base = (&x * 2.0).erase();
        let mut part = base.narrow(0, 1, 30)?;
        part.mul_(&x.erase().narrow(0, 0, 30)?)?;
        base.sum().backward()
    }),
    ("a view of a plain tensor that is changed", || {
        let x = leaf()?.erase();
        let base = Wide::ones().erase();
        base.narrow(0, 1, 30)?.mul_(&x.narrow(0, 0, 30)?)?;
        base.sum().backward()
    }),
    ("the same, and nobody goes back", || {
        let x = leaf()?.erase();
        let base = Wide::ones().erase();
        base.narrow(0, 1, 30)?.mul_(&x.narrow(0, 0, 30)?)?;
        base.narrow(0, 2, 30)?.sigmoid_()?.exp_()?;
        Ok(())
    }),
    ("the same, and the graph is kept", || {
        let x = leaf()?.erase();
        let base = Wide::ones().erase();
        base.narrow(0, 1, 30)?.mul_(&x.narrow(0, 0, 30)?)?;
        base.narrow(0, 2, 30)?.sigmoid_()?.exp_()?;
        base.sum().backward_where(None, GradOptions::RETAIN_GRAPH)
    }),
    ("a plain tensor that is changed", || {
        let x = leaf()?;
        let mut y = Wide::ones();
        y *= &x;
        y.sigmoid_()?;
        Ok(())
    }),
    ("fuse!", || {
        let (x, y) = (leaf()?, leaf()?);
        fuse!(sum(sigmoid(x * y + x) * y - x)).backward()
    }),
    ("scopes", || {
        let x = leaf()?;
        let quiet = grad::within(no_grad(), || &x * 2.0);
        let view = grad::within(grad::inference_mode(), || x.t());
        drop((quiet, view));
        Ok(())
    }),
    ("long chains", || {
        let x = leaf()?;
        let mut y = &x * 1.0;
        for _ in 0..100 {
            y = &y * &x;
        }
        y.sum().backward()
    }),
];

#[test]
fn nothing_is_left_behind() {
    for (what, case) in CASES {
        case().unwrap_or_else(|error| panic!("{what}: {error}"));
        let before = pool_stats().used_bytes;
        for _ in 0..5 {
            case().unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        let left = pool_stats().used_bytes - before;
        assert_eq!(left, 0, "{what}: storages hold {left} bytes more after five times");
    }
}
