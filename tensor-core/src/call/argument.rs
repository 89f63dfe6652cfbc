//! The arguments of calls, by kind, and how the functions that compute take them out. What a person writes as an argument is in
//! [`by_name`](crate::by_name): there it gets its kind.

use latten_spec::DType;
use latten_spec::call::Fallback;

use crate::device::Device;
use crate::elementwise::Operand;
use crate::error::{Error, Result};
use crate::indexing::{Accumulate, Extreme, IncludeSelf, Order, ScatterReduce};
use crate::layout::MemoryFormat;
use crate::random::{Generator, Mode, Replacement};
use crate::raw::{RawTensor, Source};
use crate::reduce::{Keep, NansAre};
use crate::scalar::Scalar;
use crate::sparse::RawSparse;
use crate::views::Entry;

/// One argument of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument<'a> {
    /// `None`, or left out.
    None,
    /// A tensor.
    Tensor(&'a RawTensor),
    /// Several tensors.
    Tensors(&'a [&'a RawTensor]),
    /// Several tensors, of which some may be left out.
    Indices(&'a [Option<&'a RawTensor>]),
    /// What a tensor is set to read.
    Source(&'a Source),
    /// A basic index.
    Entries(&'a [Entry]),
    /// A sparse tensor.
    Sparse(&'a RawSparse),
    /// A number.
    Number(Scalar),
    /// A dimension, an index, a size.
    Int(isize),
    /// Several of them.
    Ints(&'a [isize]),
    /// True or false.
    Flag(bool),
    /// A dtype.
    DType(DType),
    /// A device.
    Device(Device),
    /// A memory format.
    Format(MemoryFormat),
    /// A string.
    Text(&'a str),
    /// A source of random numbers.
    Generator(&'a Generator),
}

impl Argument<'_> {
    /// What stands for an argument that was left out.
    fn of(fallback: Fallback) -> Argument<'static> {
        match fallback {
            Fallback::Required | Fallback::None => Argument::None,
            Fallback::Flag(flag) => Argument::Flag(flag),
            Fallback::Int(number) => isize::try_from(number).map_or(Argument::None, Argument::Int),
            Fallback::Real(number) => Argument::Number(Scalar::Float(number)),
            Fallback::Empty => Argument::Ints(&[]),
            Fallback::Text(text) => Argument::Text(text),
        }
    }
}

/// What can be taken out of an argument.
pub(super) trait Take<'a>: Sized {
    /// Itself, where the argument is of that kind.
    fn of(argument: &Argument<'a>) -> Option<Self>;
}

macro_rules! taken {
    ($($type:ty: $($pattern:pat => $value:expr),+;)+) => { $(
        impl<'a> Take<'a> for $type {
            fn of(argument: &Argument<'a>) -> Option<Self> {
                match *argument {
                    $($pattern => Some($value),)+
                    _ => None,
                }
            }
        }
    )+ };
}

taken! {
    &'a RawTensor: Argument::Tensor(tensor) => tensor;
    &'a [&'a RawTensor]: Argument::Tensors(tensors) => tensors;
    &'a [Option<&'a RawTensor>]: Argument::Indices(indices) => indices;
    &'a Source: Argument::Source(source) => source;
    &'a [Entry]: Argument::Entries(entries) => entries;
    &'a RawSparse: Argument::Sparse(tensor) => tensor;
    Operand<'a>: Argument::Tensor(tensor) => Operand::Tensor(tensor), Argument::Number(number) => Operand::Scalar(number);
    Scalar: Argument::Number(number) => number, Argument::Int(number) => Scalar::Int(number as i64), Argument::Flag(flag) => Scalar::Bool(flag);
    f64: Argument::Number(number) => number.real(), Argument::Int(number) => number as f64;
    isize: Argument::Int(number) => number;
    &'a [isize]: Argument::Ints(numbers) => numbers;
    bool: Argument::Flag(flag) => flag;
    Keep: Argument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    Order: Argument::Flag(flag) => if flag { Self::Descending } else { Self::Ascending };
    Extreme: Argument::Flag(flag) => if flag { Self::Largest } else { Self::Smallest };
    Accumulate: Argument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    IncludeSelf: Argument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    NansAre: Argument::Flag(flag) => if flag { Self::Equal } else { Self::Different };
    DType: Argument::DType(dtype) => dtype;
    Device: Argument::Device(device) => device;
    MemoryFormat: Argument::Format(format) => format;
    &'a str: Argument::Text(text) => text;
    &'a Generator: Argument::Generator(generator) => generator;
    Replacement: Argument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    Mode: Argument::Flag(flag) => if flag { Self::Training } else { Self::Evaluating };
}

impl<'a, T: Take<'a>> Take<'a> for Option<T> {
    fn of(argument: &Argument<'a>) -> Option<Self> {
        match argument {
            Argument::None => Some(None),
            given => T::of(given).map(Some),
        }
    }
}

