//! Tensors as serde's data, here as JSON: every dtype comes back, and what doesn't fit is told.

use latten::prelude::*;
use latten::raw::RawTensor;
use latten::storage::UntypedStorage;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Layer<E: Element = Any, S: Shape = AnyShape> {
    #[serde(with = "latten::io::serde", bound = "")]
    weight: Tensor<E, S>,
}

fn bytes(tensor: &DynTensor) -> Vec<u8> {
    tensor.raw().storage().tolist().expect("bytes on the host")
}

#[test]
fn every_dtype_comes_back_from_json() {
    for &dtype in DType::ALL {
        let count = 4;
        let own: Vec<u8> = (0..dtype.itemsize() * count).map(|n| if dtype == DType::Bool { n % 2 } else { n * 11 % 113 } as u8).collect();
        let storage = UntypedStorage::from_bytes(&own).expect("memory");
        let tensor = RawTensor::over(storage, dtype, latten::geometry::Geometry::contiguous(&[2, 2])).expect("it fits");
        let text = serde_json::to_string(&Layer { weight: DynTensor::from(tensor) }).expect("JSON has it");
        let read: Layer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{dtype}: {error}: {text}"));
        assert_eq!((read.weight.dtype(), bytes(&read.weight)), (dtype, own), "{text}");
    }
}

#[test]
fn numbers_are_written_as_people_read_them() {
    let weight = Tensor::from([[1.5_f32, f32::NEG_INFINITY, f32::NAN]]);
    let text = serde_json::to_string(&Layer { weight: weight.erase() }).expect("JSON has it");
    assert_eq!(text, r#"{"weight":{"dtype":"float32","shape":[1,3],"data":[1.5,"-inf","nan"]}}"#);
    let weight = Tensor::from([Complex::new(0.5_f64, -2.0)]);
    let text = serde_json::to_string(&Layer { weight: weight.erase() }).expect("JSON has it");
    assert_eq!(text, r#"{"weight":{"dtype":"complex128","shape":[1],"data":[[0.5,-2.0]]}}"#);
}

#[test]
fn what_is_no_such_tensor_is_refused() {
    for (text, expected) in [
        (r#"{"dtype":"int8","shape":[1],"data":[128]}"#, "a number that isn't one of int8"),
        (r#"{"dtype":"int8","shape":[2],"data":[1]}"#, "1 bytes of elements, the shape says 2"),
        (r#"{"dtype":"int8","shape":[1],"data":[1,2]}"#, "2 bytes of elements, the shape says 1"),
        (r#"{"dtype":"f4","shape":[1],"data":[1]}"#, "there is no dtype \"f4\""),
        (r#"{"data":[1],"dtype":"int8","shape":[1]}"#, "`data` comes before"),
        (r#"{"dtype":"int8","shape":[4611686018427387904,4],"data":[]}"#, "overflow"),
        (r#"{"dtype":"float32","shape":[1],"data":[1]}"#, "typed: the tensor has dtype float32, not int8"),
        (r#"{"dtype":"int8","shape":[1,1],"data":[1]}"#, "typed: the tensor has shape [1, 1]"),
    ] {
        let Err(error) = serde_json::from_str::<Layer<i8, Rank<1>>>(&format!(r#"{{"weight":{text}}}"#)) else { panic!("{text} was read") };
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}
