//! Memory that others may see: a file, or what another process or this one made to be shared, and how it is asked for its length.

use std::fs::File;
use std::io;

use memmap2::{MmapOptions, MmapRaw};

use super::block::nowhere;
use crate::error::{Error, Result};

/// What is mapped, in the words of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MappingKind {
    File,
    /// Shared memory by a descriptor that somebody gave.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a system without descriptors"))]
    Given,
    /// Shared memory of a storage that was in the heap before. It keeps its size.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a system without shared memory"))]
    Made,
}

/// A mapping, and the file itself, which is asked for its length before the mapping is used. Without bytes there is no mapping.
#[derive(Debug)]
pub(super) struct Mapping {
    map: Option<MmapRaw>,
    file: Option<File>,
    pub(super) kind: MappingKind,
    /// Whether nobody can take bytes away.
    sealed: bool,
}

impl Mapping {
    /// Nothing, yet.
    pub(super) const EMPTY: Self = Self { map: None, file: None, kind: MappingKind::File, sealed: true };

    /// The first bytes of a file, which writes reach.
    pub(super) fn shared(file: File, nbytes: usize, kind: MappingKind) -> io::Result<Self> {
        // A raw mapping: no slice is ever made of bytes that other processes may change meanwhile.
        let map = if nbytes == 0 { None } else { Some(MmapOptions::new().len(nbytes).map_raw(&file)?) };
        let sealed = is_sealed(&file);
        Ok(Self { map, file: Some(file), kind, sealed })
    }

    /// A mapping of a file that writes don't reach.
    pub(super) fn private(map: MmapRaw, file: File) -> Self {
        Self { map: Some(map), file: Some(file), kind: MappingKind::File, sealed: false }
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.map.as_ref().map_or(nowhere(), MmapRaw::as_mut_ptr)
    }

    /// The file or the shared memory.
    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// That there are that many bytes still.
    pub(super) fn check(&self, nbytes: usize) -> Result<()> {
        let Some(file) = self.file.as_ref().filter(|_| !self.sealed) else { return Ok(()) };
        let what = if self.kind == MappingKind::File { "file" } else { "shared memory" };
        let found = file
            .metadata()
            .map_err(|error| Error::io(format!("the {what} below the storage can't be asked for its length: {}", with_code(&error))))?;
        if found.len() >= nbytes as u64 {
            return Ok(());
        }
        let found = found.len();
        Err(Error::runtime(format!("the {what} below the storage was truncated to {found} bytes, but the storage has {nbytes}")))
    }
}

/// Whether the system keeps everybody from shrinking the memory.
#[cfg(target_os = "linux")]
fn is_sealed(file: &File) -> bool {
    crate::process::system::is_sealed(file)
}

#[cfg(not(target_os = "linux"))]
fn is_sealed(_file: &File) -> bool {
    false
}

/// The system's words for an error and its number, in PyTorch's form: `No such file or directory (2)`.
pub(super) fn with_code(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => format!("{} ({code})", text.trim_end_matches(&format!(" (os error {code})"))),
        None => text,
    }
}
