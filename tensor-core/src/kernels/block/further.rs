//! Further results of steps, which lie in the steps' regions when a block has been computed.
#![expect(unsafe_code, reason = "stores blocks past the caches, by the invariants of the loop")]

use super::super::moves::conversion;
use super::{Blocks, Lane, is_streamed, scatter};
use crate::error::Result;
use crate::kernels::cut::{Cut, Section};
use crate::kernels::stream;
use crate::kernels::transfer::Transfer;

/// A further result of steps: that of a step which isn't the last, in its dtype.
#[derive(Debug)]
pub(crate) struct Further<'a> {
    /// Which step's.
    pub(crate) step: usize,
    /// Where it goes; it shares no bytes with any other lane.
    pub(crate) lane: Lane<'a>,
}

/// How such results get out of a block.
#[derive(Clone, Copy)]
pub(super) struct FurtherPut {
    transfer: Transfer,
    /// Whether they go past the caches.
    pub(super) streamed: bool,
}

impl Further<'_> {
    /// How it is stored, in the blocks of a cut.
    pub(super) fn put(&self, sizes: &[usize], cut: Cut) -> Result<FurtherPut> {
        let lane = &self.lane;
        let streamed = is_streamed(sizes, lane, cut, [lane].into_iter()) && cut.keeps_dense(sizes, lane);
        Ok(FurtherPut { transfer: conversion(lane.dtype, lane.dtype)?, streamed })
    }

    /// Stores the results of a block.
    pub(super) fn store(&self, put: FurtherPut, results: *mut u8, sizes: &[usize], block: Section<'_>) {
        let (size, to) = (self.lane.dtype.itemsize(), block.address(&self.lane));
        if put.streamed && stream::suits(to) {
            // SAFETY: the elements of the block lie next to each other at `to` (2), and in the region.
            unsafe { stream::copy(results, to, block.len() * size) };
        } else {
            scatter(put.transfer, size, results, &self.lane, sizes, block);
        }
    }
}

impl Blocks<'_, '_> {
    /// Where the results of a step of the last block lie, if it is steps that are computed.
    pub(super) fn results_of(&mut self, step: usize) -> Option<*mut u8> {
        self.rooms.as_mut().map(|(machine, rooms)| rooms.region(machine.results_of(step)))
    }
}
