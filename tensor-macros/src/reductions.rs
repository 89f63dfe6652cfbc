//! The methods of tensors for the reductions of the table, and those that may end a fused expression: of all elements, and along what an
//! argument says.

use latten_spec::reduction::{Reduction, ReductionForm, ReductionTrait};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The names of one reduction's methods.
struct Names {
    pytorch: &'static str,
    variant: Ident,
    /// Where it may be of all elements.
    all: Option<Ident>,
    try_all: Ident,
    along: Ident,
    try_along: Ident,
    out: Ident,
    /// What it takes beside tensors and dimensions, as PyTorch calls it.
    parameter: Option<&'static str>,
}

impl Names {
    fn new(reduction: Reduction) -> Self {
        let pytorch = reduction.row().name;
        let always_along = reduction.row().is(ReductionTrait::AlongOnly);
        let along = if always_along { "" } else { "_along" };
        Self {
            pytorch,
            variant: format_ident!("{}", reduction.variant()),
            all: (!always_along).then(|| format_ident!("{pytorch}")),
            try_all: format_ident!("try_{pytorch}"),
            along: format_ident!("{pytorch}{along}"),
            try_along: format_ident!("try_{pytorch}{along}"),
            out: format_ident!("{pytorch}_out"),
            parameter: reduction.row().parameter.map(|(name, _)| name),
        }
    }

    /// The last lines of a method's page.
    fn panics(fallible: &Ident) -> String {
        format!("# Panics\nWhere [`try_{}`](Self::{fallible}) is an error.", fallible.to_string().trim_start_matches("try_"))
    }
}

/// The reductions with methods of these forms.
fn reductions() -> impl Iterator<Item = (ReductionForm, Names)> {
    let all = Reduction::ALL.iter().map(|&reduction| (reduction.row().form, Names::new(reduction)));
    all.filter(|(form, _)| matches!(form, ReductionForm::One | ReductionForm::Pick))
}

