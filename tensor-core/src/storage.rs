//! Storages: bytes on a device that any number of tensors share.
//!
//! [`UntypedStorage`] is the bytes, [`TypedStorage`] the same bytes as numbers of one dtype. Start with `untyped`; whoever
//! computes on the bytes needs `access`, below which are `lock` and `held`. `memory`, `block`, `pool`, `share`, `mapping`, `mapped`, `file` and `shared` are where bytes come from,
//! `buffer` and `number` how they are read as numbers, `slices` and `parts` how they are lent, `workspace` what operations need beside them, `borrowed` how numbers of the user's are, `moving` how bytes change size and place.

mod access;
mod block;
mod borrowed;
mod buffer;
mod elements;
mod file;
mod fresh;
mod held;
mod legacy;
mod lineage;
mod lock;
mod mapped;
mod mapping;
mod memory;
mod moving;
mod number;
mod parts;
mod pool;
mod share;
mod shared;
mod slices;
mod sync;
mod typed;
mod untyped;
mod workspace;

use std::fmt;
use std::sync::Arc;

#[allow(unused_imports, reason = "for the kernels, which see bytes only here")]
pub(crate) use access::{Access, Bytes, Glance, LockMode};
pub use buffer::{ByteOrder, FromBuffer};
#[cfg(target_os = "linux")]
pub use file::took_room;
pub(crate) use fresh::Fresh;
pub use legacy::*;
pub(crate) use lineage::Lineage;
pub(crate) use parts::Lease;
pub use pool::{PoolStats, pool_stats, set_pool_limit};
pub use share::empty_cache;
pub use slices::{Slice, SliceMut};
pub use typed::TypedStorage;
pub(crate) use workspace::Workspace;

use crate::device::Device;
use crate::error::{Error, Result};
use access::Cell;
use share::Share;

/// Whether writing to a mapped file changes the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// Writes stay in this process.
    Private,
    /// Writes reach the file and every process that maps it.
    Shared,
}

/// Bytes on a device, shared by any number of tensors.
///
/// A value of this type is a handle: `Clone` gives another handle of the same bytes, [`deep_clone`](Self::deep_clone) is
/// PyTorch's `clone`. Two handles are equal if they are of the same storage, whatever the bytes. Every use takes a lock, so
/// that threads may share storages freely: many may read at once, one may write.
///
/// ```
/// # use latten_core::storage::UntypedStorage;
/// let storage = UntypedStorage::from_bytes(&[1, 2, 3, 4])?;
/// let middle = storage.slice(1..3)?;
/// middle.fill_(9)?;
/// assert_eq!(storage.tolist()?, [1, 9, 9, 4]);
/// assert_eq!(middle.to_string(), " 9\n 9\n[torch.storage.UntypedStorage(device=cpu) of size 2]");
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone)]
pub struct UntypedStorage {
    cell: Share,
    /// What few handles have; in one place, so that all are small.
    special: Option<Arc<Special>>,
}

/// What a handle has that isn't simply one of all bytes of a cell.
#[derive(Default)]
struct Special {
    /// For a slice of a storage, and for what is mapped: which part of the cell's bytes it is.
    window: Option<Window>,
    /// For handles whose changes are counted apart.
    own: Option<Arc<Lineage>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    start: usize,
    nbytes: usize,
    part: Claim,
}

/// What a part of a cell's bytes is to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Slice,
    /// A storage over the first bytes of a file or of shared memory, which others may have mapped in another length.
    Mapping,
}

impl UntypedStorage {
    fn over(cell: Cell) -> Self {
        Self::whole(Share::of(Arc::new(cell)))
    }

    /// A handle of all bytes of a cell.
    fn whole(cell: Share) -> Self {
        Self { cell, special: None }
    }

    /// Another handle of the cell, of a part of its bytes, whose changes are counted where those of this one are.
    fn with_window(&self, window: Option<Window>) -> Self {
        let own = self.special.as_ref().and_then(|special| special.own.clone());
        let special = (window.is_some() || own.is_some()).then(|| Arc::new(Special { window, own }));
        Self { cell: self.cell.clone(), special }
    }

    #[inline]
    fn window(&self) -> Option<Window> {
        self.special.as_ref().and_then(|special| special.window)
    }

    fn cell(&self) -> &Cell {
        &self.cell
    }

    fn start(&self) -> *mut u8 {
        self.cell.start().wrapping_add(self.window_start())
    }

    /// Under the lock: that the storage below a slice still has its bytes.
    fn check_window(&self) -> Result<()> {
        let Some(Window { start, nbytes, .. }) = self.window() else { return Ok(()) };
        let (end, below) = (start + nbytes, self.cell.nbytes());
        if end <= below {
            return Ok(());
        }
        Err(Error::runtime(format!("the storage below this slice was resized to {below} bytes, but the slice ends at byte {end}")))
    }

    /// The size in bytes.
    #[must_use]
    #[inline]
    pub fn nbytes(&self) -> usize {
        match self.window() {
            Some(window) => window.nbytes,
            None => self.cell.nbytes(),
        }
    }

    /// Where the bytes are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.cell.device
    }

    /// The address of the first byte; 0 without bytes and on the meta device.
    #[must_use]
    pub fn data_ptr(&self) -> usize {
        let absent = self.nbytes() == 0 || self.is_meta();
        if absent { 0 } else { self.start().addr() }
    }

    /// A number that no other storage has while this one lives. Slices of a storage have its number.
    #[must_use]
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.cell).addr()
    }

    /// Whether both are the same storage. A slice of a storage is another one, though it shares bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell) && self.window() == other.window()
    }

    /// Whether both are the same storage or slices of the same one: whether writing to one can change the other.
    #[must_use]
    pub fn shares_memory(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell)
    }

    /// Whether this is a private copy of the file that the other one is: where it wasn't written to it still follows it.
    pub(crate) fn follows(&self, other: &Self) -> bool {
        self.cell.below().is_some_and(|below| std::ptr::eq(below, other.cell()))
    }

    /// For a slice of a storage: where in that one it starts.
    pub(crate) fn window_start(&self) -> usize {
        self.window().map_or(0, |window| window.start)
    }
}

/// What the storage is, without its bytes.
impl fmt::Debug for UntypedStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}(device={}) of size {} at {:#x}]", self.type_name(), self.device(), self.nbytes(), self.data_ptr())
    }
}

impl PartialEq for UntypedStorage {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for UntypedStorage {}
