//! Which instruction sets the processor has: every kernel is compiled for each level, and the choice is made at run time.

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