/// The methods of tensors.
pub(crate) fn methods() -> TokenStream {
    let shared = reductions().map(|(form, names)| {
        let row = format_ident!("{}Dim", names.variant);
        let (all, along) = (of_all(&names), along(form, &names, &quote!(Function::#row)));
        let (with, out) = (with(&names), out(form, &names));
        quote! { impl<E: Element, S: Shape> Tensor<E, S> { #all #along #with #out } }
    });
    shared.collect()
}

/// The methods of what fused expressions end in.
pub(crate) fn endings() -> TokenStream {
    let methods = reductions().map(|(form, names)| {
        let variant = &names.variant;
        let (all, along, with) = (of_all(&names), along(form, &names, &quote!(Reduction::#variant)), with(&names));
        quote! { impl<E: Element, S: Shape, N: Node<Element = E, Shape = S>> Ending<N> { #all #along #with } }
    });
    methods.collect()
}

fn of_all(names: &Names) -> TokenStream {
    let Names { pytorch, variant, try_all, .. } = names;
    let Some(all) = &names.all else { return TokenStream::new() };
    let (doc, panics) = (format!("PyTorch's `{pytorch}()`: of all elements."), Names::panics(try_all));
    let fallible_doc = format!("What [`{all}`](Self::{all}) gives, or the error that it panics with.");
    quote! {
        #[doc = #doc]
        ///
        #[doc = #panics]
        #[must_use]
        #[track_caller]
        pub fn #all<O: Element>(&self) -> Tensor<O, ()> where E: op::#variant<Output = O> {
            proved(self.#try_all())
        }

        #[doc = #fallible_doc]
        ///
        /// # Errors
        /// Where a dtype that only the run knows doesn't have the reduction, or there is nothing to choose from.
        pub fn #try_all<O: Element>(&self) -> Result<Tensor<O, ()>> where E: op::#variant<Output = O> {
            self.reduced(Reduction::#variant, &Along::all())
        }
    }
}

fn along(form: ReductionForm, names: &Names, picking: &TokenStream) -> TokenStream {
    let Names { pytorch, variant, along, try_along, .. } = names;
    let picks = form == ReductionForm::Pick;
    let doc = if picks {
        format!("PyTorch's `{pytorch}(dim, keepdim)`: along `axis::<1>()`, `-1` or `kept(…)`, the elements and their places.")
    } else {
        format!("PyTorch's `{pytorch}(dim, keepdim, …)`: along `axis::<1>()`, `[0, -1]`, `kept(…)`, or as an [`Along`] says.")
    };
    let (panics, fallible_doc) =
        (Names::panics(try_along), format!("What [`{along}`](Self::{along}) gives, or the error that it panics with."));
    let (argument, result, body) = if picks {
        let result = quote! { (Tensor<A::Element<O>, A::Left>, Tensor<i64, A::Left>) };
        (quote!(AlongOne<S>), result, quote! { self.picked(#picking, along.dim(), along.keep()) })
    } else {
        (quote!(AlongArgument<S>), quote! { Tensor<A::Element<O>, A::Left> }, quote! { self.reduced(Reduction::#variant, &along.along()) })
    };
    quote! {
        #[doc = #doc]
        ///
        /// A plain result where types know that the dimensions are there, else a `Result`.
        ///
        #[doc = #panics]
        #[track_caller]
        pub fn #along<O: Element, A: #argument>(&self, along: A) -> A::Given<#result> where E: op::#variant<Output = O> {
            A::give(self.#try_along(along))
        }

        #[doc = #fallible_doc]
        ///
        /// # Errors
        /// Where a dimension isn't there or comes twice, and as for the reduction of all elements.
        pub fn #try_along<O: Element, A: #argument>(&self, along: A) -> Result<#result> where E: op::#variant<Output = O> {
            #body
        }
    }
}

/// The forms with a number, where the reduction has one.
fn with(names: &Names) -> TokenStream {
    let (Names { pytorch, variant, try_all, along, try_along, .. }, Some(parameter)) = (names, names.parameter) else {
        return TokenStream::new();
    };
    let [all_with, try_all_with, along_with, try_along_with] =
        [pytorch.to_string(), try_all.to_string(), along.to_string(), try_along.to_string()].map(|name| format_ident!("{name}_with"));
    let number = format_ident!("{parameter}");
    let doc = format!("PyTorch's `{pytorch}({parameter}=…)`: of all elements; `false` is 0, and `true` 1.");
    let along_doc = format!("PyTorch's `{pytorch}(dim, {parameter}=…)`: along what [`{along}`](Self::{along}) takes.");
    let [panics, along_panics] = [&try_all_with, &try_along_with].map(Names::panics);
    let fallible = |name: &Ident| format!("What [`{name}`](Self::{name}) gives, or the error that it panics with.");
    let (fallible_all, fallible_along) = (fallible(&all_with), fallible(&along_with));
    quote! {
        #[doc = #doc]
        ///
        #[doc = #panics]
        #[must_use]
        #[track_caller]
        pub fn #all_with<O: Element>(&self, #number: impl Into<f64>) -> Tensor<O, ()> where E: op::#variant<Output = O> {
            proved(self.#try_all_with(#number))
        }

        #[doc = #fallible_all]
        ///
        /// # Errors
        /// As without the number.
        pub fn #try_all_with<O: Element>(&self, #number: impl Into<f64>) -> Result<Tensor<O, ()>> where E: op::#variant<Output = O> {
            self.reduced(Reduction::#variant, &Along::all().parameter(#number.into()))
        }

        #[doc = #along_doc]
        ///
        #[doc = #along_panics]
        #[track_caller]
        pub fn #along_with<O: Element, A: AlongArgument<S>>(&self, along: A, #number: impl Into<f64>) -> A::Given<Tensor<A::Element<O>, A::Left>>
        where
            E: op::#variant<Output = O>,
        {
            A::give(self.#try_along_with(along, #number))
        }

        #[doc = #fallible_along]
        ///
        /// # Errors
        /// As without the number.
        pub fn #try_along_with<O: Element, A: AlongArgument<S>>(&self, along: A, #number: impl Into<f64>) -> Result<Tensor<A::Element<O>, A::Left>>
        where
            E: op::#variant<Output = O>,
        {
            self.reduced(Reduction::#variant, &along.along().parameter(#number.into()))
        }
    }
}

fn out(form: ReductionForm, names: &Names) -> TokenStream {
    let Names { pytorch, variant, out, .. } = names;
    if form == ReductionForm::Pick {
        let doc = format!("PyTorch's `{pytorch}(dim, keepdim, out=(values, places))`.");
        let row = format_ident!("{variant}Dim");
        return quote! {
            #[doc = #doc]
            ///
            /// # Errors
            /// As along a dimension, and where an output has another dtype or can't be written; then both are unchanged.
            pub fn #out<A: AlongOne<S>, F: Element, R: Shape, G: Element, Q: Shape>(
                &self,
                along: A,
                values: &mut Tensor<F, R>,
                places: &mut Tensor<G, Q>,
            ) -> Result<()>
            where E: op::#variant,
            {
                into_outs(Function::#row, &[self.raw().into(), along.dim().into(), along.keep().into()], values, places)
            }
        };
    }
    let doc = format!("PyTorch's `{pytorch}(…, out=…)`: the result goes into `out`, which is resized where its type lets it be.");
    quote! {
        #[doc = #doc]
        ///
        /// # Errors
        /// As for the other forms, and where `out` can't hold the result; it is unchanged then.
        pub fn #out<A: AlongArgument<S>, F: Element, R: Shape>(&self, along: A, out: &mut Tensor<F, R>) -> Result<()> {
            let target = Destination::Out(out.raw_mut(), admitted::<R>);
            run(Call::reduction(Reduction::#variant, self.raw(), &along.along(), target)).map(drop)
        }
    }
}
