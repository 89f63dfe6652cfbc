//! What PyTorch 2.15 says of lists, sizes, numbers and dtypes that don't go together, and what it says first.

use latten::by_name::NamedArgument;
use latten::prelude::*;
use latten::{args, call};

use super::{ones, outcome};

/// Numbers stand for as many as a call has dimensions, whatever a weight has, and lists are compared with those of the weight, in this order.
#[test]
fn convolutions_compare_lists_with_their_weight() -> Result<()> {
    let wanted = |name: &str, wanted: usize, found: &str| {
        format!(
            "expected {name} to be a single integer value or a list of {wanted} values to match the convolution dimensions, but got {name}={found}"
        )
    };
    let rank = |of: &str, sizes: &str| format!("Expected 4-dimensional input for 4-dimensional weight {of}, but got {sizes} instead");
    let (row, picture, film) = (ones(&[1, 2, 4], DType::F32)?, ones(&[2, 4, 4], DType::F32)?, ones(&[1, 2, 4, 4, 4], DType::F32)?);
    let weight = |over: usize| ones(&[&[3, 2][..], &vec![2; over]].concat(), DType::F32);
    let (one, two, three) = (weight(1)?, weight(2)?, weight(3)?);
    let turned = three.transpose(0, 1)?.erase();
    let said = |name: &str, given| outcome(call(name, given));
    assert_eq!(said("conv2d", args![&picture, &one]), wanted("stride", 1, "[1, 1]"));
    assert_eq!(said("conv2d", args![&picture, &one, padding = "valid"]), wanted("stride", 1, "[1, 1]"));
    assert_eq!(said("conv2d", args![&picture, &three, padding = 1]), wanted("stride", 3, "[1, 1]"));
    assert_eq!(said("conv2d", args![&picture, &three, stride = [1, 1, 1]]), wanted("padding", 3, "[0, 0]"));
    assert_eq!(said("conv3d", args![&film, &two, stride = [1, 1], padding = [1, 1]]), wanted("dilation", 2, "[1, 1, 1]"));
    assert_eq!(said("conv3d", args![&film, &two, stride = [1, 1], padding = "valid"]), wanted("dilation", 2, "[1, 1, 1]"));
    assert_eq!(
        said("conv_transpose2d", args![&picture, &turned, stride = [1, 1, 1], padding = [0, 0, 0], dilation = [1, 1, 1]]),
        wanted("output_padding", 3, "[0, 0]")
    );
    assert_eq!(said("conv_transpose3d", args![&film, &turned, output_padding = [1, 1]]), wanted("output_padding", 3, "[1, 1]"));
    assert_eq!(said("conv1d", args![&row, &two]), rank("[3, 2, 2, 2]", "3-dimensional input of size [1, 2, 4]"));
    let film_walk = || args![&film, &two, (), [1], [0], [1], false, [0], 1];
    assert_eq!(said("convolution", film_walk()), rank("[3, 2, 2, 2]", "5-dimensional input of size [1, 2, 4, 4, 4]"));

    // What keeps sizes looks at its operands itself, before it looks at numbers, and these before strides.
    let same = |name: &str, x: &DynTensor, weight: &DynTensor, stride: &[i64], dilation: &[i64]| {
        let list = |numbers: &[i64]| numbers.iter().map(|&number| number.into()).collect::<Vec<NamedArgument<'_>>>();
        outcome(call(name, args![x, weight, stride = list(stride), padding = "same", dilation = list(dilation)]))
    };
    let flat = ones(&[3, 2], DType::F32)?;
    assert_eq!(same("conv1d", &row, &flat, &[2], &[1, 1]), "weight should have at least three dimensions");
    assert_eq!(
        same("conv1d", &row.squeeze(0)?.erase(), &two, &[2], &[1, 1]),
        "Expected 4-dimensional input for 4-dimensional weight[3, 2, 2, 2], but got 3-dimensional input of size [1, 2, 4] instead"
    );
    assert_eq!(same("conv1d", &row, &one, &[2, 1], &[1, 1]), "stride cannot broadcast to 1 dimensions");
    assert_eq!(same("conv1d", &row, &one, &[2], &[1, 1]), "dilation cannot broadcast to 1 dimensions");
    assert_eq!(same("conv3d", &film, &three, &[1], &[]), "dilation cannot broadcast to 3 dimensions");
    assert_eq!(same("conv2d", &picture, &two, &[1, 2], &[1]), "padding='same' is not supported for strided convolutions");
    let alike = "Input type (CPUComplexFloatType) and weight type (torch.FloatTensor) should be the same";
    assert_eq!(same("conv1d", &row.to_dtype(DType::C64)?.erase(), &flat, &[2], &[1]), alike);
    Ok(())
}

