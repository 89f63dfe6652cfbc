//! Pooling: the largest number of each window and its place, or the mean, over windows of one size or of as many as are asked for. All windows
//! are looked at together, place by place: so the numbers of one place are a view, and runs of them one pass.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::curves::chosen;
use super::outcome::Outcome;
use super::value::{Value, binary, unary};
use super::windows::{Dims, Windows, check_rank, each, padded, rows, unsigned};
use super::{Call, CallArgument, Function, one, run};
use crate::create::Options;
use crate::element::{check_float, unsupported};
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::views::signed;

/// What pooling is told.
#[derive(Clone, Copy)]
pub(super) struct Pooling<'a> {
    pub(super) kernel: &'a [isize],
    pub(super) stride: &'a [isize],
    pub(super) padding: &'a [isize],
    pub(super) dilation: &'a [isize],
    pub(super) ceil: bool,
}

/// Windows over the last dimensions of a tensor, and how many there are.
struct PoolLayout {
    windows: Windows,
    counts: Dims,
}

/// Numbers as PyTorch computes with them there.
fn narrow(numbers: SmallVec<[isize; 6]>) -> Result<SmallVec<[isize; 6]>> {
    let fit = numbers.iter().all(|&number| i32::try_from(number).is_ok());
    if fit { Ok(numbers) } else { Err(Error::runtime("value cannot be converted to type int without overflow")) }
}

impl Pooling<'_> {
    fn layout(&self, name: &str, input: &RawTensor, over: usize) -> Result<PoolLayout> {
        let numbers = |what: &str, numbers: &[isize]| {
            let numbers = each(numbers, over).ok_or_else(|| {
                let must = match (name, what) {
                    ("avg_pool3d", "stride") => "must be omitted,",
                    ("avg_pool3d", _) => "must be",
                    (_, "stride") => "must either be omitted,",
                    (_, "dilation") => "must be either",
                    _ => "must either be",
                };
                let count = if over == 2 { "two" } else { "three" };
                Error::runtime(format!("{name}: {what} {must} a single int, or a tuple of {count} ints"))
            })?;
            if over > 1 { narrow(numbers) } else { Ok(numbers) }
        };
        let kernel = numbers("kernel_size", self.kernel)?;
        let stride = if self.stride.is_empty() { kernel.clone() } else { numbers("stride", self.stride)? };
        let (padding, dilation) = (numbers("padding", self.padding)?, numbers("dilation", self.dilation)?);
        let is_max = name.starts_with("max");
        if (is_max || over == 3) && ![over + 1, over + 2].contains(&input.rank()) {
            let (least, most) = (over + 1, over + 2);
            return Err(Error::runtime(format!("non-empty {least}D or {most}D (batch mode) tensor expected for input")));
        }
        if over == 2 && !is_max {
            input.size(-3)?;
        }
        check_windows(&kernel, &stride, &padding, &dilation)?;
        let [kernel, stride, padding, dilation] = [narrow(kernel)?, narrow(stride)?, narrow(padding)?, narrow(dilation)?];
        check_image(name, input, over)?;
        let known = |numbers: &[isize]| unsigned(numbers).unwrap_or_default();
        let windows = Windows { kernel: known(&kernel), stride: known(&stride), padding: known(&padding), dilation: known(&dilation) };
        let sizes = &input.sizes()[input.rank() - over..];
        let counts: Vec<isize> = (0..over).map(|dim| self.count(&windows, dim, sizes[dim])).collect();
        if counts.iter().any(|&count| count < 1) {
            let channels = input.sizes()[input.rank() - over - 1];
            let times = |first: usize, rest: &[isize]| {
                [&[first.cast_signed()], rest].concat().iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
            };
            // One dimension is the last of two.
            let image = |numbers: &[isize]| times(channels, &[&[1][..usize::from(over == 1)], numbers].concat());
            let (own, made) = (image(&signed(sizes)), image(&counts));
            return Err(Error::runtime(format!("Given input size: ({own}). Calculated output size: ({made}). Output size is too small")));
        }
        Ok(PoolLayout { windows, counts: known(&counts) })
    }

    /// How many windows there are: on request also one that begins inside and ends outside.
    fn count(&self, windows: &Windows, dim: usize, size: usize) -> isize {
        let (stride, padding) = (windows.stride[dim].cast_signed(), windows.padding[dim].cast_signed());
        let size = size.cast_signed();
        let room = size.saturating_add(padding.saturating_mul(2)).saturating_sub(windows.extent(dim).cast_signed());
        if !self.ceil {
            return room.div_euclid(stride) + 1;
        }
        // As PyTorch's integers do, whose wraps are refused as sizes.
        let count = room.wrapping_add(stride - 1).div_euclid(stride) + 1;
        if (count - 1).wrapping_mul(stride) >= size.saturating_add(padding) { count - 1 } else { count }
    }
}

