//! `grid_sample`: what an image has at places between its pixels. Along each dimension a place has a few pixels beside it, and each of them a
//! share; all of their combinations are gathered and summed.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::curves::{beside, chosen};
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, named, one};
use crate::element::check_float;
use crate::error::{Error, Result};
use crate::geometry::numel;
use crate::raw::RawTensor;
use crate::room::room;
use crate::views::signed;

/// Which pixels count for a place, what lies outside, and whether the ends are the middles of pixels.
#[derive(Clone, Copy)]
pub(super) struct Sampling<'a> {
    pub(super) mode: &'a str,
    pub(super) outside: &'a str,
    pub(super) aligned: bool,
}

/// One pixel beside places along a dimension: where it is, and its share.
struct NearPixel {
    place: Value,
    share: Option<Value>,
}

impl Sampling<'_> {
    /// What numbers stand for in `grid_sampler_2d`.
    pub(super) fn numbered(mode: isize, outside: isize, aligned: bool) -> Self {
        let mode = ["bilinear", "nearest", "bicubic"].get(mode.unsigned_abs()).copied().unwrap_or("bilinear");
        let outside = ["zeros", "border", "reflection"].get(outside.unsigned_abs()).copied().unwrap_or("zeros");
        Self { mode, outside, aligned }
    }

    /// A place that lies inside; one that is no number becomes the first.
    fn clipped(&self, x: &Value, size: f64) -> Value {
        let number = chosen(unary(Op::Isnan, x), 0.0, x);
        binary(Op::ClampMax, &binary(Op::ClampMin, &number, 0.0), size - 1.0)
    }

    /// Where places lie, as what is outside is taken.
    fn inside(&self, x: Value, size: usize) -> Result<Value> {
        let length = size as f64;
        match self.outside {
            "border" => Ok(self.clipped(&x, length)),
            "reflection" => {
                let (low, span) = if self.aligned { (0.0, length - 1.0) } else { (-0.5, length) };
                if span == 0.0 {
                    return Ok(binary(Op::Mul, &x, 0.0));
                }
                let far = Value::from(unary(Op::Abs, &binary(Op::Sub, &x, low)).tensor()?);
                let rest = binary(Op::Fmod, &far, span);
                let times = unary(Op::Floor, &binary(Op::Div, &far, span));
                let even = binary(Op::Eq, &binary(Op::Fmod, &times, 2.0), 0.0);
                let there = chosen(even, binary(Op::Add, &rest, low), binary(Op::Sub, &Value::from(span + low), &rest));
                Ok(self.clipped(&Value::from(there.tensor()?), length))
            }
            _ => Ok(x),
        }
    }

    /// The pixels beside places along a dimension.
    fn taps(&self, x: &Value, size: usize) -> Result<Vec<NearPixel>> {
        if self.mode == "bicubic" {
            let first = Value::from(unary(Op::Floor, x).tensor()?);
            let off = Value::from(binary(Op::Sub, x, &first).tensor()?);
            let tap = |at: i32| {
                let place = Value::from(self.inside(binary(Op::Add, &first, f64::from(at)), size)?.tensor()?);
                let far = binary(Op::Sub, &off, f64::from(at));
                Ok(NearPixel { place, share: Some(Value::from(cubic(&unary(Op::Abs, &far), (0..=1).contains(&at)).tensor()?)) })
            };
            return (-1..=2).map(tap).collect();
        }
        let x = Value::from(self.inside(x.clone(), size)?.tensor()?);
        if self.mode == "nearest" {
            return Ok(vec![NearPixel { place: unary(Op::Round, &x), share: None }]);
        }
        let first = Value::from(unary(Op::Floor, &x).tensor()?);
        let second = Value::from(binary(Op::Add, &first, 1.0).tensor()?);
        let shares = [binary(Op::Sub, &second, &x), binary(Op::Sub, &x, &first)];
        let [near, far] = shares;
        Ok(vec![
            NearPixel { place: first, share: Some(Value::from(near.tensor()?)) },
            NearPixel { place: second, share: Some(Value::from(far.tensor()?)) },
        ])
    }
}

