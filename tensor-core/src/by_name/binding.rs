//! Arguments as they were given become arguments of the kinds that a row asks for. Of several rows of one name the first counts that takes
//! them all. What is said where none does is in `complaint`.

use latten_spec::schema::{ArgumentKind, Fallback};

use super::value::{Arguments, NamedArgument};
use crate::call::{Call, CallArgument, CallEntry, Destination, Outcome, Parameter, UNSAID, Work, run};
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
    pub(super) fn parameters(self, entry: &CallEntry) -> &'static [Parameter] {
        match self {
            Self::Function => entry.parameters,
            Self::Method => &entry.parameters[1..],
        }
    }
}

/// Other names that arguments have, as in `NumPy`.
const ALIASES: [(&str, &[&str]); 4] =
    [("dim", &["axis"]), ("keepdim", &["keepdims"]), ("input", &["x", "a", "x1", "A"]), ("other", &["x2"])];

/// An argument with the lists that it needs.
enum ListedArgument<'v> {
    Plain(CallArgument<'v>),
    Tensors(Vec<&'v RawTensor>),
    Indices(Vec<Option<&'v RawTensor>>),
    Ints(Vec<isize>),
    IntLists(Vec<Vec<isize>>),
    Reals(Vec<f64>),
    Entries(Vec<IndexEntry>),
    Source(Source),
}

impl ListedArgument<'_> {
    fn argument(&self) -> CallArgument<'_> {
        match self {
            Self::Plain(argument) => *argument,
            Self::Tensors(tensors) => CallArgument::Tensors(tensors),
            Self::Indices(indices) => CallArgument::Indices(indices),
            Self::Ints(numbers) => CallArgument::Ints(numbers),
            Self::IntLists(lists) => CallArgument::IntLists(lists),
            Self::Reals(numbers) => CallArgument::Reals(numbers),
            Self::Source(source) => CallArgument::Source(source),
            Self::Entries(entries) => CallArgument::Entries(entries),
        }
    }
}

/// A row, and the arguments for it.
pub(super) struct Bound<'v> {
    entry: &'static CallEntry,
    held: Vec<ListedArgument<'v>>,
}

