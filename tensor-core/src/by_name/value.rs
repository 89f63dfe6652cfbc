//! The arguments of a call by name, as a person gives them: tensors, numbers, lists, strings. Which kind each has to be, the row of the
//! operation says.

use std::borrow::Cow;

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use crate::call::{Destination, anything};
use crate::convert::Float8;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::index::{Entry, Span};
use crate::layout::MemoryFormat;
use crate::random::Generator;
use crate::raw::{RawTensor, Source};
use crate::scalar::Scalar;
use crate::shape::Shape;
use crate::sparse::RawSparse;
use crate::tensor::{DynTensor, SparseTensor, Tensor};

/// One argument of a call by name.
#[derive(Debug)]
#[non_exhaustive]
pub enum NamedArgument<'a> {
    /// `None`.
    None,
    /// A number, which may be meant as a flag, a dimension, an index or a size.
    Number(Scalar),
    /// A string.
    Text(Cow<'a, str>),
    /// A dtype.
    DType(DType),
    /// A device.
    Device(Device),
    /// A memory format.
    Format(MemoryFormat),
    /// A tensor.
    Tensor(Cow<'a, RawTensor>),
    /// A tensor that the call may change.
    Changed(&'a mut RawTensor),
    /// A storage, or a part of one.
    Source(Source),
    /// One entry of a basic index.
    Entry(Entry),
    /// A sparse tensor.
    Sparse(Cow<'a, RawSparse>),
    /// A source of random numbers.
    Generator(&'a Generator),
    /// A list.
    List(Vec<Self>),
}

impl NamedArgument<'_> {
    /// The tensor.
    pub(super) fn tensor(&self) -> Option<&RawTensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Changed(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The integer, as a dimension or a size.
    pub(super) fn int(&self) -> Option<isize> {
        match self {
            Self::Number(Scalar::Int(number)) => isize::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The real number.
    pub(super) fn real(&self) -> Option<f64> {
        match self {
            Self::Number(number) if !matches!(number, Scalar::Complex(_)) => Some(number.to_f64()),
            _ => None,
        }
    }

    /// A list of integers.
    pub(super) fn ints(&self) -> Option<Vec<isize>> {
        match self {
            Self::List(list) => list.iter().map(Self::int).collect(),
            _ => None,
        }
    }

    /// The entry of a basic index.
    pub(super) fn entry(&self) -> Option<Entry> {
        match self {
            Self::Entry(entry) => Some(*entry),
            Self::None => Some(Entry::NewAxis),
            other => other.int().map(Entry::At),
        }
    }

    /// What Python calls its type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::None => "NoneType",
            Self::Number(Scalar::Bool(_)) => "bool",
            Self::Number(Scalar::Int(_)) => "int",
            Self::Number(Scalar::Float(_)) => "float",
            Self::Number(Scalar::Complex(_)) => "complex",
            Self::Text(_) => "str",
            Self::DType(_) => "torch.dtype",
            Self::Device(_) => "torch.device",
            Self::Format(_) => "torch.memory_format",
            Self::Tensor(_) | Self::Changed(_) | Self::Sparse(_) => "Tensor",
            Self::Generator(_) => "torch._C.Generator",
            Self::Source(_) => "Storage",
            Self::Entry(Entry::At(_)) => "int",
            Self::Entry(Entry::Span(_)) => "slice",
            Self::Entry(Entry::NewAxis) => "NoneType",
            Self::Entry(Entry::Ellipsis) => "ellipsis",
            Self::List(_) => "list",
        }
    }
}

/// The arguments of a call by name; `args!` writes them down. What is borrowed lives as long as they do; tensors and texts that are given
/// themselves make `Arguments<'static>`, which can be kept.
#[derive(Debug, Default)]
pub struct Arguments<'a> {
    pub(super) positional: Vec<NamedArgument<'a>>,
    pub(super) named: Vec<(Cow<'a, str>, NamedArgument<'a>)>,
}

impl<'a> Arguments<'a> {
    /// No arguments yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more argument by its place.
    #[must_use]
    pub fn with(mut self, value: impl Into<NamedArgument<'a>>) -> Self {
        self.positional.push(value.into());
        self
    }

    /// One more argument by its name.
    #[must_use]
    pub fn with_named(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<NamedArgument<'a>>) -> Self {
        self.named.push((name.into(), value.into()));
        self
    }

    /// The first argument, which a method belongs to.
    pub(super) fn take_first(&mut self, call: &str) -> Result<NamedArgument<'a>> {
        if !self.positional.is_empty() {
            return Ok(self.positional.remove(0));
        }
        match self.named.iter().position(|(name, _)| ["input", "self"].contains(&&**name)) {
            Some(at) => Ok(self.named.remove(at).1),
            None => Err(Error::type_error(format!("{call}() is a method: its first argument is the tensor that it belongs to"))),
        }
    }

    /// The first argument of a call that changes it.
    pub(super) fn take_changed(&mut self, call: &str) -> Result<&'a mut RawTensor> {
        match self.take_first(call)? {
            NamedArgument::Changed(tensor) => Ok(tensor),
            other => {
                Err(Error::type_error(format!("{call}() changes its first argument: give a tensor as `&mut`, not {}", other.type_name())))
            }
        }
    }

    /// Where the results go: into the argument `out`, or the two of a list, where there is one.
    pub(super) fn take_out(&mut self, call: &str) -> Result<Destination<'a>> {
        let Some(at) = self.named.iter().position(|(name, _)| name == "out") else { return Ok(Destination::New) };
        match self.named.remove(at).1 {
            NamedArgument::None => Ok(Destination::New),
            NamedArgument::List(outputs) => {
                let count = outputs.len();
                let outputs = outputs.into_iter().map(|output| changed(call, output)).collect::<Result<Vec<_>>>()?;
                let outputs = <[&mut RawTensor; 2]>::try_from(outputs);
                outputs.map(|outputs| Destination::Outs(outputs, [anything; 2])).map_err(|_| {
                    Error::type_error(format!("{call}(): argument 'out' must be a tensor or two of them, not a list of {count}"))
                })
            }
            output => Ok(Destination::Out(changed(call, output)?, anything)),
        }
    }
}

