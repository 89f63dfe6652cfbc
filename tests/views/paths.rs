//! Indices as types: the sizes that follow, what is left to the run, and that the views are those of the same index as values.

use latten::prelude::*;
use latten::{Entry, Result, Span};

const fn span(start: Option<isize>, end: Option<isize>, step: isize) -> Entry {
    Entry::Span(Span { start, end, step })
}

/// That a view is what the entries give as values.
fn same<S: Shape>(x: &DynTensor, view: &Tensor<i64, S>, entries: &[Entry]) -> Result<()> {
    let expected = x.i(entries);
    assert_eq!((view.sizes(), view.strides()), (expected.sizes(), expected.strides()), "{entries:?}");
    assert_eq!(view.storage_offset(), expected.storage_offset(), "{entries:?}");
    Ok(())
}

const ALL: Entry = span(None, None, 1);

#[test]
fn sizes_follow() -> Result<()> {
    let x = Tensor::<i64>::arange(7 * 5 * 6)?.view(shape![7, 5, 6]);
    let any = x.erase();
    macro_rules! cases {
        ($([$($index:tt)*] => $shape:ty, [$($entry:expr),*];)+) => { $({
            let view: Tensor<i64, $shape> = x.i(i![$($index)*]);
            same(&any, &view, &[$($entry),*])?;
        })+ };
    }
    cases! {
        [] => shape![7, 5, 6], [];
        [0] => shape![5, 6], [Entry::At(0)];
        [-7, .., 5] => shape![5], [Entry::At(-7), ALL, Entry::At(5)];
        [..., 5] => shape![7, 5], [Entry::Ellipsis, Entry::At(5)];
        [1..3] => shape![2, 5, 6], [span(Some(1), Some(3), 1)];
        [1..=3] => shape![3, 5, 6], [span(Some(1), Some(4), 1)];
        [1..=-1] => shape![6, 5, 6], [span(Some(1), None, 1)];
        [2..] => shape![5, 5, 6], [span(Some(2), None, 1)];
        [..2] => shape![2, 5, 6], [span(None, Some(2), 1)];
        [..-2] => shape![5, 5, 6], [span(None, Some(-2), 1)];
        [-2..] => shape![2, 5, 6], [span(Some(-2), None, 1)];
        [-3..-2] => shape![1, 5, 6], [span(Some(-3), Some(-2), 1)];
        [1..-1] => shape![5, 5, 6], [span(Some(1), Some(-1), 1)];
        [7..] => shape![0, 5, 6], [span(Some(7), None, 1)];
        [3..3] => shape![0, 5, 6], [span(Some(3), Some(3), 1)];
        [..;2] => shape![4, 5, 6], [span(None, None, 2)];
        [1..;3] => shape![2, 5, 6], [span(Some(1), None, 3)];
        [..6;2] => shape![3, 5, 6], [span(None, Some(6), 2)];
        [-5..;3] => shape![2, 5, 6], [span(Some(-5), None, 3)];
        [1..-1;4] => shape![2, 5, 6], [span(Some(1), Some(-1), 4)];
        [..1] => shape![1, 5, 6], [span(None, Some(1), 1)];
        [6..] => shape![1, 5, 6], [span(Some(6), None, 1)];
        [NewAxis, ..., NewAxis, 0] => shape![1, 7, 5, 1], [Entry::NewAxis, Entry::Ellipsis, Entry::NewAxis, Entry::At(0)];
        [0, ..., 1, 2] => shape![], [Entry::At(0), Entry::Ellipsis, Entry::At(1), Entry::At(2)];
        [.., ..., ..2, 1..] => shape![7, 2, 5], [ALL, span(None, Some(2), 1), span(Some(1), None, 1)];
    }
    let kept: Tensor<i64, shape![1, 7, 5, 6]> = &x.i(i![NewAxis]) + &x.i(i![..1]);
    assert_eq!(kept.sizes(), [1, 7, 5, 6]);
    Ok(())
}

#[test]
fn the_run_looks_where_types_do_not_know() -> Result<()> {
    let x = Tensor::<i64>::arange(30)?.view(shape![5, 6]);
    for k in 0..5_usize {
        let row: Tensor<i64, shape![6]> = x.i(i![k]);
        assert_eq!(row.get([0])?, 6 * i64::try_from(k).unwrap_or(0));
    }
    let refused = x.try_i(i![.., (6)]).map(|_| ()).expect_err("refused");
    assert_eq!(refused.message(), "index 6 is out of bounds for dimension 1 with size 6");
    let cut: Tensor<i64, shape![_, 6]> = x.i(i![(3..9)]);
    assert_eq!(cut.sizes(), [2, 6]);
    let end = 4_usize;
    let some: Tensor<i64, shape![_]> = x.i(i![1..end;2, -1]);
    assert_eq!(some.to_vec(), [11, 23]);

    for k in 0..=3 {
        let two: Tensor<i64, shape![2, 6]> = x.i(i![k..k + 2]);
        assert_eq!(two.storage_offset(), 6 * k);
    }
    let (k, refused) = (4, "a range is out of bounds: the index says [2, 6], and there is [1, 6]");
    assert_eq!(x.try_i(i![k..k + 2]).map(|_| ()).expect_err("refused").message(), refused);

    let wide = x.as_shape::<shape![_, 6]>();
    let column: Tensor<i64, shape![_]> = wide.i(i![.., 0]);
    assert_eq!(column.to_vec(), [0, 6, 12, 18, 24]);
    let first: Tensor<i64, shape![6]> = wide.i(i![0]);
    let cut: Tensor<i64, shape![_, 6]> = wide.i(i![3..9]);
    assert_eq!((first.sizes(), cut.sizes()), (&[6][..], &[2, 6][..]));
    assert_eq!(wide.try_i(i![5]).map(|_| ()).expect_err("refused").message(), "index 5 is out of bounds for dimension 0 with size 5");

    let any: DynTensor = x.erase().i(i![1..3, ..., 0]);
    assert_eq!(any.to_scalars()?.len(), 2);
    assert_eq!(x.erase().try_i(i![0, 0, 0]).map(|_| ()).expect_err("refused").message(), "too many indices for tensor of dimension 2");

    let large = Tensor::<u8, shape![60000, 4]>::zeros();
    let one: Tensor<u8, shape![60000]> = large.i(i![.., 3]);
    let batch: Tensor<u8, shape![_, 4]> = large.i(i![(64..128)]);
    assert_eq!((one.sizes(), batch.sizes()), (&[60000][..], &[64, 4][..]));
    Ok(())
}

/// Over a dimension that is a parameter.
fn last_of_each<B: Dim, const N: usize>(x: &Tensor<f32, shape![<B>, N, 4]>) -> Tensor<f32, shape![<B>, N]> {
    x.i(i![.., .., -1])
}

#[test]
fn parameters_stay() -> Result<()> {
    let x = Tensor::<f32>::arange(24)?.view(shape![2, 3, 4]);
    let last: Tensor<f32, shape![2, 3]> = last_of_each(&x);
    assert_eq!(last.to_vec(), [3.0, 7.0, 11.0, 15.0, 19.0, 23.0]);
    Ok(())
}
