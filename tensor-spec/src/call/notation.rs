//! The notation of schemas: `name(Tensor self, int dim, *, bool flag=False) -> Tensor`. A kind that may be `None` ends in `?`, after a `*`
//! arguments must be named, and a default stands after `=`. Here a schema becomes a [`Row`].

use super::{Body, CallRow, Forms, columns};
use crate::schema::{ArgumentKind, Fallback, Parameter, Taken};

/// Reads a row.
pub(super) fn row(schema: &str, function: Option<&'static str>, marks: &'static [&'static str], body: Body) -> Result<CallRow, String> {
    let fault = |what: &str| format!("{schema}: {what}");
    let (name, rest) = schema.split_once('(').ok_or_else(|| fault("no arguments"))?;
    let (arguments, results) = rest.split_once(") ->").ok_or_else(|| fault("no result"))?;
    let (mut parameters, mut keyword) = (Vec::new(), false);
    for text in arguments.split(", ").filter(|text| !text.is_empty()) {
        if text == "*" {
            keyword = true;
        } else {
            parameters.push(parameter(text, keyword).map_err(|what| fault(&what))?);
        }
    }
    let method = arguments.split_whitespace().nth(1).is_some_and(|first| first.trim_end_matches(',') == "self");
    let forms = Forms { method: method && !marks.contains(&"function"), function: !marks.contains(&"method") };
    let (gives_tensors, gives_one) = (results.contains("Tensor"), results.trim() == "Tensor");
    let written: &[_] = if let Body::Written(bodies) = &body { bodies } else { &[] };
    let devices = columns::places(written).map_err(|what| fault(&what))?;
    let taken = match &body {
        Body::Elementwise(op) => Taken::ByOperation(*op),
        Body::Fold(reduction) => Taken::ByReduction(*reduction),
        Body::Written(bodies) => columns::taken(bodies).map_err(|what| fault(&what))?,
    };
    Ok(CallRow { name: name.to_owned(), function, parameters, forms, gives_tensors, gives_one, ignored: marks, taken, devices, body })
}

fn parameter(text: &str, keyword: bool) -> Result<Parameter, String> {
    let (kind, rest) = text.split_once(' ').ok_or_else(|| format!("`{text}` has no name"))?;
    let (name, default) = rest.split_once('=').map_or((rest, None), |(name, default)| (name, Some(default)));
    let optional = kind.ends_with('?');
    let known = kind_of(kind.trim_end_matches('?')).ok_or_else(|| format!("no kind is called `{kind}`"))?;
    Ok(Parameter {
        name: if name == "self" { "input" } else { String::leak(name.to_owned()) },
        kind: known,
        optional,
        fallback: fallback(known, default)?,
        keyword,
        variadic: kind.ends_with("..."),
    })
}

/// The kind that the notation of schemas calls so.
fn kind_of(name: &str) -> Option<ArgumentKind> {
    Some(match name {
        "Tensor" => ArgumentKind::Tensor,
        "Tensor|Scalar" => ArgumentKind::Operand,
        "Tensor[]" | "Tensor..." => ArgumentKind::Tensors,
        "Tensor?[]" => ArgumentKind::Indices,
        "Storage" => ArgumentKind::Source,
        "Index" => ArgumentKind::Entries,
        "SparseTensor" => ArgumentKind::Sparse,
        "Scalar" => ArgumentKind::Number,
        "float" => ArgumentKind::Real,
        "int" => ArgumentKind::Int,
        "int[]" => ArgumentKind::Ints,
        "int[1]" => ArgumentKind::IntOrInts,
        "int?[1]" => ArgumentKind::SomeInts,
        "int[][]" | "int[]..." => ArgumentKind::IntLists,
        "float[1]" => ArgumentKind::Reals,
        "bool" => ArgumentKind::Flag,
        "ScalarType" => ArgumentKind::DType,
        "Device" => ArgumentKind::Device,
        "MemoryFormat" => ArgumentKind::Format,
        "str" => ArgumentKind::Text,
        "Generator" => ArgumentKind::Generator,
        _ => return None,
    })
}

fn fallback(kind: ArgumentKind, default: Option<&str>) -> Result<Fallback, String> {
    let Some(text) = default else { return Ok(Fallback::Required) };
    let number = || text.parse::<f64>().map_err(|_| format!("the default `{text}`"));
    Ok(match (text, kind) {
        ("None", _) => Fallback::None,
        ("[]", _) => Fallback::Empty,
        ("True", ArgumentKind::Flag) => Fallback::Flag(true),
        ("False", ArgumentKind::Flag) => Fallback::Flag(false),
        (_, ArgumentKind::Text) => Fallback::Text(String::leak(text.trim_matches('\'').to_owned())),
        (_, ArgumentKind::Real) => Fallback::Real(number()?),
        _ => match text.parse() {
            Ok(whole) => Fallback::Int(whole),
            Err(_) => Fallback::Real(number()?),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::super::rows;

    #[test]
    fn every_schema_can_be_read() {
        let rows = rows().unwrap_or_else(|fault| panic!("{fault}"));
        for row in &rows {
            let mut seen = Vec::new();
            for parameter in &row.parameters {
                assert!(!seen.contains(&parameter.name), "{} takes `{}` twice", row.name, parameter.name);
                seen.push(parameter.name);
            }
            assert!(row.forms.method || row.forms.function, "{} can't be called", row.name);
        }
        for (row, at) in rows.iter().zip(0..) {
            let again = rows[at + 1..].iter().find(|other| other.function.is_some() && other.function == row.function);
            assert!(again.is_none(), "two rows are called {:?}", row.function);
        }
    }

    #[test]
    fn a_schema_that_is_wrong_says_what() {
        for (schema, fault) in [
            ("f", "f: no arguments"),
            ("f(Tensor self)", "f(Tensor self): no result"),
            ("f(Tensor) -> Tensor", "f(Tensor) -> Tensor: `Tensor` has no name"),
            ("f(Matrix a) -> Tensor", "f(Matrix a) -> Tensor: no kind is called `Matrix`"),
            ("f(int a=x) -> Tensor", "f(int a=x) -> Tensor: the default `x`"),
        ] {
            let read = super::row(schema, None, &[], super::Body::Written(&[]));
            assert_eq!(read.map(|row| row.name), Err(fault.to_owned()));
        }
    }
}
