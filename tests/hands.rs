//! What people write first: rows in a loop, indices and sizes that are usize, lists of lists, digits of a printed tensor, names of dtypes.

use latten::prelude::*;
use latten::{Result, Scalar, einsum};

#[path = "hands/certain.rs"]
mod certain;
#[path = "hands/declared.rs"]
mod declared;
#[path = "hands/dimensions.rs"]
mod dimensions;
#[path = "hands/einsum.rs"]
mod einsum_macro;
#[path = "hands/first.rs"]
mod first;
#[path = "hands/further.rs"]
mod further;
#[path = "hands/generic.rs"]
mod generic;
#[path = "hands/losses.rs"]
mod losses;
#[path = "hands/names.rs"]
mod names;
#[path = "hands/ported.rs"]
mod ported;
#[path = "hands/numbers.rs"]
mod numbers;
#[path = "hands/rare.rs"]
mod rare;
#[path = "hands/tables.rs"]
mod tables;
#[path = "hands/values.rs"]
mod values;

#[test]
fn rows_come_one_after_the_other() -> Result<()> {
    let x = Tensor::from([[1_i64, 2], [3, 4], [5, 6]]);
    let mut sums = Vec::new();
    for row in &x {
        let row: Tensor<i64, shape![2]> = row;
        sums.push(row.sum().item());
    }
    assert_eq!(sums, [3, 7, 11]);
    assert_eq!((x.iter().len(), x.len(), x.is_empty(), x.shape()), (3, 3, false, [3, 2]));
    let last = x.iter().next_back().map(|row| row.to_vec());
    assert_eq!(last, Some(vec![5, 6]));
    for row in &x {
        row.alias().fill_(0)?;
    }
    assert_eq!(x.to_vec(), [0; 6]);
    let open: Tensor<i64, Rank<1>> = x.i(i![.., 0]).as_shape();
    assert_eq!(open.iter().map(|element| element.item()).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(Tensor::<i64, shape![0, 2]>::zeros().iter().count(), 0);
    Ok(())
}

#[test]
fn indices_and_sizes_are_usize() -> Result<()> {
    let mut x = Tensor::<i64>::arange(24)?.view([4, 6])?;
    let (rows, columns) = (x.sizes()[0], x.sizes()[1]);
    for i in 0..rows {
        for j in 0..columns {
            assert_eq!(x.get([i, j])?, i64::try_from(i * columns + j).unwrap_or(-1));
        }
    }
    x.set([rows - 1, columns - 1], 99)?;
    assert_eq!(x.get([-1, -1])?, 99);
    assert_eq!(x.get(vec![0_i32, 1])?, 1);
    let dim = x.dim() - 1;
    assert_eq!((x.size(dim), x.stride(dim), x.chunk(rows, dim)?.len()), (6, 1, 3));
    assert_eq!(x.split(columns / 2, dim)?.len(), 2);
    assert_eq!(x.flip([dim])?.get([0, 0])?, 5);
    assert_eq!(x.flip(dim)?.get([0, 0])?, 5);
    assert_eq!(x.cumsum(dim)?.get([0, 5])?, 15);
    assert_eq!(x.get([usize::MAX, 0]).map_err(|error| error.kind()), Err(ErrorKind::Index));
    Ok(())
}

#[test]
fn sizes_that_are_left_out_are_found() -> Result<()> {
    let x: Tensor<f32, shape![_, 3]> = Tensor::from_vec(vec![0.0; 12], shape![_, 3])?;
    assert_eq!(x.sizes(), [4, 3]);
    let refused = Tensor::<f32>::from_vec(vec![0.0; 10], shape![_, 3]).map(|_| ()).expect_err("refused");
    assert_eq!(refused.message(), "shape '[-1, 3]' is invalid for input of size 10");
    Ok(())
}

#[test]
fn lists_of_lists_are_matrices() -> Result<()> {
    let x = Tensor::try_from(vec![vec![1_u8, 2], vec![3, 4], vec![5, 6]])?;
    assert_eq!((x.sizes(), x.to_vec()), (&[3, 2][..], vec![1, 2, 3, 4, 5, 6]));
    let refused = Tensor::try_from(vec![vec![1_u8, 2], vec![3]]).map(|_| ()).expect_err("refused");
    assert_eq!(refused.message(), "expected sequence of length 2 at dim 1 (got 1 in row 1)");
    assert_eq!(Tensor::<u8, Rank<2>>::try_from(Vec::new())?.sizes(), [0, 0]);
    Ok(())
}

#[test]
fn digits_are_as_asked_for() {
    let x = Tensor::from([0.123_456_f32, 10.0]);
    assert_eq!(format!("{x:.2}"), "tensor([ 0.12, 10.00])");
    assert_eq!(format!("{x}"), "tensor([ 0.1235, 10.0000])");
    assert_eq!(format!("{:.1}", Tensor::from([1_i32, 2])), "tensor([1, 2], dtype=torch.int32)");
}

#[test]
fn dtypes_are_read_from_their_names() {
    assert_eq!("float16".parse(), Ok(DType::F16));
    assert_eq!("torch.int64".parse(), Ok(DType::I64));
    let refused = "f4".parse::<DType>().map_err(|error| error.to_string());
    assert_eq!(refused, Err("unknown dtype `f4`: the names are PyTorch's, as `float32` or `int64`".to_owned()));
}

#[test]
fn einsum_takes_tensors() -> Result<()> {
    let (a, b) = (Tensor::from([[1.0_f32, 2.0]]), Tensor::from([[3.0_f32], [4.0]]));
    assert_eq!(einsum("ij,jk->ik", (&a, &b))?.to_vec_of::<f32>()?, [11.0]);
    assert_eq!(einsum("ij,ij->", [&a, &a])?.to_vec_of::<f32>()?, [5.0]);
    Ok(())
}

#[test]
fn operators_are_methods_too() -> Result<()> {
    let (a, b) = (Tensor::from([7_i64, -7]), Tensor::from([2_i64, 3]));
    assert_eq!(a.add(&b).to_vec(), (&a + &b).to_vec());
    assert_eq!(a.sub(1_i64).to_vec(), [6, -8]);
    assert_eq!(a.mul(&b).neg().to_vec(), [-14, 21]);
    assert_eq!(a.remainder(3_i64).to_vec(), [1, 2]);
    let halves: Tensor<f32, shape![2]> = a.div(2);
    assert_eq!(halves.to_vec(), [3.5, -3.5]);
    Ok(())
}

/// Where only the run knows how many dimensions there are, a loop goes along the first one, too.
#[test]
fn rows_of_what_only_the_run_knows() -> Result<()> {
    let x = DynTensor::arange(6, DType::I32)?.view(&[3, 2][..])?;
    let mut sums = Vec::new();
    for mut row in &x {
        row.add_(1)?;
        sums.push(row.sum().item());
    }
    assert_eq!(sums, [3, 7, 11].map(Scalar::from));
    assert_eq!(x.to_vec_of::<i32>()?, [1, 2, 3, 4, 5, 6]);
    let number = tensor!(2.5).erase();
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (&number).into_iter().count())).expect_err("no dimension");
    assert_eq!(refused.downcast_ref::<String>().map(String::as_str), Some("iteration over a 0-d tensor"));
    Ok(())
}

