//! `einsum!`: the sizes of a sum of products from those of its operands. The equation is read as the run time reads it; each size of the
//! result is what the sizes of its letter broadcast to, whose relations and messages are those of tensors.

use latten_spec::equation::{Equation, Subscript};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, LitStr, Token};

use crate::facade::facade;
use crate::fuse::Ending;
use crate::shapes::{MAX_RANK, number};

struct Input {
    equation: LitStr,
    operands: Punctuated<Expr, Token![,]>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let start = input.span();
        let equation = input.parse().map_err(|_| {
            let message = "einsum!: an equation is written there, einsum!(\"ij,jk->ik\", a, b); what the run knows goes into the function: einsum(equation, (&a, &b))?";
            syn::Error::new(start, message)
        })?;
        if !input.is_empty() {
            let _: Token![,] = input.parse()?;
        }
        Ok(Self { equation, operands: Punctuated::parse_terminated(input)? })
    }
}

pub(crate) fn expand(input: TokenStream, ending: Ending) -> TokenStream {
    let facade = facade();
    syn::parse2(input).and_then(|input| expanded(&facade, &input, ending)).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!({ #error #facade::__private::literal::never::<#facade::Any, #facade::AnyShape>() })
    })
}

fn expanded(facade: &TokenStream, input: &Input, ending: Ending) -> syn::Result<TokenStream> {
    let written = &input.equation;
    let refused = |error: latten_spec::error::Error| syn::Error::new(written.span(), error.to_string());
    let text = written.value();
    let equation = Equation::parse(&text).map_err(refused)?;
    equation.check_count(input.operands.len()).map_err(refused)?;
    let output = equation.output().map_err(refused)?;
    let letters = || equation.letters.iter().map(|&(letter, _)| letter);
    let open = equation.operands.iter().flatten().any(|subscript| *subscript == Subscript::Ellipsis);

    let private = quote!(#facade::__private::equation);
    let numbers = 0..input.operands.len();
    let (dtypes, shapes): (Vec<_>, Vec<_>) = numbers.map(|at| (format_ident!("E{at}"), format_ident!("S{at}"))).unzip();
    let spans = input.operands.iter().map(|operand| Span::mixed_site().located_at(operand.span()));
    let operands: Vec<Ident> = spans.enumerate().map(|(at, span)| format_ident!("operand_{at}", span = span)).collect();
    let mut bounds = Vec::new();

    // Of which dtype: products promote nothing, and a sum has to stay of its dtype. Each has a name, so that what isn't there is told once.
    let products: Vec<Ident> = (1..dtypes.len()).map(|at| format_ident!("P{at}")).collect();
    let mut dtype = &dtypes[0];
    for (other, product) in dtypes[1..].iter().zip(&products) {
        bounds.push(quote!(#dtype: #private::MultiplyWith<#other, Output = #product>));
        dtype = product;
    }
    if letters().any(|letter| !output.contains(&Subscript::Letter(letter))) {
        bounds.push(quote!(#dtype: #private::SumsStay));
    }

    // Of which shape: an ellipsis leaves it to the run.
    let ranks = equation.operands.iter().map(Vec::len);
    let known = !open && ranks.chain([output.len()]).all(|rank| rank <= MAX_RANK);
    let mut sizes = SubscriptSizes { private: &private, names: Vec::new(), bounds: Vec::new() };
    let mut shape = quote!(#facade::AnyShape);
    if known {
        for (shape, list) in shapes.iter().zip(&equation.operands) {
            sizes.count(shape, list);
        }
        let named: Vec<(u8, Ident)> = letters().map(|letter| (letter, sizes.of(letter))).collect();
        let kept = output.iter().filter_map(|subscript| named.iter().find(|(letter, _)| Subscript::Letter(*letter) == *subscript));
        let kept = kept.map(|(_, size)| size);
        shape = quote!((#(#kept,)*));
    }
    let names = sizes.names.iter().map(|(_, name)| name);
    bounds.extend(sizes.bounds);

    let result = quote!(#facade::Tensor<#dtype, #shape>);
    let (given, result) = match ending {
        Ending::Panics => (quote!(given), result),
        Ending::Returns => (quote!(tried), quote!(#facade::Result<#result>)),
    };
    let values: Vec<_> = input.operands.iter().map(|operand| quote_spanned!(operand.span() => &(#operand))).collect();
    let name = Ident::new("einsum", written.span());
    Ok(quote! {
        match (#(#values,)*) {
            (#(#operands,)*) => {
                #[allow(non_camel_case_types)]
                #[track_caller]
                fn #name<#(#dtypes: #facade::Element,)* #(#products: #facade::Element,)* #(#shapes: #facade::Shape,)* #(#names: #facade::Dim),*>(
                    #(#operands: &#facade::Tensor<#dtypes, #shapes>),*
                ) -> #result
                where
                    #(#bounds,)*
                {
                    #private::#given(#written, &[#(#operands.raw()),*])
                }
                #name(#(#operands),*)
            }
        }
    })
}

/// Writes the sizes of letters, and what must be true of them.
struct SubscriptSizes<'a> {
    private: &'a TokenStream,
    /// Each size of an operand, and what sizes of one letter broadcast to, by their letter.
    names: Vec<(u8, Ident)>,
    bounds: Vec<TokenStream>,
}

impl SubscriptSizes<'_> {
    fn name(&mut self, letter: u8) -> Ident {
        let name = format_ident!("{}_{}", char::from(letter), self.names.len());
        self.names.push((letter, name.clone()));
        name
    }

    /// An operand has a dimension for each subscript.
    fn count(&mut self, shape: &Ident, list: &[Subscript]) {
        let (private, rank) = (self.private, number(list.len()));
        let letters = list.iter().filter_map(|subscript| if let Subscript::Letter(letter) = *subscript { Some(letter) } else { None });
        let (places, names): (Vec<_>, Vec<_>) =
            letters.enumerate().map(|(at, letter)| (format_ident!("At{at}"), self.name(letter))).unzip();
        self.bounds.push(quote!(#shape: #private::Subscripted<#rank #(, #places = #names)*>));
    }

    /// The size of a letter: what its sizes in all operands broadcast to.
    fn of(&mut self, letter: u8) -> Ident {
        let (private, subscript) = (self.private, char::from(letter));
        let mut sizes = self.names.iter().filter(|(of, _)| *of == letter).map(|(_, name)| name.clone()).collect::<Vec<_>>().into_iter();
        let first = sizes.next().unwrap_or_else(|| format_ident!("none"));
        sizes.fold(first, |one, next| {
            let both = self.name(letter);
            self.bounds.push(quote!(#one: #private::SubscriptWith<#next, #subscript, Size = #both>));
            both
        })
    }
}
