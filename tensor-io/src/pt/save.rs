//! Writing `.pt` files, record for record in PyTorch's order, so that its readers find all places where they compute them.

use std::path::Path;

use latten_core::error::Result;

use crate::options::Save;
use crate::pickle::write::pickle;
use crate::target::Target;
use crate::value::Value;
use crate::zip::write::{Content, Writer};

/// Writes a value.
pub(crate) fn save(path: &Path, value: &Value, save: &Save<'_>) -> Result<()> {
    let (pickle, storages) = pickle(value)?;
    // The folder has the file's name without its suffix, in PyTorch's way.
    let root = path.file_stem().map_or("archive".into(), |stem| stem.to_string_lossy().into_owned());
    let total = storages.iter().map(|storage| storage.nbytes() as u64).sum();
    let mut target = Target::create(path, total, save)?;
    let mut writer = Writer::default();
    let mut word =
        |target: &mut Target<'_>, name: &str, bytes: &[u8]| writer.add(target, &format!("{root}/{name}"), &Content::Bytes(bytes));
    word(&mut target, "data.pkl", &pickle)?;
    word(&mut target, ".format_version", b"1")?;
    word(&mut target, ".storage_alignment", b"64")?;
    word(&mut target, "byteorder", b"little")?;
    for (key, storage) in storages.iter().enumerate() {
        writer.add(&mut target, &format!("{root}/data/{key}"), &Content::Storage(&[], storage))?;
    }
    writer.add(&mut target, &format!("{root}/version"), &Content::Bytes(b"3\n"))?;
    writer.finish(&mut target)?;
    target.finish()
}
