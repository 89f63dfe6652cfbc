//! Bytes of files into storages and out of them. Large parts are read by several threads; mapped files give windows.

use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use latten_core::device::{Device, DeviceType};
use latten_core::error::Result;
use latten_core::geometry::Geometry;
use latten_core::kernels::workers::num_threads;
use latten_core::layout::MemoryFormat;
use latten_core::raw::RawTensor;
use latten_core::storage::{ByteStorage, SliceMut, UntypedStorage};
use latten_spec::DType;

use crate::fault::{Within, broken};
use crate::options::{Load, Progress, Watch};
use crate::source::Source;

/// What one thread fills at a time.
const CHUNK: usize = 4 << 20;
/// What is read or written by one call of the system: a checksum finds it in the cache.
const STEP: usize = 256 << 10;
/// Storages are filled together until they have that many bytes, or are that many.
const BATCH: usize = 256 << 20;
const BATCH_COUNT: usize = 64;

/// A part of a file that becomes a storage.
pub(crate) struct Part {
    /// Its name, for errors.
    pub(crate) entry: String,
    /// Where its bytes begin in the file.
    pub(crate) at: u64,
    /// How many bytes the storage has.
    pub(crate) nbytes: usize,
    /// How it lies in the file.
    pub(crate) form: Form,
    /// The checksum that its bytes must have.
    pub(crate) checksum: Option<u32>,
    /// The dtype whose bytes are to be turned.
    pub(crate) turned: Option<DType>,
}

/// How a part lies in a file.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// As it is.
    Plain,
    /// Deflated, to that many bytes.
    Deflated(u64),
}

impl Part {
    pub(crate) fn plain(entry: impl Into<String>, at: u64, nbytes: usize) -> Self {
        Self { entry: entry.into(), at, nbytes, form: Form::Plain, checksum: None, turned: None }
    }

    fn is_mappable(&self) -> bool {
        matches!(self.form, Form::Plain) && self.turned.is_none()
    }
}

/// The storages of the parts, in their order.
pub(crate) fn fetch(source: &Source<'_>, load: &Load<'_>, parts: &[Part]) -> Result<Vec<UntypedStorage>> {
    let counter = Counter { done: AtomicU64::new(0), total: parts.iter().map(|part| part.nbytes as u64).sum(), watch: load.watch };
    let mut storages = Vec::with_capacity(parts.len());
    let mut rest = parts;
    while !rest.is_empty() {
        let mut nbytes = 0_usize;
        let count = rest.iter().take(BATCH_COUNT).take_while(|part| {
            let fits = nbytes == 0 || nbytes.saturating_add(part.nbytes) <= BATCH;
            nbytes = nbytes.saturating_add(part.nbytes);
            fits
        });
        let (now, later) = rest.split_at(count.count());
        storages.extend(batch(source, now, &counter)?);
        rest = later;
    }
    Ok(storages)
}

struct Counter<'a> {
    done: AtomicU64,
    total: u64,
    watch: Watch<'a>,
}

impl Counter<'_> {
    fn add(&self, nbytes: usize) {
        let done = self.done.fetch_add(nbytes as u64, Ordering::Relaxed) + nbytes as u64;
        if let Some(watch) = self.watch {
            watch(Progress { done, total: self.total });
        }
    }
}

/// What one thread does next: fill a piece of a part.
struct StoragePiece<'a> {
    part: &'a Part,
    place: usize,
    start: usize,
    to: &'a mut [u8],
}

fn batch(source: &Source<'_>, parts: &[Part], counter: &Counter<'_>) -> Result<Vec<UntypedStorage>> {
    let storages = parts.iter().map(|part| place_of(source, part).within(&part.entry)).collect::<Result<Vec<_>>>()?;
    {
        let wanted = |(storage, part): (&UntypedStorage, &Part)| {
            let is_done = part.nbytes == 0 || source.map.is_some() && part.is_mappable();
            if is_done { Ok(None) } else { ByteStorage::of(storage.clone()).slice_mut().map(Some) }
        };
        let mut slices = storages.iter().zip(parts).map(wanted).collect::<Result<Vec<_>>>()?;
        fill(source, parts, &mut slices, counter)?;
    }
    for (storage, part) in storages.iter().zip(parts) {
        if let Some(dtype) = part.turned {
            storage.byteswap(dtype).within(&part.entry)?;
        }
    }
    Ok(storages)
}

