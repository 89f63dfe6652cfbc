//! safetensors: a header of JSON, and the elements of all tensors, one after the other without a hole.
//!
//! The reader asks all that the format's text asks, also where the reference doesn't: no name twice, `{` first, nothing but spaces after.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use latten_core::error::Result;
use latten_core::geometry::{Dims, Geometry};
use latten_core::raw::RawTensor;
use latten_core::storage::UntypedStorage;
use latten_spec::DType;

use crate::fault::{Within, broken, unsupported};
use crate::json::{Reader, quoted};
use crate::options::{Load, Save};
use crate::source::Source;
use crate::storages::{Part, fetch, row_major};
use crate::target::Target;
use crate::value::{Dict, Value};

/// The reference refuses longer headers.
const LONGEST_HEADER: u64 = 100_000_000;
const METADATA: &str = "__metadata__";
/// Headers are padded to this, so that elements are aligned.
const ALIGNMENT: usize = 8;

/// What a header says of one tensor, and as which one it says so.
struct Info {
    place: usize,
    name: String,
    dtype: DType,
    sizes: Dims,
    begin: u64,
    end: u64,
}

/// Texts beside the tensors: names and texts.
pub(crate) type Texts = Vec<(String, String)>;

/// Reads all tensors, and the texts beside them where there are some.
pub(crate) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<(Dict, Option<Texts>)> {
    let (infos, texts, start) = header(source).within("Error while deserializing header")?;
    let parts = infos.iter().map(|info| {
        let nbytes = usize::try_from(info.end - info.begin).map_err(|_| broken(format!("`{}` is too large", info.name)))?;
        Ok(Part::plain(&info.name, start + info.begin, nbytes))
    });
    let parts = parts.collect::<Result<Vec<_>>>()?;
    let mut tensors: Vec<_> = infos.into_iter().zip(fetch(source, load, &parts)?).collect();
    // Elements were read as they lie; names have the order in which the header has them.
    tensors.sort_by_key(|(info, _)| info.place);
    let mut dict = Dict::new();
    for (info, storage) in tensors {
        let tensor = RawTensor::over(storage, info.dtype, Geometry::contiguous(&info.sizes)).within(&info.name)?;
        dict.insert(info.name, tensor);
    }
    Ok((dict, texts))
}

fn header(source: &Source<'_>) -> Result<(Vec<Info>, Option<Texts>, u64)> {
    if source.len() < 8 {
        return Err(broken(format!("header too small: the file has {} bytes", source.len())));
    }
    let mut size = [0; 8];
    source.read(0, &mut size)?;
    let size = u64::from_le_bytes(size);
    if size > LONGEST_HEADER {
        return Err(broken(format!("header too large: {size} bytes, at most {LONGEST_HEADER} are read")));
    }
    if !source.has(8, size) {
        return Err(broken(format!("invalid header length: {size} bytes, but the file has {}", source.len())));
    }
    let bytes = source.bytes(8, size)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| broken(format!("invalid UTF-8 in header: {error}")))?;
    if !text.starts_with('{') {
        return Err(broken("invalid start character in header: it must be `{`"));
    }
    let (mut infos, texts) = entries(text)?;
    check_tiling(&mut infos, source.len() - 8 - size)?;
    Ok((infos, texts, 8 + size))
}

fn entries(text: &str) -> Result<(Vec<Info>, Option<Texts>)> {
    let mut reader = Reader::new(text);
    let (mut infos, mut texts, mut names) = (Vec::new(), None, HashSet::new());
    let mut is_first = true;
    reader.expect(b'{')?;
    while reader.goes_on(&mut is_first, b'}')? {
        let name = reader.key()?;
        if !names.insert(name.clone()) {
            return Err(broken(format!("the name `{name}` twice")));
        }
        if name == METADATA {
            texts = metadata(&mut reader).within(METADATA)?;
        } else {
            infos.push(info(&mut reader, infos.len(), name)?);
        }
    }
    reader.end()?;
    Ok((infos, texts))
}

