//! From the nodes of a pickle to values: the parts before the whole, each once, without recursion.

use latten_core::device::Device;
use latten_core::error::Result;
use latten_core::geometry::{Dims, Geometry};
use latten_core::raw::RawTensor;
use latten_core::sparse::Coalesced;
use latten_core::storage::{TypedStorage, UntypedStorage};
use latten_core::tensor::{DynTensor, SparseTensor};

use crate::fault::{Within, broken, unsupported};
use crate::pickle::machine::Machine;
use crate::pickle::names::Name;
use crate::pickle::object::{Item, Node, Sparse, Tensor};
use crate::value::{Dict, Marks, SavedTensor, Value};

/// Values nest no deeper: what walks them may recurse.
const DEEPEST: u32 = 1000;

/// What is known of a node.
#[derive(Clone)]
enum State {
    New,
    /// Its parts are being built.
    Open,
    /// Its value, and how deep it nests.
    Built(Value, u32),
}

struct Builder<'a> {
    machine: &'a Machine,
    storages: &'a [UntypedStorage],
    states: Vec<State>,
}

/// The value of an item.
pub(super) fn value(machine: &Machine, item: &Item, storages: &[UntypedStorage]) -> Result<Value> {
    let mut builder = Builder { machine, storages, states: vec![State::New; machine.nodes.len()] };
    let Item::Node(root) = item else { return builder.leaf(item) };
    let mut open = vec![*root];
    while let Some(&place) = open.last() {
        match builder.states[place] {
            State::Built(..) => {
                open.pop();
            }
            State::Open => {
                let depth = builder.depth_below(place) + 1;
                if depth > DEEPEST {
                    return Err(broken(format!("values nest deeper than {DEEPEST}")));
                }
                let value = builder.node(&machine.nodes[place])?;
                builder.states[place] = State::Built(value, depth);
                open.pop();
            }
            State::New => {
                builder.states[place] = State::Open;
                for part in parts(&machine.nodes[place]) {
                    match builder.states[part] {
                        State::New => open.push(part),
                        State::Open => return Err(broken("a value that contains itself")),
                        State::Built(..) => {}
                    }
                }
            }
        }
    }
    builder.leaf(item)
}

/// The nodes that a node needs.
fn parts(node: &Node) -> Vec<usize> {
    let place = |item: &Item| if let Item::Node(place) = item { Some(*place) } else { None };
    match node {
        Node::List(items) | Node::Tuple(items) | Node::Set(items) => items.iter().filter_map(place).collect(),
        Node::Dict(table) => {
            let entries = table.entries.iter().flat_map(|(key, value)| [key, value]);
            entries.chain(&table.attributes).filter_map(place).collect()
        }
        Node::Tensor(tensor) => tensor.attributes.iter().filter_map(place).collect(),
        Node::Sparse(sparse) => vec![sparse.indices, sparse.values],
        _ => Vec::new(),
    }
}

