//! What `backward` and `autograd.grad` are asked for, checked in PyTorch's order, and what they do with what the engine brings.

use super::engine::{Arrived, Leaves, Manner, Roots, go_back};
use super::gathering::{accumulate, check_room};
use super::leaves::{ONLY_FLOATING, retain_grad, set_requires_grad};
use crate::call::edge;
use crate::create::Options;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::raw::node::Edge;
use crate::scalar::Scalar;

/// How a graph is gone through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// Whether it can be gone through again; as `create`, where nothing is said.
    pub(crate) retain: Option<bool>,
    /// Whether the gradients have gradients.
    pub(crate) create: bool,
}

impl Asked {
    fn manner(self) -> Manner {
        Manner { retain: self.retain.unwrap_or(self.create), create: self.create }
    }
}

/// What stands for the gradient of an input that the outputs weren't made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unused {
    /// It is an error.
    #[default]
    Refused,
    /// Nothing.
    Allowed,
    /// Zeros.
    Zeros,
}

/// Adds the gradients of outputs to those of leaves: of all, or of `inputs`.
///
/// # Errors
/// PyTorch's, in its words and order.
pub(crate) fn backward(
    outputs: &[&RawTensor],
    gradients: Option<&[Option<&RawTensor>]>,
    asked: Asked,
    inputs: Option<&[&RawTensor]>,
) -> Result<()> {
    if inputs.is_some_and(<[_]>::is_empty) {
        return Err(Error::runtime("`inputs` argument to `backward()` cannot be empty."));
    }
    let mut roots = Roots::new();
    begin(outputs, gradients, &mut roots)?;
    let Some(inputs) = inputs else {
        let mut arrived = Arrived::default();
        go_back(&mut roots, asked.manner(), None, &mut arrived)?;
        return accumulate_all(arrived.leaves, asked.create);
    };
    let mut edges = Vec::new();
    for input in inputs {
        retain_grad(input)?;
        edges.extend(edge(input)?);
    }
    let mut arrived = Arrived::default();
    go_back(&mut roots, asked.manner(), Some(&edges), &mut arrived)?;
    arrived.leaves.retain(|(leaf, _)| edges.iter().any(|edge| edge.is_same(&Edge::Leaf(leaf.clone()))));
    accumulate_all(arrived.leaves, asked.create)
}

/// Adds gradients to those of their leaves, if all can be added to.
fn accumulate_all(leaves: Leaves, create: bool) -> Result<()> {
    if leaves.len() > 1 {
        leaves.iter().try_for_each(|(leaf, _)| check_room(leaf, create))?;
    }
    leaves.into_iter().try_for_each(|(leaf, gradient)| accumulate(&leaf, gradient, create))
}

/// The gradients of outputs for inputs; those of leaves stay what they are.
///
/// # Errors
/// PyTorch's, in its words and order.
pub(crate) fn gradients(
    outputs: &[&RawTensor],
    inputs: &[&RawTensor],
    given: Option<&[Option<&RawTensor>]>,
    asked: Asked,
    unused: Unused,
) -> Result<Vec<Option<RawTensor>>> {
    if inputs.is_empty() {
        return Err(Error::runtime("`inputs` argument to `grad()` cannot be empty."));
    }
    let mut roots = Roots::new();
    begin(outputs, given, &mut roots)?;
    let mut edges = Vec::new();
    for input in inputs {
        match edge(input)? {
            Some(edge) => edges.push(edge),
            None => return Err(Error::runtime("One of the differentiated Tensors does not require grad")),
        }
    }
    let mut arrived = Arrived::default();
    go_back(&mut roots, asked.manner(), Some(&edges), &mut arrived)?;
    let mut found = arrived.captured;
    for (place, (gradient, input)) in found.iter_mut().zip(inputs).enumerate() {
        if gradient.is_some() {
            continue;
        }
        match unused {
            Unused::Allowed => {}
            Unused::Zeros => {
                let mut zeros = input.zeros_like()?;
                set_requires_grad(&mut zeros, asked.create, ONLY_FLOATING)?;
                *gradient = Some(zeros);
            }
            Unused::Refused => {
                return Err(Error::runtime(format!(
                    "The differentiated Tensor at index {place} appears to not have been used in the graph. Set allow_unused=True if this is the \
                     desired behavior."
                )));
            }
        }
    }
    Ok(found)
}

/// Where the way back begins, and with which gradients.
fn begin(outputs: &[&RawTensor], gradients: Option<&[Option<&RawTensor>]>, roots: &mut Roots) -> Result<()> {
    let given = |place: usize| gradients.and_then(|gradients| gradients.get(place).copied().flatten());
    let count = gradients.map_or(outputs.len(), <[_]>::len);
    for (place, output) in outputs.iter().enumerate().take(count) {
        match given(place) {
            Some(gradient) => check_given(place, output, gradient)?,
            None if edge(output)?.is_some() => check_implicit(output)?,
            None => {}
        }
    }
    if count != outputs.len() {
        return Err(Error::runtime(format!("got {} tensors and {count} gradients", outputs.len())));
    }
    for (place, output) in outputs.iter().enumerate() {
        let Some(edge) = edge(output)? else {
            return Err(Error::runtime(format!("element {place} of tensors does not require grad and does not have a grad_fn")));
        };
        let gradient = match given(place) {
            None => {
                let options = Options { dtype: Some(output.dtype()), device: Some(output.device()), format: None };
                RawTensor::full(output.sizes(), Scalar::Int(1), &options)?
            }
            Some(gradient) if gradient.dtype() == output.dtype() => gradient.clone(),
            Some(gradient) => gradient.to_dtype(output.dtype())?,
        };
        roots.push((edge, gradient));
    }
    Ok(())
}

fn check_given(place: usize, output: &RawTensor, gradient: &RawTensor) -> Result<()> {
    let torch = |sizes: &[usize]| format!("torch.Size({sizes:?})");
    if output.sizes() != gradient.sizes() {
        let (found, expected) = (torch(gradient.sizes()), torch(output.sizes()));
        return Err(Error::runtime(format!(
            "Mismatch in shape: grad_output[{place}] has a shape of {found} and output[{place}] has a shape of {expected}."
        )));
    }
    let (found, expected) = (gradient.dtype(), output.dtype());
    if found.is_complex() != expected.is_complex() {
        return Err(Error::runtime(format!(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: grad_output[{place}] has a \
             dtype of torch.{} and output[{place}] has a dtype of torch.{}.",
            found.name(),
            expected.name()
        )));
    }
    Ok(())
}

fn check_implicit(output: &RawTensor) -> Result<()> {
    if output.numel() != 1 {
        return Err(Error::runtime("grad can be implicitly created only for scalar outputs"));
    }
    if output.dtype().is_complex() {
        let dtype = output.dtype().name();
        return Err(Error::runtime(format!("grad can be implicitly created only for real scalar outputs but got torch.{dtype}")));
    }
    Ok(())
}
