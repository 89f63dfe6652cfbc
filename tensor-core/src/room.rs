//! Memory for work beside tensors. What depends on a tensor's size is asked for here, so that a refusal is an error and no abort.

use std::sync::OnceLock;

use crate::error::{Error, Result};

/// An empty list with room for that many items.
///
/// # Errors
/// Where there is no memory for them.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    match items.try_reserve_exact(count) {
        Ok(()) => Ok(items),
        Err(_) => Err(refused(count.saturating_mul(size_of::<T>()))),
    }
}

/// A list of that many equal items.
///
/// # Errors
/// As [`room`].
pub(crate) fn filled<T: Clone>(count: usize, item: T) -> Result<Vec<T>> {
    let mut items = room(count)?;
    items.resize(count, item);
    Ok(items)
}

/// A list of what comes, which says itself how many that are.
///
/// # Errors
/// As [`room`].
pub(crate) fn listed<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut list = room(items.len())?;
    list.extend(items);
    Ok(list)
}

/// What threads of one operation were refused: the first refusal counts.
#[derive(Default)]
pub(crate) struct Refused(OnceLock<Error>);

impl Refused {
    pub(crate) fn note(&self, outcome: Result<()>) {
        if let Err(error) = outcome {
            let _ = self.0.set(error);
        }
    }

    /// # Errors
    /// What was noted.
    pub(crate) fn answer(self) -> Result<()> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}

/// The text that storages have for it, too.
fn refused(nbytes: usize) -> Error {
    Error::runtime(format!("there is no memory for {nbytes} bytes beside the tensors"))
}
