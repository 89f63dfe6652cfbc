//! PyTorch's `gradcheck` and `gradgradcheck`: whether the gradients of a function are what differences of its values say. It is checked in double
//! precision, element by element.

use num_complex::Complex;

use super::backward::{Asked, Unused, gradients};
use super::leaves::{ONLY_FLOATING, requires_grad, set_requires_grad};
use super::scopes::{enable_grad, no_grad};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::print::{View, repr};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::warning;

/// How far gradients may be from differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// How far an element is moved, both ways.
    pub eps: f64,
    /// How far a gradient may be off.
    pub atol: f64,
    /// The same, as a part of what the differences say.
    pub rtol: f64,
    /// How far two gradients of the same may be apart.
    pub nondet_tol: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { eps: 1e-6, atol: 1e-5, rtol: 1e-3, nondet_tol: 0.0 }
    }
}

/// A function of tensors.
pub(crate) type Checked<'f> = &'f dyn Fn(&[RawTensor]) -> Result<Vec<RawTensor>>;

/// Whether the gradients of a function are those of its differences.
///
/// # Errors
/// Where they aren't, in PyTorch's words, and the function's own.
pub(crate) fn check(function: Checked<'_>, inputs: &[RawTensor], tolerances: Tolerances) -> Result<()> {
    check_inputs(inputs)?;
    let outputs = {
        let _recording = enable_grad();
        function(inputs)?
    };
    let inexact = |tensor: &&RawTensor| tensor.dtype().is_floating_point() || tensor.dtype().is_complex();
    let outputs: Vec<&RawTensor> = outputs.iter().filter(inexact).collect();
    let required = |before: &[&RawTensor]| before.iter().filter(|output| requires_grad(output)).count();
    for (place, input) in inputs.iter().enumerate().filter(|(_, input)| requires_grad(input)) {
        let numerical = differences(function, inputs, place, tolerances.eps)?;
        for (at, output) in outputs.iter().enumerate() {
            let (number, numerical) = (required(&outputs[..at]), &numerical[at]);
            if !requires_grad(output) {
                // Beside results that require gradients, others may change as they like.
                if required(&outputs) == 0 && numerical.iter().flatten().any(|difference| difference.norm() > tolerances.atol) {
                    return Err(Error::runtime("Numerical gradient for function expected to be zero"));
                }
                continue;
            }
            let analytical = jacobian(output, input)?;
            let again = jacobian(output, input)?;
            let apart = |(a, b): (&Complex<f64>, &Complex<f64>)| (a - b).norm() > tolerances.nondet_tol;
            if analytical.iter().flatten().zip(again.iter().flatten()).any(apart) {
                return Err(Error::runtime(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, \
                     although analytical gradient matches numerical gradient.",
                ));
            }
            let close = |(a, n): (&Complex<f64>, &Complex<f64>)| (a - n).norm() <= tolerances.atol + tolerances.rtol * n.norm();
            if !analytical.iter().flatten().zip(numerical.iter().flatten()).all(close) {
                let (numerical, analytical) = (shown(numerical, input)?, shown(&analytical, input)?);
                return Err(Error::runtime(format!(
                    "Jacobian mismatch for output {number} with respect to input {place},\nnumerical:{numerical}\nanalytical:{analytical}\n"
                )));
            }
        }
    }
    Ok(())
}

