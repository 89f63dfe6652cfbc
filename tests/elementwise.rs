//! Every operation with every dtype, as PyTorch answers: `golden/elementwise.txt`, which `golden/elementwise.py` recorded.
//! Result dtypes and refusals are the same; floats are as near as two good implementations of one function are.

#[path = "elementwise/beside.rs"]
mod beside;

use std::collections::{BTreeMap, HashMap};

use latten::elementwise::{Params, RawOperand, apply, apply_in_place, apply_out};
use latten::{Complex, DType, Device, DynTensor, ErrorKind, MemoryFormat, Op, RawTensor, Result, Scalar, args, call};

const GOLDEN: &str = include_str!("golden/elementwise.txt");

/// A dtype by its Rust name.
fn dtype(name: &str) -> DType {
    *DType::COMPUTING.iter().find(|dtype| short(**dtype) == name).unwrap_or_else(|| panic!("{name} is no dtype"))
}

fn short(dtype: DType) -> String {
    dtype.variant().to_ascii_lowercase()
}

/// A number as the file writes it.
fn number(text: &str) -> Scalar {
    match text {
        "true" => Scalar::Bool(true),
        "1.5+0.5j" => Scalar::Complex(Complex::new(1.5, 0.5)),
        _ if text.contains(['.', 'e', 'a']) => Scalar::Float(text.parse().expect("a float")),
        _ => Scalar::Int(text.parse().expect("an integer")),
    }
}

/// An element as the file writes it.
fn element(text: &str, dtype: DType) -> Scalar {
    let real = |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("{text} is no number"));
    match (dtype.is_complex(), dtype.is_floating_point()) {
        (true, _) => {
            let (re, im) = text.split_once(',').expect("two parts");
            Scalar::Complex(Complex::new(real(re), real(im)))
        }
        (_, true) => Scalar::Float(real(text)),
        _ if dtype == DType::Bool => Scalar::Bool(text == "1"),
        _ => Scalar::Int(text.parse().expect("an integer")),
    }
}

fn vector(elements: &[Scalar], dtype: DType) -> RawTensor {
    let tensor = RawTensor::empty(&[elements.len()], &[1], dtype, Device::CPU).expect("room");
    for (offset, &value) in elements.iter().enumerate() {
        tensor.select(0, offset.cast_signed()).expect("an element").fill_(value).expect("an element");
    }
    tensor
}

fn values(tensor: &RawTensor) -> Vec<Scalar> {
    (0..tensor.numel()).map(|i| tensor.element(&[i]).expect("an element")).collect()
}

/// Whether two answers are the same function's: equal for what is exact, and for floats within a few of the dtype's steps.
fn close(found: Scalar, expected: Scalar, Step { relative, least, signed }: Step) -> bool {
    let near = |a: f64, b: f64, scale: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= relative * scale.abs().max(least);
    let sign = |a: f64, b: f64| !signed || a != 0.0 || b != 0.0 || a.is_sign_negative() == b.is_sign_negative();
    match (found, expected) {
        (Scalar::Float(a), Scalar::Float(b)) => near(a, b, b) && sign(a, b),
        (Scalar::Complex(a), Scalar::Complex(b)) => near(a.re, b.re, b.norm()) && near(a.im, b.im, b.norm()),
        _ => found == expected,
    }
}

/// How far apart two good implementations may be.
#[derive(Clone, Copy)]
struct Step {
    relative: f64,
    /// Of smaller numbers, the step of this one.
    least: f64,
    /// Whether zeros have the same sign.
    signed: bool,
}

const EXACT: Step = Step { relative: 0.0, least: 0.0, signed: true };

