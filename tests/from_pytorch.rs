//! `docs/from_pytorch.md` lists every call by PyTorch's name with NumPy's and with examples and what they give, which are the lines of
//! `tests/every_name/`: they are run here. `UPDATE_GOLDEN=1` writes that list anew.

use std::any::type_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs};

use latten::Op;
use latten::reduce::Reduction;

#[path = "from_pytorch/types.rs"]
mod types;

/// What lines know.
mod prelude {
    pub(crate) use latten::prelude::*;
}

/// Operands keep what their types know: `tests/erased.rs` has them without.
macro_rules! erase {
    ($($name:ident),*) => {};
}

/// Lines that only types that know something make possible.
macro_rules! typed {
    ($($line:tt)*) => { $($line)* };
}

#[path = "from_pytorch/themes.rs"]
mod themes;
use themes::THEMES;

/// The types that examples gave, by their file and line.
static GIVEN: Mutex<BTreeMap<(String, u32), &str>> = Mutex::new(BTreeMap::new());

/// Notes the type of an example.
#[track_caller]
fn ty<T>(given: T) {
    let at = Location::caller();
    let file = Path::new(at.file()).file_name().expect("its name").to_string_lossy().into_owned();
    GIVEN.lock().expect("no test has failed").insert((file, at.line()), type_name::<T>());
    drop(given);
}

/// What NumPy calls the calls that it has.
const NUMPY: &[(&str, &str)] = &[
    ("abs", "abs"),
    ("absolute", "absolute"),
    ("acos", "arccos"),
    ("acosh", "arccosh"),
    ("add", "add"),
    ("all", "all"),
    ("amax", "max"),
    ("amin", "min"),
    ("any", "any"),
    ("arange", "arange"),
    ("argmax", "argmax"),
    ("argmin", "argmin"),
    ("argsort", "argsort"),
    ("asin", "arcsin"),
    ("asinh", "arcsinh"),
    ("atan", "arctan"),
    ("atan2", "arctan2"),
    ("atanh", "arctanh"),
    ("bitwise_and", "bitwise_and"),
    ("bitwise_not", "invert"),
    ("bitwise_or", "bitwise_or"),
    ("bitwise_xor", "bitwise_xor"),
    ("broadcast_to", "broadcast_to"),
    ("cat", "concatenate"),
    ("ceil", "ceil"),
    ("clamp", "clip"),
    ("clone", "copy"),
    ("column_stack", "column_stack"),
    ("conj", "conjugate"),
    ("copysign", "copysign"),
    ("cos", "cos"),
    ("cosh", "cosh"),
    ("count_nonzero", "count_nonzero"),
    ("cov", "cov"),
    ("cumprod", "cumprod"),
    ("cumsum", "cumsum"),
    ("deg2rad", "deg2rad"),
    ("diag", "diag"),
    ("diagonal", "diagonal"),
    ("diff", "diff"),
    ("div", "divide"),
    ("dot", "dot"),
    ("dstack", "dstack"),
    ("einsum", "einsum"),
    ("empty", "empty"),
    ("empty_like", "empty_like"),
    ("eq", "equal"),
    ("exp", "exp"),
    ("exp2", "exp2"),
    ("expand", "broadcast_to"),
    ("expm1", "expm1"),
    ("eye", "eye"),
    ("flatten", "ravel"),
    ("flip", "flip"),
    ("fliplr", "fliplr"),
    ("flipud", "flipud"),
    ("float_power", "float_power"),
    ("floor", "floor"),
    ("floor_divide", "floor_divide"),
    ("fmax", "fmax"),
    ("fmin", "fmin"),
    ("fmod", "fmod"),
    ("full", "full"),
    ("full_like", "full_like"),
    ("gather", "take_along_axis"),
    ("ge", "greater_equal"),
    ("gradient", "gradient"),
    ("gt", "greater"),
    ("hstack", "hstack"),
    ("hypot", "hypot"),
    ("imag", "imag"),
    ("index_select", "take"),
    ("isclose", "isclose"),
    ("isfinite", "isfinite"),
    ("isinf", "isinf"),
    ("isnan", "isnan"),
    ("item", "item"),
    ("ldexp", "ldexp"),
    ("le", "less_equal"),
    ("linalg.multi_dot", "linalg.multi_dot"),
    ("linalg.tensorinv", "linalg.tensorinv"),
    ("linalg.tensorsolve", "linalg.tensorsolve"),
    ("linspace", "linspace"),
    ("log", "log"),
    ("log10", "log10"),
    ("log1p", "log1p"),
    ("log2", "log2"),
    ("logaddexp", "logaddexp"),
    ("logical_and", "logical_and"),
    ("logical_not", "logical_not"),
    ("logical_or", "logical_or"),
    ("logical_xor", "logical_xor"),
    ("lt", "less"),
    ("masked_select", "x[mask]"),
    ("matmul", "matmul"),
    ("maximum", "maximum"),
    ("mean", "mean"),
    ("median", "median"),
    ("minimum", "minimum"),
    ("movedim", "moveaxis"),
    ("mul", "multiply"),
    ("nan_to_num", "nan_to_num"),
    ("nanmean", "nanmean"),
    ("nansum", "nansum"),
    ("ne", "not_equal"),
    ("neg", "negative"),
    ("nonzero", "nonzero"),
    ("norm", "linalg.norm"),
    ("ones", "ones"),
    ("ones_like", "ones_like"),
    ("outer", "outer"),
    ("pad", "pad"),
    ("permute", "transpose"),
    ("pow", "power"),
    ("prod", "prod"),
    ("rad2deg", "rad2deg"),
    ("real", "real"),
    ("reciprocal", "reciprocal"),
    ("remainder", "mod"),
    ("repeat", "tile"),
    ("repeat_interleave", "repeat"),
    ("reshape", "reshape"),
    ("roll", "roll"),
    ("round", "round"),
    ("sign", "sign"),
    ("signbit", "signbit"),
    ("sin", "sin"),
    ("sinc", "sinc"),
    ("sinh", "sinh"),
    ("size", "shape"),
    ("sort", "sort"),
    ("split", "split"),
    ("sqrt", "sqrt"),
    ("square", "square"),
    ("squeeze", "squeeze"),
    ("stack", "stack"),
    ("std", "std(ddof=1)"),
    ("sub", "subtract"),
    ("sum", "sum"),
    ("swapaxes", "swapaxes"),
    ("take", "take"),
    ("tan", "tan"),
    ("tanh", "tanh"),
    ("tensordot", "tensordot"),
    ("transpose", "swapaxes"),
    ("trapezoid", "trapezoid"),
    ("tril", "tril"),
    ("tril_indices", "tril_indices"),
    ("triu", "triu"),
    ("triu_indices", "triu_indices"),
    ("trunc", "trunc"),
    ("unique", "unique"),
    ("unravel_index", "unravel_index"),
    ("unsqueeze", "expand_dims"),
    ("var", "var(ddof=1)"),
    ("vdot", "vdot"),
    ("vstack", "vstack"),
    ("where", "where"),
    ("zeros", "zeros"),
    ("zeros_like", "zeros_like"),
];

