//! What PyTorch's users write by heart: ranges without a step, joins as functions of the type.

use latten::ErrorKind;
use latten::prelude::*;

#[test]
fn ranges_have_a_step_of_one() -> Result<()> {
    let x: Tensor<i64, Rank<1>> = Tensor::<i64>::arange(4)?;
    let typed: Tensor<f32, shape![3]> = Tensor::<f32, shape![3]>::arange() + 0.5;
    let row: Tensor<f64, shape![3]> = Tensor::arange();
    assert_eq!((row.to_vec(), Tensor::<f32>::arange(0.5..3.0)?.to_vec()), (vec![0.0, 1.0, 2.0], typed.to_vec()));
    let down = Tensor::<i32>::arange_with(6, 0, -2)?;
    let dynamic = DynTensor::arange(2..5, DType::U8)?;
    assert_eq!((x.to_vec(), typed.to_vec(), down.to_vec()), (vec![0, 1, 2, 3], vec![0.5, 1.5, 2.5], vec![6, 4, 2]));
    assert_eq!((dynamic.to_vec_of::<u8>()?, DynTensor::arange_with(0, 1, 0.25, Options::new())?.dtype()), (vec![2, 3, 4], DType::F32));
    assert_eq!(Tensor::<f64>::linspace(0, 1, 5)?.to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(DynTensor::linspace(-1, 1, 3, DType::F16)?.to_string(), "tensor([-1.,  0.,  1.], dtype=torch.float16)");
    Ok(())
}

/// A field says which tensor is drawn.
#[test]
fn what_is_drawn_has_the_type_of_where_it_goes() {
    struct Layer {
        weight: Tensor<f32, shape![20, 50]>,
        bias: Tensor<f64, shape![50]>,
        classes: Tensor<i64, shape![100]>,
    }
    manual_seed(0);
    let layer = Layer { weight: Tensor::normal(1.0, 0.1), bias: Tensor::uniform(-2.0, -1.0), classes: Tensor::randint(3, 5) };
    assert!((layer.weight.mean().item() - 1.0).abs() < 0.02 && (layer.weight.std().item() - 0.1).abs() < 0.02);
    assert!(layer.bias.lt(-1).all().item() && layer.bias.ge(-2).all().item());
    assert!(layer.classes.ge(3).all().item() && layer.classes.lt(5).all().item());
}

#[test]
fn sizes_are_arrays_where_the_rank_is_known() -> Result<()> {
    let x = Tensor::<f32>::zeros([3, 4])?;
    let [rows, columns] = x.shape();
    let none: [usize; 0] = x.sum().shape();
    let open: &[usize] = x.as_shape::<Any>().shape().to_vec().leak();
    assert_eq!((rows, columns, none, open, x.size(-1)), (3, 4, [], &[3, 4][..], 4));
    assert_eq!(x.erase().try_size(2).map_err(|error| error.kind()), Err(ErrorKind::Index));
    assert_eq!(x.try_size(2).map_err(|error| error.kind()), Err(ErrorKind::Index));
    Ok(())
}

#[test]
fn whole_tensors_are_compared() -> Result<()> {
    let (a, b) = (tensor![1.0, 2.0], tensor![1.0, 2.001]);
    let (same, near): (bool, bool) = (a.equal(&b), a.allclose_with(&b, 0.0, 0.01, false));
    let unknown: bool = a.erase().allclose(&b.erase());
    assert_eq!((same, near, unknown, a.isclose(&b).to_vec()), (false, true, false, vec![true, false]));
    let (of_any, of_two): (bool, bool) = (a.erase().equal(&a.erase()), tensor![1].erase().equal(&tensor![1.0]));
    assert_eq!((of_any, of_two, a.erase().equal(&b)), (true, true, false));
    let refused = a.erase().try_allclose_with(&b.double().erase(), latten::Tolerance::default()).expect_err("two dtypes");
    assert_eq!(refused.message(), "Float did not match Double");
    let scalars: Vec<Scalar> = a.erase().to_vec();
    assert_eq!(scalars, [1.0, 2.0].map(Scalar::from));
    Ok(())
}

#[test]
fn a_shape_that_says_more_is_looked_at() -> Result<()> {
    let x = Tensor::<f32>::zeros([3, 4])?;
    let known: Tensor<f32, shape![3, _]> = x.to_shape()?;
    let refused = x.to_shape::<shape![4, _]>().expect_err("three rows");
    assert_eq!((known.shape(), refused.message()), ([3, 4], "to_shape: the tensor has shape [3, 4], not [4, _]"));
    Ok(())
}

#[test]
fn joins_belong_to_the_type_too() -> Result<()> {
    let (a, b) = (tensor![[1, 2]], tensor![[3, 4]]);
    let below: Tensor<i64, shape![2, 2]> = Tensor::cat((&a, &b), axis::<0>());
    let beside: Tensor<i64, Rank<2>> = Tensor::cat(&[&a, &b], 1)?;
    let on_top: Tensor<i64, shape![2, 1, 2]> = Tensor::stack([&a, &b], axis::<0>());
    let rows = vec![a.i(i![0]), b.i(i![0])];
    assert_eq!((below.to_vec(), beside.sizes(), on_top.sizes()), (vec![1, 2, 3, 4], &[1, 4][..], &[2, 1, 2][..]));
    assert_eq!(Tensor::stack(&rows, 0)?.to_vec(), below.to_vec());
    Ok(())
}

/// A function over floats takes numbers of its dtype, and computes with them as with literals.
#[test]
fn numbers_of_the_dtype_are_operands() -> Result<()> {
    fn line<E: Float, S: Shape>(x: &Tensor<E, S>, slope: E, height: E) -> Tensor<E, S> {
        x * slope + height
    }
    fn shifted<E: Integral, S: Shape>(x: &Tensor<E, S>, by: E) -> Tensor<E, S> {
        (x + by).maximum(&x.zeros_like())
    }
    assert_eq!(line(&tensor![1.0, 2.0], 0.5, 1.0).to_vec(), [1.5, 2.0]);
    assert_eq!(line(&tensor![1.0, 2.0].to::<bf16>(), bf16::ONE, bf16::ONE).dtype(), DType::BF16);
    assert_eq!(shifted(&tensor![1_u8, 2], 3).to_vec(), [4, 5]);
    Ok(())
}

/// What a name gives goes on as it is.
fn dtype_of(name: &str) -> Result<DType> {
    name.parse::<DType>()
}

#[test]
fn names_of_dtypes_that_are_none_are_the_error_of_the_library() {
    assert_eq!(dtype_of("torch.float16"), Ok(DType::F16));
    let refused = dtype_of("float31").expect_err("no dtype");
    assert_eq!(
        (refused.kind(), refused.message()),
        (ErrorKind::Value, "unknown dtype `float31`: the names are PyTorch's, as `float32` or `int64`")
    );
}

#[test]
fn what_pytorch_always_asks_for_stands_in_the_plain_name() -> Result<()> {
    let x = tensor![[0.0, 0.0], [1.0, 1.0]];
    let rows: Tensor<f32, shape![2]> = x.logsumexp(axis::<1>());
    let column: Tensor<f32, shape![2, 1]> = x.logsumexp(kept(axis::<1>()));
    let looked_at: Result<Tensor<f32, Rank<1>>> = x.logsumexp(-1);
    let two = 2.0_f32.ln();
    assert!(rows.allclose(&tensor![two, 1.0 + two]) && column.ravel().equal(&rows) && looked_at?.equal(&rows));
    Ok(())
}
