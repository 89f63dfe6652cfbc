//! How the gradient of a call comes about: what its row says of it, what is kept of the call, and what a derivative function is given.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::argument::CallArgument;
use super::cast;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::program::Program;
use crate::random::Generator;
use crate::raw::history::Extent;
use crate::raw::node::{Edge, Gradients, GraphNode, Held, NodeBack, NodeTensor, NodeWork, OwnGradient, There};
use crate::raw::{RawTensor, Source};
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::sparse::RawSparse;
use crate::views::Entry;

/// What a row says of the gradients of its operation.
#[allow(dead_code, reason = "rows of calls say it as they get their derivatives")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gradient {
    /// Its results never require one.
    None,
    /// The row comes back to `run` as a row of another table, which says it.
    Elsewhere,
    /// Its parts have gradients: they are recorded one by one. The last of them is printed by the name that PyTorch has for all, if there is one.
    Parts(NodeName),
    /// PyTorch has none, or this library not yet: the text, and when it is said.
    Missing(Missing, &'static str),
    /// It has one.
    Back(Back),
}

impl Gradient {
    /// Whether what the row calls counts a change of a tensor.
    pub(super) fn counts_itself(&self) -> bool {
        matches!(self, Self::Elsewhere | Self::Parts(_))
    }
}

/// The name of the node of a call with these arguments, as it is printed: `MulBackward0`.
pub(crate) type NodeName = fn(&[CallArgument<'_>]) -> &'static str;

/// When it is said that an operation has no gradient.
#[allow(dead_code, reason = "rows of calls say it as they get their derivatives")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// When it is called.
    Called,
    /// When it is called: not that it is missing, but that it can't be.
    Refused,
    /// When a gradient reaches it.
    Reached,
}

/// How gradients go back through an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Back {
    pub(crate) name: NodeName,
    /// The arguments that gradients go to, one bit for each place; the last one stands for all further ones.
    pub(crate) takes: u32,
    /// What is kept whoever wants a gradient.
    pub(crate) keeps: Names,
    /// What else the gradient of an argument needs, by the argument's place.
    pub(crate) each: &'static [Names],
    pub(crate) derivation: Derivation,
}

/// Where gradients come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Derivation {
    /// From a function: the gradients of all tensors among the arguments, in their order; those of lists one after the other.
    Function(fn(&Backward<'_>) -> Result<Gradients>),
    /// From the formulas of an elementwise operation's row.
    Formulas(Op),
}

/// Arguments and results, one bit for each place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) arguments: u32,
    pub(crate) results: u32,
}

impl Names {
    /// Whether an argument is among them. The last bit stands for all places from its own on.
    pub(crate) fn has_argument(self, place: usize) -> bool {
        self.arguments & (1 << place.min(31)) != 0
    }

    /// Whether a result is among them.
    pub(crate) fn has_result(self, output: usize) -> bool {
        output < 32 && self.results & (1 << output) != 0
    }

    /// What is in one or the other.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { arguments: self.arguments | other.arguments, results: self.results | other.results }
    }
}

/// What a derivative function is given.
#[allow(dead_code, reason = "rows of calls say it as they get their derivatives")]
pub(crate) struct Backward<'a> {
    /// All arguments of the call; in place, the changed tensor is the first. Tensors that weren't kept are on the meta device: they have sizes,
    /// strides and a dtype.
    pub(crate) arguments: &'a [CallArgument<'a>],
    /// What a reduction went along.
    pub(crate) along: &'a Along,
    /// An expression.
    pub(crate) program: Option<&'a Program>,
    /// What the expression gives, where that was only reduced.
    pub(crate) unmade: Option<&'a Unmade>,
    /// The results; those that weren't kept are on the meta device, too.
    pub(crate) results: &'a [&'a RawTensor],
    /// The gradients of the results. There is one for each call with one result; of several, some may have none.
    pub(crate) gradients: &'a [Option<RawTensor>],
    /// For each tensor among the arguments, in their order, whether its gradient is wanted.
    pub(crate) wanted: &'a [bool],
}

