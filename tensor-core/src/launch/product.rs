//! Matrix products of tensors of a CUDA device: by cuBLAS for floats where it is installed, else by latten's own kernels, which have all
//! dtypes and take any strides.

use latten_kernel::kernels::products::ProductKernel;
use latten_spec::DType;

use super::walk::{Dimensions, GivenBytes, MOST, THREADS, address, blocks, check_count};
use crate::cuda::Context;
use crate::cuda::blas::{self, DeviceFactor, Gemm};
use crate::cuda::library::{Key, kernel};
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{Access, LockMode};

/// Elements of a sum that a block adds before there is another part, and results that keep a device busy without parts.
const PART: usize = 16 * 1024;
const MANY: usize = 1 << 10;
/// Rows or columns below which a tile would be mostly empty, and results for which one isn't worth it.
const THIN: usize = 4;
const FEW: usize = 16;

/// What products of a dtype are summed in, and given in where the caller goes on computing.
pub(crate) fn product_dtype(dtype: DType) -> DType {
    ProductKernel::number(dtype)
}

/// Writes the products of [.., m, k] and [.., k, n], whose batches are equal and which aren't empty, into a tensor of the factors' dtype or of
/// [`product_dtype`]. All was checked.
///
/// # Errors
/// Where the device refuses.
pub(crate) fn product(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    if !out.is_contiguous(MemoryFormat::Contiguous) {
        let dense = RawTensor::empty(out.sizes(), &contiguous_strides(out.sizes()), out.dtype(), out.device())?;
        product(left, right, &dense)?;
        return out.copy_(&dense);
    }
    let shape = ProductShape::new(left, right)?;
    if !shape.is_dots() && by_cublas(left, right, out)? {
        return Ok(());
    }
    if shape.batches.fits() {
        return by_kernel(left, right, out, &shape);
    }
    let (left, right) = (left.clone_as(MemoryFormat::Contiguous)?, right.clone_as(MemoryFormat::Contiguous)?);
    by_kernel(&left, &right, out, &ProductShape::new(&left, &right)?)
}

/// What is multiplied.
struct ProductShape {
    batches: Dimensions<2>,
    batch: usize,
    m: usize,
    k: usize,
    n: usize,
    /// Strides along the rows and the steps of the left factors, and along the steps and the columns of the right ones.
    left: [usize; 2],
    right: [usize; 2],
}

impl ProductShape {
    fn new(left: &RawTensor, right: &RawTensor) -> Result<Self> {
        let rank = left.rank();
        let strides = left.strides().iter().zip(right.strides()).map(|(&left, &right)| [left, right]);
        let batches = Dimensions::new(left.sizes().iter().copied().zip(strides).take(rank - 2).collect::<Vec<_>>().into_iter());
        let last = |dims: &[usize]| [dims[rank - 2], dims[rank - 1]];
        let ([m, k], n) = (last(left.sizes()), right.sizes()[rank - 1]);
        let batch = batches.sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
        for count in [Some(m), Some(k), Some(n), batch] {
            check_count("a product", count)?;
        }
        let (left, right) = (last(left.strides()), last(right.strides()));
        Ok(Self { batches, batch: batch.unwrap_or(0), m, k, n, left, right })
    }

    /// Whether a block sums each result: vectors whose elements lie side by side, and few results.
    fn is_dots(&self) -> bool {
        let inside = |step: usize, line: usize, lines: usize| lines == 1 || step <= line;
        let side_by_side = inside(self.left[1], self.left[0], self.m) && inside(self.right[0], self.right[1], self.n);
        let thin = self.m.min(self.n) <= THIN && side_by_side;
        (thin || self.m.saturating_mul(self.n) <= FEW) && self.outputs().is_some()
    }

    /// How many results there are, where 32-bit numbers count them.
    fn outputs(&self) -> Option<usize> {
        let all = self.batch.checked_mul(self.m).and_then(|rows| rows.checked_mul(self.n));
        all.filter(|&all| all <= MOST)
    }
}

fn by_kernel(left: &RawTensor, right: &RawTensor, out: &RawTensor, shape: &ProductShape) -> Result<()> {
    let (dtype, number) = (left.dtype(), ProductKernel::number(left.dtype()));
    let Some(outputs) = shape.outputs().filter(|_| shape.is_dots()) else {
        let tiles = shape.m.div_ceil(64).checked_mul(shape.n.div_ceil(64)).and_then(|tiles| tiles.checked_mul(shape.batch));
        check_count("a product", tiles)?;
        return launch(ProductKernel::new(dtype, out.dtype()), (left, right, out), shape, Schedule::Tiles(tiles.unwrap_or(0)));
    };
    let parts = if outputs < MANY { shape.k.div_ceil(PART) } else { 1 };
    if parts == 1 {
        return launch(ProductKernel::new(dtype, out.dtype()), (left, right, out), shape, Schedule::Dots { outputs, parts });
    }
    // Parts of sums, and then the sums of these.
    let sums = RawTensor::empty(&[outputs, parts], &[parts, 1], number, out.device())?;
    launch(ProductKernel::new(dtype, number), (left, right, &sums), shape, Schedule::Dots { outputs, parts })?;
    super::fold::sum_rows(&sums, out)
}

