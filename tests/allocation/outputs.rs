//! Calls into outputs that have the dtype, the sizes and the strides of their results: what they ask for is less than what a call asks for that
//! makes new tensors, by the size of these.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use latten::by_name::Operation;
use latten::prelude::*;
use latten::{Error, Options, Outcome, RawTensor, Result, args, call, operations, storage};

use super::arguments::{Choice, Form, Operands, attempt, choices};
use super::{ASKED, COUNTING, LARGE, bits, granted};

/// How outputs lie, and the calls that compute elsewhere then, and copy.
const LAYOUTS: [(&str, &str); 5] =
    [("as the result", ""), ("rows", ""), ("columns", IN_COLUMNS), ("every second", APART), ("a part", IN_PARTS)];
const IN_COLUMNS: &str = "addr bernoulli fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft2 fft.ifftn fft.irfft fft.irfft2 \
     fft.irfftn fft.rfft fft.rfft2 fft.rfftn i0 log_softmax logsigmoid nanquantile normal quantile randn softmax special.i1 \
     tensordot";
const APART: &str = "fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft2 fft.ifftn fft.irfft fft.irfft2 fft.irfftn fft.rfft \
     fft.rfft2 fft.rfftn log_softmax normal rand randint randn randperm softmax";
const IN_PARTS: &str = "fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft2 fft.ifftn fft.irfft fft.irfft2 fft.irfftn fft.rfft \
     fft.rfft2 fft.rfftn log_softmax normal rand randint randn softmax";

/// A tensor like a result, which lies so.
fn lying(how: &str, result: &RawTensor) -> Result<DynTensor> {
    let (last, options) = (result.rank().cast_signed() - 1, Options::new().dtype(result.dtype()));
    let mut wide = result.sizes().to_vec();
    if let Some(size) = wide.last_mut() {
        *size *= 2;
    }
    let zeros = |sizes: &[usize]| RawTensor::zeros(sizes, &options);
    let lies = match how {
        "as the result" => result.empty_like(result.dtype(), MemoryFormat::Preserve)?,
        "columns" if last > 0 => zeros(result.transpose(-1, -2)?.sizes())?.transpose(-1, -2)?,
        "every second" if last >= 0 => zeros(&wide)?.slice(last, None, None, 2)?,
        "a part" if last >= 0 => zeros(&wide)?.narrow(last, 1, result.sizes()[result.rank() - 1].cast_signed())?,
        _ => zeros(result.sizes())?,
    };
    Ok(DynTensor::from(lies))
}

/// The calls that have both forms.
fn measured() -> impl Iterator<Item = Operation> {
    operations().filter(|operation| Form::Out.is_of(*operation) && Form::New.is_of(*operation))
}

/// Whether it has several outputs.
fn is_several(operation: Operation) -> bool {
    operation.signature().contains("tuple of Tensors out")
}

/// Whether its results are others each time.
fn is_drawn(operation: Operation) -> bool {
    operation.signature().contains("Generator") || operation.name() == "empty"
}

/// The large results of a call, for the first arguments that give any.
fn results(operation: Operation, operands: &Operands) -> Option<(Choice, Vec<DynTensor>)> {
    choices(operation, Form::Out, operands).into_iter().find_map(|choice| {
        let mut results = Vec::new();
        let made = granted(usize::MAX, || {
            let outcome = attempt(operation, Form::New, operands, &choice, &mut [], None)?;
            results = if is_several(operation) { outcome.tensors()? } else { vec![outcome.tensor()?] };
            Ok(Outcome::Nothing)
        });
        made.0.ok()?;
        (large(&results) > 0).then_some((choice, results))
    })
}

/// How many bytes those have that are large.
fn large(results: &[DynTensor]) -> usize {
    results.iter().map(|result| result.numel() * result.dtype().itemsize()).filter(|&nbytes| nbytes >= LARGE).sum()
}

/// How many bytes a call asks for.
fn asked(operation: Operation, form: Form, operands: &Operands, choice: &Choice, outputs: &mut [DynTensor]) -> Result<usize> {
    ASKED.store(0, Ordering::Relaxed);
    granted(usize::MAX, || attempt(operation, form, operands, choice, outputs, None)).0?;
    Ok(ASKED.load(Ordering::Relaxed))
}

