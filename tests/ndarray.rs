//! ndarray's arrays as tensors and back: order of memory, what is copied, and what is refused.

use latten::prelude::*;
use latten::{Complex, Result, f16};
use ndarray::{Array, Array1, Array2, ArrayD, Axis, Ix3, IxDyn, ShapeBuilder, arr0, array, s};

/// All ways of lying in memory that an owned array has.
#[test]
fn the_elements_are_those_of_the_array() -> Result<()> {
    let rows = Array::from_shape_fn((2, 3, 4), |(i, j, k)| (100 * i + 10 * j + k) as i32);
    let columns = {
        let mut columns = Array::zeros((2, 3, 4).f());
        columns.assign(&rows);
        columns
    };
    let mut backwards = rows.clone();
    backwards.invert_axis(Axis(1));
    let arrays: Vec<(&str, Array<i32, Ix3>, bool)> = vec![
        ("rows", rows.clone(), true),
        ("columns", columns, true),
        ("permuted", rows.clone().permuted_axes([2, 0, 1]), true),
        ("sliced", rows.clone().slice_move(s![1.., 1..;2, ..3]), true),
        ("backwards", backwards, false),
        ("one place backwards", rows.clone().slice_move(s![..1;-1, .., ..]), true),
        ("empty", rows.clone().slice_move(s![.., 3.., ..]), true),
    ];
    for (name, array, is_taken) in arrays {
        let start = array.as_ptr().addr();
        let expected: Vec<i32> = array.iter().copied().collect();
        let borrowed: Tensor<i32, Rank<3>> = Tensor::from(&array);
        let viewed: Tensor<i32, Rank<3>> = Tensor::from(&array.view());
        let copied = array.clone();
        let mut x: Tensor<i32, Rank<3>> = Tensor::from(array);
        assert_eq!((x.sizes(), x.to_vec()), (copied.shape(), expected.clone()), "{name}");
        assert_eq!((borrowed.to_vec(), viewed.to_vec()), (expected.clone(), expected), "{name}, borrowed");
        if x.numel() > 0 {
            assert_eq!(x.data_ptr() == start, is_taken, "{name}");
        }
        assert_eq!(x.to_ndarray()?, copied, "{name}, and back");
        let back: ArrayD<i32> = x.erase().try_into()?;
        assert_eq!(back, copied.clone().into_dyn(), "{name}, and back by way of the run");
        x += 1;
        assert_eq!(x.to_ndarray()?, copied + 1, "{name}, written");
    }
    Ok(())
}

#[test]
fn types_say_what_is_known() -> Result<()> {
    let number: Tensor<f64, ()> = Tensor::from(arr0(2.5));
    let row: Tensor<f16, Rank<1>> = Tensor::from(array![f16::from_f32(1.5)]);
    let unknown: Tensor<bool, AnyShape> = Tensor::from(ArrayD::from_elem(IxDyn(&[2, 1]), true));
    let dynamic = Tensor::from(array![[Complex::new(1.0_f32, 2.0)]]).erase();
    let shared = array![1_u8, 2].into_shared();
    let other = shared.clone();
    let mut of_shared = Tensor::from(shared);
    of_shared.fill_(9)?;
    assert_eq!(other, array![1, 2].into_shared());
    assert_eq!((number.item(), row.to_vec(), unknown.sizes()), (2.5, vec![f16::from_f32(1.5)], &[2, 1][..]));
    assert_eq!((dynamic.dtype(), Tensor::from(&other).dtype()), (DType::C64, DType::U8));
    // Out: the rank comes from the type, whatever it says of the sizes.
    let table: Array2<f32> = Tensor::from([[1.0_f32, 2.0]]).to_ndarray()?;
    let sums: Array1<f32> = Tensor::from([[1.0_f32, 2.0]]).sum_along(axis::<0>()).try_into()?;
    let any: ArrayD<f32> = Tensor::<f32>::ones(&[2, 1][..])?.to_ndarray()?;
    assert_eq!((table, sums, any.shape()), (array![[1.0, 2.0]], array![1.0, 2.0], &[2, 1][..]));
    // In the order of the tensor's elements, wherever they lie.
    let turned = Tensor::from([[1_i64, 2], [3, 4]]).t().to_ndarray()?;
    assert!(turned.is_standard_layout() && turned == array![[1, 3], [2, 4]]);
    Ok(())
}

#[test]
fn what_is_refused() -> Result<()> {
    let x = DynTensor::zeros([2, 3], DType::F32)?;
    let refusals: [(Result<()>, &str); 3] = [
        (Array2::<f64>::try_from(&x).map(drop), "typed: the tensor has dtype float32, not float64"),
        (Array1::<f32>::try_from(&x).map(drop), "to_ndarray: the tensor has 2 dimensions, the array 1"),
        (DynTensor::zeros([2], Device::META)?.typed::<f32, Rank<1>>()?.to_ndarray().map(drop), "Cannot copy out of meta tensor; no data!"),
    ];
    for (answer, text) in refusals {
        assert_eq!(answer.expect_err(text).message(), text);
    }
    Ok(())
}

/// Without a copy, both ways.
#[test]
fn views_of_each_other() -> Result<()> {
    let mut array = array![[1.0_f32, 2.0], [3.0, 4.0]];
    let total = Tensor::with_slice(array.as_slice().expect("rows"), [2, 2], |x| Ok(x.sum().item()))?;
    Tensor::with_slice_mut(array.as_slice_mut().expect("rows"), shape![2, 2], |x| x.mul_(total).map(drop))?;
    assert_eq!(array, array![[10.0, 20.0], [30.0, 40.0]]);
    let x = Tensor::from(array);
    let slice = x.slice()?;
    let view = ndarray::ArrayView2::from_shape((2, 2), &slice).expect("four elements");
    assert_eq!(view.column(1).sum(), 60.0);
    Ok(())
}
