//! The kernels that a device has loaded. Who finds and makes them is in `library`.

use std::collections::HashMap;

use latten_kernel::kernels::keys::Key;
use latten_kernel::kernels::source::{Recipe, Walk};

use super::driver::Handle;

/// A kernel that is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    pub(super) functions: [Handle; 3],
    /// Elements that a thread takes at a time, where they lie side by side.
    pub(crate) width: usize,
}

impl Kernel {
    /// The function of one walk.
    pub(crate) fn function(&self, walk: Walk) -> Handle {
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
    pub(super) by_key: HashMap<Key, Kernel>,
    pub(super) by_recipe: HashMap<Recipe, Kernel>,
    pub(super) by_stem: HashMap<String, Kernel>,
    /// Modules of packs that are loaded, by where they begin.
    pub(super) packed: HashMap<usize, Handle>,
    /// Modules that were compiled in this process, and those that came from packs and from disk.
    pub(crate) compiled: usize,
    pub(crate) loaded: usize,
}
