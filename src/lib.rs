//! latten: PyTorch's tensor semantics for Rust, decided at compile time wherever the types say enough.
//!
//! # Types that know
//!
//! A [`Tensor`]'s type carries its dtype and, as far as it is known, its shape. The compiler works out what an expression gives, by
//! PyTorch's rules: a dimensioned tensor outweighs one without dimensions, which outweighs a number.
//!
//! ```
//! use latten::prelude::*;
//!
//! let counts = Tensor::from([[1_i32, 2, 3], [4, 5, 6]]);
//! let weights = Tensor::from([0.5_f32, 1.0, 1.5]);
//! let scaled: Tensor<f32, shape![2, 3]> = &counts * 2.5;
//! let sum: Tensor<f32, shape![2, 3]> = &counts + &weights;
//! let bytes: Tensor<u8, shape![2]> = Tensor::from([250_u8, 1]) + 10;
//! assert_eq!(bytes.to_vec(), [4, 11]);
//! println!("{scaled}\n{sum}");
//! # Ok::<(), latten::Error>(())
//! ```
//!
//! What PyTorch refuses at run time doesn't compile, and says why in PyTorch's words:
//!
//! ```compile_fail,E0277
//! # use latten::prelude::*;
//! # let mut counts = Tensor::from([1_i32, 2, 3]);
//! # let weights = Tensor::from([0.5_f32, 1.0, 1.5]);
//! counts *= &weights; // result type `f32` can't be cast to the desired output type `i32`
//! ```
//!
//! # Tensors of which only the run knows
//!
//! [`Any`] stands for an unknown dtype or an unknown shape, `_` in [`shape!`] for an unknown size; a [`DynTensor`] is a
//! `Tensor<Any, Any>`. The same table decides, at run time, and what it refuses is an [`Error`] with the same text.
//!
//! ```
//! # use latten::prelude::*;
//! let mut counts = DynTensor::arange(6, DType::I32)?.view([2, 3])?;
//! let halves = DynTensor::full([3], 0.5, DType::F16)?;
//! assert_eq!((&counts + &halves).dtype(), DType::F16);
//! let refused = counts.mul_(&halves).unwrap_err();
//! assert_eq!(refused.message(), "result type Half can't be cast to the desired output type Int");
//! let known: Tensor<i32, Rank<2>> = counts.typed()?;
//! # let _ = known;
//! # Ok::<(), latten::Error>(())
//! ```
//!
//! Operators panic at the caller's line where only the run can tell that they can't be; each has a `try_` twin that returns the error.
//! The typed layer takes a float for `f32`, whatever the default dtype is; [`set_default_dtype`] is for the dynamic one.
//!
//! # Gradients
//!
//! A tensor that requires a gradient gets one of its own type when a number that was made of it goes [`backward`](Tensor::backward); by
//! PyTorch's rules, and checked against them. [`optim`] has what changes parameters, [`mod@grad`] the scopes in which nothing is recorded.
//!
//! ```
//! # use latten::prelude::*;
//! let x = Tensor::from([1.0_f32, 2.0]).requiring_grad()?;
//! fuse!(x * x * 0.5).sum().backward()?;
//! assert_eq!(x.grad().unwrap().to_vec(), [1.0, 2.0]);
//! # Ok::<(), latten::Error>(())
//! ```
//!
//! # Views, storages, devices
//!
//! Views share a [`storage`] and write through it, from any thread, without a data race. Overlap is decided exactly.
//!
//! ```
//! # use latten::prelude::*;
//! let x = Tensor::<i64>::arange(6)?.view(shape![2, 3]);
//! x.t().i(i![.., 0]).fill_(9)?;
//! assert_eq!(x.to_vec(), [9, 9, 9, 3, 4, 5]);
//! let mut b = Tensor::from([[1, 2], [3, 4]]);
//! b.sub_(&b.narrow(1, 0, 1)?)?;
//! assert_eq!(b.to_vec(), [0, 1, 0, 1]);
//! # Ok::<(), latten::Error>(())
//! ```
//!
//! Tensors index tensors: integers name places, masks choose, ranges stand between them. What is sparse is a type of its own.
//!
//! ```
//! # use latten::prelude::*;
//! # use latten::Order;
//! let mut x = Tensor::from([[3.0_f32, 1.0, 2.0], [0.0, 5.0, 4.0]]);
//! let places = Tensor::from([2_i64, 0]);
//! assert_eq!(x.index((.., &places))?.to_vec(), [2.0, 3.0, 4.0, 0.0]);
//! assert_eq!(x.masked_select(&x.gt(2)).to_vec(), [3.0, 5.0, 4.0]);
//! let (_, order): (_, Tensor<i64, shape![2, 3]>) = x.sort_with(-1, Order::Descending)?;
//! assert_eq!(order.to_vec(), [0, 2, 1, 1, 2, 0]);
//! x.index_put_((0, &places), 9)?;
//! assert_eq!(x.to_sparse().values().to_scalars()?.len(), 5);
//! # Ok::<(), latten::Error>(())
//! ```
//!
//! `Clone` copies, as PyTorch's `clone` does; [`Tensor::alias`] shares. `examples/tour.rs` shows more.

