//! What helpers and their seats are made of. A model of them (tests/models) has a model's atomics and threads in this place.

pub(super) use std::sync::Mutex;
pub(super) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
pub(super) use std::thread::{Thread, park};

use std::hint::spin_loop;
use std::thread::yield_now;
use std::time::{Duration, Instant};

pub(super) use super::place::Whereabouts;
pub(super) use crate::process::locked;

/// How long a helper looks for the next task before it sleeps: a program that computes has it by then.
const PATIENCE: Duration = Duration::from_micros(50);

/// Looks again and again, for a while.
#[inline]
pub(super) fn patiently<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        for _ in 0..32 {
            if let Some(found) = look() {
                return Some(found);
            }
            spin_loop();
        }
    }
    None
}

/// Waits until something holds that other threads are about to do.
#[inline]
pub(super) fn wait_until(mut holds: impl FnMut() -> bool) {
    let mut looks = 0_u32;
    while !holds() {
        looks += 1;
        if looks < 1000 { spin_loop() } else { yield_now() }
    }
}
