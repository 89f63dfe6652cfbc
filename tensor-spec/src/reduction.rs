//! The table of reductions and scans: which dtypes they take, which they give, and what they say to the others; in brackets what is peculiar
//! to one; after `=` what is folded, in formulas (`fold`); after `~` how gradients go back through them.

mod fold;

use crate::dtype::DType;
use crate::operation::{Categories, RefusalKind};

pub use fold::{Accumulator, FoldRow, Join, Reads, When};

/// The dtype that a reduction gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionResult {
    /// Its input's.
    Same,
    /// int64 for integers and bools, else its input's.
    Wide,
    /// The default dtype for integers and bools, else its input's.
    Float,
    /// The dtype of the parts of a complex number, else its input's.
    Real,
    /// int64: a place or a count.
    Index,
    /// bool; but uint8 for uint8.
    Truth,
}

/// What a reduction goes along, and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionForm {
    /// All elements or those along dimensions, to one tensor.
    One,
    /// All elements, to one tensor; along a dimension the elements that it picks and their places.
    Pick,
    /// The same as `One`, to two tensors.
    Two,
    /// What the elements up to each one along a dimension make.
    Running,
    /// The same, and places.
    RunningPlaces,
    /// What each element is among those along a dimension.
    Share,
    /// The elements along a dimension in another order.
    Order,
}

/// All that types know of a reduction.
#[derive(Clone, Copy, Debug)]
pub struct ReductionRow {
    /// PyTorch's name.
    pub name: &'static str,
    /// What it goes along.
    pub form: ReductionForm,
    /// The dtype of the result.
    pub result: ReductionResult,
    /// PyTorch's name of the kernel, for "not implemented for".
    pub kernel: &'static str,
    /// The categories of dtypes that it takes.
    pub takes: Categories,
    /// What it says to others in words of its own; `{}` stands for the dtype.
    pub refusals: &'static [(Categories, RefusalKind, &'static str)],
    /// What it says to a dtype that is asked for: to inputs of the first categories, those of the second.
    pub unwanted: &'static [(Categories, Categories, RefusalKind, &'static str)],
    /// What is peculiar to it: a bit for each trait.
    traits: u32,
    /// Which outputs it takes.
    pub output: OutputRule,
    /// What a fold may be given beside elements, and what it is where nothing is given.
    pub parameter: Option<(&'static str, f64)>,
    /// What it folds, the first that is meant; nothing, where it isn't a fold.
    pub folds: &'static [FoldRow],
    /// How its gradient goes back, where it has one.
    pub gradient: Option<ReductionGradient>,
}

/// What is peculiar to a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionTrait {
    /// Its dtype is checked before its dimensions.
    DtypeFirst,
    /// It converts elements to the dtype that is asked for, and gives that.
    Converts,
    /// It converts elements to the dtype of its result.
    InResult,
    /// It converts elements to the dtype of its output.
    InOutput,
    /// It has no loop for floating elements and an output that isn't floating.
    StaysFloating,
    /// Of all elements of a half it gives halves: no other output is taken.
    HalvesStay,
    /// An empty list of dimensions is none, not all.
    EmptyIsNone,
    /// It gives nothing of no elements.
    NeedsElements,
    /// It gives no place of no elements.
    NeedsPlaces,
    /// PyTorch always asks what it goes along: no method is of all elements, and its name doesn't say `along`.
    AlongOnly,
}

/// Which outputs a reduction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputRule {
    /// Any that the result can be converted to.
    Any,
    /// Those of the result's dtype.
    Exact,
    /// Those that the result can be cast to; where a dtype is asked for, those that have it.
    Cast,
    /// Those that it can be computed in, as it then is; where a dtype is asked for, those that have it. Of all elements, those that the input
    /// can be cast to.
    Computed,
    /// Those of the input's dtype, in words of its own.
    AsInput,
    /// bool and uint8.
    Truth,
    /// Floating ones.
    Float,
}

impl ReductionRow {
    /// Whether something is peculiar to it.
    #[inline]
    #[must_use]
    pub fn is(&self, wanted: ReductionTrait) -> bool {
        self.traits & 1 << wanted as u32 != 0
    }

    /// The number of the fold that is meant: with a parameter, of one element each, or where elements are picked.
    #[must_use]
    pub fn fold(&self, parameter: f64, single: bool, picks: bool) -> Option<usize> {
        self.folds.iter().position(|fold| match fold.when {
            When::Always => true,
            When::Single => single,
            When::Given(number) => number == parameter,
            When::Picking => picks,
        })
    }

