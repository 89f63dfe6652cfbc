//! What stands for device memory and pinned memory in a build without CUDA: types without values.

use super::not_built;
use crate::device::Device;
use crate::error::{Error, Result};

/// Memory of a device: none.
#[derive(Debug)]
pub(crate) enum DeviceBlock {}

impl DeviceBlock {
    pub(crate) fn new(_nbytes: usize, device: Device) -> Result<Self> {
        Err(not_built(device))
    }

    pub(crate) fn capacity(&self) -> usize {
        match *self {}
    }

    pub(crate) fn address(&self) -> usize {
        match *self {}
    }

    pub(crate) fn read(&self, _at: usize, _to: &mut [u8]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn write(&self, _at: usize, _from: &[u8]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn fill(&self, _at: usize, _count: usize, _value: u8) -> Result<()> {
        match *self {}
    }

    pub(crate) fn write_pinned(&self, _at: usize, _from: &PinnedMemory, _start: usize, _count: usize) -> Result<()> {
        match *self {}
    }

    pub(crate) fn read_pinned(&self, _at: usize, _to: &PinnedMemory, _start: usize, _count: usize) -> Result<()> {
        match *self {}
    }

    pub(crate) fn copy_from(&self, _at: usize, _source: &Self, _from: usize, _count: usize) -> Result<()> {
        match *self {}
    }
}

/// Page-locked memory: none.
#[derive(Debug)]
pub(crate) enum PinnedMemory {}

impl PinnedMemory {
    pub(crate) fn new(_nbytes: usize) -> Result<Self> {
        Err(Error::runtime("pin_memory: memory is pinned for a CUDA device, and this build has no CUDA"))
    }

    pub(crate) fn start(&self) -> *mut u8 {
        match *self {}
    }

    pub(crate) fn wait(&self) -> Result<()> {
        match *self {}
    }
}
