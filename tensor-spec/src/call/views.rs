//! Views, joins and arrangements, tensors made from nothing, conversions, and what tensors say of themselves.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    View "view(Tensor self, int[] size) -> Tensor" [method] => new input.view(size),
        grad ViewBackward0 { input: as_sized(g, known(input)) };
    ViewDType "view(Tensor self, ScalarType dtype) -> Tensor" [method] => new input.view_dtype(dtype),
        grad none;
    ViewAs "view_as(Tensor self, Tensor other) -> Tensor" [method] => new input.view(&signed(other.sizes())),
        grad ViewBackward0 { input: as_sized(g, known(input)) };
    Reshape "reshape(Tensor self, int[] shape) -> Tensor" => new input.reshape(shape),
        grad ViewBackward0 { name: reshape_node(input, shape), input: as_sized(g, known(input)) };
    ReshapeAs "reshape_as(Tensor self, Tensor other) -> Tensor" [method] => new input.reshape(&signed(other.sizes())),
        grad ViewBackward0 { name: reshape_node(input, &signed(other.sizes())), input: as_sized(g, known(input)) };
    Flatten "flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor" => new input.flatten(start_dim, end_dim),
        grad ViewBackward0 { name: flatten_node(input, start_dim, end_dim), input: as_sized(g, known(input)) };
    Unflatten "unflatten(Tensor self, int dim, int[] sizes) -> Tensor" => new input.unflatten(dim, sizes),
        grad ViewBackward0 { input: as_sized(g, known(input)) };
    Ravel "ravel(Tensor self) -> Tensor" => new input.ravel(),
        grad ViewBackward0 { input: as_sized(g, known(input)) };
    Squeeze "squeeze(Tensor self) -> Tensor" => new input.squeeze(),
        grad SqueezeBackward0 { input: as_sized(g, known(input)) };
    SqueezeDim "squeeze(Tensor self, int dim) -> Tensor" => new input.squeeze_dims(&[dim]),
        grad SqueezeBackward1 { input: as_sized(g, known(input)) };
    SqueezeDims "squeeze(Tensor self, int[] dim) -> Tensor" => new input.squeeze_dims(dim),
        grad SqueezeBackward2 { input: as_sized(g, known(input)) };
    Unsqueeze "unsqueeze(Tensor self, int dim) -> Tensor" => new input.unsqueeze(dim),
        grad UnsqueezeBackward0 { input: as_sized(g, known(input)) };
    Expand "expand(Tensor self, int[] size) -> Tensor" [method] => new input.expand(size),
        grad ExpandBackward0 { input: g };
    ExpandAs "expand_as(Tensor self, Tensor other) -> Tensor" [method] => new input.expand_as(other),
        grad ExpandBackward0 { input: g };
    BroadcastTo "broadcast_to(Tensor self, int[] size) -> Tensor" => new input.expand(size),
        grad ExpandBackward0 { input: g };
    BroadcastShapes "broadcast_shapes(int[]... shapes) -> int[]" => new copies::broadcast_shapes(shapes);
    BroadcastTensors "broadcast_tensors(Tensor... tensors) -> Tensor[]" => new broadcast_tensors(tensors),
        grad ExpandBackward0 { tensors: backward.gradients.to_vec() };
    Transpose "transpose(Tensor self, int dim0, int dim1) -> Tensor" => new input.transpose(dim0, dim1),
        grad TransposeBackward0 { input: transposed(g, dim0, dim1) };
    Swapaxes "swapaxes(Tensor self, int axis0, int axis1) -> Tensor" => new input.transpose(axis0, axis1),
        grad TransposeBackward0 { input: transposed(g, axis0, axis1) };
    Swapdims "swapdims(Tensor self, int dim0, int dim1) -> Tensor" => new input.transpose(dim0, dim1),
        grad TransposeBackward0 { input: transposed(g, dim0, dim1) };
    T "t(Tensor self) -> Tensor" => new input.t(),
        grad TBackward0 { input: t(g) };
    NumpyT "numpy_T(Tensor self) -> Tensor" [method] => new input.reverse_dims(),
        grad PermuteBackward0 { input: permuted(g, &(0..g.rank()).rev().collect::<Vec<_>>()) };
    MT "mT(Tensor self) -> Tensor" [method] => new input.matrix_transpose(),
        grad TransposeBackward0 { input: transposed(g, -2, -1) };
    Permute "permute(Tensor self, int[] dims) -> Tensor" => new input.permute(dims),
        grad PermuteBackward0 { input: permuted_back(g, dims) };
    Movedim "movedim(Tensor self, int[1] source, int[1] destination) -> Tensor" => new input.movedim(source, destination),
        grad PermuteBackward0 { input: moved(g, destination, source) };
    Moveaxis "moveaxis(Tensor self, int[1] source, int[1] destination) -> Tensor" => new input.movedim(source, destination),
        grad PermuteBackward0 { input: moved(g, destination, source) };
    Detach "detach(Tensor self) -> Tensor" => new input.clone(),
        grad none;
    ViewAsReal "view_as_real(Tensor self) -> Tensor" => new input.view_as_real(), of complex,
        grad ViewAsRealBackward0 { input: as_complex(g) };
    ViewAsComplex "view_as_complex(Tensor self) -> Tensor" => new input.view_as_complex(), of F16 | F32 | F64,
        grad ViewAsComplexBackward0 { input: as_real(g) };
    Real "real(Tensor self) -> Tensor" [Real] => new input.real(),
        grad SelectBackward0 { input: g };
    Imag "imag(Tensor self) -> Tensor" [Imag] => new input.imag(), of complex,
        grad SelectBackward0 { input: turned(g) };
    GetItem "__getitem__(Tensor self, Index index) -> Tensor" [method] => new input.index(index),
        grad SliceBackward0 { name: index_node(index), input: placed(g, known(input), |whole| whole.index(index)) };
    NarrowFrom "narrow(Tensor self, int dim, Tensor start, int length) -> Tensor" => new turned::narrow_from(input, dim, start, length), on cpu | cuda,
        grad parts;
    Narrow "narrow(Tensor self, int dim, int start, int length) -> Tensor" => new input.narrow(dim, start, length),
        grad SliceBackward0 { input: placed(g, known(input), |whole| whole.narrow(dim, start, length)) };
    Select "select(Tensor self, int dim, int index) -> Tensor" => new input.select(dim, index),
        grad SelectBackward0 { input: placed(g, known(input), |whole| whole.select(dim, index)) };
    Slice "slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor" => new input.slice(dim, start, end, step),
        grad SliceBackward0 { name: slice_node(input, dim, start, end, step), input: placed(g, known(input), |whole| whole.slice(dim, start, end, step)) };
    Unfold "unfold(Tensor self, int dimension, int size, int step) -> Tensor" [method] => new input.unfold(dimension, size, step),
        grad UnfoldBackward0 { input: added(g, known(input), |whole| whole.unfold(dimension, size, step)) };
    Diagonal "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor" => new input.diagonal(offset, dim1, dim2),
        grad DiagonalBackward0 { input: placed(g, known(input), |whole| whole.diagonal(offset, dim1, dim2)) };
    AsStrided "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor" => new input.as_strided(size, stride, storage_offset),
        grad AsStridedBackward0 { input: restrided(g, backward) };
    AsStridedScatter "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor"
        => new copies::with_part(input, src, Function::AsStrided, &[CallArgument::Ints(size), CallArgument::Ints(stride), storage_offset.into()]),
        grad AsStridedScatterBackward0 { input: but_strided(g, backward, known(src), (size, stride, storage_offset)), src: strided(g, backward, (size, stride, storage_offset)) };
    InPlaceSqueeze "squeeze_(Tensor self) -> Tensor" [method] => in_place turned_into(input, named("squeeze_", admitted), |input| Ok(input.squeeze())),
        grad SqueezeBackward3 { input: as_sized(g, known(input)) };
    InPlaceSqueezeDim "squeeze_(Tensor self, int dim) -> Tensor" [method] => in_place turned_into(input, named("squeeze_", admitted), |input| input.squeeze_dims(&[dim])),
        grad SqueezeBackward4 { input: as_sized(g, known(input)) };
    InPlaceSqueezeDims "squeeze_(Tensor self, int[] dim) -> Tensor" [method] => in_place turned_into(input, named("squeeze_", admitted), |input| input.squeeze_dims(dim)),
        grad SqueezeBackward5 { input: as_sized(g, known(input)) };
    InPlaceUnsqueeze "unsqueeze_(Tensor self, int dim) -> Tensor" [method] => in_place turned_into(input, named("unsqueeze_", admitted), |input| input.unsqueeze(dim)),
        grad UnsqueezeBackward1 { input: as_sized(g, known(input)) };
    InPlaceTranspose "transpose_(Tensor self, int dim0, int dim1) -> Tensor" [method] => in_place turned_into(input, named("transpose_", admitted), |input| input.transpose(dim0, dim1)),
        grad TransposeBackward1 { input: transposed(g, dim0, dim1) };
    InPlaceSwapaxes "swapaxes_(Tensor self, int axis0, int axis1) -> Tensor" [method] => in_place turned_into(input, named("swapaxes_", admitted), |input| input.transpose(axis0, axis1)),
        grad TransposeBackward1 { input: transposed(g, axis0, axis1) };
    InPlaceSwapdims "swapdims_(Tensor self, int dim0, int dim1) -> Tensor" [method] => in_place turned_into(input, named("swapdims_", admitted), |input| input.transpose(dim0, dim1)),
        grad TransposeBackward1 { input: transposed(g, dim0, dim1) };
    InPlaceT "t_(Tensor self) -> Tensor" [method] => in_place turned_into(input, named("t_", admitted), |input| two_at_most(input)?.t()),
        grad TBackward1 { input: t(g) };
    InPlaceAsStrided "as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor"
        => in_place turned_into(input, named("as_strided_", admitted), |input| input.as_strided(size, stride, storage_offset)),
        grad AsStridedBackward1 { input: restrided(g, backward) };
    Split "split(Tensor self, int split_size, int dim=0) -> Tensor[]" => new input.split(split_size, dim),
        grad SplitBackward0 { input: rejoined(backward, dim) };
    SplitSizes "split(Tensor self, int[] split_size, int dim=0) -> Tensor[]" => new input.split_with_sizes(split_size, dim),
        grad SplitWithSizesBackward0 { input: rejoined(backward, dim) };
    SplitWithSizes "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]" => new input.split_with_sizes(split_sizes, dim),
        grad SplitWithSizesBackward0 { input: rejoined(backward, dim) };
    Chunk "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]" => new input.chunk(chunks, dim),
        grad SplitBackward0 { input: rejoined(backward, dim) };
    TensorSplit "tensor_split(Tensor self, int sections, int dim=0) -> Tensor[]" => new input.tensor_split(Cuts::Sections(sections), dim),
        grad SliceBackward0 { input: rejoined(backward, dim) };
    TensorSplitAt "tensor_split(Tensor self, int[] indices, int dim=0) -> Tensor[]" => new input.tensor_split(Cuts::Indices(indices), dim),
        grad SliceBackward0 { input: resliced(backward, known(input), dim, indices) };
    TensorSplitBy "tensor_split(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]" => new turned::tensor_split_by(input, tensor_indices_or_sections, dim), on cpu,
        grad parts;
    Hsplit "hsplit(Tensor self, int sections) -> Tensor[]" => new input.hsplit(Cuts::Sections(sections)),
        grad SliceBackward0 { input: rejoined(backward, if known(input).len() > 1 { 1 } else { 0 }) };
    HsplitAt "hsplit(Tensor self, int[] indices) -> Tensor[]" => new input.hsplit(Cuts::Indices(indices)),
        grad SliceBackward0 { input: resliced(backward, known(input), if known(input).len() > 1 { 1 } else { 0 }, indices) };
    Vsplit "vsplit(Tensor self, int sections) -> Tensor[]" => new input.vsplit(Cuts::Sections(sections)),
        grad SliceBackward0 { input: rejoined(backward, 0) };
    VsplitAt "vsplit(Tensor self, int[] indices) -> Tensor[]" => new input.vsplit(Cuts::Indices(indices)),
        grad SliceBackward0 { input: resliced(backward, known(input), 0, indices) };
    Dsplit "dsplit(Tensor self, int sections) -> Tensor[]" => new input.dsplit(Cuts::Sections(sections)),
        grad SliceBackward0 { input: rejoined(backward, 2) };
    DsplitAt "dsplit(Tensor self, int[] indices) -> Tensor[]" => new input.dsplit(Cuts::Indices(indices)),
        grad SliceBackward0 { input: resliced(backward, known(input), 2, indices) };
    Unbind "unbind(Tensor self, int dim=0) -> Tensor[]" => new input.unbind(dim),
        grad UnbindBackward0 { input: restacked(backward, dim) };

    Cat "cat(Tensor[] tensors, int dim=0) -> Tensor" => to cat(tensors, dim, to),
        grad CatBackward0 { tensors: parts(g, known(tensors), dim) };
    Concat "concat(Tensor[] tensors, int dim=0) -> Tensor" => to cat(tensors, dim, to),
        grad CatBackward0 { tensors: parts(g, known(tensors), dim) };
    Concatenate "concatenate(Tensor[] tensors, int dim=0) -> Tensor" => to cat(tensors, dim, to),
        grad CatBackward0 { tensors: parts(g, known(tensors), dim) };
    Stack "stack(Tensor[] tensors, int dim=0) -> Tensor" => to stack(tensors, dim, to),
        grad StackBackward0 { tensors: layers(g, known(tensors), dim) };
    Hstack "hstack(Tensor[] tensors) -> Tensor" => to hstack(tensors, to),
        grad CatBackward0 { tensors: of_hstack(g, known(tensors)) };
    Vstack "vstack(Tensor[] tensors) -> Tensor" => to vstack(tensors, to),
        grad CatBackward0 { tensors: of_vstack(g, known(tensors)) };
    Dstack "dstack(Tensor[] tensors) -> Tensor" => to dstack(tensors, to),
        grad CatBackward0 { tensors: of_dstack(g, known(tensors)) };
    ColumnStack "column_stack(Tensor[] tensors) -> Tensor" => to column_stack(tensors, to),
        grad CatBackward0 { tensors: of_column_stack(g, known(tensors)) };
    Flip "flip(Tensor self, int[] dims) -> Tensor" => new input.flip(dims),
        grad FlipBackward0 { input: flipped(g, dims) };
    Flipud "flipud(Tensor self) -> Tensor" => new composites::flipped_at(input, 0), grad parts;
    Fliplr "fliplr(Tensor self) -> Tensor" => new composites::flipped_at(input, 1), grad parts;
    Roll "roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor" => new input.roll(shifts, dims),
        grad RollBackward0 { input: rolled(g, shifts, dims) };
    Rot90 "rot90(Tensor self, int k=1, int[]? dims=None) -> Tensor" => new input.rot90(k, dims.unwrap_or(&[0, 1])),
        grad Rot90Backward0 { input: rotated(g, -k, dims) };
    Repeat "repeat(Tensor self, int[] repeats) -> Tensor" [method] => new input.repeat(repeats),
        grad RepeatBackward0 { input: of_repeats(g, known(input), repeats) };
    Tile "tile(Tensor self, int[] dims) -> Tensor" => new input.tile(dims),
        grad RepeatBackward0 { input: of_tiles(g, known(input), dims) };

    Zeros "zeros(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to made(to, || zeros_sizes(size), &options(dtype, device, None), |sizes| RawTensor::zeros(sizes, &options(dtype, device, None)), RawTensor::zero_);
    Ones "ones(int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to full(to, size, Scalar::Float(1.0), &options(dtype, device, None));
    Empty "empty(int[] size, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor"
        => to drawn(to, size, &options(dtype, device, memory_format), |_| Ok(()));
    EmptyStrided "empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new strided_memory(size, stride, &options(dtype, device, None));
    EmptyPermuted "empty_permuted(int[] size, int[] physical_layout, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new laid_out(size, physical_layout, &options(dtype, device, None));
    Full "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to full(to, size, fill_value, &options(dtype, device, None));
    Eye "eye(int n, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to eye(to, [n, n], &options(dtype, device, None));
    EyeOf "eye(int n, int m, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to eye(to, [n, m], &options(dtype, device, None));
    Arange "arange(Scalar end, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to made_row(to, &options(dtype, device, None), |to, options| RawTensor::arange_to(to, Scalar::Int(0), end, Scalar::Int(1), options)), of integers | floats;
    ArangeFrom "arange(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to made_row(to, &options(dtype, device, None), |to, options| RawTensor::arange_to(to, start, end, step, options)), of integers | floats;
    LinspaceBetween "linspace(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to linspace(to, [start.into(), end.into()], steps, &options(dtype, device, None)), on cpu | cuda,
        grad none;
    LinspaceTo "linspace(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to linspace(to, [start.into(), end.into()], steps, &options(dtype, device, None)), of numbers, on cpu | cuda,
        grad none;
    LinspaceFrom "linspace(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to linspace(to, [start.into(), end.into()], steps, &options(dtype, device, None)), on cpu | cuda,
        grad none;
    Linspace "linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to linspace(to, [start.into(), end.into()], steps, &options(dtype, device, None)), of numbers;
    HannWindow "hann_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::periodic(Envelope::Waves("hann_window", [0.5, 0.5]), window_length, periodic, &options(dtype, device, None)), of floats | eighths;
    HammingWindow "hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::periodic(Envelope::Waves("hamming_window", [alpha, beta]), window_length, periodic, &options(dtype, device, None)), of floats | eighths;
    BlackmanWindow "blackman_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::periodic(Envelope::Blackman, window_length, periodic, &options(dtype, device, None)), of floats | eighths;
    BartlettWindow "bartlett_window(int window_length, bool periodic=True, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::periodic(Envelope::Bartlett, window_length, periodic, &options(dtype, device, None)), of floats | eighths;
    KaiserWindow "kaiser_window(int window_length, bool periodic=True, float beta=12.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::periodic(Envelope::Kaiser(beta), window_length, periodic, &options(dtype, device, None)), of floats | eighths;
    SignalBartlett "signal.windows.bartlett(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Bartlett, m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalBlackman "signal.windows.blackman(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Waves("blackman", &[0.42, 0.5, 0.08]), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalCosine "signal.windows.cosine(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Cosine, m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalExponential "signal.windows.exponential(int M, *, float? center=None, Scalar tau=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Exponential { center, tau }, m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalGaussian "signal.windows.gaussian(int M, *, Scalar std=1.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Gaussian(std), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalGeneralCosine "signal.windows.general_cosine(int M, *, float[1]? a, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::general_cosine(a, m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalGeneralHamming "signal.windows.general_hamming(int M, *, float alpha=0.54, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Waves("general_cosine", &[alpha, 1.0 - alpha]), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalHamming "signal.windows.hamming(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Waves("general_cosine", &[0.54, 1.0 - 0.54]), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalHann "signal.windows.hann(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Waves("general_cosine", &[0.5, 0.5]), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalKaiser "signal.windows.kaiser(int M, *, Scalar beta=12.0, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Kaiser(beta), m, sym, &options(dtype, device, None)), of F32 | F64;
    SignalNuttall "signal.windows.nuttall(int M, *, bool sym=True, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new tapers::window(Taper::Waves("general_cosine", &[0.3635819, 0.4891775, 0.1365995, 0.0106411]), m, sym, &options(dtype, device, None)), of F32 | F64;
    EmptyLike "empty_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new input.new_like(&options(dtype, device, memory_format)),
        grad none;
    ZerosLike "zeros_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new full_like(input, Scalar::Int(0), &options(dtype, device, memory_format)),
        grad none;
    OnesLike "ones_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new full_like(input, Scalar::Int(1), &options(dtype, device, memory_format)),
        grad none;
    FullLike "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> Tensor" [function]
        => new full_like(input, fill_value, &options(dtype, device, memory_format)),
        grad none;

    NewEmpty "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor" [method]
        => new RawTensor::new(&sizes(size)?, &options_of(input, dtype, device)),
        grad none;
    NewEmptyStrided "new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, Device? device=None) -> Tensor" [method]
        => new strided_memory(size, stride, &options_of(input, dtype, device)),
        grad none;
    NewZeros "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor" [method]
        => new RawTensor::zeros(&sizes(size)?, &options_of(input, dtype, device)),
        grad none;
    NewOnes "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Device? device=None) -> Tensor" [method]
        => new RawTensor::full(&sizes(size)?, Scalar::Int(1), &options_of(input, dtype, device)),
        grad none;
    NewFull "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Device? device=None) -> Tensor" [method]
        => new RawTensor::full(&sizes(size)?, fill_value, &options_of(input, dtype, device)),
        grad none;

    ToDType "to(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor" [method]
        => new converted(input, (Some(dtype), None), Copying { copy, non_blocking }, memory_format),
        grad ToCopyBackward0 { input: g };
    To "to(Tensor self, Device? device=None, ScalarType? dtype=None, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor" [method]
        => new converted(input, (dtype, device), Copying { copy, non_blocking }, memory_format),
        grad ToCopyBackward0 { input: g };
    ToOther "to(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None) -> Tensor" [method]
        => new converted(input, (Some(other.dtype()), Some(other.device())), Copying { copy, non_blocking }, memory_format),
        grad ToCopyBackward0 { input: g };
    TypeAs "type_as(Tensor self, Tensor other) -> Tensor" [method] => new converted(input, (Some(other.dtype()), Some(other.device())), Copying::default(), None),
        grad ToCopyBackward0 { input: g };
    Cpu "cpu(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (None, Some(Device::CPU)), Copying::default(), memory_format), on cpu | cuda,
        grad ToCopyBackward0 { input: g };
    Bool "bool(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::Bool), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Byte "byte(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::U8), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Char "char(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::I8), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Short "short(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::I16), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Int "int(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::I32), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Long "long(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::I64), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Half "half(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::F16), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Bfloat16 "bfloat16(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::BF16), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Float "float(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::F32), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Double "double(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::F64), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Cfloat "cfloat(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::C64), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Cdouble "cdouble(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::C128), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };
    Clone "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [no_out] => to cloned(to, input, memory_format.unwrap_or(MemoryFormat::Preserve)),
        grad CloneBackward0 { input: g };
    Contiguous "contiguous(Tensor self, *, MemoryFormat memory_format=None) -> Tensor" [method]
        => new input.contiguous(memory_format.unwrap_or(MemoryFormat::Contiguous)),
        grad CloneBackward0 { input: g };
    Copy "copy_(Tensor self, Tensor src, bool non_blocking=False) -> Tensor" [method] => in_place copied(input, src, non_blocking),
        grad CopyBackwards { input: nothing(g), src: g };
    Fill "fill_(Tensor self, Tensor|Scalar value) -> Tensor" [method] => in_place fill(input, value),
        grad FillBackward2 { name: number_or_tensor(value, ["FillBackward2", "FillBackward3"]), input: nothing(g), value: g };
    Filled "fill(Tensor self, Tensor|Scalar value) -> Tensor" [function] => new on_copy(input, |copy| fill(copy, value)),
        grad FillBackward0 { name: number_or_tensor(value, ["FillBackward0", "FillBackward1"]), input: nothing(g), value: g };
    Zero "zero_(Tensor self) -> Tensor" [method] => in_place input.zero_(),
        grad ZeroBackward0 { input: nothing(g) };
    Resize "resize_(Tensor self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor" [method] => in_place input.resize_(size, memory_format, named("resize_", admitted)),
        grad Refused("cannot resize variables that require grad");
    ResizeAs "resize_as_(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor" [method]
        => in_place input.resize_as_(the_template, memory_format, named("resize_as_", admitted)),
        grad Refused("cannot resize variables that require grad");
    SetNothing "set_(Tensor self) -> Tensor" [method] => in_place input.set_(Source::NOTHING, named("set_", admitted)),
        grad none;
    SetSource "set_(Tensor self, Storage source) -> Tensor" [method] => in_place input.set_(source.clone(), named("set_", admitted)),
        grad none;
    SetPart "set_(Tensor self, Storage source, int storage_offset, int[] size, int[] stride=[]) -> Tensor" [method]
        => in_place input.set_(source.clone().part(storage_offset, size, Some(stride).filter(|stride| !stride.is_empty())), named("set_", admitted)),
        grad none;
    ShareMemory "share_memory_(Tensor self) -> Tensor" [method] => in_place input.storage().share_memory_().map(drop), on cpu,
        grad none;
    PinMemory "pin_memory(Tensor self) -> Tensor" [method] => new pinned(input),
        grad ToCopyBackward0 { input: g };

    Item "item(Tensor self) -> Scalar" [method] => new input.item(), on cpu | cuda;
    Size "size(Tensor self) -> int[]" [method] => new Outcome::ints(input.sizes());
    SizeOf "size(Tensor self, int dim) -> int" [method] => new Outcome::Int(input.sizes()[wrap_existing_dim(dim, input.rank())?] as i64);
    Stride "stride(Tensor self) -> int[]" [method] => new Outcome::ints(input.strides());
    StrideOf "stride(Tensor self, int dim) -> int" [method] => new Outcome::Int(input.strides()[wrap_existing_dim(dim, input.rank())?] as i64);
    Dim "dim(Tensor self) -> int" [method] => new input.rank();
    Numel "numel(Tensor self) -> int" => new input.numel();
    ElementSize "element_size(Tensor self) -> int" [method] => new input.dtype().itemsize();
    StorageOffset "storage_offset(Tensor self) -> int" [method] => new input.storage_offset();
    IsContiguous "is_contiguous(Tensor self, *, MemoryFormat memory_format=None) -> bool" [method]
        => new is_contiguous(input.sizes(), input.strides(), memory_format.unwrap_or(MemoryFormat::Contiguous));
    IsComplex "is_complex(Tensor self) -> bool" => new input.dtype().is_complex();
    IsFloatingPoint "is_floating_point(Tensor self) -> bool" => new input.dtype().is_floating_point();
    IsSigned "is_signed(Tensor self) -> bool" => new input.dtype().is_signed();
    GetDevice "get_device(Tensor self) -> int" => new Outcome::Int(ordinal(input));
    IsShared "is_shared(Tensor self) -> bool" [method] => new input.storage().is_shared();
    IsPinned "is_pinned(Tensor self) -> bool" [method] => new input.storage().is_pinned();
    IsSetTo "is_set_to(Tensor self, Tensor tensor) -> bool" [method] => new input.is_set_to(tensor);
    CanCast "can_cast(ScalarType from_, ScalarType to) -> bool" => new can_cast(from_, to);
    PromoteTypes "promote_types(ScalarType type1, ScalarType type2) -> ScalarType" => new promote_types(type1, type2)?;
    ResultType "result_type(Tensor|Scalar tensor1, Tensor|Scalar tensor2) -> ScalarType" => new promote_levels([promoting(tensor1), promoting(tensor2)])?;
};
