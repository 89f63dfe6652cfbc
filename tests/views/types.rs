//! What the types know of views and joins, and that what is written to a view reaches the tensor. That this compiles is half of the test.

use latten::prelude::*;
use latten::{ErrorKind, Result, broadcast_tensors, cat_out, try_cat};

/// A tensor of that type, checked at run time by `typed` as well.
fn is<E: Element, S: Shape>(tensor: &Tensor<E, S>) -> Result<&Tensor<E, S>> {
    tensor.erase().typed::<E, S>()?;
    Ok(tensor)
}

fn grid() -> Result<Tensor<f32, shape![2, 3]>> {
    Tensor::<f32>::from_vec(vec![0., 1., 2., 3., 4., 5.], shape![2, 3])
}

#[test]
fn transposes_need_no_question_mark() -> Result<()> {
    let x = grid()?;
    let t: Tensor<f32, shape![3, 2]> = x.t();
    let u: Tensor<f32, shape![2, 3]> = t.transpose(axis::<0>(), axis::<-1>());
    let m: Tensor<f32, shape![3, 2]> = x.mT();
    let block: Tensor<f32, shape![3, 1, 2]> = x.view(shape![2, 1, 3]).T();
    let _same: Tensor<f32, shape![3]> = x.i(i![0]).typed::<f32, shape![3]>()?.t();
    for (tensor, sizes, strides) in [(t.erase(), [3, 2], [1, 3]), (u.erase(), [2, 3], [3, 1]), (m.erase(), [3, 2], [1, 3])] {
        assert_eq!((tensor.sizes(), tensor.strides()), (&sizes[..], &strides[..]));
    }
    assert_eq!(is(&block)?.strides(), [1, 3, 3]);
    Ok(())
}

#[test]
fn shapes_follow_views() -> Result<()> {
    let x = grid()?;
    let six: Tensor<f32, shape![6]> = x.view(shape![6]);
    let open: Tensor<f32, shape![_, 2]> = x.reshape(shape![_, 2]);
    let ranked: Tensor<f32, Rank<3>> = x.view([1, 2, -1])?;
    let row: Tensor<f32, Rank<1>> = x.select(0, 1)?;
    let part: Tensor<f32, Rank<2>> = x.narrow(1, 0, 2)?;
    let one: Tensor<f32, ()> = x.i(i![1, -1]);
    let more: Tensor<f32, shape![2, 1, 2]> = x.i(i![.., NewAxis, 1..]);
    let same: Tensor<f32, shape![2, 3]> = x.i(i![..]);
    let wide: Tensor<f32, shape![4, 2, 3]> = x.expand(shape![4, 2, 3]);
    let pieces: Vec<Tensor<f32, Rank<2>>> = x.chunk(2, 1)?;
    assert_eq!(one.item(), 5.);
    assert_eq!((is(&six)?.numel(), is(&open)?.sizes(), is(&ranked)?.sizes()), (6, &[3, 2][..], &[1, 2, 3][..]));
    assert_eq!((is(&row)?.sizes(), is(&part)?.sizes(), is(&more)?.sizes()), (&[3][..], &[2, 2][..], &[2, 1, 2][..]));
    assert_eq!((is(&same)?.sizes(), is(&wide)?.strides(), pieces.len()), (&[2, 3][..], &[0, 3, 1][..], 2));
    Ok(())
}

#[test]
fn dtypes_follow_views() -> Result<()> {
    let x = grid()?;
    let bits: Tensor<i32, Rank<2>> = x.reinterpret::<i32>()?;
    let pairs: Tensor<c64, Rank<2>> = x.view(shape![3, 1, 2]).view_as_complex();
    let parts: Tensor<f32, Rank<3>> = pairs.view_as_real();
    let (real, imag): (Tensor<f32, Rank<2>>, Tensor<f32, Rank<2>>) = (pairs.real(), pairs.imag());
    let itself: Tensor<f32, shape![2, 3]> = x.real();
    assert_eq!(is(&bits)?.get([0, 1])?, 1_f32.to_bits().cast_signed());
    assert_eq!((is(&real)?.to_vec(), is(&imag)?.to_vec()), (vec![0., 2., 4.], vec![1., 3., 5.]));
    assert_eq!((is(&parts)?.sizes(), itself.data_ptr()), (&[3, 1, 2][..], x.data_ptr()));
    Ok(())
}

