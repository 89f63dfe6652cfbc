//! A name has one meaning: no two types of a crate are called the same, wherever they stand. Aliases shorten other types' names, and may.

use std::collections::BTreeMap;

use crate::source::{Fault, SourceFile, Tree, code_only, without_tests, words};

const RULE: &str = "type-name";

/// What stands for a module in a build without its feature.
const STANDS_IN: [&str; 1] = ["tensor-core/src/cuda/absent.rs"];

/// Every type of a crate whose name another one has already.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let (mut known, mut faults) = (BTreeMap::new(), Vec::new());
    for file in tree.rust().filter(|file| !STANDS_IN.contains(&file.path.as_str())) {
        let Some((home, _)) = file.path.split_once("src/").filter(|(home, _)| !home.starts_with("tests")) else { continue };
        for (line, name) in types(file) {
            if let Some(first) = known.get(&(home, name.clone())) {
                faults.push(file.fault(line, RULE, format!("`{name}` is the name of another type, in {first}: find one for what this is")));
            } else {
                known.insert((home, name), &file.path);
            }
        }
    }
    faults
}

/// The types that a file declares for its module, each with its line.
fn types(file: &SourceFile) -> Vec<(usize, String)> {
    let code = without_tests(&code_only(&file.text));
    let mut found = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut words = words(line).map(|(_, word)| word).skip_while(|word| ["pub", "crate", "super", "in"].contains(word));
        // What stands in a block isn't for the module.
        if line.starts_with(char::is_alphabetic) && words.next().is_some_and(|word| ["struct", "enum", "trait", "union"].contains(&word)) {
            found.extend(words.next().map(|name| (number + 1, name.to_owned())));
        }
    }
    found
}
