//! Triangular factors of matrices of few rows: rows or columns of a width that the compiler knows, in memory of their own. Numbers beyond a matrix
//! are never looked at. Larger matrices are in `factors`.

use latten_elements::loops::level::{Job, vectorised};

use super::factoring::Factoring;
use super::number::MatrixNumber;
use crate::error::Result;

/// A matrix of at most so many rows, and what is solved with it.
pub(super) struct FewRows<N, const S: usize> {
    upper: [[N; S]; S],
    /// What was taken off, below the diagonal.
    lower: [[N; S]; S],
    size: usize,
    pivots: [usize; S],
    singular: Option<usize>,
}

impl<N: MatrixNumber, const S: usize> FewRows<N, S> {
    pub(super) fn new(size: usize) -> Self {
        Self { upper: [[N::default(); S]; S], lower: [[N::default(); S]; S], size, pivots: [0; S], singular: None }
    }

    /// Solves with as many sides at once as are in the rows.
    fn substitute<const T: usize>(&self, sides: &mut [[N; T]]) {
        vectorised(RowSubstitution { upper: &self.upper, lower: &self.lower, pivots: &self.pivots, sides });
    }
}

impl<N: MatrixNumber, const S: usize> Factoring<N> for FewRows<N, S> {
    fn factor(&mut self, numbers: &[N]) -> Result<()> {
        let Self { upper, lower, size, pivots, singular } = self;
        upper.iter_mut().zip(numbers.chunks_exact(*size)).for_each(|(to, row)| to[..row.len()].copy_from_slice(row));
        *singular = vectorised(Elimination { upper, lower, size: *size, pivots });
        Ok(())
    }

    fn put(&self, to: &mut [N]) {
        for (at, to) in to.chunks_exact_mut(self.size).enumerate() {
            to[..at].copy_from_slice(&self.lower[at][..at]);
            to[at..].copy_from_slice(&self.upper[at][at..self.size]);
        }
    }

    fn diagonal(&self, at: usize) -> N {
        self.upper[at][at]
    }

    fn pivots(&self) -> &[usize] {
        &self.pivots[..self.size]
    }

    fn singular(&self) -> Option<usize> {
        self.singular
    }

    fn solve(&mut self, numbers: &mut [N], columns: usize) -> Result<()> {
        let size = self.size;
        if columns == 1 {
            let (one, _) = numbers.as_chunks_mut::<1>();
            self.substitute(one);
            return Ok(());
        }
        let mut sides = [[N::default(); S]; S];
        for first in (0..columns).step_by(S) {
            let some = first..columns.min(first + S);
            sides.iter_mut().zip(numbers.chunks_exact(columns)).for_each(|(to, row)| to[..some.len()].copy_from_slice(&row[some.clone()]));
            self.substitute(&mut sides[..size]);
            numbers.chunks_exact_mut(columns).zip(&sides).for_each(|(to, row)| to[some.clone()].copy_from_slice(&row[..some.len()]));
        }
        Ok(())
    }

    fn invert(&mut self, to: &mut [N]) -> Result<()> {
        let mut sides = [[N::default(); S]; S];
        sides.iter_mut().enumerate().for_each(|(at, row)| row[at] = N::from(1.0));
        self.substitute(&mut sides[..self.size]);
        to.chunks_exact_mut(self.size).zip(&sides).for_each(|(to, row)| to.copy_from_slice(&row[..self.size]));
        Ok(())
    }
}

/// Takes rows off those below them, the one with the largest number of a column first. What comes out is the first place of the diagonal that is
/// zero.
struct Elimination<'a, N, const S: usize> {
    upper: &'a mut [[N; S]; S],
    lower: &'a mut [[N; S]; S],
    size: usize,
    pivots: &'a mut [usize; S],
}

