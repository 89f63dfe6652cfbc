//! What calls give: tensors mostly, and what else there is to know of tensors.

use latten_spec::DType;
use smallvec::{SmallVec, smallvec};

use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::sparse::RawSparse;

/// What a call gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing: the call has changed a tensor.
    Nothing,
    /// A tensor.
    Tensor(RawTensor),
    /// Several tensors.
    Tensors(Vec<RawTensor>),
    /// Values, and where they are.
    Pair(Box<(RawTensor, RawTensor)>),
    /// A sparse tensor.
    Sparse(Box<RawSparse>),
    /// A number.
    Number(Scalar),
    /// An integer.
    Int(i64),
    /// Several integers.
    Ints(Vec<i64>),
    /// True or false.
    Flag(bool),
    /// A dtype.
    DType(DType),
}

impl Outcome {
    /// Sizes or strides.
    #[expect(clippy::cast_possible_wrap, reason = "sizes of tensors are below isize::MAX")]
    pub(crate) fn ints(numbers: &[usize]) -> Self {
        Self::Ints(numbers.iter().map(|&number| number as i64).collect())
    }

    /// The tensors in it.
    pub(super) fn tensors_mut(&mut self) -> SmallVec<[&mut RawTensor; 2]> {
        match self {
            Self::Tensor(tensor) => smallvec![tensor],
            Self::Tensors(tensors) => tensors.iter_mut().collect(),
            Self::Pair(pair) => smallvec![&mut pair.0, &mut pair.1],
            _ => SmallVec::new(),
        }
    }

    /// Two tensors.
    pub(crate) fn pair_of(pair: (RawTensor, RawTensor)) -> Self {
        Self::Pair(Box::new(pair))
    }

    /// The tensor that the call has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn one(self) -> Result<RawTensor> {
        match self {
            Self::Tensor(tensor) => Ok(tensor),
            other => Err(other.unexpected("one tensor")),
        }
    }

    /// The tensors that it has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn several(self) -> Result<Vec<RawTensor>> {
        match self {
            Self::Tensors(tensors) => Ok(tensors),
            Self::Pair(pair) => Ok(vec![pair.0, pair.1]),
            other => Err(other.unexpected("several tensors")),
        }
    }

    /// As many tensors as the schema says.
    pub(crate) fn exactly<const N: usize>(self) -> Result<[RawTensor; N]> {
        self.several()?.try_into().map_err(|found: Vec<_>| Self::Tensors(found).unexpected("as many tensors as its schema says"))
    }

    /// The two tensors that it has given.
    ///
    /// # Errors
    /// Where it gives something else.
    pub fn pair(self) -> Result<(RawTensor, RawTensor)> {
        match self {
            Self::Pair(pair) => Ok(*pair),
            other => Err(other.unexpected("two tensors")),
        }
    }

    /// The sparse tensor that it has given.
    pub(crate) fn sparse_tensor(self) -> Result<RawSparse> {
        match self {
            Self::Sparse(tensor) => Ok(*tensor),
            other => Err(other.unexpected("a sparse tensor")),
        }
    }

    /// Whether the answer is yes.
    ///
    /// # Errors
    /// Where it isn't that kind of answer.
    pub fn flag(self) -> Result<bool> {
        match self {
            Self::Flag(flag) => Ok(flag),
            other => Err(other.unexpected("a flag")),
        }
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Error {
        let given = match &self {
            Self::Nothing => "nothing".to_owned(),
            Self::Tensor(tensor) => format!("one tensor of size {:?}", tensor.sizes()),
            Self::Tensors(tensors) => format!("{} tensors", tensors.len()),
            Self::Pair(_) => "two tensors".to_owned(),
            Self::Sparse(_) => "a sparse tensor".to_owned(),
            Self::Number(number) => format!("the number {number}"),
            Self::Int(number) => format!("the integer {number}"),
            Self::Ints(numbers) => format!("the integers {numbers:?}"),
            Self::Flag(flag) => format!("{flag}"),
            Self::DType(dtype) => format!("the dtype {dtype}"),
        };
        Error::type_error(format!("the call gives {given}, not {wanted}"))
    }
}

/// What functions return, as an outcome.
pub(super) trait Answer {
    fn answer(self) -> Result<Outcome>;
}

impl<T: Answer> Answer for Result<T> {
    fn answer(self) -> Result<Outcome> {
        self?.answer()
    }
}

macro_rules! answers {
    ($($type:ty = $value:expr;)+) => { $(
        impl Answer for $type {
            fn answer(self) -> Result<Outcome> {
                let convert: fn($type) -> Outcome = $value;
                Ok(convert(self))
            }
        }
    )+ };
}

answers! {
    Outcome = |outcome| outcome;
    () = |()| Outcome::Nothing;
    RawTensor = Outcome::Tensor;
    Vec<RawTensor> = Outcome::Tensors;
    (RawTensor, RawTensor) = Outcome::pair_of;
    RawSparse = |tensor| Outcome::Sparse(Box::new(tensor));
    Scalar = Outcome::Number;
    bool = Outcome::Flag;
    DType = Outcome::DType;
    usize = |number| Outcome::Int(i64::try_from(number).unwrap_or(i64::MAX));
}

/// What functions return that make one tensor.
pub(super) trait OneAnswer {
    fn one_answer(self) -> Result<RawTensor>;
}

impl OneAnswer for RawTensor {
    fn one_answer(self) -> Result<RawTensor> {
        Ok(self)
    }
}

impl OneAnswer for Result<RawTensor> {
    #[inline]
    fn one_answer(self) -> Result<RawTensor> {
        self
    }
}

impl OneAnswer for Result<Outcome> {
    fn one_answer(self) -> Result<RawTensor> {
        self?.one()
    }
}
