//! The table of calls beside what follows from it: every method of tensors has a row, or is here as what it is; and `docs/calls.md` lists the
//! rows. `UPDATE_GOLDEN=1` writes that list anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use latten::by_name::Operation;
use latten::{Category, DType};

/// What methods are called that PyTorch calls otherwise.
const NAMED: &[(&str, &str)] = &[
    ("chunks", "chunk"),
    ("try_chunks", "chunk"),
    ("i", "__getitem__"),
    ("try_i", "__getitem__"),
    ("swap", "transpose"),
    ("T", "numpy_T"),
    ("cuda", "to"),
    ("reinterpret", "view"),
    ("copied", "clone"),
    ("try_copied", "clone"),
    ("scale", "mul"),
    ("new", "sparse_coo_tensor"),
    ("new_with", "sparse_coo_tensor"),
    ("inferred", "sparse_coo_tensor"),
    ("nnz", "_nnz"),
    ("raw_indices", "_indices"),
    ("raw_values", "_values"),
    ("sizes", "size"),
    ("strides", "stride"),
    ("dirac_", "init.dirac_"),
    ("dirac_with_", "init.dirac_"),
];

/// What computes nothing.
const NO_CALLS: &[(&str, &[&str])] = &[
    (
        "numbers come in and leave",
        &[
            "from_vec",
            "from_slice",
            "from_fn",
            "map",
            "try_map",
            "with_slice",
            "with_slice_mut",
            "from_scalars",
            "to_scalars",
            "to_bytes",
            "get",
            "to_vec",
            "try_to_vec",
            "tolist",
            "try_tolist",
            "to_vec_of",
            "to_ndarray",
            "slice_mut",
        ],
    ),
    (
        "known without a call",
        &["dtype", "nbytes", "device", "is_meta", "layout", "data_ptr", "untyped_storage", "storage", "shape", "len", "is_empty"],
    ),
    ("a `select` for each row", &["iter"]),
    ("the type", &["raw", "erase", "typed"]),
    ("arguments of calls", &["axis", "kept"]),
    ("several tensors with locks of their own", &["parts_mut"]),
];

/// What a name says more than PyTorch's: how it fails, where the result goes, which of the overloads it is.
const ENDS: &[&str] = &[
    "_out",
    "_as",
    "_as_tuple",
    "_along",
    "_value",
    "_by",
    "_dims",
    "_all",
    "_dim",
    "_dtype",
    "_device",
    "_format",
    "_with",
    "_non_blocking",
    "_biased",
    "_sparse",
    "_counts",
];

/// Files that hold no methods of operations: what macros expand to, and gradients.
const OTHERS: &[&str] = &["fuse.rs", "equation.rs", "own.rs", "literal.rs", "wanted.rs", "grad.rs"];

fn is_call(name: &str, calls: &BTreeSet<&str>) -> bool {
    let name = name.trim_end_matches('_');
    let without = ENDS.iter().filter_map(|end| name.strip_suffix(end)).chain(name.strip_prefix("try_"));
    calls.contains(name) || without.into_iter().any(|shorter| is_call(shorter, calls))
}

