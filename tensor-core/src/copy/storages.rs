//! Conversions between storages: each byte of an untyped one, each number of a typed one, becomes a number of another
//! dtype in a new storage.

use half::{bf16, f16};
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

conversions! {
    bool             bool,         Bool;
    byte             u8,           U8;
    char             i8,           I8;
    short            i16,          I16;
    int              i32,          I32;
    long             i64,          I64;
    half             f16,          F16;
    bfloat16         bf16,         BF16;
    float            f32,          F32;
    double           f64,          F64;
    complex_float    Complex<f32>, C64;
    complex_double   Complex<f64>, C128;
    float8_e4m3fn    Any,          F8E4M3Fn;
    float8_e5m2      Any,          F8E5M2;
    float8_e4m3fnuz  Any,          F8E4M3FnUz;
    float8_e5m2fnuz  Any,          F8E5M2FnUz;
}

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
