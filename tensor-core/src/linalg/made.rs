//! Results of work on matrices, which is done in a batch: where their numbers are written, and the tensors that they are then.

use latten_spec::DType;
use smallvec::SmallVec;

use super::batch::Batch;
use super::number::MatrixNumber;
use crate::convert::CastFrom;
use crate::device::Device;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::outputs::is_all;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::{SliceMut, TypedStorage};

/// Numbers in row-major order that are still to come: those of a new tensor, or of one that is offered and lies so.
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
        let to = match to {
            Target::Offered(out) if out.dtype() == like.dtype() && is_all::<T>(out) => to,
            Target::New | Target::Offered(_) | Target::InPlace(_) | Target::Out(..) => Target::New,
        };
        Ok(Self { tensor: to.fresh(sizes, &contiguous_strides(sizes), T::DTYPE, device)?, numbers: None })
    }

    /// Has nobody else use them from now on; where somebody keeps them, new ones take their place.
    fn hold(&mut self) -> Result<()> {
        if self.tensor.is_meta() || self.tensor.numel() == 0 {
            return Ok(());
        }
        let lent = |tensor: &RawTensor| TypedStorage::<T>::of(tensor.storage().clone()).slice_mut();
        self.numbers = match lent(&self.tensor) {
            Ok(numbers) if is_all::<T>(&self.tensor) => Some(numbers),
            Ok(_) | Err(_) => {
                self.tensor = RawTensor::empty(self.tensor.sizes(), self.tensor.strides(), T::DTYPE, Device::CPU)?;
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
        mut batches: [&mut Batch<T, N>; B],
    ) -> Result<Self>
    where
        T: CastFrom<N>,
        N: MatrixNumber + CastFrom<T>,
    {
        let mut own = Self::unheld(to, sizes, like)?;
        let places = batches.iter().map(|batch| batch.place()).chain([Some(own.tensor.storage().place_in_order())]);
        let mut order: SmallVec<[(usize, usize); 3]> = places.enumerate().filter_map(|(at, place)| Some((place?, at))).collect();
        order.sort_unstable();
        for (_, at) in order {
            match batches.get_mut(at) {
                Some(batch) => batch.hold()?,
                None => own.hold()?,
            }
        }
        Ok(own)
    }

    /// All of them.
    pub(super) fn numbers(&mut self) -> &mut [T] {
        self.numbers.as_mut().map_or(&mut [], |numbers| &mut numbers[..])
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
        let converted = to.fresh(tensor.sizes(), tensor.strides(), dtype, like.device())?;
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
