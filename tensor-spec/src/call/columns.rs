//! The columns of a row that say which dtypes its tensors may have and on which devices they may be: `of bool | integers | F32, on cpu | cuda`.

use crate::dtype::{Category, DType};
use crate::operation::Op;
use crate::reduction::Reduction;
use crate::schema::{DTypeSet, Place, PlaceSet, Taken};

/// The columns of a row, by name.
type Columns = [(&'static str, &'static str)];

/// Reads sets with `|` between them: `bool`, `integers`, `floats` and `complex` compute, `unsigned` and `eighths` only store; `numbers` are
/// the first without `bool`, `reals` those that have an order, `precise` the floats and complex numbers that LAPACK computes with; or one dtype.
fn dtypes(text: &str) -> Result<DTypeSet, String> {
    let mut bits = 0;
    for name in text.split('|').map(str::trim) {
        let of = |categories: &'static [Category]| DTypeSet::of(|dtype| dtype.is_computing() && categories.contains(&dtype.category()));
        let set = match name {
            "bool" => of(&[Category::Boolean]),
            "integers" => of(&[Category::Integral]),
            "floats" => of(&[Category::Floating]),
            "complex" => of(&[Category::Complex]),
            "numbers" => of(&[Category::Integral, Category::Floating, Category::Complex]),
            "reals" => of(&[Category::Boolean, Category::Integral, Category::Floating]),
            "precise" => DTypeSet::of(|dtype| matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)),
            "unsigned" => DTypeSet::of(|dtype| !dtype.is_computing() && dtype.category() == Category::Integral),
            "eighths" => DTypeSet::of(DType::is_float8),
            one => {
                let named = DType::ALL.iter().find(|dtype| dtype.variant() == one);
                let found = *named.ok_or_else(|| format!("no dtypes are called `{one}`"))?;
                DTypeSet::of(|dtype| dtype == found)
            }
        };
        bits |= set.bits();
    }
    Ok(DTypeSet::from_bits(bits))
}

/// The column `of`, else what the operation or reduction takes that computes it.
pub(super) fn taken(columns: &Columns) -> Result<Taken, String> {
    if let Some((_, text)) = columns.iter().find(|(key, _)| *key == "of") {
        return dtypes(text).map(Taken::Only);
    }
    let called = |key: &str, of: &str| {
        let (_, text) = columns.iter().find(|(own, _)| *own == key)?;
        let rest = text.trim_start().strip_prefix(of)?.trim_start().strip_prefix("::")?;
        rest.split('(').next().map(str::trim)
    };
    let op = called("op", "Op").and_then(|name| Op::ALL.iter().find(|op| op.variant() == name));
    let fold = called("fold", "Reduction").and_then(|name| Reduction::ALL.iter().find(|fold| fold.variant() == name));
    Ok(match (op, fold) {
        (Some(&op), _) => Taken::ByOperation(op),
        (None, Some(&fold)) => Taken::ByReduction(fold),
        (None, None) => Taken::Only(DTypeSet::of(|_| true)),
    })
}

/// The column `on`, else all devices.
pub(super) fn places(columns: &Columns) -> Result<PlaceSet, String> {
    let Some((_, text)) = columns.iter().find(|(key, _)| *key == "on") else {
        return Ok(PlaceSet::of(&Place::ALL.map(|(_, place)| place)));
    };
    let named = |name: &str| Place::ALL.iter().find(|(own, _)| *own == name).map(|&(_, place)| place);
    let places = text.split('|').map(|name| named(name.trim()).ok_or_else(|| format!("no device is called `{}`", name.trim())));
    places.collect::<Result<Vec<_>, _>>().map(|places| PlaceSet::of(&places))
}
