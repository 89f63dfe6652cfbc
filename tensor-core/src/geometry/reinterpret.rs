//! Views of the same bytes as elements of another dtype.

use latten_spec::DType;

use super::{Geometry, numel, times};
use crate::error::{Error, Result};

impl Geometry {
    /// `view(dtype)`: the sizes and strides of the same bytes as elements of another size.
    pub fn view_dtype(&self, from: DType, to: DType) -> Result<Self> {
        let (old, new) = (from.itemsize(), to.itemsize());
        if old == new {
            return Ok(self.clone());
        }
        let what = || format!("to view {} as {} (different element sizes)", from.message_name(), to.message_name());
        let Some(last) = self.rank().checked_sub(1) else {
            return Err(Error::runtime(format!("self.dim() cannot be 0 {}", what())));
        };
        let dense = || match self.strides[last] {
            1 => Ok(()),
            stride => Err(Error::runtime(format!("self.stride(-1) must be 1 {}, but got {stride}", what()))),
        };
        let mut view = self.clone();
        if old > new {
            dense()?;
            let ratio = old / new;
            view.scale(last, |n| times(n, ratio));
            numel(&view.sizes)?;
            return Ok(view);
        }
        let ratio = new / old;
        let divisible = |name: &str, value: usize| {
            if value.is_multiple_of(ratio) {
                return Ok(());
            }
            Err(Error::runtime(format!("self.{name} must be divisible by {ratio} {}, but got {value}", what())))
        };
        divisible("size(-1)", self.sizes[last])?;
        divisible("storage_offset()", self.offset)?;
        dense()?;
        for d in 0..last {
            divisible(&format!("stride({d})"), self.strides[d])?;
        }
        view.scale(last, |n| n / ratio);
        Ok(view)
    }

    /// Counts the offset, the last size and all strides but the last in other units.
    fn scale(&mut self, last: usize, units: impl Fn(usize) -> usize) {
        self.offset = units(self.offset);
        self.sizes[last] = units(self.sizes[last]);
        self.strides[..last].iter_mut().for_each(|stride| *stride = units(*stride));
    }

    /// The real parts as elements of half the size.
    fn parts(&self) -> Self {
        let twice = |&n: &usize| times(n, 2);
        Self { sizes: self.sizes.clone(), strides: self.strides.iter().map(twice).collect(), offset: twice(&self.offset) }
    }

    /// `view_as_real`: a last dimension of real and imaginary part.
    pub fn view_as_real(&self, dtype: DType) -> Result<Self> {
        if !dtype.is_complex() {
            return Err(Error::type_error("view_as_real is only supported for complex tensors"));
        }
        let mut view = self.parts();
        view.sizes.push(2);
        view.strides.push(1);
        numel(&view.sizes)?;
        Ok(view)
    }

    /// `real`: the real parts; a real tensor is its own.
    #[must_use]
    pub fn real(&self, dtype: DType) -> Self {
        if dtype.is_complex() { self.parts() } else { self.clone() }
    }

    /// `imag`: the imaginary parts.
    pub fn imag(&self, dtype: DType) -> Result<Self> {
        if !dtype.is_complex() {
            return Err(Error::type_error("imag is not implemented for tensors with non-complex dtypes."));
        }
        let mut view = self.parts();
        view.offset += 1;
        Ok(view)
    }

    /// `view_as_complex`: the last dimension, of size 2, as real and imaginary part.
    pub fn view_as_complex(&self, dtype: DType) -> Result<Self> {
        if dtype.is_complex() {
            return Err(Error::type_error("view_as_complex is not supported for complex tensors"));
        }
        if !matches!(dtype, DType::F16 | DType::F32 | DType::F64) {
            return Err(Error::not_implemented(format!(
                "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}",
                dtype.message_name()
            )));
        }
        let refused = |text: &str| Err(Error::runtime(text));
        let Some(last) = self.rank().checked_sub(1) else {
            return refused("Input tensor must have one or more dimensions");
        };
        if self.sizes[last] != 2 {
            return refused("Tensor must have a last dimension of size 2");
        }
        if self.strides[last] != 1 {
            return refused("Tensor must have a last dimension with stride 1");
        }
        // The stride of a dimension of size 1 leads nowhere.
        if (0..last).any(|dim| self.sizes[dim] != 1 && !self.strides[dim].is_multiple_of(2)) {
            return refused("Tensor must have a stride divisible by 2 for all but last dimension");
        }
        if !self.offset.is_multiple_of(2) {
            return refused("Tensor must have a storage_offset divisible by 2");
        }
        Ok(Self {
            sizes: self.sizes[..last].into(),
            strides: self.strides[..last].iter().map(|stride| stride / 2).collect(),
            offset: self.offset / 2,
        })
    }
}
