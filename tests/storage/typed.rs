//! Numbers: `TypedStorage` of Rust types and of dtypes that only the run knows, the old names, conversions, printing.

use latten::storage::{
    BFloat16Storage, BoolStorage, ByteStorage, CharStorage, ComplexDoubleStorage, ComplexFloatStorage, DoubleStorage, FloatStorage,
    HalfStorage, IntStorage, LongStorage, QInt8Storage, QInt32Storage, QUInt2x4Storage, QUInt4x2Storage, QUInt8Storage, ShortStorage,
    TypedStorage, UntypedStorage, dtype_of_legacy_storage,
};
use latten::{Complex, DType, Device, Result, Scalar, bf16, f16};

fn any(numbers: &[f64], dtype: DType) -> TypedStorage {
    let scalars: Vec<Scalar> = numbers.iter().copied().map(Scalar::Float).collect();
    TypedStorage::from_scalars(&scalars, dtype).expect("numbers that fit")
}

#[test]
fn what_a_storage_says_of_itself() -> Result<()> {
    let storage = FloatStorage::from_slice(&[1.0, 2.5])?;
    let odd = TypedStorage::wrap(UntypedStorage::from_bytes(&[0; 7])?, DType::I16);
    let meta = TypedStorage::with_dtype(3, DType::F64, Device::META)?;
    answers! {
        (storage.size(), storage.len(), storage.nbytes(), storage.element_size(), storage.dtype()) => (2, 2, 8, 4, DType::F32);
        (odd.size(), odd.nbytes(), odd.is_empty(), TypedStorage::wrap(odd.untyped().slice(..1)?, DType::I16).is_empty()) => (3, 7, false, true);
        (meta.size(), meta.device(), meta.get_device(), meta.data_ptr()) => (3, Device::META, None, 0);
        (storage.is_cuda(), storage.is_hpu(), storage.is_sparse(), storage.is_pinned(), storage.is_shared()) => (false, false, false, false, false);
        (storage.resizable(), storage.filename(), storage.data_ptr() == storage.untyped().data_ptr()) => (true, None, true);
        (storage.clone().untyped() == storage.untyped(), storage.erase().untyped() == storage.untyped()) => (true, true);
        (storage.cpu()?.untyped() == storage.untyped(), storage.to("cpu")?.untyped() == storage.untyped()) => (true, true);
        storage.deep_clone()?.untyped() == storage.untyped() => false;
        storage.erase().typed::<f32>()?.tolist()? => [1.0, 2.5];
        format!("{storage:?}") => "[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]";
        TypedStorage::of_default_dtype(2)?.dtype() => DType::F32;
    }
    refusals! {
        storage.erase().typed::<i32>() => Type "expected a storage of torch.int32, but this one is of torch.float32";
        storage.cuda() => NotImplemented "cuda can't be used: this build of latten has no CUDA";
        storage.hpu() => NotImplemented "hpu can't be used: latten has the devices cpu, cuda and meta, and no hpu";
        storage.pin_memory() => Runtime "pin_memory: memory is pinned for a CUDA device, and this build has no CUDA";
        meta.get(0) => NotImplemented "Not available for 'meta' device type";
        meta.tolist() => NotImplemented "Not available for 'meta' device type";
        meta.cpu() => NotImplemented "Cannot copy out of meta tensor; no data!";
        TypedStorage::with_dtype(usize::MAX, DType::I16, Device::META) => Runtime format!("Storage size calculation overflowed with sizes=[{}]", usize::MAX);
    }
    Ok(())
}

