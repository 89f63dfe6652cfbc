//! The kernels of reductions: what an element becomes, what two such make, and what comes of all in the end, for `folds.cuh` and
//! `spreads.cuh`. The kernels of a dtype are those of the rows of the table of reductions. Pure: the build script includes this file.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::source::{Unit, converted, in_memory, in_registers};

/// The walks of reductions, and simple folds.
pub(super) const FOLDS: &str = include_str!("folds.cuh");
/// Folds that keep more than a number.
pub(super) const SPREADS: &str = include_str!("spreads.cuh");

/// What a reduction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    Sum,
    /// A sum, divided by a number.
    Mean,
    /// A sum of what isn't NaN.
    Nansum,
    /// The same, divided by how much that is.
    Nanmean,
    Product,
    Greatest,
    Least,
    /// Where the greatest is.
    PlaceOfGreatest,
    PlaceOfLeast,
    /// The greatest, and where it is.
    PickGreatest,
    PickLeast,
    /// Whether some element isn't zero.
    Some,
    /// Whether every element isn't zero.
    Every,
    /// How many elements aren't zero.
    Count,
    Variance,
    /// The root of a variance.
    Deviation,
    /// Norms of order 0, 1 and 2, of infinite orders, and of any other.
    NormZero,
    NormOne,
    NormTwo,
    NormMost,
    NormLeast,
    NormPower,
    LogSumExp,
}

/// What of a reduction a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// All.
    Whole,
    /// Parts, from elements to what is known of them.
    Parts,
    /// The rest, from what is known of parts to results.
    Last,
}

/// A kernel of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Folding {
    fold: Fold,
    stage: Stage,
    /// Elements are converted along these dtypes; of the last is what is computed.
    path: [DType; 3],
    out: DType,
}

impl Fold {
    /// The dtype that elements are folded in, which were rounded to `through` before.
    pub(crate) fn number(self, through: DType) -> DType {
        match self {
            Self::Some | Self::Every => DType::Bool,
            Self::Count => DType::I64,
            _ if self.is_wide() => {
                if through.is_complex() {
                    DType::C128
                } else {
                    DType::F64
                }
            }
            _ => through.computing(),
        }
    }

    /// Whether it computes in `f64` whatever the dtype.
    pub(crate) const fn is_wide(self) -> bool {
        matches!(self, Self::Variance | Self::Deviation | Self::LogSumExp) || self.is_norm()
    }

    const fn is_norm(self) -> bool {
        matches!(self, Self::NormZero | Self::NormOne | Self::NormTwo | Self::NormMost | Self::NormLeast | Self::NormPower)
    }

    /// Whether it finds an element, whose place is a result of its own or the only one.
    const fn finds(self) -> bool {
        matches!(self, Self::PlaceOfGreatest | Self::PlaceOfLeast | Self::PickGreatest | Self::PickLeast)
    }

    /// What is known of elements, in the kernel.
    fn known(self, number: DType) -> String {
        let name = in_registers(number);
        match self {
            _ if self.finds() => format!("Found<{name}>"),
            Self::Variance | Self::Deviation => format!("Moments<{name}>"),
            Self::LogSumExp => format!("Exponentials<{name}>"),
            Self::Nanmean => format!("Averaged<{name}>"),
            _ if self.is_norm() => "f64".into(),
            _ => name,
        }
    }

    /// How many bytes that has.
    const fn known_bytes(self, number: DType) -> usize {
        let complex = number.is_complex();
        match self {
            _ if self.finds() => 16,
            Self::Variance | Self::Deviation => 24 + 24 * complex as usize,
            Self::LogSumExp => 16 + 16 * complex as usize,
            Self::Nanmean => 16,
            _ if self.is_norm() => 8,
            _ => number.itemsize(),
        }
    }