fn metadata(reader: &mut Reader<'_>) -> Result<Option<Texts>> {
    if reader.is_null() {
        return Ok(None);
    }
    let (mut texts, mut names) = (Texts::new(), HashSet::new());
    let mut is_first = true;
    reader.expect(b'{')?;
    while reader.goes_on(&mut is_first, b'}')? {
        let name = reader.key()?;
        if !names.insert(name.clone()) {
            return Err(broken(format!("the name `{name}` twice")));
        }
        texts.push((name, reader.string()?));
    }
    Ok(Some(texts))
}

fn info(reader: &mut Reader<'_>, place: usize, name: String) -> Result<Info> {
    let (mut kind, mut sizes, mut bytes) = (None, None, None);
    let mut is_first = true;
    reader.expect(b'{').within(&name)?;
    while reader.goes_on(&mut is_first, b'}').within(&name)? {
        let field = reader.key().within(&name)?;
        let is_new = match field.as_str() {
            "dtype" => kind.replace(reader.string().within(&name)?).is_none(),
            "shape" => sizes.replace(naturals(reader).within(&name)?).is_none(),
            "data_offsets" => bytes.replace(naturals(reader).within(&name)?).is_none(),
            _ => {
                reader.skip().within(&name)?;
                true
            }
        };
        if !is_new {
            return Err(broken(format!("{name}: duplicate field `{field}`")));
        }
    }
    let missing = |field: &str| broken(format!("{name}: missing field `{field}`"));
    let (kind, sizes) = (kind.ok_or_else(|| missing("dtype"))?, sizes.ok_or_else(|| missing("shape"))?);
    let Some(&dtype) = DType::ALL.iter().find(|dtype| dtype.safetensors_name() == Some(&kind)) else {
        return Err(unsupported(format!("{name}: the dtype `{}`, which latten doesn't have", kind.chars().take(20).collect::<String>())));
    };
    let &[begin, end] = bytes.ok_or_else(|| missing("data_offsets"))?.as_slice() else {
        return Err(broken(format!("{name}: `data_offsets` are two numbers")));
    };
    let signed = |&size: &u64| usize::try_from(size).ok().filter(|size| isize::try_from(*size).is_ok());
    let sizes = sizes.iter().map(signed).collect::<Option<Dims>>().ok_or_else(|| broken(format!("{name}: a size is too large")))?;
    Ok(Info { place, name, dtype, sizes, begin, end })
}

fn naturals(reader: &mut Reader<'_>) -> Result<Vec<u64>> {
    let (mut numbers, mut is_first) = (Vec::new(), true);
    reader.expect(b'[')?;
    while reader.goes_on(&mut is_first, b']')? {
        numbers.push(reader.natural()?);
    }
    Ok(numbers)
}

/// That the tensors are as long as they say, follow each other, and are all that there is.
fn check_tiling(infos: &mut [Info], len: u64) -> Result<()> {
    infos.sort_by_key(|info| (info.begin, info.end));
    let mut at = 0;
    for Info { name, dtype, sizes, begin, end, .. } in infos {
        if *begin != at || end < begin {
            return Err(broken(format!(
                "invalid offset for tensor `{name}`: it has bytes {begin} to {end}, and the one before ends at {at}"
            )));
        }
        let nbytes = latten_core::geometry::dense_nbytes(sizes, dtype.itemsize())
            .map_err(|_| broken(format!("overflow computing buffer size from shape and/or element type of tensor `{name}`: {sizes:?}")))?;
        if nbytes as u64 != *end - *begin {
            return Err(broken(format!(
                "invalid shape, data type, or offset for tensor `{name}`: {sizes:?} of {dtype} has {nbytes} bytes, the offsets {}",
                *end - *begin
            )));
        }
        at = *end;
    }
    if at == len {
        return Ok(());
    }
    Err(broken(format!("incomplete metadata, file not fully covered: the tensors have {at} bytes, and {len} follow the header")))
}

/// A tensor on its way into a file.
pub(crate) struct Outgoing<'a> {
    place: usize,
    pub(crate) name: &'a str,
    kind: &'static str,
    sizes: &'a [usize],
    storage: UntypedStorage,
}

impl Outgoing<'_> {
    pub(crate) fn nbytes(&self) -> u64 {
        self.storage.nbytes() as u64
    }
}

