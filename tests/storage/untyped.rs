//! Bytes: every method of `UntypedStorage`, its answers and its refusals.

use latten::storage::{ByteOrder, FromBuffer, TypedStorage, UntypedStorage};
use latten::{Complex, DType, Device, DeviceType, Result, Scalar};

fn bytes(bytes: &[u8]) -> UntypedStorage {
    UntypedStorage::from_bytes(bytes).expect("a few bytes")
}

fn meta(nbytes: usize) -> UntypedStorage {
    UntypedStorage::new(nbytes, Device::META).expect("no memory is needed")
}

#[test]
fn what_a_storage_says_of_itself() -> Result<()> {
    let storage = bytes(&[1, 2, 3]);
    answers! {
        (storage.nbytes(), storage.size(), storage.len(), storage.element_size()) => (3, 3, 3, 1);
        (storage.is_empty(), UntypedStorage::empty().is_empty(), UntypedStorage::empty().nbytes()) => (false, true, 0);
        (storage.device(), storage.get_device(), meta(3).device(), meta(3).get_device()) => (Device::CPU, None, Device::META, None);
        (storage.is_cuda(), storage.is_hpu(), storage.is_sparse(), storage.is_sparse_csr()) => (false, false, false, false);
        (storage.is_pinned(), storage.is_shared(), storage.resizable(), storage.filename()) => (false, false, true, None);
        storage.type_name() => "torch.storage.UntypedStorage";
        (storage.data_ptr() % 64, meta(3).data_ptr(), UntypedStorage::empty().data_ptr()) => (0, 0, 0);
        (storage.untyped().is_same(&storage), storage.clone() == storage, storage.deep_clone()? == storage) => (true, true, false);
        (storage.cpu()?.is_same(&storage), storage.to("cpu:0")?.is_same(&storage), storage.to(Device::CPU)?.is_same(&storage)) => (true, true, true);
        (meta(3).to("meta")?.nbytes(), storage.to(DeviceType::Meta)?.device(), meta(3).deep_clone()?.nbytes()) => (3, Device::META, 3);
        (meta(3).is_pinned(), meta(3).is_shared(), meta(3).resizable()) => (false, false, true);
        format!("{storage:?}") => format!("[torch.storage.UntypedStorage(device=cpu) of size 3 at {:#x}]", storage.data_ptr());
    }
    assert_ne!(storage.data_ptr(), 0);
    assert_eq!(storage.id(), storage.slice(1..)?.id());
    assert_ne!(storage.id(), storage.deep_clone()?.id());
    Ok(())
}

#[test]
#[cfg_attr(miri, ignore = "Miri stops where memory is refused")]
fn making() -> Result<()> {
    let scalars = [300, -1, 255, -256].map(Scalar::Int);
    answers! {
        UntypedStorage::from_scalars(&scalars)?.tolist()? => [44, 255, 255, 0];
        UntypedStorage::from_scalars(&[Scalar::Bool(true), Scalar::Bool(false)])?.tolist()? => [1, 0];
        UntypedStorage::zeroed(5000, Device::CPU)?.tolist()? => vec![0; 5000];
        UntypedStorage::from_vec(vec![1_i16, 2]).nbytes() => 4;
        UntypedStorage::from_vec(vec![0x0201_i16.to_le(), 3_i16.to_le()]).tolist()? => [1, 2, 3, 0];
        UntypedStorage::from_vec(vec![1_i16, 2]).resizable() => false;
        meta(1 << 60).nbytes() => 1 << 60;
        bytes(&[1, 2]).iter()?.collect::<Vec<u8>>() => [1, 2];
    }
    let sequence = "torch.UntypedStorage(): tried to construct a storage from a sequence (list), but one of the items was of type";
    let negative =
        "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with negative number:";
    refusals! {
        UntypedStorage::from_scalars(&[1.into(), 2.5.into()]) => Runtime format!("{sequence} float instead of int");
        UntypedStorage::from_scalars(&[Complex::new(1.0, 0.0).into()]) => Runtime format!("{sequence} complex instead of int");
        UntypedStorage::new(usize::MAX, Device::CPU) => Runtime format!("{negative} {}", usize::MAX);
        UntypedStorage::zeroed(1 << 63, Device::CPU) => Runtime format!("{negative} {}", 1_u64 << 63);
        UntypedStorage::new(1 << 62, Device::CPU) => Runtime format!("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: \
            can't allocate memory: you tried to allocate {} bytes. Error code 12 (Cannot allocate memory)", 1_u64 << 62);
        UntypedStorage::new(1, Device::parse("cuda:1")?) => NotImplemented "cuda:1 can't be used: this build of latten has no CUDA";
    }
    Ok(())
}

