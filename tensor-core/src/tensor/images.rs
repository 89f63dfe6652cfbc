//! Pictures of other sizes: stretched, read at places, spread by what a pool has left.

use super::declared::{argument, certain, declared, kind};
use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::shape::{AnyShape, IntegerList, Shape};

/// A picture of other sizes, or by as many times as large.
fn stretched<E: Element, S: Shape>(
    picture: &RawTensor,
    [size, scale]: [CallArgument<'_>; 2],
    mode: &str,
    align_corners: Option<bool>,
) -> Result<Tensor<E, S>> {
    made(Function::Interpolate, &[picture.into(), size, scale, mode.into(), align_corners.into()])
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `interpolate(size)`: pictures of other sizes, whose pixels are the nearest ones.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let row = Tensor::from([[[1.0_f32, 3.0]]]);
        /// assert_eq!(row.interpolate([4])?.to_vec(), [1.0, 1.0, 3.0, 3.0]);
        /// assert_eq!(row.interpolate_with([3], "linear", true)?.to_vec(), [1.0, 2.0, 3.0]);
        /// assert_eq!(row.interpolate_by(2)?.to_vec(), [1.0, 1.0, 3.0, 3.0]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where there isn't one size for each dimension behind batch and channels, and where one is 0.
        pub fn interpolate( // or picture.interpolate_with([8, 8], "bilinear", true)?
            &self,
            size: impl IntegerList,
        ) -> Result<Tensor<E, S::SameRank>>
        where
            E: RealFloat,
        {
            self.interpolate_with(size, "nearest", None)
        }
    }

    /// PyTorch's `interpolate(size, mode=…, align_corners=…)`: `"bilinear"`, `"bicubic"` and the others, and whether the outermost pixels lie on each
    /// other, which only some of them take.
    ///
    /// # Errors
    /// As [`interpolate`](Self::interpolate), and for other words.
    pub fn interpolate_with(
        &self,
        size: impl IntegerList,
        mode: impl AsRef<str>,
        align_corners: impl Into<Option<bool>>,
    ) -> Result<Tensor<E, S::SameRank>>
    where
        E: RealFloat,
    {
        stretched(self.raw(), [(&size.integers()[..]).into(), CallArgument::None], mode.as_ref(), align_corners.into())
    }

    as_written! {
        /// PyTorch's `interpolate(scale_factor=…)`: pictures as many times as large.
        ///
        /// # Errors
        /// Where nothing would be left.
        pub fn interpolate_by( // or picture.interpolate_by_with(1.5, "bicubic", None)?
            &self,
            scale: impl RealNumber,
        ) -> Result<Tensor<E, S::SameRank>>
        where
            E: RealFloat,
        {
            self.interpolate_by_with(scale, "nearest", None)
        }
    }

    /// PyTorch's `interpolate(scale_factor=…, mode=…, align_corners=…)`: what [`interpolate_with`](Self::interpolate_with) is of sizes.
    ///
    /// # Errors
    /// As [`interpolate_by`](Self::interpolate_by), and for other words.
    pub fn interpolate_by_with(
        &self,
        scale: impl RealNumber,
        mode: impl AsRef<str>,
        align_corners: impl Into<Option<bool>>,
    ) -> Result<Tensor<E, S::SameRank>>
    where
        E: RealFloat,
    {
        stretched(self.raw(), [CallArgument::None, CallArgument::Reals(&[scale.real()])], mode.as_ref(), align_corners.into())
    }
}

certain! {
    /// PyTorch's `grid_sample(grid)`: pictures read at places between -1 and 1, between pixels by lines, zero outside.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let picture = Tensor::from([[[[1.0_f32, 2.0], [3.0, 4.0]]]]);
    /// assert_eq!(picture.grid_sample(&Tensor::from([[[[0.0_f32, 0.0]]]])).to_vec(), [2.5]);
    /// ```
    GridSample grid_sample try_grid_sample(same grid) // or picture.grid_sample_with(&grid, "nearest", "border", true)?
        [E: RealFloat] -> Tensor<E, S::SameRank>, "Where the shapes don't fit.";
}

