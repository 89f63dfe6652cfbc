//! What a kernel sees: one block of elements as plain slices, checked against the dtypes that the plan gave.
//!
//! Invariants of a [`Run`]: (1) `out` and each input point at `len` elements of their dtype, aligned for its Rust type, initialised, and valid
//! (a `bool` is 0 or 1); (2) nothing else touches the output's elements while the run lives, and no input overlaps them.
#![expect(unsafe_code, reason = "typed slices over erased bytes, guarded by a comparison of dtypes")]

use std::marker::PhantomData;

use smallvec::SmallVec;
use tensor_spec::DType;

use super::vocabulary::Value;
use crate::element::Native;
use crate::scalar::Scalar;

/// The elements of an operand or of the output in one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) start: *mut u8,
    pub(crate) dtype: DType,
}

/// One block: where its results go and what they are computed from.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    out: Elements,
    inputs: Inputs<'a>,
}

/// The operands and parameters of a block.
#[derive(Clone, Debug)]
pub(crate) struct Inputs<'a> {
    elements: SmallVec<[Elements; 4]>,
    params: &'a [Scalar],
    len: usize,
    lives: PhantomData<&'a [u8]>,
}

impl<'a> Run<'a> {
    /// A block of `len` elements.
    ///
    /// # Safety
    /// The invariants above hold for `'a`.
    pub(crate) unsafe fn new(out: Elements, elements: SmallVec<[Elements; 4]>, params: &'a [Scalar], len: usize) -> Self {
        Self { out, inputs: Inputs { elements, params, len, lives: PhantomData } }
    }

    /// The output's elements, and the inputs.
    #[inline(always)]
    pub(crate) fn open<O: Native>(self) -> (&'a mut [O], Inputs<'a>) {
        assert!(self.out.dtype == O::NATIVE, "a kernel writes the dtype of its row");
        // SAFETY: (1) and (2); the dtype was compared, and `self` is used up, so that there is one such slice.
        let out = unsafe { std::slice::from_raw_parts_mut(self.out.start.cast::<O>(), self.inputs.len) };
        (out, self.inputs)
    }
}

impl<'a> Inputs<'a> {
    /// The elements of an operand.
    #[inline(always)]
    pub(crate) fn operand<C: Native>(&self, index: usize) -> &'a [C] {
        let Elements { start, dtype } = self.elements[index];
        assert!(dtype == C::NATIVE, "a kernel reads the dtype that it is compiled for");
        // SAFETY: (1) and (2); the dtype was compared.
        unsafe { std::slice::from_raw_parts(start.cast::<C>().cast_const(), self.len) }
    }

    /// A parameter, in the dtype of the computation.
    #[inline(always)]
    pub(crate) fn param<C: Value>(&self, index: usize) -> C {
        C::cast_from(self.params[index])
    }
}

/// A kernel, erased.
pub(crate) type Kernel = fn(Run<'_>);

/// The loop of one operation over one type. It is compiled once for each level.
pub(crate) trait Body {
    /// Computes a block.
    fn body(run: Run<'_>);
}

/// The kernel of a loop, compiled for the processor at hand.
pub(crate) fn kernel_of<B: Body>() -> Kernel {
    |run| match super::level::Level::detect() {
        #[cfg(target_arch = "x86_64")]
        super::level::Level::Avx2 | super::level::Level::Avx512 => {
            // SAFETY: the processor was asked.
            unsafe { body_avx2::<B>(run) }
        }
        _ => B::body(run),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn body_avx2<B: Body>(run: Run<'_>) {
    B::body(run);
}
