//! The order of modules: a crate's `lib.rs` declares them in reading order, and a module uses only those before it.
//! A top-level module and its children count as one there. Modules that another one declares, its room, may stand in any order, but no
//! two of them use each other, directly or by others. Tests may use anything; what a room re-exports counts as a use of the module
//! that it comes from, and the room itself may use all of them, and be used by all.

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
const CIRCLE: &str = "module-circle";

/// Modules whose types hold each other: a history leads to the node that made its tensor, which has histories; a row of the table may name
/// another row.
const MUTUAL: [(&str, [&str; 2]); 2] = [("tensor-core/src/raw", ["history", "node"]), ("tensor-spec/src/operation", ["facts", "table"])];

/// Every use of a module that is declared later.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let rooms = tree.rust().filter(|file| CRATES.iter().any(|folder| file.path.starts_with(&format!("{folder}/"))));
    CRATES.iter().flat_map(|folder| check_crate(tree, folder)).chain(rooms.flat_map(|room| circles(tree, room))).collect()
}

/// Every use of a module by another one of its room that it uses, too, directly or by others.
fn circles(tree: &Tree, room: &SourceFile) -> Vec<Fault> {
    let (code, folder) = (without_tests(&code_only(&room.text)), room.path.trim_end_matches(".rs"));
    let modules = declared(&code);
    let (Some(inside), false) = (folder.split_once("src/").map(|(_, inside)| inside), modules.is_empty() || folder.ends_with("/lib"))
    else {
        return Vec::new();
    };
    let (exported, path) = (re_exports(&code, &modules), format!("crate::{}::", inside.replace('/', "::")));
    let mut uses = Vec::new();
    for file in tree.rust() {
        let Some(below) = file.path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')) else { continue };
        let parts: Vec<&str> = below.trim_end_matches(".rs").split('/').collect();
        let Some(from) = modules.iter().position(|name| *name == parts[0]).filter(|_| !parts.contains(&"tests")) else { continue };
        for (offset, name) in used(file, &[path.clone(), "super::".repeat(parts.len())]) {
            let target = exported.iter().find(|(leaf, _)| *leaf == name).map_or(name.as_str(), |(_, module)| module);
            let is_mutual =
                |to: usize| MUTUAL.iter().any(|(room, two)| *room == folder && two.contains(&modules[from]) && two.contains(&modules[to]));
            if let Some(to) = modules.iter().position(|module| *module == target).filter(|&to| to != from && !is_mutual(to)) {
                uses.push((from, to, file, offset));
            }
        }
    }
    let mut reaches = vec![vec![false; modules.len()]; modules.len()];
    uses.iter().for_each(|&(from, to, ..)| reaches[from][to] = true);
    for by in 0..modules.len() {
        for from in 0..modules.len() {
            for to in 0..modules.len() {
                reaches[from][to] |= reaches[from][by] && reaches[by][to];
            }
        }
    }
    let closing = uses.iter().filter(|&&(from, to, ..)| reaches[to][from]);
    let fault = |&(from, to, file, offset): &(usize, usize, &SourceFile, usize)| {
        file.fault(line_of(&file.text, offset), CIRCLE, format!("`{}` uses `{}`, and that uses it", modules[from], modules[to]))
    };
    closing.map(fault).collect()
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
        for (offset, name) in used(file, &["crate::".to_owned(), "super::".repeat(parts.len())]) {
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

/// What a file names behind one of these starts of paths, with offsets.
fn used(file: &SourceFile, starts: &[String]) -> Vec<(usize, String)> {
    let code = without_tests(&code_only(&file.text));
    let mut found = Vec::new();
    for prefix in starts {
        for (start, _) in code.match_indices(prefix) {
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
