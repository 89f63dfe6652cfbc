//! Files as a user meets them: load and save by name and content.

use std::path::Path;

use latten_core::element::Element;
use latten_core::error::{Error, ErrorKind, Result};
use latten_core::grad::no_grad;
use latten_core::optim::NamedTensors;
use latten_core::shape::Shape;
use latten_core::tensor::{DynTensor, Tensor};

use crate::fault::{Within, broken};
use crate::options::{Format, Load, Save};
use crate::source::Source;
use crate::value::{FromValue, ToValue, Value};

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Archive {
    /// What it holds. Of formats that hold tensors by name, a dict of them in the order of the file.
    pub value: Value,
    /// The format that it has.
    pub format: Format,
    /// The texts of a safetensors file beside its tensors, if it has any.
    pub metadata: Option<Vec<(String, String)>>,
    /// What a GGUF file says beside its elements.
    #[cfg(feature = "gguf")]
    pub gguf: Option<crate::gguf::Header>,
    name: String,
}

impl Archive {
    fn new(name: &str, format: Format, value: Value) -> Self {
        Self {
            value,
            format,
            metadata: None,
            #[cfg(feature = "gguf")]
            gguf: None,
            name: name.to_owned(),
        }
    }

    /// The value of a name, taken as a type: [`Value::get`], with the file in the error.
    ///
    /// # Errors
    /// Where there is no such name, where the value is something else, and for tensors of kinds that latten can't read (of GGUF).
    pub fn get<T: FromValue>(&self, name: &str) -> Result<T> {
        #[cfg(feature = "gguf")]
        if let Some(error) = self.gguf.as_ref().and_then(|header| header.unreadable(name)) {
            return Err(error).of_file(&self.name);
        }
        self.value.get(name).of_file(&self.name)
    }

    /// Copies the tensor of a name into one that is there, as PyTorch's `load_state_dict` does with a parameter: converted to its dtype, and
    /// not recorded.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// # fn main() -> latten_core::error::Result<()> {
    /// # let path = std::env::temp_dir().join(format!("latten-io-into-{}.safetensors", std::process::id()));
    /// latten_io::save(&path, &[("weight", Tensor::from([1.0_f32, 2.0]))])?;
    /// let mut weight = Tensor::from([0.0_f32; 2]).requiring_grad()?;
    /// latten_io::load(&path)?.load_into("weight", &mut weight)?;
    /// assert_eq!(weight.to_vec(), [1.0, 2.0]);
    /// # std::fs::remove_file(&path).expect("the file is there");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`get`](Self::get), and where the sizes differ; nothing is changed then.
    pub fn load_into<E: Element, S: Shape>(&self, name: &str, to: &mut Tensor<E, S>) -> Result<()> {
        let saved: DynTensor = self.get(name)?;
        if saved.sizes() != to.sizes() {
            let text = format!(
                "size mismatch for {name}: copying a param with shape {:?} from checkpoint, the shape in current model is {:?}.",
                saved.sizes(),
                to.sizes()
            );
            return Err(Error::runtime(text)).of_file(&self.name);
        }
        let _unrecorded = no_grad();
        to.copy_(&saved).map(drop).of_file(&self.name)
    }

    /// The tensor of a file without names, `.npy` say: `latten::load("x.npy")?.tensor()?`.
    ///
    /// # Errors
    /// Where it holds something else, tensors by name say.
    pub fn tensor(&self) -> Result<DynTensor> {
        DynTensor::from_value(&self.value).of_file(&self.name)
    }

    /// The same as a type says: `latten::load("x.npy")?.typed::<f32, Rank<2>>()?`.
    ///
    /// # Errors
    /// As [`tensor`](Self::tensor), and where the tensor is another.
    pub fn typed<E: Element, S: Shape>(&self) -> Result<Tensor<E, S>> {
        self.tensor()?.typed().of_file(&self.name)
    }

