//! Files that somebody has broken: mutations of good ones, by a seed. None may panic, and what is read has the form that was promised.
//! `LATTEN_MUTATIONS=10000000 cargo test --release --test files mutated` takes longer than the short share that runs always; with
//! `LATTEN_CORPUS=DIR` the good files of a corpus are mutated, too. An error names the mutation: `LATTEN_MUTATIONS=4711..4712` makes it again.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use latten::io::{Archive, Dict, Load, Save, Value};
use latten::prelude::*;

use super::{Folder, refusal};

/// Nothing may take that many seconds.
const SLOW: u64 = 5;

/// xorshift64*: the same mutations each time.
struct Random(u64);

impl Random {
    /// Each mutation has a seed of its own, so that one can be made again, and a long run can be cut into parts.
    fn of(number: usize) -> Self {
        let mut random = Self((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        // The first numbers of seeds that differ little are alike.
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// Changes a file in one to four places: bits, bytes that are numbers' limits, parts that come twice, are gone, or are exchanged.
fn mutate(file: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let (at, length) = (random.below(file.len()), 1 + random.below(16));
        let end = (at + length).min(file.len());
        match random.below(7) {
            0 => file[at] ^= 1 << random.below(8),
            1 => file[at] = [0, 1, 0x7f, 0x80, 0xff, b'.', b'R', b'(', b'}', b'"'][random.below(10)],
            2 => file[at..end].fill(0xff),
            3 => file[at..end].fill(0),
            4 => {
                let part = file[at..end].to_vec();
                let to = random.below(file.len());
                file.splice(to..to, part);
            }
            5 => drop(file.drain(at..end)),
            _ => file.truncate(at.max(1)),
        }
        if file.is_empty() {
            file.push(0);
        }
    }
}

/// All small files below a folder but indices, which need others beside them.
fn small_files(folder: &Path, seeds: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of a corpus") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            small_files(&path, seeds);
        } else if std::fs::metadata(&path).is_ok_and(|about| about.len() < 1 << 14) && path.extension().is_some_and(|end| end != "json") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            seeds.push((name, std::fs::read(&path).expect("a file")));
        }
    }
}

/// Good files of all formats, small so that many mutations are tried.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = Folder::new();
    let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    let tensors: Dict = [("x", Value::from(&x)), ("n", Value::from(&Tensor::from([1_i64, 2])))].into_iter().collect();
    let mut state = tensors.clone();
    state.insert("view", &x.t());
    state.insert("list", Value::tuple([Value::Int(7), Value::from("text"), Value::Float(0.5), Value::Bytes([1, 2].into())]));
    let mut seeds = Vec::new();
    for (name, value, save) in [
        ("a.pt", Value::from(state), Save::new()),
        ("a.safetensors", tensors.clone().into(), Save::new().metadata(&[("k", "v")])),
        ("a.npy", Value::from(&x.t()), Save::new()),
        ("a.npz", tensors.clone().into(), Save::new()),
        ("b.npz", tensors.into(), Save::new().packing(latten::io::Packing::Deflated)),
    ] {
        save.save(folder.at(name), &value).expect("the format has it");
        seeds.push((name.to_owned(), std::fs::read(folder.at(name)).expect("it was written")));
    }
    let mut gguf = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
    gguf.extend(b"\x01\0\0\0\0\0\0\0k\x09\0\0\0\x08\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0ab");
    gguf.extend(b"\x01\0\0\0\0\0\0\0t\x02\0\0\0\x20\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0");
    gguf.resize(gguf.len().next_multiple_of(32) + 34, 3);
    seeds.push(("a.gguf".to_owned(), gguf));
    // A file of before 1.6: five pickles, and one storage.
    let mut legacy = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.".to_vec();
    legacy.extend(
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x007X\x03\0\0\0cpuK\x02NtQ",
    );
    legacy.extend(b"K\0K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR.\x80\x02]X\x01\0\0\x007a.\x02\0\0\0\0\0\0\0\0\0\x80?\0\0\0@");
    seeds.push(("legacy.pt".to_owned(), legacy));
    seeds
}

/// What a mutated file must be: a value whose tensors lie within their storages, or an error that names the file. True where it is a value.
fn judge(outcome: Result<Archive>, name: &str, number: usize) -> bool {
    match outcome {
        Ok(archive) => {
            for (path, tensor) in archive.value.tensors() {
                let raw = tensor.tensor().raw();
                let needed = raw.geometry().needed_bytes(raw.dtype().itemsize()).expect("a tensor that fits its storage");
                assert!(needed <= raw.storage().nbytes(), "{name}: {path}, mutation {number}");
            }
            true
        }
        Err(error) => {
            let message = error.message();
            let is_clear = message.starts_with(name) && message.chars().count() < name.len() + 2000 && !message.contains(char::is_control);
            assert!(is_clear, "{name}, mutation {number}: {error:?}");
            false
        }
    }
}

#[test]
fn names_in_errors_are_short_and_move_no_cursor() {
    let text = format!("{{\"{}\\u001b[2J\": 5}}", "n".repeat(3000));
    let file = [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let message = refusal(Load::new().read("a.safetensors", &file));
    let start = format!("a.safetensors: Error while deserializing header: {}", "n".repeat(400));
    assert!(message.starts_with(&start) && message.contains(" … ") && message.len() < 1000, "{message}");
    assert!(message.ends_with(r"nn\u{1b}[2J: invalid JSON: `{` is expected at byte 3014, but `5` is there"), "{message}");
}

#[test]
fn mutated_files_are_values_or_errors() {
    let numbers = std::env::var("LATTEN_MUTATIONS").map_or(0..20_000, |text| numbers(&text).expect("a number, or two as in 5..10"));
    let mut seeds = seeds();
    let own = seeds.len();
    if let Some(corpus) = std::env::var_os("LATTEN_CORPUS") {
        small_files(&Path::new(&corpus).join("good"), &mut seeds);
    }
    for (name, file) in &seeds {
        Load::new().read(name, file).unwrap_or_else(|error| panic!("{name} must be good: {error}"));
    }
    let folder = Folder::new();
    let mut read = vec![0; seeds.len()];
    let load = Load::new().most_inflated(1 << 20);
    for number in numbers.clone() {
        let which = number % seeds.len();
        let (name, mut file) = (seeds[which].0.as_str(), seeds[which].1.clone());
        mutate(&mut file, &mut Random::of(number));
        let start = Instant::now();
        read[which] += usize::from(judge(load.read(name, &file), name, number));
        // A busy machine may stop us for seconds, but not thrice.
        let takes_long = |_| {
            let start = Instant::now();
            judge(load.read(name, &file), name, number);
            start.elapsed().as_secs() >= SLOW
        };
        assert!(start.elapsed().as_secs() < SLOW || !(0..2).all(takes_long), "{name}, mutation {number}, takes too long");
        // Some are mapped, for which they must be files.
        if number % 64 < 2 {
            let path = folder.at(name);
            std::fs::write(&path, &file).expect("room");
            judge(load.mapped().load(&path), &path.display().to_string(), number);
        }
    }
    // Some mutations change only elements: were none read, nothing but the first check would be tried.
    assert!(numbers.len() < 20_000 || read[..own].iter().all(|read| *read > 0), "{read:?} of {numbers:?}");
}

/// `10000000`, or a part: `5000000..10000000`.
fn numbers(text: &str) -> Option<Range<usize>> {
    let (from, to) = text.split_once("..").unwrap_or(("0", text));
    Some(from.parse().ok()?..to.parse().ok()?)
}
