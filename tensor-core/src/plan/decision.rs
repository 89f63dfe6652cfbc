//! What one elementwise call does, decided without data: from dtypes, shapes, strides and devices of operands and output, and from numbers.
//! All checks but those of memory are made here, in PyTorch's order. A decision names its operands by their places, so it can be kept.

use latten_spec::operation::{Becomes, Fit, Outputs, ResultRule, Row, Trait};
use latten_spec::step::{MOST, Task};
use latten_spec::{DType, can_cast};
use smallvec::SmallVec;

use super::{Goal, Outline, Params, RawOperand, Seen, Sizes, rules};
use crate::convert::CastFrom;
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::geometry::broadcast::{broadcast_shapes, check_output_shape};
use crate::geometry::order::{Strided, elementwise_strides};
use crate::geometry::strides::{contiguous_strides, preserve_strides, strides_of_copy};
use crate::geometry::{Dims, numel};
use crate::kernels::operation::{AnyOperation, Argument, Step};
use crate::layout::MemoryFormat;
use crate::scalar::Scalar;
use crate::warning;

/// All that was decided about a call.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    /// What is computed. Its arguments are operands of the call and numbers.
    pub(crate) step: Step,
    /// The sizes of the result.
    pub(crate) sizes: Dims,
    /// The strides of a new result.
    pub(crate) strides: Dims,
    /// Where it is.
    pub(crate) device: Device,
    /// Whether all tensors are row-major and of one shape: then they are walked as one row.
    pub(crate) flat: bool,
    /// Whether the result is the first operand itself.
    pub(crate) itself: bool,
    /// Whether the step is the operation of the call on its own arguments.
    pub(crate) as_written: bool,
}

impl Decision {
    /// A conversion to a dtype, in memory of its own unless it has the dtype.
    pub(crate) fn cast(operand: &Seen<'_>, dtype: DType) -> Result<Self> {
        let (sizes, strides) = operand.strided();
        let (argument, device, itself) = match operand {
            Seen::Tensor(tensor) => (Argument::Operand(0), tensor.device, tensor.dtype == dtype),
            Seen::Number(number) => (Argument::Number(*number), Device::CPU, false),
        };
        let strides = if itself { strides.into() } else { strides_of_copy(MemoryFormat::Preserve, sizes, strides)? };
        let step = Step::conversion(argument, dtype, dtype);
        Ok(Self { step, sizes: sizes.into(), strides, device, flat: false, itself, as_written: true })
    }

    /// The result, without data.
    pub(crate) fn outline(&self) -> Outline<'_> {
        Outline { dtype: self.step.result, sizes: &self.sizes, strides: &self.strides, device: self.device }
    }

    /// Whether it divides integers by elements of a tensor, which may be zero. A number has been looked at.
    pub(crate) fn divides(&self) -> bool {
        let by_number = matches!(self.step.arguments[1], Some((Argument::Number(_), _)));
        let divides = |task: &Task<AnyOperation, Scalar>| task.computing.is_integral() && task.operation.row().is(Trait::Divides);
        !by_number && self.step.task.as_ref().is_some_and(divides)
    }
}

