//! Tensors over storages: `set_` in all its forms, `resize_`, and tensors whose storage was shrunk below them.

use latten::storage::{DoubleStorage, FloatStorage, TypedStorage, UntypedStorage};
use latten::{DType, Device, DynTensor, MemoryFormat, Rank, Result, Tensor, shape};
use latten::{OfOptions as _, OfShape as _};

/// Sizes, strides, offset and the bytes of the storage.
type Look = (Vec<usize>, Vec<usize>, usize, usize);

fn look(x: &DynTensor) -> Look {
    (x.sizes().to_vec(), x.strides().to_vec(), x.storage_offset(), x.untyped_storage().nbytes())
}

fn is(sizes: &[usize], strides: &[usize], offset: usize, nbytes: usize) -> Look {
    (sizes.to_vec(), strides.to_vec(), offset, nbytes)
}

/// `arange(6.).reshape(2, 3)`
fn two_by_three() -> DynTensor {
    let mut x = DynTensor::arange(6, DType::F32).expect("six numbers");
    let numbers = x.storage();
    x.set_((&numbers, 0, [2, 3])).expect("all of its storage");
    x
}

/// A view of what a tensor reads.
fn view(x: &DynTensor, offset: isize, sizes: &[isize], strides: &[isize]) -> DynTensor {
    let mut view = x.alias();
    view.set_((x.untyped_storage(), offset, sizes, strides)).expect("within the storage");
    view
}

fn meta(sizes: &[usize]) -> DynTensor {
    DynTensor::empty(sizes, (DType::F32, Device::META)).expect("no memory is needed")
}

#[test]
fn a_tensor_has_a_storage() -> Result<()> {
    let x = two_by_three();
    let part = view(&x, 4, &[2], &[1]);
    answers! {
        part.untyped_storage().is_same(x.untyped_storage()) => true;
        (part.storage().size(), part.storage().dtype(), part.storage().untyped() == x.untyped_storage()) => (6, DType::F32, true);
        part.data_ptr() => x.untyped_storage().data_ptr() + 16;
        x.untyped_storage().tolist()?[4..8] == 1_f32.to_ne_bytes() => true;
        Tensor::<i16>::zeros([2])?.storage().tolist()? => [0, 0];
        (x.is_set_to(&x), x.is_set_to(&x.alias()), x.is_set_to(&part), x.is_set_to(&x.clone())) => (true, true, false, false);
        // Bytes are written under all tensors that read them.
        (x.untyped_storage().fill_(0)?.nbytes(), x.to_vec_of::<f32>()?, part.to_vec_of::<f32>()?) => (24, vec![0.0; 6], vec![0.0; 2]);
    }
    // Any byte but 0 is true.
    let mut bools = DynTensor::empty([0], DType::Bool)?;
    bools.set_(&UntypedStorage::from_bytes(&[0, 1, 2, 255])?)?;
    assert_eq!(bools.to_vec_of::<bool>()?, [false, true, true, true]);
    assert_eq!(bools.to_dtype(DType::I32)?.to_vec_of::<i32>()?, [0, 1, 1, 1]);
    // The same bytes as numbers of another dtype are set to the same.
    let mut bits = DynTensor::empty([0], DType::I32)?;
    bits.set_((x.untyped_storage(), 0, [2, 3]))?;
    assert!(bits.is_set_to(&x));
    Ok(())
}