/// The storage of a part: a window of the mapped file, or memory to fill.
fn place_of(source: &Source<'_>, part: &Part) -> Result<UntypedStorage> {
    if part.nbytes == 0 {
        return Ok(UntypedStorage::empty());
    }
    match &source.map {
        Some(map) if part.is_mappable() => {
            let start = i64::try_from(part.at).ok();
            let range = start.and_then(|start| Some(start..start.checked_add_unsigned(part.nbytes as u64)?));
            match range {
                Some(range) if source.has(part.at, part.nbytes as u64) => map.slice(range),
                _ => Err(broken(format!("it reaches beyond the file: {} bytes at byte {}", part.nbytes, part.at))),
            }
        }
        _ => UntypedStorage::new(part.nbytes, Device::CPU),
    }
}

fn fill(source: &Source<'_>, parts: &[Part], slices: &mut [Option<SliceMut<u8>>], counter: &Counter<'_>) -> Result<()> {
    let mut pieces = Vec::new();
    for (place, (part, slice)) in parts.iter().zip(slices).enumerate() {
        let Some(slice) = slice else { continue };
        match part.form {
            Form::Plain => {
                let chunks = slice.chunks_mut(CHUNK).enumerate();
                pieces.extend(chunks.map(|(n, to)| StoragePiece { part, place, start: n * CHUNK, to }));
            }
            Form::Deflated(_) => pieces.push(StoragePiece { part, place, start: 0, to: slice }),
        }
    }
    let threads = num_threads().min(pieces.len()).max(1);
    let sums = Mutex::new(vec![Vec::new(); parts.len()]);
    let rest = Mutex::new(pieces.into_iter());
    let work = || -> Result<()> {
        loop {
            let Some(piece) = rest.lock().ok().and_then(|mut rest| rest.next()) else { return Ok(()) };
            let (place, start, nbytes, entry) = (piece.place, piece.start, piece.to.len(), &piece.part.entry);
            let sum = read_piece(source, piece).within(entry)?;
            if let (Some(sum), Ok(mut sums)) = (sum, sums.lock()) {
                sums[place].push((start, sum));
            }
            counter.add(nbytes);
        }
    };
    if threads == 1 {
        work()?;
    } else {
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let others =
                helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|_| Err(broken("a thread that read the file ended"))));
            others.fold(own, Result::and)
        })?;
    }
    check_sums(parts, sums.into_inner().unwrap_or_default())
}

#[cfg(any(feature = "pt", feature = "npy"))]
type Sum = crc32fast::Hasher;
#[cfg(not(any(feature = "pt", feature = "npy")))]
type Sum = ();

/// Reads a piece; answers its checksum, where the part has one.
#[cfg(any(feature = "pt", feature = "npy"))]
fn read_piece(source: &Source<'_>, piece: StoragePiece<'_>) -> Result<Option<Sum>> {
    let mut sum = piece.part.checksum.map(|_| Sum::new());
    let mut add = |bytes: &[u8]| sum.iter_mut().for_each(|sum| sum.update(bytes));
    match piece.part.form {
        Form::Plain => {
            let start = piece.part.at + piece.start as u64;
            for (n, to) in piece.to.chunks_mut(STEP).enumerate() {
                source.read(start + (n * STEP) as u64, to)?;
                add(to);
            }
        }
        Form::Deflated(packed) => {
            crate::inflate::inflate(&source.bytes(piece.part.at, packed)?, piece.to)?;
            add(piece.to);
        }
    }
    Ok(sum)
}

#[cfg(not(any(feature = "pt", feature = "npy")))]
fn read_piece(source: &Source<'_>, piece: StoragePiece<'_>) -> Result<Option<Sum>> {
    match piece.part.form {
        Form::Plain => source.read(piece.part.at + piece.start as u64, piece.to).map(|()| None),
        Form::Deflated(_) => Err(broken("this build can't inflate")),
    }
}

