//! Reductions of tensors of a CUDA device: which kernel a reduction of the table is, which dimensions it walks over for each output, and how
//! a large one is cut. That follows from the shape alone, and so does the order in which elements are folded.

use latten_kernel::kernels::folds::{FoldKernel, TableFold};
use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::arguments::NUMBER;
use super::loops::number;
use super::rows;
use super::walk::{Dimensions, GivenBytes, MOST, THREADS, WARPS, address, blocks, check_count, written};
use crate::cuda::library::{Key, kernel};
use crate::cuda::{Context, FUNCTIONS};
use crate::error::{Error, Result};
use crate::geometry::{Dims, Geometry};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, LockMode, UntypedStorage};

/// Elements that a block folds at least before there is another part, and the parts that there are at most; and those that a thread folds.
const TOGETHER: usize = 64 * THREADS;
const PARTS: usize = 4096;
const EACH: usize = 256;
/// Elements that a warp folds, and the outputs from which on it does, as the kernels know.
const SHORT: usize = 1024;
const MANY_SHORT: usize = 1024;
/// Outputs that keep a device busy without parts.
const MANY: usize = 1 << 15;
/// What a thread folds alone in any case.
const FEW: usize = 32;

/// A reduction over some dimensions, into a tensor of the sizes that are left.
///
/// # Errors
/// For what isn't a reduction to one tensor, and where the device refuses.
pub(crate) fn fold(
    op: Reduction,
    input: &RawTensor,
    reduced: &[bool],
    (through, result): (DType, DType),
    parameter: Option<f64>,
    to: &RawTensor,
) -> Result<()> {
    if op == Reduction::Median {
        return to.copy_(&rows::medians(input, reduced, result, to.sizes())?);
    }
    let is_single = input.sizes().iter().zip(reduced).all(|(&size, &reduced)| size == 1 || !reduced);
    let fold = TableFold::of(op, parameter, is_single, false)
        .ok_or_else(|| Error::type_error(format!("{} isn't a reduction to one tensor", op.row().name)))?;
    let parameter = op.row().parameter(parameter);
    FoldCall { fold, parameter, input, reduced, through, result }.run((to, None))
}

/// One element along a dimension, and its place.
///
/// # Errors
/// Where the device refuses.
pub(crate) fn pick(op: Reduction, input: &RawTensor, reduced: &[bool], [values, places]: [&RawTensor; 2]) -> Result<()> {
    let dtype = input.dtype();
    let Some(fold) = TableFold::of(op, None, false, true) else {
        return rows::median(input, reduced.iter().position(|&reduced| reduced).unwrap_or(0), [values, places]);
    };
    FoldCall { fold, parameter: 0.0, input, reduced, through: dtype, result: dtype }.run((values, Some(places)))
}

/// One call of a reduction.
struct FoldCall<'a> {
    fold: TableFold,
    parameter: f64,
    input: &'a RawTensor,
    reduced: &'a [bool],
    through: DType,
    result: DType,
}

impl FoldCall<'_> {
    /// Writes the results, and their places where there are any.
    fn run(&self, to: (&RawTensor, Option<&RawTensor>)) -> Result<()> {
        written(to, self.result, self.input, |values, places| self.write(values, places))
    }

    fn write(&self, output: &RawTensor, places: Option<&RawTensor>) -> Result<()> {
        let (input, device) = (self.input, self.input.device());
        if output.numel() == 0 {
            return Ok(());
        }
        let shape = FoldShape::new(input, self.reduced)?;
        let ordered = if shape.fits() { input.clone() } else { in_order(input, self.reduced)? };
        let shape = if shape.fits() { shape } else { FoldShape::whole(shape.outputs, shape.count, RowCut::ByCount) };
        let parts = shape.parts();
        check_count("a reduction", shape.outputs.checked_mul(parts))?;
        let kernel = FoldKernel::whole(self.fold, input.dtype(), self.through, self.result);
        let given = self.given(shape.count)?;
        let results = (output, places);
        if parts == 1 {
            return launch(kernel, &ordered, results, &shape, &given);
        }
        let [first, last] = kernel.cut();
        let bytes = shape.outputs * parts * kernel.known_bytes(&FUNCTIONS);
        let known = RawTensor::over(UntypedStorage::new(bytes, device)?, DType::U8, Geometry::contiguous(&[bytes]))?;
        launch(first, &ordered, (&known, None), &shape, &given)?;
        launch(last, &known, results, &FoldShape::whole(shape.outputs, parts, RowCut::Never), &given)
    }

    /// What the kernel is given beside elements: how many each result has, and the parameter of the row.
    #[expect(clippy::cast_precision_loss, reason = "as in any mean")]
    fn given(&self, count: usize) -> Result<[[u8; NUMBER]; 2]> {
        let number_in = self.fold.row().number(self.through);
        let last = self.fold.last(number_in).to_real();
        Ok([number(Scalar::Float(count as f64), last, last)?, number(Scalar::Float(self.parameter), last, last)?])
    }
}