#[test]
fn setting_a_storage() -> Result<()> {
    let bytes = |n| UntypedStorage::zeroed(n, Device::CPU);
    let set = |source: &dyn Fn(&mut DynTensor) -> Result<()>| -> Result<Look> {
        let mut x = two_by_three();
        source(&mut x)?;
        Ok(look(&x))
    };
    macro_rules! set {
        ($source:expr) => {
            set(&|x| x.set_($source).map(drop))
        };
    }
    let other = two_by_three();
    answers! {
        set!(())? => is(&[0], &[1], 0, 0);
        set!(&bytes(13)?)? => is(&[3], &[1], 0, 13);
        set!(&FloatStorage::new(3)?)? => is(&[3], &[1], 0, 12);
        set!((&bytes(24)?, 1, [2, 2], [1, 2]))? => is(&[2, 2], &[1, 2], 1, 24);
        set!((&bytes(24)?, 1, [2, 2]))? => is(&[2, 2], &[2, 1], 1, 24);
        set!((&bytes(24)?, 1, vec![2, 2], &[1_usize, 2][..]))? => is(&[2, 2], &[1, 2], 1, 24);
        // A storage that is too small grows, unless there are no elements.
        set!((&bytes(4)?, 1, [2, 2], [1, 2]))? => is(&[2, 2], &[1, 2], 1, 20);
        set!((&bytes(4)?, 100, [2, 0], [1, 2]))? => is(&[2, 0], &[1, 2], 100, 4);
        set!((&bytes(8)?.slice(0..4)?, 0, [1]))? => is(&[1], &[1], 0, 4);
        set!(&view(&other, 1, &[2, 2], &[3, 1]))? => is(&[2, 2], &[3, 1], 1, 24);
        set!((&other, 1, [2], [2]))? => is(&[2], &[2], 1, 24);
    }
    let devices = |ours: &str, theirs: &str| {
        format!(
            "Attempted to set the storage of a tensor on device \"{ours}\" to a storage on different device \"{theirs}\".  This is no longer \
             allowed; the devices must match."
        )
    };
    let overflow = "Storage size calculation overflowed with sizes=";
    let big = 1_isize << 62;
    let none = UntypedStorage::new(24, Device::META)?;
    let s = bytes(24)?;
    refusals! {
        set!(&DoubleStorage::new(3)?) => Runtime "Expected a Storage of type float or an UntypedStorage, but got type Double for argument 1 'storage'";
        set!((&DoubleStorage::new(3)?, 0, [1], [1])) => Runtime "Expected a Storage of type float or an UntypedStorage, but got type Double for argument 1 'storage'";
        set!(&DynTensor::zeros([2], DType::F64)?) => Runtime "Could not set tensor of type double to a tensor of type float";
        set!((&s, 0, [2], [1, 2])) => Runtime "unequal size length (1) and stride length (2)";
        set!((&s, 0, [2, 2], [1])) => Runtime "unequal size length (2) and stride length (1)";
        set!((&s, -1, [2], [1])) => Runtime "Tensor: invalid storage offset -1";
        set!((&s, 0, [-2], [1])) => Runtime "numel: integer multiplication overflow";
        set!((&s, 0, [2], [-1])) => Runtime format!("{overflow}[2] and strides=[-1]");
        set!((&s, 0, [big, 4], [4, 1])) => Runtime "numel: integer multiplication overflow";
        set!((&s, 0, [1_isize << 40], [1_isize << 40])) => Runtime format!("{overflow}[1099511627776] and strides=[1099511627776]");
        set!((&s, big, [2], [1])) => Runtime format!("{overflow}[2] and strides=[1]");
        set!((&bytes(8)?.slice(0..4)?, 0, [3])) => Runtime "Trying to resize storage that is not resizable";
        set!((&UntypedStorage::from_vec(vec![1_u8; 4]), 0, [3])) => Runtime "Trying to resize storage that is not resizable";
        set!(&none) => Runtime devices("cpu", "meta");
        set!((&none, 0, [2], [1])) => Runtime devices("cpu", "meta");
        set!(&meta(&[2])) => Runtime devices("cpu", "meta");
        meta(&[2]).set_(&s) => Runtime devices("meta", "cpu");
        set!((&view(&other, 0, &[3, 2], &[1, 3]), 1, [2], [2])) => Runtime "passed in tensor to be used as storage must be contiguous";
    }
    let mut x = meta(&[2]);
    x.set_((&none, 0, [2, 2]))?;
    assert_eq!(look(&x), is(&[2, 2], &[2, 1], 0, 24));
    Ok(())
}

/// All names that C++ has for dtypes.
#[test]
fn setting_another_dtype() -> Result<()> {
    let names = [
        (DType::Bool, "bool"),
        (DType::U8, "unsigned char"),
        (DType::I8, "signed char"),
        (DType::I16, "short int"),
        (DType::I32, "int"),
        (DType::I64, "long int"),
        (DType::F16, "c10::Half"),
        (DType::BF16, "c10::BFloat16"),
        (DType::F64, "double"),
        (DType::C32, "c10::complex<c10::Half>"),
        (DType::C64, "c10::complex<float>"),
        (DType::C128, "c10::complex<double>"),
        (DType::U16, "short unsigned int"),
        (DType::U32, "unsigned int"),
        (DType::U64, "long unsigned int"),
        (DType::F8E4M3Fn, "c10::Float8_e4m3fn"),
        (DType::F8E5M2, "c10::Float8_e5m2"),
        (DType::F8E4M3FnUz, "c10::Float8_e4m3fnuz"),
        (DType::F8E5M2FnUz, "c10::Float8_e5m2fnuz"),
    ];
    let float = DynTensor::zeros([1], DType::F32)?;
    for (dtype, name) in names {
        let (mut x, mut y) = (float.alias(), DynTensor::empty([1], dtype)?);
        refusals! {
            x.set_(&y.alias()) => Runtime format!("Could not set tensor of type {name} to a tensor of type float");
            y.set_(&float) => Runtime format!("Could not set tensor of type float to a tensor of type {name}");
            y.set_(&float.storage()) => Runtime format!("Expected a Storage of type {name} or an UntypedStorage, but got type Float for argument 1 'storage'");
        }
        y.set_(&y.storage())?;
        assert_eq!(y.sizes(), [1]);
    }
    Ok(())
}

