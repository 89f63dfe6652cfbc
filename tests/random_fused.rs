//! `dropout` inside `fuse!`: the numbers of the operation, and as many draws.

use latten::prelude::*;
use latten::random::{Mode, default_generator, manual_seed};
use latten::{RawTensor, Result};
use std::sync::{Mutex, PoisonError};

/// The default generator is one for the process.
static ALONE: Mutex<()> = Mutex::new(());

/// A result, or what was refused, and the state of the generator after it.
fn after_seed(compute: impl FnOnce() -> Result<DynTensor>) -> (Result<DynTensor>, Vec<u8>) {
    manual_seed(4);
    let result = compute();
    (result, default_generator().get_state())
}

fn bits(tensor: &RawTensor) -> Vec<u8> {
    tensor.clone_as(MemoryFormat::Contiguous).and_then(|tensor| tensor.storage().tolist()).expect("bytes")
}

/// Row-major, in memory of its own.
fn copied(tensor: &DynTensor) -> DynTensor {
    tensor.raw().clone_as(MemoryFormat::Contiguous).expect("memory").into()
}

#[track_caller]
fn same(what: &str, fused: impl FnOnce() -> Result<DynTensor>, plain: impl FnOnce() -> Result<DynTensor>) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let ((fused, after), (plain, expected)) = (after_seed(fused), after_seed(plain));
    let (fused, plain) = (fused.expect(what), plain.expect(what));
    assert_eq!((fused.dtype(), fused.sizes(), fused.strides()), (plain.dtype(), plain.sizes(), plain.strides()), "{what}");
    assert!(bits(fused.raw()) == bits(plain.raw()), "{what}:\n{fused}\nnot\n{plain}");
    assert!(after == expected, "{what}: the generators are apart");
}

/// Numbers, some of them special, in some layouts.
fn operands(dtype: DType) -> Vec<DynTensor> {
    let numbers: Vec<f64> = (0..24).map(|i| if i % 11 == 5 { f64::NAN } else { f64::from(i) / 4.0 - 2.0 }).collect();
    let plain: DynTensor = RawTensor::from_vec(numbers, &[2, 3, 4]).and_then(|x| x.to_dtype(dtype)).expect("numbers").into();
    let turned = plain.permute([2, 0, 1]).expect("a view");
    let spread = plain.narrow(1, 0, 1).and_then(|x| x.expand([2, 3, 4])).expect("a view").erase();
    let large = DynTensor::full([60, 700], 1.5, dtype).expect("memory");
    vec![plain, turned, spread, large, DynTensor::full([0_usize; 0], 3.0, dtype).expect("memory")]
}

#[test]
fn it_is_the_operation() {
    let train = Mode::Training;
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16, DType::C64] {
        for (layout, x) in operands(dtype).into_iter().enumerate() {
            for p in [0.0, 0.25, 0.5, 1.0] {
                let what = format!("{dtype} {layout} {p}");
                let twice = || &x * 2;
                same(&what, || try_fuse!(dropout(x, p)), || x.try_dropout(p, train));
                same(&what, || try_fuse!(dropout(x * 2, p) + x), || Ok(&twice().try_dropout(p, train)? + &x));
                same(
                    &what,
                    || try_fuse!(x - dropout(x, p) * dropout(x, 0.5)),
                    || {
                        let first = x.try_dropout(p, train)?;
                        Ok(&x - &(&first * &x.try_dropout(0.5, train)?))
                    },
                );
                same(&what, || try_fuse!(dropout(dropout(x, p) + 1, 0.5)), || (&x.try_dropout(p, train)? + 1).try_dropout(0.5, train));
                same(&what, || try_fuse!(dropout(x, p, Mode::Evaluating) + 1), || Ok(&x + 1));
                same(&what, || try_fuse!(dropout(x, p).sum()).map(|sum| sum.erase()), || Ok(x.try_dropout(p, train)?.sum().erase()));
                let into = || {
                    let mut out = copied(&x);
                    try_fuse!(out = dropout(out, p) * 3)?;
                    Ok(out)
                };
                same(&what, into, || Ok(&copied(&x).try_dropout(p, train)? * 3));
            }
        }
    }
    let typed = Tensor::<f32, shape![5, 400]>::full(2.0);
    same("typed", || try_fuse!(dropout(sqrt(typed), 0.1)).map(|x| x.erase()), || typed.sqrt().try_dropout(0.1, train).map(|x| x.erase()));
}

#[test]
fn what_is_refused_draws_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (x, other) = (DynTensor::ones([3, 4], DType::F32).expect("memory"), DynTensor::ones([5], DType::F32).expect("memory"));
    let whole = DynTensor::ones([3], DType::I64).expect("memory");
    manual_seed(8);
    let before = default_generator().get_state();
    let refused: [(Result<DynTensor>, &str); 4] = [
        (try_fuse!(dropout(x, 1.5)), "dropout probability has to be between 0 and 1, but got 1.5"),
        (try_fuse!(dropout(x, -0.5, Mode::Evaluating) + 1), "dropout probability has to be between 0 and 1, but got -0.5"),
        (try_fuse!(dropout(x, 0.5) + other), "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1"),
        (try_fuse!(dropout(whole, 0.5)), "result type Float can't be cast to the desired output type Long"),
    ];
    for (refused, text) in refused {
        assert_eq!(refused.expect_err(text).message(), text);
        assert!(default_generator().get_state() == before, "{text}: the generator has moved");
    }
}
