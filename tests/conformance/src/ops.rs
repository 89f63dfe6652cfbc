//! PyTorch's names of operations onto latten's public functions, by theme. No theme checks what the library checks.

mod convert;
mod create;
mod elementwise;
mod indexing;
mod product;
mod properties;
mod random;
mod reduce;
mod sparse;
mod storage;
mod views;

use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;

type Theme = fn(&str, &mut Arguments) -> Outcome;

/// The first one that knows the call makes it.
const THEMES: [Theme; 11] = [
    random::call,
    sparse::call,
    properties::call,
    storage::call,
    create::call,
    convert::call,
    views::call,
    indexing::call,
    reduce::call,
    product::call,
    elementwise::call,
];

/// Makes a call by PyTorch's name of the operation.
///
/// # Errors
/// latten's, and [`Failure::Unsupported`] where no theme knows the call with these arguments.
pub(crate) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let mut why = unknown(op);
    for theme in THEMES {
        args.reset();
        match theme(op, args) {
            Err(Failure::Unsupported(reason)) if reason.is_empty() => {}
            Err(Failure::Unsupported(reason)) => why = Failure::Unsupported(format!("{op} with {reason}")),
            // Who fails needs not look at every argument.
            Ok(value) => {
                return match args.unused() {
                    Some(argument) => Err(Failure::Unsupported(format!("{op} with {argument}"))),
                    None => Ok(value),
                };
            }
            failed => return failed,
        }
    }
    match why {
        Failure::Unsupported(reason) if reason.is_empty() => Err(Failure::Unsupported(op.to_owned())),
        why => Err(why),
    }
}

/// What a theme says to an operation of another theme.
fn unknown(_: &str) -> Failure {
    Failure::Unsupported(String::new())
}
