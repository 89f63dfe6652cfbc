//! Zip archives for reading: the directory, with every field checked against the file, and inflating to a size that is known before.
//!
//! Refused: names twice, entries that overlap, sizes and places beyond the file, encryption, other methods than stored and deflated, more
//! than one end. Names are looked up and never become paths. Writing is in `write`.

pub(crate) mod write;

use std::collections::HashMap;

use latten_core::error::Result;

use crate::fault::{Within, broken, unsupported};
use crate::inflate::{check_sum, inflate};
use crate::options::Load;
use crate::source::{Cursor, Source};
use crate::storages::{Form, Part};

pub(crate) const LOCAL: [u8; 4] = *b"PK\x03\x04";
pub(crate) const CENTRAL: [u8; 4] = *b"PK\x01\x02";
pub(crate) const END: [u8; 4] = *b"PK\x05\x06";
pub(crate) const END64: [u8; 4] = *b"PK\x06\x06";
pub(crate) const LOCATOR64: [u8; 4] = *b"PK\x06\x07";
/// The sizes of the fixed parts of these records.
pub(crate) const LOCAL_SIZE: u64 = 30;
const CENTRAL_SIZE: u64 = 46;
const END_SIZE: usize = 22;
const END64_SIZE: u64 = 56;
const LOCATOR64_SIZE: u64 = 20;
/// The flags of encryption, of a patch and of strong encryption.
const UNREADABLE: u16 = 0x0001 | 0x0020 | 0x0040;
/// No byte of deflated data gives more.
const MOST_INFLATION: u64 = 1032;

/// One file of an archive.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    method: u16,
    checksum: u32,
    packed: u64,
    pub(crate) size: u64,
    header: u64,
    /// Where its bytes begin.
    pub(crate) at: u64,
}

/// The entries of an archive, in the order of the directory.
#[derive(Debug)]
pub(crate) struct ZipArchive {
    pub(crate) entries: Vec<Entry>,
    places: HashMap<String, usize>,
}

/// Where the directory is.
struct Directory {
    count: u64,
    size: u64,
    at: u64,
    /// Where the records after it begin.
    end: u64,
}

impl ZipArchive {
    /// Reads and checks the directory and the headers before each entry.
    pub(crate) fn read(source: &Source<'_>, load: &Load<'_>) -> Result<Self> {
        let directory = directory(source).within("the archive's end")?;
        let entries = entries(source, &directory).within("the archive's directory")?;
        check_apart(&entries, directory.at)?;
        let mut places = HashMap::with_capacity(entries.len());
        let (limit, mut inflated) = (load.inflated_limit(source.len()), 0_u64);
        for (place, entry) in entries.iter().enumerate() {
            if places.insert(entry.name.clone(), place).is_some() {
                return Err(broken(format!("{:?}: two entries have this name", entry.name)));
            }
            if entry.method == 8 {
                inflated = inflated.saturating_add(entry.size);
                if entry.size > entry.packed.saturating_mul(MOST_INFLATION) {
                    return Err(broken(format!("{}: {} bytes can't be packed into {}", entry.name, entry.size, entry.packed)));
                }
            }
        }
        if inflated > limit {
            return Err(broken(format!(
                "its packed entries have {inflated} bytes when inflated, more than the {limit} that are allowed (`Load::most_inflated`)"
            )));
        }
        Ok(Self { entries, places })
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        self.places.get(name).map(|&place| &self.entries[place])
    }
}

impl Entry {
    /// The part of the file that the entry is.
    pub(crate) fn part(&self) -> Result<Part> {
        let form = if self.method == 8 { Form::Deflated(self.packed) } else { Form::Plain };
        let nbytes = usize::try_from(self.size).map_err(|_| broken(format!("{}: {} bytes are too many", self.name, self.size)))?;
        Ok(Part { entry: self.name.clone(), at: self.at, nbytes, form, checksum: Some(self.checksum), turned: None })
    }

    /// All bytes, with their checksum checked.
    pub(crate) fn bytes(&self, source: &Source<'_>) -> Result<Vec<u8>> {
        let bytes = source.bytes(self.at, self.packed)?;
        let bytes = match self.method {
            0 => bytes,
            _ => {
                let size = usize::try_from(self.size).map_err(|_| broken(format!("{} bytes are too many", self.size)))?;
                let mut to = Vec::new();
                to.try_reserve_exact(size).map_err(|_| broken(format!("no memory for {size} bytes")))?;
                to.resize(size, 0);
                inflate(&bytes, &mut to)?;
                to
            }
        };
        check_sum(self.checksum, crc32fast::hash(&bytes))?;
        Ok(bytes)
    }
}