/// The tensors of a dict as their elements will be written: wide ones first, then by name. None may share memory with another.
pub(crate) fn outgoing(value: &Value) -> Result<Vec<Outgoing<'_>>> {
    let Value::Dict(dict) = value else {
        return Err(unsupported(format!("a safetensors file holds a dict of tensors, not a {}", value.kind())));
    };
    let mut tensors = Vec::with_capacity(dict.len());
    for (key, value) in dict.iter() {
        let (Value::Str(text), Value::Tensor(tensor)) = (key, value) else {
            return Err(unsupported(format!("a safetensors file holds tensors by name, not a {} by a {}", value.kind(), key.kind())));
        };
        if &**text == METADATA {
            return Err(broken(format!("a tensor can't have the name {METADATA}: no reader would find it")));
        }
        let raw = tensor.tensor().raw();
        let Some(kind) = raw.dtype().safetensors_name() else {
            return Err(unsupported(format!("{text}: safetensors have no dtype for {}", raw.dtype())));
        };
        tensors.push((text, raw, kind));
    }
    check_unshared(&tensors)?;
    let mut tensors: Vec<_> = tensors.into_iter().enumerate().collect();
    tensors.sort_by_key(|(_, (text, raw, _))| (Reverse(raw.dtype().safetensors_place()), *text));
    let outgoing = tensors
        .into_iter()
        .map(|(place, (name, raw, kind))| Ok(Outgoing { place, name, kind, sizes: raw.sizes(), storage: row_major(raw).within(name)? }));
    outgoing.collect()
}

/// The format has no sharing: whoever saves tensors that share memory would get them back apart.
fn check_unshared(tensors: &[(&std::sync::Arc<str>, &RawTensor, &str)]) -> Result<()> {
    let mut by_storage: HashMap<usize, Vec<(usize, usize, &str)>> = HashMap::new();
    for (text, raw, _) in tensors {
        if let Some((first, last)) = raw.geometry().extent()? {
            let (itemsize, base) = (raw.dtype().itemsize(), raw.storage().data_ptr());
            by_storage.entry(raw.storage().id()).or_default().push((base + first * itemsize, base + (last + 1) * itemsize, text));
        }
    }
    for spans in by_storage.values_mut() {
        spans.sort_unstable();
        if let Some(pair) = spans.windows(2).find(|pair| pair[1].0 < pair[0].1) {
            return Err(broken(format!(
                "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: \
                 `{}` and `{}`. Give one a copy of its own, or save as .pt",
                pair[0].2, pair[1].2
            )));
        }
    }
    Ok(())
}

/// Writes a dict of tensors.
pub(crate) fn save(path: &Path, value: &Value, save: &Save<'_>) -> Result<()> {
    write(path, &outgoing(value)?, save)
}

pub(crate) fn write(path: &Path, tensors: &[Outgoing<'_>], save: &Save<'_>) -> Result<()> {
    let mut entries = Vec::with_capacity(tensors.len());
    let mut texts = save.metadata.to_vec();
    texts.sort_unstable();
    let mut at = 0;
    for tensor in tensors {
        let Outgoing { place, name, kind, sizes, .. } = tensor;
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let end = at + tensor.nbytes();
        let entry = format!("{}:{{\"dtype\":\"{kind}\",\"shape\":[{}],\"data_offsets\":[{at},{end}]}}", quoted(name), sizes.join(","));
        entries.push((Some(*place), entry));
        at = end;
    }
    if !texts.is_empty() {
        let texts: Vec<String> = texts.iter().map(|(name, text)| format!("{}:{}", quoted(name), quoted(text))).collect();
        entries.push((None, format!("{}:{{{}}}", quoted(METADATA), texts.join(","))));
    }
    // The texts, and then the tensors in the order in which they were given.
    entries.sort_by_key(|(place, _)| *place);
    let entries: Vec<String> = entries.into_iter().map(|(_, entry)| entry).collect();
    let mut header = format!("{{{}}}", entries.join(","));
    header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(ALIGNMENT) - header.len()));
    if header.len() as u64 > LONGEST_HEADER {
        return Err(broken(format!("a header of {} bytes; no reader takes more than {LONGEST_HEADER}", header.len())));
    }
    let mut target = Target::create(path, at, save)?;
    target.put(&(header.len() as u64).to_le_bytes())?;
    target.put(header.as_bytes())?;
    tensors.iter().try_for_each(|tensor| target.put_storage(&tensor.storage))?;
    target.finish()
}
