//! Where random numbers go: the elements of a tensor in PyTorch's order, which is that of its memory. A fill keeps the generator from its first
//! number to its last, so that results don't depend on threads.

use latten_spec::DType;

use super::generator::{Generator, GeneratorState};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::strides::fastest_first;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::TypedStorage;

/// A source of numbers for a row of elements.
pub(super) type RowSource<'a, T> = &'a mut dyn FnMut(&mut GeneratorState, &mut [T]);

/// Fills a tensor in the order of its memory. Where it has no elements, or no data, nothing is drawn.
pub(super) fn fill<T: Native + Default>(tensor: &RawTensor, generator: Option<&Generator>, draw: RowSource<'_, T>) -> Result<()> {
    check_output_overlap(tensor.geometry())?;
    if !has_data(tensor) {
        return Ok(());
    }
    put(&in_memory_order(tensor, &[])?, generator, draw)
}

/// Whether there is anything to draw for.
pub(super) fn has_data(tensor: &RawTensor) -> bool {
    !tensor.is_meta() && tensor.numel() > 0
}

/// The same elements, with the dimensions in the order in which they are drawn: that of this tensor's memory, and where it doesn't tell, of another's.
pub(super) fn in_memory_order(tensor: &RawTensor, then: &[&RawTensor]) -> Result<RawTensor> {
    let order = drawing_order(tensor, then);
    tensor.permute(&order)
}

pub(super) fn drawing_order(tensor: &RawTensor, then: &[&RawTensor]) -> Vec<isize> {
    let strides: Vec<&[usize]> = [tensor].iter().chain(then).map(|tensor| tensor.strides().as_slice()).collect();
    fastest_first(tensor.sizes(), &strides).iter().rev().map(|dim| dim.cast_signed()).collect()
}

/// Numbers in the row-major order of a tensor. They are made on the host, and copied to a device.
pub(super) fn put<T: Native + Default>(ordered: &RawTensor, generator: Option<&Generator>, draw: RowSource<'_, T>) -> Result<()> {
    let here = !ordered.is_on_cuda() && ordered.storage().lends_to_write()?;
    if here && ordered.dtype() == T::DTYPE && ordered.is_contiguous(MemoryFormat::Contiguous) && T::DTYPE != DType::Bool {
        ordered.check_inside()?;
        let storage = TypedStorage::<T>::of(ordered.storage().clone());
        let mut numbers = storage.slice_mut()?;
        let from = ordered.storage_offset();
        // The storage is held before the generator, as by everybody who holds both.
        let elements = numbers.get_mut(from..from + ordered.numel()).ok_or_else(outside)?;
        draw(&mut *Generator::held(generator, ordered.device())?, elements);
        return Ok(());
    }
    let mut numbers = filled(ordered.numel(), T::default())?;
    draw(&mut *Generator::held(generator, ordered.device())?, &mut numbers);
    ordered.copy_(&RawTensor::from_vec(numbers, ordered.sizes())?)
}

fn outside() -> Error {
    Error::runtime("the storage was made smaller while random numbers were drawn for it")
}

/// Numbers that are computed in `f64`, one by one, and rounded to the dtype.
pub(super) fn each(tensor: &RawTensor, generator: Option<&Generator>, number: impl Fn(&mut GeneratorState) -> f64) -> Result<()> {
    fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [f64]| to.iter_mut().for_each(|to| *to = number(state)))
}
