//! The parts of a value that hold other values: lists, dicts, and tensors with their marks. Each is a handle of a node that is shared.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use latten_core::error::Result;
use latten_core::geometry::Geometry;
use latten_core::raw::RawTensor;
use latten_core::storage::UntypedStorage;
use latten_core::tensor::DynTensor;

use super::Value;
use crate::storages::{Turn, row_major_bytes, turned_bytes};

/// Drops values, and those below them that nobody else has, one after the other.
fn dismantle(mut rest: Vec<Value>) {
    while let Some(value) = rest.pop() {
        match value {
            Value::List(items) | Value::Tuple(items) | Value::Set(items) => {
                if let Some(mut children) = Arc::into_inner(items.0) {
                    rest.append(&mut children.0);
                }
            }
            Value::Dict(dict) => {
                if let Some(mut entries) = Arc::into_inner(dict.0) {
                    entries.release_into(&mut rest);
                }
            }
            Value::Tensor(tensor) => {
                if let Some(mut marked) = Arc::into_inner(tensor.0) {
                    marked.release_into(&mut rest);
                }
            }
            _ => {}
        }
    }
}

/// The values of a list, a tuple or a set. `Clone` shares them.
#[derive(Clone, Default)]
pub struct Items(pub(super) Arc<Children>);

/// Invariant: when it is dropped, `dismantle` has taken its values.
#[derive(Default)]
pub(super) struct Children(pub(super) Vec<Value>);

impl Drop for Children {
    fn drop(&mut self) {
        dismantle(std::mem::take(&mut self.0));
    }
}

impl Items {
    /// A number that no other list has while this one lives: two handles of one list have the same.
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl FromIterator<Value> for Items {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self(Arc::new(Children(values.into_iter().collect())))
    }
}

impl Deref for Items {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.0
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Value::List(self.clone()))
    }
}

/// The kinds of dict that files have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DictKind {
    /// `dict`.
    #[default]
    Plain,
    /// `collections.OrderedDict`: what `state_dict` gives.
    Ordered,
    /// `collections.Counter`.
    Counter,
}

impl DictKind {
    /// The name of the kind in Python.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "dict",
            Self::Ordered => "OrderedDict",
            Self::Counter => "Counter",
        }
    }
}

/// A dict: keys and values in the order of insertion. Keys of text find their value without a search.
///
/// `Clone` shares; a change of one handle isn't seen by the others.
#[derive(Clone, Default)]
pub struct Dict(pub(super) Arc<Entries>);

/// Invariant: `places` has the place in `pairs` of each key that is text.
#[derive(Clone, Default)]
pub(super) struct Entries {
    kind: DictKind,
    pub(super) pairs: Vec<(Value, Value)>,
    places: HashMap<Arc<str>, usize>,
    pub(super) attributes: Option<Dict>,
}

impl Drop for Entries {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        self.release_into(&mut rest);
        dismantle(rest);
    }
}

impl Entries {
    pub(super) fn release_into(&mut self, rest: &mut Vec<Value>) {
        rest.extend(std::mem::take(&mut self.pairs).into_iter().flat_map(|(key, value)| [key, value]));
        rest.extend(self.attributes.take().map(Value::Dict));
    }
}

