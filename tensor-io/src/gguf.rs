//! GGUF, for reading: what llama.cpp keeps models in. Floats and integers are taken as they are, Q8_0 and Q4_0 become float32; tensors of other
//! kinds are named, with an error for whoever asks for one.
//!
//! The metadata is in `metadata`.

mod metadata;

use std::collections::HashSet;

use half::f16;
use latten_core::device::Device;
use latten_core::error::{Error, Result};
use latten_core::geometry::Geometry;
use latten_core::raw::RawTensor;
use latten_core::storage::{ByteStorage, FloatStorage, UntypedStorage};
use latten_spec::DType;

use crate::fault::{Within, broken, unsupported};
use crate::options::Load;
use crate::source::Source;
use crate::storages::{Part, fetch};
use crate::value::Dict;

use metadata::Stream;
pub use metadata::{Datum, Datums};

/// ggml's limits.
const MOST_DIMENSIONS: u32 = 4;
const LONGEST_NAME: usize = 64;
const ALIGNMENT: u32 = 32;
const ALIGNMENT_KEY: &str = "general.alignment";

/// What a GGUF file says beside the elements of its tensors.
#[derive(Clone, Debug)]
pub struct Header {
    /// The version of the format: 2 or 3.
    pub version: u32,
    /// The metadata, in the order of the file.
    pub metadata: Vec<(String, Datum)>,
    /// The tensors, in the order of the file.
    pub tensors: Vec<TensorInfo>,
}

/// A tensor of a GGUF file.
#[derive(Clone, Debug)]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// The kind of its elements.
    pub kind: Kind,
    /// The number of elements along each dimension, as tensors have it: the one that runs fastest comes last.
    pub sizes: Vec<usize>,
    offset: u64,
}

/// A kind of elements: a row of ggml's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(&'static Row);

/// Number, name, elements and bytes of a block, and what latten makes of it.
type Row = (u32, &'static str, usize, usize, Option<DType>);

const F32: Option<DType> = Some(DType::F32);

const ROWS: &[Row] = &[
    (0, "F32", 1, 4, F32),
    (1, "F16", 1, 2, Some(DType::F16)),
    (2, "Q4_0", 32, 18, F32),
    (3, "Q4_1", 32, 20, None),
    (6, "Q5_0", 32, 22, None),
    (7, "Q5_1", 32, 24, None),
    (8, "Q8_0", 32, 34, F32),
    (9, "Q8_1", 32, 36, None),
    (10, "Q2_K", 256, 84, None),
    (11, "Q3_K", 256, 110, None),
    (12, "Q4_K", 256, 144, None),
    (13, "Q5_K", 256, 176, None),
    (14, "Q6_K", 256, 210, None),
    (15, "Q8_K", 256, 292, None),
    (16, "IQ2_XXS", 256, 66, None),
    (17, "IQ2_XS", 256, 74, None),
    (18, "IQ3_XXS", 256, 98, None),
    (19, "IQ1_S", 256, 50, None),
    (20, "IQ4_NL", 32, 18, None),
    (21, "IQ3_S", 256, 110, None),
    (22, "IQ2_S", 256, 82, None),
    (23, "IQ4_XS", 256, 136, None),
    (24, "I8", 1, 1, Some(DType::I8)),
    (25, "I16", 1, 2, Some(DType::I16)),
    (26, "I32", 1, 4, Some(DType::I32)),
    (27, "I64", 1, 8, Some(DType::I64)),
    (28, "F64", 1, 8, Some(DType::F64)),
    (29, "IQ1_M", 256, 56, None),
    (30, "BF16", 1, 2, Some(DType::BF16)),
    (34, "TQ1_0", 256, 54, None),
    (35, "TQ2_0", 256, 66, None),
    (39, "MXFP4", 32, 17, None),
];

impl Kind {
    /// ggml's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.1
    }

    /// The dtype that latten reads it as, if it does.
    #[must_use]
    pub fn dtype(self) -> Option<DType> {
        self.0.4
    }

    fn is_packed(self) -> bool {
        self.0.2 > 1
    }
}

