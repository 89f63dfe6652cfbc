//! What is mapped in this process. There is one storage for each memory, however often it is mapped: a second mapping finds the first by the
//! file's number, and so has its lock.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Mutex, Weak};

use super::access::{Access, Cell};
use super::mapping::{Mapping, MappingKind, with_code};
use super::memory::Memory;
use super::share::Share;
use super::{Claim, UntypedStorage, Window};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::process::{PerProcess, left_behind, locked};

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
        if let Some(identity) = identity.map_err(|error| Error::io(format!("share_memory_: {}", with_code(&error))))? {
            insert(&mut locked(MAPPED.get()), identity, &self.cell);
        }
        Ok(())
    }

    /// The first bytes of a memory that was just mapped: over the cell that the memory has already, if it has one.
    pub(super) fn over_mapping(mapping: Mapping, identity: Identity, nbytes: usize) -> Result<Self> {
        let whole = Self::whole(Share::of(cell_of(identity)));
        let mut access = Access::write(&whole)?;
        if whole.nbytes() < nbytes || access.memory(&whole, |memory| matches!(memory, Memory::Mapped(mapping) if mapping.file().is_none()))
        {
            access.replace(&whole, |memory| {
                if let Memory::Mapped(Mapping { kind: MappingKind::Made, .. }) = memory {
                    return Err(Error::runtime(format!(
                        "the shared memory of a storage of this process has grown: it can't be mapped with {nbytes} bytes while that lives"
                    )));
                }
                *memory = Memory::Mapped(mapping);
                Ok(nbytes)
            })?;
        }
        drop(access);
        Ok(whole.with_window(Some(Window { start: 0, nbytes, part: Claim::Mapping })))
    }
}
