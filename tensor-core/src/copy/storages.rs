//! Conversions between storages: each byte of an untyped one, each number of a typed one, becomes a number of another
//! dtype in a new storage.

use latten_spec::DType;
use num_complex::Complex;

use crate::element::{Any, Element};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{TypedStorage, UntypedStorage};

/// A new storage with the numbers of another one, converted by the rules of `copy_`.
fn converted(source: &UntypedStorage, from: DType, to: DType) -> Result<UntypedStorage> {
    if from.is_quantized() || to.is_quantized() {
        return Err(Error::not_implemented(format!("storages of {from} can't be converted to {to}: their numbers have no scale")));
    }
    let geometry = Geometry::contiguous(&[source.nbytes() / from.itemsize()]);
    let all = RawTensor { storage: source.clone(), dtype: from, geometry, history: None };
    Ok(all.copied(to, MemoryFormat::Contiguous)?.storage)
}

macro_rules! conversions {
    ($($name:ident $element:ty, $dtype:ident;)*) => {
        /// Conversions: each byte becomes a number, in a new storage.
        impl UntypedStorage {
            $(
                #[doc = concat!("Each byte as a number of dtype `", stringify!($dtype), "`, in a new storage.")]
                ///
                /// # Errors
                /// If there is no memory for it.
                pub fn $name(&self) -> Result<TypedStorage<$element>> {
                    Ok(TypedStorage::over(converted(self, DType::U8, DType::$dtype)?, DType::$dtype))
                }
            )*
        }

        /// Conversions: the numbers as those of another dtype, in a new storage.
        impl<E: Element> TypedStorage<E> {
            $(
                #[doc = concat!("The numbers as those of dtype `", stringify!($dtype), "`, in a new storage.")]
                ///
                /// # Errors
                /// If there is no memory for it, and from quantised storages.
                pub fn $name(&self) -> Result<TypedStorage<$element>> {
                    Ok(TypedStorage::over(converted(self.untyped(), self.dtype(), DType::$dtype)?, DType::$dtype))
                }
            )*
        }
    };
}

latten_macros::storage_conversions!();

impl UntypedStorage {
    /// Each byte as a number of a dtype, in a new storage.
    ///
    /// # Errors
    /// If there is no memory for it, and for quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<TypedStorage> {
        Ok(TypedStorage::over(converted(self, DType::U8, dtype)?, dtype))
    }
}

impl<E: Element> TypedStorage<E> {
    /// The numbers as those of another dtype, in a new storage.
    ///
    /// # Errors
    /// If there is no memory for it, and from or to quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<TypedStorage> {
        Ok(TypedStorage::over(converted(self.untyped(), self.dtype(), dtype)?, dtype))
    }
}
