//! Elements at places and behind masks; triangles and diagonals.

use super::prelude::*;

use super::ty;

pub(super) fn read() -> Result<()> {
    let (x, m) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[true, false, true], [false, true, false]]);
    let (i, at) = (tensor![0, 1, 1], tensor![[2], [0]]);
    erase!(x, m, i, at);

    ty(x.gather(axis::<1>(), &at)?); // gather
    ty(x.gather(1, &at)?); // gather
    ty(x.take(&i)); // take
    ty(x.take_along_dim(&at, 1)?); // take_along_dim
    ty(x.index_select(axis::<0>(), &i)?); // index_select
    ty(x.index_select(0, &i)?); // index_select
    ty(x.masked_select(&m)); // masked_select
    ty(x.i(i![&i, &i])); // index
    ty(x.index((&i, &i))?); // index
    ty(x.nonzero()); // nonzero
    ty(x.nonzero_as_tuple()); // nonzero
    ty(x.argwhere()); // argwhere
    ty(call("nonzero_static", args![&x, size = 4])?.tensor()?); // nonzero_static
    ty(i.embedding(&x)); // embedding
    ty(embedding(&i, &x)); // embedding
    ty(i.embedding_with(&x, 0)?); // embedding
    ty(at.embedding_bag(&tensor![[1.0], [2.0], [3.0]])); // embedding_bag
    ty(i.embedding_bag_with(&x, &tensor![0, 2], "sum")?); // embedding_bag
    ty(i.unravel_index([2, 3])?); // unravel_index
    ty(call("_unsafe_masked_index", args![&x, &m.i(i![0]), [&i], 0.0])?.tensor()?); // _unsafe_masked_index
    Ok(())
}

pub(super) fn written() -> Result<()> {
    let (mut x, m) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[true, false, true], [false, true, false]]);
    let (y, i, at) = (tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]], tensor![1, 0], tensor![[2], [0]]);
    let column = tensor![[2.0], [0.5]];
    erase!(x, m, y, i, at, column);

    ty(x.masked_fill(&m, 0.0)); // masked_fill
    x.masked_fill_(&m, 0.0)?; // masked_fill
    ty(x.masked_scatter(&m, &y)); // masked_scatter
    x.masked_scatter_(&m, &y)?; // masked_scatter
    ty(x.scatter(axis::<1>(), &at, &y)?); // scatter
    ty(x.scatter(1, &at, &y)?); // scatter
    ty(x.scatter_value(1, &at, 0.5)?); // scatter
    x.scatter_(1, &at, &y)?; // scatter
    ty(x.scatter_add(axis::<1>(), &at, &y)?); // scatter_add
    ty(x.scatter_add(1, &at, &y)?); // scatter_add
    x.scatter_add_(1, &at, &y)?; // scatter_add
    ty(x.scatter_reduce(1, &at, &y, "amax")?); // scatter_reduce
    ty(x.scatter_reduce_with(axis::<1>(), &at, &y, "amax", false)?); // scatter_reduce
    x.scatter_reduce_(1, &at, &y, "mean")?; // scatter_reduce
    ty(x.index_add(0, &i, &y)?); // index_add
    ty(x.index_add_with(0, &i, &y, 0.5)?); // index_add
    x.index_add_(axis::<0>(), &i, &y)?; // index_add
    x.index_add_with_(0, &i, &y, -1)?; // index_add
    ty(x.index_copy(0, &i, &y)?); // index_copy
    x.index_copy_(0, &i, &y)?; // index_copy
    ty(x.index_fill(1, &i, 0.5)?); // index_fill
    x.index_fill_(axis::<1>(), &i, 0.5)?; // index_fill
    ty(x.index_reduce(0, &i, &y, "amax")?); // index_reduce
    ty(x.index_reduce_with(0, &i, &y, "amax", false)?); // index_reduce
    x.index_reduce_(0, &i, &y, "amax")?; // index_reduce
    x.index_reduce_with_(0, &i, &y, "prod", false)?; // index_reduce
    x.index_put_(&i, &y)?; // index_put
    x.index_put_(i![&i, 0], 1)?; // index_put
    x.index_put_with_((&i, &i), 1, true)?; // index_put
    ty(call("index_put", args![&x, [&i], &y])?.tensor()?); // index_put
    ty(x.put(&i, &tensor![7.0, 8.0])); // put
    x.put_(&i, &tensor![7.0, 8.0])?; // put
    ty(x.select_scatter(&tensor![7.0, 8.0], 1, 0)?); // select_scatter
    ty(x.slice_scatter(&column, 1, 0, 1)?); // slice_scatter
    ty(x.diagonal_scatter(&tensor![7.0, 8.0])); // diagonal_scatter
    ty(call("as_strided_scatter", args![&x, &i.float(), [2], [3]])?.tensor()?); // as_strided_scatter
    ty(call("_unsafe_masked_index_put_accumulate", args![&x, &m, [&i], &y])?.tensor()?); // _unsafe_masked_index_put_accumulate
    Ok(())
}

pub(super) fn triangles_and_diagonals() -> Result<()> {
    let (mut x, v) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0]);
    let picture = Tensor::<f32, shape![1, 2, 3]>::ones();
    erase!(x, v, picture);

    ty(x.tril()); // tril
    ty(x.tril_with(-1)); // tril
    x.tril_()?; // tril
    ty(x.triu()); // triu
    ty(x.triu_with(1)); // triu
    x.triu_with_(1)?; // triu
    ty(v.diag()); // diag
    ty(v.diag_with(1)); // diag
    ty(v.diag_embed()); // diag_embed
    ty(v.diag_embed_with(1, 0, 1)?); // diag_embed
    ty(v.diagflat()); // diagflat
    ty(v.diagflat_with(1)); // diagflat
    x.fill_diagonal_(0)?; // fill_diagonal_
    x.fill_diagonal_with_(0, true)?; // fill_diagonal_
    ty(x.pad([1, 1])?); // pad
    ty(x.pad_with([1, 1, 0, 1], 0.5)?); // pad, constant_pad_nd
    ty(picture.pad_with([1, 1], Padding::Reflect)?); // pad
    Ok(())
}
