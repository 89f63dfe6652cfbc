//! The kernels that a device has loaded. Who finds and makes them is in `library`.

use std::collections::HashMap;

use latten_kernel::kernels::keys::Key;
use latten_kernel::kernels::source::{MOST_WALKS, Recipe, WalkKind};

use super::driver::Handle;

/// A kernel that is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadedKernel {
    pub(super) functions: [Handle; MOST_WALKS],
    /// Elements that a thread takes at a time, where they lie side by side.
    pub(crate) width: usize,
}

impl LoadedKernel {
    /// The function of one walk.
    pub(crate) fn function(&self, walk: WalkKind) -> Handle {
        self.functions[walk as usize]
    }

    /// The function of one walk of another family, by its number among the walks of the unit.
    pub(crate) fn numbered(&self, walk: usize) -> Handle {
        self.functions[walk]
    }
}

/// The kernels that a device has loaded.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(super) by_key: HashMap<Key, LoadedKernel>,
    pub(super) by_recipe: HashMap<Recipe, LoadedKernel>,
    pub(super) by_stem: HashMap<String, LoadedKernel>,
    /// Modules of packs that are loaded, by where they begin.
    pub(super) packed: HashMap<usize, Handle>,
    /// Modules that were compiled in this process, and those that came from packs and from disk.
    pub(crate) compiled: usize,
    pub(crate) loaded: usize,
}
