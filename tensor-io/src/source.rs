//! Where bytes are read from: a file, or memory. Every read is checked against the length first.

use std::fs::File;
use std::path::Path;

use latten_core::error::{Error, Result};
use latten_core::storage::{Sharing, UntypedStorage};

use crate::fault::{broken, refused};

/// The bytes of a file, its name for errors, and the file as a mapped storage where that was asked for.
pub(crate) struct Source<'a> {
    bytes: Bytes<'a>,
    len: u64,
    pub(crate) map: Option<UntypedStorage>,
}

enum Bytes<'a> {
    File(File),
    Memory(&'a [u8]),
}

impl<'a> Source<'a> {
    /// Opens a regular file: what has no end is no file of tensors.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let about = std::fs::metadata(path).map_err(|error| refused("the file can't be opened", &error))?;
        if !about.is_file() {
            return Err(broken("it isn't a regular file"));
        }
        let file = File::open(path).map_err(|error| refused("the file can't be opened", &error))?;
        Ok(Self { bytes: Bytes::File(file), len: about.len(), map: None })
    }

    pub(crate) fn memory(bytes: &'a [u8]) -> Self {
        Self { bytes: Bytes::Memory(bytes), len: bytes.len() as u64, map: None }
    }

    /// Maps all of the file. Pages are read when they are used.
    pub(crate) fn mapped(self, path: &Path) -> Result<Self> {
        let nbytes = usize::try_from(self.len).map_err(|_| broken(format!("{} bytes are more than this machine can map", self.len)))?;
        let map = UntypedStorage::from_file(path, Sharing::Private, nbytes)?;
        Ok(Self { map: Some(map), ..self })
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether that many bytes are there from a place on.
    pub(crate) fn has(&self, at: u64, nbytes: u64) -> bool {
        at.checked_add(nbytes).is_some_and(|end| end <= self.len)
    }

    fn check(&self, at: u64, nbytes: u64) -> Result<()> {
        if self.has(at, nbytes) {
            return Ok(());
        }
        Err(broken(format!("the file ends early: {nbytes} bytes are expected at byte {at}, but it has {}", self.len)))
    }

    /// Fills a buffer with the bytes from a place on.
    pub(crate) fn read(&self, at: u64, to: &mut [u8]) -> Result<()> {
        self.check(at, to.len() as u64)?;
        match &self.bytes {
            Bytes::File(file) => read_exactly(file, at, to).map_err(|error| refused(&format!("reading at byte {at}"), &error)),
            Bytes::Memory(bytes) => {
                // Checked: both ends are within the bytes.
                let from = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..to.len()));
                from.map(|from| to.copy_from_slice(from)).ok_or_else(|| self.gone(at))
            }
        }
    }

    fn gone(&self, at: u64) -> Error {
        broken(format!("no bytes at {at} of {}", self.len))
    }

    /// A copy of the bytes from a place on; memory is taken only after the check.
    pub(crate) fn bytes(&self, at: u64, nbytes: u64) -> Result<Vec<u8>> {
        self.check(at, nbytes)?;
        let size = usize::try_from(nbytes).map_err(|_| broken(format!("{nbytes} bytes are more than this machine has")))?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| broken(format!("no memory for {size} bytes")))?;
        bytes.resize(size, 0);
        self.read(at, &mut bytes)?;
        Ok(bytes)
    }

    /// The first bytes, as many as there are up to a count.
    pub(crate) fn head(&self, most: u64) -> Result<Vec<u8>> {
        self.bytes(0, most.min(self.len))
    }
}

#[cfg(unix)]
fn read_exactly(file: &File, at: u64, to: &mut [u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, at)
}

/// Threads share the place of the file here, so one reads at a time.
#[cfg(not(unix))]
fn read_exactly(mut file: &File, at: u64, to: &mut [u8]) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(to)
}

/// A walk over bytes that were read: each step is checked, and says where it failed.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some(part) = self.rest().get(..count) else {
            return Err(broken(format!("at byte {}: {count} bytes are expected, but only {} follow", self.at, self.rest().len())));
        };
        self.at += count;
        Ok(part)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn byte(&mut self) -> Result<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }
}
