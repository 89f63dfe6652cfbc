//! Softmax and its logarithm: each row while it is in the cache, or, where neighbours in memory belong to different rows, as many rows
//! side by side as memory has them.

use std::marker::PhantomData;

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::finish;
use super::fold::BLOCK;
use super::folded::part;
use super::results::Results;
use super::rows::{RowMap, map_rows};
use super::sums::Exponential;
use super::walk::{ReducedInput, Steps};
use crate::error::Result;
use crate::geometry::count;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Pieces, Reader, Writer};
use crate::kernels::level::{Job, vectorised, widest};
use crate::kernels::parts::hand_out;
use crate::raw::RawTensor;
use crate::room::filled;

/// Softmax of real floats, or its logarithm.
pub(super) fn softmax(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
    fn run<T: Exponential>(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
        if op == Reduction::LogSoftmax { of::<T, true>(input, dim, to) } else { of::<T, false>(input, dim, to) }
    }
    if input.dtype() == DType::F64 { run::<f64>(op, input, dim, to) } else { run::<f32>(op, input, dim, to) }
}

/// Writes softmax, or its logarithm, along a dimension.
fn of<T: Exponential, const LOG: bool>(input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
    let strides = input.strides();
    let inner = input.sizes().get(dim + 1..).map_or(1, count);
    let nearer = (dim + 1..input.rank()).any(|other| input.sizes()[other] > 1 && strides[other] < strides[dim]);
    if inner < NEIGHBOURS || !nearer {
        return map_rows(input, dim, &SoftmaxRow::<T, LOG>(PhantomData), to);
    }
    if columns::<T, LOG>(input, dim, inner, to.values)? == SoftmaxState::Yes {
        return Ok(());
    }
    let wide = RawTensor::empty(input.sizes(), &contiguous_strides(input.sizes()), T::DTYPE, input.device())?;
    columns::<T, LOG>(input, dim, inner, &wide)?;
    to.values.copy_(&wide.to_dtype(to.through)?)
}

/// From that many neighbours on, of different rows, they are worth vector code.
const NEIGHBOURS: usize = 16;

/// One row.
struct SoftmaxRow<T, const LOG: bool>(PhantomData<fn() -> T>);

const LANES: usize = 32;

/// The largest element that is a number. NaNs show in the sum.
#[inline(always)]
fn most<T: Exponential>(row: &[T]) -> T {
    let larger = |a: T, b: T| if b > a { b } else { a };
    let mut lanes = [T::LEAST; LANES];
    let (runs, rest) = row.as_chunks::<LANES>();
    for run in runs {
        for at in 0..LANES {
            lanes[at] = larger(lanes[at], run[at]);
        }
    }
    lanes.iter().chain(rest).fold(T::LEAST, |most, &x| larger(most, x))
}

/// The exponentials of some elements less the largest of the row, and their sum.
#[inline(always)]
fn exponentials<T: Exponential>(row: &[T], out: &mut [T], most: T) -> f64 {
    let mut lanes = [T::default(); LANES];
    let ((runs, rest), (outs, out_rest)) = (row.as_chunks::<LANES>(), out.as_chunks_mut::<LANES>());
    for (run, out) in runs.iter().zip(outs) {
        for at in 0..LANES {
            out[at] = run[at].sub(most).exp();
            lanes[at] = lanes[at].add(out[at]);
        }
    }
    let mut sum = lanes.iter().fold(0.0, |sum, lane| sum + lane.widen());
    // No closure computes an exponential: it might be compiled for other instructions than what it stands in.
    for (out, &x) in out_rest.iter_mut().zip(rest) {
        *out = x.sub(most).exp();
        sum += out.widen();
    }
    sum
}

impl<T: Exponential, const LOG: bool> RowMap for SoftmaxRow<T, LOG> {
    type In = T;
    type Out = T;
    const VECTORS: bool = true;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], _: &mut [i64]) -> Result<()> {
        let most = most(row);
        let mut sum = 0.0;
        for (row, out) in row.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            sum += exponentials(row, out, most);
        }
        if LOG {
            let logarithm = T::narrow(sum.ln());
            for (out, &x) in out.iter_mut().zip(row) {
                *out = x.sub(most).sub(logarithm);
            }
        } else {
            let share = T::narrow(sum.recip());
            for out in out {
                *out = out.mul(share);
            }
        }
        Ok(())
    }
}

/// Whether an output has its results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SoftmaxState {
    Yes,
    No,
}