#[test]
fn shapes_and_dtypes_follow_joins() -> Result<()> {
    let x = grid()?;
    let y = Tensor::<f64>::from_vec(vec![6., 7., 8.], shape![1, 3])?;
    let below: Tensor<f64, shape![3, 3]> = cat((&x, &y), axis::<0>());
    let beside: Tensor<f32, shape![2, 6]> = cat((&x, &x), axis::<-1>());
    let all: Tensor<f32, Rank<2>> = cat(&[&x, &x, &x], 0)?;
    let layers: Tensor<f32, Rank<3>> = stack(&[&x, &x], 0)?;
    let flipped: Tensor<f32, shape![2, 3]> = x.flip([0])?;
    let rolled: Tensor<f32, shape![2, 3]> = x.roll(1, ())?;
    let (turned, repeated): (Tensor<f32, shape![3, 2]>, Tensor<f32, Rank<3>>) = (x.rot90(), x.repeat([2, 1, 1])?);
    assert_eq!(is(&below)?.to_vec(), [0., 1., 2., 3., 4., 5., 6., 7., 8.]);
    assert_eq!((is(&beside)?.sizes(), is(&all)?.sizes(), is(&layers)?.sizes()), (&[2, 6][..], &[6, 3][..], &[2, 2, 3][..]));
    assert_eq!((is(&flipped)?.to_vec(), is(&rolled)?.to_vec()), (vec![3., 4., 5., 0., 1., 2.], vec![5., 0., 1., 2., 3., 4.]));
    assert_eq!((is(&turned)?.sizes(), is(&repeated)?.sizes()), (&[3, 2][..], &[2, 2, 3][..]));
    let row = x.narrow(0, 0, 1)?;
    assert_eq!(
        try_cat((&row, &x.erase().typed::<f32, Rank<2>>()?), axis::<1>()).map(|_| ()).map_err(|error| error.message().to_owned()),
        Err("Sizes of tensors must match except in dimension 1. Expected size 1 but got size 2 for tensor number 1 in the list.".to_owned())
    );
    Ok(())
}

#[test]
fn writing_to_a_view_writes_to_the_tensor() -> Result<()> {
    let x = grid()?;
    x.i(i![.., 1..]).fill_(9.)?;
    x.t().i(i![0, 1]).fill_(7.)?;
    x.diagonal().zero_()?;
    x.i(i![1, -1]).copy_(&x.i(i![0, 1]))?;
    assert_eq!(x.to_vec(), [0., 9., 9., 7., 0., 9.]);
    x.unfold(1, 2, 1)?.i(i![0, 0]).fill_(5.)?;
    x.as_strided_with([2], [3], 2)?.fill_(1.)?;
    assert_eq!(x.to_vec(), [5., 5., 1., 7., 0., 1.]);
    Ok(())
}

#[test]
fn several_tensors_broadcast_to_views_of_one_shape() -> Result<()> {
    let x = grid()?;
    let spread: [Tensor<f32, Rank<2>>; 2] = broadcast_tensors([&x.narrow(0, 0, 1)?, &x.narrow(1, 0, 1)?]);
    let strides: Vec<_> = spread.iter().map(|view| (view.sizes(), view.strides(), view.data_ptr() == x.data_ptr())).collect();
    assert_eq!(strides, [(&[2, 3][..], &[0, 1][..], true), (&[2, 3][..], &[3, 0][..], true)]);
    Ok(())
}

