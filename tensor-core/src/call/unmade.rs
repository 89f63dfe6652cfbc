//! Values of expressions that are reduced as they are computed, and never made: where the gradient of the reduction doesn't need their
//! elements, the way back doesn't make them either.

use latten_spec::reduction::Reduction;

use super::argument::Argument;
use super::backward::{Back, Backward, Gradient, Names};
use super::cast;
use super::derivatives::of_reduction;
use crate::error::{Error, Result};
use crate::program;
use crate::raw::RawTensor;
use crate::raw::history::Extent;

/// What is known of a value that was reduced.
#[derive(Clone, Debug)]
pub(crate) struct Unmade {
    reduction: Back,
    extent: Extent,
}

impl Unmade {
    /// The value of an expression that is reduced; nothing, where it must be made.
    pub(super) fn of(op: Reduction, expression: &program::Call<'_>) -> Result<Option<Self>> {
        let Gradient::Back(reduction) = *of_reduction(op) else { return Ok(None) };
        if reduction.each.iter().fold(reduction.keeps, |all, names| all.and(*names)) != Names::default() {
            return Ok(None);
        }
        Ok(expression.extent()?.map(|extent| Self { reduction, extent }))
    }

    /// The name of the node.
    pub(super) fn node(&self, dims: Option<&[isize]>) -> &'static str {
        let arguments: Vec<Argument<'_>> = [Argument::None].into_iter().chain(dims.map(Argument::Ints)).collect();
        (self.reduction.name)(&arguments)
    }

    /// The gradient of the value, from that of what it was reduced to.
    pub(super) fn gradient(&self, backward: &Backward<'_>) -> Result<RawTensor> {
        let value = self.extent.outline()?;
        let arguments = [Argument::Tensor(&value)];
        let found =
            (self.reduction.function)(&Backward { arguments: &arguments, program: None, unmade: None, wanted: &[true], ..*backward })?;
        let missing = || Error::runtime("a reduction gives no gradient");
        cast(&found.into_iter().next().flatten().ok_or_else(missing)?, self.extent.dtype)
    }
}
