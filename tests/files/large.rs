//! Files that are larger than 4 GiB, where zip archives need numbers of 64 bits. They are full of holes, so they cost no room on the disk; what
//! writes such a file in full is `cargo test --release --test files large -- --ignored`.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use latten::io::{Dict, Value};
use latten::prelude::*;
use latten::raw::RawTensor;
use latten::storage::{Sharing, UntypedStorage};
use latten::{geometry, load, load_mapped, save};

use super::{Folder, refusal};

/// Four gibibytes and a little.
const LONG: u64 = (1 << 32) + 64;

/// A record of an archive that is written by hand: its bytes end in these, and are a hole before. The checksum is that of the end: right for
/// those that are read and have no hole; nothing looks at those that are mapped.
struct Record {
    name: &'static str,
    size: u64,
    end: Vec<u8>,
}

/// A zip archive's checksum, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let bit = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), bit))
}

/// Writes a stored archive as the zip standard has it, with numbers of 64 bits where 32 don't suffice. `shorten` makes each of them smaller.
fn write_archive(path: &Path, records: &[Record], shorten: u64) {
    let mut file = File::create(path).expect("a file");
    let mut directory = Vec::new();
    for Record { name, size, end } in records {
        let header = file.stream_position().expect("a place");
        let short = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
        let mut fixed = vec![0; 10];
        fixed.extend(checksum(end).to_le_bytes());
        fixed.extend([short(*size), short(*size)].concat());
        fixed.extend((name.len() as u16).to_le_bytes());
        file.write_all(&[b"PK\x03\x04", &fixed[..], &[0; 2], name.as_bytes()].concat()).expect("room");
        let long: Vec<u8> =
            [*size, *size, header].iter().filter(|n| **n > u32::MAX.into()).flat_map(|n| (n - shorten).to_le_bytes()).collect();
        let extra = if long.is_empty() { Vec::new() } else { [&[1, 0, long.len() as u8, 0], &long[..]].concat() };
        directory.extend([b"PK\x01\x02\0\0", &fixed[..], &(extra.len() as u16).to_le_bytes(), &[0; 10], &short(header)].concat());
        directory.extend([name.as_bytes(), &extra].concat());
        file.seek(SeekFrom::Current(*size as i64 - end.len() as i64)).expect("a place");
        file.write_all(end).expect("room");
    }
    let at = file.stream_position().expect("a place");
    let (count, size) = (records.len() as u64, directory.len() as u64);
    directory.extend([b"PK\x06\x06", &44_u64.to_le_bytes()[..], &[0; 12]].concat());
    [count, count, size, at].iter().for_each(|number| directory.extend(number.to_le_bytes()));
    directory.extend([b"PK\x06\x07\0\0\0\0", &(at + size).to_le_bytes()[..], &[1, 0, 0, 0]].concat());
    directory.extend([b"PK\x05\x06\0\0\0\0", &[0xff; 12][..], &[0; 2]].concat());
    file.write_all(&directory).expect("room");
}

/// A list of two tensors: the last three bytes of `data/0`, which has `LONG` bytes, and the two floats of `data/1`.
fn archive(path: &Path, shorten: u64) {
    let tensor = |class: &str, key: u8, numel: u64, offset: u64, size: u8| {
        let mut pickle = format!("ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\n{class}\nX\x01\0\0\0").into_bytes();
        pickle.extend([b'0' + key]);
        pickle.extend([b"X\x03\0\0\0cpu\x8a\x08", &numel.to_le_bytes()[..], b"tQ\x8a\x08", &offset.to_le_bytes()].concat());
        pickle.extend([b"K", &[size][..], b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtRa"].concat());
        pickle
    };
    let pickle = [&b"\x80\x02]"[..], &tensor("ByteStorage", 0, LONG, LONG - 3, 3), &tensor("FloatStorage", 1, 2, 0, 2), b"."].concat();
    let record = |name, end: Vec<u8>| Record { name, size: end.len() as u64, end };
    let floats = [0.5_f32, -2.0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let large = Record { name: "large/data/0", size: LONG, end: vec![7, 8, 9] };
    let records = [record("large/data.pkl", pickle), large, record("large/data/1", floats), record("large/version", b"3\n".to_vec())];
    write_archive(path, &records, shorten);
}

#[test]
fn records_beyond_four_gibibytes_are_mapped() {
    let folder = Folder::new();
    let path = folder.at("large.pt");
    archive(&path, 0);
    let archive_read = load_mapped(&path).expect("a good archive");
    let tensors = archive_read.value.tensors();
    let [(_, end), (_, floats)] = tensors.as_slice() else { panic!("{:?}", archive_read.value) };
    assert_eq!(end.tensor().untyped_storage().nbytes() as u64, LONG);
    assert_eq!(end.tensor().to_string(), "tensor([7, 8, 9], dtype=torch.uint8)");
    assert_eq!(floats.tensor().to_string(), "tensor([ 0.5000, -2.0000])");
    // A byte less in each number of 64 bits: the records aren't where they are said to be.
    archive(&path, 1);
    let message = refusal(load_mapped(&path));
    assert!(message.contains("large.pt: the archive's directory: large/data/1: no header of an entry is at byte"), "{message}");
}

#[test]
#[ignore = "it takes 4.3 GB of the disk and of the memory"]
fn large_records_are_written_and_read() {
    let folder = Folder::new();
    let holes = folder.at("holes");
    let mut file = File::create(&holes).expect("a file");
    file.seek(SeekFrom::Start(LONG - 1)).expect("a place");
    file.write_all(&[9]).expect("room");
    let storage = UntypedStorage::from_file(&holes, Sharing::Private, LONG as usize).expect("it maps");
    let large = RawTensor::over(storage, DType::U8, geometry::Geometry::contiguous(&[LONG as usize])).expect("it fits");
    let tensors: Dict = [("large", Value::from(large)), ("small", Value::from(&Tensor::from([0.5_f32, -2.0])))].into_iter().collect();
    for (name, way) in [("large.pt", "mapped"), ("large.npz", "copied")] {
        let path = folder.at(name);
        save(&path, &tensors).expect("the format has it");
        let archive = if way == "mapped" { load_mapped(&path) } else { load(&path) }.expect("it was written");
        let large: Tensor<u8> = archive.get("large").expect("it is there");
        assert_eq!((large.numel() as u64, large.i(latten::i![-1]).item()), (LONG, 9), "{name}");
        let small: Tensor<f32> = archive.get("small").expect("it is there");
        assert_eq!(small.to_vec(), [0.5, -2.0], "{name}");
        std::fs::remove_file(&path).expect("it was written");
    }
}
