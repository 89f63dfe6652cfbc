//! What PyTorch's pages on tensor attributes, broadcasting, storages, and sizes with strides show: each line holds here, for types
//! that know and for tensors that only the run knows. One test a section.

use latten::prelude::*;
use latten::storage::{Sharing, UntypedStorage, dtype_of_legacy_storage};
use latten::{Result, can_cast, warning};

fn zeros(dtype: DType, sizes: &[isize]) -> Result<DynTensor> {
    DynTensor::zeros(sizes, dtype)
}

fn message<T>(outcome: Result<T>) -> String {
    outcome.err().map_or_else(|| "no error".into(), |error| error.to_string())
}

#[test]
fn dtypes_and_their_names() -> Result<()> {
    let rows: [(DType, &str, &[&str], Option<&str>); 12] = [
        (DType::F32, "float32", &["float"], Some("FloatTensor")),
        (DType::F64, "float64", &["double"], Some("DoubleTensor")),
        (DType::C64, "complex64", &["cfloat"], Some("ComplexFloatTensor")),
        (DType::C128, "complex128", &["cdouble"], Some("ComplexDoubleTensor")),
        (DType::F16, "float16", &["half"], Some("HalfTensor")),
        (DType::BF16, "bfloat16", &[], Some("BFloat16Tensor")),
        (DType::U8, "uint8", &[], Some("ByteTensor")),
        (DType::I8, "int8", &[], Some("CharTensor")),
        (DType::I16, "int16", &["short"], Some("ShortTensor")),
        (DType::I32, "int32", &["int"], Some("IntTensor")),
        (DType::I64, "int64", &["long"], Some("LongTensor")),
        (DType::Bool, "bool", &[], Some("BoolTensor")),
    ];
    for (dtype, name, aliases, legacy) in rows {
        assert_eq!((dtype.name(), dtype.aliases()), (name, aliases), "{dtype:?}");
        assert_eq!(dtype.legacy_name().map(|name| format!("{name}Tensor")).as_deref(), legacy, "{dtype:?}");
        for name in aliases.iter().chain([&name]) {
            assert_eq!(DType::parse(name), Some(dtype), "{name}");
        }
        let storage = legacy.map(|name| name.replace("Tensor", "Storage")).unwrap_or_default();
        assert_eq!(dtype_of_legacy_storage(&storage)?, dtype, "{storage}");
        assert_eq!(dtype.is_floating_point(), ["float16", "bfloat16", "float32", "float64"].contains(&name), "{dtype:?}");
        assert_eq!(dtype.is_complex(), name.starts_with("complex"), "{dtype:?}");
    }
    Ok(())
}

#[test]
fn promotion_of_dtypes() -> Result<()> {
    // In the type:
    let (float, double, cfloat, cdouble) =
        (Tensor::from([1_f32]), Tensor::from([1_f64]), Tensor::from([1_f32]).cfloat(), Tensor::from([1_f64]).cdouble());
    let (int, long, bool, uint) = (Tensor::from([1_i32]), Tensor::from([1_i64]), Tensor::from([true]), Tensor::from([1_u8]));
    let long_zerodim = Tensor::from(1_i64);
    let _: Tensor<i32, _> = &int + 5;
    let _: Tensor<i32, _> = &int + &long_zerodim;
    let _: Tensor<i64, _> = &long + &int;
    let _: Tensor<i64, _> = &bool + &long;
    let _: Tensor<u8, _> = &bool + &uint;
    let _: Tensor<f64, _> = &float + &double;
    let _: Tensor<c128, _> = &cfloat + &cdouble;
    let _: Tensor<i32, _> = &bool + &int;
    let _: Tensor<f32, _> = &long + &float;
    // At run time, by the same table:
    let rows = [
        (int.erase(), long_zerodim.erase(), DType::I32),
        (long.erase(), int.erase(), DType::I64),
        (bool.erase(), long.erase(), DType::I64),
        (bool.erase(), uint.erase(), DType::U8),
        (float.erase(), double.erase(), DType::F64),
        (cfloat.erase(), cdouble.erase(), DType::C128),
        (bool.erase(), int.erase(), DType::I32),
        (long.erase(), float.erase(), DType::F32),
    ];
    for (a, b, dtype) in rows {
        assert_eq!((&a + &b).dtype(), dtype, "{a:?} + {b:?}");
    }
    assert_eq!((int.erase() + 5).dtype(), DType::I32);
    let five = DynTensor::full((), 5, Options::new())?;
    assert_eq!((&five + &five).dtype(), DType::I64, "two integers make an int64");
    Ok(())
}

