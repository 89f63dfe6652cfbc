//! New tensors, and those like others.

use super::prelude::*;

use super::ty;

pub(super) fn of_sizes() -> Result<()> {
    let n = 3;

    ty(Tensor::<f32, shape![2, 3]>::zeros()); // zeros
    ty(Tensor::<f32>::zeros([n, 3])?); // zeros
    ty(Tensor::<f32>::zeros(n)?); // zeros
    ty(DynTensor::zeros([n, 3], DType::F64)?); // zeros
    ty(Tensor::<f32, shape![2, 3]>::ones()); // ones
    ty(Tensor::<f32>::ones([n, 3])?); // ones
    ty(Tensor::<f32>::ones(n)?); // ones
    ty(DynTensor::ones([n, 3], DType::F64)?); // ones
    ty(Tensor::<f32, shape![2, 3]>::empty()); // empty
    ty(Tensor::<f32>::empty([n, 3])?); // empty
    ty(Tensor::<f32>::empty(n)?); // empty
    ty(DynTensor::empty([n, 3], DType::F64)?); // empty
    ty(Tensor::<f32, shape![2, 3]>::full(0.5)); // full
    ty(Tensor::<f32>::full([n, 3], 0.5)?); // full
    ty(Tensor::<f32>::full(n, 0.5)?); // full
    ty(DynTensor::full([n, 3], 0.5, DType::F64)?); // full
    ty(Tensor::<f32, shape![3, 3]>::eye()); // eye
    ty(Tensor::<f32>::eye(n)?); // eye
    ty(Tensor::<f32>::eye([n, 4])?); // eye
    ty(Tensor::<i64, shape![3]>::arange()); // arange
    ty(Tensor::<i64>::arange(n)?); // arange
    ty(Tensor::<i64>::arange(2..n)?); // arange
    ty(Tensor::<i64>::arange_with(0, 10, 2)?); // arange
    ty(Tensor::<f32, shape![5]>::linspace(0, 1)); // linspace
    ty(Tensor::<f32>::linspace(0, 1, n)?); // linspace
    ty(Tensor::<f32, shape![5]>::logspace(0, 2)); // logspace
    ty(Tensor::<f32>::logspace(0, 2, n)?); // logspace
    ty(call("logspace", args![0, 2, n, base = 2.0])?.tensor()?); // logspace
    ty(Tensor::<i64>::tril_indices(n, 3)?); // tril_indices
    ty(Tensor::<i32>::tril_indices_with(n, 3, -1)?); // tril_indices
    ty(Tensor::<i64>::triu_indices(n, 3)?); // triu_indices
    ty(Tensor::<i32>::triu_indices_with(n, 3, 1)?); // triu_indices
    ty(tensor!(0.5)); // scalar_tensor
    ty(call("scalar_tensor", args![0.5, dtype = DType::F64])?.tensor()?); // scalar_tensor
    ty(call("empty_strided", args![[2, 3], [1, 2]])?.tensor()?); // empty_strided
    ty(call("empty_permuted", args![[2, 3], [1, 0]])?.tensor()?); // empty_permuted
    ty(Tensor::<f32>::hann_window(n)?); // hann_window
    ty(Tensor::<f32>::hann_window_with(n, false)?); // hann_window
    ty(Tensor::<f32>::hamming_window(n)?); // hamming_window
    ty(Tensor::<f32>::hamming_window_with(n, true, 0.54, 0.46)?); // hamming_window
    ty(Tensor::<f32>::blackman_window(n)?); // blackman_window
    ty(Tensor::<f32>::blackman_window_with(n, false)?); // blackman_window
    ty(Tensor::<f32>::bartlett_window(n)?); // bartlett_window
    ty(Tensor::<f32>::bartlett_window_with(n, false)?); // bartlett_window
    ty(Tensor::<f32>::kaiser_window(n)?); // kaiser_window
    ty(Tensor::<f32>::kaiser_window_with(n, true, 12.0)?); // kaiser_window
    Ok(())
}

pub(super) fn like_others() -> Result<()> {
    let (mut x, y, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]], 3);
    let picture = Tensor::<f32, shape![1, 4, 4, 4]>::ones();
    erase!(x, y, picture);

    ty(x.zeros_like()); // zeros_like
    ty(x.ones_like()); // ones_like
    ty(x.full_like(0.5)); // full_like, fill
    ty(x.empty_like()); // empty_like
    ty(x.empty_like_with(DType::F64)?); // empty_like
    ty(x.new_zeros(shape![4])?); // new_zeros
    ty(x.new_zeros([n, 4])?); // new_zeros
    ty(x.new_ones([n, 4])?); // new_ones
    ty(x.new_full([n, 4], 0.5)?); // new_full
    ty(x.new_empty([n, 4])?); // new_empty
    ty(call("new_empty_strided", args![&x, [2, 3], [1, 2]])?.tensor()?); // new_empty_strided
    ty(x.clone()); // clone
    ty(picture.clone_with(MemoryFormat::ChannelsLast)?); // clone
    ty(x.contiguous()); // contiguous
    ty(picture.contiguous_with(MemoryFormat::ChannelsLast)?); // contiguous
    x.copy_(&y)?; // copy_
    x.i(i![0]).copy_(&y.i(i![1]))?; // copy_
    x.copy_non_blocking_(&y)?; // copy_
    x.fill_(0.5)?; // fill_
    x.i(i![.., 0]).fill_(1)?; // fill_
    x.zero_()?; // zero_
    Ok(())
}
