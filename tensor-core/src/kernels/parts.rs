//! Parts of a result for threads to work on. All work in parallel goes through `workers`, whose caller never takes up other work while
//! it waits: it keeps locks of storages, and work that needs one of those would wait for itself.

use std::sync::{Mutex, PoisonError};

use super::workers::share;
use crate::process::locked;

/// Items that are handed out before more are made ready: so many that threads rarely wait, so few that they take no memory to speak of.
const READY: usize = 1 << 14;

/// Gives each item to `work` with its number, on as many threads as there are. It is compiled once for all that work on the same items,
/// however many operations that are.
pub(crate) fn hand_out<I: Send>(items: &mut dyn Iterator<Item = I>, work: &(dyn Fn(usize, I) + Sync)) {
    let Some(one) = items.next() else { return };
    let mut next = items.next();
    if next.is_none() {
        return work(0, one);
    }
    let (mut ready, mut first) = (Vec::new(), 0);
    ready.push(Mutex::new(Some(one)));
    // No adapters of iterators, and one place that pushes: all of it is compiled for each kind of item.
    while let Some(item) = next {
        ready.push(Mutex::new(Some(item)));
        next = items.next();
        if next.is_none() || ready.len() == READY {
            share(ready.len(), &|at| {
                let item = locked(&ready[at]).take();
                if let Some(item) = item {
                    work(first + at, item);
                }
            });
            first += ready.len();
            ready.clear();
        }
    }
}

/// The results of `count` parts, in order.
pub(crate) fn collect<R: Send>(count: usize, part: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    // No adapters of iterators here, either.
    let mut results = Vec::with_capacity(count);
    for _ in 0..count {
        results.push(Mutex::new(None));
    }
    share(count, &|at| {
        let result = part(at);
        *locked(&results[at]) = Some(result);
    });
    let mut all = Vec::with_capacity(count);
    for result in results {
        if let Some(result) = result.into_inner().unwrap_or_else(PoisonError::into_inner) {
            all.push(result);
        }
    }
    all
}
