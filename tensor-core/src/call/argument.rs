//! The arguments of calls, by kind, and how the functions that compute take them out. What a person writes as an argument is in
//! [`by_name`](crate::by_name): there it gets its kind.

use latten_spec::DType;
use latten_spec::schema::Fallback;

use crate::device::Device;
use crate::elementwise::RawOperand;
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
pub(crate) enum CallArgument<'a> {
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
    /// Several lists of them.
    IntLists(&'a [Vec<isize>]),
    /// Several real numbers.
    Reals(&'a [f64]),
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

/// In a list of integers, one that is left out.
pub(crate) const UNSAID: isize = isize::MIN;

impl CallArgument<'_> {
    /// What stands for an argument that was left out.
    fn of(fallback: &Fallback) -> CallArgument<'static> {
        match *fallback {
            Fallback::Required | Fallback::None => CallArgument::None,
            Fallback::Flag(flag) => CallArgument::Flag(flag),
            Fallback::Int(number) => isize::try_from(number).map_or(CallArgument::None, CallArgument::Int),
            Fallback::Real(number) => CallArgument::Number(Scalar::Float(number)),
            Fallback::Empty => CallArgument::Ints(&[]),
            Fallback::Text(text) => CallArgument::Text(text),
        }
    }
}

/// Whether gradients may concern any of the arguments: a tensor that has a history, or may have one.
#[inline]
pub(super) fn concern(arguments: &[CallArgument<'_>]) -> bool {
    any(arguments, RawTensor::is_concerned)
}

/// Whether something is true of any tensor among the arguments.
#[inline]
pub(super) fn any(arguments: &[CallArgument<'_>], is: impl Fn(&RawTensor) -> bool) -> bool {
    for argument in arguments {
        let found = match argument {
            CallArgument::Tensor(tensor) => is(tensor),
            CallArgument::Tensors(tensors) => tensors.iter().any(|tensor| is(tensor)),
            CallArgument::Indices(tensors) => tensors.iter().flatten().any(|tensor| is(tensor)),
            CallArgument::Sparse(tensor) => is(tensor.raw_values()),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// What can be taken out of an argument.
pub(super) trait Take<'a>: Sized {
    /// Itself, where the argument is of that kind.
    fn of(argument: &CallArgument<'a>) -> Option<Self>;
}

macro_rules! taken {
    ($($type:ty: $($pattern:pat => $value:expr),+;)+) => { $(
        impl<'a> Take<'a> for $type {
            fn of(argument: &CallArgument<'a>) -> Option<Self> {
                match *argument {
                    $($pattern => Some($value),)+
                    _ => None,
                }
            }
        }
    )+ };
}

taken! {
    &'a RawTensor: CallArgument::Tensor(tensor) => tensor;
    &'a [&'a RawTensor]: CallArgument::Tensors(tensors) => tensors;
    &'a [Option<&'a RawTensor>]: CallArgument::Indices(indices) => indices;
    &'a Source: CallArgument::Source(source) => source;
    &'a [Entry]: CallArgument::Entries(entries) => entries;
    &'a RawSparse: CallArgument::Sparse(tensor) => tensor;
    RawOperand<'a>: CallArgument::Tensor(tensor) => RawOperand::Tensor(tensor), CallArgument::Number(number) => RawOperand::Scalar(number);
    Scalar: CallArgument::Number(number) => number, CallArgument::Int(number) => Scalar::Int(number as i64), CallArgument::Flag(flag) => Scalar::Bool(flag);
    f64: CallArgument::Number(number) => number.to_f64(), CallArgument::Int(number) => number as f64;
    isize: CallArgument::Int(number) => number;
    // The defaults of lists for which one number will do.
    &'a [isize]: CallArgument::Ints(numbers) => numbers, CallArgument::Int(0) => &[0], CallArgument::Int(1) => &[1];
    &'a [Vec<isize>]: CallArgument::IntLists(lists) => lists;
    &'a [f64]: CallArgument::Reals(numbers) => numbers;
    bool: CallArgument::Flag(flag) => flag;
    Keep: CallArgument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    Order: CallArgument::Flag(flag) => if flag { Self::Descending } else { Self::Ascending };
    Extreme: CallArgument::Flag(flag) => if flag { Self::Largest } else { Self::Smallest };
    Accumulate: CallArgument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    IncludeSelf: CallArgument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    NansAre: CallArgument::Flag(flag) => if flag { Self::Equal } else { Self::Different };
    DType: CallArgument::DType(dtype) => dtype;
    Device: CallArgument::Device(device) => device;
    MemoryFormat: CallArgument::Format(format) => format;
    &'a str: CallArgument::Text(text) => text;
    &'a Generator: CallArgument::Generator(generator) => generator;
    Replacement: CallArgument::Flag(flag) => if flag { Self::Yes } else { Self::No };
    Mode: CallArgument::Flag(flag) => if flag { Self::Training } else { Self::Evaluating };
}

impl<'a, T: Take<'a>> Take<'a> for Option<T> {
    fn of(argument: &CallArgument<'a>) -> Option<Self> {
        match argument {
            CallArgument::None => Some(None),
            given => T::of(given).map(Some),
        }
    }
}

/// The argument at a place, or what stands for it. Its kind is that of its row: names' arguments were bound to it, and what calls a row's
/// function passes what it takes. Every row takes arguments: inlined there, or with a way out, this would be most of a row's code.
#[inline(never)]
pub(super) fn take<'a, T: Take<'a>>(arguments: &[CallArgument<'a>], at: usize, fallback: &Fallback) -> T {
    let found = match arguments.get(at) {
        None | Some(CallArgument::None) => T::of(&CallArgument::of(fallback)),
        Some(given) => T::of(given),
    };
    found.unwrap_or_else(|| wrong(arguments, at))
}

#[cold]
fn wrong(arguments: &[CallArgument<'_>], at: usize) -> ! {
    unreachable!("argument {at} of a call can't be {:?}", arguments.get(at).unwrap_or(&CallArgument::None))
}

macro_rules! arguments {
    ($($variant:ident($type:ty) = $value:expr;)+) => { $(
        impl<'a> From<$type> for CallArgument<'a> {
            fn from(value: $type) -> Self {
                let convert: fn($type) -> CallArgument<'a> = $value;
                convert(value)
            }
        }
    )+ };
}

arguments! {
    Tensor(&'a RawTensor) = CallArgument::Tensor;
    Tensors(&'a [&'a RawTensor]) = CallArgument::Tensors;
    Indices(&'a [Option<&'a RawTensor>]) = CallArgument::Indices;
    Source(&'a Source) = CallArgument::Source;
    Entries(&'a [Entry]) = CallArgument::Entries;
    Sparse(&'a RawSparse) = CallArgument::Sparse;
    Number(Scalar) = CallArgument::Number;
    Int(isize) = CallArgument::Int;
    Ints(&'a [isize]) = CallArgument::Ints;
    Reals(&'a [f64]) = CallArgument::Reals;
    Flag(bool) = CallArgument::Flag;
    Flag(Keep) = |keep| CallArgument::Flag(keep == Keep::Yes);
    Flag(Order) = |order| CallArgument::Flag(order == Order::Descending);
    Flag(Extreme) = |end| CallArgument::Flag(end == Extreme::Largest);
    Flag(Accumulate) = |accumulate| CallArgument::Flag(accumulate == Accumulate::Yes);
    Flag(IncludeSelf) = |own| CallArgument::Flag(own == IncludeSelf::Yes);
    Flag(NansAre) = |nans| CallArgument::Flag(nans == NansAre::Equal);
    DType(DType) = CallArgument::DType;
    Device(Device) = CallArgument::Device;
    Format(MemoryFormat) = CallArgument::Format;
    Text(&'a str) = CallArgument::Text;
    Text(ScatterReduce) = |combine| CallArgument::Text(combine.name());
    Generator(&'a Generator) = CallArgument::Generator;
    Flag(Replacement) = |replacement| CallArgument::Flag(replacement == Replacement::Yes);
    Flag(Mode) = |mode| CallArgument::Flag(mode == Mode::Training);
    Operand(RawOperand<'a>) = |operand| match operand {
        RawOperand::Tensor(tensor) => CallArgument::Tensor(tensor),
        RawOperand::Scalar(number) => CallArgument::Number(number),
    };
}

impl<'a, T: Into<Self>> From<Option<T>> for CallArgument<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(CallArgument::None, Into::into)
    }
}
