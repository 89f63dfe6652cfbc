//! Where types prove that an argument fits, results come without a `Result`; where only the run knows, with one. The types are written out, so that
//! what is given is seen.

use latten::Scalar;
use latten::prelude::*;

#[test]
fn one_element_is_a_number() -> Result<()> {
    let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    let (sum, truth): (f32, bool) = (x.sum().item(), x.gt(0).all().item());
    let kept_sum: f32 = x.sum_along(kept(axes![0, 1])).item();
    let looked_at: Result<f32> = x.i(i![0]).as_shape::<Rank<1>>().try_item();
    let number: Scalar = x.erase().sum().item();
    let erased: Result<Scalar> = x.erase().try_item();
    assert_eq!((sum, truth, kept_sum, number), (10.0, true, 10.0, Scalar::Float(10.0)));
    assert!(erased.is_err(), "four elements");
    assert_eq!(looked_at.expect_err("two elements").message(), "a Tensor with 2 elements cannot be converted to Scalar");
    let one = Tensor::<f32, shape![1]>::ones().as_shape::<Rank<1>>();
    assert_eq!((one.item(), one.try_item()?, x.sum().try_item()?), (1.0, 1.0, 10.0));
    Ok(())
}

/// A function over any shape doesn't know what it is given: there is the twin that always looks.
fn only<E: Float, S: Shape>(x: &Tensor<E, S>) -> Result<f64> {
    x.double().try_item()
}

#[test]
fn sizes_that_are_known_are_not_looked_at() -> Result<()> {
    fn heads<const T: usize>(x: &Tensor<f32, shape![T, 6]>) -> Tensor<f32, shape![3, T, 2]> {
        x.reshape(shape![T, 3, 2]).transpose(axis::<0>(), axis::<1>())
    }
    fn of_any<N: Dim>(x: &Tensor<f32, shape![<N>, 6]>) -> Result<Tensor<f32, shape![_, 2]>> {
        x.try_reshape(shape![_, 2])
    }
    let x = Tensor::<f32, shape![2, 6]>::ones();
    let flat: Tensor<f32, Rank<1>> = x.reshape(shape![_]);
    let columns: Tensor<f32, shape![_, 4]> = x.t().reshape(shape![_, 4]);
    let looked_at: Result<Tensor<f32, Rank<2>>> = x.reshape([4, 3]);
    let open: Tensor<f32, shape![6, 2]> = x.as_shape::<shape![_, 6]>().reshape(shape![6, 2]);
    let row: Tensor<f32, Rank<1>> = x.ravel();
    assert_eq!((flat.sizes(), columns.sizes(), looked_at?.sizes(), open.sizes()), (&[12][..], &[3, 4][..], &[4, 3][..], &[6, 2][..]));
    assert_eq!((heads(&x).sizes(), of_any(&x)?.sizes(), row.sizes()), (&[3, 2, 2][..], &[6, 2][..], &[12][..]));
    let refused = x.reshape([5, 3]).expect_err("twelve elements");
    assert_eq!(refused.message(), "shape '[5, 3]' is invalid for input of size 12");
    assert!(only(&x).is_err() && only(&x.sum())? == 12.0);
    Ok(())
}