/// Name of the class, of its pickled form, and dtype, for all old names.
#[test]
fn the_old_names() -> Result<()> {
    let storages = [
        (FloatStorage::new(2)?.erase(), "Float", DType::F32),
        (DoubleStorage::new(2)?.erase(), "Double", DType::F64),
        (HalfStorage::new(2)?.erase(), "Half", DType::F16),
        (BFloat16Storage::new(2)?.erase(), "BFloat16", DType::BF16),
        (BoolStorage::new(2)?.erase(), "Bool", DType::Bool),
        (ByteStorage::new(2)?.erase(), "Byte", DType::U8),
        (CharStorage::new(2)?.erase(), "Char", DType::I8),
        (ShortStorage::new(2)?.erase(), "Short", DType::I16),
        (IntStorage::new(2)?.erase(), "Int", DType::I32),
        (LongStorage::new(2)?.erase(), "Long", DType::I64),
        (ComplexFloatStorage::new(2)?.erase(), "ComplexFloat", DType::C64),
        (ComplexDoubleStorage::new(2)?.erase(), "ComplexDouble", DType::C128),
        (QUInt8Storage::new(2)?, "QUInt8", DType::QU8),
        (QInt8Storage::new(2)?, "QInt8", DType::QI8),
        (QInt32Storage::new(2)?, "QInt32", DType::QI32),
        (QUInt4x2Storage::new(2)?, "QUInt4x2", DType::QU4x2),
        (QUInt2x4Storage::new(2)?, "QUInt2x4", DType::QU2x4),
    ];
    for (storage, stem, dtype) in storages {
        assert_eq!((storage.dtype(), storage.size(), storage.nbytes()), (dtype, 2, 2 * dtype.itemsize()), "{stem}");
        assert_eq!(storage.type_name(), format!("torch.{stem}Storage"));
        assert_eq!(storage.pickle_storage_type()?, format!("{stem}Storage"));
        assert_eq!(dtype_of_legacy_storage(&format!("{stem}Storage"))?, dtype);
        let wrapped = TypedStorage::wrap(storage.untyped().clone(), dtype);
        assert_eq!(wrapped.untyped(), storage.untyped(), "{stem}");
    }
    let new = TypedStorage::with_dtype(2, DType::U16, Device::CPU)?;
    assert_eq!(new.type_name(), "torch.storage.TypedStorage");
    refusals! {
        new.pickle_storage_type() => Value "dtype torch.uint16 is not recognized";
        dtype_of_legacy_storage("Float") => Value "pickle storage type \"Float\" is not recognized";
        dtype_of_legacy_storage("UInt16Storage") => Value "pickle storage type \"UInt16Storage\" is not recognized";
    }
    Ok(())
}

#[test]
fn numbers_are_read_and_written() -> Result<()> {
    let storage = IntStorage::from_slice(&[1, 2, 3, 4, 5])?;
    storage.set(0, -7)?;
    storage.set(-1, 7)?;
    storage.set_range(1..4, 2, 9)?;
    let dynamic = storage.erase();
    answers! {
        storage.tolist()? => [-7, 9, 3, 9, 7];
        (storage.get(0)?, storage.get(-1)?, dynamic.get(-5)?) => (-7, 7, Scalar::Int(-7));
        storage.iter()?.sum::<i32>() => 21;
        dynamic.iter()?.last() => Some(Scalar::Int(7));
        storage.fill_(3)?.tolist()? => [3; 5];
        dynamic.fill_(2.9)?.tolist()? => [Scalar::Int(2); 5];
    }
    dynamic.set(1, true)?;
    dynamic.set_range(-2.., 1, -1)?;
    assert_eq!(storage.tolist()?, [2, 1, 2, -1, -1]);
    // Bytes of 2 read as true, as in PyTorch.
    let bools = BoolStorage::of(UntypedStorage::from_bytes(&[0, 1, 2])?);
    assert_eq!(bools.tolist()?, [false, true, true]);
    let float = "value cannot be converted to type float without overflow";
    let byte = "value cannot be converted to type uint8_t without overflow";
    let (floats, bytes) = (any(&[1.0, 2.5], DType::F32), any(&[1.0, 2.0, 3.0], DType::U8));
    refusals! {
        storage.get(5) => Index "index 5 out of range for storage of size 5";
        storage.get(-6) => Index "index -6 out of range for storage of size 5";
        floats.get(2) => Index "index 2 out of range for storage of size 2";
        storage.set(5, 1) => Index "index 5 is out of bounds for dimension 0 with size 5";
        floats.set(-3, 1) => Index "index -3 is out of bounds for dimension 0 with size 2";
        storage.set_range(.., 0, 1) => Value "slice step cannot be zero";
        floats.set_range(.., -1, 1) => Value "step must be greater than zero";
        floats.fill_(1e40) => Runtime float;
        floats.fill_(Complex::new(0.0, 1.0)) => Runtime float;
        floats.set(0, 1e40) => Runtime float;
        bytes.fill_(256) => Runtime byte;
        bytes.set(0, 300) => Runtime byte;
        bytes.set(0, f64::NAN) => Runtime byte;
    }
    assert_eq!(floats.tolist()?, [Scalar::Float(1.0), Scalar::Float(2.5)], "a refusal changed numbers");
    bytes.set(0, -1)?;
    bytes.set(1, 1.5)?;
    assert_eq!(bytes.untyped().tolist()?, [255, 1, 3]);
    Ok(())
}

