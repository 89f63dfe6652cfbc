//! How files are read and written: as what format, copied or mapped, how much may be inflated, and who is told how far it is.

use std::fmt;

/// The formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// PyTorch's `.pt` and `.pth`: a zip archive, or as PyTorch wrote before 1.6.
    Pt,
    /// safetensors.
    Safetensors,
    /// One array of numpy.
    Npy,
    /// An archive of arrays of numpy.
    Npz,
    /// GGUF, which is only read.
    Gguf,
    /// A checkpoint in several files: `model.safetensors.index.json`.
    Index,
}

impl Format {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Pt, Self::Safetensors, Self::Npy, Self::Npz, Self::Gguf, Self::Index];

    /// The usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pt => "pt",
            Self::Safetensors => "safetensors",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::Gguf => "gguf",
            Self::Index => "index",
        }
    }

    /// The format that a file's name promises, if it promises one: a `.bin` may be anything.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, suffix) = name.rsplit_once('.')?;
        match suffix.to_ascii_lowercase().as_str() {
            "pt" | "pth" => Some(Self::Pt),
            "safetensors" => Some(Self::Safetensors),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "gguf" => Some(Self::Gguf),
            "json" => Some(Self::Index),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How far a load or a save is, in bytes of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is done.
    pub done: u64,
    /// All that there is to do.
    pub total: u64,
}

/// Who is told.
pub(crate) type Watch<'a> = Option<&'a (dyn Fn(Progress) + Sync)>;

/// What packed data may grow to, if nobody says otherwise.
const INFLATED: u64 = 1 << 30;
const INFLATED_TIMES: u64 = 64;

/// How a file is read: [`load`](crate::load) with choices.
///
/// ```no_run
/// let archive = latten_io::Load::new().mapped().load("model.safetensors")?;
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Load<'a> {
    pub(crate) format: Option<Format>,
    pub(crate) is_mapped: bool,
    pub(crate) most_inflated: Option<u64>,
    pub(crate) watch: Watch<'a>,
}

impl fmt::Debug for Load<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, is_mapped, most_inflated, watch } = self;
        write!(f, "Load {{ format: {format:?}, mapped: {is_mapped}, most_inflated: {most_inflated:?}, watched: {} }}", watch.is_some())
    }
}

impl<'a> Load<'a> {
    /// The format by name and content, everything copied.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The file is of this format, whatever its name says.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Tensors lie over the mapped file: pages are read when they are used, and copied when they are written to. What can't be mapped, packed
    /// or big-endian data, is copied.
    #[must_use]
    pub fn mapped(self) -> Self {
        Self { is_mapped: true, ..self }
    }

    /// How many bytes packed data may have when inflated. Without a word it is 1 GiB or 64 times the file, whichever is more.
    #[must_use]
    pub fn most_inflated(self, nbytes: u64) -> Self {
        Self { most_inflated: Some(nbytes), ..self }
    }

    /// Calls a function after each part, from the threads that read.
    #[must_use]
    pub fn progress(self, watch: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { watch: Some(watch), ..self }
    }

    pub(crate) fn inflated_limit(&self, file: u64) -> u64 {
        self.most_inflated.unwrap_or_else(|| INFLATED.max(file.saturating_mul(INFLATED_TIMES)))
    }
}

/// How a file is written: [`save`](crate::save) with choices.
#[derive(Clone, Copy)]
pub struct Save<'a> {
    pub(crate) format: Option<Format>,
    pub(crate) metadata: &'a [(&'a str, &'a str)],
    pub(crate) packing: Packing,
    pub(crate) durability: Durability,
    pub(crate) shard: u64,
    pub(crate) watch: Watch<'a>,
}

/// Whether the entries of an npz are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// As they are: numpy's `savez`.
    #[default]
    Stored,
    /// Deflated: numpy's `savez_compressed`.
    Deflated,
}

/// What a finished save survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the machine: the file is on the disk before it takes its name.
    #[default]
    Synced,
    /// A crash of the program: the system writes the file when it likes.
    Written,
}

/// The bytes of a shard, if nobody says otherwise.
const SHARD: u64 = 5_000_000_000;

impl fmt::Debug for Save<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, metadata, packing, durability, shard, watch } = self;
        write!(
            f,
            "Save {{ format: {format:?}, metadata: {metadata:?}, packing: {packing:?}, durability: {durability:?}, shard: {shard}, watched: {} }}",
            watch.is_some()
        )
    }
}

impl Default for Save<'_> {
    fn default() -> Self {
        Self { format: None, metadata: &[], packing: Packing::Stored, durability: Durability::Synced, shard: SHARD, watch: None }
    }
}

impl<'a> Save<'a> {
    /// The format by the name, stored, synced.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The file is of this format, whatever its name says.
    #[must_use]
    pub fn format(self, format: Format) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Texts beside the tensors, of safetensors only. They are written in the order of their names.
    #[must_use]
    pub fn metadata(self, metadata: &'a [(&'a str, &'a str)]) -> Self {
        Self { metadata, ..self }
    }

    /// Whether the entries of an npz are packed.
    #[must_use]
    pub fn packing(self, packing: Packing) -> Self {
        Self { packing, ..self }
    }

    /// What a finished save survives.
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self { durability, ..self }
    }

    /// The bytes after which a checkpoint of several files begins the next one: 5 GB without a word. A larger tensor has a file of its own.
    #[must_use]
    pub fn shard(self, nbytes: u64) -> Self {
        Self { shard: nbytes, ..self }
    }

    /// Calls a function after each part.
    #[must_use]
    pub fn progress(self, watch: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { watch: Some(watch), ..self }
    }
}
