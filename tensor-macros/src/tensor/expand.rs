//! From a checked literal to Rust. Numbers alone become a constant array, copied once; numbers with expressions an array on the stack; what
//! may hold tensors is stacked, row by row.

use latten_spec::{Category, DType};
use proc_macro2::{Literal as Token, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::check::{Inside, Length, LiteralExtent, converted, holds, length, says_its_dtype};
use super::parse::{Literal, Node, Value};
use crate::facade::facade_at;
use crate::shape;

/// A literal of which all is known.
pub(super) struct Expansion<'a> {
    pub(super) facade: TokenStream,
    pub(super) literal: &'a Literal,
    pub(super) dtype: Option<DType>,
    pub(super) extent: &'a LiteralExtent,
}

/// A dtype's Rust type, wherever the macro is used.
pub(crate) fn element(facade: &TokenStream, dtype: DType) -> TokenStream {
    let name = Ident::new(&dtype.variant().to_ascii_lowercase(), Span::call_site());
    match dtype {
        DType::F16 | DType::BF16 | DType::C32 | DType::C64 | DType::C128 => quote!(#facade::#name),
        // others: Rust has the type itself.
        _ => quote!(::core::primitive::#name),
    }
}

/// The dtype that numbers have in the program: Rust writes no half precision.
fn wire(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::C32 => DType::C64,
        // others: Rust writes them.
        other => other,
    }
}

/// What a number of an array stands beside.
#[derive(Clone, Copy)]
enum Beside<'a> {
    /// Numbers alone: they are as the program holds them.
    Numbers,
    /// Expressions, whose dtype all get; the first has this name.
    Expressions(&'a Expr, &'a Ident),
}

