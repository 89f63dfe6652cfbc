//! The tree of values: sharing, names, deep and wide trees, and who asks for the wrong type.

use std::collections::HashMap;

use latten::io::{Dict, DictKind, Marks, SavedTensor, Value};
use latten::prelude::*;
use latten::{load, load_mapped, save};

use super::{Folder, refusal, without_folder};

#[test]
fn views_share_their_storage_again() {
    let folder = Folder::new();
    let base = Tensor::<f32>::arange(12).expect("twelve").view([3, 4]).expect("twelve");
    let state: Dict =
        [("base", Value::from(&base)), ("row", Value::from(&base.i(i![1]))), ("t", Value::from(&base.t()))].into_iter().collect();
    let path = folder.at("shared.pt");
    save(&path, &state).expect("pt has it");
    for archive in [load(&path), load_mapped(&path)] {
        let archive = archive.expect("it was written");
        let row: Tensor<f32, shape![4]> = archive.get("row").expect("a row");
        let mut base: Tensor<f32, shape![3, 4]> = archive.get("base").expect("the base");
        base.fill_(7.0).expect("private pages can be written");
        assert_eq!(row.to_vec(), [7.0; 4], "the row sees what is written to the base");
        let t: DynTensor = archive.get("t").expect("the transposed");
        assert_eq!((t.raw().strides().to_vec(), row.raw().storage_offset()), (vec![1, 4], 4));
    }
    let again: Tensor<f32, shape![3, 4]> = load(&path).expect("the file is as it was").get("base").expect("the base");
    assert_eq!(again.to_vec()[..3], [0.0, 1.0, 2.0], "writing to mapped tensors never changes the file");
}

#[test]
fn all_kinds_of_values_come_back_with_their_marks() {
    let folder = Folder::new();
    let weight = Tensor::from([1.0_f32, 2.0]);
    let mut attributes = Dict::new();
    attributes.insert("note", "kept");
    let marks = Marks { requires_grad: true, is_parameter: true, attributes: Some(attributes.clone()) };
    let parameter = Value::Tensor(SavedTensor::marked(weight.erase(), marks));
    let mut ordered = Dict::of_kind(DictKind::Ordered);
    ordered.insert("w", parameter.clone());
    ordered.insert("again", parameter);
    ordered.set_attributes(Some(attributes));
    let counter = (0..3).fold(Dict::of_kind(DictKind::Counter), |mut counter, n| {
        counter.insert(format!("k{n}"), n);
        counter
    });
    let shared = Value::list((0..2500).map(|n| Value::Int(n * 1_000_003)));
    let value = Value::tuple([
        Value::None,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Float(f64::NAN),
        Value::Complex(Complex::new(1.5, -0.0)),
        Value::from("層\0"),
        Value::Bytes((0..=255).collect()),
        Value::ByteArray([].into()),
        Value::tuple([shared.clone(), shared]),
        Value::Set([Value::Int(1), Value::from("a")].into_iter().collect()),
        Value::Dict(ordered),
        Value::Dict(counter),
        Value::Size([2, 3].into()),
        Value::DType(DType::F8E5M2),
        Value::Device(Device::parse("cuda:1").expect("a name")),
        Value::Storage(Tensor::from([1_i64, 2]).storage().erase()),
    ]);
    let path = folder.at("kinds.pt");
    save(&path, &value).expect("pt has it");
    let read = load(&path).expect("it was written").value;
    assert!(read == value, "{read:?}\n{value:?}");
    let Value::Tuple(items) = &read else { panic!("{read:?}") };
    let Value::Tuple(lists) = &items[8] else { panic!("{:?}", items[8]) };
    let (Value::List(a), Value::List(b)) = (&lists[0], &lists[1]) else { panic!("{lists:?}") };
    assert!(std::ptr::eq(&raw const **a, &raw const **b), "a list that is mentioned twice is one list");
}