/// Checks the numbers of a call whose operands are computed in that dtype.
#[inline]
pub(crate) fn check_numbers(row: &Row, operands: &[RawOperand<'_>], params: &Params, common: DType) -> Result<()> {
    if row.fit == Fit::No {
        return Ok(());
    }
    let seen: SmallVec<[Seen<'_>; 4]> = operands.iter().map(RawOperand::seen).collect();
    rules::numbers(row, &seen, params, common)
}

/// Checks a call. `overlaps` looks at memory, where that has its turn.
pub(crate) fn decide(
    operation: AnyOperation,
    given: &[Seen<'_>],
    goal: &Goal<'_>,
    params: &Params,
    overlaps: &mut dyn FnMut() -> Result<()>,
) -> Result<Decision> {
    let row = operation.row();
    if given.len() != row.operands.len() {
        return Err(Error::type_error(format!("{} takes {} operands, but got {}", row.name, row.operands.len(), given.len())));
    }
    if let (Some(op), [x, y]) = (row.reversed, given) {
        let mut decision = decide(op.into(), &[*y, *x], goal, params, overlaps)?;
        decision.step = decision.step.with_arguments(|argument| match argument {
            Argument::Operand(index) => Argument::Operand(1 - index),
            other => other,
        });
        decision.as_written = false;
        return Ok(decision);
    }
    rules::refuse(row, given, goal, params, true)?;
    let bounded = rules::bounds(row, given, goal)?;
    let (operands, common) = match &bounded {
        Some((bounded, common)) => (bounded.as_slice(), Ok(*common)),
        None => (given, rules::common_dtype(row, given)),
    };
    rules::refuse(row, operands, goal, params, false)?;
    rules::before(row, operands, goal, &common)?;
    overlaps()?;
    let mut call =
        OpenCall { operation, row, operands, goal, other: rules::is_other(row, operands, params), flat: false, sizes: Dims::new() };
    call.broadcast()?;
    let device = device(operands, goal)?;
    let common = common?;
    call.check_output_dtype(common)?;
    let (step, itself) = call.step(common, params)?;
    if let Some(Argument::Number(divisor)) = step.arguments[1].map(|(argument, _)| argument) {
        call.check_divisor(&step, divisor, device)?;
    }
    let strides = match operands {
        [Seen::Tensor(tensor), ..] if itself => tensor.strides.into(),
        _ if call.needs_strides() => call.strides(common)?,
        _ => Dims::new(),
    };
    let own = itself || step.task.as_ref().is_some_and(|task| task.operation.is_same(operation));
    let as_written = own && operands.iter().zip(given).all(|(bounded, given)| bounded.number() == given.number());
    Ok(Decision { step, sizes: call.sizes, strides, device, flat: call.flat, itself, as_written })
}

/// A call while it is decided.
struct OpenCall<'c> {
    operation: AnyOperation,
    row: &'static Row,
    operands: &'c [Seen<'c>],
    goal: &'c Goal<'c>,
    other: bool,
    flat: bool,
    sizes: Dims,
}

impl OpenCall<'_> {
    fn broadcast(&mut self) -> Result<()> {
        if let Some(sizes) = flat(self.operands, self.goal) {
            (self.flat, self.sizes) = (true, Dims::from_slice(sizes));
            return Ok(());
        }
        let shapes: SmallVec<[&[usize]; 4]> = self.operands.iter().map(|operand| operand.strided().0).collect();
        self.sizes = broadcast_shapes(&shapes)?;
        warning::broadcasting(&shapes);
        numel(&self.sizes)?;
        match self.goal {
            Goal::InPlace(output) | Goal::Out(output, Sizes::Fixed) => check_output_shape(output.sizes, &self.sizes),
            Goal::New | Goal::Out(_, Sizes::Free) => Ok(()),
        }
    }

    fn check_output_dtype(&self, common: DType) -> Result<()> {
        let Some(output) = self.goal.output().map(|output| output.dtype) else { return Ok(()) };
        let result = self.row.result(common);
        let same = match self.row.outputs {
            Outputs::Any | Outputs::Exact { .. } => return Ok(()),
            Outputs::Castable => false,
            // The modulus of a complex number goes into other real dtypes.
            Outputs::Same => result == common || output.is_complex(),
            Outputs::SameWithNumbers => self.other,
            Outputs::SameWithTensors => !self.other,
        };
        if same && output != common {
            let (found, expected) = (output.message_name(), common.message_name());
            return Err(Error::runtime(format!("Found dtype {found} but expected {expected}")));
        }
        check_cast(result, output)
    }

    /// What is computed, and whether that is nothing.
    fn step(&self, common: DType, params: &Params) -> Result<(Step, bool)> {
        let result = self.row.result(common);
        let first = self.argument(0);
        if let ([Seen::Tensor(tensor)], Goal::New) = (self.operands, self.goal)
            && self.row.is(Trait::Itself)
            && self.row.formula(tensor.dtype.category()) == Some("x")
        {
            return Ok((Step::conversion(first, result, result), true));
        }
        let (operation, params) = match rules::simpler(self.row, self.operands, common) {
            Some(Becomes::Ones) => return Ok((Step::conversion(Argument::Number(Scalar::Int(1)), result, result), false)),
            Some(Becomes::First) => return Ok((Step::conversion(first, common, result), false)),
            Some(Becomes::Unary(op)) => (op.into(), [None; MOST]),
            None => {
                rules::numbers(self.row, self.operands, params, common)?;
                (self.operation, params.numbers(self.row, result)?)
            }
        };
        let row = operation.row();
        if !row.computes(common) {
            return Err(Error::not_implemented(row.unsupported(common, self.other)));
        }
        let mut arguments = [None; MOST];
        for (i, argument) in arguments.iter_mut().take(row.operands.len()).enumerate() {
            *argument = Some((self.argument(i), self.conversion(row, i, common)));
        }
        let computing = common.computing();
        let gives = match row.result {
            ResultRule::Bool => DType::Bool,
            ResultRule::Real | ResultRule::RealFloat => computing.to_real(),
            _ => computing,
        };
        Ok((Step { task: Some(Task { operation, params, computing, gives }), arguments, result }, false))
    }

    fn argument(&self, index: usize) -> Argument {
        match self.operands[index] {
            Seen::Tensor(_) => Argument::Operand(index),
            Seen::Number(number) => Argument::Number(number),
        }
    }

    /// The dtypes that an operand becomes on its way to the kernel: what it is rounded to, and what the kernel takes.
    fn conversion(&self, row: &Row, index: usize, common: DType) -> [DType; 2] {
        let dtype = row.operand(index, common);
        let exact = row.is(Trait::ExactScalars) && self.operands[index].strided().0.is_empty() && !common.is_complex();
        [if exact { dtype.computing() } else { dtype }, dtype.computing()]
    }

    /// Integers are divided by zero before anything is written, that is: not at all.
    fn check_divisor(&self, step: &Step, divisor: Scalar, device: Device) -> Result<()> {
        let Some(task) = step.task.as_ref().filter(|task| task.operation.row().is(Trait::Divides)) else { return Ok(()) };
        let looks = task.computing.is_integral() && !self.sizes.contains(&0) && device.kind() != DeviceType::Meta;
        if looks && is_zero(divisor, task.computing) { Err(zero_division()) } else { Ok(()) }
    }

    /// Whether somebody asks for the strides of a new result.
    fn needs_strides(&self) -> bool {
        match self.goal {
            Goal::New => true,
            Goal::InPlace(_) => false,
            Goal::Out(output, _) => *output.sizes != *self.sizes,
        }
    }

    /// The strides of a new result. Operands of another dtype count with the strides of their conversion.
    fn strides(&self, common: DType) -> Result<Dims> {
        // PyTorch makes some outputs before it looks at the operands' strides.
        let number_first = self.operands.first().is_some_and(|operand| operand.number().is_some());
        let row_major =
            self.row.is(Trait::RowMajorOfNumber) && number_first || self.row.is(Trait::RowMajorOfComplex) && common.is_complex();
        if self.flat || row_major {
            return Ok(contiguous_strides(&self.sizes));
        }
        let converted = |(i, operand): (usize, &Seen<'_>)| {
            let tensor = operand.tensor().filter(|tensor| tensor.dtype != self.row.operand(i, common))?;
            Some(preserve_strides(tensor.sizes, tensor.strides))
        };
        let converted: SmallVec<[Option<Dims>; 4]> = self.operands.iter().enumerate().map(converted).collect();
        let mut operands: SmallVec<[Strided<'_>; 4]> = SmallVec::new();
        for (operand, converted) in self.operands.iter().zip(&converted) {
            let (sizes, strides) = operand.strided();
            operands.push((sizes, converted.as_deref().unwrap_or(strides)));
        }
        Ok(elementwise_strides(&self.sizes, &operands))
    }
}

/// Whether a number is zero in an integral dtype, where large ones wrap around.
pub(super) fn is_zero(number: Scalar, dtype: DType) -> bool {
    let bits = 8 * dtype.itemsize();
    i64::cast_from(number).cast_unsigned() << (64 - bits.min(64)) == 0
}

/// What PyTorch says of an integer that is divided by zero.
pub(super) fn zero_division() -> Error {
    Error::runtime("ZeroDivisionError")
}

/// That a result may be stored in an output.
pub(crate) fn check_cast(result: DType, output: DType) -> Result<()> {
    if can_cast(result, output) {
        return Ok(());
    }
    let (result, output) = (result.message_name(), output.message_name());
    Err(Error::runtime(format!("result type {result} can't be cast to the desired output type {output}")))
}

/// The shape of the operands and of the output, where all tensors have it, with elements, and are row-major.
fn flat<'a>(operands: &[Seen<'a>], goal: &Goal<'a>) -> Option<&'a [usize]> {
    let mut tensors = goal.output().into_iter().chain(operands.iter().filter_map(Seen::tensor));
    let first = *tensors.next()?;
    let mut step = 1;
    let row_major = first.sizes.iter().zip(first.strides).rev().all(|(&size, &stride)| {
        let fits = stride == step && size > 0;
        // Sizes beside a size of 0 may be any numbers.
        step = step.saturating_mul(size);
        fits
    });
    (row_major && tensors.all(|tensor| tensor.sizes == first.sizes && tensor.strides == first.strides)).then_some(first.sizes)
}

/// The device of the result. A cpu tensor without dimensions goes with any.
fn device(operands: &[Seen<'_>], goal: &Goal<'_>) -> Result<Device> {
    let output = goal.output();
    let tensors = || output.into_iter().chain(operands.iter().filter_map(Seen::tensor));
    let moves = |tensor: &&Outline<'_>| tensor.sizes.is_empty() && tensor.device.kind() == DeviceType::Cpu;
    let Some(first) = tensors().find(|tensor| !moves(tensor)) else { return Ok(Device::CPU) };
    let cuda = |tensor: &Outline<'_>| tensor.device.kind() == DeviceType::Cuda;
    // An output stays where it is.
    let stays = output.filter(|output| cuda(first) && moves(output));
    match stays.or_else(|| tensors().find(|tensor| !moves(tensor) && tensor.device != first.device)) {
        Some(other) if cuda(first) || cuda(other) => Err(Error::runtime(format!(
            "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
            first.device, other.device
        ))),
        Some(other) => Err(Error::runtime(format!("Tensor on device {} is not on the expected device {}!", other.device, first.device))),
        None => Ok(first.device),
    }
}
