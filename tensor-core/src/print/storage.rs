//! Storages as PyTorch prints them: one element a line, as Python writes numbers, and a line about the whole.

use std::fmt::{self, Display};

use super::number::element_repr;
use crate::device::DeviceType;
use crate::element::Element;
use crate::error::Result;
use crate::storage::{TypedStorage, UntypedStorage};

/// As PyTorch prints it. Where the bytes can't be read, as below a mutable slice of this thread, the reason stands in
/// their place.
impl Display for UntypedStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || Ok(self.tolist()?.iter().map(u8::to_string).collect());
        write!(f, "{}\n[{}(device={}) of size {}]", listed(self, lines), self.type_name(), self.device(), self.nbytes())
    }
}

/// As PyTorch prints it, with the reason in the place of numbers that can't be read.
impl<E: Element> Display for TypedStorage<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || Ok(self.scalars()?.into_iter().map(|number| element_repr(self.dtype(), number)).collect());
        write!(f, "{}\n{self:?}", listed(self.untyped(), lines))
    }
}

fn listed(storage: &UntypedStorage, lines: impl FnOnce() -> Result<Vec<String>>) -> String {
    if storage.device().kind() == DeviceType::Meta {
        return "...".to_owned();
    }
    match lines() {
        Ok(lines) => format!(" {}", lines.join("\n ")),
        Err(error) => format!(" {error}"),
    }
}
