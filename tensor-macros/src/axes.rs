//! The type-level rows of single dimensions: what is left without one, with a new one, and in another order, for every rank.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::shapes::{MAX_RANK, both, dims, number};

pub(crate) fn rows() -> TokenStream {
    let mut rows = TokenStream::new();
    for rank in 0..=MAX_RANK {
        for axis in 0..rank {
            selected(rank, axis, &mut rows);
            exchanged(rank, axis, &mut rows);
        }
        if rank < MAX_RANK {
            new_axes(rank, &mut rows);
        }
        reordered(rank, &mut rows);
    }
    for (one, other) in (0..MAX_RANK).flat_map(|one| (0..MAX_RANK).map(move |other| (one, other))).filter(|(one, other)| one != other) {
        let (one, other) = (number(one), number(other));
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl OtherPlace<Place<#other>> for Place<#one> {}
        });
    }
    rows
}

/// One dimension: without it, kept as size 1, cut, its size and its place.
fn selected(rank: usize, axis: usize, rows: &mut TokenStream) {
    let a = dims('A', rank);
    let removed: Vec<_> = (0..rank).filter(|&i| i != axis).map(|i| &a[i]).collect();
    let with = |size: TokenStream| {
        let sizes = (0..rank).map(|i| {
            let a = &a[i];
            if i == axis { size.clone() } else { quote!(#a) }
        });
        quote!((#(#sizes,)*))
    };
    let (kept, cut, size, place) = (with(quote!(One)), with(quote!(Dyn)), &a[axis], number(axis));
    for index in both(axis, rank) {
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl<#(#a: Dim),*> Axis<#index> for (#(#a,)*) {
                type Removed = (#(#removed,)*);
                type Kept = #kept;
                type Cut = #cut;
                type Size = #size;
                type Place = Place<#place>;
            }
        });
    }
}

fn exchanged(rank: usize, axis: usize, rows: &mut TokenStream) {
    let a = dims('A', rank);
    for other in 0..rank {
        let (one, two) = (number(axis), number(other));
        let mut swapped = a.clone();
        swapped.swap(axis, other);
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl<#(#a: Dim),*> Exchange<Place<#one>, Place<#two>> for (#(#a,)*) { type Shape = (#(#swapped,)*); }
        });
    }
}

fn new_axes(rank: usize, rows: &mut TokenStream) {
    let a = dims('A', rank);
    for place in 0..=rank {
        let (before, behind) = a.split_at(place);
        for index in both(place, rank + 1) {
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<#(#a: Dim),*> NewAxisAt<#index> for (#(#a,)*) { type With<Size: Dim> = (#(#before,)* Size, #(#behind,)*); }
            });
        }
    }
}

/// An order names each dimension, and none twice.
fn reordered(rank: usize, rows: &mut TokenStream) {
    let a = dims('A', rank);
    let axes: Vec<_> = (0..rank).map(|i| format_ident!("AXIS{i}")).collect();
    let places: Vec<_> = dims('P', rank);
    let sizes: Vec<_> = dims('S', rank);
    let others = (0..rank).map(|i| {
        let (place, before) = (&places[i], &places[..i]);
        quote!(#place: #(OtherPlace<#before> +)* Sized)
    });
    rows.extend(quote! {
        impl<#(#a: Dim,)* #(#places,)* #(#sizes: Dim,)* #(const #axes: isize),*> Reordered<(#(TypeAxis<#axes>,)*)> for (#(#a,)*)
        where #(Self: Axis<#axes, Place = #places, Size = #sizes>,)* #(#others,)*
        {
            type Shape = (#(#sizes,)*);
        }
    });
}
