//! Checkpoints in several files: `model.safetensors.index.json` says in which file beside it each tensor is.

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path};

use latten_core::error::Result;

use crate::fault::{Within, broken, unsupported};
use crate::json::{Reader, quoted};
use crate::options::Save;
use crate::safetensors::{Outgoing, outgoing, write};
use crate::source::Source;
use crate::target::Target;
use crate::value::{Dict, Value};

/// What every such name ends in.
const SUFFIX: &str = ".index.json";
/// No index is longer.
const LONGEST: u64 = 100_000_000;

/// Reads the tensors that the index names, in its order.
pub(crate) fn load(source: &Source<'_>, path: Option<&Path>, read: impl Fn(&Path) -> Result<Value>) -> Result<Dict> {
    let Some(path) = path else { return Err(unsupported("an index in memory: the files beside it aren't there")) };
    if source.len() > LONGEST {
        return Err(broken(format!("an index of {} bytes; at most {LONGEST} are read", source.len())));
    }
    let bytes = source.bytes(0, source.len())?;
    let text = std::str::from_utf8(&bytes).map_err(|error| broken(format!("it isn't UTF-8: {error}")))?;
    let map = weight_map(text)?;
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut shards = BTreeMap::new();
    for (_, shard) in &map {
        if !shards.contains_key(shard) {
            check_name(shard, &own)?;
            let path = path.with_file_name(shard);
            let Value::Dict(dict) = read(&path)? else { return Err(broken(format!("{shard}: it holds no tensors by name"))) };
            shards.insert(shard.clone(), dict);
        }
    }
    let mut dict = Dict::new();
    for (name, shard) in map {
        let value = shards.get(&shard).and_then(|dict| dict.value(&name)).cloned();
        dict.insert(name.as_str(), value.ok_or_else(|| broken(format!("{name}: it isn't in {shard}, where the index says")))?);
    }
    Ok(dict)
}

fn weight_map(text: &str) -> Result<Vec<(String, String)>> {
    let mut reader = Reader::new(text);
    let (mut map, mut is_first) = (None, true);
    reader.expect(b'{')?;
    while reader.goes_on(&mut is_first, b'}')? {
        if reader.key()? != "weight_map" {
            reader.skip()?;
        } else if map.replace(entries(&mut reader).within("weight_map")?).is_some() {
            return Err(broken("weight_map twice"));
        }
    }
    reader.end()?;
    map.ok_or_else(|| broken("there is no weight_map: it is no index of a checkpoint"))
}

fn entries(reader: &mut Reader<'_>) -> Result<Vec<(String, String)>> {
    let (mut map, mut names, mut is_first) = (Vec::new(), HashSet::new(), true);
    reader.expect(b'{')?;
    while reader.goes_on(&mut is_first, b'}')? {
        let name = reader.key()?;
        if !names.insert(name.clone()) {
            return Err(broken(format!("the name `{name}` twice")));
        }
        map.push((name, reader.string()?));
    }
    Ok(map)
}

/// That a shard is a plain name of a file beside the index, and not an index.
fn check_name(shard: &str, own: &str) -> Result<()> {
    let mut parts = Path::new(shard).components();
    let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    if !is_plain || shard.contains(['/', '\\', '\0', ':']) || shard == own || shard.ends_with(".json") {
        return Err(broken(format!(
            "the shard {:?}: it must be a plain name of a file beside the index",
            shard.chars().take(80).collect::<String>()
        )));
    }
    Ok(())
}

/// Writes tensors into files of about the size that was asked for, and then the index. An old checkpoint of another number of files stays beside.
pub(crate) fn save(path: &Path, value: &Value, save: &Save<'_>) -> Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(stem) = name.strip_suffix(SUFFIX).map(|stem| stem.strip_suffix(".safetensors").unwrap_or(stem)) else {
        return Err(unsupported(format!("an index is named `…{SUFFIX}`")));
    };
    let mut shards: Vec<Vec<Outgoing<'_>>> = vec![Vec::new()];
    let (mut size, mut total) = (0, 0);
    for tensor in outgoing(value)? {
        let nbytes = tensor.nbytes();
        total += nbytes;
        if size > 0 && size + nbytes > save.shard {
            shards.push(Vec::new());
            size = 0;
        }
        size += nbytes;
        if let Some(shard) = shards.last_mut() {
            shard.push(tensor);
        }
    }
    let mut map = BTreeMap::new();
    for (number, shard) in shards.iter().enumerate() {
        let file = format!("{stem}-{:05}-of-{:05}.safetensors", number + 1, shards.len());
        write(&path.with_file_name(&file), shard, save).within(&file)?;
        map.extend(shard.iter().map(|tensor| (tensor.name, file.clone())));
    }
    let entries: Vec<String> = map.iter().map(|(name, file)| format!("    {}: {}", quoted(name), quoted(file))).collect();
    let text =
        format!("{{\n  \"metadata\": {{\n    \"total_size\": {total}\n  }},\n  \"weight_map\": {{\n{}\n  }}\n}}\n", entries.join(",\n"));
    let mut target = Target::create(path, 0, save)?;
    target.put(text.as_bytes())?;
    target.finish()
}
