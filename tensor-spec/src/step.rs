//! One step of an elementwise expression when all about it is decided: an operation or a conversion, where its arguments come from, and the
//! dtypes on the way. Plans make steps, blocks of kernels run them, and the text of CUDA kernels is written from them.

use crate::DType;

/// Operations have no more operands, and no more parameters.
pub const MOST: usize = 3;

/// What a step computes with; numbers are an `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument<N> {
    /// An operand of the program.
    Operand(usize),
    /// The result of an earlier step.
    Step(usize),
    /// A number without dtype.
    Number(N),
    /// The place of the element in the output, in row-major order: to promotion an `i64` without dimensions.
    Index,
}

/// An operation, an `O`, on arguments that have their dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task<O, N> {
    /// Which.
    pub operation: O,
    /// Its parameters.
    pub params: [Option<N>; MOST],
    /// What it computes in.
    pub computing: DType,
    /// What it gives, before that is rounded to the result's dtype.
    pub gives: DType,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step<O, N> {
    /// Without one, the step converts its first argument.
    pub task: Option<Task<O, N>>,
    /// The arguments, what each is rounded to on its way, and what the operation takes.
    pub arguments: [Option<(Argument<N>, [DType; 2])>; MOST],
    /// The dtype of the result.
    pub result: DType,
}

impl<O: Copy, N: Copy> Step<O, N> {
    /// A conversion.
    pub fn conversion(argument: Argument<N>, through: DType, result: DType) -> Self {
        Self { task: None, arguments: [Some((argument, [through, result])), None, None], result }
    }

    /// The arguments, with the dtypes on their way.
    pub fn arguments(&self) -> impl Iterator<Item = (Argument<N>, [DType; 2])> + '_ {
        self.arguments.iter().copied().flatten()
    }

    /// Whether it takes the places of elements.
    pub fn counts(&self) -> bool {
        self.arguments().any(|(argument, _)| matches!(argument, Argument::Index))
    }

    /// The parameters.
    pub fn params(&self) -> impl Iterator<Item = N> + '_ {
        self.task.iter().flat_map(|task| task.params).flatten()
    }

    /// The same step with other arguments.
    pub fn with_arguments(mut self, other: impl Fn(Argument<N>) -> Argument<N>) -> Self {
        self.arguments = self.arguments.map(|argument| argument.map(|(argument, dtypes)| (other(argument), dtypes)));
        self
    }
}

/// A number of the language is one of a program.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl<N: From<$number>> From<$number> for Argument<N> {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}

numbers!(bool, u8, u16, u32, u64, usize, u128, i8, i16, i32, i64, isize, i128, f32, f64);
