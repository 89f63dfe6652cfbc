//! Walks of values without recursion: dropping, comparing, printing, and listing the tensors.

use std::collections::HashSet;
use std::fmt;

use latten_core::raw::RawTensor;

use super::{SavedTensor, Value};
use crate::storages::row_major_bytes;

/// Pieces of text after which `Debug` stops.
const MOST_PIECES: usize = 20_000;

impl Value {
    /// The number of the node below a handle; values without one have 0.
    pub(crate) fn id(&self) -> usize {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => items.id(),
            Self::Dict(dict) => dict.id(),
            Self::Tensor(tensor) => tensor.id(),
            _ => 0,
        }
    }

    /// All tensors with their paths: `model.weight`, `optimizer.state[0]`. What is mentioned twice comes once.
    #[must_use]
    pub fn tensors(&self) -> Vec<(String, &SavedTensor)> {
        let (mut found, mut seen, mut rest) = (Vec::new(), HashSet::new(), vec![(String::new(), self)]);
        while let Some((path, value)) = rest.pop() {
            let id = value.id();
            if id != 0 && !matches!(value, Self::Tensor(_)) && !seen.insert(id) {
                continue;
            }
            let at = rest.len();
            match value {
                Self::Tensor(tensor) => found.push((path, tensor)),
                Self::List(items) | Self::Tuple(items) | Self::Set(items) => {
                    rest.extend(items.iter().enumerate().map(|(place, item)| (format!("{path}[{place}]"), item)));
                }
                Self::Dict(dict) => rest.extend(dict.iter().map(|(key, item)| (step(&path, key), item))),
                _ => {}
            }
            rest[at..].reverse();
        }
        found
    }
}

fn step(path: &str, key: &Value) -> String {
    match key {
        Value::Str(name) if path.is_empty() => name.to_string(),
        Value::Str(name) => format!("{path}.{name}"),
        other => format!("{path}[{other:?}]"),
    }
}

/// Equal in all that a file says: the kinds, the order of keys, dtypes, shapes and the bytes of elements. Which storage a tensor has, and
/// which parts are shared, doesn't count.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let (mut rest, mut seen) = (vec![(self.clone(), other.clone())], HashSet::new());
        while let Some((a, b)) = rest.pop() {
            let ids = (a.id(), b.id());
            let is_known = ids.0 != 0 && (ids.0 == ids.1 || !seen.insert(ids));
            if !is_known && !same_node(&a, &b, &mut rest) {
                return false;
            }
        }
        true
    }
}

/// Compares two values without those below them, which go onto `rest`.
fn same_node(a: &Value, b: &Value, rest: &mut Vec<(Value, Value)>) -> bool {
    use Value::{
        Bool, ByteArray, Bytes, Complex, DType, Device, Dict, Float, Int, Layout, List, None, Set, Size, Sparse, Storage, Str, Tensor,
        Tuple,
    };
    match (a, b) {
        (None, None) => true,
        (Bool(a), Bool(b)) => a == b,
        (Int(a), Int(b)) => a == b,
        (Float(a), Float(b)) => a.to_bits() == b.to_bits(),
        (Complex(a), Complex(b)) => (a.re.to_bits(), a.im.to_bits()) == (b.re.to_bits(), b.im.to_bits()),
        (Str(a), Str(b)) => a == b,
        (Bytes(a), Bytes(b)) | (ByteArray(a), ByteArray(b)) => a == b,
        (List(a), List(b)) | (Tuple(a), Tuple(b)) | (Set(a), Set(b)) => {
            rest.extend(a.iter().cloned().zip(b.iter().cloned()));
            a.len() == b.len()
        }
        (Dict(a), Dict(b)) => {
            rest.extend(a.iter().cloned().zip(b.iter().cloned()).flat_map(|(a, b)| [(a.0, b.0), (a.1, b.1)]));
            rest.push((attributes(a.attributes()), attributes(b.attributes())));
            a.kind() == b.kind() && a.len() == b.len()
        }
        (Size(a), Size(b)) => a == b,
        (DType(a), DType(b)) => a == b,
        (Device(a), Device(b)) => a == b,
        (Layout(a), Layout(b)) => a == b,
        (Tensor(a), Tensor(b)) => {
            let (marks, others) = (a.marks(), b.marks());
            rest.push((attributes(marks.attributes.as_ref()), attributes(others.attributes.as_ref())));
            (marks.requires_grad, marks.is_parameter) == (others.requires_grad, others.is_parameter)
                && same_elements(a.tensor().raw(), b.tensor().raw())
        }
        (Sparse(a), Sparse(b)) => {
            let (a, b) = (a.raw(), b.raw());
            (a.sizes(), a.is_coalesced()) == (b.sizes(), b.is_coalesced())
                && same_elements(a.raw_indices(), b.raw_indices())
                && same_elements(a.raw_values(), b.raw_values())
        }
        (Storage(a), Storage(b)) => {
            a.dtype() == b.dtype() && matches!((a.untyped().tolist(), b.untyped().tolist()), (Ok(a), Ok(b)) if a == b)
        }
        _ => false,
    }
}

