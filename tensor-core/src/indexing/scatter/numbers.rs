//! Numbers that meet at one place: what a sum, a product or an extreme makes of two, for each type.

use half::{bf16, f16};
use num_complex::Complex;

use super::ScatterReduce;
use crate::element::Native;

/// Numbers that meet at one place.
pub(in crate::indexing) trait Combined: Native + Default {
    /// What changes nothing.
    fn start(combine: ScatterReduce) -> Self;
    /// What two make.
    fn combine(self, combine: ScatterReduce, other: Self) -> Self;
    /// What changes no number at all, be it zero with a sign.
    fn neutral(combine: ScatterReduce) -> Self {
        Self::start(combine)
    }
    /// A part of a sum.
    fn over(self, count: usize) -> Self;
}

macro_rules! combined_integers {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                match combine {
                    ScatterReduce::Prod => 1,
                    ScatterReduce::Amax => Self::MIN,
                    ScatterReduce::Amin => Self::MAX,
                    ScatterReduce::Replace | ScatterReduce::Sum | ScatterReduce::Mean => 0,
                }
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                match combine {
                    ScatterReduce::Replace => other,
                    ScatterReduce::Sum | ScatterReduce::Mean => self.wrapping_add(other),
                    ScatterReduce::Prod => self.wrapping_mul(other),
                    ScatterReduce::Amax => self.max(other),
                    ScatterReduce::Amin => self.min(other),
                }
            }

            fn over(self, count: usize) -> Self {
                let count = count as Self;
                if count == 0 { return 0 }
                let quotient = self.wrapping_div(count);
                // Downwards, as PyTorch divides them.
                if self.wrapping_rem(count) != 0 && (self < 0 as Self) != (count < 0 as Self) { quotient.wrapping_sub(1) } else { quotient }
            }
        }
    )* };
}

combined_integers! { u8 i8 i16 i32 i64 }

impl Combined for bool {
    fn start(combine: ScatterReduce) -> Self {
        matches!(combine, ScatterReduce::Prod | ScatterReduce::Amin)
    }

    fn combine(self, combine: ScatterReduce, other: Self) -> Self {
        match combine {
            ScatterReduce::Replace => other,
            ScatterReduce::Sum | ScatterReduce::Mean | ScatterReduce::Amax => self | other,
            ScatterReduce::Prod | ScatterReduce::Amin => self & other,
        }
    }

    fn over(self, _: usize) -> Self {
        self
    }
}

macro_rules! combined_floats {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                match combine {
                    ScatterReduce::Prod => 1.0,
                    ScatterReduce::Amax => Self::NEG_INFINITY,
                    ScatterReduce::Amin => Self::INFINITY,
                    ScatterReduce::Replace | ScatterReduce::Sum | ScatterReduce::Mean => 0.0,
                }
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                match combine {
                    ScatterReduce::Replace => other,
                    ScatterReduce::Sum | ScatterReduce::Mean => self + other,
                    ScatterReduce::Prod => self * other,
                    ScatterReduce::Amax => if other > self || other.is_nan() { other } else { self },
                    ScatterReduce::Amin => if other < self || other.is_nan() { other } else { self },
                }
            }

            fn neutral(combine: ScatterReduce) -> Self {
                match combine {
                    ScatterReduce::Sum | ScatterReduce::Mean => -0.0,
                    ScatterReduce::Replace | ScatterReduce::Prod | ScatterReduce::Amax | ScatterReduce::Amin => Self::start(combine),
                }
            }

            #[expect(clippy::cast_precision_loss, reason = "a count that large is no divisor that anyone can check")]
            fn over(self, count: usize) -> Self {
                self / count as Self
            }
        }
    )* };
}

combined_floats! { f32 f64 }

/// Narrow floats meet as f32.
macro_rules! combined_halves {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                Self::from_f32(f32::start(combine))
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                Self::from_f32(self.to_f32().combine(combine, other.to_f32()))
            }

            fn neutral(combine: ScatterReduce) -> Self {
                Self::from_f32(f32::neutral(combine))
            }

            fn over(self, count: usize) -> Self {
                Self::from_f32(self.to_f32().over(count))
            }
        }
    )* };
}

combined_halves! { f16 bf16 }

macro_rules! combined_complex {
    ($($T:ident)*) => { $(
        impl Combined for Complex<$T> {
            fn start(combine: ScatterReduce) -> Self {
                Self::new($T::start(combine), $T::start(ScatterReduce::Sum))
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                let (add, mul) = (|a: $T, b: $T| a.combine(ScatterReduce::Sum, b), |a: $T, b: $T| a.combine(ScatterReduce::Prod, b));
                match combine {
                    ScatterReduce::Sum | ScatterReduce::Mean => Self::new(add(self.re, other.re), add(self.im, other.im)),
                    ScatterReduce::Prod => Self::new(
                        add(mul(self.re, other.re), -mul(self.im, other.im)),
                        add(mul(self.re, other.im), mul(self.im, other.re)),
                    ),
                    // There is no order, which was checked.
                    ScatterReduce::Replace | ScatterReduce::Amax | ScatterReduce::Amin => other,
                }
            }

            fn neutral(combine: ScatterReduce) -> Self {
                Self::new($T::neutral(combine), $T::neutral(ScatterReduce::Sum))
            }

            fn over(self, count: usize) -> Self {
                Self::new(self.re.over(count), self.im.over(count))
            }
        }
    )* };
}

combined_complex! { f16 f32 f64 }
