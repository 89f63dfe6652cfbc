//! What rows say of gradients, as tensor-core reads it: for each operation, reduction and call what its node is called, what is kept of a call,
//! and a function that computes the gradients. Only recorded functions are in scope where these expand.

use std::collections::BTreeSet;

use latten_kernel::derivative::{self, Part};
use latten_spec::Category;
use latten_spec::call::{Body, CallRow, rows};
use latten_spec::operation::{Beside, Op};
use latten_spec::reduction::Reduction;
use latten_spec::schema::{ArgumentKind, Parameter};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Error, Expr, ExprStruct, Member, Result};

use crate::calls::{fallback_of, idents, rust_type};
use crate::kernels::ident;

/// What the rows of operations and of reductions say.
pub(crate) fn table_gradients() -> TokenStream {
    let ops = Op::ALL.iter().map(|&op| {
        let (variant, gradient) = (ident(op.variant()), of_op(op));
        quote! { Op::#variant => { static GRADIENT: Gradient = #gradient; &GRADIENT } }
    });
    let reductions = Reduction::ALL.iter().map(|&reduction| {
        let (variant, gradient) = (ident(reduction.variant()), of_reduction(reduction));
        quote! { Reduction::#variant => { static GRADIENT: Gradient = #gradient; &GRADIENT } }
    });
    quote! {
        /// What the row of an operation says of gradients.
        pub(crate) fn of_op(op: Op) -> &'static Gradient {
            match op {
                #(#ops)*
                _ => &Gradient::None,
            }
        }

        /// What the row of a reduction says of gradients.
        pub(crate) fn of_reduction(reduction: Reduction) -> &'static Gradient {
            match reduction {
                #(#reductions)*
                _ => &Gradient::None,
            }
        }
    }
}

/// As Python writes a name in a class: a letter is large after whatever is no letter.
fn title(name: &str) -> String {
    let mut before = '_';
    let mut titled = String::new();
    for letter in name.chars() {
        if letter != '_' {
            titled.push(if before.is_ascii_alphabetic() { letter } else { letter.to_ascii_uppercase() });
        }
        before = letter;
    }
    titled
}

