//! Operands of kinds that are rare: which of them are taken, and what PyTorch 2.15 says to the others.

use latten::prelude::*;
use latten::{Outcome, args, call, meshgrid_with};

use super::shown;

#[path = "refusals.rs"]
mod refusals;

/// What a call says, or the dtype and the sizes of what it gives.
fn outcome(outcome: Result<Outcome>) -> String {
    outcome
        .and_then(Outcome::tensor)
        .map_or_else(|error| error.message().to_owned(), |tensor| format!("{} {:?}", tensor.dtype(), tensor.sizes()))
}

fn ones(sizes: &[usize], dtype: DType) -> Result<DynTensor> {
    DynTensor::ones(sizes, dtype)
}

/// A bias is added to rows of a matrix, or to whatever the product is.
#[test]
fn a_bias_of_linear_is_a_row_or_anything_that_fits() -> Result<()> {
    const NO_MATRIX: &str = "addmm: mat2 must be a matrix, got 1-D tensor";
    const F32: DType = DType::F32;
    let (real, one) = (|sizes: &[usize]| ones(sizes, F32), |dtype| ones(&[], dtype));
    let every_second = real(&[6])?.i(i![..;2]).erase();
    let turned = real(&[5, 2, 3])?.transpose(0, 1)?.erase();
    let cases = [
        (real(&[3])?, real(&[3])?, one(F32)?, "float32 []"),
        (real(&[3])?, real(&[3])?, one(DType::F64)?, "float32 []"),
        (real(&[3])?, real(&[3])?, real(&[1])?, NO_MATRIX),
        (real(&[3])?, real(&[3])?, real(&[1, 4])?, NO_MATRIX),
        (real(&[3])?, real(&[3])?, real(&[2, 5])?, "output with shape [] doesn't match the broadcast shape [2, 5]"),
        (every_second, real(&[3])?, real(&[1])?, "output with shape [] doesn't match the broadcast shape [1]"),
        (real(&[2, 3])?, real(&[3])?, one(F32)?, NO_MATRIX),
        (real(&[2, 3])?, real(&[3])?, real(&[2, 5])?, NO_MATRIX),
        (real(&[2, 5, 3])?, real(&[3])?, one(F32)?, "float32 [2, 5]"),
        (real(&[2, 5, 3])?, real(&[3])?, real(&[2, 5])?, "float32 [2, 5]"),
        (real(&[2, 5, 3])?, real(&[3])?, real(&[5])?, NO_MATRIX),
        (real(&[5, 2, 3])?.transpose(0, 1)?.erase(), real(&[3])?, real(&[1])?, "float32 [2, 5]"),
        (turned, real(&[4, 3])?, ones(&[4], DType::F64)?, "float32 [2, 5, 4]"),
        (real(&[2, 5, 3])?, real(&[4, 3])?, ones(&[5, 4], DType::F64)?, "float32 [2, 5, 4]"),
        (
            real(&[2, 5, 3])?,
            real(&[4, 3])?,
            real(&[2, 5])?,
            "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2",
        ),
        (real(&[3])?, real(&[4, 3])?, real(&[5, 4])?, "output with shape [4] doesn't match the broadcast shape [5, 4]"),
        (real(&[3])?, real(&[4, 3])?, ones(&[4], DType::F64)?, "self and mat2 must have the same dtype, but got Double and Float"),
        (real(&[3])?, ones(&[3], DType::F64)?, real(&[2])?, "self and mat2 must have the same dtype, but got Float and Double"),
        (real(&[3])?, real(&[3])?, one(DType::C64)?, "result type ComplexFloat can't be cast to the desired output type Float"),
        (
            ones(&[3], DType::I64)?,
            ones(&[3], DType::I64)?,
            one(DType::F16)?,
            "result type Half can't be cast to the desired output type Long",
        ),
    ];
    for (input, weight, bias, expected) in &cases {
        assert_eq!(
            outcome(call("linear", args![input, weight, bias])),
            *expected,
            "{:?} {:?} {:?}",
            input.sizes(),
            weight.sizes(),
            bias.sizes()
        );
    }
    let bias = Tensor::<f64, shape![5, 4]>::ones().requiring_grad()?;
    let sum = call("linear", args![&real(&[2, 5, 3])?, &real(&[4, 3])?, &bias])?.tensor()?.sum();
    sum.backward()?;
    assert_eq!(bias.grad().map(|grad| grad.to_vec()), Some(vec![2.0; 20]));
    // The product is rounded before something is added to it that isn't a row of a matrix.
    let halves = |numbers: &[f64], sizes: &[usize]| Tensor::<f64>::from_vec(numbers.to_vec(), sizes.to_vec())?.to_dtype(DType::BF16);
    let x = halves(&[1.0078125, 1.0, 0.3, 0.2, 3.0, 0.01, 0.7, 7.0], &[1, 2, 2, 2])?.transpose(1, 2)?;
    let (weight, bias) = (halves(&[1.0, 0.0039, 0.31, 0.11], &[2, 2])?, halves(&[0.0037, 0.77], &[2])?);
    let numbers = |x: &DynTensor| Ok::<_, Error>(call("linear", args![x, &weight, &bias])?.tensor()?.reshape([-1])?.to_string());
    assert_eq!(
        numbers(&x.contiguous().erase())?,
        "tensor([1.0156, 1.1953, 3.0000, 1.7031, 0.3047, 0.8867, 0.7305, 1.7578],\n       dtype=torch.bfloat16)"
    );
    assert_eq!(
        numbers(&x.erase())?,
        "tensor([1.0156, 1.1875, 3.0000, 1.7031, 0.3047, 0.8828, 0.7305, 1.7500],\n       dtype=torch.bfloat16)"
    );
    Ok(())
}

