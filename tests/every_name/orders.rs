//! Orders, counts, distinct elements.

use super::prelude::*;

use super::ty;

pub(super) fn orders() -> Result<()> {
    let (x, v) = (tensor![[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]], tensor![1.0, 3.0, 5.0]);
    erase!(x, v);

    ty(x.sort(axis::<-1>())); // sort
    ty(x.sort(-1)?); // sort
    ty(x.sort_with(axis::<-1>(), Order::Descending)); // sort
    ty(call("sort", args![&x, stable = true])?.tensors()?); // sort
    ty(x.argsort(axis::<-1>())); // argsort
    ty(x.argsort(-1)?); // argsort
    ty(x.argsort_with(-1, Order::Descending)?); // argsort
    ty(x.msort()); // msort
    ty(x.topk(2, axis::<1>())?); // topk
    ty(x.topk(2, -1)?); // topk
    ty(x.topk_with(2, -1, false, true)?); // topk
    ty(x.kthvalue(1, axis::<1>())?); // kthvalue
    ty(x.kthvalue(1, kept(-1))?); // kthvalue
    ty(v.searchsorted(&x)); // searchsorted
    ty(v.searchsorted(2.5)); // searchsorted
    ty(v.searchsorted_with(&x, true)); // searchsorted
    ty(x.bucketize(&v)); // bucketize
    ty(x.bucketize_with(&v, true)); // bucketize
    Ok(())
}

pub(super) fn counts() -> Result<()> {
    let (x, v, i) = (tensor![[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]], tensor![1.0, 3.0, 5.0], tensor![0, 2, 2]);
    erase!(x, v, i);

    ty(i.unique()); // unique
    ty(i.unique_counts()); // unique
    ty(i.unique_all()); // unique
    ty(i.unique_dim(0)?); // unique
    ty(i.unique_consecutive()); // unique_consecutive
    ty(i.unique_consecutive_all()); // unique_consecutive
    ty(i.bincount()); // bincount
    ty(i.bincount_with(None, 10)?); // bincount
    ty(i.bincount_with(&v, 10)?); // bincount
    ty(x.histc(10)?); // histc
    ty(x.histc_with(10, 0, 1)?); // histc
    ty(x.histogram(10)?); // histogram
    ty(x.histogram_with(&v)?); // histogram
    ty(call("histogramdd", args![&x, [2, 3, 4]])?.tensors()?); // histogramdd
    ty(i.one_hot()); // one_hot
    ty(i.one_hot_with(3)?); // one_hot
    ty(i.combinations()); // combinations
    ty(i.combinations_with(2, true)?); // combinations
    Ok(())
}
