//! Images of other sizes: adaptive pooling and interpolation. Each dimension is done by itself: places along it are chosen, and what they
//! have is joined.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::argument::UNSAID;
use super::blends::{Dimension, along, at_places};
use super::curves::chosen;
use super::outcome::Outcome;
use super::value::{Value, binary, unary};
use super::windows::{check_rank, check_room, each, rows, tuple, unsigned};
use super::{Call, CallArgument, Function, one, run};
use crate::element::{check_float, unsupported};
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::room::room;

/// Which numbers of a dimension each of the new ones is made of: as many for each as the widest has, and whether they count.
struct Spans {
    places: Vec<Vec<i64>>,
    counted: Vec<Vec<bool>>,
    widths: Vec<i64>,
}

/// Larger sizes are no integers.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// As adaptive pooling parts a dimension.
fn spans(size: usize, count: usize) -> Result<Spans> {
    room::<i64>(count)?;
    let bounds = |at: usize| (at * size / count, ((at + 1) * size).div_ceil(count));
    let widest = (0..count).map(|at| bounds(at).1 - bounds(at).0).max().unwrap_or(0);
    let place = |step: usize, at: usize| bounds(at).0 + step;
    Ok(Spans {
        places: (0..widest).map(|step| (0..count).map(|at| place(step, at).min(size - 1) as i64).collect()).collect(),
        counted: (0..widest).map(|step| (0..count).map(|at| place(step, at) < bounds(at).1).collect()).collect(),
        widths: (0..count).map(|at| (bounds(at).1 - bounds(at).0) as i64).collect(),
    })
}

/// That a list of sizes is shorter than the tensor's; one number is Python's number, which says nothing of dimensions.
fn check_listed(input: &RawTensor, output: &[isize]) -> Result<()> {
    if output.len() > 1 && input.rank() <= output.len() {
        return Err(Error::value(format!("Input dimension should be at least {}", output.len() + 1)));
    }
    Ok(())
}

/// The sizes that are asked for: of a dimension without one its own.
fn wanted(input: &RawTensor, output: &[isize], over: usize, refused: &str) -> Result<Vec<isize>> {
    let rank = input.rank();
    let mut sizes = each(output, over).ok_or_else(|| Error::runtime(format!("{refused} must be {over}")))?;
    for (at, size) in sizes.iter_mut().enumerate().filter(|(_, size)| **size == UNSAID) {
        *size = input.sizes().get((rank + at).wrapping_sub(over)).copied().unwrap_or(0).cast_signed();
    }
    Ok(sizes.to_vec())
}

/// That so many of the last dimensions have elements; the first one may have none.
fn check_pixels(name: &str, input: &RawTensor, last: usize) -> Result<()> {
    let sizes = input.sizes();
    match ((sizes.len() - last).max(1)..sizes.len()).find(|&at| sizes[at] == 0) {
        Some(at) => Err(Error::runtime(format!(
            "{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes {sizes:?} with dimension {at} being \
             empty"
        ))),
        None => Ok(()),
    }
}