/// Each call with an output: what it asks for, and that it gives what a new tensor has.
#[test]
fn calls_into_outputs_make_no_other_tensor_of_their_size() -> Result<()> {
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    latten::set_num_threads(1);
    let operands = Operands::new()?;
    let (mut copying, mut large_ones) = (LAYOUTS.map(|(how, _)| (how, Vec::new())), 0);
    // What is freed on the way isn't used again: all that a call makes is asked for.
    let limit = storage::pool_stats().limit;
    storage::set_pool_limit(0);
    for operation in measured() {
        let Some((choice, results)) = results(operation, &operands) else { continue };
        large_ones += 1;
        let result = large(&results);
        let new = asked(operation, Form::New, &operands, &choice, &mut [])?;
        for (how, copying) in &mut copying {
            let mut outputs = results.iter().map(|result| lying(how, result.raw())).collect::<Result<Vec<_>>>()?;
            let out = asked(operation, Form::Out, &operands, &choice, &mut outputs)?;
            let same = is_drawn(operation) || bits(&outputs) == bits(&results);
            assert!(same, "{how}: {} {}", operation.name(), operation.signature());
            if out >= result && out + result > new + result / 8 {
                copying.push(operation.name());
            }
        }
    }
    storage::set_pool_limit(limit);
    for (_, names) in &mut copying {
        names.sort_unstable();
        names.dedup();
    }
    assert!(large_ones > 250, "only {large_ones} calls have a large result");
    assert_eq!(copying.map(|(how, names)| (how, names.join(" "))), LAYOUTS.map(|(how, known)| (how, known.to_owned())));
    Ok(())
}

/// Solutions of systems whose factors stand on the right are made where an output lies as they do.
#[test]
fn solutions_from_the_right_ask_for_no_other_tensor_of_their_size() -> Result<()> {
    const ROWS: usize = 100_000;
    let _counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    latten::set_num_threads(1);
    let limit = storage::pool_stats().limit;
    storage::set_pool_limit(0);
    let places = Tensor::from([1_i32, 2]);
    for dtype in [DType::F32, DType::F64, DType::C128] {
        let (factors, right) = (Tensor::from([[2.0_f32, 1.0], [0.5, 4.0]]).to_dtype(dtype)?, DynTensor::ones([ROWS, 2], dtype)?);
        let given = || args![&factors, &places, &right, left = false];
        let asked = |out: Option<&mut DynTensor>| {
            let given = match out {
                Some(out) => given().with_named("out", out),
                None => given(),
            };
            ASKED.store(0, Ordering::Relaxed);
            granted(usize::MAX, || call("linalg.lu_solve", given)).0?;
            Ok::<_, Error>(ASKED.load(Ordering::Relaxed))
        };
        let new = asked(None)?;
        let mut out = DynTensor::from(Tensor::<f64>::zeros([2, ROWS])?.to_dtype(dtype)?.raw().reverse_dims());
        let there = asked(Some(&mut out))?;
        let result = 2 * ROWS * dtype.itemsize();
        assert!(there + result <= new + result / 8, "{dtype}: {there} bytes for an output, {new} for a new tensor");
    }
    storage::set_pool_limit(limit);
    Ok(())
}

/// An output that is an operand, too, is refused and stays as it was, or gets what a new tensor gets.
#[test]
fn outputs_that_are_operands_get_what_new_tensors_get() -> Result<()> {
    let operands = Operands::new()?;
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for operation in measured().filter(|operation| !is_several(*operation) && !is_drawn(*operation)) {
        let new = |choice: &Choice| attempt(operation, Form::New, &operands, choice, &mut [], None)?.tensor();
        let found = choices(operation, Form::Out, &operands).into_iter().find_map(|choice| {
            let expected = new(&choice).ok()?;
            let fits = |tensor: &&DynTensor| tensor.sizes() == expected.sizes() && tensor.dtype() == expected.dtype();
            let all = operands.tensors.iter().chain([&operands.mask, &operands.row]).chain(&operands.places);
            let same: Vec<&DynTensor> = all.filter(fits).collect();
            (!same.is_empty()).then_some((choice, expected, same))
        });
        let Some((choice, expected, same)) = found else { continue };
        for operand in same {
            tried += 1;
            let before = operand.clone();
            let mut out = [DynTensor::from(operand.raw().clone())];
            let outcome = attempt(operation, Form::Out, &operands, &choice, &mut out, None);
            let right = if outcome.is_ok() { &expected } else { &before };
            if bits(&out) != bits(std::slice::from_ref(right)) {
                wrong.push(format!("{}{}: {:?}", operation.name(), operation.signature(), outcome.map(drop)));
            }
            operand.raw().copy_(before.raw())?;
        }
    }
    assert!(tried > 250, "only {tried} outputs were operands");
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}