/// The same of the gradients of a function, for gradients of its results that are made up.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_twice(function: Checked<'_>, inputs: &[RawTensor], tolerances: Tolerances) -> Result<()> {
    check_inputs(inputs)?;
    let outputs = {
        let _recording = enable_grad();
        function(inputs)?
    };
    let differentiable: Vec<usize> = (0..outputs.len()).filter(|&place| requires_grad(&outputs[place])).collect();
    let mut all = inputs.to_vec();
    for (seed, &place) in differentiable.iter().enumerate() {
        all.push(made_up(&outputs[place], seed)?);
    }
    let of_gradients = |all: &[RawTensor]| {
        let _recording = enable_grad();
        let (inputs, given) = all.split_at(inputs.len());
        let outputs = function(inputs)?;
        let outputs: Vec<&RawTensor> = differentiable.iter().map(|&place| &outputs[place]).collect();
        let wanted: Vec<&RawTensor> = inputs.iter().filter(|input| requires_grad(input)).collect();
        let given: Vec<Option<&RawTensor>> = given.iter().map(Some).collect();
        let asked = Asked { retain: Some(true), create: true };
        let found = gradients(&outputs, &wanted, Some(&given), asked, Unused::Zeros)?;
        Ok(found.into_iter().flatten().collect())
    };
    if differentiable.is_empty() {
        return Ok(());
    }
    check(&of_gradients, &all, tolerances)
}

fn check_inputs(inputs: &[RawTensor]) -> Result<()> {
    if !inputs.iter().any(requires_grad) {
        return Err(Error::value(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True.",
        ));
    }
    for (place, input) in inputs.iter().enumerate().filter(|(_, input)| requires_grad(input)) {
        if input.dtype().to_real() != latten_spec::DType::F64 {
            warning::warn(&format!(
                "Input #{place} requires gradient and is not a double precision floating point or complex. This check will likely fail if all \
                 the inputs are not of double precision floating point or complex. "
            ));
        }
        if input.sizes().iter().zip(input.strides()).any(|(&size, &stride)| stride == 0 && size > 1) {
            return Err(Error::runtime(format!(
                "The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute \
                 the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck."
            )));
        }
    }
    Ok(())
}

/// Numbers between -1 and 1 that don't repeat, in the shape of a result.
fn made_up(output: &RawTensor, seed: usize) -> Result<RawTensor> {
    let number = |at: usize| ((at + 1) as f64 * 12.9898 + seed as f64 * 78.233).sin();
    let complex = output.dtype().is_complex();
    let numbers: Vec<Scalar> = (0..output.numel())
        .map(|at| if complex { Scalar::Complex(Complex::new(number(2 * at), number(2 * at + 1))) } else { Scalar::Float(number(at)) })
        .collect();
    let mut tensor = RawTensor::from_scalars(&numbers, output.sizes(), &Options::new().dtype(output.dtype()))?;
    set_requires_grad(&mut tensor, true, ONLY_FLOATING)?;
    Ok(tensor)
}

/// What the function gives, without being recorded: the elements of each inexact result.
fn values(function: Checked<'_>, inputs: &[RawTensor]) -> Result<Vec<(bool, Vec<Complex<f64>>)>> {
    let outputs = function(inputs)?;
    let inexact = outputs.iter().filter(|tensor| tensor.dtype().is_floating_point() || tensor.dtype().is_complex());
    inexact.map(|tensor| Ok((tensor.dtype().is_complex(), tensor.scalars()?.into_iter().map(Scalar::complex).collect()))).collect()
}

