//! Each format takes what it can hold and gives it back.

use latten::io::{Archive, Dict, Format, Load, Packing, Save, Value};
use latten::prelude::*;
use latten::raw::RawTensor;
use latten::storage::UntypedStorage;
use latten::{geometry, load, load_mapped, save};

use super::{Folder, refusal, without_folder};

/// A tensor of any dtype with bytes that differ.
fn tensor(dtype: DType, sizes: &[usize]) -> RawTensor {
    let geometry = geometry::Geometry::contiguous(sizes);
    let nbytes = geometry.needed_bytes(dtype.itemsize()).expect("a small tensor");
    let bytes: Vec<u8> = (0..nbytes).map(|place| if dtype == DType::Bool { place % 2 } else { place * 37 % 251 } as u8).collect();
    RawTensor::over(UntypedStorage::from_bytes(&bytes).expect("memory"), dtype, geometry).expect("it fits")
}

fn state(dtypes: impl Iterator<Item = DType>) -> Value {
    let sizes: [&[usize]; 4] = [&[2, 3], &[], &[0, 4], &[5]];
    let named = dtypes.flat_map(|dtype| sizes.iter().enumerate().map(move |(n, sizes)| (format!("{dtype}.{n}"), tensor(dtype, sizes))));
    Value::Dict(named.collect::<Dict>())
}

/// Entries by name: some formats have an order of their own.
fn sorted(value: &Value) -> Value {
    let Value::Dict(dict) = value else { return value.clone() };
    let mut entries: Vec<_> = dict.iter().map(|(key, value)| (format!("{key:?}"), value.clone())).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Value::Dict(entries.into_iter().collect())
}

#[test]
fn every_dtype_of_a_format_comes_back() {
    let folder = Folder::new();
    let has_numpy = |dtype: &DType| !matches!(dtype, DType::BF16 | DType::C32) && !dtype.is_float8() && !dtype.is_quantized();
    let has_safetensors = |dtype: &DType| !matches!(dtype, DType::C32 | DType::C128) && !dtype.is_quantized();
    let all = || DType::ALL.iter().copied();
    for (name, value) in [
        ("all.pt", state(all().filter(|dtype| !dtype.is_quantized()))),
        ("all.safetensors", state(all().filter(has_safetensors))),
        ("all.npz", state(all().filter(has_numpy))),
        ("all.safetensors.index.json", state(all().filter(has_safetensors))),
    ] {
        let path = folder.at(name);
        save(&path, &value).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (way, archive) in [("copied", load(&path)), ("mapped", load_mapped(&path))] {
            let archive = archive.unwrap_or_else(|error| panic!("{name}, {way}: {error}"));
            assert!(sorted(&archive.value) == sorted(&value), "{name}, {way}:\n{:?}\n{value:?}", archive.value);
        }
    }
    for dtype in all().filter(has_numpy) {
        let (path, value) = (folder.at("one.npy"), Value::from(tensor(dtype, &[3, 2])));
        save(&path, &value).expect("numpy has it");
        assert!(load(&path).expect("it was written").value == value, "{dtype}");
    }
}

#[test]
fn names_have_the_order_in_which_they_were_saved() {
    let folder = Folder::new();
    let names = ["weight", "bias", "steps", "a"];
    let named = names.iter().zip([DType::F32, DType::F32, DType::I64, DType::F64]);
    let value = Value::Dict(named.map(|(name, dtype)| ((*name).to_owned(), tensor(dtype, &[2]))).collect::<Dict>());
    for name in ["order.pt", "order.safetensors", "order.npz"] {
        let path = folder.at(name);
        save(&path, &value).expect("it has these dtypes");
        let archive = load(&path).expect("it was written");
        assert_eq!(archive.names(), names, "{name}");
        assert!(archive.value == value, "{name}");
    }
}

#[test]
fn what_a_format_lacks_is_refused_by_name() {
    let folder = Folder::new();
    for (name, value, expected) in [
        ("a.npy", Value::from(tensor(DType::BF16, &[2])), "a.npy: numpy has no dtype for bfloat16"),
        ("a.npz", state([DType::C32].into_iter()), "a.npz: complex32.0: numpy has no dtype for complex32"),
        ("a.safetensors", state([DType::C128].into_iter()), "a.safetensors: complex128.0: safetensors have no dtype for complex128"),
        ("a.safetensors", Value::Int(5), "a.safetensors: a safetensors file holds a dict of tensors, not a int"),
        ("a.npy", Value::None, "a.npy: an npy file holds one tensor, as `save(path, &tensor)` writes, not a None"),
        ("a.gguf", Value::None, "a.gguf: latten reads GGUF, and doesn't write it"),
        ("a.bin", Value::None, "a.bin: the name says no format; `Save::format` does"),
    ] {
        let path = folder.at(name);
        assert_eq!(without_folder(&refusal(save(&path, &value)), &path), expected);
    }
    assert!(folder.names().is_empty(), "a refused save leaves nothing");
}

