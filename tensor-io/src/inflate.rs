//! Packed bytes and checksums of archives.

use latten_core::error::Result;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use crate::fault::broken;

/// That a checksum is the one that the archive has.
pub(crate) fn check_sum(expected: u32, found: u32) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(broken(format!("its checksum is {found:08x}, the archive says {expected:08x}: the bytes have changed")))
}

/// Inflates to exactly the bytes that there is room for.
pub(crate) fn inflate(packed: &[u8], to: &mut [u8]) -> Result<()> {
    const FLAGS: u32 = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, written) = decompress(&mut DecompressorOxide::new(), packed, to, 0, FLAGS);
    match status {
        TINFLStatus::Done if written == to.len() => Ok(()),
        TINFLStatus::Done => Err(broken(format!("it inflates to {written} bytes, the archive says {}", to.len()))),
        TINFLStatus::HasMoreOutput => Err(broken(format!("it inflates to more than the {} bytes that the archive says", to.len()))),
        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => Err(broken("its packed bytes end early")),
        _ => Err(broken("its packed bytes aren't deflated data")),
    }
}

/// The checksum of bytes that follow others, from the checksum of both together.
#[cfg(feature = "npy")]
pub(crate) fn sum_behind(both: u32, first: &[u8], second: u64) -> u32 {
    let mut shifted = crc32fast::Hasher::new_with_initial_len(crc32fast::hash(first), first.len() as u64);
    // Checksums are linear: one of zero adds nothing but its length.
    shifted.combine(&crc32fast::Hasher::new_with_initial_len(0, second));
    both ^ shifted.finalize()
}
