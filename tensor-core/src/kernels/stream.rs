//! Stores that go past the caches: for results that are larger than the caches, half again as fast, because memory need not be
//! read before it is written.
#![expect(unsafe_code, reason = "the instructions are only to be had as functions on pointers")]

use super::level::Level;
use super::transfer::MovedRows;

/// Results of that many bytes are streamed: those that the last cache couldn't hold beside what they come from.
pub(super) const STREAMED: usize = 24 << 20;
/// The same of results whose tiles lie in many rows at once: these compete for places in the caches.
pub(super) const TURNED: usize = 16 << 20;

/// Whether so many bytes are more than the caches hold beside others.
pub(crate) fn is_far(bytes: usize) -> bool {
    bytes >= STREAMED
}

/// Whether bytes can be streamed to an address.
pub(super) fn suits(to: *mut u8) -> bool {
    cfg!(all(target_arch = "x86_64", not(miri))) && (to as usize).is_multiple_of(16)
}

/// Copies bytes past the caches. [`fence`] ends a series of such copies.
///
/// # Safety
/// `len` initialised bytes can be read at `from`, and as many be written at `to`, which suits; the two don't overlap, and nobody
/// else uses those at `to` before the fence.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    let done = match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            // SAFETY: passed on, and the processor was asked.
            unsafe { wide(from, to, len) }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Baseline => {
            // SAFETY: passed on.
            unsafe { narrow(from, to, len) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        _ => 0,
    };
    // SAFETY: what is left of the caller's bytes.
    unsafe { std::ptr::copy_nonoverlapping(from.wrapping_add(done), to.wrapping_add(done), len - done) };
}

/// Moves rows of dense elements past the caches, as they are.
///
/// # Safety
/// The invariant of [`Rows`]; and as [`copy`], but for addresses that don't suit.
pub(super) unsafe fn rows(rows: MovedRows) {
    let len = rows.to_steps[0] * rows.counts[0];
    for row in 0..rows.counts[1] {
        let (from, to) = (rows.from.wrapping_add(row.wrapping_mul(rows.from_steps[1])), rows.to.wrapping_add(row * rows.to_steps[1]));
        if suits(to) {
            // SAFETY: a dense row, by the invariant.
            unsafe { copy(from, to, len) };
        } else {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
        }
    }
}

/// Copies as many bytes as 16 at a time do, and says how many those were.
///
/// # Safety
/// As [`copy`].
#[cfg(target_arch = "x86_64")]
unsafe fn narrow(from: *const u8, to: *mut u8, len: usize) -> usize {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    for at in (0..len / 16).map(|i| 16 * i) {
        // SAFETY: 16 bytes within those that the caller promises.
        let bytes: __m128i = unsafe { _mm_loadu_si128(from.wrapping_add(at).cast()) };
        // SAFETY: as above, and `to` is a multiple of 16.
        unsafe { _mm_stream_si128(to.wrapping_add(at).cast(), bytes) };
    }
    len / 16 * 16
}

/// As [`narrow`], with half as many stores: the processor merges them into lines of the cache in time.
///
/// # Safety
/// As [`copy`], on a processor with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide(from: *const u8, to: *mut u8, len: usize) -> usize {
    use std::arch::x86_64::{__m256i, _mm256_loadu_si256, _mm256_stream_si256};
    let head = (to as usize).wrapping_neg() % 32;
    // SAFETY: passed on: at most the half of a vector, up to a multiple of 32.
    let head = unsafe { narrow(from, to, head.min(len)) };
    let vectors = (len - head) / 32;
    for at in (0..vectors).map(|i| head + 32 * i) {
        // SAFETY: 32 bytes within those that the caller promises.
        let bytes: __m256i = unsafe { _mm256_loadu_si256(from.wrapping_add(at).cast()) };
        // SAFETY: as above, and the address is a multiple of 32: there were that many bytes, or no vector is left.
        unsafe { _mm256_stream_si256(to.wrapping_add(at).cast(), bytes) };
    }
    head + 32 * vectors
}

/// Asks for bytes that are read soon, which may lie anywhere.
pub(crate) fn ask(from: *const u8, len: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for at in (0..len).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has it; it reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(at).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (from, len);
}

/// Makes the streamed bytes visible to other threads in order.
pub(super) fn fence() {
    // Miri doesn't know these instructions; there, nothing suits.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
