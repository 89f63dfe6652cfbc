//! What a name of a program can hold and an argument can be.

use std::cell::RefCell;
use std::rc::Rc;

use latten::Device;
use latten::MemoryFormat;
use latten::Outcome;
use latten::Scalar;
use latten::SparseTensor;
use latten::prelude::*;
use latten::random::{Fork, Generator};
use latten::storage::{TypedStorage, UntypedStorage};

use crate::errors::Failure;

/// A tensor, a storage, a number, or what else a program passes around.
#[derive(Debug)]
pub enum Value {
    /// Python's `None`.
    None,
    /// A flag, or a truth.
    Bool(bool),
    /// A dimension, an index, a size.
    Int(i128),
    /// A float that belongs to no tensor.
    Float(f64),
    /// A number as an operand, or the element of a tensor.
    Number(Scalar),
    /// A string.
    Text(String),
    /// A dtype.
    DType(DType),
    /// A memory format.
    Format(MemoryFormat),
    /// A device.
    Device(Device),
    /// A tensor.
    Tensor(DynTensor),
    /// A sparse tensor.
    Sparse(Box<SparseTensor>),
    /// A storage of bytes.
    Untyped(UntypedStorage),
    /// A storage with a dtype.
    Typed(TypedStorage),
    /// A source of random numbers.
    Generator(Generator),
    /// What ends a fork of the default one.
    Fork(Rc<RefCell<Option<Fork>>>),
    /// A list or a tuple.
    List(Vec<Self>),
}

impl Value {
    /// Another handle of the same: tensors and storages are shared.
    #[must_use]
    pub fn alias(&self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Bool(x) => Self::Bool(*x),
            Self::Int(x) => Self::Int(*x),
            Self::Float(x) => Self::Float(*x),
            Self::Number(x) => Self::Number(*x),
            Self::Text(x) => Self::Text(x.clone()),
            Self::DType(x) => Self::DType(*x),
            Self::Format(x) => Self::Format(*x),
            Self::Device(x) => Self::Device(*x),
            Self::Tensor(x) => Self::Tensor(x.alias()),
            Self::Sparse(x) => Self::Sparse(x.clone()),
            Self::Untyped(x) => Self::Untyped(x.clone()),
            Self::Typed(x) => Self::Typed(x.clone()),
            Self::Generator(x) => Self::Generator(x.clone()),
            Self::Fork(x) => Self::Fork(x.clone()),
            Self::List(x) => Self::List(x.iter().map(Self::alias).collect()),
        }
    }

    /// The storage of a tensor or a storage.
    #[must_use]
    pub fn storage(&self) -> Option<&UntypedStorage> {
        match self {
            Self::Tensor(x) => Some(x.untyped_storage()),
            Self::Untyped(x) => Some(x),
            Self::Typed(x) => Some(x.untyped()),
            _ => None,
        }
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// What a call by name gives.
impl TryFrom<Outcome> for Value {
    type Error = Failure;

    fn try_from(outcome: Outcome) -> Result<Self, Failure> {
        Ok(match outcome {
            Outcome::Nothing => Self::None,
            Outcome::Tensor(_) => outcome.tensor()?.into(),
            Outcome::Tensors(_) | Outcome::Pair(_) => outcome.tensors()?.into(),
            Outcome::Sparse(_) => outcome.sparse()?.into(),
            Outcome::Number(number) => number.into(),
            Outcome::Int(number) => number.into(),
            Outcome::Ints(numbers) => numbers.into(),
            Outcome::Flag(flag) => flag.into(),
            Outcome::DType(dtype) => dtype.into(),
            other => return Err(Failure::Unsupported(format!("{other:?} as a value"))),
        })
    }
}

macro_rules! values {
    ($($variant:ident($from:ty) = $convert:expr;)+) => { $(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                let convert: fn($from) -> Self = $convert;
                convert(value)
            }
        }
    )+ };
}

values! {
    None(()) = |()| Self::None;
    Bool(bool) = Self::Bool;
    Int(i128) = Self::Int;
    Int(i64) = |x| Self::Int(x.into());
    Int(u32) = |x| Self::Int(x.into());
    Int(u8) = |x| Self::Int(x.into());
    Int(usize) = |x| Self::Int(i128::try_from(x).unwrap_or(i128::MAX));
    Float(f64) = Self::Float;
    Number(Scalar) = Self::Number;
    Text(String) = Self::Text;
    Text(&str) = |x| Self::Text(x.to_owned());
    DType(DType) = Self::DType;
    Format(MemoryFormat) = Self::Format;
    Device(Device) = Self::Device;
    Tensor(DynTensor) = Self::Tensor;
    Sparse(SparseTensor) = |x| Self::Sparse(Box::new(x));
    Untyped(UntypedStorage) = Self::Untyped;
    Typed(TypedStorage) = Self::Typed;
    List(&[usize]) = |x| x.to_vec().into();
}
