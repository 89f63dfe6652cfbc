//! Moving elements between strided runs of bytes, with conversion: the one table of pairs of dtypes.
//! Loading an operand, storing a result and copying a tensor are all a [`Transfer`].
#![expect(unsafe_code, reason = "reads and writes elements at any alignment, through pointers whose ranges the block module proves")]

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

#[cfg(target_arch = "x86_64")]
use super::halves;
use super::level::Level;
use crate::convert::{CastFrom, Float8, Number};

/// Rows of elements to move. Steps and the distance of rows are in bytes; those of `from` may go backwards, by wrapping around.
///
/// The invariant of whoever calls a [`Transfer`] with it: every element that `counts` and the steps reach from `from` lies in readable,
/// initialised bytes, every one from `to` in writable bytes that nothing else uses meanwhile, and the two don't overlap.
#[derive(Clone, Copy, Debug)]
pub struct MovedRows {
    pub from: *const u8,
    pub to: *mut u8,
    /// Between neighbours in a row, and between rows.
    pub from_steps: [usize; 2],
    pub to_steps: [usize; 2],
    /// Elements in a row, and rows.
    pub counts: [usize; 2],
}

/// Moves rows, converting each element.
pub type Transfer = unsafe fn(MovedRows);

/// A type that elements have in memory.
trait StoredElement: Copy {
    /// Whether only the widest vectors have instructions, or the room, that its conversions need: `i64` and `f16`.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only x86-64 has vectors of several widths here"))]
    const NEEDS_WIDEST: bool = false;

    /// The element at an address of any alignment. Every pattern of bytes is one, but for `bool`, which reads otherwise.
    ///
    /// # Safety
    /// The bytes of one element are readable there.
    #[inline(always)]
    unsafe fn read(at: *const u8) -> Self {
        // SAFETY: the caller promises readable bytes, and every pattern of them is a value.
        unsafe { at.cast::<Self>().read_unaligned() }
    }
}

macro_rules! stored {
    ($needs_widest:literal: $($T:ty)*) => { $(impl StoredElement for $T {
        const NEEDS_WIDEST: bool = $needs_widest;
    })* };
}

stored! { true: i64 f16 }
stored! { false: u8 i8 i16 i32 u16 u32 u64 u128 bf16 f32 f64 Complex<f16> Complex<f32> Complex<f64> }
impl<const DTYPE: u8> StoredElement for Float8<DTYPE> {}

impl StoredElement for bool {
    #[inline(always)]
    unsafe fn read(at: *const u8) -> Self {
        // SAFETY: the caller promises a readable byte.
        unsafe { at.read() != 0 }
    }
}

fn is_dense<S, D>(rows: &MovedRows) -> bool {
    rows.from_steps[0] == size_of::<S>() && rows.to_steps[0] == size_of::<D>()
}

/// Converts rows of neighbours: the loop that vectorises.
///
/// # Safety
/// The invariant of [`MovedRows`].
#[inline(always)]
unsafe fn dense<S: StoredElement, D: CastFrom<S>>(rows: MovedRows) {
    for row in 0..rows.counts[1] {
        let from = rows.from.wrapping_add(row.wrapping_mul(rows.from_steps[1])).cast::<S>();
        let to = rows.to.wrapping_add(row * rows.to_steps[1]).cast::<D>();
        for i in 0..rows.counts[0] {
            // SAFETY: element i of a dense row, in readable bytes by the invariant.
            let element = unsafe { S::read(from.wrapping_add(i).cast()) };
            // SAFETY: element i of a dense row, in writable bytes by the invariant.
            unsafe { to.wrapping_add(i).write_unaligned(D::cast_from(element)) };
        }
    }
}

