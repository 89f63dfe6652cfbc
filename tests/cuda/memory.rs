//! Tensors of a device: how they are made, filled, looked at and copied, with and without waiting.

use latten::OfOptions as _;
use latten::elementwise::{Params, apply};
use latten::tensor::DynTensor;
use latten::{DType, Device, Op, RawTensor, Result, Scalar};

use super::{cuda, ready};
use crate::compare::{bytes, numbers, same};

#[test]
fn memory_is_made_filled_copied_and_resized() -> Result<()> {
    if !ready("memory") {
        return Ok(());
    }
    for &dtype in DType::ALL.iter().filter(|dtype| !dtype.is_quantized()) {
        let (cpu, device) = (RawTensor::empty(&[7, 9], &[9, 1], dtype, Device::CPU)?, RawTensor::empty(&[7, 9], &[9, 1], dtype, cuda())?);
        for tensor in [&cpu, &device] {
            tensor.zero_()?;
            tensor.as_strided(&[3, 4], &[18, 2], Some(1))?.fill_(1.0)?;
        }
        same(&format!("fill of {dtype}"), &cpu, &device, 0.0);
    }
    let storage = latten::storage::UntypedStorage::from_bytes(&[1, 2, 3, 4, 5])?.to("cuda")?;
    assert!(storage.is_cuda() && storage.device() == cuda() && storage.data_ptr() != 0);
    storage.set(1, 9)?;
    storage.slice(3..)?.fill_(7)?;
    assert_eq!((storage.get(-1)?, storage.tolist()?), (7, vec![1, 9, 3, 7, 7]));
    storage.resize_(9)?;
    storage.set_range(5.., 0)?;
    assert_eq!(storage.deep_clone()?.cpu()?.tolist()?, [1, 9, 3, 7, 7, 0, 0, 0, 0]);
    storage.slice(..5)?.copy_(&storage.slice(1..6)?)?;
    assert_eq!(storage.tolist()?, [9, 3, 7, 7, 0, 0, 0, 0, 0]);
    let elsewhere = storage.to("cuda:1");
    if latten::cuda::device_count() > 1 {
        assert_eq!(elsewhere?.tolist()?, storage.tolist()?);
    }
    Ok(())
}

#[test]
fn a_slice_of_a_storage_between_two_elements_is_refused() -> Result<()> {
    if !ready("alignment") {
        return Ok(());
    }
    let storage = latten::storage::UntypedStorage::zeroed(64, cuda())?.slice(1..33)?;
    let odd = RawTensor::over(storage, DType::F32, latten::geometry::Geometry::contiguous(&[8]))?;
    let refused = apply(Op::Neg, &[(&odd).into()], &Params::none()).expect_err("misaligned");
    assert!(refused.message().contains("no multiple of 4"), "{refused}");
    assert_eq!(bytes(&odd)?, [0; 32]);
    Ok(())
}

#[test]
fn tensors_are_looked_at_printed_and_indexed() -> Result<()> {
    if !ready("printing") {
        return Ok(());
    }
    let x = DynTensor::arange(6, DType::F32)?.reshape([2, 3])?.cuda()?;
    assert_eq!(x.to_string(), "tensor([[0., 1., 2.],\n        [3., 4., 5.]], device='cuda:0')");
    assert_eq!((x.device(), x.get_device()), (cuda(), 0));
    assert_eq!(x.raw().element(&[1, 2])?, Scalar::Float(5.0));
    let corner = x.raw().as_strided(&[2, 2], &[3, 1], Some(1))?;
    assert_eq!(corner.scalars()?, [1.0, 2.0, 4.0, 5.0].map(Scalar::Float));
    assert_eq!(corner.as_strided(&[1], &[1], Some(5))?.item()?, Scalar::Float(5.0));
    Ok(())
}