/// Of no samples a result needs sizes that aren't negative; a library says it in its own words.
#[test]
fn transposed_convolutions_refuse_sizes_that_are_too_small() -> Result<()> {
    let memory = "could not construct a memory descriptor using a format tag";
    let cases = [
        (
            1,
            [4, 9],
            "invalid shape dimension -13 at index 3 of shape [0, 3, 1, -13]",
            "(1 x 4). Calculated output size per channel: (1 x -13)",
        ),
        (
            2,
            [4, 9],
            "invalid shape dimension -13 at index 2 of shape [0, 3, -13, -13]",
            "(4 x 4). Calculated output size per channel: (-13 x -13)",
        ),
        (1, [1, 1], "[0, 3, 0]", "(1 x 1). Calculated output size per channel: (1 x 0)"),
        (3, [1, 1], "[0, 3, 0, 0, 0]", "(1 x 1 x 1). Calculated output size per channel: (0 x 0 x 0)"),
    ];
    for (over, [size, padding], none, one) in cases {
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::I64, DType::C64] {
            let sizes = |first: usize, second: usize, size: usize| [&[first, second][..], &[size; 3][..over]].concat();
            let weight = ones(&sizes(2, 3, 2), dtype)?;
            let said = |samples: usize| {
                let x = ones(&sizes(samples, 2, size), dtype)?;
                Ok::<_, Error>(outcome(call(&format!("conv_transpose{over}d"), args![&x, &weight, (), 1, padding])))
            };
            let none = if none.starts_with('[') { format!("{dtype} {none}") } else { none.to_owned() };
            let in_library = |samples: &str| if padding == 9 { memory.to_owned() } else { none.replace("[0,", samples) };
            let small = format!("Given input size per channel: {one}. Output size is too small");
            let [one, two] = match dtype {
                DType::BF16 => [in_library("[1,"), in_library("[2,")],
                DType::F32 | DType::C64 => [small, in_library("[2,")],
                _ => [small.clone(), small],
            };
            assert_eq!([said(0)?, said(1)?, said(2)?], [none, one, two], "{over} dimensions of {dtype}");
        }
    }
    let weight = ones(&[2, 3, 2, 2], DType::F32)?;
    let said = |sizes: &[usize], output_padding: i64| {
        Ok::<_, Error>(outcome(call("conv_transpose2d", args![&ones(sizes, DType::F32)?, &weight, (), 1, 0, output_padding])))
    };
    let empty = "Only zero batch or zero channel inputs are supported, but got input shape: [2, 2, 0, 4]";
    assert_eq!(said(&[2, 2, 0, 4], 1)?, empty);
    assert_eq!(outcome(call("conv2d", args![&ones(&[2, 2, 0, 4], DType::F32)?, &ones(&[3, 2, 2, 2], DType::F32)?, (), 1, 1])), empty);
    assert_eq!(said(&[0, 2, 0, 4], 1)?, "float32 [0, 3, 2, 6]");
    assert_eq!(said(&[1, 2, 4, 4], -1)?, "negative output_padding is not supported");
    let added = "output padding must be smaller than either stride or dilation, but got output_padding_height: 1 output_padding_width: 1 \
                 stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1";
    assert_eq!([said(&[1, 2, 4, 4], 1)?, said(&[2, 2, 4, 4], 1)?], [added; 2]);
    let (row, weight) = (ones(&[1, 2, 4], DType::F32)?, ones(&[2, 3, 2], DType::F64)?);
    let added = "output padding must be smaller than either stride or dilation, but got output_padding_height: 0 output_padding_width: 3 \
                 stride_height: 1 stride_width: 2 dilation_height: 1 dilation_width: 1";
    assert_eq!(outcome(call("conv_transpose1d", args![&row, &weight, (), 2, 9, 3])), added);
    Ok(())
}

