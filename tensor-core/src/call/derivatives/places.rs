//! The gradients of what reads and writes elements at places: added to where elements were read, and read from where they were written.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::value::{Value, binary, unary};
use super::views::{as_sized, placed, reshaped, unsqueezed};
use super::{missing, one, zeros};
use crate::create::Options;
use crate::elementwise::{Params, RawOperand};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::indexing::{Padding, pad as pad_elements};
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;

/// Zeros, to which a gradient is added at places along a dimension.
pub(super) fn added_at(g: &RawTensor, sizes: &[usize], dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::ScatterAdd, &[(&zeros(g, sizes)?).into(), dim.into(), places.into(), g.into()])
}

/// The same of places in all elements one after the other.
pub(super) fn added_flat(g: &RawTensor, sizes: &[usize], places: &RawTensor) -> Result<RawTensor> {
    let whole = zeros(g, &[sizes.iter().product()])?;
    let (places, g) = (reshaped(places, &[-1])?, reshaped(g, &[-1])?);
    as_sized(&put(&whole, &[Some(&places)], &g, true)?, sizes)
}

/// Zeros, to which a gradient is added where indices read it.
pub(super) fn added_by(g: &RawTensor, sizes: &[usize], indices: &[Option<&RawTensor>]) -> Result<RawTensor> {
    put(&zeros(g, sizes)?, indices, g, true)
}

fn put(whole: &RawTensor, indices: &[Option<&RawTensor>], values: &RawTensor, accumulate: bool) -> Result<RawTensor> {
    one(Function::IndexPut, &[whole.into(), CallArgument::Indices(indices), values.into(), accumulate.into()])
}

/// The gradient of what was overwritten at indices.
pub(super) fn but_at(g: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<RawTensor> {
    put(g, indices, &zeros(g, &[])?, false)
}

/// What there is at indices.
pub(super) fn read(g: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<RawTensor> {
    one(Function::Index, &[g.into(), CallArgument::Indices(indices)])
}

/// Rows of zeros, to which a gradient is added.
pub(super) fn added_rows(g: &RawTensor, sizes: &[usize], dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::IndexAdd, &[(&zeros(g, sizes)?).into(), dim.into(), places.into(), g.into()])
}

/// Rows at places.
pub(super) fn rows_at(g: &RawTensor, dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::IndexSelect, &[g.into(), dim.into(), places.into()])
}

/// The gradient of a number that rows were filled with: of each of them once.
pub(super) fn filled_rows(g: &RawTensor, dim: isize, places: &RawTensor) -> Result<RawTensor> {
    rows_at(g, dim, &one(Function::Unique, &[places.into()])?)
}

/// The gradient of rows of weights. Those of the padding have none.
pub(super) fn of_embedding(
    g: &RawTensor,
    weight: &[usize],
    places: &RawTensor,
    padding: Option<isize>,
    by_frequency: bool,
) -> Result<RawTensor> {
    let mut g = match padding {
        None => g.clone(),
        Some(padding) => {
            let padding = if padding < 0 { padding + weight[0].cast_signed() } else { padding };
            let there = unsqueezed(&binary(Op::Ne, &places.into(), padding as i64).tensor()?, -1)?;
            Value::apply(Op::Where.into(), &Params::none(), &[there.into(), g.into(), 0.0.into()])?.tensor()?
        }
    };
    if by_frequency {
        let counts = one(Function::Bincount, &[(&reshaped(places, &[-1])?).into()])?;
        let often = unsqueezed(&one(Function::Take, &[(&counts).into(), places.into()])?, -1)?;
        g = binary(Op::Div, &g.into(), often).tensor()?;
    }
    let rows = reshaped(&g, &[places.numel().cast_signed(), weight[1].cast_signed()])?;
    added_rows(&rows, weight, 0, &reshaped(places, &[-1])?)
}

/// The gradient of elements that a mask selects; both broadcast.
pub(super) fn of_selected(g: &RawTensor, sizes: &[usize], mask: &RawTensor) -> Result<RawTensor> {
    let whole = broadcast_shapes(&[sizes, mask.sizes()])?;
    if whole.is_empty() {
        return reshaped(&added_by(g, &[1], &[Some(&reshaped(mask, &[1])?)])?, &[]);
    }
    let mask = mask.expand(&signed(&whole))?;
    added_by(g, &whole, &[Some(&mask)])
}

