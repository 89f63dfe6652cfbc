//! Parts of a result for threads to work on. All work in parallel goes through `workers`, whose caller never takes up other work while
//! it waits: it keeps locks of storages, and work that needs one of those would wait for itself.

use parking_lot::Mutex;

use super::workers::{num_threads, share};

/// Items that are handed out before more are made ready: so many that threads rarely wait, so few that they take no memory to speak of.
const READY: usize = 1 << 14;

/// Gives each item to `work` with its number, on as many threads as there are.
pub(crate) fn hand_out<I: Send>(mut items: impl Iterator<Item = I>, work: impl Fn(usize, I) + Sync) {
    if num_threads() == 1 {
        return items.enumerate().for_each(|(at, item)| work(at, item));
    }
    for first in (0..).step_by(READY) {
        let ready: Vec<_> = items.by_ref().take(READY).map(|item| Mutex::new(Some(item))).collect();
        if ready.is_empty() {
            return;
        }
        give(ready, &|at, item| work(first + at, item));
    }
}

/// The results of `count` parts, in order.
pub(crate) fn collect<R: Send>(count: usize, part: impl Fn(usize) -> R + Sync) -> Vec<R> {
    gather(count, &part)
}

// Compiled once for all that work on the same items, however many reductions that are.
fn give<I: Send>(items: Vec<Mutex<Option<I>>>, work: &(dyn Fn(usize, I) + Sync)) {
    share(items.len(), &|at| {
        let item = items[at].lock().take();
        if let Some(item) = item {
            work(at, item);
        }
    });
}

fn gather<R: Send>(count: usize, part: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = (0..count).map(|_| None).collect();
    give(results.iter_mut().map(|result| Mutex::new(Some(result))).collect(), &|at, result: &mut Option<R>| *result = Some(part(at)));
    results.into_iter().flatten().collect()
}