impl Backward<'_> {
    /// The gradient of the only result.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn gradient(&self) -> Result<&RawTensor> {
        self.gradients.first().and_then(Option::as_ref).ok_or_else(|| Error::runtime("a gradient is missing"))
    }

    /// Whether the gradient of the tensor at that place among the tensors is wanted.
    pub(crate) fn wants(&self, place: usize) -> bool {
        self.wanted.get(place).copied().unwrap_or(false)
    }
}

/// A tensor that is kept, or what it was like.
#[derive(Clone)]
pub(super) enum Remembered {
    Saved(NodeTensor),
    Like(Extent),
}

impl Remembered {
    fn unpack(&self, own: OwnGradient<'_>) -> Result<There<'_>> {
        match self {
            Self::Saved(saved) => saved.unpack(own),
            Self::Like(extent) => extent.outline().map(There::Again),
        }
    }

    fn let_go(&mut self) -> Option<Edge> {
        match self {
            Self::Saved(saved) => saved.let_go(),
            Self::Like(_) => None,
        }
    }
}

/// An argument of a call, kept for the way back.
#[derive(Clone)]
pub(super) enum KeptArgument {
    None,
    Tensor(Remembered),
    Tensors(Vec<Remembered>),
    Indices(Vec<Option<Remembered>>),
    Sparse(Box<RawSparse>),
    Number(Scalar),
    Int(isize),
    Ints(Vec<isize>),
    IntLists(Vec<Vec<isize>>),
    Reals(Vec<f64>),
    Flag(bool),
    DType(DType),
    Device(Device),
    Format(MemoryFormat),
    Text(String),
    Generator(Generator),
    Source(Source),
    Entries(Vec<Entry>),
}

impl KeptArgument {
    /// An argument, whose tensors `keep` keeps.
    pub(super) fn of(argument: &CallArgument<'_>, mut keep: impl FnMut(&RawTensor) -> Result<Remembered>) -> Result<Self> {
        Ok(match *argument {
            CallArgument::None => Self::None,
            CallArgument::Tensor(tensor) => Self::Tensor(keep(tensor)?),
            CallArgument::Tensors(tensors) => Self::Tensors(tensors.iter().map(|tensor| keep(tensor)).collect::<Result<_>>()?),
            CallArgument::Indices(tensors) => {
                Self::Indices(tensors.iter().map(|tensor| tensor.map(&mut keep).transpose()).collect::<Result<_>>()?)
            }
            CallArgument::Sparse(tensor) => Self::Sparse(Box::new(tensor.clone())),
            CallArgument::Number(number) => Self::Number(number),
            CallArgument::Int(number) => Self::Int(number),
            CallArgument::Ints(numbers) => Self::Ints(numbers.to_vec()),
            CallArgument::IntLists(lists) => Self::IntLists(lists.to_vec()),
            CallArgument::Reals(numbers) => Self::Reals(numbers.to_vec()),
            CallArgument::Flag(flag) => Self::Flag(flag),
            CallArgument::DType(dtype) => Self::DType(dtype),
            CallArgument::Device(device) => Self::Device(device),
            CallArgument::Format(format) => Self::Format(format),
            CallArgument::Text(text) => Self::Text(text.to_owned()),
            CallArgument::Generator(generator) => Self::Generator(generator.clone()),
            CallArgument::Source(source) => Self::Source(source.clone()),
            CallArgument::Entries(entries) => Self::Entries(entries.to_vec()),
        })
    }