#[test]
fn resizing() -> Result<()> {
    use MemoryFormat::{ChannelsLast, Contiguous, Preserve};
    let transposed = || view(&two_by_three(), 0, &[3, 2], &[1, 3]);
    let part = || view(&two_by_three(), 3, &[3], &[1]);
    let four = || DynTensor::zeros([1, 2, 3, 4], DType::F32);
    let last = DynTensor::zeros([1, 2, 2, 2], DType::F32)?.contiguous_with(ChannelsLast)?;
    answers! {
        look(two_by_three().resize_([2, 2])?) => is(&[2, 2], &[2, 1], 0, 24);
        look(two_by_three().resize_([4, 4])?) => is(&[4, 4], &[4, 1], 0, 64);
        look(transposed().resize_([3, 2])?) => is(&[3, 2], &[1, 3], 0, 24);
        look(transposed().resize_([6])?) => is(&[6], &[1], 0, 24);
        look(part().resize_([5])?) => is(&[5], &[1], 3, 32);
        look(two_by_three().resize_(())?) => is(&[], &[], 0, 24);
        look(part().resize_([0, 3])?) => is(&[0, 3], &[3, 1], 3, 24);
        look(meta(&[2]).resize_([5])?) => is(&[5], &[1], 0, 20);
        look(DynTensor::zeros([1], DType::F32)?.resize_with_([1, 2, 2, 2], ChannelsLast)?) => is(&[1, 2, 2, 2], &[8, 1, 4, 2], 0, 32);
        look(four()?.resize_with_([1, 2, 3, 4], ChannelsLast)?) => is(&[1, 2, 3, 4], &[24, 1, 8, 2], 0, 96);
        look(transposed().resize_with_([3, 2], Contiguous)?) => is(&[3, 2], &[2, 1], 0, 24);
        look(two_by_three().resize_as_(&view(&two_by_three(), 0, &[2, 2], &[1, 3]))?) => is(&[2, 2], &[2, 1], 0, 24);
        look(two_by_three().resize_as_(&DynTensor::zeros([3], DType::I8)?)?) => is(&[3], &[1], 0, 24);
        look(two_by_three().resize_as_(&meta(&[3]))?) => is(&[3], &[1], 0, 24);
        look(two_by_three().resize_as_(&last)?) => is(&[1, 2, 2, 2], &[8, 4, 2, 1], 0, 32);
        look(two_by_three().resize_as_with_(&last, Preserve)?) => is(&[1, 2, 2, 2], &[8, 1, 4, 2], 0, 32);
        look(two_by_three().resize_as_with_(&four()?, ChannelsLast)?) => is(&[1, 2, 3, 4], &[24, 1, 8, 2], 0, 96);
        // Elements keep their places in the storage.
        two_by_three().resize_([2, 2])?.to_vec_of::<f32>()? => [0.0, 1.0, 2.0, 3.0];
        two_by_three().resize_([7])?.to_vec_of::<f32>()?[..6] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] => true;
    }
    let big = 1_isize << 62;
    let mut mapped = DynTensor::empty([0], DType::F32)?;
    mapped.set_(&UntypedStorage::from_vec(vec![0.0_f32; 4]))?;
    let mut shared = two_by_three();
    shared.share_memory_()?;
    refusals! {
        two_by_three().resize_([-1]) => Runtime "numel: integer multiplication overflow";
        two_by_three().resize_([2, -3]) => Runtime "numel: integer multiplication overflow";
        two_by_three().resize_([big, 4]) => Runtime "numel: integer multiplication overflow";
        two_by_three().resize_([1_isize << 61]) => Runtime "Storage size calculation overflowed with sizes=[2305843009213693952]";
        meta(&[1]).resize_([1_isize << 61]) => Runtime "Storage size calculation overflowed with sizes=[2305843009213693952]";
        two_by_three().resize_with_([2], ChannelsLast) => Runtime "required rank 4 tensor to use channels_last format";
        two_by_three().resize_with_([2, 2], Preserve) => Runtime "Unsupported memory formatPreserve";
        two_by_three().resize_with_([2, 3], Preserve) => Runtime "Unsupported memory formatPreserve";
        two_by_three().resize_as_with_(&meta(&[3]), ChannelsLast) => Runtime "required rank 4 tensor to use channels_last format";
        mapped.resize_([10]) => Runtime "Trying to resize storage that is not resizable";
        shared.resize_([10]) => Runtime "Trying to resize storage that is not resizable";
    }
    assert_eq!((look(&mapped), look(&shared)), (is(&[4], &[1], 0, 16), is(&[2, 3], &[3, 1], 0, 24)), "a refusal changed a tensor");
    assert_eq!(look(shared.resize_([2])?), is(&[2], &[1], 0, 24), "there is room for less");
    Ok(())
}

