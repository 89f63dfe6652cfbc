//! The loop over blocks: from a grid of elements and operands in memory to slices that kernels compute on, and back.
//!
//! Invariants: (1) a [`Lane`] reaches only the bytes it was made for, checked when it is made, and what guards them outlives it;
//! (2) no two elements of an output lane share bytes, or the loop runs on one thread; (3) an input lane that reaches bytes of the output
//! is marked so, and reaches them in the same order as the output or not at all.
#![expect(unsafe_code, reason = "erased operands are pointers; this module checks their ranges")]

mod reader;

use std::marker::PhantomData;

use num_complex::Complex;
use smallvec::SmallVec;
use tensor_spec::{Category, DType};

use super::run::{Elements, Kernel, Run};
use super::transfer::{Rows, Transfer, transfer};
use super::workers::share;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};

pub(crate) use reader::Reader;

/// Elements that are loaded, computed and stored at a time: few enough to stay in the first cache.
const BLOCK: usize = 1024;
/// Elements that are worth a thread.
const GRAIN: usize = 32 * BLOCK;

/// The elements of one tensor, as a loop visits them.
#[derive(Clone, Debug)]
pub(crate) struct Lane<'a> {
    start: *mut u8,
    dtype: DType,
    /// In bytes, innermost dimension first.
    steps: Dims,
    guarded: PhantomData<&'a u8>,
}

// SAFETY: (1) and (2): a lane is a pointer to guarded bytes, and threads write different elements.
unsafe impl Send for Lane<'_> {}
// SAFETY: as above.
unsafe impl Sync for Lane<'_> {}

/// A number in memory, to be loaded like an element.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Literal {
    bytes: [u8; 16],
    dtype: DType,
}

impl From<Scalar> for Literal {
    fn from(scalar: Scalar) -> Self {
        let mut bytes = [0; 16];
        let dtype = match scalar {
            Scalar::Bool(x) => {
                bytes[0] = x.into();
                DType::Bool
            }
            Scalar::Int(x) => {
                bytes[..8].copy_from_slice(&x.to_ne_bytes());
                DType::I64
            }
            Scalar::Float(x) => {
                bytes[..8].copy_from_slice(&x.to_ne_bytes());
                DType::F64
            }
            Scalar::Complex(z) => {
                bytes[..8].copy_from_slice(&z.re.to_ne_bytes());
                bytes[8..].copy_from_slice(&z.im.to_ne_bytes());
                DType::C128
            }
        };
        Self { bytes, dtype }
    }
}

impl Literal {
    fn scalar(&self) -> Scalar {
        let part = |at: usize| std::array::from_fn(|i| self.bytes[at + i]);
        match self.dtype.category() {
            Category::Boolean => Scalar::Bool(self.bytes[0] != 0),
            Category::Integral => Scalar::Int(i64::from_ne_bytes(part(0))),
            Category::Floating => Scalar::Float(f64::from_ne_bytes(part(0))),
            Category::Complex => Scalar::Complex(Complex::new(f64::from_ne_bytes(part(0)), f64::from_ne_bytes(part(8)))),
        }
    }
}

impl<'a> Lane<'a> {
    /// The elements at `offset` and `strides` (in elements, innermost dimension first) of a storage whose guard is held.
    ///
    /// # Errors
    /// Where they reach beyond the storage, which may have shrunk.
    pub(crate) fn new(
        access: &'a Access<'_>,
        storage: &UntypedStorage,
        dtype: DType,
        sizes: &[usize],
        strides: &[usize],
        offset: usize,
    ) -> Result<Self> {
        let bytes = access.bytes(storage);
        let item = dtype.itemsize();
        let reach =
            sizes.iter().zip(strides).try_fold(offset, |reach, (&size, &stride)| reach.checked_add((size.max(1) - 1).checked_mul(stride)?));
        let needed = reach.and_then(|last| last.checked_add(1)?.checked_mul(item)).unwrap_or(usize::MAX);
        if needed > bytes.len && !sizes.contains(&0) {
            let len = bytes.len;
            return Err(Error::runtime(format!("the tensor reads {needed} bytes of a storage that has been resized to {len}")));
        }
        let steps = strides.iter().map(|stride| stride * item).collect();
        Ok(Self { start: bytes.start.wrapping_add(offset * item), dtype, steps, guarded: PhantomData })
    }

    /// The same number at every element.
    pub(crate) fn number(number: &'a Literal, rank: usize) -> Self {
        let start = number.bytes.as_ptr().cast_mut();
        Self { start, dtype: number.dtype, steps: SmallVec::from_elem(0, rank), guarded: PhantomData }
    }

