//! What storages have for each row of the table of dtypes: arms of `match_stored!`, conversions by name, PyTorch's old names.

use latten_spec::DType;
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::kernels::ident;
use crate::relations::native;

/// The match over `[dtype] Type [body] [other]`, where `Type` is each dtype's in its body. Quantised dtypes have no type of their own.
pub(crate) fn match_rows(input: TokenStream) -> TokenStream {
    let parts = input.into_iter().map(|part| if let TokenTree::Group(group) = part { group.stream() } else { part.into() });
    let Ok([value, name, body, other]) = <[_; 4]>::try_from(parts.collect::<Vec<_>>()) else { return TokenStream::new() };
    let arms = DType::ALL.iter().filter(|dtype| !dtype.is_computing() && !dtype.is_quantized()).map(|dtype| {
        let (variant, integer) = (ident(dtype.variant()), format_ident!("{}", dtype.variant().to_ascii_lowercase()));
        let stored = if dtype.is_float8() { quote!(Float8<{ DType::#variant as u8 }>) } else { quote!(#integer) };
        quote!(DType::#variant => { type #name = #stored; #body })
    });
    quote!(match #value { #(#arms)* _ => #other })
}

/// `conversions!` with a row for each dtype that has a class of storages or is an 8-bit float: the method, its element, and the dtype.
pub(crate) fn conversions() -> TokenStream {
    let rows = DType::ALL.iter().filter(|dtype| !dtype.is_quantized()).filter_map(|&dtype| {
        let name = if dtype.is_float8() { dtype.name().to_owned() } else { snake(dtype.legacy_name()?) };
        let (name, element, variant) = (ident(&name), native(dtype), ident(dtype.variant()));
        Some(quote!(#name #element, #variant;))
    });
    quote!(conversions! { #(#rows)* })
}

/// A type for each old name; of quantised numbers a row of `quantized!`.
pub(crate) fn legacy() -> TokenStream {
    let named = DType::ALL.iter().filter_map(|&dtype| {
        let name = format_ident!("{}Storage", dtype.legacy_name()?);
        let Some(element) = dtype.rust_type() else {
            let variant = ident(dtype.variant());
            return Some(quote!(quantized! { #name #variant; }));
        };
        let (doc, element) = (format!("Storage of `{element}`."), native(dtype));
        Some(quote!(#[doc = #doc] pub type #name = TypedStorage<#element>;))
    });
    named.collect()
}

/// `complex_float` of `ComplexFloat`, `bfloat16` of `BFloat16`.
fn snake(name: &str) -> String {
    let starts = |at: usize| name[at..].starts_with(char::is_uppercase) && name[..at].ends_with(char::is_lowercase);
    name.char_indices().map(|(at, letter)| format!("{}{}", if starts(at) { "_" } else { "" }, letter.to_ascii_lowercase())).collect()
}