fn of_op(op: Op) -> TokenStream {
    let row = op.row();
    let inexact = [Category::Floating, Category::Complex].into_iter().filter(|&category| row.formula(category).is_some());
    let inexact: Vec<_> = inexact.collect();
    if row.result == latten_spec::operation::ResultRule::Bool || inexact.is_empty() {
        return quote! { Gradient::None };
    }
    let mut each = vec![(0_u32, 0_u32); row.operands.len()];
    for &category in &inexact {
        for beside in [Beside::Tensors, Beside::Numbers] {
            let Ok(graph) = derivative::of_row(row, category, beside) else { continue };
            for (names, gradient) in each.iter_mut().zip(&graph.gradients) {
                let mut open: Vec<usize> = gradient.iter().copied().collect();
                while let Some(place) = open.pop() {
                    match graph.parts[place] {
                        Part::Operand(at) => names.0 |= 1 << at,
                        Part::Result => names.1 |= 1,
                        Part::Step(_, arguments) => open.extend(arguments.into_iter().flatten()),
                        _ => {}
                    }
                }
            }
        }
    }
    let each = each.into_iter().map(|(arguments, results)| quote! { Names { arguments: #arguments, results: #results } });
    let base = row.node.map_or_else(|| title(row.name), str::to_owned);
    let [tensors, last, first] = row.overloads.map(|number| format!("{base}Backward{number}"));
    let always = row.operands.iter().enumerate().filter(|(_, name)| row.keeps.contains(name)).map(|(at, _)| 1 << at).sum::<u32>();
    let variant = ident(op.variant());
    quote! {
        Gradient::Back(Back {
            name: |arguments| operations::named(arguments, [#tensors, #last, #first]),
            takes: u32::MAX,
            keeps: Names { arguments: #always, results: 0 },
            each: &[#(#each),*],
            derivation: Derivation::Formulas(Op::#variant),
        })
    }
}

fn of_reduction(reduction: Reduction) -> TokenStream {
    let Some(gradient) = reduction.row().gradient else { return quote! { Gradient::None } };
    let [all, dims] = gradient.overloads.map(|number| format!("{}Backward{number}", gradient.node));
    let arguments = u32::from(gradient.keeps.contains(&"x"));
    let results = u32::from(gradient.keeps.contains(&"r"));
    let function = ident(gradient.function);
    let name = if all == dims {
        quote! { |_| #all }
    } else {
        quote! { |arguments| if arguments.len() > 1 { #dims } else { #all } }
    };
    quote! {
        Gradient::Back(Back {
            name: #name,
            takes: u32::MAX,
            keeps: Names { arguments: 0, results: 0 },
            each: &[Names { arguments: #arguments, results: #results }],
            derivation: Derivation::Function(|backward| reductions::gradients(backward, reductions::#function)),
        })
    }
}

/// What the rows of calls say.
pub(crate) fn call_gradients() -> TokenStream {
    let expanded = rows().map_err(|fault| Error::new(Span::call_site(), fault)).and_then(|rows| {
        let made = rows.iter().enumerate().map(|(at, row)| of_call(at, row)).collect::<Result<Vec<_>>>()?;
        let (functions, gradients): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        Ok(quote! {
            #(#functions)*

            /// What every row of the table of calls says of gradients.
            pub(crate) const GRADIENTS: &[Gradient] = &[#(#gradients),*];
        })
    });
    expanded.unwrap_or_else(|error| error.to_compile_error())
}

/// The kinds of parameters that may be tensors.
const TENSORS: [ArgumentKind; 5] =
    [ArgumentKind::Tensor, ArgumentKind::Operand, ArgumentKind::Tensors, ArgumentKind::Indices, ArgumentKind::Sparse];

/// The function of a row, if it has one, and what it says.
fn of_call(at: usize, row: &CallRow) -> Result<(TokenStream, TokenStream)> {
    let nothing = TokenStream::new();
    let bodies = match &row.body {
        Body::Elementwise(_) | Body::Fold(_) => return Ok((nothing, quote! { Gradient::Elsewhere })),
        Body::Written(bodies) => bodies,
    };
    let takes = row.parameters.iter().any(|parameter| TENSORS.contains(&parameter.kind));
    let Some((_, text)) = bodies.iter().find(|(key, _)| *key == "grad") else {
        return match bodies.iter().any(|(key, _)| ["op", "choice", "fold"].contains(key)) {
            true => Ok((nothing, quote! { Gradient::Elsewhere })),
            false if !takes || !row.gives_tensors => Ok((nothing, quote! { Gradient::None })),
            false => Err(Error::new(Span::call_site(), format!("`{}` ({:?}): neither a gradient nor a mark", row.name, row.function))),
        };
    };
    match syn::parse_str::<Expr>(text)? {
        Expr::Path(path) if path.path.is_ident("none") => Ok((nothing, quote! { Gradient::None })),
        Expr::Path(path) if path.path.is_ident("parts") => Ok((nothing, quote! { Gradient::Parts(|_| "") })),
        Expr::Cast(of) if matches!(&*of.expr, Expr::Path(path) if path.path.is_ident("parts")) => {
            let name = of.ty.to_token_stream().to_string();
            Ok((nothing, quote! { Gradient::Parts(|_| #name) }))
        }
        Expr::Struct(written) if written.path.is_ident("parts") => {
            let name = node_name(row, &written);
            Ok((nothing, quote! { Gradient::Parts(#name) }))
        }
        Expr::Struct(written) => written_gradient(at, row, &written),
        Expr::Call(call) => {
            let (when, text) = (call.func, call.args);
            Ok((nothing, quote! { Gradient::Missing(Missing::#when, #text) }))
        }
        other => Err(Error::new_spanned(other, "neither a gradient nor a mark")),
    }
}

/// A gradient that a row writes: the name of its node, and an expression for each argument that has one.
fn written_gradient(at: usize, row: &CallRow, written: &ExprStruct) -> Result<(TokenStream, TokenStream)> {
    let places: Vec<&Parameter> = row.parameters.iter().collect();
    for field in &written.fields {
        let Member::Named(name) = &field.member else { continue };
        if name != "name" && !places.iter().any(|parameter| name == parameter.name) {
            return Err(Error::new_spanned(name, format!("`{}` has no argument of that name", row.name)));
        }
    }
    let mut each = Vec::new();
    let mut steps = TokenStream::new();
    let mut used = BTreeSet::new();
    for (place, parameter) in places.iter().enumerate() {
        let Some(expression) = field(written, parameter.name) else {
            each.push(quote! { Names { arguments: 0, results: 0 } });
            continue;
        };
        let mut kept = BTreeSet::new();
        elements_of(quote!(#expression), &mut kept);
        idents(quote!(#expression), &mut used);
        // Numbers stay with the node; only tensors are forgotten after the way back.
        let is_kept = |parameter: &Parameter| TENSORS.contains(&parameter.kind) && kept.contains(&parameter.name.to_lowercase());
        let arguments = places.iter().enumerate().filter(|(_, parameter)| is_kept(parameter)).map(|(at, _)| 1 << at).sum::<u32>();
        let results = u32::from(kept.contains("result")) | u32::from(kept.contains("second")) << 1;
        each.push(quote! { Names { arguments: #arguments, results: #results } });
        steps.extend(match parameter.kind {
            ArgumentKind::Tensors | ArgumentKind::Indices => quote! {
                if answer.wants(#place) { answer.put_all((#expression).gradients()?); }
            },
            _ => quote! { if answer.wants(#place) { answer.put((#expression).gradient()?); } },
        });
    }
    let taken = taken(&places, &used);
    let extra = [("g", quote!(backward.gradient()?)), ("result", quote!(backward.results[0])), ("second", quote!(backward.results[1]))];
    let extra = extra.iter().filter(|(name, _)| used.contains(*name)).map(|(name, value)| {
        let name = ident(name);
        quote! { let #name = #value; }
    });
    let function = format_ident!("gradients_{at}");
    let name = node_name(row, written);
    let functions = quote! {
        fn #function(backward: &Backward<'_>) -> Result<Gradients> {
            let arguments = backward.arguments;
            #(#extra)*
            #taken
            let mut answer = Gathered::new(backward);
            #steps
            Ok(answer.done())
        }
    };
    let takes =
        places.iter().enumerate().filter(|(_, parameter)| field(written, parameter.name).is_some()).map(|(at, _)| 1 << at).sum::<u32>();
    let gradient = quote! {
        Gradient::Back(Back {
            name: #name,
            takes: #takes,
            keeps: Names { arguments: 0, results: 0 },
            each: &[#(#each),*],
            derivation: Derivation::Function(#function),
        })
    };
    Ok((functions, gradient))
}

/// The function that names the node: what the row says as `name`, or the name that stands before all it says.
fn node_name(row: &CallRow, written: &ExprStruct) -> TokenStream {
    match field(written, "name") {
        None => {
            let name = written.path.get_ident().map(ToString::to_string).unwrap_or_default();
            quote! { |_| #name }
        }
        Some(expression) => {
            let mut used = BTreeSet::new();
            idents(quote!(#expression), &mut used);
            let taken = taken(&row.parameters.iter().collect::<Vec<_>>(), &used);
            quote! { |arguments| { #taken #expression } }
        }
    }
}

/// What a row says by a name.
fn field<'a>(written: &'a ExprStruct, name: &str) -> Option<&'a Expr> {
    written.fields.iter().find(|field| matches!(&field.member, Member::Named(own) if own == name)).map(|field| &field.expr)
}

/// The arguments that expressions name.
fn taken(places: &[&Parameter], used: &BTreeSet<String>) -> TokenStream {
    let named = places.iter().enumerate().filter(|(_, parameter)| used.contains(&parameter.name.to_lowercase()));
    let taken = named.map(|(place, parameter)| {
        // `A` is a variable like others.
        let (name, fallback) = (ident(&parameter.name.to_lowercase()), fallback_of(parameter.fallback));
        let of = if parameter.kind == ArgumentKind::Flag { quote!(bool) } else { rust_type(parameter) };
        let of = if parameter.kind == ArgumentKind::Flag && parameter.optional { quote!(Option<bool>) } else { of };
        quote! { let #name: #of = take(arguments, #place, &#fallback); }
    });
    quote! { #(#taken)* }
}

/// The names whose elements an expression reads: of what stands alone in `known(…)` only the sizes are needed.
fn elements_of(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) if name == "known" => drop(tokens.next()),
            TokenTree::Ident(name) => drop(found.insert(name.to_string())),
            TokenTree::Group(group) => elements_of(group.stream(), found),
            _ => {}
        }
    }
}
