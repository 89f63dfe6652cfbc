//! `masked`: reductions, scans and shares of which only those elements know that a mask names. The others count as what changes nothing.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, cast, inexact, one};
use crate::dtype::iinfo;
use crate::elementwise::Target;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;
use crate::views::signed;

/// What is reduced, and which elements count.
#[derive(Clone, Copy)]
pub(super) struct Masked<'a> {
    pub(super) dims: Option<&'a [isize]>,
    pub(super) keep: Keep,
    pub(super) dtype: Option<DType>,
    pub(super) mask: Option<&'a RawTensor>,
}

/// What stands for elements that don't count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    Zero,
    One,
    Least,
    Most,
}

impl Unseen {
    fn number(self, dtype: DType) -> Scalar {
        let of = |most: bool| match iinfo(dtype) {
            Ok(info) => Scalar::Int(i64::try_from(if most { info.max } else { info.min }).unwrap_or(0)),
            Err(_) => Scalar::Float(if most { f64::INFINITY } else { f64::NEG_INFINITY }),
        };
        match self {
            Self::Zero => Scalar::Int(0),
            Self::One => Scalar::Int(1),
            Self::Least => of(false),
            Self::Most => of(true),
        }
    }
}

/// A mask in the sizes of a tensor.
fn fitted(input: &RawTensor, mask: &RawTensor) -> Result<Value> {
    if mask.rank() > input.rank() {
        return Err(Error::index("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"));
    }
    let mask = Value::from(mask).cast(DType::Bool).tensor()?;
    Value::from(mask).then(Function::Expand, &[CallArgument::Ints(&signed(input.sizes()))])
}

/// The elements that count, and what stands for the others.
fn seen(input: &RawTensor, mask: Option<&RawTensor>, unseen: Unseen) -> Result<Value> {
    match mask {
        None => Ok(input.into()),
        Some(mask) => Ok(chosen(fitted(input, mask)?, input, unseen.number(input.dtype())).cast(input.dtype())),
    }
}

impl Masked<'_> {
    fn along(&self) -> Along {
        self.dims.filter(|dims| !dims.is_empty()).map_or_else(Along::all, Along::dims).keep(self.keep)
    }

    /// How many elements count.
    fn count(&self, input: &RawTensor, along: &Along) -> Result<Value> {
        let mask = match self.mask {
            Some(mask) => fitted(input, mask)?,
            None => RawTensor::full(&[], true.into(), &crate::create::Options::new().dtype(DType::Bool).device(input.device())?)?
                .expand(&signed(input.sizes()))?
                .into(),
        };
        mask.reduced(Reduction::Sum, along)
    }

    /// PyTorch's `masked.sum` and `masked.prod`.
    pub(super) fn total(&self, input: &RawTensor, reduction: Reduction) -> Result<RawTensor> {
        let dtype = self.dtype.unwrap_or(if input.dtype().is_integral() { DType::I64 } else { input.dtype() });
        let unseen = if reduction == Reduction::Prod { Unseen::One } else { Unseen::Zero };
        if reduction == Reduction::Prod && input.rank() == 0 && self.dims.is_none_or(<[isize]>::is_empty) {
            // PyTorch goes over the dimensions, and here is none.
            return seen(&cast(input, dtype)?, self.mask, unseen)?.tensor();
        }
        seen(&cast(input, dtype)?, self.mask, unseen)?.reduced(reduction, &self.along().dtype(dtype))?.tensor()
    }

    /// PyTorch's `masked.amax`, `masked.argmax` and their like, whose results have the dtype of the elements.
    pub(super) fn extreme(&self, name: &str, input: &RawTensor, reduction: Reduction, unseen: Unseen) -> Result<RawTensor> {
        let input = cast(input, self.dtype.unwrap_or(input.dtype()))?;
        if input.dtype() == DType::Bool && self.mask.is_some() {
            return Err(Error::not_implemented(format!("identity of {name} on torch.bool input")));
        }
        seen(&input, self.mask, unseen)?.reduced(reduction, &self.along())?.cast(input.dtype()).tensor()
    }

    /// PyTorch's `masked.mean`.
    pub(super) fn mean(&self, input: &RawTensor) -> Result<RawTensor> {
        let dtype = self.dtype.unwrap_or(input.dtype());
        if dtype.is_integral() {
            let found = dtype.name();
            return Err(Error::value(format!(
                "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: torch.{found}"
            )));
        }
        let input = cast(input, dtype)?;
        if self.mask.is_none() {
            return Value::from(input).reduced(Reduction::Mean, &self.along())?.tensor();
        }
        let total = seen(&input, self.mask, Unseen::Zero)?.reduced(Reduction::Sum, &self.along())?;
        binary(Op::Div, &total, self.count(&input, &self.along())?).tensor()
    }

    /// PyTorch's `masked.var`, and `masked.std` with its root.
    pub(super) fn spread(&self, input: &RawTensor, unbiased: Option<bool>, correction: Option<f64>, root: bool) -> Result<RawTensor> {
        let correction = match (unbiased, correction) {
            (Some(_), Some(_)) => return Err(Error::runtime("Only one of unbiased and correction may be given")),
            (Some(unbiased), None) => f64::from(u8::from(unbiased)),
            (None, correction) => correction.unwrap_or(1.0),
        };
        let dtype = self.dtype.unwrap_or(input.dtype());
        if dtype == DType::Bool {
            return Err(Error::not_implemented(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or \
                 `logical_not()` operator instead.",
            ));
        }
        let input = cast(input, inexact(dtype))?;
        let whole = self.along().keep(Keep::Yes);
        let total = seen(&input, self.mask, Unseen::Zero)?.reduced(Reduction::Sum, &whole)?;
        let middle = binary(Op::Div, &total, self.count(&input, &whole)?);
        let off = Value::from(binary(Op::Sub, &Value::from(&input), middle).tensor()?);
        let off = seen(&off.tensor()?, self.mask, Unseen::Zero)?;
        let squares = binary(Op::Mul, &off, if input.dtype().is_complex() { unary(Op::Conj, &off) } else { off.clone() });
        let squares = squares.reduced(Reduction::Sum, &self.along())?;
        let freedom = binary(Op::ClampMin, &binary(Op::Sub, &self.count(&input, &self.along())?, correction), 0);
        let found = binary(Op::Div, &squares, freedom);
        (if root { unary(Op::Sqrt, &found) } else { found }).cast(input.dtype()).tensor()
    }

    /// PyTorch's `masked.norm`.
    pub(super) fn norm(&self, input: &RawTensor, order: f64) -> Result<RawTensor> {
        let input = cast(input, self.dtype.unwrap_or(input.dtype()))?;
        let unseen = if order == f64::NEG_INFINITY { Unseen::Most } else { Unseen::Zero };
        let dims = self.dims.filter(|dims| !dims.is_empty()).map_or(CallArgument::None, CallArgument::Ints);
        seen(&input, self.mask, unseen)?
            .then(Function::LinalgVectorNormOf, &[Scalar::Float(order).into(), dims, self.keep.into()])?
            .tensor()
    }
}

