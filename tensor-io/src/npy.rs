//! numpy's `.npy`: one array. The header is a Python dict as text, read by a parser that knows nothing else; no pickle is ever read.

mod header;

use std::path::Path;

use latten_core::error::Result;
use latten_core::geometry::strides::contiguous_strides;
use latten_core::geometry::{Dims, Geometry};
use latten_core::raw::RawTensor;
use latten_spec::DType;

use crate::fault::{Within, broken, unsupported};
use crate::options::{Load, Save};
use crate::source::Source;
use crate::storages::{Part, fetch, row_major};
use crate::target::Target;
use crate::value::Value;

pub(crate) use header::{NpyHeader, Order};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// The bytes before the header of version 1.0, and of the others.
const PREFIX: u64 = 10;
const LONG_PREFIX: u64 = 12;
/// No header is longer: numpy itself refuses one of more than 10,000 letters.
const LONGEST_HEADER: u64 = 1 << 16;
/// Where data begins.
const ALIGNMENT: usize = 64;

/// An array, when its header is known.
pub(crate) struct Array {
    pub(crate) header: NpyHeader,
    /// How many bytes stand before the data.
    pub(crate) prefix: u64,
}

/// Reads the header of an array, whose bytes are got by place and count.
pub(crate) fn describe(len: u64, read: impl Fn(u64, u64) -> Result<Vec<u8>>) -> Result<Array> {
    let start = read(0, LONG_PREFIX.min(len))?;
    if !start.starts_with(MAGIC) {
        return Err(broken("it doesn't begin as an npy file does"));
    }
    let (Some(&major), Some(&minor)) = (start.get(6), start.get(7)) else { return Err(broken("it ends in its first bytes")) };
    let number = |count: usize| start.get(8..8 + count).map(|bytes| bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)));
    let (prefix, size) = match (major, minor) {
        (1, 0) => (PREFIX, number(2)),
        (2 | 3, 0) => (LONG_PREFIX, number(4)),
        _ => return Err(unsupported(format!("npy version {major}.{minor}; 1.0, 2.0 and 3.0 are read"))),
    };
    let Some(size) = size else { return Err(broken("it ends in its first bytes")) };
    if size > LONGEST_HEADER || prefix + size > len {
        return Err(broken(format!("a header of {size} bytes; the file has {len}, and no header is longer than {LONGEST_HEADER}")));
    }
    let header = header::parse(&read(prefix, size)?, major == 3).within("the header")?;
    Ok(Array { header, prefix: prefix + size })
}

impl Array {
    /// The geometry of the array, after a check that its elements are there.
    pub(crate) fn geometry(&self, len: u64) -> Result<(Geometry, usize)> {
        let sizes = &self.header.sizes;
        let nbytes = latten_core::geometry::dense_nbytes(sizes, self.header.dtype.itemsize())?;
        if nbytes as u64 > len.saturating_sub(self.prefix) {
            return Err(broken(format!(
                "shape {sizes:?} of {} needs {nbytes} bytes, but only {} follow",
                self.header.dtype,
                len - self.prefix
            )));
        }
        let strides = match self.header.order {
            Order::C => contiguous_strides(sizes),
            Order::Fortran => fortran_strides(sizes),
        };
        Ok((Geometry { sizes: sizes.clone(), strides, offset: 0 }, nbytes))
    }

    /// The dtype whose bytes have to be turned.
    pub(crate) fn turned(&self) -> Option<DType> {
        (self.header.is_big && self.header.dtype.to_real().itemsize() > 1).then_some(self.header.dtype)
    }
}

fn fortran_strides(sizes: &[usize]) -> Dims {
    let mut stride = 1;
    let step = |&size: &usize| {
        let own = stride;
        stride *= size.max(1);
        own
    };
    sizes.iter().map(step).collect()
}

/// Reads an array.
pub(crate) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<Value> {
    let array = describe(source.len(), |at, nbytes| source.bytes(at, nbytes))?;
    let (geometry, nbytes) = array.geometry(source.len())?;
    let part = Part { turned: array.turned(), ..Part::plain("the array", array.prefix, nbytes) };
    let storage = fetch(source, load, &[part])?.swap_remove(0);
    Ok(RawTensor::over(storage, array.header.dtype, geometry)?.into())
}

/// What stands before the elements, and the elements in the order that they are written in.
pub(crate) fn encode(tensor: &RawTensor) -> Result<(Vec<u8>, latten_core::storage::UntypedStorage)> {
    let dtype = tensor.dtype();
    let Some(code) = dtype.numpy_code() else { return Err(unsupported(format!("numpy has no dtype for {dtype}"))) };
    let is_row_major = *tensor.strides() == contiguous_strides(tensor.sizes());
    let reversed = transposed(tensor)?;
    let is_fortran = !is_row_major && tensor.rank() > 1 && is_contiguous(&reversed);
    let storage = row_major(if is_fortran { &reversed } else { tensor })?;
    let order = if is_fortran { "True" } else { "False" };
    let sizes: String = tensor.sizes().iter().map(|size| format!("{size}, ")).collect();
    let sizes = if tensor.rank() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let mark = if dtype.itemsize() == 1 { '|' } else { '<' };
    let mut header = format!("{{'descr': '{mark}{code}', 'fortran_order': {order}, 'shape': ({sizes}), }}").into_bytes();
    let long = header.len() + ALIGNMENT > usize::from(u16::MAX);
    let prefix = usize::try_from(if long { LONG_PREFIX } else { PREFIX }).unwrap_or(0);
    let padded = (prefix + header.len() + 1).next_multiple_of(ALIGNMENT) - prefix;
    header.resize(padded - 1, b' ');
    header.push(b'\n');
    let mut start = [MAGIC, &[if long { 2 } else { 1 }, 0]].concat();
    start.extend(&(header.len() as u64).to_le_bytes()[..prefix - 8]);
    start.extend(header);
    Ok((start, storage))
}

/// Whether the strides are those of row-major order, where they matter.
fn is_contiguous(tensor: &RawTensor) -> bool {
    let expected = contiguous_strides(tensor.sizes());
    tensor.sizes().iter().zip(tensor.strides().iter().zip(&expected)).all(|(size, (stride, expected))| *size == 1 || stride == expected)
}

fn transposed(tensor: &RawTensor) -> Result<RawTensor> {
    let geometry = tensor.geometry();
    let reversed = |dims: &Dims| dims.iter().rev().copied().collect();
    let geometry = Geometry { sizes: reversed(&geometry.sizes), strides: reversed(&geometry.strides), offset: geometry.offset };
    RawTensor::over(tensor.storage().clone(), tensor.dtype(), geometry)
}

/// Writes an array.
pub(crate) fn save(path: &Path, value: &Value, save: &Save<'_>) -> Result<()> {
    let Value::Tensor(tensor) = value else {
        return Err(unsupported(format!("an npy file holds one tensor, as `save(path, &tensor)` writes, not a {}", value.kind())));
    };
    let (start, storage) = encode(tensor.tensor().raw())?;
    let mut target = Target::create(path, storage.nbytes() as u64, save)?;
    target.put(&start)?;
    target.put_storage(&storage)?;
    target.finish()
}
