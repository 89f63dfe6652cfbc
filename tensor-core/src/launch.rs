//! Loops over tensors of a CUDA device: the plan and the copies come here where the output is on one. Finds the kernel for the dtypes,
//! chooses how it walks, writes down what it is given, and launches it. In a build without CUDA no tensor is on such a device.

#[cfg(feature = "cuda")]
mod arguments;
#[cfg(feature = "cuda")]
mod fold;
#[cfg(feature = "cuda")]
mod product;
#[cfg(feature = "cuda")]
mod rows;
#[cfg(feature = "cuda")]
mod sort;
#[cfg(feature = "cuda")]
mod places;
#[cfg(feature = "cuda")]
mod walk;

use latten_spec::DType;

use crate::error::Result;
use crate::kernels::operation::Step;
use crate::raw::RawTensor;

/// A tensor, and its strides along a grid.
pub(crate) type OnGrid<'a> = (&'a RawTensor, &'a [usize]);

#[cfg(not(feature = "cuda"))]
mod none {
    use latten_spec::reduction::Reduction;

    use super::{DType, OnGrid, RawTensor, Result, Step};
    use crate::cuda::not_built;

    /// Computes an operation.
    pub(crate) fn operation(_step: &Step, _sizes: &[usize], _operands: &[Option<OnGrid<'_>>], to: OnGrid<'_>) -> Result<()> {
        Err(not_built(to.0.device()))
    }

    /// Computes an expression.
    pub(crate) fn program(
        _steps: &[Step],
        _sizes: &[usize],
        _operands: &[Option<OnGrid<'_>>],
        _places: Option<&[usize]>,
        to: OnGrid<'_>,
        _further: &[(usize, RawTensor)],
    ) -> Result<()> {
        Err(not_built(to.0.device()))
    }

    /// Copies elements.
    pub(crate) fn copy(_sizes: &[usize], _from: (&RawTensor, &[usize]), to: (&RawTensor, &[usize])) -> Result<()> {
        Err(not_built(to.0.device()))
    }

    /// Reduces dimensions.
    pub(crate) fn fold(
        _op: Reduction,
        input: &RawTensor,
        _reduced: &[bool],
        _dtypes: (DType, DType),
        _parameter: Option<f64>,
        _to: &RawTensor,
    ) -> Result<()> {
        Err(not_built(input.device()))
    }

    /// Finds one element along a dimension.
    pub(crate) fn pick(_op: Reduction, input: &RawTensor, _reduced: &[bool], _to: [&RawTensor; 2]) -> Result<()> {
        Err(not_built(input.device()))
    }

    /// Goes along rows.
    pub(crate) fn scan(_op: Reduction, input: &RawTensor, _dim: usize, _to: &RawTensor) -> Result<()> {
        Err(not_built(input.device()))
    }

    /// Goes along rows, and finds places.
    pub(crate) fn scan_places(_op: Reduction, input: &RawTensor, _dim: usize, _to: [&RawTensor; 2]) -> Result<()> {
        Err(not_built(input.device()))
    }

    /// What products are summed in.
    pub(crate) fn product_dtype(dtype: DType) -> DType {
        dtype
    }

    /// Multiplies matrices.
    pub(crate) fn product(left: &RawTensor, _right: &RawTensor, _out: &RawTensor) -> Result<()> {
        Err(not_built(left.device()))
    }

    /// Writes one element everywhere.
    pub(crate) fn fill(_sizes: &[usize], to: (&RawTensor, &[usize]), _element: &[u8]) -> Result<()> {
        Err(not_built(to.0.device()))
    }
}
#[cfg(not(feature = "cuda"))]
pub(crate) use none::{copy, fill, fold, operation, pick, product, product_dtype, program, scan, scan_places};

#[cfg(feature = "cuda")]
pub(crate) use fold::{fold, pick};
#[cfg(feature = "cuda")]
pub(crate) use loops::{copy, fill, operation, program};
#[cfg(feature = "cuda")]
pub(crate) use places::{Far, GridPlaces, Meeting, Named as NamedPlaces, coordinates};
#[cfg(feature = "cuda")]
pub(crate) use product::{product, product_dtype};
#[cfg(feature = "cuda")]
pub(crate) use rows::{scan, scan_places};
#[cfg(feature = "cuda")]
pub(crate) use sort::sort;

#[cfg(feature = "cuda")]
mod loops {
    use latten_kernel::kernels::source;
    use latten_spec::step;
    use smallvec::SmallVec;

    use super::arguments::{DeviceLane, Launch, NUMBER};
    use super::{DType, OnGrid, RawTensor, Result, Step};
    use crate::convert::CastFrom;
    use crate::cuda::library::{Key, LoadedKernel};
    use crate::cuda::{Context, FUNCTIONS};
    use crate::element::{Native, unsupported};
    use crate::error::Error;
    use crate::kernels::operation::{AnyOperation, Argument};
    use crate::match_dtype;
    use crate::scalar::Scalar;
    use crate::storage::{Access, LockMode, UntypedStorage};

    /// Computes one operation over a grid, innermost dimension first.
    ///
    /// # Errors
    /// Where a tensor reaches beyond its storage, where there is no kernel, and where the device refuses.
    pub(crate) fn operation(step: &Step, sizes: &[usize], tensors: &[Option<OnGrid<'_>>], to: OnGrid<'_>) -> Result<()> {
        let Some(task) = &step.task else { return program(&[*step], sizes, tensors, None, to, &[]) };
        let mut operands = [None; step::MOST];
        let mut numbers: SmallVec<[[u8; NUMBER]; 4]> = SmallVec::new();
        let mut read: SmallVec<[OnGrid<'_>; 3]> = SmallVec::new();
        for (operand, (argument, [through, to])) in operands.iter_mut().zip(step.arguments()) {
            *operand = Some(match argument {
                Argument::Operand(index) => {
                    let along = tensor(tensors, index)?;
                    read.push(along);
                    source::KernelOperand { memory: Some(along.0.dtype()), through, to }
                }
                // A number is rounded here: kernels for it are the same whatever it went through.
                Argument::Number(scalar) => {
                    numbers.push(number(scalar, through, to)?);
                    source::KernelOperand { memory: None, through: to, to }
                }
                Argument::Step(_) | Argument::Index => {
                    return Err(Error::type_error("a single operation has no earlier steps, and no places of elements"));
                }
            });
        }
        for param in step.params() {
            numbers.push(number(param, task.computing, task.computing)?);
        }
        let key = Key::Operation {
            function: function(task.operation, task.computing)?,
            params: step.params().count(),
            computing: task.computing,
            operands,
            output: source::KernelOutput { from: task.gives, through: step.result, memory: to.0.dtype() },
        };
        run(key, sizes, to, &read, &numbers)
    }

    fn tensor<'a>(tensors: &[Option<OnGrid<'a>>], index: usize) -> Result<OnGrid<'a>> {
        tensors.get(index).copied().flatten().ok_or_else(|| Error::type_error(format!("there is no operand {index}")))
    }

    /// The device function of an operation.
    fn function(operation: AnyOperation, computing: DType) -> Result<source::KernelFunction> {
        let function = match operation {
            AnyOperation::Table(op) => source::KernelFunction::of(&FUNCTIONS, op, computing.category()),
            AnyOperation::Own(own) => Some(source::KernelFunction::own(own.row.name, own.cuda, computing.category())),
        };
        function.ok_or_else(|| Error::not_implemented(format!("{} has no CUDA kernel for {computing:?}", operation.row().name)))
    }

    /// Computes a whole expression in one kernel. Where it takes the places of elements, these have strides along the grid, too.
    ///
    /// # Errors
    /// As [`operation`].
    pub(crate) fn program(
        steps: &[Step],
        sizes: &[usize],
        tensors: &[Option<OnGrid<'_>>],
        places: Option<&[usize]>,
        to: OnGrid<'_>,
        further: &[(usize, RawTensor)],
    ) -> Result<()> {
        let mut numbers: Vec<[u8; NUMBER]> = Vec::new();
        let mut written = Vec::new();
        for step in steps {
            let mut arguments = [None; step::MOST];
            for (place, (argument, [through, to])) in arguments.iter_mut().zip(step.arguments()) {
                let argument = match argument {
                    // Operands that aren't read are no arguments of the kernel.
                    Argument::Operand(at) => step::Argument::Operand(tensors[..at].iter().flatten().count()),
                    Argument::Step(at) => step::Argument::Step(at),
                    Argument::Index => step::Argument::Index,
                    Argument::Number(scalar) => {
                        numbers.push(number(scalar, through, to)?);
                        step::Argument::Number(())
                    }
                };
                *place = Some((argument, [through, to]));
            }
            let task = match &step.task {
                None => None,
                Some(task) => {
                    for param in step.params() {
                        numbers.push(number(param, task.computing, task.computing)?);
                    }
                    let (operation, params) = (function(task.operation, task.computing)?, task.params.map(|param| param.map(|_| ())));
                    Some(step::Task { operation, params, computing: task.computing, gives: task.gives })
                }
            };
            written.push(source::Step { task, arguments, result: step.result });
        }
        let read: SmallVec<[OnGrid<'_>; 8]> = tensors.iter().copied().flatten().collect();
        let dtypes: Vec<DType> = read.iter().map(|(tensor, _)| tensor.dtype()).collect();
        let more = further.iter().map(|(step, _)| *step).collect();
        let recipe = source::Recipe { operands: dtypes, steps: written, out: to.0.dtype(), more };
        let kernel = crate::cuda::library::kernel_of_recipe(Context::of(to.0.device())?, recipe)?;
        run_kernel(&kernel, sizes, (to, further), &read, places, &numbers)
    }

    /// Copies elements over a grid.
    ///
    /// # Errors
    /// As [`operation`].
    pub(crate) fn copy(sizes: &[usize], from: (&RawTensor, &[usize]), to: (&RawTensor, &[usize])) -> Result<()> {
        let (source, target) = (from.0.dtype(), to.0.dtype());
        if source != target && (source.is_quantized() || target.is_quantized()) {
            return Err(unsupported("copy_kernel", source));
        }
        run(Key::Copy(source, target), sizes, to, &[from], &[])
    }

    /// Writes one element, given as its bytes, to all places of a grid.
    ///
    /// # Errors
    /// As [`operation`].
    pub(crate) fn fill(sizes: &[usize], to: (&RawTensor, &[usize]), element: &[u8]) -> Result<()> {
        let mut bytes = [0; NUMBER];
        bytes[..element.len()].copy_from_slice(element);
        run(Key::Fill(element.len()), sizes, to, &[], &[bytes])
    }

    /// A number as a kernel takes it.
    pub(super) fn number(scalar: Scalar, through: DType, to: DType) -> Result<[u8; NUMBER]> {
        fn bytes<T: Native>(number: T) -> Result<[u8; NUMBER]> {
            let mut bytes = [0; NUMBER];
            let own = UntypedStorage::from_vec(vec![number]).tolist()?;
            bytes[..own.len()].copy_from_slice(&own);
            Ok(bytes)
        }
        let refused = || Err(Error::not_implemented(format!("no number of dtype {to:?}")));
        match_dtype!(through, T => {
            let rounded = T::cast_from(scalar);
            match_dtype!(to, C => bytes(C::cast_from(rounded)), else refused())
        }, else refused())
    }

    /// Launches a kernel over a grid, for an output and inputs that are all on one device.
    fn run(
        key: Key,
        sizes: &[usize],
        output: (&RawTensor, &[usize]),
        inputs: &[(&RawTensor, &[usize])],
        numbers: &[[u8; NUMBER]],
    ) -> Result<()> {
        let kernel = crate::cuda::library::kernel(Context::of(output.0.device())?, &key)?;
        run_kernel(&kernel, sizes, (output, &[]), inputs, None, numbers)
    }

    /// Further results lie as the output does.
    fn run_kernel(
        kernel: &LoadedKernel,
        sizes: &[usize],
        (output, further): (OnGrid<'_>, &[(usize, RawTensor)]),
        inputs: &[OnGrid<'_>],
        places: Option<&[usize]>,
        numbers: &[[u8; NUMBER]],
    ) -> Result<()> {
        let context = Context::of(output.0.device())?;
        let results = || [output.0].into_iter().chain(further.iter().map(|(_, tensor)| tensor));
        let written: SmallVec<[&UntypedStorage; 4]> = results().map(RawTensor::storage).collect();
        let read: SmallVec<[&UntypedStorage; 4]> = inputs.iter().map(|(tensor, _)| tensor.storage()).collect();
        let access = Access::lock(&written, &read)?;
        let queue = context.queue();
        let lane = |(tensor, strides): OnGrid<'_>, mode: LockMode| {
            let Some((block, start)) = access.block(tensor.storage(), mode) else {
                let (found, expected) = (tensor.device(), output.0.device());
                return Err(Error::runtime(format!("Tensor on device {found} is not on the expected device {expected}!")));
            };
            let address = if mode == LockMode::Write { block.write_on(&queue)? } else { block.read_on(&queue)? };
            DeviceLane::new(address + start as u64, tensor, sizes, strides)
        };
        let mut lanes: SmallVec<[DeviceLane; 4]> = SmallVec::new();
        lanes.push(lane(output, LockMode::Write)?);
        for &input in inputs {
            lanes.push(lane(input, LockMode::Read)?);
        }
        lanes.extend(places.map(DeviceLane::places));
        for (_, tensor) in further {
            lanes.push(lane((tensor, output.1), LockMode::Write)?);
        }
        Launch { kernel, context, queue: &queue, numbers }.over(sizes, &mut lanes)
    }
}
