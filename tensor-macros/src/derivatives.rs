//! The derivatives of operations as static data: graphs of operations of the table, which the run time computes as programs. No loop is
//! compiled for them.

use latten_kernel::Mistake;
use latten_kernel::derivative::{self, Graph, Part};
use latten_spec::Category;
use latten_spec::operation::{Beside, Op};
use proc_macro2::TokenStream;
use quote::quote;

use crate::kernels::ident;

/// The derivatives of all rows of the table.
pub(crate) fn derivatives() -> TokenStream {
    let arms = Op::ALL.iter().map(|&op| {
        let variant = ident(op.variant());
        let derivative = match of_row(op) {
            Ok(derivative) => derivative,
            Err(mistake) => {
                let message = format!("the derivative of {op}: {}", mistake.message);
                quote! { compile_error!(#message) }
            }
        };
        quote! { Op::#variant => { static DERIVATIVE: Derivative = #derivative; &DERIVATIVE } }
    });
    quote! {
        /// The derivative of an operation.
        pub(crate) fn derivative(op: Op) -> &'static Derivative {
            match op {
                #(#arms)*
                _ => &Derivative::NONE,
            }
        }
    }
}

fn of_row(op: Op) -> Result<TokenStream, Mistake> {
    let row = op.row();
    let formulas = |category, beside| match row.formula(category) {
        Some(_) => derivative::of_row(row, category, beside).map(|graph| formulas(&graph)),
        None => Ok(quote! { Formulas::NONE }),
    };
    let floating = formulas(Category::Floating, Beside::Tensors)?;
    let complex = formulas(Category::Complex, Beside::Tensors)?;
    let numbers = if row.derivatives.iter().any(|row| row.beside == Beside::Numbers) {
        let numbers = formulas(Category::Floating, Beside::Numbers)?;
        quote! { Some(#numbers) }
    } else {
        quote! { None }
    };
    Ok(quote! { Derivative { floating: #floating, complex: #complex, beside_numbers: #numbers } })
}

/// A graph as an expression of static data.
pub(crate) fn formulas(graph: &Graph) -> TokenStream {
    let place = |place: &Option<usize>| match place {
        Some(place) => quote! { Some(#place) },
        None => quote! { None },
    };
    let parts = graph.parts.iter().map(|part| match part {
        Part::Gradient => quote! { Part::Gradient },
        Part::Operand(at) => quote! { Part::Operand(#at) },
        Part::Result => quote! { Part::Result },
        Part::Parameter(at) => quote! { Part::Parameter(#at) },
        Part::Number(number) => quote! { Part::Number(#number) },
        Part::Imaginary => quote! { Part::Imaginary },
        Part::Index => quote! { Part::Index },
        Part::Step(op, arguments) => {
            let (op, arguments) = (ident(op.variant()), arguments.iter().map(place));
            quote! { Part::Step(Op::#op, [#(#arguments),*]) }
        }
    });
    let gradients = graph.gradients.iter().map(place);
    quote! { Formulas { parts: &[#(#parts),*], gradients: &[#(#gradients),*] } }
}
