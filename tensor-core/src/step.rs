//! One step of an elementwise expression when all about it is decided: an operation or a conversion, where its arguments come from, and the
//! dtypes on the way. Plans make steps, blocks of kernels run them, and the text of CUDA kernels is written from them. Pure: the build
//! script includes this file.

use latten_spec::DType;

/// Operations have no more operands, and no more parameters.
pub(crate) const MOST: usize = 3;

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
pub(crate) struct Task<O, N> {
    /// Which.
    pub(crate) operation: O,
    /// Its parameters.
    pub(crate) params: [Option<N>; MOST],
    /// What it computes in.
    pub(crate) computing: DType,
    /// What it gives, before that is rounded to the result's dtype.
    pub(crate) gives: DType,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step<O, N> {
    /// Without one, the step converts its first argument.
    pub(crate) task: Option<Task<O, N>>,
    /// The arguments, what each is rounded to on its way, and what the operation takes.
    pub(crate) arguments: [Option<(Argument<N>, [DType; 2])>; MOST],
    /// The dtype of the result.
    pub(crate) result: DType,
}

impl<O: Copy, N: Copy> Step<O, N> {
    /// A conversion.
    pub(crate) fn conversion(argument: Argument<N>, through: DType, result: DType) -> Self {
        Self { task: None, arguments: [Some((argument, [through, result])), None, None], result }
    }

    /// The arguments, with the dtypes on their way.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (Argument<N>, [DType; 2])> + '_ {
        self.arguments.iter().copied().flatten()
    }

    /// Whether it takes the places of elements.
    pub(crate) fn counts(&self) -> bool {
        self.arguments().any(|(argument, _)| matches!(argument, Argument::Index))
    }

    /// The parameters.
    pub(crate) fn params(&self) -> impl Iterator<Item = N> + '_ {
        self.task.iter().flat_map(|task| task.params).flatten()
    }

    /// The same step with other arguments.
    pub(crate) fn with_arguments(mut self, other: impl Fn(Argument<N>) -> Argument<N>) -> Self {
        self.arguments = self.arguments.map(|argument| argument.map(|(argument, dtypes)| (other(argument), dtypes)));
        self
    }
}
