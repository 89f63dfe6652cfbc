//! The checks that rows of the table ask for before and after those that all operations share, and what another operation computes. Which
//! operation asks for what stands in the table.

use std::cmp::Ordering;

use latten_spec::operation::{
    Becomes, Categories, Fit, Other, Outputs, RefusalKind, RefusalRow, RefusedWhen, ResultRule, Row, Simpler, Trait,
};
use latten_spec::{Category, DType};
use smallvec::SmallVec;

use super::{Goal, Params, Seen};
use crate::convert::Written;
use crate::dtype::promotion_default;
use crate::dtype::{cpp_name, integer_limits};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;
use crate::strictness;

/// What the table refuses; of calls with numbers where others have tensors before all else.
pub(super) fn refuse(row: &Row, operands: &[Seen<'_>], goal: &Goal<'_>, params: &Params, with_numbers: bool) -> Result<()> {
    let within = |operands: &[Seen<'_>], set: Categories, all: bool| {
        let mut inside = operands.iter().map(|operand| set.contains(operand.promoting().1.category()));
        if all { inside.all(|inside| inside) } else { inside.any(|inside| inside) }
    };
    for refusal in row.refusals.iter().filter(|refusal| (refusal.when == RefusedWhen::WithNumbers) == with_numbers) {
        let set = refusal.categories;
        let meets = match refusal.when {
            RefusedWhen::All => within(operands, set, true),
            RefusedWhen::Any => within(operands, set, false),
            RefusedWhen::First => within(&operands[..1], set, true),
            RefusedWhen::InPlace => matches!(goal, Goal::InPlace(_)) && within(operands, set, false),
            RefusedWhen::Rest => within(&operands[1..], set, true),
            RefusedWhen::WithNumbers => is_other(row, operands, &Params::none()) && within(operands, set, false),
            RefusedWhen::NegativeParameter => params.get(0).is_some_and(is_negative) && within(operands, set, true),
            RefusedWhen::Negative => matches!(operands.last(), Some(Seen::Number(Scalar::Int(..0)))) && within(operands, set, true),
        };
        if meets {
            return Err(Error::new(kind_of(refusal), refused(refusal, operands, params)?));
        }
    }
    Ok(())
}

fn kind_of(refusal: &RefusalRow) -> ErrorKind {
    match refusal.kind {
        RefusalKind::NotImplemented => ErrorKind::NotImplemented,
        RefusalKind::Type => ErrorKind::Type,
        RefusalKind::Runtime => ErrorKind::Runtime,
    }
}

/// Whether a number isn't 0 or more; a NaN isn't.
fn is_negative(number: Scalar) -> bool {
    number.to_f64().partial_cmp(&0.0).is_none_or(Ordering::is_lt)
}

/// The words of a refusal.
fn refused(refusal: &RefusalRow, operands: &[Seen<'_>], params: &Params) -> Result<String> {
    let (RefusedWhen::NegativeParameter, Some(found), Some(operand)) = (refusal.when, params.get(0), operands.first()) else {
        return Ok(refusal.text.into());
    };
    let dtype = operand.promoting().1;
    let largest = match dtype {
        DType::F16 => "65504",
        DType::BF16 => "3.38953e+38",
        DType::F32 => "3.40282e+38",
        // others: float64.
        _ => "1.79769e+308",
    };
    let (dtype, found) = (dtype.message_name(), found.to_f64().to_string());
    Ok(refusal.text.replace("{largest}", largest).replace("{dtype}", dtype).replace("{found}", &found))
}

/// Checks of dtypes that PyTorch makes before it looks at shapes.
pub(super) fn before(row: &Row, operands: &[Seen<'_>], goal: &Goal<'_>, common: &Result<DType>) -> Result<()> {
    if let (Outputs::Exact { in_place, out }, Some(output)) = (row.outputs, goal.output()) {
        let (result, words) = (row.result(common.clone()?), if matches!(goal, Goal::InPlace(_)) { in_place } else { out });
        if output.dtype != result {
            let text = words.replace("{output}", output.dtype.message_name()).replace("{result}", result.message_name());
            return Err(Error::runtime(text));
        }
    }
    for takes in row.takes {
        let found = operands[takes.operand].tensor().map(|tensor| tensor.dtype);
        if let Some(found) = found.filter(|found| !takes.dtypes.contains(found)) {
            return Err(Error::runtime(takes.text.replace("{found}", found.message_name())));
        }
    }
    if row.result == ResultRule::First { same_dtypes(row, operands) } else { Ok(()) }
}

/// That tensors have the dtype of the first one; those that weigh may have any, where they have no dimensions, as numbers have.
fn same_dtypes(row: &Row, operands: &[Seen<'_>]) -> Result<()> {
    let Some(first) = operands[0].tensor().map(|tensor| tensor.dtype) else { return Ok(()) };
    for (i, (operand, name)) in operands.iter().zip(row.operands).enumerate() {
        let Some(tensor) = operand.tensor() else { continue };
        let weighs = matches!(row.other, Some((Other::Numbers(from), _)) if i >= from);
        if tensor.dtype != first && !(weighs && tensor.sizes.is_empty()) {
            let (expected, found) = (cpp_name(first), cpp_name(tensor.dtype));
            return Err(Error::runtime(format!("expected dtype {expected} for `{name}` but got dtype {found}")));
        }
    }
    Ok(())
}

/// The numbers that bound an operation as its kernel takes them, where they all are numbers, and what is computed then: those beyond the
/// dtype's range on the far side bound nothing, those on the near side are refused.
pub(super) fn bounds<'a>(row: &Row, operands: &[Seen<'a>], goal: &Goal<'_>) -> Result<Option<(SmallVec<[Seen<'a>; 4]>, DType)>> {
    let [Seen::Tensor(tensor), numbers @ ..] = operands else { return Ok(None) };
    if !row.is(Trait::Bounds) || !is_other(row, operands, &Params::none()) || tensor.dtype.is_complex() {
        return Ok(None);
    }
    let dtype = if tensor.dtype.is_floating_point() { tensor.dtype } else { common_dtype(row, operands)? };
    if matches!(goal, Goal::InPlace(_)) && dtype != tensor.dtype {
        let (result, output) = (dtype.message_name(), cpp_name(tensor.dtype));
        return Err(Error::runtime(format!("result type {result} can't be cast to the desired output type {output}")));
    }
    match dtype.category() {
        // As a complex tensor is refused; where none is, the table refuses numbers.
        Category::Complex => {
            let refusal = row.refusals.iter().find(|refusal| refusal.when == RefusedWhen::First);
            return refusal.map_or(Ok(None), |refusal| Err(Error::new(kind_of(refusal), refusal.text)));
        }
        Category::Boolean => return Err(Error::not_implemented(row.unsupported(dtype, true))),
        Category::Integral | Category::Floating => {}
    }
    let mut bounded: SmallVec<[Seen<'a>; 4]> = SmallVec::from_iter([operands[0]]);
    for (number, &name) in numbers.iter().zip(&row.operands[1..]) {
        if let Seen::Number(scalar) = *number {
            bounded.push(Seen::Number(bound(scalar, name, dtype)?));
        }
    }
    Ok(Some((bounded, dtype)))
}

/// A number as a bound of a dtype's elements.
fn bound(number: Scalar, name: &str, dtype: DType) -> Result<Scalar> {
    match (number, dtype.category()) {
        (Scalar::Complex(z), _) if z.im != 0.0 => Err(Error::runtime("value cannot be converted to type double without overflow")),
        (Scalar::Complex(z), _) => bound(Scalar::Float(z.re), name, dtype),
        (Scalar::Int(at), Category::Integral) => {
            let (least, greatest) = integer_limits(dtype);
            let outside = if name == "low" { i128::from(at) > greatest } else { i128::from(at) < least };
            let side = if name == "low" { "min" } else { "max" };
            if outside {
                let dtype = dtype.message_name();
                return Err(Error::runtime(format!("Clamp {side} value {at} is outside the representable range of {dtype}")));
            }
            let inside = i128::from(at).clamp(least, greatest);
            Ok(Scalar::Int(i64::try_from(inside).unwrap_or(at)))
        }
        (_, Category::Floating) => number.check(dtype, Written::Many).map(|()| number),
        _ => Ok(number),
    }
}

/// Checks of numbers that PyTorch makes when shape and dtype are known.
pub(super) fn numbers(row: &Row, operands: &[Seen<'_>], params: &Params, common: DType) -> Result<()> {
    if row.is(Trait::Alpha)
        && let Some(alpha) = params.get(0)
    {
        return check_alpha(alpha, common);
    }
    let dtype = match row.fit {
        Fit::Computing => common.computing(),
        Fit::Narrow if common.is_integral() || common == DType::F16 => common,
        Fit::Narrow | Fit::No => return Ok(()),
    };
    if !row.computes(common) {
        return Ok(());
    }
    let second = operands[1..].iter().filter_map(|operand| match operand {
        Seen::Number(number) => Some(*number),
        Seen::Tensor(_) => None,
    });
    second.chain(params.given()).try_for_each(|number| number.check(dtype, Written::Many))
}

fn check_alpha(alpha: Scalar, common: DType) -> Result<()> {
    let refusal = match (alpha.category(), common.category()) {
        (Category::Boolean, category) if category != Category::Boolean => "Boolean alpha only supported for Boolean results.",
        (Category::Floating, category) if category < Category::Floating => {
            "For integral input tensors, argument alpha must not be a floating point number."
        }
        (Category::Complex, category) if category < Category::Floating => {
            "For integral input tensors, argument alpha must not be a floating point number."
        }
        (Category::Complex, Category::Floating) => "For non-complex input tensors, argument alpha must not be a complex number.",
        _ => return Ok(()),
    };
    Err(Error::runtime(refusal))
}

/// What a number beside a tensor makes of an operation.
pub(super) fn simpler(row: &Row, operands: &[Seen<'_>], common: DType) -> Option<Becomes> {
    let [first, second] = operands else { return None };
    let (number, at) = match (first, second) {
        (Seen::Tensor(_), Seen::Number(number)) => (*number, 1),
        (Seen::Number(number), Seen::Tensor(_)) => (*number, 0),
        _ => return None,
    };
    let of = |row: &&Simpler| row.operand == at && number == row.number && row.categories.contains(number.category());
    let simpler = row.simpler.iter().find(of)?;
    match simpler.becomes {
        _ if simpler.but == Some(common) => None,
        Becomes::Unary(op) if !op.computes(common) => None,
        other => Some(other),
    }
}

/// The dtype of a condition is no part of a promotion, and of operations that keep the first operand's dtype only that counts.
pub(crate) fn common_dtype(row: &Row, operands: &[Seen<'_>]) -> Result<DType> {
    let counting = match row.result {
        ResultRule::First => &operands[..1],
        _ if row.is(Trait::Conditional) => &operands[1..],
        _ => operands,
    };
    let promoted = strictness::promote(counting.iter().map(Seen::promoting))?;
    Ok(row.common(promoted, promotion_default()))
}

/// Whether the call is one that PyTorch gives to another kernel.
pub(super) fn is_other(row: &Row, operands: &[Seen<'_>], params: &Params) -> bool {
    match row.other {
        None => false,
        Some((Other::Numbers(from), _)) => operands[from..].iter().all(|operand| operand.number().is_some()),
        Some((Other::Defaults, _)) => params.are_defaults(row),
    }
}
