//! The arguments of a call, found by position or by name. Whoever takes one marks it, so that none is ignored unseen.

use std::cell::{Cell, RefCell};

use latten::Device;
use latten::Scalar;
use latten::prelude::{DType, DynTensor};
use latten::random::{Fork, Generator};
use latten::storage::{TypedStorage, UntypedStorage};

use crate::errors::Failure;
use crate::value::Value;

/// What a step gives.
pub type Outcome<T = Value> = Result<T, Failure>;

/// The arguments of one call.
#[derive(Debug)]
pub struct Arguments {
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
    /// One bit an argument, the positional ones first.
    used: Cell<u64>,
}

impl Arguments {
    /// Arguments of which none was taken yet.
    #[must_use]
    pub fn new(positional: Vec<Value>, named: Vec<(String, Value)>) -> Self {
        Self { positional, named, used: Cell::new(0) }
    }

    /// Forgets which arguments were taken.
    pub fn reset(&self) {
        self.used.set(0);
    }

    /// The first argument that nobody took, named as a person finds it.
    #[must_use]
    pub fn unused(&self) -> Option<String> {
        let names = (0..self.positional.len()).map(|at| format!("argument {at}")).chain(self.named.iter().map(|(name, _)| name.clone()));
        names.enumerate().find(|(at, _)| self.used.get() >> at & 1 == 0).map(|(_, name)| name)
    }

    /// The arguments that stand without a name.
    #[must_use]
    pub fn positional(&self) -> &[Value] {
        &self.positional
    }

    /// The others.
    #[must_use]
    pub fn names(&self) -> &[(String, Value)] {
        &self.named
    }

    /// The arguments, where there are two without names and no others.
    #[must_use]
    pub fn only_two(&self) -> Option<(&Value, &Value)> {
        match &self.positional[..] {
            [first, second] if self.named.is_empty() => Some((first, second)),
            _ => None,
        }
    }

    /// The argument at a place, or with a name.
    #[must_use]
    pub fn at(&self, place: usize, name: &str) -> Argument<'_> {
        if let Some(value) = self.positional.get(place) {
            return self.found(place, value);
        }
        let named = self.named.iter().position(|(own, _)| own == name);
        named.map_or(Argument(None), |at| self.found(self.positional.len() + at, &self.named[at].1))
    }

    /// The argument with a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Argument<'_> {
        self.at(usize::MAX, name)
    }

    fn found<'a>(&self, bit: usize, value: &'a Value) -> Argument<'a> {
        self.used.set(self.used.get() | 1 << bit);
        Argument(Some(value))
    }

    /// The first argument, which a method belongs to.
    ///
    /// # Errors
    /// Where it is no tensor.
    pub fn tensor(&self) -> Outcome<&DynTensor> {
        self.at(0, "input").tensor()
    }

    /// Lets a method change its tensor, and gives that tensor; also where it fails, the argument is what the method left.
    ///
    /// # Errors
    /// The method's, and where the first argument is no tensor.
    pub fn in_place<T>(&mut self, method: impl FnOnce(&mut DynTensor, &Self) -> Outcome<T>) -> Outcome {
        let mut tensor = self.tensor()?.alias();
        let outcome = method(&mut tensor, self);
        let result = tensor.alias();
        self.positional[0] = tensor.into();
        outcome.map(|_| result.into())
    }

    /// The same with the argument `out`, a tensor or a list of them.
    ///
    /// # Errors
    /// The method's, and where there is no such argument.
    pub fn into_outs<T>(&mut self, method: impl FnOnce(&mut [DynTensor], &Self) -> Outcome<T>) -> Outcome {
        let given = self.named("out");
        let list = given.list().ok();
        let is_list = list.is_some();
        let mut tensors: Vec<DynTensor> = match list {
            Some(list) => list.iter().map(|out| Ok(Argument(Some(out)).tensor()?.alias())).collect::<Outcome<_>>()?,
            None => vec![given.tensor()?.alias()],
        };
        let outcome = method(&mut tensors, self);
        let written =
            || if is_list { Value::List(tensors.iter().map(|out| out.alias().into()).collect()) } else { tensors[0].alias().into() };
        if let Some((_, out)) = self.named.iter_mut().find(|(name, _)| name == "out") {
            *out = written();
        }
        outcome.map(|_| written())
    }

    /// What the first argument and the argument `out` are after the call.
    #[must_use]
    pub fn after(&self) -> (Option<&Value>, Option<&Value>) {
        (self.positional.first(), self.named.iter().find(|(name, _)| name == "out").map(|(_, value)| value))
    }
}

