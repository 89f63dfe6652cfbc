//! What PyTorch answered, as text: tensors, and how far a result may be from them.

use latten::prelude::*;
use latten::{ErrorKind, RawTensor, Result, Scalar, Span};

/// A dtype by its Rust name.
pub(crate) fn dtype(name: &str) -> DType {
    let found = DType::COMPUTING.iter().find(|dtype| dtype.variant().to_ascii_lowercase() == name);
    *found.unwrap_or_else(|| panic!("{name} is no dtype"))
}

pub(crate) fn element(text: &str, dtype: DType) -> Scalar {
    let real = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text} is no number"));
    match dtype.category() {
        latten::Category::Boolean => Scalar::Bool(text == "1"),
        latten::Category::Integral => Scalar::Int(text.parse().expect("an integer")),
        latten::Category::Floating => Scalar::Float(real(text)),
        latten::Category::Complex => {
            let (re, im) = text.split_once(',').expect("two parts");
            Scalar::Complex(Complex::new(real(re), real(im)))
        }
    }
}

/// A tensor as the file writes it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) dtype: DType,
    pub(crate) sizes: Vec<usize>,
    pub(crate) elements: Vec<Scalar>,
}

impl Written {
    /// `f32 2,3 : 1 2 3 4 5 6`
    pub(crate) fn parse(text: &str) -> Self {
        let (head, elements) = text.split_once(" :").expect("a colon");
        let (name, sizes) = head.split_once(' ').expect("a dtype and sizes");
        let dtype = dtype(name);
        let sizes = sizes.split(',').filter(|size| *size != "-").map(|size| size.parse().expect("a size")).collect();
        Self { dtype, sizes, elements: elements.split_whitespace().map(|text| element(text, dtype)).collect() }
    }

    pub(crate) fn tensor(&self) -> DynTensor {
        DynTensor::from_scalars(&self.elements, &self.sizes[..], self.dtype).expect("the file has as many elements as sizes")
    }
}

/// The same elements, laid out otherwise: dimensions in reverse, and every second element of a longer row.
pub(crate) fn layouts(tensor: &DynTensor) -> Vec<(&'static str, DynTensor)> {
    let rank = tensor.dim();
    let mut layouts = vec![("contiguous", tensor.alias())];
    if rank > 0 {
        let reversed: Vec<_> = (0..rank.cast_signed()).rev().collect();
        let turned = tensor.permute(&reversed[..]).and_then(|t| t.contiguous().permute(&reversed[..]));
        layouts.push(("reversed", turned.expect("a permutation")));
        let mut sizes = tensor.sizes().to_vec();
        sizes[rank - 1] = 2 * sizes[rank - 1] + 1;
        let room = DynTensor::full(&sizes[..], 1, tensor.dtype()).expect("room");
        let mut sparse = room.slice_dim(-1, Span { start: Some(1), end: None, step: 2 }).expect("a slice");
        sparse.copy_(tensor).expect("the sizes are those");
        layouts.push(("every second", sparse));
    }
    layouts
}

/// Whether two answers are one, up to what two good ways of adding differ in: a part of the answer, or of `floor` where that is greater.
/// Signs of zeros are compared where bytes are, in `tests/conformance`.
fn close(found: Scalar, expected: Scalar, step: f64, floor: f64) -> bool {
    let near = |a: f64, b: f64, size: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= step * size.abs().max(floor);
    match (found, expected) {
        (Scalar::Float(a), Scalar::Float(b)) => near(a, b, b),
        (Scalar::Complex(a), Scalar::Complex(b)) => near(a.re, b.re, b.norm()) && near(a.im, b.im, b.norm()),
        _ => found == expected,
    }
}

/// How far two good ways of adding are apart.
pub(crate) fn step(dtype: DType) -> f64 {
    match dtype {
        DType::F16 | DType::C32 => 2e-3,
        DType::BF16 => 1.6e-2,
        DType::F32 | DType::C64 => 2e-6,
        _ => 1e-14,
    }
}

/// How a result differs from what was written, if it does.
pub(crate) fn difference(found: &RawTensor, expected: &Written, dtype: DType) -> Option<String> {
    let found = DynTensor::from(found.clone());
    if found.dtype() != dtype || found.sizes() != expected.sizes {
        return Some(format!("gave {:?} {:?}, expected {dtype:?} {:?}", found.dtype(), found.sizes(), expected.sizes));
    }
    if !found.is_contiguous() {
        return Some(format!("strides {:?}", found.strides()));
    }
    let elements = found.to_scalars().expect("a tensor of the cpu");
    let size = |element: &Scalar| match *element {
        Scalar::Float(real) => real.abs(),
        Scalar::Complex(complex) => complex.norm(),
        _ => 0.0,
    };
    // Where much was added that cancels, as far as the greatest answer tells.
    let floor = expected.elements.iter().map(size).filter(|size| size.is_finite()).fold(0.0, f64::max).min(1.0);
    let same = elements.len() == expected.elements.len()
        && elements.iter().zip(&expected.elements).all(|(&a, &b)| close(a, b, step(dtype), floor));
    (!same).then(|| format!("gave {elements:?}, expected {:?}", expected.elements))
}

/// How PyTorch calls a kind of error.
pub(crate) fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Index => "IndexError",
        ErrorKind::Type => "TypeError",
        ErrorKind::Value => "ValueError",
        ErrorKind::NotImplemented => "NotImplementedError",
        _ => "RuntimeError",
    }
}

/// How an outcome differs from a recorded answer: results, or a class and a message.
pub(crate) fn fault(found: &Result<Vec<RawTensor>>, answer: &std::result::Result<Vec<Written>, &str>) -> Option<String> {
    match (found, answer) {
        (Ok(found), Ok(expected)) if found.len() != expected.len() => {
            Some(format!("gave {} tensors, expected {}", found.len(), expected.len()))
        }
        (Ok(found), Ok(expected)) => found.iter().zip(expected).find_map(|(found, expected)| difference(found, expected, expected.dtype)),
        (Err(error), Err(expected)) => {
            // A recording has one line for each call.
            let found = format!("{} {}", class(error.kind()), error.message().replace('\n', "\\n"));
            (found != *expected).then(|| format!("gave {found}"))
        }
        (Err(error), Ok(_)) => Some(format!("gave the error {error}")),
        (Ok(found), Err(_)) => Some(format!("gave {found:?}")),
    }
}

/// A line of a recording: the call, and its answer.
pub(crate) fn call_and_answer(line: &str) -> (&str, std::result::Result<Vec<Written>, &str>) {
    // A message may have an equals sign of its own.
    match (line.split_once(" = ").filter(|(call, _)| !call.contains(" ! ")), line.split_once(" ! ")) {
        (Some((call, values)), _) => (call, Ok(values.split(" & ").map(Written::parse).collect())),
        (_, Some((call, error))) => (call, Err(error)),
        _ => panic!("no answer in {line}"),
    }
}

/// Fails with the first of all failures.
pub(crate) fn report(failures: &[String], compared: usize) {
    let shown = failures.len().min(30);
    assert!(failures.is_empty(), "{} of {compared} differ\n{}", failures.len(), failures[..shown].join("\n"));
}
