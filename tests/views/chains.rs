//! Random chains of views, on the library's tensors and on the naive model: after every step both have the same sizes, strides, offset
//! and elements, or both refuse the step.

use latten::prelude::*;
use latten::{Entry, Span};

use crate::model::Model;

/// A generator of numbers that anybody can repeat: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    fn between(&mut self, low: isize, high: isize) -> isize {
        let count = low.abs_diff(high) + 1;
        low + ((self.next() >> 16) as usize % count).cast_signed()
    }

    fn below(&mut self, count: usize) -> usize {
        self.between(0, count.max(1).cast_signed() - 1).cast_unsigned()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).for_each(|d| order.swap(d, self.below(d + 1)));
        order
    }

    /// A dimension, counted from either end; seldom one that isn't there.
    fn dim(&mut self, rank: usize) -> isize {
        let rank = rank.max(1).cast_signed();
        if self.chance(2) { self.between(-rank - 1, rank) } else { self.between(-rank, rank - 1) }
    }

    /// From 1 to `high`; seldom 0.
    fn positive(&mut self, high: isize) -> isize {
        if self.chance(3) { 0 } else { self.between(1, high) }
    }

    /// Sizes of a product.
    fn factors(&mut self, mut numel: usize) -> Vec<isize> {
        if numel == 0 {
            return [vec![0], vec![2, 0], vec![0, 3], vec![0, 0]][self.below(4)].clone();
        }
        let mut sizes = Vec::new();
        while numel > 1 {
            let divisors: Vec<usize> = (2..=numel).filter(|d| numel.is_multiple_of(*d)).collect();
            let divisor = divisors[self.below(divisors.len())];
            sizes.push(divisor.cast_signed());
            numel /= divisor;
        }
        for _ in 0..self.below(3) {
            sizes.insert(self.below(sizes.len() + 1), 1);
        }
        if self.chance(25) && !sizes.is_empty() {
            let at = self.below(sizes.len());
            sizes[at] = if self.chance(90) { -1 } else { sizes[at] + 1 };
        }
        sizes
    }
}

/// One view, with all that it takes; of several pieces, the one to go on with.
#[derive(Clone, Debug)]
enum Step {
    View(Vec<isize>),
    Reshape(Vec<isize>),
    Flatten(isize, isize),
    Ravel,
    Unflatten(isize, Vec<isize>),
    Squeeze,
    SqueezeDims(Vec<isize>),
    Unsqueeze(isize),
    Expand(Vec<isize>),
    Narrow(isize, isize, isize),
    Select(isize, isize),
    SliceDim(isize, Option<isize>, Option<isize>, isize),
    Unfold(isize, isize, isize),
    Diagonal(isize, isize, isize),
    AsStrided(Vec<usize>, Vec<usize>, usize),
    Transpose(isize, isize),
    Permute(Vec<usize>),
    Movedim(Vec<isize>, Vec<isize>),
    T,
    MT,
    Reverse,
    Split(isize, isize, usize),
    SplitWithSizes(Vec<isize>, isize, usize),
    Chunk(isize, isize, usize),
    TensorSplit(isize, isize, usize),
    Unbind(isize, usize),
    Index(isize, Option<isize>, Option<isize>),
}

impl Step {
    fn random(random: &mut Random, t: &Model) -> Self {
        let rank = t.rank();
        let dim = random.dim(rank);
        // The size along that dimension; of no consequence where there is none.
        let size = t.sizes.get(dim.rem_euclid(rank.max(1).cast_signed()).cast_unsigned()).map_or(1, |size| size.cast_signed());
        let other = random.dim(rank);
        let piece = random.below(3);
        let end = |random: &mut Random| if random.chance(30) { None } else { Some(random.between(-size - 1, size + 1)) };
        match random.below(27) {
            0 => Self::View(random.factors(t.numel())),
            1 => Self::Reshape(random.factors(t.numel())),
            2 => Self::Flatten(dim, other),
            3 => Self::Ravel,
            4 => Self::Unflatten(dim, random.factors(size.cast_unsigned())),
            5 => Self::Squeeze,
            6 => Self::SqueezeDims(vec![dim, other].into_iter().take(1 + random.below(2)).collect()),
            7 => Self::Unsqueeze(random.dim(rank + 1)),
            8 => Self::Expand(expanded(random, t)),
            9 => {
                let start = random.between(-size, size);
                let rest = size - start.rem_euclid(size.max(1));
                Self::Narrow(dim, start, random.positive(rest + 1) - 1)
            }
            10 => Self::Select(dim, random.between(-size, (size - 1).max(0))),
            11 => Self::SliceDim(dim, end(random), end(random), random.positive(3)),
            12 => Self::Unfold(dim, random.between(0, size), random.positive(3)),
            13 => Self::Diagonal(random.between(-2, 2), dim, other),
            14 => {
                let count = random.below(4);
                let numbers = |random: &mut Random, most| (0..count).map(|_| random.below(most)).collect();
                Self::AsStrided(numbers(random, 4), numbers(random, 6), random.below(t.memory.len().min(12)))
            }
            15 => Self::Transpose(dim, other),
            16 => Self::Permute(random.shuffled(rank)),
            17 => {
                let count = random.below(rank + 1);
                let mut dims = || random.shuffled(rank).into_iter().take(count).map(usize::cast_signed).collect();
                Self::Movedim(dims(), dims())
            }
            18 => Self::T,
            19 => Self::MT,
            20 => Self::Reverse,
            21 => Self::Split(random.positive(size.max(1)), dim, piece),
            22 => {
                let first = random.between(0, size);
                Self::SplitWithSizes(vec![first, size - first + random.between(0, 20) / 20], dim, piece)
            }
            23 => Self::Chunk(random.positive(4), dim, piece),
            24 => Self::TensorSplit(random.positive(4), dim, piece),
            25 => Self::Unbind(dim, piece),
            _ => Self::Index(random.between(-size, (size - 1).max(0)), end(random), end(random)),
        }
    }