impl PoolLayout {
    /// The tensor with numbers around it, as far as windows reach.
    fn padded(&self, input: &RawTensor, number: Scalar) -> Result<RawTensor> {
        let sizes = &input.sizes()[input.rank() - self.counts.len()..];
        let behind: Dims = (0..self.counts.len())
            .map(|dim| {
                let needed = (self.counts[dim] - 1) * self.windows.stride[dim] + self.windows.extent(dim);
                needed.saturating_sub(sizes[dim] + self.windows.padding[dim])
            })
            .collect();
        padded(input, &self.windows.padding, &behind, number)
    }
}

/// The smallest number of a dtype.
fn least(dtype: DType) -> Scalar {
    if dtype.is_integral() {
        crate::dtype::iinfo(dtype).map_or(Scalar::Int(0), |info| Scalar::Int(i64::try_from(info.min).unwrap_or(i64::MIN)))
    } else {
        Scalar::Float(f64::NEG_INFINITY)
    }
}

/// That a tensor has channels and pixels, and some of them.
fn check_image(name: &str, input: &RawTensor, over: usize) -> Result<()> {
    let (rank, sizes) = (input.rank(), input.sizes());
    let has_rank = rank == over + 1 || rank == over + 2;
    let empty = has_rank && sizes[rank - over - 1..].contains(&0);
    if has_rank && !empty {
        return Ok(());
    }
    let written = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Err(Error::runtime(match (over, name.starts_with("max")) {
        (3, is_max) if empty => {
            let at = (rank - over - 1..rank).find(|&at| sizes[at] == 0).unwrap_or(0);
            let name = if is_max { "max_pool3d_with_indices_out_cpu_template" } else { name };
            format!(
                "{name}(): Expected input to have non-zero size for non-batch dimensions, but input has \
                 sizes [{written}] with dimension {at} being empty"
            )
        }
        (3, _) => "non-empty 4D or 5D (batch mode) tensor expected for input".to_owned(),
        (2, _) => format!("Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[{written}]"),
        _ => format!("{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[{written}]"),
    }))
}

/// That windows have sizes and steps, and begin inside, in PyTorch's order: first what their count follows from.
fn check_windows(kernel: &[isize], stride: &[isize], padding: &[isize], dilation: &[isize]) -> Result<()> {
    for (dim, &size) in kernel.iter().enumerate() {
        let (pad, apart) = (padding[dim], dilation[dim]);
        if stride[dim] == 0 {
            return Err(Error::runtime("stride should not be zero"));
        }
        if pad < 0 {
            return Err(Error::runtime(format!("pad must be non-negative, but got pad: {pad}")));
        }
        let Some(reach) = size.saturating_sub(1).checked_mul(apart).and_then(|reach| reach.checked_add(1)) else {
            return Err(Error::runtime(format!("effective kernel size overflows, but got kernel_size={size} and dilation={apart}")));
        };
        if pad > reach / 2 {
            return Err(Error::runtime(format!(
                "pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={size} and dilation={apart}"
            )));
        }
    }
    for (what, letter, numbers) in [("kernel size", "k", kernel), ("stride", "d", stride), ("dilation", "dilation", dilation)] {
        if numbers.iter().any(|&number| number <= 0) {
            let named = "THW"[3 - numbers.len()..].chars().zip(numbers).map(|(dim, number)| format!("{letter}{dim}: {number}"));
            let named = named.collect::<Vec<_>>().join(" ");
            return Err(Error::runtime(format!("{what} should be greater than zero, but got {named}")));
        }
    }
    Ok(())
}

