//! Storages, untyped and typed, and the methods of tensors that lay them over storages.

use latten::DType;
use latten::storage::{ByteOrder, FromBuffer, TypedStorage, UntypedStorage};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op.split_once('.') {
        Some(("untyped_storage", "new")) => {
            let nbytes = usize::try_from(args.at(0, "").int()?).map_err(|_| unknown(op))?;
            Ok(UntypedStorage::new(nbytes, latten::device::Device::CPU)?.into())
        }
        Some(("untyped_storage", "from_buffer")) => from_buffer(args),
        Some(("untyped_storage", member)) => untyped(member, args),
        Some(("typed_storage", "new")) => Ok(TypedStorage::from_scalars(&args.at(0, "").numbers()?, args.at(1, "dtype").dtype()?)?.into()),
        Some(("typed_storage", member)) => typed(member, args),
        Some(_) => Err(unknown(op)),
        None => Err(unknown(op)),
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
            $(stringify!($name) => $storage.$name()?.any().into(),)+
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
        "resize_" => {
            let nbytes = usize::try_from(args.at(1, "").int()?).map_err(|_| unknown(member))?;
            s.resize_(nbytes)?.clone().into()
        }
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
