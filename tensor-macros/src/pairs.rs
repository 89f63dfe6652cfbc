//! Kernels that load operands of two dtypes, convert them and compute in one loop, for the operations that the table marks as paired.
//! Blocks that are converted first, as all else is, cost another pass through the cache.

use proc_macro2::TokenStream;
use quote::quote;
use tensor_spec::lattice::join;
use tensor_spec::operation::{Op, Trait};
use tensor_spec::{Category, DType};

use super::kernels::{ident, native, rust};
use tensor_kernel::parse;

/// The dtypes of two operands and the one that they are computed in: floats or integers that become floats. Booleans and complex numbers
/// gain little, half precision is rounded on the way, and what small elements lose beside `f64` is little: each loop costs every user's
/// first build.
fn pairs() -> impl Iterator<Item = [DType; 3]> {
    let numbers = || DType::COMPUTING.iter().copied().filter(|dtype| matches!(dtype.category(), Category::Integral | Category::Floating));
    numbers().flat_map(move |lhs| numbers().map(move |rhs| [lhs, rhs, join(lhs, rhs)])).filter(|[lhs, rhs, common]| {
        let narrowest = if *common == DType::F64 { 4 } else { 1 };
        let floats = common.category() == Category::Floating && common.computing() == *common;
        lhs != rhs && floats && lhs.itemsize().min(rhs.itemsize()) >= narrowest
    })
}

/// The loops, and the table of them.
pub(crate) fn pair_kernels() -> TokenStream {
    let mut loops = TokenStream::new();
    let mut arms = TokenStream::new();
    for op in Op::ALL.iter().filter(|op| op.row().is(Trait::Paired)) {
        // A formula that isn't in the language is reported where all formulas are read.
        let Some(tree) = op.row().formula(Category::Floating).and_then(|text| parse::formula(text).ok()) else { continue };
        let (variant, name, formula) = (ident(op.variant()), ident(&format!("{}Pair", op.variant())), rust(&tree));
        let params = op.row().params.iter().map(|(name, _)| ident(name));
        let indices = 0..op.row().params.len();
        loops.extend(quote! {
            struct #name<X, Y, C>(std::marker::PhantomData<(X, Y, C)>);

            impl<X: Native, Y: Native, C: Floating + CastFrom<X> + CastFrom<Y>> run::Body for #name<X, Y, C> {
                const WEIGHT: usize = 1;

                #[inline(always)]
                fn body(run: run::Run<'_>) {
                    let (out, inputs) = run.open::<C>();
                    #( let #params: C = inputs.param(#indices); )*
                    let (lhs, rhs) = (inputs.operand::<X>(0), inputs.operand::<Y>(1));
                    for ((result, &x), &y) in out.iter_mut().zip(lhs).zip(rhs) {
                        let (x, y) = (C::cast_from(x), C::cast_from(y));
                        *result = #formula;
                    }
                }
            }
        });
        for pair in pairs() {
            let [lhs, rhs, _] = pair.map(|dtype| ident(dtype.variant()));
            let [x, y, common] = pair.map(native);
            let widest = pair.contains(&DType::I64);
            let kernel = quote! { run::Kernel::of_wide::<#name<#x, #y, #common>, #widest>(level)? };
            arms.extend(quote! { (Op::#variant, DType::#lhs, DType::#rhs) => #kernel, });
        }
    }
    quote! {
        #loops

        /// The kernel of an operation on operands of two dtypes, which computes in the one that they promote to.
        pub(crate) fn pair_kernel(op: Op, lhs: DType, rhs: DType, level: Level) -> Option<run::Kernel> {
            Some(match (op, lhs, rhs) {
                #arms
                _ => return None,
            })
        }
    }
}
