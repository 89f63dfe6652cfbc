//! PyTorch's old names for typed storages: `FloatStorage` is a [`TypedStorage`] of `f32`. All are columns of the table of dtypes.
//!
//! ```
//! # use latten_core::storage::FloatStorage;
//! assert_eq!(FloatStorage::from_slice(&[0.5])?.type_name(), "torch.FloatStorage");
//! # Ok::<(), latten_core::error::Error>(())
//! ```

use std::path::Path;

use latten_spec::DType;
use num_complex::Complex;

use super::{Sharing, TypedStorage, UntypedStorage};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

macro_rules! quantized {
    ($($name:ident $dtype:ident;)*) => { $(
        #[doc = concat!("Makes storages of dtype `", stringify!($dtype), "`; the numbers of one with several to a byte are the bytes.")]
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

latten_macros::legacy_storages!();

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