/// An output.
fn changed<'a>(call: &str, output: NamedArgument<'a>) -> Result<&'a mut RawTensor> {
    match output {
        NamedArgument::Changed(tensor) => Ok(tensor),
        NamedArgument::Tensor(_) => Err(Error::type_error(format!("{call}() changes its argument 'out': give it as `&mut`"))),
        other => Err(Error::type_error(format!("{call}(): argument 'out' must be Tensor, not {}", other.type_name()))),
    }
}

macro_rules! numbers {
    ($($number:ty)+) => { $(
        impl From<$number> for NamedArgument<'_> {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )+ };
}

numbers! { Scalar bool u8 i8 u16 i16 u32 i32 u64 i64 usize isize u128 i128 f16 bf16 f32 f64 }
numbers! { Complex<f16> Complex<f32> Complex<f64> }

macro_rules! arguments {
    ($([$($generics:tt)*] $type:ty, $value:ident => $argument:expr;)+) => { $(
        impl<'a, $($generics)*> From<$type> for NamedArgument<'a> {
            fn from($value: $type) -> Self {
                $argument
            }
        }
    )+ };
}

arguments! {
    [const DTYPE: u8] Float8<DTYPE>, number => Self::Number(number.into());
    [] &'a str, text => Self::Text(Cow::Borrowed(text));
    [] &'a String, text => Self::Text(Cow::Borrowed(text));
    [] &'a Generator, generator => Self::Generator(generator);
    [] &'a RawTensor, tensor => Self::Tensor(Cow::Borrowed(tensor));
    [] &'a RawSparse, tensor => Self::Sparse(Cow::Borrowed(tensor));
    [E: Element, S: Shape] &'a Tensor<E, S>, tensor => Self::Tensor(Cow::Borrowed(tensor.raw()));
    [E: Element] &'a SparseTensor<E>, tensor => Self::Sparse(Cow::Borrowed(tensor.raw()));
    [] (), _nothing => Self::None;
    [] DType, dtype => Self::DType(dtype);
    [] Device, device => Self::Device(device);
    [] MemoryFormat, format => Self::Format(format);
    [] Entry, entry => Self::Entry(entry);
    [] String, text => Self::Text(Cow::Owned(text));
    [] Span, span => Self::Entry(Entry::Span(span));
    [] Source, source => Self::Source(source);
    [E: Element, S: Shape] Tensor<E, S>, tensor => Self::Tensor(Cow::Owned(tensor.into_raw()));
    [E: Element] SparseTensor<E>, tensor => Self::Sparse(Cow::Owned(tensor.raw().clone()));
    [] &'a mut DynTensor, tensor => Self::Changed(tensor.raw_mut());
    [] &'a mut RawTensor, tensor => Self::Changed(tensor);
    [T: Into<Self>] Option<T>, value => value.map_or(Self::None, Into::into);
    [T: Into<Self>, const N: usize] [T; N], list => Self::List(list.into_iter().map(Into::into).collect());
    [T: Into<Self>] Vec<T>, list => Self::List(list.into_iter().map(Into::into).collect());
    [T: Copy + Into<Self>] &[T], list => Self::List(list.iter().copied().map(Into::into).collect());
    [T: Copy + Into<Self>] &Vec<T>, list => list.as_slice().into();
    [E: Element, S: Shape] &'a [Tensor<E, S>], list => Self::List(list.iter().map(Into::into).collect());
    [E: Element, S: Shape] &'a Vec<Tensor<E, S>>, list => list.as_slice().into();
}

/// The arguments of a [`call`](crate::by_name::call) by name: those without names, then those with one, as Python writes them. PyTorch's
/// `None` is `()`.
///
/// ```
/// # use latten_core::{args, by_name::call, tensor::Tensor};
/// let x = Tensor::from([1, 2, 3]);
/// let doubled = call("add", args![&x, &x, alpha = 2])?.tensor()?;
/// assert_eq!(call("sum", args![&doubled])?.tensor()?.item(), 18);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[macro_export]
macro_rules! args {
    (@ $arguments:expr;) => {
        $arguments
    };
    (@ $arguments:expr; $($name:ident = $value:expr),+ $(,)?) => {
        $arguments$(.with_named(stringify!($name), $value))+
    };
    (@ $arguments:expr; $name:ident = $($other:tt)*) => {
        compile_error!("args! takes values, and then names with values: `args![&x, 1, keepdim = true]`")
    };
    (@ $arguments:expr; $value:expr $(, $($rest:tt)*)?) => {
        $crate::args!(@ $arguments.with($value); $($($rest)*)?)
    };
    (@ $arguments:expr; $($other:tt)*) => {
        compile_error!("args! takes values, and then names with values: `args![&x, 1, keepdim = true]`")
    };
    ($($arguments:tt)*) => {
        $crate::args!(@ $crate::by_name::Arguments::new(); $($arguments)*)
    };
}