/// A line of the file.
struct Case<'a> {
    line: &'a str,
    op: &'a str,
    form: &'a str,
    operands: Vec<&'a str>,
    params: Option<&'a str>,
    answer: std::result::Result<(DType, Vec<Scalar>), (&'a str, String)>,
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Self {
        let (call, answer) = match (line.split_once(" = "), line.split_once(" ! ")) {
            (Some((call, values)), _) => {
                let (name, values) = values.split_once(' ').expect("a dtype, then values");
                let dtype = dtype(name);
                (call, Ok((dtype, values.split(' ').map(|value| element(value, dtype)).collect())))
            }
            (_, Some((call, error))) => {
                let (class, text) = error.split_once(' ').expect("a class, then a text");
                (call, Err((class, text.replace("\\n", "\n"))))
            }
            _ => panic!("no answer in {line}"),
        };
        let mut words = call.split(' ');
        let (op, form) = (words.next().expect("an operation"), words.next().expect("a form"));
        let (params, operands) = words.partition::<Vec<_>, _>(|word| word.contains('='));
        Self { line, op, form, operands, params: params.first().copied(), answer }
    }

    fn params(&self) -> Params {
        let numbers: Vec<_> = self
            .params
            .into_iter()
            .flat_map(|params| params.split(','))
            .map(|param| param.split_once('=').expect("name=value").1)
            .map(|value| (value != "none").then(|| number(value)))
            .collect();
        Params::all(&numbers)
    }

    /// What latten answers.
    fn run(&self, inputs: &HashMap<&str, (DType, Vec<Scalar>)>) -> Result<RawTensor> {
        let length = self.operands.iter().filter_map(|name| inputs.get(name)).map(|(_, values)| values.len()).min().expect("a tensor");
        let tensors: Vec<Option<RawTensor>> =
            self.operands.iter().map(|name| inputs.get(name).map(|(dtype, values)| vector(&values[..length], *dtype))).collect();
        let operands: Vec<RawOperand<'_>> = tensors
            .iter()
            .zip(&self.operands)
            .map(|(tensor, text)| tensor.as_ref().map_or_else(|| RawOperand::Scalar(number(text)), RawOperand::Tensor))
            .collect();
        let op = Op::parse(self.op).unwrap_or_else(|| panic!("there is no {}", self.op));
        match (self.form, operands.as_slice()) {
            ("new", [RawOperand::Scalar(scalar), RawOperand::Tensor(tensor)]) if op == Op::Div => {
                call("__rtruediv__", args![*tensor, *scalar])?.tensor().map(|quotient| quotient.raw().clone())
            }
            ("new", operands) => apply(op, operands, &self.params()),
            ("place", [RawOperand::Tensor(first), rest @ ..]) => {
                let before = values(first);
                let done = apply_in_place(op, first, rest, &self.params());
                let unchanged = values(first).iter().zip(&before).all(|(&now, &then)| close(now, then, EXACT));
                assert!(done.is_ok() || unchanged, "{} failed and changed its operand", self.line);
                done.map(|()| (*first).clone())
            }
            (out, operands) => {
                let mut out = vector(&vec![Scalar::Int(0); length], dtype(&out[4..]));
                apply_out(op, operands, &mut out, &self.params()).map(|_| out)
            }
        }
    }

    fn step(&self, dtype: DType) -> Step {
        // What is computed in single precision stays as inexact in a wider output.
        let narrow =
            self.form.starts_with("out") && !self.operands.iter().any(|operand| operand.ends_with(".f64") || operand.ends_with(".c128"));
        let (relative, least) = match dtype.to_real() {
            DType::F16 => (2f64.powi(-10), 2f64.powi(-14)),
            DType::BF16 => (2f64.powi(-7), 1e-5),
            DType::F64 if !narrow => (2f64.powi(-50), 1e-5),
            _ => (2f64.powi(-21), 1e-5),
        };
        // PyTorch's complex powers go through logarithms.
        let powers = matches!(self.op, "pow" | "float_power" | "exp2") && dtype.is_complex();
        // Of two zeros PyTorch takes the first or the second, as the instructions do that the dtype has.
        let chooses = matches!(self.op, "maximum" | "minimum" | "fmax" | "fmin" | "clamp_min" | "clamp_max" | "clamp");
        Step { relative: if powers { 64.0 * relative } else { relative }, least, signed: !chooses }
    }

    /// Where latten differs on purpose from PyTorch: the difference.
    fn deliberate(&self) -> Option<&'static str> {
        let text = self.answer.as_ref().err().map_or("", |(_, text)| text);
        let with = |dtype: &str| self.operands.iter().any(|operand| operand.ends_with(dtype));
        let nan = self.line.contains("nan");
        if text.ends_with("not implemented for 'ComplexHalf'") {
            return Some("complex32 has every kernel");
        }
        if with("j") && with(".bf16") {
            return Some("bfloat16 with a complex number is complex64: PyTorch's bcomplex32 can't compute");
        }
        match self.op {
            "add" | "sub" | "rsub" if nan && (with("j") || with(".c32") || with(".c64") || with(".c128")) => {
                Some("a complex sum isn't multiplied by an alpha of 1: infinity stays infinity")
            }
            "logaddexp" if nan && with(".c64") => Some("a complex logaddexp doesn't overflow"),
            "gelu" if nan && (with(".bf16") || with(".f32")) => Some("gelu of infinity is infinity"),
            _ => None,
        }
    }

    /// What is different, if anything is.
    fn difference(&self, inputs: &HashMap<&str, (DType, Vec<Scalar>)>) -> Option<String> {
        match (self.run(inputs), &self.answer) {
            (Ok(found), Ok((dtype, expected))) => {
                let same = found.dtype() == *dtype
                    && found.numel() == expected.len()
                    && values(&found).iter().zip(expected).all(|(&found, &expected)| close(found, expected, self.step(*dtype)));
                (!same)
                    .then(|| format!("{}: {}", short(found.dtype()), values(&found).iter().map(|v| format!("{v:?} ")).collect::<String>()))
            }
            (Err(found), Err((class, text))) if found.message() == text && class_name(found.kind()) == *class => None,
            (Err(found), _) => Some(format!("{} {found}", class_name(found.kind()))),
            (Ok(found), Err(_)) => Some(format!("a {} tensor", short(found.dtype()))),
        }
    }
}

