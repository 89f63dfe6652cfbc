//! Copies of one tensor with its elements elsewhere or repeated: `flip`, `roll`, `rot90`, `repeat`, `tile`. PyTorch has no views for
//! them, since strides are never negative.

use crate::copy::{lane, threads};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::strides::fastest_first;
use crate::geometry::strides::is_contiguous;
use crate::geometry::{Dims, count, times, wrap_dim, wrap_distinct_dims, wrap_existing_dim};
use crate::joins::cat;
use crate::kernels::block::{Pieces, Writer, copy};
use crate::kernels::parts::hand_out;
use crate::kernels::places::{Places, by_size};
use crate::layout::MemoryFormat;
use crate::outputs::held;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::Access;
use crate::views::signed;

/// Elements of one thread's part.
const PART: usize = 64 * 1024;

/// The walk of `flip`, innermost dimension first: neighbours that go the same way through both tensors are one dimension.
struct FlipWalk {
    sizes: Dims,
    from: Dims,
    to: Dims,
    backwards: Vec<bool>,
}

impl FlipWalk {
    fn new(from: &RawTensor, to: &RawTensor, flipped: &[usize]) -> Self {
        let mut walk = Self { sizes: Dims::new(), from: Dims::new(), to: Dims::new(), backwards: Vec::new() };
        for d in fastest_first(to.sizes(), &[to.strides()]) {
            let (size, from, to, back) = (from.sizes()[d], from.strides()[d], to.strides()[d], flipped.contains(&d));
            if size == 1 {
                continue;
            }
            let last = walk.sizes.len().checked_sub(1);
            let goes_on = |&l: &usize| {
                walk.backwards[l] == back && from == times(walk.from[l], walk.sizes[l]) && to == times(walk.to[l], walk.sizes[l])
            };
            if let Some(last) = last.filter(goes_on) {
                walk.sizes[last] *= size;
                continue;
            }
            walk.sizes.push(size);
            walk.from.push(from);
            walk.to.push(to);
            walk.backwards.push(back);
        }
        walk
    }
}

/// From the last elements of the dimensions on, backwards.
#[cfg(feature = "cuda")]
fn flip_on_device(input: &RawTensor, flipped: &[usize], out: RawTensor) -> Result<RawTensor> {
    let last: usize = flipped.iter().map(|&dim| (input.sizes()[dim] - 1) * input.strides()[dim]).sum();
    let stride = |(dim, stride): (usize, &usize)| if flipped.contains(&dim) { -stride.cast_signed() } else { stride.cast_signed() };
    let strides = input.strides().iter().enumerate().map(stride).collect();
    let far = crate::launch::Far { tensor: input, start: input.storage_offset() + last, strides };
    crate::launch::GridPlaces { sizes: out.sizes(), near: (&out, out.strides()), far, named: &[] }.pick()?;
    Ok(out)
}

