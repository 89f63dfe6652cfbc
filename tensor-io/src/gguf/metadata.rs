//! The metadata of GGUF: keys and typed values, read as a stream, so that only what is there is ever allocated.

use std::collections::HashSet;

use latten_core::error::Result;

use crate::fault::{Within, broken, unsupported};
use crate::source::Source;

/// A value of GGUF's metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// An unsigned integer of 8 bits.
    U8(u8),
    /// A signed one.
    I8(i8),
    /// An unsigned integer of 16 bits.
    U16(u16),
    /// A signed one.
    I16(i16),
    /// An unsigned integer of 32 bits.
    U32(u32),
    /// A signed one.
    I32(i32),
    /// An unsigned integer of 64 bits.
    U64(u64),
    /// A signed one.
    I64(i64),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// True or false.
    Bool(bool),
    /// Text.
    String(String),
    /// Values of one type.
    Array(Datums),
}

/// The values of an array, all of one type.
#[derive(Clone, Debug, PartialEq)]
pub struct Datums {
    /// The name of the type.
    pub kind: &'static str,
    /// The values.
    pub values: Vec<Datum>,
}

impl Datum {
    /// The name of the type; of an array, that of its values in brackets.
    #[must_use]
    pub fn kind(&self) -> String {
        match self {
            Self::Array(array) => format!("[{}]", array.kind),
            other => KINDS[other.number()].to_owned(),
        }
    }

    fn number(&self) -> usize {
        match self {
            Self::U8(_) => 0,
            Self::I8(_) => 1,
            Self::U16(_) => 2,
            Self::I16(_) => 3,
            Self::U32(_) => 4,
            Self::I32(_) => 5,
            Self::F32(_) => 6,
            Self::Bool(_) => 7,
            Self::String(_) => 8,
            Self::Array(_) => ARRAY as usize,
            Self::U64(_) => 10,
            Self::I64(_) => 11,
            Self::F64(_) => 12,
        }
    }
}

/// The types by their numbers.
const KINDS: [&str; 13] =
    ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"];
const ARRAY: u32 = 9;
/// The file is read in pieces of this size.
const PIECE: u64 = 1 << 16;

/// A file that is read from the left.
pub(super) struct Stream<'a, 's> {
    source: &'a Source<'s>,
    piece: Vec<u8>,
    /// Where the piece begins, and how much of it is read.
    start: u64,
    done: usize,
}

impl<'a, 's> Stream<'a, 's> {
    pub(super) fn new(source: &'a Source<'s>) -> Self {
        Self { source, piece: Vec::new(), start: 0, done: 0 }
    }

    pub(super) fn at(&self) -> u64 {
        self.start + self.done as u64
    }

    fn left(&self) -> u64 {
        self.source.len() - self.at()
    }

    fn fill(&mut self, to: &mut [u8]) -> Result<()> {
        if to.len() as u64 > self.left() {
            return Err(broken(format!("the file ends early: {} bytes are expected at byte {}", to.len(), self.at())));
        }
        if to.len() as u64 > PIECE {
            self.source.read(self.at(), to)?;
            (self.start, self.done, self.piece) = (self.at() + to.len() as u64, 0, Vec::new());
            return Ok(());
        }
        if self.piece.len() - self.done < to.len() {
            let at = self.at();
            self.piece = self.source.bytes(at, PIECE.min(self.source.len() - at))?;
            (self.start, self.done) = (at, 0);
        }
        to.copy_from_slice(&self.piece[self.done..self.done + to.len()]);
        self.done += to.len();
        Ok(())
    }
}

impl Stream<'_, '_> {
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn string(&mut self) -> Result<String> {
        let (at, size) = (self.at(), self.u64()?);
        let size = usize::try_from(size).ok().filter(|size| *size as u64 <= self.left());
        let Some(size) = size else { return Err(broken(format!("a text at byte {at} is longer than what is left of the file"))) };
        let mut bytes = vec![0; size];
        self.fill(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| broken(format!("the text at byte {at} isn't UTF-8")))
    }

    fn value(&mut self, kind: u32) -> Result<Datum> {
        Ok(match kind {
            0 => Datum::U8(u8::from_le_bytes(self.array()?)),
            1 => Datum::I8(i8::from_le_bytes(self.array()?)),
            2 => Datum::U16(u16::from_le_bytes(self.array()?)),
            3 => Datum::I16(i16::from_le_bytes(self.array()?)),
            4 => Datum::U32(self.u32()?),
            5 => Datum::I32(i32::from_le_bytes(self.array()?)),
            6 => Datum::F32(f32::from_le_bytes(self.array()?)),
            7 => match self.array()? {
                [0] => Datum::Bool(false),
                [1] => Datum::Bool(true),
                [other] => return Err(broken(format!("a bool at byte {} is {other}", self.at() - 1))),
            },
            8 => Datum::String(self.string()?),
            10 => Datum::U64(self.u64()?),
            11 => Datum::I64(i64::from_le_bytes(self.array()?)),
            12 => Datum::F64(f64::from_le_bytes(self.array()?)),
            ARRAY => Datum::Array(self.values()?),
            other => return Err(broken(format!("a value of type {other} at byte {}; there are 0 to 12", self.at()))),
        })
    }

    fn values(&mut self) -> Result<Datums> {
        let (kind, count) = (self.u32()?, self.u64()?);
        let Some(name) = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind)) else {
            return Err(broken(format!("an array of type {kind}; there are 0 to 12")));
        };
        if kind == ARRAY {
            return Err(unsupported("an array of arrays"));
        }
        // Each value has a byte at least: a count beyond that is a lie. The values come one by one all the same.
        if count > self.left() {
            return Err(broken(format!("an array of {count} values, but {} bytes are left", self.left())));
        }
        let mut values = Vec::new();
        for number in 0..count {
            values.push(self.value(kind).within(format_args!("value {number}"))?);
        }
        Ok(Datums { kind: name, values })
    }
}

/// Reads that many keys and values.
pub(super) fn read(stream: &mut Stream<'_, '_>, count: u64) -> Result<Vec<(String, Datum)>> {
    let (mut metadata, mut keys) = (Vec::new(), HashSet::new());
    for number in 0..count {
        let key = stream.string().within(format_args!("key {number} of {count}"))?;
        let kind = stream.u32().within(&key)?;
        let value = stream.value(kind).within(&key)?;
        if !keys.insert(key.clone()) {
            return Err(broken(format!("the key `{key}` twice")));
        }
        metadata.push((key, value));
    }
    Ok(metadata)
}
