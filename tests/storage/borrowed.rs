//! Slices of the user's as tensors: what is read, what is refused, and what is left when the call has ended.

use std::sync::{Barrier, mpsc};
use std::time::Duration;

use latten::Result;
use latten::prelude::*;
use latten::storage::{FloatStorage, TypedStorage, UntypedStorage};

const READ_ONLY: &str = "the tensor's numbers are those of a slice that can only be read: write to a `clone`, or use `with_slice_mut`";
const NO_SLICE: &str = "no slice of a tensor whose numbers are borrowed, because it could outlive them: use the slice that was lent";

#[test]
fn numbers_are_read_where_they_are() -> Result<()> {
    let numbers: Vec<f32> = (0..6).map(|number| number as f32).collect();
    let kept = Tensor::with_slice(&numbers, shape![_, 3], |x| {
        answers! {
            x.data_ptr() => numbers.as_ptr().addr();
            x.sizes() => [2, 3];
            (x + 1).to_vec() => [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
            x.t().to_vec() => [0.0, 3.0, 1.0, 4.0, 2.0, 5.0];
            x.matmul(&x.t()).to_vec() => [5.0, 14.0, 14.0, 50.0];
            x.sum().item() => 15.0;
            x.i(i![1, 0]).item() => 3.0;
            fuse!(x * x - 1).to_vec() => [-1.0, 0.0, 3.0, 8.0, 15.0, 24.0];
            x.index_select(0, &Tensor::from([1_i64]))?.to_vec() => [3.0, 4.0, 5.0];
            x.to_bytes()?.len() => 24;
            x.storage().tolist()? => numbers;
        }
        let copy = x.clone();
        let mut written = copy.alias();
        written.add_(x)?;
        Ok(copy)
    })?;
    assert_eq!(kept.to_vec(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    // Part of a slice, none, and a shape of the run.
    refusals! {
        Tensor::with_slice(&numbers[1..3], (), |x| x.try_item()) => Runtime "shape '[]' is invalid for input of size 2";
        Tensor::with_slice(&numbers[1..3], [-1, 3], |x| x.try_to_vec()) => Runtime "shape '[-1, 3]' is invalid for input of size 2";
    }
    assert_eq!(Tensor::with_slice(&numbers[1..3], &[2][..], |x| x.try_to_vec())?, [1.0, 2.0]);
    assert_eq!(Tensor::with_slice::<_, usize>(&numbers[..0], [0, 7], |x| Ok(x.numel()))?, 0);
    assert_eq!(Tensor::with_slice(&[true, false], [2], |x| x.logical_not().try_to_vec())?, [false, true]);
    Ok(())
}

#[test]
fn nothing_is_written_to_what_is_only_read() -> Result<()> {
    let numbers = [3.0_f32, 1.0, 2.0, 0.0];
    Tensor::with_slice(&numbers, [2, 2], |borrowed| {
        let (mut x, version) = (borrowed.alias(), borrowed.version());
        let mut row = x.select(0, 0)?;
        let (mask, places) = (x.gt(1), Tensor::from([0_i64]));
        let other = Tensor::<f32>::ones([2, 2])?;
        let storage = x.untyped_storage().clone();
        refusals! {
            x.add_(1) => Runtime READ_ONLY;
            row.mul_(2.0) => Runtime READ_ONLY;
            x.t().exp_() => Runtime READ_ONLY;
            x.fill_(0.0) => Runtime READ_ONLY;
            x.zero_() => Runtime READ_ONLY;
            x.copy_(&other) => Runtime READ_ONLY;
            x.set([0, 0], 7.0) => Runtime READ_ONLY;
            x.index_put_((&places,), 9) => Runtime READ_ONLY;
            x.masked_fill_(&mask, 1) => Runtime READ_ONLY;
            x.uniform_() => Runtime READ_ONLY;
            try_fuse!(x = other * 2) => Runtime READ_ONLY;
            other.add_out(&other, &mut x) => Runtime READ_ONLY;
            other.matmul_out(&other, &mut x) => Runtime READ_ONLY;
            x.erase().resize_([100]) => Runtime READ_ONLY;
            x.share_memory_() => Runtime READ_ONLY;
            x.slice() => Runtime NO_SLICE;
            x.slice_mut() => Runtime NO_SLICE;
            x.parts_mut(0, 1) => Runtime NO_SLICE;
            storage.fill_(0) => Runtime READ_ONLY;
            storage.set(0, 1) => Runtime READ_ONLY;
            storage.slice(4..8)?.fill_(0) => Runtime READ_ONLY;
            storage.resize_(0) => Runtime READ_ONLY;
            storage.share_memory_() => Runtime READ_ONLY;
            TypedStorage::<f32>::of(storage.clone()).slice() => Runtime NO_SLICE;
        }
        assert_eq!((x.to_vec(), x.version()), (numbers.to_vec(), version));
        Ok(())
    })
}

#[test]
fn what_is_written_is_in_the_slice() -> Result<()> {
    let mut numbers = [3.0_f64, 1.0, 2.0, 0.0];
    let kept = Tensor::with_slice_mut(&mut numbers, shape![2, 2], |x| {
        *x += 1.0;
        x.t().i(i![0]).mul_(10.0)?;
        refusals! {
            x.slice_mut() => Runtime NO_SLICE;
            x.parts_mut(0, 1) => Runtime NO_SLICE;
            x.alias().erase().resize_([100]) => Runtime "Trying to resize storage that is not resizable";
            x.alias().share_memory_() => Runtime "share_memory_: numbers that are borrowed stay where they are: `clone` makes a copy";
        }

        std::thread::scope(|scope| {
            let mut row = x.i(i![1]);
            scope.spawn(move || row.sub_(1.0).map(drop)).join().expect("no panic")
        })?;
        Ok(x.alias())
    })?;
    assert_eq!(numbers, [40.0, 2.0, 29.0, 0.0]);
    assert!(kept.alias().fill_(7.0).is_err() && kept.try_to_vec().is_err());
    assert_eq!(numbers, [40.0, 2.0, 29.0, 0.0]);
    Ok(())
}

/// Random numbers are drawn into what lends no slices, and they are those of any other tensor.
#[test]
fn drawing_into_a_slice() -> Result<()> {
    let mut drawn = [0.0_f32; 20];
    let mut other = Tensor::<f32>::zeros([4, 5])?;
    manual_seed(5);
    other.uniform_()?;
    manual_seed(5);
    Tensor::with_slice_mut(&mut drawn, [4, 5], |x| x.uniform_().map(drop))?;
    assert_eq!(drawn.to_vec(), other.to_vec());
    // What is refused draws nothing.
    manual_seed(5);
    let refused = Tensor::with_slice(&drawn, [4, 5], |x| x.t().alias().uniform_().map(drop));
    refusals! {
        refused => Runtime READ_ONLY;
    }
    assert_eq!(other.alias().uniform_()?.to_vec(), drawn);
    #[cfg(unix)]
    if !cfg!(miri) {
        manual_seed(5);
        other.share_memory_()?;
        assert_eq!(other.uniform_()?.to_vec(), drawn);
    }
    Ok(())
}

/// A tensor's byte may be any; a bool of Rust's only 0 or 1.
#[test]
fn bools_stay_bools() -> Result<()> {
    let mut many = vec![false; 1500];
    Tensor::with_slice_mut(&mut many, [-1], |x| {
        let storage = x.untyped_storage();
        storage.set(3, 2)?;
        storage.set(1499, 255)?;
        assert_eq!(x.sum().item(), 2);
        Ok(())
    })?;
    let places: Vec<usize> = many.iter().enumerate().filter_map(|(place, is)| is.then_some(place)).collect();
    assert_eq!(places, [3, 1499]);
    let bytes: Vec<u8> = many.iter().map(|is| u8::from(*is)).collect();
    assert_eq!((bytes[3], bytes[1499], bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>()), (1, 1, 2));
    Ok(())
}

/// Tensors, views, storages and histories that outlive the call find nothing.
#[test]
fn what_outlives_the_call_is_empty() -> Result<()> {
    let numbers = vec![1.5_f32; 6];
    let (x, row, storage, loss, sum) = Tensor::with_slice(&numbers, [2, 3], |x| {
        let leaf = x.alias().requiring_grad()?;
        let loss = (&leaf * &leaf).sum();
        Ok((x.alias(), x.select(0, 1)?, x.untyped_storage().clone(), loss, x.sum()))
    })?;
    drop(numbers);
    assert_eq!((sum.item(), loss.item(), storage.nbytes()), (9.0, 13.5, 0));
    let mut out = Tensor::<f32>::zeros([2, 3])?;
    let answers = [
        x.try_to_vec().map(drop),
        row.try_to_vec().map(drop),
        x.try_add(1).map(drop),
        out.copy_(&x).map(drop),
        x.get([1, 2]).map(drop),
        x.alias().fill_(1.0).map(drop),
        storage.get(0).map(drop),
        loss.backward().map(drop),
    ];
    assert!(answers.iter().all(Result::is_err), "{answers:?}");
    assert_eq!(out.to_vec(), [0.0; 6]);
    Ok(())
}

#[test]
fn a_panic_ends_the_loan() {
    let (kept, is_kept) = mpsc::channel();
    let numbers = vec![1_i32, 2];
    let answer = std::panic::catch_unwind(|| {
        Tensor::with_slice(&numbers, [2], |x| -> Result<()> {
            kept.send(x.alias()).expect("the test");
            panic!("in the middle")
        })
    });
    drop(numbers);
    assert!(answer.is_err() && is_kept.recv().expect("an alias").try_to_vec().is_err());
}

/// The call waits for those who read, and who comes later finds nothing: no thread ever sees numbers of the slice's successor.
#[test]
fn other_threads_end_before_the_call_does() -> Result<()> {
    let rounds = if cfg!(miri) { 3 } else { 200 };
    let count = if cfg!(miri) { 50 } else { 5_000 };
    for _ in 0..rounds {
        let mut numbers = vec![1_i64; count];
        let barrier = Barrier::new(3);
        std::thread::scope(|scope| {
            Tensor::with_slice_mut(&mut numbers, [-1], |x| {
                for _ in 0..2 {
                    let (alias, barrier) = (x.alias(), &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        while let Ok(sum) = alias.try_sum().and_then(|sum| sum.try_item()) {
                            assert_eq!(sum, count as i64);
                        }
                    });
                }
                barrier.wait();
                Ok(())
            })
            .expect("nothing fails");
            numbers.fill(5);
        });
    }
    Ok(())
}

/// This thread keeps a slice for which a thread waits that has the borrowed numbers: that thread gives up, and the call ends.
#[test]
fn the_call_ends_where_threads_wait_for_each_other() -> Result<()> {
    let numbers = [1.0_f32, 2.0];
    // Locks are taken in the order of their addresses: some of these storages come before that of the numbers, some after it.
    let others: Vec<FloatStorage> = (0..8).map(|_| FloatStorage::from_slice(&[1.0, 2.0])).collect::<Result<_>>()?;
    let (done, is_done) = mpsc::channel();
    std::thread::scope(|scope| {
        for storage in &others {
            let kept = storage.slice_mut().expect("nobody else has it");
            Tensor::with_slice(&numbers, [2], |x| {
                let (alias, done) = (x.alias(), done.clone());
                let storage: UntypedStorage = storage.untyped().clone();
                let (begun, has_begun) = mpsc::channel();
                scope.spawn(move || {
                    let other: Tensor<f32, Rank<1>> =
                        latten::RawTensor::over(storage, DType::F32, latten::geometry::Geometry::contiguous(&[2]))
                            .map(DynTensor::from)
                            .and_then(|other| other.typed())
                            .expect("two numbers");
                    begun.send(()).expect("the test");
                    done.send(alias.try_add(&other).map(drop)).expect("the test");
                });
                has_begun.recv().expect("the thread");
                std::thread::sleep(Duration::from_millis(20));
                Ok(())
            })
            .expect("nothing fails");
            drop(kept);
        }
    });
    drop(done);
    let answers: Vec<Result<()>> = is_done.iter().collect();
    assert!(answers.len() == 8 && answers.iter().all(Result::is_err), "{answers:?}");
    Ok(())
}
