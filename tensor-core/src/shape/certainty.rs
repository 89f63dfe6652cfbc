//! What a method gives that types may have proved: the result itself where they have, else a `Result`.

use crate::error::{Result, proved};

/// Whether types have proved that a call can't fail: [`Certain`] or [`Checked`].
pub trait Certainty {
    /// A result as it is given.
    type Given<T>;
    /// What is known of two things together.
    type And<Other: Certainty>: Certainty;

    /// The result, as it is given.
    #[track_caller]
    fn give<T>(result: Result<T>) -> Self::Given<T>;
}

/// Types have proved it: the result is given itself.
#[derive(Clone, Copy, Debug)]
pub enum Certain {}

/// The run has to look: a `Result` is given.
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
