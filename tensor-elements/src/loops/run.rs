//! What a kernel sees: one block of elements as plain slices, checked against the dtypes that the plan gave.
//!
//! Invariants of a [`Run`]: (1) `out` and each input point at `len` elements of their dtype, aligned for its Rust type, initialised, and valid
//! (a `bool` is 0 or 1), or those that are numbers at one; (2) nothing else touches the output's elements while the run lives, and no input
//! overlaps them, but for the operand that a run changes: that is the output, element by element.
//! Invariant of a [`Kernel`]: (3) the processor has the instructions that it was compiled for.
#![expect(unsafe_code, reason = "typed slices over erased bytes, guarded by a comparison of dtypes; instructions beyond the target's")]

use std::marker::PhantomData;

use latten_spec::DType;

use super::level::Level;
use super::vocabulary::Value;
use crate::element::Element;
use crate::scalar::Scalar;

/// The elements of an operand or of the output in one block.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    pub start: *mut u8,
    pub dtype: DType,
}

/// Operations of the table have no more operands; what is fused may have.
pub const OPERANDS: usize = 3;

/// One block: where its results go and what they are computed from.
#[derive(Debug)]
pub struct Run<'a> {
    out: Elements,
    inputs: Inputs<'a>,
}

/// The operands and parameters of a block.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    elements: &'a [Elements],
    params: &'a [Scalar],
    len: usize,
    /// The operand beside numbers: of all others one element stands for all.
    alone: Option<usize>,
    /// The operand that is the output.
    changed: Option<usize>,
    lives: PhantomData<&'a [u8]>,
}

impl<'a> Run<'a> {
    /// A block of `len` elements.
    ///
    /// # Safety
    /// The invariants above hold for `'a`, for as many inputs as the kernel has operands.
    #[inline]
    pub unsafe fn new(out: Elements, elements: &'a [Elements], params: &'a [Scalar], len: usize) -> Self {
        Self { out, inputs: Inputs { elements, params, len, alone: None, changed: None, lives: PhantomData } }
    }

    /// The same where one element stands for all of each operand but that one, for a kernel that has a loop for it.
    #[inline]
    #[must_use]
    pub fn beside(mut self, alone: Option<usize>) -> Self {
        self.inputs.alone = alone;
        self
    }

    /// Where the output's elements go, whatever their dtype, and the inputs.
    #[inline]
    pub fn erased(self) -> (Elements, Inputs<'a>) {
        (self.out, self.inputs)
    }

    /// The output's elements, and the inputs.
    #[inline(always)]
    pub fn open<O: Element>(self) -> (&'a mut [O], Inputs<'a>) {
        assert!(Some(self.out.dtype) == O::KNOWN_DTYPE, "a kernel writes the dtype of its row");
        // SAFETY: (1) and (2); the dtype was compared, and `self` is used up, so that there is one such slice.
        let out = unsafe { std::slice::from_raw_parts_mut(self.out.start.cast::<O>(), self.inputs.len) };
        (out, self.inputs)
    }
}

impl<'a> Inputs<'a> {
    /// The elements of an operand.
    #[inline(always)]
    pub fn operand<C: Element>(&self, index: usize) -> &'a [C] {
        let Elements { start, dtype } = self.elements[index];
        assert!(
            Some(dtype) == C::KNOWN_DTYPE && self.alone.is_none_or(|alone| alone == index) && self.changed != Some(index),
            "a kernel reads the dtype that it is compiled for, and slices"
        );
        // SAFETY: (1) and (2); the dtype was compared, and it is neither a number nor the output.
        unsafe { std::slice::from_raw_parts(start.cast::<C>().cast_const(), self.len) }
    }

    /// The operand beside numbers, where all others are.
    #[inline(always)]
    pub fn alone(&self) -> Option<usize> {
        self.alone
    }

    /// The first element of an operand, which stands for all where it is a number.
    #[inline(always)]
    pub fn first<C: Element>(&self, index: usize) -> C {
        let Elements { start, dtype } = self.elements[index];
        assert!(Some(dtype) == C::KNOWN_DTYPE && self.len > 0, "a kernel reads the dtype that it is compiled for, of elements");
        // SAFETY: (1); the dtype was compared, and there is one.
        unsafe { start.cast::<C>().read() }
    }

    /// How many elements there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.len
    }

    /// The elements of an operand, whatever their dtype.
    #[inline]
    pub fn elements(&self, index: usize) -> Elements {
        self.elements[index]
    }

    /// The elements of the last operand, whatever their dtype.
    #[inline]
    pub fn last(&self) -> Elements {
        self.elements[self.elements.len() - 1]
    }

    /// The places of the elements, which are the last operand.
    #[inline(always)]
    pub fn places(&self) -> &'a [i64] {
        self.operand(self.elements.len() - 1)
    }

    /// A parameter, as it was given.
    #[inline(always)]
    pub fn number(&self, index: usize) -> Scalar {
        self.params[index]
    }

    /// A parameter, in the dtype of the computation.
    #[inline(always)]
    pub fn param<C: Value>(&self, index: usize) -> C {
        C::cast_from(self.params[index])
    }
}

