//! What tensors over the same memory share beside it: how often it was changed through them, and what those that began without a history are
//! views of. What that is only `raw` knows; bytes don't depend on it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::{Special, UntypedStorage};
use crate::process::locked;

/// Whatever the tensors of a lineage have in common.
pub(crate) type LineageData = Arc<dyn Any + Send + Sync>;

/// What the tensors over one memory share. Tensors that were told to count for themselves have one of their own.
#[derive(Default)]
pub(crate) struct Lineage {
    version: AtomicU64,
    has_common: AtomicBool,
    common: Mutex<Option<LineageData>>,
}

impl Lineage {
    /// How often the memory was changed.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Nothing was changed yet, of a memory that nobody has.
    pub(super) fn begin_again(&self) {
        self.version.store(0, Ordering::Relaxed);
    }

    /// Counts a change.
    pub(crate) fn count(&self) {
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there is anything in common.
    #[inline]
    pub(crate) fn has_common(&self) -> bool {
        self.has_common.load(Ordering::Relaxed)
    }

    /// What there is in common.
    pub(crate) fn common(&self) -> Option<LineageData> {
        if self.has_common() { locked(&self.common).clone() } else { None }
    }

    /// Sets what there is in common.
    pub(crate) fn set_common(&self, common: LineageData) {
        let before = locked(&self.common).replace(common);
        self.has_common.store(true, Ordering::Relaxed);
        drop(before);
    }
}

impl UntypedStorage {
    /// What this handle shares with others.
    #[inline]
    pub(crate) fn lineage(&self) -> &Lineage {
        self.special.as_ref().and_then(|special| special.own.as_deref()).unwrap_or(&self.cell.lineage)
    }

    /// Whether nobody else holds a handle of the memory.
    pub(crate) fn is_held_once(&self) -> bool {
        Arc::strong_count(&self.cell) == 1 && self.window().is_none()
    }

    /// Another handle of the same memory, whose changes are counted apart, from 0.
    pub(crate) fn counted_apart(&self) -> Self {
        Self { cell: self.cell.clone(), special: Some(Arc::new(Special { window: self.window(), own: Some(Arc::default()) })) }
    }
}
