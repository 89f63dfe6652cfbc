//! Memory that others may see: files, and what another process or this one made to be shared. Within a process there is one storage for each
//! such memory, however often it is mapped: a second mapping finds the first by the file's number, and so has its lock.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, Weak};

use memmap2::{MmapOptions, MmapRaw};

use super::access::{Access, Cell};
use super::memory::{Memory, nowhere};
use super::share::Share;
use super::{Part, UntypedStorage, Window};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::process::{PerProcess, left_behind, locked};

/// What is mapped, in the words of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
    pub(super) kind: Kind,
    /// Whether nobody can take bytes away.
    sealed: bool,
}

impl Mapping {
    /// Nothing, yet.
    pub(super) const EMPTY: Self = Self { map: None, file: None, kind: Kind::File, sealed: true };

    /// The first bytes of a file, which writes reach.
    pub(super) fn shared(file: File, nbytes: usize, kind: Kind) -> std::io::Result<Self> {
        // A raw mapping: no slice is ever made of bytes that other processes may change meanwhile.
        let map = if nbytes == 0 { None } else { Some(MmapOptions::new().len(nbytes).map_raw(&file)?) };
        let sealed = is_sealed(&file);
        Ok(Self { map, file: Some(file), kind, sealed })
    }

    /// A mapping of a file that writes don't reach.
    pub(super) fn private(map: MmapRaw, file: File) -> Self {
        Self { map: Some(map), file: Some(file), kind: Kind::File, sealed: false }
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
        let what = if self.kind == Kind::File { "file" } else { "shared memory" };
        let found = file.metadata().map_err(|error| {
            Error::io(format!("the {what} below the storage can't be asked for its length: {}", super::file::with_code(&error)))
        })?;
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

/// What one memory has of its own among all that can be mapped.
#[cfg(unix)]
type Identity = (u64, u64);
/// Systems whose files have no number that can be asked for: the path, without links.
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

#[cfg(unix)]
pub(super) fn identity(file: &File, _path: Option<&std::path::Path>) -> std::io::Result<Identity> {
    let about = file.metadata()?;
    Ok((std::os::unix::fs::MetadataExt::dev(&about), std::os::unix::fs::MetadataExt::ino(&about)))
}

#[cfg(not(unix))]
pub(super) fn identity(_file: &File, path: Option<&std::path::Path>) -> std::io::Result<Identity> {
    path.unwrap_or(std::path::Path::new("")).canonicalize()
}

/// The cells of what is mapped in this process. A number isn't given to another file while a cell has the file open.
static MAPPED: PerProcess<Mutex<HashMap<Identity, Weak<Cell>>>> = PerProcess::new(Mutex::default, left_behind);

/// The one cell of a memory; an empty one where nothing of it is mapped yet.
pub(super) fn cell_of(identity: Identity) -> Arc<Cell> {
    let mut mapped = locked(MAPPED.get());
    if let Some(cell) = mapped.get(&identity).and_then(Weak::upgrade) {
        return cell;
    }
    let cell = Arc::new(Cell::new(Memory::Mapped(Mapping::EMPTY), 0, Device::CPU));
    insert(&mut mapped, identity, &cell);
    cell
}

fn insert(mapped: &mut HashMap<Identity, Weak<Cell>>, identity: Identity, cell: &Arc<Cell>) {
    if mapped.len() == mapped.capacity() {
        mapped.retain(|_, cell| cell.strong_count() > 0);
    }
    mapped.insert(identity, Arc::downgrade(cell));
}

impl UntypedStorage {
    /// Says that the storage's memory is shared from now on.
    pub(super) fn register(&self, access: &Access<'_>) -> Result<()> {
        let identity = access.memory(self, |memory| match memory {
            Memory::Mapped(mapping) => mapping.file().map(|file| identity(file, None)),
            _ => None,
        });
        let identity = identity.transpose();
        if let Some(identity) = identity.map_err(|error| Error::io(format!("share_memory_: {}", super::file::with_code(&error))))? {
            insert(&mut locked(MAPPED.get()), identity, &self.cell);
        }
        Ok(())
    }

    /// The first bytes of a memory that was just mapped: over the cell that the memory has already, if it has one.
    pub(super) fn over_mapping(mapping: Mapping, identity: Identity, nbytes: usize) -> Result<Self> {
        let whole = Self::whole(Share::of(cell_of(identity)));
        let mut access = Access::write(&whole)?;
        if whole.nbytes() < nbytes || access.memory(&whole, |memory| matches!(memory, Memory::Mapped(Mapping { file: None, .. }))) {
            access.replace(&whole, |memory| {
                if let Memory::Mapped(Mapping { kind: Kind::Made, .. }) = memory {
                    return Err(Error::runtime(format!(
                        "the shared memory of a storage of this process has grown: it can't be mapped with {nbytes} bytes while that lives"
                    )));
                }
                *memory = Memory::Mapped(mapping);
                Ok(nbytes)
            })?;
        }
        drop(access);
        Ok(whole.with_window(Some(Window { start: 0, nbytes, part: Part::Mapping })))
    }
}
