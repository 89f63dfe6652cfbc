//! Distinct elements: `unique`, along a dimension too, and `unique_consecutive`. Every NaN is distinct from every other.

use std::cmp::Ordering;

use latten_spec::DType;

use super::check_data;
use super::gather::select_places;
use super::sort::ordering;
use crate::error::{Error, Result};
use crate::geometry::wrap_existing_dim;
use crate::kernels::block::Reader;
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::reduce::extremes::{CompareIn, Ordered};
use crate::storage::Access;

/// Distinct elements, and what is known of them.
#[derive(Clone, Debug)]
pub struct Unique {
    /// The elements, in order.
    pub values: RawTensor,
    /// For each element of the tensor, its number among the distinct ones.
    pub inverse: RawTensor,
    /// How often each of them is there.
    pub counts: RawTensor,
}

/// Which neighbours of a list are the same.
struct Groups {
    /// The first of each group.
    first: Vec<usize>,
    inverse: Vec<i64>,
    counts: Vec<i64>,
}

impl Groups {
    /// Items in an order, where those that are the same follow each other.
    fn new<I>(order: Vec<I>, same: impl Fn(&I, &I) -> bool, item: impl Fn(&I) -> usize) -> Self {
        let mut groups = Self { first: Vec::new(), inverse: vec![0; order.len()], counts: Vec::new() };
        for (group, some) in (0..).zip(order.chunk_by(same)) {
            groups.first.push(item(&some[0]));
            groups.counts.push(some.len().cast_signed() as i64);
            some.iter().for_each(|one| groups.inverse[item(one)] = group);
        }
        groups
    }

    /// The results, where the items are places along a dimension.
    fn results(self, input: &RawTensor, dim: usize, inverse_sizes: &[usize]) -> Result<Unique> {
        let count = self.counts.len();
        Ok(Unique {
            values: select_places(input, dim, self.first)?,
            inverse: RawTensor::from_vec(self.inverse, inverse_sizes)?.to_device(input.device())?,
            counts: RawTensor::from_vec(self.counts, &[count])?.to_device(input.device())?,
        })
    }
}

fn check(input: &RawTensor, kernel: &str) -> Result<()> {
    check_data(input, "unique")?;
    if input.dtype().is_complex() || !input.dtype().is_computing() {
        return Err(Error::not_implemented(format!("\"{kernel}\" not implemented for '{}'", input.dtype().message_name())));
    }
    Ok(())
}

/// The elements in row-major order as numbers to compare.
fn elements<T: Ordered>(input: &RawTensor) -> Result<Vec<T>> {
    let access = Access::lock(&[], &[input.storage()])?;
    let reader: Reader<'_, T> = super::reader(&access, input)?;
    let mut scratch = vec![T::default(); if reader.is_dense() { 0 } else { input.numel() }];
    if input.numel() == 0 {
        return Ok(scratch);
    }
    let read = reader.read(0, input.numel(), &mut scratch);
    if reader.is_dense() { Ok(read.to_vec()) } else { Ok(scratch) }
}

/// Whether items are put in order before they are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sorting {
    Stable,
    Not,
}

/// Groups of lines of so many elements.
fn groups<T: Ordered>(input: &RawTensor, lines: usize, sorting: Sorting) -> Result<Groups> {
    let elements = elements::<T>(input)?;
    let wide = elements.len().checked_div(lines).unwrap_or(0);
    let line = |index: usize| &elements[index * wide..][..wide];
    let mut order: Vec<usize> = (0..lines).collect();
    match (sorting, wide) {
        (Sorting::Not, _) => {}
        (Sorting::Stable, 1) => {
            let mut pairs: Vec<(T, usize)> = elements.iter().copied().zip(0..).collect();
            pairs.sort_by(|a, b| ordering(a.0, b.0));
            return Ok(Groups::new(pairs, |a, b| a.0 == b.0, |pair| pair.1));
        }
        (Sorting::Stable, _) => order.sort_by(|&a, &b| {
            let pairs = line(a).iter().zip(line(b));
            pairs.map(|(&a, &b)| ordering(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }),
    }
    Ok(Groups::new(order, |&a, &b| line(a).iter().zip(line(b)).all(|(a, b)| a == b), |&line| line))
}

fn grouped(input: &RawTensor, lines: usize, sorting: Sorting) -> Result<Groups> {
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return grouped(&super::on_device::host(input)?, lines, sorting);
    }
    let unsupported = || Error::not_implemented(format!("\"unique\" not implemented for '{}'", input.dtype().message_name()));
    match_dtype!(input.dtype(), T => groups::<<T as CompareIn>::In>(input, lines, sorting), else Err(unsupported()))
}

fn flat(input: &RawTensor, sorting: Sorting) -> Result<Unique> {
    let row = input.contiguous(MemoryFormat::Contiguous)?.reshape(&[-1])?;
    grouped(&row, row.numel(), sorting)?.results(&row, 0, input.sizes())
}

/// PyTorch's `unique`: the distinct elements in ascending order.
///
/// # Errors
/// For complex numbers and meta tensors.
pub fn unique(input: &RawTensor) -> Result<Unique> {
    check(input, "unique")?;
    flat(input, Sorting::Stable)
}

/// PyTorch's `unique_consecutive`: of equal elements that follow each other in row-major order only the first.
///
/// # Errors
/// As [`unique`].
pub fn unique_consecutive(input: &RawTensor) -> Result<Unique> {
    check(input, "unique")?;
    flat(input, Sorting::Not)
}

/// PyTorch's `unique(dim=…)`: the distinct places along a dimension, in the order of their elements.
///
/// # Errors
/// As [`unique`], and where the dimension isn't there.
pub fn unique_dim(input: &RawTensor, dim: isize) -> Result<Unique> {
    let dim = wrap_existing_dim(dim, input.rank())?;
    check(input, "unique_dim")?;
    let size = input.sizes()[dim];
    if input.sizes().iter().enumerate().any(|(d, &size)| d != dim && size == 0) {
        return Err(Error::runtime("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"));
    }
    let lines = input.movedim(&[dim.cast_signed()], &[0])?;
    let unique = grouped(&lines, size, Sorting::Stable)?.results(input, dim, &[size])?;
    debug_assert_eq!(unique.inverse.dtype(), DType::I64);
    Ok(unique)
}