#[test]
fn bytes_are_read_and_written() -> Result<()> {
    let storage = bytes(&[1, 2, 3, 4, 5, 6, 7, 8]);
    storage.set(0, 300)?;
    storage.set(7, true)?;
    storage.set_range(2..-3, -1)?;
    answers! {
        storage.tolist()? => [44, 2, 255, 255, 255, 6, 7, 1];
        (storage.get(0)?, storage.get(-1)?, storage.get(-8)?) => (44, 1, 44);
        storage.slice(5..)?.tolist()? => [6, 7, 1];
        storage.slice(-3..100)?.tolist()? => [6, 7, 1];
        storage.slice(..=1)?.tolist()? => [44, 2];
        storage.slice(-2..=-1)?.tolist()? => [7, 1];
        storage.slice(6..2)?.tolist()? => Vec::<u8>::new();
        storage.slice(i64::MIN..i64::MAX)?.nbytes() => 8;
        storage.fill_(257)?.tolist()? => [1; 8];
        bytes(&[]).fill_(1)?.nbytes() => 0;
    }
    let complex = Complex::new(1.0, 2.0);
    refusals! {
        storage.get(8) => Index "index 8 out of range for storage of size 8";
        storage.get(-9) => Index "index -1 out of range for storage of size 8";
        storage.get(i64::MAX) => Index format!("index {} out of range for storage of size 8", i64::MAX);
        bytes(&[]).get(0) => Index "index 0 out of range for storage of size 0";
        storage.set(8, 1) => Runtime "out of bounds";
        storage.set(-1, 1) => Runtime "out of bounds";
        storage.set(100, 1.5) => Runtime "can only set storage content with a int types, but got float instead";
        storage.set(0, complex) => Runtime "can only set storage content with a int types, but got complex instead";
        storage.set_range(0..4, 1.5) => Runtime "can only set storage content with a int types, but got float instead";
        storage.fill_(1.5) => Runtime "fill_ expects int, but got float";
        storage.fill_(complex) => Runtime "fill_ expects int, but got complex";
    }
    assert_eq!(storage.tolist()?, [1; 8], "a refusal changed bytes");
    Ok(())
}

