//! Where latten differs from PyTorch on purpose: one list. What a recording shows is matched narrowly, by operation and condition, and
//! counted apart; what none can show (PyTorch crashes, or a recording has no form for it) says how it holds. `page` writes
//! docs/differences.md. The decisions are those of this project on where documents, PyTorch 2.15 and sense disagree.

use latten::Device;
use latten::Op;
use latten::Padding;
use latten::Result;
use latten::prelude::*;
use latten::storage::UntypedStorage;

use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected, Names, Step};
use crate::compare;
use crate::run::{self, Failed, Reason};
use crate::value::Value;
use serde_json::Value as Json;

/// One deliberate difference.
#[derive(Clone, Copy)]
pub struct Difference {
    /// The operations.
    pub ops: &'static [&'static str],
    /// When.
    pub when: &'static str,
    /// What PyTorch 2.15 does.
    pub pytorch: &'static str,
    /// What latten does.
    pub latten: &'static str,
    /// The number of the decision.
    pub decision: u8,
    /// How it is known.
    pub evidence: Evidence,
}

/// How a difference is known.
#[derive(Clone, Copy, Debug)]
pub enum Evidence {
    /// Recordings show it: whether a case that failed is one of them, and nothing else is wrong with it.
    Recorded(fn(&Case, &Failed) -> bool),
    /// No recording can show it: whether latten does as it says.
    Unrecorded(fn() -> Result<bool>),
}

impl std::fmt::Debug for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {} (decision {})", self.ops.join(", "), self.when, self.latten, self.decision)
    }
}

/// All of them.
pub static DIFFERENCES: [Difference; 12] = [
    Difference {
        ops: &["every operation of the table"],
        when: "it computes in complex32, as of float16 with a complex number",
        pytorch: "most of them: `NotImplementedError`: \"div_cpu\" not implemented for 'ComplexHalf'",
        latten: "the result: complex32 has the whole arithmetic",
        decision: 2,
        evidence: Evidence::Recorded(computes_in_complex32),
    },
    Difference {
        ops: &["sqrt"],
        when: "of float32 and float64",
        pytorch: "some results are off by one unit in the last place: `sqrt(0.99999994)` is 1.0",
        latten: "correctly rounded, as IEEE 754 asks",
        decision: 1,
        evidence: Evidence::Recorded(rounds_correctly),
    },
    Difference {
        ops: &["add", "sub", "rsub"],
        when: "of complex numbers",
        pytorch: "the second operand is multiplied by alpha as a complex number even where that is 1: 0 + inf is inf + NaN i, and zeros lose their sign",
        latten: "the parts are added and subtracted",
        decision: 1,
        evidence: Evidence::Recorded(adds_parts),
    },
    Difference {
        ops: &["log_softmax"],
        when: "float16 and bfloat16",
        pytorch: "off by several units in the last place: of [3.75, 0.25] as bfloat16, -0.0308 and -3.5312",
        latten: "computed in float32 and rounded once: -0.0298 and -3.5312",
        decision: 11,
        evidence: Evidence::Recorded(rounds_once),
    },
    Difference {
        ops: &["conj"],
        when: "of a complex tensor",
        pytorch: "a view with a flag, at the offset of its input; the sign changes when somebody reads it",
        latten: "a new tensor",
        decision: 1,
        evidence: Evidence::Recorded(conjugates_at_once),
    },
    Difference {
        ops: &["untyped_storage.from_buffer"],
        when: "the offset lies outside the buffer",
        pytorch: "the message has the offset and the length swapped",
        latten: "each number in its place",
        decision: 1,
        evidence: Evidence::Recorded(swaps_numbers),
    },
    Difference {
        ops: &["add", "sub", "mul", "div"],
        when: "bfloat16 with a complex number",
        pytorch: "bcomplex32, which has no arithmetic",
        latten: "complex64",
        decision: 2,
        evidence: Evidence::Unrecorded(|| {
            let ones = DynTensor::ones([1], DType::BF16)?;
            Ok(ones.try_add(Complex::new(0.0, 1.0))?.dtype() == DType::C64)
        }),
    },
    Difference {
        ops: &["every operation in place and with out="],
        when: "the operand overlaps the tensor in a way that PyTorch doesn't look at, as in `b -= b[:, :1]`",
        pytorch: "a result that depends on the order of the loop: [[1, 2], [3, 4]] becomes [[0, 2], [0, 4]]",
        latten: "what it were if the operand had been copied first: [[0, 1], [0, 1]]",
        decision: 6,
        evidence: Evidence::Recorded(copies_what_overlaps),
    },
    Difference {
        ops: &["untyped_storage.resize_"],
        when: "the storage is in shared memory",
        pytorch: "the process dies",
        latten: "an error: Trying to resize storage that is not resizable",
        decision: 8,
        evidence: Evidence::Unrecorded(|| {
            let storage = UntypedStorage::from_bytes(&[1, 2])?;
            storage.share_memory_()?;
            Ok(storage.resize_(4).is_err() && storage.tolist()? == [1, 2])
        }),
    },
    Difference {
        ops: &["every operation that reads"],
        when: "the storage of a tensor was made too small for it",
        pytorch: "memory of others is read, or the process dies",
        latten: "an error",
        decision: 8,
        evidence: Evidence::Unrecorded(|| {
            let a = DynTensor::ones([4], DType::U8)?;
            a.untyped_storage().resize_(2)?;
            Ok(a.try_neg().is_err())
        }),
    },
    Difference {
        ops: &["pad"],
        when: "mode is circular, and the negative amount at one end leaves fewer elements than the other end takes from there",
        pytorch: "memory that nobody wrote",
        latten: "an error: Padding value causes wrapping around more than once.",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let row = DynTensor::ones([1, 3], DType::F32)?;
            Ok(row.pad(&[-2, 1], Padding::Circular)?.sizes() == [1, 2] && row.pad(&[2, -2], Padding::Circular).is_err())
        }),
    },
    Difference {
        ops: &["device"],
        when: "the ordinal is above 127",
        pytorch: "it wraps around at eight bits: cuda:256 is cuda:0",
        latten: "an error",
        decision: 9,
        evidence: Evidence::Unrecorded(|| Ok(Device::parse("cuda:127").is_ok() && Device::parse("cuda:128").is_err())),
    },
];

