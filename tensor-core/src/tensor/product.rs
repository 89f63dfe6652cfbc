//! Products as methods. Where the types know both inner sizes, they must be equal for the program to compile; where they know that the
//! dtypes differ, it doesn't: products promote nothing.

use super::dims::OneDim;
use super::{DynTensor, Tensor, TensorList, into_out, made};
use crate::call::{Call, CallArgument, Function, run};
use crate::element::{Any, Element, Native};
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::raw::RawTensor;
use crate::relations::{HasProduct, Undecided};
use crate::scalar::Scalar;
use crate::shape::{AnyShape, BroadcastInto, BroadcastWith, Dim, Dyn, MatrixProduct, MatrixProductWith, Shape};

/// Two dtypes that a product takes: equal ones, or [`Any`] where the run will tell.
#[diagnostic::on_unimplemented(
    message = "expected m1 and m2 to have the same dtype, but got: `{Self}` != `{Rhs}`",
    label = "can't be multiplied with a matrix of `{Rhs}`",
    note = "products promote nothing; convert one factor first with `.to::<_>()`; a literal says its dtype, `tensor![…; f64]`"
)]
pub trait MultiplyWith<Rhs> {
    /// The dtype of the product.
    type Output: Element;
}

impl<E: Native + HasProduct> MultiplyWith<Self> for E {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl<E: Native + HasProduct> MultiplyWith<Any> for E {
    type Output = Self;
}
// While the compiler doesn't know the other factor yet, impls that might apply keep it from giving up with a message of its own; two,
// because it would take one alone for the answer.
#[diagnostic::do_not_recommend]
impl<E: Native> MultiplyWith<Undecided> for E {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl<E: Native> MultiplyWith<&Undecided> for E {
    type Output = Self;
}
#[diagnostic::do_not_recommend]
impl<F: Element> MultiplyWith<F> for Any {
    type Output = F;
}

/// The dtype of a product.
type Dtype<E, F> = <E as MultiplyWith<F>>::Output;
/// The shape of a product.
type ProductSizes<S, R> = <S as MatrixProductWith<R>>::Product;

/// The last dimension times each row of a weight.
type Linear<E, S, F, W> = Tensor<Dtype<E, F>, ProductSizes<S, <W as WeightShape>::Turned>>;

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `matmul`: vectors and matrices as they are; more dimensions are batches, which broadcast.
    ///
    /// ```compile_fail
    /// # use latten_core::{shape::{D, Shape}, tensor::Tensor};
    /// fn product(a: &Tensor<f32, (D<2>, D<3>)>, b: &Tensor<f32, (D<4>, D<5>)>) {
    ///     a.matmul(b); // mat1 and mat2 shapes cannot be multiplied (_x3 and 4x_)
    /// }
    /// ```
    ///
    /// # Panics
    /// Where [`Tensor::try_matmul`] is an error.
    #[must_use]
    #[track_caller]
    pub fn matmul<F: Element, R: Shape>(&self, rhs: &Tensor<F, R>) -> Tensor<Dtype<E, F>, ProductSizes<S, R>>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<R>,
    {
        proved(self.try_matmul(rhs))
    }

    /// What [`Tensor::matmul`] gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where inner sizes or dtypes that only the run knows differ, batches don't broadcast, or one factor has no dimensions.
    pub fn try_matmul<F: Element, R: Shape>(&self, rhs: &Tensor<F, R>) -> Result<Tensor<Dtype<E, F>, ProductSizes<S, R>>>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<R>,
    {
        run(Call::new(Function::Matmul, &[self.raw().into(), rhs.raw().into()]))?.one().and_then(Tensor::stretched)
    }

    /// PyTorch's `matmul(…, out=…)`.
    ///
    /// # Errors
    /// As for [`Tensor::try_matmul`], and where `out` can't hold the product; it is unchanged then.
    pub fn matmul_out<F: Element, R: Shape, G: Element>(&self, rhs: &Tensor<F, R>, out: &mut Tensor<G, ProductSizes<S, R>>) -> Result<()>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<R>,
    {
        into_out(Function::Matmul, &[self.raw().into(), rhs.raw().into()], out)
    }

