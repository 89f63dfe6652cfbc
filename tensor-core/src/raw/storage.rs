//! Tensors and storages: which storage a tensor reads and how (`set_`), and room for other sizes (`resize_`).

use latten_spec::DType;
use smallvec::SmallVec;

use super::RawTensor;
use crate::dtype::cpp_name;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::geometry::strides::{contiguous_strides, strides_for, suggest_memory_format};
use crate::geometry::{Dims, Geometry, dense_nbytes, numel, strided_nbytes};
use crate::layout::MemoryFormat;
use crate::storage::{TypedStorage, UntypedStorage};

/// What a tensor is set to read: nothing, a storage, a tensor, or a part of one of these.
#[derive(Clone, Debug)]
pub struct Source(SourceKind);

#[derive(Clone, Debug)]
enum SourceKind {
    /// An empty storage of its own.
    Nothing,
    /// All of a storage, along one dimension; its dtype, where it has one.
    Storage(UntypedStorage, Option<DType>),
    /// What another tensor reads.
    Tensor(RawTensor),
    /// A part of the storage of one of these; without strides, in row-major order.
    Part { of: Box<Self>, offset: isize, sizes: SignedSizes, strides: Option<SignedSizes> },
}

type SignedSizes = SmallVec<[isize; 6]>;

impl Source {
    /// Nothing: an empty storage.
    pub const NOTHING: Self = Self(SourceKind::Nothing);

    /// A part of a storage: its first element, sizes, and strides, which without any are those of row-major order. Of a tensor, a part
    /// of its storage.
    #[must_use]
    pub fn part(self, offset: isize, sizes: &[isize], strides: Option<&[isize]>) -> Self {
        Self(SourceKind::Part { of: Box::new(self.0), offset, sizes: sizes.into(), strides: strides.map(SignedSizes::from) })
    }
}

impl From<&UntypedStorage> for Source {
    fn from(storage: &UntypedStorage) -> Self {
        Self(SourceKind::Storage(storage.clone(), None))
    }
}

impl<E: Element> From<&TypedStorage<E>> for Source {
    fn from(storage: &TypedStorage<E>) -> Self {
        Self(SourceKind::Storage(storage.untyped().clone(), Some(storage.dtype())))
    }
}

impl From<&RawTensor> for Source {
    fn from(tensor: &RawTensor) -> Self {
        Self(SourceKind::Tensor(tensor.clone()))
    }
}

impl RawTensor {
    /// PyTorch's `set_`, and before anything changes, a check of the new sizes.
    ///
    /// # Errors
    /// Where dtype or device are others, where the numbers describe no tensor, and where a storage that is too small can't grow.
    pub fn set_(&mut self, source: Source, check: impl FnOnce(&[usize]) -> Result<()>) -> Result<()> {
        let (storage, geometry) = self.described(source.0)?;
        check(&geometry.sizes)?;
        let needed = geometry.needed_bytes(self.dtype.itemsize())?;
        storage.grow_to(needed)?;
        (self.storage, self.geometry) = (storage, geometry);
        Ok(())
    }

    fn described(&self, source: SourceKind) -> Result<(UntypedStorage, Geometry)> {
        match source {
            SourceKind::Nothing => Ok((UntypedStorage::new(0, self.device())?, Geometry::contiguous(&[0]))),
            SourceKind::Storage(storage, dtype) => {
                if let Some(dtype) = dtype.filter(|&dtype| dtype != self.dtype) {
                    let (theirs, ours) = (dtype.message_name(), cpp_name(self.dtype));
                    return Err(Error::runtime(format!(
                        "Expected a Storage of type {ours} or an UntypedStorage, but got type {theirs} for argument 1 'storage'"
                    )));
                }
                self.check_device(&storage)?;
                let size = storage.nbytes() / self.dtype.itemsize();
                Ok((storage, Geometry::contiguous(&[size])))
            }
            SourceKind::Tensor(tensor) => {
                if tensor.dtype != self.dtype {
                    let (theirs, ours) = (cpp_name(tensor.dtype), cpp_name(self.dtype));
                    return Err(Error::runtime(format!("Could not set tensor of type {theirs} to a tensor of type {ours}")));
                }
                self.check_device(&tensor.storage)?;
                Ok((tensor.storage, tensor.geometry))
            }
            SourceKind::Part { of, offset, sizes, strides } => {
                if let SourceKind::Tensor(tensor) = &*of
                    && !tensor.is_contiguous(MemoryFormat::Contiguous)
                {
                    return Err(Error::runtime("passed in tensor to be used as storage must be contiguous"));
                }
                let (storage, _) = self.described(*of)?;
                Ok((storage, part(offset, &sizes, strides.as_deref(), self.dtype.itemsize())?))
            }
        }
    }