    /// The parameter, where one is given, or what is meant else.
    #[must_use]
    pub fn parameter(&self, given: Option<f64>) -> f64 {
        given.or(self.parameter.map(|(_, default)| default)).unwrap_or(0.0)
    }
}

/// How the gradient of a reduction to one tensor goes back.
#[derive(Clone, Copy, Debug)]
pub struct ReductionGradient {
    /// What its node is called.
    pub node: &'static str,
    /// The number after that: of all elements, and along dimensions.
    pub overloads: [u8; 2],
    /// The function of tensor-core that computes it.
    pub function: &'static str,
    /// What it needs: the input `x`, the result `r`.
    pub keeps: &'static [&'static str],
}

/// The first of what is given: a column that a row may leave out.
macro_rules! first_of {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

macro_rules! reductions {
    ($( $reduction:ident $name:literal $(($param:ident = $default:literal))? $form:ident -> $result:ident, $kernel:literal
        { $takes:ident $(! $what:ident $kind:ident: $text:literal)* $(? $of:ident $wanted:ident $why:ident: $words:literal)* }
        [$output:ident $($special:ident)*]
        $(= $reads:ident $(($when:ident $($number:expr)?))? { $($known:ident: $join:ident { $($term_of:ident: $term:literal),+ }),+ }
            => { $($finish_of:ident: $finish:literal),+ } )*
        $(~ $node:literal $all:literal $dims:literal $function:ident($($kept:ident)*))? )*) => {
        /// A reduction over dimensions, or a scan along one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Reduction {
            $( #[doc = concat!("PyTorch's `", $name, "`.")] $reduction, )*
        }

        impl Reduction {
            /// Every reduction.
            pub const ALL: &'static [Self] = &[$(Self::$reduction),*];

            /// The row of the reduction.
            #[must_use]
            pub const fn row(self) -> &'static ReductionRow {
                match self { $(
                    Self::$reduction => &ReductionRow {
                        name: $name,
                        form: ReductionForm::$form,
                        result: ReductionResult::$result,
                        kernel: $kernel,
                        takes: Categories::$takes,
                        refusals: &[$((Categories::$what, RefusalKind::$kind, $text)),*],
                        unwanted: &[$((Categories::$of, Categories::$wanted, RefusalKind::$why, $words)),*],
                        traits: 0 $(| 1 << ReductionTrait::$special as u32)*,
                        output: OutputRule::$output,
                        parameter: first_of!($(Some((stringify!($param), $default)),)? None),
                        folds: &[$(FoldRow {
                            reads: Reads::$reads,
                            when: first_of!($(When::$when $(($number))?,)? When::Always),
                            accumulators: &[$(Accumulator {
                                name: stringify!($known),
                                join: Join::$join,
                                term: &[$((Categories::$term_of, $term)),+],
                            }),+],
                            finish: &[$((Categories::$finish_of, $finish)),+],
                        }),*],
                        gradient: first_of!($(Some(ReductionGradient {
                            node: $node,
                            overloads: [$all, $dims],
                            function: stringify!($function),
                            keeps: &[$(stringify!($kept)),*],
                        }),)? None),
                    },
                )* }
            }

            /// How the table names the variant.
            #[must_use]
            pub const fn variant(self) -> &'static str {
                match self { $(Self::$reduction => stringify!($reduction),)* }
            }
        }
    };
}