/// A type that knows the rank, or some of the sizes, is kept by constructors that take sizes of the run, and checked.
#[test]
fn constructors_keep_what_the_type_says() -> Result<()> {
    let n = 3;
    let square: Tensor<f64, Rank<2>> = Tensor::<f64, Rank<2>>::ones([n, n])?;
    let rows: Tensor<f32, shape![_, 2]> = Tensor::<f32, shape![_, 2]>::zeros([n, 2])?;
    assert_eq!((square.sizes(), rows.sizes()), (&[3, 3][..], &[3, 2][..]));
    let refused = Tensor::<f32, shape![_, 2]>::full([2, n], 0.5).expect_err("three columns");
    assert_eq!(refused.message(), "the shape is [2, 3], but the type says [_, 2]");
    assert!(Tensor::<f32, Rank<1>>::rand([2, 2]).is_err(), "two dimensions");
    Ok(())
}

#[test]
fn places_are_added_to() -> Result<()> {
    let mut counts = Tensor::<i64, Rank<1>>::zeros([4])?;
    let labels = tensor![3, 1, 3, 3];
    counts.index_add_(0, &labels, &labels.ones_like())?;
    assert_eq!(counts.to_vec(), [0, 1, 0, 3]);
    assert_eq!(counts.index_add(0, &labels, &labels)?.to_vec(), [0, 2, 0, 12]);
    let refused = counts.index_add_(0, &tensor![4], &tensor![1]).expect_err("there are four");
    assert_eq!((refused.message(), counts.to_vec()), ("index 4 is out of bounds for dimension 0 with size 4", vec![0, 1, 0, 3]));
    Ok(())
}