/// An argument that may be missing. Each method wants one kind of value, and calls the call unsupported where it is another.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a>(Option<&'a Value>);

macro_rules! wanted {
    ($($(#[$doc:meta])* $name:ident -> $type:ty { $($pattern:pat => $value:expr),+ })+) => { $(
        $(#[$doc])*
        ///
        /// # Errors
        /// For any other value, and for none.
        pub fn $name(self) -> Outcome<$type> {
            match self.0 {
                $(Some($pattern) => Ok($value),)+
                _ => Err(self.unexpected(stringify!($name))),
            }
        }
    )+ };
}

impl<'a> Argument<'a> {
    wanted! {
        /// A tensor.
        tensor -> &'a DynTensor { Value::Tensor(x) => x }
        /// A storage of bytes.
        untyped -> &'a UntypedStorage { Value::Untyped(x) => x }
        /// A storage with a dtype.
        typed -> &'a TypedStorage { Value::Typed(x) => x }
        /// A number as an operand.
        number -> Scalar { Value::Number(x) => *x }
        /// A source of random numbers.
        generator -> &'a Generator { Value::Generator(x) => x }
        /// A fork of the default one.
        fork -> &'a RefCell<Option<Fork>> { Value::Fork(x) => x }
        /// A flag.
        flag -> bool { Value::Bool(x) => *x }
        /// A dtype.
        dtype -> DType { Value::DType(x) => *x }
        /// A device.
        device -> Device { Value::Device(x) => *x }
        /// A string.
        text -> &'a str { Value::Text(x) => x }
        /// A list.
        list -> &'a [Value] { Value::List(x) => x }
    }

    /// Any value.
    ///
    /// # Errors
    /// For none.
    pub fn value(self) -> Outcome<&'a Value> {
        self.0.ok_or_else(|| self.unexpected("value"))
    }

    /// Whether it is missing or `None`.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self.0, None | Some(Value::None))
    }

    /// Itself, unless it is missing or `None`.
    #[must_use]
    pub fn given(self) -> Option<Self> {
        if self.is_none() { None } else { Some(self) }
    }

    /// A dimension, an index, a size.
    ///
    /// # Errors
    /// For any other value, and for none.
    pub fn int(self) -> Outcome<isize> {
        match self.0 {
            Some(Value::Int(x)) => isize::try_from(*x).map_err(|_| self.unexpected("isize")),
            _ => Err(self.unexpected("int")),
        }
    }

    /// How many of something. A negative number is none, and Rust's types don't let a program give one.
    ///
    /// # Errors
    /// For any other value, and for none.
    pub fn count(self) -> Outcome<usize> {
        usize::try_from(self.int()?).map_err(|_| Failure::Uncompilable)
    }

    /// An integer, or the default where it is missing.
    ///
    /// # Errors
    /// For a value of another kind.
    pub fn int_or(self, default: isize) -> Outcome<isize> {
        self.given().map_or(Ok(default), Self::int)
    }

    /// A shape, or other integers; a single one counts as a list.
    ///
    /// # Errors
    /// For any other value, and for none.
    pub fn ints(self) -> Outcome<Vec<isize>> {
        match self.0 {
            Some(Value::List(list)) => list.iter().map(|x| Argument(Some(x)).int()).collect(),
            _ => self.int().map(|x| vec![x]),
        }
    }

    /// A list of numbers.
    ///
    /// # Errors
    /// For any other value, and for none.
    pub fn numbers(self) -> Outcome<Vec<Scalar>> {
        self.list()?.iter().map(|x| Argument(Some(x)).number()).collect()
    }

    fn unexpected(self, wanted: &str) -> Failure {
        Failure::Unsupported(format!("{:?} as {wanted}", self.0))
    }
}