#[test]
fn tensors_are_made_there() -> Result<()> {
    if !ready("making") {
        return Ok(());
    }
    let text = |tensor: &DynTensor| tensor.to_string();
    assert_eq!(text(&DynTensor::zeros([2], (DType::I64, "cuda"))?), "tensor([0, 0], device='cuda:0')");
    assert_eq!(text(&DynTensor::full([2], 2.5, (DType::F32, "cuda"))?), "tensor([2.5000, 2.5000], device='cuda:0')");
    assert_eq!(text(&DynTensor::arange(3, (DType::I64, "cuda"))?), "tensor([0, 1, 2], device='cuda:0')");
    let x = DynTensor::from_scalars(&[Scalar::Int(3), Scalar::Int(4)], [2], (DType::I64, "cuda"))?;
    assert_eq!((text(&x), text(&x.zeros_like())), ("tensor([3, 4], device='cuda:0')".into(), "tensor([0, 0], device='cuda:0')".into()));
    assert_eq!(text(&latten::cat(&[&x, &x], 0)?), "tensor([3, 4, 3, 4], device='cuda:0')");
    Ok(())
}

#[test]
fn pinned_memory_goes_without_waiting() -> Result<()> {
    if !ready("pinned memory") {
        return Ok(());
    }
    let x = DynTensor::arange(1000, DType::I64)?;
    let pinned = x.pin_memory()?;
    assert!(pinned.is_pinned() && !x.is_pinned() && pinned.storage().untyped().tolist()? == x.storage().untyped().tolist()?);
    let there = pinned.to_device_non_blocking("cuda")?;
    let back = there.to_device_non_blocking("cpu")?;
    assert!(back.is_pinned() && !there.is_pinned());
    assert_eq!(back.raw().scalars()?, x.raw().scalars()?);
    let mut target = x.zeros_like().pin_memory()?;
    target.copy_non_blocking_(&there)?;
    assert_eq!(target.raw().scalars()?, x.raw().scalars()?);
    Ok(())
}

#[test]
fn streams_and_devices_keep_the_order_of_a_program() -> Result<()> {
    if !ready("streams") {
        return Ok(());
    }
    let stream = latten::cuda::Stream::new("cuda:0")?;
    let x = numbers(DType::F32, 1000, 1)?.to_device(cuda())?;
    let before = latten::cuda::Event::record("cuda:0")?;
    let doubled = stream.scope(|| apply(Op::Add, &[(&x).into(), (&x).into()], &Params::none()))?;
    let after = stream.record()?;
    after.synchronize()?;
    before.synchronize()?;
    assert!(after.is_done()? && before.milliseconds_to(&after)? >= 0.0);
    let halved = apply(Op::Sub, &[(&doubled).into(), (&x).into()], &Params::none())?;
    let host = x.to_device(Device::CPU)?;
    let expected = apply(Op::Add, &[(&host).into(), (&host).into()], &Params::none())?;
    same("x + x - x", &apply(Op::Sub, &[(&expected).into(), (&host).into()], &Params::none())?, &halved, 0.0);
    latten::cuda::synchronize("cuda:0")?;
    latten::cuda::empty_cache("cuda:0")?;
    let properties = latten::cuda::device_properties(0)?;
    assert!(properties.capability.0 >= 3 && properties.multiprocessors > 0 && !properties.name.is_empty(), "{properties:?}");
    if latten::cuda::device_count() > 1 {
        let other = x.to_device("cuda:1".parse()?)?;
        let refused = apply(Op::Add, &[(&x).into(), (&other).into()], &Params::none()).expect_err("two devices");
        assert_eq!(refused.message(), "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!");
        same("on another device", &other.to_device(cuda())?, &x, 0.0);
        let sum = apply(Op::Add, &[(&other).into(), 1.into()], &Params::none())?;
        assert_eq!(sum.device(), "cuda:1".parse()?);
        assert_eq!(latten::device::set_current_cuda_device(1)?, 0);
        assert_eq!(RawTensor::empty(&[1], &[1], DType::F32, "cuda".parse()?)?.device(), "cuda:1".parse()?);
        latten::device::set_current_cuda_device(0)?;
    }
    let beyond = RawTensor::empty(&[1], &[1], DType::F32, "cuda:99".parse()?).expect_err("no such device");
    assert!(beyond.message().contains("invalid device ordinal"), "{beyond}");
    Ok(())
}