/// PyTorch's `masked.normalize`: elements over their norm.
pub(super) fn normalize(
    input: &RawTensor,
    order: f64,
    dim: isize,
    eps: f64,
    dtype: Option<DType>,
    mask: Option<&RawTensor>,
) -> Result<RawTensor> {
    let input = cast(input, dtype.unwrap_or(input.dtype()))?;
    let norm = Masked { dims: Some(&[dim]), keep: Keep::Yes, dtype: None, mask }.norm(&input, order)?;
    binary(Op::Div, &seen(&input, mask, Unseen::Zero)?, binary(Op::Maximum, &norm.into(), eps)).tensor()
}

/// PyTorch's `masked.softmax` and `masked.cumsum` and their like: a call along a dimension of what counts.
pub(super) fn along(
    function: Function,
    unseen: (&str, Unseen),
    input: &RawTensor,
    dim: isize,
    dtype: Option<DType>,
    mask: Option<&RawTensor>,
) -> Result<RawTensor> {
    let own = dtype.unwrap_or(input.dtype());
    let input = cast(input, own)?;
    if own == DType::Bool && mask.is_some() && matches!(unseen.1, Unseen::Least | Unseen::Most) {
        return Err(Error::not_implemented(format!("identity of {} on torch.bool input", unseen.0)));
    }
    let seen = seen(&input, mask, unseen.1)?.tensor()?;
    one(function, &[(&seen).into(), dim.into(), own.into()])
}

/// PyTorch's `masked.median`: the lower one in the middle of what counts and is a number.
pub(super) fn median(input: &RawTensor, dim: isize, keep: Keep, dtype: Option<DType>, mask: Option<&RawTensor>) -> Result<RawTensor> {
    let own = dtype.unwrap_or(input.dtype());
    let input = cast(input, own)?;
    let whole = own.is_integral();
    if let (true, Some(mask)) = (whole, mask)
        && !fitted(&input, mask)?.reduced(Reduction::Any, &Along::dims(&[dim]))?.everywhere()?
    {
        return Err(Error::value("masked median expects no fully masked out rows if dtype is not floating point"));
    }
    let x = if whole { cast(&input, DType::F64)? } else { input };
    let x = match mask {
        Some(mask) => chosen(fitted(&x, mask)?, &x, f64::NAN).cast(x.dtype()).tensor()?,
        None => x,
    };
    let (values, _) = super::orders::nanmedian_along([Target::New; 2], &x, dim, keep)?;
    cast(&values, own)
}

/// PyTorch's `masked.logaddexp`.
pub(super) fn logaddexp([x, y]: [&RawTensor; 2], dtype: Option<DType>, [own, there]: [Option<&RawTensor>; 2]) -> Result<RawTensor> {
    let part = |of: &RawTensor, mask| seen(&cast(of, dtype.unwrap_or(of.dtype()))?, mask, Unseen::Least);
    binary(Op::Logaddexp, &part(x, own)?, part(y, there)?).tensor()
}