#[test]
fn numbers_of_any_dtype_are_printed_as_python_does() -> Result<()> {
    for (number, shown) in [
        (Scalar::from(true), "True"),
        (7.into(), "7"),
        (2.0.into(), "2.0"),
        (0.1.into(), "0.1"),
        (1e-8.into(), "1e-08"),
        (f64::NAN.into(), "nan"),
        (f64::NEG_INFINITY.into(), "-inf"),
        (Complex::new(1.0, -2.0).into(), "(1-2j)"),
    ] {
        assert_eq!(number.to_string(), shown, "{number:?}");
    }
    let mean = tensor![1.0, 2.0].erase().mean().item();
    assert_eq!(format!("{mean} {mean:.3} {mean:>6}|{:<4}|", Scalar::from(7)), "1.5 1.500    1.5|7   |");
    Ok(())
}

#[test]
fn an_unknown_dtype_is_an_error_like_others() {
    fn zeros(dtype: &str) -> Result<DynTensor> {
        DynTensor::zeros([2], dtype.parse::<DType>()?)
    }
    assert_eq!(zeros("float16").map(|x| x.dtype()), Ok(DType::F16));
    assert_eq!(
        zeros("float15").expect_err("no such dtype").message(),
        "unknown dtype `float15`: the names are PyTorch's, as `float32` or `int64`"
    );
}

#[test]
fn matrices_ranges_and_vectors_have_the_shape_of_the_type() -> Result<()> {
    let known = Tensor::<f32, shape![2, 3]>::eye();
    let open = Tensor::<i64, Rank<2>>::eye([2, 3])?;
    let bools: Tensor<bool, shape![_, 2]> = Tensor::<bool, shape![_, 2]>::eye([3, 2])?;
    assert_eq!(known.to_vec(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!((open.to_vec(), bools.to_vec()), (vec![1, 0, 0, 0, 1, 0], vec![true, false, false, true, false, false]));
    assert_eq!(DynTensor::eye([2, 2], DType::F16)?.sum().item(), Scalar::Float(2.0));
    let square: Tensor<f32, Rank<2>> = Tensor::<f32>::eye(known.size(0))?;
    assert_eq!(square.sizes(), [2, 2]);
    let text = Tensor::<f32, shape![_, 3]>::eye(2).expect_err("two columns");
    assert_eq!(text.message(), "the shape is [2, 2], but the type says [_, 3]");

    let rows = Tensor::<u8, Rank<2>>::from_vec(vec![1, 2, 3, 4, 5, 6], [2, 3])?;
    let columns = Tensor::<u8, shape![_, 3]>::from_slice(&[1, 2, 3, 4, 5, 6], [-1, 3])?;
    assert!(rows.equal(&columns) && columns.sizes() == [2, 3]);
    let text = Tensor::<u8, shape![_, 2]>::from_slice(&[1, 2, 3], [1, 3]).expect_err("another shape");
    assert_eq!(text.message(), "the shape is [1, 3], but the type says [_, 2]");

    let range: Tensor<i64, Rank<1>> = Tensor::<i64, Rank<1>>::arange_with(0, 6, 2)?;
    let line: Tensor<f64, shape![5]> = Tensor::linspace(0.0, 1.0);
    assert_eq!(line.to_vec(), Tensor::<f64>::linspace(0.0, 1.0, 5)?.to_vec());
    let mut order = Tensor::<i64, Rank<1>>::randperm(4)?.to_vec();
    order.sort_unstable();
    assert_eq!((range.to_vec(), line.to_vec(), order), (vec![0, 2, 4], vec![0.0, 0.25, 0.5, 0.75, 1.0], vec![0, 1, 2, 3]));
    let text = Tensor::<i64, shape![5]>::arange_with(0, 6, 1).expect_err("six numbers");
    assert_eq!(text.message(), "the shape is [6], but the type says [5]");
    Ok(())
}

#[test]
fn lists_are_as_deep_as_the_type() -> Result<()> {
    let x = Tensor::<i64>::arange(12)?.view(shape![2, 3, 2]);
    let all: Vec<Vec<Vec<i64>>> = x.tolist();
    assert_eq!(all, [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]]);
    let turned: Vec<Vec<i64>> = x.i(i![1]).t().tolist();
    assert_eq!(turned, [[6, 8, 10], [7, 9, 11]]);
    let (number, none): (i64, Vec<Vec<i64>>) = (x.sum().tolist(), Tensor::<i64, shape![2, 0]>::zeros().tolist());
    assert_eq!((number, none), (66, vec![vec![], vec![]]));
    let many = Tensor::<i64, Rank<2>>::zeros([1_usize << 52, 0])?.try_tolist();
    assert_eq!(
        many.map_err(|error| error.to_string()),
        Err("there is no memory for 108086391056891904 bytes beside the tensors".to_owned())
    );
    let scalars: Vec<Scalar> = Tensor::from([true, false]).to_dtype(DType::I8)?.as_shape::<Rank<1>>().tolist();
    assert_eq!(scalars, [Scalar::Int(1), Scalar::Int(0)]);
    Ok(())
}

#[test]
fn what_has_a_default_in_pytorch_needs_no_argument() -> Result<()> {
    let (a, b) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![[1.0, 2.0], [3.0, 4.00001]]);
    assert!(a.allclose(&b) && !a.allclose(&(&b + 0.01)));
    assert_eq!(a.isclose(&(&b + tensor![0.0, 1.0])).to_vec(), [true, false, true, false]);
    assert_eq!(a.pad([1, 0])?.to_vec(), [0.0, 1.0, 2.0, 0.0, 3.0, 4.0]);
    assert_eq!(tensor![2, 0].one_hot_with(3)?.tolist(), [[0, 0, 1], [1, 0, 0]]);
    assert_eq!(tensor![2, 0].one_hot().sizes(), [2, 3]);
    let shares: Tensor<f32, shape![2, 2]> = a.softmax(axis::<-1>());
    assert!(shares.equal(&a.softmax(-1)?) && shares.log().allclose(&a.log_softmax(axis::<1>())));
    let kept: Tensor<f32, shape![_, 2]> = a.index_select(axis::<0>(), &tensor![1])?;
    assert_eq!(kept.to_vec(), [3.0, 4.0]);
    Ok(())
}