/// Of one dimension pooling is that of images of one row.
fn as_images(name: &str, function: Function, input: &RawTensor, output: &[isize], rest: &[CallArgument<'_>]) -> Result<Outcome> {
    check_rank(name, input, 2)?;
    let &[count] = output else {
        return Err(Error::runtime(format!("{name}() argument 'output_size' should contain one int (got {})", output.len())));
    };
    if name.contains("max") {
        check_pixels(name, input, 2)?;
    }
    let images = one(Function::Unsqueeze, &[input.into(), CallArgument::Int(-2)])?;
    run(Call::new(function, &[&[(&images).into(), CallArgument::Ints(&[1, count])], rest].concat()))
}

/// PyTorch's `adaptive_avg_pool1d` to `adaptive_avg_pool3d`.
pub(super) fn adaptive_avg_pool(over: usize, input: &RawTensor, output: &[isize]) -> Result<RawTensor> {
    let name = ["", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"][over];
    if over == 1 {
        return rows(&as_images(name, Function::AdaptiveAvgPool2d, input, output, &[])?.one()?);
    }
    check_listed(input, output)?;
    let sizes = wanted(input, output, over, &format!("{name}: output_size"))?;
    if sizes.iter().any(|&size| size < 0) {
        let listed: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        // PyTorch writes one space less in the list of three.
        let listed = if over == 3 { format!("{}, {},{}", listed[0], listed[1], listed[2]) } else { listed.join(", ") };
        return Err(Error::runtime(format!(
            "{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
        )));
    }
    if sizes.iter().all(|&size| size == 1) {
        let dims: Vec<isize> = (1..=over.cast_signed()).map(|dim| -dim).collect();
        for &dim in dims.iter().rev() {
            input.size(dim)?;
        }
        return Value::from(input).reduced(Reduction::Mean, &Along::dims(&dims).keep(Keep::Yes))?.tensor();
    }
    let (rank, dtype, least) = (input.rank(), input.dtype(), over + 1);
    if rank != least && rank != least + 1 {
        let (most, sizes) = (least + 1, input.sizes());
        return Err(Error::runtime(format!("{name}(): Expected {least}D or {most}D tensor, but got {sizes:?}")));
    }
    check_pixels(name, input, over)?;
    let sizes: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    if !sizes.contains(&0) {
        check_float(if over == 3 { "adaptive_avg_pool3d_cpu" } else { name }, dtype)?;
    }
    check_room(&[&input.sizes()[..rank - over], &sizes].concat(), dtype)?;
    let mut x = Value::from(input).cast(dtype.computing());
    for (dim, &count) in (rank - over..).zip(&sizes) {
        let Spans { places, counted, widths } = spans(input.sizes()[dim], count)?;
        let mut sum: Option<Value> = None;
        let whole = Value::from(x.tensor()?);
        for (places, counted) in places.into_iter().zip(counted) {
            let all = counted.iter().all(|&counted| counted);
            let mut there = at_places(&whole, dim, places)?;
            if !all {
                there = chosen(along(counted, dim, rank, input)?.into(), there, 0.0);
            }
            sum = Some(match sum {
                Some(sum) => binary(Op::Add, &sum, there).settled()?,
                None => there,
            });
        }
        x = match sum {
            Some(sum) => binary(Op::Div, &sum, along(widths, dim, rank, input)?),
            None => at_places(&whole, dim, Vec::new())?,
        };
    }
    x.cast(dtype).tensor()
}

/// PyTorch's `adaptive_max_pool1d` to `adaptive_max_pool3d`: the largest numbers, and on request their places among the pixels.
pub(super) fn adaptive_max_pool(over: usize, input: &RawTensor, output: &[isize], with_places: bool) -> Result<Outcome> {
    let name = ["", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"][over];
    if over == 1 {
        let (values, places) = as_images(name, Function::AdaptiveMaxPool2d, input, output, &[true.into()])?.pair()?;
        let values = rows(&values)?;
        return Ok(if with_places { Outcome::pair_of((values, rows(&places)?)) } else { Outcome::Tensor(values) });
    }
    let (rank, dtype, least) = (input.rank(), input.dtype(), over + 1);
    check_listed(input, output)?;
    if rank != least && rank != least + 1 {
        let (most, sizes) = (least + 1, input.sizes());
        return Err(Error::runtime(format!("{name}(): Expected {least}D or {most}D tensor, but got: {sizes:?}")));
    }
    let sizes = wanted(input, output, over, &format!("{name}(): internal error: output_size.size()"))?;
    check_pixels(name, input, over + 1)?;
    if let Some(least) = sizes.iter().find(|&&size| size < 0) {
        let whole = [&crate::views::signed(&input.sizes()[..rank - over])[..], &sizes].concat();
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension {least}: {whole:?}")));
    }
    let sizes: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
    check_float(if over == 3 { "adaptive_max_pool3d_cpu" } else { name }, dtype)?;
    check_room(&[&input.sizes()[..rank - over], &sizes].concat(), DType::I64)?;
    // The places are found without gradients; the numbers are taken from there.
    let mut best = Value::from(input.detach());
    let mut found: Option<Value> = None;
    for (dim, &count) in (rank - over..rank).zip(&sizes).rev() {
        let Spans { places, counted, .. } = spans(input.sizes()[dim], count)?;
        let inner: usize = input.sizes()[dim + 1..].iter().product();
        let whole = Value::from(best.tensor()?);
        let mut top: Option<(Value, Value)> = None;
        for (places, counted) in places.into_iter().zip(counted) {
            let far: Vec<i64> = places.iter().map(|place| place * inner as i64).collect();
            let there = at_places(&whole, dim, places.clone())?;
            let mut own = Value::from(along(far, dim, rank, input)?);
            if let Some(found) = &found {
                own = binary(Op::Add, &own, at_places(found, dim, places)?);
            }
            top = Some(match top {
                None => (there, own),
                Some((best, at)) => {
                    let larger = binary(Op::LogicalOr, &binary(Op::Gt, &there, &best), unary(Op::Isnan, &there));
                    let better = binary(Op::LogicalAnd, &larger, along(counted, dim, rank, input)?);
                    (chosen(better.clone(), there, &best).tensor()?.into(), chosen(better, own, &at).tensor()?.into())
                }
            });
        }
        let (values, at) = match top {
            Some(top) => top,
            None => (at_places(&whole, dim, Vec::new())?, along(Vec::<i64>::new(), dim, rank, input)?.into()),
        };
        let wide = one(Function::ZerosLike, &[(&values.tensor()?).into(), DType::I64.into()])?;
        (best, found) = (values, Some(binary(Op::Add, &at, wide).tensor()?.into()));
    }
    let places = found.ok_or_else(|| Error::runtime("there is a dimension to pool over"))?.tensor()?;
    let outer: Vec<isize> = crate::views::signed(&input.sizes()[..rank - over]);
    let flat = |tensor: &RawTensor, inner: usize| {
        one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[&outer[..], &[inner.cast_signed()]].concat())])
    };
    let (all, made) = (input.sizes()[rank - over..].iter().product(), sizes.iter().product());
    let values = one(Function::Gather, &[(&flat(input, all)?).into(), CallArgument::Int(-1), (&flat(&places, made)?).into()])?;
    let shape: Vec<isize> = crate::views::signed(places.sizes());
    let values = one(Function::Reshape, &[(&values).into(), CallArgument::Ints(&shape)])?;
    Ok(if with_places { Outcome::pair_of((values, places)) } else { Outcome::Tensor(values) })
}