/// What PyTorch's `max_pool1d` asks where it has no places to find.
fn check_max_pool1d(input: &RawTensor, pool: Pooling<'_>) -> Result<()> {
    check_image("max_pool1d", input, 1)?;
    let refused = |text: String| Err(Error::runtime(format!("max_pool1d() {text}")));
    let numbers = [
        ("kernel_size", "an int, list of ints", pool.kernel),
        ("stride", "None, an int, list of ints,", if pool.stride.is_empty() { pool.kernel } else { pool.stride }),
        ("padding", "an int, list of ints,", pool.padding),
        ("dilation", "an int, list of ints", pool.dilation),
    ];
    if let Some((what, kinds, numbers)) = numbers.iter().find(|(.., numbers)| numbers.len() != 1) {
        return refused(format!("{what} must be {kinds} or tuple of ints of size 1 but got size {}", numbers.len()));
    }
    let [kernel, stride, pad, apart] = numbers.map(|(.., numbers)| numbers[0]);
    for (what, number) in [("kernel_size", kernel), ("stride", stride)] {
        if number <= 0 {
            return refused(format!("{what} must be greater than zero, but got {number}"));
        }
    }
    if pad < 0 {
        return refused(format!("padding must be non-negative, but got {pad}"));
    }
    if pad > kernel / 2 {
        return refused(format!("padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}"));
    }
    if apart <= 0 {
        return refused(format!("dilation must be greater than zero, but got {apart}"));
    }
    let [kernel, stride, padding, dilation] = [kernel, stride, pad, apart].map(|number| unsigned(&[number]).unwrap_or_default());
    let count = pool.count(&Windows { kernel, stride, padding, dilation }, 0, input.sizes()[input.rank() - 1]);
    if count < 1 { refused(format!("Invalid computed output size: {count}")) } else { Ok(()) }
}

/// What pools of one dimension are as pools of two: images of one row.
struct AsRow<'a> {
    images: RawTensor,
    kernel: [isize; 2],
    stride: Vec<isize>,
    padding: [isize; 2],
    dilation: [isize; 2],
    of: Pooling<'a>,
}

impl<'a> AsRow<'a> {
    fn new(name: &str, input: &RawTensor, of: Pooling<'a>) -> Result<Self> {
        check_rank(name, input, 2)?;
        let only = |what: &str, numbers: &[isize], beside: isize| match numbers {
            &[only] => Ok([beside, only]),
            _ => Err(Error::runtime(format!("{name}() argument '{what}' should contain one int (got {})", numbers.len()))),
        };
        let kernel = only("kernel_size", of.kernel, 1)?;
        let stride = if of.stride.is_empty() { Vec::new() } else { only("stride", of.stride, 1)?.to_vec() };
        let (padding, dilation) = (only("padding", of.padding, 0)?, only("dilation", of.dilation, 1)?);
        let images = one(Function::Unsqueeze, &[input.into(), CallArgument::Int(-2)])?;
        Ok(Self { images, kernel, stride, padding, dilation, of })
    }

    fn pool(&self) -> Pooling<'_> {
        Pooling { kernel: &self.kernel, stride: &self.stride, padding: &self.padding, dilation: &self.dilation, ceil: self.of.ceil }
    }
}

