//! The numbers that an operation takes beside its operands.

use latten_spec::DType;
use latten_spec::operation::Row;
use latten_spec::step::MOST;
use smallvec::SmallVec;

use crate::dtype::finfo;
use crate::error::Result;
use crate::scalar::Scalar;

/// Parameters of an operation, in the order of its row; what is left out has the row's default.
#[derive(Clone, Debug, Default)]
pub struct Params(SmallVec<[Option<Scalar>; 3]>);

impl Params {
    /// No parameters.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The first parameter: `alpha`, `value`, `decimals`.
    #[must_use]
    pub fn one(number: impl Into<Scalar>) -> Self {
        Self(SmallVec::from_iter([Some(number.into())]))
    }

    /// All of them, where some may be left out.
    #[must_use]
    pub fn all(numbers: &[Option<Scalar>]) -> Self {
        Self(SmallVec::from_slice(numbers))
    }

    /// Those that are given.
    pub(super) fn given(&self) -> impl Iterator<Item = Scalar> {
        self.0.iter().copied().flatten()
    }

    /// Whether all have their defaults.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether they are what they are without being given.
    pub(super) fn are_defaults(&self, row: &Row) -> bool {
        self.0.iter().zip(row.params).all(|(given, &(_, default))| given.is_none_or(|given| given == default))
    }

    /// Whether all are the same, to the bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let one = |(left, right): (&Option<Scalar>, &Option<Scalar>)| match (left, right) {
            (Some(left), Some(right)) => left.is_same(*right),
            _ => left.is_none() && right.is_none(),
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(one)
    }

    pub(super) fn get(&self, index: usize) -> Option<Scalar> {
        self.0.get(index).copied().flatten()
    }

    /// The numbers that the kernel takes.
    pub(crate) fn numbers(&self, row: &Row, result: DType) -> Result<[Option<Scalar>; MOST]> {
        let mut numbers = [None; MOST];
        for (i, (number, &(_, default))) in numbers.iter_mut().zip(row.params).enumerate() {
            *number = Some(match self.get(i) {
                Some(number) => number,
                None => default_number(default, result)?,
            });
        }
        Ok(numbers)
    }

    /// The numbers that the kernel takes where none is given.
    #[inline]
    pub(crate) fn defaults(row: &Row, result: DType) -> Result<[Scalar; MOST]> {
        let mut numbers = [Scalar::Bool(false); MOST];
        for (number, &(_, default)) in numbers.iter_mut().zip(row.params) {
            *number = default_number(default, result)?;
        }
        Ok(numbers)
    }
}

/// The largest number of all stands for that of the dtype.
#[inline]
fn default_number(default: f64, result: DType) -> Result<Scalar> {
    let is_largest = default.abs() == f64::MAX && result.to_real().is_floating_point();
    Ok(Scalar::Float(if is_largest { finfo(result.to_real())?.max.copysign(default) } else { default }))
}