#[test]
fn every_method_has_a_row() {
    let calls: BTreeSet<&str> = latten::operations().map(|operation| operation.name().trim_end_matches('_')).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tensor-core/src/tensor");
    let (mut looked, mut without) = (0, Vec::new());
    let mut files = Vec::new();
    sources(&folder, &mut files);
    for path in files {
        let file = path.file_name().expect("its name").to_string_lossy().into_owned();
        if OTHERS.contains(&file.as_str()) {
            continue;
        }
        for line in fs::read_to_string(&path).expect("its text").lines() {
            let Some(rest) = line.trim_start().strip_prefix("pub fn ") else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let named = NAMED.iter().find(|(own, _)| *own == name).map_or(name.as_str(), |(_, pytorch)| pytorch);
            looked += 1;
            if !is_call(named, &calls)
                && !calls.contains(named)
                && !NO_CALLS.iter().any(|(_, names)| names.contains(&named))
                && !name.is_empty()
            {
                without.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(without.is_empty(), "these are no calls of the table, and no exceptions:\n{}", without.join("\n"));
    assert!(looked > 200, "only {looked} methods were found");
    for (own, pytorch) in NAMED {
        assert!(calls.contains(pytorch.trim_end_matches('_')), "{own} is said to be {pytorch}, which is no call");
    }
}

/// In how many sources an operation is named, beside tests and pages: what CONTRIBUTING says of adding one.
const SOURCES: &[(&str, &[&str])] = &[
    // It has a name as a special function, too.
    ("sinc", &["tensor-spec/src/call/orders.rs", "tensor-spec/src/operation/table.rs"]),
    // A loss is made of it, too.
    ("xlogy", &["tensor-core/src/call/losses.rs", "tensor-spec/src/call/orders.rs", "tensor-spec/src/operation/table.rs"]),
    // The formula is a word: its row, and its functions of both floats. The name as a special function is in the third.
    (
        "erfinv",
        &[
            "tensor-elements/src/loops/single.rs",
            "tensor-elements/src/loops/special.rs",
            "tensor-kernel/src/words.rs",
            "tensor-spec/src/call/orders.rs",
            "tensor-spec/src/operation/table.rs",
        ],
    ),
    // Its forms by name are a function and one in place.
    ("hardswish", &["tensor-spec/src/call/elementwise.rs", "tensor-spec/src/operation/table.rs"]),
    // Its parameter may stand without its name.
    ("logit", &["tensor-spec/src/call/elementwise.rs", "tensor-spec/src/call/orders.rs", "tensor-spec/src/operation/table.rs"]),
    ("softsign", &["tensor-core/src/call/composites.rs", "tensor-core/src/tensor/losses.rs", "tensor-spec/src/call/elementwise.rs"]),
    // Reductions: the row, and beside it the function of a gradient, or arguments of its own.
    ("nansum", &["tensor-core/src/call/derivatives/reductions.rs", "tensor-spec/src/reduction.rs"]),
    ("nanmean", &["tensor-core/src/call/derivatives/reductions.rs", "tensor-spec/src/reduction.rs"]),
    // By name: the row and its function.
    ("hash_tensor", &["tensor-core/src/call/bits.rs", "tensor-spec/src/call/orders.rs"]),
    ("segment_reduce", &["tensor-core/src/call/segments.rs", "tensor-spec/src/call/layers.rs"]),
    // With a method of typed tensors, which is a line; the function of the last is that of another index operation.
    ("heaviside", &["tensor-core/src/call/composed.rs", "tensor-core/src/tensor/further.rs", "tensor-spec/src/call/algebra.rs"]),
    ("pdist", &["tensor-core/src/call/distances.rs", "tensor-core/src/tensor/further.rs", "tensor-spec/src/call/images.rs"]),
    ("renorm", &["tensor-core/src/call/counts.rs", "tensor-core/src/tensor/further.rs", "tensor-spec/src/call/orders.rs"]),
    ("mish", &["tensor-core/src/call/curves.rs", "tensor-core/src/tensor/losses.rs", "tensor-spec/src/call/folds.rs"]),
    ("index_fill", &["tensor-core/src/tensor/declared.rs", "tensor-spec/src/call/elements.rs"]),
    // With a mask, too.
    ("argmin", &["tensor-spec/src/call/folds.rs", "tensor-spec/src/call/masked.rs", "tensor-spec/src/reduction.rs"]),
];

/// The Rust files of a folder and those below it, and the texts of kernels.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs" || end == "cuh") {
            found.push(path);
        }
    }
}

/// The sources beside tests that name something.
fn sources_that_name(names: &[&str]) -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let folders = ["tensor-spec", "tensor-kernel", "tensor-macros", "tensor-elements", "tensor-core", "tensor-io", "."];
    for folder in folders.map(|folder| format!("{folder}/src")) {
        sources(&root.join(folder), &mut files);
    }
    files.sort();
    let mut found = vec![Vec::new(); names.len()];
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = fs::read_to_string(file).expect("a source").to_lowercase();
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let path = file.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        for (_, found) in names.iter().zip(&mut found).filter(|(name, _)| words.contains(*name)) {
            found.push(path.clone());
        }
    }
    found
}

#[test]
fn an_operation_is_named_where_it_is_declared_and_nowhere_else() {
    let operations: Vec<&str> = SOURCES.iter().map(|(operation, _)| *operation).collect();
    for ((operation, expected), found) in SOURCES.iter().zip(sources_that_name(&operations)) {
        assert_eq!(found, *expected, "{operation}");
    }
}

