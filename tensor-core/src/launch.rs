//! Loops over tensors of a CUDA device: the plan and the copies come here where the output is on one. Finds the kernel for the dtypes,
//! chooses how it walks, writes down what it is given, and launches it. In a build without CUDA no tensor is on such a device.

#[cfg(feature = "cuda")]
mod arguments;
#[cfg(feature = "cuda")]
mod fold;
#[cfg(feature = "cuda")]
mod places;
#[cfg(feature = "cuda")]
mod product;
#[cfg(feature = "cuda")]
mod rows;
#[cfg(feature = "cuda")]
mod walk;

use latten_spec::DType;
use latten_spec::operation::Op;

use crate::error::Result;
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// Whose device functions a kernel calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    /// Those of the table.
    Table(Op),
    /// A user's: the name of the operation, and the functions, whose names are that and a category.
    Own { name: &'static str, text: &'static str },
}

/// What an operand of a loop is.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nothing runs it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// A tensor on the device, and its strides along the grid.
    Tensor(&'a RawTensor, &'a [usize]),
    /// A number.
    Number(Scalar),
}

/// What a step of an expression takes.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nothing runs it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// An operand of the expression.
    Operand(usize),
    /// The result of an earlier step.
    Step(usize),
    /// A number.
    Number(Scalar),
}

/// A step of an expression.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nothing runs it"))]
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The operation, its parameters, and the dtype that it gives; without one the step converts.
    pub(crate) task: Option<(Named, Vec<Scalar>, DType)>,
    /// What it takes, with the dtypes on the way: what it is rounded to, and what the operation takes.
    pub(crate) arguments: Vec<(Argument, [DType; 2])>,
    /// The dtype of the result.
    pub(crate) result: DType,
}

/// An operand of a loop.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nothing runs it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// What it is.
    pub(crate) source: Source<'a>,
    /// A dtype that it is rounded to on its way.
    pub(crate) through: DType,
    /// The dtype that the operation takes.
    pub(crate) to: DType,
}

/// The output of a loop.
#[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nothing runs it"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    /// The dtype that the operation gives.
    pub(crate) from: DType,
    /// A dtype that it is rounded to on its way.
    pub(crate) through: DType,
    /// Where it goes.
    pub(crate) tensor: &'a RawTensor,
    /// Its strides along the grid.
    pub(crate) strides: &'a [usize],
}

#[cfg(not(feature = "cuda"))]
mod none {
    use latten_spec::reduction::Reduction;

    use super::{DType, Input, Named, Output, RawTensor, Result, Scalar, Step};
    use crate::cuda::not_built;