/// Converts rows of elements with any steps.
///
/// # Safety
/// The invariant of [`MovedRows`].
#[inline(always)]
unsafe fn stepping<S: StoredElement, D>(rows: MovedRows, convert: impl Fn(S) -> D) {
    for row in 0..rows.counts[1] {
        let from = rows.from.wrapping_add(row.wrapping_mul(rows.from_steps[1]));
        let to = rows.to.wrapping_add(row * rows.to_steps[1]);
        for i in 0..rows.counts[0] {
            // SAFETY: element i of the row, in readable bytes by the invariant.
            let element = unsafe { S::read(from.wrapping_add(i.wrapping_mul(rows.from_steps[0]))) };
            // SAFETY: element i of the row, in writable bytes by the invariant.
            unsafe { to.wrapping_add(i * rows.to_steps[0]).cast::<D>().write_unaligned(convert(element)) };
        }
    }
}

/// # Safety
/// The invariant of [`MovedRows`].
// Two functions call it with wider vectors, which elements with steps don't need: inlined it would be compiled three times.
#[cfg_attr(target_arch = "x86_64", inline(never))]
unsafe fn convert<S: StoredElement, D: CastFrom<S>>(all: MovedRows) {
    // Where the target has one level, this is all there is; x86-64 has another function for rows of neighbours.
    if cfg!(not(target_arch = "x86_64")) && is_dense::<S, D>(&all) {
        // SAFETY: passed on.
        return unsafe { dense::<S, D>(all) };
    }
    // SAFETY: passed on.
    unsafe { stepping(all, |element: S| D::cast_from(element)) }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn convert_avx2<S: StoredElement, D: CastFrom<S>>(all: MovedRows) {
    if is_dense::<S, D>(&all) {
        // SAFETY: passed on.
        return unsafe { dense::<S, D>(all) };
    }
    // SAFETY: passed on.
    unsafe { convert::<S, D>(all) }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn convert_avx512<S: StoredElement, D: CastFrom<S>>(all: MovedRows) {
    if is_dense::<S, D>(&all) {
        // SAFETY: passed on.
        return unsafe { dense::<S, D>(all) };
    }
    // SAFETY: passed on.
    unsafe { convert::<S, D>(all) }
}

/// Converts rows, of neighbours some at a time, by a function that is called in one place, so that it is inlined.
///
/// # Safety
/// The invariant of [`MovedRows`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_lanes<S, D, const LANES: usize>(rows: MovedRows, lanes: impl Fn([S; LANES]) -> [D; LANES])
where
    S: StoredElement + Default,
    D: CastFrom<S> + Copy,
{
    if !is_dense::<S, D>(&rows) {
        // SAFETY: passed on.
        return unsafe { convert::<S, D>(rows) };
    }
    for row in 0..rows.counts[1] {
        let from = rows.from.wrapping_add(row.wrapping_mul(rows.from_steps[1])).cast::<S>();
        let to = rows.to.wrapping_add(row * rows.to_steps[1]).cast::<D>();
        for at in (0..rows.counts[0]).step_by(LANES) {
            let (from, to, count) = (from.wrapping_add(at), to.wrapping_add(at), LANES.min(rows.counts[0] - at));
            let mut elements = [S::default(); LANES];
            if count == LANES {
                // SAFETY: elements of a dense row, in readable bytes by the invariant.
                elements = unsafe { from.cast::<[S; LANES]>().read_unaligned() };
            } else {
                for lane in 0..count {
                    // SAFETY: as above.
                    elements[lane] = unsafe { from.wrapping_add(lane).read_unaligned() };
                }
            }
            let results = lanes(elements);
            if count == LANES {
                // SAFETY: elements of a dense row, in writable bytes by the invariant.
                unsafe { to.cast::<[D; LANES]>().write_unaligned(results) };
            } else {
                for lane in 0..count {
                    // SAFETY: as above.
                    unsafe { to.wrapping_add(lane).write_unaligned(results[lane]) };
                }
            }
        }
    }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn widen_avx2(all: MovedRows) {
    // SAFETY: the processor has the instructions.
    let lanes = |halves: [f16; halves::NARROW]| unsafe { halves::widened(halves) };
    // SAFETY: passed on.
    unsafe { by_lanes(all, lanes) }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn narrow_avx2(all: MovedRows) {
    // SAFETY: the processor has the instructions.
    let lanes = |numbers: [f32; halves::NARROW]| unsafe { halves::narrowed(numbers) };
    // SAFETY: passed on.
    unsafe { by_lanes(all, lanes) }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn widen_avx512(all: MovedRows) {
    // SAFETY: the processor has the instructions.
    let lanes = |halves: [f16; halves::WIDE]| unsafe { halves::widened(halves) };
    // SAFETY: passed on.
    unsafe { by_lanes(all, lanes) }
}

/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn narrow_avx512(all: MovedRows) {
    // SAFETY: the processor has the instructions.
    let lanes = |numbers: [f32; halves::WIDE]| unsafe { halves::narrowed(numbers) };
    // SAFETY: passed on.
    unsafe { by_lanes(all, lanes) }
}

/// Writes the places of elements of 8 bytes in an array that begins at address 0; nothing is read.
///
/// # Safety
/// What [`MovedRows`] says of `to`.
pub unsafe fn places(all: MovedRows) {
    for row in 0..all.counts[1] {
        let first = all.from.addr().wrapping_add(row.wrapping_mul(all.from_steps[1]));
        let to = all.to.wrapping_add(row * all.to_steps[1]);
        for i in 0..all.counts[0] {
            let place = first.wrapping_add(i.wrapping_mul(all.from_steps[0])) / size_of::<i64>();
            // SAFETY: element i of the row, in writable bytes by the invariant.
            unsafe { to.wrapping_add(i * all.to_steps[0]).cast::<i64>().write_unaligned(place as i64) };
        }
    }
}

/// So many elements are written at a time where they are all the same.
const LANES: usize = 8;

/// Moves rows of neighbours, each from its last one on; or one element to all of a row, which has no fewer than [`LANES`]. The compiler knows the steps, so that these are vector
/// instructions.
///
/// # Safety
/// The invariant of [`MovedRows`].
#[inline(always)]
unsafe fn regular<T: StoredElement>(all: MovedRows) {
    for row in 0..all.counts[1] {
        let from = all.from.wrapping_add(row.wrapping_mul(all.from_steps[1])).cast::<T>();
        let to = all.to.wrapping_add(row * all.to_steps[1]).cast::<T>();
        if all.from_steps[0] == 0 && all.counts[0] >= LANES {
            // SAFETY: the one element of the row, in readable bytes by the invariant.
            let elements = [unsafe { T::read(from.cast()) }; LANES];
            for at in (0..all.counts[0]).step_by(LANES) {
                // The last ones may begin among those before them.
                let to = to.wrapping_add(at.min(all.counts[0] - LANES));
                // SAFETY: some elements of the row, in writable bytes by the invariant.
                unsafe { to.cast::<[T; LANES]>().write_unaligned(elements) };
            }
            continue;
        }
        for i in 0..all.counts[0] {
            // SAFETY: element i of the row, in readable bytes by the invariant.
            let element = unsafe { T::read(from.wrapping_sub(i).cast()) };
            // SAFETY: element i of the row, in writable bytes by the invariant.
            unsafe { to.wrapping_add(i).write_unaligned(element) };
        }
    }
}

/// The same by wider vectors, whose elements turn around in one instruction.
///
/// # Safety
/// The invariant of [`MovedRows`], and a processor with these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn regular_avx2<T: StoredElement>(all: MovedRows) {
    // SAFETY: passed on.
    unsafe { regular::<T>(all) }
}

/// # Safety
/// The invariant of [`MovedRows`].
unsafe fn same<T: StoredElement>(all: MovedRows) {
    let size = size_of::<T>();
    let repeats = all.from_steps[0] == 0 && all.counts[0] >= LANES;
    if (repeats || all.from_steps[0] == size.wrapping_neg()) && all.to_steps[0] == size {
        return match Level::detect() {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 | Level::Avx512 => {
                // SAFETY: passed on, and the processor was asked.
                unsafe { regular_avx2::<T>(all) }
            }
            _ => {
                // SAFETY: passed on.
                unsafe { regular::<T>(all) }
            }
        };
    }
    if all.from_steps[0] != size || all.to_steps[0] != size {
        // SAFETY: passed on.
        return unsafe { stepping(all, |element: T| element) };
    }
    // SAFETY: dense rows of so many bytes.
    unsafe { copied(all, size * all.counts[0]) }
}

/// Dense rows of so many bytes. Of short ones, lengths that come often are known to the loop: a call for each takes longer than what it copies.
///
/// # Safety
/// The invariant of [`MovedRows`].
unsafe fn copied(all: MovedRows, bytes: usize) {
    let copy = match bytes {
        32 => short::<32>,
        64 => short::<64>,
        128 => short::<128>,
        _ => long,
    };
    // SAFETY: passed on.
    unsafe { copy(all, bytes) };
}

/// # Safety
/// As [`copied`], of `BYTES`.
unsafe fn short<const BYTES: usize>(all: MovedRows, _: usize) {
    // SAFETY: passed on.
    unsafe { long(all, BYTES) };
}

/// # Safety
/// As [`copied`].
#[inline(always)]
unsafe fn long(all: MovedRows, bytes: usize) {
    for row in 0..all.counts[1] {
        let from = all.from.wrapping_add(row.wrapping_mul(all.from_steps[1]));
        // SAFETY: a dense row, in readable and writable bytes that don't overlap, by the invariant.
        unsafe { std::ptr::copy_nonoverlapping(from, all.to.wrapping_add(row * all.to_steps[1]), bytes) };
    }
}

/// The conversion of one pair, compiled for the processor at hand; with the widest vectors only where these matter.
fn pair<S: StoredElement, D: CastFrom<S> + StoredElement>() -> Transfer {
    match Level::detect() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if const { S::NEEDS_WIDEST || D::NEEDS_WIDEST } => convert_avx512::<S, D>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::Avx512 => convert_avx2::<S, D>,
        _ => convert::<S, D>,
    }
}

/// To a dtype that computes: what comes from another one is worth a function for each instruction set.
fn to_computing<D: Number + StoredElement>(from: DType) -> Option<Transfer> {
    Some(crate::match_dtype!(from, S => pair::<S, D>(), else return to_stored::<D>(from)))
}

/// To any dtype, as the target compiles it.
fn to_stored<D: Number>(from: DType) -> Option<Transfer> {
    Some(crate::match_stored!(from, S => convert::<S, D>, else return None))
}

/// How elements of one dtype become those of another. Nothing converts quantised dtypes; they are copied as they are.
pub fn transfer(from: DType, to: DType) -> Option<Transfer> {
    if from == to && from != DType::Bool {
        return Some(match from.itemsize() {
            1 => same::<u8>,
            2 => same::<u16>,
            4 => same::<u32>,
            8 => same::<u64>,
            _ => same::<u128>,
        });
    }
    #[cfg(target_arch = "x86_64")]
    match (from, to, Level::detect()) {
        (DType::F16, DType::F32, Level::Avx2) => return Some(widen_avx2),
        (DType::F16, DType::F32, Level::Avx512) => return Some(widen_avx512),
        (DType::F32, DType::F16, Level::Avx2) => return Some(narrow_avx2),
        (DType::F32, DType::F16, Level::Avx512) => return Some(narrow_avx512),
        (DType::BF16, DType::F32, Level::Avx512) => return Some(convert_avx512::<bf16, f32>),
        // Its halves are put together by an instruction of the widest vectors.
        (DType::F32, DType::BF16, Level::Avx512) => return Some(convert_avx512::<f32, bf16>),
        // others: there are no instructions for them.
        _ => {}
    }
    crate::match_dtype!(to, D => to_computing::<D>(from), else crate::match_stored!(to, D => to_stored::<D>(from), else None))
}
