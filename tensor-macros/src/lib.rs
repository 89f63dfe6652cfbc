//! The proc macros of latten: tokens in, tokens out.
//!
//! `relations` writes the type-level rows that tensor-core is built from out of tensor-spec's tables;
//! `shape` is what users write. One file a macro: parse, check, expand.

use proc_macro::TokenStream;

mod facade;
mod kernels;
mod words;
mod folds;
mod derivatives;
mod pairs;
mod relations;
mod stored;
mod operations;
mod methods;
mod reductions;
mod calls;
mod gradients;
mod shape;
mod shapes;
mod axes;
mod index;
mod tensor;
mod fuse;
mod einsum;
mod kernel;
#[cfg(test)]
#[path = "tests/snapshots.rs"]
mod snapshots;

/// A shape, as a type or as a value: `shape![2, _, 50257]`.
///
/// Sizes are integer literals, names of const parameters or `{ expressions }`; `_` is a size that only the run knows.
/// `shape![]` has no dimensions.
#[proc_macro]
pub fn shape(input: TokenStream) -> TokenStream {
    shape::expand(input.into()).into()
}

/// One dimension, as a type: `dim![6]`. The facade has the documentation.
#[proc_macro]
pub fn dim(input: TokenStream) -> TokenStream {
    shape::expand_one(input.into()).into()
}

/// An index whose entries types know: `x.i(i![.., 0, 1..3])`. The facade has the documentation.
#[proc_macro]
pub fn i(input: TokenStream) -> TokenStream {
    index::expand(input.into()).into()
}

/// Numbers as they stand, as a tensor: `tensor![[1, 2], [3, 4]]`. The facade has the documentation.
#[proc_macro]
pub fn tensor(input: TokenStream) -> TokenStream {
    let call = proc_macro::Span::call_site().source_text();
    tensor::expand(input.into(), call.as_deref()).into()
}

/// An elementwise expression in one pass: `fuse!(sigmoid(a * x + b) * c - d)`. The facade has the documentation.
#[proc_macro]
pub fn fuse(input: TokenStream) -> TokenStream {
    fuse::expand(input.into(), fuse::Ending::Panics).into()
}

/// The same as a `Result`. The facade has the documentation.
#[proc_macro]
pub fn try_fuse(input: TokenStream) -> TokenStream {
    fuse::expand(input.into(), fuse::Ending::Returns).into()
}

/// A sum of products whose indices are letters: `einsum!("ij,jk->ik", a, b)`. The facade has the documentation.
#[proc_macro]
pub fn einsum(input: TokenStream) -> TokenStream {
    einsum::expand(input.into(), fuse::Ending::Panics).into()
}

/// The same as a `Result`. The facade has the documentation.
#[proc_macro]
pub fn try_einsum(input: TokenStream) -> TokenStream {
    einsum::expand(input.into(), fuse::Ending::Returns).into()
}

/// An operation of one's own, in the language of formulas. The facade has the documentation.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(&arguments.into(), item.into()).into()
}

/// For tensor-elements alone: the arms of `match_stored!`.
#[doc(hidden)]
#[proc_macro]
pub fn match_rows(input: TokenStream) -> TokenStream {
    stored::match_rows(input.into()).into()
}

/// For tensor-core alone: the dtypes that storages convert to by name, as rows of `conversions!`.
#[doc(hidden)]
#[proc_macro]
pub fn storage_conversions(_: TokenStream) -> TokenStream {
    stored::conversions().into()
}

/// For tensor-core alone: PyTorch's old names for typed storages, those of quantised numbers as rows of `quantized!`.
#[doc(hidden)]
#[proc_macro]
pub fn legacy_storages(_: TokenStream) -> TokenStream {
    stored::legacy().into()
}

/// For tensor-core alone: which dtype every pair of operands gives.
#[doc(hidden)]
#[proc_macro]
pub fn promotion_rows(_: TokenStream) -> TokenStream {
    relations::promotion().into()
}

/// For tensor-core alone: which dtype three operands give.
#[doc(hidden)]
#[proc_macro]
pub fn promotion_rows_of_three(_: TokenStream) -> TokenStream {
    relations::promotion_of_three().into()
}

