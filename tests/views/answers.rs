//! Every view on its own: PyTorch's sizes, strides and offset, or its error in its words. The answers are those of PyTorch 2.15.

use latten::prelude::*;
use latten::{ErrorKind, Result, try_broadcast_tensors};

use Answer::{Refused, View, Views};
use ErrorKind::{Index, NotImplemented, Runtime, Type, Value};

/// Sizes, strides and offset.
type Seen = (&'static [usize], &'static [usize], usize);

/// What PyTorch says.
enum Answer {
    View(&'static [usize], &'static [usize], usize),
    Views(&'static [Seen]),
    Refused(ErrorKind, &'static str),
}

/// What a call gives: one view or several.
trait Given {
    fn tensors(self) -> Vec<DynTensor>;
}

impl<E: Element, S: Shape> Given for Tensor<E, S> {
    fn tensors(self) -> Vec<DynTensor> {
        vec![self.erase()]
    }
}

impl<E: Element, S: Shape, const N: usize> Given for [Tensor<E, S>; N] {
    fn tensors(self) -> Vec<DynTensor> {
        self.iter().map(Tensor::erase).collect()
    }
}

impl<E: Element, S: Shape> Given for Vec<Tensor<E, S>> {
    fn tensors(self) -> Vec<DynTensor> {
        self.iter().map(Tensor::erase).collect()
    }
}

/// What differs from the answer, for a reader.
fn check(call: &str, given: Result<impl Given>, answer: &Answer) -> Option<String> {
    let expected: Vec<Seen> = match *answer {
        View(sizes, strides, offset) => vec![(sizes, strides, offset)],
        Views(views) => views.into(),
        Refused(kind, text) => {
            return match given {
                Ok(given) => Some(format!("{call}: gave {:?}, expected the error {text:?}", given.tensors())),
                Err(error) if error.kind() == kind && error.message() == text => None,
                Err(error) => Some(format!("{call}:\n  gave     {error:?}\n  expected {kind:?}: {text}")),
            };
        }
    };
    let given = match given {
        Ok(given) => given.tensors(),
        Err(error) => return Some(format!("{call}: gave the error {error:?}, expected {expected:?}")),
    };
    let seen: Vec<_> = given.iter().map(|view| (view.sizes(), view.strides(), view.storage_offset())).collect();
    (seen != expected).then(|| format!("{call}:\n  gave     {seen:?}\n  expected {expected:?}"))
}

macro_rules! answers {
    ($($call:expr => $answer:expr;)+) => {
        [$({
            let call = || -> Result<_> { $call };
            check(stringify!($call), call(), &$answer)
        }),+].into_iter().flatten().collect::<Vec<_>>()
    };
}

fn numbers(sizes: &[usize]) -> Result<DynTensor> {
    let numel = sizes.iter().product::<usize>();
    Ok(Tensor::<i64>::from_vec((0..).take(numel).collect(), sizes)?.erase())
}

#[test]
fn one_view() -> Result<()> {
    let (x, v, s) = (numbers(&[2, 3, 4])?, numbers(&[3])?, numbers(&[])?);
    let (e, o) = (numbers(&[2, 0, 3])?, numbers(&[2, 1, 3, 1])?);
    let y = x.transpose(0, 2)?;
    let wrong = answers! {
        x.view([6, 4]) => View(&[6, 4], &[4, 1], 0);
        x.view([-1, 2]) => View(&[12, 2], &[2, 1], 0);
        x.view([2, 3, 2, 2]) => View(&[2, 3, 2, 2], &[12, 4, 2, 1], 0);
        y.view([4, 3, 1, 2]) => View(&[4, 3, 1, 2], &[1, 4, 24, 12], 0);
        y.view([24]) => Refused(Runtime, "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
        x.view([5, 5]) => Refused(Runtime, "shape '[5, 5]' is invalid for input of size 24");
        x.view([-1, -1]) => Refused(Runtime, "only one dimension can be inferred");
        x.view([-2, 3]) => Refused(Runtime, "invalid shape dimension -2 at index 0 of shape [-2, 3]");
        e.view([-1, 0]) => Refused(Runtime, "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any value and is ambiguous");
        e.view([0, 5]) => View(&[0, 5], &[5, 1], 0);
        s.view([1, 1]) => View(&[1, 1], &[1, 1], 0);
        y.reshape([12, 2]) => View(&[12, 2], &[2, 1], 0);
        x.reshape([4, -1]) => View(&[4, 6], &[6, 1], 0);
        x.reshape([7]) => Refused(Runtime, "shape '[7]' is invalid for input of size 24");
        x.flatten_with(0, -1) => View(&[24], &[1], 0);
        x.flatten_with(1, 2) => View(&[2, 12], &[12, 1], 0);
        y.flatten_with(0, 1) => View(&[12, 2], &[2, 1], 0);
        x.flatten_with(2, 1) => Refused(Runtime, "flatten() has invalid args: start_dim cannot come after end_dim");
        s.flatten_with(0, -1) => View(&[1], &[1], 0);
        x.unflatten(2, [2, -1]) => View(&[2, 3, 2, 2], &[12, 4, 2, 1], 0);
        x.unflatten(2, [3, -1]) => Refused(Runtime, "unflatten: Provided sizes [3, -1] don't multiply up to the size of dim 2 (4) in the input tensor");
        x.unflatten(-1, [0_isize; 0]) => Refused(Runtime, "unflatten: sizes must be non-empty");
        x.unflatten(3, [1]) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        x.expand([5, -1, 3, 4]) => View(&[5, 2, 3, 4], &[0, 12, 4, 1], 0);
        x.expand([5, 2, -1, 4]) => View(&[5, 2, 3, 4], &[0, 12, 4, 1], 0);
        o.expand([2, 4, 3, 5]) => View(&[2, 4, 3, 5], &[3, 0, 1, 0], 0);
        o.expand([1, 1, 2, 1, -1, 2]) => View(&[1, 1, 2, 1, 3, 2], &[6, 6, 3, 3, 1, 0], 0);
        s.expand([2, 3]) => View(&[2, 3], &[0, 0], 0);
        x.expand([3, 4]) => Refused(Runtime, "expand(torch.LongTensor{[2, 3, 4]}, size=[3, 4]): the number of sizes provided (2) must be greater or equal to the number of dimensions in the tensor (3)");
        x.expand([2, 3, 5]) => Refused(Runtime, "The expanded size of the tensor (5) must match the existing size (4) at non-singleton dimension 2.  Target sizes: [2, 3, 5].  Tensor sizes: [2, 3, 4]");
        x.expand([-1, 2, 3, 4]) => Refused(Runtime, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0");
        x.view_dtype(DType::C128)?.expand([1]) => Refused(Runtime, "expand(CPUComplexDoubleType{[2, 3, 2]}, size=[1]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (3)");
        x.to_device("meta")?.expand([1]) => Refused(Runtime, "expand(MetaLongType{[2, 3, 4]}, size=[1]): the number of sizes provided (1) must be greater or equal to the number of dimensions in the tensor (3)");
        x.narrow(1, 1, 2) => View(&[2, 2, 4], &[12, 4, 1], 4);
        x.narrow(-1, -3, 2) => View(&[2, 3, 2], &[12, 4, 1], 1);
        x.narrow(0, 2, 0) => View(&[0, 3, 4], &[12, 4, 1], 24);
        x.narrow(2, 3, 2) => Refused(Runtime, "start (3) + length (2) exceeds dimension size (4).");
        x.narrow(2, 5, 0) => Refused(Index, "start out of range (expected to be in range of [-4, 4], but got 5)");
        x.narrow(0, 0, -1) => Refused(Runtime, "narrow(): length must be non-negative.");
        x.narrow(3, 0, 1) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        s.narrow(0, 0, 1) => Refused(Runtime, "narrow() cannot be applied to a 0-dim tensor.");
        x.select(1, -1) => View(&[2, 4], &[12, 1], 8);
        x.select(1, 3) => Refused(Index, "select(): index 3 out of range for tensor of size [2, 3, 4] at dimension 1");
        x.select(-4, 0) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got -4)");
        s.select(0, 0) => Refused(Index, "select() cannot be applied to a 0-dim tensor.");
        x.slice_dim(2, 1..-1) => View(&[2, 3, 2], &[12, 4, 1], 1);
        x.slice_dim(2, step(.., 3)) => View(&[2, 3, 2], &[12, 4, 3], 0);
        x.slice_dim(0, 5..) => View(&[0, 3, 4], &[12, 4, 1], 24);
        x.slice_dim(1, ..=-2) => View(&[2, 2, 4], &[12, 4, 1], 0);
        x.slice_dim(0, step(.., 0)) => Refused(Value, "slice step cannot be zero");
        x.slice_dim(0, step(.., -1)) => Refused(Value, "step must be greater than zero");
        s.slice_dim(0, ..) => Refused(Index, "slice() cannot be applied to a 0-dim tensor.");
        x.try_i(i![1]) => View(&[3, 4], &[4, 1], 12);
        x.try_i(i![.., 1..-1, -1]) => View(&[2, 1], &[12, 4], 7);
        x.try_i(i![..., 2]) => View(&[2, 3], &[12, 4], 2);
        x.try_i(i![NewAxis, 1, ..., 1..;2]) => View(&[1, 3, 2], &[24, 4, 2], 13);
        x.try_i(i![0, NewAxis, 1..=2]) => View(&[1, 2, 4], &[12, 4, 1], 4);
        s.try_i(i![..., NewAxis]) => View(&[1], &[1], 0);
        x.try_i(i![5]) => Refused(Index, "index 5 is out of bounds for dimension 0 with size 2");
        x.try_i(i![.., -4]) => Refused(Index, "index -4 is out of bounds for dimension 1 with size 3");
        x.try_i(i![NewAxis, 5]) => Refused(Index, "index 5 is out of bounds for dimension 1 with size 2");
        x.try_i(i![..., 5]) => Refused(Index, "index 5 is out of bounds for dimension 1 with size 4");
        x.try_i(i![0, 0, 0, 0]) => Refused(Index, "too many indices for tensor of dimension 3");
        x.try_i(i![.., .., .., ..]) => Refused(Index, "too many indices for tensor of dimension 3");
        s.try_i(i![0]) => Refused(Index, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
        s.try_i(i![..]) => Refused(Index, "slice() cannot be applied to a 0-dim tensor.");
        s.try_i(i![NewAxis, 0]) => Refused(Index, "too many indices for tensor of dimension 0");
        x.transpose(0, -1) => View(&[4, 3, 2], &[1, 4, 12], 0);
        x.swapaxes(1, 2) => View(&[2, 4, 3], &[12, 1, 4], 0);
        x.transpose(0, 3) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        s.transpose(0, -1) => View(&[], &[], 0);
        s.transpose(0, 1) => Refused(Index, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
        v.try_t() => View(&[3], &[1], 0);
        x.select(0, 0)?.try_t() => View(&[4, 3], &[1, 4], 0);
        x.try_t() => Refused(Runtime, "t() expects a tensor with <= 2 dimensions, but self is 3D");
        x.try_mT() => View(&[2, 4, 3], &[12, 1, 4], 0);
        v.try_mT() => Refused(Runtime, "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
        Ok(x.T()) => View(&[4, 3, 2], &[1, 4, 12], 0);
        x.permute([2, 0, 1]) => View(&[4, 2, 3], &[1, 12, 4], 0);
        x.permute([-1, 0, 1]) => View(&[4, 2, 3], &[1, 12, 4], 0);
        x.permute([0, 1]) => Refused(Runtime, "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2");
        x.permute([0, 0, 1]) => Refused(Runtime, "permute(): duplicate dims are not allowed.");
        x.permute([0, 1, 3]) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        x.movedim([0], [-1]) => View(&[3, 4, 2], &[4, 1, 12], 0);
        x.movedim([0, 1], [1, 2]) => View(&[4, 2, 3], &[1, 12, 4], 0);
        x.movedim([0, 0], [1, 2]) => Refused(Runtime, "movedim: repeated dim in `source` ([0, 0])");
        x.movedim([0, 1], [2, 2]) => Refused(Runtime, "movedim: repeated dim in `destination` ([2, 2])");
        x.movedim([0, 1], [2]) => Refused(Runtime, "movedim: Invalid source or destination dims: source ([0, 1] dims) should contain the same number of dims as destination ([2] dims)");
        x.movedim([0], [3]) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        Ok(o.squeeze(..)) => View(&[2, 3], &[3, 1], 0);
        o.squeeze([1]) => View(&[2, 3, 1], &[3, 1, 1], 0);
        o.squeeze([0, -1]) => View(&[2, 1, 3], &[3, 3, 1], 0);
        o.squeeze([1, -3]) => Refused(Runtime, "dim 1 appears multiple times in the list of dims");
        o.squeeze([4]) => Refused(Index, "Dimension out of range (expected to be in range of [-4, 3], but got 4)");
        x.unsqueeze(0) => View(&[1, 2, 3, 4], &[24, 12, 4, 1], 0);
        y.unsqueeze(-2) => View(&[4, 3, 1, 2], &[1, 4, 24, 12], 0);
        x.unsqueeze(-1) => View(&[2, 3, 4, 1], &[12, 4, 1, 1], 0);
        x.unsqueeze(4) => Refused(Index, "Dimension out of range (expected to be in range of [-4, 3], but got 4)");
        x.unfold(2, 2, 1) => View(&[2, 3, 3, 2], &[12, 4, 1, 1], 0);
        x.unfold(1, 3, 2) => View(&[2, 1, 4, 3], &[12, 8, 1, 4], 0);
        s.unfold(0, 1, 1) => View(&[1], &[1], 0);
        x.unfold(2, 5, 1) => Refused(Runtime, "maximum size for tensor at dimension 2 is 4 but size is 5");
        x.unfold(2, 2, 0) => Refused(Runtime, "step is 0 but must be > 0");
        x.unfold(2, -1, 1) => Refused(Runtime, "size is -1 but must be >= 0");
        x.try_diagonal() => View(&[4, 2], &[1, 16], 0);
        x.diagonal_with(1, 1, 2) => View(&[2, 3], &[12, 5], 1);
        x.diagonal_with(-1, -1, 0) => View(&[3, 2], &[4, 13], 1);
        x.diagonal_with(7, 0, 1) => View(&[4, 0], &[1, 16], 0);
        x.diagonal_with(0, 1, -2) => Refused(Runtime, "diagonal dimensions cannot be identical 1, -2");
        v.try_diagonal() => Refused(Index, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
        x.as_strided_with([3, 3], [4, 1], 2) => View(&[3, 3], &[4, 1], 2);
        x.i(i![1]).as_strided([2, 2], [0, 1]) => View(&[2, 2], &[0, 1], 12);
        x.i(i![1]).as_strided_with([12], [1], 0) => View(&[12], &[1], 0);
        x.as_strided([100], [1]) => Refused(Runtime, "setStorage: sizes [100], strides [1], storage offset 0, and itemsize 8 requiring a storage size of 800 are out of bounds for storage of size 192");
        x.as_strided([2, 2], [2]) => Refused(Runtime, "mismatch in length of strides and shape");
        x.as_strided([2], [-1]) => Refused(Runtime, "as_strided: Negative strides are not supported at the moment, got strides: [-1]");
        x.as_strided_with([2], [1], -1) => Refused(Runtime, "Tensor: invalid storage offset -1");
        x.as_strided_with([0], [5], 99) => View(&[0], &[5], 99);
        x.view_dtype(DType::I32) => View(&[2, 3, 8], &[24, 8, 1], 0);
        x.view_dtype(DType::C128) => View(&[2, 3, 2], &[6, 2, 1], 0);
        x.view_dtype(DType::F64) => View(&[2, 3, 4], &[12, 4, 1], 0);
        x.slice_dim(2, ..3)?.view_dtype(DType::C128) => Refused(Runtime, "self.size(-1) must be divisible by 2 to view Long as ComplexDouble (different element sizes), but got 3");
        y.view_dtype(DType::I16) => Refused(Runtime, "self.stride(-1) must be 1 to view Long as Short (different element sizes), but got 12");
        y.view_dtype(DType::C128) => Refused(Runtime, "self.stride(-1) must be 1 to view Long as ComplexDouble (different element sizes), but got 12");
        x.slice_dim(1, step(.., 2))?.transpose(1, 2)?.view_dtype(DType::C128) => Refused(Runtime, "self.stride(-1) must be 1 to view Long as ComplexDouble (different element sizes), but got 8");
        x.i(i![.., .., 1..3]).view_dtype(DType::C128) => Refused(Runtime, "self.storage_offset() must be divisible by 2 to view Long as ComplexDouble (different element sizes), but got 1");
        x.as_strided([2, 2], [3, 1])?.view_dtype(DType::C128) => Refused(Runtime, "self.stride(0) must be divisible by 2 to view Long as ComplexDouble (different element sizes), but got 3");
        s.view_dtype(DType::I32) => Refused(Runtime, "self.dim() cannot be 0 to view Long as Int (different element sizes)");
        x.try_view_as_real() => Refused(Type, "view_as_real is only supported for complex tensors");
        x.try_view_as_complex() => Refused(NotImplemented, "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: Long");
        x.try_imag() => Refused(Type, "imag is not implemented for tensors with non-complex dtypes.");
        Ok(x.real()) => View(&[2, 3, 4], &[12, 4, 1], 0);
        x.view_dtype(DType::F64)?.unflatten(2, [2, 2])?.try_view_as_complex() => View(&[2, 3, 2], &[6, 2, 1], 0);
        x.view_dtype(DType::F64)?.try_view_as_complex() => Refused(Runtime, "Tensor must have a last dimension of size 2");
        y.view_dtype(DType::F64)?.try_view_as_complex() => Refused(Runtime, "Tensor must have a last dimension with stride 1");
        x.view_dtype(DType::F64)?.slice_dim(2, 1..3)?.try_view_as_complex() => Refused(Runtime, "Tensor must have a storage_offset divisible by 2");
        x.view_dtype(DType::C128)?.try_view_as_real() => View(&[2, 3, 2, 2], &[12, 4, 2, 1], 0);
        x.view_dtype(DType::C128)?.try_imag() => View(&[2, 3, 2], &[12, 4, 2], 1);
        Ok(x.view_dtype(DType::C128)?.real()) => View(&[2, 3, 2], &[12, 4, 2], 0);
    };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn several_views() -> Result<()> {
    let (x, v, s) = (numbers(&[2, 3, 4])?, numbers(&[3])?, numbers(&[])?);
    let (e, o) = (numbers(&[2, 0, 3])?, numbers(&[2, 1, 3, 1])?);
    let wrong = answers! {
        x.split(3, 2) => Views(&[(&[2, 3, 3], &[12, 4, 1], 0), (&[2, 3, 1], &[12, 4, 1], 3)]);
        x.split(0, 1) => Refused(Runtime, "split_size can only be 0 if dimension size is 0, but got dimension size of 3");
        x.split(-1, 1) => Refused(Runtime, "split expects split_size be non-negative, but got split_size=-1");
        s.split(1, 0) => Refused(Runtime, "split expects at least a 1-dimensional tensor");
        e.split(0, 1) => Views(&[(&[2, 0, 3], &[3, 3, 1], 0)]);
        x.split_with_sizes([1, 0, 3], 2) => Views(&[(&[2, 3, 1], &[12, 4, 1], 0), (&[2, 3, 0], &[12, 4, 1], 1), (&[2, 3, 3], &[12, 4, 1], 1)]);
        x.split_with_sizes([1, 2], -1) => Refused(Runtime, "split_with_sizes expects split_sizes to sum exactly to 4 (input tensor's size at dimension -1), but got split_sizes=[1, 2]");
        x.split_with_sizes([-1, 5], 2) => Refused(Runtime, "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=[-1, 5]");
        x.chunk(3, 2) => Views(&[(&[2, 3, 2], &[12, 4, 1], 0), (&[2, 3, 2], &[12, 4, 1], 2)]);
        x.chunk(5, 2) => Views(&[(&[2, 3, 1], &[12, 4, 1], 0), (&[2, 3, 1], &[12, 4, 1], 1), (&[2, 3, 1], &[12, 4, 1], 2), (&[2, 3, 1], &[12, 4, 1], 3)]);
        x.chunk(0, 2) => Refused(Runtime, "chunk expects `chunks` to be greater than 0, got: 0");
        s.chunk(2, 0) => Refused(Runtime, "chunk expects at least a 1-dimensional tensor");
        x.tensor_split(3, 2) => Views(&[(&[2, 3, 2], &[12, 4, 1], 0), (&[2, 3, 1], &[12, 4, 1], 2), (&[2, 3, 1], &[12, 4, 1], 3)]);
        x.tensor_split([1, -1], 2) => Views(&[(&[2, 3, 1], &[12, 4, 1], 0), (&[2, 3, 2], &[12, 4, 1], 1), (&[2, 3, 1], &[12, 4, 1], 3)]);
        x.tensor_split(0, 2) => Refused(Runtime, "number of sections must be larger than 0, got 0");
        s.tensor_split(2, 0) => Refused(Runtime, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
        x.hsplit(3) => Views(&[(&[2, 1, 4], &[12, 4, 1], 0), (&[2, 1, 4], &[12, 4, 1], 4), (&[2, 1, 4], &[12, 4, 1], 8)]);
        x.hsplit(2) => Refused(Runtime, "torch.hsplit attempted to split along dimension 1, but the size of the dimension 3 is not divisible by the split_size 2!");
        s.hsplit(2) => Refused(Runtime, "torch.hsplit requires a tensor with at least 1 dimension, but got a tensor with 0 dimensions!");
        x.vsplit([1]) => Views(&[(&[1, 3, 4], &[12, 4, 1], 0), (&[1, 3, 4], &[12, 4, 1], 12)]);
        v.vsplit(2) => Refused(Runtime, "torch.vsplit requires a tensor with at least 2 dimension, but got a tensor with 1 dimensions!");
        x.dsplit(2) => Views(&[(&[2, 3, 2], &[12, 4, 1], 0), (&[2, 3, 2], &[12, 4, 1], 2)]);
        x.dsplit(3) => Refused(Runtime, "torch.dsplit attempted to split along dimension 2, but the size of the dimension 4 is not divisible by the split_size 3!");
        v.dsplit(2) => Refused(Runtime, "torch.dsplit requires a tensor with at least 3 dimension, but got a tensor with 1 dimensions!");
        x.unbind(1) => Views(&[(&[2, 4], &[12, 1], 0), (&[2, 4], &[12, 1], 4), (&[2, 4], &[12, 1], 8)]);
        x.unbind(3) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        s.unbind(0) => Refused(Index, "Dimension specified as 0 but tensor has no dimensions");
        try_broadcast_tensors([&x, &o.i(i![0, 0]), &s]) => Views(&[(&[2, 3, 4], &[12, 4, 1], 0), (&[2, 3, 4], &[0, 1, 0], 0), (&[2, 3, 4], &[0, 0, 0], 0)]);
        try_broadcast_tensors(vec![&x, &v]) => Refused(Runtime, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 2");
    };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
