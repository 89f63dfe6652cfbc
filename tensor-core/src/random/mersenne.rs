//! The engine: mt19937, as everybody has it, with its state where PyTorch keeps it. Words come many at a time, so that twisting and tempering
//! are vector code. What numbers are made of them is in the other files.

use crate::kernels::level::{Job, vectorised};

/// How many words a twist makes.
pub(super) const WORDS: usize = 624;
/// The word that a twisted word is mixed with.
const FAR: usize = 397;

/// The engine between two draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mersenne {
    words: [u32; WORDS],
    /// How many words can be drawn before the next twist, and one; 1 after seeding.
    left: usize,
    /// The place of the next word.
    next: usize,
}

impl Mersenne {
    /// The usual routine for a seed of 32 bits.
    pub(super) fn seeded(seed: u32) -> Self {
        let mut words = [seed; WORDS];
        let mut last = seed;
        for (word, number) in words.iter_mut().zip(0..).skip(1) {
            last = 1_812_433_253_u32.wrapping_mul(last ^ last >> 30).wrapping_add(number);
            *word = last;
        }
        Self { words, left: 1, next: 0 }
    }

    /// An engine in a state that was saved; `None` where no engine has that state.
    pub(super) fn restored(words: [u32; WORDS], left: usize, next: usize) -> Option<Self> {
        ((1..=WORDS).contains(&left) && next <= WORDS).then_some(Self { words, left, next })
    }

    /// The untempered words, how many are left, and the place of the next one.
    pub(super) fn state(&self) -> (&[u32; WORDS], usize, usize) {
        (&self.words, self.left, self.next)
    }

    /// The next words.
    pub(super) fn draw(&mut self, mut to: &mut [u32]) {
        while !to.is_empty() {
            if self.left == 1 {
                vectorised(Twist(&mut self.words));
                (self.left, self.next) = (WORDS + 1, 0);
            }
            // A state from elsewhere may promise more words than stand after its place.
            let count = to.len().min(self.left - 1).min(WORDS - self.next);
            if count == 0 {
                self.left = 1;
                continue;
            }
            let (now, later) = to.split_at_mut(count);
            now.copy_from_slice(&self.words[self.next..self.next + count]);
            vectorised(Temper(now));
            (self.left, self.next, to) = (self.left - count, self.next + count, later);
        }
    }
}

struct Twist<'a>(&'a mut [u32; WORDS]);

impl Job for Twist<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let old = *self.0;
        let (near, rest) = self.0.split_at_mut(WORDS - FAR);
        for (i, word) in near.iter_mut().enumerate() {
            *word = old[i + FAR] ^ mixed(old[i], old[i + 1]);
        }
        // The others are mixed with words that are new already, each part with the one before.
        let at = near.len();
        let (middle, last) = rest.split_at_mut(at);
        for (i, word) in middle.iter_mut().enumerate() {
            *word = near[i] ^ mixed(old[at + i], old[at + i + 1]);
        }
        let at = 2 * at;
        let end = last.len() - 1;
        for (i, word) in last[..end].iter_mut().enumerate() {
            *word = middle[i] ^ mixed(old[at + i], old[at + i + 1]);
        }
        last[end] = middle[end] ^ mixed(old[WORDS - 1], near[0]);
    }
}

/// The highest bit of a word with the other bits of the next one, twisted.
#[inline(always)]
fn mixed(word: u32, next: u32) -> u32 {
    let both = word & 0x8000_0000 | next & 0x7fff_ffff;
    both >> 1 ^ (next & 1).wrapping_neg() & 0x9908_b0df
}

struct Temper<'a>(&'a mut [u32]);

impl Job for Temper<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for word in self.0 {
            let mut y = *word;
            y ^= y >> 11;
            y ^= y << 7 & 0x9d2c_5680;
            y ^= y << 15 & 0xefc6_0000;
            *word = y ^ y >> 18;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mersenne, WORDS};

    #[test]
    fn words_are_those_that_the_engine_is_known_by() {
        // The 10,000th word of the usual seed stands in the C++ standard.
        let mut engine = Mersenne::seeded(5489);
        let mut words = vec![0; 10_000];
        engine.draw(&mut words);
        assert_eq!((words[0], words[9_999]), (3_499_211_612, 4_123_659_995));
    }

    #[test]
    fn words_come_one_by_one_as_they_come_together() {
        let (mut whole, mut parts) = (Mersenne::seeded(7), Mersenne::seeded(7));
        let mut expected = vec![0; 5 * WORDS];
        whole.draw(&mut expected);
        let mut drawn = Vec::new();
        for len in (1..).map(|i| i * 37 % 200 + 1) {
            let mut some = vec![0; len.min(expected.len() - drawn.len())];
            parts.draw(&mut some);
            drawn.extend(some);
            if drawn.len() == expected.len() {
                break;
            }
        }
        assert_eq!(drawn, expected);
        assert_eq!(whole, parts);
    }
}