    /// Computes an operation.
    pub(crate) fn operation(
        _named: Named,
        _computing: DType,
        _sizes: &[usize],
        _inputs: &[Input<'_>],
        _params: &[Scalar],
        output: &Output<'_>,
    ) -> Result<()> {
        Err(not_built(output.tensor.device()))
    }

    /// Computes an expression.
    pub(crate) fn program(
        _sizes: &[usize],
        _operands: &[(&RawTensor, &[usize])],
        _steps: &[Step],
        to: (&RawTensor, &[usize]),
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
    pub(crate) fn scan(_op: Reduction, input: &RawTensor, _dim: usize) -> Result<RawTensor> {
        Err(not_built(input.device()))
    }

    /// Goes along rows, and finds places.
    pub(crate) fn scan_places(_op: Reduction, input: &RawTensor, _dim: usize) -> Result<(RawTensor, RawTensor)> {
        Err(not_built(input.device()))
    }

    /// What products are summed in.
    pub(crate) fn product_dtype(dtype: DType) -> DType {
        dtype
    }

    /// Multiplies matrices.
    pub(crate) fn product(left: &RawTensor, _right: &RawTensor, _dtype: DType) -> Result<RawTensor> {
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
pub(crate) use places::{Far, Named as NamedPlaces, Places, coordinates};
#[cfg(feature = "cuda")]
pub(crate) use product::{product, product_dtype};
#[cfg(feature = "cuda")]
pub(crate) use rows::{scan, scan_places};

#[cfg(feature = "cuda")]
mod loops {
    use smallvec::SmallVec;

    use super::arguments::{Lane, Launch, NUMBER};
    use super::{Argument, DType, Input, Named, Output, RawTensor, Result, Scalar, Source, Step};
    use crate::convert::CastFrom;
    use crate::cuda::library::{Kernel, Key};
    use crate::cuda::{Context, source};
    use crate::element::Native;
    use crate::error::Error;
    use crate::match_dtype;
    use crate::storage::{Access, Mode, UntypedStorage};

    /// Computes an operation of the table over a grid, innermost dimension first.
    ///
    /// # Errors
    /// Where a tensor reaches beyond its storage, where there is no kernel, and where the device refuses.
    pub(crate) fn operation(
        named: Named,
        computing: DType,
        sizes: &[usize],
        inputs: &[Input<'_>],
        params: &[Scalar],
        output: &Output<'_>,
    ) -> Result<()> {
        let mut operands = [None; 3];
        let mut numbers: SmallVec<[[u8; NUMBER]; 4]> = SmallVec::new();
        let mut read: SmallVec<[(&RawTensor, &[usize]); 3]> = SmallVec::new();
        for (operand, input) in operands.iter_mut().zip(inputs) {
            let Input { source, through, to } = *input;
            let memory = match source {
                Source::Tensor(tensor, strides) => {
                    read.push((tensor, strides));
                    Some(tensor.dtype())
                }
                Source::Number(scalar) => {
                    numbers.push(number(scalar, through, to)?);
                    None
                }
            };
            // A number was rounded here: kernels for it are the same whatever it went through.
            *operand = Some(source::Operand { memory, through: if memory.is_none() { to } else { through }, to });
        }
        for &param in params {
            numbers.push(number(param, computing, computing)?);
        }
        let memory = output.tensor.dtype();
        let function = function(named, computing)?;
        let key = Key::Operation {
            function,
            params: params.len(),
            computing,
            operands,
            output: source::Output { from: output.from, through: output.through, memory },
        };
        run(key, sizes, (output.tensor, output.strides), &read, &numbers)
    }

    /// The device function of an operation.
    fn function(named: Named, computing: DType) -> Result<source::Function> {
        let function = match named {
            Named::Table(op) => source::Function::of(op, computing.category()),
            Named::Own { name, text } => Some(source::Function::own(name, text, computing.category())),
        };
        function.ok_or_else(|| Error::not_implemented(format!("{named:?} has no CUDA kernel for {computing:?}")))
    }

    /// Computes a whole expression in one kernel.
    ///
    /// # Errors
    /// As [`operation`].
    pub(crate) fn program(sizes: &[usize], operands: &[(&RawTensor, &[usize])], steps: &[Step], to: (&RawTensor, &[usize])) -> Result<()> {
        let mut numbers: Vec<[u8; NUMBER]> = Vec::new();
        let mut written = Vec::new();
        for step in steps {
            let mut arguments = Vec::new();
            for &(argument, [through, to]) in &step.arguments {
                let argument = match argument {
                    Argument::Operand(at) => source::Argument::Operand(at),
                    Argument::Step(at) => source::Argument::Step(at),
                    Argument::Number(scalar) => {
                        numbers.push(number(scalar, through, to)?);
                        source::Argument::Number
                    }
                };
                arguments.push((argument, [through, to]));
            }
            let task = step.task.as_ref().map(|(named, params, given)| {
                // A condition is bool whatever is computed; what comes last never is one.
                let computing = arguments.last().map_or(*given, |(_, [_, to])| *to);
                for &param in params {
                    numbers.push(number(param, computing, computing)?);
                }
                Ok::<_, Error>((function(*named, computing)?, params.len(), computing, *given))
            });
            written.push(source::Step { function: task.transpose()?, arguments, result: step.result });
        }
        let dtypes: Vec<DType> = operands.iter().map(|(tensor, _)| tensor.dtype()).collect();
        let recipe = source::Recipe { operands: dtypes, steps: written, out: to.0.dtype() };
        let kernel = crate::cuda::library::kernel_of_recipe(Context::of(to.0.device())?, recipe)?;
        run_kernel(&kernel, sizes, to, operands, &numbers)
    }

    /// Copies elements over a grid.
    ///
    /// # Errors
    /// As [`operation`].
    pub(crate) fn copy(sizes: &[usize], from: (&RawTensor, &[usize]), to: (&RawTensor, &[usize])) -> Result<()> {
        let (source, target) = (from.0.dtype(), to.0.dtype());
        if source != target && (source.is_quantized() || target.is_quantized()) {
            return Err(Error::not_implemented(format!("\"copy_kernel\" not implemented for '{}'", source.message_name())));
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
        run_kernel(&kernel, sizes, output, inputs, numbers)
    }

    fn run_kernel(
        kernel: &Kernel,
        sizes: &[usize],
        output: (&RawTensor, &[usize]),
        inputs: &[(&RawTensor, &[usize])],
        numbers: &[[u8; NUMBER]],
    ) -> Result<()> {
        let context = Context::of(output.0.device())?;
        let read: SmallVec<[&UntypedStorage; 4]> = inputs.iter().map(|(tensor, _)| tensor.storage()).collect();
        let access = Access::lock(&[output.0.storage()], &read)?;
        let queue = context.queue();
        let mut lanes: SmallVec<[Lane; 4]> = SmallVec::new();
        for (i, (tensor, strides)) in [output].iter().chain(inputs).enumerate() {
            let mode = if i == 0 { Mode::Write } else { Mode::Read };
            let Some((block, start)) = access.block(tensor.storage(), mode) else {
                let (found, expected) = (tensor.device(), output.0.device());
                return Err(Error::runtime(format!("Tensor on device {found} is not on the expected device {expected}!")));
            };
            let address = if i == 0 { block.write_on(&queue)? } else { block.read_on(&queue)? };
            lanes.push(Lane::new(address + start as u64, tensor, sizes, strides)?);
        }
        Launch { kernel, context, queue: &queue, numbers }.over(sizes, &mut lanes)
    }
}
