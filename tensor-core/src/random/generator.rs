//! The generator: an engine, the seed it began with, and what it keeps for the next draw. Those that draws use where none is passed are in
//! `defaults.rs`.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::SystemTime;

use latten_spec::DType;

use super::mersenne::{Mersenne, WORDS};
use super::philox;
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::process::locked;
use crate::raw::RawTensor;
use crate::storage::TypedStorage;

/// The seed of a generator that was given none.
const USUAL_SEED: u64 = 67_280_421_310_721;
/// How many bytes a saved state has.
const STATE: usize = 5056;
/// Where its parts lie.
const LEFT: usize = 8;
const SEEDED: usize = 12;
const NEXT: usize = 16;
const FIRST_WORD: usize = 24;
const KEPT: usize = FIRST_WORD + 8 * WORDS + 8;
const IS_KEPT: usize = KEPT + 16;
/// How many bytes the saved state of a generator that counts has: the seed, then the offset.
const COUNTER_STATE: usize = 16;
/// The words of a counter.
const COUNTER: u64 = 4;

/// A source of random numbers: those of PyTorch's `torch.Generator` of the same seed, bit for bit. A clone of the handle draws from the
/// same numbers; [`clone_state`](Self::clone_state) goes on by itself.
///
/// ```
/// use latten_core::random::Generator;
/// let generator = Generator::seeded(42);
/// let before = generator.get_state();
/// let other = generator.clone_state();
/// assert_eq!(other.get_state(), before);
/// assert_eq!(generator.initial_seed(), 42);
/// ```
///
/// One that counts ([`counting`](Self::counting)) draws for tensors of every device, on each the same numbers, which aren't PyTorch's.
#[derive(Clone)]
pub struct Generator(Arc<Engine>);

#[expect(clippy::large_enum_variant, reason = "it lives behind a pointer")]
enum Engine {
    /// mt19937, which goes from word to word on the host.
    Words(Mutex<GeneratorState>),
    /// Philox, which has the word of each place.
    Counter(Mutex<Counter>),
}

/// A generator that counts, between two draws.
#[derive(Clone, Copy)]
struct Counter {
    seed: u64,
    /// How many words were drawn: four at a time.
    offset: u64,
}

/// What a generator was at some time.
#[derive(Clone)]
pub(super) enum SavedState {
    Words(Box<GeneratorState>),
    Counter(u64, u64),
}

/// A generator while words are drawn on the host, one after the other.
pub(super) enum DrawingGenerator<'g> {
    /// The generator itself.
    Words(MutexGuard<'g, GeneratorState>),
    /// Words that begin with one of a generator that counts.
    Seeded(Box<GeneratorState>),
}

impl Deref for DrawingGenerator<'_> {
    type Target = GeneratorState;

    fn deref(&self) -> &GeneratorState {
        match self {
            Self::Words(state) => state,
            Self::Seeded(state) => state,
        }
    }
}

impl DerefMut for DrawingGenerator<'_> {
    fn deref_mut(&mut self) -> &mut GeneratorState {
        match self {
            Self::Words(state) => state,
            Self::Seeded(state) => state,
        }
    }
}

#[derive(Clone)]
pub(super) struct GeneratorState {
    pub(super) seed: u64,
    pub(super) engine: Mersenne,
    /// Normal numbers are made in pairs; the second one waits here.
    pub(super) kept: Option<f64>,
}

impl GeneratorState {
    fn seeded(seed: u64) -> Self {
        // The engine takes the low half, as PyTorch's does.
        #[expect(clippy::cast_possible_truncation, reason = "the low half")]
        Self { seed, engine: Mersenne::seeded(seed as u32), kept: None }
    }
}

impl Default for Generator {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generator").field("initial_seed", &self.initial_seed()).finish_non_exhaustive()
    }
}

impl Generator {
    as_written! {
        /// A generator with the seed that all new ones have: PyTorch's `torch.Generator()`.
        #[must_use]
        pub fn new() -> Self { // with a seed: Generator::seeded(1); g.randn([2, 3])? draws
            Self::seeded(USUAL_SEED)
        }
    }

