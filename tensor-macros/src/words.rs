//! The words of the language as methods of Rust's numbers: what the traits of tensor-elements' vocabulary declare, and what floats and complex
//! numbers have, each by a function of a module. Other numbers have code of their own there.

use latten_kernel::words::{Cost, Gives, WORDS, Word};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::kernels::ident;

/// The methods of a trait: `Floating` declares them; `Floating for f32 in single` has them from Rust's number or a module, and `Analytic in complex`
/// from a module that computes with `f64` parts.
pub(crate) fn words(input: TokenStream) -> TokenStream {
    let names: Vec<Ident> =
        input.into_iter().filter_map(|token| if let TokenTree::Ident(name) = token { Some(name) } else { None }).collect();
    let own = WORDS.iter().filter(|word| names[0] == word.home).map(|word| (word.symbol.to_owned(), word));
    // The small angles of all floats are `Floating`'s.
    let angles = WORDS.iter().filter(|word| names[0] == "Floating" && word.cost == Cost::Near && word.arguments == 1);
    own.chain(angles.map(|word| (format!("{}_near", word.name), word)))
        .map(|(name, word)| method(&ident(&name), word, &names[1..]))
        .collect()
}

fn method(name: &Ident, word: &Word, owner: &[Ident]) -> TokenStream {
    let (takes, gives) = match word.gives {
        Gives::Same => (quote! { self }, quote! { Self }),
        Gives::Part => (quote! { self }, quote! { Self::Part }),
        Gives::Whole => (quote! { x: Self::Part }, quote! { Self }),
        Gives::Truth => (quote! { self }, quote! { bool }),
    };
    let of = if word.gives == Gives::Whole {
        quote! { Self::Part }
    } else {
        quote! { Self }
    };
    let others: Vec<Ident> = ["y", "z"][..word.arguments - 1].iter().map(|name| ident(name)).collect();
    let declared = quote! { fn #name(#takes #(, #others: #of)*) -> #gives };
    let body = match owner {
        [] => {
            let called = format!("`{name}`, of the word `{}` of formulas.", word.name);
            return quote! { #[doc = #called] #declared; };
        }
        [_, number, _, _] if word.cost == Cost::Standard => {
            let method = ident(word.method);
            quote! { #number::#method(self #(, #others)*) }
        }
        [_, _, _, module] => quote! { #module::#name(self #(, #others)*) },
        [.., module] => quote! { #module::narrow(#module::#name(#module::widen(self))) },
    };
    quote! { #[inline(always)] #declared { #body } }
}
