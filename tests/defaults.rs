//! The default dtype: what only the run knows follows it, what types have said stays as they said.

use latten::prelude::*;
use latten::{Result, set_default_dtype, where_};

/// The default dtype is the process's: one test at a time.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn types_promise_f32_whatever_the_default_dtype_is() -> Result<()> {
    let _alone = ALONE.lock().expect("no test has panicked");
    set_default_dtype(DType::F64)?;
    let (ints, one) = (Tensor::from([1_i32, 2, 3]), Tensor::<u8, ()>::ones());
    let products: Tensor<f32, shape![3]> = &ints * 2.5;
    assert_eq!((products.dtype(), products.to_vec()), (DType::F32, vec![2.5, 5.0, 7.5]));
    let quotients: Tensor<f32, shape![3]> = 1.0 / &ints;
    assert_eq!(quotients.to_vec(), [1.0, 0.5, 1.0 / 3.0]);
    let scalar: Tensor<f32, ()> = &one * 2.5;
    assert_eq!(scalar.item(), 2.5);
    let complex: Tensor<c64, shape![3]> = &ints * Complex::new(0.0, 1.0);
    assert_eq!(complex.dtype(), DType::C64);
    assert_eq!(ints.exp().dtype(), DType::F32);
    let chosen: Tensor<f32, shape![3]> = where_(&ints.gt(1), &ints, 0.5);
    assert_eq!(chosen.to_vec(), [0.5, 2.0, 3.0]);

    assert_eq!((ints.logsumexp(..).dtype(), ints.logsumexp(axis::<0>()).dtype()), (DType::F32, DType::F32));

    let unknown = ints.erase();
    assert_eq!(unknown.logsumexp(..).dtype(), DType::F64);
    assert_eq!((&unknown * 2.5).dtype(), DType::F64);
    assert_eq!((1.0_f64 / &unknown).dtype(), DType::F64);
    assert_eq!((&unknown * Complex::new(0.0, 1.0)).dtype(), DType::C128);
    assert_eq!(unknown.exp().dtype(), DType::F64);
    set_default_dtype(DType::F32)?;
    assert_eq!((&unknown * 2.5).dtype(), DType::F32);
    Ok(())
}

/// Another thread changes the default all the time: what types have said stays, and nothing panics.
#[test]
fn a_default_that_changes_meanwhile() -> Result<()> {
    let _alone = ALONE.lock().expect("no test has panicked");
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                for dtype in [DType::F64, DType::F16, DType::F32] {
                    set_default_dtype(dtype).expect("a float");
                }
            }
        });
        let answer = std::panic::catch_unwind(|| {
            let (ints, floats) = (Tensor::from([1_i32, 2, 3]), Tensor::from([0.5_f32, 1.0, 1.5]));
            for _ in 0..20_000 {
                let fused: Tensor<f32, shape![3]> = fuse!(exp(ints) * 2.5 + ints / 3);
                assert_eq!(fused.dtype(), DType::F32);
                let some = fuse!(ints * 2.5 + floats);
                assert_eq!(some.to_vec(), [3.0, 6.0, 9.0]);
                let quotients: Tensor<f32, shape![3]> = &ints / 2;
                assert_eq!(quotients.to_vec(), [0.5, 1.0, 1.5]);
            }
        });
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        answer.expect("no panic");
    });
    set_default_dtype(DType::F32)
}
