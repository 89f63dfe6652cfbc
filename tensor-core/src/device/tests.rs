//! Devices against PyTorch 2.15.

use super::{Device, DeviceType, IntoDevice, current_cuda_device, set_current_cuda_device};

fn answer(device: impl IntoDevice) -> String {
    device.into_device().map_or_else(|error| error.message().to_owned(), |device| device.to_string())
}

#[test]
fn strings_parse_as_in_pytorch() {
    for kind in DeviceType::ALL {
        assert_eq!(answer(kind.name()), kind.name());
        assert_eq!(answer(format!("{kind}:3")), format!("{kind}:3"));
    }
    for text in ["cpu:0", "cuda:10", "meta:127", "cuda:0"] {
        assert_eq!(answer(text), text);
    }
    let invalid = [
        "cuda:",
        "cuda:-1",
        "cuda:01",
        "cuda:00",
        "cuda:1.5",
        "cuda:1:2",
        "cuda::1",
        "cuda:+1",
        "cuda:a",
        "cuda:1a",
        "cuda: 1",
        "cuda:1 ",
        "cuda ",
        "cuda:0x1",
        "cuda1",
        "cuda-1",
        "cuda.1",
        "cuda:٣",
        "cuda:-0",
        ":",
        ":0",
        "0",
        "1",
        "-1",
        " cpu",
        "\tcpu",
        "cpu\n",
        "cuda 0",
        "cpu,cuda",
        "cuda/0",
        "foo:01",
        "cpu:cuda",
        "torch.cpu",
    ];
    for text in invalid {
        assert_eq!(answer(text), format!("Invalid device string: '{text}'"));
    }
    for text in ["CPU", "Cuda", "gpu", "c", "cpux", "None", "foo", "a_b", "_"] {
        let expected = format!(
            "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, \
             privateuseone device type at start of device string: {text}"
        );
        assert_eq!(answer(text), expected);
        assert_eq!(answer(format!("{text}:0")), expected);
    }
    assert_eq!(answer(""), "Device string must not be empty");
    assert_eq!(answer("cuda:2147483648"), "Could not parse device index '2147483648' in device string 'cuda:2147483648'");
    assert_eq!(answer("cuda:128"), "Device index must be at most 127, got 128");
}

#[test]
fn ordinals_strings_and_kinds_name_devices_alike() -> crate::error::Result<()> {
    let device = Device::new(DeviceType::Cuda, 1)?;
    assert_eq!("cuda:1".into_device()?, device);
    assert_eq!("cuda:1".parse::<Device>()?, device);
    assert_eq!(String::from("cuda:1").into_device()?, device);
    assert_eq!(1.into_device()?, device);
    assert_eq!(1_usize.into_device()?, device);
    assert_eq!(("cuda", 1).into_device()?, device);
    assert_eq!((DeviceType::Cuda, 1_u8).into_device()?, device);
    assert_eq!(device.into_device()?, device);
    assert_eq!(DeviceType::Cpu.into_device()?, Device::CPU);
    assert_ne!("cpu:0".into_device()?, Device::CPU);
    assert_eq!("cpu:0".into_device()?.resolved(), Device::CPU);
    assert_eq!(answer(-1), "Device index must not be negative");
    assert_eq!(answer(300), "Device index must be at most 127, got 300");
    assert_eq!(answer(("cuda", -1)), "Device index must not be negative");
    assert_eq!(answer(("foo:01", 1)), "Invalid device string: 'foo:01'");
    assert_eq!(answer(("cuda:0", 1)), "type (string) must not include an index because index was passed explicitly: cuda:0");
    assert_eq!(format!("{:?} {:?}", device, Device::META), "device(type='cuda', index=1) device(type='meta')");
    Ok(())
}

#[test]
fn each_thread_has_its_current_device() -> crate::error::Result<()> {
    assert_eq!(set_current_cuda_device("cuda:2")?, 0);
    assert_eq!("cuda".into_device()?.resolved().to_string(), "cuda:2");
    assert_eq!(std::thread::spawn(current_cuda_device).join().expect("no panic"), 0);
    assert!(set_current_cuda_device("cpu").is_err());
    assert_eq!(set_current_cuda_device(0)?, 2);
    Ok(())
}

#[test]
fn only_some_devices_are_built() {
    assert!(Device::CPU.require_built().is_ok() && Device::META.require_built().is_ok());
    let refused = [
        ("mps", "mps can't be used: latten has the devices cpu, cuda and meta, and no mps"),
        ("cuda:1", "cuda:1 can't be used: this build of latten has no CUDA"),
    ];
    // Where CUDA is built in, the second may be used.
    for (name, text) in refused.into_iter().take(if cfg!(feature = "cuda") { 1 } else { 2 }) {
        let error = name.into_device().and_then(Device::require_built).expect_err(name);
        assert_eq!(error.message(), text);
    }
}
