//! What porters wrote at first: numbers of a parameter's dtype in literals and on the left of `where_`, shapes that are forgotten in
//! generic functions, names and arguments as in PyTorch.

use latten::grad::{GradOptions, grad_of, grad_of_with};
use latten::prelude::*;
use latten::{ErrorKind, linalg};

/// The matrix whose product with a vector is the cross product.
fn crossing<E: Float>(v: &Tensor<E, shape![3]>) -> Result<Tensor<E, shape![3, 3]>> {
    let [x, y, z] = [v.get([0])?, v.get([1])?, v.get([2])?];
    let o = E::from_f64(0.0);
    Ok(tensor![[o, -z, y], [z, o, -x], [-y, x, o]])
}

fn basis<E: WideFloat, S: Shape>(x: &Tensor<E, S>, at: f64) -> Tensor<E, S> {
    let hit = x.eq(at);
    where_(&hit, 1.0, &(x - at).square()) + where_(&hit, E::from_f64(2.0), x) + where_(&hit, x, 3)
}

/// A step of an optimiser over any shape: what has forgotten the shape goes into what knows it.
fn stepped<E: Float, S: Shape>(weight: &mut Tensor<E, S>, gradient: &Tensor<E, S>) -> Result<Tensor<E, Any>> {
    let velocity: Tensor<E, Any> = gradient.as_shape();
    weight.sub_(&(&velocity * 0.5))?;
    Ok(weight.as_shape())
}

