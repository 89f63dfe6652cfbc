//! Arguments as they were given become arguments of the kinds that a row asks for. Of several rows of one name the first counts that takes
//! them all. What is said where none does is in `complaint`.

use latten_spec::call::{Fallback, Kind};

use super::value::{Arguments, Value};
use crate::call::{Argument, Call, Destination, Entry, Outcome, Parameter, Work, run};
use crate::device::Device;
use crate::error::Result;
use crate::index::Entry as IndexEntry;
use crate::raw::{RawTensor, Source};
use crate::scalar::Scalar;

/// How a call looks, and so which arguments messages count: a method's tensor isn't one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// `torch.gather(x, 0, index)`.
    Function,
    /// `x.view(3)`.
    Method,
}

impl Shown {
    /// The arguments of a row that stand in the parentheses.
    pub(super) fn parameters(self, entry: &Entry) -> &'static [Parameter] {
        match self {
            Self::Function => entry.parameters,
            Self::Method => &entry.parameters[1..],
        }
    }
}

/// Other names that arguments have, as in `NumPy`.
const ALIASES: [(&str, &[&str]); 4] = [("dim", &["axis"]), ("keepdim", &["keepdims"]), ("input", &["x", "a", "x1"]), ("other", &["x2"])];

/// An argument with the lists that it needs.
enum Held<'v> {
    Plain(Argument<'v>),
    Tensors(Vec<&'v RawTensor>),
    Indices(Vec<Option<&'v RawTensor>>),
    Ints(Vec<isize>),
    Entries(Vec<IndexEntry>),
    Source(Source),
}

impl Held<'_> {
    fn argument(&self) -> Argument<'_> {
        match self {
            Self::Plain(argument) => *argument,
            Self::Tensors(tensors) => Argument::Tensors(tensors),
            Self::Indices(indices) => Argument::Indices(indices),
            Self::Ints(numbers) => Argument::Ints(numbers),
            Self::Source(source) => Argument::Source(source),
            Self::Entries(entries) => Argument::Entries(entries),
        }
    }
}

/// A row, and the arguments for it.
pub(super) struct Bound<'v> {
    entry: &'static Entry,
    held: Vec<Held<'v>>,
}

impl Bound<'_> {
    pub(super) fn call(&self, target: Destination<'_>) -> Result<Outcome> {
        let arguments: Vec<Argument<'_>> = self.held.iter().map(Held::argument).collect();
        run(Call { work: Work::Row(self.entry, &arguments), target })
    }
}

/// Why arguments aren't those of a row.
pub(super) enum Misfit {
    /// That many stand without names, which are too many.
    Extra,
    /// These are needed, but aren't there.
    Missing(Vec<&'static str>),
    /// One is of another kind, of which this is said.
    Kind(String),
    /// A tensor is sparse, or isn't.
    Layout,
    /// No argument has this name.
    Unknown(String),
    /// It is given twice.
    Twice(String),
    /// What is said of a value, whatever the row.
    Value(crate::error::Error),
}

/// The first of the rows that takes the arguments; else why each of them doesn't. The tensor of a method that changes nothing comes by itself.
pub(super) fn bind<'v>(
    entries: &[&'static Entry],
    given: &'v Arguments<'_>,
    shown: Shown,
    tensor: Option<&'v Value<'_>>,
) -> Result<Bound<'v>, Vec<(&'static Entry, Misfit)>> {
    let mut misfits = Vec::new();
    for &entry in entries {
        let first = match tensor.map(|tensor| held(&entry.parameters[0], tensor)) {
            None => None,
            Some(Some(Ok(first))) => Some(first),
            Some(None) => {
                misfits.push((entry, wrong(&entry.parameters[0], tensor.unwrap_or(&Value::None), Some(0))));
                continue;
            }
            Some(Some(Err(error))) => return Err(vec![(entry, Misfit::Value(error))]),
        };
        match fit(shown.parameters(entry), given) {
            Ok(rest) => return Ok(Bound { entry, held: first.into_iter().chain(rest).collect() }),
            Err(misfit @ Misfit::Value(_)) => return Err(vec![(entry, misfit)]),
            Err(misfit) => misfits.push((entry, misfit)),
        }
    }
    Err(misfits)
}