/// Sizes that the type of the tensor doesn't have are refused before anything changes.
#[test]
fn typed_tensors_stay_what_their_type_says() -> Result<()> {
    let mut matrix = Tensor::<f32>::zeros([2, 2])?;
    let mut exact = Tensor::<f32, shape![2, 2]>::zeros();
    let storage = TypedStorage::from_slice(&[1.0_f32, 2.0, 3.0, 4.0])?;
    matrix.resize_([3, 3])?.set_((&storage, 0, [4, 1]))?;
    exact.set_((&storage, 0, [2, 2], [1, 2]))?;
    assert_eq!((matrix.to_vec(), exact.to_vec()), (vec![1.0, 2.0, 3.0, 4.0], vec![1.0, 3.0, 2.0, 4.0]));
    let before = (matrix.erase(), exact.erase());
    let not = |name: &str, shape: &str, sizes: &str| format!("{name}: the type of the tensor has shape {shape}, which {sizes} is not");
    refusals! {
        matrix.resize_([4]) => Runtime not("resize_", "[_, _]", "[4]");
        matrix.set_(&storage) => Runtime not("set_", "[_, _]", "[4]");
        matrix.set_(()) => Runtime not("set_", "[_, _]", "[0]");
        exact.resize_([4, 1]) => Runtime not("resize_", "[2, 2]", "[4, 1]");
        exact.resize_as_(&Tensor::<i8>::zeros([3, 3])?) => Runtime not("resize_as_", "[2, 2]", "[3, 3]");
        exact.set_((&storage, 0, [100, 100])) => Runtime not("set_", "[2, 2]", "[100, 100]");
    }
    assert!(matrix.is_set_to(&before.0) && exact.is_set_to(&before.1), "a refusal changed a tensor");
    assert_eq!(storage.size(), 4, "a refusal grew a storage");
    assert!(matrix.erase().resize_([4]).is_ok(), "the dynamic one takes any");
    let _: &Tensor<f32, Rank<2>> = &matrix;
    Ok(())
}

#[test]
fn sharing_and_pinning() -> Result<()> {
    let mut x = two_by_three();
    let y = x.alias();
    answers! {
        (x.is_shared(), x.is_pinned(), meta(&[2]).is_shared(), meta(&[2]).is_pinned()) => (false, false, false, false);
        x.share_memory_()?.is_shared() => true;
        (y.is_shared(), y.to_vec_of::<f32>()?) => (true, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        y.clone().is_shared() => false;
    }
    refusals! {
        meta(&[2]).share_memory_() => Runtime "_share_fd_: only available on CPU";
        x.pin_memory() => Runtime "pin_memory: memory is pinned for a CUDA device, and this build has no CUDA";
        meta(&[2]).pin_memory() => Runtime "cannot pin 'MetaFloatType' only dense CPU tensors can be pinned";
    }
    Ok(())
}

/// PyTorch reads beyond the storage here.
#[test]
fn a_shrunk_storage_is_an_error() -> Result<()> {
    let x = two_by_three();
    let head = view(&x, 0, &[2], &[1]);
    x.untyped_storage().resize_(10)?;
    let mut out = DynTensor::zeros([2, 3], DType::F32)?;
    let shrunk = "the tensor reads 24 bytes of a storage that has been resized to 10";
    refusals! {
        x.get([1, 2]) => Runtime shrunk;
        x.to_vec_of::<f32>() => Runtime shrunk;
        x.to_dtype(DType::I32) => Runtime shrunk;
        x.try_exp() => Runtime shrunk;
        x.try_add(&out) => Runtime shrunk;
        x.alias().exp_() => Runtime shrunk;
        x.exp_out(&mut out) => Runtime shrunk;
        x.alias().fill_(1) => Runtime shrunk;
        x.alias().copy_(&out) => Runtime shrunk;
        out.copy_(&x) => Runtime shrunk;
        out.add_(&x) => Runtime shrunk;
        x.typed::<f32, Rank<2>>()?.slice() => Runtime "the tensor ends at byte 24 of its storage, which has 10 bytes";
    }
    assert_eq!(x.to_string(), "tensor(<the tensor ends at byte 24 of its storage, which has 10 bytes>)");
    assert_eq!((head.to_vec_of::<f32>()?, out.to_vec_of::<f32>()?), (vec![0.0, 1.0], vec![0.0; 6]), "the rest is untouched");
    x.untyped_storage().resize_(24)?;
    assert_eq!(x.to_vec_of::<f32>()?[..2], [0.0, 1.0]);
    Ok(())
}
