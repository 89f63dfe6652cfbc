//! The macros, with what each takes and gives. They are written in tensor-macros.

/// A shape, as a type or as a value: `shape![2, _, 50257]`.
///
/// Sizes are integers, constants (`N`, `2 * N`), dimensions that are type parameters (`<B>` where `B: Dim`), and `_`, which only the run
/// knows. `shape![]` has no dimensions.
///
/// A written `1` stretches to other sizes, and so does what a reduction keeps. A constant or a parameter that happens to be 1 is a size as
/// any other; [`Tensor::as_shape`](crate::Tensor::as_shape) makes one of the other.
///
/// ```
/// use latten::prelude::*;
/// let image: Tensor<u8, shape![3, 4, 5]> = Tensor::<u8, shape![3, 4, 5]>::zeros();
/// let rows: Tensor<u8, shape![_, 5]> = image.view([12, 5])?.typed()?;
/// assert_eq!(rows.sizes(), [12, 5]);
///
/// struct Linear<const I: usize, const O: usize> {
///     weight: Tensor<f32, shape![O, I]>,
///     bias: Tensor<f32, shape![O]>,
/// }
///
/// impl<const I: usize, const O: usize> Linear<I, O> {
///     fn forward<B: Dim>(&self, x: &Tensor<f32, shape![<B>, I]>) -> Tensor<f32, shape![<B>, O]> {
///         x.matmul(&self.weight.t()) + &self.bias
///     }
/// }
/// # Ok::<(), latten::Error>(())
/// ```
pub use latten_macros::shape;

/// One dimension, as a type: `dim![6]`, where a function or an alias over `N: Dim` is told which. `shape![6]` is a shape that has it.
///
/// ```
/// use latten::prelude::*;
/// type Points<N> = Tensor<f64, shape![<N>, 3]>;
/// let six: Points<dim![6]> = Tensor::zeros();
/// let any: Points<dim![_]> = six.as_shape();
/// assert_eq!(any.sizes(), [6, 3]);
/// ```
pub use latten_macros::dim;

/// An index as a type, for [`Tensor::i`](crate::Tensor::i): `x.i(i![.., 0, 1..3])` is Python's `x[:, 0, 1:3]`, and the view keeps the sizes
/// that types know.
///
/// Entries are integers, ranges with an optional step (`1..-1`, `..;2`), `...` for all dimensions that the others don't speak of, and `NewAxis`.
/// What isn't written as numbers is looked at by the run: names, and all that stands in parentheses; what isn't there then panics, and
/// [`Tensor::try_i`](crate::Tensor::try_i) returns the error. Tensors of places and masks choose: `i![&rows, &columns]`.
///
/// ```
/// use latten::prelude::*;
/// let images = Tensor::<f32, shape![8, 3, 32, 32]>::zeros();
/// let red: Tensor<f32, shape![8, 32, 32]> = images.i(i![.., 0]);
/// let inner: Tensor<f32, shape![8, 3, 30, 16]> = images.i(i![..., 1..-1, ..;2]);
/// let batch: Tensor<f32, shape![1, 3, 32, 32]> = images.i(i![-1, NewAxis]);
/// for image in 0..8 {
///     let one: Tensor<f32, shape![3, 32, 32]> = images.i(i![image]);
/// #   assert_eq!(one.storage_offset(), image * 3072);
/// }
/// # assert_eq!((red.sizes(), inner.sizes(), batch.storage_offset()), (&[8, 32, 32][..], &[8, 3, 30, 16][..], 7 * 3072));
/// # Ok::<(), latten::Error>(())
/// ```
///
/// What isn't there doesn't compile:
///
/// ```compile_fail
/// # use latten::prelude::*;
/// # let images = Tensor::<f32, shape![8, 3, 32, 32]>::zeros();
/// let fourth = images.i(i![.., 3]); // index 3 is out of bounds for dimension 1 with size 3
/// ```
///
/// A range beyond a known size is refused, too, where PyTorch cuts it off; in parentheses the run does: `i![(0..100)]`. Types count sizes up to
/// 1024: of larger ones, and of those that are parameters, `..` and what stands in parentheses can be taken.
pub use latten_macros::i;

