//! What a pickle builds: items, and the nodes that hold others.

use std::collections::HashMap;
use std::rc::Rc;

use latten_core::device::Device;
use latten_core::layout::Layout;
use latten_spec::DType;
use num_complex::Complex;

use super::names::Name;
use crate::storages::Turn;
use crate::value::DictKind;

/// A value of the machine: a number, or the place of a node.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    None,
    Bool(bool),
    Int(i64),
    /// An integer beyond 64 bits, as its bytes.
    Long(Rc<[u8]>),
    Float(f64),
    Str(Rc<str>),
    Name(Name),
    Node(usize),
}

impl Item {
    /// What it is, for errors.
    pub(crate) fn kind(&self, nodes: &[Node]) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool(_) => "a bool",
            Self::Int(_) | Self::Long(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "a string",
            Self::Name(_) => "a name",
            Self::Node(place) => nodes[*place].kind(),
        }
    }
}

/// What holds other items, or is more than a number.
#[derive(Debug)]
pub(crate) enum Node {
    List(Vec<Item>),
    Tuple(Vec<Item>),
    Set(Vec<Item>),
    Dict(Box<Table>),
    Bytes(Vec<u8>),
    ByteArray(Vec<u8>),
    Complex(Complex<f64>),
    Size(Vec<i64>),
    Device(Device),
    Layout(Layout),
    /// A storage: its place in the list of them.
    Storage(usize),
    Tensor(Box<Tensor>),
    Sparse(Box<Sparse>),
}

impl Node {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::List(_) => "a list",
            Self::Tuple(_) => "a tuple",
            Self::Set(_) => "a set",
            Self::Dict(_) => "a dict",
            Self::Bytes(_) | Self::ByteArray(_) => "bytes",
            Self::Complex(_) => "a complex number",
            Self::Size(_) => "a torch.Size",
            Self::Device(_) => "a device",
            Self::Layout(_) => "a layout",
            Self::Storage(_) => "a storage",
            Self::Tensor(_) | Self::Sparse(_) => "a tensor",
        }
    }
}

/// A dict that is being built: its entries, and where each key is.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) kind: DictKind,
    pub(crate) entries: Vec<(Item, Item)>,
    places: HashMap<Key, usize>,
    /// What BUILD has put on it.
    pub(crate) attributes: Option<Item>,
}

impl Table {
    pub(crate) fn of_kind(kind: DictKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Sets the value of a key; one that is there keeps its place, as in Python.
    pub(crate) fn set(&mut self, key: Key, item: Item, value: Item) {
        match self.places.get(&key) {
            Some(&place) if !key.is_unequal() => self.entries[place].1 = value,
            _ => {
                self.places.insert(key, self.entries.len());
                self.entries.push((item, value));
            }
        }
    }
}

/// What makes keys equal in Python: 1, True and 1.0 are one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    None,
    Int(i64),
    /// The bits of a float that is no integer.
    Float(u64),
    Str(Rc<str>),
    Bytes(Vec<u8>),
    Tuple(Vec<Self>),
}

impl Key {
    pub(crate) fn of_float(number: f64) -> Self {
        let whole = number as i64;
        if whole as f64 == number { Self::Int(whole) } else { Self::Float(number.to_bits()) }
    }

    /// NaN equals nothing, itself included.
    fn is_unequal(&self) -> bool {
        matches!(self, Self::Float(bits) if f64::from_bits(*bits).is_nan())
    }
}

/// A storage as a pickle names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StorageId {
    pub(crate) key: Rc<str>,
    /// The dtype of its class; bytes where it has none.
    pub(crate) dtype: DType,
    /// Whether the class says no dtype.
    pub(crate) is_untyped: bool,
    /// The bytes of the storage of that key.
    pub(crate) whole: u64,
    /// The bytes of this one.
    pub(crate) nbytes: u64,
    /// In old files: the part of the storage that this one is: its first byte and how many.
    pub(crate) part: Option<(u64, u64)>,
}

/// A tensor as a pickle describes it. Sizes, strides and offset are in elements and not negative.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// The storage; none on the meta device.
    pub(crate) storage: Option<usize>,
    pub(crate) dtype: DType,
    pub(crate) offset: usize,
    pub(crate) sizes: Vec<usize>,
    pub(crate) strides: Vec<usize>,
    pub(crate) requires_grad: bool,
    pub(crate) is_parameter: bool,
    pub(crate) turn: Turn,
    pub(crate) attributes: Option<Item>,
}

/// A sparse tensor: the nodes of its coordinates and values.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    pub(crate) indices: usize,
    pub(crate) values: usize,
    pub(crate) sizes: Vec<usize>,
    pub(crate) is_coalesced: bool,
}