/// The difference that a failure is.
#[must_use]
pub fn explain(case: &Case, failed: &Failed) -> Option<&'static Difference> {
    DIFFERENCES.iter().find(|difference| matches!(difference.evidence, Evidence::Recorded(matches) if matches(case, failed)))
}

/// The step that raises is an operation of the table, and PyTorch has no kernel for complex32.
fn computes_in_complex32(case: &Case, failed: &Failed) -> bool {
    let Some(error) = &case.error else { return false };
    let op = case
        .steps
        .get(error.step)
        .and_then(|step| Op::parse(step.op.trim_end_matches('_')).or((step.op == "true_divide").then_some(Op::Div)));
    op.is_some() && error.message.ends_with("not implemented for 'ComplexHalf'") && matches!(failed.reason, Reason::NotRaised)
}

/// A result that differs from the recorded one in one way, and nothing else does.
struct Single<'a> {
    step: &'a Step,
    what: &'a str,
    input: Vec<Number>,
    dtypes: (DType, DType),
    sizes: &'a [usize],
    got: Vec<Number>,
    expected: Vec<Number>,
}

impl<'a> Single<'a> {
    /// Of a function of one tensor, which is as it was, or of one in place.
    fn of(case: &'a Case, failed: &'a Failed) -> Option<Self> {
        let Reason::Different(found) = &failed.reason else { return None };
        let [difference] = &found[..] else { return None };
        let argument = |step: &'a Step| step.args.first().and_then(Json::as_str).map(|name| name.trim_start_matches('$'));
        let gives = |step: &Step| matches!(&step.names, Some(Names::One(name)) if *name == difference.of);
        let changes = |step: &'a Step| step.op.ends_with('_') && argument(step) == Some(&difference.of);
        let (at, step) = case.steps.iter().enumerate().find(|(_, step)| gives(step) || changes(step))?;
        let before = if gives(step) { None } else { Some(run::after(case, at)?) };
        let Some(Value::Tensor(got)) = failed.names.get(&difference.of) else { return None };
        let Some(Expected::Tensor(expected)) = case.expect.names.get(&difference.of) else { return None };
        let names = before.as_ref().unwrap_or(&failed.names);
        let Some(Value::Tensor(input)) = names.get(argument(step)?) else { return None };
        Some(Self {
            step,
            what: &difference.what,
            input: numbers(input.dtype(), &compare::elements(input).ok()?),
            dtypes: (input.dtype(), got.dtype()),
            sizes: got.sizes(),
            got: numbers(got.dtype(), &compare::elements(got).ok()?),
            expected: numbers(got.dtype(), &expected.data.0),
        })
    }
}

