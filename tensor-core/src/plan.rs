//! The plan: one object that does what PyTorch's TensorIterator does. It checks the output's overlaps, finds shape, device, dtype and strides of
//! the result, in PyTorch's order, and then runs a kernel over as few dimensions as it can.

use latten_spec::lattice::join;
use latten_spec::operation::{Op, ResultRule, Row, Trait};
use latten_spec::{DType, Level, can_cast};
use smallvec::SmallVec;

use crate::copy::{grid, lane, threads};
use crate::device::{Device, DeviceType};
use crate::dtype::promotion_default;
use crate::error::{Error, Result};
use crate::geometry::broadcast::{broadcast_shapes, broadcast_strides, check_output_shape};
use crate::geometry::merge::Merged;
use crate::geometry::order::{Strided, elementwise_output};
use crate::geometry::overlap::{Relation, check_output_overlap, partial_overlap_error};
use crate::geometry::strides::{contiguous_strides, preserve_strides};
use crate::geometry::{Dims, numel};
use crate::kernels::block::{Compute, Input, Lane, Literal, Loop, Output, Sharing, Threads};
use crate::kernels::run::{Kernel, OPERANDS};
use crate::kernels::{kernel, pair_kernel};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};
use crate::{launch, strictness, warning};

/// What an operation computes with.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A tensor.
    Tensor(&'a RawTensor),
    /// A number without dtype.
    Scalar(Scalar),
}

impl<'a> Operand<'a> {
    /// The tensor, where it is one.
    #[must_use]
    pub fn tensor(&self) -> Option<&'a RawTensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Scalar(_) => None,
        }
    }

    /// What promotion sees of it.
    #[must_use]
    pub fn promoting(&self) -> (Level, DType) {
        match self {
            Self::Tensor(tensor) => (if tensor.rank() == 0 { Level::ZeroDim } else { Level::Dimensioned }, tensor.dtype()),
            Self::Scalar(scalar) => (Level::Wrapped, scalar.dtype(promotion_default())),
        }
    }

    /// Sizes and strides; a number has no dimensions.
    fn strided(&self) -> Strided<'_> {
        self.tensor().map_or((&[], &[]), |tensor| (tensor.sizes(), tensor.strides()))
    }

    /// Whether it is one number, whatever the shape of the result.
    fn is_number(&self) -> bool {
        self.tensor().is_none_or(|tensor| tensor.rank() == 0)
    }
}