/// A gradient where a mask is false.
pub(super) fn unmasked(g: &RawTensor, mask: &RawTensor) -> Result<Value> {
    Value::apply(Op::Where.into(), &Params::none(), &[mask.into(), 0.0.into(), g.into()])
}

/// And where it is true.
pub(super) fn masked(g: &RawTensor, mask: &RawTensor) -> Result<Value> {
    Value::apply(Op::Where.into(), &Params::none(), &[mask.into(), g.into(), 0.0.into()])
}

/// The gradient of what was overwritten along a dimension.
pub(super) fn but_along(g: &RawTensor, dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::ScatterValue, &[g.into(), dim.into(), places.into(), Scalar::Int(0).into()])
}

/// The same of whole rows.
pub(super) fn but_rows(g: &RawTensor, dim: isize, places: &RawTensor) -> Result<RawTensor> {
    one(Function::IndexFill, &[g.into(), dim.into(), places.into(), Scalar::Int(0).into()])
}

/// What `put` leaves of a gradient: all of it, where it adds, else zeros at the places.
pub(super) fn but_flat(g: &RawTensor, places: &RawTensor, accumulate: bool) -> Result<RawTensor> {
    if accumulate { Ok(g.clone()) } else { one(Function::Put, &[g.into(), places.into(), (&zeros(g, places.sizes())?).into()]) }
}

/// What there is at places that count all elements.
pub(super) fn taken(g: &RawTensor, places: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    as_sized(&one(Function::Take, &[g.into(), places.into()])?, sizes)
}

/// What there is at places along a dimension, for a source that may be larger than the indices: the rest has zeros.
pub(super) fn gathered(g: &RawTensor, dim: isize, places: &RawTensor, source: &[usize]) -> Result<RawTensor> {
    let found = one(Function::Gather, &[g.into(), dim.into(), places.into()])?;
    if found.sizes() == source {
        return Ok(found);
    }
    let amounts: Vec<isize> =
        source.iter().zip(found.sizes()).rev().flat_map(|(source, have)| [0, source.cast_signed() - have.cast_signed()]).collect();
    one(Function::Pad, &[(&found).into(), amounts[..].into()])
}

/// PyTorch's `flip`.
pub(super) fn flipped(g: &RawTensor, dims: &[isize]) -> Result<RawTensor> {
    one(Function::Flip, &[g.into(), dims.into()])
}

/// Of a diagonal that was taken, or of a matrix that was made of one.
pub(super) fn of_diag(g: &RawTensor, sizes: &[usize], diagonal: isize) -> Result<RawTensor> {
    if sizes.len() == 1 {
        return one(Function::Diagonal, &[g.into(), diagonal.into()]);
    }
    placed(g, sizes, |whole| whole.diagonal(diagonal, 0, 1))
}

/// What the node of a `diag` is called.
pub(super) fn diag_node(input: &RawTensor) -> &'static str {
    if input.rank() == 1 { "DiagEmbedBackward0" } else { "DiagonalBackward0_copy" }
}

/// What the node of a `pad` is called.
pub(super) fn pad_node(pad: &[isize], mode: &str) -> &'static str {
    match (mode, pad.len() / 2) {
        ("reflect", 1) => "ReflectionPad1DBackward0",
        ("reflect", 2) => "ReflectionPad2DBackward0",
        ("reflect", _) => "ReflectionPad3DBackward0",
        ("replicate", 1) => "ReplicationPad1DBackward0",
        ("replicate", 2) => "ReplicationPad2DBackward0",
        ("replicate", _) => "ReplicationPad3DBackward0",
        ("circular", _) => "CopySlices",
        _ => "ConstantPadNdBackward0",
    }
}

