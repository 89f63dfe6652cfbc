//! What the lock of a storage is made of. A model of it (tests/models) has a model's atomics and threads in this place.

pub(super) use std::sync::Mutex;
pub(super) use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use std::thread::{Thread, current, park};

pub(super) use crate::process::locked;
