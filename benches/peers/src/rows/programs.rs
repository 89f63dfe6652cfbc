//! Rows of several operations in one, of gradients, and of random numbers.

use latten_core::create::Options;
use latten_core::random::{self, Replacement};

use super::Row;
use crate::sizes::{big, of, small};
use crate::{gradients as back, latten};

/// `sigmoid(a*b+a)*b-a`: against PyTorch's operators, and against what `torch.compile` makes of them.
pub fn fusions() -> Vec<Row> {
    rows! {
        "fused, 10⁷, eager" Some(20.0), Some(12 * big());
            "a, b = x(N), y(N)" "torch.sigmoid(a * b + a) * b - a";
            latten::fused(big());
        "fused, 10⁷, torch.compile" Some(3.0), Some(12 * big());
            "a, b = x(N), y(N); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused(big());
        "fused, 10⁵, torch.compile" Some(2.0), None;
            "a, b = x(S), y(S); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused(small());
        "fused, dynamic, 10⁷, torch.compile" None, Some(12 * big());
            "a, b = x(N), y(N); f = torch.compile(lambda a, b: torch.sigmoid(a * b + a) * b - a); f(a, b)" "f(a, b)";
            latten::fused_dynamic(big());
        "fused sum, 10⁷, eager" None, Some(8 * big());
            "a, b = x(N), y(N)" "(torch.sigmoid(a * b + a) * b - a).sum()";
            latten::fused_sum(big());
        "fused sum, 10⁷, torch.compile" None, Some(8 * big());
            "a, b = x(N), y(N); f = torch.compile(lambda a, b: (torch.sigmoid(a * b + a) * b - a).sum()); f(a, b)" "f(a, b)";
            latten::fused_sum(big());
        "fused mean of squares, 10⁷, torch.compile" None, Some(8 * big());
            "a, b = x(N), y(N); f = torch.compile(lambda a, b: ((a - b) ** 2).mean()); f(a, b)" "f(a, b)";
            latten::fused_mean(big());
        "fused mean of squares, dynamic, 10⁷, torch.compile" None, Some(8 * big());
            "a, b = x(N), y(N); f = torch.compile(lambda a, b: ((a - b) ** 2).mean()); f(a, b)" "f(a, b)";
            latten::fused_mean_dynamic(big());
        "not fused, 10⁷" None, None;
            "a, b = x(N), y(N)" "torch.sigmoid(a * b + a) * b - a";
            latten::unfused(big());
    }
}

/// There and back.
pub fn gradients() -> Vec<Row> {
    rows! {
        "gradients of the fused, 10⁷, eager" Some(8.0), None;
            "a, b = x(N).requires_grad_(), y(N).requires_grad_()"
            "a.grad = b.grad = None; (torch.sigmoid(a * b + a) * b - a).sum().backward()" => "torch.cat([a.grad, b.grad])";
            back::fused(big());
            candle back::by_candle(big());
        "gradients of the same by operators, 10⁷" Some(2.0), None;
            "a, b = x(N).requires_grad_(), y(N).requires_grad_()"
            "a.grad = b.grad = None; (torch.sigmoid(a * b + a) * b - a).sum().backward()" => "torch.cat([a.grad, b.grad])";
            back::by_operators(big());
            candle back::by_candle(big());
        "gradients: a step of SGD, 784-512-512-10" Some(1.5), None;
            "from torch.nn import Linear, ReLU, Sequential; from torch.nn.functional import cross_entropy; m = Sequential(Linear(784, 512), ReLU(), Linear(512, 512), ReLU(), Linear(512, 10)); o = torch.optim.SGD(m.parameters(), lr=0.01); [p.data.copy_(x(*p.shape) * 0.01) for p in m.parameters()]; i, t = x(128, 784), torch.arange(128) * 7 % 10"
            "o.zero_grad(); l = cross_entropy(m(i), t); l.backward(); o.step()" => "l";
            back::step();
            candle back::step_by_candle();
        "gradients: a·b of ten, recorded" None, None;
            "a, b = x(10).requires_grad_(), y(10)" "a * b";
            back::small();
        "gradients: a·b of ten, and back" None, None;
            "a, b, g = x(10).requires_grad_(), y(10), z(10)" "a.grad = None; (a * b).backward(g)" => "a.grad";
            back::small_and_back();
    }
}

/// Random numbers, from the same seed on all sides that have them.
pub fn draws() -> Vec<Row> {
    rows! {
        "rand, 10⁷" Some(1.5), None;
            "" "torch.rand(N)";
            latten::drawn(|generator| random::rand(latten::empty(&[big()]), Some(generator)));
        "randn, 10⁷" Some(1.5), None;
            "" "torch.randn(N)";
            latten::drawn(|generator| random::randn(latten::empty(&[big()]), Some(generator)));
        "bernoulli_, 10⁷" Some(1.5), None;
            "a = torch.empty(N)" "a.bernoulli_(0.3)";
            latten::filled(big(), |tensor, generator| random::bernoulli_(tensor, 0.3, Some(generator)));
        "dropout, 10⁷" Some(1.0), None;
            "a = x(N)" "torch.dropout(a, 0.5, True)";
            latten::dropped(big());
        "randperm, 10⁶" Some(1.5), None;
            "" "torch.randperm(of(10**6))";
            latten::drawn(|generator| random::randperm(of(1_000_000), &Options::new(), Some(generator)));
        "multinomial, 10 of each of 1000 × 1000" Some(1.0), None;
            "a = x(of(1000), of(1000)) + 4.5" "a.multinomial(10)";
            latten::sampled(Replacement::No);
        "the same, with replacement" Some(1.0), None;
            "a = x(of(1000), of(1000)) + 4.5" "a.multinomial(10, True)";
            latten::sampled(Replacement::Yes);
    }
}
