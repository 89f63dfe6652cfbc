//! Devices: their names, what stands for one, and which can be used. Answers and texts are PyTorch 2.15's, but for ordinals beyond 127,
//! which it lets wrap around, and for devices that aren't built.

use std::collections::HashSet;

use latten::device::{current_cuda_device, set_current_cuda_device};
use latten::prelude::*;
use latten::{DeviceType, Error, ErrorKind, IntoDevice, Result};

const NAMES: [&str; 20] = [
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
];

/// What Python's `repr` shows, or the error's text.
fn answer(device: impl IntoDevice) -> String {
    device.into_device().map_or_else(|error| error.message().to_owned(), |device| format!("{device:?}"))
}

#[test]
fn strings() {
    let valid = [
        ("cpu", "device(type='cpu')"),
        ("cuda", "device(type='cuda')"),
        ("cuda:0", "device(type='cuda', index=0)"),
        ("cuda:127", "device(type='cuda', index=127)"),
        ("cpu:3", "device(type='cpu', index=3)"),
        ("meta", "device(type='meta')"),
        ("meta:5", "device(type='meta', index=5)"),
        ("mps", "device(type='mps')"),
        ("xla:1", "device(type='xla', index=1)"),
        ("privateuseone", "device(type='privateuseone')"),
    ];
    for (text, expected) in valid {
        assert_eq!(answer(text), expected);
        assert_eq!(text.parse::<Device>().map(|device| device.to_string()), Ok(text.to_owned()));
    }
    let misfits = [
        "cuda:",
        ":0",
        ":",
        "cuda:01",
        "cuda:-1",
        "cuda0",
        " cuda",
        "cuda ",
        "cuda:0:1",
        "1",
        "-1",
        "cuda: 1",
        "cuda:1 ",
        "cuda:1.0",
        "cüda",
        "cuda:\u{661}",
        "cpu\n",
        "cpu,cuda",
        "cuda-0",
    ];
    for text in misfits {
        assert_eq!(answer(text), format!("Invalid device string: '{text}'"));
    }
    for text in ["foo", "foo:1", "CPU", "Cuda", "gpu", "_"] {
        let word = text.split(':').next().unwrap_or(text);
        let names = NAMES.join(", ");
        assert_eq!(answer(text), format!("Expected one of {names} device type at start of device string: {word}"));
    }
    let others = [
        ("", "Device string must not be empty"),
        ("cuda:99999999999999", "Could not parse device index '99999999999999' in device string 'cuda:99999999999999'"),
        ("cuda:2147483648", "Could not parse device index '2147483648' in device string 'cuda:2147483648'"),
        ("cuda:2147483647", "Device index must be at most 127, got 2147483647"),
        ("cuda:128", "Device index must be at most 127, got 128"),
    ];
    for (text, expected) in others {
        assert_eq!(answer(text), expected);
    }
}

#[test]
fn the_twenty_names() -> Result<()> {
    assert_eq!(DeviceType::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>(), NAMES);
    for (name, &kind) in NAMES.iter().zip(DeviceType::ALL) {
        let device = name.into_device()?;
        assert_eq!((device.kind(), device.index(), device.to_string().as_str()), (kind, None, *name));
        let second = format!("{name}:1").into_device()?;
        assert_eq!((second.kind(), second.index(), second), (kind, Some(1), Device::new(kind, 1)?));
        assert_ne!(device, second);
        let answer = DynTensor::zeros([1], (DType::F32, *name)).map(|x| x.device().to_string());
        let expected = match *name {
            "cpu" | "meta" => Ok((*name).to_owned()),
            "cuda" => Err(Error::new(ErrorKind::NotImplemented, "cuda can't be used: this build of latten has no CUDA")),
            _ => {
                let text = format!("{name} can't be used: latten has the devices cpu, cuda and meta, and no {name}");
                Err(Error::new(ErrorKind::NotImplemented, text))
            }
        };
        assert_eq!(answer, expected);
    }
    Ok(())
}

