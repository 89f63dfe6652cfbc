//! PyTorch's modules of functions: [`linalg`] and [`fft`]. A line for each function: its operation, its arguments by their kinds, and what
//! types know of the results.

pub mod fft;
pub mod linalg;

use crate::call::Outcome;
use crate::element::Element;
use crate::error::Result;
use crate::shape::Shape;
use crate::tensor::Tensor;
use crate::tensor::declared::{argument, kind};

/// A result whose type the rules have proved.
pub(crate) trait Given: Sized {
    /// What a call has given.
    fn given(outcome: Outcome) -> Result<Self>;
}

impl<E: Element, S: Shape> Given for Tensor<E, S> {
    fn given(outcome: Outcome) -> Result<Self> {
        outcome.one().map(Self::proved)
    }
}

/// Results of several tensors, which are as many as the schema says.
macro_rules! given {
    ($($count:literal: $($tensor:ident $E:ident $S:ident),+;)+) => { $(
        impl<$($E: Element, $S: Shape),+> Given for ($(Tensor<$E, $S>,)+) {
            fn given(outcome: Outcome) -> Result<Self> {
                let [$($tensor),+] = outcome.exactly::<$count>()?;
                Ok(($(Tensor::proved($tensor),)+))
            }
        }
    )+ };
}

given! {
    2: first A S, second B T;
    3: first A S, second B T, third C U;
    4: first A S, second B T, third C U, fourth D V;
}

/// Functions of a tensor over the dtypes of one kind.
macro_rules! functions {
    (over $Kind:path: $($(#[$comment:meta])* $function:ident $name:ident($($kind:ident $argument:ident),*) -> $Result:ty, $errors:literal;)+) => { $(
        $(#[$comment])*
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $name<E: $Kind, S: Shape>(x: &Tensor<E, S> $(, $argument: kind!($kind))*) -> Result<$Result> {
            Given::given(run(Call::new(Function::$function, &[x.raw().into() $(, argument!($kind $argument))*]))?)
        }
    )+ };
}

use functions;