#[test]
fn tensors_of_one_type_are_summed() -> Result<()> {
    let rows = [tensor![1.0, 2.0], tensor![3.0, 4.0], tensor![5.0, 6.0]];
    let total: Tensor<f32, shape![2]> = rows.iter().sum();
    let same = rows.into_iter().sum::<Tensor<f32, shape![2]>>();
    assert_eq!((total.to_vec(), same.to_vec()), (vec![9.0, 12.0], vec![9.0, 12.0]));
    assert_eq!(std::iter::empty::<Tensor<i64, shape![2]>>().sum::<Tensor<i64, shape![2]>>().to_vec(), [0, 0]);
    Ok(())
}

#[test]
fn what_is_borrowed_to_be_changed_is_an_operand() -> Result<()> {
    let mut averages = [tensor![0.0, 0.0]];
    let mut weights = [tensor![1.0, 2.0]];
    for (average, weight) in averages.iter_mut().zip(&mut weights) {
        average.lerp_(&mut *weight, 0.5)?;
        *average += weight;
    }
    assert_eq!(averages[0].to_vec(), [1.5, 3.0]);
    Ok(())
}

/// A classifier of points, by what a porter would write.
#[test]
fn losses_and_activations_are_methods() -> Result<()> {
    let points = tensor![[2.0, 0.1], [0.2, 1.9], [-1.5, -1.4], [1.7, -0.2], [0.1, 2.2], [-2.0, -1.1]];
    let classes = tensor![0, 1, 2, 0, 1, 2];
    let (mut weight, mut bias) = (Tensor::<f32, shape![3, 2]>::zeros(), Tensor::<f32, shape![3]>::zeros());
    weight.requires_grad_()?;
    bias.requires_grad_()?;
    let mut sgd = latten::optim::Sgd::new(0.5);
    let mut losses = Vec::new();
    for _ in 0..40 {
        weight.zero_grad();
        bias.zero_grad();
        let scores = points.linear_with(&weight, &bias).leaky_relu_with(0.1);
        let loss: Tensor<f32, ()> = scores.cross_entropy(&classes)?;
        loss.backward()?;
        losses.push(loss.item());
        sgd.step(&mut [&mut weight, &mut bias])?;
    }
    assert!(losses[0] > 1.0 && losses[39] < 0.2, "{losses:?}");
    let (x, y) = (tensor![1.0, -2.0, 0.5], tensor![0.0, -2.5, 3.0]);
    for (name, got) in [
        ("mse_loss", x.mse_loss(&y)?),
        ("l1_loss", x.l1_loss(&y)?),
        ("smooth_l1_loss", x.smooth_l1_loss(&y)?),
        ("huber_loss", x.huber_loss(&y)?),
        ("binary_cross_entropy_with_logits", x.binary_cross_entropy_with_logits(&y)?),
    ] {
        assert_eq!(got.item(), call(name, args![&x, &y])?.tensor()?.item().to_f64() as f32, "{name}");
    }
    let rounded = |x: Tensor<f32, shape![3]>| x.to_vec().iter().map(|x| (x * 1e4).round() / 1e4).collect::<Vec<_>>();
    for (name, got, expected) in [
        ("leaky_relu", x.leaky_relu_with(0.5), [1.0, -1.0, 0.5]),
        ("elu", x.elu(), [1.0, -0.8647, 0.5]),
        ("celu", x.celu_with(2.0), [1.0, -1.2642, 0.5]),
        ("selu", x.selu(), [1.0507, -1.5202, 0.5254]),
        ("hardtanh", x.hardtanh_with(-1.0, 0.75), [0.75, -1.0, 0.5]),
        ("relu6", (&x * 8.0).relu6(), [6.0, 0.0, 4.0]),
        ("hardsigmoid", x.hardsigmoid(), [0.6667, 0.1667, 0.5833]),
        ("hardswish", x.hardswish(), [0.6667, -0.3333, 0.2917]),
        ("mish", x.mish(), [0.8651, -0.2525, 0.3752]),
        ("logsigmoid", x.logsigmoid(), [-0.3133, -2.1269, -0.4741]),
        ("tanhshrink", x.tanhshrink(), [0.2384, -1.036, 0.0379]),
        ("hardshrink", x.hardshrink(), [1.0, -2.0, 0.0]),
        ("softshrink", x.softshrink(), [0.5, -1.5, 0.0]),
        ("threshold", x.threshold(0.75, 9.0), [1.0, 9.0, 9.0]),
    ] {
        assert_eq!(rounded(got), expected, "{name}");
    }
    let integers = tensor![1, 2].erase();
    let refused = integers.mse_loss(&integers).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused, Err("\"mse_cpu\" not implemented for 'Long'".to_owned()));
    let refused = integers.try_elu().map(drop).map_err(|error| error.to_string());
    assert_eq!(refused, Err("\"elu_cpu\" not implemented for 'Long'".to_owned()));
    Ok(())
}

