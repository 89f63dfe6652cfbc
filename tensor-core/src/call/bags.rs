//! Bags of embeddings: rows of a table, as many as each bag names, become one.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::losses::printed;
use super::value::{Value, binary};
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::indexing::{self, check_places, not_among};
use crate::raw::{RawTensor, type_name};
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;

/// What is said of bags.
#[derive(Clone, Copy)]
pub(super) struct Bags<'a> {
    pub(super) offsets: Option<&'a RawTensor>,
    pub(super) mode: &'a str,
    pub(super) weights: Option<&'a RawTensor>,
    /// Whether the last offset is where the last bag ends.
    pub(super) closed: bool,
    pub(super) padding: Option<isize>,
    pub(super) most: Option<(f64, f64)>,
}

/// Places of a table, and the bag that each belongs to.
struct BagPlaces {
    places: RawTensor,
    bags: RawTensor,
    count: usize,
}

impl Bags<'_> {
    /// What Python asks of the arguments, in its order.
    fn check(&self, input: &RawTensor, weight: &RawTensor) -> Result<()> {
        if let Some(weights) = self.weights.filter(|weights| weights.sizes() != input.sizes()) {
            let (own, there) = (printed(input.sizes()), printed(weights.sizes()));
            return Err(Error::value(format!(
                "embedding_bag: If per_sample_weights ({there}) is not None, then it must have the same shape as the input ({own})"
            )));
        }
        if weight.rank() != 2 {
            return Err(Error::value(format!("weight has to be a 2D Tensor, but got Tensor of dimension {}", weight.rank())));
        }
        match (input.rank(), self.offsets) {
            (2, None) => {}
            (2, Some(_)) => {
                return Err(Error::value(
                    "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>",
                ));
            }
            (1, None) => return Err(Error::value("offsets has to be a 1D Tensor but got None")),
            (1, Some(offsets)) if offsets.rank() != 1 => return Err(Error::value("offsets has to be a 1D Tensor")),
            (1, Some(_)) => {}
            (rank, _) => return Err(Error::value(format!("input has to be 1D or 2D Tensor, but got Tensor of dimension {rank}"))),
        }
        if !["sum", "mean", "max"].contains(&self.mode) {
            return Err(Error::value("mode has to be one of sum, mean or max"));
        }
        if self.weights.is_some() && self.mode != "sum" {
            let mode = self.mode;
            return Err(Error::not_implemented(format!(
                "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). \
                 Please open a feature request on GitHub."
            )));
        }
        Ok(())
    }

    fn named(&self, input: &RawTensor) -> Result<BagPlaces> {
        let options = Options { dtype: Some(DType::I64), device: Some(input.device()), format: None };
        let flat = |tensor: &RawTensor| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[-1])]);
        let places = flat(input)?;
        let places = if places.dtype() == DType::I64 { places } else { places.to_dtype(DType::I64)? };
        let numbers = RawTensor::arange(Scalar::Int(0), Scalar::from(places.numel()), Scalar::Int(1), &options)?;
        let Some(offsets) = self.offsets else {
            let (count, length) = (input.sizes()[0], input.sizes()[1]);
            let bags = binary(Op::DivFloor, &numbers.into(), Scalar::from(length.max(1))).tensor()?;
            return Ok(BagPlaces { places, bags, count });
        };
        if !offsets.dtype().is_integral() {
            return Err(not_among("#1 'indices'", "Long, Int", offsets, "embedding_bag"));
        }
        if self.closed && offsets.numel() == 0 {
            return Err(Error::runtime("include_last_offset: number of offset should be at least 1"));
        }
        let starts = offsets.to_dtype(DType::I64)?;
        if starts.numel() > 0 && !starts.is_meta() {
            let at = |place: isize| Ok::<_, Error>(one(Function::Select, &[(&starts).into(), 0.into(), place.into()])?.item()?.to_f64());
            let first = at(0)?;
            if first != 0.0 {
                return Err(Error::runtime(format!(
                    "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {first}"
                )));
            }
            let (last, length) = (at(-1)?, places.numel());
            if last > length as f64 {
                return Err(Error::runtime(format!(
                    "offsets[-1] can not be greater than input's length {length} but got offsets[-1] of {last}"
                )));
            }
        }
        let count = starts.numel() - usize::from(self.closed && starts.numel() > 0);
        if count == 0 {
            let none = places.narrow(0, 0, 0)?;
            return Ok(BagPlaces { bags: none.clone(), places: none, count });
        }
        let starts = starts.narrow(0, 0, count.cast_signed())?;
        // A place belongs to the last bag that begins at it or before it.
        let bags = binary(Op::Sub, &super::orders::found(&starts, &numbers, true)?.into(), 1).tensor()?;
        Ok(BagPlaces { places, bags, count })
    }

    /// That the row that counts as padding is one of the table.
    fn check_padding(&self, rows: usize) -> Result<()> {
        let rows = rows.cast_signed();
        match self.padding.filter(|padding| !(-rows..rows).contains(padding)) {
            Some(found) => {
                let last = rows - 1;
                Err(Error::runtime(format!("padding_idx must be within the number of embeddings, -{rows} through {last}, but got {found}")))
            }
            None => Ok(()),
        }
    }

    /// That weights are of the table's dtype.
    fn check_weights(&self, table: &RawTensor) -> Result<()> {
        let Some(weights) = self.weights.filter(|weights| weights.dtype() != table.dtype()) else { return Ok(()) };
        let (own, there) = (type_name(table), type_name(weights));
        Err(Error::runtime(format!(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {own} does \
             not equal {there} (while checking arguments for embedding_bag)"
        )))
    }

    /// What PyTorch says of the first place that the table doesn't have.
    fn misplaced(&self, error: Error, places: &RawTensor, table: &RawTensor) -> Error {
        let rows = table.sizes()[0] as i64;
        let wrong =
            places.numbers::<i64>().ok().and_then(|places| places.into_iter().enumerate().find(|(_, place)| !(0..rows).contains(place)));
        match wrong {
            None => error,
            Some((_, place)) if self.mode == "max" || table.dtype() == DType::F64 => {
                Error::runtime(format!("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {place}"))
            }
            Some((at, place)) => {
                Error::runtime(format!("Index {at} of input takes value {place} which is not in the valid range [0, {rows})"))
            }
        }
    }

    /// How much each place counts: not at all, where it is padding.
    fn counted(&self, places: &RawTensor, rows: usize) -> Option<Value> {
        let padding = self.padding?;
        let padding = if padding < 0 { padding + rows.cast_signed() } else { padding };
        Some(binary(Op::Ne, &places.into(), Scalar::Int(padding as i64)))
    }
}

