//! The type-level tables, written out row by row from tensor-spec: promotion and casting.
//! Logic stays in tensor-spec; a row here is one `impl` without a body worth reading.

use proc_macro2::TokenStream;
use quote::quote;
use tensor_spec::{DType, Level, can_cast, result_type};

/// The Rust type of a computing dtype, as tensor-core's modules name it.
pub(crate) fn native(dtype: DType) -> TokenStream {
    dtype.rust_type().unwrap_or("Any").parse().unwrap_or_default()
}

const RANKS: [Level; 2] = [Level::Dimensioned, Level::ZeroDim];

/// What a rank says about the level of its tensor: one level, or either.
fn ranks() -> [(TokenStream, &'static [Level]); 3] {
    [(quote!(Dimensioned), &RANKS[..1]), (quote!(ZeroDim), &RANKS[1..]), (quote!(AnyRank), &RANKS[..])]
}

/// The result for operands of any of these levels, if there is just one.
fn unanimous(left: DType, lefts: &[Level], right: DType, rights: &[Level]) -> Option<DType> {
    let mut answers = lefts.iter().flat_map(|&l| rights.iter().map(move |&r| result_type([(l, left), (r, right)]).ok()));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

/// `impl PromoteWith<left rank, right rank, right> for left`, for every pair of dtypes and, where it matters, of ranks.
pub(crate) fn promotion() -> TokenStream {
    let mut rows = TokenStream::new();
    for &left in DType::COMPUTING {
        let lhs = native(left);
        for &right in DType::COMPUTING {
            let rhs = native(right);
            if let Some(result) = unanimous(left, &RANKS, right, &RANKS) {
                let output = native(result);
                rows.extend(quote! {
                    #[diagnostic::do_not_recommend]
                    impl<L: Ranked, R: Ranked> PromoteWith<L, R, #rhs> for #lhs { type Output = #output; }
                });
                continue;
            }
            for (left_rank, lefts) in ranks() {
                for (right_rank, rights) in ranks() {
                    let output = unanimous(left, lefts, right, rights).map_or(quote!(Any), native);
                    rows.extend(quote! {
                        #[diagnostic::do_not_recommend]
                        impl PromoteWith<#left_rank, #right_rank, #rhs> for #lhs { type Output = #output; }
                    });
                }
            }
        }
        for number in [DType::Bool, DType::I64, DType::F32, DType::C64] {
            let rhs = native(number);
            let output = unanimous(left, &RANKS, number, &[Level::Wrapped]).map_or(quote!(Any), native);
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl<L: Ranked> PromoteWith<L, Wrapped, #rhs> for #lhs { type Output = #output; }
            });
        }
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl<L: Ranked, R: Ranked> PromoteWith<L, R, Any> for #lhs { type Output = Any; }
        });
    }
    rows
}

/// `impl CastInto<output> for result` for every pair that PyTorch allows.
pub(crate) fn casts() -> TokenStream {
    let mut rows = TokenStream::new();
    for &from in DType::COMPUTING {
        let result = native(from);
        for to in DType::COMPUTING.iter().filter(|&&to| can_cast(from, to)) {
            let output = native(*to);
            rows.extend(quote! {
                #[diagnostic::do_not_recommend]
                impl CastInto<#output> for #result {}
            });
        }
        rows.extend(quote! {
            #[diagnostic::do_not_recommend]
            impl CastInto<Any> for #result {}
        });
    }
    rows
}