#[test]
fn norms_refuse_an_eps_that_is_no_positive_number() -> Result<()> {
    let (x, row, none) = (ones(&[2, 3], DType::F32)?, ones(&[3], DType::F32)?, ones(&[0, 3], DType::F32)?);
    let said = |x: &DynTensor, training: bool, eps: f64| outcome(call("batch_norm", args![x, &row, &row, (), (), training, 0.1, eps]));
    for (eps, known, learning) in [
        (1e-5, "float32 [2, 3]", "float32 [2, 3]"),
        (f64::NAN, "float32 [2, 3]", "float32 [2, 3]"),
        (0.0, "float32 [2, 3]", "batch_norm eps must be positive during training, but got 0.0"),
        (-1e-5, "batch_norm eps must be non-negative, but got -1e-05", "batch_norm eps must be positive during training, but got -1e-05"),
        (
            f64::NEG_INFINITY,
            "batch_norm eps must be non-negative, but got -inf",
            "batch_norm eps must be positive during training, but got -inf",
        ),
    ] {
        assert_eq!([said(&x, false, eps), said(&x, true, eps)], [known, learning], "{eps}");
    }
    // Too few numbers are said before, and parameters of other sizes after.
    assert_eq!(
        said(&ones(&[1, 3], DType::F32)?, true, 0.0),
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])"
    );
    assert_eq!(said(&ones(&[2, 4], DType::F32)?, false, -1.0), "batch_norm eps must be non-negative, but got -1.0");
    let native = call("native_batch_norm", args![&none, &ones(&[4], DType::F32)?, (), &row, &row, true, 0.1, 1e-5]);
    let native = native.map(drop).map_err(|error| error.message().to_owned());
    assert_eq!(native, Err("input tensor must have at least one element, but got input_sizes = [0, 3]".to_owned()));
    assert_eq!(outcome(call("cosine_similarity", args![&x, &x, eps = f64::NAN])), "eps must be non-negative, got: nan");
    Ok(())
}

/// A weight without numbers: what a kernel says, and what a library says of what is large, in the order in which they look at it.
#[test]
fn transposed_convolutions_refuse_weights_without_numbers() -> Result<()> {
    let library = "could not create a primitive descriptor for the deconvolution forward propagation primitive. Run workload with environment \
                   variable ONEDNN_VERBOSE=all to get additional diagnostic information.";
    let none = "select(): index 0 out of range for tensor of size [0] at dimension 0";
    let flat = |sizes: &str| format!("non-empty 2D or 4D weight tensor expected, but got: {sizes}");
    let deep = "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight, but got: \
                [2, 0, 2, 2, 2]";
    let kernel = "kernel size should be greater than zero, but got kernel_height: 1 kernel_width: 0";
    for (dtype, samples, in_library) in [
        (DType::F32, 1, false),
        (DType::F32, 2, true),
        (DType::F64, 2, false),
        (DType::BF16, 1, true),
        (DType::I64, 1, false),
        (DType::C64, 2, true),
    ] {
        let said = |samples: usize, weight: &[usize], groups: usize, padding: i64| {
            let over = weight.len() - 2;
            let x = ones(&[&[samples, 2 * groups][..], &[4; 3][..over]].concat(), dtype)?;
            let (name, weight) = (format!("conv_transpose{over}d"), ones(weight, dtype)?);
            Ok::<_, Error>(outcome(call(&name, args![&x, &weight, (), 1, padding, 0, groups as i64])))
        };
        let expected = |own: &str| if in_library { library.to_owned() } else { own.to_owned() };
        for (weight, text) in [
            (&[2, 0, 2][..], flat("[2, 0, 1, 2]")),
            (&[2, 0, 0], kernel.to_owned()),
            (&[2, 3, 0], kernel.to_owned()),
            (&[2, 0, 2, 2], flat("[2, 0, 2, 2]")),
            (&[2, 0, 2, 2, 2], deep.to_owned()),
        ] {
            assert_eq!([said(samples, weight, 1, 0)?, said(0, weight, 1, 0)?], [expected(&text), none.to_owned()], "{dtype}: {weight:?}");
        }
        // A library looks at sizes first, a kernel at the weight.
        let memory = "could not construct a memory descriptor using a format tag";
        assert_eq!(said(samples, &[2, 0, 2], 1, 9)?, if in_library { memory.to_owned() } else { flat("[2, 0, 1, 2]") }, "{dtype}");
    }
    let (x, weight, bias) = (ones(&[1, 2, 4], DType::F32)?, ones(&[2, 0, 2], DType::F32)?, ones(&[3], DType::F32)?);
    let wanted =
        "Given transposed=1, weight of size [2, 0, 2], expected bias to be 1-dimensional with 0 elements, but got bias of size [3] instead";
    assert_eq!(outcome(call("conv_transpose1d", args![&x, &weight, &bias])), wanted);
    Ok(())
}

