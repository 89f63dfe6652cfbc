//! Parts of a tensor for several threads at once. Views, which share one lock, are in `views.rs`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::{DimArgument, Tensor};
use crate::call::{Call, Function, run};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::raw::RawTensor;
use crate::raw::mode::mode;
use crate::shape::{Shape, SizeInteger};
use crate::storage::Lease;

/// A tensor in parts, each with a lock of its own: threads that work on different parts don't wait for each other. It is a slice of tensors,
/// for scoped threads and for rayon's `par_iter_mut`.
///
/// While it is kept, the tensor is borrowed and nobody else uses its storage. Then handles of parts that somebody still has are empty.
pub struct PartsMut<'a, E: Element, S: Shape> {
    // Dropped before the lease, which empties what is left.
    parts: Vec<Tensor<E, S>>,
    _lease: Lease,
    of: PhantomData<&'a mut ()>,
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// That nothing would have to be recorded of what is written behind a call's back.
    pub(super) fn check_unrecorded(&self, name: &str) -> Result<()> {
        if self.requires_grad() && mode().records() {
            return Err(Error::runtime(format!("Can't call {name}() on Tensor that requires grad. Use tensor.detach().{name}() instead.")));
        }
        Ok(())
    }

    /// Parts of at most `size` along a dimension, each of which a thread may use while others use the others. Views can't be used so: all
    /// views of a storage wait for each other.
    ///
    /// The parts must lie one after the other in memory, as those along the first dimension of a contiguous tensor do.
    ///
    /// ```
    /// # use latten_core::tensor::DynTensor;
    /// # use latten_core::error::Result;
    /// # fn example(mut image: DynTensor) -> Result<()> {
    /// let mut rows = image.parts_mut(0, 64)?;
    /// std::thread::scope(|scope| {
    ///     for part in rows.iter_mut() {
    ///         scope.spawn(move || part.add_(1));
    ///     }
    /// });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the parts would lie between each other, where the size is 0, for tensors of devices and of mapped or shared memory, and where
    /// this thread keeps a slice of the storage.
    pub fn parts_mut<A: DimArgument<S>>(&mut self, dim: A, size: impl SizeInteger) -> Result<PartsMut<'_, E, A::Cut>> {
        let (dim, size) = (dim.dim(), size.to_isize());
        if size == 0 {
            return Err(Error::runtime("parts_mut: parts of size 0 would never end"));
        }
        self.check_unrecorded("parts_mut")?;
        self.raw().check_inside()?;
        let itemsize = self.raw().dtype().itemsize();
        let mut pieces = run(Call::new(Function::Split, &[self.raw().into(), size.into(), dim.into()]))?.several()?;
        pieces.retain(|piece| piece.numel() > 0);
        let place = |piece: &RawTensor| Ok(piece.storage_offset() * itemsize..piece.geometry().needed_bytes(itemsize)?);
        let ranges = pieces.iter().map(place).collect::<Result<Vec<_>>>()?;
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
            let (sizes, strides) = (self.sizes(), self.strides());
            return Err(Error::runtime(format!(
                "parts_mut: parts along dimension {dim} lie between each other: the first ends at byte {} and the next begins at byte {}; \
                 sizes {sizes:?}, strides {strides:?}",
                pair[0].end, pair[1].start
            )));
        }
        let lease = Lease::new(self.raw().storage(), &ranges)?;
        self.raw().storage().lineage().count();
        let part = |(piece, storage): (&RawTensor, &crate::storage::UntypedStorage)| {
            let geometry = Geometry { offset: 0, ..piece.geometry().clone() };
            RawTensor::over(storage.clone(), piece.dtype(), geometry).map(Tensor::proved)
        };
        let parts = pieces.iter().zip(lease.parts()).map(part).collect::<Result<_>>()?;
        Ok(PartsMut { parts, _lease: lease, of: PhantomData })
    }
}

impl<E: Element, S: Shape> Deref for PartsMut<'_, E, S> {
    type Target = [Tensor<E, S>];

    fn deref(&self) -> &Self::Target {
        &self.parts
    }
}

impl<E: Element, S: Shape> DerefMut for PartsMut<'_, E, S> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.parts
    }
}

impl<'p, E: Element, S: Shape> IntoIterator for &'p mut PartsMut<'_, E, S> {
    type Item = &'p mut Tensor<E, S>;
    type IntoIter = std::slice::IterMut<'p, Tensor<E, S>>;

    fn into_iter(self) -> Self::IntoIter {
        self.parts.iter_mut()
    }
}

impl<E: Element, S: Shape> fmt::Debug for PartsMut<'_, E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.parts).finish()
    }
}