/// How an image gets another size.
#[derive(Clone, Copy)]
pub(super) struct Resampling<'a> {
    pub(super) size: Option<&'a [isize]>,
    pub(super) scale: Option<&'a [f64]>,
    pub(super) mode: &'a str,
    pub(super) align_corners: Option<bool>,
    pub(super) recompute: Option<bool>,
    pub(super) antialias: bool,
}

impl Resampling<'_> {
    /// The new sizes, and how far apart the places of the old ones lie, where that isn't known from both.
    fn sizes(&self, input: &RawTensor) -> Result<(Vec<isize>, Vec<Option<f64>>)> {
        let inner = input.sizes().get(2..).unwrap_or(&[]);
        let over = inner.len();
        match (self.size, self.scale) {
            (None, None) => Err(Error::value("either size or scale_factor should be defined")),
            (Some(_), Some(_)) => Err(Error::value("only one of size or scale_factor should be defined")),
            (Some(size), None) => {
                let Some(sizes) = each(size, over).filter(|_| size.len() == over || size.len() == 1) else {
                    let found = tuple(size);
                    return Err(Error::value(format!(
                        "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {inner:?} \
                         and output size of {found}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, \
                         ...,oK) format."
                    )));
                };
                Ok((sizes.to_vec(), vec![None; over]))
            }
            (None, Some(scale)) => {
                if scale.len() != over && scale.len() != 1 {
                    let found = tuple(scale);
                    return Err(Error::value(format!(
                        "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of \
                         {inner:?} and scale_factor of shape {found}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and \
                         scale_factor in (s1, s2, ...,sK) format."
                    )));
                }
                let factor = |dim: usize| if scale.len() == 1 { scale[0] } else { scale[dim] };
                let sizes: Vec<f64> = (0..over).map(|dim| (inner[dim] as f64 * factor(dim)).floor()).collect();
                if sizes.iter().any(|size| size.is_nan() || size.abs() >= TWO_TO_63) {
                    return Err(Error::runtime("value cannot be converted to type int64_t without overflow"));
                }
                let sizes = sizes.into_iter().map(|size| size as isize).collect();
                let known = self.recompute != Some(true);
                Ok((sizes, (0..over).map(|dim| known.then(|| 1.0 / factor(dim))).collect()))
            }
        }
    }

    /// That only what goes between pixels is told where the ends are.
    fn check_corners(&self) -> Result<()> {
        if ["nearest", "nearest-exact", "area"].contains(&self.mode) && self.align_corners.is_some() {
            return Err(Error::value(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
            ));
        }
        Ok(())
    }

    fn check(&self, input: &RawTensor) -> Result<()> {
        let modes = ["nearest", "nearest-exact", "area", "linear", "bilinear", "bicubic", "trilinear"];
        let known = modes.contains(&self.mode);
        let rank = input.rank();
        let (mode, needed) = (
            self.mode,
            match self.mode {
                "linear" => 3,
                "bilinear" | "bicubic" => 4,
                "trilinear" => 5,
                _ => rank,
            },
        );
        if !known || !(3..=5).contains(&rank) {
            return Err(Error::not_implemented(format!(
                "Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: nearest | linear | bilinear | bicubic | \
                 trilinear | lanczos | area | nearest-exact (got {mode})"
            )));
        }
        if rank != needed {
            return Err(Error::not_implemented(format!("Got {rank}D input, but {mode} mode needs {needed}D input")));
        }
        if self.antialias && !self.mode.starts_with("bi") {
            return Err(Error::value(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input",
            ));
        }
        Ok(())
    }
}