impl Builder<'_> {
    fn depth_below(&self, place: usize) -> u32 {
        let depth = |part: usize| if let State::Built(_, depth) = self.states[part] { depth } else { 0 };
        parts(&self.machine.nodes[place]).into_iter().map(depth).max().unwrap_or(0)
    }

    fn leaf(&self, item: &Item) -> Result<Value> {
        Ok(match item {
            Item::None => Value::None,
            Item::Bool(truth) => Value::Bool(*truth),
            Item::Int(number) => Value::Int(*number),
            Item::Float(number) => Value::Float(*number),
            Item::Str(text) => Value::Str((**text).into()),
            Item::Name(Name::DType(dtype)) => Value::DType(*dtype),
            Item::Name(name) => return Err(unsupported(format!("{name:?} as a value"))),
            Item::Long(bytes) => return Err(unsupported(format!("an integer of {} bytes; latten has those of 64 bits", bytes.len()))),
            Item::Node(place) => match &self.states[*place] {
                State::Built(value, _) => value.clone(),
                State::New | State::Open => return Err(broken("a value that contains itself")),
            },
        })
    }

    fn node(&self, node: &Node) -> Result<Value> {
        let all = |items: &[Item]| items.iter().map(|item| self.leaf(item)).collect::<Result<Vec<_>>>();
        Ok(match node {
            Node::List(items) => Value::list(all(items)?),
            Node::Tuple(items) => Value::tuple(all(items)?),
            Node::Set(items) => Value::Set(all(items)?.into_iter().collect()),
            Node::Dict(table) => {
                let mut dict = Dict::of_kind(table.kind);
                for (key, value) in &table.entries {
                    dict.push(self.leaf(key)?, self.leaf(value)?);
                }
                dict.set_attributes(self.dict(table.attributes.as_ref())?);
                Value::Dict(dict)
            }
            Node::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
            Node::ByteArray(bytes) => Value::ByteArray(bytes.as_slice().into()),
            Node::Complex(number) => Value::Complex(*number),
            Node::Size(sizes) => Value::Size(sizes.as_slice().into()),
            Node::Device(device) => Value::Device(*device),
            Node::Layout(layout) => Value::Layout(*layout),
            Node::Storage(place) => Value::Storage(TypedStorage::wrap(self.storages[*place].clone(), self.machine.storages[*place].dtype)),
            Node::Tensor(tensor) => {
                let (requires_grad, is_parameter) = (tensor.requires_grad, tensor.is_parameter);
                let marks = Marks { requires_grad, is_parameter, attributes: self.dict(tensor.attributes.as_ref())? };
                let raw = self.tensor(tensor)?;
                Value::Tensor(if tensor.turn.is_none() || raw.is_meta() {
                    SavedTensor::marked(DynTensor::from(raw), marks)
                } else {
                    SavedTensor::turned(raw, tensor.turn, marks)?
                })
            }
            Node::Sparse(sparse) => self.sparse(sparse).within("a sparse tensor")?.into(),
        })
    }

    fn dict(&self, item: Option<&Item>) -> Result<Option<Dict>> {
        match item.map(|item| self.leaf(item)).transpose()? {
            Some(Value::Dict(dict)) => Ok(Some(dict)),
            _ => Ok(None),
        }
    }

    fn tensor(&self, tensor: &Tensor) -> Result<RawTensor> {
        let geometry =
            Geometry { sizes: Dims::from_slice(&tensor.sizes), strides: Dims::from_slice(&tensor.strides), offset: tensor.offset };
        let Some(place) = tensor.storage else {
            let nbytes = geometry.needed_bytes(tensor.dtype.itemsize())?;
            return RawTensor::over(UntypedStorage::new(nbytes, Device::META)?, tensor.dtype, geometry);
        };
        let storage = &self.storages[place];
        RawTensor::over(storage.clone(), tensor.dtype, geometry)
    }

    fn sparse(&self, sparse: &Sparse) -> Result<SparseTensor> {
        let part = |place: usize| match &self.states[place] {
            State::Built(Value::Tensor(tensor), _) => Ok(tensor.tensor().alias()),
            _ => Err(broken("a part that is no tensor")),
        };
        let (indices, values) = (part(sparse.indices)?, part(sparse.values)?);
        if indices.raw().is_meta() || values.raw().is_meta() || indices.dtype() != latten_spec::DType::I64 {
            return Err(unsupported(format!("indices of {}; they are int64", indices.dtype())));
        }
        // What is copied while it is checked must not be more than what the file has.
        for part in [&indices, &values] {
            let most = part.untyped_storage().nbytes() / part.dtype().itemsize();
            if part.raw().numel() > most {
                return Err(broken(format!("{} elements over a storage of {most}", part.raw().numel())));
            }
        }
        let coalesced = if sparse.is_coalesced { Coalesced::Yes } else { Coalesced::Unknown };
        SparseTensor::new_with(&indices, &values, sparse.sizes.as_slice(), coalesced)
    }
}