/// The arguments for a list of parameters.
fn fit<'v>(parameters: &'static [Parameter], given: &'v Arguments<'_>) -> Result<Vec<Held<'v>>, Misfit> {
    let places = parameters.iter().take_while(|parameter| !parameter.keyword).count();
    let open = takes_more(parameters, given);
    if given.positional.len() > places && !open {
        return Err(Misfit::Extra);
    }
    let mut used = vec![false; given.named.len()];
    let mut fitted = Vec::with_capacity(parameters.len());
    for (at, parameter) in parameters.iter().enumerate() {
        let by_name = given.named.iter().position(|(name, _)| is_called(parameter, name));
        if at < given.positional.len() && !parameter.keyword {
            if open && at + 1 == places {
                fitted.push(rest(parameter, &given.positional[at..]).ok_or_else(|| wrong(parameter, &given.positional[at], Some(at)))?);
            } else {
                fitted.push(one(parameter, &given.positional[at], Some(at))?);
            }
        } else if let Some(place) = by_name {
            used[place] = true;
            fitted.push(one(parameter, &given.named[place].1, None)?);
        } else if parameter.fallback == Fallback::Required {
            return Err(Misfit::Missing(missing(parameters, given)));
        } else {
            fitted.push(Held::Plain(Argument::None));
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok(fitted),
        Some(at) => {
            let name = given.named[at].0;
            let twice = parameters.iter().any(|parameter| is_called(parameter, name));
            Err(if twice { Misfit::Twice(name.to_owned()) } else { Misfit::Unknown(name.to_owned()) })
        }
    }
}

/// Whether further arguments belong to the last parameter: tensors, where the row says so, and integers, where a list of them is the only one.
fn takes_more(parameters: &[Parameter], given: &Arguments<'_>) -> bool {
    let places = parameters.iter().take_while(|parameter| !parameter.keyword).count();
    let Some(last) = places.checked_sub(1).map(|last| &parameters[last]) else { return false };
    let ints =
        places == 1 && matches!(last.kind, Kind::Ints | Kind::IntOrInts) && given.positional.first().is_some_and(|x| x.int().is_some());
    let tensors = last.variadic && given.positional.get(places - 1).is_some_and(|x| x.tensor().is_some());
    ints || tensors
}

/// All further arguments as one list.
fn rest<'v>(parameter: &Parameter, values: &'v [Value<'_>]) -> Option<Held<'v>> {
    match parameter.kind {
        Kind::Tensors => values.iter().map(Value::tensor).collect::<Option<_>>().map(Held::Tensors),
        _ => values.iter().map(Value::int).collect::<Option<_>>().map(Held::Ints),
    }
}

pub(super) fn is_called(parameter: &Parameter, name: &str) -> bool {
    parameter.name == name || ALIASES.iter().any(|(own, others)| *own == parameter.name && others.contains(&name))
}

fn missing(parameters: &'static [Parameter], given: &Arguments<'_>) -> Vec<&'static str> {
    let is_given = |at: usize, parameter: &Parameter| {
        at < given.positional.len() && !parameter.keyword || given.named.iter().any(|(name, _)| is_called(parameter, name))
    };
    let needed = parameters.iter().enumerate().filter(|(_, parameter)| parameter.fallback == Fallback::Required);
    needed.filter(|(at, parameter)| !is_given(*at, parameter)).map(|(_, parameter)| parameter.name).collect()
}

fn one<'v>(parameter: &'static Parameter, value: &'v Value<'_>, at: Option<usize>) -> Result<Held<'v>, Misfit> {
    match held(parameter, value) {
        Some(Ok(held)) => Ok(held),
        Some(Err(error)) => Err(Misfit::Value(error)),
        None => Err(wrong(parameter, value, at)),
    }
}

fn wrong(parameter: &'static Parameter, value: &Value<'_>, at: Option<usize>) -> Misfit {
    let sparse = parameter.kind == Kind::Sparse;
    let dense = matches!(parameter.kind, Kind::Tensor | Kind::Operand);
    if sparse && value.tensor().is_some() || dense && matches!(value, Value::Sparse(_)) {
        return Misfit::Layout;
    }
    Misfit::Kind(not_that_kind(parameter, value, at))
}

