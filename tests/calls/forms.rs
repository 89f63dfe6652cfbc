//! Forms that calls have beside the usual ones, as PyTorch 2.15 has them: outputs of what makes tensors, tensors that become views of
//! themselves, and tensors where others give numbers.

use latten::prelude::*;
use latten::{Error, args, call};

use super::shown;

fn changed(mut tensor: DynTensor, change: impl FnOnce(&mut DynTensor) -> Result<latten::Outcome, Error>) -> String {
    let outcome = change(&mut tensor).map(drop);
    outcome.map_or_else(|error| error.to_string(), |()| format!("{tensor} {:?}", tensor.strides()))
}

#[test]
fn what_makes_tensors_has_outputs() -> Result<(), Error> {
    let x = Tensor::from([[1.0_f32, -2.0, 4.0], [4.0, 5.0, -6.0]]);
    let grid = || Tensor::from([[7.0_f32; 3]; 2]).erase();
    let (row, ones) = (Tensor::from([1.0_f32, 2.0]), Tensor::from([[1.0_f32; 3]]));
    let (first, wide) = (Tensor::from([1_i64]), Tensor::from([2.0_f64, 4.0]));
    let mismatch = |asked: &str| format!("dtype {asked} does not match dtype of out parameter (Float)");
    for (name, arguments, expected) in [
        ("full", args![[2], 1.5], "tensor([1.5000, 1.5000])".to_owned()),
        ("full", args![[2], 1, dtype = DType::I16], mismatch("Short")),
        ("eye", args![2], "tensor([[1., 0.],\n        [0., 1.]])".to_owned()),
        ("eye", args![1, 2], "tensor([[1., 0.]])".to_owned()),
        ("eye", args![1, dtype = DType::Bool], mismatch("Bool")),
        ("zeros", args![[2]], "tensor([0., 0.])".to_owned()),
        ("ones", args![[1, 2]], "tensor([[1., 1.]])".to_owned()),
        ("ones", args![[1, 2], dtype = DType::C64], mismatch("ComplexFloat")),
        // What is only asked to have sizes keeps its elements.
        ("empty", args![[2, 3]], "tensor([[7., 7., 7.],\n        [7., 7., 7.]])".to_owned()),
        ("empty", args![[1], dtype = DType::U8], mismatch("Byte")),
        // A row of as many elements keeps the sizes of the output.
        ("arange", args![6], "tensor([[0., 1., 2.],\n        [3., 4., 5.]])".to_owned()),
        ("arange", args![1, 3], "tensor([1., 2.])".to_owned()),
        ("linspace", args![0, 1, 6], "tensor([[0.0000, 0.2000, 0.4000],\n        [0.6000, 0.8000, 1.0000]])".to_owned()),
        ("linspace", args![0, 1, 3, dtype = DType::F64], mismatch("Double")),
        ("logspace", args![0, 5, 6, base = 2], "tensor([[ 1.,  2.,  4.],\n        [ 8., 16., 32.]])".to_owned()),
        ("index_add", args![&x, 0, &first, &ones], "tensor([[ 1., -2.,  4.],\n        [ 5.,  6., -5.]])".to_owned()),
        ("index_add", args![&x, 0, &first, &ones, alpha = false], "tensor([[ 1., -2.,  4.],\n        [ 4.,  5., -6.]])".to_owned()),
        ("diff", args![&x], "tensor([[ -3.,   6.],\n        [  1., -11.]])".to_owned()),
        ("diff", args![&wide, n = 0], "expected scalar_type Double but found Float".to_owned()),
        ("diff", args![&wide], "tensor([2.])".to_owned()),
        ("linear", args![&x, &ones], "tensor([[3.],\n        [3.]])".to_owned()),
        ("hstack", args![[&row, &row]], "tensor([1., 2., 1., 2.])".to_owned()),
        ("vstack", args![[&row, &row]], "tensor([[1., 2.],\n        [1., 2.]])".to_owned()),
        ("dstack", args![[&row, &row]], "tensor([[[1., 1.],\n         [2., 2.]]])".to_owned()),
        ("column_stack", args![[&row, &row]], "tensor([[1., 1.],\n        [2., 2.]])".to_owned()),
    ] {
        let mut out = grid();
        let outcome = call(name, arguments.with_named("out", &mut out)).map(drop);
        assert_eq!(outcome.map_or_else(|error| error.to_string(), |()| out.to_string()), expected, "{name}");
    }
    let mut whole = Tensor::from([0_i64]).erase();
    let refused = call("index_add", args![&x, 0, &first, &ones, out = &mut whole]).map(drop);
    assert_eq!(
        refused.map_err(|error| error.to_string()),
        Err("Expected out tensor to have dtype float, but got long int instead".to_owned())
    );
    assert_eq!(whole.to_string(), "tensor([0])");
    Ok(())
}