#[test]
fn casting_of_outputs() -> Result<()> {
    let allowed = [
        (DType::F32, DType::F32),
        (DType::F32, DType::I32),
        (DType::F32, DType::U8),
        (DType::F32, DType::Bool),
        (DType::F32, DType::F64),
        (DType::I32, DType::I64),
        (DType::I32, DType::U8),
        (DType::U8, DType::I32),
    ];
    for (output, operand) in allowed {
        let mut tensor = zeros(output, &[1])?;
        tensor.mul_(&zeros(operand, &[1])?)?;
        assert_eq!(tensor.dtype(), output);
    }
    let refused = [
        (DType::I32, DType::F32, "result type Float can't be cast to the desired output type Int"),
        (DType::Bool, DType::I32, "result type Int can't be cast to the desired output type Bool"),
        (DType::Bool, DType::U8, "result type Byte can't be cast to the desired output type Bool"),
        (DType::F32, DType::C64, "result type ComplexFloat can't be cast to the desired output type Float"),
    ];
    for (output, operand, text) in refused {
        assert_eq!(message(zeros(output, &[1])?.mul_(&zeros(operand, &[1])?)), text);
        assert!(!can_cast(operand, output));
    }
    // In the type: `float *= &int` compiles, `int *= &float` doesn't (ui-tests).
    let (mut float, int) = (Tensor::from([1.5_f32]), Tensor::from([2_i32]));
    float *= &int;
    assert_eq!(float.to_vec(), [3.0]);
    Ok(())
}

#[test]
fn devices() -> Result<()> {
    let rows = [
        (Device::parse("cuda:0")?, "cuda", Some(0)),
        (Device::parse("cpu")?, "cpu", None),
        (Device::parse("cuda")?, "cuda", None),
        (latten::IntoDevice::into_device(("cuda", 0))?, "cuda", Some(0)),
        (latten::IntoDevice::into_device(("cpu", 0))?, "cpu", Some(0)),
        (latten::IntoDevice::into_device(1)?, "cuda", Some(1)),
    ];
    for (device, kind, index) in rows {
        assert_eq!((device.kind().to_string(), device.index()), (kind.to_owned(), index), "{device}");
    }
    // A method that takes a device takes all of these; this build has no CUDA, and says so alike.
    let x = Tensor::<f32>::ones([2, 3])?;
    let refused = message(x.to_device("cuda:1"));
    assert!(refused.contains("cuda"), "{refused}");
    assert_eq!(message(x.to_device(1)), refused);
    assert_eq!(message(x.to_device(Device::parse("cuda:1")?)), refused);
    assert_eq!(x.get_device(), -1);
    // An index that is absent stays absent, whatever the current device is.
    let current = Device::parse("cuda")?;
    latten::device::set_current_cuda_device(1)?;
    assert_eq!(current.index(), None);
    latten::device::set_current_cuda_device(0)?;
    Ok(())
}

