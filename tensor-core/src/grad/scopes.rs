//! Scopes in which calls are recorded for gradients, or aren't. They are of a thread, and nest.

use std::marker::PhantomData;

use crate::raw::mode::{HistoryMode, InMode, mode};

/// Keeps a mode of recording in this thread until it is dropped.
#[derive(Debug)]
#[must_use = "the scope ends with the guard: write `let _guard = …` (`let _ = …` drops it at once)"]
pub struct Guard {
    _mode: InMode,
    thread: PhantomData<*const ()>,
}

impl Guard {
    fn new(mode: HistoryMode) -> Self {
        Self { _mode: InMode::new(mode), thread: PhantomData }
    }
}

/// Nothing is recorded while the guard lives: PyTorch's `torch.no_grad()`.
///
/// ```
/// # use latten_core::{grad, tensor::Tensor};
/// let mut x = Tensor::from([1.0_f32, 2.0]);
/// x.requires_grad_();
/// let quiet = {
///     let _scope = grad::no_grad();
///     &x * 2.0
/// };
/// assert!(!quiet.requires_grad());
/// assert!((&x * 2.0).requires_grad());
/// ```
pub fn no_grad() -> Guard {
    set_grad_enabled(false)
}

/// Calls are recorded while the guard lives, also within a scope in which they aren't.
pub fn enable_grad() -> Guard {
    set_grad_enabled(true)
}

/// Calls are recorded while the guard lives, or aren't.
pub fn set_grad_enabled(enabled: bool) -> Guard {
    Guard::new(match (mode().infers(), enabled) {
        (true, true) => HistoryMode::RecordingInference,
        (true, false) => HistoryMode::Inference,
        (false, true) => HistoryMode::Recording,
        (false, false) => HistoryMode::NoGrad,
    })
}

/// Nothing is recorded while the guard lives, and new tensors never take part in what is recorded later.
pub fn inference_mode() -> Guard {
    Guard::new(HistoryMode::Inference)
}

/// What a function gives within a scope.
///
/// ```
/// # use latten_core::{grad, tensor::Tensor};
/// # let mut x = Tensor::from([1.0_f32, 2.0]);
/// # x.requires_grad_();
/// let quiet = grad::within(grad::no_grad(), || &x * 2.0);
/// assert!(!quiet.requires_grad());
/// ```
pub fn within<R>(scope: Guard, compute: impl FnOnce() -> R) -> R {
    let result = compute();
    drop(scope);
    result
}

/// Whether calls of this thread are recorded.
#[must_use]
pub fn is_grad_enabled() -> bool {
    mode().records()
}

/// Whether new tensors of this thread never take part in what is recorded later.
#[must_use]
pub fn is_inference_mode_enabled() -> bool {
    mode().infers()
}