impl<'a> From<&'a RawTensor> for Operand<'a> {
    fn from(tensor: &'a RawTensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl<S: Into<Scalar>> From<S> for Operand<'_> {
    fn from(scalar: S) -> Self {
        Self::Scalar(scalar.into())
    }
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Into a new tensor.
    New,
    /// Into the first operand.
    InPlace(&'a RawTensor),
    /// Into a tensor that is resized if it must, where it may have those sizes.
    Out(&'a RawTensor, fn(&[usize]) -> Result<()>),
}

impl<'a> Target<'a> {
    pub(crate) fn tensor(self) -> Option<&'a RawTensor> {
        match self {
            Self::New => None,
            Self::InPlace(tensor) | Self::Out(tensor, _) => Some(tensor),
        }
    }
}

/// An operation of a user's, by `#[kernel]`.
#[derive(Debug)]
pub struct Own {
    /// What a row of the table says of one.
    pub row: Row,
    /// Its loops.
    #[doc(hidden)]
    pub kernel: fn(DType) -> Option<Kernel>,
    /// Its device functions for CUDA, one for each category of numbers.
    #[doc(hidden)]
    pub cuda: &'static str,
}

/// An operation of the table, or a user's own.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// Of the table.
    Table(Op),
    /// A user's.
    Own(&'static Own),
}

impl Operation {
    /// What is known of it.
    #[must_use]
    pub fn row(self) -> &'static Row {
        match self {
            Self::Table(op) => op.row(),
            Self::Own(own) => &own.row,
        }
    }

    /// The operation of the table, where it is one.
    #[must_use]
    pub fn op(self) -> Option<Op> {
        match self {
            Self::Table(op) => Some(op),
            Self::Own(_) => None,
        }
    }

    /// The loop on elements of a dtype, where there is one.
    pub(crate) fn kernel(self, computing: DType) -> Option<Kernel> {
        match self {
            Self::Table(op) => kernel(op, computing),
            Self::Own(own) => (own.kernel)(computing),
        }
    }

    /// What the kernels of a CUDA device are made of.
    pub(crate) fn source(self) -> launch::Named {
        match self {
            Self::Table(op) => launch::Named::Table(op),
            Self::Own(own) => launch::Named::Own { name: own.row.name, text: own.cuda },
        }
    }

    /// The error for a dtype that it has no loop for.
    pub(crate) fn unsupported(self, common: DType, numbers: bool) -> Error {
        Error::not_implemented(match self {
            Self::Table(op) => op.unsupported(common, numbers),
            Self::Own(own) => format!("\"{}\" not implemented for '{}'", own.row.kernel, common.message_name()),
        })
    }
}

impl From<Op> for Operation {
    fn from(op: Op) -> Self {
        Self::Table(op)
    }
}

/// All that was decided about one call of an operation before anything is computed.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) operation: Operation,
    pub(crate) operands: SmallVec<[Operand<'a>; 4]>,
    /// How each operand relates to the output's memory.
    relations: SmallVec<[Relation; 4]>,
    target: Target<'a>,
    shape: Dims,
    /// Whether all tensors are row-major and of this shape: then they are walked as one row.
    flat: bool,
    device: Device,
    /// What the operands are converted to.
    pub(crate) common: DType,
    /// What the operation gives; an output of another dtype converts it once more.
    pub(crate) result: DType,
}

/// The dtype of a condition is no part of a promotion, and of `lerp` only the first operand counts.
pub(crate) fn common_dtype(operation: impl Into<Operation>, operands: &[Operand<'_>]) -> Result<DType> {
    let row = operation.into().row();
    let counting = match row.result {
        ResultRule::First => &operands[..1],
        _ if row.is(Trait::Conditional) => &operands[1..],
        _ => operands,
    };
    let promoted = strictness::promote(counting.iter().map(Operand::promoting))?;
    Ok(row.common(promoted, promotion_default()))
}

impl<'a> Plan<'a> {
    /// Checks a call, in PyTorch's order; what is special to an operation was checked before.
    pub(crate) fn new(operation: impl Into<Operation>, operands: &[Operand<'a>], target: Target<'a>) -> Result<Self> {
        let operation = operation.into();
        let relations = relations(operands, target)?;
        let flat = flat(operands, target);
        let shape = if let Some(shape) = flat { Dims::from_slice(shape) } else { broadcast(operands)? };
        if let Some(output) = target.tensor() {
            let fixed = matches!(target, Target::InPlace(_)) || operands.iter().any(|o| o.tensor().is_some_and(|t| t.is_set_to(output)));
            if fixed && flat.is_none() {
                check_output_shape(output.sizes(), &shape)?;
            }
        }
        let device = device(operands, target)?;
        let common = common_dtype(operation, operands)?;
        let result = operation.row().result(common);
        let operands = SmallVec::from_slice(operands);
        let plan = Self { operation, operands, relations, target, shape, flat: flat.is_some(), device, common, result };
        plan.check_output_dtype()?;
        Ok(plan)
    }

    fn check_output_dtype(&self) -> Result<()> {
        let Some(output) = self.target.tensor().map(RawTensor::dtype) else { return Ok(()) };
        let row = self.operation.row();
        if row.is(Trait::AnyOutput) {
            return Ok(());
        }
        let same = match self.operation.op() {
            Some(Op::Lerp) => !self.numbers(),
            _ if row.is(Trait::Bounds) => self.numbers(),
            // The modulus of a complex number goes into other real dtypes.
            _ => row.is(Trait::SameOutput) && (self.result == self.common || output.is_complex()),
        };
        if same && output != self.common {
            let (found, expected) = (output.message_name(), self.common.message_name());
            return Err(Error::runtime(format!("Found dtype {found} but expected {expected}")));
        }
        if !can_cast(self.result, output) {
            let (result, output) = (self.result.message_name(), output.message_name());
            return Err(Error::runtime(format!("result type {result} can't be cast to the desired output type {output}")));
        }
        Ok(())
    }

    /// Whether the operands that bound or weigh the others are numbers.
    fn numbers(&self) -> bool {
        self.operands.iter().skip(if self.operation.op() == Some(Op::Lerp) { 2 } else { 1 }).all(|operand| operand.tensor().is_none())
    }

    fn unsupported(&self) -> Error {
        self.operation.unsupported(self.common, self.numbers())
    }

    /// Computes the result, with parameters in the order of the table's row. The tensor that holds it is new, or the output's.
    pub(crate) fn run(&self, params: &[Scalar]) -> Result<RawTensor> {
        let computing = self.common.computing();
        if !self.operation.row().computes(self.common) {
            return Err(self.unsupported());
        }
        if self.operation.row().is(Trait::Divides) && computing.is_integral() && self.device.kind() != DeviceType::Meta {
            self.check_divisor()?;
        }
        let output = self.output()?;
        if output.is_meta() || self.shape.contains(&0) {
            return Ok(output);
        }
        let threads = match self.target {
            Target::New => Threads::Many,
            Target::InPlace(_) | Target::Out(..) => threads(&output),
        };
        self.compute(&output, params, threads)?;
        Ok(output)
    }

    /// The same call computed by an operation on its first operand alone, without the dtype rules of that operation.
    pub(crate) fn unary(mut self, op: Op) -> Self {
        self.operation = op.into();
        self.operands.truncate(1);
        self.relations.truncate(1);
        self
    }

    /// One number as the result.
    pub(crate) fn fill(&self, number: Scalar) -> Result<RawTensor> {
        let output = self.output()?;
        output.fill_elements(number)?;
        Ok(output)
    }

    /// The first operand as the result.
    pub(crate) fn copy(&self) -> Result<RawTensor> {
        let output = self.output()?;
        match &self.operands[0] {
            Operand::Tensor(tensor) => output.copy_(&tensor.to_dtype(self.common)?)?,
            Operand::Scalar(scalar) => output.fill_elements(*scalar)?,
        }
        Ok(output)
    }

    /// The output: given, given and resized, or new.
    fn output(&self) -> Result<RawTensor> {
        match self.target {
            Target::InPlace(tensor) => Ok(tensor.clone()),
            Target::Out(tensor, _) if tensor.sizes() == &*self.shape => Ok(tensor.clone()),
            Target::Out(tensor, admitted) => {
                admitted(&self.shape)?;
                let mut resized = tensor.clone();
                resized.geometry.strides = self.strides()?;
                resized.geometry.sizes.clone_from(&self.shape);
                resized.fit_storage()?;
                Ok(resized)
            }
            Target::New => RawTensor::empty(&self.shape, &self.strides()?, self.result, self.device),
        }
    }

    /// The strides of a new output. Operands of another dtype count with the strides of their conversion.
    fn strides(&self) -> Result<Dims> {
        if self.flat {
            return Ok(contiguous_strides(&self.shape));
        }
        // PyTorch makes these outputs before it looks at the operands' strides.
        let number_first = self.operands.first().is_some_and(|operand| operand.tensor().is_none());
        let row_major = match self.operation.op() {
            Some(Op::Pow | Op::FloatPower) => number_first,
            Some(Op::Angle) => self.common.is_complex(),
            _ => false,
        };
        if row_major {
            return Ok(contiguous_strides(&self.shape));
        }
        let converted: SmallVec<[Option<Dims>; 4]> = self
            .operands
            .iter()
            .enumerate()
            .map(|(i, operand)| {
                let tensor = operand.tensor().filter(|tensor| tensor.dtype() != self.operand_dtype(i))?;
                Some(preserve_strides(tensor.sizes(), tensor.strides()))
            })
            .collect();
        let operands: SmallVec<[Strided<'_>; 4]> = self
            .operands
            .iter()
            .zip(&converted)
            .map(|(operand, converted)| {
                let (sizes, strides) = operand.strided();
                (sizes, converted.as_deref().unwrap_or(strides))
            })
            .collect();
        Ok(elementwise_output(&operands)?.1)
    }

    /// The dtype that an operand is converted to.
    fn operand_dtype(&self, index: usize) -> DType {
        if index == 0 && self.operation.row().is(Trait::Conditional) { DType::Bool } else { self.common }
    }

    /// Runs the kernel of a CUDA device over all elements. Operands on the host have no dimensions: they are numbers.
    fn launch(&self, output: &RawTensor, params: &[Scalar], operands: &[Operand<'_>], walk: &Walk) -> Result<()> {
        let mut inputs: SmallVec<[launch::Input<'_>; 4]> = SmallVec::new();
        for (i, operand) in operands.iter().enumerate() {
            let (through, to) = self.conversion(i);
            let source = match operand {
                Operand::Scalar(scalar) => launch::Source::Number(*scalar),
                Operand::Tensor(tensor) if tensor.device() == output.device() => launch::Source::Tensor(tensor, walk.strides(i + 1)),
                Operand::Tensor(tensor) => launch::Source::Number(tensor.item()?),
            };
            inputs.push(launch::Input { source, through, to });
        }
        let output = launch::Output { from: self.kernel_result(), through: self.result, tensor: output, strides: walk.strides(0) };
        launch::operation(self.operation.source(), self.common.computing(), walk.sizes(), &inputs, params, &output)
    }

    /// Runs the kernel over all elements.
    fn compute(&self, output: &RawTensor, params: &[Scalar], threads: Threads) -> Result<()> {
        if !self.relations.contains(&Relation::Mixed) {
            return self.compute_with(&self.operands, output, params, threads);
        }
        let copies = self.copies()?;
        let operands: SmallVec<[Operand<'_>; 4]> =
            self.operands.iter().zip(&copies).map(|(operand, copy)| copy.as_ref().map_or(*operand, Operand::Tensor)).collect();
        self.compute_with(&operands, output, params, threads)
    }

    fn compute_with(&self, operands: &[Operand<'_>], output: &RawTensor, params: &[Scalar], threads: Threads) -> Result<()> {
        let walk = self.walk(operands, output);
        if output.is_on_cuda() {
            return self.launch(output, params, operands, &walk);
        }
        let mut read: SmallVec<[&UntypedStorage; 4]> = SmallVec::new();
        for tensor in operands.iter().filter_map(Operand::tensor) {
            read.push(tensor.storage());
        }
        let access = Access::lock(&[output.storage()], &read)?;
        let number = |operand: Option<&Operand<'_>>| match operand {
            Some(Operand::Scalar(scalar)) => Literal::from(*scalar),
            _ => Literal::from(Scalar::Bool(false)),
        };
        let literals: [Literal; OPERANDS] = std::array::from_fn(|i| number(operands.get(i)));
        let pair = self.pair_kernel(operands);
        let mut inputs = SmallVec::new();
        for (i, operand) in operands.iter().enumerate() {
            let (lane, sharing) = match operand.tensor() {
                None => (Lane::number(&literals[i], walk.sizes().len()), Sharing::No),
                Some(tensor) => {
                    let shared = tensor.storage.shares_memory(&output.storage);
                    (lane(&access, tensor, walk.sizes(), walk.strides(i + 1))?, if shared { Sharing::WithOutput } else { Sharing::No })
                }
            };
            if pair.is_some() {
                let dtype = lane.dtype();
                inputs.push(Input { lane, sharing, through: dtype, to: dtype });
                continue;
            }
            let (through, to) = self.conversion(i);
            inputs.push(Input { lane, sharing, through, to });
        }
        let output =
            Output { from: self.kernel_result(), through: self.result, lane: lane(&access, output, walk.sizes(), walk.strides(0))? };
        let kernel = pair.or_else(|| self.operation.kernel(self.common.computing())).ok_or_else(|| self.unsupported())?;
        Loop { sizes: walk.sizes(), inputs, params, compute: Compute::Kernel(kernel), output, threads }.run()
    }

    /// The dtypes that an operand becomes on its way to the kernel: what it is rounded to, and what the kernel takes.
    pub(crate) fn conversion(&self, index: usize) -> (DType, DType) {
        let dtype = self.operand_dtype(index);
        let exact = self.operation.row().is(Trait::ExactScalars) && self.operands[index].is_number() && !self.common.is_complex();
        (if exact { dtype.computing() } else { dtype }, dtype.computing())
    }

    /// The dtype that the kernel gives, before it is rounded to the result's.
    pub(crate) fn kernel_result(&self) -> DType {
        let computing = self.common.computing();
        match self.operation.row().result {
            ResultRule::Bool => DType::Bool,
            ResultRule::Real | ResultRule::RealFloat => computing.to_real(),
            _ => computing,
        }
    }

    /// The kernel that takes the operands in their own dtypes, where there is one.
    fn pair_kernel(&self, operands: &[Operand<'_>]) -> Option<Kernel> {
        let [Operand::Tensor(lhs), Operand::Tensor(rhs)] = operands else { return None };
        // It computes in what the two promote to; where one has no dimensions, that may be another dtype.
        let plain = lhs.dtype != rhs.dtype && join(lhs.dtype, rhs.dtype) == self.common && self.operation.row().is(Trait::Paired);
        if plain { pair_kernel(self.operation.op()?, lhs.dtype, rhs.dtype) } else { None }
    }

    /// How the output and the operands are walked together.
    fn walk(&self, operands: &[Operand<'_>], output: &RawTensor) -> Walk {
        if self.flat {
            return Walk::Row([self.shape.iter().product()]);
        }
        let mut all: SmallVec<[Dims; 4]> = SmallVec::from_iter([output.strides().clone()]);
        all.extend(operands.iter().map(|operand| {
            let (sizes, strides) = operand.strided();
            broadcast_strides(sizes, strides, &self.shape)
        }));
        Walk::Grid(grid(&self.shape, &all))
    }

    /// Copies of the operands that share memory with the output in another order.
    fn copies(&self) -> Result<SmallVec<[Option<RawTensor>; 4]>> {
        let copy = |(operand, relation): (&Operand<'_>, &Relation)| match (operand.tensor(), relation) {
            (Some(tensor), Relation::Mixed) => tensor.clone_as(MemoryFormat::Preserve).map(Some),
            _ => Ok(None),
        };
        self.operands.iter().zip(&self.relations).map(copy).collect()
    }

    /// Integers are divided by zero before anything is written, that is: not at all.
    fn check_divisor(&self) -> Result<()> {
        let [_, divisor] = self.operands.as_slice() else { return Ok(()) };
        if self.shape.contains(&0) {
            return Ok(());
        }
        let divisor = match divisor {
            Operand::Scalar(scalar) => RawTensor::from_scalar(*scalar, self.common)?,
            // To look would be to wait for the device; its kernels give 0 where PyTorch's give anything.
            Operand::Tensor(tensor) if tensor.is_on_cuda() => return Ok(()),
            Operand::Tensor(tensor) => tensor.to_dtype(self.common)?,
        };
        let zeros = Plan::new(Op::LogicalNot, &[Operand::Tensor(&divisor)], Target::New)?.run(&[])?;
        if zeros.any_true()? { Err(Error::runtime("ZeroDivisionError")) } else { Ok(()) }
    }
}

/// The order in which elements are visited.
#[expect(clippy::large_enum_variant, reason = "it lives on the stack for one call, and memory would cost more than its bytes")]
enum Walk {
    /// So many neighbours.
    Row([usize; 1]),
    /// Sizes, and the strides of the output and of each operand.
    Grid(Merged),
}

impl Walk {
    fn sizes(&self) -> &[usize] {
        match self {
            Self::Row(sizes) => sizes,
            Self::Grid(grid) => &grid.sizes,
        }
    }

    fn strides(&self, index: usize) -> &[usize] {
        match self {
            Self::Row(_) => &[1],
            Self::Grid(grid) => &grid.strides[index],
        }
    }
}

/// The shape of the operands and of the output, where all tensors have it, with elements, and are row-major.
pub(crate) fn flat<'a>(operands: &[Operand<'a>], target: Target<'a>) -> Option<&'a [usize]> {
    let mut tensors = target.tensor().into_iter().chain(operands.iter().filter_map(Operand::tensor));
    let first = tensors.next()?;
    let mut step = 1;
    let row_major = first.sizes().iter().zip(first.strides()).rev().all(|(&size, &stride)| {
        let fits = stride == step && size > 0;
        step *= size;
        fits
    });
    (row_major && tensors.all(|tensor| tensor.sizes() == first.sizes() && tensor.strides() == first.strides())).then(|| first.sizes())
}

/// The shape that operands have together.
fn broadcast(operands: &[Operand<'_>]) -> Result<Dims> {
    let shapes: SmallVec<[&[usize]; 4]> = operands.iter().map(|operand| operand.tensor().map_or(&[][..], RawTensor::sizes)).collect();
    let shape = broadcast_shapes(&shapes)?;
    warning::broadcasting(&shapes);
    numel(&shape)?;
    Ok(shape)
}

/// How the operands' memory relates to the output's; PyTorch refuses some of that.
fn relations(operands: &[Operand<'_>], target: Target<'_>) -> Result<SmallVec<[Relation; 4]>> {
    let Some(output) = target.tensor().filter(|output| !output.is_meta()) else {
        return Ok(SmallVec::from_elem(Relation::Disjoint, operands.len()));
    };
    check_output_overlap(output.geometry())?;
    operands.iter().map(|operand| operand.tensor().map_or(Ok(Relation::Disjoint), |input| overlap(input, output))).collect()
}

/// How an input's memory relates to the output's.
pub(crate) fn overlap(input: &RawTensor, output: &RawTensor) -> Result<Relation> {
    match input.relation_to(output) {
        Relation::PartialDense => Err(partial_overlap_error()),
        other => Ok(other),
    }
}

/// The device of the result. A cpu tensor without dimensions goes with any.
pub(crate) fn device(operands: &[Operand<'_>], target: Target<'_>) -> Result<Device> {
    let tensors = || target.tensor().into_iter().chain(operands.iter().filter_map(Operand::tensor));
    let moves = |tensor: &RawTensor| tensor.rank() == 0 && tensor.device().kind() == DeviceType::Cpu;
    let Some(first) = tensors().find(|tensor| !moves(tensor)) else { return Ok(Device::CPU) };
    let cuda = RawTensor::is_on_cuda;
    // An output stays where it is.
    let output = target.tensor().filter(|output| cuda(first) && moves(output));
    match output.or_else(|| tensors().find(|tensor| !moves(tensor) && tensor.device() != first.device())) {
        Some(other) if cuda(first) || cuda(other) => Err(Error::runtime(format!(
            "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
            first.device(),
            other.device()
        ))),
        Some(other) => {
            Err(Error::runtime(format!("Tensor on device {} is not on the expected device {}!", other.device(), first.device())))
        }
        None => Ok(first.device()),
    }
}
