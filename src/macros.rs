//! The macros, with what each takes and gives. They are written in tensor-macros.

/// A shape, as a type or as a value: `shape![2, _, 50257]`.
///
/// Sizes are integer literals, names of const parameters or `{ expressions }`; `_` is a size that only the run knows.
/// `shape![]` has no dimensions.
///
/// ```
/// use latten::prelude::*;
/// let image: Tensor<u8, shape![3, 4, 5]> = Tensor::<u8, shape![3, 4, 5]>::zeros();
/// let rows: Tensor<u8, shape![_, 5]> = image.view([12, 5])?.typed()?;
/// assert_eq!(rows.sizes(), [12, 5]);
/// # Ok::<(), latten::Error>(())
/// ```
pub use tensor_macros::shape;

/// Numbers as they stand, as a tensor whose type has their dtype and shape.
///
/// ```
/// use latten::prelude::*;
/// let x: Tensor<i64, shape![2, 3]> = tensor![[1, 2, 3], [4, 5, 6]];
/// println!("{x}");
/// # assert_eq!(x.to_string(), "tensor([[1, 2, 3],\n        [4, 5, 6]])");
/// ```
/// prints
/// ```text
/// tensor([[1, 2, 3],
///         [4, 5, 6]])
/// ```
///
/// The dtype is PyTorch's: where any number is complex `c64`, else where any is a float `f32`, else where any is an integer `i64`, else
/// `bool`. A dtype behind the rows or a suffix of an element says another one, and a number that it can't hold doesn't compile.
///
/// ```
/// # use latten::prelude::*;
/// let bytes: Tensor<u8, shape![2, 2]> = tensor![[1, 2], [3, 4]; u8];
/// let halves: Tensor<f16, shape![3]> = tensor![1.5f16, -2, inf];
/// let waves: Tensor<c64, shape![2]> = tensor![1 + 2i, -0.5i];
/// let mask: Tensor<bool, shape![2]> = tensor![true, false];
/// # assert_eq!(waves.to_string(), "tensor([1.0000+2.0000j, -0.0000-0.5000j])");
/// ```
///
/// ```compile_fail
/// # use latten::prelude::*;
/// let bytes = tensor![100, 200, 300; u8]; // value 300 cannot be converted to type uint8 without overflow
/// ```
///
/// Brackets are the outermost row. Parentheses hold what the parentheses of PyTorch's call hold: a number, which gives a tensor without
/// dimensions, or rows. Where a macro hides which of the two was written, they count as parentheses; `tensor!(x,)` is a row in any case.
///
/// ```
/// # use latten::prelude::*;
/// let scalar: Tensor<f32, shape![]> = tensor!(2.5);
/// let one: Tensor<f32, shape![1]> = tensor![2.5];
/// let same: Tensor<i64, shape![2, 2]> = tensor!([[1, 2], [3, 4]]);
/// let zeros: Tensor<f64, shape![2, 3]> = tensor![[0.0; 3]; 2; f64];
/// let none: Tensor<f32, shape![0]> = tensor![];
/// ```
///
/// Elements may be expressions, which have the type of the numbers beside them, or their own; and tensors, which are stacked. Where the
/// types of tensors leave their shapes to the run, it panics where they differ, as operators do.
///
/// ```
/// # use latten::prelude::*;
/// let x = 0.5_f32;
/// let powers: Tensor<f32, shape![3]> = tensor![1.0, x, x * x];
/// let rows: Tensor<f32, shape![2, 3]> = tensor![&powers, &powers * 2.0];
/// assert_eq!(rows.to_vec()?, [1.0, 0.5, 0.25, 2.0, 1.0, 0.5]);
/// # Ok::<(), latten::Error>(())
/// ```
///
/// With `device = …` at the end it is a `Result`, because only the run knows whether there is such a device: `tensor!([1, 2], device = "cuda:0")?`.
/// Numbers lie in the binary and are copied once.
pub use tensor_macros::tensor;

/// An elementwise expression over tensors and numbers, computed in one pass without temporaries.
pub use tensor_macros::fuse;

/// What [`fuse!`] gives, as a `Result`.
pub use tensor_macros::try_fuse;

/// An elementwise operation of one's own, in the language that the table of operations is written in.
pub use tensor_macros::kernel;