    /// Gives away all edges of its tensors.
    fn let_go(&mut self, to: &mut dyn FnMut(Edge)) {
        match self {
            Self::Tensor(tensor) => tensor.let_go().into_iter().for_each(to),
            Self::Tensors(tensors) => tensors.iter_mut().filter_map(Remembered::let_go).for_each(to),
            Self::Indices(tensors) => tensors.iter_mut().flatten().filter_map(Remembered::let_go).for_each(to),
            Self::Sparse(tensor) => tensor.take_history().map(Edge::Leaf).into_iter().for_each(to),
            // others: they hold no tensors that lead on.
            _ => {}
        }
    }
}

/// An argument whose tensors are there again.
enum Unpacked<'a> {
    Tensor(There<'a>),
    Tensors(Vec<There<'a>>),
    Indices(Vec<Option<There<'a>>>),
    Other(CallArgument<'a>),
}

impl Unpacked<'_> {
    fn of<'a>(held: &'a KeptArgument, own: OwnGradient<'_>) -> Result<Unpacked<'a>> {
        Ok(match held {
            KeptArgument::Tensor(kept) => Unpacked::Tensor(kept.unpack(own)?),
            KeptArgument::Tensors(all) => Unpacked::Tensors(all.iter().map(|kept| kept.unpack(own)).collect::<Result<_>>()?),
            KeptArgument::Indices(all) => {
                Unpacked::Indices(all.iter().map(|kept| kept.as_ref().map(|kept| kept.unpack(own)).transpose()).collect::<Result<_>>()?)
            }
            KeptArgument::None => Unpacked::Other(CallArgument::None),
            KeptArgument::Sparse(tensor) => Unpacked::Other(CallArgument::Sparse(tensor)),
            KeptArgument::Number(number) => Unpacked::Other(CallArgument::Number(*number)),
            KeptArgument::Int(number) => Unpacked::Other(CallArgument::Int(*number)),
            KeptArgument::Ints(numbers) => Unpacked::Other(CallArgument::Ints(numbers)),
            KeptArgument::IntLists(lists) => Unpacked::Other(CallArgument::IntLists(lists)),
            KeptArgument::Reals(numbers) => Unpacked::Other(CallArgument::Reals(numbers)),
            KeptArgument::Flag(flag) => Unpacked::Other(CallArgument::Flag(*flag)),
            KeptArgument::DType(dtype) => Unpacked::Other(CallArgument::DType(*dtype)),
            KeptArgument::Device(device) => Unpacked::Other(CallArgument::Device(*device)),
            KeptArgument::Format(format) => Unpacked::Other(CallArgument::Format(*format)),
            KeptArgument::Text(text) => Unpacked::Other(CallArgument::Text(text)),
            KeptArgument::Generator(generator) => Unpacked::Other(CallArgument::Generator(generator)),
            KeptArgument::Source(source) => Unpacked::Other(CallArgument::Source(source)),
            KeptArgument::Entries(entries) => Unpacked::Other(CallArgument::Entries(entries)),
        })
    }

    /// Its tensors, where it is a list.
    fn lists(&self) -> Option<Lists<'_>> {
        match self {
            Self::Tensors(tensors) => Some((tensors.iter().map(|tensor| &**tensor).collect(), Vec::new())),
            Self::Indices(tensors) => Some((Vec::new(), tensors.iter().map(Option::as_deref).collect())),
            Self::Tensor(_) | Self::Other(_) => None,
        }
    }
}

/// The tensors of an argument that is a list, of either kind.
type Lists<'a> = (Vec<&'a RawTensor>, Vec<Option<&'a RawTensor>>);

/// A call of a row, as its node keeps it. What is rare is boxed: the fewer bytes, the sooner they are moved, and allocators are slow with more
/// than a kilobyte.
pub(super) struct Recorded {
    pub(super) function: fn(&Backward<'_>) -> Result<Gradients>,
    /// The arguments, and after them the results that are kept.
    pub(super) held: Held<SmallVec<[KeptArgument; 2]>>,
    /// How many of these are arguments.
    pub(super) arguments: usize,
    /// What is kept of arguments and results.
    pub(super) needed: Names,
    pub(super) rare: Option<Box<Rare>>,
}

/// What few calls have.
#[derive(Default)]
pub(super) struct Rare {
    pub(super) along: Along,
    pub(super) program: Option<Program>,
    pub(super) unmade: Option<Unmade>,
}

impl Recorded {
    /// The results: those that are kept, and what the others were like.
    fn results<'a>(&self, held: &'a [KeptArgument], node: &GraphNode, own: OwnGradient<'_>) -> Result<SmallVec<[There<'a>; 1]>> {
        let mut kept = held[self.arguments..].iter();
        let mut results = SmallVec::new();
        for (output, extent) in node.outputs.iter().enumerate() {
            let held = if self.needed.has_result(output) { kept.next() } else { None };
            results.push(match held {
                Some(KeptArgument::Tensor(kept)) => kept.unpack(own)?,
                _ => There::Again(extent.outline()?),
            });
        }
        Ok(results)
    }

    /// The gradients, from what is kept.
    fn gradients(&self, way: &NodeBack<'_>, held: &[KeptArgument]) -> Result<Gradients> {
        let mut unpacked: SmallVec<[Unpacked<'_>; 2]> = SmallVec::new();
        for held in &held[..self.arguments] {
            unpacked.push(Unpacked::of(held, way.own)?);
        }
        let results = self.results(held, way.node, way.own)?;
        let mut seen: SmallVec<[&RawTensor; 8]> = SmallVec::new();
        results.iter().for_each(|result| seen.push(result));
        let lists: Vec<Lists<'_>> = unpacked.iter().filter_map(Unpacked::lists).collect();
        let mut list = lists.iter();
        let mut arguments: SmallVec<[CallArgument<'_>; 4]> = SmallVec::new();
        for one in &unpacked {
            arguments.push(match one {
                Unpacked::Tensor(tensor) => CallArgument::Tensor(tensor),
                Unpacked::Tensors(_) => CallArgument::Tensors(list.next().map_or(&[], |(tensors, _)| tensors)),
                Unpacked::Indices(_) => CallArgument::Indices(list.next().map_or(&[], |(_, indices)| indices)),
                Unpacked::Other(argument) => *argument,
            });
        }
        let plain;
        let rare = match &self.rare {
            Some(rare) => rare,
            None => {
                plain = Rare::default();
                &plain
            }
        };
        (self.function)(&Backward {
            arguments: &arguments,
            along: &rare.along,
            program: rare.program.as_ref(),
            unmade: rare.unmade.as_ref(),
            results: &seen,
            gradients: way.gradients,
            wanted: way.wanted,
        })
    }
}

impl NodeWork for Recorded {
    fn back(&self, way: &NodeBack<'_>, given: &mut Gradients) -> Result<()> {
        *given = self.held.lend(way.keep, |held| self.gradients(way, held))?;
        Ok(())
    }

    fn let_go(&mut self, to: &mut dyn FnMut(Edge)) {
        self.held.get_mut().into_iter().flatten().for_each(|held| held.let_go(to));
    }
}

const _: () = assert!(size_of::<GraphNode<Recorded>>() < 1_000, "more than allocators are fast with");

/// The work of a node of an operation that PyTorch has no derivative of.
pub(super) struct NoWork(pub(super) &'static str);

impl NodeWork for NoWork {
    fn back(&self, _: &NodeBack<'_>, _: &mut Gradients) -> Result<()> {
        Err(Error::not_implemented(self.0))
    }

    fn let_go(&mut self, _: &mut dyn FnMut(Edge)) {}
}

/// What is known of a value of an expression that was reduced as it was computed, and never made.
#[derive(Clone, Debug)]
pub(crate) struct Unmade {
    pub(super) reduction: Back,
    pub(super) extent: Extent,
}

impl Unmade {
    /// The name of the node.
    pub(super) fn node(&self, dims: Option<&[isize]>) -> &'static str {
        let arguments: Vec<CallArgument<'_>> = [CallArgument::None].into_iter().chain(dims.map(CallArgument::Ints)).collect();
        (self.reduction.name)(&arguments)
    }

    /// The gradient of the value, from that of what it was reduced to.
    pub(super) fn gradient(&self, backward: &Backward<'_>) -> Result<RawTensor> {
        let value = self.extent.outline()?;
        let arguments = [CallArgument::Tensor(&value)];
        let Derivation::Function(function) = self.reduction.derivation else {
            return Err(Error::runtime("a reduction without a gradient"));
        };
        let found = function(&Backward { arguments: &arguments, program: None, unmade: None, wanted: &[true], ..*backward })?;
        let missing = || Error::runtime("a reduction gives no gradient");
        cast(&found.into_iter().next().flatten().ok_or_else(missing)?, self.extent.dtype)
    }
}
