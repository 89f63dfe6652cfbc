//! ndarray's arrays as tensors, and tensors as ndarray's arrays. With the feature `ndarray`.

use ::ndarray::{Array, ArrayBase, Data, DataOwned, Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};

use super::{DynTensor, Tensor};
use crate::element::Native;
use crate::error::{Error, Result, proved};
use crate::geometry::Geometry;
use crate::raw::RawTensor;
use crate::shape::{AnyShape, Rank, Shape};
use crate::storage::UntypedStorage;

/// A dimensionality of ndarray's: what a tensor's type says of it.
pub trait ArrayDimension: Dimension {
    /// The rank, or nothing.
    type Shape: Shape;
}

/// A shape whose rank ndarray has a type for.
pub trait ArrayShape: Shape {
    /// ndarray's type.
    type Dimension: Dimension;
}

macro_rules! dimensions {
    ($($dimension:ident $rank:literal ($($dim:ident)*);)+) => { $(
        impl ArrayDimension for $dimension {
            type Shape = Rank<$rank>;
        }

        impl<$($dim: crate::shape::Dim),*> ArrayShape for ($($dim,)*) {
            type Dimension = $dimension;
        }
    )+ };
}

dimensions! {
    Ix0 0 ();
    Ix1 1 (A);
    Ix2 2 (A B);
    Ix3 3 (A B C);
    Ix4 4 (A B C E);
    Ix5 5 (A B C E F);
    Ix6 6 (A B C E F G);
}

impl ArrayDimension for IxDyn {
    type Shape = AnyShape;
}

impl ArrayShape for AnyShape {
    type Dimension = IxDyn;
}

/// The array's memory becomes the storage, in the order that it has, so that nothing is copied; but for arrays that run backwards along a dimension
/// or share their memory, and for what is borrowed. What the type says is [`erase`](Tensor::erase)d where it isn't wanted.
///
/// ```
/// # use latten_core::tensor::Tensor;
/// # use latten_core::shape::Rank;
/// let array = ndarray::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let x: Tensor<f32, Rank<2>> = Tensor::from(array);
/// let back: ndarray::Array2<f32> = (&x * 2.0).to_ndarray()?;
/// assert_eq!(back, ndarray::array![[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
impl<T: Native, R: DataOwned<Elem = T>, D: ArrayDimension> From<ArrayBase<R, D>> for Tensor<T, D::Shape> {
    fn from(array: ArrayBase<R, D>) -> Self {
        let array = array.into_owned();
        let forwards = array.strides().iter().zip(array.shape()).all(|(stride, size)| *stride >= 0 || *size < 2);
        let array = if forwards { array } else { array.as_standard_layout().into_owned() };
        Self::proved(proved(taken(array)))
    }
}

/// A copy.
impl<T: Native, R: Data<Elem = T>, D: ArrayDimension> From<&ArrayBase<R, D>> for Tensor<T, D::Shape> {
    fn from(array: &ArrayBase<R, D>) -> Self {
        Self::from(array.to_owned())
    }
}

/// A tensor over the memory of an array that runs forwards.
fn taken<T: Native, D: Dimension>(array: Array<T, D>) -> Result<RawTensor> {
    let sizes = array.shape().into();
    let strides = array.strides().iter().map(|stride| usize::try_from(*stride).unwrap_or(1)).collect();
    let (numbers, first) = array.into_raw_vec_and_offset();
    let geometry = Geometry { sizes, strides, offset: first.unwrap_or(0) };
    RawTensor::over(UntypedStorage::from_vec(numbers), T::DTYPE, geometry)
}

impl<E: Native, S: ArrayShape> Tensor<E, S> {
    /// A copy of the elements as an array of ndarray's, in row-major order.
    ///
    /// ```
    /// # use latten_core::shape::Rank;
    /// # use latten_core::tensor::{DynTensor, Tensor};
    /// let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    /// let array: ndarray::Array2<f32> = x.to_ndarray()?;
    /// assert_eq!(array, ndarray::array![[1.0, 2.0], [3.0, 4.0]]);
    /// // Of what only the run knows.
    /// assert!(ndarray::Array2::<f64>::try_from(x.erase()).is_err());
    /// // Without a copy.
    /// let slice = x.slice()?;
    /// assert_eq!(ndarray::ArrayView2::from_shape((2, 2), &slice).unwrap().column(1).sum(), 6.0);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// For meta tensors, and where the storage was shrunk below the tensor.
    pub fn to_ndarray(&self) -> Result<Array<E, S::Dimension>> {
        array_of(self)
    }
}

impl<E: Native, S: ArrayShape> TryFrom<&Tensor<E, S>> for Array<E, S::Dimension> {
    type Error = Error;

    fn try_from(tensor: &Tensor<E, S>) -> Result<Self> {
        tensor.to_ndarray()
    }
}

impl<E: Native, S: ArrayShape> TryFrom<Tensor<E, S>> for Array<E, S::Dimension> {
    type Error = Error;

    fn try_from(tensor: Tensor<E, S>) -> Result<Self> {
        tensor.to_ndarray()
    }
}

/// Of a tensor that has to have that dtype and as many dimensions.
impl<T: Native, D: Dimension> TryFrom<&DynTensor> for Array<T, D> {
    type Error = Error;

    fn try_from(tensor: &DynTensor) -> Result<Self> {
        array_of(&tensor.typed::<T, AnyShape>()?)
    }
}

/// As of one that is borrowed.
impl<T: Native, D: Dimension> TryFrom<DynTensor> for Array<T, D> {
    type Error = Error;

    fn try_from(tensor: DynTensor) -> Result<Self> {
        Self::try_from(&tensor)
    }
}

fn array_of<T: Native, S: Shape, D: Dimension>(tensor: &Tensor<T, S>) -> Result<Array<T, D>> {
    let numbers = tensor.try_to_vec()?;
    let array = Array::from_shape_vec(IxDyn(tensor.sizes()), numbers).map_err(|error| Error::runtime(format!("to_ndarray: {error}")))?;
    let rank = tensor.dim();
    array.into_dimensionality().map_err(|_| {
        let wanted = D::NDIM.unwrap_or(rank);
        Error::runtime(format!("to_ndarray: the tensor has {rank} dimensions, the array {wanted}"))
    })
}
