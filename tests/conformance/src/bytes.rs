//! Bytes as the recordings hold them: base64, and elements of every dtype decoded without help from the library under test.

use std::fmt;

use half::{bf16, f16};
use latten::DType;
use serde::{Deserialize, Deserializer, de};

/// Bytes that a recording writes as base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        decode(&text).map(Self).ok_or_else(|| de::Error::custom(format!("`{text}` is not base64")))
    }
}

/// Bytes as base64.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().chain([&0, &0]).take(3).fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// The bytes that base64 stands for, if it is that.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut pending, mut bits) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        pending = pending << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((pending >> bits) as u8);
            pending &= (1 << bits) - 1;
        }
    }
    Some(bytes)
}

/// One element, or one part of a complex one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of `bool`, the byte: a storage can hold others than 0 and 1.
    Bool(u8),
    /// Of an integer dtype.
    Int(i128),
    /// Of a floating dtype.
    Float(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(byte @ 0..=1) => write!(f, "{}", *byte == 1),
            Self::Bool(byte) => write!(f, "true({byte})"),
            Self::Int(x) => write!(f, "{x}"),
            Self::Float(x) => write!(f, "{x:?}"),
        }
    }
}

/// The numbers that little-endian bytes of a dtype stand for; complex elements are two each. Quantised dtypes count as bytes.
#[must_use]
pub fn numbers(dtype: DType, bytes: &[u8]) -> Vec<Number> {
    fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> Number) -> Vec<Number> {
        bytes.as_chunks().0.iter().map(|chunk| read(*chunk)).collect()
    }
    match dtype.to_real() {
        DType::Bool => each(bytes, |[byte]| Number::Bool(byte)),
        DType::I8 => each(bytes, |b| Number::Int(i8::from_le_bytes(b).into())),
        DType::I16 => each(bytes, |b| Number::Int(i16::from_le_bytes(b).into())),
        DType::I32 => each(bytes, |b| Number::Int(i32::from_le_bytes(b).into())),
        DType::I64 => each(bytes, |b| Number::Int(i64::from_le_bytes(b).into())),
        DType::U16 => each(bytes, |b| Number::Int(u16::from_le_bytes(b).into())),
        DType::U32 => each(bytes, |b| Number::Int(u32::from_le_bytes(b).into())),
        DType::U64 => each(bytes, |b| Number::Int(u64::from_le_bytes(b).into())),
        DType::F16 => each(bytes, |b| Number::Float(f16::from_le_bytes(b).into())),
        DType::BF16 => each(bytes, |b| Number::Float(bf16::from_le_bytes(b).into())),
        DType::F32 => each(bytes, |b| Number::Float(f32::from_le_bytes(b).into())),
        DType::F64 => each(bytes, |b| Number::Float(f64::from_le_bytes(b))),
        DType::F8E4M3Fn => each(bytes, |[b]| Number::Float(float8(b, 3, 7, b & 0x7f == 0x7f, false))),
        DType::F8E5M2 => each(bytes, |[b]| Number::Float(float8(b, 2, 15, b & 0x7f > 0x7c, b & 0x7f == 0x7c))),
        DType::F8E4M3FnUz => each(bytes, |[b]| Number::Float(float8(b, 3, 8, b == 0x80, false))),
        DType::F8E5M2FnUz => each(bytes, |[b]| Number::Float(float8(b, 2, 16, b == 0x80, false))),
        _ => each(bytes, |[byte]| Number::Int(byte.into())),
    }
}

/// An 8-bit float of that many bits of significand and that bias of the exponent.
fn float8(byte: u8, significand: u32, bias: i32, is_nan: bool, is_infinite: bool) -> f64 {
    let (exponent, fraction) = (i32::from(byte >> significand & (0x7f >> significand)), f64::from(byte & ((1 << significand) - 1)));
    let unit = 0.5_f64.powi(significand.cast_signed());
    let magnitude = match exponent {
        _ if is_nan => f64::NAN,
        _ if is_infinite => f64::INFINITY,
        0 => fraction * unit * 2_f64.powi(1 - bias),
        _ => (1.0 + fraction * unit) * 2_f64.powi(exponent - bias),
    };
    if byte & 0x80 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::{DType, Number, decode, numbers};

    #[test]
    fn base64_is_decoded() {
        for (text, bytes) in [("", Some("")), ("Zg==", Some("f")), ("Zm8=", Some("fo")), ("Zm9v", Some("foo")), ("Zm9vYg==", Some("foob"))]
        {
            assert_eq!(decode(text).as_deref(), bytes.map(str::as_bytes), "{text}");
        }
        assert_eq!(decode("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        assert_eq!((decode("Zg="), decode("Z==="), decode("Z*==")), (None, None, None));
    }

    #[test]
    fn small_floats_are_decoded() {
        for (dtype, byte, expected) in [
            (DType::F8E4M3Fn, 0x38, 1.0),
            (DType::F8E4M3Fn, 0xfe, -448.0),
            (DType::F8E4M3Fn, 0x01, 0.001_953_125),
            (DType::F8E5M2, 0x3c, 1.0),
            (DType::F8E5M2, 0x7b, 57344.0),
            (DType::F8E5M2, 0xfc, f64::NEG_INFINITY),
            (DType::F8E4M3FnUz, 0x7f, 240.0),
            (DType::F8E5M2FnUz, 0x7f, 57344.0),
        ] {
            assert_eq!(numbers(dtype, &[byte]), [Number::Float(expected)], "{dtype} {byte:#x}");
        }
        for (dtype, byte) in [(DType::F8E4M3Fn, 0xff), (DType::F8E5M2, 0x7d), (DType::F8E4M3FnUz, 0x80), (DType::F8E5M2FnUz, 0x80)] {
            assert!(matches!(numbers(dtype, &[byte])[..], [Number::Float(x)] if x.is_nan()), "{dtype} {byte:#x}");
        }
    }
}
