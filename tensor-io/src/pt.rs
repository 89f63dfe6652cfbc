//! PyTorch's `.pt` and `.pth`: a pickle that describes values, and the bytes of storages beside it in a zip archive; before 1.6 one file of
//! pickles and bytes (`legacy`). How nodes become values is in `build`, writing in `save`.

mod build;
mod legacy;
mod save;

use std::collections::HashMap;
use std::rc::Rc;

use latten_core::error::Result;
use latten_core::storage::UntypedStorage;

use crate::fault::{Within, broken, unsupported};
use crate::options::Load;
use crate::pickle::machine::{Machine, run};
use crate::source::{Cursor, Source};
use crate::storages::fetch;
use crate::value::Value;
use crate::zip::ZipArchive;

pub(crate) use save::save;

/// The versions of the format that are read: PyTorch's own.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=10;
/// Records that are a word are no longer.
const LONGEST_WORD: u64 = 1024;

/// Reads a file.
pub(crate) fn load(source: &Source<'_>, load: &Load<'_>) -> Result<Value> {
    if source.head(4)?.starts_with(b"PK") { archive(source, load) } else { legacy::load(source, load) }
}

fn archive(source: &Source<'_>, load: &Load<'_>) -> Result<Value> {
    let archive = ZipArchive::read(source, load)?;
    let root = root(&archive)?;
    check_version(source, &archive, root)?;
    let is_big = is_big(source, &archive, root)?;
    let entry = archive.find(&format!("{root}/data.pkl")).ok_or_else(|| broken("there is no data.pkl"))?;
    let bytes = entry.bytes(source).within(&entry.name)?;
    let (machine, value) = run(&mut Cursor::new(&bytes)).within(&entry.name)?;
    let storages = storages(source, load, &archive, root, &machine, is_big)?;
    build::value(&machine, &value, &storages).within(&entry.name)
}

/// The folder of the archive, which all records are in.
fn root(archive: &ZipArchive) -> Result<&str> {
    let folders = archive.entries.iter().filter_map(|entry| entry.name.strip_suffix("/data.pkl")).filter(|folder| !folder.contains('/'));
    let mut folders = folders.collect::<Vec<_>>();
    let (Some(root), None) = (folders.pop(), folders.pop()) else {
        return Err(broken("there is no data.pkl in one folder: it is a zip archive, but not PyTorch's"));
    };
    let outside = |name: &str| name.strip_prefix(root).is_none_or(|rest| !rest.starts_with('/'));
    if let Some(entry) = archive.entries.iter().find(|entry| outside(&entry.name)) {
        return Err(broken(format!("{:?} isn't in the folder {root:?}", entry.name)));
    }
    if archive.find(&format!("{root}/constants.pkl")).is_some() {
        return Err(unsupported("a TorchScript program: code, which is never run"));
    }
    Ok(root)
}

/// A short record as text; none where there is none.
fn word(source: &Source<'_>, archive: &ZipArchive, root: &str, name: &str) -> Result<Option<String>> {
    let Some(entry) = archive.find(&format!("{root}/{name}")) else { return Ok(None) };
    if entry.size > LONGEST_WORD {
        return Err(broken(format!("{name}: {} bytes, where a word should be", entry.size)));
    }
    let bytes = entry.bytes(source).within(name)?;
    String::from_utf8(bytes).map(Some).map_err(|_| broken(format!("{name}: it isn't UTF-8")))
}

fn check_version(source: &Source<'_>, archive: &ZipArchive, root: &str) -> Result<()> {
    let Some(text) = word(source, archive, root, "version")? else { return Err(broken("there is no record `version`")) };
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<u64>() {
        Ok(version) if VERSIONS.contains(&version) => Ok(()),
        Ok(version) => Err(unsupported(format!(
            "Attempted to read a PyTorch file with version {version}, but the maximum supported version for reading is {}.",
            VERSIONS.end()
        ))),
        Err(_) => Err(broken(format!("the version {text:?} is no number"))),
    }
}

fn is_big(source: &Source<'_>, archive: &ZipArchive, root: &str) -> Result<bool> {
    match word(source, archive, root, "byteorder")?.as_deref() {
        None | Some("little") => Ok(false),
        Some("big") => Ok(true),
        Some(other) => Err(broken(format!("Unknown endianness type: {other:?}"))),
    }
}

/// The bytes of the storages that the pickle names, one storage for a key.
fn storages(
    source: &Source<'_>,
    load: &Load<'_>,
    archive: &ZipArchive,
    root: &str,
    machine: &Machine,
    is_big: bool,
) -> Result<Vec<UntypedStorage>> {
    let mut places: HashMap<Rc<str>, usize> = HashMap::new();
    let mut parts = Vec::new();
    let mut own = Vec::with_capacity(machine.storages.len());
    for id in &machine.storages {
        let name = format!("data/{}", id.key);
        let entry = archive.find(&format!("{root}/{name}")).ok_or_else(|| broken(format!("there is no record {name}")))?;
        if entry.size != id.whole {
            return Err(broken(format!("record size ({} bytes) does not match expected size ({} bytes) of {name}", entry.size, id.whole)));
        }
        if id.part.is_some() {
            return Err(broken(format!("{name}: a part of a storage, which only old files have")));
        }
        if is_big && id.is_untyped && id.whole > 0 {
            return Err(unsupported(format!("{name}: a storage without a dtype in a file of a big-endian machine")));
        }
        let place = *places.entry(id.key.clone()).or_insert(parts.len());
        if place == parts.len() {
            let mut part = entry.part()?;
            part.turned = (is_big && id.dtype.to_real().itemsize() > 1).then_some(id.dtype);
            parts.push(part);
        }
        own.push(place);
    }
    let fetched = fetch(source, load, &parts)?;
    Ok(own.into_iter().map(|place| fetched[place].clone()).collect())
}
