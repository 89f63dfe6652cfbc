//! Stores that go past the caches: for results that are larger than the caches, half again as fast, because memory need not be
//! read before it is written.
#![expect(unsafe_code, reason = "the instructions are only to be had as functions on pointers")]

/// Results of so many bytes are streamed: about what the last cache holds.
pub(super) const STREAMED: usize = 16 << 20;

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
    #[cfg(target_arch = "x86_64")]
    let done = {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for at in (0..len / 16).map(|i| 16 * i) {
            // SAFETY: 16 bytes within those that the caller promises.
            let bytes: __m128i = unsafe { _mm_loadu_si128(from.wrapping_add(at).cast()) };
            // SAFETY: as above, and `to` is a multiple of 16.
            unsafe { _mm_stream_si128(to.wrapping_add(at).cast(), bytes) };
        }
        len / 16 * 16
    };
    #[cfg(not(target_arch = "x86_64"))]
    let done = 0;
    // SAFETY: what is left of the caller's bytes.
    unsafe { std::ptr::copy_nonoverlapping(from.wrapping_add(done), to.wrapping_add(done), len - done) };
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