    /// The same elements, those along some dimensions in reverse: steps backwards are numbers that wrap around.
    pub(crate) fn reversed(mut self, sizes: &[usize], backwards: &[bool]) -> Self {
        for ((step, &size), _) in self.steps.iter_mut().zip(sizes).zip(backwards).filter(|(_, backwards)| **backwards) {
            self.start = self.start.wrapping_add(step.wrapping_mul(size.max(1) - 1));
            *step = step.wrapping_neg();
        }
        self
    }

    /// Whether the elements follow each other in the order of the loop, aligned and valid as a slice of their Rust type.
    fn is_slice(&self, sizes: &[usize]) -> bool {
        let mut step = self.dtype.itemsize();
        self.dtype != DType::Bool
            && (self.start as usize).is_multiple_of(step.min(8))
            && self.steps.iter().zip(sizes).all(|(&own, &size)| {
                let fits = own == step;
                step *= size;
                fits
            })
    }

    /// Whether it is one element over and over.
    fn is_constant(&self) -> bool {
        self.steps.iter().all(|&step| step == 0)
    }

    fn address(&self, at: &[usize]) -> *mut u8 {
        at.iter().zip(&self.steps).fold(self.start, |start, (&at, &step)| start.wrapping_add(at.wrapping_mul(step)))
    }

    /// The steps within and between rows.
    fn row_steps(&self) -> [usize; 2] {
        [0, 1].map(|dim| self.steps.get(dim).copied().unwrap_or(0))
    }
}

/// A rectangle of the two innermost dimensions.
struct Rectangle<'a> {
    at: &'a [usize],
    counts: [usize; 2],
    /// How many elements of the walk come before it.
    done: usize,
}

/// Visits `len` elements from number `first` on as few rectangles.
fn walk(sizes: &[usize], first: usize, len: usize, mut visit: impl FnMut(Rectangle<'_>)) {
    let [inner, outer] = [0, 1].map(|dim| sizes.get(dim).copied().unwrap_or(1));
    let mut at: Dims = SmallVec::from_elem(0, sizes.len().max(2));
    let mut done = 0;
    while done < len {
        let mut rest = first + done;
        for (at, &size) in at.iter_mut().zip(sizes) {
            *at = rest % size;
            rest /= size;
        }
        let counts = if at[0] == 0 && len - done >= inner {
            [inner, ((len - done) / inner).min(outer - at[1])]
        } else {
            [(inner - at[0]).min(len - done), 1]
        };
        visit(Rectangle { at: &at[..sizes.len()], counts, done });
        done += counts[0] * counts[1];
    }
}

/// The conversions between dtypes that elements pass through.
type Moves = SmallVec<[(Transfer, DType); 2]>;

fn conversion(from: DType, to: DType) -> Result<Transfer> {
    transfer(from, to).ok_or_else(|| Error::not_implemented(format!("\"copy_kernel\" not implemented for '{}'", from.message_name())))
}

/// The conversions along a list of dtypes; neighbours that are equal need none.
fn moves(dtypes: &[DType]) -> Result<Moves> {
    dtypes.windows(2).filter(|two| two[0] != two[1]).map(|two| Ok((conversion(two[0], two[1])?, two[1]))).collect()
}

/// Whether threads may share a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// Elements of the output may overlap: one thread, in order.
    One,
    /// Every element is written once.
    Many,
}

/// Hands parts of `numel` elements to threads. The parts don't depend on the number of threads.
fn split(numel: usize, threads: Threads, part: impl Fn(usize, usize) + Sync) {
    if threads == Threads::One || numel <= GRAIN {
        return part(0, numel);
    }
    share(numel.div_ceil(GRAIN), &|task| {
        let first = task * GRAIN;
        part(first, GRAIN.min(numel - first));
    });
}

/// Copies all elements, converting them.
///
/// # Errors
/// Where the dtypes have no conversion; nothing was written then.
pub(crate) fn copy(sizes: &[usize], from: &Lane<'_>, to: &Lane<'_>, threads: Threads) -> Result<()> {
    let transfer = conversion(from.dtype, to.dtype)?;
    let (from_steps, to_steps) = (from.row_steps(), to.row_steps());
    split(sizes.iter().product(), threads, |first, len| {
        walk(sizes, first, len, |Rectangle { at, counts, .. }| {
            let rows = Rows { from: from.address(at), to: to.address(at), from_steps, to_steps, counts };
            // SAFETY: (1) and (2); whoever copies makes sure that the lanes don't overlap (3).
            unsafe { transfer(rows) }
        });
    });
    Ok(())
}

