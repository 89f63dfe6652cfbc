//! Functions that the standard library lacks or computes too roughly, with `f64` inside.

/// The inverse of `sinh`.
pub(super) fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}

/// The inverse of `cosh`.
pub(super) fn acosh(x: f64) -> f64 {
    // Far below 1, the formula of libm cancels to something that isn't always NaN.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The inverse of `tanh`.
pub(super) fn atanh(x: f64) -> f64 {
    libm::atanh(x)
}

/// The error function.
pub(super) fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// One minus the error function, exact where that is small.
pub(super) fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}