#[test]
fn a_dtype_that_only_stores_is_named_in_its_row_and_nowhere_else() {
    // Integers are called as Rust's.
    let stored = DType::ALL.iter().filter(|dtype| dtype.is_float8() || dtype.is_quantized());
    let names: Vec<String> = stored.flat_map(|dtype| [dtype.name().to_owned(), dtype.variant().to_lowercase()]).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (name, found) in names.iter().zip(sources_that_name(&names)) {
        assert_eq!(found, ["tensor-spec/src/dtype.rs"], "{name}");
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/calls.md");

/// Where the list begins on the page.
const LIST: &str = "## All of them\n";

fn list() -> String {
    let mut text = format!(
        "{LIST}\nGenerated from the table of calls; don't edit it: `UPDATE_GOLDEN=1 cargo test --test rows` writes it. A method stands in Python behind its\n\
        tensor, `x.view(3)`; by name its tensor is the first argument. `_` says that there is a form in place, `out` that there is one with outputs.\n\
        Its tensors, or what it makes where it takes none, may be of these dtypes (floats and complex numbers of all widths, `wide` for u16, u32, u64), on the\n\
        cpu, on cuda and, unless it says so, on meta: `tests/dtypes.rs` asks for each.\n\n\
        | call | arguments | forms | dtypes |\n|---|---|---|---|\n"
    );
    for operation in latten::operations() {
        let (name, arguments) = (operation.name(), operation.signature().replace('|', "\\|"));
        _ = writeln!(text, "| `{name}` | `{arguments}` | {} | {} |", forms(operation).join(" "), limits(operation).join(" "));
    }
    text
}

/// The dtypes that it takes, those of a kind together, and where else than everywhere.
fn limits(operation: Operation) -> Vec<String> {
    type IsOfKind = fn(DType) -> bool;
    let mut left = operation.dtypes();
    let kinds: [(&str, IsOfKind); 6] = [
        ("bool", |dtype| dtype == DType::Bool),
        ("integers", |dtype| dtype.is_computing() && dtype.category() == Category::Integral),
        ("floats", |dtype| dtype.is_computing() && dtype.category() == Category::Floating),
        ("complex", |dtype| dtype.is_complex()),
        ("wide", |dtype| matches!(dtype, DType::U16 | DType::U32 | DType::U64)),
        ("float8", DType::is_float8),
    ];
    let mut names = Vec::new();
    for (name, is_of) in kinds {
        let all = DType::ALL.iter().filter(|&&dtype| is_of(dtype)).count();
        let taken: Vec<DType> = left.iter().copied().filter(|&dtype| is_of(dtype)).collect();
        left.retain(|&dtype| !is_of(dtype));
        if taken.len() == all {
            names.push(name.to_owned());
        } else {
            names.extend(taken.iter().map(|dtype| dtype.variant().to_ascii_lowercase()));
        }
    }
    assert!(left.is_empty(), "{} takes {left:?}, which are of no kind", operation.name());
    if names.len() == kinds.len() {
        names = vec!["all".into()];
    }
    let devices = operation.devices();
    if devices.len() < 3 {
        let on: Vec<_> = devices.iter().map(|device| device.name()).collect();
        names.push(format!("(on {})", on.join(", ")));
    }
    names
}

fn forms(operation: Operation) -> Vec<&'static str> {
    let all = [
        (operation.is_function(), "function"),
        (operation.is_method(), "method"),
        (operation.has_in_place(), "`_`"),
        (operation.has_out(), "`out`"),
    ];
    all.into_iter().filter(|(has, _)| *has).map(|(_, form)| form).collect()
}

#[test]
fn the_page_lists_every_call() {
    let page = fs::read_to_string(PAGE).expect("the page");
    let (head, listed) = page.split_at(page.find(LIST).expect("the page has a list"));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, format!("{head}{}", list())).expect("the page can be written");
        return;
    }
    let expected = list();
    let first = listed.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(listed == expected, "docs/calls.md isn't up to date (UPDATE_GOLDEN=1 cargo test --test rows): {first:?}");
}

/// Names that aren't PyTorch's functions, or whose argument is no tensor's: what they ask for, and why.
const ASKED_FOR: &[(&str, &str)] = &[
    ("uniform", "a constructor of numbers between two bounds; PyTorch only has `uniform_`"),
    ("histc", "nobody means PyTorch's hundred parts"),
    ("histogram", "nor here"),
    ("stft", "what is cut off hard has spectra of the cut: a window is given"),
    ("istft", "as `stft`"),
    ("slice_scatter", "a slice of everything is a copy of the source"),
    ("dropout", "of a training step or not, which PyTorch knows from a module"),
    ("dropout1d", "as `dropout`"),
    ("dropout2d", "as `dropout`"),
    ("dropout3d", "as `dropout`"),
    ("interpolate", "without a size or a scale PyTorch refuses"),
    ("interpolate_by", "as `interpolate`"),
];

