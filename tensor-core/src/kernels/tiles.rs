//! The sums of a tile of a product of floating-point matrices, in the processor's own instructions: a compiler keeps so many sums in registers
//! only for one step a turn, and what a turn takes beside them counts.
//!
//! A step loads a line of a panel, then takes an element of each row beside it: every product is added to its sum, rounded once. Lines that
//! come eight steps later are asked for.
#![cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(unsafe_code, reason = "the instructions can't be written otherwise; they read and write what slices were looked at for")
)]

use crate::element::Native;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::kernels::level::Level;

/// Rows of a tile with 512-bit vectors, and with 256-bit ones.
pub(crate) const ROWS: [usize; 2] = [12, 6];

/// A number whose tiles are summed by a loop for the processor at hand, where there is one.
pub(crate) trait TileLoop: Native {
    /// Puts the sums of a tile into rows that lie `stride` elements apart: of [`ROWS`] rows of a left factor, which lie `far` apart, and of
    /// lines of a panel, `apart` from each other. A line fills two vectors. Says whether it did: there may be no such loop, or fewer elements.
    fn sums<const WIDE: bool>(rows: (&[Self], usize), steps: usize, lines: (&[Self], usize), out: (&mut [Self], usize)) -> bool;
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
macro_rules! tile_loops {
    ($($T:ty)*) => { $(
        impl TileLoop for $T {
            fn sums<const WIDE: bool>(_: (&[Self], usize), _: usize, _: (&[Self], usize), _: (&mut [Self], usize)) -> bool {
                false
            }
        }
    )* };
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
tile_loops!(f32 f64);

/// What the loop of a tile reads and writes; distances are in bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
struct TilePlaces<T> {
    rows: *const T,
    far: usize,
    steps: usize,
    lines: *const T,
    apart: usize,
    out: *mut T,
    stride: usize,
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
impl<T> TilePlaces<T> {
    /// Those of a tile of so many rows and columns, if all of them lie in the slices.
    fn of(
        (rows, far): (&[T], usize),
        steps: usize,
        (lines, apart): (&[T], usize),
        (out, stride): (&mut [T], usize),
        [high, across]: [usize; 2],
    ) -> Option<Self> {
        let lie_in = |len: usize, runs: usize, distance: usize, run: usize| {
            (runs - 1).checked_mul(distance).and_then(|last| last.checked_add(run)).is_some_and(|end| end <= len)
        };
        let there = steps != 0
            && lie_in(rows.len(), high, far, steps)
            && lie_in(lines.len(), steps, apart, across)
            && stride >= across
            && lie_in(out.len(), high, stride, across);
        let size = size_of::<T>();
        let (rows, lines, out) = (rows.as_ptr(), lines.as_ptr(), out.as_mut_ptr());
        there.then_some(Self { rows, far: far * size, steps, lines, apart: apart * size, out, stride: stride * size })
    }
}

/// One step: loads a line into two registers, asks for another, and takes the element of each row, `step` elements on, beside both.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! step {
    ($step:literal, [$kind:literal $size:literal $word:literal], [$vector:literal $half:literal $left:literal $right:literal $($ask:literal)*],
     [$($at:literal $one:literal $two:literal $by:literal,)*]) => {
        concat!(
            "vmovup", $kind, " ", $vector, $left, ", [{line}]\n",
            "vmovup", $kind, " ", $vector, $right, ", [{line} + ", $half, "]\n",
            $( "prefetcht0 [{line} + 8*{apart} + ", $ask, "]\n", )*
            "add {line}, {apart}\n",
            $(
                "vbroadcasts", $kind, " ", $vector, $by, ", ", $word, " ptr [", $at, " + ", $size, "*", $step, "]\n",
                "vfmadd231p", $kind, " ", $vector, $one, ", ", $vector, $left, ", ", $vector, $by, "\n",
                "vfmadd231p", $kind, " ", $vector, $two, ", ", $vector, $right, ", ", $vector, $by, "\n",
            )*
        )
    };
}

/// The sums of each row: zeros at first, stored at the end.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! sums {
    (zero $zero:literal $vector:literal, [$($at:literal $one:literal $two:literal $by:literal,)*]) => {
        concat!($(
            $zero, " ", $vector, $one, ", ", $vector, $one, ", ", $vector, $one, "\n",
            $zero, " ", $vector, $two, ", ", $vector, $two, ", ", $vector, $two, "\n",
        )*)
    };
    (store $kind:literal $vector:literal $half:literal, [$($at:literal $one:literal $two:literal $by:literal,)*]) => {
        concat!($(
            "vmovup", $kind, " [{out}], ", $vector, $one, "\n",
            "vmovup", $kind, " [{out} + ", $half, "], ", $vector, $two, "\n",
            "add {out}, {stride}\n",
        )*)
    };
}

/// A loop of four steps a turn, then of those that are left. Rows are reached from every third one.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! tile_loop {
    ($(#[$doc:meta])* $name:ident $T:ty, $features:literal, [$kind:literal $size:literal $word:literal], $zero:literal,
     [$vector:literal $half:literal $($line:tt)*], [$($base:ident $row:literal)*], $rows:tt, [$($register:tt)*]) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor has the instructions; all that the places say can be read, and written at `out`, by nobody else meanwhile.
        #[target_feature(enable = $features)]
        unsafe fn $name(places: TilePlaces<$T>) {
            let TilePlaces { rows, far, steps, lines, apart, out, stride } = places;
            // SAFETY: passed on: rows and lines are read for as many steps as there are, sums stored into as many rows, and all registers that
            // change are named. What is asked for is not read, wherever it lies.
            unsafe {
                std::arch::asm!(
                    sums!(zero $zero $vector, $rows),
                    "test {turns}, {turns}",
                    "jz 3f",
                    ".p2align 6",
                    "2:",
                    step!(0, [$kind $size $word], [$vector $half $($line)*], $rows),
                    step!(1, [$kind $size $word], [$vector $half $($line)*], $rows),
                    step!(2, [$kind $size $word], [$vector $half $($line)*], $rows),
                    step!(3, [$kind $size $word], [$vector $half $($line)*], $rows),
                    concat!($( "add {", stringify!($base), "}, 4*", $size, "\n", )*),
                    "dec {turns}",
                    "jnz 2b",
                    "3:",
                    "test {left}, {left}",
                    "jz 5f",
                    "4:",
                    step!(0, [$kind $size $word], [$vector $half $($line)*], $rows),
                    concat!($( "add {", stringify!($base), "}, ", $size, "\n", )*),
                    "dec {left}",
                    "jnz 4b",
                    "5:",
                    sums!(store $kind $vector $half, $rows),
                    $( $base = inout(reg) rows.wrapping_byte_add($row * far) => _, )*
                    far = in(reg) far,
                    line = inout(reg) lines => _,
                    apart = in(reg) apart,
                    turns = inout(reg) steps / 4 => _,
                    left = inout(reg) steps % 4 => _,
                    out = inout(reg) out => _,
                    stride = in(reg) stride,
                    $( out($register) _, )*
                    options(nostack),
                );
            }
        }
    };
}

