//! `docs/devices.md`: which operation computes which dtype on which device. Each cell is asked: the operation is called on the host and on a
//! device, and what both answer is written down. A hole, which the host has and a device hasn't, is a cell of its own and shows in a diff.

use std::fmt::Write as _;
use std::{env, fs};

use latten::elementwise::{Params, RawOperand, Target, apply};
use latten::indexing::{self, Half};
use latten::joins;
use latten::product;
use latten::reduce::Reduction;
use latten::reduce::{Along, Keep, aminmax, pick, reduce, scan, scan_places, softmax};
use latten::{
    Accumulate, Coalesced, DType, Device, ErrorKind, Extreme, IncludeSelf, MemoryFormat, Op, Order, Padding, RawSparse, RawTensor, Result,
    Scalar, ScatterReduce,
};

use crate::stand_in::{is_here, run};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/devices.md");

const HEAD: &str = "\
# What computes where

`2`: on the cpu and on cuda. `h`: on both, but for a tensor on cuda the host computes it: the operands go there and the result comes back, which
waits for the device. `1`: on the cpu only; on cuda it is an error that says so. `·`: on neither, for want of a meaning. Every cell was asked
for: `REQUIRE_STANDIN=1 UPDATE_GOLDEN=1 cargo test --features cuda --test cuda matrix` writes this.

";

/// A call with a tensor of 4 by 4 elements, which is on some device as all others that it needs are.
type Call = Box<dyn Fn(&RawTensor) -> Result<()>>;

struct Row {
    name: String,
    /// Whether the host computes it for a device.
    by_host: bool,
    call: Call,
}

fn row(name: &str, call: impl Fn(&RawTensor) -> Result<()> + 'static) -> Row {
    Row { name: name.into(), by_host: false, call: Box::new(call) }
}

fn by_host(name: &str, call: impl Fn(&RawTensor) -> Result<()> + 'static) -> Row {
    Row { by_host: true, ..row(name, call) }
}

fn elementwise() -> Vec<Row> {
    let call = |op: Op| {
        move |x: &RawTensor| {
            let condition = x.to_dtype(DType::Bool)?;
            let operands: Vec<RawOperand<'_>> = match op.row().operands {
                ["condition", ..] => vec![(&condition).into(), x.into(), x.into()],
                operands => vec![x.into(); operands.len()],
            };
            apply(op, &operands, &Params::none()).map(drop)
        }
    };
    Op::ALL.iter().map(|&op| row(op.name(), call(op))).collect()
}

fn reductions() -> Vec<Row> {
    let call = |op: Reduction| {
        move |x: &RawTensor| match op {
            Reduction::Cumsum | Reduction::Cumprod | Reduction::Logcumsumexp => scan(op, x, 0, None, Target::New).map(drop),
            Reduction::Cummax | Reduction::Cummin => scan_places(op, x, 0, [Target::New; 2]).map(drop),
            Reduction::Softmax | Reduction::LogSoftmax => softmax(op, x, 0, None, Target::New).map(drop),
            Reduction::Aminmax => aminmax(x, Some(0), Keep::No, [Target::New; 2]).map(drop),
            Reduction::Sort => indexing::sort(x, 0, Order::Ascending, [Target::New; 2]).map(drop),
            Reduction::Max | Reduction::Min | Reduction::Median => {
                reduce(op, x, &Along::all()).and_then(|_| pick(op, x, 0, Keep::No, [Target::New; 2])).map(drop)
            }
            _ => reduce(op, x, &Along::all()).and_then(|_| reduce(op, x, &Along::dims(&[0]))).map(drop),
        }
    };
    let one = |&op: &Reduction| row(op.row().name, call(op));
    Reduction::ALL.iter().map(one).collect()
}

fn products() -> Vec<Row> {
    let line = |x: &RawTensor| x.as_strided(&[4], &[1], None);
    vec![
        row("mm", |x| product::mm(x, x, Target::New).map(drop)),
        row("mv", move |x| product::mv(x, &line(x)?, Target::New).map(drop)),
        row("dot", move |x| product::dot(&line(x)?, &line(x)?, Target::New).map(drop)),
        row("vdot", move |x| product::vdot(&line(x)?, &line(x)?, Target::New).map(drop)),
        row("outer", move |x| product::outer(&line(x)?, &line(x)?, Target::New).map(drop)),
        row("bmm", |x| product::bmm(&x.unsqueeze(0)?, &x.unsqueeze(0)?, Target::New).map(drop)),
        row("matmul", |x| product::matmul(x, x, Target::New).map(drop)),
        row("addmm", |x| product::addmm(x, x, x, [Scalar::Int(1); 2], Target::New).map(drop)),
        row("baddbmm", |x| product::baddbmm(x, &x.unsqueeze(0)?, &x.unsqueeze(0)?, [Scalar::Int(1); 2], Target::New).map(drop)),
        row("linear", move |x| product::linear(x, x, Some(&line(x)?), Target::New).map(drop)),
        row("einsum", |x| product::einsum("ij,kj->ik", &[x, x]).map(drop)),
    ]
}

