//! The folds of the table of reductions as Rust: what an element adds, and what comes of all in the end, for each kind of number; and the
//! one place that goes from a row to its loop. Folds whose terms are the same share what is known, and so its loops.

use latten_kernel::{Expr, Kind, Mistake, check, parse};
use latten_spec::reduction::{FoldRow, Join, Reduction, ReductionRow, When};
use latten_spec::{Category, DType};
use proc_macro2::{Ident, TokenStream};
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
            let one = One { row: op.row(), fold, name: &name, shared: &marker(shared(fold)), number };
            match one.items() {
                Ok(Some(tokens)) => items.extend(tokens),
                Ok(None) => continue,
                Err(mistake) => {
                    let message = format!("{} of {number}: {}", op.row().name, mistake.message);
                    items.extend(quote! { compile_error!(#message); });
                    continue;
                }
            }
            let (dtype, native) = (ident(number.variant()), native(number));
            arms.extend(quote! { (Reduction::#variant, #case, DType::#dtype) => call.fold::<#name, #native>(), });
        }
    }
    quote! {
        #items

        /// Computes a fold of a row on elements that are read as a dtype; nothing, where there is none.
        pub(super) fn run(call: &Call<'_>, fold: usize, number: DType) -> Option<Result<()>> {
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

/// The first fold that knows the same of elements.
fn shared(fold: &FoldRow) -> (Reduction, usize) {
    every_fold().find(|(op, case)| op.row().folds[*case].keeps_as(fold)).unwrap_or((Reduction::Sum, 0))
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
    row: &'a ReductionRow,
    fold: &'a FoldRow,
    name: &'a Ident,
    /// The fold that has the terms.
    shared: &'a Ident,
    number: DType,
}

impl One<'_> {
    fn category(&self) -> Category {
        self.number.category()
    }

    /// What it is made of; nothing, where the row has no formula for such numbers.
    fn items(&self) -> Result<Option<TokenStream>, Mistake> {
        let mut terms = Vec::new();
        for accumulator in self.fold.accumulators {
            let Some(text) = accumulator.term(self.category()) else { return Ok(None) };
            let tree = parse::formula(text)?;
            let mut scope = vec![("x".to_owned(), check::value(self.category()))];
            scope.extend(self.parameter());
            let kind = check::kind(&tree, self.category(), &mut scope)?;
            terms.push((tree, kind));
        }
        let Some((category, text)) = self.fold.finish(self.category()) else { return Ok(None) };
        let kinds: Vec<Kind> = terms.iter().map(|(_, kind)| *kind).collect();
        let finish = self.finish(category, &parse::formula(text)?, &kinds)?;
        let terms =
            (self.name == self.shared).then(|| terms.iter().enumerate().map(|(at, term)| self.term(at, term)).collect::<TokenStream>());
        Ok(Some(quote! { #terms #finish }))
    }

    /// The parameter and its kind.
    fn parameter(&self) -> Option<(String, Kind)> {
        let (name, _) = self.row.parameter?;
        Some((name.to_owned(), real(self.category())))
    }

    fn term(&self, at: usize, (tree, kind): &(Expr, Kind)) -> TokenStream {
        let (name, item, out, body) = (self.name, native(self.number), self.type_of(*kind), rust(tree));
        let parameter = self.parameter().filter(|(name, _)| tree.has(name)).map(|(name, kind)| {
            let (name, real) = (ident(&name), self.type_of(kind));
            quote! { let #name: #real = constant(given); }
        });
        let given = if parameter.is_some() { ident("given") } else { ident("_") };
        quote! {
            impl Term<#item, #at> for #name {
                type Out = #out;

                #[inline(always)]
                fn of(x: #item, #given: f64) -> #out {
                    #parameter
                    #body
                }
            }
        }
    }

    /// The type of a value that elements make.
    fn type_of(&self, kind: Kind) -> TokenStream {
        match kind {
            Kind::Value => native(self.number),
            Kind::Part => native(self.number.to_real()),
            Kind::Truth => quote! { bool },
        }
    }

    /// The last formula, over wide numbers.
    fn finish(&self, category: Category, tree: &Expr, kinds: &[Kind]) -> Result<TokenStream, Mistake> {
        let (name, shared, item) = (self.name, self.shared, native(self.number));
        let (mut types, mut lets, mut scope) = (Vec::new(), TokenStream::new(), Vec::new());
        for (at, (accumulator, &kind)) in self.fold.accumulators.iter().zip(kinds).enumerate() {
            let join = ident(&format!("{:?}", accumulator.join));
            types.push(quote! { #join<#shared, #item, #at> });
            let known = if kinds.len() == 1 {
                quote! { known }
            } else {
                [quote! { known.0 }, quote! { known.1 }][at].clone()
            };
            let (last, kind) = match accumulator.join {
                Join::Sum | Join::Product | Join::Some => (quote! { #known }, kind),
                Join::Greatest | Join::Least => (quote! { Summed::widen(#known) }, kind),
                Join::Count if category == Category::Integral => (quote! { #known }, Kind::Value),
                Join::Count => (quote! { counted(#known) }, real(category)),
                Join::FirstGreatest | Join::FirstLeast if places(self.fold) => (quote! { #known.place() }, Kind::Value),
                Join::FirstGreatest | Join::FirstLeast => (quote! { Summed::widen(#known.value) }, kind),
                Join::Moments => (quote! { #known.squares }, kind),
                Join::Exponentials => {
                    lets.extend(quote! { let most = #known.most; });
                    scope.push(("most".to_owned(), real(category)));
                    (quote! { #known.sum }, kind)
                }
            };
            let variable = ident(accumulator.name);
            lets.extend(quote! { let #variable = #last; });
            scope.push((accumulator.name.to_owned(), kind));
        }
        let numbers = [("count", Some("count")), ("given", self.row.parameter.map(|(name, _)| name))];
        for (argument, name) in numbers.into_iter().filter_map(|(argument, name)| Some((ident(argument), name?))) {
            let variable = ident(name);
            if tree.has(name) && variable != argument {
                lets.extend(quote! { let #variable: f64 = #argument; });
            }
            scope.push((name.to_owned(), real(category)));
        }
        let gives = check::kind(tree, category, &mut scope)?;
        let integers = places(self.fold) || category != self.category();
        let (out, value) = match gives {
            Kind::Truth => (quote! { bool }, rust(tree)),
            _ if integers => (quote! { i64 }, rust(tree)),
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
        Ok(quote! {
            impl Rule<#item> for #name {
                type Accumulators = #accumulators;
                type Out = #out;
                const PLACES: bool = #has_places;

                #[allow(unused_variables, reason = "a formula names what it needs")]
                fn finish(known: <Self::Accumulators as Accumulator>::Known, count: f64, given: f64) -> #out {
                    #lets
                    #value
                }
            }
        })
    }
}

/// The kind of a real number beside numbers of a category.
const fn real(category: Category) -> Kind {
    if matches!(category, Category::Complex) { Kind::Part } else { Kind::Value }
}

/// Whether the places of elements are the results.
fn places(fold: &FoldRow) -> bool {
    fold.accumulators.iter().any(|accumulator| accumulator.finds()) && fold.finish.iter().all(|(of, _)| !of.contains(Category::Floating))
}
