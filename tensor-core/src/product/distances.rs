//! Euclidean distances of rows from rows, on the host: sums of squares of differences, tile by tile, in short runs.

use std::ops::Sub;

use latten_spec::DType;

use super::Factor;
use crate::device::{Device, DeviceType};
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Pieces, Reader, Writer};
use crate::kernels::level::{Job, widest};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::outputs::held;
use crate::raw::RawTensor;
use crate::room::{filled, refill};
use crate::storage::Access;

/// Rows of a tile.
const ROWS: usize = 6;
/// Columns whose squares are added before their sum joins the others.
const RUN: usize = 64;
/// Differences that are worth a thread.
const GRAIN: usize = 1 << 17;

/// A number that distances are computed in.
trait Distant: Factor + Sub<Output = Self> {
    fn root(self) -> Self;
}

macro_rules! distant {
    ($($T:ty)*) => { $(
        impl Distant for $T {
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
        }
    )* };
}

distant! { f32 f64 }

/// The distances of all rows of one tensor from all rows of another one, in a new tensor of a dtype; nothing, where something else computes them:
/// on a device, and where batches broadcast.
pub(crate) fn distances(left: &RawTensor, right: &RawTensor, dtype: DType) -> Result<Option<RawTensor>> {
    let on_host = [left, right].iter().all(|tensor| tensor.device().kind() == DeviceType::Cpu);
    let (Some((batch, &[rows, count])), Some((others, &[columns, _]))) =
        (left.sizes().split_last_chunk(), right.sizes().split_last_chunk())
    else {
        return Ok(None);
    };
    if !on_host || batch != others || count == 0 {
        return Ok(None);
    }
    let sizes = [batch, &[rows, columns][..]].concat();
    if dtype == DType::F64 {
        return distances_in::<f64, 8>(left, right, &sizes).map(Some);
    }
    distances_in::<f32, 16>(left, right, &sizes)?.to_dtype(dtype).map(Some)
}

fn distances_in<T: Distant, const WIDE: usize>(left: &RawTensor, right: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    let out = RawTensor::empty(sizes, &contiguous_strides(sizes), T::DTYPE, Device::CPU)?;
    let (&[.., rows, columns], &[.., count]) = (sizes, left.sizes()) else { return Ok(out) };
    if out.numel() == 0 {
        return Ok(out);
    }
    let dense = |tensor: &RawTensor| tensor.to_dtype(T::DTYPE)?.contiguous(MemoryFormat::Contiguous);
    let (left, right) = (dense(left)?, dense(right)?);
    let panel_len = columns.div_ceil(WIDE) * WIDE * count;
    let mut panels = filled(out.numel() / (rows * columns) * panel_len, T::default())?;
    held(
        &[&out],
        &[&left, &right],
        |_| Ok(()),
        |access| {
            let (mut left_room, mut right_room) = (Vec::new(), Vec::new());
            let (left_reader, right_reader) = (reader::<T>(access, &left)?, reader::<T>(access, &right)?);
            let left = all(&left_reader, left.numel(), &mut left_room)?;
            let right = all(&right_reader, right.numel(), &mut right_room)?;
            for (panels, right) in panels.chunks_exact_mut(panel_len).zip(right.chunks_exact(columns * count)) {
                pack::<T, WIDE>(right, count, panels);
            }
            let (each, panels) = ((GRAIN / (columns * count)).next_multiple_of(ROWS).max(ROWS), &panels);
            let mut writer = Writer::<T>::new(access, &out, T::DTYPE, &[])?;
            hand_out(&mut writer.pieces(Pieces { group: rows * columns, each: each * columns }), &|_, mut piece| {
                let (first, len) = (piece.first() / columns, piece.len());
                let panels = &panels[first / rows * panel_len..][..panel_len];
                let left = &left[first * count..][..len / columns * count];
                widest(Distances::<T, WIDE> { left, panels, count, columns, out: piece.room(0, len) });
                piece.put(0, len);
            });
            Ok(())
        },
    )?;
    Ok(out)
}

