//! For tests and tools: the text of kernels, compiling them without a device, and loading many of them at once.

use super::context::Context;
use latten_kernel::kernels::keys::{self, Key};
use latten_kernel::kernels::pack;
use latten_kernel::kernels::source::{self, Unit};
use latten_spec::DType;
use latten_spec::operation::Op;

use super::{FUNCTIONS, compiling, library, line};
use crate::device::IntoDevice;
use crate::error::Result;

pub use latten_kernel::nvrtc::Asked;
pub use latten_spec::operation::Trait;

/// Some kernels that belong together.
#[derive(Clone, Debug)]
pub struct Kernels(Vec<Unit>);

impl Kernels {
    fn from_keys(keys: &[Key]) -> Self {
        Self(keys.iter().map(|key| key.unit(&FUNCTIONS)).collect())
    }

    /// Those of an operation that programs ask for first: operands of one dtype, and numbers beside them.
    ///
    /// # Errors
    /// Never for the operations of the table.
    pub fn of(op: Op) -> Result<Self> {
        Ok(Self::from_keys(&keys::variants(&FUNCTIONS, op)))
    }

    /// An operation of two operands on every pair of dtypes.
    ///
    /// # Errors
    /// Never for the operations of the table.
    pub fn pairs(op: Op) -> Result<Self> {
        Ok(Self::from_keys(&keys::pairs(&FUNCTIONS, op)))
    }

    /// The conversions from one dtype to all others.
    ///
    /// # Errors
    /// Never.
    pub fn casts(from: DType) -> Result<Self> {
        Ok(Self::from_keys(&keys::casts(from)))
    }

    /// The reductions of a dtype.
    ///
    /// # Errors
    /// Never.
    pub fn folds(dtype: DType) -> Result<Self> {
        Ok(Self::from_keys(&keys::folds(dtype)))
    }

    /// What goes along one dimension of a dtype: scans, softmax, medians.
    ///
    /// # Errors
    /// Never.
    pub fn rows(dtype: DType) -> Result<Self> {
        Ok(Self::from_keys(&keys::rows(dtype)))
    }

    /// The matrix products of a dtype.
    ///
    /// # Errors
    /// Never.
    pub fn products(dtype: DType) -> Result<Self> {
        Ok(Self::from_keys(&keys::products(dtype)))
    }

    /// One element in all places, for all sizes of elements.
    ///
    /// # Errors
    /// Never.
    pub fn fills() -> Result<Self> {
        Ok(Self::from_keys(&keys::fills()))
    }

    /// What indexing and sorting need.
    ///
    /// # Errors
    /// Never.
    pub fn places() -> Result<Self> {
        Ok(Self::from_keys(&keys::places()))
    }

    /// What makes one of elements that meet at a place, of a dtype.
    ///
    /// # Errors
    /// Never.
    pub fn meets(dtype: DType) -> Result<Self> {
        Ok(Self::from_keys(&keys::meets(dtype)))
    }

    /// Only those whose symbols begin so.
    #[must_use]
    pub fn only(mut self, stem: &str) -> Self {
        self.0.retain(|unit| unit.stem.starts_with(stem));
        self
    }

    /// What they are called.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|unit| &*unit.stem)
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What NVRTC is given.
    #[must_use]
    pub fn source(&self) -> String {
        source::source(&self.0)
    }

    /// Compiles them for a compute capability, as far as is asked; needs no device, and returns the bytes of what NVRTC makes.
    ///
    /// # Errors
    /// Where there is no NVRTC, and where it refuses the text.
    pub fn compile(&self, capability: (u32, u32), asked: Asked) -> Result<usize> {
        compile(&self.source(), capability, asked)
    }

    /// Compiles them for a compute capability, as a module of a pack: `LATTEN_CUDA_PACK` names one to a program, and to the build of one with the
    /// feature `precompiled`. Packs may be put one after the other.
    ///
    /// # Errors
    /// Where there is no NVRTC, and where it refuses the text.
    pub fn pack(&self, capability: (u32, u32)) -> Result<Vec<u8>> {
        library::pack(&self.0, capability)
    }

    /// Loads them on a device, as one module.
    ///
    /// # Errors
    /// Where that can't be done.
    pub fn load(&self, device: impl IntoDevice) -> Result<()> {
        library::load(Context::of(device.into_device()?.resolved())?, &self.0).map(drop)
    }
}

/// What every text begins with.
#[must_use]
pub fn prelude() -> &'static str {
    &source::PRELUDE
}

/// One line for each operation and dtype: the device function that computes it.
#[must_use]
pub fn manifest() -> String {
    source::manifest(&FUNCTIONS)
}

/// The version of NVRTC.
///
/// # Errors
/// Where there is none.
pub fn nvrtc_version() -> Result<(i32, i32)> {
    compiling::version()
}

/// How many modules a device has compiled in this process, and how many it has taken from disk.
///
/// # Errors
/// Where there is no such device.
pub fn counts(device: impl IntoDevice) -> Result<(usize, usize)> {
    let library = Context::of(device.into_device()?.resolved())?.library.lock();
    Ok((library.compiled, library.loaded))
}

/// The hash that names kept modules.
#[must_use]
pub fn hash(parts: &[&[u8]]) -> u128 {
    pack::hash(parts)
}

/// How many texts of kernels this process has written.
#[must_use]
pub fn texts() -> usize {
    source::written()
}

/// Waits until nothing is compiled in the background, and says how many kernels were.
#[must_use]
pub fn warmed() -> usize {
    line::settled()
}

/// What the build script has put into the program: a line for each kernel, with its architecture, its key and its name. Empty without the
/// feature `precompiled`.
#[must_use]
pub fn packed() -> &'static str {
    #[cfg(feature = "precompiled")]
    return include_str!(concat!(env!("OUT_DIR"), "/cuda/pack.txt"));
    #[cfg(not(feature = "precompiled"))]
    ""
}

/// The module that a pack has for a key, if it is whole.
#[must_use]
pub fn module(key: u128) -> Option<&'static [u8]> {
    super::cache::in_packs(key)
}

/// Compiles a text for a compute capability, as far as is asked; needs no device, and returns the bytes of what NVRTC makes.
///
/// # Errors
/// Where there is no NVRTC, and where it refuses the text.
pub fn compile(text: &str, capability: (u32, u32), asked: Asked) -> Result<usize> {
    compiling::compile(text, capability, asked).map(|module| module.len())
}
