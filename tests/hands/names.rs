//! What PyTorch's users write by heart: ranges without a step, joins as functions of the type.

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
    assert_eq!(
        (dynamic.to_vec_of::<u8>()?, DynTensor::arange_with(0, 1, 0.25, latten::Options::new())?.dtype()),
        (vec![2, 3, 4], DType::F32)
    );
    assert_eq!(Tensor::<f64>::linspace(0, 1, 5)?.to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(DynTensor::linspace(-1, 1, 3, DType::F16)?.to_string(), "tensor([-1.,  0.,  1.], dtype=torch.float16)");
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
