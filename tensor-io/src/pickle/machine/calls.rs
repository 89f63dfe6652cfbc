//! What the names of the list do with their arguments. Each checks all of them; none does more than describe a value.

use latten_core::device::Device;
use latten_core::error::Result;
use latten_core::layout::Layout;
use latten_spec::DType;
use num_complex::Complex;

use super::Machine;
use crate::fault::{Within, broken, unsupported};
use crate::pickle::names::Name;
use crate::pickle::object::{Item, Node, Sparse, StorageId, Table, Tensor};
use crate::storages::Turn;
use crate::value::DictKind;

/// Tensors have no more dimensions than PyTorch's.
const MOST_DIMENSIONS: usize = 64;

impl Machine {
    /// REDUCE, and NEWOBJ of classes that take no arguments.
    pub(super) fn call(&mut self, function: &Item, arguments: &Item, is_new: bool) -> Result<Item> {
        let Item::Name(name) = function else { return Err(broken(format!("a call of {}", function.kind(&self.nodes)))) };
        if is_new && !matches!(name, Name::OrderedDict | Name::Counter) {
            return Err(unsupported(format!("NEWOBJ of {name:?}")));
        }
        let arguments = self.tuple(arguments).within(format_args!("{name:?}"))?;
        self.apply(*name, &arguments).within(format_args!("{name:?}"))
    }

    fn apply(&mut self, name: Name, arguments: &[Item]) -> Result<Item> {
        let node = match name {
            Name::OrderedDict if arguments.is_empty() => Node::Dict(Box::new(Table::of_kind(DictKind::Ordered))),
            Name::Counter => return self.counter(arguments),
            Name::Encode => self.encoded(arguments)?,
            Name::ByteArray => match arguments {
                [] => Node::ByteArray(Vec::new()),
                [bytes] => match self.node_of(bytes) {
                    Some(Node::Bytes(bytes)) => {
                        self.charge(bytes.len())?;
                        Node::ByteArray(bytes.clone())
                    }
                    _ => return Err(broken(format!("of {}, not of bytes", bytes.kind(&self.nodes)))),
                },
                _ => return Err(wrong_count(arguments)),
            },
            Name::Complex => match arguments {
                [Item::Float(re), Item::Float(im)] => Node::Complex(Complex::new(*re, *im)),
                _ => return Err(broken("not of two floats")),
            },
            Name::Set => self.set(arguments)?,
            Name::Size => match arguments {
                [sizes] => Node::Size(self.integers(sizes)?),
                _ => return Err(wrong_count(arguments)),
            },
            Name::Device => self.device(arguments)?,
            Name::GetLayout => match arguments {
                [Item::Str(name)] => match [Layout::Strided, Layout::SparseCoo].into_iter().find(|layout| layout.to_string() == **name) {
                    Some(layout) => Node::Layout(layout),
                    None => return Err(unsupported(format!("the layout {:?}", name.chars().take(40).collect::<String>()))),
                },
                _ => return Err(wrong_count(arguments)),
            },
            Name::RebuildSparse => self.sparse(arguments)?,
            _ => Node::Tensor(Box::new(self.tensor(name, arguments)?)),
        };
        Ok(self.node(node))
    }

    /// The functions that give a tensor.
    fn tensor(&self, name: Name, arguments: &[Item]) -> Result<Tensor> {
        match (name, arguments) {
            (Name::RebuildTensor, [storage, offset, sizes, strides]) => self.strided(storage, None, [offset, sizes, strides]),
            (Name::RebuildTensorV2, [storage, offset, sizes, strides, grad, hooks, flags @ ..]) if flags.len() <= 1 => {
                let tensor = self.strided(storage, None, [offset, sizes, strides])?;
                self.flagged(tensor, grad, hooks, flags.first())
            }
            (Name::RebuildTensorV3, [storage, offset, sizes, strides, grad, hooks, dtype, flags @ ..]) if flags.len() <= 1 => {
                let Item::Name(Name::DType(dtype)) = dtype else { return Err(broken("no dtype where one should be")) };
                let tensor = self.strided(storage, Some(*dtype), [offset, sizes, strides])?;
                self.flagged(tensor, grad, hooks, flags.first())
            }
            (Name::RebuildParameter, [tensor, grad, hooks]) => self.parameter(tensor, grad, hooks),
            (Name::RebuildParameterWithState, [tensor, grad, hooks, state]) => {
                let tensor = self.parameter(tensor, grad, hooks)?;
                Ok(Tensor { attributes: self.attributes(state)?, ..tensor })
            }
            (Name::RebuildFromType, [Item::Name(function), Item::Name(Name::TensorClass | Name::ParameterClass), inner, state]) => {
                let is_rebuild =
                    matches!(function, Name::RebuildTensor | Name::RebuildTensorV2 | Name::RebuildTensorV3 | Name::RebuildParameter);
                if !is_rebuild {
                    return Err(unsupported(format!("by {function:?}")));
                }
                let tensor = self.tensor(*function, &self.tuple(inner)?)?;
                Ok(Tensor { attributes: self.attributes(state)?, ..tensor })
            }
            (Name::RebuildMeta, [Item::Name(Name::DType(dtype)), sizes, strides, Item::Bool(requires_grad)]) => {
                let (sizes, strides) = self.shape(sizes, strides)?;
                Ok(Tensor { requires_grad: *requires_grad, ..plain(None, *dtype, 0, sizes, strides) })
            }
            _ => Err(wrong_count(arguments)),
        }
    }

