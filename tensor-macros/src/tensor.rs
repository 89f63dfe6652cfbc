//! `tensor!`: numbers as they stand become a tensor whose type has their dtype and shape. Parse, check, expand: one file each.

use latten_spec::DType;
use proc_macro2::TokenStream;
use quote::quote;

mod check;
mod expand;
mod parse;

use check::Mistakes;
use expand::Expansion;
pub(crate) use expand::element;
use parse::Around;

use crate::facade::facade;

/// The expansion of a literal; `call` is the text of the macro's call, where it is known.
pub(crate) fn expand(input: TokenStream, call: Option<&str>) -> TokenStream {
    let facade = facade();
    let literal = match parse::literal(input, around(call)) {
        Ok(literal) => literal,
        Err(error) => return fallback(&facade, &error, None, None),
    };
    let mut mistakes = Mistakes::default();
    let extent = check::extent(&literal.root, &mut mistakes);
    if let Some(extent) = &extent {
        check::rank(&literal, extent, &mut mistakes);
    }
    let dtype = check::dtype(&literal, extent.as_ref(), &mut mistakes);
    if let Some(dtype) = dtype {
        check::fit(&literal, dtype, &mut mistakes);
    }
    let shape = extent.as_ref().filter(|extent| extent.lengths.len() <= 8).map(|extent| expand::sizes(&facade, &extent.lengths));
    match (mistakes.into_error(), &extent) {
        (Some(error), _) => fallback(&facade, &error, dtype, shape),
        (None, Some(extent)) => Expansion { facade, literal: &literal, dtype, extent }.expand(),
        (None, None) => TokenStream::new(),
    }
}

/// What the macro was called with: only its text tells.
fn around(call: Option<&str>) -> Around {
    let delimiter = call.and_then(|text| text.split_once('!')).map(|(_, rest)| rest.trim_start());
    match delimiter.and_then(|rest| rest.chars().next()) {
        Some('[') => Around::Row,
        _ => Around::Call,
    }
}

/// The messages, and a tensor of the type that is known, so that one mistake has one message.
fn fallback(facade: &TokenStream, error: &syn::Error, dtype: Option<DType>, shape: Option<TokenStream>) -> TokenStream {
    let errors = error.to_compile_error();
    let dtype = dtype.map_or_else(|| quote!(#facade::Any), |dtype| element(facade, dtype));
    let shape = shape.unwrap_or_else(|| quote!(#facade::AnyShape));
    quote!({ #errors #facade::__private::literal::never::<#dtype, #shape>() })
}

#[cfg(test)]
mod tests {
    use super::expand;

    /// The expansion, with the names of the facade's paths shortened.
    fn expansion(call: &str) -> String {
        let inside = call.trim_start_matches("tensor!").trim();
        let inside = inside[1..inside.len() - 1].parse().expect("tokens");
        expand(inside, Some(call)).to_string()
    }

    #[test]
    fn delimiters_tell_rows_from_calls() {
        let is_scalar = |call: &str| expansion(call).contains("wanted :: < :: core :: primitive :: f32 , () , _ , _ >");
        assert!(is_scalar("tensor!(2.5)"), "{}", expansion("tensor!(2.5)"));
        assert!(!is_scalar("tensor![2.5]"), "{}", expansion("tensor![2.5]"));
        assert!(!is_scalar("tensor!(2.5,)"), "{}", expansion("tensor!(2.5,)"));
    }
}