impl Bound<'_> {
    pub(super) fn call(&self, target: Destination<'_>) -> Result<Outcome> {
        let arguments: Vec<CallArgument<'_>> = self.held.iter().map(ListedArgument::argument).collect();
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
    entries: &[&'static CallEntry],
    given: &'v Arguments<'_>,
    shown: Shown,
    tensor: Option<&'v NamedArgument<'_>>,
) -> Result<Bound<'v>, Vec<(&'static CallEntry, Misfit)>> {
    let mut misfits = Vec::new();
    for &entry in entries {
        let first = match tensor.map(|tensor| held(&entry.parameters[0], tensor)) {
            None => None,
            Some(Some(Ok(first))) => Some(first),
            Some(None) => {
                misfits.push((entry, wrong(&entry.parameters[0], tensor.unwrap_or(&NamedArgument::None), Some(0))));
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
fn fit<'v>(parameters: &'static [Parameter], given: &'v Arguments<'_>) -> Result<Vec<ListedArgument<'v>>, Misfit> {
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
            fitted.push(ListedArgument::Plain(CallArgument::None));
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok(fitted),
        Some(at) => {
            let name = &*given.named[at].0;
            let twice = parameters.iter().any(|parameter| is_called(parameter, name));
            Err(if twice { Misfit::Twice(name.to_owned()) } else { Misfit::Unknown(name.to_owned()) })
        }
    }
}

/// Whether further arguments belong to the last parameter: tensors or lists, where the row says so, and integers, where a list of them is the only one.
fn takes_more(parameters: &[Parameter], given: &Arguments<'_>) -> bool {
    let places = parameters.iter().take_while(|parameter| !parameter.keyword).count();
    let Some(last) = places.checked_sub(1).map(|last| &parameters[last]) else { return false };
    let ints = places == 1
        && matches!(last.kind, ArgumentKind::Ints | ArgumentKind::IntOrInts)
        && given.positional.first().is_some_and(|x| x.int().is_some());
    let lists = last.kind == ArgumentKind::IntLists;
    let is_one = |x: &NamedArgument<'_>| if lists { x.ints().is_some() } else { x.tensor().is_some() };
    let several = last.variadic && given.positional.get(places - 1).is_some_and(is_one);
    ints || several
}

/// All further arguments as one list.
fn rest<'v>(parameter: &Parameter, values: &'v [NamedArgument<'_>]) -> Option<ListedArgument<'v>> {
    match parameter.kind {
        ArgumentKind::Tensors => values.iter().map(NamedArgument::tensor).collect::<Option<_>>().map(ListedArgument::Tensors),
        ArgumentKind::IntLists => values.iter().map(NamedArgument::ints).collect::<Option<_>>().map(ListedArgument::IntLists),
        _ => values.iter().map(NamedArgument::int).collect::<Option<_>>().map(ListedArgument::Ints),
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

fn one<'v>(parameter: &'static Parameter, value: &'v NamedArgument<'_>, at: Option<usize>) -> Result<ListedArgument<'v>, Misfit> {
    match held(parameter, value) {
        Some(Ok(held)) => Ok(held),
        Some(Err(error)) => Err(Misfit::Value(error)),
        None => Err(wrong(parameter, value, at)),
    }
}

fn wrong(parameter: &'static Parameter, value: &NamedArgument<'_>, at: Option<usize>) -> Misfit {
    let sparse = parameter.kind == ArgumentKind::Sparse;
    let dense = matches!(parameter.kind, ArgumentKind::Tensor | ArgumentKind::Operand);
    if sparse && value.tensor().is_some() || dense && matches!(value, NamedArgument::Sparse(_)) {
        return Misfit::Layout;
    }
    Misfit::Kind(not_that_kind(parameter, value, at))
}

/// What is said of one argument of another kind.
fn not_that_kind(parameter: &Parameter, value: &NamedArgument<'_>, at: Option<usize>) -> String {
    let (name, kind) = (parameter.name, parameter.kind.name());
    let odd = |list: &[NamedArgument<'_>]| {
        list.iter().enumerate().find(|(_, value)| !fits_a_list(parameter, value)).map(|(at, x)| (at, x.type_name()))
    };
    match value {
        NamedArgument::List(list) if kind == "tuple of ints" => match (odd(list), at) {
            (Some((0, found)), Some(at)) => {
                return format!("argument '{name}' (position {}) must be {kind}, but found element of type {found} at pos 0", at + 1);
            }
            (Some((place @ 1.., found)), _) => {
                return format!(
                    "argument '{name}' failed to unpack the object at pos {} with error \"type must be tuple of ints,but got {found}\"",
                    place + 1
                );
            }
            (Some((0, _)), None) | (None, _) => {}
        },
        NamedArgument::List(list) if kind == "tuple of Tensors" => {
            if let Some((place, found)) = odd(list) {
                return format!("expected Tensor as element {place} in argument {}, but got {found}", at.unwrap_or_default());
            }
        }
        _ => {}
    }
    let place = at.map(|at| format!(" (position {})", at + 1)).unwrap_or_default();
    format!("argument '{name}'{place} must be {kind}, not {}", value.type_name())
}

fn fits_a_list(parameter: &Parameter, value: &NamedArgument<'_>) -> bool {
    if parameter.kind.name() == "tuple of ints" { value.int().is_some() } else { value.tensor().is_some() }
}

/// A value as an argument of a kind; nothing, where it can't be one.
fn held<'v>(parameter: &Parameter, value: &'v NamedArgument<'_>) -> Option<Result<ListedArgument<'v>>> {
    if matches!(value, NamedArgument::None)
        && (parameter.optional || parameter.fallback == Fallback::None && parameter.kind == ArgumentKind::Tensor)
    {
        return Some(Ok(ListedArgument::Plain(CallArgument::None)));
    }
    Some(Ok(match (parameter.kind, value) {
        (ArgumentKind::Tensor | ArgumentKind::Operand, NamedArgument::Tensor(_) | NamedArgument::Changed(_)) => {
            ListedArgument::Plain(CallArgument::Tensor(value.tensor()?))
        }
        (ArgumentKind::Operand | ArgumentKind::Number, NamedArgument::Number(number)) => {
            ListedArgument::Plain(CallArgument::Number(*number))
        }
        (ArgumentKind::Sparse, NamedArgument::Sparse(tensor)) => ListedArgument::Plain(CallArgument::Sparse(tensor)),
        (ArgumentKind::Real, NamedArgument::Number(number)) if !matches!(number, Scalar::Complex(_)) => {
            ListedArgument::Plain(CallArgument::Number(*number))
        }
        (ArgumentKind::Int, NamedArgument::Number(_)) => ListedArgument::Plain(CallArgument::Int(value.int()?)),
        (ArgumentKind::SomeInts, NamedArgument::List(list)) => ListedArgument::Ints(
            list.iter().map(|size| if matches!(size, NamedArgument::None) { Some(UNSAID) } else { size.int() }).collect::<Option<_>>()?,
        ),
        (ArgumentKind::IntOrInts | ArgumentKind::SomeInts, NamedArgument::Number(_)) => ListedArgument::Ints(vec![value.int()?]),
        (ArgumentKind::Ints | ArgumentKind::IntOrInts, NamedArgument::List(list)) => {
            ListedArgument::Ints(list.iter().map(NamedArgument::int).collect::<Option<_>>()?)
        }
        (ArgumentKind::IntLists, NamedArgument::List(lists)) => {
            ListedArgument::IntLists(lists.iter().map(NamedArgument::ints).collect::<Option<_>>()?)
        }
        (ArgumentKind::Reals, NamedArgument::List(list)) => {
            ListedArgument::Reals(list.iter().map(NamedArgument::real).collect::<Option<_>>()?)
        }
        (ArgumentKind::Reals, value) => ListedArgument::Reals(vec![value.real()?]),
        (ArgumentKind::Tensors, NamedArgument::List(list)) => {
            ListedArgument::Tensors(list.iter().map(NamedArgument::tensor).collect::<Option<_>>()?)
        }
        (ArgumentKind::Indices, NamedArgument::List(list)) => ListedArgument::Indices(
            list.iter()
                .map(|index| if matches!(index, NamedArgument::None) { Some(None) } else { index.tensor().map(Some) })
                .collect::<Option<_>>()?,
        ),
        (ArgumentKind::Source, NamedArgument::Source(source)) => ListedArgument::Source(source.clone()),
        (ArgumentKind::Source, NamedArgument::Tensor(_) | NamedArgument::Changed(_)) => {
            ListedArgument::Source(Source::from(value.tensor()?))
        }
        (ArgumentKind::Entries, NamedArgument::List(list)) => {
            ListedArgument::Entries(list.iter().map(NamedArgument::entry).collect::<Option<_>>()?)
        }
        (ArgumentKind::Entries, value) => ListedArgument::Entries(vec![value.entry()?]),
        (ArgumentKind::Flag, NamedArgument::Number(Scalar::Bool(flag))) => ListedArgument::Plain(CallArgument::Flag(*flag)),
        (ArgumentKind::DType, NamedArgument::DType(dtype)) => ListedArgument::Plain(CallArgument::DType(*dtype)),
        (ArgumentKind::Device, NamedArgument::Device(device)) => ListedArgument::Plain(CallArgument::Device(*device)),
        (ArgumentKind::Device, NamedArgument::Text(name)) => match Device::parse(name) {
            Ok(device) => ListedArgument::Plain(CallArgument::Device(device)),
            Err(error) => return Some(Err(error)),
        },
        (ArgumentKind::Format, NamedArgument::Format(format)) => ListedArgument::Plain(CallArgument::Format(*format)),
        (ArgumentKind::Generator, NamedArgument::Generator(generator)) => ListedArgument::Plain(CallArgument::Generator(generator)),
        (ArgumentKind::Text, NamedArgument::Text(text)) => ListedArgument::Plain(CallArgument::Text(text)),
        _ => return None,
    }))
}

/// Whether a value can be an argument.
pub(super) fn is_of_kind(parameter: &Parameter, value: &NamedArgument<'_>) -> bool {
    matches!(held(parameter, value), Some(Ok(_)))
}