/// PyTorch's `interpolate`.
pub(super) fn interpolate(input: &RawTensor, by: Resampling<'_>) -> Result<RawTensor> {
    by.check_corners()?;
    by.sizes(input)?;
    by.check(input)?;
    let (sizes, steps) = by.sizes(input)?;
    if by.mode == "area" {
        let pool = [Function::AdaptiveAvgPool1d, Function::AdaptiveAvgPool2d, Function::AdaptiveAvgPool3d][sizes.len() - 1];
        return one(pool, &[input.into(), CallArgument::Ints(&sizes)]);
    }
    let inner = &crate::views::signed(input.sizes())[2..];
    let Some(made) = unsigned(&sizes).filter(|made| !made.contains(&0) && !inner.contains(&0)) else {
        let names = &["D", "H", "W"][3 - inner.len()..];
        let list = |sizes: &[isize]| names.iter().zip(sizes).map(|(name, size)| format!("{name}: {size}")).collect::<Vec<_>>().join(", ");
        let (own, made, and) = (list(inner), list(&sizes), if inner.len() == 1 { "and " } else { "" });
        return Err(Error::runtime(format!("Input and output sizes should be greater than 0, but got input ({own}) {and}output ({made})")));
    };
    resampled(input, &made, &steps, by)?.tensor()
}

