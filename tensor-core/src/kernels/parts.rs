//! Parts of a result for threads to work on. All work in parallel goes through `workers`, whose caller never takes up other work while
//! it waits: it keeps locks of storages, and work that needs one of those would wait for itself.

use parking_lot::Mutex;

use super::workers::{num_threads, share};

/// Gives each item to `work` with its number, on as many threads as there are.
pub(crate) fn hand_out<I: Send>(items: impl Iterator<Item = I>, work: impl Fn(usize, I) + Sync) {
    if num_threads() == 1 {
        return items.enumerate().for_each(|(at, item)| work(at, item));
    }
    let items: Vec<Mutex<Option<I>>> = items.map(|item| Mutex::new(Some(item))).collect();
    share(items.len(), &|at| {
        let item = items[at].lock().take();
        if let Some(item) = item {
            work(at, item);
        }
    });
}

/// The results of `count` parts, in order.
pub(crate) fn collect<R: Send>(count: usize, part: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = (0..count).map(|_| None).collect();
    hand_out(results.iter_mut(), |at, result| *result = Some(part(at)));
    results.into_iter().flatten().collect()
}