#[test]
fn tensors_become_views_of_themselves() {
    let x = || Tensor::from([[1.0_f32, 2.0, 3.0]]).erase();
    let column = "tensor([[1.],\n        [2.],\n        [3.]]) [1, 3]";
    for (got, expected) in [
        (changed(x(), |x| call("unsqueeze_", args![x, 0])), "tensor([[[1., 2., 3.]]]) [3, 3, 1]".to_owned()),
        (
            changed(x(), |x| call("unsqueeze_", args![x, 3])),
            "Dimension out of range (expected to be in range of [-3, 2], but got 3)".to_owned(),
        ),
        (changed(x(), |x| call("squeeze_", args![x])), "tensor([1., 2., 3.]) [1]".to_owned()),
        (changed(x(), |x| call("squeeze_", args![x, 1])), "tensor([[1., 2., 3.]]) [3, 1]".to_owned()),
        (changed(x(), |x| call("squeeze_", args![x, [0, 1]])), "tensor([1., 2., 3.]) [1]".to_owned()),
        (changed(x(), |x| call("transpose_", args![x, 0, 1])), column.to_owned()),
        (changed(x(), |x| call("swapdims_", args![x, 0, 1])), column.to_owned()),
        (changed(x(), |x| call("swapaxes_", args![x, -1, 0])), column.to_owned()),
        (changed(x(), |x| call("t_", args![x])), column.to_owned()),
        (
            changed(Tensor::from([[[1.0_f32]]]).erase(), |x| call("t_", args![x])),
            "t_() expects a tensor with <= 2 dimensions, but self is 3D".to_owned(),
        ),
        (changed(x(), |x| call("as_strided_", args![x, [2, 2], [1, 1]])), "tensor([[1., 2.],\n        [2., 3.]]) [1, 1]".to_owned()),
        (changed(x(), |x| call("as_strided_", args![x, [2], [1], 1])), "tensor([2., 3.]) [1]".to_owned()),
    ] {
        assert_eq!(got, expected);
    }
}

#[test]
fn products_of_batches_are_added_in_place() {
    let (left, right) = (Tensor::from([[[1.0_f32, 2.0]]; 2]), Tensor::from([[[3.0_f32], [4.0]]; 2]));
    let sums = changed(Tensor::from([[[1.0_f32]], [[2.0]]]).erase(), |x| call("baddbmm_", args![x, &left, &right, beta = 2]));
    assert_eq!(sums, "tensor([[[13.]],\n\n        [[15.]]]) [1, 1, 1]");
    let few = changed(Tensor::from([1.0_f32]).erase(), |x| call("baddbmm_", args![x, &left, &right]));
    assert_eq!(few, "Bad in-place call: input tensor size [1] and output tensor size [2, 1, 1] should match");
}