/// Numbers that a tensor's dtype hasn't, orders that are none, dtypes of outputs, and the first of a list that is no integer.
#[test]
fn numbers_of_another_kind_are_refused_in_pytorchs_words() -> Result<()> {
    let [x, half, whole, complex] = [DType::F32, DType::BF16, DType::I64, DType::C64].map(|dtype| DynTensor::ones([2, 3], dtype));
    let (x, half, whole, complex) = (x?, half?, whole?, complex?);
    let unit = Complex::new(0.0_f64, 1.0);
    let float = "value cannot be converted to type float without overflow";
    let double = "value cannot be converted to type double without overflow";
    let clamp = "clamp is not supported for complex types";
    let order = |of: &str| format!("linalg.{of}_norm: Expected a non-complex scalar as the order of norm.");
    let element = |call: &str, name: &str, at: usize, found: &str| {
        format!("{call}(): argument '{name}' (position {at}) must be tuple of ints, but found element of type {found} at pos 0")
    };
    for (found, text) in [
        (call("leaky_relu", args![&x, unit]), float.to_owned()),
        (call("leaky_relu", args![&half, 1e300]), float.to_owned()),
        (call("leaky_relu", args![&whole, unit]), "\"leaky_relu_cpu\" not implemented for 'Long'".to_owned()),
        (call("threshold", args![&whole, unit, unit]), "value cannot be converted to type int64_t without overflow".to_owned()),
        (call("elu", args![&x.to_dtype(DType::F64)?, unit]), double.to_owned()),
        (call("elu", args![&x, "x"]), "elu(): argument 'alpha' (position 2) must be Number, not str".to_owned()),
        (call("softplus", args![&x, unit]), float.to_owned()),
        (call("hardshrink", args![&x, 1e300]), float.to_owned()),
        (call("clamp", args![&x, &complex, &complex]), "\"clamp_cpu\" not implemented for 'ComplexFloat'".to_owned()),
        (call("clamp", args![&x, &x, &complex]), "\"clamp_cpu\" not implemented for 'ComplexFloat'".to_owned()),
        (call("clamp", args![&x, max = &complex]), "\"minimum_cpu\" not implemented for 'ComplexFloat'".to_owned()),
        (call("clamp", args![&complex, &x, &x]), clamp.to_owned()),
        (call("clamp", args![&half, unit]), double.to_owned()),
        (call("clamp", args![&x, 0, unit]), double.to_owned()),
        (call("clamp", args![&whole, 0, unit]), clamp.to_owned()),
        (call("clamp_min", args![&x, unit]), clamp.to_owned()),
        (call("linalg.vector_norm", args![&x, unit]), order("vector")),
        (call("norm", args![&x, unit]), order("vector")),
        (call("linalg.norm", args![&x, unit]), order("matrix")),
        (call("linalg.matrix_norm", args![&x, unit]), order("matrix")),
        (call("renorm", args![&x, unit, 0, 1]), "renorm: p must be real-valued".to_owned()),
        (call("amax", args![&x, vec![NamedArgument::from(1.5)]]), element("amax", "dim", 2, "float")),
        (call("zeros", args![vec![NamedArgument::from("x")]]), element("zeros", "size", 1, "str")),
        (
            call("amax", args![&x, vec![NamedArgument::from(0), NamedArgument::from(1.5)]]),
            "amax(): argument 'dim' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""
                .to_owned(),
        ),
        (
            call("amax", args![&x, dim = vec![NamedArgument::from(1.5)]]),
            "amax(): argument 'dim' must be tuple of ints, not list".to_owned(),
        ),
    ] {
        assert_eq!(outcome(found), text);
    }
    for name in ["amax", "amin"] {
        for dim in [1, 5] {
            let mut out = DynTensor::zeros([2], DType::BF16)?;
            let wanted =
                "Expected the dtype for input and out to match, but got ComplexFloat for input's dtype and BFloat16 for out's dtype.";
            assert_eq!(outcome(call(name, args![&complex, dim, out = &mut out])), wanted, "{name}");
        }
    }
    let row = ones(&[3], DType::F32)?;
    let said = |training: bool, eps: NamedArgument<'static>| outcome(call("batch_norm", args![&x, &row, &row, (), (), training, 0.1, eps]));
    assert_eq!(said(true, 0.into()), "batch_norm eps must be positive during training, but got 0");
    assert_eq!(said(false, (-2).into()), "batch_norm eps must be non-negative, but got -2");
    assert_eq!(said(true, 1.into()), "float32 [2, 3]");
    assert_eq!(said(true, unit.into()), "'<=' not supported between instances of 'complex' and 'float'");
    let padded = call("pad", args![&x, [1, 1, 1, 1], "reflect"]);
    let combinations = "Padding size 4 is not supported for 2D input tensor.\nSupported combinations for non-constant padding:\n  - 2D or 3D input: \
                        padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D \
                        input: padding size = 6 (pads last 3 dimensions)";
    assert_eq!(outcome(padded), combinations);
    assert_eq!(outcome(call("adaptive_max_pool1d", args![&ones(&[0, 3], DType::F32)?, 2])), "float32 [0, 2]");
    Ok(())
}