#[test]
fn layouts_and_memory_formats() -> Result<()> {
    let x = Tensor::from([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]);
    assert_eq!((x.strides(), x.t().strides()), (&[5, 1][..], &[1, 5][..]));
    assert_eq!(x.layout().to_string(), "torch.strided");
    assert_eq!(latten::Layout::SparseCoo.to_string(), "torch.sparse_coo");
    let image = Tensor::<f32>::zeros([2, 3, 4, 5])?;
    let last = image.contiguous_with(MemoryFormat::ChannelsLast)?;
    assert_eq!((image.strides(), last.strides()), (&[60, 20, 5, 1][..], &[60, 1, 15, 3][..]));
    assert!(last.is_contiguous_with(MemoryFormat::ChannelsLast) && !last.is_contiguous());
    assert_eq!((last.clone().strides(), last.to::<f64>().strides()), (last.strides(), last.strides()), "clone and to preserve the format");
    Ok(())
}

#[test]
fn broadcasting() -> Result<()> {
    type Row<'a> = (&'a [isize], &'a [isize], Result<&'a [usize], &'a str>);
    let rows: [Row<'_>; 7] = [
        (&[5, 7, 3], &[5, 7, 3], Ok(&[5, 7, 3])),
        (&[0], &[2, 2], Err("The size of tensor a (0) must match the size of tensor b (2) at non-singleton dimension 1")),
        (&[5, 3, 4, 1], &[3, 1, 1], Ok(&[5, 3, 4, 1])),
        (&[5, 2, 4, 1], &[3, 1, 1], Err("The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1")),
        (&[5, 1, 4, 1], &[3, 1, 1], Ok(&[5, 3, 4, 1])),
        (&[1], &[3, 1, 7], Ok(&[3, 1, 7])),
        (&[4, 1], &[4], Ok(&[4, 4])),
    ];
    for (a, b, expected) in rows {
        let sum = zeros(DType::F32, a)?.try_add(&zeros(DType::F32, b)?);
        match expected {
            Ok(sizes) => assert_eq!(sum?.sizes(), sizes, "{a:?} + {b:?}"),
            Err(text) => assert_eq!(message(sum), text, "{a:?} + {b:?}"),
        }
    }
    // In the type:
    let _: Tensor<f32, shape![5, 3, 4, 1]> = Tensor::<f32, shape![5, 1, 4, 1]>::zeros() + Tensor::<f32, shape![3, 1, 1]>::zeros();
    // In place:
    let mut x = zeros(DType::F32, &[5, 3, 4, 1])?;
    assert_eq!(x.add_(&zeros(DType::F32, &[3, 1, 1])?)?.sizes(), [5, 3, 4, 1]);
    let grown = message(zeros(DType::F32, &[1, 3, 1])?.add_(&zeros(DType::F32, &[3, 1, 7])?));
    assert_eq!(grown, "output with shape [1, 3, 1] doesn't match the broadcast shape [3, 3, 7]");
    Ok(())
}

#[test]
fn the_broadcast_warning_is_given_where_it_is_asked_for() -> Result<()> {
    use std::sync::{Arc, Mutex};
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = Arc::clone(&heard);
    warning::set_hook(Some(Box::new(move |text| ear.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(text.to_owned()))));
    warning::warn_of_broadcasting(true);
    let sum = Tensor::<f32>::zeros([4, 1])?.try_add(&Tensor::<f32>::zeros([4])?);
    warning::warn_of_broadcasting(false);
    warning::set_hook(None);
    assert_eq!(sum?.sizes(), [4, 4]);
    let heard = heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = "self and other do not have the same shape, but are broadcastable, and have the same number of elements.\nChanging behavior in a backwards incompatible manner to broadcasting rather than viewing as 1-dimensional.";
    assert!(heard.iter().any(|warning| warning.contains(text)), "{heard:?}");
    Ok(())
}