/// Several dimensions that the type knows, in this order: `x.permute(axes![2, 0, 1])`. One alone is [`axis`](crate::axis)`::<2>()`.
///
/// ```
/// use latten::prelude::*;
/// let image = Tensor::<f32, shape![480, 640, 3]>::zeros();
/// let planes: Tensor<f32, shape![3, 480, 640]> = image.permute(axes![2, 0, 1]);
/// # assert_eq!(planes.strides(), [1, 1920, 3]);
/// ```
#[macro_export]
macro_rules! axes {
    ($($axis:expr),* $(,)?) => { ($($crate::axis::<{ $axis }>(),)*) };
}
pub use crate::axes;

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
/// `bool`. A dtype after the rows or a suffix of an element says another one, and a number that it can't hold doesn't compile.
///
/// ```
/// # use latten::prelude::*;
/// let bytes: Tensor<u8, shape![2, 2]> = tensor![[1, 2], [3, 4]; u8];
/// let halves: Tensor<f16, shape![3]> = tensor![1.5f16, -2, f16::INFINITY];
/// let waves: Tensor<c64, shape![2]> = tensor![1 + 2i, -0.5i];
/// let mask: Tensor<bool, shape![2]> = tensor![true, false];
/// ```
///
/// ```compile_fail
/// # use latten::prelude::*;
/// let bytes = tensor![100, 200, 300; u8]; // value 300 cannot be converted to type uint8 without overflow
/// ```
///
/// Where a type is expected, by a `let`, a field, an argument or the result of a function, that is the literal's, if its numbers fit: of its
/// dtype, and of a shape that says as much or less.
///
/// ```
/// # use latten::prelude::*;
/// fn mean(x: &Tensor<f64, Rank<1>>) -> f64 {
///     x.mean().item()
/// }
/// let bytes: Tensor<u8, shape![_, 2]> = tensor![[1, 2], [3, 4]];
/// assert_eq!(mean(&tensor![0.1, 0.3]), 0.2);
/// ```
///
/// The dtype may stand behind the elements, `tensor![1, 2; u8]`, or by its name, `tensor![[1, 2], dtype = u8]`; it may be a parameter's,
/// `tensor![[1.0, 0.0]; E]`. What stands behind a single element is a count where it isn't the name of a type: `E`, `T` and names like `Elem` are.
///
/// An operand's type isn't expected: `&x + &tensor![0.1, 0.2]` adds `f32` to whatever `x` is, as in PyTorch.
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
/// Elements may be expressions, whose dtype the numbers that are written beside them take where it holds them: beside an `f64` they are `f64`, where
/// Python's would be `f32`. Or they are tensors, which are stacked. Where the types of tensors leave their shapes to the run, it panics
/// where they differ, as operators do.
///
/// ```
/// # use latten::prelude::*;
/// let x = 0.5_f32;
/// let powers: Tensor<f32, shape![3]> = tensor![1.0, x, x * x];
/// let rows: Tensor<f32, shape![2, 3]> = tensor![&powers, &powers * 2.0];
/// let (c, s) = 0.5_f64.sin_cos();
/// let turn = tensor![[s, -c, 0.0], [c, s, 0.0]]; // of f64
/// # assert_eq!(turn.to_vec()[1], -c);
/// assert_eq!(rows.to_vec(), [1.0, 0.5, 0.25, 2.0, 1.0, 0.5]);
/// # Ok::<(), latten::Error>(())
/// ```
///
/// With `device = …` at the end it is a `Result`, because only the run knows whether there is such a device: `tensor!([1, 2], device = "cuda:0")?`.
/// Numbers lie in the binary and are copied once.
pub use latten_macros::tensor;

