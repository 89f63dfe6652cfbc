//! Rules about the text of the repository that no compiler checks. Each is one function over the files; each is proven
//! by a planted fault in xtask/tests/tidy.rs. A rule that is in the way is changed here, in a commit that says why.

use crate::source::{Fault, SourceFile, Tree, code_only, line_of, words};
use crate::{gate, hints, names, order, wildcards};

/// Where unsafe code may stand, and why: a file, or a folder with its parent module.
pub const UNSAFE_ALLOWED: [(&str, &str); 8] = [
    ("tensor-core/src/process", "sees that the process was forked, and keeps values for good"),
    ("tensor-core/src/cuda", "calls the driver of CUDA"),
    ("tensor-kernel/src/nvrtc", "calls the compiler of CUDA"),
    ("tensor-core/src/storage", "owns the memory that tensors share, and its locks"),
    ("tensor-elements/src/loops", "loads and stores elements that may be misaligned, by vector instructions too"),
    ("tensor-core/src/kernels", "loads and stores elements that may be misaligned, by vector instructions too"),
    ("tests/forks", "forks the process of a test"),
    ("tests/allocation", "an allocator that refuses memory"),
];

/// Documents that stay short enough to be read.
const DOCUMENT_LIMITS: [(&str, usize); 2] = [("ARCHITECTURE.md", 200), ("CONTRIBUTING.md", 80)];

const FILE_LIMIT: usize = 500;
const HEADER_LIMIT: usize = 8;

/// The front page of the documentation: its header is the tour, as long as it has to be.
const FRONT_PAGE: &str = "src/lib.rs";

/// Every fault in the tree, by file and line.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let mut faults = order::check(tree);
    faults.extend(gate::check(tree));
    faults.extend(wildcards::check(tree));
    faults.extend(names::check(tree));
    faults.extend(hints::check(tree));
    for file in tree.rust() {
        faults.extend(unsafe_code(file));
        faults.extend(unfinished(file));
        faults.extend(header(file));
    }
    for file in &tree.files {
        faults.extend(long_file(file));
        faults.extend(long_document(file));
        faults.extend(machine(file));
    }
    faults.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    faults
}

fn unsafe_code(file: &SourceFile) -> Vec<Fault> {
    let allowed = |(place, _): &(&str, &str)| file.path.strip_prefix(place).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'));
    if UNSAFE_ALLOWED.iter().any(allowed) {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let found = words(&code).filter(|(_, word)| *word == "unsafe");
    found.map(|(at, _)| file.fault(line_of(&code, at), "unsafe", "unsafe code outside the files that may hold it")).collect()
}

/// Comments that promise and macros that give up.
fn unfinished(file: &SourceFile) -> Vec<Fault> {
    let code = code_only(&file.text);
    let notes = words(&file.text).filter(|(_, word)| [concat!("TO", "DO"), concat!("FIX", "ME")].contains(word));
    let macros =
        words(&code).filter(|(at, word)| ["todo", "unimplemented", "dbg"].contains(word) && code[at + word.len()..].starts_with('!'));
    notes.chain(macros).map(|(at, word)| file.fault(line_of(&file.text, at), "unfinished", format!("`{word}`"))).collect()
}

/// Code of any language.
fn long_file(file: &SourceFile) -> Option<Fault> {
    if ![".rs", ".cuh", ".cpp", ".h", ".py"].iter().any(|ending| file.path.ends_with(ending)) {
        return None;
    }
    let lines = file.text.lines().count();
    let excused = file.text.lines().any(|line| line.trim_start().strip_prefix("// long: ").is_some_and(|reason| !reason.is_empty()));
    (lines > FILE_LIMIT && !excused)
        .then(|| file.fault(FILE_LIMIT + 1, "long-file", format!("{lines} lines: split it, or say why not in a line `// long: …`")))
}

fn header(file: &SourceFile) -> Option<Fault> {
    // What a user's mistake looks like has no header; the compiler's answer quotes its lines.
    if ["ui-tests/fail/", "ui-tests/pass/"].iter().any(|folder| file.path.starts_with(folder)) {
        return None;
    }
    match file.text.lines().take_while(|line| line.starts_with("//!")).count() {
        0 => Some(file.fault(1, "header", "begin with `//!`: what lives here, what doesn't, what to read next")),
        lines if lines > HEADER_LIMIT && file.path != FRONT_PAGE => {
            Some(file.fault(HEADER_LIMIT + 1, "header", format!("a header of {lines} lines; at most {HEADER_LIMIT}")))
        }
        _ => None,
    }
}

fn long_document(file: &SourceFile) -> Option<Fault> {
    let (_, limit) = DOCUMENT_LIMITS.iter().find(|(path, _)| *path == file.path)?;
    let lines = file.text.lines().count();
    (lines > *limit).then(|| file.fault(limit + 1, "long-document", format!("{lines} lines; at most {limit}")))
}

/// Folders and hosts that exist on one machine only. Tests that need a folder ask `std::env::temp_dir`.
fn machine(file: &SourceFile) -> Vec<Fault> {
    let places = [concat!("/wo", "rk/"), concat!("/t", "mp/"), concat!("/ro", "ot/"), concat!("arti", "factory")];
    let found = places.iter().flat_map(|place| file.text.match_indices(place));
    found.map(|(at, place)| file.fault(line_of(&file.text, at), "machine", format!("`{place}` is a place on somebody's machine"))).collect()
}