/// In one dimension, in two and in three: of an operand with one sample or two, and with a bias of another dtype.
#[test]
fn transposed_convolutions_add_a_bias_of_another_dtype() -> Result<()> {
    let large = |dtype: &str, bias: &str| {
        format!(
            "Input type ({dtype}) and bias type ({bias}) should be the same or input should be a MKLDNN tensor and bias is a dense tensor"
        )
    };
    let (cast, expected) = (
        |bias: &str, own: &str| format!("result type {bias} can't be cast to the desired output type {own}"),
        |own: &str, bias: &str| format!("expected scalar type {own} but found {bias}"),
    );
    let fine = String::new;
    let double = large("torch.FloatTensor", "torch.DoubleTensor");
    let cases = [
        (DType::F32, DType::F64, [fine(), double.clone()], [expected("Float", "Double"), double]),
        (DType::F64, DType::I64, [fine(), fine()], [expected("Double", "Long"), expected("Double", "Long")]),
        (DType::F16, DType::F32, [fine(), fine()], [expected("Half", "Float"), expected("Half", "Float")]),
        (DType::I64, DType::Bool, [fine(), fine()], [expected("Long", "Bool"), expected("Long", "Bool")]),
        (DType::I64, DType::F16, [cast("Half", "Long"), cast("Half", "Long")], [expected("Long", "Half"), expected("Long", "Half")]),
        (
            DType::F64,
            DType::C64,
            [cast("ComplexDouble", "Double"), cast("ComplexDouble", "Double")],
            [expected("Double", "ComplexFloat"), expected("Double", "ComplexFloat")],
        ),
        (
            DType::BF16,
            DType::F32,
            [large("CPUBFloat16Type", "torch.FloatTensor"), large("CPUBFloat16Type", "torch.FloatTensor")],
            [large("CPUBFloat16Type", "torch.FloatTensor"), large("CPUBFloat16Type", "torch.FloatTensor")],
        ),
        (
            DType::C64,
            DType::F32,
            [0; 2].map(|_| "Input type (CPUComplexFloatType) and bias type (torch.FloatTensor) should be the same".to_owned()),
            [0; 2].map(|_| "Input type (CPUComplexFloatType) and bias type (torch.FloatTensor) should be the same".to_owned()),
        ),
    ];
    for (dtype, other, in_planes, in_space) in cases {
        for over in 1..=3 {
            for (samples, text) in [1, 2].into_iter().zip(if over == 3 { &in_space } else { &in_planes }) {
                let (x, weight) = (
                    ones(&[&[samples, 2][..], &[4, 4, 4][..over]].concat(), dtype)?,
                    ones(&[&[2, 3][..], &[2, 2, 2][..over]].concat(), dtype)?,
                );
                let sizes = [&[samples, 3][..], &[5, 5, 5][..over]].concat();
                let text = if text.is_empty() { format!("{dtype} {sizes:?}") } else { text.clone() };
                let name = format!("conv_transpose{over}d");
                assert_eq!(
                    outcome(call(&name, args![&x, &weight, &ones(&[3], other)?])),
                    text,
                    "{name} of {dtype}, {samples} samples, {other}"
                );
            }
        }
    }
    let (x, weight, bias) = (ones(&[1, 1, 2], DType::F32)?, ones(&[1, 1, 2], DType::F32)?, Tensor::from([0.5_f64]).erase());
    assert_eq!(shown(call("conv_transpose1d", args![&x, &weight, &bias])), "tensor([[[1.5000, 2.5000, 1.5000]]])");
    // Groups and wide kernels, too, are for what says it in other words.
    let (x, wide) = (ones(&[1, 2, 4, 4], DType::F32)?, ones(&[2, 3, 4, 4], DType::F64)?);
    let said = |weight: &DynTensor, groups: i64| outcome(call("conv_transpose2d", args![&x, weight, (), 1, 0, 0, groups]));
    let large = "Input type (torch.FloatTensor) and weight type (torch.DoubleTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor";
    assert_eq!(said(&wide, 1), large);
    assert_eq!(said(&wide.narrow(3, 0, 2)?.erase(), 2), large);
    assert_eq!(said(&wide.narrow(3, 0, 2)?.erase(), 1), "expected scalar type Float but found Double");
    Ok(())
}