/// An elementwise expression over tensors and numbers, computed in one pass: one loop, no tensors in between, and the dtypes, shapes, bits
/// and errors that the same operators give one after the other.
///
/// ```
/// use latten::prelude::*;
/// let (a, x) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![0.5, -0.5]);
/// let counts = tensor![[1, 2], [3, 4]];
/// let y: Tensor<f32, shape![2, 2]> = fuse!(sigmoid(a * x + 0.1) * counts - x);
/// println!("{y}");
/// # assert_eq!(y.to_string(), "tensor([[0.1457, 1.0781],\n        [1.9961, 1.0204]])");
/// ```
/// prints
/// ```text
/// tensor([[0.1457, 1.0781],
///         [1.9961, 1.0204]])
/// ```
///
/// It has Rust's operators and comparisons, the operations of the table as functions or methods (`exp(x)`, `x.clamp(-1, 1)`), `as` with a
/// dtype, `if … { } else { }`, and functions by [`kernel`](macro@kernel). Tensors need no `&`; anything else stands in braces, and is computed
/// before. A reduction may end it, and then its elements go into that as they are computed, without a tensor of them: `sum`, `max`, `var` and
/// all others that give one tensor, of all elements or along what an argument says (`sum_along(x, axis::<1>())`). On a CUDA device, for
/// medians, and where operations run one after the other (a division of integers looks for zeros first), there is such a tensor.
///
/// ```
/// # use latten::prelude::*;
/// # let (a, x) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![0.5, -0.5]);
/// let clipped: Tensor<f16, shape![2, 2]> = fuse!(if a > 2.0 { x } else { exp(-a) } as f16);
/// let total: Tensor<f32, shape![]> = fuse!(sum(square(a - x)));
/// let means: Tensor<f32, shape![2]> = fuse!(mean_along(square(a - x), axis::<1>()));
/// assert_eq!(total.to_vec(), [33.0]);
/// assert_eq!(means.to_vec(), [3.25, 13.25]);
/// # assert_eq!(clipped.to_string(), "tensor([[ 0.3679,  0.1354],\n        [ 0.5000, -0.5000]], dtype=torch.float16)");
/// # Ok::<(), latten::Error>(())
/// ```
///
/// With an output the result goes into its elements; dtype and shape stay, and what can't be cast doesn't compile.
///
/// ```
/// # use latten::prelude::*;
/// # let (a, x) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![0.5, -0.5]);
/// let mut y = a.clone();
/// fuse!(y += a * x);
/// fuse!(y = y * 2.0 - 1);
/// assert_eq!(y.to_vec(), [2.0, 1.0, 8.0, 3.0]);
/// # Ok::<(), latten::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// # use latten::prelude::*;
/// let mut counts = tensor![1, 2];
/// fuse!(counts *= tensor![0.5, 1.5]); // result type `f32` can't be cast to the desired output type `i64`
/// ```
///
/// `index()` is the place of the element in the result, in row-major order, an `i64` that promotes as a tensor without dimensions does.
/// `dropout(x, p)` leaves elements out by chance, with the numbers of [`Tensor::dropout`](crate::Tensor::dropout).
///
/// ```
/// # use latten::prelude::*;
/// # let (a, x) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![0.5, -0.5]);
/// let diagonal: Tensor<f32, shape![2, 2]> = fuse!(if index() % 3 == 0 { a } else { x });
/// assert_eq!(diagonal.to_vec(), [1.0, -0.5, 0.5, 4.0]);
/// let kept = fuse!(dropout(a * 2.0, 0.0) + x);
/// assert_eq!(kept.to_vec(), [2.5, 3.5, 6.5, 7.5]);
/// # Ok::<(), latten::Error>(())
/// ```
///
/// Where types know all dtypes, the loop is compiled with the program, for each set of vector instructions. Where a tensor is
/// [`Any`](crate::Any), the same expression is a [`Program`](crate::program::Program), computed in blocks that stay in the cache.
/// Like operators, it panics at the caller's line where only the run can tell that an operation can't be; [`try_fuse!`] returns the error.
pub use latten_macros::fuse;

/// What [`fuse!`] gives, as a `Result`.
///
/// ```
/// use latten::prelude::*;
/// let (a, b) = (tensor![1.0, 2.0].erase(), tensor![1.0, 2.0, 3.0].erase());
/// let refused = try_fuse!(exp(a) * b).unwrap_err();
/// assert_eq!(refused.message(), "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
/// ```
pub use latten_macros::try_fuse;