#[test]
fn storages() -> Result<()> {
    let mut t = Tensor::<f32>::ones([3])?.erase();
    let bytes = [0_u8, 0, 128, 63].repeat(3);
    assert_eq!(t.untyped_storage().tolist()?, bytes);
    let lines: String = bytes.iter().map(|byte| format!(" {byte}\n")).collect();
    assert_eq!(t.untyped_storage().to_string(), format!("{lines}[torch.storage.UntypedStorage(device=cpu) of size 12]"));
    // A clone of it, filled with zeros and given to the tensor.
    let clone = t.untyped_storage().deep_clone()?;
    clone.fill_(0)?;
    let (offset, sizes, strides) = (t.storage_offset(), t.sizes().to_vec(), t.strides().to_vec());
    t.set_((&clone, offset.cast_signed(), sizes, strides))?;
    assert!(t.equal(&Tensor::<f32>::zeros([3])?));
    // Views share the storage; tensors of different dtypes and shapes can share one.
    let x = Tensor::<i32>::arange(6)?;
    let views = [x.view([2, 3])?.erase(), x.select(0, 2)?.erase(), x.i(i![1..4]).erase()];
    for view in &views {
        assert!(view.untyped_storage().is_same(x.untyped_storage()));
        assert_eq!(view.untyped_storage().data_ptr(), x.untyped_storage().data_ptr());
    }
    let mut floats = DynTensor::zeros([0], DType::F32)?;
    floats.set_(x.untyped_storage())?;
    assert_eq!((floats.dtype(), floats.sizes()), (DType::F32, &[6][..]));
    // Shared memory, and files.
    let shared = UntypedStorage::from_bytes(&[1, 2, 3])?;
    assert!(!shared.is_shared() && shared.share_memory_()?.is_shared());
    assert!(shared.share_memory_()?.is_shared() && shared.tolist()? == [1, 2, 3]);
    let path = std::env::temp_dir().join(format!("latten-documents-{}", std::process::id()));
    let mapped = UntypedStorage::from_file(&path, Sharing::Shared, 4)?;
    mapped.fill_(7)?;
    assert_eq!(mapped.filename(), Some(path.as_path()));
    let private = UntypedStorage::from_file(&path, Sharing::Private, 4)?;
    private.fill_(9)?;
    let written = std::fs::read(&path);
    std::fs::remove_file(&path).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
    assert_eq!((written.ok(), private.filename()), (Some(vec![7; 4]), None));
    // A meta tensor has no data.
    let meta = DynTensor::zeros([3], (DType::F32, "meta"))?;
    assert_eq!((meta.data_ptr(), meta.nbytes()), (0, 12));
    assert_eq!(message(meta.try_item()), "a Tensor with 3 elements cannot be converted to Scalar");
    Ok(())
}

#[test]
fn sizes_offsets_and_strides() -> Result<()> {
    let x = Tensor::from([[1_i64, 2, 3], [4, 5, 6]]);
    let y = x.t();
    for (i, j) in (0..2).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let place = x.storage_offset() + x.strides()[0] * i + x.strides()[1] * j;
        let stored = x.storage().get(place.cast_signed() as i64)?;
        assert_eq!(x.get([i.cast_signed(), j.cast_signed()])?, stored);
        assert_eq!(y.get([j.cast_signed(), i.cast_signed()])?, stored);
    }
    assert_eq!(x.storage().tolist()?, [1, 2, 3, 4, 5, 6]);
    assert!(y.untyped_storage().is_same(x.untyped_storage()));
    assert_eq!((x.is_contiguous(), y.is_contiguous()), (true, false));
    // narrow, view, expand and transpose change no data.
    for view in [x.narrow(1, 1, 2)?.erase(), x.view([3, 2])?.erase(), x.view([2, 3, 1])?.expand([2, 3, 4])?.erase(), y.erase()] {
        assert!(view.untyped_storage().is_same(x.untyped_storage()));
    }
    assert_eq!(x.storage().tolist()?, [1, 2, 3, 4, 5, 6]);

    let x = Tensor::from([[1_i64, 2], [3, 4], [5, 6]]);
    assert_eq!(x.t().to_vec(), [1, 3, 5, 2, 4, 6]);
    assert_eq!(x.t().storage().tolist()?, [1, 2, 3, 4, 5, 6]);
    let dense = x.t().contiguous();
    assert!(dense.equal(&x.t()));
    assert_eq!(dense.storage().tolist()?, [1, 3, 5, 2, 4, 6]);
    Ok(())
}
