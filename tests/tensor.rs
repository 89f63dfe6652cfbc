//! Constructors, properties, access and conversion of tensors, typed and dynamic.

use latten::prelude::*;
use latten::{Error, ErrorKind, RawTensor, Result};

fn text<T>(outcome: Result<T>) -> String {
    match outcome {
        Ok(_) => "no error".into(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

#[test]
fn constructors_fill_in_what_was_asked_for() -> Result<()> {
    let zeros = Tensor::<f32, shape![2, 3]>::zeros();
    assert_eq!((zeros.sizes(), zeros.strides(), zeros.to_vec()), (&[2, 3][..], &[3, 1][..], vec![0.0; 6]));
    let ones: Tensor<i64, Rank<2>> = Tensor::<i64>::ones([2, 2])?;
    assert_eq!(ones.to_vec(), [1; 4]);
    let wide: Tensor<u8, shape![2, 50257]> = Tensor::<u8>::zeros(shape![2, 50257])?;
    assert_eq!(wide.numel(), 100_514);
    let full: Tensor<f32, AnyShape> = Tensor::<f32>::full(vec![3], 2)?;
    assert_eq!(full.to_vec(), [2.0; 3]);
    assert_eq!(Tensor::<i32, shape![2]>::full(7).to_vec(), [7, 7]);
    assert_eq!(Tensor::<i32>::arange_with(0, 10, 3)?.to_vec(), [0, 3, 6, 9]);
    assert_eq!(Tensor::<i32>::arange_with(5, 0, -2)?.to_vec(), [5, 3, 1]);
    assert_eq!(Tensor::<f64>::arange_with(0.0, 1.0, 0.25)?.to_vec(), [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(Tensor::<f32>::linspace(0.0, 1.0, 5)?.to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(Tensor::<i64>::linspace(0.0, 10.0, 4)?.to_vec(), [0, 3, 6, 10]);
    assert_eq!(Tensor::<bool>::eye([2, 3])?.to_vec(), [true, false, false, false, true, false]);
    assert_eq!(Tensor::from([[1_i16, 2, 3], [4, 5, 6]]).sizes(), [2, 3]);
    assert_eq!(Tensor::from([[[1.5_f64], [2.5]]]).to_vec(), [1.5, 2.5]);
    assert_eq!(Tensor::from(2.5_f32).item(), 2.5);
    Ok(())
}

#[test]
fn a_dynamic_constructor_takes_dtype_and_device_as_values() -> Result<()> {
    let cases: [(&str, Result<DynTensor>, DType, &str); 9] = [
        ("zeros", DynTensor::zeros([2], DType::F16), DType::F16, "cpu"),
        ("zeros on meta", DynTensor::zeros([2], (DType::I8, "meta")), DType::I8, "meta"),
        ("the default dtype", DynTensor::ones([2], Options::new()), DType::F32, "cpu"),
        ("a device alone", DynTensor::empty([2], "meta"), DType::F32, "meta"),
        ("full infers", DynTensor::full([2], 3, Options::new()), DType::I64, "cpu"),
        ("arange of integers", DynTensor::arange(4, Options::new()), DType::I64, "cpu"),
        ("arange of floats", DynTensor::arange(4.0, Options::new()), DType::F32, "cpu"),
        ("numbers", DynTensor::from_scalars(&[1.into(), 2.5.into()], [2], Options::new()), DType::F32, "cpu"),
        ("bools", DynTensor::from_scalars(&[true.into(), false.into()], [2], Options::new()), DType::Bool, "cpu"),
    ];
    for (name, tensor, dtype, device) in cases {
        let tensor = tensor.map_err(|error| Error::new(error.kind(), format!("{name}: {error}")))?;
        assert_eq!((tensor.dtype(), tensor.device().to_string()), (dtype, device.to_string()), "{name}");
    }
    Ok(())
}

#[test]
fn constructors_refuse_in_pytorchs_words() {
    let dynamic = Options::new();
    let cases = [
        (text(Tensor::<f32>::zeros([-1])), "Runtime: zeros: Dimension size must be non-negative."),
        (text(Tensor::<f32>::ones([2, -1])), "Runtime: Trying to create tensor with negative dimension -1: [2, -1]"),
        (text(Tensor::<u8>::full([2], 300)), "Runtime: value cannot be converted to type uint8_t without overflow"),
        (text(DynTensor::arange_with(0, 5, 0, dynamic)), "Runtime: step must be nonzero"),
        (text(DynTensor::arange(5..0, dynamic)), "Runtime: upper bound and lower bound inconsistent with step sign"),
        (text(DynTensor::arange(f64::INFINITY, dynamic)), "Runtime: unsupported range: 0 -> inf"),
        (text(DynTensor::arange(5, DType::Bool)), "NotImplemented: \"arange_cpu\" not implemented for 'Bool'"),
        (text(Tensor::<f32>::from_vec(vec![1.0, 2.0], [3])), "Runtime: shape '[3]' is invalid for input of size 2"),
        (
            text(Tensor::<f32>::empty([1_usize << 40, 1 << 40])),
            "Runtime: Storage size calculation overflowed with sizes=[1099511627776, 1099511627776]",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn elements_are_read_and_written_by_index() -> Result<()> {
    let mut x = Tensor::from([[1_i32, 2, 3], [4, 5, 6]]);
    x.set([-1, 0], 9)?;
    assert_eq!((x.get([1, 0])?, x.get([0, -1])?), (9, 3));
    assert_eq!(text(x.get([2, 0])), "Index: index 2 is out of bounds for dimension 0 with size 2");
    assert_eq!(text(x.get([0])), "Index: 1 indices for a tensor of dimension 2");
    assert_eq!(text(x.set([0, 0], 1.5).map(drop)), "no error");
    assert_eq!(text(x.set([0, 0], 1e20).map(drop)), "Runtime: value cannot be converted to type int without overflow");
    assert_eq!(x.to_vec(), [1, 2, 3, 9, 5, 6]);
    assert_eq!(x.slice()?.iter().sum::<i32>(), 26);
    x.slice_mut()?[0] = 10;
    assert_eq!(x.erase().get([0, 0])?, Scalar::Int(10));
    assert_eq!(text(x.try_item()), "Runtime: a Tensor with 6 elements cannot be converted to Scalar");
    assert_eq!(x.erase().to_vec_of::<i32>()?, x.to_vec());
    assert_eq!(text(x.erase().to_vec_of::<f32>()), "Type: typed: the tensor has dtype int32, not float32");
    Ok(())
}

#[test]
fn what_literals_make_is_read_without_a_binding() -> Result<()> {
    let x = Tensor::from([1_i32, 2]);
    let scaled: Vec<f32> = (&x * 2.5).to_vec();
    let last: i32 = (&x + 1).get([-1])?;
    let dynamic: Vec<Scalar> = (&x.erase() * 2.5).to_vec();
    assert_eq!((scaled, last, dynamic), (vec![2.5, 5.0], 3, vec![Scalar::Float(2.5), Scalar::Float(5.0)]));
    Ok(())
}

#[test]
fn clone_copies_and_alias_shares() -> Result<()> {
    let mut x = Tensor::from([1_f32, 2.0]);
    let (copy, alias) = (x.clone(), x.alias());
    x.fill_(7)?;
    assert_eq!((copy.to_vec(), alias.to_vec()), (vec![1.0, 2.0], vec![7.0, 7.0]));
    assert!(RawTensor::is_set_to(x.raw(), alias.raw()) && !x.raw().is_set_to(copy.raw()));
    Ok(())
}

#[test]
fn conversions_change_the_dtype_in_the_type() -> Result<()> {
    let x = Tensor::from([1.9_f32, -1.9, 300.0]);
    let bytes: Tensor<u8, shape![3]> = x.to::<u8>();
    assert_eq!(bytes.to_vec(), [1, 255, 44]);
    assert_eq!(x.int().to_vec(), [1, -1, 300]);
    assert_eq!(x.to_dtype(DType::F8E4M3Fn)?.dtype(), DType::F8E4M3Fn);
    assert!(x.to::<f32>().raw().is_set_to(x.raw()), "a tensor that has the dtype is itself");
    assert_eq!(x.to_device("meta")?.sizes(), [3]);
    assert_eq!(text(x.to_device("meta")?.to_device("cpu")), "NotImplemented: Cannot copy out of meta tensor; no data!");
    assert_eq!(x.to_device("mps").map_err(|error| error.kind()).err(), x.to_device("xpu").map_err(|error| error.kind()).err());
    Ok(())
}

#[test]
fn the_types_check_what_the_run_finds() -> Result<()> {
    let x = DynTensor::zeros([2, 3], DType::F32)?;
    assert_eq!(x.typed::<f32, shape![2, _]>()?.sizes(), [2, 3]);
    let refused = x.typed::<f32, shape![3, _]>().map(drop);
    assert_eq!(text(refused), "Runtime: typed: the tensor has shape [2, 3], not [3, _]");
    assert_eq!(x.typed::<i32, AnyShape>().map_err(|error| error.kind()).err(), Some(ErrorKind::Type));
    Ok(())
}

#[test]
fn text_is_pytorchs_in_both_forms() -> Result<()> {
    let x = Tensor::from([[1_f32, 2.5], [3.0, 4.0]]);
    assert_eq!(x.to_string(), "tensor([[1.0000, 2.5000],\n        [3.0000, 4.0000]])");
    assert_eq!(format!("{x:?}"), x.to_string());
    assert_eq!(x.to_device("meta")?.to_string(), "tensor(..., device='meta', size=(2, 2))");
    Ok(())
}

#[test]
fn a_parameter_that_is_one_stretches_to_no_size_of_the_run() -> Result<()> {
    let (one, run) = (Tensor::from([10_i32]), Tensor::from(vec![1_i32, 2, 3]));
    let refused =
        "Runtime: the result has shape [3], but its type says [1]: a size stretches that is written as 1, not a parameter that is 1";
    assert_eq!(text(one.try_add(&run)), refused);
    assert_eq!(text(run.try_mul(&one)), refused);
    assert_eq!(text(try_fuse!(run * one)), refused);
    let written: Tensor<i32, shape![1]> = one.as_shape();
    assert_eq!((&written + &run).to_vec(), [11, 12, 13]);
    assert_eq!((&one + Tensor::from([1, 2, 3])).to_vec(), [11, 12, 13]);
    Ok(())
}
