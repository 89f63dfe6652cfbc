//! Fused expressions are what the same operations are one after the other, bit for bit: random expressions over all operations, dtypes,
//! ranks, strides and numbers, as programs of which only the run knows the dtypes.

use latten::elementwise::{Params, RawOperand, apply};
use latten::prelude::*;
use latten::program::{Action, AnyOperation, Argument, Program};
use latten::reduce::Reduction;
use latten::reduce::{reduce, reduce_program};
use latten::{Op, RawTensor, Result, strictness};

const EXPRESSIONS: usize = 10_000;

/// Numbers that repeat from run to run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap_or(0)
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    fn number(&mut self) -> Scalar {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let real = self.below(4000) as f64 / 500.0 - 4.0;
        match self.below(8) {
            0 => Scalar::Bool(self.below(2) == 1),
            1 | 2 => Scalar::Int(self.below(9) as i64 - 3),
            3 => Scalar::Float(self.one_of(&[2.0, 0.5, -1.0, 0.0, f64::INFINITY, f64::NAN])),
            4 => Scalar::Complex(Complex::new(real, 0.25)),
            _ => Scalar::Float(real),
        }
    }

    /// A tensor of one of the shapes that broadcast with those sizes, sometimes not in order.
    fn tensor(&mut self, dtype: DType, sizes: &[usize]) -> RawTensor {
        let mut own: Vec<usize> = sizes.iter().map(|&size| if self.below(5) == 0 { 1 } else { size }).collect();
        if self.below(6) == 0 {
            own.clear();
        }
        let strided = own.len() == 2 && self.below(3) == 0;
        if strided {
            own.reverse();
        }
        let numbers: Vec<Scalar> = (0..own.iter().product()).map(|_| self.number()).collect();
        let numbers: Vec<Scalar> = numbers.into_iter().map(|number| if dtype.is_complex() { number } else { real(number) }).collect();
        let wide = RawTensor::from_scalars(&numbers, &own, &Options::new().dtype(DType::C128)).expect("numbers");
        let tensor = if dtype.is_complex() { wide } else { wide.real() }.to_dtype(dtype).expect("a conversion");
        if strided { tensor.transpose(0, 1).expect("a matrix") } else { tensor }
    }
}

fn real(number: Scalar) -> Scalar {
    match number {
        Scalar::Complex(z) => Scalar::Float(z.re),
        other => other,
    }
}

/// A program of random operations on random tensors.
fn expression(dice: &mut Dice, seed: usize) -> (Program, Vec<RawTensor>) {
    let sizes: &[usize] = match seed % 50 {
        0 => &[3000],
        1 => &[70, 33],
        2 => &[0, 3],
        3 => &[40, 2000],
        _ => dice.one_of(&[&[5][..], &[2, 3], &[3, 1, 4], &[], &[33]]),
    };
    // Mostly few dtypes, so that operations that take only some of them come through.
    let family = dice.one_of(&[
        &[DType::F32, DType::F16, DType::BF16, DType::F64][..],
        &[DType::F16, DType::BF16],
        &[DType::I32, DType::U8, DType::I64, DType::I8, DType::I16, DType::Bool],
        &[DType::C64, DType::C32, DType::F16],
        DType::COMPUTING,
    ]);
    let tensors: Vec<RawTensor> = (0..1 + dice.below(4))
        .map(|_| {
            let dtype = dice.one_of(family);
            dice.tensor(dtype, sizes)
        })
        .collect();
    let mut program = Program::new();
    let mut known: Vec<Argument> = (0..tensors.len()).map(Argument::Operand).collect();
    for _ in 0..1 + dice.below(5) {
        let result = if dice.below(12) == 0 {
            let argument = dice.one_of(&known);
            program.cast(dice.one_of(family), argument)
        } else {
            let op = dice.one_of(Op::ALL);
            let mut arguments: Vec<Argument> = op.row().operands.iter().map(|_| dice.one_of(&known)).collect();
            // Numbers stand after tensors.
            for argument in arguments.iter_mut().skip(1) {
                if dice.below(3) == 0 {
                    *argument = Argument::Number(dice.number());
                }
            }
            program.apply(op, &arguments, Params::none())
        };
        known.push(result);
    }
    (program, tensors)
}

