//! The methods of tensors for every reduction to one tensor: of all elements, along an axis that the type knows, along dimensions that
//! the run knows, and into an output.

use latten_spec::reduction::Reduction;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Reductions that these methods are written for. The others give two tensors, or one of the same shape.
const TO_ONE: [Reduction; 16] = [
    Reduction::Sum,
    Reduction::Prod,
    Reduction::Mean,
    Reduction::Std,
    Reduction::Var,
    Reduction::Amax,
    Reduction::Amin,
    Reduction::Argmax,
    Reduction::Argmin,
    Reduction::Any,
    Reduction::All,
    Reduction::Nansum,
    Reduction::Nanmean,
    Reduction::CountNonzero,
    Reduction::Norm,
    Reduction::Logsumexp,
];

/// `max`, `min` and `median` of all elements; along a dimension they give two tensors.
const OF_ALL: [Reduction; 3] = [Reduction::Max, Reduction::Min, Reduction::Median];

pub(crate) fn methods() -> TokenStream {
    let all = TO_ONE.iter().chain(&OF_ALL).map(|&reduction| of_all(reduction));
    let along = TO_ONE.iter().map(|&reduction| along(reduction));
    all.chain(along).collect()
}

/// PyTorch's name.
fn name(reduction: Reduction) -> &'static str {
    reduction.row().name
}

fn of_all(reduction: Reduction) -> TokenStream {
    let (variant, pytorch) = (format_ident!("{}", reduction.variant()), name(reduction));
    let plain = if reduction == Reduction::Any { format_ident!("any_true") } else { format_ident!("{pytorch}") };
    let fallible = format_ident!("try_{plain}");
    let doc = format!("PyTorch's `{pytorch}()`: of all elements.");
    let panics = format!("# Panics\nWhere [`Tensor::{fallible}`] is an error.");
    let fallible_doc = format!("What [`Tensor::{plain}`] gives, or the error that it panics with.");
    quote! {
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = #doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #plain<O: Element>(&self) -> Tensor<O, ()> where E: op::#variant<Output = O> {
                proved(self.#fallible())
            }

            #[doc = #fallible_doc]
            ///
            /// # Errors
            /// Where a dtype that only the run knows doesn't have the reduction, or there is nothing to choose from.
            pub fn #fallible<O: Element>(&self) -> Result<Tensor<O, ()>> where E: op::#variant<Output = O> {
                self.reduced(Reduction::#variant, &Along::all())
            }
        }
    }
}

fn along(reduction: Reduction) -> TokenStream {
    let (variant, pytorch) = (format_ident!("{}", reduction.variant()), name(reduction));
    let [axis, fallible, kept, dims, along, out] =
        ["axis", "try_axis", "kept", "dims", "along", "out"].map(|form| match form.strip_prefix("try_") {
            Some(form) => format_ident!("try_{pytorch}_{form}"),
            None => format_ident!("{pytorch}_{form}"),
        });
    let axis_doc = format!("PyTorch's `{pytorch}(dim)`: along an axis of the type, which goes.");
    let panics = format!("# Panics\nWhere [`Tensor::{fallible}`] is an error.");
    let fallible_doc = format!("What [`Tensor::{axis}`] gives, or the error that it panics with.");
    let kept_doc = format!("PyTorch's `{pytorch}(dim, keepdim=True)`: along an axis of the type, which becomes one of size 1.");
    let dims_doc = format!("PyTorch's `{pytorch}(dim, keepdim)`: along dimensions that the run knows.");
    let along_doc = format!("PyTorch's `{pytorch}` with all that it can be told: dimensions, `keepdim`, a dtype, a parameter.");
    let out_doc = format!("PyTorch's `{pytorch}(…, out=…)`: the result goes into `out`, which is resized where its type lets it be.");
    quote! {
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = #axis_doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #axis<const AXIS: isize>(&self) -> Tensor<<Reduced<E, S, AXIS> as op::#variant>::Output, S::Removed>
            where S: Axis<AXIS>, Reduced<E, S, AXIS>: op::#variant,
            {
                proved(self.#fallible::<AXIS>())
            }

            #[doc = #fallible_doc]
            ///
            /// # Errors
            /// Where a dtype that only the run knows doesn't have the reduction, or there is nothing to choose from.
            pub fn #fallible<const AXIS: isize>(&self) -> Result<Tensor<<Reduced<E, S, AXIS> as op::#variant>::Output, S::Removed>>
            where S: Axis<AXIS>, Reduced<E, S, AXIS>: op::#variant,
            {
                self.reduced(Reduction::#variant, &Along::dims(&[AXIS]))
            }

            #[doc = #kept_doc]
            ///
            #[doc = #panics]
            #[must_use]
            #[track_caller]
            pub fn #kept<const AXIS: isize>(&self) -> Tensor<<Reduced<E, S, AXIS> as op::#variant>::Output, S::Kept>
            where S: Axis<AXIS>, Reduced<E, S, AXIS>: op::#variant,
            {
                let along = Along::dims(&[AXIS]).keep(Keep::Yes);
                proved(self.reduced(Reduction::#variant, &along))
            }

            #[doc = #dims_doc]
            ///
            /// # Errors
            /// Where a dimension isn't there or comes twice, and as for the reduction of all elements.
            pub fn #dims<O: Element>(&self, dims: impl ShapeArgument, keep: Keep) -> Result<Tensor<O>> where E: op::#variant<Output = O> {
                self.reduced(Reduction::#variant, &Along::dims(&dims.signed_sizes()).keep(keep))
            }

            #[doc = #along_doc]
            ///
            /// # Errors
            /// As for the other forms, and where the dtype is none that the reduction can give.
            pub fn #along(&self, along: &Along) -> Result<DynTensor> {
                reduce(Reduction::#variant, self.raw(), along).map(Tensor::proved)
            }

            #[doc = #out_doc]
            ///
            /// # Errors
            /// As for the other forms, and where `out` can't hold the result; it is unchanged then.
            pub fn #out<F: Element, R: Shape>(&self, along: &Along, out: &mut Tensor<F, R>) -> Result<()> {
                self.reduced_into(Reduction::#variant, along, out)
            }
        }
    }
}
