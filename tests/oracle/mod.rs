//! Reads PyTorch's answers from `golden/promotion_oracle.json`.

use std::fmt;

use latten::prelude::DType;
use serde_json::Value;

/// The rank of an operand, in the order of priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Dimensioned,
    ZeroDim,
    Number,
}

/// A kind of operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) rank: Rank,
    pub(crate) dtype: DType,
}

impl Operand {
    pub(crate) fn new(rank: Rank, dtype: DType) -> Self {
        Self { rank, dtype }
    }

    pub(crate) fn into_table(self) -> (latten::Level, DType) {
        let level = match self.rank {
            Rank::Dimensioned => latten::Level::Dimensioned,
            Rank::ZeroDim => latten::Level::ZeroDim,
            Rank::Number => latten::Level::Wrapped,
        };
        (level, self.dtype)
    }

    /// The name that the file has for it.
    fn name(self) -> String {
        match (self.rank, self.dtype) {
            (Rank::Dimensioned, dtype) => format!("dim:{dtype}"),
            (Rank::ZeroDim, dtype) => format!("zero:{dtype}"),
            (Rank::Number, DType::Bool) => "py:bool".into(),
            (Rank::Number, DType::I64) => "py:int".into(),
            (Rank::Number, DType::F32) => "py:float".into(),
            (Rank::Number, _) => "py:complex".into(),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// What PyTorch did: a dtype, "ok", or an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome<'a>(&'a str);

impl<'a> Outcome<'a> {
    /// The dtype of the result; of the first one, where there are two.
    pub(crate) fn dtype(self) -> Option<&'a str> {
        (!self.0.starts_with("E:")).then(|| self.0.split(',').next().unwrap_or_default())
    }

    pub(crate) fn is_ok(self) -> bool {
        self.0 == "ok"
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The file.
pub(crate) struct Oracle(Value);

impl Oracle {
    pub(crate) fn load() -> Self {
        let text = include_str!("../golden/promotion_oracle.json");
        Self(serde_json::from_str(text).expect("the golden file is JSON"))
    }

    fn index(&self, list: &str, name: &str) -> Option<usize> {
        self.0[list].as_array()?.iter().position(|entry| entry == name)
    }

    fn operand(&self, operand: Operand) -> Option<usize> {
        self.index("operands", &operand.name())
    }

    fn dtype(&self, dtype: DType) -> Option<usize> {
        self.index("dtypes", dtype.name())
    }

    /// The outcome that a cell points to; nothing where the file has no such cell.
    fn outcome(&self, cell: &Value) -> Option<Outcome<'_>> {
        let index = usize::try_from(cell.as_u64()?).ok()?;
        self.0["outcomes"][index].as_str().filter(|&outcome| outcome != "n/a").map(Outcome)
    }

    pub(crate) fn result_type(&self, lhs: Operand, rhs: Operand) -> Option<&str> {
        self.outcome(&self.0["result_type"][self.operand(lhs)?][self.operand(rhs)?])?.dtype()
    }

    pub(crate) fn binary(&self, name: &str, lhs: Operand, rhs: Operand) -> Option<Outcome<'_>> {
        let table = match &self.0["binary"]["float32"][name] {
            Value::Null => &self.0["other"][name],
            table => table,
        };
        self.outcome(&table[self.operand(lhs)?][self.operand(rhs)?])
    }

    pub(crate) fn in_place(&self, name: &str, lhs: Operand, rhs: Operand) -> Option<Outcome<'_>> {
        self.outcome(self.0["inplace"][name].get(self.operand(lhs)?)?.get(self.operand(rhs)?)?)
    }

    pub(crate) fn out(&self, name: &str, operands: DType, out: DType) -> Option<Outcome<'_>> {
        self.outcome(&self.0["out"][name][self.dtype(operands)?][self.dtype(out)?])
    }

    pub(crate) fn unary(&self, section: &str, name: &str, dtype: DType) -> Option<Outcome<'_>> {
        self.outcome(&self.0[section][name][self.dtype(dtype)?])
    }

    pub(crate) fn can_cast(&self, from: DType, to: DType) -> Option<bool> {
        self.0["can_cast"][self.dtype(from)?][self.dtype(to)?].as_u64().map(|cell| cell != 0)
    }
}

/// Fails with all failures, or the first of very many.
pub(crate) fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures[..failures.len().min(40)].join("\n"));
}