/// The operations one after the other.
fn eager(program: &Program, tensors: &[RawTensor]) -> Result<RawTensor> {
    let mut results: Vec<RawTensor> = Vec::new();
    for step in program.steps() {
        let operands: Vec<RawOperand<'_>> = step
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Operand(index) => RawOperand::Tensor(&tensors[*index]),
                Argument::Step(index) => RawOperand::Tensor(&results[*index]),
                Argument::Number(number) => RawOperand::Scalar(*number),
                Argument::Index => unreachable!("no step of these programs counts"),
            })
            .collect();
        let result = match &step.action {
            Action::Apply(AnyOperation::Table(op), params) => apply(*op, &operands, params)?,
            Action::Apply(AnyOperation::Own(own), _) => panic!("{} is of no table", own.row.name),
            Action::Cast(dtype) => operands[0].tensor().expect("a tensor").to_dtype(*dtype)?,
        };
        results.push(result);
    }
    Ok(results.pop().expect("a step"))
}

/// The bits of a number; all NaNs are one.
fn bits(number: Scalar) -> [u64; 2] {
    let float = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    match number {
        Scalar::Bool(x) => [x.into(), 0],
        Scalar::Int(x) => [x.cast_unsigned(), 0],
        Scalar::Float(x) => [float(x), 0],
        Scalar::Complex(z) => [float(z.re), float(z.im)],
    }
}

/// What is different, if anything is.
fn difference(found: &Result<RawTensor>, expected: &Result<RawTensor>) -> Option<String> {
    let (found, expected) = match (found, expected) {
        (Err(found), Err(expected)) if found == expected => return None,
        (Ok(found), Ok(expected)) => (found, expected),
        _ => return Some(format!("{found:?}\n  not {expected:?}")),
    };
    let about = |tensor: &RawTensor| format!("{:?} {:?} {:?}", tensor.dtype(), tensor.sizes(), tensor.strides());
    if about(found) != about(expected) {
        return Some(format!("{} not {}", about(found), about(expected)));
    }
    let (found, expected) = (found.scalars().expect("numbers"), expected.scalars().expect("numbers"));
    let at = found.iter().zip(&expected).position(|(&found, &expected)| bits(found) != bits(expected))?;
    Some(format!("element {at} is {:?}, not {:?}", found[at], expected[at]))
}

#[test]
fn programs_are_their_operations() {
    let (mut dice, mut computed, mut refused, mut faults) = (Dice(1), 0, 0, Vec::new());
    let mut seed = 0;
    while computed < EXPRESSIONS {
        seed += 1;
        let (program, tensors) = expression(&mut dice, seed);
        let operands: Vec<&RawTensor> = tensors.iter().collect();
        let (found, expected) = (program.run(&operands), eager(&program, &tensors));
        if expected.is_ok() {
            computed += 1
        } else {
            refused += 1
        }
        if let Some(what) = difference(&found, &expected) {
            let about: Vec<_> = tensors.iter().map(|tensor| format!("{} {:?}", tensor.dtype(), tensor.sizes())).collect();
            faults.push(format!("{seed}: {what}\n  {about:?}\n  {:?}", program.steps()));
        }
    }
    assert!(faults.is_empty(), "{} of {computed} differ: {}", faults.len(), faults[..faults.len().min(8)].join("\n"));
    assert!(refused > 1000, "only {refused} were refused");
}

#[test]
fn reductions_of_programs_are_those_of_their_results() {
    let (mut dice, mut faults, mut computed) = (Dice(3), Vec::new(), 0);
    for seed in 0..4000 {
        let (program, tensors) = expression(&mut dice, seed);
        let operands: Vec<&RawTensor> = tensors.iter().collect();
        let op = dice.one_of(Reduction::ALL);
        let along = if dice.below(3) == 0 { Along::all() } else { Along::dims(&[dice.below(3).cast_signed()]) };
        let along = if dice.below(4) == 0 { along.dtype(dice.one_of(DType::COMPUTING)) } else { along };
        let expected = eager(&program, &tensors).and_then(|result| reduce(op, &result, &along));
        computed += usize::from(expected.is_ok());
        if let Some(what) = difference(&reduce_program(op, &program, &operands, &along), &expected) {
            let about: Vec<_> = tensors.iter().map(|tensor| format!("{} {:?}", tensor.dtype(), tensor.sizes())).collect();
            faults.push(format!("{seed}: {what}\n  {about:?}\n  {:?}, {op:?} {along:?}", program.steps()));
        }
    }
    assert!(faults.is_empty(), "{} differ: {}", faults.len(), faults[..faults.len().min(8)].join("\n"));
    assert!(computed > 500, "only {computed}");
}