/// What is said of one argument of another kind.
fn not_that_kind(parameter: &Parameter, value: &Value<'_>, at: Option<usize>) -> String {
    let (name, kind) = (parameter.name, parameter.kind.name());
    let odd =
        |list: &[Value<'_>]| list.iter().enumerate().find(|(_, value)| !fits_a_list(parameter, value)).map(|(at, x)| (at, x.type_name()));
    match value {
        Value::List(list) if kind == "tuple of ints" => {
            if let Some((place, found)) = odd(list) {
                return format!(
                    "argument '{name}' failed to unpack the object at pos {} with error \"type must be tuple of ints,but got {found}\"",
                    place + 1
                );
            }
        }
        Value::List(list) if kind == "tuple of Tensors" => {
            if let Some((place, found)) = odd(list) {
                return format!("expected Tensor as element {place} in argument {}, but got {found}", at.unwrap_or_default());
            }
        }
        _ => {}
    }
    let place = at.map(|at| format!(" (position {})", at + 1)).unwrap_or_default();
    format!("argument '{name}'{place} must be {kind}, not {}", value.type_name())
}

fn fits_a_list(parameter: &Parameter, value: &Value<'_>) -> bool {
    if parameter.kind.name() == "tuple of ints" { value.int().is_some() } else { value.tensor().is_some() }
}

/// A value as an argument of a kind; nothing, where it can't be one.
fn held<'v>(parameter: &Parameter, value: &'v Value<'_>) -> Option<Result<Held<'v>>> {
    if matches!(value, Value::None) && (parameter.optional || parameter.fallback == Fallback::None && parameter.kind == Kind::Tensor) {
        return Some(Ok(Held::Plain(Argument::None)));
    }
    Some(Ok(match (parameter.kind, value) {
        (Kind::Tensor | Kind::Operand, Value::Tensor(_) | Value::Changed(_)) => Held::Plain(Argument::Tensor(value.tensor()?)),
        (Kind::Operand | Kind::Number, Value::Number(number)) => Held::Plain(Argument::Number(*number)),
        (Kind::Sparse, Value::Sparse(tensor)) => Held::Plain(Argument::Sparse(tensor)),
        (Kind::Real, Value::Number(number)) if !matches!(number, Scalar::Complex(_)) => Held::Plain(Argument::Number(*number)),
        (Kind::Int, Value::Number(_)) => Held::Plain(Argument::Int(value.int()?)),
        (Kind::IntOrInts, Value::Number(_)) => Held::Ints(vec![value.int()?]),
        (Kind::Ints | Kind::IntOrInts, Value::List(list)) => Held::Ints(list.iter().map(Value::int).collect::<Option<_>>()?),
        (Kind::Tensors, Value::List(list)) => Held::Tensors(list.iter().map(Value::tensor).collect::<Option<_>>()?),
        (Kind::Indices, Value::List(list)) => Held::Indices(
            list.iter()
                .map(|index| if matches!(index, Value::None) { Some(None) } else { index.tensor().map(Some) })
                .collect::<Option<_>>()?,
        ),
        (Kind::Source, Value::Source(source)) => Held::Source(source.clone()),
        (Kind::Source, Value::Tensor(_) | Value::Changed(_)) => Held::Source(Source::from(value.tensor()?)),
        (Kind::Entries, Value::List(list)) => Held::Entries(list.iter().map(Value::entry).collect::<Option<_>>()?),
        (Kind::Entries, value) => Held::Entries(vec![value.entry()?]),
        (Kind::Flag, Value::Number(Scalar::Bool(flag))) => Held::Plain(Argument::Flag(*flag)),
        (Kind::DType, Value::DType(dtype)) => Held::Plain(Argument::DType(*dtype)),
        (Kind::Device, Value::Device(device)) => Held::Plain(Argument::Device(*device)),
        (Kind::Device, Value::Text(name)) => match Device::parse(name) {
            Ok(device) => Held::Plain(Argument::Device(device)),
            Err(error) => return Some(Err(error)),
        },
        (Kind::Format, Value::Format(format)) => Held::Plain(Argument::Format(*format)),
        (Kind::Generator, Value::Generator(generator)) => Held::Plain(Argument::Generator(generator)),
        (Kind::Text, Value::Text(text)) => Held::Plain(Argument::Text(text)),
        _ => return None,
    }))
}

/// Whether a value can be an argument.
pub(super) fn is_of_kind(parameter: &Parameter, value: &Value<'_>) -> bool {
    matches!(held(parameter, value), Some(Ok(_)))
}
