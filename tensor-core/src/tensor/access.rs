//! Elements out of a tensor and into it, and its text.

use std::cell::RefCell;
use std::fmt;

use latten_spec::DType;

use super::{Entries, Tensor};
use crate::dtype::default_dtype;
use crate::element::{Any, Element, Native};
use crate::error::{Error, Result, proved};
use crate::geometry::Dims;
use crate::grad::{grad_fn, requires_grad};
use crate::index::Entry;
use crate::layout::MemoryFormat;
use crate::print::{PrintOptions, View, print_options, repr_with};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::shape::{IntegerList, Shape, assert_one};
use crate::storage::{Slice, SliceMut, TypedStorage};

/// Any dtype.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Negative indices count from the end.
    fn wrapped(&self, index: &[isize]) -> Result<Dims> {
        if index.len() != self.dim() {
            return Err(Error::index(format!("{} indices for a tensor of dimension {}", index.len(), self.dim())));
        }
        let wrap = |(dim, (&at, &size)): (usize, (&isize, &usize))| {
            let wrapped = if at < 0 { at.checked_add_unsigned(size) } else { Some(at) };
            wrapped
                .and_then(|at| usize::try_from(at).ok())
                .filter(|&at| at < size)
                .ok_or_else(|| Error::index(format!("index {at} is out of bounds for dimension {dim} with size {size}")))
        };
        index.iter().zip(self.sizes()).enumerate().map(wrap).collect()
    }

    /// Writes one element.
    ///
    /// # Errors
    /// Where there is no such element, or the number doesn't fit the dtype.
    pub fn set(&mut self, index: impl IntegerList, number: impl Into<Scalar>) -> Result<&mut Self> {
        let index = self.wrapped(&index.integers())?;
        let entries: Entries = index.iter().map(|at| Entry::At(at.cast_signed())).collect();
        self.try_i(&entries[..])?.fill_(number)?;
        Ok(self)
    }

    /// All elements as numbers without a dtype, in row-major order.
    ///
    /// # Errors
    /// For meta tensors, and where the storage was shrunk below the tensor.
    pub fn to_scalars(&self) -> Result<Vec<Scalar>> {
        self.raw().scalars()
    }

    /// The bytes of all elements, in row-major order.
    ///
    /// # Errors
    /// For meta tensors, and where the storage was shrunk below the tensor.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let dense = self.clone_with(MemoryFormat::Contiguous)?;
        let mut bytes = dense.untyped_storage().tolist()?;
        bytes.truncate(self.nbytes());
        Ok(bytes)
    }
}

/// What the elements of a dtype are read as: numbers of its Rust type, or of [`Any`] those without a dtype.
///
/// One trait for both, so that `(&a * 2.5).item()` has one meaning while the compiler doesn't know the type of 2.5 yet.
pub trait Readable: Element {
    /// The number.
    type Number;

    /// The number, out of one without a dtype.
    #[doc(hidden)]
    fn number(scalar: Scalar) -> Self::Number;

    /// All elements, in row-major order.
    #[doc(hidden)]
    fn numbers(tensor: &RawTensor) -> Result<Vec<Self::Number>>;
}

impl<E: Native> Readable for E {
    type Number = E;

    fn number(scalar: Scalar) -> E {
        E::cast_from(scalar)
    }

    fn numbers(tensor: &RawTensor) -> Result<Vec<E>> {
        tensor.numbers()
    }
}

impl Readable for Any {
    type Number = Scalar;

    fn number(scalar: Scalar) -> Scalar {
        scalar
    }

    fn numbers(tensor: &RawTensor) -> Result<Vec<Scalar>> {
        tensor.scalars()
    }
}

/// Numbers: of the Rust type where the tensor's type knows the dtype, and else [`Scalar`]s.
impl<E: Readable, S: Shape> Tensor<E, S> {
    /// The only element: itself where the type says that there is one, as of `shape![]` and `shape![1, 1]`, else a `Result`.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!((x.sum().item(), x.get([1, -1])?), (10.0, 4.0));
    /// assert_eq!(x.to_vec(), [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// Of more elements, or none, where the type knows that, it isn't built:
    ///
    /// ```compile_fail,E0080
    /// # use latten_core::tensor::Tensor;
    /// Tensor::from([1.0_f32, 2.0]).item().unwrap(); // a Tensor with 2 elements cannot be converted to Scalar
    /// ```
    ///
    /// # Panics
    /// Where [`try_item`](Self::try_item) is an error.
    #[track_caller]
    pub fn item(&self) -> E::Number {
        const { assert_one(S::SIZES) };
        proved(self.try_item())
    }

    /// What [`item`](Self::item) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there are more elements or none, for meta tensors, and where the storage was shrunk below the tensor.
    pub fn try_item(&self) -> Result<E::Number> {
        self.raw().item().map(E::number)
    }

    /// One element; negative indices count from the end.
    ///
    /// # Errors
    /// Where there is no such element, for meta tensors, and where the storage was shrunk below the tensor.
    pub fn get(&self, index: impl IntegerList) -> Result<E::Number> {
        self.raw().element(&self.wrapped(&index.integers())?).map(E::number)
    }

    /// All elements, in row-major order: numbers of a dtype that types know, else [`Scalar`]s.
    ///
    /// # Panics
    /// Where [`try_to_vec`](Self::try_to_vec) is an error.
    #[track_caller]
    pub fn to_vec(&self) -> Vec<E::Number> {
        proved(self.try_to_vec())
    }

    /// What [`to_vec`](Self::to_vec) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors, and where the storage was shrunk below the tensor.
    pub fn try_to_vec(&self) -> Result<Vec<E::Number>> {
        E::numbers(self.raw())
    }

