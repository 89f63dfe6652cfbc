//! Numbers as the bytes of storages: how each dtype, also those that only store, is loaded and stored.

use half::{bf16, f16};
use num_complex::Complex;

use crate::convert::Float8;

/// A number that a storage holds as `size_of::<Self>()` bytes, in the order of the machine.
pub(super) trait Stored: Copy {
    /// The number that the first bytes mean.
    fn load(bytes: &[u8]) -> Self;
    /// Writes the number into the first bytes.
    fn store(self, bytes: &mut [u8]);
}

/// Any byte but 0 is true: a storage of bools may hold whatever was written to its bytes.
impl Stored for bool {
    fn load(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }

    fn store(self, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }
}

impl<T: Stored> Stored for Complex<T> {
    fn load(bytes: &[u8]) -> Self {
        Self { re: T::load(bytes), im: T::load(&bytes[size_of::<T>()..]) }
    }

    fn store(self, bytes: &mut [u8]) {
        self.re.store(bytes);
        self.im.store(&mut bytes[size_of::<T>()..]);
    }
}

macro_rules! stored {
    ($($number:ty)*) => { $(
        impl Stored for $number {
            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.copy_from_slice(&bytes[..size_of::<Self>()]);
                Self::from_ne_bytes(own)
            }

            fn store(self, bytes: &mut [u8]) {
                bytes[..size_of::<Self>()].copy_from_slice(&self.to_ne_bytes());
            }
        }
    )* };
}

stored! { u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 }

impl<const DTYPE: u8> Stored for Float8<DTYPE> {
    fn load(bytes: &[u8]) -> Self {
        Self(u8::load(bytes))
    }

    fn store(self, bytes: &mut [u8]) {
        self.0.store(bytes);
    }
}

/// The types that dtypes have in storages. Quantised numbers are taken as the integers that they are stored as; two or four to a byte, as that
/// byte.
macro_rules! match_held {
    ($dtype:expr, $T:ident => $body:expr) => {
        // Behind `else` are quantised dtypes alone, and none is held as such.
        latten_elements::match_stored!($dtype.held_as(), $T => $body, else { type $T = u8; $body })
    };
}
pub(super) use match_held;