/// An image of those sizes.
fn resampled(input: &RawTensor, sizes: &[usize], steps: &[Option<f64>], by: Resampling<'_>) -> Result<Value> {
    let dtype = input.dtype();
    check_room(&[&input.sizes()[..2], sizes].concat(), dtype)?;
    if dtype.is_integral() && dtype != DType::U8 || dtype == DType::Bool || dtype.is_complex() {
        let kernel = match (by.mode, input.rank()) {
            _ if by.antialias => "compute_index_ranges_weights",
            ("nearest" | "nearest-exact", 4) => "upsample_nearest2d_channels_last",
            ("nearest" | "nearest-exact", _) => "compute_indices_weights_nearest",
            ("bilinear", _) => "upsample_bilinear2d_channels_last",
            ("bicubic", _) => "compute_indices_weights_cubic",
            // others: lines of one dimension and of three.
            _ => "compute_indices_weights_linear",
        };
        return Err(unsupported(kernel, dtype));
    }
    let smooth = !by.mode.starts_with("nearest");
    // Bytes of images are summed as integers.
    let whole = dtype == DType::U8 && by.mode.starts_with("bi");
    let mut x = Value::from(input);
    if smooth {
        x = x.cast(if whole {
            DType::I32
        } else if dtype.is_integral() {
            DType::F32
        } else {
            dtype.computing()
        });
    }
    // They are rounded after each dimension, the last one first.
    for (at, (&size, step)) in sizes.iter().zip(steps).enumerate().rev() {
        let own = input.sizes()[2 + at];
        let step = if by.align_corners == Some(true) && smooth {
            if size > 1 { (own as f64 - 1.0) / (size as f64 - 1.0) } else { 0.0 }
        } else {
            step.unwrap_or(own as f64 / size as f64)
        };
        let aligned = by.align_corners == Some(true);
        let narrow = dtype != DType::F64 && !whole;
        let dimension = Dimension { own, size, step, narrow, cubic: by.mode == "bicubic", aligned, smooth: by.antialias };
        x = if !smooth {
            at_places(&x, 2 + at, nearest(dimension, by.mode))?
        } else if whole {
            dimension.blend().of_bytes(&x, 2 + at, input)?
        } else {
            dimension.blend().of(&x, 2 + at, input)?
        };
        if dtype.is_integral() && smooth && !whole {
            let rounded = unary(Op::Floor, &binary(Op::Add, &x, 0.5));
            x = binary(Op::ClampMax, &binary(Op::ClampMin, &rounded, 0.0), 255.0);
        }
    }
    Ok(if smooth { x.cast(dtype) } else { x })
}

/// The place that each number of a dimension is nearest to.
fn nearest(dimension: Dimension, mode: &str) -> Vec<i64> {
    let (last, step) = (dimension.own as i64 - 1, dimension.rounded(dimension.step) as f32);
    let half = if mode == "nearest" { 0.0 } else { 0.5 };
    (0..dimension.size).map(|at| (f64::from((at as f32 + half) * step).floor() as i64).min(last)).collect()
}

/// PyTorch's `_upsample_bilinear2d_aa`: an image of another size, of which each number is a sum of all that it stands for.
pub(super) fn smooth_bilinear(input: &RawTensor, size: Option<&[isize]>, aligned: bool, scales: &[Option<f64>]) -> Result<Value> {
    let sizes = input.sizes();
    let &[_, channels, height, width] = sizes else {
        return Err(Error::runtime(format!("It is expected input_size equals to 4, but got size {}", sizes.len())));
    };
    let scale = |dim: usize| scales.get(dim).copied().flatten();
    let wanted: Vec<isize> = match size {
        Some(size) => size.to_vec(),
        None => [height, width].iter().enumerate().map(|(dim, &own)| (own as f64 * scale(dim).unwrap_or(0.0)).floor() as isize).collect(),
    };
    if wanted.len() != 2 {
        return Err(Error::runtime(format!("It is expected output_size equals to 2, but got size {}", wanted.len())));
    }
    if height == 0 || width == 0 || wanted.iter().any(|&size| size <= 0) {
        let [high, wide] = [wanted[0], wanted[1]];
        return Err(Error::runtime(format!(
            "Input and output sizes should be greater than 0, but got input (H: {height}, W: {width}) output (H: {high}, W: {wide})"
        )));
    }
    if channels == 0 {
        return Err(Error::runtime(format!("Non-empty 4D data tensor expected but got a tensor with sizes {sizes:?}")));
    }
    let made: Vec<usize> = wanted.iter().map(|size| size.unsigned_abs()).collect();
    let steps = [0, 1].map(|dim| scale(dim).filter(|&scale| scale > 0.0).map(|scale| 1.0 / scale));
    let by = Resampling { size: None, scale: None, mode: "bilinear", align_corners: Some(aligned), recompute: None, antialias: true };
    resampled(input, &made, &steps, by)
}

/// The same, where either sizes or factors are given.
pub(super) fn smooth_bilinear_by(input: &RawTensor, size: Option<&[isize]>, aligned: bool, scales: Option<&[f64]>) -> Result<Value> {
    if size.is_some() == scales.is_some() {
        return Err(Error::runtime("Must specify exactly one of output_size and scale_factors"));
    }
    let scales: Vec<Option<f64>> = scales.unwrap_or_default().iter().copied().map(Some).collect();
    smooth_bilinear(input, size, aligned, &scales)
}
