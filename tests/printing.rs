//! What tensors print: `golden/printing.jsonl` has, of each tensor, how it lies in its storage, the options, and PyTorch's text.
//! It was recorded by `golden/record_printing.py`. Options and default dtype belong to the process, so one test goes through all.

use latten::print::{PrintOptions, print_options, set_print_options};
use latten::storage::UntypedStorage;
use latten::{DType, Device, DynTensor, Result, Tensor, default_dtype, set_default_dtype, shape};
use latten::{OfOptions as _, OfShape as _};
use serde_json::Value;

fn numbers(list: &Value) -> Vec<usize> {
    list.as_array().into_iter().flatten().map(|number| number.as_u64().expect("a number") as usize).collect()
}

fn dtype(name: &Value) -> DType {
    DType::parse(name.as_str().expect("a dtype's name")).expect("a dtype")
}

/// The tensor that a line describes.
fn tensor(line: &Value) -> Result<DynTensor> {
    let (dtype, sizes, strides) = (dtype(&line["dtype"]), numbers(&line["sizes"]), numbers(&line["strides"]));
    let Some(bytes) = line["storage"].as_str() else { return DynTensor::empty(&sizes, (dtype, Device::META)) };
    let bytes: Vec<u8> =
        bytes.as_bytes().chunks(2).map(|two| u8::from_str_radix(str::from_utf8(two).expect("hex"), 16).expect("hex")).collect();
    let mut tensor = DynTensor::empty([0], dtype)?;
    tensor.set_((&UntypedStorage::from_bytes(&bytes)?, line["offset"].as_i64().expect("an offset") as isize, &sizes, &strides))?;
    Ok(tensor)
}

fn options(line: &Value) -> PrintOptions {
    let mut options = PrintOptions::DEFAULT;
    for (name, value) in line["options"].as_object().into_iter().flatten() {
        let number = || value.as_u64().expect("a number") as usize;
        match name.as_str() {
            "precision" => options.precision = number(),
            "threshold" => options.threshold = number(),
            "edgeitems" => options.edgeitems = number(),
            "linewidth" => options.linewidth = number(),
            "sci_mode" => options.sci_mode = value.as_bool(),
            other => panic!("an option {other}"),
        }
    }
    options
}

#[test]
fn tensors_print_as_in_pytorch() -> Result<()> {
    let lines: Vec<Value> =
        include_str!("golden/printing.jsonl").lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let mut wrong = Vec::new();
    for line in &lines {
        set_print_options(options(line));
        set_default_dtype(line.get("default").map_or(DType::F32, dtype))?;
        let (printed, expected) = (tensor(line)?.to_string(), line["repr"].as_str().expect("a text"));
        if printed != expected {
            wrong.push(format!("{}: {} with {}\n{printed}\nPyTorch has\n{expected}\n", line["about"], line["dtype"], line["options"]));
        }
    }
    set_print_options(PrintOptions::DEFAULT);
    set_default_dtype(DType::F32)?;
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), lines.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(lines.len() > 200, "{}", lines.len());
    the_options()?;
    unreadable_elements()
}

/// The profiles of PyTorch, and options that stay until they are set anew.
fn the_options() -> Result<()> {
    assert_eq!((print_options(), default_dtype()), (PrintOptions::DEFAULT, DType::F32));
    let x = DynTensor::from_scalars(&[0.123_456.into(), 2.0.into()], [2], DType::F32)?;
    let profiles = [
        (PrintOptions::DEFAULT, "tensor([0.1235, 2.0000])"),
        (PrintOptions::SHORT, "tensor([0.12, 2.00])"),
        (PrintOptions::FULL, "tensor([0.1235, 2.0000])"),
    ];
    for (profile, expected) in profiles {
        set_print_options(profile);
        assert_eq!(x.to_string(), expected, "{profile:?}");
    }
    let long = DynTensor::arange(1001, DType::I64)?;
    assert_eq!(long.to_string().lines().count(), 84, "nothing is left out");
    set_print_options(PrintOptions { sci_mode: Some(true), ..PrintOptions::SHORT });
    assert_eq!(x.to_string(), "tensor([1.23e-01, 2.00e+00])");
    assert_eq!(long.to_string(), "tensor([   0,    1,  ...,  999, 1000])");
    set_print_options(PrintOptions { precision: 1, ..print_options() });
    assert_eq!(x.to_string(), "tensor([1.2e-01, 2.0e+00])", "the other options stay");
    set_print_options(PrintOptions::DEFAULT);
    Ok(())
}

#[test]
fn debug_is_the_text() -> Result<()> {
    let x = Tensor::<f32, shape![2, 3]>::zeros();
    assert_eq!(format!("{x:?}"), "tensor([[0., 0., 0.],\n        [0., 0., 0.]])");
    assert_eq!(format!("{:?}", [Tensor::from([1_i64]), Tensor::from([2])]), "[tensor([1]), tensor([2])]");
    let meta = DynTensor::empty([2], (DType::I8, Device::META))?;
    assert_eq!(format!("{meta:?}"), meta.to_string());
    Ok(())
}

/// What can't be read says why.
fn unreadable_elements() -> Result<()> {
    let mut x = Tensor::<i64>::zeros([2])?;
    let y = x.alias();
    let kept = x.slice_mut()?;
    assert_eq!(y.to_string(), "tensor(<the storage can't be used while this thread keeps a mutable slice of it: drop the slice first>)");
    drop(kept);
    assert_eq!(y.to_string(), "tensor([0, 0])");
    Ok(())
}