#[test]
fn convolutions_refuse_a_dilation_of_nothing() -> Result<()> {
    let texts = [
        (
            "dilation should be greater than zero, but got [1, 0]",
            "dilation should be greater than zero, but got dilation_height: 1, dilation_width: 0",
        ),
        (
            "dilation should be greater than zero, but got [0, 0]",
            "dilation should be greater than zero, but got dilation_height: 0, dilation_width: 0",
        ),
        (
            "dilation should be greater than zero, but got [0, 0, 0]",
            "dilation should be greater than zero, but got dilation_depth: 0, dilation_height: 0, dilation_width: 0",
        ),
    ];
    for (over, (direct, transposed)) in (1..).zip(texts) {
        for dtype in [DType::F32, DType::F64, DType::I64, DType::C64, DType::BF16] {
            let sizes = |first: usize, second: usize, size: usize| [&[first, second][..], &[size; 3][..over]].concat();
            let library = "non-positive dilation is not supported";
            let (direct, transposed) = if dtype == DType::BF16 { (library, library) } else { (direct, transposed) };
            let (x, weight, turned) = (ones(&sizes(1, 2, 4), dtype)?, ones(&sizes(3, 2, 2), dtype)?, ones(&sizes(2, 3, 2), dtype)?);
            let said = |dilation: i64| {
                [
                    outcome(call(&format!("conv{over}d"), args![&x, &weight, (), 1, 0, dilation])),
                    outcome(call(&format!("conv_transpose{over}d"), args![&x, &turned, (), 1, 0, 0, 1, dilation])),
                ]
            };
            assert_eq!(said(0), [direct, transposed], "{over} dimensions of {dtype}");
            assert_eq!(said(-1), ["dilation should be greater than zero"; 2], "{over} dimensions of {dtype}");
        }
    }
    let (x, weight) = (ones(&[1, 2, 4, 4], DType::F32)?, ones(&[3, 2, 2, 2], DType::F32)?);
    let said = |x: &DynTensor, dilation: [i64; 2]| outcome(call("conv2d", args![x, &weight, (), 1, 0, dilation]));
    assert_eq!(said(&x, [2, 0]), "dilation should be greater than zero, but got [2, 0]");
    assert_eq!(said(&ones(&[2, 2, 4, 4], DType::F32)?, [2, 0]), "non-positive dilation is not supported");
    assert_eq!(said(&ones(&[0, 2, 4, 4], DType::F32)?, [0, 0]), "float32 [0, 3, 4, 4]");
    // Windows that are too large are refused before, and of no samples nothing but sizes matters.
    let wide = ones(&[3, 2, 9, 9], DType::F32)?;
    assert_eq!(
        outcome(call("conv2d", args![&x, &wide, (), 1, 0, [2, 0]])),
        "Calculated padded input size per channel: (4 x 4). Kernel size: (17 x 1). Kernel size can't be greater than actual input size"
    );
    let (none, doubles) = (ones(&[0, 2, 4, 4], DType::F32)?, ones(&[2, 3, 2, 2], DType::F64)?);
    assert_eq!(outcome(call("conv_transpose2d", args![&none, &doubles])), "float32 [0, 3, 5, 5]");
    let small = |name: &str, x: &[usize], weight: &[usize]| {
        Ok::<_, Error>(outcome(call(name, args![&ones(x, DType::F32)?, &ones(weight, DType::F32)?, (), 1, 9])))
    };
    assert_eq!(
        small("conv_transpose1d", &[1, 2, 4], &[2, 3, 2])?,
        "Given input size per channel: (1 x 4). Calculated output size per channel: (1 x -13). Output size is too small"
    );
    assert_eq!(
        small("conv_transpose3d", &[1, 2, 4, 4, 4], &[2, 3, 2, 2, 2])?,
        "Given input size per channel: (4 x 4 x 4). Calculated output size per channel: (-13 x -13 x -13). Output size is too small"
    );
    let (x, weight) = (x.typed::<f32, shape![_, _, _, _]>()?, weight.typed::<f32, shape![_, _, _, _]>()?);
    let refused = x.conv2d_with(&weight, None, 1, 0, 0).map(drop).map_err(|error| error.message().to_owned());
    assert_eq!(refused, Err("dilation should be greater than zero, but got [0, 0]".to_owned()));
    Ok(())
}

