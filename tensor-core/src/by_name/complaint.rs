//! What is said of a call by name with wrong arguments, in PyTorch's words.

use latten_spec::schema::{ArgumentKind, Fallback};

use super::binding::{Misfit, Shown, is_called, is_of_kind};
use super::value::{Arguments, NamedArgument};
use crate::call::{CallEntry, Parameter};
use crate::error::Error;

/// The error for a call that none of the rows takes.
pub(super) fn of(
    name: &str,
    shown: Shown,
    misfits: &[(&'static CallEntry, Misfit)],
    given: &Arguments<'_>,
    tensor: Option<&NamedArgument<'_>>,
) -> Error {
    if let [(_, Misfit::Value(error))] = misfits {
        return error.clone();
    }
    let sparse = given.positional.iter().chain(tensor).any(|value| matches!(value, NamedArgument::Sparse(_)));
    if misfits.iter().all(|(_, misfit)| matches!(misfit, Misfit::Layout)) {
        let backend = if sparse { "SparseCPU" } else { "CPU" };
        return Error::not_implemented(format!(
            "Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator doesn't exist for this backend."
        ));
    }
    let about: Vec<_> = misfits.iter().filter(|(entry, _)| sparse || !is_sparse(entry)).collect();
    let count = given.positional.len() + given.named.len();
    let plausible: Vec<_> = about.iter().filter(|(entry, _)| fits_in_number(shown, entry, count)).collect();
    let only = match (&about[..], &plausible[..]) {
        ([only], _) => Some(*only),
        (_, [only]) => Some(**only),
        _ => None,
    };
    Error::type_error(match only {
        Some((entry, misfit)) => one(name, shown.parameters(entry), misfit, given),
        None => several(name, shown, &about, given),
    })
}

fn is_sparse(entry: &CallEntry) -> bool {
    entry.parameters.iter().any(|parameter| parameter.kind == ArgumentKind::Sparse)
}

fn fits_in_number(shown: Shown, entry: &CallEntry, count: usize) -> bool {
    let parameters = shown.parameters(entry);
    let most = parameters.len() + usize::from(entry.has_out());
    count >= least(parameters) && count <= most
}

fn least(parameters: &[Parameter]) -> usize {
    parameters.iter().filter(|parameter| parameter.fallback == Fallback::Required).count()
}

fn one(name: &str, parameters: &[Parameter], misfit: &Misfit, given: &Arguments<'_>) -> String {
    match misfit {
        Misfit::Extra => {
            let (least, most) = (least(parameters), parameters.iter().take_while(|parameter| !parameter.keyword).count());
            let (takes, s) = if least == most { (most.to_string(), plural(most)) } else { (format!("from {least} to {most}"), "s") };
            let given = given.positional.len();
            let were = if given == 1 { "was" } else { "were" };
            format!("{name}() takes {takes} positional argument{s} but {given} {were} given")
        }
        Misfit::Missing(missing) => {
            let names: Vec<String> = missing.iter().map(|name| format!("\"{name}\"")).collect();
            // PyTorch has the two forms the wrong way round.
            let s = if missing.len() == 1 { "s" } else { "" };
            format!("{name}() missing {} required positional argument{s}: {}", missing.len(), names.join(", "))
        }
        Misfit::Kind(text) if text.starts_with("expected") => text.clone(),
        Misfit::Kind(text) => format!("{name}(): {text}"),
        Misfit::Layout => format!("{name}() takes tensors of other layouts"),
        Misfit::Unknown(own) => format!("{name}() got an unexpected keyword argument '{own}'"),
        Misfit::Twice(own) => format!("{name}() got multiple values for argument '{own}'"),
        Misfit::Value(error) => error.to_string(),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// What is said where there are several lists of arguments.
fn several(name: &str, shown: Shown, misfits: &[&(&'static CallEntry, Misfit)], given: &Arguments<'_>) -> String {
    let positional = given.positional.iter().map(|value| value.type_name().to_owned());
    let named = given.named.iter().map(|(name, value)| format!("{name}={}", value.type_name()));
    let got: Vec<String> = positional.chain(named).collect();
    let mut text = format!("{name}() received an invalid combination of arguments - got ({}), but expected one of:\n", got.join(", "));
    for (entry, _) in misfits {
        text.push_str(&format!(" * {}\n", signature(entry, shown)));
        let parameters = shown.parameters(entry);
        // PyTorch counts the `*`, too.
        let star = entry.has_out() || parameters.iter().any(|parameter| parameter.keyword);
        if got.len() != parameters.len() + usize::from(entry.has_out()) + usize::from(star) {
            continue;
        }
        let unknown: Vec<_> = given
            .named
            .iter()
            .map(|(name, _)| &**name)
            .filter(|name| !parameters.iter().any(|parameter| is_called(parameter, name)))
            .collect();
        if unknown.is_empty() {
            text.push_str(&format!(
                "      didn't match because some of the arguments have invalid types: ({})\n",
                marked(parameters, given)
            ));
        } else {
            text.push_str(&format!("      didn't match because some of the keywords were incorrect: {}\n", unknown.join(", ")));
        }
    }
    text
}

/// The types of the arguments, with a mark at those that are wrong, and at numbers where a number is expected: PyTorch marks them, too.
fn marked(parameters: &'static [Parameter], given: &Arguments<'_>) -> String {
    let mark = |parameter: Option<&'static Parameter>, value: &NamedArgument<'_>| {
        let fits = parameter.is_some_and(|parameter| parameter.kind != ArgumentKind::Number && is_of_kind(parameter, value));
        if fits { type_of(value) } else { format!("!{}!", type_of(value)) }
    };
    let positional = given.positional.iter().enumerate().map(|(at, value)| mark(parameters.get(at), value));
    let named = given
        .named
        .iter()
        .map(|(name, value)| format!("{name}={}", mark(parameters.iter().find(|parameter| is_called(parameter, name)), value)));
    positional.chain(named).collect::<Vec<_>>().join(", ")
}

/// A number in front of a tensor, which PyTorch calls `self` here.
fn is_number_before(parameter: &Parameter) -> bool {
    parameter.kind == ArgumentKind::Number && parameter.name == "input"
}

/// A type as marks write it.
fn type_of(value: &NamedArgument<'_>) -> String {
    match value {
        NamedArgument::List(list) => {
            let types: Vec<_> = list.iter().map(NamedArgument::type_name).collect();
            format!("list of [{}]", types.join(", "))
        }
        other => other.type_name().to_owned(),
    }
}

/// A parameter as messages write it.
fn written(parameter: &Parameter) -> String {
    let Parameter { name, kind, fallback, .. } = parameter;
    let name = if is_number_before(parameter) { "self" } else { *name };
    let default = match fallback {
        Fallback::Required => return format!("{} {name}", kind.name()),
        Fallback::None => "None".to_owned(),
        Fallback::Flag(true) => "True".to_owned(),
        Fallback::Flag(false) => "False".to_owned(),
        Fallback::Int(number) => number.to_string(),
        Fallback::Real(number) => number.to_string(),
        Fallback::Empty => "None".to_owned(),
        Fallback::Text(text) => format!("\"{text}\""),
    };
    format!("{} {name} = {default}", kind.name())
}

/// The arguments of a row, as messages write them.
pub(super) fn signature(entry: &CallEntry, shown: Shown) -> String {
    let mut parts = Vec::new();
    let mut keyword = false;
    for parameter in shown.parameters(entry) {
        if parameter.keyword && !keyword {
            parts.push("*".to_owned());
            keyword = true;
        }
        parts.push(written(parameter));
    }
    let out = entry.out.map(|_| ArgumentKind::Tensor).or(entry.outs.map(|_| ArgumentKind::Tensors));
    if let Some(out) = out.filter(|_| shown == Shown::Function) {
        if !keyword {
            parts.push("*".to_owned());
        }
        parts.push(format!("{} out = None", out.name()));
    }
    format!("({})", parts.join(", "))
}
