//! Whether a number is a sum of bounded multiples: the arithmetic under exact overlap checks.
//!
//! Is there `x` with `0 <= x[k] <= most[k]` and `step[0] * x[0] + step[1] * x[1] + … == target`? Terms that fill each other's gaps
//! are joined first, which leaves one or two for most tensors; two have a closed form, and more are searched.

use smallvec::SmallVec;

/// `step * x` for x from 0 to `most`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progression {
    pub(super) step: i128,
    pub(super) most: i128,
}

/// The sums that a search may look at before it gives up.
const WORK: u32 = 1 << 16;

/// Above this, products of steps might not fit.
const LARGEST_SUM: i128 = 1 << 62;

/// Whether `target` is such a sum; `None` where that would take too long to tell.
pub(super) fn is_sum(terms: impl IntoIterator<Item = Progression>, target: i128) -> Option<bool> {
    let mut terms: SmallVec<[Progression; 8]> = terms.into_iter().filter(|term| term.step > 0 && term.most > 0).collect();
    join(&mut terms);
    terms.sort_by_key(|term| -term.step);
    let mut search = Search { below: SmallVec::new(), divisor: SmallVec::new(), work: WORK, terms: &terms };
    let (mut below, mut divisor) = (0_i128, 0);
    for term in terms.iter().rev() {
        below = below.checked_add(term.step.checked_mul(term.most)?).filter(|&sum| sum <= LARGEST_SUM)?;
        divisor = greatest_common_divisor(divisor, term.step);
        search.below.push(below);
        search.divisor.push(divisor);
    }
    search.below.reverse();
    search.divisor.reverse();
    search.reaches(0, target)
}

/// Joins a term to one whose multiples leave no gap between its own: 4·(0..=9) and 20·(0..=3) are 4·(0..=24).
fn join(terms: &mut SmallVec<[Progression; 8]>) {
    terms.sort_by_key(|term| term.step);
    let mut at = 0;
    while at < terms.len() {
        let fills = |small: Progression, large: Progression| {
            large.step % small.step == 0 && large.step / small.step <= small.most.saturating_add(1)
        };
        let Some(other) = (at + 1..terms.len()).find(|&other| fills(terms[at], terms[other])) else {
            at += 1;
            continue;
        };
        let large = terms.remove(other);
        let more = (large.step / terms[at].step).saturating_mul(large.most);
        terms[at].most = terms[at].most.saturating_add(more);
    }
}

struct Search<'a> {
    /// In falling order of their steps.
    terms: &'a [Progression],
    /// The largest sum of the terms from here on.
    below: SmallVec<[i128; 8]>,
    /// What divides every sum of the terms from here on.
    divisor: SmallVec<[i128; 8]>,
    work: u32,
}

impl Search<'_> {
    fn reaches(&mut self, from: usize, target: i128) -> Option<bool> {
        let Some(&first) = self.terms.get(from) else {
            return Some(target == 0);
        };
        if target < 0 || target > self.below[from] || target % self.divisor[from] != 0 {
            return Some(false);
        }
        match self.terms[from..] {
            [only] => return Some(target / only.step <= only.most),
            [a, b] => return Some(two_reach(a, b, target)),
            _ => {}
        }
        let least = ceil_div(target - self.below[from + 1], first.step).max(0);
        for x in least..=first.most.min(target / first.step) {
            self.work = self.work.checked_sub(1)?;
            if self.reaches(from + 1, target - first.step * x)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Whether `a.step * x + b.step * y == target` within the bounds, where the greatest common divisor of the steps divides `target`:
/// x is known modulo `b.step`, and the bounds of y are bounds of x.
fn two_reach(a: Progression, b: Progression, target: i128) -> bool {
    let divisor = greatest_common_divisor(a.step, b.step);
    let (step_a, step_b, target) = (a.step / divisor, b.step / divisor, target / divisor);
    let residue = (target % step_b) * inverse(step_a % step_b, step_b) % step_b;
    let least = ceil_div(target - step_b * b.most, step_a).max(0);
    let most = (target / step_a).min(a.most);
    least + (residue - least).rem_euclid(step_b) <= most
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// The number that times `a` leaves 1 modulo `modulus`, which shares no divisor with `a`.
fn inverse(a: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((a, 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus)
}

/// The quotient rounded up; the divisor is positive.
fn ceil_div(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}
