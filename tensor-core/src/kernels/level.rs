//! Which instruction sets the processor has: every kernel is compiled for each level, and the choice is made at run time.
#![expect(unsafe_code, reason = "calls functions that are compiled for more instructions than the target guarantees")]

/// A set of instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// What the target guarantees.
    Baseline,
    /// x86-64 with 256-bit vectors, fused multiply-add and half-precision conversions.
    Avx2,
    /// x86-64 with 512-bit vectors.
    Avx512,
}

impl Level {
    /// The best level that this processor has. The standard library asks the processor once.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let wide = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
            if wide && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
                return Self::Avx512;
            }
            if wide {
                return Self::Avx2;
            }
        }
        Self::Baseline
    }
}

/// A computation that is compiled for each level. Whatever its `run` shall share the level with is `#[inline(always)]`.
pub(crate) trait Job {
    /// What it gives.
    type Output;
    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs a job as compiled for the processor at hand.
pub(crate) fn vectorised<J: Job>(job: J) -> J::Output {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => {
            // SAFETY: the processor was asked.
            unsafe { job_avx2(job) }
        }
        _ => job.run(),
    }
}

/// The same for a job that is meant for 512-bit vectors; asked for elsewhere, it runs as the target has it.
pub(crate) fn vectorised_wide<J: Job>(job: J) -> J::Output {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: the processor was asked.
            unsafe { job_avx512(job) }
        }
        _ => job.run(),
    }
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
