//! What tensors are: sizes, dtypes, devices, storages.

use latten::prelude::*;

#[test]
fn properties() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);

    let [_, _] = x.shape(); // size
    _ = x.sizes(); // size
    _ = x.size(0); // size
    _ = x.size(axis::<-1>()); // size
    _ = x.strides(); // stride
    _ = x.stride(0); // stride
    _ = x.rank(); // dim
    _ = x.numel(); // numel
    _ = x.element_size(); // element_size
    _ = x.storage_offset(); // storage_offset
    _ = x.is_contiguous(); // is_contiguous
    _ = x.is_contiguous_with(MemoryFormat::Contiguous); // is_contiguous
    _ = x.is_complex(); // is_complex
    _ = x.is_floating_point(); // is_floating_point
    _ = x.is_signed(); // is_signed
    _ = x.is_shared(); // is_shared
    _ = x.is_pinned(); // is_pinned
    _ = x.is_set_to(&y); // is_set_to
    _ = x.get_device(); // get_device
    _ = x.sum().item(); // item
    _ = x.get([0, 1])?; // item
    _ = can_cast(DType::F32, DType::I64); // can_cast
    _ = promote_types(DType::F32, DType::I64)?; // promote_types
    _ = result_type(&x, 1)?; // result_type
    Ok(())
}

#[test]
fn conversions() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    _ = x.to::<f64>(); // to
    _ = x.to_dtype(DType::F64)?; // to
    _ = x.to_device("cpu")?; // to
    _ = x.to_device_non_blocking(Device::CPU)?; // to
    _ = x.type_as(&tensor![1, 2]); // type_as
    _ = x.cpu()?; // cpu
    _ = x.bool(); // bool
    _ = x.byte(); // byte
    _ = x.char(); // char
    _ = x.short(); // short
    _ = x.int(); // int
    _ = x.long(); // long
    _ = x.half(); // half
    _ = x.bfloat16(); // bfloat16
    _ = x.float(); // float
    _ = x.double(); // double
    _ = x.chalf(); // chalf
    _ = x.cfloat(); // cfloat
    _ = x.cdouble(); // cdouble
    Ok(())
}

#[test]
fn storages() -> Result<()> {
    let (mut x, y) = (Tensor::<f32>::zeros([2, 3])?, Tensor::<f32>::ones([3, 4])?);

    x.resize_([4, 3])?; // resize_
    x.resize_with_([2, 3], MemoryFormat::Contiguous)?; // resize_
    x.resize_as_(&y)?; // resize_as_
    x.resize_as_with_(&y, MemoryFormat::Contiguous)?; // resize_as_
    x.set_(&y)?; // set_
    x.set_((&y, 0, [2, 2], [4, 1]))?; // set_
    x.share_memory_()?; // share_memory_
    if latten::cuda::is_available() {
        _ = y.pin_memory()?; // pin_memory
    }
    Ok(())
}