declared! {
    /// PyTorch's `fold(output_size, kernel_size)`: pictures of those sizes, in which windows that stand as columns are added where they overlap.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let picture = Tensor::from([[[1.0_f32, 2.0, 3.0]]]);
    /// let windows = picture.im2col([1, 2], [1, 1], [0, 0], [1, 1])?;
    /// assert_eq!(windows.tolist(), [[1.0, 2.0], [2.0, 3.0]]);
    /// assert_eq!(windows.fold([1, 3], [1, 2])?.to_vec(), [1.0, 4.0, 3.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Fold fold(sizes output_size, sizes kernel_size) // or columns.fold_with([4, 4], [2, 2], 1, 0, 1)?
        [E: RealFloat] -> Tensor<E, S::RankAbove>, "Where the columns aren't those of such pictures.";
    /// PyTorch's `fold(output_size, kernel_size, dilation, padding, stride)`: of windows that stood so.
    Fold fold_with(sizes output_size, sizes kernel_size, sizes dilation, sizes padding, sizes stride) [E: RealFloat] -> Tensor<E, S::RankAbove>,
        "Where the columns aren't those of such pictures.";
    /// PyTorch's `im2col(kernel_size, dilation, padding, stride)`, and its `nn.functional.unfold`: the windows of pictures, each a column.
    UnfoldImages im2col(sizes kernel_size, sizes dilation, sizes padding, sizes stride) [E: RealFloat] -> Tensor<E, S::RankBelow>, "Where no window fits.";
    /// PyTorch's `col2im(output_size, kernel_size, dilation, padding, stride)`, which is [`fold_with`](Self::fold_with).
    Fold col2im(sizes output_size, sizes kernel_size, sizes dilation, sizes padding, sizes stride) [E: RealFloat] -> Tensor<E, S::RankAbove>,
        "Where the columns aren't those of such pictures.";
    /// PyTorch's `affine_grid(size)`: for each pixel of an image of those sizes, `[n, channels, height, width]`, the place in another one that a matrix makes of
    /// it, for [`grid_sample`](Self::grid_sample).
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (picture, mirror) = (Tensor::from([[[[1.0_f32, 2.0]]]]), Tensor::from([[[-1.0_f32, 0.0, 0.0], [0.0, 1.0, 0.0]]]));
    /// let places = mirror.affine_grid([1, 1, 1, 2])?;
    /// assert_eq!(picture.grid_sample(&places).to_vec(), [2.0, 1.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    AffineGrid affine_grid(sizes size) // or theta.affine_grid_with([1, 1, 3, 2], true)?
        [E: RealFloat] -> Tensor<E, AnyShape>, "Where the matrices don't fit the sizes.";
    /// PyTorch's `affine_grid(size, align_corners)`: whether -1 and 1 are the middles of the outermost pixels.
    AffineGrid affine_grid_with(sizes size, maybe_flag align_corners) [E: RealFloat] -> Tensor<E, AnyShape>, "Where the matrices don't fit the sizes.";
    /// PyTorch's `grid_sample(grid, mode, padding_mode, align_corners)`: `"bilinear"`, `"nearest"` or `"bicubic"`; `"zeros"`, `"border"` or `"reflection"`; and whether
    /// -1 and 1 are the middles of the outermost pixels.
    GridSample grid_sample_with(same grid, word mode, word padding_mode, maybe_flag align_corners) [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes don't fit, and for other words.";
    /// PyTorch's `max_unpool1d(places, size)`: what `max_pool1d_with_indices` has left, where it was, among zeros.
    MaxUnpool1d max_unpool1d(places places, sizes size) // or few.max_unpool1d_with(&row_at, 2, 2, 0)?
        [E: RealFloat] -> Tensor<E, S::SameRank>, "Where the shapes differ, or a place isn't there.";
    /// PyTorch's `max_unpool2d(places, size)`: the same of pictures.
    MaxUnpool2d max_unpool2d(places places, sizes size) // or small.max_unpool2d_with(&picture_at, 2, 2, 0)?
        [E: RealFloat] -> Tensor<E, S::SameRank>, "Where the shapes differ, or a place isn't there.";
    /// PyTorch's `max_unpool3d(places, size)`: the same of films.
    MaxUnpool3d max_unpool3d(places places, sizes size) // or short.max_unpool3d_with(&film_at, 2, 2, 0)?
        [E: RealFloat] -> Tensor<E, S::SameRank>, "Where the shapes differ, or a place isn't there.";
    /// PyTorch's `max_unpool1d(places, size, stride, padding)`: of windows that stood so.
    MaxUnpool1d max_unpool1d_with(places places, sizes size, sizes stride, sizes padding) [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes differ, or a place isn't there.";
    /// PyTorch's `max_unpool2d(places, size, stride, padding)`: of windows that stood so.
    MaxUnpool2d max_unpool2d_with(places places, sizes size, sizes stride, sizes padding) [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes differ, or a place isn't there.";
    /// PyTorch's `max_unpool3d(places, size, stride, padding)`: of windows that stood so.
    MaxUnpool3d max_unpool3d_with(places places, sizes size, sizes stride, sizes padding) [E: RealFloat] -> Tensor<E, S::SameRank>,
        "Where the shapes differ, or a place isn't there.";
}