#[test]
fn lists_of_nothing_and_numbers_below_zero_are_refused_in_pytorchs_words() -> Result<()> {
    const EMPTY: &str = "meshgrid expects a non-empty TensorList";
    let said = |outcome: Result<Outcome>| outcome.map(drop).map_or_else(|error| error.message().to_owned(), |()| "fine".to_owned());
    let none: [&DynTensor; 0] = [];
    assert_eq!(said(call("meshgrid", args![none])), EMPTY);
    assert_eq!(said(call("meshgrid", args![none, indexing = "zz"])), EMPTY);
    assert_eq!(meshgrid_with::<f32, Any>(&[], "ij").map(|grids| grids.len()).map_err(|error| error.to_string()), Err(EMPTY.to_owned()));

    let points = ones(&[4, 2], DType::F32)?;
    let none_along = |dim: usize| {
        format!("torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension {dim}")
    };
    let no_bins = |bins: i64, dim: usize| format!("torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}");
    let (steps, range) = (
        "number of steps must be non-negative".to_owned(),
        "torch.histogramdd: min should not exceed max, but got min 1 max 0 for dimension 0",
    );
    for (bins, text) in [
        ([-1, 2], none_along(0)),
        ([0, 2], no_bins(0, 0)),
        ([0, -1], none_along(1)),
        ([2, 0], no_bins(0, 1)),
        ([2, -3], steps.clone()),
        ([-1, -3], steps.clone()),
        ([0, -3], steps.clone()),
    ] {
        assert_eq!(said(call("histogramdd", args![&points, bins])), text, "{bins:?}");
        assert_eq!(said(call("histogramdd", args![&points, bins, range = [1.0, 0.0, 0.0, 1.0]])), range, "{bins:?}");
    }
    for (bins, text) in [(-1, none_along(0)), (0, no_bins(0, 0)), (-2, steps)] {
        assert_eq!(said(call("histogramdd", args![&points, bins])), text, "{bins}");
        assert_eq!(said(call("histogram", args![&points, bins])), no_bins(bins, 0));
    }
    let (weight, edges) = (ones(&[3], DType::F32)?, ones(&[1], DType::F32)?);
    let of_another_shape = "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost \
                            dimension, but got input with shape [4, 2] and weight with shape [3]";
    assert_eq!(said(call("histogramdd", args![&points, [2, 0], weight = &weight])), of_another_shape);
    assert_eq!(said(call("histogramdd", args![&points, [&edges, &edges], weight = &weight])), of_another_shape);

    for (sizes, text) in [
        (&[9_usize][..], "Dimension out of range (expected to be in range of [-2, 1], but got -3)"),
        (&[0], "Dimension out of range (expected to be in range of [-2, 1], but got -3)"),
        (&[], "Dimension out of range (expected to be in range of [-1, 0], but got -2)"),
    ] {
        assert_eq!(said(call("istft", args![&ones(sizes, DType::C64)?, 16])), text, "{sizes:?}");
    }
    let row = "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.";
    assert_eq!(said(call("istft", args![&ones(&[9], DType::F32)?, 16])), row);
    Ok(())
}

/// Of a number, whichever it is: 1 is the mean, 2 the sum, and all others are no reduction.
#[test]
fn a_reduction_of_ctc_loss_is_any_number() -> Result<()> {
    let (scores, labels) = (ones(&[5, 1, 3], DType::F32)?, ones(&[1, 2], DType::I64)?);
    let lengths = [Tensor::from([5_i64]), Tensor::from([2_i64])];
    for (reduction, text) in
        [(-1, "float32 [1]"), (0, "float32 [1]"), (1, "float32 []"), (2, "float32 []"), (3, "float32 [1]"), (5, "float32 [1]")]
    {
        assert_eq!(outcome(call("ctc_loss", args![&scores, &labels, [5], [2], 0, reduction])), text, "{reduction}");
        assert_eq!(outcome(call("ctc_loss", args![&scores, &labels, &lengths[0], &lengths[1], 0, reduction])), text, "{reduction}");
    }
    Ok(())
}