impl Header {
    /// The error of a tensor that is there, but of a kind that latten doesn't read.
    pub(crate) fn unreadable(&self, name: &str) -> Option<Error> {
        let info = self.tensors.iter().find(|info| info.name == name && info.kind.dtype().is_none())?;
        Some(unsupported(format!("{name}: its elements are {}, which latten doesn't read", info.kind.name())))
    }
}

impl TensorInfo {
    /// How many bytes the elements have in the file: whole blocks in each row.
    fn nbytes(&self) -> Result<u64> {
        let (_, kind, block, size, _) = *self.kind.0;
        let row = self.sizes.last().copied().unwrap_or(1);
        if !row.is_multiple_of(block) {
            return Err(broken(format!("rows of {row} elements, but {kind} has blocks of {block}")));
        }
        let count = latten_core::geometry::numel(&self.sizes)?;
        let nbytes = (count / block).checked_mul(size).filter(|nbytes| isize::try_from(*nbytes).is_ok());
        nbytes.map(|nbytes| nbytes as u64).ok_or_else(|| broken(format!("{:?} elements are too many", self.sizes)))
    }
}

/// Reads a file.
pub(crate) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<(Dict, Header)> {
    let mut stream = Stream::new(source);
    let (version, tensors, keys) = start(&mut stream)?;
    let metadata = metadata::read(&mut stream, keys).within("the metadata")?;
    let alignment = alignment(&metadata)?;
    let mut infos = Vec::new();
    let mut names = HashSet::new();
    for number in 0..tensors {
        let info = info(&mut stream).within(format_args!("tensor {number} of {tensors}"))?;
        if !names.insert(info.name.clone()) {
            return Err(broken(format!("the tensor `{}` twice", info.name)));
        }
        infos.push(info);
    }
    let start = stream.at().next_multiple_of(alignment.into());
    let parts = parts(&infos, start, alignment.into(), source.len())?;
    let storages = fetch(source, load, &parts)?;
    let readable = infos.iter().filter_map(|info| info.kind.dtype().map(|dtype| (info, dtype)));
    let mut dict = Dict::new();
    for ((info, dtype), storage) in readable.zip(storages) {
        let storage = if info.kind.is_packed() { unpacked(info.kind, &storage).within(&info.name)? } else { storage };
        let tensor = RawTensor::over(storage, dtype, Geometry::contiguous(&info.sizes)).within(&info.name)?;
        dict.insert(info.name.as_str(), tensor);
    }
    Ok((dict, Header { version, metadata, tensors: infos }))
}

fn start(stream: &mut Stream<'_, '_>) -> Result<(u32, u64, u64)> {
    if &stream.array::<4>()? != b"GGUF" {
        return Err(broken("it doesn't begin with GGUF"));
    }
    let version = stream.u32()?;
    match version {
        2 | 3 => Ok((version, stream.u64()?, stream.u64()?)),
        _ if version.swap_bytes() <= 3 && version != 0 => Err(unsupported("a GGUF file of a big-endian machine")),
        _ => Err(unsupported(format!("GGUF version {version}; 2 and 3 are read"))),
    }
}

fn alignment(metadata: &[(String, Datum)]) -> Result<u32> {
    match metadata.iter().find(|(key, _)| key == ALIGNMENT_KEY).map(|(_, value)| value) {
        None => Ok(ALIGNMENT),
        Some(Datum::U32(alignment)) if alignment.is_power_of_two() && *alignment <= 1 << 20 => Ok(*alignment),
        Some(other) => Err(broken(format!("{ALIGNMENT_KEY} is {other:?}; it must be a uint32 and a power of two"))),
    }
}

