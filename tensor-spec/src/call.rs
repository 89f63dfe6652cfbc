//! The table of calls: every operation that tensors have, by PyTorch's name and in the notation of its schemas: which arguments it takes,
//! of which kinds and with which defaults, in which forms it can be called, and what computes it.
//!
//! What is elementwise or a reduction has a row in a table of its own; [`rows`] writes its call from that row, unless a row here says more.
//! A row is in `elementwise`, `folds`, `views`, `elements` or `draws`, by theme; the notation is read by `notation`.

mod algebra;
mod columns;
mod draws;
mod elementwise;
mod elements;
mod folds;
mod images;
mod layers;
mod masked;
mod matrices;
mod notation;
mod orders;
mod pieces;
mod specials;
mod spectra;
mod views;
mod windows;

use crate::operation::{Calls, Op};
use crate::reduction::Reduction;
use crate::schema::{Parameter, PlaceSet, Taken};

/// How an operation can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    /// As a method of its first argument.
    pub method: bool,
    /// As a function.
    pub function: bool,
}

/// A call as it is declared: all text is read when tensor-core is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// What tensor-core calls it.
    pub function: &'static str,
    /// The schema, as PyTorch writes them.
    pub schema: &'static str,
    /// `method` or `function` where it is only that, `new` where it only gives new tensors, `no_out` where it has no `out`, `in_place` where a function has that form,
    /// too; parameters that change nothing; elementwise operations that have no call of their own.
    pub marks: &'static [&'static str],
    /// What computes it: `new` gives new tensors or views, `in_place` changes `input`, `out` writes into `out`; `op` is elementwise, `choice` too,
    /// with operands that it chooses, and `fold` is a reduction: in all forms that those have. `of` says which dtypes its tensors may have (else all, or
    /// what the table of the operation or reduction says), `on` which devices they may be on (else all), and `kernel` how PyTorch calls what refuses others, where that isn't refused on the way. `grad` says how gradients go back: the name of its
    /// node with an expression for each argument that has one, over the arguments, the result (`second` is the second one) and its gradient `g`;
    /// or `none` where results have none, `parts` where what it is made of has them
    /// (`parts as EluBackward0` where its node has a name of its own, `parts { name: … }` where arguments say which), and `Called("…")` or `Reached("…")`: an error then.
    pub bodies: &'static [(&'static str, &'static str)],
}

/// Rows of the table, one a line.
macro_rules! declared {
    ($($function:ident $schema:literal $([$($mark:ident)+])? => $($key:ident $body:expr),+;)*) => {
        &[$(
            crate::call::Declared {
                function: stringify!($function),
                schema: $schema,
                marks: &[$($(stringify!($mark)),+)?],
                bodies: &[$((stringify!($key), stringify!($body))),+],
            },
        )*]
    };
}

use declared;

/// What computes a call.
#[derive(Clone, Debug)]
pub enum Body {
    /// An expression for each form.
    Written(&'static [(&'static str, &'static str)]),
    /// An elementwise operation of the arguments in their order.
    Elementwise(Op),
    /// A reduction.
    Fold(Reduction),
}

/// A call of the table.
#[derive(Clone, Debug)]
pub struct CallRow {
    /// PyTorch's name of the operation.
    pub name: String,
    /// What tensor-core calls it; calls that follow from other tables have no name there.
    pub function: Option<&'static str>,
    /// The arguments.
    pub parameters: Vec<Parameter>,
    /// How it can be called.
    pub forms: Forms,
    /// Whether there are tensors among its results.
    pub gives_tensors: bool,
    /// Whether its result is one dense tensor.
    pub gives_one: bool,
    /// The parameters that change nothing.
    pub ignored: &'static [&'static str],
    /// The dtypes that its tensors may have; where it takes none, those that it makes.
    pub taken: Taken,
    /// The devices that tensors may be on.
    pub devices: PlaceSet,
    /// What computes it.
    pub body: Body,
}

/// Every call, by theme; calls of one name are its overloads, and the first one that fits a call counts.
///
/// # Errors
/// Where a schema can't be read.
pub fn rows() -> Result<Vec<CallRow>, String> {
    let declared = || {
        [
            elementwise::ROWS,
            folds::ROWS,
            orders::ROWS,
            algebra::ROWS,
            matrices::ROWS,
            specials::ROWS,
            spectra::ROWS,
            masked::ROWS,
            layers::ROWS,
            windows::ROWS,
            images::ROWS,
            views::ROWS,
            pieces::ROWS,
            elements::ROWS,
            draws::ROWS,
        ]
        .into_iter()
        .flatten()
    };
    let named = |name: &str, variant: &str, keys: &[&str]| {
        let own = format!("{name}(");
        let has = |row: &Declared| row.schema.starts_with(&own) && row.bodies.iter().any(|(key, _)| keys.contains(key));
        declared().any(|row| row.marks.contains(&variant) || has(row))
    };
    let mut rows = Vec::new();
    for &op in Op::ALL {
        if !named(op.name(), op.variant(), &["op", "choice"]) {
            for (schema, marks) in of_op(op) {
                rows.push(notation::row(&schema, None, marks, Body::Elementwise(op))?);
            }
        }
    }
    for &reduction in Reduction::ALL {
        let name = reduction.row().name;
        if !named(name, reduction.variant(), &["fold"]) {
            let schema = format!("{name}(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor");
            rows.push(notation::row(&schema, None, &[], Body::Fold(reduction))?);
        }
    }
    for row in declared() {
        rows.push(notation::row(row.schema, Some(row.function), row.marks, Body::Written(row.bodies))?);
    }
    Ok(rows)
}

/// The schemas of an elementwise operation, one for each kind of operands: those, then its parameters, which must be named.
fn of_op(op: Op) -> Vec<(String, &'static [&'static str])> {
    let row = op.row();
    let schema = |kinds: &[&str]| {
        let operands = row.operands.iter().zip(kinds.iter().chain(kinds.last().into_iter().cycle())).enumerate();
        let operands = operands.map(|(at, (&name, kind))| match (at, name) {
            (0, _) => format!("{kind} self"),
            (1, "y") => format!("{kind} other"),
            _ => format!("{kind} {name}"),
        });
        let params = row.params.iter().map(|(name, default)| format!("Scalar {name}={default}"));
        let star = (!row.params.is_empty()).then(|| "*".to_owned());
        let all: Vec<String> = operands.chain(star).chain(params).collect();
        format!("{}({}) -> Tensor", row.name, all.join(", "))
    };
    let in_front: &'static [&'static str] = if row.calls == Calls::NumberFirstNew { &["function", "new"] } else { &["function"] };
    let number_first = (schema(&["Scalar", "Tensor"]), in_front);
    let (tensors, number_last) = ((schema(&["Tensor"]), &[][..]), (schema(&["Tensor", "Scalar"]), &[][..]));
    match row.calls {
        Calls::Mixed if row.operands.len() > 1 => vec![(schema(&["Tensor|Scalar"]), &[])],
        Calls::Mixed | Calls::Tensors => vec![tensors],
        Calls::NumberLast => vec![tensors, number_last],
        Calls::NumberFirst | Calls::NumberFirstNew => vec![tensors, number_first, number_last],
    }
}