    /// How two become one.
    const fn combines(self) -> &'static str {
        match self {
            Self::Sum | Self::Mean | Self::Nansum | Self::Count => "Sum",
            Self::NormZero | Self::NormOne | Self::NormTwo | Self::NormPower => "Sum",
            Self::Product => "Product",
            Self::Greatest | Self::NormMost => "Greatest",
            Self::Least | Self::NormLeast => "Least",
            Self::PlaceOfGreatest | Self::PickGreatest => "FindGreatest",
            Self::PlaceOfLeast | Self::PickLeast => "FindLeast",
            Self::Some => "Some",
            Self::Every => "Every",
            Self::Nanmean => "Average",
            Self::Variance | Self::Deviation => "Spread",
            Self::LogSumExp => "AddExponentials",
        }
    }

    /// What an element becomes: as it was loaded, or converted to the dtype of the computation.
    fn term(self, loaded: &str, value: String, known: &str) -> String {
        match self {
            Self::Some | Self::Every => format!("cast<bool>({loaded})"),
            Self::Count => format!("cast<i64>(cast<bool>({loaded}))"),
            Self::Nansum => format!("nan_is_zero({value})"),
            Self::Nanmean => format!("averaged({value})"),
            Self::Variance | Self::Deviation => format!("moments({value})"),
            Self::LogSumExp => format!("exponentials({value})"),
            Self::NormZero => format!("cast<f64>(cast<bool>({value}))"),
            Self::NormOne | Self::NormMost | Self::NormLeast => format!("magnitude({value})"),
            Self::NormTwo => format!("squared_magnitude({value})"),
            Self::NormPower => format!("pow(magnitude({value}), number<f64>(given))"),
            _ if self.finds() => format!("{known}{{{value}, (i64)j}}"),
            _ => value,
        }
    }

    /// What comes of all, and its dtype.
    fn result(self, number: DType) -> (&'static str, DType) {
        match self {
            Self::Mean => ("divided(folded, a.number)", number),
            Self::Nanmean => ("average(folded)", number),
            Self::PlaceOfGreatest | Self::PlaceOfLeast => ("folded.index", DType::I64),
            Self::PickGreatest | Self::PickLeast => ("folded.value", number),
            Self::Variance => ("variance(folded, a.number)", DType::F64),
            Self::Deviation => ("sqrt(variance(folded, a.number))", DType::F64),
            Self::NormTwo => ("sqrt(folded)", DType::F64),
            Self::NormPower => ("pow(folded, 1.0 / number<f64>(a.number))", DType::F64),
            Self::LogSumExp => ("logarithm(folded)", number),
            _ if self.is_norm() => ("folded", DType::F64),
            _ => ("folded", number),
        }
    }

    /// The fold whose parts are the same.
    const fn of_parts(self) -> Self {
        match self {
            Self::Mean => Self::Sum,
            Self::Deviation => Self::Variance,
            Self::PlaceOfGreatest => Self::PickGreatest,
            Self::PlaceOfLeast => Self::PickLeast,
            other => other,
        }
    }
}

impl Folding {
    /// All of a reduction: elements of a dtype, rounded to another one, into a result.
    pub(crate) fn whole(fold: Fold, input: DType, through: DType, out: DType) -> Self {
        let number = fold.number(through);
        // What is wide, or doesn't look at numbers, reads them as they are where it can.
        let direct = matches!(through, DType::I64 | DType::F32 | DType::F64 | DType::C64 | DType::C128);
        let by = if fold.is_wide() && direct || matches!(fold, Fold::Some | Fold::Every | Fold::Count) { input } else { through };
        Self { fold, stage: Stage::Whole, path: [input, by, number], out }
    }

    /// The same, cut into two kernels.
    pub(crate) fn cut(self) -> [Self; 2] {
        let number = self.path[2];
        [
            Self { fold: self.fold.of_parts(), stage: Stage::Parts, out: number, ..self },
            Self { stage: Stage::Last, path: [number; 3], ..self },
        ]
    }

    /// Kernels that a program which needs this one is likely to need next: its other stages, and the commonest of the dtype.
    pub(super) fn next(self) -> Vec<Self> {
        let common = [Reduction::Sum, Reduction::Mean, Reduction::Amax, Reduction::Amin, Reduction::Argmax, Reduction::Var];
        let own = of(self.path[0]).into_iter().filter(|other| other.fold == self.fold);
        own.chain(common.into_iter().flat_map(|op| of_row(op, self.path[0]))).collect()
    }

    /// Of what is known of a part, how many bytes there are.
    pub(crate) fn known_bytes(self) -> usize {
        self.fold.known_bytes(self.path[2])
    }

