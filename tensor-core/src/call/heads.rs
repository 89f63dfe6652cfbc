//! Attention of several heads: projections, what each head sees, and one projection of what all of them found. What one head does is in
//! `attention`.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::attention::{Attention, attention};
use super::curves::chosen;
use super::value::{Value, binary};
use super::{CallArgument, Function, Outcome, one};
use crate::create::Options;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::Along;

/// What heads are told, in the order of PyTorch's arguments.
#[derive(Clone, Copy)]
pub(super) struct Heads<'a> {
    pub(super) size: isize,
    pub(super) count: isize,
    /// One weight for queries, keys and values, or one for each; and a bias for all of them.
    pub(super) weight: Option<&'a RawTensor>,
    pub(super) weights: Option<[Option<&'a RawTensor>; 3]>,
    pub(super) bias: Option<&'a RawTensor>,
    /// A key and a value that all see.
    pub(super) more: [Option<&'a RawTensor>; 2],
    /// Whether all see a key of zeros, too.
    pub(super) zeros: bool,
    pub(super) dropout: f64,
    pub(super) out: (&'a RawTensor, Option<&'a RawTensor>),
    /// Keys that nobody sees, and what each query sees.
    pub(super) padding: Option<&'a RawTensor>,
    pub(super) mask: Option<&'a RawTensor>,
    /// Whether the shares are asked for, and their mean over heads.
    pub(super) shares: bool,
    pub(super) mean: bool,
    /// Keys and values that are there already.
    pub(super) known: [Option<&'a RawTensor>; 2],
    pub(super) causal: bool,
}

fn refused<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::runtime(text))
}

fn shape(tensor: &RawTensor) -> String {
    format!("torch.Size({:?})", tensor.sizes())
}

fn reshaped(tensor: &RawTensor, sizes: &[isize]) -> Result<RawTensor> {
    one(Function::Reshape, &[tensor.into(), CallArgument::Ints(sizes)])
}

fn at(tensor: &RawTensor, dim: isize) -> Result<RawTensor> {
    one(Function::Unsqueeze, &[tensor.into(), dim.into()])
}

fn swapped(tensor: &RawTensor, first: isize, second: isize) -> Result<RawTensor> {
    one(Function::Transpose, &[tensor.into(), first.into(), second.into()])
}

fn joined(first: &RawTensor, second: &RawTensor, dim: isize) -> Result<RawTensor> {
    one(Function::Cat, &[CallArgument::Tensors(&[first, second]), dim.into()])
}

fn size(tensor: &RawTensor, dim: usize) -> isize {
    tensor.sizes()[dim].cast_signed()
}

/// What is added where a mask is false: nothing; and where it is true minus infinity. A mask of floats is that already.
fn added(name: &str, mask: &RawTensor, dtype: DType) -> Result<RawTensor> {
    if mask.dtype().is_floating_point() {
        return Ok(mask.clone());
    }
    if mask.dtype() != DType::Bool {
        return refused(format!("only bool and floating types of {name} are supported"));
    }
    chosen(mask.into(), f64::NEG_INFINITY, 0.0).cast(dtype).tensor()
}

/// One more key, which a mask doesn't hide.
fn wider(mask: Option<RawTensor>) -> Result<Option<RawTensor>> {
    mask.map(|mask| one(Function::ConstantPadNd, &[(&mask).into(), CallArgument::Ints(&[0, 1])])).transpose()
}