#[test]
fn rows_are_diagonals_of_squares() -> Result<()> {
    fn scaled<N: Dim>(x: &Tensor<f64, (N, N)>, by: &Tensor<f64, (N,)>) -> Tensor<f64, (N, N)> {
        x.matmul(&by.diag())
    }
    let x = Tensor::from([[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (diagonal, square): (Tensor<f64, Rank<1>>, Tensor<f64, shape![3, 3]>) = (x.diag(), x.i(i![0]).diag());
    let (open, above): (Tensor<f64, Rank<2>>, Tensor<f64, Rank<1>>) = (diagonal.diag(), x.diag_with(1));
    let looked_at: DynTensor = x.erase().diag();
    assert_eq!((diagonal.to_vec(), above.to_vec(), looked_at.sizes()), (vec![1.0, 5.0], vec![2.0, 6.0], &[2][..]));
    assert_eq!((open.to_vec(), square.diag().to_vec()), (vec![1.0, 0.0, 0.0, 5.0], vec![1.0, 2.0, 3.0]));
    assert_eq!(scaled(&Tensor::<f64, shape![2, 2]>::ones(), &tensor![2.0, 3.0]).to_vec(), [2.0, 3.0, 2.0, 3.0]);
    let refused = x.sum().try_diag().expect_err("no dimension");
    assert_eq!(refused.message(), "diag(): Supports 1D or 2D tensors. Got 0D");
    Ok(())
}

struct Layer<const I: usize, const O: usize> {
    weight: Tensor<f32, shape![O, I, 3, 3]>,
    bias: Tensor<f32, shape![O]>,
}

impl<const I: usize, const O: usize> Layer<I, O> {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I, _, _]>) -> Result<Tensor<f32, shape![<N>, O, _, _]>> {
        x.conv2d_with(&self.weight, &self.bias, 1, 1, 1)?.relu().max_pool2d(2)
    }
}

#[test]
fn windows_keep_batches_and_channels() -> Result<()> {
    let x = Tensor::<f32, shape![5, 2, 8, 8]>::ones();
    let layer = Layer::<2, 3> { weight: Tensor::full(0.5), bias: Tensor::zeros() };
    let made: Tensor<f32, shape![5, 3, _, _]> = layer.forward(&x.as_shape())?;
    let one: Tensor<f32, shape![3, _, _]> = x.i(i![0]).conv2d(&layer.weight);
    let back: Tensor<f32, shape![5, 2, _, _]> = made.conv_transpose2d_with(&layer.weight, None, 2, 1, 0)?;
    let open: Tensor<f32> = x.as_shape::<Any>().conv2d(&layer.weight);
    // Neighbours of cells, of integers as in PyTorch.
    let cells = tensor![[[[0, 1, 0], [0, 1, 0], [0, 1, 0]]]];
    assert_eq!(cells.conv2d(&cells.ones_like()).to_vec(), [3]);
    let from_any: Tensor<f32, shape![5, _, _, _]> = x.conv2d(&layer.weight.as_shape::<Any>());
    let rows: Tensor<f32, shape![2, 4, _]> = Tensor::<f32, shape![2, 3, 9]>::ones().conv1d(&Tensor::<f32, shape![4, 3, 2]>::ones());
    let means: Tensor<f32, shape![2, 4, _]> = rows.avg_pool1d(4)?;
    let all: Tensor<f32, shape![5, 3, _, _]> = made.adaptive_avg_pool2d(1)?;
    assert_eq!((made.sizes(), one.sizes(), back.sizes()), (&[5, 3, 4, 4][..], &[3, 6, 6][..], &[5, 2, 7, 7][..]));
    assert_eq!((open.sizes(), from_any.sizes(), means.sizes()), (&[5, 3, 6, 6][..], &[5, 3, 6, 6][..], &[2, 4, 2][..]));
    assert_eq!((all.sizes(), one.get([0, 0, 0])?, rows.max().item()), (&[5, 3, 1, 1][..], 9.0, 6.0));
    Ok(())
}

#[test]
fn masks_and_triangles_fit() -> Result<()> {
    let scores = Tensor::from([[1.0_f64, 2.0], [3.0, 4.0]]);
    let later: Tensor<bool, shape![2, 2]> = scores.gt(0).triu_with(1);
    let hidden: Tensor<f64, shape![2, 2]> = scores.masked_fill(&later, f64::NEG_INFINITY);
    let shares: Tensor<f64, shape![2, 2]> = hidden.softmax(axis::<-1>());
    let open: Tensor<f64, Rank<2>> = scores.as_shape::<Rank<2>>().tril();
    let looked_at: DynTensor = scores.erase().tril();
    assert_eq!((hidden.to_vec()[1], shares.to_vec()[..2].to_vec()), (f64::NEG_INFINITY, vec![1.0, 0.0]));
    assert_eq!((open.to_vec(), looked_at.sizes()), (vec![1.0, 0.0, 3.0, 4.0], &[2, 2][..]));
    let refused = scores.ravel().try_triu().expect_err("one dimension");
    assert_eq!(refused.message(), "triu: input tensor must have at least 2 dimensions");
    let refused = scores.try_masked_fill(&later, 1e300 * 1e10).and_then(|_| tensor![1_u8].try_masked_fill(&tensor![true], 300));
    assert_eq!(refused.expect_err("300 is no uint8").message(), "value cannot be converted to type uint8_t without overflow");
    Ok(())
}

#[test]
fn axes_are_there() -> Result<()> {
    let x = tensor![[3, 1, 2], [6, 5, 4]];
    type Known = Tensor<i64, shape![2, 3]>;
    type Column = Tensor<i64, shape![2, _]>;
    let (sorted, places): (Known, Known) = x.sort(axis::<-1>());
    let order: Known = x.argsort_with(axis::<1>(), Order::Descending);
    let rows: [Tensor<i64, shape![3]>; 2] = x.unbind(axis::<0>());
    let halves: Vec<Tensor<i64, shape![_, 3]>> = x.split(1, axis::<0>())?;
    let (most, _): (Column, Column) = x.topk(1, axis::<1>())?;
    assert_eq!((sorted.to_vec(), places.to_vec()), (vec![1, 2, 3, 4, 5, 6], vec![1, 2, 0, 2, 1, 0]));
    let (descending, least): (Known, (Column, Column)) = (x.argsort_with(axis::<1>(), true), x.topk_with(1, axis::<1>(), false, true)?);
    assert_eq!((descending.to_vec(), least.0.to_vec()), (order.to_vec(), vec![1, 4]));
    assert_eq!((order.to_vec(), rows.len(), halves.len(), most.to_vec()), (vec![0, 2, 1, 0, 1, 2], 2, 2, vec![3, 6]));
    assert_eq!(x.gather(axis::<1>(), &tensor![[0], [2]])?.to_vec(), x.gather(1, &tensor![[0], [2]])?.to_vec());
    assert!(x.sort(2).is_err(), "there are two");
    Ok(())
}