/// The argument at a place, or what stands for it. Every row takes arguments: inlined there, this would be in the code hundreds of times.
#[inline(never)]
pub(super) fn take<'a, T: Take<'a>>(arguments: &[Argument<'a>], at: usize, fallback: Fallback) -> Result<T> {
    let found = match arguments.get(at) {
        None | Some(Argument::None) => T::of(&Argument::of(fallback)),
        Some(given) => T::of(given),
    };
    found.ok_or_else(|| wrong(arguments, at))
}

#[cold]
fn wrong(arguments: &[Argument<'_>], at: usize) -> Error {
    Error::type_error(format!("argument {at} of a call can't be {:?}", arguments.get(at).unwrap_or(&Argument::None)))
}

/// Refuses an argument that a form of a call has no use for.
pub(super) fn unused(arguments: &[Argument<'_>], at: usize, call: &str, name: &str) -> Result<()> {
    match arguments.get(at) {
        None | Some(Argument::None) => Ok(()),
        Some(_) => Err(Error::not_implemented(format!("{call}: the argument '{name}' isn't there in this form"))),
    }
}

macro_rules! arguments {
    ($($variant:ident($type:ty) = $value:expr;)+) => { $(
        impl<'a> From<$type> for Argument<'a> {
            fn from(value: $type) -> Self {
                let convert: fn($type) -> Argument<'a> = $value;
                convert(value)
            }
        }
    )+ };
}

arguments! {
    Tensor(&'a RawTensor) = Argument::Tensor;
    Tensors(&'a [&'a RawTensor]) = Argument::Tensors;
    Indices(&'a [Option<&'a RawTensor>]) = Argument::Indices;
    Source(&'a Source) = Argument::Source;
    Entries(&'a [Entry]) = Argument::Entries;
    Sparse(&'a RawSparse) = Argument::Sparse;
    Number(Scalar) = Argument::Number;
    Int(isize) = Argument::Int;
    Ints(&'a [isize]) = Argument::Ints;
    Flag(bool) = Argument::Flag;
    Flag(Keep) = |keep| Argument::Flag(keep == Keep::Yes);
    Flag(Order) = |order| Argument::Flag(order == Order::Descending);
    Flag(Extreme) = |end| Argument::Flag(end == Extreme::Largest);
    Flag(Accumulate) = |accumulate| Argument::Flag(accumulate == Accumulate::Yes);
    Flag(IncludeSelf) = |own| Argument::Flag(own == IncludeSelf::Yes);
    Flag(NansAre) = |nans| Argument::Flag(nans == NansAre::Equal);
    DType(DType) = Argument::DType;
    Device(Device) = Argument::Device;
    Format(MemoryFormat) = Argument::Format;
    Text(&'a str) = Argument::Text;
    Text(ScatterReduce) = |combine| Argument::Text(combine.name());
    Generator(&'a Generator) = Argument::Generator;
    Flag(Replacement) = |replacement| Argument::Flag(replacement == Replacement::Yes);
    Flag(Mode) = |mode| Argument::Flag(mode == Mode::Training);
    Operand(Operand<'a>) = |operand| match operand {
        Operand::Tensor(tensor) => Argument::Tensor(tensor),
        Operand::Scalar(number) => Argument::Number(number),
    };
}

impl<'a, T: Into<Self>> From<Option<T>> for Argument<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Argument::None, Into::into)
    }
}