pub use latten_core::args;
pub use latten_core::by_name::{self, call, operations};
pub use latten_core::call::Outcome;
pub use latten_core::create::{IntoOptions, Options};
pub use latten_core::cuda;
pub use latten_core::device::{Device, DeviceType, IntoDevice};
pub use latten_core::dtype::{default_dtype, finfo, iinfo, set_default_dtype, to_complex};
pub use latten_core::element::{Any, Element, Native};
pub use latten_core::error::{Error, ErrorKind, Result};
pub use latten_core::geometry;
pub use latten_core::index::{Entry, Span, step};
pub use latten_core::indexing::{self, Accumulate, Extreme, IncludeSelf, Order, Padding, ScatterReduce};
pub use latten_core::joins;
pub use latten_core::kernels::workers::{num_threads, set_num_threads};
pub use latten_core::kinds::{self, Float, Integral, Number, Real, WideFloat};
pub use latten_core::layout::{Layout, MemoryFormat};
pub use latten_core::methods::{try_where, where_, where_out};
pub use latten_core::op;
pub use latten_core::product;
pub use latten_core::random::{self, Generator, manual_seed};
pub use latten_core::raw::RawTensor;
pub use latten_core::reduce::{self, Along, Keep, NansAre, Tolerance};
pub use latten_core::relations;
pub use latten_core::scalar::Scalar;
pub use latten_core::shape::{self, AnyShape, D, Dim, Dyn, KnownShape, One, Rank, Shape, ShapeArgument, axis};
pub use latten_core::shape::{Certain, Certainty, Checked};
pub use latten_core::spaces::{fft, linalg, signal, special};
pub use latten_core::sparse::{self, Coalesced, RawSparse};
pub use latten_core::tensor::{self, Ellipsis, Index, IndexEntry, NewAxis, OfLength, OfOptions, OfShape, Selection, Selector, Selects};
pub use latten_core::tensor::{AlongArgument, AlongOne, DynTensor, LossesAs as Reduction, Operand, PartsMut, SparseTensor, Tensor, kept};
pub use latten_core::tensor::{
    block_diag, broadcast_tensors, cartesian_prod, cat, cat_out, column_stack, complex, dstack, einsum, embedding, hstack, meshgrid,
    meshgrid_with, polar, result_type, stack, try_block_diag, try_broadcast_tensors, try_cartesian_prod, try_cat, try_column_stack,
    try_dstack, try_hstack, try_stack, try_vstack, vstack,
};
pub use latten_core::{device, dtype, elementwise, error, layout, print, program, raw, scalar, strictness, warning};
pub use latten_spec::operation::Op;
pub use latten_spec::{Category, DType, Level, can_cast, promote_levels, promote_types};

pub use half::{bf16, f16};
pub use num_complex::Complex;
pub use num_complex::ComplexFloat;

/// Files of tensors: [`load`] and [`save`], how they go about it, and what files hold.
#[cfg(any(feature = "pt", feature = "safetensors", feature = "npy", feature = "gguf", feature = "serde"))]
pub use latten_io as io;
#[cfg(any(feature = "pt", feature = "safetensors", feature = "npy", feature = "gguf"))]
pub use latten_io::{Archive, load, load_mapped, save};

mod macros;

pub use macros::{einsum, fuse, i, kernel, shape, tensor, try_einsum, try_fuse};

#[doc(hidden)]
pub use latten_core::__private;

/// Gradients: scopes in which calls are recorded, and what goes back from several tensors at once. What single tensors have is among their methods.
pub mod grad {
    pub use latten_core::grad::*;
    pub use latten_core::kinds::Differentiable;
    pub use latten_core::tensor::{
        AnyTensor, GradInputs, GradOptions, SingleNumber, backward, grad, grad_of, grad_of_with, gradcheck, gradgradcheck,
    };
}

/// Optimisers, which change parameters by their gradients.
pub mod optim {
    pub use latten_core::optim::*;
}

/// Storages: bytes that any number of tensors share, untyped or as numbers, and where they come from.
pub mod storage {
    pub use latten_core::raw::Source;
    pub use latten_core::storage::*;
}

/// Two [`struct@f16`]: PyTorch's complex32.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c32 = Complex<f16>;
/// Two `f32`: PyTorch's complex64.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c64 = Complex<f32>;
/// Two `f64`: PyTorch's complex128.
#[expect(non_camel_case_types, reason = "named as the dtype is")]
pub type c128 = Complex<f64>;

/// The programs of the pages for users are tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/from_pytorch.md")]
    mod from_pytorch {}
    #[doc = include_str!("../docs/generic.md")]
    mod generic {}
    #[doc = include_str!("../docs/grad.md")]
    mod grad {}
}

/// What a program that computes with tensors wants in scope.
pub mod prelude {
    pub use crate::SparseTensor;
    pub use crate::grad::no_grad;
    pub use crate::indexing::{IncludeSelf, Padding, ScatterReduce};
    pub use crate::macros::{axes, dim, fuse, i, kernel, shape, tensor, try_einsum, try_fuse};
    pub use crate::random::Replacement;
    pub use crate::shape::{Axis, axes};
    pub use crate::{Along, Keep, axis, kept};
    pub use crate::{Any, AnyShape, Complex, Dim, Dyn, DynTensor, Element, KnownShape, Native, One, Operand, Rank, Shape, Tensor};
    pub use crate::{DType, Device, MemoryFormat, Options, Scalar, can_cast, promote_types, result_type};
    pub use crate::{Ellipsis, NewAxis, cat, complex, einsum, embedding, hstack, meshgrid, polar, stack, step, vstack, where_};
    pub use crate::{Error, ErrorKind, Result};
    pub use crate::{Extreme, Generator, Order, Reduction, args, call, manual_seed};
    pub use crate::{Float, Integral, Number, Real, WideFloat};
    // `abs`, `arg`, `conj` and their like of a complex number.
    #[doc(no_inline)]
    pub use crate::ComplexFloat as _;
    #[doc(no_inline)]
    pub use crate::{OfLength as _, OfOptions as _, OfShape as _};
    pub use crate::{bf16, c32, c64, c128, f16};
}