#[test]
fn strides_of_numpy_are_those_of_its_order() {
    let folder = Folder::new();
    let x = Tensor::<i64>::arange(6).expect("six").view([2, 3]).expect("six");
    for (name, tensor, strides) in
        [("c.npy", x.alias(), [3, 1]), ("f.npy", x.view([3, 2]).expect("six").transpose(0, 1).expect("two"), [1, 2])]
    {
        let path = folder.at(name);
        save(&path, &Value::from(&tensor)).expect("numpy has it");
        let archive = load(&path).expect("it was written");
        let read: DynTensor = archive.tensor().expect("it holds one");
        let refused = archive.get::<DynTensor>("x").expect_err("it has no names").to_string();
        assert!(refused.contains("x: a tensor has no names; `.tensor()` of an archive gives it as it is"), "{refused}");
        assert_eq!((read.raw().strides().to_vec(), read.raw().sizes().to_vec()), (strides.to_vec(), vec![2, 3]), "{name}");
        assert!(Value::from(&tensor) == Value::from(&read), "{name}");
    }
}

#[test]
fn packed_archives_and_metadata_come_back() {
    let folder = Folder::new();
    let value = state([DType::F32, DType::I16].into_iter());
    let packed = folder.at("packed.npz");
    Save::new().packing(Packing::Deflated).save(&packed, &value).expect("numpy has it");
    assert!(load(&packed).expect("it was written").value == value);
    let noted = folder.at("noted.safetensors");
    Save::new().metadata(&[("format", "pt"), ("a", "é\"\n")]).save(&noted, &value).expect("safetensors have it");
    let metadata = load(&noted).expect("it was written").metadata.expect("there is some");
    assert_eq!(metadata, [("a".to_owned(), "é\"\n".to_owned()), ("format".to_owned(), "pt".to_owned())]);
}

#[test]
fn checkpoints_are_cut_where_they_shall() {
    let folder = Folder::new();
    let tensors: Dict = (0..5).map(|n| (format!("t{n}"), tensor(DType::U8, &[100]))).collect();
    let path = folder.at("model.safetensors.index.json");
    Save::new().shard(250).save(&path, &tensors).expect("safetensors have it");
    let names: Vec<String> = (1..=3).map(|n| format!("model-0000{n}-of-00003.safetensors")).collect();
    assert_eq!(folder.names(), [names, vec!["model.safetensors.index.json".to_owned()]].concat());
    assert!(load(&path).expect("it was written").value == tensors.into());
    std::fs::remove_file(folder.at("model-00002-of-00003.safetensors")).expect("it is there");
    let message = without_folder(&refusal(load(&path)), &path);
    assert!(message.starts_with("model.safetensors.index.json: model-00002-of-00003.safetensors: the file can't be opened"), "{message}");
}

#[test]
fn blocks_of_gguf_are_floats() {
    let mut file = b"GGUF\x03\0\0\0\x03\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0".to_vec();
    let text = |file: &mut Vec<u8>, text: &str| {
        file.extend((text.len() as u64).to_le_bytes());
        file.extend(text.as_bytes());
    };
    text(&mut file, "general.architecture");
    file.extend(8_u32.to_le_bytes());
    text(&mut file, "test");
    for (name, kind, offset) in [("q8", 8_u32, 0_u64), ("q4", 2, 64), ("q4_1", 3, 96)] {
        text(&mut file, name);
        file.extend(1_u32.to_le_bytes());
        file.extend(32_u64.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(offset.to_le_bytes());
    }
    file.resize(file.len().next_multiple_of(32), 0);
    let start = file.len();
    file.extend(f16::from_f32(0.5).to_le_bytes());
    file.extend((0..32_i8).map(|n| (n - 16).cast_unsigned()));
    file.resize(start + 64, 0);
    file.extend(f16::from_f32(2.0).to_le_bytes());
    file.extend((0..16_u8).map(|n| n | (15 - n) << 4));
    file.resize(start + 96 + 20, 0);
    let archive: Archive = Load::new().read("m.gguf", &file).expect("a GGUF file");
    let q8: Tensor<f32, shape![32]> = archive.get("q8").expect("Q8_0 is read");
    let expected: Vec<f32> = (0..32_i8).map(|n| 0.5 * f32::from(n - 16)).collect();
    assert_eq!(q8.to_vec(), expected);
    let q4: Tensor<f32, shape![32]> = archive.get("q4").expect("Q4_0 is read");
    let expected: Vec<f32> = (0..16_i8).chain((0..16).rev()).map(|n| 2.0 * f32::from(n - 8)).collect();
    assert_eq!(q4.to_vec(), expected);
    assert_eq!(refusal(archive.get::<Value>("q4_1")), "m.gguf: q4_1: its elements are Q4_1, which latten doesn't read");
    assert_eq!(archive.format, Format::Gguf);
}
