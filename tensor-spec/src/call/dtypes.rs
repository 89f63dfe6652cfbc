//! Which dtypes a row's tensors may have and on which devices they may be, as rows write it: `of bool | integers | F32, on cpu | cuda`.

use crate::dtype::{Category, DType};
use crate::operation::{Op, Trait};
use crate::reduction::Reduction;

/// A set of dtypes that aren't quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// All of them.
    #[must_use]
    pub fn every() -> Self {
        Self::where_true(|_| true)
    }

    /// Those of which something is true.
    fn where_true(is: impl Fn(DType) -> bool) -> Self {
        let all = DType::ALL.iter().filter(|&&dtype| !dtype.is_quantized() && is(dtype));
        Self(all.fold(0, |bits, &dtype| bits | 1 << dtype as u32))
    }

    /// The set with those bits, which is how generated code writes it.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// What [`from_bits`](Self::from_bits) takes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether a dtype is in the set.
    #[must_use]
    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & (1 << dtype as u32) != 0
    }

    /// Reads sets with `|` between them: `bool`, `integers`, `floats` and `complex` compute, `unsigned` and `eighths` only store; `numbers` are
    /// the first without `bool`, `reals` those that have an order, `precise` the floats and complex numbers that LAPACK computes with; or one dtype.
    ///
    /// # Errors
    /// Where nothing is called so.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut bits = 0;
        for name in text.split('|').map(str::trim) {
            let of =
                |categories: &'static [Category]| Self::where_true(|dtype| dtype.is_computing() && categories.contains(&dtype.category()));
            bits |= match name {
                "bool" => of(&[Category::Boolean]),
                "integers" => of(&[Category::Integral]),
                "floats" => of(&[Category::Floating]),
                "complex" => of(&[Category::Complex]),
                "numbers" => of(&[Category::Integral, Category::Floating, Category::Complex]),
                "reals" => of(&[Category::Boolean, Category::Integral, Category::Floating]),
                "precise" => Self::where_true(|dtype| matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)),
                "unsigned" => Self::where_true(|dtype| !dtype.is_computing() && dtype.category() == Category::Integral),
                "eighths" => Self::where_true(DType::is_float8),
                one => {
                    let named = DType::ALL.iter().find(|dtype| dtype.variant() == one);
                    let found = named.ok_or_else(|| format!("no dtypes are called `{one}`"))?;
                    Self::where_true(|dtype| dtype == *found)
                }
            }
            .0;
        }
        Ok(Self(bits))
    }
}

/// A device, as far as rows tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The host.
    Cpu,
    /// A GPU.
    Cuda,
    /// The device whose tensors have no elements.
    Meta,
}

impl Place {
    const ALL: [(&'static str, Self); 3] = [("cpu", Self::Cpu), ("cuda", Self::Cuda), ("meta", Self::Meta)];

    /// How the table names the variant.
    #[must_use]
    pub const fn variant(self) -> &'static str {
        match self {
            Self::Cpu => "Cpu",
            Self::Cuda => "Cuda",
            Self::Meta => "Meta",
        }
    }

    /// Those of a row: the column `on`, else all.
    pub(super) fn of(bodies: &[(&'static str, &'static str)]) -> Result<Vec<Self>, String> {
        let Some((_, text)) = bodies.iter().find(|(key, _)| *key == "on") else {
            return Ok(Self::ALL.iter().map(|&(_, place)| place).collect());
        };
        let named = |name: &str| Self::ALL.iter().find(|(own, _)| *own == name).map(|&(_, place)| place);
        text.split('|').map(|name| named(name.trim()).ok_or_else(|| format!("no device is called `{}`", name.trim()))).collect()
    }
}

/// Where it is said which dtypes an operation takes.
#[derive(Clone, Copy, Debug)]
pub enum Taken {
    /// In the table of elementwise operations.
    ByOperation(Op),
    /// In the table of reductions.
    ByReduction(Reduction),
    /// In its row.
    Only(DTypeSet),
}

impl Taken {
    /// Whether tensors of the dtype are taken.
    #[must_use]
    pub fn contains(self, dtype: DType, default: DType) -> bool {
        match self {
            Self::ByOperation(op) => {
                let itself = op.row().is(Trait::Itself) && op.row().formula(dtype.category()) == Some("x");
                !dtype.is_quantized() && (itself || op.answer(dtype, default).is_ok())
            }
            Self::ByReduction(reduction) => reduction.result(dtype, default).is_ok(),
            Self::Only(set) => set.contains(dtype),
        }
    }

    /// What the bodies of a row say of it: the column `of`, else the operation or reduction that computes it.
    pub(super) fn of(bodies: &[(&'static str, &'static str)]) -> Result<Self, String> {
        if let Some((_, text)) = bodies.iter().find(|(key, _)| *key == "of") {
            return DTypeSet::parse(text).map(Self::Only);
        }
        let called = |key: &str, of: &str| {
            let (_, text) = bodies.iter().find(|(own, _)| *own == key)?;
            let rest = text.trim_start().strip_prefix(of)?.trim_start().strip_prefix("::")?;
            rest.split('(').next().map(str::trim)
        };
        let op = called("op", "Op").and_then(|name| Op::ALL.iter().find(|op| op.variant() == name));
        let fold = called("fold", "Reduction").and_then(|name| Reduction::ALL.iter().find(|fold| fold.variant() == name));
        Ok(match (op, fold) {
            (Some(&op), _) => Self::ByOperation(op),
            (None, Some(&fold)) => Self::ByReduction(fold),
            (None, None) => Self::Only(DTypeSet::every()),
        })
    }
}
