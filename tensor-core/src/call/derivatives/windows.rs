//! The gradients of what goes over images in windows: columns and back, convolutions, pooling.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::super::argument::CallArgument;
use super::super::value::{Value, binary, unary};
use super::super::{Function, conj};
use super::views::{as_sized, reshaped};
use super::{one, zeros};
use crate::error::Result;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::views::signed;

/// Of columns that were taken out of an image: they are added in their places.
pub(super) fn of_columns(g: &RawTensor, sizes: &[usize], [kernel, dilation, padding, stride]: [&[isize]; 4]) -> Result<RawTensor> {
    let sizes = signed(sizes);
    one(Function::Col2im, &[g.into(), sizes[..].into(), kernel.into(), dilation.into(), padding.into(), stride.into()])
}

/// Of columns that were added to an image.
pub(super) fn to_columns(g: &RawTensor, [kernel, dilation, padding, stride]: [&[isize]; 4]) -> Result<RawTensor> {
    one(Function::Im2col, &[g.into(), kernel.into(), dilation.into(), padding.into(), stride.into()])
}

/// A convolution whose result has a gradient.
#[derive(Clone, Copy)]
pub(super) struct Convolved<'a> {
    pub(super) g: &'a RawTensor,
    pub(super) input: &'a RawTensor,
    pub(super) weight: &'a RawTensor,
    /// Stride, padding and dilation.
    pub(super) walk: [&'a [isize]; 3],
    pub(super) transposed: bool,
    pub(super) groups: isize,
}

impl Convolved<'_> {
    /// A number of the walk along a dimension.
    fn along(&self, which: usize, dim: usize) -> isize {
        let numbers = self.walk[which];
        if numbers.len() == 1 { numbers[0] } else { numbers.get(dim).copied().unwrap_or(0) }
    }

    /// The other kind of convolution with the same weight.
    pub(super) fn of_input(self) -> Result<RawTensor> {
        let (g, weight) = (self.g, conj(self.weight)?);
        let missing = |dim: usize| {
            let (own, there) = (g.sizes()[2 + dim].cast_signed(), self.input.sizes()[2 + dim].cast_signed());
            let reach = self.along(2, dim) * (weight.sizes()[2 + dim].cast_signed() - 1) + 1;
            there - ((own - 1) * self.along(0, dim) - 2 * self.along(1, dim) + reach)
        };
        let added: Vec<isize> = if self.transposed { vec![0] } else { (0..weight.rank() - 2).map(missing).collect() };
        let [stride, padding, dilation] = self.walk;
        let found = one(
            Function::Convolution,
            &[
                g.into(),
                (&weight).into(),
                CallArgument::None,
                stride.into(),
                padding.into(),
                dilation.into(),
                (!self.transposed).into(),
                added[..].into(),
                self.groups.into(),
            ],
        )?;
        narrowed_to(&found, &self.input.sizes()[2..])
    }

    /// The products of gradients with the columns that they come from, image by image.
    pub(super) fn of_weight(self) -> Result<RawTensor> {
        let (narrow, wide) = if self.transposed { (self.input, self.g) } else { (self.g, self.input) };
        let sizes = self.weight.sizes();
        let groups = self.groups;
        let (rows, columns) = (sizes[0].cast_signed() / groups, sizes[1..].iter().product::<usize>().cast_signed());
        let kernel = signed(&sizes[2..]);
        let [stride, padding, dilation] = self.walk;
        // A transposed convolution may have room for more windows than it has.
        let counts = signed(&narrow.sizes()[2..]);
        let room = |dim: usize| {
            let reach = self.along(2, dim) * (kernel[dim] - 1) + 1;
            (wide.sizes()[2 + dim].cast_signed() + 2 * self.along(1, dim) - reach) / self.along(0, dim) + 1
        };
        let all_counts: Vec<isize> = (0..kernel.len()).map(room).collect();
        let mut sum = zeros(self.g, &[groups.unsigned_abs(), rows.unsigned_abs(), columns.unsigned_abs()])?;
        for sample in 0..wide.sizes()[0].cast_signed() {
            let image = |tensor: &RawTensor| one(Function::Narrow, &[tensor.into(), 0.into(), sample.into(), 1.into()]);
            let mut all = to_columns(&image(wide)?, [&kernel, dilation, padding, stride])?;
            if all_counts != counts {
                let apart = reshaped(&all, &[&[1, groups * columns], &all_counts[..]].concat())?;
                all = narrowed_to(&apart, &narrow.sizes()[2..])?;
            }
            let all = reshaped(&all, &[groups, columns, -1])?;
            let own = reshaped(&image(narrow)?, &[groups, rows, -1])?;
            // Of transposed convolutions conjugates stand on the other side.
            let (own, all) = if self.transposed { (conj(&own)?, all) } else { (own, conj(&all)?) };
            let turned = one(Function::Transpose, &[(&all).into(), 1.into(), 2.into()])?;
            sum = one(Function::Baddbmm, &[(&sum).into(), (&own).into(), (&turned).into()])?;
        }
        as_sized(&sum, sizes)
    }
}

/// The first places along the dimensions behind samples and channels.
fn narrowed_to(tensor: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    let mut found = tensor.clone();
    for (dim, &size) in sizes.iter().enumerate() {
        if found.sizes()[2 + dim] != size {
            found = one(Function::Narrow, &[(&found).into(), (2 + dim.cast_signed()).into(), 0.into(), size.cast_signed().into()])?;
        }
    }
    Ok(found)
}

/// Of a number for each channel.
pub(super) fn of_bias(g: &RawTensor) -> Result<Value> {
    let dims: Vec<isize> = (0..g.rank().cast_signed()).filter(|&dim| dim != 1).collect();
    Value::from(g).reduced(Reduction::Sum, &Along::dims(&dims))
}

/// Of the largest numbers of windows: it goes to their places.
pub(super) fn of_max_pool(g: &RawTensor, sizes: &[usize], over: usize, places: &RawTensor) -> Result<RawTensor> {
    let (outer, inner) = sizes.split_at(sizes.len() - over);
    let whole = zeros(g, &[outer, &[inner.iter().product()]].concat())?;
    let flat = |tensor: &RawTensor| reshaped(tensor, &[&signed(outer)[..], &[-1]].concat());
    let (places, g) = (flat(places)?, flat(g)?);
    as_sized(&one(Function::ScatterAdd, &[(&whole).into(), CallArgument::Int(-1), (&places).into(), (&g).into()])?, sizes)
}

/// Of an element that several may be equal to: each has its share.
pub(super) fn evenly(g: &RawTensor, input: &RawTensor, result: &RawTensor) -> Result<Value> {
    let (x, r) = (Value::from(input), Value::from(result));
    let nans = binary(Op::LogicalAnd, &unary(Op::Isnan, &x), unary(Op::Isnan, &r));
    let same = Value::from(binary(Op::LogicalOr, &binary(Op::Eq, &x, &r), nans).tensor()?);
    let count = same.reduced(Reduction::Sum, &Along::all())?;
    Ok(binary(Op::Mul, &same, binary(Op::Div, &g.into(), count)))
}
