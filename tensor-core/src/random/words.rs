//! Words as numbers: the uniform ones that everything else is made of, and normal ones one by one.

use std::f64::consts::TAU;

use super::generator::GeneratorState;
use crate::kernels::level::{Job, vectorised};

/// Words that are drawn at a time.
pub(super) const ROOM: usize = 4096;

impl GeneratorState {
    /// Words of 32 bits, in rows, each with the place of its first one.
    pub(super) fn words(&mut self, count: usize, mut row: impl FnMut(usize, &[u32])) {
        let mut room = [0; ROOM];
        for first in (0..count).step_by(ROOM) {
            let words = &mut room[..ROOM.min(count - first)];
            self.engine.draw(words);
            row(first, words);
        }
    }

    /// Words of 64 bits: the first of two draws is the high half.
    pub(super) fn wide_words(&mut self, count: usize, mut row: impl FnMut(usize, &[u64])) {
        let (mut halves, mut wide) = ([0; 2 * ROOM], [0; ROOM]);
        for first in (0..count).step_by(ROOM) {
            let len = ROOM.min(count - first);
            self.engine.draw(&mut halves[..2 * len]);
            for (wide, half) in wide.iter_mut().zip(halves[..2 * len].chunks_exact(2)) {
                *wide = u64::from(half[0]) << 32 | u64::from(half[1]);
            }
            row(first, &wide[..len]);
        }
    }

    /// Uniform numbers below 1 with 24 bits.
    pub(super) fn uniform_f32(&mut self, to: &mut [f32]) {
        self.words(to.len(), |first, words| vectorised(NarrowWords { words, to: &mut to[first..first + words.len()] }));
    }

    /// Uniform numbers below 1 with 53 bits.
    pub(super) fn uniform_f64(&mut self, to: &mut [f64]) {
        self.wide_words(to.len(), |first, words| vectorised(WideWords { words, to: &mut to[first..first + words.len()] }));
    }

    /// One uniform number below 1 with 53 bits.
    pub(super) fn uniform(&mut self) -> f64 {
        let mut one = [0; 2];
        self.engine.draw(&mut one);
        unit(u64::from(one[0]) << 32 | u64::from(one[1]))
    }

    /// One normal number. They are made in pairs, and the second one waits for the next call, whoever makes it.
    pub(super) fn normal(&mut self) -> f64 {
        if let Some(kept) = self.kept.take() {
            return kept;
        }
        let (u1, u2) = (self.uniform(), self.uniform());
        let (radius, angle) = ((-2.0 * (-u2).ln_1p()).sqrt(), TAU * u1);
        self.kept = Some(radius * angle.sin());
        radius * angle.cos()
    }
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "53 bits")]
fn unit(word: u64) -> f64 {
    (word & ((1 << 53) - 1)) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

struct NarrowWords<'a> {
    words: &'a [u32],
    to: &'a mut [f32],
}

impl Job for NarrowWords<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_wrap, reason = "24 bits")]
    fn run(self) {
        for (to, word) in self.to.iter_mut().zip(self.words) {
            *to = (word & 0x00ff_ffff) as i32 as f32 * (1.0 / 16_777_216.0);
        }
    }
}

struct WideWords<'a> {
    words: &'a [u64],
    to: &'a mut [f64],
}

impl Job for WideWords<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, word) in self.to.iter_mut().zip(self.words) {
            *to = unit(*word);
        }
    }
}
