//! The methods of operations on typed tensors: what they are called, what types they give, and that every form does the same.

use latten::prelude::*;
use latten::{Op, Result, elementwise, where_};

type Row = Tensor<f32, shape![3]>;

fn row(numbers: [f32; 3]) -> Row {
    Tensor::from(numbers)
}

fn ints(numbers: [i32; 3]) -> Tensor<i32, shape![3]> {
    Tensor::from(numbers)
}

#[test]
fn parameters_have_forms_of_their_own() -> Result<()> {
    let (a, b) = (row([1.0, 2.0, 3.0]), row([10.0, 20.0, 30.0]));
    assert_eq!(a.add_with(&b, 2).to_vec(), [21.0, 42.0, 63.0]);
    assert_eq!(a.sub_with(&b, 0.5).to_vec(), [-4.0, -8.0, -12.0]);
    let reversed: Row = a.rsub_with(1, 3);
    assert_eq!(reversed.to_vec(), [-2.0, -5.0, -8.0]);
    let wide: Tensor<f64, shape![3]> = a.add_with(&Tensor::<f64, shape![3]>::ones(), 2);
    assert_eq!(wide.to_vec(), [3.0, 4.0, 5.0]);
    let mut c = a.clone();
    c.add_with_(&b, -1)?.sub_with_(1, 2)?;
    assert_eq!(c.to_vec(), [-11.0, -20.0, -29.0]);
    a.add_with_out(&b, 3, &mut c)?;
    assert_eq!(c.to_vec(), [31.0, 62.0, 93.0]);

    let refused = ints([1, 2, 3]).try_add_with(&ints([1, 2, 3]), 2.5).expect_err("a float of an integer");
    assert_eq!(refused.message(), "For integral input tensors, argument alpha must not be a floating point number.");

    let x = row([-2.4567, 0.0, 123.456]);
    assert_eq!(x.round_decimals(2).to_vec(), [-2.46, 0.0, 123.46]);
    assert_eq!(x.round_decimals(-1).to_vec(), [0.0, 0.0, 120.0]);
    let odd = row([f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    assert_eq!(odd.nan_to_num().to_vec(), [0.0, f32::MAX, f32::MIN]);
    assert_eq!(odd.nan_to_num_with(Some(1.5), None, Some(-7.0)).to_vec(), [1.5, f32::MAX, -7.0]);
    assert_eq!(row([0.0, 30.0, 1.0]).softplus_with(2, 1).to_vec()[1..], [30.0, 1.0]);
    assert_eq!(row([0.0, 30.0, 0.0]).softplus().to_vec(), [2f32.ln(), 30.0, 2f32.ln()]);
    Ok(())
}

#[test]
fn activations_have_pytorchs_parameters_in_every_form() -> Result<()> {
    let x = row([-2.0, 0.25, 1.0]);
    assert_eq!(x.leaky_relu_with(0.5).to_vec(), [-1.0, 0.25, 1.0]);
    assert_eq!(x.elu_with(2).to_vec(), [2.0 * (-2.0_f32).exp_m1(), 0.25, 1.0]);
    assert_eq!(x.softshrink().to_vec(), [-1.5, 0.0, 0.5]);
    assert_eq!(x.hardshrink_with(0.125).to_vec(), [-2.0, 0.25, 1.0]);
    assert_eq!(x.threshold(0.5, 7).to_vec(), [7.0, 7.0, 1.0]);
    assert_eq!(ints([1, 2, 3]).threshold(2, -1).to_vec(), [-1, -1, 3]);
    let mut changed = x.clone();
    changed.hardswish_()?.threshold_(0.0, 5.0)?;
    assert_eq!(changed.to_vec(), [5.0, x.hardswish().to_vec()[1], 4.0 / 6.0]);
    x.softshrink_with_out(1, &mut changed)?;
    assert_eq!(changed.to_vec(), [-1.0, 0.0, 0.0]);
    let said = |refused: Result<DynTensor>| refused.map_or_else(|error| error.message().to_owned(), |tensor| tensor.to_string());
    let text = "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -0.5";
    assert_eq!(said(x.erase().try_softshrink_with(-0.5)), text);
    assert!(said(x.to::<f16>().erase().try_softshrink_with(f64::NAN)).contains("[0, 65504] for input dtype Half, but found NaN"));
    assert_eq!(said(ints([1, 2, 3]).erase().try_softshrink_with(-1)), "\"softshrink_check\" not implemented for 'Int'");
    Ok(())
}

#[test]
fn three_operands_promote_and_broadcast_together() -> Result<()> {
    let x = ints([1, 5, 9]);
    let clamped: Tensor<i32, shape![3]> = x.clamp(2, 7);
    assert_eq!(clamped.to_vec(), [2, 5, 7]);
    let floats: Tensor<f32, shape![3]> = x.clamp(2.5, 7);
    assert_eq!(floats.to_vec(), [2.5, 5.0, 7.0]);
    let square: Tensor<f64, shape![2, 3]> = x.clamp(Tensor::<f64, shape![2, 1]>::full(4.0), row([6.0, 6.0, 6.0]));
    assert_eq!(square.to_vec(), [4.0, 5.0, 6.0, 4.0, 5.0, 6.0]);
    // Two zero-dim tensors promote with each other before the tensor with dimensions counts.
    let zero: Tensor<f32, shape![3]> = x.clamp(Tensor::<f16, shape![]>::zeros(), Tensor::<f32, shape![]>::full(3.0));
    assert_eq!(zero.to_vec(), [1.0, 3.0, 3.0]);
    let (raised, lowered): (Tensor<i32, _>, Tensor<i32, _>) = (x.clamp_min(4), x.clamp_max(4));
    assert_eq!((raised.to_vec(), lowered.to_vec()), (vec![4, 5, 9], vec![1, 4, 4]));
    let mut y = x.clone();
    y.clamp_(2, ints([3, 3, 10]))?;
    assert_eq!(y.to_vec(), [2, 3, 9]);

    let (a, b, c) = (row([1.0, 2.0, 3.0]), row([2.0, 2.0, 4.0]), row([4.0, 8.0, 2.0]));
    assert_eq!(a.addcmul(&b, &c).to_vec(), [9.0, 18.0, 11.0]);
    assert_eq!(a.addcmul_with(&b, &c, 0.5).to_vec(), [5.0, 10.0, 7.0]);
    assert_eq!(a.addcdiv(&b, &c).to_vec(), [1.5, 2.25, 5.0]);
    let mut d = a.clone();
    d.addcdiv_with_(&b, &c, 2)?;
    assert_eq!(d.to_vec(), [2.0, 2.5, 7.0]);
    assert_eq!(a.lerp(&c, 0.5).to_vec(), [2.5, 5.0, 2.5]);
    assert_eq!(a.lerp(&c, &row([0.0, 1.0, 0.5])).to_vec(), [1.0, 8.0, 2.5]);
    Ok(())
}

#[test]
fn where_takes_numbers_and_tensors() -> Result<()> {
    let (x, y) = (ints([1, 2, 3]), row([0.5, 1.5, 2.5]));
    let mask = x.ge(2);
    let both: Tensor<f32, shape![3]> = where_(&mask, &x, &y);
    assert_eq!(both.to_vec(), [0.5, 2.0, 3.0]);
    let left: Tensor<i32, shape![3]> = where_(&mask, 7, &x);
    assert_eq!(left.to_vec(), [1, 7, 7]);
    let numbers: Tensor<f32, shape![3]> = where_(&mask, 7, 0.5);
    assert_eq!(numbers.to_vec(), [0.5, 7.0, 7.0]);
    let wide: Tensor<i64, shape![3]> = where_(&mask, 1, Tensor::<bool, shape![]>::zeros());
    assert_eq!(wide.to_vec(), [0, 1, 1]);
    let mut out = Tensor::<f32, shape![3]>::zeros();
    latten::where_out(&mask, &x, &y, &mut out)?;
    assert_eq!(out.to_vec(), [0.5, 2.0, 3.0]);
    let refused = latten::try_where(&x.erase(), &x, &y).expect_err("no condition");
    assert_eq!(refused.message(), "where expected condition to be a boolean tensor, but got a tensor with dtype Int");
    Ok(())
}

#[test]
fn a_number_on_the_left_divides_by_the_reciprocal() -> Result<()> {
    let x = Tensor::from([3.0, 7.0, 49.0].map(f16::from_f32));
    let (divided, reciprocal, once): (Tensor<f16, _>, Tensor<f16, _>, Tensor<f16, _>) =
        (7.0 / &x, x.reciprocal() * 7.0, Tensor::<f16, shape![3]>::full(f16::from_f32(7.0)) / &x);
    assert_eq!(divided.to_vec(), reciprocal.to_vec());
    assert_ne!(divided.to_vec(), once.to_vec(), "rounded once, the quotient is another number");
    let quarters: Row = 2 / &ints([4, 8, 16]);
    assert_eq!(quarters.to_vec(), [0.5, 0.25, 0.125]);
    Ok(())
}

#[test]
fn an_output_keeps_the_shape_of_its_type() -> Result<()> {
    let (a, b) = (row([1.0, 2.0, 3.0]), Tensor::<f32, shape![2, 1]>::ones());
    let mut fixed = row([7.0, 8.0, 9.0]);
    let refused = a.add_out(&b, &mut fixed).expect_err("another rank");
    assert_eq!(refused.message(), "the result has shape [2, 3], but the output is of type [3]");
    assert_eq!((fixed.sizes(), fixed.to_vec()), (&[3][..], vec![7.0, 8.0, 9.0]));

    let mut loose = Tensor::<f32>::zeros([0, 0])?;
    a.add_out(&b, &mut loose)?;
    assert_eq!((loose.sizes(), loose.to_vec()), (&[2, 3][..], vec![2.0, 3.0, 4.0, 2.0, 3.0, 4.0]));
    let refused = a.exp_out(&mut loose).expect_err("another rank");
    assert_eq!(refused.message(), "the result has shape [3], but the output is of type [_, _]");

    // What PyTorch refuses comes first, in its words.
    let mut halves = Tensor::<Any, AnyShape>::zeros([2], DType::I32)?;
    let refused = a.exp_out(&mut halves).expect_err("a cast");
    assert_eq!(refused.message(), "result type Float can't be cast to the desired output type Int");
    Ok(())
}

#[test]
fn dtypes_are_taken_from_another_tensor() -> Result<()> {
    let (x, like) = (row([1.5, -1.5, 3.0]), Tensor::<i64, ()>::zeros());
    let taken: Tensor<i64, shape![3]> = x.type_as(&like);
    assert_eq!(taken.to_vec(), [1, -1, 3]);
    assert_eq!(x.type_as(&x).data_ptr(), x.data_ptr());
    Ok(())
}

#[test]
fn arguments_of_pytorch_choose_operations() -> Result<()> {
    for (name, op) in [("add", Op::Add), ("floor_divide", Op::DivFloor), ("bitwise_left_shift", Op::LeftShift), ("where", Op::Where)] {
        assert_eq!((Op::parse(name), op.name()), (Some(op), name));
    }
    assert_eq!(Op::parse("addd"), None);
    assert_eq!(elementwise::division(Some("floor"))?, Op::DivFloor);
    assert_eq!(
        elementwise::division(Some("up")).expect_err("no mode").message(),
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'"
    );
    assert_eq!(elementwise::gelu("tanh")?, Op::GeluTanh);
    assert_eq!(elementwise::gelu("up").expect_err("no way").message(), "approximate argument must be either none or tanh.");
    let x = row([1.0, 2.0, 3.0]);
    assert_eq!(elementwise::clamp(x.raw().into(), Some(1.into()), None)?.0, Op::ClampMin);
    assert_eq!(
        elementwise::clamp(x.raw().into(), None, None).expect_err("no bound").message(),
        "torch.clamp: At least one of 'min' or 'max' must not be None"
    );
    Ok(())
}
