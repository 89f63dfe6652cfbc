//! Which kernels load operands of two dtypes, convert them and compute in one loop, for the operations that the table marks as paired.
//! Blocks that are converted first, as all else is, cost another pass through the cache.

use latten_spec::lattice::join;
use latten_spec::operation::{Op, Trait};
use latten_spec::{Category, DType};
use proc_macro2::TokenStream;
use quote::quote;

use super::kernels::{ident, loop_name, native};

/// The dtypes of two operands and the one that they promote to. Each loop costs every user's first build, so that there are those that are
/// met and gain most: small integers with one another, with `i32` and `f32`, `i32` with `i64`, and `f32` with all but `f16`, whose conversion
/// takes longer than the rest. `bf16` and `f16` with themselves are such pairs, too: they compute in `f32`. docs/speed.md has what all others
/// would gain.
fn pairs() -> impl Iterator<Item = [DType; 3]> {
    let all = || DType::COMPUTING.iter().copied();
    let pairs = all().flat_map(move |lhs| all().map(move |rhs| [lhs, rhs, join(lhs, rhs)]));
    pairs.filter(|&[lhs, rhs, common]| {
        if lhs == rhs {
            return matches!(lhs, DType::BF16 | DType::F16);
        }
        let number = |dtype: DType| matches!(dtype.category(), Category::Integral | Category::Floating);
        let has = |dtype| lhs == dtype || rhs == dtype;
        let small = common.is_integral() && common.itemsize() <= DType::I32.itemsize();
        let gains = small || common == DType::I64 && has(DType::I32) || common == DType::F32 && has(DType::F32) && !has(DType::F16);
        gains && number(lhs) && number(rhs)
    })
}

/// Whether a dtype stands before another one in the table.
fn is_before(dtype: DType, other: DType) -> bool {
    DType::COMPUTING.iter().find(|&&one| one == dtype || one == other) == Some(&dtype)
}

/// The table of the loops.
pub(crate) fn pair_kernels() -> TokenStream {
    let mut arms = TokenStream::new();
    for &op in Op::ALL.iter().filter(|op| op.row().is(Trait::Paired)) {
        let (variant, params) = (ident(op.variant()), op.row().params.len());
        for pair @ [lhs, rhs, common] in pairs() {
            if op.row().formula(common.category()).is_none() || op.row().is(Trait::Commutes) && !is_before(lhs, rhs) {
                continue;
            }
            let (formula, computing) = (loop_name(op, common.category()), native(common.computing()));
            let widest = pair.contains(&DType::I64);
            let [x, y, through] = pair.map(native);
            let body = quote! { Pair<table::#formula<#computing>, #through, #x, #y, #params> };
            let half = |lanes: TokenStream| quote! { HalfPair<table::#formula<#computing>, #params, { halves::#lanes }> };
            // What halves need is conversions: instructions of some processors for one, and twice as many at a time for both.
            let forms = match (lhs == rhs).then_some(lhs) {
                Some(DType::F16) => {
                    let [narrow, wide] = [quote! { NARROW }, quote! { WIDE }].map(half);
                    quote! { LoopForms::of_vectors::<#narrow, #wide>() }
                }
                Some(_) => quote! { LoopForms::of_vectors::<#body, #body>() },
                None => quote! { LoopForms::of_one::<#body, #widest>() },
            };
            let only = (pair == [DType::F16; 3]).then(|| quote! { #[cfg(target_arch = "x86_64")] });
            let [lhs, rhs] = [lhs, rhs].map(|dtype| ident(dtype.variant()));
            arms.extend(quote! {
                #only
                (Op::#variant, DType::#lhs, DType::#rhs) => #forms,
            });
        }
    }
    quote! {
        /// The kernel of an operation on operands of two dtypes, which computes in the one that they promote to. Where operands may change
        /// places, there is one for one order only.
        pub(crate) fn pair_kernel(op: Op, lhs: DType, rhs: DType, level: Level) -> Option<Kernel> {
            let forms = match (op, lhs, rhs) {
                #arms
                _ => return None,
            };
            forms.at(level)
        }
    }
}
