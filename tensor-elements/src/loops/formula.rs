//! A row's formula as a function on numbers of one type, for loops over single operations and over fused ones.

use crate::element::Element;

/// What an operation computes of numbers of one type.
pub trait Formula {
    /// The type of the operands and the parameters.
    type In: Element;
    /// The type of the result, before it is rounded to the dtype.
    type Out: Element;
    /// How much it costs, compared to an addition.
    const WEIGHT: usize;
    /// Whether it takes sines, cosines or tangents, which are faster for small angles, or what divisions leave, which is for small quotients.
    const HAS_ANGLES: bool = false;

    /// The result; operands and parameters that the operation doesn't have are anything.
    fn at(operands: [Self::In; 3], params: [Self::In; 3]) -> Self::Out;

    /// Whether all angles and quotients are small.
    #[inline(always)]
    fn is_near(_: [Self::In; 3], _: [Self::In; 3]) -> bool {
        true
    }

    /// The result where all of them are.
    #[inline(always)]
    fn near(operands: [Self::In; 3], params: [Self::In; 3]) -> Self::Out {
        Self::at(operands, params)
    }
}
