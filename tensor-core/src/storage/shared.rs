//! Memory that other processes can map, made here: it has no name, and lives exactly as long as somebody has it mapped or holds its descriptor.
//! On Linux it is sealed, so that nobody can take bytes of it away.

#[cfg(not(unix))]
pub(super) use absent::make;
#[cfg(unix)]
pub(super) use posix::make;

#[cfg(unix)]
mod posix {
    use std::ffi::CString;
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::process;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::mapped::identity;
    use super::super::mapping::{Mapping, MappingKind, with_code};
    use crate::error::{Error, Result};
    use crate::process::system;

    /// Fresh memory, filled with zeros.
    pub(in super::super) fn make(nbytes: usize) -> Result<Mapping> {
        let refused = |error: io::Error| {
            Error::io(format!("share_memory_: the system gives no {nbytes} bytes of shared memory: {}", with_code(&error)))
        };
        let file = sealed(nbytes).or_else(|_| named(nbytes)).map_err(refused)?;
        Mapping::shared(file, nbytes, MappingKind::Made).map_err(refused)
    }

    /// Memory that never had a name, and whose size nobody can change.
    #[cfg(target_os = "linux")]
    fn sealed(nbytes: usize) -> io::Result<File> {
        // Such memory has no limit: a size that the machine can't have must be refused here.
        if system::machine_memory().is_none_or(|all| nbytes as u64 > all) {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        let file = system::sealable(c"latten")?;
        file.set_len(nbytes as u64)?;
        system::seal(&file)?;
        Ok(file)
    }

    #[cfg(not(target_os = "linux"))]
    fn sealed(_nbytes: usize) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// An object of POSIX shared memory whose name is gone already.
    fn named(nbytes: usize) -> io::Result<File> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = CString::new(format!("/latten_{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))?;
            match system::new_shared(&name) {
                // Somebody's leftover has that name.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    system::unlink_shared(&name)?;
                    reserve(&file, nbytes)?;
                    return Ok(file);
                }
            }
        }
    }

    /// Gives the object its size. On Linux the pages are taken now: where shared memory is scarce (64 megabytes in most
    /// containers), that is an error here and not a SIGBUS at the first write.
    fn reserve(file: &File, nbytes: usize) -> io::Result<()> {
        file.set_len(nbytes as u64)?;
        #[cfg(target_os = "linux")]
        if nbytes > 0 {
            system::take_room(file, 0, nbytes as u64, true)?;
        }
        Ok(())
    }

    impl super::super::UntypedStorage {
        /// A descriptor of the shared memory below the storage, to be given to another process. Where the system can, the memory keeps its
        /// size for good.
        ///
        /// # Errors
        /// If the storage isn't in shared memory, or the process has too many descriptors.
        pub fn shared_descriptor(&self) -> Result<OwnedFd> {
            use super::super::access::Access;
            use super::super::memory::Memory;

            let access = Access::read(self)?;
            let copy = access.memory(self, |memory| match memory {
                Memory::Mapped(mapping) if mapping.kind != MappingKind::File => mapping.file().map(File::try_clone),
                _ => None,
            });
            let copy =
                copy.ok_or_else(|| Error::runtime("shared_descriptor: the storage is not in shared memory, call share_memory_ first"))?;
            copy.map(OwnedFd::from).map_err(|error| Error::io(format!("shared_descriptor: {}", with_code(&error))))
        }

        /// The storage over shared memory that another process made, from the descriptor that it gave.
        ///
        /// The lock of a storage works within one process, where it is the same however often the memory is mapped. Between processes the users
        /// agree on who writes when, as with any shared memory. Memory that latten made has its size for good on Linux; what came from
        /// elsewhere and isn't sealed against shrinking may be truncated: then every use is an error, and one that is under way ends the
        /// process with SIGBUS.
        ///
        /// # Errors
        /// If the memory is smaller than asked for, or can't be mapped.
        pub fn from_shared_descriptor(descriptor: OwnedFd, nbytes: usize) -> Result<Self> {
            let refused = |error: io::Error| Error::io(format!("from_shared_descriptor: {}", with_code(&error)));
            let file = File::from(descriptor);
            let (found, identity) = (file.metadata().map_err(refused)?.len(), identity(&file, None).map_err(refused)?);
            if found < nbytes as u64 {
                return Err(Error::runtime(format!(
                    "from_shared_descriptor: the shared memory has {found} bytes, fewer than the {nbytes} asked for"
                )));
            }
            let mapping = Mapping::shared(file, nbytes, MappingKind::Given)
                .map_err(|error| Error::io(format!("unable to mmap {nbytes} bytes of shared memory: {}", with_code(&error))))?;
            Self::over_mapping(mapping, identity, nbytes)
        }
    }
}

#[cfg(not(unix))]
mod absent {
    use super::super::mapping::Mapping;
    use crate::error::{Error, Result};

    /// There is no POSIX shared memory here.
    pub(in super::super) fn make(_nbytes: usize) -> Result<Mapping> {
        Err(Error::not_implemented("share_memory_: this system has no POSIX shared memory"))
    }
}
