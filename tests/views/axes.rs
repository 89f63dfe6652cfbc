//! Axes of the type as arguments: the shapes that follow, and that the tensors are those that integers give.

use latten::prelude::*;
use latten::{Result, try_cat, try_stack};

fn same<S: Shape>(found: &Tensor<i64, S>, expected: &DynTensor) -> Result<()> {
    assert_eq!((found.sizes(), found.strides()), (expected.sizes(), expected.strides()));
    assert_eq!(found.to_vec(), expected.to_vec_of::<i64>()?);
    Ok(())
}

#[test]
fn shapes_follow_axes() -> Result<()> {
    let x = Tensor::<i64>::arange(24)?.view(shape![2, 3, 4]);
    let any = x.erase();
    let front: Tensor<i64, shape![1, 2, 3, 4]> = x.unsqueeze(axis::<0>());
    let behind: Tensor<i64, shape![2, 3, 4, 1]> = x.unsqueeze(axis::<-1>());
    let inside: Tensor<i64, shape![2, 1, 3, 4]> = x.unsqueeze(axis::<-3>());
    same(&front, &any.unsqueeze(0)?)?;
    same(&behind, &any.unsqueeze(-1)?)?;
    same(&inside, &any.unsqueeze(-3)?)?;
    let turned: Tensor<i64, shape![4, 2, 3]> = x.permute(axes![2, 0, -2]);
    let reversed: Tensor<i64, shape![4, 3, 2]> = x.permute(axes![-1, 1, 0]);
    same(&turned, &any.permute([2, 0, 1])?)?;
    same(&reversed, &any.permute([2, 1, 0])?)?;
    let swapped: Tensor<i64, shape![4, 3, 2]> = x.transpose(axis::<0>(), axis::<-1>());
    let stayed: Tensor<i64, shape![2, 3, 4]> = x.swapaxes(axis::<1>(), axis::<-2>());
    same(&swapped, &any.transpose(0, -1)?)?;
    same(&stayed, &any)?;
    let (start, length) = (1_usize, 2_usize);
    let cut: Tensor<i64, shape![2, _, 4]> = x.narrow(axis::<1>(), start, length)?;
    let one: Tensor<i64, shape![2, 4]> = x.select(axis::<1>(), start)?;
    same(&cut, &any.narrow(1, 1, 2)?)?;
    same(&one, &any.select(1, 1)?)?;
    Ok(())
}

#[test]
fn sizes_add_along_an_axis() -> Result<()> {
    let x = Tensor::<i64>::arange(6)?.view(shape![2, 3]);
    let y = x.i(i![..1]);
    let three: Tensor<i64, shape![5, 3]> = cat((&x, &y, &x), axis::<0>());
    same(&three, &cat(&[&x.erase(), &y.erase(), &x.erase()], 0)?)?;
    let halves: Tensor<f32, shape![2, 5]> = cat((&x, &Tensor::<f32, shape![2, 2]>::ones()), axis::<-1>());
    assert_eq!(halves.sizes(), [2, 5]);
    let many: Tensor<i64, shape![_, 3]> = cat([&x, &x, &x], axis::<0>());
    assert_eq!(many.sizes(), [6, 3]);
    let one: Tensor<i64, shape![2, 3]> = cat([&x], axis::<0>()).typed()?;
    assert_eq!(one.sizes(), [2, 3]);

    let pile: Tensor<i64, shape![3, 2, 3]> = stack([&x, &x, &x], axis::<0>());
    let beside: Tensor<i64, shape![2, 3, 2]> = stack([&x, &x], axis::<-1>());
    same(&pile, &stack(&[&x.erase(), &x.erase(), &x.erase()], 0)?)?;
    same(&beside, &stack(&[&x.erase(), &x.erase()], -1)?)?;
    let rows = vec![x.i(i![0]), x.i(i![1])];
    let again: Tensor<i64, shape![_, 3]> = stack(&rows, axis::<0>())?;
    same(&again, &x.erase())?;
    Ok(())
}

#[test]
fn sizes_of_the_run_are_compared_by_it() -> Result<()> {
    let x = Tensor::<i64>::arange(6)?.view(shape![_, 3]);
    let y = x.narrow(axis::<0>(), 0, 1)?;
    assert_eq!(cat((&x, &y), axis::<0>()).sizes(), [3, 3]);
    let refused = try_cat((&x, &y), axis::<1>()).map(|_: Tensor<i64, shape![_, 6]>| ()).expect_err("refused");
    let expected = "Sizes of tensors must match except in dimension 1. Expected size 2 but got size 1 for tensor number 1 in the list.";
    assert_eq!(refused.message(), expected);
    let refused = try_stack([&x, &y], axis::<0>()).map(|_| ()).expect_err("refused");
    assert_eq!(refused.message(), "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [1, 3] at entry 1");
    Ok(())
}