/// For tensor-core alone: which dtypes are the same.
#[doc(hidden)]
#[proc_macro]
pub fn same_rows(_: TokenStream) -> TokenStream {
    relations::same().into()
}

/// For tensor-core alone: which result may be stored into which output.
#[doc(hidden)]
#[proc_macro]
pub fn cast_rows(_: TokenStream) -> TokenStream {
    relations::casts().into()
}

/// For tensor-core alone: what shapes make together, for every rank up to eight.
#[doc(hidden)]
#[proc_macro]
pub fn shape_rows(_: TokenStream) -> TokenStream {
    shapes::rows().into()
}

/// For tensor-core alone: what dimensions of a shape select, for every rank up to eight.
#[doc(hidden)]
#[proc_macro]
pub fn axis_rows(_: TokenStream) -> TokenStream {
    axes::rows().into()
}

/// For tensor-core alone: one trait an operation, with the dtypes that it takes and gives.
#[doc(hidden)]
#[proc_macro]
pub fn operation_traits(_: TokenStream) -> TokenStream {
    operations::traits().into()
}

/// For tensor-core alone: one trait a kind of dtypes, with the operations that all of its dtypes have.
#[doc(hidden)]
#[proc_macro]
pub fn kind_traits(_: TokenStream) -> TokenStream {
    operations::kinds().into()
}

/// For tensor-core alone: the methods of tensors that follow from the table of operations.
#[doc(hidden)]
#[proc_macro]
pub fn operation_methods(_: TokenStream) -> TokenStream {
    methods::methods().into()
}

/// For tensor-core alone: one type an operation, and what it does with each dtype.
#[doc(hidden)]
#[proc_macro]
pub fn operation_marks(_: TokenStream) -> TokenStream {
    methods::marks().into()
}

/// For tensor-core alone: the methods of fused expressions.
#[doc(hidden)]
#[proc_macro]
pub fn fused_methods(_: TokenStream) -> TokenStream {
    methods::fused_methods().into()
}

/// For tensor-core alone: the folds of reductions, for each kind of number.
#[doc(hidden)]
#[proc_macro]
pub fn reduction_folds(_: TokenStream) -> TokenStream {
    folds::folds().into()
}

/// For tensor-core alone: a loop for each operation and each dtype that it computes in.
#[doc(hidden)]
#[proc_macro]
pub fn kernels(_: TokenStream) -> TokenStream {
    kernels::kernels().into()
}

/// For tensor-elements alone: the words of formulas, as methods of numbers.
#[doc(hidden)]
#[proc_macro]
pub fn words(input: TokenStream) -> TokenStream {
    words::words(input.into()).into()
}

/// For tensor-core alone: the derivative of each operation, as data.
#[doc(hidden)]
#[proc_macro]
pub fn derivatives(_: TokenStream) -> TokenStream {
    derivatives::derivatives().into()
}

/// For tensor-core alone: loops over operands of two dtypes.
#[doc(hidden)]
#[proc_macro]
pub fn pair_kernels(_: TokenStream) -> TokenStream {
    pairs::pair_kernels().into()
}

/// The methods of fused expressions that end in a reduction of the table.
#[proc_macro]
pub fn reduction_endings(_: TokenStream) -> TokenStream {
    reductions::endings().into()
}

/// The methods of tensors for the reductions of the table.
#[proc_macro]
pub fn reduction_methods(_: TokenStream) -> TokenStream {
    reductions::methods().into()
}

/// For tensor-core alone: the calls of the table, each with a function for every form that it has.
#[doc(hidden)]
#[proc_macro]
pub fn calls(_: TokenStream) -> TokenStream {
    calls::calls().into()
}

/// For tensor-core alone: the names of the calls that have a row of their own.
#[doc(hidden)]
#[proc_macro]
pub fn call_names(_: TokenStream) -> TokenStream {
    calls::call_names().into()
}

/// For tensor-core alone: what the rows of operations and reductions say of gradients.
#[doc(hidden)]
#[proc_macro]
pub fn table_gradients(_: TokenStream) -> TokenStream {
    gradients::table_gradients().into()
}

/// For tensor-core alone: what the rows of calls say of gradients.
#[doc(hidden)]
#[proc_macro]
pub fn call_gradients(_: TokenStream) -> TokenStream {
    gradients::call_gradients().into()
}