reductions! {
    Sum "sum" One -> Wide, "sum_cpu" { EVERY } [Exact Converts InResult InOutput]
        = Own { sum: Sum { EVERY: "x" } } => { EVERY: "sum" }
        ~ "Sum" 0 1 sum()
    Prod "prod" One -> Wide, "prod_cpu" { EVERY } [Exact Converts InResult InOutput]
        = Own { product: Product { EVERY: "x" } } => { EVERY: "product" }
        ~ "Prod" 0 1 prod(x r)
    Mean "mean" One -> Same, "mean_cpu" { INEXACT
        ! DISCRETE NotImplemented: "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}"
        ? EVERY DISCRETE NotImplemented: "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}"
        } [Computed DtypeFirst Converts InOutput]
        = Own { sum: Sum { EVERY: "x" } } => { FLOATING: "sum / count", COMPLEX: "complex(real(sum) / count, imag(sum) / count)" }
        ~ "Mean" 0 1 mean()
    Std "std" (correction = 1.0) One -> Real, "std_cpu" { INEXACT
        ! DISCRETE NotImplemented: "std and var only support floating point and complex dtypes" } [Cast DtypeFirst HalvesStay]
        = Wide { squares: Moments { INEXACT: "x" } } => {
            FLOATING: "let rest = count - correction; sqrt(squares / if rest > 0 { rest } else { 0 })",
            COMPLEX: "let rest = count - correction; let n = if rest > 0 { rest } else { 0 }; sqrt(real(squares) / n + imag(squares) / n)"
        }
        ~ "Std" 0 0 std(x r)
    Var "var" (correction = 1.0) One -> Real, "var_cpu" { INEXACT
        ! DISCRETE NotImplemented: "std and var only support floating point and complex dtypes" } [Cast DtypeFirst HalvesStay]
        = Wide { squares: Moments { INEXACT: "x" } } => {
            FLOATING: "let rest = count - correction; squares / if rest > 0 { rest } else { 0 }",
            COMPLEX: "let rest = count - correction; let n = if rest > 0 { rest } else { 0 }; real(squares) / n + imag(squares) / n"
        }
        ~ "Var" 0 0 var(x)
    Amax "amax" One -> Same, "max_values_cpu" { ORDERED } [AsInput NeedsElements]
        = Own { most: Greatest { REAL: "x" } } => { REAL: "most" }
        ~ "Amax" 0 0 extreme(x r)
    Amin "amin" One -> Same, "min_values_cpu" { ORDERED } [AsInput NeedsElements]
        = Own { least: Least { REAL: "x" } } => { REAL: "least" }
        ~ "Amin" 0 0 extreme(x r)
    Max "max" Pick -> Same, "max_all" { ORDERED } [Any NeedsElements]
        = Own (Picking) { most: FirstGreatest { REAL: "x" } } => { REAL: "most" }
        = Own { most: Greatest { REAL: "x" } } => { REAL: "most" }
        ~ "Max" 1 0 extreme_or_nan(x r)
    Min "min" Pick -> Same, "min_all" { ORDERED } [Any NeedsElements]
        = Own (Picking) { least: FirstLeast { REAL: "x" } } => { REAL: "least" }
        = Own { least: Least { REAL: "x" } } => { REAL: "least" }
        ~ "Min" 1 0 extreme_or_nan(x r)
    Argmax "argmax" One -> Index, "argmax_cpu" { REAL
        ! COMPLEX Type: "argmax(): does not support complex input"
        ! BOOLEAN NotImplemented: "argmax(): does not support bool input" } [Exact DtypeFirst NeedsPlaces]
        = Own { place: FirstGreatest { REAL: "x" } } => { INTEGRAL: "place" }
    Argmin "argmin" One -> Index, "argmin_cpu" { REAL
        ! COMPLEX Type: "argmin(): does not support complex input"
        ! BOOLEAN NotImplemented: "argmin(): does not support bool input" } [Exact DtypeFirst NeedsPlaces]
        = Own { place: FirstLeast { REAL: "x" } } => { INTEGRAL: "place" }
    Any "any" One -> Truth, "any_cpu" { EVERY } [Truth EmptyIsNone]
        = Truth { found: Some { BOOLEAN: "x" } } => { BOOLEAN: "found" }
    All "all" One -> Truth, "all_cpu" { EVERY } [Truth EmptyIsNone]
        = Truth { missing: Some { BOOLEAN: "!x" } } => { BOOLEAN: "!missing" }
    Median "median" Pick -> Same, "median_cpu" { REAL } [Any]
        ~ "Median" 0 1 extreme_or_nan(x r)
    Nansum "nansum" One -> Wide, "nansum_cpu" { ORDERED
        ! COMPLEX NotImplemented: "nansum on CPU does not support complex inputs"
        ? FLOATING COMPLEX NotImplemented: "\"nansum_cpu\" not implemented for '{}'" } [Exact Converts InResult InOutput StaysFloating]
        = Own { sum: Sum { DISCRETE: "x", FLOATING: "if isnan(x) { 0 } else { x }",
            COMPLEX: "if isnan(real(x)) || isnan(imag(x)) { 0 } else { x }" } } => { EVERY: "sum" }
        ~ "Nansum" 0 0 nansum(x)
    Nanmean "nanmean" One -> Same, "nansum_cpu" { FLOATING
        ! DISCRETE NotImplemented: "nanmean(): expected input to have floating point or complex dtype but got {}"
        ! COMPLEX NotImplemented: "nansum on CPU does not support complex inputs"
        ? FLOATING COMPLEX NotImplemented: "\"nansum_cpu\" not implemented for '{}'"
        ? INEXACT DISCRETE Runtime: "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}"
        } [Cast DtypeFirst Converts InOutput StaysFloating]
        = Own { sum: Sum { FLOATING: "if isnan(x) { 0 } else { x }" }, numbers: Count { FLOATING: "!isnan(x)" } } => { FLOATING: "sum / numbers" }
        ~ "Div" 0 0 nanmean(x)
    CountNonzero "count_nonzero" One -> Index, "count_nonzero_cpu" { EVERY } [Exact]
        = Truth { found: Count { BOOLEAN: "x" } } => { INTEGRAL: "found" }
    Aminmax "aminmax" Two -> Same, "aminmax_cpu" { ORDERED
        ! COMPLEX Type: "aminmax not implemented for {}" } [Any]
    Norm "norm" (p = 2.0) One -> Real, "norm_cpu" { INEXACT
        ! DISCRETE NotImplemented: "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}" } [Exact DtypeFirst Converts]
        = Wide (Given 0.0) { nonzero: Count { INEXACT: "x != 0" } } => { INEXACT: "nonzero" }
        = Wide (Given f64::INFINITY) { most: Greatest { FLOATING: "abs(x)", COMPLEX: "abs(x)" } } => { INEXACT: "most" }
        = Wide (Single) { most: Greatest { FLOATING: "abs(x)", COMPLEX: "abs(x)" } } => { INEXACT: "most" }
        = Wide (Given 1.0) { sum: Sum { FLOATING: "abs(x)", COMPLEX: "abs(x)" } } => { INEXACT: "sum" }
        = Own (Given 2.0) { sum: Sum { FLOATING: "x * x", COMPLEX: "real(x) * real(x) + imag(x) * imag(x)" } } => { INEXACT: "sqrt(sum)" }
        = Wide (Given f64::NEG_INFINITY) { least: Least { FLOATING: "abs(x)", COMPLEX: "abs(x)" } } => { INEXACT: "least" }
        = Wide { sum: Sum { FLOATING: "pow(abs(x), p)", COMPLEX: "pow(abs(x), p)" } } => { INEXACT: "pow(sum, 1 / p)" }
        ~ "LinalgVectorNorm" 0 0 norm(x r)
    Cumsum "cumsum" Running -> Wide, "cumsum_cpu" { EVERY } [Any]
    Cumprod "cumprod" Running -> Wide, "cumprod_cpu" { EVERY } [Any]
    Logcumsumexp "logcumsumexp" Running -> Same, "logcumsumexp_out_cpu" { FLOATING } [Any]
    Cummax "cummax" RunningPlaces -> Same, "cummax_cpu" { ORDERED } [Any]
    Cummin "cummin" RunningPlaces -> Same, "cummin_cpu" { ORDERED } [Any]
    Logsumexp "logsumexp" One -> Float, "logsumexp_cpu" { EVERY } [Float InResult AlongOnly]
        = Wide { sum: Exponentials { INEXACT: "x" } } => {
            FLOATING: "log(sum) + most", COMPLEX: "complex(log(abs(sum)) + most, angle(sum))"
        }
        ~ "Logsumexp" 0 0 logsumexp(x r)
    Softmax "softmax" Share -> Same, "softmax_lastdim_kernel_impl" { FLOATING } [Any]
    LogSoftmax "log_softmax" Share -> Same, "log_softmax_lastdim_kernel_impl" { FLOATING } [Any]
    Sort "sort" Order -> Same, "sort_cpu" { ORDERED
        ! COMPLEX Type: " Sort does not support complex dtypes on CPU" } [Any]
}

impl Reduction {
    /// The dtype of the result, or why there is none, in PyTorch's words.
    ///
    /// # Errors
    /// For a dtype that the reduction doesn't take.
    pub fn result(self, input: DType, default: DType) -> Result<DType, (RefusalKind, String)> {
        let row = self.row();
        if !row.takes.contains(input.category()) || !input.is_computing() {
            let own = row.refusals.iter().find(|(categories, ..)| categories.contains(input.category()));
            return Err(match own {
                Some((_, kind, text)) => (*kind, text.replace("{}", input.message_name())),
                None => (RefusalKind::NotImplemented, format!("\"{}\" not implemented for '{}'", row.kernel, input.message_name())),
            });
        }
        Ok(match row.result {
            ReductionResult::Wide if input.is_integral() => DType::I64,
            ReductionResult::Float if input.is_integral() => default,
            ReductionResult::Real => input.to_real(),
            ReductionResult::Index => DType::I64,
            ReductionResult::Truth if input != DType::U8 => DType::Bool,
            ReductionResult::Same | ReductionResult::Wide | ReductionResult::Float | ReductionResult::Truth => input,
        })
    }
}
