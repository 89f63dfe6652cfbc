//! What a file of tensors holds: `cargo run --release --example inspect FILE [NAME]` lists names, dtypes, shapes, strides, sizes and which
//! share a storage, or prints the one tensor of that name. The file is mapped, so that it may be larger than the memory.

use std::path::Path;
use std::process::ExitCode;

use latten::io::{Archive, Format, SavedTensor, Value};
use latten::storage::UntypedStorage;

const USAGE: &str = "usage: inspect FILE [NAME]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (path, name) = match words.as_slice() {
        [path] => (path, None),
        [path, name] => (path, Some(name.as_str())),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match inspect(Path::new(path), name) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The text about a file, or about one tensor of it.
fn inspect(path: &Path, name: Option<&str>) -> latten::Result<String> {
    let archive = match latten::load_mapped(path) {
        Ok(archive) => archive,
        // Files of before 1.6 can't be mapped.
        Err(_) => latten::load(path)?,
    };
    let Some(name) = name else { return Ok(list(&archive)) };
    match archive.value.tensors().into_iter().find(|(path, _)| path == name) {
        Some((_, tensor)) => Ok(format!("{}\n", tensor.tensor())),
        None => archive.get::<Value>(name).map(|value| format!("{value:?}\n")),
    }
}

/// A line for each tensor, and one for all.
fn list(archive: &Archive) -> String {
    let tensors = archive.value.tensors();
    let mut storages: Vec<&UntypedStorage> = Vec::new();
    let mut rows = vec![["name", "dtype", "shape", "strides", "storage", "bytes"].map(str::to_owned)];
    for (path, tensor) in &tensors {
        let raw = tensor.tensor().raw();
        let place = storages.iter().position(|storage| storage.is_same(raw.storage())).unwrap_or_else(|| {
            storages.push(raw.storage());
            storages.len() - 1
        });
        let start = if raw.storage_offset() > 0 { format!("{place} from {}", raw.storage_offset()) } else { place.to_string() };
        let name = if path.is_empty() { "-".to_owned() } else { path.clone() };
        let bytes = raw.numel() * raw.dtype().itemsize();
        let texts = [format!("{:?}", raw.sizes()), format!("{:?}", raw.strides())];
        let [sizes, strides] = texts;
        rows.push([name, format!("{}{}", raw.dtype(), mark(tensor)), sizes, strides, start, size(bytes)]);
    }
    let mut text = table(&rows);
    for (path, what) in others(archive) {
        text += &format!("{path}: {what}\n");
    }
    let nbytes = storages.iter().map(|storage| storage.nbytes()).sum();
    text + &format!("{}: {} tensors in {} storages of {}\n", archive.format, tensors.len(), storages.len(), size(nbytes))
}

fn mark(tensor: &SavedTensor) -> &'static str {
    match (tensor.marks().is_parameter, tensor.marks().requires_grad) {
        (true, _) => " parameter",
        (false, true) => " requires grad",
        (false, false) => "",
    }
}

/// What a file says besides: texts, metadata, tensors that can't be read.
fn others(archive: &Archive) -> Vec<(String, String)> {
    let texts = archive.metadata.iter().flatten().map(|(name, text)| (name.clone(), format!("{text:?}")));
    let header = archive.gguf.iter().filter(|_| archive.format == Format::Gguf);
    let unread = header.flat_map(|header| &header.tensors).filter(|info| info.kind.dtype().is_none());
    texts
        .chain(unread.map(|info| (info.name.clone(), format!("{} {:?}, which latten doesn't read", info.kind.name(), info.sizes))))
        .collect()
}

/// Columns as wide as their widest text.
fn table(rows: &[[String; 6]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn size(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["B", "KiB", "MiB", "GiB"];
    let mut number = bytes as f64;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < UNITS.len() {
        number /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{number:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use latten::io::{Dict, Value};
    use latten::prelude::*;

    use super::{inspect, size};

    #[test]
    fn a_file_is_listed_and_a_tensor_printed() {
        let path = std::env::temp_dir().join(format!("latten-inspect-{}.pt", std::process::id()));
        let base = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
        let row = base.i(i![1]);
        let state: Dict = [("base", Value::from(&base)), ("row", Value::from(&row)), ("step", Value::Int(3))].into_iter().collect();
        latten::save(&path, &state).expect("pt has it");
        let text = inspect(&path, None).expect("it was written");
        let expected = "\
name  dtype    shape   strides  storage   bytes
base  float32  [2, 2]  [2, 1]   0         16 B
row   float32  [2]     [1]      0 from 2  8 B
pt: 2 tensors in 1 storages of 16 B
";
        assert_eq!(text, expected);
        assert_eq!(inspect(&path, Some("row")).expect("it is there"), "tensor([3., 4.])\n");
        assert_eq!(inspect(&path, Some("step")).expect("it is there"), "3\n");
        assert!(inspect(&path, Some("other")).is_err());
        std::fs::remove_file(&path).expect("it was written");
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB")] {
            assert_eq!(size(bytes), text);
        }
    }
}