/// Means and variances are taken in the dtype of the parameters, and moved there; the parameters are of the input's dtype.
#[test]
fn running_numbers_of_instance_norm_are_of_any_dtype() -> Result<()> {
    let x = Tensor::<f32>::arange(24)?.reshape([2, 3, 4])?.pow(1.3) / 3.0;
    let weight = Tensor::from([1.0_f32, 2.0, 3.0]);
    let double = ["tensor([2.4811, 4.4190, 5.8058], dtype=torch.float64)", "tensor([1.4686, 0.8114, 4.1867], dtype=torch.float64)"];
    let rounded = ["tensor([2.4844, 4.4062, 5.8125], dtype=torch.float64)", "tensor([1.4688, 0.8125, 4.1875], dtype=torch.float64)"];
    let whole = ["tensor([2, 3, 5])", "tensor([0, 0, 3])"];
    let truths = ["tensor([True, True, True])"; 2];
    let cases = [
        (DType::F32, DType::F64, false, double, ["tensor([-1.2134, -0.5776])", "tensor([-0.9971, -0.7414])"]),
        (DType::F32, DType::F64, true, double, ["tensor([-0.2134,  0.4224])", "tensor([0.0029, 0.2586])"]),
        (DType::F32, DType::I64, false, whole, ["tensor([-1.2134, -0.5776])", "tensor([-1.0000, -0.6667])"]),
        (DType::F32, DType::Bool, false, truths, ["tensor([-1.2134, -0.5776])", "tensor([-1.0000, -0.6667])"]),
        (
            DType::BF16,
            DType::F64,
            false,
            rounded,
            ["tensor([-1.2109, -0.5781], dtype=torch.bfloat16)", "tensor([-0.9922, -0.7383], dtype=torch.bfloat16)"],
        ),
    ];
    for (dtype, running, has_weight, moved, [learning, known]) in cases {
        let x = x.to_dtype(dtype)?;
        for (training, expected) in [(true, learning), (false, known)] {
            let [mean, variance] = [[1.3_f32, 2.7, 3.1], [1.7, 0.6, 5.3]].map(|numbers| Tensor::from(numbers).to_dtype(running));
            let (mean, variance) = (mean?, variance?);
            let factor = has_weight.then_some(&weight);
            let found = call("instance_norm", args![&x, &mean, &variance, factor, factor, training, 0.3, 1e-5])?.tensor()?;
            assert_eq!(found.i(i![0, 0, ..2]).to_string(), expected, "{dtype} by {running}, {training}");
            if training {
                assert_eq!([mean.to_string(), variance.to_string()], moved, "{dtype} by {running}");
            }
        }
    }
    let kept = ones(&[3], DType::F32)?;
    let beside = |dtype| Ok::<_, Error>(outcome(call("instance_norm", args![&x.to_dtype(dtype)?, &kept, &kept, (), &weight])));
    assert_eq!(beside(DType::F16)?, "mixed dtype (CPU): expect parameter to have scalar type of Float");
    assert_eq!(beside(DType::I64)?, "\"batch_norm\" not implemented for 'Long'");
    let said = |weight: &DynTensor| outcome(call("instance_norm", args![&x, (), (), weight, weight]));
    assert_eq!(said(&ones(&[3], DType::F64)?), "mixed dtype (CPU): expect parameter to have scalar type of Float");
    let x = x.to_dtype(DType::F64)?;
    let said = outcome(call("instance_norm", args![&x, (), (), &weight, &weight]));
    assert_eq!(said, "mixed dtype (CPU): all inputs must share same datatype.");
    Ok(())
}

/// A share of the norm is one division, and of halves it is rounded before anything is multiplied by it.
#[test]
fn renorm_rounds_where_pytorch_does() -> Result<()> {
    for (dtype, given, expected) in [
        (DType::BF16, [2.5, 4.5, 0.5], [0.722_656_25, 1.296_875, 0.144_531_25]),
        (DType::F16, [1.875, 2.5, 0.25], [0.897_460_937_5, 1.196_289_062_5, 0.119_628_906_25]),
        (DType::F32, [3.5, 2.375, 2.0], [1.122_096_419_334_411_6, 0.761_422_574_520_111_1, 0.641_197_979_450_225_8]),
    ] {
        let row = DynTensor::from(latten::RawTensor::from_vec(given.to_vec(), &[1, 3])?).to_dtype(dtype)?;
        let found = call("renorm", args![&row, 2, 0, 1.5])?.tensor()?;
        assert_eq!(found.to_dtype(DType::F64)?.to_scalars()?, expected.map(Scalar::Float), "{dtype}");
    }
    Ok(())
}
