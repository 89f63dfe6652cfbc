//! Joins and copies that rearrange: PyTorch's dtype, sizes, strides and elements, or its error in its words. The answers are those of
//! PyTorch 2.15.

use latten::prelude::*;
use latten::{ErrorKind, MemoryFormat, Result, try_column_stack, try_dstack, try_hstack, try_vstack};

use Answer::{Made, Refused};
use DType::{F32, F64, I64};
use ErrorKind::{Index, Runtime, Value};

/// What PyTorch says; the elements of a meta tensor are none.
enum Answer {
    Made(DType, &'static [usize], &'static [usize], &'static [i64]),
    Refused(ErrorKind, &'static str),
}

fn elements(tensor: &DynTensor) -> Result<Vec<i64>> {
    if tensor.is_meta() { Ok(Vec::new()) } else { tensor.to_dtype(I64)?.typed::<i64, AnyShape>()?.try_to_vec() }
}

/// What differs from the answer, for a reader.
fn check(call: &str, given: Result<DynTensor>, answer: &Answer) -> Option<String> {
    let told = match given.and_then(|made| Ok((made.dtype(), elements(&made)?, made))) {
        Ok((dtype, elements, made)) => match *answer {
            Made(expected, sizes, strides, numbers)
                if dtype == expected && made.sizes() == sizes && made.strides() == strides && elements == numbers =>
            {
                return None;
            }
            _ => format!("{dtype:?} {:?} {:?} {elements:?}", made.sizes(), made.strides()),
        },
        Err(error) => match *answer {
            Refused(kind, text) if error.kind() == kind && error.message() == text => return None,
            _ => format!("{error:?}"),
        },
    };
    let expected = match answer {
        Made(dtype, sizes, strides, numbers) => format!("{dtype:?} {sizes:?} {strides:?} {numbers:?}"),
        Refused(kind, text) => format!("{kind:?}: {text}"),
    };
    Some(format!("{call}:\n  gave     {told}\n  expected {expected}"))
}

macro_rules! answers {
    ($($call:expr => $answer:expr;)+) => {
        [$({
            let call = || -> Result<DynTensor> { Ok($call?.erase()) };
            check(stringify!($call), call(), &$answer)
        }),+].into_iter().flatten().collect::<Vec<_>>()
    };
}

fn numbers(sizes: &[usize]) -> Result<DynTensor> {
    let numel = sizes.iter().product::<usize>();
    Ok(Tensor::<i64>::from_vec((0..).take(numel).collect(), sizes)?.erase())
}

#[test]
fn joins_and_copies() -> Result<()> {
    let (a, v, s, e) = (numbers(&[2, 3])?, numbers(&[3])?, Tensor::<i64>::from_vec(vec![7], ())?.erase(), numbers(&[2, 0])?);
    let (b, n, at) = (a.to_dtype(F32)?, DynTensor::zeros([0], F64)?, a.t());
    let d = numbers(&[1, 2, 2, 2])?;
    let (c, m) = (d.contiguous_with(MemoryFormat::ChannelsLast)?, a.to_device("meta")?);
    let wrong = answers! {
        cat(&[&a, &a], 0) => Made(I64, &[4, 3], &[3, 1], &[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        cat(&[&a, &b], -1) => Made(F32, &[2, 6], &[6, 1], &[0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        cat(&[&at, &at], 1) => Made(I64, &[3, 4], &[4, 1], &[0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5]);
        cat(&[&n, &a], 1) => Made(F64, &[2, 3], &[3, 1], &[0, 1, 2, 3, 4, 5]);
        cat(&[&n, &n], 3) => Made(F64, &[0], &[1], &[]);
        cat(&[&a, &e], 1) => Made(I64, &[2, 3], &[3, 1], &[0, 1, 2, 3, 4, 5]);
        cat(&[&c, &c], 1) => Made(I64, &[1, 4, 2, 2], &[16, 1, 8, 4], &[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        cat(&[&c, &d], 1) => Made(I64, &[1, 4, 2, 2], &[16, 4, 2, 1], &[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        cat(&[&a.expand([2, 2, 3])?.erase(), &a.unsqueeze(0)?], 0) => Made(I64, &[3, 2, 3], &[6, 3, 1], &[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        cat(&Vec::<&DynTensor>::new(), 0) => Refused(Value, "torch.cat(): expected a non-empty list of Tensors");
        cat(&[&a, &s], 0) => Refused(Runtime, "zero-dimensional tensor (at position 1) cannot be concatenated");
        cat(&[&a, &v], 0) => Refused(Runtime, "Tensors must have same number of dimensions: got 2 and 1");
        cat(&[&a, &at], 0) => Refused(Runtime, "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in the list.");
        cat(&[&a, &a, &at], 1) => Refused(Runtime, "Sizes of tensors must match except in dimension 1. Expected size 2 but got size 3 for tensor number 2 in the list.");
        cat(&[&a, &a], 2) => Refused(Index, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
        cat(&[&a, &m], 0) => Refused(Runtime, "Tensor on device meta is not on the expected device cpu!");
        stack(&[&a, &b], 0) => Made(F32, &[2, 2, 3], &[6, 3, 1], &[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        stack(&[&a, &a], -1) => Made(I64, &[2, 3, 2], &[6, 2, 1], &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        stack(&[&at, &at], 1) => Made(I64, &[3, 2, 2], &[4, 2, 1], &[0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5]);
        stack(&[&c, &c], 1) => Made(I64, &[1, 2, 2, 2, 2], &[4, 2, 1, 8, 4], &[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        stack(&[&s, &s], 0) => Made(I64, &[2], &[1], &[7, 7]);
        stack(&[&n, &n], 0) => Made(F64, &[2, 0], &[1, 1], &[]);
        stack(&Vec::<&DynTensor>::new(), 0) => Refused(Runtime, "stack expects a non-empty TensorList");
        stack(&[&a, &at], 0) => Refused(Runtime, "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3, 2] at entry 1");
        stack(&[&a, &a], 3) => Refused(Index, "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
        try_hstack((&a, &b)) => Made(F32, &[2, 6], &[6, 1], &[0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        try_hstack([&v, &s]) => Made(I64, &[4], &[1], &[0, 1, 2, 7]);
        try_vstack((&v, &a)) => Made(I64, &[3, 3], &[3, 1], &[0, 1, 2, 0, 1, 2, 3, 4, 5]);
        try_dstack(&[&v, &v]) => Made(I64, &[1, 3, 2], &[6, 2, 1], &[0, 0, 1, 1, 2, 2]);
        try_dstack(&[&a, &a]) => Made(I64, &[2, 3, 2], &[6, 2, 1], &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        try_column_stack(&[&v, &at]) => Made(I64, &[3, 3], &[3, 1], &[0, 0, 3, 1, 1, 4, 2, 2, 5]);
        try_hstack(Vec::<&DynTensor>::new()) => Refused(Runtime, "hstack expects a non-empty TensorList");
        try_vstack(&[&a, &at]) => Refused(Runtime, "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in the list.");
        try_vstack(Vec::<&DynTensor>::new()) => Refused(Runtime, "vstack expects a non-empty TensorList");
        a.flip([0]) => Made(I64, &[2, 3], &[3, 1], &[3, 4, 5, 0, 1, 2]);
        a.flip([0, -1]) => Made(I64, &[2, 3], &[3, 1], &[5, 4, 3, 2, 1, 0]);
        at.flip([1]) => Made(I64, &[3, 2], &[1, 3], &[3, 0, 4, 1, 5, 2]);
        c.flip([1, 3]) => Made(I64, &[1, 2, 2, 2], &[8, 1, 4, 2], &[5, 4, 7, 6, 1, 0, 3, 2]);
        a.slice_dim(1, step(.., 2))?.flip([1]) => Made(I64, &[2, 2], &[2, 1], &[2, 0, 5, 3]);
        a.unsqueeze(1)?.expand([2, 2, 3])?.flip([0, 1]) => Made(I64, &[2, 2, 3], &[6, 3, 1], &[3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2]);
        s.flip([0_isize; 0]) => Made(I64, &[], &[], &[7]);
        s.flip([0]) => Made(I64, &[], &[], &[7]);
        a.flip([0_isize; 0]) => Made(I64, &[2, 3], &[3, 1], &[0, 1, 2, 3, 4, 5]);
        e.flip([0]) => Made(I64, &[2, 0], &[1, 1], &[]);
        a.flip([2]) => Refused(Index, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
        a.flip([0, -2]) => Refused(Runtime, "dim 0 appears multiple times in the list of dims");
        a.roll(1, ()) => Made(I64, &[2, 3], &[3, 1], &[5, 0, 1, 2, 3, 4]);
        a.roll([1], [1]) => Made(I64, &[2, 3], &[3, 1], &[2, 0, 1, 5, 3, 4]);
        a.roll(-4, 1) => Made(I64, &[2, 3], &[3, 1], &[1, 2, 0, 4, 5, 3]);
        at.roll([1, 2], [0, 1]) => Made(I64, &[3, 2], &[2, 1], &[2, 5, 0, 3, 1, 4]);
        c.roll([1], [1]) => Made(I64, &[1, 2, 2, 2], &[8, 1, 4, 2], &[4, 5, 6, 7, 0, 1, 2, 3]);
        c.roll([0], [1]) => Made(I64, &[1, 2, 2, 2], &[8, 4, 2, 1], &[0, 1, 2, 3, 4, 5, 6, 7]);
        e.roll([1], [0]) => Made(I64, &[2, 0], &[1, 1], &[]);
        a.roll((), ()) => Refused(Runtime, "`shifts` required");
        a.roll([1, 2], ()) => Refused(Runtime, "shifts and dimensions must align. shifts: 2, dims:0");
        a.roll([1], [0, 1]) => Refused(Runtime, "shifts and dimensions must align. shifts: 1, dims:2");
        a.roll([1], [2]) => Refused(Index, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
        s.roll([1], [0]) => Refused(Index, "Dimension specified as 0 but tensor has no dimensions");
        s.roll([1], ()) => Made(I64, &[], &[], &[7]);
        a.rot90_with(1, [0, 1]) => Made(I64, &[3, 2], &[1, 3], &[2, 5, 1, 4, 0, 3]);
        a.rot90_with(-1, [0, 1]) => Made(I64, &[3, 2], &[1, 3], &[3, 0, 4, 1, 5, 2]);
        at.rot90_with(6, [0, 1]) => Made(I64, &[3, 2], &[1, 3], &[5, 2, 4, 1, 3, 0]);
        at.rot90_with(0, [0, 1]) => Made(I64, &[3, 2], &[2, 1], &[0, 3, 1, 4, 2, 5]);
        a.rot90_with(1, [0]) => Refused(Runtime, "expected total rotation dims == 2, but got dims = 1");
        a.rot90_with(1, [0, -2]) => Refused(Runtime, "expected rotation dims to be different, but got dim0 = 0 and dim1 = -2");
        a.rot90_with(1, [0, 2]) => Refused(Index, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
        v.rot90_with(1, [0, 1]) => Refused(Runtime, "expected total dims >= 2, but got total dims = 1");
        v.repeat([2, 2]) => Made(I64, &[2, 6], &[6, 1], &[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
        at.repeat([1, 2]) => Made(I64, &[3, 4], &[4, 1], &[0, 3, 0, 3, 1, 4, 1, 4, 2, 5, 2, 5]);
        a.repeat([0, 2, 1]) => Made(I64, &[0, 4, 3], &[12, 3, 1], &[]);
        s.repeat([3]) => Made(I64, &[3], &[1], &[7, 7, 7]);
        a.repeat([2]) => Refused(Runtime, "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
        a.repeat([2, -1]) => Refused(Runtime, "Trying to create tensor with negative dimension -3: [4, -3]");
        a.tile([2]) => Made(I64, &[2, 6], &[6, 1], &[0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        v.tile([2, 1]) => Made(I64, &[2, 3], &[3, 1], &[0, 1, 2, 0, 1, 2]);
        a.tile([0_isize; 0]) => Made(I64, &[2, 3], &[3, 1], &[0, 1, 2, 3, 4, 5]);
        a.tile([-1]) => Refused(Runtime, "Trying to create tensor with negative dimension -3: [2, -3]");
        cat(&[&m, &m], 0) => Made(I64, &[4, 3], &[3, 1], &[]);
        stack(&[&m, &m], 1) => Made(I64, &[2, 2, 3], &[6, 3, 1], &[]);
        m.flip([1]) => Made(I64, &[2, 3], &[3, 1], &[]);
        m.roll([1], [1]) => Made(I64, &[2, 3], &[3, 1], &[]);
        m.repeat([2, 2]) => Made(I64, &[4, 6], &[6, 1], &[]);
        m.t().narrow(0, 1, 2)?.reshape([2, 2]) => Made(I64, &[2, 2], &[1, 3], &[]);
        m.t().reshape([6]) => Made(I64, &[6], &[1], &[]);
    };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
