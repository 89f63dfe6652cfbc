//! Storages, untyped and typed, and the methods of tensors that lay them over storages.

use latten::OfOptions as _;
use latten::storage::{ByteOrder, FromBuffer, Source, TypedStorage, UntypedStorage};
use latten::{DType, Device, DynTensor};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op.split_once('.') {
        Some(("untyped_storage", "new")) => Ok(UntypedStorage::new(args.at(0, "").count()?, Device::CPU)?.into()),
        Some(("untyped_storage", "from_buffer")) => from_buffer(args),
        Some(("untyped_storage", member)) => untyped(member, args),
        Some(("typed_storage", "new")) => Ok(TypedStorage::from_scalars(&args.at(0, "").numbers()?, args.at(1, "dtype").dtype()?)?.into()),
        Some(("typed_storage", member)) => typed(member, args),
        Some(_) => Err(unknown(op)),
        None => of_tensor(op, args),
    }
}

fn from_buffer(args: &Arguments) -> Outcome {
    let bytes = args.at(0, "").ints()?.into_iter().map(|byte| byte as u8).collect::<Vec<_>>();
    let dtype = args.named("dtype").dtype()?;
    let mut how = FromBuffer::new(dtype).offset(args.named("offset").int_or(0)? as i64);
    let order = args.named("byte_order").given().map(|order| order.text()).transpose()?;
    // PyTorch doesn't read the name of an order that bytes don't have.
    if let Some(order) = order.filter(|_| dtype.itemsize() > 1 || dtype == DType::Bool) {
        how = how.byte_order(order.parse::<ByteOrder>()?);
    }
    if let Ok(count) = usize::try_from(args.named("count").int_or(-1)?) {
        how = how.count(count);
    }
    Ok(UntypedStorage::from_buffer(&bytes, how)?.into())
}

/// The conversions of a storage by name, each by the method of that name.
macro_rules! converted {
    ($storage:expr, $member:expr, $($name:ident)+) => {
        match $member {
            $(stringify!($name) => $storage.$name()?.erase().into(),)+
            _ => return Err(unknown($member)),
        }
    };
}

fn untyped(member: &str, args: &Arguments) -> Outcome {
    let s = args.at(0, "").untyped()?;
    let index = |at: usize| args.at(at, "").int().map(|x| x as i64);
    Ok(match member {
        "tolist" => s.tolist()?.into(),
        "nbytes" => s.nbytes().into(),
        "size" => s.size().into(),
        "get" => s.get(index(1)?)?.into(),
        "set" => s.set(index(1)?, args.at(2, "").number()?)?.into(),
        "slice" => s.slice(index(1)?..index(2)?)?.into(),
        "fill_" => s.fill_(args.at(1, "").number()?)?.clone().into(),
        "copy_" => match args.at(1, "").value()? {
            Value::Typed(source) => s.copy_(source)?.clone().into(),
            _ => s.copy_(args.at(1, "").untyped()?)?.clone().into(),
        },
        "resize_" => s.resize_(args.at(1, "").count()?)?.clone().into(),
        "clone" => s.deep_clone()?.into(),
        "byteswap" => s.byteswap(args.at(1, "").dtype()?)?.into(),
        _ => converted!(s, member, bool byte char short int long half bfloat16 float double complex_float complex_double),
    })
}

fn typed(member: &str, args: &Arguments) -> Outcome {
    let s = args.at(0, "").typed()?;
    let index = || args.at(1, "").int().map(|x| x as i64);
    Ok(match member {
        "tolist" => s.tolist()?.into(),
        "size" => s.size().into(),
        "nbytes" => s.nbytes().into(),
        "element_size" => s.element_size().into(),
        "dtype" => s.dtype().into(),
        "get" => s.get(index()?)?.into(),
        "set" => s.set(index()?, args.at(2, "").number()?)?.into(),
        "fill_" => s.fill_(args.at(1, "").number()?)?.clone().into(),
        "copy_" => match args.at(1, "").value()? {
            Value::Untyped(source) => s.copy_(source)?.clone().into(),
            _ => s.copy_(args.at(1, "").typed()?)?.clone().into(),
        },
        "clone" => s.deep_clone()?.into(),
        "untyped" => s.untyped().clone().into(),
        _ => converted!(s, member, bool byte char short int long half bfloat16 float double complex_float complex_double),
    })
}

fn of_tensor(op: &str, args: &mut Arguments) -> Outcome {
    match op {
        "tensor_of" => {
            let mut tensor = DynTensor::empty([0], args.at(1, "dtype").dtype()?)?;
            tensor.set_(args.at(0, "").untyped()?)?;
            return Ok(tensor.into());
        }
        "set_" => return args.in_place(|tensor, args| Ok(tensor.set_(source(args)?).map(drop)?)),
        _ => {}
    }
    if let ("untyped_storage", Ok(Value::Sparse(_))) = (op, args.at(0, "input").value()) {
        return Err(Failure::Uncompilable);
    }
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    Ok(match op {
        "untyped_storage" => x.untyped_storage().clone().into(),
        "typed_storage" => x.storage().into(),
        _ => return Err(unknown(op)),
    })
}

/// What `set_` reads: nothing, a tensor, a storage, or a part of a storage.
fn source(args: &Arguments) -> Outcome<Source> {
    let source = args.at(1, "source");
    if source.is_none() {
        return Ok(().into());
    }
    let source = match source.value()? {
        Value::Tensor(tensor) => tensor.into(),
        Value::Typed(storage) => storage.into(),
        _ => Source::from(source.untyped()?),
    };
    let offset = args.at(2, "storage_offset");
    if offset.is_none() {
        return Ok(source);
    }
    let strides = args.at(4, "stride").given().map(|strides| strides.ints()).transpose()?;
    Ok(source.part(offset.int()?, &args.at(3, "size").ints()?, strides.as_deref()))
}
