//! `#[kernel]`: a function in the language of the table's formulas becomes an operation of its own. Its signature says which numbers it
//! takes; its body is parsed and checked by tensor-kernel for each of their categories.

mod signature;

use latten_kernel::derivative::{self, RowNames};
use latten_kernel::inline::{self, Keep};
use latten_kernel::{Expr, Kind, Mistake, check, cuda, parse};
use latten_spec::operation::ResultRule;
use latten_spec::{Category, DType};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ItemFn;
use syn::spanned::Spanned;

use crate::derivatives::formulas as formulas_of;
use crate::facade::facade;
use crate::kernels::{CATEGORIES, Near, near, rust, weight};
use crate::relations::category;
use crate::tensor::element;
use signature::{KernelSignature, SETS, signature};

/// A formula for one category, checked.
struct Formula {
    category: Category,
    /// Without calls of the table's operations.
    tree: Expr,
    /// With those whose derivatives are written.
    derived: Expr,
    gives: Kind,
}

pub(crate) fn expand(arguments: &TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors: Vec<syn::Error> = Vec::new();
    if !arguments.is_empty() {
        errors.push(syn::Error::new(arguments.span(), "#[kernel] takes no arguments"));
    }
    let signature = signature(&function, &mut errors);
    let tree = parse::body(&function.block).map_err(|mistake| errors.push(syn::Error::new(mistake.span, mistake.message))).ok();
    let signature = signature.zip(tree.as_ref()).and_then(|(signature, tree)| signature.counting(tree, &mut errors));
    if let (Some(signature), Some(tree)) = (&signature, &tree) {
        let formulas = formulas(signature, tree, &mut errors);
        if errors.is_empty() {
            return Kernel { function: &function, signature, formulas: &formulas, facade: facade() }.expand();
        }
    }
    fallback(&function, errors)
}

