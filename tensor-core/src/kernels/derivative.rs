//! Derivatives of elementwise operations as data: which operations of the table give the gradients of the operands, from the gradient of the
//! result, the operands, the result and the parameters. They follow from the rows; nothing here is compiled for a dtype.
#![expect(clippy::approx_constant, reason = "formulas write their own constants, in more digits than any dtype has")]

use latten_spec::operation::Op;
pub use latten_spec::operation::Part;

/// The gradients of all operands, for one category of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Formulas {
    /// All parts; a step comes after what it takes.
    pub parts: &'static [Part],
    /// Which part is the gradient of each operand. Without one it is zero.
    pub gradients: &'static [Option<usize>],
}

impl Formulas {
    /// Those of an operation that has no kernel for the category.
    pub const NONE: Self = Self { parts: &[], gradients: &[] };

    /// Which part is the gradient of an operand.
    pub(crate) fn gradient(&self, operand: usize) -> Option<usize> {
        self.gradients.get(operand).copied().flatten()
    }

    /// Whether the gradient of an operand is made of such a part.
    pub(crate) fn uses(&self, operand: usize, part: Part) -> bool {
        self.gradient(operand).is_some_and(|place| self.reaches(place, part))
    }

    fn reaches(&self, place: usize, wanted: Part) -> bool {
        match self.parts[place] {
            Part::Step(_, arguments) => arguments.into_iter().flatten().any(|argument| self.reaches(argument, wanted)),
            part => part == wanted,
        }
    }
}

/// The derivative of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Derivative {
    /// Of real numbers.
    pub floating: Formulas,
    /// Of complex numbers.
    pub complex: Formulas,
    /// Of real numbers where the operands after the first are numbers, if that is otherwise.
    pub beside_numbers: Option<Formulas>,
}

impl Derivative {
    /// That of an operation whose results have no gradient.
    pub const NONE: Self = Self { floating: Formulas::NONE, complex: Formulas::NONE, beside_numbers: None };

    /// The formulas for a call: whether it computes with complex numbers, and whether all its operands after the first are numbers.
    pub(crate) fn formulas(&self, complex: bool, beside_numbers: bool) -> &Formulas {
        match (&self.beside_numbers, complex) {
            (_, true) => &self.complex,
            (Some(formulas), false) if beside_numbers => formulas,
            _ => &self.floating,
        }
    }
}

latten_macros::derivatives!();
