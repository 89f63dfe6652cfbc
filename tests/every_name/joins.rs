//! Tensors that are joined, taken apart, repeated and turned.

use latten::prelude::*;

#[test]
fn joins() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (v, w, a) = (tensor![1.0, 2.0, 3.0], tensor![4.0, 5.0, 6.0], tensor![[4.0, 2.0], [2.0, 5.0]]);
    let list = vec![&x, &y];

    _ = cat((&x, &y), axis::<0>()); // cat, concat, concatenate
    _ = cat((&x, &y), 0)?; // cat, concat, concatenate
    _ = cat(&[&x, &y], 0)?; // cat, concat, concatenate
    _ = stack([&x, &y], axis::<0>()); // stack
    _ = stack((&x, &y), 0)?; // stack
    _ = stack(&list, 0)?; // stack
    _ = hstack((&x, &y)); // hstack
    _ = hstack(&list); // hstack
    _ = vstack((&x, &v)); // vstack
    _ = vstack([&v, &w]); // vstack
    _ = latten::dstack((&x, &y)); // dstack
    _ = latten::column_stack((&v, &w)); // column_stack
    _ = latten::block_diag((&x, &a)); // block_diag
    _ = latten::cartesian_prod((&v, &w)); // cartesian_prod
    _ = meshgrid((&v, &w)); // meshgrid
    _ = latten::meshgrid_with(&[&v, &w], "xy")?; // meshgrid
    let (_, _) = latten::broadcast_tensors((&x, &v)); // broadcast_tensors
    _ = latten::broadcast_tensors(&list); // broadcast_tensors
    _ = call("_chunk_cat", args![[&x, &y], 0, 2])?.tensor()?; // _chunk_cat
    Ok(())
}

#[test]
fn parts() -> Result<()> {
    let (x, deep) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<f32, shape![2, 2, 4]>::ones());
    let [_, n] = x.shape();

    _ = x.split(2, axis::<1>())?; // split, unsafe_split
    _ = x.split(2, 1)?; // split, unsafe_split
    _ = x.split([2, 1], 1)?; // split
    _ = x.split_with_sizes([2, 1], axis::<1>())?; // split_with_sizes
    _ = x.split_with_sizes([2, 1], 1)?; // split_with_sizes
    let [_, _] = x.chunks(axis::<0>()); // chunk, unsafe_chunk
    let [_, _] = x.chunks(0)?; // chunk, unsafe_chunk
    _ = x.chunk(2, axis::<1>())?; // chunk, unsafe_chunk
    _ = x.chunk(2, 0)?; // chunk, unsafe_chunk
    _ = x.tensor_split(2, 1)?; // tensor_split
    _ = x.tensor_split(&[1, 2], 1)?; // tensor_split
    _ = x.hsplit(n)?; // hsplit
    _ = x.vsplit(2)?; // vsplit
    _ = deep.dsplit(&[1, 3])?; // dsplit
    let [_, _] = x.unbind(axis::<0>()); // unbind
    _ = x.unbind(0)?; // unbind
    Ok(())
}

#[test]
fn turned_and_repeated() -> Result<()> {
    let (x, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 2);

    _ = x.flip(axis::<1>()); // flip
    _ = x.flip([0, 1])?; // flip
    _ = x.flipud(); // flipud
    _ = x.fliplr(); // fliplr
    _ = x.roll(1, axis::<1>()); // roll
    _ = x.roll([1, 2], [0, 1])?; // roll
    _ = x.rot90(); // rot90
    _ = x.rot90_with(2, [0, 1])?; // rot90
    _ = x.repeat(shape![2, 1]); // repeat
    _ = x.repeat([n, 1])?; // repeat
    _ = x.tile([2])?; // tile
    _ = x.repeat_interleave(2)?; // repeat_interleave
    _ = x.repeat_interleave_with(2, axis::<1>())?; // repeat_interleave
    _ = x.repeat_interleave_with(&tensor![2, 1], 0)?; // repeat_interleave
    Ok(())
}
