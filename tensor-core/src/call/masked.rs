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
use crate::geometry::wrap_dim;
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
    /// The least, of complex numbers, too.
    Lowest,
}

impl Unseen {
    /// The number for a call of that name, of elements of that dtype.
    fn number(self, name: &str, dtype: DType) -> Result<Scalar> {
        let ordered = matches!(self, Self::Least | Self::Most);
        if (ordered || self == Self::Lowest) && dtype == DType::Bool {
            return Err(Error::not_implemented(format!("identity of {name} on torch.bool input")));
        }
        if ordered && dtype.is_complex() {
            return iinfo(dtype).map(|_| Scalar::Int(0));
        }
        let of = |most: bool| match iinfo(dtype) {
            Ok(info) => Scalar::Int(i64::try_from(if most { info.max } else { info.min }).unwrap_or(0)),
            Err(_) => Scalar::Float(if most { f64::INFINITY } else { f64::NEG_INFINITY }),
        };
        Ok(match self {
            Self::Zero => Scalar::Int(0),
            Self::One => Scalar::Int(1),
            Self::Least | Self::Lowest => of(false),
            Self::Most => of(true),
        })
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

/// The elements that count, and what stands for the others in a call of that name.
fn seen(name: &str, input: &RawTensor, mask: Option<&RawTensor>, unseen: Unseen) -> Result<Value> {
    match mask {
        None => Ok(input.into()),
        Some(mask) => Ok(chosen(fitted(input, mask)?, input, unseen.number(name, input.dtype())?).cast(input.dtype())),
    }
}

impl Masked<'_> {
    /// What is gone along: PyTorch names all dimensions where none is given.
    fn along(&self, input: &RawTensor) -> Result<Along> {
        Ok(Along::dims(&self.places(input)?).keep(self.keep))
    }

    /// The dimensions that are gone along, which PyTorch looks at first.
    fn places(&self, input: &RawTensor) -> Result<Vec<isize>> {
        let Some(dims) = self.dims.filter(|dims| !dims.is_empty()) else { return Ok((0..input.rank().cast_signed()).collect()) };
        let mut found = Vec::new();
        for &dim in dims {
            let place = wrap_dim(dim, input.rank())?.cast_signed();
            // One that counts from the end is found out later.
            if found.contains(&dim) {
                return Err(Error::runtime(format!("dim={dim} appears multiple times in the list of dims")));
            }
            found.push(place);
        }
        found.sort_unstable();
        Ok(found)
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
        let along = self.along(input)?;
        if reduction == Reduction::Sum {
            return seen("sum", &cast(input, dtype)?, self.mask, Unseen::Zero)?.reduced(reduction, &along.dtype(dtype))?.tensor();
        }
        let all = seen("prod", &cast(input, dtype)?, self.mask, Unseen::One)?;
        // PyTorch goes over the dimensions, of which there may be none, and forgets the dtype on the way.
        let none = input.rank() == 0 && self.dims.is_none_or(<[isize]>::is_empty);
        if none { all.tensor() } else { all.reduced(reduction, &along)?.tensor() }
    }

    /// What joins all elements, and its result in the dtype that is asked for, or in theirs.
    pub(super) fn joined(&self, name: &str, input: &RawTensor, reduction: Reduction, unseen: Unseen) -> Result<RawTensor> {
        let along = self.along(input)?;
        self.reduced(name, input, (reduction, &along), unseen)
    }

    /// The same of those that have an order, of which the mask is looked at first.
    pub(super) fn extreme(&self, name: &str, input: &RawTensor, reduction: Reduction, unseen: Unseen) -> Result<RawTensor> {
        self.check_mask(input)?;
        self.joined(name, input, reduction, unseen)
    }

    /// The place of one of them, along one dimension or among all elements.
    pub(super) fn place(&self, name: &str, input: &RawTensor, reduction: Reduction, unseen: Unseen) -> Result<RawTensor> {
        let along = self.dims.map_or_else(Along::all, Along::dims).keep(self.keep);
        self.reduced(name, input, (reduction, &along), unseen)
    }

    fn reduced(&self, name: &str, input: &RawTensor, (reduction, along): (Reduction, &Along), unseen: Unseen) -> Result<RawTensor> {
        let found = seen(name, input, self.mask, unseen)?.reduced(reduction, along)?;
        found.cast(self.dtype.unwrap_or(input.dtype())).tensor()
    }

    /// That a mask fits.
    fn check_mask(&self, input: &RawTensor) -> Result<()> {
        self.mask.map_or(Ok(()), |mask| fitted(input, mask).map(drop))
    }

    /// PyTorch's `masked.mean`.
    pub(super) fn mean(&self, input: &RawTensor) -> Result<RawTensor> {
        let dtype = self.dtype.unwrap_or(input.dtype());
        if dtype.is_integral() {
            let (found, which) = (dtype.name(), if self.dtype.is_some() { "Optional" } else { "Input" });
            return Err(Error::value(format!(
                "mean(): Could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: torch.{found}"
            )));
        }
        self.check_mask(input)?;
        let (input, along) = (cast(input, dtype)?, self.along(input)?);
        if self.mask.is_none() {
            return Value::from(input).reduced(Reduction::Mean, &along)?.tensor();
        }
        let total = seen("sum", &input, self.mask, Unseen::Zero)?.reduced(Reduction::Sum, &along)?;
        binary(Op::Div, &total, self.count(&input, &along)?).tensor()
    }

    /// PyTorch's `masked.var`, and `masked.std` with its root.
    pub(super) fn spread(&self, input: &RawTensor, unbiased: Option<bool>, correction: Option<f64>, root: bool) -> Result<RawTensor> {
        let correction = match (unbiased, correction) {
            (Some(_), Some(_)) => return Err(Error::runtime("Only one of unbiased and correction may be given")),
            (Some(unbiased), None) => f64::from(u8::from(unbiased)),
            (None, correction) => correction.unwrap_or(1.0),
        };
        self.check_mask(input)?;
        let along = self.along(input)?;
        let dtype = self.dtype.unwrap_or(inexact(input.dtype()));
        if input.dtype() == DType::Bool {
            return Err(Error::not_implemented(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or \
                 `logical_not()` operator instead.",
            ));
        }
        // The sum is one of that dtype, the rest is computed with what there is behind the point.
        let whole = along.clone().keep(Keep::Yes);
        let total = seen("sum", &cast(input, dtype)?, self.mask, Unseen::Zero)?.reduced(Reduction::Sum, &whole.clone().dtype(dtype))?;
        let input = cast(input, if dtype.is_integral() { inexact(input.dtype()) } else { dtype })?;
        let middle = binary(Op::Div, &total, self.count(&input, &whole)?);
        let off = Value::from(binary(Op::Sub, &Value::from(&input), middle).tensor()?);
        let off = seen("sum", &off.tensor()?, self.mask, Unseen::Zero)?;
        let squares = binary(Op::Mul, &off, if input.dtype().is_complex() { unary(Op::Conj, &off) } else { off.clone() });
        let squares = squares.reduced(Reduction::Sum, &along)?;
        let freedom = binary(Op::ClampMin, &binary(Op::Sub, &self.count(&input, &along)?, correction), 0);
        let found = binary(Op::Div, &squares, freedom).cast(dtype);
        (if root { unary(Op::Sqrt, &found) } else { found }).tensor()
    }

    /// PyTorch's `masked.norm`.
    pub(super) fn norm(&self, input: &RawTensor, order: f64) -> Result<RawTensor> {
        let unseen = if order == f64::NEG_INFINITY { Unseen::Most } else { Unseen::Zero };
        self.check_mask(input)?;
        let dims = self.places(input)?;
        let mut arguments = vec![Scalar::Float(order).into(), CallArgument::Ints(&dims), self.keep.into()];
        arguments.extend(self.dtype.map(CallArgument::from));
        seen("norm", input, self.mask, unseen)?.then(Function::LinalgVectorNormOf, &arguments)?.tensor()
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
    let norm = Masked { dims: Some(&[dim]), keep: Keep::Yes, dtype, mask }.norm(input, order)?;
    let input = cast(input, dtype.unwrap_or(input.dtype()))?;
    binary(Op::Div, &seen("sum", &input, mask, Unseen::Zero)?, binary(Op::Maximum, &norm.into(), eps)).tensor()
}

/// PyTorch's `masked.softmax` and `masked.cumsum` and their like: a call along a dimension of what counts.
pub(super) fn along(
    function: Function,
    (name, unseen): (&str, Unseen),
    input: &RawTensor,
    dim: isize,
    dtype: Option<DType>,
    mask: Option<&RawTensor>,
) -> Result<RawTensor> {
    wrap_dim(dim, input.rank())?;
    let seen = seen(name, input, mask, unseen)?.tensor()?;
    one(function, &[(&seen).into(), dim.into(), dtype.unwrap_or(input.dtype()).into()])
}

/// PyTorch's `masked.median`: the lower one in the middle of what counts and is a number. Of floats the dtype that is asked for says nothing.
pub(super) fn median(input: &RawTensor, dim: isize, keep: Keep, dtype: Option<DType>, mask: Option<&RawTensor>) -> Result<RawTensor> {
    wrap_dim(dim, input.rank())?;
    let whole = !input.dtype().is_floating_point();
    let own = dtype.filter(|_| whole).unwrap_or(input.dtype());
    if let (true, Some(mask)) = (whole, mask)
        && !fitted(input, mask)?.reduced(Reduction::Any, &Along::dims(&[dim]))?.everywhere()?
    {
        return Err(Error::value("masked median expects no fully masked out rows if dtype is not floating point"));
    }
    let x = if whole { cast(input, DType::F64)? } else { input.clone() };
    let x = match mask {
        Some(mask) => chosen(fitted(&x, mask)?, &x, f64::NAN).cast(x.dtype()).tensor()?,
        None => x,
    };
    let (values, _) = super::orders::nanmedian_along([Target::New; 2], &x, dim, keep)?;
    cast(&values, own)
}

/// PyTorch's `masked.logaddexp`, whose result has the dtype of the first operand.
pub(super) fn logaddexp([x, y]: [&RawTensor; 2], dtype: Option<DType>, [own, there]: [Option<&RawTensor>; 2]) -> Result<RawTensor> {
    let part = |of: &RawTensor, mask| seen("logaddexp", of, mask, Unseen::Least);
    binary(Op::Logaddexp, &part(x, own)?, part(y, there)?).cast(dtype.unwrap_or(x.dtype())).tensor()
}