    /// `None` where the step means nothing.
    fn on_model(&self, t: &Model) -> Option<Model> {
        let nth = |pieces: Option<Vec<Model>>, piece: usize| {
            pieces.map(|all| all.get(piece % all.len().max(1)).cloned().unwrap_or_else(|| t.clone()))
        };
        match self {
            Self::View(shape) => t.view(shape),
            Self::Reshape(shape) => t.reshape(shape),
            Self::Flatten(start, end) => t.flatten(*start, *end),
            Self::Ravel => t.ravel(),
            Self::Unflatten(dim, sizes) => t.unflatten(*dim, sizes),
            Self::Squeeze => t.squeeze(None),
            Self::SqueezeDims(dims) => t.squeeze(Some(dims)),
            Self::Unsqueeze(dim) => t.unsqueeze(*dim),
            Self::Expand(shape) => t.expand(shape),
            Self::Narrow(dim, start, length) => t.narrow(*dim, *start, *length),
            Self::Select(dim, index) => t.select(*dim, *index),
            Self::SliceDim(dim, start, end, step) => t.slice(*dim, *start, *end, *step),
            Self::Unfold(dim, size, step) => t.unfold(*dim, *size, *step),
            Self::Diagonal(offset, dim1, dim2) => t.diagonal(*offset, *dim1, *dim2),
            Self::AsStrided(sizes, strides, offset) => t.as_strided(sizes, strides, *offset),
            Self::Transpose(dim0, dim1) => t.transpose(*dim0, *dim1),
            Self::Permute(order) => Some(t.permute(order)),
            Self::Movedim(source, destination) => t.movedim(source, destination),
            Self::T if t.rank() < 2 => Some(t.clone()),
            Self::T if t.rank() > 2 => None,
            Self::T => t.transpose(0, 1),
            Self::MT if t.rank() == 0 => Some(t.clone()),
            Self::MT if t.rank() == 1 => None,
            Self::MT => t.transpose(-1, -2),
            Self::Reverse => Some(t.permute(&(0..t.rank()).rev().collect::<Vec<_>>())),
            Self::Split(size, dim, piece) => nth(t.split(*size, *dim), *piece),
            Self::SplitWithSizes(sizes, dim, piece) => nth(t.split_with_sizes(sizes, *dim), *piece),
            Self::Chunk(chunks, dim, piece) => nth(t.chunk(*chunks, *dim), *piece),
            Self::TensorSplit(sections, dim, piece) => nth(t.tensor_split(*sections, *dim), *piece),
            Self::Unbind(dim, piece) => nth(t.unbind(*dim), *piece),
            Self::Index(at, start, end) => match t.rank() {
                0 => None,
                1 => t.slice(0, *start, *end, 1)?.unsqueeze(-1),
                _ => t.select(-1, *at)?.slice(0, *start, *end, 1)?.unsqueeze(-1),
            },
        }
    }

