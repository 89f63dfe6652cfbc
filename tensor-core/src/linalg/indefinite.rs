//! Matrices that are their own transposes or adjoints, and needn't be positive: a lower triangle, and between it and its own a diagonal with blocks
//! of two. What becomes a block is chosen as Bunch and Kaufman do, and so as LAPACK does.

use super::C;
use super::columns::subtract;
use super::matrix::ComplexMatrix;
use crate::error::{Error, Result};
use crate::room::room;

/// Whether such a matrix is its own transpose, or its own adjoint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnOther {
    Transpose,
    Adjoint,
}

impl OwnOther {
    /// What stands at the other side of the diagonal.
    fn of(self, number: C) -> C {
        if self == Self::Adjoint { number.conj() } else { number }
    }

    /// What stands on the diagonal.
    fn diagonal(self, number: C) -> C {
        if self == Self::Adjoint { C::from(number.re) } else { number }
    }
}

/// Factors of such a matrix.
#[derive(Debug)]
pub(crate) struct BlockFactors {
    /// Below the diagonal and its blocks the lower triangle, above nothing.
    pub(crate) both: ComplexMatrix,
    /// Which row each one changed places with, from 1 on; negative for both rows of a block, where the second did.
    pub(crate) pivots: Vec<i32>,
    /// The first place of the diagonal that is zero, from 1 on, or 0.
    pub(crate) info: i32,
}

fn counted(place: usize) -> i32 {
    i32::try_from(place + 1).unwrap_or(i32::MAX)
}

/// The largest number of a row or column, and where it is.
fn largest(places: std::ops::Range<usize>, number: impl Fn(usize) -> C) -> (usize, f64) {
    let first = (places.start, 0.0);
    places.map(|at| (at, number(at).l1_norm())).fold(first, |most, own| if own.1 > most.1 { own } else { most })
}

/// What is taken off next: which row comes to the place of the last one that is, and whether those are two.
fn chosen(both: &ComplexMatrix, at: usize) -> (usize, bool) {
    let least = (1.0 + 17.0_f64.sqrt()) / 8.0;
    let (own, size) = (both.at(at, at).l1_norm(), both.rows);
    let (far, below) = largest(at + 1..size, |row| both.at(row, at));
    if own >= least * below || below == 0.0 {
        return (at, false);
    }
    let (_, left) = largest(at..far, |column| both.at(far, column));
    let (_, under) = largest(far + 1..size, |row| both.at(row, far));
    let beside = left.max(under);
    if own >= least * below * (below / beside) { (at, false) } else { (far, both.at(far, far).l1_norm() < least * beside) }
}

/// Changes the places of two rows, and of the columns with their numbers.
fn exchange(both: &mut ComplexMatrix, kind: OwnOther, start: usize, first: usize, second: usize) {
    for row in second + 1..both.rows {
        let old = both.at(row, first);
        *both.at_mut(row, first) = both.at(row, second);
        *both.at_mut(row, second) = old;
    }
    for place in first + 1..second {
        let old = kind.of(both.at(place, first));
        *both.at_mut(place, first) = kind.of(both.at(second, place));
        *both.at_mut(second, place) = old;
    }
    *both.at_mut(second, first) = kind.of(both.at(second, first));
    let old = both.at(first, first);
    *both.at_mut(first, first) = both.at(second, second);
    *both.at_mut(second, second) = old;
    if first > start {
        let old = both.at(first, start);
        *both.at_mut(first, start) = both.at(second, start);
        *both.at_mut(second, start) = old;
    }
}

/// Takes one row and column off what follows.
fn take_one(both: &mut ComplexMatrix, kind: OwnOther, at: usize) {
    let pivot = both.at(at, at);
    for later in at + 1..both.columns {
        let [own, column] = both.pair(at, later);
        subtract(&mut column[later..], [kind.of(own[later]) / pivot], [&own[later..]]);
        column[later] = kind.diagonal(column[later]);
    }
    both.column_mut(at)[at + 1..].iter_mut().for_each(|x| *x /= pivot);
}