/// The loop of one operation over one type. It is compiled once for each level.
pub trait Body {
    /// How much an element costs, compared to an addition.
    const WEIGHT: usize;
    /// The operands beside which all others may be numbers, a bit each.
    const ALONE: u8 = 0;
    /// The operand that may be the output.
    const CHANGES: Option<u8> = None;

    /// Computes a block.
    fn body(run: Run<'_>);

    /// Computes a block where that operand is the output.
    #[inline(always)]
    fn change(run: Run<'_>) {
        Self::body(run);
    }
}

/// A loop as compiled for each level: what kernels are chosen from, in one place for all loops.
///
/// Invariant: each is for what processors of its level have.
#[derive(Debug)]
pub struct LoopForms {
    compiled: [unsafe fn(Run<'_>); 3],
    /// The least level that has it.
    from: Level,
    /// The loop where an operand is the output, which is worth compiling for one level only, and from which one on.
    changing: Option<(unsafe fn(Run<'_>), Level)>,
    /// That operand.
    changed: u8,
    weight: u32,
    alone: u8,
}

impl LoopForms {
    /// A loop. Cheap ones wait for memory: wider vectors would only take time to compile.
    #[inline(always)]
    pub fn of<B: Body>() -> &'static Self {
        const { &Self::new::<B>() }
    }

    /// The same with the loop that changes an operand.
    #[inline(always)]
    pub fn changing<B: Body>() -> &'static Self {
        const {
            #[cfg(target_arch = "x86_64")]
            let change: (unsafe fn(Run<'_>), Level) = (change_avx2::<B>, Level::Avx2);
            #[cfg(not(target_arch = "x86_64"))]
            let change: (unsafe fn(Run<'_>), Level) = (change::<B>, Level::Baseline);
            let own = Self::new::<B>();
            match B::CHANGES {
                Some(changed) => &Self { changing: Some(change), changed, ..own },
                None => &Self::new::<B>(),
            }
        }
    }

    /// A loop that is worth compiling for one level only: where `WIDEST`, for the widest vectors, which have instructions that it needs.
    #[inline(always)]
    pub fn of_one<B: Body, const WIDEST: bool>() -> &'static Self {
        const {
            #[cfg(target_arch = "x86_64")]
            let (one, from): (unsafe fn(Run<'_>), Level) =
                if WIDEST { (body_avx512::<B>, Level::Avx512) } else { (body_avx2::<B>, Level::Avx2) };
            #[cfg(not(target_arch = "x86_64"))]
            let (one, from): (unsafe fn(Run<'_>), Level) = (body::<B>, Level::Baseline);
            &Self::compiled::<B>([one; 3], from)
        }
    }

    /// A loop that computes what several others do one after the other: x86-64 processors without AVX2 take those, so that programs needn't compile it
    /// for them.
    #[inline(always)]
    pub fn of_several<B: Body>() -> &'static Self {
        const {
            let own = Self::new::<B>();
            if cfg!(target_arch = "x86_64") {
                let [_, narrow, wide] = own.compiled;
                &Self { compiled: [narrow, narrow, wide], from: Level::Avx2, ..own }
            } else {
                &Self::new::<B>()
            }
        }
    }

    /// A loop for vectors of two widths, in a form for each: x86-64 has none for what has no such vectors.
    #[inline(always)]
    pub fn of_vectors<B: Body, W: Body>() -> &'static Self {
        const {
            #[cfg(target_arch = "x86_64")]
            let (compiled, from): ([unsafe fn(Run<'_>); 3], Level) = ([body_avx2::<B>, body_avx2::<B>, body_avx512::<W>], Level::Avx2);
            #[cfg(not(target_arch = "x86_64"))]
            let (compiled, from): ([unsafe fn(Run<'_>); 3], Level) = ([body::<B>; 3], Level::Baseline);
            &Self::compiled::<B>(compiled, from)
        }
    }

    const fn new<B: Body>() -> Self {
        #[cfg(target_arch = "x86_64")]
        let compiled: [unsafe fn(Run<'_>); 3] =
            if B::WEIGHT > 1 { [body::<B>, body_avx2::<B>, body_avx512::<B>] } else { [body::<B>, body_avx2::<B>, body_avx2::<B>] };
        #[cfg(not(target_arch = "x86_64"))]
        let compiled: [unsafe fn(Run<'_>); 3] = [body::<B>; 3];
        Self::compiled::<B>(compiled, Level::Baseline)
    }

    /// Forms of a loop that changes no operand, from that level on.
    const fn compiled<B: Body>(compiled: [unsafe fn(Run<'_>); 3], from: Level) -> Self {
        Self { compiled, from, changing: None, changed: 0, weight: B::WEIGHT as u32, alone: B::ALONE }
    }

    /// The kernel of a level that the processor has, if there is one.
    #[must_use]
    pub fn at(&self, level: Level) -> Option<Kernel> {
        let level = level.min(Level::detect());
        (level >= self.from).then(|| self.chosen(level))
    }

    fn chosen(&self, level: Level) -> Kernel {
        let Self { compiled, changed, weight, alone, .. } = *self;
        let changing = self.changing.filter(|&(_, from)| level >= from).map(|(change, _)| change);
        Kernel { compiled: compiled[level as usize - Level::Baseline as usize], changing, changed, weight, alone }
    }
}

/// A loop, erased, as compiled for one level.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    compiled: unsafe fn(Run<'_>),
    /// The same where an operand is the output.
    changing: Option<unsafe fn(Run<'_>)>,
    /// That operand.
    changed: u8,
    weight: u32,
    /// The operands beside which all others may be numbers, a bit each.
    alone: u8,
}

impl Kernel {
    /// A loop as compiled for a level that the processor has.
    #[inline]
    pub fn of<B: Body>(level: Level) -> Self {
        LoopForms::of::<B>().chosen(level.min(Level::detect()))
    }

    /// How much an element costs, compared to an addition.
    #[inline]
    #[must_use]
    pub fn weight(&self) -> usize {
        self.weight as usize
    }

    /// Of so many operands the first that may stand beside numbers where all others are such.
    #[inline]
    pub fn alone(&self, operands: usize, is_number: impl Fn(usize) -> bool) -> Option<usize> {
        (0..operands).find(|&one| self.alone >> one & 1 == 1 && (0..operands).all(|operand| operand == one || is_number(operand)))
    }

    /// The operand that may be the output, where one may.
    #[inline]
    #[must_use]
    pub fn changes(&self) -> Option<usize> {
        self.changing.map(|_| self.changed.into())
    }

    /// Computes a block where the operand that may be the output is it.
    ///
    /// # Panics
    /// Where none may.
    #[inline]
    pub fn change(self, mut run: Run<'_>) {
        let compiled = self.changing.expect("a kernel that changes an operand");
        run.inputs.changed = Some(self.changed.into());
        // SAFETY: (3), by `LoopForms::chosen`.
        unsafe { compiled(run) }
    }

    /// Computes a block.
    #[inline]
    pub fn run(self, run: Run<'_>) {
        // SAFETY: (3), by `LoopForms::chosen`.
        unsafe { (self.compiled)(run) }
    }
}

unsafe fn body<B: Body>(run: Run<'_>) {
    B::body(run);
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn change<B: Body>(run: Run<'_>) {
    B::change(run);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn change_avx2<B: Body>(run: Run<'_>) {
    B::change(run);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn body_avx2<B: Body>(run: Run<'_>) {
    B::body(run);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn body_avx512<B: Body>(run: Run<'_>) {
    B::body(run);
}
