//! New tensors, erased: filled, of given numbers. The typed constructors forward to these. Ranges of numbers are in `ranges.rs`.

use latten_spec::DType;

use crate::convert::{CastFrom, Written};
use crate::device::{Device, IntoDevice};
use crate::dtype::default_dtype;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::{strides_for, strides_of_copy};
use crate::geometry::{Geometry, dense_nbytes};
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::room::listed;
use crate::scalar::Scalar;
use crate::storage::UntypedStorage;

/// What a new tensor is like beside its shape; what is left out has the default of the function.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The dtype; without one, the default dtype, what the numbers suggest, or that of the tensor that the new one is like.
    pub dtype: Option<DType>,
    /// Where the data is; without one, the host, or where the data of the other tensor is.
    pub device: Option<Device>,
    /// The order of the dimensions in memory; without one, row-major, or that of the other tensor.
    pub format: Option<MemoryFormat>,
}

impl Options {
    /// Nothing but defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a dtype.
    #[must_use]
    pub fn dtype(self, dtype: DType) -> Self {
        Self { dtype: Some(dtype), ..self }
    }

    /// The same on a device.
    ///
    /// # Errors
    /// Where the text or the ordinal names none.
    pub fn device(self, device: impl IntoDevice) -> Result<Self> {
        Ok(Self { device: Some(device.into_device()?), ..self })
    }

    /// The same in a memory format.
    #[must_use]
    pub fn format(self, format: MemoryFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    fn dtype_for(&self, number: Scalar) -> DType {
        self.dtype.unwrap_or_else(|| number.dtype(default_dtype()))
    }
}

/// What says how a new tensor is to be: a [`DType`], a device (`"meta"`, a [`Device`]), both as a pair, or [`Options`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say what a new tensor is like",
    label = "neither a dtype nor a device",
    note = "give a `DType`, a device such as \"meta\", both as a pair, or `Options`"
)]
pub trait IntoOptions {
    /// The options.
    ///
    /// # Errors
    /// Where the text or the ordinal names no device.
    fn into_options(self) -> Result<Options>;
}

impl IntoOptions for Options {
    fn into_options(self) -> Result<Options> {
        Ok(self)
    }
}

impl IntoOptions for DType {
    fn into_options(self) -> Result<Options> {
        Ok(Options::new().dtype(self))
    }
}

impl<D: IntoDevice> IntoOptions for D {
    fn into_options(self) -> Result<Options> {
        Options::new().device(self)
    }
}

impl<D: IntoDevice> IntoOptions for (DType, D) {
    fn into_options(self) -> Result<Options> {
        Options::new().dtype(self.0).device(self.1)
    }
}

impl RawTensor {
    /// A new tensor whose elements are whatever was in its memory.
    ///
    /// # Errors
    /// Where the memory would be larger than can be, or the format doesn't suit the rank.
    pub fn new(sizes: &[usize], options: &Options) -> Result<Self> {
        let format = options.format.unwrap_or(MemoryFormat::Contiguous);
        if format == MemoryFormat::Preserve {
            return Err(Error::runtime("unsupported memory format Preserve"));
        }
        let dtype = options.dtype.unwrap_or_else(default_dtype);
        dense_nbytes(sizes, dtype.itemsize())?;
        Self::empty(sizes, &strides_for(format, sizes)?, dtype, options.device.unwrap_or(Device::CPU))
    }

