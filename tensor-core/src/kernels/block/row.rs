//! Few elements that lie next to each other, as kernels take them: without a grid, lanes and blocks.
#![expect(unsafe_code, reason = "makes runs of kernels over guarded rows")]

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use latten_spec::DType;

use super::conversion;
use crate::convert::CastFrom;
use crate::element::Native;
use crate::error::Result;
use crate::kernels::lane::is_plain;
use crate::kernels::run::{Elements, Kernel, Run};
use crate::kernels::transfer::MovedRows;
use crate::match_dtype;
use crate::scalar::Scalar;
use crate::storage::{Access, Bytes, Fresh, Glance, UntypedStorage};

/// Elements of one tensor that lie next to each other, as kernels take them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neighbours<'a> {
    elements: Elements,
    len: usize,
    guarded: PhantomData<&'a u8>,
}

impl<'a> Neighbours<'a> {
    /// No elements.
    pub(crate) const EMPTY: Self = Self {
        elements: Elements { start: NonNull::<[u64; 2]>::dangling().as_ptr().cast(), dtype: DType::U8 },
        len: 0,
        guarded: PhantomData,
    };

    /// That many elements from `offset` on, where they are a slice of their Rust type, of a storage whose guard is held.
    #[inline]
    pub(crate) fn new(access: &'a Access<'_>, storage: &UntypedStorage, dtype: DType, len: usize, offset: usize) -> Result<Option<Self>> {
        Ok(Self::of(access.bytes(storage)?, dtype, len, offset))
    }

    /// The same of a storage that is held for a moment.
    #[inline]
    pub(crate) fn glanced(glance: &'a Glance<'_>, dtype: DType, len: usize, offset: usize) -> Option<Self> {
        Self::of(glance.bytes(), dtype, len, offset)
    }

    /// The same of a storage that is held for writing.
    pub(crate) fn writable(
        access: &'a Access<'_>,
        storage: &UntypedStorage,
        dtype: DType,
        len: usize,
        offset: usize,
    ) -> Result<Option<Self>> {
        Ok(Self::of(access.writable(storage)?, dtype, len, offset))
    }

    /// The first elements of memory that only this row reaches.
    pub(crate) fn fresh(memory: &'a mut Fresh, dtype: DType, len: usize) -> Option<Self> {
        let bytes = memory.bytes();
        if dtype == DType::Bool && len <= bytes.len {
            // SAFETY: only the row reaches these bytes, and there are that many (just compared). As zeros they are elements.
            unsafe { bytes.start.write_bytes(0, len) };
            return Some(Self { elements: Elements { start: bytes.start, dtype }, len, guarded: PhantomData });
        }
        Self::of(bytes, dtype, len, 0)
    }

    /// A number that many times, where there is room.
    pub(crate) fn repeated(room: &'a mut Room, number: Scalar, dtype: DType, len: usize) -> Option<Self> {
        let row = Self::of(Bytes { start: room.as_mut_ptr().cast(), len: size_of::<Room>() }, dtype, len, 0)?;
        match_dtype!(dtype, T => {
            // SAFETY: a row is plain: aligned and inside the room, which is borrowed. What may be without a value needs none.
            let elements = unsafe { std::slice::from_raw_parts_mut(row.elements.start.cast::<MaybeUninit<T>>(), len) };
            elements.fill(MaybeUninit::new(T::cast_from(number)));
            Some(row)
        }, else None)
    }

    /// The elements again and again, where there is room for so many.
    ///
    /// # Panics
    /// Where there are none.
    pub(crate) fn tiled(&self, room: &'a mut Room, len: usize) -> Option<Self> {
        let row = Self::of(Bytes { start: room.as_mut_ptr().cast(), len: size_of::<Room>() }, self.elements.dtype, len, 0)?;
        let [own, all] = [self.len, len].map(|len| len * self.elements.dtype.itemsize());
        assert!(0 < own && own <= all, "elements, and no fewer of them");
        // SAFETY: the row is guarded and has as many bytes; the room is borrowed, nobody else's, and has `all` of them.
        unsafe { std::ptr::copy_nonoverlapping(self.elements.start, row.elements.start, own) };
        let mut filled = own;
        while filled < all {
            let more = filled.min(all - filled);
            // SAFETY: both parts lie in the room, the second behind the first, which has been written.
            unsafe { std::ptr::copy_nonoverlapping(row.elements.start, row.elements.start.wrapping_add(filled), more) };
            filled += more;
        }
        Some(row)
    }

    /// That many of its elements, from a place on.
    ///
    /// # Panics
    /// Where it has fewer.
    #[inline]
    pub(crate) fn part(&self, start: usize, len: usize) -> Self {
        assert!(start.checked_add(len).is_some_and(|end| end <= self.len), "elements of the row");
        let Elements { start: first, dtype } = self.elements;
        Self { elements: Elements { start: first.wrapping_add(start * dtype.itemsize()), dtype }, len, ..*self }
    }

