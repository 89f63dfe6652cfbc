//! Calls of every row that isn't elementwise, for whom gradients, other devices or differences are asked.

/// A call, the sizes of its inputs, and its arguments made of them.
macro_rules! example {
    ($name:literal, [$($size:expr),*], |$x:ident| $($arguments:tt)*) => {
        ($name, vec![$(sizes(&$size)),*], (|$x| all(call($name, args![$($arguments)*]))) as Function)
    };
}

#[path = "declared.rs"]
mod declared;
#[path = "factors.rs"]
mod factors;
#[path = "pieces.rs"]
mod pieces;
#[path = "sparse.rs"]
mod sparse;
#[path = "spectra.rs"]
mod spectra;
#[path = "windows.rs"]
mod windows;

use std::cell::Cell;

use latten::prelude::*;
use latten::{Category, Complex, DType, Error, Op, RawTensor, args, call};

pub(super) type Outputs = Result<Vec<DynTensor>, Error>;
pub(super) type Function = fn(&[DynTensor]) -> Outputs;
pub(super) type Example = (&'static str, Vec<&'static [usize]>, Function);

/// The tensors that a call gives.
pub(super) fn all(outcome: Result<latten::Outcome, Error>) -> Outputs {
    match outcome? {
        latten::Outcome::Tensor(tensor) => Ok(vec![latten::Outcome::Tensor(tensor).tensor()?]),
        others => others.tensors(),
    }
}

/// Numbers between 0.1 and 0.9 (of complex ones both parts), none of them twice.
pub(super) fn numbers(count: usize, seed: usize) -> Vec<f64> {
    let mixed = |at: usize| ((at * 7 + seed * 13 + 3) * 31 % 101) as f64 + at as f64 * 0.013 + seed as f64 * 0.0017;
    (0..count).map(|at| 0.1 + 0.8 * mixed(at) / 104.0).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    Plain,
    Strided,
}

/// A leaf that requires a gradient.
pub(super) fn leaf(sizes: &[usize], dtype: DType, layout: Layout, seed: usize) -> DynTensor {
    let turned: Vec<usize> = if layout == Layout::Strided { sizes.iter().rev().copied().collect() } else { sizes.to_vec() };
    let raw = tensor(&turned, dtype, seed, Complex::new(1.0, 0.0)).expect("as many numbers");
    let tensor = DynTensor::from(if layout == Layout::Strided { raw.reverse_dims() } else { raw });
    tensor.detach().requiring_grad().expect("f64 and c128 have gradients")
}

/// Numbers times a factor; of a real dtype times its real part.
pub(super) fn tensor(sizes: &[usize], dtype: DType, seed: usize, by: c128) -> Result<RawTensor> {
    let count = sizes.iter().product();
    let (re, im) = (numbers(count, seed), numbers(count, seed + 29));
    if dtype == DType::C128 {
        RawTensor::from_vec(re.into_iter().zip(im).map(|(re, im)| c128::new(re, im) * by).collect(), sizes)
    } else {
        RawTensor::from_vec(re.into_iter().map(|x| x * by.re).collect(), sizes)
    }
}

/// The operations whose results have gradients, but for those that are forms of others, or whose calls by name take more: examples have these.
pub(super) fn operations() -> impl Iterator<Item = Op> {
    let parts = ["div_trunc", "round_decimals", "gelu_tanh", "imag", "threshold", "smooth_l1_loss", "huber_loss"];
    Op::ALL.iter().copied().filter(move |op| {
        let takes = |category| op.row().formula(category).is_some();
        let gives = op.answer(DType::C128, DType::F32).or(op.answer(DType::F64, DType::F32));
        (takes(Category::Floating) || takes(Category::Complex)) && gives != Ok(DType::Bool) && !parts.contains(&op.name())
    })
}

/// A call of the operation of [`CURRENT`].
pub(super) fn current(x: &[DynTensor]) -> Outputs {
    match x {
        [x] => all(call(CURRENT.get(), args![x])),
        [x, y] => all(call(CURRENT.get(), args![x, y])),
        _ => all(call(CURRENT.get(), args![&x[0], &x[1], &x[2]])),
    }
}