/// Finds the end of the archive, which must be the end of the file.
fn directory(source: &Source<'_>) -> Result<Directory> {
    let tail_size = source.len().min(END_SIZE as u64 + u64::from(u16::MAX));
    let tail_at = source.len() - tail_size;
    let tail = source.bytes(tail_at, tail_size)?;
    let is_end = |at: &usize| {
        let record = &tail[*at..];
        record.len() >= END_SIZE
            && record[..4] == END
            && usize::from(u16::from_le_bytes([record[20], record[21]])) == record.len() - END_SIZE
    };
    let mut ends = (0..tail.len().saturating_sub(END_SIZE - 1)).filter(is_end);
    let Some(at) = ends.next() else { return Err(broken("there is none, or bytes follow it: the file is no whole zip archive")) };
    if ends.next().is_some() {
        return Err(broken("there are two"));
    }
    let mut cursor = Cursor::new(&tail[at + 4..]);
    let disks = (cursor.u16()?, cursor.u16()?);
    let (here, total) = (u64::from(cursor.u16()?), u64::from(cursor.u16()?));
    let (size, start) = (u64::from(cursor.u32()?), u64::from(cursor.u32()?));
    let end = tail_at + at as u64;
    let plain = Directory { count: total, size, at: start, end };
    let directory = match long_end(source, end)? {
        Some(long) => long.agreeing_with(&plain)?,
        None => plain,
    };
    if disks != (0, 0) && disks != (u16::MAX, u16::MAX) || here != total {
        return Err(unsupported("it is one of several files"));
    }
    if directory.at.checked_add(directory.size) != Some(directory.end) {
        return Err(broken(format!(
            "it says that the directory has {} bytes at {}, but that isn't right before it, at {}",
            directory.size, directory.at, directory.end
        )));
    }
    Ok(directory)
}

/// The end with numbers of 64 bits, if its locator stands before the plain end.
fn long_end(source: &Source<'_>, end: u64) -> Result<Option<Directory>> {
    let Some(locator_at) = end.checked_sub(LOCATOR64_SIZE) else { return Ok(None) };
    let locator = source.bytes(locator_at, LOCATOR64_SIZE)?;
    let mut cursor = Cursor::new(&locator);
    if cursor.array()? != LOCATOR64 {
        return Ok(None);
    }
    let (disk, at, disks) = (cursor.u32()?, cursor.u64()?, cursor.u32()?);
    if disk != 0 || disks > 1 {
        return Err(unsupported("it is one of several files"));
    }
    if at.checked_add(END64_SIZE) != Some(locator_at) {
        return Err(broken(format!("its 64-bit record is said to be at {at}, not right before its locator at {locator_at}")));
    }
    let record = source.bytes(at, END64_SIZE)?;
    let mut cursor = Cursor::new(&record);
    let (signature, size): ([u8; 4], u64) = (cursor.array()?, cursor.u64()?);
    if signature != END64 || size != END64_SIZE - 12 {
        return Err(broken(format!("its 64-bit record at {at} isn't one of 44 bytes")));
    }
    cursor.take(4)?;
    let disks = (cursor.u32()?, cursor.u32()?);
    let (here, total) = (cursor.u64()?, cursor.u64()?);
    if disks != (0, 0) || here != total {
        return Err(unsupported("it is one of several files"));
    }
    Ok(Some(Directory { count: total, size: cursor.u64()?, at: cursor.u64()?, end: at }))
}

impl Directory {
    /// The plain end must say the same, or that its fields are too short for it.
    fn agreeing_with(self, plain: &Self) -> Result<Self> {
        let agree = |long: u64, short: u64, most: u64| short == most || short == long;
        let is_same = agree(self.count, plain.count, u16::MAX.into())
            && agree(self.size, plain.size, u32::MAX.into())
            && agree(self.at, plain.at, u32::MAX.into());
        if is_same { Ok(self) } else { Err(broken("its plain record and its 64-bit record differ")) }
    }
}

fn entries(source: &Source<'_>, directory: &Directory) -> Result<Vec<Entry>> {
    if directory.count > directory.size / CENTRAL_SIZE {
        return Err(broken(format!("{} entries are said to be in {} bytes", directory.count, directory.size)));
    }
    let bytes = source.bytes(directory.at, directory.size)?;
    let mut cursor = Cursor::new(&bytes);
    let mut entries = Vec::new();
    for number in 0..directory.count {
        let mut entry = central(&mut cursor).within(format_args!("entry {number}"))?;
        entry.at = data_of(source, &entry, directory.at).within(&entry.name)?;
        entries.push(entry);
    }
    match cursor.rest().len() {
        0 => Ok(entries),
        left => Err(broken(format!("{left} bytes follow its {} entries", directory.count))),
    }
}

