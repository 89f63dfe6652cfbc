//! What files hold: tensors, and the lists, dicts and numbers around them, as a tree that shares what is mentioned twice.
//!
//! Files can nest values deeply, and share them so that a walk of all paths never ends. So nothing here recurses, and comparing and
//! printing take each shared part once or stop. How a value is dropped, compared and printed is in `walk`, access by name in `access`.

mod access;
mod containers;
mod walk;

use std::sync::Arc;

use latten_core::device::Device;
use latten_core::layout::Layout;
use latten_core::raw::RawTensor;
use latten_core::storage::TypedStorage;
use latten_core::tensor::{DynTensor, SparseTensor};
use latten_spec::DType;
use num_complex::Complex;

pub use access::{FromValue, ToValue};
pub use containers::{Dict, DictKind, Items, Marks, SavedTensor};

/// A value of a file: what `torch.save` takes and `torch.load(weights_only=True)` gives.
///
/// `Clone` shares: containers and tensors are the same ones afterwards, and a file written from them has them once.
///
/// ```
/// # use latten_io::{Dict, Value};
/// # use latten_core::tensor::Tensor;
/// let mut state = Dict::new();
/// state.insert("weight", &Tensor::from([1.0_f32, 2.0]));
/// state.insert("epoch", 3);
/// let value = Value::from(state);
/// assert_eq!(value.get::<i64>("epoch")?, 3);
/// assert_eq!(format!("{value:?}"), "{'weight': tensor(float32, [2]), 'epoch': 3}");
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Default)]
pub enum Value {
    /// Python's `None`.
    #[default]
    None,
    /// True or false.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(Complex<f64>),
    /// Text.
    Str(Arc<str>),
    /// Python's `bytes`.
    Bytes(Arc<[u8]>),
    /// Python's `bytearray`.
    ByteArray(Arc<[u8]>),
    /// A list.
    List(Items),
    /// A tuple.
    Tuple(Items),
    /// A set, its items in the order of the file.
    Set(Items),
    /// A dict of one of Python's three kinds.
    Dict(Dict),
    /// `torch.Size`.
    Size(Arc<[i64]>),
    /// A dtype.
    DType(DType),
    /// A device, which need not be there.
    Device(Device),
    /// A layout.
    Layout(Layout),
    /// A dense tensor.
    Tensor(SavedTensor),
    /// A sparse tensor of coordinates and values.
    Sparse(Arc<SparseTensor>),
    /// A storage that is a value of its own.
    Storage(TypedStorage),
}

impl Value {
    /// A list of those values.
    #[must_use]
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().collect())
    }

    /// A tuple of those values.
    #[must_use]
    pub fn tuple(values: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(values.into_iter().collect())
    }

    /// What kind of value it is, as Python names it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Complex(_) => "complex",
            Self::Str(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::ByteArray(_) => "bytearray",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Set(_) => "set",
            Self::Dict(dict) => dict.kind().name(),
            Self::Size(_) => "torch.Size",
            Self::DType(_) => "torch.dtype",
            Self::Device(_) => "torch.device",
            Self::Layout(_) => "torch.layout",
            Self::Tensor(_) => "tensor",
            Self::Sparse(_) => "sparse tensor",
            Self::Storage(_) => "storage",
        }
    }
}

impl From<SavedTensor> for Value {
    fn from(tensor: SavedTensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl From<Dict> for Value {
    fn from(dict: Dict) -> Self {
        Self::Dict(dict)
    }
}

impl From<DynTensor> for Value {
    fn from(tensor: DynTensor) -> Self {
        Self::Tensor(SavedTensor::new(tensor))
    }
}

/// A tensor that shares its storage with the value.
impl<E: latten_core::element::Element, S: latten_core::shape::Shape> From<&latten_core::tensor::Tensor<E, S>> for Value {
    fn from(tensor: &latten_core::tensor::Tensor<E, S>) -> Self {
        Self::from(tensor.raw().clone())
    }
}

impl From<RawTensor> for Value {
    fn from(tensor: RawTensor) -> Self {
        Self::from(DynTensor::from(tensor))
    }
}

impl From<SparseTensor> for Value {
    fn from(tensor: SparseTensor) -> Self {
        Self::Sparse(Arc::new(tensor))
    }
}

macro_rules! from {
    ($($from:ty => $variant:ident $(by $convert:path)?;)*) => { $(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                Self::$variant($($convert)?(value))
            }
        }
    )* };
}

from! {
    bool => Bool;
    i64 => Int;
    i32 => Int by i64::from;
    u32 => Int by i64::from;
    f64 => Float;
    f32 => Float by f64::from;
    &str => Str by Arc::from;
    String => Str by Arc::from;
    DType => DType;
    Device => Device;
    TypedStorage => Storage;
}
