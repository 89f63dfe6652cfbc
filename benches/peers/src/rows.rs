//! The rows of the table: one workload each, as every side writes it.

macro_rules! rows {
    ($($name:literal $target:expr, $bytes:expr $(, within $within:expr)?;
       $setup:literal $statement:literal $(=> $answer:literal)?; $latten:expr; $($side:ident $peer:expr;)*)*) => {
        vec![$({
            #[allow(unused_mut, reason = "rows without peers")]
            let mut row = Row {
                name: $name, target: $target, bytes: $bytes, within: 1e-5, setup: $setup, statement: $statement, answer: "",
                latten: || $latten, ndarray: None, candle: None,
            };
            $(row.within = $within;)?
            $(row.answer = $answer;)?
            $(row.$side = Some(|| $peer);)*
            row
        }),*]
    };
}

mod elementwise;
mod everyday;
mod order;
mod places;
mod programs;
mod spectra;
mod sums;

use candle_core::{Device, Tensor};
use ndarray::parallel::prelude::IntoParallelIterator as _;
use ndarray::{Array1, Array2, ArrayView1, Axis};

use crate::sizes::{numbers, side};
use crate::work::{Numbers, Work, work};

/// A workload.
pub struct Row {
    /// What the table calls it.
    pub name: &'static str,
    /// How many times PyTorch's speed it should have.
    pub target: Option<f64>,
    /// The bytes that it reads and writes at least, where memory is the limit.
    pub bytes: Option<usize>,
    /// By what share of the largest number the answers of the sides may differ.
    pub within: f64,
    /// Python, before.
    pub setup: &'static str,
    /// Python, timed.
    pub statement: &'static str,
    /// Python, after it: its answer, where the statement isn't that.
    pub answer: &'static str,
    /// latten's side.
    pub latten: fn() -> Work,
    /// ndarray's, where it has the operation.
    pub ndarray: Option<fn() -> Work>,
    /// candle's, where it has the operation.
    pub candle: Option<fn() -> Work>,
}

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    let groups = [
        elementwise::additions,
        elementwise::shapes,
        elementwise::functions,
        elementwise::conversions,
        elementwise::choices,
        sums::reductions,
        sums::products,
        places::moved,
        places::joined,
        places::chosen,
        places::put,
        order::sorted,
        order::scanned,
        everyday::steps,
        spectra::transformed,
        programs::fusions,
        programs::gradients,
        programs::draws,
    ];
    groups.into_iter().flat_map(|group| group()).collect()
}

fn array(operand: usize, count: usize) -> Array1<f32> {
    numbers(operand, count).collect()
}

fn arrays<const N: usize, R: Numbers + 'static>(once: impl Fn(&[Array1<f32>; N]) -> R + 'static, count: usize) -> Work {
    let arrays = std::array::from_fn(|operand| array(operand, count));
    work(move || once(&arrays))
}

fn squares<R: Numbers + 'static>(once: impl Fn(&Array2<f32>, &Array2<f32>) -> R + 'static) -> Work {
    let [a, b] = [0, 1].map(|operand| array(operand, side() * side()).into_shape_with_order([side(), side()]).expect("as many elements"));
    work(move || once(&a, &b))
}

/// A share for each thread.
fn in_parts(array: &Array1<f32>) -> impl rayon::iter::ParallelIterator<Item = ArrayView1<'_, f32>> {
    array.axis_chunks_iter(Axis(0), array.len().div_ceil(rayon::current_num_threads())).into_par_iter()
}

fn candle(operand: usize, sizes: &[usize]) -> Tensor {
    Tensor::from_vec(numbers(operand, sizes.iter().product()).collect(), sizes, &Device::Cpu).expect("a tensor")
}

fn candles<const N: usize>(sizes: [&[usize]; N], once: impl Fn(&[Tensor; N]) -> candle_core::Result<Tensor> + 'static) -> Work {
    let tensors = std::array::from_fn(|operand| candle(operand, sizes[operand]));
    work(move || once(&tensors).expect("a result"))
}
