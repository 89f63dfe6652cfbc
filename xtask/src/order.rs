//! The order of modules: a crate's `lib.rs` declares them in reading order, and a module uses only those before it.
//! A top-level module and its children count as one. Tests may use anything; what `lib.rs` re-exports counts as a use of
//! the module that it comes from.

use crate::source::{Fault, SourceFile, Tree, code_only, line_of, without_tests, words};

/// The source folders whose modules are ordered.
const CRATES: [&str; 8] = [
    "tensor-spec/src",
    "tensor-kernel/src",
    "tensor-macros/src",
    "tensor-elements/src",
    "tensor-core/src",
    "tensor-io/src",
    "src",
    "xtask/src",
];

const RULE: &str = "module-order";

/// Every use of a module that is declared later.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    CRATES.iter().flat_map(|folder| check_crate(tree, folder)).collect()
}

fn check_crate(tree: &Tree, folder: &str) -> Vec<Fault> {
    let Some(lib) = tree.file(&format!("{folder}/lib.rs")) else { return Vec::new() };
    let root = without_tests(&code_only(&lib.text));
    let order = declared(&root);
    let exported = re_exports(&root, &order);
    let mut faults = Vec::new();
    for file in tree.rust() {
        let Some(inside) = file.path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')) else { continue };
        let parts: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
        if inside == "lib.rs" || inside == "main.rs" || parts.contains(&"tests") {
            continue;
        }
        let Some(place) = order.iter().position(|name| *name == parts[0]) else {
            faults.push(file.fault(1, RULE, format!("`{}` isn't declared in {folder}/lib.rs", parts[0])));
            continue;
        };
        for (offset, name) in used(file, parts.len()) {
            let target = exported.iter().find(|(leaf, _)| *leaf == name).map_or(name.as_str(), |(_, module)| module);
            if order.iter().skip(place + 1).any(|later| *later == target) {
                let text = format!("`{}` uses `{name}`, but {folder}/lib.rs declares `{target}` after `{}`", parts[0], parts[0]);
                faults.push(file.fault(line_of(&file.text, offset), RULE, text));
            }
        }
    }
    faults
}

/// The modules that a `lib.rs` declares, in its order. One with a body of its own belongs to `lib.rs`.
fn declared(root: &str) -> Vec<&str> {
    let modules = words(root).zip(words(root).skip(1)).filter(|((_, keyword), _)| *keyword == "mod").map(|(_, module)| module);
    modules.filter(|(at, name)| root[at + name.len()..].trim_start().starts_with(';')).map(|(_, name)| name).collect()
}

/// The names that a `lib.rs` re-exports from its modules, each with its module.
fn re_exports<'a>(root: &'a str, order: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let uses = root.split(';').filter_map(|statement| statement.rsplit_once("use ").map(|(_, path)| path));
    uses.flat_map(|path| {
        let mut names = words(path).map(|(_, word)| word).filter(|word| !matches!(*word, "crate" | "self" | "as"));
        let module = names.next().filter(|first| order.contains(first));
        names.filter_map(move |name| Some((name, module?))).collect::<Vec<_>>()
    })
    .filter(|(name, _)| !order.contains(name))
    .collect()
}

/// What a file names at the root of its crate, with offsets. `depth` is how far below the root the file lies.
fn used(file: &SourceFile, depth: usize) -> Vec<(usize, String)> {
    let code = without_tests(&code_only(&file.text));
    let mut found = Vec::new();
    for prefix in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (start, _) in code.match_indices(&prefix) {
            let before = code[..start].chars().next_back();
            if !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                first_names(&code, start + prefix.len(), &mut found);
            }
        }
    }
    found
}

/// The first name of a path, or of each path of a `{…}` group.
fn first_names(code: &str, at: usize, found: &mut Vec<(usize, String)>) {
    let is_path = code[at..].trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{');
    if !is_path {
        return;
    }
    let (mut depth, mut expected) = (0, true);
    for (offset, word) in pieces(&code[at..]) {
        match word {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => expected |= depth == 1,
            name if expected => {
                found.push((at + offset, name.to_owned()));
                expected = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
}

/// Words, and between them the marks that shape a `use`.
fn pieces(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut words = words(code).peekable();
    let mut marks = code.match_indices(['{', '}', ',']).peekable();
    std::iter::from_fn(move || match (words.peek(), marks.peek()) {
        (Some((word, _)), Some((mark, _))) if word < mark => words.next(),
        (_, Some(_)) => marks.next(),
        _ => words.next(),
    })
}
