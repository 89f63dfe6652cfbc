//! PyTorch's modules of functions: [`linalg`], [`fft`], [`special`] and [`signal`]. A line for each function: its operation, its arguments by their kinds, and what
//! types know of the results.

pub mod fft;
pub mod linalg;
pub mod signal;
pub mod special;

use crate::tensor::declared::{argument, kind};

/// Functions of a tensor over the dtypes of one kind.
macro_rules! functions {
    (over $Kind:path: $($(#[$comment:meta])* $function:ident $name:ident($($kind:ident $argument:ident),*) -> $Result:ty, $errors:literal;)+) => { $(
        $(#[$comment])*
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $name<E: $Kind, S: Shape>(x: &Tensor<E, S> $(, $argument: kind!($kind))*) -> Result<$Result> {
            made(Function::$function, &[x.raw().into() $(, argument!($kind $argument))*])
        }
    )+ };
}

use functions;