impl Heads<'_> {
    /// Whether there is a batch, of tensors whose dimensions go together.
    fn check(&self, [query, key, value]: [&RawTensor; 3]) -> Result<bool> {
        let rank = query.rank();
        let which = match rank {
            3 => "batched (3-D)",
            2 => "unbatched (2-D)",
            _ => return refused(format!("query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor")),
        };
        if key.rank() != rank || value.rank() != rank {
            let (own, there) = (key.rank(), value.rank());
            return refused(format!(
                "For {which} `query`, expected `key` and `value` to be {rank}-D but found {own}-D and {there}-D tensors respectively"
            ));
        }
        if let Some(found) = self.padding.map(RawTensor::rank).filter(|&found| found + 1 != rank) {
            let wanted = rank - 1;
            return refused(format!(
                "For {which} `query`, expected `key_padding_mask` to be `None` or {wanted}-D but found {found}-D tensor instead"
            ));
        }
        if let Some(found) = self.mask.map(RawTensor::rank).filter(|found| !(2..=3).contains(found)) {
            return refused(format!(
                "For {which} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {found}-D tensor instead"
            ));
        }
        Ok(rank == 3)
    }

    /// That the sizes are those of the heads.
    fn check_sizes(&self, [query, key, value]: [&RawTensor; 3]) -> Result<()> {
        let own = size(query, 2);
        if own != self.size {
            return refused(format!("was expecting embedding dimension of {}, but got {own}", self.size));
        }
        if self.count < 1 || own % self.count != 0 {
            return refused(format!("embed_dim {own} not divisible by num_heads {}", self.count));
        }
        if self.weights.is_none() && key.sizes() != value.sizes() {
            return refused(format!("key shape {} does not match value shape {}", shape(key), shape(value)));
        }
        if key.sizes()[..2] != value.sizes()[..2] {
            let (own, there) = (&key.sizes()[..2], &value.sizes()[..2]);
            return refused(format!("key's sequence and batch dims torch.Size({own:?}) do not match value's torch.Size({there:?})"));
        }
        Ok(())
    }

    /// Queries, keys and values as the heads have them.
    fn projected(&self, all: [&RawTensor; 3]) -> Result<[RawTensor; 3]> {
        let part = |of: &RawTensor, at: isize| {
            let rows = of.sizes().first().map_or(1, |size| size.cast_signed() / 3);
            one(Function::Narrow, &[of.into(), 0.into(), (at * rows).into(), rows.into()])
        };
        let one_of = |place: usize| {
            let at = place.cast_signed();
            let weight = match (self.weights, self.weight) {
                (None, Some(weight)) => part(weight, at)?,
                (None, None) => return refused("use_separate_proj_weight is False but in_proj_weight is None"),
                (Some(weights), _) => match weights[place] {
                    Some(weight) => weight.clone(),
                    None => {
                        let name = ["q", "k", "v"][place];
                        return refused(format!("use_separate_proj_weight is True but {name}_proj_weight is None"));
                    }
                },
            };
            let bias = self.bias.map(|bias| part(bias, at)).transpose()?;
            one(Function::Linear, &[all[place].into(), (&weight).into(), bias.as_ref().into()])
        };
        Ok([one_of(0)?, one_of(1)?, one_of(2)?])
    }

    /// What is added to scores, for each head of each sample or for all.
    fn seen(&self, [steps, batch, keys]: [isize; 3], dtype: DType) -> Result<Option<RawTensor>> {
        let Some(mask) = self.mask else { return Ok(None) };
        let mask = added("attn_mask", mask, dtype)?;
        let each = batch * self.count;
        let (wanted, whole) = if mask.rank() == 2 { (vec![steps, keys], at(&mask, 0)?) } else { (vec![each, steps, keys], mask.clone()) };
        if crate::views::signed(mask.sizes()) != wanted {
            let (rank, list) = (mask.rank(), super::windows::tuple(&wanted));
            return refused(format!("The shape of the {rank}D attn_mask is {}, but should be {list}.", shape(&mask)));
        }
        Ok(Some(whole))
    }

    /// A sequence with each head of each sample by itself.
    fn parted(&self, whole: &RawTensor, known: Option<&RawTensor>, name: &str) -> Result<RawTensor> {
        let (each, width) = (size(whole, 1) * self.count, self.size / self.count);
        let Some(known) = known else { return swapped(&reshaped(whole, &[size(whole, 0), each, width])?, 0, 1) };
        for (dim, wanted) in [(0, each), (2, width)] {
            if known.rank() != 3 || size(known, dim) != wanted {
                return refused(format!("expecting {name}.size({dim}) of {wanted}, but got {}", shape(known)));
            }
        }
        Ok(known.clone())
    }
}

/// PyTorch's `multi_head_attention_forward`: what heads found, and on request how much each key counted.
pub(super) fn multi_head_attention(all: [&RawTensor; 3], of: Heads<'_>) -> Result<Outcome> {
    let batched = of.check(all)?;
    let lifted = |tensor: &RawTensor| if batched { Ok(tensor.clone()) } else { at(tensor, 1) };
    let all = [lifted(all[0])?, lifted(all[1])?, lifted(all[2])?];
    let dtype = all[0].dtype();
    let [steps, batch] = [size(&all[0], 0), size(&all[0], 1)];
    if of.causal && of.mask.is_none() {
        return refused(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method `generate_square_subsequent_mask` to \
             create this mask.",
        );
    }
    let hint = of.causal && of.padding.is_none() && !of.shares;
    of.check_sizes(all.each_ref())?;
    let [query, mut key, mut value] = of.projected(all.each_ref())?;
    let mut mask = if hint { None } else { of.seen([steps, batch, size(&all[1], 0)], dtype)? };
    let mut padding = of.padding.map(|padding| added("key_padding_mask", padding, dtype)).transpose()?;
    match (of.more, of.known) {
        ([Some(more_keys), Some(more_values)], [None, None]) => {
            let repeated = |more: &RawTensor| one(Function::Repeat, &[more.into(), CallArgument::Ints(&[1, batch, 1])]);
            (key, value) = (joined(&key, &repeated(more_keys)?, 0)?, joined(&value, &repeated(more_values)?, 0)?);
            (mask, padding) = (wider(mask)?, wider(padding)?);
        }
        ([Some(_), Some(_)], [Some(_), _]) => return refused("bias cannot be added to static key."),
        ([Some(_), Some(_)], _) => return refused("bias cannot be added to static value."),
        ([Some(_), None], _) => return refused("bias_k is set but bias_v is None"),
        ([None, Some(_)], _) => return refused("bias_v is set but bias_k is None"),
        ([None, None], _) => {}
    }
    let query = of.parted(&query, None, "query")?;
    let [mut key, mut value] = [of.parted(&key, of.known[0], "static_k")?, of.parted(&value, of.known[1], "static_v")?];
    if of.zeros {
        let nothing = |like: &RawTensor| {
            let options = Options { dtype: Some(like.dtype()), device: Some(like.device()), format: None };
            RawTensor::zeros(&[like.sizes()[0], 1, like.sizes()[2]], &options)
        };
        (key, value) = (joined(&key, &nothing(&key)?, 1)?, joined(&value, &nothing(&value)?, 1)?);
        (mask, padding) = (wider(mask)?, wider(padding)?);
    }
    if let Some(padding) = padding {
        mask = Some(of.hidden(&padding, [batch, size(&key, 1)], mask)?);
    }
    of.found([&query, &key, &value], mask.as_ref(), [steps, batch], (hint, batched))
}

