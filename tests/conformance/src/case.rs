//! Cases as the recordings have them, read one line at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::bytes::Base64;

/// A small tensor program with all that PyTorch answered.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// `area/number`, unique within a file.
    pub id: String,
    /// What the program is about.
    pub area: String,
    /// The version of PyTorch that answered.
    pub torch: String,
    /// The tensors that the program begins with.
    pub inputs: BTreeMap<String, Input>,
    /// The program.
    pub steps: Vec<Step>,
    /// What holds after the last step, or after the one that raised.
    pub expect: Expectations,
    /// Where a step raises: which, and what.
    pub error: Option<Raised>,
    /// How floats are compared.
    pub tol: Tolerance,
}

/// A strided tensor on the host.
#[derive(Debug, Deserialize)]
pub struct Input {
    /// PyTorch's name of the dtype.
    pub dtype: String,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The strides, in elements.
    pub strides: Vec<usize>,
    /// Where the first element lies, in elements.
    pub offset: usize,
    /// The bytes of the whole storage.
    #[serde(default)]
    pub storage: Base64,
    /// The input whose storage this one shares.
    pub view_of: Option<String>,
}

/// A call.
#[derive(Debug, Deserialize)]
pub struct Step {
    /// What the results are called.
    #[serde(rename = "let")]
    pub names: Option<Names>,
    /// PyTorch's name of the operation.
    pub op: String,
    /// The arguments by position; the first is `self`.
    pub args: Vec<Json>,
    /// The arguments by name.
    #[serde(default)]
    pub kw: BTreeMap<String, Json>,
}

/// The name of a result, or those of the parts of a tuple.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Names {
    /// One result.
    One(String),
    /// A tuple, taken apart.
    Several(Vec<String>),
}

/// What must hold after a program.
#[derive(Debug, Deserialize)]
pub struct Expectations {
    /// These share one storage.
    #[serde(default)]
    pub same_storage: Vec<String>,
    /// No two of these do.
    #[serde(default)]
    pub different_storage: Vec<String>,
    /// What names hold.
    #[serde(flatten)]
    pub names: BTreeMap<String, Expected>,
}

/// What a name holds.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// A tensor.
    Tensor(ExpectedTensor),
    /// Anything else.
    Value {
        /// As JSON has it.
        value: Json,
    },
}

/// A tensor as an answer.
#[derive(Debug, Deserialize)]
pub struct ExpectedTensor {
    /// PyTorch's name of the dtype.
    pub dtype: String,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The strides, where they mean something.
    pub strides: Option<Vec<usize>>,
    /// Where the first element lies, where that means something.
    pub offset: Option<usize>,
    /// The elements in row-major order.
    pub data: Base64,
}

/// An exception.
#[derive(Debug, Deserialize)]
pub struct Raised {
    /// The index of the step that raises.
    pub step: usize,
    /// The class of the exception.
    pub kind: String,
    /// Its text.
    pub message: String,
    /// Whether the first sentence of the text is to be compared.
    #[serde(default)]
    pub text: bool,
}

/// How close floats must be.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Tolerance {
    /// Bit for bit.
    #[serde(default)]
    pub exact: bool,
    /// The part of the recorded number.
    #[serde(default)]
    pub rel: f64,
    /// What is added to it.
    #[serde(default)]
    pub abs: f64,
}

/// The cases of a recording, one after the other.
///
/// # Errors
/// Where the file can't be opened; reading may still fail at any line.
pub fn cases(path: &Path) -> io::Result<impl Iterator<Item = io::Result<Case>>> {
    let file = File::open(path)?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn BufRead> =
        if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(BufReader::new(file)) };
    let lines = reader.lines().filter(|line| !line.as_ref().is_ok_and(String::is_empty));
    Ok(lines.map(|line| serde_json::from_str(&line?).map_err(io::Error::from)))
}

/// The recordings that a path names: itself, or all of a folder, in the order of their names.
///
/// # Errors
/// Where the folder can't be read.
pub fn recordings(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in path.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
