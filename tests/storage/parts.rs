//! Tensors in parts, for several threads at once: who works when, what is refused, and what is left afterwards.

use std::sync::{Barrier, mpsc};
use std::time::Duration;

use latten::prelude::*;
use latten::{PartsMut, Result};
use rayon::prelude::*;

fn numbers(rows: usize, columns: usize) -> Result<DynTensor> {
    let count = rows * columns;
    Ok(Tensor::<i64>::from_vec((0..count as i64).collect(), &[rows, columns][..])?.erase())
}

fn sizes<E: Element, S: Shape>(parts: &PartsMut<'_, E, S>) -> Vec<Vec<usize>> {
    parts.iter().map(|part| part.sizes().to_vec()).collect()
}

#[test]
fn every_part_is_written_by_a_thread_of_its_own() -> Result<()> {
    let (mut x, mut expected) = (numbers(7, 3)?, numbers(7, 3)?);
    let mut parts = x.parts_mut(0, 2)?;
    assert_eq!(sizes(&parts), [[2, 3], [2, 3], [2, 3], [1, 3]]);
    // All threads are inside of an operation's time at once: each keeps a slice until all have one.
    let (all, count) = (Barrier::new(4), parts.len());
    std::thread::scope(|scope| {
        for (number, part) in parts.iter_mut().enumerate() {
            let all = &all;
            scope.spawn(move || {
                part.add_(100 * number as i64).expect("an own part");
                let mut typed = part.typed::<i64, AnyShape>().expect("integers");
                let mut slice = typed.slice_mut().expect("an own part");
                all.wait();
                slice.reverse();
            });
        }
    });
    drop(parts);
    for number in 0..count {
        let mut part = expected.narrow(0, 2 * number as isize, 2.min(7 - 2 * number) as isize)?;
        part.add_(100 * number as i64)?;
        let turned = part.flip([0, 1])?;
        part.copy_(&turned)?;
    }
    assert_eq!(x.to_vec(), expected.to_vec());
    // By rayon, along a dimension of a transposed tensor.
    let mut turned = x.t();
    turned.parts_mut(1, 1)?.par_iter_mut().for_each(|part| {
        part.mul_(2).expect("an own part");
    });
    expected.mul_(2)?;
    assert_eq!(x.to_vec(), expected.to_vec());
    Ok(())
}

/// Everybody else waits, and gets the whole afterwards; who has a part still finds it empty.
#[test]
fn parts_end() -> Result<()> {
    let mut x = numbers(4, 2)?;
    let view = x.alias();
    let mut parts = x.parts_mut(0, 1)?;
    let kept = parts[0].alias();
    refusals! {
        view.to_scalars() => Runtime "the storage can't be used while this thread keeps a mutable slice of it: drop the slice first";
        parts[0].share_memory_() => Runtime "share_memory_: a part of a storage can't be moved without the rest";
        parts[0].resize_([100]) => Runtime "Trying to resize storage that is not resizable";
    }
    parts[1].fill_(9)?;
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        let view = &view;
        scope.spawn(move || done.send(view.to_vec_of::<i64>()));
        assert!(is_done.recv_timeout(Duration::from_millis(50)).is_err(), "a thread read what is lent");
        drop(parts);
        assert_eq!(is_done.recv().expect("the thread ends"), Ok(vec![0, 1, 9, 9, 4, 5, 6, 7]));
    });
    assert!(kept.to_scalars().is_err() && kept.alias().fill_(3).is_err());
    assert_eq!(view.to_vec_of::<i64>()?, [0, 1, 9, 9, 4, 5, 6, 7]);
    Ok(())
}

/// A slice of a part that outlives the parts keeps the whole, which is never used beside it.
#[test]
fn a_slice_that_outlives_the_parts() -> Result<()> {
    let mut x = numbers(2, 2)?;
    let view = x.alias();
    let parts = x.parts_mut(0, 1)?;
    let storage = latten::storage::LongStorage::of(parts[0].untyped_storage().clone());
    let slice = storage.slice()?;
    drop(parts);
    assert_eq!(*slice, [0, 1]);
    assert!(view.alias().fill_(1).is_err());
    assert_eq!(*slice, [0, 1]);
    Ok(())
}

#[test]
fn what_has_no_parts() -> Result<()> {
    let mut x = numbers(4, 2)?;
    let view = x.alias();
    let mut wide = numbers(1, 2)?.expand([3, 2])?;
    let mut shared = numbers(2, 2)?;
    shared.share_memory_()?;
    let between = "parts_mut: parts along dimension 1 lie between each other: the first ends at byte 56 and the next begins at byte 8; sizes \
                   [4, 2], strides [2, 1]";
    let host = "parts_mut: only memory of the host that no other process uses has parts for several threads";
    refusals! {
        x.parts_mut(1, 1) => Runtime between;
        x.parts_mut(0, 0) => Runtime "parts_mut: parts of size 0 would never end";
        x.parts_mut(2, 1) => Index "Dimension out of range (expected to be in range of [-2, 1], but got 2)";
        wide.parts_mut(0, 1) => Runtime "parts_mut: parts along dimension 0 lie between each other: the first ends at byte 16 and the next begins \
                                         at byte 0; sizes [3, 2], strides [0, 1]";
        shared.parts_mut(0, 1) => Runtime host;
    }
    let kept = latten::storage::LongStorage::of(view.untyped_storage().clone());
    let slice = kept.slice()?;
    refusals! {
        x.parts_mut(0, 1) => Runtime "the storage can't be written while this thread keeps a slice of it: drop the slice first";
    }
    drop(slice);
    assert_eq!(sizes(&x.parts_mut(-2, 100)?), [[4, 2]]);
    assert_eq!(numbers(0, 3)?.parts_mut(0, 1)?.len(), 0);
    Ok(())
}
