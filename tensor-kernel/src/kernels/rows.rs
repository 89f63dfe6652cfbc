//! The kernels of what goes along one dimension: scans, softmax and medians, for `rows.cuh`.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::folds::FOLDS;
use super::source::{Unit, in_memory, in_registers};

/// The walks of rows.
pub(super) const ROWS: &str = include_str!("rows.cuh");

/// What becomes of rows of a dtype, in the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowKernel {
    op: Reduction,
    dtype: DType,
}

impl RowKernel {
    /// `None` for what doesn't go along rows.
    pub const fn new(op: Reduction, dtype: DType) -> Option<Self> {
        match op {
            Reduction::Cumsum
            | Reduction::Cumprod
            | Reduction::Logcumsumexp
            | Reduction::Cummax
            | Reduction::Cummin
            | Reduction::Softmax
            | Reduction::LogSoftmax
            | Reduction::Median => Some(Self { op, dtype }),
            // others: folds go by other kernels.
            _ => None,
        }
    }

    /// Of the elements.
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// Whether results have places beside them.
    pub const fn has_places(self) -> bool {
        matches!(self.op, Reduction::Cummax | Reduction::Cummin | Reduction::Median)
    }

    /// Whether a row becomes as many results.
    pub fn is_scan(self) -> bool {
        self.op != Reduction::Median
    }

    /// Whether elements become shares of their row.
    pub const fn is_softmax(self) -> bool {
        matches!(self.op, Reduction::Softmax | Reduction::LogSoftmax)
    }

    /// What running sums are kept in.
    fn wide(self) -> DType {
        match self.dtype {
            dtype if dtype.is_complex() => DType::C128,
            dtype if dtype.is_integral() => DType::I64,
            _ => DType::F64,
        }
    }

    /// What is known of the elements so far, in a scan that can be cut into parts: its type, and what joins two.
    fn known(self) -> Option<(String, &'static str)> {
        let found = || format!("Found<{}>", in_registers(self.dtype.computing()));
        Some(match self.op {
            Reduction::Cumsum => (in_registers(self.wide()), "Sum"),
            Reduction::Cumprod => (in_registers(self.wide()), "Product"),
            Reduction::Logcumsumexp => ("Exponentials<f64>".into(), "AddExponentials"),
            Reduction::Cummax => (found(), "RunGreatest"),
            Reduction::Cummin => (found(), "RunLeast"),
            // others: rows aren't cut.
            _ => return None,
        })
    }

    /// How many bytes that has; `None` where rows aren't cut.
    pub fn known_bytes(self) -> Option<usize> {
        match self.op {
            Reduction::Cumsum | Reduction::Cumprod => Some(self.wide().itemsize()),
            Reduction::Logcumsumexp => Some(2 * self.wide().itemsize()),
            Reduction::Cummax | Reduction::Cummin => Some(super::folds::found(self.dtype.computing().itemsize()).0),
            // others: rows aren't cut.
            _ => None,
        }
    }

    /// The kernel.
    pub fn unit(self) -> Unit {
        let (memory, number) = (in_memory(self.dtype), in_registers(self.dtype.computing()));
        let name = format!("{:?}", self.op).to_lowercase();
        let stem = format!("{name}__{}", in_registers(self.dtype));
        let head = format!("struct {stem} {{\n    typedef {memory} In;\n    typedef {memory} Out;\n");
        let (Some((known, combines)), Some(bytes)) = (self.known(), self.known_bytes()) else {
            let (body, walks) = match self.op {
                Reduction::Median => (String::new(), "MEDIAN"),
                // others: shares of a row.
                _ => {
                    let put =
                        "DEVICE void put(const RowArguments &a, const i64 at, const T x) { static_cast<Out *>(a.out)[at] = cast<Out>(x); }";
                    (format!("    typedef {:?} Share;\n    {put}\n", self.op), "SOFTMAX")
                }
            };
            let text = format!("{head}    typedef {number} T;\n{body}}};\n{walks}({stem}, {stem})\n");
            return Unit {
                stem,
                functions: vec![FOLDS.into(), super::folds::SPREADS.into(), ROWS.into()],
                width: 1,
                text,
                walks: &["each", "together"],
            };
        };
        let (element, value, place) = if self.has_places() {
            (format!("Acc{{cast<{number}>(x), j}}"), "folded.value", "folded.index")
        } else if self.op == Reduction::Logcumsumexp {
            ("exponentials(cast<f64>(x))".into(), "log(folded.sum) + folded.most", "0")
        } else {
            ("cast<Acc>(x)".into(), "folded", "0")
        };
        let text = format!(
            "{head}    typedef {known} Acc;\n    static constexpr bool places = {};\n    static_assert(sizeof(Acc) == {bytes}, \"as many as parts have room\");\n    \
             DEVICE Acc begin() {{ return {combines}::begin<Acc>(); }}\n    \
             DEVICE Acc combine(const Acc x, const Acc y) {{ return {combines}::combine<Acc>(x, y); }}\n    \
             DEVICE Acc element(const In x, const u32 j) {{ return {element}; }}\n    \
             DEVICE Out value(const Acc folded) {{ return cast<Out>({value}); }}\n    \
             DEVICE i64 place(const Acc folded) {{ return {place}; }}\n}};\n\
             SCANS({stem}, {stem})\n",
            self.has_places()
        );
        Unit {
            stem,
            functions: vec![FOLDS.into(), super::folds::SPREADS.into(), ROWS.into()],
            width: 1,
            text,
            walks: &["each", "together", "totals"],
        }
    }
}

/// The kernels of all rows of the table of reductions that go along rows and take a dtype.
pub fn of(dtype: DType) -> Vec<RowKernel> {
    // Bools are added and multiplied as i64.
    let takes = |op: Reduction| {
        op.result(dtype, DType::F32).is_ok() && !(dtype == DType::Bool && matches!(op, Reduction::Cumsum | Reduction::Cumprod))
    };
    Reduction::ALL.iter().filter(|&&op| takes(op)).filter_map(|&op| RowKernel::new(op, dtype)).collect()
}
