//! Random numbers from a counter: what is drawn by a generator whose words come from Philox, as programs over the places of elements. They run on
//! the device of the tensor, in one pass, and give the same numbers on every one.

use std::f64::consts::{PI, TAU};

use latten_spec::DType;
use latten_spec::operation::Op;

use super::fill::{drawing_order, has_data};
use super::generator::Generator;
use super::philox::{BELOW, WORD};
use crate::elementwise::Params;
use crate::error::Result;
use crate::geometry::overlap::check_output_overlap;
use crate::program::{AnyOperation, Argument, Program};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// What a program is made of while its numbers are described.
pub(super) struct Draw {
    program: Program,
    seed: u64,
    first: u64,
}

/// Fills a tensor with what a program gives, in the order of its memory, where its generator counts; says whether it does.
///
/// # Errors
/// Where elements overlap, where the generator doesn't reach the device, and where this fails.
pub(super) fn fill(tensor: &RawTensor, generator: Option<&Generator>, numbers: &dyn Fn(&mut Draw) -> Argument) -> Result<bool> {
    fill_by(tensor, &[], generator, numbers)
}

/// The same, computed with tensors of the same sizes.
///
/// # Errors
/// As [`fill`].
pub(super) fn fill_by(
    tensor: &RawTensor,
    operands: &[&RawTensor],
    generator: Option<&Generator>,
    numbers: &dyn Fn(&mut Draw) -> Argument,
) -> Result<bool> {
    if !Generator::counts(generator, tensor.device())? {
        return Ok(false);
    }
    check_output_overlap(tensor.geometry())?;
    if !has_data(tensor) {
        return Ok(true);
    }
    let order = drawing_order(tensor, operands);
    let operands = operands.iter().map(|operand| operand.permute(&order)).collect::<Result<Vec<_>>>()?;
    let (seed, first) = Generator::count(generator, tensor.device(), tensor.numel() as u64)?;
    let mut draw = Draw { program: Program::new(), seed, first };
    let result = numbers(&mut draw);
    draw.program.cast(tensor.dtype(), result);
    draw.program.run_into(&operands.iter().collect::<Vec<_>>(), &tensor.permute(&order)?)?;
    Ok(true)
}

impl Draw {
    pub(super) fn apply(&mut self, op: Op, arguments: &[Argument]) -> Argument {
        self.program.apply(op, arguments, Params::none())
    }

    pub(super) fn cast(&mut self, dtype: DType, argument: Argument) -> Argument {
        self.program.cast(dtype, argument)
    }

    /// `scale · x + shift`, with one rounding.
    pub(super) fn scaled(&mut self, x: Argument, scale: f64, shift: f64) -> Argument {
        self.program.apply(Op::Add, &[shift.into(), x], Params::one(scale))
    }

    /// The word of each place; there are two.
    fn word(&mut self, second: bool) -> Argument {
        let [seed, first] = [self.seed, self.first].map(|number| Scalar::Int(number.cast_signed()));
        self.program.apply(AnyOperation::Own(&WORD), &[Argument::Index], Params::all(&[Some(seed), Some(first), Some(second.into())]))
    }

    /// The low bits of a word.
    fn bits(&mut self, second: bool, count: u32) -> Argument {
        let word = self.word(second);
        self.apply(Op::BitwiseAnd, &[word, ((1_i64 << count) - 1).into()])
    }

    /// All bits of a word.
    pub(super) fn whole(&mut self) -> Argument {
        self.word(false)
    }

    /// One of `count` integers from `first` on.
    pub(super) fn integer(&mut self, first: i64, count: u64) -> Argument {
        let word = self.word(false);
        let numbers = [Scalar::Int(count.cast_signed()), Scalar::Int(first)];
        self.program.apply(AnyOperation::Own(&BELOW), &[word], Params::all(&numbers.map(Some)))
    }

    /// What happens with that probability.
    pub(super) fn truth(&mut self, probability: f64) -> Argument {
        let uniform = self.bits(false, 53);
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^53")]
        let end = Scalar::Int((probability * 9_007_199_254_740_992.0).ceil() as i64);
        self.apply(Op::Lt, &[uniform, Argument::Number(end)])
    }

    /// A uniform number below 1, of 53 bits for `f64` and 24 for what is computed in `f32`.
    pub(super) fn uniform(&mut self, wide: DType) -> Argument {
        self.share(wide, false, false)
    }

    /// The same, or of the numbers from above 0 up to 1, which have a logarithm; the bits may be the second word's.
    fn share(&mut self, wide: DType, second: bool, above_zero: bool) -> Argument {
        let count = match (wide, above_zero) {
            (DType::F64, _) => 53,
            // others: computed in single precision. Rounding may make 1 of the greatest.
            (_, true) => 32,
            // others: as many as single precision has.
            (_, false) => 24,
        };
        let bits = self.bits(second, count);
        let bits = if above_zero { self.apply(Op::Add, &[bits, 1.into()]) } else { bits };
        let number = self.cast(wide, bits);
        self.apply(Op::Mul, &[number, (-f64::from(count)).exp2().into()])
    }

    /// A uniform number from `low` up to `high`, and without it.
    pub(super) fn uniform_between(&mut self, dtype: DType, low: f64, high: f64) -> Argument {
        let wide = dtype.computing();
        let uniform = self.uniform(wide);
        #[expect(clippy::cast_possible_truncation, reason = "the dtype of the computation")]
        let span = if wide == DType::F64 { high - low } else { f64::from(high as f32 - low as f32) };
        let stretched = self.scaled(uniform, span, low);
        let rounded = self.cast(dtype, stretched);
        let at_end = self.apply(Op::Eq, &[rounded, high.into()]);
        self.apply(Op::Where, &[at_end, low.into(), rounded])
    }

    /// A normal number, by Box and Muller's transform; of each pair the first.
    pub(super) fn normal(&mut self, wide: DType, mean: f64, deviation: f64) -> Argument {
        let share = self.share(wide, false, true);
        let log = self.apply(Op::Log, &[share]);
        let square = self.apply(Op::Mul, &[log, (-2.0).into()]);
        let radius = self.apply(Op::Sqrt, &[square]);
        let turn = self.share(wide, true, false);
        let angle = self.apply(Op::Mul, &[turn, TAU.into()]);
        let cosine = self.apply(Op::Cos, &[angle]);
        let normal = self.apply(Op::Mul, &[radius, cosine]);
        self.scaled(normal, deviation, mean)
    }

    /// A number whose logarithm of the share above it falls with `rate`.
    pub(super) fn exponential(&mut self, rate: f64) -> Argument {
        let uniform = self.uniform(DType::F64);
        let below = self.apply(Op::Neg, &[uniform]);
        let log = self.apply(Op::Log1p, &[below]);
        self.apply(Op::Mul, &[log, (-1.0 / rate).into()])
    }

    /// A number of Cauchy's distribution.
    pub(super) fn cauchy(&mut self, median: f64, sigma: f64) -> Argument {
        let uniform = self.uniform(DType::F64);
        let middle = self.apply(Op::Sub, &[uniform, 0.5.into()]);
        let angle = self.apply(Op::Mul, &[middle, PI.into()]);
        let tangent = self.apply(Op::Tan, &[angle]);
        self.scaled(tangent, sigma, median)
    }

    /// The number of trials until the first success.
    pub(super) fn trials(&mut self, probability: f64) -> Argument {
        let uniform = self.uniform(DType::F64);
        let log = self.apply(Op::Log, &[uniform]);
        let trials = self.apply(Op::Div, &[log, (-probability).ln_1p().into()]);
        self.apply(Op::Ceil, &[trials])
    }
}
