//! What a method gives that takes a dimension or sizes: the result itself where these are types, else a `Result`.

use crate::error::{Result, proved};

/// Whether an argument is a type, `axis::<1>()`, `shape![3, 2]`, or numbers of the run: [`Certain`] or [`Checked`].
pub trait Certainty {
    /// A result as it is given.
    type Given<T>;
    /// What is known of two things together.
    type And<Other: Certainty>: Certainty;

    /// The result, as it is given.
    #[track_caller]
    fn give<T>(result: Result<T>) -> Self::Given<T>;
}

/// It is a type: the result is given itself, with the error as a panic where the tensor doesn't fit.
#[derive(Clone, Copy, Debug)]
pub enum Certain {}

/// It is numbers: a `Result` is given.
#[derive(Clone, Copy, Debug)]
pub enum Checked {}

impl Certainty for Certain {
    type Given<T> = T;
    type And<Other: Certainty> = Other;

    #[track_caller]
    fn give<T>(result: Result<T>) -> T {
        proved(result)
    }
}

impl Certainty for Checked {
    type Given<T> = Result<T>;
    type And<Other: Certainty> = Self;

    fn give<T>(result: Result<T>) -> Result<T> {
        result
    }
}