#[test]
fn tuples_of_different_shapes_are_joined() -> Result<()> {
    let (x, v, whole) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![5.0, 6.0], tensor![7, 8]);
    let below: Tensor<f32, AnyShape> = vstack((&x, &v));
    assert_eq!((below.sizes(), below.to_vec()), (&[3, 2][..], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let row: Tensor<f32, AnyShape> = hstack((&v, &whole));
    assert_eq!(row.to_vec(), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(latten::column_stack((&x, &v, &whole)).to_vec(), [1.0, 2.0, 5.0, 7.0, 3.0, 4.0, 6.0, 8.0]);
    assert_eq!(latten::dstack([&v, &v]).sizes(), [1, 2, 2]);
    let blocks: Tensor<f32, Rank<2>> = latten::block_diag((&x, &whole));
    assert_eq!(blocks.to_vec(), [1.0, 2.0, 0.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0]);
    let beside: Tensor<f32, shape![2, 2]> = stack((&v, &whole), axis::<0>());
    assert_eq!(beside.to_vec(), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(stack((&v, &whole), 1)?.to_vec(), [5.0, 7.0, 6.0, 8.0]);
    let (all, spread): (Tensor<f32, _>, Tensor<i64, shape![2, 2]>) = broadcast_tensors((&x, &whole));
    assert_eq!((all.data_ptr() == x.data_ptr(), spread.to_vec()), (true, vec![7, 8, 7, 8]));
    let refused = latten::try_vstack((&x, &tensor![1.0])).map(drop).expect_err("two columns and one");
    assert_eq!(
        refused.message(),
        "Sizes of tensors must match except in dimension 0. Expected size 2 but got size 1 for tensor number 1 in the list."
    );
    Ok(())
}

/// The kind and text of an error.
fn refused<T>(outcome: Result<T>) -> Option<(ErrorKind, String)> {
    outcome.err().map(|error| (error.kind(), error.message().to_owned()))
}

#[test]
fn cat_into_an_output() -> Result<()> {
    let x = grid()?;
    let mut out = Tensor::<f64>::zeros([4, 3])?;
    let address = out.data_ptr();
    cat_out(&[&x, &x], 0, &mut out)?;
    assert_eq!((out.to_vec(), out.data_ptr()), ([x.to_vec(), x.to_vec()].concat().into_iter().map(f64::from).collect(), address));

    let mut resized = DynTensor::zeros([0], DType::F32)?;
    cat_out(&[&x, &x], 1, &mut resized)?;
    assert_eq!((resized.sizes(), resized.strides()), (&[2, 6][..], &[6, 1][..]));

    let mut integers = DynTensor::zeros([4, 3], DType::I32)?;
    let text = "torch.cat(): input types can't be cast to the desired output type Int";
    assert_eq!(refused(cat_out(&[&x.erase(), &x.erase()], 0, &mut integers)), Some((ErrorKind::Type, text.to_owned())));

    let numbers = Tensor::<i64>::arange(8)?;
    let mut start = numbers.narrow(0, 0, 4)?;
    let text = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please \
                clone() the tensor before performing the operation.";
    assert_eq!(refused(cat_out(&[&numbers.narrow(0, 2, 4)?], 0, &mut start)), Some((ErrorKind::Runtime, text.to_owned())));
    assert_eq!(numbers.to_vec(), [0, 1, 2, 3, 4, 5, 6, 7]);

    // PyTorch reads what it has just written, and gives 0 2 0 2 0 0 0 0.
    let mut whole = numbers.alias();
    let even = numbers.slice_dim(0, step(.., 2))?;
    cat_out(&[&even, &even], 0, &mut whole)?;
    assert_eq!(numbers.to_vec(), [0, 2, 4, 6, 0, 2, 4, 6]);

    let mut fixed = Tensor::<f32, shape![2, 3]>::zeros();
    let text = "the result has shape [4, 3], but the output is of type [2, 3]";
    assert_eq!(refused(cat_out(&[&x, &x], 0, &mut fixed)), Some((ErrorKind::Runtime, text.to_owned())));
    Ok(())
}

/// The elements of a storage of 64-bit integers.
fn stored(tensor: &DynTensor) -> Result<Vec<i64>> {
    let bytes = tensor.raw().storage().tolist()?;
    Ok(bytes.chunks_exact(8).map(|bytes| bytes.iter().rev().fold(0, |number, &byte| number << 8 | i64::from(byte))).collect())
}

#[test]
fn size_offset_and_stride() -> Result<()> {
    let x = Tensor::<i64>::from_vec(vec![1, 2, 3, 4, 5, 6], [3, 2])?;
    let t = x.t();
    assert_eq!((t.sizes(), t.strides(), t.to_vec()), (&[2, 3][..], &[1, 2][..], vec![1, 3, 5, 2, 4, 6]));
    assert_eq!((stored(&t.erase())?, x.is_contiguous(), t.is_contiguous()), (vec![1, 2, 3, 4, 5, 6], true, false));
    let dense = t.contiguous();
    assert_eq!((dense.to_vec(), stored(&dense.erase())?), (t.to_vec(), vec![1, 3, 5, 2, 4, 6]));
    let y = t.narrow(1, 1, 2)?;
    let memory = stored(&y.erase())?;
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let place = y.storage_offset() + y.strides()[0] * i + y.strides()[1] * j;
        assert_eq!(y.get([i.cast_signed(), j.cast_signed()])?, memory[place], "element ({i}, {j})");
    }
    Ok(())
}

#[test]
fn many_elements_flip_on_many_threads() -> Result<()> {
    let x = Tensor::<i64>::arange(120_000)?.view(shape![300, 400]);
    let backwards: Vec<i64> = (0..120_000).rev().collect();
    assert!(x.flip([0, 1])?.to_vec() == backwards, "both dimensions of a matrix");
    assert!(x.ravel().flip([0])?.to_vec() == backwards, "a row");
    assert!(x.t().flip([-1, 0])?.t().to_vec() == backwards, "a transpose");
    assert!(x.flip([1])?.flip([0])?.to_vec() == backwards, "one dimension after the other");
    let halves = x.slice_dim(1, step(.., 2))?.flip([1])?.to_vec();
    let expected: Vec<i64> = (0..300).flat_map(|row| (0..200).rev().map(move |column| row * 400 + column * 2)).collect();
    assert!(halves == expected, "every other column");
    Ok(())
}