/// Halves beside complex numbers, and other pairs of dtypes.
#[test]
fn operands_of_two_dtypes_are_refused_in_pytorchs_words() -> Result<()> {
    const ALL: [DType; 5] = [DType::F32, DType::BF16, DType::C64, DType::F64, DType::I64];
    let [x, half, complex, double, whole] = ALL.map(|dtype| DynTensor::ones([1, 2, 2], dtype));
    let (x, half, complex, double, whole) = (x?, half?, complex?, double?, whole?);
    let attended = |query, key, value, mask: Option<&DynTensor>| {
        outcome(match mask {
            Some(mask) => call("scaled_dot_product_attention", args![query, key, value, mask]),
            None => call("scaled_dot_product_attention", args![query, key, value]),
        })
    };
    let dtypes = "Expected query, key, and value to have the same dtype, but got query.dtype:";
    let masks = "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype:";
    for (found, text) in [
        (
            attended(&half, &complex, &half, None),
            format!("{dtypes} c10::BFloat16 key.dtype: c10::complex<float> and value.dtype: c10::BFloat16 instead."),
        ),
        (
            attended(&complex, &complex, &half, None),
            format!("{dtypes} c10::complex<float> key.dtype: c10::complex<float> and value.dtype: c10::BFloat16 instead."),
        ),
        (attended(&half, &half, &half, Some(&complex)), format!("{masks} c10::complex<float> and  query.dtype: c10::BFloat16 instead.")),
        (attended(&x, &x, &x, Some(&double)), format!("{masks} double and  query.dtype: float instead.")),
        (attended(&half, &half, &half, Some(&whole)), format!("{masks} long int and  query.dtype: c10::BFloat16 instead.")),
        (attended(&half, &half, &half, Some(&x)), "bfloat16 [1, 2, 2]".to_owned()),
        (attended(&double, &double, &double, Some(&x)), "float64 [1, 2, 2]".to_owned()),
    ] {
        assert_eq!(found, text);
    }
    let margin = |x: &DynTensor, y: &DynTensor| outcome(call("soft_margin_loss", args![x, y, reduction = "none"]));
    let cast = |from: &str, to: &str| format!("result type {from} can't be cast to the desired output type {to}");
    for (found, text) in [
        (margin(&half, &complex), cast("ComplexFloat", "BFloat16")),
        (margin(&x, &complex), cast("ComplexFloat", "Float")),
        (margin(&whole, &whole), cast("Float", "Long")),
        (margin(&whole, &complex), cast("ComplexFloat", "Long")),
        (margin(&half, &x), "bfloat16 [1, 2, 2]".to_owned()),
        (margin(&x, &double), "float32 [1, 2, 2]".to_owned()),
        (margin(&complex, &x), "complex64 [1, 2, 2]".to_owned()),
    ] {
        assert_eq!(found, text);
    }
    let counted = |bins: &DynTensor| call("histogram", args![&half, bins]).map(drop).map_err(|error| error.message().to_owned());
    let edges = "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype c10::BFloat16 and bins for \
                 dimension 0 with dtype c10::complex<float>";
    assert_eq!(counted(&complex), Err(edges.to_owned()));
    assert_eq!(counted(&ones(&[2], DType::BF16)?), Err("\"histogramdd\" not implemented for 'BFloat16'".to_owned()));
    Ok(())
}
