//! Children that are forked from a process whose other threads are at work: what they do with tensors ends, and shared memory is shared.
#![cfg(all(unix, not(miri)))]

#[path = "forks/process.rs"]
mod process;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use latten::prelude::*;
use latten::storage::{FloatStorage, Sharing, UntypedStorage};

use latten::{Result, Scalar, args};
use process::child;

/// What a child does: it uses what is shared, allocates, and has loops that several threads share.
fn use_everything(shared: &DynTensor, file: &UntypedStorage, path: &std::path::Path, number: i64) -> Result<()> {
    shared.narrow(0, 0, 1)?.fill_(number)?;
    assert_eq!(shared.get([0])?, Scalar::Int(number));
    file.set(0, 7)?;
    assert_eq!(UntypedStorage::from_file(path, Sharing::Shared, 4096)?.get(0)?, 7);
    for size in [10, 2000, 100_000] {
        let ones = Tensor::<f32>::ones([size])?;
        let sum = (&ones + &ones).sum().item();
        assert!((f64::from(sum) - 2.0 * size as f64).abs() < 0.5, "{size}: {sum}");
    }
    let drawn = call("rand", args![[1000]])?.tensor()?;
    assert_ne!(drawn.get([0])?, drawn.get([1])?);
    latten::warning::set_hook(None);
    latten::storage::empty_cache();
    assert!(format!("{shared}").starts_with("tensor("));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).try_for_each(|_| shared.narrow(0, 1, 7)?.add_(1).map(drop)));
        }
    });
    Ok(())
}

#[test]
fn children_of_a_busy_process() -> Result<()> {
    let path = std::env::temp_dir().join(format!("latten_forks_{}", std::process::id()));
    let file = UntypedStorage::from_file(&path, Sharing::Shared, 4096)?;
    let mut shared = Tensor::<i64>::zeros([100_000])?.erase();
    shared.share_memory_()?;
    let over = AtomicBool::new(false);
    let failures = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    shared.narrow(0, 8, 90_000).and_then(|mut part| part.add_(1).map(drop)).expect("the parent goes on");
                    file.set(1, 1).expect("the parent goes on");
                    drop(Tensor::<f32>::zeros([5000]));
                    drop(call("rand", args![[20_000]]));
                    drop(UntypedStorage::from_file(&path, Sharing::Shared, 100));
                }
            });
        }
        let failures: Vec<String> = (1..=40)
            .filter_map(|number| {
                let answer = child(|| use_everything(&shared, &file, &path, number));
                let seen = shared.get([0]).expect("the parent goes on");
                match answer {
                    Ok(()) if seen == Scalar::Int(number) => None,
                    Ok(()) => Some(format!("child {number}: the parent reads {seen:?}")),
                    Err(what) => Some(format!("child {number}: {what}")),
                }
            })
            // Each may be one that hung.
            .take(3)
            .collect();
        over.store(true, Ordering::Relaxed);
        failures
    });
    std::fs::remove_file(&path).expect("the file");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// A slice that a thread keeps is kept by its copy in the child too: what the thread can't do in one process it can't do in the other.
#[test]
fn slices_that_are_kept_over_a_fork() -> Result<()> {
    let (read, written) = (FloatStorage::from_slice(&[1.0])?, FloatStorage::from_slice(&[2.0])?);
    let (one, again, mut other) = (read.slice()?, read.slice()?, written.slice_mut()?);
    let answer = child(|| {
        assert!(read.get(0).is_ok() && read.set(0, 5.0).is_err() && written.get(0).is_err());
        drop((one, again));
        read.set(0, 5.0)?;
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| written.get(0));
            std::thread::sleep(Duration::from_millis(20));
            other[0] = 3.0;
            drop(other);
            assert_eq!(reader.join().expect("no panic"), Ok(3.0));
        });
        Ok(())
    });
    assert_eq!(answer, Ok(()));
    Ok(())
}
