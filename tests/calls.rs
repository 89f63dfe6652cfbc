//! Calls by name: what they give, what PyTorch 2.15 says to wrong ones, and that every row of the table can be called.

#[path = "calls/forms.rs"]
mod forms;
#[path = "calls/overloads.rs"]
mod overloads;
#[path = "calls/words.rs"]
mod words;

use latten::by_name::{Arguments, NamedArgument};
use latten::prelude::*;
use latten::{Entry, Error, Span, args, call, operations};

/// A number of a tensor, or of anything that prints.
fn shown(outcome: Result<latten::Outcome, Error>) -> String {
    match outcome.and_then(latten::Outcome::tensor) {
        Ok(tensor) => tensor.to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn calls_by_name_have_pytorch_s_arguments_and_defaults() {
    let x = Tensor::from([[1.0_f32, -2.0, 3.0], [4.0, 5.0, -6.0]]);
    let (rows, mask) = (Tensor::from([1_i64, 0]), Tensor::from([true, false]));
    let (far, one) = (Tensor::from([Complex::new(1e8_f32, 0.0)]), Tensor::from([Complex::new(1.0_f32, 0.0)]));
    for (got, expected) in [
        (call("add", args![&x, &x, alpha = 2]), "tensor([[  3.,  -6.,   9.],\n        [ 12.,  15., -18.]])"),
        (call("add", args![&mask, &mask, alpha = true]), "tensor([ True, False])"),
        (call("add", args![&mask, true, alpha = false]), "tensor([ True, False])"),
        (call("lerp", args![&far, &one, 1.0]), "tensor([1.+0.j])"),
        (call("sum", args![&x]), "tensor(5.)"),
        (call("sum", args![&x, 0]), "tensor([ 5.,  3., -3.])"),
        (call("sum", args![&x, axis = 0, keepdims = true]), "tensor([[ 5.,  3., -3.]])"),
        (call("amax", args![&x, [0, 1]]), "tensor(5.)"),
        (call("clamp", args![&x, min = 0]), "tensor([[1., 0., 3.],\n        [4., 5., 0.]])"),
        (call("index_select", args![&x, 0, &rows]), "tensor([[ 4.,  5., -6.],\n        [ 1., -2.,  3.]])"),
        (call("view", args![&x, 3, 2]), "tensor([[ 1., -2.],\n        [ 3.,  4.],\n        [ 5., -6.]])"),
        (call("cat", args![[&rows, &rows]]), "tensor([1, 0, 1, 0])"),
        (call("arange", args![3]), "tensor([0, 1, 2])"),
        (call("arange", args![1, 4, 2, dtype = DType::F32]), "tensor([1., 3.])"),
        (call("div", args![&x, 2, rounding_mode = "floor"]), "tensor([[ 0., -1.,  1.],\n        [ 2.,  2., -3.]])"),
        (call("std", args![&x, 1, correction = 0]), "tensor([2.0548, 4.9666])"),
        (call("pow", args![2, &x]), "tensor([[2.0000e+00, 2.5000e-01, 8.0000e+00],\n        [1.6000e+01, 3.2000e+01, 1.5625e-02]])"),
        (call("pow", args![&x, 2]), "tensor([[ 1.,  4.,  9.],\n        [16., 25., 36.]])"),
        (call("remainder", args![7.5, &x]), "tensor([[ 0.5000, -0.5000,  1.5000],\n        [ 3.5000,  2.5000, -4.5000]])"),
        (call("softsign", args![&x]), "tensor([[ 0.5000, -0.6667,  0.7500],\n        [ 0.8000,  0.8333, -0.8571]])"),
        (call("logit", args![&x, 0.25]), "tensor([[ 1.0986, -1.0986,  1.0986],\n        [ 1.0986,  1.0986, -1.0986]])"),
        (call("gcd", args![&tensor![-12_i8, 0, -128], &tensor![18_i8, 0, -128]]), "tensor([   6,    0, -128], dtype=torch.int8)"),
        (call("lcm", args![&tensor![200_u8, 0], &tensor![75_u8, 5]]), "tensor([88,  0], dtype=torch.uint8)"),
        (call("zeros", args![2, device = "meta"]), "tensor(..., device='meta', size=(2,))"),
    ] {
        assert_eq!(shown(got), expected);
    }
}

/// Where a result shows in which order an operation rounds, and which sign its zeros have, both are PyTorch's.
#[test]
fn operations_round_in_pytorch_s_order() {
    let one = |number: f32| Tensor::from([number]);
    let pair = |re: f32, im: f32| Tensor::from([Complex::new(re, im)]);
    let (zero, great, small, greater) = (one(0.0), one(1e20), one(1e-30), one(1e30));
    let half = call("lerp", args![&one(0.1), &one(0.3), 0.5]).and_then(latten::Outcome::tensor).expect("halfway");
    // From 0.1 by steps alone, the last would be 0.9000000000000001.
    let tenths = call("linspace", args![0.1, 0.9, 12, dtype = DType::F64]).and_then(latten::Outcome::tensor).expect("twelve");
    let bytes = Tensor::from([[1_u8, 2, 3]]);
    let halves = |number: f32| Tensor::from([[bf16::from_f32(number)]]);
    for (got, expected) in [
        (call("sub", args![&tenths.select(0, 11).expect("the last"), 0.9]), "tensor(0., dtype=torch.float64)"),
        (call("linspace", args![0, 2.9, 5, dtype = DType::I64]), "tensor([0, 0, 1, 1, 2])"),
        (call("einsum", args!["ij->j", &bytes]), "tensor([1, 2, 3])"),
        (call("addmm", args![&halves(0.0), &halves(1.0), &halves(100.0), alpha = 0.6]), "tensor([[60.]], dtype=torch.bfloat16)"),
        (
            call("embedding", args![&Tensor::from([1_i64, 0]), &Tensor::from([[1.0_f32], [2.0]]), padding_idx = -1]),
            "tensor([[2.],\n        [1.]])",
        ),
        (
            call("embedding", args![&Tensor::from([1_i64, 0]), &Tensor::from([[1.0_f32], [2.0]]), padding_idx = 2]),
            "Padding_idx must be within num_embeddings",
        ),
        (call("addcmul", args![&zero, &great, &small, value = 1e20]), "tensor([inf])"),
        (call("addcdiv", args![&zero, &great, &greater, value = 1e20]), "tensor([inf])"),
        (call("sub", args![&half, &one(0.2)]), "tensor([0.])"),
        (call("floor_divide", args![&one(9_098_185.0), &one(101.857_14)]), "tensor([89322.])"),
        (call("tanh", args![&pair(f32::INFINITY, f32::NEG_INFINITY)]), "tensor([1.-0.j])"),
        (call("tanh", args![&pair(500.0, -1.0)]), "tensor([1.-0.j])"),
    ] {
        assert_eq!(shown(got), expected);
    }
}

/// Poles, infinities and refusals; PyTorch's own `trigamma` rounds near the first.
#[test]
fn gamma_functions_end_at_poles_as_pytorch_s() {
    let poles = Tensor::from([0.0_f32, -1.0, -2.0, 0.25, 3.0, f32::INFINITY, f32::NEG_INFINITY]);
    let (whole, flags, x) = (Tensor::from([0_i64, -1, 3]), Tensor::from([true]), Tensor::from([3.0_f32]));
    let (mut whole_out, mut float_out) = (Tensor::from([0_i32; 3]).erase(), Tensor::from([0_i32]).erase());
    for (got, expected) in [
        (
            call("polygamma", args![1, &poles]),
            "tensor([       inf, 1.2914e+15, 3.2284e+14, 1.7197e+01, 3.9493e-01, 0.0000e+00,\n               nan])",
        ),
        (
            call("polygamma", args![1, &poles.to::<f64>()]),
            "tensor([       inf, 6.5808e+32, 1.6452e+32, 1.7197e+01, 3.9493e-01, 0.0000e+00,\n               nan], dtype=torch.float64)",
        ),
        (
            call("polygamma", args![2, &poles]),
            "tensor([     -inf,      -inf,      -inf, -129.3277,   -0.1541,       nan,\n             -inf])",
        ),
        (call("polygamma", args![1, &whole]), "tensor([       inf, 1.2914e+15, 3.9493e-01])"),
        (call("polygamma", args![1, &poles.to::<Complex<f32>>()]), "\"trigamma\" not implemented for 'ComplexFloat'"),
        (call("polygamma", args![2, &poles.to::<Complex<f32>>()]), "\"polygamma\" not implemented for 'ComplexFloat'"),
        (call("mvlgamma", args![&flags, 0]), "The input tensor may not be a boolean tensor."),
        (call("mvlgamma", args![&x, 0]), "p has to be greater than or equal to 1"),
        (
            call("mvlgamma", args![&whole, 2, out = &mut whole_out]),
            "mvlgamma: result type Long can't be cast to the desired output type Float",
        ),
        (
            call("mvlgamma", args![&x, 2, out = &mut float_out]),
            "mvlgamma: result type Float can't be cast to the desired output type Float",
        ),
        (call("fft.fftn", args![&x, dim = [0, -1]]), "FFT dims must be unique"),
        (call("fft.fftn", args![&x, dim = [0, 0, 5]]), "Dimension out of range (expected to be in range of [-1, 0], but got 5)"),
    ] {
        assert_eq!(shown(got), expected);
    }
}

/// What is declared in terms of other calls, and indexing operations; the numbers are PyTorch 2.15's.
#[test]
fn declared_operations_give_pytorch_s_numbers() {
    let x = Tensor::from([[1.0_f32, -2.0, 3.0], [4.0, 5.0, -6.0]]);
    let ones = Tensor::from([[1.0_f32; 3]; 2]);
    let row = Tensor::from([1.0_f32, 1.0, 1.0]);
    let (twice, ends, first) = (Tensor::from([1_i64, 1]), Tensor::from([-1_i64, 0]), Tensor::from([0_i64]));
    let (often, heavy) = (Tensor::from([1_i64, 2, 1]), Tensor::from([0.5_f32, 2.0, 1.0]));
    let source = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    for (got, expected) in [
        (call("dist", args![&x, &row]), "tensor(9.3274)"),
        (call("dist", args![&x, &row, 1]), "tensor(19.)"),
        (call("dist", args![&x, &row, 0]), "tensor(5.)"),
        (call("dist", args![&x, &row, p = 3]), "tensor(7.7695)"),
        (call("dist", args![&x, &row, f64::INFINITY]), "tensor(7.)"),
        (call("dist", args![&often, &often]), "norm(): input dtype should be either floating point or complex. Got Long instead."),
        (
            call("dist", args![&x, &heavy.narrow(0, 0, 2).expect("two")]),
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1",
        ),
        (call("cov", args![&x]), "tensor([[  6.3333, -13.0000],\n        [-13.0000,  37.0000]])"),
        (call("cov", args![&x, correction = 0]), "tensor([[ 4.2222, -8.6667],\n        [-8.6667, 24.6667]])"),
        (call("cov", args![&x, fweights = &often]), "tensor([[  6.0000, -11.3333],\n        [-11.3333,  28.6667]])"),
        (call("cov", args![&x, aweights = &heavy]), "tensor([[  8.7143, -17.5714],\n        [-17.5714,  41.8571]])"),
        (call("cov", args![&x, fweights = &often, aweights = &heavy]), "tensor([[  5.7143, -11.2381],\n        [-11.2381,  25.5238]])"),
        (call("cov", args![&row]), "tensor(0.)"),
        (call("cov", args![&x, fweights = &heavy]), "cov(): expected fweights to have integral dtype but got fweights with Float dtype"),
        (
            call("cov", args![&x, aweights = &often]),
            "cov(): expected aweights to have floating point dtype but got aweights with Long dtype",
        ),
        (
            call("cov", args![&x, fweights = &twice]),
            "cov(): expected fweights to have the same numel as there are observations in the input but got 2 != 3",
        ),
        (call("diff", args![&x]), "tensor([[ -3.,   5.],\n        [  1., -11.]])"),
        (call("diff", args![&x, 2]), "tensor([[  8.],\n        [-12.]])"),
        (call("diff", args![&x, 5]), "tensor([], size=(2, 0))"),
        (call("diff", args![&x, 0]), "tensor([[ 1., -2.,  3.],\n        [ 4.,  5., -6.]])"),
        (call("diff", args![&x, dim = 0]), "tensor([[ 3.,  7., -9.]])"),
        (call("diff", args![&row, prepend = &first]), "tensor([1., 0., 0.])"),
        (call("diff", args![&often, append = &twice]), "tensor([ 1, -1,  0,  0])"),
        (call("diff", args![&Tensor::from([3_u8, 5, 4])]), "tensor([  2, 255], dtype=torch.uint8)"),
        (call("diff", args![&Tensor::from([true, false, true, true]), 2]), "tensor([False,  True])"),
        (call("diff", args![&x, -1]), "order must be non-negative but got -1"),
        (call("diff", args![&x, dim = 2]), "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (call("diff", args![&x, prepend = &row]), "diff expects prepend or append to be the same dimension as input"),
        (
            call("diff", args![&x, append = &x, dim = 1, prepend = &Tensor::from([[1.0_f32]])]),
            "diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; \
             input.size(0) = 2, but got tensor.size(0) = 1",
        ),
        (call("diff", args![&Tensor::from(1.0_f32), -1]), "diff expects input to be at least one-dimensional"),
        (call("flipud", args![&x]), "tensor([[ 4.,  5., -6.],\n        [ 1., -2.,  3.]])"),
        (call("fliplr", args![&x]), "tensor([[ 3., -2.,  1.],\n        [-6.,  5.,  4.]])"),
        (call("flipud", args![&Tensor::from(1.0_f32)]), "Input must be >= 1-d."),
        (call("fliplr", args![&row]), "Input must be >= 2-d."),
        (call("index_add", args![&ones, 0, &twice, &source]), "tensor([[ 1.,  1.,  1.],\n        [ 6.,  8., 10.]])"),
        (call("index_add", args![&ones, 0, &twice, &source, alpha = 2]), "tensor([[ 1.,  1.,  1.],\n        [11., 15., 19.]])"),
        (call("index_add", args![&ones, 0, &ends, &source]), "index -1 is out of bounds for dimension 0 with size 2"),
        (
            call("index_add", args![&ones, 0, &first, &source]),
            "index_add_(): Number of indices (1) should be equal to source.size(dim): (2), for dim: 0",
        ),
        (call("index_add", args![&ones, 0, &heavy, &source]), "index_add_(): Expected dtype int32/int64 for index but got: Float"),
        (call("index_add", args![&ones, 5, &first, &source]), "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
        (call("index_add", args![&often, 0, &twice, &often.narrow(0, 0, 2).expect("two"), alpha = 1.5]), "tensor([1, 5, 1])"),
        (call("index_fill", args![&ones, 0, &first, 2.5]), "tensor([[2.5000, 2.5000, 2.5000],\n        [1.0000, 1.0000, 1.0000]])"),
        (call("index_fill", args![&ones, 1, &ends, 7]), "tensor([[7., 1., 7.],\n        [7., 1., 7.]])"),
        (call("index_fill", args![&often, 0, &first, 2.7]), "tensor([2, 2, 1])"),
        (call("index_fill", args![&ones, 1, &heavy, 7]), "index_fill_(): Expected dtype int64 for index."),
        (
            call("index_fill", args![&ones, 1, &often.narrow(0, 1, 1).expect("one"), &heavy]),
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
    ] {
        assert_eq!(shown(got), expected);
    }
}

#[test]
fn what_has_no_data_can_be_computed_with() -> Result<(), Error> {
    let x = DynTensor::ones([2, 3], Options::new().device("meta")?)?;
    let sizes = |outcome: latten::Outcome| Ok::<_, Error>(outcome.tensor()?.sizes().to_vec());
    assert_eq!(sizes(call("dist", args![&x, &x])?)?, [0; 0]);
    assert_eq!(sizes(call("cov", args![&x])?)?, [2, 2]);
    assert_eq!(sizes(call("isclose", args![&x, &x])?)?, [2, 3]);
    assert_eq!(sizes(call("diff", args![&x, append = &x])?)?, [2, 5]);
    Ok(())
}

#[test]
fn a_call_in_place_changes_its_tensor_and_out_is_written() -> Result<(), Error> {
    let mut x = Tensor::from([1.0_f32, 4.0]).erase();
    call("sqrt_", args![&mut x])?;
    let mut out = DynTensor::empty([0], DType::F32)?;
    call("add", args![&x, 1, out = &mut out])?;
    assert_eq!([x.to_string(), out.to_string()], ["tensor([1., 2.])", "tensor([2., 3.])"]);
    assert_eq!(
        call("sqrt_", args![&x]).map(drop).map_err(|error| error.to_string()),
        Err("sqrt_() changes its first argument: give a tensor as `&mut`, not Tensor".to_owned())
    );
    Ok(())
}

/// What an output has to be, in PyTorch 2.15's words, and what becomes of it.
#[test]
fn an_output_has_the_dtype_of_the_result() -> Result<(), Error> {
    let empty = |dtype| DynTensor::empty([0], dtype);
    let x = Tensor::from([[0.0_f32, 0.0], [1.0, 1.0]]);
    let ints = Tensor::from([1_i64, 2]);
    let halves = "tensor([[0.5000, 0.5000],\n        [0.5000, 0.5000]])";
    for (name, arguments, dtype, expected) in [
        ("softmax", args![&x, 1], DType::F32, halves),
        ("softmax", args![&x, 1], DType::F64, "Expected out tensor to have dtype float, but got double instead"),
        ("softmax", args![&x, 1, dtype = DType::F64], DType::F32, "Expected out tensor to have dtype double, but got float instead"),
        ("softmax", args![&ints, 0], DType::F32, "Expected out tensor to have dtype long int, but got float instead"),
        (
            "log_softmax",
            args![&x, 0, dtype = DType::F64],
            DType::F64,
            "tensor([[-1.3133, -1.3133],\n        [-0.3133, -0.3133]], dtype=torch.float64)",
        ),
        ("cumsum", args![&x, 0], DType::I64, "tensor([[0, 0],\n        [1, 1]])"),
        ("cumsum", args![&x, 0, dtype = DType::F32], DType::I64, "Expected out tensor to have dtype float, but got long int instead"),
        ("rand", args![[0], dtype = DType::F64], DType::F32, "dtype Double does not match dtype of out parameter (Float)"),
        ("randint", args![5, [0]], DType::F32, "tensor([])"),
        ("randint", args![5, [0], dtype = DType::I64], DType::F32, "dtype Long does not match dtype of out parameter (Float)"),
        (
            "normal",
            args![0.0, 1.0, [0], device = Device::META],
            DType::F32,
            "device type meta does not match device type of out parameter (cpu)",
        ),
    ] {
        let mut out = empty(dtype)?;
        let found = call(name, arguments.with_named("out", &mut out)).map_or_else(|error| error.to_string(), |_| out.to_string());
        assert_eq!(found, expected, "{name} into {dtype}");
    }
    // The elements that are read are those that are written.
    let mut own = x.alias().erase();
    call("softmax", args![&x, 1, out = &mut own])?;
    assert_eq!(x.erase().to_string(), halves);
    let mut ints = ints.erase();
    for (dtype, expected) in [
        (DType::F64, Err("Bad in-place call: input tensor dtype long int and output tensor dtype double should match".to_owned())),
        (DType::I64, Ok("tensor([1, 3])".to_owned())),
    ] {
        let outcome = call("cumsum_", args![&mut ints, 0, dtype = dtype]).map(drop).map_err(|error| error.to_string());
        assert_eq!(outcome.map(|()| ints.to_string()), expected);
    }
    Ok(())
}

/// What Python writes in brackets, and what it writes as a tuple of outputs.
#[test]
fn indices_storages_and_two_outputs_are_arguments() -> Result<(), Error> {
    let x = Tensor::from([[1.0_f32, -2.0, 3.0], [4.0, 5.0, -6.0]]);
    for (index, expected) in [
        (NamedArgument::from([NamedArgument::from(1), NamedArgument::from(Span::from(1..))]), "tensor([ 5., -6.])"),
        (NamedArgument::from(0), "tensor([ 1., -2.,  3.])"),
        (NamedArgument::from([NamedArgument::from(Entry::Ellipsis), NamedArgument::from(-1)]), "tensor([ 3., -6.])"),
        (NamedArgument::from([NamedArgument::None, NamedArgument::from(0), NamedArgument::from(0)]), "tensor([1.])"),
        (NamedArgument::from(2), "index 2 is out of bounds for dimension 0 with size 2"),
        (NamedArgument::from("a"), "__getitem__(): argument 'index' (position 1) must be index, not str"),
    ] {
        assert_eq!(shown(call("__getitem__", args![&x, index])), expected);
    }
    let empty = |dtype| DynTensor::empty([0], dtype);
    let (mut values, mut places) = (empty(DType::F32)?, empty(DType::I64)?);
    for (name, arguments, expected) in [
        ("max", args![&x, 1], ["tensor([3., 5.])", "tensor([2, 1])"]),
        ("sort", args![&x, 0], ["tensor([[ 1., -2., -6.],\n        [ 4.,  5.,  3.]])", "tensor([[0, 0, 1],\n        [1, 1, 0]])"]),
        ("topk", args![&x, 1], ["tensor([[3.],\n        [5.]])", "tensor([[2],\n        [1]])"]),
        ("cummax", args![&x, 1], ["tensor([[1., 1., 3.],\n        [4., 5., 5.]])", "tensor([[0, 0, 2],\n        [0, 1, 1]])"]),
    ] {
        call(name, arguments.with_named("out", [&mut values, &mut places]))?;
        assert_eq!([values.to_string(), places.to_string()], expected, "{name}");
    }
    let (mut first, mut second) = (empty(DType::F32)?, empty(DType::F32)?);
    let refused = call("max", args![&x, 1, out = [&mut first, &mut second]]).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused, Err("Expected out tensor to have dtype long int, but got float instead".to_owned()));
    assert_eq!([first.numel(), second.numel()], [0, 0]);
    let refused = call("max", args![&x, 1, out = [&mut first]]).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused, Err("max(): argument 'out' must be a tensor or two of them, not a list of 1".to_owned()));
    call("set_", args![&mut first, &x, 2, [2, 2], [1, 2]])?;
    assert_eq!(first.to_string(), "tensor([[ 3.,  5.],\n        [ 4., -6.]])");
    call("set_", args![&mut first])?;
    assert_eq!(first.numel(), 0);
    Ok(())
}

/// As an interpreter has them, which makes them from a line of text, keeps them, and calls later.
#[test]
fn arguments_that_own_their_tensors_and_texts_outlive_where_they_come_from() -> Result<(), Error> {
    let read = |line: &str| -> Arguments<'static> {
        let x = Tensor::from([[7, 9], [5, -3]]).erase();
        line.split(' ').fold(Arguments::new().with(x), |arguments, word| match word.split_once('=') {
            Some((name, value)) => arguments.with_named(name.to_owned(), value.to_owned()),
            None => match word.parse::<i64>() {
                Ok(number) => arguments.with(number),
                Err(_) => arguments.with(word.to_owned()),
            },
        })
    };
    let kept = [("div", read("2 rounding_mode=floor")), ("div", read("2 rounding_mode=up"))];
    let [floor, up] = kept.map(|(name, arguments)| shown(call(name, arguments)));
    assert_eq!(floor, "tensor([[ 3,  4],\n        [ 2, -2]], dtype=torch.int32)");
    assert_eq!(up, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");

    let [rows, columns] = [[1, 2], [3, 4]].map(|numbers| Tensor::from(numbers).erase());
    let list = vec![rows.clone(), columns.clone()];
    let text = String::from("ij");
    let grids =
        |list: Arguments<'_>| call("meshgrid", list.with_named("indexing", &text)).and_then(|grids| Ok(grids.tensors()?[1].to_string()));
    let expected = "tensor([[3, 4],\n        [3, 4]], dtype=torch.int32)";
    for arguments in [args![&list], args![&list[..]], args![[&rows, &columns]], args![[rows.clone(), columns.clone()]], args![list.clone()]]
    {
        assert_eq!(grids(arguments)?, expected);
    }
    assert_eq!(list[1].to_vec(), columns.to_vec());
    Ok(())
}

/// Each as PyTorch 2.15 says it.
#[test]
fn wrong_calls_are_refused_in_pytorch_s_words() {
    let x = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let i = Tensor::from([0_i64]);
    let one = Tensor::from(1.0_f32);
    let cases: Vec<(&str, Arguments<'_>, &str)> = vec![
        ("gather", args![&x], r#"gather() missing 2 required positional argument: "dim", "index""#),
        ("gather", args![&x, 0, dim = 0], r#"gather() missing 1 required positional arguments: "index""#),
        ("gather", args![], r#"gather() missing 3 required positional argument: "input", "dim", "index""#),
        ("gather", args![&x, 0, &i, 0], "gather() takes 3 positional arguments but 4 were given"),
        ("gather", args![&x, 0, index = "a"], "gather(): argument 'index' must be Tensor, not str"),
        ("gather", args![&x, 1.5, &i], "gather(): argument 'dim' (position 2) must be int, not float"),
        ("gather", args![1, 2, 3], "gather(): argument 'input' (position 1) must be Tensor, not int"),
        ("tril", args![&x, foo = 1], "tril() got an unexpected keyword argument 'foo'"),
        ("tril", args![&x, 1, 2], "tril() takes from 1 to 2 positional arguments but 3 were given"),
        ("tril", args![&x, "a"], "tril(): argument 'diagonal' (position 2) must be int, not str"),
        ("tril", args![&x, ()], "tril(): argument 'diagonal' (position 2) must be int, not NoneType"),
        ("mul", args![&x, "a"], "mul(): argument 'other' (position 2) must be Tensor, not str"),
        (
            "flip",
            args![&x, dims = vec![NamedArgument::from(0), NamedArgument::from("a")]],
            "flip(): argument 'dims' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got str\"",
        ),
        ("permute", args![&x, "a"], "permute(): argument 'dims' (position 2) must be tuple of ints, not str"),
        (
            "view",
            args![&x, "a"],
            "view() received an invalid combination of arguments - got (str), but expected one of:\n * (tuple of ints \
            size)\n      didn't match because some of the arguments have invalid types: (!str!)\n * (torch.dtype dtype)\n      didn't match \
            because some of the arguments have invalid types: (!str!)\n",
        ),
        ("exp", args![&x, &x], "exp() takes 1 positional argument but 2 were given"),
        ("exp", args!["a"], "exp(): argument 'input' (position 1) must be Tensor, not str"),
        ("exp", args![&x, out = 3], "exp(): argument 'out' must be Tensor, not int"),
        ("cat", args![&x], "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"),
        ("cat", args![vec![NamedArgument::from(&x), NamedArgument::from("a")]], "expected Tensor as element 1 in argument 0, but got str"),
        ("cat", args![[&x], dim = ()], "cat(): argument 'dim' must be int, not NoneType"),
        ("maximum", args![&x, 2], "maximum(): argument 'other' (position 2) must be Tensor, not int"),
        ("logical_and", args![2, &x], "logical_and(): argument 'input' (position 1) must be Tensor, not int"),
        ("sum", args![&x, 0, "a"], "sum(): argument 'keepdim' (position 3) must be bool, not str"),
        ("softmax", args![&x], r#"softmax() missing 1 required positional arguments: "dim""#),
        ("softmax", args![&x, 1, "a"], "softmax(): argument 'dtype' (position 3) must be torch.dtype, not str"),
        ("zeros", args!["a"], "zeros(): argument 'size' (position 1) must be tuple of ints, not str"),
        ("zeros", args![2, dtype = "a"], "zeros(): argument 'dtype' must be torch.dtype, not str"),
        ("add", args![&x, &x, alpha = "a"], "add(): argument 'alpha' must be Number, not str"),
        ("add", args![&x, [1]], "add(): argument 'other' (position 2) must be Tensor, not list"),
        ("add", args![&x, &x, &x, &x], "add() takes 2 positional arguments but 4 were given"),
        ("transpose", args![&x, true, 0], "transpose(): argument 'dim0' (position 2) must be int, not bool"),
        ("size", args![&one, -1], "Dimension specified as -1 but tensor has no dimensions"),
        ("stride", args![&one, 0], "Dimension specified as 0 but tensor has no dimensions"),
        ("gather", args![&x, 0, &i, dim = 0], "gather() got multiple values for argument 'dim'"),
    ];
    for (name, arguments, expected) in cases {
        let got = call(name, arguments).map(|outcome| format!("{outcome:?}"));
        let got = got.unwrap_or_else(|error| error.to_string());
        assert_eq!(got, expected, "{name}");
    }
}

/// The rows' kinds and the functions that they name agree: whatever the numbers say, each argument arrives.
#[test]
fn every_row_can_be_called() {
    let floats = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let places = Tensor::from([0_i64, 1]);
    let sparse = floats.to_sparse();
    let mut called = 0;
    for operation in operations() {
        for tensor in [&floats.erase(), &places.erase()] {
            let signature = operation.signature();
            let mut changed = tensor.clone();
            let in_place = !operation.has_new();
            let mut arguments = Arguments::new();
            if operation.is_method() && !operation.is_function() && !signature.starts_with("(SparseTensor") {
                let first = sparse_first(operation.name());
                arguments = if in_place {
                    arguments.with(&mut changed)
                } else if first {
                    arguments.with(&sparse)
                } else {
                    arguments.with(tensor)
                };
            }
            for kind in kinds(&signature) {
                arguments = match kind {
                    "Tensor" => arguments.with(tensor),
                    "tuple of Tensors" => arguments.with([tensor]),
                    "Number" | "float" => arguments.with(1.5),
                    "int" => arguments.with(0),
                    "tuple of ints" => arguments.with([0]),
                    "tuple of floats" => arguments.with([1.5]),
                    "tuple of tuples of ints" => arguments.with([[0], [0]]),
                    "Storage" => arguments.with(tensor),
                    "index" => arguments.with(0),
                    "bool" => arguments.with(true),
                    "torch.dtype" => arguments.with(DType::F32),
                    "torch.device" => arguments.with(Device::CPU),
                    "torch.memory_format" => arguments.with(MemoryFormat::Contiguous),
                    "str" => arguments.with("none"),
                    other => panic!("{}{signature}: nothing stands for {other}", operation.name()),
                };
            }
            if let Err(error) = call(operation.name(), arguments) {
                let text = error.to_string();
                let arrived =
                    !text.contains("of a call can't be") && !text.contains("the call gives") && !text.contains("no operation is called");
                assert!(arrived, "{}{signature}: {text}", operation.name());
            }
            called += 1;
        }
    }
    assert!(called > 500, "only {called} calls");
}

fn sparse_first(name: &str) -> bool {
    ["to_dense", "coalesce", "is_coalesced", "indices", "values", "_indices", "_values", "_nnz"].contains(&name)
}

/// The kinds of the arguments that stand without names.
fn kinds(signature: &str) -> impl Iterator<Item = &str> {
    let parts = signature.trim_matches(['(', ')']).split(", ").take_while(|part| *part != "*").filter(|part| !part.is_empty());
    parts.map(|part| part.split(" = ").next().unwrap_or(part)).filter_map(|part| part.rsplit_once(' ')).map(|(kind, _)| kind)
}

/// PyTorch multiplies narrow integers as C's `int`s, and keeps the low bits of the product without its sign.
#[test]
fn multiples_of_narrow_integers_keep_the_low_bits() -> Result<()> {
    let all: Vec<i8> = (i8::MIN..=i8::MAX).collect();
    let divisor = |x: i32, y: i32| {
        let (mut least, mut most) = (x.abs(), y.abs());
        while least != 0 {
            (least, most) = (most % least, least);
        }
        most
    };
    let multiple = |x: i8, y: i8| {
        let (x, y) = (i32::from(x), i32::from(y));
        x.checked_div(divisor(x, y)).map_or(0, |share| (share * y).abs().to_le_bytes()[0].cast_signed())
    };
    let expected: Vec<i8> = all.iter().flat_map(|&x| all.iter().map(move |&y| multiple(x, y))).collect();
    let rows = Tensor::from_vec(all.clone(), [256, 1])?;
    let columns = Tensor::from_vec(all, [256])?;
    let found = call("lcm", args![&rows, &columns])?.tensor()?.typed::<i8, Rank<2>>()?;
    assert_eq!(found.to_vec(), expected);
    Ok(())
}
