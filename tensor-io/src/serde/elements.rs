//! The elements of a tensor as bytes or as numbers. A complex number is a pair; what no text format has as a number, NaN and the infinities,
//! is a text; 8-bit floats and quantised numbers are bytes everywhere.

use std::fmt;

use ::serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use ::serde::ser::{Serialize, SerializeSeq, Serializer};
use half::{bf16, f16};
use latten_spec::{Category, DType};

/// Elements on their way out.
pub(super) struct Elements<'a> {
    pub(super) dtype: DType,
    /// In row-major order, little endian.
    pub(super) bytes: &'a [u8],
    pub(super) is_text: bool,
}

/// What elements are read as.
pub(super) struct Wanted {
    pub(super) dtype: DType,
    pub(super) nbytes: usize,
    pub(super) is_text: bool,
}

/// Whether text formats have the elements as numbers.
fn has_numbers(dtype: DType) -> bool {
    !dtype.is_float8() && !dtype.is_quantized()
}

/// One number, or one part of a complex one.
enum Number {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    /// A float that is no number.
    Word(&'static str),
}

impl Number {
    fn decode(dtype: DType, bytes: &[u8]) -> Self {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let unsigned = u64::from_le_bytes(wide);
        match dtype {
            DType::Bool => Self::Bool(bytes[0] != 0),
            DType::F16 => Self::float(f16::from_le_bytes([bytes[0], bytes[1]]).to_f64()),
            DType::BF16 => Self::float(bf16::from_le_bytes([bytes[0], bytes[1]]).to_f64()),
            DType::F32 => Self::float(f32::from_bits(unsigned as u32).into()),
            DType::F64 => Self::float(f64::from_bits(unsigned)),
            _ if dtype.is_signed() => {
                let unused = 64 - 8 * bytes.len() as u32;
                Self::Signed((unsigned << unused).cast_signed() >> unused)
            }
            // others: integers without a sign; `has_numbers` lets no other dtype in.
            _ => Self::Unsigned(unsigned),
        }
    }

    fn float(number: f64) -> Self {
        match number {
            number if number.is_nan() => Self::Word("nan"),
            f64::INFINITY => Self::Word("inf"),
            f64::NEG_INFINITY => Self::Word("-inf"),
            number => Self::Float(number),
        }
    }

    /// Appends the bytes of the number in a dtype; none where it doesn't fit.
    fn encode(&self, dtype: DType, to: &mut Vec<u8>) -> Option<()> {
        let float = match *self {
            Self::Float(number) => Some(number),
            Self::Signed(number) => Some(number as f64),
            Self::Unsigned(number) => Some(number as f64),
            Self::Word("nan") => Some(f64::NAN),
            Self::Word("inf") => Some(f64::INFINITY),
            Self::Word("-inf") => Some(f64::NEG_INFINITY),
            Self::Word(_) | Self::Bool(_) => None,
        };
        let whole = match *self {
            Self::Signed(number) => Some(i128::from(number)),
            Self::Unsigned(number) => Some(number.into()),
            _ => None,
        };
        match (dtype, self) {
            (DType::Bool, Self::Bool(truth)) => to.push((*truth).into()),
            (DType::F16, _) => to.extend(f16::from_f64(float?).to_le_bytes()),
            (DType::BF16, _) => to.extend(bf16::from_f64(float?).to_le_bytes()),
            (DType::F32, _) => to.extend((float? as f32).to_le_bytes()),
            (DType::F64, _) => to.extend(float?.to_le_bytes()),
            _ if dtype.category() == Category::Integral => {
                let bits = 8 * dtype.itemsize() as u32 - u32::from(dtype.is_signed());
                let (least, most) = (if dtype.is_signed() { -(1_i128 << bits) } else { 0 }, (1_i128 << bits) - 1);
                let number = whole.filter(|number| (least..=most).contains(number))?;
                to.extend(&number.to_le_bytes()[..dtype.itemsize()]);
            }
            // others: refused.
            _ => return None,
        }
        Some(())
    }
}

impl Serialize for Number {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match *self {
            Self::Bool(truth) => serializer.serialize_bool(truth),
            Self::Signed(number) => serializer.serialize_i64(number),
            Self::Unsigned(number) => serializer.serialize_u64(number),
            Self::Float(number) => serializer.serialize_f64(number),
            Self::Word(word) => serializer.serialize_str(word),
        }
    }
}

impl<'de> ::serde::Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, true or false, or one of \"nan\", \"inf\" and \"-inf\"")
            }

            fn visit_bool<E: Error>(self, truth: bool) -> Result<Number, E> {
                Ok(Number::Bool(truth))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number::Signed(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number::Unsigned(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
                Ok(Number::Float(number))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Number, E> {
                let known = ["nan", "inf", "-inf"].into_iter().find(|known| *known == word);
                known.map(Number::Word).ok_or_else(|| E::custom(format!("{word:?} is no number")))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Serialize for Elements<'_> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        if !self.is_text || !has_numbers(self.dtype) {
            return serializer.serialize_bytes(self.bytes);
        }
        let real = self.dtype.to_real();
        let mut items = serializer.serialize_seq(Some(self.bytes.len() / self.dtype.itemsize()))?;
        for element in self.bytes.chunks_exact(self.dtype.itemsize()) {
            let (re, im) = element.split_at(real.itemsize());
            let re = Number::decode(real, re);
            if im.is_empty() { items.serialize_element(&re)? } else { items.serialize_element(&(re, Number::decode(real, im)))? }
        }
        items.end()
    }
}

impl<'de> DeserializeSeed<'de> for Wanted {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<u8>, D::Error> {
        if self.is_text && has_numbers(self.dtype) { deserializer.deserialize_seq(self) } else { deserializer.deserialize_byte_buf(self) }
    }
}

impl Wanted {
    fn whole<E: Error>(&self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        if bytes.len() == self.nbytes {
            Ok(bytes)
        } else {
            Err(E::custom(format!("{} bytes of elements, the shape says {}", bytes.len(), self.nbytes)))
        }
    }
}

impl<'de> Visitor<'de> for Wanted {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "elements of {} in {} bytes", self.dtype, self.nbytes)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        self.whole(bytes.to_vec())
    }

    fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        self.whole(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<u8>, A::Error> {
        let (mut bytes, real) = (Vec::new(), self.dtype.to_real());
        let unfit = || A::Error::custom(format!("a number that isn't one of {}", self.dtype));
        // Never more than the shape says, whatever follows.
        while bytes.len() <= self.nbytes {
            if !self.is_text || !has_numbers(self.dtype) {
                let Some(byte) = items.next_element::<u8>()? else { break };
                bytes.push(byte);
            } else if self.dtype.is_complex() {
                let Some((re, im)) = items.next_element::<(Number, Number)>()? else { break };
                re.encode(real, &mut bytes).and_then(|()| im.encode(real, &mut bytes)).ok_or_else(unfit)?;
            } else {
                let Some(number) = items.next_element::<Number>()? else { break };
                number.encode(real, &mut bytes).ok_or_else(unfit)?;
            }
        }
        self.whole(bytes)
    }
}
