//! The recordings beside this file, replayed: seeds 1 to 3 of the generator, 300 cases an area (of `grad` seeds 1 and 2); the stand-alone
//! facts; special values of every operation; large operands; calls with arbitrary arguments; and a choice of the cases of PyTorch's own database of operators.

use std::path::Path;

use conformance::case::{Expected, cases, recordings};
use conformance::differences::explain;
use conformance::report::{AREAS, Report};
use conformance::run::{Verdict, judge};
use conformance::value::Value;
use latten::Device;

/// What `standalone.py`, `special.py`, `large.py` and `arbitrary.py` record.
const OURS: [&str; 7] = ["standalone", "special-unary", "special-binary", "special-numbers", "special-large", "large", "arbitrary"];

/// How many cases show each deliberate difference: neither more, which would be a fault that a rule hides, nor fewer.
const DECISIONS: [(&str, usize); 21] = [
    ("add sub rsub of complex numbers", 35),
    ("all any with out= of uint8", 1),
    ("as_strided_scatter a gradient goes back to what was written over", 3),
    ("div of float16 and bfloat16, with a rounding_mode", 2),
    ("embedding with sparse=True", 2),
    ("erf of bfloat16, for numbers near the smallest", 1),
    ("every function that rounds of float32 and complex64, in the last digits", 8),
    (
        "every operation in place and with out= the operand overlaps the tensor in a way that PyTorch doesn't look at, as in `b -= b[:, :1]`",
        2,
    ),
    ("every operation of the table it computes in complex32, as of float16 with a complex number", 1),
    ("fft.ihfft2 fft.ihfftn along one dimension, with out=", 2),
    ("fmax fmin of bfloat16: both are zeros, of different signs", 2),
    ("grad_fn of a plain view that was changed by a tensor with a gradient, and of `clamp` with one bound", 9),
    ("ldexp of complex numbers", 3),
    ("log1p of complex numbers with an infinite imaginary part", 1),
    ("log_softmax float16 and bfloat16", 1),
    ("pow of complex numbers, with the number 3 or -2 as exponent", 8),
    ("special.airy_ai of float64, and of float32 far below zero", 2),
    ("special.bessel_j0 special.bessel_y0 special.bessel_y1 of float64", 3),
    (
        "special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v special.chebyshev_polynomial_w \
         special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v \
         special.shifted_chebyshev_polynomial_w special.hermite_polynomial_h special.hermite_polynomial_he special.laguerre_polynomial_l \
         special.legendre_polynomial_p of float32",
        1,
    ),
    ("sqrt of float32 and float64", 1),
    ("untyped_storage.from_buffer the offset lies outside the buffer", 25),
];

#[test]
fn recorded_programs_give_what_pytorch_gave() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut report = Report::on(Device::CPU, 5);
    for recording in recordings(&folder).expect("the recordings are there") {
        for case in cases(&recording).expect("a recording can be opened") {
            report.add(&case.expect("a recording can be read"));
        }
    }
    let wanted: Vec<&str> = AREAS.into_iter().chain(OURS).collect();
    report.add_missing(&wanted);
    assert!(report.is_perfect(), "\n{}{}", report.failures(), report.summary());
    assert_eq!(report.decisions(), DECISIONS, "cases that differ by decision");
}

#[test]
fn a_wrong_number_is_no_last_digit() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/opinfo-digits.jsonl.gz");
    let mut looked = 0;
    for case in cases(&file).expect("the recording is there") {
        let mut case = case.expect("it can be read");
        let Verdict::Fail(mut failed) = judge(&case, Device::CPU) else { panic!("{} passes", case.id) };
        assert!(explain(&case, &failed).is_some(), "{} isn't explained", case.id);
        for value in failed.names.values_mut() {
            if let Value::Tensor(tensor) = value {
                *tensor = &*tensor * 1.001;
            }
        }
        assert!(explain(&case, &failed).is_none(), "{} is explained, whatever it gives", case.id);
        for expected in case.expect.names.values_mut() {
            let Expected::Tensor(tensor) = expected else { continue };
            // The highest bit of the mantissa of the first number.
            let byte = if ["float64", "complex128"].contains(&tensor.dtype.as_str()) { 6 } else { 2 };
            tensor.data.0[byte] ^= if byte == 6 { 8 } else { 64 };
        }
        let Verdict::Fail(failed) = judge(&case, Device::CPU) else { panic!("{} passes", case.id) };
        assert!(explain(&case, &failed).is_none(), "{} is explained, whatever was recorded", case.id);
        looked += 1;
    }
    assert_eq!(looked, 9);
}
