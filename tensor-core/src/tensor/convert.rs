//! The same numbers elsewhere: in another dtype, another order of strides, on another device; and copies.

use half::{bf16, f16};
use latten_spec::{DType, promote_levels};
use num_complex::Complex;

use super::{Operand, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::device::{DeviceType, IntoDevice};
use crate::element::{Any, Element, Native};
use crate::error::{Result, proved};
use crate::layout::MemoryFormat;
use crate::scalar::Scalar;
use crate::shape::Shape;

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// The same numbers in another dtype; a tensor that has it already shares its storage with the result.
        ///
        /// Anything converts into anything: floats are truncated, integers wrap, complex numbers lose their imaginary part.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let counts = Tensor::from([1_i64, 2]);
        /// assert_eq!((counts.to::<f32>() / 4.0).to_vec(), [0.25, 0.5]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Panics
        /// Where the storage was shrunk below the tensor.
        #[must_use]
        #[track_caller]
        pub fn to<F: Native>( // x.to::<f64>(), x.to_dtype(DType::F64)?; x.cuda()?, x.to_device("cuda:1")?
            &self,
        ) -> Tensor<F, S> {
            proved(made(Function::ToDType, &[self.raw().into(), F::DTYPE.into()]))
        }
    }

    as_written! {
        /// [`to`](Self::to) a dtype that only the run knows.
        ///
        /// # Errors
        /// For quantised dtypes, and where the storage was shrunk below the tensor.
        pub fn to_dtype(&self, dtype: DType) -> Result<Tensor<Any, S>> { // to a Rust type: x.to::<f32>()
            made(Function::ToDType, &[self.raw().into(), dtype.into()])
        }
    }

    /// The same numbers on a device: itself, where it is there.
    ///
    /// # Errors
    /// Where this build can't use the device, and out of meta tensors, which have no data.
    pub fn to_device(&self, device: impl IntoDevice) -> Result<Self> {
        made(Function::To, &[self.raw().into(), device.into_device()?.into()])
    }

    /// The same numbers on the current CUDA device.
    ///
    /// # Errors
    /// Where there is none, and out of meta tensors.
    pub fn cuda(&self) -> Result<Self> {
        self.to_device(DeviceType::Cuda)
    }

    /// The same numbers on the host.
    ///
    /// # Errors
    /// Out of meta tensors, and where the device that they are on has failed.
    pub fn cpu(&self) -> Result<Self> {
        self.to_device(DeviceType::Cpu)
    }

    /// PyTorch's `to(device, non_blocking=True)`: [`to_device`](Self::to_device) that doesn't wait. It goes on while a CUDA device copies
    /// from page-locked memory, or into such memory, in which the result is then. Whoever looks at the numbers waits for them.
    ///
    /// # Errors
    /// As [`to_device`](Self::to_device).
    pub fn to_device_non_blocking(&self, device: impl IntoDevice) -> Result<Self> {
        made(Function::To, &[self.raw().into(), device.into_device()?.into(), CallArgument::None, true.into()])
    }

    /// PyTorch's `copy_(source, non_blocking=True)`: [`copy_`](Self::copy_) that doesn't wait where one of the two is in page-locked
    /// memory and the other on a CUDA device.
    ///
    /// # Errors
    /// As [`copy_`](Self::copy_).
    pub fn copy_non_blocking_<F: Element, R: Shape>(&mut self, source: &Tensor<F, R>) -> Result<&mut Self> {
        self.changed(Function::Copy, &[source.raw().into(), true.into()])
    }

    /// The same numbers in a memory format: itself, where the strides suggest that format.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, and where the storage was shrunk below the tensor.
    pub fn to_format(&self, format: MemoryFormat) -> Result<Self> {
        made(Function::ToDType, &[self.raw().into(), self.dtype().into(), CallArgument::None, CallArgument::None, format.into()])
    }

    as_written! {
        /// The same numbers in row-major order: itself, where they are.
        ///
        /// # Panics
        /// Where the storage was shrunk below the tensor.
        #[must_use]
        #[track_caller]
        pub fn contiguous( // or picture.contiguous_with(MemoryFormat::ChannelsLast)?
            &self,
        ) -> Self {
            proved(self.contiguous_with(MemoryFormat::Contiguous))
        }
    }

    /// The same numbers in the order of a memory format: itself, where they are.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, and where the storage was shrunk below the tensor.
    pub fn contiguous_with(&self, format: MemoryFormat) -> Result<Self> {
        made(Function::Contiguous, &[self.raw().into(), format.into()])
    }

    /// A copy in a memory format.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, and where the storage was shrunk below the tensor.
    pub fn clone_with(&self, format: MemoryFormat) -> Result<Self> {
        made(Function::Clone, &[self.raw().into(), format.into()])
    }

    /// Copies the elements of another tensor into this one, broadcast and converted whatever their dtypes.
    ///
    /// # Errors
    /// Where the shapes don't fit or the memory overlaps in part; then nothing was changed.
    pub fn copy_<F: Element, R: Shape>(&mut self, source: &Tensor<F, R>) -> Result<&mut Self> {
        self.changed(Function::Copy, &[source.raw().into()])
    }

    /// The number in every element. What a tensor holds is put there by [`copy_`](Self::copy_).
    ///
    /// # Errors
    /// Where it doesn't fit the dtype; then nothing was changed.
    pub fn fill_(&mut self, number: impl Into<Scalar>) -> Result<&mut Self> {
        self.changed(Function::Fill, &[CallArgument::Number(number.into())])
    }

    /// Zero, or false, in every element.
    ///
    /// # Errors
    /// Where the storage was shrunk below the tensor.
    pub fn zero_(&mut self) -> Result<&mut Self> {
        self.changed(Function::Zero, &[])
    }
}

/// A copy of the data, with the strides of a dense tensor or in their order.
///
/// # Panics
/// Where the storage was shrunk below the tensor.
impl<E: Element, S: Shape> Clone for Tensor<E, S> {
    #[track_caller]
    fn clone(&self) -> Self {
        proved(self.clone_with(MemoryFormat::Preserve))
    }
}

/// PyTorch's short names for `to::<T>()`.
macro_rules! casts {
    ($($name:ident $native:ty)+) => {
        impl<E: Element, S: Shape> Tensor<E, S> { $(
            #[doc = concat!("The same numbers as `", stringify!($native), "`: [`to`](Self::to).")]
            #[must_use]
            #[track_caller]
            pub fn $name(&self) -> Tensor<$native, S> {
                self.to()
            }
        )+ }
    };
}

casts! {
    bool bool
    byte u8 char i8 short i16 int i32 long i64
    half f16 bfloat16 bf16 float f32 double f64
    chalf Complex<f16> cfloat Complex<f32> cdouble Complex<f64>
}

/// The dtype that two operands, tensors or numbers, compute in, as PyTorch's `result_type` says it.
///
/// ```
/// # use latten_core::{dtype::DType, tensor::{Tensor, result_type}};
/// let counts = Tensor::from([1_i32, 2]);
/// assert_eq!((result_type(&counts, 1)?, result_type(&counts, 1.0)?), (DType::I32, DType::F32));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where their dtypes have none.
pub fn result_type(first: impl Operand, second: impl Operand) -> Result<DType> {
    promote_levels([first.erased().promoting(), second.erased().promoting()])
}