#[cfg(any(feature = "pt", feature = "npy"))]
fn check_sums(parts: &[Part], sums: Vec<Vec<(usize, Sum)>>) -> Result<()> {
    for (part, mut sums) in parts.iter().zip(sums) {
        let Some(expected) = part.checksum.filter(|_| !sums.is_empty()) else { continue };
        sums.sort_by_key(|(start, _)| *start);
        let mut whole = Sum::new();
        sums.iter().for_each(|(_, sum)| whole.combine(sum));
        crate::inflate::check_sum(expected, whole.finalize()).within(&part.entry)?;
    }
    Ok(())
}

#[cfg(not(any(feature = "pt", feature = "npy")))]
#[expect(clippy::unnecessary_wraps, reason = "archives have checksums, and this build reads none")]
fn check_sums(_: &[Part], _: Vec<Vec<(usize, Sum)>>) -> Result<()> {
    Ok(())
}

/// Writes the bytes of a storage.
pub(crate) fn pour(storage: &UntypedStorage, to: &mut impl Write) -> Result<io::Result<()>> {
    if storage.device().kind() != DeviceType::Cpu {
        return pour(&storage.cpu()?, to);
    }
    if !storage.is_shared() {
        let slice = ByteStorage::of(storage.clone()).slice()?;
        return Ok(to.write_all(&slice));
    }
    // Others may change a mapped file or shared memory meanwhile, so what is written is a copy.
    let mut start = 0;
    while start < storage.nbytes() {
        let end = storage.nbytes().min(start + STEP);
        let bytes = storage.slice(start.cast_signed() as i64..end.cast_signed() as i64)?.tolist()?;
        if let Err(error) = to.write_all(&bytes) {
            return Ok(Err(error));
        }
        start = end;
    }
    Ok(Ok(()))
}

/// The elements in row-major order in a storage that holds nothing else.
pub(crate) fn row_major(tensor: &RawTensor) -> Result<UntypedStorage> {
    let is_whole = *tensor.geometry() == Geometry::contiguous(tensor.sizes());
    let nbytes = tensor.geometry().needed_bytes(tensor.dtype().itemsize())?;
    if is_whole && tensor.storage().nbytes() == nbytes {
        return Ok(tensor.storage().clone());
    }
    if tensor.geometry().numel() == 0 {
        return Ok(UntypedStorage::empty());
    }
    let dense = tensor.contiguous(MemoryFormat::Contiguous)?;
    let (start, nbytes) = (dense.storage_offset() * dense.dtype().itemsize(), dense.geometry().numel() * dense.dtype().itemsize());
    dense.storage().slice(start.cast_signed() as i64..(start + nbytes).cast_signed() as i64)
}

/// The bytes of the elements in row-major order.
pub(crate) fn row_major_bytes(tensor: &RawTensor) -> Result<Vec<u8>> {
    row_major(tensor)?.tolist()
}

/// What PyTorch does with the elements of a tensor when they are read: a mark on the tensor, over bytes that others share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// The imaginary parts have the other sign.
    pub(crate) is_conjugated: bool,
    /// All signs are the other ones.
    pub(crate) is_negated: bool,
}

impl Turn {
    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// The bytes of the elements in row-major order, with a turn carried out.
pub(crate) fn turned_bytes(tensor: &RawTensor, turn: Turn) -> Result<Vec<u8>> {
    // A view of stride 0 may have more elements than any memory.
    let most = tensor.storage().nbytes() / tensor.dtype().itemsize();
    if tensor.numel() > most {
        return Err(broken(format!("a view of {} elements that have to be copied, but the storage has {most}", tensor.numel())));
    }
    let part = tensor.dtype().to_real().itemsize();
    let mut bytes = row_major_bytes(tensor)?;
    for (number, bytes) in bytes.chunks_exact_mut(part).enumerate() {
        let is_imaginary = tensor.dtype().is_complex() && number % 2 == 1;
        if turn.is_negated != (turn.is_conjugated && is_imaginary) {
            bytes[part - 1] ^= 0x80;
        }
    }
    Ok(bytes)
}