impl Expansion<'_> {
    pub(super) fn expand(&self) -> TokenStream {
        let facade = &self.facade;
        let tensor = self.tensor();
        // What an argument expects, the literal is of.
        let tensor = match &self.literal.parameter {
            Some(parameter) => quote_spanned! { parameter.span() => #facade::__private::literal::of_dtype::<#parameter, _>(#tensor) },
            None => tensor,
        };
        match &self.literal.device {
            None => tensor,
            Some(device) => quote_spanned! { device.span() => #facade::__private::literal::on_device(#tensor, #device) },
        }
    }

    fn tensor(&self) -> TokenStream {
        let (facade, root) = (&self.facade, &self.literal.root);
        let known = self.dtype.filter(|_| matches!(self.extent.inside, Inside::Numbers | Inside::Nothing));
        let Some(dtype) = known else {
            let rows = self.rows(root);
            let path = quote!(#facade::__private::literal);
            return match &self.extent.lengths[..] {
                [] => quote!(#path::single(#rows)),
                _ => quote!(#path::placed(#path::stacked(#rows), #path::wanted_shape(|shape| shape.decide()))),
            };
        };
        let (own, shape) = (element(facade, dtype), sizes(facade, &self.extent.lengths));
        let (what, wire) = self.numbers(dtype);
        // Of what is expected where the literal stands; else its own types.
        let wanted = quote! {
            #facade::__private::literal::wanted::<#own, #shape, _, _>(|dtype, shape| { dtype.decide(); shape.decide(); })
        };
        if let Some(first) = first_expression(root) {
            // With the span of the user's own, where errors point; a name that no program has.
            let name = Ident::new("latten_first_number", first.span());
            let numbers = self.flattened(&self.array(root, wire, Beside::Expressions(first, &name)));
            // Literals follow the numbers of the program, unless they say a dtype themselves.
            let wanted = if says_its_dtype(self.literal) || dtype == DType::Bool {
                wanted
            } else {
                quote! {
                    #facade::__private::literal::wanted_among::<#what, #own, #shape, _, _, _>(&#name, |dtype, shape| { dtype.decide(); shape.decide(); })
                }
            };
            return quote! {
                match #first { #name => #facade::__private::literal::elements::<#what, #shape, _, _>(#wanted, #numbers) }
            };
        }
        let (array, numbers) = (self.array_type(&element(facade, wire)), self.array(root, wire, Beside::Numbers));
        let flat = self.flattened(&quote!((*numbers)));
        // Constants, which the compiler keeps outside the function; no `static`, because a count may be a parameter.
        quote! {
            { let numbers: &#array = &#numbers; #facade::__private::literal::tensor::<#what, #shape, _, _>(#wanted, #flat) }
        }
    }

    /// What the numbers are, as a type, and the dtype that they have in the program. Where the literal leaves its dtype to what is expected, it
    /// is the widest of their category.
    fn numbers(&self, dtype: DType) -> (TokenStream, DType) {
        let facade = &self.facade;
        let path = quote!(#facade::__private::literal);
        match dtype.category() {
            Category::Boolean => {}
            _ if says_its_dtype(self.literal) => {}
            _ if self.extent.inside == Inside::Nothing => return (quote!(#path::NoNumbers), dtype),
            Category::Floating => return (quote!(#path::Floats), DType::F64),
            Category::Complex => return (quote!(#path::Complexes), DType::C128),
            Category::Integral => {
                let holds = [DType::U8, DType::I8, DType::I16, DType::I32].map(|dtype| holds(self.literal, dtype));
                return (quote!(#path::IntegersFor<#(#holds),*>), DType::I64);
            }
        }
        let (own, wire) = (element(facade, dtype), wire(dtype));
        let written = element(facade, wire);
        (quote!(#path::Said<#own, #written>), wire)
    }

    /// Nested arrays as a slice, whatever their rank.
    fn flattened(&self, numbers: &TokenStream) -> TokenStream {
        match self.extent.lengths.len() {
            0 => quote!(&[#numbers]),
            rank => {
                let flatten = (1..rank).map(|_| quote!(.as_flattened()));
                quote!(#numbers.as_slice()#(#flatten)*)
            }
        }
    }

    fn array_type(&self, element: &TokenStream) -> TokenStream {
        self.extent.lengths.iter().rev().fold(element.clone(), |inner, length| {
            let length = count(length);
            quote!([#inner; #length])
        })
    }

    fn array(&self, node: &Node, wire: DType, beside: Beside<'_>) -> TokenStream {
        match node {
            Node::Number(number) => {
                let (facade, held) = (&self.facade, self.number(number.value, wire, number.span));
                match beside {
                    Beside::Numbers => held,
                    Beside::Expressions(..) => quote!(#facade::__private::literal::rounded(#held)),
                }
            }
            Node::Expression(expression) => {
                let facade = facade_at(expression.span());
                let value = match beside {
                    Beside::Expressions(first, name) if std::ptr::eq(first, &**expression) => quote!(#name),
                    _ => quote!(#expression),
                };
                match self.said() {
                    Some(said) => quote_spanned! { expression.span() => #facade::__private::literal::taken::<#said, _>(&(#value)) },
                    None => quote_spanned! { expression.span() => #facade::__private::literal::own(#value) },
                }
            }
            Node::Row(items, _) => {
                let items = items.iter().map(|item| self.array(item, wire, beside));
                quote!([#(#items),*])
            }
            Node::Repeat(inner, count, _) => {
                let inner = self.array(inner, wire, beside);
                quote!([#inner; #count])
            }
        }
    }

    /// A number of a dtype; it fits, which was checked.
    #[expect(clippy::cast_possible_truncation, reason = "the rounding that PyTorch makes")]
    fn number(&self, value: Value, dtype: DType, span: Span) -> TokenStream {
        let facade = &self.facade;
        let written = |token: Token, negative: bool| {
            let mut token = token;
            token.set_span(span);
            if negative { quote!(-#token) } else { quote!(#token) }
        };
        let float = |x: f64, wide: bool| {
            let (primitive, narrow) = (if wide { quote!(f64) } else { quote!(f32) }, x as f32);
            match if wide { x } else { f64::from(narrow) } {
                nan if nan.is_nan() => quote!(::core::primitive::#primitive::NAN),
                inf if inf.is_infinite() && inf > 0.0 => quote!(::core::primitive::#primitive::INFINITY),
                inf if inf.is_infinite() => quote!(::core::primitive::#primitive::NEG_INFINITY),
                _ if wide => written(Token::f64_suffixed(x.abs()), x.is_sign_negative()),
                _ => written(Token::f32_suffixed(narrow.abs()), x.is_sign_negative()),
            }
        };
        let Ok(value) = converted(value, dtype) else { return quote!(()) };
        match (value, dtype) {
            (Value::Bool(x), _) => quote_spanned!(span => #x),
            (Value::Int(x), _) => {
                let magnitude = x.unsigned_abs();
                let suffixed = match dtype {
                    DType::U8 => format!("{magnitude}u8"),
                    DType::I8 => format!("{magnitude}i8"),
                    DType::I16 => format!("{magnitude}i16"),
                    DType::I32 => format!("{magnitude}i32"),
                    // others: int64, which takes any integer.
                    _ => format!("{magnitude}i64"),
                };
                suffixed.parse().map_or_else(|_| quote!(()), |token| written(token, x < 0))
            }
            (Value::Float(x), DType::F64) => float(x, true),
            (Value::Float(x), DType::F32) => float(x, false),
            (Value::Complex(re, im), DType::C64 | DType::C128) => {
                let (re, im) = (float(re, dtype == DType::C128), float(im, dtype == DType::C128));
                quote!(#facade::Complex { re: #re, im: #im })
            }
            // others: half precision beside expressions.
            (Value::Float(_), half) => {
                let (own, number) = (element(facade, half), self.number(value, DType::F32, span));
                quote!(#facade::__private::literal::rounded::<_, #own>(#number))
            }
            // others: the same.
            (Value::Complex(..), half) => {
                let (own, number) = (element(facade, half), self.number(value, DType::C64, span));
                quote!(#facade::__private::literal::rounded::<_, #own>(#number))
            }
        }
    }

    /// The dtype that is written behind the elements.
    fn said(&self) -> Option<TokenStream> {
        let of_name = self.literal.dtype.map(|dtype| element(&self.facade, dtype));
        self.literal.parameter.as_ref().map(ToTokens::to_token_stream).or(of_name)
    }

    /// Rows that may hold tensors: nested arrays of what can be stacked.
    fn rows(&self, node: &Node) -> TokenStream {
        let facade = &self.facade;
        match (node, self.dtype) {
            (Node::Number(number), Some(dtype)) => self.number(number.value, dtype, number.span),
            (Node::Number(_), None) => quote!(()),
            (Node::Expression(expression), dtype) => {
                let facade = facade_at(expression.span());
                let item = quote_spanned! { expression.span() => #facade::__private::literal::item(&(#expression)) };
                match (self.said(), dtype) {
                    (Some(said), _) => {
                        quote_spanned! { expression.span() => #facade::__private::literal::taken::<#said, _>(&(#expression)) }
                    }
                    (None, Some(dtype)) => {
                        let own = element(&facade, dtype);
                        quote_spanned! { expression.span() => #facade::__private::literal::of::<#own, _>(#item) }
                    }
                    (None, None) => item,
                }
            }
            (Node::Repeat(inner, count, _), _) => {
                let (inner, size) = (self.rows(inner), size(facade, &length(count)));
                quote!((#size, [#inner; #count]))
            }
            (Node::Row(items, _), _) => {
                let size = size(facade, &Length::Known(items.len()));
                let mixed = items.iter().any(|item| matches!(item, Node::Expression(_)))
                    && items.iter().any(|item| matches!(item, Node::Row(..) | Node::Repeat(..)));
                let items = items.iter().map(|item| {
                    let row = self.rows(item);
                    match item {
                        _ if !mixed => row,
                        Node::Expression(expression) => {
                            quote_spanned! { expression.span() => #facade::__private::literal::beside(#row) }
                        }
                        _ => quote!(#facade::__private::literal::beside(#facade::__private::literal::stacked(#row))),
                    }
                });
                quote!((#size, [#(#items),*]))
            }
        }
    }
}

/// The first expression that is no number.
fn first_expression(node: &Node) -> Option<&Expr> {
    match node {
        Node::Number(_) => None,
        Node::Expression(expression) => Some(expression),
        Node::Row(items, _) => items.iter().find_map(first_expression),
        Node::Repeat(inner, ..) => first_expression(inner),
    }
}

fn count(length: &Length) -> TokenStream {
    match length {
        Length::Known(length) => quote!(#length),
        Length::Constant(count) => quote!({ #count }),
    }
}

/// A dimension, as a type and a value.
fn size(facade: &TokenStream, length: &Length) -> TokenStream {
    match length {
        Length::Known(length) => shape::known(facade, *length, Span::call_site()),
        Length::Constant(count) => quote!(#facade::D::<{ #count }>),
    }
}

/// The shape's type.
pub(super) fn sizes(facade: &TokenStream, lengths: &[Length]) -> TokenStream {
    let dims = lengths.iter().map(|length| size(facade, length));
    quote!((#(#dims,)*))
}