/// An elementwise operation of one's own, in the language that the table of operations is written in.
///
/// ```
/// use latten::prelude::*;
///
/// #[kernel]
/// fn softened(x: Floating) -> Floating {
///     if x > 20.0 { x } else { log1p(exp(x)) }
/// }
///
/// let x = tensor![-1.0, 0.0, 30.0];
/// println!("{}", softened(&x));
/// # assert_eq!(softened(&x).to_string(), "tensor([ 0.3133,  0.6931, 30.0000])");
/// # assert_eq!(fuse!(softened(x) * 2.0).to_vec()[2], 60.0);
/// # Ok::<(), latten::Error>(())
/// ```
/// prints
/// ```text
/// tensor([ 0.3133,  0.6931, 30.0000])
/// ```
///
/// Operands are of one category, and the kernel is compiled for each dtype in it: `Boolean`, `Integral`, `Floating`, `Complex`, `Discrete` (the
/// first two), `Real` (integers and floats), `Number` (all but bools), `Inexact` (floats and complex numbers), `Ordered` (all but complex
/// numbers) or `Every`. They promote and broadcast as those of the table do, and where the category has no integers, these become `f32`
/// first. Operands may be numbers, too, but for the first. Parameters are numbers that don't promote: `f64`, `i64` or `bool`. The result is
/// of the operands' dtype, `bool`, or a `Part` of a complex number.
///
/// ```
/// # use latten::prelude::*;
/// #[kernel]
/// fn is_near(x: Real, y: Real, within: f64) -> bool {
///     abs(x - y) <= within
/// }
/// let near: Tensor<bool, shape![3]> = is_near(&tensor![1, 2, 3], &tensor![1.5, 2.75, 3.0], 0.5);
/// assert_eq!(near.to_vec(), [true, false, true]);
/// # Ok::<(), latten::Error>(())
/// ```
///
/// Beside the function `softened` there are `try_softened`, `softened_` in place and `softened_out` into another tensor; inside
/// [`fuse!`](macro@fuse) it is a part of the loop. It takes tensors of any type, with the errors of the table's operations. Its CUDA source is
/// `softened::cuda_source()`. `index()` is the place of the element in the result; it counts as an operand, of which there are at most three.
/// Its functions are those of `fuse!`, as functions or methods: every elementwise operation by PyTorch's name, `where_`; and beside them
/// `mul_add(x, y, z)`, rounded once, and `complex(re, im)`. What the language doesn't have is refused where it stands, with what it has.
///
/// ```compile_fail
/// # use latten::prelude::*;
/// #[kernel]
/// fn rooted(x: Floating) -> Floating {
///     ln(x) // kernels have no function `ln`: write `log`
/// }
/// ```
pub use latten_macros::kernel;

/// PyTorch's `einsum`, of an equation that is written there: the result has the sizes that its letters have in the operands.
///
/// ```
/// use latten::prelude::*;
/// let queries = Tensor::<f32, shape![2, 4, 10, 16]>::ones();
/// let keys = Tensor::<f32, shape![2, 4, 12, 16]>::ones();
/// let scores: Tensor<f32, shape![2, 4, 10, 12]> = einsum!("bhqd,bhkd->bhqk", queries, keys);
/// let trace: Tensor<f32, shape![]> = einsum!("ii", tensor![[1.0_f32, 2.0], [3.0, 4.0]]);
/// assert_eq!((scores.to_vec()[0], trace.item()), (16.0, 5.0));
/// ```
///
/// Sizes that types know and that don't fit don't compile, nor does an equation that isn't one:
///
/// ```compile_fail
/// # use latten::prelude::*;
/// let (a, b) = (Tensor::<f32, shape![2, 3]>::ones(), Tensor::<f32, shape![4, 5]>::ones());
/// let c = einsum!("ij,jk->ik", a, b); // the size of tensor a (3) must match the size of tensor b (4)
/// ```
///
/// What only the run knows is looked at by it: [`try_einsum!`](macro@try_einsum) gives the `Result`. Operands are borrowed, their dtypes are one,
/// as for products, and letters that the result lacks are summed in it: of integers, in `i64`. An ellipsis leaves the shape of the result to
/// the run. So does the function [`einsum`](fn@crate::einsum), whose equation the run reads.
///
/// # Panics
/// Where `try_einsum!` gives an error.
pub use latten_macros::einsum;

/// What [`einsum!`](macro@einsum) computes, or the error with which that panics.
///
/// ```
/// # use latten::prelude::*;
/// # let (rows, columns) = (3, 4);
/// let a = Tensor::<f32>::ones([2, rows])?.to_shape::<Rank<2>>()?;
/// let b = Tensor::<f32>::ones([columns, 5])?.to_shape::<Rank<2>>()?;
/// let error = try_einsum!("ij,jk->ik", a, b).unwrap_err();
/// assert_eq!(error.to_string(), "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3");
/// # Ok::<(), latten::Error>(())
/// ```
pub use latten_macros::try_einsum;
