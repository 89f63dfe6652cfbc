//! Tensors as serde knows data: dtype, shape, and the elements in row-major order: bytes, little endian, in binary formats, numbers in formats
//! for people. For fields: `#[serde(with = "latten::io::serde")]`.

mod elements;

use std::fmt;
use std::marker::PhantomData;

use ::serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use ::serde::ser::{Error as _, SerializeStruct, Serializer};
use latten_core::element::Element;
use latten_core::geometry::Geometry;
use latten_core::raw::RawTensor;
use latten_core::shape::Shape;
use latten_core::storage::UntypedStorage;
use latten_core::tensor::{DynTensor, Tensor};
use latten_spec::DType;

use crate::storages::row_major_bytes;
use elements::{Elements, Wanted};

const FIELDS: &[&str] = &["dtype", "shape", "data"];

/// Writes a tensor: a struct of `dtype`, `shape` and `data`.
///
/// # Errors
/// Where the tensor has no data, and what the format refuses.
pub fn serialize<E: Element, S: Shape, Z: Serializer>(tensor: &Tensor<E, S>, serializer: Z) -> Result<Z::Ok, Z::Error> {
    let raw = tensor.raw();
    let bytes = row_major_bytes(raw).map_err(Z::Error::custom)?;
    let is_text = serializer.is_human_readable();
    let mut fields = serializer.serialize_struct("Tensor", FIELDS.len())?;
    fields.serialize_field("dtype", raw.dtype().name())?;
    fields.serialize_field("shape", raw.sizes())?;
    fields.serialize_field("data", &Elements { dtype: raw.dtype(), bytes: &bytes, is_text })?;
    fields.end()
}

/// Reads a tensor of a type: what [`serialize`] wrote.
///
/// # Errors
/// Where the data isn't that, or is of another dtype or shape than the type says.
pub fn deserialize<'de, E: Element, S: Shape, D: Deserializer<'de>>(deserializer: D) -> Result<Tensor<E, S>, D::Error> {
    let is_text = deserializer.is_human_readable();
    let tensor = deserializer.deserialize_struct("Tensor", FIELDS, Fields { is_text, lifetime: PhantomData })?;
    tensor.typed().map_err(D::Error::custom)
}

struct Fields<'de> {
    is_text: bool,
    lifetime: PhantomData<&'de ()>,
}

impl Fields<'_> {
    fn dtype<E: ::serde::de::Error>(name: &str) -> Result<DType, E> {
        DType::ALL.iter().copied().find(|dtype| dtype.name() == name).ok_or_else(|| E::custom(format!("there is no dtype {name:?}")))
    }

    /// How many bytes the elements have, before any of them is read.
    fn wanted<E: ::serde::de::Error>(&self, dtype: DType, sizes: &[usize]) -> Result<Wanted, E> {
        let nbytes = latten_core::geometry::dense_nbytes(sizes, dtype.itemsize()).map_err(E::custom)?;
        Ok(Wanted { dtype, nbytes, is_text: self.is_text })
    }

    fn tensor<E: ::serde::de::Error>(dtype: DType, sizes: &[usize], bytes: &[u8]) -> Result<DynTensor, E> {
        let storage = UntypedStorage::from_bytes(bytes).map_err(E::custom)?;
        RawTensor::over(storage, dtype, Geometry::contiguous(sizes)).map(DynTensor::from).map_err(E::custom)
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = DynTensor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tensor: dtype, shape and data")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<DynTensor, A::Error> {
        let missing = |place| A::Error::invalid_length(place, &"dtype, shape and data");
        let name: String = fields.next_element()?.ok_or_else(|| missing(0))?;
        let dtype = Self::dtype(&name)?;
        let sizes: Vec<usize> = fields.next_element()?.ok_or_else(|| missing(1))?;
        let bytes = fields.next_element_seed(self.wanted(dtype, &sizes)?)?.ok_or_else(|| missing(2))?;
        Self::tensor(dtype, &sizes, &bytes)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<DynTensor, A::Error> {
        let (mut dtype, mut sizes, mut data) = (None, None, None);
        while let Some(field) = fields.next_key::<String>()? {
            match field.as_str() {
                "dtype" => dtype = Some(Self::dtype(&fields.next_value::<String>()?)?),
                "shape" => sizes = Some(fields.next_value::<Vec<usize>>()?),
                "data" => {
                    let (Some(dtype), Some(sizes)) = (dtype, &sizes) else {
                        return Err(A::Error::custom("`data` comes before `dtype` or `shape`, which say what it is"));
                    };
                    data = Some(fields.next_value_seed(self.wanted(dtype, sizes)?)?);
                }
                other => return Err(A::Error::unknown_field(other, FIELDS)),
            }
        }
        match (dtype, sizes, data) {
            (Some(dtype), Some(sizes), Some(bytes)) => Self::tensor(dtype, &sizes, &bytes),
            _ => Err(A::Error::missing_field("data")),
        }
    }
}
