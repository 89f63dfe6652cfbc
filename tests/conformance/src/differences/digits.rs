//! Last digits: a program runs again with operands in double precision, and neither answer may be far from what that gives.

use std::collections::BTreeMap;

use latten::prelude::*;

use super::call::{complex, numbers_of};
use crate::case::{Case, Expected};
use crate::compare::{elements, places_unlike};
use crate::run::{self, Failed, Reason};
use crate::value::Value;

/// How many times PyTorch's distance, at its largest, an element of ours may be away.
const TIMES: f64 = 4.0;
/// The part of the largest element that PyTorch's answer may be away. What is further isn't rounding.
const ROUNDING: f64 = 1.0 / 65536.0;

/// The same numbers in twice the precision; nothing for other dtypes.
fn widened(tensor: &DynTensor) -> Option<DynTensor> {
    match tensor.dtype() {
        DType::F32 => tensor.to_dtype(DType::F64).ok(),
        DType::C64 => tensor.to_dtype(DType::C128).ok(),
        _ => None,
    }
}

/// What the names hold after a program whose operands have twice the precision; its outputs have room for what they get.
fn in_double(case: &Case) -> Option<BTreeMap<String, Value>> {
    if case.inputs.values().any(|input| input.view_of.is_some()) {
        return None;
    }
    run::after_change(case, case.steps.len(), |names| {
        for value in names.values_mut() {
            if let Value::Tensor(tensor) = value
                && let Some(wide) = widened(tensor)
            {
                *value = wide.into();
            }
        }
    })
}

/// All that is different are last digits of `float32`: PyTorch's answer is as near to what double precision gives as rounding explains, and
/// ours is no further from it than a few times that, or than one unit.
pub(super) fn are_as_near(case: &Case, failed: &Failed) -> bool {
    let Reason::Different(found) = &failed.reason else { return false };
    let Some(wide) = in_double(case) else { return false };
    found.iter().all(|difference| difference.what == "elements" && is_as_near(case, failed, &wide, &difference.of).unwrap_or(false))
}

fn is_as_near(case: &Case, failed: &Failed, wide: &BTreeMap<String, Value>, name: &str) -> Option<bool> {
    let (Value::Tensor(got), Value::Tensor(exact)) = (failed.names.get(name)?, wide.get(name)?) else { return None };
    let Expected::Tensor(expected) = case.expect.names.get(name)? else { return None };
    let unlike: Vec<usize> = places_unlike(got.dtype(), &elements(got).ok()?, &expected.data.0, case.tol).collect();
    let (got, expected, exact) = (numbers_of(got)?, complex(got.dtype(), &expected.data.0), numbers_of(exact)?);
    if exact.len() != got.len() {
        return None;
    }
    let away = |numbers: &[Complex<f64>], at: usize| (numbers[at] - exact[at]).norm();
    let largest = |number: &dyn Fn(usize) -> f64| (0..exact.len()).map(number).fold(0.0, f64::max);
    let (theirs, size) = (largest(&|at| away(&expected, at)), largest(&|at| exact[at].norm()));
    let is_near = |at: usize| away(&got, at) <= (TIMES * theirs).max(f64::from(f32::EPSILON) * exact[at].norm());
    Some(size.is_finite() && theirs <= ROUNDING * size && unlike.into_iter().all(is_near))
}
