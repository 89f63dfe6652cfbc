//! New tensors, and those like others.

use latten::prelude::*;

#[test]
fn of_sizes() -> Result<()> {
    let n = 3;

    _ = Tensor::<f32, shape![2, 3]>::zeros(); // zeros
    _ = Tensor::<f32>::zeros([n, 3])?; // zeros
    _ = Tensor::<f32>::zeros(n)?; // zeros
    _ = DynTensor::zeros([n, 3], DType::F64)?; // zeros
    _ = Tensor::<f32, shape![2, 3]>::ones(); // ones
    _ = Tensor::<f32>::ones([n, 3])?; // ones
    _ = Tensor::<f32>::ones(n)?; // ones
    _ = DynTensor::ones([n, 3], DType::F64)?; // ones
    _ = Tensor::<f32, shape![2, 3]>::empty(); // empty
    _ = Tensor::<f32>::empty([n, 3])?; // empty
    _ = Tensor::<f32>::empty(n)?; // empty
    _ = DynTensor::empty([n, 3], DType::F64)?; // empty
    _ = Tensor::<f32, shape![2, 3]>::full(0.5); // full
    _ = Tensor::<f32>::full([n, 3], 0.5)?; // full
    _ = Tensor::<f32>::full(n, 0.5)?; // full
    _ = DynTensor::full([n, 3], 0.5, DType::F64)?; // full
    _ = Tensor::<f32, shape![3, 3]>::eye(); // eye
    _ = Tensor::<f32>::eye(n)?; // eye
    _ = Tensor::<f32>::eye([n, 4])?; // eye
    _ = Tensor::<i64, shape![3]>::arange(); // arange
    _ = Tensor::<i64>::arange(n)?; // arange
    _ = Tensor::<i64>::arange(2..n)?; // arange
    _ = Tensor::<i64>::arange_with(0, 10, 2)?; // arange
    _ = Tensor::<f32, shape![5]>::linspace(0, 1); // linspace
    _ = Tensor::<f32>::linspace(0, 1, n)?; // linspace
    _ = Tensor::<f32, shape![5]>::logspace(0, 2); // logspace
    _ = Tensor::<f32>::logspace(0, 2, n)?; // logspace
    _ = call("logspace", args![0, 2, n, base = 2.0])?.tensor()?; // logspace
    _ = Tensor::<i64>::tril_indices(n, 3)?; // tril_indices
    _ = Tensor::<i32>::tril_indices_with(n, 3, -1)?; // tril_indices
    _ = Tensor::<i64>::triu_indices(n, 3)?; // triu_indices
    _ = Tensor::<i32>::triu_indices_with(n, 3, 1)?; // triu_indices
    _ = tensor!(0.5); // scalar_tensor
    _ = call("scalar_tensor", args![0.5, dtype = DType::F64])?.tensor()?; // scalar_tensor
    _ = call("empty_strided", args![[2, 3], [1, 2]])?.tensor()?; // empty_strided
    _ = call("empty_permuted", args![[2, 3], [1, 0]])?.tensor()?; // empty_permuted
    _ = Tensor::<f32>::hann_window(n)?; // hann_window
    _ = Tensor::<f32>::hann_window_with(n, false)?; // hann_window
    _ = Tensor::<f32>::hamming_window(n)?; // hamming_window
    _ = Tensor::<f32>::hamming_window_with(n, true, 0.54, 0.46)?; // hamming_window
    _ = Tensor::<f32>::blackman_window(n)?; // blackman_window
    _ = Tensor::<f32>::blackman_window_with(n, false)?; // blackman_window
    _ = Tensor::<f32>::bartlett_window(n)?; // bartlett_window
    _ = Tensor::<f32>::bartlett_window_with(n, false)?; // bartlett_window
    _ = Tensor::<f32>::kaiser_window(n)?; // kaiser_window
    _ = Tensor::<f32>::kaiser_window_with(n, true, 12.0)?; // kaiser_window
    Ok(())
}

#[test]
fn like_others() -> Result<()> {
    let (mut x, y, n) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]], 3);
    let picture = Tensor::<f32, shape![1, 4, 4, 4]>::ones();

    _ = x.zeros_like(); // zeros_like
    _ = x.ones_like(); // ones_like
    _ = x.full_like(0.5); // full_like, fill
    _ = x.empty_like(); // empty_like
    _ = x.empty_like_with(DType::F64)?; // empty_like
    _ = x.new_zeros(shape![4])?; // new_zeros
    _ = x.new_zeros([n, 4])?; // new_zeros
    _ = x.new_ones([n, 4])?; // new_ones
    _ = x.new_full([n, 4], 0.5)?; // new_full
    _ = x.new_empty([n, 4])?; // new_empty
    _ = call("new_empty_strided", args![&x, [2, 3], [1, 2]])?.tensor()?; // new_empty_strided
    _ = x.clone(); // clone
    _ = picture.clone_with(MemoryFormat::ChannelsLast)?; // clone
    _ = x.contiguous(); // contiguous
    _ = picture.contiguous_with(MemoryFormat::ChannelsLast)?; // contiguous
    x.copy_(&y)?; // copy_
    x.i(i![0]).copy_(&y.i(i![1]))?; // copy_
    x.copy_non_blocking_(&y)?; // copy_
    x.fill_(0.5)?; // fill_
    x.i(i![.., 0]).fill_(1)?; // fill_
    x.zero_()?; // zero_
    Ok(())
}
