//! Which instruction sets the processor has: every kernel is compiled for each level, and the choice is made at run time.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls functions that are compiled for more instructions than the target guarantees")
)]

use std::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What the target guarantees.
    Baseline = 1,
    /// x86-64 with 256-bit vectors, fused multiply-add and half-precision conversions.
    Avx2 = 2,
    /// x86-64 with 512-bit vectors.
    Avx512 = 3,
}

/// The environment variable that keeps kernels below a level: `baseline` or `avx2`.
const LIMIT_VARIABLE: &str = "LATTEN_LEVEL";

impl Level {
    /// The best level that this processor has and the environment allows.
    #[inline]
    pub fn detect() -> Self {
        /// The answer, once it is known.
        static KNOWN: AtomicU8 = AtomicU8::new(0);
        match KNOWN.load(Ordering::Relaxed) {
            1 => Self::Baseline,
            2 => Self::Avx2,
            3 => Self::Avx512,
            _ => {
                let limit = match std::env::var(LIMIT_VARIABLE).as_deref() {
                    Ok("baseline") => Self::Baseline,
                    Ok("avx2") => Self::Avx2,
                    _ => Self::Avx512,
                };
                let level = Self::of_processor().min(limit);
                KNOWN.store(level as u8, Ordering::Relaxed);
                level
            }
        }
    }

    /// The best level that this processor has.
    fn of_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
            let widest = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            match (wide, widest) {
                (true, true) => return Self::Avx512,
                (true, false) => return Self::Avx2,
                _ => {}
            }
        }
        Self::Baseline
    }
}

/// A computation that is compiled for each level. Whatever its `run` shall share the level with is `#[inline(always)]`.
pub trait Job {
    /// What it gives.
    type Output;
    /// Computes it.
    fn run(self) -> Self::Output;
    /// The same where x86-64 has no vectors of 256 bits, in less code: for jobs whose vectors make much of it.
    #[inline(always)]
    fn run_plain(self) -> Self::Output
    where
        Self: Sized,
    {
        self.run()
    }
}

/// Runs a job as compiled for the processor at hand.
pub fn vectorised<J: Job>(job: J) -> J::Output {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            // SAFETY: the processor was asked.
            unsafe { job_avx2(job) }
        }
        _ if cfg!(target_arch = "x86_64") => job.run_plain(),
        _ => job.run(),
    }
}

/// The same for a job that is worth a form for each level.
pub fn widest<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    if Level::detect() == Level::Avx512 {
        // SAFETY: the processor was asked.
        return unsafe { job_avx512(job) };
    }
    vectorised(job)
}

/// Runs one of two jobs over the same: the first is for 512-bit vectors alone, and has no other form.
pub fn by_width<T, W: Job, N: Job<Output = W::Output>>(of: T, wide: fn(T) -> W, narrow: fn(T) -> N) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if Level::detect() == Level::Avx512 {
        // SAFETY: the processor was asked.
        return unsafe { job_avx512(wide(of)) };
    }
    let _ = wide;
    vectorised(narrow(of))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn job_avx2<J: Job>(job: J) -> J::Output {
    job.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
fn job_avx512<J: Job>(job: J) -> J::Output {
    job.run()
}