/// The same where neighbours belong to different rows: three passes, of which each reads memory as it lies.
///
/// Exponentials lie where results will until their sum is known: an output that can't hold them as they are is left alone.
fn columns<T: Exponential, const LOG: bool>(input: &RawTensor, dim: usize, width: usize, out: &RawTensor) -> Result<SoftmaxState> {
    if !Writer::<T>::new(&Results::plain(out, T::DTYPE).access(&[])?, out, T::DTYPE, &[])?.is_dense() {
        return Ok(SoftmaxState::No);
    }
    let (rank, count) = (input.rank(), input.sizes()[dim]);
    let reduced: Vec<bool> = (0..rank).map(|other| other == dim).collect();
    let columns = [input.numel() / count];
    let most = RawTensor::empty(&columns, &[1], T::DTYPE, input.device())?;
    let to = Results::plain(&most, T::DTYPE);
    finish::DecidedReduction { op: Reduction::Amax, input: ReducedInput::Tensor(input), reduced: &reduced, parameter: None, to }
        .run(T::DTYPE)?;
    let to = Results::plain(out, T::DTYPE);
    let access = to.access(&[input, &most])?;
    let mut to = Writer::<T>::new(&access, out, T::DTYPE, &[input, &most])?;
    let most = Reader::<T>::new(&access, &most, &columns, &[1])?;
    let most = most.read(0, columns[0], &mut []);
    let steps = Steps::in_order(input, 0..rank);
    let reader = &Reader::<T>::new(&access, input, &steps.sizes, &steps.strides)?;
    let rows = (part(input.numel()) / width).clamp(1, count);
    let pieces = count.div_ceil(rows);
    // Where a group of neighbours is one piece, several are one part.
    let groups = if pieces == 1 { (part(input.numel()) / (count * width)).max(1) } else { 1 };
    let mut sums = filled(most.len().saturating_mul(pieces), 0.0)?;
    let (group, some) = (count * width, groups * count * width);
    let (each, each_sums) = if pieces == 1 { (some, groups * width) } else { (rows * width, width) };
    let cut = Pieces { group: some, each };
    hand_out(&mut to.pieces(cut).zip(sums.chunks_mut(each_sums)), &|_, (mut out, sums)| {
        let (first, len) = (out.first(), out.len());
        let mut scratch = vec![T::default(); if reader.is_dense() { 0 } else { len }];
        let elements = reader.read(first, len, &mut scratch);
        let each = elements.chunks(rows * width).zip(out.room(0, len).chunks_mut(rows * width)).zip(sums.chunks_mut(width));
        for (at, ((elements, out), sums)) in each.enumerate() {
            let most = &most[(first / group + at) * width..][..width];
            widest(RowExponentials::<T, LOG> { elements, out, sums, most });
        }
        out.put(0, len);
    });
    let shares = joined::<T, LOG>(&sums, pieces, width)?;
    hand_out(&mut to.pieces(cut), &|_, mut out| {
        let (first, len) = (out.first(), out.len());
        let mut scratch = vec![T::default(); if LOG && !reader.is_dense() { rows * width } else { 0 }];
        for (at, out) in out.room(0, len).chunks_mut(rows * width).enumerate() {
            let elements = if LOG { reader.read(first + at * group, out.len(), &mut scratch) } else { &[] };
            let at = (first / group + at) * width;
            vectorised(Shares::<T, LOG> { elements, out, most: &most[at..][..width], shares: &shares[at..][..width] });
        }
        out.put(0, len);
    });
    Ok(SoftmaxState::Yes)
}

/// What each neighbour's exponentials are multiplied by, or the logarithm of their sum.
fn joined<T: Exponential, const LOG: bool>(sums: &[f64], pieces: usize, width: usize) -> Result<Vec<T>> {
    let finish = |sum: f64| T::narrow(if LOG { sum.ln() } else { sum.recip() });
    let mut shares = filled(sums.len() / pieces, T::default())?;
    for (shares, sums) in shares.chunks_mut(width).zip(sums.chunks(pieces * width)) {
        for (at, share) in shares.iter_mut().enumerate() {
            *share = finish(sums.iter().skip(at).step_by(width).sum());
        }
    }
    Ok(shares)
}

/// The exponentials of rows of neighbours, and their sums.
struct RowExponentials<'a, T, const LOG: bool> {
    elements: &'a [T],
    out: &'a mut [T],
    sums: &'a mut [f64],
    most: &'a [T],
}

impl<T: Exponential, const LOG: bool> Job for RowExponentials<'_, T, LOG> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { elements, out, sums, most } = self;
        let width = most.len();
        let mut some = vec![T::default(); width];
        for (elements, out) in elements.chunks(LANES * width).zip(out.chunks_mut(LANES * width)) {
            for (row, out) in elements.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                for (((out, some), &x), &most) in out.iter_mut().zip(&mut some).zip(row).zip(most) {
                    let y = x.sub(most).exp();
                    if !LOG {
                        *out = y;
                    }
                    *some = some.add(y);
                }
            }
            for (sum, some) in sums.iter_mut().zip(&mut some) {
                *sum += some.widen();
                *some = T::default();
            }
        }
    }
}

/// What becomes of rows of neighbours when their sums are known.
struct Shares<'a, T, const LOG: bool> {
    /// For logarithms.
    elements: &'a [T],
    out: &'a mut [T],
    most: &'a [T],
    shares: &'a [T],
}

impl<T: Exponential, const LOG: bool> Job for Shares<'_, T, LOG> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { elements, out, most, shares } = self;
        let width = shares.len();
        if LOG {
            for (row, out) in elements.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                for (((out, &x), &most), &share) in out.iter_mut().zip(row).zip(most).zip(shares) {
                    *out = x.sub(most).sub(share);
                }
            }
            return;
        }
        for out in out.chunks_exact_mut(width) {
            for (out, &share) in out.iter_mut().zip(shares) {
                *out = out.mul(share);
            }
        }
    }
}