/// The first element of a lane, as a number.
///
/// # Errors
/// For quantised elements.
pub(crate) fn read(lane: &Lane<'_>) -> Result<Scalar> {
    let widest = match lane.dtype.category() {
        Category::Boolean => DType::Bool,
        Category::Integral => DType::I64,
        Category::Floating => DType::F64,
        Category::Complex => DType::C128,
    };
    let transfer = conversion(lane.dtype, widest)?;
    let mut literal = Literal { bytes: [0; 16], dtype: widest };
    let rows = Rows { from: lane.start, to: literal.bytes.as_mut_ptr(), from_steps: [0, 0], to_steps: [0, 0], counts: [1, 1] };
    // SAFETY: (1); the widest numbers have 16 bytes.
    unsafe { transfer(rows) }
    Ok(literal.scalar())
}

/// Whether some of the first bytes of a dense lane isn't zero.
pub(crate) fn any_nonzero_byte(lane: &Lane<'_>, elements: usize) -> bool {
    // SAFETY: (1): a dense lane reaches that many elements.
    let bytes = unsafe { std::slice::from_raw_parts(lane.start, elements * lane.dtype.itemsize()) };
    bytes.iter().any(|&byte| byte != 0)
}

/// Whether an operand's storage is also the output's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// It is: a block is copied before it is computed with.
    WithOutput,
    /// It isn't.
    No,
}

/// An operand of a loop.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    /// Its elements.
    pub(crate) lane: Lane<'a>,
    /// Whether the output writes to the same storage.
    pub(crate) sharing: Sharing,
    /// A dtype that the elements are rounded to on their way.
    pub(crate) through: DType,
    /// The dtype that the kernel takes.
    pub(crate) to: DType,
}

/// The output of a loop.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    /// The dtype that the kernel gives.
    pub(crate) from: DType,
    /// A dtype that the elements are rounded to on their way.
    pub(crate) through: DType,
    /// Where they go.
    pub(crate) lane: Lane<'a>,
}

/// A computation over all elements of a grid.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    /// Of the grid, innermost dimension first.
    pub(crate) sizes: &'a [usize],
    /// What is computed with.
    pub(crate) inputs: SmallVec<[Input<'a>; 3]>,
    /// Parameters of the kernel.
    pub(crate) params: &'a [Scalar],
    /// The kernel.
    pub(crate) kernel: Kernel,
    /// Where the results go.
    pub(crate) output: Output<'a>,
    /// Whether threads may share the work.
    pub(crate) threads: Threads,
}

/// How an operand gets into a block.
struct Load<'a> {
    input: &'a Input<'a>,
    moves: Moves,
    in_place: bool,
    constant: bool,
}

impl Loop<'_> {
    /// Computes all elements.
    ///
    /// # Errors
    /// Where no conversion between two dtypes exists; nothing was written then.
    pub(crate) fn run(&self) -> Result<()> {
        let loads = self.loads()?;
        let Output { from, through, lane } = &self.output;
        let stores = moves(&[*from, *through, lane.dtype])?;
        let stores = if stores.is_empty() && !lane.is_slice(self.sizes) {
            SmallVec::from_elem((conversion(*from, *from)?, *from), 1)
        } else {
            stores
        };
        split(self.sizes.iter().product(), self.threads, |first, len| self.part(&loads, &stores, first, len));
        Ok(())
    }

    fn loads(&self) -> Result<SmallVec<[Load<'_>; 3]>> {
        self.inputs.iter().map(|input| self.load(input)).collect()
    }

    fn load<'s>(&self, input: &'s Input<'s>) -> Result<Load<'s>> {
        let Input { lane, sharing, through, to } = input;
        let mut moves = moves(&[lane.dtype, *through, *to])?;
        let in_place = moves.is_empty() && *sharing == Sharing::No && lane.is_slice(self.sizes);
        if moves.is_empty() && !in_place {
            moves.push((conversion(*to, *to)?, *to));
        }
        Ok(Load { input, moves, in_place, constant: lane.is_constant() })
    }

    /// The blocks of one thread's part.
    fn part(&self, loads: &[Load<'_>], stores: &Moves, first: usize, len: usize) {
        let mut scratch = Scratch::new(2 * loads.len() + 2, len.min(BLOCK));
        let result = 2 * loads.len();
        for (i, load) in loads.iter().enumerate().filter(|(_, load)| load.constant && !load.in_place) {
            gather(load, self.sizes, 0, len.min(BLOCK), &mut scratch, 2 * i);
        }
        for block in (0..len).step_by(BLOCK) {
            let (start, count) = (first + block, BLOCK.min(len - block));
            let place = |(i, load): (usize, &Load<'_>)| {
                let Load { input: Input { lane, to: dtype, .. }, moves, in_place, constant } = load;
                if *in_place {
                    return Elements { start: lane.start.wrapping_add(start * dtype.itemsize()), dtype: *dtype };
                }
                if !constant {
                    gather(load, self.sizes, start, count, &mut scratch, 2 * i);
                }
                Elements { start: scratch.region(2 * i + moves.len() - 1), dtype: *dtype }
            };
            let elements = loads.iter().enumerate().map(place).collect();
            let Output { from: dtype, lane, .. } = &self.output;
            let to = if stores.is_empty() { lane.start.wrapping_add(start * dtype.itemsize()) } else { scratch.region(result) };
            // SAFETY: regions of scratch are aligned and initialised, and lanes used in place are slices by `is_slice`; an operand that
            // shares the output's storage was gathered into scratch, so that nothing else reaches the output (2).
            let run = unsafe { Run::new(Elements { start: to, dtype: *dtype }, elements, self.params, count) };
            (self.kernel)(run);
            scatter(lane, self.sizes, stores, *dtype, start, count, &mut scratch, result);
        }
    }
}

