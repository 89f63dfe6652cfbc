//! Slices of numbers, lent under the storage's lock: what they allow and what they refuse.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use latten::Result;
use latten::storage::{BoolStorage, FloatStorage, IntStorage, TypedStorage, UntypedStorage};

#[test]
fn slices_read_and_write() -> Result<()> {
    let storage = FloatStorage::from_slice(&[1.0, 2.0, 3.0])?;
    {
        let mut slice = storage.slice_mut()?;
        slice[0] = 10.0;
        slice.reverse();
    }
    let (one, two) = (storage.slice()?, storage.clone().slice()?);
    assert_eq!((&*one, &*two), (&[3.0, 2.0, 10.0][..], &[3.0, 2.0, 10.0][..]));
    assert_eq!(format!("{one:?}"), "[3.0, 2.0, 10.0]");
    assert_eq!(storage.get(0)?, 3.0, "reading beside a slice");
    assert_eq!(IntStorage::from_vec(vec![1, 2]).slice()?.len(), 2);
    assert_eq!(IntStorage::new(0)?.slice()?.len(), 0);
    Ok(())
}

#[test]
fn what_is_refused() -> Result<()> {
    let storage = FloatStorage::from_slice(&[1.0, 2.0, 3.0])?;
    let write = "the storage can't be written while this thread keeps a slice of it: drop the slice first";
    let any = "the storage can't be used while this thread keeps a mutable slice of it: drop the slice first";
    {
        let _kept = storage.slice()?;
        refusals! {
            storage.fill_(0.0) => Runtime write;
            storage.slice_mut() => Runtime write;
            storage.resize_(0) => Runtime write;
            storage.untyped().slice(0..1)?.fill_(0) => Runtime write;
            storage.copy_(&storage) => Runtime write;
        }
    }
    {
        let _kept = storage.slice_mut()?;
        refusals! {
            storage.get(0) => Runtime any;
            storage.slice() => Runtime any;
            storage.slice_mut() => Runtime any;
            storage.deep_clone() => Runtime any;
        }
        assert_eq!(storage.to_string(), format!(" {any}\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 3]"));
    }
    let bytes = storage.untyped();
    let odd = TypedStorage::<f32>::of(bytes.slice(1..5)?);
    let bools = BoolStorage::of(UntypedStorage::from_bytes(&[0, 1, 2])?);
    let shrunk = TypedStorage::<f32>::of(bytes.slice(4..12)?);
    storage.resize_(2)?;
    refusals! {
        odd.slice() => Runtime "no slice of float32: the storage starts at an address that is no multiple of 4";
        bools.slice() => Runtime "no slice of bool: byte 2 of the storage is 2, neither 0 nor 1";
        TypedStorage::<f32>::of(UntypedStorage::new(4, latten::Device::META)?).slice() => NotImplemented "Not available for 'meta' device type";
        shrunk.slice() => Runtime "the storage below this slice was resized to 8 bytes, but the slice ends at byte 12";
    }
    assert_eq!(storage.slice_mut()?.len(), 2, "refusals released the lock");
    Ok(())
}

#[test]
fn other_threads_wait() -> Result<()> {
    let storage = IntStorage::from_slice(&[0; 4])?;
    let mut slice = storage.slice_mut()?;
    std::thread::scope(|scope| {
        let (done, is_done) = channel();
        let other = storage.clone();
        scope.spawn(move || done.send(other.tolist()));
        assert!(is_done.recv_timeout(Duration::from_millis(50)).is_err(), "a thread read below a mutable slice");
        slice.fill(7);
        drop(slice);
        assert_eq!(is_done.recv().expect("the thread ends"), Ok(vec![7; 4]));
    });
    Ok(())
}

