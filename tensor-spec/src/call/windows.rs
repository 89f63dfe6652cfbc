//! What goes over images in windows: columns of their elements, convolutions, pooling.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Im2col "im2col(Tensor self, int[1] kernel_size, int[1] dilation, int[1] padding, int[1] stride) -> Tensor" [function]
        => new windows::columns(input, &windows::windows(input.rank().saturating_sub(2), [kernel_size, dilation, padding, stride])?), of bool | floats | C64 | C128,
        grad Im2ColBackward0 { input: of_columns(g, &known(input)[2..], [kernel_size, dilation, padding, stride]) };
    Col2im "col2im(Tensor self, int[] output_size, int[1] kernel_size, int[1] dilation, int[1] padding, int[1] stride) -> Tensor" [function]
        => new windows::image(input, output_size, [kernel_size, dilation, padding, stride]), of bool | floats | C64 | C128,
        grad Col2ImBackward0 { input: to_columns(g, [kernel_size, dilation, padding, stride]) };
    UnfoldImages "nn.functional.unfold(Tensor self, int[1] kernel_size, int[1] dilation=1, int[1] padding=0, int[1] stride=1) -> Tensor" [function]
        => new windows::unfold(input, [kernel_size, dilation, padding, stride]), of bool | floats | C64 | C128,
        grad parts;
    Fold "fold(Tensor self, int[1] output_size, int[1] kernel_size, int[1] dilation=1, int[1] padding=0, int[1] stride=1) -> Tensor" [function]
        => new windows::fold(input, output_size, [kernel_size, dilation, padding, stride]), of bool | floats | C64 | C128,
        grad parts;

    Convolution "convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor" [function]
        => new convolutions::convolution(input, weight, bias, ConvolutionWalk { stride, padding, dilation, transposed, output_padding, groups }), of numbers,
        grad ConvolutionBackward0 { input: Convolved { g, input, weight, walk: [stride, padding, dilation], transposed, groups }.of_input(), weight: Convolved { g, input, weight, walk: [stride, padding, dilation], transposed, groups }.of_weight(), bias: of_bias(g) };
    Conv1d "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv(1, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    Conv1dNamed "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv_named(1, [input, weight], bias, padding, ConvolutionWalk { stride, padding: &[], dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    Conv2d "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv(2, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    Conv2dNamed "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv_named(2, [input, weight], bias, padding, ConvolutionWalk { stride, padding: &[], dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    Conv3d "conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv(3, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    Conv3dNamed "conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', int[1] dilation=1, int groups=1) -> Tensor" [function]
        => new convolutions::conv_named(3, [input, weight], bias, padding, ConvolutionWalk { stride, padding: &[], dilation, transposed: false, output_padding: &[0], groups }), of numbers, grad parts { name: convolved_node(input, weight) };
    ConvTranspose1d "conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor" [function]
        => new convolutions::conv(1, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: true, output_padding, groups }), of I64 | floats | complex, grad parts { name: convolved_node(input, weight) };
    ConvTranspose2d "conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor" [function]
        => new convolutions::conv(2, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: true, output_padding, groups }), of I64 | floats | complex, grad parts { name: convolved_node(input, weight) };
    ConvTranspose3d "conv_transpose3d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor" [function]
        => new convolutions::conv(3, [input, weight], bias, ConvolutionWalk { stride, padding, dilation, transposed: true, output_padding, groups }), of I64 | floats | complex, grad parts { name: convolved_node(input, weight) };

    MaxPool1dWithIndices "max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool_with_places(1, input, Pooling { kernel: kernel_size, stride, padding, dilation, ceil: ceil_mode }), of integers | floats,
        grad MaxPool2DWithIndicesBackward0 { input: of_max_pool(g, known(input), 1, second) };
    MaxPool2dWithIndices "max_pool2d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool_with_places(2, input, Pooling { kernel: kernel_size, stride, padding, dilation, ceil: ceil_mode }), of integers | floats,
        grad MaxPool2DWithIndicesBackward0 { input: of_max_pool(g, known(input), 2, second) };
    MaxPool3dWithIndices "max_pool3d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool_with_places(3, input, Pooling { kernel: kernel_size, stride, padding, dilation, ceil: ceil_mode }), of integers | floats,
        grad MaxPool3DWithIndicesBackward0 { input: of_max_pool(g, known(input), 3, second) };
    MaxPool1d "max_pool1d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool(1, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation, ceil: ceil_mode }, return_indices), of floats, grad parts as SqueezeBackward1;
    MaxPool2d "max_pool2d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool(2, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation, ceil: ceil_mode }, return_indices), of integers | floats, grad parts;
    MaxPool3d "max_pool3d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[1] dilation=1, bool ceil_mode=False, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new pools::max_pool(3, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation, ceil: ceil_mode }, return_indices), of integers | floats, grad parts;
    AvgPool1d "avg_pool1d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor" [function]
        => new pools::avg_pool(1, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: None }), of floats | I64,
        grad SqueezeBackward1 { input: of_avg_pool(g, 1, known(input), Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: None }) };
    AvgPool2d "avg_pool2d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor" [function]
        => to as_computed(to, pools::avg_pool(2, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: divisor_override })?), of floats | I64,
        grad AvgPool2DBackward0 { input: of_avg_pool(g, 2, known(input), Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: divisor_override }) };
    AvgPool3d "avg_pool3d(Tensor self, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor" [function]
        => to as_computed(to, pools::avg_pool(3, input, Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: divisor_override })?), of I64 | F32 | F64,
        grad AvgPool3DBackward0 { input: of_avg_pool(g, 3, known(input), Pooling { kernel: kernel_size, stride: stride.unwrap_or(&[]), padding, dilation: &[1], ceil: ceil_mode }, Divisor { counts_padding: count_include_pad, given: divisor_override }) };
    MaxUnpool1d "max_unpool1d(Tensor self, Tensor indices, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[]? output_size=None) -> Tensor" [function]
        => new unpools::max_unpool(1, input, indices, Unpooling { kernel: kernel_size, stride, padding, output: output_size }), of floats, grad parts as SqueezeBackward1;
    MaxUnpool2d "max_unpool2d(Tensor self, Tensor indices, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[]? output_size=None) -> Tensor" [function]
        => new unpools::max_unpool(2, input, indices, Unpooling { kernel: kernel_size, stride, padding, output: output_size }), of floats, grad parts as MaxUnpool2DBackward0;
    MaxUnpool3d "max_unpool3d(Tensor self, Tensor indices, int[1] kernel_size, int[1]? stride=None, int[1] padding=0, int[]? output_size=None) -> Tensor" [function]
        => new unpools::max_unpool(3, input, indices, Unpooling { kernel: kernel_size, stride, padding, output: output_size }), of floats, grad parts as MaxUnpool3DBackward0;
};