    /// Storage, offset, sizes and strides, with all that can be checked before the storage is read.
    fn strided(&self, storage: &Item, dtype: Option<DType>, [offset, sizes, strides]: [&Item; 3]) -> Result<Tensor> {
        let Some(Node::Storage(place)) = self.node_of(storage) else {
            return Err(broken(format!("{} where the storage should be", storage.kind(&self.nodes))));
        };
        let id = &self.storages[*place];
        let dtype = dtype.unwrap_or(id.dtype);
        let Item::Int(offset) = offset else { return Err(broken(format!("an offset that is {}", offset.kind(&self.nodes)))) };
        let offset = usize::try_from(*offset).map_err(|_| broken(format!("an offset of {offset}")))?;
        let (sizes, strides) = self.shape(sizes, strides)?;
        let needed = latten_core::geometry::strided_nbytes(&sizes, &strides, offset, dtype.itemsize())?;
        if needed as u64 > id.nbytes {
            return Err(broken(format!(
                "sizes {sizes:?}, strides {strides:?} and offset {offset} of {dtype} need {needed} bytes, but storage {} has {}",
                id.key, id.nbytes
            )));
        }
        if dtype.is_quantized() {
            return Err(unsupported(format!("a tensor of {dtype} without a scale")));
        }
        Ok(plain(Some(*place), dtype, offset, sizes, strides))
    }

    fn shape(&self, sizes: &Item, strides: &Item) -> Result<(Vec<usize>, Vec<usize>)> {
        let naturals = |item: &Item, what: &str| -> Result<Vec<usize>> {
            let numbers = self.integers(item).within(what)?;
            let natural = |number: &i64| usize::try_from(*number).map_err(|_| broken(format!("{what}: {number}")));
            numbers.iter().map(natural).collect()
        };
        let (sizes, strides) = (naturals(sizes, "sizes")?, naturals(strides, "strides")?);
        if sizes.len() != strides.len() {
            return Err(broken(format!("{} sizes, but {} strides", sizes.len(), strides.len())));
        }
        if sizes.len() > MOST_DIMENSIONS {
            return Err(unsupported(format!("a tensor of {} dimensions; at most {MOST_DIMENSIONS} are read", sizes.len())));
        }
        latten_core::geometry::numel(&sizes)?;
        Ok((sizes, strides))
    }

    fn flagged(&self, tensor: Tensor, grad: &Item, hooks: &Item, flags: Option<&Item>) -> Result<Tensor> {
        let requires_grad = self.grad(grad, hooks)?;
        let mut tensor = Tensor { requires_grad, ..tensor };
        let Some(flags) = flags else { return Ok(tensor) };
        let Some(Node::Dict(table)) = self.node_of(flags) else { return Err(broken("flags that aren't a dict")) };
        self.charge(table.entries.len())?;
        for (key, value) in &table.entries {
            match (key, value) {
                (Item::Str(name), Item::Bool(on)) if &**name == "conj" => tensor.turn.is_conjugated = *on,
                (Item::Str(name), Item::Bool(on)) if &**name == "neg" => tensor.turn.is_negated = *on,
                _ => return Err(unsupported("a flag that isn't `conj` or `neg`")),
            }
        }
        let (turn, dtype) = (tensor.turn, tensor.dtype);
        let has_signs = dtype.is_computing() && (dtype.is_complex() || dtype.is_floating_point());
        if turn.is_conjugated && !dtype.is_complex() || turn.is_negated && !has_signs {
            return Err(broken(format!("a flag that {dtype} can't have")));
        }
        Ok(tensor)
    }

