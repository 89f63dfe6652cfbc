//! Distinct elements: `unique`, along a dimension too, and `unique_consecutive`. Every NaN is distinct from every other.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::gather::select_places;
use super::mask::masked_select;
use super::order::Order;
use super::order::{Keyed, sorted_places};
use super::sort::{ordering, sort};
use super::{check_data, usize_of};
use crate::element::unsupported;
use crate::elementwise::{Params, RawOperand, apply_out};
use crate::error::{Error, Result};
use crate::geometry::wrap_existing_dim;
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::reduce::extremes::{CompareIn, Ordered};
use crate::room::{filled, listed, room};
use crate::storage::Access;

/// Distinct elements, and what is known of them.
#[derive(Clone, Debug)]
pub struct RawUnique {
    /// The elements, in order.
    pub values: RawTensor,
    /// For each element of the tensor, its number among the distinct ones.
    pub inverse: RawTensor,
    /// How often each of them is there.
    pub counts: RawTensor,
}

/// Which lines are the same.
struct Groups {
    /// The first of each group.
    first: Vec<i64>,
    inverse: Vec<i64>,
    counts: Vec<i64>,
}

impl Groups {
    /// That many lines, by their numbers in an order where those that are the same follow each other.
    fn new(lines: usize, order: impl Iterator<Item = usize>, same: impl Fn(usize, usize) -> bool) -> Result<Self> {
        let mut groups = Self { first: room(lines)?, inverse: filled(lines, 0)?, counts: room(lines)? };
        let (mut last, mut group, mut count) = (None, -1_i64, 0_i64);
        for line in order {
            if last.is_none_or(|last| !same(last, line)) {
                groups.counts.extend(last.map(|_| count));
                groups.first.push(line.cast_signed() as i64);
                (group, count) = (group + 1, 0);
            }
            (groups.inverse[line], last) = (group, Some(line));
            count += 1;
        }
        groups.counts.extend(last.map(|_| count));
        Ok(groups)
    }

    /// The results, where the lines are places along a dimension.
    fn results(self, input: &RawTensor, dim: usize, inverse_sizes: &[usize]) -> Result<RawUnique> {
        let count = self.counts.len();
        Ok(RawUnique {
            values: select_places(input, dim, self.first)?,
            inverse: RawTensor::from_vec(self.inverse, inverse_sizes)?.to_device(input.device())?,
            counts: RawTensor::from_vec(self.counts, &[count])?.to_device(input.device())?,
        })
    }
}

fn check(input: &RawTensor, kernel: &str) -> Result<()> {
    check_data(input, "unique")?;
    if input.dtype().is_complex() || !input.dtype().is_computing() {
        return Err(unsupported(kernel, input.dtype()));
    }
    Ok(())
}

/// The elements in row-major order as numbers to compare.
fn elements<T: Ordered>(input: &RawTensor) -> Result<Vec<T>> {
    let mut elements = filled(input.numel(), T::default())?;
    if input.numel() > 0 {
        let access = Access::lock(&[], &[input.storage()])?;
        super::reader(&access, input)?.copy(0, &mut elements);
    }
    Ok(elements)
}

/// Whether items are put in order before they are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sorting {
    Stable,
    Not,
}

/// Groups of lines of that many elements.
fn groups<T: Keyed>(input: &RawTensor, lines: usize, sorting: Sorting) -> Result<Groups> {
    let elements = elements::<T>(input)?;
    let wide = elements.len().checked_div(lines).unwrap_or(0);
    let line = |index: usize| &elements[index * wide..][..wide];
    let same = |a: usize, b: usize| line(a).iter().zip(line(b)).all(|(a, b)| a == b);
    match (sorting, wide) {
        (Sorting::Not, _) => Groups::new(lines, 0..lines, same),
        (Sorting::Stable, 1) => {
            let mut places = filled(lines, 0)?;
            sorted_places(&elements, Order::Ascending, &mut places)?;
            Groups::new(lines, places.into_iter().map(usize_of), |a, b| elements[a] == elements[b])
        }
        (Sorting::Stable, _) => {
            let mut order = listed(0..lines)?;
            order.sort_unstable_by(|&a, &b| {
                let pairs = line(a).iter().zip(line(b));
                pairs.map(|(&a, &b)| ordering(a, b)).find(|order| order.is_ne()).unwrap_or_else(|| a.cmp(&b))
            });
            Groups::new(lines, order.into_iter(), same)
        }
    }
}