#[test]
fn a_slice_shares_memory() -> Result<()> {
    let storage = bytes(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let middle = storage.slice(2..6)?;
    let inner = middle.slice(1..=2)?;
    inner.fill_(9)?;
    middle.set(0, 8)?;
    answers! {
        storage.tolist()? => [0, 1, 8, 9, 9, 5, 6, 7];
        (middle.nbytes(), middle.data_ptr(), inner.data_ptr()) => (4, storage.data_ptr() + 2, storage.data_ptr() + 3);
        (middle.is_same(&storage), middle.shares_memory(&storage), middle.is_same(&storage.slice(2..6)?)) => (false, true, true);
        (middle.resizable(), middle.filename(), middle.deep_clone()?.resizable()) => (false, None, true);
        middle.deep_clone()?.tolist()? => [8, 9, 9, 5];
        storage.slice(4..)?.copy_(&storage.slice(2..6)?)?.tolist()? => [8, 9, 9, 5];
        storage.tolist()? => [0, 1, 8, 9, 8, 9, 9, 5];
    }
    storage.resize_(5)?;
    let shrunk = "the storage below this slice was resized to 5 bytes, but the slice ends at byte 6";
    refusals! {
        inner.resize_(2) => Runtime "Trying to resize storage that is not resizable";
        middle.get(0) => Runtime shrunk;
        middle.fill_(0) => Runtime shrunk;
        middle.tolist() => Runtime shrunk;
        bytes(&[0; 4]).copy_(&middle) => Runtime shrunk;
        middle.float() => Runtime shrunk;
    }
    assert_eq!(inner.tolist()?, [9, 8], "a slice that still has its bytes");
    storage.resize_(8)?;
    assert_eq!(middle.get(0)?, 8, "the bytes are back");
    Ok(())
}

#[test]
fn copying_and_resizing() -> Result<()> {
    let storage = bytes(&[1, 2, 3, 4]);
    let copy = storage.deep_clone()?;
    copy.fill_(0)?;
    assert_eq!(storage.tolist()?, [1, 2, 3, 4]);
    copy.copy_(&TypedStorage::from_slice(&[0x0403_0201_i32.to_le()])?)?;
    assert_eq!(copy.tolist()?, [1, 2, 3, 4]);
    // Every size keeps what both sizes have, be the block new or the old one.
    let large = if cfg!(miri) { 1 << 13 } else { 1 << 20 };
    for size in [4, 3, 2, 3, 100, 5000, 4, large, 1000, 0, 4] {
        let before = storage.tolist()?;
        let kept = before.len().min(size);
        assert_eq!(storage.resize_(size)?.nbytes(), size);
        assert_eq!(storage.tolist()?[..kept], before[..kept], "{} to {size}", before.len());
    }
    assert_eq!(meta(8).resize_(1 << 50)?.nbytes(), 1 << 50);
    refusals! {
        storage.copy_(&bytes(&[0; 3])) => Runtime "size does not match, self was 4 bytes but src was 3 bytes";
        meta(8).copy_(&bytes(&[0; 3])) => Runtime "size does not match, self was 8 bytes but src was 3 bytes";
        UntypedStorage::from_vec(vec![1_u8]).resize_(8) => Runtime "Trying to resize storage that is not resizable";
        UntypedStorage::from_vec(vec![1_u8]).resize_(0) => Runtime "Trying to resize storage that is not resizable";
    }
    // Miri stops where memory is refused.
    assert!(cfg!(miri) || storage.resize_(1 << 62).is_err());
    assert_eq!(storage.nbytes(), 4, "a refusal changed the size");
    Ok(())
}

#[test]
fn meta_storages_have_no_bytes() -> Result<()> {
    let (storage, host) = (meta(8), bytes(&[7; 8]));
    // PyTorch ignores these; so that programs run as they would with data, only sizes are checked.
    storage.fill_(3)?;
    storage.set(0, 1)?;
    storage.set_range(.., 1)?;
    storage.copy_(&host)?;
    storage.byteswap(DType::I16)?;
    answers! {
        storage.float()?.to_string() => "...\n[torch.storage.TypedStorage(dtype=torch.float32, device=meta) of size 8]";
        storage.float()?.nbytes() => 32;
        storage.to_string() => "...\n[torch.storage.UntypedStorage(device=meta) of size 8]";
        meta(0).tolist()? => Vec::<u8>::new();
    }
    refusals! {
        storage.get(0) => NotImplemented "Not available for 'meta' device type";
        storage.slice(0..2) => NotImplemented "Not available for 'meta' device type";
        storage.tolist() => NotImplemented "Not available for 'meta' device type";
        storage.iter() => NotImplemented "Not available for 'meta' device type";
        storage.set(100, 1) => Runtime "out of bounds";
        host.copy_(&storage) => NotImplemented "Cannot copy out of meta tensor; no data!";
        storage.cpu() => NotImplemented "Cannot copy out of meta tensor; no data!";
        storage.share_memory_() => Runtime "_share_fd_: only available on CPU";
        storage.pin_memory() => Type "cannot pin 'torch.storage.UntypedStorage' only CPU memory can be pinned";
    }
    assert_eq!(host.tolist()?, [7; 8]);
    Ok(())
}

/// PyTorch has a text of its own for each missing build; here each says what is missing.
#[test]
fn devices_that_are_not_built() -> Result<()> {
    let storage = bytes(&[1]);
    refusals! {
        storage.cuda() => NotImplemented "cuda can't be used: this build of latten has no CUDA";
        storage.to(1) => NotImplemented "cuda:1 can't be used: this build of latten has no CUDA";
        storage.to(("cuda", 2)) => NotImplemented "cuda:2 can't be used: this build of latten has no CUDA";
        storage.hpu() => NotImplemented "hpu can't be used: latten has the devices cpu, cuda and meta, and no hpu";
        storage.mps() => NotImplemented "mps can't be used: latten has the devices cpu, cuda and meta, and no mps";
        storage.to("xpu:3") => NotImplemented "xpu:3 can't be used: latten has the devices cpu, cuda and meta, and no xpu";
        storage.to("gpu") => Runtime "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, \
            vulkan, mps, meta, hpu, mtia, privateuseone device type at start of device string: gpu";
        storage.pin_memory() => Runtime "pin_memory: memory is pinned for a CUDA device, and this build has no CUDA";
    }
    Ok(())
}

#[test]
fn printing() -> Result<()> {
    answers! {
        bytes(&[1, 20, 255]).to_string() => " 1\n 20\n 255\n[torch.storage.UntypedStorage(device=cpu) of size 3]";
        bytes(&[]).to_string() => " \n[torch.storage.UntypedStorage(device=cpu) of size 0]";
        bytes(&[1, 2, 3]).slice(1..2)?.to_string() => " 2\n[torch.storage.UntypedStorage(device=cpu) of size 1]";
    }
    Ok(())
}

#[test]
fn buffers_of_either_byte_order() -> Result<()> {
    use ByteOrder::{Big, Little, Native};
    let of = |dtype, order| FromBuffer::new(dtype).byte_order(order);
    let read = |buffer: &[u8], how| UntypedStorage::from_buffer(buffer, how)?.tolist();
    let ten: Vec<u8> = (0..10).collect();
    let swapped = |one: &[u8]| if cfg!(target_endian = "little") { one.iter().rev().copied().collect() } else { one.to_vec() };
    answers! {
        read(&ten, of(DType::I16, Big).offset(1).count(2))? => [swapped(&[1, 2]), swapped(&[3, 4])].concat();
        read(&ten[..8], of(DType::F64, Big))? => swapped(&ten[..8]);
        read(&ten[..8], of(DType::C64, Big))? => [swapped(&[0, 1, 2, 3]), swapped(&[4, 5, 6, 7])].concat();
        read(&ten, of(DType::I16, Native))? => ten;
        read(&[5, 0, 1], of(DType::Bool, Big))? => [1, 0, 1];
        read(&ten, FromBuffer::new(DType::U8).offset(8))? => [8, 9];
        read(&ten, FromBuffer::new(DType::F8E5M2).count(1))? => [0];
        read(&ten, of(DType::I32, Little).offset(10))? => Vec::<u8>::new();
        read(&[], of(DType::I32, Little))? => Vec::<u8>::new();
        read(&ten[..6], FromBuffer::items(3).byte_order(Big))? => [swapped(&[0, 1, 2]), swapped(&[3, 4, 5])].concat();
        read(&ten, FromBuffer::items(2).byte_order("native".parse()?).count(1))? => [0, 1];
        read(&ten, FromBuffer::items(1))? => ten;
    }
    // The first two are PyTorch's with its two numbers put right.
    refusals! {
        read(&ten, of(DType::I16, Big).offset(11)) => Value "offset must be non-negative and no greater than buffer length (10) , but got 11";
        read(&ten, of(DType::I16, Big).offset(-1)) => Value "offset must be non-negative and no greater than buffer length (10) , but got -1";
        read(&ten, of(DType::I16, Native).count(9)) => Value "buffer has only 10 elements after offset 0, but specified a size of 9";
        read(&ten, of(DType::I16, Big).offset(1).count(100)) => Value "buffer has only 9 elements after offset 1, but specified a size of 100";
        read(&ten, of(DType::F64, Big).count(usize::MAX)) => Value format!("buffer has only 10 elements after offset 0, but specified a size of {}", usize::MAX);
        read(&[], of(DType::I16, Big).count(1)) => Value "buffer has only 0 elements after offset 0, but specified a size of 1";
        read(&ten, of(DType::I32, Big)) => Value "buffer size (10) must be a multiple of element size (4)";
        read(&ten, FromBuffer::new(DType::I16)) => Runtime "function missing required argument 'byte_order' (pos 2)";
        read(&ten, FromBuffer::new(DType::Bool)) => Runtime "function missing required argument 'byte_order' (pos 2)";
        read(&ten, FromBuffer::items(2)) => Runtime "function missing required argument 'byte_order' (pos 2)";
        read(&ten, of(DType::U16, Big)) => Runtime "Unknown type: UInt16";
        read(&ten, of(DType::QI8, Big)) => Runtime "Unknown type: QInt8";
        read(&ten, FromBuffer::items(0)) => Value "from_buffer: the size of an item must be positive";
        "foo".parse::<ByteOrder>() => Value "invalid byte_order 'foo' (expected 'big', 'little', or 'native')";
    }
    Ok(())
}

#[test]
fn byteswap_turns_each_number_around() -> Result<()> {
    let eight: Vec<u8> = (0..8).collect();
    let swapped = |dtype| -> Result<Vec<u8>> {
        let storage = bytes(&eight);
        storage.byteswap(dtype)?;
        storage.tolist()
    };
    for dtype in DType::ALL.iter().copied() {
        let size = if dtype.is_complex() { dtype.itemsize() / 2 } else { dtype.itemsize() };
        let expected: Vec<u8> = eight.chunks(size).flat_map(|number| number.iter().rev()).copied().collect();
        assert_eq!(swapped(dtype)?, expected, "{dtype}");
    }
    // Longer than the blocks that are swapped at a time.
    let long: Vec<u8> = (0..20_000_u32).map(|i| i as u8).collect();
    let storage = bytes(&long);
    storage.byteswap(DType::F64)?;
    storage.byteswap(DType::C128)?;
    assert_eq!(storage.tolist()?, long);
    refusals! {
        bytes(&[0; 3]).byteswap(DType::I16) => Runtime "the length of data is not a multiple of 2";
        bytes(&[0; 12]).byteswap(DType::C128) => Runtime "the length of data is not a multiple of 8";
    }
    Ok(())
}

/// Each byte becomes a number; the storage below is a new one.
#[test]
fn conversions_of_all_bytes() -> Result<()> {
    let all: Vec<u8> = (0..=255).collect();
    let storage = bytes(&all);
    macro_rules! exact {
        ($($method:ident $dtype:ident: $convert:expr;)+) => { $({
            let converted = storage.$method()?;
            assert_eq!(converted.dtype(), DType::$dtype);
            assert_eq!(converted.tolist()?, all.iter().map($convert).collect::<Vec<_>>(), stringify!($method));
            assert_eq!(storage.to_dtype(DType::$dtype)?.untyped().tolist()?, converted.untyped().tolist()?, stringify!($method));
            assert!(!converted.untyped().shares_memory(&storage), stringify!($method));
        })+ };
    }
    exact! {
        bool           Bool: |&b| b != 0;
        byte           U8:   |&b| b;
        char           I8:   |&b| b as i8;
        short          I16:  |&b| i16::from(b);
        int            I32:  |&b| i32::from(b);
        long           I64:  |&b| i64::from(b);
        half           F16:  |&b| latten::f16::from(b);
        bfloat16       BF16: |&b| latten::bf16::from(b);
        float          F32:  |&b| f32::from(b);
        double         F64:  |&b| f64::from(b);
        complex_float  C64:  |&b| Complex::new(f32::from(b), 0.0);
        complex_double C128: |&b| Complex::new(f64::from(b), 0.0);
    }
    let golden = include_str!("../golden/byte_to_float8.txt");
    let float8 = [storage.float8_e4m3fn()?, storage.float8_e5m2()?, storage.float8_e4m3fnuz()?, storage.float8_e5m2fnuz()?];
    for (line, converted) in golden.lines().zip(&float8) {
        let (name, expected) = line.split_once(' ').expect("a name and bytes");
        let got: String = converted.untyped().tolist()?.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((converted.dtype().name(), got.as_str()), (name, expected));
    }
    assert_eq!(golden.lines().count(), float8.len());
    Ok(())
}