/// PyTorch's `max_pool2d_with_indices` and its kin: the largest number of each window, and its place among the pixels. A NaN is the largest.
pub(super) fn max_pool_with_places(over: usize, input: &RawTensor, pool: Pooling<'_>) -> Result<(RawTensor, RawTensor)> {
    let name = ["", "max_pool1d", "max_pool2d", "max_pool3d"][over];
    if over == 1 {
        let row = AsRow::new(name, input, pool)?;
        let (values, places) = max_pool_with_places(2, &row.images, row.pool())?;
        return Ok((rows(&values)?, rows(&places)?));
    }
    let layout = pool.layout(name, input, over)?;
    if input.dtype().is_complex() || input.dtype() == DType::Bool {
        return Err(unsupported(name, input.dtype()));
    }
    let sizes: Dims = input.sizes()[input.rank() - over..].into();
    let whole = layout.padded(input, least(input.dtype()))?;
    // Places count from the one that a window begins at, which may lie outside.
    let inner = |dim: usize| sizes[dim + 1..].iter().product::<usize>();
    let (mut starts, mut clipped) = (Value::from(0), Value::from(0));
    for dim in 0..over {
        let (from, inside) = layout.starts(dim, input)?;
        let far = Scalar::from(inner(dim));
        starts = binary(Op::Add, &starts, binary(Op::Mul, &from.into(), far));
        clipped = binary(Op::Add, &clipped, binary(Op::Mul, &inside.into(), far));
    }
    let starts = Value::from(starts.tensor()?);
    let out = [&input.sizes()[..input.rank() - over], &layout.counts[..]].concat();
    let wide = |tensor: RawTensor| tensor.expand(&signed(&out)).map(Value::from);
    let mut places = wide(binary(Op::Sub, &clipped, &starts).tensor()?)?;
    let lowest = RawTensor::full(&[], least(input.dtype()), &options(input, input.dtype()))?;
    let mut best = wide(lowest)?;
    for (number, place) in layout.windows.places()?.iter().enumerate() {
        let there = Value::from(layout.windows.at(&whole, place, &layout.counts)?);
        let far: usize = (0..over).map(|dim| place[dim] * layout.windows.dilation[dim] * inner(dim)).sum();
        let mut better = binary(Op::Gt, &there, &best);
        if input.dtype().is_floating_point() {
            better = binary(Op::LogicalOr, &better, unary(Op::Isnan, &there));
        }
        places = chosen(better.clone(), Scalar::from(far), &places);
        best = chosen(better, there, &best);
        if number % 4 == 3 {
            [best, places] = settled(&[best, places])?;
        }
    }
    places = binary(Op::Add, &places, &starts);
    let [best, places] = settled(&[best, places])?;
    Ok((best.tensor()?, places.tensor()?))
}

/// Both values, computed in one pass.
fn settled(values: &[Value; 2]) -> Result<[Value; 2]> {
    let mut tensors = Value::tensors(values)?.into_iter().map(Value::from);
    match (tensors.next(), tensors.next()) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(Error::runtime("two values were computed")),
    }
}

fn options(input: &RawTensor, dtype: DType) -> Options {
    Options { dtype: Some(dtype), device: Some(input.device()), format: None }
}

/// Numbers along one of the last dimensions.
fn along(numbers: Vec<i64>, dim: usize, over: usize, input: &RawTensor) -> Result<RawTensor> {
    let mut sizes = vec![1; over];
    sizes[dim] = numbers.len();
    RawTensor::from_vec(numbers, &sizes)?.to_device(input.device())
}

impl PoolLayout {
    /// Where windows begin along a dimension, and the first place in each that lies inside.
    fn starts(&self, dim: usize, input: &RawTensor) -> Result<(RawTensor, RawTensor)> {
        let over = self.counts.len();
        let [stride, padding, apart] =
            [self.windows.stride[dim], self.windows.padding[dim], self.windows.dilation[dim]].map(|number| number as i64);
        let start = |at: usize| at as i64 * stride - padding;
        let inside = |start: i64| if start < 0 { start + (-start + apart - 1) / apart * apart } else { start };
        let all = (0..self.counts[dim]).map(start);
        Ok((along(all.clone().collect(), dim, over, input)?, along(all.map(inside).collect(), dim, over, input)?))
    }
}

