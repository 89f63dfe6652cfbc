//! `docs/from_pytorch.md` lists every call by PyTorch's name with NumPy's and with what is written here. `UPDATE_GOLDEN=1` writes that list anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use latten::Op;
use latten::reduce::Reduction;

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

/// What is written with a sign.
const SIGNS: &[(&str, &str)] = &[
    ("add", "&x + &y"),
    ("sub", "&x - &y"),
    ("mul", "&x * &y"),
    ("div", "&x / &y"),
    ("remainder", "&x % &y"),
    ("neg", "-&x"),
    ("bitwise_and", "&x & &y"),
    ("bitwise_or", "&x | &y"),
    ("bitwise_xor", "&x ^ &y"),
    ("bitwise_not", "!&x"),
    ("bitwise_left_shift", "&x << &y"),
    ("bitwise_right_shift", "&x >> &y"),
];

/// What is called otherwise here.
const OTHERWISE: &[(&str, &str)] = &[
    ("__getitem__", "x.i(i![..])`, `x.index((.., &y))"),
    ("numpy_T", "x.T()"),
    ("where", "where_(&c, &x, &y)"),
    ("sparse_coo_tensor", "SparseTensor::new(&places, &values, sizes)?"),
    ("numel", "x.numel()"),
    ("size", "x.sizes()`, `x.size(0)"),
    ("stride", "x.strides()`, `x.stride(0)"),
    ("dim", "x.rank()"),
    ("_indices", "x.raw_indices()"),
    ("_nnz", "x.nnz()"),
    ("_values", "x.raw_values()"),
    ("can_cast", "can_cast(from, to)"),
    ("cholesky_solve", "linalg::cholesky_solve(&x, …)"),
    ("cross", "x.cross(…), linalg::cross(&x, …)"),
    ("coalesce", "s.coalesce() of a SparseTensor"),
    ("to_dense", "s.to_dense() of a SparseTensor"),
    ("clone", "x.clone()"),
    ("div", "&x / &y`, `x.div_trunc(…)`, `x.floor_divide(…)"),
    ("result_type", "result_type(&x, …)"),
    ("__rdiv__", "&y / &x"),
    ("__rmatmul__", "y.matmul(&x)"),
    ("__rtruediv__", "&y / &x"),
    ("adjoint", "x.mH()"),
    ("constant_pad_nd", "x.pad_with(…)"),
    ("feature_dropout", "x.dropout2d(…)"),
    ("fill", "x.full_like(…)"),
    ("init.constant_", "x.fill_(…)"),
    ("linalg.multi_dot", "linalg::multi_dot(&[…])"),
    ("lu", "linalg::lu_factor(&x)"),
    ("lu_solve", "linalg::lu_solve(&lu, &pivots, &x)"),
    ("nn.functional.feature_alpha_dropout", "x.feature_alpha_dropout(…)"),
    ("orgqr", "linalg::householder_product(&x, &tau)"),
    ("resolve_conj", "x.alias()"),
    ("resolve_neg", "x.alias()"),
    ("svd", "linalg::svd_with(&x, false)"),
    ("triangular_solve", "linalg::solve_triangular(&a, &x, upper)"),
    ("tril_indices", "Tensor::<i64>::tril_indices(rows, columns)"),
    ("triu_indices", "Tensor::<i64>::triu_indices(rows, columns)"),
    ("upsample_bilinear", "x.interpolate_with(…, \"bilinear\", Some(true))"),
    ("upsample_nearest", "x.interpolate(…)"),
    ("bartlett_window", "Tensor::<f32>::bartlett_window(n)"),
    ("blackman_window", "Tensor::<f32>::blackman_window(n)"),
    ("hamming_window", "Tensor::<f32>::hamming_window(n)"),
    ("hann_window", "Tensor::<f32>::hann_window(n)"),
    ("kaiser_window", "Tensor::<f32>::kaiser_window(n)"),
    ("fft.fftfreq", "fft::fftfreq(n)"),
    ("fft.rfftfreq", "fft::rfftfreq(n)"),
    ("index_put", "x.clone().index_put_(…)"),
    ("promote_types", "promote_types(a, b)?"),
    ("type_as", "x.type_as(&y)"),
];

