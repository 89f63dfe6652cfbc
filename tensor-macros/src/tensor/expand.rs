//! From a checked literal to Rust. Numbers alone become a static array, copied once; numbers with expressions an array on the stack; what
//! may hold tensors is stacked, row by row.

use latten_spec::DType;
use proc_macro2::{Literal as Token, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::check::{Inside, Length, LiteralExtent, converted, length};
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
    let name = syn::Ident::new(&dtype.variant().to_ascii_lowercase(), Span::call_site());
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

impl Expansion<'_> {
    pub(super) fn expand(&self) -> TokenStream {
        let facade = &self.facade;
        let tensor = self.tensor();
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
            let make = if self.extent.lengths.is_empty() { quote!(single) } else { quote!(stacked) };
            // Bound to a name first: another type than is expected here is a mismatch of tensors then, not of what makes shapes.
            return quote!({ let made = #facade::__private::literal::#make(#rows); made });
        };
        let shape = sizes(facade, &self.extent.lengths);
        let own = element(facade, dtype);
        if has_expressions(root) {
            let (array, numbers) = (self.array_type(&own), self.array(root, dtype));
            let flat = self.flat();
            return quote! {
                { let numbers: #array = #numbers; #facade::__private::literal::tensor::<#own, #own, #shape>(#flat) }
            };
        }
        let wire = wire(dtype);
        let held = element(facade, wire);
        let (array, numbers) = (self.array_type(&held), self.array(root, wire));
        let flat = quote!(NUMBERS);
        let flat = self.flattened(&flat);
        quote! {
            { static NUMBERS: #array = #numbers; #facade::__private::literal::tensor::<#held, #own, #shape>(#flat) }
        }
    }

    /// The numbers as a slice, whatever their rank.
    fn flat(&self) -> TokenStream {
        self.flattened(&quote!(numbers))
    }

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

    fn array(&self, node: &Node, dtype: DType) -> TokenStream {
        match node {
            Node::Number(number) => self.number(number.value, dtype, number.span),
            Node::Expression(expression) => {
                let (own, facade) = (element(&self.facade, dtype), facade_at(expression.span()));
                quote_spanned! { expression.span() => #facade::__private::literal::own::<#own, _>(#expression) }
            }
            Node::Row(items, _) => {
                let items = items.iter().map(|item| self.array(item, dtype));
                quote!([#(#items),*])
            }
            Node::Repeat(inner, count, _) => {
                let inner = self.array(inner, dtype);
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

    /// Rows that may hold tensors: nested arrays of what can be stacked.
    fn rows(&self, node: &Node) -> TokenStream {
        let facade = &self.facade;
        match (node, self.dtype) {
            (Node::Number(number), Some(dtype)) => self.number(number.value, dtype, number.span),
            (Node::Number(_), None) => quote!(()),
            (Node::Expression(expression), Some(dtype)) => {
                let (own, facade) = (element(facade, dtype), facade_at(expression.span()));
                quote_spanned! { expression.span() => #facade::__private::literal::of::<#own, _>(#facade::__private::literal::item(&(#expression))) }
            }
            (Node::Expression(expression), None) => {
                let facade = facade_at(expression.span());
                quote_spanned! { expression.span() => #facade::__private::literal::item(&(#expression)) }
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

fn has_expressions(node: &Node) -> bool {
    match node {
        Node::Number(_) => false,
        Node::Expression(_) => true,
        Node::Row(items, _) => items.iter().any(has_expressions),
        Node::Repeat(inner, ..) => has_expressions(inner),
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
