//! `shape!`: a list of sizes becomes a tuple of dimensions, in a form that is a type and a value alike.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Ident, Lit, LitInt, Token, Type};

use crate::facade::facade;

/// The longest shape that types can say.
const MAX_RANK: usize = 8;

enum Size {
    Literal(LitInt),
    Constant(Expr),
    Parameter(Type),
    Unknown(Token![_]),
}

impl Parse for Size {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![_]) {
            return input.parse().map(Self::Unknown);
        }
        if let Some(parameter) = type_parameter(input)? {
            return Ok(Self::Parameter(parameter));
        }
        let start = input.span();
        let size: Expr = input.parse().map_err(|_| refusal(start))?;
        match size {
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => Ok(Self::Literal(literal)),
            Expr::Lit(_) | Expr::Unary(_) => Err(refusal(start)),
            constant => match variable(&constant) {
                Some(name) => {
                    let size = constant.to_token_stream().to_string().replace([' ', '\n'], "");
                    let message = format!(
                        "shape!: `{name}` is a variable, and a type can't know its size: write `_` here, or give the sizes as an array, `[{size}, …]`"
                    );
                    Err(syn::Error::new(start, message))
                }
                None => Ok(Self::Constant(constant)),
            },
        }
    }
}

/// `<B>`, if that is what comes, and not the beginning of `<B as Trait>::SIZE`.
fn type_parameter(input: ParseStream<'_>) -> syn::Result<Option<Type>> {
    let ahead = input.fork();
    let is_one = ahead.parse::<Token![<]>().is_ok() && ahead.parse::<Type>().is_ok() && ahead.parse::<Token![>]>().is_ok();
    if !is_one || ahead.peek(Token![::]) {
        return Ok(None);
    }
    let _: Token![<] = input.parse()?;
    let parameter = input.parse()?;
    let _: Token![>] = input.parse()?;
    Ok(Some(parameter))
}

fn refusal(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "shape!: a size is an integer, a constant (a const parameter, `N`, or an expression, `2 * N`), a type parameter, `<B>`, or `_` for a size known at run time",
    )
}

/// A name in a size that constants don't have: alone, with a field or a method behind it, or in arithmetic.
fn variable(size: &Expr) -> Option<&Ident> {
    match size {
        Expr::Path(path) => path.path.get_ident().filter(|name| name.to_string().starts_with(char::is_lowercase)),
        Expr::Field(field) => variable(&field.base),
        Expr::MethodCall(call) => variable(&call.receiver),
        Expr::Index(index) => variable(&index.expr),
        Expr::Paren(inner) => variable(&inner.expr),
        Expr::Cast(cast) => variable(&cast.expr),
        Expr::Binary(both) => variable(&both.left).or_else(|| variable(&both.right)),
        _ => None,
    }
}

struct Sizes(Punctuated<Size, Token![,]>);

impl Parse for Sizes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

/// The dimension of a size that the macro knows. Size 1 has a type of its own, because it stretches.
pub(crate) fn known(facade: &TokenStream, size: usize, span: Span) -> TokenStream {
    if size == 1 {
        return quote_spanned! { span => #facade::One };
    }
    let number = Literal::usize_unsuffixed(size);
    quote_spanned! { span => #facade::D::<#number> }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (whole, facade) = (input.span(), facade());
    let Sizes(sizes) = match syn::parse2(input) {
        Ok(sizes) => sizes,
        Err(error) => return error.into_compile_error(),
    };
    if sizes.len() > MAX_RANK {
        let message = format!("shape!: types have at most {MAX_RANK} dimensions, not {}; use `Any`", sizes.len());
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

/// A dimension by itself.
pub(crate) fn expand_one(input: TokenStream) -> TokenStream {
    let whole = input.span();
    match syn::parse2(input) {
        Ok(Sizes(sizes)) if sizes.len() == 1 => dim(&facade(), &sizes[0]).unwrap_or_else(syn::Error::into_compile_error),
        Ok(Sizes(sizes)) => syn::Error::new(whole, format!("dim!: one size, not {}", sizes.len())).into_compile_error(),
        Err(error) => error.into_compile_error(),
    }
}

/// One dimension. `D::<3>` is a type where a type is expected and a value where a value is.
fn dim(facade: &TokenStream, size: &Size) -> syn::Result<TokenStream> {
    Ok(match size {
        Size::Literal(literal) => known(facade, literal.base10_parse()?, literal.span()),
        // In braces a name is the constant's, whatever type has it, too; a name alone may be that of a type, which rustc says then.
        Size::Constant(Expr::Block(block)) => quote_spanned! { block.span() => #facade::D::<#block> },
        Size::Constant(Expr::Path(name)) if name.path.get_ident().is_some() => quote_spanned! { name.span() => #facade::D::<#name> },
        Size::Constant(constant) => quote_spanned! { constant.span() => #facade::D::<{ #constant }> },
        Size::Parameter(parameter) => quote! { #parameter },
        Size::Unknown(underscore) => quote_spanned! { underscore.span() => #facade::Dyn },
    })
}