    as_written! {
        /// PyTorch's `linear(weight)`: the last dimension times each row of `weight`.
        ///
        /// # Panics
        /// Where [`Tensor::try_linear`] is an error.
        #[must_use]
        #[track_caller]
        pub fn linear<F: Element, W: WeightShape>( // or x.linear_with(&y, &tensor![0.5, 1.0])
            &self,
            weight: &Tensor<F, W>,
        ) -> Linear<E, S, F, W>
        where
            E: MultiplyWith<F>,
            S: MatrixProductWith<W::Turned>,
        {
            proved(self.try_linear(weight))
        }
    }

    /// What [`Tensor::linear`] gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where sizes or dtypes that only the run knows don't fit.
    pub fn try_linear<F: Element, W: WeightShape>(&self, weight: &Tensor<F, W>) -> Result<Linear<E, S, F, W>>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<W::Turned>,
    {
        made(Function::Linear, &[self.raw().into(), weight.raw().into()])
    }

    /// PyTorch's `linear(weight, bias)`: the same, plus one number of `bias` for each row: `x.linear_with(&weight, &bias)`, or a bias that may be there.
    ///
    /// # Panics
    /// Where [`Tensor::try_linear_with`] is an error.
    #[must_use]
    #[track_caller]
    pub fn linear_with<F: Element, W: WeightShape>(&self, weight: &Tensor<F, W>, bias: impl Bias<F, W::Rows>) -> Linear<E, S, F, W>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<W::Turned>,
    {
        proved(self.try_linear_with(weight, bias))
    }

    /// What [`Tensor::linear_with`] gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where sizes or dtypes that only the run knows don't fit.
    pub fn try_linear_with<F: Element, W: WeightShape>(
        &self,
        weight: &Tensor<F, W>,
        bias: impl Bias<F, W::Rows>,
    ) -> Result<Linear<E, S, F, W>>
    where
        E: MultiplyWith<F>,
        S: MatrixProductWith<W::Turned>,
    {
        made(Function::Linear, &[self.raw().into(), weight.raw().into(), bias.given().into()])
    }
}

/// The shape of a weight of [`linear`](Tensor::linear): a row for each result.
#[diagnostic::on_unimplemented(
    message = "a weight is a matrix with a row for each result, not of the shape `{Self}`",
    label = "its weight is no matrix"
)]
pub trait WeightShape: Shape {
    /// How many rows there are.
    type Rows: Dim;
    /// That of the transposed matrix.
    type Turned: Shape;
}

#[diagnostic::do_not_recommend]
impl WeightShape for AnyShape {
    type Rows = Dyn;
    type Turned = Self;
}

#[diagnostic::do_not_recommend]
impl<O: Dim, I: Dim> WeightShape for (O, I) {
    type Rows = O;
    type Turned = (I, O);
}

/// What [`linear_with`](Tensor::linear_with) adds to `O` results: a number for each, or nothing.
#[diagnostic::on_unimplemented(
    message = "a bias has one number for each row of the weight: here it is `&Tensor<{F}, ({O},)>` or `None`",
    label = "it is `{Self}`"
)]
pub trait Bias<F: Element, O: Dim> {
    /// The numbers, where there are some.
    fn given(&self) -> Option<&RawTensor>;
}

macro_rules! biases {
    ($([$($O:ident)?] $Rows:ty, $bias:ty: $own:ident => $given:expr;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<F: Element $(, $O: Dim)?> Bias<F, $Rows> for $bias {
            fn given(&self) -> Option<&RawTensor> {
                let $own = self;
                $given
            }
        }
    )+ };
}
biases! {
    [O] O, &Tensor<F, (O,)>: bias => Some(bias.raw());
    [] Dyn, &Tensor<F, AnyShape>: bias => Some(bias.raw());
    [O] O, Option<&Tensor<F, (O,)>>: bias => bias.map(Tensor::raw);
    [O] O, &Option<Tensor<F, (O,)>>: bias => bias.as_ref().map(Tensor::raw);
}