/// More than a table shows at once.
const AT_MOST: usize = 4;

/// An example as it is written, the names that it is of, and what it gives, where that isn't thrown away.
#[derive(Debug)]
struct Example {
    text: String,
    names: Vec<String>,
    gives: Option<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a text")
}

/// The Rust files of a folder and those below it, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let each = paths.into_iter().flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    each.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// The words of a source, without its comments.
fn words(text: &str) -> BTreeSet<&str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

/// All statements that have names behind them, which are run for what they give.
fn examples() -> Vec<Example> {
    let declared = read(&root().join("tests/from_pytorch/themes.rs"));
    for (theme, run) in THEMES {
        run().unwrap_or_else(|error| panic!("{theme}: {error}"));
    }
    let given = GIVEN.lock().expect("no test has failed");
    let mut found = Vec::new();
    for path in sources(&root().join("tests/every_name")) {
        let file = path.file_name().expect("its name").to_string_lossy().into_owned();
        assert!(declared.contains(&format!("/every_name/{file}\"")), "tests/from_pytorch/themes.rs doesn't run {file}");
        for (at, line) in (1..).zip(read(&path).lines().map(str::trim)) {
            let Some((text, names)) = line.rsplit_once("; // ") else {
                assert!(!line.starts_with("ty("), "an example without a name: {line}");
                continue;
            };
            let gives = given.get(&(file.clone(), at)).map(|name| types::written(&types::without_paths(name)));
            let text = text.strip_prefix("ty(").and_then(|text| text.strip_suffix(')')).unwrap_or(text).to_owned();
            found.push(Example { text, names: names.split(", ").map(str::to_owned).collect(), gives });
        }
    }
    found
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/from_pytorch.md");

/// Where the list begins on the page.
const LIST: &str = "## Every name\n";

const HEAD: &str = "
These lines are those of `tests/every_name/`, each with the type of what it gives: every one is compiled and run by `cargo test --test from_pytorch`. Don't edit
them here: with `UPDATE_GOLDEN=1` it writes the list.

What takes tensors, types and indices is a value, and so is what is elementwise, with numbers, too; what takes numbers or places of the run is `?`, and so are
losses, `linalg` and `fft`. A value that the run may refuse has a `try_` twin that is `?`, `x.try_matmul(&y)?`, or along an axis the form with a number,
`x.softmax(-1)?`. Elementwise operations have forms in place, `x.relu_()?`, and into outputs, `x.relu_out(&mut y)?`. What isn't a method is called by name,
as everything can be, with all arguments and forms of docs/calls.md, and gives an `Outcome`: `tensor()?`, `tensors()?`, or what it holds.

- Beside `use latten::prelude::*`, they need `use latten::{fft, linalg, random::init, signal, special}`.
- `x` and `y` are of f32 and most often of `shape![2, 3]`; `v` and `w` are vectors, `a` and `c` square matrices, `b` is what stands right of one. `row`, `picture` and
  `film` have a batch, channels, and one to three further dimensions; `q`, `k` and `v` are queries, keys and values, where they stand together.
- `i` and `j` are of i64, `at` is a column of places, `m` a mask, `z` complex, `s` a `SparseTensor`, `g` a `Generator`; `n` is a number of the run.
- Others say by their names what they are.

| PyTorch | NumPy | latten |
|---|---|---|
";

fn names() -> BTreeSet<&'static str> {
    latten::operations().map(|operation| operation.name()).collect()
}