/// The four loops. The rows of a table: where an element is, the registers of the two sums, and that of the element.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! tile_loops {
    ($($T:ident $wide:ident $narrow:ident $number:tt;)*) => { $(
        tile_loop! {
            /// Twelve rows of two 512-bit vectors.
            $wide $T, "avx512f", $number, "vpxord", ["zmm" "64" "30" "31" "0" "64"], [a 0 b 3 c 6 d 9], [
                "{a}" "0" "1" "24", "{a} + {far}" "2" "3" "25", "{a} + 2*{far}" "4" "5" "26",
                "{b}" "6" "7" "27", "{b} + {far}" "8" "9" "24", "{b} + 2*{far}" "10" "11" "25",
                "{c}" "12" "13" "26", "{c} + {far}" "14" "15" "27", "{c} + 2*{far}" "16" "17" "24",
                "{d}" "18" "19" "25", "{d} + {far}" "20" "21" "26", "{d} + 2*{far}" "22" "23" "27",
            ], [
                "zmm0" "zmm1" "zmm2" "zmm3" "zmm4" "zmm5" "zmm6" "zmm7" "zmm8" "zmm9" "zmm10" "zmm11" "zmm12" "zmm13" "zmm14" "zmm15"
                "zmm16" "zmm17" "zmm18" "zmm19" "zmm20" "zmm21" "zmm22" "zmm23" "zmm24" "zmm25" "zmm26" "zmm27" "zmm30" "zmm31"
            ]
        }
        tile_loop! {
            /// Six rows of two 256-bit vectors.
            $narrow $T, "avx2,fma", $number, "vxorps", ["ymm" "32" "14" "15" "0"], [a 0 b 3], [
                "{a}" "0" "1" "12", "{a} + {far}" "2" "3" "13", "{a} + 2*{far}" "4" "5" "12",
                "{b}" "6" "7" "13", "{b} + {far}" "8" "9" "12", "{b} + 2*{far}" "10" "11" "13",
            ], [
                "ymm0" "ymm1" "ymm2" "ymm3" "ymm4" "ymm5" "ymm6" "ymm7" "ymm8" "ymm9" "ymm10" "ymm11" "ymm12" "ymm13" "ymm14" "ymm15"
            ]
        }

        impl TileLoop for $T {
            #[inline(always)]
            fn sums<const WIDE: bool>(rows: (&[Self], usize), steps: usize, lines: (&[Self], usize), out: (&mut [Self], usize)) -> bool {
                let (level, bytes) = if WIDE { (Level::Avx512, 128) } else { (Level::Avx2, 64) };
                if Level::detect() < level {
                    return false;
                }
                let sizes = [ROWS[usize::from(!WIDE)], bytes / size_of::<Self>()];
                let Some(places) = TilePlaces::of(rows, steps, lines, out, sizes) else { return false };
                // SAFETY: the processor was asked, and all of it lies in the slices.
                unsafe {
                    if WIDE { $wide(places) } else { $narrow(places) }
                }
                true
            }
        }
    )* };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
