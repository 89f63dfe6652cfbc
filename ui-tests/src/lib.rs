//! What must not compile, and what it says: the cases that follow from the tables, and what every message must look like.
//!
//! `fail/` holds one mistake a file, which `tests/ui.rs` compiles; `pass/` what must compile and run, as `tests/pass.rs`. The cases of casting
//! are written from tensor-spec by this library, so that no pair can be missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use latten_spec::lattice::join;
use latten_spec::{DType, can_cast};

/// A file that the tables determine, relative to this crate.
#[derive(Debug)]
pub struct Generated {
    /// Where it lies.
    pub path: PathBuf,
    /// What it must hold.
    pub text: String,
}

/// The name of a computing dtype in Rust source.
#[must_use]
pub fn rust_name(dtype: DType) -> String {
    dtype.variant().to_ascii_lowercase()
}

/// How the compiler prints that type, without the path of a module.
#[must_use]
pub fn printed_name(dtype: DType) -> String {
    plain(dtype.rust_type().unwrap_or_default())
}

/// A message without the paths of modules, which depend on what is in scope: `half::f16` becomes `f16`.
#[must_use]
pub fn plain(message: &str) -> String {
    let mut plain = String::new();
    for part in message.split_inclusive("::") {
        match part.strip_suffix("::") {
            Some(path) => plain.push_str(path.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')),
            None => plain.push_str(part),
        }
    }
    plain
}

/// All pairs (output, operand) that arithmetic in place refuses.
pub fn refused() -> impl Iterator<Item = (DType, DType)> {
    pairs().filter(|&(output, operand)| !can_cast(join(output, operand), output))
}

fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::COMPUTING.iter().flat_map(|&output| DType::COMPUTING.iter().map(move |&operand| (output, operand)))
}

fn case(output: DType, operand: DType) -> String {
    let (output, operand) = (rust_name(output), rust_name(operand));
    format!("fn {output}_by_{operand}(mut a: Tensor<{output}, shape![3]>, b: Tensor<{operand}, shape![3]>) {{\n    a *= &b;\n}}\n\n")
}

const HEADER: &str = "#![allow(dead_code)]\nuse latten::prelude::*;\n\n";

/// The cases of casting in place: one file an output dtype for what is refused, one file for all that is allowed.
#[must_use]
pub fn generated() -> Vec<Generated> {
    let mut files = Vec::new();
    for &output in DType::COMPUTING {
        let cases: String = refused().filter(|pair| pair.0 == output).map(|(output, operand)| case(output, operand)).collect();
        if !cases.is_empty() {
            let path = format!("fail/multiplying_{}_in_place_by_what_it_cannot_hold.rs", rust_name(output)).into();
            files.push(Generated { path, text: format!("{HEADER}{cases}fn main() {{}}\n") });
        }
    }
    let allowed = pairs().filter(|pair| !refused().any(|refused| refused == *pair));
    let cases: String = allowed.map(|(output, operand)| case(output, operand)).collect();
    let path = "pass/multiplying_in_place_by_what_fits.rs".into();
    files.push(Generated { path, text: format!("{HEADER}{cases}pub(crate) fn main() {{}}\n") });
    files
}

/// What is wrong with the messages of a `.stderr` file: each error must come to the point in eight lines.
#[must_use]
pub fn faults(stderr: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for message in stderr.split("\n\n").filter(|message| message.starts_with("error")) {
        let ours = message.lines().take_while(|line| !is_note_of_rustc(line)).count();
        // What is borrowed too long is shown at three places, each with its line: that is all of rustc's message.
        let borrowed = ["error[E0499]", "error[E0502]"].iter().any(|code| message.starts_with(code));
        if ours > if borrowed { 9 } else { 8 } {
            let first = message.lines().next().unwrap_or_default();
            let mut fault = String::new();
            let _ = write!(fault, "{ours} lines before the compiler's own notes: {first}");
            faults.push(fault);
        }
    }
    faults
}

/// The lines in which rustc names traits and impls, or shows where a function stands: there its first line says what it wants.
fn is_note_of_rustc(line: &str) -> bool {
    let line = line.trim_start();
    let starts = [
        "= help: the trait",
        "help: the trait",
        "= help: the following",
        "help: the following",
        "= note: required for",
        "note: required",
        "= note: this error originates",
    ];
    starts.iter().any(|start| line.starts_with(start)) || line.starts_with("note: ") && line.contains(" defined here")
}

/// The folder of this crate.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[cfg(test)]
mod tests {
    use super::{faults, refused};

    #[test]
    fn fifty_nine_pairs_are_refused() {
        assert_eq!(refused().count(), 59);
    }

    #[test]
    fn a_rambling_message_is_a_fault() {
        let long = format!("error[E0277]: no\n{}  = help: the trait `A` is not implemented for `B`\n", "  | text\n".repeat(8));
        assert_eq!(faults(&long).len(), 1, "{long}");
        assert!(faults(&long.replace("  | text\n  | text\n", "  | text\n")).is_empty());
    }
}