/// Rows of a table that are named get a norm of at most a number, where they lie.
fn held_down(table: &RawTensor, places: &RawTensor, (most, norm): (f64, f64)) -> Result<()> {
    if places.numel() == 0 {
        return Ok(());
    }
    if !table.dtype().is_floating_point() && !table.dtype().is_complex() {
        let found = table.dtype().message_name();
        return Err(Error::not_implemented(format!(
            "norm(): input dtype should be either floating point or complex. Got {found} instead."
        )));
    }
    let known = table.detach();
    let none = one(Function::ZerosLike, &[(&one(Function::Select, &[(&known).into(), 1.into(), 0.into()])?).into(), DType::Bool.into()])?;
    let named = one(Function::IndexFill, &[(&none).into(), 0.into(), places.into(), Scalar::Bool(true).into()]);
    let named = named.map_err(|error| unnamed(error, table, places))?;
    let named = one(Function::Unsqueeze, &[(&named).into(), 1.into()])?;
    // The factor rounds from double precision to the table's.
    let norms = Value::from(&known).reduced(Reduction::Norm, &Along::dims(&[1]).keep(Keep::Yes).parameter(norm))?;
    let factor = binary(Op::Div, &most.into(), binary(Op::Add, &norms.cast(DType::F64), 1e-7)).cast(table.dtype());
    let factor = factor.cast(table.dtype().computing());
    let smaller = binary(Op::Mul, &Value::from(&known).cast(table.dtype().computing()), factor).cast(table.dtype());
    let too_large = binary(Op::LogicalAnd, &named.into(), binary(Op::Gt, &norms, most));
    let rows = chosen(too_large, smaller, &known).tensor()?;
    let mut place = known;
    super::run(super::Call::in_place(Function::Copy, &mut place, &[(&rows).into()])).map(drop)
}

/// What PyTorch says of the least place that a table doesn't have.
fn unnamed(error: Error, table: &RawTensor, places: &RawTensor) -> Error {
    let rows = table.sizes()[0] as i64;
    let wrong = places.numbers::<i64>().ok().and_then(|places| places.into_iter().filter(|place| !(-rows..rows).contains(place)).min());
    wrong.map_or(error, |place| {
        Error::index(format!("select(): index {place} out of range for tensor of size {:?} at dimension 0", table.sizes()))
    })
}