/// The names that stand first in the rows of macros, and all in the rows of conversions.
fn made_by_macros(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut within = false;
    for line in text.lines() {
        within = if within { line != "}" } else { line.ends_with("! {") && !line.starts_with([' ', 'm']) };
        let row = line.split(['"', '(', ':', '=', '|']).next().unwrap_or_default();
        if within && row.starts_with("    ") && !row.trim_start().starts_with("//") {
            names.extend(row.split([' ', ';']).map(str::to_owned));
        }
    }
    names
}

/// The public functions of some sources: methods, constructors, and those of several tensors.
fn functions(folder: &Path) -> (BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
    let (mut methods, mut constructors, mut free) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let files: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    for text in files.iter().filter_map(|path| fs::read_to_string(path).ok()) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let declared = line.trim_start().strip_prefix("pub fn ").or_else(|| line.trim_start().strip_prefix("fn "));
            let Some(rest) = declared.filter(|_| line.contains("pub fn") || text.contains("pub trait OfShape")) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let code = |line: &&str| line.split(" // ").next().unwrap_or_default().to_owned();
            let head = lines[at..].iter().take(4).map(code).collect::<String>();
            let head = head.split(')').next().unwrap_or_default();
            let place = match (line.starts_with(' '), head.contains("self")) {
                (true, true) => &mut methods,
                (true, false) => &mut constructors,
                (false, _) => &mut free,
            };
            place.insert(name);
        }
        methods.extend(made_by_macros(&text));
    }
    (methods, constructors, free)
}

/// What computes each row of the table of calls, as it is written there: what is the same there computes the same.
fn computed() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tensor-spec/src/call");
    let mut rows: Vec<String> = Vec::new();
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        for line in fs::read_to_string(path).expect("a source").lines().filter(|line| line.starts_with("    ")) {
            let begins = line[4..].starts_with(char::is_uppercase) && line.contains(" \"");
            match rows.last_mut().filter(|_| !begins) {
                Some(row) => *row = format!("{row} {}", line.trim_start()),
                None => rows.push(line.to_owned()),
            }
        }
    }
    let parts = rows.iter().filter_map(|row| {
        let (head, body) = row.split_once("=> ")?;
        let name = head.split('"').nth(1)?.split('(').next()?;
        let (_, body) = body.split_once(' ')?;
        let end = [", of ", ", on ", ", grad ", ", in_place ", ", out ", ", kernel ", ";"].iter().filter_map(|end| body.find(end)).min()?;
        Some((name.to_owned(), body[..end].replace("Target::New", "to")))
    });
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    parts
}