/// A comparison has its type before that of a literal is known.
#[test]
fn truths_are_counted_at_once() -> Result<()> {
    let steps = tensor![0, 1, 2, 3];
    assert_eq!(format!("{} {}", steps.eq(2).sum().item(), steps.lt(2.5).sum().item()), "1 3");
    assert!(!steps.gt(1).all().item());
    let erased: DynTensor = steps.erase().eq(2);
    assert_eq!(erased.dtype(), DType::Bool);
    Ok(())
}

/// `Float` promises random numbers, gradients and losses, too.
#[test]
fn a_function_over_floats_draws_and_learns() -> Result<()> {
    fn step<E: Float>(target: &Tensor<E, shape![3]>) -> Result<Tensor<E, shape![3]>> {
        let weights = Tensor::<E, shape![3]>::randn().requiring_grad()?;
        weights.mse_loss(target)?.backward()?;
        weights.grad().ok_or_else(|| weights.mse_loss(&weights.i(i![..2])).expect_err("other sizes"))
    }
    manual_seed(0);
    assert!(step(&tensor![1.0, 2.0, 3.0])?.isfinite().all().item());
    assert!(step(&tensor![1.0, 2.0, 3.0].double())?.isfinite().all().item());
    Ok(())
}

/// `Any` stands for a shape, too.
#[test]
fn any_shape_is_any() -> Result<()> {
    fn doubled(x: &Tensor<f32, Any>) -> Tensor<f32, Any> {
        x + x
    }
    let x: Tensor<f32, Any> = tensor![1.0, 2.0].as_shape();
    let erased: Tensor<Any, Any> = doubled(&x).erase();
    assert_eq!(erased.typed::<f32, shape![2]>()?.to_vec(), [2.0, 4.0]);
    Ok(())
}

