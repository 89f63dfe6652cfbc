//! Values of expressions that are reduced as they are computed, and never made: where the gradient of the reduction doesn't need their
//! elements, the way back doesn't make them either.

use latten_spec::reduction::Reduction;

use super::backward::{Gradient, Names, Unmade};
use super::derivatives::of_reduction;
use crate::error::Result;
use crate::program;

impl Unmade {
    /// The value of an expression that is reduced; nothing, where it must be made.
    pub(super) fn of(op: Reduction, expression: &program::ProgramCall<'_>) -> Result<Option<Self>> {
        let Gradient::Back(reduction) = *of_reduction(op) else { return Ok(None) };
        if reduction.each.iter().fold(reduction.keeps, |all, names| all.and(*names)) != Names::default() {
            return Ok(None);
        }
        Ok(expression.extent()?.map(|extent| Self { reduction, extent }))
    }
}
