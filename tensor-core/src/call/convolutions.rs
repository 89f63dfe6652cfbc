//! Convolutions: the elements of windows are the columns of matrices, read where they lie or written image by image, and products make the sums.

use latten_spec::operation::Op;
use latten_spec::{DType, promote_types};
use smallvec::SmallVec;

use super::value::{Value, binary};
use super::windows::{Windows, each, from_columns, padded, unsigned};
use super::{CallArgument, Function, anything, one, weightless};
use crate::create::Options;
use crate::dtype::cpp_name;
use crate::element::unsupported;
use crate::elementwise::{Params, Target, apply_in_place};
use crate::error::{Error, Result};
use crate::plan::check_cast;
use crate::product::{self, bmm};
use crate::raw::{RawTensor, type_name};
use crate::scalar::Scalar;
use crate::views::signed;

/// How a convolution goes over its input.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvolutionWalk<'a> {
    pub(super) stride: &'a [isize],
    pub(super) padding: &'a [isize],
    pub(super) dilation: &'a [isize],
    pub(super) transposed: bool,
    pub(super) output_padding: &'a [isize],
    pub(super) groups: isize,
}

/// Sizes as they stand in what PyTorch says.
fn times<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

/// The numbers of rows, as those of images of one row, which have one more; those of images as they are.
fn as_images<T: Copy>(numbers: &[T], over: usize, one: T) -> Vec<T> {
    let mut all = numbers.to_vec();
    if over == 1 {
        all.insert(all.len() - 1, one);
    }
    all
}