fn reader<'a, T: Distant>(access: &'a Access<'_>, tensor: &RawTensor) -> Result<Reader<'a, T>> {
    Reader::new(access, tensor, &[tensor.numel()], &[1])
}

/// All elements: where they lie, or a copy where they lie askew.
fn all<'a, T: Distant>(reader: &'a Reader<'_, T>, count: usize, room: &'a mut Vec<T>) -> Result<&'a [T]> {
    if !reader.is_dense() {
        refill(room, count, T::default())?;
    }
    Ok(reader.read(0, count, room))
}

/// Puts rows beside each other, as many as a tile has columns: one element of each after the other.
fn pack<T: Distant, const WIDE: usize>(rows: &[T], count: usize, panels: &mut [T]) {
    for (panel, rows) in panels.chunks_exact_mut(WIDE * count).zip(rows.chunks(WIDE * count)) {
        for (at, row) in rows.chunks_exact(count).enumerate() {
            for (line, &element) in panel.as_chunks_mut::<WIDE>().0.iter_mut().zip(row) {
                line[at] = element;
            }
        }
    }
}

/// Some rows, and all that they are compared with.
struct Distances<'a, T, const WIDE: usize> {
    left: &'a [T],
    panels: &'a [T],
    /// How many elements a row has.
    count: usize,
    columns: usize,
    out: &'a mut [T],
}

impl<T: Distant, const WIDE: usize> Job for Distances<'_, T, WIDE> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { left, panels, count, columns, out } = self;
        let all = left.len() / count;
        for (at, panel) in panels.chunks_exact(WIDE * count).enumerate() {
            let (lines, first) = (panel.as_chunks::<WIDE>().0, at * WIDE);
            let width = WIDE.min(columns - first);
            for top in (0..all).step_by(ROWS) {
                // The last row again for those that there aren't.
                let mut rows = [&left[..0]; ROWS];
                for (row, place) in rows.iter_mut().enumerate() {
                    *place = &left[(top + row).min(all - 1) * count..][..count];
                }
                let mut sums = [[T::default(); WIDE]; ROWS];
                for start in (0..count).step_by(RUN) {
                    add_run(&mut sums, rows, start, RUN.min(count - start), &lines[start..]);
                }
                for row in 0..ROWS {
                    for column in 0..WIDE {
                        sums[row][column] = sums[row][column].root();
                    }
                }
                if width == WIDE && top + ROWS <= all {
                    for row in 0..ROWS {
                        if let Some(to) = out[(top + row) * columns + first..].first_chunk_mut() {
                            *to = sums[row];
                        }
                    }
                } else {
                    // A copy: the sums themselves stay in registers only where all indices are known.
                    let sums = sums;
                    for (row, sums) in sums.iter().enumerate().take(all - top) {
                        out[(top + row) * columns + first..][..width].copy_from_slice(&sums[..width]);
                    }
                }
            }
        }
    }
}

/// Adds the squares of some differences, as a sum of its own.
#[inline(always)]
fn add_run<T: Distant, const WIDE: usize>(
    sums: &mut [[T; WIDE]; ROWS],
    rows: [&[T]; ROWS],
    start: usize,
    steps: usize,
    lines: &[[T; WIDE]],
) {
    let mut some = rows;
    for row in 0..ROWS {
        some[row] = &rows[row][start..][..steps];
    }
    let mut run = [[T::default(); WIDE]; ROWS];
    for (step, line) in (0..steps).zip(lines) {
        let line = *line;
        for row in 0..ROWS {
            let x = some[row][step];
            for column in 0..WIDE {
                let apart = x - line[column];
                run[row][column] = run[row][column].plus_product(apart, apart);
            }
        }
    }
    for row in 0..ROWS {
        for column in 0..WIDE {
            sums[row][column] = sums[row][column].plus(run[row][column]);
        }
    }
}