    /// A generator with a seed of one's own.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Engine::Words(Mutex::new(GeneratorState::seeded(seed)))))
    }

    /// A generator that counts: an element's numbers depend on the seed, on how many were drawn before and on its place, and are the same on every
    /// device. Those of GPUs are such.
    ///
    /// ```
    /// use latten_core::{random::Generator, tensor::Tensor};
    /// let generator = Generator::counting(1);
    /// let mut dice = Tensor::from([0_i64; 4]);
    /// generator.random_with_(&mut dice, 1, 7)?;
    /// assert_eq!(generator.offset()?, 16);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    #[must_use]
    pub fn counting(seed: u64) -> Self {
        Self(Arc::new(Engine::Counter(Mutex::new(Counter { seed, offset: 0 }))))
    }

    /// Begins anew with a seed. PyTorch's negative seeds are `seed as u64`.
    pub fn manual_seed(&self, seed: u64) {
        match &*self.0 {
            Engine::Words(state) => *locked(state) = GeneratorState::seeded(seed),
            Engine::Counter(counter) => *locked(counter) = Counter { seed, offset: 0 },
        }
    }

    /// The seed that it began with.
    #[must_use]
    pub fn initial_seed(&self) -> u64 {
        match &*self.0 {
            Engine::Words(state) => locked(state).seed,
            Engine::Counter(counter) => locked(counter).seed,
        }
    }

    /// How many words a generator that counts has drawn, four for each element: PyTorch's `get_offset`.
    ///
    /// # Errors
    /// Where it doesn't count.
    pub fn offset(&self) -> Result<u64> {
        match &*self.0 {
            Engine::Words(_) => Err(Error::runtime("CPU Generator does not use offset")),
            Engine::Counter(counter) => Ok(locked(counter).offset),
        }
    }

    /// Goes on as if that many words had been drawn: PyTorch's `set_offset`.
    ///
    /// # Errors
    /// Where it doesn't count, and for what is no multiple of 4.
    pub fn set_offset(&self, offset: u64) -> Result<()> {
        match &*self.0 {
            Engine::Words(_) => Err(Error::runtime("CPU Generator does not use offset")),
            Engine::Counter(_) if !offset.is_multiple_of(COUNTER) => Err(Error::runtime("offset must be a multiple of 4")),
            Engine::Counter(counter) => {
                locked(counter).offset = offset;
                Ok(())
            }
        }
    }

    /// Begins anew with a seed by chance, which is returned.
    pub fn seed(&self) -> u64 {
        let seed = by_chance();
        self.manual_seed(seed);
        seed
    }

    /// Another generator in the same state, with the normal number that is kept.
    #[must_use]
    pub fn clone_state(&self) -> Self {
        Self(Arc::new(match self.saved() {
            SavedState::Words(state) => Engine::Words(Mutex::new(*state)),
            SavedState::Counter(seed, offset) => Engine::Counter(Mutex::new(Counter { seed, offset })),
        }))
    }

    pub(super) fn saved(&self) -> SavedState {
        match &*self.0 {
            Engine::Words(state) => SavedState::Words(Box::new(locked(state).clone())),
            Engine::Counter(counter) => {
                let Counter { seed, offset } = *locked(counter);
                SavedState::Counter(seed, offset)
            }
        }
    }

    /// Makes it what it was. Its engine is never another one.
    pub(super) fn restore(&self, saved: &SavedState) {
        match (&*self.0, saved) {
            (Engine::Words(state), SavedState::Words(before)) => (**before).clone_into(&mut locked(state)),
            (Engine::Counter(counter), &SavedState::Counter(seed, offset)) => *locked(counter) = Counter { seed, offset },
            _ => {}
        }
    }

    /// The state as PyTorch saves it: 5056 bytes, or 16 of a generator that counts.
    #[must_use]
    pub fn get_state(&self) -> Vec<u8> {
        match self.saved() {
            SavedState::Words(state) => state.bytes(),
            SavedState::Counter(seed, offset) => [seed, offset].iter().flat_map(|number| number.to_le_bytes()).collect(),
        }
    }

    /// Goes on from a state that was saved, here or by PyTorch.
    ///
    /// # Errors
    /// For bytes of another number, and such as describe no state; the generator is unchanged then.
    pub fn set_state(&self, bytes: &[u8]) -> Result<()> {
        match &*self.0 {
            Engine::Words(state) => {
                let new = parse(bytes)?;
                *locked(state) = new;
            }
            Engine::Counter(counter) => {
                let (&[seed, offset], true) = (bytes.as_chunks::<8>().0, bytes.len() == COUNTER_STATE) else {
                    return Err(Error::runtime("RNG state is wrong size"));
                };
                let [seed, offset] = [seed, offset].map(u64::from_le_bytes);
                if !offset.is_multiple_of(COUNTER) {
                    return Err(Error::runtime("offset must be a multiple of 4"));
                }
                *locked(counter) = Counter { seed, offset };
            }
        }
        Ok(())
    }

    /// PyTorch's `get_state`: the state as a tensor of bytes.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn get_state_tensor(&self) -> Result<RawTensor> {
        let state = self.get_state();
        let len = state.len();
        RawTensor::from_vec(state, &[len])
    }

    /// PyTorch's `set_state`, of a tensor of bytes.
    ///
    /// # Errors
    /// For a tensor of another dtype, one that isn't contiguous, and as [`set_state`](Self::set_state).
    pub fn set_state_tensor(&self, state: &RawTensor) -> Result<()> {
        if state.dtype() != DType::U8 {
            return Err(Error::type_error("RNG state must be a torch.ByteTensor"));
        }
        if !state.is_contiguous(MemoryFormat::Contiguous) {
            return Err(Error::runtime("RNG state must be contiguous"));
        }
        let bytes = TypedStorage::<u8>::of(state.storage().clone()).tolist()?;
        self.set_state(bytes.get(state.storage_offset()..).and_then(|from| from.get(..state.numel())).unwrap_or(&[]))
    }

    /// What a forked child goes on with: the same state, unless a thread that the child hasn't was drawing, and may have been half through.
    pub(super) fn inherited(&self) -> Self {
        let drawing = match &*self.0 {
            Engine::Words(state) => matches!(state.try_lock(), Err(TryLockError::WouldBlock)),
            Engine::Counter(counter) => matches!(counter.try_lock(), Err(TryLockError::WouldBlock)),
        };
        if drawing { Self::seeded(by_chance()) } else { self.clone() }
    }

    /// Whether it counts, as those of GPUs do.
    pub(super) fn is_counting(&self) -> bool {
        matches!(*self.0, Engine::Counter(_))
    }

    /// The seed and the first of that many counters, which nobody else gets.
    ///
    /// # Errors
    /// Where it makes words.
    pub(super) fn next(&self, counters: u64) -> Result<(u64, u64)> {
        let Engine::Counter(counter) = &*self.0 else {
            return Err(Error::runtime("CPU Generator does not use offset"));
        };
        let mut counter = locked(counter);
        let first = counter.offset / COUNTER;
        counter.offset = counter.offset.wrapping_add(counters.wrapping_mul(COUNTER));
        Ok((counter.seed, first))
    }

    /// The generator for as long as words are drawn on the host. One that counts gives the seed of these words.
    pub(super) fn hold(&self) -> Result<DrawingGenerator<'_>> {
        if let Engine::Words(state) = &*self.0 {
            return Ok(DrawingGenerator::Words(locked(state)));
        }
        let (seed, first) = self.next(1)?;
        Ok(DrawingGenerator::Seeded(Box::new(GeneratorState::seeded(philox::word(seed, first, false)))))
    }
}