#[test]
fn tensors_say_what_numbers_say() {
    let x = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (one, many, short) = (Tensor::from(1_i64), Tensor::from([1_i64, 2]), Tensor::from(1_i32));
    let (half, quarter) = (Tensor::from(0.5_f64), Tensor::from([0.25_f64]));
    let turn = Tensor::from(Complex::new(0.0_f32, 1.0));
    let all = |outcome: Result<latten::Outcome, Error>| match outcome.and_then(latten::Outcome::tensors) {
        Ok(tensors) => tensors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    };
    for (got, expected) in [
        (shown(call("narrow", args![&x, 1, &one, 1])), "tensor([[2.],\n        [5.]])"),
        (shown(call("narrow", args![&x, 1, &many, 1])), "start must be an 0-dim integral Tensor."),
        (shown(call("narrow", args![&x, 1, &half, 1])), "start must be an 0-dim integral Tensor."),
        (all(call("tensor_split", args![&x, &one])), "tensor([[1., 2., 3.],\n        [4., 5., 6.]])"),
        (
            all(call("tensor_split", args![&x, &many, dim = 1])),
            "tensor([[1.],\n        [4.]]) tensor([[2.],\n        [5.]]) tensor([[3.],\n        [6.]])",
        ),
        (
            all(call("tensor_split", args![&x, &short])),
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got Int",
        ),
        (
            all(call("tensor_split", args![&x, &Tensor::from([[1_i64]])])),
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with 2 dims",
        ),
        (shown(call("linspace", args![&half, 1, 3])), "tensor([0.5000, 0.7500, 1.0000])"),
        (shown(call("linspace", args![0, &half, 2])), "tensor([0.0000, 0.5000])"),
        (shown(call("logspace", args![&one, &one, 1])), "tensor([10.])"),
        (
            shown(call("linspace", args![&half, &quarter, 3])),
            "linspace only supports 0-dimensional start and end tensors, but got start with 0 dimension(s) and end with 1 dimension(s).",
        ),
        (
            shown(call("logspace", args![2, &quarter, 3])),
            "logspace only supports 0-dimensional start and end tensors, but got end with 1 dimension(s).",
        ),
        (shown(call("linspace", args![&turn, 1, 3])), "linspace isn't there between complex numbers, but got 0 + 1i"),
        (shown(call("repeat_interleave", args![&many, &many, dim = 0, output_size = 3])), "tensor([1, 2, 2])"),
        (shown(call("repeat_interleave", args![&many, &many, output_size = 5])), "allocated size does not match required size"),
        (
            shown(call("repeat_interleave", args![&many, 2, output_size = 5])),
            "repeat_interleave: Invalid output_size, expected 4 but got 5",
        ),
        (all(call("nonzero", args![&Tensor::from([[0, 3], [1, 0]]), as_tuple = true])), "tensor([0, 1]) tensor([1, 0])"),
        (all(call("nonzero", args![&one, as_tuple = true])), "tensor([0])"),
        (shown(call("nonzero", args![&many, as_tuple = false])), "tensor([[0],\n        [1]])"),
        (
            shown(call("unique_consecutive", args![&Tensor::from([[1_i64, 1, 2, 1], [3, 3, 3, 3]]), dim = 1])),
            "tensor([[1, 2, 1],\n        [3, 3, 3]])",
        ),
        (
            all(call(
                "unique_consecutive",
                args![&Tensor::from([[1_i64], [1], [2]]), return_inverse = true, return_counts = true, dim = 0],
            )),
            "tensor([[1],\n        [2]]) tensor([0, 0, 1]) tensor([2, 1])",
        ),
        (shown(call("unique_consecutive", args![&x, dim = 2])), "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ] {
        assert_eq!(got, expected);
    }
}

/// One bound for each matrix.
#[test]
fn small_values_are_told_by_tensors() {
    let grids = Tensor::from([[[2.0_f32, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]]);
    let (bounds, turn) = (Tensor::from([0.5_f32, 1.5]), Tensor::from(Complex::new(0.0_f32, 1.0)));
    for (got, expected) in [
        (call("linalg.matrix_rank", args![&grids, atol = &bounds]), "tensor([2, 1])"),
        (call("linalg.matrix_rank", args![&grids, rtol = &bounds]), "tensor([1, 0])"),
        (call("linalg.matrix_rank", args![&grids, atol = &bounds, rtol = &Tensor::from(0.25_f32)]), "tensor([2, 1])"),
        (
            call("linalg.matrix_rank", args![&grids, atol = &turn]),
            "torch.linalg.matrix_rank: atol tensor of complex type is not supported. Got ComplexFloat",
        ),
        (
            call("linalg.pinv", args![&grids, atol = &bounds]),
            "tensor([[[0.5000, 0.0000],\n         [0.0000, 1.0000]],\n\n        [[0.5000, 0.0000],\n         [0.0000, 0.0000]]])",
        ),
    ] {
        assert_eq!(shown(got), expected);
    }
}

#[test]
fn scatter_adds_and_multiplies() {
    let x = || Tensor::from([2.0_f32, 3.0]).erase();
    let (places, source) = (Tensor::from([0_i64, 0]), Tensor::from([5.0_f32, 7.0]));
    for (reduce, with_source, with_number) in
        [("add", "tensor([14.,  3.])", "tensor([10.,  3.])"), ("multiply", "tensor([70.,  3.])", "tensor([32.,  3.])")]
    {
        assert_eq!(shown(call("scatter", args![&x(), 0, &places, &source, reduce = reduce])), with_source);
        assert_eq!(shown(call("scatter", args![&x(), 0, &places, 4, reduce = reduce])), with_number);
        let own = changed(x(), |x| call("scatter_", args![x, 0, &places, &source, reduce = reduce]));
        assert_eq!(own, format!("{with_source} [1]"));
    }
    let refused = shown(call("scatter", args![&x(), 0, &places, &source, reduce = "sum"]));
    assert_eq!(refused, "reduce argument must be either add or multiply.");
}

/// In any number of dimensions, where PyTorch 2.15 gives counts and a list of edges; here the edges follow the counts.
#[test]
fn histograms_count_points() -> Result<(), Error> {
    let x = Tensor::from([[0.0_f64, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [3.5, 1.0], [f64::NAN, 1.0]]);
    let (numbers, weights) = (x.i(i![..5]), Tensor::from([1.0_f64, 2.0, 4.0, 8.0, 16.0, 32.0]));
    let (first, second) = (Tensor::from([0.0_f64, 1.0, 2.5]), Tensor::from([0.0_f64, 1.0, 2.0]));
    for (arguments, expected) in [
        (
            args![&numbers, [3, 2], weight = &weights.i(i![..5])],
            vec![vec![2.0, 1.0, 4.0, 8.0, 0.0, 16.0], vec![0.0, 7.0 / 6.0, 7.0 / 3.0, 3.5], vec![0.0, 1.0, 2.0]],
        ),
        (
            args![&x, [&first, &second], density = true],
            vec![vec![0.0, 0.25, 1.0 / 3.0, 1.0 / 6.0], vec![0.0, 1.0, 2.5], vec![0.0, 1.0, 2.0]],
        ),
        (
            args![&x, 2, [0.0, 3.0, 0.0, 2.0], &weights, true],
            vec![vec![4.0 / 45.0, 2.0 / 45.0, 8.0 / 45.0, 16.0 / 45.0], vec![0.0, 1.5, 3.0], vec![0.0, 1.0, 2.0]],
        ),
    ] {
        let found = call("histogramdd", arguments)?.tensors()?;
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let sizes = found.sizes().to_vec();
            let expected = Tensor::<f64>::from_vec(expected.clone(), sizes)?;
            assert!(found.typed::<f64, Any>()?.allclose(&expected), "{found} {expected}");
        }
    }
    let counted = |points: &DynTensor, bins: &[i64]| call("histogramdd", args![points, bins]).map(drop).map_err(|error| error.to_string());
    for (points, bins, text) in [
        (numbers.erase(), vec![2], "histogramdd: The size of bins must be equal to the innermost dimension of the input."),
        (numbers.erase(), vec![2, 0], "torch.histogram(): bins must be > 0, but got 0 for dimension 1"),
        (numbers.i(i![0]).erase(), vec![2], "torch.histogramdd: input tensor should have at least 2 dimensions"),
        (numbers.to::<i64>().erase(), vec![2, 2], "\"histogramdd\" not implemented for 'Long'"),
    ] {
        assert_eq!(counted(&points, &bins), Err(text.to_owned()));
    }
    let none = call("histogramdd", args![&Tensor::<f64>::zeros([0, 2])?, [1, 2]])?.tensors()?;
    assert_eq!(
        (none[0].to_string(), none[2].to_string()),
        ("tensor([[0., 0.]], dtype=torch.float64)".to_owned(), "tensor([0.0000, 0.5000, 1.0000], dtype=torch.float64)".to_owned())
    );
    Ok(())
}