/// `addmm` and its like: what is given, with PyTorch's factors 1 and with others.
macro_rules! added {
    ($($name:ident $twin:ident $with:ident $in_place:ident $in_place_with:ident $Function:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", stringify!($name), "`: ", $doc)]
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name<F: Element, L: Shape + MatrixProduct<R>, R: Shape>(
                &self,
                left: &Tensor<F, L>,
                right: &Tensor<F, R>,
            ) -> Tensor<Dtype<E, F>, ProductSizes<L, R>>
            where
                E: MultiplyWith<F>,
                S: BroadcastInto<ProductSizes<L, R>>,
            {
                proved(self.$twin(left, right))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where sizes or dtypes that only the run knows don't fit.
            pub fn $twin<F: Element, L: Shape + MatrixProduct<R>, R: Shape>(
                &self,
                left: &Tensor<F, L>,
                right: &Tensor<F, R>,
            ) -> Result<Tensor<Dtype<E, F>, ProductSizes<L, R>>>
            where
                E: MultiplyWith<F>,
                S: BroadcastInto<ProductSizes<L, R>>,
            {
                made(Function::$Function, &[self.raw().into(), left.raw().into(), right.raw().into()])
            }

            /// The same with PyTorch's `beta` and `alpha`: the first times this tensor, the second times the product.
            ///
            /// # Errors
            /// Where sizes or dtypes that only the run knows don't fit, or a factor doesn't fit the dtype.
            pub fn $with<F: Element, L: Shape + MatrixProduct<R>, R: Shape>(
                &self,
                left: &Tensor<F, L>,
                right: &Tensor<F, R>,
                beta: impl Into<Scalar>,
                alpha: impl Into<Scalar>,
            ) -> Result<Tensor<Dtype<E, F>, ProductSizes<L, R>>>
            where
                E: MultiplyWith<F>,
                S: BroadcastInto<ProductSizes<L, R>>,
            {
                let [beta, alpha] = [beta.into(), alpha.into()].map(CallArgument::Number);
                made(Function::$Function, &[self.raw().into(), left.raw().into(), right.raw().into(), beta, alpha])
            }

            #[doc = concat!("PyTorch's `", stringify!($in_place), "`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Tensor::", stringify!($name), "`], and where the product has other sizes; nothing is changed then.")]
            pub fn $in_place<F: Element, L: Shape + MatrixProduct<R, Output: BroadcastInto<S>>, R: Shape>(
                &mut self,
                left: &Tensor<F, L>,
                right: &Tensor<F, R>,
            ) -> Result<&mut Self>
            where
                E: MultiplyWith<F>,
            {
                self.changed(Function::$Function, &[left.raw().into(), right.raw().into()])
            }

            /// The same with other factors.
            ///
            /// # Errors
            #[doc = concat!("As [`Tensor::", stringify!($with), "`], and where the product has other sizes; nothing is changed then.")]
            pub fn $in_place_with<F: Element, L: Shape + MatrixProduct<R, Output: BroadcastInto<S>>, R: Shape>(
                &mut self,
                left: &Tensor<F, L>,
                right: &Tensor<F, R>,
                beta: impl Into<Scalar>,
                alpha: impl Into<Scalar>,
            ) -> Result<&mut Self>
            where
                E: MultiplyWith<F>,
            {
                let [beta, alpha] = [beta.into(), alpha.into()].map(CallArgument::Number);
                self.changed(Function::$Function, &[left.raw().into(), right.raw().into(), beta, alpha])
            }
        }
    )+ };
}

added! {
    addmm   try_addmm   addmm_with   addmm_   addmm_with_   Addmm   "the product of two matrices, added to this tensor, which expands to it.";
    baddbmm try_baddbmm baddbmm_with baddbmm_ baddbmm_with_ Baddbmm "the products of two batches of matrices, added to this tensor, which expands to them.";
}