/// Each element is what the processor's own root gives, and the recorded one is at most its neighbour.
fn rounds_correctly(case: &Case, failed: &Failed) -> bool {
    fn fits<T: PartialEq>(root: T, got: T, expected: T, neighbours: [T; 2], nan: fn(&T) -> bool) -> bool {
        nan(&root) && nan(&got) && nan(&expected) || root == got && (expected == root || neighbours.contains(&expected))
    }
    let Some(Single { step, what: "elements", input, dtypes, got, expected, .. }) = Single::of(case, failed) else { return false };
    matches!(&*step.op, "sqrt" | "sqrt_")
        && input.iter().zip(&got).zip(&expected).all(|elements| match (elements, dtypes) {
            (((Number::Float(x), Number::Float(got)), Number::Float(expected)), (DType::F32, DType::F32)) => {
                let root = (*x as f32).sqrt();
                fits(root, *got as f32, *expected as f32, [root.next_up(), root.next_down()], |x| x.is_nan())
            }
            (((Number::Float(x), Number::Float(got)), Number::Float(expected)), (DType::F64, DType::F64)) => {
                let root = x.sqrt();
                fits(root, *got, *expected, [root.next_up(), root.next_down()], |x| x.is_nan())
            }
            _ => false,
        })
}

/// Ours are logarithms of numbers that sum up to 1 along the dimension, as precisely as the dtype can say; the recorded ones are near.
fn rounds_once(case: &Case, failed: &Failed) -> bool {
    let Some(Single { step, what: "elements", dtypes: (_, dtype), sizes, got, expected, .. }) = Single::of(case, failed) else {
        return false;
    };
    let unit = match dtype {
        DType::F16 => 2_f64.powi(-11),
        DType::BF16 => 2_f64.powi(-8),
        _ => return false,
    };
    let dim = step
        .kw
        .get("dim")
        .and_then(Json::as_i64)
        .and_then(|dim| usize::try_from(if dim < 0 { dim + sizes.len() as i64 } else { dim }).ok());
    let (Some(dim), "log_softmax") = (dim.filter(|&dim| dim < sizes.len()), step.op.as_str()) else { return false };
    let float = |x: &Number| if let Number::Float(x) = x { *x } else { f64::NAN };
    let (count, stride) = (sizes[dim], sizes[dim + 1..].iter().product::<usize>());
    let sums_to_one = (0..got.len()).filter(|at| at / stride % count == 0).all(|at| {
        let sum: f64 = (0..count).map(|i| float(&got[at + i * stride]).exp()).sum();
        (sum - 1.0).abs() <= unit * count as f64
    });
    sums_to_one && got.iter().zip(&expected).all(|(x, y)| (float(x) - float(y)).abs() <= 2.0 * unit * float(y).abs().max(4.0))
}

/// The elements are the same, but lie elsewhere.
fn conjugates_at_once(case: &Case, failed: &Failed) -> bool {
    let Some(Single { step, what: "offset" | "strides", dtypes, got, expected, .. }) = Single::of(case, failed) else { return false };
    step.op == "conj" && dtypes.0.is_complex() && got == expected
}