fn class_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Runtime => "RuntimeError",
        ErrorKind::Index => "IndexError",
        ErrorKind::Type => "TypeError",
        ErrorKind::Value => "ValueError",
        ErrorKind::NotImplemented => "NotImplementedError",
        _ => "another",
    }
}

#[test]
fn every_operation_answers_as_pytorch() {
    let mut inputs = HashMap::new();
    let mut deliberate = BTreeMap::<&str, usize>::new();
    let (mut compared, mut failures) = (0, BTreeMap::<String, Vec<String>>::new());
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        if let Some(input) = line.strip_prefix("input ") {
            let mut words = input.split(' ');
            let name = words.next().expect("a name");
            let dtype = dtype(&name[2..]);
            inputs.insert(name, (dtype, words.map(|word| element(word, dtype)).collect()));
            continue;
        }
        let case = Case::parse(line);
        compared += 1;
        // What is excused must differ: where PyTorch is right, too, nothing is excused.
        let Some(found) = case.difference(&inputs) else { continue };
        if let Some(name) = case.deliberate() {
            *deliberate.entry(name).or_insert(0) += 1;
        } else {
            failures.entry(format!("{} {}", case.op, &case.form[..3])).or_default().push(format!("{}\n      latten: {found}", case.line));
        }
    }
    for certain in ["complex32 has every kernel", "bfloat16 with a complex number is complex64: PyTorch's bcomplex32 can't compute"] {
        assert!(deliberate.contains_key(certain), "{certain}: {deliberate:?}");
    }
    let total: usize = failures.values().map(Vec::len).sum();
    for (kind, list) in &failures {
        eprintln!("{kind}: {}", list.len());
        for failure in list {
            eprintln!("    {failure}");
        }
    }
    assert_eq!(total, 0, "of {compared} calls {total} differ");
}

/// More elements than a block has, and not a multiple of one.
const LONG: usize = 9_001;

/// Small numbers in turn, as a row of neighbours or as a column of several.
fn row(dtype: DType, period: i64, columns: usize) -> RawTensor {
    let numbers = (0..LONG * columns).map(|i| (i / columns) as i64 % period + 1).collect();
    let all = RawTensor::from_vec::<i64>(numbers, &[LONG, columns]).and_then(|all| all.to_dtype(dtype)).expect("numbers");
    all.select(1, 0).expect("a column")
}

