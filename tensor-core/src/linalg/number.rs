//! What matrices are of: real numbers or complex ones.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::C;
use crate::product::{Factor, Tiles};

/// A number of matrices: real ones take a fraction of the time.
pub(crate) trait MatrixNumber:
    Tiles<Sum = Self, Means = ()>
    + Factor
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + DivAssign<f64>
    + Sum
    + Product
{
    fn conj(self) -> Self;
    fn real(self) -> f64;
    /// Whether there is no imaginary part.
    fn is_real(self) -> bool;
    fn norm(self) -> f64;
    fn norm_sqr(self) -> f64;
    /// The sizes of both parts together.
    fn l1_norm(self) -> f64;
    /// The quotient, also of numbers whose squares there are none of.
    fn over(self, other: Self) -> Self {
        self / other
    }
}

impl MatrixNumber for f64 {
    #[inline(always)]
    fn conj(self) -> Self {
        self
    }
    fn real(self) -> f64 {
        self
    }
    fn is_real(self) -> bool {
        true
    }
    fn norm(self) -> f64 {
        self.abs()
    }
    fn norm_sqr(self) -> f64 {
        self * self
    }
    fn l1_norm(self) -> f64 {
        self.abs()
    }
}

impl MatrixNumber for C {
    #[inline(always)]
    fn conj(self) -> Self {
        Self::conj(&self)
    }
    fn real(self) -> f64 {
        self.re
    }
    fn is_real(self) -> bool {
        self.im == 0.0
    }
    fn norm(self) -> f64 {
        Self::norm(self)
    }
    fn norm_sqr(self) -> f64 {
        Self::norm_sqr(&self)
    }
    fn l1_norm(self) -> f64 {
        Self::l1_norm(&self)
    }
    fn over(self, other: Self) -> Self {
        match other.l1_norm() {
            small if 0.0 < small && small < 1e-100 => (self * LARGE).over(other * LARGE),
            large if 1e100 < large && large < f64::INFINITY => (self / LARGE).over(other / LARGE),
            _ => self / other,
        }
    }
}

/// A power of two. What is smaller than its inverse has no square, or one of few digits; what is larger than it may have none either.
pub(super) const LARGE: f64 = (1_u128 << 120) as f64 * (1_u128 << 120) as f64;
