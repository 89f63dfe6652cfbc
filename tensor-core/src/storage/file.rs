//! Storages that are files, mapped into memory.
#![expect(unsafe_code, reason = "maps files")]

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use memmap2::MmapOptions;

use super::access::Cell;
use super::mapped::{cell_of, identity};
use super::mapping::{Mapping, MappingKind, with_code};
use super::memory::Memory;
use super::{Sharing, UntypedStorage};
use crate::device::Device;
use crate::error::{Error, Result};

impl UntypedStorage {
    /// The first `nbytes` bytes of a file, mapped into memory: pages are read when they are used.
    ///
    /// With [`Sharing::Shared`] the file is made where there is none and extended with zeros to `nbytes`, what is written
    /// to the storage reaches the file, other processes that map it see it, and [`filename`](Self::filename) is the path.
    /// With [`Sharing::Private`] writing never changes the file.
    ///
    /// A file that is mapped twice is one memory with one lock: the storages share it ([`shares_memory`](Self::shares_memory)), whatever the
    /// paths. Where the file is extended, the disk's room is taken at once on Linux, so that a full disk is an error here. A file that had
    /// holes keeps them: writing to a hole on a full disk ends the process with SIGBUS.
    ///
    /// A mapped storage can't be resized, and isn't lent as a slice of numbers: its bytes may change without this process
    /// knowing. If somebody truncated the file meanwhile, every use of bytes that are gone is an error, until the file has its length
    /// again. If somebody truncates it in the middle of a use, touching a page beyond the new end ends the process with
    /// SIGBUS on Unix; no library can turn that into an error. Extending the file is harmless.
    ///
    /// # Errors
    /// If the file can't be opened, made, extended or mapped, or, private, has fewer bytes.
    pub fn from_file(path: impl AsRef<Path>, sharing: Sharing, nbytes: usize) -> Result<Self> {
        let path = path.as_ref();
        match sharing {
            // No system maps nothing; PyTorch doesn't even look for the file then.
            _ if nbytes == 0 => {
                let cell = Cell::new(Memory::Mapped(Mapping::EMPTY), 0, Device::CPU);
                let named = if sharing == Sharing::Shared { cell.named(path) } else { cell };
                Ok(Self::over(named))
            }
            Sharing::Private => map_private(path, nbytes),
            Sharing::Shared => map_shared(path, nbytes),
        }
    }
}

/// What the system said.
fn refused(what: &str, error: &io::Error) -> Error {
    Error::runtime(format!("unable to {what}: {}", with_code(error)))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe isn't waited for: it has no bytes to map, whoever writes to it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options
}

/// Its pages follow the file until they are written to: so it is read together with the file's own cell, which a writer of the file has alone.
fn map_private(path: &Path, nbytes: usize) -> Result<UntypedStorage> {
    let name = path.display();
    let file = options().open(path).map_err(|error| refused(&format!("open file <{name}> in read-only mode"), &error))?;
    let signed = checked_size(nbytes, path)?;
    let stat = |error: io::Error| refused(&format!("stat the file <{name}>"), &error);
    let size = file.metadata().map_err(stat)?.len();
    if size < signed {
        return Err(Error::runtime(format!("file <{name}> size <{size}> is smaller than the required mapping size <{nbytes}>")));
    }
    // SAFETY: made raw at once: no slice is ever made of pages that may still follow the file.
    let map = unsafe { MmapOptions::new().len(nbytes).map_copy(&file) };
    let map = map.map_err(|error| refused(&format!("mmap {nbytes} bytes from file <{name}>"), &error))?;
    let below = cell_of(identity(&file, Some(path)).map_err(stat)?);
    let memory = Memory::Mapped(Mapping::private(map.into(), file));
    Ok(UntypedStorage::over(Cell::new(memory, nbytes, Device::CPU).copied_from(below)))
}

fn map_shared(path: &Path, nbytes: usize) -> Result<UntypedStorage> {
    let name = path.display();
    let signed = checked_size(nbytes, path)?;
    let mut options = options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let (made, file) = match options.write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (false, options.create_new(false).open(path)),
        other => (true, other),
    };
    let file = file.map_err(|error| refused(&format!("open file <{name}> in read-write mode"), &error))?;
    let stat = |error: io::Error| refused(&format!("stat the file <{name}>"), &error);
    let size = file.metadata().map_err(stat)?.len();
    if size < signed
        && let Err(error) = extend(&file, size, signed)
    {
        // A failure changes nothing; if that can't be undone either, the first error is the one to tell.
        let _ = if made { std::fs::remove_file(path) } else { file.set_len(size) };
        return Err(refused(&format!("resize file <{name}> to the right size"), &error));
    }
    let identity = identity(&file, Some(path)).map_err(stat)?;
    let mapping = Mapping::shared(file, nbytes, MappingKind::File);
    let mapping = mapping.map_err(|error| refused(&format!("mmap {nbytes} bytes from file <{name}>"), &error))?;
    let storage = UntypedStorage::over_mapping(mapping, identity, nbytes)?;
    storage.cell().name(path);
    Ok(storage)
}

/// Makes a file longer. Where the system can, the room on the disk is taken now: a write to a page that finds none is a SIGBUS.
fn extend(file: &File, from: u64, to: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if took_room(file, from, to - from, true)? {
        return Ok(());
    }
    let _ = from;
    file.set_len(to)
}

/// Takes room on the disk for a part of a file, which grows where `grows` and the part ends behind its end. `false` where the file system
/// can't.
///
/// # Errors
/// If the disk is full.
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub fn took_room(file: &File, from: u64, len: u64, grows: bool) -> io::Result<bool> {
    match crate::process::system::take_room(file, from, len, grows) {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => Ok(false),
        answer => answer.map(|()| true),
    }
}

/// The size as the system counts it. PyTorch's message has the number as it wraps around.
fn checked_size(nbytes: usize, path: &Path) -> Result<u64> {
    isize::try_from(nbytes).map(isize::cast_unsigned).map(|size| size as u64).map_err(|_| {
        Error::runtime(format!("unable to mmap {} bytes from file <{}>: Cannot allocate memory (12)", nbytes.cast_signed(), path.display()))
    })
}
