//! What can go wrong when the build compiles kernels: a text, under the names that the run time's files use.

use std::fmt;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Clone, Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn runtime(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn value(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
