//! The signature of a `#[kernel]`: which operands and parameters there are, which categories of numbers it takes, and what it gives.

use latten_kernel::{Expr, INDEX};
use latten_spec::operation::{Categories, ResultRule};
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, Pat, ReturnType, Type};

/// The words for sets of categories, as signatures have them.
pub(super) const SETS: [(&str, Categories, &str); 10] = [
    ("Boolean", Categories::BOOLEAN, "BOOLEAN"),
    ("Integral", Categories::INTEGRAL, "INTEGRAL"),
    ("Floating", Categories::FLOATING, "FLOATING"),
    ("Complex", Categories::COMPLEX, "COMPLEX"),
    ("Discrete", Categories::DISCRETE, "DISCRETE"),
    ("Real", Categories::REAL, "REAL"),
    ("Number", Categories::NUMBER, "NUMBER"),
    ("Inexact", Categories::INEXACT, "INEXACT"),
    ("Ordered", Categories::ORDERED, "ORDERED"),
    ("Every", Categories::EVERY, "EVERY"),
];

/// More are no operands of a loop.
const MOST: usize = 3;

/// What the signature says.
pub(super) struct KernelSignature {
    /// The last is the places of elements, where `counts`.
    pub(super) operands: Vec<Ident>,
    pub(super) counts: bool,
    pub(super) params: Vec<(Ident, Type)>,
    pub(super) set: Categories,
    pub(super) set_name: Ident,
    pub(super) result: ResultRule,
    pub(super) result_span: Span,
}

impl KernelSignature {
    /// The same with the places of elements as its last operand, where the body counts.
    pub(super) fn counting(mut self, tree: &Expr, errors: &mut Vec<syn::Error>) -> Option<Self> {
        self.counts = tree.counts();
        if !self.counts {
            return Some(self);
        }
        if let [.., last] = self.operands.as_slice()
            && self.operands.len() == MOST
        {
            errors.push(syn::Error::new(last.span(), format!("a kernel has at most {MOST} operands, and `index()` is one")));
            return None;
        }
        self.operands.push(Ident::new(INDEX, Span::call_site()));
        Some(self)
    }
}

/// What the signature of a kernel says, or what is wrong with it.
pub(super) fn signature(function: &ItemFn, errors: &mut Vec<syn::Error>) -> Option<KernelSignature> {
    let before = errors.len();
    let sig = &function.sig;
    for (what, span) in [
        (sig.constness.map(|token| token.span), "`const`"),
        (sig.asyncness.map(|token| token.span), "`async`"),
        (sig.unsafety.map(|token| token.span), "`unsafe`"),
        (sig.abi.as_ref().map(Spanned::span), "an ABI"),
        (sig.generics.lt_token.map(|token| token.span), "generics: it is generic by the categories of its operands"),
    ]
    .into_iter()
    .filter_map(|(span, what)| Some((what, span?)))
    {
        errors.push(syn::Error::new(span, format!("a kernel has no {what}")));
    }
    let (mut operands, mut params, mut set) = (Vec::new(), Vec::new(), None);
    for input in &sig.inputs {
        let FnArg::Typed(input) = input else {
            errors.push(syn::Error::new(input.span(), "a kernel has no `self`"));
            continue;
        };
        let Pat::Ident(name) = &*input.pat else {
            errors.push(syn::Error::new(input.pat.span(), "a kernel's operands are names"));
            continue;
        };
        match (category(&input.ty), &set) {
            (Some(_), _) if !params.is_empty() => {
                errors.push(syn::Error::new(name.span(), "operands stand before parameters: give this one a place further left"));
            }
            (Some(found), None) => {
                set = Some(found);
                operands.push(name.ident.clone());
            }
            (Some(found), Some(first)) => {
                if found.1 != first.1 {
                    let message = format!("operands promote together: `{}` and `{}` must be one", first.1, found.1);
                    errors.push(syn::Error::new(input.ty.span(), message));
                }
                operands.push(name.ident.clone());
            }
            (None, _) if is_number(&input.ty) => params.push((name.ident.clone(), (*input.ty).clone())),
            (None, _) => {
                let names: Vec<_> = SETS.iter().map(|(name, ..)| format!("`{name}`")).collect();
                let message = format!(
                    "a kernel is written for one element: an operand is {}; a parameter, one number for all elements, is `f64`, `f32`, `i64`, `i32` or `bool`",
                    names.join(", ")
                );
                errors.push(syn::Error::new(input.ty.span(), message));
            }
        }
    }
    for (list, what, last) in
        [(operands.len(), "operands", operands.last()), (params.len(), "parameters", params.last().map(|(name, _)| name))]
    {
        if let Some(last) = last.filter(|_| list > MOST) {
            errors.push(syn::Error::new(
                last.span(),
                format!("a kernel has at most {MOST} {what}; `fuse!` in a function of tensors takes more"),
            ));
        }
    }
    let Some((set, set_name)) = set else {
        if errors.len() == before {
            let message = "a kernel has an operand, a tensor whose numbers are of a kind: write `x: Floating`, and `-> Floating`; `f32` is one number for all";
            errors.push(syn::Error::new(sig.ident.span(), message));
        }
        return None;
    };
    let (result, result_span) = result(&sig.output, sig.ident.span(), &set_name, errors)?;
    (errors.len() == before).then_some(KernelSignature { operands, counts: false, params, set, set_name, result, result_span })
}

/// The rule for the dtype of the result. What takes floats only takes integers too, as the default dtype, as `exp` does.
fn result(output: &ReturnType, name: Span, set: &Ident, errors: &mut Vec<syn::Error>) -> Option<(ResultRule, Span)> {
    let ReturnType::Type(_, output) = output else {
        errors.push(syn::Error::new(name, format!("a kernel gives something: `-> {set}`, `-> bool`, or `-> Part` of a complex number")));
        return None;
    };
    let floats = ["Floating", "Inexact", "Complex"].iter().any(|name| set == name);
    let rule = match output_name(output).as_deref() {
        Some("bool") => ResultRule::Bool,
        Some("Part") => ResultRule::Real,
        Some(found) if set == found && floats => ResultRule::Float,
        Some(found) if set == found => ResultRule::Promoted,
        _ => {
            let message = format!("a kernel of `{set}` gives `{set}`, `bool`, or `Part`: the part of a complex number");
            errors.push(syn::Error::new(output.span(), message));
            return None;
        }
    };
    Some((rule, output.span()))
}

fn output_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

fn category(ty: &Type) -> Option<(Categories, Ident)> {
    let Type::Path(path) = ty else { return None };
    let name = path.path.get_ident()?;
    SETS.iter().find(|(set, ..)| name == set).map(|&(_, set, _)| (set, name.clone()))
}

fn is_number(ty: &Type) -> bool {
    matches!(output_name(ty).as_deref(), Some("f64" | "f32" | "i64" | "i32" | "bool"))
}
