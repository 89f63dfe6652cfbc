//! Philox 4×32 with 10 rounds (Salmon, Moraes, Dror and Shaw, 2011): words from a key and a counter, each by itself. So an element has the same
//! word on every device and for every walk. Here as steps of programs; what numbers are made of the words is in `counted.rs`.

use latten_spec::DType;
use latten_spec::operation::{Categories, Row};

use crate::kernels::derivative::Derivative;
use crate::kernels::level::Level;
use crate::kernels::operation::Own;
use crate::kernels::run::{Body, Kernel, Run};

/// The words of a block.
const WORDS: usize = 4;
const ROUNDS: usize = 10;
const FACTORS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// What is added to the key between two rounds.
const BUMPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

/// The block of a counter under a key.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "halves of products")]
fn block(mut counter: [u32; WORDS], mut key: [u32; 2]) -> [u32; WORDS] {
    for _ in 0..ROUNDS {
        let products = [u64::from(counter[0]) * u64::from(FACTORS[0]), u64::from(counter[2]) * u64::from(FACTORS[1])];
        let [high, low] = [products.map(|product| (product >> 32) as u32), products.map(|product| product as u32)];
        counter = [high[1] ^ counter[1] ^ key[0], low[1], high[0] ^ counter[3] ^ key[1], low[0]];
        key = [key[0].wrapping_add(BUMPS[0]), key[1].wrapping_add(BUMPS[1])];
    }
    counter
}

#[expect(clippy::cast_possible_truncation, reason = "two halves")]
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// A word of 64 bits: the first or the second half of the block of a counter.
#[inline(always)]
pub(super) fn word(seed: u64, counter: u64, second: bool) -> u64 {
    let [low, high] = halves(counter);
    let [a, b, c, d] = block([low, high, 0, 0], halves(seed));
    if second { u64::from(d) << 32 | u64::from(c) } else { u64::from(b) << 32 | u64::from(a) }
}

/// The word of a place: `place`, and `seed`, `first` (the counter of place 0) and `second` (whether it is the second half of the block).
pub(super) static WORD: Own = Own {
    row: Row {
        name: "philox",
        operands: &["place"],
        params: &[("seed", 0.0), ("first", 0.0), ("second", 0.0)],
        kernel: "philox",
        formulas: &[(Categories::INTEGRAL, "philox(place, seed, first, second)")],
        ..Row::PLAIN
    },
    kernel: |dtype| (dtype == DType::I64).then(|| Kernel::of::<Word>(Level::detect())),
    cuda: "template <class C>
DEVICE C philox_integral(const C v_place, const C v_seed, const C v_first, const C v_second) {
    const u64 counter = (u64)v_place + (u64)v_first;
    u32 a = (u32)counter, b = (u32)(counter >> 32), c = 0, d = 0, k = (u32)(u64)v_seed, l = (u32)((u64)v_seed >> 32);
    for (int i = 0; i < 10; ++i) {
        const u64 first = (u64)a * 0xd2511f53u, other = (u64)c * 0xcd9e8d57u;
        a = (u32)(other >> 32) ^ b ^ k;
        b = (u32)other;
        c = (u32)(first >> 32) ^ d ^ l;
        d = (u32)first;
        k += 0x9e3779b9u;
        l += 0xbb67ae85u;
    }
    return v_second != 0 ? (C)((u64)d << 32 | c) : (C)((u64)b << 32 | a);
}
",
    derivative: Derivative::NONE,
};

struct Word;

impl Body for Word {
    const WEIGHT: usize = 16;

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<i64>();
        let places = inputs.operand::<i64>(0);
        let [seed, first, second] = [0, 1, 2].map(|i| inputs.param::<i64>(i).cast_unsigned());
        for (out, place) in out.iter_mut().zip(places) {
            *out = word(seed, first.wrapping_add(place.cast_unsigned()), second != 0).cast_signed();
        }
    }
}

/// A word as one of `count` integers from `first` on; both numbers have 64 bits, whatever their sign says.
pub(super) static BELOW: Own = Own {
    row: Row {
        name: "below",
        operands: &["word"],
        params: &[("count", 1.0), ("first", 0.0)],
        kernel: "below",
        formulas: &[(Categories::INTEGRAL, "below(word, count, first)")],
        ..Row::PLAIN
    },
    kernel: |dtype| (dtype == DType::I64).then(|| Kernel::of::<Below>(Level::detect())),
    cuda: "template <class C>
DEVICE C below_integral(const C v_word, const C v_count, const C v_first) {
    return (C)((u64)v_word % (u64)v_count + (u64)v_first);
}
",
    derivative: Derivative::NONE,
};

struct Below;

impl Body for Below {
    const WEIGHT: usize = 4;

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<i64>();
        let words = inputs.operand::<i64>(0);
        let [count, first] = [0, 1].map(|i| inputs.param::<i64>(i).cast_unsigned());
        for (out, word) in out.iter_mut().zip(words) {
            *out = (word.cast_unsigned() % count.max(1)).wrapping_add(first).cast_signed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::block;

    /// The vectors that Random123 tests itself with.
    #[test]
    fn blocks_are_those_that_are_published() {
        let cases = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, expected) in cases {
            assert_eq!(block(counter, key), expected, "{counter:x?} under {key:x?}");
        }
    }
}