#[test]
fn a_wrong_type_is_told_with_the_name_and_both_shapes() {
    let folder = Folder::new();
    let path = folder.at("model.pt");
    let state: Dict = [("encoder.weight", &Tensor::from([[1.0_f32, 2.0]]))].into_iter().collect();
    save(&path, &state).expect("pt has it");
    let archive = load(&path).expect("it was written");
    for (message, expected) in [
        (
            refusal(archive.get::<Tensor<f32, shape![384, 1536]>>("encoder.weight")),
            "model.pt: encoder.weight: expected a tensor of float32 and shape [384, 1536], found one of float32 and shape [1, 2]",
        ),
        (
            refusal(archive.get::<Tensor<f64, shape![1, 2]>>("encoder.weight")),
            "model.pt: encoder.weight: expected a tensor of float64 and shape [1, 2], found one of float32 and shape [1, 2]",
        ),
        (refusal(archive.get::<i64>("encoder.weight")), "model.pt: encoder.weight: expected a int, found a tensor"),
        (refusal(archive.get::<Value>("encoder")), "model.pt: encoder: there is no such name; there are encoder.weight"),
    ] {
        assert_eq!(without_folder(&message, &path), expected);
    }
    assert!(archive.get::<Tensor<f32, shape![1, _]>>("encoder.weight").is_ok());
}

#[test]
fn deep_and_wide_trees_are_dropped_compared_and_printed() {
    let deep = |depth| {
        (0..depth)
            .fold(Value::None, |inner, n| if n % 2 == 0 { Value::list([inner]) } else { Value::from(Dict::from_iter([("d", inner)])) })
    };
    let (a, b) = (deep(200_000), deep(200_000));
    assert!(a == b);
    assert!(a != deep(200_001));
    assert!(format!("{a:?}").ends_with('…'));
    // Two to the hundredth values.
    let wide = || (0..100).fold(Value::Int(1), |inner, _| Value::tuple([inner.clone(), inner]));
    let (a, b) = (wide(), wide());
    assert!(a == b);
    assert!(format!("{a:?}").len() < 200_000);
    let folder = Folder::new();
    let path = folder.at("wide.pt");
    save(&path, &a).expect("pt has it");
    assert!(std::fs::metadata(&path).expect("a file").len() < 10_000, "what is shared is written once");
    assert!(load(&path).expect("it was written").value == a);
}

#[test]
fn a_tensor_that_types_say_nothing_of_is_found_by_path() {
    let inner: Dict = [("w", &Tensor::from([1.0_f32]))].into_iter().collect();
    let value = Value::from(Dict::from_iter([("model", Value::from(inner)), ("list", Value::list([Value::from(&Tensor::from([2_i64]))]))]));
    let paths: Vec<String> = value.tensors().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["model.w", "list[0]"]);
}

#[test]
fn tensors_by_name_are_saved_as_they_stand() {
    let folder = Folder::new();
    let (weight, bias) = (Tensor::from([[1.0_f32, 2.0]]), Tensor::from([3_i64]));
    let listed = [("weight", weight.erase()), ("bias", bias.erase())];
    let map: HashMap<String, DynTensor> = listed.iter().map(|(name, tensor)| ((*name).to_owned(), tensor.alias())).collect();
    let (path, of_map) = (folder.at("listed.safetensors"), folder.at("map.pt"));
    save(&path, &listed).expect("safetensors have it");
    save(&of_map, &map).expect("pt has it");
    for (path, order) in [(&path, ["weight", "bias"]), (&of_map, ["bias", "weight"])] {
        let archive = load(path).expect("it was written");
        let tensors = archive.tensors().expect("tensors by name");
        assert_eq!(tensors.iter().map(|(name, _)| *name).collect::<Vec<_>>(), order, "a map is written in the order of its names");
        let found: Tensor<f32, shape![1, 2]> = archive.get("weight").expect("the weight");
        assert_eq!(found.to_vec(), [1.0, 2.0]);
    }
    let alone = folder.at("alone.npy");
    save(&alone, &weight).expect("npy has it");
    let refused = refusal(load(&alone).expect("it was written").tensors().map(|tensors| tensors.len()));
    assert!(refused.ends_with("alone.npy: expected tensors by name, found a tensor"), "{refused}");
}