    fn on_tensor(&self, t: &DynTensor) -> Result<DynTensor> {
        let nth = |pieces: Vec<DynTensor>, piece: usize| pieces.get(piece % pieces.len().max(1)).map_or_else(|| t.alias(), Tensor::alias);
        match self {
            Self::View(shape) => t.view(shape),
            Self::Reshape(shape) => t.reshape(shape),
            Self::Flatten(start, end) => t.flatten_with(*start, *end),
            Self::Ravel => Ok(t.ravel().erase()),
            Self::Unflatten(dim, sizes) => t.unflatten(*dim, sizes),
            Self::Squeeze => Ok(t.squeeze(..)),
            Self::SqueezeDims(dims) => t.squeeze(dims),
            Self::Unsqueeze(dim) => t.unsqueeze(*dim),
            Self::Expand(shape) => t.expand(shape),
            Self::Narrow(dim, start, length) => t.narrow(*dim, *start, *length),
            Self::Select(dim, index) => t.select(*dim, *index),
            Self::SliceDim(dim, start, end, step) => t.slice_dim(*dim, Span { start: *start, end: *end, step: *step }),
            Self::Unfold(dim, size, step) => t.unfold(*dim, *size, *step),
            Self::Diagonal(offset, dim1, dim2) => t.diagonal_with(*offset, *dim1, *dim2),
            Self::AsStrided(sizes, strides, offset) => t.as_strided_with(sizes, strides, *offset),
            Self::Transpose(dim0, dim1) => t.transpose(*dim0, *dim1),
            Self::Permute(order) => t.permute(order.iter().map(|d| d.cast_signed()).collect::<Vec<_>>()),
            Self::Movedim(source, destination) => t.movedim(source, destination),
            Self::T => t.try_t(),
            Self::MT => t.try_mT(),
            Self::Reverse => Ok(t.T()),
            Self::Split(size, dim, piece) => t.split(*size, *dim).map(|all| nth(all, *piece)),
            Self::SplitWithSizes(sizes, dim, piece) => t.split_with_sizes(sizes, *dim).map(|all| nth(all, *piece)),
            Self::Chunk(chunks, dim, piece) => t.chunk(*chunks, *dim).map(|all| nth(all, *piece)),
            Self::TensorSplit(sections, dim, piece) => t.tensor_split(*sections, *dim).map(|all| nth(all, *piece)),
            Self::Unbind(dim, piece) => t.unbind(*dim).map(|all| nth(all, *piece)),
            Self::Index(at, start, end) => {
                let slice = Entry::Span(Span { start: *start, end: *end, step: 1 });
                let last = if t.dim() == 1 { None } else { Some(Entry::At(*at)) };
                let entries = [Some(slice), Some(Entry::Ellipsis), last, Some(Entry::NewAxis)];
                t.try_i(entries.into_iter().flatten().collect::<Vec<_>>())
            }
        }
    }
}

/// A shape to expand to.
fn expanded(random: &mut Random, t: &Model) -> Vec<isize> {
    let lead: Vec<isize> = (0..random.below(2)).map(|_| random.between(1, 2)).collect();
    let mut own = |&size: &usize| match size {
        _ if random.chance(20) => -1,
        1 => random.positive(3),
        size => size.cast_signed() + random.between(0, 30) / 30,
    };
    let own: Vec<isize> = t.sizes.iter().map(&mut own).collect();
    [lead, own].concat()
}

fn compare(model: &Model, tensor: &DynTensor) -> Result<(), String> {
    if model.sizes != tensor.sizes() {
        return Err(format!("sizes {:?}, expected {:?}", tensor.sizes(), model.sizes));
    }
    if model.strides != tensor.strides() {
        return Err(format!("strides {:?}, expected {:?}", tensor.strides(), model.strides));
    }
    if model.offset != tensor.storage_offset() {
        return Err(format!("offset {}, expected {}", tensor.storage_offset(), model.offset));
    }
    let elements = tensor.typed::<i64, AnyShape>().map(|typed| typed.to_vec()).map_err(|error| error.to_string())?;
    if elements != model.elements() {
        return Err(format!("elements {elements:?}, expected {:?}", model.elements()));
    }
    Ok(())
}

/// One chain; what went wrong, with all steps on the way there.
fn chain(seed: u64) -> Result<usize, String> {
    let mut random = Random(seed.wrapping_mul(0xA076_1D64_78BD_642F));
    let sizes: Vec<usize> = (0..random.below(5)).map(|_| if random.chance(2) { 0 } else { 1 + random.below(4) }).collect();
    let mut model = Model::arange(&sizes);
    let numbers = Tensor::<i64>::from_vec(model.memory.clone(), sizes.as_slice()).map_err(|error| error.to_string())?;
    let mut tensor = numbers.erase();
    let mut steps = Vec::new();
    let mut refused = 0;
    for _ in 0..1 + random.below(6) {
        let step = Step::random(&mut random, &model);
        let story = |steps: &[Step], what: &str| format!("seed {seed}: arange of {sizes:?}, then {steps:?}, then {step:?}: {what}");
        match (step.on_model(&model), step.on_tensor(&tensor)) {
            (Some(expected), Ok(got)) => {
                compare(&expected, &got).map_err(|what| story(&steps, &what))?;
                if expected.numel() > 200 || expected.rank() > 7 {
                    break;
                }
                (model, tensor) = (expected, got);
            }
            (None, Err(_)) => {
                refused += 1;
                compare(&model, &tensor).map_err(|what| story(&steps, &format!("refused, but changed the tensor: {what}")))?;
            }
            (Some(expected), Err(error)) => return Err(story(&steps, &format!("error \"{error}\", expected {expected:?}"))),
            (None, Ok(got)) => return Err(story(&steps, &format!("gave {:?}, expected an error", got.sizes()))),
        }
        steps.push(step);
    }
    Ok(refused)
}

#[test]
fn a_hundred_thousand_chains_of_views_are_those_of_the_model() {
    let mut refused = 0;
    for seed in 0..100_000 {
        match chain(seed) {
            Ok(more) => refused += more,
            Err(story) => panic!("{story}"),
        }
    }
    assert!((2_000..200_000).contains(&refused), "{refused} steps were refused: the generator isn't what it was");
}