tile_loops! {
    f32 twelve_of_f32 six_of_f32 ["s" "4" "dword"];
    f64 twelve_of_f64 six_of_f64 ["d" "8" "qword"];
}

#[cfg(test)]
mod tests {
    use super::{ROWS, TileLoop};

    /// Looks at all sums of one width, for steps that are whole turns and not, of rows and lines with gaps, and that nothing else is written.
    fn looked_at<const WIDE: bool>(across: usize, steps: usize) {
        let (high, far, apart, stride) = (ROWS[usize::from(!WIDE)], steps + 3, across + 5, across + 2);
        let number = |at: usize| (at * 37 % 101) as f64 / 8.0 - 6.0;
        let rows: Vec<f64> = (0..(high - 1) * far + steps).map(number).collect();
        let lines: Vec<f64> = (0..(steps - 1) * apart + across).map(|at| number(at + 11)).collect();
        let mut out = vec![f64::INFINITY; (high - 1) * stride + across];
        if !f64::sums::<WIDE>((&rows, far), steps, (&lines, apart), (&mut out, stride)) {
            return;
        }
        for (at, &found) in out.iter().enumerate() {
            let (row, column) = (at / stride, at % stride);
            let sum =
                (0..steps).fold(0.0, |sum: f64, step| rows[row * far + step].mul_add(lines[step * apart + column.min(across - 1)], sum));
            let expected = if column < across { sum } else { f64::INFINITY };
            assert_eq!(found, expected, "{steps} steps: row {row}, column {column}");
        }
    }

    #[test]
    fn every_sum_of_a_tile_is_there_and_nothing_else() {
        for steps in [1, 2, 3, 4, 5, 7, 8, 33] {
            looked_at::<true>(16, steps);
            looked_at::<false>(8, steps);
        }
    }

    #[test]
    fn what_a_slice_has_not_is_not_read() {
        let (rows, lines) = (vec![1.0_f32; 12 * 8], vec![1.0_f32; 8 * 32]);
        let mut out = vec![0.0; 12 * 32];
        for (row, line, sum) in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] {
            let there = f32::sums::<true>((&rows[row..], 8), 8, (&lines[line..], 32), (&mut out[sum..], 32));
            assert!(!there, "row {row}, line {line}, sum {sum}");
        }
        assert!(out.iter().all(|&sum| sum == 0.0), "{out:?}");
    }
}