    fn check_device(&self, storage: &UntypedStorage) -> Result<()> {
        let (ours, theirs) = (self.device(), storage.device());
        if ours == theirs {
            return Ok(());
        }
        Err(Error::runtime(format!(
            "Attempted to set the storage of a tensor on device \"{ours}\" to a storage on different device \"{theirs}\".  This is no longer \
             allowed; the devices must match."
        )))
    }

    /// PyTorch's `resize_`, and before anything changes, a check of the new sizes. Elements that both sizes have keep their place in the
    /// storage, which grows where it must and never shrinks. Without a format, a tensor of those sizes keeps its strides.
    ///
    /// # Errors
    /// Where the sizes are negative or too large, the format doesn't suit the rank, or the storage can't grow.
    pub fn resize_(&mut self, sizes: &[isize], format: Option<MemoryFormat>, check: impl FnOnce(&[usize]) -> Result<()>) -> Result<()> {
        if format == Some(MemoryFormat::Preserve) {
            return Err(Error::runtime("Unsupported memory formatPreserve"));
        }
        let sizes = unsigned(sizes)?;
        if format.is_none() && *sizes == *self.sizes() {
            return check(&sizes);
        }
        numel(&sizes)?;
        dense_nbytes(&sizes, self.dtype.itemsize())?;
        let strides = strides_for(format.unwrap_or(MemoryFormat::Contiguous), &sizes)?;
        check(&sizes)?;
        let resized = self.with_geometry(Geometry { sizes, strides, offset: self.geometry.offset });
        resized.fit_storage()?;
        self.geometry = resized.geometry;
        Ok(())
    }

    /// PyTorch's `resize_as_`: the sizes of a template, whose format is kept where that is asked for.
    ///
    /// # Errors
    /// As for [`resize_`](Self::resize_).
    pub fn resize_as_(&mut self, template: &Self, format: Option<MemoryFormat>, check: impl FnOnce(&[usize]) -> Result<()>) -> Result<()> {
        let format = match format {
            Some(MemoryFormat::Preserve) => Some(suggest_memory_format(template.sizes(), template.strides())),
            other => other,
        };
        let sizes: SignedSizes = template.sizes().iter().map(|size| size.cast_signed()).collect();
        self.resize_(&sizes, format, check)
    }

    /// Makes room in the storage for the geometry.
    pub(crate) fn fit_storage(&self) -> Result<()> {
        self.storage.grow_to(self.geometry.needed_bytes(self.dtype.itemsize())?)
    }

    /// Itself, with room in the storage.
    pub(crate) fn grown(self) -> Result<Self> {
        self.fit_storage()?;
        Ok(self)
    }

    /// Whether both read the same storage in the same way, be it as numbers of different dtypes.
    #[must_use]
    pub fn is_set_to(&self, other: &Self) -> bool {
        self.storage.is_same(&other.storage) && self.geometry == other.geometry
    }
}

/// The geometry that `set_` is given.
fn part(offset: isize, sizes: &[isize], strides: Option<&[isize]>, itemsize: usize) -> Result<Geometry> {
    if let Some(strides) = strides.filter(|strides| strides.len() != sizes.len()) {
        return Err(Error::runtime(format!("unequal size length ({}) and stride length ({})", sizes.len(), strides.len())));
    }
    let offset = usize::try_from(offset).map_err(|_| Error::runtime(format!("Tensor: invalid storage offset {offset}")))?;
    let unsigned_sizes = unsigned(sizes)?;
    numel(&unsigned_sizes)?;
    let strides = match strides {
        None => contiguous_strides(&unsigned_sizes),
        Some(strides) => unsigned(strides)
            .map_err(|_| Error::runtime(format!("Storage size calculation overflowed with sizes={sizes:?} and strides={strides:?}")))?,
    };
    strided_nbytes(&unsigned_sizes, &strides, offset, itemsize)?;
    Ok(Geometry { sizes: unsigned_sizes, strides, offset })
}

/// PyTorch's answer to negative sizes here.
fn unsigned(sizes: &[isize]) -> Result<Dims> {
    let size = |&size| usize::try_from(size).map_err(|_| Error::runtime("numel: integer multiplication overflow"));
    sizes.iter().map(size).collect()
}