/// Of a padded tensor: what a number pads has no gradient, and what is a copy of an element adds to it.
pub(super) fn of_pad(g: &RawTensor, sizes: &[usize], pad: &[isize], mode: &str) -> Result<RawTensor> {
    if mode == "constant" {
        let back: Vec<isize> = pad.iter().map(|amount| -amount).collect();
        return one(Function::Pad, &[g.into(), back[..].into()]);
    }
    let count = sizes.iter().product::<usize>();
    // The places in double precision, which each mode pads.
    let options = Options::new().dtype(DType::F64).device(g.device())?;
    let places = RawTensor::arange(0.into(), count.into(), 1.into(), &options)?.view(&signed(sizes))?;
    let places = pad_elements(&places, pad, Padding::parse(mode, None)?)?.to_dtype(DType::I64)?;
    added_flat(g, sizes, &places)
}

/// Of what `scatter_reduce` reduces: its own gradient, and that of the source.
pub(super) struct Reduced<'b> {
    pub(super) g: &'b RawTensor,
    pub(super) input: &'b RawTensor,
    pub(super) dim: isize,
    pub(super) index: &'b RawTensor,
    pub(super) source: &'b RawTensor,
    pub(super) result: &'b RawTensor,
    pub(super) reduce: &'b str,
    pub(super) own_counts: bool,
}

impl Reduced<'_> {
    fn gather(&self, tensor: &RawTensor) -> Result<RawTensor> {
        one(Function::Gather, &[tensor.into(), self.dim.into(), self.index.into()])
    }

    fn add(&self, to: &RawTensor, source: &RawTensor) -> Result<RawTensor> {
        one(Function::ScatterAdd, &[to.into(), self.dim.into(), self.index.into(), source.into()])
    }

    /// The gradient, divided by how many elements made each result.
    fn averaged(&self) -> Result<RawTensor> {
        let count = zeros(self.g, self.g.sizes())?;
        if self.own_counts {
            count.fill_(1.0)?;
        }
        let ones = zeros(self.g, self.index.sizes())?;
        ones.fill_(1.0)?;
        let count = self.add(&count, &ones)?;
        let count = Value::from(count);
        let count = Value::apply(Op::Where.into(), &Params::none(), &[binary(Op::Eq, &count, 0.0), 1.0.into(), count])?;
        binary(Op::Div, &self.g.into(), count).tensor()
    }

    /// Which elements are the extreme ones, in the tensor and in the source, and the gradient that each of them gets.
    fn extremes(&self) -> Result<[RawTensor; 3]> {
        let is = |x: &RawTensor, y: &RawTensor| binary(Op::Eq, &x.into(), Value::from(y)).cast(self.g.dtype()).tensor();
        let (own, theirs) = (is(self.input, self.result)?, is(self.source, &self.gather(self.result)?)?);
        let own = if self.own_counts { own } else { but_along(&own, self.dim, self.index)? };
        let count = self.add(&own, &theirs)?;
        let each = binary(Op::Div, &self.g.into(), Value::from(count)).tensor()?;
        Ok([own, theirs, each])
    }

    /// The products of a tensor's elements and of the source's.
    fn product(&self, input: &RawTensor, source: &RawTensor) -> Result<RawTensor> {
        let (dim, index) = (self.dim.into(), self.index.into());
        one(Function::ScatterReduce, &[input.into(), dim, index, source.into(), "prod".into(), self.own_counts.into()])
    }

    /// Of the tensor, where it is multiplied by the source: the product without its own element.
    fn of_factor(&self) -> Result<RawTensor> {
        let input = Value::from(self.input);
        let there = chosen(binary(Op::Eq, &input, 0.0), 1.0, input)?.tensor()?;
        let product = self.product(&there, self.source)?;
        binary(Op::Mul, &self.g.into(), unary(Op::Conj, &binary(Op::Div, &product.into(), Value::from(there)))).tensor()
    }

    /// Of the source, whose elements are factors: the product without each of them. As in PyTorch, that isn't there of several zeros together.
    fn of_factors(&self) -> Result<RawTensor> {
        let (source, zero) = (Value::from(self.source), binary(Op::Eq, &self.source.into(), 0.0).tensor()?);
        let ones = Value::from(&zero).cast(DType::I64).tensor()?;
        let none = RawTensor::zeros(self.g.sizes(), &Options::new().dtype(DType::I64).device(self.g.device())?)?;
        let zeros = self.gather(&self.add(&none, &ones)?)?;
        if binary(Op::Gt, &zeros.clone().into(), 1.0).reduced(Reduction::Any, &Along::all())?.item()? == Scalar::Bool(true) {
            return Err(missing(
                "scatter_reduce(): double backward is unsupported for src when >1 zeros in src are scattered to the same position in self",
            ));
        }
        let only = binary(Op::LogicalAnd, &zero.clone().into(), binary(Op::Eq, &zeros.into(), 1.0)).tensor()?;
        let others = self.product(self.input, &chosen((&only).into(), 1.0, source.clone())?.tensor()?)?;
        let rest = binary(Op::Div, &self.gather(self.result)?.into(), chosen(zero.into(), 1.0, source)?);
        let factors = chosen(only.into(), self.gather(&others)?, rest)?;
        binary(Op::Mul, &self.gather(self.g)?.into(), unary(Op::Conj, &factors)).tensor()
    }

    pub(super) fn of_input(&self) -> Result<RawTensor> {
        let g = match self.reduce {
            "sum" => self.g.clone(),
            "mean" => self.averaged()?,
            "amax" | "amin" => {
                let [own, _, each] = self.extremes()?;
                binary(Op::Mul, &each.into(), Value::from(own)).tensor()?
            }
            "prod" => self.of_factor()?,
            _ => return Err(self.other()),
        };
        if self.own_counts { Ok(g) } else { but_along(&g, self.dim, self.index) }
    }

    pub(super) fn of_source(&self) -> Result<RawTensor> {
        match self.reduce {
            "sum" => self.gather(self.g),
            "mean" => self.gather(&self.averaged()?),
            "amax" | "amin" => {
                let [_, theirs, each] = self.extremes()?;
                binary(Op::Mul, &self.gather(&each)?.into(), Value::from(theirs)).tensor()
            }
            "prod" => self.of_factors(),
            _ => Err(self.other()),
        }
    }

    /// `max` and `min` compute, but PyTorch has no gradients of them.
    fn other(&self) -> Error {
        Error::runtime(format!("Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got {}.", self.reduce))
    }
}