#[test]
fn functions_over_a_dtype_take_its_numbers() -> Result<()> {
    let v = tensor![1.0_f64, 2.0, 3.0];
    let (k, u) = (crossing(&v)?, tensor![0.5_f64, -1.0, 2.0]);
    assert_eq!(k.mv(&u).to_vec(), v.cross(&u).to_vec());
    assert_eq!(crossing(&v.to::<bf16>())?.to_vec()[1].to_f32(), -3.0);
    assert_eq!(basis(&tensor![1.0, 3.0], 1.0).to_vec(), [4.0, 10.0]);
    assert_eq!(basis(&tensor![1.0_f64, 3.0], 1.0).to_vec(), [4.0, 10.0]);
    // Beside tensors whose dtype is known, the number's category counts, whichever side it is on.
    let mask = tensor![true, false];
    let halves: Tensor<f32, shape![2]> = where_(&mask, 0.5, &tensor![1, 2]);
    let same: Tensor<u8, shape![2]> = where_(&mask, 7, &tensor![1, 2; u8]);
    let complex: Tensor<c64, shape![2]> = where_(&mask, Complex::new(0.0, 1.0), &tensor![1, 2]);
    assert_eq!((halves.to_vec(), same.to_vec(), complex.to_vec()[1]), (vec![0.5, 2.0], vec![7, 2], c64::new(2.0, 0.0)));
    let mut weight = tensor![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(stepped(&mut weight, &tensor![[2.0, 2.0], [0.0, 4.0]])?.to_vec(), [0.0, 1.0, 3.0, 2.0]);
    let error = weight.sub_(Tensor::<f32>::ones([3])?.as_shape::<Any>()).map(drop).expect_err("it doesn't fit");
    assert_eq!((error.kind(), weight.to_vec()[3]), (ErrorKind::Runtime, 2.0));
    Ok(())
}

#[test]
fn names_and_arguments_are_pytorchs() -> Result<()> {
    let turn = tensor![[0.0_f64, -1.0], [1.0, 0.0]];
    let values: Tensor<c128, shape![2]> = linalg::eigvals(&turn)?;
    let (again, vectors) = linalg::eig(&turn)?;
    assert!(values.allclose(&again) && values.imag().abs().allclose(&tensor![1.0_f64, 1.0]));
    let error = linalg::eigvals(&tensor![1.0]).map(drop).expect_err("no matrix");
    assert_eq!(error.message(), "linalg.eigvals: The input tensor A must have at least 2 dimensions.");
    let whole = turn.to::<c128>();
    assert!(whole.matmul(&vectors).allclose(&(&vectors * &values)));
    assert_eq!((linalg::norm(&turn).item(), linalg::vector_norm(&tensor![3.0, 4.0]).item()), (2.0_f64.sqrt(), 5.0));
    assert_eq!(linalg::norm(&turn.erase()).item(), 2.0_f64.sqrt());
    assert_eq!(tensor![1.0, 2.0].diag_embed_with(1, -2, -1)?.to_vec(), [0., 1., 0., 0., 0., 2., 0., 0., 0.]);
    let parts = tensor![1, 2, 3, 4, 5, 6].split([2, 1, 3], 0)?;
    assert_eq!(parts.iter().map(Tensor::to_vec).collect::<Vec<_>>(), [vec![1, 2], vec![3], vec![4, 5, 6]]);
    let refused = tensor![1, 2].split(vec![1_usize], 0).map(drop).expect_err("one is left");
    assert!(refused.message().starts_with("split_with_sizes expects split_sizes to sum exactly to 2"), "{refused}");
    let counts = tensor![7, -7];
    assert_eq!((counts.div_trunc(4).to_vec(), counts.floor_divide(4).to_vec()), (vec![1, -1], vec![1, -2]));
    assert_eq!((result_type(&counts, 1)?, result_type(2.5, counts.erase())?), (DType::I64, DType::F32));
    assert_eq!(tensor![[1, 2]].pad_with([1, 0], 9)?.to_vec(), [9, 1, 2]);
    assert_eq!(tensor![1.0, 2.0].pad_with([0, 1], 0.5)?.to_vec(), [1.0, 2.0, 0.5]);
    assert_eq!(tensor![[0.0, 0.0], [3.0, 4.0]].cdist(&tensor![[0.0, 0.0]]).to_vec(), [0.0, 5.0]);
    let error = tensor![[0.0, 0.0]].try_cdist(&tensor![[0.0]]).map(drop).expect_err("other lengths");
    assert_eq!(error.message(), "X1 and X2 must have the same number of columns. X1: 2 X2: 1");
    Ok(())
}

#[test]
fn gradients_of_one_result_have_the_types_of_inputs() -> Result<()> {
    let (x, y) = (tensor![3.0_f64, 1.0].requiring_grad()?, tensor!(2.0).requiring_grad()?);
    let z = (&x * &x * &y).sum();
    let (by_x, by_y): (Tensor<f64, shape![2]>, Tensor<f32, shape![]>) = grad_of_with(&z, (&x, &y), GradOptions::RETAIN_GRAPH)?;
    assert_eq!((by_x.to_vec(), by_y.item(), x.grad().is_none()), (vec![12.0, 4.0], 10.0, true));
    let unused = tensor![1.0_f32, 1.0].requiring_grad()?;
    let error = grad_of_with(&z, (&x, &unused), GradOptions::RETAIN_GRAPH).map(drop).expect_err("it isn't used");
    assert!(error.message().contains("Tensor at index 1 appears to not have been used in the graph"), "{error}");
    let allowed = GradOptions { allow_unused: Some(true), ..GradOptions::default() };
    assert_eq!(grad_of_with(&z, &unused, allowed)?.to_vec(), [0.0, 0.0]);
    let first = grad_of_with(&(&y * &y * &y), &y, GradOptions::CREATE_GRAPH)?;
    assert_eq!((first.item(), grad_of(&first, &y)?.item()), (12.0, 12.0));
    Ok(())
}

#[test]
fn powers_of_ten_are_printed_where_they_are_asked_for() {
    let x = tensor![0.01295, 0.0002];
    assert_eq!(format!("{x:.3e} {:.1e} {x:.3}", x.sum()), "tensor([1.295e-02, 2.000e-04]) 1.3e-2 tensor([0.013, 0.000])");
    assert_eq!(format!("{:.2e}", tensor![1, 20]), "tensor([ 1, 20])");
}

/// A function that says what it takes, for literals whose type must be there at once.
fn of<E: Element, S: Shape>(_: &Tensor<E, S>, dtype: DType, x: &DynTensor) -> bool {
    x.dtype() == dtype
}

#[test]
fn literals_follow_numbers_of_the_program() -> Result<()> {
    let (dt, half, count) = (0.5_f64, f16::ONE, 3_u8);
    let f = tensor![[1.0, dt], [0.0, 1.0]];
    let (trace, total): (f64, f64) = (f.get([0, 0])? + f.get([1, 1])?, (&f * 2.0).sum().item());
    assert_eq!((trace, total, tensor![half, 0.5].to_vec()[1], tensor![1, count].dtype()), (2.0, 5.0, f16::from_f32(0.5), DType::U8));
    // Integers beside floats are floats.
    assert_eq!((tensor![[1, 2], [3, 4]].sum().dtype(), tensor![1, dt].to_vec()), (DType::I64, vec![1.0, 0.5]));
    // A number without a type becomes what the literal is by itself, and its type is there at once.
    let open = 0.25;
    let by_itself = tensor![1.0, open];
    assert!(of(&by_itself, DType::F32, &(&by_itself * 2.0).sum().erase()));
    let whole = 7;
    assert_eq!(tensor![whole, 1].sum().item(), 8_i64);
    // What is expected goes before both.
    let expected: Tensor<f64, Rank<1>> = tensor![1.0, 2.0 * open as f64];
    let dynamic: DynTensor = tensor![1.0, open];
    assert_eq!((expected.to_vec(), dynamic.dtype()), (vec![1.0, 0.5], DType::F32));
    // An element is computed once, in its turn.
    let mut turns = Vec::new();
    let mut turn = |number: f64| {
        turns.push(number);
        number
    };
    assert_eq!(tensor![[0.0, turn(1.0)], [turn(2.0), turn(3.0)]].to_vec(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(turns, [1.0, 2.0, 3.0]);
    assert_eq!(tensor![v(&[0.5])?, 1.0].to_vec(), [0.5, 1.0]);
    assert_eq!(tensor![[dt; 2], [1.0, 2.0]].to_vec(), [0.5, 0.5, 1.0, 2.0]);
    assert_eq!((numbers(2.0_f32).to_vec(), numbers(bf16::ONE).to_vec()[2]), (vec![2.0, -1.5, 4.0], bf16::from_f32(2.0)));
    Ok(())
}

fn v(numbers: &[f64]) -> Result<f64> {
    numbers.first().copied().ok_or_else(|| Error::runtime("none"))
}

/// Literals beside numbers of a parameter's dtype.
fn numbers<E: Float>(e: E) -> Tensor<E, shape![3]> {
    let row = tensor![e, -1.5, e + e];
    row
}

#[test]
fn literals_of_a_dtype_that_is_a_parameter() -> Result<()> {
    type Model<E> = (Tensor<E, shape![2, 2]>, f64, E);
    fn model<E: WideFloat>() -> Result<Model<E>> {
        let levels = tensor![0.25, 0.5, 0.75; E];
        let x = tensor![[1.0, 0.5], [0.0, -1.0]; E];
        // One row, whose count no parameter of that name would be.
        assert!(tensor![[1.0, 0.0]; E].equal(&tensor![[1.0, 0.0], dtype = E]) && tensor![2.5, dtype = E].equal(&tensor![2.5; E]));
        Ok((x.clone(), levels.sum().item().to_f64(), x.quantile(&levels)?.to_vec()[1]))
    }
    let (x, sum, median) = model::<f64>()?;
    assert_eq!((x.to_vec(), sum, median, model::<f32>()?.2), (vec![1.0, 0.5, 0.0, -1.0], 1.5, 0.25, 0.25));
    fn alike<const N: usize>() -> [usize; 1] {
        (tensor![0.5; N] + tensor![0.5; N]).shape()
    }
    const N: usize = 3;
    assert_eq!((tensor![1.0, 2.0, dtype = f16].dtype(), alike::<4>()), (DType::F16, [4]));
    assert_eq!((tensor![0.5; N].shape(), tensor![[0.5; N]; 2].shape()), ([3], [2, 3]));
    let ranges = (tensor![1.0, 3.0].quantile(0.5)?.item(), tensor![[1.0, 3.0]].quantile_along(0.5, axis::<1>()).to_vec());
    assert_eq!(ranges, (2.0, vec![2.0]));
    assert_eq!(
        tensor![1.0].quantile(1.5).map(drop).expect_err("no share").message(),
        "quantile() q must be in the range [0, 1] but got 1.5"
    );
    assert_eq!(tensor![1.0, 2.0].dropout(0.5, false).to_vec(), [1.0, 2.0]);
    Ok(())
}