/// Literals are checked as `torch.tensor` checks them: integers must fit, floats become infinite.
#[test]
fn literals() -> Result<()> {
    let of = |numbers: &[Scalar], dtype| TypedStorage::from_scalars(numbers, dtype);
    let complex = Scalar::Complex(Complex::new(0.0, 1.0));
    answers! {
        of(&[1.into(), 1.5.into()], DType::U8)?.untyped().tolist()? => [1, 1];
        of(&[1e40.into()], DType::F32)?.tolist()? => [Scalar::Float(f64::INFINITY)];
        of(&[2.into(), 0.0.into(), complex], DType::Bool)?.untyped().tolist()? => [1, 0, 1];
        of(&[u64::MAX.into()], DType::U64)?.to_string() => " 18446744073709551615\n[torch.storage.TypedStorage(dtype=torch.uint64, device=cpu) of size 1]";
        QInt32Storage::from_scalars(&[1.into(), 300.into()])?.tolist()? => [Scalar::Int(1), Scalar::Int(300)];
        QUInt4x2Storage::from_scalars(&[17.into()])?.untyped().tolist()? => [17];
    }
    refusals! {
        of(&[1.into(), 300.into()], DType::U8) => Runtime "value cannot be converted to type uint8 without overflow";
        QInt8Storage::from_scalars(&[300.into()]) => Runtime "value cannot be converted to type int8 without overflow";
    }
    Ok(())
}

#[test]
fn copying_resizing_and_quantised_storages() -> Result<()> {
    let floats = FloatStorage::from_slice(&[1.0, 2.5])?;
    // A copy takes bytes, whatever they mean.
    floats.copy_(&IntStorage::from_slice(&[1, 2])?)?;
    assert_eq!(floats.tolist()?, [f32::from_bits(1), f32::from_bits(2)]);
    floats.copy_(floats.deep_clone()?.untyped())?;
    assert_eq!(floats.resize_(5)?.size(), 5);
    assert_eq!(floats.tolist()?[..2], [f32::from_bits(1), f32::from_bits(2)]);
    let quantised = QInt8Storage::from_scalars(&[1.into(), (-2).into()])?;
    assert_eq!(quantised.fill_(3)?.to_string(), " 3\n 3\n[torch.storage.TypedStorage(dtype=torch.qint8, device=cpu) of size 2]");
    assert_eq!(quantised.cpu()?.untyped(), quantised.untyped());
    assert_eq!(QInt32Storage::of(UntypedStorage::from_bytes(&[0; 8])?).tolist()?, [Scalar::Int(0); 2]);
    refusals! {
        floats.copy_(&DoubleStorage::from_slice(&[1.0, 2.0])?) => Runtime "size does not match, self was 20 bytes but src was 16 bytes";
        floats.resize_(usize::MAX) => Runtime format!("Storage size calculation overflowed with sizes=[{}]", usize::MAX);
        FloatStorage::from_vec(vec![1.0]).resize_(2) => Runtime "Trying to resize storage that is not resizable";
        quantised.cuda() => Runtime "Cannot create CUDA storage with quantized dtype";
        quantised.hpu() => Runtime "Cannot create HPU storage with quantized dtype";
        quantised.to("meta") => Runtime "Cannot create META storage with quantized dtype";
        quantised.to("cpu") => Runtime "Cannot create CPU storage with quantized dtype";
        TypedStorage::with_dtype(2, DType::QI8, "cuda".parse()?) => Runtime "Cannot create CUDA storage with quantized dtype";
        quantised.float() => NotImplemented "storages of qint8 can't be converted to float32: their numbers have no scale";
    }
    Ok(())
}