    /// The names of what it holds, in the order of the file; none where it holds something else than a dict.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.each_name().collect()
    }

    fn each_name(&self) -> impl Iterator<Item = &str> {
        let entries = if let Value::Dict(dict) = &self.value { Some(dict.iter()) } else { None };
        entries.into_iter().flatten().filter_map(|(name, _)| if let Value::Str(name) = name { Some(&**name) } else { None })
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.each_name().count()
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each_name().next().is_none()
    }

    /// The tensors that it has by name, in the order of the file.
    ///
    /// # Errors
    /// Where it holds something else than a dict.
    pub fn tensors(&self) -> Result<Vec<(&str, DynTensor)>> {
        let Value::Dict(dict) = &self.value else {
            let found = format!("expected tensors by name, found a {}", self.value.kind());
            return Err(Error::new(ErrorKind::Type, found)).of_file(&self.name);
        };
        let named = dict.iter().filter_map(|entry| match entry {
            (Value::Str(name), Value::Tensor(saved)) => Some((&**name, saved.tensor().alias())),
            _ => None,
        });
        Ok(named.collect())
    }

    /// The tensors whose names begin so, by the rest of their names: `adam.load_state_dict(&archive.tensors_under("adam.")?)?` of what
    /// was saved under such names.
    ///
    /// # Errors
    /// Where it holds something else than a dict.
    ///
    /// ```
    /// # use latten_core::{optim::Adam, tensor::{DynTensor, Tensor}};
    /// # fn main() -> latten_core::error::Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("latten-io-under-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).expect("a folder for the example");
    /// # let path = folder.join("state.safetensors");
    /// let mut x = Tensor::from([1.0_f32, 2.0]).requiring_grad()?;
    /// let mut adam = Adam::new(0.1);
    /// (&x * &x).sum().backward()?;
    /// adam.step(&mut [&mut x])?;
    ///
    /// let mut all: Vec<(String, DynTensor)> = vec![("x".into(), x.erase())];
    /// all.extend(adam.state_dict().into_iter().map(|(name, tensor)| (format!("adam.{name}"), tensor)));
    /// latten_io::save(&path, &all)?;
    ///
    /// let mut again = Adam::new(0.1);
    /// again.load_state_dict(&latten_io::load(&path)?.tensors_under("adam.")?)?;
    /// assert_eq!(again.state_dict().len(), 3);
    /// # std::fs::remove_dir_all(&folder).expect("the example's folder goes");
    /// # Ok(())
    /// # }
    /// ```
    pub fn tensors_under(&self, prefix: &str) -> Result<Vec<(String, DynTensor)>> {
        let under = self.tensors()?.into_iter().filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_owned(), tensor)));
        Ok(under.collect())
    }
}

/// All of its tensors.
impl NamedTensors for Archive {
    fn named_tensors(&self) -> Result<Vec<(String, DynTensor)>> {
        self.tensors_under("")
    }
}

/// Reads a file. Its format follows from its name and its content; [`Load`] has choices.
///
/// # Errors
/// Where the file can't be opened, isn't whole, or holds what latten hasn't; the message names the file, the entry and the place.
///
/// ```
/// # use latten_core::{shape::Rank, tensor::Tensor};
/// # fn main() -> latten_core::error::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("latten-io-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).expect("a folder for the example");
/// let path = folder.join("model.safetensors");
/// latten_io::save(&path, &[("weight", Tensor::from([[1.0_f32, 2.0]]))])?;
///
/// let archive = latten_io::load(&path)?;
/// let weight: Tensor<f32, Rank<2>> = archive.get("weight")?;
/// assert_eq!(weight.to_vec(), [1.0, 2.0]);
/// for (name, tensor) in archive.tensors()? {
///     println!("{name}: {}, {:?}", tensor.dtype(), tensor.sizes());
/// }
/// # std::fs::remove_dir_all(&folder).expect("the folder is there");
/// # Ok(())
/// # }
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Archive> {
    Load::new().load(path)
}

/// Reads a file with its tensors over the mapped file: [`Load::mapped`].
///
/// # Errors
/// As [`load`].
pub fn load_mapped(path: impl AsRef<Path>) -> Result<Archive> {
    Load::new().mapped().load(path)
}

