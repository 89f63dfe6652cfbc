//! Orthogonal polynomials at a number, of a degree that is an element, too: by their recurrences, Chebyshev's of high degrees by angles.
//! [`bessels`](super::bessels) takes the numbers out of tensors.

/// Chebyshev's polynomials: how the one of degree 1 begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    First,
    Second,
    Third,
    Fourth,
}

/// The degree, unless it is negative, or not an integer of 64 bits: PyTorch's conversion makes those negative.
fn degree(n: f64) -> Option<f64> {
    let n = n.trunc();
    (0.0..2.0_f64.powi(63)).contains(&n).then_some(n)
}

/// From those of degrees 0 and 1 on, by a step from two neighbours to the next. Below degree 0 there is nothing.
fn stepped(n: f64, first: f64, step: impl Fn(f64, f64, f64) -> f64) -> f64 {
    let Some(n) = degree(n) else { return 0.0 };
    if n == 0.0 {
        return 1.0;
    }
    let (mut before, mut own, mut reached) = (1.0, first, 1.0);
    while reached < n && !own.is_nan() {
        (before, own) = (own, step(reached, own, before));
        reached += 1.0;
    }
    own
}

fn sign(n: f64) -> f64 {
    if n % 2.0 == 0.0 { 1.0 } else { -1.0 }
}

/// At both ends of the interval, of a degree that isn't negative.
fn at_end(kind: Kind, is_upper: bool, n: f64) -> f64 {
    let sign = if is_upper { 1.0 } else { sign(n) };
    match (kind, is_upper) {
        (Kind::First, _) | (Kind::Third, true) | (Kind::Fourth, false) => sign,
        (Kind::Second, _) => sign * (n + 1.0),
        (Kind::Third, false) | (Kind::Fourth, true) => sign * (2.0 * n + 1.0),
    }
}

/// Chebyshev's polynomials.
pub(super) fn chebyshev(kind: Kind, x: f64, n: f64) -> f64 {
    let Some(whole) = degree(n) else { return 0.0 };
    if x.abs() == 1.0 {
        return at_end(kind, x > 0.0, whole);
    }
    let high = if kind == Kind::First { 6.0 } else { 8.0 };
    if x.abs() < 1.0 && whole > high {
        let angle = x.acos();
        let between = (whole + 0.5) * angle;
        return match kind {
            Kind::First => (whole * angle).cos(),
            Kind::Second => ((whole + 1.0) * angle).sin() / angle.sin(),
            Kind::Third => between.cos() / (angle / 2.0).cos(),
            Kind::Fourth => between.sin() / (angle / 2.0).sin(),
        };
    }
    let first = match kind {
        Kind::First => x,
        Kind::Second => 2.0 * x,
        Kind::Third => 2.0 * x - 1.0,
        Kind::Fourth => 2.0 * x + 1.0,
    };
    stepped(n, first, |_, own, before| 2.0 * x * own - before)
}

/// Hermite's polynomials, as physicists have them.
pub(super) fn hermite(x: f64, n: f64) -> f64 {
    stepped(n, 2.0 * x, |degree, own, before| 2.0 * (x * own - degree * before))
}

/// And as the theory of chances has them.
pub(super) fn hermite_of_chances(x: f64, n: f64) -> f64 {
    stepped(n, x, |degree, own, before| x * own - degree * before)
}

/// Laguerre's polynomials.
pub(super) fn laguerre(x: f64, n: f64) -> f64 {
    stepped(n, 1.0 - x, |degree, own, before| ((2.0 * degree + 1.0 - x) * own - degree * before) / (degree + 1.0))
}

/// Legendre's polynomials.
pub(super) fn legendre(x: f64, n: f64) -> f64 {
    stepped(n, x, |degree, own, before| ((2.0 * degree + 1.0) * x * own - degree * before) / (degree + 1.0))
}