impl<N: MatrixNumber, const S: usize> Job for Elimination<'_, N, S> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Self { size, pivots, .. } = self;
        let (upper, lower, mut singular) = (&mut self.upper[..size], &mut self.lower[..size], None);
        for at in 0..size {
            // Bits of numbers without signs are in their order, NaNs last; and compared without a branch.
            let (mut top, mut most) = (at, upper[at][at].l1_norm().to_bits());
            for (row, own) in upper.iter().enumerate().skip(at + 1) {
                let own = own[at].l1_norm().to_bits();
                (top, most) = (if own > most { row } else { top }, own.max(most));
            }
            pivots[at] = top;
            upper.swap(at, top);
            lower.swap(at, top);
            let pivot = upper[at];
            let zeros = most == 0;
            if zeros {
                singular = singular.or(Some(at));
            }
            for (own, lower) in upper[at + 1..].iter_mut().zip(&mut lower[at + 1..]) {
                let often = if zeros { own[at] } else { own[at].over(pivot[at]) };
                lower[at] = often;
                // Columns before lose numbers, too, as far as they are in the same half: they are looked at no more.
                if at < S / 2 {
                    for column in 0..S / 2 {
                        own[column] = own[column].plus_product(-often, pivot[column]);
                    }
                }
                for column in S / 2..S {
                    own[column] = own[column].plus_product(-often, pivot[column]);
                }
            }
        }
        singular
    }
}

/// Solves with both triangles, for rows that change places first as those of the matrix did.
struct RowSubstitution<'a, N, const S: usize, const T: usize> {
    upper: &'a [[N; S]; S],
    lower: &'a [[N; S]; S],
    pivots: &'a [usize; S],
    sides: &'a mut [[N; T]],
}

impl<N: MatrixNumber, const S: usize, const T: usize> Job for RowSubstitution<'_, N, S, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { upper, lower, pivots, sides } = self;
        let size = sides.len();
        pivots[..size].iter().enumerate().for_each(|(at, &pivot)| sides.swap(at, pivot));
        for (at, row) in lower[..size].iter().enumerate() {
            let (before, own) = sides.split_at_mut(at);
            subtract_rows(&mut own[0], &row[..at], before);
        }
        for (at, row) in upper[..size].iter().enumerate().rev() {
            let (before, after) = sides.split_at_mut(at + 1);
            let own = &mut before[at];
            subtract_rows(own, &row[at + 1..size], after);
            own.iter_mut().for_each(|x| *x = x.over(row[at]));
        }
    }
}

/// Makes the lower triangle of a positive matrix of at most so many rows, as `factors::cholesky` says.
pub(super) fn cholesky<N: MatrixNumber, const S: usize>(numbers: &mut [N], size: usize) -> Option<usize> {
    let mut columns = [[N::default(); S]; S];
    for (at, row) in numbers.chunks_exact(size).enumerate() {
        row[..=at].iter().zip(&mut columns).for_each(|(&number, column)| column[at] = number);
    }
    let found = vectorised(Root { columns: &mut columns[..size] });
    for (at, row) in numbers.chunks_exact_mut(size).enumerate() {
        row.iter_mut().zip(&columns).for_each(|(number, column)| *number = column[at]);
        row[at + 1..].fill(N::default());
    }
    found
}

/// Takes columns of a lower triangle off those behind them. Nothing above the diagonal is looked at.
struct Root<'a, N, const S: usize> {
    columns: &'a mut [[N; S]],
}

impl<N: MatrixNumber, const S: usize> Job for Root<'_, N, S> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        for at in 0..self.columns.len() {
            let (before, own) = self.columns.split_at_mut(at);
            let (own, mut often) = (&mut own[0], [N::default(); S]);
            often.iter_mut().zip(&*before).for_each(|(often, column)| *often = column[at].conj());
            subtract_rows(own, &often[..at], before);
            let number = own[at].real();
            if number.is_nan() || number <= 0.0 {
                return Some(at);
            }
            let root = number.sqrt();
            own.iter_mut().for_each(|x| *x /= root);
        }
        None
    }
}

/// A row less others, as often as is said of each.
#[inline(always)]
fn subtract_rows<N: MatrixNumber, const T: usize>(row: &mut [N; T], often: &[N], others: &[[N; T]]) {
    let mut rest = *row;
    for (&often, other) in often.iter().zip(others) {
        for column in 0..T {
            rest[column] = rest[column].plus_product(-often, other[column]);
        }
    }
    *row = rest;
}