fn list(examples: &[Example]) -> String {
    let numpy: BTreeMap<_, _> = NUMPY.iter().copied().collect();
    let mut text = format!("{LIST}{HEAD}");
    for name in names() {
        let numpy = numpy.get(name).map(|numpy| format!("`{numpy}`")).unwrap_or_default();
        let own = examples.iter().filter(|example| example.names.iter().any(|of| of == name));
        let shown: Vec<String> = own
            .map(|example| {
                let gives = example.gives.as_ref().map(|gives| format!(": `{gives}`")).unwrap_or_default();
                format!("`{}`{gives}", example.text.replace('|', "\\|"))
            })
            .collect();
        _ = writeln!(text, "| `{name}` | {numpy} | {} |", shown.join("<br>"));
    }
    text
}

#[test]
fn every_name_has_examples_and_they_have_names() {
    let (calls, examples) = (names(), examples());
    let said = NUMPY.iter().map(|(name, _)| *name).chain(examples.iter().flat_map(|example| example.names.iter().map(String::as_str)));
    let unknown: Vec<_> = said.filter(|name| !calls.contains(name)).collect();
    assert!(unknown.is_empty(), "these are no calls: {unknown:?}");
    let count = |name: &str| examples.iter().filter(|example| example.names.iter().any(|of| of == name)).count();
    let without: Vec<_> = calls.iter().filter(|name| count(name) == 0).collect();
    assert!(
        without.is_empty(),
        "a line of tests/every_name/ ends in the name, `ty(x.topk(2, -1)?); // topk`; these have none: {without:?}"
    );
    let too_many: Vec<_> = calls.iter().filter(|name| count(name) > AT_MOST).collect();
    assert!(too_many.is_empty(), "these have more than {AT_MOST} examples: {too_many:?}");
}

/// What ends as methods do that take more, and is none of an operation: parts of macros, gradients, functions within.
const OTHERS: &[&str] = &["along_with", "in_place_with", "filled_with", "number_by", "repr_with", "backward_with", "grad_of_with"];

/// Operations whose plain method takes the numbers.
const PLAIN: &[&str] = &["round_decimals", "threshold"];

#[test]
fn what_takes_more_arguments_has_an_example() {
    let examples = examples();
    let shown: BTreeSet<&str> = examples.iter().flat_map(|example| words(&example.text)).collect();
    let texts: Vec<String> = ["tensor", "spaces"]
        .iter()
        .flat_map(|folder| sources(&root().join("tensor-core/src").join(folder)))
        .map(|path| read(&path))
        .collect();
    let written = texts.iter().flat_map(|text| words(text)).filter(|word| word.ends_with("_with") || word.ends_with("_by"));
    let mut methods: BTreeSet<String> =
        written.filter(|word| !word.starts_with("try_") && !OTHERS.contains(word)).map(str::to_owned).collect();
    let elementwise = Op::ALL.iter().map(|op| op.row()).filter(|row| !row.given().is_empty() && !PLAIN.contains(&row.name));
    methods.extend(elementwise.map(|row| format!("{}_with", row.name)));
    let folds = Reduction::ALL.iter().map(|reduction| reduction.row()).filter(|row| row.parameter.is_some());
    methods.extend(folds.flat_map(|row| [format!("{}_with", row.name), format!("{}_along_with", row.name)]));
    let missing: Vec<_> = methods.iter().filter(|method| !shown.contains(method.as_str())).collect();
    assert!(methods.len() > 150, "only {} methods were found", methods.len());
    assert!(missing.is_empty(), "these stand in no line of tests/every_name/: {missing:?}");
}

#[test]
fn the_page_lists_every_name() {
    let page = read(Path::new(PAGE));
    let (head, listed) = page.split_at(page.find(LIST).expect("the page has a list"));
    let expected = list(&examples());
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, format!("{head}{expected}")).expect("the page can be written");
        return;
    }
    let first = listed.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(listed == expected, "docs/from_pytorch.md isn't up to date (UPDATE_GOLDEN=1 cargo test --test from_pytorch): {first:?}");
}
