//! Random numbers: PyTorch's own, bit for bit, for the same seed, shape, dtype and layout, on every processor and for any number of threads.
//!
//! A fill draws in the order of its tensor's memory, all at once. `mersenne` is the engine, `philox` that of GPUs, `generator` what a user holds;
//! `continuous`, `normal`, `discrete` and `weighted` are the distributions, and those of generators that count are in `counted`; `dropout` and
//! `init` are what is made of them.

mod continuous;
mod counted;
mod defaults;
mod discrete;
mod dropout;
mod fill;
mod generator;
pub mod init;
mod mersenne;
mod normal;
mod philox;
mod weighted;
mod words;

pub use continuous::{cauchy_, exponential_, log_normal_, rand, randn, uniform_};
pub use defaults::{Fork, default_generator, default_of, fork, initial_seed, manual_seed, seed};
pub use discrete::{Integers, bernoulli, bernoulli_, bernoulli_by_, bernoulli_like, geometric_, randint, random_, randperm, randperm_};
pub use dropout::{Dropped, Mode, dropout, dropout_, native_dropout};
pub(crate) use dropout::{KeptShare, drawn};
pub use generator::Generator;
pub use normal::normal_;
pub use weighted::{Many, Replacement, multinomial, normal, poisson};