/// What is written for a name whose row is an elementwise operation of its arguments: its method, or its sign with the operands exchanged.
fn elementwise(body: &str) -> Option<String> {
    let (variant, operands) = body.strip_prefix("Op::")?.split_once('(')?;
    let name = Op::ALL.iter().find(|op| format!("{op:?}") == variant)?.row().name;
    let sign = SIGNS.iter().find(|(of, _)| *of == name).map(|(_, sign)| format!("`{sign}`"));
    match operands {
        "other, input)" => Some(sign.map_or(format!("`y.{name}(&x)`"), |sign| {
            let exchanged = |character| match character {
                'x' => 'y',
                'y' => 'x',
                other => other,
            };
            sign.chars().map(exchanged).collect()
        })),
        _ => operands.starts_with("input").then(|| format!("`x.{name}(…)`")),
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/from_pytorch.md");

/// Where the list begins on the page.
const LIST: &str = "## Every name\n";

fn list() -> String {
    let (mut methods, constructors, free) = functions(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tensor-core/src/tensor"));
    methods.extend(Op::ALL.iter().map(|op| op.row().name.to_owned()));
    methods.extend(Reduction::ALL.iter().map(|reduction| reduction.row().name.to_owned()));
    let spaces = [("fft", "fft"), ("linalg", "linalg"), ("special", "special"), ("signal", "signal.windows")].map(|(file, space)| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tensor-core/src/spaces/{file}.rs")));
        let lines = text.expect("a module of functions");
        // A module within one is read as the others are.
        let text = lines.lines().map(|line| if space.contains('.') { line.strip_prefix("    ").unwrap_or(line) } else { line });
        let text = text.collect::<Vec<_>>().join("\n");
        let written = text.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split(['<', '(']).next()).map(str::to_owned);
        made_by_macros(&text).into_iter().chain(written).map(move |name| format!("{space}.{name}")).collect::<Vec<_>>()
    });
    let spaces: BTreeSet<String> = spaces.into_iter().flatten().collect();
    // What is written for a name that stands for itself.
    let own = |name: &str| {
        // First values of weights are methods beside the others.
        let method = name.strip_prefix("init.").unwrap_or(name);
        let otherwise = OTHERWISE.iter().find(|(of, _)| *of == name);
        match otherwise {
            Some((_, own)) => Some(format!("`{own}`")),
            None if methods.contains(method) => Some(format!("`x.{method}(…)`")),
            None if constructors.contains(name) => Some(format!("`Tensor::{name}(…)`")),
            None if free.contains(name) => Some(format!("`{name}(…)`")),
            None if name.starts_with("signal.") && spaces.contains(name) => Some(format!("`{}::<f32>(n)`", name.replace('.', "::"))),
            None if spaces.contains(name) => Some(format!("`{}(&x, …)`", name.replace('.', "::"))),
            None if methods.contains(&format!("{name}_along")) => Some(format!("`x.{name}_along(…)`")),
            None => None,
        }
    };
    let computed = computed();
    // The same of a name that stands for another one.
    let others = |name: &str| {
        let bodies = || computed.iter().filter(move |(of, _)| of == name).map(|(_, body)| body);
        let same = bodies().flat_map(|body| computed.iter().filter(move |(_, other)| other == body)).find_map(|(other, _)| own(other));
        bodies().find_map(|body| elementwise(body)).or(same)
    };
    let numpy: BTreeMap<_, _> = NUMPY.iter().copied().collect();
    let mut text = format!(
        "{LIST}\nGenerated from the table of calls; don't edit it: `UPDATE_GOLDEN=1 cargo test --test from_pytorch` writes it. `…` stands for the\n\
        arguments, which docs/calls.md has. What has no method is called by name, as everything can be.\n\n\
        | PyTorch | NumPy | latten |\n|---|---|---|\n"
    );
    let mut names: Vec<_> = latten::operations().map(|operation| operation.name()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let numpy = numpy.get(name).map(|numpy| format!("`{numpy}`")).unwrap_or_default();
        let sign = SIGNS.iter().find(|(of, _)| *of == name).map(|(_, sign)| format!("`{sign}`"));
        let written = own(name).or_else(|| others(name)).unwrap_or_else(|| format!("`call(\"{name}\", …)`"));
        let both = sign.into_iter().chain([written]).collect::<Vec<_>>().join(", ").replace('|', "\\|");
        _ = writeln!(text, "| `{name}` | {numpy} | {both} |");
    }
    text
}

#[test]
fn the_page_lists_every_name() {
    let calls: BTreeSet<_> = latten::operations().map(|operation| operation.name()).collect();
    let unknown: Vec<_> = NUMPY.iter().chain(SIGNS).chain(OTHERWISE).filter(|(name, _)| !calls.contains(name)).collect();
    assert!(unknown.is_empty(), "these are no calls: {unknown:?}");
    let page = fs::read_to_string(PAGE).expect("the page");
    let (head, listed) = page.split_at(page.find(LIST).expect("the page has a list"));
    let expected = list();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, format!("{head}{expected}")).expect("the page can be written");
        return;
    }
    let first = listed.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(listed == expected, "docs/from_pytorch.md isn't up to date (UPDATE_GOLDEN=1 cargo test --test from_pytorch): {first:?}");
}
