//! The folds of the table of reductions as Rust: what an element adds, and what comes of all in the end, for each kind of number; and the
//! one place that goes from a row to its loop. Folds whose terms are the same share what is known, and so its loops.

use latten_kernel::fold::Fold;
use latten_kernel::{Expr, Kind};
use latten_spec::reduction::{FoldRow, Join, Reduction, When};
use latten_spec::{Category, DType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use crate::kernels::{ident, native, rust};

/// The dtypes that elements are read as.
const NUMBERS: [DType; 6] = [DType::Bool, DType::I64, DType::F32, DType::F64, DType::C64, DType::C128];

/// All folds of the table.
pub(crate) fn folds() -> TokenStream {
    let (mut items, mut arms) = (TokenStream::new(), TokenStream::new());
    for (op, case) in every_fold() {
        let fold = &op.row().folds[case];
        let (name, variant) = (marker((op, case)), ident(op.variant()));
        items.extend(quote! { pub(super) enum #name {} });
        for number in NUMBERS.into_iter().filter(|&number| reads(fold, number)) {
            let formulas = match Fold::new(op.row(), fold, number.category()) {
                Ok(Some(formulas)) => formulas,
                Ok(None) => continue,
                Err(mistake) => {
                    let message = format!("{} of {number}: {}", op.row().name, mistake.message);
                    items.extend(quote! { compile_error!(#message); });
                    continue;
                }
            };
            let shared = marker(fold.shared().unwrap_or((op, case)));
            let one = One { fold, formulas, name: &name, shared: &shared, number };
            if name == shared {
                items.extend(one.terms());
            }
            items.extend(one.finish());
            let (dtype, native) = (ident(number.variant()), native(number));
            arms.extend(quote! { (Reduction::#variant, #case, DType::#dtype) => call.fold::<#name, #native>(), });
        }
    }
    quote! {
        #items

        /// Computes a fold of a row on elements that are read as a dtype; nothing, where there is none.
        pub(super) fn run(call: &DecidedReduction<'_>, fold: usize, number: DType) -> Option<Result<()>> {
            std::option::Option::Some(match (call.op, fold, number) {
                #arms
                _ => return None,
            })
        }
    }
}

fn every_fold() -> impl Iterator<Item = (Reduction, usize)> {
    Reduction::ALL.iter().flat_map(|&op| (0..op.row().folds.len()).map(move |case| (op, case)))
}

fn marker((op, case): (Reduction, usize)) -> Ident {
    format_ident!("{}{case}", op.variant())
}

/// Whether elements are read as a dtype.
fn reads(fold: &FoldRow, number: DType) -> bool {
    DType::COMPUTING.iter().any(|&through| fold.host_number(through) == number)
}

/// A fold on numbers of one type.
struct One<'a> {
    fold: &'a FoldRow,
    formulas: Fold,
    name: &'a Ident,
    /// The fold that has the terms.
    shared: &'a Ident,
    number: DType,
}

impl One<'_> {
    fn terms(&self) -> TokenStream {
        self.formulas.terms.iter().enumerate().map(|(at, term)| self.term(at, term)).collect()
    }

    fn term(&self, at: usize, (tree, kind): &(Expr, Kind)) -> TokenStream {
        let (name, item, body) = (self.name, native(self.number), rust(tree));
        // What exponentials are made of stays as narrow as it is: their sums are wide.
        let widens = self.computing() != self.number;
        let narrow = widens && self.fold.accumulators[at].join == Join::Exponentials;
        let out = if narrow { item.clone() } else { self.type_of(*kind) };
        let parameter = self.formulas.scope.get(1).filter(|(name, _)| tree.has(name)).map(|(name, kind)| {
            let (name, real) = (ident(name), self.type_of(*kind));
            quote! { let #name: #real = constant(given); }
        });
        let given = if parameter.is_some() { ident("given") } else { ident("_") };
        let wide = (widens && !narrow).then(|| quote! { let x = f64::from(x); });
        quote! {
            impl FoldTerm<#item, #at> for #name {
                type Out = #out;

                #[inline(always)]
                fn of(x: #item, #given: f64) -> #out {
                    #wide
                    #parameter
                    #body
                }
            }
        }
    }

    /// What terms are computed in.
    fn computing(&self) -> DType {
        self.fold.number(self.number)
    }

    /// The type of a value that elements make.
    fn type_of(&self, kind: Kind) -> TokenStream {
        match kind {
            Kind::Value => native(self.computing()),
            Kind::Part => native(self.computing().to_real()),
            Kind::Truth => quote! { bool },
        }
    }

    /// What the last formula calls what is known of an accumulator.
    fn lets(&self, known: &TokenStream, join: Join, name: &str) -> TokenStream {
        let name = ident(name);
        match join {
            Join::Count if self.formulas.category != Category::Integral => quote! { let #name = counted(#known); },
            Join::Sum | Join::Product | Join::Some | Join::Count => quote! { let #name = #known; },
            Join::Greatest | Join::Least => quote! { let #name = Summed::widen(#known); },
            Join::FirstGreatest | Join::FirstLeast if self.fold.is_place() => quote! { let #name = #known.place(); },
            Join::FirstGreatest | Join::FirstLeast => quote! { let #name = Summed::widen(#known.value); },
            Join::Moments => quote! { let #name = #known.squares; },
            Join::Exponentials => quote! { let (most, #name) = (#known.most, #known.sum); },
        }
    }

    /// The last formula, over wide numbers.
    fn finish(&self) -> TokenStream {
        let (name, shared, item, tree) = (self.name, self.shared, native(self.number), &self.formulas.finish);
        let accumulators = self.fold.accumulators;
        let (mut types, mut lets) = (Vec::new(), TokenStream::new());
        for (at, accumulator) in accumulators.iter().enumerate() {
            let (join, place) = (ident(&format!("{:?}", accumulator.join)), Literal::usize_unsuffixed(at));
            types.push(quote! { #join<#shared, #item, #at> });
            let known = if accumulators.len() == 1 {
                quote! { known }
            } else {
                quote! { known.#place }
            };
            lets.extend(self.lets(&known, accumulator.join, accumulator.name));
        }
        let parameter = self.formulas.names.iter().skip_while(|(name, _)| name != "count").nth(1).filter(|(name, _)| tree.has(name));
        if let Some((name, _)) = parameter {
            let name = ident(name);
            lets.extend(quote! { let #name: f64 = given; });
        }
        let [count, given] =
            [("count", tree.has("count")), ("given", parameter.is_some())].map(|(name, is)| ident(if is { name } else { "_" }));
        let (out, value) = match self.formulas.gives {
            Kind::Truth => (quote! { bool }, rust(tree)),
            _ if self.fold.is_place() || self.formulas.category != self.number.category() => (quote! { i64 }, rust(tree)),
            kind => {
                let (out, value) = (self.type_of(kind), rust(tree));
                (out.clone(), quote! { <#out as Summed>::narrow(#value) })
            }
        };
        let accumulators = if let [only] = &types[..] {
            only.clone()
        } else {
            quote! { (#(#types),*) }
        };
        let has_places = self.fold.when == When::Picking;
        quote! {
            impl Rule<#item> for #name {
                type Accumulators = #accumulators;
                type Out = #out;
                type Beside = i64;
                const BESIDE: bool = #has_places;

                fn finish(known: <Self::Accumulators as Accumulator>::Known, #count: f64, #given: f64) -> #out {
                    #lets
                    #value
                }

                fn beside(known: <Self::Accumulators as Accumulator>::Known) -> i64 {
                    Self::Accumulators::place(known)
                }
            }
        }
    }
}
