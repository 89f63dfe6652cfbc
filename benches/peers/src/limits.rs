//! What the machine can do at best: how fast memory is copied, and how fast fresh pages come.

use std::hint::black_box;

use crate::measure::{Sampler, Times};

const BYTES: usize = 40_000_000;

/// Two limits of the machine, in bytes each second.
pub struct Limits {
    /// Bytes read and written by `memcpy` on all threads, over 40 MB that lie in memory.
    pub copy: f64,
    /// The same on one thread.
    pub copy_alone: f64,
    /// Bytes of pages that are touched for the first time.
    pub fresh_pages: f64,
}

/// Measures the limits.
pub fn limits(rounds: usize) -> Limits {
    let (from, mut to) = (vec![1_u8; BYTES], vec![2_u8; BYTES]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = BYTES.div_ceil(threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
    let copy = best(rounds, || {
        pool.scope(|scope| {
            for (to, from) in to.chunks_mut(share).zip(from.chunks(share)) {
                scope.spawn(|_| to.copy_from_slice(from));
            }
        });
    });
    let copy_alone = best(rounds, || to.copy_from_slice(&from));
    let fresh = best(rounds, || {
        let mut pages = vec![0_u8; BYTES];
        pages.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        black_box(&pages);
    });
    black_box(&to);
    Limits { copy: 2.0 * BYTES as f64 / copy, copy_alone: 2.0 * BYTES as f64 / copy_alone, fresh_pages: BYTES as f64 / fresh }
}

fn best(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut times = Times::default();
    let sampler = Sampler::calibrated(&mut work);
    for _ in 0..rounds {
        times.push(sampler.sample(&mut work));
    }
    times.least()
}
