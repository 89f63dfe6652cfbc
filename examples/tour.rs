//! A tour of latten: `cargo run --release --example tour`. It needs no CUDA and no library of the system.

use latten::prelude::*;
use latten::storage::{Sharing, UntypedStorage};
use latten::{Result, elementwise, where_};

fn main() -> Result<()> {
    types_that_know()?;
    types_that_do_not()?;
    views()?;
    memory()?;
    computing()?;
    gradients()
}

fn title(text: &str) {
    println!("\n── {text} ──");
}

/// Prints what was computed, its dtype, and what its type says: the annotations below are checked by the compiler.
fn show<E: Element, S: Shape>(code: &str, tensor: &Tensor<E, S>) {
    println!("{code}    : {} {}\n{tensor}", tensor.dtype(), S::describe());
}

fn types_that_know() -> Result<()> {
    title("The type of a tensor knows its dtype and its shape");
    let counts = Tensor::from([[1_i32, 2, 3], [4, 5, 6]]);
    let weights = Tensor::from([0.5_f32, 1.0, 1.5]);
    let scaled: Tensor<f32, shape![2, 3]> = &counts * 2.5;
    show("counts * 2.5", &scaled);
    let sum: Tensor<f32, shape![2, 3]> = &counts + &weights;
    show("counts + weights", &sum);
    let wrapped: Tensor<u8, shape![3]> = Tensor::from([250_u8, 1, 2]) + 10;
    show("bytes + 10", &wrapped);
    let zero_dim: Tensor<f64, ()> = Tensor::from(0.5_f64);
    let kept: Tensor<f32, shape![3]> = &weights + &zero_dim;
    show("weights + a double without dimensions", &kept);
    let mut in_place = weights.clone();
    in_place *= &Tensor::from([2_i64, 2, 2]);
    show("weights *= longs", &in_place);
    println!("counts *= &weights      does not compile: result type `f32` can't be cast to the desired output type `i32`");
    println!("[5, 2] + [5, 3]         does not compile: the size of tensor a (2) must match the size of tensor b (3)");
    Ok(())
}

fn types_that_do_not() -> Result<()> {
    title("Any: what only the run knows follows the same table");
    let counts = DynTensor::arange(6, DType::I32)?.view([2, 3])?;
    let halves = DynTensor::full([3], 0.5, DType::F16)?;
    show("int32 + float16", &(&counts + &halves));
    let mut output = counts.clone();
    if let Err(error) = output.mul_(&halves) {
        println!("counts.mul_(halves)     is an error: {error}");
    }
    if let Err(error) = counts.try_add(&DynTensor::zeros([2], DType::F32)?) {
        println!("[2, 3] + [2]            is an error: {error}");
    }
    let known: Tensor<i32, Rank<2>> = counts.typed()?;
    let mixed: Tensor<f32, shape![_, 3]> = known * Tensor::from([1.5_f32, 0.0, -1.0]);
    show("typed again, times floats", &mixed);
    Ok(())
}

fn views() -> Result<()> {
    title("Views share a storage, and write through it");
    let x = Tensor::<i64>::arange(12)?.view(shape![3, 4]);
    let transposed: Tensor<i64, shape![4, 3]> = x.t();
    println!(
        "x.t()    : sizes {:?}, strides {:?}, same storage: {}",
        transposed.sizes(),
        transposed.strides(),
        transposed.data_ptr() == x.data_ptr()
    );
    x.i(i![.., 1..-1]).fill_(-1)?;
    show("x, after x.i(i![.., 1..-1]).fill_(-1)", &x);
    let image = Tensor::<f32>::zeros([1, 3, 2, 2])?.to_format(MemoryFormat::ChannelsLast)?;
    println!("channels_last + 1 keeps the order of strides: {:?}", (&image + 1).strides());
    let mut b = Tensor::from([[1_i64, 2], [3, 4]]);
    let column = b.narrow(1, 0, 1)?;
    b.sub_(&column)?;
    show("b -= its own first column, as if that had been read before", &b);
    Ok(())
}

fn memory() -> Result<()> {
    title("Storages: heap, files, shared memory; devices without data");
    let ones = Tensor::<f32>::ones([2])?;
    println!("the bytes of ones(2):\n{}", ones.untyped_storage());
    let path = std::env::temp_dir().join(format!("latten-tour-{}", std::process::id()));
    let mapped = UntypedStorage::from_file(&path, Sharing::Shared, 8)?;
    let mut on_disk = DynTensor::zeros([0], DType::F32)?;
    on_disk.set_(&mapped)?;
    on_disk.fill_(1.0)?;
    println!("written through a mapped tensor, the file holds {:?}", std::fs::read(&path).unwrap_or_default());
    if let Err(error) = std::fs::remove_file(&path) {
        println!("the file stays: {error}");
    }
    let huge = DynTensor::empty([1_i64 << 20, 1 << 20], (DType::F64, "meta"))?;
    println!("2^40 doubles on the meta device: {huge:?}");
    Ok(())
}

fn computing() -> Result<()> {
    title("Operations, reductions, products");
    let x = Tensor::<f32>::linspace(-2.0, 2.0, 5)?;
    show("relu(x) + exp(x)", &(x.relu() + x.exp()));
    show("where(x < 0, 0, x)", &where_(&x.lt(0), 0, &x));
    let a = Tensor::<f32>::arange(6)?.view(shape![2, 3]);
    let b = Tensor::<f32>::ones(shape![3, 4])?;
    let product: Tensor<f32, shape![2, 4]> = a.matmul(&b);
    show("a.matmul(b)", &product);
    let rows: Tensor<f32, shape![2]> = a.sum_along(axis::<1>());
    show("a.sum_along(axis::<1>())", &rows);
    show("a.mean()", &a.mean());
    let operation = latten::Op::parse("hypot").ok_or_else(|| Error::new(ErrorKind::Value, "no such operation"))?;
    let by_name = elementwise::apply(operation, &[a.raw().into(), b.i(i![.., ..1]).t().raw().into()], &elementwise::Params::none())?;
    show("an operation by its name: hypot", &DynTensor::from(by_name));
    println!("bfloat16 keeps {} of 1 + 1/512", Tensor::from(bf16::from_f32(1.0 + 1.0 / 512.0)));
    Ok(())
}

fn gradients() -> Result<()> {
    title("Gradients: of types as their tensors have, by operators or in one pass");
    let mut weight = Tensor::<f32, shape![2]>::zeros().requiring_grad()?;
    let (x, y) = (Tensor::from([[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]]), Tensor::from([2.0_f32, -1.0, 1.0]));
    let loss = (x.matmul(&weight) - &y).square().mean();
    loss.backward()?;
    let gradient: Option<Tensor<f32, shape![2]>> = weight.grad();
    println!("the gradient of {loss}: {gradient:?}");
    let mut sgd = latten::optim::Sgd::new(0.3);
    for _ in 0..40 {
        weight.zero_grad();
        x.matmul(&weight).mse_loss(&y)?.backward()?;
        sgd.step(&mut [&mut weight])?;
    }
    println!("after 40 steps of SGD: {:.3}", weight.detach());
    let a = Tensor::from([1.0_f32, 2.0]).requiring_grad()?;
    fuse!(sum(sigmoid(a) * a)).backward()?;
    println!("of fuse!(sum(sigmoid(a) * a)): {:.4}", a.grad().ok_or_else(|| Error::runtime("no gradient"))?);
    println!("counts.requires_grad_() of i32 does not compile: only Tensors of floating point and complex dtype can require gradients");
    Ok(())
}
