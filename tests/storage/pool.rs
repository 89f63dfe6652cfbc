//! The pool of freed blocks. Its counters belong to the process, so each test here runs in one of its own.

use std::process::Stdio;

use latten::storage::{PoolStats, UntypedStorage, empty_cache, pool_stats, set_pool_limit};
use latten::{Device, Result};

use crate::check::{other_process, role};

const MEGABYTE: usize = 1 << 20;

fn block(nbytes: usize) -> UntypedStorage {
    UntypedStorage::new(nbytes, Device::CPU).expect("some memory")
}

/// Runs the test in a process of its own: true there, false where it has just run there.
fn alone(test: &str, variables: &[(&str, &str)]) -> bool {
    if role().is_none() {
        other_process(test, "alone", variables, Stdio::null());
    }
    role().is_some()
}

#[test]
fn freed_blocks_are_used_again() -> Result<()> {
    if !alone("pool::freed_blocks_are_used_again", &[]) {
        return Ok(());
    }
    let stats = |held_bytes, held_blocks, used_bytes, fresh, reused| {
        let mut stats = PoolStats::default();
        stats.limit = 1 << 30;
        (stats.held_bytes, stats.held_blocks, stats.used_bytes) = (held_bytes, held_blocks, used_bytes);
        (stats.fresh, stats.reused) = (fresh, reused);
        stats
    };
    assert_eq!(pool_stats(), stats(0, 0, 0, 0, 0));
    let first = block(MEGABYTE);
    let address = first.data_ptr();
    first.fill_(7)?;
    assert_eq!(pool_stats(), stats(0, 0, MEGABYTE, 1, 0));
    drop(first);
    assert_eq!(pool_stats(), stats(MEGABYTE, 1, 0, 1, 0));
    // A little less than a megabyte is of the same class.
    let second = block(MEGABYTE - 1000);
    assert_eq!(second.data_ptr(), address);
    assert_eq!(pool_stats(), stats(0, 0, MEGABYTE, 1, 1));
    // Zeros of this size are fresh pages, which cost nothing until they are touched.
    drop(second);
    let zeros = UntypedStorage::zeroed(MEGABYTE, Device::CPU)?;
    assert_eq!(zeros.tolist()?, vec![0; MEGABYTE]);
    assert_eq!(pool_stats().fresh, 2);
    // Small zeros come from a waiting block, cleared.
    let dirty = block(2048);
    dirty.fill_(7)?;
    drop(dirty);
    assert_eq!(UntypedStorage::zeroed(2048, Device::CPU)?.tolist()?, vec![0; 2048]);
    drop(zeros);
    empty_cache();
    let end = pool_stats();
    assert_eq!((end.held_bytes, end.held_blocks, end.used_bytes, end.released), (0, 0, 0, end.fresh));
    // Blocks below a kilobyte never come here.
    drop(block(1000));
    assert_eq!(pool_stats(), end);
    Ok(())
}

#[test]
fn the_limit_bounds_what_waits() {
    if !alone("pool::the_limit_bounds_what_waits", &[("LATTEN_POOL_BYTES", "3145728")]) {
        return;
    }
    assert_eq!(pool_stats().limit, 3 * MEGABYTE);
    let blocks: Vec<UntypedStorage> = (0..5).map(|_| block(MEGABYTE)).collect();
    let youngest = blocks[4].data_ptr();
    blocks.into_iter().for_each(drop);
    let stats = pool_stats();
    assert_eq!((stats.held_bytes, stats.held_blocks, stats.released), (3 * MEGABYTE, 3, 2));
    assert_eq!(block(MEGABYTE).data_ptr(), youngest, "the one freed last comes first");
    // A block larger than the limit goes back at once, and pushes nothing out.
    drop(block(8 * MEGABYTE));
    assert_eq!((pool_stats().held_bytes, pool_stats().released), (3 * MEGABYTE, 3));
    set_pool_limit(MEGABYTE);
    assert_eq!((pool_stats().limit, pool_stats().held_bytes), (MEGABYTE, MEGABYTE));
    set_pool_limit(0);
    drop(block(MEGABYTE));
    assert_eq!((pool_stats().limit, pool_stats().held_bytes), (0, 0));
}

#[test]
fn a_limit_that_is_no_number_is_ignored() {
    if alone("pool::a_limit_that_is_no_number_is_ignored", &[("LATTEN_POOL_BYTES", "much")]) {
        assert_eq!(pool_stats().limit, 1 << 30);
    }
}

#[test]
fn threads_share_the_pool() {
    if !alone("pool::threads_share_the_pool", &[]) {
        return;
    }
    std::thread::scope(|scope| {
        for thread in 0..8_usize {
            scope.spawn(move || {
                for round in 0..200 {
                    let storage = block(1024 + 977 * ((thread + round) % 16));
                    storage.fill_(thread as u8).expect("nobody else has it");
                    assert!(storage.iter().expect("bytes").all(|byte| byte == thread as u8), "another thread wrote to a block");
                }
            });
        }
    });
    let stats = pool_stats();
    assert_eq!(stats.used_bytes, 0);
    assert_eq!(stats.fresh + stats.reused, 1600);
    assert!(stats.fresh <= 8 * 16, "{stats:?}");
}