/// Of a tensor some of whose elements were dropped: what was kept grew.
pub(super) fn of_dropped(g: &RawTensor, mask: &RawTensor, p: f64, train: bool) -> Value {
    let scale = if !train || p == 1.0 { 1.0 } else { 1.0 / (1.0 - p) };
    binary(Op::Mul, &binary(Op::Mul, &g.into(), Value::from(mask)), scale)
}

/// Half of a matrix.
pub(super) fn half(function: Function, g: &RawTensor, diagonal: isize) -> Result<RawTensor> {
    one(function, &[g.into(), diagonal.into()])
}

/// What the node of a filling operation is called: of a number or of a tensor.
pub(super) fn number_or_tensor(value: RawOperand<'_>, [number, tensor]: [&'static str; 2]) -> &'static str {
    if matches!(value, RawOperand::Tensor(_)) { tensor } else { number }
}

/// The conjugate of a gradient, times a tensor.
pub(super) fn conj_times(g: &RawTensor, tensor: &RawTensor) -> Value {
    binary(Op::Mul, &unary(Op::Conj, &g.into()), Value::from(tensor))
}

/// One value where a condition holds, another elsewhere.
fn chosen(condition: Value, then: impl Into<Value>, other: Value) -> Result<Value> {
    Value::apply(Op::Where.into(), &Params::none(), &[condition, then.into(), other])
}

/// The gradient where the elements were inside two bounds.
pub(super) fn inside(g: &RawTensor, x: &RawTensor, low: Scalar, high: Scalar) -> Result<RawTensor> {
    let x = Value::from(x);
    let inside = binary(Op::LogicalAnd, &binary(Op::Gt, &x, low), binary(Op::Lt, &x, high));
    Value::apply(Op::Where.into(), &Params::none(), &[inside, g.into(), Value::from(0)])?.tensor()
}
