//! Views: other shapes of the same memory, and copies of them by name.

use super::prelude::*;

use super::ty;

pub(super) fn shapes() -> Result<()> {
    let (x, v, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0], 3);
    let column = tensor![[1.0], [2.0]];
    erase!(x, v, column);

    ty(x.view(shape![3, _])); // view
    ty(x.view([n, -1])?); // view
    ty(x.reinterpret::<i32>()?); // view
    ty(x.view_dtype(DType::I32)?); // view
    ty(x.view_as(&x)); // view_as
    ty(x.reshape(shape![3, 2])); // reshape
    ty(x.reshape([n, -1])?); // reshape
    ty(x.reshape(6)?); // reshape
    ty(x.reshape_as(&x)); // reshape_as
    ty(x.flatten()); // flatten
    ty(x.flatten_with(0, -1)?); // flatten
    ty(x.unflatten(1, [3, 1])?); // unflatten
    ty(x.ravel()); // ravel
    ty(column.squeeze(axis::<1>())); // squeeze
    ty(column.squeeze(1)?); // squeeze
    ty(column.squeeze(..)); // squeeze
    ty(x.unsqueeze(axis::<0>())); // unsqueeze
    ty(x.unsqueeze(-1)?); // unsqueeze
    ty(v.expand(shape![2, 3])); // expand
    ty(v.expand([n, -1])?); // expand
    ty(v.expand_as(&x)); // expand_as
    ty(v.broadcast_to(shape![2, 3])); // broadcast_to
    ty(v.broadcast_to([n, 3])?); // broadcast_to
    ty(call("broadcast_shapes", args![[2, 1], [3]])?); // broadcast_shapes
    ty(v.atleast_1d()); // atleast_1d
    ty(v.atleast_2d()); // atleast_2d
    ty(v.atleast_3d()); // atleast_3d
    ty(x.detach()); // detach
    ty(x.alias()); // resolve_conj, resolve_neg
    Ok(())
}

pub(super) fn orders_of_dimensions() -> Result<()> {
    let (x, z) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<c64, shape![2, 3]>::ones());
    let pairs = tensor![[1.0, 2.0], [3.0, 4.0]];
    erase!(x, z, pairs);

    ty(x.transpose(axis::<0>(), axis::<1>())); // transpose, swapdims
    ty(x.transpose(0, 1)?); // transpose, swapdims
    ty(x.swapaxes(axis::<0>(), axis::<1>())); // swapaxes
    ty(x.swapaxes(0, 1)?); // swapaxes
    ty(x.t()); // t
    ty(x.T()); // T, numpy_T
    ty(x.mT()); // mT
    ty(z.mH()); // mH, H, adjoint
    ty(x.permute(axes![1, 0])); // permute
    ty(x.permute([1, 0])?); // permute
    ty(x.movedim(axis::<0>(), axis::<-1>())); // movedim, moveaxis
    ty(x.movedim(0, 1)?); // movedim, moveaxis
    ty(z.view_as_real()); // view_as_real
    ty(pairs.view_as_complex()); // view_as_complex
    Ok(())
}

pub(super) fn parts() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    erase!(x);

    ty(x.i(i![0, 1..])); // __getitem__
    ty(x.i(i![.., -1])); // __getitem__
    ty(x.i(i![&x.gt(2)])); // __getitem__
    ty(x.index((.., &tensor![0, 2]))?); // __getitem__
    ty(x.narrow(axis::<1>(), 0, 2)?); // narrow
    ty(x.narrow(1, 0, 2)?); // narrow
    ty(x.select(axis::<1>(), 0)?); // select
    ty(x.select(1, 0)?); // select
    ty(x.i(i![.., 0..2])); // slice
    ty(x.slice_dim(1, 0..2)?); // slice
    ty(x.unfold(1, 2, 1)?); // unfold
    ty(x.diagonal()); // diagonal
    ty(x.diagonal_with(1, 0, 1)?); // diagonal
    ty(x.as_strided([2], [3])?); // as_strided
    ty(x.as_strided_with([2], [3], 1)?); // as_strided
    Ok(())
}

pub(super) fn views_in_place() -> Result<()> {
    let mut x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].erase();
    erase!(x);

    call("unsqueeze_", args![&mut x, 0])?; // unsqueeze_
    call("squeeze_", args![&mut x, 0])?; // squeeze_
    call("transpose_", args![&mut x, 0, 1])?; // transpose_
    call("swapaxes_", args![&mut x, 0, 1])?; // swapaxes_
    call("swapdims_", args![&mut x, 0, 1])?; // swapdims_
    call("t_", args![&mut x])?; // t_
    call("as_strided_", args![&mut x, [2], [3]])?; // as_strided_
    Ok(())
}

pub(super) fn copies_of_views() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    erase!(x);

    ty(call("alias_copy", args![&x])?.tensor()?); // alias_copy
    ty(call("detach_copy", args![&x])?.tensor()?); // detach_copy
    ty(call("as_strided_copy", args![&x, [2], [3]])?.tensor()?); // as_strided_copy
    ty(call("diagonal_copy", args![&x])?.tensor()?); // diagonal_copy
    ty(call("expand_copy", args![&x, [4, 2, 3]])?.tensor()?); // expand_copy
    ty(x.narrow_copy(1, 0, 2)?); // narrow_copy
    ty(call("permute_copy", args![&x, [1, 0]])?.tensor()?); // permute_copy
    ty(call("select_copy", args![&x, 1, 0])?.tensor()?); // select_copy
    ty(call("slice_copy", args![&x, 1, 0, 2])?.tensor()?); // slice_copy
    ty(call("squeeze_copy", args![&x])?.tensor()?); // squeeze_copy
    ty(call("t_copy", args![&x])?.tensor()?); // t_copy
    ty(call("transpose_copy", args![&x, 0, 1])?.tensor()?); // transpose_copy
    ty(call("unfold_copy", args![&x, 1, 2, 1])?.tensor()?); // unfold_copy
    ty(call("unsqueeze_copy", args![&x, 0])?.tensor()?); // unsqueeze_copy
    ty(call("view_copy", args![&x, [3, 2]])?.tensor()?); // view_copy
    ty(call("split_copy", args![&x, 2, 1])?.tensors()?); // split_copy
    ty(call("split_with_sizes_copy", args![&x, [2, 1], 1])?.tensors()?); // split_with_sizes_copy
    ty(call("unbind_copy", args![&x])?.tensors()?); // unbind_copy
    Ok(())
}
