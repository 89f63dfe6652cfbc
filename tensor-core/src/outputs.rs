//! Tensors that results go into, for operations that aren't elementwise: new ones, and ones of the caller's, which are resized where they must.
//! What an operation reads and writes is held at once; whatever looks at data does it before anything is written.

use latten_spec::DType;

use crate::device::Device;
use crate::dtype::cpp_name;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, check_output_overlap, partial_overlap_error};
use crate::geometry::strides::is_non_overlapping_and_dense;
use crate::layout::MemoryFormat;
use crate::plan::{Target, lacks_nothing};
use crate::raw::RawTensor;
use crate::storage::{Access, Slice, TypedStorage, UntypedStorage};

/// PyTorch's refusal of an output of another dtype than the result.
pub(crate) fn check_dtype(target: Target<'_>, expected: DType) -> Result<()> {
    match target.tensor().map(RawTensor::dtype) {
        Some(found) if found != expected => {
            Err(Error::runtime(format!("Expected out tensor to have dtype {}, but got {} instead", cpp_name(expected), cpp_name(found))))
        }
        _ => Ok(()),
    }
}

/// The same in other words, of what it has, and what it should have.
pub(crate) fn check_dtype_as(target: Target<'_>, expected: DType, refused: impl FnOnce(&str, &str) -> String) -> Result<()> {
    match target.tensor().map(RawTensor::dtype) {
        Some(found) if found != expected => Err(Error::runtime(refused(found.message_name(), expected.message_name()))),
        _ => Ok(()),
    }
}

impl<'a> Target<'a> {
    /// Whether nobody has seen the tensor: then it may be written before all is checked.
    pub(crate) fn is_new(self) -> bool {
        matches!(self, Self::New)
    }

    /// The output, where a result like a tensor can be written to it as it lies: it has that dtype and those sizes, and no memory of what is read.
    pub(crate) fn admitting(self, like: &RawTensor, read: &[&RawTensor]) -> Option<&'a RawTensor> {
        let apart = |out: &RawTensor| read.iter().all(|tensor| tensor.relation_to(out) == Relation::Disjoint);
        self.tensor().filter(|out| lacks_nothing(out, like.sizes(), like.dtype(), like.device()) && apart(out))
    }

    /// The tensor that a result of those sizes goes into, as it will be: a new one, or a given one with these sizes and strides. That one's
    /// storage may still have to grow; nothing has changed yet.
    pub(crate) fn output(self, sizes: &[usize], strides: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
        let (given, admitted) = match self {
            Self::New | Self::Offered(_) => {
                crate::geometry::dense_nbytes(sizes, dtype.itemsize())?;
                return self.as_it_lies(sizes, strides, dtype, like.device());
            }
            Self::InPlace(tensor) => (tensor, None),
            Self::Out(tensor, admitted) => (tensor, Some(admitted)),
        };
        if given.device() != like.device() {
            let (expected, found) = (like.device(), given.device());
            return Err(Error::runtime(format!("Expected out tensor to have device {expected}, but got {found} instead")));
        }
        let mut output = given.clone();
        if output.sizes() != sizes {
            admitted.map_or(Ok(()), |admitted| admitted(sizes))?;
            output.geometry.sizes = sizes.into();
            output.geometry.strides = strides.into();
        }
        if !output.is_meta() {
            check_output_overlap(output.geometry())?;
        }
        Ok(output)
    }
}

/// What is offered to what makes two results of those sizes and dtypes: outputs that lack nothing, so that neither is refused after the other was written.
pub(crate) fn offers<'t>(to: [Target<'t>; 2], results: [(&[usize], DType); 2], device: Device) -> [Target<'t>; 2] {
    let fits = |(out, (sizes, dtype)): (&RawTensor, (&[usize], DType))| lacks_nothing(out, sizes, dtype, device);
    match to.map(Target::tensor) {
        [Some(first), Some(second)]
            if first.relation_to(second) == Relation::Disjoint && [first, second].into_iter().zip(results).all(fits) =>
        {
            to.map(Target::offer)
        }
        _ => [Target::New; 2],
    }
}

