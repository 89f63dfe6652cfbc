//! Values as a pickle that PyTorch reads: protocol 2, the opcodes and names of `torch.load(weights_only=True)`. What a value has twice is
//! written once and mentioned again. Which class a storage is written as is in `storages`.

mod storages;

use std::collections::HashMap;

use latten_core::device::{Device, DeviceType};
use latten_core::error::Result;
use latten_core::layout::Layout;
use latten_core::raw::RawTensor;
use latten_core::storage::UntypedStorage;
use storages::{Class, StorageKey, Uses, key_of, uses};

use crate::fault::unsupported;
use crate::storages::Turn;
use crate::value::{Dict, DictKind, SavedTensor, Value};

/// Items of a list or a dict come in batches of that many, as Python writes them.
const BATCH: usize = 1000;
/// Longer texts aren't remembered.
const LONGEST_TEXT: usize = 1000;

const ORDERED_DICT: &str = "collections\nOrderedDict";

/// What is to be written next.
enum Task<'a> {
    Value(&'a Value),
    Items(&'a [Value]),
    Dict(&'a Dict),
    /// Entries of a dict from a place on.
    Entries(&'a Dict, usize),
    Opcode(&'static [u8]),
    /// Remember what was written just now as the node of that number.
    Remember(usize),
}

/// The pickle of a value, and the storages that it mentions, in the order of their keys.
pub(crate) fn pickle(value: &Value) -> Result<(Vec<u8>, Vec<UntypedStorage>)> {
    let mut pickler = Pickler { out: vec![0x80, 2], uses: uses(value), ..Pickler::default() };
    let mut tasks = vec![Task::Value(value)];
    while let Some(task) = tasks.pop() {
        let at = tasks.len();
        match task {
            Task::Value(value) => pickler.value(value, &mut tasks)?,
            Task::Items(items) => tasks.extend(items.iter().map(Task::Value)),
            Task::Dict(dict) => pickler.dict(dict, &mut tasks),
            Task::Entries(dict, start) => {
                let entries = dict.iter().skip(start).take(BATCH);
                tasks.extend(entries.flat_map(|(key, value)| [Task::Value(key), Task::Value(value)]));
            }
            Task::Opcode(opcode) => pickler.out.extend(opcode),
            Task::Remember(id) => pickler.remember(id),
        }
        tasks[at..].reverse();
    }
    pickler.out.push(b'.');
    Ok((pickler.out, pickler.storages))
}

#[derive(Default)]
struct Pickler {
    out: Vec<u8>,
    uses: Uses,
    storages: Vec<UntypedStorage>,
    keys: HashMap<StorageKey, usize>,
    /// Where the memo has nodes, texts and names.
    nodes: HashMap<usize, u32>,
    texts: HashMap<String, u32>,
    names: HashMap<String, u32>,
    count: u32,
}

impl Pickler {
    /// Puts what was written just now into the memo.
    fn put(&mut self) -> u32 {
        let place = self.count;
        self.count += 1;
        match u8::try_from(place) {
            Ok(place) => self.out.extend([b'q', place]),
            Err(_) => {
                self.out.push(b'r');
                self.out.extend(place.to_le_bytes());
            }
        }
        place
    }

    fn mention(&mut self, place: u32) {
        match u8::try_from(place) {
            Ok(place) => self.out.extend([b'h', place]),
            Err(_) => {
                self.out.push(b'j');
                self.out.extend(place.to_le_bytes());
            }
        }
    }

    fn remember(&mut self, id: usize) {
        let place = self.put();
        self.nodes.insert(id, place);
    }

    fn name(&mut self, name: &str) {
        if let Some(&place) = self.names.get(name) {
            return self.mention(place);
        }
        self.out.push(b'c');
        self.out.extend(name.as_bytes());
        self.out.push(b'\n');
        let place = self.put();
        self.names.insert(name.to_owned(), place);
    }

    fn text(&mut self, text: &str) -> Result<()> {
        if let Some(&place) = self.texts.get(text) {
            self.mention(place);
            return Ok(());
        }
        let size = u32::try_from(text.len()).map_err(|_| unsupported(format!("a text of {} bytes", text.len())))?;
        self.out.push(b'X');
        self.out.extend(size.to_le_bytes());
        self.out.extend(text.as_bytes());
        if text.len() <= LONGEST_TEXT {
            let place = self.put();
            self.texts.insert(text.to_owned(), place);
        }
        Ok(())
    }

    fn int(&mut self, number: i64) {
        if let Ok(number) = u8::try_from(number) {
            self.out.extend([b'K', number]);
        } else if let Ok(number) = u16::try_from(number) {
            self.out.push(b'M');
            self.out.extend(number.to_le_bytes());
        } else if let Ok(number) = i32::try_from(number) {
            self.out.push(b'J');
            self.out.extend(number.to_le_bytes());
        } else {
            self.out.extend([0x8a, 8]);
            self.out.extend(number.to_le_bytes());
        }
    }

    fn truth(&mut self, truth: bool) {
        self.out.push(if truth { 0x88 } else { 0x89 });
    }

    fn float(&mut self, number: f64) {
        self.out.push(b'G');
        self.out.extend(number.to_be_bytes());
    }

    /// A tuple of integers.
    fn ints(&mut self, numbers: impl ExactSizeIterator<Item = i64>) {
        let count = numbers.len();
        if count > 3 {
            self.out.push(b'(');
        }
        numbers.for_each(|number| self.int(number));
        self.out.push(tuple_opcode(count));
    }

    /// Bytes: text of the first 256 characters, encoded again by the reader.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.name("_codecs\nencode");
        self.text(&bytes.iter().copied().map(char::from).collect::<String>())?;
        self.text("latin1")?;
        self.out.extend([0x86, b'R']);
        Ok(())
    }

    /// Writes a value without parts, or puts onto `tasks` what one with parts needs.
    fn value<'a>(&mut self, value: &'a Value, tasks: &mut Vec<Task<'a>>) -> Result<()> {
        if let Some(&place) = self.nodes.get(&value.id()).filter(|_| value.id() != 0) {
            self.mention(place);
            return Ok(());
        }
        match value {
            Value::None => self.out.push(b'N'),
            Value::Bool(truth) => self.truth(*truth),
            Value::Int(number) => self.int(*number),
            Value::Float(number) => self.float(*number),
            Value::Complex(number) => {
                self.name("__builtin__\ncomplex");
                self.float(number.re);
                self.float(number.im);
                self.out.extend([0x86, b'R']);
            }
            Value::Str(text) => self.text(text)?,
            Value::Bytes(bytes) => self.bytes(bytes)?,
            Value::ByteArray(bytes) => {
                self.name("__builtin__\nbytearray");
                self.bytes(bytes)?;
                self.out.extend([0x85, b'R']);
            }
            Value::List(items) => {
                self.out.push(b']');
                self.remember(items.id());
                batches(items, tasks);
            }
            Value::Tuple(items) if items.is_empty() => self.out.push(b')'),
            Value::Tuple(items) => {
                if items.len() > 3 {
                    self.out.push(b'(');
                }
                tasks.extend([Task::Items(items), Task::Opcode(tuple_opcode_of(items.len())), Task::Remember(items.id())]);
            }
            Value::Set(items) => {
                self.name("__builtin__\nset");
                self.out.push(b']');
                batches(items, tasks);
                tasks.extend([Task::Opcode(b"\x85R"), Task::Remember(items.id())]);
            }
            Value::Dict(dict) => tasks.push(Task::Dict(dict)),
            Value::Size(sizes) => {
                self.name("torch\nSize");
                self.ints(sizes.iter().copied());
                self.out.extend([0x85, b'R']);
            }
            Value::DType(dtype) => self.name(&format!("torch\n{dtype}")),
            Value::Device(device) => self.device(*device)?,
            Value::Layout(layout) => self.layout(*layout)?,
            Value::Tensor(tensor) => self.saved(tensor, tasks)?,
            Value::Sparse(sparse) => {
                let raw = sparse.raw();
                self.name("torch._utils\n_rebuild_sparse_tensor");
                self.layout(Layout::SparseCoo)?;
                self.out.push(b'(');
                self.tensor(raw.raw_indices(), false, Turn::default())?;
                self.tensor(raw.raw_values(), false, Turn::default())?;
                self.name("torch\nSize");
                self.ints(signed(raw.sizes()));
                self.out.extend([0x85, b'R']);
                self.truth(raw.is_coalesced());
                self.out.extend([b't', 0x86, b'R']);
            }
            Value::Storage(storage) => self.storage(storage.untyped())?,
        }
        Ok(())
    }

    fn dict<'a>(&mut self, dict: &'a Dict, tasks: &mut Vec<Task<'a>>) {
        match dict.kind() {
            DictKind::Plain => {
                self.out.push(b'}');
                self.remember(dict.id());
            }
            DictKind::Ordered => {
                self.name(ORDERED_DICT);
                self.out.extend(b")R");
                self.remember(dict.id());
            }
            DictKind::Counter => {
                self.name("collections\nCounter");
                self.out.push(b'}');
            }
        }
        for start in (0..dict.len()).step_by(BATCH) {
            tasks.extend([Task::Opcode(b"("), Task::Entries(dict, start), Task::Opcode(b"u")]);
        }
        if dict.kind() == DictKind::Counter {
            tasks.extend([Task::Opcode(b"\x85R"), Task::Remember(dict.id())]);
        }
        if let Some(attributes) = dict.attributes() {
            tasks.extend([Task::Dict(attributes), Task::Opcode(b"b")]);
        }
    }

    fn device(&mut self, device: Device) -> Result<()> {
        self.name("torch\ndevice");
        self.text(device.kind().name())?;
        match device.index() {
            None => self.out.extend([0x85, b'R']),
            Some(index) => {
                self.int(index.into());
                self.out.extend([0x86, b'R']);
            }
        }
        Ok(())
    }

    fn layout(&mut self, layout: Layout) -> Result<()> {
        self.name("torch.serialization\n_get_layout");
        self.text(&layout.to_string())?;
        self.out.extend([0x85, b'R']);
        Ok(())
    }

    /// A tensor with its marks.
    fn saved<'a>(&mut self, saved: &'a SavedTensor, tasks: &mut Vec<Task<'a>>) -> Result<()> {
        let (marks, (raw, turn)) = (saved.marks(), saved.as_written());
        let no_hooks = |pickler: &mut Self| {
            pickler.name(ORDERED_DICT);
            pickler.out.extend(b")R");
        };
        match &marks.attributes {
            _ if marks.is_parameter => {
                let with_state = marks.attributes.is_some();
                self.name(if with_state { "torch._utils\n_rebuild_parameter_with_state" } else { "torch._utils\n_rebuild_parameter" });
                self.out.push(b'(');
                self.tensor(raw, false, turn)?;
                self.truth(marks.requires_grad);
                no_hooks(self);
                if let Some(attributes) = &marks.attributes {
                    tasks.push(Task::Dict(attributes));
                }
                tasks.push(Task::Opcode(b"tR"));
            }
            Some(attributes) => {
                self.name("torch._tensor\n_rebuild_from_type_v2");
                self.out.push(b'(');
                let function = self.rebuild_of(raw);
                self.name(function);
                self.name("torch\nTensor");
                self.arguments(raw, marks.requires_grad, turn)?;
                tasks.extend([Task::Dict(attributes), Task::Opcode(b"tR")]);
            }
            None => self.tensor(raw, marks.requires_grad, turn)?,
        }
        tasks.push(Task::Remember(saved.id()));
        Ok(())
    }

    fn class_of(&self, storage: &UntypedStorage) -> Class {
        self.uses.get(&key_of(storage)).copied().unwrap_or(Class::Untyped)
    }

    fn rebuild_of(&self, tensor: &RawTensor) -> &'static str {
        match self.class_of(tensor.storage()) {
            _ if tensor.is_meta() => "torch._utils\n_rebuild_meta_tensor_no_storage",
            Class::Untyped => "torch._utils\n_rebuild_tensor_v3",
            Class::Of(_) => "torch._utils\n_rebuild_tensor_v2",
        }
    }

    /// A tensor without marks but for its gradients.
    fn tensor(&mut self, tensor: &RawTensor, requires_grad: bool, turn: Turn) -> Result<()> {
        let function = self.rebuild_of(tensor);
        self.name(function);
        self.arguments(tensor, requires_grad, turn)?;
        self.out.push(b'R');
        Ok(())
    }

    fn arguments(&mut self, tensor: &RawTensor, requires_grad: bool, turn: Turn) -> Result<()> {
        if tensor.dtype().is_quantized() {
            return Err(unsupported(format!("a tensor of {}: PyTorch's files have a scale with it", tensor.dtype())));
        }
        let dtype = format!("torch\n{}", tensor.dtype());
        self.out.push(b'(');
        if tensor.is_meta() {
            self.name(&dtype);
            self.ints(signed(tensor.sizes()));
            self.ints(signed(tensor.strides()));
            self.truth(requires_grad);
            self.out.push(b't');
            return Ok(());
        }
        self.storage(tensor.storage())?;
        self.int(tensor.storage_offset().cast_signed() as i64);
        self.ints(signed(tensor.sizes()));
        self.ints(signed(tensor.strides()));
        self.truth(requires_grad);
        self.name(ORDERED_DICT);
        self.out.extend(b")R");
        if self.class_of(tensor.storage()) == Class::Untyped {
            self.name(&dtype);
        }
        if !turn.is_none() {
            self.out.push(b'}');
            for (flag, is_on) in [("conj", turn.is_conjugated), ("neg", turn.is_negated)] {
                if is_on {
                    self.text(flag)?;
                    self.truth(true);
                    self.out.push(b's');
                }
            }
        }
        self.out.push(b't');
        Ok(())
    }

    /// The persistent id of a storage. Keys are numbers in the order of their first mention.
    fn storage(&mut self, storage: &UntypedStorage) -> Result<()> {
        if storage.device().kind() == DeviceType::Meta {
            return Err(unsupported("a storage of the meta device, which has no bytes"));
        }
        let next = self.storages.len();
        let key = *self.keys.entry(key_of(storage)).or_insert(next);
        if key == next {
            self.storages.push(storage.clone());
        }
        self.out.push(b'(');
        self.text("storage")?;
        let numel = match self.class_of(storage) {
            Class::Of(dtype) => {
                self.name(&format!("torch\n{}Storage", dtype.legacy_name().unwrap_or_default()));
                storage.nbytes() / dtype.itemsize()
            }
            Class::Untyped => {
                self.name("torch.storage\nUntypedStorage");
                storage.nbytes()
            }
        };
        self.text(&key.to_string())?;
        self.text(&storage.device().to_string())?;
        self.int(numel.cast_signed() as i64);
        self.out.extend(b"tQ");
        Ok(())
    }
}

fn signed(numbers: &[usize]) -> impl ExactSizeIterator<Item = i64> {
    numbers.iter().map(|number| number.cast_signed() as i64)
}

fn tuple_opcode(count: usize) -> u8 {
    tuple_opcode_of(count)[0]
}

fn tuple_opcode_of(count: usize) -> &'static [u8] {
    match count {
        0 => b")",
        1 => b"\x85",
        2 => b"\x86",
        3 => b"\x87",
        _ => b"t",
    }
}

/// The items of a list, which lies on the stack.
fn batches<'a>(items: &'a [Value], tasks: &mut Vec<Task<'a>>) {
    for batch in items.chunks(BATCH) {
        tasks.extend([Task::Opcode(b"("), Task::Items(batch), Task::Opcode(b"e")]);
    }
}
