//! Memory for work beside tensors. What depends on a tensor's size is asked for here, so that a refusal is an error and no abort.

use std::sync::OnceLock;

use crate::error::{Error, Result};

/// An empty list with room for that many items.
///
/// # Errors
/// Where there is no memory for them.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    reserve(&mut items, count)?;
    Ok(items)
}

/// Empties a list, and makes room there for that many items.
///
/// # Errors
/// As [`room`].
pub(crate) fn reserve<T>(items: &mut Vec<T>, count: usize) -> Result<()> {
    items.clear();
    claim(items, count)
}

/// A list of that many equal items.
///
/// # Errors
/// As [`room`].
pub(crate) fn filled<T: Clone>(count: usize, item: T) -> Result<Vec<T>> {
    let mut items = Vec::new();
    refill(&mut items, count, item)?;
    Ok(items)
}

/// Puts that many equal items in place of those of a list.
///
/// # Errors
/// As [`room`].
pub(crate) fn refill<T: Clone>(items: &mut Vec<T>, count: usize, item: T) -> Result<()> {
    items.clear();
    enlarge(items, count, item)
}

/// Puts equal items behind those of a list until it has that many.
///
/// # Errors
/// As [`room`].
pub(crate) fn enlarge<T: Clone>(items: &mut Vec<T>, count: usize, item: T) -> Result<()> {
    claim(items, count - items.len())?;
    items.resize(count, item);
    Ok(())
}

fn claim<T>(items: &mut Vec<T>, more: usize) -> Result<()> {
    items.try_reserve_exact(more).map_err(|_| refused(more.saturating_mul(size_of::<T>())))
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