    #[inline]
    fn of(bytes: Bytes, dtype: DType, len: usize, offset: usize) -> Option<Self> {
        let item = dtype.itemsize();
        let inside = offset.checked_add(len).and_then(|end| end.checked_mul(item)).is_some_and(|end| end <= bytes.len);
        let start = bytes.start.wrapping_add(offset.wrapping_mul(item));
        (inside && is_plain(start, dtype)).then_some(Self { elements: Elements { start, dtype }, len, guarded: PhantomData })
    }

    /// The elements, where they are of that type.
    pub(crate) fn slice<T: Native>(&self) -> Option<&[T]> {
        let start = self.elements.start.cast::<T>().cast_const();
        // SAFETY: the row is guarded and plain: aligned, and valid whatever the bytes; the dtype is compared.
        (self.elements.dtype == T::DTYPE).then(|| unsafe { std::slice::from_raw_parts(start, self.len) })
    }

    /// The first element, where there is one.
    pub(crate) fn number(&self) -> Option<Scalar> {
        match_dtype!(self.elements.dtype, T => self.slice::<T>()?.first().map(|&number| number.into()), else None)
    }

    /// Sets the only element of this row, which is to be writable.
    ///
    /// # Panics
    /// Where it isn't the only one, or of another type.
    pub(crate) fn set<T: Native>(&self, value: T) {
        assert!(self.len == 1 && self.elements.dtype == T::DTYPE, "one element of that type");
        // SAFETY: the row is guarded, aligned and of that type (just compared).
        unsafe { self.elements.start.cast::<T>().write(value) };
    }

    /// Converts the elements of another row into this one, which is to be writable.
    ///
    /// # Errors
    /// Where there is no such conversion.
    ///
    /// # Panics
    /// Where they aren't equally long, or share bytes.
    pub(crate) fn convert(&self, from: &Neighbours<'_>) -> Result<()> {
        let transfer = conversion(from.elements.dtype, self.elements.dtype)?;
        assert!(from.len == self.len && from.is_apart_from(self), "rows of their own, of one length");
        let steps = |row: &Neighbours<'_>| [row.elements.dtype.itemsize(), 0];
        let (from_steps, to_steps) = (steps(from), steps(self));
        let rows = MovedRows { from: from.elements.start, to: self.elements.start, from_steps, to_steps, counts: [self.len, 1] };
        // SAFETY: rows are guarded and initialised, and these share no bytes (just asserted).
        unsafe { transfer(rows) };
        Ok(())
    }

    /// Whether it shares no byte with another.
    fn is_apart_from(&self, other: &Self) -> bool {
        let ends = |row: &Self| (row.elements.start.addr(), row.elements.start.addr() + row.len * row.elements.dtype.itemsize());
        let ((start, end), (other_start, other_end)) = (ends(self), ends(other));
        end <= other_start || other_end <= start
    }

