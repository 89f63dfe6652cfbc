//! Results of work on matrices, which is done in a batch: where their numbers are written, and the tensors that they are then.

use latten_spec::DType;
use smallvec::SmallVec;

use super::batch::Batch;
use super::number::MatrixNumber;
use super::spread::{MatrixRoom, MatrixSpread};
use crate::convert::CastFrom;
use crate::device::Device;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::outputs::is_all;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::{SliceMut, TypedStorage};

/// Numbers that are still to come: those of a new tensor, in row-major order, or of one that is offered, as it lies.
pub(super) struct MadeNumbers<T: Native> {
    tensor: RawTensor,
    numbers: Option<SliceMut<'static, T>>,
}

impl<T: Native> MadeNumbers<T> {
    /// Of those sizes, of a new tensor of the other one's dtype; of a meta tensor there are none.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(sizes: &[usize], like: &RawTensor) -> Result<Self> {
        let mut own = Self::unheld(Target::New, sizes, like)?;
        own.hold()?;
        Ok(own)
    }

    /// The same before they are held, and where the target says.
    fn unheld(to: Target<'_>, sizes: &[usize], like: &RawTensor) -> Result<Self> {
        let device = if like.is_meta() { like.device() } else { Device::CPU };
        // Numbers of half the size are computed as wider ones: then an output of these is not of the dtype of the result, and will be refused.
        let fits = |out: &RawTensor| out.dtype() == like.dtype() && (out.numel() == 0 || MatrixSpread::of(out).is_some());
        let to = if to.lying(sizes, T::DTYPE, device).is_some_and(fits) { to } else { Target::New };
        let tensor = to.as_it_lies(sizes, &contiguous_strides(sizes), T::DTYPE, device)?;
        Ok(Self { tensor, numbers: None })
    }

    /// Has nobody else use them from now on; where somebody keeps them, new ones take their place.
    fn hold(&mut self) -> Result<()> {
        if self.tensor.is_meta() || self.tensor.numel() == 0 {
            return Ok(());
        }
        let lent = |tensor: &RawTensor| TypedStorage::<T>::of(tensor.storage().clone()).slice_mut();
        self.numbers = match lent(&self.tensor) {
            Ok(numbers) if self.tensor.check_inside().is_ok() => Some(numbers),
            Ok(_) | Err(_) => {
                let sizes = self.tensor.sizes();
                self.tensor = RawTensor::empty(sizes, &contiguous_strides(sizes), T::DTYPE, Device::CPU)?;
                Some(lent(&self.tensor)?)
            }
        };
        Ok(())
    }

    /// Those of a result of matrices, of those sizes, beside which these are held: all in one order, so that no two operations wait for each other.
    ///
    /// # Errors
    /// Where there is no memory, and where this thread keeps a slice of the matrices that is in the way.
    pub(super) fn beside<N, const B: usize>(
        to: Target<'_>,
        sizes: &[usize],
        like: &RawTensor,
        batches: [&mut Batch<T, N>; B],
    ) -> Result<Self>
    where
        T: CastFrom<N>,
        N: MatrixNumber + CastFrom<T>,
    {
        let mut own = Self::unheld(to, sizes, like)?;
        Self::hold_all([&mut own], batches)?;
        Ok(own)
    }

    /// Those of two results.
    ///
    /// # Errors
    /// As [`beside`](Self::beside).
    pub(super) fn both<N>(to: [Target<'_>; 2], sizes: [&[usize]; 2], like: &RawTensor, batch: &mut Batch<T, N>) -> Result<[Self; 2]>
    where
        T: CastFrom<N>,
        N: MatrixNumber + CastFrom<T>,
    {
        let mut own = [Self::unheld(to[0], sizes[0], like)?, Self::unheld(to[1], sizes[1], like)?];
        Self::hold_all(own.each_mut(), [batch])?;
        Ok(own)
    }

    fn hold_all<N, const M: usize, const B: usize>(own: [&mut Self; M], mut batches: [&mut Batch<T, N>; B]) -> Result<()>
    where
        T: CastFrom<N>,
        N: MatrixNumber + CastFrom<T>,
    {
        let made = own.iter().map(|own| Some(own.tensor.storage().place_in_order()));
        let places = batches.iter().map(|batch| batch.place()).chain(made);
        let mut order: SmallVec<[(usize, usize); 3]> = places.enumerate().filter_map(|(at, place)| Some((place?, at))).collect();
        order.sort_unstable();
        for (_, at) in order {
            match batches.get_mut(at) {
                Some(batch) => batch.hold()?,
                None => own[at - B].hold()?,
            }
        }
        Ok(())
    }

    /// Where they go.
    pub(super) fn numbers(&mut self) -> MatrixRoom<'_, T> {
        let spread = if is_all::<T>(&self.tensor) || self.tensor.numel() == 0 { None } else { MatrixSpread::of(&self.tensor) };
        match (&mut self.numbers, spread) {
            (None, _) => MatrixRoom::in_order(&mut []),
            (Some(numbers), None) => MatrixRoom::in_order(numbers),
            (Some(numbers), Some(spread)) => MatrixRoom::spread(&mut numbers[self.tensor.storage_offset()..], spread),
        }
    }

    /// What was made, as a tensor of a dtype beside another one.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn tensor(self, to: Target<'_>, dtype: DType, like: &RawTensor) -> Result<RawTensor> {
        let Self { tensor, numbers } = self;
        drop(numbers);
        if (tensor.dtype(), tensor.device()) == (dtype, like.device()) {
            return Ok(tensor);
        }
        let sizes = tensor.sizes();
        let converted = to.as_it_lies(sizes, &contiguous_strides(sizes), dtype, like.device())?;
        converted.copy_(&tensor)?;
        Ok(converted)
    }
}

/// Whether a matrix is refused, and its result with it: where the first place of a diagonal that is zero isn't 0.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zeros {
    /// They are refused.
    Refused,
    /// Infinities and NaNs follow.
    Taken,
}

impl Zeros {
    pub(super) fn refuses(self, place: i32) -> bool {
        self == Self::Refused && place > 0
    }

    /// Where results are converted to: nowhere that is seen, if one is refused.
    pub(super) fn behind<'t>(self, to: Target<'t>, places: &[i32]) -> Target<'t> {
        if places.iter().any(|&place| self.refuses(place)) { Target::New } else { to }
    }
}
