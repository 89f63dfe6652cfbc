//! Zip archives for writing, byte for byte in PyTorch's way: stored entries whose data begins at multiples of 64, with checksums after them.

use latten_core::error::Result;
use latten_core::storage::UntypedStorage;

use super::{CENTRAL, END, END64, LOCAL, LOCAL_SIZE, LOCATOR64};
use crate::fault::broken;
use crate::target::Target;

/// Where the data of entries begins.
const ALIGNMENT: u64 = 64;
/// Numbers from here on need 64 bits.
const LONG: u64 = u32::MAX as u64;
/// Sizes and checksum follow the data.
const FOLLOWED: u16 = 0x0008;
const UTF8: u16 = 0x0800;
/// The length is a number of 16 bits, and the padding needs some of them.
const LONGEST_NAME: usize = 65_000;

/// What the data of an entry is.
pub(crate) enum Content<'a> {
    /// Some bytes.
    Bytes(&'a [u8]),
    /// Some bytes, and after them a storage.
    Storage(&'a [u8], &'a UntypedStorage),
    /// Deflated bytes, and the size and the checksum of what they were.
    Deflated(&'a [u8], u64, u32),
}

/// An archive that is being written.
#[derive(Default)]
pub(crate) struct Writer {
    written: Vec<Written>,
}

struct Written {
    name: String,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u64,
    size: u64,
    header: u64,
}

impl Writer {
    /// Writes an entry.
    pub(crate) fn add(&mut self, target: &mut Target<'_>, name: &str, content: &Content<'_>) -> Result<()> {
        if name.len() > LONGEST_NAME {
            return Err(broken(format!("a name of {} bytes: archives have at most {LONGEST_NAME}", name.len())));
        }
        let (packed, size, method) = match content {
            Content::Bytes(bytes) => (bytes.len() as u64, bytes.len() as u64, 0),
            Content::Storage(bytes, storage) => {
                let size = bytes.len() as u64 + storage.nbytes() as u64;
                (size, size, 0)
            }
            Content::Deflated(bytes, size, _) => (bytes.len() as u64, *size, 8),
        };
        let flags = if packed == 0 { UTF8 } else { UTF8 | FOLLOWED };
        let mut entry = Written { name: name.to_owned(), flags, method, checksum: 0, packed, size, header: target.at() };
        target.put(&entry.local())?;
        target.begin_sum();
        match content {
            Content::Bytes(bytes) | Content::Deflated(bytes, ..) => target.put(bytes)?,
            Content::Storage(bytes, storage) => {
                target.put(bytes)?;
                target.put_storage(storage)?;
            }
        }
        let sum = target.end_sum();
        entry.checksum = if let Content::Deflated(_, _, sum) = content { *sum } else { sum };
        target.put(&entry.follower())?;
        self.written.push(entry);
        Ok(())
    }

    /// Writes the directory and the end.
    pub(crate) fn finish(self, target: &mut Target<'_>) -> Result<()> {
        let start = target.at();
        for entry in &self.written {
            target.put(&entry.central())?;
        }
        let (end, count) = (target.at(), self.written.len() as u64);
        let size = end - start;
        let mut record = Vec::new();
        // Without entries the end is the first thing in the file, and readers know only the plain one there.
        if count > 0 {
            record.extend(long_end(count, size, start, end));
        }
        record.extend(END);
        record.extend([0; 4]);
        let few = u16::try_from(count).unwrap_or(u16::MAX).to_le_bytes();
        record.extend(few.into_iter().chain(few));
        record.extend(short(size).into_iter().chain(short(start)));
        record.extend([0; 2]);
        target.put(&record)
    }
}

/// The end with numbers of 64 bits, and its locator.
fn long_end(count: u64, size: u64, start: u64, end: u64) -> Vec<u8> {
    let mut record = END64.to_vec();
    record.extend(44_u64.to_le_bytes());
    record.extend(0x031e_u16.to_le_bytes());
    record.extend(45_u16.to_le_bytes());
    record.extend([0; 8]);
    [count, count, size, start].iter().for_each(|number| record.extend(number.to_le_bytes()));
    record.extend(LOCATOR64);
    record.extend([0; 4]);
    record.extend(end.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record
}

fn short(number: u64) -> [u8; 4] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

impl Written {
    fn needs_long_sizes(&self) -> bool {
        self.size >= LONG || self.packed >= LONG
    }

    /// The header before the data, padded so that the data begins where it should.
    fn local(&self) -> Vec<u8> {
        let mut extra = Vec::new();
        if self.needs_long_sizes() || self.header >= LONG {
            let mut numbers = Vec::new();
            if self.needs_long_sizes() {
                numbers.extend(self.size.to_le_bytes());
                numbers.extend([0; 8]);
            }
            if self.header >= LONG {
                numbers.extend(self.header.to_le_bytes());
            }
            extra.extend(1_u16.to_le_bytes());
            extra.extend((numbers.len() as u16).to_le_bytes());
            extra.extend(numbers);
        }
        let begin = self.header + LOCAL_SIZE + (self.name.len() + extra.len() + 4) as u64;
        let padding = (begin.wrapping_neg() % ALIGNMENT) as u16;
        extra.extend(*b"FB");
        extra.extend(padding.to_le_bytes());
        extra.resize(extra.len() + usize::from(padding), b'Z');
        let mut header = Vec::new();
        header.extend(LOCAL);
        [0, self.flags, self.method, 0, 0].iter().for_each(|number| header.extend(number.to_le_bytes()));
        header.extend([0; 12]);
        header.extend((self.name.len() as u16).to_le_bytes());
        header.extend((extra.len() as u16).to_le_bytes());
        header.extend(self.name.as_bytes());
        header.extend(extra);
        header
    }

    /// What stands after the data.
    fn follower(&self) -> Vec<u8> {
        if self.flags & FOLLOWED == 0 {
            return Vec::new();
        }
        let mut record = b"PK\x07\x08".to_vec();
        record.extend(self.checksum.to_le_bytes());
        if self.needs_long_sizes() {
            record.extend(self.packed.to_le_bytes().into_iter().chain(self.size.to_le_bytes()));
        } else {
            record.extend(short(self.packed).into_iter().chain(short(self.size)));
        }
        record
    }

    /// The record in the directory.
    fn central(&self) -> Vec<u8> {
        let mut long = Vec::new();
        if self.needs_long_sizes() {
            long.extend(self.size.to_le_bytes().into_iter().chain(self.packed.to_le_bytes()));
        }
        if self.header >= LONG {
            long.extend(self.header.to_le_bytes());
        }
        let (packed, size) = if self.needs_long_sizes() { ([0xff; 4], [0xff; 4]) } else { (short(self.packed), short(self.size)) };
        let mut record = Vec::new();
        record.extend(CENTRAL);
        let needed = if self.method == 0 { 0_u16 } else { 20 };
        [0, needed, self.flags, self.method, 0, 0].iter().for_each(|number| record.extend(number.to_le_bytes()));
        record.extend(self.checksum.to_le_bytes());
        record.extend(packed.into_iter().chain(size));
        record.extend((self.name.len() as u16).to_le_bytes());
        record.extend(if long.is_empty() { 0 } else { long.len() as u16 + 4 }.to_le_bytes());
        record.extend([0; 10]);
        record.extend(short(self.header));
        record.extend(self.name.as_bytes());
        if !long.is_empty() {
            record.extend(1_u16.to_le_bytes());
            record.extend((long.len() as u16).to_le_bytes());
            record.extend(long);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::{FOLLOWED, UTF8, Written};

    /// A number of 32 bits that is too large for them, and one of 64 in which all bytes can be told apart.
    const FULL: &[u8] = &[0xff; 4];
    const LARGE: u64 = 0x0102_0304_0506;

    fn long(numbers: &[u64]) -> Vec<u8> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        if bytes.is_empty() { bytes } else { [&[1, 0, bytes.len() as u8, 0], &bytes[..]].concat() }
    }

    #[test]
    fn numbers_beyond_32_bits_stand_where_pytorch_has_them() {
        let small = 0x11_u64;
        for (size, header) in [(small, small), (LARGE, small), (small, LARGE), (LARGE, LARGE), (u64::from(u32::MAX), u64::from(u32::MAX))] {
            let entry = Written { name: "a/data/1".into(), flags: UTF8 | FOLLOWED, method: 0, checksum: 7, packed: size, size, header };
            let (is_long, is_far) = (size != small, header != small);
            let far = [header];
            let numbers = |of_size: &[u64]| [if is_long { of_size } else { &[] }, if is_far { &far[..] } else { &[] }].concat();
            let local = entry.local();
            let extra = long(&numbers(&[size, 0]));
            assert_eq!(local[..26], [&b"PK\x03\x04\0\0\x08\x08"[..], &[0; 18]].concat(), "{size:x} {header:x}");
            assert_eq!(local[26..28], [8, 0]);
            assert_eq!(usize::from(u16::from_le_bytes([local[28], local[29]])), local.len() - 38);
            assert_eq!(local[30..][..8 + extra.len()], [b"a/data/1", &extra[..]].concat(), "{size:x} {header:x}");
            let padding = &local[38 + extra.len()..];
            assert_eq!(padding[..2], *b"FB");
            assert!(padding[4..].iter().all(|byte| *byte == b'Z'));
            assert_eq!((header + local.len() as u64) % 64, 0, "{size:x} {header:x}");
            let sizes = if is_long { [size.to_le_bytes(), size.to_le_bytes()].concat() } else { [&[0x11, 0, 0, 0][..]; 2].concat() };
            assert_eq!(entry.follower(), [&b"PK\x07\x08\x07\0\0\0"[..], &sizes].concat(), "{size:x} {header:x}");
            let short = |is_long| if is_long { FULL } else { &[0x11, 0, 0, 0] };
            let extra = long(&numbers(&[size, size]));
            let expected = [
                &b"PK\x01\x02\0\0\0\0\x08\x08\0\0\0\0\0\0\x07\0\0\0"[..],
                short(is_long),
                short(is_long),
                &[8, 0, extra.len() as u8, 0],
                &[0; 10],
                short(is_far),
                b"a/data/1",
                &extra,
            ];
            assert_eq!(entry.central(), expected.concat(), "{size:x} {header:x}");
        }
    }
}
