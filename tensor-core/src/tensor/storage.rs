//! A tensor's storage: asking for it, setting another one, making room, sharing it with other processes.

use super::{Tensor, made};
use crate::call::{Call, CallArgument, Destination, Function, run};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::raw::Source;
use crate::shape::{Shape, ShapeArgument};
use crate::storage::{TypedStorage, UntypedStorage};

/// What a tensor reads.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// The storage, all of it, whatever part the tensor reads. Views have the same one.
    #[must_use]
    pub fn untyped_storage(&self) -> &UntypedStorage {
        self.raw().storage()
    }

    /// The storage, all of it, as numbers of the tensor's dtype.
    #[must_use]
    pub fn storage(&self) -> TypedStorage<E> {
        TypedStorage::over(self.raw().storage().clone(), self.raw().dtype())
    }

    /// Whether both tensors read the same part of one storage, in the same order.
    #[must_use]
    pub fn is_set_to<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> bool {
        self.raw().is_set_to(other.raw())
    }

    /// Makes the tensor read something else: a storage, a part of one, what another tensor reads, or nothing. Views of what it
    /// read so far stay as they are. A storage that is too small for the part grows.
    ///
    /// # Errors
    /// For another dtype or device, for sizes and strides that describe no tensor or one that the tensor's type doesn't admit, and
    /// where a storage that is too small can't grow.
    ///
    /// ```
    /// # use latten_core::storage::FloatStorage;
    /// # use latten_core::tensor::DynTensor;
    /// # use latten_core::error::Result;
    /// # fn example(mut x: DynTensor) -> Result<()> {
    /// let storage = FloatStorage::from_slice(&[0.0, 1.0, 2.0, 3.0])?;
    /// x.set_(&storage)?;                          // all of it, as one dimension
    /// x.set_((&storage, 1, [3]))?;                // from element 1 on
    /// x.set_((&storage, 0, [2, 2], [1, 2]))?;     // with strides
    /// let y = x.alias();
    /// x.set_(())?;                                // nothing
    /// x.set_(&y)?;                                // what `y` reads
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_(&mut self, source: impl Into<Source>) -> Result<&mut Self> {
        self.reset(Function::SetSource, &[(&source.into()).into()])
    }
}

/// Room for other sizes.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// Gives the tensor other sizes. Elements keep their places in the storage, which grows where it must and never shrinks; what
        /// stands in new places is left open. A tensor that has these sizes stays as it is, with its strides.
        ///
        /// # Errors
        /// For sizes that are negative, too large, or not those of the tensor's type, and where the storage can't grow.
        pub fn resize_( // or x.resize_with_([2, 3], MemoryFormat::Contiguous)?
            &mut self,
            sizes: impl ShapeArgument,
        ) -> Result<&mut Self> {
            self.reset(Function::Resize, &[(&sizes.signed_sizes()[..]).into()])
        }
    }

    /// [`resize_`](Self::resize_) to a memory format, be the sizes new or not.
    ///
    /// # Errors
    /// As there, and where the format doesn't suit the rank.
    pub fn resize_with_(&mut self, sizes: impl ShapeArgument, format: MemoryFormat) -> Result<&mut Self> {
        self.reset(Function::Resize, &[(&sizes.signed_sizes()[..]).into(), format.into()])
    }

    as_written! {
        /// Gives the tensor the sizes of another one.
        ///
        /// # Errors
        /// As for [`resize_`](Self::resize_).
        pub fn resize_as_<F: Element, R: Shape>( // or x.resize_as_with_(&y, MemoryFormat::Contiguous)?
            &mut self,
            template: &Tensor<F, R>,
        ) -> Result<&mut Self> {
            self.reset(Function::ResizeAs, &[template.raw().into()])
        }
    }

    /// [`resize_as_`](Self::resize_as_) to a memory format; [`MemoryFormat::Preserve`] is that of the other tensor.
    ///
    /// # Errors
    /// As there, and where the format doesn't suit the rank.
    pub fn resize_as_with_<F: Element, R: Shape>(&mut self, template: &Tensor<F, R>, format: MemoryFormat) -> Result<&mut Self> {
        self.reset(Function::ResizeAs, &[template.raw().into(), format.into()])
    }
}

/// Memory of other kinds.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Moves the storage into memory that other processes can map: [`UntypedStorage::share_memory_`].
    ///
    /// # Errors
    /// As there.
    pub fn share_memory_(&mut self) -> Result<&mut Self> {
        self.changed(Function::ShareMemory, &[])
    }

    /// Whether other processes can map the storage.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.untyped_storage().is_shared()
    }

    /// A copy in page-locked memory, for fast transfers to a CUDA device.
    ///
    /// # Errors
    /// Always in this build, which has no CUDA.
    pub fn pin_memory(&self) -> Result<Self> {
        made(Function::PinMemory, &[self.raw().into()])
    }

    /// Whether the storage is page-locked for a CUDA device.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.untyped_storage().is_pinned()
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Makes a call that gives the tensor other sizes, if its type admits them.
    fn reset(&mut self, function: Function, arguments: &[CallArgument<'_>]) -> Result<&mut Self> {
        run(Call::row(function, arguments, Destination::Changed(self.raw_mut(), admitted::<S>)))?;
        Ok(self)
    }
}

fn admitted<S: Shape>(sizes: &[usize]) -> Result<()> {
    if S::admits(sizes) {
        return Ok(());
    }
    Err(Error::runtime(format!("the type of the tensor has shape {}, which {sizes:?} is not", S::describe())))
}

/// Nothing.
impl From<()> for Source {
    fn from((): ()) -> Self {
        Self::NOTHING
    }
}

/// What the tensor reads.
impl<E: Element, S: Shape> From<&Tensor<E, S>> for Source {
    fn from(tensor: &Tensor<E, S>) -> Self {
        Self::from(tensor.raw())
    }
}

/// A part in row-major order: the storage, its first element, the sizes.
impl<W: Into<Self>, A: ShapeArgument> From<(W, isize, A)> for Source {
    fn from((whole, offset, sizes): (W, isize, A)) -> Self {
        whole.into().part(offset, &sizes.signed_sizes(), None)
    }
}

/// A part: the storage, its first element, sizes and strides.
impl<W: Into<Self>, A: ShapeArgument, B: ShapeArgument> From<(W, isize, A, B)> for Source {
    fn from((whole, offset, sizes, strides): (W, isize, A, B)) -> Self {
        whole.into().part(offset, &sizes.signed_sizes(), Some(&strides.signed_sizes()))
    }
}
