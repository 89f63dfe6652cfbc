//! Storages that are files, mapped into memory.
#![expect(unsafe_code, reason = "maps files")]

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use memmap2::{MmapOptions, MmapRaw};

use super::access::Cell;
use super::memory::Memory;
use super::{Sharing, UntypedStorage};
use crate::device::Device;
use crate::error::{Error, Result};

/// A mapping, and the file itself, which is asked for its length before the mapping is used.
#[derive(Debug)]
pub(super) struct MappedFile {
    map: MmapRaw,
    file: File,
}

impl MappedFile {
    pub(super) fn start(&self) -> *mut u8 {
        self.map.as_mut_ptr()
    }

    /// How long the file is now.
    pub(super) fn len(&self) -> Result<u64> {
        match self.file.metadata() {
            Ok(about) => Ok(about.len()),
            Err(error) => Err(Error::io(format!("the file below the storage can't be asked for its length: {}", with_code(&error)))),
        }
    }
}

impl UntypedStorage {
    /// The first `nbytes` bytes of a file, mapped into memory: pages are read when they are used.
    ///
    /// With [`Sharing::Shared`] the file is made where there is none and extended with zeros to `nbytes`, what is written
    /// to the storage reaches the file, other processes that map it see it, and [`filename`](Self::filename) is the path.
    /// With [`Sharing::Private`] writing never changes the file.
    ///
    /// A mapped storage can't be resized, and isn't lent as a slice of numbers: its bytes may change without this process
    /// knowing. If somebody truncated the file meanwhile, every use of the bytes is an error, until the file has its length
    /// again. If somebody truncates it in the middle of a use, touching a page beyond the new end ends the process with
    /// SIGBUS on Unix; no library can turn that into an error. Extending the file is harmless.
    ///
    /// # Errors
    /// If the file can't be opened, made, extended or mapped, or, private, has fewer bytes.
    pub fn from_file(path: impl AsRef<Path>, sharing: Sharing, nbytes: usize) -> Result<Self> {
        let path = path.as_ref();
        let map = match sharing {
            // No system maps nothing; PyTorch doesn't even look for the file then.
            _ if nbytes == 0 => None,
            Sharing::Private => Some(map_private(path, nbytes)?),
            Sharing::Shared => Some(map_shared(path, nbytes)?),
        };
        let filename = (sharing == Sharing::Shared).then(|| path.to_owned());
        Ok(Self::over(Cell::new(Memory::File(map), nbytes, Device::CPU, filename)))
    }
}

fn map_private(path: &Path, nbytes: usize) -> Result<MappedFile> {
    let refused = |what: &str, error: &io::Error| Error::runtime(format!("unable to {what}: {}", with_code(error)));
    let name = path.display();
    let file = File::open(path).map_err(|error| refused(&format!("open file <{name}> in read-only mode"), &error))?;
    let signed = checked_size(nbytes, path)?;
    let size = file.metadata().map_err(|error| refused(&format!("stat the file <{name}>"), &error))?.len();
    if size < signed {
        return Err(Error::runtime(format!("file <{name}> size <{size}> is smaller than the required mapping size <{nbytes}>")));
    }
    // SAFETY: made raw at once: no slice is ever made of pages that may still follow the file.
    let map = unsafe { MmapOptions::new().len(nbytes).map_copy(&file) };
    let map = map.map_err(|error| refused(&format!("mmap {nbytes} bytes from file <{name}>"), &error))?;
    Ok(MappedFile { map: map.into(), file })
}

fn map_shared(path: &Path, nbytes: usize) -> Result<MappedFile> {
    let refused = |what: &str, error: &io::Error| Error::runtime(format!("unable to {what}: {}", with_code(error)));
    let name = path.display();
    let signed = checked_size(nbytes, path)?;
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let (made, file) = match options.read(true).write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (false, options.create_new(false).open(path)),
        other => (true, other),
    };
    let file = file.map_err(|error| refused(&format!("open file <{name}> in read-write mode"), &error))?;
    let size = file.metadata().map_err(|error| refused(&format!("stat the file <{name}>"), &error))?.len();
    if size < signed
        && let Err(error) = file.set_len(signed)
    {
        if made {
            // A failure changes nothing; if the empty file can't go either, the first error is the one to tell.
            let _ = std::fs::remove_file(path);
        }
        return Err(refused(&format!("resize file <{name}> to the right size"), &error));
    }
    // A raw mapping: no slice is ever made of bytes that other processes may change meanwhile.
    let map = MmapOptions::new().len(nbytes).map_raw(&file);
    let map = map.map_err(|error| refused(&format!("mmap {nbytes} bytes from file <{name}>"), &error))?;
    Ok(MappedFile { map, file })
}

/// The size as the system counts it. PyTorch's message has the number as it wraps around.
fn checked_size(nbytes: usize, path: &Path) -> Result<u64> {
    isize::try_from(nbytes).map(isize::cast_unsigned).map(|size| size as u64).map_err(|_| {
        Error::runtime(format!("unable to mmap {} bytes from file <{}>: Cannot allocate memory (12)", nbytes.cast_signed(), path.display()))
    })
}

/// The system's words for an error and its number, in PyTorch's form: `No such file or directory (2)`.
pub(super) fn with_code(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => format!("{} ({code})", text.trim_end_matches(&format!(" (os error {code})"))),
        None => text,
    }
}