/// A product of tensors of given ranks, which types know or the run does.
macro_rules! of_rank {
    ($($name:ident $twin:ident $Function:ident $With:ident: [$($A:ident)+] x [$($B:ident)+] -> $output:ty, $of:ty, $doc:literal, $message:literal, $note:literal;)+) => { $(
        #[doc = concat!("That tensors of these shapes have a `", stringify!($name), "`.")]
        #[diagnostic::on_unimplemented(message = $message, label = "not of shapes `{L}` and `{Self}`", note = $note)]
        pub trait $With<L: Shape> {
            /// The shape of the product.
            type Output: Shape;
        }

        impl<$($A: Dim,)+ $($B: Dim,)+> $With<($($A,)+)> for ($($B,)+)
        where
            ($($A,)+): MatrixProduct<($($B,)+)>,
        {
            type Output = $output;
        }

        impl<$($A: Dim,)+> $With<($($A,)+)> for AnyShape {
            type Output = $of;
        }

        impl<R: Shape> $With<AnyShape> for R {
            type Output = $of;
        }

        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = $doc]
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($twin), "`](Self::", stringify!($twin), ") is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $name<F: Element, R: Shape + $With<S>>(&self, rhs: &Tensor<F, R>) -> Tensor<Dtype<E, F>, <R as $With<S>>::Output>
            where
                E: MultiplyWith<F>,
            {
                proved(self.$twin(rhs))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// Where ranks, sizes or dtypes that only the run knows don't fit.
            pub fn $twin<F: Element, R: Shape + $With<S>>(&self, rhs: &Tensor<F, R>) -> Result<Tensor<Dtype<E, F>, <R as $With<S>>::Output>>
            where
                E: MultiplyWith<F>,
            {
                made(Function::$Function, &[self.raw().into(), rhs.raw().into()])
            }
        }
    )+ };
}

use crate::shape::Rank;

of_rank! {
    mm try_mm Mm MmWith: [A B] x [C G] -> ProductSizes<(A, B), (C, G)>, Rank<2>, "PyTorch's `mm`: a matrix times a matrix.",
        "self and mat2 must be matrices", "`a.matmul(&b)` takes any ranks, `a.mv(&v)` a matrix and a vector";
    mv try_mv Mv MvWith: [A B] x [C] -> ProductSizes<(A, B), (C,)>, Rank<1>, "PyTorch's `mv`: a matrix times a vector.",
        "vector + matrix @ vector expected", "`a.matmul(&b)` takes any ranks, `a.mm(&b)` two matrices";
    dot try_dot Dot DotWith: [A] x [B] -> ProductSizes<(A,), (B,)>, (), "PyTorch's `dot`: the sum of the products of two vectors' elements.",
        "1D tensors expected", "`a.matmul(&b)` takes any ranks";
    vdot try_vdot Vdot VdotWith: [A] x [B] -> ProductSizes<(A,), (B,)>, (), "PyTorch's `vdot`: `dot` of the conjugate of this vector.",
        "1D tensors expected", "`a.conj().matmul(&b)` takes any ranks";
    bmm try_bmm Bmm BmmWith: [A B C] x [G H I] -> ProductSizes<(A, B, C), (G, H, I)>, Rank<3>, "PyTorch's `bmm`: the products of two batches of matrices.",
        "batch1 and batch2 must be 3D tensors", "`a.matmul(&b)` takes any ranks";
}

