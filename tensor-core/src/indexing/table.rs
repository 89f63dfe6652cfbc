//! Rows of which each gives the elements at the same places: these are looked up once.

use super::{BLOCK, Indices, OffsetStep, Offsets, Outside, PART, base};
use crate::element::Native;
use crate::error::Result;
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::parts::hand_out;
use crate::kernels::places::{Places, by_size};
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::Access;

/// Where each row begins, and how far the indices lead from there.
pub(super) struct Table(Offsets);

impl Table {
    /// Of so many indices, with the sizes and strides of what comes before them. Where they are few, the table is that of several rows.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub(super) fn new(
        indices: &Indices<'_>,
        count: usize,
        start: usize,
        [sizes, strides]: [&[usize]; 2],
        outside: &Outside,
    ) -> Result<Self> {
        let mut table = filled(count, 0)?;
        let none = Offsets::new(0, []);
        for (first, places) in (0..).step_by(BLOCK).zip(table.chunks_mut(BLOCK)) {
            indices.lead(&none, first, places, outside);
        }
        let mut walk = Offsets::new(start, sizes.iter().zip(strides).map(|(&size, &stride)| (size, OffsetStep::By(stride))));
        if let [(rows, OffsetStep::By(step))] = &mut walk.dims[..] {
            let each = (BLOCK / count.max(1)).clamp(1, *rows);
            let one = table;
            table = filled(each * count, 0)?;
            for (row, places) in table.chunks_exact_mut(count.max(1)).enumerate() {
                places.iter_mut().zip(&one).for_each(|(to, place)| *to = row * *step + place);
            }
            (*rows, *step) = (rows.div_ceil(each), *step * each);
        }
        walk.dims.push((table.len(), OffsetStep::To(table)));
        Ok(Self(walk))
    }

    /// Fills a tensor, in row-major order, with the elements of another one; both are held.
    ///
    /// # Errors
    /// For a tensor on a device.
    pub(super) fn pick(&self, access: &Access<'_>, input: &RawTensor, out: &RawTensor) -> Result<()> {
        by_size!(input.dtype(), T => self.pick_as::<T>(access, &input.as_bits(), &out.as_bits()))
    }

    fn pick_as<T: Native + Default>(&self, access: &Access<'_>, input: &RawTensor, out: &RawTensor) -> Result<()> {
        let Some(((size, OffsetStep::To(table)), outer)) = self.0.dims.split_last() else { return Ok(()) };
        let from = Places::<T>::new(access, input.storage())?;
        let mut writer = Writer::<T>::new(access, out, T::DTYPE, &[input])?;
        hand_out(&mut writer.pieces(Pieces::of(PART)), &|_, mut piece| {
            let (first, len) = (piece.first(), piece.len());
            let mut done = 0;
            while done < len {
                let (row, at) = ((first + done) / size, (first + done) % size);
                let some = (size - at).min(len - done).min(BLOCK);
                from.gather(base(outer, self.0.start, row), &table[at..at + some], piece.room(done, some));
                piece.put(done, some);
                done += some;
            }
        });
        Ok(())
    }
}