/// Each number converts as `copy_` converts it, into a new storage, from every dtype to every dtype.
#[test]
fn conversions_of_numbers() -> Result<()> {
    let numbers = [0.0, 1.0, 2.0, 100.0];
    let dtypes = DType::ALL.iter().copied().filter(|dtype| !dtype.is_quantized());
    // Miri takes seconds for what takes microseconds: some pairs.
    let stride = if cfg!(miri) { 6 } else { 1 };
    for from in dtypes.clone().step_by(stride) {
        for to in dtypes.clone().step_by(stride) {
            let source = any(&numbers, from);
            let converted = source.to_dtype(to)?;
            // Where a dtype of 8 bits rounds 100 (to 96 or 104), or bool makes it 1, it does so once.
            let real = |number: &Scalar| match *number {
                Scalar::Bool(x) => f64::from(u8::from(x)),
                Scalar::Int(x) => x as f64,
                Scalar::Float(x) => x,
                Scalar::Complex(z) => z.re,
            };
            let expected = any(&source.tolist()?.iter().map(real).collect::<Vec<f64>>(), to).tolist()?;
            assert_eq!((converted.dtype(), converted.tolist()?), (to, expected), "{from} to {to}");
            assert!(!converted.untyped().shares_memory(source.untyped()), "{from} to {to}");
        }
    }
    let complex = ComplexDoubleStorage::from_slice(&[Complex::new(1.5, 2.0), Complex::new(0.0, 1.0)])?;
    let doubles = DoubleStorage::from_slice(&[-1.5, 300.0, f64::NAN])?;
    answers! {
        complex.float()?.tolist()? => [1.5, 0.0];
        complex.bool()?.tolist()? => [true, true];
        complex.complex_float()?.tolist()? => [Complex::new(1.5_f32, 2.0), Complex::new(0.0, 1.0)];
        doubles.byte()?.tolist()? => [255, 44, 0];
        doubles.char()?.tolist()? => [-1, 44, 0];
        doubles.short()?.tolist()? => [-1, 300, 0];
        doubles.int()?.tolist()? => [-1, 300, i32::MIN];
        doubles.long()?.tolist()? => [-1, 300, i64::MIN];
        doubles.bool()?.tolist()? => [true, true, true];
        (doubles.half()?.get(0)?, doubles.half()?.get(1)?) => (f16::from_f32(-1.5), f16::from_f32(300.0));
        (doubles.bfloat16()?.get(0)?, doubles.bfloat16()?.get(1)?) => (bf16::from_f32(-1.5), bf16::from_f32(300.0));
        doubles.complex_double()?.get(0)? => Complex::new(-1.5, 0.0);
        doubles.float8_e5m2()?.get(0)? => Scalar::Float(-1.5);
        doubles.float8_e4m3fn()?.get(1)? => Scalar::Float(288.0);
        // Longer than the blocks that are converted at a time.
        LongStorage::from_vec((0..1000).collect()).double()?.tolist()? => (0..1000).map(f64::from).collect::<Vec<_>>();
    }
    Ok(())
}

/// As PyTorch prints them; recorded.
#[test]
fn printing() -> Result<()> {
    let typed = |dtype: &str, size| format!("[torch.storage.TypedStorage(dtype=torch.{dtype}, device=cpu) of size {size}]");
    answers! {
        FloatStorage::from_slice(&[0.1, 1e-8, -2.0, f32::INFINITY, f32::NAN])?.to_string() =>
            format!(" 0.10000000149011612\n 9.99999993922529e-09\n -2.0\n inf\n nan\n{}", typed("float32", 5));
        DoubleStorage::from_slice(&[1e16, 1e15, 1e-5, 0.5])?.to_string() =>
            format!(" 1e+16\n 1000000000000000.0\n 1e-05\n 0.5\n{}", typed("float64", 4));
        BoolStorage::from_slice(&[true, false])?.to_string() => format!(" True\n False\n{}", typed("bool", 2));
        LongStorage::from_slice(&[i64::MIN, 3])?.to_string() => format!(" -9223372036854775808\n 3\n{}", typed("int64", 2));
        HalfStorage::from_slice(&[f16::from_f32(0.1)])?.to_string() => format!(" 0.0999755859375\n{}", typed("float16", 1));
        ComplexFloatStorage::from_slice(&[Complex::new(1.0, 2.0), Complex::new(0.0, -1.5)])?.to_string() =>
            format!(" (1+2j)\n -1.5j\n{}", typed("complex64", 2));
        any(&[0.1, 448.0], DType::F8E4M3Fn).to_string() => format!(" 0.1015625\n 448.0\n{}", typed("float8_e4m3fn", 2));
        FloatStorage::new(0)?.to_string() => format!(" \n{}", typed("float32", 0));
        TypedStorage::with_dtype(3, DType::I8, Device::META)?.to_string() => "...\n[torch.storage.TypedStorage(dtype=torch.int8, device=meta) of size 3]";
    }
    Ok(())
}
