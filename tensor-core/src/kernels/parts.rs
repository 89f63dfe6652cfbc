//! Parts of a result for threads to work on. All work in parallel goes through `workers`, whose caller never takes up other work while
//! it waits: it keeps locks of storages, and work that needs one of those would wait for itself.

use std::sync::{Mutex, PoisonError};

use super::workers::{num_threads, share};
use crate::process::locked;

/// Items that are handed out before more are made ready: so many that threads rarely wait, so few that they take no memory to speak of.
const READY: usize = 1 << 14;

/// Gives each item to `work` with its number, on as many threads as there are. It is compiled once for all that work on the same items,
/// however many operations that are.
pub(crate) fn hand_out<I: Send>(items: &mut dyn Iterator<Item = I>, work: &(dyn Fn(usize, I) + Sync)) {
    let Some(one) = items.next() else { return };
    let Some(two) = items.next() else { return work(0, one) };
    if num_threads() == 1 {
        work(0, one);
        work(1, two);
        return items.enumerate().for_each(|(at, item)| work(at + 2, item));
    }
    let (mut ready, mut first) = (vec![Mutex::new(Some(one)), Mutex::new(Some(two))], 0);
    loop {
        // No adapters of iterators: each would be compiled for each kind of item.
        while ready.len() < READY
            && let Some(item) = items.next()
        {
            ready.push(Mutex::new(Some(item)));
        }
        if ready.is_empty() {
            return;
        }
        give(&ready, first, work);
        first += ready.len();
        ready.clear();
    }
}

/// The results of `count` parts, in order.
pub(crate) fn collect<R: Send>(count: usize, part: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    // No adapters of iterators here, either.
    let mut results = Vec::with_capacity(count);
    results.resize_with(count, || Mutex::new(None));
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

fn give<I: Send>(items: &[Mutex<Option<I>>], first: usize, work: &(dyn Fn(usize, I) + Sync)) {
    share(items.len(), &|at| {
        let item = locked(&items[at]).take();
        if let Some(item) = item {
            work(first + at, item);
        }
    });
}
