//! The type-level rows of operations from tensor-spec's table of operations: one trait an operation, which says of every dtype
//! what the operation gives there, or why it is refused. The methods are in `methods`.

use latten_spec::operation::{Op, Row, Trait};
use latten_spec::reduction::{Reduction, ReductionRow};
use latten_spec::{Category, DType, Level, promote_levels};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::kernels::loop_name;
use crate::relations::{category, native};

/// The dtype that types assume for what PyTorch calls the default dtype.
const DEFAULT: DType = DType::F32;

/// The traits of all operations and reductions, with a row for each dtype that they take.
pub(crate) fn traits() -> TokenStream {
    let operations = Op::ALL.iter().map(|&op| Relation {
        variant: op.variant(),
        name: op.row().name,
        message: refusal(op.row()),
        results: results(|promoted| op.answer(promoted, DEFAULT).ok()),
        op: Some(op).filter(|&op| is_fused(op)),
    });
    let reductions = Reduction::ALL.iter().map(|&reduction| Relation {
        variant: reduction.variant(),
        name: reduction.row().name,
        message: reduction_refusal(reduction.row()),
        results: results(|input| reduction.result(input, DEFAULT).ok()),
        op: None,
    });
    operations.chain(reductions).map(|relation| relation.expand()).collect()
}

/// Whether an operation has formulas, which trees of `fuse!` are computed by.
fn is_fused(op: Op) -> bool {
    !op.row().is(Trait::Conditional)
}

/// A kind of dtypes.
struct Kind {
    name: &'static str,
    /// What its trait promises beside operations.
    promises: &'static [&'static str],
    /// The kinds that it is part of, which don't have to be said. They are no supertraits: what these promise of the numbers that dtypes of
    /// several categories go with would leave the compiler a choice, and `x * 2.0` without a type.
    within: &'static [&'static str],
    doc: &'static str,
    /// What else its trait has.
    items: &'static str,
    categories: &'static [Category],
}

impl Kind {
    fn dtypes(&self) -> Vec<DType> {
        DType::COMPUTING.iter().copied().filter(|dtype| self.categories.contains(&dtype.category())).collect()
    }

    /// The one result for all of its dtypes, or each its own; without one the trait promises nothing.
    fn common(&self, result: &dyn Fn(DType) -> Option<DType>) -> Option<TokenStream> {
        let dtypes = self.dtypes();
        let results: Option<Vec<DType>> = dtypes.iter().map(|&dtype| result(dtype)).collect();
        let results = results?;
        if results == dtypes {
            return Some(quote!(Self));
        }
        results.iter().all(|result| *result == results[0]).then(|| native(results[0]))
    }
}

const KINDS: [Kind; 4] = [
    Kind {
        name: "Number",
        promises: &[
            "LiteralOf<SmallIntegers, Stored = Self>",
            "Item<Row = Self>",
            "Row<Element = Self, Shape = ()>",
            "Takes<Self, Row = Self>",
        ],
        within: &[],
        doc: "A dtype of numbers: all but `bool`.",
        items: "",
        categories: &[Category::Integral, Category::Floating, Category::Complex],
    },
    Kind {
        name: "Real",
        promises: &["Number", "::core::cmp::PartialOrd", "::core::convert::Into<crate::scalar::Scalar>"],
        within: &[],
        doc: "A dtype of numbers that have an order: integers and floats.",
        items: "/// The number as an `f64`, which those of floats and of up to 53 bits can be.
            #[must_use]
            fn to_f64(self) -> f64 { ::core::convert::Into::<crate::scalar::Scalar>::into(self).to_f64() }",
        categories: &[Category::Integral, Category::Floating],
    },
    Kind {
        name: "Integral",
        promises: &["Real", "crate::element::Held<Computing: crate::kernels::vocabulary::Integral>"],
        within: &[],
        doc: "A dtype of integers.",
        items: "",
        categories: &[Category::Integral],
    },
    Kind {
        name: "Float",
        promises: &[
            "ContinuousReal",
            "crate::element::Held<Computing: crate::kernels::vocabulary::Floating>",
            "RealFloat",
            "Differentiable",
            "LiteralOf<SmallIntegers, Stored = Self>",
            "Item<Row = Self>",
            "Row<Element = Self, Shape = ()>",
            "LiteralOf<Floats, Stored = Self>",
            "Takes<Self, Row = Self>",
            "Takes<f32, Row = Self>",
            "Takes<f64, Row = Self>",
            "::core::convert::Into<crate::scalar::Scalar>",
            "::core::convert::Into<f64>",
            "::core::cmp::PartialOrd",
            "::core::ops::Add<Output = Self>",
            "::core::ops::Sub<Output = Self>",
            "::core::ops::Mul<Output = Self>",
            "::core::ops::Div<Output = Self>",
            "::core::ops::Neg<Output = Self>",
        ],
        within: &["Number", "Real"],
        doc: "A dtype of floats: `f16`, `bf16`, `f32`, `f64`. Its numbers can be compared, added and multiplied, too.",
        items: "/// The number of the dtype that is nearest.
            #[must_use]
            fn from_f64(number: f64) -> Self { <Self as crate::convert::CastFrom<crate::scalar::Scalar>>::cast_from(number.into()) }",
        categories: &[Category::Floating],
    },
];

