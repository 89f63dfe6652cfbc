//! Where latten differs from PyTorch on purpose: one list. What a recording shows is matched narrowly, by operation and condition, and
//! counted apart; what none can show (PyTorch crashes, or a recording has no form for it) says how it holds. `page` writes
//! docs/differences.md. The decisions are those of this project on where documents, PyTorch 2.15 and sense disagree.

use latten::Device;
use latten::Result;
use latten::prelude::*;
use latten::storage::UntypedStorage;

use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected};
use crate::compare;
use crate::run::{Failed, Reason};
use crate::value::Value;

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
pub static DIFFERENCES: [Difference; 8] = [
    Difference {
        ops: &["div", "true_divide", "div_"],
        when: "the result is complex32, as of float16 with a complex number",
        pytorch: "`NotImplementedError`: \"div_cpu\" not implemented for 'ComplexHalf'",
        latten: "the quotient: complex32 has the whole arithmetic",
        decision: 2,
        evidence: Evidence::Recorded(divides_complex32),
    },
    Difference {
        ops: &["sqrt", "sqrt_"],
        when: "of float32 and float64",
        pytorch: "some results are off by one unit in the last place: `sqrt(0.99999994)` is 1.0",
        latten: "correctly rounded, as IEEE 754 asks",
        decision: 1,
        evidence: Evidence::Recorded(rounds_correctly),
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
        ops: &["sub_", "add_", "mul_", "div_"],
        when: "the operand overlaps the tensor in a way that PyTorch doesn't look at, as in `b -= b[:, :1]`",
        pytorch: "a result that depends on the order of the loop: [[1, 2], [3, 4]] becomes [[0, 2], [0, 4]]",
        latten: "as if the operand had been copied first: [[0, 1], [0, 1]]",
        decision: 6,
        evidence: Evidence::Unrecorded(|| {
            let mut b = DynTensor::arange(1, 5, 1, DType::U8)?.view([2, 2])?;
            let column = b.narrow(1, 0, 1)?;
            b.sub_(&column)?;
            Ok(b.untyped_storage().tolist()? == [0, 1, 0, 1])
        }),
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
    DIFFERENCES.iter().find(|difference| match difference.evidence {
        Evidence::Recorded(matches) => case.steps.iter().any(|step| difference.ops.contains(&step.op.as_str())) && matches(case, failed),
        Evidence::Unrecorded(_) => false,
    })
}

/// The step that raises divides, and says that complex32 can't.
fn divides_complex32(case: &Case, failed: &Failed) -> bool {
    let Some(error) = &case.error else { return false };
    let divides = case.steps.get(error.step).is_some_and(|step| matches!(step.op.as_str(), "div" | "true_divide" | "div_"));
    divides && error.message == "\"div_cpu\" not implemented for 'ComplexHalf'" && matches!(failed.reason, Reason::NotRaised)
}

/// One root that isn't as recorded: each element is what the processor's own root gives, and the recorded one is its neighbour.
fn rounds_correctly(case: &Case, failed: &Failed) -> bool {
    let (Reason::Different(found), [step]) = (&failed.reason, &case.steps[..]) else { return false };
    let [difference] = &found[..] else { return false };
    let (Some(Value::Tensor(got)), Some(Expected::Tensor(expected))) =
        (failed.names.get(&difference.of), case.expect.names.get(&difference.of))
    else {
        return false;
    };
    let input = step.args.first().and_then(|arg| arg.as_str()).and_then(|name| failed.names.get(name.trim_start_matches('$')));
    let (Some(Value::Tensor(input)), false, "elements") = (input, step.op.ends_with('_'), difference.what.as_str()) else { return false };
    let dtype = got.dtype();
    let (Ok(input), Ok(got)) = (compare::elements(input), compare::elements(got)) else { return false };
    let [input, got, expected] = [&input, &got, &expected.data.0].map(|bytes| numbers(dtype, bytes));
    input.iter().zip(&got).zip(&expected).all(|elements| match elements {
        ((Number::Float(x), Number::Float(got)), Number::Float(expected)) => match dtype {
            DType::F32 => {
                let (root, expected) = ((*x as f32).sqrt(), *expected as f32);
                (got.is_nan() && root.is_nan() && expected.is_nan())
                    || f64::from(root) == *got && (expected == root || expected == root.next_up() || expected == root.next_down())
            }
            DType::F64 => {
                let root = x.sqrt();
                (got.is_nan() && root.is_nan() && expected.is_nan())
                    || root == *got && (*expected == root || *expected == root.next_up() || *expected == root.next_down())
            }
            _ => false,
        },
        _ => false,
    })
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
