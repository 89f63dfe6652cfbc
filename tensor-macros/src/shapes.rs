//! The type-level rows of shapes: one `impl` for every rank, or pair of ranks, of each relation in tensor-core's `shape`.
//! Dimension by dimension the work is done by the relations between single sizes, which are written there by hand.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

pub(crate) const MAX_RANK: usize = 8;

/// The sizes of a tuple of that rank: `A0, A1, …`.
pub(crate) fn dims(prefix: char, rank: usize) -> Vec<Ident> {
    (0..rank).map(|i| format_ident!("{prefix}{i}")).collect()
}

pub(crate) fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

pub(crate) fn rows() -> TokenStream {
    let mut rows = numbers();
    for rank in 1..=MAX_RANK {
        with_unknown(rank, &mut rows);
        joins(rank, &mut rows);
        for other in 1..=MAX_RANK {
            broadcast(rank, other, &mut rows);
            broadcast_into(other, rank, &mut rows);
            product(rank, other, &mut rows);
        }
    }
    rows
}

/// typenum's named numbers, each with the dimension of that size, and which of these aren't 1.
fn numbers() -> TokenStream {
    (0..=1024_usize)
        .map(|size| {
            let (name, count) = (format_ident!("U{size}"), number(size));
            if size == 1 {
                return quote! { #[diagnostic::do_not_recommend] impl NumberDim for typenum::U1 { type Size = One; } };
            }
            quote! {
                #[diagnostic::do_not_recommend]
                impl NumberDim for typenum::#name { type Size = D<#count>; }
                impl NotOne for D<#count> {}
            }
        })
        .collect()
}

/// Broadcasting with a shape of no dimensions or of unknown rank; and forgetting sizes.
fn with_unknown(rank: usize, rows: &mut TokenStream) {
    let (a, b, count) = (dims('A', rank), dims('B', rank), number(rank));
    rows.extend(quote! {
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> Broadcast<()> for (#(#a,)*) { type Output = Self; }
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> Broadcast<AnyShape> for (#(#a,)*) { type Output = AnyShape; }
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> Broadcast<(#(#a,)*)> for AnyShape { type Output = Self; }
        impl<#(#a: Dim),*> BroadcastInto<()> for (#(#a,)*) where A0: RankStays<#count, 0> {}
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> BroadcastInto<AnyShape> for (#(#a,)*) {}
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> MatrixProduct<AnyShape> for (#(#a,)*) { type Output = AnyShape; }
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> MatrixProduct<(#(#a,)*)> for AnyShape { type Output = Self; }
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim),*> KnownAs<AnyShape> for (#(#a,)*) {}
        #[diagnostic::do_not_recommend]
        impl<#(#a: Dim + KnownAsDim<#b>,)* #(#b: Dim),*> KnownAs<(#(#b,)*)> for (#(#a,)*) {}
    });
}

/// Right-aligned, each pair of sizes broadcasts; what stands out to the left stays.
fn broadcast(left: usize, right: usize, rows: &mut TokenStream) {
    let (a, b) = (dims('A', left), dims('B', right));
    let shared = left.min(right);
    let (a_shared, b_shared) = (&a[left - shared..], &b[right - shared..]);
    let (a_alone, b_alone) = (&a[..left - shared], &b[..right - shared]);
    rows.extend(quote! {
        impl<#(#a: Dim,)* #(#b: Dim),*> Broadcast<(#(#b,)*)> for (#(#a,)*)
        where #(#a_shared: BroadcastDim<#b_shared, Output: Dim>),*
        {
            type Output = (#(#a_alone,)* #(#b_alone,)* #(<#a_shared as BroadcastDim<#b_shared>>::Output,)*);
        }
    });
}

/// The operand has no more dimensions than the output, and each of its sizes stretches to the output's.
fn broadcast_into(operand: usize, output: usize, rows: &mut TokenStream) {
    let (a, o) = (dims('A', operand), dims('O', output));
    if operand > output {
        let (operand, output) = (number(operand), number(output));
        rows.extend(quote! {
            impl<#(#a: Dim,)* #(#o: Dim),*> BroadcastInto<(#(#o,)*)> for (#(#a,)*) where A0: RankStays<#operand, #output> {}
        });
        return;
    }
    let o_shared = &o[output - operand..];
    rows.extend(quote! {
        impl<#(#a: Dim,)* #(#o: Dim),*> BroadcastInto<(#(#o,)*)> for (#(#a,)*)
        where #(#a: StretchInto<#o_shared>),*
        {}
    });
}

/// The two numbers of a dimension: from the front and from the back.
pub(crate) fn both(axis: usize, rank: usize) -> [Literal; 2] {
    [axis.cast_signed(), axis.cast_signed() - rank.cast_signed()].map(Literal::isize_unsuffixed)
}

/// Joining along an axis.
fn joins(rank: usize, rows: &mut TokenStream) {
    let (a, b) = (dims('A', rank), dims('B', rank));
    for axis in 0..rank {
        let (joined_a, joined_b) = (&a[axis], &b[axis]);
        let others: Vec<_> = (0..rank).filter(|&i| i != axis).collect();
        let (other_a, other_b): (Vec<_>, Vec<_>) = others.iter().map(|&i| (&a[i], &b[i])).unzip();
        let at = number(axis);
        let output = (0..rank).map(|i| {
            let (a, b) = (&a[i], &b[i]);
            if i == axis { quote!(<#a as JoinDim<#b>>::Output) } else { quote!(<#a as SameDim<#b, #at>>::Output) }
        });
        let output = quote!((#(#output,)*));
        // By the number that the user has written: of a place that follows from it the compiler would try others, where the sizes fit.
        for index in both(axis, rank) {
            rows.extend(quote! {
                impl<#(#a: Dim,)* #(#b: Dim),*> Concat<(#(#b,)*), TypeAxis<#index>> for (#(#a,)*)
                where #joined_a: JoinDim<#joined_b>, #(#other_a: SameDim<#other_b, #at, Output: Dim>),*
                {
                    type Output = #output;
                }
            });
        }
    }
}

/// PyTorch's `matmul`: vectors and matrices as they are, more dimensions as batches that broadcast.
fn product(left: usize, right: usize, rows: &mut TokenStream) {
    let (a, b) = (dims('A', left), dims('B', right));
    let inner_a = &a[left - 1];
    let inner_b = if right == 1 { &b[0] } else { &b[right - 2] };
    let row = (left > 1).then(|| &a[left - 2]).into_iter();
    let column = (right > 1).then(|| &b[right - 1]).into_iter();
    let (batch_a, batch_b) = (&a[..left.saturating_sub(2)], &b[..right.saturating_sub(2)]);
    let shared = batch_a.len().min(batch_b.len());
    let (a_alone, a_shared) = batch_a.split_at(batch_a.len() - shared);
    let (b_alone, b_shared) = batch_b.split_at(batch_b.len() - shared);
    rows.extend(quote! {
        impl<#(#a: Dim,)* #(#b: Dim),*> MatrixProduct<(#(#b,)*)> for (#(#a,)*)
        where #inner_a: InnerDim<#inner_b>, #(#a_shared: BroadcastDim<#b_shared, Output: Dim>),*
        {
            type Output = (#(#a_alone,)* #(#b_alone,)* #(<#a_shared as BroadcastDim<#b_shared>>::Output,)* #(#row,)* #(#column,)*);
        }
    });
}
