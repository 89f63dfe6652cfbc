//! Who gives a plain name the arguments of its twin, `triu` those of `triu_with`, is shown by rustc the line where the plain one is
//! defined: a comment in it says how the twin is called.

use crate::source::{Fault, SourceFile, Tree, code_only, words};

const RULE: &str = "hint";

/// Where the methods of typed tensors are.
const HOME: &str = "tensor-core/src/tensor";

/// A line that defines a name.
struct Definition<'a> {
    file: &'a SourceFile,
    line: usize,
    names: Vec<String>,
    text: &'a str,
}

/// Every plain name whose line doesn't show its twin.
#[must_use]
pub fn check(tree: &Tree) -> Vec<Fault> {
    let definitions: Vec<Definition<'_>> = tree.rust().filter(|file| file.path.starts_with(HOME)).flat_map(definitions).collect();
    let twins = definitions.iter().flat_map(|definition| &definition.names).filter_map(|twin| Some((twin, plain(twin)?)));
    let mut faults = Vec::new();
    for (twin, plain) in twins {
        let mut lines = definitions.iter().filter(|definition| definition.names.contains(&plain)).peekable();
        let Some(Definition { file, line, .. }) = lines.peek() else { continue };
        if !lines.any(|definition| words(definition.text).any(|(_, word)| word == twin)) {
            faults.push(file.fault(*line, RULE, format!("`{plain}` doesn't say in its line how `{twin}` is called: `// or x.{twin}(…)`")));
        }
    }
    faults
}

/// The name without its `_with`; a `try_` is called by those who know the name.
fn plain(twin: &str) -> Option<String> {
    let plain = twin.strip_suffix("_with").map(str::to_owned).or_else(|| Some(format!("{}_", twin.strip_suffix("_with_")?)));
    plain.filter(|_| !twin.starts_with("try_"))
}

/// The lines of public functions, and the rows of tables: a name, behind that of its operation or alone.
fn definitions(file: &SourceFile) -> Vec<Definition<'_>> {
    let code = code_only(&file.text);
    let lines = file.text.lines().zip(code.lines()).enumerate();
    let defined = lines.filter_map(|(number, (text, code))| {
        let code = code.trim_start();
        let names = match code.strip_prefix("pub fn ") {
            // A macro's own functions are named where it is called.
            Some(function) if function.starts_with('$') => return None,
            Some(function) => words(function).take(1).map(|(_, name)| name.to_owned()).collect(),
            None if !text.starts_with(' ') => return None,
            None => names_of_row(code),
        };
        (!names.is_empty()).then_some(Definition { file, line: number + 1, names, text })
    });
    defined.collect()
}

fn names_of_row(code: &str) -> Vec<String> {
    let mut row = code.split_whitespace().skip_while(|word| word.starts_with(char::is_uppercase));
    let name = row.next().and_then(|word| word.split('(').next()).unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_name { vec![name.to_owned()] } else { Vec::new() }
}