/// Loads a block of a lane into the regions from `region` on, one for each conversion.
fn gather(load: &Load<'_>, sizes: &[usize], first: usize, len: usize, scratch: &mut Scratch, region: usize) {
    let lane = &load.input.lane;
    let mut before = lane.dtype;
    for (stage, &(transfer, dtype)) in load.moves.iter().enumerate() {
        let (to, size) = (scratch.region(region + stage), dtype.itemsize());
        if stage > 0 {
            let from = scratch.region(region + stage - 1);
            let rows = Rows { from, to, from_steps: [before.itemsize(), 0], to_steps: [size, 0], counts: [len, 1] };
            // SAFETY: two different regions of scratch, with room for a block each.
            unsafe { transfer(rows) }
        } else if load.constant {
            let rows = Rows { from: lane.start, to, from_steps: [0, 0], to_steps: [size, 0], counts: [len, 1] };
            // SAFETY: (1); the region has room for a block.
            unsafe { transfer(rows) }
        } else {
            let from_steps = lane.row_steps();
            walk(sizes, first, len, |Rectangle { at, counts, done }| {
                let to = to.wrapping_add(done * size);
                let rows = Rows { from: lane.address(at), to, from_steps, to_steps: [size, size * counts[0]], counts };
                // SAFETY: (1); the region has room for a block.
                unsafe { transfer(rows) }
            });
        }
        before = dtype;
    }
}

/// Stores a block of results, which lie in the region `region` and use the next, into a lane.
#[expect(clippy::too_many_arguments, reason = "the variables of one loop body")]
fn scatter(lane: &Lane<'_>, sizes: &[usize], stores: &Moves, from: DType, first: usize, len: usize, scratch: &mut Scratch, region: usize) {
    let Some((&(last, _), before)) = stores.split_last() else { return };
    let (mut at, mut dtype) = (scratch.region(region), from);
    if let [(transfer, through)] = before {
        let to = scratch.region(region + 1);
        let (from_steps, to_steps) = ([dtype.itemsize(), 0], [through.itemsize(), 0]);
        // SAFETY: two different regions of scratch, with room for a block each.
        unsafe { transfer(Rows { from: at, to, from_steps, to_steps, counts: [len, 1] }) }
        (at, dtype) = (to, *through);
    }
    let (size, to_steps) = (dtype.itemsize(), lane.row_steps());
    walk(sizes, first, len, |Rectangle { at: coordinates, counts, done }| {
        let from_steps = [size, size * counts[0]];
        let rows = Rows { from: at.wrapping_add(done * size), to: lane.address(coordinates), from_steps, to_steps, counts };
        // SAFETY: (1) and (2); `len` elements lie in the region.
        unsafe { last(rows) }
    });
}

/// Room for blocks, aligned for every dtype and never uninitialised.
struct Scratch {
    room: Vec<u128>,
    block: usize,
}

impl Scratch {
    fn new(regions: usize, block: usize) -> Self {
        Self { room: vec![0; regions * block], block }
    }

    fn region(&mut self, index: usize) -> *mut u8 {
        self.room.as_mut_ptr().wrapping_add(index * self.block).cast()
    }
}
