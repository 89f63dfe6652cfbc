//! What is asked of a Unix system beyond what std asks: room on a disk, memory that other processes can map, processors for a thread. Each
//! function is one call of the C library, with its error as std has it. Mapping files is memmap2's.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// What a call answers: -1 says that the error is the thread's last one.
fn answer(code: libc::c_int) -> io::Result<libc::c_int> {
    if code == -1 { Err(io::Error::last_os_error()) } else { Ok(code) }
}

/// The file behind a descriptor that a call has just opened.
fn opened(descriptor: libc::c_int) -> io::Result<File> {
    let descriptor: RawFd = answer(descriptor)?;
    // SAFETY: it was opened for us just now, and nobody else knows its number.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

/// Opens a new object of POSIX shared memory; an error if that name is taken.
pub(crate) fn new_shared(name: &CStr) -> io::Result<File> {
    let mode: libc::mode_t = 0o600;
    // Apple's function takes it as an argument of any type.
    #[cfg(target_vendor = "apple")]
    let mode = libc::c_uint::from(mode);
    // Such descriptors aren't inherited.
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    // SAFETY: the name ends with a zero.
    opened(unsafe { libc::shm_open(name.as_ptr(), flags, mode) })
}

/// Takes the name away from an object of POSIX shared memory, which stays as long as somebody has it open.
pub(crate) fn unlink_shared(name: &CStr) -> io::Result<()> {
    // SAFETY: the name ends with a zero.
    answer(unsafe { libc::shm_unlink(name.as_ptr()) }).map(drop)
}

/// The user whose rights the process has.
#[cfg(feature = "cuda")]
pub(crate) fn user() -> u32 {
    // SAFETY: it has no conditions and can't fail.
    unsafe { libc::geteuid() }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
pub(crate) use linux::processors;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::{allow, keep_from, processor, thread};
#[cfg(target_os = "linux")]
pub(crate) use linux::{is_sealed, machine_memory, seal, sealable, take_room};

#[cfg(target_os = "linux")]
mod linux {
    use super::{AsRawFd, CStr, File, answer, io, opened};

    /// Takes room on the disk for a part of a file, which grows where `grows` and the part ends behind its end.
    pub(crate) fn take_room(file: &File, from: u64, len: u64, grows: bool) -> io::Result<()> {
        let mode = if grows { 0 } else { libc::FALLOC_FL_KEEP_SIZE };
        let number = |bytes: u64| libc::off_t::try_from(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG));
        let (from, len) = (number(from)?, number(len)?);
        // SAFETY: the descriptor is open as long as the file is.
        answer(unsafe { libc::fallocate(file.as_raw_fd(), mode, from, len) }).map(drop)
    }

    /// Memory as a file without a name, whose size can be sealed.
    pub(crate) fn sealable(name: &CStr) -> io::Result<File> {
        // SAFETY: the name ends with a zero.
        opened(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) })
    }

    /// Keeps everybody from changing the size of a file in memory.
    pub(crate) fn seal(file: &File) -> io::Result<()> {
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the command takes a number, and the descriptor is open as long as the file is.
        answer(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) }).map(drop)
    }

    /// Whether the system keeps everybody from shrinking the memory.
    pub(crate) fn is_sealed(file: &File) -> bool {
        // SAFETY: the command takes nothing, and the descriptor is open as long as the file is.
        let seals = answer(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) });
        seals.is_ok_and(|seals| seals & libc::F_SEAL_SHRINK != 0)
    }

    /// Bytes that the machine can have in memory and swapped out; none where it doesn't say.
    pub(crate) fn machine_memory() -> Option<u64> {
        let mut about = std::mem::MaybeUninit::<libc::sysinfo>::zeroed();
        // SAFETY: the place is as large as what is written there.
        answer(unsafe { libc::sysinfo(about.as_mut_ptr()) }).ok()?;
        // SAFETY: numbers, all of which were zero before the call.
        let about = unsafe { about.assume_init() };
        #[expect(clippy::useless_conversion, reason = "they have 32 bits on some processors")]
        let units = u64::from(about.totalram).saturating_add(u64::from(about.totalswap));
        Some(units.saturating_mul(about.mem_unit.into()))
    }

    /// On which processor this thread runs.
    #[cfg(not(miri))]
    pub(crate) fn processor() -> Option<usize> {
        // SAFETY: it has no conditions.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// The number of this thread.
    #[cfg(not(miri))]
    pub(crate) fn thread() -> i32 {
        // SAFETY: it has no conditions.
        unsafe { libc::gettid() }
    }

    /// Some processors: a bit each, as a `cpu_set_t` has them.
    #[cfg(not(miri))]
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct Processors([usize; size_of::<libc::cpu_set_t>() / size_of::<usize>()]);

    #[cfg(not(miri))]
    impl Processors {
        /// Adds or removes one, and says whether that changes the set.
        fn put(&mut self, processor: usize, there: bool) -> bool {
            const BITS: usize = usize::BITS as usize;
            let Some(word) = self.0.get_mut(processor / BITS) else { return false };
            let (before, bit) = (*word, 1 << (processor % BITS));
            *word = if there { before | bit } else { before & !bit };
            *word != before
        }

        /// Says that a thread may use these; 0 is this thread. A set without processors is refused.
        fn give_to(&self, thread: i32) -> bool {
            // SAFETY: the set is as large as its size says, and its words are those of the type.
            unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), self.0.as_ptr().cast()) == 0 }
        }
    }

    /// Those that a thread may use; 0 is this thread.
    #[cfg(not(miri))]
    pub(crate) fn processors(thread: i32) -> Option<Processors> {
        let mut all = Processors([0; _]);
        // SAFETY: the set is as large as its size says, and any bits are one.
        (unsafe { libc::sched_getaffinity(thread, size_of_val(&all.0), all.0.as_mut_ptr().cast()) } == 0).then_some(all)
    }

    /// Keeps a thread from a processor, where it may use another; 0 is this thread. Says whether it does so from now on.
    #[cfg(not(miri))]
    pub(crate) fn keep_from(thread: i32, processor: usize) -> bool {
        processors(thread).is_some_and(|mut others| others.put(processor, false) && others.give_to(thread))
    }

    /// Lets this thread use a processor.
    #[cfg(not(miri))]
    pub(crate) fn allow(processor: usize) {
        if let Some(mut all) = processors(0)
            && all.put(processor, true)
        {
            // It may fail, as if the thread had been kept from it all the time.
            all.give_to(0);
        }
    }
}
