//! How strict promotion is, for the code that a guard covers: PyTorch's rules, or none, for code that must not widen silently.

use std::cell::Cell;
use std::marker::PhantomData;

use latten_spec::{DType, Level, promote_levels};

use crate::error::{Error, Result};

/// What happens where operands have different dtypes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// They promote, as in PyTorch.
    #[default]
    PyTorch,
    /// They are an error: tensors must have one dtype, and a number must not change it.
    NoPromotion,
}

thread_local! {
    static STRICTNESS: Cell<Strictness> = const { Cell::new(Strictness::PyTorch) };
}

/// Keeps a strictness in this thread until it is dropped.
#[derive(Debug)]
#[must_use = "the strictness ends with the guard"]
pub struct StrictnessGuard {
    before: Strictness,
    thread: PhantomData<*const ()>,
}

impl Drop for StrictnessGuard {
    fn drop(&mut self) {
        STRICTNESS.set(self.before);
    }
}

/// Sets the strictness of this thread while the guard lives.
pub fn scope(strictness: Strictness) -> StrictnessGuard {
    StrictnessGuard { before: STRICTNESS.replace(strictness), thread: PhantomData }
}

/// Mixed dtypes are an error while the guard lives.
pub fn no_promotion() -> StrictnessGuard {
    scope(Strictness::NoPromotion)
}

/// The strictness of this thread.
#[must_use]
pub fn current() -> Strictness {
    STRICTNESS.get()
}

/// The dtype that operands promote to, if they may.
pub(crate) fn promote(operands: impl Iterator<Item = (Level, DType)> + Clone) -> Result<DType> {
    let promoted = promote_levels(operands.clone())?;
    if current() == Strictness::PyTorch {
        return Ok(promoted);
    }
    match operands.into_iter().find(|&(level, dtype)| level != Level::Wrapped && dtype != promoted) {
        Some((_, dtype)) => {
            let (from, to) = (dtype.message_name(), promoted.message_name());
            Err(Error::runtime(format!("no_promotion: {from} would be promoted to {to}; convert the operands first")))
        }
        None => Ok(promoted),
    }
}