impl GeneratorState {
    fn bytes(&self) -> Vec<u8> {
        let (words, left, next) = self.engine.state();
        let mut bytes = vec![0; STATE];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, &self.seed.to_le_bytes());
        put(LEFT, &(left as u32).to_le_bytes());
        put(SEEDED, &1_u32.to_le_bytes());
        put(NEXT, &(next as u64).to_le_bytes());
        for (i, word) in words.iter().enumerate() {
            put(FIRST_WORD + 8 * i, &u64::from(*word).to_le_bytes());
        }
        put(KEPT, &self.kept.unwrap_or(0.0).to_le_bytes());
        put(IS_KEPT, &u32::from(self.kept.is_some()).to_le_bytes());
        bytes
    }
}

fn parse(bytes: &[u8]) -> Result<GeneratorState> {
    if bytes.len() != STATE {
        let found = bytes.len();
        return Err(Error::runtime(format!(
            "Expected a CPUGeneratorImplState of size {STATE} but found the input RNG state size to be {found}"
        )));
    }
    let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let whole = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let words = std::array::from_fn(|i| half(FIRST_WORD + 8 * i));
    let engine = Mersenne::restored(words, half(LEFT) as usize, half(NEXT) as usize).filter(|_| half(SEEDED) != 0);
    let Some(engine) = engine else { return Err(Error::runtime("Invalid mt19937 state")) };
    Ok(GeneratorState { seed: whole(0), engine, kept: (half(IS_KEPT) != 0).then_some(f64::from_bits(whole(KEPT))) })
}

/// A number that nobody can guess: std seeds its hashers from the system.
pub(super) fn by_chance() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    RandomState::new().hash_one((now, std::process::id()))
}
