//! The generators that draws use where none is passed: one for the host and one for each GPU, as in PyTorch.

use std::fmt;
use std::sync::{Mutex, OnceLock};

use super::generator::{DrawingGenerator, Generator, SavedState, by_chance};
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::process::{PerProcess, left_behind, locked};

/// As many as devices have ordinals.
const MOST: usize = 128;

static HOST: PerProcess<Generator> = PerProcess::new(|| Generator::seeded(by_chance()), Generator::inherited);
// A forked child has none of its parent's devices.
static DEVICES: PerProcess<[OnceLock<Generator>; MOST]> = PerProcess::new(none, |_| none());
/// The seed of generators that nobody has used yet.
static SEED: PerProcess<Mutex<Option<u64>>> = PerProcess::new(Mutex::default, left_behind);

fn none() -> [OnceLock<Generator>; MOST] {
    [const { OnceLock::new() }; MOST]
}

/// The generator that draws on the host use where none is passed: one for the process, seeded by chance when it begins.
#[must_use]
pub fn default_generator() -> &'static Generator {
    HOST.get()
}

/// The generator that draws for tensors of a device use where none is passed. That of a GPU counts.
///
/// # Errors
/// For devices that can't hold tensors.
pub fn default_of(device: Device) -> Result<&'static Generator> {
    match (device.kind(), device.resolved().index()) {
        (DeviceType::Cpu | DeviceType::Meta, _) => Ok(default_generator()),
        (DeviceType::Cuda, Some(ordinal)) => {
            let seed = || locked(SEED.get()).unwrap_or_else(by_chance);
            let place = DEVICES.get().get(usize::from(ordinal));
            place.map(|place| place.get_or_init(|| Generator::counting(seed()))).ok_or_else(|| without(device))
        }
        _ => Err(without(device)),
    }
}

fn without(device: Device) -> Error {
    Error::runtime(format!("there is no generator of random numbers for {device}"))
}

/// Those that have been used.
fn used() -> impl Iterator<Item = &'static Generator> {
    DEVICES.get().iter().filter_map(OnceLock::get)
}

/// PyTorch's `manual_seed`: the default generators of all devices begin anew.
pub fn manual_seed(seed: u64) {
    *locked(SEED.get()) = Some(seed);
    default_generator().manual_seed(seed);
    used().for_each(|generator| generator.manual_seed(seed));
}

/// PyTorch's `initial_seed`: what the default generator of the host began with.
#[must_use]
pub fn initial_seed() -> u64 {
    default_generator().initial_seed()
}

/// PyTorch's `seed`: the default generators begin anew with a seed by chance, which is returned.
pub fn seed() -> u64 {
    let seed = by_chance();
    manual_seed(seed);
    seed
}

/// PyTorch's `fork_rng`: when the value is dropped, the default generators are again what they were.
///
/// ```
/// use latten_core::random::{default_generator, fork, manual_seed};
/// manual_seed(1);
/// let before = default_generator().get_state();
/// {
///     let _fork = fork();
///     manual_seed(2);
/// }
/// assert_eq!(default_generator().get_state(), before);
/// ```
pub fn fork() -> Fork {
    let all = [default_generator()].into_iter().chain(used());
    Fork { before: all.map(|generator| (generator.clone(), generator.saved())).collect(), seed: Some(*locked(SEED.get())) }
}

/// Gives generators their states back when it is dropped.
#[must_use = "the generator gets its state back when this is dropped"]
pub struct Fork {
    before: Vec<(Generator, SavedState)>,
    /// That of generators that nobody had used, where it is for all of them.
    seed: Option<Option<u64>>,
}

impl fmt::Debug for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.before.iter().map(|(generator, _)| generator)).finish()
    }
}

impl Drop for Fork {
    fn drop(&mut self) {
        if let Some(seed) = self.seed {
            *locked(SEED.get()) = seed;
            // Those that were first used since begin with it, too.
            let seed = seed.unwrap_or_else(by_chance);
            used().for_each(|generator| generator.manual_seed(seed));
        }
        self.before.iter().for_each(|(generator, saved)| generator.restore(saved));
    }
}

impl Generator {
    /// When the value is dropped, the generator is again what it was.
    pub fn fork(&self) -> Fork {
        Fork { before: vec![(self.clone(), self.saved())], seed: None }
    }

    /// The generator that was passed, or the default one of a device.
    fn chosen(chosen: Option<&Self>, device: Device) -> Result<&Self> {
        let generator = match chosen {
            Some(generator) => generator,
            None => default_of(device)?,
        };
        if !generator.is_counting() && device.kind() == DeviceType::Cuda {
            return Err(Error::runtime("Expected a 'cuda' device type for generator but found 'cpu'"));
        }
        Ok(generator)
    }

    /// Whether draws for a device count.
    ///
    /// # Errors
    /// Where a generator of words was passed, and the device isn't the host.
    pub(super) fn counts(chosen: Option<&Self>, device: Device) -> Result<bool> {
        Ok(Self::chosen(chosen, device)?.is_counting())
    }

    /// The seed and the first of that many counters, which nobody else gets.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub(super) fn count(chosen: Option<&Self>, device: Device, counters: u64) -> Result<(u64, u64)> {
        Self::chosen(chosen, device)?.next(counters)
    }

    /// The generator for as long as words are drawn on the host.
    ///
    /// # Errors
    /// As [`counts`](Self::counts).
    pub(super) fn held(chosen: Option<&Self>, device: Device) -> Result<DrawingGenerator<'_>> {
        Self::chosen(chosen, device)?.hold()
    }
}