/// The messages, and a function of that name, so that its calls say nothing more.
fn fallback(function: &ItemFn, errors: Vec<syn::Error>) -> TokenStream {
    let errors = errors.into_iter().map(|error| error.to_compile_error());
    let (vis, name) = (&function.vis, &function.sig.ident);
    let (facade, operands) = (facade(), (0..function.sig.inputs.len()).map(|i| format_ident!("X{i}")).collect::<Vec<_>>());
    // What goes on with the result goes on with a tensor like the first operand.
    let (bound, result) = match operands.first() {
        Some(first) => (
            quote!(where #first: #facade::Operand),
            quote!(#facade::Tensor<<#first as #facade::Operand>::Element, <#first as #facade::Operand>::Shape>),
        ),
        None => (TokenStream::new(), quote!(#facade::DynTensor)),
    };
    quote! {
        #(#errors)*
        #[allow(dead_code, missing_docs, reason = "the kernel was refused")]
        #vis fn #name<#(#operands),*>(#(_: #operands),*) -> #result #bound {
            #facade::__private::literal::never()
        }
    }
}

/// The formula for each category that the signature names, checked.
fn formulas(signature: &KernelSignature, tree: &Expr, errors: &mut Vec<syn::Error>) -> Vec<Formula> {
    let mut formulas = Vec::new();
    for category in CATEGORIES.into_iter().filter(|&category| signature.set.contains(category)) {
        let inlined = |keep| inline::inlined(tree, category, &mut scope(signature, category), keep);
        let checked = inlined(Keep::Nothing).and_then(|tree| {
            let gives = check::kind(&tree, category, &mut scope(signature, category))?;
            Ok(Formula { category, derived: inlined(Keep::Derivatives)?, tree, gives })
        });
        let formula = match checked {
            Ok(formula) => formula,
            Err(Mistake { message, span }) => {
                let of =
                    if signature.set_name == format!("{category:?}") { String::new() } else { format!(" (of `{category:?}` numbers)") };
                errors.push(syn::Error::new(span, format!("{message}{of}")));
                break;
            }
        };
        let value = check::value(category);
        let (expected, word) = match signature.result {
            ResultRule::Bool => (Kind::Truth, "`bool`"),
            ResultRule::Real if category == Category::Complex => (Kind::Part, "`Part`"),
            _ => (value, "a value of the operands' dtype"),
        };
        if formula.gives != expected {
            let found = match formula.gives {
                Kind::Truth => "`bool`",
                Kind::Part => "`Part`, a part of a complex number",
                Kind::Value => "a value of the operands' dtype",
            };
            errors.push(syn::Error::new(signature.result_span, format!("the signature says {word}, but the body gives {found}")));
            break;
        }
        formulas.push(formula);
    }
    formulas
}

fn scope(signature: &KernelSignature, category: Category) -> Vec<(String, Kind)> {
    let names = signature.operands.iter().chain(signature.params.iter().map(|(name, _)| name));
    names.map(|name| (name.to_string(), check::value(category))).collect()
}

/// A kernel of which all is checked.
struct Kernel<'a> {
    function: &'a ItemFn,
    signature: &'a KernelSignature,
    formulas: &'a [Formula],
    facade: TokenStream,
}

impl Kernel<'_> {
    fn expand(&self) -> TokenStream {
        let (module, functions) = (self.module(), self.functions());
        quote! { #module #functions }
    }

    /// The loops, the row, and what types know of both.
    fn module(&self) -> TokenStream {
        let Self { function, signature, facade, .. } = self;
        let (vis, name) = (&function.vis, &function.sig.ident);
        let formulas = self.formulas.iter().map(|formula| self.formula(formula));
        let text = name.to_string();
        let (operands, params) =
            (signature.operands.iter().map(ToString::to_string), signature.params.iter().map(|(name, _)| name.to_string()));
        let set = format_ident!("{}", SETS.iter().find(|(set, ..)| signature.set_name == set).map_or("EVERY", |(.., set)| *set));
        let body = &function.block;
        let body = quote!(#body).to_string();
        let rule = format_ident!("{}", format!("{:?}", signature.result));
        let (arms, rows): (Vec<_>, Vec<_>) = (self.arms(), self.rows());
        let (count, source, derivative) = (signature.params.len(), self.cuda(), self.derivative());
        let cuda_doc = format!("The device functions of `{text}` for CUDA: one template for each category of numbers.");
        let module_doc = format!("What `{text}` is made of.");
        quote! {
            #[doc = #module_doc]
            #[allow(non_camel_case_types, clippy::all, clippy::pedantic, reason = "written by #[kernel]")]
            #vis mod #name {
                use #facade::__private::{Complex, DType, Formula, bf16, f16};
                #[allow(unused_imports, reason = "a formula needs some of them")]
                use #facade::__private::vocabulary::{
                    Analytic, Arithmetic, Complexity, Division, Floating, Integral, Magnitude, Power, constant,
                };
                use #facade::__private::{fused, own, spec};

                #(#formulas)*

                fn kernel(dtype: DType) -> ::core::option::Option<own::Kernel> {
                    match dtype {
                        #(#arms)*
                        _ => ::core::option::Option::None,
                    }
                }

                #[doc(hidden)]
                pub static OWN: spec::Own = spec::Own {
                    row: spec::Row {
                        name: #text,
                        operands: &[#(#operands),*],
                        params: &[#((#params, 0.0)),*],
                        result: spec::ResultRule::#rule,
                        kernel: #text,
                        formulas: &[(spec::Categories::#set, #body)],
                        ..spec::Row::PLAIN
                    },
                    kernel,
                    cuda: cuda_source(),
                    derivative: {
                        #[allow(unused_imports, reason = "a derivative needs some of them")]
                        use spec::{Derivative, Formulas, Op, Part};
                        use ::core::option::Option::{None, Some};
                        #derivative
                    },
                };

                /// The kernel as a type.
                #[doc(hidden)]
                #[derive(Debug)]
                pub enum #name {}

                impl fused::Mark for #name {
                    const OPERATION: spec::AnyOperation = spec::AnyOperation::Own(&OWN);
                    const PARAMS: usize = #count;
                    const EXACT: bool = false;
                    const DEFAULTS: ::core::option::Option<[f64; 3]> = ::core::option::Option::None;
                }

                impl fused::OwnMark for #name {}

                #(#rows)*

                #[doc = #cuda_doc]
                #[must_use]
                pub const fn cuda_source() -> &'static str {
                    #source
                }
            }
        }
    }

    /// The gradients of the operands, by rules.
    fn derivative(&self) -> TokenStream {
        let names = |idents: Vec<&Ident>| idents.into_iter().map(ToString::to_string).collect::<Vec<_>>();
        let operands = names(self.signature.operands.iter().collect());
        let params = names(self.signature.params.iter().map(|(name, _)| name).collect());
        let (operands, params): (Vec<_>, Vec<_>) =
            (operands.iter().map(String::as_str).collect(), params.iter().map(String::as_str).collect());
        let names = RowNames { operands: &operands, params: &params };
        let of = |category| {
            let formula = self.formulas.iter().find(|formula| formula.category == category && formula.gives != Kind::Truth);
            match formula.map(|formula| derivative::by_rule(&formula.derived, names, category)) {
                None => quote! { Formulas::NONE },
                Some(Ok(graph)) => formulas_of(&graph),
                Some(Err(Mistake { message, span })) => syn::Error::new(span, message).to_compile_error(),
            }
        };
        let (floating, complex) = (of(Category::Floating), of(Category::Complex));
        quote! { Derivative { floating: #floating, complex: #complex, beside_numbers: None } }
    }

    /// The struct of one category's formula.
    fn formula(&self, formula: &Formula) -> TokenStream {
        let Formula { category, tree, gives, .. } = formula;
        let name = format_ident!("{}", format!("Of{category:?}"));
        let (generics, number) = match category {
            Category::Boolean => (quote! {}, quote! { bool }),
            Category::Integral => (quote! { <C: Integral> }, quote! { C }),
            Category::Floating => (quote! { <C: Floating> }, quote! { C }),
            Category::Complex => (quote! { <C: Complexity> }, quote! { C }),
        };
        let out = match gives {
            Kind::Value => quote! { #number },
            Kind::Part => quote! { C::Part },
            Kind::Truth => quote! { bool },
        };
        let place = |names: &[Ident], i: usize| names.get(i).map_or_else(|| quote! { _ }, |name| quote! { #name });
        let unspanned = |name: &Ident| Ident::new(&name.to_string(), Span::call_site());
        let operands: Vec<_> = self.signature.operands.iter().map(unspanned).collect();
        let params: Vec<_> = self.signature.params.iter().map(|(name, _)| unspanned(name)).collect();
        let taken = [0, 1, 2].map(|i| place(&operands, i));
        let taken_params = [0, 1, 2].map(|i| place(&params, i));
        let (weight, body) = (weight(tree, *category), rust(tree));
        let near = if *category == Category::Floating { near(tree, &operands) } else { None };
        let near = near.map(|Near { test, formula }| {
            quote! {
                const HAS_ANGLES: bool = true;

                #[inline(always)]
                fn is_near([#(#taken),*]: [C; 3], [#(#taken_params),*]: [C; 3]) -> bool {
                    #test
                }

                #[inline(always)]
                fn near([#(#taken),*]: [C; 3], [#(#taken_params),*]: [C; 3]) -> Self::Out {
                    #formula
                }
            }
        });
        quote! {
            #[doc(hidden)]
            #[derive(Debug)]
            pub struct #name<C>(::core::marker::PhantomData<C>);

            #[allow(unused_variables, reason = "a formula uses what it needs")]
            impl #generics Formula for #name<#number> {
                type In = #number;
                type Out = #out;
                const WEIGHT: usize = #weight;

                #[inline(always)]
                fn at([#(#taken),*]: [#number; 3], [#(#taken_params),*]: [#number; 3]) -> #out {
                    #body
                }

                #near
            }
        }
    }

    /// Every dtype that loops compute in, with its loop.
    fn arms(&self) -> Vec<TokenStream> {
        let (operands, params) = (self.signature.operands.len(), self.signature.params.len());
        let computing =
            DType::COMPUTING.iter().filter(|dtype| dtype.computing() == **dtype && self.signature.set.contains(dtype.category()));
        let arm = |dtype: &DType| {
            let (variant, formula, number) = (format_ident!("{}", dtype.variant()), of(*dtype), element(&self.facade, *dtype));
            quote! { DType::#variant => ::core::option::Option::Some(own::kernel::<#formula<#number>, #operands, #params>()), }
        };
        computing.map(arm).collect()
    }

    /// What every dtype gives, and what is computed; of floats and of integers in one row each, so that a function over them can use the kernel.
    fn rows(&self) -> Vec<TokenStream> {
        let (name, facade) = (&self.function.sig.ident, &self.facade);
        let row = |&promoted: &DType| {
            let common = match self.signature.result {
                ResultRule::Float if promoted.is_integral() => DType::F32,
                _ => promoted,
            };
            if !self.signature.set.contains(common.category()) {
                return None;
            }
            let result = match self.signature.result {
                ResultRule::Bool => DType::Bool,
                ResultRule::Real => common.to_real(),
                _ => common,
            };
            // The first dtype of a kind stands for all.
            let kind = match promoted.category() {
                Category::Integral => Some(quote!(#facade::Integral)),
                Category::Floating => Some(quote!(#facade::Float)),
                Category::Boolean | Category::Complex => None,
            };
            let named = |dtype: DType| if kind.is_some() && dtype == promoted { quote!(E) } else { element(facade, dtype) };
            let [given, output, common_type] = [promoted, result, common].map(named);
            let own = kind.is_some() && common == promoted;
            let computing = if own { quote!(<E as fused::Held>::Computing) } else { element(facade, common.computing()) };
            let (formula, category) = (of(common), category(promoted.category()));
            let generics = kind.map(|kind| quote!(<E: #kind>));
            Some(quote! {
                #[diagnostic::do_not_recommend]
                impl #generics fused::InCategory<#name, #given> for #facade::relations::#category {
                    type Output = #output;
                    type Common = #common_type;
                    type Formula = #formula<#computing>;
                }
            })
        };
        let has_kind = |dtype: DType| matches!(dtype.category(), Category::Integral | Category::Floating);
        DType::COMPUTING.iter().filter(|&&dtype| !has_kind(dtype) || matches!(dtype, DType::I64 | DType::F32)).filter_map(row).collect()
    }

    /// The device functions.
    fn cuda(&self) -> String {
        let name = self.function.sig.ident.to_string();
        let functions = self.formulas.iter().filter_map(|formula| {
            let name = format!("{name}_{}", format!("{:?}", formula.category).to_ascii_lowercase());
            cuda::function(&name, &formula.tree, formula.category, &scope(self.signature, formula.category)).ok()
        });
        functions.map(|function| function.text).collect::<Vec<_>>().join("\n")
    }

    /// The functions that the user calls.
    fn functions(&self) -> TokenStream {
        let Self { function, signature, facade, .. } = self;
        let (vis, name, attributes) = (&function.vis, &function.sig.ident, &function.attrs);
        let [fallible, in_place, out] = [format_ident!("try_{name}"), format_ident!("{name}_"), format_ident!("{name}_out")];
        let (operands, params) = (&signature.operands, &signature.params);
        let given = operands.len() - usize::from(signature.counts);
        let first = &operands[0];
        let rest: Vec<_> = operands[1..given].iter().collect();
        let types: Vec<_> = (1..given).map(|i| format_ident!("X{i}")).collect();
        let indices: Vec<_> = (1..given).collect();
        let own = quote!(#facade::__private::own);
        let fused = quote!(#facade::__private::fused);
        let (numbers, number_types): (Vec<_>, Vec<_>) = params.iter().map(|(name, ty)| (name, ty)).unzip();
        let given = (0..3).map(|i| match params.get(i) {
            Some((name, _)) => quote!(::core::option::Option::Some(#facade::Scalar::from(#name))),
            None => quote!(::core::option::Option::None),
        });
        let given = quote!([#(#given),*]);
        let mark = quote!(#name::#name);
        let build = [quote!(one), quote!(two), quote!(three)][operands.len() - 1].clone();
        let mut terms: Vec<_> = types.iter().zip(&indices).map(|(ty, i)| quote!(<#ty as #own::Beside<#i>>::Term)).collect();
        let mut beside: Vec<_> =
            types.iter().zip(&rest).zip(&indices).map(|((ty, name), i)| quote!(<#ty as #own::Beside<#i>>::beside(#name))).collect();
        if signature.counts {
            terms.push(quote!(#fused::Lazy<#fused::PlaceIndex>));
            beside.push(quote!(#fused::index()));
        }
        let node = self.node(&quote!(X::Node), &terms);
        let leaf = self.node(&quote!(#fused::Leaf<'x, E, S, 0>), &terms);
        let leaf_bounds = self.bounds(&quote!(E), &quote!(S), &terms, None);
        let in_place_bounds = self.bounds(&quote!(E), &quote!(S), &terms, Some([quote!(E), quote!(S)]));
        let out_bounds = self.bounds(&quote!(E), &quote!(S), &terms, Some([quote!(F), quote!(R)]));
        let node_bounds = self.bounds(&quote!(<X::Node as #fused::Node>::Element), &quote!(<X::Node as #fused::Node>::Shape), &terms, None);
        let docs = [
            format!(
                "What [`{name}`] gives, or the error that it panics with.\n\n# Errors\nWhere shapes don't broadcast, devices differ, or the dtype has no formula."
            ),
            format!(
                "[`{name}`] in place: the dtype and the shape stay.\n\n# Errors\nAs [`try_{name}`], and where the result doesn't fit; nothing is changed then."
            ),
            format!(
                "[`{name}`] into a tensor, whose dtype and shape stay.\n\n# Errors\nAs [`try_{name}`], and where the result doesn't fit; nothing is changed then."
            ),
        ];
        let [fallible_doc, in_place_doc, out_doc] = docs;
        let generics = quote!('x, E: #facade::Element, S: #facade::Shape #(, #types: #own::Beside<#indices>)*);
        let more = quote!(#(, #rest: #types)* #(, #numbers: #number_types)*);
        let build_leaf = quote!(#own::#build::<#mark, _ #(, #terms)*>(<&#facade::Tensor<E, S> as #own::Subject<0>>::subject(#first) #(, #beside)*, #given));
        quote! {
            #(#attributes)*
            #[must_use]
            #[track_caller]
            #vis fn #name<X: #own::Subject<0> #(, #types: #own::Beside<#indices>)*>(#first: X #more) -> X::Output<#node>
            where #node_bounds
            {
                X::finish(#own::#build::<#mark, _ #(, #terms)*>(#first.subject() #(, #beside)*, #given))
            }

            #[doc = #fallible_doc]
            #[allow(dead_code, reason = "one of the forms of a kernel")]
            #vis fn #fallible<#generics>(#first: &'x #facade::Tensor<E, S> #more)
                -> #facade::Result<#facade::Tensor<<#leaf as #fused::Node>::Element, <#leaf as #fused::Node>::Shape>>
            where #leaf_bounds
            {
                #facade::__private::fuse::try_evaluate(#build_leaf)
            }

            #[doc = #in_place_doc]
            #[allow(dead_code, reason = "one of the forms of a kernel")]
            #vis fn #in_place<#generics>(#first: &'x mut #facade::Tensor<E, S> #more) -> #facade::Result<()>
            where #in_place_bounds
            {
                let out = #first;
                let #first = &out.alias();
                #own::into(#build_leaf, out)
            }

            #[doc = #out_doc]
            #[allow(dead_code, reason = "one of the forms of a kernel")]
            #vis fn #out<#generics, F: #facade::Element, R: #facade::Shape>(
                #first: &'x #facade::Tensor<E, S> #more, out: &mut #facade::Tensor<F, R>,
            ) -> #facade::Result<()>
            where #out_bounds
            {
                #own::into(#build_leaf, out)
            }
        }
    }

    /// The type of the kernel's expression on a node and terms.
    fn node(&self, first: &TokenStream, terms: &[TokenStream]) -> TokenStream {
        let (facade, name) = (&self.facade, &self.function.sig.ident);
        let (fused, own) = (quote!(#facade::__private::fused), quote!(#facade::__private::own));
        let mark = quote!(#name::#name);
        match terms {
            [] => quote!(#fused::OneNode<#mark, <#first as #fused::Node>::Element, #first>),
            [y] => quote!(#own::OnTwo<#mark, #first, #y>),
            [y, z, ..] => quote!(#own::OnThree<#mark, #first, #y, #z>),
        }
    }

    /// What a kernel asks of the dtypes and the shapes of its operands.
    fn bounds(&self, dtype: &TokenStream, shape: &TokenStream, terms: &[TokenStream], into: Option<[TokenStream; 2]>) -> TokenStream {
        let (facade, name) = (&self.facade, &self.function.sig.ident);
        let (fused, relations, shapes) = (quote!(#facade::__private::fused), quote!(#facade::relations), quote!(#facade::shape));
        let (on, fits) = match &into {
            None => (quote!(#fused::On<#name::#name>), quote!(#facade::Shape)),
            Some([element, out]) => {
                (quote!(#fused::On<#name::#name, Output: #relations::CastInto<#element>>), quote!(#shapes::BroadcastInto<#out>))
            }
        };
        let level = quote!(<#shape as #facade::Shape>::Level);
        // What is known is written out: a bound on a projection of known types isn't found again.
        let index = [quote!(i64), quote!(#shapes::ZeroDim), quote!(())];
        let [dtypes, levels, sizes] = [("Element", 0), ("Level", 1), ("Shape", 2)].map(|(part, known)| {
            let part = format_ident!("{part}");
            let place = if self.signature.counts { terms.len() - 1 } else { terms.len() };
            let of =
                |(i, term): (usize, &TokenStream)| if i == place { index[known].clone() } else { quote!(<#term as #fused::Term>::#part) };
            terms.iter().enumerate().map(of).collect::<Vec<_>>()
        });
        match (dtypes.as_slice(), levels.as_slice(), sizes.as_slice()) {
            ([y], [y_level], [y_shape]) => quote! {
                #shape: #shapes::BroadcastWith<#y_shape, Common: #fits>,
                #dtype: #relations::PromoteWith<#level, #y_level, #y, Output: #on>,
            },
            ([y, z], [y_level, z_level], [y_shape, z_shape]) => quote! {
                #shape: #shapes::BroadcastWith<#y_shape, Common: #shapes::BroadcastWith<#z_shape, Common: #fits>>,
                #dtype: #relations::PromoteThree<(#level, #y_level, #z_level), #y, #z, Output: #on>,
            },
            _ => quote!(#dtype: #on, #shape: #fits,),
        }
    }
}

/// The struct of a dtype's formula.
fn of(dtype: DType) -> Ident {
    format_ident!("{}", format!("Of{:?}", dtype.category()))
}
