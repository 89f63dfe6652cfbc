//! Orders, counts, distinct elements.

use latten::prelude::*;

#[test]
fn orders() -> Result<()> {
    let (x, v) = (tensor![[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]], tensor![1.0, 3.0, 5.0]);

    _ = x.sort(axis::<-1>()); // sort
    _ = x.sort(-1)?; // sort
    _ = x.sort_with(axis::<-1>(), Order::Descending); // sort
    _ = call("sort", args![&x, stable = true])?.tensors()?; // sort
    _ = x.argsort(axis::<-1>()); // argsort
    _ = x.argsort(-1)?; // argsort
    _ = x.argsort_with(-1, Order::Descending)?; // argsort
    _ = x.msort(); // msort
    _ = x.topk(2, axis::<1>())?; // topk
    _ = x.topk(2, -1)?; // topk
    _ = x.topk_with(2, -1, false, true)?; // topk
    _ = x.kthvalue(1, axis::<1>())?; // kthvalue
    _ = x.kthvalue(1, -1)?; // kthvalue
    _ = v.searchsorted(&x); // searchsorted
    _ = v.searchsorted_with(&x, true); // searchsorted
    _ = x.bucketize(&v); // bucketize
    _ = x.bucketize_with(&v, true); // bucketize
    Ok(())
}

#[test]
fn counts() -> Result<()> {
    let (x, v, i) = (tensor![[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]], tensor![1.0, 3.0, 5.0], tensor![0, 2, 2]);

    _ = i.unique(); // unique
    _ = i.unique_counts(); // unique
    _ = i.unique_all(); // unique
    _ = i.unique_dim(0)?; // unique
    _ = i.unique_consecutive(); // unique_consecutive
    _ = i.unique_consecutive_all(); // unique_consecutive
    _ = i.bincount(); // bincount
    _ = i.bincount_with(10)?; // bincount
    _ = i.bincount_by(&v); // bincount
    _ = i.bincount_by_with(&v, 10)?; // bincount
    _ = x.histc(10)?; // histc
    _ = x.histc_with(10, 0, 1)?; // histc
    _ = x.histogram(10)?; // histogram
    _ = x.histogram_with(&v)?; // histogram
    _ = call("histogramdd", args![&x, [2, 3, 4]])?.tensors()?; // histogramdd
    _ = i.one_hot(); // one_hot
    _ = i.one_hot_with(3)?; // one_hot
    _ = i.combinations(); // combinations
    _ = i.combinations_with(2, true)?; // combinations
    Ok(())
}