/// The same, where that is this one, of numbers that it has values and slopes at.
pub(super) fn elementwise(op: Op) -> Function {
    match op.name() {
        "acosh" => |x| current(&[call("add", args![&x[0], 1.0])?.tensor()?]),
        "where" => |x| {
            let condition = call("gt", args![&call("real", args![&x[0]])?.tensor()?, 0.5])?.tensor()?;
            all(call("where", args![&condition, &x[0], &x[1]]))
        },
        _ => current,
    }
}

std::thread_local! {
    /// The operation that is being checked.
    pub(super) static CURRENT: Cell<&'static str> = const { Cell::new("") };
    /// Where the examples run.
    static PLACE: Cell<&'static str> = const { Cell::new("cpu") };
}

/// What `run` gives where what calls take beside their inputs is on that device.
pub(super) fn on<T>(device: &'static str, run: impl FnOnce() -> T) -> T {
    let before = PLACE.replace(device);
    let found = run();
    PLACE.set(before);
    found
}

/// What a call takes beside its inputs, on their device.
fn beside(tensor: DynTensor) -> DynTensor {
    match PLACE.get() {
        "cpu" => tensor,
        device => tensor.to_device(device).expect("it has a place there"),
    }
}

fn places(numbers: &[i64]) -> DynTensor {
    beside(DynTensor::from(RawTensor::from_vec(numbers.to_vec(), &[numbers.len()]).expect("a row")))
}

fn grid(numbers: &[[i64; 3]; 2]) -> DynTensor {
    beside(Tensor::from(*numbers).erase())
}

fn mask() -> DynTensor {
    beside(Tensor::from([[true, false, true], [false, true, true]]).erase())
}

/// A first element that is zero, without a gradient of its own.
fn with_zero(x: &DynTensor) -> Result<DynTensor, Error> {
    let condition = call("lt", args![&beside(call("arange", args![x.numel() as i64])?.tensor()?), 1])?.tensor()?;
    let condition = call("view_as", args![&condition, x])?.tensor()?;
    call("masked_fill", args![x, &condition, 0.0])?.tensor()
}

