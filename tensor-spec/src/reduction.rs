//! The table of reductions and scans: which dtypes they take, which they give, and what they say to the others;
//! and behind `~` how gradients go back through them.

use crate::dtype::DType;
use crate::operation::{Categories, RefusalKind};

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
    /// How its gradient goes back, where it has one.
    pub gradient: Option<ReductionGradient>,
}

/// How the gradient of a reduction to one tensor goes back.
#[derive(Clone, Copy, Debug)]
pub struct ReductionGradient {
    /// What its node is called.
    pub node: &'static str,
    /// The number behind that: of all elements, and along dimensions.
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
    ($( $reduction:ident $name:literal $form:ident -> $result:ident, $kernel:literal { $takes:ident $(! $what:ident $kind:ident: $text:literal)* }
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
    Sum          "sum"           One           -> Wide,  "sum_cpu"        { EVERY }
        ~ "Sum" 0 1 sum()
    Prod         "prod"          One           -> Wide,  "prod_cpu"       { EVERY }
        ~ "Prod" 0 1 prod(x r)
    Mean         "mean"          One           -> Same,  "mean_cpu"       { INEXACT
        ! DISCRETE NotImplemented: "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}" }
        ~ "Mean" 0 1 mean()
    Std          "std"           One           -> Real,  "std_cpu"        { INEXACT
        ! DISCRETE NotImplemented: "std and var only support floating point and complex dtypes" }
        ~ "Std" 0 0 std(x r)
    Var          "var"           One           -> Real,  "var_cpu"        { INEXACT
        ! DISCRETE NotImplemented: "std and var only support floating point and complex dtypes" }
        ~ "Var" 0 0 var(x)
    Amax         "amax"          One           -> Same,  "max_values_cpu" { ORDERED }
        ~ "Amax" 0 0 extreme(x r)
    Amin         "amin"          One           -> Same,  "min_values_cpu" { ORDERED }
        ~ "Amin" 0 0 extreme(x r)
    Max          "max"           Pick          -> Same,  "max_all"        { ORDERED }
        ~ "Max" 1 0 extreme_or_nan(x r)
    Min          "min"           Pick          -> Same,  "min_all"        { ORDERED }
        ~ "Min" 1 0 extreme_or_nan(x r)
    Argmax       "argmax"        One           -> Index, "argmax_cpu"     { REAL
        ! COMPLEX Type: "argmax(): does not support complex input"
        ! BOOLEAN NotImplemented: "argmax(): does not support bool input" }
    Argmin       "argmin"        One           -> Index, "argmin_cpu"     { REAL
        ! COMPLEX Type: "argmin(): does not support complex input"
        ! BOOLEAN NotImplemented: "argmin(): does not support bool input" }
    Any          "any"           One           -> Truth, "any_cpu"        { EVERY }
    All          "all"           One           -> Truth, "all_cpu"        { EVERY }
    Median       "median"        Pick          -> Same,  "median_cpu"     { REAL }
        ~ "Median" 0 1 extreme_or_nan(x r)
    Nansum       "nansum"        One           -> Wide,  "nansum_cpu"     { ORDERED
        ! COMPLEX NotImplemented: "nansum on CPU does not support complex inputs" }
        ~ "Nansum" 0 0 nansum(x)
    Nanmean      "nanmean"       One           -> Same,  "nansum_cpu"     { FLOATING
        ! DISCRETE NotImplemented: "nanmean(): expected input to have floating point or complex dtype but got {}"
        ! COMPLEX NotImplemented: "nansum on CPU does not support complex inputs" }
        ~ "Div" 0 0 nanmean(x)
    CountNonzero "count_nonzero" One           -> Index, "count_nonzero_cpu" { EVERY }
    Aminmax      "aminmax"       Two           -> Same,  "aminmax_cpu"    { ORDERED
        ! COMPLEX Type: "aminmax not implemented for {}" }
    Norm         "norm"          One           -> Real,  "norm_cpu"       { INEXACT
        ! DISCRETE NotImplemented: "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}" }
        ~ "LinalgVectorNorm" 0 0 norm(x r)
    Cumsum       "cumsum"        Running       -> Wide,  "cumsum_cpu"     { EVERY }
    Cumprod      "cumprod"       Running       -> Wide,  "cumprod_cpu"    { EVERY }
    Cummax       "cummax"        RunningPlaces -> Same,  "cummax_cpu"     { ORDERED }
    Cummin       "cummin"        RunningPlaces -> Same,  "cummin_cpu"     { ORDERED }
    Logsumexp    "logsumexp"     One           -> Float, "logsumexp_cpu"  { EVERY }
        ~ "Logsumexp" 0 0 logsumexp(x r)
    Softmax      "softmax"       Share         -> Same,  "softmax_lastdim_kernel_impl" { FLOATING }
    LogSoftmax   "log_softmax"   Share         -> Same,  "log_softmax_lastdim_kernel_impl" { FLOATING }
    Sort         "sort"          Order         -> Same,  "sort_cpu"       { ORDERED
        ! COMPLEX Type: " Sort does not support complex dtypes on CPU" }
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
