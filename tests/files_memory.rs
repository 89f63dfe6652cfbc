//! How much memory reading takes: each kind of file that makes much of few bytes is read in a process of its own, whose peak Linux counts, and
//! a mapped file of 10 GB. docs/files.md states the limits.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use latten::prelude::*;

/// What a byte of a pickle, and of any other header, may take in bytes: docs/files.md.
const MOST_OF_PICKLES: u64 = 450;
const MOST: u64 = 50;
/// How long the files are. What a process takes anyway is little beside that.
const SIZE: usize = 1 << 20;
/// Names the file that the child reads.
const CHILD: &str = "LATTEN_MEMORY_CASE";

/// Names and contents: the densest headers of each format.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let pickle = |start: &[u8], part: &[u8], end: &[u8]| archive(&[b"\x80\x02", start, &part.repeat(SIZE / part.len()), end].concat());
    let numbered = |part: &dyn Fn(usize) -> String, size: usize| (0..SIZE / size).map(part).collect::<Vec<_>>().join(",");
    let json = |text: String| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let gguf = |kind: u8, count: u64, values: &[u8]| {
        let start = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0k\x09\0\0\0";
        [&start[..], &[kind, 0, 0, 0], &count.to_le_bytes(), values].concat()
    };
    let keys: Vec<u8> = (0..SIZE as u32 / 7).flat_map(|n| [&b"J"[..], &n.to_le_bytes(), b"Ns"].concat()).collect();
    let memo: Vec<u8> = (0..SIZE as u32 / 6).flat_map(|n| [&b"Nr"[..], &n.to_le_bytes()].concat()).collect();
    vec![
        ("lists.pt", pickle(b"](", b"]", b"e.")),
        ("tuples.pt", pickle(b"](", b"N\x85", b"e.")),
        ("dicts.pt", pickle(b"](", b"}", b"e.")),
        ("ordered.pt", pickle(b"ccollections\nOrderedDict\nq\0](", b"h\0)R", b"e.")),
        ("sets.pt", pickle(b"](", b"\x8f", b"e.")),
        ("nones.pt", pickle(b"](", b"N", b"e.")),
        ("marks.pt", pickle(b"", b"(", b".")),
        ("texts.pt", pickle(b"](", b"X\x01\0\0\0a", b"e.")),
        ("keys.pt", archive(&[b"\x80\x02}", &keys[..], b"."].concat())),
        ("memo.pt", archive(&[b"\x80\x02", &memo[..], b"."].concat())),
        ("unended.pt", pickle(b"", b"}", b"")),
        (
            "tensors.safetensors",
            json(format!("{{{}}}", numbered(&|n| format!(r#""{n:x}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#), 56))),
        ),
        ("texts.safetensors", json(format!("{{\"__metadata__\":{{{}}}}}", numbered(&|n| format!(r#""{n:x}":"""#), 11)))),
        ("bytes.gguf", gguf(0, SIZE as u64, &vec![1; SIZE])),
        ("texts.gguf", gguf(8, SIZE as u64 / 8, &vec![0; SIZE])),
    ]
}

/// A pickle in an archive that has nothing else, without checksums of its own: those of the two records.
fn archive(pickle: &[u8]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in [("a/data.pkl", pickle), ("a/version", b"3\n")] {
        let size = (bytes.len() as u32).to_le_bytes();
        let fixed = [&[0; 10][..], &checksum(bytes).to_le_bytes(), &size, &size, &[name.len() as u8, 0]].concat();
        directory.extend([b"PK\x01\x02\0\0", &fixed[..], &[0; 12], &(file.len() as u32).to_le_bytes(), name.as_bytes()].concat());
        file.extend([b"PK\x03\x04", &fixed[..], &[0; 2], name.as_bytes(), bytes].concat());
    }
    let end = [b"PK\x05\x06\0\0\0\0\x02\0\x02\0", &(directory.len() as u32).to_le_bytes()[..], &(file.len() as u32).to_le_bytes(), &[0; 2]];
    [file, directory, end.concat()].concat()
}

/// A zip archive's checksum, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let bit = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), bit))
}

/// A number that Linux has of this process, in bytes.
fn memory(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("Linux says it");
    let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("Linux says it");
    line.trim().strip_suffix("kB").and_then(|number| number.trim().parse::<u64>().ok()).expect("a number") << 10
}

/// Reads one file, mapped where its name says so, and prints by how much memory has grown at most.
fn child(path: &Path) {
    let is_mapped = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mapped"));
    if is_mapped {
        // The program's own code, which it reads from its file as it comes to it, isn't what is asked about.
        let _ = latten::load_mapped(path);
    }
    let before = memory("VmRSS:");
    std::fs::write("/proc/self/clear_refs", "5").expect("the peak is counted anew");
    let outcome = if is_mapped { latten::load_mapped(path) } else { latten::load(path) };
    let peak = memory("VmHWM:").saturating_sub(before);
    println!("outcome: {}", outcome.map_or_else(|error| error.message().to_owned(), |_| "a value".to_owned()));
    println!("peak: {peak}");
}

/// By how much the memory of a process grows that reads a file, and what comes of it.
fn peak(path: &Path) -> (u64, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    // Memory that is given back goes to the system at once: else the child's own preparations would be taken for room.
    command.env(CHILD, path).env("MALLOC_MMAP_THRESHOLD_", "65536").env("MALLOC_TRIM_THRESHOLD_", "0");
    let output = command.args(["--exact", "headers_take_memory_in_proportion", "--nocapture"]).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_else(|| panic!("{path:?}: {output:?}"));
    (line("peak: ").parse().expect("a number"), line("outcome: ").to_owned())
}

#[test]
fn headers_take_memory_in_proportion() {
    if let Some(path) = std::env::var_os(CHILD) {
        return child(Path::new(&path));
    }
    let folder = folder("headers");
    let mut factors = Vec::new();
    for (name, file) in files() {
        let path = folder.join(name);
        std::fs::write(&path, &file).expect("room");
        let ((peak, outcome), size) = (peak(&path), file.len() as u64);
        factors.push(format!("{name}: {} bytes for each; {outcome}", peak / size));
        let most = if name.ends_with(".pt") { MOST_OF_PICKLES } else { MOST };
        assert!(peak <= most * size, "{}", factors.join("\n"));
        // A kind of file that takes nothing isn't read at all.
        assert!(peak >= 4 * size, "{}", factors.join("\n"));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    println!("{}", factors.join("\n"));
}

#[test]
fn ten_gigabytes_that_are_mapped_take_no_memory() {
    const COUNT: u64 = 100;
    const SIZE: u64 = 100 << 20;
    let folder = folder("mapped");
    let path = folder.join("mapped.safetensors");
    let entry =
        |n: u64| format!("\"t{n}\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", SIZE / 4, n * SIZE, (n + 1) * SIZE);
    let header = format!("{{{}}}", (0..COUNT).map(entry).collect::<Vec<_>>().join(","));
    let mut file = File::create(&path).expect("a file");
    file.write_all(&(header.len() as u64).to_le_bytes()).expect("room");
    file.write_all(header.as_bytes()).expect("room");
    // All of it is a hole, but for the last number.
    file.set_len(8 + header.len() as u64 + COUNT * SIZE).expect("holes");
    file.seek(SeekFrom::End(-4)).expect("a place");
    file.write_all(&1.5_f32.to_le_bytes()).expect("room");
    drop(file);
    let (peak, outcome) = peak(&path);
    assert!(outcome == "a value" && peak < 2 << 20, "{outcome}, {peak} bytes");
    // The shortest of some tries: other programs run at the same time.
    let tries = (0..10).map(|_| {
        let start = Instant::now();
        let archive = latten::load_mapped(&path).expect("a good file");
        let elapsed = start.elapsed();
        let last: Tensor<f32> = archive.get("t99").expect("it is there");
        assert_eq!(last.i(latten::i![-1]).item(), 1.5);
        elapsed
    });
    let shortest = tries.min().expect("ten tries");
    assert!(shortest.as_millis() < 10, "{shortest:?}");
    std::fs::remove_dir_all(&folder).expect("the folder is there");
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("latten-files-memory-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}
