//! The generator: an engine, the seed it began with, and the normal number that it keeps for the next draw. One is the default of the
//! process, as in PyTorch; others are passed to a draw.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::SystemTime;

use latten_spec::DType;

use super::mersenne::{Mersenne, WORDS};
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;
use crate::process::{PerProcess, locked};
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

/// A source of random numbers: those of PyTorch's `torch.Generator` of the same seed, bit for bit. A clone of the handle draws from the
/// same numbers; [`clone_state`](Self::clone_state) goes on by itself.
///
/// ```
/// use latten_core::random::Generator;
/// let generator = Generator::seeded(42);
/// let before = generator.state();
/// let other = generator.clone_state();
/// assert_eq!(other.state(), before);
/// assert_eq!(generator.initial_seed(), 42);
/// ```
#[derive(Clone)]
pub struct Generator(Arc<Mutex<State>>);

#[derive(Clone)]
pub(super) struct State {
    pub(super) seed: u64,
    pub(super) engine: Mersenne,
    /// Normal numbers are made in pairs; the second one waits here.
    pub(super) kept: Option<f64>,
}

impl State {
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

/// The generator that draws use where none is passed: one for the process, seeded by chance when it begins.
#[must_use]
pub fn default_generator() -> &'static Generator {
    static DEFAULT: PerProcess<Generator> = PerProcess::new(|| Generator::seeded(chance()), Generator::inherited);
    DEFAULT.get()
}

/// PyTorch's `manual_seed`: the default generator begins anew.
pub fn manual_seed(seed: u64) {
    default_generator().manual_seed(seed);
}

/// PyTorch's `initial_seed`: what the default generator began with.
#[must_use]
pub fn initial_seed() -> u64 {
    default_generator().initial_seed()
}

/// PyTorch's `seed`: the default generator begins anew with a seed by chance, which is returned.
pub fn seed() -> u64 {
    default_generator().seed()
}

/// PyTorch's `fork_rng`: when the value is dropped, the default generator is again what it was.
///
/// ```
/// use latten_core::random::{default_generator, fork, manual_seed};
/// manual_seed(1);
/// let before = default_generator().state();
/// {
///     let _fork = fork();
///     manual_seed(2);
/// }
/// assert_eq!(default_generator().state(), before);
/// ```
pub fn fork() -> Fork {
    default_generator().fork()
}

/// Gives a generator its state back when it is dropped.
#[must_use = "the generator gets its state back when this is dropped"]
pub struct Fork {
    of: Generator,
    before: Box<State>,
}

impl fmt::Debug for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fork").field("of", &self.of).finish_non_exhaustive()
    }
}

impl Drop for Fork {
    fn drop(&mut self) {
        *self.of.lock() = (*self.before).clone();
    }
}

impl Generator {
    /// A generator with the seed that all new ones have: PyTorch's `torch.Generator()`.
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(USUAL_SEED)
    }

    /// A generator with a seed of one's own.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State::seeded(seed))))
    }

    /// Begins anew with a seed. PyTorch's negative seeds are `seed as u64`.
    pub fn manual_seed(&self, seed: u64) {
        *self.lock() = State::seeded(seed);
    }

    /// The seed that it began with.
    #[must_use]
    pub fn initial_seed(&self) -> u64 {
        self.lock().seed
    }

    /// Begins anew with a seed by chance, which is returned.
    pub fn seed(&self) -> u64 {
        let seed = chance();
        self.manual_seed(seed);
        seed
    }

    /// Another generator in the same state, with the normal number that is kept.
    #[must_use]
    pub fn clone_state(&self) -> Self {
        Self(Arc::new(Mutex::new(self.lock().clone())))
    }

    /// When the value is dropped, the generator is again what it was.
    pub fn fork(&self) -> Fork {
        Fork { of: self.clone(), before: Box::new(self.lock().clone()) }
    }

    /// The state as PyTorch saves it: 5056 bytes.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let state = self.lock();
        let (words, left, next) = state.engine.state();
        let mut bytes = vec![0; STATE];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, &state.seed.to_le_bytes());
        put(LEFT, &(left as u32).to_le_bytes());
        put(SEEDED, &1_u32.to_le_bytes());
        put(NEXT, &(next as u64).to_le_bytes());
        for (i, word) in words.iter().enumerate() {
            put(FIRST_WORD + 8 * i, &u64::from(*word).to_le_bytes());
        }
        put(KEPT, &state.kept.unwrap_or(0.0).to_le_bytes());
        put(IS_KEPT, &u32::from(state.kept.is_some()).to_le_bytes());
        bytes
    }

    /// Goes on from a state that was saved, here or by PyTorch.
    ///
    /// # Errors
    /// For bytes of another number, and such as describe no state; the generator is unchanged then.
    pub fn set_state(&self, bytes: &[u8]) -> Result<()> {
        let state = parse(bytes)?;
        *self.lock() = state;
        Ok(())
    }

    /// PyTorch's `get_state`: the state as a tensor of bytes.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub fn get_state_tensor(&self) -> Result<RawTensor> {
        RawTensor::from_vec(self.state(), &[STATE])
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
    fn inherited(&self) -> Self {
        match self.0.try_lock() {
            Err(TryLockError::WouldBlock) => Self::seeded(chance()),
            Ok(_) | Err(TryLockError::Poisoned(_)) => self.clone(),
        }
    }

    /// The generator that was passed, or the default one, for as long as it draws.
    pub(super) fn held(chosen: Option<&Self>) -> MutexGuard<'_, State> {
        match chosen {
            Some(generator) => generator.lock(),
            None => default_generator().lock(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        locked(&self.0)
    }
}

fn parse(bytes: &[u8]) -> Result<State> {
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
    Ok(State { seed: whole(0), engine, kept: (half(IS_KEPT) != 0).then_some(f64::from_bits(whole(KEPT))) })
}

/// A number that nobody can guess: std seeds its hashers from the system.
fn chance() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    RandomState::new().hash_one((now, std::process::id()))
}