/// Writes tensors by name, or what else a file can hold, in the format that the name says; [`Save`] has choices. An old file of that name stays until the new one is whole.
///
/// # Errors
/// Where the format can't hold the value, and where the system refuses.
pub fn save(path: impl AsRef<Path>, value: &(impl ToValue + ?Sized)) -> Result<()> {
    Save::new().save(path, value)
}

impl Load<'_> {
    /// Reads a file.
    ///
    /// # Errors
    /// As [`load`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Archive> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let open = || {
            let source = Source::open(path)?;
            let format = self.decide(&name, &source.head(HEAD)?)?;
            let is_mappable = !matches!(format, Format::Npz | Format::Index);
            let source = if self.is_mapped && is_mappable && source.len() > 0 { source.mapped(path)? } else { source };
            self.read_as(format, &name, &source, Some(path))
        };
        open().of_file(&name)
    }

    /// Reads a file that is in memory already. The name is for its format and for errors.
    ///
    /// # Errors
    /// As [`load`], and for an index, whose other files aren't there.
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Archive> {
        let source = Source::memory(bytes);
        let read = || self.read_as(self.decide(name, &source.head(HEAD)?)?, name, &source, None);
        read().of_file(name)
    }

    /// The format: what was asked for, else what the name promises and the content doesn't contradict.
    fn decide(&self, name: &str, head: &[u8]) -> Result<Format> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let (named, found) = (Format::of_name(name), Look::at(head));
        match (named, found) {
            // Both archives are zip archives, and what an index is shows later.
            (Some(Format::Pt | Format::Npz), Look::Zip) => Ok(named.unwrap_or(Format::Pt)),
            (Some(named), Look::Format(found)) if named == found => Ok(named),
            (None, Look::Zip) => Ok(Format::Pt),
            (None, Look::Format(found)) => Ok(found),
            (Some(named @ (Format::Safetensors | Format::Index | Format::Pt)), Look::Unknown) => Ok(named),
            (Some(named), found) => {
                let hint = if matches!(found, Look::Unknown) { "" } else { ". `Load::format` reads it as what it is" };
                Err(broken(format!("its name says {named}, but it seems to be {found}{hint}")))
            }
            (None, found) => Err(broken(format!("it is no file of tensors that latten knows: it seems to be {found}"))),
        }
    }

    fn read_as(&self, format: Format, name: &str, source: &Source<'_>, path: Option<&Path>) -> Result<Archive> {
        let archive = |value: Value| -> Result<Archive> { Ok(Archive::new(name, format, value)) };
        match format {
            #[cfg(feature = "pt")]
            Format::Pt => archive(crate::pt::load(source, self)?),
            #[cfg(feature = "safetensors")]
            Format::Safetensors => {
                let (dict, metadata) = crate::safetensors::load(source, self)?;
                Ok(Archive { metadata, ..Archive::new(name, format, dict.into()) })
            }
            #[cfg(feature = "npy")]
            Format::Npy => archive(crate::npy::load(source, self)?),
            #[cfg(feature = "npy")]
            Format::Npz => archive(crate::npz::load(source, self)?),
            #[cfg(feature = "gguf")]
            Format::Gguf => {
                let (dict, header) = crate::gguf::load(source, self)?;
                Ok(Archive { gguf: Some(header), ..Archive::new(name, format, dict.into()) })
            }
            #[cfg(feature = "safetensors")]
            Format::Index => {
                let shards = Load { format: None, ..*self };
                archive(crate::index::load(source, path, |path| shards.load(path).map(|archive| archive.value))?.into())
            }
            #[cfg(not(all(feature = "pt", feature = "safetensors", feature = "npy", feature = "gguf")))]
            _ => Err(absent(format)),
        }
    }
}