/// Takes two rows and columns off what follows.
fn take_two(both: &mut ComplexMatrix, kind: OwnOther, at: usize) {
    let below = both.at(at + 1, at);
    let above = kind.of(below);
    let (first, second) = (both.at(at, at) / below, both.at(at + 1, at + 1) / above);
    let scale = C::from(1.0) / (first * second - 1.0);
    for later in at + 2..both.columns {
        let (x, y) = (both.at(later, at) / below, both.at(later, at + 1) / above);
        let shares = [scale * (second * x - y), scale * (first * y - x)];
        for (place, share) in [at, at + 1].into_iter().zip(shares) {
            let [own, column] = both.pair(place, later);
            subtract(&mut column[later..], [kind.of(share)], [&own[later..]]);
            own[later] = share;
        }
        *both.at_mut(later, later) = kind.diagonal(both.at(later, later));
    }
}

/// The factors of a matrix, of which only the lower triangle is looked at.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn factored(mut both: ComplexMatrix, kind: OwnOther) -> Result<BlockFactors> {
    let size = both.rows;
    for at in 0..size {
        both.column_mut(at)[..at].fill(C::default());
        *both.at_mut(at, at) = kind.diagonal(both.at(at, at));
    }
    let (mut pivots, mut info, mut at) = (room(size)?, 0, 0);
    while at < size {
        if both.column(at)[at..].iter().all(|number| number.l1_norm() == 0.0) {
            info = if info == 0 { counted(at) } else { info };
            pivots.push(counted(at));
            at += 1;
            continue;
        }
        let (there, two) = chosen(&both, at);
        let last = at + usize::from(two);
        if there != last {
            exchange(&mut both, kind, at, last, there);
        }
        if two {
            take_two(&mut both, kind, at);
            pivots.extend([-counted(there); 2]);
        } else {
            take_one(&mut both, kind, at);
            pivots.push(counted(there));
        }
        at = last + 1;
    }
    Ok(BlockFactors { both, pivots, info })
}

/// One step of solving: which row changes places with the last one of it, and whether those are two.
pub(crate) struct BlockStep {
    there: usize,
    two: bool,
}

/// The steps that pivots say, one for each row; both rows of a block have the same.
///
/// # Errors
/// Where a row changes places with none, or a block has one row, and where there is no memory.
pub(crate) fn steps(pivots: &[i64]) -> Result<Vec<BlockStep>> {
    let mut steps = room(pivots.len())?;
    for &pivot in pivots {
        let there = usize::try_from(pivot.unsigned_abs()).ok().and_then(|pivot| pivot.checked_sub(1)).filter(|&there| there < pivots.len());
        let there = there.ok_or_else(|| {
            Error::runtime(
                "Pivots given to ldl_solve must all satisfy |pivot| <= LD.size(-2). Did you properly pass the result of ldl_factor?",
            )
        })?;
        steps.push(BlockStep { there, two: pivot < 0 });
    }
    if steps.chunk_by(|x, y| x.two == y.two).any(|run| run[0].two && run.len() % 2 == 1) {
        return Err(Error::runtime("Negative pivots given to ldl_solve stand for blocks of two rows each"));
    }
    Ok(steps)
}

/// What gives a column, multiplied by the matrix that has these factors.
pub(crate) fn solved(both: &ComplexMatrix, steps: &[BlockStep], kind: OwnOther, column: &mut [C]) {
    let mut at = 0;
    while at < column.len() {
        let last = at + usize::from(steps[at].two);
        column.swap(last, steps[last].there);
        for place in at..=last {
            let number = column[place];
            subtract(&mut column[last + 1..], [number], [&both.column(place)[last + 1..]]);
        }
        if steps[at].two {
            let below = both.at(at + 1, at);
            let above = kind.of(below);
            let (first, second) = (both.at(at, at) / above, both.at(at + 1, at + 1) / below);
            let (x, y) = (column[at] / above, column[at + 1] / below);
            let scale = C::from(1.0) / (first * second - 1.0);
            (column[at], column[at + 1]) = (scale * (second * x - y), scale * (first * y - x));
        } else {
            column[at] /= kind.diagonal(both.at(at, at));
        }
        at = last + 1;
    }
    while at > 0 {
        let last = at - 1;
        let first = last - usize::from(steps[last].two);
        for place in first..=last {
            let below = &both.column(place)[at..];
            let share: C = below.iter().zip(&column[at..]).map(|(x, y)| kind.of(*x) * y).sum();
            column[place] -= share;
        }
        column.swap(last, steps[last].there);
        at = first;
    }
}