#[test]
fn operands_of_two_dtypes_compute_as_in_the_one_that_they_promote_to() {
    for (&lhs, &rhs) in DType::COMPUTING.iter().flat_map(|lhs| DType::COMPUTING.iter().map(move |rhs| (lhs, rhs))) {
        for (op, alpha) in [(Op::Add, None), (Op::Add, Some(3_i64)), (Op::Sub, None), (Op::Sub, Some(3)), (Op::Mul, None), (Op::Div, None)]
        {
            let params = alpha.map_or_else(Params::none, Params::one);
            for columns in [1, 2] {
                let (x, y) = (row(lhs, 7, columns), row(rhs, 5, 1));
                let common = apply(Op::Add, &[(&x).into(), (&y).into()], &Params::none()).expect("a sum").dtype();
                let [wide_x, wide_y] = [&x, &y].map(|operand| operand.to_dtype(common).expect("a conversion"));
                let found = apply(op, &[(&x).into(), (&y).into()], &params);
                let (Ok(found), Ok(expected)) = (&found, apply(op, &[(&wide_x).into(), (&wide_y).into()], &params)) else {
                    assert!(found.is_err(), "{op:?} {alpha:?} of {lhs:?} and {rhs:?}: one dtype is refused, two are not");
                    continue;
                };
                assert_eq!(found.dtype(), expected.dtype());
                for at in (0..LONG).step_by(67).chain([LONG - 1]) {
                    let [found, expected] = [found, &expected].map(|tensor| tensor.element(&[at]).expect("an element"));
                    assert_eq!(found, expected, "{op:?} {alpha:?} of {lhs:?} and {rhs:?}, {columns} columns: element {at}");
                }
            }
        }
    }
}

/// A tensor of small numbers.
fn numbered(dtype: DType, sizes: &[usize]) -> RawTensor {
    let numbers = (0..sizes.iter().product::<usize>()).map(|i| (i * i) as i64 % 11 + 1).collect();
    RawTensor::from_vec::<i64>(numbers, sizes).and_then(|all| all.to_dtype(dtype)).expect("numbers")
}

/// Whether both have the same elements.
fn same(found: &RawTensor, expected: &RawTensor) -> bool {
    found.dtype() == expected.dtype() && DynTensor::from(found.clone()).equal(&DynTensor::from(expected.clone()))
}

#[test]
fn an_element_that_stands_for_many_computes_as_copies_of_it_do() {
    let copied = |tensor: &RawTensor, sizes: &[usize]| {
        let sizes: Vec<isize> = sizes.iter().map(|size| size.cast_signed()).collect();
        tensor.expand(&sizes).and_then(|all| all.clone_as(MemoryFormat::Contiguous)).expect("a copy")
    };
    for columns in [1, 20, 129, 2100] {
        let shapes = [[2, 3, 1], [1, 1, columns], [2, 1, columns], [1, 3, 1], [1, 1, 1], [2, 3, columns]];
        for (lhs, rhs) in shapes.iter().flat_map(|lhs| shapes.iter().map(move |rhs| (lhs, rhs))) {
            for (x, y) in [(DType::F32, DType::F32), (DType::I32, DType::F32), (DType::I64, DType::I64), (DType::BF16, DType::C128)] {
                let (a, b) = (numbered(x, lhs), numbered(y, rhs));
                let mask = numbered(DType::I64, &[2, 3, 1]).to_dtype(DType::Bool).expect("truths");
                let few = apply(Op::Gt, &[(&numbered(DType::I64, lhs)).into(), 4.into()], &Params::none()).expect("truths");
                let sums = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Ne].map(|op| (op, vec![&a, &b]));
                for (op, operands) in sums.into_iter().chain([(Op::Where, vec![&mask, &a, &b]), (Op::Where, vec![&few, &b, &b])]) {
                    let of = |operands: &[&RawTensor]| {
                        let operands: Vec<RawOperand<'_>> = operands.iter().map(|&operand| operand.into()).collect();
                        apply(op, &operands, &Params::none()).expect("a result")
                    };
                    let found = of(&operands);
                    let copies: Vec<RawTensor> = operands.iter().map(|operand| copied(operand, found.sizes())).collect();
                    let expected = of(&copies.iter().collect::<Vec<_>>());
                    assert!(same(&found, &expected), "{op:?} of {lhs:?} {x:?} and {rhs:?} {y:?}");
                }
                let (changed, expected) = (numbered(y, &[2, 3, columns]), numbered(y, &[2, 3, columns]));
                apply_in_place(Op::Mul, &changed, &[(&b).into()], &Params::none()).expect("products");
                let copy = copied(&b, expected.sizes());
                apply_in_place(Op::Mul, &expected, &[(&copy).into()], &Params::none()).expect("products");
                assert!(same(&changed, &expected), "{rhs:?} {y:?}, in place");
            }
        }
    }
}