impl Save<'_> {
    /// Writes a value.
    ///
    /// # Errors
    /// As [`save`].
    pub fn save(&self, path: impl AsRef<Path>, value: &(impl ToValue + ?Sized)) -> Result<()> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let Some(format) = self.format.or_else(|| Format::of_name(&name)) else {
            return Err(Error::new(ErrorKind::Value, format!("{name}: the name says no format; `Save::format` does")));
        };
        if !self.metadata.is_empty() && !matches!(format, Format::Safetensors | Format::Index) {
            return Err(Error::new(ErrorKind::Value, format!("{name}: {format} has no metadata")));
        }
        self.write_as(format, path, &value.to_value()).of_file(&name)
    }

    fn write_as(&self, format: Format, path: &Path, value: &Value) -> Result<()> {
        match format {
            #[cfg(feature = "pt")]
            Format::Pt => crate::pt::save(path, value, self),
            #[cfg(feature = "safetensors")]
            Format::Safetensors => crate::safetensors::save(path, value, self),
            #[cfg(feature = "npy")]
            Format::Npy => crate::npy::save(path, value, self),
            #[cfg(feature = "npy")]
            Format::Npz => crate::npz::save(path, value, self),
            #[cfg(feature = "safetensors")]
            Format::Index => crate::index::save(path, value, self),
            Format::Gguf => Err(Error::new(ErrorKind::NotImplemented, "latten reads GGUF, and doesn't write it")),
            #[cfg(not(all(feature = "pt", feature = "safetensors", feature = "npy")))]
            _ => Err(absent(format)),
        }
    }
}

#[cfg(not(all(feature = "pt", feature = "safetensors", feature = "npy", feature = "gguf")))]
fn absent(format: Format) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("this build doesn't have the format {format}: its feature is off"))
}

/// How many bytes tell what a file is.
const HEAD: u64 = 264;
/// The number that PyTorch's files before 1.6 begin with, as their pickle has it.
const LEGACY: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19";
const ZIP: &[u8] = b"PK\x03\x04";
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// What a file seems to be.
enum Look {
    Zip,
    Format(Format),
    Other(&'static str),
    Unknown,
}

impl Look {
    fn at(head: &[u8]) -> Self {
        let known: [(&[u8], &'static str); 8] = [
            (b"\x1f\x8b", "packed by gzip"),
            (b"7z\xbc\xaf", "a 7z archive"),
            (b"version https://git-lfs", "a pointer of Git LFS: the file itself was never fetched"),
            (b"<!DOCTYPE", "a page of a web server"),
            (b"<html", "a page of a web server"),
            (b"PYTORCH1", "of a preview release of PyTorch"),
            (b"\x89HDF", "HDF5"),
            (b"\x28\xb5\x2f\xfd", "packed by zstd"),
        ];
        if head.is_empty() {
            return Self::Other("empty");
        }
        if head.starts_with(ZIP) || head.starts_with(EMPTY_ZIP) {
            return Self::Zip;
        }
        if head.starts_with(LEGACY) {
            return Self::Format(Format::Pt);
        }
        if head.starts_with(b"\x93NUMPY") {
            return Self::Format(Format::Npy);
        }
        if head.starts_with(b"GGUF") {
            return Self::Format(Format::Gguf);
        }
        if head.get(257..262) == Some(b"ustar") {
            return Self::Other("a tar archive");
        }
        if let Some((_, what)) = known.iter().find(|(start, _)| head.starts_with(start)) {
            return Self::Other(what);
        }
        if head.get(8) == Some(&b'{') && head[4..8] == [0; 4] {
            return Self::Format(Format::Safetensors);
        }
        match head.trim_ascii_start().first() {
            Some(b'{') => Self::Format(Format::Index),
            _ if head.starts_with(b"\x80\x02") => Self::Other("a plain pickle"),
            _ if head.iter().all(|byte| *byte == 0) => Self::Other("zeros, as of a download that never came"),
            _ if std::str::from_utf8(head).is_ok() => Self::Other("text"),
            _ => Self::Unknown,
        }
    }
}

impl std::fmt::Display for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Zip => f.write_str("a zip archive"),
            Self::Format(format) => write!(f, "{format}"),
            Self::Other(what) => f.write_str(what),
            Self::Unknown => f.write_str("something else"),
        }
    }
}
