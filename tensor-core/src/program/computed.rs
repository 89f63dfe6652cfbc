//! A program whose results go to a reduction and to no tensor: what is decided of it, and its elements in the order in which they are
//! read.

use std::rc::Rc;

use latten_spec::DType;
use smallvec::SmallVec;

use super::{Decided, ProgramCall};
use crate::copy::lane;
use crate::device::{Device, DeviceType};
use crate::element::Native;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::broadcast::broadcast_strides;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Compute, Feed, Input, Lane, Literal, Made, OutputSharing};
use crate::kernels::machine::Machine;
use crate::kernels::operation;
use crate::kernels::run::Kernel;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::Access;

/// A program that is decided.
pub(crate) struct Computed<'c> {
    decided: Rc<Decided>,
    /// The result, without data.
    result: RawTensor,
    operands: Vec<Option<&'c RawTensor>>,
    kernel: Option<Kernel>,
    machine: Machine,
    /// Stands for operands that aren't read.
    nothing: Literal,
}

impl ProgramCall<'_> {
    /// The program as a source of elements; None where its operations run one after the other, or on a device.
    pub(crate) fn computed(&self) -> Result<Option<Computed<'_>>> {
        if self.device(None).is_none_or(|device| device.kind() != DeviceType::Cpu) {
            return Ok(None);
        }
        let Some(decided) = self.decide()? else { return Ok(None) };
        let result = RawTensor::empty(&decided.sizes, &decided.strides, decided.dtype()?, Device::META)?;
        let operands = self.read(&decided).into_vec();
        let kernel = self.kernel.filter(|_| decided.numbers.is_some());
        let dtype = |index: usize| self.operands.get(index).copied().flatten().map_or(DType::I64, RawTensor::dtype);
        let machine = if kernel.is_none() { Machine::new(&decided.steps, dtype)? } else { Machine::default() };
        Ok(Some(Computed { decided, result, operands, kernel, machine, nothing: Literal::from(Scalar::Int(0)) }))
    }
}

impl Computed<'_> {
    /// The result, without data.
    pub(crate) fn result(&self) -> &RawTensor {
        &self.result
    }

    /// What is read.
    pub(crate) fn tensors(&self) -> SmallVec<[&RawTensor; 8]> {
        self.operands.iter().flatten().copied().collect()
    }

    /// The elements along dimensions of the result, the innermost first; those that aren't named have size 1.
    pub(crate) fn feed<'a, T: Native + Default>(&'a self, access: &'a Access<'_>, dims: &[usize]) -> Result<Feed<'a, T>> {
        let (sizes, strides) = self.walk(dims);
        let mut inputs = Vec::new();
        for (operand, strides) in self.operands.iter().zip(&strides) {
            let (lane, dtype) = match operand {
                Some(tensor) => (lane(access, tensor, &sizes, strides)?, tensor.dtype()),
                None => (Lane::number(&self.nothing, sizes.len()), DType::I64),
            };
            inputs.push(Input { lane, sharing: OutputSharing::No, through: dtype, to: dtype });
        }
        if let Some(strides) = strides.get(self.operands.len()) {
            inputs.push(Input { lane: Lane::places(strides), sharing: OutputSharing::No, through: DType::I64, to: DType::I64 });
        }
        let compute = self.kernel.map_or(Compute::Steps(&self.machine), Compute::Kernel);
        let numbers = self.decided.numbers.as_deref().unwrap_or(&[]);
        Feed::made(Made::new(sizes, inputs, numbers, compute, self.result.dtype())?)
    }

    /// Sizes, and strides of all operands and, after them, of the places of elements, where a step takes these; neighbours that all of them step through as one are joined.
    fn walk(&self, dims: &[usize]) -> (Dims, SmallVec<[Dims; 4]>) {
        let of = self.result.sizes();
        let spread = |operand: &Option<&RawTensor>| match operand {
            Some(tensor) => broadcast_strides(tensor.sizes(), tensor.strides(), of),
            None => Dims::from_elem(0, of.len()),
        };
        let counts = self.decided.steps.iter().any(operation::Step::counts);
        let places = counts.then(|| contiguous_strides(of));
        let all: SmallVec<[Dims; 4]> = self.operands.iter().map(spread).chain(places).collect();
        let (mut sizes, mut strides) = (Dims::new(), SmallVec::from_elem(Dims::new(), all.len()));
        for &dim in dims {
            let steps = all.iter().map(|strides| strides[dim]);
            let inner = sizes.last().copied().unwrap_or(0);
            let goes_on = |(own, step): (&Dims, usize)| own.last().is_some_and(|last| last.checked_mul(inner) == Some(step));
            match sizes.last_mut() {
                Some(inner) if strides.iter().zip(steps.clone()).all(goes_on) => *inner *= of[dim],
                _ => {
                    sizes.push(of[dim]);
                    strides.iter_mut().zip(steps).for_each(|(own, step)| own.push(step));
                }
            }
        }
        (sizes, strides)
    }
}