    /// Computes this row, which is to be writable, from others.
    ///
    /// # Panics
    /// Where they aren't equally long, or an operand shares bytes with this one.
    #[inline]
    pub(crate) fn compute<const OPERANDS: usize>(&self, kernel: Kernel, operands: &[Neighbours<'_>; OPERANDS], params: &[Scalar]) {
        assert!(operands.iter().all(|operand| operand.len == self.len && operand.is_apart_from(self)), "rows of their own, of one length");
        let elements = elements(operands, self.elements);
        // SAFETY: rows are plain and guarded, and no operand shares bytes with this one.
        kernel.run(unsafe { Run::new(self.elements, &elements, params, self.len) });
    }

    /// The same where the first operand is this row itself; says whether, which it doesn't where it has too many elements.
    ///
    /// # Panics
    /// Where they aren't equally long, or another one shares bytes with this one.
    pub(crate) fn change<const OPERANDS: usize>(&self, kernel: Kernel, operands: &[Neighbours<'_>; OPERANDS], params: &[Scalar]) -> bool {
        let others = || operands.iter().skip(1).all(|other| other.len == self.len && other.is_apart_from(self));
        if kernel.changes() == Some(0) && self.elements.start == operands[0].elements.start {
            assert!(others(), "rows of their own, of one length");
            let elements = elements(operands, self.elements);
            // SAFETY: rows are plain and guarded, the first operand is this row, and the others share no bytes with it.
            kernel.change(unsafe { Run::new(self.elements, &elements, params, self.len) });
            return true;
        }
        let nbytes = self.len * self.elements.dtype.itemsize();
        if nbytes > size_of::<Room>() {
            return false;
        }
        // A kernel reads nothing of what it writes, and writes all of it.
        let mut room = ROOM;
        let between =
            Neighbours { elements: Elements { start: room.as_mut_ptr().cast(), ..self.elements }, len: self.len, guarded: PhantomData };
        between.compute(kernel, operands, params);
        assert!(others(), "rows of their own, of one length");
        // SAFETY: both have that many bytes (just compared), and the row is guarded; the room is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(between.elements.start, self.elements.start, nbytes) };
        true
    }
}

/// The first elements of memory that only its owner reaches, where they are a slice of that type.
pub(crate) fn fresh_slice<T: Native>(memory: &mut Fresh, len: usize) -> Option<&mut [T]> {
    let start = Neighbours::fresh(memory, T::DTYPE, len)?.elements.start.cast::<T>();
    // SAFETY: a row is plain: aligned, inside its memory, and valid whatever the bytes; for the slice's life the memory is borrowed.
    Some(unsafe { std::slice::from_raw_parts_mut(start, len) })
}

/// Room for few elements, aligned for every dtype.
pub(crate) type Room = MaybeUninit<[[u64; 8]; LINES]>;

/// Room in which nothing is yet.
pub(crate) const ROOM: Room = MaybeUninit::uninit();

const LINES: usize = 64;

/// What kernels are given of rows.
#[inline(always)]
fn elements<const ROWS: usize>(rows: &[Neighbours<'_>; ROWS], any: Elements) -> [Elements; ROWS] {
    let mut elements = [any; ROWS];
    for at in 0..ROWS {
        elements[at] = rows[at].elements;
    }
    elements
}

#[cfg(test)]
mod tests {
    use latten_spec::DType;
    use latten_spec::operation::Op;

    use super::{Neighbours, ROOM, Room, fresh_slice};
    use crate::device::Device;
    use crate::error::Result;
    use crate::kernels::kernel;
    use crate::scalar::Scalar;
    use crate::storage::{Access, Fresh, UntypedStorage};

    #[test]
    fn rows_of_new_memory_are_computed_converted_and_compared() -> Result<()> {
        let (mut room, mut sums, mut wide, mut flags) = (ROOM, Fresh::new(12)?, Fresh::new(24)?, Fresh::new(3)?);
        let two = Neighbours::repeated(&mut room, Scalar::Int(2), DType::F32, 3).expect("room for three");
        let mut given = Fresh::new(12)?;
        fresh_slice::<f32>(&mut given, 3).expect("three").copy_from_slice(&[1.0, 2.0, 3.0]);
        let given = Neighbours::fresh(&mut given, DType::F32, 3).expect("three");
        let sums = Neighbours::fresh(&mut sums, DType::F32, 3).expect("three");
        sums.compute(kernel(Op::Add, DType::F32).expect("a kernel"), &[given, two], &[Scalar::Float(1.0)]);
        assert_eq!(sums.slice::<f32>(), Some(&[3.0, 4.0, 5.0][..]));
        let wide = Neighbours::fresh(&mut wide, DType::F64, 3).expect("three");
        wide.convert(&sums)?;
        assert_eq!((wide.slice::<f64>(), wide.slice::<i64>()), (Some(&[3.0, 4.0, 5.0][..]), None));
        let flags = Neighbours::fresh(&mut flags, DType::Bool, 3).expect("three");
        flags.compute(kernel(Op::Gt, DType::F32).expect("a kernel"), &[sums, given], &[]);
        assert_eq!(flags.slice::<bool>(), Some(&[true; 3][..]));
        assert!(sums.change(kernel(Op::Mul, DType::F32).expect("a kernel"), &[sums, two], &[]));
        assert_eq!(sums.slice::<f32>(), Some(&[6.0, 8.0, 10.0][..]));
        Ok(())
    }

    #[test]
    fn a_row_is_used_again_as_often_as_there_is_room() -> Result<()> {
        let (mut room, mut given) = (ROOM, Fresh::new(6)?);
        fresh_slice::<i16>(&mut given, 3).expect("three").copy_from_slice(&[1, 2, 3]);
        let given = Neighbours::fresh(&mut given, DType::I16, 3).expect("three");
        let tiled = given.tiled(&mut room, 12).expect("room for twelve");
        assert_eq!(tiled.slice::<i16>(), Some(&[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3][..]));
        assert_eq!(tiled.part(4, 3).slice::<i16>(), Some(&[2, 3, 1][..]));
        assert!(given.tiled(&mut room, size_of::<Room>() / 2 + 1).is_none());
        Ok(())
    }

    #[test]
    fn what_is_not_inside_or_not_aligned_is_no_row() -> Result<()> {
        let (mut room, mut memory, storage) = (ROOM, Fresh::new(12)?, UntypedStorage::new(16, Device::CPU)?);
        assert!(Neighbours::repeated(&mut room, Scalar::Int(2), DType::F64, size_of::<Room>() / 8 + 1).is_none());
        assert!(fresh_slice::<f32>(&mut memory, 4).is_none() && Neighbours::fresh(&mut memory, DType::Bool, 13).is_none());
        let access = Access::lock(&[&storage], &[])?;
        assert!(
            Neighbours::new(&access, &storage, DType::I64, 2, 1)?.is_none()
                && Neighbours::new(&access, &storage, DType::Bool, 2, 0)?.is_none()
        );
        assert!(Neighbours::new(&access, &storage, DType::I64, 1, 1)?.is_some());
        Ok(())
    }
}
