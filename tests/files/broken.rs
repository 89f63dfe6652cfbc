//! Files that somebody has broken: mutations of good ones, by a seed. None may panic, and what is read has the form that was promised.
//! `LATTEN_MUTATIONS=10000000 cargo test --release --test files mutated` takes longer than the short share that runs always.

use latten::io::{Dict, Load, Save, Value};
use latten::prelude::*;

use super::Folder;

/// xorshift64*: the same mutations each time.
struct Random(u64);

impl Random {
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

/// Good files of all formats, small so that many mutations are tried.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
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
        seeds.push((name, std::fs::read(folder.at(name)).expect("it was written")));
    }
    let mut gguf = b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
    gguf.extend(b"\x01\0\0\0\0\0\0\0k\x09\0\0\0\x08\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0ab");
    gguf.extend(b"\x01\0\0\0\0\0\0\0t\x02\0\0\0\x20\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0");
    gguf.resize(gguf.len().next_multiple_of(32) + 34, 3);
    seeds.push(("a.gguf", gguf));
    // A file of before 1.6: five pickles, and one storage.
    let mut legacy = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.".to_vec();
    legacy.extend(
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x007X\x03\0\0\0cpuK\x02NtQ",
    );
    legacy.extend(b"K\0K\x02\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR.\x80\x02]X\x01\0\0\x007a.\x02\0\0\0\0\0\0\0\0\0\x80?\0\0\0@");
    seeds.push(("legacy.pt", legacy));
    seeds
}

#[test]
fn mutated_files_are_values_or_errors() {
    let count = std::env::var("LATTEN_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(20_000_usize);
    let seeds = seeds();
    for (name, file) in &seeds {
        Load::new().read(name, file).unwrap_or_else(|error| panic!("{name} must be good: {error}"));
    }
    let (mut random, mut read) = (Random(0x1a77_e417), vec![0; seeds.len()]);
    for number in 0..count {
        let which = number % seeds.len();
        let (name, mut file) = (seeds[which].0, seeds[which].1.clone());
        mutate(&mut file, &mut random);
        match Load::new().most_inflated(1 << 20).read(name, &file) {
            Ok(archive) => {
                read[which] += 1;
                for (path, tensor) in archive.value.tensors() {
                    let raw = tensor.tensor().raw();
                    let needed = raw.geometry().needed_bytes(raw.dtype().itemsize()).expect("a tensor that fits its storage");
                    assert!(needed <= raw.storage().nbytes(), "{name}: {path}, mutation {number}");
                }
            }
            Err(error) => {
                assert!(error.message().starts_with(name) && error.message().len() < 2000, "{name}, mutation {number}: {error}");
            }
        }
    }
    // Some mutations change only elements: were none read, nothing but the first check would be tried.
    assert!(read.iter().all(|read| *read > 0), "{read:?} of {count}");
}