    /// The kernel.
    pub(super) fn unit(self) -> Unit {
        let Self { fold, stage, path, out } = self;
        let [memory, through, number] = path;
        let (known, bytes) = (fold.known(number), fold.known_bytes(number));
        let name = format!("{fold:?}").to_lowercase();
        let by = format!("{}_by_{}__{}", in_registers(memory), in_registers(through), in_registers(number));
        let stem = match stage {
            Stage::Whole => format!("{name}__{by}__{}", in_registers(out)),
            Stage::Parts => format!("{name}__{by}__parts"),
            Stage::Last => format!("{name}__parts__{}__{}", in_registers(number), in_registers(out)),
        };
        let element = if stage == Stage::Last {
            "x".into()
        } else {
            let loaded = if memory == DType::Bool { "cast<bool>(x)" } else { "x" };
            fold.term(loaded, converted(loaded.into(), &path), &known)
        };
        let (taken, given) = (if stage == Stage::Last { known.clone() } else { in_memory(memory) }, in_memory(out));
        let (given, puts) = if stage == Stage::Parts {
            (known.clone(), "static_cast<Out *>(a.out)[at] = folded;".into())
        } else {
            let (result, dtype) = fold.result(number);
            let result = converted(result.into(), &[dtype, out]);
            let result = if out == DType::Bool { format!("cast<bool8>({result})") } else { result };
            let place =
                if matches!(fold, Fold::PickGreatest | Fold::PickLeast) { " static_cast<i64 *>(a.places)[at] = folded.index;" } else { "" };
            (given, format!("static_cast<Out *>(a.out)[at] = {result};{place}"))
        };
        let combines = fold.combines();
        let text = format!(
            "struct {stem} {{\n    typedef {known} Acc;\n    typedef {taken} In;\n    typedef {given} Out;\n    \
             static_assert(sizeof(Acc) == {bytes}, \"as many as parts have room\");\n    \
             DEVICE Acc begin() {{ return {combines}::begin<Acc>(); }}\n    \
             DEVICE Acc combine(const Acc x, const Acc y) {{ return {combines}::combine<Acc>(x, y); }}\n    \
             DEVICE Acc element(const In x, const u32 j, const Number &given) {{ return {element}; }}\n    \
             DEVICE void put(const FoldArguments &a, const u32 at, const Acc folded) {{ {puts} }}\n}};\nFOLDS({stem}, {stem})\n",
        );
        let spreads = fold.finds() || fold.is_wide() || fold == Fold::Nanmean;
        let functions = if spreads { vec![FOLDS.into(), SPREADS.into()] } else { vec![FOLDS.into()] };
        Unit { stem, functions, width: 1, text, walks: &["each", "together"] }
    }
}

/// What a reduction of the table folds, of elements that are rounded to a dtype first, with a parameter; `None` for what isn't a fold.
pub(crate) fn fold_of(op: Reduction, through: DType, parameter: f64) -> Option<Fold> {
    Some(match op {
        // Of truths there are sums and products, too: whether some are, whether all are.
        Reduction::Sum | Reduction::Nansum if through == DType::Bool => Fold::Some,
        Reduction::Prod if through == DType::Bool => Fold::Every,
        Reduction::Sum => Fold::Sum,
        Reduction::Prod => Fold::Product,
        Reduction::Mean => Fold::Mean,
        Reduction::Nansum => Fold::Nansum,
        Reduction::Nanmean => Fold::Nanmean,
        Reduction::Amax | Reduction::Max => Fold::Greatest,
        Reduction::Amin | Reduction::Min => Fold::Least,
        Reduction::Argmax => Fold::PlaceOfGreatest,
        Reduction::Argmin => Fold::PlaceOfLeast,
        Reduction::Any => Fold::Some,
        Reduction::All => Fold::Every,
        Reduction::CountNonzero => Fold::Count,
        Reduction::Var => Fold::Variance,
        Reduction::Std => Fold::Deviation,
        Reduction::Logsumexp => Fold::LogSumExp,
        Reduction::Norm => match parameter {
            0.0 => Fold::NormZero,
            1.0 => Fold::NormOne,
            2.0 => Fold::NormTwo,
            f64::INFINITY => Fold::NormMost,
            f64::NEG_INFINITY => Fold::NormLeast,
            _ => Fold::NormPower,
        },
        _ => return None,
    })
}

/// One of each kind of order that a norm has.
const ORDERS: [f64; 6] = [0.0, 1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY, 3.0];

/// The kernels of a reduction of the table, of a dtype that it takes: for the whole, and in two.
fn of_row(op: Reduction, dtype: DType) -> Vec<Folding> {
    let Ok(result) = op.result(dtype, DType::F32) else { return Vec::new() };
    let through = if matches!(op, Reduction::Sum | Reduction::Prod | Reduction::Nansum | Reduction::Logsumexp) { result } else { dtype };
    let orders = if op == Reduction::Norm { &ORDERS[..] } else { &ORDERS[2..3] };
    let mut folds: Vec<Fold> = orders.iter().filter_map(|&order| fold_of(op, through, order)).collect();
    // With a dimension they find places, too.
    folds.extend(match op {
        Reduction::Max => Some(Fold::PickGreatest),
        Reduction::Min => Some(Fold::PickLeast),
        _ => None,
    });
    let whole = folds.into_iter().map(|fold| Folding::whole(fold, dtype, through, result));
    whole.flat_map(|whole| [whole].into_iter().chain(whole.cut())).collect()
}

/// The kernels of all reductions of the table that take a dtype.
pub(super) fn of(dtype: DType) -> Vec<Folding> {
    let mut kernels: Vec<Folding> = Vec::new();
    for kernel in Reduction::ALL.iter().flat_map(|&op| of_row(op, dtype)) {
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    kernels
}
