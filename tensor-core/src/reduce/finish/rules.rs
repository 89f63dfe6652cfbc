//! The folds of the rows of the table, for each kind of number that elements are read as.

use latten_spec::DType;
use latten_spec::reduction::Reduction;
use num_complex::Complex;

use super::super::extremes::{FirstGreatest, FirstLeast, Greatest, Least};
use super::super::fold::{Accumulator, FoldTerm, Rule};
use super::super::spread::{Exponentials, Moments};
use super::super::sums::{Count, Product, Some, Sum, Summed, counted};
use super::DecidedReduction;
use crate::error::Result;
use crate::kernels::vocabulary::{Analytic, Arithmetic, Complexity, Floating, Magnitude, Power, constant};

latten_macros::reduction_folds! {}
