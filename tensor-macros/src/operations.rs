//! The type-level rows of operations, and the methods of tensors, from tensor-spec's table of operations:
//! one trait an operation, which says of every dtype what the operation gives there, or why it is refused.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tensor_spec::DType;
use tensor_spec::operation::{Op, RefusalRow, Row, Trait, When};
use tensor_spec::reduction::{Reduction, ReductionRow};

use crate::relations::native;

/// The dtype that types assume for what PyTorch calls the default dtype.
const DEFAULT: DType = DType::F32;

/// The traits of all operations and reductions, with a row for each dtype that they take.
pub(crate) fn traits() -> TokenStream {
    let operations = Op::ALL.iter().map(|&op| Relation {
        variant: op.variant(),
        name: op.row().name,
        message: refusal(op.row()),
        results: results(|promoted| result(op, promoted)),
    });
    let reductions = Reduction::ALL.iter().map(|&reduction| Relation {
        variant: reduction.variant(),
        name: reduction.row().name,
        message: reduction_refusal(reduction.row()),
        results: results(|input| reduction.result(input, DEFAULT).ok()),
    });
    operations.chain(reductions).map(|relation| relation.expand()).collect()
}

/// Every dtype with its result.
fn results(result: impl Fn(DType) -> Option<DType>) -> Vec<(DType, DType)> {
    DType::COMPUTING.iter().filter_map(|&dtype| Some((dtype, result(dtype)?))).collect()
}

/// An operation as a function from dtypes to dtypes, and what it says where it has no value.
struct Relation {
    variant: &'static str,
    name: &'static str,
    message: String,
    results: Vec<(DType, DType)>,
}

impl Relation {
    fn expand(self) -> TokenStream {
        let Self { variant, name, message, results } = self;
        let variant = format_ident!("{variant}");
        let doc = format!("What `{name}` gives for operands of this promoted dtype.");
        let label = format!("`{name}` isn't defined for `{{Self}}`");
        let taken: Vec<_> = results.iter().map(|(dtype, _)| format!("`{}`", dtype.variant().to_ascii_lowercase())).collect();
        let invert = if matches!(name, "neg" | "sub" | "rsub") { "; to invert a mask, write `!mask`" } else { "" };
        let note = format!("`{name}` takes {}; convert first with `.to::<_>()`{invert}", taken.join(", "));
        let (inputs, outputs): (Vec<_>, Vec<_>) = results.iter().map(|&(input, output)| (native(input), native(output))).unzip();
        quote! {
            #[doc = #doc]
            #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
            pub trait #variant: Element {
                /// The dtype of the result.
                type Output: Element;
            }
            #[diagnostic::do_not_recommend]
            impl #variant for crate::element::Any { type Output = Self; }
            #(
                #[diagnostic::do_not_recommend]
                impl #variant for #inputs { type Output = #outputs; }
            )*
        }
    }
}

/// The dtype of the result, unless the operation refuses operands of that promoted dtype.
fn result(op: Op, promoted: DType) -> Option<DType> {
    let common = op.common(promoted, DEFAULT);
    let refused = op.row().refusals.iter().any(|refusal| !in_place_only(refusal) && refusal.categories.contains(promoted.category()));
    (!refused && op.computes(common)).then(|| op.result(common))
}

fn in_place_only(refusal: &RefusalRow) -> bool {
    matches!(refusal.when, When::InPlace)
}

/// PyTorch's words, with the Rust type in place of PyTorch's name for it.
fn refusal(row: &Row) -> String {
    let own = row.refusals.iter().find(|refusal| !in_place_only(refusal)).map(|refusal| braces(refusal.text));
    own.unwrap_or_else(|| format!("\"{}\" not implemented for '{{Self}}'", row.kernel))
}

/// Text of the table as a format string.
fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The same for a reduction.
fn reduction_refusal(row: &ReductionRow) -> String {
    match row.refusals.first() {
        Some((_, _, text)) => text.replace("{}", "{Self}"),
        None => format!("\"{}\" not implemented for '{{Self}}'", row.kernel),
    }
}

/// The methods of tensors for every operation without parameters.
pub(crate) fn methods() -> TokenStream {
    let mut rows = TokenStream::new();
    for &op in Op::ALL {
        let row = op.row();
        match row.operands.len() {
            _ if VIEWS.contains(&row.name) || (!row.params.is_empty() && !row.is(Trait::Alpha)) => {}
            1 => rows.extend(unary(op)),
            2 => rows.extend(binary(op)),
            _ => {}
        }
    }
    rows
}

/// Operations whose methods are views instead.
const VIEWS: [&str; 2] = ["real", "imag"];

/// Names that Rust's operators have taken: these have no method that panics.
const OPERATORS: [&str; 6] = ["add", "sub", "mul", "div", "remainder", "neg"];

