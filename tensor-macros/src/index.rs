//! `i!`: the entries of an index as types, so far as they are written as numbers. What a number comes to along a dimension is worked out by
//! tensor-core's `tensor/path.rs`; what can be said without the dimension, as the length of `1..3`, is said here.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprLit, ExprRange, ExprUnary, Lit, LitInt, RangeLimits, Token, UnOp};

use crate::facade::facade;
use crate::shape::known;

enum Entry {
    Ellipsis(Span),
    One(Expr),
    Stepped(Expr, Expr),
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![...]) {
            let dots: Token![...] = input.parse()?;
            return Ok(Self::Ellipsis(dots.span()));
        }
        let start = input.span();
        let entry: Expr = input.parse().map_err(|_| refusal(start))?;
        if !input.peek(Token![;]) {
            return Ok(Self::One(entry));
        }
        let _: Token![;] = input.parse()?;
        let at = input.span();
        let step = input.parse().map_err(|_| syn::Error::new(at, "i!: a step stands behind `;`, as in `..;2`"))?;
        Ok(Self::Stepped(entry, step))
    }
}

struct Entries(Punctuated<Entry, Token![,]>);

impl Parse for Entries {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

fn refusal(span: Span) -> syn::Error {
    syn::Error::new(span, "i!: entries are integers, ranges (`..`, `1..-1`, `..;2`), `...`, `NewAxis`, and tensors: `&rows`")
}

/// An integer that is written there, or nothing for another expression.
fn written(number: &Expr) -> syn::Result<Option<i32>> {
    let parse = |literal: &LitInt, sign: i32| Ok(Some(sign * literal.base10_parse::<i32>()?));
    match number {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => parse(literal, 1),
        Expr::Lit(ExprLit { lit, .. }) => Err(refusal(lit.span())),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
            Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => parse(literal, -1),
            Expr::Lit(ExprLit { lit, .. }) => Err(refusal(lit.span())),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// An end of a range: absent, a number, or something that only the run knows.
enum End {
    Open,
    Number(i32),
    Looked,
}

fn end(expression: Option<&Expr>) -> syn::Result<End> {
    let Some(expression) = expression else { return Ok(End::Open) };
    Ok(written(expression)?.map_or(End::Looked, End::Number))
}

/// The length of `k..k + 8`, or of `k..8 + k`.
fn length_from(range: &ExprRange) -> Option<i32> {
    let (start, RangeLimits::HalfOpen(_)) = (range.start.as_deref()?, &range.limits) else { return None };
    let Expr::Binary(ExprBinary { left, op: BinOp::Add(_), right, .. }) = range.end.as_deref()? else { return None };
    let same = |other: &Expr| matches!(start, Expr::Path(_)) && quote!(#start).to_string() == quote!(#other).to_string();
    let length = if same(left) { right } else { Some(left).filter(|_| same(right))? };
    written(length).ok()?.filter(|&length| length >= 0)
}

/// A range of numbers and its step.
struct Places {
    start: Option<i32>,
    end: Option<i32>,
    step: i32,
}

/// What is known of a range without the dimension.
enum Extent {
    /// All places.
    All,
    /// That many, where there are at least the second number of places.
    Length(i32, i32),
    /// All but that many.
    Without(i32),
    /// A start from one end and an end from the other.
    Nothing,
}

impl Places {
    fn extent(&self) -> Extent {
        let steps = |length: i32| (length.max(0) + self.step - 1) / self.step;
        match (self.start.unwrap_or(0), self.end) {
            (0, None) if self.step == 1 => Extent::All,
            (start @ 0.., None) => Extent::Without(start),
            (start @ 0.., Some(end @ 0..)) => Extent::Length(steps(end - start), end),
            (start @ 0.., Some(end)) => Extent::Without(start - end),
            (start, None) => Extent::Length(steps(-start), -start),
            (start, Some(end)) if end < 0 => Extent::Length(steps(end - start), -start),
            _ => Extent::Nothing,
        }
    }
}

struct Writer {
    facade: TokenStream,
    /// The number of the entry, as messages count.
    position: usize,
}

impl Writer {
    fn index(&self, index: i32, span: Span) -> TokenStream {
        let (facade, position) = (&self.facade, Literal::usize_unsuffixed(self.position));
        let needs = if index < 0 { index.unsigned_abs() } else { index.unsigned_abs() + 1 };
        let needs = Literal::u32_unsuffixed(needs);
        let number = Literal::i32_unsuffixed(index);
        quote_spanned! { span => #facade::__private::path::At::<{ #number }, #needs, #position> }
    }

    fn looked(&self, entry: &Expr) -> TokenStream {
        let facade = &self.facade;
        let entry = match entry {
            Expr::Paren(inner) => &inner.expr,
            other => other,
        };
        // A number without a type would have none in time.
        if let Ok(Some(number)) = written(entry) {
            let number = Literal::i64_unsuffixed(number.into());
            return quote_spanned! { entry.span() => #facade::__private::path::Looked::<::core::primitive::isize>(#number) };
        }
        quote_spanned! { entry.span() => #facade::__private::path::Looked(#entry) }
    }

    fn range(&self, range: &ExprRange, whole: Span, step: Option<&Expr>) -> syn::Result<TokenStream> {
        let (facade, position) = (&self.facade, Literal::usize_unsuffixed(self.position));
        let (start, end) = (end(range.start.as_deref())?, end(range.end.as_deref())?);
        let written_step = step.map(written).transpose()?;
        if let Some(Some(number)) = written_step
            && number < 1
        {
            return Err(syn::Error::new(step.map_or(whole, Spanned::span), "slice step must be positive"));
        }
        if let (None, Some(length)) = (step, length_from(range)) {
            return Ok(self.beginning(range, length, whole));
        }
        let step_number = written_step.unwrap_or(Some(1));
        let (End::Number(_) | End::Open, End::Number(_) | End::Open, Some(number)) = (&start, &end, step_number) else {
            let value = match step {
                Some(step) => quote_spanned! { whole => #facade::step(#range, #step) },
                None => quote!(#range),
            };
            return Ok(quote_spanned! { whole => #facade::__private::path::Looked(#value) });
        };
        let place = |end: &End| if let End::Number(number) = end { Some(*number) } else { None };
        let behind = |last: i32| if last == -1 { None } else { Some(last + 1) };
        let closed = matches!(range.limits, RangeLimits::Closed(_));
        let end = place(&end).map_or(Some(None), |last| Some(if closed { behind(last) } else { Some(last) })).flatten();
        let places = Places { start: place(&start), end, step: number };
        Ok(self.places(&places, whole, &position))
    }

    /// A range whose length is written, and whose start is not.
    fn beginning(&self, range: &ExprRange, length: i32, span: Span) -> TokenStream {
        let facade = &self.facade;
        let size = known(facade, usize::try_from(length).unwrap_or(0), span);
        quote_spanned! { span => #facade::__private::path::LookedWithin(#facade::Span::from(#range), #size) }
    }

    fn places(&self, places: &Places, span: Span, position: &Literal) -> TokenStream {
        let facade = &self.facade;
        let optional = |number: Option<i32>| match number {
            Some(number) => {
                let number = Literal::i32_unsuffixed(number);
                quote!(::core::option::Option::Some(#number))
            }
            None => quote!(::core::option::Option::None),
        };
        let (start, end, step) = (optional(places.start), optional(places.end), Literal::i32_unsuffixed(places.step));
        let value = quote_spanned! { span => #facade::Span { start: #start, end: #end, step: #step } };
        match places.extent() {
            Extent::All => quote_spanned! { span => .. },
            Extent::Length(length, needs) => {
                let size = known(facade, usize::try_from(length).unwrap_or(0), span);
                let needs = Literal::i32_unsuffixed(needs);
                quote_spanned! { span => #facade::__private::path::Within::<_, #needs, #position>(#value, #size) }
            }
            Extent::Without(without) => {
                let without = Literal::i32_unsuffixed(without);
                quote_spanned! { span => #facade::__private::path::Without::<#without, #step, #position>(#value) }
            }
            Extent::Nothing => quote_spanned! { span => #facade::__private::path::Looked(#value) },
        }
    }

    fn entry(&self, entry: &Expr) -> syn::Result<TokenStream> {
        let facade = &self.facade;
        match entry {
            Expr::Range(range) => self.range(range, range.span(), None),
            Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "NewAxis" || last.ident == "None") => {
                Ok(quote_spanned! { entry.span() => #facade::NewAxis })
            }
            Expr::Reference(reference) => Ok(quote_spanned! { entry.span() => #facade::__private::path::Chosen(#reference) }),
            other => Ok(match written(other)? {
                Some(index) => self.index(index, other.span()),
                None => self.looked(other),
            }),
        }
    }
}

/// A list of entries, the first one outermost.
fn list(entries: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    entries.rev().fold(quote!(()), |rest, first| quote!((#first, #rest)))
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    expanded(input).unwrap_or_else(syn::Error::into_compile_error)
}

fn expanded(input: TokenStream) -> syn::Result<TokenStream> {
    let facade = facade();
    let Entries(entries) = syn::parse2(input)?;
    let (mut front, mut back): (Vec<TokenStream>, Option<Vec<TokenStream>>) = (Vec::new(), None);
    for (position, entry) in entries.iter().enumerate() {
        let writer = Writer { facade: facade.clone(), position };
        let tokens = match entry {
            Entry::Ellipsis(span) if back.is_some() => {
                return Err(syn::Error::new(*span, "an index can only have a single ellipsis ('...')"));
            }
            Entry::Ellipsis(_) => {
                back = Some(Vec::new());
                continue;
            }
            Entry::One(entry) => writer.entry(entry)?,
            Entry::Stepped(Expr::Range(range), step) => writer.range(range, range.span(), Some(step))?,
            Entry::Stepped(other, _) => return Err(syn::Error::new(other.span(), "i!: only a range has a step, as `..;2`")),
        };
        back.as_mut().unwrap_or(&mut front).push(tokens);
    }
    let tensors: Vec<bool> = entries.iter().map(|entry| matches!(entry, Entry::One(Expr::Reference(_)))).collect();
    let (first, count) = (tensors.iter().position(|tensor| *tensor).unwrap_or(0), tensors.iter().filter(|tensor| **tensor).count());
    let together = count > 0 && back.is_none() && tensors[first..][..count].iter().all(|tensor| *tensor);
    if together {
        let choosers =
            front.drain(first..first + count).rev().reduce(|others, chooser| quote!(#facade::__private::path::Together(#chooser, #others)));
        front.splice(first..first, choosers);
    }
    let front = list(front.into_iter());
    let back = match back {
        Some(back) => {
            let back = list(back.into_iter().rev());
            quote!(::core::option::Option::Some(#back))
        }
        None => quote!(::core::option::Option::None::<()>),
    };
    let path = quote! { #facade::__private::path::Path { front: #front, back: #back } };
    // Where tensors stand beside each other, and are counted from the front, types know where their dimensions stand.
    Ok(if count > 0 && !together { quote!(#facade::__private::path::Several(#path)) } else { path })
}