/// A copy of the elements, output after output.
fn in_order(input: &RawTensor, reduced: &[bool]) -> Result<RawTensor> {
    let order: Dims = [false, true].iter().flat_map(|wanted| (0..input.rank()).filter(move |&dim| reduced[dim] == *wanted)).collect();
    let pick = |dims: &[usize]| -> Dims { order.iter().map(|&dim| dims[dim]).collect() };
    let geometry = Geometry { sizes: pick(input.sizes()), strides: pick(input.strides()), offset: input.storage_offset() };
    input.with_geometry(geometry).clone_as(MemoryFormat::Contiguous)
}

/// Whether rows of many elements are cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowCut {
    ByCount,
    Never,
}

/// Which elements belong to which output.
struct FoldShape {
    outputs: usize,
    count: usize,
    kept: Dimensions<1>,
    gone: Dimensions<1>,
    /// Whether a block folds an output, or a thread.
    together: bool,
    chunk: usize,
}

impl FoldShape {
    fn new(input: &RawTensor, reduced: &[bool]) -> Result<Self> {
        let dims = |wanted: bool| {
            let dims = input.sizes().iter().copied().zip(input.strides().iter().map(|&stride| [stride])).zip(reduced);
            dims.filter(move |(_, reduced)| **reduced == wanted).map(|(dim, _)| dim)
        };
        let product = |wanted: bool| dims(wanted).try_fold(1_usize, |product, (size, _)| product.checked_mul(size));
        let (outputs, count) = (product(false), product(true));
        check_count("a reduction", outputs)?;
        check_count("a reduction", count)?;
        let (kept, gone) = (Dimensions::new(dims(false)), Dimensions::new(dims(true)));
        Ok(Self::of(outputs.unwrap_or(0), count.unwrap_or(0), kept, gone))
    }

    fn of(outputs: usize, count: usize, kept: Dimensions<1>, gone: Dimensions<1>) -> Self {
        let side_by_side = gone.strides[0].first().is_none_or(|&stride| stride == 1);
        let together = side_by_side && count > FEW;
        let chunk = match (together, outputs < MANY) {
            (true, true) => count.div_ceil(PARTS).next_multiple_of(THREADS).max(TOGETHER),
            (false, true) => EACH,
            (_, false) => count.max(1),
        };
        Self { outputs, count, kept, gone, together, chunk }
    }

    /// Rows of that many elements.
    fn whole(outputs: usize, count: usize, cut: RowCut) -> Self {
        let kept = Dimensions::new([(outputs, [count])].into_iter());
        let gone = Dimensions::new([(count, [1])].into_iter());
        let shape = Self::of(outputs, count, kept, gone);
        if cut == RowCut::Never { Self { chunk: count.max(1), ..shape } } else { shape }
    }

    fn fits(&self) -> bool {
        self.kept.fits() && self.gone.fits()
    }

    fn parts(&self) -> usize {
        self.count.div_ceil(self.chunk).max(1)
    }
}

fn launch(
    folding: FoldKernel,
    input: &RawTensor,
    (output, places): (&RawTensor, Option<&RawTensor>),
    shape: &FoldShape,
    numbers: &[[u8; NUMBER]; 2],
) -> Result<()> {
    let context = Context::of(output.device())?;
    let kernel = kernel(context, &Key::Fold(folding))?;
    let written = [output, places.unwrap_or(output)];
    let access = Access::lock(&written.map(RawTensor::storage), &[input.storage()])?;
    let queue = context.queue();
    let out = address(&access, output, LockMode::Write, &queue)?;
    let places = places.map_or(Ok(0), |places| address(&access, places, LockMode::Write, &queue))?;
    let from = address(&access, input, LockMode::Read, &queue)?;
    let parts = shape.parts();
    let mut given = GivenBytes::default();
    let ranks = [shape.kept.sizes.len(), shape.gone.sizes.len()];
    given.counts(&[shape.outputs, shape.count, parts, shape.chunk.min(MOST), ranks[0], ranks[1]]);
    given.addresses(&[out, places, from]);
    given.strides(&shape.kept.strides[0]);
    given.strides(&shape.gone.strides[0]);
    given.axes(shape.kept.sizes.iter().copied());
    given.axes(shape.gone.sizes.iter().copied());
    given.0.resize(given.0.len().next_multiple_of(NUMBER), 0);
    given.0.extend_from_slice(numbers.as_flattened());
    let groups = shape.outputs * parts;
    // As the kernel says: a block for each, eight in a block, or as many as it has threads.
    let in_warps = shape.count <= SHORT && shape.outputs >= MANY_SHORT;
    let tasks = groups.div_ceil(if !shape.together {
        THREADS
    } else if in_warps {
        WARPS
    } else {
        1
    });
    queue.launch(kernel.numbered(shape.together.into()), blocks(tasks), THREADS as u32, &mut given.0)
}

/// The sums of dense rows, into as many results.
///
/// # Errors
/// Where the device refuses.
pub(super) fn sum_rows(rows: &RawTensor, out: &RawTensor) -> Result<()> {
    let shape = FoldShape::whole(rows.sizes()[0], rows.sizes()[1], RowCut::Never);
    let dtype = rows.dtype();
    // Integers are added as they are: sums of theirs keep the low bits.
    let sum = TableFold::of(Reduction::Sum, None, false, false).ok_or_else(|| Error::runtime("a sum is a fold"))?;
    launch(FoldKernel::whole(sum, dtype, dtype, out.dtype()), rows, (out, None), &shape, &[[0; NUMBER]; 2])
}