    fn grad(&self, grad: &Item, hooks: &Item) -> Result<bool> {
        let Item::Bool(requires_grad) = grad else { return Err(broken(format!("requires_grad that is {}", grad.kind(&self.nodes)))) };
        match (hooks, self.node_of(hooks)) {
            (Item::None, _) => Ok(*requires_grad),
            (_, Some(Node::Dict(table))) if table.entries.is_empty() => Ok(*requires_grad),
            _ => Err(unsupported("hooks of a tensor")),
        }
    }

    fn parameter(&self, tensor: &Item, grad: &Item, hooks: &Item) -> Result<Tensor> {
        let requires_grad = self.grad(grad, hooks)?;
        match self.node_of(tensor) {
            Some(Node::Tensor(tensor)) => Ok(Tensor { requires_grad, is_parameter: true, ..Tensor::clone(tensor) }),
            _ => Err(broken(format!("of {}, not of a dense tensor", tensor.kind(&self.nodes)))),
        }
    }

    /// The attributes of a tensor or an OrderedDict: a dict by names that don't replace what such an object is.
    pub(super) fn attributes(&self, state: &Item) -> Result<Option<Item>> {
        match (state, self.node_of(state)) {
            (Item::None, _) => Ok(None),
            (_, Some(Node::Dict(table))) => {
                self.charge(table.entries.len())?;
                for (key, _) in &table.entries {
                    match key {
                        Item::Str(name) if !name.starts_with("__") && &**name != "data" && &**name != "grad" => {}
                        _ => return Err(unsupported("an attribute that replaces what its object is")),
                    }
                }
                Ok((!table.entries.is_empty()).then(|| state.clone()))
            }
            _ => Err(unsupported(format!("attributes that are {}", state.kind(&self.nodes)))),
        }
    }

    fn sparse(&self, arguments: &[Item]) -> Result<Node> {
        let [layout, parts] = arguments else { return Err(wrong_count(arguments)) };
        let Some(Node::Layout(Layout::SparseCoo)) = self.node_of(layout) else {
            return Err(unsupported("a layout other than torch.sparse_coo"));
        };
        let parts = self.tuple(parts)?;
        let (indices, values, sizes, is_coalesced) = match parts.as_slice() {
            [indices, values, sizes] => (indices, values, sizes, false),
            [indices, values, sizes, Item::Bool(is_coalesced)] => (indices, values, sizes, *is_coalesced),
            _ => return Err(broken("its parts aren't indices, values, size and whether it is coalesced")),
        };
        let tensor = |item: &Item| match (item, self.node_of(item)) {
            (Item::Node(place), Some(Node::Tensor(_))) => Ok(*place),
            _ => Err(broken(format!("{} where a tensor should be", item.kind(&self.nodes)))),
        };
        let natural = |size: &i64| usize::try_from(*size).map_err(|_| broken(format!("a size of {size}")));
        let sizes = self.integers(sizes)?.iter().map(natural).collect::<Result<_>>()?;
        Ok(Node::Sparse(Box::new(Sparse { indices: tensor(indices)?, values: tensor(values)?, sizes, is_coalesced })))
    }

    fn counter(&mut self, arguments: &[Item]) -> Result<Item> {
        let entries = match arguments {
            [] => Vec::new(),
            [dict] => match self.node_of(dict) {
                Some(Node::Dict(table)) => {
                    self.charge(table.entries.len())?;
                    table.entries.clone()
                }
                _ => return Err(broken(format!("of {}, not of a dict", dict.kind(&self.nodes)))),
            },
            _ => return Err(wrong_count(arguments)),
        };
        let mut table = Table::of_kind(DictKind::Counter);
        for (item, value) in entries {
            let key = self.key(&item)?;
            table.set(key, item, value);
        }
        Ok(self.node(Node::Dict(Box::new(table))))
    }

    /// `encode(text, "latin1")`: each character is a byte.
    fn encoded(&self, arguments: &[Item]) -> Result<Node> {
        let [Item::Str(text), Item::Str(codec)] = arguments else { return Err(broken("not of a string and a codec")) };
        if !matches!(&**codec, "latin1" | "latin-1") {
            return Err(unsupported("a codec other than latin1"));
        }
        self.charge(text.len())?;
        let bytes = text.chars().map(|c| u8::try_from(u32::from(c))).collect::<Result<_, _>>();
        bytes.map(Node::Bytes).map_err(|_| broken("of characters beyond latin1"))
    }

    fn set(&self, arguments: &[Item]) -> Result<Node> {
        let [list] = arguments else { return Err(wrong_count(arguments)) };
        let Some(Node::List(items)) = self.node_of(list) else {
            return Err(broken(format!("of {}, not of a list", list.kind(&self.nodes))));
        };
        self.charge(items.len())?;
        let mut table = Table::default();
        for item in items {
            table.set(self.key(item)?, item.clone(), Item::None);
        }
        Ok(Node::Set(table.entries.into_iter().map(|(item, _)| item).collect()))
    }

