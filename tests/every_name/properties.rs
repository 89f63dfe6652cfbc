//! What tensors are: sizes, dtypes, devices, storages.

use super::prelude::*;

use super::ty;

pub(super) fn properties() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    erase!(x, y);

    typed! {
        let [_, _] = x.shape(); // size
    }
    ty(x.sizes()); // size
    ty(x.size(0)); // size
    ty(x.size(axis::<-1>())); // size
    ty(x.strides()); // stride
    ty(x.stride(0)); // stride
    ty(x.dim()); // dim
    ty(x.numel()); // numel
    ty(x.element_size()); // element_size
    ty(x.storage_offset()); // storage_offset
    ty(x.is_contiguous()); // is_contiguous
    ty(x.is_contiguous_with(MemoryFormat::Contiguous)); // is_contiguous
    ty(x.is_complex()); // is_complex
    ty(x.is_floating_point()); // is_floating_point
    ty(x.is_signed()); // is_signed
    ty(x.is_shared()); // is_shared
    ty(x.is_pinned()); // is_pinned
    ty(x.is_set_to(&y)); // is_set_to
    ty(x.get_device()); // get_device
    ty(x.sum().item()); // item
    ty(x.get([0, 1])?); // item
    ty(can_cast(DType::F32, DType::I64)); // can_cast
    ty(promote_types(DType::F32, DType::I64)?); // promote_types
    ty(result_type(&x, 1)?); // result_type
    Ok(())
}

pub(super) fn conversions() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    erase!(x);

    ty(x.to::<f64>()); // to
    ty(x.to_dtype(DType::F64)?); // to
    ty(x.to_device("cpu")?); // to
    ty(x.to_device_non_blocking(Device::CPU)?); // to
    ty(x.type_as(&tensor![1, 2])); // type_as
    ty(x.cpu()?); // cpu
    ty(x.bool()); // bool
    ty(x.byte()); // byte
    ty(x.char()); // char
    ty(x.short()); // short
    ty(x.int()); // int
    ty(x.long()); // long
    ty(x.half()); // half
    ty(x.bfloat16()); // bfloat16
    ty(x.float()); // float
    ty(x.double()); // double
    ty(x.chalf()); // chalf
    ty(x.cfloat()); // cfloat
    ty(x.cdouble()); // cdouble
    Ok(())
}

pub(super) fn storages() -> Result<()> {
    let (mut x, y) = (Tensor::<f32>::zeros([2, 3])?, Tensor::<f32>::ones([3, 4])?);
    erase!(x, y);

    x.resize_([4, 3])?; // resize_
    x.resize_with_([2, 3], MemoryFormat::Contiguous)?; // resize_
    x.resize_as_(&y)?; // resize_as_
    x.resize_as_with_(&y, MemoryFormat::Contiguous)?; // resize_as_
    x.set_(&y)?; // set_
    x.set_((&y, 0, [2, 2], [4, 1]))?; // set_
    x.share_memory_()?; // share_memory_
    if latten::cuda::is_available() {
        ty(y.pin_memory()?); // pin_memory
    }
    Ok(())
}
