//! What calls are described by while a program runs: their arguments, and the dtypes and devices that they take. The table that says it of each
//! call is `call`, which only the macros read.

use crate::dtype::DType;
use crate::operation::{Op, Trait};
use crate::reduction::Reduction;

/// What an argument can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A tensor.
    Tensor,
    /// A tensor or a number.
    Operand,
    /// A list of tensors.
    Tensors,
    /// A list of tensors in which some may be left out.
    Indices,
    /// A storage, a part of one, or what a tensor reads.
    Source,
    /// A basic index: integers, slices, new axes, an ellipsis.
    Entries,
    /// A sparse tensor.
    Sparse,
    /// A number.
    Number,
    /// A real number.
    Real,
    /// An integer.
    Int,
    /// A list of integers.
    Ints,
    /// A list of integers, for which one alone will do.
    IntOrInts,
    /// A list of integers in which some may be left out, for which one alone will do.
    SomeInts,
    /// Several lists of integers.
    IntLists,
    /// A list of real numbers, for which one alone will do.
    Reals,
    /// True or false.
    Flag,
    /// A dtype.
    DType,
    /// A device, or its name.
    Device,
    /// A memory format.
    Format,
    /// A string.
    Text,
    /// A source of random numbers.
    Generator,
}

impl ArgumentKind {
    /// What messages call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tensor | Self::Operand | Self::Sparse => "Tensor",
            Self::Tensors | Self::Indices => "tuple of Tensors",
            Self::Source => "Storage",
            Self::Entries => "index",
            Self::Number => "Number",
            Self::Real => "float",
            Self::Int => "int",
            Self::Ints | Self::IntOrInts | Self::SomeInts => "tuple of ints",
            Self::IntLists => "tuple of tuples of ints",
            Self::Reals => "tuple of floats",
            Self::Flag => "bool",
            Self::DType => "torch.dtype",
            Self::Device => "torch.device",
            Self::Format => "torch.memory_format",
            Self::Text => "str",
            Self::Generator => "torch._C.Generator",
        }
    }
}

/// What an argument is where a call leaves it out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fallback {
    /// It can't be left out.
    Required,
    /// None.
    None,
    /// A flag.
    Flag(bool),
    /// An integer.
    Int(i64),
    /// A real number.
    Real(f64),
    /// A list without elements.
    Empty,
    /// A string.
    Text(&'static str),
}

/// One argument of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name; the tensor that a method belongs to is `input`.
    pub name: &'static str,
    /// What it can be.
    pub kind: ArgumentKind,
    /// Whether it may be `None`.
    pub optional: bool,
    /// What it is where it is left out.
    pub fallback: Fallback,
    /// Whether it must be named.
    pub keyword: bool,
    /// Whether all further arguments without names belong to it.
    pub variadic: bool,
}

/// A set of dtypes that aren't quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// Those of which something is true.
    #[must_use]
    pub fn of(is: impl Fn(DType) -> bool) -> Self {
        let all = DType::ALL.iter().filter(|&&dtype| !dtype.is_quantized() && is(dtype));
        Self(all.fold(0, |bits, &dtype| bits | 1 << dtype as u32))
    }

    /// The set with those bits, which is how generated code writes it.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// What [`from_bits`](Self::from_bits) takes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether a dtype is in the set.
    #[must_use]
    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & (1 << dtype as u32) != 0
    }
}

/// Where it is said which dtypes an operation takes.
#[derive(Clone, Copy, Debug)]
pub enum Taken {
    /// In the table of elementwise operations.
    ByOperation(Op),
    /// In the table of reductions.
    ByReduction(Reduction),
    /// In its row.
    Only(DTypeSet),
}

impl Taken {
    /// Whether tensors of the dtype are taken.
    #[must_use]
    pub fn contains(self, dtype: DType, default: DType) -> bool {
        match self {
            Self::ByOperation(op) => {
                let itself = op.row().is(Trait::Itself) && op.row().formula(dtype.category()) == Some("x");
                !dtype.is_quantized() && (itself || op.answer(dtype, default).is_ok())
            }
            Self::ByReduction(reduction) => reduction.result(dtype, default).is_ok(),
            Self::Only(set) => set.contains(dtype),
        }
    }
}

/// A device, as far as rows tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The host.
    Cpu,
    /// A GPU.
    Cuda,
    /// The device whose tensors have no elements.
    Meta,
}

impl Place {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 3] = [("cpu", Self::Cpu), ("cuda", Self::Cuda), ("meta", Self::Meta)];
}

/// A set of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceSet(u8);

impl PlaceSet {
    /// No more devices than those.
    #[must_use]
    pub fn of(places: &[Place]) -> Self {
        Self(places.iter().fold(0, |bits, &place| bits | 1 << place as u8))
    }

    /// The set with those bits, which is how generated code writes it.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// What [`from_bits`](Self::from_bits) takes.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether a device is in the set.
    #[must_use]
    pub const fn contains(self, place: Place) -> bool {
        self.0 & (1 << place as u8) != 0
    }
}
