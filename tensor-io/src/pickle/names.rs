//! The names that a pickle may mention: all of them. A name that isn't here is an error where it stands.

use latten_core::error::Result;
use latten_spec::DType;

use crate::fault::{broken, unsupported};

/// A name, by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    OrderedDict,
    Counter,
    /// `_codecs.encode`: how bytes are written.
    Encode,
    ByteArray,
    Complex,
    Set,
    Size,
    Device,
    GetLayout,
    DType(DType),
    /// A class of storages; without a dtype it is `UntypedStorage`.
    Storage(Option<DType>),
    /// `torch.Tensor`, the class: only `_rebuild_from_type_v2` mentions it.
    TensorClass,
    RebuildTensor,
    RebuildTensorV2,
    RebuildTensorV3,
    RebuildParameter,
    RebuildParameterWithState,
    RebuildFromType,
    RebuildSparse,
    RebuildMeta,
    /// `torch.nn.parameter.Buffer` and `Parameter`, the classes.
    ParameterClass,
}

/// Names that no file of tensors needs and that reach the machine.
const BLOCKED: [&str; 4] = ["sys", "os", "posix", "nt"];

/// The meaning of a name.
pub(crate) fn named(module: &str, name: &str) -> Result<Name> {
    if let Some(found) = known(module, name) {
        return Ok(found);
    }
    let (module, name) = (shortened(module), shortened(name));
    if BLOCKED.contains(&module.as_str()) {
        return Err(broken(format!("the name {module}.{name}, whose module {module} is blocked: nothing of a file is ever run")));
    }
    Err(unsupported(format!(
        "Unsupported global: GLOBAL {module}.{name} was not an allowed global by default; nothing of a file is ever run"
    )))
}

fn shortened(name: &str) -> String {
    name.chars().take(100).flat_map(char::escape_debug).collect()
}

fn known(module: &str, name: &str) -> Option<Name> {
    Some(match (module, name) {
        ("collections", "OrderedDict") => Name::OrderedDict,
        ("collections", "Counter") => Name::Counter,
        ("_codecs", "encode") => Name::Encode,
        ("builtins" | "__builtin__", "bytearray") => Name::ByteArray,
        ("builtins" | "__builtin__", "complex") => Name::Complex,
        ("builtins" | "__builtin__", "set") => Name::Set,
        ("torch", "Size") => Name::Size,
        ("torch", "device") => Name::Device,
        ("torch", "Tensor") => Name::TensorClass,
        ("torch.nn.parameter", "Parameter" | "Buffer") => Name::ParameterClass,
        ("torch.serialization", "_get_layout") => Name::GetLayout,
        ("torch.storage", "UntypedStorage") | ("torch", "UntypedStorage") => Name::Storage(None),
        ("torch._utils", "_rebuild_tensor") => Name::RebuildTensor,
        ("torch._utils", "_rebuild_tensor_v2") => Name::RebuildTensorV2,
        ("torch._utils", "_rebuild_tensor_v3") => Name::RebuildTensorV3,
        ("torch._utils", "_rebuild_parameter") => Name::RebuildParameter,
        ("torch._utils", "_rebuild_parameter_with_state") => Name::RebuildParameterWithState,
        ("torch._utils", "_rebuild_sparse_tensor") => Name::RebuildSparse,
        ("torch._utils", "_rebuild_meta_tensor_no_storage") => Name::RebuildMeta,
        ("torch._tensor", "_rebuild_from_type_v2") => Name::RebuildFromType,
        ("torch" | "torch.cuda", class) if class.ends_with("Storage") => {
            let stem = class.strip_suffix("Storage");
            Name::Storage(Some(DType::ALL.iter().copied().find(|dtype| stem.is_some() && dtype.legacy_name() == stem)?))
        }
        ("torch", dtype) => Name::DType(DType::ALL.iter().copied().find(|own| own.name() == dtype)?),
        _ => return None,
    })
}