#[test]
fn programs_write_into_tensors() {
    let (mut dice, mut faults, mut computed) = (Dice(2), Vec::new(), 0);
    for seed in 0..4000 {
        let (program, tensors) = expression(&mut dice, seed);
        let Ok(expected) = eager(&program, &tensors) else { continue };
        // Sometimes the output is an operand, or has the same memory in another order.
        let out = match dice.below(4) {
            0 => tensors[0].clone(),
            1 if tensors[0].rank() == 2 && tensors[0].sizes()[0] == tensors[0].sizes()[1] => tensors[0].transpose(0, 1).expect("a matrix"),
            _ => RawTensor::zeros(expected.sizes(), &Options::new().dtype(dice.one_of(DType::COMPUTING))).expect("room"),
        };
        let (before, operands) = (out.scalars().expect("numbers"), tensors.iter().collect::<Vec<_>>());
        let fits = can_cast(expected.dtype(), out.dtype()) && expected.sizes() == out.sizes();
        let outcome = program.run_into(&operands, &out);
        let now = out.scalars().expect("numbers");
        let right = match (&outcome, fits) {
            (Ok(()), true) => {
                computed += 1;
                expected.to_dtype(out.dtype()).expect("a conversion").scalars().expect("numbers")
            }
            (Err(_), false) => before,
            // A result that broadcasts into the output.
            (Ok(()), false) if can_cast(expected.dtype(), out.dtype()) => {
                let sizes: Vec<isize> = out.sizes().iter().map(|size| size.cast_signed()).collect();
                let spread = expected.expand(&sizes).expect("a result that fits");
                spread.to_dtype(out.dtype()).expect("a conversion").scalars().expect("numbers")
            }
            _ => {
                faults.push(format!("{seed}: {outcome:?}, {:?}", program.steps()));
                continue;
            }
        };
        if now.iter().zip(&right).any(|(&a, &b)| bits(a) != bits(b)) {
            faults.push(format!("{seed}: {now:?} not {right:?}, {:?}", program.steps()));
        }
    }
    assert!(faults.is_empty(), "{} differ: {}", faults.len(), faults[..faults.len().min(8)].join("\n"));
    assert!(computed > 300, "only {computed}");
}

/// A thread remembers what it decided of its last programs: only what is the same in all that a decision depends on may be taken from there.
#[test]
fn what_was_decided_of_a_program_holds_for_that_program_only() -> Result<()> {
    let single = |op: Op, tensor: &RawTensor, number: Scalar| {
        let mut program = Program::new();
        program.apply(op, &[Argument::Operand(0), Argument::Number(number)], Params::none());
        program.run(&[tensor])
    };
    let floats = Tensor::from([-2.0_f32, 0.0, 3.0]).erase();
    let wide = Tensor::from([[-2.0_f32, 0.0, 3.0], [1.0, 2.0, 4.0]]).erase();
    let turned = wide.t().erase();
    let (doubles, integers) = (floats.to_dtype(DType::F64)?, floats.to_dtype(DType::I32)?);
    let numbers: [Scalar; 9] =
        [0.0.into(), (-0.0).into(), 2.into(), 2.0.into(), 3.0.into(), 0.5.into(), 1.into(), true.into(), f64::NAN.into()];
    let tensors = [&floats, &wide, &turned, &doubles, &integers];
    // Twice, so that each is once decided and once remembered, or pushed out by the others.
    for _ in 0..2 {
        for op in [Op::Mul, Op::Pow, Op::Copysign, Op::Add] {
            for tensor in tensors {
                for number in numbers {
                    let (tensor, operands) = (tensor.raw(), [tensor.raw().into(), number.into()]);
                    for _ in 0..2 {
                        let (found, expected) = (single(op, tensor, number)?, apply(op, &operands, &Params::none())?);
                        let all = [&found, &expected].map(|it| (it.dtype(), it.sizes().to_vec(), it.strides().to_vec()));
                        assert_eq!(all[0], all[1], "{op} of {tensor:?} and {number:?}");
                        let [found, expected] = [found.scalars()?, expected.scalars()?].map(|them| format!("{them:?}"));
                        assert_eq!(found, expected, "{op} of {tensor:?} and {number:?}");
                    }
                }
            }
        }
    }
    single(Op::Add, integers.raw(), 0.5.into())?;
    let _strict = strictness::no_promotion();
    let refused = single(Op::Add, integers.raw(), 0.5.into()).expect_err("a promotion");
    assert!(refused.to_string().contains("no_promotion"), "{refused}");
    Ok(())
}
