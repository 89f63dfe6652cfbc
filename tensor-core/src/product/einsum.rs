//! PyTorch's `einsum`: sums of products whose indices are written as letters. Repeated letters take diagonals, letters that the output
//! lacks are summed over, and the ellipsis stands for dimensions that broadcast.
//!
//! Every operand becomes a view with the same dimensions in the same order, and then two at a time are lowered to `bmm`.

use latten_spec::equation::{Equation, Subscript, refuse};
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

use super::bmm;
use crate::elementwise::{Params, Target, apply};
use crate::error::{Error, Result};
use crate::geometry::{Dims, Geometry};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep, reduce};

/// The dimensions that all operands get: first the output's, then those that are summed over.
struct Labels {
    /// For each letter its dimension.
    letters: Vec<(u8, usize)>,
    /// Where the dimensions of the ellipsis begin, and how many there are.
    ellipsis: (usize, usize),
    /// How many dimensions the output has.
    output: usize,
    total: usize,
}

impl Labels {
    fn find(&self, letter: u8) -> Option<usize> {
        self.letters.iter().find(|(other, _)| *other == letter).map(|&(_, dim)| dim)
    }
}

/// Checks the operands against their subscripts, and says how many dimensions the ellipsis stands for.
fn ellipsis_rank(equation: &Equation, operands: &[&RawTensor]) -> Result<usize> {
    let mut most = 0;
    for (number, (list, operand)) in equation.operands.iter().zip(operands).enumerate() {
        let letters = list.iter().filter(|s| **s != Subscript::Ellipsis).count();
        let (rank, has_ellipsis) = (operand.rank(), letters < list.len());
        let counts = |relation: &str| {
            format!(
                "the number of subscripts in the equation ({letters}) {relation} the number of dimensions ({rank}) for operand {number}"
            )
        };
        if has_ellipsis && letters > rank {
            return refuse(counts("is more than"));
        }
        if !has_ellipsis && letters != rank {
            return refuse(format!("{} and no ellipsis was given", counts("does not match")));
        }
        if has_ellipsis {
            most = most.max(rank - letters);
        }
    }
    Ok(most)
}

fn labels(equation: &Equation, ellipsis: usize) -> Result<Labels> {
    let mut labels = Labels { letters: Vec::new(), ellipsis: (usize::MAX, ellipsis), output: 0, total: 0 };
    for subscript in equation.output()? {
        match subscript {
            Subscript::Ellipsis => {
                labels.ellipsis.0 = labels.output;
                labels.output += ellipsis;
            }
            Subscript::Letter(letter) => {
                labels.letters.push((letter, labels.output));
                labels.output += 1;
            }
        }
    }
    labels.total = labels.output;
    if labels.ellipsis.0 == usize::MAX {
        labels.ellipsis.0 = labels.total;
        labels.total += ellipsis;
    }
    for &(letter, _) in &equation.letters {
        if labels.find(letter).is_none() {
            labels.letters.push((letter, labels.total));
            labels.total += 1;
        }
    }
    Ok(labels)
}

/// An operand as a view with all dimensions, of size 1 where it has none of that label.
fn aligned(operand: &RawTensor, list: &[Subscript], number: usize, labels: &Labels) -> Result<RawTensor> {
    let mut geometry =
        Geometry { sizes: Dims::from_elem(1, labels.total), strides: Dims::from_elem(0, labels.total), offset: operand.storage_offset() };
    let mut seen: SmallVec<[u8; 8]> = SmallVec::new();
    let mut dim = 0;
    for subscript in list {
        match *subscript {
            Subscript::Ellipsis => {
                let own = operand.rank() + 1 - list.len();
                let (start, count) = labels.ellipsis;
                for index in 0..own {
                    let to = start + count - own + index;
                    (geometry.sizes[to], geometry.strides[to]) = (operand.sizes()[dim], operand.strides()[dim]);
                    dim += 1;
                }
            }
            Subscript::Letter(letter) => {
                let (size, stride) = (operand.sizes()[dim], operand.strides()[dim]);
                dim += 1;
                let Some(to) = labels.find(letter) else { continue };
                if !seen.contains(&letter) {
                    seen.push(letter);
                    (geometry.sizes[to], geometry.strides[to]) = (size, stride);
                } else if geometry.sizes[to] == size {
                    geometry.strides[to] += stride;
                } else {
                    let (letter, first) = (char::from(letter), geometry.sizes[to]);
                    return refuse(format!(
                        "subscript {letter} is repeated for operand {number} but the sizes don't match, {size} != {first}"
                    ));
                }
            }
        }
    }
    Ok(operand.with_geometry(geometry))
}

/// That sizes of one label broadcast.
fn check_sizes(operands: &[RawTensor], labels: &Labels) -> Result<()> {
    for dim in 0..labels.total {
        let mut seen = 1;
        for (number, operand) in operands.iter().enumerate() {
            let size = operand.sizes()[dim];
            if size != 1 && seen != 1 && size != seen {
                if let Some(&(letter, _)) = labels.letters.iter().find(|&&(_, own)| own == dim) {
                    let letter = char::from(letter);
                    return refuse(format!(
                        "subscript {letter} has size {size} for operand {number} which does not broadcast with previously seen size {seen}"
                    ));
                }
                let within = dim - labels.ellipsis.0;
                return refuse(format!(
                    "dimension {within} covered by ellipsis in operand {number} has size {size} which does not broadcast with previously \
                     seen ellipsis with size {seen} for the respective dimension"
                ));
            }
            if size != 1 {
                seen = size;
            }
        }
    }
    Ok(())
}