/// PyTorch's `max_pool1d`, `max_pool2d` and `max_pool3d`.
pub(super) fn max_pool(over: usize, input: &RawTensor, pool: Pooling<'_>, places: bool) -> Result<Outcome> {
    let name = ["", "max_pool1d", "max_pool2d", "max_pool3d"][over];
    if over == 1 && !places {
        check_max_pool1d(input, pool)?;
        check_float("max_pool1d_impl", input.dtype())?;
    }
    if places || input.is_concerned() || input.dtype().is_complex() || input.dtype() == DType::Bool {
        let with_places = [
            Function::MaxPool1dWithIndices,
            Function::MaxPool1dWithIndices,
            Function::MaxPool2dWithIndices,
            Function::MaxPool3dWithIndices,
        ];
        let arguments = [input.into(), pool.kernel.into(), pool.stride.into(), pool.padding.into(), pool.dilation.into(), pool.ceil.into()];
        let (values, indices) = run(Call::new(with_places[over], &arguments))?.pair()?;
        return Ok(if places { Outcome::pair_of((values, indices)) } else { Outcome::Tensor(values) });
    }
    let layout = pool.layout(name, input, over)?;
    let whole = layout.padded(input, least(input.dtype()))?;
    let mut best: Option<Value> = None;
    for place in layout.windows.places()? {
        let there = Value::from(layout.windows.at(&whole, &place, &layout.counts)?);
        best = Some(match best {
            Some(best) => binary(Op::Maximum, &best, there).settled()?,
            None => there,
        });
    }
    let best = best.ok_or_else(|| Error::runtime("windows have places"))?;
    let best = match best {
        Value::Tensor(only) => one(Function::Clone, &[(&only).into(), MemoryFormat::Contiguous.into()]),
        best => best.tensor(),
    };
    best.map(Outcome::Tensor)
}

/// By what the sum of each window is divided.
#[derive(Clone, Copy)]
pub(super) struct Divisor {
    pub(super) counts_padding: bool,
    pub(super) given: Option<isize>,
}

/// By what each window's sum is divided: one number, or one for each window.
pub(super) fn divisors(over: usize, input: &RawTensor, pool: Pooling<'_>, divisor: Divisor) -> Result<Value> {
    if let Some(given) = divisor.given {
        return if given == 0 { Err(Error::runtime("divisor must be not zero")) } else { Ok(Value::from(given as i64)) };
    }
    let layout = pool.layout("avg_pool", input, over)?;
    let mut all = Value::from(1);
    for dim in 0..over {
        let size = input.sizes()[input.rank() - over + dim].cast_signed() as i64;
        let padding = layout.windows.padding[dim] as i64;
        let counted = |at: usize| {
            let start = (at * layout.windows.stride[dim]) as i64 - padding;
            let end = (start + layout.windows.kernel[dim] as i64).min(size + padding);
            if divisor.counts_padding { end - start } else { end.min(size) - start.max(0) }
        };
        let counts: Vec<i64> = (0..layout.counts[dim]).map(counted).collect();
        let alike = counts.iter().all(|count| Some(count) == counts.first());
        let one = if alike { Value::from(counts[0]) } else { Value::from(along(counts, dim, over, input)?) };
        all = match (all, one) {
            (Value::Number(all), Value::Number(one)) => Value::from((all.to_f64() * one.to_f64()) as i64),
            (all, one) => binary(Op::Mul, &all, one),
        };
    }
    if let Value::Number(_) = all { Ok(all) } else { all.tensor().map(Value::from) }
}

