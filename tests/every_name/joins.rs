//! Tensors that are joined, taken apart, repeated and turned.

use super::prelude::*;

use super::ty;

pub(super) fn joins() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (v, w, a) = (tensor![1.0, 2.0, 3.0], tensor![4.0, 5.0, 6.0], tensor![[4.0, 2.0], [2.0, 5.0]]);
    erase!(x, y, v, w, a);
    let list = vec![&x, &y];

    ty(cat((&x, &y), axis::<0>())); // cat, concat, concatenate
    ty(cat((&x, &y), 0)?); // cat, concat, concatenate
    ty(cat(&[&x, &y], 0)?); // cat, concat, concatenate
    ty(stack([&x, &y], axis::<0>())); // stack
    ty(stack((&x, &y), 0)?); // stack
    ty(stack(&list, 0)?); // stack
    ty(hstack((&x, &y))); // hstack
    ty(hstack(&list)); // hstack
    ty(vstack((&x, &v))); // vstack
    ty(vstack([&v, &w])); // vstack
    ty(latten::dstack((&x, &y))); // dstack
    ty(latten::column_stack((&v, &w))); // column_stack
    ty(latten::block_diag((&x, &a))); // block_diag
    ty(latten::cartesian_prod((&v, &w))); // cartesian_prod
    ty(meshgrid((&v, &w))); // meshgrid
    ty(latten::meshgrid_with(&[&v, &w], "xy")?); // meshgrid
    let (_, _) = latten::broadcast_tensors((&x, &v)); // broadcast_tensors
    ty(latten::broadcast_tensors(&list)); // broadcast_tensors
    ty(call("_chunk_cat", args![[&x, &y], 0, 2])?.tensor()?); // _chunk_cat
    Ok(())
}

pub(super) fn parts() -> Result<()> {
    let (x, deep) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<f32, shape![2, 2, 4]>::ones());
    let [_, n] = x.shape();
    erase!(x, deep);

    ty(x.split(2, axis::<1>())?); // split, unsafe_split
    ty(x.split(2, 1)?); // split, unsafe_split
    ty(x.split([2, 1], 1)?); // split
    ty(x.split_with_sizes([2, 1], axis::<1>())?); // split_with_sizes
    ty(x.split_with_sizes([2, 1], 1)?); // split_with_sizes
    typed! {
        let [_, _] = x.chunks(axis::<0>()); // chunk, unsafe_chunk
    }
    let [_, _] = x.chunks(0)?; // chunk, unsafe_chunk
    ty(x.chunk(2, axis::<1>())?); // chunk, unsafe_chunk
    ty(x.chunk(2, 0)?); // chunk, unsafe_chunk
    ty(x.tensor_split(2, 1)?); // tensor_split
    ty(x.tensor_split([1, 2], axis::<1>())?); // tensor_split
    ty(x.hsplit(n)?); // hsplit
    ty(x.vsplit(2)?); // vsplit
    ty(deep.dsplit([1, 3])?); // dsplit
    typed! {
        let [_, _] = x.unbind(axis::<0>()); // unbind
    }
    ty(x.unbind(0)?); // unbind
    Ok(())
}

pub(super) fn turned_and_repeated() -> Result<()> {
    let (x, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 2);
    erase!(x);

    ty(x.flip(axis::<1>())); // flip
    ty(x.flip([0, 1])?); // flip
    ty(x.flipud()); // flipud
    ty(x.fliplr()); // fliplr
    ty(x.roll(1, axis::<1>())); // roll
    ty(x.roll([1, 2], [0, 1])?); // roll
    ty(x.rot90()); // rot90
    ty(x.rot90_with(2, [0, 1])?); // rot90
    ty(x.repeat(shape![2, 1])); // repeat
    ty(x.repeat([n, 1])?); // repeat
    ty(x.tile([2])?); // tile
    ty(x.repeat_interleave(2)?); // repeat_interleave
    ty(x.repeat_interleave_with(2, axis::<1>())?); // repeat_interleave
    ty(x.repeat_interleave_with(&tensor![2, 1], 0)?); // repeat_interleave
    Ok(())
}