/// The arguments of a list, at its commas.
fn arguments(list: &str) -> Vec<String> {
    let (mut found, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for character in list.chars() {
        quoted ^= character == '"';
        depth += match character {
            '(' | '[' | '<' | '{' => 1,
            ')' | ']' | '>' | '}' => -1,
            _ => 0,
        };
        match character {
            ',' if depth == 0 && !quoted => found.push(String::new()),
            _ => found.last_mut().expect("one").push(character),
        }
    }
    found.into_iter().map(|argument| argument.trim().to_owned()).filter(|argument| !argument.is_empty()).collect()
}

/// The functions of a source with their arguments: those that are written, and those of tables, `name(kind argument)` and `name(argument: type) of`, whose tensor
/// isn't said.
fn written_functions(text: &str) -> Vec<(String, Vec<String>)> {
    let plain: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (at, _) in plain.match_indices("pub fn ") {
        let rest = &plain[at + 7..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let mut depth = 0;
        let start = rest.char_indices().find(|(at, c)| {
            depth += i32::from(*c == '<') - i32::from(*c == '>' && !rest[..*at].ends_with(['-', '=']));
            *c == '(' && depth == 0
        });
        let Some((start, _)) = start else { continue };
        let mut open = 0;
        let end = rest[start..].char_indices().find(|(_, c)| {
            open += i32::from(*c == '(') - i32::from(*c == ')');
            open == 0
        });
        let Some((end, _)) = end else { continue };
        found.push((name, arguments(&rest[start + 1..start + end].replace("->", ""))));
    }
    for line in plain.lines().filter(|line| line.starts_with("    ") && line.contains(") ")) {
        let mut words = line.trim().splitn(2, ' ');
        let (function, rest) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if let Some(((name, list), _)) = line.trim().split_once(") of ").and_then(|(call, of)| Some((call.split_once('(')?, of))) {
            found.push((name.to_owned(), [vec!["&mut self".to_owned()], arguments(list)].concat()));
        }
        let Some((names, rest)) = rest.split_once('(') else { continue };
        let name = names.split(' ').next().unwrap_or(names);
        let Some((list, after)) = rest.split_once(')') else { continue };
        if function.starts_with(char::is_uppercase) && function.chars().all(char::is_alphanumeric) && after.contains("->") {
            found.push((name.to_owned(), [vec!["&self".to_owned()], arguments(list)].concat()));
        }
    }
    found
}

/// How many arguments a plain name may ask for: those without a default, and the dimensions, which are always said.
fn may_ask_for(operation: Operation, asks_for_dims: bool) -> usize {
    let signature = operation.signature();
    let all = arguments(signature.trim_start_matches('(').trim_end_matches(')'));
    // What isn't a function doesn't write its tensor down.
    let own = usize::from(!operation.is_function());
    let dims = |argument: &&String| [" dim =", " dims ="].iter().any(|name| argument.contains(name));
    let needed = all.iter().filter(|argument| *argument != "*" && !argument.contains(" = ")).count();
    own + needed + if asks_for_dims { all.iter().filter(dims).count() } else { 0 }
}

#[test]
fn the_plain_name_asks_for_no_argument_that_has_a_default() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tensor-core/src");
    let (mut looked, mut wrong) = (0, Vec::new());
    for (folder, space) in [
        ("tensor", ""),
        ("tensor/random.rs", "init."),
        ("spaces/linalg.rs", "linalg."),
        ("spaces/fft.rs", "fft."),
        ("spaces/special.rs", "special."),
        ("spaces/signal.rs", "signal.windows."),
    ] {
        let mut files = Vec::new();
        if space.is_empty() {
            sources(&root.join(folder), &mut files)
        } else {
            files.push(root.join(folder))
        }
        for file in files.iter().filter(|file| !OTHERS.iter().any(|other| file.ends_with(other))) {
            for (name, asked) in written_functions(&fs::read_to_string(file).expect("a source")) {
                // First values change a tensor: `Tensor::normal` isn't `init.normal_`.
                if space == "init." && !name.ends_with('_') {
                    continue;
                }
                let plain = format!("{space}{}", name.trim_start_matches("try_").trim_end_matches('_'));
                let asks_for_dims = asked.iter().any(|argument| argument.contains("dim"));
                let rows = latten::operations().filter(|operation| operation.name().trim_end_matches('_') == plain);
                let Some(most) = rows.map(|row| may_ask_for(row, asks_for_dims)).max() else { continue };
                looked += 1;
                // A generator draws, too.
                let drawing = usize::from(file.ends_with("random.rs") && asked.iter().any(|argument| argument == "&self"));
                if asked.len() > most + drawing && !ASKED_FOR.iter().any(|(known, _)| *known == plain) {
                    wrong.push(format!("{name}({}) asks for more than the {most} arguments without a default", asked.join(", ")));
                }
            }
        }
    }
    assert!(looked > 250, "only {looked} functions were found");
    assert!(wrong.is_empty(), "what has a default goes into a twin that ends in `_with`:\n{}", wrong.join("\n"));
}