impl Dict {
    /// A plain dict without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A dict of a kind, without entries.
    #[must_use]
    pub fn of_kind(kind: DictKind) -> Self {
        Self(Arc::new(Entries { kind, pairs: Vec::new(), places: HashMap::new(), attributes: None }))
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> DictKind {
        self.0.kind
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.pairs.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keys and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(Value, Value)> {
        self.0.pairs.iter()
    }

    /// The value of a key that is text.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.places.get(name).map(|&place| &self.0.pairs[place].1)
    }

    /// The keys that are text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.pairs.iter().filter_map(|(key, _)| match key {
            Value::Str(name) => Some(&**name),
            _ => None,
        })
    }

    /// Sets the value of a key: in its place, or as the last one.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) {
        let name = name.into();
        match self.0.places.get(&name).copied() {
            Some(place) => Arc::make_mut(&mut self.0).pairs[place].1 = value.into(),
            None => self.push(Value::Str(name), value.into()),
        }
    }

    /// Adds an entry whose key isn't there yet.
    pub(crate) fn push(&mut self, key: Value, value: Value) {
        let entries = Arc::make_mut(&mut self.0);
        if let Value::Str(name) = &key {
            entries.places.insert(name.clone(), entries.pairs.len());
        }
        entries.pairs.push((key, value));
    }

    /// What `dict.__dict__` holds: of a `state_dict`, its `_metadata`.
    #[must_use]
    pub fn attributes(&self) -> Option<&Self> {
        self.0.attributes.as_ref()
    }

    /// Sets what `dict.__dict__` holds.
    pub fn set_attributes(&mut self, attributes: Option<Self>) {
        Arc::make_mut(&mut self.0).attributes = attributes;
    }

    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl<N: Into<Arc<str>>, V: Into<Value>> FromIterator<(N, V)> for Dict {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(entries: I) -> Self {
        let mut dict = Self::new();
        for (name, value) in entries {
            dict.insert(name, value);
        }
        dict
    }
}

impl fmt::Debug for Dict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Value::Dict(self.clone()))
    }
}

/// A tensor of a file, and what the file says of it besides. `Clone` shares it, as a name bound twice does in Python.
#[derive(Clone)]
pub struct SavedTensor(pub(super) Arc<Marked>);

pub(super) struct Marked {
    tensor: DynTensor,
    marks: Marks,
    /// What the elements were made from, where PyTorch had a turn of the elements of another tensor.
    origin: Option<(RawTensor, Turn)>,
}

/// What files say of a tensor beside its elements. latten computes nothing from it; it is kept, so that nothing is lost on writing again.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Whether PyTorch records operations on it for gradients.
    pub requires_grad: bool,
    /// Whether it is an `nn.Parameter`.
    pub is_parameter: bool,
    /// Attributes that a program has set on the tensor.
    pub attributes: Option<Dict>,
}

impl Drop for Marked {
    fn drop(&mut self) {
        dismantle(self.marks.attributes.take().map(Value::Dict).into_iter().collect());
    }
}

impl Marked {
    pub(super) fn release_into(&mut self, rest: &mut Vec<Value>) {
        rest.extend(self.marks.attributes.take().map(Value::Dict));
    }
}

impl SavedTensor {
    /// A tensor without marks.
    #[must_use]
    pub fn new(tensor: DynTensor) -> Self {
        Self::marked(tensor, Marks::default())
    }

    /// A tensor with marks.
    #[must_use]
    pub fn marked(tensor: DynTensor, marks: Marks) -> Self {
        Self(Arc::new(Marked { tensor, marks, origin: None }))
    }

    /// A tensor that is a turn of the elements of another one, which latten carries out.
    pub(crate) fn turned(origin: RawTensor, turn: Turn, marks: Marks) -> Result<Self> {
        let storage = UntypedStorage::from_bytes(&turned_bytes(&origin, turn)?)?;
        let tensor = DynTensor::from(RawTensor::over(storage, origin.dtype(), Geometry::contiguous(origin.sizes()))?);
        Ok(Self(Arc::new(Marked { tensor, marks, origin: Some((origin, turn)) })))
    }

    /// The tensor as PyTorch had it, if it still is what it was made from: written so, it shares its storage again.
    pub(crate) fn as_written(&self) -> (&RawTensor, Turn) {
        let own = self.0.tensor.raw();
        match &self.0.origin {
            Some((origin, turn)) if matches!((turned_bytes(origin, *turn), row_major_bytes(own)), (Ok(a), Ok(b)) if a == b) => {
                (origin, *turn)
            }
            _ => (own, Turn::default()),
        }
    }

    /// The tensor.
    #[must_use]
    pub fn tensor(&self) -> &DynTensor {
        &self.0.tensor
    }

    /// What the file says of it besides.
    #[must_use]
    pub fn marks(&self) -> &Marks {
        &self.0.marks
    }

    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl fmt::Debug for SavedTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Value::Tensor(self.clone()))
    }
}