impl Heads<'_> {
    /// A mask that hides keys of whole samples, too.
    fn hidden(&self, padding: &RawTensor, [batch, keys]: [isize; 2], mask: Option<RawTensor>) -> Result<RawTensor> {
        if crate::views::signed(padding.sizes()).iter().product::<isize>() != batch * keys {
            let wanted = super::windows::tuple(&[batch, keys]);
            return refused(format!("Expected key_padded_mask.shape to be {wanted}, but got {}", shape(padding)));
        }
        let each = reshaped(padding, &[batch, 1, 1, keys])?;
        let each = one(Function::Expand, &[(&each).into(), CallArgument::Ints(&[-1, self.count, -1, -1])])?;
        let each = reshaped(&each, &[batch * self.count, 1, keys])?;
        mask.map_or(Ok(each.clone()), |mask| binary(Op::Add, &mask.into(), &each).tensor())
    }

    /// What the heads find.
    fn found(
        &self,
        [query, key, value]: [&RawTensor; 3],
        mask: Option<&RawTensor>,
        [steps, batch]: [isize; 2],
        (hint, batched): (bool, bool),
    ) -> Result<Outcome> {
        let (width, keys) = (size(query, 2), size(key, 1));
        let last = |found: &RawTensor| {
            let flat = reshaped(found, &[steps * batch, self.size])?;
            let found = one(Function::Linear, &[(&flat).into(), self.out.0.into(), self.out.1.into()])?;
            let found = reshaped(&found, &[steps, batch, size(&found, 1)])?;
            if batched { Ok(found) } else { one(Function::Select, &[(&found).into(), 1.into(), 0.into()]) }
        };
        if !self.shares {
            let each = |tensor: &RawTensor, length: isize| reshaped(tensor, &[batch, self.count, length, width]);
            let mask = match mask {
                Some(mask) if size(mask, 0) == 1 => Some(at(mask, 0)?),
                Some(mask) => Some(reshaped(mask, &[batch, self.count, -1, keys])?),
                None => None,
            };
            let how = Attention { dropout: self.dropout, causal: hint, scale: None, grouped: false };
            let found = attention([&each(query, steps)?, &each(key, keys)?, &each(value, keys)?], mask.as_ref(), how)?;
            let found = one(Function::Permute, &[(&found).into(), CallArgument::Ints(&[2, 0, 1, 3])])?;
            return last(&found).map(Outcome::Tensor);
        }
        let scaled = binary(Op::Mul, &query.into(), (1.0 / width as f64).sqrt()).tensor()?;
        let turned = swapped(key, -2, -1)?;
        let scores = match mask {
            Some(mask) => one(Function::Baddbmm, &[mask.into(), (&scaled).into(), (&turned).into()])?,
            None => one(Function::Bmm, &[(&scaled).into(), (&turned).into()])?,
        };
        let mut shares = one(Function::Softmax, &[(&scores).into(), CallArgument::Int(-1)])?;
        if self.dropout > 0.0 {
            shares = one(Function::Dropout, &[(&shares).into(), CallArgument::Number(self.dropout.into()), CallArgument::Flag(true)])?;
        }
        let found = last(&swapped(&one(Function::Bmm, &[(&shares).into(), value.into()])?, 0, 1)?)?;
        let mut shares = Value::from(reshaped(&shares, &[batch, self.count, steps, keys])?);
        if self.mean {
            shares = shares.reduced(Reduction::Mean, &Along::dims(&[1]))?;
        }
        if !batched {
            shares = shares.then(Function::Select, &[0.into(), 0.into()])?;
        }
        Ok(Outcome::pair_of((found, shares.tensor()?)))
    }
}