fn grouped(input: &RawTensor, lines: usize, sorting: Sorting) -> Result<Groups> {
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return grouped(&super::on_device::host(input)?, lines, sorting);
    }
    let unsupported = || unsupported("unique", input.dtype());
    match_dtype!(input.dtype(), T => groups::<<T as CompareIn>::In>(input, lines, sorting), else Err(unsupported()))
}

fn flat(input: &RawTensor, sorting: Sorting) -> Result<RawUnique> {
    let row = row_of(input)?;
    grouped(&row, row.numel(), sorting)?.results(&row, 0, input.sizes())
}

/// All elements in one dimension.
fn row_of(input: &RawTensor) -> Result<RawTensor> {
    input.contiguous(MemoryFormat::Contiguous)?.reshape(&[-1])
}

/// The elements of a row that aren't as the one before them.
fn first_of_equals(row: &RawTensor) -> Result<RawTensor> {
    let others = row.numel().saturating_sub(1).cast_signed();
    let first = RawTensor::empty(row.sizes(), &[1], DType::Bool, row.device())?;
    first.narrow(0, 0, row.numel().min(1).cast_signed())?.fill_(true)?;
    let behind = |tensor: &RawTensor| tensor.narrow(0, row.numel().cast_signed() - others, others);
    let neighbours = [behind(row)?, row.narrow(0, 0, others)?];
    apply_out(Op::Ne, &neighbours.each_ref().map(RawOperand::Tensor), &mut behind(&first)?, &Params::none())?;
    masked_select(row, &first, Target::New)
}

/// The values alone of [`unique`], which take less than half of its time.
///
/// # Errors
/// As [`unique`].
pub fn unique_values(input: &RawTensor) -> Result<RawTensor> {
    check(input, "unique")?;
    first_of_equals(&sort(&row_of(input)?, 0, Order::Ascending, [Target::New; 2])?.0)
}

/// The values alone of [`unique_consecutive`].
///
/// # Errors
/// As [`unique`].
pub fn unique_consecutive_values(input: &RawTensor) -> Result<RawTensor> {
    check(input, "unique")?;
    first_of_equals(&row_of(input)?)
}

/// PyTorch's `unique`: the distinct elements in ascending order.
///
/// # Errors
/// For complex numbers and meta tensors.
pub fn unique(input: &RawTensor) -> Result<RawUnique> {
    check(input, "unique")?;
    flat(input, Sorting::Stable)
}

/// PyTorch's `unique_consecutive`: of equal elements that follow each other in row-major order only the first.
///
/// # Errors
/// As [`unique`].
pub fn unique_consecutive(input: &RawTensor) -> Result<RawUnique> {
    check(input, "unique")?;
    flat(input, Sorting::Not)
}

/// PyTorch's `unique(dim=…)`: the distinct places along a dimension, in the order of their elements.
///
/// # Errors
/// As [`unique`], and where the dimension isn't there.
pub fn unique_dim(input: &RawTensor, dim: isize) -> Result<RawUnique> {
    along(input, dim, Sorting::Stable)
}

/// PyTorch's `unique_consecutive(dim=…)`: of equal places that follow each other along a dimension only the first.
///
/// # Errors
/// As [`unique_dim`].
pub fn unique_consecutive_dim(input: &RawTensor, dim: isize) -> Result<RawUnique> {
    along(input, dim, Sorting::Not)
}

fn along(input: &RawTensor, dim: isize, sorting: Sorting) -> Result<RawUnique> {
    let dim = wrap_existing_dim(dim, input.rank())?;
    check(input, "unique_dim")?;
    let size = input.sizes()[dim];
    if input.sizes().iter().enumerate().any(|(d, &size)| d != dim && size == 0) {
        return Err(Error::runtime("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"));
    }
    let lines = input.movedim(&[dim.cast_signed()], &[0])?;
    let unique = grouped(&lines, size, sorting)?.results(input, dim, &[size])?;
    debug_assert_eq!(unique.inverse.dtype(), DType::I64);
    Ok(unique)
}