/// One trait a kind: all operations that its dtypes have and that give one dtype for all, or each its own.
pub(crate) fn kinds() -> TokenStream {
    KINDS.iter().map(kind_trait).collect()
}

fn kind_trait(kind: &Kind) -> TokenStream {
    let &Kind { name, promises, within, doc, items, categories } = kind;
    let items: TokenStream = items.parse().unwrap_or_default();
    let dtypes = kind.dtypes();
    let common = |result: &dyn Fn(DType) -> Option<DType>| kind.common(result);
    let operations = Op::ALL.iter().map(|op| (op.variant(), is_fused(*op), common(&|dtype| op.answer(dtype, DEFAULT).ok())));
    let reductions =
        Reduction::ALL.iter().map(|reduction| (reduction.variant(), false, common(&|dtype| reduction.result(dtype, DEFAULT).ok())));
    let has = operations.chain(reductions).filter_map(|(variant, fused, output)| {
        let (variant, output) = (format_ident!("{variant}"), output?);
        // `fuse!` names the dtype so: without this its trees have types of their own where the dtype is a parameter.
        let promoted = fused.then(|| quote!(, Promoted = Self));
        Some(quote!(+ op::#variant<Output = #output #promoted>))
    });
    let numbers = with_numbers(&dtypes, &common);
    let operands = as_operands(&dtypes);
    let promises = promises.iter().map(|bound| bound.parse().unwrap_or_else(|_| quote!()));
    let parts: Vec<&Kind> = KINDS.iter().filter(|part| part.within.contains(&name)).collect();
    let of_no_part = |dtype: &&DType| !parts.iter().any(|part| part.categories.contains(&dtype.category()));
    let natives = dtypes.iter().filter(of_no_part).map(|&dtype| native(dtype));
    let within = within.iter().map(|name| format_ident!("{name}"));
    let name = format_ident!("{name}");
    // Complex numbers of halves can't be shown.
    let shown = (!categories.contains(&Category::Complex)).then(|| quote!(+ ::std::fmt::Display));
    let message = format!(
        "`{{Self}}` isn't one of {}",
        dtypes.iter().map(|&dtype| native(dtype).to_string().replace(' ', "")).collect::<Vec<_>>().join(", ")
    );
    let usual =
        [DType::F32, DType::I64, DType::C64].into_iter().find(|dtype| dtypes.contains(dtype)).map(|dtype| native(dtype).to_string());
    let usual = usual.unwrap_or_default().replace(' ', "");
    let note =
        format!("a dtype that only the run knows is said first: `x.typed::<{usual}, Any>()?`; others are converted: `x.to::<{usual}>()`");
    quote! {
        #[doc = #doc]
        ///
        /// A function over it can use all operations that its dtypes have: operators with tensors and numbers, methods, reductions.
        #[diagnostic::on_unimplemented(message = #message, label = "not one of these", note = #note)]
        pub trait #name: #(#promises +)* ::std::fmt::Debug #shown + WithNumbers<#numbers> + Element<Are = AreNumbers, Truth = bool> + CastInto<Self> + SameDType<Self> + HasProduct #operands #(#has)* { #items }
        #(
            #[diagnostic::do_not_recommend]
            impl #name for #natives {}
        )*
        #(
            #[diagnostic::do_not_recommend]
            impl<E: #name> #within for E {}
        )*
    }
}