/// PyTorch's `embedding`: rows of a table, where those that are named may first get a norm of at most a number.
pub(super) fn embedding(places: &RawTensor, table: &RawTensor, padding: Option<isize>, most: Option<(f64, f64)>) -> Result<RawTensor> {
    if let Some(most) = most {
        let rank = table.rank();
        if rank != 2 {
            return Err(Error::runtime(format!(
                "Expected 2-dimensional tensor, but got {rank}-dimensional tensor for argument #1 'self' (while checking arguments for \
                 embedding_renorm_)"
            )));
        }
        check_places(places, 2, "embedding_renorm_")?;
        let places = &places.to_dtype(DType::I64)?;
        held_down(table, &one(Function::Reshape, &[places.into(), [-1_isize][..].into()])?, most)?;
    }
    indexing::embedding(places, table, padding)
}

/// PyTorch's `embedding_bag`.
pub(super) fn embedding_bag(input: &RawTensor, weight: &RawTensor, of: Bags<'_>) -> Result<RawTensor> {
    of.check(input, weight)?;
    of.check_padding(weight.sizes()[0])?;
    let dtype = weight.dtype();
    check_places(input, 1, "embedding_bag")?;
    if !dtype.is_computing() || !dtype.is_floating_point() {
        return Err(not_among("#1 'weight'", "Half, BFloat16, Float, Double", weight, "embedding_bag"));
    }
    let BagPlaces { places, bags, count } = of.named(input)?;
    of.check_weights(weight)?;
    if let Some(most) = of.most {
        held_down(weight, &places, most)?;
    }
    let found = one(Function::IndexSelect, &[weight.into(), 0.into(), (&places).into()]);
    let found = found.map_err(|error| of.misplaced(error, &places, weight))?;
    let mut found = Value::from(found).cast(dtype.computing());
    let column = |value: Value| value.then(Function::Unsqueeze, &[1.into()]);
    if let Some(weights) = of.weights.filter(|_| count > 0) {
        found = binary(
            Op::Mul,
            &found,
            column(Value::from(one(Function::Reshape, &[weights.into(), CallArgument::Ints(&[-1])])?).cast(dtype.computing()))?,
        );
    }
    let counted = of.counted(&places, weight.sizes()[0]);
    let width = weight.sizes()[1].cast_signed();
    let wide = one(Function::Unsqueeze, &[(&bags).into(), 1.into()])?;
    let wide = one(Function::Expand, &[(&wide).into(), CallArgument::Ints(&[-1, width])])?;
    let nothing = |dtype: DType| {
        RawTensor::zeros(&[count, weight.sizes()[1]], &Options { dtype: Some(dtype), device: Some(weight.device()), format: None })
    };
    if of.mode == "max" {
        if let Some(counted) = counted {
            found = chosen(column(counted)?, found, f64::NEG_INFINITY);
        }
        let found = found.tensor()?;
        let most = CallArgument::Text("amax");
        let none = nothing(dtype.computing())?;
        let joined = [(&none).into(), 0.into(), (&wide).into(), (&found).into(), most, CallArgument::Flag(false)];
        let joined = Value::from(one(Function::ScatterReduce, &joined)?);
        return chosen(binary(Op::Eq, &joined, f64::NEG_INFINITY), 0.0, &joined).cast(dtype).tensor();
    }
    if let Some(counted) = &counted {
        found = chosen(column(counted.clone())?, found, 0.0);
    }
    let found = found.tensor()?;
    let sums = one(Function::ScatterAdd, &[(&nothing(dtype.computing())?).into(), 0.into(), (&wide).into(), (&found).into()])?;
    if of.mode == "sum" {
        return Value::from(sums).cast(dtype).tensor();
    }
    let ones = match counted {
        Some(counted) => counted.cast(dtype.computing()).tensor()?,
        None => one(Function::OnesLike, &[(&bags).into(), dtype.computing().into()])?,
    };
    let none = RawTensor::zeros(&[count], &Options { dtype: Some(dtype.computing()), device: Some(weight.device()), format: None })?;
    let often = one(Function::ScatterAdd, &[(&none).into(), 0.into(), (&bags).into(), (&ones).into()])?;
    let often = column(binary(Op::ClampMin, &often.into(), 1))?;
    binary(Op::Div, &sums.into(), often).cast(dtype).tensor()
}