/// Indices on the device of a tensor.
fn indices(x: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    let count: usize = sizes.iter().product();
    RawTensor::from_vec((0..count as i64).map(|i| i % 4).collect(), sizes)?.to_device(x.device())
}

fn mask(x: &RawTensor) -> Result<RawTensor> {
    RawTensor::from_vec((0..16).map(|i| i % 3 == 0).collect::<Vec<_>>(), &[4, 4])?.to_device(x.device())
}

fn arrangements() -> Vec<Row> {
    let copy = |x: &RawTensor| x.clone_as(MemoryFormat::Contiguous);
    vec![
        row("copy, clone", move |x| copy(x)?.copy_(x)),
        row("fill_", move |x| copy(x)?.fill_(1)),
        row("cat, stack", |x| joins::cat(&[x, x], 0, Target::New).and_then(|_| joins::stack(&[x, x], 0, Target::New)).map(drop)),
        row("flip", |x| x.flip(&[0]).map(drop)),
        row("roll", |x| x.roll(&[1], &[0]).map(drop)),
        row("rot90", |x| x.rot90(1, &[0, 1]).map(drop)),
        row("repeat, tile", |x| x.repeat(&[2, 1]).map(drop)),
        row("tril, triu", move |x| {
            indexing::triangle(x, Half::Lower, 0, Target::New)
                .and_then(|y| indexing::triangle(&y, Half::Upper, 0, Target::InPlace(&y)).map(drop))
        }),
        row("diag", |x| indexing::diag(x, 0, Target::New).map(drop)),
        row("pad", |x| indexing::pad(x, &[1, 1], Padding::Constant(Scalar::Int(0))).map(drop)),
        row("pad, circular", |x| indexing::pad(x, &[1, 1], Padding::Circular).map(drop)),
        row("pad, reflect and replicate", |x| {
            indexing::pad(x, &[1, 1], Padding::Reflect).and_then(|_| indexing::pad(x, &[1, 1], Padding::Replicate)).map(drop)
        }),
    ]
}

fn indexings() -> Vec<Row> {
    let copy = |x: &RawTensor| x.clone_as(MemoryFormat::Contiguous);
    vec![
        row("gather", |x| indexing::gather(x, 0, &indices(x, &[2, 4])?, Target::New).map(drop)),
        row("take", |x| indexing::take(x, &indices(x, &[3])?, Target::New).map(drop)),
        row("index_select", |x| indexing::index_select(x, 1, &indices(x, &[3])?, Target::New).map(drop)),
        row("embedding", |x| indexing::embedding(&indices(x, &[3])?, x, None).map(drop)),
        row("index, by indices", |x| indexing::index(x, &[None, Some(&indices(x, &[2, 3])?)]).map(drop)),
        row("index, by a mask", |x| indexing::index(x, &[Some(&mask(x)?)]).map(drop)),
        row("index_put_", move |x| {
            indexing::index_put_in_place(&copy(x)?, &[Some(&indices(x, &[2])?)], &x.narrow(0, 0, 1)?, Accumulate::No)
        }),
        row("index_put_, accumulate", move |x| {
            indexing::index_put_in_place(&copy(x)?, &[Some(&indices(x, &[2])?)], &x.narrow(0, 0, 1)?, Accumulate::Yes)
        }),
        row("scatter_", move |x| {
            let own = copy(x)?;
            indexing::scatter(&own, 0, &indices(x, &[2, 4])?, x.into(), (ScatterReduce::Replace, IncludeSelf::Yes), Target::InPlace(&own))
                .map(drop)
        }),
        row("scatter_add_", move |x| {
            let own = copy(x)?;
            indexing::scatter(&own, 0, &indices(x, &[2, 4])?, x.into(), (ScatterReduce::Sum, IncludeSelf::Yes), Target::InPlace(&own))
                .map(drop)
        }),
        row("scatter_reduce_, amax", move |x| {
            let own = copy(x)?;
            indexing::scatter(&own, 0, &indices(x, &[2, 4])?, x.into(), (ScatterReduce::Amax, IncludeSelf::Yes), Target::InPlace(&own))
                .map(drop)
        }),
        row("masked_fill", |x| indexing::masked_fill(x, &mask(x)?, 1.into()).map(drop)),
        row("masked_select", |x| indexing::masked_select(x, &mask(x)?, Target::New).map(drop)),
        row("nonzero", |x| indexing::nonzero(x, Target::New).map(drop)),
        row("repeat_interleave", |x| indexing::repeat_interleave(x, 2, Some(0)).map(drop)),
        row("repeat_interleave, by a tensor", |x| indexing::repeat_interleave_by(x, &indices(x, &[4])?, Some(0)).map(drop)),
        row("one_hot", |x| indexing::one_hot(&indices(x, &[4])?.to_dtype(x.dtype())?, None).map(drop)),
        row("argsort", |x| indexing::argsort(x, 0, Order::Descending, Target::New).map(drop)),
        row("topk", |x| indexing::topk(x, 2, 0, Extreme::Largest, [Target::New; 2]).map(drop)),
        by_host("unique", |x| indexing::unique(x).map(drop)),
        by_host("unique_consecutive", |x| indexing::unique_consecutive(x).map(drop)),
        by_host("unique, along a dimension", |x| indexing::unique_dim(x, 0).map(drop)),
    ]
}

