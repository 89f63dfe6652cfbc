//! The calls of tensor-core, from the table of calls in tensor-spec: for each row its arguments, and a function for each form that takes
//! them out by their kinds and makes the call.

use std::collections::{BTreeMap, BTreeSet};

use latten_spec::call::{Body, CallRow, rows};
use latten_spec::schema::{ArgumentKind, Fallback, Parameter, Taken};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Error, Expr, Result};

/// The names of the rows that tensor-core calls itself.
pub(crate) fn call_names() -> TokenStream {
    let expanded = rows().map_err(|fault| Error::new(Span::call_site(), fault)).map(|rows| {
        let named: Vec<_> = rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.name.as_str(), row.function?))).collect();
        let places = named.iter().map(|(at, ..)| at);
        let docs = named.iter().map(|(_, name, _)| format!("PyTorch's `{name}`."));
        let names = named.iter().map(|(.., function)| Ident::new(function, Span::call_site()));
        quote! {
            /// A call that has a row of its own in the table of calls.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[repr(usize)]
            pub(crate) enum Function { #(#[doc = #docs] #names = #places),* }
        }
    });
    expanded.unwrap_or_else(|error| error.to_compile_error())
}

/// Every row as an entry.
pub(crate) fn calls() -> TokenStream {
    let expanded = rows().map_err(|fault| Error::new(Span::call_site(), fault)).and_then(|rows| {
        let entries = rows.iter().enumerate().map(|(at, row)| entry(at, row)).collect::<Result<Vec<_>>>()?;
        let (functions, variants): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        Ok(quote! {
            #(#functions)*

            /// Every row of the table of calls.
            pub(crate) static ENTRIES: &[CallEntry] = &[#(#variants),*];
        })
    });
    expanded.unwrap_or_else(|error| error.to_compile_error())
}

/// The functions of a row, and the entry that names them.
fn entry(at: usize, row: &CallRow) -> Result<(TokenStream, TokenStream)> {
    let mut functions = BTreeMap::new();
    let forms = ["new", "in_place", "out", "outs"].map(|form| {
        let Some(body) = form_body(row, form) else { return Ok(quote!(None)) };
        let made = match body? {
            FormBody::Operation(op) => quote!(Form::Operation(#op)),
            FormBody::Made(made) => {
                // What takes its target is compiled once, for whichever forms have it.
                let (name, variant) = match made.takes {
                    Takes::Nothing if form == "new" && row.gives_one => (format_ident!("new_{at}"), quote!(One)),
                    Takes::Nothing => (format_ident!("{form}_{at}"), quote!(Function)),
                    Takes::Target => (format_ident!("to_{at}"), quote!(To)),
                    Takes::Targets => (format_ident!("both_{at}"), quote!(Both)),
                    Takes::Destination => (format_ident!("at_{at}"), quote!(At)),
                };
                functions.entry(name.to_string()).or_insert_with(|| function(row, form, &name, made));
                quote!(Form::#variant(#name))
            }
        };
        Ok::<_, Error>(quote!(Some(#made)))
    });
    let functions = functions.into_values().collect();
    let [new, in_place, out, outs] = forms;
    let (new, in_place, out, outs) = (new?, in_place?, out?, outs?);
    let CallRow { name, parameters, forms, .. } = row;
    let (method, function) = (forms.method, forms.function);
    let parameters = parameters.iter().map(parameter);
    let devices = row.devices.bits();
    let taken = match row.taken {
        Taken::ByOperation(op) => {
            let variant = Ident::new(op.variant(), Span::call_site());
            quote!(ByOperation(Op::#variant))
        }
        Taken::ByReduction(reduction) => {
            let variant = Ident::new(reduction.variant(), Span::call_site());
            quote!(ByReduction(Reduction::#variant))
        }
        Taken::Only(set) => {
            let bits = set.bits();
            quote!(Only(DTypeSet::from_bits(#bits)))
        }
    };
    let entry = quote! {
        CallEntry {
            name: #name,
            parameters: &[#(#parameters),*],
            method: #method,
            function: #function,
            new: #new,
            in_place: #in_place,
            out: #out,
            outs: #outs,
            taken: Taken::#taken,
            devices: PlaceSet::from_bits(#devices),
            gradient: GRADIENTS[#at],
        }
    };
    Ok((functions, entry))
}

fn parameter(parameter: &Parameter) -> TokenStream {
    let Parameter { name, kind, optional, keyword, variadic, fallback } = parameter;
    let (kind, fallback) = (format_ident!("{kind:?}"), fallback_of(*fallback));
    quote! {
        Parameter {
            name: #name, kind: ArgumentKind::#kind, optional: #optional, fallback: #fallback, keyword: #keyword, variadic: #variadic,
        }
    }
}

pub(crate) fn fallback_of(fallback: Fallback) -> TokenStream {
    match fallback {
        Fallback::Required => quote!(Fallback::Required),
        Fallback::None => quote!(Fallback::None),
        Fallback::Flag(flag) => quote!(Fallback::Flag(#flag)),
        Fallback::Int(number) => quote!(Fallback::Int(#number)),
        Fallback::Real(number) => quote!(Fallback::Real(#number)),
        Fallback::Empty => quote!(Fallback::Empty),
        Fallback::Text(text) => quote!(Fallback::Text(#text)),
    }
}

/// Where an expression finds out what the result goes into.
#[derive(Clone, Copy)]
enum Takes {
    /// It is for one form alone.
    Nothing,
    /// In its variable `to`, of whatever form.
    Target,
    /// There, too: of two results.
    Targets,
    /// In its variable `target`, for a new tensor or an output.
    Destination,
}

/// What a form of a call does, and the parameters that it takes with types of its own.
struct Made {
    expression: TokenStream,
    takes: Takes,
    /// Parameters of operations, which are numbers or left out.
    numbers: Vec<String>,
}

/// What a form is made of: an operation of the table, whose operands and parameters the arguments are, or a function of its own.
enum FormBody {
    Operation(TokenStream),
    Made(Made),
}

/// What a form does; nothing, where the row hasn't got it.
fn form_body(row: &CallRow, form: &str) -> Option<Result<FormBody>> {
    if form != "new" && row.ignored.contains(&"new") || form == "out" && row.ignored.contains(&"no_out") {
        return None;
    }
    match &row.body {
        Body::Elementwise(op) => {
            let variant = Ident::new(op.variant(), Span::call_site());
            let first = Ident::new(row.parameters.first()?.name, Span::call_site());
            target(row, form, &quote!(#first)).map(|_| Ok(FormBody::Operation(quote!(Op::#variant))))
        }
        _ => made_body(row, form).map(|made| made.map(FormBody::Made)),
    }
}

fn made_body(row: &CallRow, form: &str) -> Option<Result<Made>> {
    match &row.body {
        Body::Elementwise(_) => None,
        Body::Fold(reduction) => {
            let variant = Ident::new(reduction.variant(), Span::call_site());
            let along = quote!(along(dim, keepdim, dtype, None));
            fold(&quote!(Reduction::#variant), &quote!(input), &along, form).map(Ok)
        }
        Body::Written(bodies) => {
            let (key, text) = bodies.iter().find(|(key, _)| forms_of(key).contains(&form))?;
            match syn::parse_str::<Expr>(text) {
                Ok(expression) => written(key, &expression, row, form),
                Err(error) => Some(Err(error)),
            }
        }
    }
}

/// The forms that a body of the table is for.
fn forms_of<'a>(key: &'a &'a str) -> &'a [&'a str] {
    match *key {
        "op" | "choice" | "any" => &["new", "in_place", "out"],
        "fold" | "to" => &["new", "out"],
        "both" => &["new", "outs"],
        _ => std::slice::from_ref(key),
    }
}

fn written(key: &str, expression: &Expr, row: &CallRow, form: &str) -> Option<Result<Made>> {
    let plain = |expression: TokenStream| Made { expression, takes: Takes::Nothing, numbers: Vec::new() };
    let parts = match (key, expression) {
        ("op" | "fold", Expr::Call(call)) => (&call.func, call.args.iter().collect::<Vec<_>>()),
        ("choice", _) => {
            let (target, takes) = target(row, form, &quote!(input))?;
            let (held, chosen, skipped) = match takes {
                Takes::Nothing => {
                    (quote!(let held = input.clone();), quote!({ let input = RawOperand::from(&held); #expression }), 1_usize)
                }
                _ => (quote!(), quote!(#expression), 0),
            };
            let expression = quote! {{
                #held
                let (op, operands) = #chosen?;
                run(Call::elementwise(op, &operands[#skipped..], &Params::none(), #target))
            }};
            return Some(Ok(Made { takes, ..plain(expression) }));
        }
        ("to" | "any", _) => return Some(Ok(Made { takes: Takes::Target, ..plain(quote!(#expression)) })),
        ("both", _) => return Some(Ok(Made { takes: Takes::Targets, ..plain(quote!(#expression)) })),
        ("op" | "fold", other) => return Some(Err(Error::new_spanned(other, "not a call"))),
        _ => return Some(Ok(plain(quote!(#expression)))),
    };
    let (called, arguments) = parts;
    if key == "fold" {
        let [input, along] = arguments[..] else { return Some(Err(Error::new_spanned(expression, "two arguments"))) };
        return fold(&quote!(#called), &quote!(#input), &quote!(#along), form).map(Ok);
    }
    let (operands, params): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|argument| !matches!(argument, Expr::Array(_)));
    let operands: Vec<_> = operands.into_iter().map(|operand| quote!(#operand)).collect();
    let params: Vec<_> = params
        .into_iter()
        .filter_map(|params| if let Expr::Array(array) = params { Some(array.elems.iter()) } else { None })
        .flatten()
        .map(|param| quote!(#param))
        .collect();
    elementwise(&quote!(#called), &operands, &params, row, form).map(Ok)
}

/// The target of a call, and where that is said: in place it is the first operand. Nothing, where there is no such form.
fn target(row: &CallRow, form: &str, first: &TokenStream) -> Option<(TokenStream, Takes)> {
    match form {
        "new" | "out" => Some((quote!(target), Takes::Destination)),
        "in_place" if (row.forms.method || row.ignored.contains(&"in_place")) && first.to_string() == "input" => {
            Some((quote!(Destination::InPlace(input)), Takes::Nothing))
        }
        _ => None,
    }
}

fn elementwise(op: &TokenStream, operands: &[TokenStream], params: &[TokenStream], row: &CallRow, form: &str) -> Option<Made> {
    let (target, takes) = target(row, form, &operands[0])?;
    let operands = if matches!(takes, Takes::Nothing) { &operands[1..] } else { operands };
    let params_of = if params.is_empty() { quote!(Params::none()) } else { quote!(Params::all(&[#(#params),*])) };
    Some(Made {
        expression: quote!(run(Call::elementwise(#op, &[#(RawOperand::from(#operands)),*], &#params_of, #target))),
        takes,
        numbers: params.iter().map(ToString::to_string).collect(),
    })
}

fn fold(reduction: &TokenStream, input: &TokenStream, along: &TokenStream, form: &str) -> Option<Made> {
    let expression = quote!(run(Call::reduction(#reduction, #input, &#along, target)));
    ["new", "out"].contains(&form).then(|| Made { expression, takes: Takes::Destination, numbers: Vec::new() })
}

/// The function that makes a call in one form, or in all that its expression is for.
fn function(row: &CallRow, form: &str, name: &Ident, made: Made) -> TokenStream {
    let Made { expression, takes, numbers } = made;
    let mut used = BTreeSet::new();
    idents(expression.clone(), &mut used);
    let shift = usize::from(form == "in_place" && matches!(takes, Takes::Nothing));
    let parameters: Vec<_> = row.parameters.iter().enumerate().skip(shift).collect();
    let taken = parameters.iter().map(|(at, parameter)| {
        // `N` is a variable like others, and a word of Rust's has another name there.
        let own = if parameter.name == "unsafe" { "is_unsafe".to_owned() } else { parameter.name.to_lowercase() };
        let (ident, at) = (Ident::new(&own, Span::call_site()), at - shift);
        let fallback = fallback_of(parameter.fallback);
        if used.contains(&own) {
            let of = if numbers.iter().any(|number| number == parameter.name) { quote!(Option<Scalar>) } else { rust_type(parameter) };
            let fallback = if numbers.iter().any(|number| number == parameter.name) { quote!(Fallback::None) } else { fallback };
            quote!(let #ident: #of = take(arguments, #at, &#fallback);)
        } else if row.ignored.contains(&parameter.name) {
            TokenStream::new()
        } else {
            let missing = format!("{}: `{}` has no part in `{form}`, and isn't said to change nothing", row.name, parameter.name);
            quote!(compile_error!(#missing);)
        }
    });
    let refused = refusal(row);
    let taken = quote!(#(#taken)* #refused);
    let changed = if used.contains("admitted") { quote!(admitted: Admitted) } else { quote!(_: Admitted) };
    let (before, after) = match (takes, form) {
        (Takes::Target, _) => (quote!(), quote!(, to: Target<'_>)),
        (Takes::Targets, _) => (quote!(), quote!(, to: [Target<'_>; 2])),
        (Takes::Destination, _) => (quote!(), quote!(, target: Destination<'_>)),
        (Takes::Nothing, "new") => (quote!(), quote!()),
        (Takes::Nothing, "in_place") => (quote!(input: &mut RawTensor,), quote!(, #changed)),
        (Takes::Nothing, _) => (quote!(), quote!(, out: &mut RawTensor, admitted: Admitted)),
    };
    let (result, answer) = match takes {
        Takes::Destination => (quote!(Outcome), expression),
        Takes::Target => (quote!(RawTensor), quote!(OneAnswer::one_answer(#expression))),
        Takes::Targets => (quote!((RawTensor, RawTensor)), expression),
        Takes::Nothing if form == "new" && row.gives_one => (quote!(RawTensor), quote!(OneAnswer::one_answer(#expression))),
        Takes::Nothing => (quote!(Outcome), quote!(Answer::answer(#expression))),
    };
    quote! {
        fn #name(#before arguments: &[CallArgument<'_>] #after) -> Result<#result> { #taken #answer }
    }
}

/// The error of a row that names its kernel, where its first tensor is of a dtype that it doesn't take.
fn refusal(row: &CallRow) -> Option<TokenStream> {
    let (Body::Written(bodies), Taken::Only(set)) = (&row.body, row.taken) else { return None };
    let (_, kernel) = bodies.iter().find(|(key, _)| *key == "kernel")?;
    let kernel = syn::parse_str::<Expr>(kernel).ok()?;
    let first = Ident::new(row.parameters.first()?.name, Span::call_site());
    let bits = set.bits();
    Some(quote!(admit(#first.dtype(), DTypeSet::from_bits(#bits), #kernel)?;))
}

/// The type that an argument of a kind has in expressions. What a flag becomes there is seen from where it goes.
pub(crate) fn rust_type(parameter: &Parameter) -> TokenStream {
    let of = match parameter.kind {
        ArgumentKind::Tensor => quote!(&RawTensor),
        ArgumentKind::Operand => quote!(RawOperand<'_>),
        ArgumentKind::Tensors => quote!(&[&RawTensor]),
        ArgumentKind::Indices => quote!(&[Option<&RawTensor>]),
        ArgumentKind::Source => quote!(&Source),
        ArgumentKind::Entries => quote!(&[IndexEntry]),
        ArgumentKind::Sparse => quote!(&RawSparse),
        ArgumentKind::Number => quote!(Scalar),
        ArgumentKind::Real => quote!(f64),
        ArgumentKind::Int => quote!(isize),
        ArgumentKind::Ints | ArgumentKind::IntOrInts | ArgumentKind::SomeInts => quote!(&[isize]),
        ArgumentKind::IntLists => quote!(&[Vec<isize>]),
        ArgumentKind::Reals => quote!(&[f64]),
        ArgumentKind::Flag => quote!(_),
        ArgumentKind::DType => quote!(DType),
        ArgumentKind::Device => quote!(Device),
        ArgumentKind::Format => quote!(MemoryFormat),
        ArgumentKind::Text => quote!(&str),
        ArgumentKind::Generator => quote!(&Generator),
    };
    if parameter.optional || parameter.fallback == Fallback::None { quote!(Option<#of>) } else { of }
}

/// The names in an expression.
pub(crate) fn idents(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(found.insert(ident.to_string())),
            TokenTree::Group(group) => idents(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