/// PyTorch's `outer` promotes, as `*` does.
impl<E: Element, A: Dim> Tensor<E, (A,)> {
    /// PyTorch's `outer`: the product of each element of this vector with each of another.
    #[must_use]
    #[track_caller]
    pub fn outer<F: Element, B: Dim, O: Element>(&self, rhs: &Tensor<F, (B,)>) -> Tensor<O, (A, B)>
    where
        E: crate::relations::PromoteWith<crate::shape::Dimensioned, crate::shape::Dimensioned, F, Output = O>,
    {
        proved(made(Function::Outer, &[self.raw().into(), rhs.raw().into()]))
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `cdist(other)`: the distances between each row of one matrix and each of another.
        ///
        /// # Panics
        /// Where [`Tensor::try_cdist`] is an error.
        #[must_use]
        #[track_caller]
        pub fn cdist<R: Shape>( // or x.cdist_with(&y, 1)?
            &self,
            other: &Tensor<E, R>,
        ) -> Tensor<E, S::Distances<R>>
        where
            E: RealFloat,
        {
            proved(self.try_cdist(other))
        }
    }

    /// What [`Tensor::cdist`] gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the rows aren't of one length.
    pub fn try_cdist<R: Shape>(&self, other: &Tensor<E, R>) -> Result<Tensor<E, S::Distances<R>>>
    where
        E: RealFloat,
    {
        made(Function::Cdist, &[self.raw().into(), other.raw().into()])
    }

    as_written! {
        /// PyTorch's `cross(other)`: the cross products along the first dimension that has three numbers.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let (x, y) = (Tensor::from([1, 0, 0]), Tensor::from([0, 1, 0]));
        /// assert_eq!(x.cross(&y).to_vec(), [0, 0, 1]);
        /// assert_eq!(y.cross_with(&x, -1)?.to_vec(), [0, 0, -1]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Panics
        /// Where [`try_cross`](Self::try_cross) is an error.
        #[must_use]
        #[track_caller]
        pub fn cross<R: Shape>( // or v.cross_with(&w, -1)?
            &self,
            other: &Tensor<E, R>,
        ) -> Tensor<E, S::Common>
        where
            S: BroadcastWith<R>,
        {
            proved(self.try_cross(other))
        }
    }

    /// What [`cross`](Self::cross) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there is none, the shapes don't broadcast, or the number of dimensions differs.
    pub fn try_cross<R: Shape>(&self, other: &Tensor<E, R>) -> Result<Tensor<E, S::Common>>
    where
        S: BroadcastWith<R>,
    {
        made(Function::Cross, &[self.raw().into(), other.raw().into()])
    }

    /// PyTorch's `cross(other, dim)`: the cross products along a dimension of three.
    ///
    /// # Errors
    /// As [`cross`](Self::cross), and where the dimension hasn't got three numbers.
    pub fn cross_with<R: Shape>(&self, other: &Tensor<E, R>, dim: impl OneDim) -> Result<Tensor<E, S::Common>>
    where
        S: BroadcastWith<R>,
    {
        made(Function::Cross, &[self.raw().into(), other.raw().into(), dim.dim().into()])
    }
}

impl<E: Element> Tensor<E, AnyShape> {
    /// PyTorch's `outer`: the product of each element of this vector with each of another.
    ///
    /// # Panics
    /// Where [`try_outer`](Self::try_outer) is an error.
    #[must_use]
    #[track_caller]
    pub fn outer<F: Element, R: Shape>(&self, rhs: &Tensor<F, R>) -> Tensor<Any, Rank<2>> {
        proved(self.try_outer(rhs))
    }

    /// What [`outer`](Self::outer) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where one isn't a vector.
    pub fn try_outer<F: Element, R: Shape>(&self, rhs: &Tensor<F, R>) -> Result<Tensor<Any, Rank<2>>> {
        made(Function::Outer, &[self.raw().into(), rhs.raw().into()])
    }
}

/// PyTorch's `einsum`: sums of products whose indices are written as letters: `einsum("ij,jk->ik", (&a, &b))?`.
///
/// # Errors
/// Where the equation isn't one, doesn't fit the operands, or the dtypes of factors differ.
pub fn einsum(equation: &str, operands: impl TensorList) -> Result<DynTensor> {
    made(Function::Einsum, &[equation.into(), (&operands.raws()[..]).into()])
}
