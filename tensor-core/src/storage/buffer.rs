//! Bytes of either order: reading a buffer as numbers, and swapping the bytes of numbers in place.

use std::str::FromStr;

use latten_spec::DType;

use super::UntypedStorage;
use super::access::Access;
use crate::error::{Error, Result};

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The most significant byte comes first.
    Big,
    /// The least significant byte comes first.
    Little,
    /// As on this machine.
    Native,
}

impl ByteOrder {
    fn is_foreign(self) -> bool {
        match self {
            Self::Big => cfg!(target_endian = "little"),
            Self::Little => cfg!(target_endian = "big"),
            Self::Native => false,
        }
    }
}

impl FromStr for ByteOrder {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "big" => Ok(Self::Big),
            "little" => Ok(Self::Little),
            "native" => Ok(Self::Native),
            _ => Err(Error::value(format!("invalid byte_order '{name}' (expected 'big', 'little', or 'native')"))),
        }
    }
}

/// How [`UntypedStorage::from_buffer`] reads a buffer.
#[derive(Clone, Copy, Debug)]
pub struct FromBuffer {
    of: Of,
    byte_order: Option<ByteOrder>,
    offset: i64,
    count: Option<usize>,
}

/// What a buffer holds.
#[derive(Clone, Copy, Debug)]
enum Of {
    DType(DType),
    Itemsize(usize),
}

impl Of {
    /// The bytes of one number.
    const fn itemsize(self) -> usize {
        match self {
            Self::DType(dtype) => dtype.itemsize(),
            Self::Itemsize(itemsize) => itemsize,
        }
    }

    /// The bytes that have an order among them.
    const fn ordered(self) -> usize {
        match self {
            Self::DType(dtype) => dtype.to_real().itemsize(),
            Self::Itemsize(itemsize) => itemsize,
        }
    }

    const fn is_bool(self) -> bool {
        matches!(self, Self::DType(DType::Bool))
    }
}

impl FromBuffer {
    /// All of the buffer, as numbers of that dtype.
    #[must_use]
    pub const fn new(dtype: DType) -> Self {
        Self { of: Of::DType(dtype), byte_order: None, offset: 0, count: None }
    }

    /// All of the buffer, as items of that many bytes, whatever they mean.
    #[must_use]
    pub const fn items(itemsize: usize) -> Self {
        Self { of: Of::Itemsize(itemsize), byte_order: None, offset: 0, count: None }
    }

    /// The order of the buffer's bytes; items of one byte need none, `bool` apart.
    #[must_use]
    pub const fn byte_order(self, byte_order: ByteOrder) -> Self {
        Self { byte_order: Some(byte_order), ..self }
    }

    /// The byte to start at.
    #[must_use]
    pub const fn offset(self, offset: i64) -> Self {
        Self { offset, ..self }
    }

    /// How many numbers to read; else all that follow.
    #[must_use]
    pub const fn count(self, count: usize) -> Self {
        Self { count: Some(count), ..self }
    }
}

impl UntypedStorage {
    /// A copy of a part of a buffer, with the bytes of each number in the order of this machine.
    ///
    /// # Errors
    /// If the part doesn't lie within the buffer or has no whole count of numbers, if the byte order is missing, and for
    /// dtypes that PyTorch can't read: `uint16`, `uint32`, `uint64` and the quantised ones; take items of that size.
    ///
    /// ```
    /// # use latten_core::storage::{ByteOrder, FromBuffer, UntypedStorage};
    /// # use latten_spec::DType;
    /// let big = FromBuffer::new(DType::I16).byte_order(ByteOrder::Big).offset(1);
    /// let storage = UntypedStorage::from_buffer(&[9, 1, 2, 3, 4], big)?;
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(storage.tolist()?, [2, 1, 4, 3]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    pub fn from_buffer(buffer: &[u8], how: FromBuffer) -> Result<Self> {
        let FromBuffer { of, byte_order, offset, count } = how;
        let unknown = |dtype: DType| matches!(dtype, DType::U16 | DType::U32 | DType::U64) || dtype.is_quantized();
        let unknown = if let Of::DType(dtype) = of { unknown(dtype).then_some(dtype) } else { None };
        let size = of.itemsize();
        if size == 0 {
            return Err(Error::value("from_buffer: the size of an item must be positive"));
        }
        let needs_no_order = size == 1 && !of.is_bool() && unknown.is_none();
        if byte_order.is_none() && !needs_no_order {
            return Err(Error::runtime("function missing required argument 'byte_order' (pos 2)"));
        }
        let len = buffer.len();
        let Some(rest) = usize::try_from(offset).ok().and_then(|offset| buffer.get(offset..)) else {
            return Err(Error::value(format!("offset must be non-negative and no greater than buffer length ({len}) , but got {offset}")));
        };
        let part = match count {
            None if rest.len().is_multiple_of(size) => rest,
            None => return Err(Error::value(format!("buffer size ({len}) must be a multiple of element size ({size})"))),
            Some(count) => count.checked_mul(size).and_then(|nbytes| rest.get(..nbytes)).ok_or_else(|| {
                let has = rest.len();
                Error::value(format!("buffer has only {has} elements after offset {offset}, but specified a size of {count}"))
            })?,
        };
        if let Some(dtype) = unknown {
            return Err(Error::runtime(format!("Unknown type: {}", dtype.message_name())));
        }
        let mut bytes = part.to_vec();
        if byte_order.is_some_and(ByteOrder::is_foreign) {
            swap(&mut bytes, of.ordered());
        }
        if of.is_bool() {
            bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Self::from_bytes(&bytes)
    }

    /// Puts the bytes of each number into the other order, in place; of each part of a complex number.
    ///
    /// # Errors
    /// If the storage holds no whole count of numbers.
    pub fn byteswap(&self, dtype: DType) -> Result<()> {
        let size = dtype.to_real().itemsize();
        let access = Access::write(self)?;
        if !self.nbytes().is_multiple_of(size) {
            return Err(Error::runtime(format!("the length of data is not a multiple of {size}")));
        }
        if size == 1 || self.is_meta() {
            return Ok(());
        }
        let mut block = [0; 4096];
        for start in (0..self.nbytes()).step_by(block.len()) {
            let len = block.len().min(self.nbytes() - start);
            let part = &mut block[..len];
            access.copy_out(self, start, part)?;
            swap(part, size);
            access.copy_in(self, start, part)?;
        }
        Ok(())
    }
}

fn swap(bytes: &mut [u8], itemsize: usize) {
    bytes.chunks_exact_mut(itemsize).for_each(<[u8]>::reverse);
}
