//! Memory on the host that is no storage yet. Only its owner reaches it: what is computed there needs no lock.

use super::UntypedStorage;
use super::access::Bytes;
use super::share::Share;
use crate::error::Result;

/// That many bytes of the host, whose contents are left open.
///
/// Invariant: the share is the only one of its cell.
pub(crate) struct Fresh(Share);

impl Fresh {
    /// Memory for that many bytes.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(nbytes: usize) -> Result<Self> {
        Share::fresh(nbytes).map(Self)
    }

    /// Where they are, for as long as nobody else reaches them.
    pub(crate) fn bytes(&mut self) -> Bytes {
        Bytes { start: self.0.start(), len: self.0.nbytes() }
    }

    /// The storage of these bytes.
    pub(crate) fn into_storage(self) -> UntypedStorage {
        UntypedStorage::whole(self.0)
    }
}