fn attributes(dict: Option<&super::Dict>) -> Value {
    dict.map_or(Value::None, |dict| Value::Dict(dict.clone()))
}

fn same_elements(a: &RawTensor, b: &RawTensor) -> bool {
    if (a.dtype(), a.sizes()) != (b.dtype(), b.sizes()) {
        return false;
    }
    if a.is_meta() || b.is_meta() || a.is_set_to(b) {
        return a.is_meta() == b.is_meta();
    }
    matches!((row_major_bytes(a), row_major_bytes(b)), (Ok(a), Ok(b)) if a == b)
}

impl PartialEq for super::Dict {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id() || Value::Dict(self.clone()) == Value::Dict(other.clone())
    }
}

/// As Python prints it, but tensors with dtype and shape only. It ends after some thousand pieces.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, mut pieces) = (vec![Piece::Value(self)], 0);
        while let Some(piece) = rest.pop() {
            pieces += 1;
            if pieces > MOST_PIECES {
                return f.write_str(" …");
            }
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Value(value) => {
                    let at = rest.len();
                    value.pieces(f, &mut rest)?;
                    rest[at..].reverse();
                }
            }
        }
        Ok(())
    }
}

enum Piece<'a> {
    Text(&'static str),
    Value(&'a Value),
}

impl Value {
    /// Prints a value without parts, or puts the pieces of one that has some onto `rest`.
    fn pieces<'a>(&'a self, f: &mut fmt::Formatter<'_>, rest: &mut Vec<Piece<'a>>) -> fmt::Result {
        let mut sequence = |open, items: &'a [Self], close| {
            rest.push(Piece::Text(open));
            for (place, item) in items.iter().take(MOST_PIECES).enumerate() {
                rest.extend((place > 0).then_some(Piece::Text(", ")));
                rest.push(Piece::Value(item));
            }
            rest.push(Piece::Text(close));
            Ok(())
        };
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Complex(number) => write!(f, "({:?}{:+?}j)", number.re, number.im),
            Self::Str(text) => write!(f, "'{}'", text.escape_debug()),
            Self::Bytes(bytes) => write!(f, "b'{}'", bytes.escape_ascii()),
            Self::ByteArray(bytes) => write!(f, "bytearray(b'{}')", bytes.escape_ascii()),
            Self::List(items) => sequence("[", items, "]"),
            Self::Tuple(items) => sequence("(", items, if items.len() == 1 { ",)" } else { ")" }),
            Self::Set(items) => sequence("{", items, "}"),
            Self::Dict(dict) => {
                let (open, close) = match dict.kind() {
                    super::DictKind::Plain => ("{", "}"),
                    super::DictKind::Ordered => ("OrderedDict({", "})"),
                    super::DictKind::Counter => ("Counter({", "})"),
                };
                rest.push(Piece::Text(open));
                for (place, (key, value)) in dict.iter().take(MOST_PIECES).enumerate() {
                    rest.extend((place > 0).then_some(Piece::Text(", ")));
                    rest.extend([Piece::Value(key), Piece::Text(": "), Piece::Value(value)]);
                }
                rest.push(Piece::Text(close));
                Ok(())
            }
            Self::Size(sizes) => write!(f, "torch.Size({sizes:?})"),
            Self::DType(dtype) => write!(f, "{dtype:?}"),
            Self::Device(device) => write!(f, "{device:?}"),
            Self::Layout(layout) => write!(f, "{layout}"),
            Self::Tensor(tensor) => {
                let raw = tensor.tensor().raw();
                let name = if tensor.marks().is_parameter { "Parameter" } else { "tensor" };
                write!(f, "{name}({}, {:?})", raw.dtype(), raw.sizes())
            }
            Self::Sparse(tensor) => write!(f, "sparse({}, {:?}, nnz={})", tensor.dtype(), tensor.sizes(), tensor.nnz()),
            Self::Storage(storage) => write!(f, "{storage:?}"),
        }
    }
}
