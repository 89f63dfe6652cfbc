//! Few elements at once, without blocks: what a kernel can't read where it is comes into a room on the stack, and so do results that it can't
//! write where they go. The invariants are those of the loop over blocks.
#![expect(unsafe_code, reason = "calls transfers and makes slices for kernels, by the invariants")]

use latten_spec::DType;

use super::{Input, Lane, Loop, Output, OutputSharing, ROOM, Room, fits_at_once};
use crate::error::Result;
use crate::geometry::count;
use crate::kernels::lane::innermost;
use crate::kernels::moves::conversion;
use crate::kernels::run::{Elements, Kernel, OPERANDS, Run};
use crate::kernels::transfer::{MovedRows, Transfer};

/// How elements get from one dtype through another to a third, where all of these may be the same.
struct Route {
    first: Option<(Transfer, DType)>,
    last: Transfer,
}

impl Route {
    fn new([from, through, to]: [DType; 3]) -> Result<Self> {
        if from == through || through == to {
            return Ok(Self { first: None, last: conversion(from, to)? });
        }
        Ok(Self { first: Some((conversion(from, through)?, through)), last: conversion(through, to)? })
    }
}

/// Elements of a grid: in a lane, or one after the other in a room.
#[derive(Clone, Copy)]
enum Stop<'a> {
    Lane(&'a Lane<'a>),
    Room(*mut u8, DType),
}

impl Stop<'_> {
    /// Where a plane of the two innermost dimensions begins, by its number, and the steps in it.
    fn plane(&self, sizes: &[usize], number: usize) -> (*mut u8, [usize; 2]) {
        let [columns, rows] = innermost(sizes, 1);
        match self {
            Stop::Lane(lane) => (lane.part(sizes, 2, number), lane.row_steps()),
            Stop::Room(start, dtype) => {
                let item = dtype.itemsize();
                (start.wrapping_add(number * columns * rows * item), [item, item * columns])
            }
        }
    }
}

/// Moves all elements of a grid.
fn travel(sizes: &[usize], route: &Route, from: Stop<'_>, between: &mut Room, to: Stop<'_>) {
    let moved = |transfer: Transfer, from: Stop<'_>, to: Stop<'_>| {
        for number in 0..count(sizes.get(2..).unwrap_or_default()) {
            let ((from, from_steps), (to, to_steps)) = (from.plane(sizes, number), to.plane(sizes, number));
            let rows = MovedRows { from, to, from_steps, to_steps, counts: innermost(sizes, 1) };
            // SAFETY: (1) and (2) for a lane; a room has place for all elements of each dtype on the way, and is nobody else's.
            unsafe { transfer(rows) };
        }
    };
    match route.first {
        Some((first, through)) => {
            let stop = Stop::Room(between.as_mut_ptr().cast(), through);
            moved(first, from, stop);
            moved(route.last, stop, to);
        }
        None => moved(route.last, from, to),
    }
}

impl Loop<'_> {
    /// Computes all elements as one block, where they are few; says whether.
    pub(super) fn few(&self, kernel: Kernel) -> Result<bool> {
        let (sizes, len) = (self.sizes, count(self.sizes));
        let fits = |dtype: DType| len * dtype.itemsize() <= size_of::<Room>();
        let fits_all = |input: &Input<'_>| fits(input.to) && fits(input.through) && !input.lane.is_places();
        let Output { from, through, lane } = &self.output;
        let is_small = len <= size_of::<Room>() && self.inputs.len() <= OPERANDS && self.further.is_empty() && fits_at_once(kernel, len);
        if !(is_small && fits(*from) && fits(*through) && self.inputs.iter().all(fits_all)) {
            return Ok(false);
        }
        let (mut rooms, mut between, mut results) = ([ROOM; OPERANDS], ROOM, ROOM);
        let is_direct = |lane: &Lane<'_>, dtypes: [DType; 2]| dtypes == [lane.dtype; 2] && lane.is_slice(sizes);
        let back = Route::new([*from, *through, lane.dtype])?;
        let mut elements = [Elements { start: lane.start, dtype: *from }; OPERANDS];
        for ((input, room), elements) in self.inputs.iter().zip(&mut rooms).zip(&mut elements) {
            let Input { lane, through, to, sharing } = input;
            *elements = Elements { start: lane.start, dtype: *to };
            if *sharing == OutputSharing::WithOutput || !is_direct(lane, [*through, *to]) {
                elements.start = room.as_mut_ptr().cast();
                let route = Route::new([lane.dtype, *through, *to])?;
                travel(sizes, &route, Stop::Lane(lane), &mut between, Stop::Room(elements.start, *to));
            }
        }
        let room = results.as_mut_ptr().cast();
        let start = if is_direct(lane, [*from, *through]) { lane.start } else { room };
        // SAFETY: rooms are aligned, and all their elements were written; lanes are plain and dense, and share no bytes with the output's (1) (3).
        let run = unsafe { Run::new(Elements { start, dtype: *from }, &elements[..self.inputs.len()], self.params, len) };
        kernel.run(run);
        if start == room {
            travel(sizes, &back, Stop::Room(room, *from), &mut between, Stop::Lane(lane));
        }
        Ok(true)
    }
}