/// For each result, for each of its elements (of complex ones for both parts), how it changes with each element of an input.
fn differences(function: Checked<'_>, inputs: &[RawTensor], place: usize, eps: f64) -> Result<Vec<Vec<Vec<Complex<f64>>>>> {
    let _unrecorded = no_grad();
    let mut moved: Vec<RawTensor> = inputs.to_vec();
    moved[place] = inputs[place].clone_as(MemoryFormat::Preserve)?;
    set_requires_grad(&mut moved[place], true, ONLY_FLOATING)?;
    let is_complex = inputs[place].dtype().is_complex();
    let mut jacobians: Vec<Vec<Vec<Complex<f64>>>> = Vec::new();
    let elements = inputs[place].scalars()?;
    for (number, element) in elements.iter().enumerate() {
        let spot = spot(&moved[place], number)?;
        let slope = |step: Complex<f64>| -> Result<Vec<(bool, Vec<Complex<f64>>)>> {
            let set = |to: Complex<f64>| spot.fill_(if is_complex { Scalar::Complex(to) } else { Scalar::Float(to.re) });
            set(element.complex() + step)?;
            let above = values(function, &moved)?;
            set(element.complex() - step)?;
            let below = values(function, &moved)?;
            set(element.complex())?;
            let slopes = above.into_iter().zip(below).map(|((is_complex, above), (_, below))| {
                (is_complex, above.into_iter().zip(below).map(|(above, below)| (above - below) / (2.0 * eps)).collect())
            });
            Ok(slopes.collect())
        };
        let along = slope(Complex::new(eps, 0.0))?;
        let across = if is_complex { slope(Complex::new(0.0, eps))? } else { Vec::new() };
        jacobians.resize(along.len(), Vec::new());
        for (result, (parts, slopes)) in along.iter().enumerate() {
            let of_part = |part: fn(Complex<f64>) -> f64, at: usize| {
                Complex::new(part(slopes[at]), across.get(result).map_or(0.0, |(_, across)| part(across[at])))
            };
            for at in 0..slopes.len() {
                let rows = if *parts { 2 } else { 1 };
                if jacobians[result].len() < (at + 1) * rows {
                    jacobians[result].resize((at + 1) * rows, Vec::new());
                }
                jacobians[result][at * rows].push(of_part(|slope| slope.re, at));
                if *parts {
                    jacobians[result][at * rows + 1].push(of_part(|slope| slope.im, at));
                }
            }
        }
    }
    if elements.is_empty() {
        let outputs = values(function, &moved)?;
        jacobians = outputs.iter().map(|(parts, slopes)| vec![Vec::new(); slopes.len() * if *parts { 2 } else { 1 }]).collect();
    }
    Ok(jacobians)
}

/// One element of a tensor, as a tensor over it.
fn spot(tensor: &RawTensor, number: usize) -> Result<RawTensor> {
    let (mut rest, mut offset) = (number, tensor.storage_offset());
    for (size, stride) in tensor.sizes().iter().zip(tensor.strides()).rev() {
        offset += rest % size * stride;
        rest /= size;
    }
    tensor.as_strided(&[], &[], Some(offset.cast_signed()))
}

/// The same as [`differences`], by the way back from each element of a result.
fn jacobian(output: &RawTensor, input: &RawTensor) -> Result<Vec<Vec<Complex<f64>>>> {
    let parts =
        if output.dtype().is_complex() { vec![Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)] } else { vec![Complex::new(1.0, 0.0)] };
    let mut rows = Vec::new();
    for number in 0..output.numel() {
        for part in &parts {
            let mut numbers = vec![Scalar::Float(0.0); output.numel()];
            numbers[number] = if parts.len() == 2 { Scalar::Complex(*part) } else { Scalar::Float(part.re) };
            let given = RawTensor::from_scalars(&numbers, output.sizes(), &Options::new().dtype(output.dtype()))?;
            let asked = Asked { retain: Some(true), create: false };
            let found = gradients(&[output], &[input], Some(&[Some(&given)]), asked, Unused::Zeros)?;
            let Some(Some(gradient)) = found.first() else { return Err(Error::runtime("a gradient is missing")) };
            rows.push(gradient.scalars()?.into_iter().map(Scalar::complex).collect());
        }
    }
    Ok(rows)
}

/// A Jacobian as PyTorch prints it: a row for each element of the input.
fn shown(rows: &[Vec<Complex<f64>>], input: &RawTensor) -> Result<String> {
    let columns = rows.len();
    let numbers: Vec<Scalar> = (0..input.numel())
        .flat_map(|element| rows.iter().map(move |row| row[element]))
        .map(|number| if input.dtype().is_complex() { Scalar::Complex(number) } else { Scalar::Float(number.re) })
        .collect();
    let tensor = RawTensor::from_scalars(&numbers, &[input.numel(), columns], &Options::new().dtype(input.dtype()))?;
    let element = |index: &[usize]| tensor.element(index).unwrap_or(Scalar::Int(0));
    Ok(repr(&View { dtype: tensor.dtype(), sizes: tensor.sizes(), device: tensor.device(), element: &element, gradient: None }))
}
