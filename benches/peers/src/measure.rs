//! Times: samples of about equal length, their median and their least.

use std::time::Instant;

/// Seconds that a sample takes, at least: a statement is repeated until then.
const SAMPLE: f64 = 0.005;

/// How often a piece of work is repeated in a sample.
#[derive(Clone, Copy)]
pub struct Sampler {
    /// Repetitions.
    pub count: usize,
}

impl Sampler {
    /// Finds how often; this also warms caches up.
    pub fn calibrated(mut work: impl FnMut()) -> Self {
        Self::from(|count| {
            let start = Instant::now();
            (0..count).for_each(|_| work());
            start.elapsed().as_secs_f64()
        })
    }

    /// The same, for work that times itself.
    pub fn from(mut seconds: impl FnMut(usize) -> f64) -> Self {
        let mut count = 1;
        loop {
            let taken = seconds(count);
            if taken >= SAMPLE / 2.0 || count >= 1 << 24 {
                return Self { count: ((count as f64 * SAMPLE / taken).ceil() as usize).max(1) };
            }
            count *= 4;
        }
    }

    /// So few repetitions that they only make caches and threads ready.
    pub fn part(self) -> Self {
        Self { count: self.count.div_ceil(8) }
    }

    /// Seconds of one repetition, by one sample.
    pub fn sample(self, mut work: impl FnMut()) -> f64 {
        let start = Instant::now();
        (0..self.count).for_each(|_| work());
        start.elapsed().as_secs_f64() / self.count as f64
    }
}

/// Seconds, one for each sample.
#[derive(Clone, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// Adds a sample.
    pub fn push(&mut self, seconds: f64) {
        self.0.push(seconds);
        self.0.sort_by(f64::total_cmp);
    }

    /// The one in the middle.
    pub fn median(&self) -> f64 {
        self.0.get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// The fastest: on a busy machine, what the code can do.
    pub fn least(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }
}