    /// A new tensor of the same sizes; what the options leave out is as in this one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn new_like(&self, options: &Options) -> Result<Self> {
        let strides = strides_of_copy(options.format.unwrap_or_default(), self.sizes(), self.strides())?;
        Self::empty(self.sizes(), &strides, options.dtype.unwrap_or(self.dtype), options.device.unwrap_or_else(|| self.device()))
    }

    /// Zeros, or false.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn zeros(sizes: &[usize], options: &Options) -> Result<Self> {
        let tensor = Self::new(sizes, options)?;
        // A storage of its own, not yet shared: fresh pages are zero, and cost nothing until they are used.
        let storage = UntypedStorage::zeroed(tensor.storage.nbytes(), tensor.device())?;
        Ok(Self { storage, ..tensor })
    }

    /// The same number everywhere. Without a dtype it is the number's.
    ///
    /// # Errors
    /// As [`new`](Self::new), and where the number doesn't fit the dtype.
    pub fn full(sizes: &[usize], number: Scalar, options: &Options) -> Result<Self> {
        let options = options.dtype(options.dtype_for(number));
        let tensor = Self::new(sizes, &options)?;
        tensor.fill_(number)?;
        Ok(tensor)
    }

    /// Ones on the diagonal of a matrix of zeros.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn eye(rows: usize, columns: usize, options: &Options) -> Result<Self> {
        let matrix = Self::zeros(&[rows, columns], options)?;
        let diagonal = matrix.with_geometry(matrix.geometry.diagonal(0, 0, 1)?);
        diagonal.fill_elements(Scalar::Int(1))?;
        Ok(matrix)
    }

    /// Numbers that were written down, in row-major order. Without a dtype they decide it: complex, else floating, else integral.
    ///
    /// # Errors
    /// Where their number isn't that of the shape, or one doesn't fit the dtype.
    pub fn from_scalars(numbers: &[Scalar], sizes: &[usize], options: &Options) -> Result<Self> {
        let most = numbers.iter().copied().max_by_key(|number| number.category());
        let dtype = options.dtype.unwrap_or_else(|| most.map_or_else(default_dtype, |number| number.dtype(default_dtype())));
        check_count(numbers.len(), sizes)?;
        for number in numbers {
            number.check(dtype, Written::Literal)?;
        }
        let numbers = Self::counted(numbers.len(), dtype, &Options::new(), |i| numbers[i])?;
        let contiguous = numbers.with_geometry(Geometry::contiguous(sizes));
        if options.device.is_none() && options.format.is_none() {
            return Ok(contiguous);
        }
        let tensor = Self::new(sizes, &options.dtype(dtype))?;
        tensor.copy_(&contiguous)?;
        Ok(tensor)
    }

    /// The memory of a `Vec`, taken over without a copy.
    ///
    /// # Errors
    /// Where its length isn't that of the shape.
    pub fn from_vec<T: Native>(numbers: Vec<T>, sizes: &[usize]) -> Result<Self> {
        check_count(numbers.len(), sizes)?;
        Ok(Self { storage: UntypedStorage::from_vec(numbers), dtype: T::DTYPE, geometry: Geometry::contiguous(sizes), history: None })
    }

    /// All elements of a storage, in row-major order.
    ///
    /// # Errors
    /// Where their number isn't that of the shape.
    pub(crate) fn of_all(storage: &UntypedStorage, dtype: DType, sizes: &[usize]) -> Result<Self> {
        check_count(storage.nbytes() / dtype.itemsize(), sizes)?;
        Self::over(storage.clone(), dtype, Geometry::contiguous(sizes))
    }

    /// One dimension, each element made from its index.
    fn counted(count: usize, dtype: DType, options: &Options, at: impl Fn(usize) -> Scalar) -> Result<Self> {
        let tensor = Self::new(&[count], &Options { format: None, ..options.dtype(dtype) })?;
        if !tensor.is_meta() {
            match_dtype!(dtype, T => {
                let numbers: Vec<T> = listed((0..count).map(|i| T::cast_from(at(i))))?;
                tensor.copy_(&Self::from_vec(numbers, &[count])?)?;
            }, else {
                let numbers: Vec<f64> = listed((0..count).map(|i| f64::cast_from(at(i))))?;
                tensor.copy_(&Self::from_vec(numbers, &[count])?)?;
            });
        }
        Ok(tensor)
    }
}

fn check_count(count: usize, sizes: &[usize]) -> Result<()> {
    let numel = crate::geometry::numel(sizes)?;
    if count == numel { Ok(()) } else { Err(Error::runtime(format!("shape '{sizes:?}' is invalid for input of size {count}"))) }
}