/// One dimension leaves a known number of them, whoever names it; and axes are taken wherever a dimension is.
#[test]
fn ranks_stay_known() -> Result<()> {
    let x: Tensor<f32, Rank<2>> = Tensor::<f32>::from_vec(vec![3.0, 1.0, 2.0, 6.0, 5.0, 4.0], [2, 3])?;
    let means: Tensor<f32, Rank<1>> = x.mean_along(1)?;
    let stay: Tensor<f32, Rank<2>> = x.mean_along(kept(1))?;
    let places: Tensor<i64, Rank<1>> = x.argmax_along(-1)?;
    let all: Tensor<f32, Rank<2>> = x.sum_along(kept([0, 1]))?;
    assert_eq!((means.to_vec(), stay.to_vec(), places.to_vec()), (vec![2.0, 5.0], vec![2.0, 5.0], vec![0, 0]));
    assert_eq!((all.to_vec(), all.sizes()), (vec![21.0], &[1, 1][..]));
    let sums: Tensor<f32, Rank<2>> = x.cumsum(axis::<1>());
    let (most, _): (Tensor<f32, Rank<2>>, Tensor<i64, Rank<2>>) = x.cummax(axis::<0>());
    assert_eq!((sums.to_vec(), most.to_vec()), (vec![3.0, 4.0, 6.0, 6.0, 11.0, 15.0], vec![3.0, 1.0, 2.0, 6.0, 5.0, 4.0]));
    assert_eq!(x.flip(axis::<-1>()).to_vec(), [2.0, 1.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(x.flip([0, 1])?.to_vec(), [4.0, 5.0, 6.0, 2.0, 1.0, 3.0]);
    let column: Tensor<f32, shape![3]> = Tensor::from([[1.0_f32], [2.0], [3.0]])
        .as_shape::<shape![3, _]>()
        .unsqueeze(axis::<0>())
        .squeeze(axis::<0>())
        .as_shape::<Rank<2>>()
        .select(1, 0)?
        .typed()?;
    assert_eq!(column.to_vec(), [1.0, 2.0, 3.0]);
    assert_eq!(x.unsqueeze(axis::<0>()).as_shape::<Rank<3>>().squeeze(0)?.sizes(), [2, 3]);
    Ok(())
}

/// A tensor shows its numbers in `{:?}`, too, so that what holds tensors does.
#[test]
fn debug_shows_numbers() {
    #[derive(Debug)]
    struct Layer {
        #[expect(dead_code, reason = "it is printed")]
        weight: Tensor<f32, shape![2]>,
    }
    assert_eq!(format!("{:?}", Layer { weight: tensor![1.0, 2.5] }), "Layer { weight: tensor([1.0000, 2.5000]) }");
}

/// A name that isn't there is compared with those that are, and a result gets its type at once.
#[test]
fn calls_by_name_help() -> Result<()> {
    let x = tensor![0, 2, 2];
    let refused = |name: &str| call(name, args![&x]).map(drop).map_err(|error| error.to_string());
    assert_eq!(refused("layernorm"), Err("no operation is called layernorm; did you mean layer_norm?".to_owned()));
    assert_eq!(refused("index_ad_"), Err("no operation is called index_ad_; did you mean index_add?".to_owned()));
    assert_eq!(refused("frobnicate"), Err("no operation is called frobnicate".to_owned()));
    let counts: Tensor<i64, Rank<1>> = call("bincount", args![&x, (), 4])?.typed()?;
    let again: Tensor<i64, shape![4]> = call("bincount", args![&x, minlength = 4])?.try_into()?;
    assert_eq!((counts.to_vec(), again.to_vec()), (vec![1, 0, 2, 0], vec![1, 0, 2, 0]));
    Ok(())
}

/// Several axes of the type leave a known shape.
#[test]
fn channels_have_means() -> Result<()> {
    let images = Tensor::<f32>::arange(48)?.view(shape![2, 3, 4, 2]);
    let means: Tensor<f32, shape![3]> = images.mean_along(axes![0, 2, 3]);
    assert_eq!(means.to_vec(), [15.5, 23.5, 31.5]);
    assert_eq!(means.to_vec(), images.mean_along([0, 2, 3])?.to_vec());
    let kept_means: Tensor<f32, shape![1, 3, 1, 1]> = images.mean_along(kept(axes![-1, 0, 2]));
    let centred: Tensor<f32, shape![2, 3, 4, 2]> = &images - kept_means;
    assert_eq!(centred.sum_along(axes![0, 1, 2, 3]).item(), 0.0);
    let open: Tensor<f32, shape![_, 3, 4, 2]> = images.as_shape();
    let sums: Tensor<f32, shape![_, 4]> = open.sum_along(axes![3, 1]);
    assert_eq!(sums.to_vec(), images.sum_along([1, 3])?.to_vec());
    Ok(())
}