/// A complex tensor after a sum or a difference: zeros of the other sign, or NaN in PyTorch where ours isn't.
fn adds_parts(case: &Case, failed: &Failed) -> bool {
    let adds = case.steps.iter().any(|step| matches!(step.op.trim_end_matches('_'), "add" | "sub" | "rsub"));
    let Reason::Different(found) = &failed.reason else { return false };
    adds && found.iter().all(|difference| {
        let (Some(Value::Tensor(got)), Some(Expected::Tensor(expected))) =
            (failed.names.get(&difference.of), case.expect.names.get(&difference.of))
        else {
            return false;
        };
        let Ok(bytes) = compare::elements(got) else { return false };
        let (dtype, mut pairs) = (got.dtype(), numbers(got.dtype(), &bytes).into_iter().zip(numbers(got.dtype(), &expected.data.0)));
        let same = |pair: (Number, Number)| match pair {
            (Number::Float(x), Number::Float(y)) => x == y || y.is_nan(),
            _ => false,
        };
        dtype.is_complex() && difference.what == "elements" && pairs.all(same)
    })
}

/// The last step writes a tensor over memory that its operand reads, too, and gives what it gives where both are copies.
fn copies_what_overlaps(case: &Case, failed: &Failed) -> bool {
    let (Reason::Different(found), Some((step, before))) = (&failed.reason, case.steps.split_last()) else { return false };
    let Some(state) = run::after(case, before.len()) else { return false };
    let name = |arg: &Json| arg.as_str().map(|name| name.trim_start_matches('$').to_owned());
    let tensor = |name: &String| if let Some(Value::Tensor(tensor)) = state.get(name) { Some(tensor) } else { None };
    let (op, written) = match step.op.strip_suffix('_') {
        Some(op) => (op, step.args.first().and_then(name)),
        None => (step.op.as_str(), step.kw.get("out").and_then(name)),
    };
    let operands: Option<Vec<&DynTensor>> = step.args.iter().map(|arg| tensor(&name(arg)?)).collect();
    let (Some(op), Some(written), Some(operands)) = (Op::parse(op), written, operands) else { return false };
    let (Some(Value::Tensor(got)), Some(before)) = (failed.names.get(&written), tensor(&written)) else { return false };
    let shares =
        operands.iter().any(|operand| operand.untyped_storage().shares_memory(before.untyped_storage()) && !operand.is_set_to(before));
    let copies: Vec<DynTensor> = operands.iter().copied().map(DynTensor::clone).collect();
    let copies: Vec<_> = copies.iter().map(|copy| copy.raw().into()).collect();
    let Ok(result) = latten::elementwise::apply(op, &copies, &latten::elementwise::Params::none()) else { return false };
    shares
        && found.iter().all(|difference| difference.what == "elements")
        && result.to_dtype(got.dtype()).is_ok_and(|result| compare::elements(&result.into()) == compare::elements(got))
}

/// The same message but for the order of its two numbers.
fn swaps_numbers(case: &Case, failed: &Failed) -> bool {
    fn parts(message: &str) -> Option<(&str, &str)> {
        message.strip_prefix("offset must be non-negative and no greater than buffer length (")?.split_once(") , but got ")
    }
    let (Some(recorded), Reason::OtherError(_, error, _)) = (&case.error, &failed.reason) else { return false };
    let (recorded, got) = (parts(&recorded.message), parts(error.message()));
    recorded.zip(got).is_some_and(|((length, offset), got)| got == (offset, length))
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(
        "# Differences from PyTorch\n\n\
         latten answers as PyTorch 2.15 does on x86, in results and in messages, but for what is listed here. The list is that of\n\
         `tests/conformance/src/differences.rs`, which the replayer of recorded PyTorch programs uses; this page is written from it\n\
         (`UPDATE_GOLDEN=1 cargo test -p conformance`).\n\n\
         | operations | when | PyTorch 2.15 | latten | decision |\n|---|---|---|---|---|\n",
    );
    for Difference { ops, when, pytorch, latten, decision, .. } in &DIFFERENCES {
        let ops: Vec<String> = ops.iter().map(|op| if op.contains(' ') { (*op).to_owned() } else { format!("`{op}`") }).collect();
        text += &format!("| {} | {when} | {pytorch} | {latten} | {decision} |\n", ops.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{DIFFERENCES, Evidence};

    #[test]
    fn what_no_recording_can_show_holds() {
        for difference in &DIFFERENCES {
            if let Evidence::Unrecorded(holds) = difference.evidence {
                assert_eq!(holds(), Ok(true), "{difference:?}");
            }
        }
    }
}