/// That the numbers themselves are operands, `x * e` of an `e: E`, where all dtypes of a kind count as one.
fn as_operands(dtypes: &[DType]) -> TokenStream {
    let counts_as = |dtype: &DType| match dtype.category() {
        Category::Integral => Some(DType::I64),
        Category::Floating => Some(DType::F32),
        Category::Boolean | Category::Complex => None,
    };
    let same = dtypes.iter().map(counts_as).reduce(|all, one| all.filter(|_| all == one)).flatten();
    let same = same.map(native);
    same.map(|counts_as| quote!(+ RealNumber<CountsAs = #counts_as>)).unwrap_or_default()
}

/// What all dtypes of a kind give, where it is one dtype or each its own.
type Common<'a> = dyn Fn(&dyn Fn(DType) -> Option<DType>) -> Option<TokenStream> + 'a;

/// What the dtypes of a kind make with numbers: their category says it, where they are of one.
fn with_numbers(dtypes: &[DType], common: &Common<'_>) -> TokenStream {
    let of = dtypes[0].category();
    if dtypes.iter().all(|dtype| dtype.category() == of) {
        let category = category(of);
        return quote!(Category = #category);
    }
    let reals = [DType::Bool, DType::I64, DType::F32].into_iter().filter_map(|number| {
        let output = common(&|dtype| promote_levels([(Level::Dimensioned, dtype), (Level::Wrapped, number)]).ok())?;
        let number = native(number);
        Some(quote!(WithReal<Self, #number, Output = #output>))
    });
    quote!(Category: #(#reals)+*)
}

/// Every dtype with its result.
fn results(result: impl Fn(DType) -> Option<DType>) -> Vec<(DType, DType)> {
    DType::COMPUTING.iter().filter_map(|&dtype| Some((dtype, result(dtype)?))).collect()
}

/// An operation as a function from dtypes to dtypes, and what it says where it has no value.
struct Relation {
    variant: &'static str,
    name: &'static str,
    message: String,
    results: Vec<(DType, DType)>,
    /// The operation, where it has formulas.
    op: Option<Op>,
}

impl Relation {
    fn expand(self) -> TokenStream {
        let Self { variant, name, message, results, op } = self;
        let variant = format_ident!("{variant}");
        let doc = format!("What `{name}` gives for operands of this promoted dtype.");
        let label = format!("`{name}` isn't defined for `{{Self}}`");
        let taken: Vec<_> = results.iter().map(|(dtype, _)| format!("`{}`", dtype.variant().to_ascii_lowercase())).collect();
        let invert = if matches!(name, "neg" | "sub" | "rsub") { "; to invert a mask, write `!mask`" } else { "" };
        let bounds = bounds(&results);
        let note = format!("`{name}` takes {}; convert first with `.to::<_>()`{invert}{bounds}", taken.join(", "));
        let (inputs, outputs): (Vec<_>, Vec<_>) = results.iter().map(|&(input, output)| (native(input), native(output))).unzip();
        let formulas = results.iter().map(|&(promoted, _)| op.and_then(|op| formula(op, promoted)));
        let formulas: Vec<_> = formulas.map(Option::unwrap_or_default).collect();
        let declared = op.map(|_| {
            quote! {
                /// What the operands are converted to.
                #[doc(hidden)]
                type Common: Element;
                /// The dtype itself. A type that names it so is an error where the operation isn't defined, and then the compiler says so once.
                #[doc(hidden)]
                type Promoted: #variant;
                /// What is computed of them.
                #[doc(hidden)]
                type Formula: crate::kernels::Formula<In = <Self::Common as crate::element::Held>::Computing>;
            }
        });
        let unknown = op.map(|_| quote! { type Common = Self; type Promoted = Self; type Formula = crate::kernels::Unknown; });
        quote! {
            #[doc = #doc]
            #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
            pub trait #variant: Element {
                /// The dtype of the result.
                type Output: Element;
                #declared
            }
            #[diagnostic::do_not_recommend]
            impl #variant for crate::element::Any { type Output = Self; #unknown }
            #(
                #[diagnostic::do_not_recommend]
                impl #variant for #inputs { type Output = #outputs; #formulas }
            )*
        }
    }
}

/// What a function over a dtype says to have an operation: the kinds that promise it, without those within others.
fn bounds(results: &[(DType, DType)]) -> String {
    let result = |of: DType| results.iter().find(|(operand, _)| *operand == of).map(|&(_, result)| result);
    let mut said: Vec<&Kind> = Vec::new();
    for kind in KINDS.iter().filter(|kind| kind.common(&result).is_some()) {
        if !said.iter().any(|wider| kind.categories.iter().all(|category| wider.categories.contains(category))) {
            said.push(kind);
        }
    }
    let names: Vec<_> = said.iter().rev().map(|kind| format!("`E: {}`", kind.name)).collect();
    if names.is_empty() { String::new() } else { format!("; a function over a dtype says {}", names.join(" or ")) }
}

/// What an operation converts operands of a promoted dtype to, and what it computes then.
fn formula(op: Op, promoted: DType) -> Option<TokenStream> {
    let common = op.common(promoted, DEFAULT);
    op.row().formula(common.category())?;
    let (name, common, computing) = (loop_name(op, common.category()), native(common), native(common.computing()));
    Some(quote! { type Common = #common; type Promoted = Self; type Formula = crate::kernels::table::#name<#computing>; })
}

/// PyTorch's words, with the Rust type in place of PyTorch's name for it.
fn refusal(row: &Row) -> String {
    let own = row.refusals.iter().find(|refusal| refusal.when.is_of_dtypes()).map(|refusal| braces(refusal.text));
    own.unwrap_or_else(|| format!("\"{}\" not implemented for '{{Self}}'", row.kernel))
}

/// Text of the table as a format string.
fn braces(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The same for a reduction.
fn reduction_refusal(row: &ReductionRow) -> String {
    match row.refusals.first() {
        Some((_, _, text)) => text.replace("{}", "{Self}"),
        None => format!("\"{}\" not implemented for '{{Self}}'", row.kernel),
    }
}
