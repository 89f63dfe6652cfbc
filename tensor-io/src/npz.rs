//! numpy's `.npz`: a zip archive of arrays, each `name.npy`.

use std::path::Path;

use latten_core::error::Result;
use latten_core::raw::RawTensor;
use miniz_oxide::deflate::compress_to_vec;

use crate::fault::{Within, broken, unsupported};
use crate::inflate::sum_behind;
use crate::npy::{describe, encode};
use crate::options::{Load, Packing, Save};
use crate::source::Source;
use crate::storages::{Form, Part, fetch};
use crate::target::Target;
use crate::value::{Dict, Value};
use crate::zip::write::{Content, Writer};
use crate::zip::{Entry, ZipArchive};

const SUFFIX: &str = ".npy";
/// zlib's usual level.
const LEVEL: u8 = 6;

/// Reads all arrays.
pub(crate) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<Value> {
    let archive = ZipArchive::read(source, load)?;
    let mut arrays = Vec::new();
    let mut parts = Vec::new();
    let mut kept = Vec::new();
    for entry in &archive.entries {
        let Some(name) = entry.name.strip_suffix(SUFFIX) else {
            return Err(unsupported(format!("{}: an entry that is no npy file", entry.name)));
        };
        let (array, geometry, part, packed) = array(source, entry).within(&entry.name)?;
        arrays.push((name, array.header.dtype, geometry));
        parts.push(part);
        kept.push(packed);
    }
    // Packed entries were inflated to see their headers; the others are read together.
    let plain: Vec<Part> = parts.into_iter().flatten().collect();
    let mut fetched = fetch(source, load, &plain)?.into_iter();
    let mut dict = Dict::new();
    for ((name, dtype, geometry), packed) in arrays.into_iter().zip(kept) {
        let storage = match packed {
            Some(storage) => storage,
            None => fetched.next().ok_or_else(|| broken(format!("{name}: its bytes weren't read")))?,
        };
        dict.insert(name, RawTensor::over(storage, dtype, geometry).within(name)?);
    }
    Ok(dict.into())
}

type Described = (crate::npy::Array, latten_core::geometry::Geometry, Option<Part>, Option<latten_core::storage::UntypedStorage>);

/// An array's header and, where it is packed, its elements; else where they are.
fn array(source: &Source<'_>, entry: &Entry) -> Result<Described> {
    let whole = entry.part()?;
    if let Form::Deflated(_) = whole.form {
        let bytes = entry.bytes(source)?;
        let window = |at: u64, nbytes: u64| {
            let start = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..usize::try_from(nbytes).ok()?));
            start.map(<[u8]>::to_vec).ok_or_else(|| broken("the array ends early"))
        };
        let array = describe(entry.size, window)?;
        let (geometry, nbytes) = array.geometry(entry.size)?;
        let start = usize::try_from(array.prefix).unwrap_or(usize::MAX);
        let elements = bytes.get(start..).and_then(|rest| rest.get(..nbytes)).ok_or_else(|| broken("the array ends early"))?;
        let storage = latten_core::storage::UntypedStorage::from_bytes(elements)?;
        if let Some(dtype) = array.turned() {
            storage.byteswap(dtype)?;
        }
        return Ok((array, geometry, None, Some(storage)));
    }
    let array = describe(entry.size, |at, nbytes| source.bytes(entry.at + at, nbytes))?;
    let (geometry, nbytes) = array.geometry(entry.size)?;
    // The checksum is of the header and the elements together, so the header's part of it is taken out.
    let is_all = array.prefix + nbytes as u64 == entry.size;
    let head = source.bytes(entry.at, array.prefix)?;
    let turned = array.turned();
    let checksum = match whole.checksum {
        Some(sum) if is_all => Some(sum_behind(sum, &head, nbytes as u64)),
        _ => None,
    };
    if !is_all {
        // numpy ignores what follows the elements, but its checksum counts it.
        entry.bytes(source)?;
    }
    let part = Part { at: entry.at + array.prefix, nbytes, checksum, turned, ..whole };
    Ok((array, geometry, Some(part), None))
}

/// Writes all tensors of a dict.
pub(crate) fn save(path: &Path, value: &Value, save: &Save<'_>) -> Result<()> {
    let Value::Dict(dict) = value else { return Err(unsupported(format!("an npz file holds a dict of tensors, not a {}", value.kind()))) };
    let mut arrays = Vec::new();
    let mut total = 0;
    for (key, value) in dict.iter() {
        let (Value::Str(name), Value::Tensor(tensor)) = (key, value) else {
            return Err(unsupported(format!("an npz file holds tensors by name, not a {} by a {}", value.kind(), key.kind())));
        };
        let (start, storage) = encode(tensor.tensor().raw()).within(name)?;
        total += storage.nbytes() as u64;
        arrays.push((format!("{name}{SUFFIX}"), start, storage));
    }
    let mut target = Target::create(path, total, save)?;
    let mut writer = Writer::default();
    for (name, start, storage) in &arrays {
        match save.packing {
            Packing::Stored => writer.add(&mut target, name, &Content::Storage(start, storage))?,
            Packing::Deflated => {
                let bytes = [start.as_slice(), &storage.tolist()?].concat();
                let packed = compress_to_vec(&bytes, LEVEL);
                writer.add(&mut target, name, &Content::Deflated(&packed, bytes.len() as u64, crc32fast::hash(&bytes)))?;
            }
        }
    }
    writer.finish(&mut target)?;
    target.finish()
}
