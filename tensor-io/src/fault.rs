//! Errors of files: what is wrong, and around it where: the entry, the file.

use std::fmt::Display;
use std::io;

use latten_core::error::{Error, ErrorKind, Result};

/// What is wrong with a file's content.
pub(crate) fn broken(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::Runtime, text)
}

/// What the system refused.
pub(crate) fn refused(what: &str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("{what}: {error}"))
}

/// What a format or this build doesn't have.
pub(crate) fn unsupported(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::NotImplemented, text)
}

/// Says where an error is.
pub(crate) trait Within {
    /// Puts the place before the message.
    fn within(self, place: impl Display) -> Self;
}

impl<T> Within for Result<T> {
    fn within(self, place: impl Display) -> Self {
        self.map_err(|error| Error::new(error.kind(), format!("{place}: {}", error.message())))
    }
}