fn info(stream: &mut Stream<'_, '_>) -> Result<TensorInfo> {
    let name = stream.string()?;
    let dimensions = stream.u32().within(&name)?;
    if name.len() >= LONGEST_NAME || dimensions > MOST_DIMENSIONS {
        return Err(unsupported(format!("a name of {} bytes, {dimensions} dimensions; GGUF has at most 63 and 4", name.len())));
    }
    let mut sizes = Vec::new();
    for _ in 0..dimensions {
        let size = stream.u64().within(&name)?;
        let signed = usize::try_from(size).ok().filter(|size| isize::try_from(*size).is_ok());
        sizes.push(signed.ok_or_else(|| broken(format!("{name}: a size of {size}")))?);
    }
    sizes.reverse();
    let number = stream.u32().within(&name)?;
    let Some(row) = ROWS.iter().find(|row| row.0 == number) else {
        return Err(unsupported(format!("{name}: elements of kind {number}, which ggml doesn't have")));
    };
    Ok(TensorInfo { name, kind: Kind(row), sizes, offset: stream.u64()? })
}

/// Where the elements are, of the tensors that can be read. All must be there, and none on another's bytes.
fn parts(infos: &[TensorInfo], start: u64, alignment: u64, len: u64) -> Result<Vec<Part>> {
    let mut places = Vec::with_capacity(infos.len());
    let mut parts = Vec::new();
    for info in infos {
        let nbytes = info.nbytes().within(&info.name)?;
        if !info.offset.is_multiple_of(alignment) {
            return Err(broken(format!("{}: it begins at {}, which is no multiple of {alignment}", info.name, info.offset)));
        }
        let at = start.checked_add(info.offset);
        let end = at.and_then(|at| at.checked_add(nbytes)).filter(|end| *end <= len || nbytes == 0);
        let (Some(at), Some(end)) = (at, end) else {
            return Err(broken(format!(
                "{}: its {nbytes} bytes at {start} + {} reach beyond the file, which has {len}",
                info.name, info.offset
            )));
        };
        if nbytes > 0 {
            places.push((at, end, &info.name));
        }
        if info.kind.dtype().is_some() {
            let nbytes = usize::try_from(nbytes).map_err(|_| broken(format!("{}: {nbytes} bytes are too many", info.name)))?;
            parts.push(Part::plain(&info.name, at, nbytes));
        }
    }
    places.sort_unstable();
    match places.windows(2).find(|pair| pair[1].0 < pair[0].1) {
        Some(pair) => Err(broken(format!("the tensors `{}` and `{}` have bytes in common", pair[0].2, pair[1].2))),
        None => Ok(parts),
    }
}

/// The numbers that blocks stand for: each is one product of float32.
fn unpacked(kind: Kind, packed: &UntypedStorage) -> Result<UntypedStorage> {
    let (_, name, elements, size, _) = *kind.0;
    let blocks = packed.nbytes() / size;
    let numbers = UntypedStorage::new(blocks * elements * size_of::<f32>(), Device::CPU)?;
    if blocks == 0 {
        return Ok(numbers);
    }
    let bytes = if packed.is_shared() { UntypedStorage::from_bytes(&packed.tolist()?)? } else { packed.clone() };
    let bytes = ByteStorage::of(bytes).slice()?;
    {
        let mut to = FloatStorage::of(numbers.clone()).slice_mut()?;
        for (block, to) in bytes.chunks_exact(size).zip(to.chunks_exact_mut(elements)) {
            let scale = f16::from_le_bytes([block[0], block[1]]).to_f32();
            match name {
                "Q8_0" => to.iter_mut().zip(&block[2..]).for_each(|(to, byte)| *to = scale * f32::from(byte.cast_signed())),
                _ => {
                    let (low, high) = to.split_at_mut(elements / 2);
                    for ((low, high), byte) in low.iter_mut().zip(high).zip(&block[2..]) {
                        *low = scale * (f32::from(byte & 15) - 8.0);
                        *high = scale * (f32::from(byte >> 4) - 8.0);
                    }
                }
            }
        }
    }
    Ok(numbers)
}