/// PyTorch's `einsum`.
///
/// # Errors
/// Where the equation isn't one, doesn't fit the operands, or the dtypes of factors differ.
pub fn einsum(equation: &str, operands: &[&RawTensor]) -> Result<RawTensor> {
    if operands.is_empty() {
        return Err(Error::value(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list",
        ));
    }
    let equation = Equation::parse(equation)?;
    equation.check_count(operands.len())?;
    let labels = labels(&equation, ellipsis_rank(&equation, operands)?)?;
    let lists = equation.operands.iter().zip(operands).enumerate();
    let views: Vec<RawTensor> = lists.map(|(number, (list, operand))| aligned(operand, list, number, &labels)).collect::<Result<_>>()?;
    check_sizes(&views, &labels)?;
    let mut views = views.into_iter();
    let Some(first) = views.next() else { return refuse("no operand") };
    let rest: Vec<RawTensor> = views.collect();
    // What only the first operand has is summed now, where others follow.
    let mut result = sum_alone(&first, labels.output..labels.total, &rest)?;
    for (at, next) in rest.iter().enumerate() {
        result = pair(&result, next, labels.output, &rest[at + 1..])?;
    }
    let mut geometry = result.geometry().clone();
    geometry.sizes.truncate(labels.output);
    geometry.strides.truncate(labels.output);
    Ok(result.with_geometry(geometry))
}

/// Sums over the dimensions of a range that none of the others has.
fn sum_alone(tensor: &RawTensor, dims: std::ops::Range<usize>, others: &[RawTensor]) -> Result<RawTensor> {
    // Without others even a dimension of size 1 is summed: small integers become i64.
    let sums = |dim: usize| tensor.sizes()[dim] != 1 || others.is_empty();
    let alone = |dim: &usize| sums(*dim) && others.iter().all(|other| other.sizes()[*dim] == 1);
    let dims: SmallVec<[isize; 6]> = dims.filter(alone).map(usize::cast_signed).collect();
    if dims.is_empty() {
        return Ok(tensor.clone());
    }
    reduce(Reduction::Sum, tensor, &Along::dims(&dims).keep(Keep::Yes))
}

/// The product of two, summed over the dimensions that no later operand has.
fn pair(left: &RawTensor, right: &RawTensor, output: usize, later: &[RawTensor]) -> Result<RawTensor> {
    let total = left.rank();
    let summed = |dim: usize| dim >= output && later.iter().all(|other| other.sizes()[dim] == 1);
    let alone = |tensor: &RawTensor, other: &RawTensor| {
        let mut others = later.to_vec();
        others.push(other.clone());
        sum_alone(tensor, output..total, &others)
    };
    let (left, right) = (alone(left, right)?, alone(right, left)?);
    let (mut batch, mut rows, mut columns, mut steps) = (Dims::new(), Dims::new(), Dims::new(), Dims::new());
    for dim in 0..total {
        match (left.sizes()[dim], right.sizes()[dim]) {
            (1, 1) => {}
            (_, 1) => rows.push(dim),
            (1, _) => columns.push(dim),
            _ if summed(dim) => steps.push(dim),
            _ => batch.push(dim),
        }
    }
    if steps.is_empty() {
        return apply(Op::Mul, &[(&left).into(), (&right).into()], &Params::none());
    }
    let as_left = grouped(&left, [&batch, &rows, &steps])?;
    let as_right = grouped(&right, [&batch, &steps, &columns])?;
    let product = bmm(&as_left, &as_right, Target::New)?;
    Ok(spread(&product, [&batch, &rows, &columns], [&left, &right]))
}

/// Groups of dimensions as one each, copied where memory doesn't have them so.
fn grouped(tensor: &RawTensor, groups: [&Dims; 3]) -> Result<RawTensor> {
    let pick = |dims: &[usize]| -> Dims { groups.iter().flat_map(|group| group.iter()).map(|&dim| dims[dim]).collect() };
    let geometry = Geometry { sizes: pick(tensor.sizes()), strides: pick(tensor.strides()), offset: tensor.storage_offset() };
    let ordered = tensor.with_geometry(geometry);
    let shape = groups.map(|group| group.iter().map(|&dim| tensor.sizes()[dim]).product::<usize>());
    let signed = shape.map(usize::cast_signed);
    if let Ok(view) = ordered.geometry().view(&signed) {
        return Ok(ordered.with_geometry(view));
    }
    let dense = ordered.contiguous(MemoryFormat::Contiguous)?;
    Ok(dense.with_geometry(Geometry { offset: dense.storage_offset(), ..Geometry::contiguous(&shape) }))
}

/// A product of groups as a tensor with all dimensions again.
fn spread(product: &RawTensor, groups: [&Dims; 3], operands: [&RawTensor; 2]) -> RawTensor {
    let total = operands[0].rank();
    let mut geometry = Geometry { sizes: Dims::from_elem(1, total), strides: Dims::from_elem(0, total), offset: product.storage_offset() };
    let mut stride = 1;
    for &dim in groups.iter().rev().flat_map(|group| group.iter().rev()) {
        let [left, right] = operands.map(|operand| operand.sizes()[dim]);
        let size = if left == 1 { right } else { left };
        (geometry.sizes[dim], geometry.strides[dim]) = (size, stride);
        stride *= size;
    }
    product.with_geometry(geometry)
}