/// Sparse tensors of a dense one, and what becomes of them.
fn sparse() -> Vec<Row> {
    let of = |x: &RawTensor| RawSparse::from_dense(x, None);
    vec![
        row("to_sparse", move |x| of(x).map(drop)),
        row("to_dense", move |x| of(x)?.to_dense().map(drop)),
        by_host("coalesce", move |x| {
            let known = of(x)?;
            RawSparse::new(known.raw_indices(), known.raw_values(), Some(&[4, 4]), Coalesced::Unknown)?.coalesce().map(drop)
        }),
        row("sparse + sparse", move |x| of(x)?.add(&of(x)?, 1.into()).map(drop)),
        row("sparse * number", move |x| of(x)?.scale(Op::Mul, 2.into()).map(drop)),
        row("sum of sparse", move |x| of(x)?.sum().map(drop)),
        row("sparse @ dense", move |x| of(x)?.mm(x).map(drop)),
    ]
}

/// The tables, by whether their calls look at what kernels compute: those need kernels that compute.
fn tables(dry: bool) -> Vec<(&'static str, Vec<Row>)> {
    if dry {
        return vec![("Elementwise operations", elementwise()), ("Reductions, scans and softmax", reductions()), ("Products", products())];
    }
    vec![("Copies and arrangements", arrangements()), ("Indexing and order", indexings()), ("Sparse tensors", sparse())]
}

fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.iter().copied().filter(|dtype| !dtype.is_quantized())
}

fn cell(row: &Row, dtype: DType) -> &'static str {
    let ones = RawTensor::from_vec(vec![1.0_f32; 16], &[4, 4]).and_then(|ones| ones.to_dtype(dtype)).expect("ones");
    let there = ones.to_device("cuda".parse::<Device>().expect("a device")).expect("a copy");
    let what = format!("{} of {dtype}", row.name);
    match ((row.call)(&ones), (row.call)(&there)) {
        (Ok(()), Ok(())) => {
            if row.by_host {
                "h"
            } else {
                "2"
            }
        }
        (Err(_), Err(_)) => "·",
        (Ok(()), Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::NotImplemented, "{what}: {error}");
            "1"
        }
        (Err(error), Ok(())) => panic!("{what}: a device computes what the host refuses: {error}"),
    }
}

/// In a process on the stand-in: says what the cells are.
#[test]
fn asks() {
    let Ok(dry) = env::var("LATTEN_TEST_MATRIX") else { return };
    for (_, rows) in tables(dry == "dry") {
        for row in rows {
            let cells: Vec<_> = dtypes().map(|dtype| cell(&row, dtype)).collect();
            println!("matrix: {} | {}", row.name, cells.join(" | "));
        }
    }
}

fn answers(dry: bool) -> Option<Vec<String>> {
    let mut variables = vec![("LATTEN_TEST_MATRIX", if dry { "dry" } else { "run" })];
    if dry {
        variables.extend([("STANDIN_DRY", "1"), ("LATTEN_CUDA_CACHE", "")]);
    }
    let output = run("matrix::asks", &variables)?;
    let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{error}", output.status);
    Some(out.lines().filter_map(|line| line.split_once("matrix: ").map(|(_, row)| row.to_owned())).collect())
}

#[test]
fn the_document_is_what_devices_answer() {
    if is_here() {
        return;
    }
    let mut text = HEAD.to_owned();
    for dry in [true, false] {
        let Some(answers) = answers(dry) else { return };
        let mut answers = answers.into_iter();
        for (title, rows) in tables(dry) {
            let columns: Vec<_> = dtypes().map(|dtype| dtype.variant().to_ascii_lowercase()).collect();
            _ = writeln!(text, "## {title}\n\n| | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()));
            for row in &rows {
                let answer = answers.next().unwrap_or_else(|| panic!("nothing is said of {}", row.name));
                assert!(answer.starts_with(&row.name), "{answer}");
                _ = writeln!(text, "| {answer} |");
            }
            text.push('\n');
        }
    }
    let text = format!("{}\n", text.trim_end());
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(DOCUMENT, &text).expect("docs/ is writable");
    }
    let found = fs::read_to_string(DOCUMENT).unwrap_or_default();
    let differing = found.lines().zip(text.lines()).find(|(found, text)| found != text);
    assert!(
        found == text,
        "docs/devices.md isn't what devices answer ({differing:?}): UPDATE_GOLDEN=1 cargo test --features cuda --test cuda matrix"
    );
}