/// The share of a pixel that is so far away, as cubic curves have it.
fn cubic(far: &Value, near: bool) -> Value {
    const A: f64 = -0.75;
    let factors = if near { [A + 2.0, -(A + 3.0), 0.0, 1.0] } else { [A, -5.0 * A, 8.0 * A, -4.0 * A] };
    factors[1..].iter().fold(Value::from(factors[0]), |sum, &factor| binary(Op::Add, &binary(Op::Mul, far, sum), factor))
}

/// That a grid has places in as many dimensions, in PyTorch's order.
fn check(over: usize, input: &RawTensor, grid: &RawTensor, how: Sampling<'_>) -> Result<()> {
    if !["bilinear", "nearest", "bicubic"].contains(&how.mode) {
        let found = how.mode;
        return Err(Error::value(format!(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{found}'"
        )));
    }
    if !["zeros", "border", "reflection"].contains(&how.outside) {
        let found = how.outside;
        return Err(Error::value(format!(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{found}'"
        )));
    }
    let (own, there) = (input.sizes(), grid.sizes());
    let both = format!("but got input with sizes {own:?} and grid with sizes {there:?}");
    if input.size(0)? != grid.size(0)? {
        return Err(Error::runtime(format!("grid_sampler(): expected grid and input to have same batch size, {both}")));
    }
    let inner = own.len().cast_signed() - 2;
    if there.last().map(|size| size.cast_signed()) != Some(inner) {
        return Err(Error::runtime(format!(
            "grid_sampler(): expected grid to have size {inner} in last dimension, but got grid with sizes {there:?}"
        )));
    }
    if let Some(dim) = (2..own.len()).find(|&dim| own[dim] == 0) {
        return Err(Error::runtime(format!(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {own:?} with dimension {dim} being empty"
        )));
    }
    let rank = over + 2;
    if own.len() != rank || own.len() != there.len() {
        return Err(Error::runtime(format!("grid_sampler(): expected {rank}D input and grid with same number of dimensions, {both}")));
    }
    if input.dtype() != grid.dtype() {
        return Err(Error::runtime(format!("expected scalar type {} but found {}", named(input), named(grid))));
    }
    check_float(&format!("grid_sampler_{over}d_cpu_kernel_impl"), input.dtype())
}

/// PyTorch's `grid_sample`.
pub(super) fn grid_sample(input: &RawTensor, grid: &RawTensor, how: Sampling<'_>) -> Result<RawTensor> {
    grid_sampler(if input.rank() == 4 { 2 } else { 3 }, input, grid, how)
}

/// PyTorch's `grid_sampler_2d` and `grid_sampler_3d`.
pub(super) fn grid_sampler(over: usize, input: &RawTensor, grid: &RawTensor, how: Sampling<'_>) -> Result<RawTensor> {
    check(over, input, grid, how)?;
    let dtype = input.dtype();
    let wide = dtype.computing();
    let sizes = signed(input.sizes());
    let (batch, channels) = (sizes[0], sizes[1]);
    let spatial = &input.sizes()[2..];
    let count = grid.sizes()[1..=over].iter().product::<usize>().cast_signed();
    let ints = |tensor: &RawTensor, sizes: &[isize]| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(sizes)]);
    let pixels = spatial.iter().product::<usize>().cast_signed();
    let flat = ints(&Value::from(input).cast(wide).tensor()?, &[batch, channels, pixels])?;
    let places = ints(&Value::from(grid).cast(wide).tensor()?, &[batch, 1, count, over.cast_signed()])?;
    let (mut taps, mut no_share) = (Vec::new(), None);
    for (dim, &size) in spatial.iter().enumerate() {
        let own = (over - 1 - dim).cast_signed();
        let x = Value::from(one(Function::Select, &[(&places).into(), CallArgument::Int(-1), own.into()])?);
        let half = if how.aligned { (size as f64 - 1.0) / 2.0 } else { size as f64 / 2.0 };
        let middle = binary(Op::Mul, &binary(Op::Add, &x, 1.0), half);
        let middle = if how.aligned { middle } else { binary(Op::Sub, &middle, 0.5) };
        let middle = Value::from(middle.tensor()?);
        taps.push(how.taps(&middle, size)?);
        // The nearest pixel stays it: the gradient of places is zeros.
        no_share = (how.mode == "nearest").then_some(middle);
    }
    let mut sum: Option<Value> = None;
    for at in 0..taps.iter().map(Vec::len).product::<usize>() {
        let (mut rest, mut index, mut seen, mut share) = (at, Value::from(0.0), Value::from(true), None::<Value>);
        for (taps, &size) in taps.iter().zip(spatial) {
            let tap = &taps[rest % taps.len()];
            rest /= taps.len();
            let inside = binary(Op::LogicalAnd, &binary(Op::Ge, &tap.place, 0.0), binary(Op::Lt, &tap.place, size as f64));
            let place = chosen(inside.clone(), &tap.place, 0.0).cast(DType::I64);
            index = Value::from(binary(Op::Add, &binary(Op::Mul, &index, size as f64).cast(DType::I64), place).tensor()?);
            seen = Value::from(binary(Op::LogicalAnd, &inside, seen).tensor()?);
            share = match (share, &tap.share) {
                (Some(share), Some(own)) => Some(binary(Op::Mul, &share, own)),
                (share, own) => share.or_else(|| own.clone()),
            };
        }
        let index = index.then(Function::Expand, &[CallArgument::Ints(&[batch, channels, count])])?.tensor()?;
        let there = Value::from(one(Function::Gather, &[(&flat).into(), 2.into(), (&index).into()])?);
        let there = share.map_or(there.clone(), |share| binary(Op::Mul, &there, share));
        let outside = no_share.clone().map_or_else(|| Value::from(0.0), |x| beside(0.0, x));
        let there = chosen(seen, there, outside);
        sum = Some(match sum {
            Some(sum) => binary(Op::Add, &sum, there).settled()?,
            None => there,
        });
    }
    let sum = sum.ok_or_else(|| Error::runtime("places have pixels beside them"))?.cast(dtype).tensor()?;
    let out = [&sizes[..2], &signed(&grid.sizes()[1..=over])].concat();
    ints(&sum, &out)
}