/// That a weight and a bias have their input's dtype, as is said of what a library computes, and of complex numbers.
fn check_alike(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<()> {
    let all = [("weight", Some(weight)), ("bias", bias)];
    let other = all.into_iter().find_map(|(name, tensor)| Some((name, tensor.filter(|tensor| tensor.dtype() != input.dtype())?)));
    let Some((name, tensor)) = other else { return Ok(()) };
    let (own, there) = (type_name(input), type_name(tensor));
    let or = if input.dtype().is_complex() {
        String::new()
    } else {
        format!(" or input should be a MKLDNN tensor and {name} is a dense tensor")
    };
    Err(Error::runtime(format!("Input type ({own}) and {name} type ({there}) should be the same{or}")))
}

impl ConvolutionWalk<'_> {
    /// The windows that a weight has.
    fn windows(&self, weight: &RawTensor) -> Result<Windows> {
        let over = weight.rank().saturating_sub(2);
        let refused = |text: &str| Error::runtime(text.to_owned());
        if over == 0 {
            return Err(refused("weight should have at least three dimensions"));
        }
        if self.groups <= 0 {
            return Err(refused("non-positive groups is not supported"));
        }
        let all = |numbers: &[isize], name: &str| {
            each(numbers, over).ok_or_else(|| {
                Error::runtime(format!(
                    "expected {name} to be a single integer value or a list of {over} values to match the convolution dimensions, but got \
                     {name}={numbers:?}"
                ))
            })
        };
        let (stride, padding) = (all(self.stride, "stride")?, all(self.padding, "padding")?);
        let dilation = all(self.dilation, "dilation")?;
        let added = all(self.output_padding, "output_padding")?;
        if padding.iter().any(|&number| number < 0) {
            return Err(refused("negative padding is not supported"));
        }
        if added.iter().any(|&number| number < 0) {
            return Err(refused("negative output_padding is not supported"));
        }
        if stride.iter().any(|&number| number <= 0) {
            return Err(refused("non-positive stride is not supported"));
        }
        if dilation.iter().any(|&number| number < 0) {
            return Err(refused("dilation should be greater than zero"));
        }
        let known = |numbers: &[isize]| unsigned(numbers).unwrap_or_default();
        Ok(Windows { kernel: weight.sizes()[2..].into(), stride: known(&stride), padding: known(&padding), dilation: known(&dilation) })
    }

    fn groups(&self) -> usize {
        self.groups.unsigned_abs()
    }

    /// Whether PyTorch leaves this to a library, which says what it refuses in its own words: halves that processors know, and what is large.
    fn in_library(&self, input: &RawTensor, weight: &RawTensor) -> bool {
        let wide = weight.rank() > 3 && weight.sizes()[weight.rank() - 2..].iter().all(|&size| size > 3);
        let count = || input.sizes().iter().take(4).fold(1_usize, |count, &size| count.saturating_mul(size));
        let is_large = || self.groups > 1 || wide || input.sizes()[0] > 1 || count() > 20_480;
        // Complex numbers are convolved as two of them.
        input.dtype() == DType::BF16 || input.dtype().to_real() == DType::F32 && is_large()
    }

    /// What is added to each size of a transposed result.
    fn added(&self, windows: &Windows) -> SmallVec<[isize; 6]> {
        each(self.output_padding, windows.kernel.len()).unwrap_or_default()
    }

    /// Whether what is added to sizes is less than what is between elements.
    fn adds_less(&self, windows: &Windows) -> bool {
        let between = windows.stride.iter().zip(&windows.dilation).map(|(stride, dilation)| stride.max(dilation));
        !self.transposed || self.added(windows).iter().zip(between).all(|(added, between)| added.unsigned_abs() < *between)
    }

    /// That windows reach somewhere; a library looks at dtypes before.
    fn check_reach(&self, windows: &Windows, input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<()> {
        let over = windows.kernel.len();
        if input.sizes()[2..].contains(&0) && input.sizes()[1] > 0 {
            let sizes = as_images(input.sizes(), over, 1);
            return Err(Error::runtime(format!("Only zero batch or zero channel inputs are supported, but got input shape: {sizes:?}")));
        }
        let (less, all) = (self.adds_less(windows), &as_images(&windows.dilation, over, 1));
        let in_library = less && self.in_library(input, weight);
        if in_library {
            check_alike(input, weight, bias)?;
        }
        let along = |what: &str, numbers: &[usize], between: &str| {
            let named = ["depth", "height", "width"].iter().rev().zip(numbers.iter().rev()).rev();
            named.map(|(dim, number)| format!("{what}_{dim}: {number}")).collect::<Vec<_>>().join(between)
        };
        Err(Error::runtime(match (windows.dilation.contains(&0), less) {
            (true, _) if in_library => "non-positive dilation is not supported".to_owned(),
            (true, _) if self.transposed => format!("dilation should be greater than zero, but got {}", along("dilation", all, ", ")),
            (true, _) => format!("dilation should be greater than zero, but got {all:?}"),
            (false, false) => {
                let added = as_images(&unsigned(&self.added(windows)).unwrap_or_default(), over, 0);
                let (added, stride) = (along("output_padding", &added, " "), along("stride", &as_images(&windows.stride, over, 1), " "));
                let dilation = along("dilation", all, " ");
                format!("output padding must be smaller than either stride or dilation, but got {added} {stride} {dilation}")
            }
            (false, true) => return Ok(()),
        }))
    }

    /// That dtypes are those of a kernel.
    fn check_dtypes(&self, input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<()> {
        let (dtype, in_space) = (input.dtype(), weight.rank() == 5);
        let kernel = match (self.transposed, in_space) {
            (true, true) => "slow_conv_transpose3d_out_cpu",
            (true, false) => "slow_conv_transpose2d_out_cpu",
            (false, true) => "compute_columns3d",
            (false, false) => "slow_conv2d_cpu",
        };
        if dtype == DType::Bool || self.transposed && dtype.is_integral() && dtype != DType::I64 {
            return Err(unsupported(kernel, dtype));
        }
        // The kernel of three dimensions adds the bias itself.
        let taken = [Some(weight), bias.filter(|_| in_space)];
        if let Some(other) = taken.into_iter().flatten().find(|other| other.dtype() != dtype) {
            let (own, there) = (dtype.message_name(), other.dtype().message_name());
            return Err(Error::runtime(format!("expected scalar type {own} but found {there}")));
        }
        bias.map_or(Ok(()), |bias| check_cast(promote_types(dtype, bias.dtype())?, dtype))
    }

    /// That a bias, a weight and an input go together.
    fn check(&self, input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<()> {
        let refused = |text: String| Err(Error::runtime(text));
        let (wanted, sizes, of) = (weight.rank(), input.sizes(), weight.sizes());
        let groups = self.groups();
        if of[0] < groups {
            return refused(format!(
                "Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size {of:?} instead"
            ));
        }
        if of[0] % groups != 0 {
            return refused(format!(
                "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size {of:?} instead"
            ));
        }
        if input.rank() != wanted {
            let rank = input.rank();
            return refused(format!(
                "Expected {wanted}-dimensional input for {wanted}-dimensional weight {of:?}, but got {rank}-dimensional input of size \
                 {sizes:?} instead"
            ));
        }
        let (channels, outputs) = if self.transposed { (of[0], of[1] * groups) } else { (of[1] * groups, of[0]) };
        if sizes[1] != channels {
            let (found, way) = (sizes[1], if self.transposed { "transposed=1".to_owned() } else { format!("groups={groups}") });
            return refused(format!(
                "Given {way}, weight of size {of:?}, expected input{sizes:?} to have {channels} channels, but got {found} channels instead"
            ));
        }
        if let Some(bias) = bias.filter(|bias| bias.sizes() != [outputs]) {
            let (found, way) = (bias.sizes(), if self.transposed { "transposed=1, " } else { "" });
            return refused(format!(
                "Given {way}weight of size {of:?}, expected bias to be 1-dimensional with {outputs} elements, but got bias of size {found:?} instead"
            ));
        }
        Ok(())
    }

    /// The sizes of what comes out, behind samples and channels.
    fn sizes(&self, input: &RawTensor, weight: &RawTensor, windows: &Windows) -> Result<Vec<usize>> {
        let over = windows.kernel.len();
        let sizes = &input.sizes()[2..];
        if !self.transposed {
            let wide: Vec<usize> =
                sizes.iter().zip(&windows.padding).map(|(&size, padding)| padding.saturating_mul(2).saturating_add(size)).collect();
            let counts = windows.counts(sizes).filter(|counts| !counts.contains(&0));
            return counts.map(|counts| counts.to_vec()).ok_or_else(|| {
                let reach: Vec<usize> = (0..over).map(|dim| windows.extent(dim)).collect();
                let (own, kernel) = (times(&wide), times(&reach));
                Error::runtime(format!(
                    "Calculated padded input size per channel: ({own}). Kernel size: ({kernel}). Kernel size can't be greater than actual \
                     input size"
                ))
            });
        }
        let added = self.added(windows);
        let size = |(dim, &size): (usize, &usize)| {
            // Wider than any of them, so that nothing overflows.
            let [size, stride, padding, reach] =
                [size, windows.stride[dim], windows.padding[dim], windows.extent(dim)].map(|number| number as i128);
            let more = added.get(dim).map_or(0, |&more| more as i128);
            (size - 1).saturating_mul(stride) - 2 * padding + reach + more
        };
        let all: Vec<i128> = sizes.iter().enumerate().map(size).collect();
        let (has_samples, in_library) = (input.sizes()[0] > 0, self.in_library(input, weight));
        let least = if has_samples && !in_library { 1 } else { 0 };
        let known = all.iter().map(|&size| usize::try_from(size).ok().filter(|&size| size >= least)).collect::<Option<_>>();
        known.ok_or_else(|| {
            let shape = as_images(&[&[0, (weight.sizes()[1] * self.groups()) as i128], &all[..]].concat(), over, 1);
            Error::runtime(match shape.iter().zip(0..).find(|(size, _)| **size < 0) {
                Some((size, at)) if !has_samples => format!("invalid shape dimension {size} at index {at} of shape {shape:?}"),
                _ if in_library => "could not construct a memory descriptor using a format tag".to_owned(),
                _ => {
                    let (own, result) = (times(&as_images(sizes, over, 1)), times(&as_images(&all, over, 1)));
                    format!(
                        "Given input size per channel: ({own}). Calculated output size per channel: ({result}). Output size is too small"
                    )
                }
            })
        })
    }
}

/// The bytes of columns that are made at a time, of one sample or several: few enough to stay in a cache.
const COLUMN_BYTES: usize = 2 << 20;
/// The bytes of padded samples that are made at a time, where products read windows.
const PADDED_BYTES: usize = 16 << 20;

/// PyTorch's `convolution`.
pub(super) fn convolution(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>, walk: ConvolutionWalk<'_>) -> Result<RawTensor> {
    let windows = walk.windows(weight)?;
    walk.check(input, weight, bias)?;
    // Of no samples nothing more is asked than sizes: windows that are too large are refused before all else, results that are too small behind
    // what has no reach.
    let has_samples = input.sizes()[0] > 0;
    let direct = if walk.transposed { None } else { Some(walk.sizes(input, weight, &windows)?) };
    if has_samples {
        walk.check_reach(&windows, input, weight, bias)?;
    }
    let is_said = walk.transposed && weight.sizes()[1..].contains(&0);
    if is_said && !(has_samples && walk.in_library(input, weight)) {
        return Err(weightless::in_kernels(weight, walk.groups(), has_samples));
    }
    let sizes = direct.map_or_else(|| walk.sizes(input, weight, &windows), Ok)?;
    if is_said {
        return Err(weightless::in_library());
    }
    if has_samples {
        walk.check_dtypes(input, weight, bias)?;
    }
    let (dtype, wide) = (input.dtype(), input.dtype().computing());
    if dtype != wide && !sizes.contains(&0) {
        // Halves are rounded once.
        let bias = bias.map(|bias| bias.to_dtype(wide)).transpose()?;
        return convolution(&input.to_dtype(wide)?, &weight.to_dtype(wide)?, bias.as_ref(), walk)?.to_dtype(dtype);
    }
    let groups = walk.groups();
    if has_samples && !walk.transposed && weight.sizes()[1] == 1 && weight.sizes()[0] == input.sizes()[1] {
        return depthwise(input, weight, bias, &windows, &sizes);
    }
    let outputs = if walk.transposed { weight.sizes()[1] * groups } else { weight.sizes()[0] };
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    let result = RawTensor::new(&[&[input.sizes()[0], outputs], &sizes[..]].concat(), &options)?;
    if result.numel() == 0 {
        return Ok(result);
    }
    let factors = factors(weight, groups, walk.transposed)?;
    if walk.transposed {
        spread(input, &factors, &windows, &result)?;
    } else {
        gathered(input, &factors, &windows, &result)?;
    }
    if let Some(bias) = bias {
        let mut along = vec![1; input.rank()];
        along[1] = -1;
        apply_in_place(Op::Add, &result, &[(&bias.reshape(&along)?).into()], &Params::none())?;
    }
    Ok(result)
}

/// Puts products of factors for each group and columns into a result, some samples at a time.
fn gathered(input: &RawTensor, factors: &RawTensor, windows: &Windows, result: &RawTensor) -> Result<()> {
    let (samples, outputs, counts) = (input.sizes()[0], result.sizes()[1], &result.sizes()[2..]);
    let (groups, rows, pixels) =
        (factors.sizes()[0], input.sizes()[1] * windows.kernel.iter().product::<usize>(), counts.iter().product::<usize>());
    let is_padded = windows.padding.iter().any(|&padding| padding > 0);
    // What one row or column makes is the sum of a vector, which has its own order.
    let reads = !windows.are_elements() && product::reads_windows(input) && outputs > groups && pixels > 1;
    let (elements, limit) = if reads {
        let wide = input.sizes()[2..].iter().zip(&windows.padding).map(|(size, padding)| size + 2 * padding);
        (input.sizes()[1] * wide.product::<usize>(), PADDED_BYTES)
    } else {
        (rows * pixels, COLUMN_BYTES)
    };
    let whole = windows.are_elements() || reads && !is_padded;
    let most = if whole { samples } else { (limit / (elements * input.dtype().itemsize()).max(1)).clamp(1, samples.max(1)) };
    let mut room = None;
    for first in (0..samples).step_by(most.max(1)) {
        let count = most.min(samples - first);
        let part = |whole: &RawTensor| whole.narrow(0, first.cast_signed(), count.cast_signed());
        let images = padded(&part(input)?, &windows.padding, &windows.padding, Scalar::Int(0))?;
        let [_, height, width] = *factors.sizes() else { return Err(Error::runtime("factors are matrices")) };
        let each = factors.unsqueeze(0)?.expand(&signed(&[count, groups, height, width]))?;
        if reads {
            let place = part(result)?.view(&signed(&[count, groups, outputs / groups, pixels]))?;
            product::multiply_windows(&each, &windows.grouped(&images, counts, groups), &place)?;
            continue;
        }
        let columns = if windows.are_elements() {
            images
        } else {
            // The same room for all parts, so that its memory is at hand.
            let all = windows.over(&images, counts);
            let columns = match room.take() {
                Some(room) if count == most => room,
                _ => RawTensor::new(all.sizes(), &Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None })?,
            };
            columns.copy_(&all)?;
            room.insert(columns).clone()
        };
        let columns = columns.reshape(&signed(&[count * groups, rows / groups, pixels]))?;
        let place = part(result)?.view(&signed(&[count * groups, outputs / groups, pixels]))?;
        bmm(&each.reshape(&signed(&[count * groups, height, width]))?, &columns, Target::Out(&place, anything))?;
    }
    Ok(())
}

/// Puts the sums of windows, which factors make of elements, into a result, image by image.
fn spread(input: &RawTensor, factors: &RawTensor, windows: &Windows, result: &RawTensor) -> Result<()> {
    let (groups, sizes) = (factors.sizes()[0], &result.sizes()[2..]);
    for sample in 0..input.sizes()[0].cast_signed() {
        let (image, to) = (input.narrow(0, sample, 1)?, result.narrow(0, sample, 1)?);
        let pixels = image.sizes()[2..].iter().product::<usize>();
        let inner = image.reshape(&signed(&[groups, image.sizes()[1] / groups, pixels]))?;
        let all = bmm(factors, &inner, Target::New)?;
        let rows = all.sizes()[1] * groups;
        to.copy_(&from_columns(&all.view(&signed(&[1, rows, pixels]))?, sizes, windows, &image.sizes()[2..])?)?;
    }
    Ok(())
}

/// A convolution of each channel by itself: numbers at one place of all windows are a view, and the sum over places is a pass or a few.
fn depthwise(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>, windows: &Windows, counts: &[usize]) -> Result<RawTensor> {
    let whole = padded(input, &windows.padding, &windows.padding, Scalar::Int(0))?;
    let mut along = vec![1; input.rank()];
    along[1] = -1;
    let mut sum = bias.map(|bias| bias.reshape(&along).map(Value::from)).transpose()?;
    let rows = weight.reshape(&[weight.sizes()[0].cast_signed(), -1])?;
    for (number, place) in windows.places()?.iter().enumerate() {
        let factor = rows.select(1, number.cast_signed())?.reshape(&along)?;
        let product = binary(Op::Mul, &windows.at(&whole, place, counts)?.into(), factor);
        sum = Some(match sum {
            Some(sum) => binary(Op::Add, &product, sum).settled()?,
            None => product,
        });
    }
    sum.ok_or_else(|| Error::runtime("windows have places"))?.tensor()
}

/// A weight as a matrix for each group: what makes outputs of windows, or windows of inputs.
fn factors(weight: &RawTensor, groups: usize, transposed: bool) -> Result<RawTensor> {
    let rows = weight.sizes()[0] / groups;
    let columns: usize = weight.sizes()[1..].iter().product();
    let matrices = weight.reshape(&signed(&[groups, rows, columns]))?;
    if transposed { matrices.transpose(1, 2) } else { Ok(matrices) }
}

/// Which dimensions an input has that stands for one image.
fn single(input: &RawTensor, over: usize, name: &str) -> Result<bool> {
    let rank = input.rank();
    match rank {
        rank if rank == over + 2 => Ok(false),
        rank if rank == over + 1 => Ok(true),
        _ => {
            let (less, sizes) = (over + 1, input.sizes());
            Err(Error::runtime(format!(
                "Expected {less}D (unbatched) or {}D (batched) input to {name}, but got input of size: {sizes:?}",
                over + 2
            )))
        }
    }
}

/// PyTorch's `conv1d`, `conv2d` and `conv3d`, and the same transposed.
pub(super) fn conv(
    over: usize,
    [input, weight]: [&RawTensor; 2],
    bias: Option<&RawTensor>,
    walk: ConvolutionWalk<'_>,
) -> Result<RawTensor> {
    if let Some(bias) = bias.filter(|bias| !walk.transposed && bias.dtype() != input.dtype()) {
        let (own, there) = (cpp_name(input.dtype()), cpp_name(bias.dtype()));
        return Err(Error::runtime(format!("Input type ({own}) and bias type ({there}) should be the same")));
    }
    let name = format!("conv{}{over}d", if walk.transposed { "_transpose" } else { "" });
    let alone = single(input, over, &name)?;
    if input.dtype().is_complex() {
        check_alike(input, weight, bias)?;
    }
    // A number stands for as many as there are dimensions; a weight of others doesn't match them.
    let [stride, padding, dilation, output_padding] = [walk.stride, walk.padding, walk.dilation, walk.output_padding]
        .map(|numbers| each(numbers, over).filter(|_| weight.rank() != over + 2).unwrap_or_else(|| numbers.into()));
    let batch = if alone { one(Function::Unsqueeze, &[input.into(), 0.into()])? } else { input.clone() };
    let arguments = [
        (&batch).into(),
        weight.into(),
        bias.into(),
        (&stride[..]).into(),
        (&padding[..]).into(),
        (&dilation[..]).into(),
        walk.transposed.into(),
        (&output_padding[..]).into(),
        walk.groups.into(),
    ];
    let result = one(Function::Convolution, &arguments)?;
    if alone { one(Function::SqueezeDim, &[(&result).into(), CallArgument::Int(0)]) } else { Ok(result) }
}

/// The same with padding by name: none, or as much as keeps the sizes.
pub(super) fn conv_named(
    over: usize,
    [input, weight]: [&RawTensor; 2],
    bias: Option<&RawTensor>,
    padding: &str,
    walk: ConvolutionWalk<'_>,
) -> Result<RawTensor> {
    let alone = single(input, over, &format!("conv{over}d"))?;
    if input.dtype().is_complex() {
        check_alike(input, weight, bias)?;
    }
    let (sizes, of) = (input.sizes(), weight.sizes());
    match padding {
        "valid" => {
            // It isn't a number for each dimension of the call.
            let none = vec![0; weight.rank().saturating_sub(2).max(1)];
            return conv(over, [input, weight], bias, ConvolutionWalk { padding: &none, ..walk });
        }
        "same" if of.len() < 3 => return Err(Error::runtime("weight should have at least three dimensions")),
        "same" if of.len() != over + 2 => {
            let (wanted, rank, sizes) = (of.len(), over + 2, if alone { [&[1], sizes].concat() } else { sizes.to_vec() });
            return Err(Error::runtime(format!(
                "Expected {wanted}-dimensional input for {wanted}-dimensional weight{of:?}, but got {rank}-dimensional input of size \
                 {sizes:?} instead"
            )));
        }
        "same" => {}
        other => return Err(Error::runtime(format!("Invalid padding string: '{other}'"))),
    }
    if let Some((name, _)) =
        [("stride", walk.stride), ("dilation", walk.dilation)].iter().find(|(_, numbers)| each(numbers, over).is_none())
    {
        return Err(Error::runtime(format!("{name} cannot broadcast to {over} dimensions")));
    }
    if walk.stride.iter().any(|&stride| stride != 1) {
        return Err(Error::runtime("padding='same' is not supported for strided convolutions"));
    }
    let dilation = each(walk.dilation, over).unwrap_or_default();
    let all: Vec<isize> = of[2..].iter().zip(&dilation).map(|(size, dilation)| dilation.saturating_mul(size.cast_signed() - 1)).collect();
    let padding: Vec<isize> = all.iter().map(|all| all / 2).collect();
    let walk = ConvolutionWalk { padding: &padding, ..walk };
    if all.iter().all(|all| all % 2 == 0) {
        return conv(over, [input, weight], bias, walk);
    }
    // What can't be halved has one more behind.
    let behind: Vec<isize> = all.iter().rev().flat_map(|all| [0, all % 2]).collect();
    let wider = one(Function::ConstantPadNd, &[input.into(), CallArgument::Ints(&behind)])?;
    conv(over, [&wider, weight], bias, walk)
}
