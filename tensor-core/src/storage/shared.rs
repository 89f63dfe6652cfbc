//! Memory that other processes can map: POSIX shared memory, unlinked as soon as it is made, so that it lives exactly as
//! long as somebody has it mapped or holds its descriptor.

#[cfg(not(unix))]
pub(super) use absent::SharedMemory;
#[cfg(unix)]
pub(super) use posix::SharedMemory;

#[cfg(unix)]
mod posix {
    use std::os::fd::{AsFd, OwnedFd};
    use std::process;
    use std::sync::atomic::{AtomicU64, Ordering};

    use memmap2::{MmapOptions, MmapRaw};
    use rustix::fs::{Mode, fstat, ftruncate};
    use rustix::io::Errno;
    use rustix::shm;

    use super::super::file::with_code;
    use super::super::memory::nowhere;
    use crate::error::{Error, Result};

    /// A mapping and the descriptor that gives it to other processes. Without bytes there is no mapping.
    #[derive(Debug)]
    pub(in super::super) struct SharedMemory {
        map: Option<MmapRaw>,
        descriptor: OwnedFd,
    }

    impl SharedMemory {
        /// Fresh memory, filled with zeros.
        pub(in super::super) fn new(nbytes: usize) -> Result<Self> {
            let refused = |error: Errno| {
                Error::io(format!("share_memory_: the system gives no {nbytes} bytes of shared memory: {}", with_code(&error.into())))
            };
            let descriptor = unlinked().map_err(refused)?;
            reserve(&descriptor, nbytes).map_err(refused)?;
            Self::map(descriptor, nbytes)
        }

        /// The memory that another process made.
        pub(in super::super) fn from_descriptor(descriptor: OwnedFd, nbytes: usize) -> Result<Self> {
            let found =
                fstat(&descriptor).map_err(|error| Error::io(format!("from_shared_descriptor: {}", with_code(&error.into()))))?.st_size;
            if usize::try_from(found).map_or(true, |found| found < nbytes) {
                return Err(Error::runtime(format!(
                    "from_shared_descriptor: the shared memory has {found} bytes, fewer than the {nbytes} asked for"
                )));
            }
            Self::map(descriptor, nbytes)
        }

        fn map(descriptor: OwnedFd, nbytes: usize) -> Result<Self> {
            if nbytes == 0 {
                return Ok(Self { map: None, descriptor });
            }
            // A raw mapping: no slice is ever made of bytes that other processes may change meanwhile.
            let map = MmapOptions::new().len(nbytes).map_raw(&descriptor);
            let map = map.map_err(|error| Error::io(format!("unable to mmap {nbytes} bytes of shared memory: {}", with_code(&error))))?;
            Ok(Self { map: Some(map), descriptor })
        }

        pub(in super::super) fn start(&self) -> *mut u8 {
            self.map.as_ref().map_or(nowhere(), MmapRaw::as_mut_ptr)
        }

        /// How many bytes there are: who has the descriptor may truncate the memory.
        pub(in super::super) fn len(&self) -> Result<u64> {
            let found = fstat(&self.descriptor)
                .map_err(|error| Error::io(format!("the shared memory can't be asked for its size: {}", with_code(&error.into()))))?;
            Ok(u64::try_from(found.st_size).unwrap_or(0))
        }

        /// Another descriptor of the same memory.
        pub(in super::super) fn descriptor(&self) -> Result<OwnedFd> {
            self.descriptor.as_fd().try_clone_to_owned().map_err(|error| Error::io(format!("shared_descriptor: {}", with_code(&error))))
        }
    }

    /// A new, empty object of shared memory whose name is gone already.
    fn unlinked() -> Result<OwnedFd, Errno> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!("/latten_{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            match shm::open(&name, shm::OFlags::RDWR | shm::OFlags::CREATE | shm::OFlags::EXCL, Mode::RUSR | Mode::WUSR) {
                // Somebody's leftover has that name.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
                Ok(descriptor) => {
                    shm::unlink(&name)?;
                    return Ok(descriptor);
                }
            }
        }
    }

    /// Gives the object its size. On Linux the pages are taken now: where shared memory is scarce (64 megabytes in most
    /// containers), that is an error here and not a SIGBUS at the first write.
    fn reserve(descriptor: &OwnedFd, nbytes: usize) -> Result<(), Errno> {
        let nbytes = u64::try_from(nbytes).map_err(|_| Errno::FBIG)?;
        ftruncate(descriptor, nbytes)?;
        #[cfg(target_os = "linux")]
        if nbytes > 0 {
            rustix::fs::fallocate(descriptor, rustix::fs::FallocateFlags::empty(), 0, nbytes)?;
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod absent {
    use crate::error::{Error, Result};

    /// There is no POSIX shared memory here.
    #[derive(Debug)]
    pub(in super::super) enum SharedMemory {}

    impl SharedMemory {
        pub(in super::super) fn new(_nbytes: usize) -> Result<Self> {
            Err(Error::not_implemented("share_memory_: this system has no POSIX shared memory"))
        }

        pub(in super::super) fn start(&self) -> *mut u8 {
            match *self {}
        }

        pub(in super::super) fn len(&self) -> Result<u64> {
            match *self {}
        }
    }
}
