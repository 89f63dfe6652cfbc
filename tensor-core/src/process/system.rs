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

#[cfg(target_os = "linux")]
pub(crate) use linux::{is_sealed, machine_memory, seal, sealable, take_room};
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) use linux::{leave, processor};

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

    /// Moves this thread to another processor, where it may use one, and lets it be anywhere from there on.
    #[cfg(not(miri))]
    pub(crate) fn leave(processor: usize) {
        const SIZE: usize = size_of::<libc::cpu_set_t>();
        // SAFETY: a set is an array of words, and zeros are the empty set.
        let mut all: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: the set is as large as its size says; 0 is this thread.
        if unsafe { libc::sched_getaffinity(0, SIZE, &raw mut all) } != 0 || processor >= 8 * SIZE {
            return;
        }
        let mut others = all;
        // SAFETY: the number is one that the set can hold.
        unsafe { libc::CPU_CLR(processor, &mut others) };
        // SAFETY: as above. A set without processors is refused.
        if unsafe { libc::sched_setaffinity(0, SIZE, &raw const others) } == 0 {
            // SAFETY: as above. It may fail, as if the thread hadn't been moved.
            unsafe { libc::sched_setaffinity(0, SIZE, &raw const all) };
        }
    }
}
