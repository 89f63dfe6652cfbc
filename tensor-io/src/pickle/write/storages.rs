//! Which class each storage of a value is written as: that of the one dtype that all use it with, if PyTorch has a class for it.

use std::collections::{HashMap, HashSet};

use latten_core::raw::RawTensor;
use latten_core::storage::UntypedStorage;
use latten_spec::DType;

use crate::value::Value;

/// What tells a storage from others: its number, where it begins and how long it is, since slices of one have its number.
pub(super) type StorageKey = (usize, usize, usize);

pub(super) fn key_of(storage: &UntypedStorage) -> StorageKey {
    (storage.id(), storage.data_ptr(), storage.nbytes())
}

/// The class of a storage in a pickle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Numbers of this dtype: `FloatStorage`.
    Of(DType),
    /// Bytes: `UntypedStorage`.
    Untyped,
}

pub(super) type Uses = HashMap<StorageKey, Class>;

/// The classes of all storages of a value.
pub(super) fn uses(value: &Value) -> Uses {
    let (mut uses, mut seen, mut rest) = (Uses::new(), HashSet::new(), vec![value.clone()]);
    while let Some(value) = rest.pop() {
        if value.id() != 0 && !seen.insert(value.id()) {
            continue;
        }
        match value {
            Value::List(items) | Value::Tuple(items) | Value::Set(items) => rest.extend(items.iter().cloned()),
            Value::Dict(dict) => {
                rest.extend(dict.iter().flat_map(|(key, value)| [key.clone(), value.clone()]));
                rest.extend(dict.attributes().cloned().map(Value::Dict));
            }
            Value::Tensor(saved) => {
                note_tensor(&mut uses, saved.as_written().0);
                rest.extend(saved.marks().attributes.clone().map(Value::Dict));
            }
            Value::Sparse(sparse) => {
                [sparse.raw().raw_indices(), sparse.raw().raw_values()].into_iter().for_each(|part| note_tensor(&mut uses, part))
            }
            Value::Storage(storage) => note(&mut uses, storage.untyped(), storage.dtype()),
            _ => {}
        }
    }
    uses
}

fn note_tensor(uses: &mut Uses, tensor: &RawTensor) {
    note(uses, tensor.storage(), tensor.dtype());
}

fn note(uses: &mut Uses, storage: &UntypedStorage, dtype: DType) {
    let has_class = dtype.legacy_name().is_some() && storage.nbytes().is_multiple_of(dtype.itemsize());
    let class = if has_class { Class::Of(dtype) } else { Class::Untyped };
    uses.entry(key_of(storage)).and_modify(|known| *known = if *known == class { class } else { Class::Untyped }).or_insert(class);
}