#[test]
fn what_stands_for_a_device() -> Result<()> {
    let device = Device::new(DeviceType::Cuda, 1)?;
    let same = [
        "cuda:1".into_device()?,
        String::from("cuda:1").into_device()?,
        (&String::from("cuda:1")).into_device()?,
        ("cuda", 1).into_device()?,
        (DeviceType::Cuda, 1_u8).into_device()?,
        1.into_device()?,
        1_usize.into_device()?,
        1_i64.into_device()?,
        device.into_device()?,
        (&device).into_device()?,
        "cuda:1".parse()?,
    ];
    assert!(same.iter().all(|other| *other == device), "{same:?}");
    let refused = [
        (answer(-1), "Device index must not be negative"),
        (answer(("cuda", -1)), "Device index must not be negative"),
        (answer(128), "Device index must be at most 127, got 128"),
        (answer(u64::MAX), "Device index must be at most 127, got 9223372036854775807"),
        (answer(("cuda:0", 1)), "type (string) must not include an index because index was passed explicitly: cuda:0"),
        (answer(("foo:01", 1)), "Invalid device string: 'foo:01'"),
    ];
    for (got, expected) in refused {
        assert_eq!(got, expected);
    }
    // Equality is of kind and ordinal; devices can be keys.
    assert_ne!("cpu".into_device()?, "cpu:0".into_device()?);
    let set: HashSet<Device> = ["cpu", "cpu:0", "cpu", "cuda:0"].into_iter().map(|text| text.into_device()).collect::<Result<_>>()?;
    assert_eq!(set.len(), 3);
    assert_eq!(format!("{:>7}|{:<6}|", Device::META, "cuda:1".into_device()?), "   meta|cuda:1|");
    Ok(())
}

#[test]
fn tensors_say_where_they_are() -> Result<()> {
    let x = DynTensor::zeros([2], (DType::F32, "cpu:0"))?;
    assert_eq!((x.device(), x.get_device(), x.untyped_storage().device()), (Device::CPU, -1, Device::CPU));
    let meta = DynTensor::zeros([2], (DType::F32, ("meta", 7)))?;
    assert_eq!((meta.device(), meta.get_device()), (Device::META, -1));
    // PyTorch copies for "cpu:0".
    for device in ["cpu", "cpu:0", "cpu:3"] {
        assert!(x.to_device(device)?.untyped_storage().is_same(x.untyped_storage()), "{device}");
    }
    assert!(!x.to_device(Device::META)?.untyped_storage().is_same(x.untyped_storage()));
    let refused = [
        (x.to_device(1), ErrorKind::NotImplemented, "cuda:1 can't be used: this build of latten has no CUDA"),
        (x.to_device("xpu"), ErrorKind::NotImplemented, "xpu can't be used: latten has the devices cpu, cuda and meta, and no xpu"),
        (x.to_device("cuda:01"), ErrorKind::Runtime, "Invalid device string: 'cuda:01'"),
        (
            x.to_device(("cpu:1", 1)),
            ErrorKind::Runtime,
            "type (string) must not include an index because index was passed explicitly: cpu:1",
        ),
    ];
    for (answer, kind, text) in refused {
        assert_eq!(answer.err(), Some(Error::new(kind, text)));
    }
    Ok(())
}

#[test]
fn each_thread_has_its_current_device() -> Result<()> {
    assert_eq!(set_current_cuda_device("cuda:2")?, 0);
    assert_eq!("cuda".into_device()?.resolved().to_string(), "cuda:2");
    assert_eq!(std::thread::spawn(current_cuda_device).join().expect("no panic"), 0);
    assert_eq!(set_current_cuda_device("cpu").err(), Some(Error::new(ErrorKind::Value, "Expected a cuda device, but got: cpu")));
    assert_eq!((current_cuda_device(), set_current_cuda_device(0)?), (2, 2));
    Ok(())
}