fn sizes<const N: usize>(sizes: &'static [usize; N]) -> &'static [usize] {
    sizes
}

/// The tensor, after a seed for what is drawn.
fn seeded(x: &DynTensor) -> DynTensor {
    manual_seed(7);
    x.clone()
}

/// What a call makes of a result in its place.
fn changed(x: &DynTensor, change: impl FnOnce(&mut DynTensor) -> Result<latten::Outcome, Error>) -> Outputs {
    let mut result = call("mul", args![x, 1.5])?.tensor()?;
    change(&mut result)?;
    Ok(vec![result])
}

pub(super) fn every_example() -> impl Iterator<Item = Example> {
    [
        examples(),
        declared::examples(),
        sparse::examples(),
        pieces::examples(),
        factors::examples(),
        windows::examples(),
        spectra::examples(),
    ]
    .into_iter()
    .flatten()
}

/// Calls of the rows that aren't elementwise.
fn examples() -> Vec<Example> {
    vec![
        example!("sum", [[2, 3]], |x| &x[0]),
        example!("sum", [[2, 3]], |x| &x[0], 1),
        example!("sum", [[]], |x| &x[0]),
        example!("sum", [[2, 0]], |x| &x[0], 0, keepdim = true),
        example!("mean", [[2, 3]], |x| &x[0]),
        example!("mean", [[2, 3]], |x| &x[0], 1),
        example!("mean", [[]], |x| &x[0]),
        example!("mean", [[2, 0]], |x| &x[0], 0, keepdim = true),
        example!("prod", [[2, 3]], |x| &x[0]),
        example!("prod", [[2, 3]], |x| &x[0], 1, keepdim = true),
        example!("prod", [[2, 3]], |x| &with_zero(&x[0])?),
        example!("prod", [[2, 3]], |x| &with_zero(&x[0])?, 1),
        example!("prod", [[]], |x| &x[0]),
        example!("std", [[2, 3]], |x| &x[0]),
        example!("std", [[2, 3]], |x| &x[0], 1, correction = 0),
        example!("std", [[2, 3]], |x| &x[0], dim = 0, keepdim = true),
        example!("var", [[2, 3]], |x| &x[0]),
        example!("var", [[2, 3]], |x| &x[0], 1, correction = 0),
        example!("var", [[2, 3]], |x| &x[0], dim = 0, keepdim = true),
        example!("amax", [[2, 3]], |x| &x[0]),
        example!("amax", [[2, 3]], |x| &x[0], 1),
        example!("amin", [[2, 3]], |x| &x[0]),
        example!("amin", [[2, 3]], |x| &x[0], 1),
        example!("nansum", [[2, 3]], |x| &x[0]),
        example!("nansum", [[2, 3]], |x| &x[0], 1),
        example!("nanmean", [[2, 3]], |x| &x[0]),
        example!("nanmean", [[2, 3]], |x| &x[0], 1),
        example!("max", [[2, 3]], |x| &x[0]),
        example!("max", [[2, 3]], |x| &x[0], 1),
        example!("min", [[2, 3]], |x| &x[0]),
        example!("min", [[2, 3]], |x| &x[0], 1),
        example!("median", [[2, 3]], |x| &x[0]),
        example!("median", [[2, 3]], |x| &x[0], 1),
        example!("logsumexp", [[2, 3]], |x| &x[0], 1),
        example!("logsumexp", [[2, 3]], |x| &x[0], [0, 1], keepdim = true),
        example!("norm", [[2, 3]], |x| &x[0]),
        example!("norm", [[2, 3]], |x| &x[0], p = 1),
        example!("norm", [[2, 3]], |x| &x[0], p = 3, dim = 1),
        example!("norm", [[2, 3]], |x| &x[0], p = f64::INFINITY, dim = 0),
        example!("norm", [[2, 3]], |x| &x[0], p = 1.5),
        example!("norm", [[2, 3]], |x| &x[0], p = "nuc"),
        example!("norm", [[2, 3]], |x| &x[0], p = "fro", dim = 1),
        example!("linalg_vector_norm", [[2, 3]], |x| &x[0], ord = 3, dim = 1),
        example!("aminmax", [[2, 3]], |x| &x[0]),
        example!("aminmax", [[2, 3]], |x| &x[0], dim = 1, keepdim = true),
        example!("cumsum", [[2, 3]], |x| &x[0], 1),
        example!("cumsum", [[2, 3]], |x| &x[0], 0),
        example!("cumprod", [[2, 3]], |x| &x[0], 1),
        example!("cumprod", [[2, 3]], |x| &x[0], 0),
        example!("cummax", [[2, 3]], |x| &x[0], 1),
        example!("cummax", [[2, 3]], |x| &x[0], 0),
        example!("cummin", [[2, 3]], |x| &x[0], 1),
        example!("cummin", [[2, 3]], |x| &x[0], 0),
        example!("softmax", [[2, 3]], |x| &x[0], 1),
        example!("softmax", [[2, 3]], |x| &x[0], 0),
        example!("log_softmax", [[2, 3]], |x| &x[0], 1),
        example!("log_softmax", [[2, 3]], |x| &x[0], 0),
        example!("cumprod", [[2, 3]], |x| &with_zero(&x[0])?, 1),
        example!("cumsum", [[]], |x| &x[0], 0),
        example!("flipud", [[2, 3]], |x| &x[0]),
        example!("fliplr", [[2, 3]], |x| &x[0]),
        example!("mm", [[2, 3], [3, 4]], |x| &x[0], &x[1]),
        example!("mm", [[2, 0], [0, 3]], |x| &x[0], &x[1]),
        example!("mv", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("dot", [[3], [3]], |x| &x[0], &x[1]),
        example!("vdot", [[3], [3]], |x| &x[0], &x[1]),
        example!("outer", [[2], [3]], |x| &x[0], &x[1]),
        example!("bmm", [[2, 2, 3], [2, 3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[3], [3]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("matmul", [[3], [3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 3], [3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 2, 3], [3]], |x| &x[0], &x[1]),
        example!("matmul", [[3], [2, 3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 2, 3], [3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 3], [2, 3, 2]], |x| &x[0], &x[1]),
        example!("matmul", [[2, 1, 2, 3], [2, 3, 2]], |x| &x[0], &x[1]),
        example!("addmm", [[3], [2, 2], [2, 3]], |x| &x[0], &x[1], &x[2], beta = 0.5, alpha = 2),
        example!("baddbmm", [[2, 2, 2], [2, 2, 3], [2, 3, 2]], |x| &x[0], &x[1], &x[2], beta = 2),
        example!("linear", [[2, 3], [4, 3], [4]], |x| &x[0], &x[1], &x[2]),
        example!("linear", [[2, 2, 3], [4, 3]], |x| &x[0], &x[1]),
        example!("linear", [[3], [4, 3], [4]], |x| &x[0], &x[1], &x[2]),
        example!("linear", [[2, 2, 3], [4, 3], [2, 4]], |x| &x[0], &x[1], &x[2]),
        example!("linear", [[2, 2, 3], [3], [2, 2]], |x| &x[0], &x[1], &x[2]),
        example!("einsum", [[2, 3], [3, 2]], |x| "ij,jk->ik", &x[0], &x[1]),
        example!("einsum", [[2, 3], [2, 3]], |x| "ij,kj", &x[0], &x[1]),
        example!("einsum", [[3, 3]], |x| "ii->i", &x[0]),
        example!("einsum", [[3, 3]], |x| "ii", &x[0]),
        example!("einsum", [[2, 3]], |x| "ij->j", &x[0]),
        example!("einsum", [[2, 3], [3]], |x| "...i,...i->...", &x[0], &x[1]),
        example!("einsum", [[2], [3], [2]], |x| "i,j,k->kji", &x[0], &x[1], &x[2]),
        example!("einsum", [[2, 2, 3], [1, 3, 2]], |x| "bij,bjk->bik", &x[0], &x[1]),
        example!("flatten", [[2, 3]], |x| &x[0]),
        example!("ravel", [[2, 3]], |x| &x[0]),
        example!("unflatten", [[2, 3]], |x| &x[0], 1, [3, 1]),
        example!("reshape", [[2, 3]], |x| &x[0], [3, 2]),
        example!("squeeze", [[2, 3]], |x| &x[0]),
        example!("unsqueeze", [[2, 3]], |x| &x[0], 1),
        example!("unsqueeze", [[2, 3]], |x| &x[0], -1),
        example!("expand", [[2, 3]], |x| &x[0], 4, 2, 3),
        example!("broadcast_to", [[2, 3]], |x| &x[0], [4, 2, 3]),
        example!("transpose", [[2, 3]], |x| &x[0], 0, 1),
        example!("swapaxes", [[2, 3]], |x| &x[0], 0, 1),
        example!("swapdims", [[2, 3]], |x| &x[0], 0, 1),
        example!("t", [[2, 3]], |x| &x[0]),
        example!("numpy_T", [[2, 3]], |x| &x[0]),
        example!("mT", [[2, 3]], |x| &x[0]),
        example!("permute", [[2, 3]], |x| &x[0], [1, 0]),
        example!("movedim", [[2, 3]], |x| &x[0], 0, 1),
        example!("moveaxis", [[2, 3]], |x| &x[0], 1, 0),
        example!("narrow", [[2, 3]], |x| &x[0], 1, 1, 2),
        example!("select", [[2, 3]], |x| &x[0], 1, 2),
        example!("slice", [[2, 3]], |x| &x[0], 1, 0, 3, 2),
        example!("unfold", [[2, 3]], |x| &x[0], 1, 2, 1),
        example!("diagonal", [[2, 3]], |x| &x[0], 1),
        example!("split", [[2, 3]], |x| &x[0], 2, 1),
        example!("split", [[2, 3]], |x| &x[0], [1, 2], 1),
        example!("split_with_sizes", [[2, 3]], |x| &x[0], [1, 2], 1),
        example!("chunk", [[2, 3]], |x| &x[0], 2, 1),
        example!("tensor_split", [[2, 3]], |x| &x[0], 2, 1),
        example!("tensor_split", [[2, 3]], |x| &x[0], [1], 1),
        example!("tensor_split", [[2, 3]], |x| &x[0], [2, 1], 1),
        example!("hsplit", [[2, 3]], |x| &x[0], 3),
        example!("hsplit", [[2, 3]], |x| &x[0], [1]),
        example!("hsplit", [[2, 3]], |x| &x[0], [2, 0, 1]),
        example!("vsplit", [[2, 3]], |x| &x[0], 2),
        example!("vsplit", [[2, 3]], |x| &x[0], [1]),
        example!("unbind", [[2, 3]], |x| &x[0], 1),
        example!("flip", [[2, 3]], |x| &x[0], [0, 1]),
        example!("roll", [[2, 3]], |x| &x[0], 2, 1),
        example!("roll", [[2, 3]], |x| &x[0], 1),
        example!("rot90", [[2, 3]], |x| &x[0]),
        example!("repeat", [[2, 3]], |x| &x[0], 2, 1, 2),
        example!("tile", [[2, 3]], |x| &x[0], [2]),
        example!("clone", [[2, 3]], |x| &x[0]),
        example!("contiguous", [[2, 3]], |x| &x[0]),
        example!("real", [[2, 3]], |x| &x[0]),
        example!("double", [[2, 3]], |x| &x[0]),
        example!("cdouble", [[2, 3]], |x| &x[0]),
        example!("positive", [[2, 3]], |x| &x[0]),
        example!("view", [[6]], |x| &x[0], 3, 2),
        example!("view_as", [[6]], |x| &x[0], &plain(&[3, 2])),
        example!("as_strided", [[6]], |x| &x[0], [2, 2], [1, 1], 1),
        example!("squeeze", [[2, 1, 3]], |x| &x[0], 1),
        example!("squeeze", [[1, 3, 1]], |x| &x[0], [0, 2]),
        example!("reshape_as", [[2, 3]], |x| &x[0], &plain(&[6])),
        example!("expand_as", [[3]], |x| &x[0], &plain(&[2, 3])),
        example!("broadcast_tensors", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("dsplit", [[2, 1, 4]], |x| &x[0], 2),
        example!("dsplit", [[2, 1, 4]], |x| &x[0], [1]),
        example!("view_as_real", [[2, 3]], |x| &x[0]),
        example!("view_as_complex", [[3, 2]], |x| &contiguous(&x[0])?),
        example!("imag", [[2, 3]], |x| &x[0]),
        example!("as_strided_scatter", [[2, 3], [2]], |x| &x[0], &x[1], [2], [1], 1),
        example!("cat", [[2, 3], [1, 3]], |x| [&x[0], &x[1]]),
        example!("concat", [[2, 3], [1, 3]], |x| [&x[0], &x[1]]),
        example!("concatenate", [[2, 3], [1, 3]], |x| [&x[0], &x[1]]),
        example!("stack", [[2, 3], [2, 3]], |x| [&x[0], &x[1]]),
        example!("hstack", [[2, 3], [2, 3]], |x| [&x[0], &x[1]]),
        example!("vstack", [[2, 3], [2, 3]], |x| [&x[0], &x[1]]),
        example!("dstack", [[2, 3], [2, 3]], |x| [&x[0], &x[1]]),
        example!("column_stack", [[2, 3], [2, 3]], |x| [&x[0], &x[1]]),
        example!("hstack", [[3], [3]], |x| [&x[0], &x[1]]),
        example!("vstack", [[3], [3]], |x| [&x[0], &x[1]]),
        example!("dstack", [[3], [3]], |x| [&x[0], &x[1]]),
        example!("column_stack", [[3], [3]], |x| [&x[0], &x[1]]),
        example!("to", [[2, 3]], |x| &x[0], DType::C128),
        example!("to", [[2, 3]], |x| &x[0], dtype = DType::C128),
        example!("to", [[2, 3]], |x| &x[0], &wide()),
        example!("type_as", [[2, 3]], |x| &x[0], &wide()),
        example!("cpu", [[2, 3]], |x| &x[0]),
        example!("gather", [[2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [1, 1, 1]])),
        example!("take", [[2, 3]], |x| &x[0], &places(&[0, 5, -1, 0])),
        example!("index_select", [[2, 3]], |x| &x[0], 1, &places(&[2, 0, 2])),
        example!("embedding", [[4, 3]], |x| &places(&[1, 3, 1]), &x[0]),
        example!("embedding", [[4, 3]], |x| &places(&[1, 3, 1]), &x[0], 0),
        example!("repeat_interleave", [[2, 3]], |x| &x[0], 2),
        example!("repeat_interleave", [[2, 3]], |x| &x[0], 2, 1),
        example!("repeat_interleave", [[2, 3]], |x| &x[0], &places(&[1, 0, 2]), 1),
        example!("masked_select", [[2, 3]], |x| &x[0], &mask()),
        example!("masked_select", [[3]], |x| &x[0], &mask()),
        example!("masked_fill", [[2, 3]], |x| &x[0], &mask(), 2.0),
        example!("masked_fill", [[3], []], |x| &x[0], &mask(), &x[1]),
        example!("index_put", [[2, 3], [2]], |x| &x[0], [&places(&[0, 1]), &places(&[2, 2])], &x[1]),
        example!("index_put", [[2, 3], [2]], |x| &x[0], [&places(&[0, 0]), &places(&[2, 2])], &x[1], accumulate = true),
        example!("index_put", [[2, 3], []], |x| &x[0], [&mask()], &x[1]),
        example!("index", [[2, 3]], |x| &x[0], [&places(&[0, 1, 0])]),
        example!("index", [[2, 3]], |x| &x[0], [&mask()]),
        example!("index_add", [[2, 3], [2, 2]], |x| &x[0], 1, &places(&[0, 0]), &x[1], alpha = 2),
        example!("index_fill", [[2, 3]], |x| &x[0], 1, &places(&[0]), 3.0),
        example!("index_fill", [[2, 3], []], |x| &x[0], 1, &places(&[0]), &x[1]),
        example!("scatter", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 1, 2], [2, 0, 1]]), &x[1]),
        example!("scatter", [[2, 3]], |x| &x[0], 1, &grid(&[[0, 1, 1], [2, 0, 1]]), 2.0),
        example!("scatter_add", [[2, 3], [3, 4]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1]),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "sum", include_self = true),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "mean", include_self = true),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "mean", include_self = false),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "amax", include_self = true),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "amin", include_self = false),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "sum", include_self = false),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "prod", include_self = true),
        example!("scatter_reduce", [[2, 3], [2, 3]], |x| &x[0], 1, &grid(&[[0, 0, 2], [2, 2, 2]]), &x[1], "prod", include_self = false),
        example!("sort", [[2, 3]], |x| &x[0]),
        example!("sort", [[2, 3]], |x| &x[0], stable = true, dim = 0, descending = true),
        example!("topk", [[2, 3]], |x| &x[0], 2),
        example!("tril", [[2, 3]], |x| &x[0]),
        example!("triu", [[2, 3]], |x| &x[0], 1),
        example!("diag", [[2, 3]], |x| &x[0], 1),
        example!("diag", [[3]], |x| &x[0]),
        example!("pad", [[2, 3]], |x| &x[0], [1, 2]),
        example!("pad", [[2, 3]], |x| &x[0], [1, -1, 2, 0], value = 3),
        example!("pad", [[1, 2, 3]], |x| &x[0], [2, 1], mode = "reflect"),
        example!("pad", [[1, 2, 3]], |x| &x[0], [2, 1], mode = "replicate"),
        example!("pad", [[1, 2, 3]], |x| &x[0], [2, 1], mode = "circular"),
        example!("true_divide", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("multiply", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("subtract", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("divide", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("negative", [[2, 3]], |x| &x[0]),
        example!("absolute", [[2, 3]], |x| &x[0]),
        example!("div", [[2, 3], [2, 3]], |x| &x[0], &x[1], rounding_mode = "trunc"),
        example!("round", [[2, 3]], |x| &x[0], decimals = 2),
        example!("gelu", [[2, 3]], |x| &x[0], approximate = "tanh"),
        example!("clip", [[2, 3]], |x| &x[0], 0.3, 0.6),
        example!("clamp", [[2, 3]], |x| &x[0], 0.3),
        example!("clamp", [[2, 3]], |x| &x[0], max = 0.6),
        example!("clamp_min", [[2, 3]], |x| &x[0], 0.4),
        example!("clamp_max", [[2, 3]], |x| &x[0], 0.4),
        example!("max", [[2, 3], [2, 3]], |x| &x[0], &x[1]),
        example!("min", [[2, 3], [2, 3]], |x| &x[0], &x[1]),
        example!("add", [[2, 3], [2, 3]], |x| &x[0], &x[1], alpha = 3),
        example!("rsub", [[2, 3]], |x| &x[0], 2, alpha = 3),
        example!("addcmul", [[2, 3], [2, 3], [3]], |x| &x[0], &x[1], &x[2], value = 0.5),
        example!("pow", [[2, 3]], |x| &x[0], 3),
        example!("pow", [[2, 3]], |x| 2.5, &x[0]),
        example!("pow", [[2, 3]], |x| &x[0], 0),
        example!("mul", [[2, 3]], |x| &x[0], 2),
        example!("div", [[2, 3]], |x| 2, &x[0]),
        example!("lerp", [[2, 3], [2, 3]], |x| &x[0], &x[1], 0.3),
        example!("native_dropout", [[2, 3]], |x| &seeded(&x[0]), 0.4, true),
        example!("dropout", [[2, 3]], |x| &seeded(&x[0]), 0.4, true),
        example!("feature_dropout", [[2, 3, 2]], |x| &seeded(&x[0]), 0.4, true),
        example!("alpha_dropout", [[2, 3]], |x| &seeded(&x[0]), 0.4, true),
        example!("feature_alpha_dropout", [[2, 3, 2]], |x| &seeded(&x[0]), 0.4, true),
        example!("nn.functional.feature_alpha_dropout", [[2, 3, 2]], |x| &seeded(&x[0]), 0.4, training = true),
        example!("dropout1d", [[2, 3, 2]], |x| &seeded(&x[0]), 0.4, true),
        example!("dropout2d", [[2, 3, 2, 1]], |x| &seeded(&x[0]), 0.4, true),
        example!("dropout3d", [[2, 3, 1, 2, 1]], |x| &seeded(&x[0]), 0.4, true),
        ("copy_", vec![sizes(&[2, 3]), sizes(&[3])], |x| changed(&x[0], |r| call("copy_", args![r, &x[1]]))),
        ("fill_", vec![sizes(&[2, 3])], |x| changed(&x[0], |r| call("fill_", args![r, 2.0]))),
        ("fill_diagonal_", vec![sizes(&[6, 2])], |x| changed(&x[0], |r| call("fill_diagonal_", args![r, 2.0, wrap = true]))),
        ("zero_", vec![sizes(&[2, 3])], |x| changed(&x[0], |r| call("zero_", args![r]))),
        ("mul_", vec![sizes(&[2, 3]), sizes(&[3])], |x| changed(&x[0], |r| call("mul_", args![r, &x[1]]))),
        ("exp_", vec![sizes(&[2, 3])], |x| changed(&x[0], |r| call("exp_", args![r]))),
        ("index_put_", vec![sizes(&[2, 3]), sizes(&[2])], |x| {
            changed(&x[0], |r| call("index_put_", args![r, [&places(&[0, 1]), &places(&[2, 2])], &x[1]]))
        }),
        example!("softsign", [[2, 3]], |x| &x[0]),
        example!("softplus", [[2, 3]], |x| &x[0], 2, 1),
        example!("nan_to_num", [[2, 3]], |x| &x[0], nan = 1.0),
    ]
}

fn plain(sizes: &[usize]) -> DynTensor {
    beside(leaf(sizes, DType::F64, Layout::Plain, 0).detach())
}

fn wide() -> DynTensor {
    beside(leaf(&[1], DType::C128, Layout::Plain, 0).detach())
}

fn contiguous(x: &DynTensor) -> Result<DynTensor, Error> {
    call("contiguous", args![x])?.tensor()
}