/// The elements in order, as bytes.
fn bytes(tensor: &RawTensor) -> Vec<u8> {
    let copy = tensor.clone_as(MemoryFormat::Contiguous).expect("a copy");
    let size = copy.sizes().iter().product::<usize>() * copy.dtype().itemsize();
    DynTensor::from(copy).untyped_storage().tolist().expect("bytes")[..size].to_vec()
}

/// Every operation in place is the operation, for few elements, for several blocks and for several threads, of neighbours and of others, beside
/// tensors, one element, a number and the tensor itself.
#[test]
fn what_is_changed_in_place_is_what_a_new_tensor_has() {
    let mut compared = 0;
    for (&op, &dtype) in Op::ALL.iter().flat_map(|op| DType::COMPUTING.iter().map(move |dtype| (op, dtype))) {
        let operands = op.row().operands.len();
        let long = if matches!(dtype, DType::F32 | DType::I32) { 70_001 } else { 3 };
        // Of no column: without dimensions.
        for (len, columns) in [(1, 0), (1, 1), (9, 1), (9, 2), (5_001, 1), (2_501, 2), (long, 1)] {
            let line = |step: usize, columns: usize| {
                let all = numbered(dtype, &[len + step, columns.max(1)]).select(1, 0);
                let line = all.and_then(|all| all.narrow(0, step.cast_signed(), len.cast_signed()));
                line.and_then(|line| if columns == 0 { line.select(0, 0) } else { Ok(line) }).expect("a line")
            };
            let (second, one) = (line(3, columns.min(1)), numbered(dtype, &[1]).select(0, 0).expect("one"));
            let others: [RawOperand<'_>; 3] = [(&second).into(), (&one).into(), 1.into()];
            for other in if operands == 1 { &others[..1] } else { &others[..] } {
                let (new, changed) = (line(1, columns), line(1, columns));
                let rest = vec![*other; operands - 1];
                let params = if op == Op::Sub { Params::one(3) } else { Params::none() };
                let all: Vec<RawOperand<'_>> = std::iter::once((&new).into()).chain(rest.iter().copied()).collect();
                let Ok(expected) = apply(op, &all, &params) else { continue };
                if expected.dtype() != dtype {
                    continue;
                }
                apply_in_place(op, &changed, &rest, &params).expect("the same");
                assert!(bytes(&changed) == bytes(&expected), "{op:?} of {len} {dtype:?}, {columns} columns, beside {other:?}");
                let own = line(1, columns);
                if operands == 2 {
                    let expected = apply(op, &[(&own).into(), (&own).into()], &params).expect("the same");
                    apply_in_place(op, &own, &[(&own).into()], &params).expect("the same");
                    assert!(bytes(&own) == bytes(&expected), "{op:?} of {len} {dtype:?}, {columns} columns, beside itself");
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 5_000, "{compared}");
}

/// `masked_fill_`, whose tensor is the last operand of `where`.
#[test]
fn masked_elements_are_filled_where_they_are() {
    for (&dtype, len) in DType::COMPUTING.iter().flat_map(|dtype| [7, 5_001, 70_001].map(|len| (dtype, len))) {
        let x = DynTensor::from(numbered(dtype, &[len]));
        let mask = DynTensor::from(numbered(DType::I64, &[len]).to_dtype(DType::I64).expect("numbers")).gt(4);
        let (before, number) = (x.clone(), DynTensor::from(numbered(dtype, &[1])));
        let expected = latten::where_(&mask, &number, &before);
        let mut changed = x;
        changed.masked_fill_(&mask, 1).expect("filled");
        assert!(changed.equal(&expected), "{dtype:?}, {len}");
    }
}