    /// All elements, in row-major order, of a tensor that has to have that dtype.
    ///
    /// # Errors
    /// As [`try_to_vec`](Self::try_to_vec), and where the dtype is another.
    pub fn to_vec_of<F: Native>(&self) -> Result<Vec<F>> {
        self.typed::<F, S>()?.raw().numbers()
    }
}

/// Slices, of a dtype that the type knows.
impl<E: Native, S: Shape> Tensor<E, S> {
    fn storage_of_elements(&self) -> Result<TypedStorage<E>> {
        if !self.is_contiguous() {
            let (sizes, strides) = (self.sizes(), self.strides());
            return Err(Error::runtime(format!("no slice of a tensor that isn't contiguous: sizes {sizes:?}, strides {strides:?}")));
        }
        self.raw().check_inside()?;
        let end = self.raw().geometry().needed_bytes(self.element_size())?;
        let storage = self.raw().storage();
        let start = end - self.nbytes();
        let bound = |at: usize| i64::try_from(at).map_err(|_| Error::runtime("numel: integer multiplication overflow"));
        Ok(TypedStorage::of(storage.slice(bound(start)?..bound(end)?)?))
    }

    as_written! {
        /// The elements of a contiguous tensor as a slice, without a copy. While it is kept nobody writes to the storage: the tensor is borrowed,
        /// others that share the storage wait in other threads and get an error in this one.
        ///
        /// # Errors
        /// For tensors that aren't contiguous, without data, or in mapped or shared memory, whose bytes other processes may change.
        pub fn slice(&self) -> Result<Slice<'_, E>> { // all elements; a part: x.i(i![1..3, ..])
            self.storage_of_elements()?.slice()
        }
    }

    as_written! {
        /// The elements of a contiguous tensor as a slice to write to. While it is kept nobody else uses the storage; parts of the slice may go to
        /// other threads, as those of any `&mut [E]`. For parts that are tensors there is [`parts_mut`](Self::parts_mut).
        ///
        /// It counts as a change in place: gradients that need what was there are refused.
        ///
        /// # Errors
        /// As [`slice`](Self::slice), and for a tensor that requires a gradient while that is recorded.
        pub fn slice_mut(&mut self) -> Result<SliceMut<'_, E>> { // all elements; a part: x.i(i![1..3, ..]).fill_(1)?, .copy_(&y)?
            self.check_unrecorded("slice_mut")?;
            let slice = self.storage_of_elements()?.slice_mut()?;
            self.raw().storage().lineage().count();
            Ok(slice)
        }
    }
}

/// What has no dimensions, as a number.
fn number_of(raw: &RawTensor) -> Option<Scalar> {
    if raw.rank() == 0 && !raw.is_meta() { raw.element(&[]).ok() } else { None }
}

/// A number in one of the forms of `fmt`; floats of less than 64 bits as `f32`, so that no digits appear which they haven't got.
macro_rules! shown {
    ($Form:ident, $number:expr, $dtype:expr, $f:expr) => {
        match $number {
            Scalar::Bool(truth) => $f.pad(if truth { "true" } else { "false" }),
            Scalar::Int(number) => fmt::$Form::fmt(&number, $f),
            Scalar::Float(number) if $dtype == DType::F64 => fmt::$Form::fmt(&number, $f),
            Scalar::Float(number) => fmt::$Form::fmt(&(number as f32), $f),
            Scalar::Complex(number) => fmt::$Form::fmt(&number, $f),
        }
    };
}

/// PyTorch's `repr`; `{:.2}` says how many digits are behind the point. Where elements can't be read, as below a mutable slice of this
/// thread, the reason stands in their place. Without dimensions a width or a precision shows the number alone, `{:>8.3}`.
impl<E: Element, S: Shape> fmt::Display for Tensor<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = f.width().is_some() || f.precision().is_some();
        if let Some(number) = number_of(self.raw()).filter(|_| wanted) {
            return shown!(Display, number, self.raw().dtype(), f);
        }
        self.written(f, print_options())
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// All numbers, as options say; a precision of the format is one.
    fn written(&self, f: &mut fmt::Formatter<'_>, options: PrintOptions) -> fmt::Result {
        let raw = self.raw();
        let unreadable = RefCell::new(raw.check_inside().err());
        let element = |index: &[usize]| {
            raw.element(index).unwrap_or_else(|error| {
                unreadable.borrow_mut().get_or_insert(error);
                Scalar::Int(0)
            })
        };
        let gradient = match grad_fn(raw) {
            Some(name) => Some(format!("grad_fn=<{name}>")),
            None => requires_grad(raw).then(|| "requires_grad=True".to_owned()),
        };
        let (dtype, sizes, device) = (raw.dtype(), raw.sizes(), raw.device());
        let view = View { dtype, sizes, device, element: &element, gradient: gradient.as_deref() };
        let options = PrintOptions { precision: f.precision().unwrap_or(options.precision), ..options };
        let text = repr_with(&view, &options, default_dtype());
        match unreadable.into_inner() {
            None => f.write_str(&text),
            Some(error) => write!(f, "tensor(<{error}>)"),
        }
    }
}

/// What has no dimensions as a power of ten, `{:.1e}`; of another tensor all numbers, as PyTorch shows them with `sci_mode`.
impl<E: Element, S: Shape> fmt::LowerExp for Tensor<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match number_of(self.raw()) {
            Some(Scalar::Bool(_)) => fmt::Display::fmt(self, f),
            None => self.written(f, PrintOptions { sci_mode: Some(true), ..print_options() }),
            Some(number) => shown!(LowerExp, number, self.dtype(), f),
        }
    }
}

/// The same as `{}`: in what holds a tensor, its numbers are what one wants to see.
impl<E: Element, S: Shape> fmt::Debug for Tensor<E, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