    fn device(&self, arguments: &[Item]) -> Result<Node> {
        let name = match arguments {
            [Item::Str(name)] => name.to_string(),
            [Item::Str(name), Item::Int(index)] => format!("{name}:{index}"),
            _ => return Err(broken("not of a name and a number")),
        };
        Ok(Node::Device(Device::parse(&name)?))
    }

    /// The persistent id of a storage: ("storage", class, key, location, numel), in old files with the part that it is.
    pub(super) fn storage(&mut self, id: &Item) -> Result<Item> {
        let place = self.storage_place(id).within("a persistent id")?;
        Ok(self.node(Node::Storage(place)))
    }

    fn storage_place(&mut self, id: &Item) -> Result<usize> {
        let items = self.tuple(id)?;
        let (fixed, part) = match items.as_slice() {
            [kind, class, key, location, numel] => ([kind, class, key, location, numel], &Item::None),
            [kind, class, key, location, numel, part] => ([kind, class, key, location, numel], part),
            _ => return Err(broken(format!("of {} values", items.len()))),
        };
        let [Item::Str(kind), Item::Name(Name::Storage(class)), Item::Str(key), Item::Str(_), Item::Int(numel)] = fixed else {
            return Err(broken("it isn't (\"storage\", class, key, location, number of elements)"));
        };
        if &**kind != "storage" {
            return Err(unsupported("it is of something else than a storage"));
        }
        let dtype = class.unwrap_or(DType::U8);
        let nbytes = |count: i64| u64::try_from(count).ok().and_then(|count| count.checked_mul(dtype.itemsize() as u64));
        let whole = nbytes(*numel).ok_or_else(|| broken(format!("{numel} elements")))?;
        let part = match (part, self.node_of(part)) {
            (Item::None, _) => None,
            (_, Some(Node::Tuple(items))) => match items.as_slice() {
                [Item::Str(_), Item::Int(first), Item::Int(count)] => {
                    let (first, count) = (nbytes(*first), nbytes(*count));
                    let inside = |(first, count): &(u64, u64)| first.checked_add(*count).is_some_and(|end| end <= whole);
                    Some(first.zip(count).filter(inside).ok_or_else(|| broken("a part that reaches beyond its storage"))?)
                }
                _ => return Err(broken("a part that isn't (key, first, count)")),
            },
            _ => return Err(broken("a part that isn't a tuple")),
        };
        self.charge(key.len())?;
        let nbytes = part.map_or(whole, |(_, count)| count);
        let id = StorageId { key: key.clone(), dtype, is_untyped: class.is_none(), whole, nbytes, part };
        if let Some(place) = self.known_storages.get(&id) {
            return Ok(*place);
        }
        self.storages.push(id.clone());
        self.known_storages.insert(id, self.storages.len() - 1);
        Ok(self.storages.len() - 1)
    }

    fn node_of(&self, item: &Item) -> Option<&Node> {
        if let Item::Node(place) = item { self.nodes.get(*place) } else { None }
    }

    fn tuple(&self, item: &Item) -> Result<Vec<Item>> {
        match self.node_of(item) {
            Some(Node::Tuple(items)) => {
                self.charge(items.len())?;
                Ok(items.clone())
            }
            _ => Err(broken(format!("{} where a tuple should be", item.kind(&self.nodes)))),
        }
    }

    /// The integers of a tuple or a size.
    fn integers(&self, item: &Item) -> Result<Vec<i64>> {
        match self.node_of(item) {
            Some(Node::Size(sizes)) => {
                self.charge(sizes.len())?;
                Ok(sizes.clone())
            }
            Some(Node::Tuple(items)) => {
                self.charge(items.len())?;
                let integer = |item: &Item| {
                    if let Item::Int(number) = item { Ok(*number) } else { Err(broken(format!("{} as a size", item.kind(&self.nodes)))) }
                };
                items.iter().map(integer).collect()
            }
            _ => Err(broken(format!("{} where a tuple of integers should be", item.kind(&self.nodes)))),
        }
    }
}

fn plain(storage: Option<usize>, dtype: DType, offset: usize, sizes: Vec<usize>, strides: Vec<usize>) -> Tensor {
    Tensor { storage, dtype, offset, sizes, strides, requires_grad: false, is_parameter: false, turn: Turn::default(), attributes: None }
}

fn wrong_count(arguments: &[Item]) -> latten_core::error::Error {
    broken(format!("{} arguments of kinds that it doesn't take", arguments.len()))
}