enum Schedule {
    Tiles(usize),
    Dots { outputs: usize, parts: usize },
}

fn launch(
    product: ProductKernel,
    (left, right, out): (&RawTensor, &RawTensor, &RawTensor),
    shape: &ProductShape,
    walk: Schedule,
) -> Result<()> {
    let context = Context::of(out.device())?;
    let kernel = kernel(context, &Key::Product(product))?;
    let access = Access::lock(&[out.storage()], &[left.storage(), right.storage()])?;
    let queue = context.queue();
    let to = address(&access, out, LockMode::Write, &queue)?;
    let from = [address(&access, left, LockMode::Read, &queue)?, address(&access, right, LockMode::Read, &queue)?];
    let (number, tasks, parts) = match walk {
        Schedule::Tiles(tiles) => (0, tiles, 1),
        Schedule::Dots { outputs, parts } => (1, outputs * parts, parts),
    };
    let mut given = GivenBytes::default();
    let chunk = shape.k.div_ceil(parts);
    given.counts(&[shape.batch, shape.m, shape.n, shape.k, parts, chunk, shape.batches.sizes.len()]);
    given.addresses(&[to, from[0], from[1]]);
    given.steps(&[shape.left[0], shape.left[1], shape.right[0], shape.right[1]]);
    given.strides(&shape.batches.strides[0]);
    given.strides(&shape.batches.strides[1]);
    given.axes(shape.batches.sizes.iter().copied());
    queue.launch(kernel.numbered(number), blocks(tasks), THREADS as u32, &mut given.0)
}

/// A factor as cuBLAS takes it: lines side by side, in rows or in columns; `None` where it lies otherwise.
fn factor(sizes: [usize; 2], strides: [usize; 2]) -> Option<(bool, usize)> {
    let [rows, columns] = sizes;
    let rows_inside = strides[1] == 1 || columns == 1;
    let columns_inside = strides[0] == 1 || rows == 1;
    match (rows_inside, columns_inside) {
        (true, _) if rows == 1 || strides[0] >= columns.max(1) => Some((false, if rows == 1 { columns } else { strides[0] })),
        (_, true) if columns == 1 || strides[1] >= rows.max(1) => Some((true, if columns == 1 { rows } else { strides[1] })),
        _ => None,
    }
}

/// A factor with rows or columns side by side; copied where they aren't.
fn in_lines(tensor: &RawTensor) -> Result<RawTensor> {
    let last = |dims: &[usize]| [dims[tensor.rank() - 2], dims[tensor.rank() - 1]];
    match factor(last(tensor.sizes()), last(tensor.strides())) {
        Some(_) => Ok(tensor.clone()),
        None => tensor.clone_as(MemoryFormat::Contiguous),
    }
}

/// The product by cuBLAS; false where it isn't there, or doesn't have the dtype.
fn by_cublas(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<bool> {
    let dtype = left.dtype();
    let context = Context::of(out.device())?;
    if !blas::computes(dtype, out.dtype()) || !blas::is_there(context) {
        return Ok(false);
    }
    let (left, right) = (in_lines(left)?, in_lines(right)?);
    let shape = ProductShape::new(&left, &right)?;
    let (m, k, n, out_dtype) = (shape.m, shape.k, shape.n, out.dtype());
    let (Some(lefts), Some(rights)) = (factor([m, k], shape.left), factor([k, n], shape.right)) else { return Ok(false) };
    let access = Access::lock(&[out.storage()], &[left.storage(), right.storage()])?;
    let queue = context.queue();
    let to = address(&access, out, LockMode::Write, &queue)?;
    let from = [address(&access, &left, LockMode::Read, &queue)?, address(&access, &right, LockMode::Read, &queue)?];
    // A call does a batch with one stride: there is one for each place along the outer dimensions.
    let (inner, outer) = shape.batches.sizes.split_first().map_or((1, &[][..]), |(&inner, outer)| (inner, outer));
    let stride = |side: usize, dim: usize| shape.batches.strides[side].get(dim).copied().unwrap_or(0);
    for call in 0..outer.iter().product::<usize>() {
        let (mut rest, mut offsets) = (call, [0, 0]);
        for (dim, size) in outer.iter().enumerate() {
            offsets = [0, 1].map(|side| offsets[side] + rest % size * stride(side, dim + 1));
            rest /= size;
        }
        let side = |side: usize, (turned, leading): (bool, usize)| {
            let address = from[side] + (offsets[side] * dtype.itemsize()) as u64;
            DeviceFactor { address, turned, leading, stride: stride(side, 0) }
        };
        let out = to + (call * inner * m * n * out_dtype.itemsize()) as u64;
        let gemm = Gemm { m, k, n, batch: inner, left: side(0, lefts), right: side(1, rights), out, dtypes: [dtype, out_dtype] };
        if !blas::multiply(context, &queue, &gemm)? {
            return Ok(false);
        }
    }
    Ok(true)
}
