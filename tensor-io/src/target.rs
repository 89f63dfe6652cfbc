//! Where bytes are written to: a temporary file beside the one that is meant, which takes its name when all is there. Whatever fails, the
//! old file stays.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use latten_core::error::Result;
use latten_core::storage::UntypedStorage;

use crate::fault::{broken, refused};
use crate::options::{Durability, Packing, Progress, Save, Watch};
use crate::storages::pour;

/// Small writes are gathered up to that many bytes.
const GATHERED: usize = 1 << 16;
/// No write goes beyond a multiple of this: the system keeps what is aligned in large pieces, and takes a fourth of the time less.
const BLOCK: usize = 1 << 18;
/// Room for less isn't taken beforehand. Where room is taken, it is this much more: some of a file is headers, and if they had no room, the
/// system would send the whole file to the disk when it is renamed over another. Finishing gives back what is left.
const RESERVED: u64 = 1 << 20;

/// A file that is being written.
pub(crate) struct Target<'a> {
    file: File,
    gathered: Vec<u8>,
    at: u64,
    sum: Option<Checksum>,
    path: PathBuf,
    temporary: PathBuf,
    is_finished: bool,
    durability: Durability,
    watch: Watch<'a>,
    progress: Progress,
}

#[cfg(any(feature = "pt", feature = "npy"))]
type Checksum = crc32fast::Hasher;
#[cfg(not(any(feature = "pt", feature = "npy")))]
type Checksum = std::convert::Infallible;

impl<'a> Target<'a> {
    /// Begins a file; `total` bytes of elements will be written.
    pub(crate) fn create(path: &Path, total: u64, save: &Save<'a>) -> Result<Self> {
        // A link stays one: the file that it means is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().ok_or_else(|| broken("it is no name of a file"))?.to_string_lossy().into_owned();
        let (file, temporary) = temporary(&path, &name)?;
        let (watch, durability) = (save.watch, save.durability);
        let target = Self {
            file,
            gathered: Vec::with_capacity(GATHERED),
            at: 0,
            sum: None,
            path,
            temporary,
            is_finished: false,
            durability,
            watch,
            progress: Progress { done: 0, total },
        };
        if let Ok(about) = std::fs::metadata(&target.path) {
            target.file.set_permissions(about.permissions()).map_err(|error| refused("the permissions of the old file", &error))?;
        }
        if save.packing == Packing::Stored && total >= RESERVED {
            reserve(&target.file, total + RESERVED).map_err(|error| refused(&format!("taking {total} bytes of the disk"), &error))?;
        }
        Ok(target)
    }

    /// How many bytes are written.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| refused("writing", &error))
    }

    /// Writes all bytes of a storage, and says how far the save is.
    pub(crate) fn put_storage(&mut self, storage: &UntypedStorage) -> Result<()> {
        pour(storage, self)?.map_err(|error| refused("writing", &error))?;
        self.progress.done += storage.nbytes() as u64;
        if let Some(watch) = self.watch {
            watch(self.progress);
        }
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        self.file.write_all(&self.gathered)?;
        self.gathered.clear();
        Ok(())
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> Result<()> {
        let end = |target: &mut Self| -> io::Result<()> {
            target.send()?;
            if target.progress.total >= RESERVED {
                target.file.set_len(target.at)?;
            }
            if target.durability == Durability::Synced {
                target.file.sync_all()?;
            }
            std::fs::rename(&target.temporary, &target.path)?;
            target.is_finished = true;
            if target.durability == Durability::Synced {
                sync_folder(&target.path)?;
            }
            Ok(())
        };
        end(&mut self).map_err(|error| refused("finishing the file", &error))
    }
}

#[cfg(any(feature = "pt", feature = "npy"))]
impl Target<'_> {
    /// From here on a checksum is kept.
    pub(crate) fn begin_sum(&mut self) {
        self.sum = Some(Checksum::new());
    }

    /// The checksum of what was written since.
    pub(crate) fn end_sum(&mut self) -> u32 {
        self.sum.take().map_or(0, Checksum::finalize)
    }
}

impl Write for Target<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let to_come = BLOCK - (self.at % BLOCK as u64) as usize;
        let bytes = &bytes[..bytes.len().min(to_come)];
        if self.gathered.len() + bytes.len() > GATHERED {
            self.send()?;
        }
        if bytes.len() > GATHERED {
            self.file.write_all(bytes)?;
        } else {
            self.gathered.extend_from_slice(bytes);
        }
        #[cfg(any(feature = "pt", feature = "npy"))]
        if let Some(sum) = &mut self.sum {
            sum.update(bytes);
        }
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            // The save has failed already; a temporary file that can't go either is all that is left of it.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// A new file beside the one that is meant, on the same disk.
fn temporary(path: &Path, name: &str) -> Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let own = format!(".{name}.{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let beside = path.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, beside)),
            // What an earlier process of this number has left.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused("no file can be made beside it", &error)),
        }
    }
}

/// Takes room on the disk for elements that will be written as they are. A full disk shows before anything is written, and the system, which
/// else looks for room page by page, writes twice as fast.
#[cfg(target_os = "linux")]
fn reserve(file: &File, nbytes: u64) -> io::Result<()> {
    // Some file systems can't.
    latten_core::storage::took_room(file, 0, nbytes, false).map(drop)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "Linux can refuse")]
fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

/// The new name is on the disk too.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
