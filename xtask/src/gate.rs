//! The one gate: the typed layer and calls by name reach what computes only through `call::run`. So whoever watches calls sees them all. They
//! may use the types of the computing modules, but none of their functions, and of the methods of erased tensors those that compute nothing.

use crate::source::{Fault, SourceFile, Tree, code_only, line_of, without_tests, words};

const RULE: &str = "one-gate";

/// What stands above the gate: a file, or a folder with its parent module.
const TYPED: [&str; 7] = ["tensor", "operators", "methods", "by_name", "fused", "op", "spaces"];

/// What stands below it.
const COMPUTING: [&str; 15] = [
    "copy",
    "create",
    "views",
    "elementwise",
    "joins",
    "arrangements",
    "reduce",
    "product",
    "linalg",
    "fourier",
    "indexing",
    "random",
    "sparse",
    "launch",
    "outputs",
];

/// Functions and modules of these that may be named, and why.
const NAMED: [(&str, &str); 2] =
    [("init", "holds types that say how weights begin"), ("default_generator", "is where numbers come from: an argument of calls")];

/// Methods of erased tensors that may be called, and why.
const CALLED: [(&str, &str); 16] = [
    ("item", "a number leaves"),
    ("element", "a number leaves"),
    ("scalars", "numbers leave"),
    ("numbers", "numbers leave"),
    ("from_vec", "numbers come in"),
    ("of_all", "numbers come in"),
    ("from_scalars", "numbers come in"),
    ("from_scalar", "a number comes in"),
    ("check_inside", "looks at sizes only"),
    ("sizes", "is known without a call"),
    ("dtype", "is known without a call"),
    ("device", "is known without a call"),
    ("nnz", "is known without a call"),
    ("sparse_dim", "is known without a call"),
    ("dense_dim", "is known without a call"),
    ("is_coalesced", "is known without a call"),
];

/// Every way around the gate.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let core = |file: &&SourceFile, modules: &[&str]| {
        let inside = file.path.strip_prefix("tensor-core/src/").and_then(|path| path.split(['/', '.']).next());
        inside.is_some_and(|module| modules.contains(&module))
    };
    let computing = tree.rust().filter(|file| core(file, &COMPUTING));
    let methods: Vec<String> = computing.flat_map(methods).filter(|name| CALLED.iter().all(|(allowed, _)| allowed != name)).collect();
    let typed = tree.rust().filter(|file| core(file, &TYPED));
    typed
        .flat_map(|file| {
            let code = without_tests(&code_only(&file.text));
            let mut faults = named(file, &code);
            faults.extend(called(file, &code, &methods));
            faults
        })
        .collect()
}

/// The methods that a file gives erased tensors.
fn methods(file: &SourceFile) -> Vec<String> {
    let code = without_tests(&code_only(&file.text));
    let mut found = Vec::new();
    for start in ["impl RawTensor {", "impl RawSparse {"] {
        for (at, _) in code.match_indices(start) {
            let body = &code[at..];
            let end = body.find("\n}").unwrap_or(body.len());
            let pairs = words(&body[..end]).zip(words(&body[..end]).skip(1));
            found.extend(pairs.filter(|((_, word), _)| *word == "fn").map(|(_, (_, name))| name.to_owned()));
        }
    }
    found
}

/// Paths that end in a function or a module of what computes.
fn named(file: &SourceFile, code: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    for module in COMPUTING {
        let path = format!("crate::{module}");
        for (at, _) in code.match_indices(&path) {
            for (offset, leaf) in leaves(&code[at + path.len()..]) {
                let is_type = leaf.starts_with(char::is_uppercase) || NAMED.iter().any(|(allowed, _)| *allowed == leaf);
                if !is_type {
                    let text = format!("`{module}::{leaf}` computes: make a call of it");
                    faults.push(file.fault(line_of(code, at + path.len() + offset), RULE, text));
                }
            }
        }
    }
    faults
}

/// The ends of a path, of which a `{…}` group has several, with their offsets.
fn leaves(path: &str) -> Vec<(usize, &str)> {
    let (mut depth, mut end) = (0_usize, path.len());
    for (at, c) in path.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ':' | '_' | ',' | ' ' | '\n' if depth > 0 || c == ':' || c == '_' => {}
            c if c.is_alphanumeric() => {}
            _ => {
                end = at;
                break;
            }
        }
        if depth == 0 && c == '}' {
            end = at;
            break;
        }
    }
    let path = &path[..end];
    words(path).filter(|(at, word)| *word != "as" && !path[at + word.len()..].starts_with("::")).collect()
}

/// Methods of erased tensors that compute.
fn called(file: &SourceFile, code: &str, methods: &[String]) -> Vec<Fault> {
    let through = ["raw.", "raw().", "raw_mut().", "RawTensor::", "RawSparse::"];
    let calls = words(code).filter(|(at, word)| {
        let before = code[..*at].trim_end();
        methods.iter().any(|method| method == word) && through.iter().any(|way| before.ends_with(way))
    });
    calls
        .map(|(at, word)| file.fault(line_of(code, at), RULE, format!("`{word}` of an erased tensor computes: make a call of it")))
        .collect()
}
