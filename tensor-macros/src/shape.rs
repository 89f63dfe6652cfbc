//! `shape!`: a list of sizes becomes a tuple of dimensions, in a form that is a type and a value alike.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Block, Ident, LitInt, Token, token};

use crate::facade::facade;

/// The longest shape that types can say.
const MAX_RANK: usize = 8;

/// typenum maps `Const<N>` to a number for these only; the macro marks any other as wide.
fn is_mapped(size: usize) -> bool {
    size <= 1024 || size.is_power_of_two() || is_power_of_ten(size)
}

fn is_power_of_ten(mut size: usize) -> bool {
    while size.is_multiple_of(10) && size > 1 {
        size /= 10;
    }
    size == 1
}

enum Size {
    Literal(LitInt),
    Parameter(Ident),
    Expression(Block),
    Unknown(Token![_]),
}

impl Parse for Size {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.lookahead1();
        if ahead.peek(LitInt) {
            input.parse().map(Self::Literal)
        } else if ahead.peek(Token![_]) {
            input.parse().map(Self::Unknown)
        } else if ahead.peek(token::Brace) {
            input.parse().map(Self::Expression)
        } else if ahead.peek(Ident) {
            input.parse().map(Self::Parameter)
        } else {
            Err(syn::Error::new(
                input.span(),
                "shape!: a size is an integer, the name of a const parameter, a `{ const expression }`, or `_` for a size known at run time",
            ))
        }
    }
}

struct Sizes(Punctuated<Size, Token![,]>);

impl Parse for Sizes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

/// The dimension of a size that the macro knows.
pub(crate) fn known(facade: &TokenStream, size: usize, span: Span) -> TokenStream {
    let number = Literal::usize_unsuffixed(size);
    if is_mapped(size) {
        quote_spanned! { span => #facade::D::<#number> }
    } else {
        quote_spanned! { span => #facade::D::<#number, true> }
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (whole, facade) = (input.span(), facade());
    let Sizes(sizes) = match syn::parse2(input) {
        Ok(sizes) => sizes,
        Err(error) => return error.into_compile_error(),
    };
    if sizes.len() > MAX_RANK {
        let message = format!("shape!: types have at most {MAX_RANK} dimensions, not {}; use `AnyShape`", sizes.len());
        return syn::Error::new(whole, message).into_compile_error();
    }
    let mut dims = Vec::new();
    let mut errors: Option<syn::Error> = None;
    for size in &sizes {
        match dim(&facade, size) {
            Ok(tokens) => dims.push(tokens),
            Err(error) => match &mut errors {
                Some(all) => all.combine(error),
                None => errors = Some(error),
            },
        }
    }
    match errors {
        Some(errors) => errors.into_compile_error(),
        None => quote! { (#(#dims,)*) },
    }
}

/// One dimension. `D::<3>` is a type where a type is expected and a value where a value is.
fn dim(facade: &TokenStream, size: &Size) -> syn::Result<TokenStream> {
    Ok(match size {
        Size::Literal(literal) => known(facade, literal.base10_parse()?, literal.span()),
        Size::Parameter(name) => quote_spanned! { name.span() => #facade::D::<#name> },
        Size::Expression(block) => quote_spanned! { block.span() => #facade::D::<#block> },
        Size::Unknown(underscore) => quote_spanned! { underscore.span() => #facade::Dyn },
    })
}
