//! PyTorch's old names for typed storages: `FloatStorage` is a [`TypedStorage`] of `f32`.

use std::path::Path;

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use super::{Sharing, TypedStorage, UntypedStorage};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Storage of `f32`.
///
/// ```
/// # use latten_core::storage::FloatStorage;
/// assert_eq!(FloatStorage::from_slice(&[0.5])?.type_name(), "torch.FloatStorage");
/// # Ok::<(), latten_core::error::Error>(())
/// ```
pub type FloatStorage = TypedStorage<f32>;
/// Storage of `f64`.
pub type DoubleStorage = TypedStorage<f64>;
/// Storage of `f16`.
pub type HalfStorage = TypedStorage<f16>;
/// Storage of `bf16`.
pub type BFloat16Storage = TypedStorage<bf16>;
/// Storage of `bool`.
pub type BoolStorage = TypedStorage<bool>;
/// Storage of `u8`.
pub type ByteStorage = TypedStorage<u8>;
/// Storage of `i8`.
pub type CharStorage = TypedStorage<i8>;
/// Storage of `i16`.
pub type ShortStorage = TypedStorage<i16>;
/// Storage of `i32`.
pub type IntStorage = TypedStorage<i32>;
/// Storage of `i64`.
pub type LongStorage = TypedStorage<i64>;
/// Storage of `Complex<f32>`.
pub type ComplexFloatStorage = TypedStorage<Complex<f32>>;
/// Storage of `Complex<f64>`.
pub type ComplexDoubleStorage = TypedStorage<Complex<f64>>;

macro_rules! quantized {
    ($($(#[$doc:meta])* $name:ident $dtype:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl $name {
            /// That many numbers on the host, whose values are left open.
            ///
            /// # Errors
            /// If there is no such memory.
            #[expect(clippy::new_ret_no_self, reason = "the old names are constructors of typed storages")]
            pub fn new(size: usize) -> Result<TypedStorage> {
                TypedStorage::with_dtype(size, DType::$dtype, Device::CPU)
            }

            /// An untyped storage, shared, read as such numbers: PyTorch's `wrap_storage`.
            #[must_use]
            pub fn of(untyped: UntypedStorage) -> TypedStorage {
                TypedStorage::wrap(untyped, DType::$dtype)
            }

            /// The first `size` numbers of a file, mapped into memory: [`UntypedStorage::from_file`].
            ///
            /// # Errors
            /// As there.
            pub fn from_file(path: impl AsRef<Path>, sharing: Sharing, size: usize) -> Result<TypedStorage> {
                TypedStorage::from_file_of(path, sharing, size, DType::$dtype)
            }

            /// The integers that the quantised numbers are stored as.
            ///
            /// # Errors
            /// If one doesn't fit.
            pub fn from_scalars(numbers: &[Scalar]) -> Result<TypedStorage> {
                TypedStorage::from_scalars(numbers, DType::$dtype)
            }
        }
    )* };
}

quantized! {
    /// Makes storages of quantised unsigned bytes.
    QUInt8Storage QU8;
    /// Makes storages of quantised signed bytes.
    QInt8Storage QI8;
    /// Makes storages of quantised 32-bit integers.
    QInt32Storage QI32;
    /// Makes storages of quantised 4-bit integers, two a byte; their numbers are the bytes.
    QUInt4x2Storage QU4x2;
    /// Makes storages of quantised 2-bit integers, four a byte; their numbers are the bytes.
    QUInt2x4Storage QU2x4;
}

/// The dtype of an old name: `FloatStorage` is of `float32`.
///
/// # Errors
/// For other names.
pub fn dtype_of_legacy_storage(name: &str) -> Result<DType> {
    let stem = name.strip_suffix("Storage");
    DType::ALL
        .iter()
        .copied()
        .find(|dtype| stem.is_some() && dtype.legacy_name() == stem)
        .ok_or_else(|| Error::value(format!("pickle storage type \"{name}\" is not recognized")))
}