/// Whether writing the output would change the tensor; what PyTorch refuses is refused.
pub(crate) fn is_disturbed(tensor: &RawTensor, output: &RawTensor) -> Result<bool> {
    let geometry = output.geometry();
    match tensor.relation_to(output) {
        _ if output.is_meta() => Ok(false),
        Relation::Disjoint => Ok(false),
        Relation::PartialDense => Err(partial_overlap_error()),
        Relation::Identical if is_non_overlapping_and_dense(&geometry.sizes, &geometry.strides) => Err(partial_overlap_error()),
        Relation::Identical | Relation::Mixed => Ok(true),
    }
}

/// The tensor as it is, or a copy where writing the output would change it; what PyTorch refuses is refused.
pub(crate) fn apart(tensor: &RawTensor, output: &RawTensor) -> Result<RawTensor> {
    if is_disturbed(tensor, output)? { tensor.clone_as(MemoryFormat::Preserve) } else { Ok(tensor.clone()) }
}

/// The same for an operation that PyTorch lets overlap.
pub(crate) fn copied_apart(tensor: &RawTensor, output: &RawTensor) -> Result<RawTensor> {
    match tensor.relation_to(output) {
        Relation::Disjoint => Ok(tensor.clone()),
        _ if output.is_meta() => Ok(tensor.clone()),
        _ => tensor.clone_as(MemoryFormat::Preserve),
    }
}

/// Holds the storages of outputs and of what is read; `check` looks at data, and `write` follows under the same locks. Where an output's
/// storage has to grow, that happens between two looks.
pub(crate) fn held<R>(
    outputs: &[&RawTensor],
    read: &[&RawTensor],
    check: impl Fn(&Access<'_>) -> Result<()>,
    write: impl FnOnce(&Access<'_>) -> Result<R>,
) -> Result<R> {
    let written: Vec<&UntypedStorage> = outputs.iter().map(|tensor| tensor.storage()).collect();
    let reading: Vec<&UntypedStorage> = read.iter().map(|tensor| tensor.storage()).collect();
    loop {
        let access = Access::lock(&written, &reading)?;
        read.iter().try_for_each(|tensor| tensor.check_inside())?;
        check(&access)?;
        if outputs.iter().all(|output| output.check_inside().is_ok()) {
            return write(&access);
        }
        drop(access);
        outputs.iter().try_for_each(|output| output.fit_storage())?;
    }
}

/// A copy of what a result of any size could overwrite; else the tensor as it is.
pub(crate) fn aside(tensor: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    match target.tensor() {
        Some(given) if !given.is_meta() && given.storage().shares_memory(tensor.storage()) => tensor.clone_as(MemoryFormat::Preserve),
        _ => Ok(tensor.clone()),
    }
}

/// The elements in their order, on the host: where they lie, or of a copy.
pub(crate) fn elements<T: Native>(tensor: &RawTensor) -> Result<Slice<'static, T>> {
    TypedStorage::<T>::of(readable::<T>(tensor)?.storage().clone()).slice()
}

/// The tensor on the host, or a copy where its elements are no slice, whose first one is its storage's.
pub(crate) fn readable<T: Native>(tensor: &RawTensor) -> Result<RawTensor> {
    let tensor = tensor.to_device(Device::CPU)?;
    let is_whole = tensor.is_contiguous(MemoryFormat::Contiguous) && tensor.storage_offset() == 0;
    // Others may change what is shared, and a part of another storage may lie at any address.
    let is_there = is_whole && TypedStorage::<T>::of(tensor.storage().clone()).slice().is_ok();
    if is_there { Ok(tensor) } else { tensor.clone_as(MemoryFormat::Contiguous) }
}

/// Whether the elements are all of a storage, in their order.
pub(crate) fn is_all<T: Native>(tensor: &RawTensor) -> bool {
    let is_whole = tensor.is_contiguous(MemoryFormat::Contiguous) && tensor.storage().nbytes() == tensor.numel() * T::DTYPE.itemsize();
    is_whole && tensor.dtype() == T::DTYPE
}
