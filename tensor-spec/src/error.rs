//! The one error of the library: PyTorch's kind of exception and PyTorch's words where it has words.

use std::fmt;

/// What went wrong, in the classes that PyTorch raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A rule of tensors was broken: shapes, casts, devices (`RuntimeError`).
    Runtime,
    /// An index or a dimension out of range (`IndexError`).
    Index,
    /// An operand of a kind that the operation doesn't take (`TypeError`).
    Type,
    /// An argument outside its domain (`ValueError`).
    Value,
    /// An operation that the dtype, the layout or the device doesn't have (`NotImplementedError`).
    NotImplemented,
    /// The operating system refused.
    Io,
}

/// An error of the library. Its `Display` is one message, naming the operation, the rule and both values.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<(ErrorKind, String)>);

/// What fallible functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of that kind with that message.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new((kind, message.into())))
    }

    /// PyTorch's `RuntimeError` with that message.
    #[must_use]
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Runtime, message)
    }

    /// PyTorch's `IndexError` with that message.
    #[must_use]
    pub fn index(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Index, message)
    }

    /// PyTorch's `TypeError` with that message.
    #[must_use]
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Type, message)
    }

    /// PyTorch's `ValueError` with that message.
    #[must_use]
    pub fn value(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Value, message)
    }

    /// PyTorch's `NotImplementedError` with that message.
    #[must_use]
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotImplemented, message)
    }

    /// A file or the system refused, with that message.
    #[must_use]
    pub fn io(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, message)
    }

    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.0
    }

    /// The text that `Display` prints.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind(), self.message())
    }
}

impl std::error::Error for Error {}

/// What the system says of a file, so that `?` takes it in a function that returns this error.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::io(error.to_string())
    }
}

/// What operators do with an error: they panic at the line that wrote the operator, with its text.
#[track_caller]
pub fn proved<T>(outcome: Result<T>) -> T {
    match outcome {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