/// PyTorch's `affine_grid`: for each pixel of an image of those sizes the place in another one that a matrix makes of it.
pub(super) fn affine_grid(matrices: &RawTensor, sizes: &[isize], aligned: bool) -> Result<RawTensor> {
    if !matrices.dtype().is_floating_point() {
        let found = matrices.dtype();
        return Err(Error::value(format!("Expected theta to have floating point type, but got torch.{}", found.name())));
    }
    let list = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let over = match sizes.len() {
        4 => 2,
        5 => 3,
        _ => {
            return Err(Error::not_implemented(format!(
                "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size ({list})."
            )));
        }
    };
    let [batch, rows, columns] = match *matrices.sizes() {
        [batch, rows, columns] if [rows, columns] == [over, over + 1] => [batch, rows, columns].map(usize::cast_signed),
        ref found => {
            let next = over + 1;
            return Err(Error::value(format!(
                "Expected a batch of {over}D affine matrices of shape Nx{over}x{next} for size ({list}). Got torch.Size({found:?})."
            )));
        }
    };
    if sizes.iter().any(|&size| size <= 0) {
        return Err(Error::value(format!("Expected non-zero, positive output size. Got ({list})")));
    }
    if sizes[0] != batch {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {columns}] but got: [{batch}, {columns}].",
            sizes[0]
        )));
    }
    let spatial: Vec<usize> = sizes[2..].iter().map(|size| size.unsigned_abs()).collect();
    let pixels = numel(&spatial)?;
    // Between -1 and 1 along each dimension, the last one first; and a one, so that the matrix adds.
    let place = |at: usize, size: usize| match (size, aligned) {
        (1, _) => 0.0,
        (_, true) => 2.0 * at as f64 / (size - 1) as f64 - 1.0,
        (_, false) => (2 * at + 1) as f64 / size as f64 - 1.0,
    };
    let mut places = room(pixels.saturating_mul(over + 1))?;
    for pixel in 0..pixels {
        let mut rest = pixel;
        for &size in spatial.iter().rev() {
            places.push(place(rest % size, size));
            rest /= size;
        }
        places.push(1.0);
    }
    let all = RawTensor::from_vec::<f64>(places, &[pixels, over + 1])?.to_dtype(matrices.dtype())?.to_device(matrices.device())?;
    let turned = one(Function::Transpose, &[matrices.into(), 1.into(), 2.into()])?;
    let found = one(Function::Matmul, &[(&all).into(), (&turned).into()])?;
    one(Function::Reshape, &[(&found).into(), CallArgument::Ints(&[&[batch], &sizes[2..], &[rows]].concat())])
}
