//! What a tensor is: dtype, sizes, strides, device, where its data lies.

use latten_spec::DType;

use super::{OneDim, Tensor};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::geometry::strides::is_contiguous;
use crate::geometry::{wrap_dim, wrap_existing_dim};
use crate::layout::{Layout, MemoryFormat};
use crate::shape::Shape;

impl<E: Element, S: Shape> Tensor<E, S> {
    /// The dtype of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.raw().dtype()
    }

    /// The number of elements along each dimension.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    /// assert_eq!((x.sizes(), x.dim(), x.numel(), x.len()), (&[2, 3][..], 2, 6, 2));
    /// ```
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        self.raw().sizes()
    }

    /// The [`sizes`](Self::sizes) as an array, where the type says how many there are: `let [rows, columns] = x.shape();`.
    #[must_use]
    pub fn shape(&self) -> S::Sizes<'_> {
        S::sizes_of(self.sizes())
    }

    /// The number of elements along one dimension; negative ones count from the end.
    ///
    /// # Panics
    /// Where [`try_size`](Self::try_size) is an error.
    #[track_caller]
    pub fn size(&self, dim: impl OneDim) -> usize {
        proved(self.try_size(dim))
    }

    /// What [`size`](Self::size) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there is no such dimension.
    pub fn try_size(&self, dim: impl OneDim) -> Result<usize> {
        self.raw().size(dim.dim())
    }

    /// How far apart neighbours along each dimension lie, in elements.
    #[must_use]
    pub fn strides(&self) -> &[usize] {
        self.raw().strides()
    }

    /// How far apart neighbours along one dimension lie, in elements.
    ///
    /// # Panics
    /// Where [`try_stride`](Self::try_stride) is an error.
    #[track_caller]
    pub fn stride(&self, dim: impl OneDim) -> usize {
        proved(self.try_stride(dim))
    }

    /// What [`stride`](Self::stride) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there is no such dimension.
    pub fn try_stride(&self, dim: impl OneDim) -> Result<usize> {
        Ok(self.strides()[if self.dim() == 0 { wrap_existing_dim(dim.dim(), 0)? } else { wrap_dim(dim.dim(), self.dim())? }])
    }

    /// Where in the storage the first element lies, in elements.
    #[must_use]
    pub fn storage_offset(&self) -> usize {
        self.raw().storage_offset()
    }

    /// The number of dimensions.
    #[must_use]
    #[doc(alias = "ndim")]
    pub fn dim(&self) -> usize {
        self.raw().rank()
    }

    /// The number of elements.
    #[must_use]
    pub fn numel(&self) -> usize {
        self.raw().numel()
    }

    /// The bytes of one element.
    #[must_use]
    pub fn element_size(&self) -> usize {
        self.dtype().itemsize()
    }

    /// The bytes of all elements; a view's storage may have more.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.numel() * self.element_size()
    }

    /// Where the data is.
    #[must_use]
    pub fn device(&self) -> Device {
        self.raw().device()
    }

    /// The ordinal of the device; -1 on the host.
    #[must_use]
    pub fn get_device(&self) -> i64 {
        self.device().index().map_or(-1, i64::from)
    }

    /// Whether the tensor has shape and dtype, but no data.
    #[must_use]
    pub fn is_meta(&self) -> bool {
        self.raw().is_meta()
    }

    /// How the elements are laid out.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::Strided
    }

    /// The address of the first element; 0 for a tensor without elements or without data.
    #[must_use]
    pub fn data_ptr(&self) -> usize {
        match self.raw().storage().data_ptr() {
            0 => 0,
            start => start + self.storage_offset() * self.element_size(),
        }
    }

    as_written! {
        /// Whether the elements lie in row-major order without gaps.
        #[must_use]
        pub fn is_contiguous( // or x.is_contiguous_with(MemoryFormat::Contiguous)
            &self,
        ) -> bool {
            self.is_contiguous_with(MemoryFormat::Contiguous)
        }
    }

    /// Whether the elements lie in the order of a memory format without gaps.
    #[must_use]
    pub fn is_contiguous_with(&self, format: MemoryFormat) -> bool {
        is_contiguous(self.sizes(), self.strides(), format) // or x.is_contiguous_with(MemoryFormat::Contiguous)
    }

    /// Whether the elements are real numbers with a fraction.
    #[must_use]
    pub fn is_floating_point(&self) -> bool {
        self.dtype().is_floating_point()
    }

    /// Whether the elements are complex numbers.
    #[must_use]
    pub fn is_complex(&self) -> bool {
        self.dtype().is_complex()
    }

    /// Whether the elements can be negative.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.dtype().is_signed()
    }
}