impl RawTensor {
    /// PyTorch's `flip`: a copy with some dimensions in reverse.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    pub fn flip(&self, dims: &[isize]) -> Result<Self> {
        let flipped = wrap_distinct_dims(dims, self.rank())?;
        let out = self.empty_like(self.dtype, MemoryFormat::Preserve)?;
        if self.is_meta() || self.sizes().contains(&0) {
            return Ok(out);
        }
        #[cfg(feature = "cuda")]
        if self.device().kind() == crate::device::DeviceType::Cuda {
            return flip_on_device(self, &flipped, out);
        }
        let walk = FlipWalk::new(self, &out, &flipped);
        let access = Access::lock(&[&out.storage], &[&self.storage])?;
        let from = lane(&access, self, &walk.sizes, &walk.from)?.reversed(&walk.sizes, &walk.backwards);
        let to = lane(&access, &out, &walk.sizes, &walk.to)?;
        copy(&walk.sizes, &from, &to, threads(&out))?;
        drop(access);
        Ok(out)
    }

    /// PyTorch's `roll`: a copy with the elements moved along dimensions, those that leave at the end coming back at the start.
    /// Without dimensions, the tensor counts as one row.
    ///
    /// # Errors
    /// Where there are no such dimensions, or not one shift for each.
    pub fn roll(&self, shifts: &[isize], dims: &[isize]) -> Result<Self> {
        match (shifts, dims) {
            ([], _) => Err(Error::runtime("`shifts` required")),
            ([shift], []) => {
                let row = self.contiguous(MemoryFormat::Contiguous)?.view(&[self.numel().cast_signed()])?;
                row.rolled(*shift, 0)?.view(&signed(self.sizes()))
            }
            ([shift], [dim]) => self.rolled(*shift, *dim),
            _ if shifts.len() != dims.len() => {
                Err(Error::runtime(format!("shifts and dimensions must align. shifts: {}, dims:{}", shifts.len(), dims.len())))
            }
            _ => {
                let first = self.rolled(shifts[0], dims[0])?;
                shifts.iter().zip(dims).skip(1).try_fold(first, |rolled, (&shift, &dim)| rolled.rolled(shift, dim))
            }
        }
    }

    fn rolled(&self, shift: isize, dim: isize) -> Result<Self> {
        if self.sizes().contains(&0) {
            return self.clone_as(MemoryFormat::Preserve);
        }
        let dim = wrap_existing_dim(dim, self.rank())?;
        let size = self.sizes()[dim].cast_signed();
        let start = (size - shift.rem_euclid(size)) % size;
        let row_major = is_contiguous(self.sizes(), self.strides(), MemoryFormat::Contiguous);
        if row_major && !self.is_meta() && !self.is_on_cuda() {
            let inner = count(&self.sizes()[dim + 1..]);
            return self.turned_around(inner * size.cast_unsigned(), inner * start.cast_unsigned());
        }
        let dim = dim.cast_signed();
        cat(&[&self.narrow(dim, start, size - start)?, &self.narrow(dim, 0, start)?], dim, Target::New)
    }

    /// A copy of neighbours, of which each `around` begin at number `start` of them and go on around their end.
    fn turned_around(&self, around: usize, start: usize) -> Result<Self> {
        let out = self.empty_like(self.dtype, MemoryFormat::Contiguous)?;
        held(
            &[&out],
            &[self],
            |_| Ok(()),
            |access| {
                by_size!(self.dtype, T => {
                    let (input, out) = (self.as_bits(), out.as_bits());
                    let from = Places::<T>::new(access, &input.storage)?;
                    let mut writer = Writer::<T>::new(access, &out, T::DTYPE, &[&input])?;
                    hand_out(&mut writer.pieces(Pieces::of(PART)), &|_, mut piece| {
                        let mut at = 0;
                        while at < piece.len() {
                            let (first, inside) = ((piece.first() + at) / around * around, (piece.first() + at) % around);
                            let (from_start, left) =
                                if inside < around - start { (inside + start, around - start - inside) } else { (inside + start - around, around - inside) };
                            let len = left.min(piece.len() - at);
                            from.copy_to(input.geometry.offset + first + from_start, piece.room(at, len));
                            piece.put(at, len);
                            at += len;
                        }
                    });
                });
                Ok(())
            },
        )?;
        Ok(out)
    }

    /// PyTorch's `rot90`: a copy turned `k` times by a quarter in the plane of two dimensions, from the first towards the second.
    ///
    /// # Errors
    /// Where the tensor or `dims` hasn't got two different dimensions.
    pub fn rot90(&self, k: isize, dims: &[isize]) -> Result<Self> {
        let &[dim0, dim1] = dims else {
            return Err(Error::runtime(format!("expected total rotation dims == 2, but got dims = {}", dims.len())));
        };
        if self.rank() < 2 {
            return Err(Error::runtime(format!("expected total dims >= 2, but got total dims = {}", self.rank())));
        }
        if wrap_dim(dim0, self.rank())? == wrap_dim(dim1, self.rank())? {
            return Err(Error::runtime(format!("expected rotation dims to be different, but got dim0 = {dim0} and dim1 = {dim1}")));
        }
        match k.rem_euclid(4) {
            1 => self.flip(&[dim1])?.transpose(dim0, dim1),
            2 => self.flip(dims),
            3 => self.flip(&[dim0])?.transpose(dim0, dim1),
            _ => self.clone_as(MemoryFormat::Contiguous),
        }
    }

    /// PyTorch's `repeat`: that many copies along each dimension, new dimensions in front.
    ///
    /// # Errors
    /// For fewer numbers than dimensions, and negative ones.
    pub fn repeat(&self, repeats: &[isize]) -> Result<Self> {
        let Some(lead) = repeats.len().checked_sub(self.rank()) else {
            return Err(Error::runtime("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"));
        };
        let padded: Dims = std::iter::repeat_n(1, lead).chain(self.sizes().iter().copied()).collect();
        let sizes: Vec<isize> = padded.iter().zip(repeats).map(|(&size, &n)| n.saturating_mul(size.cast_signed())).collect();
        let sizes = crate::geometry::checked_sizes(&sizes)?;
        let out = Self::empty(&sizes, &contiguous_strides(&sizes), self.dtype, self.device())?;
        if out.is_meta() || sizes.contains(&0) {
            return Ok(out);
        }
        // Each dimension as its copies and the elements of one: the tensor, with 1 for the copies, broadcasts to that.
        let copies: Vec<isize> = padded.iter().zip(repeats).flat_map(|(&size, &n)| [n, size.cast_signed()]).collect();
        let once: Vec<isize> = padded.iter().flat_map(|&size| [1, size.cast_signed()]).collect();
        out.view(&copies)?.copy_(&self.view(&once)?)?;
        Ok(out)
    }

    /// PyTorch's `tile`: [`repeat`](Self::repeat), where numbers that are left out are 1.
    ///
    /// # Errors
    /// For negative numbers.
    pub fn tile(&self, repeats: &[isize]) -> Result<Self> {
        let missing = self.rank().saturating_sub(repeats.len());
        self.repeat(&std::iter::repeat_n(1, missing).chain(repeats.iter().copied()).collect::<Vec<_>>())
    }
}