/// PyTorch's `avg_pool1d`, `avg_pool2d` and `avg_pool3d`.
pub(super) fn avg_pool(over: usize, input: &RawTensor, pool: Pooling<'_>, divisor: Divisor) -> Result<Value> {
    let name = ["", "avg_pool1d", "avg_pool2d", "avg_pool3d"][over];
    if over == 1 {
        let row = AsRow::new(name, input, pool)?;
        return rows(&avg_pool(2, &row.images, row.pool(), divisor)?.tensor()?).map(Value::from);
    }
    if divisor.given == Some(0) && over == 2 {
        return Err(Error::runtime("divisor must be not zero"));
    }
    let layout = pool.layout(name, input, over)?;
    let dtype = input.dtype();
    let is_half = matches!(dtype, DType::F16 | DType::BF16);
    if dtype == DType::Bool || dtype.is_complex() || dtype.is_integral() && dtype != DType::I64 || over == 3 && is_half {
        return Err(unsupported(if over == 3 { "avg_pool3d_out_frame" } else { name }, dtype));
    }
    let whole = layout.padded(input, Scalar::Int(0))?;
    let mut sum: Option<Value> = None;
    for place in layout.windows.places()? {
        let there = Value::from(layout.windows.at(&whole, &place, &layout.counts)?).cast(dtype.computing());
        sum = Some(match sum {
            Some(sum) => binary(Op::Add, &sum, there).settled()?,
            None => there,
        });
    }
    let sum = sum.ok_or_else(|| Error::runtime("windows have places"))?;
    let op = if dtype.is_integral() { Op::DivTrunc } else { Op::Div };
    Ok(binary(op, &sum, divisors(over, input, pool, divisor)?).cast(dtype))
}

/// The gradient of means: each part of a window has its share.
pub(super) fn of_avg_pool(g: &RawTensor, over: usize, sizes: &[usize], pool: Pooling<'_>, divisor: Divisor) -> Result<RawTensor> {
    let like = one(Function::Expand, &[(&RawTensor::zeros(&[], &options(g, g.dtype()))?).into(), CallArgument::Ints(&signed(sizes))])?;
    let layout = pool.layout("avg_pool", &like, over)?;
    let share = binary(Op::Div, &g.into(), divisors(over, &like, pool, divisor)?);
    let outer: usize = sizes[..sizes.len() - over].iter().product();
    let windows: usize = layout.counts.iter().product();
    let places: usize = layout.windows.kernel.iter().product();
    let row = share.then(Function::Reshape, &[CallArgument::Ints(&signed(&[outer, 1, windows]))])?;
    let columns = row.then(Function::Expand, &[CallArgument::Ints(&signed(&[outer, places, windows]))])?.tensor()?;
    // A window that ends outside reaches further than the padding: it is cut off again.
    let inner = &sizes[sizes.len() - over..];
    let reach = |dim: usize| {
        ((layout.counts[dim] - 1) * layout.windows.stride[dim] + layout.windows.extent(dim)).max(inner[dim] + layout.windows.padding[dim])
    };
    let wide: Vec<usize> = (0..over).map(reach).collect();
    let [kernel, stride, apart] = [&layout.windows.kernel, &layout.windows.stride, &layout.windows.dilation].map(|numbers| signed(numbers));
    let arguments = [
        (&columns).into(),
        CallArgument::Ints(&signed(&wide)),
        CallArgument::Ints(&kernel),
        CallArgument::Ints(&apart),
        CallArgument::Ints(&[0]),
        CallArgument::Ints(&stride),
    ];
    let mut whole = Value::from(one(Function::Col2im, &arguments)?);
    for (dim, &size) in inner.iter().enumerate() {
        let start = layout.windows.padding[dim].cast_signed();
        whole = whole.then(Function::Narrow, &[(2 + dim.cast_signed()).into(), start.into(), size.cast_signed().into()])?;
    }
    whole.then(Function::Reshape, &[CallArgument::Ints(&signed(sizes))])?.tensor()
}