/// What is asked of a result that is stored: a comparison's bool goes anywhere, all else by the casting rule.
fn bound_of_result(op: Op, output: &TokenStream) -> TokenStream {
    if op.row().is(Trait::AnyOutput) { quote!() } else { quote!(: CastInto<#output>) }
}

/// The same, as a bound on the operation's trait.
fn stores_into(op: Op, output: &TokenStream) -> TokenStream {
    let bound = bound_of_result(op, output);
    if bound.is_empty() { bound } else { quote!(<Output #bound>) }
}

/// The names of an operation's methods and what their documentation says.
struct Names {
    variant: Ident,
    name: Option<Ident>,
    fallible: Ident,
    in_place: Ident,
    out: Ident,
    panics: String,
    fallible_doc: String,
    in_place_doc: String,
    out_doc: String,
}

impl Names {
    fn of(op: Op) -> Self {
        let name = op.row().name;
        let twin = if OPERATORS.contains(&name) { "the operator" } else { &format!("[`Tensor::{name}`]") };
        Self {
            variant: format_ident!("{}", op.variant()),
            name: (!OPERATORS.contains(&name)).then(|| format_ident!("{name}")),
            fallible: format_ident!("try_{name}"),
            in_place: format_ident!("{name}_"),
            out: format_ident!("{name}_out"),
            panics: format!("# Panics\nWhere [`Tensor::try_{name}`] is an error."),
            fallible_doc: format!("PyTorch's `{name}`, element by element: what {twin} gives, or the error that it panics with."),
            in_place_doc: format!("PyTorch's `{name}_`: the result goes into this tensor, whose dtype and shape stay."),
            out_doc: format!("PyTorch's `{name}(out=…)`: the result goes into `out`."),
        }
    }
}

/// The result's dtype is a parameter of the methods, determined by the operation's trait: a bound without a parameter of the
/// method makes the compiler say that there is no such method, in place of why.
fn unary(op: Op) -> TokenStream {
    let Names { variant, name, fallible, in_place, out, panics, fallible_doc, in_place_doc, out_doc } = Names::of(op);
    let doc = format!("PyTorch's `{}`, element by element.", op.row().name);
    let (stores, stores_out) = (bound_of_result(op, &quote!(E)), bound_of_result(op, &quote!(F)));
    let plain = name.map(|name| {
        quote! {
            #[doc = #doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #name<O: Element>(&self) -> Tensor<O, S> where E: op::#variant<Output = O> {
                proved(self.#fallible())
            }
        }
    });
    quote! {
        impl<E: Element, S: Shape> Tensor<E, S> {
            #plain

            #[doc = #fallible_doc]
            ///
            /// # Errors
            /// Where a dtype that only the run knows doesn't have the operation.
            pub fn #fallible<O: Element>(&self) -> Result<Tensor<O, S>> where E: op::#variant<Output = O> {
                elementwise::apply(Op::#variant, &[self.erased()], &Params::none()).map(Tensor::proved)
            }

            #[doc = #in_place_doc]
            ///
            /// # Errors
            /// Where the dtype doesn't take the operation or its result, or the elements overlap; nothing is changed then.
            pub fn #in_place<O #stores>(&mut self) -> Result<&mut Self> where E: op::#variant<Output = O> {
                elementwise::apply_in_place(Op::#variant, self.raw(), &[], &Params::none())?;
                Ok(self)
            }

            #[doc = #out_doc]
            ///
            /// # Errors
            /// As for the operation in place; `out` is unchanged then.
            pub fn #out<O #stores_out, F: Element, R: Shape>(&self, out: &mut Tensor<F, R>) -> Result<()> where E: op::#variant<Output = O> {
                self.into_out(Op::#variant, &[], out)
            }
        }
    }
}

fn binary(op: Op) -> TokenStream {
    let Names { variant, name, fallible, in_place, out, panics, fallible_doc, in_place_doc, out_doc } = Names::of(op);
    let doc = format!("PyTorch's `{}`, element by element, with promotion and broadcasting.", op.row().name);
    let (stores, stores_out) = (stores_into(op, &quote!(E)), stores_into(op, &quote!(F)));
    let pair = matches!(op.row().name, "sub" | "rsub").then(|| quote!(+ SubtractWith<X::Element>));
    let bounds = quote! {
        where
            S: Broadcast<X::Shape>,
            E: PromoteWith<S::Level, X::Level, X::Element, Output: op::#variant> #pair,
    };
    let plain = name.map(|name| {
        quote! {
            #[doc = #doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #name<X: Operand>(&self, rhs: X) -> Tensor<<Common<E, S, X> as op::#variant>::Output, Together<S, X>> #bounds {
                proved(self.#fallible(rhs))
            }
        }
    });
    quote! {
        impl<E: Element, S: Shape> Tensor<E, S> {
            #plain

            #[doc = #fallible_doc]
            ///
            /// # Errors
            /// Where the shapes don't broadcast, the devices differ, or the dtypes don't take the operation.
            pub fn #fallible<X: Operand>(&self, rhs: X) -> Result<Tensor<<Common<E, S, X> as op::#variant>::Output, Together<S, X>>> #bounds {
                elementwise::apply(Op::#variant, &[self.erased(), rhs.erased()], &Params::none()).map(Tensor::proved)
            }

            #[doc = #in_place_doc]
            ///
            /// # Errors
            /// As for the operation itself; and where the result can't be cast to this dtype, would have another shape, or the
            /// operand overlaps this tensor. Nothing is changed then.
            pub fn #in_place<X>(&mut self, rhs: X) -> Result<&mut Self>
            where
                X: Operand<Shape: BroadcastInto<S>>,
                E: PromoteWith<S::Level, X::Level, X::Element, Output: op::#variant #stores> #pair,
            {
                elementwise::apply_in_place(Op::#variant, self.raw(), &[rhs.erased()], &Params::none())?;
                Ok(self)
            }

            #[doc = #out_doc]
            ///
            /// # Errors
            /// As for the operation in place; `out` is unchanged then.
            pub fn #out<X: Operand, F: Element, R: Shape>(&self, rhs: X, out: &mut Tensor<F, R>) -> Result<()>
            where
                S: Broadcast<X::Shape>,
                E: PromoteWith<S::Level, X::Level, X::Element, Output: op::#variant #stores_out> #pair,
            {
                self.into_out(Op::#variant, &[rhs.erased()], out)
            }
        }
    }
}
