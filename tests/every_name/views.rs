//! Views: other shapes of the same memory, and copies of them by name.

use latten::prelude::*;

#[test]
fn shapes() -> Result<()> {
    let (x, v, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0], 3);
    let column = tensor![[1.0], [2.0]];

    _ = x.view(shape![3, _]); // view
    _ = x.view([n, -1])?; // view
    _ = x.reinterpret::<i32>()?; // view
    _ = x.view_dtype(DType::I32)?; // view
    _ = x.view_as(&x); // view_as
    _ = x.reshape(shape![3, 2]); // reshape
    _ = x.reshape([n, -1])?; // reshape
    _ = x.reshape(6)?; // reshape
    _ = x.reshape_as(&x); // reshape_as
    _ = x.flatten(); // flatten
    _ = x.flatten_with(0, -1)?; // flatten
    _ = x.unflatten(1, [3, 1])?; // unflatten
    _ = x.ravel(); // ravel
    _ = column.squeeze(axis::<1>()); // squeeze
    _ = column.squeeze(1)?; // squeeze
    _ = column.squeeze(..); // squeeze
    _ = x.unsqueeze(axis::<0>()); // unsqueeze
    _ = x.unsqueeze(-1)?; // unsqueeze
    _ = v.expand(shape![2, 3]); // expand
    _ = v.expand([n, -1])?; // expand
    _ = v.expand_as(&x); // expand_as
    _ = v.broadcast_to(shape![2, 3]); // broadcast_to
    _ = v.broadcast_to([n, 3])?; // broadcast_to
    _ = call("broadcast_shapes", args![[2, 1], [3]])?; // broadcast_shapes
    _ = v.atleast_1d(); // atleast_1d
    _ = v.atleast_2d(); // atleast_2d
    _ = v.atleast_3d(); // atleast_3d
    _ = x.detach(); // detach
    _ = x.alias(); // resolve_conj, resolve_neg
    Ok(())
}

#[test]
fn orders_of_dimensions() -> Result<()> {
    let (x, z) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<c64, shape![2, 3]>::ones());
    let pairs = tensor![[1.0, 2.0], [3.0, 4.0]];

    _ = x.transpose(axis::<0>(), axis::<1>()); // transpose, swapdims
    _ = x.transpose(0, 1)?; // transpose, swapdims
    _ = x.swapaxes(axis::<0>(), axis::<1>()); // swapaxes
    _ = x.swapaxes(0, 1)?; // swapaxes
    _ = x.t(); // t
    _ = x.T(); // T, numpy_T
    _ = x.mT(); // mT
    _ = z.mH(); // mH, H, adjoint
    _ = x.permute(axes![1, 0]); // permute
    _ = x.permute([1, 0])?; // permute
    _ = x.movedim(0, 1)?; // movedim, moveaxis
    _ = z.view_as_real(); // view_as_real
    _ = pairs.view_as_complex(); // view_as_complex
    Ok(())
}

#[test]
fn parts() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    _ = x.i(i![0, 1..]); // __getitem__
    _ = x.i(i![.., -1]); // __getitem__
    _ = x.i(i![&x.gt(2)]); // __getitem__
    _ = x.index((.., &tensor![0, 2]))?; // __getitem__
    _ = x.narrow(axis::<1>(), 0, 2)?; // narrow
    _ = x.narrow(1, 0, 2)?; // narrow
    _ = x.select(axis::<1>(), 0)?; // select
    _ = x.select(1, 0)?; // select
    _ = x.i(i![.., 0..2]); // slice
    _ = x.slice_dim(1, 0..2)?; // slice
    _ = x.unfold(1, 2, 1)?; // unfold
    _ = x.diagonal(); // diagonal
    _ = x.diagonal_with(1, 0, 1)?; // diagonal
    _ = x.as_strided([2], [3])?; // as_strided
    _ = x.as_strided_with([2], [3], 1)?; // as_strided
    Ok(())
}

#[test]
fn views_in_place() -> Result<()> {
    let mut x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].erase();

    call("unsqueeze_", args![&mut x, 0])?; // unsqueeze_
    call("squeeze_", args![&mut x, 0])?; // squeeze_
    call("transpose_", args![&mut x, 0, 1])?; // transpose_
    call("swapaxes_", args![&mut x, 0, 1])?; // swapaxes_
    call("swapdims_", args![&mut x, 0, 1])?; // swapdims_
    call("t_", args![&mut x])?; // t_
    call("as_strided_", args![&mut x, [2], [3]])?; // as_strided_
    Ok(())
}

#[test]
fn copies_of_views() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    _ = call("alias_copy", args![&x])?.tensor()?; // alias_copy
    _ = call("detach_copy", args![&x])?.tensor()?; // detach_copy
    _ = call("as_strided_copy", args![&x, [2], [3]])?.tensor()?; // as_strided_copy
    _ = call("diagonal_copy", args![&x])?.tensor()?; // diagonal_copy
    _ = call("expand_copy", args![&x, [4, 2, 3]])?.tensor()?; // expand_copy
    _ = x.narrow_copy(1, 0, 2)?; // narrow_copy
    _ = call("permute_copy", args![&x, [1, 0]])?.tensor()?; // permute_copy
    _ = call("select_copy", args![&x, 1, 0])?.tensor()?; // select_copy
    _ = call("slice_copy", args![&x, 1, 0, 2])?.tensor()?; // slice_copy
    _ = call("squeeze_copy", args![&x])?.tensor()?; // squeeze_copy
    _ = call("t_copy", args![&x])?.tensor()?; // t_copy
    _ = call("transpose_copy", args![&x, 0, 1])?.tensor()?; // transpose_copy
    _ = call("unfold_copy", args![&x, 1, 2, 1])?.tensor()?; // unfold_copy
    _ = call("unsqueeze_copy", args![&x, 0])?.tensor()?; // unsqueeze_copy
    _ = call("view_copy", args![&x, [3, 2]])?.tensor()?; // view_copy
    _ = call("split_copy", args![&x, 2, 1])?.tensors()?; // split_copy
    _ = call("split_with_sizes_copy", args![&x, [2, 1], 1])?.tensors()?; // split_with_sizes_copy
    _ = call("unbind_copy", args![&x])?.tensors()?; // unbind_copy
    Ok(())
}
