//! The gradients of calls: which function computes them is said by the rows of tensor-spec; those functions are in the modules below. They make
//! calls through [`run`](super::run) only, so that gradients of gradients are recorded.
//!
//! `formulas` computes those of elementwise operations, `operations` goes back through expressions, `reductions` what goes along dimensions, `products` matrix products and einsum,
//! `places` elements by indices, `views` and `joins` what only moves elements; `rows` is what the rows of calls say.

mod curves;
mod formulas;
mod joins;
mod matrices;
mod nodes;
mod operations;
mod places;
mod products;
mod reductions;
mod specials;
mod rows;
mod spectra;
mod systems;
mod views;
mod windows;

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::argument::CallArgument;
use super::backward::{Back, Backward, Derivation, Gradient, Names};
use super::one;
use super::value::Value;
use crate::create::Options;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::raw::node::Gradients;
use crate::scalar::Scalar;

pub(super) use formulas::KeptOperand;
pub(crate) use formulas::RecordedOperation;
pub(crate) use operations::{last_node, of_expression};
pub(crate) use reductions::{log_share, share};
pub(crate) use rows::GRADIENTS;
pub(super) use views::add_strided;

latten_macros::table_gradients!();

/// Zeros where a tensor is, in its dtype.
fn zeros(like: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    RawTensor::zeros(sizes, &Options::new().dtype(like.dtype()).device(like.device())?)
}

/// Zeros for what was overwritten.
fn nothing(g: &RawTensor) -> Result<RawTensor> {
    zeros(g, g.sizes())
}

/// What is known of an argument though its elements aren't kept.
fn known<T: Like + ?Sized>(argument: &T) -> &T::Known {
    argument.known()
}

/// Of a tensor its sizes, of a list the tensors, which have theirs.
trait Like {
    type Known: ?Sized;
    fn known(&self) -> &Self::Known;
}

impl Like for RawTensor {
    type Known = [usize];
    fn known(&self) -> &[usize] {
        self.sizes()
    }
}

impl<'a> Like for [&'a RawTensor] {
    type Known = [&'a RawTensor];
    fn known(&self) -> &[&'a RawTensor] {
        self
    }
}

/// What becomes the gradient of an argument.
trait AsGradient {
    fn gradient(self) -> Result<Option<RawTensor>>;
}

impl AsGradient for RawTensor {
    fn gradient(self) -> Result<Option<RawTensor>> {
        Ok(Some(self))
    }
}

impl AsGradient for &RawTensor {
    fn gradient(self) -> Result<Option<RawTensor>> {
        Ok(Some(self.clone()))
    }
}

impl AsGradient for Value {
    fn gradient(self) -> Result<Option<RawTensor>> {
        self.tensor().map(Some)
    }
}

impl<T: AsGradient> AsGradient for Result<T> {
    fn gradient(self) -> Result<Option<RawTensor>> {
        self?.gradient()
    }
}

/// What becomes the gradients of a list of tensors.
trait AsGradients {
    fn gradients(self) -> Result<Vec<Option<RawTensor>>>;
}

impl AsGradients for Vec<Option<RawTensor>> {
    fn gradients(self) -> Result<Vec<Option<RawTensor>>> {
        Ok(self)
    }
}

impl<T: AsGradients> AsGradients for Result<T> {
    fn gradients(self) -> Result<Vec<Option<RawTensor>>> {
        self?.gradients()
    }
}

/// The gradients of the tensors among the arguments of a call, in their order.
struct Gathered<'b, 'a> {
    backward: &'b Backward<'a>,
    gradients: Gradients,
    /// The first argument that nothing has been said of.
    next: usize,
}

impl<'b, 'a> Gathered<'b, 'a> {
    fn new(backward: &'b Backward<'a>) -> Self {
        Self { backward, gradients: Gradients::new(), next: 0 }
    }

    /// How many tensors an argument is.
    fn tensors(&self, place: usize) -> usize {
        match self.backward.arguments.get(place) {
            Some(CallArgument::Tensor(_)) => 1,
            Some(CallArgument::Tensors(tensors)) => tensors.len(),
            Some(CallArgument::Indices(tensors)) => tensors.iter().flatten().count(),
            _ => 0,
        }
    }

    /// The arguments before this one that nothing was said of have no gradients.
    fn pass_to(&mut self, place: usize) {
        let passed = (self.next..place).map(|place| self.tensors(place)).sum();
        self.gradients.extend(std::iter::repeat_n(None, passed));
        self.next = place;
    }

    /// Whether the gradient of one of an argument's tensors is wanted, which then has to be put. Arguments are asked for in their order.
    fn wants(&mut self, place: usize) -> bool {
        self.pass_to(place);
        let (count, start) = (self.tensors(place), self.gradients.len());
        let wanted = (start..start + count).any(|at| self.backward.wants(at));
        self.next += usize::from(wanted);
        wanted
    }

    /// The gradient of an argument that is a tensor.
    fn put(&mut self, gradient: Option<RawTensor>) {
        self.gradients.push(gradient);
    }

    /// The gradients of an argument that is a list.
    fn put_all(&mut self, gradients: Vec<Option<RawTensor>>) {
        self.gradients.extend(gradients);
    }

    fn done(mut self) -> Gradients {
        self.pass_to(self.backward.arguments.len());
        self.gradients
    }
}

/// A number as the factor that its operation's gradient has.
fn conjugate(number: Scalar) -> Scalar {
    match number {
        Scalar::Complex(number) => Scalar::Complex(number.conj()),
        real => real,
    }
}

#[cold]
fn missing(text: impl Into<String>) -> Error {
    Error::not_implemented(text)
}