/// Two threads keep a slice each and want the other's storage: one of them gets an error instead of waiting forever.
#[test]
fn crossed_slices_end_in_an_error() -> Result<()> {
    let storages = [IntStorage::from_slice(&[1])?, IntStorage::from_slice(&[2])?];
    let start = Instant::now();
    let barrier = std::sync::Barrier::new(2);
    let answers: Vec<Result<i32>> = std::thread::scope(|scope| {
        let cross = |mine: usize| {
            let (storages, barrier) = (storages.clone(), &barrier);
            scope.spawn(move || {
                let _kept = storages[mine].slice_mut();
                barrier.wait();
                storages[1 - mine].get(0)
            })
        };
        let threads = [cross(0), cross(1)];
        threads.map(|thread| thread.join().expect("no panic")).into()
    });
    let refused: Vec<&latten::Error> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let text = "another thread keeps the storage and waits for one of which this thread keeps a slice: the two would wait for each other for \
                ever; drop the slice first";
    assert_eq!(refused.iter().map(|error| error.message()).collect::<Vec<_>>(), [text], "{answers:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    Ok(())
}

/// Three threads in a circle, and one that only waits at its side: one of the three gets an error, the others what they want.
#[test]
fn a_circle_of_slices_ends_in_one_error() -> Result<()> {
    let storages: Vec<IntStorage> = (0..3).map(|number| IntStorage::from_slice(&[number])).collect::<Result<_>>()?;
    let barrier = std::sync::Barrier::new(4);
    let answers: Vec<Result<i32>> = std::thread::scope(|scope| {
        let keep = |mine: usize| {
            let (storages, barrier) = (storages.clone(), &barrier);
            move || {
                let _kept = if mine < 3 { Some(storages[mine].slice_mut()) } else { None };
                barrier.wait();
                storages[(mine + 1) % 3].get(0)
            }
        };
        let threads: Vec<_> = (0..4).map(|mine| scope.spawn(keep(mine))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1, "{answers:?}");
    assert!(answers[3].is_ok(), "who keeps nothing only waits: {answers:?}");
    Ok(())
}

/// However long the other thread is busy, waiting for it is no error.
#[test]
fn a_busy_thread_is_waited_for() -> Result<()> {
    let storages = [IntStorage::from_slice(&[1])?, IntStorage::from_slice(&[2])?];
    for kept in 0..2 {
        let barrier = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _busy = storages[1 - kept].slice_mut();
                barrier.wait();
                std::thread::sleep(Duration::from_millis(2300));
            });
            let _kept = storages[kept].slice_mut();
            barrier.wait();
            assert!(storages[1 - kept].get(0).is_ok());
        });
    }
    Ok(())
}

/// A thread that ends with a slice that it never dropped leaves an error after, not a wait that never ends.
#[test]
fn forgotten_slices() -> Result<()> {
    let (written, read) = (IntStorage::from_slice(&[1])?, IntStorage::from_slice(&[2])?);
    let (begun, has_begun) = channel();
    let answer = std::thread::scope(|scope| {
        let (written, read) = (&written, &read);
        let waiter = scope.spawn(move || {
            has_begun.recv().expect("the other thread");
            written.get(0)
        });
        scope.spawn(move || {
            std::mem::forget((written.slice_mut(), read.slice()));
            begun.send(()).expect("the waiter");
            std::thread::sleep(Duration::from_millis(50));
        });
        waiter.join().expect("no panic")
    });
    let text = "a thread kept a slice of the storage and has ended without dropping it: nobody can give it back";
    refusals! {
        answer => Runtime text;
        written.get(0) => Runtime text;
        written.slice_mut() => Runtime text;
        read.set(0, 1) => Runtime text;
    }
    assert_eq!(read.get(0)?, 2, "who reads isn't in the way of others who read");
    Ok(())
}

/// An operation while a thread ends, when what it kept for itself is gone.
#[test]
fn operations_in_destructors_of_thread_locals() {
    use latten::prelude::*;

    const COUNT: usize = if cfg!(miri) { 100 } else { 10_000 };
    struct Last(DynTensor);
    impl Drop for Last {
        fn drop(&mut self) {
            let table = self.0.view([10, COUNT / 10]).expect("ten rows");
            let answers = [
                table.try_add(2.0).and_then(|sum| sum.to_scalars()),
                table.try_exp().and_then(|x| x.to_scalars()),
                try_fuse!(exp(table) * table + 1.0).and_then(|x| x.to_scalars()),
                table.try_matmul(&table.t()).and_then(|x| x.to_scalars()),
                table.flip([0]).and_then(|x| x.to_scalars()),
            ];
            assert!(answers.iter().all(Result::is_ok) && self.0.storage().get(0).is_ok() && !format!("{table}").is_empty());
        }
    }
    thread_local! {
        static LAST: std::cell::RefCell<Vec<Last>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    // What is used first is destroyed last, in some systems, and first in others: both orders.
    for late in [false, true] {
        let thread = std::thread::spawn(move || {
            if late {
                LAST.with(|last| last.borrow().len());
            }
            let tensor = Tensor::<f64>::ones([COUNT]).expect("room");
            drop((&tensor + 1.0).exp());
            LAST.with(|last| last.borrow_mut().push(Last(tensor.erase())));
        });
        thread.join().expect("no panic");
    }
}