/// One record of the directory.
fn central(cursor: &mut Cursor<'_>) -> Result<Entry> {
    if cursor.array()? != CENTRAL {
        return Err(broken(format!("at byte {}: no record begins here", cursor.at() - 4)));
    }
    cursor.take(4)?;
    let (flags, method) = (cursor.u16()?, cursor.u16()?);
    cursor.take(4)?;
    let checksum = cursor.u32()?;
    let (packed, size) = (cursor.u32()?, cursor.u32()?);
    let lengths = [cursor.u16()?, cursor.u16()?, cursor.u16()?];
    let disk = cursor.u16()?;
    cursor.take(6)?;
    let header = cursor.u32()?;
    let [name, extra, comment] = lengths.map(usize::from);
    let name = cursor.take(name)?;
    let extra = cursor.take(extra)?;
    cursor.take(comment)?;
    let Ok(name) = std::str::from_utf8(name) else { return Err(broken(format!("the name {} isn't UTF-8", name.escape_ascii()))) };
    if name.is_empty() || name.contains('\0') {
        return Err(broken(format!("{name:?} is no name")));
    }
    let mut entry =
        Entry { name: name.to_owned(), method, checksum, packed: packed.into(), size: size.into(), header: header.into(), at: 0 };
    entry.lengthen(extra).within(name)?;
    entry.check(flags, disk).within(name)?;
    Ok(entry)
}

impl Entry {
    /// Takes the numbers that need 64 bits from the extra field.
    fn lengthen(&mut self, extra: &[u8]) -> Result<()> {
        let numbers = [&mut self.size, &mut self.packed, &mut self.header];
        let wanted: Vec<&mut u64> = numbers.into_iter().filter(|number| **number == u64::from(u32::MAX)).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut cursor = Cursor::new(extra);
        while !cursor.rest().is_empty() {
            let (id, size) = (cursor.u16()?, cursor.u16()?);
            let field = cursor.take(size.into())?;
            if id == 1 {
                let mut numbers = Cursor::new(field);
                for number in wanted {
                    *number = numbers.u64().within("its 64-bit sizes")?;
                }
                return Ok(());
            }
        }
        Err(broken("its 64-bit sizes aren't there"))
    }

    fn check(&self, flags: u16, disk: u16) -> Result<()> {
        if flags & UNREADABLE != 0 {
            return Err(unsupported("it is encrypted or a patch"));
        }
        if disk != 0 {
            return Err(unsupported("it is in another file"));
        }
        match self.method {
            0 if self.packed != self.size => {
                Err(broken(format!("it is stored, but has {} bytes in the archive and {} outside", self.packed, self.size)))
            }
            0 | 8 => Ok(()),
            method => Err(unsupported(format!("it is packed by method {method}; 0 (stored) and 8 (deflated) are read"))),
        }
    }
}

/// Where the bytes of an entry begin: after its own header, which must be of the same name and method.
fn data_of(source: &Source<'_>, entry: &Entry, directory: u64) -> Result<u64> {
    let fixed = source.bytes(entry.header, LOCAL_SIZE).within("its header")?;
    let mut cursor = Cursor::new(&fixed);
    if cursor.array()? != LOCAL {
        return Err(broken(format!("no header of an entry is at byte {}", entry.header)));
    }
    cursor.take(2)?;
    let (flags, method) = (cursor.u16()?, cursor.u16()?);
    cursor.take(16)?;
    let (name, extra) = (u64::from(cursor.u16()?), u64::from(cursor.u16()?));
    if flags & UNREADABLE != 0 || method != entry.method {
        return Err(broken(format!("the directory and the header at byte {} differ in flags or method", entry.header)));
    }
    if name != entry.name.len() as u64 || source.bytes(entry.header + LOCAL_SIZE, name)? != entry.name.as_bytes() {
        return Err(broken(format!("the header at byte {} has another name", entry.header)));
    }
    let at = entry.header + LOCAL_SIZE + name + extra;
    match at.checked_add(entry.packed) {
        Some(end) if end <= directory => Ok(at),
        _ => Err(broken(format!("its {} bytes at byte {at} reach into the directory at {directory}", entry.packed))),
    }
}

/// That no two entries have bytes in common.
fn check_apart(entries: &[Entry], directory: u64) -> Result<()> {
    let mut order: Vec<&Entry> = entries.iter().collect();
    order.sort_by_key(|entry| entry.header);
    let next = order.iter().skip(1).map(|entry| (entry.header, entry.name.as_str())).chain([(directory, "the directory")]);
    for (entry, (limit, other)) in order.iter().zip(next) {
        let end = entry.at + entry.packed;
        if end > limit {
            return Err(broken(format!("{}: its bytes end at {end}, but {other} begins at {limit}", entry.name)));
        }
    }
    Ok(())
}
