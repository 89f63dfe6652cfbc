//! What is warned of, and what strict code refuses.

use std::sync::{Arc, Mutex};

use latten::elementwise::{Params, RawOperand, Resized, apply, apply_out};
use latten::{DType, Device, Op, RawTensor, strictness, warning};

fn zeros(sizes: &[usize], dtype: DType) -> RawTensor {
    let geometry = latten::geometry::Geometry::contiguous(sizes);
    let tensor = RawTensor::empty(sizes, &geometry.strides, dtype, Device::CPU).expect("room");
    tensor.zero_().expect("zeros");
    tensor
}

/// One test, because the hook is the process's.
#[test]
fn warnings_are_those_of_pytorch() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    warning::set_hook(Some(Box::new(move |text| hears.lock().expect("a mutex").push(text.to_owned()))));
    let taken = || std::mem::take(&mut *heard.lock().expect("a mutex"));
    let (x, none) = (zeros(&[2], DType::F32), Params::none());

    let mut out = zeros(&[3], DType::F32);
    assert_eq!(apply_out(Op::Exp, &[(&x).into()], &mut out, &none).expect("a result"), Resized::WithElements);
    assert_eq!(out.sizes(), [2]);
    assert_eq!(
        taken(),
        ["An output with one or more elements was resized since it had shape [3], which does not match the required output shape \
              [2]. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero \
              elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."]
    );
    let mut empty = zeros(&[0], DType::F32);
    assert_eq!(apply_out(Op::Exp, &[(&x).into()], &mut empty, &none).expect("a result"), Resized::Empty);
    assert_eq!(apply_out(Op::Exp, &[(&x).into()], &mut empty, &none).expect("a result"), Resized::No);
    assert_eq!(taken(), [""; 0]);

    let (column, row) = (zeros(&[4, 1], DType::F32), zeros(&[4], DType::F32));
    let add = |x: &RawTensor, y: RawOperand<'_>| apply(Op::Add, &[x.into(), y], &none).expect("a sum");
    add(&column, (&row).into());
    assert_eq!(taken(), [""; 0]);
    warning::warn_of_broadcasting(true);
    add(&column, (&column).into());
    add(&zeros(&[1], DType::F32), 1.into());
    assert_eq!(taken(), [""; 0]);
    add(&column, (&row).into());
    warning::warn_of_broadcasting(false);
    assert_eq!(
        taken(),
        ["self and other do not have the same shape, but are broadcastable, and have the same number of elements.\n\
              Changing behavior in a backwards incompatible manner to broadcasting rather than viewing as 1-dimensional."]
    );

    let complex = zeros(&[2], DType::C64);
    complex.to_dtype(DType::Bool).expect("bools");
    assert_eq!(taken(), [""; 0]);
    complex.to_dtype(DType::I32).expect("integers");
    complex.to_dtype(DType::F32).expect("reals");
    assert_eq!(taken(), ["Casting complex values to real discards the imaginary part"]);
    // A hook may compute, be warned of that, and set another hook.
    let inner = heard.clone();
    warning::set_hook(Some(Box::new(move |_| {
        let hears = inner.clone();
        warning::set_hook(Some(Box::new(move |text| hears.lock().expect("a mutex").push(text.chars().take(9).collect()))));
        apply_out(Op::Exp, &[(&zeros(&[2], DType::F32)).into()], &mut zeros(&[3], DType::F32), &Params::none()).expect("a result");
    })));
    apply_out(Op::Exp, &[(&x).into()], &mut zeros(&[3], DType::F32), &none).expect("a result");
    assert_eq!(taken(), ["An output"]);
    warning::set_hook(None);
}

#[test]
fn strict_code_refuses_to_promote() {
    let (floats, ints, wide) = (zeros(&[2], DType::F32), zeros(&[2], DType::I32), zeros(&[], DType::F64));
    let add = |x: &RawTensor, y: RawOperand<'_>| apply(Op::Add, &[x.into(), y], &Params::none()).map(|sum| sum.dtype());
    assert_eq!(add(&ints, (&floats).into()), Ok(DType::F32));
    {
        let _strict = strictness::no_promotion();
        let refused = "no_promotion: Int would be promoted to Float; convert the operands first";
        assert_eq!(add(&ints, (&floats).into()).expect_err("mixed").message(), refused);
        assert_eq!(add(&ints, 2.5.into()).expect_err("a number that widens").message(), refused);
        assert_eq!(add(&floats, (&wide).into()).expect_err("mixed").kind(), latten::ErrorKind::Runtime);
        assert_eq!(add(&floats, (&floats).into()), Ok(DType::F32));
        assert_eq!(add(&floats, 2.into()), Ok(DType::F32));
        assert_eq!(apply(Op::Exp, &[(&ints).into()], &Params::none()).map(|x| x.dtype()), Ok(DType::F32));
        assert_eq!(latten::joins::cat(&[&floats, &ints], 0, latten::elementwise::Target::New).expect_err("mixed").message(), refused);
        {
            let _loose = strictness::scope(strictness::Strictness::PyTorch);
            assert_eq!(add(&ints, (&floats).into()), Ok(DType::F32));
        }
        assert!(add(&ints, (&floats).into()).is_err());
        let elsewhere = std::thread::spawn(strictness::current).join().expect("a thread");
        assert_eq!(elsewhere, strictness::Strictness::PyTorch);
    }
    assert_eq!(add(&ints, (&floats).into()), Ok(DType::F32));
}
