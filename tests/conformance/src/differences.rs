//! Where latten differs from PyTorch on purpose: one list. What a recording shows is matched narrowly, by operation and condition, and
//! counted apart; what none can show (PyTorch crashes, or a recording has no form for it) says how it holds. `page` writes
//! docs/differences.md. The decisions are those of this project on where documents, PyTorch 2.15 and sense disagree.

pub mod call;
mod digits;
mod gradients;
mod programs;
mod rules;

use latten::Device;
use latten::Error;
use latten::Op;
use latten::Padding;
use latten::RawTensor;
use latten::Result;
use latten::prelude::*;
use latten::random::{Generator, Integers, random_};
use latten::storage::UntypedStorage;

use self::call::Call;
use crate::case::Case;
use crate::run::Failed;

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
    /// Recordings show it in single elements: whether one that isn't as recorded is such a one, computed again.
    Elements(fn(&Call<'_>, usize) -> bool),
    /// No recording can show it: whether latten does as it says.
    Unrecorded(fn() -> Result<bool>),
}

impl Difference {
    /// Its operations, and when.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.ops.join(" "), self.when)
    }
}

impl std::fmt::Debug for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {} (decision {})", self.ops.join(", "), self.when, self.latten, self.decision)
    }
}

/// All of them.
pub static DIFFERENCES: [Difference; 38] = [
    Difference {
        ops: &["every operation of the table"],
        when: "it computes in complex32, as of float16 with a complex number",
        pytorch: "most of them: `NotImplementedError`: \"div_cpu\" not implemented for 'ComplexHalf'",
        latten: "the result: complex32 has the whole arithmetic",
        decision: 2,
        evidence: Evidence::Recorded(programs::computes_in_complex32),
    },
    Difference {
        ops: &["sqrt"],
        when: "of float32 and float64",
        pytorch: "some results are off by one unit in the last place: `sqrt(0.99999994)` is 1.0",
        latten: "correctly rounded, as IEEE 754 asks",
        decision: 1,
        evidence: Evidence::Elements(rules::rounds_correctly),
    },
    Difference {
        ops: &["add", "sub", "rsub"],
        when: "of complex numbers",
        pytorch: "the second operand is multiplied by alpha as a complex number even where that is 1: 0 + inf is inf + NaN i, and zeros lose their sign",
        latten: "the parts are added and subtracted",
        decision: 1,
        evidence: Evidence::Elements(rules::adds_parts),
    },
    Difference {
        ops: &["log_softmax"],
        when: "float16 and bfloat16",
        pytorch: "off by several units in the last place: of [3.75, 0.25] as bfloat16, -0.0308 and -3.5312",
        latten: "computed in float32 and rounded once: -0.0298 and -3.5312",
        decision: 11,
        evidence: Evidence::Elements(rules::rounds_logarithms_once),
    },
    Difference {
        ops: &["add", "sub", "rsub"],
        when: "of float16 and bfloat16, with alpha",
        pytorch: "its vectors round once, its single elements (also those at the end of a vector) round the product, too",
        latten: "rounded once everywhere",
        decision: 11,
        evidence: Evidence::Elements(rules::rounds_sums_once),
    },
    Difference {
        ops: &["div"],
        when: "of float16 and bfloat16, with a rounding_mode",
        pytorch: "the quotient is rounded to the dtype and then truncated: -8.5 / -0.0610 is 139 where the quotient is 138.99; of floor its vectors round each step, its single elements don't: 40 / 0.2109375 is 188 and 189",
        latten: "the quotient is truncated, or rounded down: 189",
        decision: 11,
        evidence: Evidence::Elements(rules::divides_at_once),
    },
    Difference {
        ops: &["fmax", "fmin"],
        when: "of bfloat16: both are zeros, of different signs",
        pytorch: "the second one; of the other dtypes it is the first one",
        latten: "the first one",
        decision: 1,
        evidence: Evidence::Elements(rules::takes_one_of_two_zeros),
    },
    Difference {
        ops: &["maximum", "minimum", "clamp_min", "clamp_max"],
        when: "both are zeros, of different signs",
        pytorch: "its vectors give the second one, its single elements the first one",
        latten: "the first one",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let (plus, minus) = (DynTensor::full([3], 0.0, DType::F32)?, DynTensor::full([3], -0.0, DType::F32)?);
            let of =
                |op: Op, x: &DynTensor, y: &DynTensor| programs::computed(op, &[x, y]).and_then(|zero| zero.untyped_storage().tolist());
            let first = |op: Op| Ok::<_, Error>(of(op, &plus, &minus)? == [0; 12] && of(op, &minus, &plus)? != [0; 12]);
            Ok(first(Op::Maximum)? && first(Op::Minimum)?)
        }),
    },
    Difference {
        ops: &["gelu"],
        when: "of infinity, and of numbers near the greatest of float32 and bfloat16",
        pytorch: "its vectors give NaN and infinity, its single elements the number",
        latten: "the number",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let same = |x: f32| {
                let x = DynTensor::full([40], x, DType::F32)?;
                Ok::<_, Error>(programs::computed(Op::Gelu, &[&x])?.untyped_storage().tolist()? == x.untyped_storage().tolist()?)
            };
            Ok(same(f32::MAX)? && same(f32::INFINITY)?)
        }),
    },
    Difference {
        ops: &["pow"],
        when: "of complex numbers, with the number 3 or -2 as exponent",
        pytorch: "products of the base: (0 + inf i)^3 is NaN, (0 + 2 i)^3 is 0 - 8 i",
        latten: "as with every other exponent: inf + NaN i, and -1.5e-15 - 8 i",
        decision: 1,
        evidence: Evidence::Elements(rules::takes_powers_alike),
    },
    Difference {
        ops: &["erf"],
        when: "of bfloat16, for numbers near the smallest",
        pytorch: "0",
        latten: "the number times 2/sqrt(pi)",
        decision: 1,
        evidence: Evidence::Elements(rules::keeps_tiny_numbers),
    },
    Difference {
        ops: &["log1p"],
        when: "of complex numbers with an infinite imaginary part",
        pytorch: "NaN + NaN i where 1 + x - 1 isn't x for the real part x, as for 0.001; else the infinity",
        latten: "the infinity",
        decision: 1,
        evidence: Evidence::Elements(rules::knows_infinite_logarithms),
    },
    Difference {
        ops: &["all", "any"],
        when: "with out= of uint8",
        pytorch: "the input becomes uint8 first, and 0.5 counts as 0",
        latten: "0.5 isn't 0",
        decision: 1,
        evidence: Evidence::Elements(rules::counts_fractions),
    },
    Difference {
        ops: &["every function of complex numbers"],
        when: "complex64",
        pytorch: "computed with float32 parts: (-1)^-1 is -1 + 8.7e-8 i",
        latten: "computed with float64 parts and rounded: -1 - 1.2e-16 i",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let base = DynTensor::full([1], Complex::new(-1.0, 0.0), DType::C64)?;
            let bytes = programs::computed(Op::Pow, &[&base, &base])?.untyped_storage().tolist()?;
            Ok(bytes[4..] == (-1.224_646_8e-16_f32).to_le_bytes())
        }),
    },
    Difference {
        ops: &["ldexp"],
        when: "of complex numbers",
        pytorch: "the power of two rounds on the way, that of complex64 to float32 parts: of -8.478374 - 1.765826 i and -4.322804 - 2.400455 i, 0.4300282 i and not 0.4300283 i",
        latten: "the power is computed with float64 parts and rounded; last bits of complex128 are others",
        decision: 1,
        evidence: Evidence::Elements(rules::rounds_powers_of_two),
    },
    Difference {
        ops: &["special.airy_ai"],
        when: "of float64, and of float32 far below zero",
        pytorch: "off by up to 3e-6 between -6 and 2: `airy_ai(-2.14607631)` is 0.13280857; of float32 the angle is rounded: of -10701 0.00584",
        latten: "the function, to 12 digits behind the point, and rounded once: 0.13280642 and 0.00770",
        decision: 1,
        evidence: Evidence::Elements(rules::sums_the_airy_series),
    },
    Difference {
        ops: &["special.bessel_j0", "special.bessel_y0", "special.bessel_y1"],
        when: "of float64",
        pytorch: "off by up to 4e-7 beyond 5: `bessel_j0(-5.42152807)` is -0.0337815",
        latten: "the function, to 12 digits behind the point: -0.0337813",
        decision: 1,
        evidence: Evidence::Elements(rules::integrates),
    },
    Difference {
        ops: &[
            "special.chebyshev_polynomial_t",
            "special.chebyshev_polynomial_u",
            "special.chebyshev_polynomial_v",
            "special.chebyshev_polynomial_w",
            "special.shifted_chebyshev_polynomial_t",
            "special.shifted_chebyshev_polynomial_u",
            "special.shifted_chebyshev_polynomial_v",
            "special.shifted_chebyshev_polynomial_w",
            "special.hermite_polynomial_h",
            "special.hermite_polynomial_he",
            "special.laguerre_polynomial_l",
            "special.legendre_polynomial_p",
        ],
        when: "of float32",
        pytorch: "each step is rounded to float32: V of degree 127 at 1 is 0.9999944, and NaN follows where a step is infinite",
        latten: "computed in float64 and rounded once: 1, and an infinity",
        decision: 1,
        evidence: Evidence::Elements(rules::rounds_polynomials_once),
    },
    Difference {
        ops: &["conj", "H", "mH"],
        when: "of a complex tensor",
        pytorch: "a view with a flag, at the offset of its input; the sign changes when somebody reads it",
        latten: "a new tensor",
        decision: 1,
        evidence: Evidence::Recorded(programs::conjugates_at_once),
    },
    Difference {
        ops: &["untyped_storage.from_buffer"],
        when: "the offset lies outside the buffer",
        pytorch: "the message has the offset and the length swapped",
        latten: "each number in its place",
        decision: 1,
        evidence: Evidence::Recorded(programs::swaps_numbers),
    },
    Difference {
        ops: &["fft.ihfft2", "fft.ihfftn"],
        when: "along one dimension, with out=",
        pytorch: "the output stays as it was",
        latten: "the result is in it",
        decision: 1,
        evidence: Evidence::Recorded(programs::writes_what_stays),
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
        evidence: Evidence::Recorded(programs::copies_what_overlaps),
    },
    Difference {
        ops: &["topk", "kthvalue", "median", "mode"],
        when: "of the places of elements that are equal",
        pytorch: "an order that depends on how many there are: topk of four equal ones gives 2, 3, 0, 1, and kthvalue place 1 for the first of three",
        latten: "topk and kthvalue count them as a stable sort does, from the first on; median gives the first of them, mode the last",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let equal = tensor![5_i64; 4].erase();
            let place = |(_, places): (DynTensor, Tensor<i64, Any>)| places.to_vec();
            let chosen = [place(equal.kthvalue(3, 0)?), place(equal.median_along(0)?), place(equal.mode_along(0)?)];
            Ok(place(equal.topk(4, 0)?) == [0, 1, 2, 3] && chosen.concat() == [2, 0, 3])
        }),
    },
    Difference {
        ops: &["linalg.svd", "linalg.eigh", "linalg.eig", "lstsq", "pca_lowrank"],
        when: "of the signs of singular vectors and eigenvectors",
        pytorch: "those that LAPACK's steps leave: a vector or its negative",
        latten: "those of its own steps; products of the factors are the same",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let x = tensor![[2.0, 1.0], [1.0, 3.0], [0.5, -1.0]];
            let (u, s, vh) = latten::linalg::svd_with(&x, false)?;
            Ok((u * s).matmul(&vh).allclose(&x))
        }),
    },
    Difference {
        ops: &["fill_diagonal_"],
        when: "with wrap=True, of a matrix of many rows that don't lie one after the other",
        pytorch: "elements beside the matrix are filled, or an error: they would be outside of the storage",
        latten: "those of the matrix, as if its rows lay one after the other",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let base = DynTensor::zeros([7, 3], DType::I64)?;
            let filled: Vec<_> = (0..7).flat_map(|row| [row % 3 == 0, row % 3 == 1, false]).map(i64::from).collect();
            base.narrow(1, 0, 2)?.fill_diagonal_with_(1, true)?;
            Ok(base.to_vec_of::<i64>()? == filled)
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
        ops: &["pad"],
        when: "mode is circular, and the negative amount at one end leaves fewer elements than the other end takes from there",
        pytorch: "memory that nobody wrote",
        latten: "an error: Padding value causes wrapping around more than once.",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let row = DynTensor::ones([1, 3], DType::F32)?;
            Ok(row.pad_with([-2, 1], Padding::Circular)?.sizes() == [1, 2] && row.pad_with([2, -2], Padding::Circular).is_err())
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
    Difference {
        ops: &["grad_fn"],
        when: "of a plain view that was changed by a tensor with a gradient, and of `clamp` with one bound",
        pytorch: "the name by what the view is a view of; ClampBackward",
        latten: "AsStridedBackward0, CopySlices, CopyBackwards or, of a view of everything, the name of the change, because plain tensors don't know what they are views of; ClampMinBackward or ClampMaxBackward",
        decision: 1,
        evidence: Evidence::Recorded(gradients::names_nodes),
    },
    Difference {
        ops: &["grad_fn"],
        when: "of one of several views that an operation gave, after its base was changed",
        pytorch: "an error: a view and its base or another view of its base has been modified inplace",
        latten: "the name; the error comes when the piece is used",
        decision: 1,
        evidence: Evidence::Recorded(gradients::names_stale_pieces),
    },
    Difference {
        ops: &["embedding"],
        when: "with sparse=True",
        pytorch: "the gradient of the weight is a sparse tensor",
        latten: "it is the same numbers in a dense one: a gradient has the type of its tensor",
        decision: 1,
        evidence: Evidence::Recorded(gradients::gives_dense_gradients),
    },
    Difference {
        ops: &["silu", "embedding", "to_sparse"],
        when: "of complex numbers that require a gradient",
        pytorch: "`NotImplementedError`",
        latten: "the gradient",
        decision: 1,
        evidence: Evidence::Recorded(gradients::derives_complex_numbers),
    },
    Difference {
        ops: &["floor_divide"],
        when: "a gradient reaches it",
        pytorch: "an error, though `div` with rounding_mode floor gives zeros",
        latten: "zeros, for both",
        decision: 1,
        evidence: Evidence::Recorded(gradients::derives_floors),
    },
    Difference {
        ops: &["as_strided_scatter"],
        when: "a gradient goes back to what was written over",
        pytorch: "the gradient at the places that were written over, and zeros at those that stayed",
        latten: "zeros at the places that were written over, and the gradient at those that stayed",
        decision: 1,
        evidence: Evidence::Recorded(gradients::goes_past_what_was_written),
    },
    Difference {
        ops: &["every draw of random numbers"],
        when: "the tensor is on a GPU, or the generator counts",
        pytorch: "Philox with a counter for each thread: an element's number depends on how many threads the GPU runs",
        latten: "Philox with a counter for each element: the same numbers on every GPU and on the host, not PyTorch's",
        decision: 1,
        evidence: Evidence::Unrecorded(|| {
            let word = RawTensor::zeros(&[1], &Options::new().dtype(DType::I64))?;
            random_(&word, Integers::From(i64::MIN), Some(&Generator::counting(0)))?;
            // The first vector that Random123 tests itself with.
            Ok(word.scalars()? == [Scalar::Int(0xe169_c58d_6627_e8d5_u64.cast_signed())])
        }),
    },
    Difference {
        ops: &["every function that rounds"],
        when: "of float32 and complex64, in the last digits",
        pytorch: "those of its own steps: `ldexp` of -8.478374 and 4.5504694 is -198.67368, a sum of complex products -23.943832 i",
        latten: "those of its own, no further from what double precision gives than four times PyTorch's, or one unit: -198.67366, -23.943806 i",
        decision: 1,
        evidence: Evidence::Recorded(digits::are_as_near),
    },
];

/// The difference that a failure is.
#[must_use]
pub fn explain(case: &Case, failed: &Failed) -> Option<&'static Difference> {
    let calls = Call::all(case, failed).unwrap_or_default();
    DIFFERENCES.iter().find(|difference| match difference.evidence {
        Evidence::Recorded(matches) => matches(case, failed),
        Evidence::Elements(matches) => {
            let explained = |call: &Call<'_>| difference.ops.contains(&call.op) && call.unlike.iter().all(|&at| matches(call, at));
            !calls.is_empty() && calls.iter().all(explained)
        }
        Evidence::Unrecorded(_) => false,
    })
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let mut text = String::from(
        "# Differences from PyTorch\n\n\
         latten answers as PyTorch 2.15 does on x86, in results and in messages. Where it is known not to is listed here: recorded programs\n\
         (`tests/conformance/cases`) show no other difference; what none of them asks isn't known. The list is that of\n\
         `tests/conformance/src/differences.rs`, which the replayer uses; this page is written from it (`UPDATE_GOLDEN=1 cargo test -p conformance`).\n\n\
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
